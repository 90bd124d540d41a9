//! Many trees in one world: each goes its way as if the others were not there, whoever works on it.

use super::{DT, floor, rod, sleepless};
use crate::support::awake;
use tumble::articulation::{ArticulationDesc, Dof, LinkDesc, Motor};
use tumble::shape::Shape;
use tumble::{ArticulationId, BodyDesc, BodyId, BodyKind, JointDesc, Method, World};

/// Sorts of trees, and of what they meet: see [`settle`].
const SORTS: usize = 7;

/// A chain of rods on a free one, lying in the air.
fn doll(at: [f64; 3]) -> ArticulationDesc {
    let mut desc = ArticulationDesc::new();
    desc.add(LinkDesc::free(rod()).position(&[at[0], at[1], at[2], 0.6, 0.0, 0.0, 0.8]));
    for i in 0..4 {
        let mut link = LinkDesc::spherical(rod()).parent(i).at([0.0, -0.25, 0.0]).anchor([0.0, 0.25, 0.0]);
        link.dofs = vec![Dof { damping: 0.02, ..Dof::default() }; 3];
        desc.add(link);
    }
    desc
}

/// A free rod with two others on hinges, each of them like this.
fn pair_of_arms(at: [f64; 3], dof: Dof) -> ArticulationDesc {
    let mut desc = ArticulationDesc::new();
    desc.add(LinkDesc::free(rod()).position(&[at[0], at[1], at[2], 0.0, 0.0, 0.0, 1.0]));
    for (end, axis) in [(-0.25, [1.0, 0.0, 0.0]), (0.25, [0.0, 0.0, 1.0])] {
        let arm = LinkDesc::revolute(rod(), axis).parent(0).at([0.0, end, 0.0]).anchor([0.0, -end, 0.0]);
        desc.add(arm.dof(0, dof).velocity(&[3.0]));
    }
    desc
}

/// Adds the first tree of a sort, or the second, at a place far from all others, and what they meet; says which. Not all sorts have a second.
fn settle(world: &mut World, sort: usize, second: bool, x: f64) -> Option<ArticulationId> {
    let add = |world: &mut World, desc| Some(world.add_articulation(desc).unwrap());
    match (sort, second) {
        (0, false) => add(world, doll([x, 1.0, 0.0])),
        // Two that fall on each other.
        (1, false) => add(world, doll([x + 0.1, 0.8, 0.0])),
        (1, true) => add(world, doll([x + 0.06, 1.2, 0.1])),
        // Motors that hold a speed as long as they can.
        (2, false) => add(world, pair_of_arms([x, 0.8, 0.0], Dof::default().motor(Motor::velocity(4.0, 0.3)))),
        // Limits that bounce.
        (3, false) => add(world, pair_of_arms([x, 0.8, 0.0], Dof::default().limits(-0.4, 0.4).restitution(0.7))),
        // A loop: the tip of a chain is held where it was, and the chain may sag. And a doll that is tied to the chain.
        (4, false) => {
            let mut desc = ArticulationDesc::new();
            for i in 0..4 {
                let link = LinkDesc::revolute(rod(), [0.0, 0.0, 1.0]).anchor([0.0, 0.25, 0.0]).position(&[0.4]);
                desc.add(if i == 0 { link.at([x, 3.0, 0.0]) } else { link.parent(i - 1).at([0.0, -0.25, 0.0]) });
            }
            let id = add(world, desc)?;
            let tip = world.articulation(id).unwrap().link(3).unwrap();
            let at = world.body(tip).unwrap().position();
            world.add_joint(JointDesc::ball(World::BODY, tip).anchor([at.x, at.y, at.z])).unwrap();
            Some(id)
        }
        (4, true) => {
            let id = add(world, doll([x, 2.5, 0.0]))?;
            let links: Vec<_> = world
                .articulation_ids()
                .flat_map(|id| world.articulation(id).unwrap().links().collect::<Vec<_>>())
                .collect();
            // The first link of the chain.
            let near = |body: &&BodyId| {
                let at = world.body(**body).unwrap().position();
                (at.x - x).abs() < 1.0 && at.y > 2.2 && world.articulation(id).unwrap().links().all(|own| own != **body)
            };
            let chain = *links.iter().find(near).unwrap();
            let own = world.articulation(id).unwrap().link(0).unwrap();
            world.add_joint(JointDesc::ball(chain, own).anchor([x, 2.5, 0.0])).unwrap();
            Some(id)
        }
        // One that is tied to a free body and falls on it, and another that falls on both.
        (5, false) => {
            let chest = BodyDesc::dynamic().position([x, 0.2, 0.0]).collider(Shape::cuboid(0.3, 0.2, 0.3).unwrap());
            let chest = world.add_body(chest).unwrap();
            let id = add(world, doll([x, 1.1, 0.0]))?;
            let own = world.articulation(id).unwrap().link(4).unwrap();
            world.add_joint(JointDesc::rope(chest, own, 1.5)).unwrap();
            Some(id)
        }
        (5, true) => add(world, doll([x + 0.2, 1.6, 0.1])),
        // On what is moved.
        (6, false) => {
            let belt = BodyDesc::kinematic().position([x, 0.1, 0.0]).linear_velocity([0.1, 0.0, 0.0]);
            world.add_body(belt.collider(Shape::cuboid(1.5, 0.1, 1.5).unwrap())).unwrap();
            add(world, doll([x, 1.2, 0.0]))
        }
        _ => None,
    }
}

