//! Rows, and what an impulse along one does to trees and bodies.

use super::Field;
use crate::articulation::packed::Six;
use crate::articulation::response::Impulse;
use crate::articulation::stops::{Along, NOWHERE};
use crate::constraint::contact::NONE;
use crate::math::spatial::Wrench;
use crate::math::{Packed, Quad, Vec3};
use crate::solve::motion::{self, Mass, Motion};
use crate::solve::tree_work::{Working, velocity};
use core::ops::Range;

/// The share of the response of loose links below which a row is held by the joints of its trees.
const HELD: f64 = 1e-10;

/// One end of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::solve) enum End {
    /// Nothing moves it.
    Nothing,
    /// A free body, by dense index.
    Body(u32),
    /// A link of a tree at work.
    Link(u32, u32),
}

/// J over one end: what stands before v and ω of its centre of mass.
#[derive(Clone, Copy, Debug)]
pub(super) struct Half {
    pub(super) end: End,
    /// The body by dense index, or `NONE` where nothing moves it.
    pub(super) body: u32,
    pub(super) linear: Vec3<f64>,
    pub(super) angular: Vec3<f64>,
}

impl Half {
    /// Δv and Δω of a free body by an impulse along the row.
    pub(super) fn change(&self, impulse: f64, mass: &Mass) -> (Vec3, Vec3) {
        let linear = (self.linear * impulse).to_real().scale(motion::inv_mass_of(mass));
        (linear, motion::inertia_of(mass) * (self.angular * impulse).to_real())
    }

    /// K of this end by itself, held by no joint.
    #[inline(always)]
    fn looseness(&self, masses: &[Mass]) -> f64 {
        let Some(mass) = masses.get(self.body as usize).filter(|m| motion::is_movable(m)) else { return 0.0 };
        let inverse = motion::inv_mass_of(mass).to_f64();
        self.linear.dot(self.linear.scale(inverse)) + self.angular.dot(motion::inertia_of(mass).to_f64() * self.angular)
    }
}

const NO_HALF: Half = Half { end: End::Nothing, body: NONE, linear: Vec3::ZERO, angular: Vec3::ZERO };

/// Numbers along degrees of freedom go by eight, with zeros after the last: lists this short would mostly be left to the end of a loop.
pub(super) const WIDE: usize = 8;
pub(super) type Eight = [Quad; 2];

/// Fours in an eight.
pub(super) const FOURS: u32 = 2;

pub(super) const NO_EIGHT: Eight = [Quad::ZERO; 2];

/// The numbers of eights.
#[inline(always)]
pub(super) fn numbers(eights: &[Eight]) -> &[f64] {
    bytemuck::cast_slice(eights)
}

#[inline(always)]
pub(super) fn numbers_mut(eights: &mut [Eight]) -> &mut [f64] {
    bytemuck::cast_slice_mut(eights)
}

/// G over the degrees of freedom of one tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    pub(super) tree: u32,
    /// Where it begins in the list of all, and how many eights it is.
    pub(super) first: u32,
    pub(super) eights: u32,
    /// Where the quasi-velocities of the tree begin.
    pub(super) at: u32,
}

const NO_BLOCK: Block = Block { tree: NONE, first: 0, eights: 0, at: 0 };

impl Block {
    #[inline(always)]
    pub(super) fn range(&self) -> Range<usize> {
        self.first as usize..(self.first + self.eights) as usize
    }

    /// The quasi-velocities that go with it.
    #[inline(always)]
    pub(super) fn moves(&self) -> Range<usize> {
        self.at as usize..(self.at + self.eights) as usize
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub(super) halves: [Half; 2],
    /// A row along degrees of freedom of the tree of the first block.
    pub(super) along: Along,
    pub(super) blocks: [Block; 2],
    pub(super) block_count: u32,
    /// K and 1/K; 0 where nothing moves.
    pub(super) k: f64,
    pub(super) mass: f64,
    pub(super) impulse: f64,
    /// It is solved with others of its kind: see `direct`.
    pub(super) direct: bool,
    /// It acts on a free body as well.
    pub(super) free: bool,
    /// It acts on one tree and on nothing else.
    pub(super) plain: bool,
}

/// A row that is not there.
pub(super) const IDLE: Row = Row {
    halves: [NO_HALF; 2],
    along: NOWHERE,
    blocks: [NO_BLOCK; 2],
    block_count: 0,
    k: 0.0,
    mass: 0.0,
    impulse: 0.0,
    direct: false,
    free: false,
    plain: true,
};

impl Row {
    /// A row between two ends.
    pub(super) fn between(halves: [Half; 2], impulse: f64) -> Self {
        let mut row = Self { halves, impulse, ..IDLE };
        for half in &halves {
            match half.end {
                End::Link(tree, _) if row.block_count == 0 || row.blocks[0].tree != tree => {
                    row.blocks[row.block_count as usize].tree = tree;
                    row.block_count += 1;
                }
                End::Body(_) => row.free = true,
                _ => {}
            }
        }
        row.plain = row.block_count < 2 && !row.free;
        row
    }

