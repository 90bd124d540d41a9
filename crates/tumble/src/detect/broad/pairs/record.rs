//! The broad phase in snapshots.

use super::{BroadPhase, Proxy, ProxyId};
use crate::detect::broad::{DynamicTree, PairSet};
use crate::error::Result;
use crate::record::stream::{Sink, Source, save_pods};

impl BroadPhase {
    /// The known pairs are the caller's concern: it has a contact for each.
    pub(crate) fn save(&self, out: &mut impl Sink) {
        let Self { trees: [fixed, moving], proxies, free, known: _, jobs: _, meetings: _, slots: _ } = self;
        fixed.save(out);
        moving.save(out);
        save_pods::<Proxy>(out, proxies);
        out.u32(*free);
    }

    /// What [`BroadPhase::save`] wrote; it must not be used before [`BroadPhase::resume`] has found it sound.
    pub(crate) fn load(source: &mut Source<'_>) -> Result<Self> {
        Ok(Self {
            trees: [DynamicTree::load(source)?, DynamicTree::load(source)?],
            proxies: source.pods()?,
            free: source.u32()?,
            ..Self::new()
        })
    }

    /// Makes pairs known after [`BroadPhase::load`]; says whether trees, proxies and pairs agree then. The proxies of the
    /// pairs need not exist.
    pub(crate) fn resume(&mut self, known: impl ExactSizeIterator<Item = (u32, u32)>) -> bool {
        self.known = PairSet::with_capacity(known.len());
        let mut left: Vec<u32> = self.proxies.iter().map(|p| p.pairs).collect();
        for (a, b) in known {
            let exist = [a, b].iter().all(|&p| self.contains(ProxyId(p)));
            if a == b || !exist || left[a as usize] == 0 || left[b as usize] == 0 || !self.known.insert(a, b) {
                return false;
            }
            left[a as usize] -= 1;
            left[b as usize] -= 1;
        }
        self.validate().is_ok()
    }
}
