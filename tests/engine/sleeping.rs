//! Islands and sleep: 002-60, 002-61, 003-99 to 003-104.

use crate::support::real;
use tumble::math::{Real, Vec3, WorldPose};
use tumble::method::SleepCriterion;
use tumble::shape::Shape;
use tumble::{BodyDesc, BodyId, ColliderDesc, Event, JointDesc, Method, World};

const DT: f64 = 1.0 / 60.0;

fn ground() -> World {
    let mut world = World::new();
    world.add_body(BodyDesc::fixed().name("ground").collider(Shape::half_space(Vec3::Y, 0.0).unwrap())).unwrap();
    world
}

fn cube(world: &mut World, x: f64, y: f64) -> BodyId {
    world.add_body(BodyDesc::dynamic().position([x, y, 0.0]).collider(Shape::cuboid(0.5, 0.5, 0.5).unwrap())).unwrap()
}

fn run(world: &mut World, seconds: f64) {
    for _ in 0..(seconds / DT).round() as u32 {
        world.step(real(DT)).unwrap();
    }
}

fn asleep(world: &World, id: BodyId) -> bool {
    world.body(id).unwrap().is_asleep()
}

/// When a body first falls asleep.
fn bedtime(world: &mut World, id: BodyId, most: f64) -> Option<f64> {
    while world.time() < most {
        world.step(real(DT)).unwrap();
        if asleep(world, id) {
            return Some(world.time());
        }
    }
    None
}

/// 003-103: half a second with three contacts and more, ten times as long with fewer.
#[test]
fn few_contacts_keep_awake_longer() {
    let mut world = ground();
    let id = cube(&mut world, 0.0, 0.5);
    let flat = bedtime(&mut world, id, 10.0).unwrap();
    let mut world = ground();
    let ball = BodyDesc::dynamic().position([0.0, 0.5, 0.0]).collider(Shape::sphere(0.5).unwrap());
    let id = world.add_body(ball).unwrap();
    let round = bedtime(&mut world, id, 10.0).unwrap();
    println!("a cube sleeps after {flat:.2} s, a ball after {round:.2} s");
    assert!((0.5..0.7).contains(&flat) && (5.0..5.3).contains(&round), "{flat} {round}");
}

/// An island goes to sleep when all of its bodies have passed their limits: a cube that could sleep after half a second stays awake under a ball, which touches it
/// alone and takes ten times as long; then both fall asleep in one step.
#[test]
fn an_island_waits_for_the_last_of_its_bodies() {
    let mut world = ground();
    let below = cube(&mut world, 0.0, 0.5);
    let ball = BodyDesc::dynamic().position([0.0, 1.5, 0.0]).collider(Shape::sphere(0.5).unwrap());
    let above = world.add_body(ball).unwrap();
    let first = bedtime(&mut world, below, 10.0).unwrap();
    assert!(asleep(&world, above), "they fall asleep together");
    assert!((5.0..5.3).contains(&first), "{first}");
}

/// Two groups on one platform are two islands; whoever disturbs one wakes it as a whole, and it alone.
#[test]
fn disturbing_one_group_wakes_it_alone() {
    let mut world = ground();
    let groups: Vec<Vec<BodyId>> =
        [0.0, 5.0].into_iter().map(|x| (0..3).map(|i| cube(&mut world, x, f64::from(i) + 0.5)).collect()).collect();
    run(&mut world, 0.2);
    assert_eq!(world.profile().islands, 2);
    run(&mut world, 2.0);
    assert!(groups.iter().flatten().all(|&id| asleep(&world, id)));
    world.body_mut(groups[0][2]).unwrap().apply_impulse([10.0, 0.0, 0.0]).unwrap();
    world.step(real(DT)).unwrap();
    assert!(groups[0].iter().all(|&id| !asleep(&world, id)), "the whole group wakes");
    assert!(groups[1].iter().all(|&id| asleep(&world, id)), "the other sleeps on");
}

