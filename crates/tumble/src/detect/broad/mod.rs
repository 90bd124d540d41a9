//! Who may touch: pairs of colliders whose boxes overlap.
//!
//! [`BroadPhase`] keeps a proxy with a fat box for each collider in two [`DynamicTree`]s, one for what is fixed and one for
//! what moves, and reports pairs of proxies as they begin to overlap. Everything here is conservative: a pair or a leaf that
//! is reported may be apart, one that is not reported is.

mod moves;
mod pair_set;
mod pairs;
mod record;
mod search;
mod tree;

pub(crate) use moves::Moves;
pub use pair_set::PairSet;
pub use pairs::{BroadPhase, ProxyDesc, ProxyId, ProxyKind, ProxyPair};
pub use search::{PairFilter, PairSearch};
pub use tree::{BoxCast, DynamicTree, LeafId};
pub(crate) use tree::{Walkers, WideTree};
