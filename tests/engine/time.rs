//! Time: simulate(), restart(), reset(), several worlds: 003-S2, 003-S26, 003-S27, 003-110..114.

use crate::support::{Random, dump, lopsided};
use tumble::math::{Float, Real, Vec3};
use tumble::shape::Shape;
use tumble::{BodyDesc, BodyId, BodyKind, Clock, ColliderDesc, Material, Method, Pace, World};

fn fixed(dt: f64) -> Clock {
    Clock { pace: Pace::Fixed(dt), max_per_call: 1e3 * dt, speed: 1.0 }
}

/// Bodies of all kinds under all kinds of loads.
fn busy_world() -> World {
    let mut world = World::new();
    let mut random = Random(31);
    world.add_body(BodyDesc::fixed().collider(Shape::half_space(Vec3::Y, 0.0).unwrap())).unwrap();
    for i in 0..6 {
        let desc = lopsided()
            .position([f64::from(i) * 3.0, 4.0, 0.0])
            .rotation(random.rotation())
            .linear_velocity(random.vector(3.0))
            .angular_velocity(random.vector(5.0))
            .damping(0.1, 0.2);
        let id = world.add_body(desc).unwrap();
        world.body_mut(id).unwrap().set_force(random.vector(100.0)).unwrap();
        world.body_mut(id).unwrap().set_torque(random.vector(10.0)).unwrap();
    }
    let spinning = BodyDesc::kinematic().position([0.0, 2.0, 9.0]).angular_velocity([0.0, 1.0, 0.5]);
    world.add_body(spinning.collider(Shape::cuboid(1.0, 0.2, 0.3).unwrap())).unwrap();
    world
}

fn run(world: &mut World, steps: u32) {
    for _ in 0..steps {
        world.step(1.0 / 60.0).unwrap();
    }
}

/// Sixty calls of 1/60 s are sixty steps, one each, in either precision.
#[test]
fn one_step_per_frame() {
    let mut world = World::new();
    for n in 1..=6000 {
        assert_eq!(world.simulate(1.0 / 60.0).unwrap(), 1, "call {n}");
    }
    assert_eq!(world.steps(), 6000);
    assert!((world.time() / 100.0 - 1.0).abs() < 1e-7, "{}", world.time());
}

/// 003-S27: with a fixed pace the state depends on the total time alone, to the bit, not on how it is cut into calls.
#[test]
fn fixed_pace_ignores_how_time_is_cut() {
    // Total of 3 s in frames of 1/60 s, of 1/144 s, of 1 s / 29 and of random lengths.
    let mut cuts: Vec<Vec<f64>> = [60, 144, 29].iter().map(|&n| vec![1.0 / f64::from(n); 3 * n as usize]).collect();
    let mut random = Random(32);
    let mut frames = Vec::new();
    let mut total = 0.0;
    while total < 2.95 {
        frames.push(random.between(0.0, 0.05));
        total += frames[frames.len() - 1];
    }
    frames.push(3.0 - total);
    cuts.push(frames);
    let states: Vec<String> = cuts
        .iter()
        .map(|frames| {
            let mut world = busy_world();
            world.set_clock(fixed(1.0 / 60.0)).unwrap();
            let steps: u32 = frames.iter().map(|&f| world.simulate(f).unwrap()).sum();
            assert_eq!((u64::from(steps), steps), (world.steps(), 180));
            // The remainder, near zero, carries the rounding of the frames' sum; the rest must not.
            let text = dump(&world, &[]);
            text.lines().filter(|l| !l.starts_with("time")).map(|l| l.to_owned() + "\n").collect()
        })
        .collect();
    assert!(states.iter().all(|s| *s == states[0]));
    let mut by_hand = busy_world();
    by_hand.set_clock(fixed(1.0 / 60.0)).unwrap();
    run(&mut by_hand, 180);
    let last = by_hand.body_ids().last().unwrap();
    assert!(states[0].contains(&format!("{:?}", by_hand.body(last).unwrap().pose())), "simulate is step by step");
}

