//! Cubes on slopes, each with its own friction.

use super::props::{Things, tune};
use crate::error::Result;
use crate::{Camera, Parameter, Reading, Scene, Stage, Values};
use tumble::math::{Float, Point, Real, Vec3};
use tumble::shape::Shape;
use tumble::{BodyDesc, ColliderDesc, Material};

const CUBES: u32 = 7;

pub fn scene() -> Scene {
    Scene::new("sliding-cubes", build)
        .seed("001, D1")
        .description(
            "Seven cubes on seven slopes, with frictions from none to just enough. Six slide, each with its own acceleration; \
             the last one stays.",
        )
        .parameter(Parameter::new("angle", 20.0).range(5.0, 40.0).unit("°").help("Angle of the slopes"))
        .parameter(Parameter::new("gravity", 9.81).range(1.0, 20.0).unit("m/s²").help("Strength of gravity"))
        .camera(Camera::new([10.0, 6.0, 12.0], [4.0, -2.0, 3.0]))
        .check("slide", "Those that slide have come g (sin α - μ cos α) t²/2 far; largest error as a share", "")
        .check("stick", "The last stays where it is; how far it has come", "m")
}

fn build(stage: &mut Stage, values: &Values) -> Result<()> {
    let (angle, gravity) = (values.get("angle")? * f64::PI / 180.0, values.get("gravity")?);
    let (sin, cos) = (Float::sin(angle), Float::cos(angle));
    tune(stage, 0.4)?;
    let down = Vec3::new(0.0, -values.real("gravity")?, 0.0);
    stage.engine(|world| world.set_gravity(down))?;
    let (normal, along) = (Point::new(sin, cos, 0.0), Point::new(cos, -sin, 0.0));
    let mut cubes = Things::default();
    let mut accelerations = Vec::new();
    for i in 0..CUBES {
        // From nothing to a fiftieth more than holds.
        let mu = f64::from(i) / f64::from(CUBES - 1) * 1.02 * sin / cos;
        accelerations.push(gravity * (sin - mu * cos));
        let material = Material::default().with_friction(mu as Real);
        let z = f64::from(i);
        let ramp = ColliderDesc::new(stage.engine(|_| Shape::cuboid(100.0, 0.5, 0.4))?).material(material.clone());
        let ramp = BodyDesc::fixed().name(format!("ramp-{i}")).position(normal * -0.5 + Point::Z * z).collider(ramp);
        stage.engine(|world| world.add_body(ramp.turned(Vec3::Z, -angle as Real)))?;
        let shape = stage.engine(|_| Shape::cuboid(0.2, 0.2, 0.2))?;
        let desc = BodyDesc::dynamic().name(format!("cube-{i}")).position(normal * 0.2 + Point::Z * z);
        cubes.add(stage, desc.turned(Vec3::Z, -angle as Real), shape, material)?;
    }
    stage.run_for(3.0);

    let gone = move |world: &tumble::World, cubes: &Things, i: usize| {
        world.body(cubes.ids[i]).map_or(f64::NAN, |b| (b.position() - cubes.start[i]).dot(along))
    };
    let all = cubes.clone();
    stage.check_at_end("slide", move |world| {
        let t = world.time();
        let off = |i: usize| (gone(world, &all, i) / (0.5 * accelerations[i] * t * t) - 1.0).abs();
        (0..CUBES as usize - 1).map(|i| Reading::at_most(off(i), 0.02)).reduce(Reading::or_worse)
    });
    stage.check_always("stick", move |world| {
        Some(Reading::at_most(gone(world, &cubes, CUBES as usize - 1).abs(), 1e-3))
    });
    Ok(())
}
