//! Unit quaternions as orientations.

use super::{Float, Mat3, Num, Real, Vec3};
use core::ops::{Add, Mul, Neg, Sub};
use serde::{Deserialize, Serialize};

/// A quaternion x i + y j + z k + w; an orientation where it has length 1.
///
/// `a * b` turns by `b` first, then by `a`. Angular velocities are in world space, so increments multiply from the left.
///
/// ```
/// use tumble::math::{Float, Quat, Vec3};
/// let quarter = Quat::from_axis_angle(Vec3::Z, f64::PI / 2.0);
/// assert!((quarter.rotate(Vec3::X) - Vec3::Y).length() < 1e-15);
/// ```
///
/// ```
/// use tumble::math::{Float, Mat3, Quat, Vec3};
/// let q = Quat::from_axis_angle(Vec3::new(1.0, 2.0, 3.0), 0.7);
/// assert!(q.is_unit() && q.is_finite() && !q.is_unit_pure());
/// assert!((q.unrotate(q.rotate(Vec3::X)) - Vec3::X).length() < 1e-15);
/// assert!((q.to_mat3() * Vec3::X - q.rotate(Vec3::X)).length() < 1e-15);
/// assert!(Quat::from_mat3(&q.to_mat3()).angle_to(q) < 1e-15);
/// assert_eq!(Quat::from_parts(q.vector(), q.w), q);
/// assert!((q * q.conjugate()).angle_to(Quat::IDENTITY) < 1e-15);
/// assert!((q.to_real().to_f64() - q).dot(q).abs() < 1e-7);
/// // A vector as a quaternion, with real part 0.
/// assert!(Quat::from_parts(Vec3::Y, 0.0).is_unit_pure());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "[T; 4]", into = "[T; 4]")]
#[serde(bound(serialize = "T: Copy + Serialize", deserialize = "T: Deserialize<'de>"))]
#[repr(C)]
pub struct Quat<T = Real> {
    /// Coefficient of i.
    pub x: T,
    /// Coefficient of j.
    pub y: T,
    /// Coefficient of k.
    pub z: T,
    /// The real part.
    pub w: T,
}

// SAFETY: four equal components under `repr(C)` leave no padding, and every bit pattern of a float is a float.
unsafe impl bytemuck::Zeroable for Quat<f32> {}
// SAFETY: as above.
unsafe impl bytemuck::Pod for Quat<f32> {}
// SAFETY: as above.
unsafe impl bytemuck::Zeroable for Quat<f64> {}
// SAFETY: as above.
unsafe impl bytemuck::Pod for Quat<f64> {}

impl<T: Num> Default for Quat<T> {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl<T: Num> Quat<T> {
    /// The orientation that turns nothing.
    pub const IDENTITY: Self = Self { x: T::ZERO, y: T::ZERO, z: T::ZERO, w: T::ONE };

    /// The quaternion x i + y j + z k + w.
    #[inline(always)]
    pub const fn new(x: T, y: T, z: T, w: T) -> Self {
        Self { x, y, z, w }
    }

    /// The quaternion with imaginary part `v` and real part `w`.
    #[inline(always)]
    pub const fn from_parts(v: Vec3<T>, w: T) -> Self {
        Self { x: v.x, y: v.y, z: v.z, w }
    }

    /// The imaginary part.
    #[inline(always)]
    pub fn vector(self) -> Vec3<T> {
        Vec3::new(self.x, self.y, self.z)
    }

    /// The inverse of a unit quaternion.
    #[inline(always)]
    pub fn conjugate(self) -> Self {
        Self { x: -self.x, y: -self.y, z: -self.z, w: self.w }
    }

    /// The sum of the products of like coefficients.
    #[inline(always)]
    pub fn dot(self, o: Self) -> T {
        self.x * o.x + self.y * o.y + self.z * o.z + self.w * o.w
    }

    /// Length 1 in this direction. The length must not be zero.
    #[inline(always)]
    pub fn normalized(self) -> Self {
        self.scaled(T::ONE / self.dot(self).sqrt())
    }

    /// Every coefficient times `t`.
    #[inline(always)]
    pub fn scaled(self, t: T) -> Self {
        Self { x: self.x * t, y: self.y * t, z: self.z * t, w: self.w * t }
    }

