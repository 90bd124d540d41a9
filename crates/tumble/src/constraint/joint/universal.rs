//! Universal joint: two shafts whose crossed axes stay at right angles, so that turning about the shaft is handed on.
//!
//! ```text
//!   C = d                            3 rows
//!   C = y_A·z_B = 0                  Ċ = (z_B × y_A)·(ω_B - ω_A)
//!   α about y_A, β about z_B         the freedoms: R_A⁻¹ R_B = R_y(α) R_z(β)
//! ```

use super::super::{Axis, Constraint, Frames, Jacobian, Row, Rows};
use super::parts;
use crate::math::{Float, Real};

/// The shaft is along the x axes; the cross has its arms along y of A and z of B.
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
