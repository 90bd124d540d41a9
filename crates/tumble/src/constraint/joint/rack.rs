//! Rack and pinion: a wheel turns as a bar slides.
//!
//! ```text
//!   C = s_B - ρ θ_A                  s: slid along its own x axis, θ: turned about its own x axis, since the joint was made
//!   Ċ = x_B·(v_B + ω_B × r_B) - ρ x_A·ω_A
//! ```
//!
//! A hinge holds the pinion A and a slider the rack B; both are measured in the world.

use super::super::{Constraint, Frames, Jacobian, Row, Rows, unwound};
use crate::math::{Float, Real, Vec3};

/// A is the pinion, B the rack. ρ is how far the rack moves per radian: the radius of the pinion; its sign says to which side.
#[derive(Clone, Debug, PartialEq)]
pub struct Rack {
    /// ρ in metres per radian.
    pub travel: Real,
}

impl Constraint for Rack {
    fn name(&self) -> &str {
        "rack"
    }

    fn rows(&self, frames: &Frames, out: &mut Rows) {
        let (a, b) = (frames.a.axes().x, frames.b.axes().x);
        let jacobian = Jacobian {
            linear_a: Vec3::ZERO,
            angular_a: a * -self.travel,
            linear_b: b,
            angular_b: frames.b.arm.cross(b),
        };
        let slid = b.dot((frames.b.position - frames.b.rest.translation).to_real());
        let turned = unwound(frames.a.turned(), frames.memory[0]);
        out.push(Row::equal(jacobian, Real::from_f64(slid.to_f64() - self.travel.to_f64() * turned)));
    }

    fn remember(&self, frames: &Frames) -> [f64; 4] {
        [unwound(frames.a.turned(), frames.memory[0]), 0.0, 0.0, 0.0]
    }
}
