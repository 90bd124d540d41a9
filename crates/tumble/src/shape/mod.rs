//! Shapes: what bodies are made of, how heavy they are, and what a ray or a point meets.
//!
//! A shape is immutable and cheap to clone: small ones are stored in place, large ones behind an `Arc`, so that any
//! number of colliders and worlds share one copy. Every shape lives in its own frame; a collider places it on a body.

mod bvh;
mod capsule;
mod compound;
mod cone;
mod cuboid;
mod cylinder;
mod half_space;
mod height_field;
mod hull;
mod hull_build;
mod mass;
mod mesh;
mod polyhedron_mass;
mod query;
mod rectangle;
mod sphere;

use crate::error::Result;
use crate::math::{Aabb, Pose, Real, Vec3};
use std::sync::Arc;

pub use bvh::Bvh;
pub use capsule::Capsule;
pub use compound::{Compound, CompoundChild};
pub use cone::Cone;
pub use cuboid::Cuboid;
pub use cylinder::Cylinder;
pub use half_space::HalfSpace;
pub use height_field::HeightField;
pub use hull::{HalfEdge, Hull, HullFace};
pub use mass::MassProperties;
pub use mesh::{Mesh, MeshDesc, Sides};
pub use query::{Projection, Ray, RayHit};
pub use rectangle::Rectangle;
pub use sphere::Sphere;

/// What every shape can answer, in its own frame.
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
pub trait Convex: Geometry {
    /// A point of the shape that is farthest along `direction` (any length; for a zero direction any point).
    fn support(&self, direction: Vec3) -> Vec3;
}

/// Any shape.
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
