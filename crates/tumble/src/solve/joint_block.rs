//! The rows of one joint as one dense system.
//!
//! With K = J M⁻¹ Jᵀ, the compliance Γ of soft rows and the impulses λ so far, the change Δ of the impulses makes the velocities
//! of all rows right at once:
//!
//! ```text
//!   (K + Γ) Δ = -(J u + bias - target + Γ λ),     lo <= λ + Δ <= hi
//! ```
//!
//! Solved row by row, a hinge that carries a long arm takes many passes until its five rows agree; solved together they agree at once.
//! Rows whose impulse would leave its bounds are set to the bound, and the others are solved again: limits, motors with a greatest
//! force and friction need one or two rounds.

use crate::math::{Num, Real};

/// A row as the dense system sees it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Demand {
    /// Which row of the joint it is.
    pub row: usize,
    /// J u + bias - target + Γ λ
    pub rhs: Real,
    /// Γ
    pub compliance: Real,
    /// λ
    pub impulse: Real,
    pub low: Real,
    pub high: Real,
}

/// Entry (i, j) of K, packed as the lower triangle by rows.
pub(crate) fn entry(i: usize, j: usize) -> usize {
    let (i, j) = if i >= j { (i, j) } else { (j, i) };
    i * (i + 1) / 2 + j
}

/// A pivot below this share of its diagonal entry is rounding error: a redundant row, which is left out (003-63).
const REDUNDANT: Real = 64.0 * Real::EPSILON;

/// Changes of the impulses of all demands; what is left out changes by nothing. N is at least their number.
pub(crate) fn solve<const N: usize>(k: &[Real], demands: &[Demand], out: &mut [Real]) {
    let count = demands.len();
    let mut rhs = [0.0; N];
    let mut free = [0; N];
    let mut left = count;
    for (i, demand) in demands.iter().enumerate() {
        rhs[i] = -demand.rhs;
        free[i] = i;
        out[i] = 0.0;
    }
    while left > 0 {
        eliminate::<N>(k, demands, &free[..left], &rhs, out);
        let mut kept = 0;
        for at in 0..left {
            let i = free[at];
            let d = &demands[i];
            let new = d.impulse + out[i];
            let bound = if new < d.low {
                d.low
            } else if new > d.high {
                d.high
            } else {
                free[kept] = i;
                kept += 1;
                continue;
            };
            // Set to its bound for good; the others feel it.
            out[i] = bound - d.impulse;
            for (j, other) in demands.iter().enumerate() {
                rhs[j] -= k[entry(d.row, other.row)] * out[i];
            }
        }
        if kept == left {
            return;
        }
        left = kept;
    }
}

/// x with (K + Γ) x = rhs for the demands of a list, by L D Lᵀ without pivoting.
#[inline]
fn eliminate<const N: usize>(k: &[Real], demands: &[Demand], list: &[usize], rhs: &[Real; N], x: &mut [Real]) {
    let mut l = [[0.0; N]; N];
    let mut inverse = [0.0; N];
    let mut y = [0.0; N];
    for (a, &i) in list.iter().enumerate() {
        let row = demands[i].row;
        let mut value = rhs[i];
        for (b, &j) in list[..a].iter().enumerate() {
            // Holds l_ab d_b until the row is complete.
            let mut v = k[entry(row, demands[j].row)];
            for c in 0..b {
                v -= l[a][c] * l[b][c];
            }
            l[a][b] = v;
        }
        let full = k[entry(row, row)] + demands[i].compliance;
        let mut d = full;
        for b in 0..a {
            let scaled = l[a][b];
            l[a][b] = scaled * inverse[b];
            d -= scaled * l[a][b];
            value -= l[a][b] * y[b];
        }
        inverse[a] = if d > full * REDUNDANT { 1.0 / d } else { 0.0 };
        y[a] = value;
    }
    for a in 0..list.len() {
        y[a] *= inverse[a];
    }
    for a in (0..list.len()).rev() {
        let mut v = y[a];
        for b in a + 1..list.len() {
            v -= l[b][a] * y[b];
        }
        // A redundant row gets nothing, and hands nothing on.
        y[a] = if inverse[a] > 0.0 { v } else { 0.0 };
        x[list[a]] = y[a];
    }
}

/// The response of one row to its own impulse while the rows of a list hold: K_ii - k Kₕ⁻¹ kᵀ.
pub(crate) fn response_given<const N: usize>(k: &[Real], row: usize, held: &[usize]) -> Real {
    let mut rhs = [0.0; N];
    let mut demands = [Demand::default(); N];
    let mut list = [0; N];
    let mut x = [0.0; N];
    for (a, &h) in held.iter().enumerate() {
        demands[a].row = h;
        rhs[a] = k[entry(row, h)];
        list[a] = a;
    }
    eliminate::<N>(k, &demands, &list[..held.len()], &rhs, &mut x);
    let mut left = k[entry(row, row)];
    for (a, &h) in held.iter().enumerate() {
        left -= k[entry(row, h)] * x[a];
    }
    Num::max(left, k[entry(row, row)] * REDUNDANT)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pack(k: &[&[Real]]) -> Vec<Real> {
        (0..k.len()).flat_map(|i| k[i][..=i].to_vec()).collect()
    }

    fn demand(row: usize, rhs: Real) -> Demand {
        Demand { row, rhs, low: -Real::MAX, high: Real::MAX, ..Demand::default() }
    }

    /// The solution makes all right sides zero, redundant rows or not.
    #[test]
    fn solves_what_can_be_solved() {
        let k = pack(&[&[4.0, 1.0, 4.0], &[1.0, 3.0, 1.0], &[4.0, 1.0, 4.0]]);
        let demands = [demand(0, 2.0), demand(1, -1.0), demand(2, 2.0)];
        let mut x = [0.0; 3];
        solve::<3>(&k, &demands, &mut x);
        for d in &demands {
            let sum: Real = (0..3).map(|j| k[entry(d.row, j)] * x[j]).sum();
            assert!((sum + d.rhs).abs() < 1e-5, "{sum} {}", d.rhs);
        }
        assert!(x.iter().all(|v| v.abs() < 2.0), "a redundant row must not grow: {x:?}");
    }

    /// A row at its bound stays there, and the others are right given that.
    #[test]
    fn bounds_hold_and_the_rest_is_solved() {
        let k = pack(&[&[4.0, 1.0], &[1.0, 3.0]]);
        let mut demands = [demand(0, 2.0), demand(1, 5.0)];
        (demands[1].low, demands[1].impulse) = (0.0, 0.5);
        let mut x = [0.0; 2];
        solve::<3>(&k, &demands, &mut x);
        assert_eq!(x[1], -0.5);
        assert!((4.0 * x[0] + x[1] + 2.0).abs() < 1e-6);
    }

    /// A door on a hinge at its edge: what turns is the inertia about the hinge, m l²/3, not about the centre, m l²/12.
    #[test]
    fn response_counts_what_is_held() {
        // m = 1, l = 1, r = 1/2 along x; rows: hold along y at the edge, turn about z.
        let (inv_i, r) = (12.0, 0.5);
        let k = pack(&[&[1.0 + r * r * inv_i, -r * inv_i], &[-r * inv_i, inv_i]]);
        let response = response_given::<3>(&k, 1, &[0]);
        assert!((response - 3.0).abs() < 1e-4, "{response}");
    }
}
