//! Articulations: what breaks each of their checks.

use crate::mutation::{Mutation, edit};
use tumble::articulation::{Dof, Motor};
use tumble::{ArticulationId, MassSource, World};
use tumble_scene::library::find;

/// The tree of this name.
fn tree(world: &World, name: &str) -> ArticulationId {
    world.find_articulation(name).unwrap()
}

/// Changes a degree of freedom.
fn dof(world: &mut World, name: &str, link: usize, change: impl FnOnce(Dof) -> Dof) -> tumble::Result<()> {
    let id = tree(world, name);
    let now = world.articulation(id)?.dof(link, 0)?;
    world.articulation_mut(id)?.set_dof(link, 0, change(now))
}

fn damp(world: &mut World, name: &str, link: usize, damping: f64) -> tumble::Result<()> {
    dof(world, name, link, |d| Dof { damping, ..d })
}

fn still(world: &mut World, name: &str, link: usize) -> tumble::Result<()> {
    dof(world, name, link, |d| Dof { motor: Motor::OFF, ..d })
}

/// Takes the first joint of this name away.
fn unjoin(world: &mut World, name: &str) -> tumble::Result<()> {
    let id = world.find_joint(name).unwrap();
    world.remove_joint(id)
}

/// Makes a joint of rubber.
fn soften(world: &mut World, index: usize) -> tumble::Result<()> {
    let id = world.joint_ids().nth(index).unwrap();
    world.joint_mut(id)?.set_stiffness(tumble::constraint::Stiffness::tuned(0.5, 1.0))
}

fn remove(world: &mut World, name: &str) -> tumble::Result<()> {
    let id = world.find_body(name).unwrap();
    world.remove_body(id)
}

/// Turns a tree into bodies on joints.
fn dissolve(world: &mut World, name: &str) -> tumble::Result<()> {
    let id = tree(world, name);
    world.dissolve(id).map(drop)
}