    /// A row along degrees of freedom of a tree.
    pub(super) fn along(along: Along, tree: u32, impulse: f64) -> Self {
        Self { along, blocks: [Block { tree, ..NO_BLOCK }, NO_BLOCK], block_count: 1, impulse, ..IDLE }
    }

    #[inline(always)]
    pub(super) fn blocks(&self) -> &[Block] {
        &self.blocks[..self.block_count as usize]
    }
}

/// Rows, and what they do to trees.
#[derive(Clone, Debug, Default)]
pub(super) struct RowSet {
    pub(super) all: Vec<Row>,
    /// G of all blocks.
    pub(super) g: Vec<Eight>,
    /// The quasi-velocities of all trees that have rows, while rows are at work on them, as they are and as they were taken; and where those of each
    /// begin, `NONE` for others.
    pub(super) z: Vec<Eight>,
    taken: Vec<Eight>,
    pub(super) places: Vec<u32>,
    /// Σ K Δλ² of a round: twice the energy of all that it has changed.
    pub(super) stir: f64,
    room: Vec<f64>,
    moved: Vec<Six>,
}

impl RowSet {
    /// Makes room for the quasi-velocities of trees in `places`, of so many eights.
    pub(super) fn make_room(&mut self, eights: usize) {
        for list in [&mut self.z, &mut self.taken] {
            list.clear();
            list.resize(eights, NO_EIGHT);
        }
    }

    /// Takes these velocities of these trees.
    #[inline(always)]
    pub(super) fn take<'a, P: Packed>(
        &mut self,
        trees: &'a [Working],
        of: Range<usize>,
        which: fn(&Working) -> bool,
        velocities: impl Fn(&'a Working) -> &'a [f64],
    ) {
        for tree in of.filter(|&tree| self.places[tree] != NONE && which(&trees[tree])) {
            let (at, tree) = (WIDE * self.places[tree] as usize, &trees[tree]);
            let qd = velocities(tree);
            let z = &mut numbers_mut(&mut self.z)[at..][..qd.len()];
            tree.pass.quasi_velocities::<P>(&tree.articulation.tree, qd, z, &mut self.moved);
            numbers_mut(&mut self.taken)[at..][..qd.len()].copy_from_slice(z);
        }
    }

    /// Gives the trees what their velocities have changed by since they were taken.
    #[inline(always)]
    pub(super) fn give<P: Packed>(&mut self, of: Range<usize>, trees: &mut [Working], which: fn(&Working) -> bool) {
        for tree in of {
            if self.places[tree] == NONE || !which(&trees[tree]) {
                continue;
            }
            let (at, Working { articulation, pass, .. }) = (WIDE * self.places[tree] as usize, &mut trees[tree]);
            let n = articulation.tree.qd.len();
            let z = &numbers(&self.z)[at..][..n];
            let taken = &mut numbers_mut(&mut self.taken)[at..][..n];
            if z == taken {
                continue;
            }
            self.room.clear();
            self.room.extend(z.iter().zip(&*taken).map(|(z, taken)| z - taken));
            taken.copy_from_slice(z);
            let mut qd = core::mem::take(&mut articulation.tree.qd);
            pass.add_quasi_velocities::<P>(&articulation.tree, &self.room, &mut qd, &mut self.moved);
            articulation.tree.qd = qd;
        }
    }

    /// The kick over h of those trees that are steady.
    #[inline(always)]
    pub(super) fn kick_steady<P: Packed>(&mut self, of: Range<usize>, trees: &mut [Working], h: f64) {
        for tree in of {
            let working = &mut trees[tree];
            if self.places[tree] == NONE || !working.steady {
                continue;
            }
            let own = WIDE * self.places[tree] as usize..;
            let n = working.articulation.tree.qd.len();
            let z = &mut numbers_mut(&mut self.z)[own.clone()][..n];
            let taken = &mut numbers_mut(&mut self.taken)[own][..n];
            working.kick_on::<P>(h, z, taken);
        }
    }

