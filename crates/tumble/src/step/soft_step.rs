//! Soft step: sub-stepped soft constraints with relaxation, the default method.
//!
//! ```text
//!   detect      pairs of boxes, manifolds                               once
//!   prepare     bodies into motions, manifolds into wide constraints    once
//!   repeat for each sub-step h = dt / n:
//!     v ← v + h a, and the impulses of the last sub-step once more      1 pass over bodies
//!     (in the first: the impulses of the last step                      1 pass over constraints)
//!     solve with push                                                   1 pass over constraints (2 in the first)
//!     x ← x + h v                                                       1 pass over bodies
//!     solve without push: relax                                         1 pass over constraints
//!   restitution, where something bounces                                1 pass over constraints
//!   store impulses, write poses back, boxes, sleep                      1 pass each
//! ```
//!
//! With n sub-steps: 2n + 2 passes over bodies, 2n + 5 over constraints. Bodies that nothing touches take no part in the
//! sub-steps: they fly their parabola exactly.
//!
//! Catto, "Solver2D" (2024); Macklin et al., "Small Steps in Physics Simulation" (2019).

use super::finish::{self, Before};
use super::{impacts, loads};
use crate::body::store::{Params, Velocity, limited};
use crate::detect::contacts;
use crate::integrate::{Loads, flight};
use crate::interact::sleep;
use crate::math::{Float, Quat, Real, Vec3};
use crate::method::SoftStep;
use crate::profile::{Profile, Stage, Stopwatch};
use crate::solve::contact_constraint::{ContactConstraints, Soft};
use crate::solve::contact_kernel::{Pass, Restitution, Rules, Solve, WarmStart};
use crate::solve::contact_prepare::{self, Input, Recipe};
use crate::solve::motion::{self, Motion};
use crate::solve::rolling;
use crate::world::{Scratch, State};

/// Advances the world by `dt`.
pub(crate) fn step(state: &mut State, scratch: &mut Scratch, profile: &mut Profile, method: &SoftStep, dt: Real) {
    let mut watch = Stopwatch::start();
    contacts::find_pairs(state, &mut scratch.detector);
    profile.add(Stage::Broad, watch.lap());
    contacts::update(state, &mut scratch.detector, profile);
    profile.add(Stage::Narrow, watch.lap());
    profile.awake_bodies = state.bodies.awake() as u32;

    let h = dt / method.substeps as Real;
    let loads = loads(state);
    prepare(state, scratch, method, &loads, h);
    profile.add(Stage::Prepare, watch.lap());
    solve(state, scratch, method, h);
    contact_prepare::store(&scratch.constraints, &mut state.contacts);
    if scratch.detector.any_impacts {
        impacts::find(state, &scratch.constraints, &mut scratch.hits);
        impacts::report(state, &mut scratch.hits);
    }
    profile.add(Stage::Solve, watch.lap());
    write_back(state, scratch, &loads, dt);
    profile.add(Stage::Finish, watch.lap());
    if state.method.switches.sleep {
        profile.islands = sleep::update(state, &mut scratch.sleeper, &scratch.supports);
    }
    profile.add(Stage::Sleep, watch.lap());
}

/// Bodies into motions, manifolds into wide constraints.
fn prepare(state: &State, scratch: &mut Scratch, method: &SoftStep, loads: &Loads, h: Real) {
    let bodies = &state.bodies;
    let awake = bodies.awake();
    scratch.motions.clear();
    scratch.kicks.clear();
    scratch.masses.clear();
    scratch.supports.clear();
    scratch.supports.resize(awake, 0);
    for i in 0..awake {
        let (motion, kick) = motion::prepare(bodies, i, loads, h, method.substeps);
        scratch.motions.push(motion);
        scratch.kicks.push(kick);
        scratch.masses.push(motion::mass(bodies, i));
    }
    let rate = 1.0 / h;
    let contact = Soft::new(method.contact_stiffness * rate, method.contact_damping, h);
    let fixed = Soft::new(2.0 * method.contact_stiffness * rate, method.contact_damping, h);
    let recipe = Recipe { soft: contact, soft_fixed: fixed, warm_start: state.method.switches.warm_start, h };
    let input = Input { contacts: &state.contacts, motions: &scratch.motions, masses: &scratch.masses };
    contact_prepare::prepare(
        &mut scratch.constraints,
        &state.graph,
        bodies,
        &mut scratch.supports,
        input,
        &recipe,
        state.isa,
    );
    scratch.free.resize(awake, [0.0; 8]);
    scratch.solved.clear();
    scratch.solved.extend((0..awake as u32).filter(|&i| scratch.supports[i as usize] > 0));
}

