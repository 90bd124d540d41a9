//! Many questions at once.

use super::scene::{self, KINDS, near};
use crate::support::Random;
use tumble::math::{Point, WorldPose};
use tumble::shape::Shape;
use tumble::{ColliderId, ColliderRef, QueryFilter, ShapeCast};

// A batch gives what single questions give, in their order, and keeps nothing of what was in the vector before.
#[test]
fn batches_answer_as_single_questions_do() {
    let world = scene::world(4, Point::ZERO);
    let mut random = Random(15);
    let convex: Vec<Shape> = (0..5).map(|kind| scene::shape(kind, &mut random)).collect();
    let any: Vec<Shape> = (0..KINDS).map(|kind| scene::shape(kind, &mut random)).collect();
    let poses: Vec<WorldPose> = (0..120).map(|_| near(&mut random, Point::ZERO, 9.0)).collect();
    let even = |c: &ColliderRef<'_>| c.user_data().is_multiple_of(2);
    for filter in [QueryFilter::new(), QueryFilter::new().predicate(&even)] {
        let casts: Vec<ShapeCast> = poses
            .iter()
            .enumerate()
            .map(|(i, &pose)| ShapeCast::new(&convex[i % convex.len()], pose, random.vector(6.0)))
            .collect();
        let mut hits = vec![None; 3];
        world.cast_shapes(&casts, &filter, &mut hits).unwrap();
        let single: Vec<_> = casts.iter().map(|cast| world.cast_shape(cast, &filter).unwrap()).collect();
        assert_eq!(hits, single);
        assert!(hits.iter().flatten().count() > 20 && hits.iter().any(Option::is_none));

        let places: Vec<(&Shape, WorldPose)> =
            poses.iter().enumerate().map(|(i, &pose)| (&any[i % any.len()], pose)).collect();
        let mut found = vec![(7, ColliderId::from_bits(0))];
        world.overlap_shapes(&places, &filter, &mut found).unwrap();
        let mut single = Vec::new();
        for (i, (shape, pose)) in places.iter().enumerate() {
            let mut one = Vec::new();
            world.overlap_shape(shape, *pose, &filter, &mut one).unwrap();
            single.extend(one.into_iter().map(|id| (i, id)));
        }
        assert_eq!(found, single);
        assert!(found.len() > 20);

        let points: Vec<Point> = poses.iter().map(|pose| pose.translation).collect();
        let mut nearest = vec![None; 3];
        world.closest_points(&points, 2.0, &filter, &mut nearest).unwrap();
        let single: Vec<_> = points.iter().map(|&p| world.closest_point(p, 2.0, &filter).unwrap()).collect();
        assert_eq!(nearest, single);
        assert!(nearest.iter().flatten().count() > 20 && nearest.iter().any(Option::is_none));

        world.cast_shapes(&[], &filter, &mut hits).unwrap();
        world.overlap_shapes(&[], &filter, &mut found).unwrap();
        world.closest_points(&[], 2.0, &filter, &mut nearest).unwrap();
        assert!(hits.is_empty() && found.is_empty() && nearest.is_empty());
    }
}

// One question that makes no sense is named by its number, and none is answered.
#[test]
fn the_bad_one_of_a_batch_is_named() {
    let world = scene::world(4, Point::ZERO);
    let (filter, ball) = (QueryFilter::new(), Shape::sphere(0.5).unwrap());
    let nowhere = WorldPose::from_translation([f64::NAN, 0.0, 0.0]);
    let cast = |pose| ShapeCast::new(&ball, pose, [1.0, 0.0, 0.0]);
    let mut hits = vec![None; 3];
    let casts = [cast(WorldPose::IDENTITY), cast(nowhere)];
    let error = world.cast_shapes(&casts, &filter, &mut hits).unwrap_err().to_string();
    assert!(error.starts_with("shape cast 1: position must be finite") && hits.is_empty(), "{error}");
    let ground = Shape::half_space(tumble::math::Vec3::Y, 0.0).unwrap();
    let casts = [ShapeCast::new(&ground, WorldPose::IDENTITY, [1.0, 0.0, 0.0])];
    let error = world.cast_shapes(&casts, &filter, &mut hits).unwrap_err().to_string();
    assert!(error.starts_with("shape cast 0: half-spaces"), "{error}");

    let mut found = Vec::new();
    let places = [(&ball, WorldPose::IDENTITY), (&ball, WorldPose::IDENTITY), (&ball, nowhere)];
    let error = world.overlap_shapes(&places, &filter, &mut found).unwrap_err().to_string();
    assert!(error.starts_with("overlap 2: position must be finite") && found.is_empty(), "{error}");

    let mut nearest = Vec::new();
    let points = [Point::ZERO, nowhere.translation];
    let error = world.closest_points(&points, 1.0, &filter, &mut nearest).unwrap_err().to_string();
    assert!(error.starts_with("closest point 1: point must be finite") && nearest.is_empty(), "{error}");
    let error = world.closest_points(&points[..1], f64::NAN, &filter, &mut nearest).unwrap_err().to_string();
    assert!(error.starts_with("closest point 0: largest distance"), "{error}");
}
