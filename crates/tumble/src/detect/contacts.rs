//! The life of contacts: found when boxes overlap, updated while they do, gone when they no longer do.
//!
//! All that happens to the lists of contacts, to the constraint graph and to the islands happens here, one contact after
//! the other, in an order that depends on nothing but the input.

use super::continuous::Ahead;
use super::handover::Past;
use super::look::{self, Finding, Looker, Noted, Place, Placed, Sighting};
use super::manifolds::Workspace;
use crate::body::BodyKind;
use crate::body::collider::{Collider, NO_PROXY};
use crate::constraint::contact::{Contact, ContactManifold, NONE, SurfacePair, Tangents};
use crate::crew::{Lists, Shared, Team};
use crate::detect::broad::{BroadPhase, PairFilter, ProxyDesc, ProxyId, ProxyKind, ProxyPair};
use crate::event::Event;
use crate::id::ColliderId;
use crate::math::{Aabb, Pose, Vec3, WorldPose, prefetch};
use crate::method::Broad;
use crate::profile::Profile;
use crate::shape::Geometry;
use crate::world::State;
use core::mem::take;

/// Memory of the search, kept between steps.
#[derive(Clone, Debug, Default)]
pub(crate) struct Detector {
    pub looker: Looker,
    /// New pairs.
    pairs: Lists<ProxyPair>,
    past: Past,
    /// Who is fast in this step.
    pub ahead: Ahead,
    /// For contacts of fast bodies with sleepers, which are looked at one by one.
    work: Workspace,
    aside: Vec<Noted>,
}

/// Finds new pairs of boxes that overlap, and makes contacts of them.
pub(crate) fn find_pairs(state: &mut State, detector: &mut Detector, team: &Team) {
    let mut pairs = take(&mut detector.pairs);
    // The broad phase is taken out while it asks the state which pairs may touch.
    let mut broad = take(&mut state.broad);
    let may_touch = |a: u32, b: u32| state.may_touch(a, b);
    match state.method.broad {
        Broad::Trees => search(&mut broad, &may_touch, &mut pairs, team),
        Broad::AllPairs => broad.compare_all(&may_touch, pairs.all_mut()),
    }
    state.broad = broad;
    for pair in pairs.all() {
        if let (Some(a), Some(b)) = (state.broad.user(pair.a), state.broad.user(pair.b)) {
            state.begin_pair(a, b);
        }
    }
    detector.pairs = pairs;
}

/// Parts of a search that a thread takes at a time.
const SHARE: usize = 16;

/// [`BroadPhase::update_pairs`] on all threads.
fn search(broad: &mut BroadPhase, may_touch: PairFilter<'_>, pairs: &mut Lists<ProxyPair>, team: &Team) {
    let search = broad.search_pairs();
    let lists = pairs.begin(team.size());
    team.for_ranges_of(search.parts(), SHARE, |worker, parts| {
        // SAFETY: a worker's number is given to one thread at a time.
        search.collect(parts, may_touch, unsafe { &mut lists.get(worker).0 });
    });
    pairs.gather();
    search.finish(pairs.all_mut());
}

/// Updates the manifolds of all awake contacts: looks at them on all threads, then does one after the other what the looks
/// asked for.
pub(crate) fn update(state: &mut State, detector: &mut Detector, team: &Team, profile: &mut Profile) {
    let Detector { looker, past, ahead, work, aside, .. } = detector;
    work.narrow = state.method.narrow;
    look::look(state, looker, ahead, team, profile);
    let mut any_impacts = false;
    for block in &looker.blocks {
        for (k, &(contact, finding)) in block.list.iter().enumerate() {
            state.ask_for(&block.list, k);
            match finding {
                Finding::Gone => state.remove_contact(contact),
                Finding::Parted => state.contact_parted(contact),
                Finding::Met => state.contact_began(contact),
                Finding::Refresh => state.refresh_materials(contact),
                Finding::Patches { first, count } => {
                    let c = state.contacts.all[contact as usize];
                    let place = Place::of(&state.placed[c.collider_a as usize], &state.placed[c.collider_b as usize]);
                    let patches = looker.patches(block, first, count);
                    any_impacts |= state.take_patches(contact, patches, |_| &place, past, profile);
                }
                Finding::Encounter(sighting) => {
                    let patches = looker.sighted(block, &sighting);
                    any_impacts |= state.take_encounter(contact, &sighting, patches, ahead, past, profile);
                }
                Finding::Sleeper => {
                    let sighting = state.sight(contact, ahead, work, aside);
                    any_impacts |=
                        sighting.is_some_and(|s| state.take_encounter(contact, &s, aside, ahead, past, profile));
                }
            }
        }
    }
    looker.any_impacts |= any_impacts;
    ahead.sort_impacts(&state.bodies);
}

