//! What methods can and cannot do.

use super::{Correction, Explicit, FrictionModel, Method, Step};
use serde::{Deserialize, Serialize};

/// Something that a method may be able to do.
///
/// ```
/// use tumble::{Method, method::Ability};
/// let method = Method::soft_step();
/// let can: Vec<&str> = Ability::ALL.into_iter().filter(|&a| method.can(a)).map(Ability::name).collect();
/// assert!(can.contains(&"contacts"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ability {
    /// Bodies do not pass through each other.
    Contacts,
    /// Surfaces brake each other.
    Friction,
    /// Friction at every contact point, each by its own load.
    FrictionAtPoints,
    /// Impacts bounce.
    Restitution,
    /// Impacts turn slip round.
    TangentialRestitution,
    /// Overlap is pushed out.
    Correction,
    /// Joints, limits, motors and springs hold.
    Joints,
    /// Fast bodies do not tunnel.
    Continuous,
    /// Bodies at rest fall asleep.
    Sleep,
    /// One step runs on several threads.
    Threads,
}

impl Ability {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::Contacts,
        Self::Friction,
        Self::FrictionAtPoints,
        Self::Restitution,
        Self::TangentialRestitution,
        Self::Correction,
        Self::Joints,
        Self::Continuous,
        Self::Sleep,
        Self::Threads,
    ];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Contacts => "contacts",
            Self::Friction => "friction",
            Self::FrictionAtPoints => "friction at points",
            Self::Restitution => "restitution",
            Self::TangentialRestitution => "tangential restitution",
            Self::Correction => "correction",
            Self::Joints => "joints",
            Self::Continuous => "continuous detection",
            Self::Sleep => "sleep",
            Self::Threads => "threads",
        }
    }
}

impl Method {
    /// Whether the method, with its choices and switches as they are, does this.
    ///
    /// ```
    /// use tumble::Method;
    /// use tumble::method::Ability;
    /// assert!(Method::simultaneous().can(Ability::FrictionAtPoints));
    /// assert!(!Method::soft_step().can(Ability::FrictionAtPoints));
    /// ```
    pub fn can(&self, ability: Ability) -> bool {
        let solves = self.step.solves();
        match (ability, &self.step) {
            (Ability::Contacts | Ability::Friction | Ability::Joints, _) => solves,
            (Ability::Restitution | Ability::TangentialRestitution, _) => solves,
            (Ability::FrictionAtPoints, _) => solves && self.friction == FrictionModel::Point,
            (Ability::Correction, Step::Explicit(Explicit { correction, .. })) => {
                solves && *correction != Correction::None
            }
            (Ability::Correction, Step::SoftStep(_)) => true,
            (Ability::Continuous, _) => solves && self.switches.continuous,
            (Ability::Sleep, _) => solves && self.switches.sleep,
            (Ability::Threads, step) => matches!(step, Step::SoftStep(_)),
        }
    }
}
