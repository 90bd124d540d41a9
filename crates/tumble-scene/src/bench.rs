//! The cases of the benchmarks: scenes of the library at full size, how long they run, and which checks are the gate.
//!
//! The gate of a case is a list of checks of its scene. An engine whose final state does not pass them does not count there,
//! however fast it is; that goes for Tumble too.

use crate::error::{Error, Result};
use crate::flat::Flat;
use crate::library;
use crate::library::Random;
use crate::names::instead;
use crate::run::Setup;
use crate::scene::Scene;
use std::fs;

/// What is timed.
///
/// ```
/// use tumble_scene::bench::{Work, cases};
/// assert!(cases().iter().any(|case| case.work == Work::Rays));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// Steps of 1/60 s.
    Steps,
    /// Casting all rays of the list, after a step.
    Rays,
    /// Writing the whole state into memory and reading it back, after a step.
    Snapshot,
}

impl Work {
    /// The word for it that drivers know.
    pub fn name(self) -> &'static str {
        match self {
            Self::Steps => "steps",
            Self::Rays => "rays",
            Self::Snapshot => "snapshot",
        }
    }
}

/// A case.
///
/// ```
/// # fn main() -> tumble_scene::Result<()> {
/// let wall = tumble_scene::bench::find("wall")?;
/// let run = wall.setup(&wall.scene()?)?.start()?;
/// assert_eq!(run.world().body_count(), 211); // with the floor
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Case {
    /// Its name.
    pub name: &'static str,
    /// The scene.
    pub scene: &'static str,
    /// Values of its parameters that differ from the defaults.
    pub values: &'static [(&'static str, f64)],
    /// How often the work is done.
    pub repeats: u32,
    /// What is timed.
    pub work: Work,
    /// The checks that must pass.
    pub gate: &'static [&'static str],
    /// Its bodies are a tree of links, which few engines have: it is judged by itself, not in the mean over all cases.
    pub trees: bool,
}

const PILE: &[&str] = &["overlap", "inside"];
const STANDS: &[&str] = &["stands", "overlap"];

/// How many rays are cast.
const RAYS: u32 = 100_000;

/// All cases, in the order of the table.
pub fn cases() -> &'static [Case] {
    const STEPS: Work = Work::Steps;
    &[
        Case {
            name: "large-pyramid",
            scene: "pyramid",
            values: &[("base", 100.0)],
            repeats: 200,
            work: STEPS,
            gate: STANDS,
            trees: false,
        },
        Case {
            name: "many-pyramids",
            scene: "many-pyramids",
            values: &[("rows", 14.0), ("columns", 13.0), ("base", 10.0)],
            repeats: 120,
            work: STEPS,
            gate: STANDS,
            trees: false,
        },
        Case {
            name: "wall",
            scene: "pyramid",
            values: &[("base", 20.0)],
            repeats: 600,
            work: STEPS,
            gate: STANDS,
            trees: false,
        },
        Case {
            name: "falling-boxes",
            scene: "falling-boxes",
            values: &[("boxes", 1_000.0)],
            repeats: 600,
            work: STEPS,
            gate: &["overlap", "near"],
            trees: false,
        },
        Case {
            name: "ball-pit",
            scene: "ball-pit",
            values: &[("balls", 8_000.0)],
            repeats: 200,
            work: STEPS,
            gate: PILE,
            trees: false,
        },
        Case {
            name: "convex-pile",
            scene: "convex-pile",
            values: &[("stones", 5_120.0)],
            repeats: 200,
            work: STEPS,
            gate: PILE,
            trees: false,
        },
        Case {
            name: "junkyard",
            scene: "junkyard",
            values: &[("rocks", 10_000.0)],
            repeats: 200,
            work: STEPS,
            gate: PILE,
            trees: false,
        },
        Case {
            name: "washer",
            scene: "washer",
            values: &[("boxes", 8_000.0)],
            repeats: 200,
            work: STEPS,
            gate: PILE,
            trees: false,
        },
        Case {
            name: "joint-grid",
            scene: "joint-grid",
            values: &[("size", 100.0)],
            repeats: 200,
            work: STEPS,
            gate: &["gap", "hangs"],
            trees: false,
        },
        Case {
            name: "ragdolls",
            scene: "ragdolls",
            values: &[("ragdolls", 1_000.0)],
            repeats: 180,
            work: STEPS,
            gate: &["gap", "above"],
            trees: false,
        },
        Case {
            name: "wrecking-ball",
            scene: "wrecking-ball",
            values: &[("courses", 10.0), ("links", 20.0), ("density", 1_000.0)],
            repeats: 300,
            work: STEPS,
            gate: &["gap", "breach", "above"],
            trees: false,
        },
        Case {
            name: "fixed-field",
            scene: "fixed-field",
            values: &[("side", 1_000.0), ("balls", 100.0)],
            repeats: 120,
            work: STEPS,
            gate: &["overlap", "on-top"],
            trees: false,
        },
        Case {
            name: "ray-casts",
            scene: "many-pyramids",
            values: &[("rows", 14.0), ("columns", 13.0), ("base", 10.0)],
            repeats: 5,
            work: Work::Rays,
            gate: &[],
            trees: false,
        },
        Case {
            name: "snapshot-restore",
            scene: "falling-boxes",
            values: &[("boxes", 1_000.0)],
            repeats: 50,
            work: Work::Snapshot,
            gate: &[],
            trees: false,
        },
        Case {
            name: "humanoid",
            scene: "humanoid",
            values: &[],
            repeats: 600,
            work: STEPS,
            gate: &["stands", "feet", "still"],
            trees: true,
        },
        Case {
            name: "humanoid-swaying",
            scene: "humanoid",
            values: &[("sway", 0.04)],
            repeats: 60,
            work: STEPS,
            gate: &["stands", "feet"],
            trees: true,
        },
        Case {
            name: "gentle-chain",
            scene: "whip",
            values: &[("links", 32.0), ("angle", 20.0)],
            repeats: 600,
            work: STEPS,
            gate: &["gain", "loss"],
            trees: true,
        },
    ]
}

