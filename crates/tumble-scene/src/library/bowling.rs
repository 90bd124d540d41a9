//! Ten pins and a ball.

use super::props::{Things, body, floor, place, pointing, sphere, tune, velocity};
use crate::error::Result;
use crate::{Camera, Parameter, Reading, Said, Scene, Stage, Values};
use tumble::math::{Float, Point, Real, Vec3};
use tumble::shape::Shape;
use tumble::{BodyDesc, Material, World};

/// A pin from its foot up: height and radius, in metres, after the rules of the game.
const PIN: [[f64; 2]; 7] = [
    [0.0, 0.0258],
    [0.019, 0.0358],
    [0.114, 0.0606],
    [0.184, 0.0473],
    [0.254, 0.0226],
    [0.343, 0.0324],
    [0.381, 0.014],
];
/// Sides of a pin, its mass and its centre of mass; radius and mass of the ball; from pin to pin.
const SIDES: u32 = 12;
const MASS: f64 = 1.5;
const BALL: [f64; 2] = [0.108, 6.8];
const PITCH: f64 = 0.305;
/// Where the ball starts, and where the first pin is.
const START: f64 = -3.0;

pub fn scene() -> Scene {
    Scene::new("bowling", build)
        .seed("000, S6")
        .description("A ball rolls into ten pins, between the first one and the second, as one does it for a strike.")
        .parameter(Parameter::new("speed", 8.0).range(3.0, 12.0).unit("m/s").help("Speed of the ball"))
        .parameter(
            Parameter::new("aside", 0.05).range(-0.3, 0.3).unit("m").help("How far from the middle the ball comes"),
        )
        .camera(Camera::new([-2.2, 1.2, 0.6], [0.5, 0.1, 0.0]))
        .check("stand", "All pins stand until the ball comes; largest lean", "°")
        .check("fall", "At least nine pins fall; how many do", "")
        .check("slower", "The ball goes on, slower than it came; share of its speed", "")
        .check("energy", "No impact brings energy; highest as a share of that at the start", "")
}

fn build(stage: &mut Stage, values: &Values) -> Result<()> {
    let (speed, aside) = (values.get("speed")?, values.get("aside")?);
    tune(stage, 0.1)?;
    stage.prefer_dt(1.0 / 120.0)?;
    floor(stage, Material::default().with_friction(0.2))?;
    let wood = Material::default().with_friction(0.3).with_restitution(0.6);
    let shape = stage.engine(|_| pin())?;
    let mut pins = Things::default();
    for row in 0..4 {
        for i in 0..=row {
            let x = f64::from(row) * PITCH * 0.75_f64.sqrt();
            let z = (f64::from(i) - 0.5 * f64::from(row)) * PITCH;
            let desc = BodyDesc::dynamic().name(format!("pin-{}", pins.ids.len())).position([x, 0.0, z]);
            pins.add(stage, desc.mass(MASS as Real), shape.clone(), wood.clone())?;
        }
    }
    let desc = BodyDesc::dynamic().name("ball").position([START, BALL[0], aside]).mass(BALL[1] as Real);
    let desc = desc.linear_velocity([speed as Real, 0.0, 0.0]);
    let desc = desc.angular_velocity(Vec3::new(0.0, 0.0, (-speed / BALL[0]) as Real));
    let shape = sphere(stage, BALL[0])?;
    let ball =
        body(stage, desc.can_sleep(false), shape, &Material::default().with_friction(0.3).with_restitution(0.6))?;
    stage.run_for(-START / speed + 4.0);

    let lean = |world: &World, id| Float::acos(pointing(world, id, Vec3::Y).y) / f64::PI * 180.0;
    stage.check_said("stand", Said::at_most("tilt('pin-*') / 1 deg", 1.0).until((-START - 0.3) / speed));
    stage.check_at_end("fall", move |world| {
        let down = pins.ids.iter().filter(|&&id| lean(world, id) > 30.0).count();
        Some(Reading::at_least(down as f64, 9.0))
    });
    stage.check_always("slower", move |world| {
        let past = (1.2..1.6).contains(&place(world, ball).x);
        past.then(|| Reading::between(velocity(world, ball).x / speed, 0.3, 0.9))
    });
    let start = stage.world.measure().energy();
    stage.check_said("energy", Said::at_most(format!("energy() / ({start:e})"), 1.001));
    Ok(())
}

/// The hull of a pin's belly and foot, and that of its head and neck.
fn pin() -> tumble::Result<Shape> {
    let part = |rings: &[[f64; 2]]| {
        let mut points = Vec::new();
        for &[y, r] in rings {
            for k in 0..SIDES {
                let angle = 2.0 * f64::PI * f64::from(k) / f64::from(SIDES);
                points.push(Point::new(r * Float::cos(angle), y, r * Float::sin(angle)).to_real());
            }
        }
        Shape::hull(&points)
    };
    let at = |shape| tumble::shape::CompoundChild::new(shape, tumble::math::Pose::IDENTITY);
    Shape::compound(vec![at(part(&PIN[..5])?), at(part(&PIN[4..])?)])
}
