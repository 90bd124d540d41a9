//! All overlapping pairs of leaves of which one has changed, by walking two trees, or one with itself, at the same time.
//!
//! Where much has moved, this takes a third of the time of one query per leaf: a node that is far from another is told so
//! once for all leaves below both, and each pair is met once.

use super::{CHANGED, DynamicTree, LEAF, MAX_HEIGHT, Node};

/// A part of the walk. A slot stays valid as long as the tree is not changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meeting {
    /// Pairs of leaves below one node.
    Within(u32),
    /// Pairs of a leaf below the first node, of this tree, with one below the second, of the other tree.
    Between(u32, u32),
}

/// The boxes overlap, and one of them has changed.
#[inline(always)]
fn meets(a: &Node, b: &Node) -> bool {
    a.aabb.overlaps(&b.aabb) & ((a.link | b.link) & CHANGED != 0)
}

impl DynamicTree {
    /// The walk of this tree with itself.
    pub(crate) fn meet_self(&self) -> Option<Meeting> {
        let root = self.root();
        (root.is_changed() && !root.is_leaf()).then_some(Meeting::Within(0))
    }

    /// The walk of this tree with another.
    pub(crate) fn meet_other(&self, other: &Self) -> Option<Meeting> {
        let (a, b) = (self.root(), other.root());
        (!self.is_vacant() && !other.is_vacant() && meets(a, b)).then_some(Meeting::Between(0, 0))
    }

    /// The slots of the changed leaves, in the order of the tree: neighbours follow each other.
    pub(crate) fn changed_slots(&self, out: &mut Vec<u32>) {
        let mut stack = [0u32; MAX_HEIGHT + 2];
        let mut top = usize::from(self.root().is_changed());
        while top > 0 {
            top -= 1;
            let slot = stack[top];
            let node = self.node(slot);
            if node.is_leaf() {
                out.push(slot);
                continue;
            }
            let first = node.index() * 2;
            for child in [first + 1, first] {
                if self.node(child).is_changed() {
                    stack[top] = child;
                    top += 1;
                }
            }
        }
    }

    /// Splits a walk into those that follow from it; `other` is this tree where it walks with itself. Says whether there was
    /// anything to split.
    pub(crate) fn divide(&self, other: &Self, meeting: Meeting, out: &mut Vec<Meeting>) -> bool {
        match meeting {
            Meeting::Within(slot) => {
                let first = self.node(slot).index() * 2;
                let (a, b) = (self.node(first), self.node(first + 1));
                for child in [first, first + 1] {
                    if self.node(child).is_changed() && !self.node(child).is_leaf() {
                        out.push(Meeting::Within(child));
                    }
                }
                if meets(a, b) {
                    out.push(Meeting::Between(first, first + 1));
                }
                true
            }
            Meeting::Between(slot_a, slot_b) => {
                let (a, b) = (self.node(slot_a), other.node(slot_b));
                if a.is_leaf() || b.is_leaf() {
                    out.push(meeting);
                    return false;
                }
                for i in 0..2 {
                    for j in 0..2 {
                        let (c, d) = (a.index() * 2 + i, b.index() * 2 + j);
                        if meets(self.node(c), other.node(d)) {
                            out.push(Meeting::Between(c, d));
                        }
                    }
                }
                true
            }
        }
    }

    /// Walks, and calls `emit` with the numbers of the owner's for each overlapping pair of leaves of which one has changed.
    pub(crate) fn meet(&self, other: &Self, meeting: Meeting, emit: &mut impl FnMut(u32, u32)) {
        match meeting {
            Meeting::Within(slot) => self.meet_within(self.node(slot), emit),
            Meeting::Between(a, b) => {
                let (a, b) = (self.node(a), other.node(b));
                if meets(a, b) {
                    self.meet_between(a, other, b, emit);
                }
            }
        }
    }

    /// Pairs of leaf `index` of the list of unbounded ones with the leaves of the tree `other`.
    pub(crate) fn meet_unbounded(&self, index: usize, other: &Self, emit: &mut impl FnMut(u32, u32)) {
        let (a, b) = (&self.unbounded[index], other.root());
        if !other.is_vacant() && meets(a, b) {
            self.meet_between(a, other, b, emit);
        }
    }

    /// Pairs of leaf `index` of the list of unbounded ones with those of `other`'s from place `first` on.
    pub(crate) fn meet_unbounded_list(
        &self,
        index: usize,
        other: &Self,
        first: usize,
        emit: &mut impl FnMut(u32, u32),
    ) {
        let a = &self.unbounded[index];
        for b in &other.unbounded[first..] {
            if meets(a, b) {
                self.meet_between(a, other, b, emit);
            }
        }
    }

    fn meet_within(&self, node: &Node, emit: &mut impl FnMut(u32, u32)) {
        let [a, b] = &self.pairs[node.index() as usize].0;
        for child in [a, b] {
            if child.link & (LEAF | CHANGED) == CHANGED {
                self.meet_within(child, emit);
            }
        }
        if meets(a, b) {
            self.meet_between(a, self, b, emit);
        }
    }

    /// `a` of this tree and `b` of the other meet.
    fn meet_between(&self, a: &Node, other: &Self, b: &Node, emit: &mut impl FnMut(u32, u32)) {
        match (a.is_leaf(), b.is_leaf()) {
            (true, true) => emit(self.leaves[a.index() as usize].user, other.leaves[b.index() as usize].user),
            (true, false) => {
                for d in &other.pairs[b.index() as usize].0 {
                    if meets(a, d) {
                        self.meet_between(a, other, d, emit);
                    }
                }
            }
            (false, true) => {
                for c in &self.pairs[a.index() as usize].0 {
                    if meets(c, b) {
                        self.meet_between(c, other, b, emit);
                    }
                }
            }
            (false, false) => {
                for c in &self.pairs[a.index() as usize].0 {
                    for d in &other.pairs[b.index() as usize].0 {
                        if meets(c, d) {
                            self.meet_between(c, other, d, emit);
                        }
                    }
                }
            }
        }
    }
}
