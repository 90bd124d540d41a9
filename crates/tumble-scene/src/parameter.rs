//! What can be changed about a scene from outside: named numbers with ranges.

use crate::error::{Error, Result};
use crate::names::instead;
use serde::Serialize;
use std::borrow::Cow;
use tumble::math::{Float, Real};

/// A number that a scene can be built with.
///
/// ```
/// use tumble_scene::Parameter;
/// let bricks = Parameter::new("bricks", 34.0).range(1.0, 10_000.0).whole().help("Bricks in the wall");
/// assert!(bricks.accepts(12.0));
/// assert!(!bricks.accepts(0.5) && !bricks.accepts(f64::NAN));
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Parameter {
    /// Its name, in kebab-case.
    pub name: Cow<'static, str>,
    /// The value where none is given.
    pub default: f64,
    /// Smallest value.
    pub min: f64,
    /// Largest value.
    pub max: f64,
    /// Only whole numbers will do.
    pub whole: bool,
    /// Its unit, such as `m/s`; empty for counts and ratios.
    pub unit: Cow<'static, str>,
    /// What it changes, in a line.
    pub help: Cow<'static, str>,
}

impl Parameter {
    /// A number of any finite size.
    pub fn new(name: impl Into<Cow<'static, str>>, default: f64) -> Self {
        Self {
            name: name.into(),
            default,
            min: f64::MIN,
            max: f64::MAX,
            whole: false,
            unit: Cow::Borrowed(""),
            help: Cow::Borrowed(""),
        }
    }

    /// Smallest and largest value.
    #[must_use]
    pub fn range(mut self, min: f64, max: f64) -> Self {
        (self.min, self.max) = (min, max);
        self
    }

    /// Only whole numbers will do.
    #[must_use]
    pub fn whole(mut self) -> Self {
        self.whole = true;
        self
    }

    /// Its unit.
    #[must_use]
    pub fn unit(mut self, unit: impl Into<Cow<'static, str>>) -> Self {
        self.unit = unit.into();
        self
    }

    /// What it changes, in a line.
    #[must_use]
    pub fn help(mut self, help: impl Into<Cow<'static, str>>) -> Self {
        self.help = help.into();
        self
    }

    /// The value is in the range; NaN never is.
    pub fn accepts(&self, value: f64) -> bool {
        (self.min..=self.max).contains(&value) && (!self.whole || value.fract() == 0.0)
    }

    fn expected(&self) -> String {
        let kind = if self.whole { "a whole number between" } else { "between" };
        let unit = if self.unit.is_empty() { String::new() } else { format!(" {}", self.unit) };
        format!("{kind} {} and {}{unit}", self.min, self.max)
    }
}

/// Values for the parameters of one scene, all of them in range.
///
/// ```
/// # fn main() -> tumble_scene::Result<()> {
/// let mut values = tumble_scene::library::find("free-fall")?.values();
/// values.set("height", 50.0)?;
/// assert_eq!(values.get("height")?, 50.0);
/// let error = values.set("heigth", 50.0).unwrap_err();
/// assert!(error.to_string().ends_with(r#"no parameter "heigth"; the nearest name is "height""#));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Values {
    scene: Cow<'static, str>,
    entries: Vec<(Parameter, f64)>,
}

impl Values {
    pub(crate) fn defaults(scene: Cow<'static, str>, parameters: &[Parameter]) -> Self {
        Self { scene, entries: parameters.iter().map(|p| (p.clone(), p.default)).collect() }
    }

    /// Changes a value. An error names the nearest parameter, or the range.
    pub fn set(&mut self, name: &str, value: f64) -> Result<()> {
        let unknown = self.unknown(name);
        let (parameter, entry) = self.entries.iter_mut().find(|(p, _)| p.name == name).ok_or(unknown)?;
        if !parameter.accepts(value) {
            return Err(Error::Value {
                scene: self.scene.to_string(),
                name: name.to_owned(),
                expected: parameter.expected(),
                value,
            });
        }
        *entry = value;
        Ok(())
    }

    /// The value of a parameter.
    pub fn get(&self, name: &str) -> Result<f64> {
        self.entries.iter().find(|(p, _)| p.name == name).map(|(_, v)| *v).ok_or_else(|| self.unknown(name))
    }

    /// The value of a parameter in the precision of the engine.
    pub fn real(&self, name: &str) -> Result<Real> {
        self.get(name).map(Real::from_f64)
    }

    /// The value of a parameter that counts something.
    pub fn count(&self, name: &str) -> Result<u32> {
        // Saturates; ranges of counts are far smaller.
        self.get(name).map(|v| v as u32)
    }

    /// Every parameter with its value, in the order of their declaration.
    pub fn iter(&self) -> impl Iterator<Item = (&Parameter, f64)> {
        self.entries.iter().map(|(p, v)| (p, *v))
    }

    fn unknown(&self, name: &str) -> Error {
        Error::UnknownParameter {
            scene: self.scene.to_string(),
            name: name.to_owned(),
            advice: match self.entries.as_slice() {
                [] => "it has none at all".to_owned(),
                some => instead(name, some.iter().map(|(p, _)| p.name.as_ref())),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values() -> Values {
        let parameters = [
            Parameter::new("speed", 2.0).range(0.5, 10.0).unit("m/s"),
            Parameter::new("count", 3.0).range(1.0, 9.0).whole(),
        ];
        Values::defaults(Cow::Borrowed("test"), &parameters)
    }

    /// Whatever is refused leaves the values as they were, and the message says what would do.
    #[test]
    fn values_out_of_range_are_refused() {
        let mut v = values();
        for wrong in [f64::NAN, f64::INFINITY, -1.0, 0.499, 10.001] {
            let error = v.set("speed", wrong).unwrap_err().to_string();
            assert_eq!(error, format!("scene \"test\": speed must be between 0.5 and 10 m/s, got {wrong}"));
        }
        let error = v.set("count", 2.5).unwrap_err().to_string();
        assert_eq!(error, "scene \"test\": count must be a whole number between 1 and 9, got 2.5");
        assert_eq!(v, values());
        v.set("speed", 10.0).unwrap();
        assert_eq!(v.real("speed").unwrap(), 10.0);
        assert_eq!(v.count("count").unwrap(), 3);
    }

    /// A wrong name is answered with the right one, both when a value is set and when a scene reads it.
    #[test]
    fn unknown_names_are_refused() {
        let mut v = values();
        assert_eq!(v.set("sped", 1.0).unwrap_err(), v.get("sped").unwrap_err());
        assert!(v.get("SPEED").unwrap_err().to_string().ends_with("the nearest name is \"speed\""));
        let none = Values::defaults(Cow::Borrowed("bare"), &[]);
        assert_eq!(
            none.get("speed").unwrap_err().to_string(),
            "scene \"bare\" has no parameter \"speed\"; it has none at all"
        );
    }
}
