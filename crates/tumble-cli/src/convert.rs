//! `tumble convert`: scenes and worlds as files.

use crate::arguments::ConvertOptions;
use crate::failure::Failure;
use crate::output::count;
use crate::{info, output, source};
use std::path::Path;
use std::process::ExitCode;
use tumble::World;
use tumble_scene::flat::Flat;
use tumble_scene::recording::Recording;
use tumble_scene::{Run, Scene, file, names};

/// What can be written, by the ending of the file.
const ENDINGS: [&str; 2] = ["toml", "flat"];

pub fn convert(options: &ConvertOptions) -> Result<ExitCode, Failure> {
    let ending = options.to.extension().map(|e| e.to_string_lossy().into_owned()).unwrap_or_default();
    if !ENDINGS.contains(&ending.as_str()) {
        let meant = names::nearest(&ending, ENDINGS).map(|near| format!("; did you mean .{near}?"));
        let known = ENDINGS.map(|e| format!(".{e}")).join(" or ");
        return Err(Failure::Usage(format!(
            "{}: what is written is told by the ending, {known}{}",
            options.to.display(),
            meant.unwrap_or_default()
        )));
    }
    source::keep_apart([Path::new(&options.from), options.to.as_path()])?;
    let start = if info::is_recording(Path::new(&options.from)) { of_recording(options)? } else { of_scene(options)? };
    let name = options.to.display().to_string();
    if ending == "flat" {
        let flat = start.flat().map_err(|error| Failure::Broken(error.to_string()))?;
        write_whole(&options.to, flat.to_string().as_bytes())?;
        let bodies = count(flat.bodies.len() as u64, "body", "bodies");
        let joints = count(flat.joints.len() as u64, "joint", "joints");
        let trees = match flat.trees.len() as u64 {
            0 => String::new(),
            trees => format!(", {}", count(trees, "articulation", "articulations")),
        };
        output::print(&format!("{name}: {bodies} and {joints}{trees}\n"))?;
        return Ok(ExitCode::SUCCESS);
    }

    let text = start.text().map_err(|error| Failure::Broken(error.to_string()))?;
    // Whether the file says the same is known only by reading it.
    let again = file::parse(text.clone(), &name, ".").and_then(|scene| scene.setup().start());
    let again = again.map_err(|error| Failure::Broken(format!("what was to be written cannot be read: {error}")))?;
    write_whole(&options.to, text.as_bytes())?;
    let (bodies, hash) = (again.world().body_count(), start.world().hash());
    let bodies = count(bodies as u64, "body", "bodies");
    output::print(&format!("{name}: {bodies}, hash {:016x}\n", again.world().hash()))?;
    if let Start::Scene(scene, run) = &start {
        let left = file::left_out(scene, run);
        if !left.is_empty() {
            output::tell(&format!("warning: left out, as only code says it: {}", left.join("; ")));
        }
    }
    if again.world().hash() != hash {
        output::tell(&format!(
            "note: the file is not the same world to the bit, whose hash was {hash:016x}: a file cannot say what contacts, sleep and \
             joints remember, nor in which order everything was added"
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// What is to be written.
enum Start {
    Scene(Box<Scene>, Box<Run>),
    World { name: String, world: Box<World>, dt: f64 },
}

impl Start {
    fn world(&self) -> &World {
        match self {
            Self::Scene(_, run) => run.world(),
            Self::World { world, .. } => world,
        }
    }

    fn text(&self) -> tumble_scene::Result<String> {
        match self {
            Self::Scene(scene, run) => file::write(scene, run),
            Self::World { name, world, dt } => file::write_world(name, world, *dt),
        }
    }

    fn flat(&self) -> tumble_scene::Result<Flat> {
        Flat::of(self.world())
    }
}

fn of_scene(options: &ConvertOptions) -> Result<Start, Failure> {
    if options.step.is_some() {
        return Err(Failure::Usage(format!("--step is for recordings, and {} is none", options.from)));
    }
    let scene = source::scene(&options.from)?;
    let mut setup = scene.setup();
    for (name, value) in &options.set {
        setup = setup.set(name, *value).map_err(Failure::from_input)?;
    }
    let run = setup.start().map_err(Failure::from_input)?;
    output::warn(run.warnings());
    Ok(Start::Scene(Box::new(scene), Box::new(run)))
}

fn of_recording(options: &ConvertOptions) -> Result<Start, Failure> {
    if !options.set.is_empty() {
        return Err(Failure::Usage("--set is for scenes; a recording has been made already".to_owned()));
    }
    let recording = Recording::load(&options.from).map_err(Failure::from_input)?;
    let first = recording.keyframes().next().unwrap_or(0);
    let (step, last) = (options.step.unwrap_or(first), first.saturating_add(recording.steps()));
    if !(first..=last).contains(&step) {
        let problem = format!("{} has the world after steps {first} to {last}, not {step}", options.from);
        return Err(Failure::Usage(problem));
    }
    let world = recording.world_at(step).map_err(Failure::from_input)?;
    let dt = recording.seconds() / recording.steps().max(1) as f64;
    let dt = if dt > 0.0 { dt } else { 1.0 / 60.0 };
    Ok(Start::World { name: recording.head().scene.clone(), world: Box::new(world), dt })
}

/// Writes a file as a whole or not at all: beside its place, and then into it.
fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let beside = path.with_extension(format!("part-{}", std::process::id()));
    let done = std::fs::write(&beside, bytes).and_then(|()| std::fs::rename(&beside, path));
    done.map_err(|error| {
        let _ = std::fs::remove_file(&beside);
        Failure::Broken(format!("cannot write {}: {error}", path.display()))
    })
}
