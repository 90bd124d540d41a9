//! From the best axis of a pair to the points of its manifold.
//!
//! The deepest separation σ and its normal n come from separating axes or from GJK. If some face of either shape, clipped
//! with the patch that faces it, has σ as its least separation, then the shapes touch on that face: its points are taken
//! and its normal, which is exact. This holds also where n itself is tilted a little (a box that leans over the edge of a
//! table touches with its face, though the axis of least overlap is that of two edges), and it asks for nothing but the
//! answer being right; so it is the one rule by which faces are preferred. What is left touches along a line or in a point.

use super::cache::{Axis, PairCache};
use super::clip::{Gather, Patch, Segment};
use super::convex::{ConvexRef, Triangle};
use super::disc;
use super::manifold::{Feature, FeatureKind, Manifold, ManifoldPoint};
use super::patch::{Flat, ON_FACE, face_patch, facing_patch, feature_facing, flat_face, line_patch};
use crate::math::{Mat3, Num, Pose, Real, Vec3};

/// Two shapes in A's frame, with the lengths that count for them.
pub(super) struct Touch<'a> {
    pub a: ConvexRef<'a>,
    pub b: ConvexRef<'a>,
    pub rotation: Mat3,
    pub translation: Vec3,
    /// Points farther apart are left out.
    pub margin: Real,
    /// Separations that differ by no more are the same.
    pub tolerance: Real,
    /// Extent of the smaller shape.
    pub size: Real,
}

/// The best axis with the points of the cores that it was found at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    /// Unit vector from A to B.
    pub normal: Vec3,
    /// Separation of the surfaces along it.
    pub separation: Real,
    /// Nearest (or deepest) point of A's core.
    pub a: Vec3,
    /// Nearest (or deepest) point of B's core.
    pub b: Vec3,
}

/// Part of the smaller shape's size by which the separation of a manifold may differ from the best axis's, in exchange
/// for more points or for staying with the last axis.
const CLOSE: Real = 4e-5;

/// Cosine of the angle between the best axis and a face up to which the face is tried.
pub(super) const NEAR_FACE: Real = 0.95;

/// Part of the tolerance by which clipping borders are moved out.
pub(super) const SLACK: Real = 0.25;

/// Sine of the angle between two lines up to which they touch in two points.
const NEAR_PARALLEL: Real = 0.03;

/// Difference of separations that counts as none, for shapes of these extents: a small part of the smaller one, and the
/// rounding of places in A's frame.
#[inline(always)]
pub(super) fn tolerance(of_a: Real, of_b: Real, translation: Vec3) -> Real {
    let size = Num::min(of_a, of_b);
    let reach = translation.abs().max_component() + size;
    CLOSE * size + 4.0 * Real::EPSILON * reach
}

/// A place over a face: how deep the shapes are in each other there, and how far it is inside of the face's border.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub depth: Real,
    pub inset: Real,
}

/// A ball inside of the shape over a face: its radius, the height of its centre over the face, and the distance of that
/// from some place along the face.
#[derive(Clone, Copy)]
pub(super) struct BallOver {
    pub radius: Real,
    pub height: Real,
    pub aside: Real,
}

/// Whether the overlap over a face of A, say, is the least there is (to within `tolerance`), given its deepest place and
/// another one in the middle, from which the ball's distance is taken.
///
/// Any direction is n' = n cos φ + u sin φ with n the face's normal and u along the face. Let x be a place with depth d and inset
/// ℓ. The disc of radius ℓ around x belongs to A, so max n'·a >= n'·(x + ℓ u); and B has a point d below x. So the depth along n' is
/// at least d cos φ + ℓ sin φ, and with a ball of B at least ρ - H cos φ + (ℓ - L) sin φ. Let d be the largest depth.
/// - φ <= 90°: the deepest place gives d cos φ + ℓ sin φ >= d if ℓ >= d. If it lies on the border, it gives d to within the tolerance
///   as long as φ² <= 2 tolerance / d =: α²; from there on a middle place with d₁, ℓ₁ gives at least ℓ₁ sin α + min(d₁, 0).
/// - φ = 180° - ψ beyond: the middle place gives ℓ₁ sin ψ - d₁ cos ψ >= d where sin ψ >= 0.472, if ℓ₁ >= 4.25 d. For smaller ψ the
///   ball gives ρ + H cos ψ - (L - ℓ₁) sin ψ, with cos ψ > 0.88.
#[inline]
pub(super) fn is_least(deepest: Place, middle: Place, ball: BallOver, tolerance: Real) -> bool {
    let d = deepest.depth;
    if d <= tolerance {
        return true;
    }
    // α <= 0.5, where sin α >= 0.95 α.
    let sine = 0.95 * Num::min((2.0 * tolerance / d).sqrt(), 0.5);
    let near = deepest.inset >= d || middle.inset * sine + Num::min(middle.depth, 0.0) >= d;
    let back = ball.radius + 0.88 * ball.height - 0.472 * Num::max(ball.aside - middle.inset, 0.0) >= d;
    near && middle.inset >= 4.25 * d && back && ball.height > 0.0
}

