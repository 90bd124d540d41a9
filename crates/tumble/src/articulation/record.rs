//! Articulations in snapshots.

use super::desc::{Dof, Motor, check_numbers, check_quaternion};
use super::glide::Glide;
use super::kind::LinkJoint;
use super::restraint::{Coupling, Swing};
use super::store::{Articulation, Articulations};
use super::tree::Tree;
use crate::body::store::is_rotation;
use crate::constraint::contact::NONE;
use crate::error::Result;
use crate::id::Slots;
use crate::math::{Point, Quat, Vec3, WorldPose};
use crate::record::stream::{Sink, Source};

impl Articulations {
    /// Nothing at all for a world that never had any: its bytes, and so its hash, are what they would be without articulations.
    pub fn save(&self, out: &mut impl Sink) {
        let Self { all, links: _ } = self;
        if all.capacity() == 0 {
            return;
        }
        all.save(out);
        for (_, articulation) in all.iter() {
            articulation.save(out);
        }
    }

    /// What [`Articulations::save`] wrote. Masses are the bodies', and which bodies are links is for `index`.
    pub fn load(source: &mut Source<'_>) -> Result<Self> {
        if source.is_empty() {
            return Ok(Self::default());
        }
        let all =
            Slots::load(source, |source, count| (0..count).map(|_| Articulation::load(source)).collect::<Result<_>>())?;
        Ok(Self { all, ..Self::default() })
    }
}

impl Articulation {
    fn save(&self, out: &mut impl Sink) {
        let Self { tree, bodies, self_collision, name } = self;
        let Tree { links, dofs, dof_parent: _, dof_link: _, q, qd, rest, target, couplings, memory, pace, glide } =
            tree;
        out.bool(*self_collision);
        out.bool(name.is_some());
        out.str(name.as_deref().unwrap_or(""));
        out.u32s(bodies);
        for link in links {
            out.u32(link.parent);
            save_joint(&link.joint, out);
            for frame in &link.frames {
                save_frame(frame, out);
            }
            out.bool(link.massless);
            save_swing(link.swing.as_ref(), out);
            for dof in &dofs[link.dofs()] {
                save_dof(dof, out);
            }
        }
        out.u32(couplings.len() as u32);
        for c in couplings {
            for v in [c.a.0, c.a.1, c.b.0, c.b.1] {
                out.u32(v as u32);
            }
            out.f64(c.ratio);
            out.f64(c.offset);
        }
        for list in [q, qd, rest, target, memory] {
            for &v in list {
                out.f64(v);
            }
        }
        out.u32(*pace);
        save_glide(glide, q, qd, out);
    }

    fn load(source: &mut Source<'_>) -> Result<Self> {
        let self_collision = source.bool()?;
        let named = source.bool()?;
        let name = source.str()?.to_owned();
        let bodies = source.u32s()?;
        let mut tree = Tree::empty();
        for i in 0..bodies.len() as u32 {
            let parent = source.u32()?;
            let joint = load_joint(source)?;
            let frames = [load_frame(source)?, load_frame(source)?];
            let massless = source.bool()?;
            let swing = load_swing(source)?;
            let dofs = (0..joint.dofs()).map(|_| load_dof(source)).collect::<Result<Vec<_>>>()?;
            let sound = joint.validate("link").is_ok()
                && dofs.iter().all(|d| d.validate("link", joint.canonical().1).is_ok())
                && swing.is_none_or(|s| s.validate("link", joint.canonical().1).is_ok())
                && (parent == NONE || (parent < i && joint != LinkJoint::Free));
            if !sound {
                return Err(source.corrupt("a link"));
            }
            tree.add_link(parent, joint, frames, massless, &dofs);
            if let Some(link) = tree.links.last_mut() {
                link.swing = swing;
            }
        }
        for _ in 0..source.u32()? {
            let coupling = load_coupling(source)?;
            if coupling.validate("coupling", |i| tree.links.get(i).map(|l| l.joint)).is_err() {
                return Err(source.corrupt("a coupling"));
            }
            tree.couplings.push(coupling);
        }
        tree.forget_impulses();
        let Tree { q, qd, rest, target, memory, .. } = &mut tree;
        for list in [q, qd, rest, target, memory] {
            for v in list {
                *v = source.f64()?;
            }
        }
        tree.pace = source.u32()?;
        tree.glide = load_glide(source, &tree.q, &tree.qd)?;
        let sound = tree.links.iter().all(|link| {
            let qs = link.coordinates();
            check_numbers("link", "velocity", &tree.qd[link.dofs()], qs.len().min(link.dofs().len())).is_ok()
                && [&tree.q, &tree.rest, &tree.target].iter().all(|list| {
                    check_numbers("link", "position", &list[qs.clone()], qs.len()).is_ok()
                        && check_quaternion("link", "position", link.kind, &list[qs.clone()]).is_ok()
                })
        });
        let kept = tree.memory.iter().all(|m| m.is_finite());
        if !sound || !kept || bodies.is_empty() {
            return Err(source.corrupt("the coordinates of an articulation"));
        }
        Ok(Self { tree, bodies, self_collision, name: named.then_some(name) })
    }
}

