//! Force effects: forces that act on sets of bodies until they are changed.
//!
//! An effect is data: what it does ([`EffectKind`], one file per kind with its equation), to whom ([`BodySet`]), and when. Effects are
//! evaluated once per step on whole sets, before anything is solved, and what they say about a body is added to its loads in every
//! method; the force and torque that a user has set on a body stay apart.
//!
//! **Where they are evaluated.** Under `soft-step` at x + ½ dt v, half of the way along. A body in free flight then makes a step of the
//! leapfrog (drift, kick, drift),
//!
//! ```text
//!   v' = v + dt a(x + ½ dt v),     x' = x + ½ dt (v + v')
//! ```
//!
//! which is of second order and keeps the energy of springs and orbits within bounds. With a at x it would gain ½ (ω dt)² of it in every step.
//! (A body that constraints act on moves in n sub-steps by c dt² a, c = (n + 1)/2n; its oscillations lose (c - ½) (ω dt)² per step.)
//! The explicit step evaluates at x, as its integrators are written: with semi-implicit Euler that is bounded too.
//!
//! **Change stamp.** Every change of an effect (added, edited, begun, ended, made active or not, a body that comes or goes) raises its
//! stamp and wakes the bodies on which its force has changed, in that moment. So no step asks effects about sleepers, and a world
//! that sleeps under constant effects costs nothing.

mod affected;
mod attraction;
mod buoyancy;
mod desc;
mod drag;
mod explosion;
mod gravitation;
mod record;
mod set;
mod spring;
pub(crate) mod store;
mod submerged;
mod uniform;
mod view;

pub use affected::{Affected, AffectedBody};
pub use attraction::Attraction;
pub use buoyancy::Buoyancy;
pub use desc::EffectDesc;
pub use drag::Drag;
pub use explosion::{Explosion, Falloff};
pub use gravitation::Gravitation;
pub use set::BodySet;
pub use spring::Spring;
pub use uniform::Uniform;
pub use view::{EffectMut, EffectRef};

pub(crate) use affected::Moment;
pub(crate) use desc::check_window;
pub(crate) use record::Registry;

use crate::error::{Error, Result};
use crate::math::spatial::Wrench;
use crate::math::{Float, Point, Real, Vec3};
use crate::world::State;
use core::fmt::Debug;
use std::sync::Arc;

/// A force effect written outside the engine.
///
/// ```
/// use tumble::force::{Affected, ForceEffect};
/// use tumble::math::{Vec3, spatial::Wrench};
/// use tumble::{BodyDesc, BodySet, EffectDesc, World};
/// use std::sync::Arc;
///
/// /// A whirl about the y-axis: F = m s (-z, 0, x).
/// #[derive(Debug)]
/// struct Whirl {
///     strength: f64,
/// }
///
/// impl ForceEffect for Whirl {
///     fn name(&self) -> &str {
///         "whirl"
///     }
///     fn apply(&self, bodies: &mut Affected<'_>) {
///         bodies.each(|body| {
///             let a = Vec3::new(-body.centre.z, 0.0, body.centre.x) * self.strength;
///             Wrench::new(Vec3::ZERO, a.to_real() * body.mass)
///         });
///     }
///     fn save(&self) -> Vec<u8> {
///         self.strength.to_le_bytes().to_vec()
///     }
///     fn load(&self, bytes: &[u8]) -> Option<Arc<dyn ForceEffect>> {
///         let strength = f64::from_le_bytes(bytes.try_into().ok()?);
///         Some(Arc::new(Whirl { strength }))
///     }
/// }
///
/// # fn main() -> tumble::Result<()> {
/// let mut world = World::new();
/// let leaf = world.add_body(BodyDesc::dynamic().position([1.0, 0.0, 0.0]))?;
/// world.add_effect(EffectDesc::custom(Arc::new(Whirl { strength: 4.0 })))?;
/// world.step(0.25)?;
/// assert_eq!(world.body(leaf)?.linear_velocity().z, 1.0);
///
/// // Restored where effects of this name are known, and refused elsewhere.
/// let saved = world.snapshot()?;
/// assert!(World::from_snapshot(&saved).is_err());
/// let mut other = World::new();
/// other.register_effect(Arc::new(Whirl { strength: 0.0 }));
/// other.restore(&saved)?;
/// assert_eq!(other.hash(), world.hash());
/// # Ok(())
/// # }
/// ```
pub trait ForceEffect: Debug + Send + Sync {
    /// The name under which it is found again in snapshots.
    fn name(&self) -> &str;

