//! Joints in snapshots.
//!
//! Every kind is taken apart by name, so that a field that is added does not compile until it is saved here. Joints of one kind, with the same
//! limits and motors, name it by its number; the rest of a joint is a plain record.

use super::store::{Joint, Joints};
use super::{
    Ball, ConeTwist, Cylindrical, Distance, Drag, Fixed, Freedom, Gear, Glue, Hinge, JointKind, Orientation, Parallel,
    Path, Planar, Pulley, Rack, Screw, SixAxis, Slider, Universal, Wheel,
};
use crate::body::Softness;
use crate::body::store::is_rotation;
use crate::constraint::{Axis, Constraint, Drive, Limit, Motor, Rows, Signal, Stiffness};
use crate::error::{Error, Result};
use crate::id::{JointTag, Places, Slots};
use crate::lists::Lists;
use crate::math::{Point, Quat, Real, Vec3, WorldPose};
use crate::names::Names;
use crate::record::kinds::{Kinds, load_numbers};
use crate::record::stream::{Leading, Sink, Source, save_leading, write_records};
use bytemuck::{Pod, Zeroable};
use core::mem::offset_of;
use core::slice::ChunksExact;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Constraints of the user's by name, which make those in a snapshot again.
#[derive(Clone, Debug, Default)]
pub(crate) struct Registry(pub BTreeMap<String, Arc<dyn Constraint>>);

/// What every joint has of its own, but for the impulses and the memory, of which most have little.
#[derive(Clone, Copy, Zeroable, Pod)]
#[repr(C)]
struct JointRecord {
    frames: [PoseRecord; 2],
    rest: [PoseRecord; 2],
    user_data: u64,
    bodies: [u32; 2],
    colour: u32,
    colour_index: u32,
    break_force: Real,
    break_torque: Real,
    force: Vec3,
    torque: Vec3,
    /// Two numbers, which mean what the kind of stiffness makes of them.
    stiffness: [Real; 2],
    stiffness_kind: u32,
    flags: u32,
}

const COLLIDES: u32 = 1;
const ACTIVE: u32 = 2;
const BROKEN: u32 = 4;
const DEBUG: u32 = 8;
const ALL_FLAGS: u32 = 15;

/// A [`WorldPose`] as plain data.
#[derive(Clone, Copy, Zeroable, Pod)]
#[repr(C)]
struct PoseRecord {
    translation: [f64; 3],
    rotation: [Real; 4],
}

impl From<WorldPose> for PoseRecord {
    fn from(pose: WorldPose) -> Self {
        Self { translation: pose.translation.to_array(), rotation: pose.rotation.into() }
    }
}

impl PoseRecord {
    #[inline(always)]
    fn pose(self) -> WorldPose {
        let [x, y, z] = self.translation;
        WorldPose { translation: Point::new(x, y, z), rotation: self.rotation.into() }
    }

    #[inline(always)]
    fn is_sound(&self) -> bool {
        self.translation.iter().fold(true, |sound, v| sound & v.is_finite()) & is_rotation(self.rotation.into())
    }
}

impl Joints {
    pub fn save(&self, out: &mut impl Sink) {
        self.all.save(out);
        self.names.save(out);
        let mut kinds = Kinds::new();
        let key = |joint: &Joint| [Arc::as_ptr(&joint.kind).addr() as u64, 0, 0];
        let number = |joint: &Joint| kinds.number(key(joint), |bytes| save_kind(&joint.kind, bytes));
        let numbers: Vec<u32> = self.all.iter_for(offset_of!(Joint, kind)).map(number).collect();
        out.u32(kinds.len() as u32);
        out.bytes(kinds.bytes());
        out.u32s(&numbers);
        for part in self.all.parts() {
            write_records(out, part.clone().map(record));
            save_leading(out, part.clone().map(|joint| &joint.impulses));
            save_leading(out, part.map(|joint| &joint.memory));
        }
    }
}

/// Joints as they were read.
pub(crate) struct LoadedJoints {
    all: Slots<Joint, JointTag>,
    names: Names,
    /// What the rest must agree with.
    ties: Vec<Tie>,
}

