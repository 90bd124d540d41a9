//! Articulations: trees of links on joints in reduced coordinates.
//!
//! A link is a body like any other, with colliders, contacts and queries; but it has no pose and velocity of its own. They follow
//! from the coordinates of the joints between it and the world, so that no joint can ever open, whatever it carries.

pub(crate) mod assembly;
mod desc;
pub(crate) mod driven;
pub(crate) mod dynamics;
pub(crate) mod flight;
pub(crate) mod glide;
mod inverse;
mod inverse_kinematics;
pub(crate) mod keep;
pub(crate) mod kind;
mod mass_matrix;
pub(crate) mod packed;
pub(crate) mod reach;
mod record;
pub(crate) mod response;
mod restraint;
pub(crate) mod stops;
pub(crate) mod store;
pub(crate) mod tree;
mod view;

#[cfg(test)]
mod tests;

pub use desc::{ArticulationDesc, Dof, LinkDesc, Motor};
pub use inverse_kinematics::{Reach, Reached};
pub use kind::LinkJoint;
pub use restraint::{Coupling, Swing};
pub use view::{ArticulationMut, ArticulationRef, Workspace};
pub(crate) use view::{Push, respond_to};
