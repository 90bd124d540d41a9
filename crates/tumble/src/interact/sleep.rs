//! Falling asleep and waking up (003-99..104).
//!
//! A body is idle while its farthest point moves slower than a tolerance. Its time limit depends on its support: `time` with
//! three or more contact points, ten times as long with fewer, so that a ball at its apex or a box on its edge stays awake
//! (003-103); with none it stays awake for as long as it moves. An island falls asleep when all its bodies have been idle for longer than their limits, and wakes as a whole.
//! One with a tree of links stays awake while motors or dampers of its joints say that it is on its way, however slowly: see `articulation::driven`.
//!
//! Asleep, a body stands among those that no step looks at, and its contacts are off the list of awake ones and out of the
//! constraint graph: a sleeping world costs nothing. What wakes it: a new contact with something awake, a setter, a change
//! of a neighbour's kind, pose or presence, a new joint, a change of a force effect, of gravity or method.

use crate::articulation::driven::Look;
use crate::body::BodyKind;
use crate::body::store::{Params, Velocity};
use crate::constraint::contact::{Contact, NONE};
use crate::detect::broad::ProxyId;
use crate::event::Event;
use crate::integrate::Loads;
use crate::interact::islands::Islands;
use crate::math::{Float, Real};
use crate::world::State;

/// Memory of the stage, kept between steps.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sleeper {
    candidates: Vec<u32>,
    /// Islands that have lost edges, and of which some body would sleep.
    divided: Vec<u32>,
    stack: Vec<u32>,
    look: Look,
}

/// Contact points that count as firm support.
const SUPPORTS: u32 = 3;

/// Steps between two looks at whether an island that stays awake has come apart. A pile in motion loses edges all the time.
const LOOK_EVERY: u32 = 32;

/// Lets islands fall asleep whose bodies have all been idle for long enough. `supports` counts the contact points of
/// awake bodies, and the motors of `busy_joints` may still change. Two passes over the awake bodies.
pub(crate) fn update(state: &mut State, sleeper: &mut Sleeper, supports: &[u32], busy_joints: &[u32]) -> u32 {
    let now = state.steps as u32;
    let (time, factor) = (state.method.sleep.time, state.method.sleep.unsupported_factor);
    sleeper.divided.clear();
    for i in 0..state.bodies.awake() {
        let params = &state.bodies.params[i];
        let slot = state.bodies.slot[i];
        if params.has(Params::KINEMATIC) {
            if state.bodies.velocity[i] == Velocity::default() {
                continue;
            }
            // What a moving kinematic body touches or holds stays awake, and wakes if somebody has put it to sleep.
            sleeper.stack.clear();
            for contact in state.contacts.of_body(slot) {
                let c = &state.contacts.all[contact as usize];
                let island = state.islands.of(c.other(slot));
                if c.has(Contact::TOUCHING) && !c.has(Contact::SENSOR) && island != NONE {
                    state.islands.all[island as usize].busy = now;
                    sleeper.stack.push(c.other(slot));
                }
            }
            for &joint in state.joints.of_body(slot) {
                let Some(j) = state.joints.all.at(joint) else { continue };
                let island = state.islands.of(j.other(slot));
                if j.active && island != NONE {
                    state.islands.all[island as usize].busy = now;
                    sleeper.stack.push(j.other(slot));
                }
            }
            for k in 0..sleeper.stack.len() {
                if !state.bodies.is_awake(sleeper.stack[k]) {
                    state.wake(sleeper.stack[k]);
                }
            }
            sleeper.stack.clear();
            sleeper.stack.extend(state.paired_by_effects(slot));
            for k in 0..sleeper.stack.len() {
                state.mark_busy(sleeper.stack[k], now);
            }
            continue;
        }
        // A joint that broke in this step may have woken others, of which nobody has counted the contacts.
        let support = supports.get(i).copied().unwrap_or(0);
        let limit: Real = if support >= SUPPORTS { time } else { time * factor };
        // What nothing supports and moves at all is under way, however slowly.
        let drifts = support == 0 && state.bodies.velocity[i] != Velocity::default();
        let busy = !params.has(Params::CAN_SLEEP) || drifts || state.bodies.rest[i].idle_time < limit;
        let island = state.islands.of(slot);
        if island == NONE {
            continue;
        }
        let entry = &mut state.islands.all[island as usize];
        if busy {
            entry.busy = now;
        } else if entry.lost_edges > 0
            && now.wrapping_add(island).is_multiple_of(LOOK_EVERY)
            && sleeper.divided.last() != Some(&island)
        {
            sleeper.divided.push(island);
        }
    }

    for &slot in busy_joints {
        for body in state.joints.all.at(slot).map_or([NONE; 2], |j| j.bodies) {
            let island = state.islands.of(body);
            if island != NONE {
                state.islands.all[island as usize].busy = now;
            }
        }
    }

    // Effects that change by themselves.
    for effect in 0..state.effects.all.capacity() as u32 {
        let Some(e) = state.effects.all.at(effect).filter(|e| e.keeps_awake(state.time)) else { continue };
        state.effect_members(e, false, &mut sleeper.stack);
        for k in 0..sleeper.stack.len() {
            state.mark_busy(state.bodies.slot[sleeper.stack[k] as usize], now);
        }
    }

    // Each island by its first body.
    sleeper.candidates.clear();
    let (mut islands, mut all_idle) = (0, true);
    for i in 0..state.bodies.awake() {
        let slot = state.bodies.slot[i];
        let island = state.islands.of(slot);
        if island == NONE || state.islands.all[island as usize].first != slot {
            continue;
        }
        islands += 1;
        let idle = state.islands.all[island as usize].busy != now;
        if idle && !state.has_driven_tree(island, &mut sleeper.look) {
            sleeper.candidates.push(island);
        } else {
            // Driven ones are told from others below.
            state.islands.all[island as usize].busy = now;
            all_idle = false;
        }
    }
    if !state.method.switches.islands && !all_idle {
        return islands;
    }
    for c in 0..sleeper.candidates.len() {
        let island = sleeper.candidates[c];
        // Parts that no longer hang together sleep as islands of their own.
        if state.islands.all[island as usize].lost_edges > 0 {
            let bodies: Vec<u32> = state.islands.bodies(island).collect();
            state.split_island(island, &mut sleeper.stack);
            let mut parts: Vec<u32> = bodies.iter().map(|&b| state.islands.of(b)).collect();
            parts.sort_unstable();
            parts.dedup();
            for part in parts {
                state.put_to_sleep(part);
            }
        } else {
            state.put_to_sleep(island);
        }
    }
    // A part of an island whose other part stays awake is judged by itself from the next step on.
    sleeper.divided.sort_unstable();
    sleeper.divided.dedup();
    for d in 0..sleeper.divided.len() {
        let island = sleeper.divided[d];
        let entry = &state.islands.all[island as usize];
        if entry.count > 0 && entry.busy == now && entry.lost_edges > 0 {
            state.split_island(island, &mut sleeper.stack);
        }
    }
    islands
}

