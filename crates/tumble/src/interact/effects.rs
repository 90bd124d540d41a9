//! The life of force effects: whom they act on, whom they wake, and when they begin and end.
//!
//! A change goes one way: whoever felt the effect before it is woken, then the effect is changed and its stamp raised, then whoever feels it
//! after. An effect on two dynamic bodies that feel each other through it links their islands while it acts, as a joint does.

use crate::body::BodyKind;
use crate::error::{Error, Result};
use crate::event::Event;
use crate::force::store::{Effect, Phase};
use crate::force::{BodySet, EffectKind};
use crate::id::{BodyId, EffectId};
use crate::math::{Float, Real};
use crate::world::State;

impl State {
    fn feels_effects(&self, slot: u32) -> bool {
        self.bodies.cold.at(slot).is_some_and(|c| c.kind == BodyKind::Dynamic && c.active)
    }

    /// The bodies of a set that an effect of this kind can act on exist.
    pub fn check_effect_set(&self, subject: &str, kind: &EffectKind, bodies: &BodySet) -> Result<()> {
        for &id in bodies.named() {
            self.bodies.cold.get(id)?;
        }
        if let EffectKind::Spring(_) = kind {
            let BodySet::Pair(pair) = bodies else {
                return Err(Error::refused(subject, "a spring acts on a pair; see EffectDesc::spring"));
            };
            let dynamic = |id: &BodyId| self.bodies.cold.at(id.index()).is_some_and(|c| c.kind == BodyKind::Dynamic);
            if !pair.iter().any(dynamic) {
                return Err(Error::refused(subject, "one of its bodies must be dynamic"));
            }
        }
        Ok(())
    }

    /// What an effect is called in error messages.
    pub fn effect_subject(&self, slot: u32) -> String {
        match self.effects.all.at(slot) {
            Some(Effect { name: Some(name), .. }) => format!("effect {name:?}"),
            _ => self.effects.all.id_at(slot).map_or_else(|| "effect".to_owned(), |id| id.to_string()),
        }
    }

    /// The bodies that an effect is shown, by dense index: both of a pair; of other sets the dynamic ones that are awake, and
    /// those asleep too where they count or `all` are asked for.
    pub fn effect_members(&self, effect: &Effect, all: bool, out: &mut Vec<u32>) {
        out.clear();
        let bodies = &self.bodies;
        let asleep = all || effect.kind.is_mutual();
        let feels = |i: u32| {
            let i = i as usize;
            bodies.params[i].inv_mass > 0.0 && (i < bodies.awake() || (asleep && self.feels_effects(bodies.slot[i])))
        };
        let end = if asleep { bodies.len() } else { bodies.awake() };
        match &effect.bodies {
            BodySet::Pair(pair) => out.extend(pair.iter().map(|id| bodies.dense_at(id.index()) as u32)),
            BodySet::List(list) => {
                out.extend(list.iter().map(|id| bodies.dense_at(id.index()) as u32).filter(|&i| feels(i)));
            }
            BodySet::All => out.extend((0..end as u32).filter(|&i| feels(i))),
            set @ BodySet::Except(_) => {
                out.extend((0..end as u32).filter(|&i| feels(i) && set.contains(bodies.slot[i as usize])));
            }
        }
    }

    /// An effect on two bodies that influence each other by it.
    pub fn effect_links(&self, effect: &Effect) -> Option<[u32; 2]> {
        let BodySet::Pair(pair) = effect.bodies else { return None };
        let slots = pair.map(|id| id.index());
        let links = effect.acts() && effect.kind.is_mutual() && slots.iter().all(|&slot| self.feels_effects(slot));
        links.then_some(slots)
    }

