//! Many questions about a world at once.

use super::World;
use crate::detect::query::{CastHit, PointHit, QueryFilter, RayCast, ShapeCast, check_place, check_point};
use crate::error::{Error, Result};
use crate::id::ColliderId;
use crate::math::{Point, WorldPose};
use crate::shape::Shape;

/// # Batches of queries
///
/// They answer what the single questions would, one after the other and in their order. All are checked before any is asked: one
/// that makes no sense is named by its number, and the answers are empty then. To spread a batch over threads, cut it into pieces: the answers are the
/// same.
impl World {
    /// The first hit of each of many rays, in their order. `hits` is emptied before. A ray that makes no sense is named, and
    /// none is cast.
    ///
    /// ```
    /// use tumble::{BodyDesc, QueryFilter, RayCast, World, math::Vec3, shape::Shape};
    /// # fn main() -> tumble::Result<()> {
    /// let mut world = World::new();
    /// world.add_body(BodyDesc::fixed().collider(Shape::half_space(Vec3::Y, 0.0)?))?;
    /// // The suspension of a car: a ray down from each wheel.
    /// let wheels = [[-1.0, 0.5, -1.5], [1.0, 0.5, -1.5], [-1.0, 0.5, 1.5], [1.0, 0.5, 1.5]];
    /// let rays = wheels.map(|at: [f64; 3]| RayCast::new(at, [0.0, -1.0, 0.0], 0.8));
    /// let mut hits = Vec::new();
    /// world.cast_rays(&rays, &QueryFilter::new(), &mut hits)?;
    /// assert!(hits.iter().all(|hit| hit.is_some_and(|hit| (hit.distance - 0.5).abs() < 1e-6)));
    /// # Ok(())
    /// # }
    /// ```
    pub fn cast_rays(&self, rays: &[RayCast], filter: &QueryFilter, hits: &mut Vec<Option<CastHit>>) -> Result<()> {
        self.whole()?;
        hits.clear();
        rays.iter().enumerate().try_for_each(|(i, ray)| ray.check(Some(i)))?;
        self.state.first_along(rays, filter, hits);
        Ok(())
    }

    /// The first hit of each of many moving shapes, in their order; see [`World::cast_shape`]. `hits` is emptied before.
    ///
    /// ```
    /// use tumble::{BodyDesc, QueryFilter, ShapeCast, World, math::{Vec3, WorldPose}, shape::Shape};
    /// # fn main() -> tumble::Result<()> {
    /// let mut world = World::new();
    /// world.add_body(BodyDesc::fixed().collider(Shape::half_space(Vec3::Y, 0.0)?))?;
    /// // Where do these balls land?
    /// let ball = Shape::sphere(0.25)?;
    /// let casts = [1.0, 2.0, 3.0].map(|y: f64| {
    ///     ShapeCast::new(&ball, WorldPose::from_translation([0.0, y, 0.0]), [0.0, -2.0, 0.0])
    /// });
    /// let mut hits = Vec::new();
    /// world.cast_shapes(&casts, &QueryFilter::new(), &mut hits)?;
    /// assert!((hits[0].unwrap().distance - 0.75).abs() < 1e-4 && hits[2].is_none());
    /// # Ok(())
    /// # }
    /// ```
    pub fn cast_shapes(
        &self,
        casts: &[ShapeCast],
        filter: &QueryFilter,
        hits: &mut Vec<Option<CastHit>>,
    ) -> Result<()> {
        self.whole()?;
        hits.clear();
        casts.iter().enumerate().try_for_each(|(i, cast)| cast.check().map_err(|e| numbered(e, i)))?;
        hits.extend(casts.iter().map(|cast| self.first_on_cast(cast, filter)));
        Ok(())
    }

    /// The colliders that each of many placed shapes overlaps or touches, with the number of the shape: by that, and then by id; see
    /// [`World::overlap_shape`]. `found` is emptied before.
    ///
    /// ```
    /// use tumble::{BodyDesc, QueryFilter, World, math::WorldPose, shape::Shape};
    /// # fn main() -> tumble::Result<()> {
    /// let mut world = World::new();
    /// for x in 0..10 {
    ///     world.add_body(BodyDesc::dynamic().position([x as f64, 0.0, 0.0]).collider(Shape::sphere(0.2)?))?;
    /// }
    /// let blast = Shape::sphere(1.0)?;
    /// let places = [2.5, 20.0, 9.0].map(|x| (&blast, WorldPose::from_translation([x, 0.0, 0.0])));
    /// let mut found = Vec::new();
    /// world.overlap_shapes(&places, &QueryFilter::new(), &mut found)?;
    /// let numbers: Vec<usize> = found.iter().map(|&(number, _)| number).collect();
    /// assert_eq!(numbers, [0, 0, 2, 2]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn overlap_shapes(
        &self,
        places: &[(&Shape, WorldPose)],
        filter: &QueryFilter,
        found: &mut Vec<(usize, ColliderId)>,
    ) -> Result<()> {
        self.whole()?;
        found.clear();
        let check =
            |(i, (_, pose)): (usize, &(&Shape, WorldPose))| check_place("overlap", pose).map_err(|e| numbered(e, i));
        places.iter().enumerate().try_for_each(check)?;
        for (i, (shape, pose)) in places.iter().enumerate() {
            let first = found.len();
            self.state.overlapping(shape, pose, filter, |id| {
                found.push((i, id));
                true
            })?;
            found[first..].sort_unstable();
        }
        Ok(())
    }

    /// The point of all colliders that is nearest to each of many points, if one is within `max` metres, in their order; see
    /// [`World::closest_point`]. `hits` is emptied before.
    ///
    /// ```
    /// use tumble::{BodyDesc, QueryFilter, World, math::Vec3, shape::Shape};
    /// # fn main() -> tumble::Result<()> {
    /// let mut world = World::new();
    /// world.add_body(BodyDesc::fixed().collider(Shape::sphere(1.0)?))?;
    /// let points = [2.0, 0.5, 9.0].map(|x| Vec3::new(x, 0.0, 0.0));
    /// let mut hits = Vec::new();
    /// world.closest_points(&points, 5.0, &QueryFilter::new(), &mut hits)?;
    /// let distances = hits.iter().map(|hit| hit.map(|hit| hit.distance));
    /// assert!(distances.eq([Some(1.0), Some(-0.5), None]));
    /// # Ok(())
    /// # }
    /// ```
    pub fn closest_points(
        &self,
        points: &[Point],
        max: f64,
        filter: &QueryFilter,
        hits: &mut Vec<Option<PointHit>>,
    ) -> Result<()> {
        self.whole()?;
        hits.clear();
        points.iter().enumerate().try_for_each(|(i, &p)| check_point(p, max).map_err(|e| numbered(e, i)))?;
        hits.extend(points.iter().map(|&point| self.nearest_to(point, max, filter)));
        Ok(())
    }
}

/// The same fault, of the question of this number.
fn numbered(error: Error, number: usize) -> Error {
    let named = |subject: String| format!("{subject} {number}");
    match error {
        Error::Value { subject, property, expected, value } => {
            Error::Value { subject: named(subject), property, expected, value }
        }
        Error::Refused { subject, problem } => Error::Refused { subject: named(subject), problem },
        other => other,
    }
}
