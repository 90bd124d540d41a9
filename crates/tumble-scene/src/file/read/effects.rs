//! Force effects of a file.

use super::super::forms::EFFECT;
use super::super::forms_of_joints::{EFFECT_KINDS, EFFECTS};
use super::super::record::Record;
use super::super::text::{Fault, Node, Read};
use super::super::units::Dimension;
use super::Assembly;
use tumble::force::{Attraction, Buoyancy, Drag, Explosion, Falloff, Gravitation, Spring, Uniform};
use tumble::math::{Real, Vec3};
use tumble::{BodyId, BodySet, EffectDesc, EffectKind};

impl Assembly<'_> {
    pub fn add_effect(&mut self, node: &Node) -> Read<()> {
        let scope = self.scope.clone();
        let Some(kind) = node.get("kind") else {
            return Err(Fault::new(node.at, "a force effect needs a kind, as in kind = \"drag\""));
        };
        let word = scope.choice(&kind.node, EFFECTS)?;
        let form = EFFECT_KINDS.iter().find(|(name, _)| *name == word).map_or(&EFFECT, |(_, form)| *form);
        let record = Record::open(node, form, &scope)?;

        let mut desc = EffectDesc::new(self.effect_kind(word, &record)?);
        desc.bodies = self.affected(word, &record)?;
        desc.start = record.quantity("start")?.unwrap_or(desc.start);
        desc.end = record.quantity("end")?.unwrap_or(desc.end);
        // An explosion is over when it is over, unless the file says otherwise.
        let gone = word == "explosion" && desc.end.is_finite();
        desc.remove_at_end = record.flag("remove_at_end")?.unwrap_or(gone);
        desc.active = record.flag("active")?.unwrap_or(true);
        desc.name = record.text("name")?;
        desc.user_data = record.user_data()?.unwrap_or(0);
        self.engine(node.at, |world| world.add_effect(desc)).map(drop)
    }

    fn affected(&self, word: &str, record: &Record<'_>) -> Read<BodySet> {
        let bodies = |node: &Node| -> Read<Vec<BodyId>> {
            record.scope.list(node)?.iter().map(|node| self.body(node)).collect()
        };
        match (record.get("bodies"), record.get("except")) {
            (Some(_), Some(node)) => Err(Fault::new(node.at, "give either `bodies` or `except`")),
            (Some(node), None) if word == "spring" => self.two_bodies(node).map(|[a, b]| BodySet::pair(a, b)),
            (Some(node), None) => Ok(BodySet::list(bodies(node)?)),
            (None, Some(node)) if word != "spring" => Ok(BodySet::except(bodies(node)?)),
            _ if word == "spring" => Err(Fault::new(record.at, "a spring needs its two bodies")),
            _ => Ok(BodySet::All),
        }
    }

    fn effect_kind(&self, word: &str, record: &Record<'_>) -> Read<EffectKind> {
        let number = |name: &str, dimension: Dimension| record.scope.real(record.needed(name)?, dimension);
        let point = |name: &str| Ok(self.placing.point(record.scope.vector(record.needed(name)?, Dimension::LENGTH)?));
        Ok(match word {
            "uniform" => {
                let acceleration = record.scope.vector(record.needed("acceleration")?, Dimension::LENGTH)?;
                let acceleration: Vec3 = self.placing.direction(acceleration).to_real();
                Uniform::new(acceleration).into()
            }
            "drag" => self.drag(record)?.into(),
            "spring" => {
                let length = number("length", Dimension::LENGTH)?;
                Spring::new(length, number("spring", Dimension::SPRING)?)
                    .damping(record.real("damping")?.unwrap_or(0.0))
                    .anchor_a(record.vector("anchor_a")?.unwrap_or(Vec3::ZERO))
                    .anchor_b(record.vector("anchor_b")?.unwrap_or(Vec3::ZERO))
                    .into()
            }
            "explosion" => {
                let explosion = Explosion::new(point("centre")?, number("strength", Dimension::FORCE)?);
                let falloff = match record.choice("falloff")? {
                    Some("linear") => Falloff::Linear { radius: number("radius", Dimension::LENGTH)? },
                    Some("inverse-square") => Falloff::InverseSquare { radius: number("radius", Dimension::LENGTH)? },
                    _ => Falloff::None,
                };
                explosion.falloff(falloff).into()
            }
            "buoyancy" => {
                let normal = self.placing.direction(record.direction("normal")?.unwrap_or(Vec3::Y));
                let level = self.placing.level(normal, record.quantity("level")?.unwrap_or(0.0));
                let density = number("density", Dimension::DENSITY)?;
                Buoyancy::new(normal.to_real(), level, density).drag(self.drag(record)?).into()
            }
            "attraction" => Attraction::new(point("centre")?, number("strength", Dimension::ATTRACTION)?)
                .softening(record.real("softening")?.unwrap_or(0.0))
                .into(),
            // Only `gravitation` is left.
            _ => {
                let mut effect = Gravitation::new(number("constant", Dimension::GRAVITATION)?);
                if let Some(softening) = record.real("softening")? {
                    effect = effect.softening(softening);
                }
                effect.into()
            }
        })
    }

    fn drag(&self, record: &Record<'_>) -> Read<Drag> {
        let number = |name: &str| -> Read<Real> { Ok(record.real(name)?.unwrap_or(0.0)) };
        let wind = self.placing.direction(record.vector("wind")?.unwrap_or(Vec3::ZERO));
        Ok(Drag {
            linear: number("linear")?,
            quadratic: number("quadratic")?,
            angular_linear: number("angular_linear")?,
            angular_quadratic: number("angular_quadratic")?,
            wind: wind.to_real(),
        })
    }
}
