//! Checks of the tree's invariants, for tests and for data that comes from outside.

use super::{CHANGED, DynamicTree, FREE, INDEX, MAX_HEIGHT, NONE, Node, UNBOUNDED, WORN, is_bounded};

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
        let mut pair_seen = vec![false; pairs];
        let mut leaf_seen = vec![false; leaves];
        if let (Some(seen), Some(pair)) = (pair_seen.first_mut(), self.pairs.first()) {
            *seen = true;
            if pair.0[1] != Node::VACANT {
                return Err("the sibling of the root is not vacant".into());
            }
        }
        let (mut changed, mut worn) = (0, 0);
        let mut stack = if self.is_vacant() { vec![] } else { vec![0u32] };
        while let Some(slot) = stack.pop() {
            let node = self.node(slot);
            let index = node.index() as usize;
            if node.is_leaf() {
                if index >= leaves || core::mem::replace(&mut leaf_seen[index], true) {
                    return Err(format!("slot {slot}: leaf {index} does not exist or is there twice"));
                }
                changed += u32::from(node.is_changed());
                worn += u32::from(node.link & WORN != 0);
                if self.leaves[index].slot != slot {
                    return Err(format!("slot {slot}: leaf {index} says it is at {:#x}", self.leaves[index].slot));
                }
                if self.node_height(slot) != 0 || !is_bounded(&node.aabb) {
                    return Err(format!("leaf {index}: height {} or unbounded", self.node_height(slot)));
                }
                continue;
            }
            if index >= pairs || core::mem::replace(&mut pair_seen[index], true) {
                return Err(format!("slot {slot}: pair {index} does not exist or is there twice"));
            }
            if self.upper[index] != slot {
                return Err(format!("pair {index}: parent at {slot}, not at {}", self.upper[index]));
            }
            let [a, b] = self.pairs[index].0;
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
            stack.extend([index as u32 * 2, index as u32 * 2 + 1]);
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
        let mut next = self.free_pair;
        while next != NONE {
            if next as usize >= pairs || core::mem::replace(&mut pair_seen[next as usize], true) {
                return Err(format!("free pair {next} is in use or does not exist"));
            }
            next = self.upper[next as usize];
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
        match (pair_seen.iter().position(|seen| !seen), leaf_seen.iter().position(|seen| !seen)) {
            (Some(pair), _) => Err(format!("pair {pair} is neither used nor free")),
            (_, Some(leaf)) => Err(format!("leaf {leaf} is neither used nor free")),
            _ => Ok(()),
        }
    }
}
