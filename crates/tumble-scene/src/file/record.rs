//! Values of tables, taken out by name, evaluated, in SI and with y up.

use super::expression::{Expression, Meaning, interpolate};
use super::form::{Field, Form, Kind};
use super::text::{Entry, Fault, Item, Node, Read};
use super::units::{Dimension, Units, Up};
use crate::names::{instead, nearest};
use std::sync::Arc;
use tumble::math::{Float, Quat, Real, Vec3};

/// What names mean at a place of a file. Every table that waits for its bodies keeps one, so what several have in common they share.
#[derive(Clone, Debug)]
pub struct Scope {
    pub units: Units,
    pub up: Up,
    /// Those of the whole file: parameters, and the values of `let`.
    globals: Arc<Vec<(String, f64)>>,
    /// The innermost of those that count.
    counter: Option<Arc<Counter>>,
}

/// A name that counts, at one of its values.
#[derive(Debug)]
struct Counter {
    name: Arc<str>,
    value: f64,
    outer: Option<Arc<Self>>,
}

impl Scope {
    /// Without names.
    pub fn new(units: Units, up: Up) -> Self {
        Self { units, up, globals: Arc::default(), counter: None }
    }

    /// In SI with y up, and without names.
    pub fn plain() -> Self {
        Self::new(Units::SI, Up::Y)
    }

    /// Adds names of the whole file.
    pub fn define(&mut self, names: impl IntoIterator<Item = (String, f64)>) {
        Arc::make_mut(&mut self.globals).extend(names);
    }

    /// A name counts from here on, until the scope is left.
    pub fn enter(&mut self, name: &Arc<str>, value: f64) {
        self.counter = Some(Arc::new(Counter { name: name.clone(), value, outer: self.counter.take() }));
    }

    /// The innermost name counts no longer.
    pub fn leave(&mut self) {
        self.counter = self.counter.take().and_then(|counter| counter.outer.clone());
    }

    /// The same where nothing counts.
    pub fn outermost(&self) -> Self {
        Self { counter: None, ..self.clone() }
    }

    /// Names that count, the innermost first.
    fn counters(&self) -> impl Iterator<Item = &Counter> {
        std::iter::successors(self.counter.as_deref(), |counter| counter.outer.as_deref())
    }

    pub fn get(&self, name: &str) -> Option<f64> {
        let counted = self.counters().find(|counter| *counter.name == *name).map(|counter| counter.value);
        counted.or_else(|| self.globals.iter().rev().find(|(n, _)| n == name).map(|(_, v)| *v))
    }
}

impl Meaning for Scope {
    fn name(&self, name: &str) -> Option<Result<f64, String>> {
        self.get(name).map(Ok)
    }

    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.counters().map(|counter| counter.name.to_string()).collect();
        names.extend(self.globals.iter().rev().map(|(name, _)| name.clone()));
        names.reverse();
        names
    }

    fn units(&self) -> Units {
        self.units
    }

    fn call(&self, _: &str, _: &[String], _: &[f64]) -> Option<Result<f64, String>> {
        None
    }
}

impl Scope {
    /// A number or an expression, in the units of the file.
    pub fn number(&self, node: &Node) -> Read<f64> {
        let value = match &node.item {
            Item::Number(value) => *value,
            // The place within the text is a guess where the text has escapes: the quotation mark is one byte.
            Item::Text(text) => Expression::parse(text)
                .and_then(|e| e.value(self))
                .map_err(|(offset, words)| Fault::new(node.at + 1 + offset, words))?,
            other => return Err(wrong(node, "a number or an expression", other)),
        };
        if value.is_nan() {
            return Err(Fault::new(node.at, "this is not a number; is something divided by zero?"));
        }
        Ok(value)
    }

    /// In SI.
    pub fn quantity(&self, node: &Node, dimension: Dimension) -> Read<f64> {
        Ok(self.number(node)? * dimension.in_si(&self.units))
    }

    pub fn real(&self, node: &Node, dimension: Dimension) -> Read<Real> {
        self.quantity(node, dimension).map(Real::from_f64)
    }

    /// A whole number.
    pub fn whole(&self, node: &Node) -> Read<u64> {
        let value = self.number(node)?;
        // Above 2⁵³ not every whole number is one of `f64`.
        if value >= 0.0 && value.fract() == 0.0 && value <= 9_007_199_254_740_992.0 {
            Ok(value as u64)
        } else {
            Err(Fault::new(
                node.at,
                format!("this must be a whole number, and not negative, got {}", crate::figure::Exact(value)),
            ))
        }
    }

    pub fn flag(&self, node: &Node) -> Read<bool> {
        match &node.item {
            Item::Flag(flag) => Ok(*flag),
            other => Err(wrong(node, "true or false", other)),
        }
    }

    pub fn text(&self, node: &Node) -> Read<String> {
        match &node.item {
            Item::Text(text) => {
                interpolate(text, self).map_err(|(offset, words)| Fault::new(node.at + 1 + offset, words))
            }
            other => Err(wrong(node, "a text", other)),
        }
    }

