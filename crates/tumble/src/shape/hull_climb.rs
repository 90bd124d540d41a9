//! The highest vertex of a large hull by climbing along its edges.

mod record;

use crate::math::{Float, Real, Vec3};

/// Hulls with fewer vertices than this are searched one by one, which is faster for them.
pub(super) const FEWEST_TO_CLIMB: usize = 64;

/// Edges of the convex hull of the vertices as triangles, for climbing.
///
/// On the exact hull every vertex but the highest has a higher neighbour. That holds no more once nearly coplanar triangles
/// are joined to faces, since the edges inside a face are gone and its corners are not exactly in one plane; so the climb
/// keeps its own edges, those of the triangles. Heights are compared in `f64`: in `f32` the differences between near
/// vertices drown in rounding, and the climb would stop half-way.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Climb {
    /// Where the neighbours of each vertex start in `neighbours`; one more at the end.
    first: Vec<u32>,
    neighbours: Vec<u32>,
    /// The highest vertices along the eight diagonals, by the signs of x (1), y (2) and z (4).
    starts: [u32; 8],
}

impl Climb {
    /// From the triangles of the exact hull; each edge belongs to two, in opposite directions.
    pub(super) fn new(vertices: &[Vec3], triangles: impl Iterator<Item = [u32; 3]> + Clone) -> Self {
        let mut first = vec![0; vertices.len() + 1];
        for v in triangles.clone().flatten() {
            first[v as usize + 1] += 1;
        }
        for i in 0..vertices.len() {
            first[i + 1] += first[i];
        }
        let mut end = first.clone();
        let mut neighbours = vec![0; first[vertices.len()] as usize];
        for [a, b, c] in triangles {
            for (from, to) in [(a, b), (b, c), (c, a)] {
                neighbours[end[from as usize] as usize] = to;
                end[from as usize] += 1;
            }
        }
        Self { first, neighbours, starts: highest_along_diagonals(vertices) }
    }

    /// The number of the vertex farthest along `direction`.
    pub(super) fn highest(&self, vertices: &[Vec3], direction: Vec3<Real>) -> u32 {
        let negative = |x: Real, bit: usize| if x < 0.0 { bit } else { 0 };
        let octant = negative(direction.x, 1) | negative(direction.y, 2) | negative(direction.z, 4);
        // Brought to order 1, so that products with the vertices neither overflow nor vanish.
        let size = direction.abs().max_component().to_f64();
        let direction = if size > 0.0 { direction.to_f64() / size } else { Vec3::ZERO };
        let height = |v: u32| vertices[v as usize].to_f64().dot(direction);
        let mut best = self.starts[octant];
        let mut top = height(best);
        loop {
            let at = best as usize;
            for &v in &self.neighbours[self.first[at] as usize..self.first[at + 1] as usize] {
                let h = height(v);
                if h > top {
                    (best, top) = (v, h);
                }
            }
            if best as usize == at {
                return best;
            }
        }
    }
}

/// The highest vertex in each octant of directions, to start from.
fn highest_along_diagonals(vertices: &[Vec3]) -> [u32; 8] {
    core::array::from_fn(|octant| {
        let sign = |bit: usize| if octant & bit != 0 { -1.0 } else { 1.0 };
        let diagonal = Vec3::new(sign(1), sign(2), sign(4));
        let (mut best, mut height) = (0, f64::NEG_INFINITY);
        for (i, v) in vertices.iter().enumerate() {
            let h = v.to_f64().dot(diagonal);
            if h > height {
                (best, height) = (i as u32, h);
            }
        }
        best
    })
}
