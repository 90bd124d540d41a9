//! What wrenches on links do along their ways to the world, as matrices.
//!
//! G of a wrench w on a link (see `response`) is linear in w: along each degree of freedom k on the way it is Gₖ = Aₖ·w. The pass inwards that finds G waits for
//! one column after the other, for every wrench anew. The rows Aₖ are found outwards instead, once for each factorisation. Where k acts, and at each column j
//! that lies beyond it,
//!
//! ```text
//!   Aₖ = D_k^-½ Sₖ        A ← A - Sⱼ (Uⱼ·A)/Dⱼ
//! ```
//!
//! so that a link takes over the rows of its parent and goes on with them. The rows of four degrees of freedom stand side by side, component by component;
//! those that are not on the way are zero.

use super::dynamics::Pass;
use super::tree::Tree;
use crate::math::{Fours, Quad};
use core::ops::Range;

/// Degrees of freedom side by side.
pub(crate) const FOUR: usize = 4;

/// Where each stands among them.
const PLACES: [Quad; FOUR] =
    [Quad([1.0, 0.0, 0.0, 0.0]), Quad([0.0, 1.0, 0.0, 0.0]), Quad([0.0, 0.0, 1.0, 0.0]), Quad([0.0, 0.0, 0.0, 1.0])];

/// A of four degrees of freedom: what stands before the torque about O, and before the force.
pub(crate) type Rows = [Quad; 6];

/// Those of some links of some trees. Kept between steps for its memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reach {
    /// Of each tree, by its number: where its links begin.
    trees: Vec<u32>,
    /// Of all links, tree after tree: where their fours begin, and how many they are.
    links: Vec<(u32, u32)>,
    /// Links that somebody asks for.
    wanted: Vec<bool>,
    /// Which fours they are: 0 has the first four degrees of freedom of a tree. In ascending order for each link, and those of its parent first.
    fours: Vec<u32>,
    rows: Vec<Rows>,
}

impl Reach {
    pub fn clear(&mut self) {
        self.trees.clear();
        self.links.clear();
        self.wanted.clear();
        self.fours.clear();
    }

    /// Makes room for the next tree.
    pub fn add(&mut self, tree: &Tree) {
        let first = self.links.len();
        self.trees.push(first as u32);
        self.links.resize(first + tree.links.len(), (0, 0));
        self.wanted.resize(self.links.len(), false);
    }

    /// A link of the tree with this number is asked for.
    pub fn want(&mut self, tree: u32, link: u32) {
        self.wanted[(self.trees[tree as usize] + link) as usize] = true;
    }

    /// Finds the fours of the links that are asked for, and of those on their ways, of the tree with this number.
    pub fn arrange(&mut self, tree: &Tree, number: usize) {
        let first = self.trees[number] as usize;
        let Self { links, wanted, fours, rows, .. } = self;
        for (i, link) in tree.links.iter().enumerate().rev() {
            if let Some(parent) = link.parent().filter(|_| wanted[first + i]) {
                wanted[first + parent] = true;
            }
        }
        for (i, link) in tree.links.iter().enumerate().filter(|(i, _)| wanted[first + i]) {
            let before = link.parent().map_or((0, 0), |parent| links[first + parent]);
            if link.dofs().is_empty() {
                // It moves as its parent does.
                links[first + i] = before;
                continue;
            }
            let start = fours.len();
            fours.extend_from_within(span(before));
            // Parents come before children, so that none of the way has a higher number.
            let own = link.dofs().start / FOUR..(link.dofs().end - 1) / FOUR + 1;
            let last = fours[start..].last().map_or(0, |&last| last as usize + 1);
            fours.extend((own.start.max(last)..own.end).map(|four| four as u32));
            links[first + i] = (start as u32, (fours.len() - start) as u32);
        }
        if rows.len() < fours.len() {
            rows.resize(fours.len(), [Quad::ZERO; 6]);
        }
    }

    /// Finds A by the factors that are held. After [`Pass::hold_factors`].
    #[inline(always)]
    pub fn find<F: Fours>(&mut self, tree: &Tree, pass: &Pass, number: usize) {
        let first = self.trees[number] as usize;
        for (i, link) in tree.links.iter().enumerate() {
            let (own, dofs) = (self.links[first + i], link.dofs());
            if own.1 == 0 || dofs.is_empty() {
                continue;
            }
            let before = link.parent().map_or((0, 0), |parent| self.links[first + parent]);
            let (known, rest) = self.rows.split_at_mut(own.0 as usize);
            let known = &known[span(before)];
            let (columns, axes) = (&pass.columns[dofs.clone()], &pass.held[dofs.clone()]);
            for (n, (out, &four)) in rest.iter_mut().zip(&self.fours[span(own)]).enumerate() {
                let mut a = match known.get(n) {
                    Some(a) => load::<F>(a),
                    None => [F::splat(0.0); 6],
                };
                for ((column, axis), k) in columns.iter().zip(axes).zip(dofs.clone()) {
                    // Before the first of them there is nothing.
                    if n >= known.len() && k / FOUR < four as usize {
                        continue;
                    }
                    let ([wx, wy, wz, _], [vx, vy, vz, _]) = (axis.angular.0, axis.linear.0);
                    let ([nx, ny, nz, _], [fx, fy, fz, _]) = (column.force.angular.0, column.force.linear.0);
                    let y = times(&a, &[nx, ny, nz, fx, fy, fz]) * F::splat(column.inverse);
                    let s = [wx, wy, wz, vx, vy, vz];
                    for c in 0..6 {
                        a[c] = a[c] - y * F::splat(s[c]);
                    }
                    if k / FOUR == four as usize {
                        let place = F::load(&PLACES[k % FOUR]);
                        for c in 0..6 {
                            a[c] = a[c] + place * F::splat(s[c] * column.root);
                        }
                    }
                }
                for c in 0..6 {
                    a[c].store(&mut out[c]);
                }
            }
        }
    }

    /// The fours of a link of the tree with this number.
    #[inline(always)]
    pub fn fours(&self, tree: u32, link: u32) -> &[u32] {
        &self.fours[span(self.links[(self.trees[tree as usize] + link) as usize])]
    }

    /// A of the same.
    #[inline(always)]
    pub fn rows(&self, tree: u32, link: u32) -> &[Rows] {
        &self.rows[span(self.links[(self.trees[tree as usize] + link) as usize])]
    }
}

#[inline(always)]
fn span((first, count): (u32, u32)) -> Range<usize> {
    first as usize..(first + count) as usize
}

#[inline(always)]
fn load<F: Fours>(a: &Rows) -> [F; 6] {
    [F::load(&a[0]), F::load(&a[1]), F::load(&a[2]), F::load(&a[3]), F::load(&a[4]), F::load(&a[5])]
}

/// A·w of four rows.
#[inline(always)]
fn times<F: Fours>(a: &[F; 6], w: &[f64; 6]) -> F {
    let turn = a[0] * F::splat(w[0]) + a[1] * F::splat(w[1]);
    let both = a[2] * F::splat(w[2]) + a[3] * F::splat(w[3]);
    (turn + both) + (a[4] * F::splat(w[4]) + a[5] * F::splat(w[5]))
}

/// A·w of four rows in memory.
#[inline(always)]
pub(crate) fn lead_in<F: Fours>(a: &Rows, w: &[F; 6]) -> F {
    let turn = F::load(&a[0]) * w[0] + F::load(&a[1]) * w[1];
    let both = F::load(&a[2]) * w[2] + F::load(&a[3]) * w[3];
    (turn + both) + (F::load(&a[4]) * w[4] + F::load(&a[5]) * w[5])
}
