//! Soft step: sub-stepped soft constraints with relaxation, the default method.
//!
//! ```text
//!   effects     forces at x + ½ dt v, see `force`                       1 pass over each set
//!   detect      pairs of boxes, manifolds                               once
//!   prepare     bodies into motions, manifolds into wide constraints    2 passes each
//!   trees       that touch no body that moves: all their sub-steps      see `tree_work`
//!   repeat for each sub-step h = dt / n:
//!     v ← v + h a, and the impulses of the last sub-step once more      1 pass over bodies
//!     (in the first: the impulses of the last step                      1 pass over constraints)
//!     solve with push                                                   1 pass over constraints (2 in the first)
//!     x ← x + h v                                                       1 pass over bodies
//!     solve without push: relax                                         1 pass over constraints (2 with friction at points)
//!     restitution, where something can bounce                           3 passes over constraints, one per blow, and one where
//!                                                                       something bounces off what nothing moves; 3 over pairs of
//!                                                                       bullets that meet, see `rebound`
//!   store impulses, write poses back, boxes, sleep                      1 pass each (2 over what is adrift)
//! ```
//!
//! With n sub-steps: 2n + 3 passes over bodies, 2n + 4 over constraints where nothing can bounce (3n + 4 with friction at points). Bodies that nothing touches take no part in the
//! sub-steps: they fly their parabola exactly.
//!
//! Catto, "Solver2D" (2024); Macklin et al., "Small Steps in Physics Simulation" (2019).

use super::finish::{self, Before};
use super::{impacts, loads, push_bodies, push_woken};
use crate::body::store::{Bodies, CentrePose, Params, Velocity, limited};
use crate::crew::{Shared, Team};
use crate::detect::{contacts, continuous};
use crate::integrate::{Loads, flight};
use crate::interact::sleep;
use crate::math::spatial::Wrench;
use crate::math::{Float, Quat, Real, Vec3};
use crate::method::{FrictionModel, SoftStep};
use crate::profile::{Profile, Stage, Stopwatch};
use crate::room::make_room;
use crate::solve::contact_constraint::{ContactConstraints, SHARE, Soft};
use crate::solve::contact_kernel::{Pass, Rules, Solve, WarmStart};
use crate::solve::contact_prepare::{self, Input, Recipe};
use crate::solve::graph::OVERFLOW;
use crate::solve::joint_work::{self, HOLD_SPEED, JointWork, When};
use crate::solve::motion::{self, Free, Kick, Mass, Motion};
use crate::solve::restitution::{Approach, Blows, Bounces, Stops};
use crate::solve::rolling;
use crate::solve::tree_work::{self, TreeWork};
use crate::world::{Scratch, State};
use core::mem::take;
use core::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// Advances the world by `dt`.
pub(crate) fn step(
    state: &mut State,
    scratch: &mut Scratch,
    team: &Team,
    profile: &mut Profile,
    method: &SoftStep,
    dt: Real,
    watch: &mut Stopwatch,
) {
    let loads = loads(state);
    let lead = 0.5 * dt;
    push_bodies(state, scratch, profile, lead, dt);
    continuous::look_out(state, &mut scratch.detector.ahead, true, loads, team, dt);
    contacts::find_pairs(state, &mut scratch.detector, team);
    profile.add(Stage::Broad, watch.lap());
    contacts::update(state, &mut scratch.detector, team, profile);
    profile.add(Stage::Narrow, watch.lap());
    profile.awake_bodies = state.bodies.awake() as u32;
    push_woken(state, scratch, profile, lead, dt);

    let h = dt / method.substeps as Real;
    prepare(state, scratch, team, method, &loads, h);
    prepare_trees(state, scratch, team, method, &loads, dt);
    scratch.adrift.clear();
    if loads.gyroscopic && !(scratch.solved.is_empty() && scratch.trees.is_empty()) {
        let (constraints, joints) = (&scratch.constraints, &scratch.joints);
        scratch.adrift.find(state, constraints, joints, &scratch.trees, &scratch.solved);
    }
    profile.add(Stage::Prepare, watch.lap());
    solve(state, scratch, team, method, &loads, h);
    contact_prepare::store(&scratch.constraints, &mut state.contacts, team);
    scratch.trees.store(state, dt, &mut scratch.joints.overloaded, &mut scratch.joints.busy);
    scratch.joints.store(state, dt);
    if scratch.detector.looker.any_impacts {
        impacts::find(state, &scratch.constraints, &mut scratch.hits);
        impacts::report(state, &mut scratch.hits);
    }
    profile.add(Stage::Solve, watch.lap());
    write_back(state, scratch, team, &loads, method.substeps, dt);
    state.break_overloaded(&mut scratch.joints.overloaded);
    profile.add(Stage::Finish, watch.lap());
    if state.method.switches.sleep {
        profile.islands = sleep::update(state, &mut scratch.sleeper, &scratch.supports, &scratch.joints.busy);
    }
    profile.add(Stage::Sleep, watch.lap());
}

