//! Which blocks the factors of a web have: a node per joint, in the order of elimination, from the far end.

use super::web_search::Search;
use core::ops::Range;

/// A later node with which a node shares a block, and where the block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Later {
    pub node: u32,
    pub block: u32,
}

/// Lists, for the `nodes` of a web, the later nodes with which each shares a block, in order: its neighbours, and what elimination fills in.
/// `bodies` are those that a node's joint can move, `node_of` leads from ties to nodes. Where the blocks are is left open.
pub(super) fn arrange<B: Iterator<Item = u32>>(
    later: &mut Vec<Vec<Later>>,
    nodes: Range<usize>,
    bodies: impl Fn(usize) -> B,
    search: &Search,
    node_of: &[u32],
) {
    if later.len() < nodes.end {
        later.resize(nodes.end, Vec::new());
    }
    for node in nodes.clone() {
        let list = &mut later[node];
        list.clear();
        for body in bodies(node) {
            let others = search.ties_of(body).iter().map(|&tie| node_of[tie as usize]);
            list.extend(others.filter(|&other| other as usize > node).map(|node| Later { node, block: 0 }));
        }
        list.sort_unstable();
        list.dedup();
    }
    // What the elimination of a node joins, it joins at the first of its later neighbours.
    for node in nodes {
        let list = core::mem::take(&mut later[node]);
        if let [next, rest @ ..] = &list[..] {
            let target = &mut later[next.node as usize];
            target.extend_from_slice(rest);
            target.sort_unstable();
            target.dedup();
        }
        later[node] = list;
    }
}
