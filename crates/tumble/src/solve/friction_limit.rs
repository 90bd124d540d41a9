//! The limit surface of friction: which forces and torques across a contact area it can bear, and how it slides beyond.
//!
//! A manifold presses on a few points around its centre of pressure; their mean distance from it is the lever ℓ. Taken as
//! a thin ring of that radius that slides with speed v and twists with ω, every point of which obeys Coulomb's law, it
//! dissipates μ N P(v, ℓω), where P is the mean slip speed of its points:
//!
//! ```text
//!   P(v, w) = 1/2π ∫ √(v² + w² - 2 v w sin θ) dθ
//! ```
//!
//! That is the perimeter of an ellipse with semi-axes v + w and |v - w|, divided by 2π. With M and m the larger and the
//! smaller of v and w, and x = m/M, Ramanujan's first form of 1914, good to half a thousandth, makes it
//!
//! ```text
//!   P = M φ(x),   φ = 1 + 3x² / (10 + √(4 - 3x²))
//! ```
//!
//! P is the support function of the limit surface: sliding with (v, w), friction is its gradient, (f, τ/ℓ) = μ N ∇P (Goyal,
//! Ruina and Papadopoulos 1991). The gradient along the larger one is φ - x φ', along the smaller φ'. Against the ring it is good
//! to 3 %, at x = 1; the ellipsoid f² + (τ/ℓ)² = (μ N)² would be off by 11 % there, and by half for the smaller of two very
//! different motions.

use crate::math::{Lane, Real};

/// Of any slip, the least share of the ellipsoid that lies inside the limit surface: 2/π against 1/√2, with room for rounding.
pub(crate) const SURELY_INSIDE: Real = 0.9;

/// A point in the plane of force (across the normal) and twist (torque over lever), both not negative.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Load<L> {
    pub across: L,
    pub twist: L,
}

impl<L: Lane> Load<L> {
    #[inline(always)]
    pub fn dot(self, o: Self) -> L {
        self.across * o.across + self.twist * o.twist
    }
}

/// Friction of a unit μ N against slip in this direction, of any length.
#[inline(always)]
pub(crate) fn resistance<L: Lane>(slip: Load<L>) -> Load<L> {
    let large = slip.across.max(slip.twist);
    let small = slip.across.min(slip.twist);
    let x = small / large.max(L::splat(Real::MIN_POSITIVE));
    let xx = x * x;
    let r = (L::splat(4.0) - L::splat(3.0) * xx).sqrt();
    let d = L::splat(10.0) + r;
    let slope = x * (L::splat(6.0) * d + L::splat(9.0) * xx / r) / (d * d);
    let level = L::ONE + L::splat(3.0) * xx / d - x * slope;
    let across = slip.across.greater_eq(slip.twist);
    Load { across: L::select(across, level, slope), twist: L::select(across, slope, level) }
}

/// The point of the limit surface of size `limit` that is nearest to `load`, and whether `load` is inside.
///
/// At the nearest point c the normal n is along load - c. A ball would have c along the load; one step of
/// n ← load - (c(n) - n) from there gives the normal, and the load comes down along it to the plane that touches the
/// surface: off by the square of what is still wrong with n, at most 2.4 % of the limit.
#[inline(always)]
pub(crate) fn nearest<L: Lane>(load: Load<L>, limit: L) -> (Load<L>, L::Mask) {
    let tiny = L::splat(Real::MIN_POSITIVE);
    let length = load.dot(load).sqrt().max(tiny);
    let c = resistance(load);
    let n = Load {
        across: (load.across - limit * (c.across - load.across / length)).max(L::ZERO),
        twist: (load.twist - limit * (c.twist - load.twist / length)).max(L::ZERO),
    };
    let c = resistance(n);
    let beyond = load.dot(n) - limit * c.dot(n);
    let back = beyond / n.dot(n).max(tiny);
    (Load { across: load.across - back * n.across, twist: load.twist - back * n.twist }, beyond.less_eq(L::ZERO))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Float;

    /// Coulomb's law summed over the points of a ring.
    fn ring(v: f64, w: f64) -> (f64, f64) {
        let n = 100_000;
        let (mut f, mut t) = (0.0, 0.0);
        for k in 0..n {
            let angle = (f64::from(k) + 0.5) / f64::from(n) * 2.0 * f64::PI;
            let (sin, cos) = (Float::sin(angle), Float::cos(angle));
            let (x, y) = (v - w * sin, w * cos);
            let size = (x * x + y * y).sqrt();
            f += x / size;
            t += (y * cos - x * sin) / size;
        }
        (f / f64::from(n), t / f64::from(n))
    }

    /// The closed form is that of the ring: within 3 % of the whole, and for small shares of either motion within 1 % of its own.
    #[test]
    fn resistance_is_that_of_a_ring() {
        for i in 0..=40 {
            let angle = f64::from(i) / 40.0 * f64::PI / 2.0;
            let (v, w) = (Float::cos(angle), Float::sin(angle));
            let (f, t) = ring(v, w);
            let r = resistance(Load { across: v as Real, twist: w as Real });
            let (a, b) = (r.across.to_f64(), r.twist.to_f64());
            assert!((a - f).abs() < 0.03 && (b - t).abs() < 0.03, "{angle}: {a} {b} against {f} {t}");
            assert!(a * a + b * b < 1.0 + 1e-6, "{angle}: longer than the limit");
            if !(15..=25).contains(&i) {
                assert!((a - f).abs() < 0.012 && (b - t).abs() < 0.012, "{angle}: {a} {b} against {f} {t}");
            }
        }
    }

    /// What is pushed out of the surface along its normal finds back; what is inside is told to be, and nothing that is surely
    /// inside is called outside.
    #[test]
    fn nearest_points_are_nearest() {
        for i in 0..=20 {
            let angle = f64::from(i) / 20.0 * f64::PI / 2.0;
            let n = Load { across: Float::cos(angle) as Real, twist: Float::sin(angle) as Real };
            let c = resistance(n);
            for (distance, limit) in [(0.01, 1.0), (0.1, 2.0), (1.0, 0.5), (30.0, 1e-3)] {
                let out = Load {
                    across: limit * c.across + distance * n.across,
                    twist: limit * c.twist + distance * n.twist,
                };
                let (found, inside) = nearest(out, limit);
                let off = Real::hypot(found.across - limit * c.across, found.twist - limit * c.twist);
                assert!(!inside && off < 0.025 * limit, "{angle}, {distance}: off by {off} of {limit}");
                let inner = Load { across: limit * c.across * 0.97, twist: limit * c.twist * 0.97 };
                assert!(nearest(inner, limit).1, "{angle}: {limit}");
            }
            let sure = Load { across: n.across * SURELY_INSIDE, twist: n.twist * SURELY_INSIDE };
            assert!(nearest(sure, 1.0).1, "{angle}");
        }
    }
}