    /// The vector turned by this unit quaternion: v + 2 w (u × v) + 2 u × (u × v).
    #[inline(always)]
    pub fn rotate(self, v: Vec3<T>) -> Vec3<T> {
        let u = self.vector();
        let t = u.cross(v);
        let t = t + t;
        v + t * self.w + u.cross(t)
    }

    /// The vector turned by the inverse of this unit quaternion.
    #[inline(always)]
    pub fn unrotate(self, v: Vec3<T>) -> Vec3<T> {
        self.conjugate().rotate(v)
    }

    /// dq/dt = ½ ω q for an angular velocity ω in world space (002-11, 003-05).
    #[inline(always)]
    pub fn derivative(self, omega: Vec3<T>) -> Self {
        (Self::from_parts(omega, T::ZERO) * self).scaled(T::splat(0.5))
    }

    /// The rotation matrix of this unit quaternion.
    #[inline(always)]
    pub fn to_mat3(self) -> Mat3<T> {
        let Self { x, y, z, w } = self;
        let (x2, y2, z2) = (x + x, y + y, z + z);
        let (xx, yy, zz) = (x * x2, y * y2, z * z2);
        let (xy, xz, yz) = (x * y2, x * z2, y * z2);
        let (wx, wy, wz) = (w * x2, w * y2, w * z2);
        Mat3::from_columns(
            Vec3::new(T::ONE - (yy + zz), xy + wz, xz - wy),
            Vec3::new(xy - wz, T::ONE - (xx + zz), yz + wx),
            Vec3::new(xz + wy, yz - wx, T::ONE - (xx + yy)),
        )
    }
}

impl<T: Float> Quat<T> {
    /// The turn by `angle` radians about `axis`, right-handed. The axis need not have length 1; a zero axis turns nothing.
    pub fn from_axis_angle(axis: Vec3<T>, angle: T) -> Self {
        match axis.try_normalize() {
            Some(axis) => Self::from_parts(axis * (angle * T::HALF).sin(), (angle * T::HALF).cos()),
            None => Self::IDENTITY,
        }
    }

    /// The turn by |v| radians about v: the exponential map (002-10). Exact for every length, zero included; a vector that is
    /// not finite turns nothing.
    ///
    /// ```
    /// use tumble::math::{Quat, Vec3};
    /// let turn = Vec3::new(0.3, -0.4, 0.0); // half a radian about (0.6, -0.8, 0)
    /// let q = Quat::from_rotation_vector(turn);
    /// assert!((q.to_rotation_vector() - turn).length() < 1e-15);
    /// ```
    pub fn from_rotation_vector(v: Vec3<T>) -> Self {
        let half = v.length() * T::HALF;
        if !half.is_finite() {
            // |v|² overflows, though half of |v| may not. What is not finite has no axis.
            let Some(axis) = v.try_normalize() else { return Self::IDENTITY };
            let largest = v.abs().max_component();
            let half = largest * T::HALF * (v / largest).length();
            return Self::from_parts(axis * half.sin(), half.cos());
        }
        // sin(h)/h = 1 - h²/6 to rounding where h is below the fourth root of epsilon.
        let sinc =
            if half * half < T::EPSILON.sqrt() { T::ONE - half * half / T::from_f64(6.0) } else { half.sin() / half };
        Self::from_parts(v * (sinc * T::HALF), half.cos())
    }

    /// The rotation vector of this unit quaternion: axis times angle in [0, π]. Inverse of [`Quat::from_rotation_vector`].
    pub fn to_rotation_vector(self) -> Vec3<T> {
        let q = if self.w < T::ZERO { -self } else { self };
        let s = q.vector().length();
        if s < T::EPSILON {
            return q.vector() * T::TWO;
        }
        q.vector() * (T::TWO * s.atan2(q.w) / s)
    }

