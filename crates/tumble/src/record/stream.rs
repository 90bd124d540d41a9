//! Byte streams: one description of the state serves snapshot and hash alike, so neither can forget what the other covers.

use crate::error::{Error, Result};
use crate::math::{Real, Vec3};
use bytemuck::Pod;

/// Takes the state of a world, piece by piece, in a fixed little-endian order.
pub(crate) trait Sink {
    fn bytes(&mut self, bytes: &[u8]);

    fn u8(&mut self, v: u8) {
        self.bytes(&[v]);
    }
    fn bool(&mut self, v: bool) {
        self.u8(v as u8);
    }
    fn u32(&mut self, v: u32) {
        self.bytes(&v.to_le_bytes());
    }
    fn u64(&mut self, v: u64) {
        self.bytes(&v.to_le_bytes());
    }
    fn f64(&mut self, v: f64) {
        self.u64(v.to_bits());
    }
    fn real(&mut self, v: Real) {
        self.bytes(&v.to_le_bytes());
    }
    fn vec3(&mut self, v: Vec3) {
        self.real(v.x);
        self.real(v.y);
        self.real(v.z);
    }
    fn str(&mut self, v: &str) {
        self.u32(v.len() as u32);
        self.bytes(v.as_bytes());
    }
    fn u32s(&mut self, v: &[u32]) {
        self.u32(v.len() as u32);
        self.bytes(bytemuck::cast_slice(v));
    }
}

impl Sink for Vec<u8> {
    fn bytes(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }
}

/// Writes an array of plain records at memory speed.
///
/// The records are stored as the machine holds them; every target that Rust and this engine support is little-endian
/// (a big-endian one fails to compile in `lib.rs`).
pub(crate) fn save_pods<T: Pod>(out: &mut (impl Sink + ?Sized), records: &[T]) {
    out.u32(records.len() as u32);
    out.bytes(bytemuck::cast_slice(records));
}

/// A 64-bit hash of a stream of bytes, the same for every way in which the stream is cut into pieces.
///
/// Words of eight bytes are folded by multiplication and rotation and the result is mixed as in MurmurHash3's finaliser.
/// It guards against accidents, not against attackers.
pub(crate) struct Hasher {
    state: u64,
    pending: u64,
    pending_bytes: u32,
    length: u64,
}

impl Hasher {
    pub fn new() -> Self {
        Self { state: 0x9e37_79b9_7f4a_7c15, pending: 0, pending_bytes: 0, length: 0 }
    }

    #[inline(always)]
    fn word(&mut self, w: u64) {
        self.state = (self.state ^ w).wrapping_mul(0xff51_afd7_ed55_8ccd).rotate_left(29);
    }

    pub fn finish(mut self) -> u64 {
        let (pending, length) = (self.pending, self.length);
        self.word(pending);
        self.word(length);
        let mut h = self.state;
        h ^= h >> 33;
        h = h.wrapping_mul(0xc4ce_b9fe_1a85_ec53);
        h ^ (h >> 33)
    }
}

impl Sink for Hasher {
    fn bytes(&mut self, mut bytes: &[u8]) {
        self.length += bytes.len() as u64;
        while self.pending_bytes > 0 {
            let Some((&b, rest)) = bytes.split_first() else { return };
            self.pending |= u64::from(b) << (8 * self.pending_bytes);
            self.pending_bytes = (self.pending_bytes + 1) % 8;
            bytes = rest;
            if self.pending_bytes == 0 {
                let w = core::mem::take(&mut self.pending);
                self.word(w);
            }
        }
        let (words, rest) = bytes.as_chunks::<8>();
        for w in words {
            self.word(u64::from_le_bytes(*w));
        }
        for (i, &b) in rest.iter().enumerate() {
            self.pending |= u64::from(b) << (8 * i);
        }
        self.pending_bytes = rest.len() as u32;
    }
}

