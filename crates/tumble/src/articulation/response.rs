//! What a tree answers to impulses: one pass inwards and one outwards with the U and D of the last factorisation (000-36, 001-56).
//!
//! An impulse is a force over no time: velocities and loads do not matter, so that p begins as -j at the links that are struck
//! and 0 elsewhere, τ is an impulse along a degree of freedom, and q̈ is Δq̇. Links off the ways from the struck ones to the world
//! have p = 0 and take part only in the pass outwards.

use super::dynamics::{Pass, path};
use super::packed::Six;
use super::tree::Tree;
use crate::math::Vec3;
use crate::math::spatial::{Motion, Wrench};

/// Responses that are worked out side by side.
pub(crate) const LANES: usize = 4;

/// A number of each of them.
pub(crate) type Lanes = [f64; LANES];

/// An impulse on a tree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Impulse {
    /// On a link, about O.
    Link(usize, Wrench<f64>),
    /// Along a degree of freedom.
    Dof(usize, f64),
}

impl Pass {
    /// Δq̇ by impulses that act together, and the motion of each link. After [`Pass::factor`].
    pub fn respond_moving(&self, tree: &Tree, impulses: &[Impulse], out: &mut [f64], moved: &mut [Motion<f64>]) {
        debug_assert_eq!(out.len(), tree.dofs.len());
        out.fill(0.0);
        for impulse in impulses {
            self.lead_in(tree, *impulse, |k, u| out[k] += u);
        }
        self.spread(tree, out, moved);
    }

    /// Inwards, over the way to the world alone: calls `add` with u of each column on it. The recursion is linear, so that what
    /// several impulses add up to is what they do together.
    #[inline(always)]
    pub fn lead_in(&self, tree: &Tree, impulse: Impulse, mut add: impl FnMut(usize, f64)) {
        let (mut bias, way) = match impulse {
            Impulse::Link(link, j) => (-j, path(tree, link)),
            Impulse::Dof(k, j) => {
                add(k, j);
                let column = &self.columns[k];
                let mut way = path(tree, tree.dof_link[k] as usize);
                // Columns of the same joint beyond this one are not on its way.
                for above in way.by_ref() {
                    if above == k {
                        break;
                    }
                }
                (column.force.wrench() * (j * column.inverse), way)
            }
        };
        for k in way {
            let column = &self.columns[k];
            let u = -self.axes[k].motion().dot(bias);
            add(k, u);
            bias += column.force.wrench() * (u * column.inverse);
        }
    }

    /// Outwards: Δq̇ from u, in place, of several responses side by side. Each is what [`Pass::respond_moving`] answers.
    #[inline(always)]
    pub fn spread_lanes(&self, tree: &Tree, out: &mut [Lanes], moved: &mut Vec<[Lanes; 6]>) {
        moved.resize(tree.links.len(), [[0.0; LANES]; 6]);
        for (i, link) in tree.links.iter().enumerate() {
            let mut dv = link.parent().map_or([[0.0; LANES]; 6], |p| moved[p]);
            let dofs = link.dofs();
            let columns = self.columns[dofs.clone()].iter().zip(&self.axes[dofs.clone()]);
            for (u, (column, axis)) in out[dofs].iter_mut().zip(columns) {
                let (Six { angular: n, linear: f }, Six { angular: w, linear: v }) = (&column.force, axis);
                let (n, f, [wx, wy, wz, _], [vx, vy, vz, _]) = (n.0, f.0, w.0, v.0);
                let y: Lanes = core::array::from_fn(|l| {
                    let turn = dv[0][l] * n[0] + dv[1][l] * n[1] + dv[2][l] * n[2];
                    let shift = dv[3][l] * f[0] + dv[4][l] * f[1] + dv[5][l] * f[2];
                    (u[l] - (turn + shift)) * column.inverse
                });
                for (dv, s) in dv.iter_mut().zip([wx, wy, wz, vx, vy, vz]) {
                    *dv = core::array::from_fn(|l| dv[l] + s * y[l]);
                }
                *u = y;
            }
            moved[i] = dv;
        }
    }

    /// Outwards: Δq̇ from u, in place.
    fn spread(&self, tree: &Tree, out: &mut [f64], moved: &mut [Motion<f64>]) {
        for (i, link) in tree.links.iter().enumerate() {
            let mut dv = link.parent().map_or(Motion::ZERO, |p| moved[p]);
            for k in link.dofs() {
                let column = &self.columns[k];
                out[k] = (out[k] - dv.dot(column.force.wrench())) * column.inverse;
                dv += self.axes[k].motion() * out[k];
            }
            moved[i] = dv;
        }
    }

    /// The velocity of a link from q̇: Σ S q̇ over its way to the world.
    #[inline(always)]
    pub fn velocity_of(&self, tree: &Tree, link: usize, qd: &[f64]) -> Motion<f64> {
        let mut v = Motion::ZERO;
        for k in path(tree, link) {
            v += self.axes[k].motion() * qd[k];
        }
        v
    }

    /// K: the change of velocity of a point of link b, per unit impulse at a point of link a, column by column; points about O.
    pub fn response(&self, tree: &Tree, a: (usize, Vec3<f64>), b: (usize, Vec3<f64>)) -> [Vec3<f64>; 3] {
        let (mut out, mut moved) = (vec![0.0; tree.dofs.len()], vec![Motion::ZERO; tree.links.len()]);
        [Vec3::X, Vec3::Y, Vec3::Z].map(|n| {
            self.respond_moving(tree, &[Impulse::Link(a.0, Wrench::at(n, a.1))], &mut out, &mut moved);
            self.velocity_of(tree, b.0, &out).velocity_at(b.1)
        })
    }
}
