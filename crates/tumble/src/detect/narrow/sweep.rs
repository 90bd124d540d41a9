//! When two moving convex shapes come near each other: conservative advancement (Mirtich 1996).
//!
//! At time t let the shapes be apart by d along n (from A to B). A point of a shape that moves with v and turns with ω at a
//! distance of at most ρ from the turning centre moves along any fixed n no faster than v·n ± ρ |ω × n|. So along this n the
//! gap closes no faster than
//! ```text
//! w = (v_A - v_B)·n + ρ_A |ω_A × n| + ρ_B |ω_B × n|
//! ```
//! and no contact is possible before t + (d - target) / w. Steps of this length never pass a contact, and where w <= 0 there is
//! none to come. Of a ball or capsule ρ is that of its core: to turn a ball moves nothing.
//!
//! All of it holds for overlapping shapes as well, with -d the depth along the shortest way out: the signed distance is the
//! largest of the gaps along all n, and none of them closes faster than its w.

use super::convex::{ConvexRef, Pair, Triangle};
use super::depth;
use super::gjk::{self, Outcome};
use super::{capsule_triangle, plane};
use crate::math::{Float, Num, Pose, Quat, Real, Vec3};

/// A shape's motion over a span of time: constant velocity of a point of it, and constant angular velocity about that
/// point. Both shapes of a sweep are given in one frame, best one that is near to them.
///
/// ```
/// use tumble::detect::narrow::Motion;
/// use tumble::math::{Pose, Vec3};
/// let thrown = Motion { linear: Vec3::new(2.0, 0.0, 0.0), ..Motion::resting(Pose::IDENTITY) };
/// assert_eq!(thrown.at(0.5).translation, Vec3::X);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motion {
    /// Where the shape starts.
    pub start: Pose,
    /// The point of the shape that it turns about, in its own frame: its body's centre of mass.
    pub centre: Vec3,
    /// Velocity of that point.
    pub linear: Vec3,
    /// Angular velocity.
    pub angular: Vec3,
}

impl Motion {
    /// A shape that stays where it is.
    pub const fn resting(start: Pose) -> Self {
        Self { start, centre: Vec3::ZERO, linear: Vec3::ZERO, angular: Vec3::ZERO }
    }

    /// The pose at time `t`.
    pub fn at(&self, t: Real) -> Pose {
        let rotation = if self.angular == Vec3::ZERO {
            self.start.rotation
        } else {
            (Quat::from_rotation_vector(self.angular * t) * self.start.rotation).normalized()
        };
        let centre = self.start.transform_point(self.centre).add_scaled(self.linear, t);
        Pose { translation: centre - rotation.rotate(self.centre), rotation }
    }
}

/// Steps before the time reached so far is returned. It is a safe time all the same.
const MAX_STEPS: usize = 96;

/// The first time in [0, `t_max`] at which two shapes are no farther apart than `target`, or `None` where they never are.
///
/// Never late: at the time returned and at any time before, the shapes are apart by at least `target`, but for a tolerance of
/// 1/1000 of `target` or of 1e-5 of the smaller shape, whichever is more (and unless they start nearer, which gives 0).
/// It may be early where the shapes pass close by each other for long, since the number of steps is bounded; and a
/// half-space that turns sweeps everything at once, which gives 0.
///
/// ```
/// use tumble::detect::narrow::{ConvexRef, Motion, sweep};
/// use tumble::math::{Pose, Vec3};
/// use tumble::shape::Sphere;
/// let ball = Sphere::new(0.5)?;
/// let resting = Motion::resting(Pose::IDENTITY);
/// let start = Pose::from_translation(Vec3::new(-3.0, 0.0, 0.0));
/// let flying = Motion { linear: Vec3::new(4.0, 0.0, 0.0), ..Motion::resting(start) };
/// let t = sweep(ConvexRef::Sphere(&ball), ConvexRef::Sphere(&ball), &flying, &resting, 1.0, 0.0);
/// assert!((t.unwrap() - 0.5).abs() < 1e-4);
/// # Ok::<(), tumble::Error>(())
/// ```
pub fn sweep(a: ConvexRef, b: ConvexRef, of_a: &Motion, of_b: &Motion, t_max: Real, target: Real) -> Option<Real> {
    approach(a, b, of_a, of_b, t_max, false, |_| Some(target)).map(|found| found.t)
}

