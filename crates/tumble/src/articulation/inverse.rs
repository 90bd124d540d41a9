//! Inverse dynamics: the forces along the degrees of freedom that give them these accelerations. Recursive Newton-Euler, O(n)
//! (Featherstone 2008, chapter 5), about one point O as in `dynamics`.
//!
//! ```text
//!   outwards   a = a_h + c + S q̈      f = I a + v ×* I v - loads
//!   inwards    τ = S·f + armature q̈    f_h += f
//! ```

use super::dynamics::{Load, Pass};
use super::tree::Tree;
use crate::math::spatial::Motion;

impl Pass {
    /// τ for q̈. After [`Pass::place`] and [`Pass::set_moving`].
    pub fn inverse(&mut self, tree: &Tree, loads: &[Load], qdd: &[f64], tau: &mut [f64]) {
        self.set_bias(tree, Some(loads), true);
        for (i, link) in tree.links.iter().enumerate() {
            let mut a = link.parent().map_or(Motion::ZERO, |p| self.links[p].acceleration) + self.links[i].drift;
            for k in link.dofs() {
                a += self.axes[k] * qdd[k];
            }
            let f = self.inertia(tree, i) * a;
            let moving = &mut self.links[i];
            moving.acceleration = a;
            moving.bias += f;
        }
        for (i, link) in tree.links.iter().enumerate().rev() {
            let f = self.links[i].bias;
            for k in link.dofs() {
                tau[k] = self.axes[k].dot(f) + tree.dofs[k].armature * qdd[k];
            }
            if let Some(parent) = link.parent() {
                self.links[parent].bias += f;
            }
        }
    }
}
