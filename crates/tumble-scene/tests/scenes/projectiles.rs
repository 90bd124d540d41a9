//! What breaks the flight of projectiles.

use crate::mutation::{Mutation, edit};

pub const MUTATIONS: &[Mutation] = &[
    Mutation {
        scene: "projectiles",
        check: "range",
        what: "gravity is a thousandth too weak",
        apply: |world| world.set_gravity([0.0, -9.81 * 0.999, 0.0]),
    },
    Mutation {
        scene: "projectiles",
        check: "range",
        what: "thin air slows the flattest throw",
        apply: |world| edit(world, "body-0", |b| b.set_damping(1e-3, 0.0)),
    },
    Mutation {
        scene: "projectiles",
        check: "apex",
        what: "gravity is a thousandth too weak",
        apply: |world| world.set_gravity([0.0, -9.81 * 0.999, 0.0]),
    },
    Mutation {
        scene: "projectiles",
        check: "momentum",
        what: "a breeze pushes the hammer",
        apply: |world| edit(world, "body-5", |b| b.set_force([0.0, 0.0, 0.01])),
    },
    Mutation {
        scene: "projectiles",
        check: "angular-momentum",
        what: "the gyroscopic torque is missing",
        apply: |world| {
            let mut method = world.method().clone();
            method.switches.gyroscopic = false;
            world.set_method(method)
        },
    },
    Mutation {
        scene: "projectiles",
        check: "angular-momentum",
        what: "air slows the spin of one body",
        apply: |world| edit(world, "body-2", |b| b.set_damping(0.0, 1e-4)),
    },
];