/// How many findings ahead of the one that is done what is done will change is asked for, links first.
const NEXT: usize = 4;

impl State {
    /// Asks for what the findings that come after the one at `k` will read: they stand in the order of the contacts, and what they point to stands anywhere.
    #[inline(always)]
    fn ask_for(&self, findings: &[(u32, Finding)], k: usize) {
        if let Some(&(contact, _)) = findings.get(k + 2 * NEXT) {
            prefetch(&self.contacts.all[contact as usize]);
        }
        if let Some(&(contact, _)) = findings.get(k + NEXT) {
            let c = &self.contacts.all[contact as usize];
            if let Some(manifold) = self.contacts.manifolds.get(c.manifolds as usize) {
                prefetch(manifold);
            }
            for slot in [c.collider_a, c.collider_b] {
                self.colliders.prefetch(slot);
            }
            self.bodies.cold.prefetch(c.body_a);
            self.bodies.cold.prefetch(c.body_b);
        }
    }

    /// Two colliders, by slot, may touch as far as bodies and filters go.
    pub fn may_touch(&self, a: u32, b: u32) -> bool {
        let (Some(ca), Some(cb)) = (self.colliders.at(a), self.colliders.at(b)) else { return false };
        if ca.body == cb.body || !ca.collides || !cb.collides || !ca.layers.allows(&cb.layers) {
            return false;
        }
        let (Some(ba), Some(bb)) = (self.bodies.cold.at(ca.body), self.bodies.cold.at(cb.body)) else {
            return false;
        };
        let moves = |k: BodyKind| k != BodyKind::Fixed;
        let sensor = ca.sensor || cb.sensor;
        // Two sensors do not see each other. A sensor sees everything that moves, or moves itself to see what stands.
        let kinds = if sensor {
            !(ca.sensor && cb.sensor) && (moves(ba.kind) || moves(bb.kind))
        } else {
            ba.kind == BodyKind::Dynamic || bb.kind == BodyKind::Dynamic
        };
        kinds
            && ba.active
            && bb.active
            && !self.exclusions.contains(&(ca.body.min(cb.body), ca.body.max(cb.body)))
            && !self.joints.forbid_touch(ca.body, cb.body)
            && !self.tree_forbids_touch(ca.body, cb.body)
    }

    /// The boxes of two colliders began to overlap.
    fn begin_pair(&mut self, a: u32, b: u32) {
        let (a, b) = (a.min(b), a.max(b));
        let (Some(ca), Some(cb)) = (self.colliders.at(a), self.colliders.at(b)) else { return };
        let (body_a, body_b) = (ca.body, cb.body);
        let dynamic = |s: u32| self.bodies.cold.at(s).is_some_and(|c| c.kind == BodyKind::Dynamic);
        let mut flags = 0;
        let mut set = |flag: u32, on: bool| flags |= if on { flag } else { 0 };
        set(Contact::SENSOR, ca.sensor || cb.sensor);
        set(Contact::SENSOR_IS_B, cb.sensor);
        set(Contact::JOINS, dynamic(body_a) && dynamic(body_b));
        set(Contact::REPORTED, ca.contact_events || cb.contact_events || ca.sensor || cb.sensor);
        set(Contact::HOOKED, ca.hooked || cb.hooked);
        set(Contact::IMPACTS, ca.impact_speed.is_finite() || cb.impact_speed.is_finite());
        let contact = self.contacts.insert(a, b, body_a, body_b, flags);
        // Something was put beside a sleeper: it has to look.
        if !self.bodies.is_awake(body_a) && !self.bodies.is_awake(body_b) {
            self.wake(body_a);
            self.wake(body_b);
        }
        let awake = self.bodies.is_awake(body_a) || self.bodies.is_awake(body_b);
        self.contacts.set_awake(contact, awake);
    }

