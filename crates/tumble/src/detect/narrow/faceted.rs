//! Two polytopes: separating axes, then clipped faces or a pair of edges.

use super::cache::{Axis, PairCache};
use super::clip::{Gather, Polygon};
use super::contact::{NEAR_FACE, SLACK, Touch, gathered_are_least, tolerance};
use super::convex::ConvexRef;
use super::curved;
use super::manifold::{Feature, Gap, Manifold};
use super::patch::ON_FACE;
use super::polytope::Polytope;
use super::sat::{Axes, EdgeAxis, FaceAxis, Placed};
use crate::math::{Num, Pose, Real, Vec3};

/// Two polytopes, with the shapes that they came from.
pub(super) struct Faceted<'a, P, Q> {
    pub shapes: (ConvexRef<'a>, ConvexRef<'a>),
    pub a: &'a P,
    pub b: &'a Q,
}

impl<P: Polytope, Q: Polytope> Faceted<'_, P, Q> {
    #[inline(always)]
    pub fn collide(&self, b_in_a: &Pose, margin: Real, cache: &mut PairCache, out: &mut Manifold) {
        out.clear();
        let rotation = b_in_a.rotation.to_mat3();
        let placed = Placed { a: self.a, b: self.b, rotation: &rotation, translation: b_in_a.translation };
        let last = cache.axis();
        if matches!(last, Axis::Direction | Axis::Edges(..)) {
            let along = placed.along(cache.direction());
            if along > margin {
                out.apart = Gap::of_a(along, cache.direction());
                return;
            }
        }
        let tolerance = tolerance(self.shapes.0.extent(), self.shapes.1.extent(), b_in_a.translation);
        let likely = likely_face(&placed, last);
        let mut tried = likely.map(|(flip, face)| (flip, if flip { placed.face_b(face) } else { placed.face_a(face) }));
        if let Some((flip, axis)) = tried
            && axis.separation > margin
        {
            let kind = if flip { Axis::FaceB(axis.face as u32) } else { Axis::FaceA(axis.face as u32) };
            if kind != cache.axis() {
                cache.set(kind, if flip { -(rotation * self.b.normal(axis.face)) } else { self.a.normal(axis.face) });
            }
            out.apart = face_gap(&placed, flip, axis.face, axis.separation);
            return;
        }
        let mut clipped = Clipped::nothing(margin, SLACK * tolerance);
        if let Some((flip, axis)) = &tried {
            clipped.clip(&placed, *flip, axis);
            if clipped.settles(&placed, *flip, axis, tolerance) {
                clipped.write(*flip, axis, cache, out);
                return;
            }
        }
        let mut axes = placed.axes(last, tried, margin, 0.25 * tolerance);
        if let Some((axis, direction, separation)) = axes.separating {
            cache.set(axis, direction);
            out.apart = match axis {
                Axis::FaceB(face) => face_gap(&placed, true, face as usize, separation),
                _ => Gap::of_a(separation, direction),
            };
            return;
        }
        if let Some(e) = axes.edges.as_mut() {
            e.separation = Num::min(placed.along(e.normal), e.separation);
        }
        let edges = axes.edges.filter(|e| e.separation > axes.best_face());
        let best = edges.map_or(axes.best_face(), |e| e.separation);
        let order = face_order(&axes, last, tolerance);
        let mut fallback = None;
        for (flip, axis) in order {
            if axis.separation == Real::NEG_INFINITY {
                continue;
            }
            let normal = if flip { -(rotation * self.b.normal(axis.face)) } else { self.a.normal(axis.face) };
            if edges.is_some_and(|e| e.normal.dot(normal) < NEAR_FACE) {
                continue;
            }
            if tried.is_none_or(|(of_b, face)| (of_b, face.face) != (flip, axis.face)) {
                clipped.clip(&placed, flip, &axis);
                tried = None;
            }
            if (clipped.gather.least - best).abs() <= tolerance && !clipped.gather.is_empty() {
                clipped.write(flip, &axis, cache, out);
                return;
            }
            // For overlaps in which rounding parts the axis from its points.
            if fallback.is_none() && !clipped.gather.is_empty() {
                fallback = Some((flip, axis));
            }
        }
        if let Some(e) = edges
            && (best <= 0.0 || edges_meet(&placed, &e))
        {
            edge_contact(&placed, &e, cache, out);
            around_edges(&placed, e.normal, margin, SLACK * tolerance, out);
            return;
        }
        if best <= 0.0
            && let Some((flip, axis)) = fallback
        {
            clipped.clip(&placed, flip, &axis);
            clipped.write(flip, &axis, cache, out);
            return;
        }
        // Apart, with a vertex nearest to a vertex or an edge: no axis of a face shows the distance.
        if cache.direction() == Vec3::ZERO {
            let (flip, axis) = order[0];
            let normal = if flip { -(rotation * self.b.normal(axis.face)) } else { self.a.normal(axis.face) };
            cache.set(Axis::Direction, edges.map_or(normal, |e| e.normal));
        }
        curved::search(&Touch::new(self.shapes.0, self.shapes.1, b_in_a, margin), b_in_a, cache, out);
    }
}