impl State {
    /// Some tree of an island, all of whose bodies are idle, is under way by what drives its joints. One pass over its bodies.
    fn has_driven_tree(&self, island: u32, look: &mut Look) -> bool {
        let forces = Loads { gravity: self.gravity, gyroscopic: true };
        let mut trees = self.islands.bodies(island).filter_map(|body| match self.articulations.link_of(body) {
            Some((slot, 0)) => self.articulations.all.at(slot),
            _ => None,
        });
        trees.any(|tree| {
            tree.gather_loads(&self.bodies, &forces, &mut look.loads);
            tree.is_driven(look, self.method.sleep.time.to_f64())
        })
    }

    /// The island of a body must not fall asleep in this step.
    fn mark_busy(&mut self, body: u32, now: u32) {
        let island = self.islands.of(body);
        if island != NONE {
            self.islands.all[island as usize].busy = now;
        }
    }

    /// Cuts an island into the parts that hang together.
    pub fn split_island(&mut self, island: u32, stack: &mut Vec<u32>) {
        // The islands are taken out while they ask the state who hangs together.
        let mut islands = core::mem::replace(&mut self.islands, Islands::new());
        islands.split(island, stack, |body, out| {
            for contact in self.contacts.of_body(body) {
                let c = &self.contacts.all[contact as usize];
                if c.ties() {
                    out.push(c.other(body));
                }
            }
            out.extend(self.joined(body));
            out.extend(self.linked_by_effects(body));
            out.extend(self.articulations.neighbours(body));
        });
        self.islands = islands;
    }

    /// Puts all bodies of an island to sleep.
    pub fn put_to_sleep(&mut self, island: u32) {
        self.islands.set_fresh(island, false);
        let mut body = self.islands.all[island as usize].first;
        while body != NONE {
            if let Some(cold) = self.bodies.cold.at_mut(body) {
                cold.asleep = true;
                let dense = cold.dense as usize;
                self.bodies.velocity[dense] = Default::default();
                if self.bodies.params[dense].has(Params::LINK) {
                    self.stop_tree(body);
                }
                self.bodies.rest[dense].carry = crate::math::Vec3::ZERO;
            }
            self.bodies.set_awake(body, false);
            if let Some(id) = self.bodies.cold.id_at(body) {
                self.pending.push(Event::FellAsleep { body: id });
            }
            body = self.islands.members[body as usize].next;
        }
        let mut body = self.islands.all[island as usize].first;
        while body != NONE {
            self.rest_contacts(body);
            self.settle_joints(body);
            body = self.islands.members[body as usize].next;
        }
    }

    /// Takes the contacts that a body which stands has with others that stand off the list of awake ones.
    pub fn rest_contacts(&mut self, body: u32) {
        let mut next = self.contacts.first_of(body);
        while let Some(contact) = next {
            next = self.contacts.next_of(contact, body);
            let c = self.contacts.all[contact as usize];
            if c.awake != NONE && !self.bodies.is_awake(c.other(body)) {
                self.leave_graph(contact);
                self.contacts.set_awake(contact, false);
            }
        }
    }

