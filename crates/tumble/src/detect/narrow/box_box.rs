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
use super::contact::{BallOver, NEAR_FACE, Place, SLACK, Touch, is_least, tolerance};
use super::convex::ConvexRef;
use super::curved;
use super::faceted::{around_edges, nearest_on_lines};
use super::manifold::{Feature, Gap, Manifold, ManifoldPoint};
use super::polytope::Small;
use super::sat::Placed;
use crate::math::{Mat3, Num, Pose, Real, Vec3};
use crate::shape::Cuboid;

/// Edge numbers by axis and by the signs of the two other coordinates, in their order: bit 0 for the first.
const EDGE_BY_SIGNS: [[u8; 4]; 3] = [[10, 9, 11, 8], [7, 0, 5, 2], [4, 3, 6, 1]];

/// A face across axis j in the frame (u, v) = (j + 1, j + 2): its corners (-, -), (+, -), (+, +), (-, +), and its edges, edge k
/// from corner k to corner k + 1.
#[derive(Clone, Copy)]
struct FaceNames {
    corners: [Feature; 4],
    edges: [Feature; 4],
}

/// Of all faces.
static NAMES: [FaceNames; 6] = {
    let mut names = [FaceNames { corners: [Feature::ROUND; 4], edges: [Feature::ROUND; 4] }; 6];
    let mut face = 0;
    while face < 6 {
        let j = face / 2;
        let (u, v) = ((j + 1) % 3, (j + 2) % 3);
        let own = if face % 2 == 0 { 1 << j } else { 0 };
        let (pu, pv) = (1 << u, 1 << v);
        names[face].corners = [
            Feature::vertex(own),
            Feature::vertex(own | pu),
            Feature::vertex(own | pu | pv),
            Feature::vertex(own | pv),
        ];
        names[face].edges =
            [edge_through(u, own), edge_through(v, own | pu), edge_through(u, own | pv), edge_through(v, own)];
        face += 1;
    }
    names
};

/// The edge along `axis` through the vertex.
const fn edge_through(axis: usize, vertex: u32) -> Feature {
    let (first, second) = match axis {
        0 => (1, 2),
        1 => (0, 2),
        _ => (0, 1),
    };
    let signs = (vertex >> first & 1) | (vertex >> second & 1) << 1;
    Feature::edge(EDGE_BY_SIGNS[axis][signs as usize] as u32)
}