/// How a tree has glided, where the next step will go on with that.
fn save_glide(glide: &Glide, q: &[f64], qd: &[f64], out: &mut impl Sink) {
    let Glide { refused, accelerations, energy, key, q: _, qd: _ } = glide;
    let holds = glide.holds(q, qd);
    out.u8(u8::from(*refused) | u8::from(holds) << 1);
    if holds {
        out.f64(*energy);
        out.u64(*key);
        accelerations.iter().for_each(|&a| out.f64(a));
    }
}

/// What [`save_glide`] wrote.
fn load_glide(source: &mut Source<'_>, q: &[f64], qd: &[f64]) -> Result<Glide> {
    let flags = source.u8()?;
    let mut glide = Glide { refused: flags & 1 != 0, ..Glide::default() };
    if flags & 2 != 0 {
        (glide.energy, glide.key) = (source.f64()?, source.u64()?);
        glide.accelerations = qd.iter().map(|_| source.f64()).collect::<Result<_>>()?;
        (glide.q, glide.qd) = (q.to_vec(), qd.to_vec());
    }
    let sound = flags < 4 && glide.energy.is_finite() && glide.accelerations.iter().all(|a| a.is_finite());
    if sound { Ok(glide) } else { Err(source.corrupt("the motion of an articulation")) }
}

fn save_swing(swing: Option<&Swing>, out: &mut impl Sink) {
    save_limited(swing.is_some(), swing.map_or(0.0, |s| s.restitution), out);
    let Some(Swing { axis, cone, twist, restitution: _ }) = swing else { return };
    out.vec3(*axis);
    out.f64(*cone);
    out.bool(twist.is_some());
    for v in twist.unwrap_or_default() {
        out.f64(v);
    }
}

fn load_swing(source: &mut Source<'_>) -> Result<Option<Swing>> {
    let (limited, restitution) = load_limited(source)?;
    if !limited {
        return Ok(None);
    }
    let (axis, cone, twists) = (source.vec3()?, source.f64()?, source.bool()?);
    let twist = [source.f64()?, source.f64()?];
    Ok(Some(Swing { axis, cone, twist: twists.then_some(twist), restitution }))
}

/// Whether there are limits, and their restitution: in one byte, and a number for those alone that bounce.
fn save_limited(limited: bool, restitution: f64, out: &mut impl Sink) {
    let bounces = restitution != 0.0;
    out.u8(u8::from(limited) | u8::from(bounces) << 1);
    if bounces {
        out.f64(restitution);
    }
}

/// What [`save_limited`] wrote.
fn load_limited(source: &mut Source<'_>) -> Result<(bool, f64)> {
    let flags = source.u8()?;
    if flags > 3 {
        return Err(source.corrupt("the limits of a link"));
    }
    Ok((flags & 1 != 0, if flags & 2 != 0 { source.f64()? } else { 0.0 }))
}

