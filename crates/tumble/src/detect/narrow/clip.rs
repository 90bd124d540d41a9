//! Flat and straight parts of surfaces, cut to where they lie over each other.
//!
//! One shape lends a *reference* face with normal m, the other the *incident* patch that faces it. The part of the patch
//! over the face is found by clipping against planes along m through the face's border (Sutherland and Hodgman 1974, as in
//! 002-46 with its errata mended); its corners become contact points, each with its height over the face as separation.

use super::manifold::{Feature, MAX_POINTS, Manifold, ManifoldPoint, reduce};
use crate::math::{Mat3, Num, Real, Vec3};

/// Most corners of a polygon; faces with more are thinned out.
pub(super) const MAX_CORNERS: usize = 24;

/// Corners of two polygons together up to which they are clipped in little room.
const FEW_CORNERS: usize = 8;

/// A flat face, counter-clockwise seen from outside.
#[derive(Clone, Copy, Debug)]
pub(super) struct Polygon {
    pub normal: Vec3,
    pub face: Feature,
    pub len: usize,
    pub points: [Vec3; MAX_CORNERS],
    /// Which vertex of the shape corner i is.
    pub vertices: [Feature; MAX_CORNERS],
    /// Which edge of the shape runs from corner i to corner i + 1.
    pub edges: [Feature; MAX_CORNERS],
}

impl Polygon {
    pub fn new(normal: Vec3, face: Feature) -> Self {
        Self {
            normal,
            face,
            len: 0,
            points: [Vec3::ZERO; MAX_CORNERS],
            vertices: [Feature::ROUND; MAX_CORNERS],
            edges: [Feature::ROUND; MAX_CORNERS],
        }
    }

    /// Forgets its corners.
    pub fn start(&mut self, normal: Vec3, face: Feature) {
        (self.normal, self.face, self.len) = (normal, face, 0);
    }

    pub fn push(&mut self, point: Vec3, vertex: Feature, edge: Feature) {
        if self.len < MAX_CORNERS {
            self.points[self.len] = point;
            self.vertices[self.len] = vertex;
            self.edges[self.len] = edge;
            self.len += 1;
        }
    }

    /// The polygon seen from where its frame stands at (`rotation`, `translation`).
    pub fn moved(mut self, rotation: &Mat3, translation: Vec3) -> Self {
        self.move_to(rotation, translation);
        self
    }

    /// How far inside of the border a point over the polygon is; negative outside.
    #[inline(always)]
    pub fn inset(&self, p: Vec3) -> Real {
        let mut least = Real::INFINITY;
        for side in 0..self.len {
            let from = self.points[side];
            let to = self.points[if side + 1 == self.len { 0 } else { side + 1 }];
            let outward = (to - from).cross(self.normal);
            let length = Num::max(outward.length(), Real::MIN_POSITIVE);
            least = Num::min(outward.dot(from - p) / length, least);
        }
        least
    }

    /// Sees it from where its frame stands at (`rotation`, `translation`).
    pub fn move_to(&mut self, rotation: &Mat3, translation: Vec3) {
        self.normal = *rotation * self.normal;
        for p in &mut self.points[..self.len] {
            *p = *rotation * *p + translation;
        }
    }
}

/// A straight line of a surface, or of the core of a capsule.
#[derive(Clone, Copy, Debug)]
pub(super) struct Segment {
    pub ends: [Vec3; 2],
    pub vertices: [Feature; 2],
    pub edge: Feature,
}

/// Cosine of the tilt of a capsule up to which more than its lower end may touch a face.
const LYING: Real = 0.8;

