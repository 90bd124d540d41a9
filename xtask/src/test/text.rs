//! What no file of the repository may hold: work that is left open, and paths that exist on one machine alone.

use super::report::Findings;
use crate::files;
use std::fs;

/// A string that must not occur, and where it is looked for.
struct Rule {
    /// Written in two halves, so that this file does not hold it either.
    needle: &'static str,
    problem: &'static str,
    /// Only where it is code: Rust, and Markdown with Rust in it.
    in_code_only: bool,
    /// Characters before the needle that make it harmless, besides letters and digits.
    harmless_after: &'static str,
}

const fn macro_rule(needle: &'static str, problem: &'static str) -> Rule {
    Rule { needle, problem, in_code_only: true, harmless_after: "_" }
}

const fn note_rule(needle: &'static str) -> Rule {
    Rule { needle, problem: "work is left open", in_code_only: false, harmless_after: "_" }
}

const fn path_rule(needle: &'static str) -> Rule {
    // After these the slash goes on with a relative path, an address or a value filled in.
    Rule { needle, problem: "a path of one machine", in_code_only: false, harmless_after: "_-.~/})" }
}

const RULES: [Rule; 10] = [
    macro_rule(concat!("to", "do!"), "work is left open"),
    macro_rule(concat!("unimple", "mented!"), "work is left open"),
    macro_rule(concat!("db", "g!("), "output for debugging"),
    note_rule(concat!("FIX", "ME")),
    note_rule(concat!("TO", "DO")),
    path_rule(concat!("/ho", "me/")),
    path_rule(concat!("/Us", "ers/")),
    path_rule(concat!("/ro", "ot/")),
    path_rule(concat!("/tm", "p/")),
    path_rule(concat!("/wo", "rk/")),
];

/// Reads every text file of the repository.
pub fn check(findings: &mut Findings) {
    let files = match files::all() {
        Ok(files) => files,
        Err(error) => return findings.fail(format!("cannot list the files: {error}")),
    };
    findings.checked();
    let mut read = 0;
    for file in files {
        // What is not UTF-8 is no text.
        let Ok(text) = fs::read_to_string(&file) else { continue };
        let name = file.to_string_lossy();
        let name = name.replace('\\', "/");
        read += 1;
        for fault in faults(&name, &text) {
            println!("    {fault}");
            findings.fail(fault);
        }
    }
    findings.figure(format!("{read} files"));
}

fn faults(name: &str, text: &str) -> Vec<String> {
    let is_code = name.ends_with(".rs") || name.ends_with(".md");
    let rules: Vec<&Rule> = RULES.iter().filter(|rule| is_code || !rule.in_code_only).collect();
    let mut faults = Vec::new();
    for (i, line) in text.lines().enumerate() {
        for rule in rules.iter().filter(|rule| rule.breaks(line)) {
            faults.push(format!("{name}:{}: {}: `{}`", i + 1, rule.problem, rule.needle));
        }
    }
    faults
}

impl Rule {
    fn breaks(&self, line: &str) -> bool {
        line.match_indices(self.needle).any(|(at, _)| {
            let before = line[..at].chars().next_back();
            before.is_none_or(|c| !c.is_alphanumeric() && !self.harmless_after.contains(c))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each rule finds what it forbids, with its place.
    #[test]
    fn every_rule_finds_its_fault() {
        for rule in &RULES {
            let text = format!("first\n  ({}", rule.needle);
            let expected = format!("a/b.rs:2: {}: `{}`", rule.problem, rule.needle);
            assert_eq!(faults("a/b.rs", &text), [expected]);
        }
    }

    /// Addresses, relative paths and words that merely end alike are left alone.
    #[test]
    fn what_only_looks_alike_is_left_alone() {
        let lines = [
            concat!("https://example.org/ho", "me/page"),
            concat!("build/tm", "p/x"),
            concat!("~/wo", "rk/x"),
            concat!("{folder}/tm", "p/x"),
            concat!("my_to", "do!()"),
        ];
        for line in lines {
            assert!(faults("a.rs", line).is_empty(), "{line}");
        }
        assert!(faults("data.json", concat!("to", "do!")).is_empty(), "no code");
    }
}
