//! Whole steps of worlds so small that they also run under Miri, which watches the unsafe code of all kernels on the way: every
//! instruction set that there is against plain scalars, and several threads against one.

use crate::articulation::{ArticulationDesc, LinkDesc};
use crate::math::{Isa, Real, Vec3};
use crate::method::{SoftStep, Step};
use crate::shape::Shape;
use crate::{BodyDesc, ColliderDesc, JointDesc, Material, Method, World};

const DT: Real = 1.0 / 60.0;

/// Boxes and balls that slide, bounce and roll on a floor, a pendulum, a hinged arm, a bullet on its way to a thin wall, and two trees that lie
/// on the floor. Two sub-steps to a step: Miri takes about a minute for it.
fn small() -> World {
    let step = Step::SoftStep(SoftStep { substeps: 2, ..SoftStep::default() });
    let mut world = World::with_method(Method { step, ..Method::soft_step() }).unwrap();
    let floor = Material { restitution: 0.5, rolling_friction: 0.01, ..Material::default() };
    let floor = ColliderDesc::new(Shape::half_space(Vec3::Y, 0.0).unwrap()).material(floor);
    world.add_body(BodyDesc::fixed().collider(floor)).unwrap();
    for i in 0..2 {
        let x = 2.0 * f64::from(i);
        let shape = if i % 2 == 0 { Shape::cuboid(0.5, 0.5, 0.5) } else { Shape::sphere(0.5) };
        for y in [0.5, 1.49] {
            let body = BodyDesc::dynamic().position([x, y, 0.0]).linear_velocity([1.0, -2.0, 0.0]);
            world.add_body(body.collider(shape.clone().unwrap())).unwrap();
        }
    }
    let bob = world.add_body(BodyDesc::dynamic().position([0.0, 5.0, 1.0])).unwrap();
    world.add_joint(JointDesc::ball(World::BODY, bob).anchor([0.0, 5.0, 0.0])).unwrap();
    let arm = world.add_body(BodyDesc::dynamic().position([0.0, 5.0, 2.0])).unwrap();
    world.add_joint(JointDesc::hinge(bob, arm).anchor([0.0, 5.0, 1.5]).axis([1.0, 0.0, 0.0])).unwrap();
    let wall = Shape::cuboid(0.01, 1.0, 1.0).unwrap();
    world.add_body(BodyDesc::fixed().position([3.0, 5.0, 5.0]).collider(wall)).unwrap();
    let bullet = BodyDesc::dynamic().position([0.0, 5.0, 5.0]).linear_velocity([300.0, 0.0, 0.0]).bullet(true);
    world.add_body(bullet.collider(Shape::sphere(0.05).unwrap())).unwrap();
    for z in [-3.0, -6.0] {
        let rod = || BodyDesc::dynamic().collider(Shape::capsule(0.2, 0.1).unwrap());
        let mut desc = ArticulationDesc::new();
        desc.add(LinkDesc::free(rod()).position(&[0.0, 0.1, z, 0.5, 0.5, 0.5, 0.5]));
        desc.add(LinkDesc::revolute(rod(), Vec3::X).parent(0).at([0.0, 0.3, 0.0]).anchor([0.0, -0.3, 0.0]));
        world.add_articulation(desc).unwrap();
    }
    world
}

#[test]
fn kernels_agree_with_scalars_and_threads_with_one() {
    let steps = 2;
    let hash = |isa: Isa, threads: usize| {
        let mut world = small();
        world.set_isa(isa);
        world.set_threads(threads).unwrap();
        for _ in 0..steps {
            world.step(DT).unwrap();
        }
        assert!(world.profile().contacts > 4 && world.profile().points > 12);
        world.hash()
    };
    let plain = hash(Isa::SCALAR, 1);
    for isa in Isa::available().into_iter().filter(|&isa| isa != Isa::SCALAR) {
        assert_eq!(hash(isa, 1), plain, "{isa:?}");
    }
    assert_eq!(hash(Isa::SCALAR, 2), plain);
}