impl Segment {
    /// How far below the point at `t` of a core of radius `r` its surface is, along the normal of a face under it.
    ///
    /// With the core tilted by θ and the point at distance s from its lower end, the line down meets the side at r / cos θ,
    /// or, if s < r tan θ, the ball around the lower end at s sin θ + √(r² - s² cos² θ). `None` where the tilt is so large
    /// that only the lower end itself is of use.
    pub fn below(&self, normal: Vec3, r: Real, t: Real) -> Option<Real> {
        if r == 0.0 {
            return Some(0.0);
        }
        let along = self.ends[1] - self.ends[0];
        let (rise, length) = (along.dot(normal), along.length());
        let s = length * if rise < 0.0 { 1.0 - t } else { t };
        if s <= 0.0 {
            return Some(r);
        }
        let sine = rise.abs() / length;
        let cosine = Num::max(1.0 - sine * sine, 0.0).sqrt();
        if cosine < LYING {
            None
        } else if s * cosine < r * sine {
            Some(s * sine + Num::max(r * r - (s * cosine) * (s * cosine), 0.0).sqrt())
        } else {
            Some(r / cosine)
        }
    }
}

/// A flat, round face.
#[derive(Clone, Copy, Debug)]
pub(super) struct Disc {
    pub centre: Vec3,
    pub normal: Vec3,
    pub radius: Real,
    /// A direction in the disc that is fixed to the shape.
    pub fixed: Vec3,
    pub face: Feature,
    /// The first of two edges that stand for the rim.
    pub rim: u32,
    /// The vertex that stands for the point of the rim nearest to the other shape.
    pub nearest: Feature,
    /// The first of the vertices that stand for points of the rim.
    pub first: u32,
}

impl Disc {
    /// The rim where a line along the other surface comes into the disc, or leaves it: the two crossings of one line
    /// have ids of their own.
    pub fn rim(&self, leaving: bool) -> Feature {
        Feature::edge(self.rim + u32::from(leaving))
    }
}

/// A part of a surface that may touch along more than a point.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::large_enum_variant)]
pub(super) enum Patch {
    Point(Vec3, Feature),
    Segment(Segment),
    Polygon(Polygon),
    Disc(Disc),
}

impl Patch {
    /// How far inside of the border a point over the face is; negative outside, and for what has no inside.
    pub fn inset(&self, p: Vec3) -> Real {
        match self {
            Self::Polygon(polygon) => polygon.inset(p),
            Self::Disc(disc) => disc.radius - (p - disc.centre).across(disc.normal).length(),
            _ => Real::NEG_INFINITY,
        }
    }

    /// The patch seen from where its frame stands at (`rotation`, `translation`).
    pub fn moved(mut self, rotation: &Mat3, translation: Vec3) -> Self {
        let point = |p: Vec3| *rotation * p + translation;
        match &mut self {
            Self::Point(p, _) => *p = point(*p),
            Self::Segment(s) => s.ends = s.ends.map(point),
            Self::Polygon(p) => p.move_to(rotation, translation),
            Self::Disc(d) => {
                d.centre = point(d.centre);
                d.normal = *rotation * d.normal;
                d.fixed = *rotation * d.fixed;
            }
        }
        self
    }
}

/// Most candidates for contact points that are kept; when more come, the best eight so far go on.
const MAX_GATHERED: usize = 24;

/// Collects the points of a patch over a reference face.
pub(super) struct Gather {
    /// Unit normal of the reference face.
    pub normal: Vec3,
    /// n·p on the face.
    pub offset: Real,
    /// How far the incident surface lies around its patch.
    pub radius: Real,
    /// The reference face belongs to B.
    pub flip: bool,
    /// Points farther apart are left out.
    pub margin: Real,
    /// What lies outside of a border by no more than this counts as inside, so that rounding does not take corners away
    /// that lie on each other.
    pub slack: Real,
    /// The least separation of all points, those beyond the margin included.
    pub least: Real,
    len: usize,
    list: [ManifoldPoint; MAX_GATHERED],
}

impl Gather {
    pub fn new(normal: Vec3, offset: Real, radius: Real, flip: bool, margin: Real, slack: Real) -> Self {
        let list = [ManifoldPoint::default(); MAX_GATHERED];
        Self { normal, offset, radius, flip, margin, slack, least: Real::INFINITY, len: 0, list }
    }

