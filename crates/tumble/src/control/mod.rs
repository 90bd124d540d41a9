//! What moves through a world by its own will: characters and vehicles.
//!
//! They stand outside the step: they ask the world by queries, decide, and act on bodies by impulses and targets. Each is
//! updated once before [`World::step`](crate::World::step), with the same time step. They are plain data, to be copied and stored beside a
//! snapshot of the world that they belong to.

pub mod mover;
pub mod vehicle;

pub use mover::{Collision, Ground, Mover, MoverDesc};
pub use vehicle::{AntiRollBar, Controls, Probe, Vehicle, Wheel, WheelContact, WheelState};
