//! Trees in a world, by themselves: energy, momentum, periods, motors, limits.

use super::{DT, G, chain, energy, rod, run, sleepless, widest_gap};
use crate::support::{Random, awake, eps, real, scene};
use tumble::articulation::{ArticulationDesc, Dof, LinkDesc, LinkJoint, Motor};
use tumble::math::{Float, Real, Sym3, Vec3};
use tumble::shape::MassProperties;
use tumble::{ArticulationId, BodyDesc, Method, World};

/// The whip of the library: rods of half a metre and 1 kg, let go at this angle in degrees.
fn whip(links: u32, angle: f64) -> (World, ArticulationId) {
    let world = scene("whip", &[("links", f64::from(links)), ("angle", angle)], awake(Method::soft_step()));
    let id = world.find_articulation("whip").unwrap();
    (world, id)
}

/// The whip: chains let go at the horizontal keep their energy, as a share of what they release from there to hanging, and their
/// joints do not open. The gap is the rounding of poses to single precision.
#[test]
fn whip_keeps_its_energy_and_its_joints() {
    for (links, seconds) in [(32, 4.0), (100, 1.5)] {
        let (mut world, id) = whip(links, 90.0);
        let released = G * 0.25 * f64::from(links * links);
        let start = energy(&world, id);
        let (mut gain, mut loss, mut gap) = (0.0_f64, 0.0_f64, 0.0_f64);
        for _ in 0..(seconds * 60.0) as usize {
            world.step(DT).unwrap();
            let change = (energy(&world, id) - start) / released;
            (gain, loss, gap) = (gain.max(change), loss.max(-change), gap.max(widest_gap(&world, id)));
        }
        assert!(gain < 1e-3 && loss < 0.05, "{links} links: gain {gain:e}, loss {loss:e}");
        // Places are as good as the length of the chain allows.
        assert!(gap < eps() * f64::from(links), "{links} links: gap {gap:e}");
    }
}

