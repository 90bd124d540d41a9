//! Bodies and joints turned into articulations, and back.

use super::{DT, floor, rod, run, sleepless};
use crate::support::real;
use tumble::articulation::{self, ArticulationDesc, Dof, LinkDesc, LinkJoint};
use tumble::constraint::joint::{ConeTwist, Cylindrical, Hinge, Planar, Screw, Slider, Universal};
use tumble::constraint::{Axis, Limit, Motor, Stiffness};
use tumble::math::{Quat, Vec3};
use tumble::shape::Shape;
use tumble::{BodyDesc, BodyId, JointDesc, JointKind, World};

/// Bodies in a row on joints of every kind that links have, the first on the world; every other joint leads the other way.
fn row(world: &mut World) -> Vec<BodyId> {
    let kinds: [JointKind; 9] = [
        Hinge::limited(-1.0, 1.0).into(),
        JointDesc::ball(World::BODY, World::BODY).kind,
        Slider { slide: Axis::FREE.limit(Limit::new(-0.3, 0.4)) }.into(),
        Universal::default().into(),
        Cylindrical::default().into(),
        Screw { pitch: 0.2, ..Screw::default() }.into(),
        ConeTwist::new(0.8, 0.5).into(),
        JointDesc::fixed(World::BODY, World::BODY).kind,
        Planar::default().into(),
    ];
    let mut bodies = Vec::new();
    let mut last = World::BODY;
    for (i, kind) in kinds.into_iter().enumerate() {
        let x = 0.25 + 0.5 * i as f64;
        let turn = Quat::from_axis_angle(Vec3::new(0.6, 0.0, 0.8), real(0.3) * i as tumble::math::Real);
        let body = rod().position([x, 2.0, 0.1 * i as f64]).rotation(turn);
        let body = world.add_body(body).unwrap();
        let reversed = i % 2 == 1 && !matches!(kind, JointKind::Planar(_));
        let (a, b) = if reversed { (body, last) } else { (last, body) };
        let axis = Vec3::new(0.0, 0.6, 0.8);
        world.add_joint(JointDesc::new(a, b, kind).anchor([x - 0.25, 2.0, 0.0]).axis(axis)).unwrap();
        bodies.push(body);
        last = body;
    }
    bodies
}

/// A row of joints of all kinds swings a while, becomes an articulation, swings on, and becomes bodies again. Nothing jumps at
/// either turn, but for the gaps that the joints had.
#[test]
fn assembly_becomes_an_articulation_and_back() {
    let mut world = sleepless();
    let bodies = row(&mut world);
    run(&mut world, 0.4);
    let look = |world: &World| -> Vec<_> {
        bodies.iter().map(|&b| world.body(b).unwrap()).map(|b| (b.position(), b.linear_velocity())).collect()
    };
    let values = |world: &World| -> Vec<_> {
        world.joint_ids().filter_map(|j| world.joint(j).unwrap().value()).map(f64::from).collect()
    };
    let (before, angles) = (look(&world), values(&world));
    let gap = world.joint_ids().fold(0.0, |m: f64, j| m.max(f64::from(world.joint(j).unwrap().gap())));
    let made = world.articulate(bodies[0]).unwrap();
    world.audit().unwrap();
    assert!(made.closures.is_empty() && made.kept.is_empty(), "{made:?}");
    assert_eq!((world.joint_count(), world.articulation(made.id).unwrap().links().count()), (0, bodies.len()));
    for ((p, v), (p2, v2)) in before.iter().zip(look(&world)) {
        // Gaps close one after the other along the row.
        assert!((p2 - *p).length() < 1e-3 + 20.0 * gap, "{p:?} to {p2:?} with gaps of {gap}");
        assert!((v2 - *v).length() < 0.05 + 0.05 * v.length(), "{v:?} to {v2:?}");
    }
    run(&mut world, 0.4);
    world.audit().unwrap();
    let before = look(&world);
    let joints = world.dissolve(made.id).unwrap();
    world.audit().unwrap();
    assert_eq!((joints.len(), world.articulation_count()), (bodies.len(), 0));
    assert_eq!(before, look(&world));
    for &j in &joints {
        let joint = world.joint(j).unwrap();
        // A limit that is being hit counts by how far it is passed.
        assert!(f64::from(joint.gap()) < 2e-3, "{}: {}", joint.kind().name(), joint.gap());
    }
    let again = world.articulate(bodies[0]).unwrap();
    let joints = world.dissolve(again.id).unwrap();
    assert_eq!(joints.len(), bodies.len());
    run(&mut world, 0.4);
    world.audit().unwrap();
    // The same joints with the same limits: their values are of the same kind in number.
    assert_eq!(values(&world).len(), angles.len());
}

