//! A ragdoll that falls down a staircase.

use super::props::{Things, cuboid, floor, joint};
use crate::error::Result;
use crate::{Camera, Parameter, Reading, Said, Scene, Stage, Values};
use tumble::constraint::joint::Hinge;
use tumble::math::{Float, Num, Point, Real, Vec3};
use tumble::{BodyDesc, JointDesc, JointId, Material, World};

const STEPS: u32 = 10;
/// Height and depth of a step.
const STEP: [f64; 2] = [0.25, 0.35];

/// A part: name, where its middle is from the pelvis, edges, mass.
type Part = (&'static str, [f64; 2], [f64; 3], Real);
/// A hinge of the world: with the length of the shorter of its limbs, and from where to where it bends.
type Jointed = (JointId, f64, Real, Real);
/// A hinge: the parts that it connects, where it is, its axis, from which to which angle it bends.
type Bend = (usize, usize, [f64; 2], Vec3, Real, Real);

const PARTS: [Part; 11] = [
    ("pelvis", [0.0, 0.0], [0.32, 0.2, 0.2], 10.0),
    ("chest", [0.0, 0.32], [0.36, 0.4, 0.22], 20.0),
    ("head", [0.0, 0.7], [0.2, 0.26, 0.2], 5.0),
    ("left-upper-arm", [-0.34, 0.45], [0.28, 0.1, 0.1], 2.0),
    ("left-forearm", [-0.62, 0.45], [0.26, 0.09, 0.09], 1.5),
    ("left-thigh", [-0.1, -0.32], [0.14, 0.4, 0.14], 7.0),
    ("left-shin", [-0.1, -0.74], [0.12, 0.4, 0.12], 4.0),
    ("right-upper-arm", [0.34, 0.45], [0.28, 0.1, 0.1], 2.0),
    ("right-forearm", [0.62, 0.45], [0.26, 0.09, 0.09], 1.5),
    ("right-thigh", [0.1, -0.32], [0.14, 0.4, 0.14], 7.0),
    ("right-shin", [0.1, -0.74], [0.12, 0.4, 0.12], 4.0),
];

const BENDS: [Bend; 10] = [
    (0, 1, [0.0, 0.11], Vec3::X, -0.5, 0.8),
    (1, 2, [0.0, 0.55], Vec3::X, -0.6, 0.6),
    (1, 3, [-0.19, 0.45], Vec3::Z, -1.2, 1.2),
    (3, 4, [-0.485, 0.45], Vec3::Y, -2.0, 2.0),
    (0, 5, [-0.1, -0.11], Vec3::X, -1.5, 0.5),
    (5, 6, [-0.1, -0.53], Vec3::X, -0.05, 2.2),
    (1, 7, [0.19, 0.45], Vec3::Z, -1.2, 1.2),
    (7, 8, [0.485, 0.45], Vec3::Y, -2.0, 2.0),
    (0, 9, [0.1, -0.11], Vec3::X, -1.5, 0.5),
    (9, 10, [0.1, -0.53], Vec3::X, -0.05, 2.2),
];

pub fn scene() -> Scene {
    Scene::new("ragdoll-stairs", build)
        .seed("003, S5")
        .description("A ragdoll of eleven boxes on hinges, none of which bends farther than a joint of a body does, is thrown down ten steps.")
        .parameter(Parameter::new("start", 0.0).range(0.0, 7.0).whole().help("Which of eight places it falls from"))
        .parameter(Parameter::new("speed", 2.5).range(0.0, 5.0).unit("m/s").help("How fast it is thrown"))
        .camera(Camera::new([7.0, 3.0, 7.0], [0.0, 1.0, 2.5]))
        .check("fall-gap", "No hinge comes apart during the fall; widest, in lengths of the shorter limb", "")
        .check("rest-gap", "Nor at rest; widest, in lengths of the shorter limb", "")
        .check("limits", "No hinge bends farther than it can; farthest", "°")
        .check("down", "The pelvis ends on the lower floor, below the lowest step; its height", "m")
        .check("asleep", "All parts fall asleep; how many do not", "")
}

fn build(stage: &mut Stage, values: &Values) -> Result<()> {
    let (start, speed) = (values.get("start")?, values.real("speed")?);
    let material = Material::default();
    floor(stage, material.clone())?;
    for i in 0..STEPS {
        let height = STEP[0] * f64::from(STEPS - i);
        let shape = cuboid(stage, [3.0, height, STEP[1]])?;
        let desc = BodyDesc::fixed().name(format!("step-{i}"));
        let at = [0.0, 0.5 * height, STEP[1] * f64::from(i)];
        super::props::body(stage, desc.position(at), shape, &material)?;
    }
    let hips = Point::new(0.03 * start, 4.0, 0.01 * start);
    let mut parts = Things::default();
    for (name, [x, y], edges, mass) in PARTS {
        let desc = BodyDesc::dynamic().name(name).position(hips + Point::new(x, y, 0.0)).mass(mass);
        let shape = cuboid(stage, edges)?;
        parts.add(stage, desc.linear_velocity([0.0, 0.0, speed]), shape, material.clone())?;
    }
    let mut hinges = Vec::new();
    for (a, b, [x, y], axis, low, high) in BENDS {
        let hinge = JointDesc::new(parts.ids[a], parts.ids[b], Hinge::limited(low, high)).axis(axis);
        let limb =
            [a, b].map(|part| PARTS[part].2.into_iter().fold(0.0, Num::max)).into_iter().fold(f64::INFINITY, Num::min);
        hinges.push((joint(stage, hinge.anchor(hips + Point::new(x, y, 0.0)))?, limb, low, high));
    }
    stage.run_for(20.0);

    // In metres: the gap of a joint counts its limits too, in radians, and these are judged by themselves.
    let gap = |world: &World, hinges: &[Jointed], bound: f64| {
        let gap = |id: JointId| world.joint(id).map_or(f64::NAN, |joint| joint.frames().gap().length().to_f64());
        let readings = hinges.iter().map(|&(id, limb, ..)| Reading::at_most(gap(id) / limb, bound));
        readings.reduce(Reading::or_worse)
    };
    let all = hinges.clone();
    stage.check_always("fall-gap", move |world| gap(world, &all, 0.05));
    let all = hinges.clone();
    stage.check_at_end("rest-gap", move |world| gap(world, &all, 0.01));
    stage.check_always("limits", move |world| {
        let beyond = |&(id, _, low, high): &Jointed| {
            let angle = world.joint(id).ok().and_then(|joint| joint.value()).map_or(f64::NAN, Float::to_f64);
            Reading::at_most(Num::max(low.to_f64() - angle, angle - high.to_f64()).to_degrees(), 2.0)
        };
        hinges.iter().map(beyond).reduce(Reading::or_worse)
    });
    stage.check_said("down", Said::at_most("y('pelvis')", STEP[0]).at_end());
    stage.check_at_end("asleep", move |world| {
        let awake = parts.ids.iter().filter(|&&id| !world.body(id).is_ok_and(|b| b.is_asleep())).count();
        Some(Reading::at_most(awake as f64, 0.0))
    });
    Ok(())
}
