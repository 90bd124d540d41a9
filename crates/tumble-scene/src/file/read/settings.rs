//! What stands at the head of a file: units, parameters, values, gravity, time, method, camera.

use super::super::expression::{Expression, Meaning};
use super::super::record::{Record, Scope, wrong};
use super::super::text::{Entry, Fault, Item, Node, Read};
use super::super::units::{Units, Up};
use super::method;
use crate::{Camera, Parameter, Stage};
use std::cell::RefCell;
use tumble::math::Vec3;

/// The units of the file and its upward axis.
pub fn units(record: &Record<'_>) -> Read<(Units, Up)> {
    let mut units = Units::SI;
    if let Some(chosen) = record.record("units")? {
        let size = |name: &str| Ok(chosen.choice(name)?.and_then(Units::named).map_or(1.0, |(si, _)| si));
        units = Units { length: size("length")?, mass: size("mass")?, angle: size("angle")? };
    }
    let up = if record.choice("up")? == Some("z") { Up::Z } else { Up::Y };
    Ok((units, up))
}

/// The entries of a table of named things.
pub fn entries<'a>(record: &Record<'a>, name: &str) -> &'a [Entry] {
    match record.get(name) {
        Some(Node { item: Item::Table(entries), .. }) => entries,
        _ => &[],
    }
}

/// Longer than any name: what is repeated has a copy of each that counts.
const LONGEST_NAME: usize = 64;

/// A name that expressions can say.
pub fn check_name(entry: &Entry) -> Read<()> {
    if entry.key.len() > LONGEST_NAME {
        let start: String = entry.key.chars().take(8).collect();
        let message = format!("\"{start}...\" cannot be a name: it has more than {LONGEST_NAME} letters");
        return Err(Fault::new(entry.at, message));
    }
    let sound = entry.key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !entry.key.starts_with(|c: char| c.is_ascii_digit())
        && !["and", "or", "not", ""].contains(&entry.key.as_str());
    if sound {
        return Ok(());
    }
    let advice = "a name in expressions is made of letters, digits and _, and begins with no digit";
    Err(Fault::new(entry.at, format!("{:?} cannot be a name: {advice}", entry.key)))
}

/// What `--set` can change.
pub fn parameters(record: &Record<'_>) -> Read<Vec<Parameter>> {
    let Some(node) = record.get("parameters") else { return Ok(Vec::new()) };
    let Item::Table(entries) = &node.item else { return Err(wrong(node, "a table of parameters", &node.item)) };
    let mut list = Vec::new();
    for entry in entries {
        check_name(entry)?;
        let scope = record.scope;
        let parameter = match &entry.node.item {
            Item::Table(_) => {
                let given = Record::open(&entry.node, &super::super::forms::PARAMETER, scope)?;
                let mut parameter = Parameter::new(entry.key.clone(), scope.number(given.needed("default")?)?)
                    .range(given.quantity("min")?.unwrap_or(f64::MIN), given.quantity("max")?.unwrap_or(f64::MAX))
                    .unit(given.text("unit")?.unwrap_or_default())
                    .help(given.text("help")?.unwrap_or_default());
                parameter.whole = given.flag("whole")?.unwrap_or(false);
                parameter
            }
            _ => Parameter::new(entry.key.clone(), scope.number(&entry.node)?),
        };
        if !parameter.accepts(parameter.default) {
            return Err(Fault::new(entry.node.at, format!("the default of {:?} is outside its range", entry.key)));
        }
        list.push(parameter);
    }
    Ok(list)
}

/// Names whose values are found when they are asked for, each once.
struct Lazy<'a> {
    scope: &'a Scope,
    entries: &'a [Entry],
    found: RefCell<Vec<Finding>>,
    /// Those that are being found for one another, by recursion.
    open: RefCell<Vec<usize>>,
}

#[derive(Clone, Copy)]
enum Finding {
    NotYet,
    UnderWay,
    Value(f64),
}

/// Longer than any chain of definitions.
const LONGEST_CHAIN: usize = 200;

