//! Proxies of colliders in two trees, and the pairs of them that overlap, kept from step to step.

mod record;

use super::PairSet;
use super::tree::{BoxCast, DynamicTree, LeafId, Meeting};
use crate::math::{Aabb, Real, Vec3};
use core::ops::Range;

/// Names a proxy until it is destroyed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct ProxyId(pub u32);

/// Two proxies whose boxes overlap, the smaller id first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(C)]
pub struct ProxyPair {
    /// The smaller id.
    pub a: ProxyId,
    /// The larger id.
    pub b: ProxyId,
}

impl ProxyPair {
    /// The pair of two different proxies in any order.
    pub fn new(a: ProxyId, b: ProxyId) -> Self {
        if a < b { Self { a, b } } else { Self { a: b, b: a } }
    }

    fn key(self) -> u64 {
        u64::from(self.a.0) << 32 | u64::from(self.b.0)
    }
}

/// In which tree a proxy lives. Two fixed proxies never make a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum ProxyKind {
    /// Of a body that does not move: no pairs with its like.
    Fixed = 0,
    /// Of a dynamic or kinematic body.
    Moving = 1,
}

/// What a proxy is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProxyDesc {
    /// The box around the collider.
    pub aabb: Aabb,
    /// Which tree.
    pub kind: ProxyKind,
    /// The owner's number, which filters get.
    pub user: u32,
    /// Queries see the proxy if their mask and these have a bit in common.
    pub layers: u32,
    /// How far the fat box reaches beyond the tight one on each side.
    pub margin: Real,
}

#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub(crate) struct Proxy {
    fat: Aabb,
    margin: Real,
    /// The leaf in the tree of its kind; of a free proxy, the next free one.
    leaf: u32,
    user: u32,
    /// A [`ProxyKind`], or [`FREE`].
    kind: u32,
    /// How many known pairs it is in.
    pairs: u32,
}

// SAFETY: seven floats and four `u32` leave no padding in `f32` (44 bytes, alignment 4) nor in `f64` (72 bytes, alignment 8),
// and every bit pattern is a value.
unsafe impl bytemuck::Zeroable for Proxy {}
// SAFETY: as above.
unsafe impl bytemuck::Pod for Proxy {}

/// The `kind` of a free proxy.
const FREE: u32 = 2;
/// No proxy.
const NONE: u32 = u32::MAX;
const FIXED: usize = ProxyKind::Fixed as usize;
const MOVING: usize = ProxyKind::Moving as usize;

/// A part of the search for new pairs that one thread can do.
#[derive(Clone, Copy, Debug)]
enum Job {
    /// Moving leaves among themselves.
    Moving(Meeting),
    /// Moving leaves with fixed ones.
    Mixed(Meeting),
    /// An unbounded fixed leaf with the moving ones.
    UnboundedFixed(u32),
    /// An unbounded moving leaf with everything.
    UnboundedMoving(u32),
}

/// Enough parts for threads to share evenly.
const PARTS: usize = 256;

