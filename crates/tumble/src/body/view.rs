//! Bodies and colliders as the user sees them: in the body's own frame, whose origin need not be the centre of mass.

use super::desc::{check_limit, check_mass_source, check_not_negative, check_rotation};
use super::store::{Cold, Params, Velocity};
use super::{BodyKind, Layers, Locks, MassSource};
use crate::articulation::Push;
use crate::constraint::contact::NONE;
use crate::error::{Error, Result};
use crate::id::{ArticulationId, BodyId, ColliderId, MaterialId};
use crate::integrate::rotation;
use crate::math::{Aabb, Point, Pose, Quat, Real, Sym3, Vec3, WorldPose};
use crate::shape::{Geometry, MassProperties, Shape};
use crate::world::State;

/// A body, to look at.
///
/// ```
/// # use tumble::{BodyDesc, World};
/// # let mut world = World::new();
/// let id = world.add_body(BodyDesc::dynamic().angular_velocity([0.0, 2.0, 0.0])).unwrap();
/// let body = world.body(id).unwrap();
/// assert_eq!(body.velocity_at([1.0, 0.0, 0.0]).z, -2.0);
/// ```
///
/// ```
/// use tumble::{BodyDesc, BodyKind, Locks, World, math::Vec3, shape::Shape};
/// # fn main() -> tumble::Result<()> {
/// let mut world = World::new();
/// let desc = BodyDesc::dynamic().name("crate").position([0.0, 5.0, 0.0]).collider(Shape::cuboid(0.5, 0.5, 0.5)?);
/// let id = world.add_body(desc)?;
/// world.step(0.5)?;
/// let body = world.body(id)?;
///
/// // Who and what it is.
/// assert_eq!((body.id(), body.name(), body.kind(), body.user_data()), (id, Some("crate"), BodyKind::Dynamic, 0));
/// assert_eq!(body.colliders().count(), 1);
/// assert!(body.is_active() && body.is_debug() && body.can_sleep() && !body.is_asleep() && !body.is_bullet());
/// // Where it is.
/// assert_eq!(body.pose().translation, body.position());
/// assert_eq!(body.position(), body.centre_of_mass()); // its frame is at its centre
/// assert_eq!(body.to_local(body.to_world([0.1, 0.0, 0.0])).y, 0.0);
/// assert!(body.rotation().is_unit());
/// // How it moves, after half a second of free fall.
/// assert!((body.centre_velocity().y + 0.5 * 9.81).abs() < 1e-5);
/// assert_eq!(body.linear_velocity(), body.centre_velocity());
/// assert_eq!((body.angular_velocity(), body.angular_acceleration()), (Vec3::ZERO, Vec3::ZERO));
/// assert!((body.acceleration_at([0.0, 5.0, 0.0]).y + 9.81).abs() < 1e-4);
/// assert_eq!(body.idle_time(), 0.0);
/// // What it weighs, and what it carries.
/// assert_eq!((body.mass(), body.mass_properties().unwrap().mass), (1000.0, 1000.0));
/// assert!((body.inertia().xx - 1000.0 / 6.0).abs() < 1e-3);
/// assert!((body.momentum().y + 500.0 * 9.81).abs() < 1e-2);
/// assert_eq!(body.angular_momentum().length(), 0.0);
/// assert!((body.kinetic_energy() - 0.5 * 1000.0 * (0.5 * 9.81f64).powi(2)).abs() < 0.1);
/// // What acts on it and what holds it back.
/// assert_eq!((body.force(), body.torque(), body.gravity_scale()), (Vec3::ZERO, Vec3::ZERO, 1.0));
/// assert_eq!((body.damping(), body.locks()), ((0.0, 0.0), Locks::NONE));
/// assert_eq!(body.speed_limits().0, tumble::math::Real::INFINITY);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy)]
pub struct BodyRef<'a> {
    pub(crate) state: &'a State,
    pub(crate) id: BodyId,
    pub(crate) dense: usize,
}

