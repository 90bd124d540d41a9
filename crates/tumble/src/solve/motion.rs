//! The bodies as the soft-step solver sees them: one cache line each.

use crate::alike::Alike;
use crate::body::store::{Bodies, Params, Velocity};
use crate::crew::{Shared, Team};
use crate::integrate::{Loads, rotation};
use crate::math::{Lane, Mask, Num, Quat, Real, Sym3, Vec3};

/// v, ω, the motion since the start of the step, Δx and Δθ, and the orientation now as a quaternion. The last is kept for bodies
/// that joints act on, and all zeros for others: joints need the true orientation, contacts are content with Δθ.
pub(crate) type Motion = [Real; 16];

/// What a sub-step does to a body by itself: Δv, the factor of damping, Δω, the factor of damping.
pub(crate) type Kick = [Real; 8];

/// I⁻¹ in world axes (xx, yy, zz, xy, xz, yz), 1/m, and a [`TAG`]. All but the tag are zeros for what nothing moves.
pub(crate) type Mass = [Real; 8];

/// The column of 1/m in a [`Mass`], along the axes that are not locked; 0 where all three are.
pub(crate) const INV_MASS: usize = 6;

/// The column of a [`Mass`] that says how the body is moved: by constraints where its size is 1 or more, which is then one more than the locked axes
/// of the world (x 1, y 2, z 4), and [`HELD`] more where a web holds it; and by nothing but joints where it is negative.
pub(crate) const TAG: usize = 7;

/// Added to the tag of a body in a web of joints that is solved as a whole and made fast to what joints cannot move.
const HELD: Real = 8.0;

/// The size of a tag of a body that no constraint moves.
const UNMOVED: Real = 0.5;

/// Constraints move the body.
#[inline(always)]
pub(crate) fn is_movable(mass: &Mass) -> bool {
    mass[TAG].abs() >= 1.0
}

/// The body cannot move along some axis of the world.
#[inline(always)]
pub(crate) fn is_locked(mass: &Mass) -> bool {
    let size = mass[TAG].abs();
    size > 1.0 && size != 1.0 + HELD
}

/// A web that is made fast holds the body.
#[inline(always)]
pub(crate) fn is_held(mass: &Mass) -> bool {
    mass[TAG].abs() > HELD
}

pub(crate) fn set_held(mass: &mut Mass) {
    if is_movable(mass) && !is_held(mass) {
        mass[TAG] += if mass[TAG] < 0.0 { -HELD } else { HELD };
    }
}

/// Nothing but joints acts on the body.
#[inline(always)]
pub(crate) fn is_jointed_only(mass: &Mass) -> bool {
    mass[TAG] < 0.0
}

pub(crate) fn set_jointed_only(mass: &mut Mass, only: bool) {
    let size = Num::max(mass[TAG].abs(), UNMOVED);
    mass[TAG] = if only { -size } else { size };
}

/// Of the tags of bodies: where a web that is made fast holds them.
#[inline(always)]
pub(crate) fn held<L: Lane>(tag: L) -> L::Mask {
    tag.max(-tag).greater(L::splat(HELD))
}

/// Of the tags of bodies: 1 along the axes of the world, and 0 along locked ones.
#[inline(always)]
pub(crate) fn free_axes<L: Lane>(tag: L) -> Vec3<L> {
    let size = tag.max(-tag);
    let mut locks = L::select(held(tag), size - L::splat(HELD), size) - L::ONE;
    let mut free = |lock: Real| {
        let locked = locks.greater_eq(L::splat(lock));
        locks = L::select(locked, locks - L::splat(lock), locks);
        L::select(locked, L::ZERO, L::ONE)
    };
    let (z, y, x) = (free(4.0), free(2.0), free(1.0));
    Vec3::new(x, y, z)
}

/// 1/m along the axes of the world.
pub(crate) fn inv_mass_of(mass: &Mass) -> Vec3 {
    free_axes(mass[TAG]) * mass[INV_MASS]
}

pub(crate) fn inertia_of(mass: &Mass) -> Sym3 {
    Sym3 { xx: mass[0], yy: mass[1], zz: mass[2], xy: mass[3], xz: mass[4], yz: mass[5] }
}

