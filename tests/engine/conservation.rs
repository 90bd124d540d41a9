//! 003-07: without external load momentum and angular momentum stay, also through collisions; energy does not grow.

use crate::support::{Random, assert_near, eps};
use tumble::force::Gravitation;
use tumble::math::{Real, Vec3};
use tumble::shape::Shape;
use tumble::{BodyDesc, BodySet, ColliderDesc, EffectDesc, JointDesc, World};

/// A cloud of bodies of all convex kinds, thrown together in empty space.
fn cloud(friction: Real, restitution: Real) -> World {
    let mut random = Random(41);
    let mut world = World::new();
    world.set_gravity(Vec3::ZERO).unwrap();
    let corners: Vec<Vec3> = (0..12).map(|_| random.vector(0.5)).collect();
    let shapes = [
        Shape::sphere(0.4).unwrap(),
        Shape::cuboid(0.5, 0.3, 0.2).unwrap(),
        Shape::capsule(0.3, 0.25).unwrap(),
        Shape::cylinder(0.3, 0.4).unwrap(),
        Shape::cone(0.4, 0.4).unwrap(),
        Shape::hull(&corners).unwrap(),
    ];
    for i in 0..27 {
        let at = Vec3::new((i % 3 - 1) as f64, (i / 3 % 3 - 1) as f64, (i / 9 - 1) as f64) * 1.5;
        let collider = ColliderDesc::new(shapes[i as usize % shapes.len()].clone()).friction(friction);
        let velocity = (at * -1.0).to_real() + random.vector(0.5);
        let desc = BodyDesc::dynamic().position(at).rotation(random.rotation()).linear_velocity(velocity);
        world.add_body(desc.angular_velocity(random.vector(2.0)).collider(collider.restitution(restitution))).unwrap();
    }
    world
}

/// What a world has of momentum and angular momentum when no two parts of it cancel.
fn scales(world: &World) -> (f64, f64) {
    world.body_ids().map(|id| world.body(id).unwrap()).fold((0.0, 0.0), |(p, l), body| {
        let orbit = body.position().cross(body.momentum()).length();
        (p + body.momentum().length(), l + orbit + body.angular_momentum().length())
    })
}

/// Momentum stays to rounding, and angular momentum to a thousandth. Energy is lost and not won; elastic impacts of several
/// points at once, which Newton's law takes one by one, may lend some but never make more than there was.
#[test]
fn momentum_stays_through_collisions() {
    for (friction, restitution) in [(0.0, 0.0), (0.6, 0.0), (0.6, 0.5), (0.0, 1.0)] {
        for rate in [60, 480] {
            let mut world = cloud(friction, restitution);
            let start = world.measure();
            let (scale, turn_scale) = scales(&world);
            let mut energy = start.kinetic;
            let mut touched = 0;
            for _ in 0..3 * rate {
                world.step(1.0 / rate as Real).unwrap();
                let now = world.measure();
                touched += world.profile().contacts;
                // Each step rounds the velocities of 27 bodies, in random directions.
                let rounding = 4.0 * eps() * f64::from(3 * rate).sqrt();
                assert_near("momentum", now.momentum, start.momentum, rounding * scale);
                let most = if restitution == 1.0 { start.kinetic } else { energy };
                let won = now.kinetic / most - 1.0;
                assert!(won < 1e-3, "energy grows by {won}, friction {friction}, restitution {restitution}");
                energy = energy.min(now.kinetic);
            }
            assert!(touched > 100, "they meet");
            let end = world.measure();
            let drift = (end.angular_momentum - start.angular_momentum).length() / turn_scale;
            println!(
                "friction {friction}, restitution {restitution}, {rate} Hz: momentum off by {:e}, angular by {drift:e}, energy {:.3}",
                (end.momentum - start.momentum).length() / scale,
                end.kinetic / start.kinetic,
            );
            assert!(drift < 1e-3, "{drift} of the angular momentum, friction {friction}, restitution {restitution}");
        }
    }
}

