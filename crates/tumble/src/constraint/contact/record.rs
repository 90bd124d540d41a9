//! Contacts in snapshots, with the impulses from which the next solve starts.
//!
//! What follows from the rest is not stored: the bodies of the colliders, the links back, the places in the list of awake
//! contacts. That takes less room, and what is made again cannot be wrong.

use super::{Apart, Contact, Contacts, NONE, Neighbours, RelativePose, SOLVED_POINTS};
use crate::body::collider::NO_PROXY;
use crate::detect::broad::{ProxyId, ProxyPair};
use crate::detect::narrow::PairCache;
use crate::error::Result;
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

/// Records that are written, and read, in one piece; the poses of their contacts follow them, while these are in the cache.
const PART: usize = 64;

impl Contacts {
    pub fn save(&self, out: &mut impl Sink) {
        let Self { all, neighbours, free, manifolds, free_manifold, awake, heads } = self;
        out.u32s(free);
        out.u32s(awake);
        out.u32s(heads);
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
        let mut next = [[0; 2]; 4 * PART];
        for part in neighbours.chunks(next.len()) {
            for (next, neighbours) in next.iter_mut().zip(part) {
                *next = neighbours.next;
            }
            out.bytes(bytemuck::cast_slice(&next[..part.len()]));
        }
        save_pods(out, manifolds);
        out.u32(*free_manifold);
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
            apart: _,
        } = contact;
        let posed = u32::from(pose.is_known());
        ContactRecord { collider_a, collider_b, flags, manifolds, generation, posed, cache }
    }

    /// What [`Contacts::save`] wrote, or an error where a walk along its lists could go astray; and the pairs of boxes that the contacts
    /// stand for. `sides` holds what colliders bring into their contacts, by slot.
    pub fn load(source: &mut Source<'_>, sides: &[Side]) -> Result<(Self, Vec<ProxyPair>)> {
        let free = source.u32s()?;
        let awake = source.u32s()?;
        let heads = source.u32s()?;
        let count = source.count(size_of::<ContactRecord>())?;
        let (Some(places), true) = (places(count, &free, &awake), count < (NONE >> 1) as usize) else {
            return Err(source.corrupt("the list of contacts"));
        };
        let mut all = Vec::with_capacity(count);
        let mut pairs = Vec::with_capacity(count);
        // What the walks below need to know of the contacts, side by side: they jump about, and this little stays in the cache.
        let (mut bodies, mut touching) = (vec![[NONE; 2]; count], Vec::new());
        let (mut records, mut part) = ([ContactRecord::zeroed(); PART], [Contact::zeroed(); PART]);
        for (places, bodies) in places.chunks(PART).zip(bodies.chunks_mut(PART)) {
            let records = &mut records[..places.len()];
            let bytes = source.bytes(size_of_val(records))?;
            bytemuck::cast_slice_mut(records).copy_from_slice(bytes);
            let posed = records.iter().map(|r| r.posed as usize).fold(0, usize::saturating_add);
            let mut poses = source.bytes(posed.saturating_mul(size_of::<RelativePose>()))?;
            let (mut met, mut meetings) = (0, [NO_PAIR; PART]);
            for (i, (((contact, record), bodies), &awake)) in
                part.iter_mut().zip(&*records).zip(bodies).zip(places).enumerate()
            {
                let &ContactRecord { collider_a, collider_b, flags, manifolds, generation, posed, cache } = record;
                let pose = match (posed, poses.split_at_checked(size_of::<RelativePose>())) {
                    (0, _) => RelativePose::default(),
                    (1, Some((pose, others))) => {
                        poses = others;
                        RelativePose { clearance: 0.0, ..bytemuck::pod_read_unaligned(pose) }
                    }
                    _ => return Err(source.corrupt("a contact")),
                };
                if awake == FREE {
                    *contact = Contact { generation, body_a: NONE, manifolds: NONE, awake: NONE, ..Contact::zeroed() };
                    continue;
                }
                let Some(([body_a, body_b], pair)) = meeting(record, sides) else {
                    return Err(source.corrupt("a contact"));
                };
                *contact = Contact {
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
                    apart: Apart::default(),
                };
                *bodies = [body_a, body_b];
                if manifolds != NONE {
                    touching.push((all.len() + i) as u32);
                }
                meetings[met] = pair;
                met += 1;
            }
            all.extend_from_slice(&part[..places.len()]);
            pairs.extend_from_slice(&meetings[..met]);
        }
        let next = source.bytes(count * size_of::<[u32; 2]>())?;
        let neighbours = (next.chunks_exact(8))
            .map(|next| Neighbours { next: bytemuck::pod_read_unaligned(next), ..Neighbours::NONE })
            .collect();
        let manifolds = source.pods()?;
        let mut contacts = Self { all, neighbours, free, manifolds, free_manifold: source.u32()?, awake, heads };
        let sound = contacts.manifolds.len() < NONE as usize
            && contacts.link_back(&bodies) == Some(())
            && contacts.manifold_lists_are_sound(&touching);
        if sound { Ok((contacts, pairs)) } else { Err(source.corrupt("the list of contacts")) }
    }

    /// Follows the lists of all bodies and sets the links back. `None` where a contact is missing, or on a list that is not
    /// that of its body.
    fn link_back(&mut self, bodies: &[[u32; 2]]) -> Option<()> {
        let mut left = 2 * (self.all.len() - self.free.len());
        for (body, &head) in self.heads.iter().enumerate() {
            let (mut prev, mut at) = (NONE, head);
            while at != NONE {
                let (contact, side) = ((at >> 1) as usize, (at & 1) as usize);
                // Free contacts belong to no body. A list that bites its own tail comes to an end when more than all have
                // been seen.
                if left == 0 || bodies.get(contact)?[side] as usize != body || bodies[contact][0] == NONE {
                    return None;
                }
                left -= 1;
                let neighbours = &mut self.neighbours[contact];
                neighbours.prev[side] = prev;
                (prev, at) = (at, neighbours.next[side]);
            }
        }
        (left == 0).then_some(())
    }

    /// Every manifold belongs to one contact or is free, and has no more points than there is room for. `touching` are the contacts that have
    /// manifolds.
    fn manifold_lists_are_sound(&self, touching: &[u32]) -> bool {
        let mut seen = vec![false; self.manifolds.len()];
        let mut visit = |m: u32| seen.get_mut(m as usize).is_some_and(|s| !core::mem::replace(s, true));
        for &c in touching {
            let contact = &self.all[c as usize];
            let mut m = contact.manifolds;
            while m != NONE {
                if !visit(m) {
                    return false;
                }
                let manifold = &self.manifolds[m as usize];
                let bodies = (manifold.body_a, manifold.body_b) == (contact.body_a, contact.body_b);
                let points = 1..=SOLVED_POINTS as u32;
                if manifold.contact != c || !bodies || !points.contains(&manifold.point_count) {
                    return false;
                }
                m = manifold.next;
            }
        }
        let mut m = self.free_manifold;
        while m != NONE {
            if !visit(m) || self.manifolds[m as usize].colour != NONE {
                return false;
            }
            m = self.manifolds[m as usize].next;
        }
        seen.into_iter().all(|s| s)
    }
}

const NO_PAIR: ProxyPair = ProxyPair { a: ProxyId(NO_PROXY), b: ProxyId(NO_PROXY) };

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

/// The bodies of a contact and its pair of boxes; `None` where it is not what its colliders make it.
#[inline]
fn meeting(record: &ContactRecord, sides: &[Side]) -> Option<([u32; 2], ProxyPair)> {
    let side = |collider: u32| sides.get(collider as usize).filter(|side| side.proxy != NO_PROXY);
    let (a, b) = (side(record.collider_a)?, side(record.collider_b)?);
    let has = |flag: u32| record.flags & flag != 0;
    let fits = record.collider_a < record.collider_b
        && a.body != b.body
        && has(Contact::SENSOR) == (a.sensor || b.sensor)
        && has(Contact::JOINS) == (a.dynamic && b.dynamic);
    fits.then(|| ([a.body, b.body], ProxyPair::new(ProxyId(a.proxy), ProxyId(b.proxy))))
}
