//! Sets of bodies.

use crate::error::{Error, Result};
use crate::id::BodyId;

/// Which bodies an effect acts on (003-41). Bodies that are not dynamic may be among them, and feel nothing while they are not.
///
/// ```
/// use tumble::force::Uniform;
/// use tumble::{BodyDesc, BodySet, EffectDesc, World, math::Vec3};
/// # fn main() -> tumble::Result<()> {
/// let mut world = World::new();
/// let stone = world.add_body(BodyDesc::dynamic())?;
/// let wind = world.add_effect(EffectDesc::new(Uniform::new([2.0, 0.0, 0.0])).bodies(BodySet::except([stone])))?;
/// let leaf = world.add_body(BodyDesc::dynamic())?; // taken in, though it came later
/// assert!(world.effect(wind)?.acts_on(leaf)? && !world.effect(wind)?.acts_on(stone)?);
/// assert_eq!(BodySet::list([leaf]), BodySet::List(vec![leaf]));
/// assert_eq!(BodySet::pair(stone, leaf), BodySet::Pair([stone, leaf]));
/// // The same body twice is a mistake.
/// assert!(world.add_effect(EffectDesc::new(Uniform::new([0.0; 3])).bodies(BodySet::list([leaf, leaf]))).is_err());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum BodySet {
    /// All bodies, those that are added later too.
    #[default]
    All,
    /// All but these; bodies that are added later belong to it.
    Except(Vec<BodyId>),
    /// These.
    List(Vec<BodyId>),
    /// Two, in this order. An effect on a pair goes when either of them goes.
    Pair([BodyId; 2]),
}

impl BodySet {
    /// All but these.
    pub fn except(bodies: impl IntoIterator<Item = BodyId>) -> Self {
        Self::Except(bodies.into_iter().collect())
    }

    /// These.
    pub fn list(bodies: impl IntoIterator<Item = BodyId>) -> Self {
        Self::List(bodies.into_iter().collect())
    }

    /// Two, in this order.
    pub fn pair(a: BodyId, b: BodyId) -> Self {
        Self::Pair([a, b])
    }

    /// The bodies that it names.
    pub(crate) fn named(&self) -> &[BodyId] {
        match self {
            Self::All => &[],
            Self::Except(list) | Self::List(list) => list,
            Self::Pair(pair) => pair,
        }
    }

    /// Brings its list into ascending order, on which everything else relies. An error where a body is named twice.
    pub(crate) fn sort(&mut self, subject: &str) -> Result<()> {
        let twice = match self {
            Self::All => None,
            Self::Pair([a, b]) => (a == b).then_some(*a),
            Self::Except(list) | Self::List(list) => {
                list.sort_unstable();
                list.windows(2).find(|w| w[0] == w[1]).map(|w| w[0])
            }
        };
        match twice {
            Some(body) => Err(Error::refused(subject, format_args!("it names {body} twice"))),
            None => Ok(()),
        }
    }

    /// Bodies that are added later belong to it.
    pub(crate) fn is_open(&self) -> bool {
        matches!(self, Self::All | Self::Except(_))
    }

    /// The body in this slot belongs to it.
    pub(crate) fn contains(&self, slot: u32) -> bool {
        let listed = |list: &[BodyId]| list.binary_search_by_key(&slot, |id| id.index()).is_ok();
        match self {
            Self::All => true,
            Self::Except(list) => !listed(list),
            Self::List(list) => listed(list),
            Self::Pair(pair) => pair.iter().any(|id| id.index() == slot),
        }
    }

    /// No longer names a body. A pair stays as it is.
    pub(crate) fn forget(&mut self, body: BodyId) {
        if let Self::Except(list) | Self::List(list) = self {
            list.retain(|&id| id != body);
        }
    }

    /// With this body, or without it. `None` for a pair.
    pub(crate) fn with(&self, body: BodyId, belongs: bool) -> Option<Self> {
        let mut set = self.clone();
        match &mut set {
            Self::Pair(_) => return None,
            Self::All if !belongs => set = Self::Except(vec![body]),
            Self::All => {}
            Self::List(list) | Self::Except(list) => {
                let named = belongs == matches!(self, Self::List(_));
                match list.binary_search(&body) {
                    Ok(at) if !named => drop(list.remove(at)),
                    Err(at) if named => list.insert(at, body),
                    _ => {}
                }
            }
        }
        Some(set)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Taking bodies in and out gives the set that says so, for every kind of set.
    #[test]
    fn members_come_and_go() {
        let id = |i: u32| BodyId::new(i, 7);
        for set in [BodySet::All, BodySet::except([id(1), id(4)]), BodySet::list([id(1), id(4)])] {
            for body in 0..6 {
                for belongs in [true, false] {
                    let changed = set.with(id(body), belongs).unwrap();
                    for other in 0..6 {
                        let expected = if other == body { belongs } else { set.contains(other) };
                        assert_eq!(changed.contains(other), expected, "{set:?}, {body} {belongs}, {other}");
                    }
                }
            }
        }
        assert_eq!(BodySet::pair(id(1), id(2)).with(id(3), true), None);
    }
}
