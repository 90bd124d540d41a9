//! Planar joint: B moves in a plane of A and turns about its normal.
//!
//! ```text
//!   C = x_A·d                        1 row: in the plane
//!   C = (y_A·e, z_A·e)               2 rows: normals parallel
//!   y_A·d, z_A·d, θ                  the freedoms
//! ```

use super::super::{Axis, Constraint, Frames, Row, Rows};
use super::parts;

/// The normal of the plane is the x axis of both frames.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Planar {
    /// Sliding along y and z of A, in metres.
    pub slide: [Axis; 2],
    /// Turning about the normal, in radians, counted over many turns.
    pub turn: Axis,
}

impl Constraint for Planar {
    fn name(&self) -> &str {
        "planar"
    }

    fn rows(&self, frames: &Frames, out: &mut Rows) {
        let (a, gap) = (frames.a.axes(), frames.gap());
        out.push(Row::equal(parts::along(frames, a.x), a.x.dot(gap)));
        parts::parallel(frames, out);
        for (t, slide) in [a.y, a.z].into_iter().zip(&self.slide) {
            slide.rows(parts::along(frames, t), t.dot(gap), frames.time, out);
        }
        self.turn.rows(parts::twisting(frames), parts::counted_twist(frames), frames.time, out);
    }

    fn remember(&self, frames: &Frames) -> [f64; 4] {
        super::remember_twist(frames)
    }
}