/// What is too short for a step waits; the user's time and the simulated time never part by more than a step.
#[test]
fn remainder_is_carried_over() {
    let mut world = World::new();
    world.set_clock(fixed(0.01)).unwrap();
    let table = [(0.004, 0, 0.4), (0.004, 0, 0.8), (0.004, 1, 0.2), (0.0, 0, 0.2), (0.025, 2, 0.7), (0.003, 1, 0.0)];
    for (elapsed, steps, ahead) in table {
        assert_eq!(world.simulate(elapsed).unwrap(), steps);
        assert!((world.interpolation().to_f64() - ahead).abs() < 1e-6, "{} ahead", world.interpolation());
    }
    let mut random = Random(33);
    let mut total = 0.0;
    let mut world = World::new();
    for _ in 0..2000 {
        let elapsed = random.between(0.0, 0.03);
        total += elapsed;
        world.simulate(elapsed).unwrap();
        let behind = total - world.steps() as f64 / 60.0;
        assert!((-1e-9..1.0 / 60.0 + 1e-9).contains(&behind), "{behind} s behind");
        assert!((0.0..=1.0).contains(&world.interpolation()));
    }
}

/// 003-S26: a slow machine, 1 s per frame, with a cap of 0.1 s: each call simulates 0.1 s and the queue does not grow.
#[test]
fn cap_against_the_spiral_of_death() {
    let mut world = World::new();
    world.set_clock(Clock { pace: Pace::Fixed(0.01), max_per_call: 0.1, speed: 1.0 }).unwrap();
    for n in 1..=20 {
        assert_eq!(world.simulate(1.0).unwrap(), 10);
        assert_eq!(world.steps(), 10 * n);
    }
    assert_eq!(world.simulate(0.01).unwrap(), 1, "nothing has queued up");
    // The cap holds for what was left over too.
    world.set_clock(Clock { pace: Pace::Fixed(0.03), max_per_call: 0.1, speed: 1.0 }).unwrap();
    for _ in 0..20 {
        assert_eq!(world.simulate(1e9).unwrap(), 3);
    }
    // A step longer than the cap is made as soon as its time has come.
    world.set_clock(Clock { pace: Pace::Fixed(0.5), max_per_call: 0.1, speed: 1.0 }).unwrap();
    let steps: Vec<u32> = (0..6).map(|_| world.simulate(0.2).unwrap()).collect();
    assert_eq!(steps.iter().sum::<u32>(), 2, "{steps:?}");
    // A remainder of long steps is not worked off in short ones beyond the cap.
    world.set_clock(Clock { pace: Pace::Fixed(1e-4), max_per_call: 0.05, speed: 1.0 }).unwrap();
    assert!(world.simulate(0.0).unwrap() <= 500);
}

/// 003-S26: a speed factor of 0.5 gives half the time, 2 double.
#[test]
fn speed_factor() {
    for (speed, steps) in [(1.0, 100), (0.5, 50), (2.0, 200), (0.125, 12)] {
        let mut world = World::new();
        world.set_clock(Clock { pace: Pace::Fixed(0.01), max_per_call: 0.25, speed }).unwrap();
        let total: u32 = (0..10).map(|_| world.simulate(0.1).unwrap()).sum();
        assert_eq!(total, steps, "speed {speed}");
    }
}

/// A variable pace makes one step of the elapsed time where it lies within the bounds, several where it is longer, and none
/// where it is shorter.
#[test]
fn variable_pace() {
    let mut world = World::new();
    world.set_clock(Clock { pace: Pace::Variable { min: 0.005, max: 0.02 }, max_per_call: 0.1, speed: 1.0 }).unwrap();
    let mut random = Random(34);
    for _ in 0..500 {
        let elapsed = random.between(0.005, 0.02);
        let before = world.time();
        assert_eq!(world.simulate(elapsed).unwrap(), 1, "{elapsed}");
        assert!((world.time() - before - elapsed).abs() < 1e-8, "all of it is simulated");
        assert_eq!(world.interpolation(), 0.0);
    }
    assert_eq!(world.simulate(0.05).unwrap(), 3, "two of 0.02 and one of 0.01");
    assert_eq!(world.simulate(0.003).unwrap(), 0, "too short");
    assert_eq!(world.simulate(0.003).unwrap(), 1, "with what was left it is long enough");
    assert_eq!(world.simulate(10.0).unwrap(), 5, "capped at 0.1 s");
}