    /// Removes a contact whose boxes no longer overlap, or whose colliders no longer exist or may no longer touch.
    pub fn remove_contact(&mut self, contact: u32) {
        let c = self.contacts.all[contact as usize];
        if c.has(Contact::TOUCHING) {
            self.contact_parted(contact);
        }
        let proxy = |slot: u32| self.colliders.at(slot).map_or(NO_PROXY, |c| c.proxy);
        let (pa, pb) = (proxy(c.collider_a), proxy(c.collider_b));
        if pa != NO_PROXY && pb != NO_PROXY {
            self.broad.remove_pair(ProxyPair::new(ProxyId(pa), ProxyId(pb)));
        }
        self.contacts.remove(contact);
    }

    /// Removes all contacts of a body, or only those of one of its colliders.
    pub fn remove_contacts(&mut self, body: u32, collider: Option<u32>) {
        let mut next = self.contacts.first_of(body);
        while let Some(contact) = next {
            next = self.contacts.next_of(contact, body);
            let c = &self.contacts.all[contact as usize];
            if collider.is_none_or(|k| c.collider_a == k || c.collider_b == k) {
                self.remove_contact(contact);
            }
        }
    }

    fn ids(&self, c: &Contact) -> Option<(ColliderId, ColliderId)> {
        Some((self.colliders.id_at(c.collider_a)?, self.colliders.id_at(c.collider_b)?))
    }

    fn report(&mut self, c: &Contact, began: bool) {
        if !c.has(Contact::REPORTED) {
            return;
        }
        let Some((a, b)) = self.ids(c) else { return };
        let event = if c.has(Contact::SENSOR) {
            // What they were when it began: a sensor that is made solid has been left all the same.
            let (sensor, visitor) = if c.has(Contact::SENSOR_IS_B) { (b, a) } else { (a, b) };
            if began { Event::SensorEntered { sensor, visitor } } else { Event::SensorLeft { sensor, visitor } }
        } else if began {
            Event::ContactBegan { a, b }
        } else {
            Event::ContactEnded { a, b }
        };
        self.pending.push(event);
    }

    fn contact_began(&mut self, index: u32) {
        self.contacts.all[index as usize].set(Contact::TOUCHING, true);
        let c = self.contacts.all[index as usize];
        self.report(&c, true);
        if c.has(Contact::SENSOR) {
            return;
        }
        // Whoever is touched wakes up, with its whole island. A body that stands by itself wakes nobody.
        for body in [c.body_a, c.body_b] {
            if self.bodies.cold.at(body).is_some_and(|b| b.asleep) {
                self.wake(body);
            }
        }
        if c.has(Contact::JOINS) {
            self.islands.link(c.body_a, c.body_b);
        }
        self.enter_graph(index);
    }

    fn contact_parted(&mut self, index: u32) {
        let c = self.contacts.all[index as usize];
        self.report(&c, false);
        self.leave_graph(index);
        self.contacts.clear_manifolds(index);
        self.contacts.all[index as usize].set(Contact::TOUCHING, false);
        if c.has(Contact::JOINS) && !c.has(Contact::SENSOR) {
            self.islands.unlink(c.body_a, c.body_b);
        }
    }

    /// The body as the graph sees it: `NONE` where nothing moves it.
    pub fn node(&self, body: u32) -> u32 {
        match self.bodies.cold.at(body) {
            Some(c) if c.kind == BodyKind::Dynamic => body,
            _ => NONE,
        }
    }

