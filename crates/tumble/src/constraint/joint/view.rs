//! Joints as the user sees them.

use super::store::Joint;
use super::{JointDesc, JointKind};
use crate::constraint::axis::check_force;
use crate::constraint::{Bound, Frames, Limit, Motor, Rows, Stiffness};
use crate::error::{Error, Result};
use crate::id::{BodyId, JointId};
use crate::math::{Num, Point, Quat, Real, Vec3, WorldPose};
use crate::world::State;
use std::sync::Arc;

/// A joint, to look at.
///
/// ```
/// use tumble::{BodyDesc, JointDesc, World};
/// # fn main() -> tumble::Result<()> {
/// let mut world = World::new();
/// let door = world.add_body(BodyDesc::dynamic().position([0.5, 0.0, 0.0]))?;
/// let id = world.add_joint(JointDesc::hinge(World::BODY, door).anchor([0.0; 3]).axis([0.0, 1.0, 0.0]).name("hinge"))?;
/// let joint = world.joint(id)?;
/// assert_eq!((joint.id(), joint.name(), joint.kind().name()), (id, Some("hinge"), "hinge"));
/// assert_eq!(joint.bodies(), [World::BODY, door]);
/// // The same place, in the frames of the bodies and in the world.
/// assert_eq!(joint.local_frames()[1].translation.x, -0.5);
/// assert_eq!(joint.frames().b.position.x, 0.0);
/// assert_eq!((joint.value(), joint.angles()), (Some(0.0), Some([0.0; 3])));
/// assert!(joint.gap() < 1e-6 && joint.tilt() < 1e-6);
/// assert!(joint.is_active() && !joint.is_broken());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy)]
pub struct JointRef<'a> {
    pub(crate) state: &'a State,
    pub(crate) id: JointId,
    pub(crate) joint: &'a Joint,
}

impl<'a> JointRef<'a> {
    /// Its id.
    pub fn id(&self) -> JointId {
        self.id
    }

    /// What it holds.
    pub fn kind(&self) -> &'a JointKind {
        &self.joint.kind
    }

    /// The bodies A and B.
    pub fn bodies(&self) -> [BodyId; 2] {
        self.joint.bodies.map(|slot| self.state.bodies.cold.id_at(slot).unwrap_or(crate::World::BODY))
    }

    /// Where it takes hold of A and B, in the frames of the bodies.
    pub fn local_frames(&self) -> [WorldPose; 2] {
        self.joint.frames
    }

    /// The two frames where the bodies are now.
    pub fn frames(&self) -> Frames {
        self.state.joint_frames(self.joint)
    }

    /// Mean force on B at the origin of its frame over the last step, in newtons; A feels the opposite.
    pub fn force(&self) -> Vec3 {
        self.joint.force
    }

    /// Mean torque on B about the origin of its frame over the last step, in newton metres.
    pub fn torque(&self) -> Vec3 {
        self.joint.torque
    }

    /// Where its main freedom is: the angle of a hinge or screw, the slide of a slider or wheel, the length of a distance,
    /// the swing of a cone, the rope used by a pulley, the place on a path. `None` for kinds without one.
    pub fn value(&self) -> Option<Real> {
        self.joint.kind.value(&self.frames())
    }

    /// The angles by which it measures how B is turned as seen from A: about the three axes of a six-axis joint, twist and swing of
    /// a cone, twist of a hinge. `None` for kinds that measure none.
    pub fn angles(&self) -> Option<[Real; 3]> {
        self.joint.kind.angles(&self.frames())
    }

    /// How far apart the bodies are where it should hold them together: the length of the errors of all rows that hold points or
    /// lengths, in metres.
    pub fn gap(&self) -> Real {
        self.violation(true)
    }

    /// How far the bodies are turned from where it should hold them: the length of the errors of all rows that hold
    /// directions only, in radians.
    pub fn tilt(&self) -> Real {
        self.violation(false)
    }

    fn violation(&self, linear: bool) -> Real {
        let mut rows = Rows::default();
        self.joint.kind.rows(&self.frames(), &mut rows);
        let mut sum = 0.0;
        for row in rows.as_slice() {
            let moves = row.jacobian.linear_b != Vec3::ZERO || row.jacobian.linear_a != Vec3::ZERO;
            if moves != linear {
                continue;
            }
            sum += match row.bound {
                Bound::Equal => row.error * row.error,
                Bound::Push if row.error < 0.0 => row.error * row.error,
                _ => 0.0,
            };
        }
        Num::sqrt(sum)
    }

    /// How hard it holds.
    pub fn stiffness(&self) -> Stiffness {
        self.joint.stiffness
    }

    /// Mean force and torque over a step at which it breaks.
    pub fn break_limits(&self) -> (Real, Real) {
        (self.joint.break_force, self.joint.break_torque)
    }

    /// The two bodies can touch each other.
    pub fn collides(&self) -> bool {
        self.joint.collide
    }

    /// It holds.
    pub fn is_active(&self) -> bool {
        self.joint.active
    }

    /// It broke, and has not been made active since.
    pub fn is_broken(&self) -> bool {
        self.joint.broken
    }

    /// It appears in the debug geometry.
    pub fn is_debug(&self) -> bool {
        self.joint.debug
    }

    /// Its name.
    pub fn name(&self) -> Option<&'a str> {
        self.state.joints.names.get(self.id.index())
    }

    /// What the user put there.
    pub fn user_data(&self) -> u64 {
        self.joint.user_data
    }
}

