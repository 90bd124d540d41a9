//! The method: every choice of how a world is simulated, as data.
//!
//! A [`Method`] can be compared, stored, sent and swapped between any two steps; it holds no state, and the world holds
//! none of its choices, so a swap changes nothing but what happens next. Each slot is a named choice with its parameters.

mod abilities;
mod detection;
mod unbounded;

pub use abilities::Ability;
pub use detection::{Broad, Narrow};

use crate::body::{MaterialRule, Softness};
use crate::error::{Error, Result};
use crate::math::{Num, Real};
use serde::{Deserialize, Serialize};

/// How a world is simulated.
///
/// ```
/// use tumble::{Method, World};
/// let mut world = World::new();
/// assert_eq!(*world.method(), Method::soft_step());
/// let mut careful = Method::soft_step();
/// careful.switches.sleep = false;
/// world.set_method(careful).unwrap();
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Method {
    /// What it is called: the preset it came from, or a name of the user's.
    pub name: String,
    /// The order in which everything is called, with what it calls.
    pub step: Step,
    /// How velocities and poses are advanced.
    pub integrate: Integrate,
    /// How pairs that may touch are found.
    #[serde(default)]
    pub broad: Broad,
    /// How two convex shapes are tested for where they touch.
    #[serde(default)]
    pub narrow: Narrow,
    /// What friction acts on.
    #[serde(default)]
    pub friction: FrictionModel,
    /// How the coefficients of a contact come from two materials.
    #[serde(default)]
    pub materials: MaterialRule,
    /// When bodies may fall asleep.
    #[serde(default)]
    pub sleep: Sleep,
    /// Checks and repairs at the end of each step, in order.
    #[serde(default)]
    pub validators: Vec<Validator>,
    /// Distances and speeds below which things count as equal.
    #[serde(default)]
    pub tolerances: Tolerances,
    /// What can be switched off.
    #[serde(default)]
    pub switches: Switches,
}

/// A time-step method.
///
/// ```
/// use tumble::method::{Explicit, Step};
/// use tumble::Method;
/// assert!(matches!(Method::default().step, Step::SoftStep(_)));
/// assert!(matches!(Method::named("ballistic").unwrap().step, Step::Explicit(Explicit { .. })));
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Step {
    /// Sub-stepped soft constraints with relaxation; the default.
    SoftStep(SoftStep),
    /// Detect, solve, advance (003-91).
    Explicit(Explicit),
}

impl Step {
    /// Constraints are solved at all.
    pub(crate) fn solves(&self) -> bool {
        self.solves_per_step() > 0
    }

    /// Into how many solves a step is cut.
    pub(crate) fn solves_per_step(&self) -> u32 {
        match self {
            Self::SoftStep(s) => s.substeps,
            Self::Explicit(Explicit { solve: Solver::None, .. }) => 0,
            Self::Explicit(Explicit { solve: Solver::Simultaneous(_), .. }) => 1,
        }
    }
}

/// Parameters of the sub-stepped soft constraints.
///
/// ```
/// use tumble::method::{SoftStep, Step};
/// use tumble::{Method, World};
/// let step = Step::SoftStep(SoftStep { substeps: 8, ..SoftStep::default() });
/// let world = World::with_method(Method { step, ..Method::soft_step() }).unwrap();
/// # let _ = world;
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SoftStep {
    /// Sub-steps per step.
    pub substeps: u32,
    /// Stiffness of contacts: their frequency as a share of the sub-step rate. As a share it scales with the step, so that
    /// the sag of a stack in body sizes does not depend on the scale of the world. Against what cannot move it is twice as much, and half as much
    /// against what is held by a web of joints that is solved as a whole.
    pub contact_stiffness: Real,
    /// Damping ratio of contacts. Two bodies that overlap are pushed apart without being launched whatever it is: the relaxing pass
    /// takes the velocity of the push back, and most of it where there are more.
    pub contact_damping: Real,
    /// Stiffness of joints, as a share of the sub-step rate.
    pub joint_stiffness: Real,
    /// Damping ratio of joints.
    pub joint_damping: Real,
    /// Which joints are solved one by one, and which as a whole.
    pub joint_solve: JointSolve,
}

/// How joints that hang on each other are solved.
///
/// ```
/// use tumble::method::{JointSolve, SoftStep};
/// assert_eq!(SoftStep::default().joint_solve, JointSolve::Auto);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum JointSolve {
    /// Webs in which a body carries many times its own mass, as a long chain or a light body that holds a heavy one does, as a
    /// whole; the others in sweeps.
    #[default]
    Auto,
    /// One after the other: the cheapest.
    Sweeps,
    /// All webs without many loops as a whole: the stiffest.
    Whole,
}

