//! Whether all that a world keeps about itself agrees: for tests.
//!
//! Bodies, colliders, boxes, contacts, colours and islands name each other by numbers; every edit must keep all of them in
//! step. What is checked here is what every stage takes for granted.

use super::{State, World};
use crate::body::BodyKind;
use crate::body::collider::{Collider, NO_PROXY};
use crate::body::store::{Params, Velocity};
use crate::constraint::contact::{Contact, ContactManifold, NONE};
use crate::detect::broad::{ProxyId, ProxyKind, ProxyPair};
use crate::detect::look::Placed;
use crate::force::BodySet;
use crate::math::Vec3;
use crate::shape::Geometry;
use crate::solve::graph::OVERFLOW;
use std::collections::{BTreeMap, BTreeSet};

type Audit = Result<(), String>;

/// An error with this text unless the condition holds.
macro_rules! ensure {
    ($condition:expr, $($text:tt)+) => {
        let holds: bool = $condition;
        if !holds {
            return Err(format!($($text)+));
        }
    };
}

impl World {
    /// The first disagreement inside the world, if any. A world that has one is a bug of the engine, whatever was asked of
    /// it.
    #[doc(hidden)]
    pub fn audit(&self) -> Audit {
        let state = &self.state;
        state.audit_bodies()?;
        state.audit_colliders()?;
        state.audit_boxes()?;
        state.audit_pairs()?;
        state.audit_contacts()?;
        state.audit_joints()?;
        state.audit_effects()?;
        state.audit_articulations()?;
        state.audit_graph()?;
        state.audit_islands()
    }
}

impl State {
    fn audit_bodies(&self) -> Audit {
        let bodies = &self.bodies;
        ensure!(bodies.len() == bodies.cold.len(), "{} dense bodies, {} slots", bodies.len(), bodies.cold.len());
        for (id, cold) in bodies.cold.iter() {
            let dense = cold.dense as usize;
            ensure!(bodies.slot.get(dense) == Some(&id.index()), "{id} is not where its slot says");
            ensure!(bodies.dense_at(id.index()) == dense, "{id} is not where the table says");
            let (params, velocity) = (&bodies.params[dense], bodies.velocity[dense]);
            let dynamic = cold.kind == BodyKind::Dynamic;
            let heavy = dynamic && (!params.has(Params::LINK) || cold.mass.mass > 0.0);
            ensure!((params.inv_mass > 0.0) == heavy, "{id} is {:?} with 1/m = {}", cold.kind, params.inv_mass);
            ensure!(params.has(Params::KINEMATIC) == (cold.kind == BodyKind::Kinematic), "{id}: kinematic flag");
            ensure!(params.locks() == cold.locks, "{id}: locks");
            let meshed = params.inv_mass > 0.0 && self.has_solid_mesh(id.index());
            ensure!(params.has(Params::MESHED) == meshed, "{id}: flag of meshes");
            ensure!(dynamic || !cold.asleep, "{id} is asleep, but {:?}", cold.kind);
            ensure!(!cold.looks || (cold.kind == BodyKind::Kinematic && cold.active), "{id} looks around, but cannot");
            ensure!(!(cold.asleep && velocity != Velocity::default()), "{id} moves in its sleep");
            ensure!(cold.kind != BodyKind::Fixed || velocity == Velocity::default(), "{id} is fixed and moves");
            let awake = cold.active
                && match cold.kind {
                    BodyKind::Dynamic => !cold.asleep,
                    BodyKind::Fixed => false,
                    BodyKind::Kinematic => cold.looks || cold.target().is_some() || velocity != Velocity::default(),
                };
            ensure!(bodies.is_awake(id.index()) == awake, "{id} should be awake: {awake}");
            let restrained = params.restrained(velocity);
            let slack = 4.0 * crate::math::Real::EPSILON;
            let excess =
                (velocity.linear - restrained.linear).length() + (velocity.angular - restrained.angular).length();
            let size = velocity.linear.length() + velocity.angular.length();
            let within = excess <= slack * size;
            ensure!(within, "{id} breaks its locks or limits: {velocity:?}");
        }
        for &(a, b) in &self.exclusions {
            let exist = bodies.cold.at(a).is_some() && bodies.cold.at(b).is_some();
            ensure!(a < b && exist, "exclusion of slots {a} and {b}");
        }
        Ok(())
    }

