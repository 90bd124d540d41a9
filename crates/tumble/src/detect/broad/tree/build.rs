//! Building the tree, or the changed part of it, from above by the surface-area heuristic in bins.

use super::{CHANGED, DynamicTree, LEAF, LeafId, MAX_HEIGHT, NONE, Node, Pair, WORN, area, is_bounded, is_box};
use crate::math::{Aabb, Float, Num, Real, Vec3};

/// Bins per axis, for parts with at least twice as many items.
const BINS: usize = 16;
/// Items whose memory is kept however long nothing is built, and for how many steps that of more is.
const KEPT_ITEMS: usize = 1024;
const KEPT_STEPS: u32 = 60;
/// What a build may reach, so that there is room for insertions until [`MAX_HEIGHT`].
const BUILD_HEIGHT: u32 = 48;

/// Extreme corners of boxes, or of their centres. A fourth lane, always zero, lets the compiler use whole vectors.
#[derive(Clone, Copy)]
struct Extent {
    low: [Real; 4],
    high: [Real; 4],
}

impl Extent {
    const EMPTY: Self = Self { low: [Real::INFINITY; 4], high: [Real::NEG_INFINITY; 4] };

    #[inline(always)]
    fn of_box(b: &Aabb) -> Self {
        Self { low: [b.min.x, b.min.y, b.min.z, 0.0], high: [b.max.x, b.max.y, b.max.z, 0.0] }
    }

    /// Of the centre, with halves taken first: the sum of two large coordinates may overflow.
    #[inline(always)]
    fn of_centre(b: &Aabb) -> Self {
        let Self { low, high } = Self::of_box(b);
        let centre = core::array::from_fn(|i| low[i] * 0.5 + high[i] * 0.5);
        Self { low: centre, high: centre }
    }

    fn of_centres(items: &[Node]) -> Self {
        let mut extent = Self::EMPTY;
        for item in items {
            extent.add(&Self::of_centre(&item.aabb));
        }
        extent
    }

    #[inline(always)]
    fn add(&mut self, o: &Self) {
        self.low = core::array::from_fn(|i| Num::min(o.low[i], self.low[i]));
        self.high = core::array::from_fn(|i| Num::max(o.high[i], self.high[i]));
    }

    #[inline(always)]
    fn area(&self) -> f64 {
        let [x, y, z, _] = self.low;
        let [u, v, w, _] = self.high;
        area(&Aabb::new(Vec3::new(x, y, z), Vec3::new(u, v, w)))
    }

    /// The longest axis, and its length.
    fn widest(&self) -> (usize, Real) {
        let size: [Real; 4] = core::array::from_fn(|i| self.high[i] - self.low[i]);
        let axis = Vec3::new(size[0], size[1], size[2]).largest_axis();
        (axis, size[axis])
    }
}

/// Memory of the builder, empty between builds.
#[derive(Debug, Default)]
pub(super) struct BuildScratch {
    items: Vec<Node>,
    pairs: Vec<u32>,
}

/// A copy begins with memory of its own, and takes none before its first build.
impl Clone for BuildScratch {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl BuildScratch {
    /// Makes room for most of a tree of so many leaves, once and for no more.
    fn reserve(&mut self, leaves: usize) {
        self.items.reserve_exact(leaves);
        self.pairs.reserve_exact(leaves);
    }

    pub(super) fn memory(&self) -> usize {
        self.items.capacity() * size_of::<Node>() + self.pairs.capacity() * size_of::<u32>()
    }
}

#[derive(Clone, Copy)]
struct Bin {
    extent: Extent,
    count: u32,
}

impl Bin {
    const EMPTY: Self = Self { extent: Extent::EMPTY, count: 0 };

    #[inline(always)]
    fn join(&mut self, o: &Self) {
        self.extent.add(&o.extent);
        self.count += o.count;
    }

