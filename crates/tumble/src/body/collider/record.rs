//! Colliders in snapshots.

use super::Collider;
use crate::body::Layers;
use crate::body::store::is_rotation;
use crate::error::Result;
use crate::id::{ColliderTag, MaterialId, Slots};
use crate::list::List;
use crate::math::{Pose, Quat, Real, Vec3};
use crate::record::stream::{Sink, Source, save_records};
use crate::shape::Shape;
use bytemuck::{Pod, Zeroable};

/// A [`Collider`] without its shape and its materials.
#[derive(Clone, Copy, Zeroable, Pod)]
#[repr(C)]
struct ColliderRecord {
    user_data: u64,
    owned: u64,
    body: u32,
    proxy: u32,
    member: u32,
    meets: u32,
    /// How many entries of the list of all colliders' materials are its own.
    materials: u32,
    flags: u32,
    translation: Vec3,
    rotation: Quat,
    density: Real,
    impact_speed: Real,
    spare: Real,
}

const SENSOR: u32 = 1;
const COLLIDES: u32 = 2;
const HOOKED: u32 = 4;
const CONTACT_EVENTS: u32 = 8;
const DENSITY: u32 = 16;
const ALL_FLAGS: u32 = 31;

type Colliders = Slots<Collider, ColliderTag>;

/// The shapes are the caller's concern.
pub(crate) fn save(colliders: &Colliders, out: &mut impl Sink) {
    colliders.save(out);
    save_records(out, colliders.len(), colliders.iter().map(|(_, c)| record(c)));
    let count = colliders.iter().map(|(_, c)| c.materials.len()).sum();
    save_records(out, count, colliders.iter().flat_map(|(_, c)| &c.materials).map(|m| m.to_bits()));
}

/// What [`save`] wrote, with the shapes in the order of the slots.
pub(crate) fn load(source: &mut Source<'_>, mut shapes: impl Iterator<Item = Shape>) -> Result<Colliders> {
    Slots::load_each(source, |source, count, put| {
        let records = source.records::<ColliderRecord>()?;
        let mut materials = source.records::<u64>()?;
        if records.len() != count {
            return Err(source.corrupt("the list of colliders"));
        }
        for record in records {
            let own = record.materials as usize;
            let (Some(shape), true) = (shapes.next(), own <= materials.len()) else {
                return Err(source.corrupt("the materials of a collider"));
            };
            let own = materials.by_ref().take(own).map(MaterialId::from_bits).collect();
            let Some(collider) = collider(&record, own, shape) else {
                return Err(source.corrupt("a collider"));
            };
            put(collider);
        }
        if materials.len() == 0 && shapes.next().is_none() {
            Ok(())
        } else {
            Err(source.corrupt("the list of colliders"))
        }
    })
}

fn record(collider: &Collider) -> ColliderRecord {
    let Collider {
        body,
        shape: _,
        pose,
        materials,
        owned,
        density,
        layers: Layers { member, meets },
        sensor,
        collides,
        hooked,
        contact_events,
        impact_speed,
        user_data,
        proxy,
    } = collider;
    let flag = |on: bool, bit: u32| if on { bit } else { 0 };
    ColliderRecord {
        user_data: *user_data,
        owned: *owned,
        body: *body,
        proxy: *proxy,
        member: *member,
        meets: *meets,
        materials: materials.len() as u32,
        flags: flag(*sensor, SENSOR)
            | flag(*collides, COLLIDES)
            | flag(*hooked, HOOKED)
            | flag(*contact_events, CONTACT_EVENTS)
            | flag(density.is_some(), DENSITY),
        translation: pose.translation,
        rotation: pose.rotation,
        density: density.unwrap_or(0.0),
        impact_speed: *impact_speed,
        spare: 0.0,
    }
}

/// `None` where the record says what no collider can be.
fn collider(record: &ColliderRecord, materials: List<MaterialId>, shape: Shape) -> Option<Collider> {
    let has = |bit: u32| record.flags & bit != 0;
    let q = record.rotation;
    let sound = record.flags & !ALL_FLAGS == 0
        && record.spare == 0.0
        && record.translation.is_finite()
        && is_rotation(q)
        && (1..=64).contains(&materials.len())
        && (materials.len() == 64 || record.owned >> materials.len() == 0)
        && record.density >= 0.0
        && record.density < Real::INFINITY
        && record.impact_speed >= 0.0;
    sound.then(|| Collider {
        body: record.body,
        shape,
        pose: Pose { translation: record.translation, rotation: q },
        materials,
        owned: record.owned,
        density: has(DENSITY).then_some(record.density),
        layers: Layers { member: record.member, meets: record.meets },
        sensor: has(SENSOR),
        collides: has(COLLIDES),
        hooked: has(HOOKED),
        contact_events: has(CONTACT_EVENTS),
        impact_speed: record.impact_speed,
        user_data: record.user_data,
        proxy: record.proxy,
    })
}
