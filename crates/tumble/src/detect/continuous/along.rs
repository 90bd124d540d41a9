//! Bodies that joints tie to one that was held: they come along.
//!
//! Who is held stays behind, and its neighbours have gone on: their joints gape until the next step pulls them together. So they are
//! moved once more, by what the joints ask of them with the held ones as if fixed,
//!
//! ```text
//!   λ = -C / (J M⁻¹ Jᵀ),     Δ = M⁻¹ Jᵀ λ
//! ```
//!
//! row by row, in a few sweeps over the joints near the held body; and are then followed themselves, since they must not pass through
//! anything either. Velocities are not touched.

use super::{Ahead, Mover};
use crate::body::store::{CentrePose, Params};
use crate::constraint::joint::store::Joint;
use crate::constraint::{Bound, Row, Rows, Stiffness};
use crate::math::{Quat, Real, Sym3, Vec3};
use crate::world::State;

/// Sweeps over the joints.
const SWEEPS: usize = 8;

/// How many bodies come along, at the most: those nearest to the held ones.
pub(super) const MOST: usize = 64;

/// A body near one that was held.
#[derive(Clone, Copy, Debug)]
pub(super) struct Companion {
    dense: u32,
    /// It was held itself, or nothing moves it.
    stays: bool,
    start: CentrePose,
    turn: Vec3,
}

/// Moves what is joined to the bodies of `ahead.held`.
pub(super) fn bring(state: &mut State, ahead: &mut Ahead) {
    ahead.companions.clear();
    ahead.ties.clear();
    for &dense in &ahead.held {
        let dense = dense as usize;
        if !state.joints.of_body(state.bodies.slot[dense]).is_empty() {
            ahead.companions.push(Companion::new(state, dense, true));
        }
    }
    // Breadth first, so that the nearest come first.
    let mut next = 0;
    while next < ahead.companions.len() && ahead.companions.len() < MOST {
        let slot = state.bodies.slot[ahead.companions[next].dense as usize];
        for &tie in state.joints.of_body(slot) {
            let Some(joint) = state.joints.all.at(tie).filter(|j| state.joint_acts(j)) else { continue };
            if ahead.ties.contains(&tie) {
                continue;
            }
            ahead.ties.push(tie);
            let other = state.bodies.dense_at(joint.other(slot));
            let params = &state.bodies.params[other];
            // A link goes where its tree goes.
            let moves = other < state.bodies.awake() && params.inv_mass > 0.0 && !params.has(Params::LINK);
            if moves && !ahead.companions.iter().any(|c| c.dense as usize == other) {
                ahead.companions.push(Companion::new(state, other, false));
            }
        }
        next += 1;
    }
    let mut rows = core::mem::take(&mut ahead.rows);
    for _ in 0..SWEEPS {
        for i in 0..ahead.ties.len() {
            if let Some(joint) = state.joints.all.at(ahead.ties[i]) {
                let ends = joint.bodies.map(|slot| state.bodies.dense_at(slot));
                let moved = pull(state, joint, ends, &ahead.companions, &mut rows);
                for (dense, [shift, turn]) in ends.into_iter().zip(moved) {
                    if let Some(c) = ahead.companions.iter_mut().find(|c| c.dense as usize == dense && !c.stays) {
                        c.turn += turn;
                        let pose = &mut state.bodies.pose[dense];
                        pose.centre += shift.to_f64();
                        pose.rotation = (Quat::from_rotation_vector(turn) * pose.rotation).normalized();
                    }
                }
            }
        }
    }
    ahead.rows = rows;
    for i in 0..ahead.companions.len() {
        let Companion { dense, stays, start, turn } = ahead.companions[i];
        let at = dense as usize;
        if stays {
            continue;
        }
        if !state.bodies.pose[at].is_finite() {
            state.bodies.pose[at] = start;
        }
        if let Some(pose) = state.held(ahead, &Mover { dense, start, turn, clear: false })
            && pose.is_finite()
        {
            state.bodies.pose[at] = pose;
        }
    }
}

impl Companion {
    fn new(state: &State, dense: usize, stays: bool) -> Self {
        Self { dense: dense as u32, stays, start: state.bodies.pose[dense], turn: Vec3::ZERO }
    }
}

/// The shifts and turns of both ends of a joint that make its hard rows hold, one after the other.
fn pull(state: &State, joint: &Joint, ends: [usize; 2], party: &[Companion], rows: &mut Rows) -> [[Vec3; 2]; 2] {
    let mut frames = state.joint_frames(joint);
    frames.memory = joint.kind.constraint().remember(&frames);
    rows.clear();
    joint.rows(&frames, rows);
    let mass = ends.map(|i| {
        if party.iter().any(|c| c.dense as usize == i && !c.stays) {
            let params = &state.bodies.params[i];
            let free = params.locks().free_move() * params.inv_mass;
            (free, params.inv_inertia_world(state.bodies.pose[i].rotation))
        } else {
            (Vec3::ZERO, Sym3::ZERO)
        }
    });
    let mut moved = [[Vec3::ZERO; 2]; 2];
    let holds = |r: &&Row| r.bound == Bound::Equal && r.stiffness == Stiffness::Method && r.target == 0.0;
    for row in rows.as_slice().iter().filter(holds) {
        let j = &row.jacobian;
        let sides = [[j.linear_a, j.angular_a], [j.linear_b, j.angular_b]];
        let [[xa, ta], [xb, tb]] = moved;
        let error = row.error + j.velocity(xa, ta, xb, tb);
        let answer = [0, 1].map(|s| {
            let ([linear, angular], (m, inertia)) = (sides[s], &mass[s]);
            [linear.scale(*m), *inertia * angular]
        });
        let k: Real = (0..2).map(|s| sides[s][0].dot(answer[s][0]) + sides[s][1].dot(answer[s][1])).sum();
        if k > 0.0 {
            for s in 0..2 {
                moved[s][0] -= answer[s][0] * (error / k);
                moved[s][1] -= answer[s][1] * (error / k);
            }
        }
    }
    moved
}