    /// Adds its forces to those of the bodies of its set. It is called once in a step or more often, wherever the method needs the
    /// forces anew; so that a run can be repeated to the bit, the answer must depend on nothing but `self` and `bodies`.
    fn apply(&self, bodies: &mut Affected<'_>);

    /// What a body of the set feels depends on the others of the set. Then [`Affected::iter`] shows those that are asleep too,
    /// and all of the set wake when one comes or goes.
    fn is_mutual(&self) -> bool {
        false
    }

    /// The force may change after this time though no body moves, so that its bodies must not fall asleep.
    ///
    /// ```
    /// use tumble::force::{Affected, ForceEffect};
    /// #[derive(Debug)]
    /// struct Blast { end: f64 }
    /// impl ForceEffect for Blast {
    ///     fn name(&self) -> &str {
    ///         "blast"
    ///     }
    ///     fn apply(&self, _: &mut Affected<'_>) {}
    ///     fn changes_after(&self, time: f64) -> bool {
    ///         time < self.end
    ///     }
    /// }
    /// assert!(Blast { end: 2.0 }.changes_after(1.0));
    /// ```
    fn changes_after(&self, time: f64) -> bool {
        let _ = time;
        false
    }

    /// What [`ForceEffect::load`] needs to make it again.
    fn save(&self) -> Vec<u8> {
        Vec::new()
    }

    /// The effect of this name that was saved as these bytes. `None` where they make none, and where effects of this name are
    /// not restored.
    fn load(&self, bytes: &[u8]) -> Option<Arc<dyn ForceEffect>> {
        let _ = bytes;
        None
    }
}

/// What an effect does.
///
/// ```
/// use tumble::force::{Drag, EffectKind};
/// use tumble::{EffectDesc, World};
/// # fn main() -> tumble::Result<()> {
/// let mut world = World::new();
/// let air = world.add_effect(EffectDesc::new(Drag::linear(0.1)))?;
/// assert_eq!(world.effect(air)?.kind(), &EffectKind::from(Drag::linear(0.1)));
/// assert_eq!(world.effect(air)?.kind().name(), "drag");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum EffectKind {
    /// The same acceleration everywhere.
    Uniform(Uniform),
    /// Air or water that slows down, and wind.
    Drag(Drag),
    /// A damped spring between two bodies.
    Spring(Spring),
    /// A push away from a point.
    Explosion(Explosion),
    /// Water below a plane.
    Buoyancy(Buoyancy),
    /// A pull towards a point.
    Attraction(Attraction),
    /// Bodies that attract each other.
    Gravitation(Gravitation),
    /// Written by the user.
    Custom(Arc<dyn ForceEffect>),
}

/// Effects of the user's are equal where they are the same object.
impl PartialEq for EffectKind {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Uniform(a), Self::Uniform(b)) => a == b,
            (Self::Drag(a), Self::Drag(b)) => a == b,
            (Self::Spring(a), Self::Spring(b)) => a == b,
            (Self::Explosion(a), Self::Explosion(b)) => a == b,
            (Self::Buoyancy(a), Self::Buoyancy(b)) => a == b,
            (Self::Attraction(a), Self::Attraction(b)) => a == b,
            (Self::Gravitation(a), Self::Gravitation(b)) => a == b,
            (Self::Custom(a), Self::Custom(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }
}

macro_rules! kinds {
    ($($kind:ident),*) => {$(
        impl From<$kind> for EffectKind {
            fn from(kind: $kind) -> Self {
                Self::$kind(kind)
            }
        }
    )*};
}

kinds!(Uniform, Drag, Spring, Explosion, Buoyancy, Attraction, Gravitation);

impl From<Arc<dyn ForceEffect>> for EffectKind {
    fn from(effect: Arc<dyn ForceEffect>) -> Self {
        Self::Custom(effect)
    }
}

impl EffectKind {
    /// What it is called.
    pub fn name(&self) -> &str {
        match self {
            Self::Uniform(_) => "uniform",
            Self::Drag(_) => "drag",
            Self::Spring(_) => "spring",
            Self::Explosion(_) => "explosion",
            Self::Buoyancy(_) => "buoyancy",
            Self::Attraction(_) => "attraction",
            Self::Gravitation(_) => "gravitation",
            Self::Custom(effect) => effect.name(),
        }
    }

    pub(crate) fn validate(&self, subject: &str) -> Result<()> {
        match self {
            Self::Uniform(k) => k.validate(subject),
            Self::Drag(k) => k.validate(subject),
            Self::Spring(k) => k.validate(subject),
            Self::Explosion(k) => k.validate(subject),
            Self::Buoyancy(k) => k.validate(subject),
            Self::Attraction(k) => k.validate(subject),
            Self::Gravitation(k) => k.validate(subject),
            Self::Custom(_) => Ok(()),
        }
    }

    fn apply(&self, bodies: &mut Affected<'_>) {
        match self {
            Self::Uniform(k) => k.apply(bodies),
            Self::Drag(k) => k.apply(bodies),
            Self::Spring(k) => k.apply(bodies),
            Self::Explosion(k) => k.apply(bodies),
            Self::Buoyancy(k) => k.apply(bodies),
            Self::Attraction(k) => k.apply(bodies),
            Self::Gravitation(k) => k.apply(bodies),
            Self::Custom(effect) => effect.apply(bodies),
        }
    }

