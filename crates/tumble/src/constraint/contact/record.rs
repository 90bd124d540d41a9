//! Contacts in snapshots, with the impulses from which the next solve starts.
//!
//! What follows from the rest is not stored: the bodies of the colliders, the links back, the places in the list of awake
//! contacts. That takes less room, and what is made again cannot be wrong.

use super::{Contact, ContactManifold, Contacts, NONE, Neighbours, RelativePose, SOLVED_POINTS};
use crate::body::collider::NO_PROXY;
use crate::detect::broad::{ProxyId, ProxyPair};
use crate::detect::narrow::PairCache;
use crate::error::Result;
use crate::record::parts::Part;
use crate::record::stream::{Sink, Source, save_pods};
use bytemuck::{Pod, Zeroable};

/// A [`Contact`] without what follows from the rest, and without its pose, which not all have.
#[derive(Clone, Copy, Zeroable, Pod)]
#[repr(C)]
struct ContactRecord {
    collider_a: u32,
    collider_b: u32,
    flags: u32,
    manifolds: u32,
    generation: u32,
    /// The contact has a pose.
    posed: u32,
    cache: PairCache,
}

/// What the rest of a world must agree with in a manifold. Walks along lists read these, of which thousands fit into the cache, instead of
/// the manifolds.
#[derive(Clone, Copy)]
pub(crate) struct Placing {
    pub bodies: [u32; 2],
    pub colour: u32,
    pub colour_index: u32,
    contact: u32,
    next: u32,
    point_count: u32,
}

impl From<&ContactManifold> for Placing {
    fn from(m: &ContactManifold) -> Self {
        Self {
            bodies: [m.body_a, m.body_b],
            colour: if m.colour == ContactManifold::NO_COLOUR { NONE } else { u32::from(m.colour) },
            colour_index: m.colour_index,
            contact: m.contact,
            next: m.next,
            point_count: u32::from(m.point_count),
        }
    }
}

/// Manifolds as they were read.
pub(crate) struct Manifolds {
    all: Vec<ContactManifold>,
    placings: Vec<Placing>,
}

impl Manifolds {
    pub fn load(source: &mut Source<'_>) -> Result<Self> {
        let mut placings = Vec::new();
        let all = source.pods_seen(|some: &[ContactManifold], left| {
            placings.reserve_exact(left);
            placings.extend(some.iter().map(Placing::from));
        })?;
        Ok(Self { all, placings })
    }
}

/// Contacts as they were read.
pub(crate) struct LoadedContacts {
    /// Without manifolds, and without bodies.
    contacts: Contacts,
    /// Those, unless they are read elsewhere.
    pub manifolds: Option<Manifolds>,
    /// The bodies of the contacts, as the lists of these say. Like what follows, it is little enough to stay in the cache while walks along lists jump about.
    bodies: Vec<[u32; 2]>,
    /// The contacts that have manifolds, each with its first.
    touching: Vec<[u32; 2]>,
    /// Where they stand among those that are awake; see [`places`].
    places: Vec<u32>,
}

/// Who meets whom, and where: what the rest of a world must agree with in contacts.
pub(crate) struct Met {
    pub pairs: Vec<ProxyPair>,
    pub ties: Vec<[u32; 2]>,
    pub placings: Vec<Placing>,
}

impl LoadedContacts {
    /// The contacts, and what the rest must agree with; `None` where colliders, lists of bodies, contacts and manifolds do not fit. `sides` holds what colliders bring
    /// into their contacts, by slot.
    pub fn join(self, sides: &[Side]) -> Option<(Contacts, Met)> {
        let Manifolds { all, placings } = self.manifolds?;
        let mut contacts = Contacts { manifolds: all, ..self.contacts };
        let (mut pairs, mut ties) = (Vec::with_capacity(self.bodies.len()), Vec::with_capacity(self.bodies.len()));
        for (contact, &bodies) in contacts.all.iter_mut().zip(&self.bodies) {
            if bodies[0] == NONE {
                continue;
            }
            pairs.push(meeting(contact, bodies, sides)?);
            [contact.body_a, contact.body_b] = bodies;
            if contact.ties() {
                ties.push(bodies);
            }
        }
        let sound = contacts.manifold_lists_are_sound(&self.touching, &self.bodies, &self.places, &placings)
            && (contacts.tangents.is_empty() || contacts.tangents.len() == placings.len())
            && (contacts.extras.is_empty() || contacts.extras.len() == placings.len());
        let met = Met { pairs, ties, placings };
        (met.placings.len() < NONE as usize && sound).then_some((contacts, met))
    }
}

