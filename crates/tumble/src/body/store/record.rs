//! Bodies in snapshots: what all of them have as arrays of plain records, or as runs where many bodies are alike; what few have after it.

use super::{Bodies, Cold, Params};
use crate::alike::Alike;
use crate::body::desc::check_mass_source;
use crate::body::{BodyKind, Locks, MassSource};
use crate::error::Result;
use crate::id::Slots;
use crate::list::List;
use crate::math::{Num, Point, Pose, Quat, Real, Vec3, WorldPose};
use crate::record::stream::{Sink, Source, save_pods, save_records, save_runs};
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
const NAMED: u8 = 16;
const AIMED: u8 = 32;
const LOOKS: u8 = 64;
const ALL_FLAGS: u8 = 127;

impl Bodies {
    /// The shapes that give bodies their masses are the caller's concern; see [`Bodies::mass_shapes`].
    pub fn save(&self, out: &mut impl Sink) {
        // There are no pushes between steps.
        let Self { cold, dense: _, slot, velocity, pose, params, rest, pushes: _, once, awake } = self;
        cold.save(out);
        save_records(out, cold.len(), cold.iter().map(|(_, c)| record(c)));
        save_runs(out, cold.iter().map(|(_, c)| c.mass.to_numbers()));
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
        save_runs(out, params.iter().copied());
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
        let cold = Slots::load_each(source, |source, count, put| {
            let records = source.records::<ColdRecord>()?;
            if records.len() != count {
                return Err(source.corrupt("the list of bodies"));
            }
            let mut masses = source.runs(count, |mass: &[f64; 10]| mass.iter().all(|v| v.is_finite()))?;
            let mut colliders = source.records::<u32>()?;
            let mut known = Masses::default();
            for record in records {
                let first = masses.begins();
                let Some(mass) = masses.next() else { break };
                let shared = if first { known.find(mass) } else { known.last() };
                let own = record.colliders as usize;
                if own > colliders.len() {
                    return Err(source.corrupt("the colliders of a body"));
                }
                let own = colliders.by_ref().take(own).collect();
                put(load_cold(&record, shared, own, source, &mut shapes)?);
            }
            if colliders.len() == 0 { Ok(()) } else { Err(source.corrupt("the colliders of a body")) }
        })?;
        let count = cold.len();
        let mut bodies = Self {
            cold,
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

/// The last masses that were new: bodies of a few kinds that were made by turns share those of their kinds.
#[derive(Default)]
struct Masses {
    known: Vec<([f64; 10], Shared)>,
    /// The one that was found last, and where the next new one goes: in place of the oldest, if there are enough.
    last: usize,
    next: usize,
}

/// How many masses are looked at for one that is the same.
const RECENT: usize = 16;

impl Masses {
    /// The mass with these numbers.
    fn find(&mut self, numbers: [f64; 10]) -> &mut Shared {
        let same = |known: &[f64; 10]| known.map(f64::to_bits) == numbers.map(f64::to_bits);
        self.last = match self.known.iter().position(|(known, _)| same(known)) {
            Some(place) => place,
            None => {
                let (place, new) = (self.next, (numbers, Shared::new(MassProperties::from_numbers(numbers))));
                self.next = (place + 1) % RECENT;
                match self.known.get_mut(place) {
                    Some(old) => *old = new,
                    None => self.known.push(new),
                }
                place
            }
        };
        self.last()
    }

    /// The mass that was found last, which there must be.
    fn last(&mut self) -> &mut Shared {
        &mut self.known[self.last].1
    }
}

/// The mass of bodies that are alike.
struct Shared {
    mass: Arc<MassProperties>,
    /// It was found to be one that a user may give. To find out takes the principal axes, and bodies that are alike are many.
    is_sound: bool,
}

impl Shared {
    fn new(mass: MassProperties) -> Self {
        Self { mass: Arc::new(mass), is_sound: false }
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

/// The parameters of so many bodies; those of a run share one record.
fn load_params(source: &mut Source<'_>, count: usize) -> Result<Alike<Params>> {
    let mut params = Alike::new();
    params.reserve(count);
    let mut runs = source.runs(count, are_usable)?;
    while let Some((value, run)) = runs.next_run() {
        params.push_run(value, run);
    }
    Ok(params)
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
        // Masses follow in runs.
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
            | flag(cold.name().is_some(), NAMED)
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
    if let Some(name) = cold.name() {
        out.str(name);
    }
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
    let name = if has(NAMED) { Some(Box::from(source.str()?)) } else { None };
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
    let nothing = MassSource::Explicit(MassProperties::ZERO);
    let massless = *shared.mass == MassProperties::ZERO && mass_source.as_ref().is_none_or(|given| *given == nothing);
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
    cold.set_name(name);
    cold.set_target(target);
    if let Some(given) = mass_source {
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
    use super::{Masses, RECENT};
    use crate::shape::MassProperties;
    use std::sync::Arc;

    /// Whatever the order in which kinds come, and however many there are, each gets its own numbers; those that come again soon share them.
    #[test]
    fn masses_are_those_of_their_kinds() {
        let numbers = |kind: usize| core::array::from_fn(|k| (10 * kind + k) as f64);
        for kinds in [1, 2, RECENT - 1, RECENT, RECENT + 1, 3 * RECENT] {
            let mut masses = Masses::default();
            let rounds = [0, 1, 2].map(|_| {
                let mut found = Vec::new();
                for kind in 0..kinds {
                    let mass = Arc::clone(&masses.find(numbers(kind)).mass);
                    assert_eq!(*mass, MassProperties::from_numbers(numbers(kind)));
                    assert!(Arc::ptr_eq(&mass, &masses.last().mass));
                    found.push(mass);
                }
                found
            });
            let shared = rounds[1].iter().zip(&rounds[2]).filter(|(a, b)| Arc::ptr_eq(a, b)).count();
            assert_eq!(shared, if kinds <= RECENT { kinds } else { 0 }, "{kinds} kinds");
        }
        // Zeros of unlike signs are unlike, as they are in runs.
        let mut masses = Masses::default();
        let plus = Arc::clone(&masses.find([0.0; 10]).mass);
        assert!(!Arc::ptr_eq(&plus, &masses.find([-0.0; 10]).mass));
    }
}
