//! Colliders: shapes placed on bodies.

mod record;

use super::{Layers, Material};
use crate::id::MaterialId;
use crate::list::List;
use crate::math::{Pose, Real};
use crate::shape::Shape;
use core::ops::{Deref, DerefMut};
use std::sync::Arc;

pub(crate) use record::{load, save};

/// A shape on a body, with what it is made of and whom it meets.
#[derive(Clone, Debug)]
pub(crate) struct Collider {
    /// Slot of its body.
    pub body: u32,
    /// Proxy in the broad phase, or `NO_PROXY`.
    pub proxy: u32,
    pub shape: Shape,
    /// By material slot; never empty.
    pub materials: List<MaterialId>,
    /// Which of the materials belong to this collider and go with it, as bits of the slot.
    pub owned: u64,
    pub user_data: u64,
    /// Colliders that are alike, one after the other, share them. They read like fields of the collider; one that is changed gets its own.
    pub traits: Arc<Traits>,
}

/// What many colliders have in common.
#[derive(Clone, Debug)]
pub(crate) struct Traits {
    /// In the body's frame.
    pub pose: Pose,
    pub density: Option<Real>,
    pub layers: Layers,
    pub sensor: bool,
    pub collides: bool,
    pub hooked: bool,
    pub contact_events: bool,
    pub impact_speed: Real,
}

impl Traits {
    /// In an arc: that of a neighbour where it is the same to the bit.
    pub fn shared(self, neighbour: Option<&Collider>) -> Arc<Self> {
        match neighbour {
            Some(other) if other.traits.is_same(&self) => Arc::clone(&other.traits),
            _ => Arc::new(self),
        }
    }

    fn is_same(&self, other: &Self) -> bool {
        let numbers = |t: &Self| {
            let Pose { translation: p, rotation: q } = t.pose;
            let density = t.density.unwrap_or(-1.0);
            [p.x, p.y, p.z, q.x, q.y, q.z, q.w, density, t.impact_speed].map(Real::to_bits)
        };
        let words = |t: &Self| (t.layers, t.sensor, t.collides, t.hooked, t.contact_events);
        numbers(self) == numbers(other) && words(self) == words(other)
    }
}

impl Deref for Collider {
    type Target = Traits;
    fn deref(&self) -> &Traits {
        &self.traits
    }
}

impl DerefMut for Collider {
    fn deref_mut(&mut self) -> &mut Traits {
        Arc::make_mut(&mut self.traits)
    }
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
