//! Symmetric 3x3 matrices: inertia, and what answers a push.

use super::{Float, Mat3, Num, Real, Vec3};
use core::ops::{Add, Mul, Sub};
use serde::{Deserialize, Serialize};

/// A symmetric 3x3 matrix by its six different entries.
///
/// Inertia tensors carry the *negated* products of inertia off the diagonal (003-10).
///
/// ```
/// use tumble::math::{Sym3, Vec3};
/// let i = Sym3::diagonal(Vec3::new(1.0, 2.0, 4.0));
/// assert_eq!(i * Vec3::new(1.0, 1.0, 1.0), Vec3::new(1.0, 2.0, 4.0));
/// ```
///
/// ```
/// use tumble::math::{Mat3, Quat, Sym3, Vec3};
/// let i = Sym3::<f64>::diagonal(Vec3::new(1.0, 2.0, 4.0));
/// let r = Quat::from_axis_angle(Vec3::new(1.0, 1.0, 0.5), 0.8).to_mat3();
/// assert!((i.rotated(&r) - Sym3::rotated_diagonal(&r, Vec3::new(1.0, 2.0, 4.0))).largest() < 1e-15);
/// assert!((i.rotated(&r).trace() - i.trace()).abs() < 1e-14); // turning keeps the trace
/// assert_eq!(i.quadratic(Vec3::all(1.0)), 7.0);
/// assert_eq!(Sym3::from_mat3(&i.to_mat3()), i);
/// assert_eq!(i.try_inverse(), Some(Sym3::diagonal(Vec3::new(1.0, 0.5, 0.25))));
/// assert_eq!(Sym3::point_mass(Vec3::new(0.0, 2.0, 0.0)), Sym3::diagonal(Vec3::new(4.0, 0.0, 4.0)));
/// assert!(i.is_finite() && i.to_real().to_f64() == i);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Default, Serialize, Deserialize)]
#[repr(C)]
pub struct Sym3<T = Real> {
    /// Row 1, column 1.
    pub xx: T,
    /// Row 2, column 2.
    pub yy: T,
    /// Row 3, column 3.
    pub zz: T,
    /// Rows and columns 1, 2.
    pub xy: T,
    /// Rows and columns 1, 3.
    pub xz: T,
    /// Rows and columns 2, 3.
    pub yz: T,
}

// SAFETY: six equal components under `repr(C)` leave no padding, and every bit pattern of a float is a float.
unsafe impl bytemuck::Zeroable for Sym3<f32> {}
// SAFETY: as above.
unsafe impl bytemuck::Pod for Sym3<f32> {}
// SAFETY: as above.
unsafe impl bytemuck::Zeroable for Sym3<f64> {}
// SAFETY: as above.
unsafe impl bytemuck::Pod for Sym3<f64> {}

impl<T: Num> Sym3<T> {
    /// All zeros.
    pub const ZERO: Self = Self { xx: T::ZERO, yy: T::ZERO, zz: T::ZERO, xy: T::ZERO, xz: T::ZERO, yz: T::ZERO };

    /// The matrix with this diagonal.
    #[inline(always)]
    pub fn diagonal(d: Vec3<T>) -> Self {
        Self { xx: d.x, yy: d.y, zz: d.z, ..Self::ZERO }
    }

    /// R D Rᵀ for a rotation R and the diagonal D: the tensor of principal moments `d` in the turned frame (003-12).
    #[inline(always)]
    pub fn rotated_diagonal(r: &Mat3<T>, d: Vec3<T>) -> Self {
        let (a, b, c) = (r.x * d.x, r.y * d.y, r.z * d.z);
        Self {
            xx: a.x * r.x.x + b.x * r.y.x + c.x * r.z.x,
            yy: a.y * r.x.y + b.y * r.y.y + c.y * r.z.y,
            zz: a.z * r.x.z + b.z * r.y.z + c.z * r.z.z,
            xy: a.x * r.x.y + b.x * r.y.y + c.x * r.z.y,
            xz: a.x * r.x.z + b.x * r.y.z + c.x * r.z.z,
            yz: a.y * r.x.z + b.y * r.y.z + c.y * r.z.z,
        }
    }

    /// R S Rᵀ (003-12).
    #[inline(always)]
    pub fn rotated(self, r: &Mat3<T>) -> Self {
        // Columns of S Rᵀ are S times the rows of R.
        let t = r.transpose();
        let (a, b, c) = (self * t.x, self * t.y, self * t.z);
        Self { xx: t.x.dot(a), yy: t.y.dot(b), zz: t.z.dot(c), xy: t.x.dot(b), xz: t.x.dot(c), yz: t.y.dot(c) }
    }

    /// |r|² 1 - r rᵀ: the inertia of a unit point mass at r; also -skew(r)².
    #[inline(always)]
    pub fn point_mass(r: Vec3<T>) -> Self {
        Self {
            xx: r.y * r.y + r.z * r.z,
            yy: r.x * r.x + r.z * r.z,
            zz: r.x * r.x + r.y * r.y,
            xy: -(r.x * r.y),
            xz: -(r.x * r.z),
            yz: -(r.y * r.z),
        }
    }

    /// vᵀ S v
    #[inline(always)]
    pub fn quadratic(self, v: Vec3<T>) -> T {
        v.dot(self * v)
    }

