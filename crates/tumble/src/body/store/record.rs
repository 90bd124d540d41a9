//! Bodies in snapshots: what all of them have as arrays of plain records, or by kinds where many bodies are alike; what few have after it.

use super::{Bodies, Cold, Params};
use crate::alike::Alike;
use crate::body::desc::check_mass_source;
use crate::body::{BodyKind, Locks, MassSource};
use crate::error::Result;
use crate::id::Places;
use crate::list::List;
use crate::math::{Num, Point, Pose, Quat, Real, Vec3, WorldPose};
use crate::names::Names;
use crate::record::kinds::{load_kinds, save_kinds};
use crate::record::stream::{Sink, Source, save_pods, save_records};
use crate::shape::{MassProperties, Shape};
use bytemuck::{Pod, Zeroable};
use std::sync::Arc;

/// [`Cold`] without its mass, its name, its target and the source of its mass.
#[derive(Clone, Copy, Zeroable, Pod)]
#[repr(C)]
struct ColdRecord {
    user_data: u64,
    dense: u32,
    /// How many entries of the list of all bodies' colliders are its own.
    colliders: u32,
    kind: u8,
    locks: u8,
    flags: u8,
    mass_source: u8,
    spare: u32,
}

const ACTIVE: u8 = 1;
const ASLEEP: u8 = 2;
const DEBUG: u8 = 4;
const QUARANTINED: u8 = 8;
const AIMED: u8 = 16;
const LOOKS: u8 = 32;
const ALL_FLAGS: u8 = 63;

impl Bodies {
    /// The shapes that give bodies their masses are the caller's concern; see [`Bodies::mass_shapes`].
    pub fn save(&self, out: &mut impl Sink) {
        // There are no pushes between steps.
        let Self { cold, names, dense: _, slot, velocity, pose, params, rest, pushes: _, once, awake } = self;
        cold.save(out);
        names.save(out);
        save_records(out, cold.len(), cold.iter().map(|(_, c)| record(c)));
        let mass = |cold: &&Cold| [Arc::as_ptr(&cold.mass).addr() as u64, 0, 0];
        save_kinds(out, cold.iter().map(|(_, c)| c), mass, |c| c.mass.to_numbers());
        out.u32(cold.iter().map(|(_, c)| c.colliders.len() as u32).sum());
        for (_, c) in cold.iter() {
            out.bytes(bytemuck::cast_slice(&c.colliders));
        }
        for (_, c) in cold.iter() {
            save_rare(c, out);
        }
        out.u32(*awake);
        out.u32s(slot);
        save_pods(out, velocity);
        save_pods(out, pose);
        save_kinds(out, params.placed(), |&(place, _)| [u64::from(place), 0, 0], |(_, params)| **params);
        save_pods(out, rest);
        save_pods(out, once);
    }

    /// The shapes that masses come from, in the order of the slots.
    pub fn mass_shapes(&self) -> impl Iterator<Item = &Shape> {
        self.cold.iter().filter_map(|(_, c)| match c.source_apart()? {
            MassSource::Shape(shape, ..) => Some(shape),
            MassSource::Colliders | MassSource::Total(_) | MassSource::Explicit(_) => None,
        })
    }

    /// What [`Bodies::save`] wrote, with the shapes of [`Bodies::mass_shapes`].
    pub fn load(source: &mut Source<'_>, mut shapes: impl Iterator<Item = Shape>) -> Result<Self> {
        let places = Places::load(source)?;
        let names = Names::load(source, |slot| places.is_taken(slot))?;
        let count = places.count();
        let mut records = source.records::<ColdRecord>()?;
        let (masses, numbers) = load_kinds::<[f64; 10]>(source, count)?;
        if records.len() != count || !masses.iter().flatten().all(|v| v.is_finite()) {
            return Err(source.corrupt("the list of bodies"));
        }
        let mut masses: Vec<Shared> = masses.into_iter().map(Shared::new).collect();
        let mut numbers = numbers.into_iter();
        let mut colliders = source.records::<u32>()?;
        let cold = places.fill(|_| {
            let (Some(record), Some(number)) = (records.next(), numbers.next()) else {
                return Err(source.corrupt("the list of bodies"));
            };
            let own = take_list(&mut colliders, record.colliders as usize);
            let Some(own) = own else { return Err(source.corrupt("the colliders of a body")) };
            load_cold(&record, &mut masses[number as usize], own, source, &mut shapes)
        })?;
        if colliders.len() != 0 {
            return Err(source.corrupt("the colliders of a body"));
        }
        let count = cold.len();
        let mut bodies = Self {
            cold,
            names,
            dense: Vec::new(),
            awake: source.u32()?,
            slot: source.u32s()?,
            velocity: source.pods()?,
            pose: source.pods()?,
            params: load_params(source, count)?,
            rest: source.pods()?,
            pushes: Vec::new(),
            once: source.pods()?,
        };
        if shapes.next().is_none() && bodies.is_consistent() {
            bodies.index_slots();
            Ok(bodies)
        } else {
            Err(source.corrupt("the list of bodies"))
        }
    }

