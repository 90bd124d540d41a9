//! The broad phase as bytes. Trees are stored as they are: rebuilding them would take longer and give other shapes.

use super::BroadPhase;
use super::tree::DynamicTree;
use crate::error::{Error, Result};
use crate::record::stream::{Sink, Source, save_pods};

impl DynamicTree {
    fn save(&self, out: &mut impl Sink) {
        save_pods(out, &self.pairs);
        save_pods(out, &self.upper);
        save_pods(out, &self.heights);
        save_pods(out, &self.leaves);
        save_pods(out, &self.unbounded);
        for v in [self.free_pair, self.free_leaf, self.count, self.changed, self.worn] {
            out.u32(v);
        }
        out.f64(self.wear);
    }

    fn load(source: &mut Source<'_>) -> Result<Self> {
        let mut tree = Self::new();
        tree.pairs = source.pods()?;
        tree.upper = source.pods()?;
        tree.heights = source.pods()?;
        tree.leaves = source.pods()?;
        tree.unbounded = source.pods()?;
        for v in [&mut tree.free_pair, &mut tree.free_leaf, &mut tree.count, &mut tree.changed, &mut tree.worn] {
            *v = source.u32()?;
        }
        tree.wear = source.f64()?;
        Ok(tree)
    }
}

impl BroadPhase {
    /// Writes everything that the next search reads but the known pairs: the owner has a contact for each of them.
    pub(crate) fn save(&self, out: &mut impl Sink) {
        for tree in &self.trees {
            tree.save(out);
        }
        save_pods(out, &self.proxies);
        out.u32(self.free);
    }

    /// Reads what [`Self::save`] wrote; whatever could not have been written by it is refused. No pairs are known; see
    /// [`Self::know_all`].
    pub(crate) fn load(source: &mut Source<'_>) -> Result<Self> {
        let mut broad = Self::new();
        for tree in &mut broad.trees {
            *tree = DynamicTree::load(source)?;
        }
        broad.proxies = source.pods()?;
        broad.free = source.u32()?;
        for proxy in &mut broad.proxies {
            proxy.pairs = 0;
        }
        broad.validate().map_err(|problem| Error::refused("snapshot", format!("broad phase: {problem}")))?;
        Ok(broad)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::broad::{ProxyDesc, ProxyId, ProxyKind, ProxyPair};
    use crate::math::{Aabb, Vec3};

    /// A broad phase in the middle of its life: holes in the lists of free places, marks, known pairs, unbounded leaves.
    fn lived_in() -> BroadPhase {
        let mut broad = BroadPhase::new();
        let mut pairs = Vec::new();
        for i in 0..60u32 {
            let corner = Vec3::new((i % 5) as f32, (i / 5 % 4) as f32, (i / 20) as f32) * 0.9;
            let mut aabb = Aabb::new(corner.to_real(), corner.to_real() + Vec3::all(1.0));
            if i % 17 == 3 {
                aabb = Aabb::EVERYTHING;
            }
            let kind = if i % 3 == 0 { ProxyKind::Fixed } else { ProxyKind::Moving };
            broad.create_proxy(&ProxyDesc { aabb, kind, user: i, layers: 1 << (i % 4), margin: 0.125 });
        }
        broad.update_pairs(&|a, b| (a + b) % 3 != 0, &mut pairs);
        for i in [4, 20, 37] {
            broad.destroy_proxy(ProxyId(i));
        }
        for i in 10..20 {
            let fat = broad.fat_aabb(ProxyId(i)).unwrap();
            let there = Aabb::new(fat.min + Vec3::X, fat.max + Vec3::X);
            broad.move_proxy(ProxyId(i), &there, Vec3::ZERO);
        }
        broad
    }

    fn saved(broad: &BroadPhase) -> Vec<u8> {
        let mut bytes = Vec::new();
        broad.save(&mut bytes);
        bytes
    }

    /// What the bytes say, with the pairs that `owner` knows.
    fn loaded(source: &mut Source<'_>, owner: &BroadPhase) -> Option<BroadPhase> {
        let mut loaded = BroadPhase::load(source).ok()?;
        let entries = owner.known.table.iter().filter(|&&entry| entry != u64::MAX);
        let pair = |&entry: &u64| ProxyPair::new(ProxyId((entry >> 32) as u32), ProxyId(entry as u32));
        loaded.know_all(&entries.map(pair).collect::<Vec<_>>()).then_some(loaded)
    }

    /// What was saved and loaded goes on as if nothing had happened, to the bit.
    #[test]
    fn a_loaded_broad_phase_goes_on_the_same() {
        let mut broad = lived_in();
        let bytes = saved(&broad);
        let mut source = Source::new(&bytes);
        let mut loaded = loaded(&mut source, &broad).unwrap();
        assert!(source.is_empty() && loaded.pair_count() == broad.pair_count() && broad.pair_count() > 0);
        assert_eq!(loaded.validate(), Ok(()));
        let twice = [ProxyPair::new(ProxyId(0), ProxyId(1)); 2];
        assert!(!BroadPhase::load(&mut Source::new(&bytes)).unwrap().know_all(&twice));
        assert_eq!(saved(&loaded), bytes);
        let (mut a, mut b) = (Vec::new(), Vec::new());
        broad.update_pairs(&|_, _| true, &mut a);
        loaded.update_pairs(&|_, _| true, &mut b);
        assert!(!a.is_empty());
        assert_eq!(a, b);
        assert_eq!(saved(&loaded), saved(&broad));
    }

    /// A stream that was cut short is refused; one with any bit turned over is refused or harmless: whatever is loaded can be
    /// searched, changed and queried.
    #[test]
    fn damage_is_refused_or_harmless() {
        let before = lived_in();
        let bytes = saved(&before);
        for end in (0..bytes.len()).step_by(7) {
            assert!(BroadPhase::load(&mut Source::new(&bytes[..end])).is_err());
        }
        let mut refused = 0;
        for place in (0..bytes.len()).step_by(3) {
            let mut damaged = bytes.clone();
            damaged[place] ^= 1 << (place % 8);
            let Some(mut broad) = loaded(&mut Source::new(&damaged), &before) else {
                refused += 1;
                continue;
            };
            let mut pairs = Vec::new();
            broad.update_pairs(&|_, _| true, &mut pairs);
            broad.overlap(&Aabb::EVERYTHING, u32::MAX, |_| true);
            for i in 0..60 {
                broad.move_proxy(ProxyId(i), &Aabb::new(Vec3::ZERO, Vec3::all(3.0)), Vec3::ZERO);
            }
            broad.update_pairs(&|_, _| true, &mut pairs);
            for i in 0..60 {
                broad.destroy_proxy(ProxyId(i));
            }
            assert_eq!(broad.validate(), Ok(()));
            assert!(broad.is_empty() && broad.pair_count() == 0);
        }
        // Bits of boxes can turn over without harm, links cannot.
        assert!(refused > bytes.len() / 12, "{refused} of {}", bytes.len());
    }
}