/// Who may touch: a proxy with a fat box for each collider, and the pairs whose boxes overlap.
///
/// A collider may move inside its fat box at no cost; only when it leaves it does the proxy get a new box and is searched for
/// new partners in [`Self::update_pairs`]. Nothing here runs over all proxies: proxies that rest cost nothing.
///
/// A pair is reported once when its boxes begin to overlap and the filter agrees, and is *known* from then on. The owner, who
/// looks at all its contacts anyway, asks [`Self::fat_overlap`] and calls [`Self::remove_pair`] when the boxes are apart.
///
/// ```
/// use tumble::detect::broad::{BroadPhase, ProxyDesc, ProxyKind, ProxyPair};
/// use tumble::math::{Aabb, Vec3};
/// let cube = |x| Aabb::new(Vec3::new(x, 0.0, 0.0), Vec3::new(x + 1.0, 1.0, 1.0));
/// let desc = ProxyDesc { aabb: cube(0.0), kind: ProxyKind::Fixed, user: 7, layers: 1, margin: 0.1 };
/// let mut broad = BroadPhase::new();
/// let wall = broad.create_proxy(&desc);
/// let ball = broad.create_proxy(&ProxyDesc { aabb: cube(3.0), kind: ProxyKind::Moving, user: 8, ..desc });
/// let mut pairs = Vec::new();
/// broad.update_pairs(&|_, _| true, &mut pairs);
/// assert!(pairs.is_empty());
///
/// broad.move_proxy(ball, &cube(0.9), Vec3::ZERO);
/// broad.update_pairs(&|_, _| true, &mut pairs);
/// assert_eq!(pairs, [ProxyPair::new(wall, ball)]);
/// ```
#[derive(Clone, Debug)]
pub struct BroadPhase {
    /// By [`ProxyKind`]. The user number of a leaf is its proxy.
    pub(crate) trees: [DynamicTree; 2],
    pub(crate) proxies: Vec<Proxy>,
    pub(crate) free: u32,
    pub(crate) known: PairSet,
    /// Between [`Self::prepare`] and [`Self::finish`], the parts of the search.
    jobs: Vec<Job>,
    /// Memory of [`Self::prepare`].
    meetings: Vec<Meeting>,
    slots: Vec<u32>,
}

impl Default for BroadPhase {
    fn default() -> Self {
        Self::new()
    }
}

impl BroadPhase {
    /// Without proxies.
    pub fn new() -> Self {
        Self {
            trees: [DynamicTree::new(), DynamicTree::new()],
            proxies: Vec::new(),
            free: NONE,
            known: PairSet::default(),
            jobs: Vec::new(),
            meetings: Vec::new(),
            slots: Vec::new(),
        }
    }

    /// Adds a proxy; its pairs are found by the next [`Self::update_pairs`].
    pub fn create_proxy(&mut self, desc: &ProxyDesc) -> ProxyId {
        let fat = desc.aabb.expanded(desc.margin);
        let id = self.take_proxy(desc, fat);
        let leaf = self.trees[desc.kind as usize].insert(fat, id.0, desc.layers);
        self.proxies[id.0 as usize].leaf = leaf.0;
        id
    }

    /// Adds many proxies at once and appends their ids to `ids`: much faster than one by one for a whole scene.
    pub fn create_proxies(&mut self, descs: &[ProxyDesc], ids: &mut Vec<ProxyId>) {
        let first = ids.len();
        for desc in descs {
            ids.push(self.take_proxy(desc, desc.aabb.expanded(desc.margin)));
        }
        let mut leaves = Vec::new();
        for kind in [ProxyKind::Fixed, ProxyKind::Moving] {
            let of_kind = || ids[first..].iter().zip(descs).filter(|(_, desc)| desc.kind == kind);
            let boxes = of_kind().map(|(id, desc)| (desc.aabb.expanded(desc.margin), id.0, desc.layers));
            leaves.clear();
            self.trees[kind as usize].extend(boxes, &mut leaves);
            for ((id, _), leaf) in of_kind().zip(&leaves) {
                self.proxies[id.0 as usize].leaf = leaf.0;
            }
        }
    }

    /// Removes a proxy. The owner should have removed its pairs; if not, all known pairs are searched for them.
    pub fn destroy_proxy(&mut self, id: ProxyId) {
        let proxy = self.proxies[id.0 as usize];
        debug_assert!(proxy.kind != FREE);
        self.trees[proxy.kind as usize].remove(LeafId(proxy.leaf));
        if proxy.pairs > 0 {
            let proxies = &mut self.proxies;
            self.known.remove_all_of(id.0, |partner| proxies[partner as usize].pairs -= 1);
        }
        let slot = &mut self.proxies[id.0 as usize];
        slot.kind = FREE;
        slot.pairs = 0;
        slot.leaf = self.free;
        self.free = id.0;
    }

