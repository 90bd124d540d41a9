//! Colliders in snapshots: what is each one's own as an array of plain records, what many share in runs.

use super::{Collider, Traits};
use crate::body::Layers;
use crate::body::store::is_rotation;
use crate::error::Result;
use crate::id::{ColliderTag, MaterialId, Slots};
use crate::math::{Pose, Quat, Real, Vec3};
use crate::record::stream::{Sink, Source, save_records, save_runs};
use crate::shape::Shape;
use bytemuck::{Pod, Zeroable};
use std::sync::Arc;

/// What of a [`Collider`] is like no other.
#[derive(Clone, Copy, Zeroable, Pod)]
#[repr(C)]
struct OwnRecord {
    user_data: u64,
    body: u32,
    proxy: u32,
}

/// What many colliders have in common: all but the shape, the materials and what is their own.
#[derive(Clone, Copy, Zeroable, Pod)]
#[repr(C)]
struct CommonRecord {
    owned: u64,
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
    save_records(out, colliders.len(), colliders.iter().map(|(_, c)| records(c).0));
    save_runs(out, colliders.iter().map(|(_, c)| records(c).1));
    let count = colliders.iter().map(|(_, c)| c.materials.len()).sum();
    save_records(out, count, colliders.iter().flat_map(|(_, c)| &c.materials).map(|m| m.to_bits()));
}

/// What [`save`] wrote, with the shapes in the order of the slots.
pub(crate) fn load(source: &mut Source<'_>, mut shapes: impl Iterator<Item = Shape>) -> Result<Colliders> {
    Slots::load_each(source, |source, count, put| {
        let owns = source.records::<OwnRecord>()?;
        if owns.len() != count {
            return Err(source.corrupt("the list of colliders"));
        }
        let mut commons = source.runs(count, is_sound)?;
        let mut materials = source.records::<u64>()?;
        let mut shared: Option<Arc<Traits>> = None;
        for own in owns {
            let first = commons.begins();
            let Some(common) = commons.next() else { break };
            let of_own = common.materials as usize;
            let (Some(shape), true) = (shapes.next(), of_own <= materials.len()) else {
                return Err(source.corrupt("the materials of a collider"));
            };
            let of_own = materials.by_ref().take(of_own).map(MaterialId::from_bits).collect();
            let traits = match &shared {
                Some(traits) if !first => Arc::clone(traits),
                _ => Arc::clone(shared.insert(Arc::new(traits(&common)))),
            };
            put(Collider {
                body: own.body,
                proxy: own.proxy,
                shape,
                materials: of_own,
                owned: common.owned,
                user_data: own.user_data,
                traits,
            });
        }
        if materials.len() == 0 && shapes.next().is_none() {
            Ok(())
        } else {
            Err(source.corrupt("the list of colliders"))
        }
    })
}

fn records(collider: &Collider) -> (OwnRecord, CommonRecord) {
    let Collider { body, proxy, shape: _, materials, owned, user_data, traits } = collider;
    let Traits {
        pose,
        density,
        layers: Layers { member, meets },
        sensor,
        collides,
        hooked,
        contact_events,
        impact_speed,
    } = &**traits;
    let flag = |on: bool, bit: u32| if on { bit } else { 0 };
    let own = OwnRecord { user_data: *user_data, body: *body, proxy: *proxy };
    let common = CommonRecord {
        owned: *owned,
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
    };
    (own, common)
}

/// It says what a collider can be.
fn is_sound(common: &CommonRecord) -> bool {
    let materials = common.materials;
    common.flags & !ALL_FLAGS == 0
        && common.spare == 0.0
        && common.translation.is_finite()
        && is_rotation(common.rotation)
        && (1..=64).contains(&materials)
        && (materials == 64 || common.owned >> materials == 0)
        && common.density >= 0.0
        && common.density < Real::INFINITY
        && common.impact_speed >= 0.0
}

fn traits(common: &CommonRecord) -> Traits {
    let has = |bit: u32| common.flags & bit != 0;
    Traits {
        pose: Pose { translation: common.translation, rotation: common.rotation },
        density: has(DENSITY).then_some(common.density),
        layers: Layers { member: common.member, meets: common.meets },
        sensor: has(SENSOR),
        collides: has(COLLIDES),
        hooked: has(HOOKED),
        contact_events: has(CONTACT_EVENTS),
        impact_speed: common.impact_speed,
    }
}
