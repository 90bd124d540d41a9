//! Distance joint: rod, rope or spring between two points (003-52).
//!
//! With l = |d| and u = d/l:
//!
//! ```text
//!   l̇ = u·(v_B + ω_B × r_B - v_A - ω_A × r_A)          J = [-u, -(r_A × u), u, r_B × u]
//!   rod     C = l - L = 0          rope    C = L - l >= 0          spring  C = l - L, soft
//! ```
//!
//! The thesis writes the rope as ½(L² - |d|²), whose Jacobian is that of L - l times l: the same constraint in a unit that
//! depends on the length.
//!
//! K = κ(u; r_A, r_B) (see `parts`), and the effective mass its inverse.

use super::super::{Axis, Constraint, Frames, Jacobian, Limit, Motor, Row, Rows, Stiffness};
use crate::math::{Real, Vec3};

/// How far apart two points are: limits make a rod or a rope of it, a position motor a spring.
///
/// ```
/// use tumble::constraint::joint::Distance;
/// use tumble::constraint::Stiffness;
/// let (rod, rope) = (Distance::rod(2.0), Distance::rope(2.0));
/// let bungee = Distance::spring(2.0, Stiffness::spring(100.0, 5.0));
/// # let _ = (rod, rope, bungee);
/// ```
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Distance {
    /// Kept exactly, where given.
    pub length: Option<Real>,
    /// The distance: limits and a motor.
    pub stretch: Axis,
}

impl Distance {
    /// Neither pulled apart nor pushed together.
    pub const fn rod(length: Real) -> Self {
        Self { length: Some(length), stretch: Axis::FREE }
    }

    /// No farther apart than this.
    pub fn rope(length: Real) -> Self {
        Self { length: None, stretch: Axis::FREE.limit(Limit::new(0.0, length)) }
    }

    /// A damped spring of this length at rest.
    pub fn spring(length: Real, stiffness: Stiffness) -> Self {
        Self { length: None, stretch: Axis::FREE.motor(Motor::position(length, stiffness)) }
    }
}

impl Constraint for Distance {
    fn name(&self) -> &str {
        "distance"
    }

    fn rows(&self, frames: &Frames, out: &mut Rows) {
        let gap = frames.gap();
        // Points that coincide have no direction; any one parts them.
        let u = gap.normalize_or(Vec3::Y);
        let jacobian = Jacobian::between(u, frames.a.arm, frames.b.arm);
        let l = u.dot(gap);
        if let Some(length) = self.length {
            out.push(Row::equal(jacobian, l - length));
        }
        let mut stretch = self.stretch.clone();
        if let Some(limit) = &mut stretch.limit
            && limit.low <= 0.0
        {
            // No distance is less than nothing: what passes the anchor is not to be stopped there.
            limit.low = -Real::INFINITY;
        }
        stretch.rows(jacobian, l, frames.time, out);
    }
}

impl Distance {
    pub(super) fn validate(&self, subject: &str) -> crate::Result<()> {
        if let Some(length) = self.length {
            crate::body::desc::check_not_negative(subject, "length", length)?;
        }
        self.stretch.validate(subject)
    }

    /// The distance now.
    pub(super) fn value(frames: &Frames) -> Real {
        frames.gap().length()
    }
}
