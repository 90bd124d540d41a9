//! Materials, and how two of them make the coefficients of a contact.

use crate::error::{Error, Result};
use crate::id::MaterialId;
use crate::math::{Num, Real, Vec3};
use crate::record::stream::{Sink, Source};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a surface is made of.
///
/// ```
/// use tumble::Material;
/// let rubber = Material::named("rubber").unwrap();
/// assert!(rubber.static_friction >= rubber.dynamic_friction);
/// let slippery = Material { static_friction: 0.05, dynamic_friction: 0.04, ..Material::default() };
/// # let _ = slippery;
/// ```
///
/// ```
/// use tumble::Material;
/// assert!(Material::names().any(|name| name == "ice"));
/// let puck = Material::named("rubber").unwrap().with_friction(0.1).with_restitution(0.5).with_density(1500.0);
/// assert_eq!((puck.static_friction, puck.dynamic_friction), (0.1, 0.1));
/// assert!(puck.validate().is_ok() && puck.with_restitution(2.0).validate().is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Material {
    /// A name, for people and for the table of special pairs.
    pub name: Option<String>,
    /// kg/m³; the mass of a body is the sum over its colliders.
    pub density: Real,
    /// Coefficient of friction while the surfaces stick: |f_t| <= μ_s f_n.
    pub static_friction: Real,
    /// Coefficient of friction while they slide; at most the static one.
    pub dynamic_friction: Real,
    /// Share of the normal approach speed that comes back (Newton): 0 plastic, 1 elastic.
    pub restitution: Real,
    /// Share of the tangential slip speed that is turned round when the surfaces stick in an impact, -1 to 1: 0 stops the
    /// slip, 1 is a perfect superball, -1 leaves it (001-46).
    pub tangential_restitution: Real,
    /// Rolling friction as a lever arm in metres: the torque against rolling is at most this times the normal force.
    pub rolling_friction: Real,
    /// Spinning friction as a lever arm in metres: the torque against spinning about the normal is at most this times the
    /// normal force, beyond what the size of the contact area gives by itself.
    pub spinning_friction: Real,
    /// Velocity of the surface relative to its body, in the body's frame: a conveyor belt (003-39).
    pub surface_velocity: Vec3,
    /// How soft contacts with this material are; `None` is as hard as the method allows.
    pub softness: Option<Softness>,
}

/// A contact or joint that gives way like a damped spring.
///
/// ```
/// use tumble::{Material, Softness};
/// let foam = Material { softness: Some(Softness { hertz: 5.0, damping_ratio: 0.7 }), ..Material::default() };
/// assert!(foam.validate().is_ok());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Softness {
    /// Frequency of the spring in hertz.
    pub hertz: Real,
    /// Damping ratio; 1 is critical.
    pub damping_ratio: Real,
}

impl Default for Material {
    fn default() -> Self {
        Self {
            name: None,
            density: 1000.0,
            static_friction: 0.5,
            dynamic_friction: 0.5,
            restitution: 0.0,
            tangential_restitution: 0.0,
            rolling_friction: 0.0,
            spinning_friction: 0.0,
            surface_velocity: Vec3::ZERO,
            softness: None,
        }
    }
}

/// The small library: name, density, static friction, dynamic friction, restitution, each against its own kind. Typical
/// values of handbooks; the true ones of a surface vary by a third and more with finish, dirt and wear.
const LIBRARY: &[(&str, Real, Real, Real, Real)] = &[
    ("wood", 600.0, 0.5, 0.3, 0.4),
    ("steel", 7850.0, 0.7, 0.5, 0.6),
    ("aluminium", 2700.0, 1.0, 0.6, 0.5),
    ("glass", 2500.0, 0.9, 0.4, 0.65),
    ("ice", 917.0, 0.1, 0.03, 0.3),
    ("rubber", 1100.0, 1.15, 0.9, 0.8),
    ("concrete", 2400.0, 0.75, 0.6, 0.3),
    ("stone", 2700.0, 0.7, 0.6, 0.4),
    ("plastic", 1050.0, 0.4, 0.3, 0.6),
    ("teflon", 2200.0, 0.04, 0.04, 0.4),
    ("leather", 860.0, 0.6, 0.5, 0.2),
    ("cardboard", 690.0, 0.5, 0.4, 0.2),
];

