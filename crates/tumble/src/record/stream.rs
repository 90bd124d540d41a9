//! Byte streams: one description of the state serves snapshot and hash alike, so neither can forget what the other covers.

use super::parts::{Part, Parts};
use crate::error::{Error, Result};
use crate::math::{Real, Vec3, prefetch_beyond};
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

/// Bytes in a packet.
const PACKET: usize = 1024;

/// Gathers small pieces for a sink that takes long ones faster.
pub(crate) struct Packet<'a> {
    out: &'a mut dyn Sink,
    bytes: [u8; PACKET],
    filled: usize,
}

impl<'a> Packet<'a> {
    /// Gathers what `write` writes, and leaves nothing behind.
    pub fn fill(out: &'a mut dyn Sink, write: impl FnOnce(&mut Self)) {
        let mut packet = Self { out, bytes: [0; PACKET], filled: 0 };
        write(&mut packet);
        packet.send();
    }

    #[cold]
    fn send(&mut self) {
        self.out.bytes(&self.bytes[..self.filled]);
        self.filled = 0;
    }

    /// Takes a piece for which there is no room.
    #[cold]
    fn take_long(&mut self, bytes: &[u8]) {
        self.send();
        match self.bytes.get_mut(..bytes.len()) {
            Some(room) => {
                room.copy_from_slice(bytes);
                self.filled = bytes.len();
            }
            None => self.out.bytes(bytes),
        }
    }
}

impl Sink for Packet<'_> {
    #[inline(always)]
    fn bytes(&mut self, bytes: &[u8]) {
        match self.bytes.get_mut(self.filled..).and_then(|rest| rest.get_mut(..bytes.len())) {
            Some(room) => {
                room.copy_from_slice(bytes);
                self.filled += bytes.len();
            }
            None => self.take_long(bytes),
        }
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
pub(crate) fn save_records<T: Pod>(out: &mut impl Sink, count: usize, mut records: impl Iterator<Item = T>) {
    // As many as stay in the fastest cache.
    let mut part = [T::zeroed(); 64];
    out.u32(count as u32);
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

/// Writes records of which many in a row are alike: each run as its length and one record, and a length of zero at the end.
pub(crate) fn save_runs<T: Pod>(out: &mut impl Sink, records: impl Iterator<Item = T>) {
    let mut put = |count: u32, record: &T| {
        out.u32(count);
        if count > 0 {
            out.bytes(bytemuck::bytes_of(record));
        }
    };
    let (mut count, mut last) = (0, T::zeroed());
    for record in records {
        if count > 0 && bytemuck::bytes_of(&last) != bytemuck::bytes_of(&record) {
            put(count, &last);
            count = 0;
        }
        (count, last) = (count + 1, record);
    }
    if count > 0 {
        put(count, &last);
    }
    put(0, &last);
}

/// What [`save_runs`] wrote: each record as often as its run is long.
pub(crate) struct Runs<'a, T> {
    bytes: &'a [u8],
    /// Records of the run, and of all runs.
    left: u32,
    total: usize,
    record: T,
}

impl<T: Pod> Runs<'_, T> {
    /// The next record is the first of its run: what was made of the one before is not for it.
    pub fn begins(&self) -> bool {
        self.left == 0
    }

    /// What is left of this run, or the next one: its record, and how many there are.
    pub fn next_run(&mut self) -> Option<(T, usize)> {
        let record = self.next()?;
        let more = (self.left as usize).min(self.total);
        (self.left, self.total) = (0, self.total - more);
        Some((record, more + 1))
    }
}

impl<T: Pod> Iterator for Runs<'_, T> {
    type Item = T;

    #[inline]
    fn next(&mut self) -> Option<T> {
        if self.left == 0 {
            let (count, rest) = self.bytes.split_first_chunk::<4>()?;
            let (record, rest) = rest.split_at_checked(size_of::<T>())?;
            (self.left, self.record) = (u32::from_le_bytes(*count), bytemuck::pod_read_unaligned(record));
            self.bytes = rest;
        }
        (self.left, self.total) = (self.left.checked_sub(1)?, self.total.checked_sub(1)?);
        Some(self.record)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.total, Some(self.total))
    }
}

