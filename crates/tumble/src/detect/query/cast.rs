//! Shapes that move through the world.

use super::filter::{QueryFilter, Seen};
use super::parts::{Ball, Near, Part, Sweeping, roomy, search, swallows};
use super::touch::{Mover, Touch};
use super::way::{CastHit, Way, share};
use crate::body::desc::check_rotation;
use crate::detect::manifolds::bounds;
use crate::detect::narrow::Motion;
use crate::error::{Error, Result};
use crate::math::{Aabb, Float, Num, Pose, Quat, Real, Vec3, WorldPose};
use crate::shape::{Geometry, Shape};
use crate::world::State;

/// A shape to be moved through a world until it meets something.
///
/// It must be convex and bounded, or a compound of such shapes.
///
/// ```
/// use tumble::{ShapeCast, math::{Vec3, WorldPose}, shape::Shape};
/// let crate_ = Shape::cuboid(0.5, 0.5, 0.5)?;
/// let start = WorldPose::from_translation([0.0, 10.0, 0.0]);
/// // It falls by 20 m and turns by a radian about the vertical on the way.
/// let fall = ShapeCast::new(&crate_, start, [0.0, -20.0, 0.0]).turning([0.0, 1.0, 0.0]);
/// assert_eq!(fall.translation, Vec3::new(0.0, -20.0, 0.0));
/// # Ok::<(), tumble::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ShapeCast<'a> {
    /// What moves.
    pub shape: &'a Shape,
    /// From where.
    pub start: WorldPose,
    /// How far the origin of its frame moves. Zero for none: then it meets what it overlaps, or what it turns into.
    pub translation: Vec3,
    /// By how much it turns about the origin of its frame on the way, at a constant rate: an axis times an angle, in the axes
    /// of the world.
    pub rotation: Vec3,
}

impl<'a> ShapeCast<'a> {
    /// The shape moved along `translation` without turning.
    pub fn new(shape: &'a Shape, start: WorldPose, translation: impl Into<Vec3>) -> Self {
        Self { shape, start, translation: translation.into(), rotation: Vec3::ZERO }
    }

    /// Sets [`ShapeCast::rotation`].
    #[must_use]
    pub fn turning(mut self, rotation: impl Into<Vec3>) -> Self {
        self.rotation = rotation.into();
        self
    }

    /// What is wrong with it, if anything.
    pub(crate) fn check(&self) -> Result<()> {
        const SUBJECT: &str = "shape cast";
        if !castable(self.shape) {
            return Err(Error::refused(
                SUBJECT,
                "half-spaces, meshes and height fields cannot be cast; use convex shapes or a compound of them",
            ));
        }
        check_place(SUBJECT, &self.start)?;
        for (property, v) in [("translation", self.translation), ("rotation over the way", self.rotation)] {
            if !v.is_finite() {
                return Err(Error::value(SUBJECT, property, "finite", format_args!("{:?}", v.to_array())));
            }
        }
        Ok(())
    }
}

fn castable(shape: &Shape) -> bool {
    match shape {
        Shape::Compound(compound) => compound.children().iter().all(|child| castable(&child.shape)),
        _ => shape.as_convex().is_some(),
    }
}

/// The pose is one.
pub(crate) fn check_place(subject: &str, pose: &WorldPose) -> Result<()> {
    if !pose.translation.is_finite() {
        return Err(Error::value(subject, "position", "finite", format_args!("{:?}", pose.translation.to_array())));
    }
    check_rotation(subject, pose.rotation)
}

/// A cast on its way: it is at `start` moved by `way.unit` times a distance, in metres or, where it only turns, in shares of
/// the whole.
struct Course<'a> {
    shape: &'a Shape,
    start: WorldPose,
    way: Way,
    /// Rotation vector for each unit of distance.
    turning: Vec3<f64>,
    /// The whole way.
    length: f64,
    /// Radius of the ball about the origin of the shape's frame that holds it.
    reach: f64,
    solid: bool,
}

impl<'a> Course<'a> {
    fn new(cast: &ShapeCast<'a>, solid: bool) -> Self {
        let way = Way::new(cast.translation).unwrap_or(Way::STILL);
        let length = if way.is_still() { 1.0 } else { cast.translation.to_f64().dot(way.unit) };
        Self {
            shape: cast.shape,
            start: WorldPose::new(cast.start.translation, cast.start.rotation.normalized()),
            way,
            turning: cast.rotation.to_f64() / length,
            length,
            reach: cast.shape.farthest_from(Vec3::ZERO).to_f64(),
            solid,
        }
    }

    fn turns(&self) -> bool {
        self.turning != Vec3::ZERO
    }

