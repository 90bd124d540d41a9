//! Where two bodies are, as a constraint sees them.

use crate::math::{Float, Mat3, Point, Quat, Real, Vec3, WorldPose};

/// A frame fixed to one of the bodies of a constraint: where the constraint takes hold of it.
///
/// ```
/// use tumble::constraint::Frame;
/// use tumble::math::{Quat, Vec3};
/// let rotation = Quat::from_axis_angle(Vec3::X, 0.5);
/// let frame = Frame { rotation, arm: Vec3::Z, angular: Vec3::X * 2.0, ..Frame::default() };
/// assert!((frame.axes().x - Vec3::X).length() < 1e-6);
/// assert!((frame.turned() - 0.5).abs() < 1e-6);
/// assert_eq!(frame.velocity(), Vec3::Y * -2.0); // ω × r
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// Where its origin is in the world.
    pub position: Point,
    /// How it is turned in the world.
    pub rotation: Quat,
    /// r: from the body's centre of mass to the origin, in world axes.
    pub arm: Vec3,
    /// v: velocity of the body's centre of mass.
    pub linear: Vec3,
    /// ω: angular velocity of the body.
    pub angular: Vec3,
    /// Where the frame was when the constraint was made, or last edited.
    pub rest: WorldPose,
}

impl Default for Frame {
    fn default() -> Self {
        Self {
            position: Point::ZERO,
            rotation: Quat::IDENTITY,
            arm: Vec3::ZERO,
            linear: Vec3::ZERO,
            angular: Vec3::ZERO,
            rest: WorldPose::IDENTITY,
        }
    }
}

impl Frame {
    /// Its axes in the world, as columns.
    #[inline]
    pub fn axes(&self) -> Mat3 {
        self.rotation.to_mat3()
    }

    /// Velocity of the origin: v + ω × r.
    #[inline]
    pub fn velocity(&self) -> Vec3 {
        self.linear + self.angular.cross(self.arm)
    }

    /// How far the frame has turned about its own x axis since it was at rest, in (-π, π]: the twist of the swing-twist
    /// decomposition of R₀⁻¹ R. While the axis keeps its direction, its rate is x·ω exactly.
    #[inline]
    pub fn turned(&self) -> Real {
        twist(self.rest.rotation.conjugate() * self.rotation)
    }
}

/// The two frames of a constraint, and when.
///
/// ```
/// use tumble::constraint::{Frame, Frames};
/// use tumble::math::{Quat, Vec3};
/// let rotation = Quat::from_axis_angle(Vec3::X, 0.5);
/// let b = Frame { position: [0.0, 2.0, 0.0].into(), rotation, ..Frame::default() };
/// let frames = Frames { b, ..Frames::default() };
/// assert_eq!(frames.gap(), Vec3::Y * 2.0);
/// assert_eq!(frames.relative_rotation(), rotation);
/// assert!((frames.twist() - 0.5).abs() < 1e-6);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Frames {
    /// On body A.
    pub a: Frame,
    /// On body B.
    pub b: Frame,
    /// Simulated seconds.
    pub time: f64,
    /// What the constraint keeps in mind from step to step; see [`Constraint::remember`](super::Constraint::remember).
    pub memory: [f64; 4],
}

impl Frames {
    /// From the origin of A to the origin of B. Subtracted before it is rounded, so that it is as good far from the origin
    /// of the world as near it.
    #[inline]
    pub fn gap(&self) -> Vec3 {
        (self.b.position - self.a.position).to_real()
    }

    /// The rotation of B as seen from A: R_A⁻¹ R_B, the shorter way round.
    #[inline]
    pub fn relative_rotation(&self) -> Quat {
        let q = self.a.rotation.conjugate() * self.b.rotation;
        if q.w < 0.0 { Quat::new(-q.x, -q.y, -q.z, -q.w) } else { q }
    }

    /// The twist of B about the common x axis as seen from A, in (-π, π].
    #[inline]
    pub fn twist(&self) -> Real {
        twist(self.relative_rotation())
    }
}

/// Angle of the twist about x in q = swing · twist.
#[inline]
pub(crate) fn twist(q: Quat) -> Real {
    let angle = 2.0 * Float::atan2(q.x, q.w);
    if angle > Real::PI {
        angle - 2.0 * Real::PI
    } else if angle <= -Real::PI {
        angle + 2.0 * Real::PI
    } else {
        angle
    }
}

/// The angle that differs from `angle` by whole turns and is nearest to `before`: how a constraint counts turns in its memory.
///
/// ```
/// use tumble::constraint::unwound;
/// // A wheel goes on from 3 rad across the half turn, where the angle jumps from π to -π.
/// let turn = core::f64::consts::TAU;
/// assert_eq!(unwound(-3.0, 3.0), turn - 3.0);
/// assert_eq!(unwound(0.25, 10.0 * turn), 10.0 * turn + 0.25);
/// ```
pub fn unwound(angle: Real, before: f64) -> f64 {
    let turn = 2.0 * core::f64::consts::PI;
    let angle = angle.to_f64();
    angle + turn * Float::floor((before - angle) / turn + 0.5)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Turns are counted across ±π, in either direction.
    #[test]
    fn unwound_angles_follow_many_turns() {
        for sign in [1.0, -1.0] {
            let mut counted = 0.0;
            for i in 0..1000 {
                let truth = sign * 0.1 * f64::from(i);
                let q = Quat::from_axis_angle(Vec3::X, Real::from_f64(truth));
                counted = unwound(twist(q), counted);
                assert!((counted - truth).abs() < 1e-4, "{counted} for {truth}");
            }
        }
    }
}
