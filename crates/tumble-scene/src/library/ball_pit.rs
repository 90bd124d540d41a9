//! Balls in a pit.

use super::props::{Random, Things, body, cube_root, cuboid, heap, outside, pit, tune};
use crate::error::Result;
use crate::{Camera, Parameter, Said, Scene, Stage, Values};
use tumble::shape::Shape;
use tumble::{BodyDesc, Material};

/// Radius of a ball, in metres.
const RADIUS: f64 = 0.25;
/// Distance of the balls at the start.
const PITCH: f64 = 0.55;

pub fn scene() -> Scene {
    Scene::new("ball-pit", build)
        .seed("002, S5")
        .description(
            "Balls fall into a pit and fill it. Each touches several others, and nothing but the walls holds them.",
        )
        .parameter(Parameter::new("balls", 64.0).range(1.0, 8_000.0).whole().help("How many"))
        .parameter(Parameter::new("stir", 0.02).range(0.0, 0.02).unit("m").help("How far from the grid they start"))
        .parameter(
            Parameter::new("paddle", 0.0)
                .range(0.0, 2.0)
                .unit("rad/s")
                .help("How fast a paddle stirs them; 0 for none"),
        )
        .camera(Camera::new([2.0, 4.0, 4.0], [0.0, 0.5, 0.0]))
        .check("overlap", "No ball lies in another or in a wall; deepest", "m")
        .check("inside", "No ball leaves the pit; how many do", "")
}

fn build(stage: &mut Stage, values: &Values) -> Result<()> {
    let (count, stir) = (values.count("balls")?, values.get("stir")?);
    tune(stage, 2.0 * RADIUS)?;
    let side = f64::from(cube_root(count));
    let (half, height) = (0.5 * side * PITCH + 0.05, 1.5 * side * PITCH + 1.0);
    pit(stage, half, height, &Material::default())?;
    let paddle = values.real("paddle")?;
    if paddle > 0.0 {
        // A blade across most of the pit, on the floor; the balls start above it.
        let blade = cuboid(stage, [1.6 * half, 0.4, 0.1])?;
        let desc = BodyDesc::kinematic().name("paddle").position([0.0, 0.2, 0.0]).angular_velocity([0.0, paddle, 0.0]);
        body(stage, desc, blade, &Material::default())?;
    }
    let (mut balls, mut random) = (Things::default(), Random(2));
    let shape = stage.engine(|_| Shape::sphere(RADIUS as _))?;
    for (i, at) in heap(count, PITCH, if paddle > 0.0 { 0.8 } else { 0.5 }).enumerate() {
        let desc = BodyDesc::dynamic().name(format!("ball-{i}")).position(at + random.direction() * stir);
        balls.add(stage, desc, shape.clone(), Material::default())?;
    }
    stage.run_for(4.0);
    stage.check_said("overlap", Said::at_most("depth()", 0.25 * RADIUS).at_end());
    stage.check_said("inside", outside("ball-*", [-half, 0.0, -half], [half, height, half]));
    Ok(())
}