impl LoadedJoints {
    /// What [`Joints::save`] wrote. Whether the bodies exist is for the caller to find out.
    pub fn load(source: &mut Source<'_>, registry: &Registry) -> Result<Self> {
        let places = Places::load(source)?;
        let names = Names::load(source, |slot| places.is_taken(slot))?;
        let count = places.count();
        let known = source.count(1)?;
        // A kind takes less room here than in memory: there are no more of them than joints, which take theirs.
        if known > count || !source.holds(count, size_of::<JointRecord>()) {
            return Err(source.corrupt("the list of joints"));
        }
        let kinds: Vec<Arc<JointKind>> = (0..known)
            .map(|_| {
                let kind = load_kind(source, registry)?;
                kind.validate("snapshot")?;
                Ok(Arc::new(kind))
            })
            .collect::<Result<_>>()?;
        let numbers = load_numbers(source, count, kinds.len())?;
        let mut ties: Vec<Tie> = Vec::with_capacity(count);
        let check = |slots: &[u32]| {
            let part = JointPart::load(source, slots.len())?;
            let finite = part.impulses.elements().fold(true, |finite, v| finite & v.is_finite())
                && part.memories.elements().fold(true, |finite, v| finite & v.is_finite());
            for (&slot, record) in slots.iter().zip(part.records.clone()) {
                let record: JointRecord = bytemuck::pod_read_unaligned(record);
                let tie = record.tie(slot);
                if !(finite && record.is_sound()) {
                    return Err(source.corrupt("a joint"));
                }
                ties.push(tie);
            }
            let numbers = numbers[ties.len() - slots.len()..ties.len()].iter();
            let kinds: Vec<Arc<JointKind>> = numbers.map(|&number| Arc::clone(&kinds[number as usize])).collect();
            Ok((part, kinds.into_iter()))
        };
        let all = places.fill_parts(check, |(part, kinds), place| {
            let (Some(record), Some(kind)) = (part.records.next(), kinds.next()) else { return };
            let joint = place.insert(bytemuck::pod_read_unaligned::<JointRecord>(record).joint(kind));
            part.impulses.next(&mut joint.impulses);
            part.memories.next(&mut joint.memory);
        })?;
        Ok(Self { all, names, ties })
    }

    /// The joints, and what the rest must agree with; `None` where a body has no slot below `bodies`.
    pub fn join(self, bodies: usize) -> Option<(Joints, Vec<Tie>)> {
        let Self { all, names, ties } = self;
        if ties.iter().flat_map(|tie| tie.bodies).any(|slot| slot as usize >= bodies) {
            return None;
        }
        let of_body = Lists::of_pairs(ties.iter().map(|tie| (tie.slot, tie.bodies)));
        Some((Joints::listed(all, names, of_body), ties))
    }
}

/// Some joints as they were saved: of each its record, its impulses and its memory.
struct JointPart<'a> {
    records: ChunksExact<'a, u8>,
    impulses: Leading<'a, Real, { Rows::MAX }>,
    memories: Leading<'a, f64, 4>,
}

impl<'a> JointPart<'a> {
    fn load(source: &mut Source<'a>, count: usize) -> Result<Self> {
        Ok(Self {
            records: source.bytes(count * size_of::<JointRecord>())?.chunks_exact(size_of::<JointRecord>()),
            impulses: Leading::load(source, count)?,
            memories: Leading::load(source, count)?,
        })
    }
}

/// What the rest of a world must agree with in a joint: little enough to stay in the cache.
#[derive(Clone, Copy)]
pub(crate) struct Tie {
    pub slot: u32,
    pub bodies: [u32; 2],
    pub colour: u32,
    pub colour_index: u32,
    pub active: bool,
}

impl JointRecord {
    /// `None` where the kind of stiffness is none that there is.
    #[inline(always)]
    fn stiffness(&self) -> Option<Stiffness> {
        let [x, y] = self.stiffness;
        stiffness_of(self.stiffness_kind, x, y)
    }

