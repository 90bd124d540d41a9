//! Joints in the sub-steps of soft step.
//!
//! Joints are evaluated where the bodies are: at the start, and after every advance of the poses, with the true orientations and inertias
//! there; so a fast pendulum keeps its length. The same evaluation serves the relaxing pass of one sub-step and the
//! warm start and pushing pass of the next, since the bodies stand still in between.
//!
//! ```text
//!   evaluate                                             rows, K, compliance
//!   repeat:  warm start │ solve, pushing │ (advance) evaluate │ solve, relaxing
//! ```
//!
//! A row as hard as the method makes it is a soft constraint in the pushing pass, as contacts are, and a hard one without push
//! in the relaxing pass. Springs act in the pushing pass only, by the impulse that the implicit step gives them:
//!
//! ```text
//!   λ = -h (k (C + h Ċ') + c Ċ')   ⇔   Ċ' + k C/(c + h k) + Γ λ = 0,   Γ = 1/(h (c + h k))
//! ```

use super::contact_constraint::Soft;
use super::joint_block::{self, Demand, entry};
use super::joint_web::{self, Webs};
use super::motion::{self, Free, Kick, Mass, Motion};
use crate::body::Locks;
use crate::constraint::joint::store::Joint;
use crate::constraint::{Bound, Frame, Frames, Row, Rows, Stiffness};
use crate::math::{Float, NO_ROW, Num, Quat, Real, Sym3, Vec3};
use crate::method::JointSolve;
use crate::world::State;

/// Speed at which joints bring lost bodies back at most, in push speeds of contacts.
pub(crate) const HOLD_SPEED: Real = 8.0;

/// One side of a joint: what does not change during the step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hold {
    /// The motion of the body; [`NO_ROW`] where it does not move.
    pub body: u32,
    /// Dynamic: impulses change its velocity.
    pub dynamic: bool,
    /// Dynamic, with axes locked.
    locked: bool,
    inv_mass: Vec3,
    /// From the centre of mass to the frame, in the frame of the body.
    offset: Vec3,
    /// The frame in the frame of the body.
    turn: Quat,
    /// Where the frame is at the start of the step.
    start: Frame,
}

/// A joint in the step.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    joint: u32,
    pub holds: [Hold; 2],
    pub first_row: u32,
    pub row_count: u32,
    /// Where its K begins.
    pub first_entry: u32,
    /// What it holds is solved with the whole web.
    pub whole: bool,
    /// It has three rows that hold and no others: (K + Γ)⁻¹ and K⁻¹.
    point: Option<[Sym3; 2]>,
    memory: [f64; 4],
    /// Changes of v_A, ω_A, v_B, ω_B that it has caused in this sub-step.
    pub applied: [Vec3; 4],
    /// Sums over the sub-steps: impulse and angular impulse on B about its frame.
    impulse: Vec3,
    turn_impulse: Vec3,
}

/// What goes with a row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Answer {
    /// M⁻¹ Jᵀ: changes of v_A, ω_A, v_B, ω_B per unit impulse.
    pub change: [Vec3; 4],
    /// What the pushing pass adds to the velocity, and Γ.
    pub bias: Real,
    compliance: Real,
    /// The velocity that a unit impulse gives the row, while the rest of the joint holds where that matters.
    pub response: Real,
    /// The row is a spring, which the relaxing pass leaves alone.
    spring: bool,
    /// Velocity before the step, for rows that bounce; and whether they have pushed.
    approach: Real,
    pushed: bool,
}

const NO_ANSWER: Answer = Answer {
    change: [Vec3::ZERO; 4],
    bias: 0.0,
    compliance: 0.0,
    response: 0.0,
    spring: false,
    approach: 0.0,
    pushed: false,
};

/// How the joints of a step are solved.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Recipe {
    pub soft: Soft,
    pub h: Real,
    /// Speed at which a limit that is overrun is left at most.
    pub push_speed: Real,
    /// Speed at which bodies that a joint has lost are brought back at most; metres or radians per second.
    pub hold_speed: Real,
    pub choice: JointSolve,
    pub warm_start: bool,
}

