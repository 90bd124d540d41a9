//! Every kind: what it holds is held, what it leaves free is free, its stops are where they should be.

use super::{DT, G, awake, crate_at, position, run, sleepless, weightless};
use crate::support::{Random, real};
use tumble::constraint::joint::{
    ConeTwist, Cylindrical, Freedom, Hinge, JointKind, Path, Planar, Pulley, SixAxis, Slider, Universal, Wheel,
};
use tumble::constraint::{Axis, Limit, Motor, Stiffness};
use tumble::math::{Float, Point, Quat, Real, Vec3};
use tumble::{JointDesc, Method, World};

pub fn all_kinds() -> Vec<JointKind> {
    let pulley = Pulley {
        wheels: [Point::new(0.0, 4.0, 0.0), Point::new(1.0, 4.0, 0.0)],
        length: 12.0,
        ratio: 1.0,
        slack: false,
    };
    let slide = [Freedom::Locked, Freedom::FREE, Freedom::Locked];
    let path = Path::through([-4.0, -2.0, 0.0, 2.0, 4.0].map(|x| Vec3::new(real(x), real(0.1 * x * x), 0.0)), false);
    vec![
        JointDesc::ball(World::BODY, World::BODY).kind,
        Hinge::default().into(),
        Slider::limited(-2.0, 2.0).into(),
        JointDesc::fixed(World::BODY, World::BODY).kind,
        JointDesc::rod(World::BODY, World::BODY, 0.5).kind,
        Universal::default().into(),
        ConeTwist::new(0.6, 0.4).into(),
        Cylindrical { slide: Axis::FREE.limit(Limit::new(-2.0, 2.0)), turn: Axis::FREE }.into(),
        Planar::default().into(),
        JointDesc::parallel(World::BODY, World::BODY).kind,
        SixAxis { slide, turn: [Freedom::FREE, Freedom::Locked, Freedom::Locked] }.into(),
        JointDesc::screw(World::BODY, World::BODY, 0.2).kind,
        pulley.into(),
        Wheel::new(3.0, 0.7, 1.0).into(),
        path.into(),
        JointDesc::glue(World::BODY, World::BODY, [Vec3::X, Vec3::Y, Vec3::Z]).kind,
    ]
}

/// A skew, turning, heavy body on every kind of joint keeps what the joint holds: within 1 % of its size and 1 degree at all
/// times, under gravity and after a push.
#[test]
fn what_is_held_is_held() {
    hold_every_kind(Method::soft_step, 0.01, 0.0175);
}

/// The same by one system of all rows, once a step: what turns leaves the tangent by four times as much in a step as in four sub-steps.
#[test]
fn what_is_held_is_held_by_simultaneous() {
    hold_every_kind(Method::simultaneous, 0.04, 0.07);
}

fn hold_every_kind(method: impl Fn() -> Method, gap: f64, tilt: f64) {
    let mut random = Random(11);
    for kind in all_kinds() {
        let name = kind.name().to_owned();
        let mut world = World::with_method(awake(method())).unwrap();
        let body = crate_at(&mut world, [0.0; 3], [0.5, 0.2, 0.3], 10.0);
        let anchor = Point::new(0.3, 0.4, 0.1);
        let mut desc = JointDesc::new(World::BODY, body, kind).anchor(anchor).axis([0.6, 0.8, 0.0]);
        // These hold where they are told to, not where the body is.
        match &mut desc.kind {
            JointKind::Distance(_) => desc = desc.anchor_a([0.3, 0.4, 0.6]),
            JointKind::Path(_) => desc = desc.anchor_a([0.3, 0.4, 0.1]).axis([1.0, 0.0, 0.0]),
            JointKind::Pulley(k) => {
                k.length = real(k.wheels.iter().map(|&wheel| (anchor - wheel).length()).sum());
            }
            _ => {}
        }
        let joint = world.add_joint(desc).unwrap();
        world.body_mut(body).unwrap().apply_angular_impulse(random.vector(2.0)).unwrap();
        for step in 0..240 {
            world.step(DT).unwrap();
            let joint = world.joint(joint).unwrap();
            assert!(joint.gap() < real(gap), "{name}: gap of {} m after {step} steps", joint.gap());
            assert!(joint.tilt() < real(tilt), "{name}: tilt of {} after {step} steps", joint.tilt());
        }
    }
}

