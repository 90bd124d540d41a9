//! When a moving convex shape first touches a resting one.
//!
//! Conservative advancement ([`sweep`]) brings the two within a small tolerance of each other. Being so near is no hit by
//! itself: a shape that rests on the floor and slides along it touches all the time and is stopped by nothing. What
//! counts is whether it moves *into* the other. Along the normal n at the nearest points the gap closes at the rate
//! c = -v·n, and for shapes that do not turn n separates them for good where c <= 0 (a plane between two convex sets stays
//! between them while one moves away from it). Where c is positive but tiny it may be nothing but the rounding of n; then the
//! motion is followed until the overlap must have grown by the tolerance, and only if it has was it a hit.

use crate::detect::narrow::{ConvexRef, Distance, Motion, closest_points, sweep};
use crate::math::{Num, Pose, Real, Vec3};

/// The part of the smaller shape's size below which a gap counts as none. Twice what `sweep` leaves.
const CLOSE: Real = 2e-5;

/// Sine of the angle to the surface below which a motion into it is followed up.
const SHALLOW: Real = 1e-3;

/// Advances and follow-ups before the place reached so far is returned: too early rather than too late.
const MAX_ROUNDS: usize = 16;

/// The first touch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Touch {
    pub t: Real,
    /// Unit vector from the resting shape to the moving one.
    pub normal: Vec3,
    /// Point of the resting shape.
    pub point: Vec3,
    pub separation: Real,
}

/// What moves, and how far.
#[derive(Clone, Copy)]
pub(super) struct Mover<'a> {
    pub shape: ConvexRef<'a>,
    pub motion: Motion,
    /// The end of the motion.
    pub end: Real,
    /// What overlaps at the start is hit there; otherwise it is passed over.
    pub solid: bool,
}

impl Mover<'_> {
    /// The first time up to `limit` at which the mover touches `b`. The answer is in the frame of both poses and does not depend
    /// on the limit, which only ends the search.
    pub fn first_touch(&self, b: ConvexRef, pose_b: &Pose, limit: Real) -> Option<Touch> {
        let turns = self.motion.angular != Vec3::ZERO;
        if self.reached_from_behind(b, pose_b) && !self.overlaps(b, pose_b) {
            return None;
        }
        let tolerance = self.tolerance(b, pose_b);
        let resting = Motion::resting(*pose_b);
        let mut t = 0.0;
        let mut last = None;
        for _ in 0..MAX_ROUNDS {
            let gap = self.gap(b, pose_b, t);
            let touch = Touch {
                t,
                normal: pose_b.rotation.rotate(gap.normal),
                point: pose_b.transform_point(gap.point_a),
                separation: gap.separation,
            };
            if gap.separation > tolerance {
                let ahead = Motion { start: self.motion.at(t), ..self.motion };
                let next = t + sweep(self.shape, b, &ahead, &resting, limit - t, 0.0)?;
                if next <= t {
                    return Some(touch);
                }
                t = next;
                last = Some(touch);
                continue;
            }
            if t == 0.0 && gap.separation < -2.0 * tolerance {
                return self.solid.then_some(touch);
            }
            if turns {
                return Some(touch);
            }
            let closing = -self.motion.linear.dot(touch.normal);
            if closing > SHALLOW {
                return Some(touch);
            }
            let ahead = if closing > 0.0 { t + tolerance / closing } else { Real::INFINITY };
            if ahead > self.end {
                return None;
            }
            let deeper = self.gap(b, pose_b, ahead).separation;
            if ahead <= t || (deeper <= 0.0 && deeper <= gap.separation - 0.5 * tolerance) {
                return Some(touch);
            }
            if ahead > limit {
                return None;
            }
            t = ahead;
            last = Some(touch);
        }
        last
    }

    /// One-sided triangles stop only what comes from the front. A shape that turns on the spot comes from everywhere.
    fn reached_from_behind(&self, b: ConvexRef, pose_b: &Pose) -> bool {
        let ConvexRef::Triangle(triangle) = b else { return false };
        let [p, q, r] = triangle.vertices;
        let along = pose_b.rotation.unrotate(self.motion.linear);
        !triangle.two_sided && along != Vec3::ZERO && (q - p).cross(r - p).dot(along) >= 0.0
    }

    fn overlaps(&self, b: ConvexRef, pose_b: &Pose) -> bool {
        self.gap(b, pose_b, 0.0).separation < -2.0 * self.tolerance(b, pose_b)
    }

    fn gap(&self, b: ConvexRef, pose_b: &Pose, t: Real) -> Distance {
        closest_points(b, self.shape, &(pose_b.inverse() * self.motion.at(t)))
    }

    /// A small part of the smaller shape, and the rounding of places.
    fn tolerance(&self, b: ConvexRef, pose_b: &Pose) -> Real {
        let (of_a, of_b) = (self.shape.extent(), b.extent());
        let distance = (self.motion.start.translation - pose_b.translation).abs().max_component();
        CLOSE * Num::min(of_a, of_b) + 4.0 * Real::EPSILON * (distance + of_a)
    }
}
