//! The worlds in `f64`.

use tumble_f64 as engine;

#[path = "run.rs"]
pub mod run;
#[path = "worlds.rs"]
pub mod worlds;

/// How the table names this precision.
pub const PRECISION: &str = "f64";
