//! Questions about a world: rays, moving shapes, overlaps, nearest points.
//!
//! All of them read the state and nothing else, so any number of threads may ask at once. The trees of the broad phase say
//! which colliders may matter; the answer itself comes from the poses of bodies as they are now and from the shapes, so it
//! does not depend on what the trees went through. World positions are `f64`; what is computed in [`Real`](crate::math::Real) is
//! computed near the collider and relative to it.
//!
//! The searches here call back with every hit; [`World`](crate::World) picks the first, counts, or sorts.

mod around;
mod cast;
mod filter;
mod nearest;
mod overlap;
pub(super) mod parts;
mod ray;
mod separation;
mod touch;
mod way;

pub use around::Nearby;
pub use cast::ShapeCast;
pub(crate) use cast::check_place;
pub use filter::{Kinds, Predicate, QueryFilter};
pub use nearest::PointHit;
pub(crate) use nearest::check_point;
pub use ray::RayCast;
pub use separation::Separation;
pub use way::CastHit;
