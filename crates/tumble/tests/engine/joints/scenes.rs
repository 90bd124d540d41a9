//! Whole scenes of the seeds: catapult, logo, ragdoll.

use super::{DT, crate_at, position, sleepless, widest_gap};
use crate::support::real;
use tumble::constraint::joint::Hinge;
use tumble::math::{Float, Point, Quat, Real, Vec3};
use tumble::shape::Shape;
use tumble::{BodyDesc, BodyId, JointDesc, JointId, Material, World};

/// The seesaw catapult (003-S1) with its coordinates and acceptance points (a) to (e).
#[test]
fn seesaw_throws_the_small_box() {
    let mut world = World::new();
    world.add_body(BodyDesc::fixed().collider(Shape::half_space(Vec3::Y, 0.0).unwrap())).unwrap();
    let grip = Material { static_friction: 0.6, dynamic_friction: 0.6, ..Material::default() };
    let cuboid = |x: f64, y: f64, z: f64| Shape::cuboid(real(x / 2.0), real(y / 2.0), real(z / 2.0)).unwrap();
    let small = world.add_body(BodyDesc::dynamic().position([3.5, 4.0, 0.0]).collider(cuboid(1.0, 1.0, 1.0))).unwrap();
    let big = world.add_body(BodyDesc::dynamic().position([-3.5, 8.0, 0.0]).collider(cuboid(2.5, 2.5, 2.5))).unwrap();
    let board = tumble::ColliderDesc::new(cuboid(10.0, 0.4, 4.0)).material(grip);
    let board = world.add_body(BodyDesc::dynamic().position([0.0, 3.2, 0.0]).collider(board)).unwrap();
    let block = world.add_body(BodyDesc::fixed().position([0.0, 1.5, 0.0]).collider(cuboid(1.0, 3.0, 10.0))).unwrap();
    let hinge = JointDesc::hinge(block, board).anchor_a([0.0, 1.78, 0.0]).anchor_b([0.0; 3]);
    let hinge = world.add_joint(hinge.axis_a([0.0, 0.0, 1.0]).axis_b([0.0, 0.0, 1.0])).unwrap();
    // A pyramid far enough away that the box is still rising or high when it gets there.
    let mut top = small;
    for (row, count) in [3, 2, 1].into_iter().enumerate() {
        for i in 0..count {
            let x = 16.0;
            let z = (f64::from(i) - f64::from(count - 1) / 2.0) * 1.05;
            top = crate_at(&mut world, [x, 0.5 + row as f64, z], [0.5, 0.5, 0.5], 500.0);
        }
    }
    let before = world.body(block).unwrap().pose();
    let perch = position(&world, top);
    let (mut struck, mut fastest, mut apex, mut last) = (None, 0.0, 0.0_f64, real(0.0));
    for step in 0..360 {
        world.step(DT).unwrap();
        let time = f64::from(step + 1) / 60.0;
        let joint = world.joint(hinge).unwrap();
        if time > 0.5 && time < 0.8 {
            assert!(joint.gap() < real(0.01), "(a) gap {} after {time} s", joint.gap());
        }
        assert!(joint.tilt() < real(1.0_f64.to_radians()), "(e) tilt {} after {time} s", joint.tilt());
        let falling = world.body(big).unwrap().linear_velocity().y;
        if struck.is_none() && last < -7.5 && falling > -7.0 {
            struck = Some(time);
        }
        last = falling;
        let rising = world.body(small).unwrap().linear_velocity().y;
        if struck.is_some_and(|t| time < t + 0.3) && rising > fastest {
            fastest = rising;
        }
        apex = apex.max(position(&world, small).y);
        let untouched = (position(&world, small) - perch).length() > 3.0;
        if untouched && time < 1.2 {
            assert!((position(&world, top) - perch).length() < 0.02, "(d) the pyramid stands until it is hit");
        }
    }
    assert_eq!(world.body(block).unwrap().pose(), before, "(b)");
    let struck = struck.unwrap();
    assert!((0.75..0.95).contains(&struck), "the big box lands after {struck} s");
    assert!(fastest > 2.0 && apex > 4.5, "(c) {fastest} m/s up, apex at {apex} m");
}

