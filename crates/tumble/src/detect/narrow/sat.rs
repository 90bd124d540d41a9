//! The best separating axis of two polytopes: face normals, and common perpendiculars of edges.
//!
//! The separation along the unit vector n (from A to B) is min n·b - max n·a. Over all n it is largest on the normal of a
//! face of A - B, and those are the faces of A, the faces of B turned round, and the pairs of edges whose arcs cross on the
//! Gauss map (Gregorius 2013): with left and right face normals l, r of an edge of A and the negated ones of an edge of B,
//! the arcs l_A r_A and -l_B -r_B must intersect.
//!
//! Most axes are never measured. A ball with centre c and radius ρ inside of B bounds the separation along n by
//! n·(c - p) - ρ, with p any point of the feature of A; for an edge this is maximised over its arc. So does any point of B, with no
//! radius: the one that is deepest in A leaves only what is as near to it as it is deep. What cannot beat the best axis so far is
//! skipped, and the first axis tried is the last one kept, which is nearly always still the best.

use super::cache::Axis;
use super::polytope::{Edge, Polytope};
use crate::math::{Mat3, Num, Real, Vec3};

/// A face normal with the separation along it.
#[derive(Clone, Copy, Debug)]
pub(super) struct FaceAxis {
    pub separation: Real,
    pub face: usize,
    /// The vertex of the other polytope that is nearest to the face.
    pub vertex: usize,
}

/// A pair of edges with the separation along their common perpendicular.
#[derive(Clone, Copy, Debug)]
pub(super) struct EdgeAxis {
    pub separation: Real,
    pub a: usize,
    pub b: usize,
    /// From A to B, in A's frame.
    pub normal: Vec3,
}

/// What was found.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axes {
    pub face_a: FaceAxis,
    pub face_b: FaceAxis,
    pub edges: Option<EdgeAxis>,
    /// Along this axis the polytopes are farther apart than the margin, by so much; the rest is incomplete.
    pub separating: Option<(Axis, Vec3, Real)>,
}

/// An edge with its number and direction.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Side {
    pub edge: Edge,
    pub along: Vec3,
    pub number: usize,
}

impl Side {
    #[inline(always)]
    pub fn new(edge: Edge, number: usize) -> Self {
        Self { edge, along: edge.head - edge.tail, number }
    }
}

/// Faces whose heights are kept; for larger polytopes those beyond are found anew each time.
const KEPT: usize = 64;

/// Heights that are looked at together: the compiler keeps them in vector registers.
const TOGETHER: usize = 8;

/// How high two things are: the centre of a ball inside of the other polytope, and a point of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    pub ball: Real,
    pub point: Real,
}

/// How high the other polytope stands over the faces of one.
pub(super) struct Heights<'a, P> {
    polytope: &'a P,
    centre: Vec3,
    radius: Real,
    point: Vec3,
    /// See [`Self::find_highest`].
    highest: usize,
    of_ball: [Real; KEPT],
    of_point: [Real; KEPT],
}

impl<'a, P: Polytope> Heights<'a, P> {
    /// Of a ball; the point is to be told by [`Self::look_at`].
    #[inline(always)]
    fn new(polytope: &'a P, (centre, radius): (Vec3, Real)) -> Self {
        let none = [0.0; KEPT];
        let mut heights = Self { polytope, centre, radius, point: centre, highest: 0, of_ball: none, of_point: none };
        polytope.heights(centre, &mut heights.of_ball);
        heights.highest = heights.find_highest();
        heights
    }

