//! A dynamic bounding-volume tree (002-30): a binary tree of axis-aligned boxes over leaves that come, go and move.
//!
//! # Layout
//! Siblings are always read together, so they are stored together: nodes live in *pairs*, one cache line each in `f32`,
//! and an inner node links to the pair of its children with one number.
//!
//! ```text
//!  pair 0: [ root | vacant ]          a slot is 2·pair + side
//!             │
//!  pair 4: [ inner | leaf 2 ]         upper[4] = slot 0
//!             │
//!  pair 1: [ leaf 0 | leaf 1 ]        upper[1] = slot 8
//! ```
//!
//! A leaf changes its slot when the tree is reshaped around it; [`LeafId`] stays, and a table leads from it to the slot.
//! Everything is plain data in vectors: a copy of them is a copy of the tree.
//!
//! # Invariants
//! - The box of an inner node contains the boxes of its children, its layers are the union of theirs, and it is marked
//!   changed or worn if one of them is; after [`DynamicTree::refit`] the box is exactly the union.
//! - The height of the root is at most `MAX_HEIGHT`, so every walk has a stack of fixed size and allocates nothing.
//! - Boxes without finite bounds (half-spaces) have no surface area to compare and are kept in a list beside the tree,
//!   which every query reads from end to end. Scenes have a handful of them.

mod batch;
mod build;
mod change;
mod insert;
mod meet;
mod query;
#[cfg(test)]
mod tests;
mod validate;
mod wide;

use crate::math::{Aabb, Float, Real, Vec3};
use build::BuildScratch;

pub(crate) use meet::Meeting;
pub use query::BoxCast;
pub(crate) use wide::{Walkers, WideTree};

/// No root is ever higher. A tree that would be is built again, balanced.
pub(crate) const MAX_HEIGHT: usize = 64;

/// Bit of [`Node::link`]: the node is a leaf, and the rest is its index.
const LEAF: u32 = 1 << 31;
/// Bit of [`Node::link`]: this leaf, or one below, was inserted, moved or touched since [`DynamicTree::settle`].
const CHANGED: u32 = 1 << 30;
/// Bit of [`Node::link`]: this leaf, or one below, was inserted or moved since it was last arranged by a build.
const WORN: u32 = 1 << 29;
/// The part of [`Node::link`] that is an index: of a leaf, or of the pair of children.
const INDEX: u32 = WORN - 1;
/// No index.
const NONE: u32 = INDEX;

/// Names a leaf until it is removed.
///
/// ```
/// use tumble::detect::broad::{DynamicTree, LeafId};
/// use tumble::math::{Aabb, Vec3};
/// let mut tree = DynamicTree::new();
/// let leaf: LeafId = tree.insert(Aabb::new(Vec3::ZERO, Vec3::all(1.0)), 7, 1);
/// assert!(tree.contains(leaf) && tree.remove(leaf) && !tree.contains(leaf));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct LeafId(pub(crate) u32);

// SAFETY: a transparent wrapper of an integer.
unsafe impl bytemuck::Zeroable for LeafId {}
// SAFETY: as above.
unsafe impl bytemuck::Pod for LeafId {}

/// A box, where it leads to, and the layers below it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub(crate) struct Node {
    aabb: Aabb,
    link: u32,
    layers: u32,
}

impl Node {
    /// Overlaps nothing: no layer matches, and no finite box meets an empty one.
    const VACANT: Self = Self { aabb: Aabb::EMPTY, link: LEAF | NONE, layers: 0 };

    #[inline(always)]
    fn is_leaf(&self) -> bool {
        self.link & LEAF != 0
    }

    #[inline(always)]
    fn is_changed(&self) -> bool {
        self.link & CHANGED != 0
    }

    #[inline(always)]
    fn index(&self) -> u32 {
        self.link & INDEX
    }
}

// SAFETY: a box of six equal floats and two `u32` leave no padding, in `f32` (32 bytes) as in `f64` (56 bytes), and every
// bit pattern is a value.
unsafe impl bytemuck::Zeroable for Node {}
// SAFETY: as above.
unsafe impl bytemuck::Pod for Node {}

/// Two siblings.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(not(tumble_f64), repr(C, align(64)))]
#[cfg_attr(tumble_f64, repr(C))]
pub(crate) struct Pair([Node; 2]);

// SAFETY: two nodes without padding, of 64 bytes in `f32`, which is the alignment, and of 112 in `f64`, a multiple of it.
unsafe impl bytemuck::Zeroable for Pair {}
// SAFETY: as above.
unsafe impl bytemuck::Pod for Pair {}