/// How often the joints of a pass are solved once more after its contacts.
const ROUNDS: u32 = 2;

/// All joints of a step. Kept between steps for its memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct JointWork {
    links: Vec<Link>,
    /// Links `ranges[c]..ranges[c + 1]` have colour c.
    ranges: Vec<u32>,
    rows: Vec<Row>,
    answers: Vec<Answer>,
    /// K of each link, packed.
    entries: Vec<Real>,
    /// Rows of one joint while it is evaluated.
    fresh: Rows,
    /// Awake bodies that joints act on, once each.
    pub bodies: Vec<u32>,
    listed: Vec<bool>,
    /// Joints whose motors may still change: their bodies stay awake.
    pub busy: Vec<u32>,
    pub overloaded: Vec<u32>,
    webs: Webs,
}

impl JointWork {
    /// Takes the acting joints of the graph, and counts them as supports of their bodies. One pass over the joints.
    pub fn prepare(&mut self, state: &State, motions: &mut [Motion], supports: &mut [u32], recipe: &Recipe) {
        self.links.clear();
        self.ranges.clear();
        self.rows.clear();
        self.answers.clear();
        self.entries.clear();
        self.bodies.clear();
        self.busy.clear();
        self.overloaded.clear();
        self.listed.clear();
        self.listed.resize(motions.len(), false);
        for colour in &state.graph.colours {
            self.ranges.push(self.links.len() as u32);
            for &slot in &colour.joints {
                if let Some(joint) = state.joints.all.at(slot) {
                    self.add(state, slot, joint, motions, supports, recipe);
                }
            }
        }
        self.ranges.push(self.links.len() as u32);
        self.webs.prepare(&mut self.links, &self.rows, motions.len(), recipe.choice);
    }

    fn add(
        &mut self,
        state: &State,
        slot: u32,
        joint: &Joint,
        motions: &mut [Motion],
        supports: &mut [u32],
        recipe: &Recipe,
    ) {
        let mut frames = state.joint_frames(joint);
        frames.memory = joint.kind.constraint().remember(&frames);
        let holds = [(0, frames.a), (1, frames.b)].map(|(side, frame)| hold(state, joint, side, frame));
        for h in holds {
            if h.body == NO_ROW {
                continue;
            }
            let i = h.body as usize;
            supports[i] += joint.kind.supports();
            if !core::mem::replace(&mut self.listed[i], true) {
                self.bodies.push(h.body);
                motion::set_rotation(&mut motions[i], state.bodies.pose[i].rotation);
            }
        }
        self.fresh.clear();
        joint.rows(&frames, &mut self.fresh);
        let n = self.fresh.len();
        let link = Link {
            joint: slot,
            holds,
            first_row: self.rows.len() as u32,
            row_count: n as u32,
            first_entry: self.entries.len() as u32,
            memory: frames.memory,
            whole: false,
            point: None,
            applied: [Vec3::ZERO; 4],
            impulse: Vec3::ZERO,
            turn_impulse: Vec3::ZERO,
        };
        for (i, row) in self.fresh.as_slice().iter().enumerate() {
            let impulse = if recipe.warm_start { joint.impulses[i] } else { 0.0 };
            self.rows.push(Row { impulse, ..*row });
            let approach = row.jacobian.velocity(frames.a.linear, frames.a.angular, frames.b.linear, frames.b.angular);
            self.answers.push(Answer { approach, ..NO_ANSWER });
        }
        self.entries.resize(self.entries.len() + n * (n + 1) / 2, 0.0);
        self.links.push(link);
        if joint.kind.changes_after(state.time) {
            self.busy.push(slot);
        }
    }

