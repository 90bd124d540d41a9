//! What lies across the edges of a triangle.

use super::mesh_edges::{edges, sorted_sides};
use crate::math::{Float, Real, Vec3};

/// How two triangles meet at an edge, seen from their front.
///
/// A contact that finds a normal between those of two triangles at an edge is real where the edge is convex and a ghost where
/// it is flat or concave. Seen from behind (two-sided meshes), convex and concave change places.
///
/// ```
/// use tumble::{math::Vec3, shape::{EdgeKind, MeshDesc}};
/// // A roof, whose two halves meet in a ridge along z.
/// let corners = [[0.0, 1.0, 0.0], [0.0, 1.0, 1.0], [1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]].map(Vec3::from);
/// let roof = MeshDesc::new(corners.to_vec(), vec![[0, 1, 2], [1, 0, 3]]).build()?;
/// assert_eq!(roof.get(0).unwrap().adjacency.kinds, [EdgeKind::Convex, EdgeKind::Boundary, EdgeKind::Boundary]);
/// # Ok::<(), tumble::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum EdgeKind {
    /// Nothing lies across the edge, or more than one triangle, or one that is wound the other way.
    Boundary,
    /// A ridge.
    Convex,
    /// The two triangles are parts of one plane, within the mesh's tolerance.
    Flat,
    /// A valley.
    Concave,
}

/// The surroundings of a triangle. Edge k runs from corner k to the next one.
///
/// ```
/// use tumble::{math::Vec3, shape::{EdgeKind, MeshDesc}};
/// let square = vec![Vec3::ZERO, Vec3::Z, Vec3::new(1.0, 0.0, 1.0), Vec3::X];
/// let mesh = MeshDesc::new(square, vec![[0, 1, 2], [0, 2, 3]]).build()?;
/// let around = mesh.get(0).unwrap().adjacency;
/// assert_eq!((around.neighbour(0), around.neighbour(2)), (None, Some(1)));
/// assert_eq!(around.kinds[2], EdgeKind::Flat);
/// # Ok::<(), tumble::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Adjacency {
    neighbours: [u32; 3],
    /// How the triangle meets its neighbour at each edge.
    pub kinds: [EdgeKind; 3],
}

/// The edges of a triangle across which the surface has no edge of its own: bit k for edge k where it is flat or concave as seen from
/// the front, bit 3 + k as seen from the back.
pub(crate) fn inner_edges(around: &Adjacency) -> u8 {
    let mut bits = 0;
    for (k, kind) in around.kinds.into_iter().enumerate() {
        bits |= match kind {
            EdgeKind::Flat => 0b1001,
            EdgeKind::Concave => 0b0001,
            EdgeKind::Convex => 0b1000,
            EdgeKind::Boundary => 0,
        } << k;
    }
    bits
}

impl Adjacency {
    /// A triangle with nothing around it.
    pub(crate) const ALONE: Self = Self { neighbours: [u32::MAX; 3], kinds: [EdgeKind::Boundary; 3] };

    /// The triangle across an edge (0, 1 or 2).
    #[inline]
    pub fn neighbour(&self, edge: usize) -> Option<u32> {
        self.neighbours.get(edge).copied().filter(|&n| n != u32::MAX)
    }

    pub(crate) fn set(&mut self, edge: usize, neighbour: u32, kind: EdgeKind) {
        self.neighbours[edge] = neighbour;
        self.kinds[edge] = kind;
    }
}

/// How triangles with unit normals `here` and `there` meet at an edge that runs along `edge` in the first: convex where
/// here × there points along the edge.
pub(crate) fn classify(here: Vec3, there: Vec3, edge: Vec3, flat_sine: Real) -> EdgeKind {
    let (here, there, edge) = (here.to_f64(), there.to_f64(), edge.to_f64());
    let turn = here.cross(there);
    if here.dot(there) > 0.0 && turn.length() <= flat_sine.to_f64() {
        EdgeKind::Flat
    } else if turn.dot(edge) < 0.0 {
        EdgeKind::Concave
    } else {
        EdgeKind::Convex
    }
}

/// The surroundings of every triangle of a mesh whose equal vertices have equal indices.
pub(crate) fn adjacency(
    vertices: &[Vec3],
    triangles: &[[u32; 3]],
    normals: &[Vec3],
    flat_sine: Real,
) -> Vec<Adjacency> {
    let mut result = vec![Adjacency::ALONE; triangles.len()];
    let sides = sorted_sides(triangles);
    for edge in edges(&sides) {
        let &[a, b] = edge else { continue };
        if a.ascends(triangles) == b.ascends(triangles) {
            continue;
        }
        let (low, high) = a.vertices();
        let along = vertices[high as usize] - vertices[low as usize];
        let along = if a.ascends(triangles) { along } else { -along };
        let kind = classify(normals[a.triangle() as usize], normals[b.triangle() as usize], along, flat_sine);
        result[a.triangle() as usize].set(a.corner(), b.triangle(), kind);
        result[b.triangle() as usize].set(b.corner(), a.triangle(), kind);
    }
    result
}
