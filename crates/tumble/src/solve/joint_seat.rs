//! From joints to the lanes of groups, and what the lanes have come to back.

use super::joint_group::{Entry, Form, Groups, JointLimit, Side, Start};
use super::joint_work::Recipe;
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
    pub frames: [WorldPose; 2],
}

impl Seat {
    pub fn new(slot: u32, joint: &Joint) -> Self {
        let Joint { bodies, colour, colour_index, frames, .. } = *joint;
        let (form, supports) = (Form::of(joint), joint.kind.supports());
        Self { slot, colour, colour_index, bodies, supports, form, plain: false, frames }
    }

    /// The form in which lanes hold it.
    pub fn form(&self) -> Option<Form> {
        self.form.filter(|_| self.plain)
    }

    /// Two joints that get the same lane of the same groups.
    pub fn is_like(&self, o: &Self) -> bool {
        (self.slot, self.colour, self.colour_index, self.form()) == (o.slot, o.colour, o.colour_index, o.form())
    }
}

/// What a joint puts into its lane. Without the joint itself, that is what the lane does not know from the step before.
pub(super) fn entry_of<'a>(state: &State, seat: &Seat, joint: Option<(&'a Joint, &Recipe)>) -> Entry<'a> {
    let ((a, at_a, turn_a), (b, at_b, turn_b)) = (side(state, seat, 0), side(state, seat, 1));
    let twist = || {
        let turned = |rotation: Quat| Frame { rotation, ..Frame::default() };
        Frames { a: turned(turn_a), b: turned(turn_b), ..Frames::default() }.twist()
    };
    let twist = if matches!(seat.form, Some(Form::Hinge(..))) { twist() } else { 0.0 };
    let start = joint.map(|(joint, recipe)| {
        let impulses = if recipe.warm_start { &joint.impulses } else { &[0.0; Rows::MAX] };
        Start { impulses, memory: joint.memory[0] }
    });
    Entry { slot: seat.slot, sides: [a, b], gap: (at_b - at_a).to_real(), twist, start }
}

/// Notes a joint that has borne too much.
pub(super) fn note_load(joint: &Joint, slot: u32, overloaded: &mut Vec<u32>) {
    let within = joint.force.length() <= joint.break_force && joint.torque.length() <= joint.break_torque;
    if !within {
        overloaded.push(slot);
    }
}

/// Writes back what a joint in a lane has come to; `false` where the lane is another's.
pub(super) fn store_lane<const N: usize, const X: usize, const P: usize>(
    groups: &Groups<N, X, P>,
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

/// One side of a joint in a group as the step begins, where its frame is and how it is turned.
pub(super) fn side(state: &State, seat: &Seat, side: usize) -> (Side, Point, Quat) {
    let i = state.bodies.dense_at(seat.bodies[side]);
    let (params, pose) = (&state.bodies.params[i], &state.bodies.pose[i]);
    let local = &seat.frames[side];
    let offset = local.translation - params.local_centre.to_f64();
    let arm = pose.rotation.to_f64().rotate(offset);
    let rotation = (pose.rotation * local.rotation).normalized();
    let out = if i < state.bodies.awake() {
        let write = if params.inv_mass > 0.0 { i as u32 } else { NO_ROW };
        let (offset, arm) = (offset.to_real(), arm.to_real());
        Side { body: i as u32, write, inv_mass: params.inv_mass, offset, arm, turn: local.rotation }
    } else {
        Side { body: NO_ROW, write: NO_ROW, inv_mass: 0.0, offset: Vec3::ZERO, arm: Vec3::ZERO, turn: rotation }
    };
    (out, pose.centre + arm, rotation)
}
