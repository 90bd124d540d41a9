//! How deep two overlapping cores are in each other, and which way out is the shortest.
//!
//! With h(n) = max n·(a - b) the extent of A - B along n, the depth is the least h(n) over all unit vectors n. Three steps:
//!
//! 1. *Expanding polytope* (van den Bergen 2001): a polytope of points of A - B is grown at its face nearest to the origin.
//!    It is used only to propose directions: every h(n) met on the way is a true upper bound of the depth, the distance
//!    of the nearest face a lower bound, so rounding in the polytope can cost quality but never give a false answer.
//! 2. *Descent*: B is moved along n by h(n) + δ, which takes the shapes apart by δ. The exact normal n' between them by GJK
//!    has h(n') <= h(n), with equality only at a minimum: with d >= δ the distance after the move,
//!    h(n') = n·n' (h(n) + δ) - d <= h(n) + δ - d. This makes normals exact on curved surfaces, where the polytope is only
//!    an approximation; and from a good first n it does without the polytope.
//! 3. Where there is no polytope (A - B is flat, or the origin lies on its border) a fixed set of directions stands in.

use super::convex::{Pair, Vertex};
use super::gjk::{self, Outcome, Simplex};
use crate::math::{Float, Num, Real, Vec3};

/// The shortest way out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Depth {
    /// Unit vector from A to B: moving B along it by `depth` ends the overlap of the cores.
    pub normal: Vec3<f64>,
    /// h(n).
    pub depth: f64,
    /// Point of A's core that is deepest in B.
    pub a: Vec3<f64>,
    /// Point of B's core that is deepest in A.
    pub b: Vec3<f64>,
}

/// Rounds of descent. Each takes the shapes apart anew; two or three settle all but the roundest cases.
const MAX_DESCENTS: usize = 16;

/// How far the shapes are taken apart, relative to size: enough for the direction of the gap to have digits.
const CLEARANCE: f64 = 0.02;

/// How far the deepest points may be beside each other, relative to size.
const BESIDE: f64 = 1e-5;

/// Change of depth that counts as none: hulls choose their support vertex in the precision of their vertices.
fn settled(pair: &Pair) -> f64 {
    1e-9 * pair.small + Real::EPSILON.to_f64() * pair.scale
}

/// The depth found by descent from `start`: a local minimum, which for shallow overlaps near the last normal is the global.
pub(super) fn descend(pair: &Pair, start: Vec3<f64>) -> Depth {
    let settled = settled(pair);
    let first = pair.support(start);
    let mut best = Depth { normal: start, depth: first.w.dot(start), a: first.a, b: first.b };
    for _ in 0..MAX_DESCENTS {
        let shift = best.normal * (best.depth + CLEARANCE * pair.small);
        let moved = Pair { translation: pair.translation + shift, ..*pair };
        let Outcome::Apart(gap) = gjk::distance(&moved, best.normal, f64::INFINITY) else {
            break;
        };
        let depth = pair.support(gap.normal).w.dot(gap.normal);
        let gain = best.depth - depth;
        if gain < -settled {
            break;
        }
        best = Depth { normal: gap.normal, depth, a: gap.a, b: gap.b - shift };
        // Where the extent hardly depends on the direction, the points take longer to come over each other.
        let beside = (best.b - best.a).across(best.normal).length();
        if gain <= settled && beside <= BESIDE * pair.small {
            break;
        }
    }
    best
}

/// The depth of cores that overlap; `simplex` is what GJK ended with.
pub(super) fn penetration(pair: &Pair, simplex: &Simplex) -> Depth {
    let mut proposals = Proposals::new();
    let mut bound = f64::NEG_INFINITY;
    match Polytope::around_origin(pair, simplex) {
        Some(mut polytope) => bound = polytope.expand(pair, &mut proposals),
        None => {
            let axes = pair.rotation;
            for n in [pair.centre_line(), Vec3::X, Vec3::Y, Vec3::Z, axes.x, axes.y, axes.z] {
                for n in [n, -n] {
                    proposals.add(n, pair.support(n).w.dot(n));
                }
            }
            for i in [Vec3::X, Vec3::Y, Vec3::Z] {
                for j in [axes.x, axes.y, axes.z] {
                    if let Some(n) = i.cross(j).try_normalize() {
                        proposals.add(n, pair.support(n).w.dot(n));
                        proposals.add(-n, pair.support(-n).w.dot(-n));
                    }
                }
            }
        }
    }
    let mut best: Option<Depth> = None;
    for &(n, _) in &proposals.list[..proposals.len] {
        let found = descend(pair, n);
        if best.is_none_or(|b| found.depth < b.depth) {
            best = Some(found);
        }
        if found.depth <= bound + FINE * pair.small {
            break;
        }
    }
    best.unwrap_or_else(|| descend(pair, pair.centre_line()))
}

/// The directions of least extent met so far, apart from each other.
struct Proposals {
    list: [(Vec3<f64>, f64); 3],
    len: usize,
}