/// Gives back what a [`Sink`] took. Every read is checked; a stream that is cut short or altered gives an error.
pub(crate) struct Source<'a> {
    bytes: &'a [u8],
    position: usize,
}

impl<'a> Source<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, position: 0 }
    }

    pub fn corrupt(&self, what: &'static str) -> Error {
        Error::refused("snapshot", format!("{what} is damaged near byte {}", self.position))
    }

    pub fn bytes(&mut self, count: usize) -> Result<&'a [u8]> {
        match self.position.checked_add(count).and_then(|end| self.bytes.get(self.position..end)) {
            Some(bytes) => {
                self.position += count;
                Ok(bytes)
            }
            None => Err(Error::refused("snapshot", format!("cut short at byte {}", self.bytes.len()))),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.position == self.bytes.len()
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let bytes = self.bytes(N)?;
        let mut a = [0; N];
        a.copy_from_slice(bytes);
        Ok(a)
    }

    pub fn u8(&mut self) -> Result<u8> {
        Ok(self.array::<1>()?[0])
    }
    pub fn bool(&mut self) -> Result<bool> {
        match self.u8()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(self.corrupt("a flag")),
        }
    }
    pub fn u32(&mut self) -> Result<u32> {
        Ok(u32::from_le_bytes(self.array()?))
    }
    pub fn u64(&mut self) -> Result<u64> {
        Ok(u64::from_le_bytes(self.array()?))
    }
    pub fn f64(&mut self) -> Result<f64> {
        Ok(f64::from_bits(self.u64()?))
    }
    pub fn real(&mut self) -> Result<Real> {
        Ok(Real::from_le_bytes(self.array()?))
    }
    pub fn vec3(&mut self) -> Result<Vec3> {
        Ok(Vec3::new(self.real()?, self.real()?, self.real()?))
    }
    pub fn str(&mut self) -> Result<&'a str> {
        let n = self.u32()? as usize;
        let bytes = self.bytes(n)?;
        core::str::from_utf8(bytes).map_err(|_| self.corrupt("a text"))
    }
    pub fn u32s(&mut self) -> Result<Vec<u32>> {
        self.pods()
    }

    /// A count of things that take at least `least` bytes each: one that the rest of the stream cannot hold is refused
    /// before anything is allocated.
    pub fn count(&mut self, least: usize) -> Result<usize> {
        let n = self.u32()? as usize;
        match n.checked_mul(least) {
            Some(total) if total <= self.bytes.len() - self.position => Ok(n),
            _ => Err(Error::refused("snapshot", format!("cut short at byte {}", self.bytes.len()))),
        }
    }

    /// An array that [`save_pods`] wrote.
    pub fn pods<T: Pod>(&mut self) -> Result<Vec<T>> {
        let n = self.count(size_of::<T>())?;
        let bytes = self.bytes(n * size_of::<T>())?;
        let mut out = vec![T::zeroed(); n];
        bytemuck::cast_slice_mut(&mut out).copy_from_slice(bytes);
        Ok(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The hash must not depend on how a writer happens to cut the state into pieces.
    #[test]
    fn hash_ignores_piece_boundaries() {
        let data: Vec<u8> = (0..97u8).collect();
        let whole = {
            let mut h = Hasher::new();
            h.bytes(&data);
            h.finish()
        };
        for cut in 0..data.len() {
            for cut2 in cut..data.len() {
                let mut h = Hasher::new();
                h.bytes(&data[..cut]);
                h.bytes(&data[cut..cut2]);
                h.bytes(&data[cut2..]);
                assert_eq!(h.finish(), whole);
            }
        }
    }

    /// A length field of 4 billion in a short stream must be refused without asking for the memory.
    #[test]
    fn absurd_count_is_refused_before_allocation() {
        let mut bytes: Vec<u8> = Vec::new();
        bytes.u32(u32::MAX);
        assert!(Source::new(&bytes).pods::<u64>().is_err());
        assert!(Source::new(&bytes).str().is_err());
    }
}