/// 003-S27: a variable pace gives other results for other cuts; that is what fixed is for.
#[test]
fn variable_pace_is_not_repeatable() {
    let end = |frame: f64| {
        let mut world = busy_world();
        world
            .set_clock(Clock { pace: Pace::Variable { min: 0.001, max: 0.1 }, max_per_call: 1.0, speed: 1.0 })
            .unwrap();
        for _ in 0..(1.0 / frame).round() as u32 {
            world.simulate(frame).unwrap();
        }
        assert!((world.time() - 1.0).abs() < 1e-6);
        world.body(world.body_ids().nth(1).unwrap()).unwrap().pose()
    };
    assert_ne!(end(0.02), end(0.04));
    assert_eq!(end(0.02), end(0.02));
}

/// restart() goes back to the state before the first step, to the bit, whatever has been done since, and the same run
/// follows.
#[test]
fn restart_goes_back_to_the_start() {
    let mut world = busy_world();
    let start = dump(&world, &[]);
    world.restart().unwrap();
    assert_eq!(dump(&world, &[]), start, "nothing to do before the first step");
    run(&mut world, 60);
    let end = dump(&world, &[]);
    assert_ne!(start, end);
    for round in 0..3 {
        // Between the runs: edits of everything.
        let ids: Vec<BodyId> = world.body_ids().collect();
        world.remove_body(ids[1]).unwrap();
        let added = world.add_body(BodyDesc::dynamic().collider(Shape::sphere(1.0).unwrap())).unwrap();
        world.body_mut(ids[2]).unwrap().set_kind(BodyKind::Fixed).unwrap();
        world.add_collider(ids[3], ColliderDesc::new(Shape::sphere(0.3).unwrap()).friction(0.1)).unwrap();
        world.set_gravity([1.0, 1.0, 1.0]).unwrap();
        world.set_material(World::MATERIAL, Material { density: 10.0, ..Material::default() }).unwrap();
        run(&mut world, 10);
        world.restart().unwrap();
        assert_eq!(dump(&world, &[]), start, "round {round}");
        assert!(world.body(ids[1]).is_ok(), "removed bodies are back under their ids");
        assert!(world.body(added).is_err(), "added ones are gone");
        assert_eq!((world.time(), world.steps()), (0.0, 0));
        run(&mut world, 60);
        assert_eq!(dump(&world, &[]), end, "round {round}");
    }
    // Edits before the first step after a restart are part of the new start.
    world.restart().unwrap();
    let id = world.body_ids().nth(1).unwrap();
    world.body_mut(id).unwrap().set_position([5.0, 5.0, 5.0]).unwrap();
    run(&mut world, 5);
    world.restart().unwrap();
    assert_eq!(world.body(id).unwrap().position(), Vec3::all(5.0));
}

/// The time that a call brings along is no part of the state before the first step.
#[test]
fn restart_does_not_keep_the_time_of_the_first_call() {
    let mut world = busy_world();
    let start = world.hash();
    for _ in 0..3 {
        assert_eq!(world.simulate(1.5 / 60.0).unwrap(), 1);
        assert_eq!(world.simulate(0.5 / 60.0).unwrap(), 1);
        world.restart().unwrap();
        assert_eq!((world.hash(), world.interpolation()), (start, 0.0));
    }
}

/// A world that does not keep its start says so; one that keeps it again keeps the next.
#[test]
fn restart_without_a_kept_start() {
    let mut world = busy_world();
    world.set_keep_start(false);
    run(&mut world, 3);
    let before = dump(&world, &[]);
    let error = world.restart().unwrap_err();
    assert_eq!(error.to_string(), "world: its start was not kept; see World::set_keep_start");
    assert_eq!(dump(&world, &[]), before);
    world.reset();
    world.set_keep_start(true);
    run(&mut world, 3);
    world.restart().unwrap();
    assert_eq!(world.steps(), 0);
}

