//! The method `simultaneous`: closed forms, stacks, conservation, sleep.

use crate::support::{Random, allocations, awake, named, real, scene};
use tumble::math::{Float, Point, Quat, Real, Vec3};
use tumble::method::{Correction, Explicit, FrictionModel, Lcp, Simultaneous, Solver, Step};
use tumble::shape::Shape;
use tumble::{BodyDesc, BodyId, BodyKind, ColliderDesc, Event, JointDesc, Material, Method, Softness, World};

const DT: Real = 1.0 / 60.0;
const G: f64 = 9.81;

/// The method with other choices, kept awake.
fn method(iterations: u32, correction: Correction, friction: FrictionModel) -> Method {
    let lcp = Lcp::ProjectedGaussSeidel { iterations, tolerance: 1e-5 };
    let step = Step::Explicit(Explicit { solve: Solver::Simultaneous(Simultaneous { lcp }), correction });
    awake(Method { step, friction, ..Method::simultaneous() })
}

/// A world with a floor of this material.
fn on_floor(method: Method, material: Material) -> World {
    let mut world = World::with_method(method).unwrap();
    let floor = ColliderDesc::new(Shape::half_space(Vec3::Y, 0.0).unwrap()).material(material);
    world.add_body(BodyDesc::fixed().collider(floor)).unwrap();
    world
}

fn rough(friction: f64) -> Material {
    Material { static_friction: real(friction), dynamic_friction: real(friction), ..Material::default() }
}

fn cube(half: f64) -> ColliderDesc {
    let half = real(half);
    ColliderDesc::new(Shape::cuboid(half, half, half).unwrap())
}

fn ball(radius: f64) -> ColliderDesc {
    ColliderDesc::new(Shape::sphere(real(radius)).unwrap())
}

fn run(world: &mut World, seconds: f64) {
    for _ in 0..(seconds * 60.0).round() as u32 {
        world.step(DT).unwrap();
    }
}

fn position(world: &World, id: BodyId) -> Point {
    world.body(id).unwrap().position()
}

fn velocity(world: &World, id: BodyId) -> Vec3<f64> {
    world.body(id).unwrap().centre_velocity().to_f64()
}

/// A box that is set down stays where it is, and one that falls stops at the floor, whatever friction acts on and however
/// positions are corrected. Overlap of up to the slop (1 mm) is left alone by design; without correction the first
/// touch may be that of a step's fall deeper.
#[test]
fn a_box_rests() {
    for friction in [FrictionModel::Point, FrictionModel::Manifold] {
        for correction in [Correction::SplitImpulse { share: 0.2 }, Correction::Baumgarte { share: 0.2 }] {
            for height in [0.0, 0.01, 0.5] {
                let mut world = on_floor(method(30, correction, friction), rough(0.5));
                let id =
                    world.add_body(BodyDesc::dynamic().position([0.0, 0.5 + height, 0.0]).collider(cube(0.5))).unwrap();
                run(&mut world, 3.0);
                let (y, v) = (position(&world, id).y - 0.5, velocity(&world, id).length());
                assert!(y.abs() < 1.5e-3 && v < 1e-3, "{friction:?} {correction:?} from {height}: {y} m, {v} m/s");
            }
        }
    }
}

/// Overlap is pushed out, to the slop and no faster than the tolerance says. Split impulses leave no velocity behind; Baumgarte's
/// does, and the box leaves the floor.
#[test]
fn overlap_is_pushed_out() {
    let rise = |correction: Correction| {
        let mut world = on_floor(method(30, correction, FrictionModel::Point), rough(0.5));
        let id = world.add_body(BodyDesc::dynamic().position([0.0, 0.3, 0.0]).collider(cube(0.5))).unwrap();
        let (mut fastest, mut highest) = (0.0_f64, 0.0_f64);
        let mut before = position(&world, id).y;
        for _ in 0..120 {
            world.step(DT).unwrap();
            let y = position(&world, id).y;
            fastest = fastest.max((y - before) / DT.to_f64());
            highest = highest.max(y - 0.5);
            before = y;
        }
        (before - 0.5, fastest, highest)
    };
    let limit = (G * 1.0).sqrt();
    let (end, fastest, highest) = rise(Correction::SplitImpulse { share: 0.2 });
    assert!((-0.0015..=0.0).contains(&end) && fastest <= limit * 1.001 && highest <= 1e-4, "{end} {fastest} {highest}");
    let (end, fastest, highest) = rise(Correction::Baumgarte { share: 0.2 });
    assert!(end.abs() < 0.0015 && fastest <= limit * 1.001 && highest > 1e-4, "{end} {fastest} {highest}");
    let (end, ..) = rise(Correction::None);
    assert!((end + 0.2).abs() < 1e-4, "without correction it stays where it is: {end}");
}