    /// Slots and dense arrays lead to each other, numbers are numbers, and nobody is awake who must not be, among the sleepers without sleeping, asleep who
    /// cannot be, or active in quarantine.
    fn is_consistent(&self) -> bool {
        let n = self.slot.len();
        let lengths = [self.cold.len(), self.velocity.len(), self.pose.len(), self.params.len(), self.rest.len()];
        let pushes = self.once.iter().all(|once| {
            let dynamic = self.cold.at(once.slot).is_some_and(|c| c.kind == BodyKind::Dynamic);
            dynamic && once.force.is_finite() && once.torque.is_finite()
        });
        lengths == [n; 5]
            && pushes
            && self.once.is_sorted_by(|a, b| a.slot < b.slot)
            && self.awake as usize <= n
            && (0..n).all(|dense| {
                let Some(cold) = self.cold.at(self.slot[dense]) else { return false };
                let params = &self.params[dense];
                let dynamic = cold.kind == BodyKind::Dynamic;
                cold.dense as usize == dense
                    && self.pose[dense].centre.is_finite()
                    && is_rotation(self.pose[dense].rotation)
                    && self.velocity[dense].is_finite()
                    && params.locks() == cold.locks
                    && params.has(Params::KINEMATIC) == (cold.kind == BodyKind::Kinematic)
                    && (params.inv_mass > 0.0) == (dynamic && cold.mass.mass > 0.0)
                    && (!dynamic || cold.mass.mass > 0.0 || params.has(Params::LINK))
                    && (dynamic || params.inv_inertia == Vec3::ZERO)
                    && (dense >= self.awake as usize || (cold.active && !cold.asleep && cold.kind != BodyKind::Fixed))
                    && (dense < self.awake as usize || !dynamic || !cold.active || cold.asleep)
                    && !(cold.active && cold.quarantined)
                    && (dynamic || !cold.asleep)
                    && !(cold.looks && (cold.kind != BodyKind::Kinematic || !cold.active))
            })
    }
}

/// The mass of bodies that are alike.
struct Shared {
    mass: Arc<MassProperties>,
    /// It was found to be one that a user may give. To find out takes the principal axes, and bodies that are alike are many.
    is_sound: bool,
    is_nothing: bool,
}

impl Shared {
    fn new(numbers: [f64; 10]) -> Self {
        let mass = MassProperties::from_numbers(numbers);
        Self { is_nothing: mass == MassProperties::ZERO, mass: Arc::new(mass), is_sound: false }
    }

    /// An error unless a user may give this mass.
    fn check(&mut self) -> Result<()> {
        if !self.is_sound {
            check_mass_source("snapshot", &MassSource::Explicit(*self.mass))?;
            self.is_sound = true;
        }
        Ok(())
    }
}

/// The parameters of so many bodies; those that are alike share one record.
fn load_params(source: &mut Source<'_>, count: usize) -> Result<Alike<Params>> {
    let (kinds, numbers) = load_kinds(source, count)?;
    if kinds.iter().all(are_usable) { Ok(Alike::of_kinds(kinds, numbers)) } else { Err(source.corrupt("a body")) }
}

