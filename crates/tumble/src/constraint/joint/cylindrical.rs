//! Cylindrical joint: B slides along an axis of A and turns about it.
//!
//! ```text
//!   C = (y_A·d, z_A·d)               2 rows: on the axis
//!   C = (y_A·e, z_A·e)               2 rows: axes parallel
//!   s = x_A·d, θ: twist about x      the freedoms
//! ```
//!
//! K, whose inverse is the effective mass (κ and τ: see `parts`): κ(t; r_A + d, r_B) along y_A, z_A and x_A; τ about y_A, z_A and x.

use super::super::{Axis, Constraint, Frames, Rows};
use super::parts;

/// The axis is the x axis of both frames.
///
/// ```
/// use tumble::{BodyDesc, JointDesc, World, shape::Shape};
/// # fn main() -> tumble::Result<()> {
/// let mut world = World::new();
/// let ring = BodyDesc::dynamic().angular_velocity([0.0, 3.0, 0.0]).collider(Shape::cylinder(0.1, 0.3)?);
/// let ring = world.add_body(ring)?;
/// let pole = world.add_joint(JointDesc::cylindrical(World::BODY, ring).axis([0.0, 1.0, 0.0]))?;
/// for _ in 0..30 {
///     world.step(1.0 / 60.0)?;
/// }
/// // It falls along the pole and turns about it.
/// assert!(world.joint(pole)?.value().unwrap() < -1.0);
/// assert!(world.joint(pole)?.angles().unwrap()[0] > 1.0);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Cylindrical {
    /// Sliding along the axis, in metres.
    pub slide: Axis,
    /// Turning about the axis, in radians, counted over many turns.
    pub turn: Axis,
}

impl Constraint for Cylindrical {
    fn name(&self) -> &str {
        "cylindrical"
    }

    fn rows(&self, frames: &Frames, out: &mut Rows) {
        parts::on_axis(frames, out);
        parts::parallel(frames, out);
        let x = frames.a.axes().x;
        self.slide.rows(parts::along(frames, x), x.dot(frames.gap()), frames.time, out);
        self.turn.rows(parts::twisting(frames), parts::counted_twist(frames), frames.time, out);
    }

    fn remember(&self, frames: &Frames) -> [f64; 4] {
        super::remember_twist(frames)
    }
}