    /// The orientation after turning with angular velocity `omega` (world space) for `dt`: exact for constant ω (002-10).
    ///
    /// ```
    /// use tumble::math::{Quat, Vec3};
    /// let omega = Vec3::new(0.0, 2.0, 0.0);
    /// let q = Quat::IDENTITY.advanced(omega, 0.25);
    /// assert!((q.to_rotation_vector() - omega * 0.25).length() < 1e-15);
    /// // In the small, that is what the derivative says.
    /// let dq = Quat::IDENTITY.derivative(omega).scaled(1e-6);
    /// assert!((Quat::IDENTITY + dq).normalized().angle_to(Quat::IDENTITY.advanced(omega, 1e-6)) < 1e-12);
    /// ```
    pub fn advanced(self, omega: Vec3<T>, dt: T) -> Self {
        (Self::from_rotation_vector(omega * dt) * self).normalized()
    }

    /// The shortest turn that takes unit vector `from` to unit vector `to`.
    ///
    /// q = [from × to, 1 + from·to] normalised. Beyond a right angle 1 + from·to cancels; there `from` is first turned to
    /// its opposite, by half a turn about the same axis, and from there by the acute angle that is left.
    ///
    /// ```
    /// use tumble::math::{Quat, Vec3};
    /// let q = Quat::between(Vec3::X, Vec3::Z);
    /// assert!((q.rotate(Vec3::X) - Vec3::<f64>::Z).length() < 1e-15);
    /// ```
    pub fn between(from: Vec3<T>, to: Vec3<T>) -> Self {
        let acute = |from: Vec3<T>| Self::from_parts(from.cross(to), T::ONE + from.dot(to)).normalized();
        if from.dot(to) >= T::ZERO {
            return acute(from);
        }
        // The nearer to opposite, the less it matters which axis it is; but it must be across `from` to rounding.
        let axis = from.cross(to).normalize_or(Vec3::ZERO).across(from);
        let axis = if axis.length() > T::HALF { axis / axis.length() } else { from.tangents().0 };
        (acute(-from) * Self::from_parts(axis, T::ZERO)).normalized()
    }

    /// The orientation of a rotation matrix (Shepperd: the largest of the four squares is divided by).
    #[inline(always)]
    pub fn from_mat3(m: &Mat3<T>) -> Self {
        let (xx, yy, zz) = (m.x.x, m.y.y, m.z.z);
        let trace = xx + yy + zz;
        let q = if trace > T::ZERO {
            Self::new(m.y.z - m.z.y, m.z.x - m.x.z, m.x.y - m.y.x, T::ONE + trace)
        } else if xx >= yy && xx >= zz {
            Self::new(T::ONE + xx - yy - zz, m.y.x + m.x.y, m.z.x + m.x.z, m.y.z - m.z.y)
        } else if yy >= zz {
            Self::new(m.y.x + m.x.y, T::ONE + yy - xx - zz, m.z.y + m.y.z, m.z.x - m.x.z)
        } else {
            Self::new(m.z.x + m.x.z, m.z.y + m.y.z, T::ONE + zz - xx - yy, m.x.y - m.y.x)
        };
        q.normalized()
    }

    /// Spherical interpolation along the shorter arc at constant angular speed: `self` at 0, `to` at 1 (002-12).
    ///
    /// ```
    /// use tumble::math::{Quat, Vec3};
    /// let (from, to) = (Quat::<f64>::IDENTITY, Quat::from_axis_angle(Vec3::Z, 1.2));
    /// let half = from.slerp(to, 0.5);
    /// assert!((half.angle_to(from) - 0.6).abs() < 1e-15 && (half.angle_to(to) - 0.6).abs() < 1e-15);
    /// ```
    pub fn slerp(self, to: Self, t: T) -> Self {
        let to = if self.dot(to) < T::ZERO { -to } else { to };
        // The chord and its complement give the angle to rounding at any size; the arc cosine does not near zero.
        let (chord, sum) = (to - self, to + self);
        let angle = T::TWO * chord.dot(chord).sqrt().atan2(sum.dot(sum).sqrt());
        // Near zero the quotient of sines is 0/0; there the chord is the arc to rounding, since they differ by angle².
        if angle * angle < T::EPSILON {
            return (self.scaled(T::ONE - t) + to.scaled(t)).normalized();
        }
        let scale = T::ONE / angle.sin();
        (self.scaled(((T::ONE - t) * angle).sin() * scale) + to.scaled((t * angle).sin() * scale)).normalized()
    }

    /// The angle in [0, π] between two orientations.
    pub fn angle_to(self, o: Self) -> T {
        (o * self.conjugate()).to_rotation_vector().length()
    }

