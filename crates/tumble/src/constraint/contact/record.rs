//! Contacts in snapshots, with the impulses from which the next solve starts.

use super::{Contacts, MAX_POINTS, NONE};
use crate::error::Result;
use crate::record::stream::{Sink, Source, save_pods};

impl Contacts {
    pub fn save(&self, out: &mut impl Sink) {
        let Self { all, free, manifolds, free_manifold, awake, heads } = self;
        save_pods(out, all);
        out.u32s(free);
        save_pods(out, manifolds);
        out.u32(*free_manifold);
        out.u32s(awake);
        out.u32s(heads);
    }

    /// What [`Contacts::save`] wrote, or an error where a walk along its lists could go astray. Whether bodies and
    /// colliders exist is for the caller to find out.
    pub fn load(source: &mut Source<'_>) -> Result<Self> {
        let contacts = Self {
            all: source.pods()?,
            free: source.u32s()?,
            manifolds: source.pods()?,
            free_manifold: source.u32()?,
            awake: source.u32s()?,
            heads: source.u32s()?,
        };
        let small = contacts.all.len() < (NONE >> 1) as usize && contacts.manifolds.len() < NONE as usize;
        match contacts.used() {
            Some(used)
                if small
                    && contacts.body_lists_are_sound(&used)
                    && contacts.awake_list_is_sound(&used)
                    && contacts.manifold_lists_are_sound(&used) =>
            {
                Ok(contacts)
            }
            _ => Err(source.corrupt("the list of contacts")),
        }
    }

    /// The contacts that exist.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = u32> {
        let mut used = self.used().unwrap_or_default();
        used.resize(self.all.len(), false);
        let list: Vec<u32> = (0..self.all.len() as u32).filter(|&c| used[c as usize]).collect();
        list.into_iter()
    }

    /// Which places are taken; `None` where the list of free ones makes no sense.
    fn used(&self) -> Option<Vec<bool>> {
        let mut used = vec![true; self.all.len()];
        for &c in &self.free {
            if !core::mem::replace(used.get_mut(c as usize)?, false) {
                return None;
            }
        }
        Some(used)
    }

    /// Every contact is in the lists of both its bodies, once, and neighbours know each other.
    fn body_lists_are_sound(&self, used: &[bool]) -> bool {
        let mut left = 2 * used.iter().filter(|&&u| u).count();
        for (body, &head) in self.heads.iter().enumerate() {
            let (mut prev, mut at) = (NONE, head);
            while at != NONE {
                let (c, side) = ((at >> 1) as usize, (at & 1) as usize);
                if left == 0 || !used.get(c).is_some_and(|&u| u) {
                    return false;
                }
                let contact = &self.all[c];
                let owner = [contact.body_a, contact.body_b][side];
                if owner as usize != body || contact.prev[side] != prev || contact.body_a == contact.body_b {
                    return false;
                }
                left -= 1;
                (prev, at) = (at, contact.next[side]);
            }
        }
        left == 0
    }

    fn awake_list_is_sound(&self, used: &[bool]) -> bool {
        let listed = |at: usize, c: u32| {
            used.get(c as usize).is_some_and(|&u| u) && self.all[c as usize].awake as usize == at
        };
        let awake = self.all.iter().zip(used).filter(|(c, used)| **used && c.awake != NONE).count();
        awake == self.awake.len() && self.awake.iter().enumerate().all(|(at, &c)| listed(at, c))
    }

    /// Every manifold belongs to one contact or is free, and has no more points than there is room for.
    fn manifold_lists_are_sound(&self, used: &[bool]) -> bool {
        let mut seen = vec![false; self.manifolds.len()];
        let mut visit = |m: u32| seen.get_mut(m as usize).is_some_and(|s| !core::mem::replace(s, true));
        for (c, contact) in self.all.iter().enumerate().filter(|&(c, _)| used[c]) {
            let mut m = contact.manifolds;
            while m != NONE {
                if !visit(m) {
                    return false;
                }
                let manifold = &self.manifolds[m as usize];
                if manifold.contact as usize != c || !(1..=MAX_POINTS as u32).contains(&manifold.point_count) {
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
