//! A damped spring between two bodies (003-45).
//!
//! ```text
//!   e   = (p_B - p_A) / |p_B - p_A|            p, u  place and velocity of the ends
//!   F_A = (k (|p_B - p_A| - l) + d (u_B - u_A)·e) e,     F_B = -F_A
//! ```
//!
//! Ends at the same place have no direction, and feel nothing. It is a force and not a constraint: a spring whose period is not much
//! longer than a step wants a joint instead ([`JointDesc::spring`](crate::JointDesc::spring)), which is solved.

use super::{Affected, AffectedBody, check_point};
use crate::body::desc::check_not_negative;
use crate::error::Result;
use crate::math::{Float, Point, Real};

/// A damped spring between two bodies, or a body and the world. The effect acts on a [`BodySet::Pair`](super::BodySet::Pair).
///
/// ```
/// use tumble::force::Spring;
/// use tumble::{BodyDesc, EffectDesc, World};
/// # fn main() -> tumble::Result<()> {
/// let mut world = World::new();
/// let bob = world.add_body(BodyDesc::dynamic().position([0.0, -1.0, 0.0]).mass(1.0))?;
/// let spring = Spring::new(1.0, 100.0).damping(5.0).anchor_a([0.0, 0.0, 0.0]).anchor_b([0.0, 0.0, 0.0]);
/// world.add_effect(EffectDesc::spring(World::BODY, bob, spring))?;
/// for _ in 0..600 {
///     world.step(1.0 / 60.0)?;
/// }
/// let sag = 9.81 / 100.0; // m g / k
/// assert!((world.body(bob)?.position().y + 1.0 + sag).abs() < 1e-3);
/// assert!(world.add_effect(EffectDesc::spring(bob, bob, spring)).is_err());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spring {
    /// Where it is fastened to A and B, in their frames.
    pub anchors: [Point; 2],
    /// l in metres: its length at rest.
    pub length: Real,
    /// k in N/m.
    pub stiffness: Real,
    /// d in N s/m.
    pub damping: Real,
}

impl Spring {
    /// A spring of this length at rest and this stiffness between the origins of two bodies.
    pub fn new(length: Real, stiffness: Real) -> Self {
        Self { anchors: [Point::ZERO; 2], length, stiffness, damping: 0.0 }
    }

    /// The same with a damper.
    pub fn damping(mut self, damping: Real) -> Self {
        self.damping = damping;
        self
    }

    /// Fastened to A here, in A's frame.
    pub fn anchor_a(mut self, point: impl Into<Point>) -> Self {
        self.anchors[0] = point.into();
        self
    }

    /// Fastened to B here, in B's frame.
    pub fn anchor_b(mut self, point: impl Into<Point>) -> Self {
        self.anchors[1] = point.into();
        self
    }

    pub(super) fn validate(&self, subject: &str) -> Result<()> {
        check_point(subject, "anchor on A", self.anchors[0])?;
        check_point(subject, "anchor on B", self.anchors[1])?;
        check_not_negative(subject, "length of the spring", self.length)?;
        check_not_negative(subject, "stiffness", self.stiffness)?;
        check_not_negative(subject, "damping", self.damping)
    }

    /// From the end on A to the end on B.
    fn stretch(&self, [a, b]: &[AffectedBody; 2]) -> Point {
        (b.centre - a.centre) + (b.arm(self.anchors[1]) - a.arm(self.anchors[0]))
    }

    pub(super) fn apply(&self, bodies: &mut Affected<'_>) {
        let Some(pair) = bodies.pair() else { return };
        let between = self.stretch(&pair).to_real();
        let Some(e) = between.try_normalize() else { return };
        let [a, b] = pair;
        let (p, q) = (a.to_world(self.anchors[0]), b.to_world(self.anchors[1]));
        let rate = (b.velocity_at(q) - a.velocity_at(p)).dot(e);
        let pull = e * (self.stiffness * (between.dot(e) - self.length) + self.damping * rate);
        bodies.add(&a, a.push_at(pull, p));
        bodies.add(&b, b.push_at(-pull, q));
    }

    /// ½ k (|p_B - p_A| - l)²
    pub(super) fn potential(&self, bodies: &Affected<'_>) -> f64 {
        let Some(pair) = bodies.pair() else { return 0.0 };
        let stretch = self.stretch(&pair).length() - self.length.to_f64();
        0.5 * self.stiffness.to_f64() * stretch * stretch
    }
}
