//! Joints between links and other bodies: loops, and free bodies that hang on trees.

use super::{DT, G, chain, floor, rod, run, sleepless};
use crate::support::{awake, scene};
use tumble::articulation::{ArticulationDesc, Dof, LinkDesc};
use tumble::math::Float;
use tumble::shape::Shape;
use tumble::{BodyDesc, Event, JointDesc, Method, World};

/// The linkages of the library by each method, their cranks driven at this speed.
fn linkages(speed: f64) -> [World; 2] {
    [Method::soft_step(), Method::simultaneous()].map(|m| scene("linkages", &[("speed", speed)], awake(m)))
}

/// A crank that can go round drives a rocker over a coupler; the ball joint on the rocker's end closes the loop.
#[test]
fn four_bar_linkage_goes_round() {
    for mut world in linkages(2.0) {
        let id = world.find_articulation("four-bar").unwrap();
        let joint = world.find_joint("pivot").unwrap();
        let start = world.articulation(id).unwrap().position()[0];
        let mut gap = 0.0_f64;
        for _ in 0..240 {
            world.step(DT).unwrap();
            gap = gap.max(world.joint(joint).unwrap().gap().to_f64());
        }
        let turned = world.articulation(id).unwrap().position()[0] - start;
        assert!((turned - 8.0).abs() < 0.1, "{turned}");
        // A thousandth of the linkage.
        assert!(gap < 1e-3, "gap {gap}");
    }
}

/// Slider and crank: the slider follows x = r cos θ + √(l² - r² sin² θ).
#[test]
fn slider_follows_its_crank() {
    let (r, l) = (0.3, 0.9);
    // Sub-steps follow the curve more closely than one solve a step.
    for (mut world, bound) in linkages(3.0).into_iter().zip([2e-3, 4e-3]) {
        let id = world.find_articulation("slider-crank").unwrap();
        let joint = world.find_joint("pin").unwrap();
        let (mut worst, mut gap) = (0.0_f64, 0.0_f64);
        for _ in 0..200 {
            world.step(DT).unwrap();
            let q = world.articulation(id).unwrap().position();
            let expected = r * Float::cos(q[0]) + (l * l - (r * Float::sin(q[0])).powi(2)).sqrt();
            worst = worst.max((q[2] - expected).abs());
            gap = gap.max(world.joint(joint).unwrap().gap().to_f64());
        }
        assert!(worst < bound && gap < bound, "off by {worst}, gap {gap}");
    }
}

/// A free ball of 10 kg on the end of a chain, by a ball joint: it hangs, and the joint bears its weight.
#[test]
fn free_body_hangs_on_a_chain() {
    let mut world = sleepless();
    let mut desc = chain(4, 3.0, 0.0);
    for link in &mut desc.links {
        link.dofs[0].damping = 0.5;
    }
    let id = world.add_articulation(desc).unwrap();
    let end = world.articulation(id).unwrap().link(3).unwrap();
    let ball = BodyDesc::dynamic().position([0.0, 0.7, 0.0]).collider(Shape::sphere(0.2).unwrap()).mass(10.0);
    let ball = world.add_body(ball).unwrap();
    let joint = world.add_joint(JointDesc::ball(end, ball).anchor([0.0, 1.0, 0.0])).unwrap();
    run(&mut world, 3.0);
    let tie = world.joint(joint).unwrap();
    assert!(tie.gap().to_f64() < 1e-3, "{}", tie.gap());
    assert!((tie.force().to_f64().y - 10.0 * G).abs() < 0.02 * 10.0 * G, "{:?}", tie.force());
    assert!((world.body(ball).unwrap().position().y - 0.7).abs() < 2e-3);
    let saved = world.snapshot().unwrap();
    run(&mut world, 0.5);
    let hash = world.hash();
    let mut again = World::from_snapshot(&saved).unwrap();
    run(&mut again, 0.5);
    assert_eq!(again.hash(), hash);
    // It breaks where it must, and goes with its bodies.
    world.joint_mut(joint).unwrap().set_break_limits(50.0, 1e9).unwrap();
    let broke = (0..10).any(|_| {
        world.step(DT).unwrap();
        world.events().iter().any(|e| matches!(e, Event::JointBroke { .. }))
    });
    assert!(broke);
    world.audit().unwrap();
    world.remove_articulation(id).unwrap();
    world.audit().unwrap();
    assert_eq!(world.joint_count(), 0);
}

/// A ring of eight links, closed by a joint, falls on the floor and stays closed.
#[test]
fn closed_ring_falls_on_the_floor() {
    let mut world = sleepless();
    floor(&mut world);
    let mut desc = ArticulationDesc::new();
    let turn = f64::PI / 4.0;
    for i in 0..8 {
        let dof = Dof { damping: 0.05, ..Dof::default() };
        desc.add(match i {
            0 => LinkDesc::free(rod()).position(&[-0.6, 1.5, 0.0, 0.0, 0.0, 0.0, 1.0]),
            _ => {
                let link = LinkDesc::revolute(rod(), [0.0, 0.0, 1.0]).parent(i - 1).at([0.0, -0.25, 0.0]);
                link.anchor([0.0, 0.25, 0.0]).position(&[turn]).dof(0, dof)
            }
        });
    }
    let id = world.add_articulation(desc).unwrap();
    let [first, last] = [0, 7].map(|i| world.articulation(id).unwrap().link(i).unwrap());
    let at = world.body(first).unwrap().to_world([0.0, 0.25, 0.0]);
    let joint = world.add_joint(JointDesc::hinge(first, last).anchor(at).axis([0.0, 0.0, 1.0])).unwrap();
    let mut gap = 0.0_f64;
    for _ in 0..240 {
        world.step(DT).unwrap();
        gap = gap.max(world.joint(joint).unwrap().gap().to_f64());
    }
    world.audit().unwrap();
    assert!(gap < 0.02, "{gap}");
    assert!(world.joint(joint).unwrap().gap().to_f64() < 2e-3);
}
