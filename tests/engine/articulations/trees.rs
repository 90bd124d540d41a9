//! Trees in a world, by themselves: energy, momentum, periods, motors, limits.

use super::{DT, G, both, chain, energy, random_tree, rod, run, sleepless, widest_gap};
use crate::support::{Random, awake, eps, real, scene};
use tumble::articulation::{ArticulationDesc, Dof, LinkDesc, LinkJoint, Motor};
use tumble::math::{Float, Sym3, Vec3};
use tumble::shape::MassProperties;
use tumble::{BodyDesc, Method, World};

/// Lets the whip of the library, rods of half a metre and 1 kg, go at this angle from hanging. It keeps its energy at every moment, as a share of what it releases from there to
/// hanging, and its joints do not open; prints its figures.
///
/// The default is the accurate integrator where nothing touches a tree, so that both bounds hold: a gain of a thousandth at
/// most, and a drift of a hundredth either way.
fn whip(links: u32, degrees: f64, seconds: f64) {
    let values = [("links", f64::from(links)), ("angle", degrees)];
    let mut world = scene("whip", &values, awake(Method::soft_step()));
    let id = world.find_articulation("whip").unwrap();
    let released = G * 0.25 * f64::from(links * links) * (1.0 - Float::cos(degrees.to_radians()));
    let start = energy(&world, id);
    let (mut gain, mut loss, mut gap, mut spent) = (0.0_f64, 0.0_f64, 0.0_f64, 0.0);
    let steps = (seconds * 60.0) as usize;
    for _ in 0..steps {
        let clock = std::time::Instant::now();
        world.step(DT).unwrap();
        spent += clock.elapsed().as_secs_f64();
        let change = (energy(&world, id) - start) / released;
        (gain, loss, gap) = (gain.max(change), loss.max(-change), gap.max(widest_gap(&world, id)));
    }
    let cost = spent / steps as f64 * 1e6;
    println!("{links} links from {degrees}°: gain {gain:.1e}, loss {loss:.1e}, gap {gap:.1e} m, {cost:.0} µs a step");
    assert!(gain < 1e-3 && loss < 0.01, "{links} links from {degrees}°: gain {gain:e}, loss {loss:e}");
    // Places are as good as the length of the chain and the precision of poses allow.
    assert!(gap < eps() * f64::from(links), "{links} links from {degrees}°: gap {gap:e}");
}

#[test]
fn whip_keeps_its_energy_and_its_joints() {
    for (links, degrees, seconds) in [(32, 90.0, 4.0), (100, 90.0, 1.5), (32, 20.0, 4.0)] {
        whip(links, degrees, seconds);
    }
}

#[test]
#[ignore = "long: a minute of the whip"]
fn whip_for_a_minute() {
    for (links, degrees) in [(32, 90.0), (100, 90.0), (32, 20.0)] {
        whip(links, degrees, 60.0);
    }
}

/// Ten links of which the last weighs 10,000 times as much as the others swing with the period of the pendulum: within 1 %.
#[test]
fn heavy_end_swings_as_a_pendulum() {
    let mut desc = chain(10, 0.0, 0.05);
    let ball = MassProperties { mass: 1e4, centre: Vec3::ZERO, inertia: Sym3::diagonal(Vec3::all(10.0)) };
    desc.links[9].body = BodyDesc::dynamic().mass_properties(ball);
    let mut world = sleepless();
    let id = world.add_articulation(desc).unwrap();
    let end = world.articulation(id).unwrap().link(9).unwrap();
    let period = 2.0 * f64::PI * (4.75_f64 / G).sqrt();
    let (mut crossings, mut before) = (Vec::new(), 1.0);
    for _ in 0..900 {
        world.step(DT).unwrap();
        let x = world.body(end).unwrap().position().x;
        if before < 0.0 && x >= 0.0 {
            crossings.push(world.time() - DT.to_f64() * x / (x - before));
        }
        before = x;
    }
    let measured = (crossings[crossings.len() - 1] - crossings[0]) / (crossings.len() - 1) as f64;
    assert!((measured / period - 1.0).abs() < 0.01, "{measured} for {period}");
}