/// A column of ten cubes, placed exactly and with errors of a millimetre, stands for 20 s without sleep.
#[test]
fn a_column_stands() {
    for error in [0.0, 1e-3] {
        let mut world = scene("box-stack", &[("boxes", 10.0), ("mass", 1000.0)], awake(Method::simultaneous()));
        let mut random = Random(7);
        let mut places = Vec::new();
        for id in named(&world, "box-", 10) {
            let off = Point::new(random.between(-1.0, 1.0), 0.0, random.between(-1.0, 1.0)) * error;
            let at = position(&world, id) + off;
            world.body_mut(id).unwrap().set_position(at).unwrap();
            places.push((id, at));
        }
        let (mut drift, mut tilt) = (0.0_f64, 0.0_f64);
        for _ in 0..1200 {
            world.step(DT).unwrap();
            for &(id, start) in &places {
                let d = position(&world, id) - start;
                drift = drift.max((d.x * d.x + d.z * d.z).sqrt());
                assert!(d.y.abs() < 0.02, "sank by {}", d.y);
                let up = world.body(id).unwrap().rotation().to_f64().rotate(Vec3::Y);
                tilt = tilt.max(up.y.min(1.0).acos().to_degrees());
            }
        }
        println!("column, error {error}: drift {drift:.5}, tilt {tilt:.4}");
        assert!(drift < 0.1 && tilt < 1.0, "drift {drift}, tilt {tilt}");
    }
}

/// A box on a slope of 20 degrees, lying askew, and the slope running in a direction that no tangent favours: with μ > 1.02 tan a
/// it sticks (creep under 1 mm in 10 s), with μ < 0.98 tan a it slides at g (sin a - μ cos a) within 2 %.
#[test]
fn friction_on_a_slope() {
    let angle = 20.0_f64.to_radians();
    let slope = Quat::from_axis_angle(Vec3::new(0.3, 0.0, 1.0).normalize_or(Vec3::X), real(angle));
    for friction in [FrictionModel::Point, FrictionModel::Manifold] {
        for share in [1.03, 1.5, 0.97, 0.5, 0.0] {
            let mu = share * angle.tan();
            let mut world = World::with_method(method(50, Correction::SplitImpulse { share: 0.2 }, friction)).unwrap();
            let floor = ColliderDesc::new(Shape::half_space(slope.rotate(Vec3::Y), 0.0).unwrap()).material(rough(mu));
            world.add_body(BodyDesc::fixed().collider(floor)).unwrap();
            let askew = slope * Quat::from_axis_angle(Vec3::Y, 0.4);
            let at = slope.to_f64().rotate(Vec3::new(0.0, 0.5, 0.0));
            let block = BodyDesc::dynamic().position(at).rotation(askew).collider(cube(0.5).material(rough(mu)));
            let id = world.add_body(block).unwrap();
            run(&mut world, 0.5);
            let (p, v) = (position(&world, id), velocity(&world, id));
            if share > 1.0 {
                run(&mut world, 10.0);
                let creep = (position(&world, id) - p).length();
                assert!(creep < 1e-3, "{friction:?}, {share} tan a: crept {creep} m");
            } else {
                run(&mut world, 1.0);
                let a = (velocity(&world, id) - v).length();
                let exact = G * (angle.sin() - mu * angle.cos());
                assert!((a / exact - 1.0).abs() < 0.02, "{friction:?}, {share} tan a: {a} against {exact}");
            }
        }
    }
}

/// Static friction above the dynamic one holds what is at rest, and not what slides: a block on a level floor, pulled with a force between the
/// two, stays; once it slides, it is accelerated by (F - μ_d m g)/m.
#[test]
fn static_and_dynamic_friction_differ() {
    let material = Material { static_friction: 0.6, dynamic_friction: 0.3, ..Material::default() };
    let mut world = on_floor(awake(Method::simultaneous()), material.clone());
    let block = BodyDesc::dynamic().mass(2.0).position([0.0, 0.5, 0.0]).collider(cube(0.5).material(material));
    let id = world.add_body(block).unwrap();
    run(&mut world, 0.5);
    world.body_mut(id).unwrap().set_force([real(0.45 * 2.0 * G), 0.0, 0.0]).unwrap();
    run(&mut world, 1.0);
    assert!(velocity(&world, id).length() < 1e-3, "it holds: {:?}", velocity(&world, id));
    world.body_mut(id).unwrap().set_linear_velocity([0.5, 0.0, 0.0]).unwrap();
    run(&mut world, 1.0);
    let v = velocity(&world, id).x;
    assert!((v - (0.5 + 0.15 * G)).abs() < 0.02 * (0.5 + 0.15 * G), "it slides: {v}");
}

