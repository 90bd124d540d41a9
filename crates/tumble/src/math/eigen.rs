//! Eigenvalues and eigenvectors of symmetric matrices.

use super::{Float, Mat3, Sym3, Vec3};

/// More than any matrix of a few rows needs: convergence is quadratic, and five or six sweeps reach the last bit.
const SWEEPS: usize = 24;

/// Eigenvalues of a symmetric matrix in ascending order, and its unit eigenvectors in the same order (001-39).
///
/// Cyclic Jacobi: each rotation by the angle θ with cot 2θ = (a_qq - a_pp) / 2 a_pq zeroes one off-diagonal entry, and
/// the sum of their squares falls quadratically. Entries below the rounding of the largest one count as zero, so that
/// a matrix that is diagonal to rounding keeps its axes. Repeated eigenvalues need no special case: the
/// product of rotations is orthogonal whatever they are. A matrix with an entry that is not finite gives its diagonal, not
/// in order.
///
/// ```
/// use tumble::math::symmetric_eigen;
/// let (values, vectors) = symmetric_eigen([[2.0_f64, 1.0], [1.0, 2.0]]);
/// assert!((values[0] - 1.0).abs() < 1e-15 && (values[1] - 3.0).abs() < 1e-15);
/// assert!((vectors[1][0] - vectors[1][1]).abs() < 1e-15);
/// ```
pub fn symmetric_eigen<T: Float, const N: usize>(matrix: [[T; N]; N]) -> ([T; N], [[T; N]; N]) {
    let mut a = matrix;
    let mut v = [[T::ZERO; N]; N];
    for i in 0..N {
        v[i][i] = T::ONE;
    }
    let scale = a.iter().flatten().fold(T::ZERO, |m, x| if x.abs() <= m { m } else { x.abs() });
    if !(scale > T::ZERO && scale.is_finite()) {
        return (core::array::from_fn(|i| a[i][i]), v);
    }
    // Entries of order 1 keep the squares below from overflowing or vanishing.
    a = a.map(|row| row.map(|x| x / scale));
    let nothing = T::EPSILON * T::from_f64(0.25);
    for _ in 0..SWEEPS {
        if (0..N).all(|p| (p + 1..N).all(|q| a[p][q].abs() <= nothing)) {
            break;
        }
        for p in 0..N {
            for q in p + 1..N {
                if a[p][q] != T::ZERO {
                    rotate(&mut a, &mut v, p, q);
                }
            }
        }
    }

    // Insertion sort: the first of equal values stays first.
    let mut order: [usize; N] = core::array::from_fn(|i| i);
    for i in 1..N {
        let mut j = i;
        while j > 0 && a[order[j]][order[j]] < a[order[j - 1]][order[j - 1]] {
            order.swap(j, j - 1);
            j -= 1;
        }
    }
    (order.map(|k| a[k][k] * scale), order.map(|k| v[k]))
}

/// Zeroes a_pq by a rotation in the plane of axes p and q, and gathers the rotations in v, a vector per row.
fn rotate<T: Float, const N: usize>(a: &mut [[T; N]; N], v: &mut [[T; N]; N], p: usize, q: usize) {
    let theta = (a[q][q] - a[p][p]) / (T::TWO * a[p][q]);
    // The smaller root of t² + 2 θ t - 1 = 0: the rotation by at most 45 degrees, for which the sweeps converge. Where θ²
    // overflows, it is 0 to rounding.
    let t = T::ONE.copysign(theta) / (theta.abs() + (theta * theta + T::ONE).sqrt());
    let c = T::ONE / (t * t + T::ONE).sqrt();
    let s = t * c;
    a[p][p] -= t * a[p][q];
    a[q][q] += t * a[p][q];
    a[p][q] = T::ZERO;
    a[q][p] = T::ZERO;
    for r in 0..N {
        if r != p && r != q {
            let (rp, rq) = (a[r][p], a[r][q]);
            a[r][p] = c * rp - s * rq;
            a[r][q] = s * rp + c * rq;
            a[p][r] = a[r][p];
            a[q][r] = a[r][q];
        }
    }
    for i in 0..N {
        let (vp, vq) = (v[p][i], v[q][i]);
        v[p][i] = c * vp - s * vq;
        v[q][i] = s * vp + c * vq;
    }
}

