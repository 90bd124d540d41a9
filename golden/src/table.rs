//! The table of hashes, in memory and as text.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// What is hashed of one world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hashes {
    /// Steps that were made.
    pub steps: u64,
    /// Everything the next step reads, after each step. Also a change of what is stored moves it.
    pub state: u64,
    /// Places and velocities of all bodies at the end. Only a change of the simulation moves it.
    pub motion: u64,
    /// Answers to a set of queries at the end.
    pub queries: u64,
}

/// Hashes by precision and world, and where they were computed in other ways, what came out there.
#[derive(Default)]
pub struct Table {
    /// In the order in which they came.
    rows: Vec<(String, Hashes)>,
    /// By way, those that differ from the first.
    deviations: Vec<(String, String, Hashes)>,
    /// The ways in which worlds were run.
    ways: BTreeSet<String>,
}

/// Above the rows in the file.
const HEAD: &str = "\
# Hashes of whole simulations: the same on every machine, in every instruction set, with any number of threads.
# Written by `cargo xtask golden --write`; a commit that moves one says why.
#   state    everything the next step reads, after each step: also a change of what is stored moves it
#   motion   places and velocities at the end: only a change of the simulation moves it
#   queries  answers to a set of questions at the end
# world                              steps            state           motion          queries
";

impl Table {
    /// Adds what came out in one way. The first one for a world is the one to be written.
    pub fn add(&mut self, precision: &str, world: &str, way: &str, hashes: Hashes) {
        self.ways.insert(way.to_owned());
        let name = format!("{precision}/{world}");
        match self.rows.iter().find(|(other, _)| *other == name) {
            None => self.rows.push((name, hashes)),
            Some((_, first)) if *first != hashes => self.deviations.push((name, way.to_owned(), hashes)),
            Some(_) => {}
        }
    }

    /// Number of worlds.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// The ways in which worlds were run: instruction sets, numbers of threads.
    pub fn ways(&self) -> String {
        self.ways.iter().map(String::as_str).collect::<Vec<_>>().join(", ")
    }

    /// Reads what [`Table`] writes. The error names the line.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut table = Self::default();
        for (i, line) in text.lines().enumerate() {
            let words: Vec<&str> = line.split_whitespace().collect();
            match words.as_slice() {
                [] => {}
                [comment, ..] if comment.starts_with('#') => {}
                [name, steps, state, motion, queries] => {
                    let hex = |word: &str| u64::from_str_radix(word, 16).ok();
                    let hashes = (|| {
                        Some(Hashes {
                            steps: steps.parse().ok()?,
                            state: hex(state)?,
                            motion: hex(motion)?,
                            queries: hex(queries)?,
                        })
                    })();
                    let hashes = hashes.ok_or_else(|| format!("line {}: no hashes in `{line}`", i + 1))?;
                    table.rows.push(((*name).to_owned(), hashes));
                }
                _ => return Err(format!("line {}: five words expected in `{line}`", i + 1)),
            }
        }
        Ok(table)
    }

    /// What differs between this table and what was found, in lines.
    pub fn against(&self, found: &Self) -> Vec<String> {
        let expected: BTreeMap<&str, &Hashes> = self.rows.iter().map(|(name, h)| (name.as_str(), h)).collect();
        let mut faults = Vec::new();
        for (name, hashes) in &found.rows {
            match expected.get(name.as_str()) {
                None => faults.push(format!("golden: {name} has no hashes yet")),
                Some(old) if *old != hashes => faults.push(format!("golden: {name}: {}", moved(old, hashes))),
                Some(_) => {}
            }
        }
        for (name, way, hashes) in &found.deviations {
            let first = found.rows.iter().find(|(other, _)| other == name).map_or(hashes, |(_, first)| first);
            faults.push(format!("golden: {name}: {way} differs from the others: {}", moved(first, hashes)));
        }
        let names: BTreeSet<&str> = found.rows.iter().map(|(name, _)| name.as_str()).collect();
        faults.extend(
            expected.keys().filter(|name| !names.contains(*name)).map(|name| format!("golden: {name} is gone")),
        );
        faults
    }
}

/// Which of the hashes are other ones.
fn moved(old: &Hashes, new: &Hashes) -> String {
    let mut parts = Vec::new();
    for (what, a, b) in
        [("motion", old.motion, new.motion), ("state", old.state, new.state), ("queries", old.queries, new.queries)]
    {
        if a != b {
            parts.push(format!("{what} {a:016x} has become {b:016x}"));
        }
    }
    if old.steps != new.steps {
        parts.push(format!("{} steps have become {}", old.steps, new.steps));
    }
    parts.join(", ")
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HEAD)?;
        for (name, h) in &self.rows {
            writeln!(f, "{name:<36} {:>5} {:016x} {:016x} {:016x}", h.steps, h.state, h.motion, h.queries)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Hashes = Hashes { steps: 7, state: 1, motion: 0xabc, queries: 3 };

    fn table(rows: &[(&str, &str, Hashes)]) -> Table {
        let mut table = Table::default();
        rows.iter().for_each(|&(world, way, hashes)| table.add("f32", world, way, hashes));
        table
    }

    /// What is written is what is read, and equal tables have nothing against each other.
    #[test]
    fn tables_survive_being_written() {
        let found = table(&[("a", "one", PLAIN), ("a", "two", PLAIN), ("b", "one", PLAIN)]);
        let read = Table::parse(&found.to_string()).unwrap();
        assert_eq!(read.rows, found.rows);
        assert_eq!(read.against(&found), Vec::<String>::new());
        assert!(Table::parse("f32/a 7 1 2").is_err() && Table::parse("f32/a 7 1 2 z").is_err());
    }

    /// Hashes that moved, that are new, that are gone, and that one way alone has, are all told.
    #[test]
    fn every_difference_is_told() {
        let old = table(&[("a", "one", PLAIN), ("b", "one", PLAIN), ("d", "one", PLAIN)]);
        let other = Hashes { motion: 0xdef, ..PLAIN };
        let found = table(&[("a", "one", other), ("c", "one", PLAIN), ("d", "one", PLAIN), ("d", "two", other)]);
        let faults = old.against(&found);
        assert_eq!(faults.len(), 4, "{faults:?}");
        for part in ["f32/a: motion 0000000000000abc has", "f32/b is gone", "f32/c has no", "f32/d: two differs"] {
            assert!(faults.iter().any(|fault| fault.contains(part)), "{part}: {faults:?}");
        }
    }
}
