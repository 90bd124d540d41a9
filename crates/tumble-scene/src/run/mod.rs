//! Runs of scenes: a world, the measurements of its checks, and figures of what it cost and kept.

mod cost;
mod drift;
mod strain;

use crate::check::{Claim, Gauge, Outcome, Said, Verdict};
use crate::cue::Cue;
use crate::error::{Error, Result};
use crate::flat::Flat;
use crate::moment::Moment;
use crate::parameter::Values;
use crate::scene::{Built, Chosen, Drive, Scene, check_dt};
use serde::Serialize;
use std::collections::BTreeMap;
use tumble::math::{Float, Real};
use tumble::{Clock, Method, Pace, World};

pub use cost::{Cost, Count, StageCost};
pub use drift::{Drift, EnergyDrift};

use cost::Costs;
use drift::Ledger;
use strain::Strain;

/// The choices for a run: values of the parameters, method, time step, duration.
///
/// ```
/// # fn main() -> tumble_scene::Result<()> {
/// let scene = tumble_scene::library::find("free-fall")?;
/// let mut run = scene.setup().set("bodies", 3.0)?.dt(1.0 / 240.0)?.start()?;
/// run.step()?;
/// assert_eq!(run.world().body_count(), 3);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Setup<'a> {
    scene: &'a Scene,
    values: Values,
    method: Option<Method>,
    dt: Option<f64>,
    threads: usize,
}

impl<'a> Setup<'a> {
    pub(crate) fn new(scene: &'a Scene) -> Self {
        Self { scene, values: scene.values(), method: None, dt: None, threads: 1 }
    }

    /// Changes the value of a parameter.
    pub fn set(mut self, name: &str, value: f64) -> Result<Self> {
        self.values.set(name, value)?;
        Ok(self)
    }

    /// Changes the method.
    #[must_use]
    pub fn method(mut self, method: Method) -> Self {
        self.method = Some(method);
        self
    }

    /// Changes the time step, in seconds.
    pub fn dt(mut self, dt: f64) -> Result<Self> {
        check_dt(&self.scene.name, dt)?;
        self.dt = Some(dt);
        Ok(self)
    }

    /// Changes the number of threads, which changes no bit.
    ///
    /// ```
    /// # fn main() -> tumble_scene::Result<()> {
    /// let run = tumble_scene::library::find("free-fall")?.setup().threads(2).start()?;
    /// assert_eq!(run.world().threads(), 2);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// Builds the scene.
    pub fn start(self) -> Result<Run> {
        let engine = |source| Error::Engine { scene: self.scene.name.to_string(), source };
        let chosen = Chosen { method: self.method.is_some(), dt: self.dt };
        let mut world = World::with_method(self.method.unwrap_or_default()).map_err(engine)?;
        let clock = |dt: f64| Clock { pace: Pace::Fixed(dt), max_per_call: dt, ..Clock::default() };
        world.set_clock(clock(chosen.dt.unwrap_or(1.0 / 60.0))).map_err(engine)?;
        let Built { mut world, dt, seconds, checks, cues, drives, warnings, said } =
            self.scene.build(world, chosen, &self.values)?;
        // A scene may prefer another one.
        world.set_clock(clock(dt)).map_err(engine)?;
        if self.threads != 1 {
            world.set_threads(self.threads).map_err(engine)?;
        }
        Ok(Run {
            scene: self.scene.name.to_string(),
            values: self.values,
            dt,
            seconds,
            ledger: Ledger::open(&world),
            world,
            checks,
            drives,
            driven: false,
            cues,
            warnings,
            said,
            done: 0,
            costs: Costs::default(),
            strain: Strain::default(),
            started: false,
        })
    }
}

/// A scene that is running.
///
/// ```
/// # fn main() -> tumble_scene::Result<()> {
/// let mut run = tumble_scene::library::find("free-fall")?.setup().start()?;
/// while run.world().time() < 1.0 {
///     run.step()?;
/// }
/// println!("{:.4} ms per step", run.summary().step.mean_ms);
/// # Ok(())
/// # }
/// ```
pub struct Run {
    scene: String,
    values: Values,
    dt: f64,
    seconds: f64,
    world: World,
    checks: Vec<(Claim, Gauge)>,
    drives: Vec<Drive>,
    /// They have acted before the next step.
    driven: bool,
    cues: Vec<(f64, Cue)>,
    warnings: Vec<String>,
    said: Vec<(String, Said)>,
    /// How many of the cues have been given.
    done: usize,
    costs: Costs,
    ledger: Ledger,
    strain: Strain,
    started: bool,
}

