//! Mutual gravitation (003-46).
//!
//! ```text
//!   F_i = Σ_j G m_i m_j r / (r² + ε²)^(3/2),     r = x_j - x_i
//! ```
//!
//! Every pair of the set, so that the cost goes with its square. A body that is asleep attracts, and is not moved until something wakes it;
//! bodies that are not dynamic take no part.

use super::{Affected, check_number, inverse_distance, inverse_square};
use crate::body::desc::check_not_negative;
use crate::error::Result;
use crate::math::spatial::Wrench;
use crate::math::{Float, Real, Vec3};

/// Bodies that attract each other.
///
/// ```
/// use tumble::force::Gravitation;
/// use tumble::{BodyDesc, BodySet, EffectDesc, World};
/// # fn main() -> tumble::Result<()> {
/// let mut world = World::new();
/// world.set_gravity([0.0, 0.0, 0.0])?;
/// let mut star = |x: f64, vz: f32| {
///     let desc = BodyDesc::dynamic().position([x, 0.0, 0.0]).linear_velocity([0.0, 0.0, vz.into()]);
///     world.add_body(desc.mass(100.0).can_sleep(false))
/// };
/// // Two equal masses on a circle of radius 1 about each other: v² = G m / 4.
/// let stars = [star(1.0, 5.0)?, star(-1.0, -5.0)?];
/// assert_eq!(Gravitation::NEWTON, 6.6743e-11);
/// world.add_effect(EffectDesc::new(Gravitation::new(1.0).softening(1e-3)).bodies(BodySet::list(stars)))?;
/// for _ in 0..120 {
///     world.step(1.0 / 120.0)?;
/// }
/// assert!((world.body(stars[0])?.position().length() - 1.0).abs() < 0.01);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gravitation {
    /// G in m³/(kg s²).
    pub constant: Real,
    /// ε in metres.
    pub softening: Real,
}

impl Gravitation {
    /// Newton's constant in m³/(kg s²), CODATA 2018.
    pub const NEWTON: Real = 6.6743e-11;

    /// Gravitation of this constant.
    pub fn new(constant: Real) -> Self {
        Self { constant, softening: 0.0 }
    }

    /// The same, weaker within this distance.
    pub fn softening(mut self, softening: Real) -> Self {
        self.softening = softening;
        self
    }

    pub(super) fn validate(&self, subject: &str) -> Result<()> {
        check_number(subject, "constant of gravitation", self.constant)?;
        check_not_negative(subject, "softening", self.softening)
    }

    pub(super) fn apply(&self, bodies: &mut Affected<'_>) {
        // Each pair once, so that what one feels is what the other does, to the bit.
        let count = bodies.len();
        for i in 0..count {
            let a = bodies.at(i);
            for j in i + 1..count {
                let b = bodies.at(j);
                if !(a.moves || b.moves) || !(a.has_mass() && b.has_mass()) {
                    continue;
                }
                let along = inverse_square((b.centre - a.centre).to_real(), self.softening);
                let pull = along * (self.constant * a.mass * b.mass);
                bodies.add(&a, Wrench::new(Vec3::ZERO, pull));
                bodies.add(&b, Wrench::new(Vec3::ZERO, -pull));
            }
        }
    }

    /// -G m_i m_j / √(r² + ε²) for each pair
    pub(super) fn potential(&self, bodies: &Affected<'_>) -> f64 {
        let mut sum = 0.0;
        for (i, a) in bodies.iter().enumerate() {
            for b in bodies.iter().skip(i + 1).filter(|b| a.has_mass() && b.has_mass()) {
                let well = inverse_distance((b.centre - a.centre).to_real(), self.softening);
                sum -= self.constant.to_f64() * a.mass.to_f64() * b.mass.to_f64() * well;
            }
        }
        sum
    }
}
