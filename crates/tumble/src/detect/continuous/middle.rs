//! The last net: the middle of a body's thickest part is never on the other side of a surface.
//!
//! Following the surfaces of two shapes in motion is exact up to tolerances, and a body that is deep in something is let sink a little more so
//! that it is not frozen; a thin spinning body against a thinner wall can use that up. What cannot be argued with is a line: the
//! centre of the inner ball is tied to the body, and its way from where it was to where it ends, as the obstacle sees it, is a ray
//! that either meets the obstacle's surface or does not. If it does, the body is shifted so that the centre ends in front of it.

use super::{Ahead, Mover, Span, Travel, watched};
use crate::body::collider::{Collider, NO_PROXY};
use crate::body::store::CentrePose;
use crate::detect::broad::{BoxCast, ProxyId};
use crate::math::{Aabb, Point, Real, Vec3};
use crate::shape::{Geometry, Ray};
use crate::world::State;

/// How far in front of a surface the centre is put, in radii of the inner ball: no farther than contacts let a body sink, so that they
/// find it and push it out.
const IN_FRONT: Real = 0.5;

/// How many surfaces may turn the way of a centre before it goes back to where it started.
const ROUNDS: usize = 4;

impl State {
    /// Where a body that was at the start of `mover` and is to end at `end`, in a part of the step, has to be instead; `None` if it may be
    /// there.
    pub(super) fn middle_kept(&self, ahead: &Ahead, mover: &Mover, end: CentrePose, span: Span) -> Option<CentrePose> {
        let i = mover.dense as usize;
        let centre = self.bodies.params[i].local_centre;
        let cold = self.bodies.cold.at(self.bodies.slot[i])?;
        let mut pose = end;
        let mut kept = None;
        for &slot in &cold.colliders {
            let Some(collider) = solid(self, slot) else { continue };
            let (middle, radius) = collider.shape.inner_sphere();
            if !(radius > 0.0) || !radius.is_finite() {
                continue;
            }
            let arm = collider.pose.transform_point(middle) - centre;
            // The centre of mass too, where it is another point of the same solid, as in a cone.
            let apart = arm.length_squared() > 1e-4 * radius * radius
                && collider.shape.contains(collider.pose.inverse_transform_point(centre));
            for arm in core::iter::once(arm).chain(apart.then_some(Vec3::ZERO)) {
                let place = |pose: &CentrePose| pose.centre + pose.rotation.rotate(arm).to_f64();
                let (from, aim) = (place(&mover.start), place(&pose));
                let mut to = aim;
                for round in 0..ROUNDS {
                    let Some(stop) = self.way_ends(ahead, i, slot, (from, to), radius, span) else { break };
                    to = if round + 1 < ROUNDS { stop } else { from };
                }
                if to != aim {
                    pose.centre += to - aim;
                    kept = Some(pose);
                }
            }
        }
        kept
    }

    /// Where the way of a point of a body from one place to another ends in front of the first surface; `None` if it meets none.
    fn way_ends(
        &self,
        ahead: &Ahead,
        i: usize,
        slot: u32,
        (from, to): (Point, Point),
        radius: Real,
        span: Span,
    ) -> Option<Point> {
        let mut first: Option<Point> = None;
        let mut limit = 1.0;
        let way = (to - from).to_real();
        // What moves may have left its box by as much as slow bodies move.
        let start = Aabb::new(Vec3::ZERO, Vec3::ZERO).expanded(ahead.margin).moved_to(from);
        for tree in ahead.obstacles.trees(self, i) {
            let cast = BoxCast { start, direction: way, max: limit };
            tree.cast(&cast, u32::MAX, |proxy, _, _| {
                let Some(other) = self.broad.user(ProxyId(proxy)) else { return limit };
                if let Some(obstacle) = solid(self, other)
                    && self.may_stop(i, obstacle)
                    && self.may_hold(slot, other)
                    && let Some((t, stop)) = self.crossing(ahead, i, obstacle, (from, to), radius, span)
                    && t < limit
                {
                    limit = t;
                    first = Some(stop);
                }
                limit
            });
        }
        first
    }

    /// When a point that goes from one place to another crosses the surface of a collider from its outside, and where it ends in front
    /// of it.
    fn crossing(
        &self,
        ahead: &Ahead,
        i: usize,
        obstacle: &Collider,
        (from, to): (Point, Point),
        radius: Real,
        span: Span,
    ) -> Option<(Real, Point)> {
        let other = self.bodies.dense_at(obstacle.body);
        watched(&self.bodies, i, other)?;
        let of_it: Travel = self.travelled(ahead, other).during(span);
        let centre = self.bodies.params[other].local_centre;
        let seen = |from: &CentrePose, x: Point| {
            let in_body = from.rotation.conjugate().rotate((x - from.centre).to_real()) + centre;
            obstacle.pose.inverse_transform_point(in_body)
        };
        let end = of_it.at(1.0);
        let (a, b) = (seen(&of_it.start, from), seen(&end, to));
        let hit = obstacle.shape.cast_ray(&Ray::new(a, b - a), 1.0)?;
        // A ray that starts inside says nothing about passing through.
        if hit.t <= 0.0 || hit.normal == Vec3::ZERO {
            return None;
        }
        let place = a + (b - a) * hit.t + hit.normal * (radius * IN_FRONT);
        let in_body = obstacle.pose.transform_point(place) - centre;
        Some((hit.t, end.centre + end.rotation.rotate(in_body).to_f64()))
    }
}

fn solid(state: &State, slot: u32) -> Option<&Collider> {
    state.colliders.at(slot).filter(|c| !c.sensor && c.proxy != NO_PROXY)
}
