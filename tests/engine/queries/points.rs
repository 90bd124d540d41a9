//! Nearest points.

use super::scene::{self, colliders, local, rounding};
use crate::solids;
use crate::support::{Random, assert_near};
use tumble::math::{Float, Point, Pose, Vec3};
use tumble::shape::{CompoundChild, Geometry, MeshDesc, Shape};
use tumble::{BodyDesc, PointHit, QueryFilter, World};

fn ray_of(point: Point, hit: &PointHit) -> Point {
    hit.point + hit.normal.to_f64() * hit.distance - point
}

// The nearest of all colliders, and all within a distance, are those of a loop.
#[test]
fn against_a_loop_over_all_colliders() {
    let filter = QueryFilter::new();
    let mut hits = Vec::new();
    for seed in 0..8 {
        let world = scene::world(seed, Point::ZERO);
        let mut random = Random(5000 + seed);
        for _ in 0..100 {
            let (point, max) = (random.vector(9.0).to_f64(), random.between(0.0, 6.0));
            let mut expected: Vec<_> = colliders(&world)
                .iter()
                .filter(|c| !c.is_sensor())
                .map(|c| (c.shape().closest_point(local(&c.pose(), point).to_real()).distance.to_f64(), c.id()))
                .collect();
            expected.sort_by(|a, b| a.0.total_cmp(&b.0));
            // A collider at the very border of the search is on either side.
            if expected.iter().any(|e| (e.0 - max).abs() < rounding()) {
                continue;
            }
            expected.retain(|e| e.0 <= max);
            world.closest_point_all(point, max, &filter, &mut hits).unwrap();
            assert_eq!(hits.len(), expected.len());
            for (hit, (distance, _)) in hits.iter().zip(&expected) {
                assert!((hit.distance - distance).abs() < rounding(), "{hit:?} {distance}");
                // The answer is consistent in itself: from the surface along the normal back to the point.
                assert_near("way back", ray_of(point, hit), Vec3::ZERO, 10.0 * rounding());
            }
            assert_eq!(world.closest_point(point, max, &filter).unwrap(), hits.first().copied());
        }
    }
}

// Inside of solids the distance is negative and the deepest counts; with `solid` off they are not there.
#[test]
fn inside_of_solids() {
    let mut world = World::new();
    let ball = Shape::sphere(1.0).unwrap();
    let pair = [0.0, 5.0].map(|x| CompoundChild::new(ball.clone(), Pose::from_translation(Vec3::new(x, 0.0, 0.0))));
    let (vertices, triangles) = solids::rounded(&solids::cuboid(Vec3::all(1.0)));
    let cube = Shape::mesh(MeshDesc::new(vertices, triangles)).unwrap();
    let ground = Shape::half_space(Vec3::Y, 0.0).unwrap();
    let nearest_outside = [None, Some(3.5), None, None];
    let at = Point::new(0.5, -0.25, 0.0);
    let shapes = [ball, Shape::compound(pair.to_vec()).unwrap(), cube, ground];
    for (shape, outside) in shapes.into_iter().zip(nearest_outside) {
        world.reset();
        world.add_body(BodyDesc::fixed().position([20.0, 0.0, 0.0]).collider(shape.clone())).unwrap();
        let point = at + Vec3::new(20.0, 0.0, 0.0);
        let hit = world.closest_point(point, 0.0, &QueryFilter::new()).unwrap().unwrap();
        let expected = shape.closest_point(at.to_real());
        assert!(hit.distance < 0.0 && (hit.distance - expected.distance.to_f64()).abs() < rounding());
        let hollow = world.closest_point(point, 100.0, &QueryFilter::new().solid(false)).unwrap();
        let sphere = |x: f64| ((x + 1.0) * (x + 1.0) + 0.0625).sqrt() - 1.0;
        match outside {
            None => assert_eq!(hollow, None),
            Some(x) => assert!((hollow.unwrap().distance - sphere(x)).abs() < rounding()),
        }
    }
}
