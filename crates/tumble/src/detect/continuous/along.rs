//! Bodies that joints tie to one that was held: they come along.
//!
//! Who is held stays behind, and its neighbours have gone on: their joints gape until the next step pulls them together. So they are
//! moved once more, by what the joints ask of them with the held ones as if fixed,
//!
//! ```text
//!   λ = -C / (J M⁻¹ Jᵀ),     Δ = M⁻¹ Jᵀ λ
//! ```
//!
//! in a few sweeps over the joints near the held body. In the first of them each joint moves the one of its bodies that is farther from a held
//! one, and that alone: chains and trees follow link by link, exactly but for how far they turn, while sweeps that share every gap among both bodies take
//! as many as the square of the length of a chain. Those come after, for what closes loops. Limits, which C >= 0 keeps, count where they are passed: what comes along
//! would else be bent at its hinges as far as the held ones have stayed behind. All are then followed themselves, since they must not pass through
//! anything either. Velocities are not touched.

use super::{Ahead, Mover};
use crate::body::store::{CentrePose, Params};
use crate::constraint::contact::NONE;
use crate::constraint::joint::store::Joint;
use crate::constraint::{Bound, Jacobian, Row, Rows, Stiffness};
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
        if let Some(pose) = state.held(ahead, &Mover::followed(dense, start, turn))
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

/// Shifts and turns of both ends of a joint.
type Moves = [[Vec3; 2]; 2];

/// The share of what a row gives to its bodies that must be left once the rows before it are kept, for it to say anything new: more than rounding.
const NEW: Real = 64.0 * Real::EPSILON;

/// The moves of those ends of a joint that `come` along which make its hard rows hold; and the largest error that was to be taken out.
///
/// Row after row, each without disturbing those before it: what it does to the bodies, a = M⁻¹ Jᵀ, is freed of what would change them,
/// aᵢ ← aᵢ - Σ aₖ (Jₖ aᵢ) / (Jₖ aₖ). That is K = L D Lᵀ solved while it is factored. A limit takes part if it is passed once the rest holds.
fn pull(state: &State, joint: &Joint, ends: [usize; 2], come: [bool; 2], rows: &mut Rows) -> (Moves, Real) {
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
    let hard = |bound| {
        let is = move |r: &&Row| r.bound == bound && r.stiffness == Stiffness::Method && r.target == 0.0;
        rows.as_slice().iter().filter(is)
    };
    let rate = |j: &Jacobian, [[xa, ta], [xb, tb]]: Moves| j.velocity(xa, ta, xb, tb);
    let (mut moved, mut widest): (Moves, Real) = ([[Vec3::ZERO; 2]; 2], 0.0);
    // Of those that were kept: a, J and 1 / (J a). Two bodies have twelve freedoms.
    let mut kept: [(Moves, Jacobian, Real); 12] = [(moved, Jacobian::ZERO, 0.0); 12];
    let mut count = 0;
    for row in hard(Bound::Equal).chain(hard(Bound::Push)) {
        let j = &row.jacobian;
        let error = row.error + rate(j, moved);
        if row.bound == Bound::Push && !(error < 0.0) || count == kept.len() {
            continue;
        }
        let sides = [[j.linear_a, j.angular_a], [j.linear_b, j.angular_b]];
        let mut answer = [0, 1].map(|s| [sides[s][0].scale(mass[s].0), mass[s].1 * sides[s][1]]);
        let alone = rate(j, answer);
        for (before, of_it, inverse) in &kept[..count] {
            let disturbs = rate(of_it, answer);
            add(&mut answer, before, -disturbs * inverse);
        }
        let k = rate(j, answer);
        if k > NEW * alone {
            widest = Num::max(widest, error.abs());
            add(&mut moved, &answer, -error / k);
            kept[count] = (answer, *j, 1.0 / k);
            count += 1;
        }
    }
    (moved, widest)
}

fn add(moves: &mut Moves, more: &Moves, times: Real) {
    for (one, more) in moves.iter_mut().flatten().zip(more.iter().flatten()) {
        *one += *more * times;
    }
}

#[cfg(test)]
mod tests {
    use super::{Ahead, bring};
    use crate::constraint::joint::{Distance, Hinge};
    use crate::math::{Quat, Real, Vec3};
    use crate::shape::Shape;
    use crate::{BodyDesc, BodyId, JointDesc, JointId, World};

    /// Two rods end to end along x, the first of which is held; what a joint between them asks of the second is done.
    fn brought(joint: impl Fn(BodyId, BodyId) -> JointDesc, displace: impl Fn(&mut World, usize)) -> (World, JointId) {
        let mut world = World::new();
        let [a, b] = [0.0, 1.0].map(|x| {
            let rod = BodyDesc::dynamic().position([x, 0.0, 0.0]).collider(Shape::cuboid(0.5, 0.1, 0.1).unwrap());
            world.add_body(rod).unwrap()
        });
        let joint = world.add_joint(joint(a, b)).unwrap();
        let [a, b] = [a, b].map(|id| world.state.bodies.dense_at(id.index()));
        displace(&mut world, b);
        let mut ahead = Ahead::default();
        ahead.held.push(a as u32);
        bring(&mut world.state, &mut ahead);
        (world, joint)
    }

    /// A hinge of a falling ragdoll was bent 22 degrees beyond its limit in one step: only what joints hold was kept.
    #[test]
    fn what_comes_along_keeps_its_limits() {
        // The last is not passed, and turned by the gap alone: no limit pulls at it.
        for (angle, low, high) in [(1.0, 0.19, 0.21), (-1.0, -0.11, -0.09), (0.15, 0.0, 0.15)] {
            let hinge =
                |a, b| JointDesc::new(a, b, Hinge::limited(-0.1, 0.2)).anchor([0.5, 0.0, 0.0]).axis([0.0, 0.0, 1.0]);
            let (world, joint) = brought(hinge, |world, b| {
                let pose = &mut world.state.bodies.pose[b];
                pose.rotation = Quat::from_rotation_vector(Vec3::Z * angle);
                pose.centre += Vec3::new(0.05, 0.03, 0.0);
            });
            let joint = world.joint(joint).unwrap();
            assert!(joint.frames().gap().length() < 1e-3, "{angle}: gap {:?}", joint.frames().gap());
            let value: Real = joint.value().unwrap();
            assert!(low < value && value < high, "{angle}: bent by {value}");
        }
    }

    /// A rope is tightened as well, and left alone while it is slack.
    #[test]
    fn what_hangs_on_a_rope_comes_along_when_it_is_tight() {
        let rope = |a, b| JointDesc::new(a, b, Distance::rope(1.2)).anchor_a([0.0; 3]).anchor_b([0.0; 3]);
        for (apart, now) in [(1.5, 1.2), (1.1, 1.1)] {
            let (world, joint) = brought(rope, |world, b| world.state.bodies.pose[b].centre.x = apart);
            let length: Real = world.joint(joint).unwrap().value().unwrap();
            assert!((length - now).abs() < 1e-3, "{apart}: {length}");
        }
    }
}
