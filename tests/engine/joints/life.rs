//! The life of joints: made, refused, edited, asleep, saved, broken, removed.

use super::{DT, chain, crate_at, position, run, sleepless, widest_gap};
use crate::support::{Random, dump, real};
use tumble::constraint::joint::{
    Ball, ConeTwist, Cylindrical, Distance, Drag, Fixed, Freedom, Gear, Glue, Hinge, JointKind, Orientation, Parallel,
    Path, Planar, Pulley, Rack, Screw, SixAxis, Slider, Universal, Wheel,
};
use tumble::constraint::{Axis, Limit, Motor, Signal, Stiffness};
use tumble::math::{Float, Point, Quat, Real, Vec3};
use tumble::shape::Shape;
use tumble::{BodyDesc, BodyId, BodyKind, Error, Event, JointDesc, JointId, Locks, MassSource, Method, World};

/// Bad input is refused with an error that names it, and changes nothing.
#[test]
fn bad_joints_are_refused() {
    let mut world = World::new();
    let (a, b) = (crate_at(&mut world, [0.0; 3], [0.1; 3], 1.0), crate_at(&mut world, [1.0, 0.0, 0.0], [0.1; 3], 1.0));
    let wall = world.add_body(BodyDesc::fixed()).unwrap();
    let lift = world.add_body(BodyDesc::kinematic()).unwrap();
    let gone = crate_at(&mut world, [0.0; 3], [0.1; 3], 1.0);
    world.remove_body(gone).unwrap();
    let (nan, inf) = (Real::NAN, Real::INFINITY);
    let pulley = |length, ratio| Pulley { wheels: [Point::ZERO; 2], length, ratio, slack: true };
    let limited = |limit: Limit| JointDesc::new(a, b, Hinge { turn: Axis::FREE.limit(limit) });
    let driven = |motor: Motor| JointDesc::new(a, b, Slider { slide: Axis::FREE.motor(motor) });
    let wrong = [
        JointDesc::ball(a, a),
        JointDesc::ball(World::BODY, wall),
        JointDesc::ball(wall, lift),
        JointDesc::ball(a, gone),
        JointDesc::hinge(a, b).axis([0.0; 3]),
        JointDesc::hinge(a, b).axis_b([nan, 0.0, 0.0]),
        JointDesc::ball(a, b).anchor([f64::NAN, 0.0, 0.0]),
        JointDesc::ball(a, b).anchor_a([f64::INFINITY, 0.0, 0.0]),
        JointDesc::fixed(a, b).frame_a([0.0; 3], Quat::new(0.0, 0.0, 0.0, 0.0)),
        JointDesc::ball(a, b).breaks_at(-1.0, inf),
        JointDesc::ball(a, b).breaks_at(inf, nan),
        JointDesc::ball(a, b).stiffness(Stiffness::tuned(-1.0, 1.0)),
        JointDesc::ball(a, b).stiffness(Stiffness::spring(nan, 1.0)),
        limited(Limit::new(1.0, -1.0)),
        limited(Limit::new(nan, 1.0)),
        limited(Limit::new(0.0, 1.0).restitution(2.0)),
        driven(Motor::velocity(nan)),
        driven(Motor::velocity(1.0).max_force(nan)),
        driven(Motor::velocity(Signal::table([(1.0, 0.0), (0.0, 1.0)]))),
        JointDesc::cone_twist(a, b, -0.1, 0.5),
        JointDesc::cone_twist(a, b, 0.5, -0.5),
        JointDesc::rod(a, b, nan),
        JointDesc::gear(a, b, 0.0),
        JointDesc::screw(a, b, inf),
        JointDesc::pulley(a, b, pulley(0.0, 1.0)),
        JointDesc::pulley(a, b, pulley(1.0, -1.0)),
        JointDesc::path(a, b, Path::through([Vec3::ZERO], false)),
        JointDesc::path(a, b, Path::through([Vec3::ZERO, Vec3::ZERO], false)),
        JointDesc::glue(a, b, [Vec3::ZERO, Vec3::X, Vec3::X * 2.0]),
        JointDesc::wheel(a, b, Wheel { steer: nan.into(), ..Wheel::new(1.0, 1.0, 1.0) }),
        JointDesc::drag(a, nan),
        JointDesc::new(a, b, Ball { motor: Some(Orientation::friction(1.0).turning(Vec3::ZERO, 1.0)) }),
        JointDesc::new(a, b, Ball { motor: Some(Orientation::friction(1.0).turning(Vec3::X, nan)) }),
    ];
    let before = world.hash();
    for desc in wrong {
        let what = format!("{desc:?}");
        let error = world.add_joint(desc).expect_err(&what);
        assert!(!error.to_string().is_empty());
        assert_eq!(world.hash(), before, "{what}");
    }
    let joint = world.add_joint(JointDesc::hinge(a, b).name("knee")).unwrap();
    let before = world.hash();
    let mut edit = world.joint_mut(joint).unwrap();
    assert!(edit.set_motor(Some(Motor::velocity(nan))).unwrap_err().to_string().contains("knee"));
    assert!(edit.set_frame_a([f64::NAN, 0.0, 0.0], Quat::IDENTITY).is_err());
    assert!(edit.set_break_limits(nan, 0.0).is_err());
    assert!(edit.set_kind(Gear { ratio: 0.0 }).is_err());
    assert_eq!(world.hash(), before);
    world.remove_joint(joint).unwrap();
    assert!(matches!(world.joint(joint), Err(Error::Missing(_))));
    assert!(world.joint_mut(joint).is_err() && world.remove_joint(joint).is_err());
}