/// A body on a vertical hinge keeps turning, though the hinge bears a cantilever load: no torque about the axis above 1e-4 of it.
#[test]
fn hinge_turns_freely_under_load() {
    let mut world = sleepless();
    let body = crate_at(&mut world, [1.0, 0.0, 0.0], [0.4, 0.2, 0.3], 10.0);
    let hinge = world.add_joint(JointDesc::hinge(World::BODY, body).anchor([0.0; 3]).axis([0.0, 1.0, 0.0])).unwrap();
    world.body_mut(body).unwrap().set_velocity([0.0, 0.0, -1.0], [0.0, 1.0, 0.0]).unwrap();
    run(&mut world, 1.0);
    let speed = world.body(body).unwrap().angular_velocity().y;
    let load = 10.0 * G;
    for _ in 0..120 {
        world.step(DT).unwrap();
        let torque = world.joint(hinge).unwrap().torque().to_f64();
        assert!(torque.y.abs() < 1e-4 * load, "{torque:?}");
        assert!((torque.length() / load - 1.0).abs() < 0.05, "the load is borne: {torque:?}");
    }
    let after = world.body(body).unwrap().angular_velocity().y;
    assert!((after / speed - 1.0).abs() < real(5e-3), "from {speed} to {after} rad/s");
}

/// A slider along x under gravity: no force along the axis above 1e-4 of the weight, and the speed stays.
#[test]
fn slider_slides_freely_under_load() {
    let mut world = sleepless();
    let body = crate_at(&mut world, [0.0; 3], [0.4, 0.2, 0.3], 10.0);
    let slider = world.add_joint(JointDesc::slider(World::BODY, body).axis([1.0, 0.0, 0.0])).unwrap();
    world.body_mut(body).unwrap().set_linear_velocity([2.0, 0.0, 0.0]).unwrap();
    for _ in 0..120 {
        world.step(DT).unwrap();
        let force = world.joint(slider).unwrap().force().to_f64();
        assert!(force.x.abs() < 1e-4 * 10.0 * G, "{force:?}");
    }
    let body = world.body(body).unwrap();
    assert!((body.linear_velocity().x - 2.0).abs() < real(1e-3));
    assert!((body.position().x - 4.0).abs() < 0.01);
}

/// Ten times the weight presses an arm against the stop of its hinge: it stays within half a degree, from either side.
#[test]
fn hinge_limit_holds_ten_times_the_weight() {
    for (sign, stop) in [(-1.0, -0.3), (1.0, 0.2)] {
        let mut world = sleepless();
        let arm = crate_at(&mut world, [0.5, 0.0, 0.0], [0.5, 0.05, 0.05], 2.0);
        let hinge = JointDesc::new(World::BODY, arm, Hinge::limited(-0.3, 0.2)).anchor([0.0; 3]).axis([0.0, 0.0, 1.0]);
        let hinge = world.add_joint(hinge).unwrap();
        // With its weight, which is there already.
        let force = Vec3::new(0.0, real((sign * 10.0 + 1.0) * 2.0 * G), 0.0);
        world.body_mut(arm).unwrap().set_force(force).unwrap();
        run(&mut world, 3.0);
        let angle = world.joint(hinge).unwrap().value().unwrap().to_f64();
        assert!((angle - stop).abs() < 0.5_f64.to_radians(), "at {angle}, the stop is at {stop}");
    }
}

/// Ten times the weight on a slider's stop: within 1 mm.
#[test]
fn slider_limit_holds_ten_times_the_weight() {
    let mut world = sleepless();
    let body = crate_at(&mut world, [0.0; 3], [0.2, 0.2, 0.2], 5.0);
    let slider = JointDesc::new(World::BODY, body, Slider::limited(-0.5, 0.5)).axis([0.0, 1.0, 0.0]);
    let slider = world.add_joint(slider).unwrap();
    world.body_mut(body).unwrap().set_force([0.0, real(-9.0 * 5.0 * G), 0.0]).unwrap();
    run(&mut world, 3.0);
    let value = world.joint(slider).unwrap().value().unwrap().to_f64();
    assert!((value + 0.5).abs() < 1e-3, "{value}");
    let force = world.joint(slider).unwrap().force().y.to_f64();
    assert!((force / (10.0 * 5.0 * G) - 1.0).abs() < 0.01, "{force}");
}