/// A ball rolls down a slope at 5/7 g sin a. With rolling friction of lever c it loses 5/7 c g/R on a level floor. Spinning about the vertical
/// with lever c it loses c m g/I = 5/2 c g/R² rad/s².
#[test]
fn balls_roll_and_spin() {
    let angle = 10.0_f64.to_radians();
    let slope = Quat::from_axis_angle(Vec3::Z, real(-angle));
    let mut world = World::with_method(awake(Method::simultaneous())).unwrap();
    let floor = ColliderDesc::new(Shape::half_space(slope.rotate(Vec3::Y), 0.0).unwrap()).material(rough(0.5));
    world.add_body(BodyDesc::fixed().collider(floor)).unwrap();
    let at = slope.to_f64().rotate(Vec3::new(0.0, 0.5, 0.0));
    let id = world.add_body(BodyDesc::dynamic().position(at).collider(ball(0.5).material(rough(0.5)))).unwrap();
    run(&mut world, 2.0);
    let (v, exact) = (velocity(&world, id).length(), 2.0 * 5.0 / 7.0 * G * angle.sin());
    assert!((v / exact - 1.0).abs() < 0.02, "{v} against {exact}");

    let material = Material { rolling_friction: 0.02, spinning_friction: 0.01, ..rough(0.5) };
    let mut world = on_floor(awake(Method::simultaneous()), material.clone());
    let rolling = BodyDesc::dynamic().position([0.0, 0.5, 0.0]).collider(ball(0.5).material(material.clone()));
    let rolling = world.add_body(rolling.linear_velocity([2.0, 0.0, 0.0]).angular_velocity([0.0, 0.0, -4.0])).unwrap();
    let spinning = BodyDesc::dynamic().position([0.0, 0.5, 5.0]).collider(ball(0.5).material(material));
    let spinning = world.add_body(spinning.angular_velocity([0.0, 10.0, 0.0])).unwrap();
    run(&mut world, 1.0);
    let (v, exact) = (velocity(&world, rolling).x, 2.0 - 5.0 / 7.0 * 0.02 * G / 0.5);
    assert!((v - exact).abs() < 0.02 * (2.0 - exact), "rolling: {v} against {exact}");
    let (w, exact) = (world.body(spinning).unwrap().angular_velocity().y.to_f64(), 10.0 - 2.5 * 0.01 * G / 0.25);
    assert!((w - exact).abs() < 0.02 * (10.0 - exact), "spinning: {w} against {exact}");
    run(&mut world, 20.0);
    for id in [rolling, spinning] {
        let body = world.body(id).unwrap();
        let rest = body.centre_velocity().length() + body.angular_velocity().length();
        assert!(rest < 1e-3, "it comes to rest: {rest}");
    }
}

/// A spinning disc is slowed by the friction of its whole rim: with four points at the corners of a flat box of half edge s, each at the
/// distance r = s √2 and bearing m g/4, the torque is μ m g r.
#[test]
fn friction_at_points_stops_spin() {
    for friction in [FrictionModel::Point, FrictionModel::Manifold] {
        let mut world = on_floor(method(50, Correction::SplitImpulse { share: 0.2 }, friction), rough(0.4));
        let plate = ColliderDesc::new(Shape::cuboid(0.5, 0.05, 0.5).unwrap()).material(rough(0.4));
        let plate = BodyDesc::dynamic().position([0.0, 0.05, 0.0]).collider(plate).angular_velocity([0.0, 6.0, 0.0]);
        let id = world.add_body(plate).unwrap();
        let (inertia, mass) = (world.body(id).unwrap().inertia().yy, world.body(id).unwrap().mass());
        run(&mut world, 0.2);
        let w = world.body(id).unwrap().angular_velocity().y.to_f64();
        let exact = 6.0 - 0.2 * 0.4 * mass * G * 0.5_f64.sqrt() / inertia;
        assert!((w - exact).abs() < 0.02 * (6.0 - exact), "{friction:?}: {w} against {exact}");
    }
}

