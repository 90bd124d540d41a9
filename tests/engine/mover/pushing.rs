//! What a mover does to bodies.

use super::*;

fn push(mass: f64, force: f64) -> (f64, Walker) {
    let mut world = World::new();
    floor(&mut world);
    let crate_ = BodyDesc::dynamic().position([2.0, 0.5, 0.0]).mass(real(mass));
    let id = world.add_body(crate_.collider(Shape::cuboid(0.5, 0.5, 0.5).unwrap())).unwrap();
    let desc = MoverDesc { push_force: real(force), ..MoverDesc::default() };
    let mut walker = Walker::with(world, [0.0, HALF + SKIN, 0.0], desc);
    for _ in 0..180 {
        walker.step([1.5, 0.0, 0.0]);
        assert!(walker.clearance() > -SKIN, "{}", walker.clearance());
    }
    let body = walker.world.body(id).unwrap();
    (body.position().x - 2.0, walker)
}

// A crate is pushed along and never faster than the mover walks; one whose friction is more than the force stays where it is.
#[test]
fn pushes_what_is_light_enough() {
    // Friction of the default material times the weight is what the force has to beat.
    let (far, walker) = push(20.0, 400.0);
    assert!(far > 1.0, "moves by {far}");
    let speed = walker.world.measure().momentum.x / 20.0;
    assert!(speed < 1.5 * 1.02, "is faster than the mover: {speed}");
    let (far, _) = push(500.0, 400.0);
    assert!(far.abs() < 0.01, "moves by {far}");
    let (far, _) = push(20.0, 0.0);
    assert!(far.abs() < 1e-3, "moves by {far}");
}

// A mover with a body pushes no harder than one without, is where its body is, and is not stopped by it.
#[test]
fn takes_its_body_along() {
    let mut world = World::new();
    floor(&mut world);
    let body = world.add_body(BodyDesc::kinematic().position([0.0, HALF + SKIN, 0.0]).collider(person())).unwrap();
    let mover = Mover::with_body(MoverDesc::default(), &world, body).unwrap();
    let mut walker = Walker::new(world, [0.0; 3]);
    walker.mover = mover;
    for _ in 0..120 {
        let moved = walker.step([2.0, 0.0, 1.0]);
        assert!((moved.x as f64 - 2.0 * DT).abs() < 1e-6, "{moved:?}");
        assert_eq!(walker.world.body(body).unwrap().position(), walker.at());
    }
    // A ball thrown at it bounces off.
    let at = walker.at();
    let ball = BodyDesc::dynamic().position([at.x + 3.0, at.y, at.z]).linear_velocity([-10.0, 1.0, 0.0]);
    let ball = walker.world.add_body(ball.collider(Shape::sphere(0.1).unwrap())).unwrap();
    walker.steps(60, [0.0; 3]);
    assert!(walker.world.body(ball).unwrap().position().x > at.x + 0.3);
}
