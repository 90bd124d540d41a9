//! The mass matrix H of a tree: composite rigid bodies (Featherstone 2008, chapter 6), and its factors H = Lᵀ D L.
//!
//! H of two degrees of freedom is zero unless one is on the way of the other to the world. Eliminated from the tips inwards, the
//! factors have no entries that H has not, so that row k holds as many numbers as k has degrees of freedom before it:
//!
//! ```text
//!   row k:  H(k, k)  H(k, parent of k)  H(k, its parent)  ...
//! ```

use super::dynamics::Pass;
use super::tree::Tree;
use crate::constraint::contact::NONE;
use crate::math::spatial::SpatialInertia;

/// H, or its factors, by sparse rows.
#[derive(Clone, Debug, Default)]
pub(crate) struct MassMatrix {
    parent: Vec<u32>,
    /// Where row k begins.
    first: Vec<u32>,
    entries: Vec<f64>,
}

impl MassMatrix {
    /// H where the pass has placed the links.
    pub fn new(tree: &Tree, pass: &Pass) -> Self {
        let n = tree.dofs.len();
        let mut matrix = Self { parent: tree.dof_parent.clone(), first: Vec::with_capacity(n), entries: Vec::new() };
        let mut depth = vec![0u32; n];
        for k in 0..n {
            let above = tree.dof_parent[k];
            depth[k] = if above == NONE { 1 } else { depth[above as usize] + 1 };
            matrix.first.push(matrix.entries.len() as u32);
            matrix.entries.resize(matrix.entries.len() + depth[k] as usize, 0.0);
        }
        let mut composite: Vec<SpatialInertia<f64>> = (0..tree.links.len()).map(|i| pass.inertia(tree, i)).collect();
        for (i, link) in tree.links.iter().enumerate().rev() {
            for k in link.dofs() {
                let f = composite[i] * pass.axes[k].motion();
                let first = matrix.first[k] as usize;
                let mut above = k as u32;
                for entry in &mut matrix.entries[first..first + depth[k] as usize] {
                    *entry = pass.axes[above as usize].motion().dot(f);
                    above = tree.dof_parent[above as usize];
                }
                matrix.entries[first] += tree.dofs[k].armature;
            }
            if let Some(parent) = link.parent() {
                composite[parent] = composite[parent] + composite[i];
            }
        }
        matrix
    }

    pub fn len(&self) -> usize {
        self.first.len()
    }

    /// The entry at this depth of a row, 0 for the diagonal.
    fn at(&self, k: usize, depth: usize) -> usize {
        self.first[k] as usize + depth
    }

    /// All entries, row by row.
    pub fn to_dense(&self) -> Vec<f64> {
        let n = self.len();
        let mut dense = vec![0.0; n * n];
        for k in 0..n {
            let (mut j, mut depth) = (k as u32, 0);
            while j != NONE {
                let h = self.entries[self.at(k, depth)];
                dense[k * n + j as usize] = h;
                dense[j as usize * n + k] = h;
                j = self.parent[j as usize];
                depth += 1;
            }
        }
        dense
    }

    /// Turns H into its factors: D on the diagonal, L beside it.
    pub fn factor(&mut self) {
        for k in (0..self.len()).rev() {
            let d = self.entries[self.at(k, 0)];
            let inverse = if d > 0.0 { 1.0 / d } else { 0.0 };
            let (mut i, mut di) = (self.parent[k], 1);
            while i != NONE {
                let a = self.entries[self.at(k, di)] * inverse;
                let (mut j, mut dj) = (i, di);
                while j != NONE {
                    let change = a * self.entries[self.at(k, dj)];
                    let at = self.at(i as usize, dj - di);
                    self.entries[at] -= change;
                    j = self.parent[j as usize];
                    dj += 1;
                }
                let at = self.at(k, di);
                self.entries[at] = a;
                i = self.parent[i as usize];
                di += 1;
            }
        }
    }

    /// x with H x = b, in place. After [`MassMatrix::factor`].
    pub fn solve(&self, x: &mut [f64]) {
        // Lᵀ y = b, D z = y, L x = z.
        for k in (0..self.len()).rev() {
            let (mut j, mut depth) = (self.parent[k], 1);
            while j != NONE {
                x[j as usize] -= self.entries[self.at(k, depth)] * x[k];
                j = self.parent[j as usize];
                depth += 1;
            }
        }
        for k in 0..self.len() {
            let d = self.entries[self.at(k, 0)];
            x[k] = if d > 0.0 { x[k] / d } else { 0.0 };
            let (mut j, mut depth) = (self.parent[k], 1);
            while j != NONE {
                x[k] -= self.entries[self.at(k, depth)] * x[j as usize];
                j = self.parent[j as usize];
                depth += 1;
            }
        }
    }
}
