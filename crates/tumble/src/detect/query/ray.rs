//! Rays through the world.

use super::filter::{QueryFilter, Seen};
use super::parts::Ball;
use super::way::{CastHit, Way, share};
use crate::detect::broad::{BoxCast, DynamicTree, WideTree};
use crate::error::{Error, Result};
use crate::math::{Aabb, Float, Isa, Num, Point, Quat, Real, Vec3};
use crate::shape::{Geometry, HalfSpace, Ray, RayHit, Shape};
use crate::world::State;

/// A ray to be cast into a world.
///
/// ```
/// use tumble::RayCast;
/// let down = RayCast::new([0.0, 10.0, 0.0], [0.0, -1.0, 0.0], 100.0);
/// assert_eq!(down, RayCast::between([0.0, 10.0, 0.0], [0.0, -90.0, 0.0]));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayCast {
    /// Where it starts.
    pub origin: Point,
    /// Where it goes. Its length does not matter.
    pub direction: Vec3,
    /// How far it goes, in metres; may be infinite.
    pub max: f64,
}

impl RayCast {
    /// The ray from `origin` along `direction`, `max` metres long.
    pub fn new(origin: impl Into<Point>, direction: impl Into<Vec3>, max: f64) -> Self {
        Self { origin: origin.into(), direction: direction.into(), max }
    }

    /// The ray from one point to another. Of no length, and refused when it is cast, where they are the same.
    pub fn between(from: impl Into<Point>, to: impl Into<Point>) -> Self {
        let origin = from.into();
        let way = to.into() - origin;
        let direction = way.try_normalize().unwrap_or(Vec3::ZERO);
        Self { origin, direction: direction.to_real(), max: way.dot(direction) }
    }

    /// The way of the ray, or what is wrong with it. `place` is its number in a batch.
    pub(crate) fn check(&self, place: Option<usize>) -> Result<()> {
        let fault = |property, expected, value: String| {
            let subject = place.map_or_else(|| "ray".to_owned(), |i| format!("ray {i}"));
            Err(Error::value(subject, property, expected, value))
        };
        if !self.origin.is_finite() {
            return fault("origin", "finite", format!("{:?}", self.origin.to_array()));
        }
        if !self.direction.is_finite() || self.direction == Vec3::ZERO {
            return fault("direction", "a finite vector other than zero", format!("{:?}", self.direction.to_array()));
        }
        if self.max.is_nan() || self.max < 0.0 {
            return fault("length", "zero or positive", self.max.to_string());
        }
        Ok(())
    }
}

impl State {
    /// Calls `found` with the first hit on each collider that the ray meets, in no order. It answers how far the ray has
    /// to be followed from then on; a negative number ends the search. The ray has been checked.
    pub(crate) fn along_ray(&self, ray: &RayCast, filter: &QueryFilter, mut found: impl FnMut(CastHit) -> f64) {
        let Some(way) = Way::new(ray.direction) else { return };
        let mut limit = ray.max;
        let start = Aabb::around(ray.origin, Vec3::ZERO);
        for tree in filter.trees(self) {
            tree.cast(&way.cast(start, limit), filter.mask, |proxy, _, max| {
                let Some(hit) = self.meet(proxy, ray, &way, limit, filter) else { return max };
                limit = found(hit);
                way.limit(limit)
            });
            if limit < 0.0 {
                return;
            }
        }
    }

    /// Adds the first hit of each ray to `hits`. The rays have been checked.
    pub(crate) fn first_along(&self, rays: &[RayCast], filter: &QueryFilter, hits: &mut Vec<Option<CastHit>>) {
        let leaves: usize = filter.trees(self).map(DynamicTree::len).sum();
        // Who is asked for each collider may be slow, or count.
        if rays.len() >= PACKED && 2 * rays.len() >= leaves && filter.predicate.is_none() {
            Packed::new(self, filter).first_along(self.isa, rays, filter.solid, hits);
            return;
        }
        for rays in rays.chunks(MANY) {
            let mut search = Search::new(rays);
            for tree in filter.trees(self) {
                let casts = search.casts();
                tree.cast_each(&casts[..rays.len()], filter.mask, |i, proxy, max| {
                    let Some(seen) = filter.sees(self, proxy) else { return max };
                    search.look_at(i, &Target::new(seen), filter.solid).unwrap_or(max)
                });
            }
            hits.extend_from_slice(&search.best[..rays.len()]);
        }
    }