    /// Rows, responses and compliances where the bodies are now. One pass over the joints.
    pub fn evaluate(&mut self, state: &State, motions: &[Motion], masses: &[Mass], recipe: &Recipe, time: f64) {
        let Self { links, rows, answers, entries, fresh, webs, .. } = self;
        for link in links.iter_mut() {
            let Some(joint) = state.joints.all.at(link.joint) else { continue };
            let frames =
                Frames { a: link.holds[0].frame(motions), b: link.holds[1].frame(motions), time, memory: link.memory };
            fresh.clear();
            joint.rows(&frames, fresh);
            let n = link.row_count as usize;
            let rows = &mut rows[link.first_row as usize..][..n];
            let answers = &mut answers[link.first_row as usize..][..n];
            for (i, row) in rows.iter_mut().enumerate() {
                // A constraint that writes fewer rows than it began with asks for nothing with the rest.
                let new = fresh.as_slice().get(i).copied().unwrap_or(Row::IDLE);
                // What is no number holds nothing.
                let sound = new.jacobian.is_finite() && new.error.is_finite() && new.target.is_finite();
                *row = if sound { Row { impulse: row.impulse, ..new } } else { Row::IDLE };
            }
            respond(rows, answers, &mut entries[link.first_entry as usize..], &link.holds, masses);
            let k = &entries[link.first_entry as usize..];
            soften(rows, answers, k, link.whole, recipe);
            link.point = if n == 3 && rows.iter().all(joint_web::holds) { point_inverses(k, answers) } else { None };
        }
        if !webs.is_empty() {
            webs.factorise(links, rows, answers, entries);
        }
    }

    /// Applies the impulses that the joints of a colour carry.
    pub fn warm_start(&mut self, colour: usize, motions: &mut [Motion]) {
        let Some(&[from, to]) = self.ranges.get(colour..colour + 2) else { return };
        for link in from as usize..to as usize {
            self.warm_start_one(link, motions);
        }
    }

    /// The same in a later sub-step, for all joints: the bodies have been given once more what was done to them in the last one,
    /// but the rows have turned with the bodies since, so what is applied is the difference.
    pub fn warm_start_again(&mut self, motions: &mut [Motion]) {
        for link in 0..self.links.len() {
            self.warm_start_one(link, motions);
        }
    }

    fn warm_start_one(&mut self, index: usize, motions: &mut [Motion]) {
        let link = &mut self.links[index];
        let n = link.row_count as usize;
        let rows = &self.rows[link.first_row as usize..][..n];
        let answers = &self.answers[link.first_row as usize..][..n];
        let mut total = Ends { v: [Vec3::ZERO; 4] };
        for (row, answer) in rows.iter().zip(answers) {
            total.push(answer, row.impulse);
        }
        let mut ends = Ends::load(&link.holds, motions);
        for i in 0..4 {
            ends.v[i] += total.v[i] - link.applied[i];
        }
        link.applied = total.v;
        ends.store(&link.holds, motions);
    }

    /// Makes the joints of a colour hold, with or without the push towards C = 0.
    pub fn solve(&mut self, colour: usize, motions: &mut [Motion], push: bool, recipe: &Recipe) {
        let Some(&[from, to]) = self.ranges.get(colour..colour + 2) else { return };
        for link in from as usize..to as usize {
            self.solve_one(link, motions, push, recipe);
        }
    }

    fn solve_one(&mut self, index: usize, motions: &mut [Motion], push: bool, recipe: &Recipe) {
        let link = &mut self.links[index];
        let n = link.row_count as usize;
        let rows = &mut self.rows[link.first_row as usize..][..n];
        let answers = &mut self.answers[link.first_row as usize..][..n];
        let k = &self.entries[link.first_entry as usize..];
        let mut ends = Ends::load(&link.holds, motions);
        let before = ends.v;
        match (n, link.point) {
            (0, _) => return,
            (3, Some(inverses)) if !link.whole => solve_point(rows, answers, &inverses, &mut ends, push),
            (1..=3, _) => solve_rows::<3>(rows, answers, k, link.whole, &mut ends, push, recipe),
            (4..=6, _) => solve_rows::<6>(rows, answers, k, link.whole, &mut ends, push, recipe),
            (7..=12, _) => solve_rows::<12>(rows, answers, k, link.whole, &mut ends, push, recipe),
            _ => solve_rows::<{ Rows::MAX }>(rows, answers, k, link.whole, &mut ends, push, recipe),
        }
        for i in 0..4 {
            link.applied[i] += ends.v[i] - before[i];
        }
        ends.store(&link.holds, motions);
    }

