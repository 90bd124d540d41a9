//! A humanoid of 27 degrees of freedom stands on position motors and bears a push.

use super::super::props::{floor, tune};
use super::add;
use crate::error::Result;
use crate::{Camera, Parameter, Said, Scene, Stage, Values};
use tumble::articulation::{ArticulationDesc, Dof, LinkDesc, LinkJoint, Motor};
use tumble::math::{Real, Vec3};
use tumble::shape::Shape;
use tumble::{BodyDesc, ColliderDesc, Material};

pub fn scene() -> Scene {
    Scene::new("humanoid", build)
        .seed("beyond the seeds")
        .description("A humanoid of 81 kg and 27 degrees of freedom stands on damped springs in its joints, is pushed at the chest by 20 N s after three seconds, and goes on standing.")
        .parameter(Parameter::new("stiffness", 1.0).range(0.5, 5.0).help("Of all motors, as a multiple"))
        .parameter(Parameter::new("sway", 0.0).range(0.0, 0.5).help("How fast all of it moves forwards at the start, in m/s: 0.25 is a push of 20 N s"))
        .camera(Camera::new([2.5, 1.5, 3.0], [0.0, 0.9, 0.0]))
        .check("stands", "The pelvis stays up; lowest height as a share of the first", "")
        .check("feet", "The feet stay where they are; farthest", "m")
        .check("still", "It stands still in the end; speed of the pelvis", "m/s")
}

/// Height of the hips, in metres: feet of 8 cm, shins and thighs of 42 cm.
const HIPS: f64 = 0.92;
const LIMB: f64 = 0.42;
/// The push on the chest, in N s.
const PUSH: Real = 20.0;

/// The model: x forwards, y up, z to its right. Motors hold every joint where it is.
pub fn model(stiffness: f64, sway: f64) -> tumble::Result<ArticulationDesc> {
    let capsule = |half: f64, radius: f64| Shape::capsule(half as Real, radius as Real);
    let cuboid = |x: f64, y: f64, z: f64| Shape::cuboid(x as Real, y as Real, z as Real);
    let body = |name: &str, shape: Shape, mass: f64| {
        BodyDesc::dynamic().collider(shape).mass(mass as Real).name(name).can_sleep(false)
    };
    let servo = |k: f64| Dof::default().motor(Motor::position(stiffness * k, 0.05 * stiffness * k));
    let held = |mut link: LinkDesc, k: f64| {
        for dof in &mut link.dofs {
            *dof = servo(k);
        }
        link
    };
    let universal = LinkJoint::Universal { first: Vec3::Z, second: Vec3::X };
    let mut desc = ArticulationDesc::new().name("humanoid");
    let root = LinkDesc::free(body("pelvis", cuboid(0.1, 0.08, 0.16)?, 12.0));
    let root = root.position(&[0.0, HIPS, 0.0, 0.0, 0.0, 0.0, 1.0]).velocity(&[sway, 0.0, 0.0, 0.0, 0.0, 0.0]);
    let root = desc.add(root);
    let belly = LinkDesc::new(body("belly", cuboid(0.09, 0.08, 0.13)?, 10.0), universal).parent(root);
    let belly = desc.add(held(belly.at([0.0, 0.1, 0.0]).anchor([0.0, -0.09, 0.0]), 2_000.0));
    let head = ColliderDesc::new(Shape::sphere(0.11)?).at([0.0, 0.36, 0.0]);
    let chest = body("chest", cuboid(0.11, 0.17, 0.17)?, 22.0).collider(head);
    let chest = LinkDesc::revolute(chest, Vec3::Y).parent(belly).at([0.0, 0.09, 0.0]).anchor([0.0, -0.18, 0.0]);
    let chest = desc.add(held(chest, 1_000.0));
    for side in [-1.0_f64, 1.0] {
        let which = if side < 0.0 { "left" } else { "right" };
        let named = |part: &str| format!("{which}-{part}");
        let upper = LinkDesc::new(body(&named("upper-arm"), capsule(0.12, 0.05)?, 2.5), universal).parent(chest);
        let upper = desc.add(held(upper.at([0.0, 0.12, 0.24 * side]).anchor([0.0, 0.14, 0.0]), 100.0));
        let lower = LinkDesc::revolute(body(&named("lower-arm"), capsule(0.12, 0.04)?, 2.0), Vec3::Z).parent(upper);
        desc.add(held(lower.at([0.0, -0.14, 0.0]).anchor([0.0, 0.14, 0.0]), 50.0));
        let thigh = LinkDesc::spherical(body(&named("thigh"), capsule(0.15, 0.07)?, 9.0)).parent(root);
        let thigh = desc.add(held(thigh.at([0.0, 0.0, 0.1 * side]).anchor([0.0, 0.5 * LIMB, 0.0]), 2_000.0));
        let shin = LinkDesc::revolute(body(&named("shin"), capsule(0.16, 0.05)?, 4.0), Vec3::Z).parent(thigh);
        let shin = desc.add(held(shin.at([0.0, -0.5 * LIMB, 0.0]).anchor([0.0, 0.5 * LIMB, 0.0]), 2_000.0));
        let foot = LinkDesc::new(body(&named("foot"), cuboid(0.14, 0.03, 0.05)?, 1.2), universal).parent(shin);
        desc.add(held(foot.at([0.0, -0.5 * LIMB, 0.0]).anchor([-0.02, 0.05, 0.0]), 2_000.0));
    }
    Ok(desc)
}

fn build(stage: &mut Stage, values: &Values) -> Result<()> {
    let (stiffness, sway) = (values.get("stiffness")?, values.get("sway")?);
    tune(stage, 0.2)?;
    floor(stage, Material::default())?;
    let desc = stage.engine(|_| model(stiffness, sway))?;
    let id = add(stage, desc)?;
    let mut pushed = false;
    stage.drive(move |world| {
        if world.time() >= 3.0 && !pushed {
            pushed = true;
            let chest = world.articulation(id)?.link(2)?;
            world.body_mut(chest)?.apply_impulse([PUSH, 0.0, 0.0])?;
        }
        Ok(())
    });
    stage.run_for(10.0);
    stage.check_said("stands", Said::at_least(format!("y('pelvis') / {HIPS}"), 0.97));
    stage.check_said("feet", Said::at_most("moved('*-foot')", 0.03));
    stage.check_said("still", Said::at_most("speed('pelvis')", 0.02).at_end());
    Ok(())
}