/// A 64-bit hash of a stream of bytes, the same for every way in which the stream is cut into pieces.
///
/// Words of eight bytes are dealt to eight lanes in turn, each folded by multiplication and rotation: no multiplication
/// waits for the one before it, so that hashing keeps up with memory. At the end the lanes are folded into one, which is mixed
/// as in MurmurHash3's finaliser. All steps are one to one in the word that enters, so a change of any single word changes
/// the hash for certain, other changes all but certainly. It guards against accidents, not against attackers.
pub(crate) struct Hasher {
    lanes: [u64; LANES],
    pending: [u8; BLOCK],
    pending_bytes: usize,
    length: u64,
}

const LANES: usize = 8;
const BLOCK: usize = 8 * LANES;
/// How far ahead a hash asks for what it will read: farther than processors look ahead by themselves, since of a snapshot that was put aside
/// nothing is at hand.
const AHEAD: usize = 4096;

impl Hasher {
    pub fn new() -> Self {
        let lanes = core::array::from_fn(|lane| Self::fold(0x9e37_79b9_7f4a_7c15, lane as u64 + 1));
        Self { lanes, pending: [0; BLOCK], pending_bytes: 0, length: 0 }
    }

    #[inline(always)]
    fn fold(state: u64, word: u64) -> u64 {
        (state ^ word).wrapping_mul(0xff51_afd7_ed55_8ccd).rotate_left(29)
    }

    #[inline(always)]
    fn block(lanes: &mut [u64; LANES], block: &[u8; BLOCK]) {
        let (words, _) = block.as_chunks::<8>();
        for k in 0..LANES {
            lanes[k] = Self::fold(lanes[k], u64::from_le_bytes(words[k]));
        }
    }

    pub fn finish(mut self) -> u64 {
        // The length tells a last block that was filled up from one that ends in zeros.
        self.pending[self.pending_bytes..].fill(0);
        Self::block(&mut self.lanes, &self.pending);
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
            Self::block(&mut self.lanes, &self.pending);
            bytes = rest;
        }
        let (blocks, rest) = bytes.as_chunks::<BLOCK>();
        let mut lanes = self.lanes;
        for block in blocks {
            prefetch_beyond(block, AHEAD);
            Self::block(&mut lanes, block);
        }
        self.lanes = lanes;
        self.pending[..rest.len()].copy_from_slice(rest);
        self.pending_bytes = rest.len();
    }
}

