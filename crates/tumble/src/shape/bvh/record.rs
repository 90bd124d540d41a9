//! Trees in snapshots.

use super::{Bvh, LEAF, STACK};
use crate::error::Result;
use crate::record::stream::{Sink, Source, save_pods};

impl Bvh {
    pub(crate) fn save(&self, out: &mut impl Sink) {
        let Self { nodes, items } = self;
        save_pods(out, nodes);
        out.u32s(items);
    }

    /// A tree over `count` items, as it was; or an error if searching it could ever leave it.
    pub(crate) fn load(source: &mut Source<'_>, count: u32) -> Result<Self> {
        let tree = Self { nodes: source.pods()?, items: source.u32s()? };
        if tree.len() == count && tree.is_sound() { Ok(tree) } else { Err(source.corrupt("a tree of boxes")) }
    }

    /// Boxes are boxes, the subtrees of the children of every inner node fill its own, no way down is longer than the stack of a search,
    /// the leaves share out the items in order, each no more than it may hold, and every item is there once.
    fn is_sound(&self) -> bool {
        let mut used = 0u64;
        let mut waiting = Vec::new();
        if !self.nodes.is_empty() {
            waiting.push((0u32, self.nodes.len() as u32, 0));
        }
        while let Some((index, end, depth)) = waiting.pop() {
            let node = &self.nodes[index as usize];
            if !(0..3).all(|axis| node.min[axis] <= node.max[axis]) {
                return false;
            }
            if node.count > 0 {
                if end != index + 1 || u64::from(node.link) != used || node.count as usize > LEAF {
                    return false;
                }
                used += u64::from(node.count);
                continue;
            }
            let first = index + 1;
            if node.link != end || first >= end || depth == STACK {
                return false;
            }
            let second = self.subtree_end(first);
            if second <= first || second >= end {
                return false;
            }
            waiting.extend([(second, end, depth + 1), (first, second, depth + 1)]);
        }
        let mut seen = vec![false; self.items.len()];
        used == self.items.len() as u64
            && self.items.iter().all(|&i| seen.get_mut(i as usize).is_some_and(|s| !core::mem::replace(s, true)))
    }
}
