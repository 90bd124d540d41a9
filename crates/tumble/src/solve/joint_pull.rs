//! Bodies of webs that joints pull at so hard that a sub-step could not follow how they turn back.
//!
//! A body that a joint pulls at with the force f at the arm r turns back like a pendulum, with the stiffness k = f·r. The sub-step takes that force as it
//! was at its start, which goes well while h² k < 4 I and shakes the body for ever beyond: the planks of a bridge under ten times its weight. So for what
//! joints of its web do to it, such a body is as hard to turn as it would be if the force were taken where the sub-step ends (Andrews, Teichmann,
//! Kövecses, "Geometric stiffness for real-time constrained multibody dynamics", 2017):
//!
//! ```text
//!   I + a,   a = max(0, 2 h² Σ k - I₀)     instead of I,       1/I₀ = tr I⁻¹,     over the joints that pull, k > 0
//! ```
//!
//! While 2 h² Σ k is below I₀, as it is for nearly all bodies, nothing changes. Its spin then follows by less than the angular momentum that it is given; what
//! a body does that is held like this is not to spin. Where a grows from one sub-step of a step to the next, ω shrinks so that ω·(I + a) ω does not grow with
//! it: an inertia that swings with the load would feed energy to what swings. Bodies that may not turn about some axis are left alone.
//!
//! This is for webs that are solved as a whole (`joint_web`, `point_web`), whose joints are firm enough to need it. Contacts, trees and joints in sweeps know nothing of it.

use super::motion::{self, Free, Mass, Motion};
use crate::math::{Num, Real, Sym3, Vec3};

/// No body is harder to turn than by so many times I₀.
const MOST: Real = 1e4;

/// a: what the inertia of a body grows by at which joints pull; `pull` is h² Σ k.
fn growth(j: &Sym3, pull: Real) -> Real {
    let trace = j.xx + j.yy + j.zz;
    let excess = 2.0 * pull * trace - 1.0;
    // What is no number makes nothing grow.
    if excess > 0.0 { Num::min(excess, MOST) / trace } else { 0.0 }
}

/// (I + a)⁻¹ = J (1 + a J)⁻¹ with J = I⁻¹. Both factors commute: the product is symmetric. No entry of 1 + a J is above [`MOST`] + 1, and its determinant
/// is at least 1.
fn grown(j: Sym3, a: Real) -> Sym3 {
    let (c, det) = (j * a + Sym3::diagonal(Vec3::all(1.0))).cofactors();
    let columns = (c * (1.0 / det)).to_mat3();
    let [x, y, z] = [columns.x, columns.y, columns.z].map(|column| j * column);
    Sym3 { xx: x.x, yy: y.y, zz: z.z, xy: y.x, xz: z.x, yz: z.y }
}

/// What ω is left with when a grows from one value to another: as much energy as before, ω·(I + a) ω.
fn slowed(inertia: &Sym3, omega: Vec3, before: Real, after: Real) -> Vec3 {
    let square = omega.length_squared();
    if !(after > before && square > 0.0) {
        return omega;
    }
    let own = omega.dot(*inertia * omega);
    omega * Num::sqrt((own + before * square) / (own + after * square))
}

/// The bodies at which joints of webs pull. Kept between steps for its memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pulled {
    bodies: Vec<u32>,
    before: Vec<u32>,
    /// By body: h² Σ k while it is added up, and a.
    sum: Vec<Real>,
    growth: Vec<Real>,
    /// (I + a)⁻¹, where a > 0.
    inverse: Vec<Sym3>,
}

impl Pulled {
    /// I⁻¹ of a body as joints of webs have it.
    pub fn inertia(&self, body: u32, masses: &[Mass]) -> Sym3 {
        match self.growth.get(body as usize) {
            Some(&a) if a > 0.0 => self.inverse[body as usize],
            _ => motion::inertia_of(&masses[body as usize]),
        }
    }

    /// Begins to add up the pulls; the `first` time in a step nothing has been pulled at before.
    pub fn begin(&mut self, bodies: usize, first: bool) {
        if first {
            self.bodies.clear();
            self.growth.clear();
        }
        self.growth.resize(bodies, 0.0);
        self.sum.resize(bodies, 0.0);
        self.inverse.resize(bodies, Sym3::ZERO);
        core::mem::swap(&mut self.before, &mut self.bodies);
        self.bodies.clear();
    }

    /// A joint pulls at a body with h² k.
    pub fn add(&mut self, body: u32, pull: Real) {
        if pull > 0.0 {
            let sum = &mut self.sum[body as usize];
            if *sum == 0.0 {
                self.bodies.push(body);
            }
            *sum += pull;
        }
    }

    /// Finds how hard the bodies are to turn, by what has been added up. One pass over the bodies that are pulled at.
    pub fn settle(&mut self, motions: &mut [Motion], free: &mut [Free], masses: &[Mass], first: bool) {
        for &body in self.before.iter().filter(|&&body| self.sum[body as usize] == 0.0) {
            self.growth[body as usize] = 0.0;
        }
        for &body in &self.bodies {
            let i = body as usize;
            let j = motion::inertia_of(&masses[i]);
            let a = growth(&j, core::mem::take(&mut self.sum[i]));
            let before = core::mem::replace(&mut self.growth[i], 0.0);
            let locked = !(j.xx > 0.0 && j.yy > 0.0 && j.zz > 0.0);
            if a == 0.0 || locked {
                continue;
            }
            self.growth[i] = a;
            self.inverse[i] = grown(j, a);
            if !first && a > before {
                let Some(inertia) = j.try_inverse() else { continue };
                let (linear, angular) = motion::velocity_of(&motions[i]);
                let slow = slowed(&inertia, angular, before, a);
                motion::set_velocity(&mut motions[i], linear, slow);
                // No impulse has done that.
                for c in 0..3 {
                    free[i][3 + c] += slow[c] - angular[c];
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// (I + a)⁻¹ of a skew body is what comes out, whatever the pull; without a pull it is the same bits; and energy stays.
    #[test]
    fn inertia_grows_alike_about_all_axes() {
        let inertia = Sym3 { xx: 2.0, yy: 1.0, zz: 3.0, xy: 0.4, xz: -0.3, yz: 0.5 };
        let j = inertia.try_inverse().unwrap();
        let trace = j.xx + j.yy + j.zz;
        assert_eq!((growth(&j, 0.4 / trace), growth(&j, Real::NAN)), (0.0, 0.0));
        assert_eq!(grown(j, 0.0), j);
        let omega = Vec3::new(0.3, -2.0, 0.7);
        let energy = |omega: Vec3, a: Real| omega.dot(inertia * omega) + a * omega.length_squared();
        for pull in [0.6, 3.0, 100.0] {
            let added = (2.0 * pull - 1.0) / trace;
            assert!((growth(&j, pull / trace) / added - 1.0).abs() < 1e-4);
            let slow = slowed(&inertia, omega, 0.1, 0.1 + added);
            assert!((energy(slow, 0.1 + added) / energy(omega, 0.1) - 1.0).abs() < 1e-4);
            assert_eq!(slowed(&inertia, omega, 0.1 + added, 0.1), omega);
            let off = grown(j, added).try_inverse().unwrap() - (inertia + Sym3::diagonal(Vec3::all(added)));
            let size = off.xx.abs() + off.yy.abs() + off.zz.abs() + off.xy.abs() + off.xz.abs() + off.yz.abs();
            assert!(size < 1e-4 * (1.0 + added), "{pull}: off by {size}");
        }
    }
}
