//! The general joint: each of the six motions of B as seen from A is locked, or free with a limit, a motor or a spring.
//!
//! Sliding is along the axes of A: s = (x_A·d, y_A·d, z_A·d). Turning is by the angles of R_A⁻¹ R_B = R_x(α) R_y(β) R_z(γ), about
//! x of A, the line of nodes n, and z of B. Since ω_B - ω_A = α̇ x_A + β̇ n + γ̇ z_B with n at right angles to both others,
//!
//! ```text
//!   n = z_B × x_A / cos β,   α̇ = ω·(n × z_B) / cos β,   β̇ = ω·n,   γ̇ = ω·(x_A × n) / cos β
//! ```
//!
//! At β = ±90° the outer angles are not distinct (gimbal lock): choose as y the axis that turns least. Where all three turns are
//! locked, the rotation vector is used instead, which has no such place.
//!
//! K, whose inverse is the effective mass (κ and τ: see `parts`): κ(t; r_A + d, r_B) along the axes of A; τ of n × z_B/cos β, n and
//! x_A × n/cos β about them.

use super::super::{Axis, Constraint, Frames, Jacobian, Row, Rows};
use super::parts;
use crate::math::{Float, Real, Vec3};

/// One motion of a [`SixAxis`] joint.
///
/// ```
/// use tumble::constraint::{Axis, Limit, joint::{Freedom, SixAxis}};
/// // A drawer: it slides along x by half a metre, and does nothing else.
/// let slides = Freedom::Free(Axis::FREE.limit(Limit::new(0.0, 0.5)));
/// let drawer = SixAxis { slide: [slides, Freedom::Locked, Freedom::Locked], ..SixAxis::default() };
/// assert_eq!(drawer.turn, [Freedom::Locked, Freedom::Locked, Freedom::Locked]);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Freedom {
    /// It does not move.
    Locked,
    /// It moves, within limits and driven by a motor where it has them. A position motor makes a spring of it.
    Free(Axis),
}

impl Freedom {
    /// It moves freely.
    pub const FREE: Self = Self::Free(Axis::FREE);

    /// What limits and drives it.
    pub(super) fn axis(&self) -> Option<&Axis> {
        match self {
            Self::Locked => None,
            Self::Free(axis) => Some(axis),
        }
    }

    fn rows(&self, jacobian: Jacobian, x: Real, time: f64, out: &mut Rows) {
        match self {
            Self::Locked => out.push(Row::equal(jacobian, x)),
            Self::Free(axis) => axis.rows(jacobian, x, time, out),
        }
    }
}

/// Six motions, each locked or free.
///
/// ```
/// use tumble::constraint::joint::{Freedom, SixAxis};
/// use tumble::{BodyDesc, JointDesc, World, shape::Shape};
/// # fn main() -> tumble::Result<()> {
/// let mut world = World::new();
/// let camera = world.add_body(BodyDesc::dynamic().collider(Shape::cuboid(0.1, 0.1, 0.2)?))?;
/// // Held where it is; it pans about y and does not tilt or roll.
/// let motions = SixAxis { turn: [Freedom::Locked, Freedom::FREE, Freedom::Locked], ..SixAxis::default() };
/// let mount = world.add_joint(JointDesc::six_axis(World::BODY, camera, motions))?;
/// world.body_mut(camera)?.set_angular_velocity([0.0, 1.0, 0.0])?;
/// for _ in 0..30 {
///     world.step(1.0 / 60.0)?;
/// }
/// let [roll, pan, tilt] = world.joint(mount)?.angles().unwrap();
/// assert!((pan - 0.5).abs() < 0.05 && roll.abs() < 0.01 && tilt.abs() < 0.01);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SixAxis {
    /// Sliding along x, y, z of A, in metres.
    pub slide: [Freedom; 3],
    /// Turning about x of A, the line of nodes, and z of B, in radians.
    pub turn: [Freedom; 3],
}

impl Default for SixAxis {
    /// All locked.
    fn default() -> Self {
        let locked = || [Freedom::Locked, Freedom::Locked, Freedom::Locked];
        Self { slide: locked(), turn: locked() }
    }
}

/// cos β below which it is treated as this: rows must not grow without bound.
const LEAST_COSINE: Real = 0.02;

impl SixAxis {
    /// α, β, γ.
    pub(super) fn angles(frames: &Frames) -> [Real; 3] {
        let m = frames.relative_rotation().to_mat3();
        // Row x of the product is (cβ cγ, -cβ sγ, sβ); its column z is (sβ, -sα cβ, cα cβ).
        [Float::atan2(-m.z.y, m.z.z), Float::asin(m.z.x), Float::atan2(-m.y.x, m.x.x)]
    }

    fn turning(frames: &Frames) -> [Jacobian; 3] {
        let (x, y, z) = (frames.a.axes().x, frames.a.axes().y, frames.b.axes().z);
        let nodes = z.cross(x);
        let length = nodes.length();
        let cosine = if length > LEAST_COSINE { length } else { LEAST_COSINE };
        let n: Vec3 = nodes.normalize_or(y);
        [n.cross(z) * (1.0 / cosine), n, x.cross(n) * (1.0 / cosine)].map(Jacobian::turning)
    }
}

impl Constraint for SixAxis {
    fn name(&self) -> &str {
        "six-axis"
    }

    fn rows(&self, frames: &Frames, out: &mut Rows) {
        let (axes, gap) = (frames.a.axes(), frames.gap());
        for (t, freedom) in [axes.x, axes.y, axes.z].into_iter().zip(&self.slide) {
            freedom.rows(parts::along(frames, t), t.dot(gap), frames.time, out);
        }
        if self.turn.iter().all(|f| *f == Freedom::Locked) {
            parts::turned_alike(frames, out);
            return;
        }
        if self.turn.iter().all(|f| *f == Freedom::FREE) {
            return;
        }
        let (jacobians, angles) = (Self::turning(frames), Self::angles(frames));
        for ((jacobian, freedom), angle) in jacobians.into_iter().zip(&self.turn).zip(angles) {
            freedom.rows(jacobian, angle, frames.time, out);
        }
    }
}
