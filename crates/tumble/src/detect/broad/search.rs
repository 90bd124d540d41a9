//! The search for new pairs, in parts that threads can share.

use super::pairs::{BroadPhase, ProxyId, ProxyKind, ProxyPair};
use super::tree::{DynamicTree, Meeting};
use core::ops::Range;

/// A part of the search.
#[derive(Clone, Copy, Debug)]
enum Part {
    /// Moving leaves among themselves.
    Moving(Meeting),
    /// Moving leaves with fixed ones.
    Mixed(Meeting),
    /// An unbounded fixed leaf with the moving ones.
    UnboundedFixed(u32),
    /// An unbounded moving leaf with everything.
    UnboundedMoving(u32),
}

/// Into how many parts, at least, a large search is divided: enough for threads to share evenly.
const PARTS: usize = 256;
/// So many pairs are met before they are looked up: the table of known pairs is larger than the fast caches, and lookups that
/// do not wait for each other overlap.
const BATCH: usize = 1024;

/// The parts of the search under way, and memory for making them; without meaning between searches.
#[derive(Debug, Default)]
pub(super) struct SearchScratch {
    parts: Vec<Part>,
    meetings: Vec<Meeting>,
    slots: Vec<u32>,
}

/// A copy begins with memory of its own, and takes none before its first search.
impl Clone for SearchScratch {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl SearchScratch {
    pub(super) fn memory(&self) -> usize {
        self.parts.capacity() * size_of::<Part>()
            + self.meetings.capacity() * size_of::<Meeting>()
            + self.slots.capacity() * size_of::<u32>()
    }

    fn clear(&mut self) {
        self.parts.clear();
        self.meetings.clear();
        self.slots.clear();
    }
}

/// What decides whether two proxies may touch, by the owner's numbers.
pub type PairFilter<'a> = &'a (dyn Fn(u32, u32) -> bool + Sync);

/// A search for new pairs, divided into parts that threads can share.
///
/// Each thread takes ranges of the parts and fills a list of its own; [`Self::finish`] gets all of them as one list, in any
/// order. A search that is dropped instead has found nothing, and the next one finds it all.
///
/// ```
/// use tumble::detect::broad::{BroadPhase, ProxyDesc, ProxyKind};
/// use tumble::math::{Aabb, Vec3};
/// let mut broad = BroadPhase::new();
/// for user in 0..4 {
///     let aabb = Aabb::new(Vec3::ZERO, Vec3::all(1.0));
///     broad.create_proxy(&ProxyDesc { aabb, kind: ProxyKind::Moving, user, layers: 1, margin: 0.0 });
/// }
/// let search = broad.search_pairs();
/// let (mut first, mut second) = (Vec::new(), Vec::new());
/// let middle = search.parts() / 2;
/// std::thread::scope(|scope| {
///     scope.spawn(|| search.collect(0..middle, &|_, _| true, &mut first));
///     scope.spawn(|| search.collect(middle..search.parts(), &|_, _| true, &mut second));
/// });
/// first.append(&mut second);
/// search.finish(&mut first);
/// assert_eq!(first.len(), 6);
/// ```
///
/// ```
/// use tumble::detect::broad::BroadPhase;
/// let mut broad = BroadPhase::new();
/// let search = broad.search_pairs();
/// assert!(search.broad_phase().is_empty()); // to look at meanwhile
/// ```
#[derive(Debug)]
pub struct PairSearch<'a> {
    broad: &'a mut BroadPhase,
}

impl BroadPhase {
    /// Replaces `out` by the pairs that are new since the last search, sorted: of proxies whose boxes overlap or touch, not both
    /// fixed, not known yet, and for which `filter(user of a, user of b)` is true. They are known from now on.
    ///
    /// The filter is asked only about pairs of which one proxy was created, moved, touched or changed in kind since the last
    /// search. The result does not depend on the shapes of the trees.
    pub fn update_pairs(&mut self, filter: PairFilter, out: &mut Vec<ProxyPair>) {
        out.clear();
        let search = self.search_pairs();
        search.collect(0..search.parts(), filter, out);
        search.finish(out);
    }

