//! The edges for climbing in snapshots.

use super::{Climb, highest_along_diagonals};
use crate::error::Result;
use crate::math::Vec3;
use crate::record::stream::{Sink, Source};

impl Climb {
    pub(crate) fn save(&self, out: &mut impl Sink) {
        // The starts follow from the vertices.
        let Self { first, neighbours, starts: _ } = self;
        out.u32s(first);
        out.u32s(neighbours);
    }

    pub(crate) fn load(source: &mut Source<'_>, vertices: &[Vec3]) -> Result<Self> {
        let (first, neighbours) = (source.u32s()?, source.u32s()?);
        let sound = !vertices.is_empty()
            && first.len() == vertices.len() + 1
            && first.first() == Some(&0)
            && first.last() == Some(&(neighbours.len() as u32))
            && first.windows(2).all(|w| w[0] <= w[1])
            && neighbours.iter().all(|&v| (v as usize) < vertices.len());
        if !sound {
            return Err(source.corrupt("a hull"));
        }
        Ok(Self { first, neighbours, starts: highest_along_diagonals(vertices) })
    }
}