    /// Tells where the collider now is, and how far it will probably go in the next steps. Says whether the proxy got
    /// another box, because the collider left the fat one or the fat one had become far too large.
    pub fn move_proxy(&mut self, id: ProxyId, tight: &Aabb, displacement: Vec3) -> bool {
        let proxy = &mut self.proxies[id.0 as usize];
        if fits(&proxy.fat, tight, displacement, proxy.margin) {
            return false;
        }
        let before = proxy.fat;
        let fat = fattened(tight, displacement, proxy.margin);
        proxy.fat = fat;
        let (tree, leaf) = (&mut self.trees[proxy.kind as usize], LeafId(proxy.leaf));
        if before.overlaps(&fat) {
            tree.enlarge_leaf(leaf, fat);
        } else {
            tree.move_leaf(leaf, fat);
        }
        true
    }

    /// Whether [`Self::move_proxy`] would have something to do. Reads only; threads may ask for many proxies at once, and only
    /// those for which the answer is yes need be moved, in a fixed order.
    pub fn must_move(&self, id: ProxyId, tight: &Aabb, displacement: Vec3) -> bool {
        let proxy = &self.proxies[id.0 as usize];
        !fits(&proxy.fat, tight, displacement, proxy.margin)
    }

    /// Has all pairs of the proxy tested again by the next [`Self::update_pairs`], since a filter may decide otherwise now. Known
    /// pairs are not reported again; it is for the owner to drop those that are no longer wanted.
    pub fn touch_proxy(&mut self, id: ProxyId) {
        let proxy = &self.proxies[id.0 as usize];
        self.trees[proxy.kind as usize].touch_leaf(LeafId(proxy.leaf));
    }

    /// Makes a proxy fixed or moving. Its pairs stay known, and new ones are found by the next [`Self::update_pairs`]; it is for
    /// the owner to drop pairs of two fixed proxies.
    pub fn set_kind(&mut self, id: ProxyId, kind: ProxyKind) {
        let proxy = self.proxies[id.0 as usize];
        if proxy.kind == kind as u32 {
            return;
        }
        let layers = self.layers(id);
        self.trees[proxy.kind as usize].remove(LeafId(proxy.leaf));
        let leaf = self.trees[kind as usize].insert(proxy.fat, id.0, layers);
        let proxy = &mut self.proxies[id.0 as usize];
        proxy.kind = kind as u32;
        proxy.leaf = leaf.0;
    }

    /// Puts a proxy into other layers, for queries.
    pub fn set_layers(&mut self, id: ProxyId, layers: u32) {
        let proxy = &self.proxies[id.0 as usize];
        self.trees[proxy.kind as usize].set_layers(LeafId(proxy.leaf), layers);
    }

    /// Sets how far the fat box reaches beyond the tight one, from the next move on.
    pub fn set_margin(&mut self, id: ProxyId, margin: Real) {
        self.proxies[id.0 as usize].margin = margin;
    }

    /// The proxy exists.
    pub fn contains(&self, id: ProxyId) -> bool {
        self.proxies.get(id.0 as usize).is_some_and(|p| p.kind != FREE)
    }

    /// How many proxies there are.
    pub fn len(&self) -> usize {
        self.trees[FIXED].len() + self.trees[MOVING].len()
    }

    /// There are no proxies.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The owner's number.
    #[inline(always)]
    pub fn user(&self, id: ProxyId) -> u32 {
        self.proxies[id.0 as usize].user
    }

    /// Which tree the proxy is in.
    pub fn kind(&self, id: ProxyId) -> ProxyKind {
        if self.proxies[id.0 as usize].kind == ProxyKind::Fixed as u32 { ProxyKind::Fixed } else { ProxyKind::Moving }
    }

