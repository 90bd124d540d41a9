//! A copy of trees for very many casts.
//!
//! Where there are about as many casts as leaves it pays to arrange the leaves for them first: nodes with a child for each lane, whose boxes are tested
//! together, and a third of the levels. The copy is good until something moves. As in `batch`, a few casts are followed in turns.

use core::hint::select_unpredictable;

use super::query::{BoxCast, OUTWARDS};
use super::{DynamicTree, MAX_HEIGHT, Node};
use crate::math::{Aabb, Isa, Kernel, LANES, Lane, Mask, Num, Real, Vec3, prefetch};

/// Bit of a link: the rest is the number of a leaf, else of a node.
const LEAF: u32 = 1 << 31;

/// Most that a walker leaves for later: of each node on the way down all children but one, and the roots.
const WAITING: usize = MAX_HEIGHT * (LANES - 1) + ROOTS;

/// Most trees that are copied into one.
const ROOTS: usize = 2;

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
#[derive(Debug)]
pub(crate) struct WideTree {
    nodes: Vec<WideNode>,
    /// Lead to everything.
    roots: Vec<u32>,
}

impl DynamicTree {
    /// Adds a copy to `wide`. `leaf` is told of each leaf what it stands for, and answers under which number below 2³¹ - 1 it is to be visited; `None` leaves
    /// it out. Leaves without bounds are not in it.
    pub(crate) fn widen_into(&self, wide: &mut WideTree, mut leaf: impl FnMut(u32) -> Option<u32>) {
        debug_assert!(wide.roots.len() < ROOTS);
        if self.is_vacant() {
            return;
        }
        // A leaf that is alone is put into a node, too: boxes are tested there.
        let root = &self.pairs[0].0[..1];
        let all = match &root[0] {
            alone if alone.is_leaf() => self.gathered(root, &mut wide.nodes, &mut leaf),
            node => self.widen(node, &mut wide.nodes, &mut leaf),
        };
        wide.roots.extend(all.map(|(link, _)| link));
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
            let number = leaf(self.leaf_user(node))?;
            debug_assert!(number | LEAF != END);
            return Some((number | LEAF, node.aabb));
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
    /// A tree without leaves, with room for so many.
    pub fn with_room(leaves: usize) -> Self {
        Self { nodes: Vec::with_capacity(leaves / 2), roots: Vec::new() }
    }

    /// [`DynamicTree::cast`] for each of these, with calls `visit(number of the cast, number of the leaf, max)`. What is visited on one cast does
    /// not depend on the others. `soon` is told which leaves are visited next.
    pub fn cast_each(
        &self,
        isa: Isa,
        walkers: &mut Walkers,
        casts: &[BoxCast],
        soon: impl Fn(u32),
        visit: impl FnMut(usize, u32, Real) -> Real,
    ) {
        isa.dispatch(CastEach { tree: self, walkers, casts, soon, visit });
    }
}

struct CastEach<'a, S, V> {
    tree: &'a WideTree,
    walkers: &'a mut Walkers,
    casts: &'a [BoxCast],
    soon: S,
    visit: V,
}

/// How many casts are followed in turns: while one waits for memory, the others go on.
const ABREAST: usize = 8;

/// Those that follow casts. Between calls of [`WideTree::cast_each`] all are idle: at [`END`], with nothing waiting.
pub(crate) struct Walkers(Vec<Walker>);

impl Walkers {
    pub fn new() -> Self {
        Self((0..ABREAST).map(|_| Walker::idle()).collect())
    }
}

/// The link of a walker that has seen everything.
const END: u32 = u32::MAX;

/// One cast on its way down the tree.
struct Walker {
    /// Number of the cast.
    number: usize,
    slabs: NodeSlabs,
    max: Real,
    /// The link to what comes next, which is met, or [`END`].
    at: u32,
    /// What is met later, of each node the nearest last: links, and where they are entered.
    later: [(u32, Real); WAITING],
    waiting: usize,
}

