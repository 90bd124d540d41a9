//! What decays to rest decays to nothing, and not to numbers so small that processors take a hundred times as long for each.

use std::time::{Duration, Instant};
use tumble::math::{Real, Vec3};
use tumble::shape::Shape;
use tumble::{BodyDesc, ColliderDesc, Method, World};

const DT: Real = 1.0 / 60.0;

/// Bodies in thick air, in flight and on a floor, that never fall asleep.
fn decaying() -> World {
    let mut method = Method::soft_step();
    method.switches.sleep = false;
    let mut world = World::with_method(method).unwrap();
    world.set_keep_start(false);
    world.add_body(BodyDesc::fixed().collider(Shape::half_space(Vec3::Y, 0.0).unwrap())).unwrap();
    for i in 0..12_i32 {
        let ball = ColliderDesc::new(Shape::sphere(0.3).unwrap()).friction(0.0);
        let x = f64::from(i);
        let rolling = BodyDesc::dynamic().position([x, 0.3, 0.0]).linear_velocity([0.0, 0.0, 1.0]);
        world.add_body(rolling.damping(30.0, 30.0).collider(ball)).unwrap();
        let flying = BodyDesc::dynamic().position([x, 5.0, 5.0]).linear_velocity([0.1, 0.2, 0.3]).gravity_scale(0.0);
        let cube = Shape::cuboid(0.2, 0.3, 0.4).unwrap();
        world.add_body(flying.angular_velocity([1.0, 2.0, 3.0]).damping(30.0, 30.0).collider(cube)).unwrap();
    }
    world
}

/// Steps until e^(-30 t) is below the smallest normal number of either precision: 24 s for `f64`.
const STEPS: u32 = 1_500;

/// No velocity is ever a denormal number.
#[test]
fn decay_ends_in_zero() {
    let mut world = decaying();
    for step in 0..STEPS {
        world.step(DT).unwrap();
        for id in world.body_ids() {
            let body = world.body(id).unwrap();
            for v in [body.linear_velocity(), body.angular_velocity()] {
                assert!(!v.to_array().iter().any(|x| x.is_subnormal()), "step {step}: {v:?}");
            }
        }
    }
}

/// The last steps take no longer than the first: twice as long at most, where denormals would cost many times that.
#[test]
#[ignore = "long: it measures time"]
fn decay_does_not_slow_down() {
    let mut world = decaying();
    let mut fastest = |steps: u32| {
        (0..steps).fold(Duration::MAX, |fastest, _| {
            let start = Instant::now();
            world.step(DT).unwrap();
            fastest.min(start.elapsed())
        })
    };
    let first = fastest(100);
    for _ in 0..STEPS / 100 {
        let later = fastest(100);
        assert!(later < 2 * first, "{first:?} at first, {later:?} later");
    }
}
