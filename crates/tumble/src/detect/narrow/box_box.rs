//! Two boxes: the pair that piles are made of (002-42..45, errata mended).
//!
//! In A's frame let B_j be B's axes (columns of R), t its centre, a and b the half-extents. The fifteen separations are
//! ```text
//! face i of A:      |t_i| - a_i - Σ_j b_j |R_ij|
//! face j of B:      |B_j·t| - b_j - Σ_i a_i |R_ij|
//! edges i of A, j of B, with l = e_i × B_j:   (|l·t| - Σ_i a_i |l_i| - Σ_k b_k |l·B_k|) / |l|
//! ```
//! For fixed j the three edge axes are one vector: l·t = (B_j × t)_i, the extents of A are the same product with plus signs
//! on magnitudes, and l·B_k = (B_j × B_k)_i. The last is R_im for an exact rotation, but for nearly parallel edges, where |l|
//! is small, the rounding of R would then be blown up; with the products of the columns as they are, every separation is
//! that of a box sheared by no more than rounding, however small |l| is. Comparisons use x|x| in place of x, which has the same
//! order and spares the square roots.

use super::cache::{Axis, PairCache};
use super::contact::{NEAR_FACE, SLACK, Touch, tolerance};
use super::convex::ConvexRef;
use super::curved;
use super::faceted::nearest_on_lines;
use super::manifold::{Feature, Manifold, ManifoldPoint};
use crate::math::{Mat3, Num, Pose, Real, Vec3};
use crate::shape::Cuboid;

/// Corners of each face, counter-clockwise, by vertex number: bit 0 for +x, bit 1 for +y, bit 2 for +z.
const CORNERS: [[u8; 4]; 6] = [[1, 3, 7, 5], [0, 4, 6, 2], [2, 6, 7, 3], [0, 1, 5, 4], [4, 5, 7, 6], [0, 2, 3, 1]];

/// Edges of each face: edge k runs from corner k to corner k + 1.
const EDGES: [[u8; 4]; 6] = [[0, 1, 2, 3], [4, 5, 6, 7], [6, 8, 1, 9], [10, 3, 11, 4], [11, 2, 8, 5], [7, 9, 0, 10]];

/// Edge numbers by axis and by the signs of the two other coordinates, in their order: bit 0 for the first.
const EDGE_BY_SIGNS: [[u8; 4]; 3] = [[10, 9, 11, 8], [7, 0, 5, 2], [4, 3, 6, 1]];

/// The pair, seen from A.
struct Boxes {
    a: Vec3,
    b: Vec3,
    r: Mat3,
    t: Vec3,
    margin: Real,
    tolerance: Real,
}

/// The best axis of one kind.
#[derive(Clone, Copy)]
struct Best {
    separation: Real,
    /// Axis of A and axis of B; one of them for faces.
    i: usize,
    j: usize,
}

