//! Sums over a world: energy, momentum.

use super::World;
use crate::body::BodyKind;
use crate::constraint::contact::NONE;
use crate::math::{Num, Point, Real, Vec3};

/// Conserved quantities of all active dynamic bodies together.
///
/// ```
/// use tumble::{BodyDesc, World};
/// let mut world = World::new();
/// world.add_body(BodyDesc::dynamic().position([0.0, 100.0, 0.0]).mass(2.0)).unwrap();
/// let before = world.measure();
/// for _ in 0..60 {
///     world.step(1.0 / 60.0).unwrap();
/// }
/// let after = world.measure();
/// assert!((after.energy() / before.energy() - 1.0).abs() < 1e-5);
/// assert!((after.momentum.y + 2.0 * 9.81).abs() < 1e-4);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Measures {
    /// Mass in kg.
    pub mass: f64,
    /// Centre of mass.
    pub centre: Point,
    /// Kinetic energy in joules, with that of what turns with the motors of trees.
    pub kinetic: f64,
    /// Potential energy: in gravity and in uniform fields relative to the origin of the world, in springs relative to their length at rest, those in
    /// the joints of trees among them,
    /// in attraction and gravitation relative to infinitely far off.
    pub potential: f64,
    /// Momentum.
    pub momentum: Vec3<f64>,
    /// Angular momentum about the origin of the world.
    pub angular_momentum: Vec3<f64>,
}

impl Measures {
    /// Kinetic and potential energy.
    pub fn energy(&self) -> f64 {
        self.kinetic + self.potential
    }
}

impl World {
    /// Mass, energy and momentum of all active dynamic bodies together.
    ///
    /// ```
    /// # use tumble::{BodyDesc, World};
    /// # let mut world = World::new();
    /// world.add_body(BodyDesc::dynamic().position([0.0, 2.0, 0.0])).unwrap();
    /// assert!((world.measure().potential - 2.0 * 9.81).abs() < 1e-5);
    /// ```
    pub fn measure(&self) -> Measures {
        let mut m = Measures::default();
        let gravity = self.state.gravity.to_f64();
        for id in self.body_ids() {
            let Ok(body) = self.body(id) else { continue };
            if body.kind() != BodyKind::Dynamic || !body.is_active() {
                continue;
            }
            let (mass, centre, p) = (body.mass(), body.centre_of_mass(), body.momentum());
            m.mass += mass;
            m.centre += centre * mass;
            m.kinetic += body.kinetic_energy();
            m.potential -= mass * gravity.dot(centre) * f64::from(body.gravity_scale());
            m.momentum += p;
            m.angular_momentum += centre.cross(p) + body.angular_momentum();
        }
        for (_, tree) in self.state.articulations.all.iter() {
            // Links are active all together.
            let first = tree.bodies.first().and_then(|&body| self.state.bodies.cold.at(body));
            if first.is_some_and(|body| body.active) {
                m.kinetic += tree.armature_energy();
                m.potential += tree.spring_energy();
            }
        }
        m.potential += crate::force::potential(&self.state);
        if m.mass > 0.0 {
            m.centre /= m.mass;
        }
        m
    }

    /// How deep the deepest contact point lies inside, in metres, as the last step found it before solving; 0 where nothing overlaps.
    ///
    /// ```
    /// use tumble::{BodyDesc, World, math::Vec3, shape::Shape};
    /// # fn main() -> tumble::Result<()> {
    /// let mut world = World::new();
    /// world.add_body(BodyDesc::fixed().collider(Shape::half_space(Vec3::Y, 0.0)?))?;
    /// world.add_body(BodyDesc::dynamic().position([0.0, 0.49, 0.0]).collider(Shape::sphere(0.5)?))?;
    /// world.step(1.0 / 60.0)?;
    /// assert!((world.deepest_overlap() - 0.01).abs() < 1e-5);
    /// # Ok(())
    /// # }
    /// ```
    pub fn deepest_overlap(&self) -> Real {
        let held = self.state.contacts.manifolds.iter().filter(|m| m.contact != NONE);
        let points = held.flat_map(|m| m.used());
        points.fold(0.0, |deepest, p| Num::max(-p.separation, deepest))
    }
}
