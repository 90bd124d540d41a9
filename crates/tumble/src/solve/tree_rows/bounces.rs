//! Rows that bounce: the last word of a sub-step.

use super::{End, TreeRows};
use crate::solve::bounce_energy::share;
use crate::solve::motion::{Free, Mass, Motion};
use core::ops::Range;

/// A limit that bounces, of a degree of freedom or of a joint on a link.
#[derive(Clone, Copy, Debug)]
struct Bounce {
    row: u32,
    restitution: f64,
    /// Its rate at the start of the sub-step, with the kick of the sub-step, and before it bounces.
    approach: f64,
    kicked: f64,
    stopped: f64,
}

/// All of them.
#[derive(Clone, Debug, Default)]
pub(super) struct Bounces {
    all: Vec<Bounce>,
}

impl Bounces {
    pub fn clear(&mut self) {
        self.all.clear();
    }

    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// The rows that bounce.
    pub fn rows(&self) -> impl Iterator<Item = u32> + '_ {
        self.all.iter().map(|bounce| bounce.row)
    }

    /// Takes note of a row that is about to be added, if it bounces.
    pub fn add(&mut self, row: usize, restitution: f64) {
        if restitution > 0.0 {
            self.all.push(Bounce { row: row as u32, restitution, approach: 0.0, kicked: 0.0, stopped: 0.0 });
        }
    }
}

impl TreeRows {
    /// Notes how fast the limits of a tree are approached.
    pub(super) fn approach_limits(&mut self, tree: usize, motions: &[Motion]) {
        for i in self.spans[tree].limits.clone() {
            let row = &self.rows.all[self.bounces.all[i].row as usize];
            self.bounces.all[i].approach = self.rows.rate(row, motions);
        }
    }

    /// Notes what the kick has made of that.
    pub fn kick_limits(&mut self, of: Range<usize>, motions: &[Motion]) {
        if self.bounces.all.is_empty() {
            return;
        }
        for tree in of {
            for i in self.spans[tree].limits.clone() {
                let row = &self.rows.all[self.bounces.all[i].row as usize];
                self.bounces.all[i].kicked = self.rows.rate(row, motions);
            }
        }
    }

    /// Limits of a tree that have been hit fast enough bounce: what has stopped them acts once more, e times as strong (Poisson).
    ///
    /// A limit by itself leaves with e times the speed that it came with. Several of one tree that are hit at once stop each other, and
    /// of speeds that each came with by itself would be made more energy than there was. Impulses that have stopped all of them have taken out
    /// λᵀ K λ/2, and give e² of it back where all have the same e and nothing but them was pushed. Otherwise they might give more than was
    /// taken, and act by a share s of e:
    ///
    /// ```text
    ///   taken   -Σ ½ λ (Ċ* + Ċ₀)        given   Σ s e λ (Ċ₀ + ½ s (Ċ₁ - Ċ₀))
    /// ```
    ///
    /// with Ċ* of a row after the kick, Ċ₀ before it bounces, and Ċ₁ where s = 1. What the others then miss is put right by the rows of the next sub-step.
    pub(super) fn bounce_limits(
        &mut self,
        tree: usize,
        threshold: f64,
        motions: &mut [Motion],
        free: &mut [Free],
        masses: &[Mass],
    ) {
        let which = self.spans[tree].limits.clone();
        let hit = |rows: &Self, i: usize| {
            let Bounce { row, restitution, approach, .. } = rows.bounces.all[i];
            let impulse = rows.rows.all[row as usize].impulse;
            (impulse > 0.0 && approach < -threshold).then_some((row as usize, impulse, restitution * impulse))
        };
        let mut energy = [0.0; 3];
        for i in which.clone() {
            let Some((row, impulse, back)) = hit(self, i) else { continue };
            let stopped = self.rows.rate(&self.rows.all[row], motions);
            energy[0] += 0.5 * impulse * (self.bounces.all[i].kicked + stopped);
            energy[1] += back * stopped;
            self.bounces.all[i].stopped = stopped;
        }
        for i in which.clone() {
            if let Some((row, _, back)) = hit(self, i) {
                self.rows.push(row, back, Some((&mut *motions, masses)));
            }
        }
        for i in which.clone() {
            if let Some((row, _, back)) = hit(self, i) {
                let faster = self.rows.rate(&self.rows.all[row], motions) - self.bounces.all[i].stopped;
                energy[2] += 0.5 * back * faster;
            }
        }
        let share = share(&energy);
        for i in which {
            if let Some((row, impulse, back)) = hit(self, i) {
                self.rows.all[row].impulse = impulse + back;
                self.strike(row, impulse + share * back, motions, free, masses);
            }
        }
    }

    /// Ends a sub-step with this impulse of a row.
    ///
    /// The impulse of a blow is over with it: the next sub-step starts without it, and for free bodies it counts to what they
    /// had without rows.
    fn strike(&mut self, r: usize, new: f64, motions: &mut [Motion], free: &mut [Free], masses: &[Mass]) {
        let row = self.rows.all[r];
        self.rows.push(r, new - row.impulse, Some((&mut *motions, masses)));
        for half in &row.halves {
            let End::Body(dense) = half.end else { continue };
            let (free, mass) = (&mut free[dense as usize], &masses[dense as usize]);
            let (dv, dw) = half.change(new, mass);
            for c in 0..3 {
                free[c] += dv[c];
                free[3 + c] += dw[c];
            }
        }
        self.rows.all[r].impulse = 0.0;
    }
}
