//! Rays through the world.

use super::filter::{QueryFilter, Seen};
use super::parts::Ball;
use super::way::{CastHit, Way, share};
use crate::detect::broad::{BoxCast, DynamicTree, Walkers, WideTree};
use crate::error::{Error, Result};
use crate::math::{Aabb, Float, Isa, Num, Point, Quat, Real, Vec3, prefetch};
use crate::shape::{Cuboid, Geometry, HalfSpace, Ray, RayHit, Shape};
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
        let start = Aabb::at(ray.origin);
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
            Packed::new(self, filter, leaves).first_along(self.isa, rays, filter.solid, hits);
            return;
        }
        for rays in rays.chunks(FEW) {
            let mut search = Search::<FEW>::new(rays, no_hits(hits, rays.len()));
            for tree in filter.trees(self) {
                let casts = search.casts();
                tree.cast_each(&casts[..rays.len()], filter.mask, |i, proxy, max| {
                    let Some(seen) = filter.sees(self, proxy) else { return max };
                    search.look_at(i, &seen, &Target::new(&seen), filter.solid).unwrap_or(max)
                });
            }
        }
    }

    /// Where the ray meets a leaf of the trees within `limit` metres.
    #[inline(always)]
    fn meet(&self, proxy: u32, ray: &RayCast, way: &Way, limit: f64, filter: &QueryFilter) -> Option<CastHit> {
        let seen = filter.sees(self, proxy)?;
        Target::new(&seen).meet(&seen, ray, way, limit, filter.solid)
    }
}

/// How many rays are followed at a time: enough to follow some abreast nearly all of the time, few enough to be made ready at once.
const FEW: usize = 64;

/// How many of very many rays are: more, and few enough for the stack.
const MANY: usize = 256;

/// How many rays there must be, besides half as many as colliders, for these to be arranged for them.
const PACKED: usize = 256;

/// The search for the first hits of some rays.
struct Search<'r, const N: usize> {
    rays: &'r [RayCast],
    ways: [Way; N],
    /// How far each is still followed, in metres.
    reach: [f64; N],
    /// Of each.
    best: &'r mut [Option<CastHit>],
}

/// Adds so many that are not there yet.
fn no_hits(hits: &mut Vec<Option<CastHit>>, count: usize) -> &mut [Option<CastHit>] {
    let first = hits.len();
    hits.resize(first + count, None);
    &mut hits[first..]
}

impl<'r, const N: usize> Search<'r, N> {
    fn new(rays: &'r [RayCast], best: &'r mut [Option<CastHit>]) -> Self {
        let mut search = Self { rays, ways: [Way::STILL; N], reach: [-1.0; N], best };
        for (i, ray) in rays.iter().enumerate() {
            if let Some(way) = Way::new(ray.direction) {
                (search.ways[i], search.reach[i]) = (way, ray.max);
            }
        }
        search
    }

    /// What is left of the rays, for the trees.
    fn casts(&self) -> [BoxCast; N] {
        let mut casts = [BoxCast::ray(Vec3::ZERO, Vec3::ZERO, -1.0); N];
        for (i, ray) in self.rays.iter().enumerate() {
            casts[i] = self.ways[i].cast(Aabb::at(ray.origin), self.reach[i]);
        }
        casts
    }

    /// Takes note of a hit of ray `i`, and answers how far the trees have to be searched from now on; `None` if there is none that counts.
    #[inline(always)]
    fn look_at(&mut self, i: usize, seen: &Seen<'_>, target: &Target<'_>, solid: bool) -> Option<Real> {
        let way = &self.ways[i];
        let hit = target.meet(seen, &self.rays[i], way, self.reach[i], solid)?;
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
    tree: WideTree,
    /// What every ray that comes near reads.
    targets: Vec<Target<'w>>,
    /// What those that hit read, under the same numbers.
    seen: Vec<Seen<'w>>,
    /// The numbers of those without bounds.
    unbounded: Vec<u32>,
}

impl<'w> Packed<'w> {
    /// There are so many `leaves` in the trees.
    fn new(state: &'w State, filter: &QueryFilter, leaves: usize) -> Self {
        let mut tree = WideTree::with_room(leaves);
        let (mut targets, mut seen) = (Vec::with_capacity(leaves), Vec::with_capacity(leaves));
        let mut add = |proxy| {
            let collider = filter.sees(state, proxy)?;
            let number = targets.len() as u32;
            targets.push(Target::new(&collider));
            seen.push(collider);
            Some(number)
        };
        let mut unbounded = Vec::new();
        for source in filter.trees(state) {
            unbounded.extend(source.without_bounds().filter_map(&mut add));
            source.widen_into(&mut tree, &mut add);
        }
        Self { tree, targets, seen, unbounded }
    }

    fn first_along(&self, isa: Isa, rays: &[RayCast], solid: bool, hits: &mut Vec<Option<CastHit>>) {
        let Self { tree, targets, seen, unbounded } = self;
        let mut walkers = Walkers::new();
        hits.reserve(rays.len());
        for rays in rays.chunks(MANY) {
            let mut search = Search::<MANY>::new(rays, no_hits(hits, rays.len()));
            for &number in unbounded {
                for i in 0..rays.len() {
                    search.look_at(i, &seen[number as usize], &targets[number as usize], solid);
                }
            }
            let casts = search.casts();
            let soon = |number: u32| prefetch(&targets[number as usize]);
            tree.cast_each(isa, &mut walkers, &casts[..rays.len()], soon, |i, number, max| {
                let (seen, target) = (&seen[number as usize], &targets[number as usize]);
                search.look_at(i, seen, target, solid).unwrap_or(max)
            });
        }
    }
}

/// A collider that rays may meet, with what is the same for all of them. Two lines of the cache.
#[repr(align(64))]
struct Target<'w> {
    at: Point,
    turn: Quat<f64>,
    ball: Ball,
    shape: &'w Shape,
    /// The shape, where it is a box, as most are: at hand, so that what is solid is met without a look at the collider itself.
    cuboid: Option<Cuboid>,
}

impl<'w> Target<'w> {
    #[inline(always)]
    fn new(seen: &Seen<'w>) -> Self {
        let (shape, pose) = (&seen.collider.shape, &seen.pose);
        Self {
            at: pose.translation,
            turn: pose.rotation.to_f64().normalized(),
            ball: Ball::of(shape, pose),
            shape,
            cuboid: if let Shape::Cuboid(cuboid) = shape { Some(*cuboid) } else { None },
        }
    }

    /// Where the ray meets it within `limit` metres.
    #[inline(always)]
    fn meet(&self, seen: &Seen<'_>, ray: &RayCast, way: &Way, limit: f64, solid: bool) -> Option<CastHit> {
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
        let head = way.head_start(origin, &self.ball);
        let from = self.turn.unrotate(origin.add_scaled(way.unit, head) - self.at);
        let along = self.turn.unrotate(way.unit);
        if self.cuboid.is_none()
            && let Shape::HalfSpace(ground) = self.shape
        {
            return above(ground, from, along, solid).filter(|(distance, _)| *distance <= limit);
        }
        // No shorter than what rounds to the limit: of hits at the same distance the order of ids decides, not that of visits.
        let reach = Real::from_f64(limit - head + limit * f64::EPSILON).next_up();
        let ray = Ray::new(from.to_real(), along.to_real());
        let hit = match &self.cuboid {
            Some(cuboid) if solid => cuboid.cast_ray(&ray, reach),
            _ => cast(self.shape, &ray, reach, solid),
        }?;
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