    fn audit_colliders(&self) -> Audit {
        let mut listed = 0;
        for (id, cold) in self.bodies.cold.iter() {
            for &slot in &cold.colliders {
                let body = self.colliders.at(slot).map(|c| c.body);
                ensure!(body == Some(id.index()), "{id} lists the collider in slot {slot}, which is on {body:?}");
            }
            listed += cold.colliders.len();
        }
        ensure!(listed == self.colliders.len(), "{listed} listed of {} colliders", self.colliders.len());
        let mut owned = BTreeSet::new();
        for (id, c) in self.colliders.iter() {
            for (slot, &material) in c.materials.iter().enumerate() {
                ensure!(self.materials.get(material).is_ok(), "{id} uses {material}, which is gone");
                if c.owned >> slot & 1 != 0 {
                    ensure!(owned.insert(material), "{material} belongs to two colliders, one of them {id}");
                }
            }
        }
        let noted = || self.own_materials.iter();
        let slots = owned.iter().map(|material| material.index() as usize);
        ensure!(noted().eq(slots), "own materials {owned:?}, noted {:?}", noted().collect::<Vec<_>>());
        Ok(())
    }

    fn audit_boxes(&self) -> Audit {
        self.broad.validate()?;
        let mut proxies = 0;
        for (id, c) in self.colliders.iter() {
            let Some(body) = self.bodies.cold.at(c.body) else { return Err(format!("{id} has no body")) };
            let wanted = body.active && c.collides;
            ensure!((c.proxy != NO_PROXY) == wanted, "{id} should be in the broad phase: {wanted}");
            if !wanted {
                continue;
            }
            proxies += 1;
            let proxy = ProxyId(c.proxy);
            ensure!(self.broad.user(proxy) == Some(id.index()), "{id}: its proxy is another's");
            let fixed = self.broad.kind(proxy) == Some(ProxyKind::Fixed);
            ensure!(fixed == (body.kind == BodyKind::Fixed), "{id} is in the wrong tree");
            let placed = self.placed[id.index() as usize];
            let truth = Placed::of(&self.bodies, c, c.shape.farthest_from(Vec3::ZERO));
            ensure!(placed == Placed { turned: placed.turned, ..truth }, "{id} is not where detection believes it");
            let (fat, tight) = (self.broad.fat_aabb(proxy), self.collider_bounds(c, &placed.pose));
            ensure!(fat.is_some_and(|fat| fat.contains(&tight)), "{id} has left its box: {tight:?} in {fat:?}");
        }
        ensure!(self.broad.len() == proxies, "{} boxes for {proxies} colliders", self.broad.len());
        Ok(())
    }

    /// Colliders whose boxes overlap and which may touch are a pair, unless the next search looks at one of them. Compared one with all, so
    /// that neither the trees nor their search are trusted.
    fn audit_pairs(&self) -> Audit {
        let here = |(_, c): &(_, &Collider)| c.proxy != NO_PROXY && !self.broad.has_changed(ProxyId(c.proxy));
        let settled: Vec<_> = self.colliders.iter().filter(here).map(|(id, c)| (id, ProxyId(c.proxy))).collect();
        for (i, &(a, proxy)) in settled.iter().enumerate() {
            for &(b, other) in &settled[..i] {
                let meet = self.broad.fat_overlap(proxy, other) && self.may_touch(a.index(), b.index());
                let known = !meet || self.broad.is_known(ProxyPair::new(proxy, other));
                ensure!(known, "the boxes of {a} and {b} overlap, and they are no pair");
            }
        }
        Ok(())
    }