pub(crate) fn set_inertia(mass: &mut Mass, j: Sym3) {
    mass[..6].copy_from_slice(&[j.xx, j.yy, j.zz, j.xy, j.xz, j.yz]);
}

/// What a constraint needs to know of an awake body that is turned like this.
pub(crate) fn mass(bodies: &Bodies, i: usize, rotation: Quat) -> Mass {
    let params = &bodies.params[i];
    let j = params.inv_inertia_world(rotation);
    let (mut m, mut locks) = (params.inv_mass, 0.0);
    if !params.locks().is_none() {
        let free = params.locks().free_move();
        m *= free.max_component();
        locks = Vec3::new(1.0, 2.0, 4.0).dot(Vec3::all(1.0) - free);
    }
    let tag = if m == 0.0 && j == Sym3::ZERO { UNMOVED } else { 1.0 + locks };
    [j.xx, j.yy, j.zz, j.xy, j.xz, j.yz, m, tag]
}

/// v and ω with the loads of a sub-step and before its constraints; 6 numbers, padded. As long as a [`Mass`]: where nothing reads those any more, their memory is used.
pub(crate) type Free = [Real; 8];

/// The kicks of awake bodies. Those of neighbours are mostly the same: that of gravity.
pub(crate) type Kicks = Alike<Kick>;

pub(crate) fn velocity_of(motion: &Motion) -> (Vec3, Vec3) {
    (Vec3::new(motion[0], motion[1], motion[2]), Vec3::new(motion[3], motion[4], motion[5]))
}

pub(crate) fn travel_of(motion: &Motion) -> (Vec3, Vec3) {
    (Vec3::new(motion[6], motion[7], motion[8]), Vec3::new(motion[9], motion[10], motion[11]))
}

/// Moves and turns a body besides what its velocities do.
pub(crate) fn shift(motion: &mut Motion, by: Vec3, turn: Vec3) {
    for (place, more) in motion[6..12].iter_mut().zip(by.to_array().into_iter().chain(turn.to_array())) {
        *place += more;
    }
    if turn != Vec3::ZERO && has_rotation(motion) {
        set_rotation(motion, (Quat::from_rotation_vector(turn) * rotation_of(motion)).normalized());
    }
}

pub(crate) fn rotation_of(motion: &Motion) -> Quat {
    Quat::new(motion[12], motion[13], motion[14], motion[15])
}

pub(crate) fn set_rotation(motion: &mut Motion, rotation: Quat) {
    motion[12..].copy_from_slice(&[rotation.x, rotation.y, rotation.z, rotation.w]);
}

/// Joints act on the body, so that its orientation is kept.
pub(crate) fn has_rotation(motion: &Motion) -> bool {
    motion[12..] != [0.0; 4]
}

pub(crate) fn set_velocity(motion: &mut Motion, linear: Vec3, angular: Vec3) {
    motion[..3].copy_from_slice(&linear.to_array());
    motion[3..6].copy_from_slice(&angular.to_array());
}

/// Below this turn per step, in radians, a body in contact feels no gyroscopic torque within the step. Piles are full of such
/// bodies, and [`keep_angular_momentum`] makes up for it at the end.
const SLOW_TURN: Real = 0.02;

/// Above this turn per sub-step, in radians, the torque over a step says nothing about its parts, and would feed energy to
/// a body that hits something.
const FAST_TURN: Real = 2.0;

/// A sub-step that does nothing.
const NO_KICK: Kick = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];

/// The motion of a body at the start of a step to which sub-steps do nothing, with that kick; see [`with_kick`].
#[inline(always)]
pub(crate) fn carried(velocity: &Velocity) -> Motion {
    let (v, w, k) = (velocity.linear, velocity.angular, NO_KICK);
    [v.x, v.y, v.z, w.x, w.y, w.z, k[0], k[1], k[2], k[3], k[4], k[5], k[6], k[7], 0.0, 0.0]
}

