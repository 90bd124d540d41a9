//! What is wrong with the keys and types of a file, all of it at once: the tree held against the forms, before anything is evaluated.
//!
//! Whatever passes here may still be refused by the reader, which evaluates; whatever is refused here the reader would refuse too,
//! only later and one mistake at a time.

use super::expression::Expression;
use super::form::{Form, Kind};
use super::forms::{PARAMETER, TURN, kinds_of};
use super::record::{list, no_table, unknown, wrong};
use super::text::{Fault, Item, Node};
use crate::names::nearest;

/// More mistakes than anyone reads.
pub const MOST_FAULTS: usize = 100;

/// The mistakes of a table, in no order.
pub fn inspect(node: &Node, form: &'static Form, faults: &mut Vec<Fault>) {
    if faults.len() >= MOST_FAULTS {
        return;
    }
    let Item::Table(entries) = &node.item else {
        return faults.push(no_table(node, form));
    };
    let mut form = form;
    // Which keys it may have depends on its kind; without that nothing can be said of them.
    if let Some((key, kinds)) = kinds_of(form) {
        let word = node.get(key).map(|entry| &entry.node.item);
        match word {
            Some(Item::Text(word)) if kinds.iter().any(|(name, _)| name == word) => {
                form = kinds.iter().find(|(name, _)| name == word).map_or(form, |(_, kind)| kind);
            }
            Some(_) => return judge_entry(node, key, form, faults),
            None => return,
        }
    }
    for entry in entries {
        match form.find(&entry.key) {
            Some(field) => judge(&entry.node, field.kind, faults),
            None => faults.push(unknown(entry, form.title, form.all().map(|f| f.name))),
        }
    }
}

fn judge_entry(node: &Node, key: &str, form: &'static Form, faults: &mut Vec<Fault>) {
    if let (Some(entry), Some(field)) = (node.get(key), form.find(key)) {
        judge(&entry.node, field.kind, faults);
    }
}

/// A value that is not of its kind.
fn judge(node: &Node, kind: Kind, faults: &mut Vec<Fault>) {
    if faults.len() >= MOST_FAULTS {
        return;
    }
    match (kind, &node.item) {
        (Kind::Flag, Item::Flag(_)) | (Kind::Text, Item::Text(_)) => {}
        (Kind::Flag, other) => faults.push(wrong(node, "true or false", other)),
        (Kind::Text, other) => faults.push(wrong(node, "a text", other)),
        (Kind::Number(_) | Kind::Whole | Kind::Condition, _) => number(node, faults),
        (Kind::Vector(_), _) => numbers(node, 3, faults),
        (Kind::Direction, Item::Text(text)) => {
            if !["x", "y", "z", "-x", "-y", "-z"].contains(&text.as_str()) {
                faults.push(Fault::new(node.at, "a direction is one of x, y, z, -x, -y, -z, or three numbers"));
            }
        }
        (Kind::Direction, _) => numbers(node, 3, faults),
        (Kind::Rotation, Item::Table(_)) => inspect(node, &TURN, faults),
        (Kind::Rotation, Item::List(nodes)) if nodes.iter().any(|n| matches!(n.item, Item::Table(_))) => {
            nodes.iter().for_each(|node| inspect(node, &TURN, faults));
        }
        (Kind::Rotation, Item::List(_)) => numbers(node, 4, faults),
        (Kind::Rotation, other) => {
            faults.push(wrong(node, "a rotation, as in { axis = \"y\", angle = \"30 deg\" }", other));
        }
        // What is replaced in a text is not known yet.
        (Kind::Choice(words), Item::Text(text)) if !text.contains('{') => choice(node, text, words, faults),
        (Kind::Choice(_), Item::Text(_)) => {}
        (Kind::Choice(words), other) => faults.push(wrong(node, &format!("one of {}", list(words)), other)),
        (Kind::List(of), Item::List(nodes)) => nodes.iter().for_each(|node| judge(node, *of, faults)),
        (Kind::List(Kind::Table(form)), other) => {
            let message = format!("a list of tables, each {}; write [[..]] in place of [..]", form.title);
            faults.push(wrong(node, &message, other));
        }
        (Kind::List(_), other) => faults.push(wrong(node, "a list", other)),
        (Kind::Several(count, of), Item::List(nodes)) => {
            if nodes.len() == count {
                nodes.iter().for_each(|node| judge(node, *of, faults));
            } else {
                faults
                    .push(Fault::new(node.at, format!("this must be a list of {count}, got {} of them", nodes.len())));
            }
        }
        (Kind::Several(count, _), other) => faults.push(wrong(node, &format!("a list of {count}"), other)),
        (Kind::Table(form), _) => inspect(node, form, faults),
        (Kind::Named(form), Item::Table(entries)) => {
            for entry in entries {
                match &entry.node.item {
                    Item::Number(_) | Item::Text(_) if std::ptr::eq(form, &PARAMETER) => number(&entry.node, faults),
                    _ => inspect(&entry.node, form, faults),
                }
            }
        }
        (Kind::Values, Item::Table(entries)) => {
            for entry in entries {
                match &entry.node.item {
                    Item::List(_) => numbers(&entry.node, 2, faults),
                    _ => number(&entry.node, faults),
                }
            }
        }
        (Kind::Named(_) | Kind::Values, other) => faults.push(wrong(node, "a table of names", other)),
        (Kind::Either(kinds), _) => either(node, kinds, faults),
        // The engine itself knows what a method is made of.
        (Kind::Method, _) => {}
    }
}

/// Of what it may be, that which it resembles most.
fn either(node: &Node, kinds: &[Kind], faults: &mut Vec<Fault>) {
    let mut best: Option<(bool, Vec<Fault>)> = None;
    for kind in kinds {
        let mut found = Vec::new();
        judge(node, *kind, &mut found);
        if found.is_empty() {
            return;
        }
        // One that differs only inside is nearer than one of another type altogether.
        let inside = found.iter().all(|fault| fault.at != node.at);
        let better = best
            .as_ref()
            .is_none_or(|(other, faults)| (inside && !other) || (inside == *other && found.len() < faults.len()));
        if better {
            best = Some((inside, found));
        }
    }
    faults.extend(best.into_iter().flat_map(|(_, found)| found));
}

fn choice(node: &Node, text: &str, words: &'static [&'static str], faults: &mut Vec<Fault>) {
    if !words.contains(&text) {
        let meant = nearest(text, words.iter().copied()).map(|near| format!("; did you mean {near:?}?"));
        faults.push(Fault::new(node.at, format!("{text:?} is none of {}{}", list(words), meant.unwrap_or_default())));
    }
}

fn number(node: &Node, faults: &mut Vec<Fault>) {
    match &node.item {
        Item::Number(_) => {}
        Item::Text(text) => {
            if let Err((offset, words)) = Expression::parse(text) {
                faults.push(Fault::new(node.at + 1 + offset, words));
            }
        }
        other => faults.push(wrong(node, "a number or an expression", other)),
    }
}

fn numbers(node: &Node, count: usize, faults: &mut Vec<Fault>) {
    match &node.item {
        Item::List(nodes) if nodes.len() == count => nodes.iter().for_each(|node| number(node, faults)),
        Item::List(nodes) => {
            let message = format!("this must be a list of {count} numbers, got {} of them", nodes.len());
            faults.push(Fault::new(node.at, message));
        }
        other => faults.push(wrong(node, &format!("a list of {count} numbers"), other)),
    }
}