/// The same for a minute; prints its figures.
#[test]
#[ignore = "long: a minute of the whip"]
fn whip_for_a_minute() {
    for (links, angle, allowed) in [(32, 90.0_f64, 0.05), (100, 90.0, 0.05), (32, 20.0, 0.01)] {
        let (mut world, id) = whip(links, angle);
        let released = G * 0.25 * f64::from(links * links) * (1.0 - Float::cos(angle.to_radians()));
        let start = energy(&world, id);
        let (mut gain, mut loss, mut gap) = (0.0_f64, 0.0_f64, 0.0_f64);
        let clock = std::time::Instant::now();
        for _ in 0..3600 {
            world.step(DT).unwrap();
            let change = (energy(&world, id) - start) / released;
            (gain, loss, gap) = (gain.max(change), loss.max(-change), gap.max(widest_gap(&world, id)));
        }
        let cost = clock.elapsed().as_secs_f64() / 3600.0 * 1e6;
        println!("{links} links from {angle}°: gain {gain:.1e}, loss {loss:.1e}, gap {gap:.1e} m, {cost:.0} µs a step");
        assert!(gain < 1e-3 && loss < allowed && gap < eps() * f64::from(links));
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

/// Momentum (less m g t) and angular momentum about the centre of mass of a floating tree over 60 s: 1e-3 by default, and 1e-6 in
/// double precision at 1/240 s.
#[test]
fn floating_tree_keeps_its_momentum() {
    let mut desc = ArticulationDesc::new();
    let spin = [0.5, 1.0, -0.5, 1.0, -2.0, 0.5];
    desc.add(LinkDesc::free(rod()).velocity(&spin));
    for i in 0..6 {
        let joint = [LinkJoint::Spherical, LinkJoint::Universal { first: Vec3::X, second: Vec3::Z }][i % 2];
        let link = LinkDesc::new(rod(), joint).anchor([0.0, 0.25, 0.0]);
        desc.add(link.parent(i).at([0.0, if i == 3 { 0.25 } else { -0.25 }, 0.0]).velocity(&vec![0.7; joint.dofs()]));
    }
    for (hertz, share) in [(60, 1e-3), (240, if eps() < 1e-10 { 1e-6 } else { 1e-3 })] {
        let mut world = sleepless();
        let id = world.add_articulation(desc.clone()).unwrap();
        let tree = world.articulation(id).unwrap();
        let (p, l, mass) = (tree.momentum(), tree.angular_momentum(), tree.mass());
        for _ in 0..60 * hertz {
            world.step(1.0 / hertz as Real).unwrap();
        }
        let tree = world.articulation(id).unwrap();
        let fallen = Vec3::new(0.0, -G * mass * 60.0, 0.0);
        let scale = p.length() + l.length();
        // The weight is m g with g in the precision of the world, and so is the time that it acts for.
        let error = (tree.momentum() - p - fallen).length();
        assert!(error < share * scale + fallen.length() * 4.0 * eps(), "{hertz} Hz: momentum off by {error:e}");
        let error = (tree.angular_momentum() - l).length();
        println!("{hertz} Hz: angular momentum off by {:e}", error / l.length());
        assert!(error < share * scale, "{hertz} Hz: angular momentum off by {error:e} of {scale}");
    }
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

/// An impulse on a link moves the whole tree as its response says, and a pair of opposite ones leaves it as it was.
#[test]
fn impulse_moves_the_whole_tree() {
    let mut world = World::new();
    let id = world.add_articulation(chain(5, 0.0, 0.3)).unwrap();
    let tree = world.articulation(id).unwrap();
    let tip = tree.link(4).unwrap();
    let point = world.body(tip).unwrap().to_world([0.0, real(-0.25), 0.0]);
    let k = tree.response(4, point, 4, point).unwrap();
    let before = world.body(tip).unwrap().velocity_at(point).to_f64();
    world.body_mut(tip).unwrap().apply_impulse_at([2.0, 0.0, 0.0], point).unwrap();
    let change = world.body(tip).unwrap().velocity_at(point).to_f64() - before;
    assert!((change - k.x * 2.0).length() < 1e3 * eps(), "{change:?}, {:?}", k.x * 2.0);
    assert!(world.articulation(id).unwrap().velocity()[0] != 0.0, "the root answers too");
    world.body_mut(tip).unwrap().apply_impulse_at([-2.0, 0.0, 0.0], point).unwrap();
    assert!(world.articulation(id).unwrap().velocity().iter().all(|v| v.abs() < 1e4 * eps()));
}

/// J q̇ is how a point of a link moves and turns: on branching trees of every kind of joint.
#[test]
fn jacobians_are_what_links_do() {
    let mut random = Random(17);
    for _ in 0..40 {
        let mut desc = ArticulationDesc::new();
        for i in 0..6 {
            let axis = random.vector(1.0).normalize_or(Vec3::X);
            let joint = match random.below(8) {
                0 => LinkJoint::Revolute { axis },
                1 => LinkJoint::Prismatic { axis },
                2 => LinkJoint::Helical { axis, lead: 0.3 },
                3 => LinkJoint::Universal { first: axis, second: axis.tangents().0 },
                4 => LinkJoint::Spherical,
                5 => LinkJoint::Cylindrical { axis },
                6 => LinkJoint::Fixed,
                _ => LinkJoint::Planar { normal: axis },
            };
            let link = LinkDesc::new(rod(), joint).at(random.vector(0.3).to_f64()).anchor(random.vector(0.3).to_f64());
            desc.add(if i == 0 { link } else { link.parent(random.below(i)) });
        }
        let mut world = sleepless();
        let id = world.add_articulation(desc).unwrap();
        let dofs = world.articulation(id).unwrap().dofs();
        let rates: Vec<f64> = (0..dofs).map(|_| random.between(-1.0, 1.0)).collect();
        world.articulation_mut(id).unwrap().set_velocity(&rates).unwrap();
        let tree = world.articulation(id).unwrap();
        for link in 0..6 {
            let body = world.body(tree.link(link).unwrap()).unwrap();
            let point = body.position() + random.vector(1.0).to_f64();
            let columns = tree.jacobian(link, point).unwrap();
            let (mut angular, mut linear) = (Vec3::ZERO, Vec3::ZERO);
            for (column, rate) in columns.iter().zip(&rates) {
                angular += column.angular * *rate;
                linear += column.linear * *rate;
            }
            let expected = body.velocity_at(point).to_f64();
            let off = (linear - expected).length() + (angular - body.angular_velocity().to_f64()).length();
            assert!(off < 2e-5, "{link}: off by {off}");
        }
    }
}
