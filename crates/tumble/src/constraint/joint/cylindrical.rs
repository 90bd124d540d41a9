//! Cylindrical joint: B slides along an axis of A and turns about it.
//!
//! ```text
//!   C = (y_A·d, z_A·d)               2 rows: on the axis
//!   C = (y_A·e, z_A·e)               2 rows: axes parallel
//!   s = x_A·d, θ: twist about x      the freedoms
//! ```

use super::super::{Axis, Constraint, Frames, Rows};
use super::parts;

/// The axis is the x axis of both frames.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Cylindrical {
    /// Sliding along the axis, in metres.
    pub slide: Axis,
    /// Turning about the axis, in radians, counted over many turns.
    pub turn: Axis,
}

impl Constraint for Cylindrical {
    fn name(&self) -> &str {
        "cylindrical"
    }

    fn rows(&self, frames: &Frames, out: &mut Rows) {
        parts::on_axis(frames, out);
        parts::parallel(frames, out);
        let x = frames.a.axes().x;
        self.slide.rows(parts::along(frames, x), x.dot(frames.gap()), frames.time, out);
        self.turn.rows(parts::twisting(frames), parts::counted_twist(frames), frames.time, out);
    }

    fn remember(&self, frames: &Frames) -> [f64; 4] {
        super::remember_twist(frames)
    }
}
