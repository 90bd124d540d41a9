//! Screw: a cylindrical joint that moves by its pitch with each turn.
//!
//! ```text
//!   C = (y_A·d, z_A·d), C = (y_A·e, z_A·e)      4 rows: as a cylindrical joint
//!   C = x_A·d - (P/2π) θ                        θ: twist, counted over many turns
//! ```
//!
//! K, whose inverse is the effective mass (κ and τ: see `parts`): as a cylindrical joint; of the thread κ(x_A; r_A + d, r_B) + (P/2π)² τ(x), less
//! twice P/2π times what the slide turns, (r_A + d) × x·I_A⁻¹ x + r_B × x·I_B⁻¹ x, which is 0 on the axis through the centres.

use super::super::{Axis, Constraint, Frames, Jacobian, Row, Rows};
use super::parts;
use crate::math::{Float, Real};

/// The axis is the x axis of both frames.
///
/// ```
/// use tumble::{BodyDesc, JointDesc, World, constraint::Motor, shape::Shape};
/// # fn main() -> tumble::Result<()> {
/// let mut world = World::new();
/// let jack = world.add_body(BodyDesc::dynamic().collider(Shape::cuboid(0.2, 0.1, 0.2)?))?;
/// let pitch = 0.1;
/// let screw = world.add_joint(JointDesc::screw(World::BODY, jack, pitch).axis([0.0, 1.0, 0.0]))?;
/// world.joint_mut(screw)?.set_motor(Some(Motor::velocity(10.0)))?;
/// for _ in 0..60 {
///     world.step(1.0 / 60.0)?;
/// }
/// // It has risen by the pitch with each turn.
/// let turns = world.joint(screw)?.value().unwrap() / 6.2832;
/// assert!(turns > 1.5);
/// assert!((world.joint(screw)?.frames().gap().y - pitch * turns).abs() < 1e-2);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Screw {
    /// P: how far B moves along the axis per turn, in metres; negative for a left-handed thread.
    pub pitch: Real,
    /// Turning about the axis, in radians.
    pub turn: Axis,
}

impl Constraint for Screw {
    fn name(&self) -> &str {
        "screw"
    }

    fn rows(&self, frames: &Frames, out: &mut Rows) {
        parts::on_axis(frames, out);
        parts::parallel(frames, out);
        let x = frames.a.axes().x;
        let (slide, twist) = (parts::along(frames, x), parts::twisting(frames));
        let (per_radian, angle) = (self.pitch / (2.0 * Real::PI), parts::counted_twist(frames));
        let jacobian = Jacobian {
            angular_a: slide.angular_a - twist.angular_a * per_radian,
            angular_b: slide.angular_b - twist.angular_b * per_radian,
            ..slide
        };
        out.push(Row::equal(jacobian, x.dot(frames.gap()) - per_radian * angle));
        self.turn.rows(twist, angle, frames.time, out);
    }

    fn remember(&self, frames: &Frames) -> [f64; 4] {
        super::remember_twist(frames)
    }
}
