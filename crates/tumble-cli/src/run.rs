//! `tumble run`: a scene from its start to its verdicts.

use crate::arguments::RunOptions;
use crate::failure::Failure;
use crate::interrupt::{self, Interrupt};
use crate::output;
use crate::progress::Progress;
use crate::report::Report;
use crate::source;
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;
use tumble::Method;
use tumble_scene::figure::Exact;
use tumble_scene::recording::Recorder;
use tumble_scene::trajectory::Trajectories;
use tumble_scene::{Run, library, names};

/// More steps than anyone waits for; a slip in `--seconds` or `--dt` shows at once.
const MOST_STEPS: u64 = 1_000_000_000;

/// Runs a scene; success is that every check passed.
pub fn run(options: &RunOptions) -> Result<ExitCode, Failure> {
    let mut run = start(options)?;
    let seconds = options.seconds.unwrap_or(run.seconds());
    let steps = run.steps_in(seconds);
    if steps > MOST_STEPS {
        let (seconds, dt) = (Exact(seconds), Exact(run.dt()));
        return Err(Failure::Usage(format!(
            "{seconds} s in steps of {dt} s are more than {MOST_STEPS} steps; give fewer --seconds or a larger --dt"
        )));
    }

    output::warn(run.warnings());
    output::warn(&doubtful_step(run.dt()));
    let written = [options.record.as_deref(), options.csv.as_deref()].into_iter().flatten();
    source::keep_apart([Path::new(&options.scene)].into_iter().chain(written))?;
    let mut sinks = Sinks::open(options, &run)?;
    let interrupt = Interrupt::listen()?;
    let mut progress = Progress::new(&options.scene, steps, run.dt(), options.quiet);
    let begin = Instant::now();
    let mut broken = None;
    while run.world().steps() < steps && !interrupt.asked() {
        if let Err(failure) = advance(&mut run, &mut sinks) {
            broken = Some(failure);
            break;
        }
        progress.update(run.world().steps());
    }
    let stopped = run.world().steps() < steps;
    // Whatever ended the run, what was written of it is whole.
    if let Err(failure) = sinks.close() {
        broken = broken.or(Some(failure));
    }
    let report = Report { summary: run.summary(), real_seconds: begin.elapsed().as_secs_f64(), stopped };
    progress.end();

    if options.json {
        output::print_json(&report)?
    } else {
        output::print(&report.text())?
    }
    match broken {
        Some(failure) => Err(failure),
        None if stopped => Ok(ExitCode::from(interrupt::EXIT_CODE)),
        None if report.summary.passed => Ok(ExitCode::SUCCESS),
        None => Ok(ExitCode::FAILURE),
    }
}

/// Steps that are not wrong by themselves, and hardly meant.
fn doubtful_step(dt: f64) -> Vec<String> {
    let (coarse, fine) = (0.1, 1e-5);
    let words = match dt {
        dt if dt > coarse => format!(
            "steps of {} s are coarser than what happens in them: things fly past each other and nothing comes to rest; 1/60 is usual",
            Exact(dt)
        ),
        dt if dt < fine => format!("steps of {} s change less than can be told apart; 1/60 is usual", Exact(dt)),
        _ => return Vec::new(),
    };
    vec![words]
}

/// Everything that was asked for, checked and built.
fn start(options: &RunOptions) -> Result<Run, Failure> {
    let scene = source::scene(&options.scene)?;
    let mut setup = scene.setup();
    for (name, value) in &options.set {
        setup = setup.set(name, *value).map_err(Failure::from_input)?;
    }
    if let Some(name) = &options.method {
        setup = setup.method(method(name)?);
    }
    if let Some(dt) = options.dt {
        setup = setup.dt(dt).map_err(Failure::from_input)?;
    }
    if let Some(threads) = options.threads {
        setup = setup.threads(threads as usize);
    }
    setup.start().map_err(Failure::from_input)
}