/// The same for the points gathered over a face whose border is told by `inset`; `ball` is the other shape's inner ball.
#[inline]
pub(super) fn gathered_are_least(
    gather: &Gather,
    ball: (Vec3, Real),
    tolerance: Real,
    inset: impl Fn(Vec3) -> Real,
) -> bool {
    let lowest = gather.lowest(0.5 * tolerance);
    let (at, separation) = gather.middle();
    let (centre, radius) = ball;
    let height = gather.normal.dot(centre) - gather.offset;
    let aside = (centre - at).across(gather.normal).length();
    let deepest = Place { depth: -gather.least, inset: inset(lowest) };
    let middle = Place { depth: -separation, inset: inset(at) };
    is_least(deepest, middle, BallOver { radius, height, aside }, tolerance)
}

impl<'a> Touch<'a> {
    pub fn new(a: ConvexRef<'a>, b: ConvexRef<'a>, b_in_a: &Pose, margin: Real) -> Self {
        let (of_a, of_b) = (a.extent(), b.extent());
        let size = Num::min(of_a, of_b);
        let tolerance = tolerance(of_a, of_b, b_in_a.translation);
        let rotation = b_in_a.rotation.to_mat3();
        Self { a, b, rotation, translation: b_in_a.translation, margin, tolerance, size }
    }

    fn radii(&self) -> (Real, Real) {
        (self.a.radius(), self.b.radius())
    }

    /// A direction in A's frame as B sees it.
    fn turned_to_b(&self, v: Vec3) -> Vec3 {
        self.rotation.transpose_mul(v)
    }

    /// The manifold for the best axis.
    pub fn manifold(&self, found: &Found, cache: &mut PairCache, out: &mut Manifold) {
        out.clear();
        if self.on_faces(found, cache, out) || self.along_lines(found, cache, out) {
            return;
        }
        self.single(found, out);
        cache.set(Axis::Direction, found.normal);
    }

    /// One point, midway between the surfaces.
    pub fn single(&self, found: &Found, out: &mut Manifold) {
        let (ra, rb) = self.radii();
        let n = found.normal;
        let point = (found.a.add_scaled(n, ra) + found.b.add_scaled(n, -rb)) * 0.5;
        let (a, b) = (feature_facing(&self.a, n), feature_facing(&self.b, -self.turned_to_b(n)));
        out.set_single(n, point, found.separation, a, b);
    }