/// A joint, to change. Every change is checked, wakes the bodies, and changes nothing where it is refused.
///
/// ```
/// use tumble::constraint::{Limit, Motor, Stiffness};
/// use tumble::math::{Quat, Vec3};
/// # use tumble::{BodyDesc, JointDesc, World};
/// # fn main() -> tumble::Result<()> {
/// # let mut world = World::new();
/// # let wheel = world.add_body(BodyDesc::dynamic())?;
/// let hinge = world.add_joint(JointDesc::hinge(World::BODY, wheel).axis([0.0, 0.0, 1.0]))?;
/// let mut joint = world.joint_mut(hinge)?;
/// joint.set_motor(Some(Motor::velocity(3.0).max_force(100.0)))?;
/// joint.set_break_limits(500.0, 80.0)?;
/// joint.set_limit(Some(Limit::new(-1.0, 1.0)))?;
/// joint.set_stiffness(Stiffness::tuned(30.0, 1.0))?;
/// joint.set_collide(true)?;
/// // Both frames anew: the axis is y now, and half a metre above the centre of the wheel.
/// let upward = Quat::between(Vec3::X, Vec3::Y);
/// joint.set_frame_a([0.0; 3], upward)?;
/// joint.set_frame_b([0.0; 3], upward)?;
/// joint.set_anchor_a([0.0, 0.5, 0.0])?;
/// joint.set_anchor_b([0.0, 0.5, 0.0])?;
/// assert!(joint.view()?.gap() < 1e-6);
/// assert!(joint.set_motor(Some(Motor::velocity(tumble::math::Real::NAN))).is_err());
/// # Ok(())
/// # }
/// ```
pub struct JointMut<'a> {
    pub(crate) state: &'a mut State,
    pub(crate) id: JointId,
}

