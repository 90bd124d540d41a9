//! One freedom of a joint: how far it goes, and what drives it.

use super::row::{Jacobian, Row, Rows, Stiffness};
use super::signal::Signal;
use crate::error::{Error, Result};
use crate::math::Real;

/// How far a freedom goes: metres for sliding, radians for turning.
///
/// ```
/// use tumble::constraint::{Limit, Stiffness};
/// let elbow = Limit::new(0.0, 2.5);
/// let bumper = Limit::new(-1.0, 1.0).restitution(0.3).stiffness(Stiffness::tuned(5.0, 0.5));
/// # let _ = (elbow, bumper);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limit {
    /// Least value; may be -∞.
    pub low: Real,
    /// Greatest value; may be ∞.
    pub high: Real,
    /// Share of the speed with which it bounces back.
    pub restitution: Real,
    /// How hard the stop is.
    pub stiffness: Stiffness,
}

impl Limit {
    /// Hard stops at both ends.
    pub const fn new(low: Real, high: Real) -> Self {
        Self { low, high, restitution: 0.0, stiffness: Stiffness::Method }
    }

    /// Sets [`Limit::restitution`].
    #[must_use]
    pub const fn restitution(mut self, restitution: Real) -> Self {
        self.restitution = restitution;
        self
    }

    /// Sets [`Limit::stiffness`].
    #[must_use]
    pub const fn stiffness(mut self, stiffness: Stiffness) -> Self {
        self.stiffness = stiffness;
        self
    }

    /// x - low >= 0 and high - x >= 0, where Ċ = J u of `jacobian` is the rate of x. Two rows.
    pub(crate) fn rows(&self, jacobian: Jacobian, x: Real, out: &mut Rows) {
        let stop = |jacobian: Jacobian, error: Real| Row {
            stiffness: self.stiffness,
            restitution: self.restitution,
            ..Row::push(jacobian, error)
        };
        // An infinite stop is never reached.
        out.push(if self.low > -Real::MAX { stop(jacobian, x - self.low) } else { Row::IDLE });
        out.push(if self.high < Real::MAX { stop(jacobian.reversed(), self.high - x) } else { Row::IDLE });
    }

    pub(crate) fn validate(&self, subject: &str) -> Result<()> {
        // NaN fails the comparison too.
        if !(self.low <= self.high) {
            let range = format_args!("{} to {}", self.low, self.high).to_string();
            return Err(Error::value(subject, "limit", "a range with low not above high", range));
        }
        if !(0.0..=1.0).contains(&self.restitution) {
            return Err(Error::value(subject, "restitution of a limit", "between 0 and 1", self.restitution));
        }
        self.stiffness.validate(subject)
    }
}

/// What a motor aims at.
///
/// ```
/// use tumble::constraint::{Drive, Motor, Signal, Stiffness};
/// assert_eq!(Motor::velocity(2.0).drive, Drive::Velocity(Signal::Constant(2.0)));
/// let spring = Stiffness::tuned(4.0, 1.0);
/// assert_eq!(Motor::position(1.0, spring).drive, Drive::Position(Signal::Constant(1.0), spring));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Drive {
    /// This speed.
    Velocity(Signal),
    /// This position, pulled to by a damped spring.
    Position(Signal, Stiffness),
}

/// What drives a freedom.
///
/// ```
/// use tumble::constraint::{Motor, Signal, Stiffness};
/// let fan = Motor::velocity(20.0).max_force(5.0);
/// let servo = Motor::position(1.0, Stiffness::tuned(4.0, 1.0));
/// let piston = Motor::velocity(Signal::Sine { mean: 0.0, amplitude: 1.0, hertz: 0.5, phase: 0.0 });
/// let brake = Motor::friction(2.0);
/// # let _ = (fan, servo, piston, brake);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Motor {
    /// What it aims at.
    pub drive: Drive,
    /// Greatest force in newtons, or torque in newton metres; may be infinite.
    pub max_force: Real,
}

