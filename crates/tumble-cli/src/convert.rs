//! `tumble convert`: scenes and worlds as files.

use crate::arguments::ConvertOptions;
use crate::failure::Failure;
use crate::{info, output, source};
use std::path::Path;
use std::process::ExitCode;
use tumble_scene::recording::Recording;
use tumble_scene::{file, names};

/// What can be written, by the ending of the file.
const ENDINGS: [&str; 1] = ["toml"];

pub fn convert(options: &ConvertOptions) -> Result<ExitCode, Failure> {
    let ending = options.to.extension().map(|e| e.to_string_lossy().into_owned()).unwrap_or_default();
    if !ENDINGS.contains(&ending.as_str()) {
        let near = names::nearest(&ending, ENDINGS).unwrap_or_default();
        let known = ENDINGS.map(|e| format!(".{e}")).join(", ");
        return Err(Failure::Usage(format!(
            "{}: cannot tell what to write from {ending:?}; it can be {known}; did you mean .{near}?",
            options.to.display()
        )));
    }
    let from = Path::new(&options.from);
    let (text, hash) = if info::is_recording(from) { of_recording(from, options)? } else { of_scene(options)? };

    // Whether the file says the same is known only by reading it.
    let name = options.to.display().to_string();
    let again = file::parse(text.clone(), &name, ".").and_then(|scene| scene.setup().start());
    let again = again.map_err(|error| Failure::Broken(format!("what was to be written cannot be read: {error}")))?;
    write_whole(&options.to, text.as_bytes())?;
    let (bodies, same) = (again.world().body_count(), again.world().hash() == hash);
    output::print(&format!("{name}: {bodies} bodies, hash {:016x}\n", again.world().hash()))?;
    if !same {
        output::tell(&format!(
            "note: the file is not the same world to the bit, whose hash was {hash:016x}: a file cannot say what contacts, sleep and \
             joints remember, nor in which order everything was added"
        ));
    }
    Ok(ExitCode::SUCCESS)
}

fn of_scene(options: &ConvertOptions) -> Result<(String, u64), Failure> {
    if options.step.is_some() {
        return Err(Failure::Usage(format!("--step is for recordings, and {} is none", options.from)));
    }
    let scene = source::scene(&options.from)?;
    let mut setup = scene.setup();
    for (name, value) in &options.set {
        setup = setup.set(name, *value).map_err(Failure::from_input)?;
    }
    let run = setup.start().map_err(Failure::from_input)?;
    let text = file::write(&scene, &run).map_err(|error| Failure::Broken(error.to_string()))?;
    Ok((text, run.world().hash()))
}

fn of_recording(path: &Path, options: &ConvertOptions) -> Result<(String, u64), Failure> {
    if !options.set.is_empty() {
        return Err(Failure::Usage("--set is for scenes; a recording has been made already".to_owned()));
    }
    let recording = Recording::load(path).map_err(Failure::from_input)?;
    let first = recording.keyframes().next().unwrap_or(0);
    let world = recording.world_at(options.step.unwrap_or(first)).map_err(Failure::from_input)?;
    let dt = recording.seconds() / recording.steps().max(1) as f64;
    let dt = if dt > 0.0 { dt } else { 1.0 / 60.0 };
    let text = file::write_world(&recording.head().scene, &world, dt);
    Ok((text.map_err(|error| Failure::Broken(error.to_string()))?, world.hash()))
}

/// Writes a file as a whole or not at all: beside its place, and then into it.
fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let beside = path.with_extension("part");
    let done = std::fs::write(&beside, bytes).and_then(|()| std::fs::rename(&beside, path));
    done.map_err(|error| {
        let _ = std::fs::remove_file(&beside);
        Failure::Broken(format!("cannot write {}: {error}", path.display()))
    })
}
