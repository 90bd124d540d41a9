//! Any convex shape by reference, with the support function that the general algorithms work on.

use crate::math::{Float, Mat3, Num, Pose, Real, Vec3};
use crate::shape::{
    Capsule, Cone, Convex, Cuboid, Cylinder, Geometry, HalfSpace, Hull, Mesh, Rectangle, Shape, Sides, Sphere,
    inner_edges,
};

/// A triangle that can be touched: one of a mesh, or one that stands alone.
///
/// Edge i runs from vertex i to vertex i + 1. Seen from the front, the vertices run counter-clockwise.
///
/// ```
/// use tumble::detect::narrow::{ConvexRef, Triangle, closest_points};
/// use tumble::math::{Pose, Vec3};
/// use tumble::shape::{MeshDesc, Sides, Sphere};
/// let corners = [Vec3::ZERO, Vec3::Z, Vec3::X];
/// let alone = Triangle::new(corners);
/// let ball = Sphere::new(0.5)?;
/// let above = Pose::from_translation(Vec3::new(0.2, 2.0, 0.2));
/// assert_eq!(closest_points(ConvexRef::Triangle(&alone), ConvexRef::Sphere(&ball), &above).separation, 1.5);
/// let mesh = MeshDesc::new(corners.to_vec(), vec![[0, 1, 2]]).build()?;
/// let part = Triangle::of_mesh(&mesh.get(0).unwrap(), Sides::One);
/// assert!(!part.two_sided && part.inner_edges == 0);
/// # Ok::<(), tumble::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Triangle {
    /// The corners.
    pub vertices: [Vec3; 3],
    /// Solid from the back as well. A triangle that is not touches only shapes whose centre is in front of it.
    pub two_sided: bool,
    /// Bit i is set where edge i lies inside of a surface that is flat or concave there as seen from the front, bit
    /// 3 + i where it is so from the back. Such an edge (or a corner between two of them) has no normal of its own: a
    /// contact that would push across it is turned into one of the face, or dropped where the face is not touched; so
    /// nothing stumbles over the seams of a mesh.
    pub inner_edges: u8,
}

impl Triangle {
    /// A two-sided triangle that stands alone.
    pub const fn new(vertices: [Vec3; 3]) -> Self {
        Self { vertices, two_sided: true, inner_edges: 0 }
    }

    /// A triangle of a mesh or height field.
    pub fn of_mesh(triangle: &crate::shape::Triangle, sides: Sides) -> Self {
        let two_sided = sides == Sides::Two;
        Self { vertices: triangle.corners, two_sided, inner_edges: inner_edges(&triangle.adjacency) }
    }

    /// The same by its number, which must be below that of the triangles.
    #[inline]
    pub(crate) fn part_of(mesh: &Mesh, triangle: u32) -> Self {
        Self {
            vertices: mesh.triangle(triangle),
            two_sided: mesh.sides() == Sides::Two,
            inner_edges: mesh.inner_edges(triangle),
        }
    }

    /// How far in front of its plane a shape is, or behind it too where it has two sides; 0 where it is not, and where there is no plane.
    pub(crate) fn height_of(&self, shape: ConvexRef<'_>, pose: &Pose) -> Real {
        let Some(front) = self.area_vector().to_f64().try_normalize() else { return 0.0 };
        let height = |n: Vec3<f64>| {
            let rotation = pose.rotation.to_f64();
            let lowest = rotation.rotate(shape.core_support(rotation.unrotate(-n))) + pose.translation.to_f64();
            // The corners of a triangle are as far off its plane as rounding has them.
            let [a, b, c] = self.vertices.map(|v| n.dot(v.to_f64()));
            n.dot(lowest) - shape.radius().to_f64() - Num::max(Num::max(a, b), c)
        };
        let above = height(front);
        let above = if above <= 0.0 && self.two_sided { height(-front) } else { above };
        Real::from_f64(Num::max(above, 0.0))
    }

    /// Twice the area times the front's unit normal.
    #[inline(always)]
    pub(super) fn area_vector(&self) -> Vec3 {
        let [a, b, c] = self.vertices;
        (b - a).cross(c - a)
    }

    #[inline(always)]
    pub(super) fn centre(&self) -> Vec3 {
        let [a, b, c] = self.vertices;
        (a + b + c) * (1.0 / 3.0)
    }

    #[inline(always)]
    fn support(&self, d: Vec3<f64>) -> Vec3<f64> {
        let [a, b, c] = self.vertices.map(Vec3::to_f64);
        let (x, y, z) = (a.dot(d), b.dot(d), c.dot(d));
        if x >= y && x >= z {
            a
        } else if y >= z {
            b
        } else {
            c
        }
    }
}