    /// Forgets all points, for those over another face.
    pub fn start(&mut self, normal: Vec3, offset: Real, flip: bool) {
        (self.normal, self.offset, self.flip, self.least, self.len) = (normal, offset, flip, Real::INFINITY, 0);
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Adds the point `p` of the incident patch, where `reference` and `incident` meet.
    #[inline(always)]
    pub fn add(&mut self, p: Vec3, reference: Feature, incident: Feature) {
        self.add_around(p, self.radius, reference, incident);
    }

    /// Adds the point of the surface that is `radius` below the point `p` of its core.
    #[inline(always)]
    fn add_around(&mut self, p: Vec3, radius: Real, reference: Feature, incident: Feature) {
        let height = self.normal.dot(p) - self.offset;
        let separation = height - radius;
        self.least = Num::min(separation, self.least);
        if separation <= self.margin {
            if self.len == MAX_GATHERED {
                let mut best = [ManifoldPoint::default(); MAX_POINTS];
                self.len = reduce(&self.list, self.normal, MAX_POINTS, &mut best);
                self.list[..self.len].copy_from_slice(&best[..self.len]);
            }
            let middle = p.add_scaled(self.normal, (height + radius) * -0.5);
            let (a, b) = if self.flip { (incident, reference) } else { (reference, incident) };
            self.list[self.len] = ManifoldPoint::new(middle, separation, a, b);
            self.len += 1;
        }
    }

    /// The middle of the points that are as low as the lowest but for `tolerance`: since both patches are convex, a place
    /// where the shapes are as deep in each other as anywhere on this face.
    pub fn lowest(&self, tolerance: Real) -> Vec3 {
        let (mut sum, mut count) = (Vec3::ZERO, 0.0);
        for p in &self.list[..self.len] {
            if p.separation <= self.least + tolerance {
                sum += p.point;
                count += 1.0;
            }
        }
        sum / Num::max(count, 1.0)
    }

    /// The middle of all points, with the separation there.
    pub fn middle(&self) -> (Vec3, Real) {
        let (mut sum, mut separation) = (Vec3::ZERO, 0.0);
        for p in &self.list[..self.len] {
            sum += p.point;
            separation += p.separation;
        }
        let share = 1.0 / Num::max(self.len as Real, 1.0);
        (sum * share, separation * share)
    }

    /// Fills the points and the normal of the manifold, keeping the best eight.
    pub fn write(&self, out: &mut Manifold) {
        out.normal = if self.flip { -self.normal } else { self.normal };
        out.take_best(&self.list[..self.len], MAX_POINTS);
    }

    /// Fills the manifold with `first` and the best of the points, as seen along `n`, which has the cosine `slope` with the normal.
    pub fn write_along(&mut self, n: Vec3, slope: Real, first: ManifoldPoint, out: &mut Manifold) {
        let mut list = [first; MAX_GATHERED + 1];
        let mut len = 1;
        for p in &self.list[..self.len] {
            let separation = p.separation / slope;
            // Where the edges meet there is a corner as well.
            if separation <= self.margin && p.id != first.id {
                let incident = p.point.add_scaled(self.normal, 0.5 * p.separation);
                list[len] = ManifoldPoint { point: incident.add_scaled(n, -0.5 * separation), separation, ..*p };
                len += 1;
            }
        }
        out.normal = n;
        out.take_best(&list[..len], MAX_POINTS);
    }

    /// Adds what of the patch lies over the reference polygon.
    pub fn over_polygon(&mut self, reference: &Polygon, incident: &Patch) {
        match incident {
            Patch::Point(p, vertex) => {
                let alone = Segment { ends: [*p, *p], vertices: [*vertex, *vertex], edge: *vertex };
                if clip_segment(reference, &alone, self.slack).is_some() {
                    self.add(*p, reference.face, *vertex);
                }
            }
            Patch::Segment(s) => {
                if let Some(cut) = clip_segment(reference, s, self.slack) {
                    self.add_cut(&cut, reference.face, s);
                }
            }
            Patch::Polygon(p) => self.polygon_over_polygon(reference, p),
            Patch::Disc(d) => super::disc::over_polygon(self, reference, d),
        }
    }

    /// Adds the ends of a clipped segment, or the one point that is left of it.
    pub fn add_cut(&mut self, cut: &Cut, face: Feature, segment: &Segment) {
        let [p, q] = segment.ends;
        for end in 0..if cut.t[1] > cut.t[0] { 2 } else { 1 } {
            let Some(around) = segment.below(self.normal, self.radius, cut.t[end]) else { continue };
            let (reference, incident) = match cut.by[end] {
                Some(edge) => (edge, segment.edge),
                None => (face, segment.vertices[end]),
            };
            self.add_around(between(p, q, cut.t[end]), around, reference, incident);
        }
    }

    /// Adds the corners of what the two polygons have in common as seen along the reference's normal.
    #[inline(always)]
    pub fn polygon_over_polygon(&mut self, reference: &Polygon, incident: &Polygon) {
        // A cut leaves one corner more at most; and room that is not needed would have to be cleared.
        if reference.len + incident.len <= FEW_CORNERS {
            self.cut_polygon::<FEW_CORNERS>(reference, incident);
        } else {
            self.cut_polygon::<{ 2 * MAX_CORNERS }>(reference, incident);
        }
    }

    #[inline(always)]
    fn cut_polygon<const ROOM: usize>(&mut self, reference: &Polygon, incident: &Polygon) {
        let mut rings = [[Corner::default(); ROOM]; 2];
        let mut len = incident.len;
        for i in 0..len {
            rings[0][i] = Corner { p: incident.points[i], edge: i as u8, clipped: false };
        }
        let mut from = 0;
        for side in 0..reference.len {
            let plane = SidePlane::new(reference, side, self.slack);
            let [first, second] = &mut rings;
            let (source, target) = if from == 0 { (first, second) } else { (second, first) };
            len = plane.cut(&source[..len], target, side as u8);
            if len == 0 {
                return;
            }
            from = 1 - from;
        }
        let ring = &rings[from][..len];
        let mut last = ring[len - 1];
        for corner in ring {
            let (before, after) = (last, *corner);
            last = after;
            let (r, i) = match (before.clipped, after.clipped) {
                (false, false) => (reference.face, incident.vertices[usize::from(after.edge)]),
                (true, false) => (reference.edges[usize::from(before.edge)], incident.edges[usize::from(after.edge)]),
                (false, true) => (reference.edges[usize::from(after.edge)], incident.edges[usize::from(before.edge)]),
                (true, true) => {
                    // Corner of the reference: where its edge i meets its edge i + 1.
                    let (i, j) = (usize::from(before.edge), usize::from(after.edge));
                    (reference.vertices[if (i + 1) % reference.len == j { j } else { i }], incident.face)
                }
            };
            self.add(corner.p, r, i);
        }
    }
}

/// Straight interpolation that gives the ends exactly.
#[inline(always)]
pub(super) fn between(p: Vec3, q: Vec3, t: Real) -> Vec3 {
    if t == 1.0 { q } else { p.add_scaled(q - p, t) }
}

/// The plane through an edge of a reference polygon along its normal; outside is positive.
#[derive(Clone, Copy, Default)]
struct SidePlane {
    outward: Vec3,
    offset: Real,
}

impl SidePlane {
    #[inline(always)]
    fn new(polygon: &Polygon, side: usize, slack: Real) -> Self {
        let p = polygon.points[side];
        let q = polygon.points[if side + 1 == polygon.len { 0 } else { side + 1 }];
        let outward = (q - p).cross(polygon.normal);
        Self { outward, offset: outward.dot(p) + slack * outward.length() }
    }

