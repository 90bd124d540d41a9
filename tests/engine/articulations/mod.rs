//! Articulations: trees of links against closed forms, other engines' numbers, and the bodies around them.

mod assemblies;
mod closed_forms;
mod contacts;
mod continuous;
mod crowds;
mod gliding;
mod input;
mod inverse_kinematics;
mod loops;
mod methods;
mod momentum;
mod mujoco;
mod responses;
mod restraints;
mod servos;
mod together;
mod trees;

use crate::support::{Random, awake, real, scene};
use tumble::articulation::{ArticulationDesc, LinkDesc, LinkJoint};
use tumble::math::{Real, Vec3};
use tumble::shape::Shape;
use tumble::{ArticulationId, BodyDesc, BodyId, ColliderDesc, Method, World};

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

fn floor(world: &mut World) -> BodyId {
    let ground = ColliderDesc::new(Shape::half_space(Vec3::Y, 0.0).unwrap());
    world.add_body(BodyDesc::fixed().collider(ground)).unwrap()
}

fn sleepless() -> World {
    World::with_method(awake(Method::default())).unwrap()
}

/// A world that solves by simultaneous impulses.
fn simultaneous() -> World {
    World::with_method(awake(Method::simultaneous())).unwrap()
}

/// A world for each method that solves contacts.
fn both() -> [World; 2] {
    [sleepless(), simultaneous()]
}

/// The world of a scene of the library for each method that solves contacts, with these values for its parameters.
fn of_library(name: &str, values: &[(&str, f64)]) -> [World; 2] {
    [Method::default(), Method::simultaneous()].map(|method| scene(name, values, awake(method)))
}

/// A joint of any kind but free.
fn random_joint(random: &mut Random) -> LinkJoint {
    let axis = random.vector(1.0).normalize_or(Vec3::X);
    match random.below(8) {
        0 => LinkJoint::Revolute { axis },
        1 => LinkJoint::Prismatic { axis },
        2 => LinkJoint::Helical { axis, lead: real(0.3) },
        3 => LinkJoint::Universal { first: axis, second: axis.tangents().0 },
        4 => LinkJoint::Spherical,
        5 => LinkJoint::Cylindrical { axis },
        6 => LinkJoint::Fixed,
        _ => LinkJoint::Planar { normal: axis },
    }
}

/// A branching tree of rods on joints of every kind; its root is free where it is to float.
fn random_tree(random: &mut Random, links: usize, floats: bool) -> ArticulationDesc {
    let mut desc = ArticulationDesc::new();
    for i in 0..links {
        let joint = if floats && i == 0 { LinkJoint::Free } else { random_joint(random) };
        let link = LinkDesc::new(rod(), joint).at(random.vector(0.3).to_f64()).anchor(random.vector(0.3).to_f64());
        desc.add(if i == 0 { link } else { link.parent(random.below(i)) });
    }
    desc
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

/// The vertical force with which two bodies press on each other, and its moment about the z axis.
fn support(world: &World, a: BodyId, b: BodyId) -> [f64; 2] {
    let mut sums = [0.0; 2];
    for contact in world.contacts().filter(|contact| contact.bodies() == [a, b] || contact.bodies() == [b, a]) {
        for point in contact.points() {
            let force = f64::from(point.impulse) / f64::from(DT);
            sums = [sums[0] + force, sums[1] + force * point.position.x];
        }
    }
    sums
}
