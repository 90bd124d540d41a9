//! What holds trees along their own degrees of freedom: limits, cones, couplings, and that they start warm.

use super::{DT, both, rod, run, sleepless};
use crate::support::{Random, real};
use tumble::articulation::{ArticulationDesc, Coupling, Dof, LinkDesc, Motor, Swing};
use tumble::constraint::joint::{ConeTwist, Hinge, Slider};
use tumble::constraint::{Axis, Limit};
use tumble::math::{Float, Quat, Vec3};
use tumble::{BodyDesc, JointDesc, JointKind, World};

/// Coordinates after a time.
fn position(world: &World) -> Vec<f64> {
    let id = world.articulation_ids().next().unwrap();
    world.articulation(id).unwrap().position().to_vec()
}

/// A rack and pinion in reduced coordinates: a weight on a slider turns a wheel. a = m g/(m + I/r²), and the tie holds.
#[test]
fn coupling_shares_inertia_between_its_ends() {
    for mut world in both() {
        let mut desc = ArticulationDesc::new();
        let weight = desc.add(LinkDesc::prismatic(BodyDesc::dynamic().mass(2.0), [0.0, -1.0, 0.0]));
        let armature = Dof { armature: 0.5, ..Dof::default() };
        let wheel =
            LinkDesc::revolute(BodyDesc::dynamic().mass(1.0), [0.0, 0.0, 1.0]).at([1.0, 0.0, 0.0]).dof(0, armature);
        let wheel = desc.add(wheel);
        desc.couple(Coupling::new((weight, 0), (wheel, 0), 4.0));
        let id = world.add_articulation(desc).unwrap();
        let h = world.articulation(id).unwrap().mass_matrix();
        let expected = 2.0 * 9.81 / (h[0] + 16.0 * h[3]);
        run(&mut world, 1.0);
        let (q, v) = (position(&world), world.articulation(id).unwrap().velocity().to_vec());
        assert!((v[0] - expected).abs() < 1e-3 * expected, "{} for {expected}", v[0]);
        // Taken out at the rate of joints that close loops: a thousandth of the way.
        assert!((q[1] - 4.0 * q[0]).abs() < 1e-3 * q[1] && (v[1] - 4.0 * v[0]).abs() < 1e-3 * v[1], "{q:?} {v:?}");
    }
}

/// A coupling that begins with an error takes it out, and holds against a motor that pulls one end alone.
#[test]
fn coupling_takes_its_error_out() {
    for mut world in both() {
        world.set_gravity(Vec3::ZERO).unwrap();
        let mut desc = ArticulationDesc::new();
        let motor = Dof { damping: 0.1, ..Dof::default() }.motor(Motor::velocity(0.5, 3.0));
        let first = desc.add(LinkDesc::revolute(rod(), Vec3::Z).dof(0, motor));
        let second = desc.add(LinkDesc::revolute(rod(), Vec3::Z).at([2.0, 0.0, 0.0]).position(&[0.3]));
        desc.couple(Coupling::new((first, 0), (second, 0), -1.0).offset(0.2));
        world.add_articulation(desc).unwrap();
        run(&mut world, 3.0);
        let q = position(&world);
        assert!((q[1] + q[0] - 0.2).abs() < 1e-3, "{q:?}");
        assert!(q[0] > 1.2, "{q:?}");
    }
}

/// A ball joint with a cone: an arm falls onto the rim and rests there, wherever on the rim that is.
#[test]
fn cone_stops_a_falling_arm() {
    for mut world in both() {
        let mut desc = ArticulationDesc::new();
        let mut arm = LinkDesc::spherical(rod()).anchor([0.0, 0.25, 0.0]);
        // Its axis leans out of the vertical by 1 rad to start with, within a cone about an axis that is level.
        arm = arm.turned(Quat::from_axis_angle(Vec3::Z, 1.5)).swing(Swing::new([0.0, -1.0, 0.0], 0.7));
        arm.dofs = vec![Dof { damping: 0.05, ..Dof::default() }; 3];
        desc.add(arm);
        let id = world.add_articulation(desc).unwrap();
        let mut widest = 0.0_f64;
        for _ in 0..300 {
            world.step(DT).unwrap();
            let q = position(&world);
            let turn: Quat<f64> = Quat::new(q[0], q[1], q[2], q[3]);
            let (a, b) = (Vec3::new(0.0, -1.0, 0.0), turn.rotate(Vec3::new(0.0, -1.0, 0.0)));
            widest = widest.max(Float::acos(a.dot(b).clamp(-1.0, 1.0)));
        }
        assert!(widest > 0.69 && widest < 0.7 + 0.02, "{widest}");
        let still = world.articulation(id).unwrap().velocity().iter().all(|v| v.abs() < 0.02);
        assert!(still, "{:?}", world.articulation(id).unwrap().velocity());
    }
}

