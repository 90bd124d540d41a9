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
    pub separating: Option<(Axis, Vec3, Real)>,
}

const NONE: FaceAxis = FaceAxis { separation: Real::NEG_INFINITY, face: 0, vertex: 0 };

/// Edges of B that are compared at a time.
const BATCH: usize = 48;

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

    /// Edge of B in A's frame.
    pub fn edge_of_b(&self, i: usize) -> Option<Edge> {
        let e = self.b.edge(i)?;
        let r = self.rotation;
        Some(Edge {
            tail: *r * e.tail + self.translation,
            head: *r * e.head + self.translation,
            left: *r * e.left,
            right: *r * e.right,
        })
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
                if let (Some(e), Some(f)) = (self.edge_of_a(i.into()), self.edge_of_b_checked(j.into())) {
                    axes.edges = self.pair(&e, &f, (i.into(), j.into()));
                }
            }
            _ => {}
        }
        if axes.note_separating(self, margin) {
            return axes;
        }
        self.faces(&mut axes, margin);
        if axes.separating.is_none() {
            self.edge_pairs(&mut axes, margin, lead);
        }
        axes
    }

    fn edge_of_a(&self, i: usize) -> Option<Edge> {
        if i < self.a.edge_numbers() { self.a.edge(i) } else { None }
    }

    fn edge_of_b_checked(&self, i: usize) -> Option<Edge> {
        if i < self.b.edge_numbers() { self.edge_of_b(i) } else { None }
    }

    fn faces(&self, axes: &mut Axes, margin: Real) {
        let (centre, radius) = self.b.inner_ball();
        let centre = *self.rotation * centre + self.translation;
        for i in 0..self.a.face_count() {
            let bound = self.a.normal(i).dot(centre) - self.a.offset(i) - radius;
            if bound > axes.best_face() || axes.face_a.separation == Real::NEG_INFINITY {
                let found = self.face_a(i);
                if found.separation > axes.face_a.separation {
                    axes.face_a = found;
                    if axes.note_separating(self, margin) {
                        return;
                    }
                }
            }
        }
        let (centre, radius) = self.a.inner_ball();
        let centre = self.rotation.transpose_mul(centre - self.translation);
        for i in 0..self.b.face_count() {
            let bound = self.b.normal(i).dot(centre) - self.b.offset(i) - radius;
            if bound > axes.best_face() || axes.face_b.separation == Real::NEG_INFINITY {
                let found = self.face_b(i);
                if found.separation > axes.face_b.separation {
                    axes.face_b = found;
                    if axes.note_separating(self, margin) {
                        return;
                    }
                }
            }
        }
    }

    fn edge_pairs(&self, axes: &mut Axes, margin: Real, lead: Real) {
        let bar = axes.best_face() + lead;
        let (centre, radius) = self.b.inner_ball();
        let centre_b = *self.rotation * centre + self.translation;
        let radius_b = radius;
        let (centre_a, radius_a) = self.a.inner_ball();
        let centre_a_in_b = self.rotation.transpose_mul(centre_a - self.translation);
        let beats = |e: &Edge, c: Vec3, r: Real, best: Real| arc_reach(e, c) - r > best;
        let mut batch = [(Edge { tail: Vec3::ZERO, head: Vec3::ZERO, left: Vec3::ZERO, right: Vec3::ZERO }, 0); BATCH];
        let mut next = 0;
        while next < self.b.edge_numbers() {
            let mut len = 0;
            while next < self.b.edge_numbers() && len < BATCH {
                if let Some(local) = self.b.edge(next)
                    && beats(&local, centre_a_in_b, radius_a, axes.best_edge(bar))
                    && let Some(placed) = self.edge_of_b(next)
                {
                    batch[len] = (placed, next);
                    len += 1;
                }
                next += 1;
            }
            for i in 0..self.a.edge_numbers() {
                let Some(e) = self.a.edge(i) else { continue };
                if len == 0 || !beats(&e, centre_b, radius_b, axes.best_edge(bar)) {
                    continue;
                }
                for (f, j) in &batch[..len] {
                    let Some(found) = self.pair(&e, f, (i, *j)) else { continue };
                    if found.separation > axes.best_edge(bar) {
                        axes.edges = Some(found);
                        if axes.note_separating(self, margin) {
                            return;
                        }
                    }
                }
            }
        }
    }

    /// The pair's axis, if the edges' arcs cross on the Gauss map.
    #[inline]
    fn pair(&self, e: &Edge, f: &Edge, (a, b): (usize, usize)) -> Option<EdgeAxis> {
        let (u, v) = (e.head - e.tail, f.head - f.tail);
        // The arc of B, negated, must cross the plane of A's arc, and the other way round, on the same side.
        let (cba, dba) = (f.left.dot(u), f.right.dot(u));
        if cba * dba >= 0.0 {
            return None;
        }
        let (adc, bdc) = (e.left.dot(v), e.right.dot(v));
        if adc * bdc >= 0.0 || cba * bdc >= 0.0 {
            return None;
        }
        let cross = v.cross(u);
        let length = cross.length();
        if length * length <= PARALLEL * PARALLEL * (u.length_squared() * v.length_squared()) {
            return None;
        }
        let normal = cross * ((1.0 as Real).copysign(bdc) / length);
        if !self.allowed(normal) {
            return None;
        }
        Some(EdgeAxis { separation: normal.dot(f.tail - e.tail), a, b, normal })
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

/// The largest n·(c - p) over the unit normals n on the arc of the edge: along the arc p is any point of the edge.
#[inline]
fn arc_reach(e: &Edge, c: Vec3) -> Real {
    let w = c - e.tail;
    let (l, r) = (w.dot(e.left), w.dot(e.right));
    let ends = Num::max(l, r);
    // Inside of the arc the best n is along the part of w across the edge.
    let along = e.head - e.tail;
    let across = w.cross(along);
    // It is on the arc where left × w and w × right are along the edge.
    if across.dot(e.left) >= 0.0 && across.dot(e.right) <= 0.0 {
        let peak = (across.length_squared() / along.length_squared()).sqrt();
        return Num::max(peak, ends);
    }
    ends
}
