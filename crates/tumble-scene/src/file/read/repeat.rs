//! Tables that stand for many, and groups.

use super::super::forms::GROUP;
use super::super::record::{Scope, unknown, wrong};
use super::super::text::{Entry, Fault, Item, Node, Read};
use super::super::units::Dimension;
use super::settings::check_name;
use super::{Assembly, MOST_THINGS, Placing};
use std::sync::Arc;
use tumble::math::{Float, Quat, Vec3};

/// Groups within groups.
const DEEPEST: usize = 16;
/// How far a name may count.
const MOST: f64 = MOST_THINGS as f64;

/// A table that waits for bodies which stand behind it, with what was known at its place.
pub struct Waiting<'a> {
    node: &'a Node,
    kind: Thing,
    scope: Scope,
    placing: Placing,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Thing {
    Body,
    Articulation,
    Exclusion,
    Joint,
    Effect,
    Group,
}

const THINGS: [(&str, Thing); 6] = [
    ("body", Thing::Body),
    ("articulation", Thing::Articulation),
    ("exclude", Thing::Exclusion),
    ("joint", Thing::Joint),
    ("effect", Thing::Effect),
    ("group", Thing::Group),
];

impl<'a> Assembly<'a> {
    /// Makes bodies and joints in the order of the file, since islands and ids remember it, and joints that name bodies which come
    /// later behind all bodies; then excluded pairs in the order of their bodies, and then force effects.
    pub fn make_all(&mut self, root: &'a Node) -> Read<()> {
        self.make_in(root, 0)?;
        let waiting = std::mem::take(&mut self.waiting);
        // What misses a body that was left out says nothing, and takes its time to find out.
        if self.bodies_missing && waiting.len() > 1000 {
            return Ok(());
        }
        for kind in [Thing::Joint, Thing::Exclusion, Thing::Effect] {
            for one in waiting.iter().filter(|w| w.kind == kind) {
                (self.scope, self.placing) = (one.scope.clone(), one.placing);
                let done = self.make(kind, one.node);
                self.note(done)?;
            }
            if kind == Thing::Exclusion {
                self.exclude()?;
            }
        }
        Ok(())
    }