pub(super) fn collide(a: &Cuboid, b: &Cuboid, b_in_a: &Pose, margin: Real, cache: &mut PairCache, out: &mut Manifold) {
    out.clear();
    let (ha, hb) = (a.half_extents(), b.half_extents());
    let (r, t) = (b_in_a.rotation.to_mat3(), b_in_a.translation);
    let n = cache.direction();
    if n.dot(t) - ha.dot(n.abs()) - hb.dot(r.transpose_mul(n).abs()) > margin {
        return;
    }
    let tolerance = tolerance(ha.max_component(), hb.max_component(), t);
    let boxes = Boxes { a: ha, b: hb, r, t, margin, tolerance };
    let abs = r.abs();

    let faces_a = t.abs() - ha - abs * hb;
    let t_in_b = r.transpose_mul(t);
    let faces_b = t_in_b.abs() - hb - abs.transpose_mul(ha);
    let face_a = best_face(faces_a);
    let face_b = best_face(faces_b);
    let best = Num::max(face_a.separation, face_b.separation);
    if best > margin {
        if face_a.separation == best {
            let face = face_a.i * 2 + usize::from(t[face_a.i] < 0.0);
            cache.set(Axis::FaceA(face as u32), boxes.face_normal_a(face), best);
        } else {
            let face = face_b.i * 2 + usize::from(t_in_b[face_b.i] > 0.0);
            cache.set(Axis::FaceB(face as u32), boxes.face_normal_b(face), best);
        }
        return;
    }

    let edges = boxes.best_edges(&abs, best + 0.25 * tolerance);
    let edge_normal = edges.map(|e| boxes.edge_normal(&e));
    if let (Some(e), Some(n)) = (edges, edge_normal)
        && e.separation > margin
    {
        cache.set(Axis::Edges(e.i as u16, e.j as u16), n, e.separation);
        return;
    }
    let target = edges.map_or(best, |e| e.separation);

    let face_of_a = (face_a.i * 2 + usize::from(t[face_a.i] < 0.0), face_a.separation);
    let face_of_b = (face_b.i * 2 + usize::from(t_in_b[face_b.i] > 0.0), face_b.separation);
    let lead = face_of_b.1 - face_of_a.1;
    let b_first = match cache.axis() {
        Axis::FaceB(f) if f as usize == face_of_b.0 => lead >= -0.5 * tolerance,
        Axis::FaceA(f) if f as usize == face_of_a.0 => lead > 0.5 * tolerance,
        _ => lead > 0.25 * tolerance,
    };
    for flip in [b_first, !b_first] {
        let face = if flip { face_of_b.0 } else { face_of_a.0 };
        let normal = if flip { boxes.face_normal_b(face) } else { boxes.face_normal_a(face) };
        if edge_normal.is_some_and(|n| n.dot(normal) < NEAR_FACE) {
            continue;
        }
        let least = if flip { boxes.on_face_of_b(face, out) } else { boxes.on_face_of_a(face, out) };
        if (least - target).abs() <= tolerance && !out.is_empty() {
            let axis = if flip { Axis::FaceB(face as u32) } else { Axis::FaceA(face as u32) };
            cache.set(axis, normal, least);
            return;
        }
    }
    if let (Some(e), Some(n)) = (edges, edge_normal)
        && boxes.on_edges(&e, n, out)
    {
        cache.set(Axis::Edges(e.i as u16, e.j as u16), n, e.separation);
        return;
    }
    // A corner is nearest to a corner or an edge, or rounding has parted an overlap from its points.
    if n == Vec3::ZERO {
        let normal = if b_first { boxes.face_normal_b(face_of_b.0) } else { boxes.face_normal_a(face_of_a.0) };
        cache.set(Axis::Direction, edge_normal.unwrap_or(normal), target);
    }
    let touch = Touch::new(ConvexRef::Cuboid(a), ConvexRef::Cuboid(b), b_in_a, margin);
    curved::search(&touch, b_in_a, cache, out);
}

#[inline(always)]
fn best_face(s: Vec3) -> Best {
    let mut best = Best { separation: s.x, i: 0, j: 0 };
    if s.y > best.separation {
        best = Best { separation: s.y, i: 1, j: 1 };
    }
    if s.z > best.separation {
        best = Best { separation: s.z, i: 2, j: 2 };
    }
    best
}

impl Boxes {
    /// From A to B.
    #[inline(always)]
    fn face_normal_a(&self, face: usize) -> Vec3 {
        unit(face)
    }

    /// From A to B, in A's frame.
    #[inline(always)]
    fn face_normal_b(&self, face: usize) -> Vec3 {
        let axis = column(&self.r, face / 2);
        if face & 1 == 0 { -axis } else { axis }
    }

