//! Effects in snapshots.
//!
//! Every kind is taken apart by name, so that a field that is added does not compile until it is saved here.

use super::store::{Effect, Effects, Phase};
use super::{
    Attraction, BodySet, Buoyancy, Drag, EffectKind, Explosion, Falloff, ForceEffect, Gravitation, Spring, Uniform,
};
use crate::error::{Error, Result};
use crate::id::{BodyId, Slots};
use crate::math::Point;
use crate::record::stream::{Sink, Source};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Effects of the user's by name, which make those in a snapshot again.
#[derive(Clone, Debug, Default)]
pub(crate) struct Registry(pub BTreeMap<String, Arc<dyn ForceEffect>>);

impl Effects {
    /// Nothing at all for a world that never had an effect, so that its hash is what it is without them; unless something follows
    /// (`last` is false), which could not be told from effects.
    pub fn save(&self, out: &mut impl Sink, last: bool) {
        if last && self.all.capacity() == 0 {
            return;
        }
        self.all.save(out);
        for (_, effect) in self.all.iter() {
            save_effect(effect, out);
        }
        out.u64(self.stamp);
    }

    /// What [`Effects::save`] wrote. Whether the bodies exist is for the caller to find out; their slots are below `bodies`.
    pub fn load(source: &mut Source<'_>, registry: &Registry, bodies: usize) -> Result<Self> {
        if source.is_empty() {
            return Ok(Self::default());
        }
        let all = Slots::load(source, |source, count| (0..count).map(|_| load_effect(source, registry)).collect())?;
        let beyond = |effect: &Effect| effect.bodies.named().iter().any(|id| id.index() as usize >= bodies);
        if all.iter().any(|(_, effect)| beyond(effect)) {
            return Err(source.corrupt("the bodies of an effect"));
        }
        Ok(Self::new(all, source.u64()?))
    }
}

fn save_effect(effect: &Effect, out: &mut dyn Sink) {
    let Effect { kind, bodies, active, phase, start, end, remove_at_end, stamp, name, user_data } = effect;
    save_kind(kind, out);
    save_set(bodies, out);
    out.u8(match phase {
        Phase::Waiting => 0,
        Phase::Acting => 1,
        Phase::Over => 2,
    });
    out.f64(*start);
    out.f64(*end);
    out.u64(*stamp);
    out.u64(*user_data);
    for flag in [*active, *remove_at_end, name.is_some()] {
        out.bool(flag);
    }
    if let Some(name) = name {
        out.str(name);
    }
}

fn load_effect(source: &mut Source<'_>, registry: &Registry) -> Result<Effect> {
    let kind = load_kind(source, registry)?;
    kind.validate("snapshot")?;
    let bodies = load_set(source)?;
    let phase = match source.u8()? {
        0 => Phase::Waiting,
        1 => Phase::Acting,
        2 => Phase::Over,
        _ => return Err(source.corrupt("an effect")),
    };
    let (start, end) = (source.f64()?, source.f64()?);
    let (stamp, user_data) = (source.u64()?, source.u64()?);
    let (active, remove_at_end) = (source.bool()?, source.bool()?);
    let name = if source.bool()? { Some(source.str()?.to_owned()) } else { None };
    if !(start < end) {
        return Err(source.corrupt("the window of an effect"));
    }
    Ok(Effect { kind, bodies, active, phase, start, end, remove_at_end, stamp, name, user_data })
}

fn save_set(set: &BodySet, out: &mut dyn Sink) {
    out.u8(match set {
        BodySet::All => 0,
        BodySet::Except(_) => 1,
        BodySet::List(_) => 2,
        BodySet::Pair(_) => 3,
    });
    out.u32(set.named().len() as u32);
    for body in set.named() {
        out.u64(body.to_bits());
    }
}

fn load_set(source: &mut Source<'_>) -> Result<BodySet> {
    let kind = source.u8()?;
    let count = source.count(8)?;
    let list: Vec<BodyId> = (0..count).map(|_| source.u64().map(BodyId::from_bits)).collect::<Result<_>>()?;
    let ascending = list.windows(2).all(|w| w[0].index() < w[1].index());
    Ok(match (kind, &list[..]) {
        (0, []) => BodySet::All,
        (1, _) if ascending => BodySet::Except(list),
        (2, _) if ascending => BodySet::List(list),
        (3, &[a, b]) if a != b => BodySet::Pair([a, b]),
        _ => return Err(source.corrupt("the bodies of an effect")),
    })
}

