//! Questions to one shape.

use crate::math::{Pose, Real, Vec3};

/// A half-line. Distances along it are counted in lengths of `direction`, which need not be 1.
///
/// ```
/// use tumble::{math::Vec3, shape::Ray};
/// let ray = Ray::new(Vec3::ZERO, Vec3::X);
/// assert_eq!(ray.at(2.0), Vec3::new(2.0, 0.0, 0.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// Where it starts.
    pub origin: Vec3,
    /// Where it goes.
    pub direction: Vec3,
}

impl Ray {
    /// The ray from `origin` along `direction`.
    pub const fn new(origin: Vec3, direction: Vec3) -> Self {
        Self { origin, direction }
    }

    /// The point at `t` lengths of the direction.
    #[inline(always)]
    pub fn at(&self, t: Real) -> Vec3 {
        self.origin.add_scaled(self.direction, t)
    }

    /// The same ray as seen from a frame placed at `pose`.
    pub fn relative_to(&self, pose: &Pose) -> Self {
        Self {
            origin: pose.inverse_transform_point(self.origin),
            direction: pose.rotation.unrotate(self.direction),
        }
    }
}

/// Where a ray meets a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayHit {
    /// How far along the ray, in lengths of its direction.
    pub t: Real,
    /// Unit normal of the surface, towards where the ray came from; zero if the ray starts inside.
    pub normal: Vec3,
    /// Which part of the shape: the face of a hull or box, the triangle of a mesh, the child of a compound; else 0.
    pub part: u32,
}

/// The point of a surface nearest to a given point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Projection {
    /// The nearest point of the surface.
    pub point: Vec3,
    /// Unit outward normal of the surface there; where the given point lies off the surface it is parallel to the line
    /// that joins the two.
    pub normal: Vec3,
    /// Distance from the surface: positive outside, negative inside a solid.
    pub distance: Real,
    /// Which part of the shape, as in [`RayHit::part`].
    pub part: u32,
}
