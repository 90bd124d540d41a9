//! A wall of 34 bricks.

use super::props::{Things, floor, tune};
use crate::error::Result;
use crate::{Camera, Parameter, Said, Scene, Stage, Values};
use tumble::math::Real;
use tumble::shape::Shape;
use tumble::{BodyDesc, Material};

/// Length, height and depth of a brick, in metres.
const BRICK: [f64; 3] = [0.4, 0.2, 0.2];

/// Bricks in the lowest course.
const LONGEST: u32 = 10;

pub fn scene() -> Scene {
    Scene::new("brick-wall", build)
        .seed("001, E2")
        .description("A wall in running bond with stepped ends: each course has a brick less than the one below.")
        .parameter(Parameter::new("courses", 4.0).range(1.0, 10.0).whole().help("How many"))
        .parameter(Parameter::new("gap", 0.002).range(0.0, 0.02).unit("m").help("Gap between bricks at the start"))
        .camera(Camera::new([1.0, 1.2, 5.0], [0.0, 0.4, 0.0]))
        .check("stands", "No brick leaves its place sideways; farthest, in lengths of a brick", "")
        .check("asleep", "All bricks have fallen asleep; how many have not", "")
}

fn build(stage: &mut Stage, values: &Values) -> Result<()> {
    let (courses, gap) = (values.count("courses")?, values.get("gap")?);
    tune(stage, BRICK[1])?;
    let material = Material::default().with_friction(0.6).with_density(2000.0);
    floor(stage, material.clone())?;
    let mut bricks = Things::default();
    for course in 0..courses {
        let y = (f64::from(course) + 0.5) * (BRICK[1] + gap);
        for i in 0..LONGEST - course {
            let x = (f64::from(i) + 0.5 * f64::from(course) - 0.5 * f64::from(LONGEST - 1)) * (BRICK[0] + gap);
            let desc = BodyDesc::dynamic().name(format!("brick-{course}-{i}")).position([x, y, 0.0]);
            let half = BRICK.map(|v| (0.5 * v) as Real);
            let shape = stage.engine(|_| Shape::cuboid(half[0], half[1], half[2]))?;
            bricks.add(stage, desc, shape, material.clone())?;
        }
    }
    stage.run_for(60.0);
    stage.check_said("stands", Said::at_most(format!("strayed('brick-*') / {}", BRICK[0]), 0.01));
    stage.check_said("asleep", Said::at_most("awake('brick-*')", 0.0).at_end());
    Ok(())
}