impl Proposals {
    fn new() -> Self {
        Self { list: [(Vec3::ZERO, f64::INFINITY); 3], len: 0 }
    }

    fn add(&mut self, n: Vec3<f64>, extent: f64) {
        // Directions within about 25 degrees lead to the same minimum: the better one stands for both.
        if let Some(near) = self.list[..self.len].iter().position(|(m, _)| m.dot(n) > 0.9) {
            if extent < self.list[near].1 {
                self.list[near] = (n, extent);
            }
        } else if self.len < self.list.len() {
            self.list[self.len] = (n, extent);
            self.len += 1;
        } else if extent < self.list[self.len - 1].1 {
            self.list[self.len - 1] = (n, extent);
        }
        let mut i = self.len;
        while i > 1 {
            i -= 1;
            if self.list[i].1 < self.list[i - 1].1 {
                self.list.swap(i, i - 1);
            }
        }
    }

    fn least(&self) -> f64 {
        self.list[0].1
    }
}

const MAX_VERTICES: usize = 64;
const MAX_FACES: usize = 2 * MAX_VERTICES;
const MAX_HORIZON: usize = MAX_FACES;

/// Gap between the bounds of the depth, relative to size, at which the polytope is fine enough for descent to take over:
/// a third of what the contact may be off.
const FINE: f64 = 3e-5;

#[derive(Clone, Copy, Default)]
struct Face {
    corners: [u8; 3],
    normal: Vec3<f64>,
    /// Distance of the plane from the origin.
    offset: f64,
}

/// A convex polytope of points of A - B around the origin.
struct Polytope {
    vertices: [Vec3<f64>; MAX_VERTICES],
    vertex_count: usize,
    faces: [Face; MAX_FACES],
    face_count: usize,
}

impl Polytope {
    /// A tetrahedron around the origin, or `None` where A - B has no volume there.
    fn around_origin(pair: &Pair, simplex: &Simplex) -> Option<Self> {
        let mut w = [Vec3::ZERO; 4];
        let mut len = simplex.len;
        for i in 0..len {
            w[i] = simplex.vertices[i].w;
        }
        let small = 1e-9 * pair.small;
        let grow = |w: &mut [Vec3<f64>; 4], len: usize, directions: &[Vec3<f64>]| {
            for d in directions {
                let Vertex { w: p, .. } = pair.support(*d);
                if volume(&w[..len], p) > small {
                    w[len] = p;
                    return true;
                }
            }
            false
        };
        while len < 4 {
            let grown = match len {
                1 => grow(&mut w, 1, &[Vec3::X, -Vec3::X, Vec3::Y, -Vec3::Y, Vec3::Z, -Vec3::Z]),
                2 => {
                    let along = (w[1] - w[0]).try_normalize()?;
                    let (s, t) = along.tangents();
                    grow(&mut w, 2, &[s, -s, t, -t])
                }
                _ => {
                    let n = (w[1] - w[0]).cross(w[2] - w[0]).try_normalize()?;
                    grow(&mut w, 3, &[n, -n])
                }
            };
            if !grown {
                return None;
            }
            len += 1;
        }
        if volume(&w[..3], w[3]) <= small {
            return None;
        }
        let mut polytope = Self {
            vertices: [Vec3::ZERO; MAX_VERTICES],
            vertex_count: 4,
            faces: [Face::default(); MAX_FACES],
            face_count: 0,
        };
        polytope.vertices[..4].copy_from_slice(&w);
        // Outward: the fourth vertex lies behind the first face.
        let flip = (w[1] - w[0]).cross(w[2] - w[0]).dot(w[3] - w[0]) > 0.0;
        for [i, j, k] in [[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]] {
            if !polytope.add_face(if flip { [i, k, j] } else { [i, j, k] }) {
                return None;
            }
        }
        Some(polytope)
    }

    fn add_face(&mut self, corners: [u8; 3]) -> bool {
        let [a, b, c] = corners.map(|i| self.vertices[usize::from(i)]);
        let Some(normal) = (b - a).cross(c - a).try_normalize() else {
            return false;
        };
        if self.face_count == MAX_FACES {
            return false;
        }
        self.faces[self.face_count] = Face { corners, normal, offset: normal.dot(a) };
        self.face_count += 1;
        true
    }

    fn nearest_face(&self) -> Face {
        let mut best = self.faces[0];
        for f in &self.faces[1..self.face_count] {
            if f.offset < best.offset {
                best = *f;
            }
        }
        best
    }

    /// Grows the polytope and returns a lower bound of the depth.
    fn expand(&mut self, pair: &Pair, proposals: &mut Proposals) -> f64 {
        let mut bound = 0.0;
        while self.vertex_count < MAX_VERTICES {
            let face = self.nearest_face();
            bound = face.offset;
            let p = pair.support(face.normal).w;
            let extent = p.dot(face.normal);
            proposals.add(face.normal, extent);
            if proposals.least() - face.offset <= FINE * pair.small || extent - face.offset <= settled(pair) {
                break;
            }
            if !self.add_vertex(p, 1e-14 * pair.scale) {
                break;
            }
        }
        bound
    }

