//! Blows of bullets. Two bodies of which one is fast meet at a moment t within a sub-step, and are struck at its start t₀, when they may be
//! metres apart. What the blow adds to their velocities must not act before t:
//!
//! ```text
//!   Δx = -Δv (t - t₀),     Δθ = -Δω (t - t₀)
//! ```
//!
//! where Δv and Δω are what is left of it when the constraints of the sub-step have been solved: nothing for a body that is struck down onto the ground.
//!
//! At t₀ bodies that meet off centre are v_t (t - t₀) short of where they meet, so that the impulses of the blow, ±P at the anchors of t, are a couple
//! v_t (t - t₀) × P. The shifts take just that out of the angular momentum again: Σ Δx × m v = -(t - t₀) P × v_t.
//!
//! Three passes over the pairs that meet in each sub-step in which something can bounce.

use super::motion::{self, Motion};
use crate::math::{Real, Vec3};

/// A body that meets another in a sub-step.
#[derive(Clone, Copy, Debug)]
struct Struck {
    body: u32,
    /// From the start of the sub-step to the impact.
    wait: Real,
    /// Velocities before the blows.
    linear: Vec3,
    angular: Vec3,
}

/// Bodies that are struck in one sub-step. Kept between steps for its memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rebounds(Vec<Struck>);

impl Rebounds {
    /// At the start of a step.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Before the blows of a sub-step that goes over the shares `from` to `to` of a step: takes note of the velocities of pairs that meet in it. Of a body
    /// that meets several, the first meeting counts.
    pub fn await_blows(&mut self, meetings: &[([u32; 2], Real)], [from, to]: [Real; 2], motions: &[Motion], dt: Real) {
        self.0.clear();
        for &(pair, t) in meetings.iter().filter(|(_, t)| (from..to).contains(t)) {
            for body in pair {
                let (linear, angular) = motion::velocity_of(&motions[body as usize]);
                self.0.push(Struck { body, wait: (t - from) * dt, linear, angular });
            }
        }
        self.0.sort_unstable_by(|x, y| x.body.cmp(&y.body).then(x.wait.total_cmp(&y.wait)));
        self.0.dedup_by_key(|struck| struck.body);
    }

    /// After the blows: forgets whom none has struck.
    pub fn note_blows(&mut self, motions: &[Motion]) {
        self.0.retain(|s| motion::velocity_of(&motions[s.body as usize]) != (s.linear, s.angular));
    }

    /// When the constraints have been solved and the bodies are about to move: takes back what the blows will do to them before their moments.
    /// Not earlier, or they would be found in each other.
    pub fn take_back(&self, motions: &mut [Motion]) {
        for struck in &self.0 {
            let motion = &mut motions[struck.body as usize];
            let (linear, angular) = motion::velocity_of(motion);
            motion::shift(motion, (struck.linear - linear) * struck.wait, (struck.angular - angular) * struck.wait);
        }
    }
}
