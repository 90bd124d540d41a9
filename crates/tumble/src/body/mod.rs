//! Bodies, their colliders and materials.

mod body_mut;
mod body_push;
mod body_ref;
pub(crate) mod collider;
mod collider_ref;
pub(crate) mod desc;
mod filter;
mod kind;
mod material;
pub(crate) mod store;

pub use body_mut::BodyMut;
pub use body_ref::BodyRef;
pub use collider_ref::ColliderRef;
pub use desc::{BodyDesc, ColliderDesc, MassSource, MaterialSource};
pub use filter::Layers;
pub use kind::{BodyKind, Locks};
pub(crate) use material::PairTable;
pub use material::{Material, MaterialRule, Mix, PairCoefficients, Softness, library_pair};