    /// The face over which the ball is highest, or for larger polytopes one over which it is high.
    #[inline(always)]
    fn find_highest(&self) -> usize {
        let count = self.polytope.face_count().min(KEPT);
        let (mut most, mut group) = ([Real::NEG_INFINITY; TOGETHER], [0; TOGETHER]);
        for (g, heights) in self.of_ball[..count].chunks_exact(TOGETHER).enumerate() {
            for lane in 0..TOGETHER {
                let higher = heights[lane] > most[lane];
                most[lane] = if higher { heights[lane] } else { most[lane] };
                group[lane] = if higher { g as u32 } else { group[lane] };
            }
        }
        let mut best = (Real::NEG_INFINITY, 0);
        for lane in 0..TOGETHER {
            if most[lane] > best.0 {
                best = (most[lane], group[lane] as usize * TOGETHER + lane);
            }
        }
        for (i, &height) in self.of_ball[..count].iter().enumerate().skip(count / TOGETHER * TOGETHER) {
            if height > best.0 {
                best = (height, i);
            }
        }
        best.1
    }

    /// The first face from this number on over which the point is higher than `bar`.
    #[inline(always)]
    pub fn next_high(&self, from: usize, bar: Real) -> Option<usize> {
        let count = self.polytope.face_count();
        let kept = count.min(KEPT);
        let mut i = from;
        while i < kept {
            let first = i / TOGETHER * TOGETHER;
            // What is left over of the last group means nothing; it costs a look at each of the rest.
            let mut any = false;
            for height in &self.of_point[first..first + TOGETHER] {
                any |= *height > bar;
            }
            let end = kept.min(first + TOGETHER);
            if any {
                while i < end {
                    if self.of_point[i] > bar {
                        return Some(i);
                    }
                    i += 1;
                }
            }
            i = end;
        }
        (i.max(kept)..count).find(|&i| self.over(i, self.point) > bar)
    }

    /// Takes another point.
    #[inline(always)]
    fn look_at(&mut self, point: Vec3) {
        self.point = point;
        self.polytope.heights(point, &mut self.of_point);
    }

    #[inline(always)]
    fn over(&self, face: usize, p: Vec3) -> Real {
        self.polytope.normal(face).dot(p) - self.polytope.offset(face)
    }

    #[inline(always)]
    fn ball(&self, face: usize) -> Real {
        if face < KEPT { self.of_ball[face] } else { self.over(face, self.centre) }
    }

    /// Over a face.
    #[inline(always)]
    pub fn of(&self, face: usize) -> Seen {
        let point = if face < KEPT { self.of_point[face] } else { self.over(face, self.point) };
        Seen { ball: self.ball(face), point }
    }

    /// The first face from this number on along whose normal the separation may be larger than `bar`.
    #[inline(always)]
    fn next_candidate(&self, from: usize, bar: Real) -> Option<usize> {
        let mut next = from;
        while let Some(i) = self.next_high(next, bar) {
            if self.ball(i) - self.radius > bar {
                return Some(i);
            }
            next = i + 1;
        }
        None
    }
}

const NONE: FaceAxis = FaceAxis { separation: Real::NEG_INFINITY, face: 0, vertex: 0 };

/// Edges that are compared at a time.
pub(super) const BATCH: usize = 16;

/// Sine of the angle under which edges count as parallel: their perpendicular is rounding.
const PARALLEL: Real = 1e-4;

/// Two polytopes in A's frame.
pub(super) struct Placed<'a, P, Q> {
    pub a: &'a P,
    pub b: &'a Q,
    pub rotation: &'a Mat3,
    pub translation: Vec3,
}