    /// The box around the shape at the start, whichever way it turns.
    fn bounds(&self) -> Aabb {
        let local = if self.turns() {
            let half = Vec3::all(Real::from_f64(self.reach));
            Aabb::new(-half, half)
        } else {
            self.shape.bounds(&Pose::new(Vec3::ZERO, self.start.rotation))
        };
        roomy(local).moved_to(self.start.translation)
    }

    fn at(&self, distance: f64) -> WorldPose {
        let rotation = if self.turns() && distance > 0.0 {
            let turned = Quat::from_rotation_vector(self.turning * distance) * self.start.rotation.to_f64();
            turned.normalized().to_real()
        } else {
            self.start.rotation
        };
        WorldPose::new(self.start.translation.add_scaled(self.way.unit, distance), rotation)
    }
}

impl State {
    /// Calls `found` with the first hit on each collider that the moving shape meets, and how far along that is, in no
    /// order. It answers how far the shape has to be followed from then on; a negative number ends the search. Parts that it meets at a
    /// normal, in the world, which does not count are passed over as if they were not there. The cast has been checked.
    pub(crate) fn along_cast(
        &self,
        cast: &ShapeCast,
        filter: &QueryFilter,
        counts: &dyn Fn(Vec3) -> bool,
        mut found: impl FnMut(CastHit, f64) -> f64,
    ) {
        let course = Course::new(cast, filter.solid);
        let way = &course.way;
        let mut limit = course.length;
        let start = course.bounds();
        for tree in filter.trees(self) {
            tree.cast(&way.cast(start, limit), filter.mask, |proxy, _, max| {
                let Some(seen) = filter.sees(self, proxy) else { return max };
                let Some((at, touch, part)) = seen.on_course(&course, limit, counts) else { return max };
                let hit = CastHit {
                    collider: seen.id,
                    body: seen.body,
                    point: seen.pose.transform_point(touch.point),
                    normal: seen.pose.rotation.rotate(touch.normal),
                    distance: if way.is_still() { 0.0 } else { at },
                    fraction: share(at, course.length),
                    part,
                };
                limit = Num::min(found(hit, at), limit);
                way.limit(limit)
            });
            if limit < 0.0 {
                return;
            }
        }
    }
}

impl Seen<'_> {
    /// Where the moving shape first touches this collider within `limit` at a normal that counts: how far it has come, the touch in the
    /// collider's frame, and the part of the collider.
    fn on_course(&self, course: &Course, limit: f64, counts: &dyn Fn(Vec3) -> bool) -> Option<(f64, Touch, u32)> {
        let shape = &self.collider.shape;
        let mut ball = Ball::of(shape, &self.pose);
        ball.radius += course.reach;
        let head = course.way.head_start(course.start.translation, &ball);
        let start = course.at(head).relative_to(&self.pose);
        if course.solid
            && head == 0.0
            && let Some((part, point)) = swallows(shape, course.shape, &start)
        {
            return Some((0.0, Touch { t: 0.0, normal: Vec3::ZERO, point, separation: 0.0 }, part));
        }
        let turn = self.pose.rotation.to_f64().normalized();
        let linear = turn.unrotate(course.way.unit).to_real();
        let angular = turn.unrotate(course.turning).to_real();
        let mut best: Option<(Touch, u32)> = None;
        let everywhere = Near::new(Aabb::EVERYTHING);
        search(course.shape, &everywhere, limit - head, &mut |part, limit| {
            let centre = part.pose.inverse_transform_point(Vec3::ZERO);
            let motion = Motion { start: start * part.pose, centre, linear, angular };
            let end = Real::from_f64(course.length - head);
            let mover = Mover { shape: part.convex, motion, end, solid: course.solid };
            let around = if course.turns() {
                let half = Vec3::all(part.convex.farthest_from(centre));
                Aabb::new(start.translation - half, start.translation + half)
            } else {
                bounds(part.convex, &motion.start)
            };
            search(shape, &Sweeping::new(around, linear), limit, &mut |other: &Part, limit| {
                let reach = Real::from_f64(limit).next_up();
                let Some(touch) = mover.first_touch(other.convex, &other.pose, reach) else { return limit };
                if !counts(self.pose.rotation.rotate(touch.normal)) {
                    return limit;
                }
                let before =
                    |(b, part): (Touch, u32)| (touch.t, touch.separation, other.index) < (b.t, b.separation, part);
                if best.is_none_or(before) {
                    best = Some((touch, other.index));
                }
                Num::min(touch.t.to_f64(), limit)
            })
        });
        let (touch, part) = best?;
        let at = head + touch.t.to_f64();
        (at <= limit).then_some((at, touch, part))
    }
}