/// 003-104: a support that is removed, a setter, a kinematic body that comes, a new neighbour.
#[test]
fn what_matters_wakes() {
    let stack = || {
        let mut world = ground();
        let ids = [cube(&mut world, 0.0, 0.5), cube(&mut world, 0.0, 1.5)];
        run(&mut world, 2.0);
        assert!(ids.iter().all(|&id| asleep(&world, id)));
        (world, ids)
    };
    let (mut world, ids) = stack();
    world.remove_body(ids[0]).unwrap();
    run(&mut world, 0.5);
    let y = world.body(ids[1]).unwrap().position().y;
    assert!(y < 0.7, "it falls when its support is gone: {y}");

    let (mut world, ids) = stack();
    world.body_mut(ids[1]).unwrap().set_linear_velocity([1.0, 0.0, 0.0]).unwrap();
    run(&mut world, 0.1);
    assert!(ids.iter().all(|&id| !asleep(&world, id)), "a setter wakes the island");

    let (mut world, ids) = stack();
    world.set_gravity([3.0, -9.81, 0.0]).unwrap();
    world.step(real(DT)).unwrap();
    assert!(ids.iter().all(|&id| !asleep(&world, id)), "other gravity wakes all");

    let (mut world, ids) = stack();
    let pusher = BodyDesc::kinematic().position([-3.0, 0.5, 0.0]).linear_velocity([2.0, 0.0, 0.0]);
    world.add_body(pusher.collider(Shape::cuboid(0.4, 0.4, 0.4).unwrap())).unwrap();
    run(&mut world, 0.5);
    assert!(ids.iter().all(|&id| asleep(&world, id)), "it is still far away");
    run(&mut world, 1.0);
    let x = world.body(ids[0]).unwrap().position().x;
    assert!(x > 0.3, "a kinematic body pushes sleepers: {x}");

    let (mut world, ids) = stack();
    let visitor = cube(&mut world, 0.0, 3.0);
    run(&mut world, 0.8);
    assert!(ids.iter().all(|&id| !asleep(&world, id)) && !asleep(&world, visitor), "a visitor wakes the island");
}

/// Cubes in square layers, each on four of the layer below, with gaps of 5 cm beside them.
fn square_pyramid(world: &mut World, base: u32) -> Vec<BodyId> {
    let mut ids = Vec::new();
    for layer in 0..base {
        let across = base - layer;
        let first = 0.5 * f64::from(layer) * 1.05;
        for i in 0..across * across {
            let (column, row) = (f64::from(i % across), f64::from(i / across));
            let at = [first + column * 1.05, f64::from(layer) + 0.5, first + row * 1.05];
            let desc = BodyDesc::dynamic().position(at).collider(Shape::cuboid(0.5, 0.5, 0.5).unwrap());
            ids.push(world.add_body(desc).unwrap());
        }
    }
    ids
}

/// A trigger that is moved every frame, and a lift that is told every frame to stay, let sleep what is in or on them; a lift that moves does not.
#[test]
fn who_stays_or_only_looks_wakes_nobody() {
    let mut world = ground();
    let sleeper = cube(&mut world, 0.0, 0.5);
    let eye = ColliderDesc::new(Shape::sphere(1.0).unwrap()).sensor(true);
    let eye = world.add_body(BodyDesc::kinematic().position([0.0, 1.0, 0.0]).collider(eye)).unwrap();
    let lift = ColliderDesc::new(Shape::cuboid(1.0, 0.25, 1.0).unwrap());
    let lift = world.add_body(BodyDesc::kinematic().position([5.0, 1.0, 0.0]).collider(lift)).unwrap();
    let rider = cube(&mut world, 5.0, 1.75);
    let mut woken = 0;
    for step in 0..240 {
        let x = 0.1 * (0.1 * f64::from(step)).sin();
        world.body_mut(eye).unwrap().set_target(WorldPose::from_translation([x, 1.0, 0.0])).unwrap();
        let at = world.body(lift).unwrap().pose();
        world.body_mut(lift).unwrap().set_target(at).unwrap();
        world.step(real(DT)).unwrap();
        woken += world.events().iter().filter(|e| matches!(e, Event::WokeUp { .. })).count();
    }
    assert!(asleep(&world, sleeper) && asleep(&world, rider));
    assert_eq!(woken, 0);
    for step in 0..30 {
        let y = 1.0 + 0.01 * f64::from(step);
        world.body_mut(lift).unwrap().set_target(WorldPose::from_translation([5.0, y, 0.0])).unwrap();
        world.step(real(DT)).unwrap();
    }
    assert!(!asleep(&world, rider) && asleep(&world, sleeper));
}

