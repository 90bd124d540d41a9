//! Small solvers against matrices whose answers are known, in both precisions.

use super::{Ldlt, Lu, Matrix, Svd, eliminate, rank_tolerance, solve_semidefinite};
use crate::math::{Float, Isa, Kernel, LANES, Lane, Real, Sym3, Vec3, symmetric_eigen};
use core::array::from_fn;
use proptest::prelude::*;

type Square<T, const N: usize> = Matrix<T, N, N>;

/// An orthogonal matrix from any: Gram-Schmidt in double precision, twice over; rows are the vectors.
fn orthogonal<const N: usize>(random: Square<f64, N>) -> Option<Square<f64, N>> {
    let mut q = random;
    for i in 0..N {
        let before = norm(&q[i]);
        for _ in 0..2 {
            for k in 0..i {
                let (along, other) = ((0..N).map(|j| q[i][j] * q[k][j]).sum::<f64>(), q[k]);
                for j in 0..N {
                    q[i][j] -= along * other[j];
                }
            }
        }
        let length = norm(&q[i]);
        if length < 1e-3 * before || length < 1e-6 {
            return None;
        }
        q[i] = q[i].map(|x| x / length);
    }
    Some(q)
}

fn norm<const N: usize>(v: &[f64; N]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// Σ valueₖ uₖ vₖᵀ over the first `rank` rows of `u` and `v`.
fn compose<const M: usize, const N: usize>(
    u: &Square<f64, M>,
    v: &Square<f64, N>,
    values: &[f64],
) -> Matrix<f64, M, N> {
    from_fn(|i| from_fn(|j| values.iter().enumerate().map(|(k, s)| s * u[k][i] * v[k][j]).sum()))
}

fn rounded<T: Float, const M: usize, const N: usize>(a: &Matrix<f64, M, N>) -> Matrix<T, M, N> {
    a.map(|row| row.map(T::from_f64))
}

fn times<const M: usize, const N: usize>(a: &Matrix<f64, M, N>, x: &[f64; N]) -> [f64; M] {
    from_fn(|i| (0..N).map(|j| a[i][j] * x[j]).sum())
}

fn difference<const N: usize>(a: &[f64; N], b: &[f64; N]) -> f64 {
    norm(&from_fn::<f64, N, _>(|i| a[i] - b[i]))
}

fn square<const N: usize>() -> impl Strategy<Value = Square<f64, N>> {
    prop::array::uniform(prop::array::uniform(-1.0..1.0))
}

/// A symmetric matrix Σ s q qᵀ of the given spectrum: `Ldlt` and `Lu` solve it where it has full rank and refuse it where
/// not; the pseudo-inverse is Σ q qᵀ / s by construction. Errors are bounded by the condition number (here at most
/// `spread`) times a few roundings per operation.
fn check_semidefinite<T: Float, const N: usize>(q: &Square<f64, N>, values: &[f64], b: [f64; N], spread: f64) {
    let a = compose(q, q, values);
    let rank = values.len();
    let inverse: Vec<f64> = values.iter().map(|s| 1.0 / s).collect();
    let expected = times(&compose(q, q, &inverse), &b);
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    // Rounding A and b to the precision under test moves x by cond · ε · |b| / least; elimination adds N times that.
    let tolerance = 8.0 * N as f64 * T::EPSILON.to_f64() * spread * norm(&b) / least;

    let (at, bt) = (rounded::<T, N, N>(&a), b.map(T::from_f64));
    let svd = Svd::new(&at);
    assert_eq!(svd.rank(), rank);
    let solutions =
        [Some(solve_semidefinite(&at, bt)), Some(svd.solve(bt)), Some(times_float(&svd.pseudo_inverse(), bt))];
    let direct = [eliminate(&at, bt), Lu::new(&at).map(|f| f.solve(bt))];
    for x in direct {
        assert_eq!(x.is_some(), rank == N, "full rank is solved, less is refused");
    }
    // Without pivots the rank is not to be had; but what is regular must be solved.
    let definite = Ldlt::new(&at).filter(|_| rank == N).map(|f| f.solve(bt));
    assert_eq!(definite.is_some(), rank == N);
    for x in solutions.into_iter().chain(direct).chain([definite]).flatten() {
        let error = difference(&x.map(T::to_f64), &expected);
        assert!(error <= tolerance, "error {error}, allowed {tolerance}");
    }

    let (found, vectors) = symmetric_eigen(at);
    for k in 0..N {
        let v = vectors[k].map(T::to_f64);
        let (av, lv) = (times(&a, &v), v.map(|x| x * found[k].to_f64()));
        let largest = values.iter().copied().fold(0.0, f64::max);
        assert!(difference(&av, &lv) <= 16.0 * N as f64 * T::EPSILON.to_f64() * largest);
        assert!((norm(&v) - 1.0).abs() < 16.0 * T::EPSILON.to_f64());
        assert!(k == 0 || found[k - 1] <= found[k]);
    }
}

fn times_float<T: Float, const M: usize, const N: usize>(a: &Matrix<T, M, N>, x: [T; N]) -> [T; M] {
    a.map(|row| (0..N).fold(T::ZERO, |sum, j| sum + row[j] * x[j]))
}

/// The four conditions of Penrose say that X is the pseudo-inverse of A: A X A = A, X A X = X, A X and X A symmetric.
fn check_penrose<T: Float, const M: usize, const N: usize>(a: &Matrix<f64, M, N>, rank: usize, spread: f64) {
    let svd = Svd::new(&rounded::<T, M, N>(a));
    assert_eq!(svd.rank(), rank);
    let x: Matrix<f64, N, M> = svd.pseudo_inverse().map(|row| row.map(T::to_f64));
    let a: Matrix<f64, M, N> = rounded::<T, M, N>(a).map(|row| row.map(T::to_f64));
    let tolerance = 64.0 * T::EPSILON.to_f64() * spread * spread;
    let ax: Square<f64, M> = from_fn(|i| from_fn(|j| (0..N).map(|k| a[i][k] * x[k][j]).sum()));
    let xa: Square<f64, N> = from_fn(|i| from_fn(|j| (0..M).map(|k| x[i][k] * a[k][j]).sum()));
    for i in 0..M {
        for j in 0..M {
            assert!((ax[i][j] - ax[j][i]).abs() <= tolerance);
        }
        for j in 0..N {
            let axa: f64 = (0..N).map(|k| a[i][k] * xa[k][j]).sum();
            assert!((axa - a[i][j]).abs() <= tolerance * spread);
        }
    }
    for i in 0..N {
        for j in 0..N {
            assert!((xa[i][j] - xa[j][i]).abs() <= tolerance);
        }
        for j in 0..M {
            let xax: f64 = (0..N).map(|k| xa[i][k] * x[k][j]).sum();
            assert!((xax - x[i][j]).abs() <= tolerance * spread);
        }
    }
}

/// A change of unit by a power of two must change no digit of any answer: there are no absolute thresholds.
fn check_scales<const N: usize>(a: &Square<Real, N>, b: [Real; N]) {
    let (full, shared, eigen) = (Lu::new(a), solve_semidefinite(a, b), symmetric_eigen(*a));
    let rank = Svd::new(a).rank();
    for exponent in [-60, -30, 30, 60] {
        let unit = Real::from_f64(2.0_f64.powi(exponent));
        let scaled = a.map(|row| row.map(|x| x * unit));
        assert_eq!(Svd::new(&scaled).rank(), rank);
        assert_eq!(solve_semidefinite(&scaled, b).map(|x| x * unit), shared);
        assert_eq!(Lu::new(&scaled).map(|f| f.solve(b).map(|x| x * unit)), full.map(|f| f.solve(b)));
        let (values, vectors) = symmetric_eigen(scaled);
        assert_eq!(vectors, eigen.1);
        for k in 0..N {
            // What is rounding error of a zero may be so small that the unit makes it denormal.
            assert!((values[k] / unit - eigen.0[k]).abs() <= Real::MIN_POSITIVE / unit);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn semidefinite_of_every_rank(
        random3 in square::<3>(), random6 in square::<6>(),
        values in prop::array::uniform6(0.1..10.0f64), b in prop::array::uniform6(-10.0..10.0f64),
        rank3 in 1..=3_usize, rank6 in 1..=6_usize,
    ) {
        prop_assume!(orthogonal(random3).is_some() && orthogonal(random6).is_some());
        let (Some(q3), Some(q6)) = (orthogonal(random3), orthogonal(random6)) else { unreachable!() };
        check_semidefinite::<f32, 3>(&q3, &values[..rank3], from_fn(|i| b[i]), 100.0);
        check_semidefinite::<f64, 3>(&q3, &values[..rank3], from_fn(|i| b[i]), 100.0);
        check_semidefinite::<f32, 6>(&q6, &values[..rank6], b, 100.0);
        check_semidefinite::<f64, 6>(&q6, &values[..rank6], b, 100.0);
        check_scales(&rounded(&compose(&q3, &q3, &values[..rank3])), from_fn(|i| b[i] as Real));
        check_scales(&rounded(&compose(&q6, &q6, &values[..rank6])), b.map(|x| x as Real));
    }

    #[test]
    fn rectangular_of_every_rank(
        random3 in square::<3>(), random6 in square::<6>(), values in prop::array::uniform3(0.1..10.0f64), rank in 1..=3_usize,
    ) {
        prop_assume!(orthogonal(random3).is_some() && orthogonal(random6).is_some());
        let (Some(u), Some(v)) = (orthogonal(random3), orthogonal(random6)) else { unreachable!() };
        check_penrose::<f32, 3, 6>(&compose(&u, &v, &values[..rank]), rank, 100.0);
        check_penrose::<f64, 3, 6>(&compose(&u, &v, &values[..rank]), rank, 100.0);
        check_penrose::<f32, 6, 3>(&compose(&v, &u, &values[..rank]), rank, 100.0);
        check_penrose::<f64, 6, 3>(&compose(&v, &u, &values[..rank]), rank, 100.0);
    }

    /// Rows and columns in units that differ by up to 2²⁰ each: what is regular stays regular, and the answer the same.
    #[test]
    fn lu_of_mixed_units(
        random in square::<6>(), values in prop::array::uniform6(0.1..10.0f64), b in prop::array::uniform6(-1.0..1.0f64),
        rows in prop::array::uniform6(-10..10_i32), columns in prop::array::uniform6(-10..10_i32),
    ) {
        prop_assume!(orthogonal(random).is_some());
        let Some(q) = orthogonal(random) else { unreachable!() };
        let a: Square<Real, 6> = rounded(&compose(&q, &q, &values));
        let unit = |exponent: i32| 2.0_f64.powi(exponent) as Real;
        let mixed: Square<Real, 6> = from_fn(|i| from_fn(|j| a[i][j] * unit(rows[i]) * unit(columns[j])));
        let lu = Lu::new(&mixed).expect("regular");
        let x = lu.solve(from_fn(|i| b[i] as Real * unit(rows[i])));
        let x: [f64; 6] = from_fn(|i| (x[i] * unit(columns[i])).to_f64());
        let a = a.map(|row| row.map(Real::to_f64));
        let left = times(&a, &x);
        let (r, c): ([f64; 6], [f64; 6]) = (
            from_fn(|i| (lu.row_scale[i] / unit(rows[i])).to_f64()),
            from_fn(|j| (lu.column_scale[j] / unit(columns[j])).to_f64()),
        );
        // The residual of elimination, row by row: 3 N ε |L| |U| |C x| in the scales R and C that were found, in which no entry is above 4. With the largest of all for pivots
        // none of L is above 1, and none of U above 4 · 8.4 for N = 6 (Wilkinson 1961).
        let most = 3.0 * 6.0 * Real::EPSILON.to_f64() * 6.0 * 4.0 * 8.4;
        let scaled: f64 = (0..6).map(|j| c[j] * x[j].abs()).sum();
        for i in 0..6 {
            let largest = (0..6).map(|j| (a[i][j] / r[i] / c[j]).abs()).fold(0.0, f64::max);
            prop_assert!((0.25..4.0).contains(&largest), "row {} is scaled to {}", i, largest);
            let off = left[i] - b[i];
            prop_assert!(off.abs() <= most * r[i] * scaled, "row {} is off by {}", i, off);
        }
    }

    /// With weights in the units of the unknowns, a change of those units changes nothing else.
    #[test]
    fn weights_make_units_vanish(
        random in square::<6>(), values in prop::array::uniform6(0.1..10.0f64), b in prop::array::uniform6(-1.0..1.0f64),
        rank in 1..=6_usize, exponents in prop::array::uniform6(-20..20_i32),
    ) {
        prop_assume!(orthogonal(random).is_some());
        let Some(q) = orthogonal(random) else { unreachable!() };
        let a: Square<Real, 6> = rounded(&compose(&q, &q, &values[..rank]));
        let unit: [Real; 6] = exponents.map(|e| 2.0_f64.powi(e) as Real);
        let b: [Real; 6] = b.map(|x| x as Real);
        let plain = Svd::of_semidefinite(&a, [1.0; 6]);
        prop_assert_eq!(plain.solve(b), Svd::new(&a).solve(b));
        let scaled = Svd::of_semidefinite(&from_fn(|i| from_fn(|j| a[i][j] * unit[i] * unit[j])), unit);
        prop_assert_eq!(scaled.rank(), rank);
        let x = scaled.solve(from_fn(|i| b[i] * unit[i]));
        let (x, y): ([Real; 6], _) = (from_fn(|i| x[i] * unit[i]), plain.solve(b));
        // Equal but for the right-hand side, whose own scaling by its largest entry is not a power of two: a few roundings of
        // |b| <= 2.5 times the inverse of the least singular value.
        for i in 0..6 {
            prop_assert!((x[i] - y[i]).abs() <= 16.0 * Real::EPSILON * 2.5 / 0.1);
        }
    }

    /// In lanes, as alone: the same bits; zeros for unknowns without an equation, whole lanes among them, and for the others
    /// what they are without those.
    #[test]
    fn lanes_skip_what_is_not_there(
        random in prop::collection::vec(square::<6>(), LANES), present in prop::collection::vec(0..64_u32, LANES),
        b in prop::array::uniform6(-1.0..1.0f64),
    ) {
        let mut a = [[[0.0; LANES]; 6]; 6];
        let mut right = [[0.0; LANES]; 6];
        let mut expected = [[0.0; 6]; LANES];
        for lane in 0..LANES {
            let Some(q) = orthogonal(random[lane]) else { return Ok(()) };
            let exact = compose(&q, &q, &[1.0, 2.0, 3.0, 1.5, 2.5, 0.5]);
            let here = |i: usize| present[lane] >> i & 1 != 0;
            let mut regular = [[0.0; 6]; 6];
            for i in 0..6 {
                right[i][lane] = if here(i) { b[i] as Real } else { 0.0 };
                regular[i][i] = 1.0;
                for j in (0..6).filter(|&j| here(i) && here(j)) {
                    a[i][j][lane] = exact[i][j] as Real;
                    regular[i][j] = exact[i][j];
                }
            }
            expected[lane] = Lu::new(&regular).expect("regular").solve(from_fn(|i| right[i][lane].to_f64()));
        }
        let kernel = Skipping { a: &a, b: &right };
        let scalar = kernel.clone().run::<Real>();
        for isa in Isa::available() {
            prop_assert_eq!(isa.dispatch(kernel.clone()), scalar);
        }
        for lane in 0..LANES {
            for i in 0..6 {
                // The condition number is 6 and the answers at most 2 |b|: this is some 10 roundings per operation.
                prop_assert!((scalar[i][lane].to_f64() - expected[lane][i]).abs() < 1e3 * Real::EPSILON.to_f64());
                prop_assert!(present[lane] >> i & 1 != 0 || scalar[i][lane] == 0.0);
            }
        }
    }
}

#[derive(Clone)]
struct Skipping<'a> {
    a: &'a [[[Real; LANES]; 6]; 6],
    b: &'a [[Real; LANES]; 6],
}

impl Kernel for Skipping<'_> {
    type Output = [[Real; LANES]; 6];

    #[inline(always)]
    fn run<L: Lane>(self) -> Self::Output {
        let mut solution = [[0.0; LANES]; 6];
        for lane in (0..LANES).step_by(L::WIDTH) {
            let mut a = [[L::ZERO; 6]; 6];
            let mut b = [L::ZERO; 6];
            for i in 0..6 {
                b[i] = L::load(&self.b[i][lane..]);
                for j in 0..6 {
                    a[i][j] = L::load(&self.a[i][j][lane..]);
                }
            }
            let x = Ldlt::skipping(a).solve(b);
            for i in 0..6 {
                x[i].store(&mut solution[i][lane..]);
            }
        }
        solution
    }
}

/// Nothing that is finite, however large, small or singular, gives something that is not, unless the answer itself overflows.
#[test]
fn extremes_stay_finite() {
    let sizes = [0.0, 1e-38, 1e-30, 1.0, 1e30, 1e38].map(|x| x as Real);
    for size in sizes {
        for pattern in [[1.0, 1.0, 1.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [1.0, 1e-5, 1e-10]] {
            let diagonal = Sym3::diagonal(Vec3::from(pattern.map(|x| x as Real * size)));
            let full = Sym3 { xy: diagonal.xx / 2.0, yy: diagonal.xx / 4.0, ..diagonal };
            for s in [diagonal, full] {
                let x = s.solve_semidefinite(Vec3::all(size));
                assert!(x.is_finite(), "{s:?} gives {x:?}");
                let (values, vectors) = s.eigen();
                assert!(values.is_finite() && vectors.is_finite());
                assert!(Svd::new(&s.to_rows()).values().iter().all(|v| v.is_finite()));
            }
        }
    }
    for bad in [Real::NAN, Real::INFINITY] {
        let a = [[1.0, bad, 0.0], [bad, 1.0, 0.0], [0.0, 0.0, 1.0]];
        assert_eq!(Svd::new(&a).rank(), 0);
        assert_eq!(solve_semidefinite(&a, [1.0; 3]), [0.0; 3]);
        assert!(Lu::new(&a).is_none());
        assert!(Ldlt::new(&a).is_none());
    }
}

/// The threshold lies where it is documented: a pivot is kept above 4 n ε of its entry and dropped below.
#[test]
fn threshold_of_rank() {
    let edge: f64 = rank_tolerance(2);
    assert!(Ldlt::new(&[[1.0, 0.0], [0.0, edge]]).is_some(), "a small diagonal entry is a matter of units");
    assert_eq!(Svd::new(&[[1.0, 0.0], [0.0, 2.0 * edge]]).rank(), 2);
    assert_eq!(Svd::new(&[[1.0, 0.0], [0.0, 0.5 * edge]]).rank(), 1);
    assert!(Ldlt::new(&[[1.0, 1.0], [1.0, 1.0 + 2.0 * edge]]).is_some());
    assert!(Ldlt::new(&[[1.0, 1.0], [1.0, 1.0 + 0.5 * edge]]).is_none());
    assert!(Ldlt::new(&[[1.0, 2.0], [2.0, 1.0]]).is_none(), "indefinite");
}