/// A stop with restitution e gives back e of the speed.
#[test]
fn limits_bounce() {
    let mut world = weightless();
    let body = crate_at(&mut world, [0.0; 3], [0.2, 0.2, 0.2], 5.0);
    let slide = Axis::FREE.limit(Limit::new(-1.0, 1.0).restitution(0.5));
    world.add_joint(JointDesc::new(World::BODY, body, Slider { slide }).axis([1.0, 0.0, 0.0])).unwrap();
    world.body_mut(body).unwrap().set_linear_velocity([3.0, 0.0, 0.0]).unwrap();
    run(&mut world, 0.6);
    let speed = world.body(body).unwrap().linear_velocity().x;
    assert!((speed + 1.5).abs() < real(0.03), "{speed}");
}

/// A pendulum in a cone comes to rest on its rim, and a twisting one at the end of its twist: within half a degree, under ten times its
/// weight.
#[test]
fn cone_and_twist_hold() {
    let mut world = sleepless();
    let arm = crate_at(&mut world, [0.5, 0.0, 0.0], [0.5, 0.1, 0.1], 2.0);
    let joint = JointDesc::cone_twist(World::BODY, arm, 0.5, 0.3).anchor([0.0; 3]).axis([1.0, 0.0, 0.0]);
    let joint = world.add_joint(joint).unwrap();
    let mut body = world.body_mut(arm).unwrap();
    body.set_force([0.0, real(-9.0 * 2.0 * G), 0.0]).unwrap();
    body.set_torque([2.0, 0.0, 0.0]).unwrap();
    body.set_damping(0.5, 0.5).unwrap();
    run(&mut world, 6.0);
    let angles = world.joint(joint).unwrap().angles().unwrap().map(|a| a.to_f64());
    assert!((angles[1] - 0.5).abs() < 0.5_f64.to_radians(), "swing {angles:?}");
    assert!((angles[0] - 0.3).abs() < 0.5_f64.to_radians(), "twist {angles:?}");
}

/// Wheels in a ratio of 1 to 3 stay in it over many turns, to 1e-3.
#[test]
fn gear_keeps_its_ratio() {
    let mut world = weightless();
    let axis = Vec3::new(0.0, 0.0, 1.0);
    let small = crate_at(&mut world, [0.0; 3], [0.1, 0.1, 0.1], 1.0);
    let large = crate_at(&mut world, [0.4, 0.0, 0.0], [0.3, 0.3, 0.1], 5.0);
    let drive = Hinge::driven(Motor::velocity(12.0));
    let a = world.add_joint(JointDesc::new(World::BODY, small, drive).axis(axis)).unwrap();
    let b = world.add_joint(JointDesc::hinge(World::BODY, large).axis(axis)).unwrap();
    world.add_joint(JointDesc::gear(small, large, 3.0).anchor_a([0.0; 3]).anchor_b([0.0; 3]).axis(axis)).unwrap();
    run(&mut world, 10.0);
    let turned = [a, b].map(|j| world.joint(j).unwrap().value().unwrap().to_f64());
    assert!(turned[0] > 110.0, "{turned:?}");
    assert!((turned[0] / turned[1] + 3.0).abs() < 3e-3, "{turned:?}");
}

/// The rack moves by the radius of the pinion per radian.
#[test]
fn rack_follows_the_pinion() {
    let mut world = weightless();
    let pinion = crate_at(&mut world, [0.0; 3], [0.2, 0.2, 0.1], 1.0);
    let rack = crate_at(&mut world, [0.0, -0.3, 0.0], [1.0, 0.1, 0.1], 3.0);
    let drive = Hinge::driven(Motor::velocity(2.0));
    let hinge = world.add_joint(JointDesc::new(World::BODY, pinion, drive).axis([0.0, 0.0, 1.0])).unwrap();
    world.add_joint(JointDesc::slider(World::BODY, rack).axis([1.0, 0.0, 0.0])).unwrap();
    let mesh = JointDesc::rack(pinion, rack, 0.2).anchor_a([0.0; 3]).anchor_b([0.0; 3]);
    world.add_joint(mesh.axis_a([0.0, 0.0, 1.0]).axis_b([1.0, 0.0, 0.0])).unwrap();
    run(&mut world, 5.0);
    let (turned, slid) = (world.joint(hinge).unwrap().value().unwrap().to_f64(), position(&world, rack).x);
    assert!(turned > 9.0 && (slid - 0.2 * turned).abs() < 2e-3, "{slid} m for {turned} rad");
}

