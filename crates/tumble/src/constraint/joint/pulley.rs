//! Pulley: a rope from A over two fixed wheels to B, with tackle.
//!
//! With a = p_A - g_A and b = p_B - g_B, from the wheels to where the rope is fastened:
//!
//! ```text
//!   C = L - (|a| + ρ |b|) >= 0       Ċ = -â·(v_A + ω_A × r_A) - ρ b̂·(v_B + ω_B × r_B)
//! ```
//!
//! As a rod instead of a rope, C = 0.
//!
//! K = 1/m_A + (r_A × â)·I_A⁻¹ (r_A × â) + ρ² (1/m_B + (r_B × b̂)·I_B⁻¹ (r_B × b̂)), and the effective mass its inverse.

use super::super::{Constraint, Frames, Jacobian, Row, Rows};
use crate::error::Error;
use crate::math::{Point, Real, Vec3};

/// Moving B by 1 m takes ρ metres of A's rope, and the force on B is ρ times that on A.
///
/// ```
/// use tumble::constraint::joint::Pulley;
/// use tumble::{BodyDesc, JointDesc, World, shape::Shape};
/// # fn main() -> tumble::Result<()> {
/// let mut world = World::new();
/// let weight = |x: f64| -> tumble::Result<BodyDesc> {
///     Ok(BodyDesc::dynamic().position([x, 0.0, 0.0]).collider(Shape::sphere(0.1)?))
/// };
/// let light = world.add_body(weight(-1.0)?.mass(1.0))?;
/// let heavy = world.add_body(weight(1.0)?.mass(2.0))?;
/// let wheels = [[-1.0, 3.0, 0.0].into(), [1.0, 3.0, 0.0].into()];
/// let pulley = Pulley { wheels, length: 6.0, ratio: 1.0, slack: true };
/// let rope = world.add_joint(JointDesc::pulley(light, heavy, pulley).anchor_a([0.0; 3]).anchor_b([0.0; 3]))?;
/// for _ in 0..30 {
///     world.step(1.0 / 60.0)?;
/// }
/// assert!(world.body(light)?.position().y > 0.3 && world.body(heavy)?.position().y < -0.3);
/// assert!((world.joint(rope)?.value().unwrap() - 6.0).abs() < 0.02);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Pulley {
    /// Where the rope leaves the wheels, in the world: towards A, towards B.
    pub wheels: [Point; 2],
    /// L: length of the rope on A's side plus ρ times that on B's.
    pub length: Real,
    /// ρ
    pub ratio: Real,
    /// Only pulls. Otherwise it also pushes, as if the rope were a rod.
    pub slack: bool,
}

impl Pulley {
    /// Directions from the wheels and the length used up.
    fn reach(&self, frames: &Frames) -> (Vec3, Vec3, Real) {
        let a = (frames.a.position - self.wheels[0]).to_real();
        let b = (frames.b.position - self.wheels[1]).to_real();
        let (u, w) = (a.normalize_or(-Vec3::Y), b.normalize_or(-Vec3::Y));
        (u, w, u.dot(a) + self.ratio * w.dot(b))
    }

    /// How much rope is used.
    pub(super) fn used(&self, frames: &Frames) -> Real {
        self.reach(frames).2
    }

    pub(super) fn validate(&self, subject: &str) -> crate::Result<()> {
        crate::body::desc::check_positive(subject, "length of the rope", self.length)?;
        crate::body::desc::check_positive(subject, "ratio of the pulley", self.ratio)?;
        match self.wheels.iter().find(|w| !w.is_finite()) {
            Some(w) => Err(Error::value(subject, "wheel of the pulley", "finite", format_args!("{:?}", w.to_array()))),
            None => Ok(()),
        }
    }
}

impl Constraint for Pulley {
    fn name(&self) -> &str {
        "pulley"
    }

    fn rows(&self, frames: &Frames, out: &mut Rows) {
        let (u, w, used) = self.reach(frames);
        let w = w * self.ratio;
        let jacobian = Jacobian {
            linear_a: -u,
            angular_a: -frames.a.arm.cross(u),
            linear_b: -w,
            angular_b: -frames.b.arm.cross(w),
        };
        let error = self.length - used;
        out.push(if self.slack { Row::push(jacobian, error) } else { Row::equal(jacobian, error) });
    }
}
