//! 3x3 matrices.

use super::{Float, Num, Real, Vec3};
use core::ops::{Add, Mul, Neg, Sub};

/// A 3x3 matrix by columns.
///
/// ```
/// use tumble::math::{Mat3, Vec3};
/// let m = Mat3::skew(Vec3::Z);
/// assert_eq!(m * Vec3::X, Vec3::new(0.0, 1.0, 0.0));
/// ```
///
/// ```
/// use tumble::math::{Mat3, Vec3};
/// let m = Mat3::from_rows(Vec3::new(2.0, 1.0, 0.0), Vec3::new(0.0, 4.0, 0.0), Vec3::new(0.0, 0.0, 8.0));
/// assert_eq!(m.transpose(), Mat3::from_columns(Vec3::new(2.0, 1.0, 0.0), Vec3::Y * 4.0, Vec3::Z * 8.0));
/// assert_eq!(m.transpose_mul(Vec3::X), m.transpose() * Vec3::X);
/// assert_eq!(m.determinant(), 64.0);
/// let inverse = m.try_inverse().unwrap();
/// assert_eq!(inverse * m, Mat3::IDENTITY);
/// assert_eq!(Mat3::outer(Vec3::X, Vec3::Y) * Vec3::Y, Vec3::<f64>::X);
/// assert_eq!(m.to_real().to_f64(), m);
/// assert!(m.is_finite() && (-m).abs() == m);
/// assert_eq!(Mat3::diagonal(Vec3::new(1.0, 1.0, 0.0)).try_inverse(), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct Mat3<T = Real> {
    /// First column.
    pub x: Vec3<T>,
    /// Second column.
    pub y: Vec3<T>,
    /// Third column.
    pub z: Vec3<T>,
}

// SAFETY: nine equal components under `repr(C)` leave no padding, and every bit pattern of a float is a float.
unsafe impl bytemuck::Zeroable for Mat3<f32> {}
// SAFETY: as above.
unsafe impl bytemuck::Pod for Mat3<f32> {}
// SAFETY: as above.
unsafe impl bytemuck::Zeroable for Mat3<f64> {}
// SAFETY: as above.
unsafe impl bytemuck::Pod for Mat3<f64> {}

impl<T: Num> Mat3<T> {
    /// All zeros.
    pub const ZERO: Self = Self { x: Vec3::ZERO, y: Vec3::ZERO, z: Vec3::ZERO };
    /// Ones on the diagonal.
    pub const IDENTITY: Self = Self { x: Vec3::X, y: Vec3::Y, z: Vec3::Z };

    /// The matrix with these columns.
    #[inline(always)]
    pub const fn from_columns(x: Vec3<T>, y: Vec3<T>, z: Vec3<T>) -> Self {
        Self { x, y, z }
    }

    /// The matrix with these rows.
    #[inline(always)]
    pub fn from_rows(x: Vec3<T>, y: Vec3<T>, z: Vec3<T>) -> Self {
        Self { x, y, z }.transpose()
    }

    /// The matrix with this diagonal.
    #[inline(always)]
    pub fn diagonal(d: Vec3<T>) -> Self {
        Self {
            x: Vec3::new(d.x, T::ZERO, T::ZERO),
            y: Vec3::new(T::ZERO, d.y, T::ZERO),
            z: Vec3::new(T::ZERO, T::ZERO, d.z),
        }
    }

    /// The matrix S with S w = v × w (003-04).
    #[inline(always)]
    pub fn skew(v: Vec3<T>) -> Self {
        Self { x: Vec3::new(T::ZERO, v.z, -v.y), y: Vec3::new(-v.z, T::ZERO, v.x), z: Vec3::new(v.y, -v.x, T::ZERO) }
    }

    /// The matrix a bᵀ.
    #[inline(always)]
    pub fn outer(a: Vec3<T>, b: Vec3<T>) -> Self {
        Self { x: a * b.x, y: a * b.y, z: a * b.z }
    }

    /// Rows and columns exchanged.
    #[inline(always)]
    pub fn transpose(self) -> Self {
        Self {
            x: Vec3::new(self.x.x, self.y.x, self.z.x),
            y: Vec3::new(self.x.y, self.y.y, self.z.y),
            z: Vec3::new(self.x.z, self.y.z, self.z.z),
        }
    }

