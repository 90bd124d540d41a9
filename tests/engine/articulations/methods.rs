//! Articulations under methods other than the default.

use super::{DT, G, chain, energy, floor, rod, run, simultaneous, sleepless};
use tumble::articulation::{ArticulationDesc, Dof, LinkDesc};
use tumble::math::{Float, Real};
use tumble::shape::Shape;
use tumble::{BodyDesc, Integrate, Method, World};

/// A chain that lies on the floor, a box on it: methods swap every half second and nothing is thrown or sinks.
#[test]
fn methods_swap_with_trees_in_the_world() {
    let mut world = sleepless();
    floor(&mut world);
    let mut desc = chain(6, 0.2, 1.57);
    for link in &mut desc.links {
        link.dofs[0].damping = 0.2;
    }
    let id = world.add_articulation(desc).unwrap();
    let box_ = BodyDesc::dynamic().position([1.0, 0.6, 0.0]).collider(Shape::cuboid(0.2, 0.2, 0.2).unwrap()).mass(3.0);
    let box_ = world.add_body(box_).unwrap();
    // Not for long: on the ridge of a capsule the box is balanced, not stable.
    for round in 0..6 {
        let mut method = if round % 2 == 0 { Method::simultaneous() } else { Method::soft_step() };
        method.switches.sleep = false;
        let before: Vec<f64> = world.articulation(id).unwrap().position().to_vec();
        world.set_method(method).unwrap();
        assert_eq!(world.articulation(id).unwrap().position(), before, "a swap converts nothing");
        let saved = world.snapshot().unwrap();
        run(&mut world, 0.5);
        world.audit().unwrap();
        let mut again = World::from_snapshot(&saved).unwrap();
        run(&mut again, 0.5);
        assert_eq!(again.hash(), world.hash());
        for body in world.articulation(id).unwrap().links().collect::<Vec<_>>() {
            let low = world.body(body).unwrap().colliders().next().unwrap();
            let low = f64::from(world.collider(low).unwrap().bounds().min.y);
            assert!(low > -0.02, "round {round}: {low}");
        }
    }
    let top = world.body(box_).unwrap().position().y;
    let speed = world.body(box_).unwrap().linear_velocity().length();
    assert!(top > 0.25 && top < 0.4 && speed < 0.01, "{top}, {speed}");
    let fastest = world.articulation(id).unwrap().velocity().iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    assert!(fastest < 0.01, "{fastest}");
}

/// By simultaneous impulses: momentum about the hinge of a rod that a ball hits is kept, and restitution is what was asked for.
#[test]
fn simultaneous_ball_bounces_off_a_hanging_rod() {
    let mut world = simultaneous();
    world.set_gravity(tumble::math::Vec3::ZERO).unwrap();
    let elastic = |s: Shape| tumble::ColliderDesc::new(s).restitution(0.8).friction(0.0);
    let bar = BodyDesc::dynamic().collider(elastic(Shape::cuboid(0.05, 0.5, 0.05).unwrap())).mass(3.0);
    let mut desc = ArticulationDesc::new();
    desc.add(LinkDesc::revolute(bar, [0.0, 0.0, 1.0]).anchor([0.0, 0.5, 0.0]));
    let id = world.add_articulation(desc).unwrap();
    let ball = BodyDesc::dynamic().position([-1.0, -0.8, 0.0]).linear_velocity([2.0, 0.0, 0.0]).mass(1.0);
    let ball = world.add_body(ball.collider(elastic(Shape::sphere(0.1).unwrap()))).unwrap();
    let inertia = world.articulation(id).unwrap().mass_matrix()[0];
    run(&mut world, 1.0);
    let (v, w) =
        (f64::from(world.body(ball).unwrap().linear_velocity().x), world.articulation(id).unwrap().velocity()[0]);
    // m v r + I ω = m v₀ r, and (ω r - v) = e v₀.
    let r = 0.8;
    let expected = (1.0 + 0.8) * 2.0 * r / (r * r + inertia);
    assert!((w - expected).abs() < 0.03 * expected, "{w} for {expected}");
    assert!((v * r + inertia * w - 2.0 * r).abs() < 0.02 * 2.0 * r, "{}", v * r + inertia * w);
}