/// Cosine of the tilt (10 degrees) up to which two faces lie on each other.
const FLAT: Real = 0.985;

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
    let along = |n: Vec3| n.dot(t) - ha.dot(n.abs()) - hb.dot(r.transpose_mul(n).abs());
    let n = cache.direction();
    let last = along(n);
    if last > margin {
        out.apart = Gap::of_a(last, n);
        return;
    }
    let tolerance = tolerance(ha.max_component(), hb.max_component(), t);
    let boxes = Boxes { a: ha, b: hb, r, t, margin, tolerance };
    if boxes.at_once(cache, out) {
        return;
    }
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
            cache.set(Axis::FaceA(face as u32), boxes.face_normal_a(face));
        } else {
            let face = face_b.i * 2 + usize::from(t_in_b[face_b.i] > 0.0);
            cache.set(Axis::FaceB(face as u32), boxes.face_normal_b(face));
        }
        // The next search takes it for a direction of A's, whichever face it came from.
        out.apart = Gap::of_a(best, cache.direction());
        return;
    }

    let edges = boxes.best_edges(&abs, best + 0.25 * tolerance);
    let edge_normal = edges.map(|e| boxes.edge_normal(&e));
    if let (Some(e), Some(n)) = (edges, edge_normal)
        && e.separation > margin
    {
        cache.set(Axis::Edges(e.i as u16, e.j as u16), n);
        // Of edges that are nearly parallel the separation is not that along a rounded normal.
        out.apart = Gap::of_a(along(n), n);
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
        let frame = boxes.frame(face, flip);
        let ring = boxes.clipped(&frame, flip);
        let least = boxes.write(face, flip, &frame, &ring, out);
        if (least - target).abs() <= tolerance && !out.is_empty() {
            let axis = if flip { Axis::FaceB(face as u32) } else { Axis::FaceA(face as u32) };
            cache.set(axis, normal);
            return;
        }
    }
    if let (Some(e), Some(n)) = (edges, edge_normal)
        && boxes.on_edges(&e, n, out)
    {
        cache.set(Axis::Edges(e.i as u16, e.j as u16), n);
        if e.separation < -margin {
            let placed = Placed { a: &Small::cuboid(a), b: &Small::cuboid(b), rotation: &r, translation: t };
            around_edges(&placed, n, margin, SLACK * tolerance, out);
        }
        return;
    }
    // A corner is nearest to a corner or an edge, or rounding has parted an overlap from its points.
    if n == Vec3::ZERO {
        let normal = if b_first { boxes.face_normal_b(face_of_b.0) } else { boxes.face_normal_a(face_of_a.0) };
        cache.set(Axis::Direction, edge_normal.unwrap_or(normal));
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

    /// Takes the last face as the answer where no axis can show less depth than its points do (see [`is_least`]), and where
    /// moving out by that depth along the face's normal does part the boxes: the other box is nowhere lower over the face
    /// than its points, since but for the face that faces the reference all its faces are steep.
    #[inline(always)]
    fn at_once(&self, cache: &mut PairCache, out: &mut Manifold) -> bool {
        let (face, flip) = match cache.axis() {
            Axis::FaceA(f) if f < 6 => (f as usize, false),
            Axis::FaceB(f) if f < 6 => (f as usize, true),
            _ => return false,
        };
        let frame = self.frame(face, flip);
        if frame.axes[frame.opposing() / 2].z.abs() < FLAT {
            return false;
        }
        let ring = self.clipped(&frame, flip);
        if ring.len == 0 {
            return false;
        }
        let half = if flip { self.a } else { self.b };
        let seen = ring.survey(&frame, half, 0.5 * self.tolerance);
        let least = -seen.deepest.depth;
        if least > self.margin || !is_least(seen.deepest, seen.middle, seen.ball, self.tolerance) {
            return false;
        }
        self.write(face, flip, &frame, &ring, out);
        cache.set(cache.axis(), out.normal);
        true
    }

    /// The frame of a face of A (of B where `flip`).
    #[inline(always)]
    fn frame(&self, face: usize, flip: bool) -> Frame {
        if flip {
            let back = self.r.transpose();
            Frame::new(face, self.b, &back, -(back * self.t))
        } else {
            Frame::new(face, self.a, &self.r, self.t)
        }
    }

    /// The face of the other box that faces the given one, clipped to it.
    #[inline(always)]
    fn clipped(&self, frame: &Frame, flip: bool) -> Ring {
        let half = if flip { self.a } else { self.b };
        let mut ring = frame.incident(half, frame.opposing());
        ring.clip(frame, SLACK * self.tolerance);
        ring
    }

    /// Writes the clipped points and returns the least separation.
    #[inline(always)]
    fn write(&self, face: usize, flip: bool, frame: &Frame, ring: &Ring, out: &mut Manifold) -> Real {
        let incident = frame.opposing();
        let (own, other) = (Feature::face(face as u32), Feature::face(incident as u32));
        let (reference, facing) = (&NAMES[face], &NAMES[incident]);
        let middle = |c: &Corner| frame.back(c.u, c.v, frame.top + 0.5 * c.height);
        if flip {
            out.normal = self.face_normal_b(face);
            (out.feature_a, out.feature_b) = (other, own);
            ring.write(self.margin, reference, facing, out, true, |c| self.r * middle(c) + self.t)
        } else {
            out.normal = unit(face);
            (out.feature_a, out.feature_b) = (own, other);
            ring.write(self.margin, reference, facing, out, false, middle)
        }
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

/// The frame of a reference face: coordinates u and v along the face and one along its normal, so that the rest need not
/// know which face it is.
struct Frame {
    face: usize,
    /// Half-extents of the face.
    half_u: Real,
    half_v: Real,
    /// Height of the face over the middle of its box.
    top: Real,
    /// The other box: its axes and its middle, as (u, v, height).
    axes: [Vec3; 3],
    middle: Vec3,
}

impl Frame {
    /// The other box stands at (`r`, `t`) in the frame of the box with these half-extents.
    #[inline(always)]
    fn new(face: usize, half: Vec3, r: &Mat3, t: Vec3) -> Self {
        let half = turned(face, half);
        // Heights count along the outward normal; u and v do not change sign.
        let sign = if face & 1 == 0 { 1.0 } else { -1.0 };
        let into = |v: Vec3| {
            let w = turned(face, v);
            Vec3::new(w.x, w.y, w.z * sign)
        };
        Self {
            face,
            half_u: half.x,
            half_v: half.y,
            top: half.z,
            axes: [into(r.x), into(r.y), into(r.z)],
            middle: into(t),
        }
    }

    /// The face of the other box that faces the reference most.
    #[inline(always)]
    fn opposing(&self) -> usize {
        let [x, y, z] = [self.axes[0].z, self.axes[1].z, self.axes[2].z];
        let (mut axis, mut along) = (0, x);
        if y.abs() > along.abs() {
            (axis, along) = (1, y);
        }
        if z.abs() > along.abs() {
            (axis, along) = (2, z);
        }
        // The axis points up: its negative face looks at the reference.
        2 * axis + usize::from(along > 0.0)
    }

    /// The corners of a face of the other box, which has these half-extents.
    #[inline(always)]
    fn incident(&self, half: Vec3, face: usize) -> Ring {
        let own = face / 2;
        let (u, v) = ((own + 1) % 3, (own + 2) % 3);
        let sign = if face & 1 == 0 { half[own] } else { -half[own] };
        let centre = self.middle.add_scaled(self.axes[own], sign);
        let (e, f) = (self.axes[u] * half[u], self.axes[v] * half[v]);
        let (low, high) = (centre - f, centre + f);
        let mut ring = Ring { len: 4, corners: [Corner::default(); 8] };
        for (k, p) in [low - e, low + e, high + e, high - e].into_iter().enumerate() {
            ring.corners[k] = Corner { u: p.x, v: p.y, height: p.z - self.top, edge: k as u8, clipped: false };
        }
        ring
    }

    /// From the frame of the face to that of its box.
    #[inline(always)]
    fn back(&self, u: Real, v: Real, height: Real) -> Vec3 {
        let h = if self.face & 1 == 0 { height } else { -height };
        match self.face / 2 {
            0 => Vec3::new(h, u, v),
            1 => Vec3::new(v, h, u),
            _ => Vec3::new(u, v, h),
        }
    }
}

/// Components in the order (j + 1, j + 2, j) for a face across axis j.
#[inline(always)]
fn turned(face: usize, v: Vec3) -> Vec3 {
    match face / 2 {
        0 => Vec3::new(v.y, v.z, v.x),
        1 => Vec3::new(v.z, v.x, v.y),
        _ => v,
    }
}

/// A corner of the polygon that is being clipped, with the edge that leaves it: one of the incident face, or of the reference
/// where `clipped`.
#[derive(Clone, Copy, Default)]
struct Corner {
    u: Real,
    v: Real,
    height: Real,
    edge: u8,
    clipped: bool,
}

/// What [`is_least`] wants to know.
struct Survey {
    deepest: Place,
    middle: Place,
    ball: BallOver,
}

/// The polygon that is being clipped: a quad cut by four lines has at most eight corners.
struct Ring {
    len: usize,
    corners: [Corner; 8],
}

impl Ring {
    /// Cuts away what is not over the reference face.
    #[inline(always)]
    fn clip(&mut self, frame: &Frame, slack: Real) {
        let (u, v) = (frame.half_u + slack, frame.half_v + slack);
        self.cut(0, |c| -c.v - v);
        self.cut(1, |c| c.u - u);
        self.cut(2, |c| c.v - v);
        self.cut(3, |c| -c.u - u);
    }

    #[inline(always)]
    fn cut(&mut self, side: u8, excess: impl Fn(&Corner) -> Real) {
        let mut outside = 0;
        for c in &self.corners[..self.len] {
            outside += usize::from(excess(c) > 0.0);
        }
        if outside == self.len {
            self.len = 0;
        } else if outside > 0 {
            self.cut_some(side, excess);
        }
    }

    fn cut_some(&mut self, side: u8, excess: impl Fn(&Corner) -> Real) {
        let old = self.corners;
        let count = self.len;
        let mut len = 0;
        let mut push = |corner: Corner| {
            if len < self.corners.len() {
                self.corners[len] = corner;
                len += 1;
            }
        };
        let mut start = old[count - 1];
        let mut start_excess = excess(&start);
        for end in &old[..count] {
            let end_excess = excess(end);
            if (start_excess <= 0.0) != (end_excess <= 0.0) {
                let s = start_excess / (start_excess - end_excess);
                let between = |a: Real, b: Real| a + (b - a) * s;
                // Going out, the border is followed next; coming in, the edge that was under way.
                let (edge, clipped) = if start_excess <= 0.0 { (side, true) } else { (start.edge, start.clipped) };
                push(Corner {
                    u: between(start.u, end.u),
                    v: between(start.v, end.v),
                    height: between(start.height, end.height),
                    edge,
                    clipped,
                });
            }
            if end_excess <= 0.0 {
                push(*end);
            }
            (start, start_excess) = (*end, end_excess);
        }
        self.len = len;
    }

    /// The deepest place (the middle of the lowest corners), the middle of all, and the ball inside of the other box.
    #[inline(always)]
    fn survey(&self, frame: &Frame, half: Vec3, tolerance: Real) -> Survey {
        let corners = &self.corners[..self.len];
        let mut least = Real::INFINITY;
        let (mut u, mut v, mut height) = (0.0, 0.0, 0.0);
        for c in corners {
            least = Num::min(c.height, least);
            u += c.u;
            v += c.v;
            height += c.height;
        }
        let share = 1.0 / self.len as Real;
        let (u, v) = (u * share, v * share);
        let (mut low_u, mut low_v, mut count) = (0.0, 0.0, 0.0);
        for c in corners {
            if c.height <= least + tolerance {
                low_u += c.u;
                low_v += c.v;
                count += 1.0;
            }
        }
        let inset = |u: Real, v: Real| Num::min(frame.half_u - u.abs(), frame.half_v - v.abs());
        let (du, dv) = (frame.middle.x - u, frame.middle.y - v);
        Survey {
            deepest: Place { depth: -least, inset: inset(low_u / count, low_v / count) },
            middle: Place { depth: -height * share, inset: inset(u, v) },
            ball: BallOver {
                radius: half.min_component(),
                height: frame.middle.z - frame.top,
                aside: (du * du + dv * dv).sqrt(),
            },
        }
    }

    /// Writes the points within the margin, `place`d in A's frame, and returns the least separation of all.
    #[inline(always)]
    fn write(
        &self,
        margin: Real,
        reference: &FaceNames,
        incident: &FaceNames,
        out: &mut Manifold,
        flip: bool,
        place: impl Fn(&Corner) -> Vec3,
    ) -> Real {
        out.clear();
        let mut least = Real::INFINITY;
        let (face, facing) = if flip { (out.feature_b, out.feature_a) } else { (out.feature_a, out.feature_b) };
        let Some(mut before) = self.corners[..self.len].last().copied() else {
            return least;
        };
        for after in &self.corners[..self.len] {
            least = Num::min(after.height, least);
            if after.height <= margin {
                let (e, f) = (usize::from(before.edge & 3), usize::from(after.edge & 3));
                let (on_reference, on_incident) = match (before.clipped, after.clipped) {
                    (false, false) => (face, incident.corners[f]),
                    (true, false) => (reference.edges[e], incident.edges[f]),
                    (false, true) => (reference.edges[f], incident.edges[e]),
                    (true, true) => (reference.corners[if (e + 1) & 3 == f { f } else { e }], facing),
                };
                let (a, b) = if flip { (on_incident, on_reference) } else { (on_reference, on_incident) };
                out.push(ManifoldPoint::new(place(after), after.height, a, b));
            }
            before = *after;
        }
        least
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::narrow::polytope::{Polytope, Small};

    // The names agree with the general ones, so that ids mean the same in every pair.
    #[test]
    fn numbering_is_that_of_polytopes() {
        let cube = Small::cuboid(&Cuboid::new(Vec3::all(1.0)).unwrap());
        for face in 0..6 {
            let names = &NAMES[face];
            let polygon = cube.polygon(face, 0);
            let known = |f: &Feature| polygon.vertices[..4].contains(f) || polygon.edges[..4].contains(f);
            assert!(names.corners.iter().chain(&names.edges).all(known));
            for k in 0..4 {
                let e = cube.edge(names.edges[k].index() as usize).unwrap();
                let [p, q] = [k, (k + 1) % 4].map(|c| cube.vertex(names.corners[c].index() as usize));
                assert!((e.tail, e.head) == (p, q) || (e.tail, e.head) == (q, p), "face {face} edge {k}");
            }
            // The frame puts the corners where their names say.
            let frame = Frame::new(face, Vec3::all(1.0), &Mat3::IDENTITY, Vec3::ZERO);
            let signs = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
            for (k, (u, v)) in signs.into_iter().enumerate() {
                assert_eq!(frame.back(u, v, 1.0), cube.vertex(names.corners[k].index() as usize));
            }
        }
    }
}
