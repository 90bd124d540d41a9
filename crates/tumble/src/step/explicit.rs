//! The explicit step (003-91): detect, solve, advance.
//!
//! ```text
//!   effects     forces where the bodies are                             1 pass over each set
//!   detect      pairs of boxes, manifolds                               once
//!   prepare     bodies and constraints into one system                  1 pass over bodies, 1 over constraints
//!   solve       by the solver of the method                             see there
//!   advance     x ← x + h u, by the integrator of the method            1 pass over bodies
//!   boxes, sleep                                                        1 pass each
//! ```
//!
//! Without a solver, all but the advancing is left out: motion under forces alone.

use super::finish::{self, Before};
use super::{impacts, loads, push_bodies, push_woken};
use crate::body::store::{Bodies, Params, Velocity};
use crate::crew::Team;
use crate::detect::{contacts, continuous};
use crate::integrate::{explicit_euler, semi_implicit_euler};
use crate::interact::sleep;
use crate::math::Real;
use crate::method::{Explicit, Integrate, Solver};
use crate::profile::{Profile, Stage, Stopwatch};
use crate::solve::simultaneous;
use crate::world::{Scratch, State};
use core::mem::take;

/// Advances all awake bodies by `dt`.
pub(crate) fn step(
    state: &mut State,
    scratch: &mut Scratch,
    team: &Team,
    profile: &mut Profile,
    method: &Explicit,
    dt: Real,
    watch: &mut Stopwatch,
) {
    let loads = loads(state);
    push_bodies(state, scratch, profile, 0.0, dt);
    let solves = method.solve != Solver::None;
    continuous::look_out(state, &mut scratch.detector.ahead, solves, loads, team, dt);
    if solves {
        contacts::find_pairs(state, &mut scratch.detector, team);
        profile.add(Stage::Broad, watch.lap());
        contacts::update(state, &mut scratch.detector, team, profile);
        profile.add(Stage::Narrow, watch.lap());
        profile.awake_bodies = state.bodies.awake() as u32;
        push_woken(state, scratch, profile, 0.0, dt);
    } else {
        // Nobody looks for pairs, which would bring the trees into order for queries as well.
        state.broad.order_trees();
    }
    let Scratch {
        simultaneous: work, trees, detector, supports, solved, flying, before, hits, broken, bounce_cap, ..
    } = scratch;
    let ahead = &mut detector.ahead;
    let awake = state.bodies.awake();
    supports.clear();
    supports.resize(awake, 0);
    before.clear();
    before.extend((0..awake).map(|i| Before { pose: state.bodies.pose[i], velocity: state.bodies.velocity[i] }));
    solved.clear();
    flying.clear();

    let explicit = state.method.integrate == Integrate::ExplicitEuler;
    trees.take_and_set_up(state, &loads);
    match &method.solve {
        Solver::None => {
            let params = &state.bodies.params;
            flying.extend((0..awake as u32).filter(|&i| !params[i as usize].has(Params::LINK)));
            if !trees.is_empty() {
                simultaneous::fly_trees(work, trees, explicit, dt);
            }
        }
        Solver::Simultaneous(solver) => {
            simultaneous::prepare(work, trees, state, supports, ahead, method, &loads, dt);
            profile.add(Stage::Prepare, watch.lap());
            hits.clear();
            simultaneous::solve(work, trees, state, solver, method.correction, hits, profile, dt);
            simultaneous::store(work, state, dt);
            impacts::report(state, hits);
            simultaneous::sort_bodies(work, &state.bodies, solved, flying);
            bounce_cap.clear();
            if work.bounced {
                bounce_cap.note(&state.bodies, work.touches(state), solved, work.jointed());
            }
            simultaneous::advance(work, &mut state.bodies, solved, loads.gyroscopic, dt);
            bounce_cap.settle(&mut state.bodies, &loads, true, dt);
            if !trees.is_empty() {
                simultaneous::advance_trees(work, trees, explicit, dt);
            }
        }
    }
    match state.method.integrate {
        Integrate::SemiImplicitEuler => semi_implicit_euler::advance(&mut state.bodies, flying, &loads, dt),
        Integrate::ExplicitEuler => explicit_euler::advance(&mut state.bodies, flying, &loads, dt),
    }
    profile.add(Stage::Solve, watch.lap());

    let idle = finish::idle(state);
    trees.take_stock();
    ahead.expose(state);
    let mut movers = take(&mut ahead.movers);
    movers.all_mut().clear();
    for (i, before) in before.iter().enumerate() {
        let Bodies { pose, velocity, rest, params, pushes, slot, .. } = &mut state.bodies;
        let (pose, velocity, params) = (&mut pose[i], &mut velocity[i], &params[i]);
        if trees.has(i as u32) {
            (*pose, *velocity) = trees.state_of(i);
        }
        if params.has(Params::KINEMATIC) && *velocity == Velocity::default() {
            // It stands to the last bit: turning by nothing rounds.
            *pose = before.pose;
        }
        if !finish::take_stock((pose, velocity, &mut rest[i]), params, before, &idle, dt) {
            broken.push(slot[i]);
        } else if !params.has(Params::KINEMATIC) {
            let turned = if solves { simultaneous::way_turned(work, i, dt) } else { None };
            let turn = turned.unwrap_or(velocity.angular * dt);
            ahead.follow(i, &before.way(pose, turn, params, params.load(pushes.get(i))), movers.all_mut());
        }
    }
    ahead.gather(movers);
    if solves {
        for &i in &work.unsound {
            let slot = state.bodies.slot[i as usize];
            if !broken.contains(&slot) {
                broken.push(slot);
            }
        }
    }
    trees.put_back(state, &mut ahead.starts);
    // Queries between steps need the boxes, where nothing here does.
    finish::conclude(state, ahead, broken, supports, team, dt);
    if solves {
        state.break_overloaded(&mut work.joints.overloaded);
    }
    profile.add(Stage::Finish, watch.lap());
    if state.method.switches.sleep && solves {
        profile.islands = sleep::update(state, &mut scratch.sleeper, supports, &work.joints.busy);
    }
    profile.add(Stage::Sleep, watch.lap());
}
