//! Crowds that crash: bodies that meet at speed lie deep in each other within one step, and have to get out again.

use crate::random::Random;
use tumble::math::{Num, Quat, Real, Vec3};
use tumble::shape::Shape;
use tumble::{BodyDesc, Method, World};

/// Edge of the boxes.
const EDGE: f64 = 0.4;

fn deepest(world: &World) -> f64 {
    let depth = |sum: Real, p: tumble::TouchPoint| Num::max(sum, -p.separation);
    f64::from(world.contacts().flat_map(|c| c.points()).fold(0.0, depth))
}

/// A block of 216 boxes, turned at random, comes down at 8 m/s: a third of an edge per step. Where two edges had one point of contact however
/// deep they were, boxes turned about it and went on: after a quarter of a second one lay in another.
#[test]
fn boxes_that_crash_do_not_end_up_in_each_other() {
    let mut method = Method::default();
    method.tolerances.length = EDGE as Real;
    let mut world = World::with_method(method).unwrap();
    world.add_body(BodyDesc::fixed().collider(Shape::half_space(Vec3::Y, 0.0).unwrap())).unwrap();
    let half = (0.5 * EDGE) as Real;
    let shape = Shape::cuboid(half, half, half).unwrap();
    let mut random = Random::new(7);
    for i in 0..216 {
        let at = [i % 6, i / 36, i / 6 % 6].map(|k| 1.5 * EDGE * f64::from(k));
        let turn = Quat::from_rotation_vector((random.in_ball() * 0.8).to_real());
        let desc = BodyDesc::dynamic().position([at[0], at[1] + 0.5, at[2]]).rotation(turn);
        world.add_body(desc.linear_velocity([0.0, -8.0, 0.0]).collider(shape.clone())).unwrap();
    }
    let mut worst = 0.0;
    for step in 1..=60 {
        world.step(1.0 / 60.0).unwrap();
        let depth = deepest(&world);
        worst = Num::max(worst, depth);
        assert!(step < 30 || depth < 0.25 * EDGE, "after {step} steps {depth} m deep");
    }
    println!("deepest {worst:.3} m");
    assert!(worst < 0.75 * EDGE, "{worst}");
}

/// A limit on the speed of the push out of overlap is not one on the load: a cube bears a thousand times its weight. It sags, since the
/// softness of a contact goes by the lighter body, and then holds. With a limit on the push alone the heavy one sank through.
#[test]
fn light_cube_bears_a_thousand_times_its_weight() {
    let mut method = Method::default();
    method.switches.sleep = false;
    let mut world = World::with_method(method).unwrap();
    world.add_body(BodyDesc::fixed().collider(Shape::half_space(Vec3::Y, 0.0).unwrap())).unwrap();
    let shape = Shape::cuboid(0.5, 0.5, 0.5).unwrap();
    let cube = |y: f64, mass: Real| BodyDesc::dynamic().position([0.0, y, 0.0]).collider(shape.clone()).mass(mass);
    world.add_body(cube(0.5, 1.0)).unwrap();
    let heavy = world.add_body(cube(1.5, 1000.0)).unwrap();
    let mut height = [0.0; 2];
    for height in &mut height {
        for _ in 0..900 {
            world.step(1.0 / 60.0).unwrap();
        }
        *height = world.body(heavy).unwrap().position().y;
    }
    println!("{height:?}");
    assert!(height[1] > 1.35 && (height[1] - height[0]).abs() < 1e-4, "{height:?}");
}