/// Bodies that a thread takes at a time.
const BODIES: usize = 128;

/// Bodies into motions, manifolds into wide constraints.
fn prepare(state: &State, scratch: &mut Scratch, team: &Team, method: &SoftStep, loads: &Loads, h: Real) {
    let bodies = &state.bodies;
    let awake = bodies.awake();
    scratch.supports.clear();
    scratch.supports.resize(awake, 0);
    // All of them are written below.
    make_room(&mut scratch.motions, awake);
    make_room(&mut scratch.masses, awake);
    scratch.motions.resize(awake, [0.0; 16]);
    scratch.masses.resize(awake, [0.0; 8]);
    let (motions, masses) = (Shared::new(&mut scratch.motions), Shared::new(&mut scratch.masses));
    team.for_ranges(awake, BODIES, |range| {
        for i in range {
            // SAFETY: a body is in one range.
            let (motion, mass) = unsafe { (motions.get(i), masses.get(i)) };
            let link = bodies.params[i].has(Params::LINK);
            // A link moves as its tree does, and what it weighs by itself matters to rows alone.
            *motion = if link {
                motion::carried(&bodies.velocity[i])
            } else {
                let (motion, kick) = motion::prepare(bodies, i, loads, h, method.substeps);
                motion::with_kick(motion, &kick)
            };
            let alone = link && is_alone(state, bodies.slot[i]);
            *mass = if alone { [0.0; 8] } else { motion::mass(bodies, i, bodies.pose[i].rotation) };
        }
    });
    scratch.unsound.clear();
    scratch.kicks.begin(awake);
    for (i, motion) in scratch.motions.iter_mut().enumerate() {
        let kick = motion::take_kick(motion);
        if motion::is_finite(motion, &kick) {
            scratch.kicks.push_next(kick);
        } else {
            // It stands still for this step, so that nothing it touches catches it.
            *motion = [0.0; 16];
            scratch.kicks.push_next([0.0; 8]);
            scratch.masses[i] = [0.0; 8];
            scratch.unsound.push(i as u32);
        }
    }
    // An impulse acts on a body as it is turned then; and the gyroscopic torque of its spin before would only feed the new one.
    let blunt = Loads { gyroscopic: false, ..*loads };
    for (i, rotation) in scratch.detector.ahead.impacts() {
        scratch.kicks[i] = motion::prepare(bodies, i, &blunt, h, method.substeps).1;
        scratch.masses[i] = motion::mass(bodies, i, rotation);
    }
    let joints = joint_recipe(state, method, h);
    scratch.joints.take(state, &mut scratch.masses, &joints);
    let [soft, soft_fixed, soft_held] = contact_softness(method, h);
    let tolerances = &state.method.tolerances;
    let recipe = Recipe {
        soft,
        soft_fixed,
        soft_held,
        slop: tolerances.slop * tolerances.length,
        warm_start: state.method.switches.warm_start,
        h,
        creep: state.gravity_strength() * h,
    };
    let input = Input { contacts: &state.contacts, motions: &scratch.motions, masses: &scratch.masses };
    contact_prepare::prepare(
        &mut scratch.constraints,
        &state.graph,
        bodies,
        &mut scratch.supports,
        input,
        &recipe,
        state.isa,
        team,
    );
    let kicks = loads.gyroscopic.then_some(&mut scratch.kicks);
    let (motions, masses) = (&mut scratch.motions, &mut scratch.masses);
    scratch.joints.prepare(state, motions, masses, &mut scratch.supports, kicks, &joints);
    scratch.solved.clear();
    scratch.solved.extend((0..awake as u32).filter(|&i| scratch.supports[i as usize] > 0));
}