/// Momentum and angular momentum of a floating assembly are the same before and after, whatever its bodies did.
#[test]
fn momentum_survives_the_change() {
    let mut world = sleepless();
    world.set_gravity(Vec3::ZERO).unwrap();
    let mut last = None;
    let mut bodies = Vec::new();
    for i in 0..5 {
        let x = 0.5 * f64::from(i);
        let body = rod().position([x, 0.0, 0.0]).linear_velocity([0.3, 1.0 - 0.4 * i as tumble::math::Real, 0.2]);
        let body = world.add_body(body.angular_velocity([0.5, i as tumble::math::Real, 0.0])).unwrap();
        if let Some(last) = last {
            world.add_joint(JointDesc::hinge(last, body).anchor([x - 0.25, 0.0, 0.0]).axis([0.0, 0.0, 1.0])).unwrap();
        }
        bodies.push(body);
        last = Some(body);
    }
    let whole = |world: &World| {
        let m = world.measure();
        (m.momentum, m.angular_momentum)
    };
    let (p, l) = whole(&world);
    world.articulate(bodies[2]).unwrap();
    let (p2, l2) = whole(&world);
    assert!((p2 - p).length() < 1e-5 * p.length(), "{p:?} to {p2:?}");
    assert!((l2 - l).length() < 1e-5 * (l.length() + p.length()), "{l:?} to {l2:?}");
}

/// Of a loop one joint stays as a closure; joints that links cannot have stay and say why; both go on holding.
#[test]
fn loops_and_strange_joints_stay() {
    let mut world = sleepless();
    floor(&mut world);
    let at = [[0.0, 2.0], [0.5, 2.5], [1.0, 2.0], [0.5, 1.5]];
    let bodies: Vec<BodyId> = at.iter().map(|p| world.add_body(rod().position([p[0], p[1], 0.0])).unwrap()).collect();
    let mut hinges = Vec::new();
    for i in 0..4 {
        let (a, b) = (at[i], at[(i + 1) % 4]);
        let middle = [0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1]), 0.0];
        let hinge = JointDesc::hinge(bodies[i], bodies[(i + 1) % 4]).anchor(middle).axis([0.0, 0.0, 1.0]);
        hinges.push(world.add_joint(hinge).unwrap());
    }
    let rope = world.add_joint(JointDesc::rope(World::BODY, bodies[1], 2.0).anchor_a([0.5, 4.0, 0.0])).unwrap();
    let soft = JointDesc::ball(World::BODY, bodies[0]).anchor([0.0, 2.0, 0.0]).stiffness(Stiffness::tuned(2.0, 1.0));
    let soft = world.add_joint(soft).unwrap();
    let made = world.articulate(bodies[0]).unwrap();
    assert_eq!(made.closures.len(), 1);
    assert!(hinges.contains(&made.closures[0]));
    assert_eq!(made.kept.iter().map(|k| k.0).collect::<Vec<_>>(), [soft, rope]);
    assert!(made.kept[0].1.contains("soft") && made.kept[1].1.contains("kind"), "{:?}", made.kept);
    for _ in 0..120 {
        world.step(DT).unwrap();
    }
    world.audit().unwrap();
    assert!(f64::from(world.joint(made.closures[0]).unwrap().gap()) < 5e-3);
    let saved = world.snapshot().unwrap();
    run(&mut world, 0.3);
    let mut again = World::from_snapshot(&saved).unwrap();
    run(&mut again, 0.3);
    assert_eq!(again.hash(), world.hash());
    world.dissolve(made.id).unwrap();
    run(&mut world, 0.3);
    world.audit().unwrap();
}