    /// What a body of the set feels depends on the others of the set.
    pub(crate) fn is_mutual(&self) -> bool {
        match self {
            Self::Spring(_) | Self::Gravitation(_) => true,
            Self::Custom(effect) => effect.is_mutual(),
            _ => false,
        }
    }

    /// The force may change after this time though nothing moves.
    pub(crate) fn changes_after(&self, time: f64) -> bool {
        match self {
            Self::Explosion(_) => true,
            Self::Custom(effect) => effect.changes_after(time),
            _ => false,
        }
    }

    /// Energy of the bodies of a set in it, where it has a potential.
    fn potential(&self, bodies: &Affected<'_>) -> f64 {
        match self {
            Self::Uniform(k) => k.potential(bodies),
            Self::Spring(k) => k.potential(bodies),
            Self::Attraction(k) => k.potential(bodies),
            Self::Gravitation(k) => k.potential(bodies),
            Self::Drag(_) | Self::Explosion(_) | Self::Buoyancy(_) | Self::Custom(_) => 0.0,
        }
    }
}

/// What all effects that act at this moment do to the awake bodies, with what the user applies in this step alone: a force, and a torque about the centre of mass, by dense index.
/// Answers how many bodies were asked for, once for each effect. One pass over each set; an integrator of several stages calls it with the
/// poses and velocities of each.
pub(crate) fn evaluate(state: &State, moment: &Moment<'_>, members: &mut Vec<u32>, pushes: &mut Vec<Wrench>) -> u32 {
    pushes.clear();
    pushes.resize(state.bodies.awake(), Wrench::ZERO);
    for once in &state.bodies.once {
        // Who was made inactive since, or fixed, feels nothing.
        if let Some(push) = pushes.get_mut(state.bodies.dense_at(once.slot)) {
            *push = once.push();
        }
    }
    let mut asked = 0;
    for (_, effect) in state.effects.all.iter() {
        let share = effect.share(state.time, moment.dt);
        if !effect.acts() || share == 0.0 {
            continue;
        }
        state.effect_members(effect, false, members);
        asked += members.iter().filter(|&&i| (i as usize) < pushes.len()).count() as u32;
        let bodies = Affected::new(state, moment, members, pushes, share);
        effect.kind.apply(&mut bodies.of(&effect.bodies));
    }
    asked
}

/// Energy of all bodies in the effects that have a potential, where they are now.
pub(crate) fn potential(state: &State) -> f64 {
    let moment = Moment { pose: &state.bodies.pose, velocity: &state.bodies.velocity, lead: 0.0, dt: 0.0 };
    let mut members = Vec::new();
    let mut sum = 0.0;
    for (_, effect) in state.effects.all.iter().filter(|(_, e)| e.acts()) {
        state.effect_members(effect, true, &mut members);
        let bodies = Affected::new(state, &moment, &members, &mut [], 1.0);
        sum += effect.kind.potential(&bodies.of(&effect.bodies));
    }
    sum
}

fn check_finite(subject: &str, property: &'static str, v: Vec3) -> Result<()> {
    if v.is_finite() {
        Ok(())
    } else {
        Err(Error::value(subject, property, "finite", format_args!("{:?}", v.to_array())))
    }
}

fn check_point(subject: &str, property: &'static str, p: Point) -> Result<()> {
    if p.is_finite() {
        Ok(())
    } else {
        Err(Error::value(subject, property, "finite", format_args!("{:?}", p.to_array())))
    }
}

fn check_number(subject: &str, property: &'static str, v: Real) -> Result<()> {
    if v.is_finite() { Ok(()) } else { Err(Error::value(subject, property, "finite", v)) }
}

fn check_positive(subject: &str, property: &'static str, v: Real) -> Result<()> {
    if v > 0.0 && v.is_finite() { Ok(()) } else { Err(Error::value(subject, property, "positive and finite", v)) }
}

/// |r| r / (r² + ε²)^(3/2) without its first factor: what an inverse-square pull is along r, softened within ε of its centre. The
/// lengths are brought to order 1 first, so that nothing overflows.
fn inverse_square(r: Vec3, softening: Real) -> Vec3 {
    let (r, e) = (r.to_f64(), softening.to_f64());
    let squares = r.length_squared() + e * e;
    if squares > 0.0 { (r / (squares * squares.sqrt())).to_real() } else { Vec3::ZERO }
}

/// The energy that belongs to it: 1/√(r² + ε²).
fn inverse_distance(r: Vec3, softening: Real) -> f64 {
    let e = softening.to_f64();
    let squares = r.to_f64().length_squared() + e * e;
    if squares > 0.0 { 1.0 / squares.sqrt() } else { 0.0 }
}
