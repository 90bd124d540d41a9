//! Descriptions from which effects are made.

use super::{BodySet, EffectKind, Explosion, ForceEffect, Spring};
use crate::error::{Error, Result};
use crate::id::BodyId;
use std::sync::Arc;

/// A force effect to be made.
///
/// ```
/// use tumble::force::{Explosion, Spring, Uniform};
/// use tumble::{BodyDesc, BodySet, EffectDesc, World};
/// # fn main() -> tumble::Result<()> {
/// let mut world = World::new();
/// let (a, b) = (world.add_body(BodyDesc::dynamic())?, world.add_body(BodyDesc::dynamic())?);
/// let gust = EffectDesc::new(Uniform::new([5.0, 0.0, 0.0]))
///     .bodies(BodySet::list([a]))
///     .window(1.0, 2.0) // from 1 s to 2 s
///     .remove_at_end(true)
///     .active(true)
///     .name("gust")
///     .user_data(7);
/// let gust = world.add_effect(gust)?;
/// let spring = world.add_effect(EffectDesc::spring(a, b, Spring::new(1.0, 50.0)))?;
/// let bang = world.add_effect(EffectDesc::explosion(Explosion::new([0.0, -1.0, 0.0], 100.0), 0.05))?;
/// for _ in 0..180 {
///     world.step(1.0 / 60.0)?;
/// }
/// assert!(world.effect(gust).is_err() && world.effect(bang).is_err() && world.effect(spring).is_ok());
/// assert!(world.add_effect(EffectDesc::new(Uniform::new([f32::NAN.into(), 0.0, 0.0]))).is_err());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct EffectDesc {
    /// What it does.
    pub kind: EffectKind,
    /// To whom.
    pub bodies: BodySet,
    /// An inactive effect does nothing.
    pub active: bool,
    /// Simulated seconds from which on it acts. A step of which it acts during a part gets that share of its force.
    pub start: f64,
    /// Simulated seconds until which it acts.
    pub end: f64,
    /// It is removed at its end; else it stays, and does nothing.
    pub remove_at_end: bool,
    /// A name for people; need not be unique.
    pub name: Option<String>,
    /// Anything the user wants to find again.
    pub user_data: u64,
}

impl EffectDesc {
    /// An effect on all bodies, for ever.
    pub fn new(kind: impl Into<EffectKind>) -> Self {
        Self {
            kind: kind.into(),
            bodies: BodySet::All,
            active: true,
            start: f64::NEG_INFINITY,
            end: f64::INFINITY,
            remove_at_end: false,
            name: None,
            user_data: 0,
        }
    }

    /// A spring between two bodies.
    pub fn spring(a: BodyId, b: BodyId, spring: Spring) -> Self {
        Self::new(spring).bodies(BodySet::pair(a, b))
    }

    /// An explosion that lasts until this time and is gone then.
    pub fn explosion(explosion: Explosion, end: f64) -> Self {
        Self::new(explosion).window(f64::NEG_INFINITY, end).remove_at_end(true)
    }

    /// An effect of the user's.
    pub fn custom(effect: Arc<dyn ForceEffect>) -> Self {
        Self::new(effect)
    }

    /// The bodies it acts on.
    pub fn bodies(mut self, bodies: BodySet) -> Self {
        self.bodies = bodies;
        self
    }

    /// The simulated seconds between which it acts; either may be infinite.
    pub fn window(mut self, start: f64, end: f64) -> Self {
        (self.start, self.end) = (start, end);
        self
    }

    /// Removed at its end, or not.
    pub fn remove_at_end(mut self, remove: bool) -> Self {
        self.remove_at_end = remove;
        self
    }

    /// Active, or not.
    pub fn active(mut self, active: bool) -> Self {
        self.active = active;
        self
    }

    /// A name for people.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Anything the user wants to find again.
    pub fn user_data(mut self, data: u64) -> Self {
        self.user_data = data;
        self
    }

    /// What it is called in error messages.
    pub(crate) fn subject(&self) -> String {
        match &self.name {
            Some(name) => format!("new effect {name:?}"),
            None => format!("new effect ({})", self.kind.name()),
        }
    }
}

/// A span of time that has not passed.
pub(crate) fn check_window(subject: &str, start: f64, end: f64, now: f64) -> Result<()> {
    if start.is_nan() || start == f64::INFINITY {
        return Err(Error::value(subject, "start", "a time, or infinitely long ago", start));
    }
    if !(end > start) {
        return Err(Error::value(subject, "end", "after the start", end));
    }
    if !(end > now) {
        return Err(Error::value(subject, "end", "after the time of the world", end));
    }
    Ok(())
}
