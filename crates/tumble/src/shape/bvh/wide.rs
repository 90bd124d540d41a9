//! The same tree with eight children to a node, whose boxes are tested side by side.
//!
//! A search for what overlaps a box spends its time on mispredicted branches, one for each node of a binary tree, and on waiting for nodes.
//! Here a node answers for eight boxes at once, its children may be single items, and it has two lines of the cache: boxes are kept on a grid of
//! 125 steps over the node. A coordinate x stands in step
//!
//! ```text
//!   f(x) = ⌊(x - o) s + 1⌋, limited to 0 ... 127
//! ```
//!
//! which is 0 before the box of the node and 127 a step behind it, or more. Every operation in f, rounding included, keeps the order of numbers, so that
//! boxes that overlap do so on the grid; few others do. Eight steps are compared in one word: with H the high bits of its bytes, those
//! of (b | H) - a are set where a <= b.
//!
//! Children stand in the order of the binary tree: both trees name items in the same order.

use super::{Bvh, Node, above, below};
use crate::math::Aabb;

/// Children of a node.
const WIDTH: usize = 8;
/// Set in links to items; all others are links to nodes.
const ITEM: u32 = 1 << 31;
/// The high bits of the bytes of a word.
const HIGH: u64 = 0x8080_8080_8080_8080;
/// Steps of the grid within the box of a node.
const STEPS: f32 = 125.0;

/// Eight boxes, coordinate by coordinate, a byte for each child.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
struct Eight {
    origin: [f32; 3],
    /// Steps per metre: above 0 and finite, so that the order of all numbers, infinite ones included, is kept also where the node is flat.
    scale: [f32; 3],
    min: [u64; 3],
    max: [u64; 3],
    links: [u32; WIDTH],
    /// The high bits of the places that have a child. (One without would overlap a box without bounds.)
    used: u64,
}

impl Eight {
    /// A node over this box, without children.
    fn new(low: [f32; 3], high: [f32; 3]) -> Self {
        let scale = core::array::from_fn(|axis| (STEPS / (high[axis] - low[axis])).clamp(f32::MIN_POSITIVE, f32::MAX));
        Self { origin: low, scale, min: [0; 3], max: [0; 3], links: [0; WIDTH], used: 0 }
    }

    /// The step in which a coordinate stands.
    #[inline(always)]
    fn step(&self, axis: usize, x: f32) -> u64 {
        // The cast limits to 0 below.
        (((x - self.origin[axis]) * self.scale[axis] + 1.0) as u32).min(127).into()
    }

    fn set(&mut self, place: usize, min: [f32; 3], max: [f32; 3], link: u32) {
        for axis in 0..3 {
            self.min[axis] |= self.step(axis, min[axis]) << (8 * place);
            self.max[axis] |= self.step(axis, max[axis]) << (8 * place);
        }
        self.links[place] = link;
        self.used |= 0x80 << (8 * place);
    }

    /// Which of the boxes overlap, the high bit of a byte for each.
    #[inline(always)]
    fn overlapping(&self, min: &[f32; 3], max: &[f32; 3]) -> u64 {
        const EACH: u64 = HIGH >> 7;
        let mut hit = self.used;
        for axis in 0..3 {
            let (low, high) = (self.step(axis, min[axis]) * EACH, self.step(axis, max[axis]) * EACH);
            hit &= ((high | HIGH) - self.min[axis]) & ((self.max[axis] | HIGH) - low);
        }
        hit
    }
}

/// A tree over the boxes of the triangles of a mesh. It is made from the binary tree and never stored.
#[derive(Clone, Debug, PartialEq, Default)]
pub(crate) struct WideTree {
    nodes: Vec<Eight>,
}

/// A subtree or an item of the binary tree while its node is filled.
#[derive(Clone, Copy)]
enum Child {
    Tree(u32),
    Item(u32),
}

impl WideTree {
    /// The tree over the items of a binary one, whose boxes `bounds` knows.
    pub fn new(tree: &Bvh, bounds: impl Fn(u32) -> Aabb) -> Self {
        let mut wide = Self { nodes: Vec::with_capacity(tree.items.len() / 4) };
        if !tree.nodes.is_empty() {
            wide.add(tree, 0, &bounds);
        }
        wide.nodes.shrink_to_fit();
        wide
    }