/// Boxes on the floor are glued together by three ball joints each and hung in the air (003-S4): they travel to their places,
/// stay, and fall when the joints are let go.
#[test]
fn logo_assembles_and_falls() {
    let mut world = World::new();
    world.add_body(BodyDesc::fixed().collider(Shape::half_space(Vec3::Y, 0.0).unwrap())).unwrap();
    let half = [0.4, 0.2, 0.2];
    let boxes: Vec<BodyId> =
        (0..4).map(|i| crate_at(&mut world, [f64::from(i) * 1.5 - 2.0, 0.2, f64::from(i % 2)], half, 5.0)).collect();
    let corners = [Vec3::ZERO, Vec3::Y * 0.3, Vec3::Z * 0.3];
    let mut joints: Vec<JointId> = Vec::new();
    let mut left = World::BODY;
    for (i, &b) in boxes.iter().enumerate() {
        let hook = if i == 0 { [0.0, 3.0, 0.0] } else { [0.4, 0.0, 0.0] };
        let glue = JointDesc::glue(left, b, corners).frame_a(hook, Quat::IDENTITY);
        let at = if i == 0 { [0.0; 3] } else { [-0.4, 0.0, 0.0] };
        joints.push(world.add_joint(glue.frame_b(at, Quat::IDENTITY).active(false)).unwrap());
        left = b;
    }
    super::run(&mut world, 1.0);
    let rest = widest_gap(&world, &joints);
    for &j in &joints {
        world.joint_mut(j).unwrap().set_active(true).unwrap();
    }
    super::run(&mut world, 6.0);
    let gap = widest_gap(&world, &joints);
    assert!(rest > 1.0 && gap < 0.02, "from {rest} to {gap} m");
    for (i, &b) in boxes.iter().enumerate() {
        let body = world.body(b).unwrap();
        let place = Point::new(0.8 * i as f64, 3.0, 0.0);
        assert!((body.position() - place).length() < 0.05, "{:?} instead of {place:?}", body.position());
        let turned = body.rotation().angle_to(Quat::IDENTITY);
        assert!(turned < real(2.0_f64.to_radians()), "turned by {turned}, gap {gap}");
    }
    for &j in &joints {
        world.joint_mut(j).unwrap().set_active(false).unwrap();
    }
    super::run(&mut world, 8.0);
    for &b in &boxes {
        let body = world.body(b).unwrap();
        assert!((0.1..0.5).contains(&body.position().y) && body.is_asleep(), "{:?}", body.position());
    }
}

/// A ragdoll of boxes on hinges with limits: bodies, hinges, and the size of a limb.
fn ragdoll(world: &mut World, at: Point) -> (Vec<BodyId>, Vec<JointId>) {
    let mut bodies = Vec::new();
    let mut joints = Vec::new();
    let mut part = |world: &mut World, x: f64, y: f64, half: [f64; 3], mass: f64| {
        let b = crate_at(world, [at.x + x, at.y + y, at.z], half, mass);
        bodies.push(b);
        b
    };
    let pelvis = part(world, 0.0, 0.0, [0.16, 0.1, 0.1], 10.0);
    let chest = part(world, 0.0, 0.32, [0.18, 0.2, 0.11], 20.0);
    let head = part(world, 0.0, 0.7, [0.1, 0.13, 0.1], 5.0);
    let mut tie = |world: &mut World, a: BodyId, b: BodyId, x: f64, y: f64, axis: Vec3, low: f64, high: f64| {
        let hinge = JointDesc::new(a, b, Hinge::limited(real(low), real(high)));
        joints.push(world.add_joint(hinge.anchor([at.x + x, at.y + y, at.z]).axis(axis)).unwrap());
    };
    tie(world, pelvis, chest, 0.0, 0.11, Vec3::X, -0.5, 0.8);
    tie(world, chest, head, 0.0, 0.55, Vec3::X, -0.6, 0.6);
    for side in [-1.0, 1.0] {
        let upper_arm = part(world, side * 0.34, 0.45, [0.14, 0.05, 0.05], 2.0);
        let forearm = part(world, side * 0.62, 0.45, [0.13, 0.045, 0.045], 1.5);
        let thigh = part(world, side * 0.1, -0.32, [0.07, 0.2, 0.07], 7.0);
        let shin = part(world, side * 0.1, -0.74, [0.06, 0.2, 0.06], 4.0);
        tie(world, chest, upper_arm, side * 0.19, 0.45, Vec3::Z, -1.2, 1.2);
        tie(world, upper_arm, forearm, side * 0.485, 0.45, Vec3::Y, -2.0, 2.0);
        tie(world, pelvis, thigh, side * 0.1, -0.11, Vec3::X, -1.5, 0.5);
        tie(world, thigh, shin, side * 0.1, -0.53, Vec3::X, -0.05, 2.2);
    }
    (bodies, joints)
}