/// A tree of one free link flies as a free body does, gyroscopic torque and all.
#[test]
fn single_free_link_is_a_free_body() {
    let mut world = sleepless();
    let shape = crate::support::lopsided();
    let free =
        world.add_body(shape.clone().linear_velocity([1.0, 5.0, 0.5]).angular_velocity([1.0, 2.0, 3.0])).unwrap();
    let mut desc = ArticulationDesc::new();
    desc.add(
        LinkDesc::free(shape).position(&[5.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]).velocity(&[1.0, 5.0, 0.5, 1.0, 2.0, 3.0]),
    );
    let id = world.add_articulation(desc).unwrap();
    let link = world.articulation(id).unwrap().link(0).unwrap();
    assert_eq!(world.body(link).unwrap().link(), Some((id, 0)));
    run(&mut world, 1.0);
    let (a, b) = (world.body(free).unwrap(), world.body(link).unwrap());
    let apart = (b.position() - a.position() - Vec3::new(5.0, 0.0, 0.0)).length();
    assert!(apart < 2e-3, "{apart}");
    assert!(a.rotation().angle_to(b.rotation()).to_f64() < 2e-3);
}

/// A motor of any stiffness leads a chain of links to its target and holds it there against its weight, at dt 1/60.
#[test]
fn motors_of_any_stiffness_are_stable() {
    for stiffness in [1e3, 1e4, 1e6, 1e9] {
        let mut desc = ArticulationDesc::new();
        for i in 0..6 {
            let motor = Motor::position(stiffness, 0.5 * stiffness);
            let link = LinkDesc::revolute(rod(), [0.0, 0.0, 1.0]).anchor([0.0, 0.25, 0.0]);
            let link = link.dof(0, Dof::default().motor(motor)).target(&[0.3]);
            desc.add(if i == 0 { link } else { link.parent(i - 1).at([0.0, -0.25, 0.0]) });
        }
        let mut world = sleepless();
        let id = world.add_articulation(desc).unwrap();
        run(&mut world, 8.0);
        let tree = world.articulation(id).unwrap();
        assert!(tree.velocity().iter().all(|v| v.abs() < 1e-3), "{stiffness}: {:?}", tree.velocity());
        // Off by τ/k; the largest torque is that of all links stretched out.
        let sag = 6.0 * G * 1.5 / stiffness;
        assert!(tree.position().iter().all(|q| (q - 0.3).abs() < sag + 1e-4), "{stiffness}: {:?}", tree.position());
    }
}

/// Motors of any stiffness and damping on a chain of three rods, at dt 1/60 and by each method. Energy never grows, with or without damping;
/// with some of it, or where the spring is so stiff that the step itself damps, the chain comes to rest where spring and weight balance.
#[test]
fn motors_of_any_stiffness_and_damping_reach_their_targets() {
    const LINKS: usize = 3;
    let target = 0.5;
    for base in both() {
        let name = base.method().name.clone();
        let (mut most, mut farthest) = (0.0_f64, 0.0_f64);
        for stiffness in [1e2, 1e3, 1e4, 1e5, 1e6, 1e7] {
            for ratio in [0.0, 0.05, 0.3, 1.0, 4.0] {
                // Critical for the whole chain stretched out, about its upper end.
                let inertia = LINKS as f64 * (0.5 * LINKS as f64).powi(2) / 3.0;
                let motor = Motor::position(stiffness, 2.0 * ratio * (stiffness * inertia).sqrt());
                let mut desc = chain(LINKS, 0.0, 0.0);
                for link in &mut desc.links {
                    link.dofs[0].motor = motor;
                    link.target = vec![target];
                }
                let mut world = base.clone();
                let id = world.add_articulation(desc).unwrap();
                let total = |world: &World| {
                    let tree = world.articulation(id).unwrap();
                    let springs: f64 = tree.position().iter().map(|q| 0.5 * stiffness * (q - target).powi(2)).sum();
                    tree.kinetic_energy() + tree.potential_energy() + springs
                };
                // From where the springs are at rest and the chain hangs.
                let floor = -G * 0.25 * (LINKS * LINKS) as f64;
                let start = total(&world) - floor;
                for _ in 0..1200 {
                    world.step(DT).unwrap();
                    most = most.max((total(&world) - floor) / start - 1.0);
                }
                let tree = world.articulation(id).unwrap();
                let settles = ratio >= 0.3 || stiffness >= 1e5;
                let fastest = tree.velocity().iter().fold(0.0, |m: f64, v| m.max(v.abs()));
                let weight = tree.inverse_dynamics(&[0.0; LINKS]).unwrap();
                let off = tree
                    .position()
                    .iter()
                    .zip(&weight)
                    .fold(0.0, |m: f64, (q, torque)| m.max((q - (target - torque / stiffness)).abs()));
                assert!(!settles || fastest < 1e-3, "{name}, k {stiffness:e}, ratio {ratio}: at {fastest} rad/s");
                if settles {
                    farthest = farthest.max(off);
                }
                assert!(!settles || off < 1e-3, "{name}, k {stiffness:e}, ratio {ratio}: off by {off} rad");
            }
        }
        println!("{name}: energy at most {most:.1e} above the start, at rest off by {farthest:.1e} rad");
        assert!(most < 1e-3, "{name}: gains {most:e}");
    }
}

