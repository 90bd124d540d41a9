//! Balls and capsules: closed forms (002-40, 002-41 with their errata mended).

use super::clip::Segment;
use super::contact::{Found, Touch};
use super::convex::{ConvexRef, Triangle};
use super::manifold::{Feature, Manifold};
use super::patch::{ON_FACE, feature_facing};
use crate::math::{Float, Num, Pose, Real, Vec3};
use crate::shape::{Capsule, Geometry, Projection, Sphere};

/// One point between two balls, or between the nearest points of two cores.
#[inline]
pub(super) fn sphere_sphere(a: &Sphere, b: &Sphere, b_in_a: &Pose, margin: Real, out: &mut Manifold) {
    between_points(Vec3::ZERO, a.radius(), b_in_a.translation, b.radius(), margin, out);
}

#[inline(always)]
fn between_points(p: Vec3, ra: Real, q: Vec3, rb: Real, margin: Real, out: &mut Manifold) {
    out.clear();
    let gap = q - p;
    let reach = ra + rb + margin;
    let squared = gap.length_squared();
    if squared > reach * reach || reach < 0.0 {
        return;
    }
    let distance = squared.sqrt();
    // Squares lose small gaps before lengths do; coincident centres part upwards.
    let n = if squared > Real::MIN_POSITIVE { gap * (1.0 / distance) } else { gap.normalize_or(Vec3::Y) };
    let separation = distance - (ra + rb);
    let point = p.add_scaled(n, ra + 0.5 * separation);
    out.set_single(n, point, separation, Feature::ROUND, Feature::ROUND);
}

/// A is a capsule, B a ball.
pub(super) fn capsule_sphere(a: &Capsule, b: &Sphere, b_in_a: &Pose, margin: Real, out: &mut Manifold) {
    let c = b_in_a.translation;
    let p = Vec3::new(0.0, Num::min(Num::max(c.y, -a.half_length()), a.half_length()), 0.0);
    // On the axis every direction across it is as good as any other.
    if c == p && c.y.abs() < a.half_length() {
        out.set_single(Vec3::X, c, -(a.radius() + b.radius()), Feature::edge(0), Feature::ROUND);
        return;
    }
    between_points(p, a.radius(), c, b.radius(), margin, out);
    out.feature_a = feature_facing(&ConvexRef::Capsule(a), out.normal);
}

/// A is any shape, B a ball: the point of A nearest to the ball's centre.
pub(super) fn shape_sphere(a: ConvexRef, b: &Sphere, b_in_a: &Pose, margin: Real, out: &mut Manifold) {
    out.clear();
    let c = b_in_a.translation;
    let nearest = match a {
        ConvexRef::Cuboid(s) => s.closest_point(c),
        ConvexRef::Cylinder(s) => s.closest_point(c),
        ConvexRef::Cone(s) => s.closest_point(c),
        ConvexRef::Hull(s) => s.closest_point(c),
        ConvexRef::Rectangle(s) => s.closest_point(c),
        ConvexRef::Triangle(t) => {
            if let Some(p) = closest_on_triangle(t, c) {
                p
            } else {
                return;
            }
        }
        ConvexRef::Sphere(s) => s.closest_point(c),
        ConvexRef::Capsule(s) => s.closest_point(c),
        ConvexRef::HalfSpace(s) => s.closest_point(c),
    };
    let separation = nearest.distance - b.radius();
    if separation <= margin {
        let n = nearest.normal;
        let point = nearest.point.add_scaled(n, 0.5 * separation);
        let feature = match a {
            // The face is known; only for edges and corners it has to be looked up.
            ConvexRef::Hull(s) if s.faces()[nearest.part as usize].normal.dot(n) > 1.0 - ON_FACE => {
                Feature::face(nearest.part)
            }
            _ => feature_facing(&a, n),
        };
        out.set_single(n, point, separation, feature, Feature::ROUND);
    }
}

