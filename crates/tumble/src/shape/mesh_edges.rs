//! Which triangles of a mesh meet at which edge.

use crate::error::{Error, Result};
use crate::math::{Float, Vec3};

/// More triangles than this cannot be numbered together with their edges in 32 bits.
pub(crate) const MAX_TRIANGLES: usize = (u32::MAX / 3) as usize;

/// One side of one triangle, under the key of its two vertices.
///
/// Sorted by key, the sides that share an edge stand together, in the order of their triangles.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Side {
    /// Smaller vertex in the upper half, larger one in the lower.
    key: u64,
    /// Three times the triangle, plus the corner at which the side begins.
    half_edge: u32,
}

impl Side {
    fn new([from, to]: [u32; 2], half_edge: u32) -> Self {
        let (low, high) = if from < to { (from, to) } else { (to, from) };
        Self { key: u64::from(low) << 32 | u64::from(high), half_edge }
    }

    pub(crate) fn triangle(self) -> u32 {
        self.half_edge / 3
    }

    /// The corner at which the side begins; it ends at the next one.
    pub(crate) fn corner(self) -> usize {
        (self.half_edge % 3) as usize
    }

    /// The vertices of the edge, the smaller first.
    pub(crate) fn vertices(self) -> (u32, u32) {
        ((self.key >> 32) as u32, self.key as u32)
    }

    /// Runs from the smaller vertex to the larger.
    pub(crate) fn ascends(self, triangles: &[[u32; 3]]) -> bool {
        triangles[self.triangle() as usize][self.corner()] == self.vertices().0
    }
}

/// All sides of all triangles, those of one edge together.
pub(crate) fn sorted_sides(triangles: &[[u32; 3]]) -> Vec<Side> {
    let mut sides: Vec<Side> = Vec::with_capacity(triangles.len() * 3);
    for (t, [a, b, c]) in triangles.iter().copied().enumerate() {
        for (corner, ends) in [[a, b], [b, c], [c, a]].into_iter().enumerate() {
            sides.push(Side::new(ends, t as u32 * 3 + corner as u32));
        }
    }
    sides.sort_unstable();
    sides
}

/// The groups of sides that share an edge.
pub(crate) fn edges(sides: &[Side]) -> impl Iterator<Item = &[Side]> {
    sides.chunk_by(|a, b| a.key == b.key)
}

/// At least one triangle, every vertex usable, every index in range, no vertex twice in one triangle; or the first fault.
///
/// Coordinates must stay within the range of `f32` in either precision, in which trees store their boxes; their fifth
/// powers, which inertia needs, then fit into `f64`.
pub(crate) fn check_triangles<T: Float>(
    shape: &'static str,
    vertices: &[Vec3<T>],
    triangles: &[[u32; 3]],
) -> Result<()> {
    if triangles.is_empty() {
        return Err(Error::geometry(shape, "has no triangles"));
    }
    if triangles.len() > MAX_TRIANGLES {
        return Err(Error::geometry(
            shape,
            format_args!("has {} triangles, at most {MAX_TRIANGLES} are possible", triangles.len()),
        ));
    }
    let usable = |v: &Vec3<T>| v.to_array().iter().all(|c| c.to_f64().abs() <= f64::from(f32::MAX));
    for (t, triangle) in triangles.iter().enumerate() {
        for &index in triangle {
            let Some(vertex) = vertices.get(index as usize) else {
                return Err(Error::geometry(
                    shape,
                    format_args!("triangle {t} refers to vertex {index}, but there are {}", vertices.len()),
                ));
            };
            if !usable(vertex) {
                return Err(Error::geometry(
                    shape,
                    format_args!(
                        "triangle {t} has a corner that is {}: vertex {index} is {}",
                        fault(vertex),
                        coordinates(vertex)
                    ),
                ));
            }
        }
        let [a, b, c] = *triangle;
        if a == b || b == c || c == a {
            return Err(Error::geometry(shape, format_args!("triangle {t} has a vertex twice: {a}, {b}, {c}")));
        }
    }
    if let Some(index) = vertices.iter().position(|v| !usable(v)) {
        let vertex = &vertices[index];
        let (fault, at) = (fault(vertex), coordinates(vertex));
        return Err(Error::geometry(shape, format_args!("vertex {index} is {fault}: {at}")));
    }
    Ok(())
}

/// What is wrong with an unusable vertex.
fn fault<T: Float>(v: &Vec3<T>) -> &'static str {
    if v.is_finite() { "beyond the range of f32" } else { "not finite" }
}

/// A vertex for an error message.
fn coordinates<T: Float>(v: &Vec3<T>) -> String {
    format!("({:?}, {:?}, {:?})", v.x, v.y, v.z)
}