/// A twisted ball joint: a torque about the axis of the link turns it to the end of its range, and no farther.
#[test]
fn twist_stops_at_its_limit() {
    for (torque, end) in [(0.05, 0.4), (-0.05, -0.25)] {
        for mut world in both() {
            let mut desc = ArticulationDesc::new();
            let swing = Swing::new(Vec3::Y, 0.5).twist(-0.25, 0.4);
            let push = Dof { force: torque, damping: 0.01, ..Dof::default() };
            desc.add(LinkDesc::spherical(rod()).anchor([0.0, 0.25, 0.0]).swing(swing).dof(1, push));
            world.add_articulation(desc).unwrap();
            run(&mut world, 3.0);
            let q = position(&world);
            let twist = 2.0 * Float::atan2(q[1], q[3]);
            assert!((twist - end).abs() < 5e-3, "{twist} for {end}");
        }
    }
}

/// A limit that bears a load starts from the impulse of the step before: a rod on its limit under 50 times its weight does not move
/// at all, and a snapshot goes on to the bit.
#[test]
fn limits_start_warm() {
    for mut world in both() {
        let mut desc = ArticulationDesc::new();
        let load = Dof { force: -125.0, ..Dof::default() }.limits(0.0, 1.0);
        desc.add(LinkDesc::revolute(rod(), Vec3::Z).anchor([0.0, 0.25, 0.0]).dof(0, load));
        let id = world.add_articulation(desc).unwrap();
        run(&mut world, 0.5);
        for _ in 0..60 {
            world.step(DT).unwrap();
            let tree = world.articulation(id).unwrap();
            assert!(tree.velocity()[0].abs() < 1e-5 && tree.position()[0].abs() < 1e-4, "{:?}", tree.velocity());
        }
        let saved = world.snapshot().unwrap();
        run(&mut world, 0.2);
        let mut again = World::from_snapshot(&saved).unwrap();
        run(&mut again, 0.2);
        assert_eq!(again.hash(), world.hash());
    }
}

/// Limits give back the share of the speed that is asked for, as those of joints between bodies do, and none of a slow one.
#[test]
fn limits_bounce() {
    let range = [-0.4, 0.4];
    for (restitution, speed) in [(0.0, 3.0), (0.3, 3.0), (0.8, -2.0), (1.0, 5.0), (0.8, 0.3)] {
        let dof = Dof::default().limits(range[0], range[1]).restitution(restitution);
        // Turning, with a link beyond that goes along.
        let mut turning = ArticulationDesc::new();
        let link = LinkDesc::revolute(rod(), Vec3::Z).anchor([0.0, 0.25, 0.0]).dof(0, dof).velocity(&[speed]);
        let first = turning.add(link);
        turning.add(LinkDesc::fixed(rod()).parent(first).at([0.0, -0.25, 0.0]).anchor([0.0, 0.25, 0.0]));
        let mut sliding = ArticulationDesc::new();
        sliding.add(LinkDesc::prismatic(rod(), Vec3::X).dof(0, dof).velocity(&[speed]));
        for (what, desc) in [("turning", Some(turning)), ("sliding", Some(sliding)), ("joint", None)] {
            for mut world in both() {
                world.set_gravity(Vec3::ZERO).unwrap();
                let name = world.method().name.clone();
                let tree = desc.clone().map(|desc| world.add_articulation(desc).unwrap());
                let body = world.add_body(rod().position([9.0, 0.0, 0.0])).unwrap();
                if tree.is_none() {
                    let limit = Limit::new(real(range[0]), real(range[1])).restitution(real(restitution));
                    let slider = Slider { slide: Axis::FREE.limit(limit) };
                    let slider = JointDesc::new(World::BODY, body, slider).anchor([9.0, 0.0, 0.0]).axis(Vec3::X);
                    world.add_joint(slider).unwrap();
                    world.body_mut(body).unwrap().set_linear_velocity([real(speed), 0.0, 0.0]).unwrap();
                }
                let state = |world: &World| match tree {
                    Some(tree) => {
                        let tree = world.articulation(tree).unwrap();
                        (tree.position()[0], tree.velocity()[0])
                    }
                    None => {
                        let body = world.body(body).unwrap();
                        (body.position().x - 9.0, f64::from(body.linear_velocity().x))
                    }
                };
                let mut reached = 0.0_f64;
                // To the limit, and a few steps on.
                run(&mut world, 0.4 / speed.abs());
                for _ in 0..5 {
                    world.step(DT).unwrap();
                    reached = reached.max(state(&world).0.abs());
                }
                let (_, v) = state(&world);
                // Slower than the threshold of the method nothing bounces.
                let expected = if speed.abs() < 1.0 { 0.0 } else { -restitution * speed };
                assert!(
                    (v - expected).abs() < 1e-3 * (1.0 + speed.abs()),
                    "{name}, {what}, e {restitution}: {v} for {expected}"
                );
                assert!(reached > 0.3 && reached < 0.45, "{name}, {what}, e {restitution}: as far as {reached}");
            }
        }
    }
}

