//! An explosion (003-44).
//!
//! ```text
//!   F = s f(r) (x - c)/r,     r = |x - c|
//!
//!   f = 1                   no falloff
//!       max(0, 1 - r/R)     linear
//!       1/(1 + (r/R)²)      inverse square: 1 at the centre, ½ at R, (R/r)² far off
//! ```
//!
//! It pushes at the centres of mass, for as long as the effect lasts: the impulse on a body that hardly moves meanwhile is F T. Bodies do not
//! shield each other. A body whose centre is at c has no direction to go, and stays.

use super::{Affected, check_number, check_point, check_positive};
use crate::error::Result;
use crate::math::spatial::Wrench;
use crate::math::{Num, Point, Real, Vec3};

/// How an [`Explosion`] weakens with the distance.
///
/// ```
/// use tumble::force::{Explosion, Falloff};
/// let bomb = Explosion::new([0.0, 0.0, 0.0], 500.0).falloff(Falloff::Linear { radius: 3.0 });
/// assert_eq!(bomb.falloff, Falloff::Linear { radius: 3.0 });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub enum Falloff {
    /// Not at all.
    #[default]
    None,
    /// Evenly, to nothing at this distance.
    Linear {
        /// R in metres.
        radius: Real,
    },
    /// To a half at this distance, and with its square farther off.
    InverseSquare {
        /// R in metres.
        radius: Real,
    },
}

/// A push away from a point.
///
/// ```
/// use tumble::force::{Explosion, Falloff};
/// use tumble::{BodyDesc, EffectDesc, World};
/// # fn main() -> tumble::Result<()> {
/// let mut world = World::new();
/// let crate_ = world.add_body(BodyDesc::dynamic().position([1.0, 0.0, 0.0]).mass(2.0).gravity_scale(0.0))?;
/// let bomb = Explosion::new([0.0, 0.0, 0.0], 1000.0).falloff(Falloff::InverseSquare { radius: 1.0 });
/// let id = world.add_effect(EffectDesc::explosion(bomb, 0.01))?; // until the time 0.01 s
/// for _ in 0..60 {
///     world.step(1.0 / 60.0)?;
/// }
/// // Half of 1000 N for 10 ms on 2 kg.
/// assert!((world.body(crate_)?.linear_velocity().x - 2.5).abs() < 0.01);
/// assert!(world.effect(id).is_err()); // it has removed itself
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Explosion {
    /// c, in the world.
    pub centre: Point,
    /// s in newtons; negative pulls.
    pub strength: Real,
    /// How it weakens with the distance.
    pub falloff: Falloff,
}

impl Explosion {
    /// A push of this strength at any distance.
    pub fn new(centre: impl Into<Point>, strength: Real) -> Self {
        Self { centre: centre.into(), strength, falloff: Falloff::None }
    }

    /// The same, weaker with the distance.
    pub fn falloff(mut self, falloff: Falloff) -> Self {
        self.falloff = falloff;
        self
    }

    pub(super) fn validate(&self, subject: &str) -> Result<()> {
        check_point(subject, "centre of the explosion", self.centre)?;
        check_number(subject, "strength", self.strength)?;
        match self.falloff {
            Falloff::None => Ok(()),
            Falloff::Linear { radius } | Falloff::InverseSquare { radius } => {
                check_positive(subject, "radius of the falloff", radius)
            }
        }
    }

    pub(super) fn apply(&self, bodies: &mut Affected<'_>) {
        bodies.each(|body| {
            let from = (body.centre - self.centre).to_real();
            let Some(out) = from.try_normalize() else { return Wrench::ZERO };
            let r = from.dot(out);
            let f = match self.falloff {
                Falloff::None => 1.0,
                Falloff::Linear { radius } => Num::max(1.0 - r / radius, 0.0),
                Falloff::InverseSquare { radius } => 1.0 / (1.0 + (r / radius) * (r / radius)),
            };
            Wrench::new(Vec3::ZERO, out * (self.strength * f))
        });
    }
}
