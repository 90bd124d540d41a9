//! Things of which there are few kinds: each kind is stored once, in the order in which kinds first come, and the things by the numbers of their
//! kinds.
//!
//! What is of one kind is told by bytes alone, whatever shares its memory with what. So a restored world, in which things that are alike share, has
//! the same snapshot and the same hash as the one that was saved.

use super::stream::{Hasher, Sink, Source, save_pods};
use crate::error::Result;
use bytemuck::Pod;

/// What tells a thing from others while they are saved, such as where it is in memory: things with the same key have the same bytes. Things
/// with different keys may have them too.
pub(crate) type Key = [u64; 3];

/// Strings of bytes by number, each once.
pub(crate) struct Kinds {
    bytes: Vec<u8>,
    /// Where each begins, and its hash.
    starts: Vec<(usize, u64)>,
    /// Numbers by hash, by open addressing with linear probing; a power of two of places, half of them vacant.
    table: Vec<u32>,
    last: u32,
    /// By a few bits of a key: the thing that was noted last.
    recent: [(Key, u32); RECENT],
}

/// A power of two: enough for things of a few kinds that were made by turns.
const RECENT: usize = 64;
/// No number.
const VACANT: u32 = u32::MAX;

impl Kinds {
    pub fn new() -> Self {
        Self { bytes: Vec::new(), starts: Vec::new(), table: Vec::new(), last: 0, recent: [([0; 3], VACANT); RECENT] }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// All of them, one after the other.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The number of a thing with this key. `write` writes it where it was not noted lately.
    #[inline]
    pub fn number(&mut self, key: Key, write: impl FnOnce(&mut Vec<u8>)) -> u32 {
        self.recall(key).unwrap_or_else(|| {
            let number = self.number_of(write);
            self.note(key, number);
            number
        })
    }

    /// The number of things with this key, if it was noted lately.
    #[inline]
    pub fn recall(&self, key: Key) -> Option<u32> {
        let (known, number) = self.recent[place(key)];
        (known == key && number != VACANT).then_some(number)
    }

    /// Things with this key have this number.
    #[inline]
    pub fn note(&mut self, key: Key, number: u32) {
        self.recent[place(key)] = (key, number);
    }

    /// The number of what `write` writes, which is not nothing.
    #[inline]
    pub fn number_of(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> u32 {
        let start = self.bytes.len();
        write(&mut self.bytes);
        // Most things are equal to the one before.
        if self.starts.is_empty() || !self.is_at_end(self.last, start) {
            self.last = self.search(start);
        } else {
            self.bytes.truncate(start);
        }
        self.last
    }

    /// The number of the bytes that begin at `start`, the last ones there: they stay where they are new.
    fn search(&mut self, start: usize) -> u32 {
        if self.table.len() <= 2 * self.starts.len() {
            self.grow();
        }
        let hash = Hasher::of(&self.bytes[start..]);
        let mask = self.table.len() - 1;
        let mut place = hash as usize & mask;
        while self.table[place] != VACANT {
            let number = self.table[place];
            if self.starts[number as usize].1 == hash && self.is_at_end(number, start) {
                self.bytes.truncate(start);
                return number;
            }
            place = (place + 1) & mask;
        }
        let number = self.starts.len() as u32;
        self.starts.push((start, hash));
        self.table[place] = number;
        number
    }

    /// The bytes that begin at `start`, the last ones there, are those of this kind, all of which lie before them.
    #[inline]
    fn is_at_end(&self, number: u32, start: usize) -> bool {
        let end = self.starts.get(number as usize + 1).map_or(start, |&(next, _)| next);
        self.bytes[self.starts[number as usize].0..end] == self.bytes[start..]
    }

    fn grow(&mut self) {
        self.table = vec![VACANT; (2 * self.table.len()).max(64)];
        let mask = self.table.len() - 1;
        for (number, &(_, hash)) in self.starts.iter().enumerate() {
            let mut place = hash as usize & mask;
            while self.table[place] != VACANT {
                place = (place + 1) & mask;
            }
            self.table[place] = number as u32;
        }
    }
}

fn place(key: Key) -> usize {
    let mix = |mixed: u64, word: u64| (mixed.rotate_left(21) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (key.into_iter().fold(0, mix) >> 58) as usize % RECENT
}

/// Writes what things of few kinds are, as records, each with its key.
pub(crate) fn save_kinds<T: Pod, S>(
    out: &mut impl Sink,
    things: impl Iterator<Item = S>,
    key: impl Fn(&S) -> Key,
    record: impl Fn(&S) -> T,
) {
    let mut kinds = Kinds::new();
    let write = |thing: &S, bytes: &mut Vec<u8>| bytes.extend_from_slice(bytemuck::bytes_of(&record(thing)));
    let numbers: Vec<u32> = things.map(|thing| kinds.number(key(&thing), |bytes| write(&thing, bytes))).collect();
    out.u32(kinds.len() as u32);
    out.bytes(kinds.bytes());
    save_pods(out, &numbers);
}

/// Kinds, and the number of its kind for each of so many things, as [`save_kinds`] wrote them. The caller looks at each kind.
pub(crate) fn load_kinds<T: Pod>(source: &mut Source<'_>, count: usize) -> Result<(Vec<T>, Vec<u32>)> {
    let kinds: Vec<T> = source.pods()?;
    let numbers = load_numbers(source, count, kinds.len())?;
    Ok((kinds, numbers))
}

/// So many numbers of kinds, of which there are so many.
pub(crate) fn load_numbers(source: &mut Source<'_>, count: usize, kinds: usize) -> Result<Vec<u32>> {
    let numbers: Vec<u32> = source.pods()?;
    let largest = numbers.iter().fold(0, |largest, &number| if number > largest { number } else { largest });
    if numbers.len() != count || (count > 0 && largest as usize >= kinds) {
        return Err(source.corrupt("a list of kinds"));
    }
    Ok(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever the keys, equal bytes have one number, numbers are given in the order of coming, and all come back.
    #[test]
    fn things_are_of_their_kinds() {
        let mut seed = 3u64;
        let mut random = move |n: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % n
        };
        for count in [0, 1, 2, 63, 64, 65, 1000] {
            // As many keys as things, some, or one for each.
            for keys in [1, 3, 1 << 30] {
                let things: Vec<[u64; 2]> = (0..2000).map(|_| [random(count + 1), 7]).collect();
                let mut bytes = Vec::new();
                let key = |thing: &[u64; 2]| [thing[0], if keys == 1 { 0 } else { thing[1] }, 9];
                save_kinds(&mut bytes, things.iter().copied(), key, |thing| *thing);
                let salt = std::cell::Cell::new(0);
                let unlike = |thing: &[u64; 2]| {
                    salt.set(salt.get() + 1);
                    [thing[0], salt.get() % keys, thing[1]]
                };
                let mut others = Vec::new();
                save_kinds(&mut others, things.iter().copied(), unlike, |thing| *thing);
                assert_eq!(bytes, others, "keys change nothing");

                let mut source = Source::new(&bytes);
                let (kinds, numbers) = load_kinds::<[u64; 2]>(&mut source, things.len()).unwrap();
                assert!(source.is_empty());
                let back: Vec<[u64; 2]> = numbers.iter().map(|&number| kinds[number as usize]).collect();
                assert_eq!(back, things);
                let mut first = 0;
                for &number in &numbers {
                    assert!(number <= first);
                    first = first.max(number + 1);
                }
                assert_eq!(first as usize, kinds.len());
                let mut sorted = kinds.clone();
                sorted.sort_unstable();
                sorted.dedup();
                assert_eq!(sorted.len(), kinds.len());
            }
        }
    }

    /// Strings of any length are told from each other, also where one begins like another.
    #[test]
    fn strings_are_told_apart() {
        let mut kinds = Kinds::new();
        let texts = ["a", "ab", "abc", "a", "abc", "b", "ab", "aba"];
        let numbers = texts.map(|text| kinds.number_of(|bytes| bytes.extend_from_slice(text.as_bytes())));
        assert_eq!(numbers, [0, 1, 2, 0, 2, 3, 1, 4]);
        assert_eq!((kinds.len(), kinds.bytes()), (5, &b"aababcbaba"[..]));
    }

    /// A number that names nothing, and fewer or more numbers than things, are refused.
    #[test]
    fn wrong_numbers_are_refused() {
        let read = |kinds: &[u64], numbers: &[u32], count| {
            let mut bytes = Vec::new();
            save_pods(&mut bytes, kinds);
            save_pods(&mut bytes, numbers);
            load_kinds::<u64>(&mut Source::new(&bytes), count).is_ok()
        };
        assert!(read(&[5, 6], &[0, 1, 1], 3) && read(&[], &[], 0));
        assert!(!read(&[5, 6], &[0, 2, 1], 3) && !read(&[5, 6], &[0, 1, 1], 2) && !read(&[5, 6], &[0, 1], 3));
        assert!(!read(&[], &[0], 1));
    }
}