    /// The same by comparing every stored box with every other, whatever has changed: in quadratic time, and with nothing that could go
    /// wrong. The filter is asked about every pair that overlaps and is not known.
    ///
    /// ```
    /// use tumble::detect::broad::{BroadPhase, ProxyDesc, ProxyKind};
    /// use tumble::math::{Aabb, Real, Vec3};
    /// let mut broad = BroadPhase::new();
    /// for user in 0..10 {
    ///     let at = Vec3::new(user as Real, 0.0, 0.0);
    ///     let aabb = Aabb::new(at, at + Vec3::all(1.5));
    ///     broad.create_proxy(&ProxyDesc { aabb, kind: ProxyKind::Moving, user, layers: 1, margin: 0.0 });
    /// }
    /// let (mut by_trees, mut by_hand) = (Vec::new(), Vec::new());
    /// broad.clone().update_pairs(&|_, _| true, &mut by_trees);
    /// broad.compare_all(&|_, _| true, &mut by_hand);
    /// assert_eq!((by_trees.len(), by_trees), (9, by_hand));
    /// ```
    pub fn compare_all(&mut self, filter: PairFilter, out: &mut Vec<ProxyPair>) {
        out.clear();
        self.order_trees();
        let ids = || (0..self.proxies.len() as u32).map(ProxyId);
        for a in ids() {
            let Some(kind) = self.kind(a) else { continue };
            for b in ids().skip(a.0 as usize + 1) {
                let both_fixed = kind == ProxyKind::Fixed && self.kind(b) == Some(ProxyKind::Fixed);
                if !both_fixed && self.fat_overlap(a, b) {
                    out.push(ProxyPair::new(a, b));
                }
            }
        }
        self.sift(0, filter, out);
        PairSearch { broad: self }.finish(out);
    }

    /// Brings the trees into order at once, where the next search for pairs would.
    ///
    /// ```
    /// use tumble::detect::broad::{BroadPhase, ProxyDesc, ProxyKind};
    /// use tumble::math::{Aabb, Real, Vec3};
    /// let mut broad = BroadPhase::new();
    /// for user in 0..10 {
    ///     let at = Vec3::new(user as Real, 0.0, 0.0);
    ///     let aabb = Aabb::new(at, at + Vec3::all(1.5));
    ///     let kind = if user < 5 { ProxyKind::Fixed } else { ProxyKind::Moving };
    ///     broad.create_proxy(&ProxyDesc { aabb, kind, user, layers: 1, margin: 0.0 });
    /// }
    /// let (mut before, mut after) = (Vec::new(), Vec::new());
    /// broad.clone().update_pairs(&|_, _| true, &mut before);
    /// broad.order_trees();
    /// broad.update_pairs(&|_, _| true, &mut after);
    /// assert_eq!((before.len(), &before), (5, &after)); // only the time at which it is done has changed
    /// ```
    pub fn order_trees(&mut self) {
        self.trees.iter_mut().for_each(DynamicTree::maintain);
        let [fixed, moving] = &mut self.trees;
        // What moves is all new, and meets whatever is fixed: nothing need be said of that.
        if moving.changed() == moving.len() {
            fixed.settle();
        }
    }

    /// Brings the trees into order and divides the search for new pairs into parts. Where nothing has changed there are none, and
    /// this takes no time.
    pub fn search_pairs(&mut self) -> PairSearch<'_> {
        self.divide_search();
        PairSearch { broad: self }
    }

    fn divide_search(&mut self) {
        self.scratch.clear();
        if self.is_settled() {
            return;
        }
        let SearchScratch { parts, meetings, slots } = &mut self.scratch;
        let [fixed, moving] = &mut self.trees;
        fixed.maintain();
        moving.maintain();

        // Where much has changed, whole trees walk together; where little has, each changed leaf with the root.
        let dense = |tree: &DynamicTree| tree.changed() * 4 > tree.len();
        if dense(moving) {
            divide(moving, moving, moving.meet_self(), meetings);
        } else {
            moving.changed_slots(slots);
            meetings.extend(slots.iter().map(|&slot| Meeting::Between(slot, 0)));
        }
        parts.extend(meetings.drain(..).map(Part::Moving));

        if dense(moving) || dense(fixed) {
            divide(moving, fixed, moving.meet_other(fixed), meetings);
        } else if !moving.is_vacant() && !fixed.is_vacant() {
            meetings.extend(slots.iter().map(|&slot| Meeting::Between(slot, 0)));
            slots.clear();
            fixed.changed_slots(slots);
            meetings.extend(slots.iter().map(|&slot| Meeting::Between(0, slot)));
        }
        parts.extend(meetings.drain(..).map(Part::Mixed));

        parts.extend((0..fixed.unbounded.len() as u32).map(Part::UnboundedFixed));
        parts.extend((0..moving.unbounded.len() as u32).map(Part::UnboundedMoving));
    }
}

