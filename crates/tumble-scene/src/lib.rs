//! Scenes for Tumble: worlds with a name, parameters, a camera, and checks of what should happen in them.
//!
//! The tests, the benchmarks, the manual and the `tumble` command all take their scenes from the [`library`]. A scene
//! states in numbers what a sound engine does with it, and a [`Run`] says whether that came true:
//!
//! ```
//! # fn main() -> tumble_scene::Result<()> {
//! let scene = tumble_scene::library::find("projectiles")?;
//! let mut run = scene.setup().set("speed", 30.0)?.start()?;
//! run.finish()?;
//! for verdict in run.verdicts() {
//!     println!("{verdict}");
//! }
//! assert!(run.passed());
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]

pub mod bench;
mod camera;
pub mod check;
mod cue;
mod error;
pub mod figure;
pub mod file;
pub mod flat;
pub mod library;
pub mod mesh;
mod moment;
pub mod names;
mod parameter;
pub mod quality;
pub mod recording;
pub mod run;
mod scene;
pub mod trajectory;

pub use camera::Camera;
pub use check::{Bound, Claim, Outcome, Reading, Said, Verdict};
pub use cue::Cue;
pub use error::{Error, Result};
pub use parameter::{Parameter, Values};
pub use run::{Run, Setup, Summary};
pub use scene::{Scene, Stage};
