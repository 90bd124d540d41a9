//! What a pair of shapes remembers from one query to the next.

use crate::math::Vec3;

/// Memory of a pair, to be handed to every [`collide`](super::collide) of the same two shapes in the same order.
///
/// It makes repeated queries cheap (the axis that kept the shapes apart is tried first) and steady (between axes that
/// are equally good to within a small part of the shapes' size, the last one stays). A default cache gives a correct
/// answer for any pair; so does the cache of another pair or pose.
///
/// ```
/// use tumble::detect::narrow::{ConvexRef, Manifold, PairCache, collide};
/// use tumble::math::{Pose, Vec3};
/// use tumble::shape::Cuboid;
/// let cube = Cuboid::new(Vec3::all(0.5))?;
/// let (a, b) = (ConvexRef::Cuboid(&cube), ConvexRef::Cuboid(&cube));
/// let (mut cache, mut manifold) = (PairCache::default(), Manifold::default());
/// for step in 0..10 {
///     let pose = Pose::from_translation(Vec3::new(0.01 * step as tumble::math::Real, 1.0, 0.0));
///     collide(a, b, &pose, 0.01, &mut cache, &mut manifold); // cheaper from the second time on
/// }
/// assert_eq!(manifold.normal, Vec3::Y);
/// # Ok::<(), tumble::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct PairCache {
    /// The last axis, from A to B in A's frame; zero if there is none.
    axis: Vec3,
    kind: u32,
    index: u32,
}

// SAFETY: `repr(C)`, three reals followed by two `u32`, whose 8 bytes are a whole number of reals in either precision: no
// padding; every bit pattern is valid.
unsafe impl bytemuck::Zeroable for PairCache {}
// SAFETY: as above.
unsafe impl bytemuck::Pod for PairCache {}

/// Which axis a contact was found on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Axis {
    /// Nothing is known.
    None,
    /// Only the direction matters: the shapes were apart, or touched in a point.
    Direction,
    /// The normal of this face of A.
    FaceA(u32),
    /// The normal of this face of B.
    FaceB(u32),
    /// The common perpendicular of this edge of A and this edge of B.
    Edges(u16, u16),
}

impl PairCache {
    #[inline(always)]
    pub(super) fn direction(&self) -> Vec3 {
        self.axis
    }

    #[inline(always)]
    pub(super) fn axis(&self) -> Axis {
        match self.kind {
            1 => Axis::Direction,
            2 => Axis::FaceA(self.index),
            3 => Axis::FaceB(self.index),
            4 => Axis::Edges(self.index as u16, (self.index >> 16) as u16),
            _ => Axis::None,
        }
    }

    #[inline(always)]
    pub(super) fn set(&mut self, axis: Axis, direction: Vec3) {
        (self.kind, self.index) = match axis {
            Axis::None => (0, 0),
            Axis::Direction => (1, 0),
            Axis::FaceA(i) => (2, i),
            Axis::FaceB(i) => (3, i),
            Axis::Edges(i, j) => (4, u32::from(i) | u32::from(j) << 16),
        };
        self.axis = direction;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // The cache is written to snapshots as bytes: any axis must come back from them.
    #[test]
    fn axes_survive_bytes() {
        for axis in [Axis::None, Axis::Direction, Axis::FaceA(70_000), Axis::FaceB(3), Axis::Edges(65535, 1)] {
            let mut cache = PairCache::default();
            cache.set(axis, Vec3::Y);
            let copy: PairCache = bytemuck::pod_read_unaligned(bytemuck::bytes_of(&cache));
            assert_eq!(copy.axis(), axis);
            assert_eq!(copy.direction(), Vec3::Y);
        }
    }

    /// What is said of the layout where it is declared plain data holds in either precision.
    #[test]
    fn bytes_give_the_value_back() {
        let cache = PairCache { axis: Vec3::new(1.0, 2.0, 3.0), kind: 4, index: 5 };
        crate::math::assert_plain(cache, 3 * size_of::<crate::math::Real>() + 8);
    }
}
