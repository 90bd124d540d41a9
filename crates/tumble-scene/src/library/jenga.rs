//! A tower of blocks, three to a layer.

use super::props::{Things, floor, tune};
use crate::error::Result;
use crate::{Camera, Parameter, Scene, Stage, Values};
use tumble::math::{Float, Real, Vec3};
use tumble::shape::Shape;
use tumble::{BodyDesc, Material};

/// Length, height and breadth of a block, in metres.
const BLOCK: [f64; 3] = [0.075, 0.015, 0.025];

pub fn scene() -> Scene {
    Scene::new("jenga", build)
        .seed("beyond the seeds")
        .description(
            "Layers of three blocks, crosswise. It stands on any block in the middle of a layer or any two at its sides; \
             take the middle one and one at the side, and it falls.",
        )
        .parameter(Parameter::new("layers", 10.0).range(1.0, 30.0).whole().help("How many"))
        .parameter(Parameter::new("friction", 0.4).range(0.1, 1.0).help("Coefficient of friction"))
        .camera(Camera::new([0.2, 0.2, 0.4], [0.0, 0.07, 0.0]))
        .check("stands", "The highest layer stays where it is; farthest block, in heights of a block", "")
}

fn build(stage: &mut Stage, values: &Values) -> Result<()> {
    let material = Material::default().with_friction(values.real("friction")?).with_density(600.0);
    tune(stage, BLOCK[0])?;
    // In sub-steps of 4 ms blocks of a centimetre and a half sink so far into each other that a tower which lacks a block leans, and falls.
    stage.prefer_dt(1.0 / 240.0)?;
    floor(stage, material.clone())?;
    let mut highest = Things::default();
    let [a, b, c] = BLOCK.map(|v| (0.5 * v) as Real);
    for layer in 0..values.count("layers")? {
        highest = Things::default();
        for i in 0..3 {
            let side = (f64::from(i) - 1.0) * BLOCK[2];
            let y = (f64::from(layer) + 0.5) * BLOCK[1];
            let (at, turn) =
                if layer % 2 == 0 { ([0.0, y, side], 0.0) } else { ([side, y, 0.0], Real::from_f64(f64::PI / 2.0)) };
            let desc = BodyDesc::dynamic().name(format!("block-{layer}-{i}")).position(at).turned(Vec3::Y, turn);
            let shape = stage.engine(|_| Shape::cuboid(a, b, c))?;
            highest.add(stage, desc, shape, material.clone())?;
        }
    }
    stage.run_for(60.0);
    stage.check_always("stands", move |world| highest.moved(world, BLOCK[1], 0.1));
    Ok(())
}
