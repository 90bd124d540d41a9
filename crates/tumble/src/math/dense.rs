//! Small dense linear systems of fixed size: blocks of joints, floating bases, contact matrices.
//!
//! | solver | for | answer where the matrix is singular |
//! |---|---|---|
//! | [`Ldlt`] | symmetric positive definite; also in lanes | no reliable one: for matrices known to be regular |
//! | [`Lu`] | any square matrix | `None` |
//! | [`Svd`] | any matrix at all | the shortest of the best (001-38) |
//! | [`solve_semidefinite`] | symmetric positive semi-definite | as `Svd`, whose cost it bears only there |
//!
//! Whether a matrix counts as singular depends on the ratio of its entries alone, never on their size: a pivot or singular
//! value is nothing where it is below [`rank_tolerance`] times what it came from.

mod ldlt;
mod lu;
mod svd;

#[cfg(test)]
mod tests;

pub use ldlt::Ldlt;
pub use lu::Lu;
pub use svd::Svd;

use super::{Float, Num, Sym3, Vec3};

/// A matrix by rows: `a[row][column]`.
pub type Matrix<T, const M: usize, const N: usize> = [[T; N]; M];

/// What counts as nothing, relative to the largest: 4 n ε. A matrix that is singular on paper has been rounded once per entry
/// and once per operation of its elimination, which is of this order; a matrix whose condition number exceeds
/// the inverse has no solution that these digits could hold.
///
/// ```
/// use tumble::math::dense::rank_tolerance;
/// assert_eq!(rank_tolerance::<f64>(3), 12.0 * f64::EPSILON);
/// ```
pub fn rank_tolerance<T: Float>(n: usize) -> T {
    T::EPSILON * T::from_f64(4.0 * n as f64)
}

/// Solves A x = b for a symmetric positive semi-definite A: where A is singular, the shortest x that leaves the least
/// |A x - b|. Finite wherever the answer is.
///
/// The length of x mixes its units. Where they differ (a 6x6 matrix of angular and linear parts), use
/// [`solve_semidefinite_weighted`], or the answer changes with the unit of length.
///
/// ```
/// use tumble::math::dense::solve_semidefinite;
/// // Two supports under one load share it evenly.
/// let x = solve_semidefinite(&[[1.0_f64, 1.0], [1.0, 1.0]], [6.0, 6.0]);
/// assert!((x[0] - 3.0).abs() < 1e-12 && (x[1] - 3.0).abs() < 1e-12);
/// ```
pub fn solve_semidefinite<T: Float, const N: usize>(a: &Matrix<T, N, N>, b: [T; N]) -> [T; N] {
    eliminate(a, b).unwrap_or_else(|| Svd::new(a).solve(b))
}

/// As [`solve_semidefinite`], with unknowns that differ in unit: `weights` are positive, wᵢ of the unit of √aᵢᵢ, and it is |W x|
/// that is least where A is singular. See [`Svd::of_semidefinite`].
///
/// ```
/// use tumble::math::dense::solve_semidefinite_weighted;
/// // Two supports under one load, of which the second is to be spared: its weight is twice that of the first.
/// let x = solve_semidefinite_weighted(&[[1.0_f64, 1.0], [1.0, 1.0]], [5.0, 5.0], [1.0, 2.0]);
/// assert!((x[0] - 4.0).abs() < 1e-12 && (x[1] - 1.0).abs() < 1e-12);
/// ```
pub fn solve_semidefinite_weighted<T: Float, const N: usize>(
    a: &Matrix<T, N, N>,
    b: [T; N],
    weights: [T; N],
) -> [T; N] {
    eliminate(a, b).unwrap_or_else(|| Svd::of_semidefinite(a, weights).solve(b))
}

/// Gaussian elimination with the largest pivot on the diagonal next, relative to the entry it came from: this reveals the rank,
/// since no entry of the rest exceeds its pivot, and so neither does its rounding. `None` where the matrix is singular.
fn eliminate<T: Float, const N: usize>(a: &Matrix<T, N, N>, b: [T; N]) -> Option<[T; N]> {
    let tolerance = rank_tolerance::<T>(N);
    let (mut rest, mut x) = (*a, b);
    let mut order: [usize; N] = core::array::from_fn(|i| i);
    for k in 0..N {
        let share = |i: usize| rest[order[i]][order[i]] / a[order[i]][order[i]];
        let mut pivot = k;
        for i in k + 1..N {
            if share(i) > share(pivot) {
                pivot = i;
            }
        }
        let (sound, p) = (share(pivot) > tolerance && a[order[pivot]][order[pivot]] > T::ZERO, order[pivot]);
        if !sound {
            return None;
        }
        order.swap(k, pivot);
        for &i in &order[k + 1..] {
            let l = rest[i][p] / rest[p][p];
            for &j in &order[k + 1..] {
                rest[i][j] -= l * rest[p][j];
            }
            x[i] -= l * x[p];
        }
    }
    for k in (0..N).rev() {
        let p = order[k];
        for &j in &order[k + 1..] {
            x[p] -= rest[p][j] * x[j];
        }
        x[p] /= rest[p][p];
    }
    x.iter().all(|x| x.is_finite()).then_some(x)
}

impl<T: Float> Sym3<T> {
    /// The entries by rows.
    ///
    /// ```
    /// use tumble::math::{Sym3, Vec3};
    /// assert_eq!(Sym3::diagonal(Vec3::new(1.0, 2.0, 3.0)).to_rows()[1], [0.0, 2.0, 0.0]);
    /// ```
    pub fn to_rows(self) -> Matrix<T, 3, 3> {
        let m = self.to_mat3();
        [m.x.to_array(), m.y.to_array(), m.z.to_array()]
    }

    /// Solves S x = b for a positive semi-definite S: where S is singular, the shortest x that leaves the least |S x - b|.
    ///
    /// ```
    /// use tumble::math::{Sym3, Vec3};
    /// let s = Sym3::diagonal(Vec3::new(2.0, 0.0, 4.0));
    /// assert_eq!(s.solve_semidefinite(Vec3::new(2.0, 5.0, 4.0)), Vec3::new(1.0, 0.0, 1.0));
    /// ```
    pub fn solve_semidefinite(self, b: Vec3<T>) -> Vec3<T> {
        solve_semidefinite(&self.to_rows(), b.to_array()).into()
    }
}

/// The largest power of two that is not above a positive finite number; to divide by it rounds nothing.
fn power_of_two<T: Float>(x: T) -> T {
    const EXPONENT: u64 = 0x7ff0_0000_0000_0000;
    // Denormal numbers of double precision have no exponent; they share the smallest there is.
    T::from_f64(Num::max(f64::from_bits(x.to_f64().to_bits() & EXPONENT), f64::MIN_POSITIVE))
}

/// The largest magnitude in an array; NaN counts as infinite.
fn largest<T: Float>(values: impl IntoIterator<Item = T>) -> T {
    // With the NaN first, `max` would return the other operand.
    values.into_iter().fold(T::ZERO, |m, v| if v.abs() <= m { m } else { v.abs() })
}