    /// The bodies that share an island with this one because of an effect.
    pub fn linked_by_effects(&self, body: u32) -> impl Iterator<Item = u32> + '_ {
        let effects = self.effects.of_body(body).iter().filter_map(|&slot| self.effects.all.at(slot));
        effects.filter_map(|e| self.effect_links(e)).map(move |[a, b]| if a == body { b } else { a })
    }

    /// The other bodies of the pairs that a body, whatever it is, acts on by effects.
    pub fn paired_by_effects(&self, body: u32) -> impl Iterator<Item = u32> + '_ {
        let effects = self.effects.of_body(body).iter().filter_map(|&slot| self.effects.all.at(slot));
        effects
            .filter(|e| e.acts() && e.kind.is_mutual())
            .filter_map(move |e| e.bodies.named().iter().map(|id| id.index()).find(|&slot| slot != body))
    }

    /// Links the island of a body that has just got one of its own with those of the bodies that effects tie it to.
    pub fn link_effects(&mut self, body: u32) {
        let others: Vec<u32> = self.linked_by_effects(body).collect();
        for other in others {
            // An island sleeps as a whole or not at all.
            self.wake(other);
            self.islands.link(body, other);
        }
    }

    /// Wakes the bodies that feel an effect and of which `which` is true.
    fn wake_set(&mut self, bodies: &BodySet, which: impl Fn(u32) -> bool) {
        let wake = |state: &mut Self, slot: u32| {
            if state.feels_effects(slot) && which(slot) {
                state.wake(slot);
            }
        };
        if !bodies.is_open() {
            return bodies.named().iter().for_each(|id| wake(self, id.index()));
        }
        for slot in 0..self.bodies.cold.capacity() as u32 {
            if bodies.contains(slot) {
                wake(self, slot);
            }
        }
    }

    fn wake_effect(&mut self, slot: u32) {
        let Some(effect) = self.effects.all.at(slot).filter(|e| e.acts()) else { return };
        let bodies = effect.bodies.clone();
        self.wake_set(&bodies, |_| true);
    }

    /// An effect begins to act, where it does.
    fn begin_effect(&mut self, slot: u32) {
        self.wake_effect(slot);
        if let Some([a, b]) = self.effects.all.at(slot).and_then(|e| self.effect_links(e)) {
            self.islands.link(a, b);
        }
    }

    /// An effect is about to act no longer, or in another way.
    fn end_effect(&mut self, slot: u32) {
        self.wake_effect(slot);
        if let Some([a, b]) = self.effects.all.at(slot).and_then(|e| self.effect_links(e)) {
            self.islands.unlink(a, b);
        }
    }

    pub fn add_effect(&mut self, effect: Effect) -> EffectId {
        let id = self.effects.insert(effect);
        self.effects.touch(id.index());
        self.begin_effect(id.index());
        id
    }

    pub fn remove_effect(&mut self, id: EffectId) {
        self.end_effect(id.index());
        if self.effects.remove(id).is_some() {
            self.pending.push(Event::EffectRemoved { effect: id });
        }
    }

    /// Changes an effect, but for its bodies.
    pub fn change_effect(&mut self, slot: u32, change: impl FnOnce(&mut Effect)) {
        self.end_effect(slot);
        if let Some(effect) = self.effects.all.at_mut(slot) {
            change(effect);
        }
        self.effects.touch(slot);
        self.begin_effect(slot);
    }

    /// Changes the bodies of an effect. Who stays is woken only where it feels the others.
    pub fn set_effect_bodies(&mut self, slot: u32, bodies: BodySet) {
        let Some(effect) = self.effects.all.at(slot) else { return };
        let (old, mutual, acts) = (effect.bodies.clone(), effect.kind.is_mutual(), effect.acts());
        if let Some([a, b]) = self.effect_links(effect) {
            self.islands.unlink(a, b);
        }
        self.effects.list(slot, false);
        if let Some(effect) = self.effects.all.at_mut(slot) {
            effect.bodies = bodies.clone();
        }
        self.effects.list(slot, true);
        self.effects.touch(slot);
        if acts {
            self.wake_set(&old, |body| mutual || !bodies.contains(body));
            self.wake_set(&bodies, |body| mutual || !old.contains(body));
        }
        if let Some([a, b]) = self.effects.all.at(slot).and_then(|e| self.effect_links(e)) {
            self.islands.link(a, b);
        }
    }

    /// A body has come: it belongs to the sets that take in all.
    pub fn enter_sets(&mut self, body: BodyId) {
        for i in 0..self.effects.sets().len() {
            let slot = self.effects.sets()[i];
            let Some(effect) = self.effects.all.at(slot) else { continue };
            if effect.bodies.is_open() && effect.bodies.contains(body.index()) {
                let mutual = effect.kind.is_mutual();
                self.effects.touch(slot);
                if mutual {
                    self.wake_effect(slot);
                }
            }
        }
    }

    /// A body is about to go: no set names it any more, and effects on a pair go with it.
    pub fn leave_sets(&mut self, body: BodyId) {
        while let Some(&slot) = self.effects.of_body(body.index()).last() {
            let Some(id) = self.effects.all.id_at(slot) else { break };
            self.remove_effect(id);
        }
        for i in 0..self.effects.sets().len() {
            let slot = self.effects.sets()[i];
            let Some(effect) = self.effects.all.at_mut(slot) else { continue };
            let belonged = effect.bodies.contains(body.index());
            effect.bodies.forget(body);
            let mutual = effect.kind.is_mutual();
            if belonged {
                self.effects.touch(slot);
                if mutual {
                    self.wake_effect(slot);
                }
            }
        }
    }

    /// Lets effects begin and end whose time has come, in the order of their slots: at the start of a step those that begin in it, and those
    /// that have ended. One comparison where there are none.
    pub fn turn_effects(&mut self, dt: Real) {
        let now = self.time;
        let soon = now + dt.to_f64();
        if !(self.effects.next < soon) {
            return;
        }
        for slot in 0..self.effects.all.capacity() as u32 {
            let (Some(id), Some(effect)) = (self.effects.all.id_at(slot), self.effects.all.at(slot)) else { continue };
            match effect.phase {
                Phase::Waiting if effect.start < soon => self.change_effect(slot, |e| e.phase = Phase::Acting),
                Phase::Acting if effect.end <= now => {
                    let remove = effect.remove_at_end;
                    self.change_effect(slot, |e| e.phase = Phase::Over);
                    if remove {
                        self.remove_effect(id);
                    }
                }
                _ => {}
            }
        }
        self.effects.schedule();
    }
}