    /// Tries the last face, or else those that the shapes turn to each other, before any search: where the points over a
    /// face have the separation along its normal as their least, and no other way out can be shorter (see [`is_least`]), they are
    /// the answer. `true` if so, or if the shapes are found to be farther apart than the margin.
    pub fn at_once(&self, cache: &mut PairCache, out: &mut Manifold) -> bool {
        out.clear();
        let line = self.rotation * self.b.centre() + self.translation - self.a.centre();
        let faces = match cache.axis() {
            Axis::FaceA(_) => [(false, cache.direction()), (true, line)],
            Axis::FaceB(_) => [(true, cache.direction()), (false, line)],
            Axis::Direction => [(false, cache.direction()), (true, cache.direction())],
            _ => [(false, line), (true, line)],
        };
        for (flip, direction) in faces {
            let local = if flip { -self.turned_to_b(direction) } else { direction };
            let Some(flat) = flat_face(if flip { &self.b } else { &self.a }, local) else { continue };
            let (normal, separation) = self.along_face(&flat, flip);
            if separation > self.margin {
                cache.set(if flip { Axis::FaceB(flat.index) } else { Axis::FaceA(flat.index) }, normal);
                return true;
            }
            if flat.normal.dot(local) < 0.7 * local.length() {
                continue;
            }
            let Some((gather, face)) = self.over_face(&flat, flip) else { continue };
            if (gather.least - separation).abs() > self.tolerance || gather.is_empty() {
                continue;
            }
            let (centre, radius) = if flip { self.a.inner_ball() } else { self.b.inner_ball() };
            let centre = if flip { centre } else { self.rotation * centre + self.translation };
            if gathered_are_least(&gather, (centre, radius), self.tolerance, |p| face.inset(p)) {
                self.accept(&gather, &flat, flip, cache, out);
                return true;
            }
        }
        false
    }

    /// The direction from A to B across a face, and the separation along it.
    fn along_face(&self, flat: &Flat, flip: bool) -> (Vec3, Real) {
        let n = flat.normal.to_f64();
        let rotation = self.rotation.to_f64();
        if flip {
            let outward = self.rotation * flat.normal;
            let p = self.a.core_support(-(rotation * n)).to_real() - self.translation;
            (-outward, outward.dot(p) - flat.offset - self.a.radius())
        } else {
            let p = self.rotation * self.b.core_support(-rotation.transpose_mul(n)).to_real() + self.translation;
            (flat.normal, flat.normal.dot(p) - flat.offset - self.b.radius())
        }
    }

    fn accept(&self, gather: &Gather, flat: &Flat, flip: bool, cache: &mut PairCache, out: &mut Manifold) {
        gather.write(out);
        self.name_face(flat, flip, out);
        cache.set(if flip { Axis::FaceB(flat.index) } else { Axis::FaceA(flat.index) }, out.normal);
    }

    fn on_faces(&self, found: &Found, cache: &mut PairCache, out: &mut Manifold) -> bool {
        let near = |flat: Option<Flat>, d: Vec3| flat.filter(|f| f.normal.dot(d) > NEAR_FACE);
        let (d_a, d_b) = (found.normal, -self.turned_to_b(found.normal));
        let face_a = near(flat_face(&self.a, d_a), d_a);
        let face_b = near(flat_face(&self.b, d_b), d_b);
        // The last reference stays where both would do; else the face that the axis is nearer to is tried first.
        let b_first = match (cache.axis(), &face_a, &face_b) {
            (_, Some(_), None) => false,
            (_, None, _) => true,
            (Axis::FaceA(i), Some(f), _) if f.index == i => false,
            (Axis::FaceB(i), _, Some(f)) if f.index == i => true,
            (_, Some(f), Some(g)) => g.normal.dot(d_b) > f.normal.dot(d_a) + Real::EPSILON * 8.0,
        };
        for flip in [b_first, !b_first] {
            let Some(flat) = (if flip { &face_b } else { &face_a }) else { continue };
            let Some((gather, _)) = self.over_face(flat, flip) else { continue };
            if (gather.least - found.separation).abs() <= self.tolerance && !gather.is_empty() {
                self.accept(&gather, flat, flip, cache, out);
                return true;
            }
        }
        false
    }

    /// Clips the patch that faces a face of A (of B where `flip`); the points, and the face.
    fn over_face(&self, flat: &Flat, flip: bool) -> Option<(Gather, Patch)> {
        let (r, t) = (&self.rotation, self.translation);
        let (reference, incident, normal, offset, radius);
        if flip {
            normal = *r * flat.normal;
            offset = flat.offset + normal.dot(t);
            reference = face_patch(&self.b, flat.index)?.moved(r, t);
            incident = facing_patch(&self.a, -normal);
            radius = self.a.radius();
        } else {
            normal = flat.normal;
            offset = flat.offset;
            reference = face_patch(&self.a, flat.index)?;
            incident = facing_patch(&self.b, -self.turned_to_b(normal)).moved(r, t);
            radius = self.b.radius();
        }
        let mut gather = Gather::new(normal, offset, radius, flip, self.margin, SLACK * self.tolerance);
        match &reference {
            Patch::Polygon(polygon) => gather.over_polygon(polygon, &incident),
            Patch::Disc(face) => disc::under(&mut gather, face, &incident),
            _ => return None,
        }
        Some((gather, reference))
    }