/// A body that is put to sleep takes its island along, tells of it, and wakes like any other; what is not dynamic refuses.
#[test]
fn bodies_can_be_put_to_sleep() {
    let mut world = ground();
    let (low, high) = (cube(&mut world, 0.0, 0.5), cube(&mut world, 0.0, 1.5));
    let far = cube(&mut world, 9.0, 0.5);
    run(&mut world, 0.1);
    world.body_mut(low).unwrap().put_to_sleep().unwrap();
    assert!(asleep(&world, low) && asleep(&world, high) && !asleep(&world, far));
    world.audit().unwrap();
    world.step(real(DT)).unwrap();
    assert_eq!(world.events().iter().filter(|e| matches!(e, Event::FellAsleep { .. })).count(), 2);
    world.body_mut(high).unwrap().apply_impulse([0.0, 100.0, 0.0]).unwrap();
    assert!(!asleep(&world, low) && !asleep(&world, high));
    let floor = world.body_ids().next().unwrap();
    assert!(world.body_mut(floor).unwrap().put_to_sleep().is_err());
}

/// A sleeping world does no work: nothing is awake, no pair is looked at, nothing is solved; and nobody moves.
#[test]
fn sleepers_cost_nothing() {
    let mut small = ground();
    let few = square_pyramid(&mut small, 7);
    while small.awake_count() > 0 && small.time() < 20.0 {
        small.step(real(DT)).unwrap();
    }
    println!("{} boxes fall asleep after {:.2} s", few.len(), small.time());
    small.step(real(DT)).unwrap();
    let before: Vec<_> = few.iter().map(|&id| small.body(id).unwrap().pose()).collect();
    run(&mut small, 1.0);
    let p = small.profile();
    assert_eq!((p.awake_bodies, p.pairs, p.contacts, p.points, p.islands), (0, 0, 0, 0, 0));
    let after: Vec<_> = few.iter().map(|&id| small.body(id).unwrap().pose()).collect();
    assert_eq!(before, after);
}

/// Every box of a square pyramid stands on four patches, each of four points close together. Were their springs to add up, large pyramids
/// would swing up and down for ever: this one at 7 cm/s.
#[test]
fn wide_pyramids_come_to_rest() {
    let mut world = ground();
    square_pyramid(&mut world, 18);
    while world.awake_count() > 0 && world.time() < 5.0 {
        world.step(real(DT)).unwrap();
    }
    assert_eq!(world.awake_count(), 0, "it falls asleep within five seconds");
}

/// The bar: a step of a sleeping pyramid of 5,525 boxes takes less than 5 microseconds. It is a square one: a hundred rows that are one box
/// thick buckle before they sleep (see the manual, Limits).
#[test]
#[ignore = "long: settles 5,525 boxes; the figure is that of a release build"]
fn sleeping_pyramid_steps_in_microseconds() {
    let mut world = ground();
    square_pyramid(&mut world, 25);
    assert_eq!(world.body_count(), 5_525 + 1);
    while world.awake_count() > 0 && world.time() < 60.0 {
        world.step(real(DT)).unwrap();
    }
    assert_eq!(world.awake_count(), 0, "it falls asleep within a minute");
    let (bedtime, start) = (world.time(), std::time::Instant::now());
    let steps = 10_000;
    for _ in 0..steps {
        world.step(real(DT)).unwrap();
    }
    let each = start.elapsed().as_secs_f64() / f64::from(steps) * 1e6;
    println!("asleep after {bedtime:.2} s; a step takes {each:.2} µs");
    assert!(cfg!(debug_assertions) || each < 5.0, "{each} µs");
}