/// Two moving shapes at the moment when they are as near as was asked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Approach {
    pub t: Real,
    /// A lower bound of the signed distance, and good to a tolerance.
    pub separation: Real,
    /// Unit vector from A to B, in the frame of both motions.
    pub normal: Vec3,
}

/// As [`sweep`], to a target that may depend on the separation at the start; `None` there for pairs that are of no
/// interest. Only with `deep` is the depth of an overlap known, and a target below zero makes sense; without, all
/// overlaps count as touches.
pub(crate) fn approach(
    a: ConvexRef,
    b: ConvexRef,
    of_a: &Motion,
    of_b: &Motion,
    t_max: Real,
    deep: bool,
    target: impl FnOnce(Real) -> Option<Real>,
) -> Option<Approach> {
    let reach = |s: &ConvexRef, m: &Motion| {
        if m.angular == Vec3::ZERO { 0.0 } else { s.farthest_from(m.centre) - s.radius() }
    };
    let (reach_a, reach_b) = (reach(&a, of_a), reach(&b, of_b));
    let size = Num::min(a.extent(), b.extent());
    let look = |t: Real, axis: Option<Vec3>| {
        let (pose_a, pose_b) = (of_a.at(t), of_b.at(t));
        let (separation, normal) = gap(a, b, &(pose_a.inverse() * pose_b), axis, deep);
        (Approach { t, separation, normal: pose_a.rotation.rotate(normal) }, normal)
    };
    let (mut now, mut axis) = look(0.0, None);
    let target = target(now.separation)?;
    // Half of the tolerance is spent on stopping, so that the time is never late.
    let tolerance = Num::max(target.abs() * 1e-3, size * 1e-5);
    for _ in 0..MAX_STEPS {
        let excess = now.separation - target;
        if excess <= tolerance {
            return Some(now);
        }
        let n = now.normal;
        let turning = reach_a * of_a.angular.cross(n).length() + reach_b * of_b.angular.cross(n).length();
        let closing = (of_a.linear - of_b.linear).dot(n) + turning;
        if closing.is_nan() {
            return Some(now);
        }
        if closing <= 0.0 || excess > closing * (t_max - now.t) {
            return None;
        }
        let next = now.t + (excess - 0.5 * tolerance) / closing;
        if next <= now.t {
            return Some(now);
        }
        (now, axis) = look(next, Some(axis));
    }
    Some(now)
}

/// A convex shape on its way through unit time.
#[derive(Clone, Copy)]
pub(crate) struct Flight<'a> {
    pub convex: ConvexRef<'a>,
    pub motion: Motion,
    pub end: Pose,
    /// How far a point of the core may leave the straight line between its places at the start and at the end: with |x''| <= ρ ω², ρ
    /// ω² / 8.
    pub bulge: Real,
    /// How it sees the other one of a pair, where many are asked about the same.
    passing: Option<&'a Passing>,
}

impl<'a> Flight<'a> {
    pub fn new(convex: ConvexRef<'a>, motion: Motion) -> Self {
        Self::until(convex, motion, motion.at(1.0), None)
    }

    /// One that comes to `end`. What is `passing` it is seen from its frame.
    pub fn until(convex: ConvexRef<'a>, motion: Motion, end: Pose, passing: Option<&'a Passing>) -> Self {
        let bulge = if motion.angular == Vec3::ZERO {
            0.0
        } else {
            0.125 * motion.angular.length_squared() * (convex.farthest_from(motion.centre) - convex.radius())
        };
        Self { convex, motion, end, bulge, passing }
    }
}

/// Where a flying shape is at the start and at the end, as seen from another one that does not turn.
#[derive(Clone, Copy)]
pub(crate) struct Passing {
    poses: [Pose; 2],
    /// The ends of the core of a ball or a capsule then.
    cores: Option<[[Vec3; 2]; 2]>,
}

