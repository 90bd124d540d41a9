//! Joints and force effects as text.

use super::exact;
use super::value::{
    self, Inline, add_axis, limit, list, motor, number, point, quat, quoted, real, signal, stiffness, text, vector,
};
use tumble::constraint::joint::{Drag as DragJoint, Freedom, Orientation};
use tumble::constraint::{Axis, Stiffness};
use tumble::force::{Drag, Falloff};
use tumble::math::{Real, WorldPose};
use tumble::{BodyId, BodySet, EffectDesc, EffectKind, JointDesc, JointKind};

/// The lines of a joint, whose frames are given apart, in a file that begins at the time `now`.
pub fn joint(
    desc: &JointDesc,
    frames: [WorldPose; 2],
    now: f64,
    name: impl Fn(BodyId) -> String,
) -> Result<String, String> {
    let mut table = Inline::default();
    table.set("kind", quoted(desc.kind.name()));
    if let Some(name) = &desc.name {
        table.set("name", text(name));
    }
    table.set("bodies", list(desc.bodies.map(&name)));
    for (key, frame) in ["frame_a", "frame_b"].into_iter().zip(frames) {
        let mut place = Inline::default();
        place.set("at", point(frame.translation));
        place.set("rotation", quat(exact::rotation(frame.rotation)));
        table.set(key, place.table());
    }
    joint_kind(&desc.kind, now, &mut table)?;
    if let Some(value) = stiffness(desc.stiffness) {
        table.set("stiffness", value);
    }
    table.real("break_force", desc.break_force, Real::INFINITY);
    table.real("break_torque", desc.break_torque, Real::INFINITY);
    table.flag("collide", desc.collide, false);
    table.flag("active", desc.active, true);
    table.flag("debug", desc.debug, true);
    table.user_data(desc.user_data);
    Ok(table.lines())
}

fn joint_kind(kind: &JointKind, now: f64, table: &mut Inline) -> Result<(), String> {
    let axis = |axis: &Axis| value::axis(axis, now);
    match kind {
        JointKind::Ball(k) => add_orientation(&k.motor, now, table),
        JointKind::Hinge(k) => add_axis(&k.turn, now, table),
        JointKind::Slider(k) => add_axis(&k.slide, now, table),
        JointKind::Fixed(_) | JointKind::Parallel(_) => {}
        JointKind::Distance(k) => {
            if let Some(length) = k.length {
                table.set("length", real(length));
            }
            add_axis(&k.stretch, now, table);
        }
        JointKind::Universal(k) => {
            table.set("bend", list(k.bend.iter().map(axis)));
        }
        JointKind::ConeTwist(k) => {
            table.set("cone", real(k.cone)).real("cone_restitution", k.cone_restitution, 0.0);
            if let Some(value) = stiffness(k.cone_stiffness) {
                table.set("cone_stiffness", value);
            }
            if let Some(twist) = &k.twist {
                table.set("twist", limit(twist));
            }
            add_orientation(&k.motor, now, table);
        }
        JointKind::Cylindrical(k) => {
            table.set("slide", axis(&k.slide)).set("turn", axis(&k.turn));
        }
        JointKind::Planar(k) => {
            table.set("slide", list(k.slide.iter().map(axis))).set("turn", axis(&k.turn));
        }
        JointKind::SixAxis(k) => {
            let freedom = |f: &Freedom| match f {
                Freedom::Locked => quoted("locked"),
                Freedom::Free(a) => axis(a),
            };
            table.set("slide", list(k.slide.iter().map(freedom))).set("turn", list(k.turn.iter().map(freedom)));
        }
        JointKind::Gear(k) => {
            table.set("ratio", real(k.ratio));
        }
        JointKind::Rack(k) => {
            table.set("travel", real(k.travel));
        }
        JointKind::Screw(k) => {
            table.set("pitch", real(k.pitch));
            add_axis(&k.turn, now, table);
        }
        JointKind::Pulley(k) => {
            table.set("wheels", list(k.wheels.map(point))).set("length", real(k.length));
            table.real("ratio", k.ratio, 1.0).flag("slack", k.slack, true);
        }
        JointKind::Wheel(k) => {
            table.set("suspension", axis(&k.suspension));
            if let Some(spin) = &k.spin {
                table.set("spin", motor(spin, now));
            }
            table.set("steer", signal(&k.steer, now));
        }
        JointKind::Path(k) => {
            table.set("points", list(k.points.iter().map(|p| vector(*p))));
            table.flag("closed", k.closed, false).flag("follow", k.follow, false);
            if let Some(drive) = &k.motor {
                table.set("motor", motor(drive, now));
            }
        }
        JointKind::Drag(k) => {
            table.set("max_force", real(k.max_force));
            if k.stiffness != DragJoint::new(k.max_force).stiffness {
                // A table without anything is as hard as the method can.
                table.set("pull", stiffness(k.stiffness).unwrap_or_else(|| "{}".to_owned()));
            }
        }
        JointKind::Glue(k) => {
            table.set("points", list(k.points.map(vector)));
        }
        JointKind::Custom(k) => return Err(format!("a joint of the kind {:?}, which is code", k.name())),
    }
    Ok(())
}

