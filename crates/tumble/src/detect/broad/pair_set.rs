//! The set of known pairs.

use super::ProxyPair;

/// A set of unordered pairs of different numbers, by open addressing with linear probing.
///
/// Never iterated, so that its order cannot matter. Removal moves later entries back instead of leaving marks behind; what
/// the table holds says all there is to know.
///
/// ```
/// use tumble::detect::broad::PairSet;
/// let mut set = PairSet::default();
/// assert!(set.is_empty() && set.insert(3, 5) && set.insert(8, 3) && !set.insert(5, 3));
/// assert!(set.contains(5, 3) && set.len() == 2 && set.memory() > 0);
/// let mut others = Vec::new();
/// set.remove_all_of(3, |other| others.push(other));
/// others.sort();
/// assert_eq!(others, [5, 8]);
/// assert!(!set.remove(3, 5) && set.validate(|_, _| true).is_ok());
/// ```
#[derive(Clone, Debug, Default)]
pub struct PairSet {
    /// A power of two of entries, or none; at most three quarters are in use.
    pub(super) table: Vec<u64>,
    count: u32,
}

/// No pair: its halves are equal.
const VACANT: u64 = u64::MAX;

/// The smaller number first.
#[inline(always)]
fn key(a: u32, b: u32) -> u64 {
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    u64::from(low) << 32 | u64::from(high)
}

impl PairSet {
    /// How many pairs there are.
    pub fn len(&self) -> usize {
        self.count as usize
    }

    /// There are no pairs.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Bytes held by the set, unused capacity included.
    pub fn memory(&self) -> usize {
        self.table.capacity() * size_of::<u64>()
    }

    /// The pair is in the set.
    #[inline]
    pub fn contains(&self, a: u32, b: u32) -> bool {
        self.count > 0 && self.table[self.find(key(a, b))] != VACANT
    }

    /// Adds a pair of different numbers; says whether it is new.
    pub fn insert(&mut self, a: u32, b: u32) -> bool {
        debug_assert!(a != b);
        if (self.count as usize + 1) * 4 > self.table.len() * 3 {
            self.grow();
        }
        let key = key(a, b);
        let place = self.find(key);
        if self.table[place] != VACANT {
            return false;
        }
        self.table[place] = key;
        self.count += 1;
        true
    }

    /// Removes a pair; says whether it was there.
    pub fn remove(&mut self, a: u32, b: u32) -> bool {
        if self.count == 0 {
            return false;
        }
        let mut hole = self.find(key(a, b));
        if self.table[hole] == VACANT {
            return false;
        }
        self.count -= 1;
        // An entry may move into the hole if its home is not after the hole on the way to where it is.
        let mask = self.table.len() - 1;
        let mut next = hole;
        loop {
            next = (next + 1) & mask;
            let entry = self.table[next];
            if entry == VACANT {
                self.table[hole] = VACANT;
                return true;
            }
            let from_home = next.wrapping_sub(self.home(entry)) & mask;
            let from_hole = next.wrapping_sub(hole) & mask;
            if from_home >= from_hole {
                self.table[hole] = entry;
                hole = next;
            }
        }
    }

    /// Removes every pair with `number` and calls `gone` with the partner of each, in no particular order. Reads the whole
    /// table.
    pub fn remove_all_of(&mut self, number: u32, mut gone: impl FnMut(u32)) {
        let table = core::mem::take(&mut self.table);
        self.table = vec![VACANT; table.len()];
        self.count = 0;
        for entry in table.into_iter().filter(|&entry| entry != VACANT) {
            match ((entry >> 32) as u32, entry as u32) {
                (a, b) if a == number => gone(b),
                (a, b) if b == number => gone(a),
                _ => {
                    let place = self.find(entry);
                    self.table[place] = entry;
                    self.count += 1;
                }
            }
        }
    }