/// The case of this name, or an error with the nearest one.
///
/// ```
/// assert_eq!(tumble_scene::bench::find("washer").unwrap().repeats, 200);
/// assert!(tumble_scene::bench::find("wascher").unwrap_err().to_string().ends_with(r#"nearest name is "washer""#));
/// ```
pub fn find(name: &str) -> Result<Case> {
    cases().iter().find(|case| case.name == name).copied().ok_or_else(|| Error::UnknownCase {
        name: name.to_owned(),
        advice: instead(name, cases().iter().map(|case| case.name)),
    })
}

impl Case {
    /// Its scene.
    pub fn scene(&self) -> Result<Scene> {
        library::find(self.scene)
    }

    /// Its scene at full size.
    pub fn setup<'a>(&self, scene: &'a Scene) -> Result<Setup<'a>> {
        self.values.iter().try_fold(scene.setup(), |setup, (name, value)| setup.set(name, *value))
    }

    /// Its world as a flat list, with the rays that are cast.
    pub fn flat(&self) -> Result<Flat> {
        let scene = self.scene()?;
        let run = self.setup(&scene)?.start()?;
        let mut flat = Flat::of(run.world())?;
        if self.work == Work::Rays {
            flat.rays = rays(&flat, RAYS);
        }
        Ok(flat)
    }
}

/// Rays through the box of all positions: from a point of it at a height of one above the other points to another.
fn rays(flat: &Flat, count: u32) -> Vec<[f64; 6]> {
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for body in &flat.bodies {
        for axis in 0..3 {
            low[axis] = if body.pose[axis] < low[axis] { body.pose[axis] } else { low[axis] };
            high[axis] = if body.pose[axis] > high[axis] { body.pose[axis] } else { high[axis] };
        }
    }
    let mut random = Random(7);
    let mut point = |lift: f64| {
        let mut at = [0.0; 3];
        for axis in 0..3 {
            at[axis] = low[axis] + (0.5 + 0.5 * random.number()) * (high[axis] - low[axis]);
        }
        at[1] += lift;
        at
    };
    (0..count)
        .map(|_| {
            let (from, to) = (point(high[1] - low[1] + 1.0), point(0.0));
            [from[0], from[1], from[2], to[0] - from[0], to[1] - from[1], to[2] - from[2]]
        })
        .collect()
}

/// Milliseconds that all threads of the process have run on a processor so far, where the system tells: what others do on the
/// machine counts less there than in the time that passes; 0 where it does not.
///
/// ```
/// assert!(tumble_scene::bench::processor_ms() >= 0.0);
/// ```
pub fn processor_ms() -> f64 {
    let Ok(tasks) = fs::read_dir("/proc/self/task") else { return 0.0 };
    let nanoseconds = |task: fs::DirEntry| {
        let text = fs::read_to_string(task.path().join("schedstat")).ok()?;
        text.split_whitespace().next()?.parse::<f64>().ok()
    };
    tasks.flatten().filter_map(nanoseconds).sum::<f64>() * 1e-6
}

/// Memory in use by the process in bytes, without that of its program and libraries, where the system tells; else 0.
///
/// ```
/// println!("{} bytes", tumble_scene::bench::resident());
/// ```
pub fn resident() -> u64 {
    let status = fs::read_to_string("/proc/self/statm").unwrap_or_default();
    // Pages of 4 KiB: the second word is all that is in memory, the third what of it is files.
    let mut words = status.split_whitespace().skip(1).map_while(|pages| pages.parse::<u64>().ok());
    let (all, files) = (words.next().unwrap_or(0), words.next().unwrap_or(0));
    all.saturating_sub(files) * 4096
}