/// A joint goes with its body, tells so, and lets the other one fall.
#[test]
fn joints_go_with_their_bodies() {
    let mut world = World::new();
    let (bodies, joints) = chain(&mut world, 5, 1.0, 1.0);
    run(&mut world, 1.0);
    assert_eq!(world.joints_of(bodies[1]).unwrap().collect::<Vec<_>>(), joints[1..3]);
    world.remove_body(bodies[1]).unwrap();
    world.audit().unwrap();
    assert_eq!(world.joint_count(), 3);
    assert!(world.joint(joints[1]).is_err() && world.joint(joints[2]).is_err());
    world.step(DT).unwrap();
    let told = |j: JointId| world.events().contains(&Event::JointRemoved { joint: j });
    assert!(told(joints[1]) && told(joints[2]));
    run(&mut world, 1.0);
    assert!(position(&world, bodies[4]).y < -8.0 && position(&world, bodies[0]).y > -0.6);
}

/// Joined bodies pass through each other unless they are told not to, and from the moment they are told.
#[test]
fn collision_of_the_joined_is_a_choice() {
    let mut world = World::new();
    let a = world.add_body(BodyDesc::fixed().collider(Shape::cuboid(1.0, 1.0, 1.0).unwrap())).unwrap();
    let b = crate_at(&mut world, [0.0, 1.2, 0.0], [0.5, 0.5, 0.5], 1.0);
    let rope = JointDesc::rope(a, b, 5.0).anchor_a([0.0; 3]).anchor_b([0.0; 3]);
    let joint = world.add_joint(rope.collide(true)).unwrap();
    run(&mut world, 1.0);
    assert!((position(&world, b).y - 1.5).abs() < 0.02, "{:?}", position(&world, b));
    world.joint_mut(joint).unwrap().set_collide(false).unwrap();
    world.audit().unwrap();
    run(&mut world, 0.3);
    assert!(position(&world, b).y < 1.3);
    world.joint_mut(joint).unwrap().set_active(false).unwrap();
    world.body_mut(b).unwrap().set_position([0.0, 1.6, 0.0]).unwrap();
    run(&mut world, 1.0);
    assert!((position(&world, b).y - 1.5).abs() < 0.02);
    world.audit().unwrap();
}

/// A chain at rest falls asleep as one island; an edit of its last joint wakes all of it, as does a push of its first link.
#[test]
fn chains_sleep_and_wake_as_one() {
    let mut world = World::new();
    let (bodies, joints) = chain(&mut world, 6, 1.0, 1.0);
    run(&mut world, 8.0);
    assert_eq!(world.awake_count(), 0, "all asleep");
    world.audit().unwrap();
    world.joint_mut(joints[5]).unwrap().set_break_limits(1e6, 1e6).unwrap();
    assert_eq!(world.awake_count(), 6);
    world.audit().unwrap();
    run(&mut world, 8.0);
    assert_eq!(world.awake_count(), 0);
    world.body_mut(bodies[0]).unwrap().apply_impulse([1.0, 0.0, 0.0]).unwrap();
    assert_eq!(world.awake_count(), 6);
    for &body in &bodies {
        world.body_mut(body).unwrap().set_damping(2.0, 2.0).unwrap();
    }
    // A new joint between two sleepers wakes both and all that hangs on them, a removed one too.
    let other = crate_at(&mut world, [3.0, -6.5, 0.0], [0.1, 0.4, 0.1], 1.0);
    let bystander = crate_at(&mut world, [9.0, -6.5, 0.0], [0.1, 0.4, 0.1], 1.0);
    for (body, x) in [(other, 3.0), (bystander, 9.0)] {
        world.add_joint(JointDesc::ball(World::BODY, body).anchor([x, -6.0, 0.0])).unwrap();
    }
    run(&mut world, 30.0);
    assert_eq!(world.awake_count(), 0, "all asleep again");
    let tie = world.add_joint(JointDesc::rope(bodies[5], other, 5.0)).unwrap();
    assert_eq!(world.awake_count(), 7);
    assert!(world.body(bystander).unwrap().is_asleep());
    run(&mut world, 30.0);
    assert_eq!(world.awake_count(), 0);
    world.remove_joint(tie).unwrap();
    world.audit().unwrap();
    assert_eq!(world.awake_count(), 7);
    assert!(world.body(bystander).unwrap().is_asleep());
}

