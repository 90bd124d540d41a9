//! A = U Σ Vᵀ.

use super::{Matrix, largest, power_of_two, rank_tolerance};
use crate::math::Float;

/// More than any matrix of this size needs: convergence is quadratic.
const SWEEPS: usize = 40;

/// The singular value decomposition of a matrix of any rank, and its pseudo-inverse (001-38).
///
/// One-sided Jacobi (Hestenes 1958): columns are turned in pairs, A V, until all are perpendicular; their lengths are the
/// singular values. Small singular values keep their digits, unlike those taken from the eigenvalues of AᵀA.
///
/// ```
/// use tumble::math::dense::Svd;
/// // One equation, two unknowns: the shortest solution.
/// let svd = Svd::new(&[[3.0_f64, 4.0]]);
/// assert_eq!(svd.rank(), 1);
/// let x = svd.solve([25.0]);
/// assert!((x[0] - 3.0).abs() < 1e-12 && (x[1] - 4.0).abs() < 1e-12);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Svd<T, const M: usize, const N: usize> {
    /// Columns of A V / scale = U Σ / scale.
    turned: [[T; M]; N],
    /// Columns of V, each divided by its weight.
    directions: [[T; N]; N],
    /// Singular values of the scaled matrix; zero where they count as nothing.
    values: [T; N],
    /// The largest entry of A, to a power of two, by which it was divided so that no square overflows or vanishes.
    scale: T,
}

impl<T: Float, const N: usize> Svd<T, N, N> {
    /// The decomposition of a symmetric positive semi-definite matrix whose unknowns differ in unit.
    ///
    /// With W = diag(`weights`) it decomposes W⁻¹ A W⁻¹, so that the rank is judged, and among many solutions the one of least
    /// |W x| chosen, independently of the units: wᵢ should have the unit of √aᵢᵢ. Weights must be positive and finite.
    ///
    /// ```
    /// use tumble::math::dense::Svd;
    /// // Two unknowns, the second in units a thousand times smaller: the rank is 2 all the same.
    /// let svd = Svd::of_semidefinite(&[[1.0_f64, 0.0], [0.0, 1e-18]], [1.0, 1e-9]);
    /// assert_eq!(svd.rank(), 2);
    /// ```
    pub fn of_semidefinite(a: &Matrix<T, N, N>, weights: [T; N]) -> Self {
        let mut scaled = *a;
        for i in 0..N {
            for j in 0..N {
                scaled[i][j] = a[i][j] / weights[i] / weights[j];
            }
        }
        let mut svd = Self::new(&scaled);
        // x = W⁻¹ V Σ⁻¹ Uᵀ W⁻¹ b
        for k in 0..N {
            for i in 0..N {
                svd.directions[k][i] /= weights[i];
                svd.turned[k][i] /= weights[i];
            }
        }
        svd
    }
}

impl<T: Float, const M: usize, const N: usize> Svd<T, M, N> {
    /// The decomposition. A matrix with an entry that is not finite has rank 0.
    pub fn new(a: &Matrix<T, M, N>) -> Self {
        let mut scale = largest(a.iter().flatten().copied());
        let mut columns = [[T::ZERO; M]; N];
        let mut v = [[T::ZERO; N]; N];
        if scale > T::ZERO && scale.is_finite() {
            scale = power_of_two(scale);
            for j in 0..N {
                for i in 0..M {
                    columns[j][i] = a[i][j] / scale;
                }
                v[j][j] = T::ONE;
            }
            for _ in 0..SWEEPS {
                if !sweep(&mut columns, &mut v) {
                    break;
                }
            }
        } else {
            scale = T::ONE;
        }
        let mut values = columns.map(|c| dot(&c, &c).sqrt());
        let least = largest(values) * rank_tolerance(M.max(N));
        for value in &mut values {
            if *value <= least {
                *value = T::ZERO;
            }
        }
        Self { turned: columns, directions: v, values, scale }
    }

