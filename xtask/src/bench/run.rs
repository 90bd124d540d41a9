//! Running drivers, and what comes out.

use super::bars;
use crate::tools;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Where lists and states are kept while they are needed.
pub fn folder() -> PathBuf {
    tools::target_directory().join("bench")
}

/// Tumble's own program: driver, writer of lists and judge.
pub fn program() -> PathBuf {
    let mut path = tools::target_directory().join("release").join("tumble-bench");
    path.set_extension(std::env::consts::EXE_EXTENSION);
    path
}

/// The name of Tumble among engines.
pub const TUMBLE: &str = "tumble";

/// An engine: how its driver is called for a count of threads.
pub struct Engine {
    /// Its name.
    pub name: String,
    /// It runs the cases of trees alone.
    pub trees: bool,
    /// The driver for one thread and, where it is another program, the one for more.
    single: Vec<PathBuf>,
    many: Vec<PathBuf>,
}

impl Engine {
    /// Tumble itself.
    pub fn tumble() -> Self {
        Self::new(TUMBLE, vec![program(), "drive".into()])
    }

    /// An engine with one driver.
    pub fn new(name: &str, words: Vec<PathBuf>) -> Self {
        Self { name: name.to_owned(), trees: false, many: words.clone(), single: words }
    }

    /// An engine with another driver for more threads than one.
    pub fn with_threads(mut self, words: Vec<PathBuf>) -> Self {
        self.many = words;
        self
    }

    /// Why it is not run on a case, if it is not.
    fn declines(&self, case: &Case) -> Option<String> {
        (self.trees && !case.trees).then(|| "was asked for on cases of trees alone".to_owned())
    }

    fn command(&self, threads: usize) -> Command {
        let words = if threads == 1 { &self.single } else { &self.many };
        let mut command = Command::new(words.first().map_or(Path::new(""), PathBuf::as_path));
        command.args(words.get(1..).unwrap_or_default());
        command
    }
}

/// A case, as Tumble's program describes it.
#[derive(Clone)]
pub struct Case {
    pub name: String,
    work: String,
    repeats: u64,
    /// Its list is written with these values, and the gate is that of the scene with them.
    values: Vec<String>,
    /// Of trees, and not in the mean over all cases.
    trees: bool,
}

impl Case {
    /// All cases, or those of these names.
    pub fn all(names: &[String], steps: Option<u32>) -> Result<Vec<Self>, String> {
        let output = Command::new(program()).arg("cases").output().map_err(|error| format!("tumble-bench: {error}"))?;
        let list: Value = serde_json::from_slice(&output.stdout).map_err(|error| format!("tumble-bench: {error}"))?;
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let mut cases = Vec::new();
        for case in list.as_array().into_iter().flatten() {
            let work = text(&case["work"]);
            let repeats = case["repeats"].as_u64().unwrap_or(1);
            let repeats = if work == "steps" { steps.map_or(repeats, u64::from) } else { repeats };
            cases.push(Self {
                name: text(&case["name"]),
                work,
                repeats,
                values: Vec::new(),
                trees: case["trees"] == true,
            });
        }
        if let Some(unknown) = names.iter().find(|name| !cases.iter().any(|case| case.name == **name)) {
            let known: Vec<&str> = cases.iter().map(|case| case.name.as_str()).collect();
            return Err(format!("no case is called `{unknown}`; there are {}", known.join(", ")));
        }
        cases.retain(|case| names.is_empty() || names.contains(&case.name));
        Ok(cases)
    }

    /// A scene at another size, for curves.
    pub fn sized(scene: &str, parameter: &str, value: u32, steps: u64) -> Self {
        Self {
            name: scene.to_owned(),
            work: "steps".to_owned(),
            repeats: steps,
            values: vec![format!("{parameter}={value}")],
            trees: false,
        }
    }

    /// Its name, and its values where it is no case.
    fn label(&self) -> String {
        [std::slice::from_ref(&self.name), &self.values].concat().join(" ")
    }

    /// The list of its world, written once.
    pub fn list(&self) -> Result<PathBuf, String> {
        let path = folder().join(format!("{}{}.flat", self.name, self.values.join(",").replace('=', "-")));
        let mut command = Command::new(program());
        command.arg("write").arg(&self.name).arg(&path).args(&self.values);
        let output = command.output().map_err(|error| format!("tumble-bench: {error}"))?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).trim().to_owned());
        }
        Ok(path)
    }
}