/// What hangs on a kinematic body follows it, also out of its sleep.
#[test]
fn moving_anchor_wakes_what_hangs_on_it() {
    let mut world = World::new();
    let crane = world.add_body(BodyDesc::kinematic()).unwrap();
    let load = crate_at(&mut world, [0.0, -1.0, 0.0], [0.2, 0.2, 0.2], 5.0);
    let rope = world.add_joint(JointDesc::ball(crane, load).anchor([0.0; 3])).unwrap();
    run(&mut world, 10.0);
    assert!(world.body(load).unwrap().is_asleep());
    world.body_mut(crane).unwrap().set_velocity([0.0, 0.5, 0.0], Vec3::ZERO).unwrap();
    run(&mut world, 4.0);
    assert!((position(&world, load).y - 1.0).abs() < 0.02, "{:?}", position(&world, load));
    assert!(world.joint(rope).unwrap().gap() < real(0.01));
}

/// Going on after a restore gives the same bits, with joints of every kind in the world; a damaged snapshot is refused.
#[test]
fn snapshots_hold_joints() {
    let mut world = zoo();
    run(&mut world, 1.0);
    let saved = world.snapshot().unwrap();
    let mut copy = World::from_snapshot(&saved).unwrap();
    assert_eq!(copy.hash(), world.hash());
    assert_eq!(dump(&copy, &[]), dump(&world, &[]));
    copy.audit().unwrap();
    for _ in 0..60 {
        world.step(DT).unwrap();
        copy.step(DT).unwrap();
    }
    assert_eq!(copy.hash(), world.hash());
    assert_eq!(dump(&copy, &[]), dump(&world, &[]));
    let mut random = Random(5);
    for _ in 0..200 {
        let mut bytes = saved.clone();
        let at = 32 + random.below(bytes.len() - 32);
        bytes[at] ^= 1 << random.below(8);
        assert!(World::from_snapshot(&bytes).is_err());
        bytes.truncate(at);
        assert!(World::from_snapshot(&bytes).is_err());
    }
}

/// A world with joints of many kinds, motors and limits.
fn zoo() -> World {
    let mut world = World::new();
    let mut add = |i: usize, kind: JointKind| {
        let x = i as f64 * 3.0;
        let body = crate_at(&mut world, [x, 0.0, 0.0], [0.3, 0.2, 0.1], 1.0 + i as f64);
        let desc = JointDesc::new(World::BODY, body, kind).anchor([x - 0.5, 0.2, 0.0]).axis([0.0, 0.6, 0.8]);
        world.add_joint(desc.name(format!("joint-{i}")).user_data(i as u64)).unwrap();
    };
    let sine = Signal::Sine { mean: 0.1, amplitude: 0.3, hertz: 0.5, phase: 0.25 };
    let table = Signal::table([(0.0, 0.0), (1.0, 0.4), (2.0, -0.3)]);
    let kinds: [JointKind; 12] = [
        Ball {
            motor: Some(Orientation::target(Quat::IDENTITY, Stiffness::tuned(2.0, 0.5)).turning(Vec3::Y, sine.clone())),
        }
        .into(),
        Hinge { turn: Axis::FREE.limit(Limit::new(-1.0, 1.0)).motor(Motor::velocity(sine).max_force(20.0)) }.into(),
        Slider { slide: Axis::FREE.motor(Motor::position(table, Stiffness::tuned(3.0, 0.5))) }.into(),
        Fixed.into(),
        Distance::spring(0.5, Stiffness::spring(100.0, 1.0)).into(),
        JointDesc::universal(World::BODY, World::BODY).kind,
        JointDesc::cone_twist(World::BODY, World::BODY, 0.4, 0.2).kind,
        JointDesc::cylindrical(World::BODY, World::BODY).kind,
        JointDesc::screw(World::BODY, World::BODY, 0.1).kind,
        Wheel::new(2.0, 0.5, 0.3).into(),
        Path::through([Vec3::ZERO, Vec3::X, Vec3::new(1.0, 1.0, 0.0)], true).into(),
        Glue { points: [Vec3::X, Vec3::Y, Vec3::Z] }.into(),
    ];
    for (i, kind) in kinds.into_iter().enumerate() {
        add(i, kind);
    }
    chain(&mut world, 8, 1.0, 30.0);
    world
}

