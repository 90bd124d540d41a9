//! Vectors of three components.

use super::{Float, Num, Real};
use core::ops::{Add, AddAssign, Div, DivAssign, Index, IndexMut, Mul, MulAssign, Neg, Sub, SubAssign};
use serde::{Deserialize, Serialize};

/// A vector of three components; `Vec3` alone means `Vec3<Real>`.
///
/// ```
/// use tumble::math::Vec3;
/// let v = Vec3::new(1.0, 2.0, 2.0);
/// assert_eq!(v.length(), 3.0);
/// assert_eq!(v.cross(v), Vec3::ZERO);
/// ```
///
/// ```
/// use tumble::math::Vec3;
/// let (a, b) = (Vec3::new(3.0, -4.0, 0.0), Vec3::new(1.0, 2.0, 2.0));
/// assert_eq!((a.length_squared(), a.dot(b)), (25.0, -5.0));
/// assert_eq!((a.min(b), a.max(b)), (Vec3::new(1.0, -4.0, 0.0), Vec3::new(3.0, 2.0, 2.0)));
/// assert_eq!((a.min_component(), a.max_component(), a.abs().largest_axis()), (-4.0, 3.0, 1));
/// assert_eq!(a.scale(b), Vec3::new(3.0, -8.0, 0.0));
/// assert_eq!(a.add_scaled(b, 2.0), a + b * 2.0);
/// assert_eq!(Vec3::ZERO.lerp(a, 0.5), a / 2.0);
/// assert_eq!((a.along(Vec3::Y), a.across(Vec3::Y)), (Vec3::new(0.0, -4.0, 0.0), Vec3::new(3.0, 0.0, 0.0)));
/// assert_eq!(a.to_real().to_f64().to_array(), [3.0, -4.0, 0.0]);
/// assert!(a.is_finite() && !Vec3::all(f64::NAN).is_finite());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(from = "[T; 3]", into = "[T; 3]")]
#[serde(bound(serialize = "T: Copy + Serialize", deserialize = "T: Deserialize<'de>"))]
#[repr(C)]
pub struct Vec3<T = Real> {
    /// First component.
    pub x: T,
    /// Second component; up, by convention.
    pub y: T,
    /// Third component.
    pub z: T,
}

// SAFETY: three equal components under `repr(C)` leave no padding, and every bit pattern of a float is a float.
unsafe impl bytemuck::Zeroable for Vec3<f32> {}
// SAFETY: as above.
unsafe impl bytemuck::Pod for Vec3<f32> {}
// SAFETY: as above.
unsafe impl bytemuck::Zeroable for Vec3<f64> {}
// SAFETY: as above.
unsafe impl bytemuck::Pod for Vec3<f64> {}

impl<T: Num> Vec3<T> {
    /// (0, 0, 0)
    pub const ZERO: Self = Self { x: T::ZERO, y: T::ZERO, z: T::ZERO };
    /// (1, 0, 0)
    pub const X: Self = Self { x: T::ONE, y: T::ZERO, z: T::ZERO };
    /// (0, 1, 0)
    pub const Y: Self = Self { x: T::ZERO, y: T::ONE, z: T::ZERO };
    /// (0, 0, 1)
    pub const Z: Self = Self { x: T::ZERO, y: T::ZERO, z: T::ONE };

    /// The vector (x, y, z).
    #[inline(always)]
    pub const fn new(x: T, y: T, z: T) -> Self {
        Self { x, y, z }
    }

    /// The same value in each component.
    #[inline(always)]
    pub const fn all(value: T) -> Self {
        Self { x: value, y: value, z: value }
    }

    /// x·x' + y·y' + z·z', summed in this order.
    #[inline(always)]
    pub fn dot(self, o: Self) -> T {
        self.x * o.x + self.y * o.y + self.z * o.z
    }

    /// The vector product, right-handed.
    #[inline(always)]
    pub fn cross(self, o: Self) -> Self {
        Self { x: self.y * o.z - self.z * o.y, y: self.z * o.x - self.x * o.z, z: self.x * o.y - self.y * o.x }
    }

