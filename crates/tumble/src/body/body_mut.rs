//! A body as the user changes it: in its own frame, whose origin need not be the centre of mass.

use super::desc::{check_limit, check_mass_source, check_not_negative, check_rotation};
use super::store::{Params, Velocity};
use super::{BodyKind, BodyRef, Locks, MassSource};
use crate::constraint::contact::NONE;
use crate::error::{Error, Result};
use crate::id::BodyId;
use crate::integrate::rotation;
use crate::math::{Point, Quat, Real, Vec3, WorldPose};
use crate::world::State;

/// A body, to change. Every change is checked; a refused one changes nothing.
///
/// ```
/// # use tumble::{BodyDesc, World};
/// # fn main() -> tumble::Result<()> {
/// # let mut world = World::new();
/// let id = world.add_body(BodyDesc::dynamic().mass(2.0))?;
/// let mut body = world.body_mut(id)?;
/// body.apply_impulse([4.0, 0.0, 0.0])?; // Δv = J/m
/// body.set_damping(0.1, 0.1)?;
/// assert_eq!(body.view().linear_velocity().x, 2.0);
/// assert!(body.set_position([f64::NAN, 0.0, 0.0]).is_err());
/// # Ok(())
/// # }
/// ```
///
/// ```
/// use tumble::{BodyDesc, BodyKind, Locks, MassSource, World, math::{Quat, Vec3, WorldPose}};
/// # fn main() -> tumble::Result<()> {
/// let mut world = World::new();
/// let id = world.add_body(BodyDesc::dynamic())?;
/// let mut body = world.body_mut(id)?;
///
/// // Teleports.
/// body.set_pose(WorldPose::from_translation([0.0, 1.0, 0.0]))?;
/// body.set_position([0.0, 2.0, 0.0])?;
/// body.set_rotation(Quat::from_axis_angle(Vec3::Y, 0.5))?;
/// // Velocities: both, or one at a time.
/// body.set_velocity([1.0, 0.0, 0.0], [0.0, 0.0, 0.0])?;
/// body.set_linear_velocity([0.0, 0.0, 2.0])?;
/// body.set_angular_velocity([0.0, 3.0, 0.0])?;
/// assert_eq!(body.view().angular_velocity().y, 3.0);
/// // Forces that are set stay until they are changed; those that are applied act in one step, impulses at once.
/// body.set_force([0.0, 9.81, 0.0])?;
/// body.set_torque([0.0, 0.0, 0.0])?;
/// body.add_force_at([0.0, 1.0, 0.0], [0.5, 2.0, 0.0])?;
/// assert!(body.view().torque().length() > 0.4);
/// body.apply_force([0.0, 1.0, 0.0])?;
/// body.apply_impulse_at([0.0, 0.0, 1.0], [0.5, 2.0, 0.0])?;
/// body.apply_angular_impulse([0.0, 0.1, 0.0])?;
/// // What holds it back.
/// body.set_gravity_scale(0.5)?;
/// body.set_locks(Locks::TURN_X | Locks::TURN_Z)?;
/// body.set_speed_limits(10.0, 20.0)?;
/// body.set_mass(MassSource::Total(5.0))?;
/// // The rest cannot fail.
/// body.set_name(Some("top".to_owned()));
/// body.set_user_data(9);
/// body.set_debug(false);
/// body.set_can_sleep(true);
/// body.set_bullet(true);
/// body.set_active(true);
/// body.wake_up();
/// assert_eq!((body.view().name(), body.view().mass()), (Some("top"), 5.0));
/// # Ok(())
/// # }
/// ```
pub struct BodyMut<'a> {
    pub(crate) state: &'a mut State,
    pub(crate) id: BodyId,
}