/// A motor never pulls with more than its largest force: too weak to lift the rod it stalls where the two balance.
#[test]
fn motor_stops_at_its_largest_force() {
    let torque = G * 0.25 * 0.5; // holds the rod at 30 degrees
    let motor = Motor::position(1e5, 1e4).max_force(torque);
    let mut desc = ArticulationDesc::new();
    let dof = Dof { damping: 0.5, ..Dof::default().motor(motor) };
    desc.add(LinkDesc::revolute(rod(), [0.0, 0.0, 1.0]).anchor([0.0, 0.25, 0.0]).dof(0, dof).target(&[2.0]));
    let mut world = sleepless();
    let id = world.add_articulation(desc).unwrap();
    run(&mut world, 20.0);
    let angle = world.articulation(id).unwrap().position()[0];
    assert!((angle - f64::PI / 6.0).abs() < 0.01, "{angle}");
}

/// A hoist lifts a thousand times the mass of its hook at the commanded speed, within 2 %.
#[test]
fn hoist_lifts_at_the_commanded_speed() {
    let mut desc = ArticulationDesc::new();
    let rope = LinkDesc::prismatic(rod(), [0.0, 1.0, 0.0]).dof(0, Dof::default().motor(Motor::velocity(0.5, 1e6)));
    let hook = desc.add(rope);
    let load = BodyDesc::dynamic().collider(tumble::shape::Shape::cuboid(0.5, 0.5, 0.5).unwrap()).mass(1000.0);
    desc.add(LinkDesc::revolute(load, [0.0, 0.0, 1.0]).parent(hook).at([0.0, -0.25, 0.0]).anchor([0.0, 0.5, 0.0]));
    let mut world = sleepless();
    let id = world.add_articulation(desc).unwrap();
    run(&mut world, 4.0);
    let tree = world.articulation(id).unwrap();
    assert!((tree.velocity()[0] - 0.5).abs() < 0.01, "{:?}", tree.velocity());
    assert!((tree.position()[0] - 2.0).abs() < 0.04, "{:?}", tree.position());
}

/// A rod falls against the limit of its hinge and stays there.
#[test]
fn limit_stops_a_falling_rod() {
    let mut desc = ArticulationDesc::new();
    let start = LinkDesc::revolute(rod(), [0.0, 0.0, 1.0]).anchor([0.0, 0.25, 0.0]).position(&[1.5]);
    desc.add(start.dof(0, Dof::default().limits(0.5, 2.0)));
    let mut world = sleepless();
    let id = world.add_articulation(desc).unwrap();
    let mut least = f64::MAX;
    for _ in 0..300 {
        world.step(DT).unwrap();
        least = least.min(world.articulation(id).unwrap().position()[0]);
    }
    let tree = world.articulation(id).unwrap();
    assert!(least > 0.5 - 0.02, "{least}");
    assert!((tree.position()[0] - 0.5).abs() < 2e-3 && tree.velocity()[0].abs() < 1e-3, "{:?}", tree.position());
}