/// Gives back what a [`Sink`] took. Every read is checked; a stream that is cut short or altered gives an error.
pub(crate) struct Source<'a> {
    bytes: &'a [u8],
    position: usize,
    /// The hash of the first `hashed` bytes. It follows the reading in pieces, while they are in the cache; `None` where it is somebody else's
    /// concern.
    hasher: Option<Hasher>,
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
        Self { bytes, position: 0, hasher: Some(Hasher::new()), hashed: 0, due: PIECE, parts: None, elsewhere: false }
    }

    /// A payload whose parts are here.
    pub fn with_parts(bytes: &'a [u8], parts: &Parts) -> Self {
        Self { parts: Some(*parts), ..Self::new(bytes) }
    }

    /// A payload of which somebody else reads the parts, and hashes it.
    pub fn around_parts(bytes: &'a [u8], parts: &Parts) -> Self {
        Self { parts: Some(*parts), elsewhere: true, ..Self::unhashed(bytes) }
    }

    /// Bytes that somebody else hashes.
    pub fn unhashed(bytes: &'a [u8]) -> Self {
        Self { hasher: None, due: usize::MAX, ..Self::new(bytes) }
    }

    /// The hash of the whole stream.
    pub fn hash(self) -> u64 {
        let mut hasher = self.hasher.unwrap_or_else(Hasher::new);
        hasher.bytes(&self.bytes[self.hashed..]);
        hasher.finish()
    }

    /// What a sink took as this part, or `None` where it is read elsewhere. It must be where it is said to be.
    pub fn part<T>(&mut self, part: Part, read: impl FnOnce(&mut Self) -> Result<T>) -> Result<Option<T>> {
        let range = self.parts.map(|parts| parts.range(part));
        if range.as_ref().is_some_and(|range| range.start != self.position) {
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
        if let Some(hasher) = &mut self.hasher {
            hasher.bytes(&self.bytes[self.hashed..self.position]);
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
        match n.checked_mul(least) {
            Some(total) if total <= self.bytes.len() - self.position => Ok(n),
            _ => Err(self.cut_short()),
        }
    }

    /// The records that [`save_pods`] wrote, one by one, without an array of them.
    pub fn records<T: Pod>(&mut self) -> Result<impl ExactSizeIterator<Item = T> + 'a> {
        let n = self.count(size_of::<T>())?;
        Ok(self.bytes(n * size_of::<T>())?.chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned))
    }

    /// So many records that [`save_runs`] wrote, of which each kind is `sound`. A few bytes may stand for any number of records: `count` must be known
    /// from something that takes its room.
    pub fn runs<T: Pod>(&mut self, count: usize, sound: impl Fn(&T) -> bool) -> Result<Runs<'a, T>> {
        let start = self.position;
        let mut total = 0_usize;
        loop {
            let run = self.u32()? as usize;
            if run == 0 {
                break;
            }
            total = total.saturating_add(run);
            if !sound(&bytemuck::pod_read_unaligned(self.bytes(size_of::<T>())?)) {
                return Err(self.corrupt("a run of records"));
            }
        }
        if total != count {
            return Err(self.corrupt("the number of records"));
        }
        Ok(Runs { bytes: &self.bytes[start..self.position - size_of::<u32>()], left: 0, total, record: T::zeroed() })
    }

    /// An array that [`save_pods`] wrote.
    pub fn pods<T: Pod>(&mut self) -> Result<Vec<T>> {
        self.pods_seen(|_| ())
    }

    /// An array that [`save_pods`] wrote, shown to `see` part by part while these are in the cache.
    pub fn pods_seen<T: Pod>(&mut self, mut see: impl FnMut(&[T])) -> Result<Vec<T>> {
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
            see(&records[records.len() - more..]);
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

    /// Any one altered byte, and any change of length, gives another hash: of zeros too, which leave no trace in sums.
    #[test]
    fn hash_sees_every_byte_and_the_length() {
        // Lengths before, at and after the end of a block; under Miri, which is slow, few of them.
        for length in (0..100).step_by(if cfg!(miri) { 21 } else { 1 }) {
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

    /// Records come back from runs of any length; other numbers of records, runs of nothing and records that are not sound are refused.
    #[test]
    fn runs_give_back_their_records() {
        for records in [vec![], vec![[7u64, 1]], vec![[7, 1]; 1000], vec![[1, 1], [1, 1], [2, 1], [1, 1]]] {
            let mut bytes = vec![0u8; 3];
            save_runs(&mut bytes, records.iter().copied());
            let bytes = &bytes[3..];
            let read = |count, limit| Source::new(bytes).runs(count, |r: &[u64; 2]| r[0] < limit).map(|r| r.collect());
            assert_eq!(read(records.len(), 8), Ok(records.clone()));
            let mut source = Source::new(bytes);
            let mut runs = source.runs(records.len(), |_: &[u64; 2]| true).unwrap();
            for i in 0..records.len() {
                assert_eq!(runs.begins(), i == 0 || records[i] != records[i - 1]);
                runs.next();
            }
            let mut runs = Source::new(bytes).runs(records.len(), |_: &[u64; 2]| true).unwrap();
            let begun: Vec<_> = runs.next().into_iter().collect();
            let left = std::iter::from_fn(|| runs.next_run()).flat_map(|(record, count)| vec![record; count]);
            assert!(begun.into_iter().chain(left).eq(records.iter().copied()));
            assert!(read(records.len() + 1, 8).is_err());
            assert_eq!(read(records.len(), 2).is_err(), !records.is_empty());
        }
        let mut long = Vec::new();
        long.u32(u32::MAX);
        long.u64(5);
        assert!(Source::new(&long).runs::<u64>(u32::MAX as usize, |_| true).is_err());
        long.u32(0);
        assert!(Source::new(&long).runs::<u64>(10, |_| true).is_err());
        assert!(Source::new(&long).runs::<u64>(0, |_| true).is_err());
        let all = Source::new(&long).runs::<u64>(u32::MAX as usize, |_| true).unwrap();
        assert_eq!(all.size_hint().0, u32::MAX as usize);
        assert!(all.take(3).eq([5; 3]));
    }

    /// Pieces of every length around that of a packet come out as they went in, in the same order.
    #[test]
    fn packets_lose_nothing() {
        let lengths = [0, 1, 7, 1000, 23, 24, 1024, 1, 1025, 5000, 3];
        let (mut packed, mut plain) = (Vec::new(), Vec::new());
        let write = |out: &mut dyn Sink| {
            for (i, &length) in lengths.iter().chain(lengths.iter().rev()).enumerate() {
                out.bytes(&vec![i as u8; length]);
                out.u32(i as u32);
            }
        };
        write(&mut plain);
        Packet::fill(&mut packed, |packet| write(packet));
        assert_eq!(packed, plain);
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
            assert_eq!(source.hash(), Hasher::of(&bytes));
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
