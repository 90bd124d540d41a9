//! Lists whose elements are mostly alike.

use crate::room::make_room;
use bytemuck::Pod;
use core::ops::{Index, IndexMut};

/// A list of records of which many are the same to the bit: these share one record, and each can be changed by itself.
///
/// A record that comes in is compared with those that came last, so that what is made alike, one after the other or by turns, shares; what became alike in another way does not.
/// That changes nothing but the memory: an element reads the same whether it shares its record or not.
#[derive(Clone, Debug)]
pub(crate) struct Alike<T> {
    /// By element: its record.
    places: Vec<u32>,
    records: Vec<Record<T>>,
    /// Records that nobody has.
    free: Vec<u32>,
    /// The records that came in last, in no order; some of them may be gone.
    recent: [u32; RECENT],
    /// Which of these is the oldest.
    oldest: usize,
}

/// How many records a new one is compared with: the parts of a figure, of which many are made.
const RECENT: usize = 16;

#[derive(Clone, Copy, Debug)]
struct Record<T> {
    value: T,
    /// How many elements have it.
    uses: u32,
}

impl<T> Default for Alike<T> {
    fn default() -> Self {
        Self { places: Vec::new(), records: Vec::new(), free: Vec::new(), recent: [0; RECENT], oldest: 0 }
    }
}

impl<T: Pod> Alike<T> {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Makes room for so many more elements.
    pub fn reserve(&mut self, more: usize) {
        self.places.reserve_exact(more);
    }

    /// Empties it, and makes room for `count` elements in all. See [`make_room`].
    pub fn begin(&mut self, count: usize) {
        self.clear();
        make_room(&mut self.places, count);
    }

    /// Elements of these kinds, by the numbers of theirs, which are less than there are kinds.
    pub fn of_kinds(kinds: Vec<T>, places: Vec<u32>) -> Self {
        let mut records: Vec<Record<T>> = kinds.into_iter().map(|value| Record { value, uses: 0 }).collect();
        for &place in &places {
            records[place as usize].uses += 1;
        }
        let unused = |&place: &u32| records[place as usize].uses == 0;
        let free = (0..records.len() as u32).filter(unused).collect();
        Self { places, records, free, ..Self::default() }
    }

    /// Each element with the place of its record: those that have the same place are the same.
    pub fn placed(&self) -> impl Iterator<Item = (u32, &T)> {
        self.places.iter().map(|&place| (place, &self.records[place as usize].value))
    }

    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.places.iter().map(|&place| &self.records[place as usize].value)
    }

    pub fn push(&mut self, value: T) {
        let place = self.share(value);
        self.places.push(place);
    }

    /// Adds an element that is compared with the one before it alone: for lists that are made anew in every step.
    #[inline]
    pub fn push_next(&mut self, value: T) {
        if let Some(&place) = self.places.last() {
            let record = &mut self.records[place as usize];
            if bytemuck::bytes_of(&record.value) == bytemuck::bytes_of(&value) {
                record.uses += 1;
                self.places.push(place);
                return;
            }
        }
        let place = self.take(value);
        self.places.push(place);
    }

    pub fn pop(&mut self) {
        if let Some(place) = self.places.pop() {
            self.leave(place);
        }
    }

    pub fn swap(&mut self, a: usize, b: usize) {
        self.places.swap(a, b);
    }

    pub fn set(&mut self, i: usize, value: T) {
        // Where nobody else has the old record it may be the new one's place: it is given back first.
        self.leave(self.places[i]);
        self.places[i] = self.share(value);
    }

    pub fn clear(&mut self) {
        self.places.clear();
        self.records.clear();
        self.free.clear();
    }

    /// The place of a record for one more element: that of its like, or a new one.
    fn share(&mut self, value: T) -> u32 {
        let is_same =
            |record: &Record<T>| record.uses > 0 && bytemuck::bytes_of(&record.value) == bytemuck::bytes_of(&value);
        let alike = self.recent.into_iter().find(|&place| self.records.get(place as usize).is_some_and(is_same));
        match alike {
            Some(place) => {
                self.records[place as usize].uses += 1;
                place
            }
            None => {
                let place = self.take(value);
                // A record that is soon replaced leaves its place to the next of its kind, and must not drive out the others.
                if !self.recent.contains(&place) {
                    self.recent[self.oldest] = place;
                    self.oldest = (self.oldest + 1) % RECENT;
                }
                place
            }
        }
    }

    /// A record of its own for one element.
    fn take(&mut self, value: T) -> u32 {
        let record = Record { value, uses: 1 };
        match self.free.pop() {
            Some(place) => {
                self.records[place as usize] = record;
                place
            }
            None => {
                self.records.push(record);
                self.records.len() as u32 - 1
            }
        }
    }

    fn leave(&mut self, place: u32) {
        let uses = &mut self.records[place as usize].uses;
        *uses -= 1;
        if *uses == 0 {
            self.free.push(place);
        }
    }
}