    /// Makes all joints hold once more, after the contacts: one by one, and webs at once. Without it a limb that hits the floor
    /// would be torn out of its socket for a moment, since the contact has the last word.
    pub fn solve_again(&mut self, motions: &mut [Motion], push: bool, recipe: &Recipe) {
        for _ in 0..ROUNDS {
            for link in 0..self.links.len() {
                if !self.links[link].whole {
                    self.solve_one(link, motions, push, recipe);
                }
            }
        }
        let Self { links, rows, answers, webs, .. } = self;
        if !webs.is_empty() {
            webs.solve(links, rows, answers, motions, push);
        }
    }

    /// Adds what the sub-step has done to the body B of each joint, about the origin of its frame.
    pub fn record(&mut self, motions: &[Motion]) {
        for link in &mut self.links {
            let arm = link.holds[1].arm(motions);
            for row in &self.rows[link.first_row as usize..][..link.row_count as usize] {
                let (p, t) = (row.jacobian.linear_b * row.impulse, row.jacobian.angular_b * row.impulse);
                link.impulse += p;
                link.turn_impulse += t - arm.cross(p);
            }
        }
    }

    /// Limits that were hit bounce back. One pass over the joints.
    pub fn bounce(&mut self, motions: &mut [Motion], threshold: Real) {
        for link in &self.links {
            let n = link.row_count as usize;
            let rows = &mut self.rows[link.first_row as usize..][..n];
            let answers = &self.answers[link.first_row as usize..][..n];
            let k = &self.entries[link.first_entry as usize..];
            for i in 0..n {
                let (row, answer) = (&mut rows[i], &answers[i]);
                let k = k[entry(i, i)];
                if row.restitution == 0.0 || !answer.pushed || answer.approach > -threshold || !(k > 0.0) {
                    continue;
                }
                let mut ends = Ends::load(&link.holds, motions);
                let new = row.impulse - (ends.along(row) + row.restitution * answer.approach) / k;
                let new = Num::max(new, 0.0);
                ends.push(answer, new - row.impulse);
                row.impulse = new;
                ends.store(&link.holds, motions);
            }
        }
    }

    /// Turns the bodies that joints act on by their angular velocities over `h`, and their inertias with them.
    /// With `kicks` their angular momentum stays, and what that does to ω counts as free motion.
    pub fn advance(
        &self,
        state: &State,
        motions: &mut [Motion],
        free: &mut [Free],
        masses: &mut [Mass],
        kicks: Option<&[Kick]>,
        h: Real,
    ) {
        for &i in &self.bodies {
            let i = i as usize;
            let motion = &mut motions[i];
            let (linear, angular) = motion::velocity_of(motion);
            let before = motion::rotation_of(motion);
            let after = before.advanced(angular, h);
            motion::set_rotation(motion, after);
            let params = &state.bodies.params[i];
            if params.inv_mass > 0.0 {
                motion::set_inertia(&mut masses[i], params.inv_inertia_world(after));
                if let Some(kicks) = kicks {
                    let torque = state.bodies.load_on(i).torque;
                    let gyro = motion::gyroscopic_kick(&kicks[i], params, torque, state.bodies.pose[i].rotation, h);
                    let kept = motion::keep_angular_momentum(params, before, angular * h, angular, gyro);
                    motion::set_velocity(motion, linear, kept);
                    for c in 0..3 {
                        free[i][3 + c] += kept[c] - angular[c];
                    }
                }
            }
        }
    }

