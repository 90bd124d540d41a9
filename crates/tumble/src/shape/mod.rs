//! Shapes: what bodies are made of, how heavy they are, and what a ray or a point meets.
//!
//! A shape is immutable and cheap to clone: small ones are stored in place, large ones behind an `Arc`, so that any
//! number of colliders and worlds share one copy. Every shape lives in its own frame; a collider places it on a body.

mod adjacency;
mod bvh;
mod capsule;
mod compound;
mod cone;
mod cuboid;
mod cylinder;
mod half_space;
mod height_field;
mod height_ranges;
mod hull;
mod hull_build;
mod hull_climb;
mod hull_fans;
mod hull_merge;
mod hull_ribs;
mod hull_scan;
mod mass;
mod mesh;
mod mesh_edges;
mod mesh_weld;
mod polyhedron_mass;
mod query;
mod quickhull;
mod rectangle;
mod sphere;
mod triangle;

use crate::error::{Error, Result};
use crate::math::{Aabb, Pose, Real, Vec3};
use std::sync::Arc;

pub(crate) use adjacency::inner_edges;
pub use adjacency::{Adjacency, EdgeKind};
pub use bvh::{Bvh, Candidates};
pub use capsule::Capsule;
pub use compound::{Compound, CompoundChild};
pub use cone::Cone;
pub use cuboid::Cuboid;
pub use cylinder::Cylinder;
pub use half_space::HalfSpace;
pub use height_field::{HeightField, HeightFieldDesc};
pub use hull::{HalfEdge, Hull, HullFace};
pub(crate) use hull_ribs::{KEPT, Rib};
pub use mass::MassProperties;
pub use mesh::{Mesh, MeshDesc, Sides, Triangle};
pub use polyhedron_mass::check_closed;
pub use query::{Projection, Ray, RayHit};
pub use rectangle::Rectangle;
pub use sphere::Sphere;

/// What every shape can answer, in its own frame.
///
/// ```
/// use tumble::{math::{Pose, Vec3}, shape::{Geometry, Ray, Shape}};
/// # fn main() -> tumble::Result<()> {
/// let brick = Shape::cuboid(1.0, 0.5, 0.25)?;
/// assert_eq!(brick.bounds(&Pose::from_translation(Vec3::Y)).max.y, 1.5);
/// assert_eq!(brick.inner_sphere().1, 0.25);
/// assert_eq!(brick.farthest_from(Vec3::new(-1.0, -0.5, -0.25)), Vec3::new(2.0, 1.0, 0.5).length());
/// let hit = brick.cast_ray(&Ray::new(Vec3::new(0.0, 3.0, 0.0), -Vec3::Y), 10.0).unwrap();
/// assert_eq!((hit.t, hit.normal), (2.5, Vec3::Y));
/// assert!((brick.closest_point(Vec3::new(0.0, 0.375, 0.0)).distance + 0.125).abs() < 1e-6); // inside
/// assert!(brick.contains(Vec3::ZERO) && !brick.contains(Vec3::X * 1.5));
/// assert_eq!(brick.mass_properties(2000.0)?.mass, 2000.0);
/// # Ok(())
/// # }
/// ```
pub trait Geometry {
    /// The smallest axis-aligned box that holds the shape placed at `pose`.
    fn bounds(&self, pose: &Pose) -> Aabb;
    /// Centre and radius of a large ball that lies inside; radius 0 for shapes without volume. For convex solids it is
    /// the largest inscribed ball, or one not smaller than half of it.
    fn inner_sphere(&self) -> (Vec3, Real);
    /// The largest distance of a point of the shape from `point`; infinite for unbounded shapes.
    fn farthest_from(&self, point: Vec3) -> Real;
    /// The first point that the ray meets within `max` (in lengths of its direction). A ray that starts inside a solid
    /// hits at 0 with a zero normal.
    fn cast_ray(&self, ray: &Ray, max: Real) -> Option<RayHit>;
    /// The point of the surface that is nearest to `point`, and on which side of the surface `point` lies.
    fn closest_point(&self, point: Vec3) -> Projection;
    /// The point is inside or on the surface. Shapes without volume contain nothing.
    fn contains(&self, point: Vec3) -> bool;
    /// Mass, centre and inertia at this density (kg/m³), computed in `f64`. An error for shapes without a finite volume.
    fn mass_properties(&self, density: f64) -> Result<MassProperties>;
}

/// What a convex shape can answer besides.
///
/// ```
/// use tumble::{math::Vec3, shape::{Convex, Sphere}};
/// let ball = Sphere::new(2.0)?;
/// assert_eq!(ball.support(Vec3::X), Vec3::new(2.0, 0.0, 0.0));
/// # Ok::<(), tumble::Error>(())
/// ```
pub trait Convex: Geometry {
    /// A point of the shape that is farthest along `direction` (any length; for a zero direction any point).
    fn support(&self, direction: Vec3) -> Vec3;
}