fn limits(world: &World, joint: JointId) -> (Real, Real) {
    match world.joint(joint).unwrap().kind() {
        tumble::JointKind::Hinge(Hinge { turn: tumble::constraint::Axis { limit: Some(l), .. } }) => (l.low, l.high),
        kind => panic!("{kind:?}"),
    }
}

/// A floor and ten steps that lead down to it.
fn stairs(world: &mut World) {
    world.add_body(BodyDesc::fixed().collider(Shape::half_space(Vec3::Y, 0.0).unwrap())).unwrap();
    for i in 0..10 {
        let (height, z) = (0.25 * f64::from(10 - i), 0.35 * f64::from(i));
        let step = Shape::cuboid(1.5, real(height / 2.0), 0.175).unwrap();
        world.add_body(BodyDesc::fixed().position([0.0, height / 2.0, z]).collider(step)).unwrap();
    }
}

/// A ragdoll falls down a staircase (003-S5), from eight places: hinge gaps under 5 % of a limb (0.4 m) during the fall and 1 % at
/// rest, every angle within its limits by 2 degrees.
#[test]
fn ragdoll_falls_down_the_stairs() {
    for fall in 0..8 {
        let mut world = World::new();
        stairs(&mut world);
        let aside = f64::from(fall);
        let (bodies, joints) = ragdoll(&mut world, Point::new(0.03 * aside, 4.0, 0.01 * aside));
        for &b in &bodies {
            world.body_mut(b).unwrap().set_linear_velocity([0.0, 0.0, 2.5]).unwrap();
        }
        // In metres: `gap` counts the limits too, in radians, and these are judged apart.
        let gap = |world: &World| {
            let gaps = joints.iter().map(|&j| world.joint(j).unwrap().frames().gap().length().to_f64());
            gaps.fold(0.0, f64::max)
        };
        let (mut widest, mut beyond) = (0.0_f64, 0.0_f64);
        for _ in 0..1200 {
            world.step(DT).unwrap();
            widest = widest.max(gap(&world));
            for &j in &joints {
                let (low, high) = limits(&world, j);
                let angle = world.joint(j).unwrap().value().unwrap();
                beyond = beyond.max((low - angle).to_f64()).max((angle - high).to_f64());
            }
        }
        let (rest, beyond) = (gap(&world), beyond.to_degrees());
        println!("gap of {widest:.4} m during the fall, {rest:.5} m at rest; {beyond:.2} degrees beyond a limit");
        assert!(widest < 0.05 * 0.4, "gap of {widest} m during the fall");
        assert!(rest < 0.01 * 0.4, "gap of {rest} m at rest");
        assert!(beyond < 2.0, "{beyond} degrees beyond a limit");
        let pelvis = world.body(bodies[0]).unwrap();
        assert!(pelvis.position().y < 1.0 && pelvis.linear_velocity().length() < real(0.2), "{:?}", pelvis.position());
    }
}

/// A thousand ragdolls fall on rough ground: no explosion, and no gap over 2 % of a limb at rest.
#[test]
#[ignore = "long: 1000 ragdolls of 11 bodies for 10 s"]
fn thousand_ragdolls_on_a_heap() {
    let mut world = sleepless();
    let field: Vec<Real> = (0..41 * 41)
        .map(|i| {
            let (x, z) = (f64::from(i % 41), f64::from(i / 41));
            real(Float::sin(x * 0.7) * Float::cos(z * 0.6))
        })
        .collect();
    let ground = Shape::height_field(tumble::shape::HeightFieldDesc::new(41, 41, 80.0, 80.0, field)).unwrap();
    world.add_body(BodyDesc::fixed().collider(ground)).unwrap();
    let mut joints = Vec::new();
    for i in 0..1000 {
        let (x, y, z) = (f64::from(i % 10), f64::from(i / 100), f64::from(i / 10 % 10));
        let at = Point::new((x - 4.5) * 2.5, 4.0 + y * 2.5, (z - 4.5) * 2.5);
        joints.extend(ragdoll(&mut world, at).1);
    }
    for _ in 0..900 {
        world.step(DT).unwrap();
    }
    let gap = joints.iter().map(|&j| world.joint(j).unwrap().frames().gap().length().to_f64()).fold(0.0, f64::max);
    assert!(gap < 0.02 * 0.4, "gap of {gap} m");
    for id in world.body_ids() {
        let b = world.body(id).unwrap();
        assert!(b.is_active() && b.linear_velocity().length() < real(5.0), "{:?}", b.linear_velocity());
    }
}
