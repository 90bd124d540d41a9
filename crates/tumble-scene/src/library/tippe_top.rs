//! A top that turns itself upside down.

use super::props::{floor, place, pointing, tune};
use crate::error::Result;
use crate::{Camera, Parameter, Reading, Said, Scene, Stage, Values};
use tumble::math::{Point, Real, Sym3, Vec3};
use tumble::shape::{MassProperties, Shape};
use tumble::{BodyDesc, ColliderDesc, Material, World};

/// Radius and mass, and how far below the middle of the ball the centre of mass is, as a share of the radius.
const RADIUS: f64 = 0.02;
const MASS: f64 = 0.02;
const BELOW: f64 = 0.25;

pub fn scene() -> Scene {
    Scene::new("tippe-top", build)
        .seed("beyond the seeds")
        .description(
            "A ball whose centre of mass lies below its middle is spun upright. Friction at its foot lifts the centre, against gravity: it turns \
             over and spins on its head.",
        )
        .parameter(Parameter::new("spin", 180.0).range(120.0, 300.0).unit("rad/s").help("How fast it is spun"))
        .parameter(Parameter::new("friction", 0.3).range(0.1, 0.6).help("Coefficient of friction"))
        .camera(Camera::new([0.05, 0.06, 0.14], [0.0, 0.02, 0.0]).field_of_view(35.0))
        .check("turns-over", "Within eight seconds it stands on its head; upward part of its axis", "")
        .check("rises", "Its centre of mass has risen; by how much, as a share of the most that it can", "")
        .check("jellett", "Friction at one point keeps L·r, Jellett's constant, until then; largest change as a share", "")
        .check("energy", "Nothing brings energy; highest as a share of that at the start", "")
}

fn build(stage: &mut Stage, values: &Values) -> Result<()> {
    let (spin, friction) = (values.get("spin")?, values.real("friction")?);
    tune(stage, RADIUS)?;
    stage.prefer_dt(1.0 / 240.0)?;
    let material = Material::default().with_friction(friction);
    floor(stage, material.clone())?;
    let inertia = 0.4 * MASS * RADIUS * RADIUS;
    let mass = MassProperties {
        mass: MASS,
        centre: Vec3::new(0.0, -BELOW * RADIUS, 0.0),
        inertia: Sym3::diagonal(Vec3::all(inertia)),
    };
    let shape = ColliderDesc::new(stage.engine(|_| Shape::sphere(RADIUS as Real))?).material(material);
    let desc = BodyDesc::dynamic().name("top").position([0.0, RADIUS, 0.0]).turned(Vec3::Z, 0.1).can_sleep(false);
    let desc = desc.mass_properties(mass).collider(shape).angular_velocity([0.0, spin as Real, 0.0]);
    let top = stage.engine(|world| world.add_body(desc))?;
    stage.run_for(8.0);

    stage.check_at_end("turns-over", move |world| Some(Reading::at_most(pointing(world, top, Vec3::Y).y, -0.9)));
    let height = move |world: &World| world.body(top).map_or(f64::NAN, |b| b.centre_of_mass().y);
    stage.check_at_end("rises", move |world| {
        Some(Reading::at_least((height(world) - (1.0 - BELOW) * RADIUS) / (2.0 * BELOW * RADIUS), 0.9))
    });
    // r from the centre of mass to the foot, which is below the middle of the ball.
    let jellett = move |world: &World| {
        let Ok(body) = world.body(top) else { return f64::NAN };
        let foot = place(world, top) - Point::Y * RADIUS;
        -body.angular_momentum().dot(foot - body.centre_of_mass())
    };
    let start = jellett(&stage.world);
    stage.check_always("jellett", move |world| Some(Reading::at_most((jellett(world) / start - 1.0).abs(), 0.1)));
    let begin = stage.world.measure().energy();
    stage.check_said("energy", Said::at_most(format!("energy() / ({begin:e})"), 1.005));
    Ok(())
}
