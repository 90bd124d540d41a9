//! How far two colliders are apart.

use super::parts::{search_pairs, swallows};
use crate::detect::narrow::{ConvexRef, Distance, closest_points};
use crate::error::{Error, Result};
use crate::id::ColliderId;
use crate::math::{Float, Point, Pose, Real, Vec3};
use crate::shape::{HalfSpace, Shape};
use crate::world::State;

/// The nearest points of two colliders, or the deepest where they overlap.
///
/// ```
/// use tumble::{BodyDesc, Separation, World, shape::Shape};
/// # fn main() -> tumble::Result<()> {
/// let mut world = World::new();
/// let a = world.add_body(BodyDesc::fixed())?;
/// let b = world.add_body(BodyDesc::fixed().position([3.0, 0.0, 0.0]))?;
/// let (a, b) = (world.add_collider(a, Shape::sphere(0.5)?)?, world.add_collider(b, Shape::sphere(0.5)?)?);
/// let apart: Separation = world.distance(a, b)?;
/// assert!((apart.distance - 2.0).abs() < 1e-6);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Separation {
    /// Distance in metres, or minus the depth of the overlap. The depth is exact between convex shapes; of shapes with several
    /// parts it is that of the two that overlap most. For something that lies wholly inside a solid mesh it is the distance to
    /// its surface; for two half-spaces that no shift can part it is infinite.
    pub distance: Real,
    /// Point of the first collider's surface, in the world.
    pub point_a: Point,
    /// Point of the second collider's surface, in the world.
    pub point_b: Point,
    /// Unit vector from the first to the second. Moving the second along it by -`distance` makes overlapping convex
    /// shapes touch.
    pub normal: Vec3,
    /// Which part of the first: the triangle of a mesh or height field, the child of a compound; else 0.
    pub part_a: u32,
    /// Which part of the second.
    pub part_b: u32,
}

impl State {
    pub(crate) fn separation(&self, a: ColliderId, b: ColliderId) -> Result<Separation> {
        let (ca, cb) = (self.colliders.get(a)?, self.colliders.get(b)?);
        if a == b {
            return Err(Error::refused(a, "a collider has no distance from itself"));
        }
        let place = |c: &crate::body::collider::Collider| self.bodies.placed(self.bodies.dense_at(c.body), &c.pose);
        let pose = place(ca);
        let Some((gap, part_a, part_b)) = between(&ca.shape, &cb.shape, &place(cb).relative_to(&pose)) else {
            return Err(Error::refused(a, format!("its distance from {b} is beyond the range of numbers")));
        };
        Ok(Separation {
            distance: gap.separation,
            point_a: pose.transform_point(gap.point_a),
            point_b: pose.transform_point(gap.point_b),
            normal: pose.rotation.rotate(gap.normal),
            part_a,
            part_b,
        })
    }
}

/// The distance of two shapes in A's frame with the parts that it was found on; `None` where it is no number.
fn between(a: &Shape, b: &Shape, b_in_a: &Pose) -> Option<(Distance, u32, u32)> {
    let mut best: Option<(Distance, u32, u32)> = None;
    search_pairs(a, b, b_in_a, f64::INFINITY, &mut |part_a, part_b, pose, limit| {
        let gap = match (part_a.convex, part_b.convex) {
            (ConvexRef::HalfSpace(p), ConvexRef::HalfSpace(q)) => of_planes(p, q, pose),
            (p, q) => closest_points(p, q, pose),
        };
        let key = |gap: &Distance, i: u32, j: u32| (gap.separation, i, j);
        let this = key(&gap, part_a.index, part_b.index);
        if gap.separation.is_nan() || best.as_ref().is_some_and(|(g, i, j)| this >= key(g, *i, *j)) {
            return limit;
        }
        let gap = Distance {
            separation: gap.separation,
            point_a: part_a.pose.transform_point(gap.point_a),
            point_b: part_a.pose.transform_point(gap.point_b),
            normal: part_a.pose.rotation.rotate(gap.normal),
        };
        best = Some((gap, part_a.index, part_b.index));
        // Among parts that overlap the deepest is sought; a box says nothing about depth.
        let free = if gap.separation > 0.0 { gap.separation.to_f64() } else { 0.0 };
        free * free * (1.0 + 16.0 * Real::EPSILON.to_f64())
    });
    let (gap, part_a, part_b) = best?;
    let inside =
        gap.separation > 0.0 && (swallows(a, b, b_in_a).is_some() || swallows(b, a, &b_in_a.inverse()).is_some());
    let gap = if inside { Distance { separation: -gap.separation, normal: -gap.normal, ..gap } } else { gap };
    Some((gap, part_a, part_b))
}

/// Two half-spaces that look at each other across a gap. All others overlap, and unless they look straight at each other
/// no shift parts them.
pub(super) fn apart_for_ever(a: &HalfSpace, b: &HalfSpace, b_in_a: &Pose) -> bool {
    of_planes(a, b, b_in_a).separation > 0.0
}

fn of_planes(a: &HalfSpace, b: &HalfSpace, b_in_a: &Pose) -> Distance {
    let gap = closest_points(ConvexRef::HalfSpace(a), ConvexRef::HalfSpace(b), b_in_a);
    let facing = b_in_a.rotation.rotate(b.normal());
    let opposite = facing.dot(a.normal()) < 0.0 && facing.cross(a.normal()).length() <= 16.0 * Real::EPSILON;
    if opposite { gap } else { Distance { separation: Real::NEG_INFINITY, ..gap } }
}
