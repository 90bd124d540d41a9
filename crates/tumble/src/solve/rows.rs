//! The bodies as the soft-step solver sees them: one cache line each.

use crate::body::store::{Bodies, Params};
use crate::integrate::{Loads, rotation};
use crate::math::{Real, Vec3};

/// v, ω, and the motion since the start of the step: Δx and Δθ. 12 numbers, padded to a power of two.
pub(crate) type Row = [Real; 16];

/// What a sub-step does to a body by itself: Δv, the factor of damping, Δω, the factor of damping.
pub(crate) type Kick = [Real; 8];

pub(crate) fn velocity_of(row: &Row) -> (Vec3, Vec3) {
    (Vec3::new(row[0], row[1], row[2]), Vec3::new(row[3], row[4], row[5]))
}

pub(crate) fn motion_of(row: &Row) -> (Vec3, Vec3) {
    (Vec3::new(row[6], row[7], row[8]), Vec3::new(row[9], row[10], row[11]))
}

pub(crate) fn set_velocity(row: &mut Row, linear: Vec3, angular: Vec3) {
    row[..3].copy_from_slice(&linear.to_array());
    row[3..6].copy_from_slice(&angular.to_array());
}

/// Below this turn per step, in radians, a body in contact feels no gyroscopic torque: piles are full of such bodies.
const SLOW_TURN: Real = 0.02;

/// The row of an awake body at the start of a step, and what each of `substeps` sub-steps of `h` does to it.
pub(crate) fn prepare(bodies: &Bodies, i: usize, loads: &Loads, h: Real, substeps: u32) -> (Row, Kick) {
    let (velocity, params) = (&bodies.velocity[i], &bodies.params[i]);
    let mut row = [0.0; 16];
    set_velocity(&mut row, velocity.linear, velocity.angular);
    if params.has(Params::KINEMATIC) {
        return (row, [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
    }
    let locks = params.locks();
    let (mut a, mut alpha) = (loads.gravity * params.gravity_scale + params.force * params.inv_mass, Vec3::ZERO);
    if params.torque != Vec3::ZERO {
        alpha = params.inv_inertia_world(bodies.pose[i].rotation) * params.torque;
    }
    a = a.scale(locks.free_move());
    let mut kick = alpha * h;
    if loads.gyroscopic && params.has(Params::SPINS_FREELY) {
        let dt = h * substeps as Real;
        if velocity.angular.length() * dt > SLOW_TURN {
            let (mut q, mut v, mut rest) = (bodies.pose[i].rotation, *velocity, bodies.rest[i]);
            rotation::turn_freely(&mut q, &mut v, &mut rest, params, dt);
            kick += (v.angular - velocity.angular) / substeps as Real;
        }
    }
    let dv = a * h;
    let (dl, da) = (1.0 / (1.0 + h * params.linear_damping), 1.0 / (1.0 + h * params.angular_damping));
    (row, [dv.x, dv.y, dv.z, dl, kick.x, kick.y, kick.z, da])
}

/// v ← (v + Δv) d for the bodies of the list. One pass over them.
pub(crate) fn accelerate(rows: &mut [Row], kicks: &[Kick], list: &[u32]) {
    for &i in list {
        let (row, k) = (&mut rows[i as usize], &kicks[i as usize]);
        for c in 0..3 {
            row[c] = (row[c] + k[c]) * k[3];
            row[3 + c] = (row[3 + c] + k[4 + c]) * k[7];
        }
    }
}

/// Δx ← Δx + h v, Δθ ← Δθ + h ω for the bodies of the list. One pass over them.
pub(crate) fn advance(rows: &mut [Row], list: &[u32], h: Real) {
    for &i in list {
        let row = &mut rows[i as usize];
        for c in 0..6 {
            row[6 + c] += h * row[c];
        }
    }
}
