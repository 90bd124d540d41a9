//! A quadruped trots over boxes by a plan that knows nothing of them.

use super::super::props::{Random, floor, tune};
use super::add;
use crate::error::Result;
use crate::{Camera, Parameter, Said, Scene, Stage, Values};
use tumble::articulation::{ArticulationDesc, Dof, LinkDesc, Motor};
use tumble::math::{Float, Num, Real, Vec3};
use tumble::shape::Shape;
use tumble::{BodyDesc, ColliderDesc, Material};

/// Length of thigh and shin, in metres.
const LIMB: f64 = 0.25;
/// Height of the hips over the feet while they stand.
const STANCE: f64 = 0.38;
/// How far the legs are from the middle of the hull. Nearer to it, a foot that lands on the edge of a box may tip it over.
const WIDE: f64 = 0.22;
/// Length of a step, how high a foot is lifted, and steps per second of each foot.
const STRIDE: f64 = 0.2;
const LIFT: f64 = 0.13;
const RATE: f64 = 2.2;

pub fn scene() -> Scene {
    Scene::new("quadruped", build)
        .seed("beyond the seeds")
        .description("A machine on four legs with twelve motors trots over boxes 5 cm high. Its feet follow the same closed curves over and over; nothing is measured.")
        .parameter(Parameter::new("height", 5.0).range(0.0, 6.0).unit("cm").help("Height of the boxes"))
        .parameter(Parameter::new("stiffness", 400.0).range(200.0, 1_000.0).unit("N m/rad").help("Of the motors"))
        .camera(Camera::new([2.5, 2.0, 5.0], [2.5, 0.3, 0.0]))
        .check("way", "It walks five metres in 20 s; how far it comes", "m")
        .check("upright", "It stays on its feet; least height of its hull's middle", "m")
}

/// The angles of hip and knee that put a foot at (x, -y) under the hip: the knee bends backwards.
fn leg(x: f64, y: f64) -> [f64; 2] {
    let reach = Num::min(Num::sqrt(x * x + y * y), 1.99 * LIMB);
    let knee = -2.0 * Float::acos(0.5 * reach / LIMB);
    [Float::atan2(x, y) - 0.5 * knee, knee]
}

/// Where a foot is in its cycle from 0 to 1: on the ground from the front to the back, then lifted to the front.
fn foot(phase: f64) -> [f64; 2] {
    let ground = 0.55;
    if phase < ground {
        [STRIDE * (0.5 - phase / ground), STANCE]
    } else {
        let s = (phase - ground) / (1.0 - ground);
        // Eased at both ends: it lands without a kick.
        let along = s - Float::sin(2.0 * f64::PI * s) / (2.0 * f64::PI);
        [STRIDE * (along - 0.5), STANCE - LIFT * Float::sin(f64::PI * s)]
    }
}

fn build(stage: &mut Stage, values: &Values) -> Result<()> {
    let (height, stiffness) = (values.get("height")? * 0.01, values.get("stiffness")?);
    tune(stage, 0.2)?;
    floor(stage, Material::default().with_friction(0.9))?;
    if height > 0.0 {
        let mut random = Random(3);
        let flat = stage.engine(|_| Shape::cuboid(0.15, (0.5 * height) as Real, 0.15))?;
        for i in 0..24_u32 {
            let at = [0.8 + 0.2 * f64::from(i) + 0.05 * random.number(), 0.5 * height, 0.45 * random.number()];
            let desc = BodyDesc::fixed().position(at).collider(ColliderDesc::new(flat.clone()).friction(0.9));
            stage.engine(|world| world.add_body(desc.name(format!("box-{i}"))))?;
        }
    }
    let servo = |k: f64| Dof::default().motor(Motor::position(k, 0.03 * k).max_force(150.0));
    let (hull, limb, shoe) = stage.engine(|_| {
        Ok((
            Shape::cuboid(0.35, 0.07, 0.12)?,
            Shape::capsule((0.5 * LIMB - 0.03) as Real, 0.03)?,
            Shape::sphere(0.035)?,
        ))
    })?;
    let mut desc = ArticulationDesc::new().name("quadruped");
    let body = BodyDesc::dynamic().collider(hull).mass(14.0).can_sleep(false).name("hull");
    let root = desc.add(LinkDesc::free(body).position(&[0.0, STANCE + 0.035, 0.0, 0.0, 0.0, 0.0, 1.0]));
    let mut legs = Vec::new();
    for (x, z, shift) in [(0.3, -WIDE, 0.0), (0.3, WIDE, 0.5), (-0.3, -WIDE, 0.5), (-0.3, WIDE, 0.0)] {
        let n = legs.len();
        let [hip, knee] = leg(0.0, STANCE);
        let block = BodyDesc::dynamic().mass(0.5).can_sleep(false).name(format!("hip-{n}"));
        let block = desc.add(LinkDesc::revolute(block, Vec3::X).parent(root).at([x, 0.0, z]).dof(0, servo(stiffness)));
        let thigh = BodyDesc::dynamic().collider(limb.clone()).mass(0.8).can_sleep(false).name(format!("thigh-{n}"));
        let thigh = LinkDesc::revolute(thigh, Vec3::Z).parent(block).anchor([0.0, 0.5 * LIMB, 0.0]);
        let thigh = desc.add(thigh.dof(0, servo(stiffness)).position(&[hip]).target(&[hip]));
        let end = ColliderDesc::new(shoe.clone()).at([0.0, (-0.5 * LIMB) as Real, 0.0]).friction(0.9);
        let shin = BodyDesc::dynamic().collider(limb.clone()).collider(end).mass(0.4).can_sleep(false);
        let shin = LinkDesc::revolute(shin.name(format!("shin-{n}")), Vec3::Z).parent(thigh);
        let shin = shin.at([0.0, -0.5 * LIMB, 0.0]).anchor([0.0, 0.5 * LIMB, 0.0]);
        let shin = desc.add(shin.dof(0, servo(stiffness)).position(&[knee]).target(&[knee]));
        legs.push((thigh, shin, shift));
    }
    let id = add(stage, desc)?;
    stage.drive(move |world| {
        let t = world.time() - 0.5;
        if t < 0.0 {
            return Ok(());
        }
        let mut tree = world.articulation_mut(id)?;
        for &(thigh, shin, shift) in &legs {
            // From standing into the gait within a second.
            let phase = RATE * t + shift;
            let [x, y] = foot(phase - phase.floor());
            let ease = Num::min(t, 1.0);
            let [hip, knee] = leg(x * ease, STANCE + (y - STANCE) * ease);
            tree.set_target(thigh, &[hip])?;
            tree.set_target(shin, &[knee])?;
        }
        Ok(())
    });
    stage.run_for(20.0);
    stage.check_said("way", Said::at_least("x('hull')", 5.0).at_end());
    stage.check_said("upright", Said::at_least("y('hull')", 0.3));
    Ok(())
}