/// Dropped from 2 m, a ball leaves the floor at e times the speed it came with, and a flat box with all four corners at once; the apex is e² h
/// within 5 % for e of 0.5 and more. (The speed is that at the end of the step in which it hits. The height of the drop is such that a
/// step ends at the floor: what a step of 0.1 m may miss is the business of continuous detection.)
#[test]
fn restitution() {
    for collider in [ball(0.5), cube(0.5)] {
        for e in [0.0, 0.2, 0.5, 0.8, 1.0] {
            let material = Material { restitution: real(e), ..rough(0.3) };
            let mut world = on_floor(awake(Method::simultaneous()), material.clone());
            // Semi-implicit Euler falls g dt² n (n + 1)/2 in n steps: 38 of them here.
            let h = G * DT.to_f64() * DT.to_f64() * 38.0 * 39.0 / 2.0;
            let body = BodyDesc::dynamic().position([0.0, 0.5 + h, 0.0]).collider(collider.clone().material(material));
            let id = world.add_body(body).unwrap();
            let mut before = 0.0;
            while velocity(&world, id).y < before || before == 0.0 {
                before = velocity(&world, id).y;
                world.step(DT).unwrap();
                assert!(world.steps() < 60, "it never hit");
            }
            let after = velocity(&world, id).y;
            before -= G * DT.to_f64();
            assert!((after + e * before).abs() < 1e-4 * before.abs(), "e = {e}: {before} became {after}");
            if e < 0.5 {
                continue;
            }
            let mut apex = 0.0_f64;
            for _ in 0..80 {
                world.step(DT).unwrap();
                apex = apex.max(position(&world, id).y - 0.5);
            }
            assert!((apex / (e * e * h) - 1.0).abs() < 0.05, "e = {e}: apex {apex} of {h}");
        }
    }
}

/// The slip of a ball that hits a wall is turned round where friction suffices: a superball. J·t: the slip at the point of contact
/// after the impact is -e_t of what it was.
#[test]
fn tangential_restitution() {
    for e in [0.0, 0.5, 1.0] {
        let material = Material { restitution: 1.0, tangential_restitution: real(e), ..rough(1.0) };
        let mut world = on_floor(awake(Method::simultaneous()), material.clone());
        world.set_gravity(Vec3::ZERO).unwrap();
        let body = BodyDesc::dynamic().position([0.0, 0.5, 0.0]).collider(ball(0.5).material(material));
        let id = world.add_body(body.linear_velocity([1.0, -4.0, 0.0]).angular_velocity([0.0, 0.0, 2.0])).unwrap();
        let slip = |world: &World| {
            let body = world.body(id).unwrap();
            (body.centre_velocity() + body.angular_velocity().cross(Vec3::new(0.0, -0.5, 0.0))).x.to_f64()
        };
        let before = slip(&world);
        run(&mut world, 0.1);
        assert!((velocity(&world, id).y - 4.0).abs() < 1e-3);
        assert!((slip(&world) + e * before).abs() < 1e-3, "e_t = {e}: {before} became {}", slip(&world));
    }
}

/// A belt carries what lies on it: from rest it is accelerated at μ g, to the speed of the belt and not beyond.
#[test]
fn conveyors() {
    let belt = Material { surface_velocity: Vec3::new(2.0, 0.0, 1.0), ..rough(0.5) };
    for friction in [FrictionModel::Point, FrictionModel::Manifold] {
        let mut world = on_floor(method(30, Correction::SplitImpulse { share: 0.2 }, friction), belt.clone());
        let block = BodyDesc::dynamic().position([0.0, 0.25, 0.0]).collider(cube(0.25).material(rough(0.5)));
        let id = world.add_body(block).unwrap();
        run(&mut world, 0.25);
        let v = velocity(&world, id).length();
        assert!((v / (0.25 * 0.5 * G) - 1.0).abs() < 0.05, "{friction:?}: {v}");
        run(&mut world, 1.0);
        let v = velocity(&world, id);
        assert!((v - Vec3::new(2.0, 0.0, 1.0)).length() < 1e-3, "{friction:?}: {v:?}");
    }
}

/// A soft surface gives way: the spring of frequency f under the mass m sinks by g/(2πf)² for a body on one point, besides the slop.
#[test]
fn soft_contacts_sink() {
    let hertz = 4.0;
    let soft = Material { softness: Some(Softness { hertz, damping_ratio: 0.5 }), ..rough(0.5) };
    let mut world = on_floor(awake(Method::simultaneous()), soft);
    let id = world.add_body(BodyDesc::dynamic().position([0.0, 0.5, 0.0]).collider(ball(0.5))).unwrap();
    run(&mut world, 5.0);
    let omega = 2.0 * std::f64::consts::PI * hertz.to_f64();
    let (sunk, exact) = (0.5 - position(&world, id).y, G / (omega * omega) + 0.001);
    assert!((sunk / exact - 1.0).abs() < 0.01, "{sunk} against {exact}");
}