    fn audit_contacts(&self) -> Audit {
        let contacts = &self.contacts;
        let mut of_bodies: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
        let mut pairs = BTreeSet::new();
        let mut manifolds = 0;
        for index in contacts.live() {
            let c = &contacts.all[index as usize];
            let (a, b) = (c.collider_a, c.collider_b);
            let (Some(ca), Some(cb)) = (self.colliders.at(a), self.colliders.at(b)) else {
                return Err(format!("contact {index} of slots {a} and {b}, of which one is empty"));
            };
            ensure!(pairs.insert((a.min(b), a.max(b))), "two contacts of {a} and {b}");
            ensure!(
                (ca.body, cb.body) == (c.body_a, c.body_b),
                "contact {index} names other bodies than its colliders"
            );
            ensure!(self.may_touch(a, b), "colliders {a} and {b} have a contact and may not touch");
            ensure!(c.has(Contact::SENSOR) == (ca.sensor || cb.sensor), "contact {index}: sensor");
            let joins = self.is_dynamic(c.body_a) && self.is_dynamic(c.body_b);
            ensure!(c.has(Contact::JOINS) == joins, "contact {index} joins islands: {joins}");
            ensure!(
                self.broad.is_known(ProxyPair::new(ProxyId(ca.proxy), ProxyId(cb.proxy))),
                "the broad phase does not know the pair of contact {index}"
            );
            let awake = self.bodies.is_awake(c.body_a) || self.bodies.is_awake(c.body_b);
            ensure!((c.awake != NONE) == awake, "contact {index} of slots {a} and {b} should be awake: {awake}");
            if awake {
                ensure!(contacts.awake.get(c.awake as usize) == Some(&index), "contact {index} is off its list");
            }
            let solved = c.has(Contact::TOUCHING) && !c.has(Contact::SENSOR);
            let mut count = 0;
            let mut m = c.manifolds;
            while m != NONE && count <= contacts.manifolds.len() {
                let manifold = &contacts.manifolds[m as usize];
                ensure!(manifold.contact == index, "manifold {m} of contact {index} says {}", manifold.contact);
                ensure!(manifold.point_count > 0, "manifold {m} has no point");
                let coloured = manifold.colour != ContactManifold::NO_COLOUR;
                let link = [c.body_a, c.body_b].iter().any(|&b| self.articulations.link_of(b).is_some());
                let expected = awake && solved && !link;
                ensure!(coloured == expected, "manifold {m} should have a colour: {expected}");
                count += 1;
                m = manifold.next;
            }
            ensure!((count > 0) == solved, "contact {index} touches: {solved}, with {count} manifolds");
            manifolds += count;
            for body in [c.body_a, c.body_b] {
                of_bodies.entry(body).or_default().insert(index);
            }
        }
        ensure!(contacts.awake.iter().all(|&c| contacts.all[c as usize].awake != NONE), "asleep on the list of awake");
        ensure!(pairs.len() == self.broad.pair_count(), "{} contacts, {} pairs", pairs.len(), self.broad.pair_count());
        let free = contacts.free_manifold_count();
        ensure!(manifolds + free == contacts.manifolds.len(), "manifolds leak: {manifolds} used, {free} free");
        for (id, _) in self.bodies.cold.iter() {
            let listed: Vec<u32> = contacts.of_body(id.index()).collect();
            let expected = of_bodies.remove(&id.index()).unwrap_or_default();
            ensure!(
                listed.len() == expected.len() && listed.iter().all(|c| expected.contains(c)),
                "{id} lists contacts {listed:?} instead of {expected:?}"
            );
        }
        Ok(())
    }

    fn is_dynamic(&self, slot: u32) -> bool {
        self.bodies.cold.at(slot).is_some_and(|c| c.kind == BodyKind::Dynamic)
    }

