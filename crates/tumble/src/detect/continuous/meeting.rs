//! Where a fast body first hits something, and the manifold of that moment as a contact of the whole step.

use super::{Ahead, Encounter, sagitta};
use crate::body::collider::Collider;
use crate::body::store::{Bodies, Params};
use crate::detect::look::Place;
use crate::detect::manifolds::bounds;
use crate::detect::narrow::{ConvexRef, Facing, Flight, Manifold, Motion, PairCache, Passing, approach, collide};
use crate::detect::query::parts::{Near, Part, Sweeping, search};
use crate::math::{Aabb, Float, Num, Pose, Real, Vec3};
use crate::shape::Shape;

/// What two colliders do to each other in the step to come, as far as their free flight tells.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outlook {
    /// When they first hit.
    pub impact: Option<Real>,
    /// Parts of them are near each other at some time, or within reach at the start; else there is nothing to be found.
    pub near: bool,
    /// They stay clear of each other all the time.
    pub clear: bool,
}

impl Ahead {
    /// Follows the free flight of two colliders.
    pub(in crate::detect) fn outlook(
        &self,
        bodies: &Bodies,
        encounter: &Encounter,
        (ca, cb): (&Collider, &Collider),
    ) -> Outlook {
        let (of_a, of_b) = motions(bodies, encounter, (ca, cb));
        outlook(&ca.shape, &cb.shape, &of_a, &of_b, encounter.reach, self.slop)
    }
}

/// The free flights of two bodies, by their dense indices, are clear of each other, and one of them comes as it is expected to: what is moved by others may come
/// another way than this.
pub(in crate::detect) fn keeps_clear(bodies: &Bodies, outlook: Option<&Outlook>, a: usize, b: usize) -> bool {
    let steady = |i: usize| bodies.params[i].inv_mass == 0.0 && !bodies.params[i].has(Params::LINK);
    outlook.is_some_and(|o| o.clear) && (steady(a) || steady(b))
}

impl Encounter {
    /// Where two colliders are at time `t`.
    pub(in crate::detect) fn then(&self, bodies: &Bodies, colliders: (&Collider, &Collider), t: Real) -> Then {
        let (of_a, of_b) = motions(bodies, self, colliders);
        let Self { a, b, .. } = self;
        let (pose_a, pose_b) = (of_a.at(t), of_b.at(t));
        let place = Place {
            t,
            rotation: pose_a.rotation,
            lever_a: pose_a.translation - a.shift * t,
            lever: (b.start.centre - a.start.centre).to_real() + (b.shift - a.shift) * t,
            shift_a: a.shift * t,
            turn_a: a.turn * t,
            shift_b: b.shift * t,
            turn_b: b.turn * t,
        };
        Then { b_in_a: pose_a.inverse() * pose_b, place }
    }
}

/// Two colliders in the middle of a step.
pub(in crate::detect) struct Then {
    pub b_in_a: Pose,
    pub place: Place,
}

/// How two colliders move, as seen from the centre of A at the start.
fn motions(bodies: &Bodies, Encounter { a, b, .. }: &Encounter, (ca, cb): (&Collider, &Collider)) -> (Motion, Motion) {
    let centre = |c: &Collider| bodies.params[bodies.dense_at(c.body)].local_centre;
    let origin = a.start.centre;
    (a.motion(&ca.pose, centre(ca), origin), b.motion(&cb.pose, centre(cb), origin))
}

/// The impact is the first time in unit time at which a part of `a` hits a part of `b`: touches it, and would be deeper in it than
/// `slop` at the end. Parts that are within `reach` at the start are left to the ordinary manifold.
fn outlook(a: &Shape, b: &Shape, of_a: &Motion, of_b: &Motion, reach: Real, slop: Real) -> Outlook {
    let mut outlook = Outlook { impact: None, near: false, clear: true };
    let mut manifold = Manifold::default();
    search_moving((a, of_a), (b, of_b), reach, 1.0, &mut |a, b, limit| {
        let (part_a, part_b, of_a, of_b) = (a.convex, b.convex, &a.motion, &b.motion);
        outlook.near = true;
        if let Some(facing) = Facing::of(a, b) {
            let rounding = 2e-5 * smaller(part_a, part_b);
            if facing.stays_apart(rounding) {
                return limit;
            }
            // The manifold of the start must find it near, too.
            if facing.starts_within(reach - rounding) {
                outlook.clear = false;
                return limit;
            }
        }
        let mut within = false;
        let found = approach(part_a, part_b, of_a, of_b, limit, false, |s| {
            within = !(s > reach);
            (!within).then_some(0.0)
        });
        let Some(found) = found else {
            outlook.clear &= !within;
            return limit;
        };
        outlook.clear = false;
        // What a touch is, is for the narrow phase to say: it knows the seams of planes and valleys.
        let (pose_a, pose_b) = (of_a.at(found.t), of_b.at(found.t));
        let near = Num::max(found.separation, 0.0) + reach;
        collide(part_a, part_b, &(pose_a.inverse() * pose_b), near, &mut PairCache::default(), &mut manifold);
        let n = pose_a.rotation.rotate(manifold.normal);
        let hits = manifold.points().iter().any(|p| {
            let x = pose_a.transform_point(p.point);
            let closing = n.dot(velocity_at(of_a, x, found.t) - velocity_at(of_b, x, found.t));
            closing * (1.0 - found.t) - p.separation > slop
        });
        if !hits {
            return limit;
        }
        outlook.impact = Some(found.t);
        found.t
    });
    outlook
}

