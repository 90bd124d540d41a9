//! The engine's tests against closed forms, invariants and other methods; run in both precisions.
#[cfg(tumble_f64)]
extern crate tumble_f64 as tumble;

mod free_rotation;
mod math;
mod narrow;