    #[inline(always)]
    fn excess(&self, p: Vec3) -> Real {
        self.outward.dot(p) - self.offset
    }

    /// Copies the part of the ring inside of the plane to `target` and returns its length.
    #[inline(always)]
    fn cut(&self, ring: &[Corner], target: &mut [Corner], side: u8) -> usize {
        let mut len = 0;
        let mut push = |corner: Corner| {
            if len < target.len() {
                target[len] = corner;
                len += 1;
            }
        };
        let mut start = ring[ring.len() - 1];
        let mut start_excess = self.excess(start.p);
        for &end in ring {
            let end_excess = self.excess(end.p);
            // The parameter is in (0, 1): the signs differ.
            let crossing = || start.p.add_scaled(end.p - start.p, start_excess / (start_excess - end_excess));
            match (start_excess <= 0.0, end_excess <= 0.0) {
                (true, true) => push(end),
                (true, false) => push(Corner { p: crossing(), edge: side, clipped: true }),
                (false, true) => {
                    push(Corner { p: crossing(), ..start });
                    push(end);
                }
                (false, false) => {}
            }
            (start, start_excess) = (end, end_excess);
        }
        len
    }
}

/// A corner of the polygon that is being clipped, with the edge that leaves it.
#[derive(Clone, Copy, Default)]
struct Corner {
    p: Vec3,
    /// The edge from this corner to the next: one of the incident polygon, or of the reference where `clipped`.
    edge: u8,
    clipped: bool,
}

/// The part of a segment that is left: parameters of its ends, and the border that cut each, if any.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    pub t: [Real; 2],
    pub by: [Option<Feature>; 2],
}