/// What a driver said about one run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Run {
    pub version: String,
    pub settings: String,
    /// Milliseconds of each repeat.
    pub times: Vec<f64>,
    /// Milliseconds on processors, of all repeats together.
    pub processor_ms: f64,
    /// Bytes that the world took.
    pub memory: f64,
    /// Points of contact in a step, in the mean, where the driver tells.
    pub contacts: Option<f64>,
    /// Milliseconds of the stages of a step, where the driver tells.
    pub stages: Value,
    /// Of ray casts.
    pub hits: Option<f64>,
    pub distance: Option<f64>,
    /// Of snapshots: the world is the same afterwards.
    pub same: Option<bool>,
}

impl Run {
    /// Reads the lines of a driver.
    pub fn parse(output: &str) -> Self {
        let mut run = Self::default();
        for line in output.lines() {
            let Ok(entry) = serde_json::from_str::<Value>(line) else { continue };
            if let Some(ms) = entry["ms"].as_f64() {
                run.times.push(ms);
            }
            if entry["engine"].is_string() {
                run.version = entry["version"].as_str().unwrap_or_default().to_owned();
                run.settings = entry["settings"].as_str().unwrap_or_default().to_owned();
            }
            if entry["stages"].is_object() {
                run.stages = entry["stages"].clone();
            }
            run.processor_ms = entry["processor_ms"].as_f64().unwrap_or(run.processor_ms);
            run.memory = entry["memory"].as_f64().unwrap_or(run.memory);
            run.contacts = entry["contacts"].as_f64().or(run.contacts);
            run.hits = entry["hits"].as_f64().or(run.hits);
            run.distance = entry["distance"].as_f64().or(run.distance);
            run.same = entry["same"].as_bool().or(run.same);
        }
        run
    }

    /// Mean milliseconds of a repeat.
    pub fn mean(&self) -> f64 {
        self.times.iter().sum::<f64>() / self.times.len().max(1) as f64
    }
}

/// What came out for an engine in a case.
pub struct Row {
    pub case: String,
    /// The case is one of trees.
    pub trees: bool,
    pub engine: String,
    pub threads: usize,
    /// One entry per round that succeeded.
    pub runs: Vec<Run>,
    /// Runs on one thread of which so many were under way at once.
    pub abreast: Vec<(usize, Run)>,
    /// What the judge said of the last round.
    pub verdict: Value,
    /// Why there is no figure.
    pub fault: Option<String>,
}

impl Row {
    /// The round with the smallest mean.
    pub fn best(&self) -> Option<f64> {
        self.runs.iter().map(Run::mean).reduce(f64::min)
    }

    /// The middle of the means of the rounds.
    pub fn median(&self) -> Option<f64> {
        let mut means: Vec<f64> = self.runs.iter().map(Run::mean).collect();
        means.sort_by(f64::total_cmp);
        means.get(means.len().checked_sub(1)? / 2).copied()
    }

    /// Milliseconds of processors per repeat, in the best round.
    pub fn processor(&self) -> Option<f64> {
        let share = |run: &Run| run.processor_ms / run.times.len().max(1) as f64;
        self.runs.iter().map(share).reduce(f64::min)
    }

    /// How much more work gets done in the same time where so many runs that know nothing of each other are under way at once, by the slowest of them. A yardstick for
    /// speed-ups by as many threads, and no bound: processors may share a core, caches, memory, or what cools them; but runs have a world each, and threads one together.
    pub fn gain_abreast(&self, count: usize) -> Option<f64> {
        let abreast = self.abreast.iter().filter(|(runs, _)| *runs == count).map(|(_, run)| run.mean());
        Some(count as f64 * self.best()? / abreast.reduce(f64::min)?)
    }

    /// The gate let it pass.
    pub fn passes(&self) -> bool {
        self.fault.is_none() && self.verdict["pass"].as_bool().unwrap_or(false)
    }
}