    #[inline(always)]
    fn tie(&self, slot: u32) -> Tie {
        Tie {
            slot,
            bodies: self.bodies,
            colour: self.colour,
            colour_index: self.colour_index,
            active: self.flags & ACTIVE != 0,
        }
    }

    /// Numbers are numbers, and the flags go together.
    #[inline(always)]
    fn is_sound(&self) -> bool {
        let has = |bit: u32| self.flags & bit != 0;
        let poses = |poses: &[PoseRecord; 2]| poses[0].is_sound() & poses[1].is_sound();
        poses(&self.frames)
            & poses(&self.rest)
            & (self.break_force >= 0.0)
            & (self.break_torque >= 0.0)
            & (self.flags & !ALL_FLAGS == 0)
            & !(has(BROKEN) & has(ACTIVE))
            && self.stiffness().is_some_and(|s| s == Stiffness::Method || s.validate("snapshot").is_ok())
    }

    /// The joint of a sound record, without its impulses and memory.
    #[inline(always)]
    fn joint(&self, kind: Arc<JointKind>) -> Joint {
        let has = |bit: u32| self.flags & bit != 0;
        Joint {
            kind,
            bodies: self.bodies,
            frames: self.frames.map(PoseRecord::pose),
            rest: self.rest.map(PoseRecord::pose),
            stiffness: self.stiffness().unwrap_or_default(),
            break_force: self.break_force,
            break_torque: self.break_torque,
            collide: has(COLLIDES),
            active: has(ACTIVE),
            broken: has(BROKEN),
            debug: has(DEBUG),
            user_data: self.user_data,
            impulses: [0.0; Rows::MAX],
            memory: [0.0; 4],
            force: self.force,
            torque: self.torque,
            colour: self.colour,
            colour_index: self.colour_index,
            bodies_before: 0,
        }
    }
}

fn record(joint: &Joint) -> JointRecord {
    let Joint {
        // By number.
        kind: _,
        bodies,
        frames,
        rest,
        stiffness,
        break_force,
        break_torque,
        collide,
        active,
        broken,
        debug,
        user_data,
        // They follow.
        impulses: _,
        memory: _,
        force,
        torque,
        colour,
        colour_index,
        bodies_before: _,
    } = joint;
    let flag = |on: bool, bit: u32| if on { bit } else { 0 };
    let (stiffness_kind, x, y) = stiffness_numbers(stiffness);
    JointRecord {
        frames: frames.map(PoseRecord::from),
        rest: rest.map(PoseRecord::from),
        user_data: *user_data,
        bodies: *bodies,
        colour: *colour,
        colour_index: *colour_index,
        break_force: *break_force,
        break_torque: *break_torque,
        force: *force,
        torque: *torque,
        stiffness: [x, y],
        stiffness_kind: u32::from(stiffness_kind),
        flags: flag(*collide, COLLIDES) | flag(*active, ACTIVE) | flag(*broken, BROKEN) | flag(*debug, DEBUG),
    }
}

/// Two kinds that no step can tell apart, to the last bit; constraints of the user's are the same where they are the same object.
pub(super) fn is_same(a: &JointKind, b: &JointKind) -> bool {
    let bytes = |kind: &JointKind| {
        let mut bytes = Vec::new();
        save_kind(kind, &mut bytes);
        bytes
    };
    match (a, b) {
        (JointKind::Custom(a), JointKind::Custom(b)) => Arc::ptr_eq(a, b),
        (JointKind::Custom(_), _) | (_, JointKind::Custom(_)) => false,
        _ => bytes(a) == bytes(b),
    }
}

