//! Who may touch whom.

use serde::{Deserialize, Serialize};

/// Layers a collider belongs to, and layers it meets, as bits. Two colliders may touch if each meets a layer of the other.
///
/// ```
/// use tumble::Layers;
/// let ghost = Layers { member: 0b10, meets: 0b10 };
/// assert!(!ghost.allows(&Layers::default().with_member(0b01)));
/// assert!(ghost.allows(&ghost));
/// ```
///
/// ```
/// use tumble::Layers;
/// const PLAYER: u32 = 1;
/// const BULLET: u32 = 2;
/// let bullet = Layers::default().with_member(BULLET).with_meets(!BULLET); // bullets do not hit each other
/// assert!(!bullet.allows(&bullet) && bullet.allows(&Layers::default().with_member(PLAYER)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Layers {
    /// The layers it belongs to.
    pub member: u32,
    /// The layers it meets.
    pub meets: u32,
}

impl Default for Layers {
    fn default() -> Self {
        Self { member: 1, meets: u32::MAX }
    }
}

impl Layers {
    /// Belonging to these layers.
    pub fn with_member(self, member: u32) -> Self {
        Self { member, ..self }
    }

    /// Meeting these layers.
    pub fn with_meets(self, meets: u32) -> Self {
        Self { meets, ..self }
    }

    /// Each meets a layer of the other.
    pub fn allows(&self, o: &Self) -> bool {
        self.member & o.meets != 0 && o.member & self.meets != 0
    }
}
