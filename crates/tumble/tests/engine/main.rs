//! The engine's tests against closed forms, invariants and other methods; run in both precisions.
// Numbers that need no conversion in one precision need it in the other.
#![allow(clippy::unnecessary_cast, clippy::useless_conversion)]

#[cfg(tumble_f64)]
extern crate tumble_f64 as tumble;

mod body_mass;
mod compounds;
mod free_rotation;
mod functions;
mod height_fields;
mod kinds;
mod mass;
mod materials;
mod math;
mod meshes;
mod motion;
mod narrow;
mod pushes;
mod restraints;
mod snapshot;
mod solids;
mod spatial;
mod support;
mod time;
