//! When something is due.

use tumble::math::{Float, Real};
use tumble::{Pace, World};

/// The time of a world in the steps that its scene asked for.
///
/// The engine takes the number of its own precision that is nearest to a step, and its time is the sum of these: in `f32` a hundred steps
/// of 0.01 s end before 1 s, and 120 steps of 1/60 s after 2 s. Here both are met.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    /// Seconds since the start.
    pub seconds: f64,
    /// How far two times are apart at the most that are the same but for the rounding of the sum.
    hair: f64,
}

impl Moment {
    pub fn of(world: &World) -> Self {
        let Pace::Fixed(dt) = world.clock().pace else { return Self { seconds: world.time(), hair: 0.0 } };
        let steps = world.steps() as f64;
        let lost = dt - Real::from_f64(dt).to_f64();
        Self { seconds: world.time() + steps * lost, hair: dt * (1e-6 + 1e-9 * steps) }
    }

    /// This time is here or over.
    pub fn has_come(self, time: f64) -> bool {
        time <= self.seconds + self.hair
    }

    /// This time is over.
    pub fn has_passed(self, time: f64) -> bool {
        time < self.seconds - self.hair
    }
}