    /// The layers in which queries see the proxy.
    pub fn layers(&self, id: ProxyId) -> u32 {
        let proxy = &self.proxies[id.0 as usize];
        self.trees[proxy.kind as usize].layers(LeafId(proxy.leaf))
    }

    /// The box that is stored for the proxy, larger than that of the collider.
    #[inline(always)]
    pub fn fat_aabb(&self, id: ProxyId) -> Aabb {
        self.proxies[id.0 as usize].fat
    }

    /// The stored boxes overlap or touch: the pair goes on.
    #[inline(always)]
    pub fn fat_overlap(&self, a: ProxyId, b: ProxyId) -> bool {
        self.proxies[a.0 as usize].fat.overlaps(&self.proxies[b.0 as usize].fat)
    }

    /// How many pairs are known.
    pub fn pair_count(&self) -> usize {
        self.known.len()
    }

    /// The pair was reported and not removed.
    pub fn is_known(&self, pair: ProxyPair) -> bool {
        self.known.contains(pair.a.0, pair.b.0)
    }

    /// Forgets a known pair, so that it is reported anew when its boxes overlap after one of them has changed or been touched.
    /// Says whether it was known.
    pub fn remove_pair(&mut self, pair: ProxyPair) -> bool {
        let known = self.known.remove(pair.a.0, pair.b.0);
        if known {
            self.proxies[pair.a.0 as usize].pairs -= 1;
            self.proxies[pair.b.0 as usize].pairs -= 1;
        }
        known
    }

    /// The tree of one kind, for displays and measurements.
    pub fn tree(&self, kind: ProxyKind) -> &DynamicTree {
        &self.trees[kind as usize]
    }

    /// Bytes held, unused capacity included.
    pub fn memory(&self) -> usize {
        self.trees.iter().map(DynamicTree::memory).sum::<usize>()
            + self.proxies.capacity() * size_of::<Proxy>()
            + self.known.memory()
            + self.jobs.capacity() * size_of::<Job>()
            + self.meetings.capacity() * size_of::<Meeting>()
            + self.slots.capacity() * size_of::<u32>()
    }

    /// Replaces `out` by the pairs that are new since the last call, sorted: of proxies whose boxes overlap or touch, not both
    /// fixed, not known yet, and for which `filter(user of a, user of b)` is true. They are known from now on.
    ///
    /// The filter is asked only about pairs of which one proxy was created, moved or touched. The result does not depend on
    /// the shapes of the trees. To search on several threads, call [`Self::prepare`], [`Self::collect_pairs`] for parts of
    /// its range on each, and [`Self::finish`] with all that came out, in any order.
    pub fn update_pairs(&mut self, filter: &(dyn Fn(u32, u32) -> bool + Sync), out: &mut Vec<ProxyPair>) {
        out.clear();
        let jobs = self.prepare();
        self.collect_pairs(jobs, filter, out);
        self.finish(out);
    }

    /// Brings the trees into order and divides the search for new pairs into parts; returns their range.
    pub fn prepare(&mut self) -> Range<usize> {
        self.jobs.clear();
        let [fixed, moving] = &mut self.trees;
        if fixed.changed() == 0 && moving.changed() == 0 {
            return 0..0;
        }
        fixed.maintain();
        moving.maintain();

        // Where much has changed, walks of whole trees; where little has, one walk per changed leaf.
        let dense = |tree: &DynamicTree| tree.changed() * 4 > tree.len();
        if dense(moving) {
            divided(moving, moving, moving.meet_self(), &mut self.meetings);
        } else {
            self.slots.clear();
            moving.changed_slots(&mut self.slots);
            self.meetings.clear();
            self.meetings.extend(self.slots.iter().map(|&slot| Meeting::Between(slot, 0)));
        }
        self.jobs.extend(self.meetings.iter().copied().map(Job::Moving));

        if dense(moving) || dense(fixed) {
            divided(moving, fixed, moving.meet_other(fixed), &mut self.meetings);
        } else {
            // The slots of the changed moving leaves are there from above.
            self.meetings.clear();
            if !fixed.is_vacant() {
                self.meetings.extend(self.slots.iter().map(|&slot| Meeting::Between(slot, 0)));
            }
            self.slots.clear();
            fixed.changed_slots(&mut self.slots);
            if !moving.is_vacant() {
                self.meetings.extend(self.slots.iter().map(|&slot| Meeting::Between(0, slot)));
            }
        }
        self.jobs.extend(self.meetings.iter().copied().map(Job::Mixed));

        self.jobs.extend((0..fixed.unbounded.len() as u32).map(Job::UnboundedFixed));
        self.jobs.extend((0..moving.unbounded.len() as u32).map(Job::UnboundedMoving));
        0..self.jobs.len()
    }