/// Records that are written, and read, in one piece; the poses of their contacts follow them, while these are in the cache.
const PART: usize = 64;

impl Contacts {
    pub fn save(&self, out: &mut impl Sink) {
        let Self { all, neighbours, free, manifolds, tangents, extras, free_manifold, awake, heads } = self;
        out.u32s(free);
        out.u32s(awake);
        out.u32(all.len() as u32);
        let mut records = [ContactRecord::zeroed(); PART];
        let mut poses = [RelativePose::zeroed(); PART];
        for part in all.chunks(PART) {
            let mut posed = 0;
            for (contact, record) in part.iter().zip(&mut records) {
                *record = self.record(contact);
                poses[posed] = RelativePose { clearance: 0.0, ..contact.pose };
                posed += record.posed as usize;
            }
            out.bytes(bytemuck::cast_slice(&records[..part.len()]));
            out.bytes(bytemuck::cast_slice(&poses[..posed]));
        }
        // Lists in order, and not their links, along which a reader would have to feel its way.
        let (mut lengths, mut lists) = (Vec::with_capacity(heads.len()), Vec::with_capacity(2 * all.len()));
        for &head in heads {
            let (start, mut at) = (lists.len(), head);
            while at != NONE {
                lists.push(at);
                at = neighbours[(at >> 1) as usize].next[(at & 1) as usize];
            }
            lengths.push((lists.len() - start) as u32);
        }
        out.u32s(&lengths);
        out.u32s(&lists);
        out.part(Part::Manifolds, |out| save_pods(out, manifolds));
        out.u32(*free_manifold);
        save_pods(out, tangents);
        save_pods(out, extras);
    }

    fn record(&self, contact: &Contact) -> ContactRecord {
        let &Contact {
            collider_a,
            collider_b,
            body_a: _,
            body_b: _,
            flags,
            manifolds,
            awake: _,
            generation,
            cache,
            ref pose,
        } = contact;
        // Poses of pairs that do not touch mean nothing.
        let posed = u32::from(flags & Contact::TOUCHING != 0 && pose.is_known());
        ContactRecord { collider_a, collider_b, flags, manifolds, generation, posed, cache }
    }

    /// What [`Contacts::save`] wrote, or an error where a walk along its lists could go astray.
    pub fn load(source: &mut Source<'_>) -> Result<LoadedContacts> {
        let free = source.u32s()?;
        let awake = source.u32s()?;
        let count = source.count(size_of::<ContactRecord>())?;
        let (Some(places), true) = (places(count, &free, &awake), count < (NONE >> 1) as usize) else {
            return Err(source.corrupt("the list of contacts"));
        };
        let (mut all, mut touching) = (Vec::with_capacity(count), Vec::with_capacity(count));
        let mut records = [ContactRecord::zeroed(); PART];
        for places in places.chunks(PART) {
            let records = &mut records[..places.len()];
            let bytes = source.bytes(size_of_val(records))?;
            bytemuck::cast_slice_mut(records).copy_from_slice(bytes);
            let posed = records.iter().map(|r| r.posed as usize).fold(0, usize::saturating_add);
            let mut poses = source.bytes(posed.saturating_mul(size_of::<RelativePose>()))?;
            for (record, &awake) in records.iter().zip(places) {
                let &ContactRecord { collider_a, collider_b, flags, manifolds, generation, posed, cache } = record;
                let pose = match (posed, poses.split_at_checked(size_of::<RelativePose>())) {
                    (0, _) => RelativePose::default(),
                    (1, Some((pose, others))) if flags & Contact::TOUCHING != 0 => {
                        poses = others;
                        RelativePose { clearance: 0.0, ..bytemuck::pod_read_unaligned(pose) }
                    }
                    _ => return Err(source.corrupt("a contact")),
                };
                if awake == FREE {
                    all.push(Contact { generation, body_a: NONE, manifolds: NONE, awake: NONE, ..Contact::zeroed() });
                    continue;
                }
                if manifolds != NONE {
                    touching.push([all.len() as u32, manifolds]);
                }
                // The bodies are known when the lists have been read.
                let (body_a, body_b) = (NONE, NONE);
                all.push(Contact {
                    collider_a,
                    collider_b,
                    body_a,
                    body_b,
                    flags,
                    manifolds,
                    awake,
                    generation,
                    cache,
                    pose,
                });
            }
        }
        let Some((heads, neighbours, bodies)) = linked(source.records()?, source.records()?, &places) else {
            return Err(source.corrupt("the list of contacts"));
        };
        let manifolds = source.part(Part::Manifolds, Manifolds::load)?;
        let free_manifold = source.u32()?;
        let (tangents, extras) = (source.pods()?, source.pods()?);
        let lists = Self { all, neighbours, free, awake, heads, ..Self::default() };
        let contacts = Self { tangents, extras, free_manifold, ..lists };
        Ok(LoadedContacts { contacts, manifolds, bodies, touching, places })
    }