/// Dry friction holds a rod whose weight is less than it can bear, and lets a heavier one go.
#[test]
fn dry_friction_holds_up_to_its_force() {
    let torque = G * 0.25; // of the rod at the horizontal
    for (share, holds) in [(1.1, true), (0.5, false)] {
        let dof = Dof { friction: share * torque, ..Dof::default() };
        let mut desc = ArticulationDesc::new();
        let quarter = core::f64::consts::FRAC_PI_2;
        desc.add(LinkDesc::revolute(rod(), [0.0, 0.0, 1.0]).anchor([0.0, 0.25, 0.0]).position(&[quarter]).dof(0, dof));
        let mut world = sleepless();
        let id = world.add_articulation(desc).unwrap();
        run(&mut world, 3.0);
        let moved = (world.articulation(id).unwrap().position()[0] - quarter).abs();
        assert_eq!(moved < 1e-4, holds, "{moved}");
    }
}

/// An undamped spring on a slider swings with its period, and its energy stays: springs are part of the smooth flight.
#[test]
fn spring_has_its_period() {
    let stiffness = 40.0;
    let mut desc = ArticulationDesc::new();
    let dof = Dof { stiffness, ..Dof::default() };
    desc.add(LinkDesc::prismatic(rod(), [1.0, 0.0, 0.0]).dof(0, dof).position(&[0.2]));
    let mut world = sleepless();
    let id = world.add_articulation(desc).unwrap();
    let omega = stiffness.sqrt();
    let mut worst = 0.0_f64;
    for _ in 0..600 {
        world.step(DT).unwrap();
        let x = world.articulation(id).unwrap().position()[0];
        worst = worst.max((x - 0.2 * Float::cos(omega * world.time())).abs());
    }
    // Fourth order: 600 steps of ω dt = 0.105.
    assert!(worst < 1e-3, "{worst}");
}

/// The potential energy of a tree is that of its links in gravity and of the springs in its joints: what a floating tree of all kinds of joints
/// with soft springs loses of it, it gains in motion. The world counts the same for its links as for bodies.
#[test]
fn potential_energy_is_what_motion_is_made_of() {
    let mut random = Random(31);
    for case in 0..6 {
        let mut desc = random_tree(&mut random, 6, case % 2 == 0);
        for link in desc.links.iter_mut().filter(|link| link.joint != LinkJoint::Free) {
            link.dofs.iter_mut().for_each(|dof| dof.stiffness = 2.0);
        }
        // Part of a weight that gravity pulls at by half.
        desc.links[3].body.gravity_scale = 0.5;
        let mut world = sleepless();
        let id = world.add_articulation(desc).unwrap();
        let view = world.articulation(id).unwrap();
        assert!((view.potential_energy() - world.measure().potential).abs() < 1e-4, "springs are at rest at the start");
        let rates: Vec<f64> = (0..view.dofs()).map(|_| random.between(-1.0, 1.0)).collect();
        world.articulation_mut(id).unwrap().set_velocity(&rates).unwrap();
        let total = |world: &World| {
            let tree = world.articulation(id).unwrap();
            tree.kinetic_energy() + tree.potential_energy()
        };
        let (start, mut moved, mut worst) = (total(&world), 0.0_f64, 0.0_f64);
        let first = world.articulation(id).unwrap().potential_energy();
        for _ in 0..240 {
            world.step(DT / 4.0).unwrap();
            worst = worst.max((total(&world) - start).abs());
            moved = moved.max((world.articulation(id).unwrap().potential_energy() - first).abs());
        }
        assert!(worst < 1e-4 * moved, "case {case}: {worst:e} J of {moved} J");
    }
}

