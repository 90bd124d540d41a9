//! Islands, kept from step to step.
//!
//! A new edge merges the islands of its two ends: the bodies of the smaller one are relabelled and its list is appended to
//! the larger one's. A lost edge may have cut the island in two; that is only found out when it matters, before the island
//! falls asleep. So an island may be larger than it need be, never smaller, and the cost per step is that of the edges
//! that changed.

mod record;

use crate::constraint::contact::NONE;

/// Bodies that influence each other.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Zeroable, bytemuck::Pod)]
#[repr(C)]
pub(crate) struct Island {
    pub first: u32,
    pub last: u32,
    pub count: u32,
    /// Edges lost since the island was last known to hang together.
    pub lost_edges: u32,
    /// The step, modulo 2³², in which some body of it was last found busy.
    pub busy: u32,
    /// The next free island, in the list of free ones.
    pub next_free: u32,
}

/// Where a body stands in its island.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Zeroable, bytemuck::Pod)]
#[repr(C)]
pub(crate) struct Member {
    pub island: u32,
    pub next: u32,
}

const NOWHERE: Member = Member { island: NONE, next: NONE };

/// All islands of a world.
#[derive(Clone, Debug)]
pub(crate) struct Islands {
    pub all: Vec<Island>,
    /// By body slot.
    pub members: Vec<Member>,
    free: u32,
    /// By island: the epoch in which all its bodies were last woken. A note that saves waking them again, of which nothing that happens
    /// depends; it is not recorded.
    woken: Vec<u32>,
    /// Begins anew whenever the idle times of bodies go on; 0 is none.
    epoch: u32,
}

impl Islands {
    pub fn new() -> Self {
        Self { all: Vec::new(), members: Vec::new(), free: NONE, woken: Vec::new(), epoch: 1 }
    }

    /// Makes room for so many more bodies.
    pub fn reserve(&mut self, more: usize) {
        self.all.reserve_exact(more);
        // One more, for the slot of the built-in body.
        self.members.reserve_exact(more + 1);
        self.woken.reserve_exact(more + 1);
    }

    /// The island of a body, or `NONE` for bodies that are not dynamic.
    pub fn of(&self, body: u32) -> u32 {
        self.members.get(body as usize).map_or(NONE, |m| m.island)
    }

    /// Idle times go on: who was woken before may have to be woken again.
    pub fn begin_epoch(&mut self) {
        self.epoch = self.epoch.checked_add(1).unwrap_or_else(|| {
            self.woken.clear();
            1
        });
    }

    /// All bodies of the island are awake, with idle times of zero.
    pub fn is_fresh(&self, island: u32) -> bool {
        self.woken.get(island as usize) == Some(&self.epoch)
    }

    /// Notes that all bodies of an island have been woken, or that this is no longer so.
    pub fn set_fresh(&mut self, island: u32, fresh: bool) {
        if self.woken.len() <= island as usize {
            self.woken.resize(island as usize + 1, 0);
        }
        self.woken[island as usize] = if fresh { self.epoch } else { 0 };
    }

