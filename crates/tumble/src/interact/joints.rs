//! The life of joints: which of them act, which bodies they link, and whom they wake.
//!
//! A joint acts while it is active, both its bodies take part, and a dynamic one of them is awake: then, and only then, it has a
//! place in the constraint graph. Between two dynamic bodies it links their islands, awake or asleep.

use crate::body::BodyKind;
use crate::constraint::joint::store::Joint;
use crate::constraint::{Frame, Frames};
use crate::event::Event;
use crate::id::JointId;
use crate::math::{Vec3, WorldPose};
use crate::world::State;

impl State {
    /// Both bodies take part, and the joint holds them.
    pub fn joint_holds(&self, joint: &Joint) -> bool {
        let part = |&slot: &u32| self.bodies.cold.at(slot).is_some_and(|c| c.active);
        joint.active && joint.bodies.iter().all(part)
    }

    fn can_move(&self, slot: u32) -> bool {
        self.bodies.cold.at(slot).is_some_and(|c| c.kind == BodyKind::Dynamic)
    }

    /// The joint is to be solved in the constraint graph. One of a link is solved with its tree.
    pub fn joint_acts(&self, joint: &Joint) -> bool {
        if joint.bodies.iter().any(|&slot| self.articulations.link_of(slot).is_some()) {
            return false;
        }
        let moves = |&slot: &u32| self.can_move(slot) && self.bodies.is_awake(slot);
        self.joint_holds(joint) && joint.bodies.iter().any(moves)
    }

    /// The joint is an edge between two islands.
    pub fn joint_links(&self, joint: &Joint) -> bool {
        self.joint_holds(joint) && joint.bodies.iter().all(|&slot| self.can_move(slot))
    }

