//! Descriptions of scenes.

use crate::camera::Camera;
use crate::check::{Claim, Gauge, Reading, Said};
use crate::cue::Cue;
use crate::error::{Error, Result};
use crate::file::{Document, gauges};
use crate::parameter::{Parameter, Values};
use crate::run::Setup;
use serde::Serialize;
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use tumble::math::{Float, Real};
use tumble::{Method, World};

/// Fills a stage according to the values of the parameters.
type Build = dyn Fn(&mut Stage, &Values) -> Result<()> + Send + Sync;

/// A world that can be built, with what is known about it.
///
/// ```
/// use tumble::{BodyDesc, math::Vec3};
/// use tumble_scene::{Parameter, Reading, Scene};
///
/// let scene = Scene::new("drifting", |stage, values| {
///     let speed = values.real("speed")?;
///     stage.engine(|world| world.set_gravity(Vec3::ZERO))?;
///     let body = stage.engine(|world| world.add_body(BodyDesc::dynamic().linear_velocity([speed, 0.0, 0.0])))?;
///     stage.run_for(5.0);
///     stage.check_at_end("distance", move |world| {
///         let gone = world.body(body).ok()?.position().x;
///         Some(Reading::at_most((gone - f64::from(speed) * world.time()).abs(), 1e-5 * gone))
///     });
///     Ok(())
/// })
/// .description("A body on which no force acts goes on.")
/// .parameter(Parameter::new("speed", 3.0).range(0.1, 100.0).unit("m/s"))
/// .check("distance", "The body is where v t says; by how much it is not", "m");
///
/// let mut run = scene.setup().start()?;
/// run.finish()?;
/// assert!(run.passed());
/// # Ok::<(), tumble_scene::Error>(())
/// ```
#[derive(Clone, Serialize)]
pub struct Scene {
    /// Its name, in kebab-case; it never changes.
    pub name: Cow<'static, str>,
    /// Where it comes from: the section of the work that shows it first.
    pub seed: Cow<'static, str>,
    /// What there is to see, in a sentence or two.
    pub description: Cow<'static, str>,
    /// What can be changed about it.
    pub parameters: Vec<Parameter>,
    /// Where to look at it from.
    pub camera: Camera,
    /// What should happen.
    pub checks: Vec<Claim>,
    /// Nothing in it gives or takes energy: no friction, no plastic impact, no motor.
    pub conservative: bool,
    #[serde(skip)]
    build: Arc<Build>,
    /// The file that it comes from.
    #[serde(skip)]
    document: Option<Arc<Document>>,
}

