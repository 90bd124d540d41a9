//! The narrow phase against closed forms, a brute-force judge in `f64`, and itself.

mod composites;
mod contacts;
mod judge;
mod pairs;
mod parry;
mod sweeps;
