//! Byte streams: one description of the state serves snapshot and hash alike, so neither can forget what the other covers.

use super::checksum::Checksum;
use super::parts::{Part, Parts};
use crate::error::{Error, Result};
use crate::math::{Isa, Kernel, Lane, Real, Vec3, prefetch_beyond};
use bytemuck::Pod;
use core::marker::PhantomData;

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
    /// Several numbers in a row, in one piece.
    fn reals(&mut self, v: &[Real]) {
        self.bytes(bytemuck::cast_slice(v));
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
    /// Takes a part that can be read apart from what is around it.
    fn part(&mut self, _part: Part, write: impl FnOnce(&mut Self))
    where
        Self: Sized,
    {
        write(self);
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

/// Writes `count` records that are made one by one as [`save_pods`] writes an array, without gathering them all.
pub(crate) fn save_records<T: Pod>(out: &mut impl Sink, count: usize, records: impl Iterator<Item = T>) {
    out.u32(count as u32);
    write_records(out, records);
}

/// Writes records that are made one by one, without gathering them all, and without their number.
pub(crate) fn write_records<T: Pod>(out: &mut impl Sink, mut records: impl Iterator<Item = T>) {
    // As many as stay in the fastest cache.
    let mut part = [T::zeroed(); 64];
    loop {
        let mut filled = 0;
        for (place, record) in part.iter_mut().zip(&mut records) {
            *place = record;
            filled += 1;
        }
        out.bytes(bytemuck::cast_slice(&part[..filled]));
        if filled < part.len() {
            break;
        }
    }
}

/// Writes a few arrays whose last elements mostly are zeros: of all of them as many elements as the one that has most.
pub(crate) fn save_leading<'a, T: Pod, const N: usize>(
    out: &mut impl Sink,
    arrays: impl Iterator<Item = &'a [T; N]> + Clone,
) {
    let (mut any, mut count) = ([T::zeroed(); N], 0);
    let any: &mut [u8] = bytemuck::cast_slice_mut(&mut any);
    for array in arrays.clone() {
        any.iter_mut().zip(bytemuck::cast_slice(array)).for_each(|(any, byte): (_, &u8)| *any |= byte);
        count += 1;
    }
    let length = any.iter().rposition(|&byte| byte != 0).map_or(0, |last| last / size_of::<T>() + 1);
    out.u32(length as u32);
    if length > 0 {
        let mut bytes = Vec::with_capacity(count * length * size_of::<T>());
        arrays.for_each(|array| bytes.extend_from_slice(bytemuck::cast_slice(&array[..length])));
        out.bytes(&bytes);
    }
}

/// Arrays of which the first elements are stored.
pub(crate) struct Leading<'a, T, const N: usize> {
    bytes: &'a [u8],
    length: usize,
    of: PhantomData<T>,
}

impl<'a, T: Pod, const N: usize> Leading<'a, T, N> {
    /// So many arrays that [`save_leading`] wrote.
    pub fn load(source: &mut Source<'a>, count: usize) -> Result<Self> {
        let length = source.u32()? as usize;
        if length > N {
            return Err(source.corrupt("the length of a list"));
        }
        let bytes = source.bytes(count.saturating_mul(length * size_of::<T>()))?;
        Ok(Self { bytes, length, of: PhantomData })
    }

    /// Puts the next array where it is to be, which is filled with zeros. Behind the last come zeros.
    ///
    /// It is not put together elsewhere: what was written in pieces and is then read as a whole is waited for until all that was written before it has
    /// left the processor.
    #[inline(always)]
    pub fn next(&mut self, zeros: &mut [T; N]) {
        if let Some((first, rest)) = self.bytes.split_at_checked(self.length * size_of::<T>()) {
            bytemuck::cast_slice_mut(&mut zeros[..self.length]).copy_from_slice(first);
            self.bytes = rest;
        }
    }

    /// All elements of all arrays but the zeros at their ends.
    pub fn elements(&self) -> impl Iterator<Item = T> + 'a {
        self.bytes.chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned)
    }
}

