//! Everything below a plane.

use super::query::{Clip, Line};
use super::{Geometry, MassProperties, Projection, Ray, RayHit};
use crate::error::{Error, Result};
use crate::math::{Aabb, Float, Pose, Real, Vec3};

/// All points p with normal·p <= offset: the ground, or a wall.
///
/// ```
/// use tumble::{math::Vec3, shape::{Geometry, HalfSpace}};
/// let ground = HalfSpace::new(Vec3::Y, 0.0)?;
/// assert_eq!(ground.closest_point(Vec3::new(3.0, 2.0, 1.0)).distance, 2.0);
/// # Ok::<(), tumble::Error>(())
/// ```
///
/// ```
/// use tumble::{math::Vec3, shape::HalfSpace};
/// let wall = HalfSpace::new(Vec3::new(2.0, 0.0, 0.0), 3.0)?; // 3 m out, whatever the length of the normal
/// assert_eq!((wall.normal(), wall.offset()), (Vec3::X, 3.0));
/// # Ok::<(), tumble::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HalfSpace {
    normal: Vec3,
    offset: Real,
}

impl HalfSpace {
    /// The half-space below the plane at distance `offset` from the origin along `normal`, which is brought to length 1.
    pub fn new(normal: Vec3, offset: Real) -> Result<Self> {
        let Some(unit) = normal.to_f64().try_normalize() else {
            let given = format!("({}, {}, {})", normal.x, normal.y, normal.z);
            return Err(Error::value("half-space", "normal", "a finite vector other than zero", given));
        };
        if !offset.is_finite() {
            return Err(Error::value("half-space", "offset", "finite", offset));
        }
        Ok(Self { normal: unit.to_real(), offset })
    }

    /// From a normal that is of length 1 but for rounding, and stays as it is.
    pub(crate) fn from_unit(normal: Vec3, offset: Real) -> Option<Self> {
        let unit = (normal.to_f64().length_squared() - 1.0).abs() < 1e-5;
        (unit && offset.is_finite()).then_some(Self { normal, offset })
    }

    /// The unit vector out of the solid.
    #[inline(always)]
    pub fn normal(&self) -> Vec3 {
        self.normal
    }

    /// Distance of the plane from the origin along the normal.
    #[inline(always)]
    pub fn offset(&self) -> Real {
        self.offset
    }

    fn height(&self, point: Vec3) -> f64 {
        self.normal.to_f64().dot(point.to_f64()) - self.offset.to_f64()
    }
}

impl Geometry for HalfSpace {
    /// Everything, but for a plane that lies exactly across one of the axes.
    fn bounds(&self, pose: &Pose) -> Aabb {
        let mut bounds = Aabb::EVERYTHING;
        let n = pose.rotation.rotate(self.normal);
        for axis in 0..3 {
            if n[(axis + 1) % 3] == 0.0 && n[(axis + 2) % 3] == 0.0 {
                if n[axis] > 0.0 {
                    bounds.max[axis] = pose.translation[axis] + self.offset;
                } else {
                    bounds.min[axis] = pose.translation[axis] - self.offset;
                }
            }
        }
        bounds
    }

    /// Balls of every size fit: an infinite radius, with a point of the plane as centre.
    fn inner_sphere(&self) -> (Vec3, Real) {
        (self.normal * self.offset, Real::INFINITY)
    }

    fn farthest_from(&self, _point: Vec3) -> Real {
        Real::INFINITY
    }

    fn cast_ray(&self, ray: &Ray, max: Real) -> Option<RayHit> {
        if self.contains(ray.origin) {
            return RayHit::inside(max);
        }
        let line = Line::new(ray, max)?;
        let mut clip = Clip::new();
        if !clip.below(&line, self.normal.to_f64(), self.offset.to_f64(), 0) {
            return None;
        }
        line.hit(clip.near, clip.normal, 0)
    }

    fn closest_point(&self, point: Vec3) -> Projection {
        let height = self.height(point);
        Projection {
            point: point.to_f64().add_scaled(self.normal.to_f64(), -height).to_real(),
            normal: self.normal,
            distance: Real::from_f64(height),
            part: 0,
        }
    }

    fn contains(&self, point: Vec3) -> bool {
        self.height(point) <= 0.0
    }

    fn mass_properties(&self, _density: f64) -> Result<MassProperties> {
        Err(Error::refused("half-space", "has no finite volume, so no mass: use it on a fixed body"))
    }
}