/// The part of the segment over the polygon.
fn clip_segment(reference: &Polygon, segment: &Segment, slack: Real) -> Option<Cut> {
    let mut cut = Cut { t: [0.0, 1.0], by: [None, None] };
    for side in 0..reference.len {
        let plane = SidePlane::new(reference, side, slack);
        let (s, e) = (plane.excess(segment.ends[0]), plane.excess(segment.ends[1]));
        if s > 0.0 && e > 0.0 {
            return None;
        }
        if s > 0.0 && s / (s - e) > cut.t[0] {
            cut.t[0] = s / (s - e);
            cut.by[0] = Some(reference.edges[side]);
        } else if e > 0.0 && s / (s - e) < cut.t[1] {
            cut.t[1] = s / (s - e);
            cut.by[1] = Some(reference.edges[side]);
        }
    }
    (cut.t[0] <= cut.t[1]).then_some(cut)
}

/// The planes around a polygon along its normal.
pub(super) struct Fence {
    len: usize,
    planes: [SidePlane; MAX_CORNERS],
}

impl Fence {
    pub fn new(polygon: &Polygon, slack: Real) -> Self {
        let mut fence = Self { len: polygon.len, planes: [SidePlane::default(); MAX_CORNERS] };
        for side in 0..polygon.len {
            fence.planes[side] = SidePlane::new(polygon, side, slack);
        }
        fence
    }

    /// `p` lies over the polygon, or outside of its border by no more than the slack.
    pub fn holds(&self, p: Vec3) -> bool {
        self.planes[..self.len].iter().all(|plane| plane.excess(p) <= 0.0)
    }
}

