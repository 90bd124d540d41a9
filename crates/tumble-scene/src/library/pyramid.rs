//! A pyramid of boxes.

use super::props::{Things, floor, tune};
use crate::error::Result;
use crate::{Camera, Parameter, Said, Scene, Stage, Values};
use tumble::math::Real;
use tumble::shape::Shape;
use tumble::{BodyDesc, Material};

pub fn scene() -> Scene {
    Scene::new("pyramid", build)
        .seed("002, S6")
        .description(
            "A wall of boxes, each standing on two. The weight spreads on its way down, and what the solver has not found \
             yet in the first steps lets boxes slip.",
        )
        .parameter(Parameter::new("base", 20.0).range(1.0, 100.0).whole().help("Boxes in the lowest row"))
        .parameter(Parameter::new("gap", 0.05).range(0.0, 0.5).help("Gap between boxes, in edges"))
        .camera(Camera::new([10.0, 10.0, 35.0], [10.0, 7.0, 0.0]))
        .check("drift", "No box leaves its place sideways; farthest, in edges", "")
        .check("stands", "No box has slid off the ones below; farthest, in edges", "")
        .check("overlap", "No box lies in another or in the floor; deepest", "m")
        .check("asleep", "All boxes have fallen asleep; how many have not", "")
}

fn build(stage: &mut Stage, values: &Values) -> Result<()> {
    let (base, gap) = (values.count("base")?, values.get("gap")?);
    tune(stage, 1.0)?;
    floor(stage, Material::default())?;
    let half: Real = 0.5;
    let mut boxes = Things::default();
    for row in 0..base {
        for column in 0..base - row {
            let x = (f64::from(column) + 0.5 * f64::from(row)) * (1.0 + gap);
            let desc = BodyDesc::dynamic().name(format!("box-{row}-{column}"));
            let shape = stage.engine(|_| Shape::cuboid(half, half, half))?;
            boxes.add(stage, desc.position([x, f64::from(row) + 0.5, 0.0]).mass(10.0), shape, Material::default())?;
        }
    }
    stage.run_for(10.0);
    stage.check_said("drift", Said::at_most(format!("strayed('box-*') / {}", 1.0), 0.01));
    stage.check_said("stands", Said::at_most(format!("strayed('box-*') / {}", 1.0), 0.5).at_end());
    stage.check_said("overlap", Said::at_most("depth()", 0.02).at_end());
    stage.check_said("asleep", Said::at_most("awake('box-*')", 0.0).at_end());
    Ok(())
}
