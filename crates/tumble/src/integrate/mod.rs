//! Integrators: one file each. Each is called once per step on the arrays of all awake bodies.

pub(crate) mod explicit_euler;
pub(crate) mod flight;
pub(crate) mod rotation;
pub(crate) mod semi_implicit_euler;

use crate::body::store::{Params, Velocity, limited};
use crate::math::spatial::Wrench;
use crate::math::{Real, Vec3};

/// What acts on all bodies alike.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Loads {
    pub gravity: Vec3,
    /// Whether the gyroscopic torque acts.
    pub gyroscopic: bool,
}

/// v and ω after `dt` under gravity, the `load` of user and effects, damping, locks and limits.
///
/// Damping is implicit, v' = (v + dt a) / (1 + dt c): it never turns a velocity round, whatever c and dt.
#[inline(always)]
pub(crate) fn accelerated(
    velocity: Velocity,
    params: &Params,
    load: Wrench,
    rotation: crate::math::Quat,
    loads: &Loads,
    dt: Real,
) -> Velocity {
    let linear = accelerated_along(velocity.linear, params, load.force, loads, dt);
    if params.has(Params::KINEMATIC) {
        return velocity;
    }
    let mut angular = velocity.angular;
    if load.torque != Vec3::ZERO {
        angular += params.inv_inertia_world(rotation) * load.torque * dt;
    }
    angular /= 1.0 + dt * params.angular_damping;
    let locks = params.locks();
    if !locks.is_none() {
        angular = angular.scale(locks.free_turn());
    }
    Velocity { linear, angular: limited(angular, params.max_angular_speed) }
}

/// The velocity of its centre alone.
#[inline(always)]
pub(crate) fn accelerated_along(velocity: Vec3, params: &Params, force: Vec3, loads: &Loads, dt: Real) -> Vec3 {
    if params.has(Params::KINEMATIC) {
        return velocity;
    }
    let a = loads.gravity * params.gravity_scale + force * params.inv_mass;
    let mut linear = velocity.add_scaled(a, dt) / (1.0 + dt * params.linear_damping);
    let locks = params.locks();
    if !locks.is_none() {
        linear = linear.scale(locks.free_move());
    }
    limited(linear, params.max_linear_speed)
}