impl JointMut<'_> {
    /// The joint, to look at.
    pub fn view(&self) -> Result<JointRef<'_>> {
        Ok(JointRef { state: self.state, id: self.id, joint: self.state.joints.all.get(self.id)? })
    }

    fn subject(&self) -> String {
        self.state.joint_subject(self.id.index())
    }

    fn joint(&mut self) -> Result<&mut Joint> {
        self.state.joints.all.get_mut(self.id)
    }

    fn wake(&mut self) {
        let slot = self.id.index();
        self.state.wake_joint(slot);
    }

    /// Changes what it holds, through a function of the user's.
    ///
    /// ```
    /// # use tumble::{BodyDesc, JointDesc, World, constraint::joint::JointKind};
    /// # let mut world = World::new();
    /// # let (a, b) = (world.add_body(BodyDesc::dynamic()).unwrap(), world.add_body(BodyDesc::dynamic()).unwrap());
    /// let gear = world.add_joint(JointDesc::gear(a, b, 2.0)).unwrap();
    /// world.joint_mut(gear).unwrap().edit(|kind| {
    ///     if let JointKind::Gear(gear) = kind {
    ///         gear.ratio = 3.0;
    ///     }
    /// }).unwrap();
    /// ```
    pub fn edit(&mut self, change: impl FnOnce(&mut JointKind)) -> Result<()> {
        let mut kind = self.view()?.kind().clone();
        change(&mut kind);
        self.set_kind(kind)
    }

    /// Changes what it holds.
    pub fn set_kind(&mut self, kind: impl Into<JointKind>) -> Result<()> {
        let kind = kind.into();
        kind.validate(&self.subject())?;
        let count = |kind: &JointKind, frames: &Frames| {
            let mut rows = Rows::default();
            kind.rows(frames, &mut rows);
            rows.len()
        };
        let view = self.view()?;
        let frames = view.frames();
        // Impulses stay where the rows mean the same as before.
        let same = view.kind().name() == kind.name() && count(view.kind(), &frames) == count(&kind, &frames);
        let other = view.kind().name() != kind.name();
        let joint = self.joint()?;
        joint.kind = Arc::new(kind);
        if !same {
            joint.forget();
        }
        if other {
            // What one kind counts is nothing to another.
            joint.memory = [0.0; 4];
        }
        self.wake();
        Ok(())
    }

    /// Changes the motor of a kind with one main freedom; the wheel's is its suspension.
    pub fn set_motor(&mut self, motor: Option<Motor>) -> Result<()> {
        let mut kind = self.view()?.kind().clone();
        let Some(axis) = kind.axis_mut() else { return Err(self.no_axis()) };
        axis.motor = motor;
        self.set_kind(kind)
    }

    /// Changes the limit of a kind with one main freedom; the wheel's is its suspension.
    pub fn set_limit(&mut self, limit: Option<Limit>) -> Result<()> {
        let mut kind = self.view()?.kind().clone();
        let Some(axis) = kind.axis_mut() else { return Err(self.no_axis()) };
        axis.limit = limit;
        self.set_kind(kind)
    }

    fn no_axis(&self) -> Error {
        Error::refused(self.subject(), "this kind has not one main freedom; use JointMut::edit")
    }

    /// Moves the frame on A, in A's frame.
    pub fn set_frame_a(&mut self, point: impl Into<Point>, rotation: Quat) -> Result<()> {
        self.set_frame(0, point.into(), rotation)
    }

    /// Moves the frame on B, in B's frame.
    pub fn set_frame_b(&mut self, point: impl Into<Point>, rotation: Quat) -> Result<()> {
        self.set_frame(1, point.into(), rotation)
    }

    /// Moves the origin of the frame on A, in A's frame: what a drag joint follows.
    pub fn set_anchor_a(&mut self, point: impl Into<Point>) -> Result<()> {
        let rotation = self.view()?.local_frames()[0].rotation;
        self.set_frame(0, point.into(), rotation)
    }

    /// Moves the origin of the frame on B, in B's frame.
    pub fn set_anchor_b(&mut self, point: impl Into<Point>) -> Result<()> {
        let rotation = self.view()?.local_frames()[1].rotation;
        self.set_frame(1, point.into(), rotation)
    }

    fn set_frame(&mut self, side: usize, point: Point, rotation: Quat) -> Result<()> {
        let [a, b] = self.view()?.bodies();
        let check = JointDesc::fixed(a, b).frame_a(point, rotation);
        check.resolve([WorldPose::IDENTITY; 2])?;
        let joint = self.joint()?;
        joint.frames[side] = WorldPose::new(point, rotation.normalized());
        let slot = self.id.index();
        self.state.set_joint_rest(slot, side);
        self.wake();
        Ok(())
    }

    /// How hard it holds.
    pub fn set_stiffness(&mut self, stiffness: Stiffness) -> Result<()> {
        stiffness.validate(&self.subject())?;
        self.joint()?.stiffness = stiffness;
        self.wake();
        Ok(())
    }

    /// Mean force and torque over a step at which it breaks; infinite for never.
    pub fn set_break_limits(&mut self, force: Real, torque: Real) -> Result<()> {
        let subject = self.subject();
        check_force(&subject, "breaking force", force)?;
        check_force(&subject, "breaking torque", torque)?;
        let joint = self.joint()?;
        joint.break_force = force;
        joint.break_torque = torque;
        self.wake();
        Ok(())
    }

    /// Lets the two bodies touch each other, or not.
    pub fn set_collide(&mut self, collide: bool) -> Result<()> {
        let joint = self.joint()?;
        if joint.collide != collide {
            joint.collide = collide;
            self.wake();
            let slot = self.id.index();
            self.state.refilter_joint(slot);
        }
        Ok(())
    }

    /// Lets it hold, or not. Active again, it is whole even if it broke.
    pub fn set_active(&mut self, active: bool) -> Result<()> {
        let slot = self.id.index();
        let joint = self.joint()?;
        joint.broken &= !active;
        if joint.active != active {
            self.state.set_joint_active(slot, active);
        }
        Ok(())
    }

    /// Lets it appear in the debug geometry, or not.
    pub fn set_debug(&mut self, debug: bool) -> Result<()> {
        self.joint()?.debug = debug;
        Ok(())
    }

    /// A name for people.
    pub fn set_name(&mut self, name: Option<String>) -> Result<()> {
        self.joint()?;
        self.state.joints.names.set(self.id.index(), name.as_deref());
        Ok(())
    }

    /// Anything the user wants to find again.
    pub fn set_user_data(&mut self, data: u64) -> Result<()> {
        self.joint()?.user_data = data;
        Ok(())
    }
}