/// How soft contacts are: between two bodies that move; stiffer against one that nothing moves, which cannot give way; and softer against one that a
/// web holds.
fn contact_softness(method: &SoftStep, h: Real) -> [Soft; 3] {
    let hertz = method.contact_stiffness * (1.0 / h);
    [hertz, 2.0 * hertz, 0.5 * hertz].map(|hertz| Soft::new(hertz, method.contact_damping, h))
}

/// Nothing touches the body, and no joint holds it but that of its tree.
fn is_alone(state: &State, body: u32) -> bool {
    state.contacts.first_of(body).is_none() && state.joints.of_body(body).is_empty()
}

/// Articulations into trees at work, which take part in the sub-steps in their own way.
fn prepare_trees(state: &mut State, scratch: &mut Scratch, team: &Team, method: &SoftStep, loads: &Loads, dt: Real) {
    let recipe = tree_recipe(state, method, dt);
    scratch.trees.prepare(state, &mut scratch.motions, &mut scratch.supports, loads, &recipe, team);
    if !scratch.trees.is_empty() {
        // Trees act on bodies as well.
        for body in scratch.trees.bodies() {
            motion::set_jointed_only(&mut scratch.masses[body as usize], false);
        }
        let (supports, trees) = (&scratch.supports, &scratch.trees);
        scratch.solved.clear();
        scratch.solved.extend((0..supports.len() as u32).filter(|&i| supports[i as usize] > 0 && !trees.has(i)));
    }
}

fn tree_recipe(state: &State, method: &SoftStep, dt: Real) -> tree_work::Recipe {
    let tolerances = &state.method.tolerances;
    let speed = tolerances.speed(state.gravity_strength());
    let h = dt / method.substeps as Real;
    let (hertz, damping) = (method.contact_stiffness / h, method.contact_damping);
    tree_work::Recipe {
        soft: Soft::new(hertz, damping, h),
        soft_fixed: Soft::new(2.0 * hertz, damping, h),
        slop: tolerances.slop * tolerances.length,
        creep: state.gravity_strength() * h,
        push_speed: tolerances.push_speed * speed,
        near: (tolerances.detection * tolerances.length).to_f64(),
        restitution_speed: tolerances.restitution_speed * speed,
        joint_rate: Soft::new(method.joint_stiffness / h, method.joint_damping, h).bias_rate,
        hold_speed: HOLD_SPEED * tolerances.push_speed * speed,
        warm_start: state.method.switches.warm_start,
        h,
        dt,
    }
}

/// Passes of one sub-step that push, and passes that relax. The first sub-step of a step pushes twice: its contacts have just
/// been found anew, and where they are new they know nothing yet of the load that they are to carry. Friction at points relaxes twice: where one of
/// them is at its limit the others of its body must take over, which those before it in the pass cannot.
fn passes(substep: u32, friction: FrictionModel) -> (u32, u32) {
    let pushes = if substep == 0 { 2 } else { 1 };
    let relaxes = if friction == FrictionModel::Point { 2 } else { 1 };
    (pushes, relaxes)
}

/// Rounds of blows in one sub-step, at the most: how far down a row of touching bodies a blow is handed on at once.
const BLOWS: u32 = 16;

fn joint_recipe(state: &State, method: &SoftStep, h: Real) -> joint_work::Recipe {
    let tolerances = &state.method.tolerances;
    joint_work::Recipe {
        soft: Soft::new(method.joint_stiffness / h, method.joint_damping, h),
        h,
        push_speed: tolerances.push_speed * tolerances.speed(state.gravity_strength()),
        hold_speed: HOLD_SPEED * tolerances.push_speed * tolerances.speed(state.gravity_strength()),
        choice: method.joint_solve,
        warm_start: state.method.switches.warm_start,
        isa: state.isa,
    }
}

