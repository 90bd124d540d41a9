//! Cylinders with flat ends.

use super::mass::checked_density;
use super::query::{Clip, Line, radial};
use super::{Convex, Geometry, MassProperties, Projection, Ray, RayHit, positive};
use crate::error::Result;
use crate::math::{Aabb, Float, Num, Pose, Real, Sym3, Vec3};

/// The cylinder of this radius about the y-axis, between y = -`half_height` and y = `half_height`.
///
/// ```
/// use tumble::{math::Vec3, shape::{Geometry, Cylinder}};
/// let drum = Cylinder::new(1.0, 0.5)?;
/// assert!(drum.contains(Vec3::new(0.3, 0.9, 0.3)));
/// # Ok::<(), tumble::Error>(())
/// ```
///
/// ```
/// use tumble::shape::Cylinder;
/// let shape = Cylinder::new(1.0, 0.5)?;
/// assert_eq!((shape.half_height(), shape.radius()), (1.0, 0.5));
/// # Ok::<(), tumble::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cylinder {
    half_height: Real,
    radius: Real,
}

impl Cylinder {
    /// The cylinder of this half-height and radius.
    pub fn new(half_height: Real, radius: Real) -> Result<Self> {
        Ok(Self {
            half_height: positive("cylinder", "half height", half_height)?,
            radius: positive("cylinder", "radius", radius)?,
        })
    }

    /// Half of the distance between the flat ends.
    #[inline(always)]
    pub fn half_height(&self) -> Real {
        self.half_height
    }

    /// The radius.
    #[inline(always)]
    pub fn radius(&self) -> Real {
        self.radius
    }
}

impl Geometry for Cylinder {
    fn bounds(&self, pose: &Pose) -> Aabb {
        let axis = pose.rotation.to_mat3().y;
        let half = axis.abs() * self.half_height + disc_extent(axis) * self.radius;
        Aabb::new(pose.translation - half, pose.translation + half)
    }

    fn inner_sphere(&self) -> (Vec3, Real) {
        (Vec3::ZERO, Num::min(self.half_height, self.radius))
    }

    fn farthest_from(&self, point: Vec3) -> Real {
        let p = point.to_f64();
        let (out, up) = (radial(p).0 + self.radius.to_f64(), p.y.abs() + self.half_height.to_f64());
        Real::from_f64((out * out + up * up).sqrt())
    }

    fn cast_ray(&self, ray: &Ray, max: Real) -> Option<RayHit> {
        if self.contains(ray.origin) {
            return RayHit::inside(max);
        }
        let line = Line::new(ray, max)?;
        let half = self.half_height.to_f64();
        let mut clip = Clip::new();
        if !(clip.below(&line, Vec3::Y, half, 0) && clip.below(&line, -Vec3::Y, half, 0)) {
            return None;
        }
        let (entry, exit) = line.through_tube(self.radius.to_f64())?;
        if entry > clip.near {
            clip.near = entry;
            clip.normal = radial(line.at(entry)).1;
        }
        if clip.near > Num::min(clip.far, exit) {
            return None;
        }
        line.hit(clip.near, clip.normal, 0)
    }

    fn closest_point(&self, point: Vec3) -> Projection {
        let p = point.to_f64();
        let (half, radius) = (self.half_height.to_f64(), self.radius.to_f64());
        let (rho, out) = radial(p);
        let up = Vec3::new(0.0, if p.y < 0.0 { -1.0 } else { 1.0 }, 0.0);
        let (side, end) = (rho - radius, p.y.abs() - half);
        let (nearest, normal, distance) = if side <= 0.0 && end <= 0.0 {
            // Inside: the nearer of the side and the end.
            if side > end {
                (Vec3::new(out.x * radius, p.y, out.z * radius), out, side)
            } else {
                (Vec3::new(p.x, up.y * half, p.z), up, end)
            }
        } else if side <= 0.0 {
            (Vec3::new(p.x, up.y * half, p.z), up, end)
        } else if end <= 0.0 {
            (Vec3::new(out.x * radius, p.y, out.z * radius), out, side)
        } else {
            let offset = out * side + up * end;
            (Vec3::new(out.x * radius, up.y * half, out.z * radius), offset.normalize_or(out), offset.length())
        };
        Projection { point: nearest.to_real(), normal: normal.to_real(), distance: Real::from_f64(distance), part: 0 }
    }

    fn contains(&self, point: Vec3) -> bool {
        let (p, r) = (point.to_f64(), self.radius.to_f64());
        point.y.abs() <= self.half_height && p.x * p.x + p.z * p.z <= r * r
    }

    /// With half-height h and radius r: I_y = m r²/2 and I_x = m (r²/4 + h²/3).
    fn mass_properties(&self, density: f64) -> Result<MassProperties> {
        let density = checked_density("cylinder", density)?;
        let (h, r) = (self.half_height.to_f64(), self.radius.to_f64());
        let mass = density * f64::PI * (r * r) * (2.0 * h);
        let across = mass * (r * r / 4.0 + h * h / 3.0);
        let inertia = Sym3::diagonal(Vec3::new(across, mass * (r * r) / 2.0, across));
        MassProperties { mass, centre: Vec3::ZERO, inertia }.checked("cylinder")
    }
}

impl Convex for Cylinder {
    fn support(&self, direction: Vec3) -> Vec3 {
        let out = Vec3::new(direction.x, 0.0, direction.z).normalize_or(Vec3::ZERO) * self.radius;
        Vec3::new(out.x, self.half_height.copysign(direction.y), out.z)
    }
}

/// Half-extents of the unit disc across the unit vector `axis`: √(1 - a_i²) on axis i, written so that nothing cancels.
pub(super) fn disc_extent(axis: Vec3) -> Vec3 {
    let (x, y, z) = (axis.x * axis.x, axis.y * axis.y, axis.z * axis.z);
    Vec3::new((y + z).sqrt(), (x + z).sqrt(), (x + y).sqrt())
}
