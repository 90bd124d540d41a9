//! Rocks in a yard, stirred by a paddle.

use super::props::{Random, Things, cube_root, heap, outside, pit, tune};
use crate::error::Result;
use crate::{Camera, Parameter, Said, Scene, Stage, Values};
use tumble::math::Real;
use tumble::shape::Shape;
use tumble::{BodyDesc, ColliderDesc, Material};

/// Radius of a rock, in metres.
const RADIUS: f64 = 0.5;
/// Distance of the rocks at the start.
const PITCH: f64 = 1.05;
/// Half the height of the paddle.
const BLADE: f64 = 1.0;

pub fn scene() -> Scene {
    Scene::new("junkyard", build)
        .seed("beyond the seeds")
        .description("Rocks of ten corners each fall into a yard, in which a paddle turns: nothing ever comes to rest.")
        .parameter(Parameter::new("rocks", 48.0).range(1.0, 10_000.0).whole().help("How many"))
        .parameter(Parameter::new("speed", 0.5).range(0.0, 2.0).unit("rad/s").help("How fast the paddle turns"))
        .camera(Camera::new([5.0, 8.0, 8.0], [0.0, 1.0, 0.0]))
        .check("overlap", "No rock lies in another, in a wall or in the paddle; deepest", "m")
        .check("inside", "No rock leaves the yard; how many do", "")
}

fn build(stage: &mut Stage, values: &Values) -> Result<()> {
    let (count, speed) = (values.count("rocks")?, values.real("speed")?);
    tune(stage, 2.0 * RADIUS)?;
    // Wider than the heap and so high that the paddle throws nothing out of it.
    let side = f64::from(cube_root(count));
    let (half, height) = (0.9 * side * PITCH + 1.0, 2.0 * side * PITCH + 4.0);
    pit(stage, half, height, &Material::default())?;
    stage.engine(|world| {
        let blade = Shape::cuboid((0.7 * half) as Real, BLADE as Real, 0.25)?;
        let blade = ColliderDesc::new(blade).at([0.0, BLADE as Real, 0.0]).material(Material::default());
        world.add_body(BodyDesc::kinematic().name("paddle").angular_velocity([0.0, speed, 0.0]).collider(blade))
    })?;
    let (mut rocks, mut random) = (Things::default(), Random(4));
    let shapes: Vec<Shape> = stage.engine(|_| (0..8).map(|_| random.stone(10, RADIUS)).collect())?;
    // Above the paddle.
    for (at, (i, shape)) in heap(count, PITCH, 2.0 * BLADE + 0.6).zip(shapes.iter().cycle().enumerate()) {
        let desc = BodyDesc::dynamic().name(format!("rock-{i}")).position(at).rotation(random.turn(3.0));
        rocks.add(stage, desc, shape.clone(), Material::default())?;
    }
    stage.run_for(5.0);
    stage.check_said("overlap", Said::at_most("depth()", 0.5 * RADIUS).at_end());
    stage.check_said("inside", outside("rock-*", [-half, 0.0, -half], [half, height, half]).at_end());
    Ok(())
}
