//! Round stones in a pit.

use super::props::{Random, Things, cube_root, heap, outside, pit, tune};
use crate::error::Result;
use crate::{Camera, Parameter, Said, Scene, Stage, Values};
use tumble::shape::Shape;
use tumble::{BodyDesc, Material};

/// Radius of a stone, in metres.
const RADIUS: f64 = 0.5;
/// Distance of the stones at the start.
const PITCH: f64 = 1.05;

pub fn scene() -> Scene {
    Scene::new("convex-pile", build)
        .seed("beyond the seeds")
        .description(
            "Stones, each the hull of points on a sphere, pile up in a pit: many faces, and few of them level.",
        )
        .parameter(Parameter::new("stones", 27.0).range(1.0, 5_120.0).whole().help("How many"))
        .parameter(Parameter::new("points", 32.0).range(8.0, 64.0).whole().help("Corners of a stone"))
        .camera(Camera::new([3.0, 6.0, 6.0], [0.0, 1.0, 0.0]))
        .check("overlap", "No stone lies in another or in a wall; deepest", "m")
        .check("inside", "No stone leaves the pit; how many do", "")
}

fn build(stage: &mut Stage, values: &Values) -> Result<()> {
    let (count, points) = (values.count("stones")?, values.count("points")?);
    tune(stage, 2.0 * RADIUS)?;
    let side = f64::from(cube_root(count));
    let (half, height) = (0.5 * side * PITCH + 0.05, 1.5 * side * PITCH + 1.0);
    pit(stage, half, height, &Material::default())?;
    let (mut stones, mut random) = (Things::default(), Random(3));
    let shapes: Vec<Shape> = stage.engine(|_| (0..8).map(|_| random.stone(points, RADIUS)).collect())?;
    for (at, (i, shape)) in heap(count, PITCH, 0.8).zip(shapes.iter().cycle().enumerate()) {
        let desc = BodyDesc::dynamic().name(format!("stone-{i}")).position(at).rotation(random.turn(3.0));
        stones.add(stage, desc, shape.clone(), Material::default())?;
    }
    stage.run_for(4.0);
    stage.check_said("overlap", Said::at_most("depth()", 0.25 * RADIUS).at_end());
    stage.check_said("inside", outside("stone-*", [-half, 0.0, -half], [half, height, half]).at_end());
    Ok(())
}