impl BodyMut<'_> {
    /// The body, to look at.
    pub fn view(&self) -> BodyRef<'_> {
        BodyRef { state: self.state, id: self.id, dense: self.dense() }
    }

    pub(super) fn dense(&self) -> usize {
        self.state.bodies.dense_at(self.id.index())
    }

    pub(super) fn slot(&self) -> u32 {
        self.id.index()
    }

    pub(super) fn finite(&self, property: &'static str, v: Vec3) -> Result<Vec3> {
        if v.is_finite() {
            Ok(v)
        } else {
            Err(Error::value(self.subject(), property, "finite", format_args!("{:?}", v.to_array())))
        }
    }

    pub(super) fn finite_point(&self, property: &'static str, p: Point) -> Result<Point> {
        if p.is_finite() {
            Ok(p)
        } else {
            Err(Error::value(self.subject(), property, "finite", format_args!("{:?}", p.to_array())))
        }
    }

    pub(super) fn subject(&self) -> String {
        self.state.subject(self.slot())
    }

    /// Bodies that are not dynamic, or take no part, feel no force.
    pub(super) fn feels_force(&self) -> bool {
        self.state.bodies.cold.at(self.slot()).is_some_and(|c| c.kind == BodyKind::Dynamic && c.active)
    }

    pub(super) fn wake(&mut self) {
        let slot = self.slot();
        self.state.wake(slot);
    }

    pub(super) fn params_mut(&mut self) -> &mut Params {
        let dense = self.dense();
        &mut self.state.bodies.params[dense]
    }

    pub(super) fn velocity_mut(&mut self) -> &mut Velocity {
        let dense = self.dense();
        &mut self.state.bodies.velocity[dense]
    }

    /// An error for a link: what would be changed follows from the joints of its tree.
    fn no_link(&self, problem: &'static str) -> Result<()> {
        match self.view().params().has(Params::LINK) {
            true => Err(Error::refused(self.subject(), problem)),
            false => Ok(()),
        }
    }

    /// Locks and speed limits hold from the moment they are set.
    fn restrain(&mut self) {
        let params = *self.view().params();
        let v = self.velocity_mut();
        *v = params.restrained(*v);
    }

    fn forget_carry(&mut self) {
        let dense = self.dense();
        self.state.bodies.rest[dense].carry = Vec3::ZERO;
    }

    /// Changes how it moves. A body made fixed stops; one made dynamic keeps its velocity. What was applied for the next step alone is gone.
    pub fn set_kind(&mut self, kind: BodyKind) -> Result<()> {
        if kind != BodyKind::Dynamic {
            self.no_link("a link is dynamic; to hold it, set its joint")?;
        }
        let slot = self.slot();
        let Some(cold) = self.state.bodies.cold.at_mut(slot) else { return Err(self.id.missing()) };
        let old = core::mem::replace(&mut cold.kind, kind);
        if old == kind {
            return Ok(());
        }
        let checked = self.state.check_mass(slot);
        if let Some(cold) = self.state.bodies.cold.at_mut(slot) {
            cold.kind = old;
        }
        checked?;
        // Whoever rests on it must notice, while it still is what they rest on.
        self.wake();
        self.state.remove_contacts(slot, None);
        self.state.unplace_joints(slot);
        if let Some(cold) = self.state.bodies.cold.at_mut(slot) {
            cold.kind = kind;
            cold.set_target(None);
        }
        self.state.bodies.forget_once(slot);
        self.state.refresh_mass(slot)?;
        if kind == BodyKind::Fixed {
            *self.velocity_mut() = Velocity::default();
        }
        self.state.rebuild_proxies(slot);
        self.state.settle_island(slot);
        self.wake();
        self.state.settle_joints(slot);
        Ok(())
    }

    /// Puts it somewhere else at once: a teleport, not a motion. A target that it had is forgotten.
    pub fn set_pose(&mut self, pose: WorldPose) -> Result<()> {
        self.finite_point("position", pose.translation)?;
        check_rotation(&self.subject(), pose.rotation)?;
        self.no_link("a link is where its joints put it; set the position of its articulation")?;
        self.wake();
        let dense = self.dense();
        let rotation = pose.rotation.normalized();
        let local_centre = self.state.bodies.params[dense].local_centre;
        let p = &mut self.state.bodies.pose[dense];
        p.rotation = rotation;
        p.centre = pose.translation + rotation.rotate(local_centre).to_f64();
        self.forget_carry();
        let slot = self.slot();
        if let Some(cold) = self.state.bodies.cold.at_mut(slot) {
            cold.set_target(None);
        }
        self.state.move_proxies(slot, Vec3::ZERO, false);
        self.wake();
        self.state.wake_around(slot);
        Ok(())
    }

    /// Puts it somewhere else at once.
    pub fn set_position(&mut self, position: impl Into<Point>) -> Result<()> {
        let rotation = self.view().rotation();
        self.set_pose(WorldPose::new(position, rotation))
    }

    /// Turns it at once.
    pub fn set_rotation(&mut self, rotation: Quat) -> Result<()> {
        let position = self.view().position();
        self.set_pose(WorldPose::new(position, rotation))
    }

    /// Where a kinematic body is to be at the end of the next step. It moves there at the velocity that takes it there,
    /// pushing what is in its way, and stands still afterwards unless it is given another target.
    ///
    /// ```
    /// use tumble::{BodyDesc, World, math::WorldPose};
    /// # fn main() -> tumble::Result<()> {
    /// let mut world = World::new();
    /// let lift = world.add_body(BodyDesc::kinematic())?;
    /// world.body_mut(lift)?.set_target(WorldPose::from_translation([0.0, 0.25, 0.0]))?;
    /// world.step(0.125)?;
    /// assert_eq!(world.body(lift)?.position().y, 0.25);
    /// # Ok(())
    /// # }
    /// ```
    pub fn set_target(&mut self, target: WorldPose) -> Result<()> {
        self.finite_point("target position", target.translation)?;
        check_rotation(&self.subject(), target.rotation)?;
        let subject = self.subject();
        let slot = self.slot();
        let Some(cold) = self.state.bodies.cold.at_mut(slot) else { return Err(self.id.missing()) };
        if cold.kind != BodyKind::Kinematic {
            return Err(Error::refused(subject, "only kinematic bodies have a target; use set_pose to teleport"));
        }
        let target = WorldPose::new(target.translation, target.rotation.normalized());
        let dense = cold.dense as usize;
        // Who is told again and again to stay where it is disturbs nobody.
        let stays = cold.target().is_none() && self.state.bodies.velocity[dense] == Velocity::default();
        if stays && self.view().pose() == target {
            return Ok(());
        }
        if let Some(cold) = self.state.bodies.cold.at_mut(slot) {
            cold.set_target(Some(target));
        }
        self.wake();
        Ok(())
    }

    /// Velocity of the origin of its frame, and angular velocity. A kinematic body keeps them for ever; a fixed body
    /// refuses them. Locks and speed limits of a dynamic body hold at once.
    pub fn set_velocity(&mut self, linear: impl Into<Vec3>, angular: impl Into<Vec3>) -> Result<()> {
        let linear = self.finite("linear velocity", linear.into())?;
        let angular = self.finite("angular velocity", angular.into())?;
        if self.view().kind() == BodyKind::Fixed && (linear != Vec3::ZERO || angular != Vec3::ZERO) {
            return Err(Error::refused(self.subject(), "a fixed body has no velocity; make it kinematic"));
        }
        self.no_link("a link moves as its joints do; set the velocity of its articulation")?;
        let params = *self.view().params();
        let angular = params.restrained(Velocity { linear: Vec3::ZERO, angular }).angular;
        let r = self.view().rotation().rotate(params.local_centre);
        let centre = self.finite("velocity of the centre of mass", linear + angular.cross(r))?;
        let velocity = params.restrained(Velocity { linear: centre, angular });
        let slot = self.slot();
        let stands =
            params.has(Params::KINEMATIC) && self.state.bodies.cold.at(slot).is_some_and(|c| c.target().is_none());
        if stands && velocity == Velocity::default() && *self.velocity_mut() == velocity {
            return Ok(());
        }
        if let Some(cold) = self.state.bodies.cold.at_mut(slot) {
            cold.set_target(None);
        }
        *self.velocity_mut() = velocity;
        self.forget_carry();
        self.wake();
        Ok(())
    }

    /// Velocity of the origin of its frame.
    pub fn set_linear_velocity(&mut self, linear: impl Into<Vec3>) -> Result<()> {
        let angular = self.view().angular_velocity();
        self.set_velocity(linear, angular)
    }

    /// Angular velocity in world space, rad/s; the origin of its frame keeps its velocity.
    pub fn set_angular_velocity(&mut self, angular: impl Into<Vec3>) -> Result<()> {
        let linear = self.view().linear_velocity();
        self.set_velocity(linear, angular)
    }

    /// Linear and angular damping, per second.
    pub fn set_damping(&mut self, linear: Real, angular: Real) -> Result<()> {
        let subject = self.subject();
        check_not_negative(&subject, "linear damping", linear)?;
        check_not_negative(&subject, "angular damping", angular)?;
        let params = self.params_mut();
        params.linear_damping = linear;
        params.angular_damping = angular;
        self.wake();
        Ok(())
    }

    /// What multiplies gravity.
    pub fn set_gravity_scale(&mut self, scale: Real) -> Result<()> {
        if !scale.is_finite() {
            return Err(Error::value(self.subject(), "gravity scale", "finite", scale));
        }
        self.params_mut().gravity_scale = scale;
        self.wake();
        Ok(())
    }

    /// Motions it must not make.
    pub fn set_locks(&mut self, locks: Locks) -> Result<()> {
        self.no_link("a link has no locks; its joints say how it moves")?;
        let slot = self.slot();
        if let Some(cold) = self.state.bodies.cold.at_mut(slot) {
            cold.locks = locks;
        }
        let params = self.params_mut();
        params.flags = params.flags & !(63 << Params::LOCKS_SHIFT) | u32::from(locks.bits()) << Params::LOCKS_SHIFT;
        let turns = locks.free_turn() == Vec3::all(1.0);
        let spins = turns && rotation::spins_freely(params.inv_inertia);
        params.set(Params::SPINS_FREELY, spins);
        self.restrain();
        self.forget_carry();
        self.wake();
        Ok(())
    }

    /// Speed limits: m/s and rad/s; infinite for none.
    pub fn set_speed_limits(&mut self, linear: Real, angular: Real) -> Result<()> {
        let subject = self.subject();
        check_limit(&subject, "largest linear speed", linear)?;
        check_limit(&subject, "largest angular speed", angular)?;
        self.no_link("a link has no speed limits; damp its joints")?;
        let params = self.params_mut();
        params.max_linear_speed = linear;
        params.max_angular_speed = angular;
        self.restrain();
        self.wake();
        Ok(())
    }

    /// Where its mass comes from. Its frame and the velocity of its points stay as they are.
    ///
    /// # Errors
    /// Values out of range, and of a link a mass with which some joint of its tree could move without moving any.
    pub fn set_mass(&mut self, source: MassSource) -> Result<()> {
        check_mass_source(&self.subject(), &source)?;
        let slot = self.slot();
        let Some(cold) = self.state.bodies.cold.at_mut(slot) else { return Err(self.id.missing()) };
        let old = cold.set_mass_source(source);
        if let Err(error) = self.state.refresh_mass(slot) {
            if let Some(cold) = self.state.bodies.cold.at_mut(slot) {
                cold.set_mass_source(old);
            }
            return Err(error);
        }
        self.wake();
        Ok(())
    }

    /// A name for people.
    pub fn set_name(&mut self, name: Option<String>) {
        let slot = self.slot();
        self.state.bodies.names.set(slot, name.as_deref());
    }

    /// Anything the user wants to find again.
    pub fn set_user_data(&mut self, data: u64) {
        let slot = self.slot();
        if let Some(cold) = self.state.bodies.cold.at_mut(slot) {
            cold.user_data = data;
        }
    }

    /// Lets it take part in the simulation, or not. An inactive body stays where it is, and nothing touches it.
    /// The links of an articulation take part all together.
    pub fn set_active(&mut self, active: bool) {
        self.wake();
        let slot = self.slot();
        if self.state.bodies.cold.at(slot).is_some_and(|cold| cold.active == active && !cold.quarantined) {
            return;
        }
        for slot in self.state.with_tree(self.slot()) {
            if let Some(cold) = self.state.bodies.cold.at_mut(slot) {
                cold.active = active;
                if active {
                    cold.quarantined = false;
                }
            }
            self.state.rebuild_proxies(slot);
            self.state.settle_island(slot);
            self.state.wake(slot);
            self.state.settle_joints(slot);
        }
    }

    /// Lets it appear in the debug geometry, or not.
    pub fn set_debug(&mut self, debug: bool) {
        let slot = self.slot();
        if let Some(cold) = self.state.bodies.cold.at_mut(slot) {
            cold.debug = debug;
        }
    }

    /// Lets it fall asleep, or not.
    pub fn set_can_sleep(&mut self, can_sleep: bool) {
        self.params_mut().set(Params::CAN_SLEEP, can_sleep);
        self.wake();
    }

    /// Continuous detection also against other dynamic bodies, or not.
    pub fn set_bullet(&mut self, bullet: bool) {
        self.params_mut().set(Params::BULLET, bullet);
    }

    /// Wakes it, and all that sleeps with it.
    pub fn wake_up(&mut self) {
        self.wake();
    }

    /// Puts it to sleep, and all that hangs together with it, as if they had been idle for long: their velocities are gone. A level that was
    /// saved at rest need not settle again. What would wake it wakes it, a contact that is found for the first time too: so take a step
    /// before.
    ///
    /// ```
    /// use tumble::{BodyDesc, World, math::Vec3, shape::Shape};
    /// # fn main() -> tumble::Result<()> {
    /// let mut world = World::new();
    /// world.add_body(BodyDesc::fixed().collider(Shape::half_space(Vec3::Y, 0.0)?))?;
    /// let id = world.add_body(BodyDesc::dynamic().position([0.0, 0.5, 0.0]).collider(Shape::cuboid(0.5, 0.5, 0.5)?))?;
    /// world.step(1.0 / 60.0)?;
    /// world.body_mut(id)?.put_to_sleep()?;
    /// world.step(1.0 / 60.0)?;
    /// assert!(world.body(id)?.is_asleep());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Only active dynamic bodies sleep.
    pub fn put_to_sleep(&mut self) -> Result<()> {
        let slot = self.slot();
        let island = self.state.islands.of(slot);
        if island == NONE {
            return Err(Error::refused(self.subject(), "only active dynamic bodies sleep"));
        }
        if !self.view().is_asleep() {
            // What has parted from it since islands were last looked at does not sleep with it.
            if self.state.islands.all[island as usize].lost_edges > 0 {
                self.state.split_island(island, &mut Vec::new());
            }
            let island = self.state.islands.of(slot);
            self.state.put_to_sleep(island);
        }
        Ok(())
    }
}
