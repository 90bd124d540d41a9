//! Rack and pinion: a wheel turns as a bar slides.
//!
//! ```text
//!   C = s_B - ρ θ_A                  s: slid along its own x axis, θ: turned about its own x axis, since the joint was made
//!   Ċ = x_B·(v_B + ω_B × r_B) - ρ x_A·ω_A
//! ```
//!
//! A hinge holds the pinion A and a slider the rack B; both are measured in the world.
//!
//! K = 1/m_B + (r_B × x_B)·I_B⁻¹ (r_B × x_B) + ρ² x_A·I_A⁻¹ x_A, and the effective mass its inverse.

use super::super::{Constraint, Frames, Jacobian, Row, Rows, unwound};
use crate::math::{Float, Real, Vec3};

/// A is the pinion, B the rack. ρ is how far the rack moves per radian: the radius of the pinion; its sign says to which side.
///
/// ```
/// use tumble::{BodyDesc, JointDesc, World, constraint::Motor, shape::Shape};
/// # fn main() -> tumble::Result<()> {
/// let mut world = World::new();
/// let pinion = world.add_body(BodyDesc::dynamic().collider(Shape::sphere(0.1)?))?;
/// let rack = BodyDesc::dynamic().position([0.0, -0.2, 0.0]).collider(Shape::cuboid(1.0, 0.05, 0.05)?);
/// let rack = world.add_body(rack)?;
/// let axle = world.add_joint(JointDesc::hinge(World::BODY, pinion).axis([0.0, 0.0, 1.0]))?;
/// world.add_joint(JointDesc::slider(World::BODY, rack).axis([1.0, 0.0, 0.0]))?;
/// world.add_joint(JointDesc::rack(pinion, rack, 0.1).axis_a([0.0, 0.0, 1.0]).axis_b([1.0, 0.0, 0.0]))?;
/// world.joint_mut(axle)?.set_motor(Some(Motor::velocity(2.0)))?;
/// for _ in 0..60 {
///     world.step(1.0 / 60.0)?;
/// }
/// assert!((world.body(rack)?.position().x - 0.2).abs() < 0.02);
/// # Ok(())
/// # }
/// ```
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