/// Pairs whose coefficients no rule gives: name, name, static, dynamic friction, restitution.
const SPECIAL_PAIRS: &[(&str, &str, Real, Real, Real)] = &[
    ("wood", "steel", 0.4, 0.2, 0.45),
    ("rubber", "concrete", 1.0, 0.8, 0.7),
    ("rubber", "ice", 0.15, 0.1, 0.5),
    ("steel", "ice", 0.03, 0.015, 0.35),
    ("steel", "teflon", 0.04, 0.04, 0.4),
    ("wood", "concrete", 0.62, 0.5, 0.35),
    ("leather", "wood", 0.5, 0.4, 0.3),
];

impl Material {
    /// A material of the library by name, or an error that lists the names.
    pub fn named(name: &str) -> Result<Self> {
        match LIBRARY.iter().find(|m| m.0 == name) {
            Some(&(_, density, static_friction, dynamic_friction, restitution)) => Ok(Self {
                name: Some(name.to_owned()),
                density,
                static_friction,
                dynamic_friction,
                restitution,
                ..Self::default()
            }),
            None => Err(Error::refused(
                format!("material {name:?}"),
                format!("not in the library; it has {}", Self::names().collect::<Vec<_>>().join(", ")),
            )),
        }
    }

    /// The names of the library.
    pub fn names() -> impl Iterator<Item = &'static str> {
        LIBRARY.iter().map(|m| m.0)
    }

    /// Both friction coefficients at once.
    pub fn with_friction(self, friction: Real) -> Self {
        Self { static_friction: friction, dynamic_friction: friction, ..self }
    }

    /// With this restitution.
    pub fn with_restitution(self, restitution: Real) -> Self {
        Self { restitution, ..self }
    }

    /// With this density.
    pub fn with_density(self, density: Real) -> Self {
        Self { density, ..self }
    }

    /// An error that names the first coefficient outside its range.
    pub fn validate(&self) -> Result<()> {
        let subject = || match &self.name {
            Some(name) => format!("material {name:?}"),
            None => "material".to_owned(),
        };
        let not_negative: [(&'static str, Real); 6] = [
            ("density", self.density),
            ("static friction", self.static_friction),
            ("dynamic friction", self.dynamic_friction),
            ("rolling friction", self.rolling_friction),
            ("spinning friction", self.spinning_friction),
            ("restitution", self.restitution),
        ];
        for (property, v) in not_negative {
            if !(v >= 0.0 && v.is_finite()) {
                return Err(Error::value(subject(), property, "finite and not negative", v));
            }
        }
        if self.restitution > 1.0 {
            return Err(Error::value(subject(), "restitution", "between 0 and 1", self.restitution));
        }
        if self.dynamic_friction > self.static_friction {
            return Err(Error::value(
                subject(),
                "dynamic friction",
                "at most the static friction",
                self.dynamic_friction,
            ));
        }
        if self.tangential_restitution.is_nan() || self.tangential_restitution.abs() > 1.0 {
            return Err(Error::value(
                subject(),
                "tangential restitution",
                "between -1 and 1",
                self.tangential_restitution,
            ));
        }
        if !self.surface_velocity.is_finite() {
            return Err(Error::value(
                subject(),
                "surface velocity",
                "finite",
                format_args!("{:?}", self.surface_velocity),
            ));
        }
        if let Some(s) = self.softness {
            s.validate(&subject())?;
        }
        Ok(())
    }

    /// Equal to the last bit, but for their names.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        let numbers = |m: &Self| {
            let Softness { hertz, damping_ratio } = m.softness.unwrap_or(Softness { hertz: -1.0, damping_ratio: 0.0 });
            let Vec3 { x, y, z } = m.surface_velocity;
            [
                m.density,
                m.static_friction,
                m.dynamic_friction,
                m.restitution,
                m.tangential_restitution,
                m.rolling_friction,
                m.spinning_friction,
                x,
                y,
                z,
                hertz,
                damping_ratio,
            ]
            .map(Real::to_bits)
        };
        numbers(self) == numbers(other)
    }

    /// All but its name.
    pub(crate) fn save(&self, out: &mut impl Sink) {
        let Self {
            name: _,
            density,
            static_friction,
            dynamic_friction,
            restitution,
            tangential_restitution,
            rolling_friction,
            spinning_friction,
            surface_velocity,
            softness,
        } = self;
        let Vec3 { x, y, z } = *surface_velocity;
        out.reals(&[
            *density,
            *static_friction,
            *dynamic_friction,
            *restitution,
            *tangential_restitution,
            *rolling_friction,
            *spinning_friction,
            x,
            y,
            z,
        ]);
        out.bool(softness.is_some());
        if let Some(Softness { hertz, damping_ratio }) = softness {
            out.real(*hertz);
            out.real(*damping_ratio);
        }
    }

    /// What [`Material::save`] wrote: without a name.
    pub(crate) fn load(source: &mut Source<'_>) -> Result<Self> {
        let [
            density,
            static_friction,
            dynamic_friction,
            restitution,
            tangential_restitution,
            rolling_friction,
            spinning_friction,
            x,
            y,
            z,
        ] = source.reals()?;
        let material = Self {
            name: None,
            density,
            static_friction,
            dynamic_friction,
            restitution,
            tangential_restitution,
            rolling_friction,
            spinning_friction,
            surface_velocity: Vec3::new(x, y, z),
            softness: if source.bool()? {
                Some(Softness { hertz: source.real()?, damping_ratio: source.real()? })
            } else {
                None
            },
        };
        material.validate()?;
        Ok(material)
    }
}

