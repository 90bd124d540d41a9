//! Cones.

use super::cylinder::disc_extent;
use super::mass::checked_density;
use super::query::{Clip, Line, radial};
use super::{Convex, Geometry, MassProperties, Projection, Ray, RayHit, positive};
use crate::error::Result;
use crate::math::{Aabb, Float, Num, Pose, Real, Sym3, Vec3};

/// The cone about the y-axis with its apex at y = `half_height` and a base disc of this radius at y = -`half_height`.
///
/// ```
/// use tumble::shape::{Cone, Geometry};
/// let cone = Cone::new(1.0, 0.5)?;
/// // A quarter of the height above the base.
/// assert_eq!(cone.mass_properties(1.0)?.centre.y, -0.5);
/// # Ok::<(), tumble::Error>(())
/// ```
///
/// ```
/// use tumble::shape::Cone;
/// let shape = Cone::new(1.0, 0.5)?;
/// assert_eq!((shape.half_height(), shape.radius()), (1.0, 0.5));
/// # Ok::<(), tumble::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cone {
    half_height: Real,
    radius: Real,
}

impl Cone {
    /// The cone of this half-height and radius of the base.
    pub fn new(half_height: Real, radius: Real) -> Result<Self> {
        Ok(Self {
            half_height: positive("cone", "half height", half_height)?,
            radius: positive("cone", "radius", radius)?,
        })
    }

    /// Half of the distance from the base to the apex.
    #[inline(always)]
    pub fn half_height(&self) -> Real {
        self.half_height
    }

    /// The radius of the base.
    #[inline(always)]
    pub fn radius(&self) -> Real {
        self.radius
    }

    /// Half-height and radius in double precision.
    fn size(&self) -> (f64, f64) {
        (self.half_height.to_f64(), self.radius.to_f64())
    }

    /// Radial and axial component of the side's outward unit normal.
    fn side_normal(&self) -> (f64, f64) {
        let (h, r) = self.size();
        let slant = (4.0 * h * h + r * r).sqrt();
        (2.0 * h / slant, r / slant)
    }

    /// Where the line runs inside the infinite cone that opens downwards from the apex.
    ///
    /// With ρ the distance from the axis, w = y - h the height over the apex and k = r / 2h, that cone is ρ² <= k² w², w <= 0.
    /// Along p + s d the first condition reads a s² + 2 b s + c <= 0 with a = d_x² + d_z² - k² d_y²,
    /// b = p_x d_x + p_z d_z - k² w d_y, c = p_x² + p_z² - k² w². The double cone has two sheets:
    /// - a > 0: the line runs between the two roots through one sheet, which may be the upper one (cut off by the caller);
    /// - a < 0: it runs outside the roots, through the lower sheet on the side where it descends.
    ///
    /// `p` is the point of the line nearest to the apex, so that nothing far away enters the differences of squares.
    fn through_nappe(&self, line: &Line) -> Option<(f64, f64)> {
        let (h, r) = self.size();
        let k = r / (2.0 * h);
        let from_apex = line.origin - Vec3::new(0.0, h, 0.0);
        let d = line.direction;
        let shift = -from_apex.dot(d);
        let p = from_apex.add_scaled(d, shift);
        let a = d.x * d.x + d.z * d.z - k * k * (d.y * d.y);
        let b = p.x * d.x + p.z * d.z - k * k * (p.y * d.y);
        let c = p.x * p.x + p.z * p.z - k * k * (p.y * p.y);
        if a == 0.0 && b == 0.0 {
            // Within a plane that touches the cone: never inside, but for the line on the cone itself.
            return (c <= 0.0).then_some((f64::NEG_INFINITY, f64::INFINITY));
        }
        let mut square = b * b - a * c;
        if square < 0.0 {
            if a > 0.0 {
                return None;
            }
            // A line as steep as this meets both sheets; it is less than zero by rounding alone.
            square = 0.0;
        }
        // The root of larger magnitude by a sum of like signs, the other by c / (a s): neither cancels.
        let q = if b > 0.0 { -(b + square.sqrt()) } else { square.sqrt() - b };
        let (first, second) = if q == 0.0 { (0.0, 0.0) } else { (c / q, q / a) };
        if a > 0.0 {
            return Some((shift + Num::min(first, second), shift + Num::max(first, second)));
        }
        if a == 0.0 {
            // Parallel to the side: one root, one sheet; the other root is at infinity.
            let root = shift + first;
            return Some(if b > 0.0 { (f64::NEG_INFINITY, root) } else { (root, f64::INFINITY) });
        }
        let (low, high) = (Num::min(first, second), Num::max(first, second));
        if d.y < 0.0 { Some((shift + high, f64::INFINITY)) } else { Some((f64::NEG_INFINITY, shift + low)) }
    }
}

impl Geometry for Cone {
    fn bounds(&self, pose: &Pose) -> Aabb {
        let axis = pose.rotation.to_mat3().y;
        let (tip, disc) = (axis * self.half_height, disc_extent(axis) * self.radius);
        Aabb::new(pose.translation + tip.min(-tip - disc), pose.translation + tip.max(disc - tip))
    }