/// Bodies that collide in empty space keep momentum to rounding, and what they lose of their energy they do not get back. Angular momentum
/// suffers from what moves poses and not velocities: split impulses, and restitution, which acts after the poses have moved. In this
/// crowd that is 0.01 % and 0.1 %.
#[test]
fn momentum_is_kept() {
    for restitution in [0.0, 0.5] {
        let mut random = Random(3);
        let mut world = World::with_method(awake(Method::simultaneous())).unwrap();
        world.set_gravity(Vec3::ZERO).unwrap();
        let material = Material { restitution: real(restitution), ..rough(0.4) };
        for i in 0..27 {
            let place = Point::new(f64::from(i % 3), f64::from(i / 3 % 3), f64::from(i / 9));
            let at = place * 1.6 - Point::new(1.6, 1.6, 1.6);
            let collider = if i % 2 == 0 { cube(0.5) } else { ball(0.5) }.material(material.clone());
            let body = BodyDesc::dynamic().position(at).rotation(random.rotation()).collider(collider);
            let inwards = (at * -1.0).to_real() + random.vector(1.0);
            world.add_body(body.linear_velocity(inwards).angular_velocity(random.vector(2.0))).unwrap();
        }
        let start = world.measure();
        let scale = (2.0 * start.mass * start.kinetic).sqrt();
        // Half a unit in the last place for each of the impulses that a body gets, some thousand, as random signs add up.
        let rounding = 100.0 * Real::EPSILON.to_f64();
        let (mut touched, mut energy) = (0, start.kinetic);
        for _ in 0..300 {
            world.step(DT).unwrap();
            touched = touched.max(world.profile().contacts);
            let now = world.measure();
            let drift = (now.momentum - start.momentum).length() / scale;
            assert!(drift < rounding, "momentum drifts by {drift:e}");
            let turn = (now.angular_momentum - start.angular_momentum).length() / scale;
            let bound = if restitution > 0.0 { 2e-3 } else { 1e-3 };
            assert!(turn < bound, "restitution {restitution}: angular momentum drifts by {turn:e}");
            assert!(now.kinetic <= energy * (1.0 + 1e-3), "energy grew from {energy} to {}", now.kinetic);
            energy = energy.min(now.kinetic);
        }
        assert!(touched > 10 && energy < 0.9 * start.kinetic, "they met: {touched} contacts, {energy} J");
    }
}

/// A pile falls asleep under this method too, wakes when it is touched, and sleeps again; it lies still while it sleeps.
#[test]
fn piles_sleep_and_wake() {
    let mut world = on_floor(Method::simultaneous(), rough(0.5));
    let mut ids = Vec::new();
    for i in 0..9 {
        let at = [1.1 * f64::from(i % 3), 0.5 + 1.05 * f64::from(i / 3), 0.0];
        ids.push(world.add_body(BodyDesc::dynamic().position(at).collider(cube(0.5))).unwrap());
    }
    run(&mut world, 8.0);
    assert_eq!(world.awake_count(), 0, "all asleep");
    let places: Vec<Point> = ids.iter().map(|&id| position(&world, id)).collect();
    run(&mut world, 1.0);
    assert!(ids.iter().zip(&places).all(|(&id, &p)| position(&world, id) == p));
    world.body_mut(ids[8]).unwrap().set_linear_velocity([0.0, 1.0, 0.0]).unwrap();
    world.step(DT).unwrap();
    assert_eq!(world.awake_count(), 3, "its column is awake, and no other");
    run(&mut world, 8.0);
    assert_eq!(world.awake_count(), 0, "all asleep again");
}

/// A fast impact is reported with its speed, its place and its direction.
#[test]
fn impacts_are_reported() {
    let mut world = on_floor(awake(Method::simultaneous()), Material::default());
    let collider = ball(0.5).impact_speed(2.0);
    world.add_body(BodyDesc::dynamic().position([1.0, 1.5, 0.0]).collider(collider)).unwrap();
    let mut impacts = Vec::new();
    for _ in 0..120 {
        world.step(DT).unwrap();
        for event in world.events() {
            if let Event::Impact { speed, normal, point, .. } = event {
                impacts.push((*speed, *normal, *point));
            }
        }
    }
    let [(speed, normal, point)] = impacts[..] else { panic!("{impacts:?}") };
    // √(2 g h) = 4.43 m/s at the floor; up to a step earlier or later.
    assert!((speed.to_f64() - 4.43).abs() < 0.2, "{speed}");
    assert!(normal.y.abs() > 0.999 && (point - Point::new(1.0, 0.0, 0.0)).length() < 0.1, "{normal:?} {point:?}");
}

