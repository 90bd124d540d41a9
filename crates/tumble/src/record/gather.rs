//! Payloads that several threads write: the parts and what is around them each into memory of its own, and then all of it, stretch by stretch, into one
//! piece, hashed while it is at hand.

use super::checksum::{self, Checksum, STRETCH};
use super::envelope;
use super::parts::{Part, Parts};
use super::stream::{Hasher, Sink};
use crate::crew::Team;
use crate::world::State;
use bytemuck::Pod;
use std::sync::{Mutex, OnceLock, PoisonError};

/// What somebody has written of a payload.
pub(super) struct Written<'a> {
    bytes: Vec<u8>,
    /// Where in it the parts belong that others write, in order.
    gaps: Vec<(usize, Part)>,
    /// What follows, which is there as bytes already.
    tail: &'a [u8],
}

impl<'a> Written<'a> {
    fn new(size: usize) -> Self {
        Self { bytes: Vec::with_capacity(size), gaps: Vec::new(), tail: &[] }
    }

    /// An array as [`super::stream::save_pods`] writes it, at the end of all.
    pub fn end_with<T: Pod>(&mut self, records: &'a [T]) {
        self.u32(records.len() as u32);
        self.tail = bytemuck::cast_slice(records);
    }
}

impl Sink for Written<'_> {
    fn bytes(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    fn part(&mut self, part: Part, _write: impl FnOnce(&mut Self)) {
        self.gaps.push((self.bytes.len(), part));
    }
}

/// A payload in pieces, in order.
#[derive(Default)]
struct Pieces<'a> {
    /// Each with where it begins.
    pieces: Vec<(usize, &'a [u8])>,
    length: usize,
    parts: Parts,
}

impl<'a> Pieces<'a> {
    fn push(&mut self, bytes: &'a [u8]) {
        self.pieces.push((self.length, bytes));
        self.length += bytes.len();
    }

    /// Adds what somebody has written, with the parts that belong into it.
    fn add(&mut self, written: &'a Written<'a>, of_part: &impl Fn(Part) -> Option<&'a Written<'a>>) {
        let mut from = 0;
        for &(gap, part) in &written.gaps {
            self.push(&written.bytes[from..gap]);
            let start = self.length;
            let written = of_part(part);
            debug_assert!(written.is_some(), "a part that nobody wrote");
            if let Some(written) = written {
                self.add(written, of_part);
            }
            self.parts.put(part, start..self.length);
            from = gap;
        }
        self.push(&written.bytes[from..]);
        self.push(written.tail);
    }

    /// Writes what begins at `start`.
    fn copy(&self, start: usize, mut to: &mut [u8]) {
        let first = self.pieces.partition_point(|&(begin, bytes)| begin + bytes.len() <= start);
        let mut from = start;
        for &(begin, bytes) in &self.pieces[first..] {
            let bytes = &bytes[from - begin..];
            let (here, rest) = to.split_at_mut(bytes.len().min(to.len()));
            here.copy_from_slice(&bytes[..here.len()]);
            (from, to) = (from + here.len(), rest);
            if to.is_empty() {
                break;
            }
        }
    }
}

/// Replaces `bytes` by the envelope and the payload of a state: the same that one thread writes.
pub(super) fn write(team: &Team, state: &State, bytes: &mut Vec<u8>) {
    let (around, parts) = (OnceLock::new(), [const { OnceLock::new() }; Part::COUNT]);
    // Each is set here, and once.
    team.for_tasks(1 + Part::COUNT, |task| match task.checked_sub(1).map(|next| Part::ALL[next]) {
        None => {
            let mut written = Written::new(state.size_around_parts());
            state.save(&mut written);
            let _ = around.set(written);
        }
        Some(part) => {
            // What is there already is not written.
            let size = if let Part::Manifolds = part { 4 } else { state.part_size(part) };
            let mut written = Written::new(size);
            state.save_part(part, &mut written);
            let _ = parts[part as usize].set(written);
        }
    });
    let mut pieces = Pieces::default();
    if let Some(around) = around.get() {
        pieces.add(around, &|part| parts[part as usize].get());
    }
    envelope::wrap_length(bytes, pieces.length, |payload| {
        let mut rest = payload;
        let all: Vec<Mutex<(&mut [u8], u64)>> = (0..checksum::stretches(pieces.length))
            .map(|_| {
                let here = rest.len().min(STRETCH);
                let (stretch, others) = core::mem::take(&mut rest).split_at_mut(here);
                rest = others;
                Mutex::new((stretch, 0))
            })
            .collect();
        team.for_tasks(all.len(), |at| {
            // Nobody else takes it.
            let (bytes, hash) = &mut *all[at].lock().unwrap_or_else(PoisonError::into_inner);
            pieces.copy(at * STRETCH, bytes);
            *hash = Hasher::of(bytes);
        });
        let hashes = all.into_iter().map(|stretch| stretch.into_inner().unwrap_or_else(PoisonError::into_inner).1);
        (Checksum::of_hashes(hashes), pieces.parts)
    });
}

#[cfg(test)]
mod tests {
    use super::super::{envelope, forged};
    use super::{Pieces, STRETCH};
    use crate::World;

    /// Several threads write what one does, to the byte, also over something longer or shorter that was there before; and read it.
    #[test]
    fn many_write_what_one_does() {
        let mut world = forged::world();
        let alone = world.snapshot().unwrap();
        for threads in [2, 3, 8] {
            world.set_threads(threads).unwrap();
            assert!(world.snapshot().unwrap() == alone, "{threads} threads");
            for before in [0, 100, alone.len() - 1, 2 * alone.len()] {
                let mut bytes = vec![0xAB; before];
                world.snapshot_into(&mut bytes).unwrap();
                assert!(bytes == alone, "{threads} threads over {before} bytes");
            }
            let mut other = World::new();
            other.set_threads(threads).unwrap();
            other.restore(&alone).unwrap();
            assert_eq!(other.hash(), world.hash());
        }
    }

    /// So they do where the last stretch of the payload is whole, and nothing follows.
    #[test]
    fn a_payload_may_end_with_a_stretch() {
        let mut world = forged::world();
        let body = world.body_ids().last().unwrap();
        let named = |world: &mut World, length: usize| {
            world.body_mut(body).unwrap().set_name(Some("n".repeat(length)));
            world.snapshot().unwrap()
        };
        world.set_threads(1).unwrap();
        let length = envelope::open(&named(&mut world, 1)).unwrap().payload.len();
        for more in [0, STRETCH] {
            let name = 1 + length.next_multiple_of(STRETCH) - length + more;
            world.set_threads(1).unwrap();
            let alone = named(&mut world, name);
            assert!(envelope::open(&alone).unwrap().payload.len().is_multiple_of(STRETCH));
            world.set_threads(2).unwrap();
            assert!(world.snapshot().unwrap() == alone);
            world.restore(&alone).unwrap();
        }
    }

    /// Any stretch of what is in pieces is copied, also of pieces in which nothing is.
    #[test]
    fn stretches_of_pieces_are_copied() {
        let whole: Vec<u8> = (0..60).collect();
        let mut pieces = Pieces::default();
        for (from, to) in [(0, 0), (0, 7), (7, 8), (8, 8), (8, 8), (8, 40), (40, 60), (60, 60)] {
            pieces.push(&whole[from..to]);
        }
        assert_eq!(pieces.length, whole.len());
        for from in 0..=whole.len() {
            for to in from..=whole.len() {
                let mut copied = vec![0xFF; to - from];
                pieces.copy(from, &mut copied);
                assert_eq!(copied, whole[from..to]);
            }
        }
    }
}
