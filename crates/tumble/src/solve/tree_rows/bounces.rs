//! Rows that bounce: the last word of a sub-step.

use super::{End, TreeRows};
use crate::math::Num;
use crate::solve::motion::{Free, Mass, Motion};

/// A limit that bounces, of a degree of freedom or of a joint on a link.
#[derive(Clone, Copy, Debug)]
struct Bounce {
    row: u32,
    restitution: f64,
    /// Its rate at the start of the sub-step.
    approach: f64,
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

    pub fn any(&self) -> bool {
        !self.all.is_empty()
    }

    /// Takes note of a row that is about to be added, if it bounces.
    pub fn add(&mut self, row: usize, restitution: f64) {
        if restitution > 0.0 {
            self.all.push(Bounce { row: row as u32, restitution, approach: 0.0 });
        }
    }
}

impl TreeRows {
    /// Notes how fast limits are approached.
    pub(super) fn approach_limits(&mut self, motions: &[Motion]) {
        for i in 0..self.bounces.all.len() {
            let row = &self.rows.all[self.bounces.all[i].row as usize];
            self.bounces.all[i].approach = self.rows.rate(row, motions);
        }
    }

    /// Limits that have been hit fast enough bounce: what has stopped them acts once more, e times as strong (Poisson).
    ///
    /// A limit by itself leaves with e times the speed that it came with. Several of one tree that are hit at once stop each other, and
    /// of speeds that each came with by itself would be made more energy than there was. Impulses that have stopped all of them have taken out
    /// λᵀ K λ/2, and give e² of it back where all have the same e and nothing but them was pushed; otherwise what the others then miss is put
    /// right by the rows of the next sub-step.
    pub(super) fn bounce_limits(&mut self, threshold: f64, motions: &mut [Motion], free: &mut [Free], masses: &[Mass]) {
        for i in 0..self.bounces.all.len() {
            let Bounce { row, restitution, approach } = self.bounces.all[i];
            let impulse = self.rows.all[row as usize].impulse;
            if impulse > 0.0 && approach < -threshold {
                self.strike(row as usize, (1.0 + restitution) * impulse, motions, free, masses);
            }
        }
    }

    /// Gives a row the rate -`back`.
    pub(super) fn bounce_row(
        &mut self,
        r: usize,
        back: f64,
        motions: &mut [Motion],
        free: &mut [Free],
        masses: &[Mass],
    ) {
        let row = self.rows.all[r];
        let rate = self.rows.rate(&row, motions);
        let new = Num::max(row.impulse - row.mass * (rate + back), 0.0);
        self.strike(r, new, motions, free, masses);
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