    /// Wakes all bodies of an island, and their contacts. Again before the next step it costs nothing: a thousand edits of one pile, or the
    /// joints of a net as they are added, take as long as there are of them.
    pub fn wake_island(&mut self, island: u32) {
        if self.islands.is_fresh(island) {
            return;
        }
        self.islands.set_fresh(island, true);
        let mut body = self.islands.all[island as usize].first;
        while body != NONE {
            let mut woken = None;
            if let Some(cold) = self.bodies.cold.at_mut(body) {
                self.bodies.rest[cold.dense as usize].idle_time = 0.0;
                if cold.asleep {
                    cold.asleep = false;
                    woken = self.bodies.cold.id_at(body);
                }
            }
            if let Some(id) = woken {
                self.settle(body);
                self.pending.push(Event::WokeUp { body: id });
                self.wake_contacts(body);
                self.settle_joints(body);
            }
            body = self.islands.members[body as usize].next;
        }
    }

    /// Puts the contacts of a body that is awake on the list of awake ones, and touching ones into the graph.
    pub fn wake_contacts(&mut self, body: u32) {
        let mut next = self.contacts.first_of(body);
        while let Some(contact) = next {
            next = self.contacts.next_of(contact, body);
            let c = self.contacts.all[contact as usize];
            if c.awake == NONE {
                self.contacts.set_awake(contact, true);
                if c.has(Contact::TOUCHING) && !c.has(Contact::SENSOR) {
                    self.enter_graph(contact);
                }
            }
        }
    }

    /// A body that cannot move was put somewhere else: whoever is near it now has to look, sleeping or standing, and whoever touched it. (The contacts of one
    /// that can move are looked at with it.)
    pub fn wake_around(&mut self, slot: u32) {
        if self.bodies.is_awake(slot) {
            return;
        }
        let mut next = self.contacts.first_of(slot);
        while let Some(contact) = next {
            next = self.contacts.next_of(contact, slot);
            let c = self.contacts.all[contact as usize];
            let proxy = |collider: u32| self.colliders.at(collider).map(|c| ProxyId(c.proxy));
            let near = match (proxy(c.collider_a), proxy(c.collider_b)) {
                (Some(a), Some(b)) => self.broad.fat_overlap(a, b),
                _ => false,
            };
            let other = c.other(slot);
            if !near && !c.has(Contact::TOUCHING) {
                continue;
            }
            match self.bodies.cold.at(other).map(|b| b.kind) {
                Some(BodyKind::Dynamic) => self.wake(other),
                Some(BodyKind::Kinematic) => self.look_around(other),
                Some(BodyKind::Fixed) | None => {}
            }
        }
    }

    /// Keeps a kinematic body awake for the next step, so that its contacts are looked at where it stands; a fixed one rests.
    fn look_around(&mut self, slot: u32) {
        if let Some(cold) = self.bodies.cold.at_mut(slot) {
            cold.looks = cold.kind == BodyKind::Kinematic && cold.active;
        }
        self.settle(slot);
        if self.bodies.is_awake(slot) {
            self.wake_contacts(slot);
        } else {
            self.rest_contacts(slot);
        }
    }

    /// Wakes a body with its island; for a body that is not dynamic, all that it touches, and one that is moved looks around itself.
    pub fn wake(&mut self, slot: u32) {
        let Some(cold) = self.bodies.cold.at(slot) else { return };
        if cold.kind == BodyKind::Dynamic {
            let island = self.islands.of(slot);
            if island != NONE && self.method.switches.islands {
                self.wake_island(island);
            } else if island != NONE {
                for other in 0..self.islands.all.len() as u32 {
                    self.wake_island(other);
                }
            }
            self.settle(slot);
            return;
        }
        self.look_around(slot);
        let mut next = self.contacts.first_of(slot);
        while let Some(contact) = next {
            next = self.contacts.next_of(contact, slot);
            let c = self.contacts.all[contact as usize];
            let other = c.other(slot);
            let touches = c.has(Contact::TOUCHING) && !c.has(Contact::SENSOR);
            if touches && self.bodies.cold.at(other).is_some_and(|b| b.asleep) {
                self.wake(other);
            }
        }
        for i in 0..self.joints.of_body(slot).len() {
            let Some(joint) = self.joints.of_body(slot).get(i).and_then(|&j| self.joints.all.at(j)) else { break };
            let other = joint.other(slot);
            if joint.active && self.bodies.cold.at(other).is_some_and(|b| b.asleep) {
                self.wake(other);
            }
        }
        let paired: Vec<u32> = self.paired_by_effects(slot).collect();
        for other in paired {
            if self.bodies.cold.at(other).is_some_and(|b| b.asleep) {
                self.wake(other);
            }
        }
    }
}
