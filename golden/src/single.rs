//! The worlds in `f32`.

use tumble as engine;

#[path = "run.rs"]
pub mod run;
#[path = "worlds.rs"]
pub mod worlds;

/// How the table names this precision.
pub const PRECISION: &str = "f32";
