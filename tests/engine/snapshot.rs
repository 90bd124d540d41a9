//! Snapshot, restore, hash, copies and the contact hook: going on is going on, to the bit.

use crate::support::{live_bytes, real};
use std::sync::Arc;
use tumble::math::{Point, Real, Vec3};
use tumble::method::FrictionModel;
use tumble::shape::{CompoundChild, HeightFieldDesc, MeshDesc, Shape};
use tumble::{BodyDesc, ColliderDesc, ContactHook, Event, HookedContact, Material, Method, SNAPSHOT_VERSION, World};

fn dt() -> Real {
    real(1.0 / 60.0)
}

/// A pile of boxes on the ground: `side` x `side` columns, `layers` high.
fn pile(side: usize, layers: usize) -> World {
    let mut world = World::new();
    world.set_keep_start(false);
    let ground = Shape::half_space(Vec3::Y, 0.0).unwrap();
    world.add_body(BodyDesc::fixed().collider(ground)).unwrap();
    let cube = Shape::cuboid(0.5, 0.5, 0.5).unwrap();
    for y in 0..layers {
        for x in 0..side {
            for z in 0..side {
                let at = [1.1 * x as f64 + 0.3 * (y % 2) as f64, 0.5 + 1.001 * y as f64, 1.1 * z as f64];
                world.add_body(BodyDesc::dynamic().position(at).collider(cube.clone())).unwrap();
            }
        }
    }
    world
}

/// A world with every kind of shape, a kinematic lift, a sensor, materials, removed bodies, sleepers and contacts.
fn assorted() -> World {
    let mut world = World::new();
    let corners = [[-20.0, 0.0, -20.0], [20.0, 0.0, -20.0], [20.0, 0.0, 20.0], [-20.0, 0.0, 20.0]];
    let floor = MeshDesc::new(corners.map(Vec3::from).to_vec(), vec![[0, 2, 1], [0, 3, 2]]);
    world.add_body(BodyDesc::fixed().name("floor").collider(Shape::mesh(floor).unwrap())).unwrap();
    let hill =
        Shape::height_field(HeightFieldDesc::new(3, 3, 4.0, 4.0, vec![0., 0., 0., 0., 0.5, 0., 0., 0., 0.])).unwrap();
    world.add_body(BodyDesc::fixed().position([8.0, 0.0, 8.0]).collider(hill)).unwrap();
    let lift = world
        .add_body(BodyDesc::kinematic().position([-5.0, 0.2, 0.0]).collider(Shape::cuboid(1.0, 0.2, 1.0).unwrap()))
        .unwrap();
    world.body_mut(lift).unwrap().set_velocity([0.0, 0.1, 0.0], [0.0, 0.5, 0.0]).unwrap();
    let gate = ColliderDesc::new(Shape::cuboid(1.0, 1.0, 1.0).unwrap()).sensor(true);
    world.add_body(BodyDesc::fixed().position([0.0, 1.0, 0.0]).collider(gate)).unwrap();
    let ball = Shape::sphere(0.3).unwrap();
    let points =
        [[0.5, 0.0, 0.0], [-0.4, 0.1, 0.3], [0.0, 0.6, -0.2], [0.1, -0.3, 0.4], [-0.1, -0.2, -0.5]].map(Vec3::from);
    let ends = [Vec3::X, -Vec3::X]
        .map(|at| CompoundChild::new(ball.clone(), tumble::math::Pose::from_translation(at * real(0.4))));
    let shapes = [
        ball.clone(),
        Shape::cuboid(0.3, 0.2, 0.4).unwrap(),
        Shape::capsule(0.3, 0.2).unwrap(),
        Shape::cylinder(0.2, 0.3).unwrap(),
        Shape::cone(0.3, 0.3).unwrap(),
        Shape::hull(&points).unwrap(),
        Shape::compound(ends.to_vec()).unwrap(),
    ];
    let rubber = world.add_material(Material::named("rubber").unwrap()).unwrap();
    let mut removed = Vec::new();
    for i in 0..42 {
        let at = [f64::from(i % 6) * 1.1 - 4.0, 1.0 + f64::from(i / 6) * 0.9, f64::from(i % 4) * 0.7 - 1.0];
        let mut collider = ColliderDesc::new(shapes[i as usize % shapes.len()].clone());
        if i % 5 == 0 {
            collider = collider.material(rubber);
        }
        let id = world.add_body(BodyDesc::dynamic().name(format!("body-{i}")).position(at).collider(collider)).unwrap();
        if i % 9 == 4 {
            removed.push(id);
        }
    }
    for id in removed {
        world.remove_body(id).unwrap();
    }
    world
}