/// Random bodies thrown together.
pub fn random_pile(seed: u64, count: usize, method: Method) -> World {
    let mut random = Random(seed);
    let mut world = World::with_method(method).unwrap();
    world.add_body(BodyDesc::fixed().collider(Shape::half_space(Vec3::Y, 0.0).unwrap())).unwrap();
    for i in 0..count {
        let r = || real(0.2 + 0.3 * (i as f64 * 0.37).fract());
        let shape = match random.below(4) {
            0 => Shape::sphere(r()),
            1 => Shape::cuboid(r(), r() * 0.5, r()),
            2 => Shape::capsule(r() * 0.5, r()),
            _ => Shape::cylinder(r() * 0.5, r()),
        }
        .unwrap();
        let at = [random.between(-0.5, 0.5), 0.7 + 0.8 * i as f64, random.between(-0.5, 0.5)];
        let material = Material {
            restitution: real(random.between(0.0, 0.6)),
            rolling_friction: real(random.between(0.0, 0.02)),
            ..rough(random.between(0.2, 1.0))
        };
        let collider = ColliderDesc::new(shape).material(material);
        let body = BodyDesc::dynamic().position(at).rotation(random.rotation()).collider(collider);
        world.add_body(body.linear_velocity(random.vector(1.0)).angular_velocity(random.vector(3.0))).unwrap();
    }
    world
}

/// Random small piles stay finite and above the floor, and gain no energy; two runs are the same to the bit.
#[test]
fn random_piles_settle() {
    for seed in 0..12 {
        let mut world = random_pile(seed, 12, Method::simultaneous());
        let mut twin = world.clone();
        let start = world.measure().energy();
        for _ in 0..480 {
            world.step(DT).unwrap();
            twin.step(DT).unwrap();
            let energy = world.measure().energy();
            assert!(energy < 1.005 * start, "seed {seed}: energy grew from {start} to {energy}");
        }
        assert_eq!(world.hash(), twin.hash(), "seed {seed}");
        for id in world.body_ids().filter(|&id| world.body(id).unwrap().kind() == BodyKind::Dynamic) {
            let p = position(&world, id);
            assert!(p.is_finite() && p.y > 0.0, "seed {seed}: {p:?}");
        }
        let kinetic = world.measure().kinetic;
        // Balls may still roll.
        assert!(kinetic < 0.1 * start, "seed {seed}: {kinetic} of {start} J left");
    }
}

/// A free body tumbles as it does without constraints: the same exact rotation, the same bits.
#[test]
fn free_bodies_fly_as_without_constraints() {
    let fly = |method: Method| {
        let mut world = World::with_method(method).unwrap();
        let shape = ColliderDesc::new(Shape::cuboid(0.5, 0.2, 0.1).unwrap());
        let body = BodyDesc::dynamic().collider(shape).angular_velocity([0.1, 6.0, 0.2]);
        let id = world.add_body(body.linear_velocity([1.0, 5.0, 0.0])).unwrap();
        run(&mut world, 3.0);
        (world.body(id).unwrap().pose(), world.body(id).unwrap().angular_velocity())
    };
    assert_eq!(fly(awake(Method::simultaneous())), fly(Method::named("ballistic").unwrap()));
}

/// Once warm, a step allocates nothing.
#[test]
fn warm_steps_do_not_allocate() {
    let mut world = random_pile(1, 12, awake(Method::simultaneous()));
    world.set_keep_start(false);
    run(&mut world, 4.0);
    let before = allocations();
    // Contacts come and go while a pile settles; a list may grow once in a while, not in each step.
    run(&mut world, 1.0);
    assert!(allocations() - before < 10, "{} allocations", allocations() - before);
}

/// A pendulum on a ball joint swings with the period of the physical pendulum, 2π √((I + m l²)/(m g l)) for small angles, and keeps its length to
/// what a step of the arc differs from its tangent.
#[test]
fn a_pendulum_swings() {
    let mut world = World::with_method(awake(Method::simultaneous())).unwrap();
    let bob = BodyDesc::dynamic().position([0.1, -1.0, 0.0]).collider(ball(0.1));
    let id = world.add_body(bob).unwrap();
    world.add_joint(JointDesc::ball(World::BODY, id).anchor([0.0, 0.0, 0.0])).unwrap();
    let length = 1.01_f64.sqrt();
    let (mut crossings, mut before) = (Vec::new(), 0.1);
    for step in 1..=600 {
        world.step(DT).unwrap();
        let p = position(&world, id);
        assert!((p.length() - length).abs() < 2e-3, "step {step}: length {}", p.length());
        if before < 0.0 && p.x >= 0.0 {
            crossings.push((f64::from(step) - p.x / (p.x - before)) * DT.to_f64());
        }
        before = p.x;
    }
    let period = (crossings.last().unwrap() - crossings[0]) / (crossings.len() - 1) as f64;
    let exact = 2.0 * std::f64::consts::PI * ((length * length + 0.4 * 0.01) / (G * length)).sqrt();
    assert!((period / exact - 1.0).abs() < 0.01, "period {period} against {exact}");
}

