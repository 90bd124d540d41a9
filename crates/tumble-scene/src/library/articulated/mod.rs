//! Scenes of articulations: one file each.

mod articulated_car;
mod closed_ring;
mod crane;
mod demolition_chain;
mod double_pendulum;
mod dzhanibekov_link;
mod foucault_pendulum;
mod heavy_chain;
mod humanoid;
mod limit_and_box;
mod link_hits_body;
mod linkages;
mod pendulums;
mod pistons;
mod quadruped;
mod skeletons;
mod stewart_platform;
mod trapdoors;
mod whip;

use crate::error::Result;
use crate::scene::{Scene, Stage};
use tumble::articulation::ArticulationDesc;
use tumble::math::{Real, Sym3, Vec3};
use tumble::shape::{MassProperties, Shape};
use tumble::{ArticulationId, BodyDesc, World};

pub fn scenes() -> Vec<Scene> {
    vec![
        pendulums::scene(),
        double_pendulum::scene(),
        foucault_pendulum::scene(),
        dzhanibekov_link::scene(),
        heavy_chain::scene(),
        whip::scene(),
        crane::scene(),
        demolition_chain::scene(),
        linkages::scene(),
        closed_ring::scene(),
        stewart_platform::scene(),
        pistons::scene(),
        limit_and_box::scene(),
        link_hits_body::scene(),
        trapdoors::scene(),
        skeletons::scene(),
        articulated_car::scene(),
        humanoid::scene(),
        quadruped::scene(),
    ]
}

/// Gravity of the default world.
const G: f64 = 9.81;

/// Adds a tree to the stage.
fn add(stage: &mut Stage, desc: ArticulationDesc) -> Result<ArticulationId> {
    stage.engine(|world| world.add_articulation(desc))
}

/// A thin rod along y with this length and mass, which shows as a capsule that fits between its ends.
fn rod(length: f64, mass: f64) -> tumble::Result<BodyDesc> {
    let radius = 0.08 * length;
    let shape = Shape::capsule((0.5 * length - radius) as Real, radius as Real)?;
    Ok(BodyDesc::dynamic().collider(shape).mass_properties(thin_rod(length, mass)))
}

/// m l²/12 across a thin rod along y; a hundredth of it along it.
fn thin_rod(length: f64, mass: f64) -> MassProperties {
    let across = mass * length * length / 12.0;
    MassProperties { mass, centre: Vec3::ZERO, inertia: Sym3::diagonal(Vec3::new(across, 0.01 * across, across)) }
}

/// Kinetic and potential energy of a tree under the default gravity; NaN where it is gone.
fn energy(world: &World, id: ArticulationId) -> f64 {
    world.articulation(id).map_or(f64::NAN, |t| t.kinetic_energy() + t.mass() * G * t.centre_of_mass().y)
}

/// A coordinate of a tree; NaN where it is gone.
fn coordinate(world: &World, id: ArticulationId, k: usize) -> f64 {
    world.articulation(id).ok().and_then(|t| t.position().get(k).copied()).unwrap_or(f64::NAN)
}

/// A velocity along a degree of freedom of a tree; NaN where it is gone.
fn speed(world: &World, id: ArticulationId, k: usize) -> f64 {
    world.articulation(id).ok().and_then(|t| t.velocity().get(k).copied()).unwrap_or(f64::NAN)
}