    /// Component by component product.
    #[inline(always)]
    pub fn scale(self, o: Self) -> Self {
        Self { x: self.x * o.x, y: self.y * o.y, z: self.z * o.z }
    }

    /// `self + o * t`
    #[inline(always)]
    pub fn add_scaled(self, o: Self, t: T) -> Self {
        Self { x: self.x + o.x * t, y: self.y + o.y * t, z: self.z + o.z * t }
    }

    /// Squared length.
    #[inline(always)]
    pub fn length_squared(self) -> T {
        self.dot(self)
    }

    /// Length.
    #[inline(always)]
    pub fn length(self) -> T {
        self.dot(self).sqrt()
    }

    /// Component by component magnitude.
    #[inline(always)]
    pub fn abs(self) -> Self {
        Self { x: self.x.abs(), y: self.y.abs(), z: self.z.abs() }
    }

    /// Component by component minimum.
    #[inline(always)]
    pub fn min(self, o: Self) -> Self {
        Self { x: self.x.min(o.x), y: self.y.min(o.y), z: self.z.min(o.z) }
    }

    /// Component by component maximum.
    #[inline(always)]
    pub fn max(self, o: Self) -> Self {
        Self { x: self.x.max(o.x), y: self.y.max(o.y), z: self.z.max(o.z) }
    }

    /// The smallest component.
    #[inline(always)]
    pub fn min_component(self) -> T {
        self.x.min(self.y).min(self.z)
    }

    /// The largest component.
    #[inline(always)]
    pub fn max_component(self) -> T {
        self.x.max(self.y).max(self.z)
    }
}

impl<T: Float> Vec3<T> {
    /// All components are finite.
    #[inline]
    pub fn is_finite(self) -> bool {
        self.x.is_finite() && self.y.is_finite() && self.z.is_finite()
    }

    /// The vector of length 1 in this direction, or `None` where it is zero or not finite.
    ///
    /// The vector is scaled by its largest component first, so that lengths whose square would underflow or overflow
    /// still have a direction.
    ///
    /// ```
    /// use tumble::math::Vec3;
    /// assert_eq!(Vec3::new(0.0, 1e-300, 0.0).try_normalize(), Some(Vec3::Y));
    /// assert_eq!(Vec3::<f64>::ZERO.try_normalize(), None);
    /// assert_eq!(Vec3::ZERO.normalize_or(Vec3::<f64>::X), Vec3::X);
    /// ```
    pub fn try_normalize(self) -> Option<Self> {
        let m = self.abs().max_component();
        if !(m > T::ZERO && self.is_finite()) {
            return None;
        }
        let v = self / m;
        Some(v / v.length())
    }

    /// The vector of length 1 in this direction, or `fallback` where there is none.
    pub fn normalize_or(self, fallback: Self) -> Self {
        self.try_normalize().unwrap_or(fallback)
    }

    /// Two unit vectors that make a right-handed frame (x, y, `self`) with this unit vector as z.
    ///
    /// Duff et al., "Building an Orthonormal Basis, Revisited" (2017): no branch but the sign, continuous on each half.
    ///
    /// ```
    /// use tumble::math::Vec3;
    /// let normal = Vec3::new(0.0, 0.6, 0.8);
    /// let (x, y) = normal.tangents();
    /// assert!((x.cross(y) - normal).length() < 1e-15);
    /// ```
    pub fn tangents(self) -> (Self, Self) {
        let s = T::ONE.copysign(self.z);
        let a = -T::ONE / (s + self.z);
        let b = self.x * self.y * a;
        (
            Self::new(T::ONE + s * self.x * self.x * a, s * b, -s * self.x),
            Self::new(b, s + self.y * self.y * a, -self.y),
        )
    }

    /// The part along the unit vector `n`.
    pub fn along(self, n: Self) -> Self {
        n * self.dot(n)
    }

    /// The part across the unit vector `n`.
    pub fn across(self, n: Self) -> Self {
        self - self.along(n)
    }

    /// Straight interpolation: `self` at 0, `to` at 1.
    pub fn lerp(self, to: Self, t: T) -> Self {
        self + (to - self) * t
    }