/// Runs every engine on every case, in rounds.
pub fn all(engines: &[Engine], cases: &[Case], threads: &[usize], rounds: u32) -> Result<Vec<Row>, String> {
    let mut rows = Vec::new();
    for case in cases {
        let list = case.list()?;
        let mut of_case: Vec<(&Engine, Row)> = Vec::new();
        for engine in engines {
            for &threads in threads {
                let row = Row {
                    case: case.label(),
                    trees: case.trees,
                    engine: engine.name.clone(),
                    threads,
                    runs: Vec::new(),
                    abreast: Vec::new(),
                    verdict: Value::Null,
                    fault: engine.declines(case),
                };
                of_case.push((engine, row));
            }
        }
        let (mut limit, mut round, mut last) = (LONGEST, 0, rounds);
        while round < last {
            for (i, (engine, row)) in of_case.iter_mut().enumerate() {
                if row.fault.is_none() {
                    let start = Instant::now();
                    once(engine, case, &list, row, limit, round + 1 == last);
                    if (round, i) == (0, 0) {
                        let took = start.elapsed();
                        limit = (took * SLOWEST).clamp(SHORTEST, LONGEST);
                        // Curves have many sizes, and need none of them so exactly.
                        last = turns(rounds, case.trees || (case.values.is_empty() && took < SOON));
                    }
                }
            }
            round += 1;
            // After all others, so that none of these finds a machine that has just been loaded.
            let own = of_case.iter_mut().find(|(engine, row)| engine.name == TUMBLE && row.threads == 1);
            if let Some((engine, row)) = own.filter(|(_, row)| row.fault.is_none() && bars::is_threaded(&case.name)) {
                for &count in threads.iter().filter(|&&count| count > 1) {
                    match abreast(engine, case, &list, limit, count) {
                        Some(run) => row.abreast.push((count, run)),
                        None => println!("    {:<26} one of {count} runs at once failed", case.name),
                    }
                }
            }
        }
        for (_, row) in of_case {
            show(&row);
            rows.push(row);
        }
        let _ = fs::remove_file(list);
    }
    judge_rays(&mut rows);
    Ok(rows)
}

/// How often a case is run where so many rounds are asked for. A run of a tree is over before the system gives the processor back that it took once; the best of
/// many has kept it. So with other runs that are soon over, as the first one tells.
fn turns(rounds: u32, brief: bool) -> u32 {
    if brief { rounds.saturating_mul(MANY) } else { rounds }
}

/// Rounds of brief cases for each of others.
const MANY: u32 = 10;
/// What is over so soon is brief.
const SOON: Duration = Duration::from_secs(1);
/// An engine that takes so many times as long for a run as the first, which is Tumble, is not waited for: it cannot be the fastest.
const SLOWEST: u32 = 8;
/// Every engine has so long for a run, whose start and end are not part of what is measured.
const SHORTEST: Duration = Duration::from_secs(15);
/// No engine has longer.
const LONGEST: Duration = Duration::from_secs(600);

/// The output of a command that ends in time; else it is ended.
fn within(command: &mut Command, limit: Duration) -> io::Result<Output> {
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    // What it prints is read beside the clock, so that it never waits for a full pipe.
    let read = |pipe: Option<Box<dyn Read + Send>>| {
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let _ = pipe.map(|mut pipe| pipe.read_to_end(&mut bytes));
            bytes
        })
    };
    let out = read(child.stdout.take().map(|pipe| Box::new(pipe) as _));
    let err = read(child.stderr.take().map(|pipe| Box::new(pipe) as _));
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if start.elapsed() > limit {
            child.kill()?;
            child.wait()?;
            return Err(io::Error::other(format!("takes longer than {} s", limit.as_secs())));
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    let joined = |thread: std::thread::JoinHandle<Vec<u8>>| thread.join().unwrap_or_default();
    Ok(Output { status, stdout: joined(out), stderr: joined(err) })
}

/// The slowest of so many runs of a driver on one thread each, all at once; none where one of them fails.
fn abreast(engine: &Engine, case: &Case, list: &Path, limit: Duration, count: usize) -> Option<Run> {
    let one = |number: usize| {
        let states = folder().join(format!("{}-{}-{number}.states", case.name, engine.name));
        let output = within(&mut order(engine, case, list, 1, &states), limit).ok();
        let _ = fs::remove_file(states);
        let output = output.filter(|output| output.status.success())?;
        Some(Run::parse(&String::from_utf8_lossy(&output.stdout)))
    };
    let runs: Option<Vec<Run>> = std::thread::scope(|scope| {
        let all: Vec<_> = (0..count).map(|number| scope.spawn(move || one(number))).collect();
        all.into_iter().map(|run| run.join().ok().flatten()).collect()
    });
    runs?.into_iter().max_by(|a, b| a.mean().total_cmp(&b.mean()))
}

