//! Newton's law of impact: what comes back, how high it rises, and rows of balls.

use crate::support::{Random, awake, named, real, scene};
use tumble::articulation::{ArticulationDesc, LinkDesc};
use tumble::constraint::joint::Slider;
use tumble::constraint::{Axis, Limit};
use tumble::math::{Float, Real, Vec3};
use tumble::shape::Shape;
use tumble::{BodyDesc, BodyId, ColliderDesc, JointDesc, Material, Method, World};

const G: f64 = 9.81;
const DT: f64 = 1.0 / 60.0;

fn material(friction: f64, restitution: f64) -> Material {
    Material::default().with_friction(real(friction)).with_restitution(real(restitution))
}

fn floor(world: &mut World, material: &Material) {
    let floor = Shape::half_space(Vec3::Y, 0.0).unwrap();
    world.add_body(BodyDesc::fixed().collider(ColliderDesc::new(floor).material(material.clone()))).unwrap();
}

/// What a first bounce looked like: the speed after it, and the apex that follows.
#[derive(Debug)]
struct Bounce {
    speed: f64,
    apex: f64,
}

/// Drops a body from a clear height `h` and watches it until it comes down again. `low` is the height of its origin where it
/// touches.
fn drop(shape: Shape, low: f64, h: f64, material: &Material) -> Bounce {
    let mut world = World::new();
    floor(&mut world, material);
    let desc = BodyDesc::dynamic().position([0.0, low + h, 0.0]);
    let id = world.add_body(desc.collider(ColliderDesc::new(shape).material(material.clone()))).unwrap();
    while world.body(id).unwrap().linear_velocity().y <= 0.0 {
        world.step(real(DT)).unwrap();
        assert!(world.time() < 10.0, "it never bounced");
    }
    // Since the moment of the impact it has slowed down.
    let since = world.time() - (2.0 * h / G).sqrt();
    let speed = world.body(id).unwrap().linear_velocity().y.to_f64() + G * since;
    let mut apex: f64 = 0.0;
    while world.body(id).unwrap().linear_velocity().y > 0.0 && world.time() < 10.0 {
        world.step(real(DT)).unwrap();
        apex = apex.max(world.body(id).unwrap().position().y - low);
    }
    Bounce { speed, apex }
}

/// Sliders that have nothing to do with each other, one of which meets its stop some steps before the other: each bounces as it does alone.
#[test]
fn bounce_elsewhere_takes_nothing() {
    for method in [Method::soft_step(), Method::simultaneous()] {
        let after = |ways: &[f64]| {
            let mut world = World::with_method(method.clone()).unwrap();
            world.set_gravity(Vec3::ZERO).unwrap();
            let mut slide = |(i, &way): (usize, &f64)| {
                let at = [0.0, 2.0 * i as f64, 0.0];
                let ball = BodyDesc::dynamic().position(at).mass(1.0).linear_velocity([real(3.0), 0.0, 0.0]);
                let ball = world.add_body(ball.collider(Shape::sphere(real(0.2)).unwrap())).unwrap();
                let stop = Limit::new(real(-10.0), real(way)).restitution(real(0.3));
                let slider = Slider { slide: Axis::FREE.limit(stop) };
                world.add_joint(JointDesc::new(World::BODY, ball, slider).anchor(at).axis(Vec3::X)).unwrap();
                ball
            };
            let balls: Vec<BodyId> = ways.iter().enumerate().map(&mut slide).collect();
            for _ in 0..20 {
                world.step(real(DT)).unwrap();
            }
            world.body(balls[0]).unwrap().linear_velocity().x.to_f64()
        };
        let alone = after(&[0.6]);
        assert!((alone + 0.9).abs() < 0.01, "{}: {alone}", method.name);
        for i in 0..24 {
            let way = 0.35 + 0.02 * f64::from(i);
            let beside = after(&[0.6, way]);
            assert!((beside - alone).abs() < 1e-3, "{}, {way} m: {beside} for {alone}", method.name);
        }
    }
}

