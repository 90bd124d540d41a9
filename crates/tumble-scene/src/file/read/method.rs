//! Methods: a preset, and what differs from it.
//!
//! A method is data of the engine, which knows its slots and their names; so a new slot can be said here as soon as it exists.
//! The preset is taken apart by the engine's own description, what the file says replaces its parts, and the engine puts the
//! method together again.

use super::super::record::{Scope, wrong};
use super::super::text::{Entry, Fault, Item, Node, Read};
use crate::names::{instead, missing, nearest};
use serde_json::{Map, Value};
use tumble::Method;

pub fn read(node: &Node, scope: &Scope) -> Read<Method> {
    let entries: &[Entry] = match &node.item {
        Item::Text(_) => return preset(&scope.text(node)?, node.at),
        Item::Table(entries) => entries,
        other => return Err(wrong(node, "the name of a method, or a table", other)),
    };
    let base = match node.get("preset") {
        Some(entry) => preset(&scope.text(&entry.node)?, entry.node.at)?,
        None => Method::default(),
    };
    let changed = |value: &Value| Fault::new(node.at, format!("the method cannot be read: {value}"));
    let Ok(Value::Object(mut parts)) = serde_json::to_value(&base) else { return Err(changed(&Value::Null)) };
    // A method that is not as its preset is called so only if the file says so.
    let rest = entries.iter().filter(|e| e.key != "preset");
    for entry in rest {
        let Some(part) = parts.get_mut(&entry.key) else {
            let names: Vec<&str> = parts.keys().map(String::as_str).chain(["preset"]).collect();
            let message = format!("there is no {:?} in a method; {}", entry.key, instead(&entry.key, names));
            return Err(Fault::new(entry.at, message));
        };
        change(part, &entry.node, scope)?;
    }
    let method: Method =
        serde_json::from_value(Value::Object(parts)).map_err(|error| locate(&error.to_string(), node))?;
    method.validate().map_err(|error| Fault::new(node.at, error.to_string()))?;
    Ok(method)
}

fn preset(name: &str, at: usize) -> Read<Method> {
    let presets = Method::presets();
    Method::named(name).map_err(|_| Fault::new(at, missing("method", name, presets.iter().map(|m| m.name.as_str()))))
}

/// Replaces a part by what the file says. Tables of which both have only one key, and not the same one, are other choices of a slot.
fn change(part: &mut Value, node: &Node, scope: &Scope) -> Read<()> {
    match (&mut *part, &node.item) {
        (Value::Object(old), Item::Table(entries)) if !is_other_choice(old, entries) => {
            for entry in entries {
                match old.get_mut(&entry.key) {
                    Some(part) => change(part, &entry.node, scope)?,
                    None => {
                        old.insert(entry.key.clone(), plain(&entry.node, scope)?);
                    }
                }
            }
        }
        _ => *part = plain(node, scope)?,
    }
    Ok(())
}

fn is_other_choice(old: &Map<String, Value>, entries: &[Entry]) -> bool {
    matches!((old.len(), entries), (1, [entry]) if !old.contains_key(&entry.key))
}

/// The value as the engine reads it. A text is an expression where it can be one, and a name otherwise.
fn plain(node: &Node, scope: &Scope) -> Read<Value> {
    Ok(match &node.item {
        Item::Flag(flag) => Value::Bool(*flag),
        Item::Number(_) => number(scope.number(node)?),
        Item::Text(text) => match scope.number(node) {
            Ok(value) => number(value),
            Err(_) => Value::String(text.clone()),
        },
        Item::List(nodes) => Value::Array(nodes.iter().map(|node| plain(node, scope)).collect::<Read<_>>()?),
        Item::Table(entries) => {
            let pairs = entries.iter().map(|e| Ok((e.key.clone(), plain(&e.node, scope)?)));
            Value::Object(pairs.collect::<Read<_>>()?)
        }
    })
}

/// Whole numbers stay whole, as counts must be.
fn number(value: f64) -> Value {
    if value.fract() == 0.0 && (0.0..=9e15).contains(&value) {
        return Value::from(value as u64);
    }
    // JSON has no infinity; the engine has words for it where there may be one.
    let word = if value > 0.0 { "inf" } else { "-inf" };
    serde_json::Number::from_f64(value).map_or_else(|| Value::from(word), Value::Number)
}

/// The engine's words at the place of the name that they quote.
fn locate(words: &str, node: &Node) -> Fault {
    let mut quoted = words.split('`').skip(1).step_by(2);
    let name = quoted.next().unwrap_or_default();
    let at = find(node, name).unwrap_or(node.at);
    let known: Vec<&str> = quoted.collect();
    let advice = match nearest(name, known) {
        Some(near) if words.starts_with("unknown") => format!("; the nearest name is {near:?}"),
        _ => String::new(),
    };
    Fault::new(at, format!("the method cannot be read: {words}{advice}"))
}

fn find(node: &Node, name: &str) -> Option<usize> {
    match &node.item {
        Item::Table(entries) => {
            entries.iter().find_map(|e| if e.key == name { Some(e.at) } else { find(&e.node, name) })
        }
        Item::List(nodes) => nodes.iter().find_map(|n| find(n, name)),
        Item::Text(text) if text == name => Some(node.at),
        _ => None,
    }
}