fn save_kind(kind: &JointKind, out: &mut Vec<u8>) {
    match kind {
        JointKind::Ball(Ball { motor }) => {
            out.u8(0);
            save_orientation(motor, out);
        }
        JointKind::Hinge(Hinge { turn }) => {
            out.u8(1);
            save_axis(turn, out);
        }
        JointKind::Slider(Slider { slide }) => {
            out.u8(2);
            save_axis(slide, out);
        }
        JointKind::Fixed(Fixed) => out.u8(3),
        JointKind::Distance(Distance { length, stretch }) => {
            out.u8(4);
            out.bool(length.is_some());
            out.real(length.unwrap_or(0.0));
            save_axis(stretch, out);
        }
        JointKind::Universal(Universal { bend }) => {
            out.u8(5);
            bend.iter().for_each(|axis| save_axis(axis, out));
        }
        JointKind::ConeTwist(ConeTwist { cone, cone_stiffness, cone_restitution, twist, motor }) => {
            out.u8(6);
            out.real(*cone);
            save_stiffness(cone_stiffness, out);
            out.real(*cone_restitution);
            save_limit(twist, out);
            save_orientation(motor, out);
        }
        JointKind::Cylindrical(Cylindrical { slide, turn }) => {
            out.u8(7);
            save_axis(slide, out);
            save_axis(turn, out);
        }
        JointKind::Planar(Planar { slide, turn }) => {
            out.u8(8);
            slide.iter().chain([turn]).for_each(|axis| save_axis(axis, out));
        }
        JointKind::Parallel(Parallel) => out.u8(9),
        JointKind::SixAxis(SixAxis { slide, turn }) => {
            out.u8(10);
            slide.iter().chain(turn).for_each(|freedom| match freedom {
                Freedom::Locked => out.bool(true),
                Freedom::Free(axis) => {
                    out.bool(false);
                    save_axis(axis, out);
                }
            });
        }
        JointKind::Gear(Gear { ratio }) => {
            out.u8(11);
            out.real(*ratio);
        }
        JointKind::Rack(Rack { travel }) => {
            out.u8(12);
            out.real(*travel);
        }
        JointKind::Screw(Screw { pitch, turn }) => {
            out.u8(13);
            out.real(*pitch);
            save_axis(turn, out);
        }
        JointKind::Pulley(Pulley { wheels, length, ratio, slack }) => {
            out.u8(14);
            wheels.iter().for_each(|w| save_point(*w, out));
            out.real(*length);
            out.real(*ratio);
            out.bool(*slack);
        }
        JointKind::Wheel(Wheel { suspension, spin, steer }) => {
            out.u8(15);
            save_axis(suspension, out);
            save_motor(spin, out);
            save_signal(steer, out);
        }
        JointKind::Path(Path { points, closed, follow, motor }) => {
            out.u8(16);
            out.u32(points.len() as u32);
            points.iter().for_each(|p| out.vec3(*p));
            out.bool(*closed);
            out.bool(*follow);
            save_motor(motor, out);
        }
        JointKind::Drag(Drag { stiffness, max_force }) => {
            out.u8(17);
            save_stiffness(stiffness, out);
            out.real(*max_force);
        }
        JointKind::Glue(Glue { points }) => {
            out.u8(18);
            points.iter().for_each(|p| out.vec3(*p));
        }
        JointKind::Custom(constraint) => {
            out.u8(19);
            out.str(constraint.name());
            let bytes = constraint.save();
            out.u32(bytes.len() as u32);
            out.bytes(&bytes);
        }
    }
}

