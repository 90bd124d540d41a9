//! Queries from several threads at once.

use super::scene::{self, near};
use crate::support::Random;
use tumble::math::{Point, WorldPose};
use tumble::shape::Shape;
use tumble::{CastHit, ColliderId, ColliderRef, PointHit, QueryFilter, RayCast, ShapeCast, World};

type Answers = (Option<CastHit>, Option<CastHit>, Option<PointHit>, Vec<ColliderId>);

fn ask(world: &World, filter: &QueryFilter, shape: &Shape, pose: WorldPose, seed: u64) -> Answers {
    let along = Random(seed).vector(8.0);
    let mut found = Vec::new();
    world.overlap_shape(shape, pose, filter, &mut found).unwrap();
    (
        world.cast_ray(&RayCast::new(pose.translation, along, 20.0), filter).unwrap(),
        world.cast_shape(&ShapeCast::new(shape, pose, along), filter).unwrap(),
        world.closest_point(pose.translation, 5.0, filter).unwrap(),
        found,
    )
}

// Several threads that share one world and one filter get the answers of one thread.
#[test]
fn same_answers_on_every_thread() {
    let world = scene::world(9, Point::ZERO);
    let shape = Shape::cuboid(0.5, 0.3, 0.4).unwrap();
    let even = |c: &ColliderRef<'_>| c.user_data().is_multiple_of(2);
    let filter = QueryFilter::new().predicate(&even);
    let mut random = Random(77);
    let poses: Vec<WorldPose> = (0..100).map(|_| near(&mut random, Point::ZERO, 10.0)).collect();
    let all = || -> Vec<Answers> {
        poses.iter().zip(0..).map(|(&pose, seed)| ask(&world, &filter, &shape, pose, seed)).collect()
    };
    let alone = all();
    assert!(alone.iter().filter(|a| a.0.is_some()).count() > 10);
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(all)).collect();
        for thread in threads {
            assert_eq!(thread.join().unwrap(), alone);
        }
    });
}