/// Frames, limits, motors, stiffness and the kind itself are changed while the world runs, and asleep: the body goes to where the joint holds
/// it then.
#[test]
fn joints_are_edited_while_they_run() {
    let mut world = World::new();
    let arm = crate_at(&mut world, [0.5, 0.0, 0.0], [0.5, 0.05, 0.05], 2.0);
    world.body_mut(arm).unwrap().set_damping(1.0, 1.0).unwrap();
    let hinge = JointDesc::new(World::BODY, arm, Hinge::limited(-0.3, 0.2)).anchor([0.0; 3]).axis([0.0, 0.0, 1.0]);
    let hinge = world.add_joint(hinge).unwrap();
    // Every edit comes to a sleeper, wakes it, and is what it rests by afterwards.
    let settle = |world: &mut World, what: &str, change: &dyn Fn(&mut World), angle: f64, at: [f64; 3]| {
        run(world, 10.0);
        assert!(world.body(arm).unwrap().is_asleep(), "before {what}");
        change(world);
        assert!(!world.body(arm).unwrap().is_asleep(), "{what} wakes");
        world.audit().unwrap();
        run(world, 12.0);
        let joint = world.joint(hinge).unwrap();
        let value = joint.value().unwrap().to_f64();
        assert!((value - angle).abs() < 0.01, "{what}: at {value}, should be {angle}");
        assert!(joint.gap() < real(0.01) && joint.tilt() < real(0.01), "{what}: {} {}", joint.gap(), joint.tilt());
        let off = (joint.frames().b.position - Point::from(at)).length();
        assert!(off < 5e-3, "{what}: {off} m away");
    };
    let origin = [0.0; 3];
    let limit = |w: &mut World| w.joint_mut(hinge).unwrap().set_limit(Some(Limit::new(-0.8, 0.2))).unwrap();
    settle(&mut world, "a lower stop", &limit, -0.8, origin);
    let servo = Motor::position(-0.5, Stiffness::tuned(20.0, 1.0));
    let motor = |w: &mut World| w.joint_mut(hinge).unwrap().set_motor(Some(servo.clone())).unwrap();
    // The weight bends the servo by τ/(I ω²) = (g/2)/((1/3) ω²), a thousandth.
    settle(&mut world, "a motor", &motor, -0.5, origin);
    let lift = |w: &mut World| w.joint_mut(hinge).unwrap().set_frame_a([0.0, 1.0, 0.0], upright()).unwrap();
    settle(&mut world, "a frame on A", &lift, -0.5, [0.0, 1.0, 0.0]);
    // The frame on the arm turned by 0.4: the same angle of the joint leaves the arm 0.4 lower.
    let turned = upright() * Quat::from_axis_angle(Vec3::X, 0.4);
    let shift = |w: &mut World| w.joint_mut(hinge).unwrap().set_frame_b([-0.4, 0.0, 0.0], turned).unwrap();
    settle(&mut world, "a frame on B", &shift, -0.5, [0.0, 1.0, 0.0]);
    let lean = world.body(arm).unwrap().rotation().to_rotation_vector().z.to_f64();
    assert!((lean + 0.9).abs() < 0.01, "{lean}");
    let anchor = |w: &mut World| w.joint_mut(hinge).unwrap().set_anchor_a([0.0, 2.0, 0.0]).unwrap();
    settle(&mut world, "an anchor", &anchor, -0.5, [0.0, 2.0, 0.0]);
    let free = |w: &mut World| {
        let mut joint = w.joint_mut(hinge).unwrap();
        joint.set_motor(None).unwrap();
        joint.set_limit(None).unwrap();
    };
    // It hangs down; the frame on it is turned by 0.4.
    settle(&mut world, "neither motor nor limit", &free, -0.5 * std::f64::consts::PI + 0.4, [0.0, 2.0, 0.0]);
    run(&mut world, 10.0);
    let weld = |w: &mut World| w.joint_mut(hinge).unwrap().set_kind(Fixed).unwrap();
    weld(&mut world);
    assert!(!world.body(arm).unwrap().is_asleep());
    run(&mut world, 3.0);
    let joint = world.joint(hinge).unwrap();
    assert_eq!(joint.kind().name(), "fixed");
    assert!(joint.gap() < real(0.01) && joint.tilt() < real(0.02), "{} {}", joint.gap(), joint.tilt());
}

/// x along z of the world, as the axis of a hinge is.
fn upright() -> Quat {
    Quat::between(Vec3::X, Vec3::Z)
}

/// Random edits of joints of all kinds while islands sleep, bodies change kind, joints break and worlds are saved and restored: nothing
/// panics, what the world keeps about itself agrees after each, and whoever an edit concerns is awake after it.
#[test]
fn random_edits_of_joints() {
    let mut seen = Seen::default();
    for seed in 0..60 {
        let mut random = Random(seed);
        let mut world = World::new();
        world.add_body(BodyDesc::fixed().collider(Shape::half_space(Vec3::Y, -3.0).unwrap())).unwrap();
        let (mut bodies, mut joints): (Vec<BodyId>, Vec<JointId>) = (Vec::new(), Vec::new());
        for _ in 0..120 {
            edit(&mut world, &mut random, &mut bodies, &mut joints, &mut seen);
            world.audit().unwrap_or_else(|e| panic!("seed {seed}: {e}"));
            if random.below(3) == 0 {
                // Now and then long enough to fall asleep.
                let most = if random.below(6) == 0 { 400 } else { 40 };
                for _ in 0..=random.below(most) {
                    world.step(DT).unwrap();
                    seen.broken += world.events().iter().filter(|e| matches!(e, Event::JointBroke { .. })).count();
                }
                world.audit().unwrap_or_else(|e| panic!("seed {seed}, after steps: {e}"));
            }
        }
    }
    println!("{seen:?}");
    assert!(seen.kinds.len() == 19, "all kinds were tried: {:?}", seen.kinds);
    assert!(seen.asleep > 100 && seen.broken > 50, "{seen:?}");
}

