//! The same bits on any number of threads.

use crate::support::jointed;
use std::sync::Arc;
use tumble::math::{Real, Vec3};
use tumble::shape::Shape;
use tumble::{BodyDesc, BodyId, Locks, Material, Method, World};

/// Boxes, balls and capsules that fall on each other in a tray: several colours, bounces, rolling friction, and more manifolds per
/// colour than one thread takes at a time.
fn pile() -> World {
    let mut world = World::new();
    let floor = Shape::half_space(Vec3::Y, 0.0).unwrap();
    world.add_body(BodyDesc::fixed().collider(floor)).unwrap();
    let shapes = [
        Shape::cuboid(0.4, 0.3, 0.5).unwrap(),
        Shape::sphere(0.4).unwrap(),
        Shape::capsule(0.3, 0.25).unwrap(),
        Shape::cylinder(0.3, 0.4).unwrap(),
    ];
    let rubber =
        world.add_material(Material { restitution: 0.5, rolling_friction: 0.01, ..Material::default() }).unwrap();
    for i in 0..600 {
        let (x, y, z) = (i % 12, i / 144, i / 12 % 12);
        let at = [f64::from(x) * 0.95 + f64::from(y) * 0.1, 0.6 + f64::from(y) * 0.9, f64::from(z) * 0.95];
        let collider = tumble::ColliderDesc::new(shapes[i as usize % 4].clone());
        let collider = if i % 5 == 0 { collider.material(rubber) } else { collider };
        let spin = Vec3::new((i % 7) as Real - 3.0, 0.0, (i % 3) as Real - 1.0);
        world.add_body(BodyDesc::dynamic().position(at).angular_velocity(spin).collider(collider)).unwrap();
    }
    world
}

/// The next step of worlds that differ in their threads alone: all of them come to the same bits.
fn step_alike(worlds: &mut [World], step: usize) {
    for world in worlds.iter_mut() {
        world.step(1.0 / 60.0).unwrap();
    }
    let first = worlds[0].hash();
    for world in &worlds[1..] {
        assert_eq!(world.hash(), first, "step {step} on {} threads", world.threads());
    }
}

/// After every step, whoever did the work.
#[test]
fn the_number_of_threads_changes_no_bit() {
    let mut worlds: Vec<World> = [1, 2, 3, 8]
        .into_iter()
        .map(|threads| {
            let mut world = pile();
            world.set_threads(threads).unwrap();
            world
        })
        .collect();
    for step in 0..60 {
        step_alike(&mut worlds, step);
    }
    let contacts = worlds[0].profile().contacts;
    assert!(contacts > 500, "too few contacts to share: {contacts}");
}

/// The same with joints of every form, more of one colour than one thread takes at a time, and with bodies that are stopped on their way.
#[test]
fn the_number_of_threads_changes_no_bit_with_joints() {
    let mut worlds: Vec<World> = [1, 2, 3, 8]
        .into_iter()
        .map(|threads| {
            let mut world = jointed(26);
            world.set_threads(threads).unwrap();
            world
        })
        .collect();
    for step in 0..30 {
        step_alike(&mut worlds, step);
    }
}

/// What few piles have: a crowd of fast balls between thin walls, a kinematic plate and a dynamic slab that very many boxes stand on, locked axes, and a body that stops
/// being a number on its way.
fn fair() -> (World, Vec<BodyId>, BodyId) {
    let mut world = World::new();
    let floor = Shape::half_space(Vec3::Y, 0.0).unwrap();
    world.add_body(BodyDesc::fixed().collider(floor)).unwrap();
    let mut balls = Vec::new();
    let wall = Shape::cuboid(0.02, 4.0, 12.0).unwrap();
    for x in [0.0, 3.0] {
        world.add_body(BodyDesc::fixed().position([x, 4.0, 10.0]).collider(wall.clone())).unwrap();
    }
    for i in 0..160 {
        let at = [1.5, 0.5 + 0.4 * f64::from(i / 40), 0.5 * f64::from(i % 40)];
        let away = if i % 2 == 0 { 60.0 } else { -75.0 };
        let ball = BodyDesc::dynamic().position(at).linear_velocity([away, 0.1 * (i % 7) as Real, 0.0]);
        balls.push(world.add_body(ball.collider(Shape::sphere(0.1).unwrap())).unwrap());
    }
    let plate = Shape::cuboid(3.0, 0.1, 3.0).unwrap();
    let carried = BodyDesc::kinematic().position([-10.0, 1.0, 0.0]).linear_velocity([0.3, 0.0, 0.1]);
    world.add_body(carried.collider(plate.clone())).unwrap();
    world.add_body(BodyDesc::dynamic().position([-20.0, 0.1, 0.0]).collider(plate)).unwrap();
    for i in 0..128 {
        let (x, z) = (f64::from(i % 8) - 3.5, f64::from(i / 8 % 8) - 3.5);
        let at = [if i < 64 { -10.0 } else { -20.0 } + 0.7 * x, if i < 64 { 1.3 } else { 0.4 }, 0.7 * z];
        let locked = if i % 9 == 0 { Locks::TURN } else { Locks::NONE };
        let chest = BodyDesc::dynamic().position(at).locks(locked);
        world.add_body(chest.collider(Shape::cuboid(0.2, 0.2, 0.2).unwrap())).unwrap();
    }
    let lost = BodyDesc::dynamic().position([50.0, 5.0, 0.0]).collider(Shape::sphere(0.05).unwrap());
    let lost = world.add_body(lost).unwrap();
    (world, balls, lost)
}

