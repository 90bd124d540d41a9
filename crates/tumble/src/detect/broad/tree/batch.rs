//! Many casts through one tree.
//!
//! What a cast does next hangs on the boxes it has just read, and which way it turns is as good as random: alone, it
//! waits for memory, for a chain of arithmetic and for branches that were guessed wrong. So a few casts are followed in turns,
//! each a box further at a time and without a branch; while one waits the others go on.

use super::query::{BoxCast, Slabs};
use super::{DynamicTree, INDEX, LEAF, MAX_HEIGHT, NONE};
use crate::math::{Real, Vec3};

/// How many casts are followed in turns.
const ABREAST: usize = 4;

/// The link of a walker that has seen everything.
const END: u32 = LEAF | NONE;

/// One cast on its way down the tree.
struct Walker {
    /// Number of the cast.
    number: usize,
    slabs: Slabs,
    max: Real,
    /// The link to what comes next: the pair of children of a node that is met, or a leaf that is met, or [`END`].
    at: u32,
    /// What is met later: links, and where they are entered. Below the first is [`END`], so that there always is one to take; above the
    /// last is room for one that is written and not kept.
    later: [(u32, Real); MAX_HEIGHT + 2],
    waiting: usize,
}

impl Walker {
    fn idle() -> Self {
        let nothing = BoxCast::ray(Vec3::ZERO, Vec3::ZERO, -1.0);
        let later = [(END, Real::NEG_INFINITY); MAX_HEIGHT + 2];
        Self { number: 0, slabs: Slabs::new(&nothing), max: nothing.max, at: END, later, waiting: 0 }
    }

    /// From a leaf to what was left for later, as far as it is met before `max`.
    fn shorten(&mut self, max: Real) {
        let mut kept = 0;
        for i in 1..=self.waiting {
            self.later[kept + 1] = self.later[i];
            kept += usize::from(self.later[i].1 <= max);
        }
        self.max = max;
        self.at = self.later[kept].0;
        self.waiting = kept.saturating_sub(1);
    }

    /// From a node that is met to the nearer of its children that are met, or else to what was left for later.
    #[inline(always)]
    fn advance(&mut self, tree: &DynamicTree, mask: u32) {
        let pair = &tree.pairs[(self.at & INDEX) as usize];
        let entries = self.slabs.entries(pair, self.max);
        let [a, b] = [0, 1].map(|i| (entries[i] <= self.max) & (pair.0[i].layers & mask != 0));
        let near = usize::from(b & !(a & (entries[0] <= entries[1])));
        let none = usize::from(!(a | b));
        // A table and an index instead of choices: compilers make branches of those.
        let ways = [(pair.0[0].link, entries[0]), (pair.0[1].link, entries[1]), self.later[self.waiting]];
        // Written in any case, and kept if both are met.
        self.later[self.waiting + 1] = ways[near ^ 1];
        self.at = ways[near + 2 * none].0;
        self.waiting = self.waiting + usize::from(a & b) - (none & usize::from(self.waiting > 0));
    }
}

impl DynamicTree {
    /// [`DynamicTree::cast`] for each of these, with calls `visit(number, user, max)`. What is visited on one cast does not depend on
    /// the others.
    #[inline]
    pub(crate) fn cast_each(&self, casts: &[BoxCast], mask: u32, mut visit: impl FnMut(usize, u32, Real) -> Real) {
        let mut fresh = casts.iter().enumerate();
        let mut walkers = [(); ABREAST].map(|()| Walker::idle());
        let mut walking = ABREAST;
        while walking > 0 {
            walking = 0;
            for walker in &mut walkers {
                while walker.at & LEAF != 0 {
                    if walker.at != END {
                        let user = self.leaves[(walker.at & INDEX) as usize].user;
                        walker.shorten(visit(walker.number, user, walker.max));
                    } else if let Some((number, cast)) = fresh.next() {
                        self.set_out(walker, number, cast, mask, &mut visit);
                    } else {
                        break;
                    }
                }
                if walker.at & LEAF == 0 {
                    walker.advance(self, mask);
                    walking += 1;
                }
            }
        }
    }

    /// Visits what has no bounds, and goes to the root.
    fn set_out(
        &self,
        walker: &mut Walker,
        number: usize,
        cast: &BoxCast,
        mask: u32,
        visit: &mut impl FnMut(usize, u32, Real) -> Real,
    ) {
        let slabs = Slabs::new(cast);
        let mut max = cast.max;
        for node in &self.unbounded {
            if node.layers & mask != 0 && slabs.entry(&node.aabb, max) <= max {
                max = visit(number, self.leaf_user(node), max);
            }
        }
        if !self.is_vacant() && max >= 0.0 {
            (walker.number, walker.slabs, walker.max) = (number, slabs, max);
            (walker.at, walker.waiting) = (0, 0);
        }
    }
}
