//! Colliders in snapshots: what is each one's own as an array of plain records, what many share by kinds.

use super::{Collider, Traits};
use crate::body::Layers;
use crate::body::store::{is_rotation, take_list};
use crate::error::Result;
use crate::id::{ColliderTag, MaterialId, Places, Slots};
use crate::math::{Pose, Quat, Real, Vec3};
use crate::record::kinds::{load_kinds, save_kinds};
use crate::record::stream::{Sink, Source, save_records};
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
    let all = || colliders.iter().map(|(_, c)| c);
    save_records(out, colliders.len(), all().map(own_record));
    let key = |c: &&Collider| [Arc::as_ptr(&c.traits).addr() as u64, c.owned, c.materials.len() as u64];
    save_kinds(out, all(), key, |c| common_record(c));
    let count = colliders.iter().map(|(_, c)| c.materials.len()).sum();
    save_records(out, count, colliders.iter().flat_map(|(_, c)| &c.materials).map(|m| m.to_bits()));
}

/// What [`save`] wrote, with the shapes in the order of the slots: these, by number. Each collider, with its slot and the number of its shape, is
/// shown to `see` while it is at hand; that says whether it fits the rest.
pub(crate) fn load(
    source: &mut Source<'_>,
    shapes: &[Shape],
    numbers: &[u32],
    mut see: impl FnMut(u32, &Collider, u32) -> bool,
) -> Result<Colliders> {
    let places = Places::load(source)?;
    let count = places.count();
    let owns = source.records::<OwnRecord>()?;
    let (kinds, of_kinds) = load_kinds::<CommonRecord>(source, count)?;
    if [owns.len(), numbers.len()] != [count; 2] || !kinds.iter().all(is_sound) {
        return Err(source.corrupt("the list of colliders"));
    }
    let mut materials = source.records::<u64>()?.map(MaterialId::from_bits);
    let listed: usize = of_kinds.iter().map(|&kind| kinds[kind as usize].materials as usize).sum();
    if listed != materials.len() {
        return Err(source.corrupt("the materials of a collider"));
    }
    let kinds: Vec<(CommonRecord, Arc<Traits>)> =
        kinds.into_iter().map(|kind| (kind, Arc::new(traits(&kind)))).collect();
    let mut each = owns.zip(of_kinds).zip(numbers);
    places.fill(|slot| {
        let Some(((OwnRecord { user_data, body, proxy }, kind), &shape)) = each.next() else {
            return Err(source.corrupt("the list of colliders"));
        };
        let (CommonRecord { owned, materials: count, .. }, traits) = &kinds[kind as usize];
        let collider = Collider {
            body,
            proxy,
            shape: shapes[shape as usize].clone(),
            materials: take_list(&mut materials, *count as usize).unwrap_or_default(),
            owned: *owned,
            user_data,
            traits: Arc::clone(traits),
        };
        if see(slot, &collider, shape) { Ok(collider) } else { Err(source.corrupt("a collider")) }
    })
}

fn own_record(collider: &Collider) -> OwnRecord {
    let &Collider { body, proxy, shape: _, materials: _, owned: _, user_data, traits: _ } = collider;
    OwnRecord { user_data, body, proxy }
}

fn common_record(collider: &Collider) -> CommonRecord {
    let Collider { body: _, proxy: _, shape: _, materials, owned, user_data: _, traits } = collider;
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
    CommonRecord {
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
    }
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
