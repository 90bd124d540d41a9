//! Bodies and colliders of a file.

use super::super::forms::{BODY, COLLIDER, EXCLUDE, LAYERS, LOCKS, MASS_PROPERTIES, MASS_SHAPE, SHAPE, SURFACE};
use super::super::record::Record;
use super::super::text::{Fault, Node, Read};
use super::super::units::{Dimension, Up};
use super::shapes::pose;
use super::{Assembly, Named};
use crate::names::missing;
use tumble::math::{Sym3, Vec3};
use tumble::shape::{MassProperties, Shape};
use tumble::{BodyDesc, BodyId, BodyKind, ColliderDesc, Layers, Locks, MassSource, MaterialSource, World};

impl Assembly<'_> {
    pub fn add_body(&mut self, node: &Node) -> Read<()> {
        let scope = self.scope.clone();
        let record = Record::open(node, &BODY, &scope)?;
        let mut desc = match record.choice("kind")? {
            Some("fixed") => BodyDesc::fixed(),
            Some("kinematic") => BodyDesc::kinematic(),
            _ => BodyDesc::dynamic(),
        };
        desc.pose.translation = self.placing.point(record.vector("at")?.unwrap_or(Vec3::ZERO));
        desc.pose.rotation = self.placing.turn(record.rotation("rotation")?.unwrap_or_default());
        let direction = |v: Option<Vec3<f64>>| self.placing.direction(v.unwrap_or(Vec3::ZERO)).to_real();
        desc.linear_velocity = direction(record.vector("velocity")?);
        desc.angular_velocity = direction(record.vector("angular_velocity")?);
        desc.locks = locks(&record)?;
        let desc = self.substance(&record, desc)?;
        self.enter_name(desc.name.as_deref(), node.at)?;
        let name = desc.name.clone();
        if desc.kind == BodyKind::Dynamic
            && desc.mass == MassSource::Colliders
            && desc.colliders.iter().any(|c| matches!(c.shape, Shape::HalfSpace(_)))
        {
            let message = "a half-space has no end and falls with all that is on it; kind = \"fixed\" lets it stay";
            self.warn(node.at, message);
        }
        let id = self.world.add_body(desc).map_err(|error| {
            // The number of a body that is not there says nothing.
            let said = error.to_string();
            let said = match said.split_once(": ") {
                Some((subject, rest)) if subject.starts_with("body ") => rest,
                _ => &said,
            };
            let advice = match said.contains("has no mass") {
                true => "; give the body a `mass`, or kind = \"fixed\"",
                false => "",
            };
            Fault::new(node.at, format!("the body: {said}{advice}"))
        })?;
        self.enter(id, name.as_deref(), node.at);
        Ok(())
    }

    /// A name that a body or link can have: no other has it, and it means nothing else.
    pub fn enter_name(&self, name: Option<&str>, at: usize) -> Read<()> {
        let Some(name) = name else { return Ok(()) };
        if name.starts_with('#') || name == "world" {
            return Err(Fault::new(at, format!("a body cannot be called {name:?}, which has a meaning already")));
        }
        match self.named.get(name) {
            Some(other) if !self.same_names => Err(taken(name, at, other.at)),
            _ => Ok(()),
        }
    }

    /// A body that is in the world now.
    pub fn enter(&mut self, id: BodyId, name: Option<&str>, at: usize) {
        self.bodies.push(id);
        if let Some(name) = name {
            self.named.entry(name.to_owned()).and_modify(|named| named.id = None).or_insert(Named { id: Some(id), at });
        }
    }

    /// What bodies and links have in common.
    pub fn substance(&mut self, record: &Record<'_>, mut desc: BodyDesc) -> Read<BodyDesc> {
        desc.name = record.text("name")?;
        let direction = |v: Option<Vec3<f64>>| self.placing.direction(v.unwrap_or(Vec3::ZERO)).to_real();
        desc.force = direction(record.vector("force")?);
        desc.torque = direction(record.vector("torque")?);
        let numbers = [
            ("linear_damping", &mut desc.linear_damping),
            ("angular_damping", &mut desc.angular_damping),
            ("gravity_scale", &mut desc.gravity_scale),
            ("max_speed", &mut desc.max_linear_speed),
            ("max_angular_speed", &mut desc.max_angular_speed),
        ];
        for (name, slot) in numbers {
            if let Some(value) = record.real(name)? {
                *slot = value;
            }
        }
        let flags = [
            ("active", &mut desc.active),
            ("debug", &mut desc.debug),
            ("can_sleep", &mut desc.can_sleep),
            ("bullet", &mut desc.bullet),
        ];
        for (name, slot) in flags {
            if let Some(value) = record.flag(name)? {
                *slot = value;
            }
        }
        desc.user_data = record.user_data()?.unwrap_or(0);
        desc.mass = self.mass(record)?;
        desc.colliders = self.colliders(record)?;
        let massless = record.form.find("massless").is_some() && record.flag("massless")?.unwrap_or(false);
        if desc.kind == BodyKind::Dynamic
            && desc.colliders.is_empty()
            && desc.mass == MassSource::Colliders
            && !massless
        {
            let name = desc.name.as_ref().map_or_else(String::new, |name| format!(" {name:?}"));
            let message = format!("the body{name} has neither a shape nor a mass: it weighs 1 kg and meets nothing");
            self.warn(record.at, message);
        }
        Ok(desc)
    }

    fn mass(&mut self, record: &Record<'_>) -> Read<MassSource> {
        let given =
            record.entries.iter().filter(|e| ["mass", "mass_properties", "mass_shape"].contains(&e.key.as_str()));
        if let Some(second) = given.clone().nth(1) {
            return Err(Fault::new(second.at, "the mass is given twice"));
        }
        let Some(entry) = given.into_iter().next() else { return Ok(MassSource::Colliders) };
        let scope = record.scope;
        match entry.key.as_str() {
            "mass" => Ok(MassSource::Total(scope.real(&entry.node, Dimension::MASS)?)),
            "mass_properties" => {
                let given = Record::open(&entry.node, &MASS_PROPERTIES, scope)?;
                let moments = given.needed("inertia")?;
                let mut values = [0.0; 6];
                let nodes = scope.list(moments)?;
                if nodes.len() != 3 && nodes.len() != 6 {
                    return Err(Fault::new(moments.at, "an inertia has three or six numbers: xx, yy, zz, xy, xz, yz"));
                }
                for (value, node) in values.iter_mut().zip(nodes) {
                    *value = scope.quantity(node, Dimension::TORQUE)?;
                }
                let [xx, yy, zz, xy, xz, yz] = values;
                // With z up, the file's y is the world's -z and its z the world's y.
                let inertia = match scope.up {
                    Up::Y => Sym3 { xx, yy, zz, xy, xz, yz },
                    Up::Z => Sym3 { xx, yy: zz, zz: yy, xy: xz, xz: -xy, yz: -yz },
                };
                Ok(MassSource::Explicit(MassProperties {
                    mass: scope.quantity(given.needed("mass")?, Dimension::MASS)?,
                    centre: given.vector("centre")?.unwrap_or(Vec3::ZERO),
                    inertia,
                }))
            }
            _ => {
                let given = Record::open(&entry.node, &MASS_SHAPE, scope)?;
                let shape = self.shape_in(&given)?;
                let shape = shape.ok_or_else(|| Fault::new(given.at, "a mass shape needs a shape"))?;
                let density = given.real("density")?.unwrap_or(1000.0);
                Ok(MassSource::Shape(shape, pose(&given)?, density))
            }
        }
    }

    fn colliders(&mut self, record: &Record<'_>) -> Read<Vec<ColliderDesc>> {
        let mut colliders = Vec::new();
        let alone = record.entries.iter().find(|e| SURFACE.find(&e.key).is_some());
        match self.shape_in(record)? {
            Some(shape) => colliders.push(self.surface(record, ColliderDesc::new(shape))?),
            None => {
                if let Some(entry) = alone {
                    let shapes: Vec<&str> = SHAPE.fields.iter().map(|f| f.name).collect();
                    let message = format!(
                        "{:?} is of a collider, and the body has no shape; give it one of {}",
                        entry.key,
                        shapes.join(", ")
                    );
                    return Err(Fault::new(entry.at, message));
                }
            }
        }
        let Some(list) = record.get("colliders") else { return Ok(colliders) };
        for node in record.scope.list(list)? {
            let collider = Record::open(node, &COLLIDER, record.scope)?;
            let shape = self.shape_in(&collider)?;
            let shape = shape.ok_or_else(|| Fault::new(node.at, "a collider needs a shape"))?;
            let mut desc = self.surface(&collider, ColliderDesc::new(shape).pose(pose(&collider)?))?;
            desc.user_data = collider.user_data()?.unwrap_or(0);
            colliders.push(desc);
        }
        Ok(colliders)
    }

    /// What a collider is besides its shape and place.
    fn surface(&mut self, record: &Record<'_>, mut desc: ColliderDesc) -> Read<ColliderDesc> {
        if let Some(list) = record.get("materials") {
            let mut materials = Vec::new();
            for node in record.scope.list(list)? {
                materials.push(self.material(node)?);
            }
            desc.materials = materials;
        }
        if let Some(node) = record.get("material") {
            if record.get("materials").is_some() {
                return Err(Fault::new(node.at, "give either `material` or `materials`"));
            }
            desc.materials = vec![self.material(node)?];
        }
        let (friction, restitution) = (record.real("friction")?, record.real("restitution")?);
        if friction.is_some() || restitution.is_some() {
            let first = desc.materials.first().cloned().unwrap_or_default();
            let mut own = self.material_itself(&first);
            if let Some(friction) = friction {
                own = own.with_friction(friction);
            }
            if let Some(restitution) = restitution {
                own = own.with_restitution(restitution);
            }
            match desc.materials.first_mut() {
                Some(slot) => *slot = MaterialSource::Own(own),
                None => desc.materials.push(MaterialSource::Own(own)),
            }
        }
        desc.density = record.real("density")?;
        if let Some(node) = record.get("layers") {
            let given = Record::open(node, &LAYERS, record.scope)?;
            let bits = |name: &str, otherwise: u32| match given.whole(name)? {
                Some(bits) => u32::try_from(bits).map_err(|_| Fault::new(node.at, "layers are 32 bits")),
                None => Ok(otherwise),
            };
            let usual = Layers::default();
            desc.layers = Layers { member: bits("member", usual.member)?, meets: bits("meets", usual.meets)? };
        }
        let flags = [
            ("sensor", &mut desc.sensor),
            ("collides", &mut desc.collides),
            ("hooked", &mut desc.hooked),
            ("contact_events", &mut desc.contact_events),
        ];
        for (name, slot) in flags {
            if let Some(value) = record.flag(name)? {
                *slot = value;
            }
        }
        if let Some(speed) = record.real("impact_speed")? {
            desc.impact_speed = speed;
        }
        Ok(desc)
    }

    /// The body of this name, by its number as `#3`, or the world itself.
    pub fn body(&self, node: &Node) -> Read<BodyId> {
        let name = self.scope.text(node)?;
        if let Some(id) = self.find_body(&name) {
            return Ok(id);
        }
        let message = if name.starts_with('#') {
            format!("there is no body {name}; the scene has #1 to #{}", self.bodies.len() - 1)
        } else if self.named.contains_key(&name) {
            format!("several bodies are called {name:?}; give them different names")
        } else {
            let near = self.named.keys().map(String::as_str).chain(["world"]);
            missing("body", &name, near)
        };
        Err(Fault::new(node.at, message))
    }

    pub fn find_body(&self, name: &str) -> Option<BodyId> {
        match name.strip_prefix('#') {
            Some(number) => number.parse().ok().and_then(|n: usize| self.bodies.get(n)).copied(),
            None if name == "world" => Some(World::BODY),
            None => self.named.get(name)?.id,
        }
    }

    /// Two bodies.
    pub fn two_bodies(&self, node: &Node) -> Read<[BodyId; 2]> {
        match self.scope.list(node)? {
            [a, b] => Ok([self.body(a)?, self.body(b)?]),
            _ => Err(Fault::new(node.at, "this must be the names of two bodies")),
        }
    }

    pub fn add_exclusion(&mut self, node: &Node) -> Read<()> {
        let scope = self.scope.clone();
        let record = Record::open(node, &EXCLUDE, &scope)?;
        let [a, b] = self.two_bodies(record.needed("bodies")?)?;
        self.exclusions.push((a.min(b), a.max(b), node.at));
        Ok(())
    }

    /// Excludes the pairs that were found, in the order of their bodies.
    pub fn exclude(&mut self) -> Read<()> {
        let mut pairs = std::mem::take(&mut self.exclusions);
        pairs.sort_unstable();
        pairs.into_iter().try_for_each(|(a, b, at)| self.engine(at, |world| world.set_pair_excluded(a, b, true)))
    }
}

