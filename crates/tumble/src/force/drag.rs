//! Drag and wind (003-43).
//!
//! ```text
//!   u = v - w
//!   F = -(c₁ + c₂ |u|) u           w velocity of the wind
//!   τ = -(k₁ + k₂ |ω|) ω
//! ```
//!
//! Slow flow is linear (c₁ = 6π η r for a ball in a viscous fluid), fast flow quadratic (c₂ = ½ ρ C A). The force of a step never does more
//! than to stop the body within the step: c dt ≤ m, and about each principal axis k dt ≤ I. Where that holds anyway, the speed that a steady
//! force reaches is exact, m g = (c₁ + c₂ |u|) |u|.

use super::{Affected, AffectedBody, check_finite};
use crate::body::desc::check_not_negative;
use crate::error::Result;
use crate::math::spatial::Wrench;
use crate::math::{Num, Real, Vec3};

/// Air or water that slows down, and wind.
///
/// ```
/// use tumble::force::Drag;
/// use tumble::{BodyDesc, EffectDesc, World};
/// # fn main() -> tumble::Result<()> {
/// let mut world = World::new();
/// let ball = world.add_body(BodyDesc::dynamic().mass(2.0))?;
/// // Terminal speed: m g = c v².
/// let mut air = Drag::quadratic(0.1).wind([3.0, 0.0, 0.0]);
/// air.angular_linear = 0.01;
/// world.add_effect(EffectDesc::new(air))?;
/// for _ in 0..1200 {
///     world.step(1.0 / 60.0)?;
/// }
/// let v = world.body(ball)?.linear_velocity();
/// assert!((v.x - 3.0).abs() < 0.01);
/// assert!((v.y * v.y - 2.0 * 9.81 / 0.1).abs() < 0.2);
/// assert!(world.add_effect(EffectDesc::new(Drag::linear(-1.0))).is_err());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Drag {
    /// c₁ in kg/s.
    pub linear: Real,
    /// c₂ in kg/m.
    pub quadratic: Real,
    /// k₁ in kg m²/s.
    pub angular_linear: Real,
    /// k₂ in kg m².
    pub angular_quadratic: Real,
    /// Velocity of the air.
    pub wind: Vec3,
}

impl Drag {
    /// F = -c v
    pub fn linear(c: Real) -> Self {
        Self { linear: c, ..Self::default() }
    }

    /// F = -c |v| v
    pub fn quadratic(c: Real) -> Self {
        Self { quadratic: c, ..Self::default() }
    }

    /// The same in air that moves.
    pub fn wind(mut self, velocity: impl Into<Vec3>) -> Self {
        self.wind = velocity.into();
        self
    }

    pub(super) fn validate(&self, subject: &str) -> Result<()> {
        check_not_negative(subject, "linear drag", self.linear)?;
        check_not_negative(subject, "quadratic drag", self.quadratic)?;
        check_not_negative(subject, "linear angular drag", self.angular_linear)?;
        check_not_negative(subject, "quadratic angular drag", self.angular_quadratic)?;
        check_finite(subject, "wind", self.wind)
    }

    pub(super) fn apply(&self, bodies: &mut Affected<'_>) {
        let (state, dt) = (bodies.state, bodies.dt());
        bodies.each(|body| {
            let params = &state.bodies.params[body.dense as usize];
            self.push(body, params.axes, params.inv_inertia, dt)
        });
    }

    /// The drag on one body with these principal axes and inverse moments.
    pub(super) fn push(&self, body: &AffectedBody, axes: crate::math::Quat, inv_inertia: Vec3, dt: Real) -> Wrench {
        let (u, w) = (body.velocity - self.wind, body.angular_velocity);
        let c = Num::min(self.linear + self.quadratic * u.length(), body.mass / dt);
        let mut torque = Vec3::ZERO;
        if (self.angular_linear > 0.0 || self.angular_quadratic > 0.0) && w != Vec3::ZERO {
            let k = self.angular_linear + self.angular_quadratic * w.length();
            let principal = body.rotation * axes;
            let limited = |inverse: Real| Num::min(k, 1.0 / (inverse * dt));
            let k = Vec3::new(limited(inv_inertia.x), limited(inv_inertia.y), limited(inv_inertia.z));
            torque = -principal.rotate(principal.unrotate(w).scale(k));
        }
        Wrench::new(torque, -u * c)
    }
}
