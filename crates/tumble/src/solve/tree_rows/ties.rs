//! Joints between a link and another body: they close loops, or hang free bodies on trees.

use super::bounces::Bounces;
use super::outcome::{Outcome, Tied};
use super::row_set::within;
use super::{End, Field, Half, Row, TreeRows};
use crate::constraint::{self, Bound, Jacobian, Rows, Stiffness};
use crate::crew::Sums;
use crate::math::{Float, Num, Real, Vec3};
use crate::solve::motion::Motion;
use crate::solve::tree_work::Working;
use crate::world::State;
use core::ops::Range;

/// One of them.
#[derive(Clone, Copy, Debug)]
struct Tie {
    joint: u32,
    first: u32,
    count: u32,
    /// The first of its wishes.
    wish: u32,
    memory: [f64; 4],
    /// From the centre of mass of B to its frame.
    arm: Vec3,
}

/// All of them.
#[derive(Clone, Debug, Default)]
pub(super) struct Ties {
    all: Vec<Tie>,
    /// What their rows ask for, one after the other.
    pub wishes: Vec<Wish>,
    fresh: Rows,
}

impl Ties {
    pub fn clear(&mut self) {
        self.all.clear();
        self.wishes.clear();
    }

    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Adds the rows of the joints of a tree's links; of a joint between two links the first counts it.
    #[allow(clippy::too_many_arguments)]
    pub fn gather(
        &mut self,
        rows: &mut Vec<Row>,
        bounces: &mut Bounces,
        touched: &mut [bool],
        of: &Working,
        end: impl Fn(u32) -> End,
        state: &State,
        supports: Sums<'_>,
        busy: &mut Vec<u32>,
    ) {
        for &body in &of.articulation.bodies {
            for &slot in state.joints.of_body(body) {
                let Some(joint) = state.joints.all.at(slot).filter(|j| state.joint_holds(j)) else { continue };
                let ends = joint.bodies.map(&end);
                let first = joint.bodies[usize::from(!matches!(ends[0], End::Link(..)))];
                if first != body {
                    continue;
                }
                let mut frames = state.joint_frames(joint);
                frames.memory = joint.kind.constraint().remember(&frames);
                self.fresh.clear();
                joint.rows(&frames, &mut self.fresh);
                let bodies = joint.bodies.map(|slot| state.bodies.dense_at(slot) as u32);
                self.all.push(Tie {
                    joint: slot,
                    first: rows.len() as u32,
                    count: self.fresh.len() as u32,
                    wish: self.wishes.len() as u32,
                    memory: frames.memory,
                    arm: frames.b.arm,
                });
                for (row, &impulse) in self.fresh.as_slice().iter().zip(&joint.impulses) {
                    bounces.add(rows.len(), restitution_of(row));
                    add_tie_row(rows, &mut self.wishes, row, impulse, ends, bodies);
                }
                for dense in bodies {
                    supports.add(dense as usize, joint.kind.supports().max(1));
                }
                for end in ends {
                    if let End::Link(tree, _) = end {
                        touched[tree as usize] = true;
                    }
                }
                if joint.kind.changes_after(state.time) {
                    busy.push(slot);
                }
            }
        }
    }
}

impl Ties {
    /// All rows of joints, and the wish of each.
    pub fn rows(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.all.iter().flat_map(|tie| tie.first..tie.first + tie.count).zip(0..)
    }
}

impl TreeRows {
    /// The joints that close loops.
    pub(super) fn solve_ties(&mut self, which: Range<usize>, field: &mut Field<'_>) {
        let (recipe, push) = (field.recipe, field.push);
        let h = recipe.h.to_f64();
        for t in which {
            let tie = self.ties.all[t];
            for i in 0..tie.count {
                let r = (tie.first + i) as usize;
                let (row, wish) = (&self.rows.all[r], self.ties.wishes[(tie.wish + i) as usize]);
                if row.mass == 0.0 || row.direct {
                    continue;
                }
                let rate = self.rows.rate(row, field.motions) - wish.target;
                let wanted = if let Some((k, c)) = wish.stiffness.constants(Real::from_f64(row.mass)) {
                    // A spring is taken at the end of the sub-step, and the relaxing pass leaves it alone.
                    let (k, c) = (k.to_f64(), c.to_f64());
                    let give = c + h * k;
                    if !push || !(give > 0.0) {
                        continue;
                    }
                    let compliance = 1.0 / (h * give);
                    // A stop that is not reached yet is met with the part of the way that lies behind it.
                    let ahead = wish.bound == Bound::Push && wish.error > 0.0;
                    let bias = if ahead { wish.error / h } else { wish.error * k / give };
                    row.impulse - (rate + bias + compliance * row.impulse) / (1.0 / row.mass + compliance)
                } else {
                    let bias = match wish.bound {
                        Bound::Push if wish.error > 0.0 => wish.error / h,
                        _ if !push => 0.0,
                        _ => {
                            let limit = recipe.hold_speed.to_f64();
                            (recipe.joint_rate.to_f64() * wish.error).clamp(-limit, limit)
                        }
                    };
                    row.impulse - row.mass * (rate + bias)
                };
                let new = match wish.bound {
                    Bound::Equal => wanted,
                    Bound::Push => Num::max(wanted, 0.0),
                    Bound::Force(f) => within(wanted, Num::max(f.to_f64() * h, 0.0)),
                    Bound::Friction { of, coefficient } => {
                        let on = if of < tie.count { self.rows.all[(tie.first + of) as usize].impulse } else { 0.0 };
                        within(wanted, Num::max(coefficient.to_f64() * Num::max(on, 0.0), 0.0))
                    }
                };
                self.rows.set_impulse(r, new, field);
            }
        }
    }

