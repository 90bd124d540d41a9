//! Universal joint: two shafts whose crossed axes stay at right angles, so that turning about the shaft is handed on.
//!
//! ```text
//!   C = d                            3 rows
//!   C = y_A·z_B = 0                  Ċ = (z_B × y_A)·(ω_B - ω_A)
//!   α about y_A, β about z_B         the freedoms: R_A⁻¹ R_B = R_y(α) R_z(β)
//! ```
//!
//! K, whose inverse is the effective mass (κ and τ: see `parts`): that of a point; τ(z_B × y_A); τ(y_A) and τ(z_B) for the freedoms.

use super::super::{Axis, Constraint, Frames, Jacobian, Row, Rows};
use super::parts;
use crate::math::{Float, Real};

/// The shaft is along the x axes; the cross has its arms along y of A and z of B.
///
/// ```
/// use tumble::{BodyDesc, JointDesc, World, shape::Shape};
/// # fn main() -> tumble::Result<()> {
/// let mut world = World::new();
/// let shaft = BodyDesc::dynamic().position([0.5, 0.0, 0.0]).collider(Shape::cuboid(0.5, 0.05, 0.05)?);
/// let shaft = world.add_body(shaft)?;
/// let cross = world.add_joint(JointDesc::universal(World::BODY, shaft).anchor([0.0, 0.0, 0.0]))?;
/// world.body_mut(shaft)?.apply_angular_impulse([5.0, 0.0, 0.0])?;
/// for _ in 0..10 {
///     world.step(1.0 / 60.0)?;
/// }
/// // It sinks, and does not turn about itself.
/// let [_, about_y, about_z] = world.joint(cross)?.angles().unwrap();
/// assert!(about_y.abs() < 0.01 && about_z < -0.1);
/// assert!(world.joint(cross)?.tilt() < 0.01);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Universal {
    /// Turning about y of A and about z of B, in radians.
    pub bend: [Axis; 2],
}

impl Universal {
    /// α and β.
    pub(super) fn angles(frames: &Frames) -> [Real; 2] {
        let m = frames.relative_rotation().to_mat3();
        // Column z of R_y(α) R_z(β) is (sin α, 0, cos α); row y is (sin β, cos β, 0).
        [Float::atan2(m.z.x, m.z.z), Float::atan2(m.x.y, m.y.y)]
    }
}

impl Constraint for Universal {
    fn name(&self) -> &str {
        "universal"
    }

    fn rows(&self, frames: &Frames, out: &mut Rows) {
        parts::coincide(frames, out);
        let (y, z) = (frames.a.axes().y, frames.b.axes().z);
        out.push(Row::equal(Jacobian::turning(z.cross(y)), y.dot(z)));
        let angles = Self::angles(frames);
        for ((axis, bend), angle) in [y, z].into_iter().zip(&self.bend).zip(angles) {
            bend.rows(Jacobian::turning(axis), angle, frames.time, out);
        }
    }
}