/// A pile at rest becomes articulations and back while it lies there: contacts go on, and all of it falls asleep in the end.
#[test]
fn resting_assemblies_change_and_sleep() {
    let mut world = World::new();
    floor(&mut world);
    let cube = || BodyDesc::dynamic().collider(Shape::cuboid(0.2, 0.2, 0.2).unwrap());
    let a = world.add_body(cube().position([0.0, 0.2, 0.0])).unwrap();
    let b = world.add_body(cube().position([0.5, 0.2, 0.0])).unwrap();
    let on_top = world.add_body(cube().position([0.25, 0.6, 0.0])).unwrap();
    world.add_joint(JointDesc::hinge(a, b).anchor([0.25, 0.2, 0.0]).axis([0.0, 0.0, 1.0])).unwrap();
    run(&mut world, 0.5);
    let made = world.articulate(a).unwrap();
    world.audit().unwrap();
    run(&mut world, 0.5);
    world.audit().unwrap();
    let joints = world.dissolve(made.id).unwrap();
    world.audit().unwrap();
    run(&mut world, 4.0);
    world.audit().unwrap();
    assert_eq!(joints.len(), 1);
    assert_eq!(world.awake_count(), 0);
    assert!((world.body(on_top).unwrap().position().y - 0.6).abs() < 0.01);
}

/// Motors and limits go over with their numbers.
#[test]
fn motors_and_limits_go_over() {
    let mut world = sleepless();
    let arm = world.add_body(rod().position([0.0, -0.25, 0.0])).unwrap();
    let turn = Axis::FREE
        .limit(Limit::new(-0.5, 1.25))
        .motor(Motor::position(0.75, Stiffness::spring(40.0, 4.0)).max_force(9.0));
    world
        .add_joint(JointDesc::new(World::BODY, arm, Hinge { turn: turn.clone() }).anchor([0.0; 3]).axis(Vec3::Z))
        .unwrap();
    let made = world.articulate(arm).unwrap();
    let dof = world.articulation(made.id).unwrap().dof(0, 0).unwrap();
    assert_eq!(dof.limits, Some([-0.5, 1.25]));
    assert_eq!((dof.motor.stiffness, dof.motor.damping, dof.motor.max_force), (40.0, 4.0, 9.0));
    let joint = world.dissolve(made.id).unwrap()[0];
    let JointKind::Hinge(hinge) = world.joint(joint).unwrap().kind().clone() else { panic!("not a hinge") };
    assert_eq!(hinge.turn, turn);
    run(&mut world, 3.0);
    // The spring against the weight: 40 (0.75 - q) = m g l sin q.
    let q = f64::from(world.joint(joint).unwrap().value().unwrap());
    let balance = 40.0 * (0.75 - q) - 9.81 * 0.25 * tumble::math::Float::sin(q);
    assert!(balance.abs() < 0.1, "{q}: {balance}");
}

/// Whether links meet each other survives the way into bodies and back: what passed through each other still does.
#[test]
fn self_collision_survives_both_ways() {
    for collides in [true, false] {
        let mut world = sleepless();
        world.set_gravity(Vec3::ZERO).unwrap();
        // Three rods, the last of which motors press onto the first.
        let mut desc = super::chain(3, 0.0, 0.0).self_collision(collides);
        for (link, target) in desc.links.iter_mut().zip([0.0, 1.5, 2.9]) {
            link.position = vec![f64::min(target, 1.5)];
            link.target = vec![target];
            link.dofs[0].motor = tumble::articulation::Motor::position(50.0, 5.0);
        }
        let id = world.add_articulation(desc).unwrap();
        let bodies: Vec<BodyId> = world.articulation(id).unwrap().links().collect();
        let touches = |world: &mut World| {
            run(world, 0.5);
            world.contacts().any(|contact| contact.points().next().is_some())
        };
        run(&mut world, 0.5);
        assert_eq!(touches(&mut world), collides, "links, self-collision {collides}");
        world.dissolve(id).unwrap();
        assert_eq!(touches(&mut world), collides, "bodies, self-collision {collides}");
        assert_eq!(world.pair_excluded(bodies[0], bodies[2]).unwrap(), !collides);
        world.audit().unwrap();
        let made = world.articulate(bodies[0]).unwrap();
        assert_eq!(world.articulation(made.id).unwrap().self_collision(), collides);
        assert_eq!(touches(&mut world), collides, "links again, self-collision {collides}");
        assert!(!world.pair_excluded(bodies[0], bodies[2]).unwrap());
        world.audit().unwrap();
    }
}