/// All that the threads share on the way of a step where it is out of the ordinary; more threads than have blocks of their own among them.
#[test]
fn the_number_of_threads_changes_no_bit_at_the_fair() {
    let (world, balls, lost) = fair();
    let mut worlds = [1, 2, 3, 17].map(|threads| {
        let mut copy = fair().0;
        copy.set_threads(threads).unwrap();
        copy
    });
    assert_eq!(world.hash(), worlds[0].hash());
    let mut quarantined = 0;
    for step in 0..40 {
        if step == 20 {
            for world in &mut worlds {
                world.body_mut(lost).unwrap().set_force([Real::MAX, Real::MAX, 0.0]).unwrap();
            }
        }
        step_alike(&mut worlds, step);
        let gone = |event: &&tumble::Event| matches!(event, tumble::Event::Quarantined { .. });
        quarantined += worlds[0].events().iter().filter(gone).count();
    }
    assert_eq!(quarantined, 1);
    let inside = |&&ball: &&BodyId| (0.0..3.0).contains(&worlds[0].body(ball).unwrap().position().x);
    assert_eq!(balls.iter().filter(inside).count(), balls.len(), "balls between the walls");
}

/// Sleepers that are struck from both sides in one step: the first contact wakes them before the second is looked at. Slabs lie across several of them,
/// so that some are woken whom nothing strikes.
#[test]
fn sleepers_struck_from_both_sides_change_no_bit() {
    const TARGETS: usize = 40;
    let mut asleep = World::new();
    asleep.add_body(BodyDesc::fixed().collider(Shape::half_space(Vec3::Y, 0.0).unwrap())).unwrap();
    let cube = Shape::cuboid(0.2, 0.2, 0.2).unwrap();
    let mut targets = Vec::new();
    for i in 0..TARGETS {
        let at = BodyDesc::dynamic().position([0.0, 0.2, 0.5 * i as f64]).mass(20.0);
        targets.push(asleep.add_body(at.collider(cube.clone())).unwrap());
    }
    for i in (0..TARGETS).step_by(8) {
        let at = BodyDesc::dynamic().position([0.0, 0.45, 0.5 * i as f64 + 0.25]);
        asleep.add_body(at.collider(Shape::cuboid(0.2, 0.05, 0.4).unwrap())).unwrap();
    }
    for _ in 0..400 {
        asleep.step(1.0 / 60.0).unwrap();
    }
    assert!(targets.iter().all(|&target| asleep.body(target).unwrap().is_asleep()));
    let mut bullets = Vec::new();
    for (i, side) in (0..TARGETS).flat_map(|i| [(i, -1.0), (i, 1.0)]) {
        let at = [3.0 * side, 0.2 + 0.01 * (i % 5) as f64, 0.5 * i as f64];
        let bullet = BodyDesc::dynamic().position(at).linear_velocity([-200.0 * side as Real, 0.0, 0.0]).bullet(true);
        let bullet = bullet.collider(Shape::sphere(0.05).unwrap());
        bullets.push((asleep.add_body(bullet).unwrap(), targets[i], side));
    }
    let mut worlds = [1, 2, 3, 17].map(|threads| {
        let mut copy = asleep.clone();
        copy.set_threads(threads).unwrap();
        copy
    });
    for step in 0..20 {
        step_alike(&mut worlds, step);
    }
    for (bullet, target, side) in bullets {
        let [bullet, target] = [bullet, target].map(|body| worlds[0].body(body).unwrap());
        assert!(!target.is_asleep() && (bullet.position().x - target.position().x) * side > 0.0, "went through");
    }
}

/// Worlds that step at the same time on one pool do not wait for each other for ever, and come out as if alone.
#[test]
fn worlds_share_a_pool() {
    let pool = Arc::new(rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap());
    let mut alone = pile();
    for _ in 0..20 {
        alone.step(1.0 / 60.0).unwrap();
    }
    let hashes: Vec<u64> = std::thread::scope(|scope| {
        let runs: Vec<_> = (0..3)
            .map(|_| {
                scope.spawn(|| {
                    let mut world = pile();
                    world.set_thread_pool(Some(pool.clone()));
                    for _ in 0..20 {
                        world.step(1.0 / 60.0).unwrap();
                    }
                    world.hash()
                })
            })
            .collect();
        runs.into_iter().map(|r| r.join().unwrap()).collect()
    });
    assert_eq!(hashes, [alone.hash(); 3]);
}

/// The pool may change at any time.
#[test]
fn threads_can_be_changed_between_steps() {
    let (mut one, mut many) = (pile(), pile());
    for step in 0..30 {
        many.set_threads(1 + step % 3).unwrap();
        one.step(1.0 / 60.0).unwrap();
        many.step(1.0 / 60.0).unwrap();
    }
    assert_eq!(one.hash(), many.hash());
    assert!(many.set_threads(0).is_err());
    assert!(many.set_threads(1_000_000).is_err());
    assert_eq!(many.threads(), 3);
}

/// Also with methods that share little.
#[test]
fn every_preset_runs_on_threads() {
    for method in Method::presets() {
        let (mut one, mut two) = (pile(), pile());
        two.set_threads(2).unwrap();
        for world in [&mut one, &mut two] {
            world.set_method(method.clone()).unwrap();
            for _ in 0..10 {
                world.step(1.0 / 60.0).unwrap();
            }
        }
        assert_eq!(one.hash(), two.hash(), "{}", method.name);
    }
}
