//! J and Y of rows, several side by side.
//!
//! The pass inwards of a row goes over the way from its links to the world alone, which is the same for all rows of a contact; the pass
//! outwards goes over the whole tree, and is the same for all rows of the tree. So several rows are led in at once where they act on
//! the same link, and several of one tree are spread at once. Of rows that do not push yet J alone is found.

use super::{Block, Eight, End, RowSet, WIDE};
use crate::articulation::dynamics::path;
use crate::articulation::packed::Six;
use crate::articulation::response::{Impulse, LANES, Lanes};
use crate::constraint::contact::NONE;
use crate::math::spatial::{Motion, Wrench};
use crate::solve::tree_work::Working;

/// Rows of one tree that wait for their passes. Kept for its memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Batch {
    waiting: Vec<Block>,
    /// They wait for Y as well as for J.
    deep: bool,
    /// The link that each of them acts on with either half, and with what; `NONE` where it acts on none.
    struck: [[u32; LANES]; 2],
    wrenches: [[Lanes; 6]; 2],
    /// What of it is left on the way inwards. In memory, where lanes are read and written as a whole: numbers that a loop carries are
    /// compiled one by one.
    left: [Lanes; 6],
    /// J, and u, then Δq̇, by degree of freedom.
    along: Vec<Lanes>,
    lanes: Vec<Lanes>,
    moved: Vec<[Lanes; 6]>,
}

impl Batch {
    /// Takes on one block of a row, for J and, if it is `deep`, for Y.
    #[inline(always)]
    pub fn add(&mut self, rows: &mut RowSet, row: usize, block: usize, deep: bool, trees: &[Working]) {
        let block = rows.all[row].blocks[block];
        let fits = |first: &Block| first.tree == block.tree && self.deep == deep;
        if self.waiting.len() == LANES || !self.waiting.first().is_none_or(fits) {
            self.flush(rows, trees);
        }
        let Working { articulation, pass, .. } = &trees[block.tree as usize];
        let tree = &articulation.tree;
        if self.waiting.is_empty() {
            self.deep = deep;
            for list in [&mut self.along, &mut self.lanes] {
                list.clear();
                list.resize(WIDE * block.eights as usize, [0.0; LANES]);
            }
            self.struck = [[NONE; LANES]; 2];
        }
        let (lane, lanes) = (self.waiting.len(), &mut self.lanes);
        self.waiting.push(block);
        let row = &rows.all[row];
        if row.along[0].0 != NONE {
            for &(dof, c) in row.along.iter().filter(|a| a.0 != NONE) {
                self.along[dof as usize][lane] = c;
                pass.lead_in(tree, Impulse::Dof(dof as usize, c), |k, u| lanes[k][lane] += u);
            }
            return;
        }
        for (half, (struck, wrenches)) in row.halves.iter().zip(self.struck.iter_mut().zip(&mut self.wrenches)) {
            let End::Link(of, link) = half.end else { continue };
            if of != block.tree {
                continue;
            }
            struck[lane] = link;
            let Wrench { torque: n, force: f } =
                Wrench::at(half.linear, pass.links[link as usize].centre.into()) + Wrench::turning(half.angular);
            for (lanes, w) in wrenches.iter_mut().zip([n.x, n.y, n.z, f.x, f.y, f.z]) {
                lanes[lane] = w;
            }
        }
    }

    /// J and Y of all rows that wait.
    #[inline(always)]
    pub fn flush(&mut self, rows: &mut RowSet, trees: &[Working]) {
        let Some(tree) = self.waiting.first().map(|b| &trees[b.tree as usize]) else { return };
        for side in 0..2 {
            let mut lane = 0;
            while lane < self.waiting.len() {
                let link = self.struck[side][lane];
                let same = self.struck[side][lane..self.waiting.len()].iter().take_while(|&&l| l == link).count();
                if link != NONE {
                    self.lead_in(tree, link as usize, side, lane..lane + same);
                }
                lane += same;
            }
        }
        if self.deep {
            tree.pass.spread_lanes(&tree.articulation.tree, &mut self.lanes, &mut self.moved);
        }
        for (lane, block) in self.waiting.drain(..).enumerate() {
            write(&mut rows.j[block.range()], &self.along, lane);
            if self.deep {
                write(&mut rows.y[block.range()], &self.lanes, lane);
            }
        }
    }

    /// The pass inwards of rows that act on one link: J, and if they are deep u as [`Pass::lead_in`](crate::articulation::dynamics::Pass::lead_in) finds
    /// it. Lanes of other rows are led along with nothing, and those of none with anything.
    #[inline(always)]
    fn lead_in(&mut self, tree: &Working, link: usize, side: usize, rows: core::ops::Range<usize>) {
        let mut whole = self.wrenches[side];
        if rows != (0..self.waiting.len()) {
            for lanes in &mut whole {
                *lanes = core::array::from_fn(|l| if rows.contains(&l) { lanes[l] } else { 0.0 });
            }
        }
        // -p
        self.left = whole;
        for k in path(&tree.articulation.tree, link) {
            let axis = &tree.pass.axes[k];
            add(&mut self.along[k], dot(axis, &whole));
            if !self.deep {
                continue;
            }
            let (u, column) = (dot(axis, &self.left), &tree.pass.columns[k]);
            let y: Lanes = core::array::from_fn(|l| u[l] * column.inverse);
            for (left, c) in self.left.iter_mut().zip(column.force.wrench().to_array()) {
                *left = core::array::from_fn(|l| left[l] - c * y[l]);
            }
            add(&mut self.lanes[k], u);
        }
    }
}

#[inline(always)]
fn add(to: &mut Lanes, of: Lanes) {
    *to = core::array::from_fn(|l| to[l] + of[l]);
}

/// The numbers of one lane as a list of their own.
#[inline(always)]
fn write(to: &mut [Eight], from: &[Lanes], lane: usize) {
    for (to, from) in to.iter_mut().zip(from.as_chunks::<WIDE>().0) {
        *to = core::array::from_fn(|k| from[k][lane]);
    }
}

/// S·w of each lane.
#[inline(always)]
fn dot(axis: &Six, w: &[Lanes; 6]) -> Lanes {
    let Motion { angular: a, linear: v } = axis.motion();
    core::array::from_fn(|l| {
        let turn = a.x * w[0][l] + a.y * w[1][l] + a.z * w[2][l];
        let shift = v.x * w[3][l] + v.y * w[4][l] + v.z * w[5][l];
        turn + shift
    })
}
