//! A copy of a tree for very many casts.
//!
//! Where there are about as many casts as leaves it pays to arrange the leaves for them first: nodes with a child for each lane, whose boxes are tested
//! together, and a third of the levels. The copy is good until something moves.

use super::query::{BoxCast, OUTWARDS};
use super::{DynamicTree, MAX_HEIGHT, Node};
use crate::math::{Aabb, Isa, Kernel, LANES, Lane, Mask, Num, Real};

/// Bit of a link: the rest is the number of a leaf, else of a node.
const LEAF: u32 = 1 << 31;

/// Children that are waiting for their turn: of each node on the way down all but one.
const WAITING: usize = MAX_HEIGHT * (LANES - 1) + 1;

/// The boxes of up to [`LANES`] children side by side.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
struct WideNode {
    low: [[Real; LANES]; 3],
    high: [[Real; LANES]; 3],
    links: [u32; LANES],
    count: u32,
}

impl WideNode {
    const EMPTY: Self = Self { low: [[0.0; LANES]; 3], high: [[0.0; LANES]; 3], links: [0; LANES], count: 0 };
}

/// See the [module](self).
#[derive(Clone, Debug)]
pub(crate) struct WideTree {
    nodes: Vec<WideNode>,
    /// Leads to everything; `None` where there is nothing.
    root: Option<u32>,
}

impl DynamicTree {
    /// The copy. `leaf` is told of each leaf what it stands for, and answers under which number it is to be visited; `None` leaves it out. Leaves
    /// without bounds are not in it.
    pub(crate) fn widened(&self, mut leaf: impl FnMut(u32) -> Option<u32>) -> WideTree {
        let mut wide = WideTree { nodes: Vec::with_capacity(self.len() / 2), root: None };
        if !self.is_vacant() {
            // A leaf that is alone is put into a node, too: boxes are tested there.
            let root = &self.pairs[0].0[..1];
            let all = match &root[0] {
                alone if alone.is_leaf() => self.gathered(root, &mut wide.nodes, &mut leaf),
                node => self.widen(node, &mut wide.nodes, &mut leaf),
            };
            wide.root = all.map(|(link, _)| link);
        }
        wide
    }

    /// What stands for the leaves that have no bounds.
    pub(crate) fn without_bounds(&self) -> impl Iterator<Item = u32> + '_ {
        self.unbounded.iter().map(|node| self.leaf_user(node))
    }

    /// Adds what is below a node; answers the link to it, and its box.
    fn widen(
        &self,
        node: &Node,
        out: &mut Vec<WideNode>,
        leaf: &mut impl FnMut(u32) -> Option<u32>,
    ) -> Option<(u32, Aabb)> {
        if node.is_leaf() {
            return leaf(self.leaf_user(node)).map(|number| (number | LEAF, node.aabb));
        }
        let mut children = [*node; LANES];
        let mut count = 1;
        // The largest is replaced by its two children, as long as there is room.
        while count < LANES {
            let inner = (0..count).filter(|&i| !children[i].is_leaf());
            let area = |i: &usize| children[*i].aabb.surface_area();
            let Some(largest) = inner.max_by(|i, j| area(i).total_cmp(&area(j))) else { break };
            [children[largest], children[count]] = self.pairs[children[largest].index() as usize].0;
            count += 1;
        }
        self.gathered(&children[..count], out, leaf)
    }

    /// Adds a node of these children; answers the link to it, and its box.
    fn gathered(
        &self,
        children: &[Node],
        out: &mut Vec<WideNode>,
        leaf: &mut impl FnMut(u32) -> Option<u32>,
    ) -> Option<(u32, Aabb)> {
        let place = out.len();
        out.push(WideNode::EMPTY);
        let (mut all, mut kept) = (Aabb::EMPTY, 0);
        for child in children {
            let Some((link, aabb)) = self.widen(child, out, leaf) else { continue };
            let node = &mut out[place];
            for axis in 0..3 {
                node.low[axis][kept] = aabb.min[axis];
                node.high[axis][kept] = aabb.max[axis];
            }
            node.links[kept] = link;
            all = all.union(&aabb);
            kept += 1;
        }
        out[place].count = kept as u32;
        (kept > 0).then_some((place as u32, all))
    }
}

