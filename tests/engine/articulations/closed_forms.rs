//! Single trees against equations that are solved on paper, or by other means, and against sums over their links.

use super::{DT, both, random_tree, rod, sleepless};
use crate::support::{Random, eps, lopsided, real};
use tumble::articulation::{ArticulationDesc, Dof, LinkDesc, Motor};
use tumble::math::{Float, Vec3};
use tumble::{ArticulationId, BodyRef, World};

/// A random tree of random bodies in a world, in motion: some steps after it got its rates.
fn moving_tree(random: &mut Random, links: usize, floats: bool) -> (World, ArticulationId) {
    let mut world = sleepless();
    let mut desc = random_tree(random, links, floats);
    for link in &mut desc.links {
        if random.below(2) == 0 {
            link.body = lopsided();
        }
        link.velocity = (0..link.joint.dofs()).map(|_| random.between(-1.0, 1.0)).collect();
    }
    let id = world.add_articulation(desc).unwrap();
    for _ in 0..10 {
        world.step(DT).unwrap();
    }
    (world, id)
}

/// The links of a tree.
fn bodies(world: &World, id: ArticulationId) -> Vec<BodyRef<'_>> {
    world.articulation(id).unwrap().links().map(|link| world.body(link).unwrap()).collect()
}

/// A rod on a hinge, let go at 60 and at 150 degrees from hanging, goes where its equation θ'' = -(m g l/I) sin θ says, by default in steps of 1/60 s
/// for 20 s. The equation is solved by Runge-Kutta of fourth order in steps of about 10⁻⁴ s, of which the error is rounding.
#[test]
fn pendulum_follows_its_equation() {
    for degrees in [60.0_f64, 150.0] {
        let start = degrees.to_radians();
        let mut desc = ArticulationDesc::new();
        desc.add(LinkDesc::revolute(rod(), Vec3::Z).anchor([0.0, 0.25, 0.0]).position(&[start]));
        let mut world = sleepless();
        let id = world.add_articulation(desc).unwrap();
        let inertia = world.articulation(id).unwrap().mass_matrix()[0];
        let pull = f64::from(-world.gravity().y) * 0.25 / inertia;
        let slope = |[q, v]: [f64; 2]| [v, -pull * Float::sin(q)];
        let on = |[q, v]: [f64; 2], [dq, dv]: [f64; 2], h: f64| [q + h * dq, v + h * dv];
        let pieces = 167;
        let h = f64::from(DT) / f64::from(pieces);
        let (mut state, mut worst) = ([start, 0.0], 0.0_f64);
        for _ in 0..1200 {
            world.step(DT).unwrap();
            for _ in 0..pieces {
                let a = slope(state);
                let b = slope(on(state, a, 0.5 * h));
                let c = slope(on(state, b, 0.5 * h));
                let d = slope(on(state, c, h));
                let mean = [0, 1].map(|i| (a[i] + 2.0 * (b[i] + c[i]) + d[i]) / 6.0);
                state = on(state, mean, h);
            }
            worst = worst.max((world.articulation(id).unwrap().position()[0] - state[0]).abs());
        }
        println!("from {degrees}°: off by {worst:.1e} rad");
        // A thousandth of a radian after some ten swings.
        assert!(worst < 1e-3, "from {degrees}°: {worst}");
    }
}

