//! Springs and motors against the response that their equations have.

use super::{DT, G, awake, crate_at, run, sleepless, weightless};
use crate::support::real;
use tumble::constraint::joint::{Ball, Hinge, Orientation, Path, Slider};
use tumble::constraint::{Motor, Signal, Stiffness};
use tumble::math::{Float, Quat, Real, Vec3};
use tumble::{JointDesc, Method, World};

/// Positions of a damped oscillator of unit mass under the implicit step that soft constraints make: v' = v - h (k x' + c v').
pub fn oscillator(omega: f64, ratio: f64, start: f64, steps: usize) -> Vec<f64> {
    let h = 1.0 / 240.0;
    let (mut x, mut v, mut out) = (start, 0.0, Vec::new());
    for _ in 0..steps {
        for _ in 0..4 {
            v = (v - h * omega * omega * x) / (1.0 + h * (2.0 * ratio * omega + h * omega * omega));
            x += h * v;
        }
        out.push(x);
    }
    out
}

/// A spring motor by hertz and ratio moves a slider as the implicit step of its oscillator does; the frequency comes out as asked for
/// whatever the mass.
#[test]
fn slider_spring_has_the_discrete_response() {
    for (hertz, ratio, mass) in [(1.0, 0.0, 1.0), (2.0, 0.2, 50.0), (3.0, 1.0, 0.1)] {
        let mut world = weightless();
        let body = crate_at(&mut world, [0.0; 3], [0.2, 0.2, 0.2], mass);
        let slide = Slider::driven(Motor::position(0.5, Stiffness::tuned(real(hertz), real(ratio))));
        let joint = world.add_joint(JointDesc::new(World::BODY, body, slide).axis([1.0, 0.0, 0.0])).unwrap();
        for (i, x) in oscillator(2.0 * std::f64::consts::PI * hertz, ratio, -0.5, 120).into_iter().enumerate() {
            world.step(DT).unwrap();
            let value = world.joint(joint).unwrap().value().unwrap().to_f64();
            // Rounding of f32 over 480 sub-steps; nothing of the model differs.
            assert!((value - 0.5 - x).abs() < 1e-3, "step {i}: at {value}, should be {}", 0.5 + x);
        }
    }
}

/// A door on a hinge at its edge swings at the frequency asked for: what counts is the inertia about the hinge.
#[test]
fn door_spring_counts_the_inertia_about_the_hinge() {
    let mut world = weightless();
    let door = crate_at(&mut world, [0.5, 0.0, 0.0], [0.5, 1.0, 0.05], 20.0);
    let (hertz, ratio) = (1.5, 0.1);
    let hinge = Hinge::driven(Motor::position(0.4, Stiffness::tuned(hertz, ratio)));
    let hinge = JointDesc::new(World::BODY, door, hinge).anchor([0.0; 3]).axis([0.0, 1.0, 0.0]);
    let joint = world.add_joint(hinge).unwrap();
    let exact = oscillator(2.0 * std::f64::consts::PI * hertz.to_f64(), ratio.to_f64(), -0.4, 120);
    for (i, x) in exact.into_iter().enumerate() {
        world.step(DT).unwrap();
        let value = world.joint(joint).unwrap().value().unwrap().to_f64();
        // The centre runs on a circle, which the steps follow by chords: 2 % of the swing.
        assert!((value - 0.4 - x).abs() < 0.008, "step {i}: at {value}, should be {}", 0.4 + x);
    }
}

/// A spring by its constants stretches by the weight over k.
#[test]
fn spring_constants_are_what_they_say() {
    let mut world = sleepless();
    let body = crate_at(&mut world, [0.0, -1.0, 0.0], [0.1, 0.1, 0.1], 3.0);
    let spring = JointDesc::spring(World::BODY, body, 1.0, Stiffness::spring(200.0, 20.0));
    let joint = world.add_joint(spring.anchor_a([0.0; 3]).anchor_b([0.0; 3])).unwrap();
    run(&mut world, 10.0);
    let length = world.joint(joint).unwrap().value().unwrap().to_f64();
    assert!((length - 1.0 - 3.0 * G / 200.0).abs() < 1e-3, "{length}");
}