/// The faces in the order in which they are tried, `true` for those of B: the last one first as long as it is as good as
/// the other, else the better one.
fn face_order(axes: &Axes, last: Axis, tolerance: Real) -> [(bool, FaceAxis); 2] {
    let (a, b) = (axes.face_a, axes.face_b);
    let lead = b.separation - a.separation;
    let b_first = match last {
        Axis::FaceB(i) if b.face == i as usize => lead >= -0.5 * tolerance,
        Axis::FaceA(i) if a.face == i as usize => lead > 0.5 * tolerance,
        _ => lead > 0.25 * tolerance,
    };
    if b_first { [(true, b), (false, a)] } else { [(false, a), (true, b)] }
}

/// The last face, or that of a flat polytope, which has no other on this side.
fn likely_face<P: Polytope, Q: Polytope>(placed: &Placed<P, Q>, last: Axis) -> Option<(bool, usize)> {
    match last {
        Axis::FaceA(i) => ((i as usize) < placed.a.face_count()).then_some((false, i as usize)),
        Axis::FaceB(i) => ((i as usize) < placed.b.face_count()).then_some((true, i as usize)),
        Axis::None if placed.a.face_count() <= 2 => {
            let centre = *placed.rotation * placed.b.inner_ball().0 + placed.translation;
            let (n, offset) = (placed.a.normal(0), placed.a.offset(0));
            let back = placed.a.face_count() == 2 && n.dot(centre) < offset;
            Some((false, usize::from(back)))
        }
        Axis::None if placed.b.face_count() <= 2 => {
            let centre = placed.rotation.transpose_mul(placed.a.inner_ball().0 - placed.translation);
            let (n, offset) = (placed.b.normal(0), placed.b.offset(0));
            let back = placed.b.face_count() == 2 && n.dot(centre) < offset;
            Some((true, usize::from(back)))
        }
        _ => None,
    }
}

/// The polytopes are this far apart along the normal of a face of A (of B where `flip`).
fn face_gap<P: Polytope, Q: Polytope>(placed: &Placed<P, Q>, flip: bool, face: usize, distance: Real) -> Gap {
    let along = if flip { placed.b.normal(face) } else { placed.a.normal(face) };
    Gap { distance, along, of_b: flip }
}

/// The points over a face, the feature of the other polytope that faces it, and the face.
struct Clipped {
    gather: Gather,
    facing: Feature,
    reference: Polygon,
    incident: Polygon,
}

impl Clipped {
    /// Nothing yet: filled in place, since it is large.
    fn nothing(margin: Real, slack: Real) -> Self {
        let none = Polygon::new(Vec3::ZERO, Feature::ROUND);
        let gather = Gather::new(Vec3::ZERO, 0.0, 0.0, false, margin, slack);
        Self { gather, facing: Feature::ROUND, reference: none, incident: none }
    }

    /// Clips the patch that faces a face of A (of B where `flip`).
    #[inline(always)]
    fn clip<P: Polytope, Q: Polytope>(&mut self, placed: &Placed<P, Q>, flip: bool, axis: &FaceAxis) {
        let (r, t) = (placed.rotation, placed.translation);
        let (normal, offset);
        if flip {
            normal = *r * placed.b.normal(axis.face);
            offset = placed.b.offset(axis.face) + normal.dot(t);
            placed.b.polygon_into(axis.face, 0, &mut self.reference);
            self.reference.move_to(r, t);
            placed.a.polygon_into(placed.a.face_at(axis.vertex, -normal), axis.vertex, &mut self.incident);
        } else {
            normal = placed.a.normal(axis.face);
            offset = placed.a.offset(axis.face);
            placed.a.polygon_into(axis.face, 0, &mut self.reference);
            let face = placed.b.face_at(axis.vertex, -r.transpose_mul(normal));
            placed.b.polygon_into(face, axis.vertex, &mut self.incident);
            self.incident.move_to(r, t);
        }
        self.gather.start(normal, offset, flip);
        self.gather.polygon_over_polygon(&self.reference, &self.incident);
        let flat = self.incident.normal.dot(normal) < ON_FACE - 1.0;
        self.facing = if flat { self.incident.face } else { Feature::vertex(axis.vertex as u32) };
    }

    /// The face is the answer: no other axis can be better (see [`is_least`](super::contact::is_least)).
    #[inline(always)]
    fn settles<P: Polytope, Q: Polytope>(
        &self,
        placed: &Placed<P, Q>,
        flip: bool,
        axis: &FaceAxis,
        tolerance: Real,
    ) -> bool {
        let gather = &self.gather;
        if (gather.least - axis.separation).abs() > tolerance || gather.is_empty() {
            return false;
        }
        let (centre, radius) = if flip { placed.a.inner_ball() } else { placed.b.inner_ball() };
        let centre = if flip { centre } else { *placed.rotation * centre + placed.translation };
        gathered_are_least(gather, (centre, radius), tolerance, |p| self.reference.inset(p))
    }

