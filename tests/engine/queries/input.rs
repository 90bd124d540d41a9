//! Input that makes no sense is refused, and extreme input has an answer; nothing panics.

use super::scene;
use crate::support::real;
use tumble::math::{Point, Quat, Real, Vec3, WorldPose};
use tumble::shape::{CompoundChild, Shape};
use tumble::{CastHit, PointHit, QueryFilter, RayCast, ShapeCast, World};

#[test]
fn refusals_name_the_value() {
    let world = scene::world(1, Point::ZERO);
    let filter = QueryFilter::new();
    let ray = |origin: [f64; 3], direction: Vec3, max: f64| {
        world.cast_ray(&RayCast::new(origin, direction, max), &filter).unwrap_err().to_string()
    };
    let nan = f64::NAN;
    assert_eq!(ray([0.0, nan, 0.0], Vec3::X, 1.0), "ray: origin must be finite, got [0.0, NaN, 0.0]");
    assert!(ray([0.0; 3], Vec3::ZERO, 1.0).starts_with("ray: direction must be a finite vector other than zero"));
    assert!(ray([0.0; 3], Vec3::all(Real::INFINITY), 1.0).contains("direction"));
    assert_eq!(ray([0.0; 3], Vec3::X, nan), "ray: length must be zero or positive, got NaN");
    assert!(ray([0.0; 3], Vec3::X, -1.0).contains("-1"));
    let nowhere = RayCast::between([1.0, 2.0, 3.0], [1.0, 2.0, 3.0]);
    assert!(world.cast_ray_any(&nowhere, &filter).is_err());

    // A batch names the ray, and its answers are empty.
    let mut hits = vec![None; 4];
    let good = RayCast::new([0.0; 3], Vec3::X, 1.0);
    let error = world.cast_rays(&[good, good, nowhere], &filter, &mut hits).unwrap_err().to_string();
    assert!(error.starts_with("ray 2: direction") && hits.is_empty());

    let ball = Shape::sphere(1.0).unwrap();
    let cast = |shape: &Shape, start: WorldPose, way: Vec3, turn: Vec3| {
        let mut hits: Vec<CastHit> = Vec::new();
        let cast = ShapeCast::new(shape, start, way).turning(turn);
        let all = world.cast_shape_all(&cast, &filter, &mut hits).unwrap_err();
        assert_eq!(world.cast_shape(&cast, &filter).unwrap_err(), all);
        assert_eq!(world.cast_shape_any(&cast, &filter).unwrap_err(), all);
        all.to_string()
    };
    let here = WorldPose::IDENTITY;
    let lost = WorldPose::from_translation([nan, 0.0, 0.0]);
    let unturned = WorldPose::new([0.0; 3], Quat::new(0.0, 0.0, 0.0, 0.0));
    assert!(cast(&ball, lost, Vec3::X, Vec3::ZERO).starts_with("shape cast: position must be finite"));
    assert!(cast(&ball, unturned, Vec3::X, Vec3::ZERO).contains("unit quaternion"));
    assert!(cast(&ball, here, Vec3::all(Real::NAN), Vec3::ZERO).contains("translation must be finite"));
    assert!(cast(&ball, here, Vec3::X, Vec3::all(Real::INFINITY)).contains("rotation over the way"));
    let ground = Shape::half_space(Vec3::Y, 0.0).unwrap();
    assert!(cast(&ground, here, Vec3::X, Vec3::ZERO).contains("cannot be cast"));
    let mixed = Shape::compound(vec![CompoundChild::new(ground, tumble::math::Pose::IDENTITY)]).unwrap();
    assert!(cast(&mixed, here, Vec3::X, Vec3::ZERO).contains("cannot be cast"));

    let mut found = Vec::new();
    assert!(world.overlap_shape(&ball, lost, &filter, &mut found).is_err());
    assert!(world.overlap_shape_any(&ball, unturned, &filter).is_err());
    assert!(world.overlap_box([1.0; 3], [0.0; 3], &filter, &mut found).is_err());
    assert!(world.overlap_box([nan; 3], [1.0; 3], &filter, &mut found).is_err());
    let mut near: Vec<PointHit> = Vec::new();
    assert!(world.closest_point([nan; 3], 1.0, &filter).is_err());
    assert!(world.closest_point([0.0; 3], -1.0, &filter).is_err());
    assert!(world.closest_point_all([0.0; 3], nan, &filter, &mut near).is_err());
}

// Huge, tiny and infinite values that are allowed: an answer or none, and no panic, also in a world where things are
// equally far away.
#[test]
fn extremes_have_an_answer() {
    let mut far = scene::world(2, Point::ZERO);
    let bodies: Vec<_> = far.body_ids().collect();
    for (i, &body) in bodies.iter().enumerate() {
        let x = [1e30, -1e38, 1e200, 1e-300, 1e12][i % 5];
        far.body_mut(body).unwrap().set_position([x, -x, 0.5 * x]).unwrap();
    }
    let big = Shape::sphere(1e30).unwrap();
    let small = Shape::cuboid(1e-20, 1e-20, 1e-20).unwrap();
    let filter = QueryFilter::new().sensors(true);
    let ids: Vec<_> = far.collider_ids().collect();
    let mut hits = Vec::new();
    let mut found = Vec::new();
    for world in [&scene::world(2, Point::ZERO), &far, &World::new()] {
        for x in [0.0, 1e-300, 1e-20, 1.0, 1e20, 1e37, 1e200, 1e308] {
            for y in [0.0, -1e-30, 1.0, -1e30] {
                let p = Point::new(x, y, -x);
                let d = Vec3::new(real(y), 1.0, real(-y));
                for max in [0.0, 1.0, 1e30, f64::INFINITY] {
                    world.cast_ray(&RayCast::new(p, d, max), &filter).unwrap();
                    world.cast_ray_all(&RayCast::new(p, d, max), &filter.solid(false), &mut hits).unwrap();
                    world.closest_point(p, max, &filter).unwrap();
                }
                for shape in [&big, &small] {
                    for turn in [Vec3::ZERO, d] {
                        let cast = ShapeCast::new(shape, WorldPose::from_translation(p), d).turning(turn);
                        world.cast_shape(&cast, &filter).unwrap();
                    }
                    world.overlap_shape(shape, WorldPose::from_translation(p), &filter, &mut found).unwrap();
                }
                world.overlap_box(p, p, &filter, &mut found).unwrap();
            }
        }
    }
    for &a in &ids {
        for &b in &ids {
            let _ = far.distance(a, b);
        }
    }
}