    /// The best pair of edges above `bar`.
    #[inline(always)]
    fn best_edges(&self, abs: &Mat3, bar: Real) -> Option<Best> {
        let r = &self.r;
        let minors = Mat3::from_columns(r.y.cross(r.z).abs(), r.z.cross(r.x).abs(), r.x.cross(r.y).abs());
        let mut best = None;
        let mut bar = bar * bar.abs();
        for j in 0..3 {
            let (axis, size) = (column(r, j), column(abs, j));
            let (k, m) = ((j + 1) % 3, (j + 2) % 3);
            let across = axis.cross(self.t).abs();
            let of_a = Vec3::new(
                self.a.y * size.z + self.a.z * size.y,
                self.a.z * size.x + self.a.x * size.z,
                self.a.x * size.y + self.a.y * size.x,
            );
            let of_b = column(&minors, m) * self.b[k] + column(&minors, k) * self.b[m];
            let s = across - of_a - of_b;
            let q = size.scale(size);
            let squares = Vec3::new(q.y + q.z, q.z + q.x, q.x + q.y);
            for i in 0..3 {
                // Below the noise of R the direction of l is of no use, and all that it could tell the faces tell.
                if s[i] * s[i].abs() > bar * squares[i] && squares[i] > 1e-11 {
                    let separation = s[i] / squares[i].sqrt();
                    best = Some(Best { separation, i, j });
                    bar = separation * separation.abs();
                }
            }
        }
        best
    }

    fn edge_normal(&self, e: &Best) -> Vec3 {
        let l = unit(2 * e.i).cross(column(&self.r, e.j));
        let n = l * (1.0 / l.length());
        if n.dot(self.t) < 0.0 { -n } else { n }
    }

    /// Clips the face of B that faces the given face of A; the least separation is returned.
    fn on_face_of_a(&self, face: usize, out: &mut Manifold) -> Real {
        let (axis, up) = (face / 2, face & 1 == 0);
        let across = Vec3::new(self.r.x[axis], self.r.y[axis], self.r.z[axis]);
        let incident = opposing(across, up);
        let mut quad = Quad::new(&self.r, self.t, self.b, incident, axis, up, self.a);
        quad.clip(self.a, face, SLACK * self.tolerance);
        out.normal = unit(face);
        (out.feature_a, out.feature_b) = (Feature::face(face as u32), Feature::face(incident as u32));
        quad.write(self.margin, out, face, incident, false, |p, separation| p.add_scaled(unit(face), -0.5 * separation))
    }

    /// Clips the face of A that faces the given face of B.
    fn on_face_of_b(&self, face: usize, out: &mut Manifold) -> Real {
        let (axis, up) = (face / 2, face & 1 == 0);
        let back = self.r.transpose();
        let incident = opposing(column(&self.r, axis), up);
        let mut quad = Quad::new(&back, -(back * self.t), self.a, incident, axis, up, self.b);
        quad.clip(self.b, face, SLACK * self.tolerance);
        out.normal = self.face_normal_b(face);
        (out.feature_a, out.feature_b) = (Feature::face(incident as u32), Feature::face(face as u32));
        quad.write(self.margin, out, face, incident, true, |p, separation| {
            self.r * p.add_scaled(unit(face), -0.5 * separation) + self.t
        })
    }