    /// Every manifold belongs to one contact or is free, has no more points than there is room for, and no colour unless its contact is awake. `touching`
    /// are the contacts that have manifolds; `bodies` and `places` are those of all contacts.
    fn manifold_lists_are_sound(
        &self,
        touching: &[[u32; 2]],
        bodies: &[[u32; 2]],
        places: &[u32],
        placings: &[Placing],
    ) -> bool {
        let mut seen = vec![false; placings.len()];
        let mut visit = |m: u32| {
            let seen = seen.get_mut(m as usize)?;
            (!core::mem::replace(seen, true)).then(|| &placings[m as usize])
        };
        for &[contact, first] in touching {
            let mut m = first;
            while m != NONE {
                let Some(placing) = visit(m) else { return false };
                let points = 1..=SOLVED_POINTS as u32;
                let own = placing.contact == contact && placing.bodies == bodies[contact as usize];
                let solved = placing.colour == NONE || places[contact as usize] != NONE;
                if !own || !solved || !points.contains(&placing.point_count) {
                    return false;
                }
                m = placing.next;
            }
        }
        let mut m = self.free_manifold;
        while m != NONE {
            match visit(m) {
                Some(placing) if placing.colour == NONE => m = placing.next,
                _ => return false,
            }
        }
        seen.into_iter().all(|s| s)
    }
}

/// In place of its number in the list of awake contacts: the contact is free.
const FREE: u32 = NONE - 1;

/// Where each contact stands in the list of awake ones, `NONE` for those that do not, and [`FREE`] for those that do not exist. `None` where
/// one is free or awake twice, or both.
fn places(count: usize, free: &[u32], awake: &[u32]) -> Option<Vec<u32>> {
    let mut places = vec![NONE; count];
    let mut put = |contact: u32, place: u32| {
        let old = core::mem::replace(places.get_mut(contact as usize)?, place);
        (old == NONE).then_some(())
    };
    for &contact in free {
        put(contact, FREE)?;
    }
    for (place, &contact) in awake.iter().enumerate() {
        put(contact, place as u32)?;
    }
    Some(places)
}

/// The heads of the bodies' lists of contacts, the links between these, and the bodies of each contact, [`NONE`] for the free ones; from the lists in order: how
/// long they are, and all of them one after the other. `None` where one of those that exist is missing or twice on a list, or a free one is on any.
fn linked(
    lengths: impl ExactSizeIterator<Item = u32>,
    mut lists: impl ExactSizeIterator<Item = u32>,
    places: &[u32],
) -> Option<(Vec<u32>, Vec<Neighbours>, Vec<[u32; 2]>)> {
    let mut bodies = vec![[NONE; 2]; places.len()];
    let mut neighbours = vec![Neighbours::NONE; places.len()];
    let live = places.iter().filter(|&&place| place != FREE).count();
    // As many as there are sides, none of them twice: so all are there.
    if lists.len() != 2 * live || lengths.len() >= NONE as usize {
        return None;
    }
    let mut heads = Vec::with_capacity(lengths.len());
    for (body, length) in lengths.enumerate() {
        let mut prev = NONE;
        heads.push(NONE);
        for _ in 0..length {
            let at = lists.next()?;
            let (contact, side) = ((at >> 1) as usize, (at & 1) as usize);
            if *places.get(contact)? == FREE || bodies[contact][side] != NONE {
                return None;
            }
            bodies[contact][side] = body as u32;
            neighbours[contact].prev[side] = prev;
            match prev {
                NONE => heads[body] = at,
                _ => neighbours[(prev >> 1) as usize].next[(prev & 1) as usize] = at,
            }
            prev = at;
        }
    }
    (lists.len() == 0).then_some((heads, neighbours, bodies))
}

/// What a collider brings into its contacts.
#[derive(Clone, Copy)]
pub(crate) struct Side {
    pub body: u32,
    /// [`NO_PROXY`] for a collider that cannot have contacts.
    pub proxy: u32,
    pub sensor: bool,
    /// The body is dynamic.
    pub dynamic: bool,
}

