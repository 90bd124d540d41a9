//! Motors, dry friction, couplings, damping and contacts of one tree together, and what goes wrong in it without harm to others.

use super::{DT, both, chain, floor, rod, sleepless};
use crate::support::{awake, real};
use std::sync::Arc;
use tumble::articulation::{ArticulationDesc, Coupling, Dof, LinkDesc, LinkJoint, Motor};
use tumble::constraint::{Bound, Constraint, Frames, Jacobian, Row, Rows};
use tumble::math::{Real, Vec3};
use tumble::method::Validator;
use tumble::shape::Shape;
use tumble::{
    ArticulationId, BodyDesc, BodyId, ColliderDesc, Event, JointDesc, MassSource, Material, Method, Softness, World,
};

fn link(world: &World, id: ArticulationId, i: usize) -> BodyId {
    world.articulation(id).unwrap().link(i).unwrap()
}

fn rate(world: &World, id: ArticulationId) -> f64 {
    world.articulation(id).unwrap().velocity()[0]
}

/// A motor and dry friction on one joint, by each method: the motor reaches its speed where it is the stronger, with what friction leaves of it, and stands where it is not.
#[test]
fn motor_drives_a_joint_that_rubs() {
    // Friction, motor, and whether it goes.
    for (friction, force, goes) in [(0.1, 100.0, true), (0.1, 0.3, true), (0.3, 0.1, false), (200.0, 100.0, false)] {
        for mut world in both() {
            world.set_gravity([0.0; 3]).unwrap();
            let mut desc = ArticulationDesc::new();
            let dof = Dof { friction, ..Dof::default() }.motor(Motor::velocity(1.0, force));
            desc.add(LinkDesc::revolute(rod(), [0.0, 0.0, 1.0]).anchor([0.0, 0.25, 0.0]).dof(0, dof));
            let id = world.add_articulation(desc).unwrap();
            let inertia = world.articulation(id).unwrap().mass_matrix()[0];
            for step in 1..=120 {
                world.step(DT).unwrap();
                let most = (force - friction) / inertia * f64::from(step) * DT as f64;
                let expected = if goes { most.min(1.0) } else { 0.0 };
                let rate = rate(&world, id);
                let name = world.method().name.clone();
                assert!((rate - expected).abs() < 0.01, "{name}, {friction} {force}: {rate}, not {expected}");
            }
        }
    }
}

/// Gears turn together against friction on the wheel that is driven, by each method.
#[test]
fn gears_turn_against_friction() {
    for mut world in both() {
        let mut gears = ArticulationDesc::new();
        let drive = Dof::default().motor(Motor::velocity(1.0, 100.0));
        let wheel = || LinkDesc::revolute(rod(), [0.0, 1.0, 0.0]);
        let first = gears.add(wheel().dof(0, drive));
        let rubs = Dof { friction: 0.1, ..Dof::default() };
        let second = gears.add(wheel().at([1.0, 0.0, 0.0]).dof(0, rubs));
        gears.couple(Coupling::new((first, 0), (second, 0), -3.0));
        let id = world.add_articulation(gears).unwrap();
        for _ in 0..120 {
            world.step(DT).unwrap();
        }
        let q = world.articulation(id).unwrap().position();
        assert!((q[0] - 2.0).abs() < 0.05 && (q[1] + 3.0 * q[0]).abs() < 0.01, "{q:?}");
    }
}

/// Friction in several joints of a tree brings each to rest and turns none back, from speeds of any number of sub-steps' friction.
#[test]
fn friction_stops_joints_and_turns_none_back() {
    for units in [0.4, 1.0, 1.5, 2.0, 2.5, 3.3, 7.1, 30.7] {
        let mut world = sleepless();
        world.set_gravity([0.0; 3]).unwrap();
        let friction = 0.05;
        let dof = || Dof { friction, ..Dof::default() };
        let ball = || BodyDesc::dynamic().collider(Shape::sphere(0.2).unwrap()).mass(1.0);
        let mut desc = ArticulationDesc::new();
        let base = desc.add(LinkDesc::new(ball(), LinkJoint::Fixed));
        let h = DT as f64 / 4.0;
        let inertia = 0.4 * 0.04;
        let speed = units * friction * h / inertia;
        for (x, v) in [(1.0, speed), (2.0, -0.7 * speed)] {
            let wheel = LinkDesc::revolute(ball(), [0.0, 1.0, 0.0]).parent(base).at([x, 0.0, 0.0]);
            desc.add(wheel.dof(0, dof()).velocity(&[v]));
        }
        let id = world.add_articulation(desc).unwrap();
        for step in 1..=20 {
            world.step(DT).unwrap();
            let now = world.articulation(id).unwrap().velocity();
            let left = (speed - f64::from(step) * DT as f64 * friction / inertia).max(0.0);
            assert!((now[0] - left).abs() < 1e-5 * speed, "{units} units, step {step}: {now:?}, not {left}");
            assert!(now[1] < 1e-5 * speed && now[1] > -0.7 * speed, "{units} units, step {step}: {now:?}");
        }
        assert!(world.articulation(id).unwrap().velocity().iter().all(|v| v.abs() < 1e-5 * speed));
    }
}

