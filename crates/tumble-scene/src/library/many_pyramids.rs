//! Small pyramids in rows, which have nothing to do with each other.

use super::props::{Things, floor, tune};
use crate::error::Result;
use crate::{Camera, Parameter, Said, Scene, Stage, Values};
use tumble::math::Real;
use tumble::shape::Shape;
use tumble::{BodyDesc, Material};

pub fn scene() -> Scene {
    Scene::new("many-pyramids", build)
        .seed("beyond the seeds")
        .description(
            "Pyramids side by side and one behind the other on one floor: as many islands as there are pyramids.",
        )
        .parameter(Parameter::new("rows", 2.0).range(1.0, 20.0).whole().help("Pyramids one behind the other"))
        .parameter(Parameter::new("columns", 2.0).range(1.0, 20.0).whole().help("Pyramids side by side"))
        .parameter(Parameter::new("base", 4.0).range(2.0, 12.0).whole().help("Boxes in the lowest row of each"))
        .camera(Camera::new([12.0, 8.0, 16.0], [4.0, 1.0, 3.0]))
        .check("stands", "No box leaves its place sideways; farthest, in edges", "")
        .check("overlap", "No box lies in another or in the floor; deepest", "m")
}

fn build(stage: &mut Stage, values: &Values) -> Result<()> {
    let (rows, columns, base) = (values.count("rows")?, values.count("columns")?, values.count("base")?);
    tune(stage, 1.0)?;
    floor(stage, Material::default())?;
    let half: Real = 0.5;
    let shape = stage.engine(|_| Shape::cuboid(half, half, half))?;
    let mut boxes = Things::default();
    for pyramid in 0..rows * columns {
        let (row, column) = (pyramid / columns, pyramid % columns);
        for layer in 0..base {
            for i in 0..base - layer {
                let x = f64::from(column * (base + 2)) + (f64::from(i) + 0.5 * f64::from(layer)) * 1.05;
                let desc = BodyDesc::dynamic().name(format!("box-{pyramid}-{layer}-{i}"));
                let desc = desc.position([x, f64::from(layer) + 0.5, 4.0 * f64::from(row)]);
                boxes.add(stage, desc, shape.clone(), Material::default())?;
            }
        }
    }
    stage.run_for(3.0);
    stage.check_said("stands", Said::at_most(format!("strayed('box-*') / {}", 1.0), 0.25).at_end());
    stage.check_said("overlap", Said::at_most("depth()", 0.02).at_end());
    Ok(())
}
