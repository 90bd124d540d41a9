//! Insertion by branch and bound (002-32..34) and removal (002-36).

use super::change::WEAR_LIMIT;
use super::{CHANGED, DynamicTree, LEAF, LeafId, MAX_HEIGHT, Node, UNBOUNDED, WORN, area, is_bounded, is_box};
use crate::math::Aabb;

impl DynamicTree {
    /// Adds a leaf where it makes the tree grow least. It counts as changed until [`Self::settle`].
    ///
    /// `user` is the owner's number; a query sees the leaf if its mask and `layers` have a bit in common. The box may be
    /// infinite, but not NaN.
    pub fn insert(&mut self, aabb: Aabb, user: u32, layers: u32) -> LeafId {
        debug_assert!(is_box(&aabb));
        let leaf = self.take_leaf(user);
        self.changed += 1;
        self.attach(Node { aabb, link: LEAF | CHANGED | leaf.0, layers });
        leaf
    }

    /// Removes a leaf; says whether it was there.
    pub fn remove(&mut self, leaf: LeafId) -> bool {
        let exists = self.contains(leaf);
        if exists {
            let node = self.detach(leaf);
            self.changed -= u32::from(node.is_changed());
            self.give_leaf(leaf);
        }
        exists
    }

    /// Puts a leaf node, which is not marked as worn, into the tree or into the list.
    pub(super) fn attach(&mut self, mut node: Node) {
        if !is_bounded(&node.aabb) {
            self.leaves[node.index() as usize].slot = UNBOUNDED | self.unbounded.len() as u32;
            self.unbounded.push(node);
            return;
        }
        node.link |= WORN;
        self.worn += 1;
        self.wear += WEAR_LIMIT;
        if self.is_vacant() {
            if self.pairs.is_empty() {
                self.take_pair();
            }
            self.place(0, node, 0);
        } else {
            let (sibling, _) = self.best_sibling(&node.aabb);
            let parent = self.join(sibling, node);
            self.refit_upwards(parent, true);
            if self.height() > MAX_HEIGHT {
                self.rebuild_balanced();
            }
        }
    }

    /// Takes the node of a leaf that exists out of the tree or the list, and its mark of wear away.
    pub(super) fn detach(&mut self, leaf: LeafId) -> Node {
        let slot = self.leaves[leaf.0 as usize].slot;
        if slot & UNBOUNDED != 0 {
            let place = (slot & !UNBOUNDED) as usize;
            let node = self.unbounded.swap_remove(place);
            if let Some(moved) = self.unbounded.get(place) {
                self.leaves[moved.index() as usize].slot = slot;
            }
            return node;
        }
        let mut node = *self.node(slot);
        self.worn -= u32::from(node.link & WORN != 0);
        node.link &= !WORN;
        if slot == 0 {
            *self.node_mut(0) = Node::VACANT;
            return node;
        }
        let parent = self.upper[(slot >> 1) as usize];
        let sibling = *self.node(slot ^ 1);
        let height = self.node_height(slot ^ 1);
        self.give_pair(slot >> 1);
        self.place(parent, sibling, height);
        if parent != 0 {
            self.refit_upwards(self.upper[(parent >> 1) as usize], false);
        }
        node
    }

    /// Makes `node` the sibling of the node at `slot`. Their new parent takes that slot.
    pub(super) fn join(&mut self, slot: u32, node: Node) -> u32 {
        let (sibling, height) = (*self.node(slot), self.node_height(slot));
        let pair = self.take_pair();
        self.upper[pair as usize] = slot;
        self.place(pair * 2, sibling, height);
        self.place(pair * 2 + 1, node, 0);
        *self.node_mut(slot) = self.pairs[pair as usize].joined(pair);
        self.set_height(slot, height + 1);
        slot
    }

    /// The slot at which a leaf with the box `leaf` = L costs least, and that cost.
    ///
    /// With the node H at the slot as sibling, the inner nodes grow by (eq. 4.2 of 002)
    ///
    /// ```text
    /// C_H = SA(H ∪ L) + Σ ΔSA(A) over the ancestors A of H,    ΔSA(A) = SA(A ∪ L) − SA(A)
    /// ```
    ///
    /// The sum is *inherited* on the way down. No node X below H can cost less than inherited + ΔSA(H) + SA(L), since
    /// SA(X ∪ L) ≥ SA(L) and every further ΔSA ≥ 0; subtrees that cannot win by this bound are skipped, the more
    /// promising child is searched first, and what remains is the minimum over all nodes (002-34).
    ///
    /// Where several nodes cost the same (equal boxes), the descent into the lower subtree keeps the tree balanced.
    pub(super) fn best_sibling(&self, leaf: &Aabb) -> (u32, f64) {
        let leaf_area = area(leaf);
        let root = self.root();
        let mut best_cost = area(&root.aabb.union(leaf));
        let mut best = (0, 0.0);
        // Nodes whose children are to be searched, with the cost their children inherit.
        let mut stack = [(0u32, 0.0f64); MAX_HEIGHT + 2];
        let mut top = 0;
        if !root.is_leaf() {
            stack[0] = (root.index(), best_cost - area(&root.aabb));
            top = 1;
        }
        while top > 0 {
            top -= 1;
            let (pair, inherited) = stack[top];
            if inherited + leaf_area >= best_cost {
                continue;
            }
            let mut below = [(0, f64::INFINITY); 2];
            for side in 0..2 {
                let child = &self.pairs[pair as usize].0[side];
                let cost = inherited + area(&child.aabb.union(leaf));
                if cost < best_cost {
                    best_cost = cost;
                    best = (pair * 2 + side as u32, inherited);
                }
                if !child.is_leaf() {
                    below[side] = (child.index(), cost - area(&child.aabb));
                }
            }
            if below[0].1 < below[1].1 {
                below.swap(0, 1);
            }
            for entry in below {
                if entry.1 + leaf_area < best_cost {
                    stack[top] = entry;
                    top += 1;
                }
            }
        }
        let (mut slot, mut inherited) = best;
        while !self.node(slot).is_leaf() {
            let node = self.node(slot);
            inherited += area(&node.aabb.union(leaf)) - area(&node.aabb);
            let first = node.index() * 2;
            let ties = |slot: u32| inherited + area(&self.node(slot).aabb.union(leaf)) <= best_cost;
            slot = match (ties(first), ties(first + 1)) {
                (true, true) => first + u32::from(self.node_height(first + 1) < self.node_height(first)),
                (true, false) => first,
                (false, true) => first + 1,
                (false, false) => break,
            };
        }
        (slot, best_cost)
    }
}
