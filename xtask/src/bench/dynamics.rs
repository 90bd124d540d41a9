//! The dynamics of articulations: what `tumble-bench dynamics` measures, judged.

use super::bars::{self, Bar};
use super::run::program;
use crate::shell;
use serde_json::Value;
use std::process::Command;

/// Microseconds per degree of freedom that forward dynamics may take.
const FORWARD: f64 = 0.15;
/// Ragdolls as trees may cost so many times as much as ragdolls of joints; judged at a thousand.
const RAGDOLLS: f64 = 1.5;

/// Measures, prints and judges. What came out is for the results.
pub fn measure() -> Result<Value, String> {
    shell::run(&mut shell::command("cargo build --release --package tumble-bench"))?;
    let mut lines = Vec::new();
    shell::run_reading(Command::new(program()).arg("dynamics"), |line| lines.push(line.to_owned()))?;
    let read = |line: &String| serde_json::from_str(line).map_err(|error| format!("tumble-bench: {line:?}: {error}"));
    let figures: Vec<Value> = lines.iter().map(read).collect::<Result<_, _>>()?;
    let bars: Vec<Bar> = figures.iter().filter_map(judge).collect();
    if bars.is_empty() {
        return Err("tumble-bench measured nothing that has a bar".to_owned());
    }
    println!("\n{}", bars::text(&bars));
    Ok(serde_json::json!({ "figures": figures, "bars": bars.iter().map(Bar::json).collect::<Vec<_>>() }))
}

/// Ragdolls of which a joint has come apart, or a part fallen through the ground, meet nothing: neither kind of them is a measure then.
fn judge(figure: &Value) -> Option<Bar> {
    if let Some(us) = figure["us_per_dof"].as_f64() {
        let what = format!("forward dynamics of the {}, \u{b5}s per degree of freedom", figure["of"].as_str()?);
        return Some(Bar::at_most(what, us, FORWARD));
    }
    let ratio = figure["trees_ms"].as_f64()? / figure["joints_ms"].as_f64()?;
    let ratio = if figure["pass"] == true { ratio } else { f64::NAN };
    let count = figure["ragdolls"].as_f64()?;
    (count >= 1000.0).then(|| Bar::at_most(format!("{count} ragdolls as trees to ragdolls of joints"), ratio, RAGDOLLS))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Lines are judged by the bar that is theirs.
    #[test]
    fn lines_are_judged() {
        let bar = judge(&json!({ "of": "humanoid", "dofs": 27, "us_per_dof": 0.2 })).unwrap();
        assert!(!bar.met() && bar.what.contains("humanoid"));
        let bar = judge(&json!({ "ragdolls": 1000, "joints_ms": 10.0, "trees_ms": 14.0, "pass": true })).unwrap();
        assert!(bar.met() && (bar.measured - 1.4).abs() < 1e-12);
        assert_eq!(judge(&json!({ "ragdolls": 100, "joints_ms": 1.0, "trees_ms": 4.0, "pass": true })), None);
    }

    /// Ragdolls that came apart, or of which nobody says whether they did, miss their bar however fast they were.
    #[test]
    fn who_fails_the_checks_meets_no_bar() {
        let mut figure = json!({ "ragdolls": 1000, "joints_ms": 10.0, "trees_ms": 1.0, "pass": false });
        assert!(!judge(&figure).unwrap().met());
        figure["pass"] = Value::Null;
        assert!(!judge(&figure).unwrap().met());
    }
}