    /// The profile is half of an isosceles triangle with base 2r and sides of length l = √(4h² + r²); its incircle has the
    /// radius 2 h r / (r + l) and touches the base.
    fn inner_sphere(&self) -> (Vec3, Real) {
        let (h, r) = self.size();
        let inner = 2.0 * h * r / (r + (4.0 * h * h + r * r).sqrt());
        (Vec3::new(0.0, Real::from_f64(inner - h), 0.0), Real::from_f64(inner))
    }

    fn farthest_from(&self, point: Vec3) -> Real {
        let p = point.to_f64();
        let (h, r) = self.size();
        let (rho, _) = radial(p);
        let (tip, rim) = (p.y - h, p.y + h);
        let squares = (rho * rho + tip * tip, (rho + r) * (rho + r) + rim * rim);
        Real::from_f64(Num::max(squares.0, squares.1).sqrt())
    }

    fn cast_ray(&self, ray: &Ray, max: Real) -> Option<RayHit> {
        if self.contains(ray.origin) {
            return RayHit::inside(max);
        }
        let line = Line::new(ray, max)?;
        let (h, _) = self.size();
        let mut clip = Clip::new();
        // The upper bound cuts off the other sheet of the double cone.
        if !(clip.below(&line, Vec3::Y, h, 0) && clip.below(&line, -Vec3::Y, h, 0)) {
            return None;
        }
        let (entry, exit) = self.through_nappe(&line)?;
        if entry > clip.near {
            clip.near = entry;
            let p = line.at(entry);
            let (out, up) = self.side_normal();
            let apex = p.x == 0.0 && p.z == 0.0;
            clip.normal = if apex { Vec3::Y } else { radial(p).1 * out + Vec3::new(0.0, up, 0.0) };
        }
        if clip.near > Num::min(clip.far, exit) {
            return None;
        }
        line.hit(clip.near, clip.normal, 0)
    }

    /// In the half-plane through the axis and the point the cone is a right triangle; the answer is the nearer of the base
    /// and the side.
    fn closest_point(&self, point: Vec3) -> Projection {
        let p = point.to_f64();
        let (h, r) = self.size();
        let (rho, out) = radial(p);
        let up = Vec3::<f64>::Y;

        // Base: from (0, -h) to (r, -h).
        let base = (Num::min(rho, r), -h);
        let base_square = (rho - base.0) * (rho - base.0) + (p.y - base.1) * (p.y - base.1);

        // Side: (0, h) + u (r, -2h), 0 <= u <= 1.
        let u = (rho * r + (h - p.y) * (2.0 * h)) / (r * r + 4.0 * h * h);
        let u = Float::clamp(u, 0.0, 1.0);
        let side = (u * r, h - u * (2.0 * h));
        let side_square = (rho - side.0) * (rho - side.0) + (p.y - side.1) * (p.y - side.1);

        let on_base = base_square < side_square;
        let (nearest, face) = if on_base {
            (base, -up)
        } else {
            let n = self.side_normal();
            (side, out * n.0 + up * n.1)
        };
        let offset = out * (rho - nearest.0) + up * (p.y - nearest.1);
        let inside = self.contains(point);
        // Strictly between the ends of the base or side the normal is that of the surface; at the rim and the apex it
        // points to the given point, which is then outside.
        let at_corner = if on_base { rho > r } else { u == 0.0 || u == 1.0 };
        let normal = if at_corner && !inside { offset.normalize_or(face) } else { face };
        let distance = if inside { -offset.length() } else { offset.length() };
        Projection {
            point: (out * nearest.0 + up * nearest.1).to_real(),
            normal: normal.to_real(),
            distance: Real::from_f64(distance),
            part: 0,
        }
    }

    fn contains(&self, point: Vec3) -> bool {
        let p = point.to_f64();
        let (h, r) = self.size();
        let reach = r * (h - p.y);
        point.y.abs() <= self.half_height && (p.x * p.x + p.z * p.z) * (4.0 * h * h) <= reach * reach
    }

    /// With half-height h and radius r: the centre lies h/2 below the middle, I_y = 3/10 m r², I_x = 3/20 m (r² + h²).
    fn mass_properties(&self, density: f64) -> Result<MassProperties> {
        let density = checked_density("cone", density)?;
        let (h, r) = self.size();
        let mass = density * (f64::PI / 3.0) * (r * r) * (2.0 * h);
        let across = 0.15 * mass * (r * r + h * h);
        let inertia = Sym3::diagonal(Vec3::new(across, 0.3 * mass * (r * r), across));
        MassProperties { mass, centre: Vec3::new(0.0, -h / 2.0, 0.0), inertia }.checked("cone")
    }
}

impl Convex for Cone {
    /// The apex where it is at least as far along as the rim: h d_y >= r |d_xz| - h d_y.
    fn support(&self, direction: Vec3) -> Vec3 {
        // Scaled first, so that squares of the direction neither overflow nor vanish.
        let d = direction.normalize_or(Vec3::Y);
        let out = (d.x * d.x + d.z * d.z).sqrt();
        if 2.0 * self.half_height * d.y >= self.radius * out {
            return Vec3::new(0.0, self.half_height, 0.0);
        }
        let rim = if out > 0.0 { self.radius / out } else { 0.0 };
        Vec3::new(d.x * rim, -self.half_height, d.z * rim)
    }
}