    /// Two bodies are links of one tree that do not touch.
    fn tree_forbids_touch(&self, a: u32, b: u32) -> bool {
        let links = [a, b].map(|body| self.articulations.link_of(body));
        let [Some((tree, a)), Some((other, b))] = links else { return false };
        tree == other && self.articulations.all.at(tree).is_some_and(|t| t.exempt(a, b))
    }

    /// Gives the manifolds of an awake, touching contact a colour. Those of links have none: they are solved with their trees.
    pub fn enter_graph(&mut self, contact: u32) {
        let c = self.contacts.all[contact as usize];
        if [c.body_a, c.body_b].iter().any(|&body| self.articulations.link_of(body).is_some()) {
            return;
        }
        let (a, b) = (self.node(c.body_a), self.node(c.body_b));
        let mut m = c.manifolds;
        while m != NONE {
            if self.contacts.manifolds[m as usize].colour == ContactManifold::NO_COLOUR {
                self.graph.add(&mut self.contacts, m, a, b);
            }
            m = self.contacts.manifolds[m as usize].next;
        }
    }

    /// Takes the manifolds of a contact out of the graph.
    pub fn leave_graph(&mut self, contact: u32) {
        let c = self.contacts.all[contact as usize];
        let (a, b) = (self.node(c.body_a), self.node(c.body_b));
        let mut m = c.manifolds;
        while m != NONE {
            self.graph.remove(&mut self.contacts, m, a, b);
            m = self.contacts.manifolds[m as usize].next;
        }
    }

    /// Does what a sighting of a contact asks for. Says whether it touches and reports impacts.
    fn take_encounter(
        &mut self,
        index: u32,
        sighting: &Sighting,
        patches: &[Noted],
        ahead: &mut Ahead,
        past: &mut Past,
        profile: &mut Profile,
    ) -> bool {
        let c = self.contacts.all[index as usize];
        let (Some(ca), Some(cb)) = (self.colliders.at(c.collider_a), self.colliders.at(c.collider_b)) else {
            return false;
        };
        let (a, b) = (self.bodies.dense_at(c.body_a), self.bodies.dense_at(c.body_b));
        if !sighting.clear {
            ahead.note_near(a, b);
        }
        let now = Place::of(&self.placed[c.collider_a as usize], &self.placed[c.collider_b as usize]);
        let mut then = now;
        if let Some(t) = sighting.impact
            && let Some(encounter) = ahead.encounter(&self.bodies, a, b)
        {
            ahead.note_impact(&self.bodies, &encounter, t, a, b);
            then = encounter.then(&self.bodies, (ca, cb), t).place;
        }
        if patches.is_empty() {
            if c.has(Contact::TOUCHING) {
                self.contact_parted(index);
            }
            return false;
        }
        let place = |i: usize| if i < sighting.at_start as usize { &now } else { &then };
        self.take_patches(index, patches, place, past, profile)
    }

