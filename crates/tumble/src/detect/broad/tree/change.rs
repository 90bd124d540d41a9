//! Moving leaves, refitting what is above them, and rotations that keep the tree good while everything moves.

use super::{CHANGED, DynamicTree, INDEX, LeafId, MAX_HEIGHT, UNBOUNDED, WORN, is_bounded, is_box};
use crate::math::{Aabb, Float, Real};

/// Wear per worn leaf at which building their part of the tree again costs less than going on with it: found by measuring
/// refit, rebuild and search together on stirred piles.
pub(super) const WEAR_LIMIT: f64 = 0.4;

impl DynamicTree {
    /// Gives a leaf another box and puts it where it now costs least, as if removed and inserted: for boxes that have
    /// jumped. The leaf counts as changed until [`Self::settle`].
    /// Does nothing to a leaf that does not exist.
    pub fn move_leaf(&mut self, leaf: LeafId, aabb: Aabb) {
        debug_assert!(is_box(&aabb));
        if !self.contains(leaf) {
            return;
        }
        let mut node = self.detach(leaf);
        self.changed += u32::from(!node.is_changed());
        node.aabb = aabb;
        node.link |= CHANGED;
        self.attach(node);
    }

    /// Gives a leaf another box and enlarges its ancestors where they do not contain it: for boxes that have crept.
    /// Cheap; what the tree loses in quality, [`Self::maintain`] wins back. The leaf counts as changed until
    /// [`Self::settle`].
    /// Does nothing to a leaf that does not exist.
    pub fn enlarge_leaf(&mut self, leaf: LeafId, aabb: Aabb) {
        debug_assert!(is_box(&aabb));
        if !self.contains(leaf) {
            return;
        }
        let slot = self.leaves[leaf.0 as usize].slot;
        if slot & UNBOUNDED != 0 || !is_bounded(&aabb) {
            return self.move_leaf(leaf, aabb);
        }
        let node = self.node_mut(slot);
        let before = *node;
        node.aabb = aabb;
        node.link |= CHANGED | WORN;
        self.changed += u32::from(!before.is_changed());
        self.worn += u32::from(before.link & WORN == 0);
        // Growth of the box that would have to hold old and new, relative to the new; 2/3 of the way for a cube that moves
        // along an axis, in edges.
        let growth = (before.aabb.union(&aabb).surface_area() / aabb.surface_area() - 1.0).to_f64();
        // A flat box has no area to compare with, a huge one an infinite area: they count as jumps.
        self.wear += if growth < WEAR_LIMIT { growth } else { WEAR_LIMIT };
        self.enlarge_upwards(slot, &aabb, CHANGED | WORN);
    }

    /// Marks a leaf as changed although its box is the same. Does nothing to a leaf that does not exist.
    pub fn touch_leaf(&mut self, leaf: LeafId) {
        if !self.contains(leaf) {
            return;
        }
        let slot = self.leaves[leaf.0 as usize].slot;
        if slot & UNBOUNDED != 0 {
            let node = &mut self.unbounded[(slot & INDEX) as usize];
            self.changed += u32::from(!node.is_changed());
            node.link |= CHANGED;
            return;
        }
        let node = self.node_mut(slot);
        let before = *node;
        node.link |= CHANGED;
        self.changed += u32::from(!before.is_changed());
        self.enlarge_upwards(slot, &before.aabb, CHANGED);
    }

    /// Puts a leaf into other layers. Does nothing to a leaf that does not exist.
    pub fn set_layers(&mut self, leaf: LeafId, layers: u32) {
        if !self.contains(leaf) {
            return;
        }
        let slot = self.leaves[leaf.0 as usize].slot;
        if slot & UNBOUNDED != 0 {
            self.unbounded[(slot & INDEX) as usize].layers = layers;
            return;
        }
        self.node_mut(slot).layers = layers;
        if slot != 0 {
            self.refit_upwards(self.upper[(slot >> 1) as usize], false);
        }
    }

    /// Makes every ancestor of `slot` contain `aabb` and carry `marks`.
    fn enlarge_upwards(&mut self, slot: u32, aabb: &Aabb, marks: u32) {
        let mut slot = slot;
        while slot > 1 {
            slot = self.upper[(slot >> 1) as usize];
            let node = self.node_mut(slot);
            // What holds for a node holds for all above it.
            if node.link & marks == marks && node.aabb.contains(aabb) {
                return;
            }
            node.aabb = node.aabb.union(aabb);
            node.link |= marks;
        }
    }

    /// Makes the inner node at `slot` and all above it exact again.
    pub(super) fn refit_upwards(&mut self, slot: u32, rotate: bool) {
        let mut slot = slot;
        loop {
            if rotate {
                self.rotate(slot);
            }
            let before = (*self.node(slot), self.node_height(slot));
            self.refit_node(slot);
            if slot == 0 || (!rotate && before == (*self.node(slot), self.node_height(slot))) {
                return;
            }
            slot = self.upper[(slot >> 1) as usize];
        }
    }