/// The motion of an awake body at the start of a step, and what each of `substeps` sub-steps of `h` does to it.
pub(crate) fn prepare(bodies: &Bodies, i: usize, loads: &Loads, h: Real, substeps: u32) -> (Motion, Kick) {
    let (velocity, params) = (&bodies.velocity[i], &bodies.params[i]);
    let mut motion = [0.0; 16];
    set_velocity(&mut motion, velocity.linear, velocity.angular);
    if params.has(Params::KINEMATIC) {
        return (motion, NO_KICK);
    }
    let locks = params.locks();
    let load = params.load(bodies.pushes.get(i));
    let (mut a, mut alpha) = (loads.gravity * params.gravity_scale + load.force * params.inv_mass, Vec3::ZERO);
    if load.torque != Vec3::ZERO {
        alpha = params.inv_inertia_world(bodies.pose[i].rotation) * load.torque;
    }
    a = a.scale(locks.free_move());
    let mut kick = alpha * h;
    if loads.gyroscopic && params.has(Params::SPINS_FREELY) {
        let dt = h * substeps as Real;
        let turn = velocity.angular.length() * dt;
        if turn > SLOW_TURN && turn < FAST_TURN * substeps as Real {
            kick += free_change(bodies, i, bodies.pose[i].rotation, velocity.angular, dt) / substeps as Real;
        }
    }
    let dv = a * h;
    let (dl, da) = (1.0 / (1.0 + h * params.linear_damping), 1.0 / (1.0 + h * params.angular_damping));
    (motion, [dv.x, dv.y, dv.z, dl, kick.x, kick.y, kick.z, da])
}

/// What the gyroscopic torque alone makes of ω in a time.
pub(crate) fn free_change(bodies: &Bodies, i: usize, rotation: Quat, omega: Vec3, dt: Real) -> Vec3 {
    rotation::turning_freely(rotation, omega, bodies.rest[i].carry, &bodies.params[i], dt) - omega
}

/// The turns per step, in radians, between which the angular momentum of a body in contact is worth keeping: below it is that of
/// a body at rest, above the step knows too little of the way.
pub(crate) const KEPT_TURNS: core::ops::Range<Real> = 1e-4..0.5;

/// The angular velocity at the end of a step, or a sub-step, in which a body turned by the rotation vector θ from `start`.
///
/// ```text
///   L = I₀ (ω - Δω_g),     ω ← I₁⁻¹ L = (ω - Δω_g) + D
/// ```
///
/// The constraints have changed ω by I₀⁻¹ Σ r × P, with the inertia of the start; so I₀ ω is the angular momentum but for what the
/// gyroscopic torque, Δω_g, has done to ω meanwhile. What it should have done follows from the inertia at the end.
///
/// Only the difference D is computed, in the principal axes of the start, where L turns by -θ and what comes of it by θ: the
/// rounding of whole products with I would add up to energy.
pub(crate) fn keep_angular_momentum(params: &Params, start: Quat, theta: Vec3, omega: Vec3, gyro: Vec3) -> Vec3 {
    kept(keeps_angular_momentum(params), start * params.axes, params.inv_inertia, theta, omega, gyro)
}

/// [`keep_angular_momentum`] does something for this body.
pub(crate) fn keeps_angular_momentum(params: &Params) -> bool {
    params.has(Params::SPINS_FREELY)
}

/// [`keep_angular_momentum`] in lanes, where the mask is set: with the principal axes in the world, and the reciprocals u of
/// the moments about them.
#[inline(always)]
pub(crate) fn kept<L: Lane>(
    mask: L::Mask,
    axes: Quat<L>,
    u: Vec3<L>,
    theta: Vec3<L>,
    omega: Vec3<L>,
    gyro: Vec3<L>,
) -> Vec3<L> {
    let angle = theta.length();
    let mask = mask & angle.greater_eq(L::splat(KEPT_TURNS.start)) & angle.less(L::splat(KEPT_TURNS.end));
    if !mask.any() {
        return omega;
    }
    // (sin θ)/θ and (1 - cos θ)/θ², to 1e-7 in the range.
    let (a2, one) = (angle * angle, L::ONE);
    let (s6, s20, s42) = (L::splat(1.0 / 6.0), L::splat(1.0 / 20.0), L::splat(1.0 / 42.0));
    let (c24, c30, c56) = (L::splat(1.0 / 24.0), L::splat(1.0 / 30.0), L::splat(1.0 / 56.0));
    let sin = one - a2 * s6 * (one - a2 * s20 * (one - a2 * s42));
    let cos = L::splat(0.5) - a2 * c24 * (one - a2 * c30 * (one - a2 * c56));
    let (theta, before) = (axes.unrotate(theta), omega - gyro);
    let w = axes.unrotate(before);
    let turns = Vec3::select(mask, u, Vec3::new(one, one, one));
    let moments = Vec3::new(one / turns.x, one / turns.y, one / turns.z);
    let moved = turned(theta, w.scale(moments), -sin, cos).scale(turns);
    let new = before + axes.rotate(moved + turned(theta, w + moved, sin, cos));
    Vec3::select(mask, new, omega)
}