/// A 64-bit hash of a stream of bytes, the same for every way in which the stream is cut into pieces, and in every instruction set.
///
/// Words of eight bytes are dealt to sixteen lanes in turn, each mixed by shifts, an addition and exclusive ors, which all sets have for several
/// lanes at once: hashing keeps up with memory. At the end the lanes are folded into one by multiplication and rotation, which is mixed as in
/// MurmurHash3's finaliser. All steps are one to one in the word that enters, so a change of any single word changes the hash for certain, other
/// changes all but certainly. It guards against accidents, not against attackers.
pub(crate) struct Hasher {
    lanes: [u64; LANES],
    pending: [u8; BLOCK],
    pending_bytes: usize,
    length: u64,
    isa: Isa,
}

/// Enough that no mixing waits for the one before it.
const LANES: usize = 16;
const BLOCK: usize = 8 * LANES;
/// How far ahead a hash asks for what it will read: farther than processors look ahead by themselves, since of a snapshot that was put aside
/// nothing is at hand.
const AHEAD: usize = 4096;

impl Hasher {
    pub fn new() -> Self {
        let lanes = core::array::from_fn(|lane| Self::fold(0x9e37_79b9_7f4a_7c15, lane as u64 + 1));
        Self { lanes, pending: [0; BLOCK], pending_bytes: 0, length: 0, isa: Isa::detect() }
    }

    #[inline(always)]
    fn fold(state: u64, word: u64) -> u64 {
        (state ^ word).wrapping_mul(0xff51_afd7_ed55_8ccd).rotate_left(29)
    }

    pub fn finish(mut self) -> u64 {
        // The length tells a last block that was filled up from one that ends in zeros.
        self.pending[self.pending_bytes..].fill(0);
        Blocks { lanes: &mut self.lanes, blocks: &[self.pending] }.mix();
        let mut h = self.lanes.into_iter().fold(self.length, Self::fold);
        h ^= h >> 33;
        h = h.wrapping_mul(0xc4ce_b9fe_1a85_ec53);
        h ^ (h >> 33)
    }

    /// The hash of these bytes.
    pub fn of(bytes: &[u8]) -> u64 {
        let mut hasher = Self::new();
        hasher.bytes(bytes);
        hasher.finish()
    }
}

impl Sink for Hasher {
    #[inline]
    fn bytes(&mut self, mut bytes: &[u8]) {
        self.length += bytes.len() as u64;
        if self.pending_bytes > 0 {
            let taken = bytes.len().min(BLOCK - self.pending_bytes);
            let (head, rest) = bytes.split_at(taken);
            self.pending[self.pending_bytes..][..taken].copy_from_slice(head);
            self.pending_bytes += taken;
            if self.pending_bytes < BLOCK {
                return;
            }
            Blocks { lanes: &mut self.lanes, blocks: &[self.pending] }.mix();
            bytes = rest;
        }
        let (blocks, rest) = bytes.as_chunks::<BLOCK>();
        if !blocks.is_empty() {
            self.isa.dispatch(Blocks { lanes: &mut self.lanes, blocks });
        }
        self.pending[..rest.len()].copy_from_slice(rest);
        self.pending_bytes = rest.len();
    }
}

/// Blocks that enter the lanes of a hash.
struct Blocks<'a> {
    lanes: &'a mut [u64; LANES],
    blocks: &'a [[u8; BLOCK]],
}

impl Blocks<'_> {
    /// x := s ^ w,  x := x (1 + 2^23),  s := x ^ (x >> 31) for each lane s and the word w that enters it.
    #[inline(always)]
    fn mix(self) {
        let mut lanes = *self.lanes;
        for block in self.blocks {
            prefetch_beyond(block, AHEAD);
            prefetch_beyond(block, AHEAD + BLOCK / 2);
            let (words, _) = block.as_chunks::<8>();
            for k in 0..LANES {
                let mut x = lanes[k] ^ u64::from_le_bytes(words[k]);
                x = x.wrapping_add(x << 23);
                lanes[k] = x ^ (x >> 31);
            }
        }
        *self.lanes = lanes;
    }
}

/// Numbers of the engine have no part in it: a kernel for the sake of its instruction set.
impl Kernel for Blocks<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        self.mix();
    }
}

