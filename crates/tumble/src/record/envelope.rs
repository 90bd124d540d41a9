//! What stands before the payload of a snapshot, by which it is known to be one, whole and unaltered.

use super::SNAPSHOT_VERSION;
use super::checksum::Checksum;
use super::parts::{Part, Parts};
use super::stream::{Hasher, PIECE, Sink, Source};
use crate::error::{Error, Result};
use crate::math::Real;

/// The first byte is no text, the others show what mail and terminals do to bytes.
const MAGIC: [u8; 8] = *b"\x93TUMBL\r\n";
/// Bytes of a number: `f32` and `f64` worlds have different snapshots.
const PRECISION: u32 = size_of::<Real>() as u32;
/// The length of the payload, the checksum and the places of the parts follow.
const SIZE: usize = MAGIC.len() + 4 + 4 + 8 + 8 + Parts::SIZE;

/// Replaces `bytes` by an envelope and the payload that `save` writes.
pub(super) fn wrap(bytes: &mut Vec<u8>, save: impl FnOnce(&mut Payload<'_>)) {
    bytes.clear();
    bytes.bytes(&[0; SIZE]);
    let mut payload = Payload { bytes, checksum: Checksum::new(), hashed: SIZE, parts: Parts::default() };
    save(&mut payload);
    payload.catch_up();
    let Payload { checksum, parts, .. } = payload;
    seal(bytes, checksum.finish(), &parts);
}

/// Replaces `bytes` by an envelope and a payload of this length, which `fill` writes over whatever it finds there. It gives the checksum and the parts.
pub(super) fn wrap_length(bytes: &mut Vec<u8>, length: usize, fill: impl FnOnce(&mut [u8]) -> (u64, Parts)) {
    if bytes.capacity() < SIZE + length {
        // Fresh zeros come with the memory, where the system has them.
        *bytes = vec![0; SIZE + length];
    }
    bytes.resize(SIZE + length, 0);
    let (checksum, parts) = fill(&mut bytes[SIZE..]);
    seal(bytes, checksum, &parts);
}

/// Fills in what stands before a payload with this checksum and these parts.
fn seal(bytes: &mut [u8], payload: u64, parts: &Parts) {
    let (head, rest) = bytes.split_at_mut(SIZE);
    let mut sealed = Vec::with_capacity(SIZE);
    sealed.bytes(&MAGIC);
    sealed.u32(SNAPSHOT_VERSION);
    sealed.u32(PRECISION);
    sealed.u64(rest.len() as u64);
    sealed.u64(checked(payload, parts));
    sealed.bytes(&parts.to_bytes());
    head.copy_from_slice(&sealed);
}

/// The checksum of an envelope with these parts, whose payload has this one.
fn checked(payload: u64, parts: &Parts) -> u64 {
    payload ^ Hasher::of(&parts.to_bytes())
}

/// Writes a payload and hashes it in pieces, while they are in the cache.
pub(super) struct Payload<'a> {
    bytes: &'a mut Vec<u8>,
    checksum: Checksum,
    hashed: usize,
    pub(super) parts: Parts,
}

impl Payload<'_> {
    fn catch_up(&mut self) {
        self.checksum.bytes(&self.bytes[self.hashed..]);
        self.hashed = self.bytes.len();
    }
}

impl Sink for Payload<'_> {
    #[inline]
    fn bytes(&mut self, bytes: &[u8]) {
        for piece in bytes.chunks(PIECE) {
            self.bytes.extend_from_slice(piece);
            if self.bytes.len() - self.hashed >= PIECE {
                self.catch_up();
            }
        }
    }

    fn part(&mut self, part: Part, write: impl FnOnce(&mut Self)) {
        let start = self.bytes.len() - SIZE;
        write(self);
        self.parts.put(part, start..self.bytes.len() - SIZE);
    }
}

/// What is in an envelope.
pub(super) struct Opened<'a> {
    pub payload: &'a [u8],
    pub parts: Parts,
    checksum: u64,
}

impl Opened<'_> {
    /// An error unless this is the checksum of the payload that was sent.
    pub fn check(&self, payload: u64) -> Result<()> {
        if checked(payload, &self.parts) == self.checksum {
            return Ok(());
        }
        Err(Error::refused("snapshot", "altered: its checksum does not match"))
    }
}

/// The payload, if it is one of ours and whole. Whether it was altered is for [`Opened::check`] to say, when it has been read.
pub(super) fn open(bytes: &[u8]) -> Result<Opened<'_>> {
    let refuse = |problem: String| Err(Error::refused("snapshot", problem));
    let mut source = Source::new(bytes);
    if bytes.is_empty() || !MAGIC.starts_with(&bytes[..bytes.len().min(MAGIC.len())]) {
        return refuse("this is no snapshot: it does not begin like one".to_owned());
    }
    source.bytes(MAGIC.len())?;
    let version = source.u32()?;
    if version != SNAPSHOT_VERSION {
        let by = if version > SNAPSHOT_VERSION { "a newer" } else { "an older" };
        return refuse(format!("written by {by} engine in format {version}; this one reads format {SNAPSHOT_VERSION}"));
    }
    let precision = source.u32()?;
    if precision != PRECISION {
        let of = |bytes: u32| if bytes == 8 { "tumble-f64" } else { "tumble" };
        return refuse(format!(
            "its numbers have {} bits, those of this engine {}: it is for the crate {}",
            u64::from(precision) * 8,
            PRECISION * 8,
            of(precision)
        ));
    }
    let (length, checksum) = (source.u64()?, source.u64()?);
    let payload = bytes.get(SIZE..).unwrap_or_default();
    if (payload.len() as u64) < length {
        return refuse(format!("cut short: {} of {length} bytes", payload.len()));
    }
    if payload.len() as u64 > length {
        return refuse(format!("{} bytes follow its end", payload.len() as u64 - length));
    }
    Ok(Opened { payload, parts: Parts::load(&mut source, payload.len())?, checksum })
}