    /// The part of one tree in Ċ.
    #[inline(always)]
    pub(super) fn rate_along(&self, block: &Block) -> f64 {
        dot(&self.g[block.range()], &self.z[block.moves()])
    }

    /// Ċ
    #[inline(always)]
    pub(super) fn rate(&self, row: &Row, motions: &[Motion]) -> f64 {
        let mut rate = self.rate_along(&row.blocks[0]);
        if row.plain {
            return rate;
        }
        rate += self.rate_along(&row.blocks[1]);
        for half in &row.halves {
            if let End::Body(dense) = half.end {
                let (v, w) = velocity(&motions[dense as usize]);
                rate += half.linear.dot(v) + half.angular.dot(w);
            }
        }
        rate
    }

    /// z ← z + G Δλ, on trees alone or on free bodies too.
    #[inline(always)]
    pub(super) fn push(&mut self, i: usize, delta: f64, bodies: Option<(&mut [Motion], &[Mass])>) {
        if delta == 0.0 {
            return;
        }
        let Self { all, g, z, .. } = self;
        let row = &all[i];
        let [a, b] = &row.blocks;
        add_scaled(&mut z[a.moves()], &g[a.range()], delta);
        if row.plain {
            return;
        }
        add_scaled(&mut z[b.moves()], &g[b.range()], delta);
        let Some((motions, masses)) = bodies.filter(|_| row.free) else { return };
        for half in &row.halves {
            let End::Body(dense) = half.end else { continue };
            let (motion, mass) = (&mut motions[dense as usize], &masses[dense as usize]);
            if !motion::is_movable(mass) {
                continue;
            }
            let (v, w) = motion::velocity_of(motion);
            let (dv, dw) = half.change(delta, mass);
            motion::set_velocity(motion, v + dv, w + dw);
        }
    }

    /// Sets the impulse of a row, and pushes by what it has changed.
    #[inline(always)]
    pub(super) fn set_impulse(&mut self, i: usize, impulse: f64, field: &mut Field<'_>) {
        let row = &mut self.all[i];
        let delta = impulse - row.impulse;
        row.impulse = impulse;
        self.stir += delta * delta * row.k;
        self.push(i, delta, Some((field.motions, field.masses)));
    }

    /// Nothing moves along the row.
    pub(super) fn is_held(&self, row: u32) -> bool {
        self.all[row as usize].mass == 0.0
    }

    /// K of a row, and G where its trees have been renewed: that of others goes by the S that their factors had.
    #[inline(always)]
    pub(super) fn answer(&mut self, i: usize, trees: &[Working], masses: &[Mass]) {
        let row = &self.all[i];
        for block in row.blocks() {
            let Working { articulation, pass, renewed, .. } = &trees[block.tree as usize];
            if !renewed {
                continue;
            }
            let g = numbers_mut(&mut self.g[block.range()]);
            g.fill(0.0);
            let mut lead_in = |impulse: Impulse| {
                pass.lead_in(&articulation.tree, impulse, |k, u| g[k] += u * pass.columns[k].root);
            };
            for &(dof, c) in row.along.iter().filter(|a| a.0 != NONE) {
                lead_in(Impulse::Dof(dof as usize, c));
            }
            for half in &row.halves {
                let End::Link(tree, link) = half.end else { continue };
                if tree == block.tree {
                    let centre = pass.links[link as usize].centre.into();
                    let wrench = Wrench::at(half.linear, centre) + Wrench::turning(half.angular);
                    lead_in(Impulse::Link(link as usize, wrench));
                }
            }
        }
        self.weigh(i, masses);
    }