fn solve(state: &State, scratch: &mut Scratch, team: &Team, method: &SoftStep, loads: &Loads, h: Real) {
    let Scratch {
        motions, kicks, free, solved, constraints, joints, trees, masses, supports, rebounds, detector, ..
    } = scratch;
    if solved.is_empty() && trees.is_empty() {
        // All fly or sleep.
        return;
    }
    // Besides the contacts, which are prepared, nothing but joints and trees reads the masses.
    let (free, masses): (&mut [Free], &mut [Mass]) = if joints.is_empty() && trees.is_empty() {
        (masses, &mut [])
    } else {
        make_room(free, motions.len());
        free.resize(motions.len(), [0.0; 8]);
        (free, masses)
    };
    let recipe = joint_recipe(state, method, h);
    let dt = h * method.substeps as Real;
    let of_trees = tree_recipe(state, method, dt);
    rebounds.clear();
    let all_passes = (0..method.substeps).map(|substep| passes(substep, state.method.friction));
    trees.work_apart(state, supports, masses, loads, &of_trees, all_passes, team);
    if solved.is_empty() && joints.is_empty() && constraints.groups.is_empty() && !trees.are_open() {
        // All others fly or sleep.
        return;
    }
    joints.evaluate(state, motions, free, masses, &recipe, When { time: state.time, first: true }, team);
    let tolerances = &state.method.tolerances;
    let speed = tolerances.speed(state.gravity_strength());
    let (slop, push_speed) = (tolerances.slop * tolerances.length, tolerances.push_speed * speed);
    let isa = state.isa;
    let [between, against, _] = contact_softness(method, h).map(|soft| soft.bias_rate);
    let bias_rates = [between, against];
    let rules = |push: bool| Rules { push, inv_h: 1.0 / h, slop, push_speed, bias_rates };
    let threshold = tolerances.restitution_speed * speed;
    for substep in 0..method.substeps {
        if constraints.bounces {
            let part = [substep, substep + 1].map(|k| k as Real / method.substeps as Real);
            rebounds.await_blows(detector.ahead.meetings(), part, motions, dt);
            for _ in 0..BLOWS {
                let struck = AtomicBool::new(false);
                let free = Shared::new(free);
                let contacts = |pass: Pass<'_>| {
                    if isa.dispatch(Blows { pass, free, threshold, h }) {
                        struck.store(true, Ordering::Relaxed);
                    }
                };
                sweep(constraints, joints, motions, team, contacts, |_, _, _| (), |_, _, _| ());
                if !struck.into_inner() {
                    break;
                }
            }
            rebounds.note_blows(motions);
            let contacts = |pass: Pass<'_>| isa.dispatch(Approach(pass));
            sweep(constraints, joints, motions, team, contacts, |_, _, _| (), |_, _, _| ());
        }
        if substep == 0 {
            motion::accelerate(motions, kicks, free, solved, team);
            let contacts = |pass: Pass<'_>| isa.dispatch(WarmStart(pass));
            let hold = |joints: &mut JointWork, colour: usize, motions: &mut [Motion]| {
                joints.warm_start(colour, motions, &recipe, team);
            };
            sweep(constraints, joints, motions, team, contacts, rolling::warm_start, hold);
        } else {
            joints.kick_again(state, motions, loads.gyroscopic.then_some(&mut *kicks), &recipe);
            motion::accelerate_again(motions, kicks, free, masses, solved, team);
            joints.warm_start_again(motions, masses, &recipe, team);
        }
        trees.kick(motions, masses, &of_trees, substep == 0);
        let mut pass =
            |joints: &mut JointWork, trees: &mut TreeWork, motions: &mut [Motion], masses: &[Mass], push: bool| {
                let contacts = |pass: Pass<'_>| isa.dispatch(Solve { pass, rules: rules(push) });
                let hold = |joints: &mut JointWork, colour: usize, motions: &mut [Motion]| {
                    joints.solve(colour, motions, push, &recipe, team);
                };
                sweep(constraints, joints, motions, team, contacts, rolling::solve, hold);
                joints.solve_again(motions, push, &recipe, team);
                trees.solve(motions, masses, &of_trees, push);
            };
        let (pushes, relaxes) = passes(substep, state.method.friction);
        for _ in 0..pushes {
            pass(joints, trees, motions, masses, true);
        }
        trees.drift(motions, masses, h);
        rebounds.take_back(motions);
        motion::advance(motions, solved, h, team);
        joints.advance(state, motions, free, masses, &recipe, team);
        let time = state.time + h.to_f64() * f64::from(substep + 1);
        joints.evaluate(state, motions, free, masses, &recipe, When { time, first: false }, team);
        for _ in 0..relaxes {
            pass(joints, trees, motions, masses, false);
        }
        trees.bounce(motions, free, masses, &of_trees);
        if constraints.bounces {
            let (stopped, free) = (AtomicBool::new(false), Shared::new(free));
            let contacts = |pass: Pass<'_>| {
                if isa.dispatch(Stops { pass, free, threshold, h }) {
                    stopped.store(true, Ordering::Relaxed);
                }
            };
            sweep(constraints, joints, motions, team, contacts, |_, _, _| (), |_, _, _| ());
            if stopped.into_inner() {
                let contacts = |pass: Pass<'_>| isa.dispatch(Bounces { pass, free, h });
                sweep(constraints, joints, motions, team, contacts, |_, _, _| (), |_, _, _| ());
            }
        }
        constraints.tally();
        joints.record(motions);
    }
    joints.bounce(motions, threshold);
}

