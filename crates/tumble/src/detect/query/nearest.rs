//! What is nearest to a point of the world.

use super::filter::{QueryFilter, Seen};
use crate::error::{Error, Result};
use crate::id::{BodyId, ColliderId};
use crate::math::{Aabb, Float, Num, Point, Real, Vec3};
use crate::shape::{Geometry, Projection, Shape};
use crate::world::State;

/// The point of a collider that is nearest to a given point.
///
/// ```
/// use tumble::{BodyDesc, QueryFilter, World, math::Vec3, shape::Shape};
/// # fn main() -> tumble::Result<()> {
/// let mut world = World::new();
/// let floor = world.add_body(BodyDesc::fixed().collider(Shape::half_space(Vec3::Y, 0.0)?))?;
/// let near = world.closest_point([3.0, 2.0, 0.0], 5.0, &QueryFilter::new())?.unwrap();
/// assert_eq!((near.body, near.distance, near.point.to_array()), (floor, 2.0, [3.0, 0.0, 0.0]));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointHit {
    /// Whose point it is.
    pub collider: ColliderId,
    /// Its body.
    pub body: BodyId,
    /// The nearest point of its surface, in the world.
    pub point: Point,
    /// Unit normal of the surface there, out of the collider. Away from the surface it is parallel to the line that
    /// joins the two points.
    pub normal: Vec3,
    /// How far the surface is, in metres; negative where the given point lies inside the collider.
    pub distance: f64,
    /// Which part of the collider's shape: the face of a hull or box, the triangle of a mesh or height field, the child
    /// of a compound; else 0.
    pub part: u32,
}

impl PointHit {
    /// Nearer, or as near with a smaller id.
    pub(crate) fn is_before(&self, o: &Self) -> bool {
        self.order(o).is_lt()
    }

    pub(crate) fn order(&self, o: &Self) -> core::cmp::Ordering {
        self.distance.total_cmp(&o.distance).then(self.collider.cmp(&o.collider))
    }
}

/// What is wrong with the point or the distance, if anything.
pub(crate) fn check_point(point: Point, max: f64) -> Result<()> {
    const SUBJECT: &str = "closest point";
    if !point.is_finite() {
        return Err(Error::value(SUBJECT, "point", "finite", format_args!("{:?}", point.to_array())));
    }
    if max.is_nan() || max < 0.0 {
        return Err(Error::value(SUBJECT, "largest distance", "zero or positive", max));
    }
    Ok(())
}

impl State {
    /// Calls `found` with the nearest point of each collider within `max` metres of the point, in no order. It answers
    /// the distance of interest from then on. The input has been checked.
    pub(crate) fn around_point(
        &self,
        point: Point,
        max: f64,
        filter: &QueryFilter,
        mut found: impl FnMut(PointHit) -> f64,
    ) {
        // A distance may be negative, that of boxes is not; room for the rounding of its square.
        let squared = |limit: f64| {
            let limit = Num::max(limit, 0.0);
            Real::from_f64(limit * limit) * (1.0 + 16.0 * Real::EPSILON)
        };
        let mut limit = max;
        let from = Aabb::at(point);
        for tree in filter.trees(self) {
            tree.closest(&from, squared(limit), filter.mask, |proxy, _, max| {
                let Some(seen) = filter.sees(self, proxy) else { return max };
                let Some(hit) = seen.nearest_to(point, filter.solid) else { return max };
                if hit.distance > limit {
                    return max;
                }
                limit = found(hit);
                squared(limit)
            });
        }
    }
}

impl Seen<'_> {
    fn nearest_to(&self, point: Point, solid: bool) -> Option<PointHit> {
        let turn = self.pose.rotation.to_f64().normalized();
        let local = turn.unrotate(point - self.pose.translation);
        let (on_surface, normal, distance, part) = match &self.collider.shape {
            // In double precision: it has no size that would keep the point near its origin.
            Shape::HalfSpace(ground) => {
                let normal = ground.normal().to_f64();
                let height = normal.dot(local) - ground.offset().to_f64();
                if height <= 0.0 && !solid {
                    return None;
                }
                (local.add_scaled(normal, -height), ground.normal(), height, 0)
            }
            shape => {
                let near = closest(shape, local.to_real(), solid)?;
                (near.point.to_f64(), near.normal, near.distance.to_f64(), near.part)
            }
        };
        // Too far away for numbers is not near.
        distance.is_finite().then(|| PointHit {
            collider: self.id,
            body: self.body,
            point: self.pose.translation + turn.rotate(on_surface),
            normal: self.pose.rotation.rotate(normal),
            distance,
            part,
        })
    }
}

/// [`Geometry::closest_point`], or without `solid` the same for whatever parts of the shape do not hold the point.
fn closest(shape: &Shape, point: Vec3, solid: bool) -> Option<Projection> {
    if solid {
        return Some(shape.closest_point(point));
    }
    let Shape::Compound(compound) = shape else {
        return (!shape.contains(point)).then(|| shape.closest_point(point));
    };
    let mut best: Option<Projection> = None;
    compound.bvh().around_point(point.to_f64(), f64::INFINITY, |k, limit| {
        let child = &compound.children()[k as usize];
        let Some(near) = closest(&child.shape, child.pose.inverse_transform_point(point), false) else { return limit };
        if best.is_some_and(|b| near.distance > b.distance || (near.distance == b.distance && b.part < k)) {
            return limit;
        }
        best = Some(Projection {
            point: child.pose.transform_point(near.point),
            normal: child.pose.rotation.rotate(near.normal),
            distance: near.distance,
            part: k,
        });
        near.distance.to_f64() * near.distance.to_f64()
    });
    best
}