    /// One of these words.
    pub fn choice(&self, node: &Node, words: &'static [&'static str]) -> Read<&'static str> {
        let text = self.text(node)?;
        words.iter().find(|word| **word == text).copied().ok_or_else(|| {
            let meant = nearest(&text, words.iter().copied()).map(|near| format!("; did you mean {near:?}?"));
            Fault::new(node.at, format!("{text:?} is none of {}{}", list(words), meant.unwrap_or_default()))
        })
    }

    /// Numbers, exactly so many, in the units of the file.
    fn array<const N: usize>(&self, node: &Node) -> Read<[f64; N]> {
        let mut out = [0.0; N];
        match &node.item {
            Item::List(nodes) if nodes.len() == N => {
                for (value, node) in out.iter_mut().zip(nodes) {
                    *value = self.number(node)?;
                }
                Ok(out)
            }
            Item::List(nodes) => {
                Err(Fault::new(node.at, format!("this must be a list of {N} numbers, got {} of them", nodes.len())))
            }
            other => Err(wrong(node, &format!("a list of {N} numbers"), other)),
        }
    }

    /// Three numbers along the axes of the file, as they are.
    pub fn sizes(&self, node: &Node) -> Read<Vec3<f64>> {
        let scale = Dimension::LENGTH.in_si(&self.units);
        Ok(Vec3::from(self.up.sizes(self.array(node)?).map(|v| v * scale)))
    }

    /// Numbers of one dimension, so many.
    pub fn several<const N: usize>(&self, node: &Node, dimension: Dimension) -> Read<[f64; N]> {
        let scale = dimension.in_si(&self.units);
        Ok(self.array(node)?.map(|v| v * scale))
    }

    /// A vector in the world.
    pub fn vector(&self, node: &Node, dimension: Dimension) -> Read<Vec3<f64>> {
        let scale = dimension.in_si(&self.units);
        Ok(Vec3::from(self.up.vector(self.array(node)?).map(|v| v * scale)))
    }

    /// A direction in the world, of any length.
    pub fn direction(&self, node: &Node) -> Read<Vec3<f64>> {
        let axis = match &node.item {
            Item::Text(text) => match text.as_str() {
                "x" => [1.0, 0.0, 0.0],
                "y" => [0.0, 1.0, 0.0],
                "z" => [0.0, 0.0, 1.0],
                "-x" => [-1.0, 0.0, 0.0],
                "-y" => [0.0, -1.0, 0.0],
                "-z" => [0.0, 0.0, -1.0],
                _ => return Err(Fault::new(node.at, "a direction is one of x, y, z, -x, -y, -z, or three numbers")),
            },
            _ => self.array(node)?,
        };
        Ok(Vec3::from(self.up.vector(axis)))
    }

    /// A rotation of the world.
    pub fn rotation(&self, node: &Node) -> Read<Quat> {
        self.turn(node)
    }

    /// A rotation of the world, in either precision.
    pub fn turn<T: Float>(&self, node: &Node) -> Read<Quat<T>> {
        match &node.item {
            Item::List(nodes) if nodes.iter().all(|n| matches!(n.item, Item::Table(_))) && !nodes.is_empty() => {
                // Made one after the other: the first one acts first.
                nodes.iter().try_fold(Quat::IDENTITY, |before, node| Ok(self.turn(node)? * before))
            }
            Item::List(_) => {
                let [x, y, z, w]: [f64; 4] = self.array(node)?;
                let [x, y, z] = self.up.vector([x, y, z]);
                Ok(Quat::new(T::from_f64(x), T::from_f64(y), T::from_f64(z), T::from_f64(w)))
            }
            Item::Table(_) => {
                let record = Record::open(node, &super::forms::TURN, self)?;
                let axis = self.direction(record.needed("axis")?)?;
                let Some(axis) = axis.try_normalize() else {
                    return Err(Fault::new(record.at, "the axis of a rotation must have a length"));
                };
                let angle = self.quantity(record.needed("angle")?, Dimension::ANGLE)?;
                if !angle.is_finite() {
                    return Err(Fault::new(record.at, "the angle of a rotation must be finite"));
                }
                let turn: Quat<f64> = Quat::from_axis_angle(axis, angle);
                Ok(Quat::new(T::from_f64(turn.x), T::from_f64(turn.y), T::from_f64(turn.z), T::from_f64(turn.w)))
            }
            other => Err(wrong(node, "a rotation, as in { axis = \"y\", angle = \"30 deg\" }", other)),
        }
    }

    /// The parts of a list.
    pub fn list<'n>(&self, node: &'n Node) -> Read<&'n [Node]> {
        match &node.item {
            Item::List(nodes) => Ok(nodes),
            other => Err(wrong(node, "a list", other)),
        }
    }
}

/// Words between commas.
pub fn list(words: &[&str]) -> String {
    words.join(", ")
}

