//! Marks on some of many.

use crate::crew::{Shared, Team};

/// A bit for each element of a list. Where something has to be done about a few of them, threads look for those; it is then done to one after the
/// other, in the order of the list.
#[derive(Clone, Debug, Default)]
pub(crate) struct Marks(Vec<u64>);

/// Elements in a block: as many as a word has bits.
const BLOCK: usize = u64::BITS as usize;

impl Marks {
    /// There are enough elements for several of a team to look for marks: otherwise one thread finds out whom something has to be done about when it does it.
    pub fn are_shared(count: usize, team: &Team) -> bool {
        team.size() > 1 && count > BLOCK
    }

    /// Marks those of `count` elements that pass the test, which is asked once for each.
    pub fn find(&mut self, count: usize, team: &Team, test: impl Fn(usize) -> bool + Sync) {
        self.0.clear();
        self.0.resize(count.div_ceil(BLOCK), 0);
        let words = Shared::new(&mut self.0);
        team.for_blocks(words.len(), |_, block| {
            let elements = block * BLOCK..count.min((block + 1) * BLOCK);
            let word = elements.enumerate().fold(0, |word, (bit, i)| word | u64::from(test(i)) << bit);
            // SAFETY: a block is given to one thread.
            unsafe { *words.get(block) = word };
        });
    }

    /// Room for marks on so many elements, of which none is marked.
    pub fn of(count: usize) -> Self {
        Self(vec![0; count.div_ceil(BLOCK)])
    }

    pub fn is_marked(&self, element: usize) -> bool {
        self.0.get(element / BLOCK).is_some_and(|word| word >> (element % BLOCK) & 1 != 0)
    }

    /// Marks an element; says whether it was marked.
    pub fn mark(&mut self, element: usize) -> bool {
        if self.0.len() <= element / BLOCK {
            self.0.resize(element / BLOCK + 1, 0);
        }
        let (word, bit) = (&mut self.0[element / BLOCK], 1 << (element % BLOCK));
        let was = *word & bit != 0;
        *word |= bit;
        was
    }

    pub fn unmark(&mut self, element: usize) {
        if let Some(word) = self.0.get_mut(element / BLOCK) {
            *word &= !(1 << (element % BLOCK));
        }
    }

    /// The elements that are marked, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = usize> {
        self.0.iter().enumerate().flat_map(|(block, &word)| {
            let mut left = word;
            core::iter::from_fn(move || {
                let bit = left.trailing_zeros();
                left &= left.wrapping_sub(1);
                (bit < u64::BITS).then_some(block * BLOCK + bit as usize)
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crew::Crew;

    /// Elements are marked and unmarked one by one, at whatever place.
    #[test]
    fn marks_come_and_go() {
        let mut marks = Marks::of(3);
        for element in [2, 63, 64, 200] {
            assert!(
                !marks.is_marked(element) && !marks.mark(element) && marks.mark(element) && marks.is_marked(element)
            );
        }
        assert!(marks.iter().eq([2, 63, 64, 200]));
        marks.unmark(64);
        marks.unmark(1000);
        assert!(marks.iter().eq([2, 63, 200]) && !marks.is_marked(64) && !marks.is_marked(1000));
    }

    /// Whatever the number of threads, those are marked that pass, in order, also at the ends of words.
    #[test]
    fn marks_are_those_that_pass() {
        for crew in [Crew::default(), Crew::of(3).unwrap()] {
            let mut marks = Marks::default();
            for count in [0, 1, 63, 64, 65, 1000] {
                let tests: [&(dyn Fn(usize) -> bool + Sync); 4] =
                    [&|_| false, &|_| true, &|i| i % 63 == 0, &|i| i % 64 == 63];
                for test in tests {
                    crew.lead(false, |team| marks.find(count, team, test));
                    assert!(marks.iter().eq((0..count).filter(|&i| test(i))), "{count}");
                }
            }
        }
    }
}