/// Floating trees without gravity whose limits bounce without loss, all of them or all but three that do not bounce at all. Blows on some limits throw links onto
/// others, and act where the tree has turned to meanwhile: no series of them makes energy.
#[test]
fn limits_struck_together_win_no_energy() {
    let cases = [0, 3].into_iter().flat_map(|dull| (0..6).map(move |seed| (dull, seed)));
    for (mut world, (dull, seed)) in cases.flat_map(|case| both().map(|world| (world, case))) {
        world.set_gravity(Vec3::ZERO).unwrap();
        let name = world.method().name.clone();
        let mut random = Random(seed);
        let mut desc = ArticulationDesc::new();
        let mut speed = || random.between(-3.0, 3.0);
        desc.add(LinkDesc::free(rod()).velocity(&[0.0, 0.0, 0.0, speed(), speed(), speed()]));
        for i in 1..8 {
            let axis = random.vector(1.0).normalize_or(Vec3::X);
            let range = random.between(0.3, 0.8);
            let dof = Dof::default().limits(-range, range).restitution(if i <= dull { 0.0 } else { 1.0 });
            let link = LinkDesc::revolute(rod(), axis).dof(0, dof).velocity(&[random.between(-4.0, 4.0)]);
            let end = if random.below(2) == 0 { 0.25 } else { -0.25 };
            desc.add(link.parent(random.below(i)).at([0.0, end, 0.0]).anchor([0.0, 0.25, 0.0]));
        }
        let id = world.add_articulation(desc).unwrap();
        let kinetic = |world: &World| world.articulation(id).unwrap().kinetic_energy();
        let (start, mut most) = (kinetic(&world), 0.0_f64);
        for _ in 0..1200 {
            world.step(DT).unwrap();
            most = most.max(kinetic(&world) / start);
        }
        println!(
            "{name}, {dull} dull, seed {seed}: at most {most:.5} of the energy, {:.4} in the end",
            kinetic(&world) / start
        );
        assert!(most < 1.0 + 1e-3, "{name}, {dull} dull, seed {seed}: {most} of the energy");
    }
}

/// An arm on a ball joint bounces off the rim of its cone and off the end of its twist, and a free body off the limit of a joint that
/// ties it to a link.
#[test]
fn cones_and_joints_on_links_bounce() {
    for mut world in both() {
        world.set_gravity(Vec3::ZERO).unwrap();
        let name = world.method().name.clone();
        let swing = Swing::new(Vec3::Y, 0.5).twist(-0.5, 0.5).restitution(0.6);
        let arm = |x: f64, velocity: [f64; 3]| {
            LinkDesc::spherical(rod()).at([x, 0.0, 0.0]).anchor([0.0, 0.25, 0.0]).swing(swing).velocity(&velocity)
        };
        let mut desc = ArticulationDesc::new();
        desc.add(arm(0.0, [2.0, 0.0, 0.0]));
        desc.add(arm(3.0, [0.0, 2.0, 0.0]));
        let id = world.add_articulation(desc).unwrap();
        let mut rail = ArticulationDesc::new();
        rail.add(LinkDesc::prismatic(rod().mass(1.0), Vec3::X).at([0.0, 5.0, 0.0]));
        let rail = world.add_articulation(rail).unwrap();
        let base = world.articulation(rail).unwrap().link(0).unwrap();
        let runner = world.add_body(rod().position([0.0, 5.0, 1.0]).linear_velocity([4.0, 0.0, 0.0])).unwrap();
        let slide = Axis::FREE.limit(Limit::new(real(-0.5), real(0.5)).restitution(real(0.5)));
        let slider = JointDesc::new(base, runner, Slider { slide }).anchor([0.0, 5.0, 1.0]).axis(Vec3::X);
        world.add_joint(slider).unwrap();
        run(&mut world, 0.35);
        let v = world.articulation(id).unwrap().velocity().to_vec();
        assert!((v[0] + 1.2).abs() < 0.01, "{name}: off the rim with {}", v[0]);
        assert!((v[4] + 1.2).abs() < 0.01, "{name}: off the end of the twist with {}", v[4]);
        // Equal masses: 4 m/s between them before, 2 m/s after, and 2 m/s on average.
        let along = |id| f64::from(world.body(id).unwrap().linear_velocity().x);
        let (base, runner) = (along(base), along(runner));
        let close = (base - 3.0).abs() < 0.02 && (runner - 1.0).abs() < 0.02;
        assert!(close, "{name}: the rail at {base}, the runner at {runner}");
    }
}