impl Motor {
    /// Holds a speed, whatever force it takes.
    pub fn velocity(speed: impl Into<Signal>) -> Self {
        Self { drive: Drive::Velocity(speed.into()), max_force: Real::INFINITY }
    }

    /// Pulls to a position by a damped spring, or as hard as the method makes joints.
    pub fn position(position: impl Into<Signal>, stiffness: Stiffness) -> Self {
        Self { drive: Drive::Position(position.into(), stiffness), max_force: Real::INFINITY }
    }

    /// Resists motion with at most this force.
    pub fn friction(max_force: Real) -> Self {
        Self::velocity(0.0).max_force(max_force)
    }

    /// Sets [`Motor::max_force`].
    #[must_use]
    pub fn max_force(mut self, max_force: Real) -> Self {
        self.max_force = max_force;
        self
    }

    /// One row.
    pub(crate) fn rows(&self, jacobian: Jacobian, x: Real, time: f64, out: &mut Rows) {
        out.push(match &self.drive {
            Drive::Velocity(signal) => Row::motor(jacobian, signal.at(time).0, self.max_force),
            Drive::Position(signal, stiffness) => {
                let (target, rate) = signal.at(time);
                let row = Row { target: rate, ..Row::equal(jacobian, x - target) };
                row.stiff(*stiffness).bounded(self.max_force)
            }
        });
    }

    pub(crate) fn changes_after(&self, time: f64) -> bool {
        match &self.drive {
            Drive::Velocity(s) | Drive::Position(s, _) => s.changes_after(time),
        }
    }

    pub(crate) fn validate(&self, subject: &str) -> Result<()> {
        check_force(subject, "greatest force of a motor", self.max_force)?;
        match &self.drive {
            Drive::Velocity(signal) => signal.validate(subject),
            Drive::Position(signal, stiffness) => {
                signal.validate(subject)?;
                stiffness.validate(subject)
            }
        }
    }
}

/// A force or torque may be infinite, not negative or NaN.
pub(crate) fn check_force(subject: &str, property: &'static str, v: Real) -> Result<()> {
    if v >= 0.0 { Ok(()) } else { Err(Error::value(subject, property, "not negative", v)) }
}

/// One freedom of a joint.
///
/// ```
/// use tumble::constraint::{Axis, Limit, Motor};
/// let door = Axis::FREE.limit(Limit::new(0.0, 1.6)).motor(Motor::friction(0.5));
/// # let _ = door;
/// ```
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Axis {
    /// How far it goes; `None` for no end.
    pub limit: Option<Limit>,
    /// What drives it.
    pub motor: Option<Motor>,
}

impl Axis {
    /// Neither limit nor motor.
    pub const FREE: Self = Self { limit: None, motor: None };

    /// Sets [`Axis::limit`].
    #[must_use]
    pub fn limit(mut self, limit: Limit) -> Self {
        self.limit = Some(limit);
        self
    }

    /// Sets [`Axis::motor`].
    #[must_use]
    pub fn motor(mut self, motor: Motor) -> Self {
        self.motor = Some(motor);
        self
    }

    /// Rows of limit and motor for a freedom that is at x and whose rate is J u.
    pub(crate) fn rows(&self, jacobian: Jacobian, x: Real, time: f64, out: &mut Rows) {
        if let Some(limit) = &self.limit {
            limit.rows(jacobian, x, out);
        }
        if let Some(motor) = &self.motor {
            motor.rows(jacobian, x, time, out);
        }
    }

    pub(crate) fn changes_after(&self, time: f64) -> bool {
        self.motor.as_ref().is_some_and(|m| m.changes_after(time))
    }

    pub(crate) fn validate(&self, subject: &str) -> Result<()> {
        if let Some(limit) = &self.limit {
            limit.validate(subject)?;
        }
        self.motor.as_ref().map_or(Ok(()), |m| m.validate(subject))
    }
}
