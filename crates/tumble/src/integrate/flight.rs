//! Free flight: bodies that nothing touches.
//!
//! Under a constant acceleration the parabola p + ½ (v + v') dt is exact, and a body that no torque acts on turns as
//! `rotation` says; so flight has no error that depends on the step. One pass over the bodies.

use super::{Loads, accelerated, rotation};
use crate::body::store::{CentrePose, Params, Rest, Velocity, limited};
use crate::math::spatial::Wrench;
use crate::math::{Float, Real};

/// Advances one body by `dt`.
#[inline]
pub(crate) fn advance(
    pose: &mut CentrePose,
    velocity: &mut Velocity,
    rest: &mut Rest,
    params: &Params,
    load: Wrench,
    loads: &Loads,
    dt: Real,
) {
    let old = *velocity;
    *velocity = accelerated(old, params, load, pose.rotation, loads, dt);
    let mean = (old.linear + velocity.linear) * 0.5;
    pose.centre += mean.to_f64() * dt.to_f64();
    turn(pose, velocity, rest, params, loads, dt);
}

/// Turns one body by `dt` at its angular velocity, which changes with the orientation where the moments differ.
#[inline]
pub(crate) fn turn(
    pose: &mut CentrePose,
    velocity: &mut Velocity,
    rest: &mut Rest,
    params: &Params,
    loads: &Loads,
    dt: Real,
) {
    if velocity.angular == crate::math::Vec3::ZERO {
        return;
    }
    if loads.gyroscopic && params.has(Params::SPINS_FREELY) {
        rotation::turn_freely(&mut pose.rotation, velocity, rest, params, dt);
        // Without torque the angular speed swings; a limit holds all the same.
        let slowed = limited(velocity.angular, params.max_angular_speed);
        if slowed != velocity.angular {
            velocity.angular = slowed;
            rest.carry = crate::math::Vec3::ZERO;
        }
    } else {
        pose.rotation = pose.rotation.advanced(velocity.angular, dt);
    }
}
