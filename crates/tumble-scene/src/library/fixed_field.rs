//! A field of many fixed boxes, and a few balls.

use super::props::{Things, outside, tune};
use crate::error::Result;
use crate::{Camera, Parameter, Said, Scene, Stage, Values};
use tumble::math::Vec3;
use tumble::shape::Shape;
use tumble::{BodyDesc, Material};

pub fn scene() -> Scene {
    Scene::new("fixed-field", build)
        .seed("beyond the seeds")
        .description("Balls roll over a field that is paved with fixed boxes, each a body of its own. What lies still costs nothing.")
        .parameter(Parameter::new("side", 20.0).range(10.0, 1_000.0).whole().help("Boxes along each side of the field"))
        .parameter(Parameter::new("balls", 9.0).range(1.0, 100.0).whole().help("How many"))
        .camera(Camera::new([10.0, 8.0, 24.0], [10.0, 0.0, 10.0]))
        .check("overlap", "No ball lies in a box; deepest", "m")
        .check("on-top", "No ball falls through the field; how many do", "")
}

fn build(stage: &mut Stage, values: &Values) -> Result<()> {
    let (side, count) = (values.count("side")?, values.count("balls")?);
    tune(stage, 1.0)?;
    let (stone, ball) = stage.engine(|_| Ok((Shape::cuboid(0.5, 0.5, 0.5)?, Shape::sphere(0.4)?)))?;
    let mut field = Things::default();
    for i in 0..side * side {
        let at = [f64::from(i % side), -0.5, f64::from(i / side)];
        field.add(stage, BodyDesc::fixed().position(at), stone.clone(), Material::default())?;
    }
    let mut balls = Things::default();
    let edge = (1..=10).find(|n| n * n >= count).unwrap_or(10);
    let pitch = f64::from(side) / f64::from(edge + 1);
    for i in 0..count {
        let at = [f64::from(1 + i % edge) * pitch, 1.0, f64::from(1 + i / edge) * pitch];
        // Each in a direction of its own, and slow enough to stay on the smallest field.
        let push = Vec3::new([1.0, -0.7, 0.4][i as usize % 3], 0.0, [0.5, 0.8, -0.6, -0.9][i as usize % 4]);
        let desc = BodyDesc::dynamic().name(format!("ball-{i}")).position(at).linear_velocity(push);
        balls.add(stage, desc, ball.clone(), Material::default())?;
    }
    stage.run_for(2.0);
    stage.check_said("overlap", Said::at_most("depth()", 0.05 * 0.4).at_end());
    let far = f64::from(side);
    stage.check_said("on-top", outside("ball-*", [-1.0, 0.3, -1.0], [far, 2.0, far]).at_end());
    Ok(())
}
