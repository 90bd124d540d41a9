//! Questions about a world.

use super::World;
use crate::detect::query::{CastHit, Nearby, PointHit, QueryFilter, RayCast, Separation, ShapeCast, check_point};
use crate::error::Result;
use crate::id::ColliderId;
use crate::math::{Point, Real, Vec3, WorldPose};
use crate::shape::Shape;

// Queries take `&World`, and a user may ask from any number of threads at once.
const _: fn() = || {
    fn shared_between_threads<T: Send + Sync>() {}
    shared_between_threads::<World>();
    shared_between_threads::<QueryFilter<'_>>();
};

/// # Queries
///
/// Queries see bodies where they are at the moment of asking, also those that were added or moved since the last step.
/// They may run on several threads at once. Forms that give one hit allocate nothing; the others fill a
/// vector of the caller's, which keeps its memory.
impl World {
    /// The first collider that a ray meets.
    ///
    /// A ray that starts inside something solid hits it at distance 0 with a zero normal, unless
    /// [`QueryFilter::solid`] is off. One-sided meshes and height fields are met from their front only. Of several colliders at
    /// the same distance, the one of the smallest id counts. A ray with a NaN, an infinite origin or no direction is refused.
    ///
    /// ```
    /// use tumble::{BodyDesc, QueryFilter, RayCast, World, math::Vec3, shape::Shape};
    /// # fn main() -> tumble::Result<()> {
    /// let mut world = World::new();
    /// let crate_ = world.add_body(BodyDesc::dynamic().position([0.0, 2.0, 0.0]).collider(Shape::cuboid(0.5, 0.5, 0.5)?))?;
    /// let down = RayCast::new([0.0, 10.0, 0.0], [0.0, -1.0, 0.0], 100.0);
    /// let hit = world.cast_ray(&down, &QueryFilter::new())?.unwrap();
    /// assert_eq!((hit.body, hit.normal), (crate_, Vec3::Y));
    /// assert!((hit.distance - 7.5).abs() < 1e-6 && (hit.point.y - 2.5).abs() < 1e-6);
    ///
    /// // The body is seen where it is now, without a step.
    /// world.body_mut(crate_)?.set_position([5.0, 2.0, 0.0])?;
    /// assert_eq!(world.cast_ray(&down, &QueryFilter::new())?, None);
    /// # Ok(())
    /// # }
    /// ```
    pub fn cast_ray(&self, ray: &RayCast, filter: &QueryFilter) -> Result<Option<CastHit>> {
        self.whole()?;
        ray.check(None)?;
        Ok(self.first_on_ray(ray, filter))
    }

    /// Whether a ray meets anything. Cheaper than asking for the first: nothing is compared.
    ///
    /// ```
    /// use tumble::{BodyDesc, QueryFilter, RayCast, World, math::Vec3, shape::Shape};
    /// # fn main() -> tumble::Result<()> {
    /// let mut world = World::new();
    /// world.add_body(BodyDesc::fixed().collider(Shape::half_space(Vec3::Y, 0.0)?))?;
    /// let in_sight = |a, b| world.cast_ray_any(&RayCast::between(a, b), &QueryFilter::new()).map(|hit| !hit);
    /// assert!(in_sight([0.0, 1.0, 0.0], [50.0, 1.0, 0.0])?);
    /// assert!(!in_sight([0.0, 1.0, 0.0], [50.0, -1.0, 0.0])?);
    /// # Ok(())
    /// # }
    /// ```
    pub fn cast_ray_any(&self, ray: &RayCast, filter: &QueryFilter) -> Result<bool> {
        self.whole()?;
        ray.check(None)?;
        let mut any = false;
        self.state.along_ray(ray, filter, |_| {
            any = true;
            -1.0
        });
        Ok(any)
    }

