//! Things that stand, slide and bounce: what breaks them, and that they stand without falling asleep.

use crate::largest;
use crate::mutation::{Mutation, cover, edit, grease, remove, tie, wakeful};
use tumble::math::{Point, Real};
use tumble::{Material, World};
use tumble_scene::Outcome;
use tumble_scene::library::find;

pub const MUTATIONS: &[Mutation] = &[
    Mutation { scene: "pyramid", check: "drift", what: "nothing has any friction", apply: grease },
    Mutation {
        scene: "pyramid",
        check: "stands",
        what: "the topmost box is kicked",
        apply: |world| edit(world, "box-19-0", |b| b.set_linear_velocity([4.0, 0.0, 0.0])),
    },
    Mutation { scene: "pyramid", check: "overlap", what: "contacts are soft", apply: crate::piles::soften },
    Mutation { scene: "pyramid", check: "asleep", what: "sleep is switched off", apply: wakeful },
    Mutation {
        scene: "brick-wall",
        check: "stands",
        what: "a brick is kicked",
        apply: |world| edit(world, "brick-0-0", |b| b.set_linear_velocity([-2.0, 0.0, 0.0])),
    },
    Mutation { scene: "brick-wall", check: "asleep", what: "sleep is switched off", apply: wakeful },
    Mutation { scene: "card-house", check: "stands", what: "nothing has any friction", apply: grease },
    Mutation { scene: "arch", check: "stands", what: "nothing has any friction", apply: grease },
    Mutation {
        scene: "jenga",
        check: "stands",
        what: "of the lowest layer the middle block and one at the side are pulled",
        apply: |world| {
            remove(world, "block-0-1")?;
            remove(world, "block-0-2")
        },
    },
    Mutation {
        scene: "two-islands",
        check: "islands",
        what: "a slack rope ties the stacks",
        apply: |world| tie(world, "box-0-0", "box-1-0"),
    },
    Mutation {
        scene: "two-islands",
        check: "sleeper",
        what: "a box of the second stack cannot sleep",
        apply: |world| {
            edit(world, "box-1-0", |b| {
                b.set_can_sleep(false);
                Ok(())
            })
        },
    },
    Mutation { scene: "two-islands", check: "hit", what: "there is no ball", apply: |world| remove(world, "ball") },
    Mutation {
        scene: "sliding-cubes",
        check: "order",
        what: "the second cube has as much friction as the third",
        apply: |world| {
            let mu = 2.0 / 6.0 * (20.0_f32).to_radians().tan();
            cover(world, "cube-1", Material::default().with_friction(mu))?;
            cover(world, "ramp-1", Material::default().with_friction(mu))
        },
    },
    Mutation {
        scene: "sliding-cubes",
        check: "crash",
        what: "one sticks to its slope",
        apply: |world| {
            cover(world, "cube-5", Material::default().with_friction(1.0))?;
            cover(world, "ramp-5", Material::default().with_friction(1.0))
        },
    },
    Mutation {
        scene: "sliding-cubes",
        check: "slide",
        what: "air slows a cube",
        apply: |world| edit(world, "cube-0", |b| b.set_damping(0.1, 0.0)),
    },
    Mutation {
        scene: "sliding-cubes",
        check: "stick",
        what: "the last cube is pushed",
        apply: |world| edit(world, "cube-6", |b| b.set_force([50.0, 0.0, 0.0])),
    },
    Mutation {
        scene: "bouncing-balls",
        check: "apex",
        what: "air slows a ball",
        apply: |world| edit(world, "ball-6", |b| b.set_damping(0.1, 0.0)),
    },
    Mutation {
        scene: "bouncing-balls",
        check: "rest",
        what: "the first ball bounces",
        apply: |world| {
            let id = world.find_body("ball-0").unwrap();
            let collider = world.body(id)?.colliders().next().unwrap();
            world.set_collider_material(collider, Material::default().with_restitution(0.6))
        },
    },
    Mutation {
        scene: "newtons-cradle",
        check: "swings",
        what: "air slows the last ball",
        apply: |world| edit(world, "ball-4", |b| b.set_damping(0.1, 0.0)),
    },
    Mutation {
        scene: "newtons-cradle",
        check: "still",
        what: "nothing bounces",
        apply: |world| {
            let steel = Material { restitution: 0.0, ..Material::named("steel").unwrap().with_friction(0.0) };
            (0..5).try_for_each(|i| cover(world, &format!("ball-{i}"), steel.clone()))
        },
    },
    Mutation {
        scene: "newtons-cradle",
        check: "strings",
        what: "a string is made of rubber",
        apply: |world| {
            let joint = world.joint_ids().next().unwrap();
            world.joint_mut(joint)?.set_stiffness(tumble::constraint::Stiffness::tuned(0.5, 1.0))
        },
    },
    Mutation {
        scene: "bouncing-balls",
        check: "gain",
        what: "the last ball is thrown upwards",
        apply: |world| edit(world, "ball-6", |b| b.set_linear_velocity([0.0, 3.0, 0.0])),
    },
];

