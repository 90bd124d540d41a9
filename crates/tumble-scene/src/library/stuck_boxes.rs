//! Boxes that start stuck in the floor.

use super::props::{Things, cuboid, floor, pointing};
use crate::error::Result;
use crate::{Camera, Parameter, Reading, Said, Scene, Stage, Values};
use tumble::math::{Float, Real, Vec3};
use tumble::{BodyDesc, Material};

/// Edges of the boxes, and how far along they are.
const BOXES: [(f64, f64); 3] = [(1.0, -1.5), (0.8, 0.0), (0.4, 1.2)];

pub fn scene() -> Scene {
    Scene::new("stuck-boxes", build)
        .seed("003, S3")
        .description("Three boxes start deep in the floor, the smallest of them askew. They are lifted out and set upright, and none is shot into the air.")
        .parameter(Parameter::new("depth", 0.3).range(0.05, 0.45).help("How deep they are, in edges"))
        .parameter(Parameter::new("tilt", 20.0).range(5.0, 35.0).unit("°").help("How askew the smallest is"))
        .camera(Camera::new([1.0, 2.0, 5.0], [0.0, 0.3, 0.0]))
        .check("lifted", "After two seconds nothing lies in anything; deepest", "m")
        .check("calm", "No box jumps: above its place, highest, in edges", "")
        .check("slow", "No box is launched; fastest upwards", "m/s")
        .check("upright", "The smallest lies flat in the end; its tilt", "°")
}

fn build(stage: &mut Stage, values: &Values) -> Result<()> {
    let (depth, tilt) = (values.get("depth")?, values.get("tilt")? * f64::PI / 180.0);
    floor(stage, Material::default())?;
    let mut boxes = Things::default();
    for (i, (edge, x)) in BOXES.into_iter().enumerate() {
        let shape = cuboid(stage, [edge; 3])?;
        let turn = if i == 2 { tilt } else { 0.0 };
        let desc = BodyDesc::dynamic().name(format!("box-{i}")).position([x, (0.5 - depth) * edge, 0.0]);
        boxes.add(stage, desc.turned(Vec3::Z, turn as Real), shape, Material::default())?;
    }
    stage.run_for(4.0);
    stage.check_said("lifted", Said::at_most("depth()", 0.006).from(2.0 + 1e-6));
    let all = boxes.clone();
    stage.check_always("calm", move |world| {
        let above = |i: usize| super::props::place(world, all.ids[i]).y / BOXES[i].0 - 0.5;
        // A box that stands on its edge on the way is higher than one that lies.
        let allowed = |i: usize| if i == 2 { 0.21 } else { 0.01 };
        (0..3).map(|i| Reading::at_most(above(i), allowed(i))).reduce(Reading::or_worse)
    });
    stage.check_said("slow", Said::at_most("vy('box-*')", 1.0));
    let small = boxes.ids[2];
    stage.check_at_end("upright", move |world| {
        let up = pointing(world, small, Vec3::Y);
        // Whichever face it lies on.
        let tilt = Float::acos(largest([up.y.abs(), pointing(world, small, Vec3::X).y.abs()])) / f64::PI * 180.0;
        Some(Reading::at_most(tilt, 1.0))
    });
    Ok(())
}

fn largest([a, b]: [f64; 2]) -> f64 {
    if a > b { a } else { b }
}