/// Numbers that the setters would have let through.
fn are_usable(params: &Params) -> bool {
    let Params {
        inv_mass,
        inv_inertia,
        axes,
        local_centre,
        linear_damping,
        angular_damping,
        gravity_scale,
        max_linear_speed,
        max_angular_speed,
        force,
        torque,
        extent,
        core,
        flags: _,
        spare: _,
    } = params;
    let share = |v: Real| v >= 0.0 && v.is_finite();
    share(*inv_mass)
        && share(inv_inertia.x)
        && share(inv_inertia.y)
        && share(inv_inertia.z)
        && is_rotation(*axes)
        && local_centre.is_finite()
        && share(*linear_damping)
        && share(*angular_damping)
        && gravity_scale.is_finite()
        && *max_linear_speed > 0.0
        && *max_angular_speed > 0.0
        && force.is_finite()
        && torque.is_finite()
        && *extent >= 0.0
        && *core >= 0.0
}

/// A quaternion that descriptions would take for a rotation; see `check_rotation`.
pub(crate) fn is_rotation(q: Quat) -> bool {
    Num::abs(q.dot(q) - 1.0) < 3e-3
}

/// The next so many elements, if there are as many.
pub(crate) fn take_list<T: Copy>(elements: &mut impl ExactSizeIterator<Item = T>, count: usize) -> Option<List<T>> {
    if count == 1 {
        return elements.next().map(List::One);
    }
    (count <= elements.len()).then(|| elements.take(count).collect())
}

fn record(cold: &Cold) -> ColdRecord {
    let Cold {
        dense,
        kind,
        locks,
        active,
        asleep,
        looks,
        debug,
        quarantined,
        explicit,
        user_data,
        // Masses follow by kinds.
        mass: _,
        colliders,
        rare: _,
    } = cold;
    let flag = |on: bool, bit: u8| if on { bit } else { 0 };
    ColdRecord {
        user_data: *user_data,
        dense: *dense,
        colliders: colliders.len() as u32,
        kind: match kind {
            BodyKind::Dynamic => 0,
            BodyKind::Fixed => 1,
            BodyKind::Kinematic => 2,
        },
        locks: locks.bits(),
        flags: flag(*active, ACTIVE)
            | flag(*asleep, ASLEEP)
            | flag(*looks, LOOKS)
            | flag(*debug, DEBUG)
            | flag(*quarantined, QUARANTINED)
            | flag(cold.target().is_some(), AIMED),
        mass_source: match &*cold.mass_source() {
            MassSource::Colliders => 0,
            MassSource::Total(_) => 1,
            MassSource::Explicit(_) if *explicit => 4,
            MassSource::Explicit(_) => 2,
            MassSource::Shape(..) => 3,
        },
        spare: 0,
    }
}

/// What the record announces and does not hold.
fn save_rare(cold: &Cold, out: &mut impl Sink) {
    match &*cold.mass_source() {
        MassSource::Colliders => {}
        // It stands with the masses.
        MassSource::Explicit(_) if cold.explicit => {}
        MassSource::Total(mass) => out.real(*mass),
        MassSource::Explicit(mass) => {
            for v in mass.to_numbers() {
                out.f64(v);
            }
        }
        MassSource::Shape(_, pose, density) => {
            save_pose(pose, out);
            out.real(*density);
        }
    }
    if let Some(target) = cold.target() {
        for v in target.translation.to_array() {
            out.f64(v);
        }
        save_quat(target.rotation, out);
    }
}