/// A screw that is turned moves by its pitch per turn.
#[test]
fn screw_advances_by_its_pitch() {
    let mut world = weightless();
    let nut = crate_at(&mut world, [0.0; 3], [0.2, 0.2, 0.2], 2.0);
    let screw = world.add_joint(JointDesc::screw(World::BODY, nut, 0.5).axis([0.0, 1.0, 0.0])).unwrap();
    world.body_mut(nut).unwrap().apply_angular_impulse([0.0, 0.5, 0.0]).unwrap();
    run(&mut world, 4.0);
    let turned = world.joint(screw).unwrap().value().unwrap().to_f64();
    let y = position(&world, nut).y;
    assert!(turned.abs() > 10.0, "{turned}");
    assert!((y - 0.5 * turned / (2.0 * std::f64::consts::PI)).abs() < 2e-3, "{y} m for {turned} rad");
}

/// A shaft that is driven at one end of a universal joint turns at the other, which is bent by 30 degrees, just as far.
#[test]
fn universal_joint_hands_turning_on() {
    let mut world = weightless();
    let bend = 30_f64.to_radians();
    let tilted = Quat::from_axis_angle(Vec3::Z, real(bend));
    let first = crate_at(&mut world, [-0.5, 0.0, 0.0], [0.5, 0.1, 0.1], 1.0);
    let second = crate_at(&mut world, [0.5 * Float::cos(bend), 0.5 * Float::sin(bend), 0.0], [0.5, 0.1, 0.1], 1.0);
    world.body_mut(second).unwrap().set_rotation(tilted).unwrap();
    let axis = tilted.rotate(Vec3::X);
    let far = Point::new(Float::cos(bend), Float::sin(bend), 0.0);
    let drive = Hinge::driven(Motor::velocity(5.0));
    let a = JointDesc::new(World::BODY, first, drive).anchor([-1.0, 0.0, 0.0]).axis([1.0, 0.0, 0.0]);
    let a = world.add_joint(a).unwrap();
    let b = world.add_joint(JointDesc::hinge(World::BODY, second).anchor(far).axis(axis)).unwrap();
    let cross = JointDesc::universal(first, second).frame_a([0.5, 0.0, 0.0], Quat::IDENTITY);
    world.add_joint(cross.frame_b([-0.5, 0.0, 0.0], Quat::IDENTITY)).unwrap();
    run(&mut world, 2.0 * std::f64::consts::PI / 5.0 * 4.0);
    let turned = [a, b].map(|j| world.joint(j).unwrap().value().unwrap().to_f64());
    // After whole turns both have gone equally far; in between one leads by up to (1/cos - cos)/4.
    assert!((turned[0] - 8.0 * std::f64::consts::PI).abs() < 0.1, "{turned:?}");
    assert!((turned[0] - turned[1]).abs() < 0.05, "{turned:?}");
}

/// A bead on a path that dips like a bowl stays on it and swings.
#[test]
fn bead_stays_on_its_path() {
    let mut world = sleepless();
    let bead = crate_at(&mut world, [1.5, 0.225, 0.0], [0.1, 0.1, 0.1], 1.0);
    let points = (-8..=8).map(|i| f64::from(i) * 0.5).map(|x| Vec3::new(real(x), real(0.1 * x * x), 0.0));
    let path = JointDesc::path(World::BODY, bead, Path::through(points, false)).anchor_a([0.0; 3]).anchor_b([0.0; 3]);
    let joint = world.add_joint(path).unwrap();
    let (mut least, mut most) = (0.0_f64, 0.0_f64);
    for _ in 0..600 {
        world.step(DT).unwrap();
        let p = position(&world, bead);
        (least, most) = (least.min(p.x), most.max(p.x));
        assert!((p.y - 0.1 * p.x * p.x).abs() < 0.01 && p.z.abs() < 1e-3, "{p:?}");
        assert!(world.joint(joint).unwrap().gap() < real(0.01));
    }
    assert!(least < -1.3 && most < 1.6, "it swings from side to side: {least} to {most}");
}