impl<'a> BodyRef<'a> {
    fn cold(&self) -> Option<&'a Cold> {
        self.state.bodies.cold.at(self.id.index())
    }

    fn params(&self) -> &'a Params {
        &self.state.bodies.params[self.dense]
    }

    fn velocity(&self) -> &'a Velocity {
        &self.state.bodies.velocity[self.dense]
    }

    /// Its id.
    pub fn id(&self) -> BodyId {
        self.id
    }

    /// How it moves.
    pub fn kind(&self) -> BodyKind {
        self.cold().map_or(BodyKind::Fixed, |c| c.kind)
    }

    /// The articulation that it is a link of, and which.
    pub fn link(&self) -> Option<(ArticulationId, usize)> {
        let (slot, link) = self.state.articulations.link_of(self.id.index())?;
        Some((self.state.articulations.all.id_at(slot)?, link))
    }

    /// Where its frame is.
    pub fn pose(&self) -> WorldPose {
        self.state.bodies.frame(self.dense)
    }

    /// Where the origin of its frame is.
    pub fn position(&self) -> Point {
        self.pose().translation
    }

    /// How its frame is turned.
    pub fn rotation(&self) -> Quat {
        self.state.bodies.pose[self.dense].rotation
    }

    /// Where its centre of mass is, in the world. A body that is not dynamic counts as balanced about the origin of its
    /// frame, wherever its mass lies.
    pub fn centre_of_mass(&self) -> Point {
        self.state.bodies.pose[self.dense].centre
    }

    /// Velocity of the origin of its frame.
    pub fn linear_velocity(&self) -> Vec3 {
        let r = self.rotation().rotate(-self.params().local_centre);
        self.velocity().at(r)
    }

    /// Velocity of its centre of mass.
    pub fn centre_velocity(&self) -> Vec3 {
        self.velocity().linear
    }

    /// Angular velocity in world space, rad/s.
    pub fn angular_velocity(&self) -> Vec3 {
        self.velocity().angular
    }

    /// Velocity of the point of the body that is at `point` in the world: v + ω × r (003-03).
    pub fn velocity_at(&self, point: impl Into<Point>) -> Vec3 {
        self.velocity().at(self.lever(point.into()))
    }

    /// Mean acceleration, over the last step, of the point of the body that is at `point` in the world:
    /// a + α × r + ω × (ω × r) (003-03). Before the first step it is zero.
    pub fn acceleration_at(&self, point: impl Into<Point>) -> Vec3 {
        let r = self.lever(point.into());
        let rest = &self.state.bodies.rest[self.dense];
        let w = self.velocity().angular;
        rest.linear_acceleration + rest.angular_acceleration.cross(r) + w.cross(w.cross(r))
    }

    /// Mean angular acceleration over the last step.
    pub fn angular_acceleration(&self) -> Vec3 {
        self.state.bodies.rest[self.dense].angular_acceleration
    }

    fn lever(&self, point: Point) -> Vec3 {
        (point - self.centre_of_mass()).to_real()
    }

    /// Its mass in kg. Bodies that are not dynamic have the one that they would have if they were, though nothing feels
    /// it; 0 where their shapes have none.
    pub fn mass(&self) -> f64 {
        self.mass_properties().map_or(0.0, |m| m.mass)
    }

    /// Mass, centre and inertia in its frame. `None` for a body that could not be dynamic, such as one with an open mesh.
    pub fn mass_properties(&self) -> Option<MassProperties> {
        let cold = self.cold()?;
        if cold.kind == BodyKind::Dynamic { Some(cold.mass) } else { self.state.mass_of(cold).ok() }
    }

    /// Inertia about the centre of mass in world axes.
    pub fn inertia(&self) -> Sym3<f64> {
        let r = self.rotation().to_f64().to_mat3();
        self.mass_properties().map_or(Sym3::ZERO, |m| m.inertia.rotated(&r))
    }

    /// Momentum m v.
    pub fn momentum(&self) -> Vec3<f64> {
        self.velocity().linear.to_f64() * self.mass()
    }

    /// Angular momentum I ω about the centre of mass, in world axes, with what the rounding of ω would lose.
    pub fn angular_momentum(&self) -> Vec3<f64> {
        let params = self.params();
        let carry = self.state.bodies.rest[self.dense].carry;
        if params.inv_inertia.min_component() > 0.0 {
            rotation::angular_momentum(self.rotation(), self.velocity().angular, carry, params)
        } else {
            self.inertia() * self.velocity().angular.to_f64()
        }
    }

    /// Kinetic energy m v²/2 + ω·I ω/2.
    pub fn kinetic_energy(&self) -> f64 {
        0.5 * (self.mass() * self.velocity().linear.to_f64().length_squared()
            + self.velocity().angular.to_f64().dot(self.angular_momentum()))
    }

    /// Where it is to be at the end of the next step, if it is kinematic and was told so.
    pub fn target(&self) -> Option<WorldPose> {
        self.cold().and_then(|c| c.target)
    }

    /// The force at the centre of mass that stays until changed.
    pub fn force(&self) -> Vec3 {
        self.params().force
    }

    /// The torque that stays until changed.
    pub fn torque(&self) -> Vec3 {
        self.params().torque
    }

    /// Linear and angular damping, per second.
    pub fn damping(&self) -> (Real, Real) {
        (self.params().linear_damping, self.params().angular_damping)
    }

    /// What multiplies gravity.
    pub fn gravity_scale(&self) -> Real {
        self.params().gravity_scale
    }

    /// Motions it must not make.
    pub fn locks(&self) -> Locks {
        self.params().locks()
    }

    /// Speed limits: m/s and rad/s.
    pub fn speed_limits(&self) -> (Real, Real) {
        (self.params().max_linear_speed, self.params().max_angular_speed)
    }

    /// Its name.
    pub fn name(&self) -> Option<&'a str> {
        self.cold().and_then(|c| c.name.as_deref())
    }

    /// What the user put there.
    pub fn user_data(&self) -> u64 {
        self.cold().map_or(0, |c| c.user_data)
    }

    /// It takes part in the simulation.
    pub fn is_active(&self) -> bool {
        self.cold().is_some_and(|c| c.active)
    }

    /// It appears in the debug geometry.
    pub fn is_debug(&self) -> bool {
        self.cold().is_some_and(|c| c.debug)
    }

    /// It is asleep.
    pub fn is_asleep(&self) -> bool {
        self.cold().is_some_and(|c| c.asleep)
    }

    /// It may fall asleep.
    pub fn can_sleep(&self) -> bool {
        self.params().has(Params::CAN_SLEEP)
    }

    /// Continuous detection also against other dynamic bodies.
    pub fn is_bullet(&self) -> bool {
        self.params().has(Params::BULLET)
    }

    /// For how long it has been idle, in seconds.
    pub fn idle_time(&self) -> Real {
        self.state.bodies.rest[self.dense].idle_time
    }

    /// Its colliders, in the order of their addition.
    pub fn colliders(&self) -> impl Iterator<Item = ColliderId> + 'a {
        let state = self.state;
        self.cold().into_iter().flat_map(|c| &c.colliders).filter_map(move |&slot| state.colliders.id_at(slot))
    }

    /// From its frame to the world.
    pub fn to_world(self, point: impl Into<Vec3>) -> Point {
        self.pose().transform_point(point.into())
    }

    /// From the world to its frame.
    pub fn to_local(self, point: impl Into<Point>) -> Vec3 {
        self.pose().inverse_transform_point(point.into())
    }
}

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
/// // Forces stay until they are changed; impulses act once.
/// body.set_force([0.0, 9.81, 0.0])?;
/// body.set_torque([0.0, 0.0, 0.0])?;
/// body.add_force_at([0.0, 1.0, 0.0], [0.5, 2.0, 0.0])?;
/// assert!(body.view().torque().length() > 0.4);
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

    fn dense(&self) -> usize {
        self.state.bodies.dense_at(self.id.index())
    }

    fn slot(&self) -> u32 {
        self.id.index()
    }

    fn finite(&self, property: &'static str, v: Vec3) -> Result<Vec3> {
        if v.is_finite() {
            Ok(v)
        } else {
            Err(Error::value(self.subject(), property, "finite", format_args!("{:?}", v.to_array())))
        }
    }

    fn finite_point(&self, property: &'static str, p: Point) -> Result<Point> {
        if p.is_finite() {
            Ok(p)
        } else {
            Err(Error::value(self.subject(), property, "finite", format_args!("{:?}", p.to_array())))
        }
    }

    fn subject(&self) -> String {
        self.state.subject(self.slot())
    }

    /// Bodies that are not dynamic feel no force.
    fn feels_force(&self) -> bool {
        self.state.bodies.cold.at(self.slot()).is_some_and(|c| c.kind == BodyKind::Dynamic && c.active)
    }

    fn wake(&mut self) {
        let slot = self.slot();
        self.state.wake(slot);
    }

    fn params_mut(&mut self) -> &mut Params {
        let dense = self.dense();
        &mut self.state.bodies.params[dense]
    }

    fn velocity_mut(&mut self) -> &mut Velocity {
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

    /// Changes how it moves. A body made fixed stops; one made dynamic keeps its velocity.
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
            cold.target = None;
        }
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

    /// Puts it somewhere else at once: a teleport, not a motion.
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
        self.state.move_proxies(slot, Vec3::ZERO);
        self.wake();
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
        let stays = cold.target.is_none() && self.state.bodies.velocity[dense] == Velocity::default();
        if stays && self.view().pose() == target {
            return Ok(());
        }
        if let Some(cold) = self.state.bodies.cold.at_mut(slot) {
            cold.target = Some(target);
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
            params.has(Params::KINEMATIC) && self.state.bodies.cold.at(slot).is_some_and(|c| c.target.is_none());
        if stands && velocity == Velocity::default() && *self.velocity_mut() == velocity {
            return Ok(());
        }
        if let Some(cold) = self.state.bodies.cold.at_mut(slot) {
            cold.target = None;
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

    /// The force at the centre of mass, in newtons, that stays until changed.
    pub fn set_force(&mut self, force: impl Into<Vec3>) -> Result<()> {
        let force = self.finite("force", force.into())?;
        if self.view().force() != force {
            self.params_mut().force = force;
            self.wake();
        }
        Ok(())
    }

    /// The torque, in newton metres, that stays until changed.
    pub fn set_torque(&mut self, torque: impl Into<Vec3>) -> Result<()> {
        let torque = self.finite("torque", torque.into())?;
        if self.view().torque() != torque {
            self.params_mut().torque = torque;
            self.wake();
        }
        Ok(())
    }

    /// Adds a force at a point of the world to the force and torque that stay until changed: F at the centre of mass and
    /// r × F about it (003-07).
    pub fn add_force_at(&mut self, force: impl Into<Vec3>, point: impl Into<Point>) -> Result<()> {
        let force = self.finite("force", force.into())?;
        let point = self.finite_point("point", point.into())?;
        let torque = self.finite("torque", self.view().lever(point).cross(force))?;
        let view = self.view();
        let (f, t) = (view.force() + force, view.torque() + torque);
        self.finite("sum of forces", f)?;
        self.finite("sum of torques", t)?;
        self.set_force(f)?;
        self.set_torque(t)
    }

    /// An impulse at the centre of mass, in newton seconds: Δv = J/m.
    pub fn apply_impulse(&mut self, impulse: impl Into<Vec3>) -> Result<()> {
        let centre = self.view().centre_of_mass();
        self.apply_impulse_at(impulse, centre)
    }

    /// An impulse at a point of the world: Δv = J/m, Δω = I⁻¹ (r × J) (003-07). Bodies that are not dynamic feel nothing.
    pub fn apply_impulse_at(&mut self, impulse: impl Into<Vec3>, point: impl Into<Point>) -> Result<()> {
        let impulse = self.finite("impulse", impulse.into())?;
        let point = self.finite_point("point", point.into())?;
        let lever = self.view().lever(point);
        self.push(impulse, lever.cross(impulse))
    }

    /// An angular impulse, in newton metre seconds: Δω = I⁻¹ H.
    pub fn apply_angular_impulse(&mut self, impulse: impl Into<Vec3>) -> Result<()> {
        let impulse = self.finite("angular impulse", impulse.into())?;
        self.push(Vec3::ZERO, impulse)
    }

    fn push(&mut self, linear: Vec3, angular: Vec3) -> Result<()> {
        if !self.feels_force() {
            return Ok(());
        }
        if let Some((tree, link)) = self.state.articulations.link_of(self.slot()) {
            let push = Push::at_centre(link, linear.to_f64(), angular.to_f64());
            return self.state.push_tree(tree, &[push]);
        }
        let view = self.view();
        let params = *view.params();
        let inverse = params.inv_inertia_world(view.rotation());
        let v = *view.velocity();
        let new = Velocity {
            linear: v.linear + linear.scale(params.locks().free_move()) * params.inv_mass,
            angular: v.angular + inverse * angular,
        };
        self.finite("velocity after the impulse", new.linear)?;
        self.finite("angular velocity after the impulse", new.angular)?;
        *self.velocity_mut() = params.restrained(new);
        self.wake();
        Ok(())
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
    pub fn set_mass(&mut self, source: MassSource) -> Result<()> {
        check_mass_source(&self.subject(), &source)?;
        let slot = self.slot();
        let Some(cold) = self.state.bodies.cold.at_mut(slot) else { return Err(self.id.missing()) };
        let old = core::mem::replace(&mut cold.mass_source, source);
        if let Err(error) = self.state.refresh_mass(slot) {
            if let Some(cold) = self.state.bodies.cold.at_mut(slot) {
                cold.mass_source = old;
            }
            return Err(error);
        }
        self.wake();
        Ok(())
    }

    /// A name for people.
    pub fn set_name(&mut self, name: Option<String>) {
        let slot = self.slot();
        if let Some(cold) = self.state.bodies.cold.at_mut(slot) {
            cold.name = name;
        }
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
            self.state.put_to_sleep(island);
        }
        Ok(())
    }
}

/// A collider, to look at.
///
/// ```
/// # use tumble::{BodyDesc, ColliderDesc, World, shape::Shape};
/// # fn main() -> tumble::Result<()> {
/// # let mut world = World::new();
/// let body = world.add_body(BodyDesc::dynamic().position([0.0, 3.0, 0.0]))?;
/// let id = world.add_collider(body, ColliderDesc::new(Shape::sphere(0.5)?).at([1.0, 0.0, 0.0]))?;
/// let collider = world.collider(id)?;
/// assert_eq!(collider.body(), body);
/// assert_eq!(collider.pose().translation.to_array(), [1.0, 3.0, 0.0]);
/// # Ok(())
/// # }
/// ```
///
/// ```
/// use tumble::{BodyDesc, ColliderDesc, Layers, World, math::Vec3, shape::Shape};
/// # fn main() -> tumble::Result<()> {
/// let mut world = World::new();
/// let body = world.add_body(BodyDesc::fixed().collider(ColliderDesc::new(Shape::sphere(0.5)?).user_data(3)))?;
/// for id in world.body(body)?.colliders() {
///     let collider = world.collider(id)?;
///     assert_eq!((collider.id(), collider.user_data()), (id, 3));
///     assert_eq!(collider.shape(), &Shape::sphere(0.5)?);
///     assert_eq!(collider.local_pose().translation, Vec3::ZERO);
///     assert_eq!(collider.bounds().half_extents(), Vec3::all(0.5));
///     assert_eq!((collider.material(0), collider.layers()), (World::MATERIAL, Layers::default()));
///     assert!(collider.collides() && !collider.is_sensor());
///     assert!(collider.density().is_none() && !collider.is_hooked() && collider.contact_events());
///     assert!(collider.impact_speed().is_infinite());
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy)]
pub struct ColliderRef<'a> {
    pub(crate) state: &'a State,
    pub(crate) id: ColliderId,
    pub(crate) collider: &'a super::collider::Collider,
}

