//! What the parts found, and the words that close a run.

use crate::shell;
use std::process::Command;
use std::time::Duration;

/// The longest that the plain run may take on two cores.
const LIMIT: Duration = Duration::from_secs(15 * 60);

/// What one part found.
#[derive(Debug, Default)]
pub struct Findings {
    /// Something was checked.
    checked: bool,
    /// What is wrong, one entry per fault.
    failures: Vec<String>,
    /// What was not checked, and why.
    skipped: Vec<String>,
    /// A figure worth seeing beside the time.
    figure: String,
}

impl Findings {
    /// Runs a command that must succeed.
    pub fn run(&mut self, command: &mut Command) {
        self.checked();
        self.failures.extend(shell::run(command).err());
    }

    /// A check took place.
    pub fn checked(&mut self) {
        self.checked = true;
    }

    /// Something is wrong.
    pub fn fail(&mut self, what: impl Into<String>) {
        self.checked = true;
        self.failures.push(what.into());
    }

    /// Something cannot be checked on this machine.
    pub fn skip(&mut self, what: impl Into<String>) {
        let what = what.into();
        println!("    skipped: {what}");
        self.skipped.push(what);
    }

    /// True where a tool is there. Without it, `what` was not checked.
    pub fn need(&mut self, tool: Result<(), String>, what: &str) -> bool {
        match tool {
            Ok(()) => true,
            Err(reason) => {
                self.skip(format!("{what} not checked: {reason}"));
                false
            }
        }
    }

    /// Adds a figure to show beside the time.
    pub fn figure(&mut self, figure: impl Into<String>) {
        if !self.figure.is_empty() {
            self.figure += "; ";
        }
        self.figure += &figure.into();
    }

    fn verdict(&self) -> &'static str {
        match (self.failures.is_empty(), self.checked) {
            (false, _) => "FAILED",
            (true, true) => "passed",
            (true, false) => "skipped",
        }
    }
}

/// What the whole run found.
#[derive(Default)]
pub struct Report {
    parts: Vec<(&'static str, Findings, Duration)>,
}

impl Report {
    /// Keeps what a part found, and returns it in a line.
    pub fn add(&mut self, name: &'static str, findings: Findings, time: Duration) -> String {
        let line = line(name, &findings, time);
        self.parts.push((name, findings, time));
        line
    }

    /// Nothing failed.
    pub fn passed(&self) -> bool {
        self.parts.iter().all(|(_, findings, _)| findings.failures.is_empty())
    }

    /// The closing words: the parts with their times, every failure, everything that was skipped, the total.
    pub fn summary(&self, long: bool) -> String {
        let mut text = String::from("Summary\n");
        for (name, findings, time) in &self.parts {
            text += &format!("  {}\n", line(name, findings, *time));
        }
        text += &self.list("Failures", |findings| &findings.failures);
        text += &self.list("Not checked", |findings| &findings.skipped);
        let total = self.parts.iter().map(|(_, _, time)| *time).sum();
        text += &format!("\nTotal time: {}", duration(total));
        if !long {
            let verdict = if total <= LIMIT { "within" } else { "OVER" };
            text += &format!(", {verdict} the limit of {} on two cores", duration(LIMIT));
        }
        let count = |verdict| self.parts.iter().filter(|(_, findings, _)| findings.verdict() == verdict).count();
        text +=
            &format!("\nParts: {} passed, {} failed, {} skipped\n", count("passed"), count("FAILED"), count("skipped"));
        text
    }

    fn list(&self, title: &str, of: impl Fn(&Findings) -> &Vec<String>) -> String {
        let entries = self.parts.iter().flat_map(|(name, findings, _)| of(findings).iter().map(move |e| (name, e)));
        let lines: String = entries.map(|(name, entry)| format!("  {name}: {entry}\n")).collect();
        if lines.is_empty() { lines } else { format!("\n{title}:\n{lines}") }
    }
}

fn line(name: &str, findings: &Findings, time: Duration) -> String {
    let line = format!("{name:<8} {:<8} {:>12}   {}", findings.verdict(), duration(time), findings.figure);
    line.trim_end().to_owned()
}

fn duration(time: Duration) -> String {
    let seconds = time.as_secs();
    if seconds < 60 {
        format!("{:.1} s", time.as_secs_f64())
    } else {
        format!("{} min {:02} s", seconds / 60, seconds % 60)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report() -> Report {
        let mut report = Report::default();
        let mut good = Findings::default();
        good.checked();
        good.figure("7 tests");
        report.add("good", good, Duration::from_millis(1250));
        let mut absent = Findings::default();
        assert!(!absent.need(Err("no gizmo".into()), "gizmos"));
        report.add("absent", absent, Duration::ZERO);
        report
    }

    /// What was not checked does not fail a run, and is never kept silent.
    #[test]
    fn skipped_checks_close_the_run() {
        let report = report();
        assert!(report.passed());
        let summary = report.summary(false);
        assert!(summary.contains("good     passed          1.2 s   7 tests\n"), "{summary}");
        assert!(summary.contains("Not checked:\n  absent: gizmos not checked: no gizmo\n"), "{summary}");
        assert!(summary.contains("Total time: 1.2 s, within the limit of 15 min 00 s on two cores\n"), "{summary}");
        assert!(summary.ends_with("\nParts: 1 passed, 0 failed, 1 skipped\n"), "{summary}");
        assert!(!summary.contains("Failures"), "{summary}");
    }

    /// Every fault of every part is in the summary, and fails the run.
    #[test]
    fn all_failures_are_listed() {
        let mut report = report();
        for name in ["first", "second"] {
            let mut bad = Findings::default();
            bad.fail("this");
            bad.fail("that");
            report.add(name, bad, Duration::from_secs(1000));
        }
        assert!(!report.passed());
        let summary = report.summary(false);
        let failures = "Failures:\n  first: this\n  first: that\n  second: this\n  second: that\n";
        assert!(summary.contains(failures), "{summary}");
        assert!(summary.contains("33 min 21 s, OVER the limit"), "{summary}");
        assert!(!report.summary(true).contains("limit"));
    }
}
