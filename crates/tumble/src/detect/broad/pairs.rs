//! Proxies of colliders in two trees, and the pairs of them that overlap, kept from step to step.

use super::PairSet;
use super::search::SearchScratch;
use super::tree::{BoxCast, DynamicTree, LeafId};
use crate::math::{Aabb, Real, Vec3, prefetch};

/// Names a proxy until it is destroyed.
///
/// ```
/// use tumble::detect::broad::{BroadPhase, ProxyDesc, ProxyId, ProxyKind};
/// use tumble::math::{Aabb, Vec3};
/// let aabb = Aabb::new(Vec3::ZERO, Vec3::all(1.0));
/// let mut broad = BroadPhase::new();
/// let id: ProxyId = broad.create_proxy(&ProxyDesc { aabb, kind: ProxyKind::Fixed, user: 0, layers: 1, margin: 0.0 });
/// assert!(broad.contains(id) && broad.destroy_proxy(id) && !broad.contains(id));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct ProxyId(pub(crate) u32);

// SAFETY: a transparent wrapper of an integer.
unsafe impl bytemuck::Zeroable for ProxyId {}
// SAFETY: as above.
unsafe impl bytemuck::Pod for ProxyId {}

/// Two proxies whose boxes overlap, the smaller id first.
///
/// ```
/// use tumble::detect::broad::{BroadPhase, ProxyDesc, ProxyKind, ProxyPair};
/// use tumble::math::{Aabb, Vec3};
/// let aabb = Aabb::new(Vec3::ZERO, Vec3::all(1.0));
/// let desc = ProxyDesc { aabb, kind: ProxyKind::Moving, user: 0, layers: 1, margin: 0.0 };
/// let mut broad = BroadPhase::new();
/// let (a, b) = (broad.create_proxy(&desc), broad.create_proxy(&desc));
/// assert_eq!(ProxyPair::new(b, a), ProxyPair { a, b });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(C)]
pub struct ProxyPair {
    /// The smaller id.
    pub a: ProxyId,
    /// The larger id.
    pub b: ProxyId,
}

// SAFETY: two integers.
unsafe impl bytemuck::Zeroable for ProxyPair {}
// SAFETY: as above.
unsafe impl bytemuck::Pod for ProxyPair {}

impl ProxyPair {
    /// The pair of two different proxies in any order.
    pub fn new(a: ProxyId, b: ProxyId) -> Self {
        if a < b { Self { a, b } } else { Self { a: b, b: a } }
    }
}

/// In which tree a proxy lives. Two fixed proxies never make a pair.
///
/// ```
/// use tumble::detect::broad::{BroadPhase, ProxyDesc, ProxyKind};
/// use tumble::math::{Aabb, Vec3};
/// let aabb = Aabb::new(Vec3::ZERO, Vec3::all(1.0));
/// let mut broad = BroadPhase::new();
/// let id = broad.create_proxy(&ProxyDesc { aabb, kind: ProxyKind::Fixed, user: 0, layers: 1, margin: 0.0 });
/// broad.set_kind(id, ProxyKind::Moving);
/// assert_eq!(broad.kind(id), Some(ProxyKind::Moving));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum ProxyKind {
    /// Of a body that does not move: no pairs with its like.
    Fixed = 0,
    /// Of a dynamic or kinematic body.
    Moving = 1,
}

