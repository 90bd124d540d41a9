//! Balls and boxes in one heap.

use super::props::{Random, Things, cube_root, cuboid, heap, outside, pit, sphere, tune};
use crate::error::Result;
use crate::{Camera, Parameter, Said, Scene, Stage, Values};
use tumble::{BodyDesc, Material};

/// Edge of a box, radius of a ball, and how far apart they start, in metres.
const EDGE: f64 = 0.4;
const RADIUS: f64 = 0.22;
const PITCH: f64 = 0.6;

pub fn scene() -> Scene {
    Scene::new("mixed-pile", build)
        .seed("002, D2")
        .description(
            "Balls and boxes, the shapes of the original, fall into a pit by turns and come to rest on one another.",
        )
        .parameter(Parameter::new("bodies", 64.0).range(2.0, 5_000.0).whole().help("How many"))
        .parameter(Parameter::new("turn", 0.5).range(0.0, 3.0).unit("rad").help("Largest turn of a box at the start"))
        .camera(Camera::new([3.0, 4.0, 5.0], [0.0, 0.5, 0.0]))
        .check("overlap", "Nothing lies in anything; deepest", "m")
        .check("inside", "Nothing leaves the pit; how many do", "")
        .check("asleep", "All have come to rest; how many have not", "")
}

fn build(stage: &mut Stage, values: &Values) -> Result<()> {
    let (count, turn) = (values.count("bodies")?, values.get("turn")?);
    tune(stage, EDGE)?;
    let side = f64::from(cube_root(count));
    let (half, height) = (0.5 * side * PITCH + 0.1, 1.5 * side * PITCH + 1.5);
    pit(stage, half, height, &Material::default())?;
    let rolling = Material { rolling_friction: 0.01, ..Material::default() };
    let (mut things, mut random) = (Things::default(), Random(8));
    let (ball, cube) = (sphere(stage, RADIUS)?, cuboid(stage, [EDGE; 3])?);
    for (i, at) in heap(count, PITCH, 0.5).enumerate() {
        let desc = BodyDesc::dynamic().position(at + random.direction() * 0.02).rotation(random.turn(turn));
        let (name, shape) = if i % 2 == 0 { ("ball", &ball) } else { ("box", &cube) };
        things.add(stage, desc.name(format!("{name}-{i}")), shape.clone(), rolling.clone())?;
    }
    stage.run_for(25.0);
    stage.check_said("overlap", Said::at_most("depth()", 0.02).at_end());
    stage.check_said("inside", outside("b*-*", [-half, 0.0, -half], [half, height, half]).at_end());
    stage.check_said("asleep", Said::at_most("awake('b*-*')", 0.0).at_end());
    Ok(())
}
