//! Slider: B moves along one axis of A and does not turn against it.
//!
//! ```text
//!   C = (y_A·d, z_A·d)               2 rows: on the axis
//!   C = R_A φ                        3 rows: turned alike
//!   s = x_A·d                        the freedom: limit and motor
//! ```
//!
//! K, whose inverse is the effective mass (κ and τ: see `parts`): κ(y_A; r_A + d, r_B), κ(z_A; r_A + d, r_B); I_A⁻¹ + I_B⁻¹ for the turns;
//! κ(x_A; r_A + d, r_B) for the freedom; 1/m_A + 1/m_B while the others hold, if the centres are on a line along x or A does not turn.

use super::super::{Axis, Constraint, Frames, Rows};
use super::parts;

/// The axis is the x axis of A's frame.
///
/// ```
/// use tumble::constraint::{Motor, joint::Slider};
/// use tumble::{BodyDesc, JointDesc, World, shape::Shape};
/// # fn main() -> tumble::Result<()> {
/// let mut world = World::new();
/// let lift = world.add_body(BodyDesc::dynamic().collider(Shape::cuboid(1.0, 0.1, 1.0)?))?;
/// let rail = world.add_joint(JointDesc::slider(World::BODY, lift).axis([0.0, 1.0, 0.0]))?;
/// world.joint_mut(rail)?.set_kind(Slider::driven(Motor::velocity(0.5)))?;
/// for _ in 0..60 {
///     world.step(1.0 / 60.0)?;
/// }
/// assert!((world.joint(rail)?.value().unwrap() - 0.5).abs() < 0.02);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Slider {
    /// Sliding along the axis, in metres.
    pub slide: Axis,
}

impl Constraint for Slider {
    fn name(&self) -> &str {
        "slider"
    }

    fn rows(&self, frames: &Frames, out: &mut Rows) {
        parts::on_axis(frames, out);
        parts::turned_alike(frames, out);
        let x = frames.a.axes().x;
        self.slide.rows(parts::along(frames, x), x.dot(frames.gap()), frames.time, out);
    }
}