/// How a driver is called.
fn order(engine: &Engine, case: &Case, list: &Path, threads: usize, states: &Path) -> Command {
    let mut command = engine.command(threads);
    command.arg(list).arg(&case.work).arg(case.repeats.to_string()).arg(threads.to_string()).arg(states);
    command
}

/// One run of one driver, which has so long; with `last` its outcome is judged.
fn once(engine: &Engine, case: &Case, list: &Path, row: &mut Row, limit: Duration, last: bool) {
    let states = folder().join(format!("{}-{}.states", case.name, engine.name));
    let output = match within(&mut order(engine, case, list, row.threads, &states), limit) {
        Ok(output) if output.status.success() => output,
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr);
            let said = said.lines().last().unwrap_or_default().to_owned();
            row.fault = Some(if said.is_empty() { format!("ended with {}", output.status) } else { said });
            return;
        }
        Err(error) => {
            row.fault = Some(error.to_string());
            return;
        }
    };
    row.runs.push(Run::parse(&String::from_utf8_lossy(&output.stdout)));
    if last {
        let mut judge = Command::new(program());
        judge.arg("judge").arg(&case.name).arg(list).arg(&states).args(&case.values);
        row.verdict = judge
            .output()
            .ok()
            .and_then(|output| serde_json::from_slice(&output.stdout).ok())
            .unwrap_or_else(|| serde_json::json!({ "pass": false, "fault": "the judge gave no verdict" }));
        if row.runs.iter().any(|run| run.same == Some(false)) {
            row.verdict["pass"] = Value::Bool(false);
        }
    }
    let _ = fs::remove_file(states);
}

/// Rays have no state to judge: what counts is that engines agree on what is hit. The median of all engines is the measure of a case; who does
/// not say what it hit does not pass.
fn judge_rays(rows: &mut [Row]) {
    let found = |row: &Row| row.runs.last().and_then(|run| Some((run.hits?, run.distance?)));
    let cases: BTreeSet<String> = rows.iter().filter(|row| found(row).is_some()).map(|row| row.case.clone()).collect();
    for case in cases {
        let mut all: Vec<(f64, f64)> = rows.iter().filter(|row| row.case == case).filter_map(found).collect();
        all.sort_by(|a, b| a.1.total_cmp(&b.1));
        let Some(&(hits, distance)) = all.get(all.len().saturating_sub(1) / 2) else { continue };
        let agrees = |(own_hits, own_distance): (f64, f64)| {
            (own_hits - hits).abs() <= 1e-3 * hits && (own_distance - distance).abs() <= 1e-3 * distance
        };
        for row in rows.iter_mut().filter(|row| row.case == case) {
            row.verdict["pass"] = Value::Bool(found(row).is_some_and(agrees));
        }
    }
}