/// A servo that presses its link onto a limit that bounces comes to rest there: what presses is no blow.
#[test]
fn pressed_limits_come_to_rest() {
    for mut world in both() {
        world.set_gravity(Vec3::ZERO).unwrap();
        let name = world.method().name.clone();
        let mut desc = ArticulationDesc::new();
        let motor = Motor::position(2000.0, 20.0);
        let dof = Dof::default().limits(-0.4, 0.4).restitution(0.8).motor(motor);
        desc.add(LinkDesc::revolute(rod(), Vec3::Z).anchor([0.0, 0.25, 0.0]).dof(0, dof).target(&[0.7]));
        let id = world.add_articulation(desc).unwrap();
        run(&mut world, 3.0);
        for _ in 0..60 {
            world.step(DT).unwrap();
            let tree = world.articulation(id).unwrap();
            let (q, v) = (tree.position()[0], tree.velocity()[0]);
            assert!(v.abs() < 0.01 && (q - 0.4).abs() < 1e-3, "{name}: {v} rad/s at {q}");
        }
    }
}

/// A hinge that bounces goes over into an articulation and back with its numbers, through a snapshot too; shares beyond all or nothing are refused.
#[test]
fn bouncing_limits_go_over() {
    let mut world = sleepless();
    let arm = world.add_body(rod().position([0.0, -0.25, 0.0])).unwrap();
    let turn = Axis::FREE.limit(Limit::new(-0.5, 1.25).restitution(0.5));
    let hinge = JointDesc::new(World::BODY, arm, Hinge { turn: turn.clone() });
    world.add_joint(hinge.anchor([0.0; 3]).axis(Vec3::Z)).unwrap();
    let ball = world.add_body(rod().position([3.0, -0.25, 0.0])).unwrap();
    let mut cone = ConeTwist::new(0.5, 0.25);
    cone.cone_restitution = 0.75;
    cone.twist = cone.twist.map(|twist| twist.restitution(0.75));
    let joint = JointDesc::new(World::BODY, ball, cone.clone()).anchor([3.0, 0.0, 0.0]).axis(Vec3::Y);
    world.add_joint(joint).unwrap();
    let made = [arm, ball].map(|body| world.articulate(body).unwrap().id);
    let world = World::from_snapshot(&world.snapshot().unwrap()).unwrap();
    let dof = world.articulation(made[0]).unwrap().dof(0, 0).unwrap();
    assert_eq!((dof.limits, dof.restitution), (Some([-0.5, 1.25]), 0.5));
    assert_eq!(world.articulation(made[1]).unwrap().desc().links[0].swing.unwrap().restitution, 0.75);
    let mut world = world;
    let joints = made.map(|id| world.dissolve(id).unwrap()[0]);
    let kinds = joints.map(|joint| world.joint(joint).unwrap().kind().clone());
    assert_eq!(kinds, [JointKind::from(Hinge { turn }), JointKind::from(cone)]);

    let id = world.add_articulation({
        let mut desc = ArticulationDesc::new();
        desc.add(LinkDesc::revolute(rod(), Vec3::Z));
        desc
    });
    let mut tree = world.articulation_mut(id.unwrap()).unwrap();
    for bad in [-0.1, 1.1, f64::NAN] {
        let error = tree.set_dof(0, 0, Dof::default().restitution(bad)).unwrap_err().to_string();
        assert!(error.contains("restitution"), "{error}");
    }
}

