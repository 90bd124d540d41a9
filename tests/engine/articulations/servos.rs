//! Motors with a largest force against what contacts do: none gives more than that.

use super::{DT, G, both, rod, sleepless};
use crate::support::real;
use tumble::articulation::{ArticulationDesc, Dof, LinkDesc, Motor, Swing};
use tumble::math::Vec3;
use tumble::shape::Shape;
use tumble::{BodyDesc, BodyId, ColliderDesc, JointDesc, World};

fn cube(half: f64) -> Shape {
    let half = real(half);
    Shape::cuboid(half, half, half).unwrap()
}

/// A box of 10 cm and so many kilograms on a slide along x, held at its target by a servo.
fn slide(world: &mut World, mass: f64, servo: Motor, target: f64) -> BodyId {
    let mut desc = ArticulationDesc::new();
    let cube = BodyDesc::dynamic().collider(cube(0.05)).mass(real(mass));
    desc.add(LinkDesc::prismatic(cube, [1.0, 0.0, 0.0]).dof(0, Dof::default().motor(servo)));
    let id = world.add_articulation(desc).unwrap();
    world.articulation_mut(id).unwrap().set_target(0, &[target]).unwrap();
    world.articulation(id).unwrap().link(0).unwrap()
}

fn ball(world: &mut World, mass: f64, x: f64, speed: f64, bounce: f64) -> BodyId {
    let collider = ColliderDesc::new(Shape::sphere(real(0.1)).unwrap()).restitution(real(bounce));
    let ball = BodyDesc::dynamic().collider(collider).mass(real(mass));
    world.add_body(ball.position([x, 0.0, 0.0]).linear_velocity([real(speed), 0.0, 0.0])).unwrap()
}

fn along(world: &World, body: BodyId) -> f64 {
    f64::from(world.body(body).unwrap().linear_velocity().x)
}

/// A stiff servo of 1 N takes no more than its force over time from the momentum of a heavy ball that strikes its link, however stiff it is.
#[test]
fn weak_servo_is_no_wall_to_a_blow() {
    for (mass, stiffness, bounce) in [(1.0, 1e7, 0.0), (0.05, 1e5, 0.0), (20.0, 1e9, 0.0), (1.0, 1e7, 0.8)] {
        let mut world = sleepless();
        world.set_gravity(Vec3::ZERO).unwrap();
        let link = slide(&mut world, mass, Motor::position(stiffness, 0.01 * stiffness).max_force(1.0), 0.0);
        let striker = ball(&mut world, 10.0, -0.3, 5.0, bounce);
        for step in 1..=30 {
            world.step(DT).unwrap();
            let momentum = 10.0 * along(&world, striker) + mass * along(&world, link);
            let lost = 50.0 - momentum;
            let most = f64::from(step) * f64::from(DT);
            assert!(lost.abs() < most + 1e-3, "{mass} kg, bounce {bounce}, step {step}: {lost} N s of {most}");
        }
    }
}

/// Slides of two trees that a joint ties together go on together when a blow overcomes the servo of one of them, whichever tree is first and whichever the joint names first.
#[test]
fn tied_slides_stay_together_when_a_servo_gives_way() {
    for (driven_first, joint_turned) in [(false, false), (false, true), (true, false), (true, true)] {
        let mut world = sleepless();
        world.set_gravity(Vec3::ZERO).unwrap();
        let servo = Motor::position(1e6, 1e4).max_force(1.0);
        let motors = if driven_first { [servo, Motor::OFF] } else { [Motor::OFF, servo] };
        let mut links = motors.map(|motor| slide(&mut world, 1.0, motor, 0.0));
        let driven = links[usize::from(!driven_first)];
        let idle = links[usize::from(driven_first)];
        // The idle one stands aside, so that the ball meets the driven one alone.
        world.set_pair_excluded(idle, driven, true).unwrap();
        let striker = ball(&mut world, 10.0, -0.3, 5.0, 0.0);
        world.set_pair_excluded(idle, striker, true).unwrap();
        if joint_turned {
            links.reverse();
        }
        world.add_joint(JointDesc::ball(links[0], links[1])).unwrap();
        for step in 1..=20 {
            world.step(DT).unwrap();
            let (a, b) = (along(&world, driven), along(&world, idle));
            // In the step of the blow, the third, contact and joint leave each other a little.
            let most = if step == 3 { 0.2 } else { 1e-3 };
            assert!((a - b).abs() < most, "{driven_first}, {joint_turned}, step {step}: {a} and {b} m/s");
        }
        let momentum = 10.0 * along(&world, striker) + along(&world, driven) + along(&world, idle);
        assert!((50.0 - momentum).abs() < 21.0 * f64::from(DT), "{driven_first}, {joint_turned}: {momentum} N s of 50");
    }
}