/// What the random edits have come across.
#[derive(Debug, Default)]
struct Seen {
    kinds: std::collections::BTreeSet<String>,
    /// Edits of joints of which a body slept.
    asleep: usize,
    broken: usize,
}

/// Any kind, with limits, motors and springs of all sorts.
fn any_kind(random: &mut Random) -> JointKind {
    let number = |random: &mut Random, low: f64, high: f64| real(random.between(low, high));
    let stiffness = match random.below(3) {
        0 => Stiffness::Method,
        1 => Stiffness::tuned(number(random, 0.5, 20.0), number(random, 0.0, 2.0)),
        _ => Stiffness::spring(number(random, 0.0, 500.0), number(random, 0.0, 50.0)),
    };
    let limit = Limit::new(number(random, -1.0, 0.0), number(random, 0.0, 1.0));
    let limit = limit.restitution(number(random, 0.0, 1.0)).stiffness(stiffness);
    let motor = match random.below(3) {
        0 => Motor::velocity(number(random, -2.0, 2.0)),
        1 => Motor::position(number(random, -1.0, 1.0), stiffness),
        _ => Motor::velocity(Signal::Sine { mean: 0.0, amplitude: 1.0, hertz: 0.5, phase: 0.0 }),
    };
    let motor = motor.max_force(number(random, 0.0, 100.0));
    let axis = match random.below(4) {
        0 => Axis::FREE,
        1 => Axis::FREE.limit(limit),
        2 => Axis::FREE.motor(motor.clone()),
        _ => Axis::FREE.limit(limit).motor(motor.clone()),
    };
    let freedom = |random: &mut Random| match random.below(3) {
        0 => Freedom::Locked,
        1 => Freedom::FREE,
        _ => Freedom::Free(axis.clone()),
    };
    let orientation = (random.below(2) == 0).then(|| match random.below(2) {
        0 => Orientation::target(random.rotation(), stiffness)
            .turning(Vec3::new(0.0, 0.6, 0.8), Signal::Ramp { from: 0.0, to: 3.0, start: 0.0, duration: 5.0 }),
        _ => Orientation::friction(number(random, 0.0, 10.0)),
    });
    let spin = Motor::velocity(number(random, -5.0, 5.0)).max_force(20.0);
    match random.below(19) {
        0 => Ball { motor: orientation }.into(),
        1 => Hinge { turn: axis }.into(),
        2 => Slider { slide: axis }.into(),
        3 => Fixed.into(),
        4 => Distance { length: (random.below(2) == 0).then(|| number(random, 0.0, 2.0)), stretch: axis }.into(),
        5 => Universal { bend: [axis.clone(), axis] }.into(),
        6 => ConeTwist {
            cone_stiffness: stiffness,
            cone_restitution: number(random, 0.0, 1.0),
            twist: (random.below(2) == 0).then_some(limit),
            motor: orientation,
            ..ConeTwist::new(number(random, 0.0, 3.0), 0.5)
        }
        .into(),
        7 => Cylindrical { slide: axis.clone(), turn: axis }.into(),
        8 => Planar { slide: [axis.clone(), axis.clone()], turn: axis }.into(),
        9 => Parallel.into(),
        10 => SixAxis {
            slide: [freedom(random), freedom(random), freedom(random)],
            turn: [freedom(random), freedom(random), freedom(random)],
        }
        .into(),
        11 => Gear { ratio: number(random, 0.5, 3.0) }.into(),
        12 => Rack { travel: number(random, -1.0, 1.0) }.into(),
        13 => Screw { pitch: number(random, -1.0, 1.0), turn: axis }.into(),
        14 => {
            let wheels = [Point::new(0.0, 4.0, 0.0), Point::new(1.0, 4.0, 0.0)];
            let (length, ratio) = (number(random, 1.0, 12.0), number(random, 0.5, 2.0));
            Pulley { wheels, length, ratio, slack: random.below(2) == 0 }.into()
        }
        15 => Wheel { suspension: axis, spin: Some(spin), steer: number(random, -0.5, 0.5).into() }.into(),
        16 => {
            let (closed, follow) = (random.below(2) == 0, random.below(2) == 0);
            let points = [Vec3::ZERO, Vec3::X, Vec3::new(1.0, 1.0, 0.0), Vec3::new(0.0, 1.0, 0.5)];
            Path { follow, motor: (random.below(2) == 0).then_some(spin), ..Path::through(points, closed) }.into()
        }
        17 => Drag { stiffness, max_force: number(random, 0.0, 500.0) }.into(),
        _ => Glue { points: [Vec3::X, Vec3::Y, Vec3::Z].map(|v| v * number(random, 0.1, 1.0)) }.into(),
    }
}

