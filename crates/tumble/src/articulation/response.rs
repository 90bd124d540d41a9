//! What a tree answers to impulses: one pass inwards and one outwards with the U and D of the last factorisation (000-36, 001-56).
//!
//! An impulse is a force over no time: velocities and loads do not matter, so that p begins as -j at the links that are struck
//! and 0 elsewhere, τ is an impulse along a degree of freedom, and q̈ is Δq̇. Links off the ways from the struck ones to the world
//! have p = 0 and take part only in the pass outwards.
//!
//! The factors are those of the mass matrix, M = Lᵀ D L: the pass inwards is L⁻ᵀ, the one outwards L⁻¹. What is pushed many times between one
//! factorisation and the next does better without the pass outwards, in quasi-velocities
//!
//! ```text
//!   z = D^½ L q̇        T = ½ z·z        G = D^-½ L⁻ᵀ Jᵀ        J q̇ = G·z        q̇ ← q̇ + M⁻¹ Jᵀ λ  is  z ← z + G λ        J M⁻¹ Jᵀ = G·G
//! ```
//!
//! G is the pass inwards alone, and nothing but the way from the struck link to the world is in it. After Jain and Rodriguez, "Diagonalized Lagrangian
//! Robot Dynamics" (1995).

use super::dynamics::{Load, Pass, path};
use super::packed::{Six, SixIn};
use super::tree::Tree;
use crate::constraint::contact::NONE;
use crate::math::spatial::{Motion, Wrench};
use crate::math::{Num, Packed, Vec3};

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

    /// From now on quasi-velocities go by the factors as they are, and by S where the links are.
    #[inline(always)]
    pub fn hold_factors(&mut self) {
        self.held.clone_from(&self.axes);
        for column in &mut self.columns {
            column.root = Num::sqrt(column.inverse);
        }
    }

    /// z of velocities q̇. `moved` is room for what links do.
    #[inline(always)]
    pub fn quasi_velocities<P: Packed>(&self, tree: &Tree, qd: &[f64], z: &mut [f64], moved: &mut Vec<Six>) {
        moved.resize(tree.links.len(), Six::ZERO);
        for (i, link) in tree.links.iter().enumerate() {
            // No closure: it would not be compiled for the instructions of the kernel.
            let mut v: SixIn<P> = match link.parent() {
                Some(parent) => moved[parent].load(),
                None => SixIn::zero(),
            };
            for k in link.dofs() {
                let column = &self.columns[k];
                // Along what moves nothing there is none.
                let own = if column.root > 0.0 { qd[k] / column.root } else { 0.0 };
                z[k] = own + v.dot(column.force.load()) * column.root;
                v = v + self.held[k].load().times(qd[k]);
            }
            v.store(&mut moved[i]);
        }
    }

    /// q̇ ← q̇ + L⁻¹ D^-½ Δz.
    #[inline(always)]
    pub fn add_quasi_velocities<P: Packed>(&self, tree: &Tree, dz: &[f64], qd: &mut [f64], moved: &mut Vec<Six>) {
        moved.resize(tree.links.len(), Six::ZERO);
        for (i, link) in tree.links.iter().enumerate() {
            let mut v: SixIn<P> = match link.parent() {
                Some(parent) => moved[parent].load(),
                None => SixIn::zero(),
            };
            for k in link.dofs() {
                let column = &self.columns[k];
                let change = (dz[k] - v.dot(column.force.load()) * column.root) * column.root;
                v = v + self.held[k].load().times(change);
                qd[k] += change;
            }
            v.store(&mut moved[i]);
        }
    }

    /// z ← z + D^½ L Δq̇ of a tree on free roots that is given this velocity as a whole.
    #[inline(always)]
    pub fn push_whole(&self, tree: &Tree, velocity: Vec3<f64>, z: &mut [f64]) {
        for link in &tree.links {
            let slides = if link.parent().is_none() { 3 } else { 0 };
            let mut before = if slides > 0 { Vec3::ZERO } else { velocity };
            for (n, k) in link.dofs().enumerate() {
                let column = &self.columns[k];
                z[k] += before.dot(column.force.linear.into()) * column.root;
                if n < slides {
                    let axis: Vec3<f64> = self.held[k].linear.into();
                    let own = axis.dot(velocity);
                    // Along what moves nothing there is none.
                    z[k] += if column.root > 0.0 { own / column.root } else { 0.0 };
                    before += axis * own;
                }
            }
        }
    }

    /// z ← z + h D^-½ L⁻ᵀ τ, by loads that do not depend on velocities and forces along the degrees of freedom. The loads act where the links are; what they
    /// do goes by the factors that are held. Uses p.
    #[inline(always)]
    pub fn push_loads<P: Packed>(
        &mut self,
        tree: &Tree,
        loads: &[Load],
        tau: impl Fn(usize) -> f64,
        h: f64,
        z: &mut [f64],
    ) {
        self.left.resize(tree.links.len(), Six::ZERO);
        for (i, link) in tree.links.iter().enumerate().rev() {
            // Of the link and all that hangs on it: the wrench of the loads, and what is left of it beyond the columns before.
            let (mut load, mut left) = match link.last_child {
                NONE => (SixIn::<P>::zero(), SixIn::<P>::zero()),
                _ => (self.links[i].bias.load(), self.left[i].load()),
            };
            if let Some(own) = loads.get(i) {
                load = load + self.links[i].wrench_of(own, link.mass);
            }
            for k in link.dofs().rev() {
                let column = &self.columns[k];
                let u = tau(k) + self.axes[k].load().dot(load) - self.held[k].load().dot(left);
                z[k] += h * (u * column.root);
                left = left + column.force.load().times(u * column.inverse);
            }
            if let Some(parent) = link.parent() {
                if tree.links[parent].last_child != i as u32 {
                    (load, left) = (self.links[parent].bias.load() + load, self.left[parent].load() + left);
                }
                load.store(&mut self.links[parent].bias);
                left.store(&mut self.left[parent]);
            }
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