/// A world that is saved and restored at any moment, or copied, goes on with the same bits as one that never stopped.
#[test]
fn going_on_after_restore_gives_the_same_bits() {
    let mut world = assorted();
    let (mut restored, mut copies) = (Vec::new(), Vec::new());
    for step in 0..240 {
        if step % 60 == 7 {
            let mut other = World::new();
            other.restore(&world.snapshot().unwrap()).unwrap();
            assert_eq!(other.hash(), world.hash(), "restored at {step}");
            assert_eq!(other.events(), world.events());
            restored.push(other);
            copies.push(world.clone());
        }
        for w in restored.iter_mut().chain(&mut copies).chain([&mut world]) {
            w.step(dt()).unwrap();
            if step == 100 {
                let id = w.find_body("body-3").unwrap();
                w.remove_body(id).unwrap();
                w.add_body(BodyDesc::dynamic().position([0.0, 6.0, 0.0]).collider(Shape::sphere(0.4).unwrap()))
                    .unwrap();
            }
        }
        for (i, other) in restored.iter().chain(&copies).enumerate() {
            assert_eq!(other.hash(), world.hash(), "world {i} after step {step}");
        }
    }
    let ids: Vec<_> = world.body_ids().collect();
    assert!(restored.iter().all(|w| w.body_ids().eq(ids.iter().copied())), "ids stay valid");
}

/// The same where friction acts at points, whose impulses across the normal are kept for each of them; also after the method has been swapped.
#[test]
fn friction_at_points_goes_on_after_restore() {
    let points = Method { friction: FrictionModel::Point, ..Method::simultaneous() };
    let mut world = pile(3, 3);
    world.set_method(points.clone()).unwrap();
    for id in world.body_ids().skip(1).collect::<Vec<_>>() {
        world.body_mut(id).unwrap().set_linear_velocity([1.0, 0.0, 0.5]).unwrap();
    }
    for step in 0..60 {
        world.step(dt()).unwrap();
        if step == 20 {
            world.set_method(Method::soft_step()).unwrap();
        }
        if step == 40 {
            world.set_method(points.clone()).unwrap();
        }
        if step % 10 == 5 {
            let mut other = World::new();
            other.restore(&world.snapshot().unwrap()).unwrap();
            let mut copy = world.clone();
            for w in [&mut other, &mut copy] {
                w.step(dt()).unwrap();
            }
            assert_eq!(other.hash(), copy.hash(), "restored at {step}");
        }
    }
    assert!(world.contacts().count() > 9, "they touch");
}