fn edit(world: &mut World, random: &mut Random, bodies: &mut Vec<BodyId>, joints: &mut Vec<JointId>, seen: &mut Seen) {
    let pick = |random: &mut Random, n: usize| if n == 0 { 0 } else { random.below(n) };
    let (body, joint) =
        (bodies.get(pick(random, bodies.len())).copied(), joints.get(pick(random, joints.len())).copied());
    let kinds = [BodyKind::Dynamic, BodyKind::Fixed, BodyKind::Kinematic];
    let infinite = |random: &mut Random| {
        if random.below(4) == 0 { real(random.between(0.0, 200.0)) } else { Real::INFINITY }
    };
    match (random.below(16), body, joint) {
        (0..=2, ..) if bodies.len() < 12 => {
            let at = [random.between(-2.0, 2.0), random.between(-2.0, 2.0), random.between(-2.0, 2.0)];
            bodies.push(crate_at(world, at, [0.3, 0.3, 0.3], 1.0));
        }
        (3..=5, Some(a), _) => {
            let b = if random.below(3) == 0 { World::BODY } else { bodies[random.below(bodies.len())] };
            let kind = any_kind(random);
            let desc = JointDesc::new(a, b, kind).breaks_at(infinite(random), infinite(random));
            let desc = desc.collide(random.below(2) == 0).active(random.below(5) > 0);
            // Two bodies of which none can move, or the same one twice, are refused.
            if let Ok(joint) = world.add_joint(desc) {
                seen.kinds.insert(world.joint(joint).unwrap().kind().name().to_owned());
                joints.push(joint);
                assert_awake(world, joint);
            }
        }
        (6, _, Some(j)) if world.joint(j).is_ok() => {
            let (held, active) = (world.joint(j).unwrap().bodies(), world.joint(j).unwrap().is_active());
            let all = held.iter().all(|&b| world.body(b).is_ok_and(|b| b.is_active()));
            world.remove_joint(j).unwrap();
            for body in held.into_iter().filter(|_| active && all) {
                assert!(!is_sleeper(world, body), "a joint was removed");
            }
        }
        (7, _, Some(j)) if world.joint(j).is_ok() => {
            let (before, active) = (world.joint(j).unwrap().is_active(), random.below(2) == 0);
            let held = world.joint(j).unwrap().bodies();
            let all = held.iter().all(|&b| world.body(b).is_ok_and(|b| b.is_active()));
            world.joint_mut(j).unwrap().set_active(active).unwrap();
            for body in held.into_iter().filter(|_| before != active && all) {
                assert!(!is_sleeper(world, body), "a joint was switched");
            }
        }
        (8, _, Some(j)) if world.joint(j).is_ok() => {
            seen.note(world, j);
            let mut joint = world.joint_mut(j).unwrap();
            joint.set_collide(random.below(2) == 0).unwrap();
            joint.set_anchor_b(random.vector(0.5).to_f64()).unwrap();
            assert_awake(world, j);
        }
        (9, Some(b), _) => {
            let (kind, before) = (kinds[random.below(3)], world.body(b).unwrap().kind());
            world.body_mut(b).unwrap().set_kind(kind).unwrap();
            assert!(kind == before || !is_sleeper(world, b), "a body became {kind:?}");
        }
        (10, Some(b), _) => world.body_mut(b).unwrap().set_active(random.below(3) > 0),
        (11, Some(b), _) if random.below(3) == 0 => {
            world.remove_body(b).unwrap();
            bodies.retain(|&o| o != b);
        }
        (12, Some(b), _) => world.body_mut(b).unwrap().set_position(random.vector(2.0).to_f64()).unwrap(),
        (13, ..) => {
            let hash = world.hash();
            *world = World::from_snapshot(&world.snapshot().unwrap()).unwrap();
            assert_eq!(world.hash(), hash);
        }
        (14..=15, _, Some(j)) if world.joint(j).is_ok() => {
            seen.note(world, j);
            let kind = any_kind(random);
            let (force, torque, rotation) = (infinite(random), infinite(random), random.rotation());
            let (point, choice) = (random.vector(0.5).to_f64(), random.below(6));
            let mut joint = world.joint_mut(j).unwrap();
            let done = match choice {
                0 => joint.set_kind(kind),
                1 => joint.set_motor(Some(Motor::velocity(1.0).max_force(10.0))),
                2 => joint.set_limit(Some(Limit::new(-0.5, 0.5))),
                3 => joint.set_break_limits(force, torque),
                4 => joint.set_frame_a(point, rotation),
                _ => joint.set_stiffness(Stiffness::tuned(5.0, 1.0)),
            };
            // Kinds without one main freedom have no motor and no limit to set.
            assert!(done.is_ok() || choice == 1 || choice == 2, "{done:?}");
            if done.is_ok() {
                assert_awake(world, j);
            }
        }
        _ => {}
    }
}