fn load_kind(source: &mut Source<'_>, registry: &Registry) -> Result<JointKind> {
    Ok(match source.u8()? {
        0 => Ball { motor: load_orientation(source)? }.into(),
        1 => Hinge { turn: load_axis(source)? }.into(),
        2 => Slider { slide: load_axis(source)? }.into(),
        3 => Fixed.into(),
        4 => {
            let (given, length) = (source.bool()?, source.real()?);
            Distance { length: given.then_some(length), stretch: load_axis(source)? }.into()
        }
        5 => Universal { bend: [load_axis(source)?, load_axis(source)?] }.into(),
        6 => ConeTwist {
            cone: source.real()?,
            cone_stiffness: load_stiffness(source)?,
            cone_restitution: source.real()?,
            twist: load_limit(source)?,
            motor: load_orientation(source)?,
        }
        .into(),
        7 => Cylindrical { slide: load_axis(source)?, turn: load_axis(source)? }.into(),
        8 => Planar { slide: [load_axis(source)?, load_axis(source)?], turn: load_axis(source)? }.into(),
        9 => Parallel.into(),
        10 => {
            let mut motions = SixAxis::default();
            for freedom in motions.slide.iter_mut().chain(&mut motions.turn) {
                if !source.bool()? {
                    *freedom = Freedom::Free(load_axis(source)?);
                }
            }
            motions.into()
        }
        11 => Gear { ratio: source.real()? }.into(),
        12 => Rack { travel: source.real()? }.into(),
        13 => Screw { pitch: source.real()?, turn: load_axis(source)? }.into(),
        14 => Pulley {
            wheels: [load_point(source)?, load_point(source)?],
            length: source.real()?,
            ratio: source.real()?,
            slack: source.bool()?,
        }
        .into(),
        15 => Wheel { suspension: load_axis(source)?, spin: load_motor(source)?, steer: load_signal(source)? }.into(),
        16 => {
            let count = source.count(3 * size_of::<Real>())?;
            let points: Vec<Vec3> = (0..count).map(|_| source.vec3()).collect::<Result<_>>()?;
            let (closed, follow) = (source.bool()?, source.bool()?);
            Path { points: points.into(), closed, follow, motor: load_motor(source)? }.into()
        }
        17 => Drag { stiffness: load_stiffness(source)?, max_force: source.real()? }.into(),
        18 => Glue { points: [source.vec3()?, source.vec3()?, source.vec3()?] }.into(),
        19 => {
            let name = source.str()?;
            let count = source.count(1)?;
            let bytes = source.bytes(count)?;
            let made = registry.0.get(name).map(|prototype| prototype.load(bytes));
            match made {
                Some(Some(constraint)) => JointKind::Custom(constraint),
                Some(None) => return Err(source.corrupt("a constraint of the user's")),
                None => {
                    return Err(Error::refused(
                        "snapshot",
                        format!(
                            "its world has constraints {name:?}; register them with World::register_constraint first"
                        ),
                    ));
                }
            }
        }
        _ => return Err(source.corrupt("the kind of a joint")),
    })
}

fn save_axis(axis: &Axis, out: &mut Vec<u8>) {
    let Axis { limit, motor } = axis;
    save_limit(limit, out);
    save_motor(motor, out);
}

fn load_axis(source: &mut Source<'_>) -> Result<Axis> {
    Ok(Axis { limit: load_limit(source)?, motor: load_motor(source)? })
}

fn save_limit(limit: &Option<Limit>, out: &mut Vec<u8>) {
    out.bool(limit.is_some());
    if let Some(Limit { low, high, restitution, stiffness }) = limit {
        out.real(*low);
        out.real(*high);
        out.real(*restitution);
        save_stiffness(stiffness, out);
    }
}

fn load_limit(source: &mut Source<'_>) -> Result<Option<Limit>> {
    if !source.bool()? {
        return Ok(None);
    }
    Ok(Some(Limit {
        low: source.real()?,
        high: source.real()?,
        restitution: source.real()?,
        stiffness: load_stiffness(source)?,
    }))
}

fn save_motor(motor: &Option<Motor>, out: &mut Vec<u8>) {
    out.bool(motor.is_some());
    if let Some(Motor { drive, max_force }) = motor {
        match drive {
            Drive::Velocity(signal) => {
                out.u8(0);
                save_signal(signal, out);
            }
            Drive::Position(signal, stiffness) => {
                out.u8(1);
                save_signal(signal, out);
                save_stiffness(stiffness, out);
            }
        }
        out.real(*max_force);
    }
}

fn load_motor(source: &mut Source<'_>) -> Result<Option<Motor>> {
    if !source.bool()? {
        return Ok(None);
    }
    let drive = match source.u8()? {
        0 => Drive::Velocity(load_signal(source)?),
        1 => Drive::Position(load_signal(source)?, load_stiffness(source)?),
        _ => return Err(source.corrupt("a motor")),
    };
    Ok(Some(Motor { drive, max_force: source.real()? }))
}