/// Any shape.
///
/// ```
/// use tumble::{math::Vec3, shape::{Geometry, Shape}};
/// # fn main() -> tumble::Result<()> {
/// let ground = Shape::half_space(Vec3::Y, 0.0)?;
/// let card = Shape::rectangle(0.03, 0.045)?;
/// let gem = Shape::hull(&[Vec3::X, -Vec3::X, Vec3::Y, -Vec3::Y, Vec3::Z, -Vec3::Z])?;
/// let solids = [
///     Shape::sphere(0.5)?,
///     Shape::cuboid(0.5, 0.5, 0.5)?,
///     Shape::capsule(0.5, 0.2)?,
///     Shape::cylinder(0.5, 0.2)?,
///     Shape::cone(0.5, 0.2)?,
///     gem,
/// ];
/// for shape in &solids {
///     assert!(shape.has_volume() && shape.as_convex().is_some());
///     assert!(shape.mass_properties(1000.0)?.mass > 0.0);
/// }
/// assert!(!card.has_volume() && ground.as_convex().is_none());
/// // What makes no sense is refused.
/// let error = Shape::cuboid(0.5, 0.0, 0.5).unwrap_err();
/// assert_eq!(error.to_string(), "cuboid: half extent y must be positive and finite, got 0");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Shape {
    /// A ball.
    Sphere(Sphere),
    /// A box.
    Cuboid(Cuboid),
    /// A cylinder with round ends.
    Capsule(Capsule),
    /// A cylinder with flat ends.
    Cylinder(Cylinder),
    /// A cone.
    Cone(Cone),
    /// A convex polyhedron.
    Hull(Arc<Hull>),
    /// Everything below a plane.
    HalfSpace(HalfSpace),
    /// A thin, two-sided rectangle.
    Rectangle(Rectangle),
    /// A triangle mesh.
    Mesh(Arc<Mesh>),
    /// A grid of heights.
    HeightField(Arc<HeightField>),
    /// Several shapes as one.
    Compound(Arc<Compound>),
}

/// The same expression for the shape inside, whichever it is.
macro_rules! each {
    ($shape:expr, $s:ident => $answer:expr) => {
        match $shape {
            Shape::Sphere($s) => $answer,
            Shape::Cuboid($s) => $answer,
            Shape::Capsule($s) => $answer,
            Shape::Cylinder($s) => $answer,
            Shape::Cone($s) => $answer,
            Shape::Hull($s) => $answer,
            Shape::HalfSpace($s) => $answer,
            Shape::Rectangle($s) => $answer,
            Shape::Mesh($s) => $answer,
            Shape::HeightField($s) => $answer,
            Shape::Compound($s) => $answer,
        }
    };
}

impl Geometry for Shape {
    // Of what most bodies are, in the registers of the caller; see [`Shape::bounds_of_others`].
    #[inline(always)]
    fn bounds(&self, pose: &Pose) -> Aabb {
        match self {
            Shape::Sphere(s) => s.bounds(pose),
            Shape::Cuboid(s) => s.bounds(pose),
            Shape::Capsule(s) => s.bounds(pose),
            others => others.bounds_of_others(pose),
        }
    }

    fn inner_sphere(&self) -> (Vec3, Real) {
        each!(self, s => s.inner_sphere())
    }

    fn farthest_from(&self, point: Vec3) -> Real {
        each!(self, s => s.farthest_from(point))
    }

    fn cast_ray(&self, ray: &Ray, max: Real) -> Option<RayHit> {
        each!(self, s => s.cast_ray(ray, max))
    }

    fn closest_point(&self, point: Vec3) -> Projection {
        each!(self, s => s.closest_point(point))
    }

    fn contains(&self, point: Vec3) -> bool {
        each!(self, s => s.contains(point))
    }

    fn mass_properties(&self, density: f64) -> Result<MassProperties> {
        each!(self, s => s.mass_properties(density))
    }
}

impl Shape {
    /// [`Geometry::bounds`] of what is neither a ball nor a box nor a capsule.
    #[inline(never)]
    fn bounds_of_others(&self, pose: &Pose) -> Aabb {
        each!(self, s => s.bounds(pose))
    }

    /// It, or a part of it, is made of triangles.
    pub(crate) fn is_meshed(&self) -> bool {
        match self {
            Self::Mesh(_) | Self::HeightField(_) => true,
            Self::Compound(compound) => compound.children().iter().any(|child| child.shape.is_meshed()),
            _ => false,
        }
    }

    /// A ball of this radius about the origin.
    pub fn sphere(radius: Real) -> Result<Self> {
        Sphere::new(radius).map(Self::Sphere)
    }

    /// A box about the origin with these half-extents.
    pub fn cuboid(half_x: Real, half_y: Real, half_z: Real) -> Result<Self> {
        Cuboid::new(Vec3::new(half_x, half_y, half_z)).map(Self::Cuboid)
    }

