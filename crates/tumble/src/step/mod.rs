//! Time-step methods: the order in which everything is called.

pub(crate) mod adrift;
pub(crate) mod bounce_cap;
mod explicit;
pub(crate) mod finish;
pub(crate) mod impacts;
#[cfg(test)]
mod small;
mod soft_step;

use crate::body::BodyKind;
use crate::body::store::{Cold, Params, Velocity};
use crate::crew::Team;
use crate::force::{self, Moment};
use crate::integrate::Loads;
use crate::math::{Float, Real};
use crate::method::Step;
use crate::profile::{Profile, Stage, Stopwatch};
use crate::validate;
use crate::world::{Scratch, State};

/// Advances the world by `dt`.
pub(crate) fn step(state: &mut State, scratch: &mut Scratch, team: &Team, profile: &mut Profile, dt: Real) {
    let mut watch = Stopwatch::start();
    *profile = Profile::default();
    core::mem::swap(&mut state.events, &mut state.pending);
    state.pending.clear();

    state.turn_effects(dt);
    aim_kinematic_bodies(state, dt);
    profile.awake_bodies = state.bodies.awake() as u32;
    match state.method.step.clone() {
        Step::SoftStep(method) => soft_step::step(state, scratch, team, profile, &method, dt, &mut watch),
        Step::Explicit(method) => explicit::step(state, scratch, team, profile, &method, dt, &mut watch),
    }
    state.bodies.once.clear();
    land_kinematic_bodies(state, dt);
    profile.add(Stage::Finish, watch.lap());

    validate::validate(state);
    profile.add(Stage::Validate, watch.lap());

    state.time += dt.to_f64();
    state.steps += 1;
    // What the step itself removed or woke belongs to this step.
    if state.events.is_empty() {
        core::mem::swap(&mut state.events, &mut state.pending);
    } else {
        state.events.append(&mut state.pending);
    }
    profile.total = watch.total();
}

/// What acts on all bodies alike.
pub(crate) fn loads(state: &State) -> Loads {
    Loads { gravity: state.gravity, gyroscopic: state.method.switches.gyroscopic }
}

/// Asks the force effects what they do to the awake bodies, `lead` seconds ahead of where these are; forces of this step alone come
/// along. Where nothing is awake, or nothing acts, that is nothing.
pub(crate) fn push_bodies(state: &mut State, scratch: &mut Scratch, profile: &mut Profile, lead: Real, dt: Real) {
    if state.bodies.awake() == 0 || (state.effects.all.len() == 0 && state.bodies.once.is_empty()) {
        return;
    }
    let mut pushes = core::mem::take(&mut state.bodies.pushes);
    let moment = Moment { pose: &state.bodies.pose, velocity: &state.bodies.velocity, lead, dt };
    profile.pushes += force::evaluate(state, &moment, &mut scratch.members, &mut pushes);
    state.bodies.pushes = pushes;
}

/// The same once more, where detection has woken somebody meanwhile.
pub(crate) fn push_woken(state: &mut State, scratch: &mut Scratch, profile: &mut Profile, lead: Real, dt: Real) {
    if state.bodies.awake() != state.bodies.pushes.len() {
        push_bodies(state, scratch, profile, lead, dt);
    }
}

/// Gives kinematic bodies with a target the velocity that takes them there in `dt`.
fn aim_kinematic_bodies(state: &mut State, dt: Real) {
    let bodies = &mut state.bodies;
    for i in 0..bodies.awake() {
        if !bodies.params[i].has(Params::KINEMATIC) {
            continue;
        }
        let Some(target) = bodies.cold.at(bodies.slot[i]).and_then(Cold::target) else { continue };
        bodies.velocity[i] = Velocity::towards(&target, &bodies.pose[i], bodies.params[i].local_centre, dt);
    }
}

/// Puts kinematic bodies exactly on their targets, where they look around in the next step, and lets those stand that have done so.
fn land_kinematic_bodies(state: &mut State, dt: Real) {
    // Backwards: standing bodies leave the awake ones by a swap with the last.
    for i in (0..state.bodies.awake()).rev() {
        if !state.bodies.params[i].has(Params::KINEMATIC) {
            continue;
        }
        let slot = state.bodies.slot[i];
        let Some(cold) = state.bodies.cold.at_mut(slot) else { continue };
        debug_assert_eq!(cold.kind, BodyKind::Kinematic);
        let Some(target) = cold.target() else {
            if state.bodies.velocity[i] == Velocity::default() {
                cold.looks = false;
                state.settle(slot);
                state.rest_contacts(slot);
            }
            continue;
        };
        cold.set_target(None);
        cold.looks = true;
        let pose = &mut state.bodies.pose[i];
        pose.rotation = target.rotation;
        pose.centre = target.translation + target.rotation.rotate(state.bodies.params[i].local_centre).to_f64();
        let last = core::mem::take(&mut state.bodies.velocity[i]);
        state.move_proxies(slot, last.linear * dt, false);
    }
}
