//! Parallel axes: B may go anywhere, but an axis of it stays parallel to one of A. Two rows: C = (y_A·e, z_A·e),
//! J = [0, -t, 0, t] with t = y_A, z_A, and K = τ(t), whose inverse is the effective mass (see `parts`).

use super::super::{Constraint, Frames, Rows};
use super::parts;

/// The axes are the x axes of the frames; against [`World::BODY`](crate::World::BODY) it keeps a body upright.
///
/// ```
/// use tumble::{BodyDesc, JointDesc, World, shape::Shape};
/// # fn main() -> tumble::Result<()> {
/// let mut world = World::new();
/// let torso = world.add_body(BodyDesc::dynamic().collider(Shape::capsule(0.5, 0.2)?))?;
/// let upright = world.add_joint(JointDesc::parallel(World::BODY, torso).axis([0.0, 1.0, 0.0]))?;
/// world.body_mut(torso)?.apply_angular_impulse([5.0, 0.0, 5.0])?;
/// for _ in 0..30 {
///     world.step(1.0 / 60.0)?;
/// }
/// // It falls, but not over.
/// assert!(world.joint(upright)?.tilt() < 0.01);
/// assert!(world.body(torso)?.position().y < -1.0);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Parallel;

impl Constraint for Parallel {
    fn name(&self) -> &str {
        "parallel"
    }

    fn rows(&self, frames: &Frames, out: &mut Rows) {
        parts::parallel(frames, out);
    }
}