/// A chain of ten boxes hangs: it carries itself without coming apart by more than 1 % of a link, lets go of nobody, and falls asleep; a joint that bears
/// more than it can breaks, and the load of the others is their weight.
#[test]
fn a_chain_hangs_and_breaks() {
    let mut world = World::with_method(Method::simultaneous()).unwrap();
    let (mut last, mut joints, mut links) = (World::BODY, Vec::new(), Vec::new());
    for i in 0..10 {
        let y = -0.2 - 0.4 * f64::from(i);
        let link = BodyDesc::dynamic().mass(2.0).position([0.0, y, 0.0]).collider(cube(0.1));
        let link = world.add_body(link).unwrap();
        joints.push(world.add_joint(JointDesc::ball(last, link).anchor([0.0, y + 0.2, 0.0])).unwrap());
        links.push(link);
        last = link;
    }
    run(&mut world, 3.0);
    for (i, &link) in links.iter().enumerate() {
        let sunk = -0.2 - 0.4 * i as f64 - position(&world, link).y;
        assert!(sunk.abs() < 0.004, "link {i} sank by {sunk}");
    }
    for (i, &joint) in joints.iter().enumerate() {
        let force = world.joint(joint).unwrap().force().length().to_f64();
        let weight = 2.0 * G * (10 - i) as f64;
        assert!((force / weight - 1.0).abs() < 0.01, "joint {i} bears {force}, the weight below is {weight}");
    }
    let mut world = World::with_method(awake(Method::simultaneous())).unwrap();
    let body = world.add_body(BodyDesc::dynamic().mass(2.0).collider(cube(0.1))).unwrap();
    let desc = JointDesc::ball(World::BODY, body).anchor([0.0, 0.2, 0.0]).breaks_at(10.0, Real::INFINITY);
    let joint = world.add_joint(desc).unwrap();
    run(&mut world, 0.5);
    assert!(world.joint(joint).unwrap().is_broken() && position(&world, body).y < -0.5);
}

/// What the manual says of balls that touch: a ball that hits a row of four bounces back from it as from one body of four times its mass. With
/// gaps, the impacts follow each other, and the last ball alone moves off.
#[test]
fn touching_balls() {
    let hit = |gap: f64| {
        let mut world = World::with_method(awake(Method::simultaneous())).unwrap();
        world.set_gravity(Vec3::ZERO).unwrap();
        let material = Material { restitution: 1.0, ..rough(0.0) };
        let mut ids = Vec::new();
        for i in 0..5 {
            let x = (1.0 + gap) * f64::from(i) - if i == 0 { 0.5 } else { 0.0 };
            let body = BodyDesc::dynamic().position([x, 0.0, 0.0]).collider(ball(0.5).material(material.clone()));
            let v = if i == 0 { 5.0 } else { 0.0 };
            ids.push(world.add_body(body.linear_velocity([v, 0.0, 0.0])).unwrap());
        }
        run(&mut world, 1.0);
        ids.iter().map(|&id| velocity(&world, id).x).collect::<Vec<_>>()
    };
    for (gap, exact) in [(0.0, [-3.0, 2.0, 2.0, 2.0, 2.0]), (0.15, [0.0, 0.0, 0.0, 0.0, 5.0])] {
        let end = hit(gap);
        assert!(end.iter().zip(exact).all(|(v, w)| (v - w).abs() < 0.01), "gap {gap}: {end:?}");
    }
}