    /// Joints are listed with their bodies, have places in the graph where they act, and tie islands together.
    fn audit_joints(&self) -> Audit {
        let mut of_bodies: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (id, j) in self.joints.all.iter() {
            let [a, b] = j.bodies;
            let exist = self.bodies.cold.at(a).is_some() && self.bodies.cold.at(b).is_some();
            ensure!(a != b && exist, "{id} joins slots {a} and {b}");
            let acts = self.joint_acts(j);
            ensure!((j.colour != NONE) == acts, "{id} should have a colour: {acts}");
            ensure!(!(j.active && j.broken), "{id} is broken and active");
            let linked = !self.joint_links(j) || self.islands.of(a) == self.islands.of(b);
            ensure!(linked, "{id} ties two islands together");
            let finite = j.impulses.iter().all(|v| v.is_finite()) && j.memory.iter().all(|v| v.is_finite());
            ensure!(finite, "{id} has impulses {:?} and memory {:?}", j.impulses, j.memory);
            for body in j.bodies {
                of_bodies.entry(body).or_default().push(id.index());
            }
        }
        for (id, _) in self.bodies.cold.iter() {
            let (listed, expected) = (self.joints.of_body(id.index()), of_bodies.remove(&id.index()));
            ensure!(listed == expected.as_deref().unwrap_or(&[]), "{id} lists joints {listed:?}, has {expected:?}");
        }
        Ok(())
    }

    /// Effects name bodies that exist, in order, and those that tie islands together are listed with their bodies.
    /// Trees and bodies name each other, and bodies are where their trees put them, in one island.
    fn audit_articulations(&self) -> Audit {
        let mut links = 0;
        for (id, articulation) in self.articulations.all.iter() {
            let tree = &articulation.tree;
            ensure!(tree.links.len() == articulation.bodies.len(), "{id} has bodies {:?}", articulation.bodies);
            ensure!(tree.q.iter().chain(&tree.qd).all(|v| v.is_finite()), "{id} is at {:?}", tree.q);
            let pass = articulation.placed();
            for (i, &body) in articulation.bodies.iter().enumerate() {
                ensure!(
                    self.articulations.link_of(body) == Some((id.index(), i)),
                    "slot {body} is not link {i} of {id}"
                );
                ensure!(self.is_dynamic(body), "slot {body}, link {i} of {id}, is not dynamic");
                let dense = self.bodies.dense_at(body);
                ensure!(self.bodies.params[dense].has(Params::LINK), "slot {body} does not know that it is a link");
                let (pose, velocity) = articulation.body_state(&pass, i);
                let here = self.bodies.pose[dense] == pose && self.bodies.velocity[dense] == velocity;
                ensure!(here, "slot {body}, link {i} of {id}, is not where its tree is");
                let island = self.islands.of(articulation.bodies[0]);
                ensure!(self.islands.of(body) == island, "{id} is in several islands");
                links += 1;
            }
        }
        let flagged = self.bodies.params.iter().filter(|p| p.has(Params::LINK)).count();
        ensure!(flagged == links, "{flagged} bodies take themselves for links, there are {links}");
        Ok(())
    }

    fn audit_effects(&self) -> Audit {
        let mut pairs: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (id, e) in self.effects.all.iter() {
            for &body in e.bodies.named() {
                ensure!(self.bodies.cold.get(body).is_ok(), "{id} acts on {body}, which is gone");
            }
            let ascending = e.bodies.named().windows(2).all(|w| w[0] < w[1]);
            let pair = matches!(e.bodies, BodySet::Pair(_));
            ensure!(ascending || pair, "{id} acts on {:?}", e.bodies);
            ensure!(self.effects.sets().contains(&id.index()) != pair, "{id} is on the wrong list");
            ensure!(e.turns() >= self.effects.next, "{id} turns at {}, before {}", e.turns(), self.effects.next);
            if let Some([a, b]) = self.effect_links(e) {
                ensure!(self.islands.of(a) == self.islands.of(b), "{id} ties two islands together");
            }
            for body in e.bodies.named().iter().filter(|_| pair) {
                pairs.entry(body.index()).or_default().push(id.index());
            }
        }
        for (id, _) in self.bodies.cold.iter() {
            let (listed, expected) = (self.effects.of_body(id.index()), pairs.remove(&id.index()));
            ensure!(listed == expected.as_deref().unwrap_or(&[]), "{id} lists effects {listed:?}, has {expected:?}");
        }
        ensure!(self.bodies.pushes.is_empty(), "pushes are left over from a step");
        Ok(())
    }

