//! A crane that lifts a thousand times the mass of its hook.

use super::super::props::{floor, tune};
use super::add;
use crate::error::Result;
use crate::{Camera, Parameter, Said, Scene, Stage, Values};
use tumble::articulation::{ArticulationDesc, Dof, LinkDesc, Motor};
use tumble::math::Real;
use tumble::shape::Shape;
use tumble::{BodyDesc, JointDesc, Material};

pub fn scene() -> Scene {
    Scene::new("crane", build)
        .seed("beyond the seeds")
        .description("A slewing crane with a hook of 1 kg lifts a load that is a thousand times as heavy, which hangs on the hook by a ball joint.")
        .parameter(Parameter::new("load", 1_000.0).range(1.0, 5_000.0).unit("kg").help("Mass of the load"))
        .parameter(Parameter::new("speed", 0.5).range(0.1, 1.0).unit("m/s").help("Speed of the hoist"))
        .camera(Camera::new([10.0, 5.0, 12.0], [2.0, 4.0, 0.0]))
        .check("hoist", "The hook rises at the commanded speed; ratio", "")
        .check("load", "The load rises with it; share of the commanded way", "")
        .check("gap", "The load stays on the hook; widest", "m")
}

fn build(stage: &mut Stage, values: &Values) -> Result<()> {
    let (mass, rate) = (values.get("load")?, values.get("speed")?);
    tune(stage, 0.5)?;
    floor(stage, Material::default())?;
    let part = |x: f64, y: f64, z: f64, mass: f64| -> tumble::Result<BodyDesc> {
        Ok(BodyDesc::dynamic()
            .collider(Shape::cuboid(x as Real, y as Real, z as Real)?)
            .mass(mass as Real)
            .can_sleep(false))
    };
    let (jib, trolley, hook, load) = stage.engine(|_| {
        Ok((
            part(3.0, 0.2, 0.2, 400.0)?,
            part(0.3, 0.15, 0.3, 40.0)?,
            part(0.05, 0.1, 0.05, 1.0)?,
            part(0.5, 0.5, 0.5, mass)?,
        ))
    })?;
    let mut desc = ArticulationDesc::new().name("crane");
    let slew = Dof::default().motor(Motor::velocity(0.05, 1e6));
    let jib = desc.add(
        LinkDesc::revolute(jib.name("jib"), [0.0, 1.0, 0.0]).at([0.0, 8.0, 0.0]).anchor([-1.0, 0.0, 0.0]).dof(0, slew),
    );
    let run = Dof::default().limits(-1.0, 1.8).motor(Motor::velocity(0.05, 1e6));
    let trolley =
        LinkDesc::prismatic(trolley.name("trolley"), [1.0, 0.0, 0.0]).parent(jib).at([0.0, -0.35, 0.0]).dof(0, run);
    let trolley = desc.add(trolley);
    let hoist = Dof::default().motor(Motor::velocity(rate, 1e6));
    let hook = LinkDesc::prismatic(hook.name("hook"), [0.0, 1.0, 0.0]).parent(trolley).dof(0, hoist).position(&[-6.0]);
    let hook = desc.add(hook);
    let id = add(stage, desc)?;
    let at = [1.0, 8.0 - 0.35 - 6.0 - 0.1 - 0.5, 0.0];
    stage.engine(|world| {
        let body = world.add_body(load.position(at).name("load"))?;
        let hook = world.articulation(id)?.link(hook)?;
        world.add_joint(JointDesc::ball(hook, body).anchor([at[0], at[1] + 0.5, at[2]]))
    })?;
    stage.run_for(6.0);
    stage.check_said("hoist", Said::between(format!("rate('hook') / {rate}"), 0.98, 1.02).from(0.5));
    stage
        .check_said("load", Said::between(format!("(y('load') - ({})) / ({rate} * time)", at[1]), 0.98, 1.02).at_end());
    stage.check_said("gap", Said::at_most("gap()", 0.01));
    Ok(())
}