    fn name_face(&self, flat: &Flat, flip: bool, out: &mut Manifold) {
        let n = out.normal;
        if flip {
            out.feature_a = feature_facing(&self.a, n);
            out.feature_b = Feature::face(flat.index);
        } else {
            out.feature_a = Feature::face(flat.index);
            out.feature_b = feature_facing(&self.b, -self.turned_to_b(n));
        }
    }

    fn along_lines(&self, found: &Found, cache: &mut PairCache, out: &mut Manifold) -> bool {
        let n = found.normal;
        let Some(e) = line_patch(&self.a, n) else { return false };
        let Some(f) = line_patch(&self.b, -self.turned_to_b(n)) else { return false };
        let f = Segment { ends: f.ends.map(|p| self.rotation * p + self.translation), ..f };
        let two = self.side_by_side(found, &e, &f, out);
        if two {
            cache.set(Axis::Direction, n);
        }
        two
    }

    /// Two lines side by side: the ends of what they have in common.
    pub fn side_by_side(&self, found: &Found, e: &Segment, f: &Segment, out: &mut Manifold) -> bool {
        let n = found.normal;
        let (ra, rb) = self.radii();
        let across = |s: &Segment| {
            let along = s.ends[1] - s.ends[0];
            along.dot(n).abs() <= NEAR_PARALLEL * along.length()
        };
        if !across(e) || !across(f) {
            return false;
        }
        let Some(common) = common_part(e, f) else { return false };
        let mut least = Real::INFINITY;
        for (p, q, on_a, on_b) in common {
            let gap = q - p;
            let separation = gap.dot(n) - (ra + rb);
            // The surfaces must be over each other, not one beside the other.
            if gap.across(n).length() > 1e-3 * self.size {
                out.clear();
                return false;
            }
            least = Num::min(separation, least);
            if separation <= self.margin {
                let point = (p.add_scaled(n, ra) + q.add_scaled(n, -rb)) * 0.5;
                out.push(ManifoldPoint::new(point, separation, on_a, on_b));
            }
        }
        if out.is_empty() || (least - found.separation).abs() > self.tolerance {
            out.clear();
            return false;
        }
        out.normal = n;
        (out.feature_a, out.feature_b) = (e.edge, f.edge);
        true
    }

    /// Turns a contact that pushes across an inner edge or corner of a triangle of a mesh, or into the back of one that has none, into one of its face, or drops
    /// it. What counts is where the deepest point lies; inside of its border a triangle can only push along its normal. So it does at the other edges where that way
    /// out is as good.
    pub fn without_inner_edges(&self, cache: &mut PairCache, out: &mut Manifold) {
        let (triangle, flip, toward) = match (self.a, self.b) {
            (ConvexRef::Triangle(t), _) => (t, false, out.normal),
            (_, ConvexRef::Triangle(t)) => (t, true, -self.turned_to_b(out.normal)),
            _ => return,
        };
        let Some(front) = triangle.area_vector().try_normalize() else { return };
        let Some(deepest) = out.points().iter().min_by(|p, q| p.separation.total_cmp(&q.separation)) else { return };
        let facing = front.dot(toward);
        let (of_a, of_b) = deepest.features();
        let feature = if flip { of_b } else { of_a };
        // At a border there is no other that it could be nearer to.
        let mut backward = !triangle.two_sided && facing < -BACKWARD && !is_border(triangle, feature);
        if backward && deepest.separation > 0.0 {
            // Whatever is before it is nearer to another.
            out.clear();
            return;
        }
        // Among overlaps, those alone that lead through it: beside its border its face may be far off.
        backward &= facing < -THROUGH;
        if facing.abs() > 1.0 - ON_FACE && !backward {
            return;
        }
        let centre = if flip {
            self.turned_to_b(self.a.centre() - self.translation)
        } else {
            self.rotation * self.b.centre() + self.translation
        };
        let offset = front.dot(triangle.vertices[0]);
        let back = triangle.two_sided && front.dot(centre) < offset;
        let flat = if back {
            Flat { index: 1, normal: -front, offset: -offset }
        } else {
            Flat { index: 0, normal: front, offset }
        };
        if !backward && !is_inner(triangle, back, feature) {
            // An edge of a ridge may offer a way out that is shorter by a hair, and across the way that the body goes.
            let as_good = deepest.separation - AS_GOOD * self.margin;
            if deepest.separation <= 0.0
                && self.along_face(&flat, flip).1 >= as_good
                && let Some((gather, _)) = self.over_face(&flat, flip)
                && !gather.is_empty()
            {
                self.accept(&gather, &flat, flip, cache, out);
            }
            return;
        }
        out.clear();
        if let Some((gather, _)) = self.over_face(&flat, flip) {
            self.accept(&gather, &flat, flip, cache, out);
        }
    }
}

