//! From joints to the rows of a system, and the impulses back.

use super::contact_rows::party;
use super::system::{Parties, Recipe, System};
use crate::constraint::{Row, Rows};
use crate::math::{Real, Vec3};
use crate::world::State;

/// Where the rows of a joint stand in the system.
#[derive(Clone, Copy, Debug)]
struct Site {
    joint: u32,
    first: u32,
    count: u32,
    memory: [f64; 4],
    /// From the centre of mass of B to its frame.
    arm: Vec3,
}

/// The joints of a step. Kept between steps for its memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct JointRows {
    slots: Vec<u32>,
    sites: Vec<Site>,
    fresh: Rows,
    /// Joints whose motors may still change: their bodies stay awake.
    pub busy: Vec<u32>,
    pub overloaded: Vec<u32>,
}

impl JointRows {
    /// Adds the rows of all joints that act, in the order in which they were made: along a chain, each row is followed by its
    /// neighbours. One pass over the joints.
    pub fn gather(
        &mut self,
        system: &mut System,
        supports: &mut [u32],
        state: &State,
        parties: &Parties<'_>,
        recipe: &Recipe,
    ) {
        let Self { slots, sites, fresh, busy, overloaded } = self;
        slots.clear();
        sites.clear();
        busy.clear();
        overloaded.clear();
        for colour in &state.graph.colours {
            slots.extend_from_slice(&colour.joints);
        }
        if let Some((_, trees)) = parties.trees {
            trees.tied_joints(state, slots);
        }
        slots.sort_unstable();
        slots.dedup();
        for &slot in slots.iter() {
            let Some(joint) = state.joints.all.at(slot) else { continue };
            let mut frames = state.joint_frames(joint);
            frames.memory = joint.kind.constraint().remember(&frames);
            fresh.clear();
            joint.rows(&frames, fresh);
            for (row, &impulse) in fresh.as_mut_slice().iter_mut().zip(&joint.impulses) {
                // What is no number holds nothing.
                let sound = row.jacobian.is_finite() && row.error.is_finite() && row.target.is_finite();
                *row = if sound { Row { impulse, ..*row } } else { Row::IDLE };
            }
            let bodies = joint.bodies.map(|slot| party(&state.bodies, slot));
            for body in bodies {
                if let Some(s) = supports.get_mut(body as usize) {
                    *s += joint.kind.supports();
                }
            }
            let first = system.rows.len() as u32;
            system.add(fresh.as_slice(), bodies, 0.0, parties, recipe);
            let (count, memory, arm) = (fresh.len() as u32, frames.memory, frames.b.arm);
            sites.push(Site { joint: slot, first, count, memory, arm });
            if joint.kind.changes_after(state.time) {
                busy.push(slot);
            }
        }
    }

    /// Writes the impulses back, and what they are as force and torque; finds the joints that have borne too much. One pass over the
    /// joints.
    pub fn store(&mut self, system: &System, state: &mut State, dt: Real) {
        for site in &self.sites {
            let Some(joint) = state.joints.all.at_mut(site.joint) else { continue };
            let rows = &system.rows[site.first as usize..][..site.count as usize];
            let (mut force, mut torque) = (Vec3::ZERO, Vec3::ZERO);
            for (impulse, row) in joint.impulses.iter_mut().zip(rows) {
                *impulse = if row.impulse.is_finite() { row.impulse } else { 0.0 };
                let (p, t) = (row.jacobian.linear_b * *impulse, row.jacobian.angular_b * *impulse);
                force += p;
                torque += t - site.arm.cross(p);
            }
            joint.memory = site.memory;
            joint.force = force / dt;
            joint.torque = torque / dt;
            let within = joint.force.length() <= joint.break_force && joint.torque.length() <= joint.break_torque;
            if !within {
                self.overloaded.push(site.joint);
            }
        }
    }
}