/// A velocity motor holds its speed against a load that it can bear, and gives way to one that it cannot.
#[test]
fn motor_holds_its_speed_up_to_its_force() {
    for (strength, lifts) in [(1.1, true), (0.9, false)] {
        let mut world = sleepless();
        let body = crate_at(&mut world, [0.0; 3], [0.2, 0.2, 0.2], 10.0);
        let motor = Motor::velocity(0.5).max_force(real(strength * 10.0 * G));
        let joint = JointDesc::new(World::BODY, body, Slider::driven(motor)).axis([0.0, 1.0, 0.0]);
        let joint = world.add_joint(joint).unwrap();
        run(&mut world, 4.0);
        let speed = world.body(body).unwrap().linear_velocity().y;
        let force = world.joint(joint).unwrap().force().y.to_f64();
        if lifts {
            assert!((speed - 0.5).abs() < 1e-3 && (force / (10.0 * G) - 1.0).abs() < 0.01, "{speed} m/s by {force} N");
        } else {
            assert!(speed < 0.0 && (force / (9.0 * G) - 1.0).abs() < 0.01, "{speed} m/s by {force} N");
        }
    }
}

/// A motor that follows a sine is where the sine is, and its body does not fall asleep at the turning points.
#[test]
fn motor_follows_a_function_of_time() {
    let mut world = World::new();
    let body = crate_at(&mut world, [0.0; 3], [0.2, 0.2, 0.2], 10.0);
    let path = Signal::Sine { mean: 0.0, amplitude: 0.3, hertz: 0.05, phase: 0.0 };
    let motor = Motor::position(path.clone(), Stiffness::tuned(20.0, 1.0));
    let joint = JointDesc::new(World::BODY, body, Slider::driven(motor)).axis([1.0, 0.0, 0.0]);
    let joint = world.add_joint(joint).unwrap();
    for _ in 0..1800 {
        world.step(DT).unwrap();
        let (wanted, value) = (path.at(world.time()).0, world.joint(joint).unwrap().value().unwrap());
        assert!((wanted - value).abs() < real(2e-3), "{value} m, {wanted} m wanted");
        assert!(!world.body(body).unwrap().is_asleep());
    }
}

/// A ball joint with an orientation motor comes to the orientation asked for, however far away it is.
#[test]
fn orientation_motor_arrives() {
    let targets = [Vec3::new(0.3, 0.0, 0.0), Vec3::new(0.0, 2.0, 1.0), Vec3::new(1.0, -1.0, 1.5)];
    for target in targets.map(Quat::from_rotation_vector) {
        let mut world = weightless();
        let body = crate_at(&mut world, [0.4, 0.1, 0.0], [0.3, 0.2, 0.1], 3.0);
        let ball = Ball { motor: Some(Orientation::target(target, Stiffness::tuned(2.0, 1.0))) };
        world.add_joint(JointDesc::new(World::BODY, body, ball).anchor([0.0; 3])).unwrap();
        run(&mut world, 4.0);
        let off = world.body(body).unwrap().rotation().angle_to(target);
        assert!(off < real(0.01), "{off} rad away");
    }
}