/// A bound of the extent of the smaller of two parts: of a triangle nothing needs to be known.
pub(super) fn smaller(a: ConvexRef, b: ConvexRef) -> Real {
    match (a, b) {
        (ConvexRef::Triangle(_), _) => b.extent(),
        (_, ConvexRef::Triangle(_)) => a.extent(),
        _ => Num::min(a.extent(), b.extent()),
    }
}

/// Velocity of the point of a moving shape that is at `x` at time `t`.
fn velocity_at(m: &Motion, x: Vec3, t: Real) -> Vec3 {
    let centre = m.start.transform_point(m.centre).add_scaled(m.linear, t);
    m.linear + m.angular.cross(x - centre)
}

/// The motion of a part of a shape.
fn motion_of_part(of: &Motion, pose: &Pose) -> Motion {
    if *pose == Pose::IDENTITY {
        return *of;
    }
    Motion { start: of.start * *pose, centre: pose.inverse_transform_point(of.centre), ..*of }
}

type Meet<'v> = &'v mut dyn FnMut(&Flight<'_>, &Flight<'_>, Real) -> Real;

/// Visits the pairs of convex parts of two shapes that may come within `reach` of each other until `limit` while they move, with their
/// motions. `visit` answers the time of interest from then on.
pub(super) fn search_moving(
    (a, of_a): (&Shape, &Motion),
    (b, of_b): (&Shape, &Motion),
    reach: Real,
    limit: Real,
    visit: Meet<'_>,
) {
    // All parts of the simpler one are looked at, and of the other those on the way.
    if a.is_meshed() && !b.is_meshed() {
        search_parts((b, of_b), (a, of_a), reach, limit, &mut |q, p, limit| visit(p, q, limit));
    } else {
        search_parts((a, of_a), (b, of_b), reach, limit, visit);
    }
}

fn search_parts((p, of_p): (&Shape, &Motion), (q, of_q): (&Shape, &Motion), reach: Real, limit: Real, visit: Meet<'_>) {
    let whole = Near::new(Aabb::EVERYTHING);
    search(p, &whole, limit.into(), &mut |part: &Part, limit| {
        let mover = Flight::new(part.convex, motion_of_part(of_p, &part.pose));
        let end = of_q.at(1.0);
        let passing = (of_q.angular == Vec3::ZERO && q.is_meshed()).then(|| Passing::new(&mover, &of_q.start, &end));
        search(q, &way_past(&mover, of_q, &end, reach), limit, &mut |other: &Part, limit| {
            let resting = if other.pose == Pose::IDENTITY {
                Flight::until(other.convex, *of_q, end, passing.as_ref())
            } else {
                Flight::new(other.convex, motion_of_part(of_q, &other.pose))
            };
            visit(&mover, &resting, Real::from_f64(limit)).into()
        })
    });
}

/// The box of a moving part on its way and all that is within `reach` of it, in the frame of a shape that moves itself, to `end`.
///
/// In a frame that turns with w the part runs along a curve. With u the relative shift and d the largest distance of the two
/// centres, its acceleration there is at most 2|w||u| + |w|² d, which bounds how far the curve bulges from its chord.
fn way_past(flight: &Flight, of_q: &Motion, end: &Pose, reach: Real) -> Sweeping {
    let (part, mover) = (flight.convex, &flight.motion);
    let into = of_q.start.inverse();
    if of_q.angular == Vec3::ZERO {
        let along = into.rotation.rotate(mover.linear - of_q.linear);
        let mut around = bounds(part, &(into * mover.start));
        if mover.angular != Vec3::ZERO {
            let turned = Pose { translation: flight.end.translation - mover.linear, ..flight.end };
            around = around.union(&bounds(part, &(into * turned))).expanded(flight.bulge);
        }
        return Sweeping::new(around.expanded(reach), along);
    }
    let from = mover.start.transform_point(mover.centre);
    let first = into.transform_point(from);
    let last = end.inverse_transform_point(from + mover.linear);
    let w = of_q.angular.length();
    let u = (mover.linear - of_q.linear).length();
    let d = (from - of_q.start.transform_point(of_q.centre)).length() + u;
    let bulge = Num::min(sagitta(2.0 * w * u + w * w * d), 2.0 * d);
    let half = Vec3::all(part.farthest_from(mover.centre) + bulge + reach);
    Sweeping::new(Aabb::new(first - half, first + half), last - first)
}