    /// All points within `radius` of a segment on the y-axis that reaches `half_length` to either side.
    pub fn capsule(half_length: Real, radius: Real) -> Result<Self> {
        Capsule::new(half_length, radius).map(Self::Capsule)
    }

    /// A cylinder about the y-axis.
    pub fn cylinder(half_height: Real, radius: Real) -> Result<Self> {
        Cylinder::new(half_height, radius).map(Self::Cylinder)
    }

    /// A cone about the y-axis, its apex at `half_height`, its base of this radius at -`half_height`.
    pub fn cone(half_height: Real, radius: Real) -> Result<Self> {
        Cone::new(half_height, radius).map(Self::Cone)
    }

    /// The convex hull of the points; see [`Hull::new`].
    pub fn hull(points: &[Vec3]) -> Result<Self> {
        Hull::new(points).map(|hull| Self::Hull(Arc::new(hull)))
    }

    /// Everything below the plane at distance `offset` from the origin along `normal`.
    pub fn half_space(normal: Vec3, offset: Real) -> Result<Self> {
        HalfSpace::new(normal, offset).map(Self::HalfSpace)
    }

    /// A thin, two-sided rectangle in the xz-plane about the origin with these half-extents.
    pub fn rectangle(half_x: Real, half_z: Real) -> Result<Self> {
        Rectangle::new(half_x, half_z).map(Self::Rectangle)
    }

    /// The shape is meant to fill a finite volume, so that it has a mass (a mesh may still turn out not to be closed).
    pub fn has_volume(&self) -> bool {
        match self {
            Self::HalfSpace(_) | Self::Rectangle(_) | Self::HeightField(_) => false,
            Self::Compound(c) => c.children().iter().any(|c| c.shape.has_volume()),
            _ => true,
        }
    }

    /// A triangle mesh.
    ///
    /// ```
    /// use tumble::{math::Vec3, shape::{MeshDesc, Shape}};
    /// let floor = Shape::mesh(MeshDesc::new(vec![Vec3::ZERO, Vec3::Z, Vec3::X], vec![[0, 1, 2]]))?;
    /// # Ok::<(), tumble::Error>(())
    /// ```
    pub fn mesh(desc: MeshDesc) -> Result<Self> {
        Mesh::new(desc).map(|mesh| Self::Mesh(Arc::new(mesh)))
    }

    /// A grid of heights.
    ///
    /// ```
    /// use tumble::shape::{HeightFieldDesc, Shape};
    /// let hill = Shape::height_field(HeightFieldDesc::new(3, 3, 10.0, 10.0, vec![0., 0., 0., 0., 2., 0., 0., 0., 0.]))?;
    /// # Ok::<(), tumble::Error>(())
    /// ```
    pub fn height_field(desc: HeightFieldDesc) -> Result<Self> {
        HeightField::new(desc).map(|field| Self::HeightField(Arc::new(field)))
    }

    /// Several shapes as one.
    ///
    /// ```
    /// use tumble::{math::{Pose, Vec3}, shape::{CompoundChild, Shape}};
    /// let ball = Shape::sphere(0.2)?;
    /// let ends = [Vec3::X, -Vec3::X].map(|at| CompoundChild::new(ball.clone(), Pose::from_translation(at)));
    /// let dumbbell = Shape::compound(ends.to_vec())?;
    /// # Ok::<(), tumble::Error>(())
    /// ```
    pub fn compound(children: Vec<CompoundChild>) -> Result<Self> {
        Compound::new(children).map(|compound| Self::Compound(Arc::new(compound)))
    }

    /// The shape as one with a support mapping, if it is convex and bounded.
    pub fn as_convex(&self) -> Option<&dyn Convex> {
        match self {
            Self::Sphere(s) => Some(s),
            Self::Cuboid(s) => Some(s),
            Self::Capsule(s) => Some(s),
            Self::Cylinder(s) => Some(s),
            Self::Cone(s) => Some(s),
            Self::Hull(s) => Some(s.as_ref()),
            Self::Rectangle(s) => Some(s),
            Self::HalfSpace(_) => None,
            Self::Mesh(_) | Self::HeightField(_) | Self::Compound(_) => None,
        }
    }
}

/// A length above zero, or the error that says which was not.
pub(crate) fn positive(shape: &'static str, property: &'static str, value: Real) -> Result<Real> {
    if value > 0.0 && value.is_finite() {
        Ok(value)
    } else {
        Err(Error::value(shape, property, "positive and finite", value))
    }
}

/// A length that may be zero, or the error that says which was not.
pub(crate) fn not_negative(shape: &'static str, property: &'static str, value: Real) -> Result<Real> {
    if value >= 0.0 && value.is_finite() {
        Ok(value)
    } else {
        Err(Error::value(shape, property, "zero or positive, and finite", value))
    }
}
