//! Vectors, quaternions, matrices and poses, with the same bits on every machine.
//!
//! The types are generic over their component: `Vec3` is `Vec3<Real>`, `Vec3<f64>` carries world positions and geometry
//! that is computed in double precision inside either crate, and the wide solvers use `Vec3` of a lane type. Sums run in
//! one written order, nothing is fused, and transcendental functions come from `libm`; so the same source gives the same
//! bits on x86-64, arm64 and wasm.

mod aabb;
pub mod dense;
mod eigen;
mod lane;
mod mat3;
mod pose;
mod prefetch;
mod quad;
mod quat;
mod scalar;
pub mod spatial;
mod sym3;
mod union_find;
mod vec3;

pub use aabb::Aabb;
pub use eigen::symmetric_eigen;
pub(crate) use lane::Baseline;
pub use lane::{Isa, Kernel, LANES, Lane, Mask, NO_ROW};
pub use mat3::Mat3;
pub use pose::{Pose, WorldPose};
pub(crate) use prefetch::{prefetch, prefetch_at, prefetch_beyond};
pub(crate) use quad::{Fours, Packed, Quad};
pub use quat::Quat;
pub use scalar::{Float, Num, Real};
pub use sym3::Sym3;
pub(crate) use union_find::UnionFind;
pub use vec3::Vec3;

/// A position in the world. Always `f64`, so that a scene 100 km from the origin behaves as it does at the origin;
/// everything that is solved is solved relative to bodies, in [`Real`].
pub type Point = Vec3<f64>;

/// The type may be taken for bytes and back: it is as large as what it holds, so that there is no padding to read, and bytes
/// give back what they were taken from. Under Miri, reading a byte that nobody wrote fails.
#[cfg(test)]
pub(crate) fn assert_plain<T: bytemuck::Pod + PartialEq + core::fmt::Debug>(value: T, size: usize) {
    assert_eq!(size_of::<T>(), size, "padding");
    let values = [value; 3];
    let bytes: Vec<u8> = bytemuck::cast_slice(&values).to_vec();
    let back: Vec<T> = bytes.chunks_exact(size).map(bytemuck::pod_read_unaligned).collect();
    assert_eq!(back, values);
    assert!(bytemuck::bytes_of(&T::zeroed()).iter().all(|&byte| byte == 0));
}
