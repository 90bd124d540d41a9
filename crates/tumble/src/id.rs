//! Ids: small, copyable names of things in a world.
//!
//! An id is a slot and the generation of its occupant. When the occupant is removed, the generation moves on, so a stale
//! id is recognised for ever after (until 2³² occupants have come and gone in one slot) and does not name something else.
//! Ids stay valid across snapshot and restore, and in copies of a world.
//!
//! Two things an id cannot know. A world that is restored or restarted gives ids out as it did the first time, to the bit: forget those
//! that it gave out since. And an id of one world may happen to be one of another world too.

use crate::error::{AnyId, Error, Result};
use crate::math::{prefetch, prefetch_at};
use crate::record::stream::{Sink, Source};
use core::hint::black_box;
use core::marker::PhantomData;
use serde::{Deserialize, Serialize};

/// What kind of id an [`Id`] is.
///
/// ```
/// use tumble::id::{BodyKindTag, Kind};
/// assert_eq!(BodyKindTag::NAME, "body");
/// ```
pub trait Kind: Copy + core::fmt::Debug + 'static {
    /// Its name in error messages.
    const NAME: &'static str;
}

/// A generation-checked name of something in a world.
///
/// ```
/// use tumble::{BodyDesc, World};
/// let mut world = World::new();
/// let id = world.add_body(BodyDesc::dynamic()).unwrap();
/// world.remove_body(id).unwrap();
/// assert!(world.body(id).is_err());
/// ```
///
/// ```
/// use tumble::{BodyDesc, BodyId, World};
/// let mut world = World::new();
/// let id = world.add_body(BodyDesc::dynamic()).unwrap();
/// assert_eq!(BodyId::from_bits(id.to_bits()), id); // for bindings and files
/// assert_eq!((id.index(), id.generation()), (1, 0)); // slot 0 is the built-in body
/// ```
#[derive(Serialize, Deserialize)]
#[repr(C)]
pub struct Id<K> {
    index: u32,
    generation: u32,
    #[serde(skip)]
    kind: PhantomData<K>,
}

impl<K> Clone for Id<K> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<K> Copy for Id<K> {}
impl<K> PartialEq for Id<K> {
    fn eq(&self, o: &Self) -> bool {
        (self.index, self.generation) == (o.index, o.generation)
    }
}
impl<K> Eq for Id<K> {}
impl<K> PartialOrd for Id<K> {
    fn partial_cmp(&self, o: &Self) -> Option<core::cmp::Ordering> {
        Some(self.cmp(o))
    }
}
impl<K> Ord for Id<K> {
    fn cmp(&self, o: &Self) -> core::cmp::Ordering {
        (self.index, self.generation).cmp(&(o.index, o.generation))
    }
}
impl<K> core::hash::Hash for Id<K> {
    fn hash<H: core::hash::Hasher>(&self, state: &mut H) {
        (self.index, self.generation).hash(state);
    }
}
impl<K: Kind> core::fmt::Debug for Id<K> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{} {}v{}", K::NAME, self.index, self.generation)
    }
}
impl<K: Kind> core::fmt::Display for Id<K> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        core::fmt::Debug::fmt(self, f)
    }
}

impl<K> Id<K> {
    pub(crate) const fn new(index: u32, generation: u32) -> Self {
        Self { index, generation, kind: PhantomData }
    }

    /// The slot.
    pub const fn index(self) -> u32 {
        self.index
    }

    /// Which occupant of the slot.
    pub const fn generation(self) -> u32 {
        self.generation
    }

    /// The id as one number, for bindings and files. [`Id::from_bits`] takes it back.
    pub const fn to_bits(self) -> u64 {
        (self.generation as u64) << 32 | self.index as u64
    }

    /// The id that [`Id::to_bits`] was called on.
    pub const fn from_bits(bits: u64) -> Self {
        Self::new(bits as u32, (bits >> 32) as u32)
    }
}

impl<K: Kind> Id<K> {
    pub(crate) fn missing(self) -> Error {
        Error::Missing(AnyId { kind: K::NAME, index: self.index, generation: self.generation })
    }
}