    /// q⁻¹ = q* / |q|², or `None` for the zero quaternion and where q or q⁻¹ is not finite.
    ///
    /// ```
    /// use tumble::math::Quat;
    /// let q = Quat::new(0.0, 0.0, 3.0, 4.0);
    /// assert_eq!(q.try_inverse(), Some(Quat::new(0.0, 0.0, -0.12, 0.16)));
    /// assert!(q.try_normalize().unwrap().is_unit());
    /// assert_eq!(Quat::new(0.0, 0.0, 0.0, 0.0).try_normalize(), None);
    /// ```
    pub fn try_inverse(self) -> Option<Self> {
        let largest = self.largest();
        let q = self.divided(largest);
        let inverse = q.conjugate().divided(q.dot(q)).divided(largest);
        inverse.is_finite().then_some(inverse)
    }

    /// Length 1 in this direction, or `None` where it is zero or not finite.
    pub fn try_normalize(self) -> Option<Self> {
        let largest = self.largest();
        (largest > T::ZERO && self.is_finite()).then(|| self.divided(largest).normalized())
    }

    /// The largest magnitude among the coefficients.
    fn largest(self) -> T {
        self.vector().abs().max_component().max(self.w.abs())
    }

    /// Every coefficient divided by `t`; unlike [`Quat::scaled`] by a reciprocal, also for `t` so small that it has none.
    fn divided(self, t: T) -> Self {
        Self { x: self.x / t, y: self.y / t, z: self.z / t, w: self.w / t }
    }

    /// The length is 1 to within a few roundings.
    pub fn is_unit(self) -> bool {
        let e = self.dot(self) - T::ONE;
        e.abs() < T::EPSILON * T::from_f64(16.0)
    }

    /// A vector of length 1 as a quaternion: the real part is 0, and the length 1 to within a few roundings (002-06).
    pub fn is_unit_pure(self) -> bool {
        self.w == T::ZERO && self.is_unit()
    }

    /// All coefficients are finite.
    pub fn is_finite(self) -> bool {
        self.vector().is_finite() && self.w.is_finite()
    }

    /// In double precision.
    pub fn to_f64(self) -> Quat<f64> {
        Quat::from_parts(self.vector().to_f64(), self.w.to_f64())
    }

    /// Rounded to [`Real`].
    pub fn to_real(self) -> Quat<Real> {
        Quat::from_parts(self.vector().to_real(), Real::from_f64(self.w.to_f64()))
    }
}

impl<T> From<[T; 4]> for Quat<T> {
    fn from([x, y, z, w]: [T; 4]) -> Self {
        Self { x, y, z, w }
    }
}

impl<T> From<Quat<T>> for [T; 4] {
    fn from(q: Quat<T>) -> Self {
        [q.x, q.y, q.z, q.w]
    }
}

impl<T: Num> Mul for Quat<T> {
    type Output = Self;
    /// Hamilton product: [a, α][b, β] = [α b + β a + a × b, α β - a·b] (002-03).
    #[inline(always)]
    fn mul(self, o: Self) -> Self {
        Self {
            x: self.w * o.x + self.x * o.w + self.y * o.z - self.z * o.y,
            y: self.w * o.y + self.y * o.w + self.z * o.x - self.x * o.z,
            z: self.w * o.z + self.z * o.w + self.x * o.y - self.y * o.x,
            w: self.w * o.w - self.x * o.x - self.y * o.y - self.z * o.z,
        }
    }
}

impl<T: Num> Add for Quat<T> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Self { x: self.x + o.x, y: self.y + o.y, z: self.z + o.z, w: self.w + o.w }
    }
}

impl<T: Num> Sub for Quat<T> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        Self { x: self.x - o.x, y: self.y - o.y, z: self.z - o.z, w: self.w - o.w }
    }
}

impl<T: Num> Neg for Quat<T> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self { x: -self.x, y: -self.y, z: -self.z, w: -self.w }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::assert_plain;

    /// What is said of the layout where it is declared plain data holds in either precision.
    #[test]
    fn bytes_give_the_value_back() {
        assert_plain(Quat::new(1.0_f32, -2.0, 3.0, 4.0), 16);
        assert_plain(Quat::new(1.0_f64, -2.0, 3.0, 4.0), 32);
    }
}
