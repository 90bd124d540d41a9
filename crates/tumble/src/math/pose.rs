//! Position and orientation together.

use super::{Float, Point, Quat, Real, Vec3};
use core::ops::Mul;
use serde::{Deserialize, Serialize};

/// A pose relative to something near: a collider in its body, one body seen from another.
///
/// ```
/// use tumble::math::{Pose, Quat, Vec3};
/// let p = Pose::new(Vec3::new(1.0, 0.0, 0.0), Quat::IDENTITY);
/// assert_eq!(p.inverse().transform_point(p.transform_point(Vec3::Y)), Vec3::Y);
/// ```
///
/// ```
/// use tumble::math::{Float, Pose, Quat, Real, Vec3};
/// let quarter = Pose::new(Vec3::X, Quat::from_axis_angle(Vec3::Z, Real::PI / 2.0));
/// assert!((quarter.transform_vector(Vec3::X) - Vec3::Y).length() < 1e-6);
/// assert!((quarter.inverse_transform_vector(Vec3::Y) - Vec3::X).length() < 1e-6);
/// assert!((quarter.inverse_transform_point(Vec3::new(1.0, 1.0, 0.0)) - Vec3::X).length() < 1e-6);
/// let half_way = Pose::IDENTITY.interpolated(&quarter, 0.5);
/// assert_eq!(half_way.translation, Vec3::X / 2.0);
/// assert!(half_way.is_finite());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Default, Serialize, Deserialize)]
#[repr(C)]
pub struct Pose {
    /// Where the origin is.
    pub translation: Vec3,
    /// How the axes are turned.
    pub rotation: Quat,
}

impl Pose {
    /// At the origin, not turned.
    pub const IDENTITY: Self = Self { translation: Vec3::ZERO, rotation: Quat::IDENTITY };

    /// The pose with this translation and rotation.
    #[inline(always)]
    pub const fn new(translation: Vec3, rotation: Quat) -> Self {
        Self { translation, rotation }
    }

    /// Shifted, not turned.
    #[inline(always)]
    pub const fn from_translation(translation: Vec3) -> Self {
        Self { translation, rotation: Quat::IDENTITY }
    }

    /// R p + t
    #[inline(always)]
    pub fn transform_point(&self, p: Vec3) -> Vec3 {
        self.rotation.rotate(p) + self.translation
    }

    /// Rᵀ (p - t)
    #[inline(always)]
    pub fn inverse_transform_point(&self, p: Vec3) -> Vec3 {
        self.rotation.unrotate(p - self.translation)
    }

    /// A direction from the pose's frame to the outer one: R v
    #[inline(always)]
    pub fn transform_vector(&self, v: Vec3) -> Vec3 {
        self.rotation.rotate(v)
    }

    /// A direction from the outer frame to the pose's: Rᵀ v
    #[inline(always)]
    pub fn inverse_transform_vector(&self, v: Vec3) -> Vec3 {
        self.rotation.unrotate(v)
    }

    /// The pose that undoes this one.
    #[inline(always)]
    pub fn inverse(&self) -> Self {
        let rotation = self.rotation.conjugate();
        Self { translation: -rotation.rotate(self.translation), rotation }
    }

    /// All components are finite.
    pub fn is_finite(&self) -> bool {
        self.translation.is_finite() && self.rotation.is_finite()
    }

    /// Straight in translation, spherical in rotation: `self` at 0, `to` at 1.
    pub fn interpolated(&self, to: &Self, t: Real) -> Self {
        Self { translation: self.translation.lerp(to.translation, t), rotation: self.rotation.slerp(to.rotation, t) }
    }
}

impl Mul for Pose {
    type Output = Self;
    #[inline(always)]
    fn mul(self, o: Self) -> Self {
        Self { translation: self.transform_point(o.translation), rotation: self.rotation * o.rotation }
    }
}

