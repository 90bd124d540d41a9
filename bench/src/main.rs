//! What `cargo xtask bench` runs: Tumble's own driver, the lists for the drivers of other engines, and the judge.
//!
//! ```text
//! tumble-bench cases                           the cases, as JSON
//! tumble-bench write CASE LIST [NAME=VALUE]    the world of a case, or of a scene, as a flat list
//! tumble-bench drive LIST WORK REPEATS THREADS STATES [SUBSTEPS]
//!                                              does the work, prints what it took, writes where the bodies are
//! tumble-bench judge CASE LIST STATES [NAME=VALUE]
//!                                              what the gate says of that, as JSON
//! tumble-bench dynamics                        forward dynamics of articulations, and ragdolls as trees
//! tumble-bench snapshots                       saving and restoring worlds of 10,000 bodies
//! tumble-bench count KERNEL ISA                the work of a hot kernel, to be counted by callgrind
//! ```
//!
//! Drivers of all engines are called as `drive` is and print the same lines of JSON; see `peers/README.md`.
#![forbid(unsafe_code)]

mod count;
mod drive;
mod dynamics;
mod judge;
mod snapshots;

use serde_json::json;
use std::fs;
use std::process::ExitCode;
use tumble_scene::bench::{self, Case};
use tumble_scene::flat::Flat;
use tumble_scene::{Setup, library};

/// What goes wrong.
type Fault = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match arguments.as_slice() {
        ["cases"] => {
            println!("{}", json!(bench::cases().iter().map(describe).collect::<Vec<_>>()));
            Ok(())
        }
        ["write", case, list, values @ ..] => write(case, list, values),
        ["drive", list, work, repeats, threads, states, rest @ ..] => {
            drive::run(&drive::Order { list, work, repeats, threads, states, substeps: rest.first().copied() })
        }
        ["judge", case, list, states, values @ ..] => judge::run(case, list, states, values),
        ["count", kernel, isa] => count::run(kernel, isa),
        ["dynamics"] => dynamics::run(),
        ["snapshots"] => snapshots::run(),
        ["kernels"] => {
            count::KERNELS.iter().for_each(|kernel| println!("{}", kernel.name));
            Ok(())
        }
        _ => Err("usage: tumble-bench cases | write | drive | judge | dynamics | snapshots | count | kernels".into()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            eprintln!("tumble-bench: {fault}");
            ExitCode::FAILURE
        }
    }
}

fn describe(case: &Case) -> serde_json::Value {
    json!({
        "name": case.name,
        "work": case.work.name(),
        "repeats": case.repeats,
        "gate": case.gate,
        "trees": case.trees,
    })
}

/// A scene with these values, each given as NAME=VALUE.
fn sized<'a>(mut setup: Setup<'a>, values: &[&str]) -> Result<Setup<'a>, Fault> {
    for value in values {
        let (name, value) = value.split_once('=').ok_or("a value is given as NAME=VALUE")?;
        setup = setup.set(name, value.parse()?)?;
    }
    Ok(setup)
}

/// Writes the list of a case; with values, that of the scene of this name.
fn write(case: &str, list: &str, values: &[&str]) -> Result<(), Fault> {
    let flat = if values.is_empty() {
        bench::find(case)?.flat()?
    } else {
        let scene = library::find(case)?;
        Flat::of(sized(scene.setup(), values)?.start()?.world())?
    };
    fs::write(list, flat.to_string())?;
    println!("{}", json!({ "bodies": flat.bodies.len(), "joints": flat.joints.len(), "rays": flat.rays.len() }));
    Ok(())
}
