//! Wavefront OBJ, by the crate `tobj`.

use super::{Flaw, Soup, line_of};
use std::borrow::Cow;
use tobj::LoadError;

pub fn read(bytes: &[u8]) -> Result<Soup, Flaw> {
    let bytes = &without_lines(bytes)[..];
    let options = tobj::LoadOptions { ignore_points: true, ignore_lines: true, ..Default::default() };
    // Materials are of no matter here.
    let no_materials = |_: &std::path::Path| Ok(Default::default());
    let mut rest = bytes;
    let (models, _) = tobj::load_obj_buf(&mut rest, &options, no_materials).map_err(|error| {
        // It reads line by line, so what is left begins after the line that is wrong; but vertices are looked up at the end.
        let line = match error {
            LoadError::FaceVertexOutOfBounds
            | LoadError::FaceTexCoordOutOfBounds
            | LoadError::FaceNormalOutOfBounds
            | LoadError::FaceColorOutOfBounds => face_out_of_bounds(bytes),
            _ => None,
        };
        let line = line.unwrap_or_else(|| line_of(bytes, bytes.len() - rest.len()));
        Flaw::at_line(line, format!("it is no OBJ file: {error}"))
    })?;
    let mut soup = Soup::default();
    for tobj::Model { mesh, name } in models {
        let first = soup.vertices.len() as u32;
        soup.vertices.extend(mesh.positions.as_chunks::<3>().0.iter().map(|p| p.map(f64::from)));
        let count = mesh.positions.len() as u32 / 3;
        if let Some(wrong) = mesh.indices.iter().find(|i| **i >= count) {
            return Err(format!("a face of the object {name:?} names vertex {wrong} of {count}").into());
        }
        let indices: Vec<u32> = mesh.indices.iter().map(|i| first + i).collect();
        let mut rest = indices.as_slice();
        // Where all faces have three corners, nothing is said of them.
        let sizes = if mesh.face_arities.is_empty() { vec![3; rest.len() / 3] } else { mesh.face_arities };
        for size in sizes {
            let Some((face, more)) = rest.split_at_checked(size as usize).filter(|_| size > 0) else {
                return Err(format!("a face of the object {name:?} has no corners").into());
            };
            soup.face(face).map_err(|words| format!("a face of the object {name:?}: {words}"))?;
            rest = more;
        }
    }
    Ok(soup)
}

/// The same with lines that are no faces, which the crate takes for such, as remarks.
fn without_lines(bytes: &[u8]) -> Cow<'_, [u8]> {
    let mut out = Cow::Borrowed(bytes);
    let mut at = 0;
    for line in bytes.split_inclusive(|b| *b == b'\n') {
        let words = line.trim_ascii_start();
        if let [b'l', next, ..] = words
            && next.is_ascii_whitespace()
        {
            out.to_mut()[at + line.len() - words.len()] = b'#';
        }
        at += line.len();
    }
    out
}

/// The first line of a face that names a vertex, texture coordinate or normal beyond the last one.
fn face_out_of_bounds(bytes: &[u8]) -> Option<usize> {
    let text = String::from_utf8_lossy(bytes);
    let count = |word: &str| text.lines().filter(|line| line.split_whitespace().next() == Some(word)).count() as i64;
    let counts = ["v", "vt", "vn"].map(count);
    let beyond = |corner: &str| {
        let mut numbers = corner.split('/').zip(counts);
        numbers.any(|(number, count)| number.parse::<i64>().is_ok_and(|n| n == 0 || n.abs() > count))
    };
    let wrong = |line: &str| {
        let mut words = line.split_whitespace();
        words.next() == Some("f") && words.any(beyond)
    };
    text.lines().position(wrong).map(|index| index + 1)
}
