//! Wavefront OBJ, by the crate `tobj`.

use super::{Flaw, Soup, line_of};
use tobj::LoadError;

pub fn read(bytes: &[u8]) -> Result<Soup, Flaw> {
    let options =
        tobj::LoadOptions { triangulate: true, ignore_points: true, ignore_lines: true, ..Default::default() };
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
        for corners in mesh.indices.as_chunks::<3>().0 {
            if let Some(wrong) = corners.iter().find(|i| **i >= count) {
                return Err(format!("a face of the object {name:?} names vertex {wrong} of {count}").into());
            }
            soup.triangles.push(corners.map(|i| first + i));
        }
    }
    Ok(soup)
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