    /// The transpose times `v`.
    #[inline(always)]
    pub fn transpose_mul(self, v: Vec3<T>) -> Vec3<T> {
        Vec3::new(self.x.dot(v), self.y.dot(v), self.z.dot(v))
    }

    /// Component by component magnitude.
    #[inline(always)]
    pub fn abs(self) -> Self {
        Self { x: self.x.abs(), y: self.y.abs(), z: self.z.abs() }
    }

    /// The determinant.
    #[inline(always)]
    pub fn determinant(self) -> T {
        self.x.dot(self.y.cross(self.z))
    }
}

impl<T: Float> Mat3<T> {
    /// All components are finite.
    pub fn is_finite(self) -> bool {
        self.x.is_finite() && self.y.is_finite() && self.z.is_finite()
    }

    /// The inverse, or `None` where the determinant is zero or not finite, or the inverse has no finite entries.
    ///
    /// Entries are first divided by the largest, m, so that det(M/m) neither underflows nor overflows for small and large
    /// matrices: M⁻¹ = (M/m)⁻¹ / m.
    pub fn try_inverse(self) -> Option<Self> {
        let largest = self.x.abs().max(self.y.abs()).max(self.z.abs()).max_component();
        let (x, y, z) = (self.x / largest, self.y / largest, self.z / largest);
        let (a, b, c) = (y.cross(z), z.cross(x), x.cross(y));
        let det = x.dot(a);
        if det == T::ZERO || !det.is_finite() {
            return None;
        }
        let s = T::ONE / det;
        let m = Self::from_rows(a * s / largest, b * s / largest, c * s / largest);
        m.is_finite().then_some(m)
    }

    /// A right-handed orthonormal frame near this one by Gram-Schmidt from x, then y (003-01b); `None` where x and y do not
    /// span a plane to rounding.
    ///
    /// ```
    /// use tumble::math::{Mat3, Vec3};
    /// let worn = Mat3::from_columns(Vec3::new(2.0, 0.0, 0.0), Vec3::new(0.1, 3.0, 0.0), Vec3::Z);
    /// assert_eq!(worn.orthonormalized(), Some(Mat3::IDENTITY));
    /// ```
    pub fn orthonormalized(self) -> Option<Self> {
        let x = self.x.try_normalize()?;
        let y = self.y.try_normalize()?.across(x);
        // What is left of a parallel y is rounding error, not a direction.
        if y.length() < T::EPSILON * T::from_f64(16.0) {
            return None;
        }
        // Once more: what cancelled in the first subtraction left an error along x as large as its share of y.
        let y = y.try_normalize()?.across(x).try_normalize()?;
        Some(Self { x, y, z: x.cross(y) })
    }

    /// In double precision.
    pub fn to_f64(self) -> Mat3<f64> {
        Mat3 { x: self.x.to_f64(), y: self.y.to_f64(), z: self.z.to_f64() }
    }

    /// Rounded to [`Real`].
    pub fn to_real(self) -> Mat3<Real> {
        Mat3 { x: self.x.to_real(), y: self.y.to_real(), z: self.z.to_real() }
    }
}

impl<T: Num> Mul<Vec3<T>> for Mat3<T> {
    type Output = Vec3<T>;
    #[inline(always)]
    fn mul(self, v: Vec3<T>) -> Vec3<T> {
        self.x * v.x + self.y * v.y + self.z * v.z
    }
}

impl<T: Num> Mul for Mat3<T> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, o: Self) -> Self {
        Self { x: self * o.x, y: self * o.y, z: self * o.z }
    }
}

impl<T: Num> Mul<T> for Mat3<T> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, t: T) -> Self {
        Self { x: self.x * t, y: self.y * t, z: self.z * t }
    }
}

impl<T: Num> Add for Mat3<T> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Self { x: self.x + o.x, y: self.y + o.y, z: self.z + o.z }
    }
}

impl<T: Num> Sub for Mat3<T> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        Self { x: self.x - o.x, y: self.y - o.y, z: self.z - o.z }
    }
}

impl<T: Num> Neg for Mat3<T> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self { x: -self.x, y: -self.y, z: -self.z }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::assert_plain;

    /// What is said of the layout where it is declared plain data holds in either precision.
    #[test]
    fn bytes_give_the_value_back() {
        assert_plain(Mat3::<f32>::skew(Vec3::new(1.0, 2.0, 3.0)), 36);
        assert_plain(Mat3::<f64>::skew(Vec3::new(1.0, 2.0, 3.0)), 72);
    }
}
