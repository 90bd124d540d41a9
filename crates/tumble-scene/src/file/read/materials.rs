//! Materials of a file.

use super::super::forms::{MATERIAL, PAIR};
use super::super::record::{Record, wrong};
use super::super::text::{Fault, Item, Node, Read};
use super::Assembly;
use crate::names::missing;
use tumble::math::Real;
use tumble::{Material, MaterialId, MaterialSource, PairCoefficients, Softness, World};

/// The key of the material that colliders have which name none.
pub const BUILT_IN: &str = "default";

impl Assembly<'_> {
    /// The materials of the file, in its order, and the special pairs.
    pub fn add_materials(&mut self, record: &Record<'_>) -> Read<()> {
        if let Some(node) = record.get("material")
            && !matches!(node.item, Item::Table(_))
        {
            return Err(wrong(node, "a table of materials; write [material.NAME]", &node.item));
        }
        let definitions = self.definitions;
        for entry in definitions {
            self.shared_material(&entry.key, entry.at)?;
        }
        let Some(node) = record.get("pair") else { return Ok(()) };
        for node in record.scope.list(node)? {
            let pair = Record::open(node, &PAIR, record.scope)?;
            let names = pair.scope.list(pair.needed("materials")?)?;
            let [a, b] = names else { return Err(Fault::new(pair.at, "a pair has two materials")) };
            let mut ids = [World::MATERIAL; 2];
            for (id, node) in ids.iter_mut().zip([a, b]) {
                *id = self.shared_material(&record.scope.text(node)?, node.at)?;
            }
            let by_rule = self.engine(pair.at, |world| world.pair_coefficients(ids[0], ids[1]))?;
            let friction = pair.real("friction")?;
            let value = |name: &str, otherwise: Real| Ok(pair.real(name)?.unwrap_or(otherwise));
            let coefficients = PairCoefficients {
                static_friction: value("static_friction", friction.unwrap_or(by_rule.static_friction))?,
                dynamic_friction: value("dynamic_friction", friction.unwrap_or(by_rule.dynamic_friction))?,
                restitution: value("restitution", by_rule.restitution)?,
                tangential_restitution: value("tangential_restitution", by_rule.tangential_restitution)?,
                rolling_friction: value("rolling_friction", by_rule.rolling_friction)?,
                spinning_friction: value("spinning_friction", by_rule.spinning_friction)?,
            };
            self.engine(pair.at, |world| world.set_material_pair(ids[0], ids[1], Some(coefficients)))?;
        }
        Ok(())
    }

    /// The shared material of this name: of the file, or of the engine's library.
    fn shared_material(&mut self, name: &str, at: usize) -> Read<MaterialId> {
        if let Some(&id) = self.materials.get(name) {
            return Ok(id);
        }
        let (material, place) = self.described(name, at, &mut Vec::new())?;
        let id = if name == BUILT_IN {
            self.engine(place, |world| world.set_material(World::MATERIAL, material))?;
            World::MATERIAL
        } else {
            self.engine(place, |world| world.add_material(material))?
        };
        self.materials.insert(name.to_owned(), id);
        Ok(id)
    }

    /// What a name of a material stands for, and where that is said.
    fn described(&self, name: &str, at: usize, open: &mut Vec<String>) -> Read<(Material, usize)> {
        match self.definitions.iter().find(|e| e.key == name) {
            Some(entry) if open.iter().any(|o| o == name) => {
                Err(Fault::new(entry.at, format!("the material {name:?} is like itself")))
            }
            Some(entry) => {
                open.push(name.to_owned());
                let material = self.read_material(&entry.node, Some(name), open)?;
                open.pop();
                Ok((material, entry.at))
            }
            None if name == BUILT_IN => Ok((Material::default(), at)),
            None => match Material::named(name) {
                Ok(material) => Ok((material, at)),
                Err(_) => {
                    let mut known: Vec<&str> = self.definitions.iter().map(|e| e.key.as_str()).collect();
                    for name in Material::names() {
                        known.push(name);
                    }
                    Err(Fault::new(at, missing("material", name, known)))
                }
            },
        }
    }

    /// A material as a table says it. One that stands under a name has that name unless it says another.
    fn read_material(&self, node: &Node, name: Option<&str>, open: &mut Vec<String>) -> Read<Material> {
        let record = Record::open(node, &MATERIAL, &self.scope)?;
        let mut material = match record.get("like") {
            Some(like) => self.described(&self.scope.text(like)?, like.at, open)?.0,
            None => Material::default(),
        };
        if let Some(name) = name.filter(|name| *name != BUILT_IN) {
            material.name = Some(name.to_owned());
        }
        if let Some(name) = record.text("name")? {
            material.name = (!name.is_empty()).then_some(name);
        }
        if let Some(friction) = record.real("friction")? {
            (material.static_friction, material.dynamic_friction) = (friction, friction);
        }
        let slots: [(&str, &mut Real); 7] = [
            ("density", &mut material.density),
            ("static_friction", &mut material.static_friction),
            ("dynamic_friction", &mut material.dynamic_friction),
            ("restitution", &mut material.restitution),
            ("tangential_restitution", &mut material.tangential_restitution),
            ("rolling_friction", &mut material.rolling_friction),
            ("spinning_friction", &mut material.spinning_friction),
        ];
        for (name, slot) in slots {
            if let Some(value) = record.real(name)? {
                *slot = value;
            }
        }
        if let Some(velocity) = record.vector("surface_velocity")? {
            material.surface_velocity = velocity.to_real();
        }
        if let Some(softness) = record.record("softness")? {
            let hertz = softness.scope.real(softness.needed("hertz")?, super::super::units::Dimension::NONE)?;
            material.softness = Some(Softness { hertz, damping_ratio: softness.real("damping_ratio")?.unwrap_or(1.0) });
        }
        material.validate().map_err(|error| Fault::new(node.at, error.to_string()))?;
        Ok(material)
    }

    /// A material of a collider: shared by name, or its own.
    pub fn material(&mut self, node: &Node) -> Read<MaterialSource> {
        match &node.item {
            Item::Text(_) => {
                let name = self.scope.text(node)?;
                self.shared_material(&name, node.at).map(MaterialSource::Shared)
            }
            Item::Table(_) => self.read_material(node, None, &mut Vec::new()).map(MaterialSource::Own),
            other => Err(wrong(node, "the name of a material, or a table", other)),
        }
    }

    /// The material itself, wherever it stands.
    pub fn material_itself(&self, source: &MaterialSource) -> Material {
        match source {
            MaterialSource::Own(material) => material.clone(),
            MaterialSource::Shared(id) => self.world.material(*id).cloned().unwrap_or_default(),
        }
    }
}
