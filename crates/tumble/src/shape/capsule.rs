//! Cylinders with round ends.

use super::mass::checked_density;
use super::query::Line;
use super::sphere::around_point;
use super::{Convex, Geometry, MassProperties, Projection, Ray, RayHit, not_negative, positive};
use crate::error::Result;
use crate::math::{Aabb, Float, Pose, Real, Sym3, Vec3};

/// All points within `radius` of the segment from (0, -`half_length`, 0) to (0, `half_length`, 0).
///
/// ```
/// use tumble::{math::Vec3, shape::{Geometry, Capsule}};
/// let pill = Capsule::new(1.0, 0.5)?;
/// assert_eq!(pill.closest_point(Vec3::new(0.0, 2.0, 0.0)).distance, 0.5);
/// # Ok::<(), tumble::Error>(())
/// ```
///
/// ```
/// use tumble::shape::Capsule;
/// let shape = Capsule::new(1.0, 0.5)?;
/// assert_eq!((shape.half_length(), shape.radius()), (1.0, 0.5));
/// # Ok::<(), tumble::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capsule {
    half_length: Real,
    radius: Real,
}

impl Capsule {
    /// The capsule about a segment of half-length `half_length` on the y-axis; a half-length of 0 makes a ball.
    pub fn new(half_length: Real, radius: Real) -> Result<Self> {
        Ok(Self {
            half_length: not_negative("capsule", "half length", half_length)?,
            radius: positive("capsule", "radius", radius)?,
        })
    }

    /// Half of the length of the inner segment; the round ends come on top.
    #[inline(always)]
    pub fn half_length(&self) -> Real {
        self.half_length
    }

    /// The radius.
    #[inline(always)]
    pub fn radius(&self) -> Real {
        self.radius
    }

    /// The point of the inner segment that is nearest to `p`.
    fn on_axis(&self, p: Vec3<f64>) -> Vec3<f64> {
        let half = self.half_length.to_f64();
        Vec3::new(0.0, Float::clamp(p.y, -half, half), 0.0)
    }
}

impl Geometry for Capsule {
    #[inline(always)]
    fn bounds(&self, pose: &Pose) -> Aabb {
        let half = pose.rotation.to_mat3().y.abs() * self.half_length + Vec3::all(self.radius);
        Aabb::new(pose.translation - half, pose.translation + half)
    }

    fn inner_sphere(&self) -> (Vec3, Real) {
        (Vec3::ZERO, self.radius)
    }

    fn farthest_from(&self, point: Vec3) -> Real {
        let mut p = point.to_f64().abs();
        p.y += self.half_length.to_f64();
        Real::from_f64(p.length() + self.radius.to_f64())
    }

    fn cast_ray(&self, ray: &Ray, max: Real) -> Option<RayHit> {
        if self.contains(ray.origin) {
            return RayHit::inside(max);
        }
        let line = Line::new(ray, max)?;
        let (half, radius) = (self.half_length.to_f64(), self.radius.to_f64());
        // The capsule is the union of a tube and two balls; the ray enters it where it first enters one of them.
        let tube = line.through_tube(radius).map(|(entry, _)| entry).filter(|&s| line.at(s).y.abs() <= half);
        let mut entry = tube.filter(|&s| s >= 0.0).unwrap_or(f64::INFINITY);
        for end in [half, -half] {
            if let Some((s, _)) = line.through_ball(Vec3::new(0.0, end, 0.0), radius)
                && s >= 0.0
                && s < entry
            {
                entry = s;
            }
        }
        if entry == f64::INFINITY {
            return None;
        }
        let p = line.at(entry);
        line.hit(entry, (p - self.on_axis(p)).try_normalize()?, 0)
    }

    fn closest_point(&self, point: Vec3) -> Projection {
        let p = point.to_f64();
        around_point(self.on_axis(p), Vec3::X, self.radius.to_f64(), p)
    }

    fn contains(&self, point: Vec3) -> bool {
        let p = point.to_f64();
        let r = self.radius.to_f64();
        (p - self.on_axis(p)).length_squared() <= r * r
    }

    /// With the cylinder's mass m_c, the mass m_s of both half balls together, half-length h and radius r:
    /// I_y = r² (m_c/2 + 2/5 m_s) and I_x = m_c (r²/4 + h²/3) + m_s (2/5 r² + h² + 3/4 h r); the last bracket is the half
    /// ball's inertia about its flat side's centre, moved to its centre of mass 3/8 r above, and from there to the origin.
    fn mass_properties(&self, density: f64) -> Result<MassProperties> {
        let density = checked_density("capsule", density)?;
        let (h, r) = (self.half_length.to_f64(), self.radius.to_f64());
        let rr = r * r;
        let tube = density * f64::PI * rr * (2.0 * h);
        let ends = density * (4.0 / 3.0) * f64::PI * (rr * r);
        let along = rr * (0.5 * tube + 0.4 * ends);
        let across = tube * (rr / 4.0 + h * h / 3.0) + ends * (0.4 * rr + h * h + 0.75 * h * r);
        let inertia = Sym3::diagonal(Vec3::new(across, along, across));
        MassProperties { mass: tube + ends, centre: Vec3::ZERO, inertia }.checked("capsule")
    }
}

impl Convex for Capsule {
    fn support(&self, direction: Vec3) -> Vec3 {
        let end = Vec3::new(0.0, self.half_length.copysign(direction.y), 0.0);
        end.add_scaled(direction.normalize_or(Vec3::Y), self.radius)
    }
}