impl<T> Index<usize> for Alike<T> {
    type Output = T;

    #[inline(always)]
    fn index(&self, i: usize) -> &T {
        &self.records[self.places[i] as usize].value
    }
}

/// An element that is changed gets a record of its own.
impl<T: Pod> IndexMut<usize> for Alike<T> {
    fn index_mut(&mut self, i: usize) -> &mut T {
        let place = self.places[i];
        let Record { value, uses } = self.records[place as usize];
        if uses > 1 {
            self.leave(place);
            self.places[i] = self.take(value);
        }
        &mut self.records[self.places[i] as usize].value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records(list: &Alike<u64>) -> usize {
        list.records.len() - list.free.len()
    }

    /// Whatever is done to it, it reads like a plain list, and there are no more records than elements.
    #[test]
    fn it_reads_like_a_plain_list() {
        let (mut list, mut plain) = (Alike::new(), Vec::new());
        let mut seed = 1u64;
        let mut random = move |n: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % n
        };
        for _ in 0..20_000 {
            let (value, n) = (random(40), plain.len() as u64);
            match random(if n > 0 { 7 } else { 2 }) {
                0 => {
                    if random(2) == 0 {
                        list.push(value);
                    } else {
                        list.push_next(value);
                    }
                    plain.push(value);
                }
                1 => {
                    for _ in 0..random(4) {
                        list.push(value);
                        plain.push(value);
                    }
                    // Made anew, with a kind that nobody is of.
                    let mut kinds = plain.clone();
                    kinds.sort_unstable();
                    kinds.dedup();
                    kinds.push(value);
                    let number = |v: &u64| kinds.iter().position(|kind| kind == v).unwrap() as u32;
                    list = Alike::of_kinds(kinds.clone(), plain.iter().map(number).collect());
                }
                2 | 3 => {
                    list.pop();
                    plain.pop();
                }
                4 => {
                    let (a, b) = (random(n) as usize, random(n) as usize);
                    list.swap(a, b);
                    plain.swap(a, b);
                }
                5 => {
                    let i = random(n) as usize;
                    list.set(i, value);
                    plain[i] = value;
                }
                _ => {
                    let i = random(n) as usize;
                    list[i] += value;
                    plain[i] += value;
                }
            }
            assert!(list.iter().eq(&plain) && list.len() == plain.len());
            assert!((0..plain.len()).all(|i| list[i] == plain[i]));
            assert!(records(&list) <= plain.len());
        }
        list.clear();
        assert_eq!((list.len(), records(&list)), (0, 0));
    }

    /// What is made by turns shares; one that is changed leaves the others alone.
    #[test]
    fn what_is_made_alike_shares() {
        let mut list = Alike::new();
        for i in 0..1000 {
            // As bodies come: with a record that is soon replaced.
            list.push(1_000_000);
            list.set(i, i as u64 % 10);
        }
        assert_eq!(records(&list), 10);
        list[500] = 7_000;
        list[501] += 0;
        assert_eq!((list[490], list[500], list[501], list[510], records(&list)), (0, 7_000, 1, 0, 12));
    }
}
