//! 003-07: without external load momentum and angular momentum stay, also through collisions; energy does not grow.

use crate::support::{Random, assert_near, eps};
use tumble::math::{Real, Vec3};
use tumble::shape::Shape;
use tumble::{BodyDesc, ColliderDesc, World};

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

/// Momentum stays to rounding. Angular momentum stays to a few thousandths over two thousand contacts: within a step levers
/// and inertia are those of its start, and bodies that touch and turn by less than 0.02 rad in it feel no gyroscopic torque.
/// Energy is lost and not won; elastic impacts of several points at once, which Newton's law takes one by one, may lend some
/// but never make more than there was.
#[test]
fn momentum_stays_through_collisions() {
    for (friction, restitution) in [(0.0, 0.0), (0.6, 0.0), (0.6, 0.5), (0.0, 1.0)] {
        let mut drift = Vec::new();
        for rate in [60, 480] {
            let mut world = cloud(friction, restitution);
            let start = world.measure();
            let scale: f64 = world.body_ids().map(|id| world.body(id).unwrap().momentum().length()).sum();
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
            drift.push((end.angular_momentum - start.angular_momentum).length() / scale);
            println!(
                "friction {friction}, restitution {restitution}, {rate} Hz: momentum off by {:e}, angular by {:e}, energy {:.3}",
                (end.momentum - start.momentum).length() / scale,
                drift[drift.len() - 1],
                end.kinetic / start.kinetic,
            );
        }
        assert!(drift.iter().all(|&d| d < 1e-2), "{drift:?} metres of lever per momentum");
    }
}
