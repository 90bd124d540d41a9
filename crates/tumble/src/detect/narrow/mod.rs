//! Where two shapes touch.

mod cache;
mod convex;
mod depth;
mod gjk;
mod manifold;

pub use cache::PairCache;
pub use convex::{ConvexRef, Triangle};
pub use manifold::{Feature, FeatureKind, MAX_POINTS, Manifold, ManifoldPoint, reduce};