fn save_orientation(motor: &Option<Orientation>, out: &mut Vec<u8>) {
    out.bool(motor.is_some());
    if let Some(Orientation { target, stiffness, max_torque, about, angle }) = motor {
        out.bool(target.is_some());
        save_quat(target.unwrap_or(Quat::IDENTITY), out);
        save_stiffness(stiffness, out);
        out.real(*max_torque);
        out.vec3(*about);
        save_signal(angle, out);
    }
}

fn load_orientation(source: &mut Source<'_>) -> Result<Option<Orientation>> {
    if !source.bool()? {
        return Ok(None);
    }
    let (given, target) = (source.bool()?, load_quat(source)?);
    Ok(Some(Orientation {
        target: given.then_some(target),
        stiffness: load_stiffness(source)?,
        max_torque: source.real()?,
        about: source.vec3()?,
        angle: load_signal(source)?,
    }))
}

fn stiffness_numbers(stiffness: &Stiffness) -> (u8, Real, Real) {
    match *stiffness {
        Stiffness::Method => (0, 0.0, 0.0),
        Stiffness::Tuned(Softness { hertz, damping_ratio }) => (1, hertz, damping_ratio),
        Stiffness::Spring { stiffness, damping } => (2, stiffness, damping),
    }
}

fn stiffness_of(kind: u32, x: Real, y: Real) -> Option<Stiffness> {
    Some(match kind {
        0 => Stiffness::Method,
        1 => Stiffness::tuned(x, y),
        2 => Stiffness::spring(x, y),
        _ => return None,
    })
}

fn save_stiffness(stiffness: &Stiffness, out: &mut Vec<u8>) {
    let (kind, x, y) = stiffness_numbers(stiffness);
    out.u8(kind);
    out.real(x);
    out.real(y);
}

fn load_stiffness(source: &mut Source<'_>) -> Result<Stiffness> {
    let (kind, x, y) = (source.u8()?, source.real()?, source.real()?);
    stiffness_of(u32::from(kind), x, y).ok_or_else(|| source.corrupt("a stiffness"))
}

fn save_signal(signal: &Signal, out: &mut Vec<u8>) {
    match signal {
        Signal::Constant(value) => {
            out.u8(0);
            out.real(*value);
        }
        Signal::Ramp { from, to, start, duration } => {
            out.u8(1);
            out.real(*from);
            out.real(*to);
            out.f64(*start);
            out.f64(*duration);
        }
        Signal::Sine { mean, amplitude, hertz, phase } => {
            out.u8(2);
            out.real(*mean);
            out.real(*amplitude);
            out.f64(*hertz);
            out.f64(*phase);
        }
        Signal::Table(points) => {
            out.u8(3);
            out.u32(points.len() as u32);
            for &(time, value) in points.iter() {
                out.f64(time);
                out.real(value);
            }
        }
    }
}

fn load_signal(source: &mut Source<'_>) -> Result<Signal> {
    Ok(match source.u8()? {
        0 => Signal::Constant(source.real()?),
        1 => Signal::Ramp { from: source.real()?, to: source.real()?, start: source.f64()?, duration: source.f64()? },
        2 => {
            Signal::Sine { mean: source.real()?, amplitude: source.real()?, hertz: source.f64()?, phase: source.f64()? }
        }
        3 => {
            let count = source.count(8 + size_of::<Real>())?;
            let points: Vec<(f64, Real)> =
                (0..count).map(|_| Ok((source.f64()?, source.real()?))).collect::<Result<_>>()?;
            Signal::Table(points.into())
        }
        _ => return Err(source.corrupt("a signal")),
    })
}

fn save_point(p: Point, out: &mut Vec<u8>) {
    for v in p.to_array() {
        out.f64(v);
    }
}

fn load_point(source: &mut Source<'_>) -> Result<Point> {
    Ok(Point::new(source.f64()?, source.f64()?, source.f64()?))
}

fn save_quat(q: Quat, out: &mut Vec<u8>) {
    out.vec3(q.vector());
    out.real(q.w);
}

