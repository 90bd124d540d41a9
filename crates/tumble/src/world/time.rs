//! Advancing a world.

use super::World;
use crate::error::{Error, Result};
use crate::math::{Float, Real};
use crate::step;
use core::panic::AssertUnwindSafe;

/// Awake bodies below which one thread makes the step. Small worlds of unit tests are shared all the same: they are all that Miri can watch.
const FEW: usize = if cfg!(test) { 2 } else { 64 };

impl World {
    /// Advances the world by one step of `dt` seconds.
    ///
    /// ```
    /// let mut world = tumble::World::new();
    /// world.step(1.0 / 60.0).unwrap();
    /// assert_eq!(world.steps(), 1);
    /// assert!(world.step(0.0).is_err());
    /// ```
    pub fn step(&mut self, dt: Real) -> Result<()> {
        if !(dt > 0.0 && dt.is_finite()) {
            return Err(Error::value("world", "time step", "positive and finite", dt));
        }
        self.whole()?;
        self.before_first_step();
        let Self { state, scratch, profile, crew, .. } = self;
        // So little work is not worth waking others for; a world asleep costs nothing.
        let alone = state.bodies.awake() < FEW;
        let work = AssertUnwindSafe(|| crew.lead(alone, |team| step::step(state, scratch, team, profile, dt)));
        if let Err(panic) = std::panic::catch_unwind(work) {
            let said = panic.downcast_ref::<&str>().copied().or(panic.downcast_ref::<String>().map(String::as_str));
            self.torn = Some(said.unwrap_or("no message").to_owned());
            return self.whole();
        }
        Ok(())
    }

    /// Advances the world by `elapsed` seconds of the user's time, in steps as the [`Clock`](crate::Clock) says, and
    /// returns how many steps were made. What is too short for a step is carried over to the next call.
    /// [`World::events`] then holds what happened in all of these steps, and nothing where none was made.
    ///
    /// ```
    /// let mut world = tumble::World::new();
    /// assert_eq!(world.simulate(0.02).unwrap(), 1);
    /// assert_eq!(world.simulate(0.02).unwrap(), 1);
    /// assert_eq!(world.simulate(0.02).unwrap(), 1);
    /// assert_eq!(world.simulate(0.01).unwrap(), 1); // 4.2 steps of time, 4 steps
    /// ```
    pub fn simulate(&mut self, elapsed: f64) -> Result<u32> {
        if !(elapsed >= 0.0 && elapsed.is_finite()) {
            return Err(Error::value("world", "elapsed time", "finite and not negative", elapsed));
        }
        self.whole()?;
        let clock = self.state.clock;
        // The state before the first step, which may be kept, does not know of this time yet.
        let mut due = clock.due(self.state.remainder, elapsed);
        let (mut steps, mut made) = (0, Ok(()));
        self.state.events.clear();
        while let Some(dt) = clock.next_step(due) {
            let mut told = core::mem::take(&mut self.state.events);
            made = self.step(Real::from_f64(dt));
            told.append(&mut self.state.events);
            self.state.events = told;
            if made.is_err() {
                break;
            }
            // It may fall below zero by the rounding that `next_step` allows; the next call pays it back.
            due -= dt;
            steps += 1;
        }
        self.state.remainder = due;
        made.map(|()| steps)
    }

    /// How far, as a share of the fixed step, the user's time is ahead of the last step: what a renderer interpolates by.
    ///
    /// ```
    /// let mut world = tumble::World::new();
    /// world.simulate(1.25 / 60.0).unwrap();
    /// assert!((world.interpolation() - 0.25).abs() < 1e-6);
    /// ```
    pub fn interpolation(&self) -> Real {
        match self.state.clock.pace {
            crate::clock::Pace::Fixed(dt) => Real::from_f64(self.state.remainder / dt).clamp(0.0, 1.0),
            crate::clock::Pace::Variable { .. } => 0.0,
        }
    }
}