/// A link without mass between two joints does what a universal joint does.
#[test]
fn massless_link_makes_a_universal_joint() {
    let bob = |desc: &mut ArticulationDesc, link: LinkDesc| desc.add(link.anchor([0.0, 0.25, 0.0]));
    let mut two = ArticulationDesc::new();
    let first = two.add(LinkDesc::revolute(BodyDesc::dynamic(), [1.0, 0.0, 0.0]).massless().position(&[0.4]));
    bob(&mut two, LinkDesc::revolute(rod(), [0.0, 0.0, 1.0]).parent(first).velocity(&[2.0]));
    let mut one = ArticulationDesc::new();
    let joint = LinkJoint::Universal { first: Vec3::X, second: Vec3::Z };
    bob(&mut one, LinkDesc::new(rod(), joint).at([5.0, 0.0, 0.0]).position(&[0.4, 0.0]).velocity(&[0.0, 2.0]));
    let mut world = sleepless();
    let (two, one) = (world.add_articulation(two).unwrap(), world.add_articulation(one).unwrap());
    let saved = world.snapshot().unwrap();
    run(&mut world, 2.0);
    let (a, b) = (world.articulation(two).unwrap(), world.articulation(one).unwrap());
    for (x, y) in a.position().iter().zip(b.position()) {
        assert!((x - y).abs() < 1e-4, "{:?} and {:?}", a.position(), b.position());
    }
    let hash = world.hash();
    world.restore(&saved).unwrap();
    run(&mut world, 2.0);
    assert_eq!(world.hash(), hash);
}

/// J q̇ is how a point of a link moves and turns: on branching trees of every kind of joint, half of them floating.
#[test]
fn jacobians_are_what_links_do() {
    let mut random = Random(17);
    let mut worst = 0.0_f64;
    for case in 0..40 {
        let mut world = sleepless();
        let id = world.add_articulation(random_tree(&mut random, 6, case % 2 == 0)).unwrap();
        let dofs = world.articulation(id).unwrap().dofs();
        let rates: Vec<f64> = (0..dofs).map(|_| random.between(-1.0, 1.0)).collect();
        world.articulation_mut(id).unwrap().set_velocity(&rates).unwrap();
        let tree = world.articulation(id).unwrap();
        for link in 0..6 {
            let body = world.body(tree.link(link).unwrap()).unwrap();
            let point = body.position() + random.vector(1.0).to_f64();
            let columns = tree.jacobian(link, point).unwrap();
            let (mut angular, mut linear, mut size) = (Vec3::ZERO, Vec3::ZERO, 0.0);
            for (column, rate) in columns.iter().zip(&rates) {
                angular += column.angular * *rate;
                linear += column.linear * *rate;
                size += (column.angular.length() + column.linear.length()) * rate.abs();
            }
            let expected = body.velocity_at(point).to_f64();
            let off = (linear - expected).length() + (angular - body.angular_velocity().to_f64()).length();
            if off > 0.0 {
                worst = worst.max(off / size);
            }
        }
    }
    println!("off by {:.2} roundings", worst / eps());
    // Velocities of bodies are rounded to the precision of the world, and those of their points summed in it.
    assert!(worst < 64.0 * eps(), "{worst:e}");
}

/// What acts on a link without mass acts where it is said to: forces and impulses at a point turn its joint by their arm, and a joint on its
/// body bears. Its body is balanced about its own origin, which need not be on the axis.
#[test]
fn massless_links_are_pushed_where_their_bodies_are() {
    for mut world in both() {
        world.set_gravity([0.0; 3]).unwrap();
        let mut desc = ArticulationDesc::new();
        let arm = LinkDesc::revolute(BodyDesc::dynamic(), [0.0, 0.0, 1.0]).massless().anchor([0.0, 1.0, 0.0]);
        let arm = desc.add(arm);
        desc.add(LinkDesc::fixed(rod()).parent(arm));
        let id = world.add_articulation(desc).unwrap();
        let link = world.articulation(id).unwrap().link(arm).unwrap();
        let (end, inertia) = (world.body(link).unwrap().position(), world.articulation(id).unwrap().mass_matrix()[0]);
        assert!((end - Vec3::new(0.0, -1.0, 0.0)).length() < 1e-6);
        world.body_mut(link).unwrap().add_force_at([1.0, 0.0, 0.0], end).unwrap();
        let turning = world.articulation(id).unwrap().forward_dynamics()[0];
        assert!((turning * inertia - 1.0).abs() < 1e-5, "{turning} rad/s² for 1 N m on {inertia} kg m²");
        world.body_mut(link).unwrap().set_force([0.0; 3]).unwrap();
        world.body_mut(link).unwrap().apply_force_at([1.0, 0.0, 0.0], end).unwrap();
        world.step(DT).unwrap();
        let rate = world.articulation(id).unwrap().velocity()[0];
        assert!((rate * inertia - DT.to_f64()).abs() < 1e-4, "{rate} rad/s after a step of 1 N m on {inertia} kg m²");
        world.articulation_mut(id).unwrap().set_velocity(&[0.0]).unwrap();
        world.body_mut(link).unwrap().apply_impulse_at([1.0, 0.0, 0.0], end).unwrap();
        let rate = world.articulation(id).unwrap().velocity()[0];
        assert!((rate * inertia - 1.0).abs() < 1e-3, "{rate} rad/s for 1 N m s on {inertia} kg m²");
        // A peg through the body's origin, and a weight that pulls aside.
        world.articulation_mut(id).unwrap().set_velocity(&[0.0]).unwrap();
        world.articulation_mut(id).unwrap().set_position(&[0.0]).unwrap();
        world.add_joint(tumble::JointDesc::ball(World::BODY, link).anchor([0.0, -1.0, 0.0])).unwrap();
        world.set_gravity([9.81, 0.0, 0.0]).unwrap();
        run(&mut world, 1.0);
        let q = world.articulation(id).unwrap().position()[0];
        assert!(q.abs() < 1e-3, "{}: turned by {q} rad", world.method().name);
    }
}

