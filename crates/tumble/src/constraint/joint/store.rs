//! All joints of a world.

use super::record::is_same;
use super::{JointDesc, JointKind};
use crate::constraint::contact::NONE;
use crate::constraint::{Bound, Rows, Stiffness};
use crate::id::{JointId, JointTag, Slots};
use crate::lists::Lists;
use crate::math::{Real, Vec3, WorldPose};
use crate::names::Names;
use std::sync::Arc;

/// A joint between two bodies. What a step writes of every joint stands first and together.
#[derive(Clone, Debug)]
#[repr(C)]
pub(crate) struct Joint {
    /// Slots of the bodies A and B.
    pub bodies: [u32; 2],
    /// Where it stands in the constraint graph, or `NONE`.
    pub colour: u32,
    pub colour_index: u32,
    pub break_force: Real,
    pub break_torque: Real,
    /// Mean force and torque on B, about the origin of its frame, over the last step.
    pub force: Vec3,
    pub torque: Vec3,
    /// Where the next solve starts: impulses of the last sub-step.
    pub impulses: [Real; Rows::MAX],
    /// Where it takes hold of them, in their frames. The translations are in double precision: the world itself may be one of
    /// the bodies, and its frame far away.
    pub frames: [WorldPose; 2],
    pub stiffness: Stiffness,
    /// Joints that are alike share it.
    pub kind: Arc<JointKind>,
    pub memory: [f64; 4],
    /// Where the frames were in the world when they were set.
    pub rest: [WorldPose; 2],
    pub collide: bool,
    pub active: bool,
    pub broken: bool,
    pub debug: bool,
    pub user_data: u64,
    /// How many bodies there were when it was made, counted by slots. Nothing that happens depends on it, so no snapshot holds it.
    pub bodies_before: u32,
}

impl Joint {
    /// A joint that is in no constraint graph yet, between the bodies in these slots. Its name is for the list of all joints.
    pub fn new(desc: JointDesc, bodies: [u32; 2], frames: [WorldPose; 2]) -> Self {
        let JointDesc {
            bodies: _,
            kind,
            holds: _,
            stiffness,
            break_force,
            break_torque,
            collide,
            active,
            debug,
            name: _,
            user_data,
        } = desc;
        Self {
            kind: Arc::new(kind),
            bodies,
            frames,
            rest: [WorldPose::IDENTITY; 2],
            stiffness,
            break_force,
            break_torque,
            collide,
            active,
            broken: false,
            debug,
            user_data,
            impulses: [0.0; Rows::MAX],
            memory: [0.0; 4],
            force: Vec3::ZERO,
            torque: Vec3::ZERO,
            bodies_before: 0,
            colour: NONE,
            colour_index: 0,
        }
    }

    /// The other body.
    pub fn other(&self, body: u32) -> u32 {
        if self.bodies[0] == body { self.bodies[1] } else { self.bodies[0] }
    }

    /// Its rows; the stiffness of the joint is that of all that it holds as hard as the method can.
    pub fn rows(&self, frames: &crate::constraint::Frames, out: &mut Rows) {
        let first = out.len();
        self.kind.rows(frames, out);
        // More rows than there is room for impulses do not count.
        out.truncate(first + Rows::MAX);
        if self.stiffness != Stiffness::Method {
            for row in &mut out.as_mut_slice()[first..] {
                if row.bound == Bound::Equal && row.stiffness == Stiffness::Method {
                    row.stiffness = self.stiffness;
                }
            }
        }
    }

    /// Forgets what it did: after an edit of what it holds.
    pub fn forget(&mut self) {
        self.impulses = [0.0; Rows::MAX];
    }
}

/// Joints by slot, and those of each body.
#[derive(Clone, Debug, Default)]
pub(crate) struct Joints {
    pub all: Slots<Joint, JointTag>,
    /// By slot.
    pub names: Names,
    /// By body slot: the slots of its joints, in ascending order. Follows from the joints.
    of_body: Lists,
}

impl Joints {
    pub fn new(all: Slots<Joint, JointTag>, names: Names) -> Self {
        let of_body = Lists::of_pairs(all.iter().map(|(id, joint)| (id.index(), joint.bodies)));
        Self::listed(all, names, of_body)
    }

    /// Joints whose lists by body are known.
    pub(super) fn listed(all: Slots<Joint, JointTag>, names: Names, of_body: Lists) -> Self {
        Self { all, names, of_body }
    }

    pub fn insert(&mut self, mut joint: Joint, name: Option<&str>) -> JointId {
        debug_assert_eq!(joint.colour, NONE);
        let neighbour = (self.all.capacity() as u32).checked_sub(1).and_then(|last| self.all.at(last));
        if let Some(neighbour) = neighbour.filter(|other| is_same(&other.kind, &joint.kind)) {
            joint.kind = Arc::clone(&neighbour.kind);
        }
        let bodies = joint.bodies;
        let id = self.all.insert(joint);
        self.names.set(id.index(), name);
        for body in bodies {
            self.of_body.insert(body, id.index());
        }
        id
    }

    /// Takes a joint out that has left the constraint graph.
    pub fn remove(&mut self, id: JointId) -> Option<Joint> {
        let joint = self.all.remove(id)?;
        self.names.set(id.index(), None);
        for body in joint.bodies {
            self.of_body.remove(body, id.index());
        }
        Some(joint)
    }

    /// Scales the impulses from which the next solve starts from one length of solve to another.
    pub fn scale_impulses(&mut self, ratio: Real) {
        for slot in 0..self.all.capacity() as u32 {
            if let Some(joint) = self.all.at_mut(slot) {
                joint.impulses = joint.impulses.map(|impulse| impulse * ratio);
            }
        }
    }

    /// None of them does anything from now on, and what they did is no start for a solve that comes later.
    pub fn rest(&mut self) {
        for slot in 0..self.all.capacity() as u32 {
            if let Some(joint) = self.all.at_mut(slot) {
                joint.impulses.fill(0.0);
                (joint.force, joint.torque) = (Vec3::ZERO, Vec3::ZERO);
            }
        }
    }

    /// The slots of the joints of a body.
    pub fn of_body(&self, body: u32) -> &[u32] {
        self.of_body.of(body)
    }

    /// Some active joint between the two bodies keeps them from touching.
    pub fn forbid_touch(&self, a: u32, b: u32) -> bool {
        let (of_a, of_b) = (self.of_body(a), self.of_body(b));
        let (list, other) = if of_a.len() <= of_b.len() { (of_a, b) } else { (of_b, a) };
        list.iter().filter_map(|&slot| self.all.at(slot)).any(|j| j.active && !j.collide && j.bodies.contains(&other))
    }
}