impl Run {
    /// Advances by one time step.
    pub fn step(&mut self) -> Result<()> {
        if !self.started {
            // Here rather than at the start, so that changes made before the first step count as the beginning.
            self.started = true;
            self.ledger = Ledger::open(&self.world);
            self.observe();
        }
        self.follow_plan()?;
        self.driven = false;
        self.world
            .step(Real::from_f64(self.dt))
            .map_err(|source| Error::Engine { scene: self.scene.clone(), source })?;
        self.costs.add(self.world.profile());
        self.ledger.follow(&self.world);
        self.strain.follow(&self.world);
        self.observe();
        Ok(())
    }

    /// Does what the scene has set for the time before the next step, which [`Run::step`] otherwise does by itself. Says whether the
    /// world has changed: a recorder must be told between the two.
    pub fn act(&mut self) -> Result<bool> {
        let before = if self.drives.is_empty() { 0 } else { self.world.hash() };
        let given = self.follow_plan()?;
        Ok(given || (!self.drives.is_empty() && self.world.hash() != before))
    }

    /// Gives the cues of this time, and lets what drives the scene act, once before each step.
    fn follow_plan(&mut self) -> Result<bool> {
        let engine = |source| Error::Engine { scene: self.scene.clone(), source };
        let (before, now) = (self.done, Moment::of(&self.world));
        while let Some(&(_, cue)) = self.cues.get(self.done).filter(|(at, _)| now.has_come(*at)) {
            self.done += 1;
            cue.apply(&mut self.world).map_err(engine)?;
        }
        if !self.driven {
            self.driven = true;
            for drive in &mut self.drives {
                drive(&mut self.world).map_err(engine)?;
            }
        }
        Ok(self.done > before)
    }

    /// What is still to be done to the world, and when.
    pub fn cues(&self) -> &[(f64, Cue)] {
        &self.cues[self.done..]
    }

    /// The checks that are said in words.
    pub(crate) fn said(&self) -> &[(String, Said)] {
        &self.said
    }

    /// Code acts on the world before each step, which no file can say.
    pub fn is_driven(&self) -> bool {
        !self.drives.is_empty()
    }

    /// What is allowed in the scene, and hardly meant: a body without mass and shape, for example.
    ///
    /// ```
    /// let scene = tumble_scene::file::parse("[[body]]\nname = 'ghost'", "a.toml", ".")?;
    /// assert!(scene.setup().start()?.warnings()[0].starts_with("a.toml:1:"));
    /// # Ok::<(), tumble_scene::Error>(())
    /// ```
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    fn observe(&mut self) {
        for (_, gauge) in &mut self.checks {
            gauge.observe(&self.world);
        }
    }

    /// Goes on to the end that the scene foresees.
    pub fn finish(&mut self) -> Result<()> {
        let steps = self.steps_in(self.seconds);
        while self.world.steps() < steps {
            self.step()?;
        }
        Ok(())
    }

    /// How many steps make up a time; at least one, and saturating.
    pub fn steps_in(&self, seconds: f64) -> u64 {
        // A quotient that is whole but for rounding counts as whole.
        let (exact, whole) = (seconds / self.dt, (seconds / self.dt).round());
        let steps = if (exact - whole).abs() <= 1e-9 * exact { whole } else { exact.ceil() };
        if steps >= 1.0 { steps as u64 } else { 1 }
    }

    /// The time, in seconds, that shows all there is to see.
    pub fn seconds(&self) -> f64 {
        self.seconds
    }

    /// The time step, in seconds.
    pub fn dt(&self) -> f64 {
        self.dt
    }

    /// The name of the scene.
    pub fn scene(&self) -> &str {
        &self.scene
    }

    /// The values of the scene's parameters.
    pub fn values(&self) -> &Values {
        &self.values
    }