    /// Where the ray meets a leaf of the trees within `limit` metres.
    #[inline(always)]
    fn meet(&self, proxy: u32, ray: &RayCast, way: &Way, limit: f64, filter: &QueryFilter) -> Option<CastHit> {
        Target::new(filter.sees(self, proxy)?).meet(ray, way, limit, filter.solid)
    }
}

/// How many rays are followed at a time: enough to follow some abreast nearly all of the time, few enough for the stack.
const MANY: usize = 64;

/// How many rays there must be, besides half as many as colliders, for these to be arranged for them.
const PACKED: usize = 256;

/// The search for the first hits of a few rays.
struct Search<'r> {
    rays: &'r [RayCast],
    ways: [Way; MANY],
    /// How far each is still followed, in metres.
    reach: [f64; MANY],
    best: [Option<CastHit>; MANY],
}

impl<'r> Search<'r> {
    fn new(rays: &'r [RayCast]) -> Self {
        let mut search = Self { rays, ways: [Way::STILL; MANY], reach: [-1.0; MANY], best: [None; MANY] };
        for (i, ray) in rays.iter().enumerate() {
            if let Some(way) = Way::new(ray.direction) {
                (search.ways[i], search.reach[i]) = (way, ray.max);
            }
        }
        search
    }

    /// What is left of the rays, for the trees.
    fn casts(&self) -> [BoxCast; MANY] {
        let mut casts = [BoxCast::ray(Vec3::ZERO, Vec3::ZERO, -1.0); MANY];
        for (i, ray) in self.rays.iter().enumerate() {
            casts[i] = self.ways[i].cast(Aabb::around(ray.origin, Vec3::ZERO), self.reach[i]);
        }
        casts
    }

    /// Takes note of a hit of ray `i`, and answers how far the trees have to be searched from now on; `None` if there is none that counts.
    #[inline(always)]
    fn look_at(&mut self, i: usize, target: &Target<'_>, solid: bool) -> Option<Real> {
        let way = &self.ways[i];
        let hit = target.meet(&self.rays[i], way, self.reach[i], solid)?;
        if self.best[i].is_some_and(|best| !hit.is_before(&best)) {
            return None;
        }
        self.best[i] = Some(hit);
        self.reach[i] = hit.distance;
        Some(way.limit(hit.distance))
    }
}

/// The colliders that a filter sees, arranged for very many rays.
struct Packed<'w> {
    trees: [WideTree; 2],
    targets: Vec<Target<'w>>,
    /// Those without bounds.
    unbounded: Vec<Target<'w>>,
}

impl<'w> Packed<'w> {
    fn new(state: &'w State, filter: &QueryFilter) -> Self {
        let mut targets = Vec::with_capacity(filter.trees(state).map(DynamicTree::len).sum());
        let mut unbounded = Vec::new();
        let mut trees = filter.trees(state);
        let trees = [(); 2].map(|()| match trees.next() {
            Some(tree) => {
                let seen = tree.without_bounds().filter_map(|proxy| filter.sees(state, proxy));
                unbounded.extend(seen.map(Target::new));
                tree.widened(|proxy| {
                    let target = Target::new(filter.sees(state, proxy)?);
                    let number = targets.len() as u32;
                    targets.push(target);
                    Some(number)
                })
            }
            None => WideTree::EMPTY,
        });
        Self { trees, targets, unbounded }
    }

    fn first_along(&self, isa: Isa, rays: &[RayCast], solid: bool, hits: &mut Vec<Option<CastHit>>) {
        for rays in rays.chunks(MANY) {
            let mut search = Search::new(rays);
            for target in &self.unbounded {
                for i in 0..rays.len() {
                    search.look_at(i, target, solid);
                }
            }
            for tree in &self.trees {
                let casts = search.casts();
                tree.cast_each(isa, &casts[..rays.len()], |i, target, max| {
                    search.look_at(i, &self.targets[target as usize], solid).unwrap_or(max)
                });
            }
            hits.extend_from_slice(&search.best[..rays.len()]);
        }
    }
}

