//! Time: fixed or variable steps, the remainder that is carried over, and the guard against the spiral of death.

use crate::error::{Error, Result};
use crate::math::{Float, Real};
use serde::{Deserialize, Serialize};

/// How [`simulate`](crate::World::simulate) cuts elapsed time into steps (003-110..113).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Clock {
    /// The fixed step, or the bounds of the variable one.
    pub pace: Pace,
    /// No more than this much time, in seconds, is simulated in one call: a slow machine sees slow motion instead of an
    /// ever longer queue.
    pub max_per_call: f64,
    /// Simulated seconds per elapsed second.
    pub speed: f64,
}

/// Fixed or variable steps.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Pace {
    /// Always the same step in seconds: the same result for every way in which the time is cut into calls.
    Fixed(Real),
    /// Steps as long as the remaining time, within bounds. Adapts to the load; not repeatable.
    Variable {
        /// Shortest step; a shorter remainder waits for the next call.
        min: Real,
        /// Longest step.
        max: Real,
    },
}

impl Default for Clock {
    fn default() -> Self {
        Self { pace: Pace::Fixed(1.0 / 60.0), max_per_call: 0.25, speed: 1.0 }
    }
}

impl Clock {
    /// An error that names the first parameter outside its range.
    pub fn validate(&self) -> Result<()> {
        let positive = |property: &'static str, v: f64| {
            if v > 0.0 && v.is_finite() {
                Ok(())
            } else {
                Err(Error::value("clock", property, "positive and finite", v))
            }
        };
        match self.pace {
            Pace::Fixed(dt) => positive("step", dt.to_f64())?,
            Pace::Variable { min, max } => {
                positive("shortest step", min.to_f64())?;
                positive("longest step", max.to_f64())?;
                if min > max {
                    return Err(Error::value("clock", "shortest step", "at most the longest", min));
                }
            }
        }
        positive("max_per_call", self.max_per_call)?;
        positive("speed", self.speed)
    }

    /// The next step when `remaining` seconds are to be simulated, or `None` if it must wait for the next call.
    pub(crate) fn next_step(&self, remaining: f64) -> Option<Real> {
        let dt = match self.pace {
            Pace::Fixed(dt) => dt,
            Pace::Variable { min, max } => {
                let dt = Real::from_f64(remaining);
                if dt > max {
                    max
                } else if dt < min {
                    min
                } else {
                    dt
                }
            }
        };
        // A remainder that is one step but for the rounding of many sums is one step.
        (dt.to_f64() <= remaining * (1.0 + 1e-9)).then_some(dt)
    }
}