impl Pair {
    const VACANT: Self = Self([Node::VACANT; 2]);

    /// The node that would be the parent of this pair `index`.
    #[inline(always)]
    fn joined(&self, index: u32) -> Node {
        let [a, b] = &self.0;
        Node {
            aabb: a.aabb.union(&b.aabb),
            link: index | ((a.link | b.link) & (CHANGED | WORN)),
            layers: a.layers | b.layers,
        }
    }
}

/// Where a leaf is, and what it stands for. The slot of a free leaf links to the next free one.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub(crate) struct Leaf {
    slot: u32,
    user: u32,
}

// SAFETY: two integers.
unsafe impl bytemuck::Zeroable for Leaf {}
// SAFETY: as above.
unsafe impl bytemuck::Pod for Leaf {}

/// Bit of [`Leaf::slot`]: the leaf is in the list of unbounded ones, and the rest is its place there.
const UNBOUNDED: u32 = 1 << 31;
/// Bit of [`Leaf::slot`]: the leaf is free, and the rest is the next free one.
const FREE: u32 = 1 << 30;

/// A dynamic bounding-volume tree. Each leaf carries a box, a number of the owner's, and the layers in which queries see
/// it.
///
/// ```
/// use tumble::detect::broad::DynamicTree;
/// use tumble::math::{Aabb, Vec3};
/// let mut tree = DynamicTree::new();
/// let cube = |x| Aabb::new(Vec3::new(x, 0.0, 0.0), Vec3::new(x + 1.0, 1.0, 1.0));
/// let a = tree.insert(cube(0.0), 10, 1);
/// let b = tree.insert(cube(5.0), 11, 1);
/// let mut found = Vec::new();
/// tree.overlap(&cube(0.5), u32::MAX, |user| {
///     found.push(user);
///     true
/// });
/// assert_eq!(found, [10]);
/// assert!(tree.remove(a));
/// assert_eq!(tree.len(), 1);
/// assert_eq!(tree.aabb(b), Some(cube(5.0)));
/// ```
///
/// There is room for 2²⁹ − 1 leaves.
///
/// ```
/// use tumble::detect::broad::DynamicTree;
/// use tumble::math::{Aabb, Real, Vec3};
/// let cube = |x: Real| Aabb::new(Vec3::new(x, 0.0, 0.0), Vec3::new(x + 1.0, 1.0, 1.0));
/// let (mut tree, mut leaves) = (DynamicTree::new(), Vec::new());
/// tree.extend((0..100).map(|i| (cube(2.0 * i as Real), i, 1)), &mut leaves);
/// assert!(tree.len() == 100 && tree.height() < 10 && !tree.is_empty());
/// assert_eq!((tree.user(leaves[7]), tree.layers(leaves[7]), tree.aabb(leaves[7])), (Some(7), Some(1), Some(cube(14.0))));
/// assert_eq!(tree.root_aabb().max.x, 199.0);
/// tree.settle(); // forget what has changed
/// assert_eq!(tree.changed(), 0);
///
/// // Boxes that jump, boxes that creep, boxes that stay.
/// tree.move_leaf(leaves[0], cube(500.0));
/// tree.enlarge_leaf(leaves[1], cube(2.5));
/// tree.touch_leaf(leaves[2]);
/// tree.set_layers(leaves[3], 2);
/// assert_eq!(tree.changed(), 3);
/// tree.maintain(); // once per step
/// let mut nearest = None;
/// tree.closest(&cube(498.0), 100.0, 1, |user, squared, _| {
///     nearest = Some((user, squared));
///     squared
/// });
/// assert_eq!(nearest, Some((0, 1.0)));
/// // By hand, where one knows better.
/// tree.refit();
/// tree.rebuild_worn();
/// tree.rebuild();
/// assert!(tree.cost() > 1.0 && tree.memory() > 0 && tree.validate().is_ok());
/// ```
#[derive(Clone, Debug)]
pub struct DynamicTree {
    pub(crate) pairs: Vec<Pair>,
    /// The slot of the parent of each pair; of a free pair, the next free one.
    pub(crate) upper: Vec<u32>,
    /// The height of each node: 0 for leaves.
    pub(crate) heights: Vec<[u8; 2]>,
    pub(crate) leaves: Vec<Leaf>,
    /// The leaves without finite bounds.
    pub(crate) unbounded: Vec<Node>,
    pub(crate) free_pair: u32,
    pub(crate) free_leaf: u32,
    pub(crate) count: u32,
    /// How many leaves are marked as changed.
    pub(crate) changed: u32,
    /// How many leaves in the tree are marked as worn.
    pub(crate) worn: u32,
    /// How far the worn leaves have moved away from where a build would put them, summed; see [`Self::maintain`].
    pub(crate) wear: f64,
    scratch: BuildScratch,
    /// Steps since the last build.
    unbuilt: u32,
}

