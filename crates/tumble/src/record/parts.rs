//! Parts of a payload: stretches that hang together with the rest only by checks that come afterwards. Where a world has several threads, each
//! is read by one of them, and so is what is around them.

use super::stream::Source;
use crate::constraint::contact::{Contacts, LoadedContacts, Manifolds};
use crate::constraint::joint::{self, LoadedJoints};
use crate::detect::broad::BroadPhase;
use crate::error::{Error, Result};
use core::ops::Range;
use std::sync::OnceLock;

/// A part, by what is in it.
#[derive(Clone, Copy)]
pub(crate) enum Part {
    Broad,
    Contacts,
    /// Within the contacts.
    Manifolds,
    Joints,
}

impl Part {
    pub const COUNT: usize = Self::ALL.len();

    /// Those that mostly take long come first.
    pub const ALL: [Self; 4] = [Self::Joints, Self::Manifolds, Self::Contacts, Self::Broad];
}

/// The last is as many as there are.
const _: () = assert!(Part::Joints as usize + 1 == Part::COUNT);

/// Where the parts begin and end: places in ascending order, of which two parts that follow each other share one.
#[derive(Clone, Copy, Default)]
pub(crate) struct Parts([u64; 6]);

impl Parts {
    /// Bytes that [`Parts::to_bytes`] gives.
    pub const SIZE: usize = size_of::<Self>();

    pub fn to_bytes(self) -> [u8; Self::SIZE] {
        bytemuck::cast(self.0)
    }

    /// What an envelope says of a payload of so many bytes.
    pub fn load(source: &mut Source<'_>, length: usize) -> Result<Self> {
        let mut parts = Self::default();
        for place in &mut parts.0 {
            *place = source.u64()?;
        }
        if !parts.0.is_sorted() || parts.0.iter().any(|&place| place > length as u64) {
            return Err(Error::refused("snapshot", "the places of its parts are damaged"));
        }
        Ok(parts)
    }

    /// Which places are those of a part.
    fn ends(part: Part) -> [usize; 2] {
        match part {
            Part::Broad => [0, 1],
            Part::Contacts => [1, 4],
            Part::Manifolds => [2, 3],
            Part::Joints => [4, 5],
        }
    }

    pub fn put(&mut self, part: Part, range: Range<usize>) {
        let [start, end] = Self::ends(part);
        (self.0[start], self.0[end]) = (range.start as u64, range.end as u64);
    }

    pub fn range(&self, part: Part) -> Range<usize> {
        let [start, end] = Self::ends(part).map(|place| self.0[place] as usize);
        start..end
    }
}

/// The parts of a payload as they were read.
#[derive(Default)]
pub(super) struct Read {
    pub joints: OnceLock<Result<LoadedJoints>>,
    pub contacts: OnceLock<Result<LoadedContacts>>,
    pub manifolds: OnceLock<Result<Manifolds>>,
    pub broad: OnceLock<Result<BroadPhase>>,
}

impl Read {
    /// Reads a part that nobody has read.
    pub fn read(&self, part: Part, payload: &[u8], parts: &Parts, registry: &joint::Registry) {
        let mut source = Source::of_part(payload, parts, part);
        // Each is set here, and once.
        match part {
            Part::Joints => drop(self.joints.set(source.whole(|source| LoadedJoints::load(source, registry)))),
            Part::Contacts => drop(self.contacts.set(source.whole(Contacts::load))),
            Part::Manifolds => drop(self.manifolds.set(source.whole(Manifolds::load))),
            Part::Broad => drop(self.broad.set(source.whole(BroadPhase::load))),
        }
    }
}