    /// What it stands for in C(T) of the tree below: count times area; infinite where nothing is.
    #[inline(always)]
    fn cost(&self) -> f64 {
        if self.count == 0 { f64::INFINITY } else { f64::from(self.count) * self.extent.area() }
    }
}

impl DynamicTree {
    /// Adds many leaves at once (box, user number, layers) and appends their ids to `ids`.
    ///
    /// Where they are many compared with what is there, the tree is built anew: faster and better than one by one.
    pub fn extend(&mut self, leaves: impl IntoIterator<Item = (Aabb, u32, u32)>, ids: &mut Vec<LeafId>) {
        let mut scratch = BuildScratch::default();
        for (aabb, user, layers) in leaves {
            debug_assert!(is_box(&aabb));
            let leaf = self.take_leaf(user);
            self.changed += 1;
            ids.push(leaf);
            let node = Node { aabb, link: LEAF | CHANGED | leaf.0, layers };
            if is_bounded(&aabb) {
                scratch.items.push(node);
            } else {
                self.attach(node);
            }
        }
        // An insertion visits some tens of nodes; a build visits each item once per level.
        if scratch.items.len() * 4 < self.len() {
            for item in scratch.items.drain(..) {
                self.attach(item);
            }
        } else {
            self.gather(|_| true, &mut scratch);
            self.build_all(&mut scratch, BUILD_HEIGHT);
        }
        // The memory is not kept: it is as large as the tree, and what comes later is smaller.
    }

    /// Builds the whole tree anew.
    pub fn rebuild(&mut self) {
        self.rebuild_within(BUILD_HEIGHT);
    }

    /// Builds the whole tree anew, close to the smallest height possible.
    pub(super) fn rebuild_balanced(&mut self) {
        self.rebuild_within(ceil_log2(self.len()) + 4);
    }

    fn rebuild_within(&mut self, height: u32) {
        let mut scratch = core::mem::take(&mut self.scratch);
        scratch.reserve(self.len());
        self.gather(|_| true, &mut scratch);
        self.build_all(&mut scratch, height);
        self.keep(scratch);
    }

    /// Builds anew what is above the worn leaves: those inserted or moved since they were last arranged by a build.
    /// Subtrees without any stay as they are and are arranged as a whole.
    pub fn rebuild_worn(&mut self) {
        let mut scratch = core::mem::take(&mut self.scratch);
        if self.worn as usize * 2 > self.len() {
            scratch.reserve(self.len());
        }
        self.gather(|node| node.link & WORN != 0, &mut scratch);
        self.build_root(&mut scratch, BUILD_HEIGHT);
        self.keep(scratch);
        if self.height() > MAX_HEIGHT {
            self.rebuild_balanced();
        }
    }

    /// Keeps the memory of a build for the next.
    fn keep(&mut self, scratch: BuildScratch) {
        (self.scratch, self.unbuilt) = (scratch, 0);
    }

    /// A step begins. Gives the memory of builds back when there have been none for long: it is half as large as the tree.
    pub(super) fn forget_build(&mut self) {
        self.unbuilt = self.unbuilt.saturating_add(1);
        if self.unbuilt == KEPT_STEPS && self.scratch.items.capacity() > KEPT_ITEMS {
            self.scratch = BuildScratch::default();
        }
    }

    /// Appends the highest nodes that are leaves or not to be opened, and the pairs of those that are.
    fn gather(&self, open: impl Fn(&Node) -> bool, scratch: &mut BuildScratch) {
        if self.is_vacant() {
            return;
        }
        let mut stack = [0u32; MAX_HEIGHT + 2];
        let mut top = 1;
        while top > 0 {
            top -= 1;
            let mut node = *self.node(stack[top]);
            if node.is_leaf() || !open(&node) {
                node.link &= !WORN;
                scratch.items.push(node);
                continue;
            }
            scratch.pairs.push(node.index());
            stack[top] = node.index() * 2 + 1;
            stack[top + 1] = node.index() * 2;
            top += 2;
        }
        // Pairs are taken from the end: in the order in which they were met.
        scratch.pairs.reverse();
    }

    /// Replaces the tree by one over `scratch.items`, which are all leaves with finite bounds, in fresh memory order.
    fn build_all(&mut self, scratch: &mut BuildScratch, height: u32) {
        let count = scratch.items.len().max(1);
        self.pairs.clear();
        self.upper.clear();
        self.heights.clear();
        self.pairs.resize(count, Pair::VACANT);
        self.upper.resize(count, NONE);
        self.heights.resize(count, [0; 2]);
        self.free_pair = NONE;
        // Parents before children and left before right: a walk reads forwards.
        scratch.pairs.clear();
        scratch.pairs.extend((1..count as u32).rev());
        self.build_root(scratch, height);
    }

    fn build_root(&mut self, scratch: &mut BuildScratch, height: u32) {
        if !scratch.items.is_empty() {
            let centres = Extent::of_centres(&scratch.items);
            self.build_below(0, &mut scratch.items, centres, &mut scratch.pairs, height);
        }
        scratch.items.clear();
        self.worn = 0;
        self.wear = 0.0;
    }