impl Default for DynamicTree {
    fn default() -> Self {
        Self::new()
    }
}

impl DynamicTree {
    /// A tree without leaves. Allocates nothing.
    pub fn new() -> Self {
        Self {
            pairs: Vec::new(),
            upper: Vec::new(),
            heights: Vec::new(),
            leaves: Vec::new(),
            unbounded: Vec::new(),
            free_pair: NONE,
            free_leaf: NONE,
            count: 0,
            changed: 0,
            worn: 0,
            wear: 0.0,
            scratch: BuildScratch::default(),
            unbuilt: 0,
        }
    }

    /// How many leaves there are.
    pub fn len(&self) -> usize {
        self.count as usize
    }

    /// There are no leaves.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Length of the longest way from the root to a leaf; 0 for a single leaf.
    pub fn height(&self) -> usize {
        self.heights.first().map_or(0, |root| root[0] as usize)
    }

    /// The leaf exists.
    #[inline(always)]
    pub fn contains(&self, leaf: LeafId) -> bool {
        self.leaves.get(leaf.0 as usize).is_some_and(|l| l.slot & (UNBOUNDED | FREE) != FREE)
    }

    /// The number that the owner gave to the leaf.
    pub fn user(&self, leaf: LeafId) -> Option<u32> {
        self.contains(leaf).then(|| self.leaves[leaf.0 as usize].user)
    }

    /// The box of the leaf.
    pub fn aabb(&self, leaf: LeafId) -> Option<Aabb> {
        self.contains(leaf).then(|| self.leaf_node(leaf).aabb)
    }

    /// The layers of the leaf.
    pub fn layers(&self, leaf: LeafId) -> Option<u32> {
        self.contains(leaf).then(|| self.leaf_node(leaf).layers)
    }

    /// How many leaves were inserted, moved or touched since [`Self::settle`].
    pub fn changed(&self) -> usize {
        self.changed as usize
    }

    /// The leaf was inserted, moved or touched since [`Self::settle`].
    pub(crate) fn has_changed(&self, leaf: LeafId) -> bool {
        self.contains(leaf) && self.leaf_node(leaf).is_changed()
    }

    /// The box around all leaves with finite bounds, or [`Aabb::EMPTY`].
    pub fn root_aabb(&self) -> Aabb {
        self.root().aabb
    }

    /// C(T) = Σ SA over the inner nodes, the root included (002-33): what a random query has to pay. Lower is better.
    ///
    /// Visits every node; for tests, tuning and displays.
    pub fn cost(&self) -> f64 {
        let mut cost = 0.0;
        self.walk_inner(|node| cost += area(&node.aabb));
        cost
    }

    /// Bytes held by the tree, unused capacity included.
    pub fn memory(&self) -> usize {
        self.pairs.capacity() * size_of::<Pair>()
            + self.upper.capacity() * size_of::<u32>()
            + self.heights.capacity() * 2
            + self.leaves.capacity() * size_of::<Leaf>()
            + self.unbounded.capacity() * size_of::<Node>()
            + self.scratch.memory()
    }

    /// Calls for every inner node, parents first.
    fn walk_inner(&self, mut visit: impl FnMut(&Node)) {
        let mut stack = [0u32; MAX_HEIGHT + 1];
        let mut top = 0;
        let mut next = *self.root();
        loop {
            if next.is_leaf() {
                if top == 0 {
                    return;
                }
                top -= 1;
                next = *self.node(stack[top]);
                continue;
            }
            visit(&next);
            let first = next.index() * 2;
            stack[top] = first + 1;
            top += 1;
            next = *self.node(first);
        }
    }

    /// The node at slot 0; vacant before the first leaf has come.
    #[inline(always)]
    fn root(&self) -> &Node {
        self.pairs.first().map_or(&Node::VACANT, |pair| &pair.0[0])
    }

    /// There is no leaf in the tree itself.
    pub(crate) fn is_vacant(&self) -> bool {
        self.root().link == LEAF | NONE
    }