/// Passes of one sub-step that push, and passes that relax. The first sub-step of a step pushes twice: its contacts have just
/// been found anew, and where they are new they know nothing yet of the load that they are to carry.
fn passes(substep: u32) -> (u32, u32) {
    if substep == 0 { (2, 1) } else { (1, 1) }
}

fn solve(state: &State, scratch: &mut Scratch, method: &SoftStep, h: Real) {
    let Scratch { motions, kicks, free, solved, constraints, .. } = scratch;
    let tolerances = &state.method.tolerances;
    let speed = tolerances.speed(state.gravity_strength());
    let (slop, push_speed) = (tolerances.slop * tolerances.length, tolerances.push_speed * speed);
    let isa = state.isa;
    let rules = |push: bool| Rules { push, inv_h: 1.0 / h, slop, push_speed };
    for substep in 0..method.substeps {
        if substep == 0 {
            motion::accelerate(motions, kicks, free, solved);
            sweep(constraints, motions, |pass| isa.dispatch(WarmStart(pass)), rolling::warm_start);
        } else {
            motion::accelerate_again(motions, kicks, free, solved);
        }
        let (pushes, relaxes) = passes(substep);
        for _ in 0..pushes {
            sweep(constraints, motions, |pass| isa.dispatch(Solve { pass, rules: rules(true) }), rolling::solve);
        }
        motion::advance(motions, solved, h);
        for _ in 0..relaxes {
            sweep(constraints, motions, |pass| isa.dispatch(Solve { pass, rules: rules(false) }), rolling::solve);
        }
    }
    if constraints.bounces {
        let threshold = tolerances.restitution_speed * speed;
        sweep(constraints, motions, |pass| isa.dispatch(Restitution { pass, threshold }), |_, _, _| ());
    }
}

/// One pass over all constraints: colour after colour, in each first the contacts, then their rolling friction.
fn sweep(
    constraints: &mut ContactConstraints,
    motions: &mut [Motion],
    contacts: impl Fn(Pass<'_>),
    rolling: impl Fn(&mut ContactConstraints, usize, &mut [Motion]),
) {
    for c in 0..constraints.ranges.len() - 1 {
        let range = constraints.ranges[c] as usize..constraints.ranges[c + 1] as usize;
        if range.is_empty() {
            continue;
        }
        contacts(Pass {
            groups: &mut constraints.groups[range],
            points: &mut constraints.points,
            blocks: &constraints.blocks,
            watches: &mut constraints.watches,
            motions,
        });
        rolling(constraints, c, motions);
    }
}

/// Writes velocities and poses back, lets the others fly, and tells the broad phase.
fn write_back(state: &mut State, scratch: &mut Scratch, loads: &Loads, dt: Real) {
    let idle_speed = finish::idle_speed(state);
    for i in 0..state.bodies.awake() {
        let params = state.bodies.params[i];
        let before = Before { pose: state.bodies.pose[i], velocity: state.bodies.velocity[i] };
        let (pose, velocity, rest) =
            (&mut state.bodies.pose[i], &mut state.bodies.velocity[i], &mut state.bodies.rest[i]);
        if scratch.supports[i] == 0 && !params.has(Params::KINEMATIC) {
            flight::advance(pose, velocity, rest, &params, loads, dt);
        } else if params.has(Params::KINEMATIC) {
            pose.centre += velocity.linear.to_f64() * dt.to_f64();
            pose.rotation = pose.rotation.advanced(velocity.angular, dt);
        } else {
            let motion = &scratch.motions[i];
            let (linear, angular) = motion::velocity_of(motion);
            let (dx, turn) = motion::travel_of(motion);
            *velocity = Velocity {
                linear: limited(linear, params.max_linear_speed),
                angular: limited(angular, params.max_angular_speed),
            };
            pose.centre += dx.to_f64();
            if turn != Vec3::ZERO {
                pose.rotation = (Quat::from_rotation_vector(turn) * pose.rotation).normalized();
            }
            rest.carry = Vec3::ZERO;
        }
        if !finish::take_stock(&mut state.bodies, i, &before, idle_speed, dt) {
            scratch.broken.push(state.bodies.slot[i]);
        }
    }
    finish::conclude(state, &mut scratch.broken);
}