    /// K, where G is known.
    #[inline(always)]
    fn weigh(&mut self, i: usize, masses: &[Mass]) {
        let Self { all, g, .. } = self;
        let row = &mut all[i];
        let mut k = 0.0;
        for block in row.blocks() {
            let g = &g[block.range()];
            k += dot(g, g);
        }
        // What it would be if no joint held the links.
        let mut loose = 0.0;
        for half in &row.halves {
            let own = half.looseness(masses);
            loose += own;
            if matches!(half.end, End::Body(_)) {
                k += own;
            }
        }
        (row.k, row.mass) = resistance(k, loose);
    }
}

/// K and 1/K of a row that has `loose` for K where no joint holds its links.
#[inline(always)]
pub(super) fn resistance(k: f64, loose: f64) -> (f64, f64) {
    // Along what the joints hold anyway, only rounding moves.
    if k > loose * HELD && k.is_finite() { (k, 1.0 / k) } else { (0.0, 0.0) }
}

/// At most so much, both ways. Not `clamp`, which panics where a body has got lost and there is no telling.
#[inline(always)]
pub(super) fn within(wanted: f64, most: f64) -> f64 {
    if wanted > most {
        most
    } else if wanted < -most {
        -most
    } else {
        wanted
    }
}

/// Σ a b in eight sums side by side; in pairs where lists are as short as those of most trees, so that no sum waits long for another.
#[inline(always)]
pub(super) fn dot(a: &[Eight], b: &[Eight]) -> f64 {
    let times = |a: &Eight, b: &Eight| -> [f64; WIDE] { core::array::from_fn(|k| at(a, k) * at(b, k)) };
    let plus = |a: [f64; WIDE], b: [f64; WIDE]| -> [f64; WIDE] { core::array::from_fn(|k| a[k] + b[k]) };
    let sums = match (a, b) {
        ([a0, a1, a2, a3], [b0, b1, b2, b3]) => {
            plus(plus(times(a0, b0), times(a1, b1)), plus(times(a2, b2), times(a3, b3)))
        }
        ([a0, a1, a2], [b0, b1, b2]) => plus(plus(times(a0, b0), times(a1, b1)), times(a2, b2)),
        _ => a.iter().zip(b).fold([0.0; WIDE], |sums, (a, b)| plus(sums, times(a, b))),
    };
    let four: [f64; 4] = core::array::from_fn(|k| sums[k] + sums[k + 4]);
    (four[0] + four[2]) + (four[1] + four[3])
}

/// The number at a place of an eight.
#[inline(always)]
fn at(of: &Eight, k: usize) -> f64 {
    of[k / 4].0[k % 4]
}

/// to ← to + y t
#[inline(always)]
pub(super) fn add_scaled(to: &mut [Eight], y: &[Eight], t: f64) {
    match (to, y) {
        ([u0, u1, u2, u3], [y0, y1, y2, y3]) => {
            add_eight(u0, y0, t);
            add_eight(u1, y1, t);
            add_eight(u2, y2, t);
            add_eight(u3, y3, t);
        }
        ([u0, u1, u2], [y0, y1, y2]) => {
            add_eight(u0, y0, t);
            add_eight(u1, y1, t);
            add_eight(u2, y2, t);
        }
        (to, y) => to.iter_mut().zip(y).for_each(|(to, y)| add_eight(to, y, t)),
    }
}

#[inline(always)]
fn add_eight(to: &mut Eight, y: &Eight, t: f64) {
    for (to, y) in to.iter_mut().zip(y) {
        *to = Quad(core::array::from_fn(|k| to.0[k] + y.0[k] * t));
    }
}

#[cfg(test)]
mod tests {
    use super::{Eight, WIDE, add_scaled, dot, numbers};
    use crate::math::Quad;

    /// Numbers that are exact in any order, so that lists of every length, with and without a loop, must answer to the bit.
    #[test]
    fn eights_add_up_at_every_length() {
        for n in 0..6 {
            let number = |i: usize, k: usize, salt: usize| ((WIDE * i + k) * 7 + salt) as f64;
            let list = |salt: usize| -> Vec<Eight> {
                let four = |i: usize, half: usize| Quad(core::array::from_fn(|k| number(i, 4 * half + k, salt)));
                (0..n).map(|i| [four(i, 0), four(i, 1)]).collect()
            };
            let (a, mut b) = (list(3), list(5));
            let sum: f64 = numbers(&a).iter().zip(numbers(&b)).map(|(a, b)| a * b).sum();
            assert_eq!(dot(&a, &b), sum);
            add_scaled(&mut b, &a, 3.0);
            for (i, eight) in numbers(&b).chunks(WIDE).enumerate() {
                for (k, &x) in eight.iter().enumerate() {
                    assert_eq!(x, number(i, k, 5) + 3.0 * number(i, k, 3));
                }
            }
        }
    }
}