impl<P: Polytope, Q: Polytope> Placed<'_, P, Q> {
    /// The separation along the normal of a face of A.
    pub fn face_a(&self, face: usize) -> FaceAxis {
        let n = self.a.normal(face);
        let vertex = self.b.support(-self.rotation.transpose_mul(n));
        let p = *self.rotation * self.b.vertex(vertex) + self.translation;
        FaceAxis { separation: n.dot(p) - self.a.offset(face), face, vertex }
    }

    /// The separation along the normal of a face of B.
    pub fn face_b(&self, face: usize) -> FaceAxis {
        let n = self.b.normal(face);
        let vertex = self.a.support(-(*self.rotation * n));
        let p = self.rotation.transpose_mul(self.a.vertex(vertex) - self.translation);
        FaceAxis { separation: n.dot(p) - self.b.offset(face), face, vertex }
    }

    /// The separation along any unit vector from A to B.
    pub fn along(&self, n: Vec3) -> Real {
        let a = self.a.vertex(self.a.support(n));
        let b = *self.rotation * self.b.vertex(self.b.support(-self.rotation.transpose_mul(n))) + self.translation;
        n.dot(b - a)
    }

    /// Edge of A, if there is one of this number.
    pub fn edge_of_a(&self, i: usize) -> Option<Edge> {
        if i < self.a.edge_numbers() { self.a.edge(i) } else { None }
    }

    /// Edge of B in A's frame, if there is one of this number.
    pub fn edge_of_b(&self, i: usize) -> Option<Edge> {
        if i < self.b.edge_numbers() { self.b.edge(i).map(|e| self.placed(&e)) } else { None }
    }

    #[inline(always)]
    fn placed(&self, e: &Edge) -> Edge {
        let (r, t) = (self.rotation, self.translation);
        Edge { tail: *r * e.tail + t, head: *r * e.head + t, left: *r * e.left, right: *r * e.right }
    }

    /// An axis is allowed unless it points to the back of a one-sided polytope.
    fn allowed(&self, n: Vec3) -> bool {
        self.a.front().is_none_or(|f| f.dot(n) >= 0.0)
            && self.b.front().is_none_or(|f| f.dot(self.rotation.transpose_mul(n)) <= 0.0)
    }

    /// Measures what may be best; stops at the first axis along which the polytopes are farther apart than `margin`.
    /// Pairs of edges count only where they are better than the faces by `lead`.
    pub fn axes(&self, last: Axis, margin: Real, lead: Real) -> Axes {
        let mut axes = Axes { face_a: NONE, face_b: NONE, edges: None, separating: None };
        match last {
            Axis::FaceA(i) if (i as usize) < self.a.face_count() => axes.face_a = self.face_a(i as usize),
            Axis::FaceB(i) if (i as usize) < self.b.face_count() => axes.face_b = self.face_b(i as usize),
            Axis::Edges(i, j) => {
                if let (Some(e), Some(f)) = (self.edge_of_a(i.into()), self.edge_of_b(j.into())) {
                    axes.edges = self.pair(&Side::new(e, i.into()), &Side::new(f, j.into()));
                }
            }
            _ => {}
        }
        if axes.note_separating(self, margin) {
            return axes;
        }
        let (r, t) = (self.rotation, self.translation);
        let ((centre_b, radius_b), (centre_a, radius_a)) = (self.b.inner_ball(), self.a.inner_ball());
        let mut over_a = Heights::new(self.a, (*r * centre_b + t, radius_b));
        let mut over_b = Heights::new(self.b, (r.transpose_mul(centre_a - t), radius_a));

        // The faces over which the other's ball is highest are the likely ones; after them most others are out of the question.
        if axes.face_a.separation == Real::NEG_INFINITY {
            axes.face_a = self.face_a(over_a.highest);
        }
        if axes.face_b.separation == Real::NEG_INFINITY {
            axes.face_b = self.face_b(over_b.highest);
        }
        if axes.note_separating(self, margin) {
            return axes;
        }
        over_a.look_at(*r * self.b.vertex(axes.face_a.vertex) + t);
        over_b.look_at(r.transpose_mul(self.a.vertex(axes.face_b.vertex) - t));
        let mut next = 0;
        while let Some(i) = over_a.next_candidate(next, axes.best_face()) {
            next = i + 1;
            let found = self.face_a(i);
            if found.separation > axes.face_a.separation {
                axes.face_a = found;
                if axes.note_separating(self, margin) {
                    return axes;
                }
            }
        }
        next = 0;
        while let Some(i) = over_b.next_candidate(next, axes.best_face()) {
            next = i + 1;
            let found = self.face_b(i);
            if found.separation > axes.face_b.separation {
                axes.face_b = found;
                if axes.note_separating(self, margin) {
                    return axes;
                }
            }
        }
        self.edge_pairs(&mut axes, &over_a, &over_b, margin, lead);
        axes
    }

    fn edge_pairs(&self, axes: &mut Axes, over_a: &Heights<P>, over_b: &Heights<Q>, margin: Real, lead: Real) {
        let bar = axes.best_face() + lead;
        let mut of_b = [Side::default(); BATCH];
        let mut of_a = [Side::default(); BATCH];
        let mut next_b = 0;
        loop {
            let best = axes.best_edge(bar);
            let over = Seen { ball: best + over_b.radius, point: best };
            let count_b = self.b.edges_reaching(&mut next_b, over_b, over, &mut of_b);
            if count_b == 0 {
                return;
            }
            for side in &mut of_b[..count_b] {
                *side = Side::new(self.placed(&side.edge), side.number);
            }
            let mut next_a = 0;
            loop {
                let mut best = axes.best_edge(bar);
                let over = Seen { ball: best + over_a.radius, point: best };
                let count_a = self.a.edges_reaching(&mut next_a, over_a, over, &mut of_a);
                if count_a == 0 {
                    break;
                }
                for e in &of_a[..count_a] {
                    for f in &of_b[..count_b] {
                        if let Some(found) = self.pair(e, f)
                            && found.separation > best
                        {
                            axes.edges = Some(found);
                            if axes.note_separating(self, margin) {
                                return;
                            }
                            best = axes.best_edge(bar);
                        }
                    }
                }
            }
        }
    }

    /// The pair's axis, if the edges' arcs cross on the Gauss map.
    #[inline(always)]
    fn pair(&self, e: &Side, f: &Side) -> Option<EdgeAxis> {
        let (u, v) = (e.along, f.along);
        // The arc of B, negated, must cross the plane of A's arc, and the other way round, on the same side.
        let (cba, dba) = (f.edge.left.dot(u), f.edge.right.dot(u));
        let (adc, bdc) = (e.edge.left.dot(v), e.edge.right.dot(v));
        if (cba * dba < 0.0) & (adc * bdc < 0.0) & (cba * bdc < 0.0) { self.measure(e, f, bdc) } else { None }
    }

    fn measure(&self, e: &Side, f: &Side, side: Real) -> Option<EdgeAxis> {
        let (u, v) = (e.along, f.along);
        let cross = v.cross(u);
        let length = cross.length();
        if length * length <= PARALLEL * PARALLEL * (u.length_squared() * v.length_squared()) {
            return None;
        }
        let normal = cross * ((1.0 as Real).copysign(side) / length);
        if !self.allowed(normal) {
            return None;
        }
        let separation = normal.dot(f.edge.tail - e.edge.tail);
        Some(EdgeAxis { separation, a: e.number, b: f.number, normal })
    }
}