/// 003-104 (d): whatever is put into a sleeper wakes it, also if it does not move itself; and a sensor that is put over one sees it.
#[test]
fn what_stands_and_comes_wakes() {
    let mut world = ground();
    let sleeper = cube(&mut world, 0.0, 0.5);
    run(&mut world, 2.0);
    assert!(asleep(&world, sleeper));
    let block = BodyDesc::fixed().position([0.8, 0.5, 0.0]).collider(Shape::cuboid(0.5, 0.5, 0.5).unwrap());
    world.add_body(block).unwrap();
    run(&mut world, 1.0);
    let x = world.body(sleeper).unwrap().position().x;
    assert!(x < -0.15, "it is pushed out: {x}");

    let mut world = ground();
    let sleeper = cube(&mut world, 0.0, 0.5);
    let wall =
        world.add_body(BodyDesc::fixed().position([5.0, 0.5, 0.0]).collider(Shape::sphere(0.5).unwrap())).unwrap();
    run(&mut world, 2.0);
    assert!(asleep(&world, sleeper));
    world.body_mut(wall).unwrap().set_position([0.7, 0.5, 0.0]).unwrap();
    run(&mut world, 1.0);
    let x = world.body(sleeper).unwrap().position().x;
    assert!(x < -0.15, "a fixed body that is moved pushes it: {x}");

    // Others on the same floor sleep on when one of them is put elsewhere.
    let mut world = ground();
    let (moved, sleeper) = (cube(&mut world, 0.0, 0.5), cube(&mut world, 4.0, 0.5));
    run(&mut world, 2.0);
    assert!(asleep(&world, moved) && asleep(&world, sleeper));
    world.body_mut(moved).unwrap().set_position([0.5, 0.6, 0.0]).unwrap();
    assert!(!asleep(&world, moved) && asleep(&world, sleeper));

    // So does one that was near, and is put into it: their boxes have overlapped all the time.
    for kind in [BodyDesc::fixed(), BodyDesc::kinematic()] {
        let mut world = ground();
        let sleeper = cube(&mut world, 0.0, 0.5);
        let near = kind.position([1.04, 0.5, 0.0]).collider(Shape::cuboid(0.5, 0.5, 0.5).unwrap());
        let near = world.add_body(near).unwrap();
        run(&mut world, 2.0);
        assert!(asleep(&world, sleeper));
        world.body_mut(near).unwrap().set_position([0.8, 0.5, 0.0]).unwrap();
        run(&mut world, 1.0);
        let x = world.body(sleeper).unwrap().position().x;
        assert!(x < -0.15, "what was near and is put into it pushes it: {x}");
    }

    let mut world = ground();
    let sleeper = cube(&mut world, 0.0, 0.5);
    run(&mut world, 2.0);
    let eye = ColliderDesc::new(Shape::sphere(1.0).unwrap()).sensor(true);
    world.add_body(BodyDesc::fixed().position([0.0, 1.0, 0.0]).collider(eye)).unwrap();
    let mut seen = 0;
    for _ in 0..3 {
        world.step(real(DT)).unwrap();
        seen += world.events().iter().filter(|e| matches!(e, Event::SensorEntered { .. })).count();
    }
    assert_eq!(seen, 1);
    run(&mut world, 1.0);
    assert!(asleep(&world, sleeper), "and lets it sleep again");
}

/// 002-60: what a body that never rests has touched and left sleeps by itself again, and is woken by itself.
#[test]
fn restless_visitor_leaves_islands_behind() {
    let mut world = ground();
    let groups: Vec<Vec<BodyId>> =
        [0.0, 3.0].into_iter().map(|x| (0..2).map(|i| cube(&mut world, x, f64::from(i) + 0.5)).collect()).collect();
    let ball = ColliderDesc::new(Shape::sphere(0.3).unwrap()).friction(0.0);
    let visitor = BodyDesc::dynamic().position([0.9, 0.3, 0.0]).can_sleep(false).linear_velocity([-2.0, 0.0, 0.0]);
    let visitor = world.add_body(visitor.collider(ball.restitution(1.0))).unwrap();
    // It goes to and fro between the groups, then away.
    run(&mut world, 1.5);
    world.body_mut(visitor).unwrap().set_position([1.5, 0.3, 30.0]).unwrap();
    world.body_mut(visitor).unwrap().set_linear_velocity([0.0, 0.0, 0.5]).unwrap();
    run(&mut world, 3.0);
    assert!(!asleep(&world, visitor));
    assert!(groups.iter().flatten().all(|&id| asleep(&world, id)), "the groups sleep without it");
    world.body_mut(groups[0][1]).unwrap().wake_up();
    world.step(real(DT)).unwrap();
    assert!(groups[0].iter().all(|&id| !asleep(&world, id)) && groups[1].iter().all(|&id| asleep(&world, id)));
}

