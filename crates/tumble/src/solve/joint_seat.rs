//! From joints to the lanes of groups, and what the lanes have come to back.

use super::joint_group::{Entry, Form, Groups, JointLimit, Side, Start};
use super::joint_work::Recipe;
use crate::body::store::{Bodies, Params, Velocity};
use crate::constraint::joint::store::Joint;
use crate::constraint::{Frame, Frames, Rows};
use crate::math::{LANES, NO_ROW, Point, Quat, Real, Vec3, WorldPose};
use crate::world::State;

/// A joint that acts: its place in the graph, and what a step needs to know of it. A fraction of a joint in size.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seat {
    pub slot: u32,
    pub colour: u32,
    pub colour_index: u32,
    pub bodies: [u32; 2],
    pub supports: u32,
    /// `None` for kinds that are solved row by row.
    pub form: Option<Form>,
    /// Its bodies fit into lanes.
    pub plain: bool,
    pub moorings: Moorings,
    pub frames: [WorldPose; 2],
}

/// The sides of a joint that do not move.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Moorings {
    pub fixed: [bool; 2],
    /// They have no velocity either.
    pub still: bool,
}

impl Seat {
    pub fn new(slot: u32, joint: &Joint) -> Self {
        let Joint { bodies, colour, colour_index, frames, .. } = *joint;
        let (form, supports) = (Form::of(joint), joint.kind.supports());
        Self { slot, colour, colour_index, bodies, supports, form, plain: false, moorings: Moorings::default(), frames }
    }

    /// The form in which lanes hold it.
    pub fn form(&self) -> Option<Form> {
        self.form.filter(|_| self.plain)
    }

    /// Which of its bodies do not move.
    pub fn moorings(&self, bodies: &Bodies) -> Moorings {
        let mut moorings = Moorings { fixed: [false; 2], still: true };
        for (fixed, slot) in moorings.fixed.iter_mut().zip(self.bodies) {
            let i = bodies.dense_at(slot);
            *fixed = i >= bodies.awake();
            moorings.still &= !*fixed || bodies.velocity[i] == Velocity::default();
        }
        moorings
    }

    /// Two joints that get the same lane of the same groups.
    pub fn is_like(&self, o: &Self) -> bool {
        (self.slot, self.colour, self.colour_index, self.form()) == (o.slot, o.colour, o.colour_index, o.form())
    }
}

/// A body that moves, as its joints know it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Anchor {
    slot: u32,
    flags: u32,
    inv_mass: Real,
    local_centre: Vec3,
    /// How many supports its joints are.
    pub supports: u32,
}

impl Anchor {
    pub fn new(bodies: &Bodies, dense: usize) -> Self {
        let Params { inv_mass, local_centre, flags, .. } = bodies.params[dense];
        Self { slot: bodies.slot[dense], flags, inv_mass, local_centre, supports: 0 }
    }

    /// It is still that body, where it was among those that move, and nobody has changed its mass or its locks.
    pub fn is_now(&self, bodies: &Bodies, dense: u32) -> bool {
        let Params { inv_mass, local_centre, flags, .. } = bodies.params[dense as usize];
        bodies.slot[dense as usize] == self.slot
            && (flags, inv_mass, local_centre) == (self.flags, self.inv_mass, self.local_centre)
    }
}

/// What a joint puts into its lane. Without the joint itself, that is what the lane does not know from the step before.
pub(super) fn entry_of<'a>(state: &State, seat: &Seat, joint: Option<(&'a Joint, &Recipe)>) -> Entry<'a> {
    let ((a, from), (b, to)) = (side(state, seat, 0), side(state, seat, 1));
    let twist = if matches!(seat.form, Some(Form::Hinge(..))) { twist_of(state, seat) } else { 0.0 };
    let start = joint.map(|(joint, recipe)| {
        let impulses = if recipe.warm_start { &joint.impulses } else { &[0.0; Rows::MAX] };
        Start { impulses, memory: joint.memory[0] }
    });
    Entry { slot: seat.slot, sides: [a, b], gap: (to - from).to_real(), twist, start }
}

/// The twist from frame A to frame B as the step begins.
pub(super) fn twist_of(state: &State, seat: &Seat) -> Real {
    let turned = |side: usize| Frame { rotation: turn(state, seat, side), ..Frame::default() };
    Frames { a: turned(0), b: turned(1), ..Frames::default() }.twist()
}

/// Notes a joint that has borne too much.
pub(super) fn note_load(joint: &Joint, slot: u32, overloaded: &mut Vec<u32>) {
    let within = joint.force.length() <= joint.break_force && joint.torque.length() <= joint.break_torque;
    if !within {
        overloaded.push(slot);
    }
}

/// Writes back what a joint in a lane has come to; `false` where the lane is another's.
pub(super) fn store_lane<const N: usize, const X: usize, const P: usize, const Q: usize>(
    groups: &Groups<N, X, P, Q>,
    limits: Option<&[JointLimit]>,
    at: u32,
    slot: u32,
    joint: &mut Joint,
    dt: Real,
) -> bool {
    let lane = at as usize % LANES;
    let Some(base) = groups.bases.get(at as usize / LANES).filter(|base| base.joint[lane] == slot) else {
        return false;
    };
    let group = &groups.groups[at as usize / LANES];
    let sound = |x: Real| if x.is_finite() { x } else { 0.0 };
    for (impulse, wide) in joint.impulses.iter_mut().zip(&group.impulse) {
        *impulse = sound(wide.0[lane]);
    }
    let limit = limits.and_then(|l| l.get(group.limit as usize));
    // The last sub-step is not among the sums yet.
    let (p, t) = group.carried::<Real>(limit, lane);
    if let Some(limit) = limit {
        for (impulse, wide) in joint.impulses[5..].iter_mut().zip(&limit.impulse) {
            *impulse = sound(wide.0[lane]);
        }
    }
    if N == 5 {
        joint.memory = [base.memory[lane], 0.0, 0.0, 0.0];
    }
    joint.force = (base.sum.lane(lane) + p) / dt;
    joint.torque = (base.turn_sum.lane(lane) + t) / dt;
    true
}

/// How the frame of a joint is turned.
fn turn(state: &State, seat: &Seat, side: usize) -> Quat {
    let i = state.bodies.dense_at(seat.bodies[side]);
    (state.bodies.pose[i].rotation * seat.frames[side].rotation).normalized()
}

/// One side of a joint in a group as the step begins, and where the centre of the body is; the frame, where it does not move.
fn side(state: &State, seat: &Seat, side: usize) -> (Side, Point) {
    let i = state.bodies.dense_at(seat.bodies[side]);
    let (params, pose) = (&state.bodies.params[i], &state.bodies.pose[i]);
    let local = &seat.frames[side];
    let offset = local.translation - params.local_centre.to_f64();
    if i < state.bodies.awake() {
        let write = if params.inv_mass > 0.0 { i as u32 } else { NO_ROW };
        let (inv_mass, offset, turn) = (params.inv_mass, offset.to_real(), local.rotation);
        return (Side { body: i as u32, write, inv_mass, offset, turn }, pose.centre);
    }
    let turn = turn(state, seat, side);
    let fixed = Side { body: NO_ROW, write: NO_ROW, inv_mass: 0.0, offset: Vec3::ZERO, turn };
    (fixed, pose.centre + pose.rotation.to_f64().rotate(offset))
}
