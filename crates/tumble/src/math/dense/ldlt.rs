//! A = L D Lᵀ.

use super::{Matrix, rank_tolerance};
use crate::math::{Float, Lane, Num, Real};

/// The factorisation A = L D Lᵀ of a symmetric positive definite matrix: L with ones on its diagonal, D diagonal.
///
/// Only the lower half of A is read. No pivoting, so that all lanes do the same: positive definite matrices need none. But a
/// singular one may pass for a regular one by the rounding of a small pivot; where that can happen, use
/// [`solve_semidefinite`](super::solve_semidefinite).
///
/// ```
/// use tumble::math::dense::Ldlt;
/// let a = [[4.0_f64, 2.0], [2.0, 3.0]];
/// let x = Ldlt::new(&a).unwrap().solve([8.0, 8.0]);
/// assert_eq!(x, [1.0, 2.0]);
/// assert!(Ldlt::new(&[[1.0, 2.0], [2.0, 4.0]]).is_none());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Ldlt<T, const N: usize> {
    /// L below the diagonal; what is on and above it means nothing.
    lower: Matrix<T, N, N>,
    /// 1 / D
    inverse: [T; N],
}

/// What to do with a pivot. A trait and not a closure: only functions can be told to be inlined into the lanes' kernels.
trait Pivot<T> {
    /// 1 / d for the pivot d that elimination left of the diagonal entry.
    fn reciprocal(&mut self, d: T, entry: T) -> T;
}

impl<T: Num, const N: usize> Ldlt<T, N> {
    /// d_j = a_jj - Σ_k l_jk² d_k,  l_ij = (a_ij - Σ_k l_ik l_jk d_k) / d_j,  k < j < i
    ///
    /// In the place of A, whose upper half stays as it was.
    #[inline(always)]
    fn factor(a: Matrix<T, N, N>, pivot: &mut impl Pivot<T>) -> Self {
        let mut f = Self { lower: a, inverse: [T::ZERO; N] };
        for j in 0..N {
            // Row j holds l_jk d_k, as the columns before left it, until it is divided here.
            let mut d = f.lower[j][j];
            for k in 0..j {
                let scaled = f.lower[j][k];
                f.lower[j][k] = scaled * f.inverse[k];
                d -= scaled * f.lower[j][k];
            }
            f.inverse[j] = pivot.reciprocal(d, f.lower[j][j]);
            for i in j + 1..N {
                let mut l = f.lower[i][j];
                for k in 0..j {
                    l -= f.lower[i][k] * f.lower[j][k];
                }
                f.lower[i][j] = l;
            }
        }
        f
    }

    /// x with A x = b: forward through L, across D, back through Lᵀ.
    #[inline(always)]
    pub fn solve(&self, b: [T; N]) -> [T; N] {
        let mut x = b;
        for i in 0..N {
            for k in 0..i {
                x[i] -= self.lower[i][k] * x[k];
            }
        }
        for i in 0..N {
            x[i] *= self.inverse[i];
        }
        for i in (0..N).rev() {
            for k in i + 1..N {
                x[i] -= self.lower[k][i] * x[k];
            }
        }
        x
    }
}

impl<T: Float, const N: usize> Ldlt<T, N> {
    /// The factors, or `None` where the matrix is seen not to be positive definite: a pivot that is not above
    /// [`rank_tolerance`] times the entry it came from.
    pub fn new(a: &Matrix<T, N, N>) -> Option<Self> {
        let mut pivot = Definite { tolerance: rank_tolerance(N), so_far: true };
        let factors = Self::factor(*a, &mut pivot);
        (pivot.so_far && factors.inverse.iter().all(|x| x.is_finite())).then_some(factors)
    }
}

struct Definite<T> {
    tolerance: T,
    so_far: bool,
}

impl<T: Float> Pivot<T> for Definite<T> {
    fn reciprocal(&mut self, d: T, entry: T) -> T {
        self.so_far &= d > entry * self.tolerance && d.is_finite();
        T::ONE / d
    }
}

impl<L: Lane, const N: usize> Ldlt<L, N> {
    /// The factors in lanes. An unknown whose pivot is nothing, relative to the entry it came from, is left out: [`Ldlt::solve`]
    /// gives zero for it, and a solution for the others. So unused lanes, with zeros all over, solve to zeros.
    ///
    /// ```
    /// use tumble::math::{Real, dense::Ldlt};
    /// let a: [[Real; 2]; 2] = [[4.0, 0.0], [0.0, 0.0]];
    /// assert_eq!(Ldlt::skipping(a).solve([8.0, 7.0]), [2.0, 0.0]);
    /// ```
    #[inline(always)]
    pub fn skipping(a: Matrix<L, N, N>) -> Self {
        Self::factor(a, &mut Skip::<N>)
    }
}

struct Skip<const N: usize>;

impl<L: Lane, const N: usize> Pivot<L> for Skip<N> {
    #[inline(always)]
    fn reciprocal(&mut self, d: L, entry: L) -> L {
        let tolerance = L::splat(rank_tolerance(N));
        let inverse = L::ONE / d;
        L::select(d.greater(entry * tolerance) & inverse.less(L::splat(Real::MAX)), inverse, L::ZERO)
    }
}
