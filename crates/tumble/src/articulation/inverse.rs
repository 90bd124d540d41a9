//! Inverse dynamics: the forces along the degrees of freedom that give them these accelerations. Recursive Newton-Euler, O(n)
//! (Featherstone 2008, chapter 5), about one point O as in `dynamics`.
//!
//! ```text
//!   outwards   a = a_h + c + S q̈      f = I a + v ×* I v - loads
//!   inwards    τ = S·f + armature q̈    f_h += f
//! ```

use super::dynamics::{Load, Pass};
use super::tree::Tree;
use crate::math::Quad;
use crate::math::spatial::Motion;

impl Pass {
    /// τ for q̈. After [`Pass::place`] and [`Pass::set_moving`].
    pub fn inverse(&mut self, tree: &Tree, loads: &[Load], qdd: &[f64], tau: &mut [f64]) {
        self.set_bias::<Quad>(tree, Some(loads), true);
        for (i, link) in tree.links.iter().enumerate() {
            let above = link.parent().map_or(Motion::ZERO, |p| self.links[p].acceleration.motion());
            let mut a = above + self.links[i].drift.motion();
            for k in link.dofs() {
                a += self.axes[k].motion() * qdd[k];
            }
            let f = self.inertia(tree, i) * a;
            let moving = &mut self.links[i];
            moving.acceleration = a.into();
            moving.bias = (moving.bias.wrench() + f).into();
        }
        for (i, link) in tree.links.iter().enumerate().rev() {
            let f = self.links[i].bias.wrench();
            for k in link.dofs() {
                tau[k] = self.axes[k].motion().dot(f) + tree.dofs[k].armature * qdd[k];
            }
            if let Some(parent) = link.parent() {
                let parent = &mut self.links[parent];
                parent.bias = (parent.bias.wrench() + f).into();
            }
        }
    }
}
