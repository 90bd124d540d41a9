//! What a mover does to bodies.
//!
//! A body in the way is pushed as by an inelastic impact of the mover's mass M: with the closing speed c at the contact, the direction d of
//! the push and the lever r from the body's centre, the impulse is j = c / (1/M + 1/m + (r × d)·I⁻¹(r × d)), and no more than
//! the largest force has to give in one step. Ground that is dynamic bears the weight M g.

use super::{Mover, MoverDesc};
use crate::error::Result;
use crate::math::{Float, Num, Point, Real, Sym3, Vec3};
use crate::{BodyKind, BodyRef, World};

impl Mover {
    /// Pushes what was in the way, and presses on the ground.
    pub(super) fn push(&self, world: &mut World, up: Vec3, dt: Real) -> Result<()> {
        let MoverDesc { mass, push_force, climb_angle, .. } = self.desc;
        if mass <= 0.0 {
            return Ok(());
        }
        let climb = Float::cos(climb_angle);
        let mut budget = push_force.to_f64() * dt.to_f64();
        for collision in &self.collisions {
            let body = world.body(collision.body)?;
            if body.kind() != BodyKind::Dynamic || collision.normal.dot(up) >= climb || budget <= 0.0 {
                continue;
            }
            let d = -collision.normal;
            let closing = (collision.speed - body.velocity_at(collision.point).dot(d)).to_f64();
            let resistance = yielding(&body, collision.point, d) + 1.0 / mass.to_f64();
            let impulse = Num::min(Num::max(closing / resistance, 0.0), budget);
            budget -= impulse;
            if impulse > 0.0 {
                world.body_mut(collision.body)?.apply_impulse_at(d * Real::from_f64(impulse), collision.point)?;
            }
        }
        if let Some(ground) = self.ground
            && ground.firm
            && world.body(ground.body)?.kind() == BodyKind::Dynamic
        {
            let weight = world.gravity() * (mass * dt);
            world.body_mut(ground.body)?.apply_impulse_at(weight, ground.point)?;
        }
        Ok(())
    }
}

/// By how much a unit impulse along `d` at a point of the world changes the speed of that point along `d`, in 1/kg.
pub(in crate::control) fn yielding(body: &BodyRef, point: Point, d: Vec3) -> f64 {
    let Some(mass) = body.mass_properties() else { return 0.0 };
    if body.kind() != BodyKind::Dynamic {
        return 0.0;
    }
    let turn = (point - body.centre_of_mass()).cross(d.to_f64());
    let inverse = body.inertia().try_inverse().unwrap_or(Sym3::ZERO);
    1.0 / mass.mass + inverse.quadratic(turn)
}
