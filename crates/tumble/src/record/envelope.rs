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
/// Where the length of the payload stands, and after it the checksum and the places of the parts.
const LENGTH: usize = 16;
const PARTS: usize = 32;
const SIZE: usize = PARTS + Parts::SIZE;

/// Replaces `bytes` by an envelope and the payload that `save` writes.
pub(super) fn wrap(bytes: &mut Vec<u8>, save: impl FnOnce(&mut Payload<'_>)) {
    bytes.clear();
    bytes.bytes(&MAGIC);
    bytes.u32(SNAPSHOT_VERSION);
    bytes.u32(PRECISION);
    bytes.bytes(&[0; SIZE - LENGTH]);
    let mut payload = Payload { bytes, checksum: Checksum::new(), hashed: SIZE, parts: Parts::default() };
    save(&mut payload);
    payload.catch_up();
    let Payload { checksum, parts, .. } = payload;
    let length = (bytes.len() - SIZE) as u64;
    bytes[LENGTH..LENGTH + 8].copy_from_slice(&length.to_le_bytes());
    bytes[LENGTH + 8..PARTS].copy_from_slice(&checked(checksum.finish(), &parts).to_le_bytes());
    bytes[PARTS..SIZE].copy_from_slice(&parts.to_bytes());
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