/// Balls, boxes that fall flat and cylinders that fall on their base, from heights about 2 m, so that the impact comes at all
/// moments of a step: e v comes back within 2 %, and the apex is e² h within 5 % where e is a half and more.
#[test]
fn restitution_returns_its_share() {
    let mut worst = (0.0, 0.0);
    for e in [0.2, 0.5, 0.8, 1.0] {
        let material = material(0.5, e);
        for i in 0..24 {
            let h = 2.0 + 0.005 * f64::from(i);
            let (name, shape, low) = match i % 3 {
                0 => ("ball", Shape::sphere(0.2).unwrap(), 0.2),
                1 => ("box", Shape::cuboid(0.3, 0.2, 0.1).unwrap(), 0.2),
                _ => ("cylinder", Shape::cylinder(0.2, 0.15).unwrap(), 0.2),
            };
            let bounce = drop(shape, low, h, &material);
            let (speed, apex) = (bounce.speed / (e * (2.0 * G * h).sqrt()) - 1.0, bounce.apex / (e * e * h) - 1.0);
            if i < 3 {
                println!("{name} from {h:.3} m, e = {e}: speed {speed:+.4}, apex {apex:+.4}");
            }
            worst = (f64::max(worst.0, speed.abs()), if e >= 0.5 { f64::max(worst.1, apex.abs()) } else { worst.1 });
        }
    }
    println!("worst: speed {:.4}, apex {:.4}", worst.0, worst.1);
    assert!(worst.0 < 0.02 && worst.1 < 0.05, "{worst:?}");
}

/// A perfectly elastic ball bounces for a minute. It may lose height, and must not win any.
#[test]
fn elastic_ball_keeps_bouncing() {
    let mut world = World::new();
    let elastic = material(0.0, 1.0);
    floor(&mut world, &elastic);
    let ball = ColliderDesc::new(Shape::sphere(0.2).unwrap()).material(elastic);
    let id = world.add_body(BodyDesc::dynamic().position([0.0, 2.2, 0.0]).collider(ball)).unwrap();
    let (mut highest, mut last) = (0.0, 0.0);
    for step in 0..3600 {
        world.step(real(DT)).unwrap();
        let y = world.body(id).unwrap().position().y - 0.2;
        highest = f64::max(highest, y);
        if step >= 3500 {
            last = f64::max(last, y);
        }
    }
    println!("highest {highest:.4} m, in the last bounces {last:.4} m");
    assert!(highest < 2.0 * 1.005, "{highest}");
    assert!(last > 1.5, "{last}");
}

/// Slower than the threshold nothing bounces, so that things come to rest.
#[test]
fn slow_impacts_do_not_bounce() {
    let bounce = |h: f64| {
        let mut world = World::new();
        floor(&mut world, &material(0.5, 0.9));
        let ball = ColliderDesc::new(Shape::sphere(0.2).unwrap()).material(material(0.5, 0.9));
        let id = world.add_body(BodyDesc::dynamic().position([0.0, 0.2 + h, 0.0]).collider(ball)).unwrap();
        let mut fastest: f64 = 0.0;
        for _ in 0..60 {
            world.step(real(DT)).unwrap();
            fastest = fastest.max(world.body(id).unwrap().linear_velocity().y.to_f64());
        }
        fastest
    };
    // The threshold is 0.32 √(g L), about 1 m/s: a fall of 5 cm.
    assert!(bounce(0.04) < 0.05, "{}", bounce(0.04));
    assert!(bounce(0.07) > 0.5, "{}", bounce(0.07));
}

/// Balls in a row along x, with gaps, on a floor without friction; the first comes with this speed.
fn row(count: usize, gap: f64, speed: f64, restitution: f64) -> (World, Vec<BodyId>) {
    let mut world = World::new();
    let material = material(0.0, restitution);
    floor(&mut world, &material);
    let r = 0.1;
    let ids = (0..count).map(|i| {
        let ball = ColliderDesc::new(Shape::sphere(real(r)).unwrap()).material(material.clone());
        let x = if i == 0 { -1.0 } else { i as f64 * (2.0 * r + gap) };
        let v = if i == 0 { speed } else { 0.0 };
        let desc = BodyDesc::dynamic().position([x, r, 0.0]).linear_velocity([real(v), 0.0, 0.0]);
        world.add_body(desc.collider(ball)).unwrap()
    });
    let ids = ids.collect();
    (world, ids)
}