fn add_orientation(motor: &Option<Orientation>, now: f64, table: &mut Inline) {
    let Some(Orientation { target, stiffness, max_torque, about, angle }) = motor else { return };
    let mut inner = Inline::default();
    if let Some(target) = target {
        inner.set("target", quat(*target));
    }
    if *stiffness != Stiffness::Method {
        value::add_stiffness(*stiffness, &mut inner);
    }
    inner.real("max_torque", *max_torque, Real::INFINITY);
    let usual = Orientation::friction(*max_torque);
    if *about != usual.about {
        inner.set("about", vector(*about));
    }
    if *angle != usual.angle {
        inner.set("angle", signal(angle, now));
    }
    table.set("motor", if inner.is_empty() { "{}".to_owned() } else { inner.table() });
}

/// The lines of a force effect in a file that begins at the time `now`; none of one that is gone then. One that is over and stays does nothing any
/// more, which a file says as inactive: no span of time can end before it begins.
pub fn effect(desc: &EffectDesc, now: f64, name: impl Fn(BodyId) -> String) -> Result<Option<String>, String> {
    let over = desc.end <= now;
    if over && desc.remove_at_end {
        return Ok(None);
    }
    let mut table = Inline::default();
    table.set("kind", quoted(desc.kind.name()));
    if let Some(name) = &desc.name {
        table.set("name", text(name));
    }
    match &desc.bodies {
        BodySet::All => {}
        BodySet::Except(ids) => {
            table.set("except", list(ids.iter().map(|id| name(*id))));
        }
        BodySet::List(ids) => {
            table.set("bodies", list(ids.iter().map(|id| name(*id))));
        }
        BodySet::Pair(pair) => {
            table.set("bodies", list(pair.map(name)));
        }
    }
    match &desc.kind {
        EffectKind::Uniform(k) => {
            table.set("acceleration", vector(k.acceleration));
        }
        EffectKind::Drag(k) => add_drag(k, &mut table),
        EffectKind::Spring(k) => {
            table.set("length", real(k.length)).set("spring", real(k.stiffness)).real("damping", k.damping, 0.0);
            table.set("anchor_a", point(k.anchors[0])).set("anchor_b", point(k.anchors[1]));
        }
        EffectKind::Explosion(k) => {
            table.set("centre", point(k.centre)).set("strength", real(k.strength));
            match k.falloff {
                Falloff::None => {}
                Falloff::Linear { radius } => {
                    table.set("falloff", quoted("linear")).set("radius", real(radius));
                }
                Falloff::InverseSquare { radius } => {
                    table.set("falloff", quoted("inverse-square")).set("radius", real(radius));
                }
            }
        }
        EffectKind::Buoyancy(k) => {
            table.set("normal", vector(k.normal)).set("level", number(k.level)).set("density", real(k.density));
            add_drag(&k.drag, &mut table);
        }
        EffectKind::Attraction(k) => {
            table.set("centre", point(k.centre)).set("strength", real(k.strength));
            table.real("softening", k.softening, 0.0);
        }
        EffectKind::Gravitation(k) => {
            table.set("constant", real(k.constant)).set("softening", real(k.softening));
        }
        other => return Err(format!("a force effect of the kind {:?}, which is code", other.name())),
    }
    for (key, time) in [("start", desc.start), ("end", desc.end)] {
        if time.is_finite() && !over {
            table.set(key, number(time - now));
        }
    }
    let usual = matches!(desc.kind, EffectKind::Explosion(_)) && desc.end.is_finite() && !over;
    table.flag("remove_at_end", desc.remove_at_end, usual);
    table.flag("active", desc.active && !over, true);
    table.user_data(desc.user_data);
    Ok(Some(table.lines()))
}

fn add_drag(drag: &Drag, table: &mut Inline) {
    table.real("linear", drag.linear, 0.0).real("quadratic", drag.quadratic, 0.0);
    table.real("angular_linear", drag.angular_linear, 0.0).real("angular_quadratic", drag.angular_quadratic, 0.0);
    table.vector("wind", drag.wind);
}
