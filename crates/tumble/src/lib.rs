//! Tumble: 3D rigid-body and articulated-body dynamics. One model, many methods, at full speed.
// Numbers that need no conversion in one precision need it in the other.
#![allow(clippy::unnecessary_cast, clippy::useless_conversion)]

pub mod error;
pub mod math;
pub mod shape;

pub use error::{Error, Result};