    /// The bodies of an island.
    pub fn bodies(&self, island: u32) -> Bodies<'_> {
        Bodies { islands: self, next: self.all[island as usize].first }
    }

    /// Gives a body an island of its own.
    pub fn add(&mut self, body: u32) {
        if self.members.len() <= body as usize {
            self.members.resize(body as usize + 1, NOWHERE);
        }
        if self.members[body as usize].island != NONE {
            return;
        }
        let island = self.new_island();
        self.append(island, body);
    }

    fn new_island(&mut self) -> u32 {
        let fresh = Island { first: NONE, last: NONE, count: 0, lost_edges: 0, busy: 0, next_free: NONE };
        if self.free == NONE {
            self.all.push(fresh);
            return self.all.len() as u32 - 1;
        }
        let island = self.free;
        self.free = self.all[island as usize].next_free;
        self.all[island as usize] = fresh;
        self.set_fresh(island, false);
        island
    }

    fn append(&mut self, island: u32, body: u32) {
        let i = &mut self.all[island as usize];
        self.members[body as usize] = Member { island, next: NONE };
        if i.last == NONE {
            i.first = body;
        } else {
            self.members[i.last as usize].next = body;
        }
        i.last = body;
        i.count += 1;
    }

    /// Takes a body out of its island; what it held together may fall apart.
    pub fn remove(&mut self, body: u32) {
        let island = self.of(body);
        if island == NONE {
            return;
        }
        // A walk over the list: removing bodies is rare, and their islands are mostly small.
        let next = self.members[body as usize].next;
        let mut before = NONE;
        let mut b = self.all[island as usize].first;
        while b != body && b != NONE {
            before = b;
            b = self.members[b as usize].next;
        }
        let i = &mut self.all[island as usize];
        if before == NONE {
            i.first = next;
        } else {
            self.members[before as usize].next = next;
        }
        if i.last == body {
            i.last = before;
        }
        i.count -= 1;
        i.lost_edges = i.lost_edges.saturating_add(1);
        if i.count == 0 {
            self.drop_island(island);
        }
        self.members[body as usize] = NOWHERE;
    }

    fn drop_island(&mut self, island: u32) {
        self.all[island as usize] =
            Island { first: NONE, last: NONE, count: 0, lost_edges: 0, busy: 0, next_free: self.free };
        self.free = island;
    }

    /// An edge came between two bodies: their islands become one.
    pub fn link(&mut self, body_a: u32, body_b: u32) {
        let (a, b) = (self.of(body_a), self.of(body_b));
        if a == b || a == NONE || b == NONE {
            return;
        }
        // Equal sizes: the smaller index stays, so that the outcome does not depend on which end is called a.
        let a_stays = match self.all[a as usize].count.cmp(&self.all[b as usize].count) {
            core::cmp::Ordering::Equal => a < b,
            order => order.is_gt(),
        };
        let (keep, give) = if a_stays { (a, b) } else { (b, a) };
        let fresh = self.is_fresh(keep) && self.is_fresh(give);
        self.set_fresh(keep, fresh);
        let given = self.all[give as usize];
        let mut body = given.first;
        while body != NONE {
            let m = &mut self.members[body as usize];
            m.island = keep;
            body = m.next;
        }
        let k = &mut self.all[keep as usize];
        self.members[k.last as usize].next = given.first;
        k.last = given.last;
        k.count += given.count;
        k.lost_edges = k.lost_edges.saturating_add(given.lost_edges);
        self.drop_island(give);
    }

    /// An edge between two bodies is gone.
    pub fn unlink(&mut self, body_a: u32, body_b: u32) {
        let a = self.of(body_a);
        if a != NONE && a == self.of(body_b) {
            let lost = &mut self.all[a as usize].lost_edges;
            *lost = lost.saturating_add(1);
        }
    }

    /// Cuts an island into its connected parts. `neighbours` calls back with every body that shares an edge with the one
    /// given. `stack` is scratch space.
    pub fn split(&mut self, island: u32, stack: &mut Vec<u32>, mut neighbours: impl FnMut(u32, &mut Vec<u32>)) {
        let start = self.all[island as usize];
        let busy = start.busy;
        // The list is taken apart as the parts are built: `pending` walks what is left of it by order of the old list.
        let mut order: Vec<u32> = self.bodies(island).collect();
        for &body in &order {
            self.members[body as usize].island = NONE;
        }
        self.drop_island(island);
        for body in order.drain(..) {
            if self.members[body as usize].island != NONE {
                continue;
            }
            let part = self.new_island();
            self.all[part as usize].busy = busy;
            stack.clear();
            stack.push(body);
            // Marked when pushed, so that nothing is pushed twice.
            self.append(part, body);
            let mut found = Vec::new();
            while let Some(b) = stack.pop() {
                found.clear();
                neighbours(b, &mut found);
                for &n in &found {
                    if self.members.get(n as usize).is_some_and(|m| m.island == NONE) {
                        self.append(part, n);
                        stack.push(n);
                    }
                }
            }
        }
    }
}

/// The bodies of an island.
pub(crate) struct Bodies<'a> {
    islands: &'a Islands,
    next: u32,
}

impl Iterator for Bodies<'_> {
    type Item = u32;
    fn next(&mut self) -> Option<u32> {
        let body = self.next;
        if body == NONE {
            return None;
        }
        self.next = self.islands.members[body as usize].next;
        Some(body)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{BTreeMap, BTreeSet};

    /// Random edges come and go; after a split the islands are the connected parts, and before it never smaller.
    #[test]
    fn islands_are_connected_parts() {
        let mut seed = 1u64;
        let mut random = move |n: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % n
        };
        for _ in 0..200 {
            let n = 20;
            let mut islands = Islands::new();
            for b in 0..n {
                islands.add(b);
            }
            let mut edges: BTreeSet<(u32, u32)> = BTreeSet::new();
            for _ in 0..60 {
                let (a, b) = (random(u64::from(n)) as u32, random(u64::from(n)) as u32);
                if a == b {
                    continue;
                }
                let edge = (a.min(b), a.max(b));
                if edges.remove(&edge) {
                    islands.unlink(a, b);
                } else {
                    edges.insert(edge);
                    islands.link(a, b);
                }
            }
            for &(a, b) in &edges {
                assert_eq!(islands.of(a), islands.of(b), "an edge inside one island");
            }
            let all: BTreeSet<u32> = (0..n).map(|b| islands.of(b)).collect();
            let mut stack = Vec::new();
            for island in all {
                if islands.all[island as usize].lost_edges > 0 {
                    islands.split(island, &mut stack, |b, out| {
                        for &(x, y) in &edges {
                            if x == b {
                                out.push(y);
                            } else if y == b {
                                out.push(x);
                            }
                        }
                    });
                }
            }
            // Reference: labels spread along edges until nothing changes.
            let mut label: BTreeMap<u32, u32> = (0..n).map(|b| (b, b)).collect();
            loop {
                let mut changed = false;
                for &(a, b) in &edges {
                    let low = label[&a].min(label[&b]);
                    for e in [a, b] {
                        changed |= label.insert(e, low) != Some(low);
                    }
                }
                if !changed {
                    break;
                }
            }
            for a in 0..n {
                for b in 0..n {
                    assert_eq!(islands.of(a) == islands.of(b), label[&a] == label[&b]);
                }
                assert!(islands.bodies(islands.of(a)).any(|b| b == a));
            }
            let total: u32 = islands.all.iter().map(|i| i.count).sum();
            assert_eq!(total, n);
        }
    }
}
