//! What a tree answers to impulses: one pass inwards and one outwards with the U and D of the last factorisation (000-36, 001-56).
//!
//! An impulse is a force over no time: velocities and loads do not matter, so that p begins as -j at the links that are struck
//! and 0 elsewhere, τ is an impulse along a degree of freedom, and q̈ is Δq̇. Links off the ways from the struck ones to the world
//! have p = 0 and take part only in the pass outwards.

use super::dynamics::{Pass, path};
use super::tree::Tree;
use crate::math::Vec3;
use crate::math::spatial::{Motion, Wrench};

/// An impulse on a tree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Impulse {
    /// On a link, about O.
    Link(usize, Wrench<f64>),
    /// Along a degree of freedom.
    Dof(usize, f64),
}

impl Pass {
    /// Δq̇ by impulses that act together. After [`Pass::factor`].
    pub fn respond(&self, tree: &Tree, impulses: &[Impulse], out: &mut [f64]) {
        // The motion of each link lives on the stack as long as the tree is small.
        const SMALL: usize = 64;
        let mut small = [Motion::ZERO; SMALL];
        let mut large = Vec::new();
        let moved: &mut [Motion<f64>] = if tree.links.len() <= SMALL {
            &mut small[..tree.links.len()]
        } else {
            large.resize(tree.links.len(), Motion::ZERO);
            &mut large
        };
        self.respond_moving(tree, impulses, out, moved);
    }

    /// As [`Pass::respond`], with the motion of each link.
    pub fn respond_moving(&self, tree: &Tree, impulses: &[Impulse], out: &mut [f64], moved: &mut [Motion<f64>]) {
        debug_assert_eq!(out.len(), tree.dofs.len());
        // Inwards, over the ways to the world alone. Until the pass outwards `out` holds u, to which each impulse adds its own:
        // the recursion is linear.
        out.fill(0.0);
        for impulse in impulses {
            let (mut bias, way) = match *impulse {
                Impulse::Link(link, j) => (-j, path(tree, link)),
                Impulse::Dof(k, j) => {
                    out[k] += j;
                    let column = &self.columns[k];
                    let mut way = path(tree, tree.dof_link[k] as usize);
                    // Columns of the same joint beyond this one are not on its way.
                    for above in way.by_ref() {
                        if above == k {
                            break;
                        }
                    }
                    (column.force * (j * column.inverse), way)
                }
            };
            for k in way {
                let column = &self.columns[k];
                let u = -self.axes[k].dot(bias);
                out[k] += u;
                bias += column.force * (u * column.inverse);
            }
        }
        self.spread(tree, out, moved);
    }

    /// Outwards: Δq̇ from u, in place.
    fn spread(&self, tree: &Tree, out: &mut [f64], moved: &mut [Motion<f64>]) {
        for (i, link) in tree.links.iter().enumerate() {
            let mut dv = link.parent().map_or(Motion::ZERO, |p| moved[p]);
            for k in link.dofs() {
                let column = &self.columns[k];
                out[k] = (out[k] - dv.dot(column.force)) * column.inverse;
                dv += self.axes[k] * out[k];
            }
            moved[i] = dv;
        }
    }

    /// The velocity of a link from q̇: Σ S q̇ over its way to the world.
    #[inline(always)]
    pub fn velocity_of(&self, tree: &Tree, link: usize, qd: &[f64]) -> Motion<f64> {
        let mut v = Motion::ZERO;
        for k in path(tree, link) {
            v += self.axes[k] * qd[k];
        }
        v
    }

    /// K: the change of velocity of a point of link b, per unit impulse at a point of link a, column by column; points about O.
    pub fn response(&self, tree: &Tree, a: (usize, Vec3<f64>), b: (usize, Vec3<f64>)) -> [Vec3<f64>; 3] {
        let mut out = vec![0.0; tree.dofs.len()];
        [Vec3::X, Vec3::Y, Vec3::Z].map(|n| {
            self.respond(tree, &[Impulse::Link(a.0, Wrench::at(n, a.1))], &mut out);
            self.velocity_of(tree, b.0, &out).velocity_at(b.1)
        })
    }
}