    /// Every collider that a ray meets, each where it is met first, by distance and then by id. `hits` is emptied before.
    ///
    /// ```
    /// use tumble::{BodyDesc, QueryFilter, RayCast, World, shape::Shape};
    /// # fn main() -> tumble::Result<()> {
    /// let mut world = World::new();
    /// for x in [6.0, 2.0, 4.0] {
    ///     world.add_body(BodyDesc::fixed().position([x, 0.0, 0.0]).collider(Shape::sphere(0.5)?))?;
    /// }
    /// let mut hits = Vec::new();
    /// world.cast_ray_all(&RayCast::new([0.0; 3], [1.0, 0.0, 0.0], 5.0), &QueryFilter::new(), &mut hits)?;
    /// let distances: Vec<f64> = hits.iter().map(|hit| hit.distance).collect();
    /// assert_eq!(distances, [1.5, 3.5]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn cast_ray_all(&self, ray: &RayCast, filter: &QueryFilter, hits: &mut Vec<CastHit>) -> Result<()> {
        self.whole()?;
        hits.clear();
        ray.check(None)?;
        self.state.along_ray(ray, filter, |hit| {
            hits.push(hit);
            ray.max
        });
        hits.sort_unstable_by(CastHit::order);
        Ok(())
    }

    pub(super) fn first_on_ray(&self, ray: &RayCast, filter: &QueryFilter) -> Option<CastHit> {
        let mut first: Option<CastHit> = None;
        self.state.along_ray(ray, filter, |hit| match &mut first {
            Some(best) if !hit.is_before(best) => best.distance,
            best => best.insert(hit).distance,
        });
        first
    }

    /// The first collider that a moving shape meets, and how far it gets.
    ///
    /// A shape that overlaps something from the start hits it at distance 0, unless [`QueryFilter::solid`] is off. One
    /// that merely touches is stopped only if it moves into what it touches, so a box slides along the floor it
    /// stands on; one that turns is stopped by any touch. Distances are right to about 1e-5 of the smaller shape, and
    /// short rather than long. One-sided meshes and height fields stop what moves against their front.
    /// Shapes that cannot be cast and motions that are not finite are refused.
    ///
    /// ```
    /// use tumble::{BodyDesc, QueryFilter, ShapeCast, World, math::{Vec3, WorldPose}, shape::Shape};
    /// # fn main() -> tumble::Result<()> {
    /// let mut world = World::new();
    /// let wall = world.add_body(BodyDesc::fixed().position([5.0, 0.0, 0.0]).collider(Shape::cuboid(0.1, 2.0, 2.0)?))?;
    /// let ball = Shape::sphere(0.4)?;
    /// let throw = ShapeCast::new(&ball, WorldPose::IDENTITY, [10.0, 0.0, 0.0]);
    /// let hit = world.cast_shape(&throw, &QueryFilter::new())?.unwrap();
    /// assert_eq!(hit.body, wall);
    /// assert!((hit.distance - 4.5).abs() < 1e-4 && (hit.fraction - 0.45).abs() < 1e-5);
    /// assert!((hit.point.x - 4.9).abs() < 1e-4 && (hit.normal - -Vec3::X).length() < 1e-4);
    /// # Ok(())
    /// # }
    /// ```
    pub fn cast_shape(&self, cast: &ShapeCast, filter: &QueryFilter) -> Result<Option<CastHit>> {
        self.whole()?;
        cast.check()?;
        Ok(self.first_on_cast(cast, filter))
    }

    pub(super) fn first_on_cast(&self, cast: &ShapeCast, filter: &QueryFilter) -> Option<CastHit> {
        self.first_facing(cast, filter, &|_| true)
    }

    /// As [`World::cast_shape`], but parts of colliders that it meets at a normal which does not count are passed over.
    pub(crate) fn cast_shape_facing(
        &self,
        cast: &ShapeCast,
        filter: &QueryFilter,
        counts: &dyn Fn(Vec3) -> bool,
    ) -> Result<Option<CastHit>> {
        self.whole()?;
        cast.check()?;
        Ok(self.first_facing(cast, filter, counts))
    }

    fn first_facing(&self, cast: &ShapeCast, filter: &QueryFilter, counts: &dyn Fn(Vec3) -> bool) -> Option<CastHit> {
        let mut first: Option<CastHit> = None;
        let mut limit = f64::INFINITY;
        self.state.along_cast(cast, filter, counts, |hit, at| {
            if first.is_none_or(|best| hit.is_before(&best)) {
                first = Some(hit);
                limit = at;
            }
            limit
        });
        first
    }

    /// Whether a moving shape meets anything.
    ///
    /// ```
    /// use tumble::{QueryFilter, ShapeCast, World, math::WorldPose, shape::Shape};
    /// let world = World::new();
    /// let ball = Shape::sphere(0.4)?;
    /// let throw = ShapeCast::new(&ball, WorldPose::IDENTITY, [10.0, 0.0, 0.0]);
    /// assert!(!world.cast_shape_any(&throw, &QueryFilter::new())?);
    /// # Ok::<(), tumble::Error>(())
    /// ```
    pub fn cast_shape_any(&self, cast: &ShapeCast, filter: &QueryFilter) -> Result<bool> {
        self.whole()?;
        cast.check()?;
        let mut any = false;
        self.state.along_cast(cast, filter, &|_| true, |_, _| {
            any = true;
            -1.0
        });
        Ok(any)
    }

    /// Every collider that a moving shape meets, as if each were alone, by distance and then by id. `hits` is emptied before.
    ///
    /// ```
    /// use tumble::{BodyDesc, QueryFilter, ShapeCast, World, math::WorldPose, shape::Shape};
    /// # fn main() -> tumble::Result<()> {
    /// let mut world = World::new();
    /// for x in [6.0, 3.0] {
    ///     world.add_body(BodyDesc::fixed().position([x, 0.0, 0.0]).collider(Shape::sphere(0.5)?))?;
    /// }
    /// let bar = Shape::capsule(1.0, 0.5)?;
    /// let mut hits = Vec::new();
    /// let sweep = ShapeCast::new(&bar, WorldPose::IDENTITY, [10.0, 0.0, 0.0]);
    /// world.cast_shape_all(&sweep, &QueryFilter::new(), &mut hits)?;
    /// assert!((hits[0].distance - 2.0).abs() < 1e-4 && (hits[1].distance - 5.0).abs() < 1e-4);
    /// # Ok(())
    /// # }
    /// ```
    pub fn cast_shape_all(&self, cast: &ShapeCast, filter: &QueryFilter, hits: &mut Vec<CastHit>) -> Result<()> {
        self.whole()?;
        hits.clear();
        cast.check()?;
        self.state.along_cast(cast, filter, &|_| true, |hit, _| {
            hits.push(hit);
            f64::INFINITY
        });
        hits.sort_unstable_by(CastHit::order);
        Ok(())
    }

    /// The colliders that a shape placed at `pose` overlaps or touches, by id. `found` is emptied before.
    ///
    /// Any shape will do. Solid meshes (closed and one-sided) count with their inside; other meshes and height fields are
    /// surfaces, overlapped from either side.
    ///
    /// ```
    /// use tumble::{BodyDesc, QueryFilter, World, math::WorldPose, shape::Shape};
    /// # fn main() -> tumble::Result<()> {
    /// let mut world = World::new();
    /// let near = world.add_body(BodyDesc::dynamic().position([0.8, 0.0, 0.0]).collider(Shape::sphere(0.5)?))?;
    /// world.add_body(BodyDesc::dynamic().position([3.0, 0.0, 0.0]).collider(Shape::sphere(0.5)?))?;
    /// let blast = Shape::sphere(1.0)?;
    /// let mut found = Vec::new();
    /// world.overlap_shape(&blast, WorldPose::IDENTITY, &QueryFilter::new(), &mut found)?;
    /// assert_eq!(found.len(), 1);
    /// assert_eq!(world.collider(found[0])?.body(), near);
    /// # Ok(())
    /// # }
    /// ```
    pub fn overlap_shape(
        &self,
        shape: &Shape,
        pose: WorldPose,
        filter: &QueryFilter,
        found: &mut Vec<ColliderId>,
    ) -> Result<()> {
        self.whole()?;
        found.clear();
        self.state.overlapping(shape, &pose, filter, |id| {
            found.push(id);
            true
        })?;
        found.sort_unstable();
        Ok(())
    }

    /// Whether a shape placed at `pose` overlaps or touches anything.
    ///
    /// ```
    /// use tumble::{QueryFilter, World, math::WorldPose, shape::Shape};
    /// let world = World::new();
    /// let room = Shape::cuboid(1.0, 1.0, 1.0)?;
    /// assert!(!world.overlap_shape_any(&room, WorldPose::IDENTITY, &QueryFilter::new())?);
    /// # Ok::<(), tumble::Error>(())
    /// ```
    pub fn overlap_shape_any(&self, shape: &Shape, pose: WorldPose, filter: &QueryFilter) -> Result<bool> {
        self.whole()?;
        let mut any = false;
        self.state.overlapping(shape, &pose, filter, |_| {
            any = true;
            false
        })?;
        Ok(any)
    }

    /// The colliders whose bounding boxes overlap or touch the box between two corners, by id. `found` is emptied
    /// before. The corners may be infinite.
    ///
    /// A quick look at a region of the world, in which a collider may turn out to be absent though its box is there.
    /// [`World::overlap_shape`] with a cuboid looks at the shapes themselves.
    ///
    /// ```
    /// use tumble::{BodyDesc, QueryFilter, World, shape::Shape};
    /// # fn main() -> tumble::Result<()> {
    /// let mut world = World::new();
    /// for x in 0..100 {
    ///     world.add_body(BodyDesc::dynamic().position([x as f64, 0.0, 0.0]).collider(Shape::sphere(0.2)?))?;
    /// }
    /// let mut found = Vec::new();
    /// world.overlap_box([9.5, -1.0, -1.0], [12.5, 1.0, 1.0], &QueryFilter::new(), &mut found)?;
    /// assert_eq!(found.len(), 3);
    /// # Ok(())
    /// # }
    /// ```
    pub fn overlap_box(
        &self,
        min: impl Into<Point>,
        max: impl Into<Point>,
        filter: &QueryFilter,
        found: &mut Vec<ColliderId>,
    ) -> Result<()> {
        self.whole()?;
        found.clear();
        self.state.in_box(min.into(), max.into(), filter, |id| {
            found.push(id);
            true
        })?;
        found.sort_unstable();
        Ok(())
    }

    /// The point of all colliders that is nearest to `point`, if one is within `max` metres.
    ///
    /// Inside a solid the distance is negative, and of several solids that hold the point the one in which it lies deepest
    /// counts; with [`QueryFilter::solid`] off they are passed over. Of several colliders at the same distance, the
    /// one of the smallest id counts.
    ///
    /// ```
    /// use tumble::{BodyDesc, QueryFilter, World, math::Vec3, shape::Shape};
    /// # fn main() -> tumble::Result<()> {
    /// let mut world = World::new();
    /// let pillar = world.add_body(BodyDesc::fixed().collider(Shape::cylinder(2.0, 0.5)?))?;
    /// let near = world.closest_point([2.0, 1.0, 0.0], 10.0, &QueryFilter::new())?.unwrap();
    /// assert_eq!((near.body, near.distance, near.normal), (pillar, 1.5, Vec3::X));
    /// assert_eq!(world.closest_point([2.0, 1.0, 0.0], 1.0, &QueryFilter::new())?, None);
    /// # Ok(())
    /// # }
    /// ```
    pub fn closest_point(&self, point: impl Into<Point>, max: f64, filter: &QueryFilter) -> Result<Option<PointHit>> {
        self.whole()?;
        let point = point.into();
        check_point(point, max)?;
        Ok(self.nearest_to(point, max, filter))
    }

    pub(super) fn nearest_to(&self, point: Point, max: f64, filter: &QueryFilter) -> Option<PointHit> {
        let mut nearest: Option<PointHit> = None;
        self.state.around_point(point, max, filter, |hit| match &mut nearest {
            Some(best) if !hit.is_before(best) => best.distance,
            best => best.insert(hit).distance,
        });
        nearest
    }

    /// The nearest point of every collider within `max` metres of `point`, by distance and then by id. `hits` is emptied
    /// before. With a `max` of 0 these are the colliders that hold the point.
    ///
    /// ```
    /// use tumble::{BodyDesc, QueryFilter, World, shape::Shape};
    /// # fn main() -> tumble::Result<()> {
    /// let mut world = World::new();
    /// for radius in [1.0, 3.0, 2.0] {
    ///     world.add_body(BodyDesc::fixed().collider(Shape::sphere(radius)?))?;
    /// }
    /// let mut hits = Vec::new();
    /// world.closest_point_all([0.0, 1.5, 0.0], 0.0, &QueryFilter::new(), &mut hits)?;
    /// let distances: Vec<f64> = hits.iter().map(|hit| hit.distance).collect();
    /// assert_eq!(distances, [-1.5, -0.5]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn closest_point_all(
        &self,
        point: impl Into<Point>,
        max: f64,
        filter: &QueryFilter,
        hits: &mut Vec<PointHit>,
    ) -> Result<()> {
        self.whole()?;
        hits.clear();
        let point = point.into();
        check_point(point, max)?;
        self.state.around_point(point, max, filter, |hit| {
            hits.push(hit);
            max
        });
        hits.sort_unstable_by(PointHit::order);
        Ok(())
    }

    /// Everything within `max` metres of a convex shape placed at `pose`: each convex part of each collider by itself (each triangle of
    /// a mesh, each child of a compound), by distance and then by id. `found` is emptied before.
    ///
    /// Where the shape overlaps something, the distance is negative and the normal is the way out. A shape that lies wholly inside a solid mesh
    /// is shown its nearest way out.
    ///
    /// ```
    /// use tumble::{BodyDesc, QueryFilter, World, math::{Vec3, WorldPose}, shape::Shape};
    /// # fn main() -> tumble::Result<()> {
    /// let mut world = World::new();
    /// let floor = world.add_body(BodyDesc::fixed().collider(Shape::half_space(Vec3::Y, 0.0)?))?;
    /// let wall = world.add_body(BodyDesc::fixed().position([1.0, 1.0, 0.0]).collider(Shape::cuboid(0.5, 1.0, 5.0)?))?;
    /// let ball = Shape::sphere(0.3)?;
    /// let mut found = Vec::new();
    /// world.near_shape(&ball, WorldPose::from_translation([0.25, 0.35, 0.0]), 0.1, &QueryFilter::new(), &mut found)?;
    /// assert_eq!((found[0].body, found[0].normal), (wall, -Vec3::X));
    /// assert!((found[0].distance - -0.05).abs() < 1e-6);
    /// assert_eq!((found[1].body, found[1].normal), (floor, Vec3::Y));
    /// # Ok(())
    /// # }
    /// ```
    pub fn near_shape(
        &self,
        shape: &Shape,
        pose: WorldPose,
        max: Real,
        filter: &QueryFilter,
        found: &mut Vec<Nearby>,
    ) -> Result<()> {
        self.whole()?;
        found.clear();
        self.state.around_shape(shape, &pose, max, filter, |near| found.push(near))?;
        found.sort_unstable_by(Nearby::order);
        Ok(())
    }

    /// How far two colliders are apart, or how deep they overlap, with the points where. They may be on the same body, asleep,
    /// inactive, or filtered from each other: only where they are counts.
    ///
    /// ```
    /// use tumble::{BodyDesc, World, math::Vec3, shape::Shape};
    /// # fn main() -> tumble::Result<()> {
    /// let mut world = World::new();
    /// let mut add = |x: f64| {
    ///     let id = world.add_body(BodyDesc::dynamic().position([x, 0.0, 0.0]).collider(Shape::cuboid(0.5, 0.5, 0.5)?))?;
    ///     tumble::Result::Ok(world.body(id)?.colliders().next().unwrap())
    /// };
    /// let (a, b, c) = (add(0.0)?, add(3.0)?, add(3.75)?);
    /// let apart = world.distance(a, b)?;
    /// assert_eq!((apart.distance, apart.normal), (2.0, Vec3::X));
    /// assert!((world.distance(b, c)?.distance - -0.25).abs() < 1e-6);
    /// # Ok(())
    /// # }
    /// ```
    pub fn distance(&self, a: ColliderId, b: ColliderId) -> Result<Separation> {
        self.whole()?;
        self.state.separation(a, b)
    }
}