/// What is driven slowly is under way, however slowly: the hand of a clock, a servo that creeps against its damper, a rod that sinks on one.
/// Where it is held up, or has arrived, it falls asleep.
#[test]
fn slowly_driven_trees_do_not_fall_asleep_on_the_way() {
    let hand = Motor::velocity(0.1, f64::INFINITY);
    let servo = Motor::position(10.0, 100.0);
    let damped = Dof { damping: 50.0, ..Dof::default() };
    let cases = [
        ("hand", Dof::default().motor(hand), 0.0, 10.0, 1.0, true),
        ("soft hand", Dof::default().motor(Motor { speed: 0.1, ..Motor::position(0.0, 50.0) }), 0.0, 10.0, 1.0, true),
        ("hand on a peg", Dof::default().limits(-0.3, 0.3).motor(hand), 0.0, 8.0, 0.3, false),
        ("servo", Dof::default().motor(servo), 0.0, 90.0, 0.5, false),
        ("spring", Dof { stiffness: 10.0, damping: 100.0, ..Dof::default() }, 0.0, 90.0, 0.5, false),
        ("force", Dof { force: 2.5, ..damped }, 0.0, 20.0, 1.0, true),
        ("weight", damped, G, 300.0, -0.5 * f64::PI, false),
    ];
    for (name, dof, gravity, seconds, end, awake) in cases {
        let mut world = World::new();
        // A rod along x sinks to -π/2.
        world.set_gravity([0.0, crate::support::real(-gravity), 0.0]).unwrap();
        let body = BodyDesc::dynamic().collider(tumble::shape::Shape::cuboid(0.15, 0.01, 0.01).unwrap()).mass(1.0);
        let mut desc = ArticulationDesc::new();
        let link = LinkDesc::revolute(body, [0.0, 0.0, 1.0]).anchor([-0.15, 0.0, 0.0]);
        desc.add(link.dof(0, dof).target(&[0.5]).rest(&[0.5]));
        let id = world.add_articulation(desc).unwrap();
        run(&mut world, seconds);
        let q = world.articulation(id).unwrap().position()[0];
        assert!((q - end).abs() < 0.02, "{name}: at {q} rad");
        assert_eq!(world.awake_count() > 0, awake, "{name}");
    }
}