macro_rules! ids {
    ($($(#[$doc:meta])* $id:ident, $kind:ident, $name:literal;)*) => {$(
        #[doc = concat!("Marks ids of kind ", $name, ".")]
        ///
        /// ```
        #[doc = concat!("use tumble::id::{Id, ", stringify!($kind), "};")]
        #[doc = concat!("let first: Id<", stringify!($kind), "> = Id::from_bits(0);")]
        #[doc = concat!("assert_eq!(first.to_string(), \"", $name, " 0v0\");")]
        /// ```
        #[derive(Clone, Copy, Debug)]
        pub enum $kind {}
        impl Kind for $kind {
            const NAME: &'static str = $name;
        }
        $(#[$doc])*
        pub type $id = Id<$kind>;
    )*};
}

ids! {
    /// Names a body: free, fixed, kinematic, or a link of an articulation.
    BodyId, BodyKindTag, "body";
    /// Names a collider: a shape on a body.
    ColliderId, ColliderTag, "collider";
    /// Names a material.
    MaterialId, MaterialTag, "material";
    /// Names a joint between two bodies.
    JointId, JointTag, "joint";
    /// Names an articulation: a tree of links.
    ArticulationId, ArticulationTag, "articulation";
    /// Names a force effect.
    EffectId, EffectTag, "effect";
}

/// Things by id: a vector of slots with generations and a list of free slots.
///
/// Iteration runs in slot order, which depends only on the sequence of insertions and removals.
#[derive(Clone, Debug)]
pub(crate) struct Slots<T, K> {
    slots: Vec<Slot<T>>,
    free: Vec<u32>,
    touched: Touched,
    kind: PhantomData<K>,
}

/// Something may have changed since somebody last looked. A copy does not know who has looked at it, and says yes.
#[derive(Debug)]
struct Touched(bool);

impl Clone for Touched {
    fn clone(&self) -> Self {
        Self(true)
    }
}

#[derive(Clone, Debug)]
struct Slot<T> {
    generation: u32,
    value: Option<T>,
}

impl<T, K: Kind> Default for Slots<T, K> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T, K: Kind> Slots<T, K> {
    pub fn new() -> Self {
        Self { slots: Vec::new(), free: Vec::new(), touched: Touched(true), kind: PhantomData }
    }

    /// Something may have changed since [`Slots::settle`].
    pub fn is_touched(&self) -> bool {
        self.touched.0
    }

    /// What is here now has been seen.
    pub fn settle(&mut self) {
        self.touched.0 = false;
    }

    /// Makes room for so many more.
    pub fn reserve(&mut self, more: usize) {
        self.slots.reserve_exact(more.saturating_sub(self.free.len()));
    }

    pub fn insert(&mut self, value: T) -> Id<K> {
        self.touched.0 = true;
        if let Some(index) = self.free.pop() {
            let slot = &mut self.slots[index as usize];
            slot.value = Some(value);
            return Id::new(index, slot.generation);
        }
        let index = self.slots.len() as u32;
        self.slots.push(Slot { generation: 0, value: Some(value) });
        Id::new(index, 0)
    }

    /// Puts a built-in thing into slot 0, generation 0, whatever was there before. Only for empty slots.
    pub fn insert_first(&mut self, value: T) {
        self.touched.0 = true;
        match self.slots.first_mut() {
            Some(slot) => {
                *slot = Slot { generation: 0, value: Some(value) };
                self.free.retain(|&i| i != 0);
            }
            None => self.slots.push(Slot { generation: 0, value: Some(value) }),
        }
    }

    pub fn remove(&mut self, id: Id<K>) -> Option<T> {
        self.touched.0 = true;
        let slot = self.slots.get_mut(id.index as usize)?;
        if slot.generation != id.generation {
            return None;
        }
        let value = slot.value.take()?;
        slot.generation = slot.generation.wrapping_add(1);
        self.free.push(id.index);
        Some(value)
    }

    pub fn get(&self, id: Id<K>) -> Result<&T> {
        match self.slots.get(id.index as usize) {
            Some(Slot { generation, value: Some(value) }) if *generation == id.generation => Ok(value),
            _ => Err(id.missing()),
        }
    }

    pub fn get_mut(&mut self, id: Id<K>) -> Result<&mut T> {
        self.touched.0 = true;
        match self.slots.get_mut(id.index as usize) {
            Some(Slot { generation, value: Some(value) }) if *generation == id.generation => Ok(value),
            _ => Err(id.missing()),
        }
    }

    /// The occupant of a slot that is known to be taken: internal links only.
    pub fn at(&self, index: u32) -> Option<&T> {
        self.slots.get(index as usize)?.value.as_ref()
    }

    /// Asks for a slot that will soon be looked at.
    #[inline(always)]
    pub fn prefetch(&self, index: u32) {
        if let Some(slot) = self.slots.get(index as usize) {
            prefetch(slot);
        }
    }

    pub fn at_mut(&mut self, index: u32) -> Option<&mut T> {
        self.touched.0 = true;
        self.slots.get_mut(index as usize)?.value.as_mut()
    }

    pub fn id_at(&self, index: u32) -> Option<Id<K>> {
        let slot = self.slots.get(index as usize)?;
        slot.value.as_ref().map(|_| Id::new(index, slot.generation))
    }

    pub fn iter(&self) -> impl Iterator<Item = (Id<K>, &T)> + Clone {
        self.slots.iter().enumerate().filter_map(|(i, s)| Some((Id::new(i as u32, s.generation), s.value.as_ref()?)))
    }

    /// All occupants, for the sake of what is at `offset` in them: it is asked for well ahead, since a walk that reads little of large things waits for each of them.
    pub fn iter_for(&self, offset: usize) -> impl Iterator<Item = &T> {
        self.slots.iter().filter_map(move |slot| {
            prefetch_at(core::ptr::from_ref(slot).cast::<u8>().wrapping_add(24 * size_of::<Slot<T>>() + offset));
            slot.value.as_ref()
        })
    }

    pub fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    /// The occupants of each [`PART`] slots; see [`Places::fill_parts`].
    pub fn parts(&self) -> impl Iterator<Item = impl Iterator<Item = &T> + Clone> {
        self.slots.chunks(PART).map(|part| part.iter().filter_map(|slot| slot.value.as_ref()))
    }

    /// Slots ever used: the bound of an index.
    pub fn capacity(&self) -> usize {
        self.slots.len()
    }

    /// Empties the slots but keeps their generations, so that ids from before stay stale.
    pub fn clear(&mut self) {
        self.touched.0 = true;
        self.free.clear();
        for (i, slot) in self.slots.iter_mut().enumerate().rev() {
            if slot.value.take().is_some() {
                slot.generation = slot.generation.wrapping_add(1);
            }
            self.free.push(i as u32);
        }
    }

    /// Drops all occupants. Of some at a time `look` finds what dropping them changes: a processor that counts a reference waits for all that it has asked for before,
    /// so what is not at hand is asked for at once, and not one after the other.
    pub fn discard<R>(mut self, look: impl Fn(&T) -> R) {
        while !self.slots.is_empty() {
            let first = self.slots.len().saturating_sub(PART);
            self.slots[first..].iter().filter_map(|slot| slot.value.as_ref()).for_each(|value| {
                black_box(look(value));
            });
            self.slots.truncate(first);
        }
    }

    /// Writes which slots are taken, by whose successor, and in which order the free ones will be; the caller writes the
    /// occupants, in the order of the slots.
    pub fn save(&self, out: &mut impl Sink) {
        out.u32(self.slots.len() as u32);
        // In pieces: a sink takes long ones faster.
        for part in self.slots.chunks(256) {
            let mut generations = [0; 256];
            for (generation, slot) in generations.iter_mut().zip(part) {
                *generation = slot.generation;
            }
            out.bytes(bytemuck::cast_slice(&generations[..part.len()]));
        }
        out.u32s(&self.free);
    }

    /// What [`Slots::save`] wrote; `load` is told how many occupants to read.
    pub fn load(source: &mut Source<'_>, load: impl FnOnce(&mut Source<'_>, usize) -> Result<Vec<T>>) -> Result<Self> {
        let places = Places::load(source)?;
        let mut values = load(source, places.count())?.into_iter();
        places.fill(|_| values.next().ok_or_else(|| source.corrupt("a list of slots")))
    }
}

/// Slots without their occupants, as they were read.
pub(crate) struct Places {
    generations: Vec<u32>,
    free: Vec<u32>,
    /// By slot; empty where all are.
    taken: Vec<bool>,
}

impl Places {
    /// What [`Slots::save`] wrote.
    pub fn load(source: &mut Source<'_>) -> Result<Self> {
        let (generations, free) = (source.u32s()?, source.u32s()?);
        // A free list that names a slot twice would hand out one id to two things.
        let mut taken = if free.is_empty() { Vec::new() } else { vec![true; generations.len()] };
        for &i in &free {
            match taken.get_mut(i as usize) {
                Some(slot @ true) => *slot = false,
                _ => return Err(source.corrupt("a list of free slots")),
            }
        }
        Ok(Self { generations, free, taken })
    }

    pub fn is_taken(&self, slot: u32) -> bool {
        (slot as usize) < self.generations.len() && (self.taken.is_empty() || self.taken[slot as usize])
    }

    /// How many slots are taken.
    pub fn count(&self) -> usize {
        self.generations.len() - self.free.len()
    }

    /// The slots with their occupants, which `next` makes, slot by slot.
    pub fn fill<T, K: Kind>(self, mut next: impl FnMut(u32) -> Result<T>) -> Result<Slots<T, K>> {
        let check = |slots: &[u32]| {
            let mut part = Vec::with_capacity(PART);
            for &slot in slots {
                part.push(next(slot)?);
            }
            Ok(part.into_iter())
        };
        self.fill_parts(check, |part, place| *place = part.next())
    }

    /// The slots with their occupants, [`PART`] slots at a time: `check` reads as many occupants as are in the next of them, whose slots it is told,
    /// and refuses what is wrong; `make` makes these one after the other, each in its place: large ones are not carried about.
    ///
    /// References are counted in `check`. A processor that counts one waits until all that it wrote before is in the cache, so they are not counted between
    /// writes to memory that no cache holds.
    pub fn fill_parts<P, T, K: Kind>(
        self,
        mut check: impl FnMut(&[u32]) -> Result<P>,
        mut make: impl FnMut(&mut P, &mut Option<T>),
    ) -> Result<Slots<T, K>> {
        let mut slots = self.room()?;
        let mut own = Vec::with_capacity(PART);
        for generations in self.generations.chunks(PART) {
            let first = slots.len() as u32;
            own.clear();
            own.extend((first..first + generations.len() as u32).filter(|&slot| self.is_taken(slot)));
            let mut part = check(&own)?;
            slots.extend(generations.iter().map(|&generation| Slot { generation, value: None }));
            for &slot in &own {
                make(&mut part, &mut slots[slot as usize].value);
            }
        }
        Ok(Slots { slots, free: self.free, touched: Touched(true), kind: PhantomData })
    }

    fn room<T>(&self) -> Result<Vec<Slot<T>>> {
        let mut slots = Vec::new();
        match slots.try_reserve_exact(self.generations.len()) {
            Ok(()) => Ok(slots),
            Err(_) => Err(Error::refused("snapshot", "damaged: there is no memory for so many slots")),
        }
    }
}

/// Slots whose occupants are written, and read, together, while they are in the cache.
const PART: usize = 64;

#[cfg(test)]
mod tests {
    use super::{BodyId, BodyKindTag, PART, Slots};
    use std::rc::Rc;

    /// Slots of three parts and a bit, of which every fifth is free.
    fn with_gaps() -> (Slots<Rc<u32>, BodyKindTag>, Rc<u32>) {
        let (mut slots, one) = (Slots::new(), Rc::new(7));
        let ids: Vec<BodyId> = (0..3 * PART + 5).map(|_| slots.insert(Rc::clone(&one))).collect();
        ids.iter().step_by(5).for_each(|&id| drop(slots.remove(id)));
        (slots, one)
    }

    /// Who asks ahead meets the same occupants.
    #[test]
    fn asking_ahead_changes_nothing() {
        let (slots, _) = with_gaps();
        assert!(slots.iter_for(4).map(Rc::as_ptr).eq(slots.iter().map(|(_, value)| Rc::as_ptr(value))));
        assert_eq!(slots.iter_for(1 << 40).count(), slots.len());
    }

    /// All occupants are dropped, each once, and looked at before.
    #[test]
    fn discarded_occupants_are_dropped() {
        let (slots, one) = with_gaps();
        let (count, looks) = (slots.len(), std::cell::Cell::new(0));
        assert_eq!(Rc::strong_count(&one), 1 + count);
        slots.discard(|value| {
            looks.set(looks.get() + 1);
            Rc::as_ptr(value)
        });
        assert_eq!((looks.get(), Rc::strong_count(&one)), (count, 1));
    }
}