/// Damping of the bodies of links is as that of free bodies, 1/(1 + h c) of a velocity in each sub-step of h, however strong it is.
#[test]
fn links_are_damped_as_free_bodies_are() {
    // A motor that does nothing keeps a tree from flying, as strong damping does.
    for (c, motor) in [(0.5, true), (20.0, true), (1000.0, true), (20.0, false), (1e6, false)] {
        for (mut world, substeps) in both().into_iter().zip([4, 1]) {
            world.set_gravity([0.0; 3]).unwrap();
            let mut desc = ArticulationDesc::new();
            let idle = Motor::position(1e-12, 0.0);
            let dof = if motor { Dof::default().motor(idle) } else { Dof::default() };
            let slider = LinkDesc::prismatic(rod().damping(real(c), 0.0), [1.0, 0.0, 0.0]);
            desc.add(slider.dof(0, dof).velocity(&[1.0]));
            let id = world.add_articulation(desc).unwrap();
            world.step(DT).unwrap();
            let h = DT as f64 / f64::from(substeps);
            let expected = (1.0 + h * c).powi(-substeps);
            let rate = rate(&world, id);
            assert!((rate - expected).abs() < 1e-3 * expected, "{c}: {rate}, not {expected}");
        }
    }
}

/// A ball that is the only link of a tree is braked in its spin on the floor as one that is a free body.
#[test]
fn spinning_links_are_braked_as_free_bodies_are() {
    for friction in [0.3, 0.8] {
        let mut world = sleepless();
        floor(&mut world);
        let material = Material { spinning_friction: real(0.02), ..Material::default() }.with_friction(real(friction));
        let ball =
            || BodyDesc::dynamic().collider(ColliderDesc::new(Shape::sphere(0.5).unwrap()).material(material.clone()));
        let free = world.add_body(ball().position([3.0, 0.5, 0.0]).angular_velocity([0.0, 10.0, 0.0])).unwrap();
        let mut desc = ArticulationDesc::new();
        desc.add(
            LinkDesc::free(ball())
                .position(&[0.0, 0.5, 0.0, 0.0, 0.0, 0.0, 1.0])
                .velocity(&[0.0, 0.0, 0.0, 0.0, 10.0, 0.0]),
        );
        let id = world.add_articulation(desc).unwrap();
        for _ in 0..60 {
            world.step(DT).unwrap();
        }
        let spin = |body: BodyId| world.body(body).unwrap().angular_velocity().y as f64;
        let (of_free, of_link) = (spin(free), spin(link(&world, id, 0)));
        assert!(of_free < 9.5 && of_free > 5.0, "{of_free}");
        assert!((of_link - of_free).abs() < 0.02 * (10.0 - of_free), "{of_link} beside {of_free}");
    }
}

/// A joint on a link tells the mean force of the step: all of a blow that it has taken, in whichever sub-step.
#[test]
fn joints_on_links_tell_what_the_whole_step_was() {
    let mut world = sleepless();
    world.set_gravity([0.0; 3]).unwrap();
    let mut desc = ArticulationDesc::new();
    desc.add(LinkDesc::free(rod()));
    let id = world.add_articulation(desc).unwrap();
    let body = link(&world, id, 0);
    let held = world.add_joint(JointDesc::fixed(World::BODY, body)).unwrap();
    world.step(DT).unwrap();
    world.body_mut(body).unwrap().apply_impulse([3.0, 0.0, 0.0]).unwrap();
    world.step(DT).unwrap();
    let told = world.joint(held).unwrap().force().length() as f64 * DT as f64;
    assert!((told - 3.0).abs() < 0.03, "{told} of 3 Ns");
}

