//! The test suite, with what its output says about the tests.

use super::report::Findings;
use crate::shell;
use std::process::Command;

/// All tests, doctests and examples of the workspace, the manual's code among them. The crates `tumble` and
/// `tumble-f64` share their source, `tumble-tests` and `tumble-tests-f64` theirs, so that both precisions are in this run.
pub fn debug(findings: &mut Findings) {
    run(&mut shell::command("cargo test --workspace --no-fail-fast"), findings);
}

/// The same tests as users build the engine. Tests that take too long for every day are marked `#[ignore]` with a reason
/// and run here.
pub fn release(findings: &mut Findings) {
    run(&mut shell::command("cargo test --workspace --release --tests --no-fail-fast -- --include-ignored"), findings);
}

/// Runs a command that prints what Rust's test harness prints. A run without a single test has checked nothing.
pub fn run(command: &mut Command, findings: &mut Findings) {
    let mut tally = Tally::default();
    let result = shell::run_reading(command, |line| tally.read(line));
    for name in &tally.failed {
        findings.fail(format!("test {name}"));
    }
    for what in &tally.skipped {
        findings.skip(what);
    }
    match result {
        Err(error) => findings.fail(error),
        Ok(()) if tally == Tally::default() => findings.skip(format!("no test ran in `{}`", shell::display(command))),
        Ok(()) => findings.checked(),
    }
    findings.figure(format!("{} tests passed, {} failed", tally.passed, tally.failed.len()));
}

/// Counts of tests, read from the lines of the harness, and what tests themselves say that they could not check.
#[derive(Debug, Default, PartialEq)]
struct Tally {
    passed: u64,
    failed: Vec<String>,
    skipped: Vec<String>,
}

impl Tally {
    fn read(&mut self, line: &str) {
        if let Some(counts) = line.strip_prefix("test result: ") {
            let passed =
                counts.split_whitespace().zip(counts.split_whitespace().skip(1)).find(|(_, w)| *w == "passed;");
            self.passed += passed.and_then(|(n, _)| n.parse::<u64>().ok()).unwrap_or(0);
        } else if let Some(name) = line.strip_prefix("test ").and_then(|rest| rest.strip_suffix(" ... FAILED")) {
            self.failed.push(name.to_owned());
        } else if let Some(what) = line.strip_prefix("skipped: ") {
            self.skipped.push(what.to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The summary names each failed test; the words are those of the harness of Rust 1.95.
    #[test]
    fn output_of_the_harness_is_understood() {
        let output = "running 3 tests\n\
            test math::a ... ok\n\
            test math::b ... FAILED\n\
            skipped: bars not checked: no terminal\n\
            test src/error.rs - error::Error (line 10) ... FAILED\n\
            test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\
            test result: ok. 41 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 1.00s";
        let mut tally = Tally::default();
        output.lines().for_each(|line| tally.read(line));
        let failed = vec!["math::b".to_owned(), "src/error.rs - error::Error (line 10)".to_owned()];
        let skipped = vec!["bars not checked: no terminal".to_owned()];
        assert_eq!(tally, Tally { passed: 42, failed, skipped });
    }
}