/// What cannot be turned is refused, and a refused call changes nothing.
#[test]
fn refusals_change_nothing() {
    let mut world = sleepless();
    let ground = world.add_body(BodyDesc::fixed()).unwrap();
    let locked = world.add_body(rod().locks(tumble::Locks::MOVE_X)).unwrap();
    let mut desc = ArticulationDesc::new();
    let first = desc.add(LinkDesc::revolute(BodyDesc::dynamic(), Vec3::X).massless());
    desc.add(LinkDesc::revolute(rod(), Vec3::Z).parent(first));
    let massless = world.add_articulation(desc).unwrap();
    let mut desc = ArticulationDesc::new();
    desc.add(LinkDesc::revolute(rod(), Vec3::Z).at([9.0, 0.0, 0.0]).dof(0, Dof { armature: 0.1, ..Dof::default() }));
    let armature = world.add_articulation(desc).unwrap();
    let link = world.articulation(armature).unwrap().link(0).unwrap();
    let hash = world.hash();
    assert!(world.articulate(ground).unwrap_err().to_string().contains("dynamic"));
    assert!(world.articulate(link).unwrap_err().to_string().contains("link already"));
    assert!(world.dissolve(massless).unwrap_err().to_string().contains("no mass"));
    assert!(world.dissolve(armature).unwrap_err().to_string().contains("armature"));
    assert!(world.articulate(locked).is_err());
    assert_eq!(world.hash(), hash);
    world.remove_articulation(armature).unwrap();
    assert!(world.dissolve(armature).is_err());
}

/// Turns that were counted go on being counted, to the tree and back: nothing moves that stood where its motor wants it, and no
/// screw is wound back.
#[test]
fn turns_are_counted_on_across() {
    let mut world = sleepless();
    world.set_gravity([0.0; 3]).unwrap();
    let mut desc = ArticulationDesc::new();
    let held = articulation::Motor::position(50.0, 5.0);
    let screw = LinkJoint::Helical { axis: Vec3::Y, lead: real(0.1 / std::f64::consts::TAU) };
    desc.add(
        LinkDesc::revolute(rod(), [0.0, 0.0, 1.0]).position(&[20.0]).target(&[20.0]).dof(0, Dof::default().motor(held)),
    );
    desc.add(LinkDesc::new(rod(), screw).at([3.0, 0.0, 0.0]).position(&[20.0]));
    let id = world.add_articulation(desc).unwrap();
    let links: Vec<BodyId> = world.articulation(id).unwrap().links().collect();
    let joints = world.dissolve(id).unwrap();
    let turned =
        |world: &World| joints.iter().map(|&j| world.joint(j).unwrap().value().unwrap() as f64).collect::<Vec<_>>();
    assert!(turned(&world).iter().all(|a| (a - 20.0).abs() < 1e-3), "{:?}", turned(&world));
    let before: Vec<_> = links.iter().map(|&l| world.body(l).unwrap().position()).collect();
    run(&mut world, 0.5);
    for (&link, before) in links.iter().zip(before) {
        let (at, spin) = (world.body(link).unwrap().position(), world.body(link).unwrap().angular_velocity());
        assert!((at - before).length() < 1e-3 && spin.length() < 1e-2, "{at:?} from {before:?}, {spin:?}");
    }
    // A cylinder, too, that has turned three times as a joint.
    let body = world.add_body(rod().position([6.0, 0.0, 0.0])).unwrap();
    let joint = JointDesc::new(World::BODY, body, Cylindrical::default()).anchor([6.0, 0.0, 0.0]).axis([0.0, 1.0, 0.0]);
    world.add_joint(joint).unwrap();
    world.body_mut(body).unwrap().set_velocity([0.0; 3], [0.0, 20.0, 0.0]).unwrap();
    run(&mut world, 1.0);
    let made = world.articulate(body).unwrap();
    let q = world.articulation(made.id).unwrap().position()[0];
    assert!((q.abs() - 20.0).abs() < 0.5, "{q}");
}