/// A body that would move, and sleeps.
fn is_sleeper(world: &World, body: BodyId) -> bool {
    world.body(body).is_ok_and(|b| b.is_active() && b.kind() == BodyKind::Dynamic && b.is_asleep())
}

impl Seen {
    fn note(&mut self, world: &World, joint: JointId) {
        let bodies = world.joint(joint).unwrap().bodies();
        self.asleep += usize::from(bodies.iter().any(|&b| world.body(b).is_ok_and(|b| b.is_asleep())));
    }
}

/// The bodies of a joint that holds are awake, where they can be.
fn assert_awake(world: &World, joint: JointId) {
    let joint = world.joint(joint).unwrap();
    if !joint.is_active() || joint.bodies().iter().any(|&b| world.body(b).is_ok_and(|b| !b.is_active())) {
        return;
    }
    for body in joint.bodies() {
        let body = world.body(body).unwrap();
        assert!(body.kind() != BodyKind::Dynamic || !body.is_asleep(), "{:?} sleeps after an edit", joint.kind());
    }
}

/// Joints that ask for what locked axes forbid, and for what each other forbid, stay finite (003-63): a body that may only move in a plane,
/// turned any way, held by two joints to a kinematic one that moves and turns out of that plane. It used to be thrown to infinity within
/// one step, by rows that point almost along what is locked.
#[test]
fn joints_that_locks_forbid_stay_finite() {
    let locks = [Locks::planar_x(), Locks::planar_z(), Locks::TURN, Locks::MOVE, Locks::TURN_Y];
    let mut fastest = 0.0_f64;
    for seed in 0..400 {
        let mut random = Random(seed);
        let mut world = World::new();
        let arm = BodyDesc::kinematic().position(random.vector(0.5)).rotation(random.rotation());
        let arm = world.add_body(arm.linear_velocity(random.vector(1.0)).angular_velocity(random.vector(1.0))).unwrap();
        let held = Shape::cuboid(0.25, 0.25, 0.25).unwrap();
        let held = BodyDesc::dynamic().position(random.vector(0.5)).rotation(random.rotation()).collider(held);
        let held = BodyDesc { locks: locks[random.below(locks.len())], ..held };
        let held = world.add_body(held).unwrap();
        for _ in 0..2 {
            let kind: JointKind = match random.below(4) {
                0 => Fixed.into(),
                1 => Hinge::limited(-0.1, 0.1).into(),
                2 => Slider::driven(Motor::velocity(real(random.between(-2.0, 2.0)))).into(),
                _ => JointDesc::ball(held, arm).kind,
            };
            world.add_joint(JointDesc::new(held, arm, kind)).unwrap();
        }
        for _ in 0..30 {
            world.step(DT).unwrap();
            assert!(world.events().is_empty(), "seed {seed}: {:?}", world.events());
            let body = world.body(held).unwrap();
            fastest = fastest.max(body.centre_velocity().length().to_f64());
            fastest = fastest.max(body.angular_velocity().length().to_f64());
        }
    }
    println!("at most {fastest} m/s or rad/s");
    // The arm moves and turns by 1.7 at most; what asks for the impossible may shake the body, not throw it.
    assert!(fastest < 1000.0, "{fastest}");
}

