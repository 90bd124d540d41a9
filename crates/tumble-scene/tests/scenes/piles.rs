//! Piles, drums, nets and ragdolls: what breaks them.

use crate::mutation::{Mutation, edit};
use tumble::method::{JointSolve, SoftStep, Step};
use tumble::{Method, World};

/// Contacts and joints give way like foam.
pub fn soften(world: &mut World) -> tumble::Result<()> {
    let tolerances = world.method().tolerances.clone();
    let soft = SoftStep {
        contact_stiffness: 0.003,
        joint_stiffness: 0.003,
        joint_solve: JointSolve::Sweeps,
        ..SoftStep::default()
    };
    world.set_method(Method { step: Step::SoftStep(soft), tolerances, ..Method::soft_step() })
}

/// Throws a body so far away that it does not come back.
fn throw(world: &mut World, name: &str) -> tumble::Result<()> {
    edit(world, name, |b| {
        b.set_position([3.0, 40.0, 3.0])?;
        b.set_linear_velocity([100.0, 50.0, 100.0])
    })
}

pub const MUTATIONS: &[Mutation] = &[
    Mutation {
        scene: "many-pyramids",
        check: "stands",
        what: "the topmost box of a pyramid is kicked",
        apply: |world| edit(world, "box-1-3-0", |b| b.set_linear_velocity([4.0, 0.0, 0.0])),
    },
    Mutation { scene: "many-pyramids", check: "overlap", what: "contacts are soft", apply: soften },
    Mutation { scene: "falling-boxes", check: "overlap", what: "contacts are soft", apply: soften },
    Mutation { scene: "falling-boxes", check: "near", what: "a box is thrown", apply: |world| throw(world, "box-3") },
    Mutation { scene: "ball-pit", check: "overlap", what: "contacts are soft", apply: soften },
    Mutation { scene: "ball-pit", check: "inside", what: "a ball is thrown", apply: |world| throw(world, "ball-3") },
    Mutation { scene: "convex-pile", check: "overlap", what: "contacts are soft", apply: soften },
    Mutation {
        scene: "convex-pile",
        check: "inside",
        what: "a stone is thrown",
        apply: |world| throw(world, "stone-3"),
    },
    Mutation { scene: "junkyard", check: "overlap", what: "contacts are soft", apply: soften },
    Mutation { scene: "junkyard", check: "inside", what: "a rock is thrown", apply: |world| throw(world, "rock-3") },
    Mutation { scene: "washer", check: "overlap", what: "contacts are soft", apply: soften },
    Mutation { scene: "washer", check: "inside", what: "a box is thrown", apply: |world| throw(world, "box-3") },
    Mutation { scene: "joint-grid", check: "gap", what: "joints are soft", apply: soften },
    Mutation {
        scene: "joint-grid",
        check: "hangs",
        what: "the upper edge comes loose",
        apply: |world| {
            for column in 0..8 {
                edit(world, &format!("ball-0-{column}"), |b| b.set_kind(tumble::BodyKind::Dynamic))?;
            }
            Ok(())
        },
    },
    Mutation { scene: "ragdolls", check: "gap", what: "joints are soft", apply: soften },
    Mutation { scene: "ragdolls", check: "above", what: "a head is thrown", apply: |world| throw(world, "head-2") },
    Mutation { scene: "wrecking-ball", check: "gap", what: "joints are soft", apply: soften },
    Mutation { scene: "wrecking-ball", check: "chain", what: "joints are soft", apply: soften },
    Mutation {
        scene: "wrecking-ball",
        check: "breach",
        what: "there is no gravity, and the ball does not swing",
        apply: |world| world.set_gravity([0.0; 3]),
    },
    Mutation {
        scene: "wrecking-ball",
        check: "above",
        what: "a brick is thrown",
        apply: |world| throw(world, "brick-7-3"),
    },
    Mutation {
        scene: "fixed-field",
        check: "overlap",
        what: "a ball starts deep in the field and is hardly pushed out",
        apply: |world| {
            let mut method = world.method().clone();
            method.tolerances.push_speed = 1e-5;
            world.set_method(method)?;
            edit(world, "ball-3", |b| b.set_position([5.0, 0.2, 5.0]))
        },
    },
    Mutation { scene: "fixed-field", check: "on-top", what: "a ball is thrown", apply: |world| throw(world, "ball-3") },
];
