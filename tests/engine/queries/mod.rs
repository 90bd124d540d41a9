//! Queries of a world, against brute force over all colliders and against closed forms.

mod allocations;
mod batches;
mod casts;
mod distances;
mod far;
mod filters;
mod input;
mod moved;
mod overlaps;
mod points;
mod rays;
mod scene;
mod threads;
