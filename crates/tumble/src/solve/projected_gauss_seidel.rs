//! Projected Gauss-Seidel for the mixed LCP of [`System`] (003-88).
//!
//! One sweep takes the rows one after the other. Each makes its own w zero, as the others stand, as far as its bounds allow:
//!
//! ```text
//!   λₖ ← clamp(λₖ - wₖ / Aₖₖ, loₖ, hiₖ),    wₖ = Jₖ u + γₖ λₖ - dₖ
//!   u  ← u + M⁻¹ Jₖᵀ Δλₖ
//! ```
//!
//! Because u is kept up to date, wₖ costs two dot products instead of a row of A. Bounds that follow other impulses are taken as they
//! are at that moment. Rows in a cone are taken together: first what would stop all slip, -A⁻¹ w, and where that is more than
//! friction reaches, a step against the slip, projected onto the cone.
//!
//! Every second sweep runs backwards: what the last row learned reaches the first in one sweep.
//!
//! Convergence is linear, and slower the longer the chains of contacts and the larger the ratios of mass are; but the state
//! after any number of sweeps is usable, and impulses of the step before are a good start. Jourdan, Alart and Jean, "A
//! Gauss-Seidel like algorithm to solve frictional contact problems" (1998); Erleben, "Velocity-based shock propagation" (2007).

use super::system::{Limit, System};
use crate::body::store::{Velocity, limited};
use crate::math::{Num, Real, Vec3};

/// When the sweeps end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stop {
    /// At most so many sweeps.
    pub sweeps: u32,
    /// No row changed its rate by more than this in the last sweep.
    pub change: Real,
}

/// Solves the system from the impulses that it has; `u` are the velocities that go with them. Returns the number of sweeps, each
/// one pass over the rows.
pub(crate) fn solve(system: &mut System, u: &mut [Velocity], stop: &Stop) -> u32 {
    for sweep in 0..stop.sweeps {
        let mut change = 0.0;
        let (mut next, count) = (0, system.rows.len());
        while next < count {
            let k = if sweep % 2 == 0 { next } else { count - 1 - next };
            next += match system.rows[k].limit {
                Limit::Cone(cone) => {
                    let rows = system.cones[cone as usize].rows as usize;
                    // Backwards, a cone is met at its last row.
                    let first = if sweep % 2 == 0 { k } else { k + 1 - rows };
                    change = Num::max(change, solve_cone(system, cone as usize, first, u));
                    rows
                }
                limit => {
                    change = Num::max(change, solve_row(system, k, limit, u));
                    1
                }
            };
        }
        // A sweep with NaN in it is not better for being repeated.
        if !(change > stop.change) {
            return sweep + 1;
        }
    }
    stop.sweeps
}

/// One row; returns by how much its rate was changed.
#[inline(always)]
fn solve_row(system: &mut System, k: usize, limit: Limit, u: &mut [Velocity]) -> Real {
    let row = &system.rows[k];
    if row.inv_diagonal == 0.0 {
        return 0.0;
    }
    let (lo, hi) = match limit {
        Limit::Between(lo, hi) => (lo, hi),
        Limit::Friction { normal, coefficient } => {
            let most = coefficient * Num::max(system.rows[normal as usize].impulse, 0.0);
            (-most, most)
        }
        Limit::Cone(_) => return 0.0,
    };
    let w = row.velocity(u) + row.compliance * row.impulse - row.target;
    let new = Num::min(Num::max(row.impulse - w * row.inv_diagonal, lo), hi);
    let delta = new - row.impulse;
    if delta != 0.0 {
        row.apply(delta, u, &system.spread);
        system.rows[k].impulse = new;
    }
    Num::abs(delta) * system.rows[k].measure
}

/// The rows of a cone; returns by how much the rate of one of them was changed at most.
#[inline(always)]
fn solve_cone(system: &mut System, cone: usize, first: usize, u: &mut [Velocity]) -> Real {
    let cone = &system.cones[cone];
    let normal = system.pressing(cone.normals);
    let rows = &mut system.rows[first..first + cone.rows as usize];
    let (mut old, mut w) = (Vec3::ZERO, Vec3::ZERO);
    for (i, row) in rows.iter().enumerate() {
        old[i] = row.impulse;
        w[i] = row.velocity(u) - row.target;
    }
    let sticking = old - cone.mass * w;
    let reach = cone.static_friction * normal;
    let new = if sticking.length_squared() <= reach * reach {
        sticking
    } else {
        limited(old - w * cone.step, cone.dynamic_friction * normal)
    };
    let mut change = 0.0;
    for (i, row) in rows.iter_mut().enumerate() {
        let delta = new[i] - old[i];
        if row.inv_diagonal > 0.0 && delta != 0.0 {
            row.apply(delta, u, &system.spread);
            row.impulse = new[i];
            change = Num::max(change, Num::abs(delta) * row.measure);
        }
    }
    change
}

#[cfg(test)]
mod tests;