/// The nearest point of a triangle; `None` behind one that has no back.
fn closest_on_triangle(t: &Triangle, point: Vec3) -> Option<Projection> {
    let [a, b, c] = t.vertices.map(Vec3::to_f64);
    let p = point.to_f64();
    let area = (b - a).cross(c - a);
    let front = area.try_normalize()?;
    let height = front.dot(p - a);
    if !t.two_sided && height < 0.0 {
        return None;
    }
    let corners = [a, b, c];
    let mut nearest = p.add_scaled(front, -height);
    let mut least = f64::INFINITY;
    for i in 0..3 {
        let (u, v) = (corners[i], corners[(i + 1) % 3]);
        let along = v - u;
        if along.cross(front).dot(p - u) > 0.0 {
            let share = Float::clamp(along.dot(p - u) / along.dot(along), 0.0, 1.0);
            let q = u.add_scaled(along, share);
            let squared = (p - q).length_squared();
            if squared < least {
                (least, nearest) = (squared, q);
            }
        }
    }
    let offset = p - nearest;
    let side = if height < 0.0 { -front } else { front };
    // Over the face the normal is the face's, exactly.
    let normal = if least.is_finite() { offset.normalize_or(side) } else { side };
    let distance = if least.is_finite() { offset.length() } else { height.abs() };
    Some(Projection { point: nearest.to_real(), normal: normal.to_real(), distance: Real::from_f64(distance), part: 0 })
}

/// Two capsules: one point, or two where they lie side by side.
pub(super) fn capsule_capsule(a: &Capsule, b: &Capsule, b_in_a: &Pose, margin: Real, out: &mut Manifold) {
    out.clear();
    let along = b_in_a.rotation.rotate(Vec3::new(0.0, b.half_length(), 0.0));
    let up = Vec3::new(0.0, a.half_length(), 0.0);
    let t = b_in_a.translation;
    let (p, q) = nearest_on_segments(up.to_f64(), t.to_f64(), along.to_f64());
    let gap = (q - p).to_real();
    let (p, q) = (p.to_real(), q.to_real());
    let radii = a.radius() + b.radius();
    let reach = radii + margin;
    let squared = gap.length_squared();
    if squared > reach * reach || reach < 0.0 {
        return;
    }
    let distance = squared.sqrt();
    let size = Num::min(a.half_length() + a.radius(), b.half_length() + b.radius());
    // Crossed cores have no gap to take a direction from: across both, or across A's where they are parallel.
    let n = if distance > Real::EPSILON * size {
        gap * (1.0 / distance)
    } else {
        let n = up.cross(along).try_normalize().or_else(|| along.cross(Vec3::X).try_normalize()).unwrap_or(Vec3::X);
        if n.dot(t) < 0.0 { -n } else { n }
    };
    let found = Found { normal: n, separation: distance - radii, a: p, b: q };
    let (one, other) = (ConvexRef::Capsule(a), ConvexRef::Capsule(b));
    let touch = Touch::new(one, other, b_in_a, margin);
    let e = Segment { ends: [-up, up], vertices: [Feature::vertex(0), Feature::vertex(1)], edge: Feature::edge(0) };
    let f = Segment { ends: [t - along, t + along], ..e };
    if !touch.side_by_side(&found, &e, &f, out) {
        touch.single(&found, out);
    }
}

/// The nearest points of the segments ±u and t ± v.
///
/// In double precision: where the segments are nearly parallel the parameters are the quotients of small differences, and
/// what single precision makes of them is off by far more than the gap.
pub(super) fn nearest_on_segments(u: Vec3<f64>, t: Vec3<f64>, v: Vec3<f64>) -> (Vec3<f64>, Vec3<f64>) {
    let limit = |x: f64| Float::clamp(x, -1.0, 1.0);
    let (uu, vv, uv) = (u.dot(u), v.dot(v), u.dot(v));
    let (ut, vt) = (u.dot(t), v.dot(t));
    let cross = u.cross(v);
    let det = cross.length_squared();
    // Parallel: any point of the common part will do.
    let mut s = if det > 1e-20 * uu * vv { limit(t.cross(v).dot(cross) / det) } else { 0.0 };
    let w = if vv > 0.0 { limit((s * uv - vt) / vv) } else { 0.0 };
    // If the end of B stopped it, A's point moves on to what is nearest to that end.
    if uu > 0.0 {
        s = limit((ut + w * uv) / uu);
    }
    (u * s, t.add_scaled(v, w))
}