/// Five elastic balls in a row with gaps of 1 mm, the pattern of Newton's cradle: the last leaves with the speed of the first,
/// and the others stay.
#[test]
fn row_of_balls_hands_the_motion_on() {
    for speed in [1.5, 3.0, 6.0] {
        let (mut world, ids) = row(5, 0.001, speed, 1.0);
        for _ in 0..120 {
            world.step(real(DT)).unwrap();
        }
        let v: Vec<f64> = ids.iter().map(|&id| world.body(id).unwrap().linear_velocity().x.to_f64() / speed).collect();
        let energy: f64 = v.iter().map(|v| v * v).sum();
        println!("{speed} m/s: {v:.4?}, energy {energy:.4}");
        assert!((v.iter().sum::<f64>() - 1.0).abs() < 1e-4, "momentum stays");
        assert!(energy < 1.0 + 1e-4, "energy is not won: {energy}");
        assert!(v[4] > 0.95, "{v:?}");
        assert!(v[..4].iter().all(|v| v.abs() < 0.05), "{v:?}");
    }
}

/// What the manual says of five elastic balls that touch, under each method: so many of them come together and hit the others, from the left or from the right.
/// Soft-step hands the blows on, and as many leave on the other side; with `simultaneous` those that come and those that stand are two bodies that bounce off
/// each other: (m - M)/(m + M) and 2 m/(m + M) of the speed.
#[test]
fn touching_balls_under_each_method() {
    for method in [Method::soft_step(), Method::simultaneous()] {
        for (come, speed, side) in (1..=4)
            .flat_map(|come| [1.5, 3.0, 6.0].map(|v| (come, v)))
            .flat_map(|(c, v)| [1.0, -1.0].map(|s| (c, v, s)))
        {
            let mut world = World::with_method(method.clone()).unwrap();
            world.set_gravity(Vec3::ZERO).unwrap();
            let smooth = material(0.0, 1.0);
            let ids: Vec<BodyId> = (0..5)
                .map(|i| {
                    let ball = ColliderDesc::new(Shape::sphere(0.125).unwrap()).material(smooth.clone());
                    let (away, v) = if i < come { (0.5, speed) } else { (0.0, 0.0) };
                    let x = side * (0.25 * f64::from(i) - away);
                    let desc = BodyDesc::dynamic().position([x, 0.0, 0.0]).linear_velocity([real(side * v), 0.0, 0.0]);
                    world.add_body(desc.collider(ball)).unwrap()
                })
                .collect();
            for _ in 0..90 {
                world.step(real(DT)).unwrap();
            }
            let v = ids.iter().map(|&id| world.body(id).unwrap().linear_velocity().x.to_f64() * side / speed);
            let v: Vec<f64> = v.collect();
            let (m, all) = (f64::from(come), 5.0);
            let expected = |i: i32| match method.name.as_str() {
                "soft-step" => f64::from(u8::from(i >= 5 - come)),
                _ if i < come => (2.0 * m - all) / all,
                _ => 2.0 * m / all,
            };
            let off = (0..5).zip(&v).map(|(i, v)| (v - expected(i)).abs()).fold(0.0, f64::max);
            println!("{}, {come} of five at {speed} m/s, side {side}: {v:.4?}", method.name);
            assert!(off < 1e-3, "{}, {come} of five at {speed} m/s: {v:?}", method.name);
        }
    }
}

/// What is left of a cradle's swing.
#[derive(Debug, Default)]
struct Swings {
    /// How far the last of twenty swings goes, as a share of how far the first ball was drawn aside.
    reached: f64,
    /// The farthest that a ball between the outer ones ever was from its place, in radii.
    between: f64,
}

