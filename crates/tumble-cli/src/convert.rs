//! `tumble convert`: scenes and worlds as files.

use crate::arguments::ConvertOptions;
use crate::failure::Failure;
use crate::output::count;
use crate::{info, output, source};
use serde::Serialize;
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
    let report = if ending == "flat" { flat(&start, &options.to)? } else { scene_file(&start, &options.to)? };
    output::warn(&report.warnings);
    report.notes.iter().for_each(|note| output::tell(&format!("note: {note}")));
    if options.json {
        output::print_json(&report)?
    } else {
        output::print(&report.words())?
    }
    Ok(ExitCode::SUCCESS)
}

/// What was written.
#[derive(Serialize)]
struct Report {
    file: String,
    kind: Kind,
    bodies: u64,
    joints: u64,
    articulations: u64,
    /// Of the world that the file gives; a flat list has none, since other engines read it.
    hash: Option<String>,
    /// What the file leaves out.
    warnings: Vec<String>,
    notes: Vec<String>,
}

#[derive(Serialize, PartialEq)]
#[serde(rename_all = "kebab-case")]
enum Kind {
    SceneFile,
    FlatList,
}

impl Report {
    fn words(&self) -> String {
        let mut text = format!("{}: {}", self.file, count(self.bodies, "body", "bodies"));
        if self.kind == Kind::FlatList {
            text += &format!(" and {}", count(self.joints, "joint", "joints"));
            if self.articulations > 0 {
                text += &format!(", {}", count(self.articulations, "articulation", "articulations"));
            }
        }
        if let Some(hash) = &self.hash {
            text += &format!(", hash {hash}");
        }
        text + "\n"
    }
}

fn flat(start: &Start, to: &Path) -> Result<Report, Failure> {
    let flat = Flat::of(start.world()).map_err(|error| Failure::Broken(error.to_string()))?;
    write_whole(to, flat.to_string().as_bytes())?;
    let mut warnings = Flat::losses(start.world());
    if let Start::Scene(_, run) = start {
        if !run.cues().is_empty() {
            warnings.push("a flat list has no word for what the scene does at set times".to_owned());
        }
        if run.is_driven() {
            warnings.push("a flat list has no word for what drives the scene while it runs".to_owned());
        }
    }
    Ok(Report {
        file: to.display().to_string(),
        kind: Kind::FlatList,
        bodies: flat.bodies.len() as u64,
        joints: flat.joints.len() as u64,
        articulations: flat.trees.len() as u64,
        hash: None,
        warnings,
        notes: Vec::new(),
    })
}

fn scene_file(start: &Start, to: &Path) -> Result<Report, Failure> {
    let name = to.display().to_string();
    let text = start.text().map_err(|error| Failure::Broken(error.to_string()))?;
    // Whether the file says the same is known only by reading it.
    let again = file::parse(text.clone(), &name, ".").and_then(|scene| scene.setup().start());
    let again = again.map_err(|error| Failure::Broken(format!("what was to be written cannot be read: {error}")))?;
    write_whole(to, text.as_bytes())?;
    let (mut warnings, mut notes) = (Vec::new(), Vec::new());
    if let Start::Scene(scene, run) = start {
        let left = file::left_out(scene, run);
        if !left.is_empty() {
            warnings.push(format!("left out, as only code says it: {}", left.join("; ")));
        }
    }
    let (world, hash) = (again.world(), start.world().hash());
    if world.hash() != hash {
        notes.push(format!(
            "the file is not the same world to the bit, whose hash was {hash:016x}: a file cannot say what contacts, sleep and \
             joints remember, nor in which order everything was added"
        ));
    }
    Ok(Report {
        file: name,
        kind: Kind::SceneFile,
        bodies: world.body_count() as u64,
        joints: world.joint_count() as u64,
        articulations: world.articulation_count() as u64,
        hash: Some(format!("{:016x}", world.hash())),
        warnings,
        notes,
    })
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
