//! What filters let through.

use super::scene;
use crate::support::Random;
use tumble::math::{Point, Vec3, WorldPose};
use tumble::shape::Shape;
use tumble::{
    BodyDesc, BodyId, BodyKind, ColliderDesc, ColliderId, ColliderRef, Kinds, Layers, QueryFilter, RayCast, ShapeCast,
    World,
};

/// Everything that every kind of query sees of a world with this filter; all of them must see the same. The query covers the
/// whole scene: an infinite ray sees too little, so a large ball is used, moved, placed, and as a distance.
fn seen(world: &World, filter: &QueryFilter) -> Vec<ColliderId> {
    let all = Shape::cuboid(50.0, 50.0, 50.0).unwrap();
    let (mut by_overlap, mut by_box) = (Vec::new(), Vec::new());
    world.overlap_shape(&all, WorldPose::IDENTITY, filter, &mut by_overlap).unwrap();
    world.overlap_box([-50.0; 3], [50.0; 3], filter, &mut by_box).unwrap();
    assert_eq!(by_overlap, by_box);
    let (mut casts, mut points) = (Vec::new(), Vec::new());
    world.cast_shape_all(&ShapeCast::new(&all, WorldPose::IDENTITY, Vec3::X), filter, &mut casts).unwrap();
    let mut by_cast: Vec<ColliderId> = casts.iter().map(|hit| hit.collider).collect();
    by_cast.sort();
    assert_eq!(by_overlap, by_cast);
    world.closest_point_all([0.0; 3], 100.0, filter, &mut points).unwrap();
    let mut by_point: Vec<ColliderId> = points.iter().map(|hit| hit.collider).collect();
    by_point.sort();
    assert_eq!(by_overlap, by_point);
    let mut hits = Vec::new();
    let mut random = Random(1);
    for _ in 0..50 {
        let ray = RayCast::new(random.vector(9.0).to_f64(), random.vector(1.0), f64::INFINITY);
        world.cast_ray_all(&ray, filter, &mut hits).unwrap();
        assert!(hits.iter().all(|hit| by_overlap.contains(&hit.collider)));
    }
    by_overlap
}

fn expected(world: &World, keep: impl Fn(&ColliderRef<'_>) -> bool) -> Vec<ColliderId> {
    scene::ids(&scene::colliders(world).into_iter().filter(|c| keep(c)).collect::<Vec<_>>())
}

// Each condition by itself and all of them together, in every kind of query.
#[test]
fn every_condition() {
    let world = scene::world(4, Point::ZERO);
    let kind = |c: &ColliderRef<'_>| world.body(c.body()).unwrap().kind();
    let all = QueryFilter::new().sensors(true);
    assert_eq!(seen(&world, &QueryFilter::new()), expected(&world, |c| !c.is_sensor()));
    assert_eq!(seen(&world, &all), expected(&world, |_| true));
    for mask in [0, 1, 2, 5, !1] {
        assert_eq!(seen(&world, &all.mask(mask)), expected(&world, |c| c.layers().member & mask != 0));
    }
    let kinds = [
        (Kinds::DYNAMIC, vec![BodyKind::Dynamic]),
        (Kinds::FIXED, vec![BodyKind::Fixed]),
        (Kinds::KINEMATIC, vec![BodyKind::Kinematic]),
        (Kinds::MOVING, vec![BodyKind::Dynamic, BodyKind::Kinematic]),
        (Kinds::FIXED | Kinds::DYNAMIC, vec![BodyKind::Fixed, BodyKind::Dynamic]),
    ];
    for (kinds, among) in kinds {
        let found = seen(&world, &all.kinds(kinds));
        assert!(!found.is_empty());
        assert_eq!(found, expected(&world, |c| among.contains(&kind(c))));
    }
    let bodies: Vec<BodyId> = world.body_ids().step_by(3).collect();
    assert_eq!(seen(&world, &all.exclude_bodies(&bodies)), expected(&world, |c| !bodies.contains(&c.body())));
    let colliders: Vec<ColliderId> = world.collider_ids().step_by(3).collect();
    assert_eq!(seen(&world, &all.exclude_colliders(&colliders)), expected(&world, |c| !colliders.contains(&c.id())));
    let odd = |c: &ColliderRef<'_>| c.user_data() % 2 == 1;
    assert_eq!(seen(&world, &all.predicate(&odd)), expected(&world, odd));
    let strict = all.mask(7).kinds(Kinds::FIXED).exclude_bodies(&bodies).exclude_colliders(&colliders).predicate(&odd);
    let found = seen(&world, &strict);
    assert!(!found.is_empty());
    let keep = |c: &ColliderRef<'_>| {
        c.layers().member & 7 != 0
            && kind(c) == BodyKind::Fixed
            && !bodies.contains(&c.body())
            && !colliders.contains(&c.id())
            && odd(c)
    };
    assert_eq!(found, expected(&world, keep));
    assert!(format!("{strict:?}").contains("predicate: true"));
}

// With layers of its own a query sees what a collider of these layers would touch; a mask alone sees the member.
#[test]
fn layers_both_ways() {
    let mut world = World::new();
    let shy = Layers { member: 2, meets: 4 };
    world.add_body(BodyDesc::fixed().collider(ColliderDesc::new(Shape::sphere(1.0).unwrap()).layers(shy))).unwrap();
    let sees = |filter: QueryFilter| {
        world.overlap_shape_any(&Shape::sphere(1.0).unwrap(), WorldPose::IDENTITY, &filter).unwrap()
    };
    assert!(sees(QueryFilter::new().mask(2)) && !sees(QueryFilter::new().mask(4)));
    for (layers, meets) in [((4, 2), true), ((1, 2), false), ((4, 1), false), ((6, 3), true)] {
        let layers = Layers { member: layers.0, meets: layers.1 };
        assert_eq!(layers.allows(&shy), meets);
        assert_eq!(sees(QueryFilter::new().layers(layers)), meets);
    }
}

// Ids that no longer name anything exclude nothing, also where their slot has another occupant.
#[test]
fn stale_exclusions() {
    let mut world = World::new();
    let ball = || BodyDesc::dynamic().collider(Shape::sphere(1.0).unwrap());
    let old = world.add_body(ball()).unwrap();
    let old_collider = world.body(old).unwrap().colliders().next().unwrap();
    world.remove_body(old).unwrap();
    let new = world.add_body(ball()).unwrap();
    assert_eq!((old.index(), old_collider.index()), (new.index(), 0));
    let (bodies, colliders) = ([old], [old_collider]);
    let filter = QueryFilter::new().exclude_bodies(&bodies).exclude_colliders(&colliders);
    assert_eq!(seen(&world, &filter).len(), 1);
}

// What does not collide, and what is not active, is not seen; it is again when it is switched on again.
#[test]
fn switched_off() {
    let mut world = World::new();
    let body = world.add_body(BodyDesc::dynamic().collider(Shape::sphere(1.0).unwrap())).unwrap();
    let collider = world.body(body).unwrap().colliders().next().unwrap();
    let count = |world: &World| seen(world, &QueryFilter::new()).len();
    assert_eq!(count(&world), 1);
    world.body_mut(body).unwrap().set_active(false);
    assert_eq!(count(&world), 0);
    world.body_mut(body).unwrap().set_active(true);
    assert_eq!(count(&world), 1);
    world.set_collider_collides(collider, false).unwrap();
    assert_eq!(count(&world), 0);
    world.set_collider_collides(collider, true).unwrap();
    world.set_collider_layers(collider, Layers { member: 0, meets: u32::MAX }).unwrap();
    assert_eq!(count(&world), 0);
}
