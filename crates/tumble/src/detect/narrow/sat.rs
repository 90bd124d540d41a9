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
// Faces whose heights are kept; for larger polytopes those beyond are found anew each time.
use crate::shape::KEPT;

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
#[derive(Clone, Copy, Debug)]
pub(super) struct Side {
    pub edge: Edge,
    pub along: Vec3,
    pub number: usize,
}

/// The line of an edge.
#[derive(Clone, Copy, Debug)]
struct Line {
    tail: Vec3,
    along: Vec3,
    number: usize,
}

impl Side {
    fn line(&self) -> Line {
        Line { tail: self.edge.tail, along: self.along, number: self.number }
    }

    #[inline(always)]
    pub fn new(edge: Edge, number: usize) -> Self {
        Self { edge, along: edge.head - edge.tail, number }
    }
}

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
        let heights = &self.of_ball[..count];
        let higher = |a: Real, b: Real| if a > b { a } else { b };
        let (mut most, whole) = ([Real::NEG_INFINITY; TOGETHER], heights.chunks_exact(TOGETHER));
        for (lane, &height) in whole.remainder().iter().enumerate() {
            most[lane] = height;
        }
        for group in whole {
            for lane in 0..TOGETHER {
                most[lane] = higher(group[lane], most[lane]);
            }
        }
        let mut width = TOGETHER / 2;
        while width > 0 {
            for lane in 0..width {
                most[lane] = higher(most[lane], most[lane + width]);
            }
            width /= 2;
        }
        // Once more, for the one that it is: a branch on each height could not be foreseen.
        let mut found = 0_u64;
        for (g, group) in self.of_ball.chunks_exact(TOGETHER).take(count.div_ceil(TOGETHER)).enumerate() {
            let mut bits = 0;
            for lane in 0..TOGETHER {
                bits |= u32::from(group[lane] == most[0]) << lane;
            }
            found |= u64::from(bits) << (g * TOGETHER);
        }
        let first = found.trailing_zeros() as usize;
        if first < count { first } else { 0 }
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

    /// The heights of the ball's centre over the faces, and those of the point, as many as are kept.
    #[inline(always)]
    pub fn of_ball(&self) -> &[Real; KEPT] {
        &self.of_ball
    }

    #[inline(always)]
    pub fn of_point(&self) -> &[Real; KEPT] {
        &self.of_point
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

/// Edges that are looked for at a time.
pub(super) const BATCH: usize = 64;

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
    #[inline(always)]
    pub fn face_a(&self, face: usize) -> FaceAxis {
        let n = self.a.normal(face);
        let vertex = self.b.support(-self.rotation.transpose_mul(n));
        let p = *self.rotation * self.b.vertex(vertex) + self.translation;
        FaceAxis { separation: n.dot(p) - self.a.offset(face), face, vertex }
    }

    /// The separation along the normal of a face of B.
    #[inline(always)]
    pub fn face_b(&self, face: usize) -> FaceAxis {
        let n = self.b.normal(face);
        let vertex = self.a.support(-(*self.rotation * n));
        let p = self.rotation.transpose_mul(self.a.vertex(vertex) - self.translation);
        FaceAxis { separation: n.dot(p) - self.b.offset(face), face, vertex }
    }

    /// The separation along any unit vector from A to B.
    #[inline(always)]
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
    ///
    /// `tried` is the last face, of B where `true`, if it was measured already.
    #[inline(always)]
    pub fn axes(&self, last: Axis, tried: Option<(bool, FaceAxis)>, margin: Real, lead: Real) -> Axes {
        let mut axes = Axes { face_a: NONE, face_b: NONE, edges: None, separating: None };
        match (last, tried) {
            (Axis::FaceA(_), Some((false, face))) => axes.face_a = face,
            (Axis::FaceB(_), Some((true, face))) => axes.face_b = face,
            (Axis::Edges(i, j), _) => {
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

    #[inline(always)]
    fn edge_pairs(&self, axes: &mut Axes, over_a: &Heights<P>, over_b: &Heights<Q>, margin: Real, lead: Real) {
        let bar = axes.best_face() + lead;
        let (mut of_a, mut of_b) = ([0; BATCH], [0; BATCH]);
        let mut next_b = 0;
        loop {
            let best = axes.best_edge(bar);
            let over = Seen { ball: best + over_b.radius, point: best };
            let count_b = self.b.edges_reaching(&mut next_b, over_b, over, &mut of_b);
            if count_b == 0 {
                return;
            }
            let mut next_a = 0;
            loop {
                let best = axes.best_edge(bar);
                let over = Seen { ball: best + over_a.radius, point: best };
                let count_a = self.a.edges_reaching(&mut next_a, over_a, over, &mut of_a);
                if count_a == 0 {
                    break;
                }
                for group in of_b[..count_b].chunks(TOGETHER) {
                    let group = self.arcs(group);
                    for &found in &of_a[..count_a] {
                        let side = self.a.side(found);
                        let mut crossing = group.crossed(&side);
                        while crossing != 0 {
                            let lane = crossing.trailing_zeros() as usize % TOGETHER;
                            crossing &= crossing - 1;
                            if let Some(found) = self.measure(&side, &group.line(lane))
                                && found.separation > axes.best_edge(bar)
                            {
                                axes.edges = Some(found);
                                if axes.note_separating(self, margin) {
                                    return;
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    /// Edges of B in A's frame.
    #[inline(always)]
    fn arcs(&self, found: &[u32]) -> Arcs {
        let none = [[0.0; TOGETHER]; 3];
        let mut arcs = Arcs { columns: [none; 3], tails: none, numbers: [0; TOGETHER] };
        for (lane, &found) in found.iter().enumerate() {
            let side = self.b.side(found);
            let side = Side::new(self.placed(&side.edge), side.number);
            let [left, right, along] = &mut arcs.columns;
            let vectors = [
                (left, side.edge.left),
                (right, side.edge.right),
                (along, side.along),
                (&mut arcs.tails, side.edge.tail),
            ];
            for ([x, y, z], v) in vectors {
                (x[lane], y[lane], z[lane]) = (v.x, v.y, v.z);
            }
            arcs.numbers[lane] = side.number;
        }
        arcs
    }

    /// The pair's axis, if the edges' arcs cross on the Gauss map.
    #[inline(always)]
    fn pair(&self, e: &Side, f: &Side) -> Option<EdgeAxis> {
        let (u, v) = (e.along, f.along);
        // The arc of B, negated, must cross the plane of A's arc, and the other way round, on the same side.
        let (cba, dba) = (f.edge.left.dot(u), f.edge.right.dot(u));
        let (adc, bdc) = (e.edge.left.dot(v), e.edge.right.dot(v));
        if (cba * dba < 0.0) & (adc * bdc < 0.0) & (cba * bdc < 0.0) { self.measure(e, &f.line()) } else { None }
    }

    /// The axis of a pair whose arcs cross.
    #[inline(always)]
    fn measure(&self, e: &Side, f: &Line) -> Option<EdgeAxis> {
        let (u, v) = (e.along, f.along);
        let side = e.edge.right.dot(v);
        let cross = v.cross(u);
        let length = cross.length();
        if length * length <= PARALLEL * PARALLEL * (u.length_squared() * v.length_squared()) {
            return None;
        }
        let normal = cross * ((1.0 as Real).copysign(side) / length);
        if !self.allowed(normal) {
            return None;
        }
        let separation = normal.dot(f.tail - e.edge.tail);
        Some(EdgeAxis { separation, a: e.number, b: f.number, normal })
    }
}

/// Several edges of B in A's frame, in columns: x, y and z of each vector. Those left over cross nothing.
struct Arcs {
    /// Left and right normals, and directions.
    columns: [[[Real; TOGETHER]; 3]; 3],
    tails: [[Real; TOGETHER]; 3],
    numbers: [usize; TOGETHER],
}

impl Arcs {
    /// What [`Placed::measure`] needs of one of them.
    #[inline(always)]
    fn line(&self, lane: usize) -> Line {
        let vector = |[x, y, z]: &[[Real; TOGETHER]; 3]| Vec3::new(x[lane], y[lane], z[lane]);
        Line { tail: vector(&self.tails), along: vector(&self.columns[2]), number: self.numbers[lane] }
    }

    /// Which of them [`Placed::pair`] would measure with an edge of A, as bits: the same test for all of them at once.
    #[inline(always)]
    fn crossed(&self, e: &Side) -> u32 {
        let [left, right, along] = &self.columns;
        let (u, l, r) = (e.along, e.edge.left, e.edge.right);
        let mut bits = 0;
        for lane in 0..TOGETHER {
            let dot = |v: &[[Real; TOGETHER]; 3], w: Vec3| v[0][lane] * w.x + v[1][lane] * w.y + v[2][lane] * w.z;
            let (cba, dba, adc, bdc) = (dot(left, u), dot(right, u), dot(along, l), dot(along, r));
            let crosses = (cba * dba < 0.0) & (adc * bdc < 0.0) & (cba * bdc < 0.0);
            bits |= u32::from(crosses) << lane;
        }
        bits
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
    #[inline(always)]
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