pub fn wrong(node: &Node, expected: &str, got: &Item) -> Fault {
    Fault::new(node.at, format!("this must be {expected}, got {}", got.kind()))
}

/// What to say where a table is needed; the name of a file alone is an easy slip.
pub fn no_table(node: &Node, form: &Form) -> Fault {
    let example = match &node.item {
        Item::Text(name) if form.find("file").is_some() => format!(", as in {{ file = {name:?} }}"),
        _ => String::new(),
    };
    wrong(node, &format!("{} as a table{example}", form.title), &node.item)
}

/// A table whose keys are all known.
pub struct Record<'a> {
    pub form: &'static Form,
    pub at: usize,
    pub entries: &'a [Entry],
    pub scope: &'a Scope,
}

impl<'a> Record<'a> {
    pub fn open(node: &'a Node, form: &'static Form, scope: &'a Scope) -> Read<Self> {
        let Item::Table(entries) = &node.item else {
            return Err(no_table(node, form));
        };
        for entry in entries {
            if form.find(&entry.key).is_none() {
                return Err(unknown(entry, form.title, form.all().map(|f| f.name)));
            }
        }
        Ok(Self { form, at: node.at, entries, scope })
    }

    /// The field and its value, if it is given. Every name that is asked for stands in the form.
    fn find(&self, name: &str) -> Option<(&'static Field, &'a Node)> {
        debug_assert!(self.form.find(name).is_some(), "{} has no field {name}", self.form.title);
        let entry = self.entries.iter().find(|e| e.key == name)?;
        self.form.find(name).map(|field| (field, &entry.node))
    }

    pub fn get(&self, name: &str) -> Option<&'a Node> {
        self.find(name).map(|(_, node)| node)
    }

    pub fn needed(&self, name: &str) -> Read<&'a Node> {
        self.get(name).ok_or_else(|| Fault::new(self.at, format!("{} needs a value for {name:?}", self.form.title)))
    }

    fn dimension(field: &Field) -> Dimension {
        match field.kind {
            Kind::Number(dimension) | Kind::Vector(dimension) => dimension,
            Kind::Either(kinds) => kinds
                .iter()
                .find_map(|kind| match kind {
                    Kind::Number(dimension) | Kind::Vector(dimension) => Some(*dimension),
                    _ => None,
                })
                .unwrap_or(Dimension::NONE),
            _ => Dimension::NONE,
        }
    }

    pub fn quantity(&self, name: &str) -> Read<Option<f64>> {
        self.find(name).map(|(field, node)| self.scope.quantity(node, Self::dimension(field))).transpose()
    }

    pub fn real(&self, name: &str) -> Read<Option<Real>> {
        Ok(self.quantity(name)?.map(Real::from_f64))
    }

    pub fn vector(&self, name: &str) -> Read<Option<Vec3<f64>>> {
        self.find(name).map(|(field, node)| self.scope.vector(node, Self::dimension(field))).transpose()
    }

    pub fn direction(&self, name: &str) -> Read<Option<Vec3<f64>>> {
        self.get(name).map(|node| self.scope.direction(node)).transpose()
    }

    pub fn rotation(&self, name: &str) -> Read<Option<Quat>> {
        self.get(name).map(|node| self.scope.rotation(node)).transpose()
    }

    pub fn flag(&self, name: &str) -> Read<Option<bool>> {
        self.get(name).map(|node| self.scope.flag(node)).transpose()
    }

    pub fn text(&self, name: &str) -> Read<Option<String>> {
        self.get(name).map(|node| self.scope.text(node)).transpose()
    }

    pub fn whole(&self, name: &str) -> Read<Option<u64>> {
        self.get(name).map(|node| self.scope.whole(node)).transpose()
    }

    /// A number of 64 bits, of which not all are numbers of `f64`: beyond 2⁵³ as a text of digits.
    pub fn user_data(&self) -> Read<Option<u64>> {
        match self.get("user_data") {
            Some(Node { item: Item::Text(text), .. }) if text.parse::<u64>().is_ok() => Ok(text.parse().ok()),
            Some(node) => self.scope.whole(node).map(Some),
            None => Ok(None),
        }
    }

    pub fn choice(&self, name: &str) -> Read<Option<&'static str>> {
        match self.find(name) {
            Some((Field { kind: Kind::Choice(words), .. }, node)) => self.scope.choice(node, words).map(Some),
            _ => Ok(None),
        }
    }

    pub fn record(&self, name: &str) -> Read<Option<Record<'a>>> {
        match self.find(name) {
            Some((Field { kind: Kind::Table(form), .. }, node)) => Record::open(node, form, self.scope).map(Some),
            _ => Ok(None),
        }
    }
}

/// What to say about a key that does not belong.
pub fn unknown(entry: &Entry, title: &str, known: impl IntoIterator<Item = &'static str>) -> Fault {
    Fault::new(entry.at, format!("there is no {:?} in {title}; {}", entry.key, instead(&entry.key, known)))
}
