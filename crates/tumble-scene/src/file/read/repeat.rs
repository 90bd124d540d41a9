//! Tables that stand for many, and groups.

use super::super::record::wrong;
use super::super::text::{Fault, Item, Node, Read};
use super::{Assembly, Placing};
use tumble::math::{Float, Quat, Vec3};

/// Groups within groups.
const DEEPEST: usize = 16;
/// Times that one table may be repeated.
const MOST: f64 = 2_000_000.0;

impl<'a> Assembly<'a> {
    /// Does something with every table of this list, in the scene and in its groups, as often as each is repeated.
    pub fn each(&mut self, root: &Node, list: &str, act: fn(&mut Self, &Node) -> Read<()>) -> Read<()> {
        let names = self.scope.names.len();
        let done = self.each_in(root, list, act, 0);
        self.scope.names.truncate(names);
        self.placing = Placing::WORLD;
        done
    }

    fn each_in(&mut self, node: &Node, list: &str, act: fn(&mut Self, &Node) -> Read<()>, depth: usize) -> Read<()> {
        if depth > DEEPEST {
            return Err(Fault::new(node.at, format!("groups are nested more than {DEEPEST} deep")));
        }
        for table in tables(node, list)? {
            self.repeated(table, &mut |assembly| {
                assembly.count(table.at)?;
                act(assembly, table)
            })?;
        }
        for group in tables(node, "group")? {
            if let Item::Table(entries) = &group.item
                && let Some(entry) = entries.iter().find(|e| super::super::forms::GROUP.find(&e.key).is_none())
            {
                let known = super::super::forms::GROUP.all().map(|f| f.name);
                return Err(super::super::record::unknown(entry, "a group", known));
            }
            let outer = self.placing;
            self.repeated(group, &mut |assembly| {
                // Also an empty group counts: a million of them take their time.
                assembly.count(group.at)?;
                if group.get("at").is_some() || group.get("rotation").is_some() {
                    let at =
                        group.get("at").map(|e| assembly.scope.vector(&e.node, super::super::units::Dimension::LENGTH));
                    let rotation = group.get("rotation").map(|e| assembly.scope.rotation(&e.node)).transpose()?;
                    let (at, rotation) = (at.transpose()?.unwrap_or(Vec3::ZERO), rotation.unwrap_or(Quat::IDENTITY));
                    assembly.placing = outer.inner(at, rotation);
                }
                let done = assembly.each_in(group, list, act, depth + 1);
                assembly.placing = outer;
                done
            })?;
        }
        Ok(())
    }

    /// Once for every combination of the names that count, where the condition holds.
    fn repeated(&mut self, node: &Node, act: &mut dyn FnMut(&mut Self) -> Read<()>) -> Read<()> {
        let counters: &[_] = match node.get("repeat").map(|e| &e.node) {
            None => &[],
            Some(Node { item: Item::Table(entries), .. }) => entries,
            Some(other) => return Err(wrong(other, "a table of names that count, as in { i = 5 }", &other.item)),
        };
        if counters.len() > 8 {
            return Err(Fault::new(node.at, "at most eight names count in one table"));
        }
        self.count_through(node, counters, act)
    }

    fn count_through(
        &mut self,
        node: &Node,
        counters: &[super::super::text::Entry],
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
        let mut value = first;
        while value <= last {
            // Counting to nothing takes its time too.
            if !inner.is_empty() || node.get("when").is_some() {
                self.count(counter.node.at)?;
            }
            self.scope.names.push((counter.key.clone(), value));
            let done = self.count_through(node, inner, act);
            self.scope.names.pop();
            done?;
            value = Float::floor(value) + 1.0;
        }
        Ok(())
    }
}

/// The tables of a list.
fn tables<'n>(node: &'n Node, list: &str) -> Read<&'n [Node]> {
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
