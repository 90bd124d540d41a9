//! One joint row by row: how its rows answer, how soft they are, and what they ask for in a pass.

use super::joint_block::{self, Demand, entry};
use super::joint_load::{self, Effort};
use super::joint_pull::Pulled;
use super::joint_web;
use super::joint_work::Recipe;
use super::motion::{self, Mass, Motion};
use crate::body::Locks;
use crate::constraint::joint::store::Joint;
use crate::constraint::{Bound, Frame, Row, Rows, Stiffness};
use crate::math::{Float, NO_ROW, Num, Quat, Real, Sym3, Vec3};
use crate::world::State;

/// One side of a joint: what does not change during the step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hold {
    /// The motion of the body; [`NO_ROW`] where it does not move.
    pub body: u32,
    /// Dynamic: impulses change its velocity.
    pub dynamic: bool,
    /// Dynamic, with axes locked.
    pub locked: bool,
    pub inv_mass: Vec3,
    /// From the centre of mass to the frame, in the frame of the body.
    pub offset: Vec3,
    /// The frame in the frame of the body.
    pub turn: Quat,
    /// Where the frame is at the start of the step.
    pub start: Frame,
}

/// A joint in the step.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    pub joint: u32,
    pub holds: [Hold; 2],
    pub first_row: u32,
    pub row_count: u32,
    /// Where its K begins.
    pub first_entry: u32,
    /// What it holds is solved with the whole web.
    pub whole: bool,
    /// It has three rows that hold and no others.
    pub point: Option<HeldPoint>,
    pub effort: Effort,
    /// It holds along axes of A: its arm on A leads to the frame of B.
    pub reaches: bool,
    pub memory: [f64; 4],
    /// Changes of v_A, ω_A, v_B, ω_B that it has caused in this sub-step.
    pub applied: [Vec3; 4],
    /// Sums over the sub-steps: impulse and angular impulse on B about its frame.
    pub impulse: Vec3,
    pub turn_impulse: Vec3,
}

/// K⁻¹ of three rows that hold, and 1/(1 + γ).
#[derive(Clone, Copy, Debug)]
pub(crate) struct HeldPoint {
    inverse: Sym3,
    firm: Real,
}

impl Link {
    /// Tells how hard it pulls at its bodies, h² f·r, by the impulses that its rows carry.
    pub fn pull(&self, pulled: &mut Pulled, rows: &[Row], motions: &[Motion], h: Real) {
        let mut forces = [Vec3::ZERO; 2];
        for row in rows {
            forces[0] += row.jacobian.linear_a * row.impulse;
            forces[1] += row.jacobian.linear_b * row.impulse;
        }
        let mut arms = [self.holds[0].free_arm(motions), self.holds[1].free_arm(motions)];
        if self.reaches {
            let [from, to] = [0, 1].map(|side: usize| self.holds[side].frame(motions).position);
            arms[0] += (to - from).to_real();
        }
        for side in (0..2).filter(|&side| self.holds[side].dynamic) {
            pulled.add(self.holds[side].body, forces[side].dot(arms[side]) * h);
        }
    }
}

/// What goes with a row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Answer {
    /// M⁻¹ Jᵀ: changes of v_A, ω_A, v_B, ω_B per unit impulse.
    pub change: [Vec3; 4],
    /// What the pushing pass adds to the velocity, and Γ.
    pub bias: Real,
    pub compliance: Real,
    /// The velocity that a unit impulse gives the row, while the rest of the joint holds where that matters.
    pub response: Real,
    /// The row is a spring, which the relaxing pass leaves alone.
    pub spring: bool,
    /// Velocity before the step, for rows that bounce; and whether they have pushed.
    pub approach: Real,
    pub pushed: bool,
}

pub(super) const NO_ANSWER: Answer = Answer {
    change: [Vec3::ZERO; 4],
    bias: 0.0,
    compliance: 0.0,
    response: 0.0,
    spring: false,
    approach: 0.0,
    pushed: false,
};