/// The world counts what its trees count: with armature and springs in their joints, in motion, and none of a tree that is not active.
#[test]
fn world_counts_armature_and_springs() {
    let mut random = Random(5);
    let mut world = sleepless();
    let mut desc = random_tree(&mut random, 5, false);
    for dof in desc.links.iter_mut().flat_map(|link| &mut link.dofs) {
        (dof.stiffness, dof.armature) = (3.0, 0.7);
    }
    let id = world.add_articulation(desc).unwrap();
    let dofs = world.articulation(id).unwrap().dofs();
    let rates: Vec<f64> = (0..dofs).map(|_| random.between(-1.0, 1.0)).collect();
    world.articulation_mut(id).unwrap().set_velocity(&rates).unwrap();
    run(&mut world, 0.2);
    let (tree, all) = (world.articulation(id).unwrap(), world.measure());
    assert!((all.kinetic / tree.kinetic_energy() - 1.0).abs() < 1e-5, "{all:?} for {}", tree.kinetic_energy());
    assert!((all.potential - tree.potential_energy()).abs() < 1e-4, "{all:?} for {}", tree.potential_energy());
    let body = tree.link(0).unwrap();
    world.body_mut(body).unwrap().set_active(false);
    assert_eq!((world.measure().kinetic, world.measure().potential), (0.0, 0.0));
}

/// A tree without any mass, which armature alone resists, has a centre and a momentum that are numbers.
#[test]
fn centre_of_a_tree_without_mass_is_a_place() {
    let mut desc = ArticulationDesc::new();
    let geared = Dof { armature: 0.1, ..Dof::default() };
    let dial = LinkDesc::revolute(BodyDesc::dynamic(), [0.0, 0.0, 1.0]).massless().anchor([0.0, 1.0, 0.0]);
    desc.add(dial.at([2.0, 3.0, 4.0]).dof(0, geared).velocity(&[1.0]));
    let mut world = sleepless();
    let id = world.add_articulation(desc).unwrap();
    let tree = world.articulation(id).unwrap();
    assert!((tree.centre_of_mass() - Vec3::new(2.0, 2.0, 4.0)).length() < 1e-9, "{:?}", tree.centre_of_mass());
    assert_eq!((tree.momentum(), tree.angular_momentum()), (Vec3::ZERO, Vec3::ZERO));
}

/// Springs of unlike stiffness about the axes of a ball joint, or of a floating body, take the energy that they give: turned far, twist and all, it stays
/// within a hundredth over ten seconds. Forces are the slope of the potential.
#[test]
fn unlike_springs_of_ball_joints_keep_energy() {
    let stiffness = [6.0, 0.0, 3.0];
    // So slow to turn that the springs are part of the smooth flight.
    let mass = MassProperties { mass: 2.0, centre: Vec3::ZERO, inertia: Sym3::diagonal(Vec3::new(1.0, 0.8, 1.2)) };
    let body = BodyDesc::dynamic().mass_properties(mass);
    let mut ball = LinkDesc::spherical(body.clone()).position(&[0.3, 0.5, 0.2, 0.8]).velocity(&[0.5, 1.0, -0.5]);
    let mut float = LinkDesc::free(body).position(&[0.1, 0.2, 0.0, 0.3, 0.5, 0.2, 0.8]);
    float = float.velocity(&[0.1, 0.0, 0.2, 0.5, 1.0, -0.5]);
    for k in 0..3 {
        ball.dofs[k].stiffness = stiffness[k];
        (float.dofs[k].stiffness, float.dofs[k + 3].stiffness) = (2.0 * stiffness[k], stiffness[k]);
    }
    for link in [ball, float] {
        let mut desc = ArticulationDesc::new();
        desc.add(link);
        let mut world = sleepless();
        world.set_gravity([0.0; 3]).unwrap();
        let id = world.add_articulation(desc).unwrap();
        let total = |world: &World| {
            let tree = world.articulation(id).unwrap();
            tree.kinetic_energy() + tree.potential_energy()
        };
        // The slope of the potential along each degree of freedom, against the force that accelerates from rest.
        let mut still = world.clone();
        let n = still.articulation(id).unwrap().dofs();
        still.articulation_mut(id).unwrap().set_velocity(&vec![0.0; n]).unwrap();
        let acceleration = still.articulation(id).unwrap().forward_dynamics();
        let mass = still.articulation(id).unwrap().mass_matrix();
        for k in 0..n {
            let force: f64 = (0..n).map(|j| mass[k * n + j] * acceleration[j]).sum();
            let mut aside = vec![0.0; n];
            let [high, low] = [1e-4, -1e-4].map(|by: f64| {
                aside.fill(0.0);
                aside[k] = by;
                let mut moved = still.clone();
                let q = moved.articulation(id).unwrap().position().to_vec();
                moved.articulation_mut(id).unwrap().set_position(&along(&q, &aside)).unwrap();
                moved.articulation(id).unwrap().potential_energy()
            });
            let slope = (low - high) / 2e-4;
            assert!((force - slope).abs() < 1e-5, "{n} degrees of freedom, along {k}: {force} N m for {slope}");
        }
        let start = total(&world);
        for _ in 0..600 {
            world.step(DT).unwrap();
            let now = total(&world);
            assert!((now / start - 1.0).abs() < 0.01, "{now} J of {start} J after {} s", world.time());
        }
    }
}

