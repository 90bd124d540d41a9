//! Whether the parts of a state that was read fit together.
//!
//! Every part has been checked by itself: its lists end, its numbers are numbers. Here links between parts are followed, so
//! that no later step meets a body, collider, proxy or material that is not there.

use super::state::BodyPart;
use crate::articulation::store::Articulation;
use crate::body::BodyKind;
use crate::body::collider::NO_PROXY;
use crate::body::store::Params;
use crate::constraint::contact::{Met, NONE, Side};
use crate::constraint::joint::Tie;
use crate::crew::Team;
use crate::detect::broad::{BroadPhase, ProxyId};
use crate::force::{BodySet, EffectKind};
use crate::marks::Marks;
use crate::solve::graph::Graph;
use crate::world::{State, World};
use std::collections::BTreeSet;

/// What leads from one part to another, in little lists that stay in the cache while walks jump about in them.
pub(super) struct Links {
    pub met: Met,
    /// By slot of the collider.
    pub sides: Vec<Side>,
    /// By slot of the body.
    pub parts: Vec<BodyPart>,
    pub joints: Vec<Tie>,
}

/// What does not fit.
type Misfit = &'static str;

impl State {
    /// This state with what follows from the rest filled in, or what does not fit.
    pub(super) fn resumed(mut self, team: &Team, links: &Links) -> Result<Self, Misfit> {
        self.check_built_ins()?;
        let mut broad = core::mem::take(&mut self.broad);
        let (of_bodies, of_boxes) = team.both(
            || self.follow_bodies(links),
            || {
                self.check_colliders(&links.sides)?;
                check_broad_phase(&mut broad, links)
            },
        );
        of_boxes?;
        self.broad = broad;
        (self.own_materials, self.graph) = of_bodies?;
        self.check_articulations()?;
        self.check_joints(links)?;
        self.check_effects()?;
        Ok(self)
    }

    /// Islands and their bodies; the materials that belong to one collider each, and the constraint graph.
    fn follow_bodies(&self, links: &Links) -> Result<(Marks, Graph), Misfit> {
        self.check_islands(&links.parts)?;
        self.check_contacts(&links.met.ties)?;
        let node = |body: u32| match links.parts.get(body as usize) {
            Some(part) if part.dynamic => body,
            _ => NONE,
        };
        let graph = Graph::of(&links.met.placings, &links.joints, node);
        Ok((self.find_own_materials()?, graph.ok_or("the constraint graph")?))
    }

    fn check_built_ins(&self) -> Result<(), Misfit> {
        let body = self.bodies.cold.get(World::BODY);
        if !body.is_ok_and(|b| b.kind == BodyKind::Fixed && b.colliders.is_empty()) {
            return Err("the built-in body");
        }
        if self.materials.get(World::MATERIAL).is_err() || self.pairs.named().any(|m| self.materials.get(m).is_err()) {
            return Err("a material");
        }
        let exist = |&(a, b): &(u32, u32)| a < b && [a, b].iter().all(|&s| self.bodies.cold.at(s).is_some());
        if self.exclusions.iter().all(exist) { Ok(()) } else { Err("an exclusion") }
    }

    /// Bodies and colliders name each other, each once.
    fn check_colliders(&self, sides: &[Side]) -> Result<(), Misfit> {
        let mut listed = vec![false; sides.len()];
        let mut count = 0;
        for (id, cold) in self.bodies.cold.iter() {
            for &slot in &cold.colliders {
                let own = sides.get(slot as usize).is_some_and(|side| side.body == id.index());
                if !own || core::mem::replace(&mut listed[slot as usize], true) {
                    return Err("the colliders of a body");
                }
                count += 1;
            }
        }
        if count == self.colliders.len() { Ok(()) } else { Err("a collider without a body") }
    }

    /// Finds the materials that belong to one collider each.
    fn find_own_materials(&self) -> Result<Marks, Misfit> {
        let mut owned = Marks::of(self.materials.capacity());
        for (_, collider) in self.colliders.iter() {
            for (slot, &material) in collider.materials.iter().enumerate() {
                let own = collider.owned >> slot & 1 != 0;
                if self.materials.get(material).is_err() || (own && material == World::MATERIAL) {
                    return Err("the material of a collider");
                }
                if own && owned.mark(material.index() as usize) {
                    return Err("the material of a collider");
                }
            }
        }
        Ok(owned)
    }

