//! `cargo xtask bench`: how fast Tumble is, alone or beside other engines on the same bodies.
//!
//! One process per engine, case and round; the rounds of all engines are interleaved, so that a machine that drifts drifts for
//! all of them. What every engine came to is judged by the gate of the case.

mod bars;
mod chart;
pub mod counts;
mod curves;
mod dynamics;
mod machine;
mod peers;
mod report;
mod run;
mod snapshots;

use crate::shell;
use run::{Case, Engine, Row};
use serde_json::Value;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What to measure.
#[derive(Debug, PartialEq)]
struct Options {
    /// Names of engines besides Tumble; `None` for Tumble alone, empty for all there are.
    peers: Option<Vec<String>>,
    /// Names of peers that run the cases of trees alone.
    trees: Vec<String>,
    /// Names of cases; empty for all.
    scenes: Vec<String>,
    /// How often each engine runs each case.
    rounds: u32,
    /// Counts of threads.
    threads: Vec<usize>,
    /// Steps instead of those of the case.
    steps: Option<u32>,
    /// Write the results into `benchmarks`.
    write: bool,
    /// Measure step time against the number of bodies, and time against quality.
    curves: bool,
    /// Count instructions instead of measuring time.
    counts: bool,
    /// Measure the dynamics of articulations instead of the cases.
    dynamics: bool,
    /// Measure saving and restoring large worlds instead of the cases.
    snapshots: bool,
}

impl Options {
    fn parse(words: &[&str]) -> Result<Self, String> {
        let all = std::thread::available_parallelism().map_or(1, usize::from);
        let mut options = Self {
            peers: None,
            trees: Vec::new(),
            scenes: Vec::new(),
            rounds: 3,
            threads: if all > 1 { vec![1, all] } else { vec![1] },
            steps: None,
            write: false,
            curves: false,
            counts: false,
            dynamics: false,
            snapshots: false,
        };
        let mut words = words.iter();
        while let Some(&word) = words.next() {
            let (name, given) = word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)));
            let mut value = || given.or_else(|| words.next().copied()).ok_or_else(|| format!("`{name}` needs a value"));
            match name {
                // Its value is optional, and must be given after `=`.
                "--peers" => options.peers = Some(given.map(list).unwrap_or_default()),
                "--trees" => options.trees = list(value()?),
                "--scenes" => options.scenes = list(value()?),
                "--rounds" => options.rounds = number(name, value()?)?,
                "--threads" => {
                    let counts = list(value()?);
                    options.threads =
                        counts.iter().map(|n| number(name, n).map(|n| n as usize)).collect::<Result<_, _>>()?;
                }
                "--steps" => options.steps = Some(number(name, value()?)?),
                "--write" => options.write = true,
                "--curves" => options.curves = true,
                "--counts" => options.counts = true,
                "--dynamics" => options.dynamics = true,
                "--snapshots" => options.snapshots = true,
                other => return Err(format!("`{other}` is no option of `bench`")),
            }
        }
        match (&options.peers, options.trees.iter().find(|name| !options.has(name))) {
            (None, Some(name)) => Err(format!("`--trees {name}` needs `--peers`")),
            (Some(_), Some(name)) => Err(format!("`--trees {name}`: it is not among the engines of `--peers`")),
            (_, None) => Ok(options),
        }
    }

    /// This peer is asked for.
    fn has(&self, name: &str) -> bool {
        let all = peers::names();
        self.peers.as_ref().is_some_and(|peers| match peers.as_slice() {
            [] => all.contains(&name),
            some => some.iter().any(|peer| peer == name),
        })
    }
}

