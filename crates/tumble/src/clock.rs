//! Time: fixed or variable steps, the remainder that is carried over, and the guard against the spiral of death.

use crate::error::{Error, Result};
use crate::math::{Float, Real};
use serde::{Deserialize, Serialize};

/// How [`simulate`](crate::World::simulate) cuts elapsed time into steps (003-110..113).
///
/// ```
/// use tumble::{Clock, Pace, World};
/// let mut world = World::new();
/// world.set_clock(Clock { pace: Pace::Fixed(1.0 / 64.0), speed: 0.5, ..Clock::default() }).unwrap();
/// assert_eq!(world.simulate(0.125).unwrap(), 4); // slow motion: 1/16 s in steps of 1/64 s
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Clock {
    /// The fixed step, or the bounds of the variable one.
    pub pace: Pace,
    /// No more than this much time, in seconds, is simulated in one call (or one step, where that is longer): a slow
    /// machine sees slow motion instead of an ever longer queue. At most a million steps.
    pub max_per_call: f64,
    /// Simulated seconds per elapsed second; 0 is a pause.
    pub speed: f64,
}

/// Fixed or variable steps. Time is counted in `f64` in either crate: sixty calls of 1/60 s are sixty steps of 1/60 s, though
/// 1/60 is not the same number in `f32`.
///
/// ```
/// use tumble::{Clock, Pace, World};
/// let mut world = World::new();
/// world.set_clock(Clock { pace: Pace::Variable { min: 0.002, max: 0.02 }, ..Clock::default() }).unwrap();
/// assert_eq!(world.simulate(0.05).unwrap(), 3); // 20 ms, 20 ms, 10 ms
/// assert_eq!(world.simulate(0.001).unwrap(), 0); // waits
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Pace {
    /// Always the same step in seconds: the same result for every way in which the time is cut into calls.
    Fixed(f64),
    /// Steps as long as the remaining time, within bounds. Adapts to the load; not repeatable, and piles stir when the step changes, since the softness
    /// of contacts goes by it.
    Variable {
        /// Shortest step; a shorter remainder waits for the next call.
        min: f64,
        /// Longest step.
        max: f64,
    },
}

impl Default for Clock {
    fn default() -> Self {
        Self { pace: Pace::Fixed(1.0 / 60.0), max_per_call: 0.25, speed: 1.0 }
    }
}

/// More steps than this in one call are a mistake of the user, and would look like a hang.
const MAX_STEPS_PER_CALL: f64 = 1e6;

/// A remainder that is one step but for the rounding of many sums is one step.
const ROUNDING: f64 = 1e-9;

impl Clock {
    /// An error that names the first parameter outside its range.
    ///
    /// ```
    /// use tumble::Clock;
    /// assert!(Clock::default().validate().is_ok());
    /// assert!(Clock { speed: -1.0, ..Clock::default() }.validate().is_err());
    /// ```
    pub fn validate(&self) -> Result<()> {
        let positive = |property: &'static str, v: f64| {
            if v > 0.0 && v.is_finite() {
                Ok(())
            } else {
                Err(Error::value("clock", property, "positive and finite", v))
            }
        };
        // A step must be a number in the precision of the solver too.
        let step = |property: &'static str, v: f64| {
            let rounded = Real::from_f64(v);
            if rounded > 0.0 && rounded.is_finite() {
                Ok(())
            } else {
                Err(Error::value("clock", property, "positive and finite", v))
            }
        };
        match self.pace {
            Pace::Fixed(dt) => step("step", dt)?,
            Pace::Variable { min, max } => {
                step("shortest step", min)?;
                step("longest step", max)?;
                if min > max {
                    return Err(Error::value("clock", "shortest step", "at most the longest", min));
                }
            }
        }
        positive("max_per_call", self.max_per_call)?;
        if self.max_per_call > MAX_STEPS_PER_CALL * self.shortest() {
            return Err(Error::value("clock", "max_per_call", "at most a million steps", self.max_per_call));
        }
        if !(self.speed >= 0.0 && self.speed.is_finite()) {
            return Err(Error::value("clock", "speed", "not negative and finite", self.speed));
        }
        Ok(())
    }

    /// The shortest step that will ever be made.
    fn shortest(&self) -> f64 {
        match self.pace {
            Pace::Fixed(dt) => dt,
            Pace::Variable { min, .. } => min,
        }
    }

    /// What is to be simulated after `elapsed` more seconds of the user's time, when `remainder` seconds were left over.
    pub(crate) fn due(&self, remainder: f64, elapsed: f64) -> f64 {
        let due = remainder + elapsed * self.speed;
        let most = if self.max_per_call > self.shortest() { self.max_per_call } else { self.shortest() };
        if due > most { most } else { due }
    }

    /// The next step when `remaining` seconds are to be simulated, or `None` if it must wait for the next call.
    pub(crate) fn next_step(&self, remaining: f64) -> Option<f64> {
        let dt = match self.pace {
            Pace::Fixed(dt) => dt,
            Pace::Variable { min, max } => {
                if remaining > max {
                    max
                } else if remaining < min {
                    min
                } else {
                    remaining
                }
            }
        };
        (dt <= remaining + dt * ROUNDING).then_some(dt)
    }
}
