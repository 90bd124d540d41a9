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

/// Switches all motors of a tree off.
fn slacken(world: &mut World, name: &str) -> tumble::Result<()> {
    let id = tree(world, name);
    for link in 1..world.articulation(id)?.links().count() {
        for k in 0..world.articulation(id)?.dofs_of(link)?.len() {
            world.articulation_mut(id)?.set_motor(link, k, Motor::OFF)?;
        }
    }
    Ok(())
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
        what: "nothing has weight",
        apply: |world| world.set_gravity([0.0; 3]),
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
        scene: "trapdoors",
        check: "bears",
        what: "a spring is too weak",
        apply: |world| dof(world, "sprung-doors", 0, |d| Dof { stiffness: 20.0, ..d }),
    },
    Mutation {
        scene: "trapdoors",
        check: "gives",
        what: "a spring is too strong",
        apply: |world| dof(world, "sprung-doors", 1, |d| Dof { stiffness: 2_000.0, ..d }),
    },
    Mutation {
        scene: "trapdoors",
        check: "shut",
        what: "a door has no spring",
        apply: |world| dof(world, "sprung-doors", 2, |d| Dof { stiffness: 0.0, ..d }),
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
        apply: |world| slacken(world, "humanoid"),
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
        what: "no joint has a motor",
        apply: |world| slacken(world, "quadruped"),
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

/// The humanoid has 27 degrees of freedom, and stands for a minute: left alone, and after a push of 20 N s at the chest from each side.
#[test]
fn humanoid_stands_for_a_minute() {
    let mut run = find("humanoid").unwrap().setup().start().unwrap();
    // To rest, and not so long that the scene pushes by itself.
    while run.world().time() < 2.9 {
        run.step().unwrap();
    }
    let standing = run.world().clone();
    assert_eq!(standing.articulation(tree(&standing, "humanoid")).unwrap().dofs(), 27);
    let place = |world: &World, name: &str| world.body(world.find_body(name).unwrap()).unwrap().position();
    for push in [[0.0, 0.0, 0.0], [20.0, 0.0, 0.0], [-20.0, 0.0, 0.0], [0.0, 0.0, 20.0], [0.0, 0.0, -20.0]] {
        let mut world = standing.clone();
        edit(&mut world, "chest", |b| b.apply_impulse(push)).unwrap();
        let hips = place(&standing, "pelvis").y;
        let (mut lowest, mut strayed) = (f64::MAX, 0.0_f64);
        for _ in 0..3600 {
            world.step(1.0 / 60.0).unwrap();
            lowest = lowest.min(place(&world, "pelvis").y / hips);
            for foot in ["left-foot", "right-foot"] {
                strayed = strayed.max((place(&world, foot) - place(&standing, foot)).length());
            }
        }
        let speed = world.body(world.find_body("pelvis").unwrap()).unwrap().linear_velocity().length();
        println!("push {push:?}: lowest {lowest:.3}, feet {strayed:.4} m, in the end {speed:.1e} m/s");
        assert!(lowest > 0.97, "push {push:?}: the pelvis comes down to {lowest} of its height");
        assert!(strayed < 0.05, "push {push:?}: the feet stray by {strayed} m");
        assert!(speed < 0.02, "push {push:?}: {speed} m/s in the end");
    }
}

/// The way of the quadruped is strewn with boxes 5 cm high, and it goes over them rather than past them.
#[test]
fn quadruped_walks_over_its_boxes() {
    let mut run = find("quadruped").unwrap().setup().start().unwrap();
    let world = run.world();
    let boxes: Vec<_> = (0..24).map(|i| world.find_body(&format!("box-{i}")).unwrap()).collect();
    for &id in &boxes {
        let collider = world.body(id).unwrap().colliders().next().unwrap();
        let bounds = world.collider(collider).unwrap().bounds();
        let (low, high) = (f64::from(bounds.min.y), f64::from(bounds.max.y));
        assert!(low.abs() < 1e-6 && (high - 0.05).abs() < 1e-6, "from {low} to {high} m");
    }
    let along: Vec<f64> = boxes.iter().map(|&id| world.body(id).unwrap().position().x).collect();
    // From the first metre to the last, and nowhere a gap to walk through.
    let widest = along.windows(2).map(|pair| pair[1] - pair[0]).fold(0.0, f64::max);
    assert!(along[0] < 1.0 && along[23] > 5.0 && widest < 0.4, "{along:?}");
    let hull = world.find_body("hull").unwrap();
    let mut trodden = std::collections::BTreeSet::new();
    while run.world().time() < 20.0 {
        run.step().unwrap();
        for contact in run.world().contacts().filter(|contact| contact.points().next().is_some()) {
            trodden.extend(contact.bodies().into_iter().filter(|body| boxes.contains(body)));
        }
    }
    let way = run.world().body(hull).unwrap().position().x;
    println!("{way:.2} m, and {} boxes trodden on", trodden.len());
    assert!(way > 5.0, "{way} m");
    assert!(trodden.len() >= 8, "{} boxes trodden on", trodden.len());
    assert!(run.passed());
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