impl Passing {
    /// As seen from what is at `start` and at `end`.
    pub fn new(flight: &Flight, start: &Pose, end: &Pose) -> Self {
        let seen = |on: &Pose, pose: &Pose| if *on == Pose::IDENTITY { *pose } else { on.inverse() * *pose };
        let poses = [seen(start, &flight.motion.start), seen(end, &flight.end)];
        let half = match flight.convex {
            ConvexRef::Sphere(_) => Some(0.0),
            ConvexRef::Capsule(s) => Some(s.half_length()),
            _ => None,
        };
        let core = |half: Real, pose: &Pose| {
            let along = pose.rotation.rotate(Vec3::new(0.0, half, 0.0));
            [pose.translation - along, pose.translation + along]
        };
        Self { poses, cores: half.map(|half| poses.map(|pose| core(half, &pose))) }
    }
}

/// Two moving shapes, one of which is a triangle that does not turn, in its frame.
pub(crate) struct Facing<'a> {
    triangle: &'a Triangle,
    front: Vec3,
    other: &'a Flight<'a>,
    passing: Passing,
}

impl<'a> Facing<'a> {
    /// `None` for all other pairs, and beside a half-space, which has no core.
    pub fn of(a: &'a Flight<'a>, b: &'a Flight<'a>) -> Option<Self> {
        let (triangle, on, other) = match (a.convex, b.convex) {
            (ConvexRef::Triangle(t), _) => (t, a, b),
            (_, ConvexRef::Triangle(t)) => (t, b, a),
            _ => return None,
        };
        if on.motion.angular != Vec3::ZERO || matches!(other.convex, ConvexRef::HalfSpace(_)) {
            return None;
        }
        let front = triangle.area_vector().try_normalize()?;
        let passing = on.passing.copied().unwrap_or_else(|| Passing::new(other, &on.motion.start, &on.end));
        Some(Self { triangle, front, other, passing })
    }

    /// They are farther apart than `gap` all the time along the normal of the triangle, or along a direction that points out of an edge. `false`
    /// says nothing.
    ///
    /// The separation along a fixed n is the least of n·x over the points of the other shape. Each n·x(t) is above its chord less the bulge,
    /// and the least of chords is above the chord of the least ones: so it is no less than at the start or at the end, less the bulge.
    pub fn stays_apart(&self, gap: Real) -> bool {
        let (Passing { poses: [start, _], cores }, other) = (&self.passing, self.other.convex);
        let needed = gap + self.other.bulge + other.radius();
        let [corner, second, third] = self.triangle.vertices;
        let behind = self.front.dot(start.transform_point(other.centre()) - corner) < 0.0;
        let front = if behind { -self.front } else { self.front };
        // A normal is rounded, and of a sliver it is not quite across its far end.
        let level = Num::max(Num::max(front.dot(second - corner), front.dot(third - corner)), 0.0);
        if let Some(cores) = cores {
            let height = |x: Vec3| front.dot(x - corner) - level;
            return Self::cores_stay_apart(cores.as_flattened(), height, self.edges(), needed);
        }
        let apart = |n: Vec3, p: Vec3, needed: Real| {
            self.passing.poses.iter().all(|at| {
                let lowest = other.core_support(-at.rotation.unrotate(n).to_f64());
                n.dot(at.transform_point(lowest.to_real()) - p) > needed
            })
        };
        apart(front, corner, needed + level)
            || self.edges().into_iter().any(|Edge { from, out, .. }| {
                // Only edges beyond which the other shape's origin lies can part them.
                out.dot(start.translation - from) > 0.0 && apart(out, from, needed)
            })
    }

