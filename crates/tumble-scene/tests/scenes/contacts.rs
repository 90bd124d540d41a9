//! Blocks, balls and pins: what breaks them.

use crate::mutation::{Mutation, cover, edit, kick, remove, tie, wakeful};
use crate::piles::{soften, unwall};
use tumble::{BodySet, MassSource, Material, World};

/// No island is woken by what happens to it.
fn stay_awake(world: &mut World, name: &str) -> tumble::Result<()> {
    edit(world, name, |b| {
        b.set_can_sleep(false);
        Ok(())
    })
}

pub const MUTATIONS: &[Mutation] = &[
    Mutation { scene: "sleep-and-wake", check: "asleep", what: "sleep is switched off", apply: wakeful },
    Mutation {
        scene: "sleep-and-wake",
        check: "support",
        what: "the shelf does not hold, and the stack lies on the floor when it goes",
        apply: |world| {
            let shelf = world.find_body("shelf").unwrap();
            let collider = world.body(shelf)?.colliders().next().unwrap();
            world.remove_collider(collider)
        },
    },
    Mutation {
        scene: "sleep-and-wake",
        check: "falls",
        what: "gravity does not pull at a box",
        apply: |world| edit(world, "box-0-2", |b| b.set_gravity_scale(-1.0)),
    },
    Mutation {
        scene: "sleep-and-wake",
        check: "wind",
        what: "there is no wind",
        apply: |world| {
            let id = world.find_effect("gust").unwrap();
            world.effect_mut(id)?.set_active(false)
        },
    },
    Mutation {
        scene: "sleep-and-wake",
        check: "sleeper",
        what: "the wind blows at all",
        apply: |world| {
            let id = world.find_effect("gust").unwrap();
            world.effect_mut(id)?.set_bodies(BodySet::All)
        },
    },
    Mutation {
        scene: "sleep-and-wake",
        check: "again",
        what: "a box cannot sleep",
        apply: |world| stay_awake(world, "box-1-0"),
    },
    Mutation { scene: "mixed-pile", check: "overlap", what: "contacts are soft", apply: soften },
    Mutation { scene: "mixed-pile", check: "inside", what: "the pit has no walls", apply: unwall },
    Mutation { scene: "mixed-pile", check: "asleep", what: "sleep is switched off", apply: wakeful },
    Mutation { scene: "barrels", check: "held", what: "there is no plank", apply: |world| remove(world, "plank") },
    Mutation {
        scene: "barrels",
        check: "rolls",
        what: "air slows the first barrel",
        apply: |world| edit(world, "barrel-0", |b| b.set_damping(0.4, 0.0)),
    },
    Mutation {
        scene: "barrels",
        check: "no-slip",
        what: "the ramp is of ice",
        apply: |world| cover(world, "ramp", Material::default().with_friction(0.0)),
    },
    Mutation {
        scene: "barrels",
        check: "out",
        what: "a barrel is fixed where it lies",
        apply: |world| edit(world, "barrel-4", |b| b.set_kind(tumble::BodyKind::Fixed)),
    },
    Mutation {
        scene: "barrels",
        check: "straight",
        what: "a barrel is pushed aside",
        apply: |world| edit(world, "barrel-4", |b| b.set_force([0.0, 0.0, 2000.0])),
    },
    Mutation {
        scene: "room-spheres",
        check: "lies",
        what: "the ball is pushed",
        apply: |world| kick(world, "lying", [0.01, 0.0, 0.0]),
    },
    Mutation {
        scene: "room-spheres",
        check: "bounces",
        what: "air slows the ball",
        apply: |world| edit(world, "falling", |b| b.set_damping(0.2, 0.0)),
    },
    Mutation {
        scene: "room-spheres",
        check: "settles",
        what: "gravity does not pull at the ball",
        apply: |world| edit(world, "falling", |b| b.set_gravity_scale(0.0)),
    },
    Mutation {
        scene: "room-spheres",
        check: "in-air",
        what: "the balls are of clay",
        apply: |world| {
            cover(world, "left", Material::default().with_friction(0.0))?;
            cover(world, "right", Material::default().with_friction(0.0))
        },
    },
    Mutation {
        scene: "room-spheres",
        check: "pair",
        what: "one is heavier",
        apply: |world| edit(world, "hit", |b| b.set_mass(MassSource::Total(1.1))),
    },
    Mutation { scene: "room-spheres", check: "woken", what: "sleep is switched off", apply: wakeful },
    Mutation {
        scene: "room-spheres",
        check: "wall",
        what: "the wall rubs",
        apply: |world| {
            cover(world, "east", Material::default().with_friction(1.0).with_restitution(0.6))?;
            cover(world, "flying", Material::default().with_friction(1.0).with_restitution(0.6))
        },
    },
    Mutation {
        scene: "room-spheres",
        check: "floor-bound",
        what: "the ball comes in flight",
        apply: |world| kick(world, "sliding", [4.0, 1.0, 0.5]),
    },
    Mutation {
        scene: "room-spheres",
        check: "inside",
        what: "a wall is missing",
        apply: |world| remove(world, "east"),
    },
    Mutation {
        scene: "room-stacks",
        check: "rests",
        what: "the upper ball is kicked",
        apply: |world| kick(world, "upper", [1.0, 0.0, 0.0]),
    },
    Mutation {
        scene: "room-stacks",
        check: "three",
        what: "the middle ball is taken away",
        apply: |world| remove(world, "three-1"),
    },
    Mutation {
        scene: "room-stacks",
        check: "islands",
        what: "a slack rope ties the stacks",
        apply: |world| tie(world, "upper", "three-2"),
    },
    Mutation { scene: "room-stacks", check: "woken", what: "sleep is switched off", apply: wakeful },
    Mutation {
        scene: "room-stacks",
        check: "all-woken",
        what: "nothing strikes the three",
        apply: |world| remove(world, "second-striker"),
    },
    Mutation {
        scene: "room-stacks",
        check: "forwarded",
        what: "nothing strikes",
        apply: |world| remove(world, "striker"),
    },
    Mutation {
        scene: "room-stacks",
        check: "sleep-on",
        what: "a ball cannot sleep",
        apply: |world| stay_awake(world, "three-0"),
    },
    Mutation {
        scene: "room-stacks",
        check: "inside",
        what: "there is no floor",
        apply: |world| remove(world, "floor"),
    },
    Mutation {
        scene: "domino-spiral",
        check: "all-fall",
        what: "three dominoes are missing",
        apply: |world| {
            remove(world, "domino-60")?;
            remove(world, "domino-61")?;
            remove(world, "domino-62")
        },
    },
    Mutation {
        scene: "domino-spiral",
        check: "in-order",
        what: "a domino in the middle is pushed",
        apply: |world| kick(world, "domino-80", [1.0, 0.0, 1.0]),
    },
    Mutation {
        scene: "domino-spiral",
        check: "speed",
        what: "gravity is ten times as strong",
        apply: |world| world.set_gravity([0.0, -98.1, 0.0]),
    },
    Mutation {
        scene: "stacked-blocks",
        check: "weight",
        what: "a block is a tenth too heavy",
        apply: |world| edit(world, "block-1-2", |b| b.set_gravity_scale(1.1)),
    },
    Mutation {
        scene: "stacked-blocks",
        check: "height",
        what: "a force lifts the topmost block in the end",
        apply: |world| {
            wakeful(world)?;
            kick(world, "block-0-3", [0.0, 30.0, 0.0])
        },
    },
    Mutation { scene: "stacked-blocks", check: "overlap", what: "contacts are soft", apply: soften },
    Mutation { scene: "stacked-blocks", check: "asleep", what: "sleep is switched off", apply: wakeful },
    Mutation {
        scene: "six-contacts",
        check: "contacts",
        what: "a ball is missing",
        apply: |world| remove(world, "ball-1"),
    },
    Mutation {
        scene: "six-contacts",
        check: "still",
        what: "a ball is pushed",
        apply: |world| kick(world, "ball-0", [0.0, 1.0, 0.0]),
    },
    Mutation {
        scene: "six-contacts",
        check: "force",
        what: "a ball is a tenth too heavy",
        apply: |world| edit(world, "ball-2", |b| b.set_mass(MassSource::Total(11.0))),
    },
    Mutation {
        scene: "billiards",
        check: "swap",
        what: "the balls in the lane are of clay",
        apply: |world| {
            cover(world, "first", Material::default().with_friction(0.0))?;
            cover(world, "second", Material::default().with_friction(0.0))
        },
    },
    Mutation {
        scene: "billiards",
        check: "push",
        what: "a ball of the rack is nailed down",
        apply: |world| edit(world, "ball-0", |b| b.set_kind(tumble::BodyKind::Fixed)),
    },
    Mutation {
        scene: "billiards",
        check: "energy",
        what: "a ball is pushed on and on",
        apply: |world| edit(world, "ball-7", |b| b.set_force([5.0, 0.0, 0.0])),
    },
    Mutation {
        scene: "billiards",
        check: "overlap",
        what: "the first ball of the rack does not meet the next two",
        apply: |world| {
            let first = world.find_body("ball-0").unwrap();
            ["ball-1", "ball-2"].into_iter().try_for_each(|next| {
                let next = world.find_body(next).unwrap();
                world.set_pair_excluded(first, next, true)
            })
        },
    },
    Mutation {
        scene: "billiards",
        check: "break",
        what: "there is no white ball",
        apply: |world| remove(world, "white"),
    },
    Mutation {
        scene: "billiards",
        check: "table",
        what: "a cushion is missing",
        apply: |world| remove(world, "right"),
    },
    Mutation {
        scene: "bowling",
        check: "stand",
        what: "a pin is pushed",
        apply: |world| kick(world, "pin-9", [0.5, 0.0, 0.0]),
    },
    Mutation {
        scene: "bowling",
        check: "fall",
        what: "the ball weighs no more than an egg",
        apply: |world| edit(world, "ball", |b| b.set_mass(MassSource::Total(0.05))),
    },
    Mutation {
        scene: "bowling",
        check: "slower",
        what: "the ball flies through the pins",
        apply: |world| {
            let ball = world.find_body("ball").unwrap();
            (0..10).try_for_each(|i| {
                let pin = world.find_body(&format!("pin-{i}")).unwrap();
                world.set_pair_excluded(ball, pin, true)
            })
        },
    },
    Mutation {
        scene: "bowling",
        check: "energy",
        what: "a pin is drawn upwards",
        apply: |world| edit(world, "pin-3", |b| b.set_force([0.0, 40.0, 0.0])),
    },
];
