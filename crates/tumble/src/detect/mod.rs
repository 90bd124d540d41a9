//! Who may touch, and where they touch.
//!
//! [`broad`] finds pairs of colliders whose boxes overlap, [`narrow`] finds where two convex shapes touch; both can be used
//! without a world. The rest joins them into the contacts of a world, and answers questions about it.

pub mod broad;
pub(crate) mod contacts;
pub(crate) mod continuous;
mod handover;
pub(crate) mod hook;
pub(crate) mod look;
pub(crate) mod manifolds;
pub mod narrow;
pub(crate) mod query;
mod seams;
