//! Balls.

use super::mass::checked_density;
use super::query::Line;
use super::{Convex, Geometry, MassProperties, Projection, Ray, RayHit, positive};
use crate::error::Result;
use crate::math::{Aabb, Float, Pose, Real, Sym3, Vec3};

/// A ball about the origin.
///
/// ```
/// use tumble::{math::Vec3, shape::{Geometry, Sphere}};
/// let ball = Sphere::new(0.5)?;
/// assert_eq!(ball.closest_point(Vec3::new(2.0, 0.0, 0.0)).distance, 1.5);
/// # Ok::<(), tumble::Error>(())
/// ```
///
/// ```
/// use tumble::shape::Sphere;
/// assert_eq!(Sphere::new(0.5)?.radius(), 0.5);
/// assert!(Sphere::new(0.0).is_err());
/// # Ok::<(), tumble::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    radius: Real,
}

impl Sphere {
    /// The ball of this radius.
    pub fn new(radius: Real) -> Result<Self> {
        Ok(Self { radius: positive("sphere", "radius", radius)? })
    }

    /// The radius.
    #[inline(always)]
    pub fn radius(&self) -> Real {
        self.radius
    }
}

impl Geometry for Sphere {
    #[inline(always)]
    fn bounds(&self, pose: &Pose) -> Aabb {
        let half = Vec3::all(self.radius);
        Aabb::new(pose.translation - half, pose.translation + half)
    }

    fn inner_sphere(&self) -> (Vec3, Real) {
        (Vec3::ZERO, self.radius)
    }

    fn farthest_from(&self, point: Vec3) -> Real {
        Real::from_f64(point.to_f64().length() + self.radius.to_f64())
    }

    fn cast_ray(&self, ray: &Ray, max: Real) -> Option<RayHit> {
        if self.contains(ray.origin) {
            return RayHit::inside(max);
        }
        let line = Line::new(ray, max)?;
        let (entry, _) = line.through_ball(Vec3::ZERO, self.radius.to_f64())?;
        line.hit(entry, line.at(entry).try_normalize()?, 0)
    }

    fn closest_point(&self, point: Vec3) -> Projection {
        around_point(Vec3::ZERO, Vec3::Y, self.radius.to_f64(), point.to_f64())
    }

    fn contains(&self, point: Vec3) -> bool {
        let r = self.radius.to_f64();
        point.to_f64().length_squared() <= r * r
    }

    /// I = 2/5 m r²
    fn mass_properties(&self, density: f64) -> Result<MassProperties> {
        let density = checked_density("sphere", density)?;
        let r = self.radius.to_f64();
        let mass = density * (4.0 / 3.0) * f64::PI * (r * r * r);
        let inertia = Sym3::diagonal(Vec3::all(0.4 * mass * (r * r)));
        MassProperties { mass, centre: Vec3::ZERO, inertia }.checked("sphere")
    }
}

impl Convex for Sphere {
    fn support(&self, direction: Vec3) -> Vec3 {
        direction.normalize_or(Vec3::Y) * self.radius
    }
}

/// The point nearest to `point` on the sphere about `centre`; `fallback` is the direction taken from the centre itself.
pub(super) fn around_point(centre: Vec3<f64>, fallback: Vec3<f64>, radius: f64, point: Vec3<f64>) -> Projection {
    let offset = point - centre;
    let normal = offset.normalize_or(fallback);
    Projection {
        point: (centre + normal * radius).to_real(),
        normal: normal.to_real(),
        distance: Real::from_f64(offset.length() - radius),
        part: 0,
    }
}