    /// Checks that every pair is where it will be found and passes `check(smaller, larger)`; says what is wrong first.
    pub fn validate(&self, mut check: impl FnMut(u32, u32) -> bool) -> Result<(), String> {
        let (size, count) = (self.table.len(), self.count as usize);
        // Without a vacant place, a search would never end.
        if (size > 0 && !size.is_power_of_two()) || count * 4 > size * 3 {
            return Err(format!("{count} pairs in a table of {size}"));
        }
        let mut seen = 0;
        for (place, &entry) in self.table.iter().enumerate().filter(|(_, entry)| **entry != VACANT) {
            let (a, b) = ((entry >> 32) as u32, entry as u32);
            seen += 1;
            if seen > count || a >= b || self.find(entry) != place || !check(a, b) {
                return Err(format!("pair {a}, {b} is misplaced, or one of them does not exist"));
            }
        }
        if seen == count { Ok(()) } else { Err(format!("{seen} pairs, {count} counted")) }
    }

    /// The place where the key is, or the vacant one where it would be.
    #[inline(always)]
    fn find(&self, key: u64) -> usize {
        self.find_from(self.home(key), key)
    }

    #[inline(always)]
    fn find_from(&self, mut place: usize, key: u64) -> usize {
        let mask = self.table.len() - 1;
        while self.table[place] != key && self.table[place] != VACANT {
            place = (place + 1) & mask;
        }
        place
    }

    /// Where the key is if nothing is in its way. Both halves of the key reach the bits that are used.
    #[inline(always)]
    fn home(&self, key: u64) -> usize {
        let mixed = (key ^ (key >> 32)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (mixed ^ (mixed >> 32)) as usize & (self.table.len() - 1)
    }

    /// Puts pairs into a set without any; says whether they are all different.
    pub(super) fn fill(&mut self, pairs: &[ProxyPair]) -> bool {
        const PART: usize = 64;
        debug_assert!(self.is_empty());
        let size = if pairs.is_empty() { 0 } else { (pairs.len() * 4).div_ceil(3).next_power_of_two().max(64) };
        self.table.clear();
        self.table.resize(size, VACANT);
        self.count = pairs.len() as u32;
        let mut homes = [(0, 0); PART];
        for part in pairs.chunks(PART) {
            // The table is larger than the fast caches: the places are fetched all together, and not each where it is waited for.
            for (home, pair) in homes.iter_mut().zip(part) {
                let key = key(pair.a.0, pair.b.0);
                *home = (self.home(key), key);
                core::hint::black_box(self.table[home.0]);
            }
            for &(home, key) in &homes[..part.len()] {
                let place = self.find_from(home, key);
                if self.table[place] == key {
                    return false;
                }
                self.table[place] = key;
            }
        }
        true
    }

    fn grow(&mut self) {
        let larger = (self.table.len() * 2).max(64);
        let table = core::mem::replace(&mut self.table, vec![VACANT; larger]);
        for entry in table.into_iter().filter(|&entry| entry != VACANT) {
            let place = self.find(entry);
            self.table[place] = entry;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::PairSet;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        /// Guards the moving back of entries on removal: against a set of the standard library, with numbers so close
        /// together that the runs of probes meet and wrap around.
        #[test]
        fn is_a_set(steps in prop::collection::vec((0u32..3, 0u32..12, 0u32..12), 0..400)) {
            let mut set = PairSet::default();
            let mut judge = BTreeSet::new();
            for (what, a, b) in steps {
                if a == b {
                    if what == 2 && a == 0 {
                        let mut partners = BTreeSet::new();
                        set.remove_all_of(a, |partner| assert!(partners.insert((a.min(partner), a.max(partner)))));
                        prop_assert!(partners.iter().all(|pair| judge.contains(pair)));
                        judge.retain(|&(x, y)| x != a && y != a);
                    }
                    continue;
                }
                let pair = (a.min(b), a.max(b));
                if what == 0 {
                    prop_assert_eq!(set.remove(a, b), judge.remove(&pair));
                } else {
                    prop_assert_eq!(set.insert(a, b), judge.insert(pair));
                }
                prop_assert_eq!(set.len(), judge.len());
                for x in 0..12 {
                    for y in x + 1..12 {
                        prop_assert_eq!(set.contains(y, x), judge.contains(&(x, y)));
                    }
                }
            }
        }
    }
}