impl Walker {
    fn idle() -> Self {
        let slabs = NodeSlabs::new(&BoxCast::ray(Vec3::ZERO, Vec3::ZERO, -1.0));
        Self { number: 0, slabs, max: -1.0, at: END, later: [(END, 0.0); WAITING], waiting: 0 }
    }

    fn set_out(&mut self, number: usize, cast: &BoxCast, roots: &[u32]) {
        (self.number, self.slabs, self.max) = (number, NodeSlabs::new(cast), cast.max);
        // The first root is seen first.
        for (later, &root) in self.later.iter_mut().zip(roots.iter().rev()) {
            *later = (root, 0.0);
        }
        self.waiting = roots.len();
    }

    /// From a node that is met to its children: those that are met come next, the nearest first.
    #[inline(always)]
    fn open<L: Lane>(&mut self, node: &WideNode) {
        let (mut hits, entries) = self.slabs.entries::<L>(node, self.max);
        let first = self.waiting;
        while hits != 0 {
            let i = hits.trailing_zeros() as usize % LANES;
            hits &= hits - 1;
            // Each takes the place of the first that is nearer, which goes on in its stead. Who is nearer could not be foreseen.
            let mut new = (node.links[i], entries[i]);
            for old in &mut self.later[first..self.waiting] {
                let nearer = old.1 < new.1;
                (*old, new) = (select_unpredictable(nearer, new, *old), select_unpredictable(nearer, *old, new));
            }
            self.later[self.waiting] = new;
            self.waiting += 1;
        }
    }

    /// To what comes next, as far as it is met before `max`; for a limit that is negative or no number, nothing is.
    #[inline(always)]
    fn advance(&mut self) {
        while self.waiting > 0 {
            self.waiting -= 1;
            let (link, entry) = self.later[self.waiting];
            if entry <= self.max {
                self.at = link;
                return;
            }
        }
        self.at = END;
    }
}

impl<S: Fn(u32), V: FnMut(usize, u32, Real) -> Real> Kernel for CastEach<'_, S, V> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(mut self) {
        let mut fresh = self.casts.iter().enumerate();
        let mut walking = true;
        while walking {
            walking = false;
            for walker in &mut self.walkers.0 {
                match walker.at {
                    END => {}
                    leaf if leaf & LEAF != 0 => walker.max = (self.visit)(walker.number, leaf & !LEAF, walker.max),
                    node => walker.open::<L>(&self.tree.nodes[node as usize]),
                }
                walker.advance();
                while walker.at == END {
                    let Some((number, cast)) = fresh.next() else { break };
                    walker.set_out(number, cast, &self.tree.roots);
                    walker.advance();
                }
                match walker.at {
                    END => continue,
                    leaf if leaf & LEAF != 0 => (self.soon)(leaf & !LEAF),
                    node => prefetch(&self.tree.nodes[node as usize]),
                }
                walking = true;
            }
        }
    }
}

/// A cast prepared for the boxes of nodes; see `query::Slabs`.
struct NodeSlabs {
    start: Aabb,
    inverse: [Real; 3],
}

impl NodeSlabs {
    #[inline(always)]
    fn new(cast: &BoxCast) -> Self {
        Self { start: cast.start, inverse: [0, 1, 2].map(|axis| cast.reciprocal(axis)) }
    }

    /// Which children are met up to `max`, by bits, and where they are entered; see `query::Slabs::entry`.
    #[inline(always)]
    fn entries<L: Lane>(&self, node: &WideNode, max: Real) -> (u32, [Real; LANES]) {
        let (mut hits, mut entries) = (0, [0.0; LANES]);
        for first in (0..LANES).step_by(L::WIDTH) {
            let (mut near, mut far) = (L::ZERO, L::splat(max));
            for axis in 0..3 {
                let inverse = L::splat(self.inverse[axis]);
                let a = (L::load(&node.low[axis][first..]) - L::splat(self.start.max[axis])) * inverse;
                let c = (L::load(&node.high[axis][first..]) - L::splat(self.start.min[axis])) * inverse;
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