fn show(row: &Row) {
    match (&row.fault, row.best()) {
        (None, Some(best)) => {
            let gate = if row.passes() { "" } else { "  FAILS THE GATE" };
            println!("    {:<26} {:<12} {} threads  {best:>10.3} ms{gate}", row.case, row.engine, row.threads);
        }
        (fault, _) => {
            let reason = fault.as_deref().unwrap_or("no figure");
            println!("    {:<26} {:<12} {} threads  {reason}", row.case, row.engine, row.threads);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines of drivers are understood, and other output between them does no harm.
    #[test]
    fn lines_of_drivers_are_understood() {
        let run = Run::parse(
            "{\"engine\":\"x\",\"version\":\"1.2\",\"threads\":1,\"settings\":\"4 steps\"}\nhello\n{\"ms\":1.0}\n{\"ms\":3.0}\n\
             {\"hits\":7,\"distance\":2.5}\n{\"processor_ms\":4.5,\"memory\":1000}\n{\"contacts\":8.5}\n",
        );
        assert_eq!((run.version.as_str(), run.settings.as_str(), run.mean()), ("1.2", "4 steps", 2.0));
        assert_eq!((run.hits, run.processor_ms, run.memory), (Some(7.0), 4.5, 1000.0));
        assert_eq!(run.contacts, Some(8.5));
    }

    /// What is soon over is run more often, and no count of rounds is too large for that.
    #[test]
    fn brief_runs_have_more_turns() {
        assert_eq!([turns(3, false), turns(3, true), turns(u32::MAX, true)], [3, 30, u32::MAX]);
    }

    /// An engine that is asked for on trees alone runs those, and one that is not runs everything.
    #[test]
    fn trees_alone_are_run() {
        let pile = Case::sized("pyramid", "base", 10, 60);
        let tree = Case { trees: true, ..pile.clone() };
        let mut engine = Engine::new("x", vec!["x".into()]);
        assert!(engine.declines(&pile).is_none() && engine.declines(&tree).is_none());
        engine.trees = true;
        assert!(engine.declines(&pile).is_some() && engine.declines(&tree).is_none());
    }

    /// A driver that hangs is ended, and says so.
    #[cfg(unix)]
    #[test]
    fn what_takes_too_long_is_ended() {
        let error = within(Command::new("sleep").arg("60"), Duration::from_millis(50)).unwrap_err();
        assert_eq!(error.to_string(), "takes longer than 0 s");
        let output = within(Command::new("echo").arg("hello"), Duration::from_secs(60)).unwrap();
        assert_eq!(output.stdout, b"hello\n");
    }

    /// Runs at once overlap in time; the slowest of them counts, and none where one fails.
    #[cfg(unix)]
    #[test]
    fn runs_abreast_go_on_at_once() {
        fs::create_dir_all(folder()).unwrap();
        let case = Case::sized("abreast", "base", 10, 60);
        // The driver is told: list, work, repeats, threads, states.
        let engine = |script: &str| Engine::new("x", vec!["sh".into(), "-c".into(), script.into()]);
        let run = |script: &str| abreast(&engine(script), &case, Path::new("list"), Duration::from_secs(60), 2);
        let slow = r#"case $4 in *-0.states) ms=3;; *) ms=5;; esac; echo "{\"ms\":$ms}""#;
        assert_eq!(run(slow).map(|run| run.mean()), Some(5.0));
        assert_eq!(run("case $4 in *-0.states) exit 1;; esac"), None);
        // Each waits for the other, and gives up in the end.
        let meet = r#"case $4 in *-0.states) o=1;; *) o=0;; esac; touch "$4.here"; n=0
            while [ ! -e "${4%-?.states}-$o.states.here" ]; do n=$((n + 1)); [ $n -gt 400 ] && exit 1; sleep 0.05; done
            echo '{"ms":1}'"#;
        let met = run(meet);
        (0..2).for_each(|number| drop(fs::remove_file(folder().join(format!("abreast-x-{number}.states.here")))));
        assert_eq!(met.map(|run| run.mean()), Some(1.0));
    }

    /// Best and median are those of the rounds, and an engine that differs on rays, or does not say what it hit, fails.
    #[test]
    fn rounds_are_summed_up() {
        let run = |ms, hits| Run { times: vec![ms], hits: Some(hits), distance: Some(1.0), ..Run::default() };
        let row = |engine: &str, hits| Row {
            case: "rays".into(),
            trees: false,
            engine: engine.into(),
            threads: 1,
            runs: vec![run(3.0, hits), run(1.0, hits), run(2.0, hits)],
            abreast: vec![(2, run(1.6, hits)), (2, run(1.25, hits)), (8, run(2.0, hits))],
            verdict: serde_json::json!({}),
            fault: None,
        };
        let mut silent = row("d", 0.0);
        silent.runs.iter_mut().for_each(|run| run.hits = None);
        silent.verdict["pass"] = Value::Bool(true);
        let mut rows = [row("a", 1000.0), row("b", 1000.0), row("c", 900.0), silent];
        assert_eq!((rows[0].best(), rows[0].median()), (Some(1.0), Some(2.0)));
        assert_eq!([2, 3, 8].map(|threads| rows[0].gain_abreast(threads)), [Some(1.6), None, Some(4.0)]);
        judge_rays(&mut rows);
        assert_eq!(rows.each_ref().map(Row::passes), [true, true, false, false]);
    }
}