    fn write(&self, flip: bool, axis: &FaceAxis, cache: &mut PairCache, out: &mut Manifold) {
        self.gather.write(out);
        let (face, facing) = (Feature::face(axis.face as u32), self.facing);
        (out.feature_a, out.feature_b) = if flip { (facing, face) } else { (face, facing) };
        let kind = if flip { Axis::FaceB(axis.face as u32) } else { Axis::FaceA(axis.face as u32) };
        cache.set(kind, out.normal);
    }
}

/// Parameters of the nearest points of two lines p + s u and q + t v that are not parallel.
pub(super) fn nearest_on_lines(p: Vec3, u: Vec3, q: Vec3, v: Vec3) -> (Real, Real) {
    // s = ((q - p) × v)·(u × v) / |u × v|², which stays exact where the lines are long or nearly parallel.
    let cross = u.cross(v);
    let scale = 1.0 / Num::max(cross.length_squared(), Real::MIN_POSITIVE);
    let gap = q - p;
    (gap.cross(v).dot(cross) * scale, gap.cross(u).dot(cross) * scale)
}

/// The nearest points of the lines through the edges lie on the edges.
fn edges_meet<P: Polytope, Q: Polytope>(placed: &Placed<P, Q>, e: &EdgeAxis) -> bool {
    let (Some(f), Some(g)) = (placed.edge_of_a(e.a), placed.edge_of_b(e.b)) else {
        return false;
    };
    let (s, t) = nearest_on_lines(f.tail, f.head - f.tail, g.tail, g.head - g.tail);
    let on = |x: Real| x > -1e-5 && x < 1.0 + 1e-5;
    on(s) && on(t)
}

fn edge_contact<P: Polytope, Q: Polytope>(
    placed: &Placed<P, Q>,
    e: &EdgeAxis,
    cache: &mut PairCache,
    out: &mut Manifold,
) {
    let (Some(f), Some(g)) = (placed.edge_of_a(e.a), placed.edge_of_b(e.b)) else {
        return;
    };
    let (u, v) = (f.head - f.tail, g.head - g.tail);
    let (s, t) = nearest_on_lines(f.tail, u, g.tail, v);
    let limit = |x: Real| Num::min(Num::max(x, 0.0), 1.0);
    let (p, q) = (f.tail.add_scaled(u, limit(s)), g.tail.add_scaled(v, limit(t)));
    let (a, b) = (Feature::edge(e.a as u32), Feature::edge(e.b as u32));
    out.set_single(e.normal, (p + q) * 0.5, e.separation, a, b);
    cache.set(Axis::Edges(e.a as u16, e.b as u16), e.normal);
}

/// Cosine between the axis of two edges and a face up to which the face takes part in their contact.
const BESIDE: Real = 0.7;

/// Adds to a pair of edges that overlap by more than the margin the corners of what the faces beside them have in common.
///
/// One point is all that two edges have in common when they meet. Deep in each other (they met at speed) the shapes overlap
/// beside it as well, and one point would let them go on into each other, turning about it.
///
/// With m the normal of a face of A, o its offset and p a corner of the clipped face of B, the separation along the axis n is
/// s = (m·p - o) / (m·n): a chord of the overlap along n, none of which is deeper than the edges themselves.
pub(super) fn around_edges<P: Polytope, Q: Polytope>(
    placed: &Placed<P, Q>,
    n: Vec3,
    margin: Real,
    slack: Real,
    out: &mut Manifold,
) {
    let Some(&edges) = out.points().first() else { return };
    if edges.separation > -margin {
        return;
    }
    let (r, t) = (placed.rotation, placed.translation);
    let n_in_b = -r.transpose_mul(n);
    let (vertex_a, vertex_b) = (placed.a.support(n), placed.b.support(n_in_b));
    let (face_a, face_b) = (placed.a.face_at(vertex_a, n), placed.b.face_at(vertex_b, n_in_b));
    let normal = placed.a.normal(face_a);
    let slope = normal.dot(n);
    if slope < BESIDE || placed.b.normal(face_b).dot(n_in_b) < BESIDE {
        return;
    }
    // Clipped along n, so that what is left lies between points of both faces.
    let reference = Polygon { normal: n, ..placed.a.polygon(face_a, vertex_a) };
    let incident = placed.b.polygon(face_b, vertex_b).moved(r, t);
    let mut gather = Gather::new(normal, placed.a.offset(face_a), 0.0, false, margin, slack);
    gather.polygon_over_polygon(&reference, &incident);
    gather.write_along(n, slope, edges, out);
}