/// Gives back what a [`Sink`] took. Every read is checked; a stream that is cut short or altered gives an error.
pub(crate) struct Source<'a> {
    bytes: &'a [u8],
    position: usize,
    /// The checksum of the first `hashed` bytes. It follows the reading in pieces, while they are in the cache; `None` where it is somebody else's
    /// concern.
    checksum: Option<Checksum>,
    hashed: usize,
    /// Where it is to follow next: nowhere, if it is not here.
    due: usize,
    /// Where the parts are, if that is known.
    parts: Option<Parts>,
    /// They are read elsewhere.
    elsewhere: bool,
}

/// Bytes that are hashed at once: what is left of the fastest cache beside what else is going on.
pub(super) const PIECE: usize = 1 << 14;

impl<'a> Source<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            position: 0,
            checksum: Some(Checksum::new()),
            hashed: 0,
            due: PIECE,
            parts: None,
            elsewhere: false,
        }
    }

    /// A payload whose parts are here.
    pub fn with_parts(bytes: &'a [u8], parts: &Parts) -> Self {
        Self { parts: Some(*parts), ..Self::new(bytes) }
    }

    /// A payload of which others read the parts, and hash it.
    pub fn around_parts(bytes: &'a [u8], parts: &Parts) -> Self {
        Self { parts: Some(*parts), elsewhere: true, ..Self::unhashed(bytes) }
    }

    /// A part of a payload, of which somebody else reads the parts within.
    pub fn of_part(bytes: &'a [u8], parts: &Parts, part: Part) -> Self {
        let range = parts.range(part);
        Self { position: range.start, ..Self::around_parts(&bytes[..range.end], parts) }
    }

    /// Bytes that somebody else hashes.
    pub fn unhashed(bytes: &'a [u8]) -> Self {
        Self { checksum: None, due: usize::MAX, ..Self::new(bytes) }
    }

    /// The checksum of the whole stream.
    pub fn checksum(self) -> u64 {
        let mut checksum = self.checksum.unwrap_or_else(Checksum::new);
        checksum.bytes(&self.bytes[self.hashed..]);
        checksum.finish()
    }

    /// What a sink took as this part, or `None` where it is read elsewhere. It must be where it is said to be.
    pub fn part<T>(&mut self, part: Part, read: impl FnOnce(&mut Self) -> Result<T>) -> Result<Option<T>> {
        let range = self.parts.map(|parts| parts.range(part));
        if range.as_ref().is_some_and(|range| range.start != self.position || range.end > self.bytes.len()) {
            return Err(self.corrupt("the place of a part"));
        }
        if let (true, Some(range)) = (self.elsewhere, &range) {
            self.position = range.end;
            return Ok(None);
        }
        let part = read(self)?;
        if range.is_some_and(|range| range.end != self.position) {
            return Err(self.corrupt("the end of a part"));
        }
        Ok(Some(part))
    }

    /// What a sink took as the whole of the stream.
    pub fn whole<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let all = read(self)?;
        if self.is_empty() { Ok(all) } else { Err(self.corrupt("the end of a part")) }
    }

    pub fn corrupt(&self, what: &'static str) -> Error {
        Error::refused("snapshot", format!("{what} is damaged near byte {}", self.position))
    }

    /// The next bytes. Inlined, so that a number of known size is read by one load; what is rare stands apart.
    #[inline(always)]
    pub fn bytes(&mut self, count: usize) -> Result<&'a [u8]> {
        let Some(bytes) = self.bytes.get(self.position..).and_then(|rest| rest.get(..count)) else {
            return Err(self.cut_short());
        };
        self.position += count;
        if self.position >= self.due {
            self.hash_piece();
        }
        Ok(bytes)
    }

    /// Lets the hash follow the reading.
    #[cold]
    fn hash_piece(&mut self) {
        if let Some(checksum) = &mut self.checksum {
            checksum.bytes(&self.bytes[self.hashed..self.position]);
            (self.hashed, self.due) = (self.position, self.position.saturating_add(PIECE));
        }
    }

    #[cold]
    fn cut_short(&self) -> Error {
        Error::refused("snapshot", format!("cut short at byte {}", self.bytes.len()))
    }

    pub fn is_empty(&self) -> bool {
        self.position == self.bytes.len()
    }

    #[inline(always)]
    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let bytes = self.bytes(N)?;
        let mut a = [0; N];
        a.copy_from_slice(bytes);
        Ok(a)
    }

    #[inline(always)]
    pub fn u8(&mut self) -> Result<u8> {
        Ok(self.array::<1>()?[0])
    }
    #[inline(always)]
    pub fn bool(&mut self) -> Result<bool> {
        match self.u8()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(self.corrupt("a flag")),
        }
    }
    #[inline(always)]
    pub fn u32(&mut self) -> Result<u32> {
        Ok(u32::from_le_bytes(self.array()?))
    }
    #[inline(always)]
    pub fn u64(&mut self) -> Result<u64> {
        Ok(u64::from_le_bytes(self.array()?))
    }
    #[inline(always)]
    pub fn f64(&mut self) -> Result<f64> {
        Ok(f64::from_bits(self.u64()?))
    }
    #[inline(always)]
    pub fn real(&mut self) -> Result<Real> {
        Ok(Real::from_le_bytes(self.array()?))
    }
    /// Several numbers in a row.
    pub fn reals<const N: usize>(&mut self) -> Result<[Real; N]> {
        let bytes = self.bytes(N * size_of::<Real>())?;
        let mut reals = [0.0; N];
        bytemuck::bytes_of_mut(&mut reals).copy_from_slice(bytes);
        Ok(reals)
    }
    #[inline(always)]
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
        if self.holds(n, least) { Ok(n) } else { Err(self.cut_short()) }
    }

    /// The rest of the stream has room for so many things that take at least `least` bytes each.
    pub fn holds(&self, count: usize, least: usize) -> bool {
        count.checked_mul(least).is_some_and(|total| total <= self.bytes.len() - self.position)
    }

    /// The records that [`save_pods`] wrote, one by one, without an array of them.
    pub fn records<T: Pod>(&mut self) -> Result<impl ExactSizeIterator<Item = T> + 'a> {
        let n = self.count(size_of::<T>())?;
        Ok(self.bytes(n * size_of::<T>())?.chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned))
    }

    /// An array that [`save_pods`] wrote.
    pub fn pods<T: Pod>(&mut self) -> Result<Vec<T>> {
        self.pods_seen(|_, _| ())
    }

    /// An array that [`save_pods`] wrote, shown to `see` part by part while these are in the cache, with how many are left, these
    /// among them.
    pub fn pods_seen<T: Pod>(&mut self, mut see: impl FnMut(&[T], usize)) -> Result<Vec<T>> {
        let n = self.count(size_of::<T>())?;
        let mut records: Vec<T> = Vec::with_capacity(n);
        let at_once = (PIECE / size_of::<T>()).max(1);
        while records.len() < n {
            let more = at_once.min(n - records.len());
            let bytes = self.bytes(more * size_of::<T>())?;
            // SAFETY: there is room for `more` records behind those that are there, which take as many bytes as there are; these may
            // lie anywhere, since they are copied as bytes; and any bytes are records, all of which are written.
            unsafe {
                let end = records.as_mut_ptr().add(records.len());
                core::ptr::copy_nonoverlapping(bytes.as_ptr(), end.cast::<u8>(), bytes.len());
                records.set_len(records.len() + more);
            }
            see(&records[records.len() - more..], n - records.len() + more);
        }
        Ok(records)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The hash must not depend on how a writer happens to cut the state into pieces.
    #[test]
    fn hash_ignores_piece_boundaries() {
        let data: Vec<u8> = (0..97u8).collect();
        let whole = Hasher::of(&data);
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

    /// Every instruction set comes to the same hash.
    #[test]
    fn hash_is_the_same_in_every_set() {
        let data: Vec<u8> = (0..5000u32).map(|i| ((i * i) >> 3) as u8).collect();
        let hashes = Isa::available().into_iter().map(|isa| {
            let mut hasher = Hasher { isa, ..Hasher::new() };
            hasher.bytes(&data);
            hasher.finish()
        });
        // What the equations come to elsewhere.
        assert!(hashes.into_iter().all(|hash| hash == 0x2755_8bf3_5884_b99e));
    }

    /// Any one altered byte, and any change of length, gives another hash: of zeros too, which leave no trace in sums.
    #[test]
    fn hash_sees_every_byte_and_the_length() {
        // Lengths before, at and after the end of a block; under Miri, which is slow, few of them.
        for length in (0..200).step_by(if cfg!(miri) { 41 } else { 1 }) {
            let mut data = vec![0u8; length];
            let whole = Hasher::of(&data);
            assert_ne!(whole, Hasher::of(&vec![0u8; length + 1]), "{length} zeros and one more");
            for i in 0..length {
                for bit in 0..8 {
                    data[i] ^= 1 << bit;
                    assert_ne!(whole, Hasher::of(&data), "bit {bit} of byte {i} of {length}");
                    data[i] ^= 1 << bit;
                }
            }
        }
    }

    /// Records come back from any address, aligned or not, as they do when they are read one by one.
    #[test]
    fn pods_are_read_from_any_address() {
        let records: Vec<[u64; 3]> = (0..10).map(|i| [i, i * i, !i]).collect();
        for shift in 0..9 {
            let mut bytes = vec![0u8; shift];
            save_pods(&mut bytes, &records);
            assert_eq!(Source::new(&bytes[shift..]).pods::<[u64; 3]>().unwrap(), records);
            let one_by_one: Vec<[u64; 3]> =
                bytes[shift + 4..].chunks_exact(24).map(bytemuck::pod_read_unaligned).collect();
            assert_eq!(one_by_one, records);
            assert!(Source::new(&bytes[shift..]).records::<[u64; 3]>().unwrap().eq(records.iter().copied()));
            for count in [0, 1, 63, 64, 65, 130] {
                let many = || (0..count as u64).map(|i| [i, !i]);
                let (mut in_parts, mut whole) = (Vec::new(), Vec::new());
                save_records(&mut in_parts, count, many());
                save_pods(&mut whole, &many().collect::<Vec<_>>());
                assert_eq!(in_parts, whole);
            }
            let (mut source, mut numbers) = (Source::new(&bytes[shift..]), Source::new(&bytes[shift..]));
            let row = source.reals::<5>().unwrap();
            assert_eq!(row.map(|x| x.to_bits()), [(); 5].map(|()| numbers.real().unwrap().to_bits()));
            assert!(Source::new(&bytes[..3]).reals::<1>().is_err());
        }
    }

    /// Arrays come back with all their elements, of which those that are zeros in the end of all take no room; one that says that it is longer than
    /// it can be, or of which something is missing, is refused.
    #[test]
    fn leading_elements_come_back() {
        let arrays = [[1.0, -0.0, 0.0, 0.0], [0.0; 4], [2.0, 0.0, 0.0, 0.0]];
        for (arrays, bytes) in [(&arrays[..], 4 + 3 * 16), (&arrays[1..], 4 + 2 * 8), (&arrays[1..2], 4), (&[][..], 4)]
        {
            let mut saved: Vec<u8> = Vec::new();
            save_leading::<f64, 4>(&mut saved, arrays.iter());
            assert_eq!(saved.len(), bytes);
            let read = |bytes: &[u8]| {
                let mut leading = Leading::<f64, 4>::load(&mut Source::new(bytes), arrays.len()).ok()?;
                let next = |_| {
                    let mut array = [0.0; 4];
                    leading.next(&mut array);
                    array
                };
                Some(arrays.iter().map(next).collect::<Vec<_>>())
            };
            let bits = |arrays: Vec<[f64; 4]>| arrays.into_iter().map(|a| a.map(f64::to_bits)).collect::<Vec<_>>();
            assert_eq!(read(&saved).map(bits), Some(bits(arrays.to_vec())));
            assert_eq!(read(&saved[..saved.len() - 1]), None);
            saved[0] = 5;
            assert_eq!(read(&saved), None);
        }
    }

    /// The hash follows the reading, however it is cut into pieces, and goes on to the end where the reading does not.
    #[test]
    fn a_source_hashes_what_it_holds() {
        let mut bytes = Vec::new();
        save_pods(&mut bytes, &(0..20_000u64).collect::<Vec<_>>());
        bytes.extend(0..100u8);
        for read in 0..4 {
            let mut source = Source::new(&bytes);
            for _ in 0..read % 3 {
                source.u8().unwrap();
            }
            if read == 3 {
                assert_eq!(source.pods::<u64>().unwrap().len(), 20_000);
            } else {
                source.bytes(70_001 * read).unwrap();
            }
            assert_eq!(source.checksum(), Checksum::of(&bytes));
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