impl<T: Float> Sym3<T> {
    /// Eigenvalues in ascending order, and unit eigenvectors as the columns of a rotation R, so that S = R D Rᵀ; see
    /// [`symmetric_eigen`].
    ///
    /// Eigenvectors are defined up to sign; of the four right-handed choices R is the one that turns least. The entries
    /// must be finite.
    ///
    /// ```
    /// use tumble::math::{Sym3, Vec3};
    /// let (moments, axes) = Sym3::diagonal(Vec3::new(3.0, 1.0, 2.0)).eigen();
    /// assert_eq!(moments, Vec3::new(1.0, 2.0, 3.0));
    /// assert_eq!(axes.x, Vec3::Y);
    /// ```
    pub fn eigen(self) -> (Vec3<T>, Mat3<T>) {
        let (values, vectors) = symmetric_eigen(self.to_rows());
        let [x, y, z] = vectors.map(Vec3::from);
        let z = if x.cross(y).dot(z) < T::ZERO { -z } else { z };
        (values.into(), least_turned(Mat3::from_columns(x, y, z)))
    }
}

/// The turn of least angle (largest trace) among the four right-handed frames with these axes up to sign.
fn least_turned<T: Float>(m: Mat3<T>) -> Mat3<T> {
    let mut best = m;
    for r in
        [Mat3::from_columns(m.x, -m.y, -m.z), Mat3::from_columns(-m.x, m.y, -m.z), Mat3::from_columns(-m.x, -m.y, m.z)]
    {
        if r.x.x + r.y.y + r.z.z > best.x.x + best.y.y + best.z.z {
            best = r;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Quat;
    use proptest::prelude::*;

    /// Largest entry of a - b.
    fn distance(a: Sym3<f64>, b: Sym3<f64>) -> f64 {
        let d = a - b;
        Vec3::new(d.xx, d.yy, d.zz).abs().max(Vec3::new(d.xy, d.xz, d.yz).abs()).max_component()
    }

    proptest! {
        // Any spectrum, repeated values and huge ratios among them, comes back from any rotation of it.
        #[test]
        fn rebuilds_what_it_took_apart(
            d in prop::array::uniform3(prop::sample::select(vec![0.0f64, 1e-9, 1e-3, 1.0, 1.0, 2.0, 1e6])),
            q in prop::array::uniform4(-1.0..1.0f64),
            exponent in -150i32..150,
        ) {
            prop_assume!(Quat::from(q).dot(Quat::from(q)) > 1e-3);
            let r = Quat::from(q).normalized().to_mat3();
            let scale = 10f64.powi(exponent);
            let s = Sym3::rotated_diagonal(&r, Vec3::from(d) * scale);
            let (values, axes) = s.eigen();
            let largest = d[0].max(d[1]).max(d[2]) * scale;
            // A few roundings of the largest entry for each of the handful of rotations.
            prop_assert!(distance(Sym3::rotated_diagonal(&axes, values), s) <= 32.0 * f64::EPSILON * largest);
            prop_assert!(values.x <= values.y && values.y <= values.z);
            prop_assert!((axes.determinant() - 1.0).abs() < 1e-14);
            prop_assert!((axes.x.dot(axes.y)).abs() < 1e-14);
        }
    }

    // A matrix that is already diagonal and in order turns nothing, even with noise of one rounding off the diagonal.
    #[test]
    fn keeps_the_axes_of_a_diagonal_matrix() {
        let mut s = Sym3::diagonal(Vec3::new(1.0, 1.0, 1.0));
        s.xy = 1e-17;
        s.yz = -1e-17;
        assert_eq!(s.eigen().1, Mat3::IDENTITY);
        assert_eq!(Sym3::<f64>::ZERO.eigen(), (Vec3::ZERO, Mat3::IDENTITY));
    }
}