/// A ball hits a second one, which a third is just leaving. Newton's law would throw the second after the third, stop it there, and have up to 7 % more
/// energy than there was (at 0.5 m/s; 1.6 % at 0.1 m/s). None is won, none is lost where e = 1, and the first two part.
#[test]
fn blow_onto_what_is_left_wins_no_energy() {
    for leaving in [0.1, 0.5, 1.5] {
        let mut world = World::with_method(awake(Method::simultaneous())).unwrap();
        world.set_gravity(Vec3::ZERO).unwrap();
        let material = Material { restitution: 1.0, ..rough(0.0) };
        let speeds = [4.0, 0.0, leaving];
        let balls = [0, 1, 2].map(|i| {
            let body =
                BodyDesc::dynamic().position([f64::from(i), 0.0, 0.0]).collider(ball(0.5).material(material.clone()));
            world.add_body(body.linear_velocity([real(speeds[i as usize]), 0.0, 0.0])).unwrap()
        });
        let before = world.measure();
        world.step(DT).unwrap();
        let after = world.measure();
        let won = after.kinetic / before.kinetic - 1.0;
        let [a, b, c] = balls.map(|id| velocity(&world, id).x);
        assert!(won.abs() < 1e-5, "leaving at {leaving} m/s: {won:e} of the energy, {a} {b} {c}");
        assert!((after.momentum - before.momentum).length() < 1e-5 * before.momentum.length());
        assert!(b - a > 2.0 && c - b > -1e-3, "leaving at {leaving} m/s: {a} {b} {c}");
    }
}

/// A soft ball that bounces comes back as fast as it came, wherever in a step it meets the floor: the gap that it may still close is nothing won.
#[test]
fn soft_balls_bounce_wherever_in_a_step_they_land() {
    let softness = Some(Softness { hertz: 20.0, damping_ratio: 0.1 });
    let material = Material { restitution: 1.0, softness, ..rough(0.0) };
    for (speed, part) in [2.0, 4.0].into_iter().flat_map(|v| (0..8).map(move |i| (v, f64::from(i) / 8.0))) {
        let mut world = on_floor(awake(Method::simultaneous()), material.clone());
        world.set_gravity(Vec3::ZERO).unwrap();
        let at = [0.0, 0.5 + speed * (5.0 + part) / 60.0, 0.0];
        let body = BodyDesc::dynamic().position(at).linear_velocity(Vec3::new(0.0, real(-speed), 0.0));
        let id = world.add_body(body.collider(ball(0.5).material(material.clone()))).unwrap();
        run(&mut world, 1.0);
        let back = f64::from(world.body(id).unwrap().linear_velocity().y) / speed;
        assert!((back - 1.0).abs() < 0.02, "{speed} m/s, {part} of a step away: {back} of the speed");
    }
}

/// A body in the middle of a column whose state stops being finite is taken out, where it last was, and nothing that touches it is; the rest
/// goes on, and so does the body once it is made active again.
#[test]
fn quarantine_takes_one_body_out() {
    quarantine(awake(Method::simultaneous()));
    let mut default = Method::soft_step();
    default.switches.sleep = false;
    quarantine(default);
}

fn quarantine(method: Method) {
    let mut world = on_floor(method, Material::default());
    let cube = || ColliderDesc::new(Shape::cuboid(0.5, 0.5, 0.5).unwrap());
    let boxes: Vec<BodyId> = (0..3)
        .map(|i| world.add_body(BodyDesc::dynamic().position([0.0, 0.5 + f64::from(i), 0.0]).collider(cube())).unwrap())
        .collect();
    for _ in 0..10 {
        world.step(DT).unwrap();
    }
    let before = position(&world, boxes[1]);
    // The largest force there is on a body of a ton is a number, and so is its acceleration; twice as much is not.
    let push = Vec3::X * Real::MAX;
    world.body_mut(boxes[1]).unwrap().set_force(push).unwrap();
    world.body_mut(boxes[1]).unwrap().apply_force(push).unwrap();
    let mut taken = Vec::new();
    for _ in 0..60 {
        world.step(DT).unwrap();
        taken.extend(world.events().iter().filter_map(|e| match e {
            Event::Quarantined { body } => Some(*body),
            _ => None,
        }));
    }
    assert_eq!(taken, [boxes[1]]);
    assert!(!world.body(boxes[1]).unwrap().is_active());
    assert!((position(&world, boxes[1]) - before).length() < 1e-3, "it stays where it was");
    world.audit().unwrap();
    // The one above falls through it, onto the one below.
    let (low, high) = (position(&world, boxes[0]), position(&world, boxes[2]));
    assert!((low.y - 0.5).abs() < 0.01 && (high.y - 1.5).abs() < 0.05, "{low:?} {high:?}");
    let mut body = world.body_mut(boxes[1]).unwrap();
    body.set_force(Vec3::ZERO).unwrap();
    body.set_position([5.0, 2.0, 0.0]).unwrap();
    body.set_active(true);
    for _ in 0..90 {
        world.step(DT).unwrap();
    }
    assert!((position(&world, boxes[1]).y - 0.5).abs() < 0.01);
}