/// Two bodies have one name.
pub fn taken(name: &str, at: usize, other: usize) -> Fault {
    if at == other {
        let message =
            format!("several bodies are called {name:?}: a name that is repeated needs a number, as {name}-{{i}}");
        return Fault::new(at, message);
    }
    Fault::new(
        at,
        format!("two bodies are called {name:?}, and every body needs a name of its own; the other one stands"),
    )
    .and_line_of(other)
}

/// Motions that are forbidden, along and about the axes of the file.
fn locks(record: &Record<'_>) -> Read<Locks> {
    let mut locks = Locks::NONE;
    let Some(node) = record.get("locks") else { return Ok(locks) };
    for node in record.scope.list(node)? {
        let z_up = record.scope.up == Up::Z;
        let lock = match (record.scope.choice(node, LOCKS)?, z_up) {
            ("move-x", _) => Locks::MOVE_X,
            ("move-y", false) | ("move-z", true) => Locks::MOVE_Y,
            ("move-z", false) | ("move-y", true) => Locks::MOVE_Z,
            ("turn-x", _) => Locks::TURN_X,
            ("turn-y", false) | ("turn-z", true) => Locks::TURN_Y,
            ("turn-z", false) | ("turn-y", true) => Locks::TURN_Z,
            ("move", _) => Locks::MOVE,
            _ => Locks::TURN,
        };
        locks = locks.and(lock);
    }
    Ok(locks)
}
