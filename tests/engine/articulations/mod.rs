//! Articulations: trees of links against closed forms, other engines' numbers, and the bodies around them.

mod assemblies;
mod contacts;
mod continuous;
mod input;
mod inverse_kinematics;
mod loops;
mod methods;
mod mujoco;
mod restraints;
mod trees;

use crate::support::{awake, real};
use tumble::articulation::{ArticulationDesc, LinkDesc};
use tumble::math::{Real, Vec3};
use tumble::shape::Shape;
use tumble::{ArticulationId, BodyDesc, ColliderDesc, Method, World};

const DT: Real = 1.0 / 60.0;
const G: f64 = 9.81;

/// A rod of half a metre and 1 kg, upright, with capsules that end where the rod does.
fn rod() -> BodyDesc {
    BodyDesc::dynamic().collider(Shape::capsule(0.2, 0.05).unwrap()).mass(1.0)
}

/// A chain of rods on hinges about z, hanging from (0, `height`, 0), the first of them turned by `angle`.
fn chain(links: usize, height: f64, angle: f64) -> ArticulationDesc {
    let mut desc = ArticulationDesc::new();
    for i in 0..links {
        let link = LinkDesc::revolute(rod(), [0.0, 0.0, 1.0]).anchor([0.0, 0.25, 0.0]);
        desc.add(match i {
            0 => link.at([0.0, height, 0.0]).position(&[angle]),
            _ => link.parent(i - 1).at([0.0, -0.25, 0.0]),
        });
    }
    desc
}

fn floor(world: &mut World) {
    let ground = ColliderDesc::new(Shape::half_space(Vec3::Y, 0.0).unwrap());
    world.add_body(BodyDesc::fixed().collider(ground)).unwrap();
}

fn sleepless() -> World {
    World::with_method(awake(Method::default())).unwrap()
}

/// A world that solves by simultaneous impulses.
fn simultaneous() -> World {
    World::with_method(awake(Method::simultaneous())).unwrap()
}

fn run(world: &mut World, seconds: f64) {
    for _ in 0..(seconds * 60.0).round() as usize {
        world.step(DT).unwrap();
    }
}

/// Kinetic and potential energy of an articulation.
fn energy(world: &World, id: ArticulationId) -> f64 {
    let tree = world.articulation(id).unwrap();
    tree.kinetic_energy() + tree.mass() * G * tree.centre_of_mass().y
}

/// The largest distance between the two points at which a joint of a chain of rods holds its links.
fn widest_gap(world: &World, id: ArticulationId) -> f64 {
    let tree = world.articulation(id).unwrap();
    let bodies: Vec<_> = tree.links().collect();
    let mut widest = 0.0;
    for pair in bodies.windows(2) {
        let [a, b] = [pair[0], pair[1]].map(|id| world.body(id).unwrap());
        let gap = (a.to_world([0.0, real(-0.25), 0.0]) - b.to_world([0.0, real(0.25), 0.0])).length();
        widest = f64::max(widest, gap);
    }
    widest
}
