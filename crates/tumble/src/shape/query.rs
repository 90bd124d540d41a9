//! Questions to one shape.

use crate::math::{Float, Num, Pose, Real, Vec3};

/// A half-line. Distances along it are counted in lengths of `direction`, which need not be 1.
///
/// ```
/// use tumble::{math::Vec3, shape::Ray};
/// let ray = Ray::new(Vec3::ZERO, Vec3::X);
/// assert_eq!(ray.at(2.0), Vec3::new(2.0, 0.0, 0.0));
/// ```
///
/// ```
/// use tumble::{math::{Pose, Vec3}, shape::Ray};
/// let ray = Ray::new(Vec3::ZERO, Vec3::X).relative_to(&Pose::from_translation(Vec3::Y));
/// assert_eq!(ray.origin, -Vec3::Y);
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
        Self { origin: pose.inverse_transform_point(self.origin), direction: pose.rotation.unrotate(self.direction) }
    }
}

/// Where a ray meets a shape.
///
/// ```
/// use tumble::{math::Vec3, shape::{Geometry, Ray, RayHit, Sphere}};
/// let ray = Ray::new(Vec3::new(-3.0, 0.0, 0.0), Vec3::X * 2.0);
/// let hit = Sphere::new(1.0)?.cast_ray(&ray, 10.0);
/// assert_eq!(hit, Some(RayHit { t: 1.0, normal: -Vec3::X, part: 0 })); // t counts lengths of the direction
/// # Ok::<(), tumble::Error>(())
/// ```
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
///
/// ```
/// use tumble::{math::Vec3, shape::{Geometry, Sphere}};
/// let near = Sphere::new(1.0)?.closest_point(Vec3::new(0.0, 0.75, 0.0)); // inside
/// assert_eq!((near.point, near.normal, near.distance), (Vec3::Y, Vec3::Y, -0.25));
/// # Ok::<(), tumble::Error>(())
/// ```
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

impl RayHit {
    /// The answer to a ray that starts inside a solid.
    pub(crate) fn inside(max: Real) -> Option<Self> {
        (max >= 0.0).then_some(Self { t: 0.0, normal: Vec3::ZERO, part: 0 })
    }
}

/// A ray in double precision with a direction of length 1.
///
/// Queries run in `f64` in either crate: the square of any `f32` neither overflows nor vanishes there, and a ray that comes
/// from a thousand sizes away still meets a curved surface to the last digit of an `f32`.
pub(crate) struct Line {
    pub(crate) origin: Vec3<f64>,
    pub(crate) direction: Vec3<f64>,
    /// Length of the direction that was given.
    length: f64,
    max: Real,
}

impl Line {
    /// `None` where the direction is zero, or anything is not finite.
    pub(crate) fn new(ray: &Ray, max: Real) -> Option<Self> {
        let (origin, given) = (ray.origin.to_f64(), ray.direction.to_f64());
        let direction = given.try_normalize()?;
        origin.is_finite().then(|| Self { origin, direction, length: given.dot(direction), max })
    }

    /// The point at a distance from the origin.
    pub(crate) fn at(&self, distance: f64) -> Vec3<f64> {
        self.origin.add_scaled(self.direction, distance)
    }

    /// How far from the origin hits count.
    pub(crate) fn reach(&self) -> f64 {
        self.max.to_f64() * self.length
    }

    /// The hit at this distance, if the ray reaches so far.
    pub(crate) fn hit(&self, distance: f64, normal: Vec3<f64>, part: u32) -> Option<RayHit> {
        let t = Real::from_f64(distance / self.length);
        (t >= 0.0 && t <= self.max && t.is_finite()).then_some(RayHit { t, normal: normal.to_real(), part })
    }