/// One step, and what the scene does before it.
fn advance(run: &mut Run, sinks: &mut Sinks) -> Result<(), Failure> {
    let broken = |error: tumble_scene::Error| Failure::Broken(error.to_string());
    if run.act().map_err(broken)? {
        sinks.edited(run)?;
    }
    run.step().map_err(broken)?;
    sinks.take(run)
}

/// The files that a run is written to.
struct Sinks {
    recorder: Option<(Recorder<BufWriter<File>>, PathBuf)>,
    csv: Option<(Trajectories<File>, PathBuf)>,
}

impl Sinks {
    fn open(options: &RunOptions, run: &Run) -> Result<Self, Failure> {
        let create = |path: &PathBuf| File::create(path).map_err(|error| unwritten(path, &error));
        let recorder = match &options.record {
            Some(path) => {
                let recorder = Recorder::new(BufWriter::new(create(path)?), run.scene(), run.world());
                Some((recorder.map_err(|error| unwritten(path, &error))?, path.clone()))
            }
            None => None,
        };
        let csv = match &options.csv {
            Some(path) => {
                let mut csv = Trajectories::new(create(path)?).map_err(|error| unwritten(path, &error))?;
                csv.look(run.world()).map_err(|error| unwritten(path, &error))?;
                Some((csv, path.clone()))
            }
            None => None,
        };
        Ok(Self { recorder, csv })
    }

    /// After the world was changed between two steps.
    fn edited(&mut self, run: &Run) -> Result<(), Failure> {
        match &mut self.recorder {
            Some((recorder, path)) => recorder.edited(run.world()).map_err(|error| unwritten(path, &error)),
            None => Ok(()),
        }
    }

    /// After a step. What goes wrong with one file leaves the other whole.
    fn take(&mut self, run: &Run) -> Result<(), Failure> {
        let recorded = match &mut self.recorder {
            Some((recorder, path)) => recorder.step(run.world(), run.dt()).map_err(|error| unwritten(path, &error)),
            None => Ok(()),
        };
        let listed = match &mut self.csv {
            Some((csv, path)) => csv.look(run.world()).map_err(|error| unwritten(path, &error)),
            None => Ok(()),
        };
        recorded.and(listed)
    }

    /// Ends both files, and answers what went wrong first.
    fn close(self) -> Result<(), Failure> {
        let recorded = match self.recorder {
            Some((recorder, path)) => recorder.finish().map(drop).map_err(|error| unwritten(&path, &error)),
            None => Ok(()),
        };
        let listed = match self.csv {
            Some((csv, path)) => csv.finish().map(drop).map_err(|error| unwritten(&path, &error)),
            None => Ok(()),
        };
        recorded.and(listed)
    }
}

fn unwritten(path: &Path, error: &dyn std::fmt::Display) -> Failure {
    Failure::Broken(format!("cannot write {}: {error}", path.display()))
}

fn method(name: &str) -> Result<Method, Failure> {
    let mut presets = Method::presets();
    if let Some(index) = presets.iter().position(|method| method.name == name) {
        return Ok(presets.swap_remove(index));
    }
    let advice = names::missing("method", name, presets.iter().map(|method| method.name.as_str()));
    Err(Failure::Usage(format!("{advice}; `tumble methods` lists them all")))
}

/// What the command does when it is told nothing: the first scene, and what else there is.
pub fn first_scene() -> Result<ExitCode, Failure> {
    let scenes = library::scenes();
    let names: Vec<&str> = scenes.iter().map(|scene| scene.name.as_ref()).collect();
    let Some((first, others)) = names.split_first() else { return Ok(ExitCode::SUCCESS) };
    let code = run(&RunOptions { scene: (*first).to_owned(), ..RunOptions::default() })?;
    output::print(&format!(
        "\nThat was the first scene. There are also {}.\n\
         `tumble run SCENE` runs one, `tumble scenes` says what they show, `tumble --help` what else there is.\n",
        others.join(", ")
    ))?;
    Ok(code)
}