impl<'a> ColliderRef<'a> {
    fn get(&self) -> &'a super::collider::Collider {
        self.collider
    }

    /// Its id.
    pub fn id(&self) -> ColliderId {
        self.id
    }

    /// The body it is on.
    pub fn body(&self) -> BodyId {
        self.state.bodies.cold.id_at(self.get().body).unwrap_or(crate::World::BODY)
    }

    /// Its shape.
    pub fn shape(&self) -> &'a Shape {
        &self.get().shape
    }

    /// Where it is in the body's frame.
    pub fn local_pose(&self) -> Pose {
        self.get().pose
    }

    /// Where it is in the world.
    pub fn pose(&self) -> WorldPose {
        let c = self.get();
        self.state.bodies.placed(self.state.bodies.dense_at(c.body), &c.pose)
    }

    /// The box around it in the world.
    pub fn bounds(&self) -> Aabb {
        let pose = self.pose();
        self.get().shape.bounds(&Pose::new(Vec3::ZERO, pose.rotation)).moved_to(pose.translation)
    }

    /// The material of a slot; slots that are not listed count as slot 0.
    pub fn material(&self, slot: u16) -> MaterialId {
        self.get().material(slot)
    }

    /// Layers it belongs to and meets.
    pub fn layers(&self) -> Layers {
        self.get().layers
    }

    /// It reports what overlaps it and stops nothing.
    pub fn is_sensor(&self) -> bool {
        self.get().sensor
    }

    /// Collision is on.
    pub fn collides(&self) -> bool {
        self.get().collides
    }

    /// What the user put there.
    pub fn user_data(&self) -> u64 {
        self.get().user_data
    }

    /// Its own density, which goes before that of its material.
    pub fn density(&self) -> Option<Real> {
        self.get().density
    }

    /// The contact hook is asked about its contacts.
    pub fn is_hooked(&self) -> bool {
        self.get().hooked
    }

    /// Its contacts are told when they begin and end.
    pub fn contact_events(&self) -> bool {
        self.get().contact_events
    }

    /// The speed from which on its impacts are told.
    pub fn impact_speed(&self) -> Real {
        self.get().impact_speed
    }
}
