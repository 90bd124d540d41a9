//! Parallel axes: B may go anywhere, but an axis of it stays parallel to one of A. Two rows: C = (y_A·e, z_A·e).

use super::super::{Constraint, Frames, Rows};
use super::parts;

/// The axes are the x axes of the frames; against [`World::BODY`](crate::World::BODY) it keeps a body upright.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Parallel;

impl Constraint for Parallel {
    fn name(&self) -> &str {
        "parallel"
    }

    fn rows(&self, frames: &Frames, out: &mut Rows) {
        parts::parallel(frames, out);
    }
}