/// A target that turns on and on, and one that swings, are followed as they go, by a body that does not fall asleep.
#[test]
fn orientation_motor_follows_a_function_of_time() {
    let swing = Signal::Sine { mean: 0.2, amplitude: 0.8, hertz: 0.1, phase: 0.0 };
    let steady = Signal::Ramp { from: 0.0, to: 40.0, start: 0.0, duration: 40.0 };
    let (axis, first) = (Vec3::new(0.6, 0.0, 0.8), Quat::from_axis_angle(Vec3::Y, 0.5));
    for angle in [swing, steady] {
        let mut world = World::new();
        let body = crate_at(&mut world, [0.0; 3], [0.2, 0.2, 0.2], 3.0);
        world.body_mut(body).unwrap().set_rotation(first).unwrap();
        let motor = Orientation::target(first, Stiffness::tuned(20.0, 1.0)).turning(axis, angle.clone());
        let ball = JointDesc::new(World::BODY, body, Ball { motor: Some(motor) });
        let ball = ball.frame_a([0.0; 3], Quat::IDENTITY).frame_b([0.0; 3], Quat::IDENTITY);
        world.add_joint(ball).unwrap();
        for step in 0..1200 {
            world.step(DT).unwrap();
            let wanted = Quat::from_rotation_vector(axis * angle.at(world.time()).0) * first;
            let off = world.body(body).unwrap().rotation().angle_to(wanted);
            // It starts from rest.
            assert!(off < real(if step < 20 { 0.3 } else { 3e-3 }), "{off} rad away at step {step}");
            assert!(!world.body(body).unwrap().is_asleep());
        }
    }
}

/// A soft joint sags by m g/k, and a hard one does not.
#[test]
fn stiffness_of_a_joint_is_a_spring() {
    let mut world = sleepless();
    let body = crate_at(&mut world, [0.0; 3], [0.1, 0.1, 0.1], 2.0);
    let soft = JointDesc::ball(World::BODY, body).stiffness(Stiffness::spring(500.0, 50.0));
    let joint = world.add_joint(soft).unwrap();
    run(&mut world, 5.0);
    let gap = world.joint(joint).unwrap().gap().to_f64();
    assert!((gap - 2.0 * G / 500.0).abs() < 1e-3, "{gap}");
    world.joint_mut(joint).unwrap().set_stiffness(Stiffness::Method).unwrap();
    run(&mut world, 2.0);
    assert!(world.joint(joint).unwrap().gap() < real(1e-3));
}

/// A motor that is to go to a place, as hard as the method makes it: it does, by each method, and holds it against the weight; and one
/// whose force is too small for that does not.
#[test]
fn motors_go_to_places_as_hard_as_the_method() {
    for method in [Method::soft_step(), Method::simultaneous()] {
        for (most, goes) in [(Real::INFINITY, true), (200.0, true), (10.0, false)] {
            let mut world = World::with_method(awake(method.clone())).unwrap();
            // 10 kg half a metre from the hinge: 49 Nm where it is level.
            let arm = crate_at(&mut world, [0.5, 0.0, 0.0], [0.5, 0.05, 0.05], 10.0);
            let mut motor = Motor::position(0.3, Stiffness::Method);
            motor.max_force = most;
            let hinge = JointDesc::new(World::BODY, arm, Hinge::driven(motor)).anchor([0.0; 3]).axis([0.0, 0.0, 1.0]);
            let joint = world.add_joint(hinge).unwrap();
            run(&mut world, 2.0);
            let angle = world.joint(joint).unwrap().value().unwrap().to_f64();
            assert_eq!((angle - 0.3).abs() < 0.01, goes, "{}, at most {most}: {angle}", method.name);
        }
    }
}

/// What one kind of joint counts is nothing to another: a path that was followed for a way is a hinge that has not turned.
#[test]
fn another_kind_counts_from_nothing() {
    let mut world = weightless();
    let body = crate_at(&mut world, [0.0; 3], [0.2, 0.2, 0.2], 1.0);
    let points: Vec<Vec3> = (0..10).map(|x| Vec3::new(real(f64::from(x)), 0.0, 0.0)).collect();
    let joint = world.add_joint(JointDesc::new(World::BODY, body, Path::through(points, false))).unwrap();
    world.body_mut(body).unwrap().set_velocity([7.0, 0.0, 0.0], [0.0; 3]).unwrap();
    run(&mut world, 1.0);
    let mut edited = world.joint_mut(joint).unwrap();
    edited.set_kind(Hinge::limited(-1.0, 1.0)).unwrap();
    let value = world.joint(joint).unwrap().value().unwrap();
    assert!(value.abs() < 1e-3, "{value}");
}