impl Side {
    /// In place of a collider that does not exist.
    pub const NONE: Self = Self { body: NONE, proxy: NO_PROXY, sensor: false, dynamic: false };
}

/// The pair of boxes of a contact that is on the lists of these bodies; `None` where it is not what its colliders make it.
#[inline]
fn meeting(contact: &Contact, bodies: [u32; 2], sides: &[Side]) -> Option<ProxyPair> {
    let side = |collider: u32| sides.get(collider as usize).filter(|side| side.proxy != NO_PROXY);
    let (a, b) = (side(contact.collider_a)?, side(contact.collider_b)?);
    let has = |flag: u32| contact.has(flag);
    let fits = contact.collider_a < contact.collider_b
        && [a.body, b.body] == bodies
        && a.body != b.body
        && has(Contact::SENSOR) == (a.sensor || b.sensor)
        && has(Contact::JOINS) == (a.dynamic && b.dynamic)
        && (contact.manifolds != NONE) == (has(Contact::TOUCHING) && !has(Contact::SENSOR));
    fits.then(|| ProxyPair::new(ProxyId(a.proxy), ProxyId(b.proxy)))
}

#[cfg(test)]
mod tests {
    use super::{Contact, FREE, NONE, Side, linked, meeting};
    use bytemuck::Zeroable;
    use proptest::prelude::*;

    /// A contact is on the lists of the bodies of its colliders, whether it touches or not.
    #[test]
    fn contacts_on_lists_of_others_are_refused() {
        let side = |body| Side { body, proxy: body, sensor: false, dynamic: true };
        let sides = [side(3), side(4), side(5)];
        let contact =
            Contact { collider_a: 0, collider_b: 1, flags: Contact::JOINS, manifolds: NONE, ..Contact::zeroed() };
        assert!(meeting(&contact, [3, 4], &sides).is_some());
        for others in [[4, 3], [3, 5], [5, 4], [3, 3]] {
            assert!(meeting(&contact, others, &sides).is_none(), "{others:?}");
        }
    }

    proptest! {
        /// Links lead along the lists and back, whatever the order, and the bodies are those on whose lists contacts are; lists that name a side twice or leave one out
        /// are refused.
        #[test]
        fn lists_come_back(
            bodies in prop::collection::vec((0u32..6, 1u32..6, any::<bool>()), 1..40),
            turns in prop::collection::vec(any::<u32>(), 80),
            wrong in any::<(prop::sample::Index, u32)>(),
        ) {
            let pair = |(a, step, free): (u32, u32, bool)| if free { [NONE; 2] } else { [a, (a + step) % 6] };
            let bodies: Vec<[u32; 2]> = bodies.into_iter().map(pair).collect();
            let mut lists = vec![Vec::new(); 6];
            for (contact, bodies) in bodies.iter().enumerate().filter(|(_, bodies)| bodies[0] != NONE) {
                for (side, &body) in bodies.iter().enumerate() {
                    let list: &mut Vec<u32> = &mut lists[body as usize];
                    let key = (contact << 1 | side) as u32;
                    list.insert(turns[key as usize] as usize % (list.len() + 1), key);
                }
            }
            let lengths = || lists.iter().map(|list| list.len() as u32).collect::<Vec<_>>().into_iter();
            let mut keys = lists.concat();
            let places: Vec<u32> = bodies.iter().map(|bodies| if bodies[0] == NONE { FREE } else { NONE }).collect();
            let (heads, neighbours, found) = linked(lengths(), keys.clone().into_iter(), &places).unwrap();
            prop_assert_eq!(found, bodies);
            for (list, &head) in lists.iter().zip(&heads) {
                let (mut prev, mut at) = (NONE, head);
                for &key in list {
                    prop_assert_eq!(at, key);
                    let neighbours = neighbours[(at >> 1) as usize];
                    prop_assert_eq!(neighbours.prev[(at & 1) as usize], prev);
                    (prev, at) = (at, neighbours.next[(at & 1) as usize]);
                }
                prop_assert_eq!(at, NONE);
            }
            if !keys.is_empty() {
                prop_assert!(linked(lengths(), keys[1..].iter().copied(), &places).is_none());
                let place = wrong.0.index(keys.len());
                if keys[place] != wrong.1 % 90 {
                    keys[place] = wrong.1 % 90;
                    prop_assert!(linked(lengths(), keys.into_iter(), &places).is_none());
                }
            }
        }
    }
}
