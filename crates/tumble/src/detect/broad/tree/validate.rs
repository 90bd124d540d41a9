//! Checks of the tree's invariants, for tests and for data that comes from outside.

use super::{CHANGED, DynamicTree, FREE, INDEX, MAX_HEIGHT, NONE, Node, Pair, UNBOUNDED, WORN, is_bounded};

const MARKS: u32 = CHANGED | WORN;

impl DynamicTree {
    /// Checks every link and every box; says what is wrong first.
    ///
    /// A tree for which this is `Ok` can be queried and changed without ever leaving its arrays.
    pub fn validate(&self) -> Result<(), String> {
        let (pairs, leaves) = (self.pairs.len(), self.leaves.len());
        if self.upper.len() != pairs || self.heights.len() != pairs || pairs.max(leaves) >= NONE as usize {
            return Err(format!("{pairs} pairs, {} links upwards, {} heights", self.upper.len(), self.heights.len()));
        }
        let mut leaf_seen = vec![false; leaves];
        let free = self.free_pairs()?;
        if let Some(Pair([_, sibling])) = self.pairs.first()
            && *sibling != Node::VACANT
        {
            return Err("the sibling of the root is not vacant".into());
        }
        // In the order of memory. Every pair but that of the root has one node over it, and nodes are higher the nearer they are to the root: so the way
        // up from each ends there, and none is met twice.
        let (mut changed, mut worn) = (0, 0);
        for index in (0..pairs).filter(|&index| !free[index]) {
            if index > 0 {
                self.validate_pair(index, &free)?;
            }
            let sides = if index > 0 {
                0..2
            } else if self.is_vacant() {
                0..0
            } else {
                0..1
            };
            for side in sides {
                let (slot, node) = (2 * index as u32 + side, &self.pairs[index].0[side as usize]);
                let below = node.index() as usize;
                if !node.is_leaf() {
                    let leads_back = below > 0 && below < pairs && !free[below] && self.upper[below] == slot;
                    if !leads_back {
                        return Err(format!("slot {slot}: pair {below} does not exist or is elsewhere"));
                    }
                    continue;
                }
                if below >= leaves || self.leaves[below].slot != slot {
                    return Err(format!("slot {slot}: leaf {below} does not exist or is elsewhere"));
                }
                leaf_seen[below] = true;
                changed += u32::from(node.is_changed());
                worn += u32::from(node.link & WORN != 0);
                if self.node_height(slot) != 0 || !is_bounded(&node.aabb) {
                    return Err(format!("leaf {below}: height {} or unbounded", self.node_height(slot)));
                }
            }
        }
        if self.height() > MAX_HEIGHT {
            return Err(format!("height {}", self.height()));
        }
        for (place, node) in self.unbounded.iter().enumerate() {
            let index = node.index() as usize;
            if !node.is_leaf() || index >= leaves || core::mem::replace(&mut leaf_seen[index], true) {
                return Err(format!("unbounded leaf {index} does not exist or is there twice"));
            }
            changed += u32::from(node.is_changed());
            if self.leaves[index].slot != UNBOUNDED | place as u32 {
                return Err(format!("unbounded leaf {index} says it is at {:#x}", self.leaves[index].slot));
            }
        }
        let used = leaf_seen.iter().filter(|&&seen| seen).count();
        if (used, changed, worn) != (self.len(), self.changed, self.worn) {
            return Err(format!("{used} leaves, {changed} changed, {worn} worn: miscounted"));
        }
        let mut next = self.free_leaf;
        while next != NONE {
            if next as usize >= leaves || core::mem::replace(&mut leaf_seen[next as usize], true) {
                return Err(format!("free leaf {next} is in use or does not exist"));
            }
            if self.leaves[next as usize].slot & !INDEX != FREE {
                return Err(format!("leaf {next} is not marked free"));
            }
            next = self.leaves[next as usize].slot & INDEX;
        }
        match leaf_seen.iter().position(|seen| !seen) {
            Some(leaf) => Err(format!("leaf {leaf} is neither used nor free")),
            None => Ok(()),
        }
    }

    /// Which pairs are free: not that of the root.
    fn free_pairs(&self) -> Result<Vec<bool>, String> {
        let mut free = vec![false; self.pairs.len()];
        let mut next = self.free_pair;
        while next != NONE {
            if next == 0 || next as usize >= free.len() || core::mem::replace(&mut free[next as usize], true) {
                return Err(format!("free pair {next} is in use or does not exist"));
            }
            next = self.upper[next as usize];
        }
        Ok(free)
    }

    /// The pair fits the node over it, which leads to it.
    fn validate_pair(&self, index: usize, free: &[bool]) -> Result<(), String> {
        let slot = self.upper[index];
        if free.get(slot as usize >> 1) != Some(&false) {
            return Err(format!("pair {index}: no node is at {slot}"));
        }
        let node = self.node(slot);
        if node.is_leaf() || node.index() as usize != index {
            return Err(format!("pair {index}: the node at {slot} is not over it"));
        }
        let [a, b] = &self.pairs[index].0;
        if !node.aabb.contains(&a.aabb) || !node.aabb.contains(&b.aabb) {
            return Err(format!("slot {slot}: does not contain its children"));
        }
        if node.layers != a.layers | b.layers || (a.link | b.link) & MARKS & !node.link != 0 {
            return Err(format!("slot {slot}: layers or marks differ from the children's"));
        }
        let [ha, hb] = self.heights[index];
        if u32::from(self.node_height(slot)) != 1 + u32::from(ha.max(hb)) {
            return Err(format!("slot {slot}: height {} over {ha} and {hb}", self.node_height(slot)));
        }
        Ok(())
    }
}
