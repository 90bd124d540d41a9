//! `tumble-f64` under the name `tumble`, which is what the examples in the shared source say.
#![forbid(unsafe_code)]

pub use tumble_f64::*;
