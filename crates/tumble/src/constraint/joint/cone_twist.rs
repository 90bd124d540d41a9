//! Cone and twist: a ball joint with limits, as in a shoulder.
//!
//! ```text
//!   C = d                                       3 rows
//!   C = γ - ∠(x_A, x_B) >= 0                    Ċ = -n·(ω_B - ω_A),  n = x_A × x_B / |x_A × x_B|
//!   twist between its limits                    see `parts::twisting`
//! ```
//!
//! K, whose inverse is the effective mass (κ and τ: see `parts`): that of a point; τ(n); for the twist τ of its axis.

use super::super::{Constraint, Frames, Jacobian, Limit, Row, Rows, Stiffness};
use super::ball::Orientation;
use super::parts;
use crate::error::Error;
use crate::math::{Float, Real};

/// The x axis of B stays within a cone about the x axis of A, and the twist about it within a range.
///
/// ```
/// use tumble::{BodyDesc, JointDesc, World, shape::Shape};
/// # fn main() -> tumble::Result<()> {
/// let mut world = World::new();
/// let arm = BodyDesc::dynamic().position([0.3, 0.0, 0.0]).collider(Shape::cuboid(0.3, 0.05, 0.05)?);
/// let arm = world.add_body(arm)?;
/// let shoulder = world.add_joint(JointDesc::cone_twist(World::BODY, arm, 0.6, 0.2).anchor([0.0, 0.0, 0.0]))?;
/// for _ in 0..120 {
///     world.step(1.0 / 60.0)?;
/// }
/// // It has come to rest on the rim.
/// assert!((world.joint(shoulder)?.value().unwrap() - 0.6).abs() < 0.05);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ConeTwist {
    /// Half of the opening angle of the cone, in radians.
    pub cone: Real,
    /// How hard the rim of the cone is.
    pub cone_stiffness: Stiffness,
    /// Share of the speed with which it bounces back from the rim.
    pub cone_restitution: Real,
    /// Range of the twist, in radians.
    pub twist: Option<Limit>,
    /// Pulls B to an orientation relative to A, or resists turning.
    pub motor: Option<Orientation>,
}

impl ConeTwist {
    /// A cone of this half angle and twist to either side by the other.
    pub fn new(cone: Real, twist: Real) -> Self {
        Self {
            cone,
            cone_stiffness: Stiffness::Method,
            cone_restitution: 0.0,
            twist: Some(Limit::new(-twist, twist)),
            motor: None,
        }
    }

    /// The angle between the x axes.
    pub(super) fn swing(frames: &Frames) -> Real {
        let (a, b) = (frames.a.axes().x, frames.b.axes().x);
        Float::atan2(a.cross(b).length(), a.dot(b))
    }

    pub(super) fn validate(&self, subject: &str) -> crate::Result<()> {
        if !(self.cone >= 0.0 && self.cone <= Real::PI) {
            return Err(Error::value(subject, "cone", "between 0 and pi", self.cone));
        }
        Limit::new(0.0, 0.0).restitution(self.cone_restitution).stiffness(self.cone_stiffness).validate(subject)?;
        if let Some(twist) = &self.twist {
            twist.validate(subject)?;
        }
        self.motor.as_ref().map_or(Ok(()), |m| m.validate(subject))
    }
}

impl Constraint for ConeTwist {
    fn name(&self) -> &str {
        "cone-twist"
    }

    fn rows(&self, frames: &Frames, out: &mut Rows) {
        parts::coincide(frames, out);
        let (a, b) = (frames.a.axes(), frames.b.axes().x);
        // On the axis of the cone there is no way to the rim; any direction is as good.
        let n = a.x.cross(b).normalize_or(a.y);
        let rim = Row {
            stiffness: self.cone_stiffness,
            restitution: self.cone_restitution,
            ..Row::push(Jacobian::turning(-n), self.cone - Self::swing(frames))
        };
        // A cone of all directions has no rim.
        out.push(if self.cone < Real::PI { rim } else { Row::IDLE });
        if let Some(twist) = &self.twist {
            twist.rows(parts::twisting(frames), frames.twist(), out);
        }
        if let Some(motor) = &self.motor {
            motor.rows(frames, out);
        }
    }
}
