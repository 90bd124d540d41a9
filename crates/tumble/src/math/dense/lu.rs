//! P A Q = L U.

use super::{Matrix, largest, power_of_two, rank_tolerance};
use crate::math::Float;
use core::array::from_fn;

/// Each round of scaling takes the square root of how far the largest entries of rows and columns are from 1: after eight, a
/// ratio of 10⁶⁰ has become one of 4.
const ROUNDS: usize = 8;

/// The factorisation P A Q = L U of a square matrix, with rows and columns exchanged for the largest pivot of all.
///
/// Rows and columns are first divided by the square roots of their largest entries, over and over (Ruiz 2001), so that entries of
/// different units compare; by powers of two, so that nothing is rounded. Pivots from all that is left reveal the rank.
///
/// ```
/// use tumble::math::dense::Lu;
/// let a = [[0.0_f64, 2.0], [1.0, 1.0]];
/// assert_eq!(Lu::new(&a).unwrap().solve([4.0, 5.0]), [3.0, 2.0]);
/// assert!(Lu::new(&[[1.0, 2.0], [2.0, 4.0]]).is_none());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Lu<T, const N: usize> {
    /// U on and above the diagonal, L below it; rows and columns in the order of the pivots.
    factors: Matrix<T, N, N>,
    /// Which row and column of A each one of the factors came from.
    rows: [usize; N],
    columns: [usize; N],
    /// What the rows and the columns of A were divided by.
    pub(super) row_scale: [T; N],
    pub(super) column_scale: [T; N],
}

impl<T: Float, const N: usize> Lu<T, N> {
    /// The factors, or `None` where the matrix is singular to rounding: no pivot above [`rank_tolerance`]
    /// times the largest.
    pub fn new(a: &Matrix<T, N, N>) -> Option<Self> {
        let (mut factors, mut row_scale, mut column_scale) = (*a, [T::ONE; N], [T::ONE; N]);
        for _ in 0..ROUNDS {
            let row: [T; N] = factors.map(|row| power_of_two(largest(row).sqrt()));
            let column: [T; N] = from_fn(|j| power_of_two(largest(factors.map(|row| row[j])).sqrt()));
            for i in 0..N {
                row_scale[i] *= row[i];
                column_scale[i] *= column[i];
                for j in 0..N {
                    factors[i][j] /= row[i] * column[j];
                }
            }
        }
        let (mut rows, mut columns) = (from_fn(|i| i), from_fn(|j| j));
        let mut least = T::ZERO;
        for k in 0..N {
            let mut pivot = (k, k);
            for i in k..N {
                for j in k..N {
                    if factors[i][j].abs() > factors[pivot.0][pivot.1].abs() {
                        pivot = (i, j);
                    }
                }
            }
            factors.swap(k, pivot.0);
            rows.swap(k, pivot.0);
            for row in &mut factors {
                row.swap(k, pivot.1);
            }
            columns.swap(k, pivot.1);
            let pivot = factors[k];
            // NaN is not sound either.
            let sound = pivot[k].abs() > least && pivot[k].is_finite();
            if !sound {
                return None;
            }
            if k == 0 {
                least = pivot[0].abs() * rank_tolerance(N);
            }
            for row in &mut factors[k + 1..] {
                let l = row[k] / pivot[k];
                row[k] = l;
                for j in k + 1..N {
                    row[j] -= l * pivot[j];
                }
            }
        }
        Some(Self { factors, rows, columns, row_scale, column_scale })
    }

    /// x with A x = b.
    pub fn solve(&self, b: [T; N]) -> [T; N] {
        let mut y = [T::ZERO; N];
        for i in 0..N {
            y[i] = b[self.rows[i]] / self.row_scale[self.rows[i]];
            for k in 0..i {
                y[i] -= self.factors[i][k] * y[k];
            }
        }
        let mut x = [T::ZERO; N];
        for i in (0..N).rev() {
            for k in i + 1..N {
                y[i] -= self.factors[i][k] * y[k];
            }
            y[i] /= self.factors[i][i];
            x[self.columns[i]] = y[i] / self.column_scale[self.columns[i]];
        }
        x
    }
}
