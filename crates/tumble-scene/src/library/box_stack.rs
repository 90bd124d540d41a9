//! A column of boxes that stands.

use crate::error::Result;
use crate::{Camera, Parameter, Reading, Said, Scene, Stage, Values};
use tumble::math::{Point, Real, Vec3};
use tumble::shape::Shape;
use tumble::{BodyDesc, BodyId, World};

pub fn scene() -> Scene {
    Scene::new("box-stack", build)
        .seed("002, D1")
        .description(
            "Boxes stand exactly on top of one another. Every contact carries all that is above it, and any error of the \
             solver shows as sag, lean or drift.",
        )
        .parameter(Parameter::new("boxes", 10.0).range(1.0, 100.0).whole().help("How many"))
        .parameter(Parameter::new("size", 1.0).range(0.001, 1000.0).unit("m").help("Edge of a box"))
        .parameter(Parameter::new("mass", 10.0).range(1e-6, 1e9).unit("kg").help("Mass of a box"))
        .camera(Camera::new([12.0, 6.0, 18.0], [0.0, 5.0, 0.0]))
        .check("drift", "No box leaves its place sideways; farthest, in edges", "")
        .check("tilt", "No box leans", "rad")
        .check("sag", "No box sinks into the one below; deepest, in edges", "")
        .check("asleep", "All boxes have fallen asleep; how many have not", "")
}

fn build(stage: &mut Stage, values: &Values) -> Result<()> {
    let (size, mass) = (values.get("size")?, values.real("mass")?);
    let mut method = stage.engine(|world| Ok(world.method().clone()))?;
    method.tolerances.length = size as Real;
    stage.engine(|world| {
        world.set_method(method)?;
        world.add_body(BodyDesc::fixed().name("floor").collider(Shape::half_space(Vec3::Y, 0.0)?))
    })?;
    let half = 0.5 * size as Real;
    let mut boxes = Vec::new();
    for i in 0..values.count("boxes")? {
        let at = Point::new(0.0, (f64::from(i) + 0.5) * size, 0.0);
        let desc = stage.engine(|_| {
            Ok(BodyDesc::dynamic()
                .name(format!("box-{i}"))
                .position(at)
                .mass(mass)
                .collider(Shape::cuboid(half, half, half)?))
        })?;
        boxes.push(stage.engine(|world| world.add_body(desc))?);
    }
    // The demo's time step, and as long as its bars are for: 3750 steps.
    stage.prefer_dt(0.016)?;
    stage.run_for(60.0);

    // The bars of the demo: a hundredth of an edge, a degree, a fiftieth of an edge per interface.
    stage.check_said("drift", Said::at_most(format!("strayed('box-*') / {size}"), 0.01));
    stage.check_said("tilt", Said::at_most("tilt('box-*')", 0.01745));
    stage.check_said("asleep", Said::at_most("awake('box-*')", 0.0).at_end());
    stage.check_always("sag", move |world| {
        worst(world, &boxes, |i, p| {
            let below = match i.checked_sub(1).map(|b| world.body(boxes[b]).map(|b| b.position().y)) {
                Some(below) => below.unwrap_or(f64::NAN),
                None => -0.5 * size,
            };
            Reading::at_most(1.0 - (p.y - below) / size, 0.02)
        })
    });
    Ok(())
}

/// The worst reading of all boxes, from index and position.
fn worst(world: &World, boxes: &[BodyId], read: impl Fn(usize, Point) -> Reading) -> Option<Reading> {
    let one = |(i, &id): (usize, &BodyId)| match world.body(id) {
        Ok(body) => read(i, body.position()),
        Err(_) => Reading::at_most(f64::NAN, 0.0),
    };
    boxes.iter().enumerate().map(one).reduce(Reading::or_worse)
}
