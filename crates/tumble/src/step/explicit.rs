//! The explicit step (003-91): detect, solve, advance.

use super::loads;
use crate::body::store::Velocity;
use crate::integrate::{explicit_euler, semi_implicit_euler};
use crate::math::Real;
use crate::method::Integrate;
use crate::profile::{Profile, Stage, Stopwatch};
use crate::world::State;

/// Advances all awake bodies by `dt`.
pub(crate) fn step(state: &mut State, profile: &mut Profile, dt: Real) {
    let mut watch = Stopwatch::start();
    let loads = loads(state);
    let before: Vec<Velocity> = state.bodies.velocity[..state.bodies.awake()].to_vec();
    match state.method.integrate {
        Integrate::SemiImplicitEuler => semi_implicit_euler::advance(&mut state.bodies, &loads, dt),
        Integrate::ExplicitEuler => explicit_euler::advance(&mut state.bodies, &loads, dt),
    }
    for (i, old) in before.iter().enumerate() {
        let new = &state.bodies.velocity[i];
        let rest = &mut state.bodies.rest[i];
        rest.linear_acceleration = (new.linear - old.linear) / dt;
        rest.angular_acceleration = (new.angular - old.angular) / dt;
    }
    profile.add(Stage::Solve, watch.lap());
    // Nothing here needs the boxes, but queries between steps do.
    for i in 0..state.bodies.awake() {
        let slot = state.bodies.slot[i];
        state.move_proxies(slot);
    }
    profile.add(Stage::Finish, watch.lap());
}