impl Softness {
    pub(crate) fn validate(&self, subject: &str) -> Result<()> {
        if !(self.hertz > 0.0 && self.hertz.is_finite()) {
            return Err(Error::value(subject, "softness frequency", "positive and finite", self.hertz));
        }
        if !(self.damping_ratio >= 0.0 && self.damping_ratio.is_finite()) {
            return Err(Error::value(subject, "damping ratio", "finite and not negative", self.damping_ratio));
        }
        Ok(())
    }
}

/// How one coefficient of a pair comes from those of the two surfaces (003-37, 003-38).
///
/// ```
/// use tumble::Mix;
/// let of = |mix: Mix| mix.apply(0.25, 1.0);
/// assert_eq!([of(Mix::Min), of(Mix::Max), of(Mix::Average), of(Mix::Product)], [0.25, 1.0, 0.625, 0.25]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mix {
    /// The smaller.
    Min,
    /// The larger.
    Max,
    /// (a + b) / 2
    Average,
    /// a b
    Product,
    /// √(a b)
    GeometricMean,
}

/// A coefficient of a pair beyond which more makes no difference.
const LARGEST: Real = 1e10;

impl Mix {
    /// The coefficient of the pair; at most 1e10, so that what is meant to be without limit stays a number.
    ///
    /// ```
    /// use tumble::Mix;
    /// assert_eq!(Mix::GeometricMean.apply(0.25, 1.0), 0.5);
    /// ```
    pub fn apply(self, a: Real, b: Real) -> Real {
        let (a, b) = (Num::min(a, LARGEST), Num::min(b, LARGEST));
        let mixed = match self {
            Self::Min => Num::min(a, b),
            Self::Max => Num::max(a, b),
            Self::Average => 0.5 * (a + b),
            Self::Product => a * b,
            Self::GeometricMean => (a * b).sqrt(),
        };
        Num::min(mixed, LARGEST)
    }
}