/// With the islands switched off the world sleeps and wakes as one.
#[test]
fn without_islands_all_sleep_and_wake_together() {
    let mut world = ground();
    let mut method = world.method().clone();
    method.switches.islands = false;
    world.set_method(method).unwrap();
    let (near, far) = (cube(&mut world, 0.0, 0.5), cube(&mut world, 50.0, 6.0));
    run(&mut world, 1.2);
    assert!(!asleep(&world, near), "one still falls");
    run(&mut world, 3.0);
    assert!(asleep(&world, near) && asleep(&world, far));
    world.body_mut(far).unwrap().apply_impulse([100.0, 0.0, 0.0]).unwrap();
    assert!(!asleep(&world, near));
}

/// A joint that breaks in the middle of a step wakes sleepers, where islands are switched off even such as have nothing to do with it; the step goes on.
#[test]
fn breaking_joints_wake_in_mid_step() {
    let mut world = ground();
    let mut method = world.method().clone();
    method.switches.islands = false;
    world.set_method(method).unwrap();
    let (sleeper, hung) = (cube(&mut world, 0.0, 0.5), cube(&mut world, 50.0, 6.0));
    world.add_joint(JointDesc::ball(World::BODY, hung).anchor([50.0, 6.0, 0.0]).breaks_at(1.0, 1.0)).unwrap();
    world.body_mut(sleeper).unwrap().put_to_sleep().unwrap();
    let mut broke = false;
    for _ in 0..10 {
        world.step(real(DT)).unwrap();
        world.audit().unwrap();
        broke |= world.events().iter().any(|e| matches!(e, Event::JointBroke { .. }));
    }
    assert!(broke && !asleep(&world, sleeper));
}

/// Falling asleep and waking up are told, once each.
#[test]
fn sleep_is_told() {
    let mut world = ground();
    let id = cube(&mut world, 0.0, 0.5);
    let (mut slept, mut woke) = (0, 0);
    for step in 0..240 {
        if step == 120 {
            world.body_mut(id).unwrap().wake_up();
        }
        world.step(real(DT)).unwrap();
        for event in world.events() {
            match event {
                Event::FellAsleep { body } if *body == id => slept += 1,
                Event::WokeUp { body } if *body == id => woke += 1,
                _ => {}
            }
        }
    }
    assert_eq!((slept, woke), (2, 1));
}

/// Whoever edits one body of an island stops the clock of all of it, as often as that happens, before a step or after one, and also where the
/// island has just grown together with one that has been idle for long.
#[test]
fn every_edit_counts_for_the_whole_island() {
    let mut world = ground();
    let (low, high, alone) = (cube(&mut world, 0.0, 0.5), cube(&mut world, 0.0, 1.5), cube(&mut world, 4.0, 0.5));
    let idle = |world: &World| [low, high, alone].map(|id| f64::from(world.body(id).unwrap().idle_time()));
    let nudge = |world: &mut World, id: BodyId| world.body_mut(id).unwrap().wake_up();
    run(&mut world, 0.3);
    assert!(idle(&world).iter().all(|&t| t > 0.2), "{:?}", idle(&world));
    for _ in 0..2 {
        nudge(&mut world, low);
        nudge(&mut world, high);
        let [a, b, c] = idle(&world);
        assert!(a == 0.0 && b == 0.0 && c > 0.2);
        world.step(real(DT)).unwrap();
        assert!(idle(&world)[..2].iter().all(|&t| (t - DT).abs() < 1e-6), "{:?}", idle(&world));
    }
    nudge(&mut world, low);
    world.add_joint(JointDesc::ball(high, alone)).unwrap();
    assert_eq!(idle(&world), [0.0; 3]);
    world.step(real(DT)).unwrap();
    nudge(&mut world, alone);
    assert_eq!(idle(&world), [0.0; 3], "one island now");
    world.body_mut(low).unwrap().put_to_sleep().unwrap();
    assert!(asleep(&world, alone));
    nudge(&mut world, high);
    assert!(!asleep(&world, alone) && !asleep(&world, low));
}