    /// Where the line enters and leaves the ball of this radius about `centre`; negative distances lie behind the origin.
    ///
    /// With q the point of the line nearest to the centre, the half chord is √(r² - |q|²): no difference of large squares,
    /// however far the origin is.
    pub(crate) fn through_ball(&self, centre: Vec3<f64>, radius: f64) -> Option<(f64, f64)> {
        let o = self.origin - centre;
        let middle = -o.dot(self.direction);
        let q = o.add_scaled(self.direction, middle);
        let square = radius * radius - q.length_squared();
        (square >= 0.0).then(|| (middle - square.sqrt(), middle + square.sqrt()))
    }

    /// Where the line enters and leaves the infinite cylinder of this radius about the y-axis. A parallel line inside it
    /// never enters or leaves: the answer is -∞ and ∞.
    pub(crate) fn through_tube(&self, radius: f64) -> Option<(f64, f64)> {
        let (o, d) = (self.origin, self.direction);
        let across = d.x * d.x + d.z * d.z;
        if across == 0.0 {
            let inside = o.x * o.x + o.z * o.z <= radius * radius;
            return inside.then_some((f64::NEG_INFINITY, f64::INFINITY));
        }
        let middle = -(o.x * d.x + o.z * d.z) / across;
        let (x, z) = (o.x + d.x * middle, o.z + d.z * middle);
        let square = (radius * radius - (x * x + z * z)) / across;
        (square >= 0.0).then(|| (middle - square.sqrt(), middle + square.sqrt()))
    }
}

/// What remains of a line after cutting it with convex sets, and the surface through which it enters.
///
/// The origin of the line must lie outside at least one of the sets; then the entry, if there is one, has a normal.
pub(crate) struct Clip {
    pub(crate) near: f64,
    pub(crate) far: f64,
    pub(crate) normal: Vec3<f64>,
    pub(crate) part: u32,
}

impl Clip {
    /// The whole line from its origin on.
    pub(crate) fn new() -> Self {
        Self { near: 0.0, far: f64::INFINITY, normal: Vec3::ZERO, part: 0 }
    }

    /// Keeps what lies in the half-space normal·p <= offset; false when nothing is left.
    pub(crate) fn below(&mut self, line: &Line, normal: Vec3<f64>, offset: f64, part: u32) -> bool {
        let height = normal.dot(line.origin) - offset;
        let climb = normal.dot(line.direction);
        if climb < 0.0 {
            let entry = height / -climb;
            if entry > self.near {
                (self.near, self.normal, self.part) = (entry, normal, part);
            }
        } else if climb > 0.0 {
            let exit = -height / climb;
            if exit < self.far {
                self.far = exit;
            }
        } else if height > 0.0 {
            return false;
        }
        self.near <= self.far
    }

    /// Keeps what lies in the box of this half-size about the origin, with the numbering of [`super::Cuboid`]'s faces. The same
    /// numbers as by [`Clip::below`] for each face.
    pub(crate) fn within_axes(&mut self, line: &Line, half: Vec3<f64>) -> bool {
        (0..3).all(|axis| {
            let (o, d, h) = (line.origin[axis], line.direction[axis], half[axis]);
            if d == 0.0 {
                return o.abs() <= h;
            }
            // Going up, the line enters by the lower face, and the other way round.
            let (entry, exit) = if d > 0.0 { ((-o - h) / d, (h - o) / d) } else { ((o - h) / -d, (h + o) / -d) };
            if entry > self.near {
                let mut normal = Vec3::ZERO;
                normal[axis] = if d > 0.0 { -1.0 } else { 1.0 };
                (self.near, self.normal, self.part) = (entry, normal, 2 * axis as u32 + u32::from(d > 0.0));
            }
            self.far = Num::min(exit, self.far);
            self.near <= self.far
        })
    }
}

/// Distance from the y-axis, and the unit vector away from it: x for points on it.
pub(crate) fn radial(p: Vec3<f64>) -> (f64, Vec3<f64>) {
    let out = Vec3::new(p.x, 0.0, p.z);
    match out.try_normalize() {
        Some(unit) => (out.dot(unit), unit),
        None => (0.0, Vec3::X),
    }
}
