//! Tumble's own driver.

use crate::Fault;
use serde_json::json;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::hint::black_box;
use std::time::Instant;
use tumble::method::{SoftStep, Step};
use tumble::{Method, QueryFilter, RayCast, Stage, World};
use tumble_scene::bench::{processor_ms, resident};
use tumble_scene::flat::Flat;

/// The words of the command line.
pub struct Order<'a> {
    pub list: &'a str,
    pub work: &'a str,
    pub repeats: &'a str,
    pub threads: &'a str,
    pub states: &'a str,
    pub substeps: Option<&'a str>,
}

const DT: f64 = 1.0 / 60.0;

/// Does the work and says what it took.
pub fn run(order: &Order<'_>) -> Result<(), Fault> {
    let flat = Flat::parse(&fs::read_to_string(order.list)?)?;
    let (repeats, threads): (u32, usize) = (order.repeats.parse()?, order.threads.parse()?);
    let before = resident();
    let mut method = Method::default();
    method.switches.sleep = false;
    if let (Some(substeps), Step::SoftStep(step)) = (order.substeps, &method.step) {
        method.step = Step::SoftStep(SoftStep { substeps: substeps.parse()?, ..step.clone() });
    }
    let mut world = flat.build_with(method)?;
    world.set_keep_start(false);
    world.set_threads(threads)?;
    // As the drivers of others do that have such a call, or whose trees are in order as bodies are added.
    world.order_trees();
    let Step::SoftStep(step) = &world.method().step else { return Err("another step".into()) };
    let settings = format!("{}, {} substeps, {} lanes", world.method().name, step.substeps, world.isa().name());
    println!(
        "{}",
        json!({ "engine": "tumble", "version": env!("CARGO_PKG_VERSION"), "threads": threads, "settings": settings })
    );
    let settle = match order.work {
        "steps" => 0,
        "rays" => 1,
        _ => 60,
    };
    for _ in 0..settle {
        world.step(DT as _)?;
    }
    let processor = processor_ms();
    match order.work {
        "steps" => {
            let mut stages = [0.0; Stage::ALL.len()];
            // Counting is only for comparisons of trees: elsewhere it would warm and cool what is measured.
            let (trees, mut points) = (!flat.trees.is_empty(), 0);
            for _ in 0..repeats {
                timed(|| world.step(DT as _))?;
                for (sum, (_, time)) in stages.iter_mut().zip(world.profile().stages()) {
                    *sum += time.as_secs_f64() * 1e3 / f64::from(repeats);
                }
                if trees {
                    points += world.contacts().map(|contact| contact.points().count()).sum::<usize>();
                }
            }
            if trees {
                println!("{}", json!({ "contacts": points as f64 / f64::from(repeats) }));
            }
            let stages: BTreeMap<&str, f64> = Stage::ALL.map(Stage::name).into_iter().zip(stages).collect();
            println!("{}", json!({ "stages": stages }));
        }
        "rays" => rays(&world, &flat, repeats)?,
        "snapshot" => snapshots(&mut world, repeats)?,
        other => return Err(format!("no work is called {other:?}").into()),
    }
    println!("{}", json!({ "processor_ms": processor_ms() - processor, "memory": resident().saturating_sub(before) }));
    let mut text = String::new();
    for state in Flat::states(&world) {
        let words: Vec<String> = state.iter().map(f64::to_string).collect();
        writeln!(text, "{}", words.join(" "))?;
    }
    fs::write(order.states, text)?;
    Ok(())
}

fn timed<T>(work: impl FnOnce() -> tumble::Result<T>) -> tumble::Result<T> {
    let start = Instant::now();
    let outcome = work()?;
    println!("{{\"ms\":{:.6}}}", start.elapsed().as_secs_f64() * 1e3);
    Ok(outcome)
}

fn rays(world: &World, flat: &Flat, repeats: u32) -> Result<(), Fault> {
    let rays: Vec<RayCast> =
        flat.rays.iter().map(|&[x, y, z, dx, dy, dz]| RayCast::between([x, y, z], [x + dx, y + dy, z + dz])).collect();
    let mut hits = Vec::new();
    for _ in 0..repeats {
        timed(|| world.cast_rays(&rays, &QueryFilter::new(), &mut hits))?;
    }
    let distance: f64 = hits.iter().flatten().map(|hit| hit.distance).sum();
    println!("{}", json!({ "hits": hits.iter().flatten().count(), "distance": distance }));
    Ok(())
}

fn snapshots(world: &mut World, repeats: u32) -> Result<(), Fault> {
    let (mut bytes, hash) = (Vec::new(), world.hash());
    for _ in 0..repeats {
        timed(|| {
            world.snapshot_into(&mut bytes)?;
            world.restore(black_box(&bytes))
        })?;
    }
    println!("{}", json!({ "bytes": bytes.len(), "same": world.hash() == hash }));
    Ok(())
}
