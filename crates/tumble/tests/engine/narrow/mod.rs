//! The narrow phase against closed forms, a brute-force judge in `f64`, and itself.

mod judge;
mod pairs;
