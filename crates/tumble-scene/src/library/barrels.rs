//! Barrels behind a plank.

use super::props::{Things, body, cuboid, cylinder, place, spin, tune, velocity};
use crate::error::Result;
use crate::{Camera, Cue, Parameter, Reading, Said, Scene, Stage, Values};
use tumble::math::{Float, Point, Real, Vec3};
use tumble::{BodyDesc, Material};

const RADIUS: f64 = 0.3;
const LONG: f64 = 0.9;
/// When the plank is taken away.
const TAKEN: f64 = 2.0;

pub fn scene() -> Scene {
    Scene::new("barrels", build)
        .seed("004, S7")
        .description("Barrels lie on a ramp behind a plank. The plank is taken away, and they roll out.")
        .parameter(Parameter::new("barrels", 5.0).range(1.0, 12.0).whole().help("How many"))
        .parameter(Parameter::new("angle", 10.0).range(5.0, 20.0).unit("°").help("Angle of the ramp"))
        .camera(Camera::new([3.0, 3.0, 9.0], [2.0, -0.5, 0.0]))
        .check("held", "The plank holds them; farthest that one has moved, in radii", "")
        .check("rolls", "The first one rolls out with 2/3 g sin α; error of its speed as a share", "")
        .check("no-slip", "It rolls and does not slide; v - ω r as a share of v", "")
        .check("out", "All come out; how many are still behind the place of the plank", "")
        .check("straight", "They keep to the ramp; farthest aside", "m")
}

fn build(stage: &mut Stage, values: &Values) -> Result<()> {
    let (count, angle) = (values.count("barrels")?, values.get("angle")? * f64::PI / 180.0);
    tune(stage, 2.0 * RADIUS)?;
    let (sin, cos) = (Float::sin(angle), Float::cos(angle));
    let (normal, along) = (Point::new(sin, cos, 0.0), Point::new(cos, -sin, 0.0));
    // Smooth barrels: rough ones that touch would hold each other back.
    let (wood, iron) = (Material::default().with_friction(0.8), Material::default().with_friction(0.2));
    let ramp = BodyDesc::fixed().name("ramp").position(normal * -0.5 + along * 10.0).turned(Vec3::Z, -angle as Real);
    let shape = cuboid(stage, [40.0, 1.0, 2.0])?;
    body(stage, ramp, shape, &wood)?;
    let plank = normal * 0.25 + along * (RADIUS + 0.05);
    let shape = cuboid(stage, [0.1, 0.5, 1.4])?;
    let desc = BodyDesc::fixed().name("plank").position(plank).turned(Vec3::Z, -angle as Real);
    let plank = body(stage, desc, shape, &iron)?;
    stage.at(TAKEN, Cue::Remove(plank));
    let (mut barrels, shape) = (Things::default(), cylinder(stage, LONG, RADIUS)?);
    for i in 0..count {
        let at = normal * RADIUS - along * (2.0 * RADIUS * f64::from(i));
        let desc = BodyDesc::dynamic().name(format!("barrel-{i}")).position(at);
        barrels.add(stage, desc.turned(Vec3::X, Real::from_f64(f64::PI / 2.0)), shape.clone(), iron.clone())?;
    }
    stage.run_for(TAKEN + 4.0);

    stage.check_said("held", Said::at_most(format!("moved('barrel-*') / {}", RADIUS), 0.05).until(TAKEN - 1e-6));
    let first = barrels.ids[0];
    // Those behind may push it at first.
    let later = |world: &tumble::World| world.time() > TAKEN + 0.5 && world.time() < TAKEN + 2.0;
    stage.check_always("rolls", move |world| {
        let expected = 2.0 / 3.0 * 9.81 * sin * (world.time() - TAKEN);
        later(world).then(|| Reading::at_most((velocity(world, first).dot(along) / expected - 1.0).abs(), 0.05))
    });
    stage.check_always("no-slip", move |world| {
        let v = velocity(world, first).dot(along);
        later(world).then(|| Reading::at_most((1.0 + spin(world, first).z * RADIUS / v).abs(), 0.02))
    });
    let all = barrels.clone();
    stage.check_at_end("out", move |world| {
        let behind = all.ids.iter().filter(|&&id| !(place(world, id).dot(along) > RADIUS)).count();
        Some(Reading::at_most(behind as f64, 0.0))
    });
    stage.check_said("straight", Said::at_most("abs(z('barrel-*'))", 0.1));
    Ok(())
}