    /// Appends the subtree and returns its number. No leaf may hold more than eight items.
    fn add(&mut self, tree: &Bvh, root: u32, bounds: &impl Fn(u32) -> Aabb) -> u32 {
        let at = self.nodes.len();
        let whole = &tree.nodes[root as usize];
        self.nodes.push(Eight::new(whole.min, whole.max));
        let mut children = [Child::Tree(root); WIDTH];
        let mut count = 1;
        // The largest child that still fits is opened, as long as there is one. A leaf opens into all its items.
        loop {
            let mut largest: Option<(usize, f64)> = None;
            for (k, child) in children[..count].iter().enumerate() {
                let Child::Tree(node) = *child else { continue };
                let node = &tree.nodes[node as usize];
                let parts = if node.count > 0 { node.count as usize } else { 2 };
                let area = area(node);
                if count - 1 + parts <= WIDTH && largest.is_none_or(|(_, most)| area > most) {
                    largest = Some((k, area));
                }
            }
            let Some((k, _)) = largest else { break };
            let Child::Tree(index) = children[k] else { break };
            let node = &tree.nodes[index as usize];
            let parts = if node.count > 0 { node.count as usize } else { 2 };
            children.copy_within(k + 1..count, k + parts);
            for part in 0..parts {
                children[k + part] = if node.count > 0 {
                    Child::Item(tree.items[node.link as usize + part])
                } else if part == 0 {
                    Child::Tree(index + 1)
                } else {
                    Child::Tree(tree.subtree_end(index + 1))
                };
            }
            count += parts - 1;
        }
        for (k, child) in children[..count].iter().enumerate() {
            let (min, max, link) = match *child {
                Child::Item(item) => {
                    let b = bounds(item);
                    (b.min.to_array().map(below), b.max.to_array().map(above), item | ITEM)
                }
                Child::Tree(index) => {
                    let node = tree.nodes[index as usize];
                    (node.min, node.max, self.add(tree, index, bounds))
                }
            };
            self.nodes[at].set(k, min, max, link);
        }
        at as u32
    }

    /// Visits the items whose boxes overlap `bounds`, and few others, in the order of the binary tree, until `visit` says false.
    #[inline]
    pub fn each_overlap(&self, bounds: &Aabb, mut visit: impl FnMut(u32) -> bool) {
        let (min, max) = (bounds.min.to_array().map(below), bounds.max.to_array().map(above));
        // What is no box, or not of numbers, overlaps nothing.
        if !self.nodes.is_empty() && (0..3).all(|axis| min[axis] <= max[axis]) {
            self.walk(0, &min, &max, &mut visit);
        }
    }

    fn walk(&self, node: u32, min: &[f32; 3], max: &[f32; 3], visit: &mut impl FnMut(u32) -> bool) -> bool {
        let node = &self.nodes[node as usize];
        let mut hit = node.overlapping(min, max);
        while hit != 0 {
            let link = node.links[(hit.trailing_zeros() / 8) as usize % WIDTH];
            hit &= hit - 1;
            let goes_on = if link & ITEM != 0 { visit(link & !ITEM) } else { self.walk(link, min, max, visit) };
            if !goes_on {
                return false;
            }
        }
        true
    }
}