    /// The point where two edges are nearest. `false` where the boxes are apart and the point is not on both edges.
    fn on_edges(&self, e: &Best, n: Vec3, out: &mut Manifold) -> bool {
        let (mut p, mut q) = (Vec3::ZERO, self.t);
        let mut numbers = [0; 2];
        let n_in_b = self.r.transpose_mul(n);
        for (side, (axis, toward)) in [(e.i, n), (e.j, -n_in_b)].into_iter().enumerate() {
            let mut signs = 0;
            for (bit, k) in [(axis + 1) % 3, (axis + 2) % 3].into_iter().enumerate() {
                let positive = toward[k] > 0.0;
                let sign = if positive { 1.0 } else { -1.0 };
                if side == 0 {
                    p[k] = sign * self.a[k];
                } else {
                    q = q.add_scaled(column(&self.r, k), sign * self.b[k]);
                }
                // The table wants the two coordinates in rising order.
                let rising = if axis == 1 { 1 - bit } else { bit };
                signs |= usize::from(positive) << rising;
            }
            numbers[side] = u32::from(EDGE_BY_SIGNS[axis][signs]);
        }
        let (u, v) = (unit(2 * e.i) * self.a[e.i], column(&self.r, e.j) * self.b[e.j]);
        let (s, w) = nearest_on_lines(p, u, q, v);
        if e.separation > 0.0 && Num::max(s.abs(), w.abs()) > 1.0 + 1e-5 {
            return false;
        }
        let limit = |x: Real| Num::min(Num::max(x, -1.0), 1.0);
        let (p, q) = (p.add_scaled(u, limit(s)), q.add_scaled(v, limit(w)));
        out.set_single(n, (p + q) * 0.5, e.separation, Feature::edge(numbers[0]), Feature::edge(numbers[1]));
        true
    }
}

#[inline(always)]
fn column(m: &Mat3, j: usize) -> Vec3 {
    match j {
        0 => m.x,
        1 => m.y,
        _ => m.z,
    }
}

/// Outward normal of a face.
#[inline(always)]
fn unit(face: usize) -> Vec3 {
    let mut n = Vec3::ZERO;
    n[face / 2] = if face & 1 == 0 { 1.0 } else { -1.0 };
    n
}

/// The face of the other box that faces the reference face most; `across` has the heights of its axes along the
/// reference's axis.
#[inline(always)]
fn opposing(across: Vec3, up: bool) -> usize {
    let size = across.abs();
    let axis = if size.x >= size.y && size.x >= size.z {
        0
    } else if size.y >= size.z {
        1
    } else {
        2
    };
    // The axis points up: its negative face looks at the reference.
    2 * axis + usize::from((across[axis] > 0.0) == up)
}

/// A corner of the polygon that is being clipped: place in the reference's frame, and the edge that leaves it.
#[derive(Clone, Copy, Default)]
struct Corner {
    p: Vec3,
    height: Real,
    edge: u8,
    clipped: bool,
}

/// The incident face in the reference's frame.
struct Quad {
    len: usize,
    ring: [Corner; 12],
}

impl Quad {
    /// The face `incident` of the box at (`r`, `t`) over the reference box's face across `axis`.
    #[inline(always)]
    fn new(r: &Mat3, t: Vec3, half: Vec3, incident: usize, axis: usize, up: bool, reference: Vec3) -> Self {
        let mut ring = [Corner::default(); 12];
        let (x, y, z) = (r.x * half.x, r.y * half.y, r.z * half.z);
        for (k, vertex) in CORNERS[incident].into_iter().enumerate() {
            let mut p = t;
            p = if vertex & 1 != 0 { p + x } else { p - x };
            p = if vertex & 2 != 0 { p + y } else { p - y };
            p = if vertex & 4 != 0 { p + z } else { p - z };
            let height = if up { p[axis] - reference[axis] } else { -p[axis] - reference[axis] };
            ring[k] = Corner { p, height, edge: k as u8, clipped: false };
        }
        Self { len: 4, ring }
    }

    /// Cuts away what is not over the reference face.
    #[inline(always)]
    fn clip(&mut self, half: Vec3, face: usize, slack: Real) {
        let corners = CORNERS[face];
        for side in 0..4 {
            // Edge `side` of the face runs between two corners that share the coordinate it is at the border of.
            let (v, w) = (corners[side], corners[(side + 1) % 4]);
            let shared = !(v ^ w) & 7 & !(1 << (face / 2));
            let axis = shared.trailing_zeros() as usize;
            let sign = if v & shared != 0 { 1.0 } else { -1.0 };
            let border = half[axis] + slack;
            if self.ring[..self.len].iter().all(|c| sign * c.p[axis] <= border) {
                continue;
            }
            self.cut(axis, sign, border, side as u8);
            if self.len == 0 {
                return;
            }
        }
    }

