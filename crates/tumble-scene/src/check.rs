//! Checks: named statements about a scene, with numbers that a broken engine misses.
//!
//! A scene declares its checks as [`Claim`]s, so that they can be listed without building it. When it is built it gives each
//! a measurement: a function of the world that returns a [`Reading`], the measured figure beside its bound. What a run
//! says of a check is a [`Verdict`].

use crate::figure::Figure;
use serde::Serialize;
use std::borrow::Cow;
use std::fmt;
use tumble::World;

/// A statement that a scene makes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Claim {
    /// Its name, in kebab-case.
    pub name: Cow<'static, str>,
    /// What should happen, in a sentence that gives the measured figure its meaning.
    pub statement: Cow<'static, str>,
    /// The unit of the figure; empty for ratios and counts.
    pub unit: Cow<'static, str>,
}

/// Where a figure may lie. No bound holds for NaN.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Bound {
    /// Not above this.
    AtMost(f64),
    /// Not below this.
    AtLeast(f64),
    /// Between these, ends included.
    Between(f64, f64),
}

impl Bound {
    /// The figure keeps the bound.
    ///
    /// ```
    /// use tumble_scene::Bound;
    /// assert!(Bound::AtMost(1.0).holds(1.0));
    /// assert!(!Bound::AtMost(1.0).holds(f64::NAN));
    /// ```
    pub fn holds(&self, figure: f64) -> bool {
        match *self {
            Self::AtMost(high) => figure <= high,
            Self::AtLeast(low) => figure >= low,
            Self::Between(low, high) => figure >= low && figure <= high,
        }
    }

    /// How far the figure goes beyond the bound, in sizes of the bound: negative inside, infinite for NaN.
    fn excess(&self, figure: f64) -> f64 {
        let beyond = |distance: f64, size: f64| if size > 0.0 { distance / size } else { distance };
        let excess = match *self {
            Self::AtMost(high) => beyond(figure - high, high.abs()),
            Self::AtLeast(low) => beyond(low - figure, low.abs()),
            Self::Between(low, high) => beyond((figure - (low + high) / 2.0).abs() - (high - low) / 2.0, high - low),
        };
        if excess.is_nan() { f64::INFINITY } else { excess }
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::AtMost(high) => write!(f, "at most {}", Figure(high)),
            Self::AtLeast(low) => write!(f, "at least {}", Figure(low)),
            Self::Between(low, high) => write!(f, "between {} and {}", Figure(low), Figure(high)),
        }
    }
}

/// A measured figure and its bound, at one moment.
///
/// ```
/// use tumble_scene::Reading;
/// assert!(Reading::at_most(0.9, 1.0).holds());
/// assert!(!Reading::between(0.9, 1.0, 2.0).holds());
/// // Of several, the one that strains its bound most speaks for all.
/// let worst = Reading::at_most(3.0, 10.0).or_worse(Reading::at_most(2.0, 4.0));
/// assert_eq!(worst.figure, 2.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reading {
    /// What was measured.
    pub figure: f64,
    /// Where it may lie.
    pub bound: Bound,
}

impl Reading {
    /// A figure that must not be above `high`.
    pub const fn at_most(figure: f64, high: f64) -> Self {
        Self { figure, bound: Bound::AtMost(high) }
    }

    /// A figure that must not be below `low`.
    pub const fn at_least(figure: f64, low: f64) -> Self {
        Self { figure, bound: Bound::AtLeast(low) }
    }

    /// A figure that must be from `low` to `high`.
    pub const fn between(figure: f64, low: f64, high: f64) -> Self {
        Self { figure, bound: Bound::Between(low, high) }
    }

    /// The figure keeps its bound.
    pub fn holds(&self) -> bool {
        self.bound.holds(self.figure)
    }

    /// Of two readings the one that goes farther beyond its bound, or comes nearer to it; this one where they are level.
    #[must_use]
    pub fn or_worse(self, other: Self) -> Self {
        let worse = other.bound.excess(other.figure) > self.bound.excess(self.figure);
        if worse { other } else { self }
    }
}

/// A check in words of the file format, so that a file can say it too: an expression over the world, a bound, and when it is looked
/// at.
///
/// ```
/// use tumble_scene::{Bound, Said};
/// let stands = Said::at_most("moved('box-*') / 0.5", 0.02).from(1.0);
/// assert_eq!(stands.bound, Bound::AtMost(0.02));
/// assert!(stands.until.is_infinite() && !stands.at_end);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Said {
    /// The figure, as an expression in SI units.
    pub measure: String,
    /// Where it may lie.
    pub bound: Bound,
    /// Seconds from which on it counts.
    pub from: f64,
    /// Seconds until which it counts.
    pub until: f64,
    /// Only the end of the run counts.
    pub at_end: bool,
}

impl Said {
    fn new(measure: impl Into<String>, bound: Bound) -> Self {
        Self { measure: measure.into(), bound, from: f64::NEG_INFINITY, until: f64::INFINITY, at_end: false }
    }