impl Default for SoftStep {
    fn default() -> Self {
        Self {
            substeps: 4,
            contact_stiffness: 0.2,
            contact_damping: 1.0,
            joint_stiffness: 0.5,
            joint_damping: 2.0,
            joint_solve: JointSolve::Auto,
        }
    }
}

/// Parameters of the explicit step.
///
/// ```
/// use tumble::method::{Correction, Explicit, Lcp, Simultaneous, Solver, Step};
/// use tumble::{Method, World};
/// let lcp = Lcp::ProjectedGaussSeidel { iterations: 50, tolerance: 1e-4 };
/// let solve = Solver::Simultaneous(Simultaneous { lcp });
/// let step = Step::Explicit(Explicit { solve, correction: Correction::Baumgarte { share: 0.2 } });
/// let world = World::with_method(Method { step, ..Method::simultaneous() }).unwrap();
/// # let _ = world;
/// ```
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Explicit {
    /// What makes the constraints hold.
    pub solve: Solver,
    /// What takes errors of position out.
    pub correction: Correction,
}

/// A constraint solver.
///
/// ```
/// use tumble::method::{Explicit, Solver};
/// assert_eq!(Explicit::default().solve, Solver::None);
/// ```
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Solver {
    /// Ignores all constraints (003-77).
    #[default]
    None,
    /// Impulses for all constraints at once, as a mixed LCP at velocity level (003-83).
    Simultaneous(Simultaneous),
}

/// Parameters of the solver by simultaneous impulses.
///
/// ```
/// use tumble::method::{Lcp, Simultaneous};
/// assert_eq!(Simultaneous::default().lcp, Lcp::default());
/// ```
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Simultaneous {
    /// What solves the LCP.
    pub lcp: Lcp,
}

/// A solver of mixed linear complementarity problems.
///
/// ```
/// use tumble::method::Lcp;
/// let Lcp::ProjectedGaussSeidel { iterations, .. } = Lcp::default();
/// assert_eq!(iterations, 50);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Lcp {
    /// Row by row, clamped, again and again (003-88).
    ProjectedGaussSeidel {
        /// At most so many sweeps over all rows.
        iterations: u32,
        /// A sweep in which no row changes its velocity by more than this is the last; in √(g L), see [`Tolerances`].
        tolerance: Real,
    },
}

impl Default for Lcp {
    fn default() -> Self {
        Self::ProjectedGaussSeidel { iterations: 50, tolerance: 1e-5 }
    }
}

/// What takes errors of position out: overlap, joints that have come apart.
///
/// Whatever it is, [`Tolerances::slop`] of overlap is left alone, and nothing is pushed faster than [`Tolerances::push_speed`].
///
/// ```
/// use tumble::Method;
/// use tumble::method::{Correction, Explicit, Step};
/// let mut method = Method::simultaneous();
/// if let Step::Explicit(Explicit { correction, .. }) = &mut method.step {
///     *correction = Correction::SplitImpulse { share: 0.2 };
/// }
/// assert!(method.validate().is_ok());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Correction {
    /// Nothing: errors stay, and add up.
    #[default]
    None,
    /// Velocities that take this share of the error out in each step (003-86). They stay: what is pushed apart flies apart.
    Baumgarte {
        /// From 0 to 1; also known as the error reduction parameter.
        share: Real,
    },
    /// Velocities of their own that move the poses once and are forgotten (003-85b): what is pushed apart does not fly apart.
    SplitImpulse {
        /// Share of the error that is taken out in each step, from 0 to 1.
        share: Real,
    },
}

/// How velocities and poses are advanced.
///
/// ```
/// use tumble::{BodyDesc, Integrate, Method, World};
/// let mut world = World::with_method(Method::ballistic(Integrate::ExplicitEuler)).unwrap();
/// let id = world.add_body(BodyDesc::dynamic()).unwrap();
/// world.step(0.1).unwrap();
/// assert_eq!(world.body(id).unwrap().position().y, 0.0); // moved with the old velocity
/// world.step(0.1).unwrap();
/// assert!((world.body(id).unwrap().position().y + 0.0981).abs() < 1e-6);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Integrate {
    /// New velocities first, poses from the new velocities (003-66).
    SemiImplicitEuler,
    /// Poses from the old velocities (003-65). Gains energy; for comparison.
    ExplicitEuler,
}

