//! A little list for each of many things, all in one array.

use crate::constraint::contact::NONE;

/// For each of many things a list of numbers in ascending order, none of them twice. Copied and made in one piece.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lists {
    ranges: Vec<Range>,
    pool: Vec<u32>,
    /// Places of the pool that no list has.
    lost: usize,
}

/// Where a list is in the pool.
#[derive(Clone, Copy, Debug, Default)]
struct Range {
    start: u32,
    len: u32,
    /// How long it may become where it is.
    room: u32,
}

impl Range {
    fn list(self) -> core::ops::Range<usize> {
        self.start as usize..(self.start + self.len) as usize
    }
}

impl Lists {
    /// Lists in which every number of `pairs` is on the lists of two different things. The numbers come in ascending order.
    pub fn of_pairs(pairs: impl Iterator<Item = (u32, [u32; 2])> + Clone) -> Self {
        let mut ranges: Vec<Range> = Vec::new();
        for (_, things) in pairs.clone() {
            for thing in things {
                if ranges.len() <= thing as usize {
                    ranges.resize(thing as usize + 1, Range::default());
                }
                ranges[thing as usize].room += 1;
            }
        }
        let mut total = 0;
        for range in &mut ranges {
            range.start = total;
            total += range.room;
        }
        let mut pool = vec![0; total as usize];
        for (number, things) in pairs {
            for thing in things {
                let range = &mut ranges[thing as usize];
                pool[(range.start + range.len) as usize] = number;
                range.len += 1;
            }
        }
        Self { ranges, pool, lost: 0 }
    }

    /// The list of a thing.
    #[inline]
    pub fn of(&self, thing: u32) -> &[u32] {
        self.ranges.get(thing as usize).map_or(&[], |range| &self.pool[range.list()])
    }

    /// Puts a number on the list of a thing, if it is not there.
    pub fn insert(&mut self, thing: u32, number: u32) {
        if self.ranges.len() <= thing as usize {
            self.ranges.resize(thing as usize + 1, Range::default());
        }
        let Err(at) = self.of(thing).binary_search(&number) else { return };
        if self.ranges[thing as usize].len == self.ranges[thing as usize].room {
            self.move_to_end(thing);
        }
        let range = &mut self.ranges[thing as usize];
        range.len += 1;
        let list = &mut self.pool[range.list()];
        list.copy_within(at..list.len() - 1, at + 1);
        list[at] = number;
    }

    /// Takes a number off the list of a thing, if it is there.
    pub fn remove(&mut self, thing: u32, number: u32) {
        if let Ok(at) = self.of(thing).binary_search(&number) {
            let range = &mut self.ranges[thing as usize];
            self.pool[range.list()].copy_within(at + 1.., at);
            range.len -= 1;
        }
    }

    /// Gives a list twice the room, at the end of the pool.
    fn move_to_end(&mut self, thing: u32) {
        if self.lost > 256 && self.lost > self.pool.len() / 2 {
            self.tidy();
        }
        let old = self.ranges[thing as usize];
        let new = Range { start: self.pool.len() as u32, room: (2 * old.room).max(4), ..old };
        self.lost += old.room as usize;
        self.pool.extend_from_within(old.list());
        self.pool.resize((new.start + new.room) as usize, NONE);
        self.ranges[thing as usize] = new;
    }

    /// Lists one after the other, each as long as it is.
    fn tidy(&mut self) {
        let mut pool = Vec::with_capacity(self.pool.len() - self.lost);
        for range in &mut self.ranges {
            let start = pool.len() as u32;
            pool.extend_from_slice(&self.pool[range.list()]);
            *range = Range { start, room: range.len, ..*range };
        }
        (self.pool, self.lost) = (pool, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::Lists;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        /// They are sets in order, whatever comes and goes, and take no more memory than a few times what is in them.
        #[test]
        fn are_ordered_sets(steps in prop::collection::vec((any::<bool>(), 0u32..9, 0u32..40), 0..2000)) {
            let (mut lists, mut judge) = (Lists::default(), vec![BTreeSet::new(); 9]);
            for (add, thing, number) in steps {
                if add {
                    lists.insert(thing, number);
                    judge[thing as usize].insert(number);
                } else {
                    lists.remove(thing, number);
                    judge[thing as usize].remove(&number);
                }
                prop_assert!(lists.of(thing).iter().eq(&judge[thing as usize]));
            }
            for (thing, judge) in judge.iter().enumerate() {
                prop_assert!(lists.of(thing as u32).iter().eq(judge));
            }
            prop_assert!(lists.of(9).is_empty() && lists.pool.len() <= 9 * 64 * 3 + 512);
        }

        /// Made at once, they are what they are when they are made one by one; and go on from there.
        #[test]
        fn are_made_at_once(pairs in prop::collection::vec((0u32..20, 1u32..20), 0..100)) {
            let pairs = pairs.into_iter().enumerate().map(|(i, (a, step))| (3 * i as u32, [a, (a + step) % 20]));
            let mut at_once = Lists::of_pairs(pairs.clone());
            let mut one_by_one = Lists::default();
            for (number, things) in pairs {
                things.iter().for_each(|&thing| one_by_one.insert(thing, number));
            }
            for thing in 0..21 {
                prop_assert_eq!(at_once.of(thing), one_by_one.of(thing));
                at_once.insert(thing, 7);
                prop_assert!(at_once.of(thing).contains(&7) && at_once.of(thing).is_sorted());
            }
        }
    }
}
