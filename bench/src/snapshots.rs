//! How long worlds of 10,000 bodies take to be saved and restored.

use crate::Fault;
use serde_json::json;
use std::hint::black_box;
use std::time::Instant;
use tumble::World;
use tumble_scene::bench;

/// Worlds of contacts, of contacts between hulls, and of joints.
const CASES: [&str; 3] = ["many-pyramids", "junkyard", "joint-grid"];
/// Steps before the first snapshot: piles have formed, nets swing.
const WARM_UP: u32 = 60;
/// How often each world is saved and restored; the best of each way counts, since nothing makes code faster than it is.
const TURNS: u32 = 40;

const DT: f64 = 1.0 / 60.0;

/// Prints all figures, a line of JSON each.
pub fn run() -> Result<(), Fault> {
    let all = std::thread::available_parallelism().map_or(1, usize::from);
    for case in CASES {
        let mut world = world(case)?;
        for threads in if all > 1 { vec![1, all] } else { vec![1] } {
            world.set_threads(threads)?;
            println!("{}", measure(case, &mut world)?);
        }
    }
    Ok(())
}

/// The world of a case, on its way.
fn world(case: &str) -> Result<World, Fault> {
    let case = bench::find(case)?;
    let scene = case.scene()?;
    let mut world = case.setup(&scene)?.start()?.world().clone();
    let mut method = world.method().clone();
    method.switches.sleep = false;
    world.set_method(method)?;
    world.set_keep_start(false);
    for _ in 0..WARM_UP {
        world.step(DT as _)?;
    }
    Ok(world)
}

/// Milliseconds to save, to restore and to clone a world. A step lies between saving and restoring, as it does where a game goes back: what it
/// reads and writes is no longer at hand then.
fn measure(case: &str, world: &mut World) -> Result<serde_json::Value, Fault> {
    let (mut bytes, hash) = (Vec::new(), world.hash());
    let [mut save, mut restore, mut copy] = [f64::INFINITY; 3];
    for _ in 0..TURNS {
        timed(&mut save, || world.snapshot_into(&mut bytes))?;
        world.step(DT as _)?;
        timed(&mut restore, || world.restore(black_box(&bytes)))?;
        let copied = timed(&mut copy, || Ok(world.clone()))?;
        drop(copied);
    }
    Ok(json!({
        "of": case,
        "bodies": world.body_count(),
        "contacts": world.contacts().count(),
        "joints": world.joint_ids().count(),
        "threads": world.threads(),
        "bytes": bytes.len(),
        "snapshot_ms": save,
        "restore_ms": restore,
        "clone_ms": copy,
        "same": world.hash() == hash,
    }))
}

/// Lowers `best` to the milliseconds that the work takes.
fn timed<T>(best: &mut f64, work: impl FnOnce() -> tumble::Result<T>) -> tumble::Result<T> {
    let start = Instant::now();
    let outcome = work()?;
    *best = best.min(start.elapsed().as_secs_f64() * 1e3);
    Ok(outcome)
}