/// A cube that slides and spins on ice, at this speed and rate, under this criterion; whether it falls asleep within two seconds.
fn dozes_off(criterion: SleepCriterion, speed: f64, rate: f64) -> bool {
    let mut method = Method::soft_step();
    method.sleep.criterion = criterion;
    let mut world = World::with_method(method).unwrap();
    let ice = |shape: Shape| ColliderDesc::new(shape).friction(0.0);
    world.add_body(BodyDesc::fixed().collider(ice(Shape::half_space(Vec3::Y, 0.0).unwrap()))).unwrap();
    let cube = BodyDesc::dynamic().position([0.0, 0.5, 0.0]).collider(ice(Shape::cuboid(0.5, 0.5, 0.5).unwrap()));
    let cube = cube.linear_velocity([real(speed), 0.0, 0.0]).angular_velocity([0.0, real(rate), 0.0]);
    let id = world.add_body(cube).unwrap();
    bedtime(&mut world, id, 2.0).is_some()
}

/// 003-101: by velocity a body is idle while its centre and its farthest point about it are each slower than the limit, here 0.016 √(g L), whatever they
/// are together; 003-102: by energy, while both together have less of it per mass than a body that moves with the limit has.
#[test]
fn every_criterion_has_its_limit() {
    use SleepCriterion::{Displacement, Energy, Velocity};
    let limit = 0.016 * 9.81f64.sqrt();
    // The farthest point of a cube of 1 m is at √3/2, and its radius of gyration about a side's axis is √(1/6).
    let (far, gyration) = (0.75f64.sqrt(), (1.0f64 / 6.0).sqrt());
    for (criterion, speed, rate, sleeps) in [
        (Velocity, 0.9 * limit, 0.0, true),
        (Velocity, 1.1 * limit, 0.0, false),
        (Velocity, 0.0, 0.9 * limit / far, true),
        (Velocity, 0.0, 1.1 * limit / far, false),
        (Velocity, 0.9 * limit, 0.9 * limit / far, true),
        (Displacement, 0.9 * limit, 0.0, true),
        (Displacement, 1.1 * limit, 0.0, false),
        (Displacement, 0.9 * limit, 0.9 * limit / far, false),
        (Energy, 0.9 * limit, 0.0, true),
        (Energy, 1.1 * limit, 0.0, false),
        (Energy, 0.0, 0.9 * limit / gyration, true),
        (Energy, 0.0, 1.1 * limit / gyration, false),
        // 0.6² + 0.7² is less than 1, and 0.8² + 0.7² more.
        (Energy, 0.6 * limit, 0.7 * limit / gyration, true),
        (Energy, 0.8 * limit, 0.7 * limit / gyration, false),
    ] {
        let found = dozes_off(criterion, speed, rate);
        assert_eq!(found, sleeps, "{criterion:?} at {speed} m/s and {rate} rad/s");
    }
}

/// 003-103: a ball joint counts for one contact and a hinge for two, also together with real ones: from three on the time is short.
#[test]
fn joints_count_as_contacts() {
    let time = |joints: &[fn(BodyId) -> JointDesc]| {
        let mut world = World::new();
        let bob = BodyDesc::dynamic().position([0.0, 5.0, 0.0]).collider(Shape::cuboid(0.2, 0.5, 0.2).unwrap());
        let bob = world.add_body(bob).unwrap();
        for joint in joints {
            world.add_joint(joint(bob)).unwrap();
        }
        bedtime(&mut world, bob, 8.0)
    };
    // All above its middle, so that it hangs still.
    let ball: fn(BodyId) -> JointDesc = |b| JointDesc::ball(World::BODY, b).anchor([0.0, 5.5, 0.0]);
    let hinge: fn(BodyId) -> JointDesc =
        |b| JointDesc::hinge(World::BODY, b).anchor([0.0, 5.5, 0.0]).axis([0.0, 0.0, 1.0]);
    for (joints, short) in
        [(vec![ball], false), (vec![hinge], false), (vec![hinge, ball], true), (vec![hinge, hinge], true)]
    {
        let (count, after) = (joints.len(), time(&joints).expect("it falls asleep"));
        let expected = if short { 0.5..0.8 } else { 5.0..5.5 };
        assert!(expected.contains(&after), "{count} joints, short {short}: {after} s");
    }
    // A ball on the floor, one contact: with a hinge it is three.
    let mut world = ground();
    let ball = BodyDesc::dynamic().position([0.0, 0.5, 0.0]).collider(Shape::sphere(0.5).unwrap());
    let ball = world.add_body(ball).unwrap();
    world.add_joint(JointDesc::hinge(World::BODY, ball).anchor([0.0, 0.5, 0.0]).axis([0.0, 1.0, 0.0])).unwrap();
    let after = bedtime(&mut world, ball, 8.0).unwrap();
    assert!((0.5..0.8).contains(&after), "{after} s");
}