    /// The index of the component of largest magnitude; the first where several are equal.
    pub fn largest_axis(self) -> usize {
        let a = self.abs();
        if a.x >= a.y && a.x >= a.z {
            0
        } else if a.y >= a.z {
            1
        } else {
            2
        }
    }

    /// In double precision.
    #[inline(always)]
    pub fn to_f64(self) -> Vec3<f64> {
        Vec3 { x: self.x.to_f64(), y: self.y.to_f64(), z: self.z.to_f64() }
    }

    /// Rounded to [`Real`].
    #[inline(always)]
    pub fn to_real(self) -> Vec3<Real> {
        Vec3 {
            x: Real::from_f64(self.x.to_f64()),
            y: Real::from_f64(self.y.to_f64()),
            z: Real::from_f64(self.z.to_f64()),
        }
    }

    /// The components as an array.
    #[inline(always)]
    pub fn to_array(self) -> [T; 3] {
        [self.x, self.y, self.z]
    }
}

impl<T> From<[T; 3]> for Vec3<T> {
    #[inline(always)]
    fn from([x, y, z]: [T; 3]) -> Self {
        Self { x, y, z }
    }
}

impl<T> From<Vec3<T>> for [T; 3] {
    #[inline(always)]
    fn from(v: Vec3<T>) -> Self {
        [v.x, v.y, v.z]
    }
}

// Only where `Real` is narrower than a world position; otherwise the choice would be ambiguous to type inference.
#[cfg(not(tumble_f64))]
impl From<[f32; 3]> for Vec3<f64> {
    fn from([x, y, z]: [f32; 3]) -> Self {
        Self { x: x.into(), y: y.into(), z: z.into() }
    }
}

#[cfg(not(tumble_f64))]
impl From<Vec3<f32>> for Vec3<f64> {
    fn from(v: Vec3<f32>) -> Self {
        v.to_f64()
    }
}

impl<T> Index<usize> for Vec3<T> {
    type Output = T;
    #[inline(always)]
    fn index(&self, axis: usize) -> &T {
        match axis {
            0 => &self.x,
            1 => &self.y,
            _ => &self.z,
        }
    }
}

impl<T> IndexMut<usize> for Vec3<T> {
    #[inline(always)]
    fn index_mut(&mut self, axis: usize) -> &mut T {
        match axis {
            0 => &mut self.x,
            1 => &mut self.y,
            _ => &mut self.z,
        }
    }
}

impl<T: Num> Add for Vec3<T> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Self { x: self.x + o.x, y: self.y + o.y, z: self.z + o.z }
    }
}

impl<T: Num> Sub for Vec3<T> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        Self { x: self.x - o.x, y: self.y - o.y, z: self.z - o.z }
    }
}

impl<T: Num> Neg for Vec3<T> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self { x: -self.x, y: -self.y, z: -self.z }
    }
}

impl<T: Num> Mul<T> for Vec3<T> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, t: T) -> Self {
        Self { x: self.x * t, y: self.y * t, z: self.z * t }
    }
}

impl<T: Num> Div<T> for Vec3<T> {
    type Output = Self;
    #[inline(always)]
    fn div(self, t: T) -> Self {
        Self { x: self.x / t, y: self.y / t, z: self.z / t }
    }
}

impl<T: Num> AddAssign for Vec3<T> {
    #[inline(always)]
    fn add_assign(&mut self, o: Self) {
        *self = *self + o;
    }
}

impl<T: Num> SubAssign for Vec3<T> {
    #[inline(always)]
    fn sub_assign(&mut self, o: Self) {
        *self = *self - o;
    }
}

impl<T: Num> MulAssign<T> for Vec3<T> {
    #[inline(always)]
    fn mul_assign(&mut self, t: T) {
        *self = *self * t;
    }
}

impl<T: Num> DivAssign<T> for Vec3<T> {
    #[inline(always)]
    fn div_assign(&mut self, t: T) {
        *self = *self / t;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::assert_plain;

    /// What is said of the layout where it is declared plain data holds in either precision.
    #[test]
    fn bytes_give_the_value_back() {
        assert_plain(Vec3::new(1.0_f32, -2.0, f32::MAX), 12);
        assert_plain(Vec3::new(1.0_f64, -0.0, f64::MIN_POSITIVE), 24);
    }
}