impl Axes {
    pub fn best_face(&self) -> Real {
        Num::max(self.face_a.separation, self.face_b.separation)
    }

    /// What a pair of edges has to beat.
    fn best_edge(&self, bar: Real) -> Real {
        self.edges.map_or(bar, |e| Num::max(e.separation, bar))
    }

    /// Ends the search where the polytopes are apart by more than the margin. An edge axis is measured once more over all
    /// vertices, so that rounding in the perpendicular of edges that are nearly parallel cannot part what touches.
    fn note_separating<P: Polytope, Q: Polytope>(&mut self, placed: &Placed<P, Q>, margin: Real) -> bool {
        if self.face_a.separation > margin {
            let f = self.face_a;
            self.separating = Some((Axis::FaceA(f.face as u32), placed.a.normal(f.face), f.separation));
        } else if self.face_b.separation > margin {
            let f = self.face_b;
            let n = -(*placed.rotation * placed.b.normal(f.face));
            self.separating = Some((Axis::FaceB(f.face as u32), n, f.separation));
        } else if let Some(e) = self.edges.as_mut()
            && e.separation > margin
        {
            e.separation = Num::min(placed.along(e.normal), e.separation);
            if e.separation > margin {
                self.separating = Some((Axis::Edges(e.a as u16, e.b as u16), e.normal, e.separation));
            }
        }
        self.separating.is_some()
    }
}
