//! The summary of a run, in words.

use crate::output::count;
use serde::Serialize;
use std::fmt::Write;
use tumble_scene::figure::{Exact, Figure};
use tumble_scene::run::Drift;
use tumble_scene::{Outcome, Summary, Verdict};

/// Everything there is to say about a run.
#[derive(Debug, Serialize)]
pub struct Report {
    #[serde(flatten)]
    pub summary: Summary,
    /// Seconds that the run took, checks and bookkeeping included.
    pub real_seconds: f64,
    /// Ctrl-C ended it before its time.
    pub stopped: bool,
}

impl Report {
    /// For people.
    pub fn text(&self) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = self.write(&mut text);
        text
    }

    fn write(&self, f: &mut String) -> std::fmt::Result {
        let s = &self.summary;
        let parameters: Vec<String> =
            s.parameters.iter().map(|(name, value)| format!("{name}={}", Exact(*value))).collect();
        writeln!(f, "{}, by {}, in steps of {} s", s.scene, s.method, Figure(s.dt))?;
        if !parameters.is_empty() {
            row(f, "parameters", parameters.join(" "))?;
        }
        row(f, "bodies", format!("{} with {}", s.bodies, count(s.colliders, "collider", "colliders")))?;
        row(f, "steps", s.steps)?;
        let speed = s.simulated_seconds / s.step_seconds;
        row(f, "simulated", format!("{:.3} s, {} x real time", s.simulated_seconds, Figure(speed)))?;
        row(f, "took", format!("{:.3} s, with the checks {:.3} s", s.step_seconds, self.real_seconds))?;
        for (name, count) in &s.counts {
            // What a method does not count stays zero.
            if count.max > 0 {
                row(f, &name.replace('_', " "), format!("{} per step, {} at the most", Figure(count.mean), count.max))?;
            }
        }
        let (energy, part) = (s.energy, Figure(100.0 * s.energy.share));
        let (end, gain) = (Figure(energy.end), Figure(energy.gain));
        row(
            f,
            "energy",
            format!("changed by {end} J, never more than {gain} J above its start ({part} % of what moved)"),
        )?;
        drift(f, "momentum", s.momentum, "kg m/s")?;
        drift(f, "angular momentum", s.angular_momentum, "kg m²/s")?;

        row(f, "deepest overlap", format!("{} m", Figure(s.deepest_overlap)))?;
        row(f, "joint gap", format!("{} m", Figure(s.joint_gap)))?;
        row(f, "hash", &s.hash)?;

        writeln!(f, "\n  {:<18}{:>12}{:>12}", "ms per step", "mean", "p99")?;
        let stages = s.stages.iter().map(|stage| (stage.stage, stage.cost));
        for (name, cost) in stages.chain([("all", s.step)]) {
            writeln!(f, "  {name:<18}{:>12.5}{:>12.5}", cost.mean_ms, cost.p99_ms)?;
        }

        if s.checks.is_empty() {
            let stopped = if self.stopped { "; stopped before the end" } else { "" };
            return writeln!(f, "\n  the scene has no checks{stopped}");
        }
        writeln!(f, "\n  checks")?;
        for verdict in &s.checks {
            check(f, verdict)?;
        }
        let passed = s.checks.iter().filter(|v| v.outcome == Outcome::Passed).count();
        let stopped = if self.stopped { "; stopped before the end" } else { "" };
        writeln!(f, "  {passed} of {} checks passed{stopped}", s.checks.len())
    }
}

fn row(f: &mut String, name: &str, value: impl std::fmt::Display) -> std::fmt::Result {
    writeln!(f, "  {name:<18}{value}")
}

/// Nothing where the quantity is not kept.
fn drift(f: &mut String, name: &str, drift: Option<Drift>, unit: &str) -> std::fmt::Result {
    let Some(drift) = drift else { return Ok(()) };
    let (worst, share) = (Figure(drift.worst), Figure(100.0 * drift.share));
    row(f, name, format!("strays by {worst} {unit} at the most ({share} % of what moved)"))
}

fn check(f: &mut String, verdict: &Verdict) -> std::fmt::Result {
    let Verdict { claim, outcome, figure, bound } = verdict;
    let unit = if claim.unit.is_empty() { String::new() } else { format!(" {}", claim.unit) };
    writeln!(f, "  {outcome:<10}{}: {}", claim.name, claim.statement)?;
    match (figure, bound) {
        (Some(figure), Some(bound)) => writeln!(f, "            {}{unit}, {bound}{unit}", Figure(*figure)),
        _ => writeln!(f, "            the run was too short to tell; give it more --seconds"),
    }
}