    /// The errors of joints after a sub-step of these velocities.
    pub(super) fn travel_ties(&mut self, which: Range<usize>, motions: &[Motion], h: f64) {
        for t in which {
            let Tie { first, count, wish, .. } = self.ties.all[t];
            for i in 0..count {
                let (row, wish) = (&self.rows.all[(first + i) as usize], &mut self.ties.wishes[(wish + i) as usize]);
                // What only asks for a speed has no place to miss.
                if wish.places {
                    wish.error += h * self.rows.rate(row, motions);
                }
            }
        }
    }

    /// Adds up what the joints of these trees have done in a sub-step, before anything bounces.
    pub fn book_ties(&mut self, of: Range<usize>) {
        for tie in self.spans[of].iter().flat_map(|span| &self.ties.all[span.ties.clone()]) {
            let rows = &self.rows.all[tie.first as usize..][..tie.count as usize];
            for (wish, row) in self.ties.wishes[tie.wish as usize..].iter_mut().zip(rows) {
                wish.sum += row.impulse;
            }
        }
    }

    /// Notes the impulses of joints, and what they have done in all sub-steps.
    pub(super) fn conclude_ties(&self, outcome: &mut Outcome) {
        for tie in &self.ties.all {
            let (mut force, mut torque) = (Vec3::ZERO, Vec3::ZERO);
            let rows = &self.rows.all[tie.first as usize..(tie.first + tie.count) as usize];
            let wishes = &self.ties.wishes[tie.wish as usize..];
            let number = |v: f64| if v.is_finite() { Real::from_f64(v) } else { 0.0 };
            let first = outcome.impulses.len() as u32;
            for (row, wish) in rows.iter().zip(wishes) {
                outcome.impulses.push(number(row.impulse));
                let sum = number(wish.sum);
                let p = row.halves[1].linear.to_real() * sum;
                force += p;
                torque += row.halves[1].angular.to_real() * sum - tie.arm.cross(p);
            }
            let (joint, memory) = (tie.joint, tie.memory);
            outcome.tied.push(Tied { joint, memory, impulse: force, angular_impulse: torque, first, count: tie.count });
        }
    }
}

/// What a row of a joint asks for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wish {
    pub error: f64,
    pub target: f64,
    pub bound: Bound,
    pub stiffness: Stiffness,
    /// It asks for a place, not for a speed alone.
    places: bool,
    /// Its impulses of all sub-steps.
    sum: f64,
}

/// Share of the speed with which a row that was hit bounces back. One that is soft gives back what its spring has taken up.
fn restitution_of(row: &constraint::Row) -> f64 {
    if row.bound == Bound::Push && row.stiffness == Stiffness::Method { row.restitution.to_f64() } else { 0.0 }
}

/// A row of a joint with both ends.
fn add_tie_row(
    rows: &mut Vec<Row>,
    wishes: &mut Vec<Wish>,
    row: &constraint::Row,
    impulse: Real,
    ends: [End; 2],
    bodies: [u32; 2],
) {
    let sound = row.jacobian.is_finite() && row.error.is_finite() && row.target.is_finite() && impulse.is_finite();
    let j = if sound { row.jacobian } else { Jacobian::ZERO };
    let halves = [
        Half { end: ends[0], body: bodies[0], linear: j.linear_a.to_f64(), angular: j.angular_a.to_f64() },
        Half { end: ends[1], body: bodies[1], linear: j.linear_b.to_f64(), angular: j.angular_b.to_f64() },
    ];
    rows.push(Row::between(halves, if sound { impulse.to_f64() } else { 0.0 }));
    let hard = row.stiffness == Stiffness::Method;
    wishes.push(Wish {
        error: if sound { row.error.to_f64() } else { 0.0 },
        target: if sound { row.target.to_f64() } else { 0.0 },
        bound: row.bound,
        stiffness: row.stiffness,
        places: match row.bound {
            Bound::Equal | Bound::Push => true,
            Bound::Force(_) => !hard || row.error != 0.0,
            Bound::Friction { .. } => !hard,
        },
        sum: 0.0,
    });
}