    /// Joints hold bodies that exist, and are solved where they should be.
    fn check_joints(&self, links: &Links) -> Result<(), Misfit> {
        for tie in &links.joints {
            let [Some(a), Some(b)] = tie.bodies.map(|slot| links.parts.get(slot as usize)) else {
                return Err("a joint");
            };
            let [slot_a, slot_b] = tie.bodies;
            let holds = tie.active && a.active && b.active;
            // As `State::joint_acts` and `State::joint_links`.
            let of_trees = tie.bodies.iter().any(|&slot| self.articulations.link_of(slot).is_some());
            let moves = |part: &BodyPart, slot| part.dynamic && self.bodies.is_awake(slot);
            let acts = holds && !of_trees && (moves(a, slot_a) || moves(b, slot_b));
            if slot_a == slot_b || !a.exists || !b.exists || acts != (tie.colour != NONE) {
                return Err("a joint");
            }
            let linked = holds && a.dynamic && b.dynamic;
            if linked && self.islands.of(slot_a) != self.islands.of(slot_b) {
                return Err("the island of a joint");
            }
        }
        Ok(())
    }

    /// Links are dynamic bodies, each of one tree, awake or not with the others of it, and say that they are; the trees take over their masses.
    fn check_articulations(&mut self) -> Result<(), Misfit> {
        let mut links = 0;
        for slot in 0..self.articulations.all.capacity() as u32 {
            let Some(articulation) = self.articulations.all.at(slot) else { continue };
            let bodies = articulation.bodies.clone();
            for &body in &bodies {
                let dynamic = self.bodies.cold.at(body).is_some_and(|c| c.kind == BodyKind::Dynamic);
                if !dynamic || self.articulations.link_of(body).is_some() {
                    return Err("a link");
                }
            }
            self.articulations.index(slot, true);
            for &body in &bodies {
                self.link_mass_changed(body);
                let awake = self.bodies.is_awake(body);
                let apart = |&other: &u32| {
                    self.islands.of(other) != self.islands.of(body) || self.bodies.is_awake(other) != awake
                };
                if !self.bodies.params[self.bodies.dense_at(body)].has(Params::LINK) || bodies.iter().any(apart) {
                    return Err("a link");
                }
            }
            let fits = |a: &Articulation| a.bodies.iter().collect::<BTreeSet<_>>().len() == a.bodies.len();
            if !self.articulations.all.at(slot).is_some_and(fits) {
                return Err("the links of an articulation");
            }
            links += bodies.len();
        }
        let flagged = self.bodies.params.iter().filter(|p| p.has(Params::LINK)).count();
        if flagged == links { Ok(()) } else { Err("a link without an articulation") }
    }

    /// Effects act on bodies that exist, and tie their islands together where they should.
    fn check_effects(&self) -> Result<(), Misfit> {
        for (_, e) in self.effects.all.iter() {
            let exist = e.bodies.named().iter().all(|&id| self.bodies.cold.get(id).is_ok());
            let fits = matches!(e.bodies, BodySet::Pair(_)) || !matches!(e.kind, EffectKind::Spring(_));
            if !exist || !fits {
                return Err("the bodies of an effect");
            }
            if self.effect_links(e).is_some_and(|[a, b]| self.islands.of(a) != self.islands.of(b)) {
                return Err("the island of an effect");
            }
        }
        Ok(())
    }

    /// Dynamic bodies that take part have islands, and only they.
    fn check_islands(&self, parts: &[BodyPart]) -> Result<(), Misfit> {
        let slots = self.islands.members.len().max(parts.len()) as u32;
        let takes_part = |slot: u32| parts.get(slot as usize).is_some_and(|part| part.active && part.dynamic);
        let fits = |slot: u32| (self.islands.of(slot) != NONE) == takes_part(slot);
        if (0..slots).all(fits) { Ok(()) } else { Err("an island") }
    }

    /// Bodies that lie on each other belong to one island.
    fn check_contacts(&self, ties: &[[u32; 2]]) -> Result<(), Misfit> {
        let fits = |&[a, b]: &[u32; 2]| self.islands.of(a) == self.islands.of(b);
        if ties.iter().all(fits) { Ok(()) } else { Err("the island of a contact") }
    }
}

/// Proxies and colliders name each other; the broad phase gets to know the pairs, one for every contact.
fn check_broad_phase(broad: &mut BroadPhase, links: &Links) -> Result<(), Misfit> {
    let mut proxies = 0;
    for (slot, side) in links.sides.iter().enumerate() {
        if side.proxy != NO_PROXY {
            if broad.user(ProxyId(side.proxy)) != Some(slot as u32) {
                return Err("the proxy of a collider");
            }
            proxies += 1;
        }
    }
    if broad.len() != proxies {
        return Err("the broad phase");
    }
    if broad.know_all(&links.met.pairs) { Ok(()) } else { Err("the pairs of the broad phase") }
}
