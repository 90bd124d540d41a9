//! Things that stand, slide and bounce: what breaks them, and that they stand without falling asleep.

use crate::mutation::{Mutation, cover, edit, grease, remove, tie, wakeful};
use tumble::Material;
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

/// What sleeps cannot fall: structures stand for a minute without sleep as well.
#[test]
fn structures_stand_awake() {
    for (name, check) in [("card-house", "stands"), ("arch", "stands"), ("jenga", "stands"), ("brick-wall", "stands")] {
        let mut run = find(name).unwrap().setup().start().unwrap();
        wakeful(run.world_mut()).unwrap();
        run.finish().unwrap();
        let verdict = run.verdicts().into_iter().find(|v| v.claim.name == check).unwrap();
        println!("{name}, awake: {verdict}");
        assert_eq!(verdict.outcome, Outcome::Passed, "{name}: {verdict}");
    }
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