    /// Writes impulses, memories and loads back to the joints of the world, and notes those that bore too much.
    pub fn store(&mut self, state: &mut State, dt: Real) {
        for link in &self.links {
            let Some(joint) = state.joints.all.at_mut(link.joint) else { continue };
            let rows = &self.rows[link.first_row as usize..][..link.row_count as usize];
            for (impulse, row) in joint.impulses.iter_mut().zip(rows) {
                *impulse = if row.impulse.is_finite() { row.impulse } else { 0.0 };
            }
            joint.memory = link.memory;
            joint.force = link.impulse / dt;
            joint.torque = link.turn_impulse / dt;
            let within = joint.force.length() <= joint.break_force && joint.torque.length() <= joint.break_torque;
            if !within {
                self.overloaded.push(link.joint);
            }
        }
    }
}

/// One side of a joint as the step begins.
fn hold(state: &State, joint: &Joint, side: usize, start: Frame) -> Hold {
    let dense = state.bodies.dense_at(joint.bodies[side]);
    let params = &state.bodies.params[dense];
    let awake = dense < state.bodies.awake();
    Hold {
        body: if awake { dense as u32 } else { NO_ROW },
        dynamic: awake && params.inv_mass > 0.0,
        locked: awake && params.inv_mass > 0.0 && params.locks() != Locks::NONE,
        inv_mass: if awake { params.locks().free_move() * params.inv_mass } else { Vec3::ZERO },
        offset: (joint.frames[side].translation - params.local_centre.to_f64()).to_real(),
        turn: joint.frames[side].rotation,
        start,
    }
}

impl Hold {
    /// The mass of a dynamic body; 0 for one that cannot be pushed.
    pub fn mass(&self) -> Real {
        inverted(self.inv_mass.max_component())
    }

    /// The frame where the body is now.
    fn frame(&self, motions: &[Motion]) -> Frame {
        let Some(motion) = motions.get(self.body as usize) else { return self.start };
        let (linear, angular) = motion::velocity_of(motion);
        let rotation = motion::rotation_of(motion);
        let arm = rotation.rotate(self.offset);
        let (moved, _) = motion::travel_of(motion);
        Frame {
            position: self.start.position + (moved + (arm - self.start.arm)).to_f64(),
            rotation: rotation * self.turn,
            arm,
            linear,
            angular,
            rest: self.start.rest,
        }
    }

    /// From the centre of mass to the frame now.
    fn arm(&self, motions: &[Motion]) -> Vec3 {
        motions.get(self.body as usize).map_or(self.start.arm, |m| motion::rotation_of(m).rotate(self.offset))
    }
}

/// Velocities of the two bodies of a joint.
pub(crate) struct Ends {
    pub v: [Vec3; 4],
}

impl Ends {
    pub fn load(holds: &[Hold; 2], motions: &[Motion]) -> Self {
        let of = |hold: &Hold| {
            motions.get(hold.body as usize).map_or((hold.start.linear, hold.start.angular), motion::velocity_of)
        };
        let ((va, wa), (vb, wb)) = (of(&holds[0]), of(&holds[1]));
        Self { v: [va, wa, vb, wb] }
    }

    pub fn store(&self, holds: &[Hold; 2], motions: &mut [Motion]) {
        for (side, hold) in holds.iter().enumerate() {
            // Kinematic bodies are not changed, and may be shared: what is not written cannot collide.
            if let Some(motion) = motions.get_mut(hold.body as usize)
                && hold.dynamic
            {
                motion::set_velocity(motion, self.v[2 * side], self.v[2 * side + 1]);
            }
        }
    }

    pub fn push(&mut self, answer: &Answer, impulse: Real) {
        for (v, change) in self.v.iter_mut().zip(answer.change) {
            *v += change * impulse;
        }
    }

    pub fn along(&self, row: &Row) -> Real {
        row.jacobian.velocity(self.v[0], self.v[1], self.v[2], self.v[3])
    }
}