/// The cradle of the library, with the first `come` balls drawn aside by 30°.
fn cradle(method: &Method, gap: f64, come: usize) -> Swings {
    let (radius, drop, angle) = (0.1, 1.0, 30.0_f64.to_radians());
    let mut world = scene("newtons-cradle", &[("gap", 1e3 * gap)], method.clone());
    let far = drop * Float::sin(angle);
    let mut balls = Vec::new();
    for (i, id) in named(&world, "ball-", 5).into_iter().enumerate() {
        let x = i as f64 * (2.0 * radius + gap);
        if i < come {
            let aside = [x - far, drop * (1.0 - Float::cos(angle)), 0.0];
            world.body_mut(id).unwrap().set_position(aside).unwrap();
        }
        balls.push((id, x));
    }
    let (mut swings, mut side, mut found) = (0, 0, Swings::default());
    while world.time() < 60.0 {
        world.step(real(DT)).unwrap();
        let off: Vec<f64> = balls.iter().map(|&(id, x)| world.body(id).unwrap().position().x - x).collect();
        let now = if off[0] < -0.1 * far { -1 } else { i32::from(off[4] > 0.1 * far) };
        if now != 0 && now != side {
            (side, swings) = (now, swings + 1);
            if swings > 20 {
                return found;
            }
            found.reached = 0.0;
        }
        let still = if come < 3 { &off[come..5 - come] } else { &[] };
        found.between = still.iter().fold(found.between, |m, d| f64::max(m, d.abs() / radius));
        found.reached = f64::max(found.reached, if side < 0 { -off[0] } else { off[4] } / far);
    }
    Swings { reached: 0.0, ..found }
}

/// What the manual says of the cradle. By soft-step, one ball out and with gaps of 1 mm, the twentieth swing goes as far as 99.8 % of the first, and the balls
/// between have moved by less than 7 % of a radius; with balls that touch, 99.0 % and a quarter of a radius; two balls out keep 98 %. By `simultaneous` gaps of a
/// millimetre are closed within a step, and the balls soon swing together.
#[test]
fn cradle_keeps_its_pattern() {
    for (come, gap, reached, between) in
        [(1, 1e-3, 0.998, 0.07), (1, 0.0, 0.989, 0.24), (2, 1e-3, 0.987, 0.37), (2, 0.0, 0.980, 0.48)]
    {
        let found = cradle(&Method::soft_step(), gap, come);
        println!("{come} out, gaps of {gap} m: {found:?}");
        assert!((reached..1.002).contains(&found.reached), "{come} out, gaps of {gap} m: {found:?}");
        assert!(found.between < between, "{come} out, gaps of {gap} m: {found:?}");
    }
    for gap in [0.0, 1e-3] {
        let found = cradle(&Method::simultaneous(), gap, 1);
        println!("simultaneous, gaps of {gap} m: {found:?}");
        assert!(found.reached < 0.5 && found.between > 1.0, "gaps of {gap} m: {found:?}");
    }
}

/// A ball that slides into a bounce: friction acts on the whole impulse of the impact, that of the bounce included. With little
/// friction it loses μ (1 + e) v_n of its slip speed; with much, it leaves rolling, with 5/7 of its speed.
#[test]
fn bounce_rubs_with_its_whole_impulse() {
    let (e, fall, v0, r) = (0.8, 4.0, 5.0, 0.2);
    for mu in [0.05, 0.1, 1.0] {
        let mut world = World::new();
        let m = material(mu, e);
        floor(&mut world, &m);
        let ball = ColliderDesc::new(Shape::sphere(real(r)).unwrap()).material(m);
        let desc = BodyDesc::dynamic().position([0.0, r + 0.3, 0.0]).linear_velocity([real(v0), real(-fall), 0.0]);
        let id = world.add_body(desc.collider(ball)).unwrap();
        while world.body(id).unwrap().linear_velocity().y < 0.0 {
            world.step(real(DT)).unwrap();
        }
        let body = world.body(id).unwrap();
        let hit = (fall * fall + 2.0 * G * 0.3_f64).sqrt();
        let slipping = v0 - mu * (1.0 + e) * hit;
        let expected = slipping.max(5.0 / 7.0 * v0);
        let (v, w) = (body.linear_velocity().x.to_f64(), -body.angular_velocity().z.to_f64());
        println!("μ {mu}: {v:.4} m/s, {expected:.4} expected; spin {w:.4}");
        assert!((v / expected - 1.0).abs() < 0.02, "μ {mu}: {v} against {expected}");
        let spin = (v0 - expected) * 2.5 / r;
        assert!((w / spin - 1.0).abs() < 0.02 * v0 / (v0 - expected), "μ {mu}: {w} against {spin}");
    }
}