impl WideTree {
    pub const EMPTY: Self = Self { nodes: Vec::new(), root: None };

    /// [`DynamicTree::cast`] for each of these, with calls `visit(number of the cast, number of the leaf, max)`.
    pub fn cast_each(&self, isa: Isa, casts: &[BoxCast], visit: impl FnMut(usize, u32, Real) -> Real) {
        isa.dispatch(CastEach { tree: self, casts, visit });
    }
}

struct CastEach<'a, V> {
    tree: &'a WideTree,
    casts: &'a [BoxCast],
    visit: V,
}

impl<V: FnMut(usize, u32, Real) -> Real> Kernel for CastEach<'_, V> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(mut self) {
        let Some(root) = self.tree.root else { return };
        let mut waiting = [(0u32, 0.0); WAITING];
        for (number, cast) in self.casts.iter().enumerate() {
            let slabs = WideSlabs::<L>::new(cast);
            let mut max = cast.max;
            waiting[0] = (root, 0.0);
            let mut count = 1;
            while count > 0 {
                count -= 1;
                let (link, entry) = waiting[count];
                // Not for a limit that is negative, nor one that is no number.
                if !(entry <= max) {
                    continue;
                }
                if link & LEAF != 0 {
                    max = (self.visit)(number, link & !LEAF, max);
                    continue;
                }
                let node = &self.tree.nodes[link as usize];
                let (mut hits, entries) = slabs.entries(node, max);
                let first = count;
                while hits != 0 {
                    let i = hits.trailing_zeros() as usize;
                    hits &= hits - 1;
                    // The nearest on top.
                    let mut at = count;
                    while at > first && waiting[at - 1].1 < entries[i] {
                        waiting[at] = waiting[at - 1];
                        at -= 1;
                    }
                    waiting[at] = (node.links[i], entries[i]);
                    count += 1;
                }
            }
        }
    }
}

/// A cast prepared for many boxes: `Slabs`, side by side.
struct WideSlabs<L> {
    low: [L; 3],
    high: [L; 3],
    inverse: [L; 3],
}

impl<L: Lane> WideSlabs<L> {
    #[inline(always)]
    fn new(cast: &BoxCast) -> Self {
        let mut slabs = Self { low: [L::ZERO; 3], high: [L::ZERO; 3], inverse: [L::ZERO; 3] };
        for axis in 0..3 {
            slabs.low[axis] = L::splat(cast.start.min[axis]);
            slabs.high[axis] = L::splat(cast.start.max[axis]);
            slabs.inverse[axis] = L::splat(cast.reciprocal(axis));
        }
        slabs
    }

    /// Which children are met up to `max`, by bits, and where they are entered; see `Slabs::entry`.
    #[inline(always)]
    fn entries(&self, node: &WideNode, max: Real) -> (u32, [Real; LANES]) {
        let (mut hits, mut entries) = (0, [0.0; LANES]);
        for first in (0..LANES).step_by(L::WIDTH) {
            let (mut near, mut far) = (L::ZERO, L::splat(max));
            for axis in 0..3 {
                let a = (L::load(&node.low[axis][first..]) - self.high[axis]) * self.inverse[axis];
                let c = (L::load(&node.high[axis][first..]) - self.low[axis]) * self.inverse[axis];
                near = Num::max(Num::min(c, a), near);
                far = Num::min(Num::max(a, c), far);
            }
            let met = near.less_eq(Num::min(far * L::splat(OUTWARDS), L::splat(Real::MAX)));
            Num::min(near, L::splat(max)).store(&mut entries[first..]);
            hits |= met.bits() << first;
        }
        (hits & ((1u32 << node.count) - 1), entries)
    }
}
