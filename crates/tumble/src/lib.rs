//! Tumble: 3D rigid-body and articulated-body dynamics. One model, many methods, at full speed.
//!
//! A [`World`] owns bodies, colliders and materials, and the [`Method`] that simulates them. Everything is named by a
//! small id; what a caller gives is checked, and a refused call changes nothing.
//!
//! ```
//! use tumble::{BodyDesc, World, shape::Shape};
//!
//! # fn main() -> tumble::Result<()> {
//! let mut world = World::new();
//! let crate_ = world.add_body(
//!     BodyDesc::dynamic().position([0.0, 5.0, 0.0]).collider(Shape::cuboid(0.5, 0.5, 0.5)?),
//! )?;
//! for _ in 0..30 {
//!     world.step(1.0 / 60.0)?;
//! }
//! println!("the crate is at {:?}", world.body(crate_)?.position());
//! # Ok(())
//! # }
//! ```
//!
//! This crate solves in `f32`; its twin `tumble-f64` is the same source in `f64`. Positions in the world are `f64` in both.
// Numbers that need no conversion in one precision need it in the other.
#![allow(clippy::unnecessary_cast, clippy::useless_conversion)]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

#[cfg(target_endian = "big")]
compile_error!("snapshots store records as the machine holds them, little-endian");

mod alike;
pub mod articulation;
pub mod body;
mod clock;
pub mod constraint;
pub mod control;
mod crew;
pub mod detect;
pub mod error;
pub mod event;
pub mod force;
pub mod id;
mod integrate;
mod interact;
mod list;
mod lists;
mod marks;
pub mod math;
pub mod method;
mod names;
mod profile;
mod record;
mod room;
pub mod shape;
mod solve;
mod step;
mod validate;
mod world;

pub use body::{
    BodyDesc, BodyKind, BodyMut, BodyRef, ColliderDesc, ColliderRef, Layers, Locks, MassSource, Material, MaterialRule,
    MaterialSource, Mix, PairCoefficients, Softness, library_pair,
};
pub use clock::{Clock, Pace};
pub use constraint::joint::{JointDesc, JointKind, JointMut, JointRef};
pub use detect::hook::{ContactHook, HookedContact, HookedPoint};
pub use detect::query::{CastHit, Kinds, Nearby, PointHit, Predicate, QueryFilter, RayCast, Separation, ShapeCast};
pub use error::{Error, Result};
pub use event::Event;
pub use force::{BodySet, EffectDesc, EffectKind, EffectMut, EffectRef, ForceEffect};
pub use id::{ArticulationId, BodyId, ColliderId, EffectId, JointId, MaterialId};
pub use method::{Integrate, Method};
pub use profile::{Profile, Stage};
pub use record::SNAPSHOT_VERSION;
pub use world::{
    Assembled, ContactRef, DebugGeometry, DebugLayers, DebugLine, DebugPoint, Measures, TouchPoint, World,
};