/// Tangential restitution turns the slip of an impact that sticks round (001-46): the speed of the contact point across the
/// floor afterwards is -e_t times what it was.
#[test]
fn tangential_restitution_turns_the_slip_round() {
    let (e, fall, v0, r) = (0.9, 4.0, 2.0, 0.2);
    for et in [-1.0, -0.5, 0.0, 0.5, 1.0] {
        let mut world = World::new();
        let m = Material { tangential_restitution: et as Real, ..material(2.0, e) };
        floor(&mut world, &m);
        let ball = ColliderDesc::new(Shape::sphere(real(r)).unwrap()).material(m);
        let desc = BodyDesc::dynamic().position([0.0, r + 0.3, 0.0]).linear_velocity([real(v0), real(-fall), 0.0]);
        let id = world.add_body(desc.angular_velocity([0.0, 0.0, 5.0]).collider(ball)).unwrap();
        let slip = |world: &World| {
            let b = world.body(id).unwrap();
            b.linear_velocity().x.to_f64() + b.angular_velocity().z.to_f64() * r
        };
        let before = slip(&world);
        while world.body(id).unwrap().linear_velocity().y < 0.0 {
            world.step(real(DT)).unwrap();
        }
        let share = -slip(&world) / before;
        println!("e_t {et}: slip turned by {share:.4}");
        // Friction acts midway between the surfaces, as they were at the start of the step: up to a centimetre below the ball.
        assert!((share - et).abs() < 0.03, "e_t {et}: {share}");
    }
}

/// Balls, boxes and slabs with e = 1 fly about in a closed room, alone and in a crowd, with and without friction, bounce at any speed, and meet
/// several walls and each other at a time: they never have more energy than they began with.
#[test]
fn clusters_that_bounce_win_no_energy() {
    let sphere = |r: f64| Shape::sphere(real(r)).unwrap();
    let cuboid = |x: f64, y: f64, z: f64| Shape::cuboid(real(x), real(y), real(z)).unwrap();
    let methods = [("soft-step", Method::soft_step()), ("simultaneous", Method::simultaneous())];
    for (name, mut method) in methods.map(|(name, method)| (name, awake(method))) {
        method.tolerances.restitution_speed = 1e-3;
        for (what, count, shape, friction, left) in [
            ("balls", 27, sphere(0.4), 0.0, 0.5),
            ("rough balls", 27, sphere(0.4), 0.5, 0.0),
            ("boxes", 27, cuboid(0.3, 0.3, 0.3), 0.0, 0.5),
            ("rough boxes", 27, cuboid(0.3, 0.3, 0.3), 0.5, 0.0),
            ("one box", 1, cuboid(0.3, 0.3, 0.3), 0.0, 0.9),
            ("slabs", 27, cuboid(0.4, 0.15, 0.25), 0.0, 0.2),
        ] {
            let (most, end) = energy_in_a_room(method.clone(), count, &shape, &material(friction, 1.0));
            println!("{name}, {what}: at most {most:.6} of the energy, {end:.4} in the end");
            assert!(most < 1.0 + 1e-4, "{name}, {what}: {most} of the energy");
            // Nor is all of it taken where nothing rubs.
            assert!(end >= left, "{name}, {what}: {end} of the energy left");
        }
    }
}

/// The most energy that bodies have in 10 s in a closed room, and what they have in the end, as shares of what they begin with.
fn energy_in_a_room(method: Method, count: i32, shape: &Shape, material: &Material) -> (f64, f64) {
    let mut random = Random(3);
    let mut world = World::with_method(method).unwrap();
    world.set_gravity(Vec3::ZERO).unwrap();
    for normal in [Vec3::X, Vec3::Y, Vec3::Z].into_iter().flat_map(|n| [n, -n]) {
        let wall = ColliderDesc::new(Shape::half_space(normal, real(-1.6)).unwrap());
        world.add_body(BodyDesc::fixed().collider(wall.material(material.clone()))).unwrap();
    }
    for i in 0..count {
        let at = [i % 3, i / 3 % 3, i / 9].map(|k| f64::from(k) - 1.0);
        let body = BodyDesc::dynamic().position(at).rotation(random.rotation()).linear_velocity(random.vector(4.0));
        let collider = ColliderDesc::new(shape.clone()).material(material.clone());
        world.add_body(body.angular_velocity(random.vector(3.0)).collider(collider)).unwrap();
    }
    let start = world.measure().kinetic;
    let mut most = 0.0_f64;
    for _ in 0..600 {
        world.step(real(DT)).unwrap();
        most = most.max(world.measure().kinetic / start);
    }
    (most, world.measure().kinetic / start)
}

