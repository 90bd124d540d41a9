//! Blocks of different sizes, stacked on scales.

use super::props::{Things, body, cuboid, joint};
use crate::error::Result;
use crate::{Camera, Parameter, Reading, Said, Scene, Stage, Values};
use tumble::math::{Float, Point, Real};
use tumble::{BodyDesc, JointDesc, Material, World};

/// The stacks from the left: edges of their blocks from the lowest to the highest.
const STACKS: [&[[f64; 3]]; 3] = [
    &[[1.0, 0.5, 1.0], [0.8, 0.5, 0.8], [0.6, 0.5, 0.6], [0.4, 0.5, 0.4]],
    &[[0.5, 1.0, 0.5], [1.0, 0.2, 1.0], [0.5, 0.5, 0.5]],
    &[[0.6, 0.3, 0.6], [0.6, 0.3, 0.6], [0.6, 0.3, 0.6], [0.6, 0.3, 0.6], [0.6, 0.3, 0.6]],
];

pub fn scene() -> Scene {
    Scene::new("stacked-blocks", build)
        .seed("000, S3")
        .description("Three stacks of blocks, each on a plate that weighs what stands on it. They come to rest, and the scales show their weight.")
        .parameter(Parameter::new("density", 1000.0).range(100.0, 10_000.0).unit("kg/m³").help("Density of the blocks"))
        .parameter(Parameter::new("drop", 0.05).range(0.0, 0.1).unit("m").help("How far apart they start"))
        .camera(Camera::new([1.0, 3.0, 7.0], [0.0, 1.0, 0.0]))
        .check("weight", "Each scale shows the weight of its stack in the end; largest error as a share", "")
        .check("height", "The heights stay from 5 s on; largest change", "m")
        .check("overlap", "No block lies in another; deepest", "m")
        .check("asleep", "All have come to rest; how many have not", "")
}

fn build(stage: &mut Stage, values: &Values) -> Result<()> {
    let (density, drop) = (values.get("density")?, values.get("drop")?);
    let material = Material::default().with_density(density as Real);
    let mut blocks = Things::default();
    let mut scales = Vec::new();
    for (s, stack) in STACKS.into_iter().enumerate() {
        let x = 1.6 * (s as f64 - 1.0);
        let shape = cuboid(stage, [1.4, 0.1, 1.4])?;
        let plate = BodyDesc::dynamic().name(format!("plate-{s}")).position([x, -0.05, 0.0]).gravity_scale(0.0);
        let plate = body(stage, plate, shape, &material)?;
        let scale = JointDesc::fixed(World::BODY, plate).anchor([x, -0.05, 0.0]).name(format!("scale-{s}"));
        let volume: f64 = stack.iter().map(|[a, b, c]| a * b * c).sum();
        scales.push((joint(stage, scale)?, volume * density * 9.81));
        let mut y = 0.0;
        for (i, edges) in stack.iter().enumerate() {
            y += drop + edges[1];
            let shape = cuboid(stage, *edges)?;
            let at = Point::new(x, y - 0.5 * edges[1], 0.0);
            blocks.add(
                stage,
                BodyDesc::dynamic().name(format!("block-{s}-{i}")).position(at),
                shape,
                material.clone(),
            )?;
        }
    }
    stage.run_for(10.0);

    // Before they fall asleep: a joint of sleepers shows its last force.
    stage.check_always("weight", move |world| {
        let shown = |&(scale, weight): &(tumble::JointId, f64)| {
            let force = world.joint(scale).map_or(f64::NAN, |joint| joint.force().y.to_f64());
            Reading::at_most((force / weight - 1.0).abs(), 0.01)
        };
        let late = world.time() > 4.0;
        if late { scales.iter().map(shown).reduce(Reading::or_worse) } else { None }
    });
    let all = blocks.clone();
    let mut start: Option<Vec<f64>> = None;
    stage.check_always("height", move |world| {
        if world.time() < 5.0 {
            return None;
        }
        let now: Vec<f64> = all.ids.iter().map(|&id| super::props::place(world, id).y).collect();
        let start = start.get_or_insert_with(|| now.clone());
        let changes = now.iter().zip(start).map(|(a, b)| Reading::at_most((a - *b).abs(), 1e-3));
        changes.reduce(Reading::or_worse)
    });
    stage.check_said("overlap", Said::at_most("depth()", 0.006).at_end());
    stage.check_said("asleep", Said::at_most("awake('block-*')", 0.0).at_end());
    Ok(())
}