    /// The world as it is now.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// The world, to be meddled with. The checks still state what happens without that.
    pub fn world_mut(&mut self) -> &mut World {
        &mut self.world
    }

    /// What the checks say if the run ends here.
    pub fn verdicts(&self) -> Vec<Verdict> {
        self.checks.iter().map(|(claim, gauge)| Verdict::new(claim, gauge.read(&self.world))).collect()
    }

    /// A check that looks throughout has failed, and whatever comes cannot mend that.
    pub fn has_failed(&self, check: &str) -> bool {
        let failed = |gauge: &Gauge| matches!(gauge, Gauge::Always(_, Some(worst)) if !worst.holds());
        self.checks.iter().any(|(claim, gauge)| claim.name == check && failed(gauge))
    }

    /// What the checks say of a state that another engine has come to: the bodies, in the order of their ids, are put there, and the
    /// checks look at them once, whether they look at the end or throughout. Checks of what happens on the way have nothing to
    /// say.
    pub fn judge(mut self, states: &[[f64; 13]]) -> Result<Vec<Verdict>> {
        Flat::place(&mut self.world, states)?;
        self.observe();
        Ok(self.verdicts())
    }

    /// Every check has passed.
    pub fn passed(&self) -> bool {
        self.verdicts().iter().all(|v| v.outcome == Outcome::Passed)
    }

    /// The figures of the run so far.
    pub fn summary(&self) -> Summary {
        let checks = self.verdicts();
        let mut ledger = self.ledger.clone();
        ledger.enter(&self.world);
        Summary {
            scene: self.scene.clone(),
            parameters: self.values.iter().map(|(p, v)| (p.name.to_string(), v)).collect(),
            method: self.world.method().name.clone(),
            dt: self.dt,
            bodies: self.world.body_count() as u64,
            colliders: self.world.collider_count() as u64,
            steps: self.world.steps(),
            simulated_seconds: self.world.time(),
            step_seconds: self.costs.seconds(),
            step: self.costs.step(),
            stages: self.costs.stages(),
            counts: self.costs.counts(),
            energy: ledger.energy(),
            momentum: ledger.momentum(),
            angular_momentum: ledger.angular_momentum(),
            deepest_overlap: self.strain.overlap,
            joint_gap: self.strain.gap,
            hash: format!("{:016x}", self.world.hash()),
            passed: checks.iter().all(|v| v.outcome == Outcome::Passed),
            checks,
        }
    }
}

/// The figures of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// The scene.
    pub scene: String,
    /// The values of its parameters.
    pub parameters: BTreeMap<String, f64>,
    /// The name of the method at the end.
    pub method: String,
    /// Time step in seconds.
    pub dt: f64,
    /// Number of bodies at the end.
    pub bodies: u64,
    /// Number of colliders at the end.
    pub colliders: u64,
    /// Steps made.
    pub steps: u64,
    /// Seconds simulated.
    pub simulated_seconds: f64,
    /// Seconds that the steps took; checks and bookkeeping are not counted.
    pub step_seconds: f64,
    /// What a step took.
    pub step: Cost,
    /// What the stages of a step took, in their order.
    pub stages: Vec<StageCost>,
    /// Pairs, contacts, islands and awake bodies per step.
    pub counts: BTreeMap<&'static str, Count>,
    /// How the energy changed, in joules.
    pub energy: EnergyDrift,
    /// How far the momentum strayed from what gravity and the users' forces make of it, in kg m/s; `None` where fixed or
    /// kinematic bodies can be touched or hold something, and where force effects act: they give and take momentum.
    pub momentum: Option<Drift>,
    /// The same for the angular momentum about the origin, in kg m²/s.
    pub angular_momentum: Option<Drift>,
    /// How deep anything overlapped at the most, in metres, as the steps found it before solving.
    pub deepest_overlap: f64,
    /// How far a joint was apart at the most, in metres.
    pub joint_gap: f64,
    /// The hash of the world, as 16 hexadecimal digits: JSON has no whole numbers of 64 bits.
    pub hash: String,
    /// What the checks say.
    pub checks: Vec<Verdict>,
    /// Every check has passed.
    pub passed: bool,
}
