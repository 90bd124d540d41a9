//! Lists that mostly have one element.

use core::ops::{Deref, DerefMut};

/// A list in which one element is the rule. That one lies in the list itself: a world whose bodies have one collider each, of one
/// material, is copied, saved and restored without asking for memory body by body.
#[derive(Clone, Debug, PartialEq, Default)]
pub(crate) enum List<T> {
    #[default]
    Empty,
    One(T),
    /// In a box, so that the list is no longer than a pointer and an element.
    #[allow(clippy::box_collection)]
    Many(Box<Vec<T>>),
}

impl<T: Copy> List<T> {
    pub fn push(&mut self, element: T) {
        self.insert(self.len(), element);
    }

    /// Puts an element before the one at `place`.
    pub fn insert(&mut self, place: usize, element: T) {
        match self {
            Self::Empty => *self = Self::One(element),
            Self::One(only) => {
                let mut both = vec![*only];
                both.insert(place, element);
                *self = Self::Many(Box::new(both));
            }
            Self::Many(list) => list.insert(place, element),
        }
    }

    /// Takes out the element at `place`, which must exist.
    pub fn remove(&mut self, place: usize) -> T {
        match self {
            Self::Many(list) => list.remove(place),
            _ => {
                let only = self[place];
                *self = Self::Empty;
                only
            }
        }
    }
}

impl<T: Copy> FromIterator<T> for List<T> {
    fn from_iter<I: IntoIterator<Item = T>>(elements: I) -> Self {
        let mut elements = elements.into_iter();
        let Some(first) = elements.next() else { return Self::Empty };
        let Some(second) = elements.next() else { return Self::One(first) };
        Self::Many(Box::new([first, second].into_iter().chain(elements).collect()))
    }
}

impl<T> Deref for List<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        match self {
            Self::Empty => &[],
            Self::One(only) => core::slice::from_ref(only),
            Self::Many(list) => list,
        }
    }
}

impl<T> DerefMut for List<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        match self {
            Self::Empty => &mut [],
            Self::One(only) => core::slice::from_mut(only),
            Self::Many(list) => list,
        }
    }
}

impl<'a, T> IntoIterator for &'a List<T> {
    type Item = &'a T;
    type IntoIter = core::slice::Iter<'a, T>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::List;
    use proptest::prelude::*;

    proptest! {
        /// Does what a vector does, whatever way it grew and shrank; and stays as small as it was made to be.
        #[test]
        fn is_a_list(steps in prop::collection::vec((0u32..3, 0usize..8), 0..60)) {
            let (mut list, mut judge) = (List::default(), Vec::new());
            for (k, (what, place)) in steps.into_iter().enumerate() {
                let place = place.min(judge.len());
                match what {
                    0 => {
                        list.push(k as u32);
                        judge.push(k as u32);
                    }
                    1 => {
                        list.insert(place, k as u32);
                        judge.insert(place, k as u32);
                    }
                    _ if place < judge.len() => prop_assert_eq!(list.remove(place), judge.remove(place)),
                    _ => {}
                }
                if let Some(last) = list.last_mut() {
                    *last += 1;
                }
                if let Some(last) = judge.last_mut() {
                    *last += 1;
                }
                prop_assert_eq!(&list[..], &judge[..]);
                prop_assert_eq!(&judge.iter().copied().collect::<List<u32>>()[..], &judge[..]);
            }
            prop_assert!(size_of::<List<u32>>() <= 16 && size_of::<List<crate::MaterialId>>() <= 16);
        }
    }
}
