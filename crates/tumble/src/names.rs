//! The names of things, by slot.

use crate::error::Result;
use crate::record::stream::{Sink, Source, save_records};

/// Names, of which few or very many have one: in one text, so that worlds in which all have names are copied, saved and restored without asking for
/// memory thing by thing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    text: String,
    /// By slot: where the name begins and ends, [`NOWHERE`] where there is none. Those of the last slots may be missing.
    places: Vec<[usize; 2]>,
    /// Bytes of the text that are nobody's any more.
    gone: usize,
}

const NOWHERE: [usize; 2] = [usize::MAX; 2];

impl Names {
    pub fn get(&self, slot: u32) -> Option<&str> {
        let &[start, end] = self.places.get(slot as usize)?;
        self.text.get(start..end)
    }

    pub fn set(&mut self, slot: u32, name: Option<&str>) {
        let slot = slot as usize;
        if let Some(place) = self.places.get_mut(slot)
            && *place != NOWHERE
        {
            self.gone += place[1] - place[0];
            *place = NOWHERE;
        }
        let Some(name) = name else { return };
        if self.gone > 1024 && self.gone > self.text.len() / 2 {
            self.tidy();
        }
        if self.places.len() <= slot {
            self.places.resize(slot + 1, NOWHERE);
        }
        let start = self.text.len();
        self.text.push_str(name);
        self.places[slot] = [start, self.text.len()];
    }

    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// The slots that have names, in order, with these.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &str)> {
        (0..self.places.len() as u32).filter_map(|slot| Some((slot, self.get(slot)?)))
    }

    /// Names in the order of the slots, and nothing else.
    fn tidy(&mut self) {
        let mut text = String::with_capacity(self.text.len() - self.gone);
        for place in &mut self.places {
            if let Some(name) = self.text.get(place[0]..place[1]) {
                let start = text.len();
                text.push_str(name);
                *place = [start, text.len()];
            }
        }
        (self.text, self.gone) = (text, 0);
    }

    pub fn save(&self, out: &mut impl Sink) {
        let named = || self.places.iter().filter(|&&place| place != NOWHERE);
        save_records(out, named().count(), self.iter().map(|(slot, name)| [slot, name.len() as u32]));
        let mut end = 0;
        let in_order = named().all(|&[start, next]| start == core::mem::replace(&mut end, next));
        if in_order && end == self.text.len() {
            out.str(&self.text);
        } else {
            let mut tidy = self.clone();
            tidy.tidy();
            out.str(&tidy.text);
        }
    }

    /// What [`Names::save`] wrote. Each is that of a slot for which `exists` holds.
    pub fn load(source: &mut Source<'_>, exists: impl Fn(u32) -> bool) -> Result<Self> {
        let lengths: Vec<[u32; 2]> = source.pods()?;
        let text = source.str()?.to_owned();
        let mut places: Vec<[usize; 2]> = Vec::new();
        if let Some(&[last, _]) = lengths.last() {
            if !exists(last) {
                return Err(source.corrupt("a name"));
            }
            places.reserve_exact(last as usize + 1);
        }
        let mut start = 0_usize;
        for [slot, length] in lengths {
            let (slot, end) = (slot as usize, start.saturating_add(length as usize));
            if slot < places.len() || slot >= places.capacity() || !exists(slot as u32) || !text.is_char_boundary(end) {
                return Err(source.corrupt("a name"));
            }
            places.resize(slot, NOWHERE);
            places.push([start, end]);
            start = end;
        }
        if start == text.len() { Ok(Self { text, places, gone: 0 }) } else { Err(source.corrupt("a name")) }
    }
}

#[cfg(test)]
mod tests {
    use super::Names;
    use crate::record::stream::Source;
    use proptest::prelude::*;

    fn saved(names: &Names) -> Vec<u8> {
        let mut bytes = Vec::new();
        names.save(&mut bytes);
        bytes
    }

    proptest! {
        /// Does what a list of names does, whatever came and went; what is saved says what the names are, not how they came about, and comes back.
        #[test]
        fn are_a_list_of_names(steps in prop::collection::vec((0u32..12, prop::option::of("[aé]{0,300}")), 0..60)) {
            let (mut names, mut judge) = (Names::default(), vec![None; 12]);
            for (slot, name) in steps {
                names.set(slot, name.as_deref());
                judge[slot as usize] = name;
                for (slot, name) in judge.iter().enumerate() {
                    prop_assert_eq!(names.get(slot as u32), name.as_deref());
                }
                prop_assert!(names.text.len() <= 4096 + 2 * (names.text.len() - names.gone));
            }
            let mut plain = Names::default();
            for (slot, name) in judge.iter().enumerate() {
                plain.set(slot as u32, name.as_deref());
            }
            let bytes = saved(&names);
            prop_assert_eq!(&bytes, &saved(&plain));
            let mut source = Source::new(&bytes);
            let loaded = Names::load(&mut source, |slot| slot < 12).unwrap();
            prop_assert!(source.is_empty() && loaded.iter().eq(plain.iter()));
            prop_assert_eq!(saved(&loaded), bytes);
        }
    }

    /// Names that are cut in the middle of a letter, of slots that are out of order or do not exist, and letters that are nobody's are refused.
    #[test]
    fn wrong_names_are_refused() {
        let read = |lengths: &[[u32; 2]], text: &str| {
            let mut bytes = Vec::new();
            crate::record::stream::save_pods(&mut bytes, lengths);
            crate::record::stream::Sink::str(&mut bytes, text);
            Names::load(&mut Source::new(&bytes), |slot| slot < 9 && slot != 4).is_ok()
        };
        assert!(read(&[[1, 2], [3, 0], [8, 1]], "éb") && read(&[], ""));
        assert!(!read(&[[1, 1], [3, 2]], "éb"), "half a letter");
        assert!(!read(&[[3, 1], [3, 1]], "ab") && !read(&[[3, 1], [1, 1]], "ab"), "out of order");
        assert!(!read(&[[4, 2]], "ab") && !read(&[[9, 2]], "ab") && !read(&[[4, 1], [5, 1]], "ab"), "no such slot");
        assert!(!read(&[[1, 1]], "ab") && !read(&[[1, 3]], "ab") && !read(&[[1, u32::MAX], [2, 3]], "ab"), "lengths");
    }
}