/// One pass over all constraints: colour after colour, in each first the joints, then the contacts, shared among the team, then
/// their rolling friction.
fn sweep(
    constraints: &mut ContactConstraints,
    joints: &mut JointWork,
    motions: &mut [Motion],
    team: &Team,
    contacts: impl Fn(Pass<'_>) + Sync,
    rolling: impl Fn(&mut ContactConstraints, usize, &mut [Motion]),
    hold: impl Fn(&mut JointWork, usize, &mut [Motion]),
) {
    if joints.is_empty() && constraints.groups.is_empty() {
        return;
    }
    for c in 0..constraints.ranges.len() - 1 {
        hold(joints, c, motions);
        let (first, end) = (constraints.ranges[c] as usize, constraints.ranges[c + 1] as usize);
        if first == end {
            continue;
        }
        let pass = Pass {
            groups: Shared::new(&mut constraints.groups[first..end]),
            points: Shared::new(&mut constraints.points),
            blocks: &constraints.blocks,
            watches: Shared::new(&mut constraints.watches),
            oddities: &constraints.oddities,
            motions: Shared::new(motions),
            range: 0..end - first,
        };
        if c == OVERFLOW {
            // It shares bodies, and is solved one after the other.
            contacts(pass);
        } else {
            team.for_ranges(end - first, SHARE, |range| contacts(Pass { range, ..pass.clone() }));
        }
        rolling(constraints, c, motions);
    }
}

/// Writes velocities and poses back, lets the others fly, and tells the broad phase.
fn write_back(state: &mut State, scratch: &mut Scratch, team: &Team, loads: &Loads, substeps: u32, dt: Real) {
    let idle = finish::idle(state);
    scratch.trees.take_stock();
    scratch.bounce_cap.clear();
    if scratch.constraints.any_struck() {
        let (touches, jointed) = (scratch.constraints.touches(), scratch.joints.bodies.iter().copied());
        let driven = jointed.chain(scratch.trees.bodies());
        scratch.bounce_cap.note(&state.bodies, touches, &scratch.solved, driven);
    }
    scratch.adrift.note_start(&state.bodies, loads, dt);
    let ahead = &mut scratch.detector.ahead;
    ahead.expose(state);
    let mut movers = take(&mut ahead.movers);
    debug_assert!(scratch.broken.is_empty());
    let broken = Mutex::new(take(&mut scratch.broken));
    {
        let awake = state.bodies.awake();
        let Bodies { pose, velocity, rest, params, pushes, .. } = &mut state.bodies;
        let (poses, velocities, rests) = (Shared::new(pose), Shared::new(velocity), Shared::new(rest));
        let (params, pushes, lists, ahead) = (&*params, &*pushes, movers.begin(team.size()), &*ahead);
        let (motions, kicks, supports) = (&scratch.motions, &scratch.kicks, &scratch.supports);
        let trees = &scratch.trees;
        team.for_ranges_of(awake, BODIES, |worker, range| {
            // SAFETY: a worker's number is given to one thread at a time.
            let list = unsafe { &mut lists.get(worker).0 };
            for i in range {
                // SAFETY: a body is in one range.
                let (pose, velocity, rest) = unsafe { (poses.get(i), velocities.get(i), rests.get(i)) };
                let (params, before) = (&params[i], Before { pose: *pose, velocity: *velocity });
                let load = params.load(pushes.get(i));
                if params.has(Params::LINK) {
                    // In registers to the end: what is written and read again at once, in other pieces, is waited for.
                    let (mut to, mut moves) = trees.state_of(i);
                    let fine = finish::take_stock((&mut to, &mut moves, rest), params, &before, &idle, dt);
                    (*pose, *velocity) = (to, moves);
                    if fine {
                        ahead.follow(i, &before.way(&to, moves.angular * dt, params, load), list);
                    } else {
                        broken.lock().unwrap_or_else(PoisonError::into_inner).push(i as u32);
                    }
                    continue;
                }
                let mut way_turned = None;
                if supports[i] == 0 && !params.has(Params::KINEMATIC) {
                    flight::advance(pose, velocity, rest, params, load, loads, dt);
                } else if params.has(Params::KINEMATIC) && *velocity == Velocity::default() {
                    // It stands to the last bit: turning by nothing rounds.
                } else if params.has(Params::KINEMATIC) {
                    pose.centre += velocity.linear.to_f64() * dt.to_f64();
                    pose.rotation = pose.rotation.advanced(velocity.angular, dt);
                } else {
                    let (motion, kick) = (&motions[i], &kicks[i]);
                    way_turned = Some(land(pose, velocity, motion, kick, params, load, loads.gyroscopic, substeps, dt));
                    rest.carry = Vec3::ZERO;
                }
                if !finish::take_stock((pose, velocity, rest), params, &before, &idle, dt) {
                    broken.lock().unwrap_or_else(PoisonError::into_inner).push(i as u32);
                } else if !params.has(Params::KINEMATIC) {
                    let turn = way_turned.unwrap_or(velocity.angular * dt);
                    ahead.follow(i, &before.way(pose, turn, params, load), list);
                }
            }
        });
    }
    ahead.gather(movers);
    scratch.broken = broken.into_inner().unwrap_or_else(PoisonError::into_inner);
    scratch.broken.sort_unstable();
    scratch.broken.iter_mut().for_each(|i| *i = state.bodies.slot[*i as usize]);
    for &i in &scratch.unsound {
        let slot = state.bodies.slot[i as usize];
        if !scratch.broken.contains(&slot) {
            scratch.broken.push(slot);
        }
    }
    scratch.adrift.settle(&mut state.bodies, &mut scratch.trees, &scratch.broken, dt);
    scratch.bounce_cap.settle(&mut state.bodies, loads, false, dt);
    scratch.trees.put_back(state, &mut ahead.starts);
    finish::conclude(state, ahead, &mut scratch.broken, &mut scratch.supports, team, dt);
}

/// Where its motion in the sub-steps has brought a body, and how fast it is then. Returns the rotation vector of the whole step.
fn land(
    pose: &mut CentrePose,
    velocity: &mut Velocity,
    motion: &Motion,
    kick: &Kick,
    params: &Params,
    load: Wrench,
    gyroscopic: bool,
    substeps: u32,
    dt: Real,
) -> Vec3 {
    let (linear, angular) = motion::velocity_of(motion);
    let (dx, turn) = motion::travel_of(motion);
    *velocity = Velocity { linear: limited(linear, params.max_linear_speed), angular };
    pose.centre += dx.to_f64();
    if motion::has_rotation(motion) {
        pose.rotation = motion::rotation_of(motion);
    } else if turn != Vec3::ZERO {
        let start = pose.rotation;
        pose.rotation = (Quat::from_rotation_vector(turn) * start).normalized();
        if gyroscopic {
            let h = dt / substeps as Real;
            let gyro = motion::gyroscopic_kick(kick, params, load.torque, start, h);
            let (omega, gyro) = (velocity.angular, gyro * substeps as Real);
            velocity.angular = motion::keep_angular_momentum(params, start, turn, omega, gyro);
        }
    }
    velocity.angular = limited(velocity.angular, params.max_angular_speed);
    turn
}
