//! Ball joint: one point of A stays on one point of B; all turning is free (003-49).

use super::super::{Constraint, Frames, Jacobian, Row, Rows, Stiffness};
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
/// use tumble::constraint::Stiffness;
/// use tumble::constraint::joint::Orientation;
/// use tumble::math::{Quat, Vec3};
/// let head_up = Orientation::target(Quat::IDENTITY, Stiffness::tuned(3.0, 0.7)).max_torque(50.0);
/// let stiff_neck = Orientation::friction(4.0);
/// # let _ = (head_up, stiff_neck);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Orientation {
    /// The rotation of B as seen from A that is wanted; `None` only resists turning.
    pub target: Option<Quat>,
    /// The spring that pulls there.
    pub stiffness: Stiffness,
    /// Greatest torque about each axis of the world; may be infinite.
    pub max_torque: Real,
}

impl Orientation {
    /// Pulls to an orientation by a damped spring.
    pub const fn target(rotation: Quat, stiffness: Stiffness) -> Self {
        Self { target: Some(rotation), stiffness, max_torque: Real::INFINITY }
    }

    /// Resists turning with at most this torque about each axis.
    pub const fn friction(max_torque: Real) -> Self {
        Self { target: None, stiffness: Stiffness::Method, max_torque }
    }

    /// Sets [`Orientation::max_torque`].
    #[must_use]
    pub const fn max_torque(mut self, max_torque: Real) -> Self {
        self.max_torque = max_torque;
        self
    }

    /// Three rows along the axes of the world, with T the target and φ the rotation vector of R_A⁻¹ R_B T⁻¹:
    ///
    /// C = R_A φ,  Ċ ≈ ω_B - ω_A
    pub(super) fn rows(&self, frames: &Frames, out: &mut Rows) {
        let error = self.target.map_or(Vec3::ZERO, |target| {
            let left = frames.relative_rotation() * target.conjugate();
            frames.a.rotation.rotate(left.to_rotation_vector())
        });
        for (axis, error) in [Vec3::X, Vec3::Y, Vec3::Z].into_iter().zip(error.to_array()) {
            out.push(Row::equal(Jacobian::turning(axis), error).stiff(self.stiffness).bounded(self.max_torque));
        }
    }

    pub(super) fn validate(&self, subject: &str) -> crate::Result<()> {
        if let Some(target) = self.target {
            crate::body::desc::check_rotation(subject, target)?;
        }
        super::super::axis::check_force(subject, "greatest torque of a motor", self.max_torque)?;
        self.stiffness.validate(subject)
    }
}