/// What couplings and cones refuse.
#[test]
fn bad_couplings_and_cones_are_refused() {
    let refused = |change: &dyn Fn(&mut ArticulationDesc)| {
        let mut desc = ArticulationDesc::new();
        desc.add(LinkDesc::revolute(rod(), Vec3::Z));
        desc.add(LinkDesc::spherical(rod()).at([1.0, 0.0, 0.0]));
        change(&mut desc);
        sleepless().add_articulation(desc).unwrap_err().to_string()
    };
    for coupling in [
        Coupling::new((0, 0), (0, 0), 1.0),
        Coupling::new((0, 0), (1, 0), 1.0),
        Coupling::new((0, 1), (2, 0), 1.0),
        Coupling::new((0, 0), (9, 0), f64::NAN),
    ] {
        assert!(refused(&|d| d.couple(coupling)).contains("coupling"));
    }
    for swing in [
        Swing::new(Vec3::ZERO, 1.0),
        Swing::new(Vec3::X, 0.0),
        Swing::new(Vec3::X, f64::NAN),
        Swing::new(Vec3::X, 1.0).twist(1.0, -1.0),
        Swing::new(Vec3::X, 1.0).restitution(1.5),
    ] {
        assert!(refused(&|d| d.links[1].swing = Some(swing)).contains("swing"));
    }
    assert!(refused(&|d| d.links[0].swing = Some(Swing::new(Vec3::X, 1.0))).contains("spherical"));
}

/// What drives a joint from rest to a limit that is far off within one step does not go through it: servos, springs, forces and
/// speeds, and those of a joint beyond that throw this one. Nor through the rim of a cone.
#[test]
fn limits_hold_what_gets_to_them_in_one_step() {
    let limited = Dof::default().limits(-0.4, 0.4);
    let servo = Motor::position(2000.0, 20.0);
    let drives = [
        ("servo", limited.motor(servo)),
        ("spring", Dof { stiffness: 2000.0, damping: 20.0, ..limited }),
        ("force", Dof { force: 1200.0, ..limited }),
        ("speed", limited.motor(Motor::velocity(50.0, 1e6))),
    ];
    let hung = |dof: Dof| LinkDesc::revolute(rod(), Vec3::Z).anchor([0.0, 0.25, 0.0]).dof(0, dof);
    let mut cases: Vec<(&str, ArticulationDesc)> = Vec::new();
    for (name, dof) in drives {
        let mut desc = ArticulationDesc::new();
        desc.add(hung(dof).target(&[0.7]).rest(&[0.7]));
        cases.push((name, desc));
    }
    let mut thrown = ArticulationDesc::new();
    let first = thrown.add(hung(limited));
    thrown.add(hung(Dof::default().motor(servo)).parent(first).at([0.0, -0.25, 0.0]).target(&[-1.5]));
    cases.push(("thrown", thrown));
    let mut ball = ArticulationDesc::new();
    let cone = Swing::new([0.0, -1.0, 0.0], 0.4);
    let ball_joint = LinkDesc::spherical(rod()).anchor([0.0, 0.25, 0.0]).swing(cone);
    ball.add(ball_joint.dof(2, Dof { force: 1200.0, ..Dof::default() }));
    cases.push(("cone", ball));
    for (name, desc) in cases {
        let mut world = sleepless();
        world.set_gravity(Vec3::ZERO).unwrap();
        world.add_articulation(desc).unwrap();
        for step in 0..4 {
            world.step(DT).unwrap();
            let q = position(&world);
            let turn = if name == "cone" { 2.0 * Float::atan2(q[2].abs(), q[3]) } else { q[0].abs() };
            assert!(turn < 0.41, "{name}: {turn} rad after {} steps", step + 1);
            assert!(step == 0 || turn > 0.3, "{name} does not get there: {turn} rad");
        }
    }
}

/// What a force has brought to the rim of a cone is brought away from it by the opposite force, however strong both are.
#[test]
fn rims_let_go_what_is_driven_back() {
    let mut world = sleepless();
    world.set_gravity(Vec3::ZERO).unwrap();
    let mut desc = ArticulationDesc::new();
    let ball = LinkDesc::spherical(rod()).anchor([0.0, 0.25, 0.0]).swing(Swing::new([0.0, -1.0, 0.0], 0.4));
    let link = desc.add(ball.dof(2, Dof { force: 1200.0, ..Dof::default() }));
    let id = world.add_articulation(desc).unwrap();
    let turn = |world: &World| 2.0 * Float::atan2(position(world)[2], position(world)[3]);
    for _ in 0..20 {
        world.step(DT).unwrap();
    }
    assert!(turn(&world) > 0.39, "{}", turn(&world));
    world.articulation_mut(id).unwrap().set_dof(link, 2, Dof { force: -1200.0, ..Dof::default() }).unwrap();
    for _ in 0..6 {
        world.step(DT).unwrap();
    }
    assert!(turn(&world) < -0.3, "{}", turn(&world));
}