/// v turned by θ, less v, with the sine and the cosine of the angle as in [`kept`].
#[inline(always)]
fn turned<L: Lane>(theta: Vec3<L>, v: Vec3<L>, sin: L, cos: L) -> Vec3<L> {
    let across = theta.cross(v);
    across * sin + theta.cross(across) * cos
}

/// What the gyroscopic torque alone does to ω in a sub-step of `h`: the kick without that of the `torque` of the loads.
pub(crate) fn gyroscopic_kick(kick: &Kick, params: &Params, torque: Vec3, start: Quat, h: Real) -> Vec3 {
    let all = Vec3::new(kick[4], kick[5], kick[6]);
    if torque == Vec3::ZERO { all } else { all - params.inv_inertia_world(start) * torque * h }
}

/// The motion at the start of a step, with the kick in the places of its way and the first two of its orientation, which are zeros then: so one pass over the
/// bodies makes both, in any order, and [`take_kick`] takes it out again where it is put on its list.
pub(crate) fn with_kick(mut motion: Motion, kick: &Kick) -> Motion {
    motion[WAY..WAY + 8].copy_from_slice(kick);
    motion
}

pub(crate) fn take_kick(motion: &mut Motion) -> Kick {
    let (mut kick, way) = ([0.0; 8], &mut motion[WAY..WAY + 8]);
    kick.copy_from_slice(way);
    way.fill(0.0);
    kick
}

/// The first column of Δx in a [`Motion`].
const WAY: usize = 6;

/// All numbers that the step starts from are finite.
#[inline(always)]
pub(crate) fn is_finite(motion: &Motion, kick: &Kick) -> bool {
    // A sum is finite only if all parts are; one that overflows is as bad.
    let sum = motion[..6].iter().chain(kick).fold(0.0, |s, &x| s + x);
    sum.is_finite()
}

/// v ← (v + Δv) d
#[inline(always)]
pub(crate) fn kick(motion: &mut Motion, k: &Kick) {
    for c in 0..3 {
        motion[c] = (motion[c] + k[c]) * k[3];
        motion[3 + c] = (motion[3 + c] + k[4 + c]) * k[7];
    }
}

/// Bodies that a thread takes at a time.
const SHARE: usize = 256;

/// Calls `act` for the motions and the free velocities of the bodies of a list, in which each stands once. Shared among the team.
fn for_listed(
    motions: &mut [Motion],
    free: &mut [Free],
    list: &[u32],
    team: &Team,
    act: impl Fn(usize, &mut Motion, &mut Free) + Sync,
) {
    debug_assert!(list.is_sorted_by(|a, b| a < b));
    let (motions, free) = (Shared::new(motions), Shared::new(free));
    team.for_ranges(list.len(), SHARE, |range| {
        for &i in &list[range] {
            // SAFETY: a body stands once in the list, and each place of the list is in one range.
            let (motion, free) = unsafe { (motions.get(i as usize), free.get(i as usize)) };
            act(i as usize, motion, free);
        }
    });
}

/// v ← (v + Δv) d for the bodies of the list, remembered as their free velocities. One pass over them.
pub(crate) fn accelerate(motions: &mut [Motion], kicks: &Kicks, free: &mut [Free], list: &[u32], team: &Team) {
    for_listed(motions, free, list, team, |i, motion, free| {
        kick(motion, &kicks[i]);
        free[..6].copy_from_slice(&motion[..6]);
    });
}

