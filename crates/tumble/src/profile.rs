//! Where the time of a step goes.

use core::time::Duration;

/// The stages of a step, in order.
///
/// ```
/// use tumble::{Stage, World};
/// let mut world = World::new();
/// world.step(1.0 / 60.0).unwrap();
/// let solving = world.profile().time(Stage::Solve);
/// assert!(solving <= world.profile().total);
/// assert_eq!(Stage::ALL[0].name(), "broad");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Finding who may touch.
    Broad,
    /// Finding where they touch.
    Narrow,
    /// Making constraints ready.
    Prepare,
    /// Making the constraints hold, and advancing velocities and poses.
    Solve,
    /// Writing back, boxes, continuous detection.
    Finish,
    /// Islands and sleep.
    Sleep,
    /// Validators.
    Validate,
}

impl Stage {
    /// All stages, in order.
    pub const ALL: [Stage; 7] =
        [Self::Broad, Self::Narrow, Self::Prepare, Self::Solve, Self::Finish, Self::Sleep, Self::Validate];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Broad => "broad",
            Self::Narrow => "narrow",
            Self::Prepare => "prepare",
            Self::Solve => "solve",
            Self::Finish => "finish",
            Self::Sleep => "sleep",
            Self::Validate => "validate",
        }
    }
}

/// Time and counts of the last step. Not part of the state: no hash or snapshot covers it.
///
/// ```
/// let mut world = tumble::World::new();
/// world.step(1.0 / 60.0).unwrap();
/// for (stage, time) in world.profile().stages() {
///     println!("{:>9} {time:?}", stage.name());
/// }
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Profile {
    times: [Duration; 7],
    /// The whole step, but for handing out its events.
    pub total: Duration,
    /// Bodies that were awake.
    pub awake_bodies: u32,
    /// Pairs whose boxes overlap.
    pub pairs: u32,
    /// Pairs that touch.
    pub contacts: u32,
    /// Contact points.
    pub points: u32,
    /// Pairs whose contact points were kept because they barely moved.
    pub recycled: u32,
    /// Sweeps over all constraints that an iterative solver has made.
    pub sweeps: u32,
    /// How often a force effect was asked about a body.
    pub pushes: u32,
    /// Islands of awake bodies.
    pub islands: u32,
}

impl Profile {
    /// The time of a stage.
    pub fn time(&self, stage: Stage) -> Duration {
        self.times[stage as usize]
    }

    /// Every stage with its time.
    pub fn stages(&self) -> impl Iterator<Item = (Stage, Duration)> {
        Stage::ALL.into_iter().map(|s| (s, self.times[s as usize]))
    }

    pub(crate) fn add(&mut self, stage: Stage, time: Duration) {
        self.times[stage as usize] += time;
    }
}

/// Measures stages, one after the other. On wasm without a host there is no clock; there all times are zero.
///
/// To ask the clock takes as long as a small world needs for several bodies: each moment is asked for once.
pub(crate) struct Stopwatch {
    #[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
    start: std::time::Instant,
    #[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
    last: std::time::Instant,
}

impl Stopwatch {
    #[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
    pub fn start() -> Self {
        let start = std::time::Instant::now();
        Self { start, last: start }
    }

    #[cfg(all(target_family = "wasm", target_os = "unknown"))]
    pub fn start() -> Self {
        Self {}
    }

    /// Time since the start or the last lap.
    pub fn lap(&mut self) -> Duration {
        #[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
        {
            let now = std::time::Instant::now();
            now.duration_since(core::mem::replace(&mut self.last, now))
        }
        #[cfg(all(target_family = "wasm", target_os = "unknown"))]
        Duration::ZERO
    }

    /// All laps together.
    pub fn total(&self) -> Duration {
        #[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
        {
            self.last.duration_since(self.start)
        }
        #[cfg(all(target_family = "wasm", target_os = "unknown"))]
        Duration::ZERO
    }
}
