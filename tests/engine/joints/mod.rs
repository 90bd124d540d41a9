//! Joints: what they hold, what they leave free, what they bear.

mod freedoms;
mod kinds;
mod life;
mod loads;
mod motors;
mod spin;

pub use crate::support::awake;
use crate::support::real;
use tumble::math::{Float, Point, Real, Vec3};
use tumble::shape::Shape;
use tumble::{BodyDesc, BodyId, JointDesc, JointId, Method, World};

/// One step of 1/60 s.
pub const DT: Real = 1.0 / 60.0;
/// Strength of gravity.
pub const G: f64 = 9.81;

/// A world in which nothing falls asleep.
pub fn sleepless() -> World {
    World::with_method(awake(Method::soft_step())).unwrap()
}

/// The same without gravity.
pub fn weightless() -> World {
    let mut world = sleepless();
    world.set_gravity(Vec3::ZERO).unwrap();
    world
}

pub fn run(world: &mut World, seconds: f64) {
    for _ in 0..(seconds * 60.0).round() as u32 {
        world.step(DT).unwrap();
    }
}

/// A box by half extents and mass.
pub fn crate_at(world: &mut World, at: [f64; 3], half: [f64; 3], mass: f64) -> BodyId {
    let shape = Shape::cuboid(real(half[0]), real(half[1]), real(half[2])).unwrap();
    world.add_body(BodyDesc::dynamic().position(at).mass(real(mass)).collider(shape)).unwrap()
}

/// Links of 1 m hanging from the world, the last one of another mass, each on a ball joint at its upper end.
pub fn chain(world: &mut World, count: usize, mass: f64, load: f64) -> (Vec<BodyId>, Vec<JointId>) {
    let (mut bodies, mut joints) = (Vec::new(), Vec::new());
    let mut above = World::BODY;
    for i in 0..count {
        let top = -(i as f64);
        let m = if i + 1 == count { load } else { mass };
        let link = crate_at(world, [0.0, top - 0.5, 0.0], [0.1, 0.45, 0.1], m);
        joints.push(world.add_joint(JointDesc::ball(above, link).anchor([0.0, top, 0.0])).unwrap());
        bodies.push(link);
        above = link;
    }
    (bodies, joints)
}

pub fn widest_gap(world: &World, joints: &[JointId]) -> f64 {
    joints.iter().map(|&j| world.joint(j).unwrap().gap().to_f64()).fold(0.0, f64::max)
}

pub fn position(world: &World, body: BodyId) -> Point {
    world.body(body).unwrap().position()
}