/// A convex shape, borrowed.
///
/// ```
/// use tumble::detect::narrow::ConvexRef;
/// use tumble::math::Vec3;
/// use tumble::shape::{MeshDesc, Shape};
/// assert!(matches!(ConvexRef::new(&Shape::sphere(1.0)?), Some(ConvexRef::Sphere(_))));
/// let mesh = Shape::mesh(MeshDesc::new(vec![Vec3::ZERO, Vec3::Z, Vec3::X], vec![[0, 1, 2]]))?;
/// assert!(ConvexRef::new(&mesh).is_none());
/// # Ok::<(), tumble::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub enum ConvexRef<'a> {
    Sphere(&'a Sphere),
    Capsule(&'a Capsule),
    Cuboid(&'a Cuboid),
    Cylinder(&'a Cylinder),
    Cone(&'a Cone),
    Hull(&'a Hull),
    HalfSpace(&'a HalfSpace),
    Rectangle(&'a Rectangle),
    Triangle(&'a Triangle),
}

impl<'a> ConvexRef<'a> {
    /// The shape, if it is convex.
    pub fn new(shape: &'a Shape) -> Option<Self> {
        match shape {
            Shape::Sphere(s) => Some(Self::Sphere(s)),
            Shape::Capsule(s) => Some(Self::Capsule(s)),
            Shape::Cuboid(s) => Some(Self::Cuboid(s)),
            Shape::Cylinder(s) => Some(Self::Cylinder(s)),
            Shape::Cone(s) => Some(Self::Cone(s)),
            Shape::Hull(s) => Some(Self::Hull(s)),
            Shape::HalfSpace(s) => Some(Self::HalfSpace(s)),
            Shape::Rectangle(s) => Some(Self::Rectangle(s)),
            Shape::Mesh(_) | Shape::HeightField(_) | Shape::Compound(_) => None,
        }
    }

    /// The shape is all points within this distance of its core: a point for balls, a segment for capsules, and the
    /// shape itself, with radius 0, for the rest.
    #[inline(always)]
    pub(crate) fn radius(&self) -> Real {
        match self {
            Self::Sphere(s) => s.radius(),
            Self::Capsule(s) => s.radius(),
            _ => 0.0,
        }
    }

    /// A point inside, about which the shape is more or less balanced.
    #[inline]
    pub(crate) fn centre(&self) -> Vec3 {
        match self {
            Self::Triangle(t) => t.centre(),
            Self::Cone(s) => Vec3::new(0.0, s.half_height() * -0.5, 0.0),
            Self::HalfSpace(s) => s.normal() * s.offset(),
            Self::Hull(s) => s.centroid(),
            _ => Vec3::ZERO,
        }
    }

    /// The radius of a ball about the centre that holds the shape, within a factor of two; infinite for half-spaces.
    #[inline]
    pub(crate) fn extent(&self) -> Real {
        match self {
            Self::Sphere(s) => s.radius(),
            Self::Capsule(s) => s.half_length() + s.radius(),
            Self::Cuboid(s) => s.half_extents().length(),
            Self::Cylinder(s) => (s.half_height() * s.half_height() + s.radius() * s.radius()).sqrt(),
            Self::Cone(s) => (s.half_height() * s.half_height() + s.radius() * s.radius()).sqrt(),
            Self::HalfSpace(_) => Real::INFINITY,
            Self::Hull(s) => s.reach(),
            Self::Rectangle(s) => (s.half_x() * s.half_x() + s.half_z() * s.half_z()).sqrt(),
            Self::Triangle(t) => {
                let c = t.centre();
                let [x, y, z] = t.vertices.map(|v| (v - c).length_squared());
                Num::max(Num::max(x, y), z).sqrt()
            }
        }
    }

    /// A ball inside: its centre, and its radius, which is 0 for shapes without volume.
    pub(super) fn inner_ball(&self) -> (Vec3, Real) {
        match self {
            Self::Sphere(s) => (Vec3::ZERO, s.radius()),
            Self::Capsule(s) => (Vec3::ZERO, s.radius()),
            Self::Cuboid(s) => (Vec3::ZERO, s.half_extents().min_component()),
            Self::Cylinder(s) => s.inner_sphere(),
            Self::Cone(s) => s.inner_sphere(),
            Self::Hull(s) => s.inner_sphere(),
            Self::HalfSpace(s) => s.inner_sphere(),
            Self::Rectangle(_) => (Vec3::ZERO, 0.0),
            Self::Triangle(t) => (t.centre(), 0.0),
        }
    }

    /// The largest distance of a point of the shape from `point`.
    pub(crate) fn farthest_from(&self, point: Vec3) -> Real {
        match self {
            Self::Sphere(s) => s.farthest_from(point),
            Self::Capsule(s) => s.farthest_from(point),
            Self::Cuboid(s) => s.farthest_from(point),
            Self::Cylinder(s) => s.farthest_from(point),
            Self::Cone(s) => s.farthest_from(point),
            Self::Hull(s) => s.farthest_from(point),
            Self::HalfSpace(s) => s.farthest_from(point),
            Self::Rectangle(s) => s.farthest_from(point),
            Self::Triangle(t) => t.vertices.iter().fold(0.0, |r, v| Num::max(r, (*v - point).length())),
        }
    }

    /// The point of the core that is farthest along `d`; where several are, any of them. Half-spaces, which have none,
    /// answer with their centre.
    #[inline]
    pub(super) fn core_support(&self, d: Vec3<f64>) -> Vec3<f64> {
        match self {
            Self::Sphere(_) => Vec3::ZERO,
            Self::Capsule(s) => Vec3::new(0.0, s.half_length().to_f64().copysign(d.y), 0.0),
            Self::Cuboid(s) => s.support(d.to_real()).to_f64(),
            Self::Cylinder(s) => {
                let out = rim(d, s.radius().to_f64());
                Vec3::new(out.x, s.half_height().to_f64().copysign(d.y), out.z)
            }
            Self::Cone(s) => {
                let (h, r) = (s.half_height().to_f64(), s.radius().to_f64());
                // Apex before rim where h d_y >= r |d_xz| - h d_y.
                if 2.0 * h * d.y >= r * (d.x * d.x + d.z * d.z).sqrt() {
                    Vec3::new(0.0, h, 0.0)
                } else {
                    let out = rim(d, r);
                    Vec3::new(out.x, -h, out.z)
                }
            }
            Self::Hull(s) => s.support(d.to_real()).to_f64(),
            Self::HalfSpace(_) => self.centre().to_f64(),
            Self::Rectangle(s) => s.support(d.to_real()).to_f64(),
            Self::Triangle(t) => t.support(d),
        }
    }
}

/// The point of the circle of radius `r` about the y-axis that is farthest along `d`; its centre if all are.
#[inline(always)]
fn rim(d: Vec3<f64>, r: f64) -> Vec3<f64> {
    let out = (d.x * d.x + d.z * d.z).sqrt();
    if out > 0.0 { Vec3::new(d.x * (r / out), 0.0, d.z * (r / out)) } else { Vec3::ZERO }
}

/// Two convex shapes in the frame of the first, in double precision: what the general algorithms look at is the support
/// function of the cores' difference A - B. Single precision would leave them no digits to tell converging from stalling.
#[derive(Clone, Copy)]
pub(super) struct Pair<'a> {
    pub a: ConvexRef<'a>,
    pub b: ConvexRef<'a>,
    pub rotation: Mat3<f64>,
    pub translation: Vec3<f64>,
    /// Length to which rounding is relative: the extent of the larger shape, or their distance where that is more.
    pub scale: f64,
    /// Length to which quality is relative: the extent of the smaller shape.
    pub small: f64,
}

/// A point of the difference A - B with the two points that it is the difference of.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Vertex {
    pub a: Vec3<f64>,
    pub b: Vec3<f64>,
    pub w: Vec3<f64>,
}

impl<'a> Pair<'a> {
    pub fn new(a: ConvexRef<'a>, b: ConvexRef<'a>, b_in_a: &Pose) -> Self {
        let translation = b_in_a.translation.to_f64();
        let (of_a, of_b) = (a.extent().to_f64(), b.extent().to_f64());
        let scale = Num::max(Num::max(of_a, of_b), translation.length());
        let small = Num::min(of_a, of_b);
        // A quaternion of single precision is off unit length by rounding; its matrix must not scale.
        let rotation = b_in_a.rotation.to_f64().normalized().to_mat3();
        Self { a, b, rotation, translation, scale, small }
    }

    /// The direction from A's middle to B's, or any where they coincide.
    pub fn centre_line(&self) -> Vec3<f64> {
        let b = self.rotation * self.b.centre().to_f64() + self.translation;
        (b - self.a.centre().to_f64()).normalize_or(Vec3::Y)
    }

    /// The point of A - B that is farthest along `d`.
    #[inline]
    pub fn support(&self, d: Vec3<f64>) -> Vertex {
        let a = self.a.core_support(d);
        let b = self.rotation * self.b.core_support(-self.rotation.transpose_mul(d)) + self.translation;
        Vertex { a, b, w: a - b }
    }

    /// How far the cores are apart along the unit vector `n` from A to B: min n·b - max n·a.
    #[inline]
    pub fn separation_along(&self, n: Vec3<f64>) -> f64 {
        -self.support(n).w.dot(n)
    }

    /// Both radii.
    #[inline(always)]
    pub fn radii(&self) -> f64 {
        self.a.radius().to_f64() + self.b.radius().to_f64()
    }
}
