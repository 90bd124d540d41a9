//! Explicit Euler: p' = p + dt v, then v' = v + dt a (003-65).
//!
//! First order; gains energy in every oscillation. For comparison with the others. One pass over the bodies.

use super::{Loads, accelerated};
use crate::body::store::Bodies;
use crate::math::{Float, Real};

/// Advances these awake bodies by `dt`. The gyroscopic torque is left out: with it, explicit Euler gains angular momentum
/// without bound.
pub(crate) fn advance(bodies: &mut Bodies, list: &[u32], loads: &Loads, dt: Real) {
    for i in list.iter().map(|&i| i as usize) {
        let load = bodies.load_on(i);
        let (pose, velocity) = (&mut bodies.pose[i], &mut bodies.velocity[i]);
        let old = *velocity;
        *velocity = accelerated(old, &bodies.params[i], load, pose.rotation, loads, dt);
        pose.centre += old.linear.to_f64() * dt.to_f64();
        pose.rotation = pose.rotation.advanced(old.angular, dt);
    }
}
