//! Planar joint: B moves in a plane of A and turns about its normal.
//!
//! ```text
//!   C = x_A·d                        1 row: in the plane
//!   C = (y_A·e, z_A·e)               2 rows: normals parallel
//!   y_A·d, z_A·d, θ                  the freedoms
//! ```
//!
//! K, whose inverse is the effective mass (κ and τ: see `parts`): κ(t; r_A + d, r_B) along x_A, y_A and z_A; τ about y_A, z_A and x.

use super::super::{Axis, Constraint, Frames, Row, Rows};
use super::parts;

/// The normal of the plane is the x axis of both frames.
///
/// ```
/// use tumble::{BodyDesc, JointDesc, World, shape::Shape};
/// # fn main() -> tumble::Result<()> {
/// let mut world = World::new();
/// let puck = BodyDesc::dynamic().linear_velocity([1.0, 0.0, 0.0]).collider(Shape::cylinder(0.02, 0.1)?);
/// let puck = world.add_body(puck)?;
/// world.add_joint(JointDesc::planar(World::BODY, puck).axis([0.0, 1.0, 0.0]))?;
/// for _ in 0..60 {
///     world.step(1.0 / 60.0)?;
/// }
/// // It glides and does not fall.
/// assert!(world.body(puck)?.position().x > 0.9);
/// assert!(world.body(puck)?.position().y.abs() < 0.01);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Planar {
    /// Sliding along y and z of A, in metres.
    pub slide: [Axis; 2],
    /// Turning about the normal, in radians, counted over many turns.
    pub turn: Axis,
}

impl Constraint for Planar {
    fn name(&self) -> &str {
        "planar"
    }

    fn rows(&self, frames: &Frames, out: &mut Rows) {
        let (a, gap) = (frames.a.axes(), frames.gap());
        out.push(Row::equal(parts::along(frames, a.x), a.x.dot(gap)));
        parts::parallel(frames, out);
        for (t, slide) in [a.y, a.z].into_iter().zip(&self.slide) {
            slide.rows(parts::along(frames, t), t.dot(gap), frames.time, out);
        }
        self.turn.rows(parts::twisting(frames), parts::counted_twist(frames), frames.time, out);
    }

    fn remember(&self, frames: &Frames) -> [f64; 4] {
        super::remember_twist(frames)
    }
}