fn load_quat(source: &mut Source<'_>) -> Result<Quat> {
    let q = Quat::from_parts(source.vec3()?, source.real()?);
    if is_rotation(q) { Ok(q) } else { Err(source.corrupt("a rotation of a joint")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BodyDesc, JointDesc, World};

    /// Joints of a few kinds share these when they are restored, and are saved as they were; one that is changed leaves the others alone.
    #[test]
    fn kinds_are_shared() {
        let mut world = World::new();
        let mut ids = Vec::new();
        for i in 0..200 {
            let body = world.add_body(BodyDesc::dynamic().position([f64::from(i), 0.0, 0.0])).unwrap();
            let joint = match i % 3 {
                0 => JointDesc::ball(World::BODY, body),
                1 => JointDesc::new(World::BODY, body, Hinge::limited(-0.0, 1.0)),
                _ => JointDesc::new(World::BODY, body, Hinge::limited(0.0, 1.0)),
            };
            ids.push(world.add_joint(joint.name(format!("joint {i}")).user_data(i as u64)).unwrap());
        }
        // Neighbours that are alike share from the start; zeros of unlike signs are unlike.
        let [a, b] =
            [0, 1].map(|_| world.add_joint(JointDesc::fixed(World::BODY, world.body_ids().last().unwrap())).unwrap());
        let kind = |world: &World, id| Arc::clone(&world.state.joints.all.get(id).unwrap().kind);
        assert!(Arc::ptr_eq(&kind(&world, a), &kind(&world, b)));
        assert!(!Arc::ptr_eq(&kind(&world, ids[1]), &kind(&world, ids[2])));
        for _ in 0..3 {
            world.step(1.0 / 60.0).unwrap();
        }

        let saved = world.snapshot().unwrap();
        let mut restored = World::from_snapshot(&saved).unwrap();
        assert!(restored.snapshot().unwrap() == saved && restored.hash() == world.hash());
        for (i, &id) in ids.iter().enumerate() {
            assert!(Arc::ptr_eq(&kind(&restored, id), &kind(&restored, ids[i % 3])));
            assert_eq!(restored.joint(id).unwrap().name(), Some(&*format!("joint {i}")));
            assert_eq!((*kind(&restored, id)).clone(), (*kind(&world, id)).clone());
            assert_eq!(restored.joint(id).unwrap().user_data(), i as u64);
        }
        assert!(!Arc::ptr_eq(&kind(&restored, ids[1]), &kind(&restored, ids[2])));
        restored.joint_mut(ids[1]).unwrap().set_kind(Hinge::limited(-1.0, 2.0)).unwrap();
        assert_eq!(*kind(&restored, ids[4]), Hinge::limited(-0.0, 1.0).into());
        assert!(restored.hash() != world.hash());
    }

    /// Joints stand in their slots again, whatever slots are free: none of a part, some, all.
    #[test]
    fn joints_between_gaps_come_back() {
        let mut world = World::new();
        let body = world.add_body(BodyDesc::dynamic()).unwrap();
        let joint = |i: u64| JointDesc::ball(World::BODY, body).user_data(i);
        let ids: Vec<_> = (0..300).map(|i| world.add_joint(joint(i)).unwrap()).collect();
        world.step(1.0 / 60.0).unwrap();
        let gone = |i: usize| (70..200).contains(&i) || i % 7 == 3 || i == 299;
        for (i, &id) in ids.iter().enumerate().filter(|&(i, _)| gone(i)) {
            assert!(world.remove_joint(id).is_ok(), "{i}");
        }
        let saved = world.snapshot().unwrap();
        let mut restored = World::from_snapshot(&saved).unwrap();
        assert!(restored.snapshot().unwrap() == saved);
        for (i, &id) in ids.iter().enumerate() {
            assert_eq!(restored.joint(id).ok().map(|joint| joint.user_data()), (!gone(i)).then_some(i as u64));
        }
        // New ones take the same places.
        assert_eq!(restored.add_joint(joint(0)).unwrap(), world.add_joint(joint(0)).unwrap());
        world.step(1.0 / 60.0).unwrap();
        restored.step(1.0 / 60.0).unwrap();
        assert_eq!(restored.hash(), world.hash());
    }
}