/// Centre of mass, momentum and angular momentum of a tree are the sums over its bodies, which are told in the precision of the world.
#[test]
fn trees_sum_up_their_links() {
    let mut random = Random(53);
    let mut worst = [0.0_f64; 3];
    for case in 0..40 {
        let (world, id) = moving_tree(&mut random, 2 + case % 10, case % 2 == 0);
        let tree = world.articulation(id).unwrap();
        let bodies = bodies(&world, id);
        let mass: f64 = bodies.iter().map(BodyRef::mass).sum();
        assert!((tree.mass() / mass - 1.0).abs() < 64.0 * eps(), "{} of {mass}", tree.mass());
        // What they are summed from, and the sum of magnitudes.
        let sum = |of: &dyn Fn(&BodyRef) -> Vec<Vec3<f64>>| {
            let parts: Vec<Vec3<f64>> = bodies.iter().flat_map(of).collect();
            (
                parts.iter().fold(Vec3::ZERO, |sum, &part| sum + part),
                parts.iter().map(|part| part.length()).sum::<f64>(),
            )
        };
        let (centre, far) = sum(&|b| vec![b.centre_of_mass() * (b.mass() / mass)]);
        let (momentum, pushes) = sum(&|b| vec![b.momentum()]);
        let (spin, turns) = sum(&|b| vec![b.angular_momentum(), (b.centre_of_mass() - centre).cross(b.momentum())]);
        let off = [
            (tree.centre_of_mass() - centre).length() / far,
            (tree.momentum() - momentum).length() / pushes,
            (tree.angular_momentum() - spin).length() / turns,
        ];
        // A tree whose only joint is fixed does not move, and 0/0 is neither more nor less.
        worst = [0, 1, 2].map(|i| if off[i] > worst[i] { off[i] } else { worst[i] });
    }
    println!("off by {:.2?} roundings", worst.map(|off| off / eps()));
    // Poses, velocities and their products are rounded to the precision of the world.
    assert!(worst.iter().all(|&off| off < 64.0 * eps()), "centre, momentum, angular momentum: {worst:?}");
}

/// A damper along a degree of freedom is taken at the end of each sub-step of h and leaves 1/(1 + h c/m) of a velocity, however strong it is. By default a
/// tree with soft dampers flies by itself, and then they leave exp(-c t/m). By each method, with armature, which is mass along the slider.
#[test]
fn sliders_are_damped_as_their_equation_says() {
    const STEPS: i32 = 10;
    // A motor that does nothing keeps a tree from flying, as strong damping does.
    for (c, motor) in
        [(0.3, true), (0.3, false), (5.0, true), (5.0, false), (200.0, true), (200.0, false), (1e6, false)]
    {
        for (mut world, substeps) in both().into_iter().zip([4, 1]) {
            world.set_gravity([0.0; 3]).unwrap();
            let name = world.method().name.clone();
            let mut dof = Dof { damping: c, armature: 1.0, ..Dof::default() };
            if motor {
                dof.motor = Motor::position(1e-30, 0.0);
            }
            let mut desc = ArticulationDesc::new();
            desc.add(LinkDesc::prismatic(rod(), Vec3::X).dof(0, dof).velocity(&[1.0]));
            let id = world.add_articulation(desc).unwrap();
            let mass = world.articulation(id).unwrap().mass_matrix()[0];
            assert!((mass - 2.0).abs() <= 8.0 * eps());
            (0..STEPS).for_each(|_| world.step(DT).unwrap());
            let dt = f64::from(DT);
            let share = c * dt / mass;
            let flies = substeps == 4 && !motor && share < 0.05;
            let (kicks, kicked) = (substeps * STEPS, 1.0 + share / f64::from(substeps));
            let (expected, tolerance) = if flies {
                // The first term that fourth order leaves out, in each step.
                (Float::exp(-f64::from(STEPS) * share), 2.0 * f64::from(STEPS) * share.powi(5) / 120.0)
            } else {
                // What is left of a velocity is its difference from nearly as much: trees are in double precision in both crates.
                (kicked.powi(-kicks), 2.0 * f64::EPSILON * kicked * f64::from(kicks))
            };
            let off = (world.articulation(id).unwrap().velocity()[0] / expected - 1.0).abs();
            println!("{name}, {c} N s/m, {}: off by {off:.1e}", if flies { "flies" } else { "is kicked" });
            assert!(off < tolerance + 1e-13, "{name}, {c} N s/m, motor {motor}: off by {off:e} of {expected}");
        }
    }
}