/// A normal that points by more than this, as a sine, to the back of a triangle is not just rounded; and one that does by more than the other leads through it.
const BACKWARD: Real = 1e-3;
const THROUGH: Real = 0.5;

/// The way out along the normal of a triangle is as good as another if it is longer by no more than this share of the margin: as deep as contacts at rest may be.
const AS_GOOD: Real = 0.05;

/// The feature is an edge of the triangle beyond which there is no other, or a corner of one.
fn is_border(triangle: &Triangle, feature: Feature) -> bool {
    let border = |edge: u32| triangle.inner_edges >> (edge % 3) & 0b1001 == 0;
    match feature.kind() {
        FeatureKind::Edge => border(feature.index()),
        FeatureKind::Vertex => border(feature.index()) || border(feature.index() + 2),
        FeatureKind::Face | FeatureKind::Round => false,
    }
}

/// The feature is an inner edge of the triangle, or a corner between two of them.
pub(super) fn is_inner(triangle: &Triangle, back: bool, feature: Feature) -> bool {
    let edges = if back { triangle.inner_edges >> 3 } else { triangle.inner_edges };
    let inner = |edge: u32| edges >> (edge % 3) & 1 == 1;
    match feature.kind() {
        FeatureKind::Edge => inner(feature.index()),
        // Edges i - 1 and i meet in vertex i.
        FeatureKind::Vertex => inner(feature.index()) && inner(feature.index() + 2),
        FeatureKind::Face | FeatureKind::Round => true,
    }
}

type Shared = (Vec3, Vec3, Feature, Feature);

/// The two ends of the part that two nearly parallel segments have in common: points of both with their features.
fn common_part(e: &Segment, f: &Segment) -> Option<[Shared; 2]> {
    let along = e.ends[1] - e.ends[0];
    let other = f.ends[1] - f.ends[0];
    let (length, reach) = (along.length(), other.length());
    if along.cross(other).length() > NEAR_PARALLEL * length * reach || length == 0.0 || reach == 0.0 {
        return None;
    }
    let scale = 1.0 / (length * length);
    let place = |p: Vec3| (p - e.ends[0]).dot(along) * scale;
    let (s, t) = (place(f.ends[0]), place(f.ends[1]));
    // Ends of f in the order in which e meets them.
    let (low, high, low_end, high_end) = if s < t { (s, t, 0, 1) } else { (t, s, 1, 0) };
    let on_f = |x: Real| {
        let share = (x - s) / (t - s);
        f.ends[0].add_scaled(other, share)
    };
    let start = if low > 0.0 {
        (e.ends[0].add_scaled(along, low), f.ends[low_end], e.edge, f.vertices[low_end])
    } else {
        (e.ends[0], on_f(0.0), e.vertices[0], f.edge)
    };
    let end = if high < 1.0 {
        (e.ends[0].add_scaled(along, high), f.ends[high_end], e.edge, f.vertices[high_end])
    } else {
        (e.ends[1], on_f(1.0), e.vertices[1], f.edge)
    };
    // Less than a thousandth of the shorter one in common is a point.
    let common = Num::min(high, 1.0) - Num::max(low, 0.0);
    (common * length > 1e-3 * Num::min(length, reach)).then_some([start, end])
}
