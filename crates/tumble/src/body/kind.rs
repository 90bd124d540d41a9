//! What kinds of bodies there are, and which motions are forbidden.

use crate::math::Vec3;
use serde::{Deserialize, Serialize};

/// How a body moves.
///
/// ```
/// use tumble::{BodyDesc, BodyKind, World};
/// let mut world = World::new();
/// let door = world.add_body(BodyDesc::fixed()).unwrap();
/// world.body_mut(door).unwrap().set_kind(BodyKind::Dynamic).unwrap();
/// assert_eq!(world.body(door).unwrap().kind(), BodyKind::Dynamic);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BodyKind {
    /// Moved by forces, contacts and joints.
    #[default]
    Dynamic,
    /// Never moves; setting its pose teleports it.
    Fixed,
    /// Moves as it is told, by a velocity or towards a target pose, and nothing stops it.
    Kinematic,
}

/// Motions that a dynamic body must not make, along and about the axes of the world, as bits. Its centre of mass does not
/// move along a locked axis; other points of it may, where it turns. Kinematic bodies move as they are told.
///
/// ```
/// use tumble::Locks;
/// let flat = Locks::planar_z();
/// assert!(flat.contains(Locks::MOVE_Z) && !flat.contains(Locks::TURN_Z));
/// ```
///
/// ```
/// use tumble::Locks;
/// assert_eq!(Locks::planar_x(), Locks::MOVE_X | Locks::TURN_Y | Locks::TURN_Z);
/// assert_eq!(Locks::planar_y(), Locks::MOVE_Y.and(Locks::TURN_X).and(Locks::TURN_Z));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Locks(u8);

impl Locks {
    /// Nothing is locked.
    pub const NONE: Self = Self(0);
    /// No motion along x.
    pub const MOVE_X: Self = Self(1);
    /// No motion along y.
    pub const MOVE_Y: Self = Self(2);
    /// No motion along z.
    pub const MOVE_Z: Self = Self(4);
    /// No turning about x.
    pub const TURN_X: Self = Self(8);
    /// No turning about y.
    pub const TURN_Y: Self = Self(16);
    /// No turning about z.
    pub const TURN_Z: Self = Self(32);
    /// No motion at all.
    pub const MOVE: Self = Self(7);
    /// No turning at all: a body that never spins.
    pub const TURN: Self = Self(56);

    /// Planar mode: motion in the plane across x.
    pub const fn planar_x() -> Self {
        Self(1 | 16 | 32)
    }

    /// Planar mode: motion in the plane across y.
    pub const fn planar_y() -> Self {
        Self(2 | 8 | 32)
    }

    /// Planar mode: motion in the plane across z.
    pub const fn planar_z() -> Self {
        Self(4 | 8 | 16)
    }

    /// Both.
    pub const fn and(self, o: Self) -> Self {
        Self(self.0 | o.0)
    }

    /// All that `o` locks is locked.
    pub const fn contains(self, o: Self) -> bool {
        self.0 & o.0 == o.0
    }

    /// Nothing is locked.
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }

    /// Some turning is locked.
    pub(crate) const fn locks_turning(self) -> bool {
        self.0 & Self::TURN.0 != 0
    }

    pub(crate) const fn bits(self) -> u8 {
        self.0
    }

    pub(crate) const fn from_bits(bits: u8) -> Self {
        Self(bits & 63)
    }

    /// 1 for each free axis of translation, 0 for each locked one.
    pub(crate) fn free_move(self) -> Vec3 {
        let f = |bit: u8| if self.0 & bit == 0 { 1.0 } else { 0.0 };
        Vec3::new(f(1), f(2), f(4))
    }

    /// 1 for each free axis of rotation, 0 for each locked one.
    pub(crate) fn free_turn(self) -> Vec3 {
        let f = |bit: u8| if self.0 & bit == 0 { 1.0 } else { 0.0 };
        Vec3::new(f(8), f(16), f(32))
    }
}

impl core::ops::BitOr for Locks {
    type Output = Self;
    fn bitor(self, o: Self) -> Self {
        self.and(o)
    }
}
