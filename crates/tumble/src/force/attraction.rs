//! Attraction by a point.
//!
//! ```text
//!   F = -m μ r / (r² + ε²)^(3/2),     r = x - c,   μ = G M
//! ```
//!
//! The softening ε is the size of what attracts: outside it the pull is that of a point, within it weakens to nothing at the centre
//! (Plummer's sphere).

use super::{Affected, check_number, check_point, inverse_distance, inverse_square};
use crate::body::desc::check_not_negative;
use crate::error::Result;
use crate::math::spatial::Wrench;
use crate::math::{Float, Point, Real, Vec3};

/// A pull towards a point, with the inverse square of the distance.
///
/// ```
/// use tumble::force::Attraction;
/// use tumble::{BodyDesc, EffectDesc, World};
/// # fn main() -> tumble::Result<()> {
/// let mut world = World::new();
/// world.set_gravity([0.0, 0.0, 0.0])?;
/// // On a circle of radius 10 about a sun with μ = 1000: v² = μ/r.
/// let planet = world.add_body(BodyDesc::dynamic().position([10.0, 0.0, 0.0]).linear_velocity([0.0, 0.0, 10.0]))?;
/// world.add_effect(EffectDesc::new(Attraction::new([0.0, 0.0, 0.0], 1000.0).softening(0.01)))?;
/// for _ in 0..600 {
///     world.step(1.0 / 60.0)?;
/// }
/// assert!((world.body(planet)?.position().length() - 10.0).abs() < 0.01);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attraction {
    /// c, in the world.
    pub centre: Point,
    /// μ in m³/s²; negative repels.
    pub strength: Real,
    /// ε in metres.
    pub softening: Real,
}

impl Attraction {
    /// A pull of μ/r² towards this point.
    pub fn new(centre: impl Into<Point>, strength: Real) -> Self {
        Self { centre: centre.into(), strength, softening: 0.0 }
    }

    /// The same, weaker within this distance.
    pub fn softening(mut self, softening: Real) -> Self {
        self.softening = softening;
        self
    }

    pub(super) fn validate(&self, subject: &str) -> Result<()> {
        check_point(subject, "centre of attraction", self.centre)?;
        check_number(subject, "strength", self.strength)?;
        check_not_negative(subject, "softening", self.softening)
    }

    pub(super) fn apply(&self, bodies: &mut Affected<'_>) {
        bodies.each(|body| {
            let pull = inverse_square((self.centre - body.centre).to_real(), self.softening);
            Wrench::new(Vec3::ZERO, pull * (self.strength * body.mass))
        });
    }

    /// -m μ / √(r² + ε²)
    pub(super) fn potential(&self, bodies: &Affected<'_>) -> f64 {
        let well = |at: Point| inverse_distance((self.centre - at).to_real(), self.softening);
        bodies
            .iter()
            .filter(|body| body.has_mass())
            .map(|body| -self.strength.to_f64() * body.mass.to_f64() * well(body.centre))
            .sum()
    }
}
