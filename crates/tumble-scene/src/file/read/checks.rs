//! Checks of a file: expressions over the world.

use super::super::forms::CHECK;
use super::super::record::{Record, Scope};
use super::super::sight::{Measure, Targets};
use super::super::text::{Entry, Fault, Item, Node, Read};
use crate::moment::Moment;
use crate::{Bound, Stage};
use std::sync::Arc;

/// Name, statement and unit of every check.
pub fn claims(record: &Record<'_>) -> Read<Vec<(String, String, String)>> {
    let Some(node) = record.get("check") else { return Ok(Vec::new()) };
    let mut claims: Vec<(String, String, String)> = Vec::new();
    for node in record.scope.list(node)? {
        let check = Record::open(node, &CHECK, record.scope)?;
        // Names and statements are known before there are values.
        let text = |name: &str| match check.get(name).map(|n| (&n.item, n.at)) {
            Some((Item::Text(text), _)) => Ok(text.clone()),
            Some((_, at)) => Err(Fault::new(at, format!("{name:?} must be a text"))),
            None => Ok(String::new()),
        };
        let name = text("name")?;
        if name.is_empty() || claims.iter().any(|(other, ..)| *other == name) {
            return Err(Fault::new(node.at, "every check needs a name of its own"));
        }
        let statement = match text("statement")? {
            empty if empty.is_empty() => text("measure")?,
            statement => statement,
        };
        claims.push((name, statement, text("unit")?));
    }
    Ok(claims)
}

/// The list of checks for a file that begins now, and the names of those that have nothing more to look at.
pub fn from_now(node: &Node, scope: &Scope, now: Moment) -> Read<(Node, Vec<String>)> {
    let (mut kept, mut over) = (node.clone(), Vec::new());
    let Item::List(checks) = &mut kept.item else { return Ok((kept, over)) };
    // Before the first step every word stays.
    if now.seconds == 0.0 {
        return Ok((kept, over));
    }
    for check in std::mem::take(checks) {
        let until = check.get("until").map_or(Ok(f64::INFINITY), |entry| scope.number(&entry.node))?;
        let Node { at, item: Item::Table(mut entries) } = check else { continue };
        for Entry { key, node, .. } in &mut entries {
            match (key.as_str(), &mut node.item) {
                ("from" | "until", _) => node.item = Item::Number(scope.number(node)? - now.seconds),
                ("measure", Item::Text(measure)) => *measure = super::super::write::from_now(measure, now),
                ("name", Item::Text(name)) if now.has_passed(until) => over.push(name.clone()),
                _ => {}
            }
        }
        if !now.has_passed(until) {
            checks.push(Node { at, item: Item::Table(entries) });
        }
    }
    Ok((kept, over))
}

/// Gives every check its measurement.
pub fn add(record: &Record<'_>, stage: &mut Stage) -> Read<()> {
    let Some(node) = record.get("check") else { return Ok(()) };
    let targets = Arc::new(Targets::of(&stage.world));
    for node in record.scope.list(node)? {
        let check = Record::open(node, &CHECK, record.scope)?;
        let Some(Item::Text(name)) = check.get("name").map(|n| &n.item) else { continue };
        let measure = check.needed("measure")?;
        let Item::Text(text) = &measure.item else {
            return Err(Fault::new(measure.at, "the measure of a check is an expression, as a text"));
        };
        let bound = match (check.quantity("at_most")?, check.quantity("at_least")?) {
            (Some(high), Some(low)) => Bound::Between(low, high),
            (Some(high), None) => Bound::AtMost(high),
            (None, Some(low)) => Bound::AtLeast(low),
            (None, None) => return Err(Fault::new(node.at, "a check needs `at_most`, `at_least` or both")),
        };
        let place = |(offset, words): (usize, String)| Fault::new(measure.at + 1 + offset, words);
        let measure = Measure::new(text, bound, record.scope, &stage.world, &targets).map_err(place)?;
        let from = check.quantity("from")?.unwrap_or(f64::NEG_INFINITY);
        let until = check.quantity("until")?.unwrap_or(f64::INFINITY);
        let at_end = check.flag("at_end")?.unwrap_or(false);
        stage.measure(name.clone(), measure.gauge(from, until, at_end));
    }
    Ok(())
}
