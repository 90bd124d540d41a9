//! The best separating axis of two polytopes: face normals, and common perpendiculars of edges.
//!
//! The separation along the unit vector n (from A to B) is min n·b - max n·a. Over all n it is largest on the normal of a
//! face of A - B, and those are the faces of A, the faces of B turned round, and the pairs of edges whose arcs cross on the
//! Gauss map (Gregorius 2013): with left and right face normals l, r of an edge of A and the negated ones of an edge of B,
//! the arcs l_A r_A and -l_B -r_B must intersect.
//!
//! Most axes are never measured. A ball with centre c and radius ρ inside of B bounds the separation along n by
//! n·(c - p) - ρ, with p any point of the feature of A; for an edge this is maximised over its arc. What cannot beat the
//! best axis so far is skipped, and the first axis tried is the last one kept, which is nearly always still the best.

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
    /// Along this axis the polytopes are farther apart than the margin; the rest is incomplete.
    pub separating: Option<(Axis, Vec3)>,
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
const KEPT: usize = 128;

/// How high a point is over the faces of a polytope.
struct Heights<'a, P> {
    polytope: &'a P,
    point: Vec3,
    /// The face that it is highest over.
    highest: usize,
    list: [Real; KEPT],
}

impl<'a, P: Polytope> Heights<'a, P> {
    #[inline(always)]
    fn new(polytope: &'a P, point: Vec3) -> Self {
        let mut heights = Self { polytope, point, highest: 0, list: [0.0; KEPT] };
        polytope.heights(point, &mut heights.list);
        let mut most = Real::NEG_INFINITY;
        for i in 0..polytope.face_count() {
            let h = heights.of(i);
            if h > most {
                (heights.highest, most) = (i, h);
            }
        }
        heights
    }

    #[inline(always)]
    fn of(&self, face: usize) -> Real {
        match self.list.get(face) {
            Some(h) => *h,
            None => self.polytope.normal(face).dot(self.point) - self.polytope.offset(face),
        }
    }
}

const NONE: FaceAxis = FaceAxis { separation: Real::NEG_INFINITY, face: 0, vertex: 0 };

/// Edges that are compared at a time.
pub(super) const BATCH: usize = 32;

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
        let (centre_b, radius_b) = self.b.inner_ball();
        let (centre_a, radius_a) = self.a.inner_ball();
        let over_a = Heights::new(self.a, *self.rotation * centre_b + self.translation);
        let over_b = Heights::new(self.b, self.rotation.transpose_mul(centre_a - self.translation));

        // The face over which the other's ball is highest is the likely one; after it most others are out of the question.
        for (first, count) in [(over_a.highest, 1), (0, self.a.face_count())] {
            for i in first..first + count {
                if over_a.of(i) - radius_b > axes.best_face() {
                    let found = self.face_a(i);
                    if found.separation > axes.face_a.separation {
                        axes.face_a = found;
                        if axes.note_separating(self, margin) {
                            return axes;
                        }
                    }
                }
            }
        }
        for (first, count) in [(over_b.highest, 1), (0, self.b.face_count())] {
            for i in first..first + count {
                if over_b.of(i) - radius_a > axes.best_face() {
                    let found = self.face_b(i);
                    if found.separation > axes.face_b.separation {
                        axes.face_b = found;
                        if axes.note_separating(self, margin) {
                            return axes;
                        }
                    }
                }
            }
        }
        self.edge_pairs(&mut axes, (&over_a, radius_a), (&over_b, radius_b), margin, lead);
        axes
    }

    fn edge_pairs(
        &self,
        axes: &mut Axes,
        (over_a, radius_a): (&Heights<P>, Real),
        (over_b, radius_b): (&Heights<Q>, Real),
        margin: Real,
        lead: Real,
    ) {
        let bar = axes.best_face() + lead;
        let mut of_b = [Side::default(); BATCH];
        let mut of_a = [Side::default(); BATCH];
        let mut next_b = 0;
        loop {
            let best = axes.best_edge(bar);
            let count_b = self.b.edges_reaching(&mut next_b, |f| over_b.of(f), best + radius_a, &mut of_b);
            if count_b == 0 {
                return;
            }
            for side in &mut of_b[..count_b] {
                *side = Side::new(self.placed(&side.edge), side.number);
            }
            let mut next_a = 0;
            loop {
                let mut best = axes.best_edge(bar);
                let count_a = self.a.edges_reaching(&mut next_a, |f| over_a.of(f), best + radius_b, &mut of_a);
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
            self.separating = Some((Axis::FaceA(f.face as u32), placed.a.normal(f.face)));
        } else if self.face_b.separation > margin {
            let f = self.face_b;
            let n = -(*placed.rotation * placed.b.normal(f.face));
            self.separating = Some((Axis::FaceB(f.face as u32), n));
        } else if let Some(e) = self.edges.as_mut()
            && e.separation > margin
        {
            e.separation = Num::min(placed.along(e.normal), e.separation);
            if e.separation > margin {
                self.separating = Some((Axis::Edges(e.a as u16, e.b as u16), e.normal));
            }
        }
        self.separating.is_some()
    }
}