    /// Builds a subtree over `items` at `slot`, not higher than `limit` above the highest item (`limit` must leave room for a
    /// balanced one), taking pairs from the end of `pairs`.
    fn build_below(&mut self, slot: u32, items: &mut [Node], centres: Extent, pairs: &mut Vec<u32>, limit: u32) {
        if let [item] = items {
            // The children of a subtree that is arranged as a whole stay in their place.
            let height = if item.is_leaf() { 0 } else { self.height_over(item.index()) };
            return self.place(slot, *item, height);
        }
        // One pair for each item but one, in every subtree; none can be missing.
        let Some(pair) = pairs.pop() else { return };
        let (middle, left, right) = if limit <= ceil_log2(items.len()) { halve(items) } else { split(items, &centres) };
        let (first, second) = items.split_at_mut(middle);
        self.build_below(pair * 2, first, left, pairs, limit - 1);
        self.build_below(pair * 2 + 1, second, right, pairs, limit - 1);
        self.upper[pair as usize] = slot;
        *self.node_mut(slot) = self.pairs[pair as usize].joined(pair);
        self.set_height(slot, self.height_over(pair));
    }
}

/// Smallest k with 2^k >= n.
fn ceil_log2(n: usize) -> u32 {
    n.max(1).next_power_of_two().trailing_zeros()
}

/// Arranges the items in two groups, one after the other; says where the second begins, and the centres of both.
///
/// The split is the cheapest of those between bins of the centres along their widest axis: cost n_l·SA_l + n_r·SA_r, which
/// stands for C(T) of what will be built below (Wald, "On fast construction of SAH-based bounding volume
/// hierarchies", 2007).
fn split(items: &mut [Node], centres: &Extent) -> (usize, Extent, Extent) {
    if items.len() == 2 {
        return (1, Extent::EMPTY, Extent::EMPTY);
    }
    let bins = if items.len() >= 2 * BINS { BINS } else { BINS / 2 };
    let (axis, extent) = centres.widest();
    let low = centres.low[axis];
    // An extent of zero gives an infinite scale, and 0 · ∞ = NaN falls into the first bin like everything else then.
    let scale = Real::from_f64(bins as f64) / extent;
    let bin_of = |item: &Node| {
        let c = item.aabb.min[axis] * 0.5 + item.aabb.max[axis] * 0.5;
        (((c - low) * scale) as i32).min(bins as i32 - 1) as usize
    };

    let mut table = [Bin::EMPTY; BINS];
    for item in items.iter() {
        table[bin_of(item) % BINS].join(&Bin { extent: Extent::of_box(&item.aabb), count: 1 });
    }
    let mut left_costs = [0.0; BINS];
    let mut reach = Bin::EMPTY;
    for i in 1..bins {
        reach.join(&table[i - 1]);
        left_costs[i] = reach.cost();
    }
    reach = Bin::EMPTY;
    let mut best = (f64::INFINITY, 0);
    for i in (1..bins).rev() {
        reach.join(&table[i]);
        let cost = left_costs[i] + reach.cost();
        if cost < best.0 {
            best = (cost, i);
        }
    }
    let (cost, first_right) = best;
    if cost == f64::INFINITY {
        // All centres in one bin.
        return halve(items);
    }
    // Every item is exchanged with the first of the right group, and the group begins one later if it belongs to the left:
    // no branch, since none could be predicted.
    let mut centres = [Extent::EMPTY; 2];
    let mut middle = 0;
    for i in 0..items.len() {
        let item = items[i];
        let right = usize::from(bin_of(&item) >= first_right);
        centres[right].add(&Extent::of_centre(&item.aabb));
        items[i] = items[middle];
        items[middle] = item;
        middle += 1 - right;
    }
    let [left, right] = centres;
    (middle, left, right)
}

/// Arranges the items in two halves of equal count along the widest axis of their centres. The order is total, so that
/// the result does not depend on how it was before.
fn halve(items: &mut [Node]) -> (usize, Extent, Extent) {
    let (axis, _) = Extent::of_centres(items).widest();
    let centre = |item: &Node| item.aabb.min[axis] * 0.5 + item.aabb.max[axis] * 0.5;
    items.sort_unstable_by(|a, b| {
        (centre(a).total_cmp(&centre(b)))
            .then_with(|| area(&a.aabb).total_cmp(&area(&b.aabb)))
            .then_with(|| (a.link & !CHANGED).cmp(&(b.link & !CHANGED)))
    });
    let middle = items.len() / 2;
    (middle, Extent::of_centres(&items[..middle]), Extent::of_centres(&items[middle..]))
}