fn load_cold(
    record: &ColdRecord,
    shared: &mut Shared,
    colliders: List<u32>,
    source: &mut Source<'_>,
    shapes: &mut impl Iterator<Item = Shape>,
) -> Result<Cold> {
    let has = |bit: u8| record.flags & bit != 0;
    if record.flags & !ALL_FLAGS != 0 || record.spare != 0 || Locks::from_bits(record.locks).bits() != record.locks {
        return Err(source.corrupt("the flags of a body"));
    }
    // `None` is the mass itself.
    let mass_source = match record.mass_source {
        0 => Some(MassSource::Colliders),
        1 => Some(MassSource::Total(source.real()?)),
        2 => {
            let mut v = [0.0; 10];
            for x in &mut v {
                *x = source.f64()?;
            }
            Some(MassSource::Explicit(MassProperties::from_numbers(v)))
        }
        3 => {
            let Some(shape) = shapes.next() else { return Err(source.corrupt("the mass of a body")) };
            Some(MassSource::Shape(shape, load_pose(source)?, source.real()?))
        }
        4 => None,
        _ => return Err(source.corrupt("the mass of a body")),
    };
    // Links may have no mass; whether it is one is checked where the rest is known.
    let nothing = |given: &MassSource| *given == MassSource::Explicit(MassProperties::ZERO);
    let massless = shared.is_nothing && mass_source.as_ref().is_none_or(nothing);
    match &mass_source {
        _ if massless => {}
        Some(given) => check_mass_source("snapshot", given)?,
        None => shared.check()?,
    }
    let mass = Arc::clone(&shared.mass);
    if !(mass.mass > 0.0 || massless) {
        return Err(source.corrupt("the mass of a body"));
    }
    let target = if has(AIMED) {
        let translation = Point::new(source.f64()?, source.f64()?, source.f64()?);
        let target = WorldPose { translation, rotation: load_quat(source)? };
        if !translation.is_finite() || record.kind != 2 {
            return Err(source.corrupt("the target of a body"));
        }
        Some(target)
    } else {
        None
    };
    let mut cold = Cold {
        dense: record.dense,
        kind: match record.kind {
            0 => BodyKind::Dynamic,
            1 => BodyKind::Fixed,
            2 => BodyKind::Kinematic,
            _ => return Err(source.corrupt("the kind of a body")),
        },
        locks: Locks::from_bits(record.locks),
        active: has(ACTIVE),
        asleep: has(ASLEEP),
        looks: has(LOOKS),
        debug: has(DEBUG),
        quarantined: has(QUARANTINED),
        explicit: mass_source.is_none(),
        user_data: record.user_data,
        mass,
        colliders,
        rare: None,
    };
    if target.is_some() {
        cold.set_target(target);
    }
    if let Some(given) = mass_source.filter(|given| *given != MassSource::Colliders) {
        cold.set_mass_source(given);
    }
    Ok(cold)
}

fn save_quat(q: Quat, out: &mut impl Sink) {
    out.vec3(q.vector());
    out.real(q.w);
}

fn load_quat(source: &mut Source<'_>) -> Result<Quat> {
    let rotation = Quat::from_parts(source.vec3()?, source.real()?);
    if is_rotation(rotation) { Ok(rotation) } else { Err(source.corrupt("a rotation")) }
}

/// A pose of something on a body or in a compound.
pub(crate) fn save_pose(pose: &Pose, out: &mut impl Sink) {
    out.vec3(pose.translation);
    save_quat(pose.rotation, out);
}

/// What [`save_pose`] wrote; an error where it is no pose.
pub(crate) fn load_pose(source: &mut Source<'_>) -> Result<Pose> {
    let pose = Pose { translation: source.vec3()?, rotation: load_quat(source)? };
    if pose.translation.is_finite() { Ok(pose) } else { Err(source.corrupt("a pose")) }
}

#[cfg(test)]
mod tests {
    use crate::shape::Shape;
    use crate::{BodyDesc, World};
    use std::sync::Arc;

    /// Bodies of a few kinds that were made by turns share the masses and colliders' traits of their kinds when they are restored, however they did before;
    /// and are saved as they were.
    #[test]
    fn kinds_by_turns_share() {
        const KINDS: usize = 5;
        let mut world = World::new();
        let mut ids = Vec::new();
        for i in 0..10 * KINDS {
            let half = 0.1 * (1 + i % KINDS) as crate::math::Real;
            let body = BodyDesc { angular_damping: half, ..BodyDesc::dynamic().position([3.0 * i as f64, 0.0, 0.0]) };
            let body = if i % 3 == 0 { body.name(format!("body {i}")) } else { body };
            ids.push(world.add_body(body.collider(Shape::cuboid(half, half, half).unwrap())).unwrap());
        }
        let saved = world.snapshot().unwrap();
        let restored = World::from_snapshot(&saved).unwrap();
        assert!(restored.snapshot().unwrap() == saved);
        let mass = |i: usize| &restored.state.bodies.cold.get(ids[i]).unwrap().mass;
        for i in 0..ids.len() {
            assert_eq!(mass(i), &world.state.bodies.cold.get(ids[i]).unwrap().mass);
            assert!(Arc::ptr_eq(mass(i), mass(i % KINDS)));
            assert!(!Arc::ptr_eq(mass(i), mass((i + 1) % KINDS)), "{i}");
            let name = (i % 3 == 0).then(|| format!("body {i}"));
            assert_eq!(restored.body(ids[i]).unwrap().name(), name.as_deref());
        }
    }
}
