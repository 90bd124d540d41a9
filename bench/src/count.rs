//! Work of fixed size for counting instructions: whole steps of small worlds in which one kernel does most of the work.
//!
//! Callgrind counts what happens inside [`counted`] and nothing else: `--toggle-collect=*counted*`.

use crate::Fault;
use std::hint::black_box;
use tumble::constraint::joint::{Ball, Fixed, Hinge};
use tumble::math::{Isa, Vec3};
use tumble::shape::Shape;
use tumble::{BodyDesc, JointDesc, JointKind, QueryFilter, RayCast, World};
use tumble_scene::library;

/// A kernel: a world, warmed up by some steps, and the work that is counted.
pub struct Kernel {
    pub name: &'static str,
    build: fn() -> Result<World, Fault>,
    warm_up: u32,
    work: fn(&mut World) -> tumble::Result<()>,
}

const DT: f64 = 1.0 / 60.0;

/// All kernels, in the order of the table.
pub const KERNELS: &[Kernel] = &[
    Kernel { name: "box-contacts", build: || scene("pyramid", "base", 20.0), warm_up: 20, work: step },
    Kernel { name: "hull-contacts", build: || scene("convex-pile", "stones", 125.0), warm_up: 60, work: step },
    Kernel { name: "ball-contacts", build: || scene("ball-pit", "balls", 216.0), warm_up: 60, work: step },
    Kernel { name: "ball-joints", build: || net(Ball::default().into()), warm_up: 4, work: step },
    Kernel { name: "hinges", build: || net(Hinge::default().into()), warm_up: 4, work: step },
    Kernel { name: "fixed-joints", build: || net(Fixed.into()), warm_up: 4, work: step },
    Kernel { name: "ragdolls-on-mesh", build: || scene("ragdolls", "ragdolls", 9.0), warm_up: 40, work: step },
    Kernel { name: "skeletons-on-mesh", build: || scene("skeletons", "skeletons", 9.0), warm_up: 40, work: step },
    Kernel { name: "forward-dynamics", build: || Ok(crate::dynamics::chain(32)?.0), warm_up: 0, work: forward },
    Kernel { name: "ray-casts", build: || scene("many-pyramids", "rows", 4.0), warm_up: 1, work: cast },
    Kernel { name: "snapshot", build: || scene("falling-boxes", "boxes", 125.0), warm_up: 60, work: keep },
];

/// Runs a kernel in an instruction set.
pub fn run(kernel: &str, isa: &str) -> Result<(), Fault> {
    let kernel = KERNELS.iter().find(|k| k.name == kernel).ok_or("no kernel has this name")?;
    let isa = Isa::available().into_iter().find(|i| i.name() == isa).ok_or("this machine lacks the instruction set")?;
    let mut world = (kernel.build)()?;
    let mut method = world.method().clone();
    method.switches.sleep = false;
    world.set_method(method)?;
    world.set_keep_start(false);
    world.set_isa(isa);
    for _ in 0..kernel.warm_up {
        world.step(DT as _)?;
    }
    counted(&mut world, kernel.work)?;
    Ok(())
}

/// Callgrind knows it by this name.
#[inline(never)]
fn counted(world: &mut World, work: fn(&mut World) -> tumble::Result<()>) -> tumble::Result<()> {
    black_box(work)(black_box(world))
}

fn step(world: &mut World) -> tumble::Result<()> {
    (0..4).try_for_each(|_| world.step(DT as _))
}

fn cast(world: &mut World) -> tumble::Result<()> {
    let rays: Vec<RayCast> = (0..1_000)
        .map(|i| {
            let (x, z) = (f64::from(i % 40) * 0.3, f64::from(i / 40) * 0.6);
            RayCast::between([x, 6.0, z], [12.0 - x, 0.0, 14.0 - z])
        })
        .collect();
    world.cast_rays(&rays, &QueryFilter::new(), &mut Vec::new())
}

fn forward(world: &mut World) -> tumble::Result<()> {
    let Some(id) = world.articulation_ids().next() else { return Ok(()) };
    let tree = world.articulation(id)?;
    for _ in 0..100 {
        black_box(tree.forward_dynamics());
    }
    Ok(())
}

fn keep(world: &mut World) -> tumble::Result<()> {
    let bytes = world.snapshot()?;
    world.restore(black_box(&bytes))
}

fn scene(name: &str, parameter: &str, value: f64) -> Result<World, Fault> {
    let scene = library::find(name)?;
    Ok(scene.setup().set(parameter, value)?.start()?.world().clone())
}

/// A net of 12 by 12 balls with joints of one kind, which swings.
fn net(kind: JointKind) -> Result<World, Fault> {
    const SIZE: usize = 12;
    let mut world = World::new();
    let ball = Shape::sphere(0.3)?;
    let mut ids = Vec::new();
    for i in 0..SIZE * SIZE {
        let (row, column) = (i / SIZE, i % SIZE);
        let at = [column as f64, -(row as f64), 0.0];
        let desc = if row == 0 { BodyDesc::fixed() } else { BodyDesc::dynamic().linear_velocity([0.0, 0.0, 0.1]) };
        ids.push(world.add_body(desc.position(at).collider(ball.clone()))?);
        if row > 0 {
            let joint = JointDesc::new(ids[i - SIZE], ids[i], kind.clone());
            world.add_joint(joint.anchor([at[0], at[1] + 0.5, 0.0]).axis(Vec3::X))?;
        }
        if row > 0 && column > 0 {
            let joint = JointDesc::new(ids[i - 1], ids[i], kind.clone());
            world.add_joint(joint.anchor([at[0] - 0.5, at[1], 0.0]).axis(Vec3::X))?;
        }
    }
    Ok(world)
}