/// A ball that is a link lies as firmly on a lift that rises as one that is a free body.
#[test]
fn lifts_bear_links_as_they_do_free_bodies() {
    let mut world = sleepless();
    let lift = BodyDesc::kinematic().position([0.0, -0.5, 0.0]).collider(Shape::cuboid(9.0, 0.5, 9.0).unwrap());
    let lift = world.add_body(lift).unwrap();
    world.body_mut(lift).unwrap().set_velocity([0.0, 0.5, 0.0], [0.0; 3]).unwrap();
    let ball = || BodyDesc::dynamic().collider(Shape::sphere(0.5).unwrap());
    let free = world.add_body(ball().position([3.0, 0.5, 0.0])).unwrap();
    let mut desc = ArticulationDesc::new();
    desc.add(LinkDesc::free(ball()).position(&[0.0, 0.5, 0.0, 0.0, 0.0, 0.0, 1.0]));
    let id = world.add_articulation(desc).unwrap();
    for _ in 0..120 {
        world.step(DT).unwrap();
    }
    let above = |body: BodyId| world.body(body).unwrap().position().y - world.body(lift).unwrap().position().y - 1.0;
    let (of_free, of_link) = (above(free), above(link(&world, id, 0)));
    assert!((of_link - of_free).abs() < 1e-4, "{of_link} beside {of_free}");
}

/// A ball that is the only link of a tree swings on a soft floor as one that is a free body.
#[test]
fn soft_floors_are_springs_to_links() {
    let mut world = sleepless();
    let soft = Softness { hertz: 3.0, damping_ratio: real(0.05) };
    let soft = Material { softness: Some(soft), ..Material::default() };
    let ground = ColliderDesc::new(Shape::half_space(Vec3::Y, 0.0).unwrap()).material(soft);
    world.add_body(BodyDesc::fixed().collider(ground)).unwrap();
    let ball = || BodyDesc::dynamic().collider(Shape::sphere(0.5).unwrap());
    let free = world.add_body(ball().position([3.0, 1.0, 0.0])).unwrap();
    let mut desc = ArticulationDesc::new();
    desc.add(LinkDesc::free(ball()).position(&[0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0]));
    let id = world.add_articulation(desc).unwrap();
    let (mut lowest, mut highest) = (1.0, 0.0);
    for step in 0..120 {
        world.step(DT).unwrap();
        let height = |body: BodyId| world.body(body).unwrap().position().y;
        let (of_free, of_link) = (height(free), height(link(&world, id, 0)));
        assert!((of_link - of_free).abs() < 0.01, "step {step}: {of_link} beside {of_free}");
        lowest = f64::min(lowest, of_free);
        highest = if lowest < 0.45 { f64::max(highest, of_free) } else { highest };
    }
    // It goes deep, and comes back.
    assert!(lowest < 0.4 && highest > 0.55, "{lowest} {highest}");
}

/// A force beyond all numbers on a link that touches something: the step does not panic, the tree is put into quarantine, and what it touches goes on.
#[test]
fn lost_links_harm_nobody() {
    for down in [-1.0, 1.0] {
        let mut world = sleepless();
        floor(&mut world);
        let crate_ = BodyDesc::dynamic().position([0.0, 0.5, 0.0]).collider(Shape::cuboid(0.5, 0.5, 0.5).unwrap());
        let crate_ = world.add_body(crate_).unwrap();
        let mut ids = Vec::new();
        for (x, y) in [(0.0, 1.05), (5.0, 0.051)] {
            let mut desc = ArticulationDesc::new();
            // A rod on a hinge at one of its ends that lies on the crate, and one that is about to lie on the floor.
            let lying = LinkDesc::revolute(rod(), [0.0, 0.0, 1.0]).at([x - 0.25, y, 0.0]).anchor([0.0, 0.25, 0.0]);
            desc.add(lying.position(&[std::f64::consts::FRAC_PI_2]));
            ids.push(world.add_articulation(desc).unwrap());
        }
        world.step(DT).unwrap();
        for &id in &ids {
            let body = link(&world, id, 0);
            world.body_mut(body).unwrap().set_force([0.0, real(down * Real::MAX as f64), 0.0]).unwrap();
        }
        for _ in 0..30 {
            world.step(DT).unwrap();
        }
        for &id in &ids {
            assert!(!world.body(link(&world, id, 0)).unwrap().is_active(), "{down}");
        }
        let crate_ = world.body(crate_).unwrap();
        assert!(crate_.is_active() && (crate_.position().y - 0.5).abs() < 0.02, "{down}: {:?}", crate_.position());
        world.audit().unwrap();
    }
}

