//! Contacts in snapshots, with the impulses from which the next solve starts.
//!
//! What follows from the rest is not stored: the bodies of the colliders, the links back, the places in the list of awake
//! contacts. That takes less room, and what is made again cannot be wrong.

use super::{Contact, Contacts, NONE, RelativePose, SOLVED_POINTS};
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
    next: [u32; 2],
    cache: PairCache,
}

impl Contacts {
    pub fn save(&self, out: &mut impl Sink) {
        let Self { all, free, manifolds, free_manifold, awake, heads } = self;
        out.u32(all.len() as u32);
        // In pieces that stay in the cache.
        for part in all.chunks(64) {
            let mut records = [ContactRecord::zeroed(); 64];
            for (contact, record) in part.iter().zip(&mut records) {
                *record = self.record(contact);
            }
            out.bytes(bytemuck::cast_slice(&records[..part.len()]));
        }
        for contact in all.iter().filter(|c| c.pose != RelativePose::default()) {
            out.bytes(bytemuck::bytes_of(&contact.pose));
        }
        out.u32s(free);
        out.u32s(awake);
        out.u32s(heads);
        save_pods(out, manifolds);
        out.u32(*free_manifold);
    }

    fn record(&self, contact: &Contact) -> ContactRecord {
        let Contact {
            collider_a,
            collider_b,
            body_a: _,
            body_b: _,
            flags,
            manifolds,
            awake: _,
            prev: _,
            next,
            generation,
            cache,
            pose,
        } = *contact;
        let posed = u32::from(pose != RelativePose::default());
        ContactRecord { collider_a, collider_b, flags, manifolds, generation, posed, next, cache }
    }

    /// What [`Contacts::save`] wrote, or an error where a walk along its lists could go astray. `body_of` is the body of a
    /// collider, `None` for one that cannot have contacts.
    pub fn load(source: &mut Source<'_>, body_of: impl Fn(u32) -> Option<u32>) -> Result<Self> {
        let mut contacts = Self::new();
        let records: Vec<ContactRecord> = source.pods()?;
        contacts.all.reserve_exact(records.len());
        for record in &records {
            let &ContactRecord { collider_a, collider_b, flags, manifolds, generation, posed, next, cache } = record;
            let pose = match posed {
                0 => RelativePose::default(),
                1 => bytemuck::pod_read_unaligned(source.bytes(size_of::<RelativePose>())?),
                _ => return Err(source.corrupt("a contact")),
            };
            contacts.all.push(Contact {
                collider_a,
                collider_b,
                body_a: 0,
                body_b: 0,
                flags,
                manifolds,
                awake: NONE,
                prev: [NONE; 2],
                next,
                generation,
                cache,
                pose,
            });
        }
        contacts.free = source.u32s()?;
        contacts.awake = source.u32s()?;
        contacts.heads = source.u32s()?;
        contacts.manifolds = source.pods()?;
        contacts.free_manifold = source.u32()?;
        let small = contacts.all.len() < (NONE >> 1) as usize && contacts.manifolds.len() < NONE as usize;
        let sound = small
            && contacts.find_bodies(body_of) == Some(())
            && contacts.link_back() == Some(())
            && contacts.list_awake() == Some(())
            && contacts.manifold_lists_are_sound();
        if sound { Ok(contacts) } else { Err(source.corrupt("the list of contacts")) }
    }

    /// Takes the bodies of the contacts from their colliders. `None` where there are none.
    fn find_bodies(&mut self, body_of: impl Fn(u32) -> Option<u32>) -> Option<()> {
        for &c in &self.free {
            if core::mem::replace(&mut self.all.get_mut(c as usize)?.body_a, NONE) == NONE {
                return None;
            }
        }
        for contact in self.all.iter_mut().filter(|c| c.body_a != NONE) {
            contact.body_a = body_of(contact.collider_a)?;
            contact.body_b = body_of(contact.collider_b)?;
            if contact.body_a == contact.body_b {
                return None;
            }
        }
        Some(())
    }

    /// Follows the lists of all bodies and sets the links back. `None` where a contact is missing, or on a list that is not
    /// that of its body.
    fn link_back(&mut self) -> Option<()> {
        let mut left = 2 * (self.all.len() - self.free.len());
        for (body, &head) in self.heads.iter().enumerate() {
            let (mut prev, mut at) = (NONE, head);
            while at != NONE {
                let contact = self.all.get_mut((at >> 1) as usize)?;
                let side = (at & 1) as usize;
                // Free contacts belong to no body. A list that bites its own tail comes to an end when more than all have
                // been seen.
                if left == 0 || [contact.body_a, contact.body_b][side] as usize != body || contact.body_a == NONE {
                    return None;
                }
                left -= 1;
                contact.prev[side] = prev;
                (prev, at) = (at, contact.next[side]);
            }
        }
        (left == 0).then_some(())
    }

    /// Tells the contacts on the list of awake ones where they are. `None` where one is free or there twice.
    fn list_awake(&mut self) -> Option<()> {
        for (at, &c) in self.awake.iter().enumerate() {
            let contact = self.all.get_mut(c as usize)?;
            if contact.body_a == NONE || contact.awake != NONE {
                return None;
            }
            contact.awake = at as u32;
        }
        Some(())
    }

    /// Every manifold belongs to one contact or is free, and has no more points than there is room for.
    fn manifold_lists_are_sound(&self) -> bool {
        let mut seen = vec![false; self.manifolds.len()];
        let mut visit = |m: u32| seen.get_mut(m as usize).is_some_and(|s| !core::mem::replace(s, true));
        for (c, contact) in self.iter() {
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