/// A block of the tower of the scene `jenga` is so high.
const BLOCK: f64 = 0.015;

/// Where the blocks of the highest layer of the tower are.
fn top(world: &World) -> [Point; 3] {
    [0, 1, 2].map(|i| world.body(world.find_body(&format!("block-9-{i}")).unwrap()).unwrap().position())
}

/// A tower that has stood for five seconds bears the rest of its blocks on the middle one of a layer, on both at the sides, or on the middle and one at the
/// side; on one at the side alone it falls, and without a whole layer it comes down by a block.
#[test]
fn jenga_falls_when_the_right_blocks_are_pulled() {
    let mut run = find("jenga").unwrap().setup().start().unwrap();
    wakeful(run.world_mut()).unwrap();
    for _ in 0..run.steps_in(5.0) {
        run.step().unwrap();
    }
    let (dt, before) = (run.dt() as Real, top(run.world()));
    for layer in [0, 4, 7] {
        for (blocks, least, most) in [
            (&[1][..], 0.0, 0.1),
            (&[0], 0.0, 0.1),
            (&[2], 0.0, 0.1),
            (&[0, 2], 0.0, 0.5),
            (&[0, 1], 5.0, f64::INFINITY),
            (&[1, 2], 5.0, f64::INFINITY),
            (&[0, 1, 2], 0.9, 1.1),
        ] {
            let mut world = run.world().clone();
            for i in blocks {
                remove(&mut world, &format!("block-{layer}-{i}")).unwrap();
            }
            for _ in 0..run.steps_in(4.0) {
                world.step(dt).unwrap();
            }
            let moved = largest(before.iter().zip(top(&world)).map(|(a, b)| (b - *a).length() / BLOCK));
            println!("layer {layer} without {blocks:?}: the top has moved by {moved:.3} heights");
            assert!((least..most).contains(&moved), "layer {layer} without {blocks:?}: {moved} heights");
        }
    }
}

/// With the step of most scenes the tower stands for a minute, too, though its blocks sink into each other.
#[test]
fn jenga_stands_with_long_steps() {
    let mut run = find("jenga").unwrap().setup().dt(1.0 / 60.0).unwrap().start().unwrap();
    wakeful(run.world_mut()).unwrap();
    let before = top(run.world());
    let mut most: f64 = 0.0;
    for _ in 0..run.steps_in(60.0) {
        run.step().unwrap();
        let moved = before.iter().zip(top(run.world())).map(|(a, b)| (b - *a).length() / BLOCK);
        most = largest(moved.chain([most]));
    }
    println!("the top sinks by {most:.3} heights of a block");
    assert!(most < 0.6, "{most}");
}

/// Just enough friction holds, and a little less does not: both sides of the edge of the cone.
#[test]
fn the_last_cube_holds_by_its_friction_alone() {
    let outcome = |last: f64| {
        let scene = find("sliding-cubes").unwrap();
        let mut run = scene.setup().set("last", last).unwrap().start().unwrap();
        run.finish().unwrap();
        run.verdicts().into_iter().find(|v| v.claim.name == "stick").unwrap()
    };
    for (last, expected) in [(1.01, Outcome::Passed), (0.99, Outcome::Failed)] {
        let verdict = outcome(last);
        println!("{last}: {verdict}");
        assert_eq!(verdict.outcome, expected, "{last}: {verdict}");
    }
}