/// A pendulum of unit rods, the first 45° below the horizontal, under explicit Euler at 1/60 s for 5 s. The answer is the time at
/// which some joint turns faster than 1000 rad/s, and the energy gained as a share of m g l of one rod.
fn long_pendulum(links: usize, damping: f64, method: Method) -> (Option<f64>, f64) {
    let mut world = World::with_method(method).unwrap();
    let mut desc = ArticulationDesc::new();
    let thin = tumble::shape::MassProperties {
        mass: 1.0,
        centre: tumble::math::Vec3::ZERO,
        inertia: tumble::math::Sym3::diagonal(tumble::math::Vec3::new(1.0 / 12.0, 1e-6, 1.0 / 12.0)),
    };
    for i in 0..links {
        let rod = BodyDesc::dynamic().mass_properties(thin);
        let link =
            LinkDesc::revolute(rod, [0.0, 0.0, 1.0]).anchor([0.0, 0.5, 0.0]).dof(0, Dof { damping, ..Dof::default() });
        desc.add(match i {
            0 => link.position(&[f64::PI / 4.0]),
            _ => link.parent(i - 1).at([0.0, -0.5, 0.0]),
        });
    }
    let id = world.add_articulation(desc).unwrap();
    let start = energy(&world, id);
    for step in 0..300 {
        world.step(DT).unwrap();
        let fastest = world.articulation(id).map(|t| t.velocity().iter().fold(0.0, |m: f64, v| m.max(v.abs())));
        if !fastest.is_ok_and(|f| f < 1e3) {
            return (Some(f64::from(step + 1) / 60.0), f64::INFINITY);
        }
    }
    (None, (energy(&world, id) - start) / (G * 0.5))
}

/// Table S8 of the seed: under explicit Euler pendulums of up to five links survive and gain energy, six blow up at 3.4 s and
/// eight at 1.8 s; damping of 0.5 saves all. The default method needs no damping. And S9: one link gains 0.525 m g l.
#[test]
fn long_pendulums_under_explicit_euler_are_as_the_seed_says() {
    let euler = || Method::ballistic(Integrate::ExplicitEuler);
    for links in [1, 2, 4, 5] {
        let (blown, gain) = long_pendulum(links, 0.0, euler());
        assert!(blown.is_none() && gain > 0.0, "{links} links: {blown:?}, {gain}");
        if links == 1 {
            assert!((gain - 0.525).abs() < 0.01, "{gain}");
        }
    }
    for (links, time) in [(6, 3.4), (8, 1.8)] {
        let (blown, _) = long_pendulum(links, 0.0, euler());
        assert!(blown.is_some_and(|t| (t - time).abs() < 0.15), "{links} links: {blown:?} for {time}");
    }
    for links in 1..=8 {
        assert!(long_pendulum(links, 0.5, euler()).0.is_none());
        let (blown, gain) = long_pendulum(links, 0.0, Method::default());
        assert!(blown.is_none() && gain.abs() < 1e-3 * (links * links) as f64, "{links} links: {gain}");
    }
}

/// Under forces alone by semi-implicit Euler, a rod swings with its period: of small angle, 2π √(I/(m g l)).
#[test]
fn ballistic_pendulum_has_its_period() {
    let mut world = World::with_method(Method::ballistic(Integrate::SemiImplicitEuler)).unwrap();
    let mut desc = ArticulationDesc::new();
    desc.add(LinkDesc::revolute(rod(), [0.0, 0.0, 1.0]).anchor([0.0, 0.25, 0.0]).position(&[0.05]));
    let id = world.add_articulation(desc).unwrap();
    let inertia = world.articulation(id).unwrap().mass_matrix()[0];
    let period = 2.0 * f64::PI * (inertia / (G * 0.25)).sqrt();
    let h: Real = 1.0 / 240.0;
    let (mut crossings, mut last, mut t) = (Vec::new(), 0.05, 0.0);
    while crossings.len() < 11 {
        world.step(h).unwrap();
        t += f64::from(h);
        let q = world.articulation(id).unwrap().position()[0];
        if (q > 0.0) != (last > 0.0) {
            crossings.push(t - f64::from(h) * q / (q - last));
        }
        last = q;
        assert!(t < 30.0);
    }
    let measured = (crossings[10] - crossings[0]) / 5.0;
    assert!((measured / period - 1.0).abs() < 2e-3, "{measured} for {period}");
}
