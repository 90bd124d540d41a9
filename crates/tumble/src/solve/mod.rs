//! Solvers: what makes the constraints hold. One file per method.

pub(crate) mod contact_constraint;
pub(crate) mod contact_kernel;
pub(crate) mod contact_prepare;
pub(crate) mod graph;
pub(crate) mod joint_block;
pub(crate) mod joint_web;
pub(crate) mod joint_work;
pub(crate) mod motion;
pub(crate) mod rolling;