    /// Recomputes the inner node at `slot` from its children.
    #[inline(always)]
    fn refit_node(&mut self, slot: u32) {
        let pair = self.node(slot).index();
        *self.node_mut(slot) = self.pairs[pair as usize].joined(pair);
        self.set_height(slot, self.height_over(pair));
    }

    /// What keeps a tree good while its leaves move; to be called once per step. Costs nothing where nothing moved.
    ///
    /// Refits, until the worn leaves (inserted or moved since they were last arranged) have crept so far on average that
    /// their part of the tree is worth building again.
    pub fn maintain(&mut self) {
        self.forget_build();
        if self.worn == 0 {
            // What was only touched has the box that it had.
            return;
        }
        if self.wear >= WEAR_LIMIT * f64::from(self.worn) {
            self.rebuild_worn();
        } else {
            self.refit();
        }
    }

    /// Makes the boxes above all changed leaves exact, and rotates where that makes the tree better.
    ///
    /// Visits changed nodes only, from the leaves upwards.
    pub fn refit(&mut self) {
        let root = self.root();
        if root.is_changed() && !root.is_leaf() {
            self.refit_below(0);
            if self.height() > MAX_HEIGHT {
                self.rebuild_balanced();
            }
        }
    }

    fn refit_below(&mut self, slot: u32) {
        let pair = self.node(slot).index();
        for side in 0..2 {
            let child = &self.pairs[pair as usize].0[side];
            if child.is_changed() && !child.is_leaf() {
                self.refit_below(pair * 2 + side as u32);
            }
        }
        self.rotate(slot);
        self.refit_node(slot);
    }

    /// Forgets which leaves were changed.
    pub fn settle(&mut self) {
        if self.changed == 0 {
            return;
        }
        for node in &mut self.unbounded {
            node.link &= !CHANGED;
        }
        if self.changed as usize * 4 > self.len() {
            // Along memory, where much has changed.
            for node in self.pairs.iter_mut().flat_map(|pair| &mut pair.0) {
                node.link &= !CHANGED;
            }
        } else if self.root().is_changed() {
            self.settle_below(0);
        }
        self.changed = 0;
    }

    fn settle_below(&mut self, slot: u32) {
        let node = self.node_mut(slot);
        node.link &= !CHANGED;
        if node.is_leaf() {
            return;
        }
        let pair = node.index();
        for side in 0..2 {
            if self.pairs[pair as usize].0[side].is_changed() {
                self.settle_below(pair * 2 + side as u32);
            }
        }
    }

    /// Applies the best of the six exchanges below the inner node at `slot` that lower C(T), if any does:
    ///
    /// ```text
    ///        N            a child with a grandchild on the other side:  R↔LL  R↔LR  L↔RL  L↔RR
    ///     L     R         or two grandchildren:                        LL↔RL  LL↔RR
    ///   LL LR RL RR
    /// ```
    ///
    /// N keeps its box, so only SA(L) and SA(R) count (Kopta et al., "Fast, effective BVH updates for animated scenes",
    /// 2012). Areas that overflow compare as not better.
    fn rotate(&mut self, slot: u32) {
        let pair = self.node(slot).index();
        let [l, r] = self.pairs[pair as usize].0;
        if l.is_leaf() && r.is_leaf() {
            return;
        }
        let (left, right) = (pair * 2, pair * 2 + 1);
        let joint = |a: &Aabb, b: &Aabb| a.union(b).surface_area();
        let mut best: Real = 0.0;
        let mut swap = None;
        let mut consider = |gain: Real, a: u32, b: u32| {
            if gain > best {
                best = gain;
                swap = Some((a, b));
            }
        };
        let ll = l.index() * 2;
        let rl = r.index() * 2;
        if !l.is_leaf() {
            let [a, b] = &self.pairs[l.index() as usize].0;
            let now = joint(&a.aabb, &b.aabb);
            consider(now - joint(&r.aabb, &b.aabb), right, ll);
            consider(now - joint(&r.aabb, &a.aabb), right, ll + 1);
        }
        if !r.is_leaf() {
            let [c, d] = &self.pairs[r.index() as usize].0;
            let now = joint(&c.aabb, &d.aabb);
            consider(now - joint(&l.aabb, &d.aabb), left, rl);
            consider(now - joint(&l.aabb, &c.aabb), left, rl + 1);
            if !l.is_leaf() {
                let [a, b] = &self.pairs[l.index() as usize].0;
                let now = now + joint(&a.aabb, &b.aabb);
                consider(now - (joint(&c.aabb, &b.aabb) + joint(&a.aabb, &d.aabb)), ll, rl);
                consider(now - (joint(&d.aabb, &b.aabb) + joint(&c.aabb, &a.aabb)), ll, rl + 1);
            }
        }
        if let Some((a, b)) = swap {
            let (na, ha) = (*self.node(a), self.node_height(a));
            let (nb, hb) = (*self.node(b), self.node_height(b));
            self.place(a, nb, hb);
            self.place(b, na, ha);
            // The child that got another grandchild; after an exchange of grandchildren, both.
            for child in [left, right] {
                if !self.node(child).is_leaf() {
                    self.refit_node(child);
                }
            }
        }
    }
}