/// The rules for pairs that no table lists; a slot of the method.
///
/// ```
/// use tumble::{Material, MaterialRule};
/// let (wood, ice) = (Material::named("wood").unwrap(), Material::named("ice").unwrap());
/// let pair = MaterialRule::default().combine(&wood, &ice);
/// assert!((pair.static_friction - 0.2236).abs() < 1e-4); // √(0.5 · 0.1)
/// assert_eq!(pair.restitution, 0.4); // the larger
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MaterialRule {
    /// For static and dynamic friction. Rolling and spinning friction are lever arms, made by the deformation of the softer of the
    /// two surfaces: the larger one counts, whatever the rule.
    pub friction: Mix,
    /// For normal and tangential restitution.
    pub restitution: Mix,
}

impl Default for MaterialRule {
    fn default() -> Self {
        Self { friction: Mix::GeometricMean, restitution: Mix::Max }
    }
}

/// The coefficients of a contact between two surfaces.
///
/// ```
/// use tumble::{Material, World};
/// # fn main() -> tumble::Result<()> {
/// let mut world = World::new();
/// let (ski, snow) = (world.add_material(Material::default())?, world.add_material(Material::default())?);
/// let mut pair = world.pair_coefficients(ski, snow)?; // by the rule
/// (pair.static_friction, pair.dynamic_friction) = (0.08, 0.03); // measured
/// world.set_material_pair(ski, snow, Some(pair))?;
/// assert_eq!(world.pair_coefficients(snow, ski)?.dynamic_friction, 0.03);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PairCoefficients {
    /// As [`Material::static_friction`].
    pub static_friction: Real,
    /// As [`Material::dynamic_friction`].
    pub dynamic_friction: Real,
    /// As [`Material::restitution`].
    pub restitution: Real,
    /// As [`Material::tangential_restitution`].
    #[serde(default)]
    pub tangential_restitution: Real,
    /// As [`Material::rolling_friction`].
    #[serde(default)]
    pub rolling_friction: Real,
    /// As [`Material::spinning_friction`].
    #[serde(default)]
    pub spinning_friction: Real,
}

impl PairCoefficients {
    /// An error that names the first coefficient outside its range.
    pub(crate) fn validate(&self, subject: String) -> Result<()> {
        let Self {
            static_friction,
            dynamic_friction,
            restitution,
            tangential_restitution,
            rolling_friction,
            spinning_friction,
        } = *self;
        Material {
            name: Some(subject),
            static_friction,
            dynamic_friction,
            restitution,
            tangential_restitution,
            rolling_friction,
            spinning_friction,
            ..Material::default()
        }
        .validate()
    }
}

impl MaterialRule {
    /// The coefficients that the rules give for two materials.
    pub fn combine(&self, a: &Material, b: &Material) -> PairCoefficients {
        let friction = |x: Real, y: Real| self.friction.apply(x, y);
        // Tangential restitution may be negative, where a geometric mean has no value.
        let tangential = match self.restitution {
            Mix::GeometricMean | Mix::Product => Mix::Average.apply(a.tangential_restitution, b.tangential_restitution),
            mix => mix.apply(a.tangential_restitution, b.tangential_restitution),
        };
        PairCoefficients {
            static_friction: friction(a.static_friction, b.static_friction),
            dynamic_friction: friction(a.dynamic_friction, b.dynamic_friction),
            restitution: self.restitution.apply(a.restitution, b.restitution),
            tangential_restitution: tangential,
            rolling_friction: Num::max(a.rolling_friction, b.rolling_friction),
            spinning_friction: Num::max(a.spinning_friction, b.spinning_friction),
        }
    }
}

/// Special pairs of materials, by id, in either order. They take precedence over the [`MaterialRule`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PairTable {
    pairs: BTreeMap<(MaterialId, MaterialId), PairCoefficients>,
}

impl PairTable {
    /// The coefficients of this pair, if it is special.
    pub fn get(&self, a: MaterialId, b: MaterialId) -> Option<&PairCoefficients> {
        self.pairs.get(&(a.min(b), a.max(b)))
    }

