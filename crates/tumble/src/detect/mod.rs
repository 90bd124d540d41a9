//! Who may touch, and where they touch.

pub mod narrow;