impl Scene {
    /// A scene that is built by this function. Every check that is declared with [`Scene::check`] must be measured by it, and
    /// no other.
    pub fn new(
        name: impl Into<Cow<'static, str>>,
        build: impl Fn(&mut Stage, &Values) -> Result<()> + Send + Sync + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            seed: Cow::Borrowed(""),
            description: Cow::Borrowed(""),
            parameters: Vec::new(),
            camera: Camera::default(),
            checks: Vec::new(),
            conservative: false,
            build: Arc::new(build),
            document: None,
        }
    }

    /// Where it comes from.
    #[must_use]
    pub fn seed(mut self, seed: impl Into<Cow<'static, str>>) -> Self {
        self.seed = seed.into();
        self
    }

    /// What there is to see.
    #[must_use]
    pub fn description(mut self, description: impl Into<Cow<'static, str>>) -> Self {
        self.description = description.into();
        self
    }

    /// Another parameter.
    #[must_use]
    pub fn parameter(mut self, parameter: Parameter) -> Self {
        self.parameters.push(parameter);
        self
    }

    /// Where to look at it from.
    #[must_use]
    pub fn camera(mut self, camera: Camera) -> Self {
        self.camera = camera;
        self
    }

    /// Declares a check: its name, what should happen (and what the figure means), the unit of the figure.
    #[must_use]
    pub fn check(
        mut self,
        name: impl Into<Cow<'static, str>>,
        statement: impl Into<Cow<'static, str>>,
        unit: impl Into<Cow<'static, str>>,
    ) -> Self {
        self.checks.push(Claim { name: name.into(), statement: statement.into(), unit: unit.into() });
        self
    }

    /// Says that nothing in the scene gives or takes energy, so that whatever it gains is the method's error.
    #[must_use]
    pub fn conservative(mut self) -> Self {
        self.conservative = true;
        self
    }

    pub(crate) fn written_as(mut self, document: Arc<Document>) -> Self {
        self.document = Some(document);
        self
    }

    pub(crate) fn document(&self) -> Option<&Document> {
        self.document.as_deref()
    }

    /// The default values of its parameters.
    pub fn values(&self) -> Values {
        Values::defaults(self.name.clone(), &self.parameters)
    }

    /// The choices for a run of this scene, all at their defaults.
    pub fn setup(&self) -> Setup<'_> {
        Setup::new(self)
    }

    /// Builds the scene into a world that is empty but for its method and clock. The measurements are in the order of
    /// the declared checks.
    pub(crate) fn build(&self, world: World, chosen: Chosen, values: &Values) -> Result<Built> {
        let (seconds, dt) = (10.0, chosen.dt.unwrap_or(1.0 / 60.0));
        let mut stage = Stage {
            scene: self.name.clone(),
            world,
            chosen,
            dt,
            seconds,
            gauges: Vec::new(),
            cues: Vec::new(),
            drives: Vec::new(),
            warnings: Vec::new(),
            said: Vec::new(),
        };
        (self.build)(&mut stage, values)?;
        let fault = |check: &str, problem: &str| Error::Check {
            scene: self.name.to_string(),
            check: check.to_owned(),
            problem: problem.to_owned(),
        };
        let gauges = gauges(&stage.said, &stage.world).map_err(|(name, words)| fault(&name, &words))?;
        stage.gauges.extend(stage.said.iter().map(|(name, _)| name.clone()).zip(gauges));
        let mut checks = Vec::with_capacity(self.checks.len());
        for claim in &self.checks {
            let index = stage.gauges.iter().position(|(name, _)| *name == claim.name);
            let index = index.ok_or_else(|| fault(&claim.name, "declared and not measured"))?;
            checks.push((claim.clone(), stage.gauges.swap_remove(index).1));
        }
        match stage.gauges.first() {
            Some((name, _)) => Err(fault(name, "measured and not declared")),
            None => {
                // At equal times in the order in which they were given.
                stage.cues.sort_by(|(a, _), (b, _)| a.total_cmp(b));
                let Stage { world, dt, seconds, cues, drives, warnings, said, .. } = stage;
                Ok(Built { world, dt, seconds, checks, cues, drives, warnings, said })
            }
        }
    }
}

/// What the user of a scene has chosen, which a scene leaves alone.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Chosen {
    pub method: bool,
    pub dt: Option<f64>,
}

/// A scene that is ready to run.
pub(crate) struct Built {
    pub world: World,
    pub dt: f64,
    pub seconds: f64,
    pub checks: Vec<(Claim, Gauge)>,
    pub drives: Vec<Drive>,
    /// By time.
    pub cues: Vec<(f64, Cue)>,
    pub warnings: Vec<String>,
    pub said: Vec<(String, Said)>,
}

/// What a scene does to its world before each step.
pub(crate) type Drive = Box<dyn FnMut(&mut World) -> tumble::Result<()> + Send>;

impl fmt::Debug for Scene {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scene").field("name", &self.name).field("parameters", &self.parameters).finish_non_exhaustive()
    }
}

/// What a scene is built on: an empty world, a run of ten seconds, and no measurements yet.
///
/// The world has the method and the clock of the run; a scene may change the method's tolerances, and should leave the
/// rest to the user.
pub struct Stage {
    scene: Cow<'static, str>,
    /// The world to fill.
    pub world: World,
    chosen: Chosen,
    dt: f64,
    seconds: f64,
    gauges: Vec<(String, Gauge)>,
    drives: Vec<Drive>,
    cues: Vec<(f64, Cue)>,
    warnings: Vec<String>,
    said: Vec<(String, Said)>,
}

