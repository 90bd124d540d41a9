//! The engine's tests against closed forms, invariants and other methods; run in both precisions.
// Numbers that need no conversion in one precision need it in the other.
#![allow(clippy::unnecessary_cast, clippy::useless_conversion)]
// Clippy knows test functions as such, but not the helpers beside them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod absurd;
mod articulations;
mod body_mass;
mod broad;
mod compounds;
mod conservation;
mod continuous;
mod denormals;
mod drawing;
mod edit_links;
mod edit_model;
mod edit_operations;
mod effects;
mod errors;
mod filters;
mod free_rotation;
mod friction;
mod functions;
mod ghosts;
mod height_fields;
mod hull;
mod impacts;
mod joints;
mod kinds;
mod lanes;
mod mass;
mod materials;
mod math;
mod meshes;
mod method_slots;
mod motion;
mod mover;
mod narrow;
mod pushes;
mod queries;
mod random;
mod random_edits;
mod recycling;
mod restitution;
mod restraints;
mod shapes;
mod simultaneous;
mod sleeping;
mod snapshot;
mod solids;
mod spatial;
mod stacking;
mod support;
mod threads;
mod time;
mod torn;
mod vehicle;