    /// No two constraints of a colour share a movable body, and its bits say which bodies it uses.
    fn audit_graph(&self) -> Audit {
        for (index, colour) in self.graph.colours.iter().enumerate() {
            let mut used = BTreeSet::new();
            for (at, &m) in colour.manifolds.iter().enumerate() {
                let manifold = &self.contacts.manifolds[m as usize];
                let here = (manifold.colour as usize, manifold.colour_index as usize) == (index, at);
                ensure!(here && manifold.contact != NONE, "manifold {m} is not where its colour says");
                let c = &self.contacts.all[manifold.contact as usize];
                for body in [c.body_a, c.body_b].into_iter().filter(|&b| self.is_dynamic(b)) {
                    ensure!(
                        used.insert(body) || index == OVERFLOW,
                        "colour {index} uses the body in slot {body} twice"
                    );
                }
            }
            for (at, &slot) in colour.joints.iter().enumerate() {
                let Some(j) = self.joints.all.at(slot) else { return Err(format!("no joint in slot {slot}")) };
                let here = (j.colour as usize, j.colour_index as usize) == (index, at);
                ensure!(here, "the joint in slot {slot} is not where its colour says");
                for body in j.bodies.into_iter().filter(|&b| self.is_dynamic(b)) {
                    ensure!(
                        used.insert(body) || index == OVERFLOW,
                        "colour {index} uses the body in slot {body} twice"
                    );
                }
            }
            if index != OVERFLOW {
                let marked: BTreeSet<u32> = colour.bodies_in_use().collect();
                ensure!(marked == used, "colour {index} marks slots {marked:?}, its constraints use {used:?}");
            }
        }
        Ok(())
    }

    fn audit_islands(&self) -> Audit {
        let islands = &self.islands;
        let mut members = 0;
        for (index, island) in islands.all.iter().enumerate().filter(|(_, i)| i.count > 0) {
            let bodies: Vec<u32> = islands.bodies(index as u32).take(island.count as usize + 1).collect();
            ensure!(bodies.len() == island.count as usize, "island {index} lists {bodies:?}, counts {}", island.count);
            ensure!(bodies.last() == Some(&island.last), "island {index} ends elsewhere");
            let mut asleep = BTreeSet::new();
            for &body in &bodies {
                ensure!(islands.of(body) == index as u32, "the body in slot {body} of island {index} says another");
                let Some(cold) = self.bodies.cold.at(body) else {
                    return Err(format!("island {index}: {body} is gone"));
                };
                ensure!(cold.kind == BodyKind::Dynamic && cold.active, "the body in slot {body} has an island");
                asleep.insert(cold.asleep);
            }
            ensure!(asleep.len() == 1, "island {index} is half asleep");
            members += bodies.len();
        }
        let expected = self.bodies.cold.iter().filter(|(_, c)| c.kind == BodyKind::Dynamic && c.active).count();
        ensure!(members == expected, "{members} bodies in islands, {expected} expected");
        for index in self.contacts.live() {
            let c = &self.contacts.all[index as usize];
            if c.ties() {
                ensure!(islands.of(c.body_a) == islands.of(c.body_b), "contact {index} joins two islands");
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::shape::Shape;
    use crate::{BodyDesc, World};

    /// A contact that is lost, and forgotten by all who knew of it, is found out.
    #[test]
    fn a_lost_pair_is_found() {
        let mut world = World::new();
        for y in [0.0, 0.9] {
            let cube = Shape::cuboid(0.5, 0.5, 0.5).unwrap();
            world.add_body(BodyDesc::dynamic().position([0.0, y, 0.0]).collider(cube)).unwrap();
        }
        // The boxes are searched at the start of a step, and have room for the motion of one.
        world.step(1e-4).unwrap();
        world.audit().unwrap();
        let contact = world.state.contacts.live().next().unwrap();
        world.state.remove_contact(contact);
        let found = world.audit().unwrap_err();
        assert!(found.contains("no pair"), "{found}");
    }
}
