//! Which of many things hang together, told pair by pair.

/// Sets of things that have been joined. The smallest of a set stands for it, whatever the order in which they were.
#[derive(Clone, Debug, Default)]
pub(crate) struct UnionFind {
    root: Vec<u32>,
}

impl UnionFind {
    /// As many things, each by itself.
    pub fn reset(&mut self, count: usize) {
        self.root.clear();
        self.root.extend(0..count as u32);
    }

    /// The one that stands for the set of `i`.
    pub fn find(&mut self, mut i: u32) -> u32 {
        while self.root[i as usize] != i {
            self.root[i as usize] = self.root[self.root[i as usize] as usize];
            i = self.root[i as usize];
        }
        i
    }

    /// Makes one set of two.
    pub fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        let (low, high) = if a < b { (a, b) } else { (b, a) };
        self.root[high as usize] = low;
    }
}

#[cfg(test)]
mod tests {
    use super::UnionFind;

    /// Against sets that are merged by hand, from any order of joining.
    #[test]
    fn sets_are_those_that_were_joined() {
        let mut sets = UnionFind::default();
        for order in [[(1, 4), (6, 7), (4, 6), (2, 3)], [(7, 6), (3, 2), (6, 4), (4, 1)]] {
            sets.reset(9);
            for (a, b) in order {
                sets.join(a, b);
            }
            let found: Vec<u32> = (0..9).map(|i| sets.find(i)).collect();
            assert_eq!(found, [0, 1, 2, 2, 1, 5, 1, 1, 8]);
        }
    }
}
