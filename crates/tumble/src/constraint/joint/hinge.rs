//! Hinge: a ball joint whose bodies turn about one axis only (003-50).
//!
//! ```text
//!   C = d                            3 rows: one point in common
//!   C = (y_A·e, z_A·e)               2 rows: x_A and x_B parallel, e the turn between them
//!   θ: twist of B about x            the freedom: limit and motor
//! ```
//!
//! K, whose inverse is the effective mass (κ and τ: see `parts`): that of a point for the first three, τ(y_A) and τ(z_A) for the turns; the
//! freedom has τ(x), or what is left of it while the five rows hold: the inertia about the hinge, not about the centre of mass.

use super::super::{Axis, Constraint, Frames, Rows};
use super::parts;

/// The axis is the x axis of both frames. The angle is that of B as seen from A, counted over many turns.
///
/// ```
/// use tumble::constraint::{Motor, joint::Hinge};
/// use tumble::{BodyDesc, JointDesc, World, shape::Shape};
/// # fn main() -> tumble::Result<()> {
/// let mut world = World::new();
/// let fan = world.add_body(BodyDesc::dynamic().collider(Shape::cuboid(0.5, 0.1, 0.1)?))?;
/// let hinge = JointDesc::new(World::BODY, fan, Hinge::driven(Motor::velocity(10.0))).axis([0.0, 1.0, 0.0]);
/// let hinge = world.add_joint(hinge)?;
/// for _ in 0..60 {
///     world.step(1.0 / 60.0)?;
/// }
/// // More than one turn, and still counting.
/// assert!((world.joint(hinge)?.value().unwrap() - 10.0).abs() < 0.5);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Hinge {
    /// Turning about the axis, in radians.
    pub turn: Axis,
}

impl Constraint for Hinge {
    fn name(&self) -> &str {
        "hinge"
    }

    fn rows(&self, frames: &Frames, out: &mut Rows) {
        parts::coincide(frames, out);
        parts::parallel(frames, out);
        if self.turn != Axis::FREE {
            self.turn.rows(parts::twisting(frames), parts::counted_twist(frames), frames.time, out);
        }
    }

    fn remember(&self, frames: &Frames) -> [f64; 4] {
        super::remember_twist(frames)
    }
}
