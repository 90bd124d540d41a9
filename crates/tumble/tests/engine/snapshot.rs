//! Snapshot, restore, hash and copies: going on is going on, to the bit.

use crate::support::{Random, real};
use std::sync::Arc;
use tumble::math::{Point, Pose, Quat, Real, Vec3, WorldPose};
use tumble::shape::{CompoundChild, Geometry, HeightFieldDesc, MeshDesc, Shape, Sides};
use tumble::{
    BodyDesc, BodyId, BodyKind, Clock, ColliderDesc, ColliderId, Event, Integrate, Layers, Locks, MassSource, Material,
    MaterialId, Method, Mix, Pace, SNAPSHOT_VERSION, Softness, World, library_pair,
};

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

/// Not a test but a measurement: run it in release, with `--ignored --nocapture`. The bar is 5 ms each way for 10,000
/// bodies with their contacts.
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
    let bytes = world.snapshot();
    let mut kept = Vec::new();
    let mut other = World::new();
    println!("{} bodies, {} bytes, {:?}", world.body_count(), bytes.len(), world.profile());
    measure("step", &mut || world.clone().step(dt()).unwrap());
    measure("snapshot", &mut || drop(world.snapshot()));
    measure("snapshot_into", &mut || world.snapshot_into(&mut kept));
    measure("restore", &mut || other.restore(&bytes).unwrap());
    measure("hash", &mut || assert_ne!(world.hash(), 0));
    measure("clone", &mut || drop(world.clone()));
    assert_eq!(other.hash(), world.hash());
}
