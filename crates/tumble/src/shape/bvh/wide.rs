//! The same tree with eight children to a node, whose boxes are tested side by side.
//!
//! A search for what overlaps a box spends its time on mispredicted branches, one for each node of a binary tree. Here a node answers
//! for eight boxes at once with a mask, and its children may be single items, so that nothing but items that overlap is looked at.
//! Children stand in the order of the binary tree: both trees name items in the same order.

use super::{Bvh, Node, above, below};
use crate::math::Aabb;

/// Children of a node.
const WIDTH: usize = 8;
/// Set in links to items; all others are links to nodes.
const ITEM: u32 = 1 << 31;

/// Eight boxes, coordinate by coordinate.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Eight {
    min: [[f32; WIDTH]; 3],
    max: [[f32; WIDTH]; 3],
    links: [u32; WIDTH],
    /// A bit for each place that has a child. (A box without one would overlap a box without bounds.)
    used: u32,
}

impl Eight {
    const EMPTY: Self =
        Self { min: [[f32::INFINITY; WIDTH]; 3], max: [[f32::NEG_INFINITY; WIDTH]; 3], links: [0; WIDTH], used: 0 };

    /// Which of the boxes overlap, a bit for each.
    #[inline(always)]
    fn overlapping(&self, min: &[f32; 3], max: &[f32; 3]) -> u32 {
        // The widest gap on any axis; a difference is above zero just where the one number is above the other. (Loops that compare and keep
        // truth values are not made into vectors.)
        let mut gap = [f32::NEG_INFINITY; WIDTH];
        for axis in 0..3 {
            for k in 0..WIDTH {
                gap[k] = larger(gap[k], larger(self.min[axis][k] - max[axis], min[axis] - self.max[axis][k]));
            }
        }
        let mut mask = 0;
        for (k, &gap) in gap.iter().enumerate() {
            mask |= u32::from(gap <= 0.0) << k;
        }
        mask & self.used
    }
}

/// In the form of a single instruction. Of two of which one is not a number, the second.
#[inline(always)]
fn larger(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
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
        self.nodes.push(Eight::EMPTY);
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
            let node = &mut self.nodes[at];
            for axis in 0..3 {
                (node.min[axis][k], node.max[axis][k]) = (min[axis], max[axis]);
            }
            node.links[k] = link;
            node.used |= 1 << k;
        }
        at as u32
    }

    /// Visits the items whose boxes overlap `bounds`, in the order of the binary tree, until `visit` says false. Boxes are rounded
    /// outwards to `f32`, which is exact where `Real` is that.
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
        let mut mask = node.overlapping(min, max);
        while mask != 0 {
            let link = node.links[mask.trailing_zeros() as usize % WIDTH];
            mask &= mask - 1;
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
            let reach = f32::EPSILON as Real * 64.0;
            let near: Vec<u32> =
                tree.candidates(&query).filter(|&i| boxes[i as usize].overlaps(&query.expanded(reach))).collect();
            let sure = |i: &&u32| boxes[**i as usize].overlaps(&query);
            prop_assert!(found.iter().filter(sure).eq(near.iter().filter(sure)));
            prop_assert!(found.iter().all(|i| near.contains(i)));
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
