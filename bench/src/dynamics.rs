//! How fast the dynamics of articulations are: forward dynamics per degree of freedom, and ragdolls as trees beside ragdolls of
//! joints.

use crate::Fault;
use std::hint::black_box;
use std::time::Instant;
use tumble::articulation::{ArticulationDesc, LinkDesc};
use tumble::shape::Shape;
use tumble::{ArticulationId, BodyDesc, World};
use tumble_scene::library;

/// Calls of one measurement; the fastest of several counts, since nothing makes code faster than it is.
const CALLS: u32 = 2_000;
const ROUNDS: u32 = 15;

/// Prints all figures.
pub fn run() -> Result<(), Fault> {
    println!("forward dynamics, one core, {} bits:", 8 * size_of::<tumble::math::Real>());
    let (world, id) = chain(32)?;
    forward("chain of 32 links", &world, id)?;
    let scene = library::find("humanoid")?;
    let humanoid = scene.setup().start()?;
    let id = humanoid.world().articulation_ids().next().ok_or("no humanoid")?;
    forward("humanoid", humanoid.world(), id)?;

    println!("ragdolls on a mesh, one core, the steps from 1 s to 2 s:");
    for count in [100.0, 1_000.0] {
        let joints = ragdolls("ragdolls", count)?;
        let trees = ragdolls("skeletons", count)?;
        let ratio = trees / joints;
        println!("  {count:5} ragdolls: {joints:.2} ms with joints, {trees:.2} ms as articulations, ratio {ratio:.2}");
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
    println!("  {name}: {:.0} ns per degree of freedom ({:.2} µs for {dofs})", best * 1e9 / dofs as f64, best * 1e6);
    Ok(())
}

/// Milliseconds of a step.
fn ragdolls(scene: &str, count: f64) -> Result<f64, Fault> {
    let scene = library::find(scene)?;
    let parameter = scene.parameters.first().ok_or("no parameter")?.name.to_string();
    let mut world = scene.setup().set(&parameter, count)?.start()?.world().clone();
    let mut method = world.method().clone();
    method.switches.sleep = false;
    world.set_method(method)?;
    world.set_keep_start(false);
    let dt = (1.0 / 60.0) as _;
    for _ in 0..60 {
        world.step(dt)?;
    }
    let start = Instant::now();
    for _ in 0..60 {
        world.step(dt)?;
    }
    Ok(start.elapsed().as_secs_f64() * 1e3 / 60.0)
}
