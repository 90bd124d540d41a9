//! A block that slides down a ramp and stops.

use super::props::{body, cuboid, place, tune, velocity};
use crate::error::Result;
use crate::{Camera, Parameter, Reading, Scene, Stage, Values};
use tumble::math::{Float, Num, Point, Real, Vec3};
use tumble::{BodyDesc, Material};

const EDGES: [f64; 3] = [0.4, 0.2, 0.4];
const ANGLE: f64 = 15.0;

pub fn scene() -> Scene {
    Scene::new("block-on-ramp", build)
        .seed("000, S10")
        .description("A block is pushed down a ramp on which friction is stronger than gravity. It slides, slows down, stops and stays; a second one, smoother, goes faster and faster.")
        .parameter(Parameter::new("speed", 3.0).range(0.5, 6.0).unit("m/s").help("Speed of the push"))
        .parameter(Parameter::new("friction", 0.5).range(0.35, 1.0).help("Friction of the block that stops"))
        .camera(Camera::new([2.0, 2.0, 6.0], [1.5, -0.5, 0.0]))
        .check("stops", "It stops after v²/(2 g (μ cos α - sin α)); error as a share", "")
        .check("stays", "Then it stays; how far it creeps", "m")
        .check("forward", "Friction never turns it back; fastest upwards", "m/s")
        .check("slides", "The smooth one is accelerated by g (sin α - μ cos α); error of its speed as a share", "")
}

fn build(stage: &mut Stage, values: &Values) -> Result<()> {
    let (speed, friction) = (values.get("speed")?, values.get("friction")?);
    let smooth = 0.1;
    tune(stage, EDGES[1])?;
    let angle = ANGLE * f64::PI / 180.0;
    let (sin, cos) = (Float::sin(angle), Float::cos(angle));
    let (normal, along) = (Point::new(sin, cos, 0.0), Point::new(cos, -sin, 0.0));
    let shape = cuboid(stage, EDGES)?;
    let mut blocks = Vec::new();
    for (i, mu) in [friction, smooth].into_iter().enumerate() {
        let z = f64::from(i as u32) - 0.5;
        let material = Material { restitution: 0.2, ..Material::default().with_friction(mu as Real) };
        let ramp = BodyDesc::fixed().name(format!("ramp-{i}")).position(normal * -0.5 + along * 20.0 + Point::Z * z);
        let long = cuboid(stage, [60.0, 1.0, 0.9])?;
        body(stage, ramp.turned(Vec3::Z, -angle as Real), long, &material)?;
        let desc = BodyDesc::dynamic().name(format!("block-{i}")).position(normal * (0.5 * EDGES[1]) + Point::Z * z);
        let desc = desc.turned(Vec3::Z, -angle as Real).linear_velocity((along * speed).to_real());
        blocks.push((body(stage, desc, shape.clone(), &material)?, Point::Z * z));
    }
    let slows = 9.81 * (friction * cos - sin);
    let (time, way) = (speed / slows, speed * speed / (2.0 * slows));
    stage.run_for(time + 3.0);

    let (block, start) = blocks[0];
    let gone = move |world: &tumble::World| (place(world, block) - start).dot(along);
    stage.check_always("stops", move |world| {
        (world.time() > time + 0.1).then(|| Reading::at_most((gone(world) / way - 1.0).abs(), 0.02))
    });
    let mut stopped = None;
    stage.check_always("stays", move |world| {
        if world.time() < time + 0.2 {
            return None;
        }
        let now = gone(world);
        Some(Reading::at_most((now - *stopped.get_or_insert(now)).abs(), 1e-3))
    });
    let mut back = 0.0;
    stage.check_always("forward", move |world| {
        back = Num::max(back, -velocity(world, block).dot(along));
        Some(Reading::at_most(back, 0.01))
    });
    let second = blocks[1].0;
    stage.check_always("slides", move |world| {
        let expected = speed + 9.81 * (sin - smooth * cos) * world.time();
        let found = velocity(world, second).dot(along);
        (world.time() > 0.2).then(|| Reading::at_most((found / expected - 1.0).abs(), 0.01))
    });
    Ok(())
}