/// What has just parted from a body is not put to sleep with it, to hang in the air.
#[test]
fn what_has_left_is_not_put_to_sleep() {
    let mut world = ground();
    let (lower, upper) = (cube(&mut world, 0.0, 0.5), cube(&mut world, 0.0, 1.5));
    run(&mut world, 0.2);
    world.body_mut(upper).unwrap().set_position([50.0, 20.0, 0.0]).unwrap();
    run(&mut world, DT);
    world.body_mut(lower).unwrap().put_to_sleep().unwrap();
    assert!(asleep(&world, lower) && !asleep(&world, upper));
    run(&mut world, 1.0);
    let height = world.body(upper).unwrap().position().y;
    assert!(height < 16.0, "{height}");
    world.audit().unwrap();
}

/// A platform that moves wakes whom somebody has put to sleep on it, or on a joint to it.
#[test]
fn moving_platforms_wake_whom_they_carry() {
    let mut world = World::new();
    let platform = BodyDesc::kinematic().position([0.0, -0.5, 0.0]).linear_velocity([0.0, -1.0, 0.0]);
    let platform = world.add_body(platform.collider(Shape::cuboid(5.0, 0.5, 5.0).unwrap())).unwrap();
    let (rides, hangs) = (cube(&mut world, 0.0, 0.5), cube(&mut world, 20.0, 0.5));
    world.add_joint(JointDesc::fixed(platform, hangs)).unwrap();
    run(&mut world, 0.5);
    for body in [rides, hangs] {
        world.body_mut(body).unwrap().put_to_sleep().unwrap();
    }
    run(&mut world, 1.0);
    let floor = world.body(platform).unwrap().position().y;
    for body in [rides, hangs] {
        let height = world.body(body).unwrap().position().y - floor;
        assert!((height - 1.0).abs() < 0.15, "{height} above the platform");
    }
    world.audit().unwrap();
}

/// Who is taken out of a step leaves its place to another, and with it must not leave what supported it: a body that drifts with nothing near it
/// drifts on.
#[test]
fn drifters_do_not_inherit_the_support_of_the_quarantined() {
    let mut world = World::new();
    world.set_gravity(Vec3::ZERO).unwrap();
    let cube = Shape::cuboid(0.5, 0.5, 0.5).unwrap();
    world.add_body(BodyDesc::fixed().collider(cube.clone())).unwrap();
    let resting = BodyDesc::dynamic().position([0.0, 1.0, 0.0]).can_sleep(false).collider(cube.clone());
    let resting = world.add_body(resting).unwrap();
    let drifter = BodyDesc::dynamic().position([9.0, 0.0, 0.0]).linear_velocity([0.01, 0.0, 0.0]).collider(cube);
    let drifter = world.add_body(drifter).unwrap();
    for _ in 0..120 {
        world.step(1.0 / 60.0).unwrap();
    }
    let push = Vec3::X * Real::MAX;
    world.body_mut(resting).unwrap().set_force(push).unwrap();
    world.body_mut(resting).unwrap().apply_force(push).unwrap();
    world.step(1.0 / 60.0).unwrap();
    assert!(!world.body(resting).unwrap().is_active(), "it was to be quarantined");
    let drifter = world.body(drifter).unwrap();
    assert!(!drifter.is_asleep() && drifter.linear_velocity().x > 0.009);
}
