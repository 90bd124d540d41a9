//! Solvers: what makes the constraints hold. One file per method.

pub(crate) mod contact_constraint;
pub(crate) mod contact_kernel;
pub(crate) mod contact_prepare;
pub(crate) mod contact_rows;
pub(crate) mod friction_limit;
pub(crate) mod graph;
pub(crate) mod joint_block;
pub(crate) mod joint_group;
pub(crate) mod joint_kernel;
pub(crate) mod joint_link;
mod joint_load;
pub(crate) mod joint_rows;
mod joint_seat;
mod joint_turn;
pub(crate) mod joint_web;
pub(crate) mod joint_work;
pub(crate) mod motion;
pub(crate) mod projected_gauss_seidel;
pub(crate) mod restitution;
pub(crate) mod rolling;
pub(crate) mod simultaneous;
pub(crate) mod system;
mod tree_rows;
pub(crate) mod tree_system;
pub(crate) mod tree_work;
pub(crate) mod turning;
pub(crate) mod web_search;