/// Half of the surface of a node.
fn area(node: &Node) -> f64 {
    let [x, y, z] = core::array::from_fn(|i| f64::from(node.max[i]) - f64::from(node.min[i]));
    x * y + y * z + z * x
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Real, Vec3};
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        /// It finds what brute force finds, each once, in the order in which the binary tree names them.
        #[test]
        fn finds_what_overlaps(
            boxes in prop::collection::vec((prop::array::uniform3(-10.0..10.0), prop::array::uniform3(0.0..3.0)), 0..200),
            query in (prop::array::uniform3(-10.0..10.0), prop::array::uniform3(0.0..8.0)),
        ) {
            let make = |(at, size): &([f64; 3], [f64; 3])| {
                let at: Vec3 = Vec3::from(*at).to_real();
                Aabb::new(at, at + Vec3::from(*size).to_real())
            };
            let boxes: Vec<Aabb> = boxes.iter().map(make).collect();
            let query = make(&query);
            let tree = Bvh::new(&boxes).unwrap();
            let wide = WideTree::new(&tree, |i| boxes[i as usize]);
            let mut found = Vec::new();
            wide.each_overlap(&query, |i| {
                found.push(i);
                true
            });
            let all: Vec<u32> = tree.candidates(&Aabb::EVERYTHING).collect();
            let sure = |i: &&u32| boxes[**i as usize].overlaps(&query);
            prop_assert!(found.iter().filter(sure).eq(all.iter().filter(sure)));
            // All boxes are within 23 m: what is two steps of a grid over that away is not named.
            let near = query.expanded(2.0 * 23.0 / STEPS as Real);
            prop_assert!(found.iter().all(|&i| boxes[i as usize].overlaps(&near)));
            // A box without bounds finds all.
            let mut all = Vec::new();
            wide.each_overlap(&Aabb::EVERYTHING, |i| {
                all.push(i);
                true
            });
            prop_assert_eq!(all, tree.candidates(&Aabb::EVERYTHING).collect::<Vec<_>>());
            // A visitor that says false is not called again.
            let mut calls = 0;
            wide.each_overlap(&query, |_| {
                calls += 1;
                false
            });
            prop_assert_eq!(calls, usize::from(!found.is_empty()));
        }
    }

    /// The flat boxes of a cube cut into squares, and boxes of no size at all, are found by boxes without end on any side, as half-spaces have
    /// them: grids over flat nodes keep the order of infinite numbers.
    #[test]
    fn flat_boxes_are_found_by_endless_ones() {
        let mut boxes = Vec::new();
        for (axis, side, u, v) in (0..3 * 2 * 16).map(|i| (i % 3, i / 3 % 2, i / 6 % 4, i / 24)) {
            let mut low = [0.0; 3];
            (low[axis], low[(axis + 1) % 3], low[(axis + 2) % 3]) = (side as Real * 4.0, u as Real, v as Real);
            let mut high = low.map(|x| x + 1.0);
            high[axis] = low[axis];
            boxes.push(Aabb::new(Vec3::from(low), Vec3::from(high)));
        }
        boxes.push(Aabb::new(Vec3::all(2.0), Vec3::all(2.0)));
        let tree = Bvh::new(&boxes).unwrap();
        let wide = WideTree::new(&tree, |i| boxes[i as usize]);
        let ends = [Real::NEG_INFINITY, -1.0, 0.0, 2.0, 2.5, 4.0, 5.0, Real::INFINITY];
        for (axis, i, k) in (0..3 * 64).map(|n| (n % 3, n / 3 % 8, n / 24)) {
            let (mut low, mut high) = ([Real::NEG_INFINITY; 3], [Real::INFINITY; 3]);
            (low[axis], high[axis]) = (ends[i], ends[k]);
            let query = Aabb::new(Vec3::from(low), Vec3::from(high));
            let mut found = vec![false; boxes.len()];
            wide.each_overlap(&query, |i| {
                found[i as usize] = true;
                true
            });
            for (found, b) in found.iter().zip(&boxes) {
                assert!(*found || i > k || !b.overlaps(&query), "{b:?} in {query:?}");
            }
        }
    }

    /// Nothing overlaps a box that is not a number, and nothing is found where there is nothing.
    #[test]
    fn bad_boxes_find_nothing() {
        let unit = Aabb::new(Vec3::ZERO, Vec3::all(1.0));
        let tree = Bvh::new(&[unit]).unwrap();
        let wide = WideTree::new(&tree, |_| unit);
        for bad in [Aabb::new(Vec3::all(Real::NAN), Vec3::all(Real::NAN)), Aabb::EMPTY] {
            wide.each_overlap(&bad, |_| unreachable!());
        }
        WideTree::default().each_overlap(&unit, |_| unreachable!());
    }
}
