//! The checksum of a payload. Stretches of it are hashed by themselves, and their hashes together: so several threads can share them.

use super::stream::{Hasher, Sink};
use std::sync::OnceLock;

/// Bytes of a stretch: it takes about as long to hash as it takes to hand out.
pub(super) const STRETCH: usize = if cfg!(test) { 1 << 10 } else { 1 << 18 };

/// The checksum of a stream, which comes in pieces.
pub(super) struct Checksum {
    /// Of the hashes of the stretches that are whole.
    whole: Hasher,
    stretch: Hasher,
    /// Bytes that are still missing in this one.
    missing: usize,
}

impl Checksum {
    pub fn new() -> Self {
        Self { whole: Hasher::new(), stretch: Hasher::new(), missing: STRETCH }
    }

    pub fn bytes(&mut self, mut bytes: &[u8]) {
        while let Some((last, rest)) = bytes.split_at_checked(self.missing) {
            self.stretch.bytes(last);
            self.whole.u64(core::mem::replace(&mut self.stretch, Hasher::new()).finish());
            (self.missing, bytes) = (STRETCH, rest);
        }
        self.stretch.bytes(bytes);
        self.missing -= bytes.len();
    }

    /// A last stretch counts even if nothing is in it.
    pub fn finish(mut self) -> u64 {
        self.whole.u64(self.stretch.finish());
        self.whole.finish()
    }

    /// The checksum of a stream whose [`stretches`] have these hashes.
    pub fn of_hashes(hashes: impl Iterator<Item = u64>) -> u64 {
        let mut whole = Hasher::new();
        hashes.for_each(|hash| whole.u64(hash));
        whole.finish()
    }

    /// The checksum of these bytes.
    pub fn of(bytes: &[u8]) -> u64 {
        let mut checksum = Self::new();
        checksum.bytes(bytes);
        checksum.finish()
    }
}

/// How many stretches so many bytes have. In the last there may be nothing.
pub(super) fn stretches(length: usize) -> usize {
    length / STRETCH + 1
}

/// The same, stretch by stretch, in any order and on any threads.
pub(super) struct Stretches<'a> {
    bytes: &'a [u8],
    hashes: Vec<OnceLock<u64>>,
}

impl<'a> Stretches<'a> {
    pub fn of(bytes: &'a [u8]) -> Self {
        Self { bytes, hashes: (0..stretches(bytes.len())).map(|_| OnceLock::new()).collect() }
    }

    pub fn count(&self) -> usize {
        self.hashes.len()
    }

    /// The hash of one of them, found at the first call.
    pub fn hash(&self, stretch: usize) -> u64 {
        let from = &self.bytes[stretch * STRETCH..];
        *self.hashes[stretch].get_or_init(|| Hasher::of(&from[..from.len().min(STRETCH)]))
    }

    /// The checksum of all; what nobody has hashed is hashed now.
    pub fn checksum(&self) -> u64 {
        Checksum::of_hashes((0..self.count()).map(|stretch| self.hash(stretch)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// However a stream is cut into pieces, and whoever looks at its stretches, the checksum is one; lengths are those around the ends of stretches.
    #[test]
    fn pieces_and_stretches_agree() {
        let data: Vec<u8> = (0..3 * STRETCH as u32 + 5).map(|i| ((i * i) >> 7) as u8).collect();
        for length in [0, 1, STRETCH - 1, STRETCH, STRETCH + 1, 2 * STRETCH, data.len()] {
            let bytes = &data[..length];
            let whole = Checksum::of(bytes);
            for piece in [700, STRETCH, 2 * STRETCH + 1] {
                let mut checksum = Checksum::new();
                bytes.chunks(piece).for_each(|piece| checksum.bytes(piece));
                assert_eq!(checksum.finish(), whole, "{length} in pieces of {piece}");
            }
            let stretches = Stretches::of(bytes);
            (0..stretches.count()).rev().step_by(2).for_each(|stretch| _ = stretches.hash(stretch));
            assert_eq!(stretches.checksum(), whole, "{length} by stretches");
        }
    }

    /// Any altered byte, any change of length, and stretches that change places give another checksum.
    #[test]
    fn checksum_sees_bytes_length_and_order() {
        let data: Vec<u8> = (0..2 * STRETCH as u32 + 9).map(|i| (i >> 3) as u8).collect();
        let whole = Checksum::of(&data);
        for at in (0..data.len()).step_by(if cfg!(miri) { 601 } else { 7 }) {
            let mut altered = data.clone();
            altered[at] ^= 0x10;
            assert_ne!(Checksum::of(&altered), whole, "byte {at}");
        }
        for length in [0, STRETCH, 2 * STRETCH, 2 * STRETCH + 8] {
            assert_ne!(Checksum::of(&data[..length]), whole);
        }
        let (first, others) = data.split_at(STRETCH);
        let (second, last) = others.split_at(STRETCH);
        assert_ne!(Checksum::of(&[second, first, last].concat()), whole);
    }
}