/// What a proxy is made of.
///
/// ```
/// use tumble::detect::broad::{BroadPhase, ProxyDesc, ProxyKind};
/// use tumble::math::{Aabb, Vec3};
/// let aabb = Aabb::new(Vec3::ZERO, Vec3::all(1.0));
/// let desc = ProxyDesc { aabb, kind: ProxyKind::Moving, user: 7, layers: 0b10, margin: 0.25 };
/// let mut broad = BroadPhase::new();
/// let id = broad.create_proxy(&desc);
/// assert_eq!((broad.user(id), broad.layers(id)), (Some(7), Some(0b10)));
/// assert_eq!(broad.fat_aabb(id), Some(aabb.expanded(0.25)));
/// ```
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
    pub(super) pairs: u32,
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
pub(super) const FIXED: usize = ProxyKind::Fixed as usize;
pub(super) const MOVING: usize = ProxyKind::Moving as usize;

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
///
/// ```
/// use tumble::detect::broad::{BoxCast, BroadPhase, ProxyDesc, ProxyKind, ProxyPair};
/// use tumble::math::{Aabb, Real, Vec3};
/// let cube = |x| Aabb::new(Vec3::new(x, 0.0, 0.0), Vec3::new(x + 1.0, 1.0, 1.0));
/// let row: Vec<ProxyDesc> = (0..4)
///     .map(|i| ProxyDesc { aabb: cube(i as Real * 0.9), kind: ProxyKind::Moving, user: i, layers: 1, margin: 0.01 })
///     .collect();
/// let (mut broad, mut ids, mut pairs) = (BroadPhase::new(), Vec::new(), Vec::new());
/// broad.create_proxies(&row, &mut ids); // faster than one by one
/// broad.update_pairs(&|_, _| true, &mut pairs);
/// assert!(pairs.len() == 3 && broad.pair_count() == 3 && broad.is_settled());
///
/// // The owner drops pairs whose boxes are apart.
/// assert!(broad.must_move(ids[3], &cube(50.0), Vec3::ZERO) && broad.move_proxy(ids[3], &cube(50.0), Vec3::ZERO));
/// let gone = ProxyPair::new(ids[2], ids[3]);
/// assert!(broad.is_known(gone) && !broad.fat_overlap(gone.a, gone.b) && broad.remove_pair(gone));
/// // Where a filter may decide otherwise now.
/// broad.touch_proxy(ids[0]);
/// broad.set_margin(ids[0], 0.1);
/// broad.set_layers(ids[0], 2);
///
/// // Queries, by layer.
/// assert!(!broad.overlap(&cube(0.0), 2, |id| id != ids[0])); // found, and stopped there
/// let down = BoxCast::ray(Vec3::new(0.5, 5.0, 0.5), -Vec3::Y, 10.0);
/// broad.cast(&down, 2, |id, entry, _| {
///     assert_eq!(id, ids[0]);
///     entry
/// });
/// let mut nearest = None;
/// broad.closest(&cube(49.0), 100.0, 1, |id, squared, _| {
///     nearest = Some(id);
///     squared
/// });
/// assert_eq!(nearest, Some(ids[3]));
/// assert!(broad.tree(ProxyKind::Fixed).is_empty() && broad.len() == 4 && broad.memory() > 0);
/// assert!(!broad.is_empty() && broad.validate().is_ok());
/// ```
#[derive(Clone, Debug)]
pub struct BroadPhase {
    /// By [`ProxyKind`]. The user number of a leaf is its proxy.
    pub(crate) trees: [DynamicTree; 2],
    pub(crate) proxies: Vec<Proxy>,
    pub(crate) free: u32,
    pub(super) known: PairSet,
    pub(super) scratch: SearchScratch,
}

impl Default for BroadPhase {
    fn default() -> Self {
        Self::new()
    }
}

impl BroadPhase {
    /// Without proxies. Allocates nothing.
    pub fn new() -> Self {
        Self {
            trees: [DynamicTree::new(), DynamicTree::new()],
            proxies: Vec::new(),
            free: NONE,
            known: PairSet::default(),
            scratch: SearchScratch::default(),
        }
    }

