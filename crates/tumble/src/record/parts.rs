//! Parts of a payload: stretches that hang together with the rest only by checks that come afterwards. Where a world has several threads, one
//! of them reads these, and hashes, while another reads what is around them.

use super::stream::{Hasher, Source};
use crate::constraint::contact::Manifolds;
use crate::detect::broad::BroadPhase;
use crate::error::{Error, Result};
use core::ops::Range;

/// A part, by what is in it.
#[derive(Clone, Copy)]
pub(crate) enum Part {
    Broad,
    Manifolds,
}

impl Part {
    pub const COUNT: usize = 2;
}

/// Where the parts begin and end.
#[derive(Clone, Copy, Default)]
pub(crate) struct Parts([[u64; 2]; Part::COUNT]);

impl Parts {
    /// Bytes that [`Parts::to_bytes`] gives.
    pub const SIZE: usize = 16 * Part::COUNT;

    pub fn to_bytes(self) -> [u8; Self::SIZE] {
        bytemuck::cast(self.0)
    }

    /// What an envelope says of a payload of so many bytes.
    pub fn load(source: &mut Source<'_>, length: usize) -> Result<Self> {
        let mut parts = Self::default();
        for [start, end] in &mut parts.0 {
            (*start, *end) = (source.u64()?, source.u64()?);
            if !(*start <= *end && *end <= length as u64) {
                return Err(Error::refused("snapshot", "the places of its parts are damaged"));
            }
        }
        Ok(parts)
    }

    pub fn put(&mut self, part: Part, range: Range<usize>) {
        self.0[part as usize] = [range.start as u64, range.end as u64];
    }

    pub fn range(&self, part: Part) -> Range<usize> {
        let [start, end] = self.0[part as usize];
        start as usize..end as usize
    }
}

/// The parts of a payload as they were read.
pub(super) struct Read {
    pub broad: BroadPhase,
    pub manifolds: Manifolds,
}

/// The hash of a payload, and its parts.
pub(super) fn read(payload: &[u8], parts: &Parts) -> (u64, Result<Read>) {
    let whole = |part: Part| Source::unhashed(&payload[parts.range(part)]);
    let read = || {
        let (mut broad, mut manifolds) = (whole(Part::Broad), whole(Part::Manifolds));
        let read = Read { broad: BroadPhase::load(&mut broad)?, manifolds: Manifolds::load(&mut manifolds)? };
        if broad.is_empty() && manifolds.is_empty() { Ok(read) } else { Err(broad.corrupt("the end of a part")) }
    };
    (Hasher::of(payload), read())
}