fn list(words: &str) -> Vec<String> {
    words.split(',').filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

fn number(name: &str, word: &str) -> Result<u32, String> {
    match word.parse() {
        Ok(number) if number > 0 => Ok(number),
        _ => Err(format!("`{name}` needs positive whole numbers, got `{word}`")),
    }
}

/// How to call it.
pub fn help() -> String {
    format!(
        "  bench              measure speed: Tumble alone, on this machine\n\
         \x20   --peers[=A,B]    beside other engines: {}\n\
         \x20   --trees A,B      these peers on the cases of trees alone, if the others are not what they are made for\n\
         \x20   --scenes A,B     these cases alone\n\
         \x20   --threads 1,2    with so many threads; one and all of them otherwise\n\
         \x20   --rounds N       each engine runs each case so often; 3 otherwise\n\
         \x20   --steps N        so many steps instead of those of the case\n\
         \x20   --curves         step time against the number of bodies, time against quality, memory\n\
         \x20   --counts         count the instructions of the hot kernels instead, and with --write keep the counts\n\
         \x20   --dynamics       forward dynamics of articulations, and ragdolls as trees beside ragdolls of joints\n\
         \x20   --snapshots      saving and restoring worlds of 10,000 bodies\n\
         \x20   --write          keep the results under benchmarks/, and show them in the README\n",
        peers::names().join(", ")
    )
}

/// Runs the chore with the words after its name.
pub fn run(words: &[&str]) -> Result<ExitCode, String> {
    let options = Options::parse(words)?;
    let outcome = match options {
        Options { counts: true, write, .. } => counts::measure(write),
        Options { dynamics: true, write, .. } => apart("dynamics", dynamics::measure, write),
        Options { snapshots: true, write, .. } => apart("snapshots", snapshots::measure, write),
        _ => measure(&options),
    };
    Ok(match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("xtask: {problem}");
            ExitCode::FAILURE
        }
    })
}

/// Figures that are measured by themselves, and kept under their name.
const APART: [&str; 2] = ["dynamics", "snapshots"];

/// Measures what is measured by itself.
fn apart(name: &str, measure: fn() -> Result<Value, String>, write: bool) -> Result<(), String> {
    let machine = machine::describe();
    let folder = folder(&machine);
    // Known before minutes are spent on measuring.
    let before = if write { Some(kept(&folder)?) } else { None };
    let mut found = measure()?;
    if let Some(mut results) = before {
        // The rest was measured on another day, and may come from another processor in a folder of the same name.
        found["cpu"] = machine.cpu.into();
        found["date"] = machine.date.into();
        results[name] = found;
        put_results(&folder, &results)?;
    }
    Ok(())
}

/// The folder of this machine's results.
fn folder(machine: &machine::Machine) -> PathBuf {
    PathBuf::from("benchmarks").join(machine.slug())
}

/// The results that figures are added to; there must be some.
fn kept(folder: &Path) -> Result<Value, String> {
    results(folder)?.ok_or_else(|| {
        format!("{} has no results to add to: run `cargo xtask bench --peers --write` first", folder.display())
    })
}

/// What was kept there before, if anything was. What cannot be read is not written over.
fn results(folder: &Path) -> Result<Option<Value>, String> {
    let path = folder.join("results.json");
    let wrong = |problem: String| format!("{}: {problem}", path.display());
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(wrong(error.to_string())),
    };
    let value: Value = serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
    if value.is_object() { Ok(Some(value)) } else { Err(wrong("it is no object".to_owned())) }
}

fn put_results(folder: &Path, results: &Value) -> Result<(), String> {
    put(folder, "results.json", &(serde_json::to_string_pretty(results).unwrap_or_default() + "\n"))
}

fn put(folder: &Path, name: &str, text: &str) -> Result<(), String> {
    let path = folder.join(name);
    fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    println!("written: {}", path.display());
    Ok(())
}

