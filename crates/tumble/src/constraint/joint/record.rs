//! Joints in snapshots.
//!
//! Every kind is taken apart by name, so that a field that is added does not compile until it is saved here.

use super::store::{Joint, Joints};
use super::{
    Ball, ConeTwist, Cylindrical, Distance, Drag, Fixed, Freedom, Gear, Glue, Hinge, JointKind, Orientation, Parallel,
    Path, Planar, Pulley, Rack, Screw, SixAxis, Slider, Universal, Wheel,
};
use crate::body::Softness;
use crate::body::store::is_rotation;
use crate::constraint::axis::check_force;
use crate::constraint::{Axis, Constraint, Drive, Limit, Motor, Rows, Signal, Stiffness};
use crate::error::{Error, Result};
use crate::id::Slots;
use crate::math::{Point, Quat, Real, Vec3, WorldPose};
use crate::record::stream::{Packet, Sink, Source};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Constraints of the user's by name, which make those in a snapshot again.
#[derive(Clone, Debug, Default)]
pub(crate) struct Registry(pub BTreeMap<String, Arc<dyn Constraint>>);

impl Joints {
    pub fn save(&self, out: &mut impl Sink) {
        self.all.save(out);
        Packet::fill(out, |out| self.all.iter().for_each(|(_, joint)| save_joint(joint, out)));
    }

    /// What [`Joints::save`] wrote. Whether the bodies exist is for the caller to find out; their slots are below `bodies`.
    pub fn load(source: &mut Source<'_>, registry: &Registry, bodies: usize) -> Result<Self> {
        let all = Slots::load_each(source, |source, count, put| {
            for _ in 0..count {
                put(load_joint(source, registry)?);
            }
            Ok(())
        })?;
        if all.iter().any(|(_, joint): (_, &Joint)| joint.bodies.iter().any(|&slot| slot as usize >= bodies)) {
            return Err(source.corrupt("the bodies of a joint"));
        }
        Ok(Self::new(all))
    }
}

fn save_joint(joint: &Joint, out: &mut Packet<'_>) {
    let Joint {
        kind,
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
        name,
        user_data,
        impulses,
        memory,
        force,
        torque,
        colour,
        colour_index,
        bodies_before: _,
    } = joint;
    save_kind(kind, out);
    for v in [bodies[0], bodies[1], *colour, *colour_index] {
        out.u32(v);
    }
    for pose in frames.iter().chain(rest) {
        save_pose(pose, out);
    }
    save_stiffness(stiffness, out);
    out.real(*break_force);
    out.real(*break_torque);
    for flag in [*collide, *active, *broken, *debug, name.is_some()] {
        out.bool(flag);
    }
    if let Some(name) = name {
        out.str(name);
    }
    out.u64(*user_data);
    out.reals(impulses);
    for &v in memory {
        out.f64(v);
    }
    out.vec3(*force);
    out.vec3(*torque);
}

fn load_joint(source: &mut Source<'_>, registry: &Registry) -> Result<Joint> {
    let kind = load_kind(source, registry)?;
    kind.validate("snapshot")?;
    let bodies = [source.u32()?, source.u32()?];
    let (colour, colour_index) = (source.u32()?, source.u32()?);
    let frames = [load_pose(source)?, load_pose(source)?];
    let rest = [load_pose(source)?, load_pose(source)?];
    let stiffness = load_stiffness(source)?;
    stiffness.validate("snapshot")?;
    let (break_force, break_torque) = (source.real()?, source.real()?);
    check_force("snapshot", "breaking force", break_force)?;
    check_force("snapshot", "breaking torque", break_torque)?;
    let (collide, active, broken, debug) = (source.bool()?, source.bool()?, source.bool()?, source.bool()?);
    let name = if source.bool()? { Some(source.str()?.to_owned()) } else { None };
    let user_data = source.u64()?;
    let impulses = source.reals::<{ Rows::MAX }>()?;
    let memory = [source.f64()?, source.f64()?, source.f64()?, source.f64()?];
    let (force, torque) = (source.vec3()?, source.vec3()?);
    let sound = impulses.iter().all(|v| v.is_finite()) && memory.iter().all(|v| v.is_finite());
    if !sound || (broken && active) {
        return Err(source.corrupt("a joint"));
    }
    Ok(Joint {
        kind,
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
        name,
        user_data,
        impulses,
        memory,
        force,
        torque,
        colour,
        colour_index,
        bodies_before: 0,
    })
}

fn save_kind(kind: &JointKind, out: &mut Packet<'_>) {
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

fn save_axis(axis: &Axis, out: &mut Packet<'_>) {
    let Axis { limit, motor } = axis;
    save_limit(limit, out);
    save_motor(motor, out);
}

fn load_axis(source: &mut Source<'_>) -> Result<Axis> {
    Ok(Axis { limit: load_limit(source)?, motor: load_motor(source)? })
}

fn save_limit(limit: &Option<Limit>, out: &mut Packet<'_>) {
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

fn save_motor(motor: &Option<Motor>, out: &mut Packet<'_>) {
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

fn save_orientation(motor: &Option<Orientation>, out: &mut Packet<'_>) {
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

fn save_stiffness(stiffness: &Stiffness, out: &mut Packet<'_>) {
    let (kind, x, y) = match *stiffness {
        Stiffness::Method => (0, 0.0, 0.0),
        Stiffness::Tuned(Softness { hertz, damping_ratio }) => (1, hertz, damping_ratio),
        Stiffness::Spring { stiffness, damping } => (2, stiffness, damping),
    };
    out.u8(kind);
    out.real(x);
    out.real(y);
}

fn load_stiffness(source: &mut Source<'_>) -> Result<Stiffness> {
    let (kind, x, y) = (source.u8()?, source.real()?, source.real()?);
    Ok(match kind {
        0 => Stiffness::Method,
        1 => Stiffness::tuned(x, y),
        2 => Stiffness::spring(x, y),
        _ => return Err(source.corrupt("a stiffness")),
    })
}

fn save_signal(signal: &Signal, out: &mut Packet<'_>) {
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

fn save_point(p: Point, out: &mut Packet<'_>) {
    for v in p.to_array() {
        out.f64(v);
    }
}

fn load_point(source: &mut Source<'_>) -> Result<Point> {
    Ok(Point::new(source.f64()?, source.f64()?, source.f64()?))
}

fn save_quat(q: Quat, out: &mut Packet<'_>) {
    out.vec3(q.vector());
    out.real(q.w);
}

fn load_quat(source: &mut Source<'_>) -> Result<Quat> {
    let q = Quat::from_parts(source.vec3()?, source.real()?);
    if is_rotation(q) { Ok(q) } else { Err(source.corrupt("a rotation of a joint")) }
}

fn save_pose(pose: &WorldPose, out: &mut Packet<'_>) {
    save_point(pose.translation, out);
    save_quat(pose.rotation, out);
}

fn load_pose(source: &mut Source<'_>) -> Result<WorldPose> {
    let (translation, rotation) = (load_point(source)?, load_quat(source)?);
    if !translation.is_finite() {
        return Err(source.corrupt("a frame of a joint"));
    }
    Ok(WorldPose { translation, rotation })
}
