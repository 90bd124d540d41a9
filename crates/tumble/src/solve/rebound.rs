//! Blows of impacts ahead. Two bodies of which one is fast meet at a moment t within a sub-step, and are struck at its start t₀, when they may be
//! metres apart. What the blow adds to their velocities must not act before t:
//!
//! ```text
//!   Δx = -Δv (t - t₀),     Δθ = -Δω (t - t₀)
//! ```
//!
//! At t₀ bodies that meet off centre are v_t (t - t₀) short of where they meet, so that the impulses of the blow, ±P at the anchors of t, are a couple
//! v_t (t - t₀) × P. The shifts take just that out of the angular momentum again: Σ Δx × m v = -(t - t₀) P × v_t.
//!
//! Three passes over the bodies with impacts in each sub-step in which something can bounce.

use super::motion::{self, Motion};
use crate::math::{Real, Vec3};

/// A body with an impact in a sub-step.
#[derive(Clone, Copy, Debug)]
struct Struck {
    body: u32,
    /// From the start of the sub-step to the impact.
    wait: Real,
    /// Velocities before the blows; then what the body is to be shifted and turned by.
    linear: Vec3,
    angular: Vec3,
}

/// Bodies with impacts in one sub-step. Kept between steps for its memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rebounds(Vec<Struck>);

impl Rebounds {
    /// At the start of a step.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Before the blows of a sub-step that goes over the shares `from` to `to` of a step: takes note of the velocities of those whose `impacts`, by
    /// body and share of the step, happen in it.
    pub fn await_blows(
        &mut self,
        impacts: impl Iterator<Item = (usize, Real)>,
        [from, to]: [Real; 2],
        motions: &[Motion],
        dt: Real,
    ) {
        self.0.clear();
        for (body, t) in impacts.filter(|(_, t)| (from..to).contains(t)) {
            let (linear, angular) = motion::velocity_of(&motions[body]);
            self.0.push(Struck { body: body as u32, wait: (t - from) * dt, linear, angular });
        }
    }

    /// After the blows.
    pub fn note_blows(&mut self, motions: &[Motion]) {
        for struck in &mut self.0 {
            let (linear, angular) = motion::velocity_of(&motions[struck.body as usize]);
            struck.linear = (struck.linear - linear) * struck.wait;
            struck.angular = (struck.angular - angular) * struck.wait;
        }
    }

    /// When the bodies have moved: takes back what the blows have done to them before their moments. Not earlier, or they would be found in each
    /// other by the constraints of the sub-step.
    pub fn take_back(&self, motions: &mut [Motion]) {
        for struck in &self.0 {
            motion::shift(&mut motions[struck.body as usize], struck.linear, struck.angular);
        }
    }
}