/// The hash notices every kind of change.
#[test]
fn hash_covers_what_the_next_step_reads() {
    let world = assorted();
    let edits: Vec<(&str, fn(&mut World))> = vec![
        ("gravity", |w| w.set_gravity([0.0, -9.8, 0.0]).unwrap()),
        ("pose", |w| edit(w, |b| b.set_position([1.0, 2.0, 3.0]))),
        ("velocity", |w| edit(w, |b| b.set_linear_velocity([0.0, 0.0, 1e-3]))),
        ("force", |w| edit(w, |b| b.set_force([1e-3, 0.0, 0.0]))),
        ("damping", |w| edit(w, |b| b.set_damping(0.0, 1e-3))),
        ("gravity scale", |w| edit(w, |b| b.set_gravity_scale(0.5))),
        ("limits", |w| edit(w, |b| b.set_speed_limits(99.0, 99.0))),
        ("locks", |w| edit(w, |b| b.set_locks(tumble::Locks::MOVE_X))),
        ("can sleep", |w| {
            edit(w, |b| {
                b.set_can_sleep(false);
                Ok(())
            })
        }),
        ("user data", |w| {
            edit(w, |b| {
                b.set_user_data(7);
                Ok(())
            })
        }),
        ("name", |w| {
            edit(w, |b| {
                b.set_name(None);
                Ok(())
            })
        }),
        ("active", |w| {
            edit(w, |b| {
                b.set_active(false);
                Ok(())
            })
        }),
        ("kind", |w| edit(w, |b| b.set_kind(tumble::BodyKind::Kinematic))),
        ("mass", |w| edit(w, |b| b.set_mass(tumble::MassSource::Total(3.0)))),
        ("method", |w| {
            let mut method = w.method().clone();
            method.tolerances.slop *= 2.0;
            w.set_method(method).unwrap();
        }),
        ("clock", |w| w.set_clock(tumble::Clock { speed: 2.0, ..*w.clock() }).unwrap()),
        ("material", |w| {
            w.add_material(Material::default()).unwrap();
        }),
    ];
    for (what, change) in edits {
        let mut other = world.clone();
        change(&mut other);
        assert_ne!(other.hash(), world.hash(), "{what}");
    }
    fn edit(w: &mut World, act: impl FnOnce(&mut tumble::BodyMut<'_>) -> tumble::Result<()>) {
        let id = w.find_body("body-1").unwrap();
        act(&mut w.body_mut(id).unwrap()).unwrap();
    }
}

/// Bytes that are cut short or altered anywhere are refused, and the world stays as it was.
#[test]
fn damaged_snapshots_are_refused() {
    let mut world = pile(2, 2);
    for _ in 0..20 {
        world.step(dt()).unwrap();
    }
    let good = world.snapshot().unwrap();
    let mut other = assorted();
    let before = other.hash();
    for cut in 0..good.len() {
        assert!(other.restore(&good[..cut]).is_err(), "cut at {cut}");
    }
    for at in 0..good.len() {
        let mut bad = good.clone();
        bad[at] ^= 0x41;
        assert!(other.restore(&bad).is_err(), "altered at {at} of {}", good.len());
    }
    assert_eq!(other.hash(), before);
}

/// A snapshot that several threads share in reading gives the same world as one does; cut or altered anywhere, be it where one thread reads or
/// the other, it is refused with the same words and leaves the world as it was.
#[test]
fn threads_restore_the_same_world() {
    let mut world = pile(6, 6);
    for _ in 0..20 {
        world.step(dt()).unwrap();
    }
    let bytes = world.snapshot().unwrap();
    assert!(bytes.len() > 1 << 18, "{} bytes are read by one thread", bytes.len());
    let mut alone = World::new();
    let mut others = [2, 3].map(|threads| {
        let mut other = World::new();
        other.set_threads(threads).unwrap();
        other
    });
    let before = alone.hash();
    let step = bytes.len() / 97;
    for place in (0..bytes.len()).step_by(step).chain((16..80).step_by(8)).chain([bytes.len() - 1]) {
        let mut altered = bytes.clone();
        altered[place] ^= 0x40;
        for bad in [&altered[..], &bytes[..place]] {
            let refused = alone.restore(bad).unwrap_err().to_string();
            for other in &mut others {
                assert_eq!(other.restore(bad).unwrap_err().to_string(), refused, "byte {place}");
                assert_eq!(other.hash(), before);
            }
        }
    }
    alone.restore(&bytes).unwrap();
    alone.step(dt()).unwrap();
    for other in &mut others {
        other.restore(&bytes).unwrap();
        assert_eq!(other.hash(), world.hash());
        let shared = &*other;
        std::thread::scope(|scope| {
            for saver in [(); 2].map(|()| scope.spawn(|| shared.snapshot().unwrap() == bytes)) {
                assert!(saver.join().unwrap(), "saved on {} threads", shared.threads());
            }
        });
        other.step(dt()).unwrap();
        assert_eq!(other.hash(), alone.hash());
    }
}

/// A snapshot of another format, or for the other crate, is refused and says which it is.
#[test]
fn foreign_snapshots_say_what_they_are() {
    let good = pile(1, 1).snapshot().unwrap();
    let version = SNAPSHOT_VERSION.to_le_bytes();
    let at = good.windows(4).position(|w| w == version).expect("the version follows the magic");
    let mut world = assorted();
    let before = world.hash();
    let mut refusal = |at: usize, value: u32| {
        let mut other = good.clone();
        other[at..at + 4].copy_from_slice(&value.to_le_bytes());
        world.restore(&other).unwrap_err().to_string()
    };
    for (value, by) in [(SNAPSHOT_VERSION + 1, "a newer"), (SNAPSHOT_VERSION - 1, "an older"), (0, "an older")] {
        let text = refusal(at, value);
        let expected = format!("written by {by} engine in format {value}; this one reads format {SNAPSHOT_VERSION}");
        assert!(text.contains("snapshot") && text.contains(&expected), "{text}");
    }
    let (bytes, name) = if size_of::<Real>() == 4 { (8, "tumble-f64") } else { (4, "tumble") };
    let text = refusal(at + 4, bytes);
    assert!(text.contains(&format!("{} bits", 8 * bytes)) && text.contains(&format!("crate {name}")), "{text}");
    let text = refusal(0, 0x7064_6673);
    assert!(text.contains("no snapshot"), "{text}");
    assert_eq!(world.hash(), before);
}

/// Snapshots are compact: a body that flies with one collider and a contact of four points take some hundred bytes each, and a world no more than it holds in
/// memory.
#[test]
fn snapshots_are_compact() {
    let size = |world: &World| world.snapshot().unwrap().len() as f64;
    let mut world = World::new();
    let empty = size(&world);
    for i in 0..1000 {
        let ball = BodyDesc::dynamic().position([3.0 * f64::from(i), 0.0, 0.0]).collider(Shape::sphere(0.5).unwrap());
        world.add_body(ball).unwrap();
    }
    let body = (size(&world) - empty) / 1000.0;
    let before = live_bytes();
    let mut world = pile(10, 10);
    world.set_keep_start(false);
    for _ in 0..30 {
        world.step(dt()).unwrap();
    }
    let held = (live_bytes() - before) as f64;
    let (contacts, bodies) = (world.contacts().count() as f64, world.body_count() as f64);
    let contact = (size(&world) - empty - bodies * body) / contacts;
    let share = size(&world) / held;
    println!("{empty} bytes empty, {body} for a body, {contact} for a contact; {share:.2} of the memory");
    // Numbers are twice as long in f64, indices are not.
    let wide = size_of::<Real>() as f64 / 4.0;
    // An empty world is its method: some seventy numbers, names and the lengths of lists.
    let most = 650.0 + 300.0 * wide;
    assert!(empty < most && body < 600.0 * wide && contact < 660.0 * wide, "{empty}, {body}, {contact}");
    assert!(share < 1.0, "{share} of what it holds in memory");
}

/// A platform that stops only what comes from above.
struct OneWay;

impl ContactHook for OneWay {
    fn name(&self) -> &str {
        "one-way"
    }

    fn contact(&self, contact: &mut HookedContact<'_>) {
        // The normal points from A to B; the platform was added first and is A. What is below, or rises, passes.
        let rises = contact.points().any(|p| p.velocity.y > 0.1);
        if contact.normal().y < 0.7 || (rises && !contact.was_touching()) {
            contact.refuse();
        }
    }
}

/// A ball jumps up through a one-way platform and lands on top of it; the same bits after a restore in mid-flight.
#[test]
fn hook_makes_a_one_way_platform() {
    let mut world = World::new();
    world.set_contact_hook(Some(Arc::new(OneWay)));
    let platform = ColliderDesc { hooked: true, ..ColliderDesc::new(Shape::cuboid(2.0, 0.1, 2.0).unwrap()) };
    world.add_body(BodyDesc::fixed().position([0.0, 2.0, 0.0]).collider(platform)).unwrap();
    let ball = BodyDesc::dynamic().linear_velocity([0.0, 8.0, 0.0]).collider(Shape::sphere(0.3).unwrap());
    let id = world.add_body(ball).unwrap();
    let mut other = None;
    for step in 0..180 {
        world.step(dt()).unwrap();
        if step == 20 {
            let mut copy = World::new();
            assert!(copy.restore(&world.snapshot().unwrap()).is_err(), "a world with a hook needs the hook");
            copy.set_contact_hook(Some(Arc::new(OneWay)));
            copy.restore(&world.snapshot().unwrap()).unwrap();
            other = Some(copy);
        } else if let Some(other) = &mut other {
            other.step(dt()).unwrap();
            assert_eq!(other.hash(), world.hash());
        }
    }
    let y = world.body(id).unwrap().position().y;
    assert!((y - 2.4).abs() < 0.02, "rests on top, at {y}");
}

/// Every contact that began ends exactly once, also by removal; an impact is told with its speed.
#[test]
fn events_pair_up_and_impacts_are_told() {
    let mut world = World::new();
    world.add_body(BodyDesc::fixed().collider(Shape::half_space(Vec3::Y, 0.0).unwrap())).unwrap();
    let told = ColliderDesc { impact_speed: 1.0, ..ColliderDesc::new(Shape::sphere(0.5).unwrap()) };
    let id = world.add_body(BodyDesc::dynamic().position([0.0, 3.0, 0.0]).collider(told)).unwrap();
    let (mut began, mut ended, mut impacts) = (0, 0, Vec::new());
    for step in 0..200 {
        if step == 150 {
            world.remove_body(id).unwrap();
        }
        world.step(dt()).unwrap();
        for event in world.events() {
            match event {
                Event::ContactBegan { .. } => began += 1,
                Event::ContactEnded { .. } => ended += 1,
                Event::Impact { speed, normal, point, .. } => impacts.push((*speed, *normal, *point)),
                _ => {}
            }
        }
    }
    assert_eq!((began, ended), (1, 1));
    let (speed, normal, point): (Real, Vec3, Point) = impacts[0];
    // v = sqrt(2 g 2.5 m), less what falls between the last step and the touch.
    assert_eq!(impacts.len(), 1);
    assert!((speed - 7.0).abs() < 0.2, "impact at {speed} m/s");
    assert!(normal.y.abs() > 0.99 && point.y.abs() < 0.1);
}

/// Copying a world is copying its memory, list by list: 10,000 bodies with their contacts take at most four times as long as copying as many bytes as
/// their snapshot has in one piece. The best of many counts, since others may use the machine.
#[test]
#[ignore = "long: a measurement of time, for a release build on a quiet machine"]
fn a_copy_runs_at_the_speed_of_memory() {
    let mut world = pile(32, 10);
    for _ in 0..30 {
        world.step(dt()).unwrap();
    }
    world.set_keep_start(false);
    let bytes = world.snapshot().unwrap();
    let best = |run: &mut dyn FnMut()| {
        let time = |_| {
            let start = std::time::Instant::now();
            run();
            start.elapsed().as_secs_f64()
        };
        (0..40).map(time).fold(f64::INFINITY, f64::min)
    };
    let plain = best(&mut || drop(std::hint::black_box(bytes.to_vec())));
    let copy = best(&mut || drop(std::hint::black_box(world.clone())));
    let (bodies, ratio) = (world.body_count(), copy / plain);
    println!("{bodies} bodies, {} bytes: copied in {:.2} ms, {ratio:.1} times", bytes.len(), copy * 1e3);
    assert!(bodies >= 10_000 && ratio < 4.0, "{ratio} times as long as {plain} s");
}

/// Not a test but a measurement: run it in release, with `--ignored --nocapture`. The bar is 5 ms each way for 10,000
/// bodies with their contacts; `cargo xtask bench --snapshots` judges it. This pile has 93,000 pairs.
#[test]
#[ignore = "a measurement"]
fn speed() {
    let mut world = pile(32, 10);
    for _ in 0..30 {
        world.step(dt()).unwrap();
    }
    // The share of a busy machine that this thread got does not matter: its own time does.
    let cpu = || -> Option<f64> {
        let stat = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        stat.split(' ').next()?.parse().ok().map(|ns: f64| ns * 1e-6)
    };
    let measure = |what: &str, run: &mut dyn FnMut()| {
        const RUNS: usize = 40;
        let before = cpu();
        let mut best = f64::INFINITY;
        for _ in 0..RUNS {
            let start = std::time::Instant::now();
            run();
            best = best.min(start.elapsed().as_secs_f64() * 1e3);
        }
        let mean = before.zip(cpu()).map_or(f64::NAN, |(a, b)| (b - a) / RUNS as f64);
        println!("{what}: best {best:.2} ms, mean {mean:.2} ms of processor time");
    };
    let bytes = world.snapshot().unwrap();
    let mut kept = Vec::new();
    let mut other = World::new();
    println!("{} bodies, {} bytes, {:?}", world.body_count(), bytes.len(), world.profile());
    measure("step", &mut || world.clone().step(dt()).unwrap());
    measure("snapshot", &mut || drop(world.snapshot().unwrap()));
    measure("snapshot_into", &mut || world.snapshot_into(&mut kept).unwrap());
    measure("restore", &mut || other.restore(&bytes).unwrap());
    other.set_threads(2).unwrap();
    world.set_threads(2).unwrap();
    measure("snapshot_into on two threads", &mut || world.snapshot_into(&mut kept).unwrap());
    measure("restore on two threads", &mut || other.restore(&bytes).unwrap());
    measure("hash", &mut || assert_ne!(world.hash(), 0));
    measure("clone", &mut || drop(world.clone()));
    assert_eq!(other.hash(), world.hash());
}