pub const MUTATIONS: &[Mutation] = &[
    Mutation {
        scene: "articulated-pendulums",
        check: "energy",
        what: "a hinge of the longest is damped",
        apply: |world| damp(world, "pendulum-8", 3, 0.5),
    },
    Mutation {
        scene: "double-pendulum",
        check: "angles",
        what: "the lower rod is heavier than the equations think",
        apply: |world| edit(world, "lower", |b| b.set_mass(MassSource::Total(1.05))),
    },
    Mutation {
        scene: "double-pendulum",
        check: "energy",
        what: "the lower hinge is damped",
        apply: |world| damp(world, "pendulum", 1, 0.01),
    },
    Mutation {
        scene: "foucault-pendulum",
        check: "plane",
        what: "the platform turns faster than it should",
        apply: |world| dof(world, "foucault", 0, |d| Dof { motor: Motor::velocity(0.12, 1e6), ..d }),
    },
    Mutation {
        scene: "foucault-pendulum",
        check: "platform",
        what: "its motor is off and a brake drags",
        apply: |world| dof(world, "foucault", 0, |d| Dof { motor: Motor::OFF, damping: 5.0, ..d }),
    },
    Mutation {
        scene: "dzhanibekov-link",
        check: "flips",
        what: "the stem is heavier than it looks",
        apply: |world| edit(world, "stem", |b| b.set_mass(MassSource::Total(2.0))),
    },
    Mutation {
        scene: "dzhanibekov-link",
        check: "momentum",
        what: "a torque acts on the bar",
        apply: |world| edit(world, "bar", |b| b.set_torque([0.0, 0.01, 0.0])),
    },
    Mutation {
        scene: "dzhanibekov-link",
        check: "energy",
        what: "air slows the stem",
        apply: |world| edit(world, "stem", |b| b.set_damping(0.0, 0.01)),
    },
    Mutation {
        scene: "whip",
        check: "gain",
        what: "a rod is struck",
        apply: |world| {
            let id = tree(world, "whip");
            world.articulation_mut(id)?.apply_joint_impulse(31, 0, 20.0)
        },
    },
    Mutation { scene: "whip", check: "loss", what: "a hinge is damped", apply: |world| damp(world, "whip", 3, 5.0) },
    Mutation {
        scene: "whip",
        check: "gap",
        what: "the rods are bodies on joints of their own",
        apply: |world| {
            let id = tree(world, "whip");
            world.dissolve(id).map(|_| ())
        },
    },
    Mutation {
        scene: "heavy-chain",
        check: "period",
        what: "the weight floats by a tenth of its weight",
        apply: |world| edit(world, "weight", |b| b.set_gravity_scale(0.9)),
    },
    Mutation {
        scene: "heavy-chain",
        check: "length",
        what: "gravity points upwards",
        apply: |world| world.set_gravity([0.0, 9.81, 0.0]),
    },
    Mutation {
        scene: "crane",
        check: "hoist",
        what: "the winch is too weak",
        apply: |world| dof(world, "crane", 2, |d| Dof { motor: Motor::velocity(0.5, 9_000.0), ..d }),
    },
    Mutation {
        scene: "crane",
        check: "load",
        what: "the load is not on the hook",
        apply: |world| {
            let id = world.joint_ids().next().unwrap();
            world.joint_mut(id)?.set_active(false)
        },
    },
    Mutation { scene: "crane", check: "gap", what: "the load hangs on rubber", apply: |world| soften(world, 0) },
    Mutation {
        scene: "demolition-chain",
        check: "gap",
        what: "its links are bodies on joints",
        apply: |world| dissolve(world, "chain"),
    },
    Mutation {
        scene: "demolition-chain",
        check: "breach",
        what: "the ball weighs next to nothing",
        apply: |world| edit(world, "ball", |b| b.set_mass(MassSource::Total(0.5))),
    },
    Mutation {
        scene: "demolition-chain",
        check: "above",
        what: "there is no floor",
        apply: |world| remove(world, "floor"),
    },
    Mutation { scene: "linkages", check: "rocker", what: "the pivot is gone", apply: |world| unjoin(world, "pivot") },
    Mutation { scene: "linkages", check: "slider", what: "the pin is gone", apply: |world| unjoin(world, "pin") },
    Mutation {
        scene: "linkages",
        check: "crank",
        what: "a crank has no motor",
        apply: |world| still(world, "slider-crank", 0),
    },
    Mutation { scene: "linkages", check: "gap", what: "the pivot is of rubber", apply: |world| soften(world, 0) },
    Mutation { scene: "closed-ring", check: "gap", what: "the closure is of rubber", apply: |world| soften(world, 0) },
    Mutation { scene: "closed-ring", check: "above", what: "there is no floor", apply: |world| remove(world, "floor") },
    Mutation {
        scene: "stewart-platform",
        check: "place",
        what: "a leg has no motor",
        apply: |world| still(world, "legs", 1),
    },
    Mutation {
        scene: "stewart-platform",
        check: "turn",
        what: "the plate is off one leg",
        apply: |world| unjoin(world, "head-0"),
    },
    Mutation {
        scene: "stewart-platform",
        check: "gap",
        what: "the joint of a leg is of rubber",
        apply: |world| soften(world, 0),
    },
    Mutation {
        scene: "articulated-pistons",
        check: "pistons",
        what: "a rod is of rubber",
        apply: |world| soften(world, 1),
    },
    Mutation {
        scene: "articulated-pistons",
        check: "crank",
        what: "the shaft has no motor",
        apply: |world| still(world, "engine", 0),
    },
    Mutation {
        scene: "articulated-pistons",
        check: "gap",
        what: "a rod is of rubber",
        apply: |world| soften(world, 2),
    },
    Mutation {
        scene: "limit-and-box",
        check: "limit",
        what: "the limit lies lower, and the prop is gone",
        apply: |world| {
            remove(world, "below")?;
            dof(world, "arm", 0, |d| d.limits(-0.1, 1.0))
        },
    },
    Mutation {
        scene: "limit-and-box",
        check: "still",
        what: "the hinge has no limit, and the prop is gone",
        apply: |world| {
            remove(world, "below")?;
            dof(world, "arm", 0, |d| Dof { limits: None, ..d })
        },
    },
    Mutation {
        scene: "link-hits-body",
        check: "momentum",
        what: "the hinge is damped",
        apply: |world| damp(world, "bar", 0, 0.3),
    },
    Mutation {
        scene: "link-hits-body",
        check: "parting",
        what: "the ball does not bounce",
        apply: |world| {
            for body in ["ball", "bar"] {
                let id = world.find_body(body).unwrap();
                let collider = world.body(id)?.colliders().next().unwrap();
                world.set_collider_material(collider, tumble::Material::default().with_friction(0.0))?;
            }
            Ok(())
        },
    },
    Mutation {
        scene: "trapdoors",
        check: "closed",
        what: "a motor is too weak",
        apply: |world| dof(world, "doors-1", 0, |d| Dof { motor: Motor::velocity(-1.0, 20.0), ..d }),
    },
    Mutation {
        scene: "trapdoors",
        check: "fallen",
        what: "doors cannot open",
        apply: |world| {
            dof(world, "doors-0", 0, |d| d.limits(0.0, 0.0))?;
            dof(world, "doors-0", 1, |d| d.limits(0.0, 0.0))
        },
    },
    Mutation {
        scene: "trapdoors",
        check: "open",
        what: "a door has another limit",
        apply: |world| dof(world, "doors-2", 1, |d| d.limits(0.0, 1.2)),
    },
    Mutation {
        scene: "skeletons",
        check: "gap",
        what: "the bones of a skeleton are bodies on joints",
        apply: |world| dissolve(world, "skeleton-1"),
    },
    Mutation {
        scene: "skeletons",
        check: "above",
        what: "a skeleton is thrown",
        apply: |world| edit(world, "pelvis-2", |b| b.apply_impulse([0.0, 900.0, 400.0])),
    },
    Mutation {
        scene: "articulated-car",
        check: "settled",
        what: "a spring is too soft",
        apply: |world| dof(world, "car", 1, |d| Dof { stiffness: 10_000.0, ..d }),
    },
    Mutation {
        scene: "articulated-car",
        check: "rolls",
        what: "nothing has any friction",
        apply: |world| {
            for id in world.collider_ids().collect::<Vec<_>>() {
                world.set_collider_material(id, tumble::Material::default().with_friction(0.0))?;
            }
            Ok(())
        },
    },
    Mutation {
        scene: "articulated-car",
        check: "drives",
        what: "a wheel drags",
        apply: |world| damp(world, "car", 6, 20.0),
    },
    Mutation {
        scene: "articulated-car",
        check: "upright",
        what: "the struts of one side have no springs",
        apply: |world| [1, 5].into_iter().try_for_each(|strut| dof(world, "car", strut, |_| Dof::default())),
    },
    Mutation {
        scene: "humanoid",
        check: "stands",
        what: "no joint has a motor",
        apply: |world| {
            let id = tree(world, "humanoid");
            for link in 1..world.articulation(id)?.links().count() {
                for k in 0..world.articulation(id)?.dofs_of(link)?.len() {
                    world.articulation_mut(id)?.set_motor(link, k, Motor::OFF)?;
                }
            }
            Ok(())
        },
    },
    Mutation {
        scene: "humanoid",
        check: "feet",
        what: "it stands on ice, and is pushed from the start",
        apply: |world| {
            for id in world.collider_ids().collect::<Vec<_>>() {
                world.set_collider_material(id, tumble::Material::default().with_friction(0.0))?;
            }
            edit(world, "pelvis", |b| b.apply_impulse([20.0, 0.0, 0.0]))
        },
    },
    Mutation {
        scene: "humanoid",
        check: "still",
        what: "the push never ends",
        apply: |world| edit(world, "chest", |b| b.set_force([400.0, 0.0, 0.0])),
    },
    Mutation {
        scene: "quadruped",
        check: "way",
        what: "two legs have no motors in their knees",
        apply: |world| {
            still(world, "quadruped", 3)?;
            still(world, "quadruped", 6)
        },
    },
    Mutation {
        scene: "quadruped",
        check: "upright",
        what: "two legs on one side have no motors in their knees",
        apply: |world| {
            still(world, "quadruped", 3)?;
            still(world, "quadruped", 9)
        },
    },
];

/// The humanoid stands for a minute, with its push.
#[test]
#[ignore = "long: a minute of the humanoid"]
fn humanoid_stands_for_a_minute() {
    let mut run = tumble_scene::library::find("humanoid").unwrap().setup().start().unwrap();
    while run.world().time() < 60.0 {
        run.step().unwrap();
    }
    for verdict in run.verdicts() {
        println!("{verdict}");
        assert_eq!(verdict.outcome, tumble_scene::Outcome::Passed, "{verdict}");
    }
}

/// The plan of a driven scene goes by the time step that it is run with.
#[test]
fn plans_go_by_the_time_step() {
    for dt in [1.0 / 30.0, 1.0 / 120.0] {
        let scene = find("stewart-platform").unwrap();
        let mut run = scene.setup().dt(dt).unwrap().start().unwrap();
        run.finish().unwrap();
        run.verdicts().iter().for_each(|verdict| println!("{dt}: {verdict}"));
        assert!(run.passed(), "{dt}");
    }
}