/// Elastic cubes that drop onto a floor in any orientation, without friction, and bounce on corners and edges for 10 s: what they have of kinetic and potential energy is never more than
/// they began with, and little less.
#[test]
fn dropped_cubes_win_no_energy() {
    for seed in 0..6 {
        let mut random = Random(seed);
        let mut world = World::with_method(awake(Method::soft_step())).unwrap();
        let material = material(0.0, 1.0);
        floor(&mut world, &material);
        let cube = ColliderDesc::new(Shape::cuboid(0.5, 0.5, 0.5).unwrap()).material(material);
        let body = BodyDesc::dynamic().position([0.0, 3.0, 0.0]).rotation(random.rotation()).mass(1.0);
        let id = world.add_body(body.angular_velocity(random.vector(2.0)).collider(cube)).unwrap();
        let energy = |world: &World| world.measure().kinetic + G * world.body(id).unwrap().position().y;
        let (start, mut most) = (energy(&world), 0.0_f64);
        for _ in 0..600 {
            world.step(real(DT)).unwrap();
            most = most.max(energy(&world) / start);
        }
        let end = energy(&world) / start;
        println!("seed {seed}: at most {most:.5} of the energy, {end:.4} in the end");
        assert!(most < 1.001, "seed {seed}: {most} of the energy");
        assert!(end > 0.98, "seed {seed}: {end} of the energy left");
    }
}

/// Two elastic balls that fly fast and meet slowly part as fast as they met: what they have in common does not drown what is between them.
#[test]
fn common_speed_takes_nothing_from_a_blow() {
    for (name, method) in [("soft-step", Method::soft_step()), ("simultaneous", Method::simultaneous())] {
        let mut world = World::with_method(awake(method)).unwrap();
        world.set_gravity(Vec3::ZERO).unwrap();
        let [a, b] = [0.0, 1.2].map(|x| {
            let ball = ColliderDesc::new(Shape::sphere(0.5).unwrap()).material(material(0.0, 1.0));
            let v = Vec3::new(real(if x == 0.0 { 1.5 } else { 0.0 }), 0.0, 300.0);
            world.add_body(BodyDesc::dynamic().position([x, 0.0, 0.0]).linear_velocity(v).collider(ball)).unwrap()
        });
        for _ in 0..60 {
            world.step(real(DT)).unwrap();
        }
        let [va, vb] = [a, b].map(|id| world.body(id).unwrap().linear_velocity().x.to_f64());
        assert!((vb - va - 1.5).abs() < 0.005, "{name}: {va} and {vb} m/s");
    }
}

/// What a link strikes hands the blow on to what it touches, however much more energy that is than they had.
#[test]
fn balls_that_a_link_strikes_fly_on() {
    for (name, method) in [("soft-step", Method::soft_step()), ("simultaneous", Method::simultaneous())] {
        let mut world = World::with_method(awake(method)).unwrap();
        floor(&mut world, &material(0.0, 0.0));
        let ball = || ColliderDesc::new(Shape::sphere(0.5).unwrap()).material(material(0.0, 1.0));
        let balls = [1.0, 2.0]
            .map(|x| world.add_body(BodyDesc::dynamic().position([x, 0.5, 0.0]).collider(ball()).mass(1.0)).unwrap());
        let mut desc = ArticulationDesc::new();
        let hammer = BodyDesc::dynamic().collider(ball()).mass(3.0);
        desc.add(LinkDesc::prismatic(hammer, Vec3::X).at([-0.5, 0.5, 0.0]).velocity(&[4.0]));
        world.add_articulation(desc).unwrap();
        for _ in 0..60 {
            world.step(real(DT)).unwrap();
        }
        let [near, far] = balls.map(|id| world.body(id).unwrap().linear_velocity().x);
        println!("{name}: {near} and {far} m/s");
        assert!(far > 3.0, "{name}: {near} and {far} m/s");
    }
}