/// What friction acts on.
///
/// ```
/// use tumble::{Method, method::FrictionModel};
/// assert_eq!(Method::default().friction, FrictionModel::Manifold);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FrictionModel {
    /// Once per manifold, at its middle, with twist about the normal.
    #[default]
    Manifold,
    /// At every contact point. In `soft-step` every point is then a manifold of its own: dearer, and since points are then solved
    /// one after the other and not as a whole, tall stacks sway.
    Point,
}

/// When a body counts as idle (003-99..104).
///
/// ```
/// use tumble::{Method, method::Sleep};
/// let drowsy = Method { sleep: Sleep { time: 0.1, ..Sleep::default() }, ..Method::soft_step() };
/// assert!(drowsy.validate().is_ok());
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Sleep {
    /// What is compared.
    pub criterion: SleepCriterion,
    /// For how long, in seconds, a body with three or more contacts must be idle (003-103).
    pub time: Real,
    /// Multiplies the time for bodies with fewer contacts: a ball at its apex is not at rest.
    pub unsupported_factor: Real,
}

impl Default for Sleep {
    fn default() -> Self {
        Self { criterion: SleepCriterion::Displacement, time: 0.5, unsupported_factor: 10.0 }
    }
}

/// What a body's idleness is judged by.
///
/// ```
/// use tumble::method::{Sleep, SleepCriterion};
/// assert_eq!(Sleep::default().criterion, SleepCriterion::Displacement);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SleepCriterion {
    /// How far the farthest point of the body moved in the step, against [`Tolerances::sleep_speed`].
    #[default]
    Displacement,
    /// The speed of the centre of mass and that of the farthest point about it, each by itself against
    /// [`Tolerances::sleep_speed`] (003-101).
    Velocity,
    /// The kinetic energy per mass against that of a body that moves with [`Tolerances::sleep_speed`] without turning (003-102).
    Energy,
}

/// A check or repair at the end of a step (003-105..107).
///
/// ```
/// use tumble::method::Validator;
/// use tumble::{BodyDesc, Event, Method, World};
/// let mut method = Method::soft_step();
/// method.validators.push(Validator::WorldBounds { min: [-10.0; 3], max: [10.0; 3] });
/// let mut world = World::with_method(method).unwrap();
/// world.add_body(BodyDesc::dynamic().position([0.0, -11.0, 0.0])).unwrap();
/// world.step(1.0 / 60.0).unwrap();
/// assert_eq!(world.body_count(), 0);
/// assert!(matches!(world.events()[..], [Event::Removed { by_validator: true, .. }]));
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Validator {
    /// Removes bodies whose centre leaves the box between these corners.
    WorldBounds {
        /// Smallest corner.
        #[serde(with = "unbounded::three")]
        min: [f64; 3],
        /// Largest corner.
        #[serde(with = "unbounded::three")]
        max: [f64; 3],
    },
    /// Limits the speeds of what forces move. A kinematic body goes as fast as it is told to.
    MaxSpeed {
        /// m/s
        #[serde(with = "unbounded::one")]
        linear: Real,
        /// rad/s
        #[serde(with = "unbounded::one")]
        angular: Real,
    },
}

/// Distances and speeds below which things count as equal, as multiples of one length and of the speed that goes with it.
///
/// The length is the size of a typical body of the scene. The speed is √(g L), with g the strength of the world's
/// gravity (9.81 m/s² where there is none): what a body has after falling half its size. So a scene at any scale, with
/// this length set to match, behaves alike in body sizes.
///
/// ```
/// use tumble::Method;
/// let mut marbles = Method::soft_step();
/// marbles.tolerances.length = 0.01; // all tolerances follow
/// assert!((marbles.tolerances.speed(9.81) - 0.313).abs() < 1e-3);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Tolerances {
    /// The length L in metres.
    pub length: Real,
    /// Overlap that is left alone, in L.
    pub slop: Real,
    /// Distance at which contacts are made before the surfaces touch, in L.
    pub detection: Real,
    /// How much wider than a body its box in the broad phase is, in L.
    pub box_margin: Real,
    /// Approach speed below which nothing bounces, in √(g L).
    pub restitution_speed: Real,
    /// Largest speed at which overlapping bodies are pushed apart, in √(g L).
    pub push_speed: Real,
    /// Speed of the farthest point below which a body is idle, in √(g L).
    pub sleep_speed: Real,
}