/// reset() empties the world, keeps gravity, clock and method, and makes every id from before stale for ever.
#[test]
fn reset_empties_the_world() {
    let mut world = busy_world();
    let method = Method { name: "mine".to_owned(), ..Method::default() };
    world.set_method(method.clone()).unwrap();
    world.set_clock(fixed(0.02)).unwrap();
    world.set_gravity([0.0, -1.0, 0.0]).unwrap();
    let material = world.add_material(Material::named("ice").unwrap()).unwrap();
    world.simulate(0.5).unwrap();
    let (bodies, colliders): (Vec<_>, Vec<_>) = (world.body_ids().collect(), world.collider_ids().collect());
    for _ in 0..3 {
        world.reset();
        assert_eq!((world.body_count(), world.collider_count(), world.awake_count()), (0, 0, 0));
        assert_eq!((world.time(), world.steps(), world.interpolation(), world.events().len()), (0.0, 0, 0.0, 0));
        assert_eq!((world.gravity().y, world.clock(), world.method()), (-1.0, &fixed(0.02), &method));
        assert_eq!(*world.material(World::MATERIAL).unwrap(), Material::default());
        assert_eq!(world.body(World::BODY).unwrap().kind(), BodyKind::Fixed);
        // Fill the slots again: the old ids must not name the new things.
        for _ in 0..bodies.len() {
            world.add_body(BodyDesc::dynamic().collider(Shape::sphere(1.0).unwrap())).unwrap();
            world.add_body(lopsided()).unwrap();
            world.add_material(Material::default()).unwrap();
        }
        assert!(bodies.iter().all(|&id| world.body(id).is_err()));
        assert!(colliders.iter().all(|&id| world.collider(id).is_err()));
        assert!(world.material(material).is_err());
        run(&mut world, 2);
    }
}

/// 003-S2, 003-114: worlds side by side share nothing; a copy goes its own way; removing one leaves the others unchanged.
#[test]
fn several_worlds_at_once() {
    let alone = {
        let mut world = busy_world();
        run(&mut world, 50);
        dump(&world, &[])
    };
    let mut left = busy_world();
    let mut right = busy_world();
    let mut copy = None;
    for n in 0..50 {
        left.step(1.0 / 60.0).unwrap();
        if n == 20 {
            copy = Some(left.clone());
        }
        right.step(1.0 / 30.0).unwrap();
        if n % 10 == 3 {
            let id = right.body_ids().nth(1).unwrap();
            right.remove_body(id).unwrap();
            right.add_body(lopsided()).unwrap();
            right.set_material(World::MATERIAL, Material { density: 1.0 + n as Real, ..Material::default() }).unwrap();
        }
    }
    drop(right);
    assert_eq!(dump(&left, &[]), alone);
    let mut copy = copy.unwrap();
    drop(left);
    run(&mut copy, 29);
    assert_eq!(dump(&copy, &[]), alone, "a copy is the same world");
}

/// After `simulate` the list holds what happened in all the steps that it made: nothing is lost where a picture takes two steps, and nothing
/// is told twice where it takes none.
#[test]
fn simulate_tells_what_happened_in_all_its_steps() {
    let world = || {
        let mut world = World::new();
        world.add_body(BodyDesc::fixed().collider(Shape::half_space(Vec3::Y, 0.0).unwrap())).unwrap();
        for i in 0..8 {
            let at = [2.0 * f64::from(i), 0.6 + 0.2 * f64::from(i), 0.0];
            world.add_body(BodyDesc::dynamic().position(at).collider(Shape::sphere(0.5).unwrap())).unwrap();
        }
        world
    };
    let mut single = world();
    let mut expected = Vec::new();
    for _ in 0..120 {
        single.step(1.0 / 60.0).unwrap();
        expected.extend_from_slice(single.events());
    }
    assert!(expected.len() >= 8, "{expected:?}");
    for per_call in [0.4, 1.0, 2.5, 7.0] {
        let mut world = world();
        let mut told = Vec::new();
        while world.steps() < 120 {
            world.simulate(per_call / 60.0).unwrap();
            told.extend_from_slice(world.events());
        }
        told.truncate(expected.len());
        assert_eq!(told, expected, "{per_call} steps per call");
    }
}