/// A door that a joint kept from touching the wall it hangs on does not touch it as a link either.
#[test]
fn doors_stay_in_their_frames() {
    let mut world = sleepless();
    let shape = |x: f64| Shape::cuboid(real(x), real(1.0), real(0.1)).unwrap();
    let wall = world.add_body(BodyDesc::fixed().position([-1.0, 0.0, 0.0]).collider(shape(1.0))).unwrap();
    let door = world.add_body(BodyDesc::dynamic().position([0.4, 0.0, 0.0]).collider(shape(0.5))).unwrap();
    world.add_joint(JointDesc::hinge(wall, door).anchor([-0.1, 0.0, 0.0]).axis([0.0, 1.0, 0.0])).unwrap();
    let made = world.articulate(door).unwrap();
    world.articulation_mut(made.id).unwrap().set_velocity(&[0.5]).unwrap();
    run(&mut world, 1.0);
    assert_eq!(world.contacts().filter(|c| c.bodies().contains(&wall)).count(), 0);
    let q = world.articulation(made.id).unwrap().position()[0];
    assert!((q - 0.5).abs() < 0.01, "{q}");
}

/// A joint whose bodies touch each other stays a joint, since parent and child do not; on the ground it goes over, and what hangs there goes on
/// touching it.
#[test]
fn joints_whose_bodies_touch_stay() {
    let mut world = sleepless();
    world.set_gravity(Vec3::ZERO).unwrap();
    let cube = || BodyDesc::dynamic().collider(Shape::cuboid(0.2, 0.2, 0.2).unwrap());
    let ground = world.add_body(BodyDesc { kind: tumble::BodyKind::Fixed, ..cube() }.position([0.0; 3])).unwrap();
    let a = world.add_body(cube().position([0.5, 0.0, 0.0])).unwrap();
    let b = world.add_body(cube().position([1.0, 0.0, 0.0])).unwrap();
    let hinge = |a, b, x: f64| JointDesc::hinge(a, b).anchor([x, 0.0, 0.0]).axis(Vec3::Z).collide(true);
    world.add_joint(hinge(ground, a, 0.25)).unwrap();
    let between = world.add_joint(hinge(a, b, 0.75)).unwrap();
    let made = world.articulate(a).unwrap();
    assert_eq!(world.articulation(made.id).unwrap().links().collect::<Vec<_>>(), [a]);
    assert_eq!(made.kept.len(), 1, "{:?}", made.kept);
    assert!(made.kept[0].0 == between && made.kept[0].1.contains("touch"), "{:?}", made.kept);
    assert!(!world.pair_excluded(ground, a).unwrap());
    world.body_mut(b).unwrap().set_velocity([0.0; 3], [0.0, 0.0, 3.0]).unwrap();
    let mut met = false;
    for _ in 0..120 {
        world.step(DT).unwrap();
        met |= world.contacts().any(|c| c.bodies().contains(&b) && c.points().next().is_some());
    }
    assert!(met, "they have gone through each other");
}

/// A twist that is free to one side, up to half a turn or beyond, goes over with its other end.
#[test]
fn twists_free_to_one_side_go_over() {
    for free in [std::f64::consts::PI, 4.0] {
        for (range, expected) in [((-free, 0.5), [-free, 0.5]), ((-0.5, free), [-0.5, free])] {
            let mut world = sleepless();
            let arm = world.add_body(rod().position([0.0, -0.25, 0.0])).unwrap();
            let mut kind = ConeTwist::new(1.0, 0.5);
            kind.twist = Some(Limit::new(real(range.0), real(range.1)));
            world.add_joint(JointDesc::new(World::BODY, arm, kind).anchor([0.0; 3]).axis(Vec3::Y)).unwrap();
            let made = world.articulate(arm).unwrap();
            assert!(made.kept.is_empty(), "{:?}", made.kept);
            let joint = world.dissolve(made.id).unwrap()[0];
            let JointKind::ConeTwist(back) = world.joint(joint).unwrap().kind().clone() else { panic!("another kind") };
            let twist = back.twist.unwrap();
            let pi = std::f64::consts::PI;
            let off = (f64::from(twist.low) - expected[0].max(-pi)).abs()
                + (f64::from(twist.high) - expected[1].min(pi)).abs();
            assert!(off < 1e-6, "{twist:?} for {range:?}");
        }
    }
}
