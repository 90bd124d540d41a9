//! A uniform field.
//!
//! ```text
//!   F = m a
//! ```
//!
//! The same acceleration for every body, as gravity (003-42), for a set of bodies and a span of time. A body's gravity scale does
//! not count.

use super::{Affected, check_finite};
use crate::error::Result;
use crate::math::spatial::Wrench;
use crate::math::{Float, Real, Vec3};

/// The same acceleration everywhere.
///
/// ```
/// use tumble::force::Uniform;
/// use tumble::{BodyDesc, EffectDesc, World};
/// # fn main() -> tumble::Result<()> {
/// let mut world = World::new();
/// let ball = world.add_body(BodyDesc::dynamic())?;
/// world.add_effect(EffectDesc::new(Uniform::new([0.0, 9.81, 0.0])))?; // the lift falls with everything in it
/// world.step(1.0)?;
/// assert!(world.body(ball)?.position().y.abs() < 1e-6);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Uniform {
    /// Acceleration in m/s².
    pub acceleration: Vec3,
}

impl Uniform {
    /// A field of this acceleration.
    pub fn new(acceleration: impl Into<Vec3>) -> Self {
        Self { acceleration: acceleration.into() }
    }

    pub(super) fn validate(&self, subject: &str) -> Result<()> {
        check_finite(subject, "acceleration", self.acceleration)
    }

    pub(super) fn apply(&self, bodies: &mut Affected<'_>) {
        bodies.each(|body| Wrench::new(Vec3::ZERO, self.acceleration * body.mass));
    }

    /// -m a·x
    pub(super) fn potential(&self, bodies: &Affected<'_>) -> f64 {
        let energy = |mass: Real| mass.to_f64();
        bodies
            .iter()
            .filter(|body| body.has_mass())
            .map(|body| -energy(body.mass) * self.acceleration.to_f64().dot(body.centre))
            .sum()
    }
}