impl PairSearch<'_> {
    /// How many parts there are.
    pub fn parts(&self) -> usize {
        self.broad.scratch.parts.len()
    }

    /// The proxies, for queries while the search is under way.
    pub fn broad_phase(&self) -> &BroadPhase {
        self.broad
    }

    /// Does some parts of the search and appends what it finds to `out`, in no particular order and possibly twice.
    pub fn collect(&self, parts: Range<usize>, filter: PairFilter, out: &mut Vec<ProxyPair>) {
        let broad = &*self.broad;
        let mut sifted = out.len();
        for part in broad.scratch.parts.get(parts).unwrap_or_default() {
            broad.walk(part, &mut |a, b| out.push(ProxyPair::new(ProxyId(a), ProxyId(b))));
            if out.len() - sifted >= BATCH {
                sifted = broad.sift(sifted, filter, out);
            }
        }
        broad.sift(sifted, filter, out);
    }

    /// Ends the search: sorts what all threads found, drops doubles, and makes the rest known.
    pub fn finish(self, found: &mut Vec<ProxyPair>) {
        found.sort_unstable_by_key(|pair| u64::from(pair.a.0) << 32 | u64::from(pair.b.0));
        found.dedup();
        found.retain(|&pair| self.broad.add_pair(pair));
        for tree in &mut self.broad.trees {
            tree.settle();
        }
    }
}

impl BroadPhase {
    /// Keeps, of the pairs from place `first` on, those that are new and pass the filter. Returns how many there are in all.
    fn sift(&self, first: usize, filter: PairFilter, out: &mut Vec<ProxyPair>) -> usize {
        let mut kept = first;
        for i in first..out.len() {
            let pair = out[i];
            // A leaf that walks with its own tree meets itself.
            if pair.a == pair.b || self.is_known(pair) {
                continue;
            }
            if let (Some(a), Some(b)) = (self.user(pair.a), self.user(pair.b))
                && filter(a, b)
            {
                out[kept] = pair;
                kept += 1;
            }
        }
        out.truncate(kept);
        kept
    }

    fn walk(&self, part: &Part, emit: &mut impl FnMut(u32, u32)) {
        let [fixed, moving] = &self.trees;
        match *part {
            Part::Moving(meeting) => moving.meet(moving, meeting, emit),
            Part::Mixed(meeting) => moving.meet(fixed, meeting, emit),
            Part::UnboundedFixed(index) => fixed.meet_unbounded(index as usize, moving, emit),
            Part::UnboundedMoving(index) => {
                let index = index as usize;
                moving.meet_unbounded(index, moving, emit);
                moving.meet_unbounded(index, fixed, emit);
                moving.meet_unbounded_list(index, moving, index + 1, emit);
                moving.meet_unbounded_list(index, fixed, 0, emit);
            }
        }
    }
}

/// Appends the parts of a walk; enough of them for threads to share, unless there is little to do.
fn divide(a: &DynamicTree, b: &DynamicTree, whole: Option<Meeting>, out: &mut Vec<Meeting>) {
    out.extend(whole);
    let mut divisible = a.changed() + b.changed() > 2 * PARTS;
    while divisible && out.len() < PARTS {
        divisible = false;
        let end = out.len();
        for i in 0..end {
            divisible |= a.divide(b, out[i], out);
        }
        out.drain(..end);
    }
}
