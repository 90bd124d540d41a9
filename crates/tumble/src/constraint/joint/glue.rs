//! Glue: three ball joints at once (003-S4), as fixed joints were made before there were any.
//!
//! ```text
//!   C_i = (p_B + R_B t_i) - (p_A + R_A t_i)      i = 1, 2, 3: nine rows for six freedoms
//! ```
//!
//! Three of the rows are redundant; it is here because a solver must bear that (003-63).
//!
//! J = [-n, -((r_A + R_A t_i) × n), n, (r_B + R_B t_i) × n] along the axes n of the world; K is 9 x 9 and of rank 6, its diagonal
//! κ(n; r_A + R_A t_i, r_B + R_B t_i) (see `parts`).

use super::super::{Constraint, Frames, Jacobian, Row, Rows};
use crate::error::Error;
use crate::math::Vec3;

/// Three points in the common frame, which must not be in one line.
///
/// ```
/// use tumble::{BodyDesc, JointDesc, World, math::Vec3, shape::Shape};
/// # fn main() -> tumble::Result<()> {
/// let mut world = World::new();
/// let tile = world.add_body(BodyDesc::dynamic().collider(Shape::cuboid(0.5, 0.5, 0.05)?))?;
/// let corners = [Vec3::ZERO, Vec3::X * 0.2, Vec3::Y * 0.2];
/// let glue = world.add_joint(JointDesc::glue(World::BODY, tile, corners))?;
/// for _ in 0..30 {
///     world.step(1.0 / 60.0)?;
/// }
/// assert!(world.joint(glue)?.gap() < 0.01);
/// // Points in a line hold no turn about it.
/// assert!(world.add_joint(JointDesc::glue(World::BODY, tile, corners.map(|p| Vec3::X * p.x))).is_err());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Glue {
    /// The points.
    pub points: [Vec3; 3],
}

impl Glue {
    pub(super) fn validate(&self, subject: &str) -> crate::Result<()> {
        let [a, b, c] = self.points;
        let sides = (b - a, c - a);
        let spanned = sides.0.try_normalize().zip(sides.1.try_normalize()).map(|(u, v)| u.cross(v).length());
        if spanned.is_some_and(|s| s > 1e-3) && a.is_finite() {
            return Ok(());
        }
        let points = self.points.map(Vec3::to_array);
        Err(Error::value(subject, "points of the glue", "a triangle", format_args!("{points:?}")))
    }
}

impl Constraint for Glue {
    fn name(&self) -> &str {
        "glue"
    }

    fn rows(&self, frames: &Frames, out: &mut Rows) {
        let gap = frames.gap();
        for point in self.points {
            let (a, b) = (frames.a.rotation.rotate(point), frames.b.rotation.rotate(point));
            let error = gap + b - a;
            for (axis, error) in [Vec3::X, Vec3::Y, Vec3::Z].into_iter().zip(error.to_array()) {
                out.push(Row::equal(Jacobian::between(axis, frames.a.arm + a, frames.b.arm + b), error));
            }
        }
    }
}