/// The height along `m` at which the line through `p` meets the polygon's plane, or `None` where it hardly does.
pub(super) fn height_over(polygon: &Polygon, p: Vec3, m: Vec3) -> Option<Real> {
    let slope = polygon.normal.dot(m);
    (slope.abs() > 0.05).then(|| polygon.normal.dot(polygon.points[0] - p) / slope)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Float, Quat};

    fn square(y: Real, up: bool, angle: f64, half: Real) -> Polygon {
        let turn = Quat::from_axis_angle(Vec3::Y, Real::from_f64(angle));
        let mut polygon = Polygon::new(if up { Vec3::Y } else { -Vec3::Y }, Feature::face(0));
        let mut corners = [(1.0, 1.0), (1.0, -1.0), (-1.0, -1.0), (-1.0, 1.0)];
        if !up {
            corners.reverse();
        }
        for (i, (x, z)) in corners.into_iter().enumerate() {
            let p = turn.rotate(Vec3::new(x * half, y, z * half));
            polygon.push(p, Feature::vertex(i as u32), Feature::edge(i as u32));
        }
        polygon
    }

    fn clip(reference: &Polygon, incident: &Polygon) -> Manifold {
        let mut gather = Gather::new(reference.normal, reference.points[0].y, 0.0, false, 1.0, 1e-5);
        gather.over_polygon(reference, &Patch::Polygon(*incident));
        let mut out = Manifold::default();
        gather.write(&mut out);
        out
    }

    // 002-D7: identical aligned faces give 4 points, a square turned by 45 degrees 8.
    #[test]
    fn aligned_and_turned_squares() {
        let reference = square(0.0, true, 0.0, 1.0);
        let aligned = clip(&reference, &square(-0.1, false, 0.0, 1.0));
        assert_eq!(aligned.points().len(), 4);
        let turned = clip(&reference, &square(-0.1, false, core::f64::consts::FRAC_PI_4, 1.0));
        assert_eq!(turned.points().len(), 8);
        for p in turned.points().iter().chain(aligned.points()) {
            assert!((p.separation + 0.1).abs() < 1e-6);
            assert!((p.point.y + 0.05).abs() < 1e-6);
        }
        let mut ids: Vec<_> = turned.points().iter().map(|p| p.id).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), 8, "each point has an id of its own");
    }

    // A small face over a large one keeps its own corners, a large one takes those of the small one: the same ids with
    // the roles exchanged.
    #[test]
    fn ids_do_not_depend_on_the_reference() {
        let (small, large) = (square(0.0, true, 0.3, 0.5), square(-0.1, false, 0.0, 1.0));
        let mut one: Vec<_> = clip(&small, &large).points().iter().map(|p| p.id).collect();
        let mut flipped = Gather::new(-Vec3::Y, 0.1, 0.0, true, 1.0, 1e-5);
        flipped.over_polygon(&large, &Patch::Polygon(small));
        let mut out = Manifold::default();
        flipped.write(&mut out);
        let mut other: Vec<_> = out.points().iter().map(|p| p.id).collect();
        one.sort_unstable();
        other.sort_unstable();
        assert_eq!(one.len(), 4);
        assert_eq!(one, other);
        assert_eq!(out.normal, Vec3::Y);
    }

    #[test]
    fn disjoint_squares_leave_nothing() {
        let mut far = square(-0.1, false, 0.0, 1.0);
        for p in &mut far.points {
            p.x += 3.0;
        }
        assert!(clip(&square(0.0, true, 0.0, 1.0), &far).is_empty());
    }

    // A capsule's core across a face: cut at both borders, with the edges that cut it in the ids.
    #[test]
    fn segment_over_a_face() {
        let face = square(0.0, true, 0.0, 1.0);
        let ends = [Vec3::new(-3.0, 0.5, 0.2), Vec3::new(3.0, 0.5, 0.2)];
        let vertices = [Feature::vertex(0), Feature::vertex(1)];
        let mut gather = Gather::new(Vec3::Y, 0.0, 0.4, false, 1.0, 0.0);
        gather.over_polygon(&face, &Patch::Segment(Segment { ends, vertices, edge: Feature::edge(0) }));
        let mut out = Manifold::default();
        gather.write(&mut out);
        assert_eq!(out.points().len(), 2);
        for p in out.points() {
            assert!((p.point.x.abs() - 1.0).abs() < 1e-6);
            assert!((p.separation - 0.1).abs() < 1e-6);
            assert!((p.point.y - 0.05).abs() < 1e-6);
            assert_eq!(p.features().1, Feature::edge(0));
        }
    }
}
