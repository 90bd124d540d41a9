//! Bodies that were moved, added, edited or removed are seen as they are, at once; and how they came there does not matter.

use super::scene::{self, near};
use crate::support::{Random, ballistic};
use tumble::math::{Point, Pose, Vec3, WorldPose};
use tumble::shape::Shape;
use tumble::{BodyDesc, BodyKind, CastHit, ColliderDesc, Integrate, QueryFilter, RayCast, ShapeCast, World};

fn down_at(world: &World, x: f64) -> Option<f64> {
    let hit = world.cast_ray(&RayCast::new([x, 100.0, 0.0], [0.0, -1.0, 0.0], 200.0), &QueryFilter::new()).unwrap();
    hit.map(|hit| (hit.point.y * 1e4).round() / 1e4)
}

// Every edit that moves or changes a collider is seen by the next query, without a step.
#[test]
fn every_edit_is_seen_at_once() {
    for kind in [BodyKind::Dynamic, BodyKind::Fixed, BodyKind::Kinematic] {
        let mut world = World::new();
        let mut desc = BodyDesc::fixed().collider(Shape::cuboid(0.5, 1.0, 0.5).unwrap());
        desc.kind = kind;
        let body = world.add_body(desc).unwrap();
        let collider = world.body(body).unwrap().colliders().next().unwrap();
        assert_eq!((down_at(&world, 0.0), down_at(&world, 40.0)), (Some(1.0), None));
        world.body_mut(body).unwrap().set_position([40.0, 3.0, 0.0]).unwrap();
        assert_eq!((down_at(&world, 0.0), down_at(&world, 40.0)), (None, Some(4.0)));
        let quarter = tumble::math::Quat::between(Vec3::Y, Vec3::X);
        world.body_mut(body).unwrap().set_rotation(quarter).unwrap();
        assert_eq!((down_at(&world, 39.2), down_at(&world, 40.0)), (Some(3.5), Some(3.5)));
        world.body_mut(body).unwrap().set_pose(WorldPose::IDENTITY).unwrap();
        world.set_collider_pose(collider, Pose::from_translation(Vec3::new(0.0, 7.0, 0.0))).unwrap();
        assert_eq!(down_at(&world, 0.0), Some(8.0));
        world.set_collider_shape(collider, Shape::sphere(3.0).unwrap()).unwrap();
        assert_eq!((down_at(&world, 0.0), down_at(&world, 2.9).is_some()), (Some(10.0), true));
        let second =
            world.add_collider(body, ColliderDesc::new(Shape::sphere(1.0).unwrap()).at([20.0, 0.0, 0.0])).unwrap();
        assert_eq!(down_at(&world, 20.0), Some(1.0));
        world.body_mut(body).unwrap().set_kind(BodyKind::Kinematic).unwrap();
        assert_eq!((down_at(&world, 0.0), down_at(&world, 20.0)), (Some(10.0), Some(1.0)));
        world.remove_collider(second).unwrap();
        assert_eq!(down_at(&world, 20.0), None);
        world.remove_body(body).unwrap();
        assert_eq!(down_at(&world, 0.0), None);
    }
}

// After a step bodies are seen where the step took them, under every method, kinematic ones on their target.
#[test]
fn steps_are_seen() {
    let soft = World::new();
    let explicit = ballistic(Integrate::SemiImplicitEuler);
    for mut world in [soft, explicit] {
        world.set_gravity([0.0, -10.0, 0.0]).unwrap();
        let ball = || Shape::sphere(0.5).unwrap();
        let thrown = BodyDesc::dynamic().position([0.0, 50.0, 0.0]).linear_velocity([30.0, 0.0, 0.0]).collider(ball());
        let thrown = world.add_body(thrown).unwrap();
        let mut carried = BodyDesc::fixed().position([0.0, -5.0, 0.0]).collider(ball());
        carried.kind = BodyKind::Kinematic;
        let carried = world.add_body(carried).unwrap();
        for i in 1..=60 {
            let target = WorldPose::from_translation([f64::from(i) * 0.9, -5.0, 0.0]);
            world.body_mut(carried).unwrap().set_target(target).unwrap();
            world.step(1.0 / 60.0).unwrap();
            for id in [thrown, carried] {
                let at = world.body(id).unwrap().position();
                let ray = RayCast::new(at + Vec3::new(0.0, 0.0, 4.0), -Vec3::Z, 10.0);
                let hit = world.cast_ray(&ray, &QueryFilter::new()).unwrap();
                assert!(hit.is_some_and(|hit| hit.body == id && (hit.distance - 3.5).abs() < 1e-5), "{hit:?}");
            }
        }
    }
}

// The same bodies at the same places, once put there and once carried there in many ways: the same bits, though the trees are
// others.
#[test]
fn answers_do_not_depend_on_the_past() {
    let direct = scene::world(6, Point::ZERO);
    let mut carried = scene::world(6, Point::ZERO);
    let mut random = Random(12);
    let bodies: Vec<_> = carried.body_ids().collect();
    let homes: Vec<WorldPose> = bodies.iter().map(|&b| carried.body(b).unwrap().pose()).collect();
    for _ in 0..200 {
        let body = bodies[random.below(bodies.len())];
        carried.body_mut(body).unwrap().set_pose(near(&mut random, Point::ZERO, 60.0)).unwrap();
    }
    for (&body, home) in bodies.iter().zip(&homes) {
        // Small hops at the end leave the fat boxes where they are.
        let hop = WorldPose::new(home.translation + Vec3::new(0.01, 0.02, -0.01), home.rotation);
        carried.body_mut(body).unwrap().set_pose(hop).unwrap();
        carried.body_mut(body).unwrap().set_pose(*home).unwrap();
    }
    // A body's frame is stored by its centre of mass; going there and back may round it, so both go.
    let mut direct = direct;
    for (&body, home) in bodies.iter().zip(&homes) {
        direct.body_mut(body).unwrap().set_pose(*home).unwrap();
    }
    let filter = QueryFilter::new();
    let (mut a, mut b): (Vec<CastHit>, Vec<CastHit>) = (Vec::new(), Vec::new());
    let ball = Shape::capsule(0.5, 0.3).unwrap();
    for _ in 0..300 {
        let start = near(&mut random, Point::ZERO, 12.0);
        let along = random.vector(10.0);
        let ray = RayCast::new(start.translation, along, 25.0);
        direct.cast_ray_all(&ray, &filter, &mut a).unwrap();
        carried.cast_ray_all(&ray, &filter, &mut b).unwrap();
        assert_eq!(a, b);
        let cast = ShapeCast::new(&ball, start, along);
        direct.cast_shape_all(&cast, &filter, &mut a).unwrap();
        carried.cast_shape_all(&cast, &filter, &mut b).unwrap();
        assert_eq!(a, b);
        // The first of all is the first alone, bit for bit, though the search ends sooner.
        assert_eq!(direct.cast_shape(&cast, &filter).unwrap(), a.first().copied());
        let near = |world: &World| world.closest_point(start.translation, 20.0, &filter).unwrap();
        assert_eq!(near(&direct), near(&carried));
    }
}
