//! Out of what it is in, and out of what has come nearer than the skin.
//!
//! Every part p nearer than the skin, with normal n and gap g, asks for a shift x with n·x >= skin - g. The requests are met one after the other, a
//! few times over, by half of what is missing: between walls too near for the skin this ends in the middle. What overlaps is then met in full,
//! since it matters more. The gaps are measured anew after each shift that is not small.

use super::walk::Walk;
use crate::error::Result;
use crate::math::{Num, Real, Vec3};

/// Shifts.
const ROUNDS: usize = 8;

/// Passes over the requests.
const PASSES: usize = 8;

/// The part of the skin by which a gap may be too small: less is left alone, so that what rests does not creep.
const LEFT_ALONE: Real = 0.05;

impl Walk<'_> {
    /// Moves it to where it keeps its skin, as far as there is such a place nearby.
    pub fn recover(&mut self) -> Result<()> {
        let skin = self.skin();
        for _ in 0..ROUNDS {
            self.world.near_shape(self.set.shape, self.pose, skin, self.filter, self.found)?;
            if !self.found.iter().any(|near| near.distance < (1.0 - LEFT_ALONE) * skin) {
                return Ok(());
            }
            let mut shift = Vec3::ZERO;
            let mut pass = |wanted: Real, part: Real| {
                for near in self.found.iter() {
                    let missing = wanted - near.distance - near.normal.dot(shift);
                    shift += near.normal * (Num::max(missing, 0.0) * part);
                }
            };
            for _ in 0..PASSES {
                pass(skin, 0.5);
            }
            for _ in 0..PASSES {
                pass(0.0, 1.0);
            }
            self.pose.translation += shift.to_f64();
            if shift.length() < LEFT_ALONE * skin {
                return Ok(());
            }
        }
        Ok(())
    }
}