/// A pose in the world: an `f64` position and an orientation in [`Real`].
///
/// ```
/// use tumble::math::{Pose, Vec3, WorldPose};
/// let far = WorldPose::from_translation([1.0e8, 0.0, 0.0]);
/// let p = far.transform_point(Vec3::new(0.0, 0.25, 0.0));
/// assert_eq!(p.y, 0.25);
/// assert_eq!(far.inverse_transform_point(p), Vec3::new(0.0, 0.25, 0.0));
/// ```
///
/// ```
/// use tumble::math::{Float, Quat, Real, Vec3, WorldPose};
/// let ship = WorldPose::new([1.0e6, 0.0, 0.0], Quat::from_axis_angle(Vec3::Y, Real::PI / 2.0));
/// let crate_ = WorldPose::from_translation([1.0e6, 0.0, 2.0]);
/// let seen = crate_.relative_to(&ship); // from the ship
/// assert!((seen.translation - Vec3::new(-2.0, 0.0, 0.0)).length() < 1e-6);
/// assert!((ship.transform_vector(Vec3::X) + Vec3::Z).length() < 1e-6);
/// assert!((ship.inverse_transform_vector(Vec3::Z) + Vec3::X).length() < 1e-6);
/// assert_eq!(ship.interpolated(&crate_, 0.5).translation.z, 1.0);
/// assert!(ship.is_finite());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Default, Serialize, Deserialize)]
#[repr(C)]
pub struct WorldPose {
    /// Where the origin is.
    pub translation: Point,
    /// How the axes are turned.
    pub rotation: Quat,
}

impl WorldPose {
    /// At the origin of the world, not turned.
    pub const IDENTITY: Self = Self { translation: Point::ZERO, rotation: Quat::IDENTITY };

    /// The pose with this translation and rotation.
    pub fn new(translation: impl Into<Point>, rotation: Quat) -> Self {
        Self { translation: translation.into(), rotation }
    }

    /// Shifted, not turned.
    pub fn from_translation(translation: impl Into<Point>) -> Self {
        Self { translation: translation.into(), rotation: Quat::IDENTITY }
    }

    /// From the pose's frame to the world.
    #[inline(always)]
    pub fn transform_point(&self, p: Vec3) -> Point {
        self.translation + self.rotation.rotate(p).to_f64()
    }

    /// From the world to the pose's frame.
    #[inline(always)]
    pub fn inverse_transform_point(&self, p: Point) -> Vec3 {
        self.rotation.unrotate((p - self.translation).to_real())
    }

    /// A direction from the pose's frame to the world.
    #[inline(always)]
    pub fn transform_vector(&self, v: Vec3) -> Vec3 {
        self.rotation.rotate(v)
    }

    /// A direction from the world to the pose's frame.
    #[inline(always)]
    pub fn inverse_transform_vector(&self, v: Vec3) -> Vec3 {
        self.rotation.unrotate(v)
    }

    /// This pose as seen from `frame`: frame⁻¹ · self. The difference is taken in `f64`, so nothing is lost far out.
    #[inline(always)]
    pub fn relative_to(&self, frame: &WorldPose) -> Pose {
        Pose {
            translation: frame.inverse_transform_point(self.translation),
            rotation: frame.rotation.conjugate() * self.rotation,
        }
    }

    /// All components are finite.
    pub fn is_finite(&self) -> bool {
        self.translation.is_finite() && self.rotation.is_finite()
    }

    /// Straight in translation, spherical in rotation: `self` at 0, `to` at 1.
    pub fn interpolated(&self, to: &Self, t: Real) -> Self {
        Self {
            translation: self.translation.lerp(to.translation, t.to_f64()),
            rotation: self.rotation.slerp(to.rotation, t),
        }
    }
}

impl Mul<Pose> for WorldPose {
    type Output = WorldPose;
    #[inline(always)]
    fn mul(self, o: Pose) -> WorldPose {
        WorldPose { translation: self.transform_point(o.translation), rotation: self.rotation * o.rotation }
    }
}
