//! A conveyor belt.

use super::props::{Things, body, cuboid, floor, outside, place, tune};
use crate::error::Result;
use crate::{Camera, Parameter, Reading, Said, Scene, Stage, Values};
use tumble::math::{Real, Vec3};
use tumble::{BodyDesc, Material, World};

const PARCELS: u32 = 5;
/// Length and height of the belt, edge of a parcel, in metres.
const LONG: f64 = 8.0;
const HIGH: f64 = 0.8;
const EDGE: f64 = 0.3;

pub fn scene() -> Scene {
    Scene::new("conveyor", build)
        .seed("003, S17")
        .description("Parcels are set down on a belt whose surface moves. Friction takes them along, up to the speed of the belt, and they end in the bin behind it.")
        .parameter(Parameter::new("speed", 1.5).range(0.5, 3.0).unit("m/s").help("Speed of the belt"))
        .parameter(Parameter::new("friction", 0.4).range(0.2, 1.0).help("Coefficient of friction"))
        .camera(Camera::new([2.0, 4.0, 9.0], [1.0, 0.5, 0.0]))
        .check("slip", "While they slip, parcels fall behind by v²/(2 μ g); largest error as a share of it", "")
        .check("speed", "Then they go with the belt; largest error of their speed as a share", "")
        .check("belt", "The belt itself does not move; how far it does", "m")
        .check("bin", "In the end all parcels are in the bin; how many are not", "")
}

fn build(stage: &mut Stage, values: &Values) -> Result<()> {
    let (speed, friction) = (values.get("speed")?, values.get("friction")?);
    tune(stage, EDGE)?;
    floor(stage, Material::default())?;
    let rubber = Material::default().with_friction(friction as Real);
    let moving = Material { surface_velocity: Vec3::new(speed as Real, 0.0, 0.0), ..rubber.clone() };
    let shape = cuboid(stage, [LONG, HIGH, 1.0])?;
    body(stage, BodyDesc::fixed().name("belt").position([0.0, 0.5 * HIGH, 0.0]), shape, &moving)?;
    // The bin is long enough for what flies off the fastest belt.
    let (from, to) = (0.5 * LONG, 0.5 * LONG + 3.0);
    for (name, x, z, edges) in [
        ("bin-end", to, 0.0, [0.2, 1.6, 2.0]),
        ("bin-left", 0.5 * (from + to), -0.9, [3.0, 0.6, 0.2]),
        ("bin-right", 0.5 * (from + to), 0.9, [3.0, 0.6, 0.2]),
    ] {
        let shape = cuboid(stage, edges)?;
        body(stage, BodyDesc::fixed().name(name).position([x, 0.5 * edges[1], z]), shape, &Material::default())?;
    }
    let mut parcels = Things::default();
    for i in 0..PARCELS {
        let shape = cuboid(stage, [EDGE; 3])?;
        let at = [-0.5 * LONG + 0.5 + 0.6 * f64::from(i), HIGH + 0.5 * EDGE, 0.1 * f64::from(i % 3) - 0.1];
        let desc = BodyDesc::dynamic().name(format!("parcel-{i}")).position(at);
        parcels.add(stage, desc, shape, rubber.clone())?;
    }
    stage.run_for(LONG / speed + 5.0);

    // They slip for v/(μ g), and the foremost reaches the end of the belt after the time that is left.
    let slip = speed / (friction * 9.81);
    let way = speed * speed / (2.0 * friction * 9.81);
    let last = (LONG - 0.6 - 0.6 * f64::from(PARCELS - 1) - EDGE) / speed;
    let carried = move |world: &World| world.time() > slip + 0.2 && world.time() < last;
    let all = parcels.clone();
    stage.check_always("slip", move |world| {
        let behind = |i: usize| speed * world.time() - (place(world, all.ids[i]) - all.start[i]).x;
        let readings = (0..all.ids.len()).map(|i| Reading::at_most((behind(i) / way - 1.0).abs(), 0.05));
        if carried(world) { readings.reduce(Reading::or_worse) } else { None }
    });
    stage.check_said(
        "speed",
        Said::at_most(format!("abs(vx('parcel-*') / {speed} - 1)"), 0.005).from(slip + 0.21).until(last - 1e-6),
    );
    stage.check_said("belt", Said::at_most("moved('belt')", 0.0));
    stage.check_said("bin", outside("parcel-*", [from, 0.0, -0.8], [to - 0.1, 1.0, 0.8]).at_end());
    Ok(())
}