fn load_coupling(source: &mut Source<'_>) -> Result<Coupling> {
    let mut next = || Ok(source.u32()? as usize);
    let (a, b) = ((next()?, next()?), (next()?, next()?));
    Ok(Coupling { a, b, ratio: source.f64()?, offset: source.f64()? })
}

fn save_frame(frame: &WorldPose, out: &mut impl Sink) {
    for v in frame.translation.to_array() {
        out.f64(v);
    }
    for v in <[_; 4]>::from(frame.rotation) {
        out.real(v);
    }
}

fn load_frame(source: &mut Source<'_>) -> Result<WorldPose> {
    let translation = Point::new(source.f64()?, source.f64()?, source.f64()?);
    let rotation = Quat::new(source.real()?, source.real()?, source.real()?, source.real()?);
    if !(translation.is_finite() && rotation.try_normalize().is_some_and(is_rotation)) {
        return Err(source.corrupt("the frame of a link"));
    }
    Ok(WorldPose { translation, rotation })
}

fn save_joint(joint: &LinkJoint, out: &mut impl Sink) {
    let (tag, a, b, lead) = match *joint {
        LinkJoint::Fixed => (0, Vec3::ZERO, Vec3::ZERO, 0.0),
        LinkJoint::Revolute { axis } => (1, axis, Vec3::ZERO, 0.0),
        LinkJoint::Prismatic { axis } => (2, axis, Vec3::ZERO, 0.0),
        LinkJoint::Helical { axis, lead } => (3, axis, Vec3::ZERO, lead),
        LinkJoint::Cylindrical { axis } => (4, axis, Vec3::ZERO, 0.0),
        LinkJoint::Universal { first, second } => (5, first, second, 0.0),
        LinkJoint::Planar { normal } => (6, normal, Vec3::ZERO, 0.0),
        LinkJoint::Spherical => (7, Vec3::ZERO, Vec3::ZERO, 0.0),
        LinkJoint::Free => (8, Vec3::ZERO, Vec3::ZERO, 0.0),
    };
    out.u8(tag);
    out.vec3(a);
    out.vec3(b);
    out.real(lead);
}

fn load_joint(source: &mut Source<'_>) -> Result<LinkJoint> {
    let (tag, axis, second, lead) = (source.u8()?, source.vec3()?, source.vec3()?, source.real()?);
    Ok(match tag {
        0 => LinkJoint::Fixed,
        1 => LinkJoint::Revolute { axis },
        2 => LinkJoint::Prismatic { axis },
        3 => LinkJoint::Helical { axis, lead },
        4 => LinkJoint::Cylindrical { axis },
        5 => LinkJoint::Universal { first: axis, second },
        6 => LinkJoint::Planar { normal: axis },
        7 => LinkJoint::Spherical,
        8 => LinkJoint::Free,
        _ => return Err(source.corrupt("the joint of a link")),
    })
}

fn save_dof(dof: &Dof, out: &mut impl Sink) {
    let Dof { armature, damping, stiffness, friction, limits, restitution, motor, force } = *dof;
    let Motor { stiffness: k, damping: c, speed, max_force } = motor;
    save_limited(limits.is_some(), restitution, out);
    let [low, high] = limits.unwrap_or([0.0; 2]);
    for v in [armature, damping, stiffness, friction, low, high, k, c, speed, max_force, force] {
        out.f64(v);
    }
}

fn load_dof(source: &mut Source<'_>) -> Result<Dof> {
    let (limited, restitution) = load_limited(source)?;
    let mut next = || source.f64();
    let (armature, damping, stiffness, friction) = (next()?, next()?, next()?, next()?);
    let limits = [next()?, next()?];
    let motor = Motor { stiffness: next()?, damping: next()?, speed: next()?, max_force: next()? };
    let force = next()?;
    let limits = limited.then_some(limits);
    Ok(Dof { armature, damping, stiffness, friction, limits, restitution, motor, force })
}