impl Stage {
    /// Does something with the world that the engine may refuse.
    pub fn engine<T>(&mut self, act: impl FnOnce(&mut World) -> tumble::Result<T>) -> Result<T> {
        act(&mut self.world).map_err(|source| Error::Engine { scene: self.scene.to_string(), source })
    }

    /// Makes this the method of the run unless its user has chosen one.
    pub fn prefer_method(&mut self, method: Method) -> Result<()> {
        if self.chosen.method { Ok(()) } else { self.engine(|world| world.set_method(method)) }
    }

    /// Makes this the time step of the run, in seconds, unless its user has chosen one.
    pub fn prefer_dt(&mut self, dt: f64) -> Result<()> {
        check_dt(&self.scene, dt)?;
        self.dt = self.chosen.dt.unwrap_or(dt);
        Ok(())
    }

    /// Sets how many seconds show all there is to see.
    pub fn run_for(&mut self, seconds: f64) {
        self.seconds = seconds;
    }

    /// Does something to the world before each step: what moves by a plan of its own, as a gait or a driver.
    pub fn drive(&mut self, act: impl FnMut(&mut World) -> tumble::Result<()> + Send + 'static) {
        self.drives.push(Box::new(act));
    }

    /// Does something to the world before the first step that begins at this time, in seconds, or later.
    pub fn at(&mut self, seconds: f64, cue: Cue) {
        self.cues.push((seconds, cue));
    }

    /// Says what is allowed, and hardly meant.
    pub fn warn(&mut self, words: impl Into<String>) {
        self.warnings.push(words.into());
    }

    /// Measures a check as its words say, for the bodies, joints and links that the scene has when it is built.
    ///
    /// ```
    /// use tumble::{BodyDesc, shape::Shape};
    /// use tumble_scene::{Said, Scene, file};
    /// let scene = Scene::new("drop", |stage, _| {
    ///     let ball = stage.engine(|_| Shape::sphere(0.5))?;
    ///     stage.engine(|world| world.add_body(BodyDesc::dynamic().name("ball").collider(ball)))?;
    ///     stage.run_for(1.0);
    ///     stage.check_said("falls", Said::at_most("y('ball')", -4.0).at_end());
    ///     Ok(())
    /// });
    /// let scene = scene.check("falls", "How high the ball is after a second", "m");
    /// let mut run = scene.setup().start()?;
    /// assert!(file::write(&scene, &run)?.contains("measure = \"y('ball')\""));
    /// run.finish()?;
    /// assert!(run.passed());
    /// # Ok::<(), tumble_scene::Error>(())
    /// ```
    pub fn check_said(&mut self, name: impl Into<String>, said: Said) {
        self.said.push((name.into(), said));
    }

    pub(crate) fn measure(&mut self, name: String, gauge: Gauge) {
        self.gauges.push((name, gauge));
    }

    /// Measures a check throughout the run: before the first step and after each. The reading that strains its bound most
    /// counts. `None` says that there is nothing to measure at this moment.
    pub fn check_always(
        &mut self,
        name: impl Into<String>,
        watch: impl FnMut(&World) -> Option<Reading> + Send + 'static,
    ) {
        self.gauges.push((name.into(), Gauge::Always(Box::new(watch), None)));
    }

    /// Measures a check when the run is over.
    pub fn check_at_end(&mut self, name: impl Into<String>, look: impl Fn(&World) -> Option<Reading> + Send + 'static) {
        self.gauges.push((name.into(), Gauge::AtEnd(Box::new(look))));
    }
}

/// A time step must be a number in the precision of the engine too.
pub(crate) fn check_dt(scene: &str, dt: f64) -> Result<()> {
    let real = Real::from_f64(dt);
    if real > 0.0 && real.is_finite() {
        return Ok(());
    }
    Err(Error::Value {
        scene: scene.to_owned(),
        name: "time step".to_owned(),
        expected: "positive and finite".to_owned(),
        value: dt,
    })
}
