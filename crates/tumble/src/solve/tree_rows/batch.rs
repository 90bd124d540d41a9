//! J and Y of rows, several side by side.
//!
//! The pass inwards of a row goes over the way from its links to the world alone; the pass outwards goes over the whole tree, and
//! is the same for all rows but for its numbers. So each row is led in by itself, and several of one tree are spread at once.

use super::{Block, End, Row};
use crate::articulation::dynamics::path;
use crate::articulation::response::{Impulse, LANES, Lanes};
use crate::constraint::contact::NONE;
use crate::math::spatial::Wrench;
use crate::solve::tree_work::Working;

/// Rows of one tree that wait for their pass outwards. Kept for its memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Batch {
    waiting: Vec<Block>,
    /// u, then Δq̇, by degree of freedom.
    lanes: Vec<Lanes>,
    moved: Vec<[Lanes; 6]>,
}

impl Batch {
    /// J of a row over one tree, and its pass inwards.
    pub fn add(&mut self, row: &Row, block: &Block, trees: &[Working], j: &mut [f64], y: &mut [f64]) {
        if self.waiting.len() == LANES || self.waiting.first().is_some_and(|b| b.tree != block.tree) {
            self.flush(trees, y);
        }
        let Working { articulation, pass, .. } = &trees[block.tree as usize];
        let tree = &articulation.tree;
        if self.waiting.is_empty() {
            self.lanes.clear();
            self.lanes.resize(tree.dofs.len(), [0.0; LANES]);
        }
        let (lane, lanes) = (self.waiting.len(), &mut self.lanes);
        self.waiting.push(*block);
        let j = &mut j[block.range()];
        j.fill(0.0);
        if row.along[0].0 != NONE {
            for &(dof, c) in row.along.iter().filter(|a| a.0 != NONE) {
                j[dof as usize] = c;
                pass.lead_in(tree, Impulse::Dof(dof as usize, c), |k, u| lanes[k][lane] += u);
            }
            return;
        }
        for half in &row.halves {
            let End::Link(of, link) = half.end else { continue };
            if of != block.tree {
                continue;
            }
            let link = link as usize;
            let wrench = Wrench::at(half.linear, pass.links[link].centre) + Wrench::turning(half.angular);
            for k in path(tree, link) {
                j[k] += pass.axes[k].dot(wrench);
            }
            pass.lead_in(tree, Impulse::Link(link, wrench), |k, u| lanes[k][lane] += u);
        }
    }

    /// Y of all rows that wait.
    pub fn flush(&mut self, trees: &[Working], y: &mut [f64]) {
        let Some(tree) = self.waiting.first().map(|b| &trees[b.tree as usize]) else { return };
        tree.pass.spread_lanes(&tree.articulation.tree, &mut self.lanes, &mut self.moved);
        for (lane, block) in self.waiting.drain(..).enumerate() {
            for (y, lanes) in y[block.range()].iter_mut().zip(&self.lanes) {
                *y = lanes[lane];
            }
        }
    }
}
