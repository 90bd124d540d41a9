//! The explicit step (003-91): detect, solve, advance.

use super::loads;
use crate::body::store::{CentrePose, Velocity};
use crate::integrate::{explicit_euler, semi_implicit_euler};
use crate::math::{Real, Vec3};
use crate::method::Integrate;
use crate::profile::{Profile, Stage, Stopwatch};
use crate::world::State;

/// Advances all awake bodies by `dt`.
pub(crate) fn step(state: &mut State, profile: &mut Profile, dt: Real) {
    let mut watch = Stopwatch::start();
    let loads = loads(state);
    let awake = state.bodies.awake();
    let before: Vec<(CentrePose, Velocity)> =
        (0..awake).map(|i| (state.bodies.pose[i], state.bodies.velocity[i])).collect();
    match state.method.integrate {
        Integrate::SemiImplicitEuler => semi_implicit_euler::advance(&mut state.bodies, &loads, dt),
        Integrate::ExplicitEuler => explicit_euler::advance(&mut state.bodies, &loads, dt),
    }
    let mut broken = Vec::new();
    for (i, (pose, old)) in before.into_iter().enumerate() {
        let bodies = &mut state.bodies;
        let new = bodies.velocity[i];
        if !(bodies.pose[i].is_finite() && new.is_finite()) {
            bodies.pose[i] = pose;
            bodies.velocity[i] = Velocity::default();
            bodies.rest[i].carry = Vec3::ZERO;
            broken.push(bodies.slot[i]);
            continue;
        }
        let rest = &mut bodies.rest[i];
        rest.linear_acceleration = (new.linear - old.linear) / dt;
        rest.angular_acceleration = (new.angular - old.angular) / dt;
    }
    for slot in broken {
        state.quarantine(slot);
    }
    for i in 0..state.bodies.awake() {
        state.move_proxies(state.bodies.slot[i]);
    }
    profile.add(Stage::Solve, watch.lap());
    // Nothing here needs the boxes, but queries between steps do.
    for i in 0..state.bodies.awake() {
        let slot = state.bodies.slot[i];
        state.move_proxies(slot);
    }
    profile.add(Stage::Finish, watch.lap());
}
