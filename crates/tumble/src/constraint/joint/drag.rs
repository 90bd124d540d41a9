//! Drag: a soft pull of a point of B to a point of A, as by a mouse.
//!
//! C = d, three rows along the axes of the world, each a damped spring with a greatest force.
//!
//! Ċ = v_B + ω_B × r_B - v_A - ω_A × r_A, K = κ(n; r_A, r_B) along each axis n (see `parts`). A spring by hertz f and ratio ζ has k = (2π f)²/K and
//! c = 4π f ζ/K, so that whatever is dragged follows alike.

use super::super::{Constraint, Frames, Jacobian, Row, Rows, Stiffness};
use crate::math::{Real, Vec3};

/// Between [`World::BODY`](crate::World::BODY) and the body that is dragged; move it by
/// [`JointMut::set_anchor_a`](crate::JointMut::set_anchor_a).
///
/// ```
/// use tumble::{BodyDesc, JointDesc, World, shape::Shape};
/// # fn main() -> tumble::Result<()> {
/// let mut world = World::new();
/// let toy = world.add_body(BodyDesc::dynamic().mass(1.0).collider(Shape::sphere(0.1)?))?;
/// let mouse = world.add_joint(JointDesc::drag(toy, 100.0).anchor([0.0, 0.0, 0.0]))?;
/// world.joint_mut(mouse)?.set_anchor_a([0.0, 1.0, 0.0])?;
/// for _ in 0..60 {
///     world.step(1.0 / 60.0)?;
/// }
/// assert!((world.body(toy)?.position().y - 1.0).abs() < 0.05);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Drag {
    /// The spring.
    pub stiffness: Stiffness,
    /// Greatest force along each axis of the world.
    pub max_force: Real,
}

impl Drag {
    /// A spring of 5 Hz, critically damped, that is never stronger than this force.
    pub fn new(max_force: Real) -> Self {
        Self { stiffness: Stiffness::tuned(5.0, 1.0), max_force }
    }

    pub(super) fn validate(&self, subject: &str) -> crate::Result<()> {
        self.stiffness.validate(subject)?;
        super::super::axis::check_force(subject, "greatest force of a drag", self.max_force)
    }
}

impl Constraint for Drag {
    fn name(&self) -> &str {
        "drag"
    }

    fn rows(&self, frames: &Frames, out: &mut Rows) {
        let gap = frames.gap();
        for (axis, error) in [Vec3::X, Vec3::Y, Vec3::Z].into_iter().zip(gap.to_array()) {
            let jacobian = Jacobian::between(axis, frames.a.arm, frames.b.arm);
            out.push(Row::equal(jacobian, error).stiff(self.stiffness).bounded(self.max_force));
        }
    }
}