    /// Does some parts of the search and appends what it finds to `out`, in no particular order and possibly twice.
    pub fn collect_pairs(
        &self,
        jobs: Range<usize>,
        filter: &(dyn Fn(u32, u32) -> bool + Sync),
        out: &mut Vec<ProxyPair>,
    ) {
        let [fixed, moving] = &self.trees;
        for part in self.jobs.get(jobs).unwrap_or_default().chunks(32) {
            let mut first = out.len();
            let mut emit = |a: u32, b: u32| out.push(ProxyPair::new(ProxyId(a), ProxyId(b)));
            for job in part {
                match *job {
                    Job::Moving(meeting) => moving.meet(moving, meeting, &mut emit),
                    Job::Mixed(meeting) => moving.meet(fixed, meeting, &mut emit),
                    Job::UnboundedFixed(index) => fixed.meet_unbounded(index as usize, moving, &mut emit),
                    Job::UnboundedMoving(index) => {
                        let index = index as usize;
                        moving.meet_unbounded(index, moving, &mut emit);
                        moving.meet_unbounded(index, fixed, &mut emit);
                        moving.meet_unbounded_list(index, moving, index + 1, &mut emit);
                        moving.meet_unbounded_list(index, fixed, 0, &mut emit);
                    }
                }
            }
            let mut kept = first;
            while first < out.len() {
                let pair = out[first];
                first += 1;
                if pair.a != pair.b
                    && !self.known.contains(pair.a.0, pair.b.0)
                    && filter(self.user(pair.a), self.user(pair.b))
                {
                    out[kept] = pair;
                    kept += 1;
                }
            }
            out.truncate(kept);
        }
    }

    /// Ends the search: sorts what was found, drops doubles, and makes the rest known.
    pub fn finish(&mut self, found: &mut Vec<ProxyPair>) {
        found.sort_unstable_by_key(|pair| pair.key());
        found.dedup();
        for pair in found.iter() {
            if self.known.insert(pair.a.0, pair.b.0) {
                self.proxies[pair.a.0 as usize].pairs += 1;
                self.proxies[pair.b.0 as usize].pairs += 1;
            }
        }
        self.jobs.clear();
        for tree in &mut self.trees {
            tree.settle();
        }
    }

    /// Calls `visit` for each proxy in one of the layers of `mask` whose stored box overlaps or touches `aabb`, until it returns
    /// `false`. Says whether it never did.
    pub fn overlap(&self, aabb: &Aabb, mask: u32, mut visit: impl FnMut(ProxyId) -> bool) -> bool {
        self.trees.iter().all(|tree| tree.overlap(aabb, mask, |leaf| visit(ProxyId(tree.user(leaf)))))
    }

    /// Calls `visit(proxy, entry, max) -> max` for the proxies whose stored boxes the moving box meets; see
    /// [`DynamicTree::cast`].
    pub fn cast(&self, cast: &BoxCast, mask: u32, mut visit: impl FnMut(ProxyId, Real, Real) -> Real) -> Real {
        let mut cast = *cast;
        for tree in &self.trees {
            cast.max = tree.cast(&cast, mask, |leaf, entry, max| visit(ProxyId(tree.user(leaf)), entry, max));
            if cast.max < 0.0 {
                break;
            }
        }
        cast.max
    }