    fn cut(&mut self, axis: usize, sign: Real, border: Real, side: u8) {
        let old = self.ring;
        let count = self.len;
        let mut len = 0;
        let mut start = old[count - 1];
        let mut start_excess = sign * start.p[axis] - border;
        for end in &old[..count] {
            let end_excess = sign * end.p[axis] - border;
            if (start_excess <= 0.0) != (end_excess <= 0.0) && len < self.ring.len() {
                let s = start_excess / (start_excess - end_excess);
                let p = start.p.add_scaled(end.p - start.p, s);
                let height = start.height + (end.height - start.height) * s;
                // Going out, the border is followed next; coming in, the edge that was under way.
                let (edge, clipped) = if start_excess <= 0.0 { (side, true) } else { (start.edge, start.clipped) };
                self.ring[len] = Corner { p, height, edge, clipped };
                len += 1;
            }
            if end_excess <= 0.0 && len < self.ring.len() {
                self.ring[len] = *end;
                len += 1;
            }
            (start, start_excess) = (*end, end_excess);
        }
        self.len = len;
    }

    /// Writes the points within the margin, `place`d in A's frame, and returns the least separation of all.
    #[inline(always)]
    fn write(
        &self,
        margin: Real,
        out: &mut Manifold,
        face: usize,
        incident: usize,
        flip: bool,
        place: impl Fn(Vec3, Real) -> Vec3,
    ) -> Real {
        out.clear();
        let mut least = Real::INFINITY;
        let Some(mut before) = self.ring[..self.len].last().copied() else {
            return least;
        };
        for corner in &self.ring[..self.len] {
            let after = *corner;
            least = Num::min(after.height, least);
            if after.height <= margin {
                let (e, f) = (usize::from(before.edge), usize::from(after.edge));
                let (on_reference, on_incident) = match (before.clipped, after.clipped) {
                    (false, false) => (Feature::face(face as u32), Feature::vertex(CORNERS[incident][f].into())),
                    (true, false) => (Feature::edge(EDGES[face][e].into()), Feature::edge(EDGES[incident][f].into())),
                    (false, true) => (Feature::edge(EDGES[face][f].into()), Feature::edge(EDGES[incident][e].into())),
                    (true, true) => {
                        let corner = if (e + 1) % 4 == f { f } else { e };
                        (Feature::vertex(CORNERS[face][corner].into()), Feature::face(incident as u32))
                    }
                };
                let (a, b) = if flip { (on_incident, on_reference) } else { (on_reference, on_incident) };
                out.push(ManifoldPoint::new(place(after.p, after.height), after.height, a, b));
            }
            before = after;
        }
        least
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::narrow::polytope::{Polytope, Small};

    // The tables agree with the general ones, so that ids mean the same in every pair.
    #[test]
    fn numbering_is_that_of_polytopes() {
        let cube = Small::cuboid(&Cuboid::new(Vec3::all(1.0)).unwrap());
        for face in 0..6 {
            let polygon = cube.polygon(face, 0);
            for k in 0..4 {
                assert_eq!(polygon.vertices[k], Feature::vertex(CORNERS[face][k].into()));
                assert_eq!(polygon.edges[k], Feature::edge(EDGES[face][k].into()));
            }
        }
        for axis in 0..3 {
            for signs in 0..4 {
                let e = cube.edge(EDGE_BY_SIGNS[axis][signs].into()).unwrap();
                let others: Vec<usize> = (0..3).filter(|k| *k != axis).collect();
                assert_eq!(e.tail[axis], -e.head[axis]);
                for (bit, k) in others.into_iter().enumerate() {
                    assert_eq!(e.tail[k] > 0.0, signs >> bit & 1 == 1, "axis {axis} signs {signs}");
                    assert_eq!(e.tail[k], e.head[k]);
                }
            }
        }
    }
}