    /// How many singular values are not nothing.
    pub fn rank(&self) -> usize {
        self.values.iter().filter(|v| **v > T::ZERO).count()
    }

    /// The singular values, in the order of the columns; zero where they count as nothing. Of the weighted matrix, where there
    /// are weights.
    ///
    /// ```
    /// use tumble::math::dense::Svd;
    /// let mut values = Svd::new(&[[0.0_f64, 2.0], [3.0, 0.0]]).values();
    /// values.sort_by(f64::total_cmp);
    /// assert_eq!(values, [2.0, 3.0]);
    /// ```
    pub fn values(&self) -> [T; N] {
        self.values.map(|v| v * self.scale)
    }

    /// x = A⁺ b = Σᵢ vᵢ (uᵢ·b) / σᵢ: among the x that leave the least |A x - b|, the shortest. Finite wherever x is.
    pub fn solve(&self, b: [T; M]) -> [T; N] {
        let mut x = [T::ZERO; N];
        let size = largest(b);
        if size == T::ZERO {
            return x;
        }
        let size = power_of_two(size);
        let b = b.map(|b| b / size);
        for k in 0..N {
            if self.values[k] > T::ZERO {
                // The turned column is σ u.
                let along = dot(&self.turned[k], &b) / self.values[k] / self.values[k];
                for i in 0..N {
                    x[i] += self.directions[k][i] * along;
                }
            }
        }
        let ratio = size / self.scale;
        x.map(|x| x * ratio)
    }

    /// The matrix A⁺ with [`Svd::solve`]: x = A⁺ b.
    ///
    /// ```
    /// use tumble::math::dense::Svd;
    /// assert_eq!(Svd::new(&[[2.0_f64, 0.0], [0.0, 0.0]]).pseudo_inverse(), [[0.5, 0.0], [0.0, 0.0]]);
    /// ```
    pub fn pseudo_inverse(&self) -> Matrix<T, N, M> {
        let mut inverse = [[T::ZERO; M]; N];
        for j in 0..M {
            let mut unit = [T::ZERO; M];
            unit[j] = T::ONE;
            let column = self.solve(unit);
            for i in 0..N {
                inverse[i][j] = column[i];
            }
        }
        inverse
    }
}

/// Makes every pair of columns perpendicular once; false where all were so already.
fn sweep<T: Float, const M: usize, const N: usize>(columns: &mut [[T; M]; N], v: &mut [[T; N]; N]) -> bool {
    let mut turned = false;
    for p in 0..N {
        for q in p + 1..N {
            let (pp, qq, pq) =
                (dot(&columns[p], &columns[p]), dot(&columns[q], &columns[q]), dot(&columns[p], &columns[q]));
            // Beside a column of length 1, one of length ε is rounding error and has no direction worth keeping.
            let noise = T::EPSILON * T::EPSILON;
            if pq.abs() <= T::EPSILON * (pp * qq).sqrt() || pp <= noise || qq <= noise {
                continue;
            }
            turned = true;
            // cot 2θ = (qq - pp) / 2 pq; the smaller root of t² + 2 cot 2θ t - 1 = 0.
            let cot = (qq - pp) / (T::TWO * pq);
            let t = T::ONE.copysign(cot) / (cot.abs() + (cot * cot + T::ONE).sqrt());
            let c = T::ONE / (t * t + T::ONE).sqrt();
            rotate(columns, p, q, c, t * c);
            rotate(v, p, q, c, t * c);
        }
    }
    turned
}

/// (p, q) := (c p - s q, s p + c q)
fn rotate<T: Float, const M: usize, const N: usize>(columns: &mut [[T; M]; N], p: usize, q: usize, c: T, s: T) {
    for i in 0..M {
        let (a, b) = (columns[p][i], columns[q][i]);
        columns[p][i] = c * a - s * b;
        columns[q][i] = s * a + c * b;
    }
}

fn dot<T: Float, const M: usize>(a: &[T; M], b: &[T; M]) -> T {
    (0..M).fold(T::ZERO, |sum, i| sum + a[i] * b[i])
}
