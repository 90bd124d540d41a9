//! How frames of joints are turned to each other, in lanes.

use crate::constraint::unwound;
use crate::math::{Float, LANES, Lane, Quat, Real, Vec3};

#[inline(always)]
pub(super) fn broadcast_x<L: Lane>() -> Vec3<L> {
    Vec3::new(L::ONE, L::ZERO, L::ZERO)
}

/// As `parts::turn_between`: the turn from one unit vector to another, the sine of the angle long up to a right angle and growing on to 2
/// beyond it.
#[inline(always)]
pub(super) fn turn_between<L: Lane>(from: Vec3<L>, to: Vec3<L>, across: Vec3<L>) -> Vec3<L> {
    let cross = from.cross(to);
    let length = cross.length();
    let some = length.greater(L::splat(Real::MIN_POSITIVE));
    let unit = Vec3::select(some, cross * (L::ONE / L::select(some, length, L::ONE)), across);
    Vec3::select(from.dot(to).greater_eq(L::ZERO), cross, unit * (L::splat(2.0) - length))
}

/// The rotation vector of a unit quaternion, the shorter way round.
#[inline(always)]
pub(super) fn rotation_vector<L: Lane>(q: Quat<L>) -> Vec3<L> {
    let flip = q.w.less(L::ZERO);
    let v = Vec3::select(flip, -q.vector(), q.vector());
    let s = v.length();
    let angle = each_lane(s, L::select(flip, -q.w, q.w), |_, s, w| 2.0 * Float::atan2(s, w));
    // For the smallest, the sine of half the angle is half of it.
    let small = s.less(L::splat(Real::EPSILON));
    v * L::select(small, L::splat(2.0), angle / L::select(small, L::ONE, s))
}

/// The twist of the quaternion with these components along x and real, counted over many turns.
#[inline(always)]
pub(super) fn twist<L: Lane>(x: L, w: L, memory: &[f64]) -> L {
    each_lane(x, w, |lane, x, w| Real::from_f64(unwound(2.0 * Float::atan2(x, w), memory[lane])))
}

/// A function of two numbers that vector units do not have, lane by lane.
#[inline(always)]
pub(super) fn each_lane<L: Lane>(a: L, b: L, mut f: impl FnMut(usize, Real, Real) -> Real) -> L {
    let (mut a_s, mut b_s) = ([0.0; LANES], [0.0; LANES]);
    a.store(&mut a_s);
    b.store(&mut b_s);
    for lane in 0..L::WIDTH {
        a_s[lane] = f(lane, a_s[lane], b_s[lane]);
    }
    L::load(&a_s)
}
