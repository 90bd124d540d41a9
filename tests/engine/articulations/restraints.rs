//! What holds trees along their own degrees of freedom: limits, cones, couplings, and that they start warm.

use super::{DT, rod, run, simultaneous, sleepless};
use tumble::articulation::{ArticulationDesc, Coupling, Dof, LinkDesc, Motor, Swing};
use tumble::math::{Float, Quat, Vec3};
use tumble::{BodyDesc, World};

fn both() -> [World; 2] {
    [sleepless(), simultaneous()]
}

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
    ] {
        assert!(refused(&|d| d.links[1].swing = Some(swing)).contains("swing"));
    }
    assert!(refused(&|d| d.links[0].swing = Some(Swing::new(Vec3::X, 1.0))).contains("spherical"));
}
