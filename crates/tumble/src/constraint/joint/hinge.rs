//! Hinge: a ball joint whose bodies turn about one axis only (003-50).
//!
//! ```text
//!   C = d                            3 rows: one point in common
//!   C = (y_A·e, z_A·e)               2 rows: x_A and x_B parallel, e the turn between them
//!   θ: twist of B about x            the freedom: limit and motor
//! ```

use super::super::{Axis, Constraint, Frames, Rows};
use super::parts;

/// The axis is the x axis of both frames. The angle is that of B as seen from A, counted over many turns.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Hinge {
    /// Turning about the axis, in radians.
    pub turn: Axis,
}

impl Constraint for Hinge {
    fn name(&self) -> &str {
        "hinge"
    }

    fn rows(&self, frames: &Frames, out: &mut Rows) {
        parts::coincide(frames, out);
        parts::parallel(frames, out);
        if self.turn != Axis::FREE {
            self.turn.rows(parts::twisting(frames), parts::counted_twist(frames), frames.time, out);
        }
    }

    fn remember(&self, frames: &Frames) -> [f64; 4] {
        super::remember_twist(frames)
    }
}
