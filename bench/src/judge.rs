//! What the gate of a case says of the state that an engine has come to.

use crate::{Fault, sized};
use serde_json::{Value, json};
use std::fs;
use tumble_scene::bench;
use tumble_scene::flat::{self, Flat};
use tumble_scene::quality::{Quality, places};
use tumble_scene::{Outcome, Verdict};

/// Judges the states in a file, of a case or, with values, of its scene at another size. A state that is not finite fails.
pub fn run(case: &str, list: &str, states: &str, values: &[&str]) -> Result<(), Fault> {
    let flat = Flat::parse(&fs::read_to_string(list)?)?;
    let states = flat::states(&fs::read_to_string(states)?)?;
    println!(
        "{}",
        verdict(case, &flat, &states, values)
            .unwrap_or_else(|fault| json!({ "pass": false, "fault": fault.to_string() }))
    );
    Ok(())
}

fn verdict(case: &str, flat: &Flat, states: &[[f64; 13]], values: &[&str]) -> Result<Value, Fault> {
    let mut world = flat.build()?;
    let start = places(&world);
    let energy = world.measure().energy();
    Flat::place(&mut world, states)?;
    let quality = Quality::of(&world, &start);
    let figures = json!({
        "depth_mm": figure(quality.depth * 1e3),
        "gap_mm": figure(quality.gap * 1e3),
        "moved_m": figure(quality.moved),
        "energy_change_j": figure(quality.energy - energy),
    });
    // A scene that is no case has no gate.
    let Ok(case) = bench::find(case) else { return Ok(json!({ "pass": true, "quality": figures, "checks": [] })) };
    let scene = case.scene()?;
    let verdicts: Vec<Verdict> = sized(case.setup(&scene)?, values)?.start()?.judge(states)?;
    let gate: Vec<&Verdict> = verdicts.iter().filter(|v| case.gate.contains(&&*v.claim.name)).collect();
    let checks: Vec<Value> = gate
        .iter()
        .map(|v| json!({ "name": v.claim.name, "pass": v.outcome == Outcome::Passed, "figure": v.figure.map(figure) }))
        .collect();
    Ok(json!({ "pass": gate.iter().all(|v| v.outcome == Outcome::Passed), "quality": figures, "checks": checks }))
}

/// JSON has no word for what is not finite.
fn figure(value: f64) -> Value {
    if value.is_finite() { json!(value) } else { json!("not finite") }
}