/// A dragged box follows the mouse and hangs below it by no more than its weight stretches the spring.
#[test]
fn drag_follows_its_target() {
    let mut world = sleepless();
    let body = crate_at(&mut world, [0.0; 3], [0.2, 0.2, 0.2], 4.0);
    let drag = world.add_joint(JointDesc::drag(body, 1000.0).anchor([0.0; 3])).unwrap();
    world.joint_mut(drag).unwrap().set_anchor_a([2.0, 1.0, 0.0]).unwrap();
    run(&mut world, 2.0);
    // Sag g/ω² of a spring of 5 Hz: 1 cm.
    let sag = G / (10.0 * std::f64::consts::PI).powi(2);
    let p = position(&world, body);
    assert!((p - Point::new(2.0, 1.0 - sag, 0.0)).length() < 2e-3, "{p:?}");
    // A force that cannot lift it lets it fall.
    world
        .joint_mut(drag)
        .unwrap()
        .edit(|kind| {
            if let JointKind::Drag(drag) = kind {
                drag.max_force = 20.0;
            }
        })
        .unwrap();
    run(&mut world, 1.0);
    assert!(position(&world, body).y < -1.0);
}

/// A wheel rolls along the ground, carries the car on its spring, and is steered.
#[test]
fn car_drives_and_steers() {
    use tumble::shape::Shape;
    use tumble::{BodyDesc, ColliderDesc};
    let mut world = sleepless();
    world.add_body(BodyDesc::fixed().collider(Shape::half_space(Vec3::Y, 0.0).unwrap())).unwrap();
    let chassis = crate_at(&mut world, [0.0, 0.8, 0.0], [1.0, 0.2, 0.5], 400.0);
    let upright = Quat::from_mat3(&tumble::math::Mat3::from_columns(Vec3::Y, -Vec3::X, Vec3::Z));
    let mut front = Vec::new();
    for (x, z) in [(0.8, -0.6), (0.8, 0.6), (-0.8, -0.6), (-0.8, 0.6)] {
        let rim = Shape::cylinder(0.1, 0.35).unwrap();
        // The cylinder's axis is y; the axle is z.
        let rim = ColliderDesc::new(rim).rotation(Quat::from_axis_angle(Vec3::X, Real::PI / 2.0));
        let wheel = world.add_body(BodyDesc::dynamic().position([x, 0.35, z]).mass(20.0).collider(rim)).unwrap();
        let mut kind = Wheel::new(2.0, 0.7, 0.2);
        kind.suspension.motor = Some(Motor::position(0.0, Stiffness::spring(16_000.0, 1500.0)));
        if x < 0.0 {
            kind.spin = Some(Motor::velocity(-8.0).max_force(200.0));
        }
        let hub = JointDesc::wheel(chassis, wheel, kind).frame_a([x, -0.45, z], upright).frame_b([0.0; 3], upright);
        let joint = world.add_joint(hub).unwrap();
        if x > 0.0 {
            front.push(joint);
        }
    }
    run(&mut world, 3.0);
    let p = position(&world, chassis);
    assert!(p.x > 4.0 && p.z.abs() < 0.3, "straight ahead: {p:?}");
    assert!(p.y > 0.6 && p.y < 0.9, "on its springs: {p:?}");
    for joint in front {
        world
            .joint_mut(joint)
            .unwrap()
            .edit(|kind| {
                if let JointKind::Wheel(wheel) = kind {
                    wheel.steer = 0.3.into();
                }
            })
            .unwrap();
    }
    run(&mut world, 2.0);
    let turned = world.body(chassis).unwrap().rotation().to_rotation_vector();
    assert!(turned.y > 0.3, "it turns left: {turned:?}");
}
