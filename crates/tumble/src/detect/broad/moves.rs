//! Boxes that have to be moved: found by all threads, moved one after the other.

use super::{BroadPhase, ProxyId};
use crate::crew::{Lists, Shared, Team};
use crate::math::{Aabb, Vec3};

/// What [`BroadPhase::move_proxy`] is to be told.
#[derive(Clone, Copy, Debug)]
struct Move {
    proxy: ProxyId,
    tight: Aabb,
    displacement: Vec3,
}

/// What was found in a block of elements: of whose list it is which range.
#[derive(Clone, Copy, Debug, Default)]
struct Found {
    worker: usize,
    first: usize,
    end: usize,
}

/// The boxes to be moved. Kept between steps for its memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Moves {
    lists: Lists<Move>,
    /// By block. Trees depend on the order in which boxes are moved: it is that of the elements, whoever has looked at which.
    blocks: Vec<Found>,
}

/// Elements in a block.
const BLOCK: usize = 64;

/// How many moves ahead of the one that is made the proxies are asked for.
const AHEAD: usize = 4;

impl Moves {
    /// Asks about each of so many elements, once: `boxes` calls for those boxes that [must be moved](BroadPhase::must_move).
    pub fn find(
        &mut self,
        count: usize,
        team: &Team,
        boxes: impl Fn(usize, &mut dyn FnMut(ProxyId, &Aabb, Vec3)) + Sync,
    ) {
        self.blocks.resize(count.div_ceil(BLOCK), Found::default());
        let (lists, blocks) = (self.lists.begin(team.size()), Shared::new(&mut self.blocks));
        team.for_blocks(blocks.len(), |worker, block| {
            // SAFETY: a worker's number and a block are given to one thread at a time.
            let (list, found) = unsafe { (&mut lists.get(worker).0, blocks.get(block)) };
            let first = list.len();
            for i in block * BLOCK..count.min((block + 1) * BLOCK) {
                boxes(i, &mut |proxy, &tight, displacement| list.push(Move { proxy, tight, displacement }));
            }
            *found = Found { worker, first, end: list.len() };
        });
    }

    /// Moves them, in the order of the elements.
    pub fn make(&self, broad: &mut BroadPhase) {
        let mut later = self.all().skip(AHEAD);
        for found in self.all() {
            if let Some(later) = later.next() {
                broad.prefetch(later.proxy);
            }
            broad.move_proxy(found.proxy, &found.tight, found.displacement);
        }
    }

    fn all(&self) -> impl Iterator<Item = &Move> {
        self.blocks.iter().flat_map(|found| &self.lists.of(found.worker)[found.first..found.end])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crew::Crew;
    use crate::detect::broad::{ProxyDesc, ProxyKind};
    use crate::math::Real;

    /// However many threads look for them, the same boxes are moved in the same order, and all that must; also where fewer look than before, at
    /// fewer elements or at none.
    #[test]
    fn moves_are_made_in_order() {
        let cube = |x: Real| Aabb::new(Vec3::new(x, 0.0, 0.0), Vec3::new(x + 1.0, 1.0, 1.0));
        let desc = |i: u32| {
            let aabb = cube(i as Real);
            ProxyDesc { aabb, kind: ProxyKind::Moving, user: i, layers: 1, margin: 0.05 }
        };
        // Every third element has two boxes, which go some way or stay where they are.
        let boxes_of = |i: usize| (0..if i.is_multiple_of(3) { 2 } else { 1 }).map(move |k| i + 200 * k);
        let to = |number: usize| cube(number as Real + (number * 7 % 5) as Real * 0.04);
        let mut moves = Moves::default();
        for (threads, count) in [(3, 200), (1, 200), (2, 0), (2, 100), (3, 199)] {
            let mut broad = BroadPhase::new();
            let ids: Vec<ProxyId> = (0..400).map(|i| broad.create_proxy(&desc(i))).collect();
            let must = |number: &usize| broad.must_move(ids[*number], &to(*number), Vec3::X);
            let expected: Vec<usize> = (0..count).flat_map(boxes_of).filter(must).collect();
            Crew::of(threads).unwrap().lead(false, |team| {
                moves.find(count, team, |i, emit| {
                    boxes_of(i).filter(must).for_each(|number| emit(ids[number], &to(number), Vec3::X));
                });
            });
            let found: Vec<usize> = moves.all().map(|found| found.proxy.0 as usize).collect();
            assert_eq!(found, expected);
            assert!((count / 2..=count + count / 3).contains(&found.len()), "{} of {count}", found.len());
            moves.make(&mut broad);
            let all_fit = expected.iter().all(|&number| !broad.must_move(ids[number], &to(number), Vec3::X));
            assert!(all_fit && broad.validate().is_ok());
        }
    }
}
