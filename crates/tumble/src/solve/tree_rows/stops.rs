//! Rows along degrees of freedom: limits, cones, dry friction, motors that hold a speed, couplings.

use super::bounces::Bounces;
use super::{Field, Row, TreeRows};
use crate::articulation::stops::{Stop, Task};
use crate::math::{Float, Num};
use crate::solve::motion::Motion;
use crate::solve::tree_work::{Recipe, Working};
use core::ops::Range;

/// All of them, with the trees and the rows that they belong to.
#[derive(Clone, Debug, Default)]
pub(super) struct Stops {
    pub all: Vec<(u32, u32, Stop)>,
}

impl Stops {
    pub fn clear(&mut self) {
        self.all.clear();
    }

    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Adds the rows of a tree.
    pub fn gather(
        &mut self,
        rows: &mut Vec<Row>,
        bounces: &mut Bounces,
        tree: u32,
        working: &Working,
        recipe: &Recipe,
    ) {
        let of = &working.articulation.tree;
        of.stops(recipe.dt.to_f64(), recipe.near, &working.ahead, |stop| {
            self.all.push((tree, rows.len() as u32, stop));
            bounces.add(rows.len(), stop.restitution);
            rows.push(Row::along(stop.along, tree, of.remembered(&stop)));
        });
    }
}

impl TreeRows {
    #[inline(always)]
    pub(super) fn solve_stops(&mut self, which: Range<usize>, field: &mut Field<'_>) {
        for i in which {
            let (_, at, stop) = self.stops.all[i];
            let row = &self.rows.all[at as usize];
            if row.direct {
                continue;
            }
            let rate = self.rows.rate(row, field.motions);
            if let Some(new) = wanted(stop.task, row, rate, field.recipe, field.push) {
                self.rows.set_impulse(at as usize, new, field);
            }
        }
    }

    /// Errors after a sub-step of these velocities.
    pub(super) fn travel_stops(&mut self, which: Range<usize>, motions: &[Motion], h: f64) {
        for i in which {
            let (_, row, stop) = self.stops.all[i];
            let rate = self.rows.rate(&self.rows.all[row as usize], motions);
            self.stops.all[i].2.task = match stop.task {
                Task::Limit(s) => Task::Limit(s + h * rate),
                Task::Hold(c) => Task::Hold(c + h * rate),
                speed @ Task::Speed(..) => speed,
            };
        }
    }

    /// Leaves the impulses with the trees: where the next step starts.
    pub fn store_stops(&self, trees: &mut [Working]) {
        for working in trees.iter_mut() {
            working.articulation.tree.forget_impulses();
        }
        for &(tree, row, stop) in &self.stops.all {
            trees[tree as usize].articulation.tree.remember(&stop, self.rows.all[row as usize].impulse);
        }
    }
}

/// The impulse of a row with this rate; none where it is left as it is.
#[inline(always)]
fn wanted(task: Task, row: &Row, rate: f64, recipe: &Recipe, push: bool) -> Option<f64> {
    let h = recipe.h.to_f64();
    Some(match task {
        Task::Speed(speed, force) => {
            let wanted = row.impulse - row.mass * (rate - speed);
            wanted.clamp(-force * h, force * h)
        }
        Task::Hold(c) => {
            let most = recipe.hold_speed.to_f64();
            let bias = if push { (recipe.joint_rate.to_f64() * c).clamp(-most, most) } else { 0.0 };
            row.impulse - row.mass * (rate + bias)
        }
        Task::Limit(s) => {
            let bias = if s > 0.0 {
                if !push && row.impulse <= 0.0 {
                    return None;
                }
                s / h
            } else if push {
                // A limit is exact: no slop, and no softness.
                Num::max(recipe.soft_fixed.bias_rate.to_f64() * s, -recipe.push_speed.to_f64())
            } else {
                0.0
            };
            Num::max(row.impulse - row.mass * (rate + bias), 0.0)
        }
    })
}
