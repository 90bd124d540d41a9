//! A loaded link at its limit rests on a free box.

use super::super::props::{floor, tune};
use super::add;
use crate::error::Result;
use crate::{Camera, Parameter, Said, Scene, Stage, Values};
use tumble::articulation::{ArticulationDesc, Dof, LinkDesc};
use tumble::math::Real;
use tumble::shape::Shape;
use tumble::{BodyDesc, Material};

pub fn scene() -> Scene {
    Scene::new("limit-and-box", build)
        .seed("000-40, S23")
        .description("An arm lies level against the limit of its hinge. A box lies on its end, and the end on another box: limit and contacts bear the load together.")
        .parameter(Parameter::new("load", 20.0).range(1.0, 1_000.0).unit("kg").help("Mass of the box on the arm"))
        .camera(Camera::new([1.5, 1.2, 3.0], [0.6, 0.7, 0.0]))
        .check("limit", "The arm stays at its limit; largest angle off it", "rad")
        .check("still", "Neither box moves; farthest, in metres", "m")
}

fn build(stage: &mut Stage, values: &Values) -> Result<()> {
    let load = values.get("load")?;
    tune(stage, 0.2)?;
    floor(stage, Material::default())?;
    let cuboid = |x: f64, y: f64, z: f64, mass: f64| -> tumble::Result<BodyDesc> {
        Ok(BodyDesc::dynamic()
            .collider(Shape::cuboid(x as Real, y as Real, z as Real)?)
            .mass(mass as Real)
            .can_sleep(false))
    };
    let (arm, above, below) = stage
        .engine(|_| Ok((cuboid(0.5, 0.05, 0.2, 2.0)?, cuboid(0.1, 0.1, 0.1, load)?, cuboid(0.1, 0.475, 0.1, 5.0)?)))?;
    let mut desc = ArticulationDesc::new().name("arm");
    let limited = Dof::default().limits(0.0, 1.0);
    desc.add(
        LinkDesc::revolute(arm.name("arm"), [0.0, 0.0, 1.0])
            .at([0.0, 1.0, 0.0])
            .anchor([-0.5, 0.0, 0.0])
            .dof(0, limited),
    );
    add(stage, desc)?;
    let places = [[0.8, 1.15, 0.0], [0.8, 0.475, 0.0]];
    stage.engine(|world| {
        world.add_body(above.position(places[0]).name("above"))?;
        world.add_body(below.position(places[1]).name("below"))
    })?;
    stage.run_for(5.0);
    stage.check_said("limit", Said::at_most("abs(coordinate('arm'))", 2e-3));
    stage.check_said("still", Said::at_most("max(moved('above'), moved('below'))", 0.01));
    Ok(())
}