/// A collider that rays may meet, with what is the same for all of them.
struct Target<'w> {
    seen: Seen<'w>,
    turn: Quat<f64>,
    ball: Ball,
}

impl<'w> Target<'w> {
    #[inline(always)]
    fn new(seen: Seen<'w>) -> Self {
        Self { turn: seen.pose.rotation.to_f64().normalized(), ball: Ball::of(&seen.collider.shape), seen }
    }

    /// Where the ray meets it within `limit` metres.
    #[inline(always)]
    fn meet(&self, ray: &RayCast, way: &Way, limit: f64, solid: bool) -> Option<CastHit> {
        let Self { seen, .. } = self;
        let (distance, hit) = self.on_ray(ray.origin, way, limit, solid)?;
        Some(CastHit {
            collider: seen.id,
            body: seen.body,
            point: ray.origin.add_scaled(way.unit, distance),
            normal: seen.pose.rotation.rotate(hit.normal),
            distance,
            fraction: share(distance, ray.max),
            part: hit.part,
        })
    }

    /// The same, with the normal in the collider's frame.
    #[inline(always)]
    fn on_ray(&self, origin: Point, way: &Way, limit: f64, solid: bool) -> Option<(f64, RayHit)> {
        let Seen { collider, pose, .. } = &self.seen;
        let shape = &collider.shape;
        let head = way.head_start(origin, &self.ball, pose);
        let from = self.turn.unrotate(origin.add_scaled(way.unit, head) - pose.translation);
        let along = self.turn.unrotate(way.unit);
        if let Shape::HalfSpace(ground) = shape {
            return above(ground, from, along, solid).filter(|(distance, _)| *distance <= limit);
        }
        let reach = Real::from_f64(limit - head).next_up();
        let hit = cast(shape, &Ray::new(from.to_real(), along.to_real()), reach, solid)?;
        let distance = head + hit.t.to_f64();
        (distance <= limit).then_some((distance, hit))
    }
}

/// Where a ray meets a half-space, in double precision: it has no size that would keep the ray's start near.
fn above(ground: &HalfSpace, from: Vec3<f64>, along: Vec3<f64>, solid: bool) -> Option<(f64, RayHit)> {
    let normal = ground.normal();
    let height = normal.to_f64().dot(from) - ground.offset().to_f64();
    if height <= 0.0 {
        return RayHit::inside(0.0).filter(|_| solid).map(|hit| (0.0, hit));
    }
    let distance = height / -normal.to_f64().dot(along);
    let hit = RayHit { t: Real::from_f64(distance), normal, part: 0 };
    (distance >= 0.0 && distance.is_finite()).then_some((distance, hit))
}

/// [`Geometry::cast_ray`], or without `solid` the same for whatever parts of the shape do not hold the start.
fn cast(shape: &Shape, ray: &Ray, max: Real, solid: bool) -> Option<RayHit> {
    if solid {
        return shape.cast_ray(ray, max);
    }
    match shape {
        Shape::Mesh(mesh) => mesh.cast_ray_from_outside(ray, max),
        Shape::Compound(compound) => {
            let mut best: Option<RayHit> = None;
            compound.bvh().along_ray(ray.origin.to_f64(), ray.direction.to_f64(), max.to_f64(), |k, limit| {
                let child = &compound.children()[k as usize];
                let reach = best.map_or(max, |hit| hit.t);
                let Some(hit) = cast(&child.shape, &ray.relative_to(&child.pose), reach, false) else { return limit };
                if best.is_none_or(|b| hit.t < b.t || k < b.part) {
                    best = Some(RayHit { t: hit.t, normal: child.pose.rotation.rotate(hit.normal), part: k });
                }
                Num::min(hit.t.to_f64(), limit)
            });
            best
        }
        _ if shape.contains(ray.origin) => None,
        _ => shape.cast_ray(ray, max),
    }
}
