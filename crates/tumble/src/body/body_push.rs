//! What pushes a body: forces that stay, forces of one step, impulses.
//!
//! | call | acts | on a body that is not dynamic | on an inactive dynamic body |
//! |---|---|---|---|
//! | `set_force`, `set_torque`, `add_force_at` | in every step, until changed | is kept, and felt once it is dynamic | the same, once it is active |
//! | `apply_force`, `apply_torque`, `apply_force_at` | in the next step | is refused | is not felt |
//! | `apply_impulse`, `apply_impulse_at`, `apply_angular_impulse` | at once | is refused | is not felt |

use super::store::Velocity;
use super::{BodyKind, BodyMut};
use crate::articulation::Push;
use crate::error::{Error, Result};
use crate::math::spatial::Wrench;
use crate::math::{Point, Vec3};

/// # Forces and impulses
///
/// Forces that are set stay until they are changed; those that are applied act in the next step alone, and impulses at once. A body that is
/// not dynamic keeps the former, to feel them once it is dynamic, and refuses the others. A dynamic body that is inactive or quarantined takes all
/// and feels none: what pushes it in every frame need not ask.
impl BodyMut<'_> {
    /// The force at the centre of mass, in newtons, that stays until changed. A body that is not dynamic keeps it, and feels it once it is.
    pub fn set_force(&mut self, force: impl Into<Vec3>) -> Result<()> {
        let force = self.finite("force", force.into())?;
        if self.view().force() != force {
            self.params_mut().force = force;
            self.wake();
        }
        Ok(())
    }

    /// The torque, in newton metres, that stays until changed. A body that is not dynamic keeps it, and feels it once it is.
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

    /// A force at the centre of mass, in newtons, that acts in the next step alone, beside the one that stays. Several add up. Of the steps
    /// of one [`simulate`](crate::World::simulate) it acts in the first; where that makes none, it waits.
    ///
    /// ```
    /// use tumble::{BodyDesc, World};
    /// # fn main() -> tumble::Result<()> {
    /// let mut world = World::new();
    /// world.set_gravity([0.0; 3])?;
    /// let ship = world.add_body(BodyDesc::dynamic().mass(2.0))?;
    /// for step in 0..8 {
    ///     let mut body = world.body_mut(ship)?;
    ///     if step < 4 {
    ///         body.apply_force([16.0, 0.0, 0.0])?; // for as long as the key is down
    ///     }
    ///     body.apply_torque([0.0, 0.1, 0.0])?;
    ///     world.step(0.125)?;
    /// }
    /// assert_eq!(world.body(ship)?.linear_velocity().x, 4.0); // F t/m
    /// let wall = world.add_body(BodyDesc::fixed())?;
    /// assert!(world.body_mut(wall)?.apply_force([1.0, 0.0, 0.0]).is_err());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Bodies that are not dynamic, numbers or sums that are not finite.
    pub fn apply_force(&mut self, force: impl Into<Vec3>) -> Result<()> {
        let force = self.finite("force", force.into())?;
        self.apply_once(Wrench { force, torque: Vec3::ZERO })
    }

    /// A force at a point of the world that acts in the next step alone: F at the centre of mass and r × F about it, with r as it is
    /// now. See [`BodyMut::apply_force`].
    ///
    /// ```
    /// use tumble::{BodyDesc, World};
    /// # fn main() -> tumble::Result<()> {
    /// let mut world = World::new();
    /// let rod = world.add_body(BodyDesc::dynamic())?;
    /// world.body_mut(rod)?.apply_force_at([0.0, 9.81, 0.0], [0.5, 0.0, 0.0])?;
    /// world.step(1.0 / 60.0)?;
    /// let body = world.body(rod)?;
    /// assert!(body.centre_velocity().y.abs() < 1e-6 && body.angular_velocity().z > 0.5);
    /// # Ok(())
    /// # }
    /// ```
    pub fn apply_force_at(&mut self, force: impl Into<Vec3>, point: impl Into<Point>) -> Result<()> {
        let force = self.finite("force", force.into())?;
        let point = self.finite_point("point", point.into())?;
        let torque = self.finite("torque", self.view().lever(point).cross(force))?;
        self.apply_once(Wrench { force, torque })
    }

    /// A torque, in newton metres, that acts in the next step alone, beside the one that stays. See [`BodyMut::apply_force`].
    pub fn apply_torque(&mut self, torque: impl Into<Vec3>) -> Result<()> {
        let torque = self.finite("torque", torque.into())?;
        self.apply_once(Wrench { force: Vec3::ZERO, torque })
    }

    fn apply_once(&mut self, push: Wrench) -> Result<()> {
        self.pushable()?;
        if !self.feels_force() {
            return Ok(());
        }
        let sum = self.view().applied() + push;
        self.finite("sum of forces", sum.force)?;
        self.finite("sum of torques", sum.torque)?;
        self.set_applied(sum);
        self.wake();
        Ok(())
    }

    /// Puts a finite push in the place of all that was applied for the next step alone. Nobody wakes: who sleeps feels it only if something else
    /// wakes it in that step. Who feels no force does not keep it.
    pub(crate) fn set_applied(&mut self, push: Wrench) {
        let slot = self.slot();
        if push == Wrench::ZERO || !self.feels_force() {
            self.state.bodies.forget_once(slot);
        } else {
            self.state.bodies.set_once(slot, push);
        }
    }

    /// An error for a body that no push moves.
    fn pushable(&self) -> Result<()> {
        match self.view().kind() {
            BodyKind::Dynamic => Ok(()),
            BodyKind::Fixed => Err(Error::refused(self.subject(), "a fixed body cannot be pushed; make it dynamic")),
            BodyKind::Kinematic => {
                let problem = "a kinematic body moves as it is told; set its velocity or target, or make it dynamic";
                Err(Error::refused(self.subject(), problem))
            }
        }
    }

    /// An impulse at the centre of mass, in newton seconds: Δv = J/m.
    ///
    /// # Errors
    /// Bodies that are not dynamic, numbers that are not finite.
    pub fn apply_impulse(&mut self, impulse: impl Into<Vec3>) -> Result<()> {
        let centre = self.view().centre_of_mass();
        self.apply_impulse_at(impulse, centre)
    }

    /// An impulse at a point of the world: Δv = J/m, Δω = I⁻¹ (r × J) (003-07). Who moves a crowd of all kinds, as an
    /// explosion does, asks [`kind`](crate::BodyRef::kind) first, or uses an [effect](crate::force), which passes over what is not dynamic.
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
        self.pushable()?;
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
}