fn measure(options: &Options) -> Result<(), String> {
    if options.write {
        // Results that cannot be read are a fault before hours are spent on measuring, not after.
        results(&folder(&machine::describe()))?;
    }
    shell::run(&mut shell::command("cargo build --release --package tumble-bench"))?;
    let folder = run::folder();
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut engines = vec![Engine::tumble()];
    let mut missing = Vec::new();
    if let Some(names) = &options.peers {
        peers::build(names, &options.threads, &mut engines, &mut missing)?;
        engines.iter_mut().for_each(|engine| engine.trees = options.trees.contains(&engine.name));
    }
    let cases = Case::all(&options.scenes, options.steps)?;
    let results = run::all(&engines, &cases, &options.threads, options.rounds)?;
    let machine = machine::describe();
    println!("\n{}", report::table(&results, &missing, &machine));
    let curves = if options.curves { Some(curves::measure(&engines, options.rounds)?) } else { None };
    if let Some(curves) = &curves {
        println!("{}", curves.text());
    }
    let mut bars = bars::of_rows(&results);
    bars.extend(curves.iter().flat_map(curves::Curves::bars));
    println!("{}", bars::text(&bars));
    if options.write {
        write(&results, &missing, &machine, curves.as_ref(), &bars)?;
    }
    Ok(())
}

fn write(
    results: &[Row],
    missing: &[(String, String)],
    machine: &machine::Machine,
    curves: Option<&curves::Curves>,
    bars: &[bars::Bar],
) -> Result<(), String> {
    let folder = folder(machine);
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut found = report::json(results, missing, machine, bars);
    // Measured by themselves, and kept until they are measured again.
    let before = self::results(&folder)?.unwrap_or_default();
    for name in APART {
        if let Some(figures) = before.get(name) {
            found[name] = figures.clone();
        }
    }
    put_results(&folder, &found)?;
    put(&folder, "chart.svg", &chart::bars(results))?;
    if let Some(curves) = curves {
        put(&folder, "scaling.csv", &curves.scaling_csv())?;
        put(&folder, "scaling.svg", &curves.scaling_chart())?;
        put(&folder, "quality.csv", &curves.quality_csv())?;
        put(&folder, "memory.csv", &curves.memory_csv())?;
    }
    report::into_readme(results, missing, machine)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values may stand after a space or an equals sign; `--peers` alone means all of them.
    #[test]
    fn options_are_read() {
        let options = Options::parse(&["--peers", "--scenes", "wall,washer", "--rounds=2", "--threads", "1"]).unwrap();
        assert_eq!(options.peers, Some(Vec::new()));
        assert_eq!(options.scenes, ["wall", "washer"]);
        assert_eq!((options.rounds, options.threads), (2, vec![1]));
        assert_eq!(Options::parse(&["--peers", "--trees", "mujoco"]).unwrap().trees, ["mujoco"]);
        assert_eq!(Options::parse(&["--peers=rapier,jolt"]).unwrap().peers, Some(vec!["rapier".into(), "jolt".into()]));
    }

    /// Results that are not there are no fault but where figures are added to them; those that cannot be read always are.
    #[test]
    fn results_are_not_lost() {
        let folder = std::env::temp_dir().join(format!("tumble-xtask-results-{}", std::process::id()));
        assert_eq!(results(&folder), Ok(None));
        assert!(kept(&folder).unwrap_err().contains("no results to add to"));
        fs::create_dir_all(&folder).unwrap();
        for wrong in ["{\"cpu\": ", "", "[]"] {
            fs::write(folder.join("results.json"), wrong).unwrap();
            assert!(results(&folder).is_err() && kept(&folder).is_err(), "{wrong}");
        }
        fs::write(folder.join("results.json"), "{\"cpu\": \"x\"}").unwrap();
        assert_eq!(kept(&folder).unwrap()["cpu"], "x");
        fs::remove_dir_all(&folder).unwrap();
    }

    /// A slip of the pen must not measure something else for an hour.
    #[test]
    fn wrong_options_are_refused() {
        for wrong in [
            &["--peer"][..],
            &["--rounds"],
            &["--rounds", "0"],
            &["--threads", "x"],
            &["wall"],
            &["--trees", "mujoco"],
            &["--peers=jolt", "--trees", "mujoco"],
        ] {
            assert!(Options::parse(wrong).is_err(), "{wrong:?}");
        }
    }
}
