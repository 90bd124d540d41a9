//! A body as the user looks at it: in its own frame, whose origin need not be the centre of mass.

use super::store::{Cold, Params, Velocity};
use super::{BodyKind, Locks};
use crate::id::{ArticulationId, BodyId, ColliderId};
use crate::integrate::rotation;
use crate::math::spatial::Wrench;
use crate::math::{Point, Quat, Real, Sym3, Vec3, WorldPose};
use crate::shape::MassProperties;
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
    pub(super) fn cold(&self) -> Option<&'a Cold> {
        self.state.bodies.cold.at(self.id.index())
    }

    pub(super) fn params(&self) -> &'a Params {
        &self.state.bodies.params[self.dense]
    }

    pub(super) fn velocity(&self) -> &'a Velocity {
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

    /// Velocity with which the point of the body that is at `point` in the world sets out on a step of `dt`, as far as its target or its velocity says.
    /// That of a body with a target is zero in between.
    pub(crate) fn coming_velocity_at(&self, point: Point, dt: Real) -> Vec3 {
        let velocity = match self.target() {
            Some(target) => {
                Velocity::towards(&target, &self.state.bodies.pose[self.dense], self.params().local_centre, dt)
            }
            None => *self.velocity(),
        };
        velocity.at(self.lever(point))
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

    pub(super) fn lever(&self, point: Point) -> Vec3 {
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
        if cold.kind == BodyKind::Dynamic { Some(*cold.mass) } else { self.state.mass_of(cold).ok() }
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
        self.cold().and_then(Cold::target)
    }

    /// The force at the centre of mass that stays until changed.
    pub fn force(&self) -> Vec3 {
        self.params().force
    }

    /// Force and torque about the centre of mass that act in the next step alone.
    pub(crate) fn applied(&self) -> Wrench {
        self.state.bodies.once_on(self.id.index())
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
        self.state.bodies.names.get(self.id.index())
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