    /// A figure that is never above `high`.
    pub fn at_most(measure: impl Into<String>, high: f64) -> Self {
        Self::new(measure, Bound::AtMost(high))
    }

    /// A figure that is never below `low`.
    pub fn at_least(measure: impl Into<String>, low: f64) -> Self {
        Self::new(measure, Bound::AtLeast(low))
    }

    /// A figure that stays from `low` to `high`.
    pub fn between(measure: impl Into<String>, low: f64, high: f64) -> Self {
        Self::new(measure, Bound::Between(low, high))
    }

    /// From this time on.
    #[must_use]
    pub fn from(mut self, seconds: f64) -> Self {
        self.from = seconds;
        self
    }

    /// Until this time.
    #[must_use]
    pub fn until(mut self, seconds: f64) -> Self {
        self.until = seconds;
        self
    }

    /// At the end alone.
    #[must_use]
    pub fn at_end(mut self) -> Self {
        self.at_end = true;
        self
    }
}

/// Sees the world before the first step and after each, and may remember; `None` while there is nothing to measure.
type Watch = Box<dyn FnMut(&World) -> Option<Reading> + Send>;
/// Sees the world when asked.
type Look = Box<dyn Fn(&World) -> Option<Reading> + Send>;

/// How a check is measured in a run.
pub(crate) enum Gauge {
    /// Throughout; the worst reading counts.
    Always(Watch, Option<Reading>),
    /// Once, when the run is over.
    AtEnd(Look),
}

impl Gauge {
    pub fn observe(&mut self, world: &World) {
        if let Self::Always(watch, worst) = self
            && let Some(reading) = watch(world)
        {
            *worst = Some(worst.map_or(reading, |w| w.or_worse(reading)));
        }
    }

    pub fn read(&self, world: &World) -> Option<Reading> {
        match self {
            Self::Always(_, worst) => *worst,
            Self::AtEnd(look) => look(world),
        }
    }
}

/// What came out of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// The figure kept its bound.
    Passed,
    /// It did not.
    Failed,
    /// The run ended before there was anything to measure.
    Undecided,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Passed => "passed",
            Self::Failed => "FAILED",
            Self::Undecided => "undecided",
        })
    }
}

/// What a run says of a check.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Verdict {
    /// The check.
    #[serde(flatten)]
    pub claim: Claim,
    /// What came out.
    pub outcome: Outcome,
    /// What was measured; `None` if nothing was.
    pub figure: Option<f64>,
    /// Where the figure may lie.
    pub bound: Option<Bound>,
}

impl Verdict {
    pub(crate) fn new(claim: &Claim, reading: Option<Reading>) -> Self {
        let outcome = match reading {
            Some(reading) if reading.holds() => Outcome::Passed,
            Some(_) => Outcome::Failed,
            None => Outcome::Undecided,
        };
        Self { claim: claim.clone(), outcome, figure: reading.map(|r| r.figure), bound: reading.map(|r| r.bound) }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Claim { name, statement, unit } = &self.claim;
        write!(f, "{} {name}: {statement}", self.outcome)?;
        match (self.figure, self.bound) {
            (Some(figure), Some(bound)) => {
                let unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
                write!(f, " ({}{unit}, {bound}{unit})", Figure(figure))
            }
            _ => write!(f, " (the run was too short to tell)"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// NaN is the figure of a world that blew up: it must neither pass nor be forgotten.
    #[test]
    fn nan_fails_and_stays() {
        for bound in [Bound::AtMost(1.0), Bound::AtLeast(1.0), Bound::Between(0.0, 1.0)] {
            assert!(!bound.holds(f64::NAN));
        }
        let nan = Reading::at_most(f64::NAN, 1.0);
        let bad = Reading::at_most(1e30, 1.0);
        assert!(bad.or_worse(nan).figure.is_nan());
        assert!(nan.or_worse(bad).figure.is_nan());
    }

    /// The worst of a run is that which strains its own bound most, whatever the sizes of figure and bound.
    #[test]
    fn readings_are_compared_by_their_bounds() {
        let tight = Reading::at_most(0.9e-6, 1e-6);
        let loose = Reading::at_most(50.0, 100.0);
        assert_eq!(tight.or_worse(loose), tight);
        assert_eq!(loose.or_worse(tight), tight);
        let low = Reading::at_least(1.0, 2.0);
        assert_eq!(tight.or_worse(low), low);
        let outside = Reading::between(2.5, 1.0, 2.0);
        let inside = Reading::between(1.5, 1.0, 2.0);
        assert_eq!(inside.or_worse(outside), outside);
        assert!(inside.holds() && !outside.holds());
        // A bound of zero has no size to measure by.
        assert!(Reading::at_most(0.0, 0.0).holds());
        assert!(!Reading::at_most(1e-300, 0.0).holds());
    }
}