/// A world of the floor alone.
fn empty() -> World {
    let mut world = sleepless();
    floor(&mut world);
    world
}

/// Nothing that happens elsewhere changes a bit of what a tree does: joints, motors that have reached their force, bounces, free bodies. In the crowd, trees that meet stand
/// apart among the others, and such as meet free bodies before those that do not.
#[test]
fn trees_do_as_they_would_alone() {
    let place = |sort: usize| 10.0 * sort as f64;
    let mut crowd = empty();
    let mut together = vec![Vec::new(); SORTS];
    for second in [false, true] {
        for sort in (0..SORTS).rev() {
            together[sort].extend(settle(&mut crowd, sort, second, place(sort)));
        }
    }
    let mut alone: Vec<_> = (0..SORTS)
        .map(|sort| {
            let mut world = empty();
            let ids: Vec<_> =
                [false, true].into_iter().filter_map(|second| settle(&mut world, sort, second, place(sort))).collect();
            (world, ids)
        })
        .collect();
    let (mut touched, mut meets) = (0, [false; SORTS]);
    for step in 0..120 {
        crowd.step(DT).unwrap();
        for (sort, ((world, ids), others)) in alone.iter_mut().zip(&together).enumerate() {
            world.step(DT).unwrap();
            touched += world.profile().contacts;
            meets[sort] |= meet(world, ids);
            for (&id, &other) in ids.iter().zip(others) {
                let (one, other) = (world.articulation(id).unwrap(), crowd.articulation(other).unwrap());
                let same = one.position() == other.position() && one.velocity() == other.velocity();
                assert!(same, "sort {sort} in step {step}");
            }
        }
    }
    assert!(touched > 500, "{touched} contacts");
    assert_eq!(meets, [false, true, false, false, false, true, true], "who meets others than the floor, with force");
}

/// A rope of free bodies on joints swings as it does without trees in the world, whatever those do elsewhere: a doll that hangs on a chest
/// and falls on it.
#[test]
fn ropes_swing_as_they_do_without_trees() {
    let rope = |world: &mut World| -> Vec<BodyId> {
        let mut before = World::BODY;
        (0..8)
            .map(|i| {
                let x = 0.5 * f64::from(i);
                let next = world.add_body(rod().position([x, 5.0, 0.2 * x])).unwrap();
                world.add_joint(JointDesc::ball(before, next).anchor([x - 0.25, 5.0, 0.2 * x])).unwrap();
                before = next;
                next
            })
            .collect()
    };
    let [mut alone, mut beside] = [empty(), empty()];
    let bodies = rope(&mut alone);
    assert_eq!(rope(&mut beside), bodies);
    let doll = settle(&mut beside, 5, false, 30.0).unwrap();
    let mut met = false;
    for step in 0..120 {
        alone.step(DT).unwrap();
        beside.step(DT).unwrap();
        met |= meet(&beside, &[doll]);
        for &body in &bodies {
            let [one, other] = [&alone, &beside].map(|world| {
                let body = world.body(body).unwrap();
                (body.position(), body.rotation(), body.linear_velocity(), body.angular_velocity())
            });
            assert_eq!(one, other, "step {step}");
        }
    }
    assert!(met, "the doll does not fall on the chest");
}

/// A link of these trees presses on a body that is neither the floor nor a link of its own tree.
fn meet(world: &World, ids: &[ArticulationId]) -> bool {
    let tree_of = |body: BodyId| ids.iter().position(|&id| world.articulation(id).unwrap().links().any(|l| l == body));
    world.contacts().any(|contact| {
        let [a, b] = contact.bodies();
        let moved = [a, b].iter().all(|&body| world.body(body).unwrap().kind() != BodyKind::Fixed);
        moved && tree_of(a) != tree_of(b) && contact.points().any(|point| point.impulse > 0.0)
    })
}

/// The number of threads changes no bit of a crowd, closed knots and open ones, several of each; nor does it matter that it changes, or that the method does in between.
#[test]
fn threads_change_no_bit_of_a_crowd() {
    let mut worlds = [1, 2, 3, 8].map(|threads| {
        let mut world = empty();
        for second in [false, true] {
            for i in 0..4 * SORTS {
                settle(&mut world, i % SORTS, second, 5.0 * i as f64);
            }
        }
        world.set_threads(threads).unwrap();
        world
    });
    for step in 0..90 {
        for (i, world) in worlds.iter_mut().enumerate() {
            match step {
                30 => world.set_method(awake(Method::simultaneous())).unwrap(),
                33 => world.set_method(awake(Method::default())).unwrap(),
                60 => world.set_threads([3, 8, 1, 2][i]).unwrap(),
                _ => {}
            }
            world.step(DT).unwrap();
            // Fewer would be left to one thread.
            assert!(world.profile().awake_bodies > 64);
        }
        let first = worlds[0].hash();
        for world in &worlds[1..] {
            assert_eq!(world.hash(), first, "step {step} on {} threads", world.threads());
        }
    }
    assert!(worlds[0].profile().contacts > 40, "{}", worlds[0].profile().contacts);
}
