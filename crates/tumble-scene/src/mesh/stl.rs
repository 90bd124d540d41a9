//! STL as text and binary, by the crate `stl_io`; which of the two a file is, and how many solids a text has, is found here.

use super::{Flaw, Soup, line_of};
use std::io::{ErrorKind, Read, Seek, SeekFrom};

/// Bytes before the triangles of a binary file, and of each triangle.
const HEAD: usize = 84;
const TRIANGLE: usize = 50;
/// Bytes of the head that mean nothing.
const REMARK: usize = HEAD - 4;

pub fn read(bytes: &[u8]) -> Result<Soup, Flaw> {
    let mut soup = Soup::default();
    // A binary file is as long as it says, whatever its head says besides; many a head begins as a text does.
    if stated(bytes).is_some_and(|(_, length)| length == bytes.len() as u64) || !is_solid(bytes) {
        is_long_enough(bytes)?;
        let (remark, rest) = bytes.split_at(REMARK);
        solid(Led::new(&[b' '; REMARK], rest), remark.len(), bytes, &mut soup)?;
        return Ok(soup);
    }
    let mut at = 0;
    while let Some(start) = bytes[at..].iter().position(|b| !is_blank(*b)) {
        at += start;
        if !is_solid(&bytes[at..]) {
            let line = line_of(bytes, at + 1);
            return Err(Flaw::at_line(
                line,
                "it is no STL file: after a solid comes another solid or nothing".to_owned(),
            ));
        }
        let name = bytes[at..].iter().position(|b| *b == b'\n').map_or(bytes.len() - at, |end| end + 1);
        at += name;
        at += solid(Led::new(b"solid \n", &bytes[at..]), at, bytes, &mut soup)?;
    }
    Ok(soup)
}

/// A text begins with this word, with or without a name behind it.
fn is_solid(bytes: &[u8]) -> bool {
    bytes.strip_prefix(b"solid").is_some_and(|rest| rest.first().is_none_or(u8::is_ascii_whitespace))
}

/// What may stand between solids and behind the last: white space, and what old systems end or fill up a file with.
fn is_blank(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == 0 || byte == 0x1a
}

/// Reads one solid, and says how many bytes of the file behind `start` it took.
fn solid(mut led: Led<'_>, start: usize, bytes: &[u8], soup: &mut Soup) -> Result<usize, Flaw> {
    let mesh = stl_io::read_stl(&mut led).map_err(|error| {
        let line = line_of(bytes, start + led.taken());
        Flaw::at_line(line, format!("it is no STL file: {error}"))
    })?;
    let first = soup.vertices.len();
    soup.vertices.extend(mesh.vertices.iter().map(|v| v.0.map(f64::from)));
    for face in &mesh.faces {
        let corners = face.vertices.map(|corner| u32::try_from(first + corner));
        let [Ok(a), Ok(b), Ok(c)] = corners else { return Err("it has more than 2^32 vertices".into()) };
        soup.triangles.push([a, b, c]);
    }
    Ok(led.taken())
}

/// How many triangles a binary file states, and how long it is with them.
fn stated(bytes: &[u8]) -> Option<(u32, u64)> {
    let count = bytes.get(REMARK..)?.first_chunk().map(|count| u32::from_le_bytes(*count))?;
    Some((count, HEAD as u64 + TRIANGLE as u64 * u64::from(count)))
}

fn is_long_enough(bytes: &[u8]) -> Result<(), Flaw> {
    let length = bytes.len();
    match stated(bytes) {
        None => Err(format!("byte {length}: it is no STL file: it ends within its head of {HEAD} bytes").into()),
        Some((_, needed)) if needed <= length as u64 => Ok(()),
        Some((count, _)) => {
            let there = (length - HEAD) / TRIANGLE;
            Err(format!("byte {REMARK}: it states {count} triangles, and has bytes for {there}").into())
        }
    }
}

/// Bytes with a beginning by which the crate tells what they are. Gives a line at a time, so that where it stands is the line that was read
/// last.
struct Led<'a> {
    head: &'static [u8],
    rest: &'a [u8],
    at: usize,
}

impl<'a> Led<'a> {
    fn new(head: &'static [u8], rest: &'a [u8]) -> Self {
        Self { head, rest, at: 0 }
    }

    /// How many bytes of the rest were read.
    fn taken(&self) -> usize {
        self.at.saturating_sub(self.head.len())
    }
}

impl Read for Led<'_> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let next = match self.head.get(self.at..) {
            Some(head) if !head.is_empty() => head,
            _ => self.rest.get(self.taken()..).unwrap_or_default(),
        };
        let line = next.iter().take(out.len()).position(|b| *b == b'\n').map_or(next.len(), |end| end + 1);
        let count = line.min(out.len());
        out[..count].copy_from_slice(&next[..count]);
        self.at += count;
        Ok(count)
    }
}

impl Seek for Led<'_> {
    fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
        // The crate goes back to the start once it knows what it reads.
        match to {
            SeekFrom::Start(at) => self.at = usize::try_from(at).unwrap_or(usize::MAX),
            _ => return Err(ErrorKind::Unsupported.into()),
        }
        Ok(self.at as u64)
    }
}
