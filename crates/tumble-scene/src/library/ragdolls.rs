//! Ragdolls that fall onto hilly ground.

use super::props::{Random, Things, hills, tune};
use crate::error::Result;
use crate::{Camera, Parameter, Reading, Said, Scene, Stage, Values};
use tumble::constraint::joint::{Ball, Hinge};
use tumble::math::{Point, Real, Vec3};
use tumble::shape::Shape;
use tumble::{BodyDesc, JointDesc, JointKind, Material};

/// Distance of the ragdolls, in metres.
const PITCH: f64 = 1.3;

/// A part of a body: its name, half the length and the radius of its capsule, where it is in a body that stands upright.
type Part = (&'static str, Real, Real, [f64; 3]);

const PARTS: [Part; 11] = [
    ("pelvis", 0.05, 0.13, [0.0, 1.0, 0.0]),
    ("chest", 0.12, 0.15, [0.0, 1.35, 0.0]),
    ("head", 0.04, 0.11, [0.0, 1.75, 0.0]),
    ("left-upper-arm", 0.12, 0.06, [0.3, 1.33, 0.0]),
    ("left-lower-arm", 0.11, 0.05, [0.3, 0.99, 0.0]),
    ("right-upper-arm", 0.12, 0.06, [-0.3, 1.33, 0.0]),
    ("right-lower-arm", 0.11, 0.05, [-0.3, 0.99, 0.0]),
    ("left-thigh", 0.15, 0.08, [0.1, 0.65, 0.0]),
    ("left-shin", 0.15, 0.06, [0.1, 0.25, 0.0]),
    ("right-thigh", 0.15, 0.08, [-0.1, 0.65, 0.0]),
    ("right-shin", 0.15, 0.06, [-0.1, 0.25, 0.0]),
];

/// The parts that a joint connects, where, and from which to which angle it bends; `None` for a ball joint.
type Joint = (usize, usize, [f64; 3], Option<(Real, Real)>);

const JOINTS: [Joint; 10] = [
    (0, 1, [0.0, 1.15, 0.0], None),
    (1, 2, [0.0, 1.62, 0.0], None),
    (1, 3, [0.25, 1.48, 0.0], None),
    (3, 4, [0.3, 1.16, 0.0], Some((-2.4, 0.1))),
    (1, 5, [-0.25, 1.48, 0.0], None),
    (5, 6, [-0.3, 1.16, 0.0], Some((-2.4, 0.1))),
    (0, 7, [0.1, 0.9, 0.0], None),
    (7, 8, [0.1, 0.44, 0.0], Some((-0.1, 2.4))),
    (0, 9, [-0.1, 0.9, 0.0], None),
    (9, 10, [-0.1, 0.44, 0.0], Some((-0.1, 2.4))),
];

pub fn scene() -> Scene {
    Scene::new("ragdolls", build)
        .seed("beyond the seeds")
        .description("Ragdolls of eleven capsules, with ball joints at neck, back, shoulders and hips and hinges at elbows and knees, fall onto hills.")
        .parameter(Parameter::new("ragdolls", 4.0).range(1.0, 1_000.0).whole().help("How many"))
        .parameter(Parameter::new("turn", 1.0).range(0.0, 3.0).unit("rad").help("Largest turn of a ragdoll at the start"))
        .camera(Camera::new([4.0, 3.0, 6.0], [0.0, 0.5, 0.0]))
        .check("gap", "No joint comes apart; widest", "m")
        .check("above", "No part falls through the ground or is thrown away; how many", "")
}

fn build(stage: &mut Stage, values: &Values) -> Result<()> {
    let (count, turn) = (values.count("ragdolls")?, values.get("turn")?);
    tune(stage, 0.3)?;
    let side = (1..=1_000_u32).find(|n| n * n >= count).unwrap_or(1_000);
    let half = 0.5 * f64::from(side) * PITCH + 3.0;
    hills(stage, half, 0.5)?;
    let (mut parts, mut random) = (Things::default(), Random(6));
    let shapes: Vec<Shape> = stage.engine(|_| PARTS.iter().map(|p| Shape::capsule(p.1, p.2)).collect())?;
    for doll in 0..count {
        let place = |k: u32| (f64::from(k) - 0.5 * f64::from(side - 1)) * PITCH;
        let (foot, turn) = (Point::new(place(doll % side), 0.6, place(doll / side)), random.turn(turn));
        // Turned about the hips.
        let hips = Point::new(0.0, 1.0, 0.0);
        let put = |at: [f64; 3]| foot + hips + turn.to_f64().rotate(Point::from(at) - hips);
        let mut ids = Vec::with_capacity(PARTS.len());
        for ((name, _, _, at), shape) in PARTS.iter().zip(&shapes) {
            let desc = BodyDesc::dynamic().name(format!("{name}-{doll}")).position(put(*at)).rotation(turn);
            ids.push(parts.add(stage, desc, shape.clone(), Material::default())?);
        }
        for (a, b, at, bend) in JOINTS {
            let kind: JointKind = match bend {
                None => Ball::default().into(),
                Some((low, high)) => Hinge::limited(low, high).into(),
            };
            let axis: Vec3 = turn.rotate(Vec3::X);
            let joint = JointDesc::new(ids[a], ids[b], kind).anchor(put(at)).axis(axis);
            stage.engine(|world| world.add_joint(joint))?;
        }
    }
    stage.run_for(3.0);
    stage.check_said("gap", Said::at_most("gap()", 0.05).at_end());
    stage.check_at_end("above", move |world| {
        let lost =
            |p: Point| !(p.y > super::props::hill(p.x, p.z) - 0.1 && p.y < 4.0 && p.x.abs() < half && p.z.abs() < half);
        let lost = parts.ids.iter().filter(|&&id| world.body(id).map_or(true, |b| lost(b.position()))).count();
        Some(Reading::at_most(lost as f64, 0.0))
    });
    Ok(())
}
