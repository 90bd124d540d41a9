//! Colliders: shapes placed on bodies.

use super::store::{load_pose, save_pose};
use super::{Layers, Material};
use crate::error::Result;
use crate::id::MaterialId;
use crate::math::{Pose, Real};
use crate::record::stream::{Sink, Source};
use crate::shape::Shape;

/// A shape on a body, with what it is made of and whom it meets.
#[derive(Clone, Debug)]
pub(crate) struct Collider {
    /// Slot of its body.
    pub body: u32,
    pub shape: Shape,
    /// In the body's frame.
    pub pose: Pose,
    /// By material slot; never empty.
    pub materials: Vec<MaterialId>,
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

    pub fn save(&self, out: &mut dyn Sink, shapes: &mut dyn FnMut(&Shape) -> u32) {
        out.u32(self.body);
        out.u32(shapes(&self.shape));
        save_pose(&self.pose, out);
        out.u32(self.materials.len() as u32);
        for m in &self.materials {
            out.u64(m.to_bits());
        }
        out.u64(self.owned);
        out.bool(self.density.is_some());
        if let Some(d) = self.density {
            out.real(d);
        }
        out.u32(self.layers.member);
        out.u32(self.layers.meets);
        for flag in [self.sensor, self.collides, self.hooked, self.contact_events] {
            out.bool(flag);
        }
        out.real(self.impact_speed);
        out.u64(self.user_data);
        out.u32(self.proxy);
    }

    pub fn load(source: &mut Source<'_>, shapes: &[Shape]) -> Result<Self> {
        let body = source.u32()?;
        let index = source.u32()? as usize;
        let shape = shapes.get(index).cloned().ok_or_else(|| source.corrupt("a shape"))?;
        let pose = load_pose(source)?;
        let mut materials = Vec::new();
        for _ in 0..source.count(8)? {
            materials.push(MaterialId::from_bits(source.u64()?));
        }
        if materials.is_empty() {
            return Err(source.corrupt("the materials of a collider"));
        }
        Ok(Self {
            body,
            shape,
            pose,
            materials,
            owned: source.u64()?,
            density: if source.bool()? { Some(source.real()?) } else { None },
            layers: Layers { member: source.u32()?, meets: source.u32()? },
            sensor: source.bool()?,
            collides: source.bool()?,
            hooked: source.bool()?,
            contact_events: source.bool()?,
            impact_speed: source.real()?,
            user_data: source.u64()?,
            proxy: source.u32()?,
        })
    }
}
