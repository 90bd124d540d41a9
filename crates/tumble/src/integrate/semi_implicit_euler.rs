//! Semi-implicit (symplectic) Euler: v' = v + dt a, then p' = p + dt v' (002-20, 003-66).
//!
//! First order; the energy of an oscillator swings about its true value and does not drift. One pass over the
//! bodies.

use super::{Loads, accelerated, flight};
use crate::body::store::Bodies;
use crate::math::{Float, Real};

/// Advances these awake bodies by `dt`.
pub(crate) fn advance(bodies: &mut Bodies, list: &[u32], loads: &Loads, dt: Real) {
    for i in list.iter().map(|&i| i as usize) {
        let load = bodies.load_on(i);
        let (pose, velocity) = (&mut bodies.pose[i], &mut bodies.velocity[i]);
        *velocity = accelerated(*velocity, &bodies.params[i], load, pose.rotation, loads, dt);
        pose.centre += velocity.linear.to_f64() * dt.to_f64();
        flight::turn(pose, velocity, &mut bodies.rest[i], &bodies.params[i], loads, dt);
    }
}
