//! Joints of a world.

use super::World;
use crate::body::BodyKind;
use crate::constraint::Constraint;
use crate::constraint::joint::store::Joint;
use crate::constraint::joint::{JointDesc, JointMut, JointRef};
use crate::error::{Error, Result};
use crate::id::{BodyId, JointId};
use std::sync::Arc;

impl World {
    /// Joins two bodies, and wakes them.
    ///
    /// ```
    /// use tumble::{BodyDesc, JointDesc, World, shape::Shape};
    /// # fn main() -> tumble::Result<()> {
    /// let mut world = World::new();
    /// let bob = world.add_body(BodyDesc::dynamic().position([1.0, 3.0, 0.0]).collider(Shape::sphere(0.1)?))?;
    /// let pivot = world.add_joint(JointDesc::ball(World::BODY, bob).anchor([0.0, 3.0, 0.0]))?;
    /// for _ in 0..300 {
    ///     world.step(1.0 / 60.0)?;
    /// }
    /// assert!(world.joint(pivot)?.gap() < 0.01);
    /// assert!(world.add_joint(JointDesc::ball(bob, bob)).is_err());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Values out of range, axes without a direction, ids that name nothing, the same body twice, two bodies of which none is
    /// dynamic.
    pub fn add_joint(&mut self, desc: JointDesc) -> Result<JointId> {
        self.whole()?;
        desc.validate()?;
        let [a, b] = desc.bodies;
        let (cold_a, cold_b) = (self.state.bodies.cold.get(a)?, self.state.bodies.cold.get(b)?);
        if a == b {
            return Err(Error::refused(desc.subject(), format!("it joins {a} to itself")));
        }
        if cold_a.kind != BodyKind::Dynamic && cold_b.kind != BodyKind::Dynamic {
            return Err(Error::refused(desc.subject(), "one of its bodies must be dynamic"));
        }
        let dense = [cold_a.dense as usize, cold_b.dense as usize];
        let frames = desc.resolve(dense.map(|d| self.state.bodies.frame(d)))?;
        let name = desc.name.clone();
        let mut joint = Joint::new(desc, [a.index(), b.index()], frames);
        joint.bodies_before = self.state.bodies.cold.capacity() as u32;
        let active = joint.active;
        let id = self.state.joints.insert(joint, name.as_deref());
        for side in 0..2 {
            self.state.set_joint_rest(id.index(), side);
        }
        if active {
            self.state.begin_joint(id.index());
        }
        Ok(id)
    }

    /// Removes a joint, and wakes its bodies.
    ///
    /// ```
    /// use tumble::{BodyDesc, JointDesc, World};
    /// # fn main() -> tumble::Result<()> {
    /// let mut world = World::new();
    /// let door = world.add_body(BodyDesc::dynamic())?;
    /// let hinge = world.add_joint(JointDesc::hinge(World::BODY, door).axis([0.0, 1.0, 0.0]).name("hinge"))?;
    /// assert_eq!((world.joint_count(), world.find_joint("hinge")), (1, Some(hinge)));
    /// assert!(world.joint_ids().eq(world.joints_of(door)?));
    /// world.remove_joint(hinge)?; // off its hinges
    /// assert!(world.joint(hinge).is_err());
    /// # Ok(())
    /// # }
    /// ```
    pub fn remove_joint(&mut self, id: JointId) -> Result<()> {
        self.whole()?;
        self.state.joints.all.get(id)?;
        self.state.remove_joint(id);
        Ok(())
    }

    /// A joint, to look at.
    pub fn joint(&self, id: JointId) -> Result<JointRef<'_>> {
        self.whole()?;
        Ok(JointRef { state: &self.state, id, joint: self.state.joints.all.get(id)? })
    }

    /// A joint, to change. Changes wake its bodies.
    pub fn joint_mut(&mut self, id: JointId) -> Result<JointMut<'_>> {
        self.whole()?;
        self.state.joints.all.get(id)?;
        Ok(JointMut { state: &mut self.state, id })
    }

    /// The ids of all joints, in the order of their slots.
    pub fn joint_ids(&self) -> impl Iterator<Item = JointId> + '_ {
        self.state.joints.all.iter().map(|(id, _)| id)
    }

    /// Number of joints.
    pub fn joint_count(&self) -> usize {
        self.state.joints.all.len()
    }

    /// The joints of a body, in the order of their slots.
    pub fn joints_of(&self, body: BodyId) -> Result<impl Iterator<Item = JointId> + '_> {
        self.whole()?;
        self.state.bodies.cold.get(body)?;
        let joints = &self.state.joints;
        Ok(joints.of_body(body.index()).iter().filter_map(|&slot| joints.all.id_at(slot)))
    }

    /// The first joint of this name, in the order of the slots.
    pub fn find_joint(&self, name: &str) -> Option<JointId> {
        let joints = &self.state.joints;
        let (slot, _) = joints.names.iter().find(|&(_, other)| other == name)?;
        joints.all.id_at(slot)
    }

    /// Makes a kind of constraint known by its name, so that snapshots with joints of this kind can be restored: each is made
    /// again by [`Constraint::load`] of this one. [`World::add_joint`] does not need it.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use tumble::constraint::{Constraint, Frames, Jacobian, Row, Rows};
    /// use tumble::{BodyDesc, JointDesc, World, math::Vec3};
    ///
    /// #[derive(Debug)]
    /// struct SameHeight;
    ///
    /// impl Constraint for SameHeight {
    ///     fn name(&self) -> &str {
    ///         "same-height"
    ///     }
    ///     fn rows(&self, frames: &Frames, out: &mut Rows) {
    ///         let jacobian = Jacobian::between(Vec3::Y, frames.a.arm, frames.b.arm);
    ///         out.push(Row::equal(jacobian, frames.gap().y));
    ///     }
    ///     fn load(&self, _: &[u8]) -> Option<Arc<dyn Constraint>> {
    ///         Some(Arc::new(Self))
    ///     }
    /// }
    ///
    /// # fn main() -> tumble::Result<()> {
    /// let mut world = World::new();
    /// let float = world.add_body(BodyDesc::dynamic())?;
    /// world.add_joint(JointDesc::custom(World::BODY, float, Arc::new(SameHeight)))?;
    /// world.step(1.0 / 60.0)?;
    /// assert!(world.body(float)?.position().y.abs() < 1e-3);
    ///
    /// let saved = world.snapshot()?;
    /// let mut copy = World::new();
    /// assert!(copy.restore(&saved).is_err()); // of a kind that it does not know
    /// copy.register_constraint(Arc::new(SameHeight));
    /// copy.restore(&saved)?;
    /// assert_eq!(copy.hash(), world.hash());
    /// # Ok(())
    /// # }
    /// ```
    pub fn register_constraint(&mut self, prototype: Arc<dyn Constraint>) {
        self.state.registry.0.insert(prototype.name().to_owned(), prototype);
    }
}
