//! Eigenvalues and eigenvectors of symmetric 3x3 matrices.

use super::{Mat3, Sym3, Vec3};

/// More than any 3x3 matrix needs: convergence is quadratic, and five or six sweeps reach the last bit.
const SWEEPS: usize = 24;

impl Sym3<f64> {
    /// Eigenvalues in ascending order, and unit eigenvectors as the columns of a rotation R, so that S = R D Rᵀ (001-39).
    ///
    /// Cyclic Jacobi: each rotation by the angle θ with cot 2θ = (a_qq - a_pp) / 2 a_pq zeroes one off-diagonal entry, and
    /// the sum of their squares falls quadratically. Entries below the rounding of the largest one count as zero, so that
    /// a matrix that is diagonal to rounding keeps its axes. Repeated eigenvalues need no special case: the
    /// product of rotations is orthogonal whatever they are.
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
    pub fn eigen(self) -> (Vec3<f64>, Mat3<f64>) {
        let diagonal = Vec3::new(self.xx, self.yy, self.zz);
        let off = Vec3::new(self.xy, self.xz, self.yz);
        let scale = diagonal.abs().max(off.abs()).max_component();
        if !(scale > 0.0 && scale.is_finite()) {
            return (diagonal, Mat3::IDENTITY);
        }
        // Entries of order 1 keep the squares below from overflowing or vanishing.
        let columns = self.to_mat3() * (1.0 / scale);
        let mut a = [columns.x.to_array(), columns.y.to_array(), columns.z.to_array()];
        let mut v = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        for _ in 0..SWEEPS {
            if a[0][1].abs().max(a[0][2].abs()).max(a[1][2].abs()) <= f64::EPSILON * 0.25 {
                break;
            }
            for (p, q) in [(0, 1), (0, 2), (1, 2)] {
                if a[p][q] != 0.0 {
                    rotate(&mut a, &mut v, p, q);
                }
            }
        }

        let mut order = [0, 1, 2];
        for (i, j) in [(0, 1), (1, 2), (0, 1)] {
            if a[order[j]][order[j]] < a[order[i]][order[i]] {
                order.swap(i, j);
            }
        }
        let values = Vec3::from(order.map(|k| a[k][k])) * scale;
        let [x, y, z] = order.map(|k| Vec3::new(v[0][k], v[1][k], v[2][k]));
        let z = if x.cross(y).dot(z) < 0.0 { -z } else { z };
        (values, least_turned(Mat3::from_columns(x, y, z)))
    }
}

/// Zeroes a_pq by a rotation in the plane of axes p and q, and gathers the rotation in the columns of v.
fn rotate(a: &mut [[f64; 3]; 3], v: &mut [[f64; 3]; 3], p: usize, q: usize) {
    let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    // The smaller root of t² + 2 θ t - 1 = 0: the rotation by at most 45 degrees, for which the sweeps converge.
    let t = 1.0f64.copysign(theta) / (theta.abs() + (theta * theta + 1.0).sqrt());
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = t * c;
    a[p][p] -= t * a[p][q];
    a[q][q] += t * a[p][q];
    a[p][q] = 0.0;
    a[q][p] = 0.0;
    let r = 3 - p - q;
    let (rp, rq) = (a[r][p], a[r][q]);
    a[r][p] = c * rp - s * rq;
    a[r][q] = s * rp + c * rq;
    a[p][r] = a[r][p];
    a[q][r] = a[r][q];
    for row in v {
        let (vp, vq) = (row[p], row[q]);
        row[p] = c * vp - s * vq;
        row[q] = s * vp + c * vq;
    }
}

/// The turn of least angle (largest trace) among the four right-handed frames with these axes up to sign.
fn least_turned(m: Mat3<f64>) -> Mat3<f64> {
    let mut best = m;
    for (sx, sy, sz) in [(1.0, -1.0, -1.0), (-1.0, 1.0, -1.0), (-1.0, -1.0, 1.0)] {
        let r = Mat3::from_columns(m.x * sx, m.y * sy, m.z * sz);
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
        assert_eq!(Sym3::ZERO.eigen(), (Vec3::ZERO, Mat3::IDENTITY));
    }
}
