//! An engine: three pistons on one crankshaft.

use super::props::{body, cuboid, joint, place};
use crate::error::Result;
use crate::{Camera, Parameter, Reading, Said, Scene, Stage, Values};
use tumble::constraint::Motor;
use tumble::constraint::joint::Hinge;
use tumble::math::{Float, Point, Real, Vec3};
use tumble::{BodyDesc, ColliderDesc, JointDesc, Layers, Material, World};

/// Radius of the crank, length of a connecting rod, distance of the cylinders, in metres.
const CRANK: f64 = 0.2;
const ROD: f64 = 0.6;
const PITCH: f64 = 0.35;
/// Cylinders, and the angle from the crank of one to that of the next.
const CYLINDERS: u32 = 3;

pub fn scene() -> Scene {
    Scene::new("pistons", build)
        .seed("000, S7")
        .description("A motor turns a crankshaft; three connecting rods drive three pistons up and down. Each loop of crank, rod, piston and cylinder is closed.")
        .parameter(Parameter::new("turns", 2.0).range(0.1, 5.0).unit("1/s").help("Turns of the shaft in a second"))
        .parameter(Parameter::new("mass", 1.0).range(0.1, 10.0).unit("kg").help("Mass of a piston"))
        .camera(Camera::new([1.2, 1.0, 2.2], [0.0, 0.4, 0.0]))
        .check("motion", "Each piston is at r cos θ + √(l² - r² sin² θ); farthest off", "m")
        .check("straight", "No piston leaves the line of its cylinder; farthest", "m")
        .check("turns", "The shaft turns as the motor says; error of its speed as a share", "")
        .check("gap", "No joint comes apart; widest", "m")
}

fn build(stage: &mut Stage, values: &Values) -> Result<()> {
    let (turns, mass) = (values.get("turns")?, values.real("mass")?);
    let speed = 2.0 * f64::PI * turns;
    let material = Material::default().with_density(2000.0);
    // The parts pass through each other: what moves them is the joints.
    let ghost = Layers { meets: 0, ..Layers::default() };
    let mut shaft = BodyDesc::dynamic().name("shaft").can_sleep(false).angular_velocity([0.0, 0.0, speed as Real]);
    let pins: Vec<(f64, Point)> = (0..CYLINDERS)
        .map(|i| {
            let phase = f64::from(i) * 2.0 * f64::PI / f64::from(CYLINDERS);
            let z = (f64::from(i) - 0.5 * f64::from(CYLINDERS - 1)) * PITCH;
            // At the angle θ from the upright.
            (phase, Point::new(-CRANK * Float::sin(phase), CRANK * Float::cos(phase), z))
        })
        .collect();
    for (phase, pin) in &pins {
        let web = ColliderDesc::new(cuboid(stage, [0.06, CRANK, 0.08])?).material(material.clone()).layers(ghost);
        let half = Point::new(0.5 * pin.x, 0.5 * pin.y, pin.z);
        shaft = shaft
            .collider(web.at(half.to_real()).rotation(tumble::math::Quat::from_axis_angle(Vec3::Z, *phase as Real)));
    }
    let axle = ColliderDesc::new(cuboid(stage, [0.05, 0.05, PITCH * f64::from(CYLINDERS)])?);
    let shaft = shaft.collider(axle.material(material.clone()).layers(ghost));
    let shaft = stage.engine(|world| world.add_body(shaft))?;
    let drive = Hinge::driven(Motor::velocity(speed as Real));
    joint(stage, JointDesc::new(World::BODY, shaft, drive).anchor(Point::ZERO).axis(Vec3::Z).name("bearing"))?;
    let mut pistons = Vec::new();
    for (i, (phase, pin)) in pins.into_iter().enumerate() {
        let top = Point::new(0.0, height(phase), pin.z);
        let lean = Float::atan2(pin.x, top.y - pin.y);
        // How fast piston and rod move at first.
        let rise =
            -CRANK * speed * (Float::sin(phase) + CRANK * Float::sin(phase) * Float::cos(phase) / (top.y - pin.y));
        let of_pin = Point::new(-pin.y, pin.x, 0.0) * speed;
        let turning = -of_pin.x / (top.y - pin.y);
        let rod =
            BodyDesc::dynamic().name(format!("rod-{i}")).position((pin + top) * 0.5).turned(Vec3::Z, lean as Real);
        let rod = rod.linear_velocity(((of_pin + Point::Y * rise) * 0.5).to_real());
        let shape = ColliderDesc::new(cuboid(stage, [0.05, ROD, 0.05])?).material(material.clone()).layers(ghost);
        let rod = rod.collider(shape).angular_velocity([0.0, 0.0, -turning as Real]);
        let rod = stage.engine(|world| world.add_body(rod))?;
        let piston = BodyDesc::dynamic().name(format!("piston-{i}")).position(top).mass(mass);
        let shape = ColliderDesc::new(cuboid(stage, [0.2, 0.2, 0.2])?).layers(ghost);
        let piston = piston.collider(shape).linear_velocity([0.0, rise as Real, 0.0]);
        let piston = stage.engine(|world| world.add_body(piston))?;
        joint(stage, JointDesc::hinge(shaft, rod).anchor(pin).axis(Vec3::Z).name(format!("crank-{i}")))?;
        joint(stage, JointDesc::hinge(rod, piston).anchor(top).axis(Vec3::Z).name(format!("gudgeon-{i}")))?;
        joint(stage, JointDesc::slider(World::BODY, piston).anchor(top).axis(Vec3::Y).name(format!("cylinder-{i}")))?;
        pistons.push((piston, phase, top));
    }
    // The cylinders, of which two walls are seen.
    for (i, &(_, _, top)) in pistons.iter().enumerate() {
        let shape = cuboid(stage, [0.04, 0.8, 0.2])?;
        for side in [-1.0, 1.0] {
            let desc = BodyDesc::fixed().name(format!("wall-{i}")).position([0.14 * side, ROD, top.z]);
            body(stage, desc, shape.clone(), &material)?;
        }
    }
    stage.run_for(10.0);

    let angle = move |world: &World| {
        let x = world.body(shaft).map_or(Point::all(f64::NAN), |b| b.rotation().to_f64().rotate(Point::X));
        Float::atan2(x.y, x.x)
    };
    let all = pistons.clone();
    stage.check_always("motion", move |world| {
        let off = |&(piston, phase, _): &(_, f64, Point)| (place(world, piston).y - height(angle(world) + phase)).abs();
        all.iter().map(|piston| Reading::at_most(off(piston), 2e-3)).reduce(Reading::or_worse)
    });
    stage.check_said("straight", Said::at_most("strayed('piston-*')", 1e-3));
    stage.check_said("turns", Said::at_most(format!("abs(wz('shaft') / {speed} - 1)"), 0.01));
    stage.check_said("gap", Said::at_most("gap()", 2e-3));
    Ok(())
}

/// How high a piston is over the shaft at this angle of its crank.
fn height(angle: f64) -> f64 {
    let (sin, cos) = (CRANK * Float::sin(angle), CRANK * Float::cos(angle));
    cos + (ROD * ROD - sin * sin).sqrt()
}