    /// Makes room for so many more proxies of a kind.
    pub(crate) fn reserve(&mut self, kind: ProxyKind, more: usize) {
        self.proxies.reserve_exact(more);
        self.trees[kind as usize].reserve(more);
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

    /// Removes a proxy; says whether it was there. The owner should have removed its pairs; if not, all known pairs are
    /// searched for them.
    pub fn destroy_proxy(&mut self, id: ProxyId) -> bool {
        let Some(&proxy) = self.get(id) else { return false };
        self.trees[proxy.kind as usize].remove(LeafId(proxy.leaf));
        if proxy.pairs > 0 {
            let proxies = &mut self.proxies;
            self.known.remove_all_of(id.0, |partner| proxies[partner as usize].pairs -= 1);
        }
        self.proxies[id.0 as usize] = Proxy { kind: FREE, pairs: 0, leaf: self.free, ..proxy };
        self.free = id.0;
        true
    }

    /// Tells where the collider now is, and how far it will probably go before the box is looked at again (a step or a few).
    /// Says whether the proxy got another box, because the collider left the fat one or the fat one had become far too large.
    pub fn move_proxy(&mut self, id: ProxyId, tight: &Aabb, displacement: Vec3) -> bool {
        let Some(proxy) = self.proxies.get_mut(id.0 as usize) else { return false };
        if proxy.kind == FREE || fits(&proxy.fat, tight, displacement, proxy.margin) {
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

    /// Whether [`Self::move_proxy`] would have something to do. Reads only: threads may ask about many proxies at once, and only
    /// those for which the answer is yes need be moved, in a fixed order.
    #[inline(always)]
    pub fn must_move(&self, id: ProxyId, tight: &Aabb, displacement: Vec3) -> bool {
        self.get(id).is_some_and(|proxy| !fits(&proxy.fat, tight, displacement, proxy.margin))
    }

    /// Has all pairs of the proxy tested again by the next [`Self::update_pairs`], since a filter may decide otherwise now. Known
    /// pairs are not reported again; it is for the owner to drop those that are no longer wanted.
    pub fn touch_proxy(&mut self, id: ProxyId) {
        if let Some(&proxy) = self.get(id) {
            self.trees[proxy.kind as usize].touch_leaf(LeafId(proxy.leaf));
        }
    }

    /// Makes a proxy fixed or moving. Its pairs stay known, and new ones are found by the next [`Self::update_pairs`]; it is for
    /// the owner to drop pairs of two fixed proxies.
    pub fn set_kind(&mut self, id: ProxyId, kind: ProxyKind) {
        let Some(&proxy) = self.get(id) else { return };
        let (old, leaf) = (&mut self.trees[proxy.kind as usize], LeafId(proxy.leaf));
        let Some(layers) = old.layers(leaf).filter(|_| proxy.kind != kind as u32) else { return };
        old.remove(leaf);
        let leaf = self.trees[kind as usize].insert(proxy.fat, id.0, layers);
        self.proxies[id.0 as usize] = Proxy { kind: kind as u32, leaf: leaf.0, ..proxy };
    }

    /// Puts a proxy into other layers, for queries.
    pub fn set_layers(&mut self, id: ProxyId, layers: u32) {
        if let Some(&proxy) = self.get(id) {
            self.trees[proxy.kind as usize].set_layers(LeafId(proxy.leaf), layers);
        }
    }

    /// Sets how far the fat box reaches beyond the tight one, from the next move on.
    pub fn set_margin(&mut self, id: ProxyId, margin: Real) {
        if let Some(proxy) = self.proxies.get_mut(id.0 as usize) {
            proxy.margin = margin;
        }
    }

    /// The proxy exists.
    pub fn contains(&self, id: ProxyId) -> bool {
        self.get(id).is_some()
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
    pub fn user(&self, id: ProxyId) -> Option<u32> {
        self.get(id).map(|proxy| proxy.user)
    }

    /// Which tree the proxy is in.
    pub fn kind(&self, id: ProxyId) -> Option<ProxyKind> {
        let kind = self.get(id)?.kind;
        Some(if kind == ProxyKind::Fixed as u32 { ProxyKind::Fixed } else { ProxyKind::Moving })
    }

    /// The layers in which queries see the proxy.
    pub fn layers(&self, id: ProxyId) -> Option<u32> {
        let proxy = self.get(id)?;
        self.trees[proxy.kind as usize].layers(LeafId(proxy.leaf))
    }

    /// The box that is stored for the proxy, larger than that of the collider.
    #[inline(always)]
    pub fn fat_aabb(&self, id: ProxyId) -> Option<Aabb> {
        self.get(id).map(|proxy| proxy.fat)
    }

    /// Both proxies exist and their stored boxes overlap or touch: the pair goes on.
    #[inline(always)]
    pub fn fat_overlap(&self, a: ProxyId, b: ProxyId) -> bool {
        match (self.get(a), self.get(b)) {
            (Some(a), Some(b)) => a.fat.overlaps(&b.fat),
            _ => false,
        }
    }

    /// Asks for a proxy whose box will soon be looked at.
    #[inline(always)]
    pub(crate) fn prefetch(&self, id: ProxyId) {
        if let Some(proxy) = self.proxies.get(id.0 as usize) {
            prefetch(proxy);
        }
    }

    /// The proxy was created, moved, touched or changed in kind since the last search: the next one will look at it. What is fixed need not say so
    /// where all that moves does.
    pub(crate) fn has_changed(&self, id: ProxyId) -> bool {
        self.get(id).is_some_and(|proxy| self.trees[proxy.kind as usize].has_changed(LeafId(proxy.leaf)))
    }

    /// No proxy was created, moved, touched or changed in kind since the last search, unless what is fixed among
    /// nothing that moves: the next one will find nothing.
    pub fn is_settled(&self) -> bool {
        self.trees.iter().all(|tree| tree.changed() == 0)
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

    /// Makes a pair of two different proxies that exist known; says whether it was not.
    pub(super) fn add_pair(&mut self, pair: ProxyPair) -> bool {
        let exists = pair.a != pair.b && self.contains(pair.a) && self.contains(pair.b);
        let new = exists && self.known.insert(pair.a.0, pair.b.0);
        if new {
            self.proxies[pair.a.0 as usize].pairs += 1;
            self.proxies[pair.b.0 as usize].pairs += 1;
        }
        new
    }

    /// Makes pairs known, where none was; says whether all are of two different proxies that exist, and none is there twice. If not,
    /// the broad phase is of no use any more.
    pub(crate) fn know_all(&mut self, pairs: &[ProxyPair]) -> bool {
        let mut note = |id: ProxyId| match self.proxies.get_mut(id.0 as usize) {
            Some(proxy) if proxy.kind != FREE => {
                proxy.pairs += 1;
                true
            }
            _ => false,
        };
        pairs.iter().all(|pair| note(pair.a) && note(pair.b) && pair.a < pair.b) && self.known.fill(pairs)
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
            + self.scratch.memory()
    }

    /// Calls `visit` for each proxy in one of the layers of `mask` whose stored box overlaps or touches `aabb`, until it returns
    /// `false`. Says whether it never did.
    pub fn overlap(&self, aabb: &Aabb, mask: u32, mut visit: impl FnMut(ProxyId) -> bool) -> bool {
        self.trees.iter().all(|tree| tree.overlap(aabb, mask, |proxy| visit(ProxyId(proxy))))
    }

    /// Calls `visit(proxy, entry, max)` for the proxies whose stored boxes the moving box meets; see
    /// [`DynamicTree::cast`].
    pub fn cast(&self, cast: &BoxCast, mask: u32, mut visit: impl FnMut(ProxyId, Real, Real) -> Real) -> Real {
        let mut cast = *cast;
        for tree in &self.trees {
            cast.max = tree.cast(&cast, mask, |proxy, entry, max| visit(ProxyId(proxy), entry, max));
            if cast.max < 0.0 {
                break;
            }
        }
        cast.max
    }

    /// Calls `visit(proxy, squared distance, max)` for the proxies whose stored boxes are within √`max` of `from`;
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
            max = tree.closest(from, max, mask, |proxy, d, max| visit(ProxyId(proxy), d, max));
            if max < 0.0 {
                break;
            }
        }
        max
    }

    /// Checks that trees, proxies and pairs agree; says what is wrong first.
    ///
    /// Whatever passes can be used without ever leaving an array or looping for ever.
    pub fn validate(&self) -> Result<(), String> {
        for tree in &self.trees {
            tree.validate()?;
        }
        let mut used = 0;
        for (index, proxy) in self.proxies.iter().enumerate().filter(|(_, proxy)| proxy.kind != FREE) {
            let leaf = LeafId(proxy.leaf);
            let Some(tree) = self.trees.get(proxy.kind as usize) else {
                return Err(format!("proxy {index}: kind {}", proxy.kind));
            };
            if !(proxy.margin >= 0.0 && proxy.margin.is_finite()) {
                return Err(format!("proxy {index}: margin {}", proxy.margin));
            }
            if tree.user(leaf) != Some(index as u32) || tree.aabb(leaf) != Some(proxy.fat) {
                return Err(format!("proxy {index}: leaf {} is not its own or has another box", proxy.leaf));
            }
            used += 1;
        }
        let mut free = 0;
        let mut next = self.free;
        while let Some(proxy) = self.proxies.get(next as usize) {
            if proxy.kind != FREE || free == self.proxies.len() {
                return Err(format!("free proxy {next} is in use or free twice"));
            }
            free += 1;
            next = proxy.leaf;
        }
        if next != NONE || used != self.len() || used + free != self.proxies.len() {
            return Err(format!("{used} proxies, {free} free, {} leaves", self.len()));
        }
        let mut pairs = vec![0; self.proxies.len()];
        self.known.validate(|a, b| {
            let exist = self.contains(ProxyId(a)) && self.contains(ProxyId(b));
            if exist {
                pairs[a as usize] += 1;
                pairs[b as usize] += 1;
            }
            exist
        })?;
        match (0..pairs.len()).find(|&i| self.proxies[i].pairs != pairs[i]) {
            Some(proxy) => Err(format!("proxy {proxy}: {} pairs, not {}", pairs[proxy], self.proxies[proxy].pairs)),
            None => Ok(()),
        }
    }

    #[inline(always)]
    fn get(&self, id: ProxyId) -> Option<&Proxy> {
        self.proxies.get(id.0 as usize).filter(|proxy| proxy.kind != FREE)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::assert_plain;

    /// What is said of the layout where it is declared plain data holds in either precision.
    #[test]
    fn bytes_give_the_value_back() {
        let (a, b) = (ProxyId(7), ProxyId(9));
        assert_plain(a, 4);
        assert_plain(ProxyPair { a, b }, 8);
        let fat = Aabb::new(Vec3::ZERO, Vec3::all(1.0));
        let proxy = Proxy { fat, margin: 0.5, leaf: 1, user: 2, kind: 1, pairs: 3 };
        assert_plain(proxy, 7 * size_of::<Real>() + 16);
    }
}