impl Default for Tolerances {
    fn default() -> Self {
        Self {
            length: 1.0,
            slop: 0.001,
            detection: 0.02,
            box_margin: 0.05,
            restitution_speed: 0.32,
            push_speed: 1.0,
            sleep_speed: 0.016,
        }
    }
}

impl Tolerances {
    /// √(g L)
    pub fn speed(&self, gravity: Real) -> Real {
        let g = if gravity > 0.0 { gravity } else { 9.81 };
        Num::sqrt(g * self.length)
    }
}

/// What can be switched off; all on by default.
///
/// ```
/// use tumble::{Method, World, method::Switches};
/// let method = Method { switches: Switches { sleep: false, ..Switches::default() }, ..Method::soft_step() };
/// let world = World::with_method(method).unwrap(); // nothing ever falls asleep in it
/// assert!(!world.method().switches.sleep);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Switches {
    /// Start each solve from the last impulses.
    pub warm_start: bool,
    /// Let islands of idle bodies fall asleep.
    pub sleep: bool,
    /// Each island falls asleep and wakes by itself; without, all bodies of the world do so together.
    pub islands: bool,
    /// Keep the contact points of pairs that barely moved instead of finding them anew.
    pub recycling: bool,
    /// Keep at most four points of a manifold that has more.
    pub reduction: bool,
    /// Continuous detection: fast bodies do not pass through fixed and kinematic ones, bullets not through any.
    pub continuous: bool,
    /// The gyroscopic torque ω × I ω.
    pub gyroscopic: bool,
}

impl Default for Switches {
    fn default() -> Self {
        Self {
            warm_start: true,
            sleep: true,
            islands: true,
            recycling: true,
            reduction: true,
            continuous: true,
            gyroscopic: true,
        }
    }
}

impl Default for Method {
    fn default() -> Self {
        Self::soft_step()
    }
}

impl Method {
    /// Points that share the friction of one manifold.
    pub(crate) fn points_per_manifold(&self) -> usize {
        match (&self.step, self.friction) {
            (Step::SoftStep(_), FrictionModel::Point) => 1,
            _ => crate::constraint::contact::SOLVED_POINTS,
        }
    }

    /// The default: sub-stepped soft constraints.
    pub fn soft_step() -> Self {
        Self {
            name: "soft-step".to_owned(),
            step: Step::SoftStep(SoftStep::default()),
            integrate: Integrate::SemiImplicitEuler,
            broad: Broad::default(),
            narrow: Narrow::default(),
            friction: FrictionModel::default(),
            materials: MaterialRule::default(),
            sleep: Sleep::default(),
            validators: Vec::new(),
            tolerances: Tolerances::default(),
            switches: Switches::default(),
        }
    }

    /// Motion under forces alone, by the given integrator: no contact, no joint.
    pub fn ballistic(integrate: Integrate) -> Self {
        Self { name: "ballistic".to_owned(), step: Step::Explicit(Explicit::default()), integrate, ..Self::soft_step() }
    }

    /// All constraints at once: one mixed LCP at velocity level in each step, solved by projected Gauss-Seidel, with friction at every
    /// contact point and positions corrected by split impulses.
    ///
    /// ```
    /// use tumble::{BodyDesc, Method, World, shape::Shape};
    /// let mut world = World::with_method(Method::simultaneous()).unwrap();
    /// world.add_body(BodyDesc::fixed().collider(Shape::cuboid(5.0, 0.5, 5.0).unwrap())).unwrap();
    /// let ball = Shape::sphere(0.5).unwrap();
    /// let ball = world.add_body(BodyDesc::dynamic().position([0.0, 1.2, 0.0]).collider(ball)).unwrap();
    /// for _ in 0..60 {
    ///     world.step(1.0 / 60.0).unwrap();
    /// }
    /// assert!((world.body(ball).unwrap().position().y - 1.0).abs() < 0.002);
    /// ```
    pub fn simultaneous() -> Self {
        Self {
            name: "simultaneous".to_owned(),
            step: Step::Explicit(Explicit {
                solve: Solver::Simultaneous(Simultaneous::default()),
                correction: Correction::SplitImpulse { share: 0.2 },
            }),
            friction: FrictionModel::Point,
            ..Self::soft_step()
        }
    }

    /// The presets by name.
    ///
    /// ```
    /// use tumble::Method;
    /// for preset in Method::presets() {
    ///     assert_eq!(Method::named(&preset.name).unwrap(), preset);
    /// }
    /// ```
    pub fn presets() -> Vec<Self> {
        vec![Self::soft_step(), Self::simultaneous(), Self::ballistic(Integrate::SemiImplicitEuler)]
    }

