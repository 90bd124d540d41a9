//! Ragdolls as articulations, which fall onto hilly ground.

use super::super::props::{Random, hill, hills, tune};
use super::add;
use crate::error::Result;
use crate::{Camera, Parameter, Reading, Scene, Stage, Values};
use tumble::articulation::{ArticulationDesc, Dof, LinkDesc, LinkJoint};
use tumble::math::{Num, Real, Vec3};
use tumble::shape::Shape;
use tumble::{ArticulationId, BodyDesc, BodyId, World};

/// Distance of the skeletons, in metres.
const PITCH: f64 = 1.3;

/// A part: its name, half the length and the radius of its capsule, where it is in a body that stands upright, its parent, where
/// the joint is, and from which to which angle it bends about x; `None` for a ball joint.
type Part = (&'static str, Real, Real, [f64; 3], usize, [f64; 3], Option<(f64, f64)>);

/// The parts of the ragdolls of maximal coordinates, parents first.
const PARTS: [Part; 11] = [
    ("pelvis", 0.05, 0.13, [0.0, 1.0, 0.0], 0, [0.0; 3], None),
    ("chest", 0.12, 0.15, [0.0, 1.35, 0.0], 0, [0.0, 1.15, 0.0], None),
    ("head", 0.04, 0.11, [0.0, 1.75, 0.0], 1, [0.0, 1.62, 0.0], None),
    ("left-upper-arm", 0.12, 0.06, [0.3, 1.33, 0.0], 1, [0.25, 1.48, 0.0], None),
    ("left-lower-arm", 0.11, 0.05, [0.3, 0.99, 0.0], 3, [0.3, 1.16, 0.0], Some((-2.4, 0.1))),
    ("right-upper-arm", 0.12, 0.06, [-0.3, 1.33, 0.0], 1, [-0.25, 1.48, 0.0], None),
    ("right-lower-arm", 0.11, 0.05, [-0.3, 0.99, 0.0], 5, [-0.3, 1.16, 0.0], Some((-2.4, 0.1))),
    ("left-thigh", 0.15, 0.08, [0.1, 0.65, 0.0], 0, [0.1, 0.9, 0.0], None),
    ("left-shin", 0.15, 0.06, [0.1, 0.25, 0.0], 7, [0.1, 0.44, 0.0], Some((-0.1, 2.4))),
    ("right-thigh", 0.15, 0.08, [-0.1, 0.65, 0.0], 0, [-0.1, 0.9, 0.0], None),
    ("right-shin", 0.15, 0.06, [-0.1, 0.25, 0.0], 9, [-0.1, 0.44, 0.0], Some((-0.1, 2.4))),
];

pub fn scene() -> Scene {
    Scene::new("skeletons", build)
        .seed("000, figure 23")
        .description("Skeletons of eleven capsules, each one tree with ball joints at neck, back, shoulders and hips and hinges at elbows and knees, fall onto hills and come to rest.")
        .parameter(Parameter::new("skeletons", 4.0).range(1.0, 1_000.0).whole().help("How many"))
        .parameter(Parameter::new("turn", 1.0).range(0.0, 3.0).unit("rad").help("Largest turn of a skeleton at the start"))
        .camera(Camera::new([4.0, 3.0, 6.0], [0.0, 0.5, 0.0]))
        .check("gap", "No joint comes apart at all; widest", "m")
        .check("above", "No part falls through the ground or is thrown away; how many", "")
}

fn build(stage: &mut Stage, values: &Values) -> Result<()> {
    let (count, turn) = (values.count("skeletons")?, values.get("turn")?);
    tune(stage, 0.3)?;
    let side = (1..=1_000_u32).find(|n| n * n >= count).unwrap_or(1_000);
    let half = 0.5 * f64::from(side) * PITCH + 3.0;
    hills(stage, half, 0.5)?;
    let mut random = Random(6);
    let shapes: Vec<Shape> = stage.engine(|_| PARTS.iter().map(|p| Shape::capsule(p.1, p.2)).collect())?;
    let mut all: Vec<ArticulationId> = Vec::new();
    for n in 0..count {
        let place = |k: u32| (f64::from(k) - 0.5 * f64::from(side - 1)) * PITCH;
        let q = random.turn(turn).to_f64();
        let mut desc = ArticulationDesc::new().self_collision(true).name(format!("skeleton-{n}"));
        for (i, (part, shape)) in PARTS.iter().zip(&shapes).enumerate() {
            let (name, _, _, at, parent, joint, bend) = *part;
            let body = BodyDesc::dynamic().collider(shape.clone()).name(format!("{name}-{n}"));
            if i == 0 {
                let root = [place(n % side), 0.6 + 1.0, place(n / side), q.x, q.y, q.z, q.w];
                desc.add(LinkDesc::free(body).position(&root));
                continue;
            }
            let kind = if bend.is_some() { LinkJoint::Revolute { axis: Vec3::X } } else { LinkJoint::Spherical };
            let mut link = LinkDesc::new(body, kind).parent(parent);
            link = link.at(minus(joint, PARTS[parent].3)).anchor(minus(joint, at));
            for dof in &mut link.dofs {
                *dof = Dof { limits: bend.map(|(low, high)| [low, high]), ..Dof::default() };
            }
            desc.add(link);
        }
        all.push(add(stage, desc)?);
    }
    stage.run_for(3.0);
    let bodies: Vec<Vec<BodyId>> = stage.engine(|world| {
        all.iter().map(|&id| Ok(world.articulation(id)?.links().collect())).collect::<tumble::Result<_>>()
    })?;
    stage.check_at_end("gap", move |world| {
        let widest = bodies.iter().map(|bodies| widest_gap(world, bodies)).fold(0.0, Num::max);
        Some(Reading::at_most(widest, 1e-5))
    });
    stage.check_at_end("above", move |world| {
        let lost = |world: &World, id: ArticulationId| -> usize {
            let Ok(tree) = world.articulation(id) else { return PARTS.len() };
            let inside = |p: tumble::math::Point| {
                p.y > hill(p.x, p.z) - 0.1 && p.y < 4.0 && p.x.abs() < half && p.z.abs() < half
            };
            tree.links().filter(|&b| !world.body(b).is_ok_and(|b| inside(b.position()))).count()
        };
        Some(Reading::at_most(all.iter().map(|&id| lost(world, id)).sum::<usize>() as f64, 0.0))
    });
    Ok(())
}

fn minus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// The widest distance between the points of two bodies that a joint holds together.
fn widest_gap(world: &World, bodies: &[BodyId]) -> f64 {
    let bodies: Vec<_> = bodies.iter().filter_map(|&b| world.body(b).ok()).collect();
    let point = |i: usize, p: [f64; 3]| bodies.get(i).map(|b| b.to_world(p.map(|v| v as Real)));
    let gap = |i: usize| -> Option<f64> {
        let (_, _, _, at, parent, joint, _) = PARTS[i];
        Some((point(i, minus(joint, at))? - point(parent, minus(joint, PARTS[parent].3))?).length())
    };
    (1..PARTS.len()).map(|i| gap(i).unwrap_or(f64::NAN)).fold(0.0, Num::max)
}