    #[inline(always)]
    fn node(&self, slot: u32) -> &Node {
        &self.pairs[(slot >> 1) as usize].0[(slot & 1) as usize]
    }

    #[inline(always)]
    fn node_mut(&mut self, slot: u32) -> &mut Node {
        &mut self.pairs[(slot >> 1) as usize].0[(slot & 1) as usize]
    }

    #[inline(always)]
    fn node_height(&self, slot: u32) -> u8 {
        self.heights[(slot >> 1) as usize][(slot & 1) as usize]
    }

    /// The height of the parent of a pair.
    #[inline(always)]
    fn height_over(&self, pair: u32) -> u8 {
        let [a, b] = self.heights[pair as usize];
        1 + a.max(b)
    }

    #[inline(always)]
    fn set_height(&mut self, slot: u32, height: u8) {
        self.heights[(slot >> 1) as usize][(slot & 1) as usize] = height;
    }

    /// The node of a leaf that exists.
    #[inline(always)]
    fn leaf_node(&self, leaf: LeafId) -> &Node {
        let slot = self.leaves[leaf.0 as usize].slot;
        if slot & UNBOUNDED != 0 { &self.unbounded[(slot & INDEX) as usize] } else { self.node(slot) }
    }

    /// Puts `node`, which came from another slot, into `slot`, and tells whoever points at it.
    #[inline(always)]
    fn place(&mut self, slot: u32, node: Node, height: u8) {
        *self.node_mut(slot) = node;
        self.set_height(slot, height);
        let index = node.index() as usize;
        if node.is_leaf() {
            self.leaves[index].slot = slot;
        } else {
            self.upper[index] = slot;
        }
    }

    /// Makes room for so many more leaves.
    pub(super) fn reserve(&mut self, more: usize) {
        self.pairs.reserve_exact(more);
        self.upper.reserve_exact(more);
        self.heights.reserve_exact(more);
        self.leaves.reserve_exact(more);
    }

    fn take_pair(&mut self) -> u32 {
        let pair = self.free_pair;
        if pair != NONE {
            self.free_pair = self.upper[pair as usize];
            return pair;
        }
        self.pairs.push(Pair::VACANT);
        self.upper.push(NONE);
        self.heights.push([0; 2]);
        self.pairs.len() as u32 - 1
    }

    fn give_pair(&mut self, pair: u32) {
        self.pairs[pair as usize] = Pair::VACANT;
        self.upper[pair as usize] = self.free_pair;
        self.free_pair = pair;
    }

    fn take_leaf(&mut self, user: u32) -> LeafId {
        self.count += 1;
        let leaf = self.free_leaf;
        if leaf != NONE {
            self.free_leaf = self.leaves[leaf as usize].slot & INDEX;
            self.leaves[leaf as usize].user = user;
            return LeafId(leaf);
        }
        self.leaves.push(Leaf { slot: 0, user });
        LeafId(self.leaves.len() as u32 - 1)
    }

    fn give_leaf(&mut self, leaf: LeafId) {
        self.count -= 1;
        self.leaves[leaf.0 as usize] = Leaf { slot: FREE | self.free_leaf, user: 0 };
        self.free_leaf = leaf.0;
    }
}

/// The box holds something: its corners are in order and not NaN.
fn is_box(b: &Aabb) -> bool {
    b.min.x <= b.max.x && b.min.y <= b.max.y && b.min.z <= b.max.z
}

/// Surface area in `f64`: no box of `f32` overflows, and the differences that decide an insertion keep their digits.
#[inline(always)]
fn area(b: &Aabb) -> f64 {
    let x = b.max.x.to_f64() - b.min.x.to_f64();
    let y = b.max.y.to_f64() - b.min.y.to_f64();
    let z = b.max.z.to_f64() - b.min.z.to_f64();
    2.0 * (x * y + y * z + z * x)
}

/// The areas of the box and of its unions with others, summed over the tree, are finite numbers.
///
/// In `f32` that holds for every finite box, since areas are computed in `f64`; in `f64` up to coordinates of 1e140.
/// NaN is not bounded either: such a box goes to the list, where it overlaps nothing.
fn is_bounded(b: &Aabb) -> bool {
    let limit: Real = if cfg!(tumble_f64) { Real::from_f64(1e140) } else { Real::MAX };
    let inside = |v: Vec3| v.x.abs() <= limit && v.y.abs() <= limit && v.z.abs() <= limit;
    inside(b.min) && inside(b.max)
}
