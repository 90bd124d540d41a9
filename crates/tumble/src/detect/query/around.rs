//! What is near a shape.

use super::cast::check_place;
use super::filter::{QueryFilter, Seen};
use super::parts::{roomy, search_pairs, swallows};
use crate::detect::narrow::{ConvexRef, Distance, Triangle, closest_points};
use crate::error::{Error, Result};
use crate::id::{BodyId, ColliderId};
use crate::math::{Float, Num, Point, Pose, Real, Vec3, WorldPose};
use crate::shape::{Convex, Geometry, Shape};
use crate::world::State;

/// Sine of the angle to a triangle's plane below which a normal counts as one of its edge.
const SIDEWAYS: Real = 0.05;

/// A convex part of a collider that is near a placed shape, or overlaps it.
///
/// ```
/// use tumble::{BodyDesc, Nearby, QueryFilter, World, math::{Vec3, WorldPose}, shape::Shape};
/// # fn main() -> tumble::Result<()> {
/// let mut world = World::new();
/// world.add_body(BodyDesc::fixed().collider(Shape::half_space(Vec3::Y, 0.0)?))?;
/// let mut found: Vec<Nearby> = Vec::new();
/// let place = WorldPose::from_translation([0.0, 0.5, 0.0]);
/// world.near_shape(&Shape::sphere(0.25)?, place, 1.0, &QueryFilter::new(), &mut found)?;
/// assert!((found[0].distance - 0.25).abs() < 1e-6);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearby {
    /// The collider.
    pub collider: ColliderId,
    /// Its body.
    pub body: BodyId,
    /// How far the shape is from this part, in metres, or minus the depth of the overlap.
    pub distance: Real,
    /// Unit normal from the part towards the shape. Moving the shape along it by -`distance` takes it out of an overlap. One-sided
    /// triangles push to their front only.
    pub normal: Vec3,
    /// The point of the part that is nearest to the shape or deepest in it, in the world.
    pub point: Point,
    /// Which part: the triangle of a mesh or height field, the child of a compound; else 0.
    pub part: u32,
}

impl Nearby {
    pub(crate) fn order(&self, o: &Self) -> core::cmp::Ordering {
        self.distance.total_cmp(&o.distance).then((self.collider, self.part).cmp(&(o.collider, o.part)))
    }
}

impl State {
    /// Calls `found` with every part of a collider within `max` metres of the convex shape placed at `pose`, in no order.
    pub(crate) fn around_shape(
        &self,
        shape: &Shape,
        pose: &WorldPose,
        max: Real,
        filter: &QueryFilter,
        mut found: impl FnMut(Nearby),
    ) -> Result<()> {
        const SUBJECT: &str = "near shape";
        check_place(SUBJECT, pose)?;
        if !(max >= 0.0 && max.is_finite()) {
            return Err(Error::value(SUBJECT, "largest distance", "zero or positive and finite", max));
        }
        let Some(convex) = shape.as_convex() else {
            return Err(Error::refused(SUBJECT, "only what is near a bounded convex shape can be asked for"));
        };
        let pose = WorldPose::new(pose.translation, pose.rotation.normalized());
        let bounds = shape.bounds(&Pose::new(Vec3::ZERO, pose.rotation)).expanded(max);
        let bounds = roomy(bounds).moved_to(pose.translation);
        let mut visit = |proxy: u32| {
            if let Some(seen) = filter.sees(self, proxy) {
                seen.around(shape, convex, &pose, max, &mut found);
            }
            true
        };
        let _ = filter.trees(self).all(|tree| tree.overlap(&bounds, filter.mask, &mut visit));
        Ok(())
    }
}

impl Seen<'_> {
    fn around(&self, shape: &Shape, convex: &dyn Convex, pose: &WorldPose, max: Real, found: &mut impl FnMut(Nearby)) {
        let own = &self.collider.shape;
        let placed = pose.relative_to(&self.pose);
        let mut tell = |gap: &Distance, part: u32| {
            found(Nearby {
                collider: self.id,
                body: self.body,
                distance: gap.separation,
                normal: self.pose.rotation.rotate(gap.normal),
                point: self.pose.transform_point(gap.point_a),
                part,
            });
        };
        if let Some((part, _)) = swallows(own, shape, &placed) {
            // Its surface may be far away; the nearest place of it is the way out.
            if let Some(way) = way_out(own, shape, convex, &placed) {
                tell(&way, part);
            }
            return;
        }
        let limit = max.to_f64() * max.to_f64() * (1.0 + 16.0 * Real::EPSILON.to_f64());
        search_pairs(own, shape, &placed, limit, &mut |part, mine, b_in_a, limit| {
            let gap = closest_points(part.convex, mine.convex, b_in_a);
            if let Some(gap) = front(part.convex, convex, b_in_a.transform_point(mine.convex.centre()), b_in_a, gap)
                && gap.separation <= max
            {
                let (point_a, normal) = (part.pose.transform_point(gap.point_a), part.pose.rotation.rotate(gap.normal));
                tell(&Distance { point_a, normal, ..gap }, part.index);
            }
            limit
        });
    }
}

/// The same distance, as far as a one-sided triangle has it: it touches only shapes whose centre is in front of it, and lets them
/// out to its front.
fn front(part: ConvexRef, shape: &dyn Convex, centre: Vec3, b_in_a: &Pose, gap: Distance) -> Option<Distance> {
    let ConvexRef::Triangle(triangle) = part else { return gap.separation.is_finite().then_some(gap) };
    if triangle.two_sided {
        return Some(gap);
    }
    let face = face(triangle)?;
    if (centre - triangle.vertices[0]).dot(face) < 0.0 {
        return None;
    }
    // Beside it, it is as good as anything else; only what would push to the back is turned round.
    if gap.normal.dot(face) > -SIDEWAYS {
        return Some(gap);
    }
    if gap.separation > 0.0 {
        return None;
    }
    let lowest = b_in_a.transform_point(shape.support(b_in_a.rotation.unrotate(-face)));
    let separation = (lowest - triangle.vertices[0]).dot(face);
    Some(Distance { separation, point_a: gap.point_a, point_b: lowest, normal: face })
}

/// For a shape whose centre lies inside a solid mesh: the face that it has the shortest way out of.
fn way_out(own: &Shape, shape: &Shape, convex: &dyn Convex, placed: &Pose) -> Option<Distance> {
    let mut best: Option<Distance> = None;
    search_pairs(own, shape, placed, f64::INFINITY, &mut |part, mine, b_in_a, limit| {
        let ConvexRef::Triangle(triangle) = part.convex else { return limit };
        let Some(face) = face(triangle) else { return limit };
        let gap = closest_points(part.convex, mine.convex, b_in_a);
        let lowest = b_in_a.transform_point(convex.support(b_in_a.rotation.unrotate(-face)));
        let depth = (lowest - triangle.vertices[0]).dot(face);
        if depth < 0.0 && best.is_none_or(|b| depth > b.separation) {
            best = Some(Distance {
                separation: depth,
                point_a: part.pose.transform_point(gap.point_a),
                point_b: part.pose.transform_point(lowest),
                normal: part.pose.rotation.rotate(face),
            });
        }
        // No face can be left by less than the distance to it.
        best.map_or(limit, |b| Num::min(b.separation.to_f64() * b.separation.to_f64(), limit))
    });
    best
}

/// Unit normal of the front.
fn face(triangle: &Triangle) -> Option<Vec3> {
    let [p, q, r] = triangle.vertices;
    (q - p).cross(r - p).try_normalize()
}
