//! Trees in snapshots.

use super::{DynamicTree, Leaf, Node, Pair};
use crate::error::Result;
use crate::record::stream::{Sink, Source, save_pods};

impl DynamicTree {
    pub(crate) fn save(&self, out: &mut impl Sink) {
        let Self {
            pairs,
            upper,
            heights,
            leaves,
            unbounded,
            free_pair,
            free_leaf,
            count,
            changed,
            worn,
            wear,
            scratch: _,
        } = self;
        save_pods::<Pair>(out, pairs);
        out.u32s(upper);
        save_pods(out, heights);
        save_pods::<Leaf>(out, leaves);
        save_pods::<Node>(out, unbounded);
        for v in [free_pair, free_leaf, count, changed, worn] {
            out.u32(*v);
        }
        out.f64(*wear);
    }

    /// What [`DynamicTree::save`] wrote; it must not be used before [`DynamicTree::validate`] has found it sound.
    pub(crate) fn load(source: &mut Source<'_>) -> Result<Self> {
        let tree = Self {
            pairs: source.pods()?,
            upper: source.u32s()?,
            heights: source.pods()?,
            leaves: source.pods()?,
            unbounded: source.pods()?,
            free_pair: source.u32()?,
            free_leaf: source.u32()?,
            count: source.u32()?,
            changed: source.u32()?,
            worn: source.u32()?,
            wear: source.f64()?,
            ..Self::new()
        };
        if tree.wear.is_finite() { Ok(tree) } else { Err(source.corrupt("a tree of the broad phase")) }
    }
}
