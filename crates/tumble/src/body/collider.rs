//! Colliders: shapes placed on bodies.

mod record;

use super::{Layers, Material};
use crate::id::MaterialId;
use crate::list::List;
use crate::math::{Pose, Real};
use crate::shape::Shape;

pub(crate) use record::{load, save};

/// A shape on a body, with what it is made of and whom it meets.
#[derive(Clone, Debug)]
pub(crate) struct Collider {
    /// Slot of its body.
    pub body: u32,
    pub shape: Shape,
    /// In the body's frame.
    pub pose: Pose,
    /// By material slot; never empty.
    pub materials: List<MaterialId>,
    /// Which of the materials belong to this collider and go with it, as bits of the slot.
    pub owned: u64,
    pub density: Option<Real>,
    pub layers: Layers,
    pub sensor: bool,
    pub collides: bool,
    pub hooked: bool,
    pub contact_events: bool,
    pub impact_speed: Real,
    pub user_data: u64,
    /// Proxy in the broad phase, or `NO_PROXY`.
    pub proxy: u32,
}

pub(crate) const NO_PROXY: u32 = u32::MAX;

impl Collider {
    /// The material of a slot; slots that are not listed count as slot 0.
    pub fn material(&self, slot: u16) -> MaterialId {
        self.materials.get(slot as usize).copied().unwrap_or(self.materials[0])
    }

    pub fn density_with(&self, material: &Material) -> Real {
        self.density.unwrap_or(material.density)
    }
}
