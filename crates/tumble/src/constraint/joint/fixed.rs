//! Fixed joint: B stands still as seen from A. Six rows: C = d, C = R_A φ.

use super::super::{Constraint, Frames, Rows};
use super::parts;

/// Welds the two frames together.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Fixed;

impl Constraint for Fixed {
    fn name(&self) -> &str {
        "fixed"
    }

    fn rows(&self, frames: &Frames, out: &mut Rows) {
        parts::coincide(frames, out);
        parts::turned_alike(frames, out);
    }
}
