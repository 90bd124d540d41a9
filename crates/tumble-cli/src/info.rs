//! `tumble info`: what is in a file.

use crate::arguments::InfoOptions;
use crate::failure::Failure;
use crate::output::count;
use crate::{lists, output};
use serde::Serialize;
use std::fmt::Write;
use std::io::Read;
use std::path::Path;
use std::process::ExitCode;
use tumble_scene::figure::Figure;
use tumble_scene::recording::Recording;
use tumble_scene::{Scene, file};

#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
enum Content {
    Scene {
        #[serde(flatten)]
        scene: Box<Scene>,
        bodies: u64,
        colliders: u64,
        joints: u64,
        articulations: u64,
        effects: u64,
        method: String,
        dt: f64,
        seconds: f64,
        hash: String,
    },
    Recording {
        scene: String,
        precision: String,
        snapshot_version: u32,
        steps: u64,
        seconds: f64,
        keyframes: u64,
        whole: bool,
        bytes: u64,
    },
}

pub fn info(options: &InfoOptions) -> Result<ExitCode, Failure> {
    let content = look(&options.file)?;
    if options.json {
        output::print_json(&content)?
    } else {
        output::print(&words(&content))?
    }
    Ok(ExitCode::SUCCESS)
}

/// The first bytes tell a recording from everything else.
pub fn is_recording(path: &Path) -> bool {
    let mut start = [0; 8];
    let read = std::fs::File::open(path).and_then(|mut f| f.read_exact(&mut start));
    read.is_ok() && Recording::begins(&start)
}

fn look(path: &Path) -> Result<Content, Failure> {
    if is_recording(path) {
        let recording = Recording::load(path).map_err(Failure::from_input)?;
        let head = recording.head().clone();
        return Ok(Content::Recording {
            scene: head.scene,
            precision: head.precision,
            snapshot_version: head.snapshot_version,
            steps: recording.steps(),
            seconds: recording.seconds(),
            keyframes: recording.keyframes().count() as u64,
            whole: recording.is_whole(),
            bytes: std::fs::metadata(path).map_or(0, |m| m.len()),
        });
    }
    let scene = file::load(path).map_err(Failure::from_input)?;
    let run = scene.setup().start().map_err(Failure::from_input)?;
    output::warn(run.warnings());
    let world = run.world();
    Ok(Content::Scene {
        bodies: world.body_count() as u64,
        colliders: world.collider_count() as u64,
        joints: world.joint_count() as u64,
        articulations: world.articulation_count() as u64,
        effects: world.effect_count() as u64,
        method: world.method().name.clone(),
        dt: run.dt(),
        seconds: run.seconds(),
        hash: format!("{:016x}", world.hash()),
        scene: Box::new(scene),
    })
}

fn words(content: &Content) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let mut row = |name: &str, value: String| {
        let _ = writeln!(text, "  {name:<18}{value}");
    };
    match content {
        Content::Recording { scene, precision, snapshot_version, steps, seconds, keyframes, whole, bytes } => {
            row("recording of", scene.clone());
            row("engine", format!("{precision}, snapshots of version {snapshot_version}"));
            row("steps", format!("{steps}, {} s", Figure(*seconds)));
            row("keyframes", keyframes.to_string());
            row("size", format!("{} MB", Figure(*bytes as f64 / 1e6)));
            row("whole", if *whole { "yes".to_owned() } else { "no: it was cut short".to_owned() });
            text
        }
        Content::Scene { scene, bodies, colliders, joints, articulations, effects, method, dt, seconds, hash } => {
            row("bodies", format!("{bodies} with {}", count(*colliders, "collider", "colliders")));
            row("joints", joints.to_string());
            row("articulations", articulations.to_string());
            row("force effects", effects.to_string());
            row("method", method.clone());
            row("time", format!("{} s in steps of {} s", Figure(*seconds), Figure(*dt)));
            row("hash", hash.clone());
            lists::description(scene) + "\nContent\n" + &text
        }
    }
}
