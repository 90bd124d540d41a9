//! The interaction graph: who influences whom.
//!
//! Nodes are bodies, edges are touching contacts (and joints) between dynamic bodies. Its connected parts are the islands:
//! they fall asleep and wake as a whole (002-60, 002-61, 003-99..104).

mod effects;
pub(crate) mod islands;
pub(crate) mod joints;
pub(crate) mod sleep;
