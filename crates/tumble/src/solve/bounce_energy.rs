//! Bounces give back no more than there was.
//!
//! Newton's law asks every row that was struck for -e J u*, by itself. Among such rows nothing is won: impulses λ change the energy by
//!
//! ```text
//!   T - T* = ½ λᵀ J (u + u*) = ½ Σ (1 - e) λ J u* <= 0
//! ```
//!
//! But a blow also throws bodies onto what they were just leaving, J u* > 0, and that only stops them: J u = 0, and ½ λ J u* is won. So is
//! what friction turns into speed along a normal (Kane and Levinson, "Dynamics" (1985)), and what sweeps have left undone. A tree whose limits bounce all the
//! time, or a heap of balls, lives on such gains. Between the velocities u₀ before the bounces and those that Newton asks for, the mix is
//! taken that has no more energy than u* had, or than u₀ where that has more:
//!
//! ```text
//!   u = u₀ + s (u₁ - u₀),    λ = λ₀ + s (λ₁ - λ₀),    the largest s in [0, 1] with
//!   E(s) = Σ λ (½ J (u + u*) - d) <= max(E(0), 0)
//! ```
//!
//! with d the rate to which a row drives: of a motor, of a belt, of overlap that is pushed out, as far as ½ J (u₀ + u*) has come to it. What contacts ask of both they have of the mix, friction
//! stays in its cone, and as impulses act between bodies, momentum is what it was. Each group of bodies that impulses tie together has its own s.

use super::system::{Limit, System, SystemRow};
use crate::body::store::Velocity;
use crate::math::{Float, Num, Real, UnionFind, Vec3};

/// A row before it is asked to bounce.
#[derive(Clone, Copy, Debug)]
struct Start {
    /// λ₀
    impulse: Real,
    /// d
    drive: Real,
    /// The party that stands for the group.
    group: u32,
}

/// Memory for what is above, kept between steps.
#[derive(Clone, Debug, Default)]
pub(crate) struct BounceEnergy {
    starts: Vec<Start>,
    groups: UnionFind,
    /// E(s) of the group that a party stands for, by powers of s.
    energies: Vec<[f64; 3]>,
}

impl BounceEnergy {
    /// Notes the impulses before the bounces, and what the rows drive to by themselves. One pass over the rows.
    pub fn note(&mut self, system: &System) {
        self.starts.clear();
        self.starts.extend(system.rows.iter().map(|row| {
            // A gap that may be closed drives nothing.
            let push = matches!(row.limit, Limit::Between(low, _) if low == 0.0);
            let drive = if push { Num::max(row.target, 0.0) } else { row.target };
            Start { impulse: row.impulse, drive, group: 0 }
        }));
    }

    /// Takes back of the bounces what has been won by them; `rates` are J u₀. One pass over the rows where none has won anything, else four.
    pub fn take_back(&mut self, system: &mut System, rates: &[Real], u: &mut [Velocity]) {
        let Self { starts, groups, energies } = self;
        let mut won = false;
        for (((row, demand), start), &rate) in system.rows.iter().zip(&system.demands).zip(&*starts).zip(rates) {
            let free = demand.free_rate;
            won |= row.impulse * (0.5 * (row.velocity(u) + free) - start.driven(rate, free)) > 0.0;
        }
        if !won {
            return;
        }
        groups.reset(u.len());
        for (row, _) in system.rows.iter().zip(&*starts).filter(|(row, start)| start.acts(row)) {
            let mut parties = moved(system, row);
            if let Some(first) = parties.next() {
                parties.for_each(|party| groups.join(first, party));
            }
        }
        energies.clear();
        energies.resize(u.len(), [0.0; 3]);
        for (k, start) in starts.iter_mut().enumerate() {
            let row = &system.rows[k];
            let Some(party) = moved(system, row).next().filter(|_| start.acts(row)) else { continue };
            start.group = groups.find(party);
            let (rate, old) = (rates[k].to_f64(), start.impulse.to_f64());
            let (more, faster) = (row.impulse.to_f64() - old, row.velocity(u).to_f64() - rate);
            let free = system.demands[k].free_rate;
            let mean = 0.5 * (rate + free.to_f64()) - start.driven(rates[k], free).to_f64();
            let energy = &mut energies[start.group as usize];
            energy[0] += old * mean;
            energy[1] += more * mean + 0.5 * old * faster;
            energy[2] += 0.5 * more * faster;
        }
        for (k, start) in starts.iter().enumerate() {
            let row = &system.rows[k];
            let back = (1.0 - share(&energies[start.group as usize])) * (row.impulse - start.impulse).to_f64();
            if back != 0.0 {
                let back = Real::from_f64(back);
                row.apply(-back, u, &system.spread);
                system.rows[k].impulse -= back;
            }
        }
    }
}

impl Start {
    /// d, but no more than the row has come to on the way to it: a motor at the end of its force has not won what it was set to.
    fn driven(&self, rate: Real, free: Real) -> Real {
        let mean = 0.5 * (rate + free);
        Num::max(Num::min(self.drive, Num::max(mean, 0.0)), Num::min(mean, 0.0))
    }

    /// The row has an impulse, or had one.
    fn acts(&self, row: &SystemRow) -> bool {
        row.impulse != 0.0 || self.impulse != 0.0
    }
}

/// The largest s in [0, 1] with E(s) = a + b s + c s² <= max(a, 0), c not being negative.
pub(super) fn share(&[a, b, c]: &[f64; 3]) -> f64 {
    if !(a + b + c > Num::max(a, 0.0)) {
        return 1.0;
    }
    // From s = 0, where there is nothing to take back, down to the larger root of c s² + b s = spare.
    let spare = Num::max(-a, 0.0);
    let root = Num::sqrt(Num::max(b * b + 4.0 * c * spare, 0.0));
    let s = if b > 0.0 { 2.0 * spare / (b + root) } else { (root - b) / (2.0 * c) };
    if s.is_finite() { s.clamp(0.0, 1.0) } else { 0.0 }
}

/// All that an impulse of the row moves; of a row on trees, its own ends twice.
fn moved<'a>(system: &'a System, row: &'a SystemRow) -> impl Iterator<Item = u32> + 'a {
    let r = &row.response;
    let halves = [(r.linear_a, r.angular_a), (r.linear_b, r.angular_b)];
    let ends = row.bodies.into_iter().zip(halves).filter(|(_, half)| *half != (Vec3::ZERO, Vec3::ZERO));
    system.spread_of(row).iter().map(|s| s.party).chain(ends.map(|(party, _)| party))
}

#[cfg(test)]
mod tests {
    use super::share;
    use proptest::prelude::*;

    proptest! {
        /// With the share nothing is won, and with a little more of it there would be.
        #[test]
        fn share_is_the_largest_that_wins_nothing(a in -3.0..3.0_f64, b in -3.0..3.0_f64, c in 0.0..3.0_f64) {
            let s = share(&[a, b, c]);
            let most = if a > 0.0 { a } else { 0.0 };
            let energy = |s: f64| a + b * s + c * s * s;
            prop_assert!((0.0..=1.0).contains(&s));
            prop_assert!(energy(s) <= most + 1e-12);
            prop_assert!(s == 1.0 || energy(s + 1e-6) > most || (energy(s + 1e-6) - most).abs() < 1e-12);
        }
    }
}
