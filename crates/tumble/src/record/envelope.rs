//! What stands before the payload of a snapshot, by which it is known to be one, whole and unaltered.

use super::SNAPSHOT_VERSION;
use super::stream::{Hasher, Sink, Source};
use crate::error::{Error, Result};
use crate::math::Real;

/// The first byte is no text, the others show what mail and terminals do to bytes.
const MAGIC: [u8; 8] = *b"\x93TUMBL\r\n";
/// Bytes of a number: `f32` and `f64` worlds have different snapshots.
const PRECISION: u32 = size_of::<Real>() as u32;
const SIZE: usize = 32;

/// Writes the envelope, with room for length and checksum.
pub(super) fn begin(out: &mut Vec<u8>) {
    out.bytes(&MAGIC);
    out.u32(SNAPSHOT_VERSION);
    out.u32(PRECISION);
    out.u64(0);
    out.u64(0);
}

/// Fills in length and checksum of the payload.
pub(super) fn seal(bytes: &mut [u8]) {
    let Some((head, payload)) = bytes.split_at_mut_checked(SIZE) else { return };
    head[16..24].copy_from_slice(&(payload.len() as u64).to_le_bytes());
    head[24..32].copy_from_slice(&Hasher::of(payload).to_le_bytes());
}

/// The payload, if it is one of ours, whole and unaltered.
pub(super) fn open(bytes: &[u8]) -> Result<&[u8]> {
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
    let payload = &bytes[SIZE..];
    if (payload.len() as u64) < length {
        return refuse(format!("cut short: {} of {length} bytes", payload.len()));
    }
    if payload.len() as u64 > length {
        return refuse(format!("{} bytes follow its end", payload.len() as u64 - length));
    }
    if Hasher::of(payload) != checksum {
        return refuse("altered: its checksum does not match".to_owned());
    }
    Ok(payload)
}
