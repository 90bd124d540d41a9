//! Impacts as events: their speed and their impulse, against closed forms.

use crate::support::real;
use tumble::math::{Quat, Vec3};
use tumble::shape::Shape;
use tumble::{BodyDesc, ColliderDesc, Event, Method, World};

/// Speeds and impulses of the impacts in a run of half a second.
fn impacts(world: &mut World) -> Vec<(f64, f64)> {
    let mut found = Vec::new();
    for _ in 0..30 {
        world.step(real(1.0 / 60.0)).unwrap();
        for event in world.events() {
            if let Event::Impact { speed, impulse, .. } = event {
                found.push((f64::from(*speed), f64::from(*impulse)));
            }
        }
    }
    found
}

fn methods() -> [Method; 2] {
    [Method::soft_step(), Method::simultaneous()]
}

fn bouncy(shape: Shape, e: f64) -> ColliderDesc {
    ColliderDesc::new(shape).restitution(real(e)).impact_speed(0.5)
}

/// A body of mass m that meets a wall at speed v, without gravity, gets m (1 + e) v: a ball at its one point, a box at four together. Where
/// nothing is given back the impulse may come in two steps: it meets before the end of one, and is stopped in the next.
#[test]
fn impulse_of_an_impact_on_a_wall() {
    let shapes = [Shape::sphere(0.5).unwrap(), Shape::cuboid(0.5, 0.3, 0.4).unwrap()];
    for method in methods() {
        for shape in &shapes {
            for e in [0.0, 0.3, 0.8, 1.0] {
                for gap in [0.2, 0.53, 0.817] {
                    let (m, v) = (2.5, 3.0);
                    let mut world = World::with_method(method.clone()).unwrap();
                    world.set_gravity(Vec3::ZERO).unwrap();
                    let wall = ColliderDesc::new(Shape::half_space(Vec3::X, 0.0).unwrap()).restitution(real(e));
                    world.add_body(BodyDesc::fixed().collider(wall)).unwrap();
                    let body =
                        BodyDesc::dynamic().position([0.5 + gap, 0.0, 0.0]).linear_velocity([real(-v), 0.0, 0.0]);
                    let body = world.add_body(body.mass(real(m)).collider(bouncy(shape.clone(), e))).unwrap();
                    let found = impacts(&mut world);
                    let what = format!("{}, {shape:?}, e {e}, gap {gap}: {found:?}", method.name);
                    assert!((1..=if e > 0.0 { 1 } else { 2 }).contains(&found.len()), "{what}");
                    assert!((found[0].0 - v).abs() < 1e-3, "{what}");
                    let impulse: f64 = found.iter().map(|hit| hit.1).sum();
                    // Where nothing is given back, what has come too deep is pushed out at leisure.
                    assert!((impulse / (m * (1.0 + e) * v) - 1.0).abs() < 0.02, "{what}");
                    // What the body has gained is what it was given, but for what is slower than what is told.
                    let gained = m * (f64::from(world.body(body).unwrap().linear_velocity().x) + v);
                    assert!(
                        (impulse / gained - 1.0).abs() < if e > 0.0 { 1e-3 } else { 0.01 },
                        "{what}, gained {gained}"
                    );
                }
            }
        }
    }
}

/// Two bodies that can move exchange (1 + e) v m M / (m + M).
#[test]
fn impulse_of_an_impact_of_two_bodies() {
    for method in methods() {
        for e in [0.4, 1.0] {
            let (m, big, v) = (1.0, 7.0, 4.0);
            let mut world = World::with_method(method.clone()).unwrap();
            world.set_gravity(Vec3::ZERO).unwrap();
            let ball = || bouncy(Shape::sphere(0.5).unwrap(), e);
            world.add_body(BodyDesc::dynamic().mass(real(big)).collider(ball())).unwrap();
            let fast = BodyDesc::dynamic().position([1.43, 0.0, 0.0]).linear_velocity([real(-v), 0.0, 0.0]);
            world.add_body(fast.mass(real(m)).collider(ball())).unwrap();
            let found = impacts(&mut world);
            let [(speed, impulse)] = found[..] else { panic!("{}, e {e}: {found:?}", method.name) };
            assert!((speed - v).abs() < 1e-3);
            let expected = (1.0 + e) * v * m * big / (m + big);
            assert!((impulse / expected - 1.0).abs() < 0.01, "{}, e {e}: {impulse}, {expected}", method.name);
        }
    }
}

/// A rod that falls flat on two posts at once is told of each with its half, and under gravity the weight of the step comes on top.
#[test]
fn impulses_are_shared_between_contacts() {
    let mut world = World::new();
    let post = || ColliderDesc::new(Shape::sphere(0.1).unwrap()).restitution(0.5);
    for x in [-0.8, 0.8] {
        world.add_body(BodyDesc::fixed().position([x, -0.1, 0.0]).collider(post())).unwrap();
    }
    let rod = bouncy(Shape::capsule(1.0, 0.1).unwrap(), 0.5)
        .rotation(Quat::from_axis_angle(Vec3::Z, real(0.5 * std::f64::consts::PI)));
    let m = 3.0;
    world.add_body(BodyDesc::dynamic().position([0.0, 0.6, 0.0]).mass(real(m)).collider(rod)).unwrap();
    let found = impacts(&mut world);
    assert_eq!(found.len(), 2, "{found:?}");
    let v = (2.0f64 * 9.81 * 0.5).sqrt();
    let expected = 0.5 * m * 1.5 * v;
    for (speed, impulse) in found {
        assert!((speed / v - 1.0).abs() < 0.05, "{speed}, {v}");
        // m g dt of the weight, at most, and the speed that it has up to a step before.
        assert!((impulse - expected).abs() < 1.5 * m * 9.81 / 60.0, "{impulse}, {expected}");
    }
}