    pub(crate) fn set(&mut self, a: MaterialId, b: MaterialId, pair: Option<PairCoefficients>) -> Result<()> {
        let key = (a.min(b), a.max(b));
        match pair {
            Some(pair) => {
                pair.validate(format!("{a} on {b}"))?;
                self.pairs.insert(key, pair);
            }
            None => {
                self.pairs.remove(&key);
            }
        }
        Ok(())
    }

    /// Every special pair, in the order of the ids.
    pub(crate) fn iter(&self) -> impl Iterator<Item = ((MaterialId, MaterialId), &PairCoefficients)> + '_ {
        self.pairs.iter().map(|(&pair, coefficients)| (pair, coefficients))
    }

    /// The materials that are named in it.
    pub(crate) fn named(&self) -> impl Iterator<Item = MaterialId> {
        self.pairs.keys().flat_map(|&(a, b)| [a, b])
    }

    pub(crate) fn forget(&mut self, id: MaterialId) {
        self.pairs.retain(|&(a, b), _| a != id && b != id);
    }

    pub(crate) fn save(&self, out: &mut impl Sink) {
        let Self { pairs } = self;
        out.u32(pairs.len() as u32);
        for (&(a, b), pair) in pairs {
            let PairCoefficients {
                static_friction,
                dynamic_friction,
                restitution,
                tangential_restitution,
                rolling_friction,
                spinning_friction,
            } = *pair;
            out.u64(a.to_bits());
            out.u64(b.to_bits());
            for v in [
                static_friction,
                dynamic_friction,
                restitution,
                tangential_restitution,
                rolling_friction,
                spinning_friction,
            ] {
                out.real(v);
            }
        }
    }

    pub(crate) fn load(source: &mut Source<'_>) -> Result<Self> {
        let mut table = Self::default();
        for _ in 0..source.count(40)? {
            let (a, b) = (MaterialId::from_bits(source.u64()?), MaterialId::from_bits(source.u64()?));
            let pair = PairCoefficients {
                static_friction: source.real()?,
                dynamic_friction: source.real()?,
                restitution: source.real()?,
                tangential_restitution: source.real()?,
                rolling_friction: source.real()?,
                spinning_friction: source.real()?,
            };
            table.set(a, b, Some(pair))?;
        }
        Ok(table)
    }
}

/// The special pair of two named materials of the library, such as wood on steel.
///
/// ```
/// let pair = tumble::library_pair("steel", "wood").unwrap();
/// assert_eq!(pair.static_friction, 0.4);
/// ```
pub fn library_pair(a: &str, b: &str) -> Option<PairCoefficients> {
    SPECIAL_PAIRS.iter().find(|p| (p.0, p.1) == (a, b) || (p.0, p.1) == (b, a)).map(
        |&(_, _, static_friction, dynamic_friction, restitution)| PairCoefficients {
            static_friction,
            dynamic_friction,
            restitution,
            tangential_restitution: 0.0,
            rolling_friction: 0.0,
            spinning_friction: 0.0,
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn library_is_valid() {
        for name in Material::names() {
            Material::named(name).unwrap().validate().unwrap();
        }
        for &(a, b, ..) in SPECIAL_PAIRS {
            assert!(Material::named(a).is_ok() && Material::named(b).is_ok());
        }
        assert!(Material::named("woood").unwrap_err().to_string().contains("wood, steel"));
    }

    #[test]
    fn pair_table_does_not_care_for_order() {
        let (a, b) = (MaterialId::new(0, 0), MaterialId::new(1, 0));
        let mut table = PairTable::default();
        table.set(b, a, library_pair("wood", "steel")).unwrap();
        assert_eq!(table.get(a, b), table.get(b, a));
        assert!(table.get(a, b).is_some());
        table.forget(a);
        assert!(table.get(a, b).is_none());
    }
}
