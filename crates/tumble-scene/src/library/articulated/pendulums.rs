//! A row of pendulums of one to eight rods.

use super::super::props::tune;
use super::{G, add, energy, rod};
use crate::error::Result;
use crate::{Camera, Parameter, Reading, Scene, Stage, Values};
use tumble::articulation::{ArticulationDesc, LinkDesc};
use tumble::math::Float;

pub fn scene() -> Scene {
    Scene::new("articulated-pendulums", build)
        .seed("000, figure 23 and table S8")
        .description("Pendulums of one to eight rods of a metre, straight and 45° below the horizontal at the start. Explicit Euler loses the long ones; here they swing on without damping.")
        .parameter(Parameter::new("angle", 45.0).range(5.0, 120.0).unit("°").help("From hanging to where they start"))
        .camera(Camera::new([4.0, 4.0, 16.0], [4.0, -3.0, 0.0]))
        .conservative()
        .check("energy", "No pendulum gains or loses energy; worst, as a share of what it released", "")
}

fn build(stage: &mut Stage, values: &Values) -> Result<()> {
    let angle = values.get("angle")? * f64::PI / 180.0;
    tune(stage, 1.0)?;
    let mut all = Vec::new();
    for links in 1..=8_u32 {
        let mut desc = ArticulationDesc::new().name(format!("pendulum-{links}"));
        for i in 0..links {
            let body = stage.engine(|_| rod(1.0, 1.0))?.can_sleep(false).name(format!("rod-{links}-{i}"));
            let link = LinkDesc::revolute(body, [0.0, 0.0, 1.0]).anchor([0.0, 0.5, 0.0]);
            desc.add(match i {
                0 => link.at([0.0, 0.0, -f64::from(links)]).position(&[angle]),
                _ => link.parent(i as usize - 1).at([0.0, -0.5, 0.0]),
            });
        }
        let id = add(stage, desc)?;
        let n = f64::from(links);
        let released = n * G * 0.5 * n * (1.0 - Float::cos(angle));
        all.push((id, energy(&stage.world, id), released));
    }
    stage.run_for(10.0);
    stage.check_always("energy", move |world| {
        let drift = |&(id, start, released): &(_, f64, f64)| ((energy(world, id) - start) / released).abs();
        all.iter().map(|p| Reading::at_most(drift(p), 2e-3)).reduce(Reading::or_worse)
    });
    Ok(())
}