/// Coordinates of a spherical or free joint moved along its degrees of freedom.
fn along(q: &[f64], by: &[f64]) -> Vec<f64> {
    let turn = |v: &[f64]| tumble::math::Quat::from_rotation_vector(Vec3::new(v[0], v[1], v[2]));
    let of = |q: &[f64]| tumble::math::Quat::new(q[0], q[1], q[2], q[3]);
    match q.len() {
        4 => {
            let to = of(q) * turn(by);
            vec![to.x, to.y, to.z, to.w]
        }
        _ => {
            let to = turn(&by[3..]) * of(&q[3..]);
            vec![q[0] + by[0], q[1] + by[1], q[2] + by[2], to.x, to.y, to.z, to.w]
        }
    }
}

/// Servos of unlike stiffness on a ball joint, soft to hard, bring it to its target from far off and do not feed it on the way.
#[test]
fn unlike_servos_of_ball_joints_settle() {
    for scale in [1.0, 1e2, 1e4, 1e6] {
        let mut link = LinkDesc::spherical(rod()).position(&[0.3, 0.5, 0.2, 0.8]);
        for (dof, share) in link.dofs.iter_mut().zip([2.0, 0.0, 1.0]) {
            dof.motor = Motor::position(scale * share, 0.05 * share);
        }
        link.dofs[1].damping = 0.05;
        let mut desc = ArticulationDesc::new();
        desc.add(link);
        let mut world = sleepless();
        world.set_gravity([0.0; 3]).unwrap();
        let id = world.add_articulation(desc).unwrap();
        let mut fastest = 0.0_f64;
        for _ in 0..1200 {
            world.step(DT).unwrap();
            let kinetic = world.articulation(id).unwrap().kinetic_energy();
            fastest = fastest.max(kinetic / scale);
        }
        // The potential at the start, as ½ k θ² of less than half a turn, is the most that there is.
        assert!(fastest < 0.5 * 2.0 * 2.5, "scale {scale}: {fastest}");
        let tree = world.articulation(id).unwrap();
        assert!(tree.kinetic_energy() < 1e-3, "scale {scale}: {} J", tree.kinetic_energy());
    }
}

/// Forces that are applied to links for the next step alone are known to the queries before it: what they say is what the step does.
#[test]
fn dynamics_see_forces_of_the_next_step() {
    let mut world = sleepless();
    let id = world.add_articulation(chain(3, 2.0, 0.4)).unwrap();
    let calm = world.articulation(id).unwrap().forward_dynamics();
    let tip = world.articulation(id).unwrap().link(2).unwrap();
    world.body_mut(tip).unwrap().apply_force([30.0, -5.0, 0.0]).unwrap();
    world.body_mut(tip).unwrap().apply_torque([0.0, 0.0, 2.0]).unwrap();
    let told = world.articulation(id).unwrap().forward_dynamics();
    let needed = world.articulation(id).unwrap().inverse_dynamics(&told).unwrap();
    assert!(needed.iter().all(|tau| tau.abs() < 1e-9), "{needed:?}");
    let dt = 1e-5;
    world.step(real(dt)).unwrap();
    let tree = world.articulation(id).unwrap();
    for (k, (qd, told)) in tree.velocity().iter().zip(&told).enumerate() {
        assert!((qd / dt - told).abs() < 1e-2 * told.abs().max(1.0), "{k}: {} instead of {told}", qd / dt);
    }
    for (calm, after) in calm.iter().zip(tree.forward_dynamics()) {
        assert!((calm - after).abs() < 1e-2, "{after} instead of {calm}: it has acted once");
    }
}