    /// Replaces the faces that see `p` by faces from `p` to the border of what it sees. `false` where the border is not a
    /// proper one: the polytope has no more digits.
    fn add_vertex(&mut self, p: Vec3<f64>, noise: f64) -> bool {
        let mut horizon = [(0u8, 0u8); MAX_HORIZON];
        let mut edges = 0;
        let mut i = 0;
        while i < self.face_count {
            let face = self.faces[i];
            if face.normal.dot(p) - face.offset <= noise {
                i += 1;
                continue;
            }
            self.face_count -= 1;
            self.faces[i] = self.faces[self.face_count];
            let [a, b, c] = face.corners;
            for edge in [(a, b), (b, c), (c, a)] {
                // An edge between two faces that go is met twice, once in each direction.
                if let Some(k) = horizon[..edges].iter().position(|e| *e == (edge.1, edge.0)) {
                    edges -= 1;
                    horizon[k] = horizon[edges];
                } else if edges < MAX_HORIZON {
                    horizon[edges] = edge;
                    edges += 1;
                } else {
                    return false;
                }
            }
        }
        if edges < 3 {
            return false;
        }
        let apex = self.vertex_count as u8;
        self.vertices[self.vertex_count] = p;
        self.vertex_count += 1;
        horizon[..edges].iter().all(|&(a, b)| self.add_face([a, b, apex]))
    }
}

/// How far `p` is from the flat that the points span.
fn volume(points: &[Vec3<f64>], p: Vec3<f64>) -> f64 {
    let from = p - points[0];
    match points.len() {
        1 => from.length(),
        2 => {
            let along = points[1] - points[0];
            from.cross(along).length() / Num::max(along.length(), f64::MIN_POSITIVE)
        }
        _ => {
            let normal = (points[1] - points[0]).cross(points[2] - points[0]);
            from.dot(normal).abs() / Num::max(normal.length(), f64::MIN_POSITIVE)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::narrow::ConvexRef;
    use crate::math::{Pose, Quat, Vec3};
    use crate::shape::{Cone, Cuboid, Cylinder};

    fn depth_of(a: ConvexRef, b: ConvexRef, pose: Pose) -> Depth {
        let pair = Pair::new(a, b, &pose);
        match gjk::distance(&pair, pair.centre_line(), f64::INFINITY) {
            Outcome::Overlap(simplex) => penetration(&pair, &simplex),
            other => panic!("{other:?}"),
        }
    }

    // Aligned cubes with an offset of 0.3 along y: the way out is 0.7 along y.
    #[test]
    fn cubes() {
        let cube = Cuboid::new(Vec3::all(0.5)).unwrap();
        let c = ConvexRef::Cuboid(&cube);
        let found = depth_of(c, c, Pose::from_translation(Vec3::new(0.1, 0.3, -0.2)));
        assert!((found.depth - 0.7).abs() < 1e-6, "{found:?}");
        assert!((found.normal - Vec3::Y).length() < 1e-6, "{found:?}");
    }

    // Same centre, same axis: the way out is a radial one of twice the radius, in any direction; the polytope can only
    // approach it.
    #[test]
    fn coincident_cylinders() {
        let rod = Cylinder::new(2.0, 0.5).unwrap();
        let c = ConvexRef::Cylinder(&rod);
        let found = depth_of(c, c, Pose::IDENTITY);
        assert!((found.depth - 1.0).abs() < 1e-5, "{found:?}");
        let lying = Pose::new(Vec3::ZERO, Quat::from_axis_angle(Vec3::X, Real::PI / 2.0));
        let found = depth_of(c, c, lying);
        assert!((found.depth - 1.0).abs() < 1e-5, "{found:?}");
    }

    // The side of a cone against a box face parallel to it: exact by geometry.
    #[test]
    fn cone_side_on_a_face() {
        let cone = Cone::new(0.5, 0.5).unwrap();
        let slab = Cuboid::new(Vec3::new(5.0, 0.5, 5.0)).unwrap();
        // Side normal (radial 2h, axial r) / slant turned to -y: the side lies flat on the slab.
        let tilt = Quat::between(Vec3::new(2.0, 1.0, 0.0).normalize_or(Vec3::X), -Vec3::Y);
        let side = tilt.rotate(Vec3::new(0.0, 0.5, 0.0)).y;
        let pose = Pose::new(Vec3::new(0.0, 0.5 - side - 0.1, 0.0), tilt);
        let found = depth_of(ConvexRef::Cuboid(&slab), ConvexRef::Cone(&cone), pose);
        assert!((found.depth - 0.1).abs() < 1e-6, "{found:?}");
        assert!((found.normal - Vec3::Y).length() < 1e-5, "{found:?}");
    }
}