/// The same about hinges: an arm of two rods that points along z, with servos of 0.1 N m, is swept aside by a ball on its elbow and its tip; its hinges
/// keep together, and the ball loses about what rods of 1 kg without servos cost it.
#[test]
fn weak_servos_of_an_arm_are_swept_aside() {
    let speed = |servo: Motor| {
        let mut world = sleepless();
        world.set_gravity(Vec3::ZERO).unwrap();
        let mut desc = ArticulationDesc::new();
        for i in 0..2 {
            let link = LinkDesc::revolute(rod(), [0.0, 0.0, 1.0]).anchor([0.0, 0.25, 0.0]);
            let link = link.dof(0, Dof::default().motor(servo));
            desc.add(if i == 0 { link } else { link.parent(0).at([0.0, -0.25, 0.0]) });
        }
        world.add_articulation(desc).unwrap();
        let ball = BodyDesc::dynamic().collider(Shape::sphere(real(0.1)).unwrap()).mass(20.0);
        let ball = ball.position([-0.4, -0.7, 0.0]).linear_velocity([8.0, 0.0, 0.0]);
        let ball = world.add_body(ball).unwrap();
        for _ in 0..20 {
            world.step(DT).unwrap();
        }
        along(&world, ball)
    };
    let (free, weak) = (speed(Motor::OFF), speed(Motor::position(1e6, 1e4).max_force(0.1)));
    assert!(free > 6.0, "{free}");
    assert!((free - weak).abs() < 0.1, "{weak} instead of {free}");
}

/// A light finger whose servo aims far behind a block pushes it with its largest force and no more, in every step.
#[test]
fn finger_pushes_no_harder_than_its_servo_can() {
    let mut world = sleepless();
    world.set_gravity(Vec3::ZERO).unwrap();
    let (finger, block) = (0.05, 2.0);
    let link = slide(&mut world, finger, Motor::position(1e5, 300.0).max_force(10.0), 0.5);
    let body = BodyDesc::dynamic().collider(cube(0.1)).mass(real(block));
    let pushed = world.add_body(body.position([0.16, 0.0, 0.0])).unwrap();
    let mut before = 0.0;
    for step in 0..20 {
        world.step(DT).unwrap();
        let momentum = block * along(&world, pushed) + finger * along(&world, link);
        let force = (momentum - before) / f64::from(DT);
        before = momentum;
        assert!(force < 10.01, "step {step}: {force} N");
        assert!(step < 3 || force > 9.9, "step {step}: {force} N");
    }
}

/// A servo that is strong enough stays as stiff as it is against what contacts do: a ball of 10 kg on a shelf that a servo of 1000 N holds.
#[test]
fn strong_servo_holds_what_lies_on_it() {
    for mut world in both() {
        let mut desc = ArticulationDesc::new();
        let shelf = BodyDesc::dynamic().collider(Shape::cuboid(real(0.5), real(0.05), real(0.5)).unwrap()).mass(1.0);
        let servo = Motor::position(1e5, 2e3).max_force(1000.0);
        desc.add(LinkDesc::prismatic(shelf, [0.0, 1.0, 0.0]).dof(0, Dof::default().motor(servo)));
        let id = world.add_articulation(desc).unwrap();
        let cube = BodyDesc::dynamic().collider(cube(0.1)).mass(10.0);
        world.add_body(cube.position([0.0, 0.16, 0.0])).unwrap();
        for _ in 0..120 {
            world.step(DT).unwrap();
        }
        let sag = -world.articulation(id).unwrap().position()[0];
        assert!((sag - 11.0 * G / 1e5).abs() < 2e-5, "{}: {sag}", world.method().name);
    }
}

/// Servos of unlike stiffness turn a ball joint about the axis that has none as well, and with no more than they can: of a stiff one of 1 N m and a soft one
/// that pulls with 10 N m, no more than both together.
#[test]
fn weak_stiff_servo_turns_nothing_aside_beyond_its_force() {
    let mut world = sleepless();
    world.set_gravity(Vec3::ZERO).unwrap();
    let ball = BodyDesc::dynamic().collider(Shape::sphere(real(0.1)).unwrap()).mass(1.0);
    let mut link = LinkDesc::spherical(ball).position(&[0.4, 0.4, 0.1, 0.8]);
    link.dofs[0].motor = Motor::position(1e4, 0.0).max_force(1.0);
    link.dofs[1].motor = Motor::position(10.0, 0.0).max_force(100.0);
    let mut desc = ArticulationDesc::new();
    desc.add(link);
    let id = world.add_articulation(desc).unwrap();
    let dt = 1e-3;
    world.step(real(dt)).unwrap();
    let torque = world.articulation(id).unwrap().velocity().iter().map(|w| 0.004 * w.abs() / dt).fold(0.0, f64::max);
    assert!(torque < 12.0, "{torque} N m");
}

/// Where a tree may come to within a step is foreseen with the damping of its links as the sub-steps take it: a ball that spins off the axis of its narrow cone,
/// so strongly damped that an explicit step would turn it back, is stopped at the rim it comes to.
#[test]
fn damped_swing_stops_at_the_rim_ahead() {
    let mut world = sleepless();
    world.set_gravity(Vec3::ZERO).unwrap();
    let ball = BodyDesc::dynamic().collider(Shape::sphere(real(0.1)).unwrap()).mass(1.0).damping(0.0, 200.0);
    let mut link = LinkDesc::spherical(ball).velocity(&[30.0, 0.0, 0.0]);
    link.swing = Some(Swing::new(Vec3::Y, 0.05));
    link.dofs.iter_mut().for_each(|dof| dof.motor = Motor::position(1e-6, 0.0));
    let mut desc = ArticulationDesc::new();
    desc.add(link);
    let id = world.add_articulation(desc).unwrap();
    for step in 0..3 {
        world.step(DT).unwrap();
        let q = world.articulation(id).unwrap().position();
        let angle = 2.0 * f64::hypot(q[0], q[2]).asin();
        assert!(angle < 0.051, "step {step}: {angle} rad");
    }
}