/// A tree of which some link gets faster than the validator allows is slowed down as a whole, and goes on from there.
#[test]
fn trees_keep_the_speed_limit() {
    let validators = vec![Validator::MaxSpeed { linear: real(1.5), angular: real(100.0) }];
    let mut world = World::with_method(awake(Method { validators, ..Method::default() })).unwrap();
    let id = world.add_articulation(chain(4, 3.0, 1.5)).unwrap();
    let (mut told, mut fastest) = (0, 0.0);
    for _ in 0..60 {
        world.step(DT).unwrap();
        told += world.events().iter().filter(|e| matches!(e, Event::SpeedLimited { .. })).count();
        for i in 0..4 {
            let speed = world.body(link(&world, id, i)).unwrap().linear_velocity().length() as f64;
            assert!(speed < 1.5001, "{speed}");
            fastest = f64::max(fastest, speed);
        }
        // What the tree says is what its links do.
        let energy = world.articulation(id).unwrap().kinetic_energy();
        let of_links: f64 = (0..4).map(|i| world.body(link(&world, id, i)).unwrap().kinetic_energy()).sum();
        assert!((energy - of_links).abs() < 1e-4 * energy, "{energy} {of_links}");
    }
    assert!(told > 4 && fastest > 1.4, "{told} {fastest}");
}

/// A light block hangs on a free joint, and a tree ten times as heavy on the block: the joint carries both, and nothing stirs. In every
/// sub-step the block must feel again what the tree does to it, as it feels its joint.
#[test]
fn trees_pull_at_what_hangs_on_joints() {
    let mut world = sleepless();
    let cube = Shape::cuboid(real(0.1), real(0.1), real(0.1)).unwrap();
    let block = world.add_body(BodyDesc::dynamic().position([0.0, 2.0, 0.0]).collider(cube)).unwrap();
    let joint = world.add_joint(JointDesc::ball(World::BODY, block).anchor([0.0, 2.2, 0.0])).unwrap();
    let mut tree = ArticulationDesc::new();
    let at = |y: f64| [0.0, y, 0.0, 0.0, 0.0, 0.0, 1.0];
    tree.add(LinkDesc::free(rod()).position(&at(1.4)));
    tree.add(LinkDesc::revolute(rod(), [0.0, 0.0, 1.0]).parent(0).at([0.0, -0.25, 0.0]).anchor([0.0, 0.25, 0.0]));
    let id = world.add_articulation(tree).unwrap();
    let upper = link(&world, id, 0);
    world.add_joint(JointDesc::ball(block, upper).anchor([0.0, 1.7, 0.0])).unwrap();
    let of_tree: f64 = (0..2).map(|i| world.body(link(&world, id, i)).unwrap().mass()).sum();
    let block_mass = of_tree / 10.0;
    world.body_mut(block).unwrap().set_mass(MassSource::Total(block_mass as Real)).unwrap();
    let weight = 9.81 * (of_tree + block_mass);
    for step in 0..180 {
        world.step(DT).unwrap();
        if step > 120 {
            let carried = world.joint(joint).unwrap().force().length() as f64;
            assert!((carried - weight).abs() < 0.01 * weight, "{carried}, not {weight}, in step {step}");
            for body in [block, upper, link(&world, id, 1)] {
                let speed = world.body(body).unwrap().linear_velocity().length() as f64;
                assert!(speed < 1e-3, "{speed} m/s in step {step}");
            }
        }
    }
}

/// Holds nothing, with bounds that are none.
#[derive(Debug)]
struct Unbounded(Bound);

impl Constraint for Unbounded {
    fn name(&self) -> &str {
        "unbounded"
    }

    fn rows(&self, _: &Frames, out: &mut Rows) {
        let jacobian = Jacobian { linear_b: Vec3::Y, ..Jacobian::ZERO };
        out.push(Row { jacobian, target: 1.0, bound: Bound::Force(1.0), ..Row::IDLE });
        out.push(Row { jacobian, target: 1.0, bound: self.0, ..Row::IDLE });
    }
}

/// Bounds of a user's constraint that are no numbers, negative, or those of rows that are not there, on a link: it pushes with nothing.
#[test]
fn bounds_that_are_none_push_nothing() {
    let friction = |of, coefficient| Bound::Friction { of, coefficient };
    let bounds = [
        Bound::Force(Real::NAN),
        Bound::Force(-1.0),
        friction(0, Real::NAN),
        friction(0, -1.0),
        friction(7, 1.0),
        friction(u32::MAX, 1.0),
    ];
    let fall = |bound: Bound| {
        let mut world = sleepless();
        let mut desc = ArticulationDesc::new();
        desc.add(LinkDesc::free(rod()));
        let id = world.add_articulation(desc).unwrap();
        let body = link(&world, id, 0);
        world.add_joint(JointDesc::custom(World::BODY, body, Arc::new(Unbounded(bound)))).unwrap();
        for _ in 0..10 {
            world.step(DT).unwrap();
        }
        world.body(body).unwrap().position()
    };
    let unheld = fall(Bound::Force(0.0));
    assert_ne!(fall(Bound::Force(1e3)), unheld);
    for bound in bounds {
        assert_eq!(fall(bound), unheld, "{bound:?}");
    }
}