    /// Calls `visit(proxy, squared distance, max) -> max` for the proxies whose stored boxes are within √`max` of `from`;
    /// see [`DynamicTree::closest`].
    pub fn closest(
        &self,
        from: &Aabb,
        max: Real,
        mask: u32,
        mut visit: impl FnMut(ProxyId, Real, Real) -> Real,
    ) -> Real {
        let mut max = max;
        for tree in &self.trees {
            max = tree.closest(from, max, mask, |leaf, d, max| visit(ProxyId(tree.user(leaf)), d, max));
            if max < 0.0 {
                break;
            }
        }
        max
    }

    /// Checks that trees, proxies and pairs agree; says what is wrong first.
    pub fn validate(&self) -> Result<(), String> {
        for (kind, tree) in self.trees.iter().enumerate() {
            tree.validate()?;
            for proxy in 0..self.proxies.len() {
                let p = &self.proxies[proxy];
                if p.kind as usize == kind {
                    let leaf = LeafId(p.leaf);
                    if !tree.contains(leaf) || tree.user(leaf) as usize != proxy || tree.aabb(leaf) != p.fat {
                        return Err(format!("proxy {proxy}: its leaf {} is another's or has another box", p.leaf));
                    }
                }
            }
        }
        let used = self.proxies.iter().filter(|p| p.kind < FREE).count();
        let mut free = 0;
        let mut next = self.free;
        while let Some(proxy) = self.proxies.get(next as usize) {
            if proxy.kind != FREE || free > self.proxies.len() {
                return Err(format!("free proxy {next} is in use"));
            }
            free += 1;
            next = proxy.leaf;
        }
        if next != NONE || used != self.len() || used + free != self.proxies.len() {
            return Err(format!("{used} proxies, {free} free, {} leaves", self.len()));
        }
        let ends: usize = self.proxies.iter().map(|p| p.pairs as usize).sum();
        if ends != 2 * self.known.len() {
            return Err(format!("{ends} ends of {} pairs", self.known.len()));
        }
        Ok(())
    }

    fn take_proxy(&mut self, desc: &ProxyDesc, fat: Aabb) -> ProxyId {
        let proxy = Proxy { fat, margin: desc.margin, leaf: NONE, user: desc.user, kind: desc.kind as u32, pairs: 0 };
        match self.proxies.get_mut(self.free as usize) {
            Some(slot) => {
                let id = ProxyId(self.free);
                self.free = slot.leaf;
                *slot = proxy;
                id
            }
            None => {
                self.proxies.push(proxy);
                ProxyId(self.proxies.len() as u32 - 1)
            }
        }
    }
}

/// Replaces `out` by the parts of a walk; enough of them for threads to share, unless there is little to do.
fn divided(a: &DynamicTree, b: &DynamicTree, whole: Option<Meeting>, out: &mut Vec<Meeting>) {
    out.clear();
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

/// The tight box with its margin, reaching as far ahead as the collider will go.
fn fattened(tight: &Aabb, displacement: Vec3, margin: Real) -> Aabb {
    let fat = tight.expanded(margin);
    Aabb::new(fat.min + displacement.min(Vec3::ZERO), fat.max + displacement.max(Vec3::ZERO))
}

/// The fat box contains the tight one and is not left over from a time when the collider was faster.
///
/// Behind a collider of steady speed the fat box trails by one margin and one displacement; four margins and two
/// displacements leave room for changes of speed.
#[inline(always)]
fn fits(fat: &Aabb, tight: &Aabb, displacement: Vec3, margin: Real) -> bool {
    let reach = Vec3::all(4.0 * margin) + displacement.abs() * 2.0;
    fat.contains(tight) && Aabb::new(tight.min - reach, tight.max + reach).contains(fat)
}
