//! Queries that give one answer allocate nothing.

use super::scene::{self, near};
use crate::support::{Random, allocations};
use tumble::math::Point;
use tumble::shape::Shape;
use tumble::{QueryFilter, RayCast, ShapeCast};

#[test]
fn single_answers_allocate_nothing() {
    let world = scene::world(3, Point::ZERO);
    let shape =
        Shape::hull(&[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [-0.5, -0.5, -0.5]].map(Into::into)).unwrap();
    let filter = QueryFilter::new();
    let mut random = Random(4);
    let (mut hits, mut found) = (Vec::new(), Vec::new());
    let before = allocations();
    assert_eq!(vec![0u8; 16].len(), 16);
    assert!(allocations() > before, "allocations are not counted");
    for _ in 0..100 {
        let pose = near(&mut random, Point::ZERO, 10.0);
        let ray = RayCast::new(pose.translation, random.vector(1.0), 20.0);
        let cast = ShapeCast::new(&shape, pose, random.vector(10.0)).turning(random.vector(1.0));
        let before = allocations();
        world.cast_ray(&ray, &filter).unwrap();
        world.cast_ray(&ray, &filter.solid(false)).unwrap();
        world.cast_ray_any(&ray, &filter).unwrap();
        world.cast_shape(&cast, &filter).unwrap();
        world.cast_shape_any(&cast, &filter).unwrap();
        world.overlap_shape_any(&shape, pose, &filter).unwrap();
        world.closest_point(pose.translation, 10.0, &filter).unwrap();
        assert_eq!(allocations(), before);
        // The forms with many answers take the caller's memory, and no more once it is large enough.
        hits.reserve(64);
        found.reserve(64);
        let before = allocations();
        world.cast_ray_all(&ray, &filter, &mut hits).unwrap();
        world.overlap_shape(&shape, pose, &filter, &mut found).unwrap();
        assert_eq!(allocations(), before);
    }
}