    fn make_in(&mut self, node: &'a Node, depth: usize) -> Read<()> {
        if depth > DEEPEST {
            return Err(Fault::new(node.at, format!("groups are nested more than {DEEPEST} deep")));
        }
        let mut things: Vec<(&'a Node, Thing)> = Vec::new();
        for (list, kind) in THINGS {
            things.extend(tables(node, list)?.iter().map(|table| (table, kind)));
        }
        things.sort_by_key(|(table, _)| table.at);
        for (table, kind) in things {
            let done = self.repeated(table, &mut |assembly| {
                // Also an empty group counts: a million of them take their time.
                assembly.count(table.at)?;
                match kind {
                    Thing::Group => assembly.make_group(table, depth),
                    Thing::Body | Thing::Articulation => assembly.make(kind, table),
                    Thing::Joint if assembly.knows_bodies(table) => assembly.make(kind, table),
                    _ => {
                        let (scope, placing) = (assembly.scope.clone(), assembly.placing);
                        assembly.waiting.push(Waiting { node: table, kind, scope, placing });
                        Ok(())
                    }
                }
            });
            self.bodies_missing |= done.is_err() && matches!(kind, Thing::Body | Thing::Articulation);
            self.note(done)?;
        }
        Ok(())
    }

    fn make(&mut self, kind: Thing, table: &Node) -> Read<()> {
        match kind {
            Thing::Body => self.add_body(table),
            Thing::Articulation => self.add_articulation(table),
            Thing::Exclusion => self.add_exclusion(table),
            Thing::Joint => self.add_joint(table),
            Thing::Effect => self.add_effect(table),
            // Groups are opened where they stand.
            Thing::Group => Ok(()),
        }
    }

    /// All bodies that a table names are there.
    fn knows_bodies(&self, table: &Node) -> bool {
        let known = |entry: &Entry| match &entry.node.item {
            Item::List(names) => {
                names.iter().all(|name| self.scope.text(name).is_ok_and(|n| self.find_body(&n).is_some()))
            }
            _ => false,
        };
        ["bodies", "except"].iter().filter_map(|key| table.get(key)).all(known)
    }

    fn make_group(&mut self, group: &'a Node, depth: usize) -> Read<()> {
        if let Item::Table(entries) = &group.item
            && let Some(entry) = entries.iter().find(|e| GROUP.find(&e.key).is_none())
        {
            return Err(unknown(entry, "a group", GROUP.all().map(|f| f.name)));
        }
        let outer = self.placing;
        if group.get("at").is_some() || group.get("rotation").is_some() {
            let at = group.get("at").map(|e| self.scope.vector(&e.node, Dimension::LENGTH)).transpose()?;
            let rotation = group.get("rotation").map(|e| self.scope.rotation(&e.node)).transpose()?;
            self.placing = outer.inner(at.unwrap_or(Vec3::ZERO), rotation.unwrap_or(Quat::IDENTITY));
        }
        let done = self.make_in(group, depth + 1);
        self.placing = outer;
        done
    }

    /// Once for every combination of the names that count, where the condition holds.
    pub fn repeated(&mut self, node: &Node, act: &mut dyn FnMut(&mut Self) -> Read<()>) -> Read<()> {
        let counters: &[_] = match node.get("repeat").map(|e| &e.node) {
            None => &[],
            Some(Node { item: Item::Table(entries), .. }) => entries,
            Some(other) => return Err(wrong(other, "a table of names that count, as in { i = 5 }", &other.item)),
        };
        if counters.len() > 8 {
            return Err(Fault::new(node.at, "at most eight names count in one table"));
        }
        counters.iter().try_for_each(check_name)?;
        // What is too much by its numbers alone is refused before anything is made of it.
        if node.get("when").is_none() && self.things as f64 + self.announced(counters) > self.most as f64 {
            self.things = self.most;
            return self.count(node.at);
        }
        self.count_through(node, counters, act)
    }

    /// How often a table is repeated, as far as its numbers tell without each other; what is wrong with them shows when they are used.
    fn announced(&self, counters: &[Entry]) -> f64 {
        let times = |counter: &Entry| match &counter.node.item {
            Item::List(ends) => match ends.as_slice() {
                [first, last] => Some(self.scope.number(last).ok()? - self.scope.number(first).ok()? + 1.0),
                _ => None,
            },
            _ => self.scope.number(&counter.node).ok(),
        };
        let sound = counters.iter().filter_map(times).filter(|n| n.fract() == 0.0 && *n <= MOST);
        // To count to less than nothing is to count nothing.
        sound.map(|n| if n > 0.0 { n } else { 0.0 }).product()
    }

    fn count_through(
        &mut self,
        node: &Node,
        counters: &[Entry],
        act: &mut dyn FnMut(&mut Self) -> Read<()>,
    ) -> Read<()> {
        let Some((counter, inner)) = counters.split_first() else {
            if let Some(entry) = node.get("when")
                && self.scope.number(&entry.node)? == 0.0
            {
                return Ok(());
            }
            return act(self);
        };
        let (first, last) = match &counter.node.item {
            Item::List(ends) => match ends.as_slice() {
                [first, last] => (self.scope.number(first)?, self.scope.number(last)?),
                _ => return Err(Fault::new(counter.node.at, "this must be a count, or the first and the last number")),
            },
            _ => (0.0, self.scope.number(&counter.node)? - 1.0),
        };
        if !(first.fract() == 0.0 && last.fract() == 0.0 && (last - first).abs() <= MOST) {
            let message = format!("{:?} must count whole numbers, at most {MOST} of them", counter.key);
            return Err(Fault::new(counter.node.at, message));
        }
        let name: Arc<str> = counter.key.as_str().into();
        let mut value = first;
        while value <= last {
            // Counting to nothing takes its time too.
            if !inner.is_empty() || node.get("when").is_some() {
                self.count(counter.node.at)?;
            }
            self.scope.enter(&name, value);
            let done = self.count_through(node, inner, act);
            self.scope.leave();
            done?;
            value = Float::floor(value) + 1.0;
        }
        Ok(())
    }
}

/// The tables of a list.
pub fn tables<'n>(node: &'n Node, list: &str) -> Read<&'n [Node]> {
    match node.get(list).map(|e| &e.node) {
        None => Ok(&[]),
        Some(Node { item: Item::List(nodes), .. }) => {
            if let Some(other) = nodes.iter().find(|n| !matches!(n.item, Item::Table(_))) {
                return Err(wrong(other, &format!("a table, as after [[{list}]]"), &other.item));
            }
            Ok(nodes)
        }
        Some(other) => Err(wrong(other, &format!("a list of tables; write [[{list}]]"), &other.item)),
    }
}
