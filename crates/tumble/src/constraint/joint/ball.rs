//! Ball joint: one point of A stays on one point of B; all turning is free (003-49).
//!
//! ```text
//!   C = d                            3 rows
//!   Ċ = v_B + ω_B × r_B - v_A - ω_A × r_A
//!   K = (1/m_A + 1/m_B) 1 - [r_A]× I_A⁻¹ [r_A]× - [r_B]× I_B⁻¹ [r_B]×
//! ```

use super::super::{Constraint, Frames, Jacobian, Row, Rows, Signal, Stiffness};
use super::parts;
use crate::math::{Quat, Real, Vec3};

/// Three rows hold the point; an [`Orientation`] motor adds three.
///
/// ```
/// use tumble::{BodyDesc, JointDesc, World, shape::Shape};
/// # fn main() -> tumble::Result<()> {
/// let mut world = World::new();
/// let bob = world.add_body(BodyDesc::dynamic().position([1.0, 0.0, 0.0]).collider(Shape::sphere(0.1)?))?;
/// let pivot = world.add_joint(JointDesc::ball(World::BODY, bob).anchor([0.0, 0.0, 0.0]))?;
/// for _ in 0..30 {
///     world.step(1.0 / 60.0)?;
/// }
/// assert!(world.body(bob)?.position().y < -0.5);
/// assert!((world.body(bob)?.position().length() - 1.0).abs() < 1e-2);
/// assert!(world.joint(pivot)?.gap() < 1e-2);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Ball {
    /// Pulls B to an orientation relative to A, or resists turning.
    pub motor: Option<Orientation>,
}

impl Constraint for Ball {
    fn name(&self) -> &str {
        "ball"
    }

    fn rows(&self, frames: &Frames, out: &mut Rows) {
        parts::coincide(frames, out);
        if let Some(motor) = &self.motor {
            motor.rows(frames, out);
        }
    }
}

/// A motor for all three turns at once.
///
/// ```
/// use tumble::constraint::{Signal, Stiffness};
/// use tumble::constraint::joint::Orientation;
/// use tumble::math::{Quat, Vec3};
/// let head_up = Orientation::target(Quat::IDENTITY, Stiffness::tuned(3.0, 0.7)).max_torque(50.0);
/// let stiff_neck = Orientation::friction(4.0);
/// // It looks to the left and to the right, five seconds each way.
/// let sway = Signal::Sine { mean: 0.0, amplitude: 0.8, hertz: 0.1, phase: 0.0 };
/// let looks_round = Orientation::target(Quat::IDENTITY, Stiffness::tuned(3.0, 0.7)).turning(Vec3::Y, sway);
/// # let _ = (head_up, stiff_neck, looks_round);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Orientation {
    /// The rotation of B as seen from A that is wanted; `None` only resists turning.
    pub target: Option<Quat>,
    /// The spring that pulls there.
    pub stiffness: Stiffness,
    /// Greatest torque about each axis of the world; may be infinite.
    pub max_torque: Real,
    /// The target turns further by [`Orientation::angle`] about this axis of A's frame.
    pub about: Vec3,
    /// θ: by how much, in radians, as a function of time.
    pub angle: Signal,
}

impl Orientation {
    /// Pulls to an orientation by a damped spring.
    pub const fn target(rotation: Quat, stiffness: Stiffness) -> Self {
        let (about, angle) = (Vec3::X, Signal::Constant(0.0));
        Self { target: Some(rotation), stiffness, max_torque: Real::INFINITY, about, angle }
    }

    /// Resists turning with at most this torque about each axis.
    pub const fn friction(max_torque: Real) -> Self {
        let (about, angle) = (Vec3::X, Signal::Constant(0.0));
        Self { target: None, stiffness: Stiffness::Method, max_torque, about, angle }
    }

    /// Sets [`Orientation::about`] and [`Orientation::angle`].
    #[must_use]
    pub fn turning(mut self, about: Vec3, angle: impl Into<Signal>) -> Self {
        (self.about, self.angle) = (about, angle.into());
        self
    }

    /// Sets [`Orientation::max_torque`].
    #[must_use]
    pub const fn max_torque(mut self, max_torque: Real) -> Self {
        self.max_torque = max_torque;
        self
    }

    /// Three rows along the axes of the world, with T = exp(θ a) T₀ the target, a the axis about which it turns, and φ the rotation vector of
    /// R_A⁻¹ R_B T⁻¹:
    ///
    /// C = R_A φ,  Ċ ≈ ω_B - ω_A - θ̇ R_A a
    pub(super) fn rows(&self, frames: &Frames, out: &mut Rows) {
        let (error, rate) = self.target.map_or((Vec3::ZERO, Vec3::ZERO), |target| {
            let (about, (angle, rate)) = (self.about.normalize_or(Vec3::ZERO), self.angle.at(frames.time));
            let target = Quat::from_rotation_vector(about * angle) * target;
            // Its rotation vector is that of the shorter way round.
            let left = frames.relative_rotation() * target.conjugate();
            (frames.a.rotation.rotate(left.to_rotation_vector()), frames.a.rotation.rotate(about * rate))
        });
        for (i, axis) in [Vec3::X, Vec3::Y, Vec3::Z].into_iter().enumerate() {
            let row = Row { target: rate[i], ..Row::equal(Jacobian::turning(axis), error[i]) };
            out.push(row.stiff(self.stiffness).bounded(self.max_torque));
        }
    }

    pub(super) fn changes_after(&self, time: f64) -> bool {
        self.target.is_some() && self.angle.changes_after(time)
    }

    pub(super) fn validate(&self, subject: &str) -> crate::Result<()> {
        if let Some(target) = self.target {
            crate::body::desc::check_rotation(subject, target)?;
        }
        super::super::axis::check_force(subject, "greatest torque of a motor", self.max_torque)?;
        if self.about.try_normalize().is_none() {
            let axis = format!("{:?}", self.about.to_array());
            return Err(crate::Error::value(subject, "axis about which a target turns", "a direction", axis));
        }
        self.angle.validate(subject)?;
        self.stiffness.validate(subject)
    }
}