/// What the world holds elsewhere is no matter to bodies in empty space: beside some that lie on fixed ones they move as they do alone, to the last bit.
#[test]
fn a_cloud_moves_as_it_does_beside_bodies_that_are_held() {
    let (mut alone, mut beside) = (cloud(0.6, 0.0), cloud(0.6, 0.0));
    let ids: Vec<_> = alone.body_ids().collect();
    for i in 0..20 {
        let at = Vec3::new(100.0 + 3.0 * f64::from(i), 0.0, 0.0);
        let cube = || ColliderDesc::new(Shape::cuboid(0.5, 0.5, 0.5).unwrap());
        beside.add_body(BodyDesc::fixed().position(at).collider(cube())).unwrap();
        let at = at + Vec3::new(0.0, 0.999, 0.0);
        beside.add_body(BodyDesc::dynamic().position(at).can_sleep(false).collider(cube())).unwrap();
    }
    for _ in 0..180 {
        alone.step(1.0 / 60.0).unwrap();
        beside.step(1.0 / 60.0).unwrap();
        assert!(beside.profile().contacts >= alone.profile().contacts + 10, "the cubes lie on each other");
    }
    for id in ids {
        let [a, b] = [&alone, &beside].map(|world| {
            let body = world.body(id).unwrap();
            (body.position(), body.rotation(), body.linear_velocity(), body.angular_velocity())
        });
        assert_eq!(a, b);
    }
}

/// The bars for closed systems, over a minute: momentum to 1e-5 in f32 and 1e-12 in f64, angular momentum to 1e-3. The cloud turns as a whole
/// and holds together by gravitation of its own, so that it collides, rubs and rolls all the time.
#[test]
fn closed_systems_keep_their_momenta_for_a_minute() {
    let most = if cfg!(tumble_f64) { 1e-12 } else { 1e-5 };
    for (friction, restitution) in [(0.0, 0.0), (0.6, 0.0), (0.6, 0.5), (0.0, 1.0)] {
        let mut world = cloud(friction, restitution);
        let ids: Vec<_> = world.body_ids().skip(1).collect();
        for &id in &ids {
            let body = world.body(id).unwrap();
            let velocity = body.linear_velocity() + Vec3::Y.cross(body.position().to_real());
            let mut body = world.body_mut(id).unwrap();
            body.set_linear_velocity(velocity).unwrap();
            body.set_can_sleep(false);
        }
        world.add_effect(EffectDesc::new(Gravitation::new(1e-3).softening(0.5)).bodies(BodySet::list(ids))).unwrap();
        let start = world.measure();
        let (scale, turn_scale) = scales(&world);
        let (mut worst, mut worst_turn, mut touched) = (0.0_f64, 0.0_f64, 0);
        for _ in 0..3600 {
            world.step(1.0 / 60.0).unwrap();
            let now = world.measure();
            touched += world.profile().contacts;
            worst = worst.max((now.momentum - start.momentum).length() / scale);
            worst_turn = worst_turn.max((now.angular_momentum - start.angular_momentum).length() / turn_scale);
        }
        println!(
            "friction {friction}, restitution {restitution}: {worst:.1e}, angular {worst_turn:.1e}; {touched} contacts"
        );
        assert!(touched > 100, "they hold together: {touched}");
        assert!(worst < most && worst_turn < 1e-3, "{worst} {worst_turn}");
    }
}

/// The same for a chain of ball joints that tumbles in empty space; and its energy does not grow by more than 0.5 %.
#[test]
fn jointed_bodies_keep_their_momenta_for_a_minute() {
    let mut random = Random(7);
    let mut world = World::new();
    world.set_gravity(Vec3::ZERO).unwrap();
    let mut last = None;
    for i in 0..8 {
        let at = f64::from(i);
        let desc = BodyDesc::dynamic().position([at, 0.0, 0.0]).linear_velocity(random.vector(1.0)).can_sleep(false);
        let desc = desc.angular_velocity(random.vector(1.0)).collider(Shape::cuboid(0.45, 0.1, 0.2).unwrap());
        let body = world.add_body(desc).unwrap();
        if let Some(last) = last.replace(body) {
            world.add_joint(JointDesc::ball(last, body).anchor([at - 0.5, 0.0, 0.0])).unwrap();
        }
    }
    // The first step makes the velocities agree with the joints.
    world.step(1.0 / 60.0).unwrap();
    let start = world.measure();
    let (scale, turn_scale) = scales(&world);
    let (mut worst, mut worst_turn, mut energy) = (0.0_f64, 0.0_f64, 0.0_f64);
    for _ in 0..3600 {
        world.step(1.0 / 60.0).unwrap();
        let now = world.measure();
        worst = worst.max((now.momentum - start.momentum).length() / scale);
        worst_turn = worst_turn.max((now.angular_momentum - start.angular_momentum).length() / turn_scale);
        energy = energy.max(now.kinetic / start.kinetic);
    }
    println!("chain: {worst:.1e}, angular {worst_turn:.1e}; energy at most {energy:.4}");
    let most = if cfg!(tumble_f64) { 1e-12 } else { 1e-5 };
    assert!(worst < most && worst_turn < 1e-3 && energy < 1.005, "{worst} {worst_turn} {energy}");
}