    /// Makes manifolds of the patches that a look has noted, each found in its place, asks the hook, and lets the contact begin, go
    /// on or end. Says whether it touches and reports impacts.
    fn take_patches<'p>(
        &mut self,
        index: u32,
        patches: &[Noted],
        place: impl Fn(usize) -> &'p Place,
        past: &mut Past,
        profile: &mut Profile,
    ) -> bool {
        self.write_manifolds(index, patches, place, past);
        let c = self.contacts.all[index as usize];
        let was = c.has(Contact::TOUCHING);
        let touches = !(c.has(Contact::HOOKED) && self.hook.0.is_some()) || self.show_to_hook(index);
        match (was, touches) {
            (false, true) => self.contact_began(index),
            (true, true) => self.enter_graph(index),
            (true, false) => self.contact_parted(index),
            (false, false) => {}
        }
        if touches {
            profile.contacts += 1;
            profile.points += patches.iter().map(|p| p.count).sum::<u32>();
        }
        touches && c.has(Contact::IMPACTS)
    }

    /// Turns patches into the manifolds of the contact, and hands on the impulses of what was there before.
    fn write_manifolds<'p>(
        &mut self,
        index: u32,
        patches: &[Noted],
        place: impl Fn(usize) -> &'p Place,
        past: &mut Past,
    ) {
        let c = self.contacts.all[index as usize];
        let (a, b) = (self.node(c.body_a), self.node(c.body_b));
        let contacts = &mut self.contacts;
        past.note(contacts, c.manifolds);
        past.trace(patches, |i| place(i).rotation.rotate(patches[i].normal));
        let mut link = c.manifolds;
        let mut last = NONE;
        for (i, patch) in patches.iter().enumerate() {
            let id = if link == NONE {
                let id = contacts.new_manifold();
                let manifold = &mut contacts.manifolds[id as usize];
                (manifold.colour, manifold.next) = (ContactManifold::NO_COLOUR, NONE);
                (manifold.contact, manifold.body_a, manifold.body_b) = (index, c.body_a, c.body_b);
                if last == NONE {
                    contacts.all[index as usize].manifolds = id;
                } else {
                    contacts.manifolds[last as usize].next = id;
                }
                id
            } else {
                link
            };
            let manifold = &mut contacts.manifolds[id as usize];
            if manifold.material_slots != patch.material_slots {
                manifold.material_slots = patch.material_slots;
                manifold.flags &= !ContactManifold::RESOLVED;
            }
            let points = &patch.points[..patch.count as usize];
            place(i).write(manifold, patch.normal, patch.flat, points, |feature| past.point(feature).0);
            (manifold.friction_impulse, manifold.angular_impulse) = past.impulses_of(i);
            link = manifold.next;
            last = id;
            let mut tangents = Tangents::default();
            for (tangent, found) in tangents.iter_mut().zip(points) {
                *tangent = past.point(found.id).1;
            }
            contacts.set_tangents(id, tangents);
        }
        // What is left over of the last step's manifolds goes.
        if last != NONE {
            contacts.manifolds[last as usize].next = NONE;
        }
        while link != NONE {
            let next = contacts.manifolds[link as usize].next;
            self.graph.remove(contacts, link, a, b);
            contacts.free_manifold(link);
            link = next;
        }
        self.refresh_materials(index);
    }

    /// Looks up the materials of manifolds that have none yet, and the velocities of surfaces that move.
    fn refresh_materials(&mut self, index: u32) {
        let hooked = self.contacts.all[index as usize].has(Contact::HOOKED);
        let mut m = self.contacts.all[index as usize].manifolds;
        while m != NONE {
            // What a hook changed held for the last step only.
            if hooked || self.contacts.manifolds[m as usize].flags & ContactManifold::RESOLVED == 0 {
                self.resolve_material(index, m);
            }
            if self.contacts.manifolds[m as usize].flags & ContactManifold::CONVEYS != 0 {
                let (pair, velocity) = (self.contacts.surface_pair(m), self.surface_velocity(m));
                self.contacts.set_surface(m, pair, velocity);
            }
            m = self.contacts.manifolds[m as usize].next;
        }
    }

    /// Looks up the coefficients of a manifold.
    fn resolve_material(&mut self, contact: u32, manifold: u32) {
        let c = &self.contacts.all[contact as usize];
        let (Some(ca), Some(cb)) = (self.colliders.at(c.collider_a), self.colliders.at(c.collider_b)) else { return };
        let slots = self.contacts.manifolds[manifold as usize].material_slots;
        let (a, b) = (ca.material(slots as u16), cb.material((slots >> 16) as u16));
        let mut pair = SurfacePair::from(self.coefficients(a, b));
        let mut conveys = false;
        for material in [a, b] {
            let Ok(m) = self.materials.get(material) else { continue };
            conveys |= m.surface_velocity != Vec3::ZERO;
            // The softer of two soft surfaces counts.
            if let Some(s) = m.softness
                && (pair.hertz == 0.0 || s.hertz < pair.hertz)
            {
                pair.hertz = s.hertz;
                pair.damping_ratio = s.damping_ratio;
            }
        }
        let impacts = c.has(Contact::IMPACTS);
        let m = &mut self.contacts.manifolds[manifold as usize];
        m.flags = m.flags & ContactManifold::FLAT | ContactManifold::RESOLVED;
        m.flags |= if conveys { ContactManifold::CONVEYS } else { 0 };
        m.flags |= if impacts { ContactManifold::IMPACTS } else { 0 };
        // What a hook has set held for one step.
        self.contacts.set_surface(manifold, pair, Vec3::ZERO);
    }

    /// Velocity of surface B relative to surface A, in world axes, of a manifold: surfaces turn with their bodies.
    fn surface_velocity(&self, manifold: u32) -> Vec3 {
        let m = &self.contacts.manifolds[manifold as usize];
        let c = &self.contacts.all[m.contact as usize];
        let of = |collider: u32, body: u32, slot: u16| {
            let material = self.colliders.at(collider).and_then(|c| self.materials.get(c.material(slot)).ok());
            let rotation = self.bodies.pose[self.bodies.dense_at(body)].rotation;
            material.map_or(Vec3::ZERO, |m| rotation.rotate(m.surface_velocity))
        };
        let slots = m.material_slots;
        of(c.collider_b, c.body_b, (slots >> 16) as u16) - of(c.collider_a, c.body_a, slots as u16)
    }

    /// The coefficients of all contacts of a body, or of one of its colliders, must be looked up again.
    pub fn forget_materials(&mut self, body: u32) {
        let mut next = self.contacts.first_of(body);
        while let Some(contact) = next {
            next = self.contacts.next_of(contact, body);
            let mut m = self.contacts.all[contact as usize].manifolds;
            while m != NONE {
                self.contacts.manifolds[m as usize].flags &= !ContactManifold::RESOLVED;
                m = self.contacts.manifolds[m as usize].next;
            }
        }
    }

    /// The box around a collider in the world, as the broad phase is told: grown by half of the detection distance, so
    /// that all pairs within it are found.
    #[inline(always)]
    pub fn collider_bounds(&self, collider: &Collider, pose: &WorldPose) -> Aabb {
        let half = 0.5 * self.method.tolerances.detection * self.method.tolerances.length;
        collider.shape.bounds(&Pose::new(Vec3::ZERO, pose.rotation)).expanded(half).moved_to(pose.translation)
    }

    /// Puts a collider into the broad phase, if it can meet anything.
    pub fn create_proxy(&mut self, slot: u32) {
        let Some(collider) = self.colliders.at(slot) else { return };
        let Some(body) = self.bodies.cold.at(collider.body) else { return };
        if collider.proxy != NO_PROXY || !body.active || !collider.collides {
            return;
        }
        let kind = if body.kind == BodyKind::Fixed { ProxyKind::Fixed } else { ProxyKind::Moving };
        let placed = Placed::of(&self.bodies, collider, collider.shape.farthest_from(Vec3::ZERO));
        let aabb = self.collider_bounds(collider, &placed.pose);
        let layers = collider.layers.member;
        let margin = match kind {
            // What does not move needs no room to move in.
            ProxyKind::Fixed => 0.0,
            ProxyKind::Moving => self.method.tolerances.box_margin * self.method.tolerances.length,
        };
        let proxy = self.broad.create_proxy(&ProxyDesc { aabb, kind, user: slot, layers, margin });
        if let Some(collider) = self.colliders.at_mut(slot) {
            collider.proxy = proxy.0;
        }
        if self.placed.len() <= slot as usize {
            self.placed.resize(slot as usize + 1, Placed::NOWHERE);
        }
        self.placed[slot as usize] = Placed { proxy: proxy.0, ..placed };
    }

    /// Takes a collider out of the broad phase, and ends all its contacts.
    pub fn destroy_proxy(&mut self, slot: u32) {
        let Some(collider) = self.colliders.at(slot) else { return };
        let (body, proxy) = (collider.body, collider.proxy);
        self.remove_contacts(body, Some(slot));
        if proxy != NO_PROXY {
            self.broad.destroy_proxy(ProxyId(proxy));
            if let Some(collider) = self.colliders.at_mut(slot) {
                collider.proxy = NO_PROXY;
            }
            self.placed[slot as usize].proxy = NO_PROXY;
        }
    }

    /// Ends all contacts of a body and finds them anew in the next step: after a change of kind, filter or activity.
    pub fn rebuild_proxies(&mut self, body: u32) {
        let Some(cold) = self.bodies.cold.at(body) else { return };
        for i in 0..cold.colliders.len() {
            let Some(&slot) = self.bodies.cold.at(body).and_then(|c| c.colliders.get(i)) else { break };
            self.destroy_proxy(slot);
            self.create_proxy(slot);
        }
    }

    /// Tells the broad phase where the colliders of a body are now, and how far they will probably go until it is told again.
    ///
    /// `looked`: the contacts were looked at since the body was last moved. Of one that is not awake, nobody will say so before it moves again;
    /// so what its contacts know of being clear is forgotten instead of counting its turn.
    pub fn move_proxies(&mut self, body: u32, displacement: Vec3, looked: bool) {
        let stands = !self.bodies.is_awake(body);
        if stands && !looked {
            self.contacts.forget_clearances(body);
        }
        let mut places = take(&mut self.placed);
        let (dense, mut leaves) = (self.bodies.dense_at(body), false);
        let shared = Shared::new(&mut places);
        // SAFETY: nobody else has them.
        unsafe { self.note_places(body, dense, displacement, looked, shared, |_, _| leaves = true) };
        self.placed = places;
        if stands {
            for &slot in self.bodies.cold.at(body).map_or(&[][..], |cold| &cold.colliders) {
                if let Some(place) = self.placed.get_mut(slot as usize) {
                    place.turned = 0.0;
                }
            }
        }
        if leaves {
            self.move_boxes(body, displacement);
        }
    }

    /// The first half of [`State::move_proxies`]: notes in `places`, which are those of the state, where the colliders of a body are. Several threads may do
    /// it for different bodies; `dense` is the index of this one. Calls for each collider that has left its box.
    ///
    /// # Safety
    /// Nobody else may hold the places of this body's colliders.
    pub unsafe fn note_places(
        &self,
        body: u32,
        dense: usize,
        displacement: Vec3,
        looked: bool,
        places: Shared<'_, Placed>,
        mut leaves: impl FnMut(ProxyId, &Aabb),
    ) {
        let Some(cold) = self.bodies.cold.at(body) else { return };
        let (at, centre) = (&self.bodies.pose[dense], self.bodies.params[dense].local_centre);
        for &slot in &cold.colliders {
            let Some(collider) = self.colliders.at(slot).filter(|c| c.proxy != NO_PROXY) else { continue };
            // SAFETY: as promised by the caller.
            let place = unsafe { places.get(slot as usize) };
            let now = Placed::on(at, centre, collider, place.radius).come_from(place, looked);
            let bounds = self.collider_bounds(collider, &now.pose);
            *place = now;
            if self.broad.must_move(ProxyId(collider.proxy), &bounds, displacement) {
                leaves(ProxyId(collider.proxy), &bounds);
            }
        }
    }

    /// Gives other boxes to those colliders of a body, whose places are noted, that have left theirs.
    fn move_boxes(&mut self, body: u32, displacement: Vec3) {
        let Some(cold) = self.bodies.cold.at(body) else { return };
        for &slot in &cold.colliders {
            let Some(collider) = self.colliders.at(slot).filter(|c| c.proxy != NO_PROXY) else { continue };
            let bounds = self.collider_bounds(collider, &self.placed[slot as usize].pose);
            self.broad.move_proxy(ProxyId(collider.proxy), &bounds, displacement);
        }
    }
}