/// Whatever is done to a body between two steps, its joints notice: what goes on has the bits of a copy, which has to look at every joint anew.
#[test]
fn joints_notice_what_is_done_to_their_bodies() {
    for seed in 0..4 {
        let mut random = Random(seed + 1);
        let mut world = zoo();
        let lift = world.add_body(BodyDesc::kinematic().position([0.0, 0.0, 9.0])).unwrap();
        let wall = world.add_body(BodyDesc::fixed().position([4.0, 0.0, 9.0])).unwrap();
        let rods: Vec<BodyId> =
            (0..4).map(|i| crate_at(&mut world, [f64::from(i) + 0.5, 0.0, 9.0], [0.4, 0.1, 0.1], 1.0)).collect();
        world.add_joint(JointDesc::hinge(lift, rods[0]).anchor([0.0, 0.0, 9.0]).axis([0.0, 0.0, 1.0])).unwrap();
        world.add_joint(JointDesc::ball(rods[0], rods[1]).anchor([1.0, 0.0, 9.0])).unwrap();
        world.add_joint(JointDesc::fixed(rods[1], rods[2]).anchor([2.0, 0.0, 9.0])).unwrap();
        world.add_joint(JointDesc::hinge(rods[3], rods[2]).anchor([3.0, 0.0, 9.0]).axis([0.0, 1.0, 0.0])).unwrap();
        world.add_joint(JointDesc::ball(rods[3], wall).anchor([4.0, 0.0, 9.0])).unwrap();
        let mut dynamic: Vec<BodyId> =
            world.body_ids().filter(|&id| world.body(id).unwrap().kind() == BodyKind::Dynamic).collect();
        for step in 0..400 {
            let pick = random.below(dynamic.len());
            let (id, by, fraction) = (dynamic[pick], random.vector(0.1), real(random.between(0.5, 2.0)));
            let what = random.below(18);
            let mut body = world.body_mut(id).unwrap();
            match what {
                0 => body.set_position(body.view().position() + by.to_f64()).unwrap(),
                1 => body.set_rotation(random.rotation()).unwrap(),
                2 => body.set_velocity(by * 10.0, by * 30.0).unwrap(),
                3 => body.set_mass(MassSource::Total(fraction)).unwrap(),
                4 => body.set_locks(if random.below(2) == 0 { Locks::NONE } else { Locks::MOVE_Y }).unwrap(),
                5 => body.set_gravity_scale(fraction).unwrap(),
                6 => _ = body.put_to_sleep(),
                7 => body.wake_up(),
                8 => body.set_kind(BodyKind::Kinematic).unwrap(),
                9 => body.set_kind(BodyKind::Dynamic).unwrap(),
                10 => {
                    world.remove_body(id).unwrap();
                    // In its slot, and tied to the same neighbour by nothing.
                    dynamic[pick] = crate_at(&mut world, [20.0, 0.0, 0.5 * f64::from(step)], [0.2; 3], 2.0);
                }
                11 => world.body_mut(wall).unwrap().set_position(Point::new(4.0, 0.0, 9.0) + by.to_f64()).unwrap(),
                12 => world.body_mut(lift).unwrap().set_velocity(by, by).unwrap(),
                13 => {
                    let mut method = world.method().clone();
                    method.switches.warm_start ^= true;
                    world.set_method(method).unwrap();
                }
                14 => {
                    world.set_method(Method::simultaneous()).unwrap();
                    world.step(DT).unwrap();
                    world.set_method(Method::soft_step()).unwrap();
                }
                _ => {}
            }
            let mut copy = world.clone();
            world.step(DT).unwrap();
            copy.step(DT).unwrap();
            assert_eq!(world.hash(), copy.hash(), "seed {seed}, step {step}, after {what}");
        }
    }
}

/// Steps with joints ask for no memory once they have what they need.
#[test]
fn warm_steps_do_not_allocate() {
    let mut world = zoo();
    // Falling asleep is not what is measured.
    world.set_method(sleepless().method().clone()).unwrap();
    run(&mut world, 12.0);
    for i in 0..30 {
        let (before, contacts) = (crate::support::allocations(), world.profile().contacts);
        world.step(DT).unwrap();
        let during = crate::support::allocations() - before;
        // A contact that begins or ends may find a list full.
        if world.profile().contacts == contacts {
            assert_eq!(during, 0, "step {i}: {:?}", world.profile());
        }
    }
}

/// A chain far from the origin hangs as well as at it: the anchor on the world is kept in double precision.
#[test]
fn joints_hold_far_from_the_origin() {
    let mut world = World::new();
    let at = [50_000.0, 20_000.0, -80_000.0];
    let body = crate_at(&mut world, [at[0] + 0.5, at[1], at[2]], [0.4, 0.1, 0.1], 1.0);
    let joint = world.add_joint(JointDesc::ball(World::BODY, body).anchor(at)).unwrap();
    let mut widest = 0.0_f64;
    for _ in 0..300 {
        world.step(DT).unwrap();
        widest = widest.max(widest_gap(&world, &[joint]));
    }
    assert!(widest < 0.002, "{widest}");
}

/// A joint that is added wakes the islands that it ties together, and not again for each of its joints: a net of four times as many bodies takes about
/// four times as long to build, and not sixteen times. The best of three counts, since others may use the machine.
#[test]
fn a_net_is_built_in_linear_time() {
    let build = |side: usize| {
        let start = std::time::Instant::now();
        let mut world = World::new();
        let bead = Shape::sphere(0.1).unwrap();
        let at = |i: usize| [(i % side) as f64, 0.0, (i / side) as f64];
        let beads: Vec<BodyId> = (0..side * side)
            .map(|i| world.add_body(BodyDesc::dynamic().position(at(i)).collider(bead.clone())).unwrap())
            .collect();
        for i in 0..side * side {
            let right = (i % side + 1 < side).then(|| i + 1);
            let below = (i + side < side * side).then(|| i + side);
            for j in [right, below].into_iter().flatten() {
                let middle = [0, 1, 2].map(|k| 0.5 * (at(i)[k] + at(j)[k]));
                world.add_joint(JointDesc::ball(beads[i], beads[j]).anchor(middle)).unwrap();
            }
        }
        assert_eq!(world.joint_count(), 2 * side * (side - 1));
        start.elapsed().as_secs_f64()
    };
    let best = |side| (0..3).map(|_| build(side)).fold(f64::INFINITY, f64::min);
    let (small, large) = (best(50), best(100));
    println!("2,500 bodies in {:.1} ms, 10,000 bodies with 19,800 joints in {:.1} ms", small * 1e3, large * 1e3);
    assert!(large < 9.0 * small, "{small} s and {large} s");
}
