//! Far from the origin, and from far away.

use super::scene::{self, direction, near, rounding};
use crate::support::{Random, eps, real};
use tumble::math::{Point, Vec3, WorldPose};
use tumble::shape::Shape;
use tumble::{BodyDesc, QueryFilter, RayCast, ShapeCast, World};

/// 100 km away in every direction. All positions of the scenes are multiples of a power of two that is exact there.
const FAR: Point = Point::new(1.0e5, -1.0e5, 1.0e5);

// The same scene at the origin and 100 km away gives the same answers.
#[test]
fn scenes_far_away() {
    let filter = QueryFilter::new();
    // A coordinate of 1e5 is rounded to 1.5e-11, after which a local coordinate may be rounded the other way.
    let tolerance = 10.0 * rounding() + 1e-9;
    let (mut hits, mut close) = (0, Vec::new());
    for seed in 0..4 {
        let (here, there) = (scene::world(seed, Point::ZERO), scene::world(seed, FAR));
        let mut random = Random(6000 + seed);
        for _ in 0..200 {
            let start = random.vector(9.0).to_f64();
            let along = (random.vector(4.0).to_f64() - start).to_real();
            let max = random.between(5.0, 30.0);
            let a = here.cast_ray(&RayCast::new(start, along, max), &filter).unwrap();
            let b = there.cast_ray(&RayCast::new(start + FAR, along, max), &filter).unwrap();
            // Only a ray that grazes something may see something else.
            match (a, b) {
                (Some(a), Some(b)) if a.collider == b.collider && (a.normal - b.normal).length() < 0.01 => {
                    hits += 1;
                    assert!((a.distance - b.distance).abs() < tolerance, "{a:?} {b:?}");
                    assert!((a.point + FAR - b.point).length() < tolerance);
                }
                (None, None) => {}
                _ => close.push((a, b)),
            }
            let a = here.closest_point(start, 8.0, &filter).unwrap().map(|hit| hit.distance);
            let b = there.closest_point(start + FAR, 8.0, &filter).unwrap().map(|hit| hit.distance);
            assert!(a.is_some() == b.is_some() && (a.unwrap_or(0.0) - b.unwrap_or(0.0)).abs() < tolerance);
        }
        for _ in 0..20 {
            let ball = Shape::sphere(0.4).unwrap();
            let (start, along) = (near(&mut random, Point::ZERO, 12.0), random.vector(12.0));
            let moved = WorldPose::new(start.translation + FAR, start.rotation);
            let a = here.cast_shape(&ShapeCast::new(&ball, start, along), &filter).unwrap();
            let b = there.cast_shape(&ShapeCast::new(&ball, moved, along), &filter).unwrap();
            let at = |hit: Option<tumble::CastHit>| hit.map_or(100.0, |hit| hit.distance);
            if (at(a) - at(b)).abs() > 1e-3 {
                close.push((a, b));
            }
        }
    }
    assert!(hits > 400 && close.len() < 10, "{hits} hits, {} that grazed", close.len());
}

// A ray of 100 km, from anywhere to anywhere: where it meets a ball is known in closed form, for the direction as it was
// rounded to the crate's precision.
#[test]
fn rays_from_far_away() {
    let mut random = Random(8);
    let radius = 0.75;
    let mut checked = 0;
    while checked < 100 {
        let centre = FAR + random.vector(100.0).to_f64();
        let mut world = World::new();
        let mut desc = BodyDesc::dynamic().collider(Shape::sphere(real(radius)).unwrap());
        desc.pose = WorldPose::new(centre, random.rotation());
        world.add_body(desc).unwrap();
        let unit = direction(&mut random).to_f64().try_normalize().unwrap();
        let origin = centre - unit * 1e5 + random.vector(0.3).to_f64();
        let ray = RayCast::new(origin, unit.to_real(), f64::INFINITY);
        let d = ray.direction.to_f64().try_normalize().unwrap();
        let o = origin - centre;
        let middle = -o.dot(d);
        let square = radius * radius - (o + d * middle).length_squared();
        // The rounded direction may miss, and a grazing ray is no measure.
        if square < 0.05 {
            continue;
        }
        checked += 1;
        let hit = world.cast_ray(&ray, &QueryFilter::new()).unwrap().unwrap();
        let expected = middle - square.sqrt();
        // Local coordinates of up to 25 m (the head start has 12 bits), in the crate's precision, or 1e5 m in f64.
        let tolerance = 8.0 * 25.0 * eps() + 1e-9;
        assert!((hit.distance - expected).abs() < tolerance, "{} {expected}", hit.distance);
        assert!(((hit.point - centre).length() - radius).abs() < tolerance);
        let normal = (o + d * expected) / radius;
        assert!((hit.normal.to_f64() - normal).length() < 1e2 * tolerance);
    }
}

// The ground has no size: heights over it are right to a double wherever the ray starts.
#[test]
fn tilted_ground_far_away() {
    let mut world = World::new();
    let normal = Vec3::new(0.3, 0.9, -0.1).try_normalize().unwrap();
    world
        .add_body(BodyDesc::fixed().position([3.0, 2.0, 1.0]).collider(Shape::half_space(normal, 0.5).unwrap()))
        .unwrap();
    let mut random = Random(9);
    for _ in 0..100 {
        let origin = random.vector(3e5).to_f64();
        let height = normal.to_f64().dot(origin - Point::new(3.0, 2.0, 1.0)) - 0.5;
        let near = world.closest_point(origin, f64::INFINITY, &QueryFilter::new()).unwrap().unwrap();
        assert!((near.distance - height).abs() < 1e-9, "{} {height}", near.distance);
        let along = direction(&mut random);
        let hit = world.cast_ray(&RayCast::new(origin, along, f64::INFINITY), &QueryFilter::new()).unwrap();
        let climb = normal.to_f64().dot(along.to_f64().try_normalize().unwrap());
        let expected = if height <= 0.0 { Some(0.0) } else { (climb < 0.0).then(|| -height / climb) };
        match (hit, expected) {
            (Some(hit), Some(d)) => assert!((hit.distance - d).abs() < 1e-9 * (1.0 + d), "{} {d}", hit.distance),
            (a, b) => assert!(a.is_none() && b.is_none(), "{a:?} {b:?}"),
        }
    }
}

// A cast of 10 km meets a box to the precision of a short one.
#[test]
fn casts_from_far_away() {
    let mut world = World::new();
    let target = FAR + Vec3::new(0.1, 0.2, 0.3);
    world.add_body(BodyDesc::fixed().position(target).collider(Shape::cuboid(1.0, 1.0, 1.0).unwrap())).unwrap();
    let ball = Shape::sphere(0.5).unwrap();
    let start = WorldPose::from_translation(target + Vec3::new(-9_876.543_2, 0.4, 0.0));
    let hit = world.cast_shape(&ShapeCast::new(&ball, start, [2.0e4, 0.0, 0.0]), &QueryFilter::new()).unwrap().unwrap();
    assert!((hit.distance - (9_876.543_2 - 1.5)).abs() < 1e-4, "{}", hit.distance);
    assert!((hit.point.x - (target.x - 1.0)).abs() < 1e-4);
}