    /// The bodies that share an island with this one because of a joint.
    pub fn joined(&self, body: u32) -> impl Iterator<Item = u32> + '_ {
        let links = |j: &&Joint| self.joint_links(j);
        self.joints
            .of_body(body)
            .iter()
            .filter_map(|&j| self.joints.all.at(j))
            .filter(links)
            .map(move |j| j.other(body))
    }

    /// Gives a joint its place in the constraint graph, or takes it away, as its bodies say now.
    pub fn settle_joint(&mut self, slot: u32) {
        let Some(joint) = self.joints.all.at(slot) else { return };
        let (acts, bodies) = (self.joint_acts(joint), joint.bodies);
        let placed = joint.colour != crate::constraint::contact::NONE;
        if acts == placed {
            return;
        }
        let [a, b] = bodies.map(|body| self.node(body));
        if acts {
            self.graph.add_joint(&mut self.joints, slot, a, b);
        } else {
            self.graph.remove_joint(&mut self.joints, slot, a, b);
        }
    }

    /// Settles all joints of a body.
    pub fn settle_joints(&mut self, body: u32) {
        for i in 0..self.joints.of_body(body).len() {
            let Some(&slot) = self.joints.of_body(body).get(i) else { break };
            self.settle_joint(slot);
        }
    }

    /// Takes all joints of a body out of the constraint graph: before its kind changes, by which they are filed.
    pub fn unplace_joints(&mut self, body: u32) {
        for i in 0..self.joints.of_body(body).len() {
            let Some(&slot) = self.joints.of_body(body).get(i) else { break };
            self.unplace_joint(slot);
        }
    }

    fn unplace_joint(&mut self, slot: u32) {
        let Some(joint) = self.joints.all.at(slot) else { return };
        let [a, b] = joint.bodies.map(|body| self.node(body));
        self.graph.remove_joint(&mut self.joints, slot, a, b);
    }

    /// Links the islands of a body that has just got one of its own with those of the bodies that joints tie it to.
    pub fn link_joints(&mut self, body: u32) {
        for i in 0..self.joints.of_body(body).len() {
            let Some(joint) = self.joints.of_body(body).get(i).and_then(|&slot| self.joints.all.at(slot)) else {
                break;
            };
            if !self.joint_links(joint) {
                continue;
            }
            let other = joint.other(body);
            // An island sleeps as a whole or not at all.
            self.wake(other);
            self.islands.link(body, other);
        }
    }

    /// Wakes the bodies of a joint.
    pub fn wake_joint(&mut self, slot: u32) {
        let Some(joint) = self.joints.all.at(slot) else { return };
        for body in joint.bodies {
            if self.can_move(body) {
                self.wake(body);
            }
        }
    }

    /// Ends the contacts of joined bodies and finds them anew: whether they may touch has changed.
    pub fn refilter_joint(&mut self, slot: u32) {
        if let Some(&[a, b]) = self.joints.all.at(slot).map(|joint| &joint.bodies) {
            self.refilter_pair(a, b);
        }
    }

    /// Ends the contacts of one of two bodies and finds them anew: whether they may touch has changed.
    pub fn refilter_pair(&mut self, a: u32, b: u32) {
        // Those of a floor would be everybody's.
        let cost = |body: u32| {
            self.bodies.cold.at(body).map(|c| {
                let met = match c.kind {
                    BodyKind::Dynamic => 0,
                    BodyKind::Kinematic => 1,
                    BodyKind::Fixed => 2,
                };
                (met, c.colliders.len())
            })
        };
        let body = if cost(a) <= cost(b) { a } else { b };
        self.rebuild_proxies(body);
    }

    /// A joint that has been put into the store begins to hold.
    pub fn begin_joint(&mut self, slot: u32) {
        let Some(joint) = self.joints.all.at(slot) else { return };
        let ([a, b], links, collide) = (joint.bodies, self.joint_links(joint), joint.collide);
        self.wake_joint(slot);
        if links {
            self.islands.link(a, b);
        }
        if !collide {
            self.refilter_joint(slot);
        }
        self.settle_joint(slot);
    }

    /// A joint no longer holds; it is still in the store.
    fn end_joint(&mut self, slot: u32) {
        self.wake_joint(slot);
        let Some(joint) = self.joints.all.at(slot) else { return };
        if self.joint_links(joint) {
            let [a, b] = joint.bodies;
            self.islands.unlink(a, b);
        }
        self.unplace_joint(slot);
        if let Some(joint) = self.joints.all.at_mut(slot) {
            joint.active = false;
            joint.force = Vec3::ZERO;
            joint.torque = Vec3::ZERO;
            joint.forget();
            if !joint.collide {
                self.refilter_joint(slot);
            }
        }
    }

    pub fn set_joint_active(&mut self, slot: u32, active: bool) {
        if active {
            if let Some(joint) = self.joints.all.at_mut(slot) {
                joint.active = true;
            }
            self.begin_joint(slot);
        } else {
            self.end_joint(slot);
        }
    }

    /// A joint has borne more than it can.
    pub fn break_joint(&mut self, slot: u32) {
        let Some(id) = self.joints.all.id_at(slot) else { return };
        self.end_joint(slot);
        if let Some(joint) = self.joints.all.at_mut(slot) {
            joint.broken = true;
        }
        self.pending.push(Event::JointBroke { joint: id });
    }

    pub fn remove_joint(&mut self, id: JointId) {
        if self.joints.all.get(id).is_ok_and(|j| j.active) {
            self.end_joint(id.index());
        }
        if self.joints.remove(id).is_some() {
            self.pending.push(Event::JointRemoved { joint: id });
        }
    }

    /// Removes all joints of a body.
    pub fn remove_joints(&mut self, body: u32) {
        while let Some(&slot) = self.joints.of_body(body).last() {
            let Some(id) = self.joints.all.id_at(slot) else { break };
            self.remove_joint(id);
        }
    }

    /// What a joint is called in error messages.
    pub fn joint_subject(&self, slot: u32) -> String {
        match self.joints.names.get(slot) {
            Some(name) => format!("joint {name:?}"),
            None => self.joints.all.id_at(slot).map_or_else(|| "joint".to_owned(), |id| id.to_string()),
        }
    }

    /// Where a frame of a joint is in the world, and its arm.
    fn joint_frame(&self, joint: &Joint, side: usize) -> Frame {
        let dense = self.bodies.dense_at(joint.bodies[side]);
        let (pose, velocity) = (&self.bodies.pose[dense], &self.bodies.velocity[dense]);
        let local = &joint.frames[side];
        let offset = local.translation - self.bodies.params[dense].local_centre.to_f64();
        let arm = pose.rotation.to_f64().rotate(offset);
        Frame {
            position: pose.centre + arm,
            rotation: (pose.rotation * local.rotation).normalized(),
            arm: arm.to_real(),
            linear: velocity.linear,
            angular: velocity.angular,
            rest: joint.rest[side],
        }
    }

    /// The frames of a joint where its bodies are now.
    pub fn joint_frames(&self, joint: &Joint) -> Frames {
        Frames { a: self.joint_frame(joint, 0), b: self.joint_frame(joint, 1), time: self.time, memory: joint.memory }
    }

    /// Where the frame of a joint is now is where it rests.
    pub fn set_joint_rest(&mut self, slot: u32, side: usize) {
        let Some(joint) = self.joints.all.at(slot) else { return };
        let frame = self.joint_frame(joint, side);
        if let Some(joint) = self.joints.all.at_mut(slot) {
            joint.rest[side] = WorldPose { translation: frame.position, rotation: frame.rotation };
        }
    }

    /// Breaks the joints of a list whose mean load over the last step was more than they bear, in the order of their slots.
    pub fn break_overloaded(&mut self, list: &mut Vec<u32>) {
        list.sort_unstable();
        for &slot in list.iter() {
            self.break_joint(slot);
        }
        list.clear();
    }
}