    /// The preset of this name, or an error that lists the names.
    ///
    /// ```
    /// let method = tumble::Method::named("ballistic").unwrap();
    /// assert_eq!(method.name, "ballistic");
    /// assert!(tumble::Method::named("balistic").unwrap_err().to_string().contains("soft-step, simultaneous"));
    /// ```
    pub fn named(name: &str) -> Result<Self> {
        let presets = Self::presets();
        let names: Vec<String> = presets.iter().map(|m| m.name.clone()).collect();
        presets.into_iter().find(|m| m.name == name).ok_or_else(|| {
            Error::refused(format!("method {name:?}"), format!("no such preset; there are {}", names.join(", ")))
        })
    }

    /// An error that names the first parameter outside its range, or the first combination that cannot work.
    pub fn validate(&self) -> Result<()> {
        let subject = format!("method {:?}", self.name);
        let positive = |property: &'static str, v: Real| crate::body::desc::check_positive(&subject, property, v);
        let t = &self.tolerances;
        positive("tolerances.length", t.length)?;
        positive("tolerances.slop", t.slop)?;
        positive("tolerances.detection", t.detection)?;
        positive("tolerances.box_margin", t.box_margin)?;
        positive("tolerances.restitution_speed", t.restitution_speed)?;
        positive("tolerances.push_speed", t.push_speed)?;
        positive("tolerances.sleep_speed", t.sleep_speed)?;
        positive("sleep.time", self.sleep.time)?;
        if !(self.sleep.unsupported_factor >= 1.0 && self.sleep.unsupported_factor.is_finite()) {
            return Err(Error::value(
                &subject,
                "sleep.unsupported_factor",
                "at least 1 and finite",
                self.sleep.unsupported_factor,
            ));
        }
        if let Step::SoftStep(s) = &self.step {
            if !(1..=1000).contains(&s.substeps) {
                return Err(Error::value(&subject, "substeps", "between 1 and 1000", s.substeps));
            }
            for (name, stiffness, damping) in [
                ("contact_stiffness", s.contact_stiffness, s.contact_damping),
                ("joint_stiffness", s.joint_stiffness, s.joint_damping),
            ] {
                Softness { hertz: stiffness, damping_ratio: damping }.validate(&format!("{subject}, {name}"))?;
            }
            if self.integrate != Integrate::SemiImplicitEuler {
                return Err(Error::refused(
                    &subject,
                    "soft-step advances by semi-implicit Euler; use the step `explicit` for other integrators",
                ));
            }
        }
        if let Step::Explicit(Explicit { solve, correction }) = &self.step {
            match correction {
                Correction::None => {}
                Correction::Baumgarte { share } | Correction::SplitImpulse { share } => {
                    if !(*share >= 0.0 && *share <= 1.0) {
                        return Err(Error::value(&subject, "correction.share", "between 0 and 1", share));
                    }
                }
            }
            if let Solver::Simultaneous(Simultaneous { lcp }) = solve {
                let Lcp::ProjectedGaussSeidel { iterations, tolerance } = lcp;
                if !(1..=100_000).contains(iterations) {
                    return Err(Error::value(&subject, "lcp.iterations", "between 1 and 100000", iterations));
                }
                if !(*tolerance >= 0.0 && tolerance.is_finite()) {
                    return Err(Error::value(&subject, "lcp.tolerance", "not negative and finite", tolerance));
                }
                if self.integrate != Integrate::SemiImplicitEuler {
                    return Err(Error::refused(
                        &subject,
                        "simultaneous advances by semi-implicit Euler: poses move by the velocities that hold the constraints",
                    ));
                }
            }
        }
        for validator in &self.validators {
            match validator {
                Validator::WorldBounds { min, max } => {
                    // NaN fails the comparison too.
                    if !(0..3).all(|i| min[i] < max[i]) {
                        return Err(Error::value(
                            &subject,
                            "world bounds",
                            "a box with min below max",
                            format_args!("{min:?} to {max:?}"),
                        ));
                    }
                }
                Validator::MaxSpeed { linear, angular } => {
                    crate::body::desc::check_limit(&subject, "largest linear speed", *linear)?;
                    crate::body::desc::check_limit(&subject, "largest angular speed", *angular)?;
                }
            }
        }
        Ok(())
    }
}
