//! Numbers that change with time: what motors are told.

use crate::error::{Error, Result};
use crate::math::{Float, Real};
use std::sync::Arc;

/// A number as a function of simulated time.
///
/// ```
/// use tumble::constraint::Signal;
/// let lift = Signal::Ramp { from: 0.0, to: 2.0, start: 1.0, duration: 4.0 };
/// assert_eq!(lift.at(3.0), (1.0, 0.5)); // value and rate
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Signal {
    /// The same at all times.
    Constant(Real),
    /// One value before `start`, another after `start + duration`, straight in between.
    Ramp {
        /// The value before.
        from: Real,
        /// The value after.
        to: Real,
        /// When it begins, in seconds.
        start: f64,
        /// How long it takes, in seconds.
        duration: f64,
    },
    /// mean + amplitude sin(2π (hertz t + phase))
    Sine {
        /// The middle.
        mean: Real,
        /// How far it swings to either side.
        amplitude: Real,
        /// Swings per second.
        hertz: f64,
        /// Where in a swing it is at time 0, in swings.
        phase: f64,
    },
    /// Straight between points (time, value) in the order of their times; before the first and after the last as there.
    Table(Arc<[(f64, Real)]>),
}

impl Default for Signal {
    fn default() -> Self {
        Self::Constant(0.0)
    }
}

impl From<Real> for Signal {
    fn from(value: Real) -> Self {
        Self::Constant(value)
    }
}

impl Signal {
    /// A table from points (time, value).
    ///
    /// ```
    /// use tumble::constraint::Signal;
    /// let lift = Signal::table([(0.0, 0.0), (2.0, 4.0), (5.0, 4.0)]);
    /// assert_eq!(lift.at(1.0), (2.0, 2.0)); // value and rate
    /// assert_eq!(lift.at(9.0), (4.0, 0.0));
    /// assert!(lift.changes_after(3.0) && !lift.changes_after(9.0));
    /// ```
    pub fn table(points: impl IntoIterator<Item = (f64, Real)>) -> Self {
        Self::Table(points.into_iter().collect())
    }

    /// Value and rate of change at a time.
    pub fn at(&self, time: f64) -> (Real, Real) {
        match self {
            Self::Constant(value) => (*value, 0.0),
            Self::Ramp { from, to, start, duration } => between((*start, *from), (start + duration, *to), time),
            Self::Sine { mean, amplitude, hertz, phase } => {
                let turn = 2.0 * <f64 as Float>::PI;
                // Whole swings are dropped while they are exact, so that a run of days has the same digits.
                let swings = hertz * time + phase;
                let angle = turn * (swings - Float::floor(swings));
                let rate = amplitude.to_f64() * turn * hertz * Float::cos(angle);
                (*mean + *amplitude * Real::from_f64(Float::sin(angle)), Real::from_f64(rate))
            }
            Self::Table(points) => {
                let after = points.partition_point(|p| p.0 <= time);
                match (after.checked_sub(1).and_then(|i| points.get(i)), points.get(after)) {
                    (Some(&a), Some(&b)) => between(a, b, time),
                    (Some(&(_, v)), None) | (None, Some(&(_, v))) => (v, 0.0),
                    (None, None) => (0.0, 0.0),
                }
            }
        }
    }

    /// It may still change after this time.
    pub fn changes_after(&self, time: f64) -> bool {
        match self {
            Self::Constant(_) => false,
            Self::Ramp { from, to, start, duration } => from != to && time <= start + duration,
            Self::Sine { amplitude, hertz, .. } => *amplitude != 0.0 && *hertz != 0.0,
            Self::Table(points) => points.last().is_some_and(|p| time <= p.0),
        }
    }

    pub(crate) fn validate(&self, subject: &str) -> Result<()> {
        let sound = match self {
            Self::Constant(v) => v.is_finite(),
            Self::Ramp { from, to, start, duration } => {
                from.is_finite() && to.is_finite() && start.is_finite() && duration.is_finite() && *duration >= 0.0
            }
            Self::Sine { mean, amplitude, hertz, phase } => {
                mean.is_finite() && amplitude.is_finite() && hertz.is_finite() && phase.is_finite()
            }
            Self::Table(points) => {
                !points.is_empty()
                    && points.iter().all(|(t, v)| t.is_finite() && v.is_finite())
                    && points.windows(2).all(|w| w[0].0 < w[1].0)
            }
        };
        if sound {
            return Ok(());
        }
        Err(Error::value(subject, "signal", "finite, with times in ascending order", format_args!("{self:?}")))
    }
}

/// Value and rate between two points in time.
fn between(a: (f64, Real), b: (f64, Real), time: f64) -> (Real, Real) {
    if time < a.0 {
        return (a.1, 0.0);
    }
    if time >= b.0 {
        return (b.1, 0.0);
    }
    let rate = (b.1.to_f64() - a.1.to_f64()) / (b.0 - a.0);
    (Real::from_f64(a.1.to_f64() + rate * (time - a.0)), Real::from_f64(rate))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rate that a signal claims is the slope of its value: a motor that is told a wrong rate lags behind.
    #[test]
    fn rates_are_slopes() {
        let signals = [
            Signal::Constant(3.0),
            Signal::Ramp { from: 1.0, to: -2.0, start: 0.5, duration: 2.0 },
            Signal::Sine { mean: 0.5, amplitude: 2.0, hertz: 0.7, phase: 0.2 },
            Signal::table([(0.0, 1.0), (1.0, 3.0), (2.5, -1.0)]),
        ];
        for signal in signals {
            for i in 0..60 {
                let t = f64::from(i) * 0.05 + 0.013;
                let d = 1e-3;
                let slope = (signal.at(t + d).0.to_f64() - signal.at(t - d).0.to_f64()) / (2.0 * d);
                // Away from corners the middle difference is exact to d² and rounding.
                let corner = [0.0, 0.5, 1.0, 2.5].iter().any(|c: &f64| (t - c).abs() < 2.0 * d);
                assert!(corner || (slope - signal.at(t).1.to_f64()).abs() < 2e-3, "{signal:?} at {t}");
            }
        }
    }
}
