//! Bodies, their colliders and materials.

pub(crate) mod collider;
pub(crate) mod desc;
mod filter;
mod kind;
mod material;
pub(crate) mod store;
mod view;

pub use desc::{BodyDesc, ColliderDesc, MassSource, MaterialSource};
pub use filter::Layers;
pub use kind::{BodyKind, Locks};
pub(crate) use material::PairTable;
pub use material::{Material, MaterialRule, Mix, PairCoefficients, Softness, library_pair};
pub use view::{BodyMut, BodyRef, ColliderRef};
