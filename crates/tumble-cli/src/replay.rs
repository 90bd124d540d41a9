//! `tumble replay`: the steps of a recording, made again and compared.

use crate::arguments::ReplayOptions;
use crate::failure::Failure;
use crate::interrupt::{self, Interrupt};
use crate::output;
use crate::progress::Progress;
use serde::Serialize;
use std::process::ExitCode;
use tumble_scene::recording::{Recording, Replay};

#[derive(Serialize)]
struct Outcome<'a> {
    scene: &'a str,
    recorded_steps: u64,
    #[serde(flatten)]
    replay: Replay,
    same: bool,
    whole: bool,
}

pub fn replay(options: &ReplayOptions) -> Result<ExitCode, Failure> {
    let recording = Recording::load(&options.file).map_err(Failure::from_input)?;
    let interrupt = Interrupt::listen()?;
    let steps = recording.steps();
    let dt = recording.seconds() / steps.max(1) as f64;
    let mut progress = Progress::new(&recording.head().scene, steps, dt, options.quiet);
    let replay = recording
        .replay(|done| {
            progress.update(done);
            !interrupt.asked()
        })
        .map_err(|error| Failure::Broken(error.to_string()))?;
    progress.end();

    let same = replay.diverged_at.is_none();
    let stopped = same && replay.steps < steps;
    let whole = recording.is_whole();
    if options.json {
        let scene = &recording.head().scene;
        output::print_json(&Outcome { scene, recorded_steps: steps, replay, same, whole })?;
    } else {
        let cut = if whole { "" } else { "; the recording was cut short" };
        let words = match replay.diverged_at {
            Some(step) => format!("another world after step {step}: the hash is {:016x}{cut}\n", replay.hash),
            None if stopped => format!("the same bits in {} of {steps} steps, then stopped{cut}\n", replay.steps),
            None => format!("the same bits in all {steps} steps: the hash is {:016x}{cut}\n", replay.hash),
        };
        output::print(&format!("{}: {words}", recording.head().scene))?;
    }
    Ok(match (same, stopped) {
        (false, _) => ExitCode::FAILURE,
        (true, true) => ExitCode::from(interrupt::EXIT_CODE),
        (true, false) => ExitCode::SUCCESS,
    })
}
