//! Fixed joint: B stands still as seen from A. Six rows: C = d, C = R_A φ.
//!
//! K, whose inverse is the effective mass (see `parts`): that of a point, and I_A⁻¹ + I_B⁻¹; the blocks between them -[r_A]× I_A⁻¹ - [r_B]× I_B⁻¹.

use super::super::{Constraint, Frames, Rows};
use super::parts;

/// Welds the two frames together.
///
/// ```
/// use tumble::{BodyDesc, JointDesc, World, shape::Shape};
/// # fn main() -> tumble::Result<()> {
/// let mut world = World::new();
/// let shelf = BodyDesc::dynamic().position([0.5, 0.0, 0.0]).mass(2.0).collider(Shape::cuboid(0.5, 0.02, 0.2)?);
/// let shelf = world.add_body(shelf)?;
/// let weld = world.add_joint(JointDesc::fixed(World::BODY, shelf).anchor([0.0, 0.0, 0.0]))?;
/// for _ in 0..60 {
///     world.step(1.0 / 60.0)?;
/// }
/// // It bears the weight of the shelf.
/// assert!((world.joint(weld)?.force().y - 2.0 * 9.81).abs() < 0.1);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Fixed;

impl Constraint for Fixed {
    fn name(&self) -> &str {
        "fixed"
    }

    fn rows(&self, frames: &Frames, out: &mut Rows) {
        parts::coincide(frames, out);
        parts::turned_alike(frames, out);
    }
}
