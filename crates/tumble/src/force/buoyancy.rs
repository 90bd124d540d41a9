//! Buoyancy in water below a plane (003-46).
//!
//! ```text
//!   F = -ρ V g,      τ = s × F          V, s  volume under the plane n·x = level, and its centroid from the centre of mass
//!
//!   and the drag of the water on the share φ = V / V_whole of the body that is in it:
//!   F = -φ (c₁ + c₂ |u|) u,     τ = -φ (k₁ + k₂ |ω|) ω,     u = v - flow
//! ```
//!
//! g is the gravity of the world. V is that of the colliders that are no sensors, each by itself: exact for balls, boxes, hulls, closed meshes and
//! compounds of them, and for round shapes that of a solid of 16 sides of the same volume (see `submerged`). The plane stays where it is: no
//! waves, no mass of water that is moved along. So a body much lighter than water leaps, and wants drag and short steps.

use super::drag::Drag;
use super::submerged::{Submerged, Water};
use super::{Affected, check_finite, check_positive};
use crate::error::{Error, Result};
use crate::math::spatial::Wrench;
use crate::math::{Float, Real, Vec3};

/// Water below a plane.
///
/// ```
/// use tumble::force::{Buoyancy, Drag};
/// use tumble::{BodyDesc, ColliderDesc, EffectDesc, World, shape::Shape};
/// # fn main() -> tumble::Result<()> {
/// let mut world = World::new();
/// let raft = ColliderDesc::new(Shape::cuboid(1.0, 0.5, 1.0)?).density(600.0);
/// let raft = world.add_body(BodyDesc::dynamic().collider(raft))?;
/// let sea = Buoyancy::new([0.0, 1.0, 0.0], 0.0, 1000.0).drag(Drag::linear(4000.0));
/// world.add_effect(EffectDesc::new(sea))?;
/// for _ in 0..600 {
///     world.step(1.0 / 60.0)?;
/// }
/// // Six tenths of a height of 1 m are under water.
/// assert!((world.body(raft)?.position().y - -0.1).abs() < 1e-3);
/// assert!(world.add_effect(EffectDesc::new(Buoyancy::new([0.0; 3], 0.0, 1000.0))).is_err());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Buoyancy {
    /// n: up, out of the water. Of any length.
    pub normal: Vec3,
    /// n·x of the points x of the surface, for n of length 1.
    pub level: f64,
    /// ρ in kg/m³.
    pub density: Real,
    /// Drag of a body that is wholly in the water; its wind is the flow of the water.
    pub drag: Drag,
}

impl Buoyancy {
    /// Water of this density below the plane n·x = level.
    pub fn new(normal: impl Into<Vec3>, level: f64, density: Real) -> Self {
        Self { normal: normal.into(), level, density, drag: Drag::default() }
    }

    /// The same with drag.
    pub fn drag(mut self, drag: Drag) -> Self {
        self.drag = drag;
        self
    }

    pub(super) fn validate(&self, subject: &str) -> Result<()> {
        check_finite(subject, "normal of the water", self.normal)?;
        if self.normal == Vec3::ZERO {
            return Err(Error::value(subject, "normal of the water", "longer than 0", "[0, 0, 0]"));
        }
        if !self.level.is_finite() {
            return Err(Error::value(subject, "level of the water", "finite", self.level));
        }
        check_positive(subject, "density of the water", self.density)?;
        self.drag.validate(subject)
    }

    pub(super) fn apply(&self, bodies: &mut Affected<'_>) {
        let Some(normal) = self.normal.to_f64().try_normalize() else { return };
        let (state, dt) = (bodies.state, bodies.dt());
        let lift = bodies.gravity() * -self.density;
        bodies.each(|body| {
            let dense = body.dense as usize;
            let water = Water { normal, height: normal.dot(body.centre) - self.level };
            let extent = state.bodies.params[dense].extent;
            let Some(cold) = state.bodies.cold.at(state.bodies.slot[dense]) else { return Wrench::ZERO };
            // Most bodies are dry.
            if water.height > extent.to_f64() {
                return Wrench::ZERO;
            }
            let mut wet = Submerged::default();
            for collider in cold.colliders.iter().filter_map(|&slot| state.colliders.at(slot)).filter(|c| !c.sensor) {
                let place = collider.pose.translation - body.local_centre;
                wet.add(&water, &collider.shape, body.rotation.to_f64(), place.to_f64(), &collider.pose);
            }
            if !(wet.volume > 0.0 && wet.whole > 0.0) {
                return Wrench::ZERO;
            }
            let mut push = Wrench::new(wet.moment.to_real().cross(lift), lift * Real::from_f64(wet.volume));
            let share = Real::from_f64(wet.volume / wet.whole);
            let drag = Drag {
                linear: self.drag.linear * share,
                quadratic: self.drag.quadratic * share,
                angular_linear: self.drag.angular_linear * share,
                angular_quadratic: self.drag.angular_quadratic * share,
                wind: self.drag.wind,
            };
            let params = &state.bodies.params[dense];
            let slowed = drag.push(body, params.axes, params.inv_inertia, dt);
            push.force += slowed.force;
            push.torque += slowed.torque;
            push
        });
    }
}