/// A link on a slider, however that lies, accelerates by g·u + Q/m: the weight along it, and the force of its joint.
#[test]
fn sliders_fall_along_their_axes() {
    let mut random = Random(59);
    let mut worst = 0.0_f64;
    for _ in 0..40 {
        let axis = random.vector(1.0).normalize_or(Vec3::X);
        let (force, mass, turn) = (random.between(-20.0, 20.0), random.between(0.5, 3.0), random.rotation());
        let mut desc = ArticulationDesc::new();
        let link = LinkDesc::prismatic(lopsided().mass(real(mass)), axis).dof(0, Dof { force, ..Dof::default() });
        let link = link.at(random.vector(1.0).to_f64()).anchor(random.vector(1.0).to_f64()).turned(turn);
        desc.add(link.position(&[random.between(-1.0, 1.0)]).velocity(&[random.between(-1.0, 1.0)]));
        let mut world = sleepless();
        let id = world.add_articulation(desc).unwrap();
        let along = turn.to_f64().normalized().rotate(axis.to_f64().normalize_or(Vec3::X));
        let expected = world.gravity().to_f64().dot(along) + force / f64::from(real(mass));
        worst = worst.max((world.articulation(id).unwrap().forward_dynamics()[0] - expected).abs());
    }
    println!("off by {worst:.1e} m/s²");
    // Accelerations are of some tens; axes, turns and masses are given in the precision of the world.
    assert!(worst < f64::max(1e-12, 64.0 * eps()), "{worst:e} m/s²");
}

/// Without weight, rates and forces nothing accelerates: not by rounding either.
#[test]
fn trees_at_rest_without_weight_stay() {
    let mut random = Random(61);
    for case in 0..40 {
        let mut world = sleepless();
        world.set_gravity([0.0; 3]).unwrap();
        let id = world.add_articulation(random_tree(&mut random, 1 + case % 12, case % 2 == 0)).unwrap();
        let accelerations = world.articulation(id).unwrap().forward_dynamics();
        assert!(accelerations.iter().all(|&a| a == 0.0), "case {case}: {accelerations:?}");
    }
}

/// An impulse along a joint acts between two links: a floating tree keeps its momentum and its angular momentum, to the rounding of what its links get of it.
#[test]
fn joint_impulses_keep_momentum() {
    let mut random = Random(67);
    let (mut worst, mut pushed) = (0.0_f64, 0);
    for case in 0..60 {
        let (mut world, id) = moving_tree(&mut random, 2 + case % 10, true);
        let tree = world.articulation(id).unwrap();
        let inner: Vec<usize> = (1..tree.links().count()).filter(|&i| tree.joint(i).unwrap().dofs() > 0).collect();
        if inner.is_empty() {
            continue;
        }
        let link = inner[random.below(inner.len())];
        let dof = random.below(tree.joint(link).unwrap().dofs());
        let momenta = |world: &World| {
            let tree = world.articulation(id).unwrap();
            let of_links: Vec<Vec3<f64>> = bodies(world, id).iter().map(BodyRef::momentum).collect();
            (tree.momentum(), tree.angular_momentum(), of_links)
        };
        let before = momenta(&world);
        world.articulation_mut(id).unwrap().apply_joint_impulse(link, dof, random.between(1.0, 5.0)).unwrap();
        let after = momenta(&world);
        let got: f64 = before.2.iter().zip(&after.2).map(|(a, b)| (*b - *a).length()).sum();
        let size = got + before.1.length() + before.0.length();
        worst = worst.max(((after.0 - before.0).length() + (after.1 - before.1).length()) / size);
        pushed += usize::from(got > 0.1);
    }
    println!("off by {worst:.1e} of what links got");
    // Trees are in double precision in both crates; they are as well conditioned as those of `impulses_equal_the_difference_of_two_passes`.
    assert!(worst < 1e-12 && pushed > 40, "off by {worst:e}, {pushed} pushed");
}
