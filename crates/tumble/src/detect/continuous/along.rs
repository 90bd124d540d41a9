//! Bodies that joints tie to one that was held: they come along.
//!
//! Who is held stays behind, and its neighbours have gone on: their joints gape until the next step pulls them together. So they are
//! moved once more, by what the joints ask of them with the held ones as if fixed,
//!
//! ```text
//!   λ = -C / (J M⁻¹ Jᵀ),     Δ = M⁻¹ Jᵀ λ
//! ```
//!
//! row by row, in a few sweeps over the joints near the held body. In the first of them each joint moves the one of its bodies that is farther from a held
//! one, and that alone: chains and trees follow link by link, exactly but for how far they turn, while sweeps that share every gap among both bodies take
//! as many as the square of the length of a chain. Those come after, for what closes loops. All are then followed themselves, since they must not pass through
//! anything either. Velocities are not touched.

use super::{Ahead, Mover};
use crate::body::store::{CentrePose, Params};
use crate::constraint::contact::NONE;
use crate::constraint::joint::store::Joint;
use crate::constraint::{Bound, Row, Rows, Stiffness};
use crate::math::{Num, Quat, Real, Sym3, Vec3};
use crate::world::State;

/// Sweeps over the joints in which the farther body follows, and in which both move. Fewer, where nothing is left to do.
const FOLLOWING: usize = 3;
const SWEEPS: usize = 8;

/// The gap that is none, in lengths of the scene and, as a turn, in radians.
const CLOSED: Real = 1e-4;

/// How many bodies come along for each held one, those nearest to any of them, and the rest of the last one's neighbours: what is tied to one of many must not stay
/// behind because they are many.
pub(super) const MOST: usize = 64;

/// A body near one that was held.
#[derive(Clone, Copy, Debug)]
pub(super) struct Companion {
    dense: u32,
    /// It was held itself, or nothing moves it.
    stays: bool,
    /// It is not where its velocity brought it: what is joined to it may have to follow.
    moved: bool,
    start: CentrePose,
    turn: Vec3,
}

/// Moves what is joined to the bodies of `ahead.held`.
pub(super) fn bring(state: &mut State, ahead: &mut Ahead) {
    ahead.companions.clear();
    ahead.ties.clear();
    for i in 0..ahead.held.len() {
        let dense = ahead.held[i] as usize;
        if !state.joints.of_body(state.bodies.slot[dense]).is_empty() {
            ahead.add_companion(Companion::new(state, dense, true), state.bodies.awake());
        }
    }
    let held = ahead.companions.len();
    let most = held + held * MOST;
    // Breadth first, so that the nearest come first.
    let mut next = 0;
    while next < ahead.companions.len() && ahead.companions.len() < most {
        let slot = state.bodies.slot[ahead.companions[next].dense as usize];
        for &tie in state.joints.of_body(slot) {
            let Some(joint) = state.joints.all.at(tie).filter(|j| state.joint_acts(j)) else { continue };
            let other = state.bodies.dense_at(joint.other(slot));
            let known = ahead.companion(other);
            // Whoever came before has brought it.
            if known.is_some_and(|place| place < next) {
                continue;
            }
            ahead.ties.push(tie);
            let params = &state.bodies.params[other];
            // A link goes where its tree goes.
            let moves = other < state.bodies.awake() && params.inv_mass > 0.0 && !params.has(Params::LINK);
            if moves && known.is_none() {
                ahead.add_companion(Companion::new(state, other, false), state.bodies.awake());
            }
        }
        next += 1;
    }
    let mut rows = core::mem::take(&mut ahead.rows);
    let closed = CLOSED * Num::min(state.method.tolerances.length, 1.0);
    for sweep in 0..FOLLOWING + SWEEPS {
        let mut widest: Real = 0.0;
        for i in 0..ahead.ties.len() {
            if let Some(joint) = state.joints.all.at(ahead.ties[i]) {
                let ends = joint.bodies.map(|slot| state.bodies.dense_at(slot));
                let places = ends.map(|dense| ahead.companion(dense));
                if !places.into_iter().flatten().any(|place| ahead.companions[place].moved) {
                    continue;
                }
                let last = places.into_iter().flatten().max();
                let comes =
                    |place: &usize| !ahead.companions[*place].stays && (sweep >= FOLLOWING || Some(*place) == last);
                let coming = places.map(|place| place.filter(comes));
                let (moved, gap) = pull(state, joint, ends, coming.map(|place| place.is_some()), &mut rows);
                if gap < closed {
                    continue;
                }
                widest = Num::max(widest, gap);
                for ((dense, place), [shift, turn]) in ends.into_iter().zip(coming).zip(moved) {
                    if let Some(place) = place {
                        ahead.companions[place].turn += turn;
                        ahead.companions[place].moved = true;
                        let pose = &mut state.bodies.pose[dense];
                        pose.centre += shift.to_f64();
                        pose.rotation = (Quat::from_rotation_vector(turn) * pose.rotation).normalized();
                    }
                }
            }
        }
        if widest == 0.0 {
            break;
        }
    }
    for companion in &ahead.companions {
        ahead.places[companion.dense as usize] = NONE;
    }
    ahead.rows = rows;
    for i in 0..ahead.companions.len() {
        let Companion { dense, stays, moved, start, turn } = ahead.companions[i];
        let at = dense as usize;
        if stays || !moved {
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
        Self { dense: dense as u32, stays, moved: stays, start: state.bodies.pose[dense], turn: Vec3::ZERO }
    }
}

impl Ahead {
    /// Where a body is among the companions.
    fn companion(&self, dense: usize) -> Option<usize> {
        self.places.get(dense).filter(|&&place| place != NONE).map(|&place| place as usize)
    }

    /// Takes on one of so many awake bodies.
    fn add_companion(&mut self, companion: Companion, awake: usize) {
        if self.places.len() < awake {
            self.places.resize(awake, NONE);
        }
        self.places[companion.dense as usize] = self.companions.len() as u32;
        self.companions.push(companion);
    }
}

/// The shifts and turns of both ends of a joint that make its hard rows hold, one after the other; of those ends that `come` along. And the largest error that was
/// to be taken out.
fn pull(state: &State, joint: &Joint, ends: [usize; 2], come: [bool; 2], rows: &mut Rows) -> ([[Vec3; 2]; 2], Real) {
    let mut frames = state.joint_frames(joint);
    frames.memory = joint.kind.constraint().remember(&frames);
    rows.clear();
    joint.rows(&frames, rows);
    let mass = [0, 1].map(|s| {
        if come[s] {
            let params = &state.bodies.params[ends[s]];
            let free = params.locks().free_move() * params.inv_mass;
            (free, params.inv_inertia_world(state.bodies.pose[ends[s]].rotation))
        } else {
            (Vec3::ZERO, Sym3::ZERO)
        }
    });
    let (mut moved, mut widest) = ([[Vec3::ZERO; 2]; 2], 0.0);
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
            widest = Num::max(widest, error.abs());
            for s in 0..2 {
                moved[s][0] -= answer[s][0] * (error / k);
                moved[s][1] -= answer[s][1] * (error / k);
            }
        }
    }
    (moved, widest)
}