fn save_point(p: Point, out: &mut dyn Sink) {
    for v in p.to_array() {
        out.f64(v);
    }
}

fn load_point(source: &mut Source<'_>) -> Result<Point> {
    Ok(Point::new(source.f64()?, source.f64()?, source.f64()?))
}

fn save_drag(drag: &Drag, out: &mut dyn Sink) {
    let Drag { linear, quadratic, angular_linear, angular_quadratic, wind } = drag;
    for v in [*linear, *quadratic, *angular_linear, *angular_quadratic] {
        out.real(v);
    }
    out.vec3(*wind);
}

fn load_drag(source: &mut Source<'_>) -> Result<Drag> {
    Ok(Drag {
        linear: source.real()?,
        quadratic: source.real()?,
        angular_linear: source.real()?,
        angular_quadratic: source.real()?,
        wind: source.vec3()?,
    })
}

fn save_kind(kind: &EffectKind, out: &mut dyn Sink) {
    match kind {
        EffectKind::Uniform(Uniform { acceleration }) => {
            out.u8(0);
            out.vec3(*acceleration);
        }
        EffectKind::Drag(drag) => {
            out.u8(1);
            save_drag(drag, out);
        }
        EffectKind::Spring(Spring { anchors, length, stiffness, damping }) => {
            out.u8(2);
            anchors.iter().for_each(|&p| save_point(p, out));
            for v in [*length, *stiffness, *damping] {
                out.real(v);
            }
        }
        EffectKind::Explosion(Explosion { centre, strength, falloff }) => {
            out.u8(3);
            save_point(*centre, out);
            out.real(*strength);
            let (kind, radius) = match *falloff {
                Falloff::None => (0, 0.0),
                Falloff::Linear { radius } => (1, radius),
                Falloff::InverseSquare { radius } => (2, radius),
            };
            out.u8(kind);
            out.real(radius);
        }
        EffectKind::Buoyancy(Buoyancy { normal, level, density, drag }) => {
            out.u8(4);
            out.vec3(*normal);
            out.f64(*level);
            out.real(*density);
            save_drag(drag, out);
        }
        EffectKind::Attraction(Attraction { centre, strength, softening }) => {
            out.u8(5);
            save_point(*centre, out);
            out.real(*strength);
            out.real(*softening);
        }
        EffectKind::Gravitation(Gravitation { constant, softening }) => {
            out.u8(6);
            out.real(*constant);
            out.real(*softening);
        }
        EffectKind::Custom(effect) => {
            out.u8(7);
            out.str(effect.name());
            let bytes = effect.save();
            out.u32(bytes.len() as u32);
            out.bytes(&bytes);
        }
    }
}

fn load_kind(source: &mut Source<'_>, registry: &Registry) -> Result<EffectKind> {
    Ok(match source.u8()? {
        0 => Uniform { acceleration: source.vec3()? }.into(),
        1 => load_drag(source)?.into(),
        2 => Spring {
            anchors: [load_point(source)?, load_point(source)?],
            length: source.real()?,
            stiffness: source.real()?,
            damping: source.real()?,
        }
        .into(),
        3 => {
            let (centre, strength) = (load_point(source)?, source.real()?);
            let falloff = match (source.u8()?, source.real()?) {
                (0, _) => Falloff::None,
                (1, radius) => Falloff::Linear { radius },
                (2, radius) => Falloff::InverseSquare { radius },
                _ => return Err(source.corrupt("an explosion")),
            };
            Explosion { centre, strength, falloff }.into()
        }
        4 => {
            Buoyancy { normal: source.vec3()?, level: source.f64()?, density: source.real()?, drag: load_drag(source)? }
                .into()
        }
        5 => Attraction { centre: load_point(source)?, strength: source.real()?, softening: source.real()? }.into(),
        6 => Gravitation { constant: source.real()?, softening: source.real()? }.into(),
        7 => {
            let name = source.str()?;
            let count = source.count(1)?;
            let bytes = source.bytes(count)?;
            match registry.0.get(name).map(|prototype| prototype.load(bytes)) {
                Some(Some(effect)) => EffectKind::Custom(effect),
                Some(None) => return Err(source.corrupt("an effect of the user's")),
                None => {
                    return Err(Error::refused(
                        "snapshot",
                        format!("its world has effects {name:?}; register them with World::register_effect first"),
                    ));
                }
            }
        }
        _ => return Err(source.corrupt("an effect")),
    })
}
