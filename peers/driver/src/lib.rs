//! What the drivers of engines in Rust share: the command line, the clock and the lines of JSON; see `peers/README.md`.
#![forbid(unsafe_code)]

use std::fmt::Write as _;
use std::fs;
use std::process::ExitCode;
use std::time::Instant;
use tumble_scene::bench::{processor_ms, resident};
use tumble_scene::flat::Flat;

/// Why something was not done.
pub enum Fault {
    /// The engine cannot do it: what it lacks.
    Unsupported(&'static str),
    /// Something went wrong.
    Failed(String),
}

impl<E: std::error::Error> From<E> for Fault {
    fn from(error: E) -> Self {
        Self::Failed(error.to_string())
    }
}

/// An engine.
pub trait Engine: Sized {
    /// Its name.
    const NAME: &'static str;
    /// Its version.
    const VERSION: &'static str;
    /// Its own defaults that matter.
    fn settings(&self) -> String;
    /// Builds the world of a list, without sleep.
    fn build(flat: &Flat, threads: usize) -> Result<Self, Fault>;
    /// A step of 1/60 s.
    fn step(&mut self);
    /// Where the bodies are, in the order of the list, and the velocities of their centres of mass.
    fn states(&self) -> Vec<[f64; 13]>;
    /// Hands over the distance, in metres, of what each ray hits first, where it hits anything.
    fn cast(&mut self, _rays: &[[f64; 6]], _hit: &mut dyn FnMut(f64)) -> Result<(), Fault> {
        Err(Fault::Unsupported("ray casts"))
    }
    /// Writes the state into memory and reads it back.
    fn save_and_restore(&mut self) -> Result<(), Fault> {
        Err(Fault::Unsupported("snapshots"))
    }
}

/// The `main` of a driver. Exit code 3 says that the engine cannot do what is asked.
pub fn main<E: Engine>() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [list, work, repeats, threads, states] = arguments.as_slice() else {
        eprintln!("usage: LIST WORK REPEATS THREADS STATES");
        return ExitCode::from(2);
    };
    match drive::<E>(list, work, repeats, threads, states) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Fault::Unsupported(what)) => {
            eprintln!("{} has no {what}", E::NAME);
            ExitCode::from(3)
        }
        Err(Fault::Failed(problem)) => {
            eprintln!("{}: {problem}", E::NAME);
            ExitCode::FAILURE
        }
    }
}

fn drive<E: Engine>(list: &str, work: &str, repeats: &str, threads: &str, states: &str) -> Result<(), Fault> {
    let flat = Flat::parse(&fs::read_to_string(list)?)?;
    if !flat.trees.is_empty() {
        return Err(Fault::Unsupported("articulations in this driver"));
    }
    let (repeats, threads): (u32, usize) = (repeats.parse()?, threads.parse()?);
    let before = resident();
    let mut engine = E::build(&flat, threads)?;
    let (name, version, settings) = (E::NAME, E::VERSION, engine.settings());
    println!(r#"{{"engine":"{name}","version":"{version}","threads":{threads},"settings":"{settings}"}}"#);
    let settle = match work {
        "steps" => 0,
        "rays" => 1,
        _ => 60,
    };
    (0..settle).for_each(|_| engine.step());
    let processor = processor_ms();
    for _ in 0..repeats {
        let start = Instant::now();
        let mut found = None;
        match work {
            "steps" => engine.step(),
            "rays" => {
                let (mut hits, mut distance) = (0_u32, 0.0);
                engine.cast(&flat.rays, &mut |far| {
                    hits += 1;
                    distance += far;
                })?;
                found = Some((hits, distance));
            }
            "snapshot" => engine.save_and_restore()?,
            other => return Err(Fault::Failed(format!("unknown work {other}"))),
        }
        println!(r#"{{"ms":{:.6}}}"#, start.elapsed().as_secs_f64() * 1e3);
        if let Some((hits, distance)) = found {
            println!(r#"{{"hits":{hits},"distance":{distance}}}"#);
        }
    }
    println!(r#"{{"processor_ms":{:.3},"memory":{}}}"#, processor_ms() - processor, resident().saturating_sub(before));
    let mut text = String::new();
    for state in engine.states() {
        let words: Vec<String> = state.iter().map(f64::to_string).collect();
        writeln!(text, "{}", words.join(" "))?;
    }
    fs::write(states, text)?;
    Ok(())
}