/// One side of a joint as the step begins.
pub(super) fn hold(state: &State, joint: &Joint, side: usize, start: Frame) -> Hold {
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
    /// The frame where the body is now.
    pub fn frame(&self, motions: &[Motion]) -> Frame {
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

    /// From the centre of mass to the frame now where the body moves, and zero where it does not.
    pub fn free_arm(&self, motions: &[Motion]) -> Vec3 {
        motions.get(self.body as usize).map_or(Vec3::ZERO, |m| motion::rotation_of(m).rotate(self.offset))
    }

    /// More than joints acts on the body.
    pub fn is_touched(&self, masses: &[Mass]) -> bool {
        self.dynamic && !motion::is_jointed_only(&masses[self.body as usize])
    }

    /// From the centre of mass to the frame now.
    pub fn arm(&self, motions: &[Motion]) -> Vec3 {
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

/// M⁻¹ Jᵀ of every row, and K, with the reciprocal inertias of both bodies.
pub(super) fn respond(rows: &[Row], answers: &mut [Answer], k: &mut [Real], holds: &[Hold; 2], turns: [Sym3; 2]) {
    let [ia, ib] = turns;
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

/// Three rows that hold: a ball joint. As in `joint_kernel`, all of K yields. It goes `relaxation` times as far as makes it right.
pub(super) fn solve_point(
    rows: &mut [Row],
    answers: &[Answer],
    point: &HeldPoint,
    ends: &mut Ends,
    push: bool,
    relaxation: Real,
) {
    let (mut rhs, mut carried) = (Vec3::ZERO, Vec3::ZERO);
    for i in 0..3 {
        let bias = if push { answers[i].bias } else { 0.0 };
        rhs[i] = ends.along(&rows[i]) - rows[i].target + bias;
        carried[i] = rows[i].impulse;
    }
    let mut change = point.inverse * rhs;
    if push {
        change = change * point.firm + carried * (1.0 - point.firm);
    }
    change *= -relaxation;
    for i in 0..3 {
        rows[i].impulse += change[i];
        ends.push(&answers[i], change[i]);
    }
}

/// The rows of a joint, of which there are at most N; of one in a web only those that stand beside it. Those that hold go `relaxation` times as
/// far.
#[allow(clippy::too_many_arguments)]
pub(super) fn solve_rows<const N: usize>(
    rows: &mut [Row],
    answers: &mut [Answer],
    k: &[Real],
    whole: bool,
    ends: &mut Ends,
    push: bool,
    relaxation: Real,
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
        } else if rows[i].is_idle() || (answers[i].spring && !(answers[i].compliance > 0.0)) {
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
        let change = if joint_web::holds(row) { change * relaxation } else { change };
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

/// K of three rows.
fn point_response(k: &[Real]) -> Sym3 {
    Sym3 { xx: k[0], xy: k[1], yy: k[2], xz: k[3], yz: k[4], zz: k[5] }
}

impl HeldPoint {
    /// Of three rows that hold, so strained; `None` where K has no inverse.
    pub fn new(k: &[Real], strain: Real, recipe: &Recipe) -> Option<Self> {
        let inverse = point_response(k).try_inverse()?;
        Some(Self { inverse, firm: 1.0 / (1.0 + recipe.soft.compliance() / (1.0 + strain)) })
    }
}

/// Three rows that hold and no others, that no web solves, between bodies without locked axes: with these K has hardly an inverse, and its diagonal has to yield.
pub(super) fn is_point(rows: &[Row], whole: bool, locked: bool) -> bool {
    rows.len() == 3 && !whole && !locked && rows.iter().all(joint_web::holds)
}

/// Bias and compliance of every row in the pushing pass. Returns how loaded the joint is, if its `arms` are told.
pub(super) fn soften(
    rows: &[Row],
    answers: &mut [Answer],
    k: &[Real],
    whole: bool,
    arms: Option<Real>,
    recipe: &Recipe,
) -> Real {
    let soft = &recipe.soft;
    let softness = soft.compliance();
    let holds_place = |row: &Row| joint_web::holds(row) && row.jacobian.linear_b != Vec3::ZERO;
    let placed = rows.iter().enumerate().filter(|(_, row)| holds_place(row));
    let (moved, open) = placed.fold((0.0, 0.0), |(moved, open), (i, row)| {
        let v = k[entry(i, i)] * row.impulse;
        (moved + v * v, open + row.error * row.error)
    });
    let moved = if is_point(rows, whole, arms.is_none()) {
        (point_response(k) * Vec3::new(rows[0].impulse, rows[1].impulse, rows[2].impulse)).length()
    } else {
        Num::sqrt(moved)
    };
    let strain = match arms {
        Some(arms) => joint_load::strain(moved * (softness / soft.bias_rate), Num::sqrt(open), arms),
        None => 0.0,
    };
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
            // A motor that holds a speed has no error to get rid of; one that is to go to a place goes there as a joint would.
            None if matches!(row.bound, Bound::Force(_)) => {
                let bias = Float::clamp(soft.bias_rate * row.error, -recipe.hold_speed, recipe.hold_speed);
                (answer.spring, answer.compliance, answer.bias) = (false, 0.0, bias);
            }
            None if matches!(row.bound, Bound::Friction { .. }) => {
                (answer.spring, answer.compliance, answer.bias) = (false, 0.0, 0.0);
            }
            None => {
                answer.spring = false;
                answer.compliance = response * softness;
                if whole && joint_web::holds(row) {
                    answer.compliance /= joint_load::WHOLE;
                } else if holds_place(row) {
                    answer.compliance /= 1.0 + strain;
                }
                answer.bias = Float::clamp(soft.bias_rate * row.error, -recipe.hold_speed, recipe.hold_speed);
            }
        }
    }
    strain
}

pub(super) fn inverted(x: Real) -> Real {
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
    if answer.spring && (!push || !(answer.compliance > 0.0)) {
        // It has had its say, or has none: neither stiffness nor damping.
        return None;
    }
    if row.bound == Bound::Push && row.error > 0.0 {
        // Apart: it may close, not pass. A spring is met with the part of the way that lies behind the stop, and gives way by that.
        let rhs = velocity + row.error / recipe.h;
        if !(rhs < 0.0 || row.impulse > 0.0) {
            return None;
        }
        let compliance = if answer.spring { answer.compliance } else { 0.0 };
        let rhs = rhs + compliance * row.impulse;
        return Some(Demand { row: i, rhs, compliance, impulse: row.impulse, low, high });
    }
    if !push {
        // What holds must not move on.
        return hard(velocity);
    }
    let bias = if row.bound == Bound::Push && !answer.spring {
        Num::max(answer.bias, -recipe.push_speed)
    } else {
        answer.bias
    };
    let rhs = velocity + bias + answer.compliance * row.impulse;
    Some(Demand { row: i, rhs, compliance: answer.compliance, impulse: row.impulse, low, high })
}