/// What rows yield to a body with locked axes, as a share of what they would move if it were free. A row may point almost along what is
/// locked: with an angle of ε to the free directions it has K ~ ε², and an impulse that makes it right gives the body 1/ε of what it asked
/// for, across it. With this on the diagonal it is at most 1/(2 √LOCKED), so that joints which ask for what locks forbid stay finite.
const LOCKED: Real = 1e-3;

/// M⁻¹ Jᵀ of every row, and K.
fn respond(rows: &[Row], answers: &mut [Answer], k: &mut [Real], holds: &[Hold; 2], masses: &[Mass]) {
    let turns = |hold: &Hold| if hold.dynamic { motion::inertia_of(&masses[hold.body as usize]) } else { Sym3::ZERO };
    let (ia, ib) = (turns(&holds[0]), turns(&holds[1]));
    for i in 0..rows.len() {
        let j = &rows[i].jacobian;
        answers[i].change = [
            j.linear_a.scale(holds[0].inv_mass),
            ia * j.angular_a,
            j.linear_b.scale(holds[1].inv_mass),
            ib * j.angular_b,
        ];
        for o in 0..=i {
            let [va, wa, vb, wb] = answers[o].change;
            k[entry(i, o)] = j.velocity(va, wa, vb, wb);
        }
        let halves = [(j.linear_a, j.angular_a, &ia), (j.linear_b, j.angular_b, &ib)];
        for (hold, (linear, angular, turns)) in holds.iter().zip(halves) {
            if hold.locked {
                let free =
                    linear.length_squared() * hold.inv_mass.max_component() + angular.length_squared() * turns.trace();
                k[entry(i, i)] += free * LOCKED;
            }
        }
    }
}

/// Three rows that hold, with (K + Γ)⁻¹ and K⁻¹ at hand: a ball joint.
fn solve_point(rows: &mut [Row], answers: &[Answer], inverses: &[Sym3; 2], ends: &mut Ends, push: bool) {
    let mut rhs = Vec3::ZERO;
    for i in 0..3 {
        let extra = if push { answers[i].bias + answers[i].compliance * rows[i].impulse } else { 0.0 };
        rhs[i] = ends.along(&rows[i]) - rows[i].target + extra;
    }
    let change = inverses[usize::from(!push)] * -rhs;
    for i in 0..3 {
        rows[i].impulse += change[i];
        ends.push(&answers[i], change[i]);
    }
}

/// The rows of a joint, of which there are at most N; of one in a web only those that stand beside it.
fn solve_rows<const N: usize>(
    rows: &mut [Row],
    answers: &mut [Answer],
    k: &[Real],
    whole: bool,
    ends: &mut Ends,
    push: bool,
    recipe: &Recipe,
) {
    let mut demands = [Demand::default(); N];
    let mut count = 0;
    for i in 0..rows.len() {
        if whole && joint_web::holds(&rows[i]) {
            continue;
        }
        if let Some(demand) = demand(i, rows, &answers[i], ends, k, push, recipe) {
            demands[count] = demand;
            count += 1;
        } else if rows[i].is_idle() {
            rows[i].impulse = 0.0;
        }
    }
    let demands = &demands[..count];
    let mut change = [0.0; N];
    if whole {
        solve_beside(demands, answers, &mut change);
    } else {
        joint_block::solve::<N>(k, demands, &mut change);
    }
    for (demand, change) in demands.iter().zip(change) {
        let row = &mut rows[demand.row];
        row.impulse += change;
        answers[demand.row].pushed |= row.bound == Bound::Push && row.impulse > 0.0;
        ends.push(&answers[demand.row], change);
    }
}

/// Solves rows one by one that stand beside what a web holds: each with the mass that it moves while its joint holds.
fn solve_beside(demands: &[Demand], answers: &[Answer], change: &mut [Real]) {
    for (demand, change) in demands.iter().zip(change) {
        let new = demand.impulse - demand.rhs * inverted(answers[demand.row].response + demand.compliance);
        *change = Num::min(Num::max(new, demand.low), demand.high) - demand.impulse;
    }
}

