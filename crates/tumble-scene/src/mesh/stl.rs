//! STL as text and binary, by the crate `stl_io`.

use super::{Flaw, Soup, line_of};
use std::io::{Cursor, Read, Seek, SeekFrom};

/// Bytes before the triangles of a binary file, and of each triangle.
const HEAD: usize = 84;
const TRIANGLE: usize = 50;

pub fn read(bytes: &[u8]) -> Result<Soup, Flaw> {
    // By this the crate tells the two apart.
    if !bytes.starts_with(b"solid ") {
        is_long_enough(bytes)?;
    }
    let mut lines = Lines(Cursor::new(bytes));
    let mesh = stl_io::read_stl(&mut lines).map_err(|error| {
        let line = line_of(bytes, lines.0.position() as usize);
        Flaw::at_line(line, format!("it is no STL file: {error}"))
    })?;
    let mut soup = Soup { vertices: mesh.vertices.iter().map(|v| v.0.map(f64::from)).collect(), triangles: Vec::new() };
    for face in &mesh.faces {
        let corners = face.vertices.map(u32::try_from);
        let [Ok(a), Ok(b), Ok(c)] = corners else { return Err("it has more than 2^32 vertices".into()) };
        soup.triangles.push([a, b, c]);
    }
    Ok(soup)
}

fn is_long_enough(bytes: &[u8]) -> Result<(), Flaw> {
    let length = bytes.len();
    let Some(&[a, b, c, d]) = bytes.get(HEAD - 4..).and_then(|rest| rest.first_chunk::<4>()) else {
        return Err(format!("byte {length}: it is no STL file: it ends within its head of {HEAD} bytes").into());
    };
    let count = u32::from_le_bytes([a, b, c, d]) as usize;
    match count.checked_mul(TRIANGLE).and_then(|n| n.checked_add(HEAD)) {
        Some(needed) if needed <= length => Ok(()),
        _ => {
            let there = (length - HEAD) / TRIANGLE;
            Err(format!("byte {}: it states {count} triangles, and has bytes for {there}", HEAD - 4).into())
        }
    }
}

/// Gives a line at a time, so that where it stands is the line that was read last.
struct Lines<'a>(Cursor<&'a [u8]>);

impl Read for Lines<'_> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let rest = self.0.get_ref().get(self.0.position() as usize..).unwrap_or_default();
        let line = rest.iter().take(out.len()).position(|b| *b == b'\n').map_or(out.len(), |end| end + 1);
        self.0.read(&mut out[..line])
    }
}

impl Seek for Lines<'_> {
    fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
        self.0.seek(to)
    }
}
