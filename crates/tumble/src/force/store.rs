//! All effects of a world.

use super::{BodySet, EffectDesc, EffectKind};
use crate::id::{EffectId, EffectTag, Slots};
use crate::math::{Float, Real};

/// Where an effect is in its span of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    Waiting,
    Acting,
    Over,
}

#[derive(Clone, Debug)]
pub(crate) struct Effect {
    pub kind: EffectKind,
    pub bodies: BodySet,
    pub active: bool,
    pub phase: Phase,
    pub start: f64,
    pub end: f64,
    pub remove_at_end: bool,
    /// When it was last changed, on the counter of the world.
    pub stamp: u64,
    pub name: Option<String>,
    pub user_data: u64,
}

impl Effect {
    /// The description has been checked, and its set is in order.
    pub fn new(desc: EffectDesc, now: f64) -> Self {
        let EffectDesc { kind, bodies, active, start, end, remove_at_end, name, user_data } = desc;
        let mut effect =
            Self { kind, bodies, active, phase: Phase::Waiting, start, end, remove_at_end, stamp: 0, name, user_data };
        effect.settle(now);
        effect
    }

    /// Puts it where its span of time says.
    pub fn settle(&mut self, now: f64) {
        self.phase = if self.end <= now {
            Phase::Over
        } else if self.start <= now {
            Phase::Acting
        } else {
            Phase::Waiting
        };
    }

    /// It pushes bodies.
    pub fn acts(&self) -> bool {
        self.active && self.phase == Phase::Acting
    }

    /// Its bodies must not fall asleep after this time.
    pub fn keeps_awake(&self, time: f64) -> bool {
        self.acts() && self.kind.changes_after(time)
    }

    /// The share of a step of `dt` from `time` on during which it acts.
    pub fn share(&self, time: f64, dt: Real) -> Real {
        let dt = dt.to_f64();
        let from = if self.start > time { self.start - time } else { 0.0 };
        let until = if self.end - time < dt { self.end - time } else { dt };
        if from == 0.0 && until == dt { 1.0 } else { Real::from_f64(Float::clamp((until - from) / dt, 0.0, 1.0)) }
    }

    /// When something about it changes by itself.
    pub fn turns(&self) -> f64 {
        match self.phase {
            Phase::Waiting => self.start,
            Phase::Acting => self.end,
            Phase::Over => f64::INFINITY,
        }
    }
}

/// Effects by slot.
#[derive(Clone, Debug)]
pub(crate) struct Effects {
    pub all: Slots<Effect, EffectTag>,
    /// Changes of effects so far.
    pub stamp: u64,
    /// By body slot: the slots of the effects on a pair to which it belongs, in ascending order. Follows from the effects.
    of_body: Vec<Vec<u32>>,
    /// The slots of effects on other sets, in ascending order. Follows from the effects.
    sets: Vec<u32>,
    /// No effect begins or ends before this time. Follows from the effects.
    pub next: f64,
}

impl Default for Effects {
    fn default() -> Self {
        Self::new(Slots::new(), 0)
    }
}

impl Effects {
    pub fn new(all: Slots<Effect, EffectTag>, stamp: u64) -> Self {
        let mut effects = Self { all, stamp, of_body: Vec::new(), sets: Vec::new(), next: f64::INFINITY };
        let slots: Vec<u32> = effects.all.iter().map(|(id, _)| id.index()).collect();
        for slot in slots {
            effects.list(slot, true);
        }
        effects.schedule();
        effects
    }

    pub fn insert(&mut self, effect: Effect) -> EffectId {
        let id = self.all.insert(effect);
        self.list(id.index(), true);
        id
    }

    pub fn remove(&mut self, id: EffectId) -> Option<Effect> {
        self.list(id.index(), false);
        self.all.remove(id)
    }

    /// Enters an effect into the lists, or strikes it out.
    pub fn list(&mut self, slot: u32, enter: bool) {
        let Some(effect) = self.all.at(slot) else { return };
        let put = |list: &mut Vec<u32>| match list.binary_search(&slot) {
            Err(at) if enter => list.insert(at, slot),
            Ok(at) if !enter => drop(list.remove(at)),
            _ => {}
        };
        let BodySet::Pair(pair) = effect.bodies else { return put(&mut self.sets) };
        for body in pair.map(|id| id.index() as usize) {
            if self.of_body.len() <= body {
                self.of_body.resize(body + 1, Vec::new());
            }
            put(&mut self.of_body[body]);
        }
    }

    /// Finds out when an effect next begins or ends.
    pub fn schedule(&mut self) {
        self.next = self.all.iter().map(|(_, e)| e.turns()).fold(f64::INFINITY, |a, b| if b < a { b } else { a });
    }

    /// Marks an effect as changed.
    pub fn touch(&mut self, slot: u32) {
        if let Some(effect) = self.all.at_mut(slot) {
            self.stamp = self.stamp.wrapping_add(1);
            effect.stamp = self.stamp;
            let turns = effect.turns();
            self.next = if turns < self.next { turns } else { self.next };
        }
    }

    /// The slots of the effects on a pair to which a body belongs.
    pub fn of_body(&self, body: u32) -> &[u32] {
        self.of_body.get(body as usize).map_or(&[], Vec::as_slice)
    }

    /// The slots of the effects on sets other than pairs.
    pub fn sets(&self) -> &[u32] {
        &self.sets
    }
}