/// (K + Γ)⁻¹ and K⁻¹ of three rows; `None` where they have none.
fn point_inverses(k: &[Real], answers: &[Answer]) -> Option<[Sym3; 2]> {
    let hard = Sym3 { xx: k[0], xy: k[1], yy: k[2], xz: k[3], yz: k[4], zz: k[5] };
    let soft = Vec3::new(answers[0].compliance, answers[1].compliance, answers[2].compliance);
    Some([(hard + Sym3::diagonal(soft)).try_inverse()?, hard.try_inverse()?])
}

/// Bias and compliance of every row in the pushing pass.
fn soften(rows: &[Row], answers: &mut [Answer], k: &[Real], whole: bool, recipe: &Recipe) {
    let mut held = [0; Rows::MAX];
    let mut count = 0;
    for (i, row) in rows.iter().enumerate() {
        if row.bound == Bound::Equal && row.stiffness == Stiffness::Method && !row.is_idle() {
            held[count] = i;
            count += 1;
        }
    }
    let held = &held[..count];
    for (i, (row, answer)) in rows.iter().zip(answers).enumerate() {
        let response = k[entry(i, i)];
        // What the row moves while the joint holds; asked for only where it matters.
        let tuned = matches!(row.stiffness, Stiffness::Tuned(_)) || (whole && !joint_web::holds(row));
        answer.response = match tuned {
            true if count <= 6 => joint_block::response_given::<6>(k, i, held),
            true => joint_block::response_given::<{ Rows::MAX }>(k, i, held),
            false => response,
        };
        match row.stiffness.constants(inverted(answer.response)) {
            Some((stiffness, damping)) => {
                let h = recipe.h;
                let rate = damping + h * stiffness;
                answer.spring = true;
                answer.compliance = inverted(h * rate);
                answer.bias = if rate > 0.0 { stiffness / rate * row.error } else { 0.0 };
            }
            // A motor that holds a speed has no error to get rid of.
            None if matches!(row.bound, Bound::Force(_) | Bound::Friction { .. }) => {
                (answer.spring, answer.compliance, answer.bias) = (false, 0.0, 0.0);
            }
            None => {
                let soft = &recipe.soft;
                answer.spring = false;
                answer.compliance = response * soft.impulse_scale / soft.mass_scale;
                answer.bias = Float::clamp(soft.bias_rate * row.error, -recipe.hold_speed, recipe.hold_speed);
            }
        }
    }
}

fn inverted(x: Real) -> Real {
    if x > 0.0 && x.is_finite() { 1.0 / x } else { 0.0 }
}

/// What a row asks for in a pass; `None` for nothing.
fn demand(
    i: usize,
    rows: &[Row],
    answer: &Answer,
    ends: &Ends,
    k: &[Real],
    push: bool,
    recipe: &Recipe,
) -> Option<Demand> {
    let row = &rows[i];
    // Nothing moves along it: it can ask for what it likes.
    if !(k[entry(i, i)] > 0.0) {
        return None;
    }
    let (low, high) = row.limits(recipe.h, rows);
    let velocity = ends.along(row) - row.target;
    let hard = |rhs: Real| Some(Demand { row: i, rhs, compliance: 0.0, impulse: row.impulse, low, high });
    if row.bound == Bound::Push && row.error > 0.0 {
        // Apart: it may close, not pass.
        let rhs = velocity + row.error / recipe.h;
        return if rhs < 0.0 || row.impulse > 0.0 { hard(rhs) } else { None };
    }
    if !push {
        // A spring has had its say; what else holds must not move on.
        return if answer.spring { None } else { hard(velocity) };
    }
    let bias = if row.bound == Bound::Push && !answer.spring {
        Num::max(answer.bias, -recipe.push_speed)
    } else {
        answer.bias
    };
    let rhs = velocity + bias + answer.compliance * row.impulse;
    Some(Demand { row: i, rhs, compliance: answer.compliance, impulse: row.impulse, low, high })
}
