//! The scenes of the library: that they are described in full, that their checks pass, and that each check can fail.
#![allow(clippy::unwrap_used, clippy::panic)]

mod articulated;
mod box_stack;
mod contacts;
mod dzhanibekov_nut;
mod files;
mod flat;
mod flight;
mod free_fall;
mod library;
mod mechanisms;
mod meshes;
mod mutated;
mod mutation;
mod piles;
mod projectiles;
mod recordings;
mod structures;
mod things;
