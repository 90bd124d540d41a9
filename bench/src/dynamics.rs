//! How fast the dynamics of articulations are: forward dynamics per degree of freedom, and ragdolls as trees beside ragdolls of
//! joints.

use crate::Fault;
use serde_json::json;
use std::hint::black_box;
use std::time::Instant;
use tumble::articulation::{ArticulationDesc, LinkDesc};
use tumble::shape::Shape;
use tumble::{ArticulationId, BodyDesc, World};
use tumble_scene::bench::processor_ms;
use tumble_scene::library;

/// Calls of one measurement, which is over before the system takes the processor away; the fastest of many counts, since nothing
/// makes code faster than it is.
const CALLS: u32 = 200;
const ROUNDS: u32 = 150;
/// Ragdolls of both kinds take turns, so often; the best of each counts.
const TURNS: u32 = 3;

/// Prints all figures, a line of JSON each.
pub fn run() -> Result<(), Fault> {
    let (world, id) = chain(32)?;
    forward("chain of 32 links", &world, id)?;
    let scene = library::find("humanoid")?;
    let humanoid = scene.setup().start()?;
    let id = humanoid.world().articulation_ids().next().ok_or("no humanoid")?;
    forward("humanoid", humanoid.world(), id)?;

    for count in [100, 1_000] {
        let [mut joints, mut trees] = [None; 2];
        for _ in 0..TURNS {
            for (scene, best) in [("ragdolls", &mut joints), ("skeletons", &mut trees)] {
                let fall = ragdolls(scene, f64::from(count))?;
                *best = Some(best.map_or(fall, |best: Fall| best.or_better(fall)));
            }
        }
        let [joints, trees] = [joints, trees].map(|best| best.ok_or("no turn"));
        let (joints, trees) = (joints?, trees?);
        println!(
            "{}",
            json!({
                "ragdolls": count,
                "joints_ms": joints.ms,
                "trees_ms": trees.ms,
                "ratio": trees.ms / joints.ms,
                "joints_points": joints.points,
                "trees_points": trees.points,
                "joints_gap": joints.gap,
                "trees_gap": trees.gap,
                "pass": joints.holds && trees.holds,
            })
        );
    }
    Ok(())
}

/// A chain that swings.
pub fn chain(links: usize) -> Result<(World, ArticulationId), Fault> {
    let mut world = World::new();
    let mut desc = ArticulationDesc::new();
    for i in 0..links {
        let rod = BodyDesc::dynamic().collider(Shape::capsule(0.2, 0.05)?);
        let link = LinkDesc::revolute(rod, [0.0, 0.0, 1.0]).anchor([0.0, 0.25, 0.0]).velocity(&[0.1]).position(&[0.1]);
        desc.add(if i == 0 { link } else { link.parent(i - 1).at([0.0, -0.25, 0.0]) });
    }
    let id = world.add_articulation(desc)?;
    Ok((world, id))
}

/// Time of one forward dynamics, per degree of freedom.
fn forward(name: &str, world: &World, id: ArticulationId) -> Result<(), Fault> {
    let tree = world.articulation(id)?;
    let mut out = vec![0.0; tree.dofs()];
    let mut work = tumble::articulation::Workspace::default();
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        for _ in 0..CALLS {
            black_box(tree).forward_dynamics_into(&mut work, &mut out)?;
            black_box(&out);
        }
        best = best.min(start.elapsed().as_secs_f64() / f64::from(CALLS));
    }
    let dofs = tree.dofs();
    let bits = 8 * size_of::<tumble::math::Real>();
    println!("{}", json!({ "of": name, "dofs": dofs, "us_per_dof": best * 1e6 / dofs as f64, "bits": bits }));
    Ok(())
}

/// What a crowd of ragdolls has cost, and what has become of it.
#[derive(Clone, Copy)]
struct Fall {
    /// Milliseconds of a step on one core.
    ms: f64,
    /// Contact points, the mean over the steps that were measured.
    points: f64,
    /// The figure of the scene's check of that name after them.
    gap: f64,
    /// All checks of the scene hold then: no joint has come apart, and no part has fallen through the ground or is thrown away.
    holds: bool,
}

impl Fall {
    /// The faster one. One that does not hold stays.
    fn or_better(self, other: Self) -> Self {
        let faster = if other.ms < self.ms { other } else { self };
        Self { holds: self.holds && other.holds, ..faster }
    }
}

/// Over the steps from 1 s to 2 s: on a mesh, in a heap.
fn ragdolls(scene: &str, count: f64) -> Result<Fall, Fault> {
    const STEPS: u32 = 60;
    let scene = library::find(scene)?;
    let parameter = scene.parameters.first().ok_or("no parameter")?.name.to_string();
    let mut run = scene.setup().set(&parameter, count)?.start()?;
    let mut world = run.world().clone();
    let mut method = world.method().clone();
    method.switches.sleep = false;
    world.set_method(method)?;
    world.set_keep_start(false);
    let dt = (1.0 / 60.0) as _;
    for _ in 0..STEPS {
        world.step(dt)?;
    }
    let (start, processor, mut points) = (Instant::now(), processor_ms(), 0);
    for _ in 0..STEPS {
        world.step(dt)?;
        points += u64::from(world.profile().points);
    }
    // Where the system tells, what it took of the processor: others that use the machine do not count there.
    let (passed, used) = (start.elapsed().as_secs_f64() * 1e3, processor_ms() - processor);
    *run.world_mut() = world;
    let gap = run.verdicts().into_iter().find(|verdict| verdict.claim.name == "gap").and_then(|verdict| verdict.figure);
    let steps = f64::from(STEPS);
    Ok(Fall {
        ms: if used > 0.0 { used } else { passed } / steps,
        points: points as f64 / steps,
        gap: gap.unwrap_or(f64::NAN),
        holds: run.passed(),
    })
}
