//! Gear: the turns of two bodies about their own axes are in a fixed ratio.
//!
//! ```text
//!   C = θ_A + ρ θ_B                  θ: turned about the body's x axis since the joint was made, counted over many turns
//!   Ċ = x_A·ω_A + ρ x_B·ω_B          J = [0, x_A, 0, ρ x_B]
//! ```
//!
//! The wheels are held by hinges of their own. Their turns are measured in the world: a gear on a carrier that itself
//! turns about another axis is outside of what it means.
//!
//! K = x_A·I_A⁻¹ x_A + ρ² x_B·I_B⁻¹ x_B, and the effective mass its inverse: the inertia of B counts as I_B/ρ² on A's side.

use super::super::{Constraint, Frames, Jacobian, Row, Rows, unwound};
use crate::math::{Float, Real, Vec3};

/// Wheels that mesh turn against each other: ρ > 0 is the radius (or number of teeth) of B over that of A. Negative for an
/// internal gear or a belt.
///
/// ```
/// use tumble::{BodyDesc, JointDesc, World, constraint::Motor, shape::Shape};
/// # fn main() -> tumble::Result<()> {
/// let mut world = World::new();
/// let disc = |x: f64| -> tumble::Result<BodyDesc> {
///     Ok(BodyDesc::dynamic().position([x, 0.0, 0.0]).collider(Shape::sphere(0.1)?))
/// };
/// let (small, large) = (world.add_body(disc(0.0)?)?, world.add_body(disc(0.3)?)?);
/// let axle = world.add_joint(JointDesc::hinge(World::BODY, small).axis([0.0, 0.0, 1.0]))?;
/// world.add_joint(JointDesc::hinge(World::BODY, large).axis([0.0, 0.0, 1.0]))?;
/// world.add_joint(JointDesc::gear(small, large, 2.0).axis([0.0, 0.0, 1.0]))?;
/// world.joint_mut(axle)?.set_motor(Some(Motor::velocity(4.0)))?;
/// for _ in 0..30 {
///     world.step(1.0 / 60.0)?;
/// }
/// // Half as fast, the other way round.
/// assert!((world.body(large)?.angular_velocity().z + 2.0).abs() < 0.05);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Gear {
    /// ρ
    pub ratio: Real,
}

impl Constraint for Gear {
    fn name(&self) -> &str {
        "gear"
    }

    fn rows(&self, frames: &Frames, out: &mut Rows) {
        let jacobian = Jacobian {
            angular_a: frames.a.axes().x,
            angular_b: frames.b.axes().x * self.ratio,
            linear_a: Vec3::ZERO,
            linear_b: Vec3::ZERO,
        };
        // In double precision: the difference of a thousand turns is a matter of seconds of arc.
        let (a, b) = turns(frames);
        out.push(Row::equal(jacobian, Real::from_f64(a + self.ratio.to_f64() * b)));
    }

    fn remember(&self, frames: &Frames) -> [f64; 4] {
        let (a, b) = turns(frames);
        [a, b, 0.0, 0.0]
    }
}

/// θ of A and B.
fn turns(frames: &Frames) -> (f64, f64) {
    (unwound(frames.a.turned(), frames.memory[0]), unwound(frames.b.turned(), frames.memory[1]))
}
