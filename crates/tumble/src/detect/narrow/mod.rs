//! Where two shapes touch.
//!
//! [`collide`] takes two convex shapes and the pose of the second as seen from the first, and gives a [`Manifold`]: one
//! normal, up to eight points, each with its separation and an id that lasts while the same features meet. Everything is
//! relative to the first shape, so that precision does not depend on where in the world the pair is. Every tolerance is
//! relative to the shapes' sizes.
//!
//! | pair | how |
//! |---|---|
//! | ball or capsule with ball or capsule; ball with anything | closed form |
//! | half-space with anything | the other's corners, or points of its rim |
//! | box with box | fifteen axes, then clipping (`box_box`) |
//! | box, hull, rectangle, triangle with each other | separating axes with Gauss maps and bounds from inner balls and deepest points (`sat`), then clipping (`faceted`) |
//! | cylinder, cone, capsule with the rest | GJK, and for overlaps an expanding polytope refined by descent (`curved`, `gjk`, `depth`), then clipping (`contact`) |
//!
//! [`closest_points`] gives the distance of two shapes, [`overlap`] whether there is none, and [`sweep`] the time at which moving ones come near each other.

mod box_box;
mod cache;
mod capsule_triangle;
mod clip;
mod contact;
mod convex;
mod curved;
mod depth;
mod disc;
mod dispatch;
mod distance;
mod faceted;
mod gjk;
mod manifold;
mod patch;
mod plane;
mod polytope;
mod round;
mod sat;
mod sweep;

pub use cache::PairCache;
pub use convex::{ConvexRef, Triangle};
pub use dispatch::{collide, collide_by};
pub use distance::{Distance, closest_points, overlap};
pub use manifold::{Feature, FeatureKind, MAX_POINTS, Manifold, ManifoldPoint, reduce};
pub(crate) use manifold::{Gap, reduce_by};
pub(in crate::detect) use patch::ON_FACE;
pub(crate) use sweep::{Facing, Flight, Passing, approach, stays_apart};
pub use sweep::{Motion, sweep};
