//! Edges and corners of a triangle that are none of the surface around it.
//!
//! A triangle of a mesh is met by itself, and what is beside it is nearest to one of its edges or corners, however the surface goes on
//! beyond. Let n be the unit vector from the triangle to the body. A contact at an edge is one of the surface where n lies between the
//! normals of both triangles, and at a corner where n points away from all triangles around it:
//!
//! ```text
//!   n·d ≤ 0      d: across the edge into the neighbour, or from the corner along the edges of those around it
//! ```
//!
//! Else the surface comes nearer to the body on the way along d, and another triangle has the contact. That holds while they are apart. Where they
//! overlap each triangle knows its own way out, and both of two may lead over their common edge; there the contact is none if n lies along both of them. Without this rule a ball that
//! rolls towards a crest is thrown up by the slope behind it, and a slab wider than a beam is stopped by the corners at which the
//! triangles of the beam's top meet. Only ridges and flat edges are crossed: what rises beyond a valley may be out of the body's way.
//!
//! That edges in valleys and within a plane have no normals of their own is settled where the triangle is met: see
//! [`Triangle`](super::narrow::Triangle).

use super::narrow::{Feature, FeatureKind, ON_FACE};
use crate::math::{Num, Real, Vec3};
use crate::shape::{Adjacency, EdgeKind, HeightField, Mesh, Sides};

/// How far n may point along d, as a sine: twice the angle up to which edges count as flat by default.
const ALONG: Real = 0.01;

/// As a cosine to the normal of a triangle: n lies along it, or points to its back.
const FLAT: Real = 0.1;

/// Triangles around a corner that are looked at in either direction.
const AROUND: usize = 32;

/// A surface of triangles that know their neighbours.
#[derive(Clone, Copy)]
pub(super) enum Surface<'a> {
    Mesh(&'a Mesh),
    Field(&'a HeightField),
}

/// A triangle as far as it matters here.
struct Tile {
    corners: [Vec3; 3],
    around: Adjacency,
}

impl Surface<'_> {
    /// A triangle of the surface.
    fn tile(&self, index: u32) -> Tile {
        match self {
            Self::Mesh(mesh) => Tile { corners: mesh.triangle(index), around: *mesh.adjacency(index) },
            Self::Field(field) => Tile { corners: field.triangle(index), around: field.adjacency(index) },
        }
    }

    /// A contact of the triangle at one of its features, with a body towards n that is apart from it or overlaps it, is none of the surface.
    pub fn is_seam(&self, index: u32, feature: Feature, n: Vec3, apart: bool) -> bool {
        let at = feature.index() as usize % 3;
        match feature.kind() {
            FeatureKind::Edge => self.is_seam_at_edge(index, at, n, apart),
            FeatureKind::Vertex => self.is_seam_at_corner(index, at, n, apart),
            FeatureKind::Face | FeatureKind::Round => false,
        }
    }

    /// The surface has a back, and n points out of it where this is the cosine between n and the front.
    fn is_behind(&self, facing: Real) -> bool {
        facing < 0.0 && matches!(self, Self::Mesh(mesh) if mesh.sides() == Sides::Two)
    }

    fn is_seam_at_edge(&self, index: u32, edge: usize, n: Vec3, apart: bool) -> bool {
        let tile = self.tile(index);
        let Some(front) = tile.front() else { return false };
        let facing = front.dot(n);
        let back = self.is_behind(facing);
        let (Some(other), true) = (tile.across(edge, back), facing.abs() < 1.0 - ON_FACE) else { return false };
        let other = self.tile(other);
        if !(apart || (tile.lies_along(n, back) && other.lies_along(n, back))) {
            return false;
        }
        let [p, q] = [tile.corners[edge], tile.corners[(edge + 1) % 3]];
        let along = q - p;
        let off = |w: Vec3| (w - p).add_scaled(along, -(w - p).dot(along) / along.length_squared());
        // Of the corners of the neighbour, the one off the edge.
        let [a, b, c] = other.corners.map(off);
        let farther = |a: Vec3, b: Vec3| if b.length_squared() > a.length_squared() { b } else { a };
        leads_nearer(n, farther(farther(a, b), c))
    }

    fn is_seam_at_corner(&self, index: u32, corner: usize, n: Vec3, apart: bool) -> bool {
        let tile = self.tile(index);
        let Some(front) = tile.front() else { return false };
        let facing = front.dot(n);
        let back = self.is_behind(facing);
        if facing.abs() >= 1.0 - ON_FACE || !(apart || tile.lies_along(n, back)) {
            return false;
        }
        let v = tile.corners[corner];
        // Edge i leaves corner i, edge i - 1 ends there.
        [corner, (corner + 2) % 3].into_iter().any(|edge| {
            let (mut from, mut next) = (index, tile.across(edge, back));
            for _ in 0..AROUND {
                let Some(here) = next.filter(|&here| here != index) else { break };
                let tile = self.tile(here);
                let k = tile.nearest_corner(v);
                let nearer = [1, 2].into_iter().any(|other| leads_nearer(n, tile.corners[(k + other) % 3] - v));
                if nearer && (apart || tile.lies_along(n, back)) {
                    return true;
                }
                let edges = [k, (k + 2) % 3];
                let on = edges.into_iter().find(|&edge| tile.around.neighbour(edge) != Some(from));
                next = on.and_then(|edge| tile.across(edge, back));
                from = here;
            }
            false
        })
    }
}

/// n points along d.
fn leads_nearer(n: Vec3, d: Vec3) -> bool {
    n.dot(d) > ALONG * d.length()
}

impl Tile {
    fn front(&self) -> Option<Vec3> {
        let [a, b, c] = self.corners;
        (b - a).cross(c - a).try_normalize()
    }

    /// n lies along the triangle or points away from that side of it.
    fn lies_along(&self, n: Vec3, back: bool) -> bool {
        self.front().is_some_and(|front| if back { -front.dot(n) } else { front.dot(n) } < FLAT)
    }

    /// The neighbour across a ridge or a flat edge, as seen from the front or from the back.
    fn across(&self, edge: usize, back: bool) -> Option<u32> {
        let valley = if back { EdgeKind::Convex } else { EdgeKind::Concave };
        self.around.neighbour(edge).filter(|_| self.around.kinds[edge] != valley)
    }

    /// Welded corners are near each other, and not always in one place.
    fn nearest_corner(&self, v: Vec3) -> usize {
        let squared = self.corners.map(|w| (w - v).length_squared());
        let least = Num::min(Num::min(squared[0], squared[1]), squared[2]);
        squared.iter().position(|&s| s == least).unwrap_or(0)
    }
}