    /// C and det S with S C = det(S) 1, without a division.
    #[inline(always)]
    pub(crate) fn cofactors(self) -> (Self, T) {
        let Self { xx, yy, zz, xy, xz, yz } = self;
        let c = Self {
            xx: yy * zz - yz * yz,
            xy: xz * yz - xy * zz,
            xz: xy * yz - xz * yy,
            yy: xx * zz - xz * xz,
            yz: xy * xz - xx * yz,
            zz: xx * yy - xy * xy,
        };
        (c, xx * c.xx + xy * c.xy + xz * c.xz)
    }

    /// As a full matrix.
    #[inline(always)]
    pub fn to_mat3(self) -> Mat3<T> {
        Mat3::from_columns(
            Vec3::new(self.xx, self.xy, self.xz),
            Vec3::new(self.xy, self.yy, self.yz),
            Vec3::new(self.xz, self.yz, self.zz),
        )
    }

    /// The symmetric part of a full matrix.
    #[inline(always)]
    pub fn from_mat3(m: &Mat3<T>) -> Self {
        let half = T::splat(0.5);
        Self {
            xx: m.x.x,
            yy: m.y.y,
            zz: m.z.z,
            xy: (m.x.y + m.y.x) * half,
            xz: (m.x.z + m.z.x) * half,
            yz: (m.y.z + m.z.y) * half,
        }
    }

    /// Sum of the diagonal.
    #[inline(always)]
    pub fn trace(self) -> T {
        self.xx + self.yy + self.zz
    }
}

impl<T: Float> Sym3<T> {
    /// All entries are finite.
    pub fn is_finite(self) -> bool {
        self.xx.is_finite()
            && self.yy.is_finite()
            && self.zz.is_finite()
            && self.xy.is_finite()
            && self.xz.is_finite()
            && self.yz.is_finite()
    }

    /// The largest magnitude among the entries.
    pub fn largest(self) -> T {
        let diagonal = Vec3::new(self.xx, self.yy, self.zz).abs().max_component();
        let products = Vec3::new(self.xy, self.xz, self.yz).abs().max_component();
        diagonal.max(products)
    }

    /// Every entry divided by `t`; unlike a product with the reciprocal, also for `t` so small that it has none.
    fn divided(self, t: T) -> Self {
        Self { xx: self.xx / t, yy: self.yy / t, zz: self.zz / t, xy: self.xy / t, xz: self.xz / t, yz: self.yz / t }
    }

    /// The inverse, or `None` where the determinant is zero or not finite, or the inverse has no finite entries.
    ///
    /// Entries are first divided by the largest, m, so that det(S/m) neither underflows nor overflows: the cube of the
    /// inertia of a body of 1 mm is no number of single precision. S⁻¹ = (S/m)⁻¹ / m.
    pub fn try_inverse(self) -> Option<Self> {
        let largest = self.largest();
        let (cofactors, det) = self.divided(largest).cofactors();
        if det == T::ZERO || !det.is_finite() {
            return None;
        }
        let m = (cofactors * (T::ONE / det)).divided(largest);
        m.is_finite().then_some(m)
    }

    /// In double precision.
    pub fn to_f64(self) -> Sym3<f64> {
        Sym3 {
            xx: self.xx.to_f64(),
            yy: self.yy.to_f64(),
            zz: self.zz.to_f64(),
            xy: self.xy.to_f64(),
            xz: self.xz.to_f64(),
            yz: self.yz.to_f64(),
        }
    }

    /// Rounded to [`Real`].
    pub fn to_real(self) -> Sym3<Real> {
        let r = |v: T| Real::from_f64(v.to_f64());
        Sym3 { xx: r(self.xx), yy: r(self.yy), zz: r(self.zz), xy: r(self.xy), xz: r(self.xz), yz: r(self.yz) }
    }
}

impl<T: Num> Mul<Vec3<T>> for Sym3<T> {
    type Output = Vec3<T>;
    #[inline(always)]
    fn mul(self, v: Vec3<T>) -> Vec3<T> {
        Vec3 {
            x: self.xx * v.x + self.xy * v.y + self.xz * v.z,
            y: self.xy * v.x + self.yy * v.y + self.yz * v.z,
            z: self.xz * v.x + self.yz * v.y + self.zz * v.z,
        }
    }
}

impl<T: Num> Mul<T> for Sym3<T> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, t: T) -> Self {
        Self { xx: self.xx * t, yy: self.yy * t, zz: self.zz * t, xy: self.xy * t, xz: self.xz * t, yz: self.yz * t }
    }
}

impl<T: Num> Add for Sym3<T> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Self {
            xx: self.xx + o.xx,
            yy: self.yy + o.yy,
            zz: self.zz + o.zz,
            xy: self.xy + o.xy,
            xz: self.xz + o.xz,
            yz: self.yz + o.yz,
        }
    }
}

impl<T: Num> Sub for Sym3<T> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        Self {
            xx: self.xx - o.xx,
            yy: self.yy - o.yy,
            zz: self.zz - o.zz,
            xy: self.xy - o.xy,
            xz: self.xz - o.xz,
            yz: self.yz - o.yz,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::assert_plain;

    /// What is said of the layout where it is declared plain data holds in either precision.
    #[test]
    fn bytes_give_the_value_back() {
        assert_plain(Sym3::<f32>::point_mass(Vec3::new(1.0, 2.0, 3.0)), 24);
        assert_plain(Sym3::<f64>::point_mass(Vec3::new(1.0, 2.0, 3.0)), 48);
    }
}
