//! A ring of links, closed by a joint, falls on the floor.

use super::super::props::{floor, tune};
use super::{add, rod};
use crate::error::Result;
use crate::{Camera, Parameter, Said, Scene, Stage, Values};
use tumble::articulation::{ArticulationDesc, Dof, LinkDesc};
use tumble::math::{Float, Real};
use tumble::{JointDesc, Material};

/// Length of a link, in metres.
const LINK: f64 = 0.4;

pub fn scene() -> Scene {
    Scene::new("closed-ring", build)
        .seed("000-115")
        .description("A ring of links that floats as one tree, closed by a hinge between its ends, drops onto the floor on its edge and stays closed.")
        .parameter(Parameter::new("links", 10.0).range(3.0, 24.0).whole().help("Links of the ring"))
        .camera(Camera::new([0.0, 1.0, 5.0], [0.0, 0.6, 0.0]))
        .check("gap", "The ring stays closed; widest", "m")
        .check("above", "It stays on the floor; lowest middle of a link", "m")
}

fn build(stage: &mut Stage, values: &Values) -> Result<()> {
    let links = values.count("links")? as usize;
    tune(stage, LINK)?;
    floor(stage, Material::default())?;
    let turn = 2.0 * f64::PI / links as f64;
    let mut desc = ArticulationDesc::new().name("ring");
    // The middle of the first link is a radius from that of the ring.
    let radius = 0.5 * LINK / Float::tan(0.5 * turn);
    let high = 0.5 * LINK / Float::sin(0.5 * turn) + 0.3;
    for i in 0..links {
        let body = stage.engine(|_| rod(LINK, 1.0))?.name(format!("link-{i}"));
        let dof = Dof { damping: 0.05, ..Dof::default() };
        desc.add(match i {
            0 => LinkDesc::free(body).position(&[-radius, high, 0.0, 0.0, 0.0, 0.0, 1.0]),
            _ => {
                let link = LinkDesc::revolute(body, [0.0, 0.0, 1.0]).parent(i - 1).at([0.0, -0.5 * LINK, 0.0]);
                link.anchor([0.0, 0.5 * LINK, 0.0]).position(&[turn]).dof(0, dof)
            }
        });
    }
    let id = add(stage, desc)?;
    stage.engine(|world| {
        let tree = world.articulation(id)?;
        let (first, last) = (tree.link(0)?, tree.link(links - 1)?);
        let at = world.body(first)?.to_world([0.0, (0.5 * LINK) as Real, 0.0]);
        world.add_joint(JointDesc::hinge(first, last).anchor(at).axis([0.0, 0.0, 1.0]).name("closure"))
    })?;
    stage.run_for(4.0);
    stage.check_said("gap", Said::at_most("gap()", 0.03 * LINK));
    stage.check_said("above", Said::at_least("y('link-*')", 0.0));
    Ok(())
}
