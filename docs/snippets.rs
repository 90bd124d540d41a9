//! The code of the manual and of the README, compiled and run as doctests. `cargo xtask test` makes sure that no chapter
//! is forgotten here.
#![forbid(unsafe_code)]
#![cfg(doctest)]

#[doc = include_str!("../README.md")]
mod readme {}
#[doc = include_str!("src/introduction.md")]
mod introduction {}
#[doc = include_str!("src/getting-started.md")]
mod getting_started {}
#[doc = include_str!("src/the-model.md")]
mod the_model {}
#[doc = include_str!("src/shapes-and-mass.md")]
mod shapes_and_mass {}
#[doc = include_str!("src/force-effects.md")]
mod force_effects {}
#[doc = include_str!("src/soft-step.md")]
mod soft_step {}
#[doc = include_str!("src/simultaneous.md")]
mod simultaneous {}
#[doc = include_str!("src/joints.md")]
mod joints {}
#[doc = include_str!("src/articulations.md")]
mod articulations {}
#[doc = include_str!("src/queries.md")]
mod queries {}
#[doc = include_str!("src/snapshots.md")]
mod snapshots {}
#[doc = include_str!("src/control.md")]
mod control {}
#[doc = include_str!("src/scene-files.md")]
mod scene_files {}
#[doc = include_str!("src/scene-reference.md")]
mod scene_reference {}
#[doc = include_str!("src/recordings.md")]
mod recordings {}
#[doc = include_str!("src/scenes.md")]
mod scenes {}
#[doc = include_str!("src/benchmarks.md")]
mod benchmarks {}
#[doc = include_str!("src/conventions-and-units.md")]
mod conventions_and_units {}
#[doc = include_str!("src/determinism-and-precision.md")]
mod determinism_and_precision {}
#[doc = include_str!("src/errors.md")]
mod errors {}
#[doc = include_str!("src/limits.md")]
mod limits {}
#[doc = include_str!("src/contributing.md")]
mod contributing {}
