//! Boxes that fall onto a floor.

use super::props::{Random, Things, cube_root, floor, heap, outside, tune};
use crate::error::Result;
use crate::{Camera, Parameter, Said, Scene, Stage, Values};
use tumble::shape::Shape;
use tumble::{BodyDesc, Material};

/// Distance of the boxes at the start, in edges.
const PITCH: f64 = 1.6;

pub fn scene() -> Scene {
    Scene::new("falling-boxes", build)
        .seed("002, 5.2")
        .description("A cube of boxes in the air, each turned a little. They fall, tumble over each other and come to rest in a heap.")
        .parameter(Parameter::new("boxes", 27.0).range(1.0, 100_000.0).whole().help("How many"))
        .parameter(Parameter::new("turn", 0.3).range(0.0, 3.0).unit("rad").help("Largest turn of a box at the start"))
        .camera(Camera::new([8.0, 6.0, 12.0], [0.0, 1.0, 0.0]))
        .check("overlap", "No box lies in another or in the floor; deepest", "m")
        .check("near", "No box is thrown out of the heap or falls through the floor; how many are", "")
}

fn build(stage: &mut Stage, values: &Values) -> Result<()> {
    let (count, turn) = (values.count("boxes")?, values.get("turn")?);
    tune(stage, 1.0)?;
    floor(stage, Material::default())?;
    let (mut boxes, mut random) = (Things::default(), Random(1));
    let shape = stage.engine(|_| Shape::cuboid(0.5, 0.5, 0.5))?;
    for (i, at) in heap(count, PITCH, 1.5).enumerate() {
        let desc = BodyDesc::dynamic().name(format!("box-{i}")).position(at).rotation(random.turn(turn));
        boxes.add(stage, desc, shape.clone(), Material::default())?;
    }
    stage.run_for(4.0);
    stage.check_said("overlap", Said::at_most("depth()", 0.05).at_end());
    // Boxes that fall on others from the height of the cube roll far.
    let reach = 2.0 * f64::from(cube_root(count)) * PITCH + 8.0;
    stage.check_said("near", outside("box-*", [-reach, 0.3, -reach], [reach, 2.0 * reach, reach]).at_end());
    Ok(())
}