/// The same, and the impulses of the last sub-step once more: all that changed the velocities since they were free.
///
/// Arms and normals stay during a step, so that what the constraints did to a body in one sub-step, v_end - v_free = M⁻¹ Σ Jᵀ λ,
/// is what their impulses do to it in the next one: a warm start without a pass over the constraints. One pass over the bodies.
///
/// Bodies on which joints alone act are left free: joints turn with the bodies and make a pass of their own, and by that from the
/// impulses themselves, without the rounding of all passes of the last sub-step. Where there are no joints there may be no `masses`.
pub(crate) fn accelerate_again(
    motions: &mut [Motion],
    kicks: &Kicks,
    free: &mut [Free],
    masses: &[Mass],
    list: &[u32],
    team: &Team,
) {
    let jointed = !masses.is_empty();
    for_listed(motions, free, list, team, |i, motion, free| {
        let again = if jointed && is_jointed_only(&masses[i]) { 0.0 } else { 1.0 };
        let k = &kicks[i];
        for c in 0..3 {
            let (dv, dw) = (motion[c] - free[c], motion[3 + c] - free[3 + c]);
            free[c] = (motion[c] + k[c]) * k[3];
            free[3 + c] = (motion[3 + c] + k[4 + c]) * k[7];
            motion[c] = free[c] + dv * again;
            motion[3 + c] = free[3 + c] + dw * again;
        }
    });
}

/// Δx ← Δx + h v, Δθ ← Δθ + h ω for the bodies of the list. One pass over them.
pub(crate) fn advance(motions: &mut [Motion], list: &[u32], h: Real, team: &Team) {
    debug_assert!(list.is_sorted_by(|a, b| a < b));
    let motions = Shared::new(motions);
    team.for_ranges(list.len(), SHARE, |range| {
        for &i in &list[range] {
            // SAFETY: as in `for_listed`.
            let motion = unsafe { motions.get(i as usize) };
            for c in 0..6 {
                motion[6 + c] += h * motion[c];
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A kick comes out of the motion that carries it as it was put in, and leaves the motion of the start of a step behind.
    #[test]
    fn a_kick_is_carried_by_its_motion() {
        let mut start: Motion = [0.0; 16];
        start[..6].copy_from_slice(&[1.0, -2.0, 3.0, 4.0, -5.0, 6.0]);
        let kick = [0.5, 1.5, -2.5, 0.9, 7.0, -8.0, 9.0, 0.8];
        let mut motion = with_kick(start, &kick);
        assert_eq!((take_kick(&mut motion), motion), (kick, start));
    }

    /// Whatever axes are locked, whether or not joints alone act, and whether or not a web holds the body, the tag tells all apart.
    #[test]
    fn tags_tell_locks_and_joints() {
        for locks in 0..8u8 {
            let mut mass: Mass = [0.0; 8];
            (mass[INV_MASS], mass[TAG]) = (2.0, 1.0 + Real::from(locks));
            let free = |axis: u8| if locks >> axis & 1 != 0 { 0.0 } else { 2.0 };
            for only in [false, true, true, false] {
                set_jointed_only(&mut mass, only);
                assert_eq!(inv_mass_of(&mass), Vec3::new(free(0), free(1), free(2)));
                assert_eq!((is_movable(&mass), is_jointed_only(&mass), is_locked(&mass)), (true, only, locks != 0));
                let mut held = mass;
                (0..2).for_each(|_| set_held(&mut held));
                assert!(is_held(&held) && !is_held(&mass));
                assert_eq!(inv_mass_of(&held), inv_mass_of(&mass));
                assert_eq!((is_movable(&held), is_jointed_only(&held), is_locked(&held)), (true, only, locks != 0));
            }
        }
        let mut nothing: Mass = [0.0; 8];
        assert!(!is_movable(&nothing) && !is_jointed_only(&nothing) && !is_locked(&nothing));
        set_jointed_only(&mut nothing, true);
        assert!(!is_movable(&nothing) && is_jointed_only(&nothing) && !is_locked(&nothing));
        assert_eq!(inv_mass_of(&nothing), Vec3::ZERO);
    }
}