impl Lazy<'_> {
    fn value(&self, index: usize, entry: &Entry) -> Result<f64, String> {
        match self.found.borrow()[index] {
            Finding::Value(value) => return Ok(value),
            Finding::UnderWay => {
                let open = self.open.borrow();
                let between = open.iter().skip_while(|i| **i != index).skip(1);
                let names: Vec<String> = between.map(|i| format!("{:?}", self.entries[*i].key)).collect();
                let way = if names.is_empty() { String::new() } else { format!(", by way of {}", names.join(", ")) };
                return Err(format!("{:?} depends on itself{way}", entry.key));
            }
            Finding::NotYet => {}
        }
        if self.open.borrow().len() > LONGEST_CHAIN {
            return Err(format!("more than {LONGEST_CHAIN} values depend on each other in a row"));
        }
        self.open.borrow_mut().push(index);
        self.found.borrow_mut()[index] = Finding::UnderWay;
        let value = match &entry.node.item {
            Item::Number(value) => *value,
            Item::Text(text) => Expression::parse(text).and_then(|e| e.value(self)).map_err(|(_, words)| words)?,
            other => return Err(format!("{:?} must be a number or an expression, got {}", entry.key, other.kind())),
        };
        if value.is_nan() {
            return Err(format!("{:?} is not a number; is something divided by zero?", entry.key));
        }
        self.found.borrow_mut()[index] = Finding::Value(value);
        self.open.borrow_mut().pop();
        Ok(value)
    }
}

impl Meaning for Lazy<'_> {
    fn name(&self, name: &str) -> Option<Result<f64, String>> {
        match self.entries.iter().enumerate().find(|(_, e)| e.key == name) {
            Some((index, entry)) => Some(self.value(index, entry)),
            None => self.scope.get(name).map(Ok),
        }
    }

    fn names(&self) -> Vec<String> {
        self.scope.names().into_iter().chain(self.entries.iter().map(|e| e.key.clone())).collect()
    }

    fn units(&self) -> Units {
        self.scope.units
    }

    fn call(&self, _: &str, _: &[String], _: &[f64]) -> Option<Result<f64, String>> {
        None
    }
}

/// Adds the values of `let` to the scope, in whichever order they need each other.
pub fn definitions(record: &Record<'_>, scope: &mut Scope) -> Read<()> {
    let Some(node) = record.get("let") else { return Ok(()) };
    let Item::Table(entries) = &node.item else { return Err(wrong(node, "a table of values", &node.item)) };
    let mut values = Vec::with_capacity(entries.len());
    for entry in entries {
        check_name(entry)?;
        if scope.get(&entry.key).is_some() {
            return Err(Fault::new(entry.at, format!("{:?} is a parameter already", entry.key)));
        }
    }
    let found = RefCell::new(vec![Finding::NotYet; entries.len()]);
    let lazy = Lazy { scope, entries, found, open: RefCell::default() };
    for (index, entry) in entries.iter().enumerate() {
        let value = lazy.value(index, entry).map_err(|words| Fault::new(entry.node.at, words))?;
        values.push((entry.key.clone(), value));
    }
    scope.define(values);
    Ok(())
}

pub fn camera(record: &Record<'_>) -> Read<Camera> {
    let mut camera = Camera::default();
    let Some(given) = record.record("camera")? else { return Ok(camera) };
    if let Some(eye) = given.vector("eye")? {
        camera.eye = eye.to_array();
    }
    if let Some(target) = given.vector("target")? {
        camera.target = target.to_array();
    }
    if let Some(degrees) = given.quantity("field_of_view")? {
        camera.field_of_view = degrees;
    }
    let sound = camera.eye.iter().chain(&camera.target).all(|v| v.is_finite())
        && camera.field_of_view > 0.0
        && camera.field_of_view < 180.0;
    if sound {
        Ok(camera)
    } else {
        Err(Fault::new(given.at, "the camera needs finite numbers and a view of 0 to 180 degrees"))
    }
}

/// Gravity, time and method.
pub fn apply(record: &Record<'_>, stage: &mut Stage) -> Read<()> {
    if let Some(node) = record.get("method") {
        let method = method::read(node, record.scope)?;
        stage.prefer_method(method).map_err(|error| Fault::new(node.at, error.to_string()))?;
    }
    if let Some(node) = record.get("dt") {
        let dt = record.scope.number(node)?;
        stage.prefer_dt(dt).map_err(|error| Fault::new(node.at, error.to_string()))?;
    }
    if let Some(gravity) = record.vector("gravity")? {
        let at = record.get("gravity").map_or(record.at, |node| node.at);
        let gravity: Vec3 = gravity.to_real();
        stage.world.set_gravity(gravity).map_err(|error| Fault::new(at, error.to_string()))?;
    }
    if let Some(node) = record.get("seconds") {
        let seconds = record.scope.number(node)?;
        if !(seconds > 0.0 && seconds.is_finite()) {
            return Err(Fault::new(node.at, "the seconds must be positive and finite"));
        }
        stage.run_for(seconds);
    }
    Ok(())
}
