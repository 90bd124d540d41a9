//! Thin rectangles.

use super::query::Line;
use super::{Convex, Geometry, MassProperties, Projection, Ray, RayHit, positive};
use crate::error::{Error, Result};
use crate::math::{Aabb, Float, Pose, Real, Vec3};

/// A rectangle without thickness in the xz-plane about the origin, solid from both sides.
///
/// ```
/// use tumble::{math::Vec3, shape::{Geometry, Rectangle}};
/// let postcard = Rectangle::new(0.074, 0.0525)?;
/// assert_eq!(postcard.closest_point(Vec3::new(0.0, -2.0, 0.0)).normal, -Vec3::Y);
/// # Ok::<(), tumble::Error>(())
/// ```
///
/// ```
/// use tumble::shape::Rectangle;
/// let shape = Rectangle::new(1.0, 0.5)?;
/// assert_eq!((shape.half_x(), shape.half_z()), (1.0, 0.5));
/// # Ok::<(), tumble::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rectangle {
    half_x: Real,
    half_z: Real,
}

impl Rectangle {
    /// The rectangle of these half-extents along x and z.
    pub fn new(half_x: Real, half_z: Real) -> Result<Self> {
        Ok(Self {
            half_x: positive("rectangle", "half extent x", half_x)?,
            half_z: positive("rectangle", "half extent z", half_z)?,
        })
    }

    /// Half of the extent along x.
    #[inline(always)]
    pub fn half_x(&self) -> Real {
        self.half_x
    }

    /// Half of the extent along z.
    #[inline(always)]
    pub fn half_z(&self) -> Real {
        self.half_z
    }

    fn half(&self) -> Vec3 {
        Vec3::new(self.half_x, 0.0, self.half_z)
    }
}

impl Geometry for Rectangle {
    fn bounds(&self, pose: &Pose) -> Aabb {
        let half = pose.rotation.to_mat3().abs() * self.half();
        Aabb::new(pose.translation - half, pose.translation + half)
    }

    fn inner_sphere(&self) -> (Vec3, Real) {
        (Vec3::ZERO, 0.0)
    }

    fn farthest_from(&self, point: Vec3) -> Real {
        Real::from_f64((point.to_f64().abs() + self.half().to_f64()).length())
    }

    /// A ray within the plane of the rectangle meets it edge on, where it has no thickness: no hit.
    fn cast_ray(&self, ray: &Ray, max: Real) -> Option<RayHit> {
        let line = Line::new(ray, max)?;
        if line.direction.y == 0.0 {
            return None;
        }
        let distance = -line.origin.y / line.direction.y;
        let p = line.at(distance);
        if p.x.abs() > self.half_x.to_f64() || p.z.abs() > self.half_z.to_f64() {
            return None;
        }
        let normal = Vec3::new(0.0, if line.direction.y > 0.0 { -1.0 } else { 1.0 }, 0.0);
        line.hit(distance, normal, 0)
    }

    /// The distance is never negative: the rectangle has no inside. On it the normal is +y.
    fn closest_point(&self, point: Vec3) -> Projection {
        let (p, half) = (point.to_f64(), self.half().to_f64());
        let nearest = p.max(-half).min(half);
        let offset = p - nearest;
        Projection {
            point: nearest.to_real(),
            normal: offset.normalize_or(Vec3::Y).to_real(),
            distance: Real::from_f64(offset.length()),
            part: 0,
        }
    }

    fn contains(&self, _point: Vec3) -> bool {
        false
    }

    fn mass_properties(&self, _density: f64) -> Result<MassProperties> {
        Err(Error::refused(
            "rectangle",
            "has no volume, so no mass from a density: give the body an explicit mass, or a thin cuboid",
        ))
    }
}

impl Convex for Rectangle {
    #[inline]
    fn support(&self, direction: Vec3) -> Vec3 {
        Vec3::new(self.half_x.copysign(direction.x), 0.0, self.half_z.copysign(direction.z))
    }
}