    /// The same, told by the ends of a core at the start and at the end. Seen along an edge they are points (o, h): so far out of the triangle and
    /// so far above it. All of the triangle is seen where o <= 0 and h <= 0, so that any direction with o > 0 and h > 0 may part them; tried are
    /// up, out, and that of the nearest point.
    fn cores_stay_apart(ends: &[Vec3], height: impl Fn(Vec3) -> Real, edges: [Edge; 3], needed: Real) -> bool {
        if ends.iter().all(|&x| height(x) > needed) {
            return true;
        }
        edges.into_iter().any(|Edge { from, out, .. }| {
            let seen = |x: Vec3| (out.dot(x - from), height(x));
            if ends.iter().all(|&x| seen(x).0 > needed) {
                return true;
            }
            let (mut o, mut h, mut nearest) = (0.0, 0.0, Real::INFINITY);
            for (x, y) in ends.iter().map(|&x| seen(x)) {
                if x * x + y * y < nearest {
                    (o, h, nearest) = (x, y, x * x + y * y);
                }
            }
            let away = Num::sqrt(nearest) * needed;
            o > 0.0 && h > 0.0 && ends.iter().map(|&x| seen(x)).all(|(x, y)| o * x + h * y > away)
        })
    }

    /// They are no farther apart than `reach` at the start, as an end of the core of a ball or a capsule tells that is above or below the
    /// triangle, or beside an edge. `false` says nothing.
    pub fn starts_within(&self, reach: Real) -> bool {
        let Some([ends, _]) = &self.passing.cores else { return false };
        let near = reach + self.other.convex.radius();
        ends.iter().any(|&x| {
            let height = self.front.dot(x - self.triangle.vertices[0]);
            let mut inside = true;
            let beside = self.edges().into_iter().any(|Edge { from, out, edge }| {
                let (beyond, along) = (out.dot(x - from), edge.dot(x - from));
                inside &= beyond <= 0.0;
                beyond > 0.0
                    && (0.0..=edge.length_squared()).contains(&along)
                    && beyond * beyond + height * height <= near * near
            });
            beside || inside && height.abs() <= near
        })
    }

    fn edges(&self) -> [Edge; 3] {
        let v = &self.triangle.vertices;
        [0, 1, 2].map(|i| {
            let edge = v[if i == 2 { 0 } else { i + 1 }] - v[i];
            let out = edge.cross(self.front);
            Edge { from: v[i], edge, out: out * (1.0 / out.length()) }
        })
    }
}

/// An edge of a triangle: where it begins and goes, and the way out of the triangle there.
struct Edge {
    from: Vec3,
    edge: Vec3,
    out: Vec3,
}

/// Two moving shapes are farther apart than `gap` all the time: see [`Facing::stays_apart`].
pub(crate) fn stays_apart(a: &Flight, b: &Flight, gap: Real) -> bool {
    Facing::of(a, b).is_some_and(|facing| facing.stays_apart(gap))
}

/// Separation and normal from A to B in A's frame. Of shapes that overlap the depth and the way out where it is asked
/// for, else 0 and the last normal.
fn gap(a: ConvexRef, b: ConvexRef, b_in_a: &Pose, axis: Option<Vec3>, deep: bool) -> (Real, Vec3) {
    match (a, b) {
        (ConvexRef::HalfSpace(p), _) => (plane::clearance(p, &b, b_in_a).0, p.normal()),
        (_, ConvexRef::HalfSpace(q)) => {
            let (separation, _) = plane::clearance(q, &a, &b_in_a.inverse());
            (separation, -b_in_a.rotation.rotate(q.normal()))
        }
        _ => {
            if let Some(found) = round_gap(a, b, b_in_a) {
                return found;
            }
            let pair = Pair::new(a, b, b_in_a);
            let start = axis.map_or_else(|| pair.centre_line(), |n| n.to_f64());
            let n = match gjk::distance(&pair, start, f64::INFINITY) {
                Outcome::Apart(found) => found.normal,
                Outcome::Overlap(simplex) if deep => depth::penetration(&pair, &simplex).normal,
                _ => return (0.0, start.to_real()),
            };
            // The lower bound of the distance: what is surely free along n.
            let free = pair.separation_along(n) - pair.radii();
            (Real::from_f64(free), n.to_real())
        }
    }
}

