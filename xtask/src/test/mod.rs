//! `cargo xtask test`: every check of the project, one part after the other.
//!
//! A part that fails does not stop the ones after it: the run ends with all failures, everything that was not checked
//! and why, and the time it took.

mod examples;
mod manual;
mod miri;
mod report;
mod suite;
mod targets;
mod text;

use crate::{bench, shell, tools};
pub use report::Findings;
use report::Report;
use std::process::ExitCode;
use std::time::Instant;

/// One part of the run.
struct Part {
    name: &'static str,
    /// What it makes sure of, for the help and the head of its output.
    what: &'static str,
    size: Size,
    check: fn(&mut Findings),
}

/// In which run a part is.
#[derive(Clone, Copy, PartialEq)]
enum Size {
    Always,
    Long,
}

/// In the order in which they run: the quick ones first, so that a slip shows early.
const PARTS: [Part; 11] = [
    Part { name: "fmt", what: "the code is formatted", size: Size::Always, check: fmt },
    Part {
        name: "text",
        what: "no file holds unfinished work or a path of one machine",
        size: Size::Always,
        check: text::check,
    },
    Part {
        name: "manual",
        what: "chapters exist, links resolve, all code in them is tested",
        size: Size::Always,
        check: manual::check,
    },
    Part { name: "clippy", what: "no warnings in any crate, test or example", size: Size::Always, check: clippy },
    Part {
        name: "doc",
        what: "the API documentation builds without warnings, and examples show everything",
        size: Size::Always,
        check: doc,
    },
    Part {
        name: "test",
        what: "all tests in both precisions, doctests, manual, examples",
        size: Size::Always,
        check: suite::debug,
    },
    Part {
        name: "counts",
        what: "the hot kernels take no more instructions than they did",
        size: Size::Always,
        check: bench::counts::check,
    },
    Part {
        name: "wasm",
        what: "the engine is right for wasm32 without a host, and gives the golden hashes in Node.js",
        size: Size::Always,
        check: targets::wasm,
    },
    Part {
        name: "release",
        what: "all tests in release mode, the long ones among them",
        size: Size::Long,
        check: suite::release,
    },
    Part {
        name: "targets",
        what: "the golden hashes on arm64 and in release mode",
        size: Size::Long,
        check: targets::others,
    },
    Part { name: "miri", what: "tests of modules with unsafe code under Miri", size: Size::Long, check: miri::check },
];

/// What to run.
#[derive(Debug, PartialEq, Default)]
pub struct Options {
    long: bool,
    /// Names of parts; empty for all.
    only: Vec<String>,
}

impl Options {
    /// Reads the words after `cargo xtask test`.
    pub fn parse(words: &[&str]) -> Result<Self, String> {
        let mut options = Self::default();
        let mut words = words.iter();
        while let Some(&word) = words.next() {
            match word {
                "--long" => options.long = true,
                "--only" => {
                    let name = words.next().ok_or("`--only` needs the name of a part")?;
                    if !PARTS.iter().any(|part| part.name == *name) {
                        return Err(format!("no part is called `{name}`"));
                    }
                    options.only.push((*name).to_owned());
                }
                other => return Err(format!("`{other}` is no option of `test`")),
            }
        }
        Ok(options)
    }

    /// A part that is asked for by name runs, whatever its size.
    fn include(&self, part: &Part) -> bool {
        if self.only.is_empty() {
            self.long || part.size == Size::Always
        } else {
            self.only.iter().any(|name| name == part.name)
        }
    }
}

/// How to call it, and the parts there are.
pub fn help() -> String {
    let mut text = String::from(
        "  test               check everything; at most 15 minutes on two cores\n\
         \x20   --long           and what takes longer\n\
         \x20   --only PART      this part alone; may be repeated\n\n\
         Parts of `test`:\n",
    );
    for part in &PARTS {
        let long = if part.size == Size::Long { " (with --long)" } else { "" };
        text += &format!("  {:<8} {}{long}\n", part.name, part.what);
    }
    text
}

/// Runs the parts and says what came out.
pub fn run(options: &Options) -> ExitCode {
    let mut report = Report::default();
    let parts: Vec<&Part> = PARTS.iter().filter(|part| options.include(part)).collect();
    for (i, part) in parts.iter().enumerate() {
        println!("\n==> {} ({} of {}): {}", part.name, i + 1, parts.len(), part.what);
        let (start, mut findings) = (Instant::now(), Findings::default());
        (part.check)(&mut findings);
        println!("<== {}", report.add(part.name, findings, start.elapsed()));
    }
    print!("\n{}", report.summary(options.long));
    if report.passed() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn fmt(findings: &mut Findings) {
    if findings.need(tools::component("rustfmt", "fmt"), "formatting") {
        findings.run(&mut shell::command("cargo fmt --all --check"));
    }
}

fn clippy(findings: &mut Findings) {
    if findings.need(tools::component("clippy", "clippy"), "lints") {
        findings.run(&mut shell::command("cargo clippy --workspace --all-targets -- -D warnings"));
    }
}

fn doc(findings: &mut Findings) {
    findings.run(shell::command("cargo doc --workspace --no-deps").env("RUSTDOCFLAGS", "-D warnings"));
    examples::check(findings);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(options: &[&str]) -> Vec<&'static str> {
        let options = Options::parse(options).unwrap();
        PARTS.iter().filter(|part| options.include(part)).map(|part| part.name).collect()
    }

    /// The plain run leaves out the long parts alone; `--long` adds them and drops none.
    #[test]
    fn long_adds_to_the_plain_run() {
        let (plain, long) = (names(&[]), names(&["--long"]));
        assert!(plain.contains(&"test") && !plain.contains(&"miri"));
        assert!(plain.iter().all(|name| long.contains(name)));
        assert_eq!(long.len(), PARTS.len());
    }

    /// A part can be run alone, also a long one.
    #[test]
    fn only_picks_parts_by_name() {
        assert_eq!(names(&["--only", "miri"]), ["miri"]);
        assert_eq!(names(&["--only", "doc", "--only", "fmt"]), ["fmt", "doc"]);
    }

    /// A slip of the pen must not run something else, or nothing with success.
    #[test]
    fn unknown_words_are_refused() {
        for wrong in [&["--lnog"][..], &["--only"], &["--only", "clipy"], &["fmt"]] {
            assert!(Options::parse(wrong).is_err(), "{wrong:?}");
        }
    }
}