/// The same for a triangle and a ball or capsule whose core is clear of it.
fn round_gap(a: ConvexRef, b: ConvexRef, b_in_a: &Pose) -> Option<(Real, Vec3)> {
    let core = |s: ConvexRef| match s {
        ConvexRef::Sphere(s) => Some((0.0, s.radius())),
        ConvexRef::Capsule(s) => Some((s.half_length(), s.radius())),
        _ => None,
    };
    match (a, b) {
        (ConvexRef::Triangle(t), _) => {
            let (half_length, radius) = core(b)?;
            let (distance, n) = capsule_triangle::distance(t, half_length, b_in_a)?;
            Some((Real::from_f64(distance - radius.to_f64()), n.to_real()))
        }
        (_, ConvexRef::Triangle(t)) => {
            let (half_length, radius) = core(a)?;
            let (distance, n) = capsule_triangle::distance(t, half_length, &b_in_a.inverse())?;
            Some((Real::from_f64(distance - radius.to_f64()), -b_in_a.rotation.rotate(n.to_real())))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::narrow::closest_points;
    use crate::shape::{Capsule, Cuboid, Sphere};
    use proptest::prelude::*;

    fn vec3(range: f64) -> impl Strategy<Value = Vec3> {
        prop::array::uniform3(-range..range).prop_map(|v| Vec3::from(v).to_real())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]
        /// What is said to stay apart is so at all of many moments, whether the triangle rests or shifts, and whoever has seen the flight from it
        /// before.
        #[test]
        fn what_stays_apart_does(
            corners in prop::array::uniform3(vec3(1.0)),
            (at, turned, centre) in (vec3(1.5), vec3(3.0), vec3(0.3)),
            (linear, angular) in (vec3(1.0), vec3(2.0)),
            (base, tilt, shift) in (vec3(0.5), vec3(3.0), vec3(1.0)),
            rests in any::<bool>(),
            gap in -0.05..0.2,
            kind in 0_usize..3,
        ) {
            let triangle = Triangle::new(corners);
            let (ball, capsule) = (Sphere::new(0.25).unwrap(), Capsule::new(0.3, 0.1).unwrap());
            let cuboid = Cuboid::new(Vec3::new(0.3, 0.2, 0.1)).unwrap();
            let a = ConvexRef::Triangle(&triangle);
            let b = [ConvexRef::Sphere(&ball), ConvexRef::Capsule(&capsule), ConvexRef::Cuboid(&cuboid)][kind];
            let start = Pose { translation: at, rotation: Quat::from_rotation_vector(turned) };
            let motion = Motion { start, centre, linear, angular };
            let place = Pose { translation: base, rotation: Quat::from_rotation_vector(tilt) };
            let carried = if rests {
                Motion::resting(Pose::IDENTITY)
            } else {
                Motion { start: place, centre: Vec3::ZERO, linear: shift, angular: Vec3::ZERO }
            };
            let (carrier, flight) = (Flight::new(a, carried), Flight::new(b, motion));
            let passing = Passing::new(&flight, &carried.start, &carried.at(1.0));
            let seen = Flight::until(a, carried, carried.at(1.0), Some(&passing));
            let gap = Real::from_f64(gap);
            let facing = Facing::of(&carrier, &flight).unwrap();
            for other in [Facing::of(&flight, &carrier), Facing::of(&seen, &flight), Facing::of(&flight, &seen)] {
                let other = other.unwrap();
                prop_assert_eq!(facing.stays_apart(gap), other.stays_apart(gap));
                prop_assert_eq!(facing.starts_within(gap), other.starts_within(gap));
            }
            let separation = |t: Real| closest_points(a, b, &(carried.at(t).inverse() * motion.at(t))).separation;
            if facing.starts_within(gap) {
                prop_assert!(separation(0.0) < gap + 1e-5, "{} at the start, not {gap}", separation(0.0));
            }
            if facing.stays_apart(gap) {
                for k in 0..=32 {
                    let found = separation(k as Real / 32.0);
                    prop_assert!(found > gap - 1e-4, "{found} at {k}, not {gap}");
                }
            }
        }
    }
}
