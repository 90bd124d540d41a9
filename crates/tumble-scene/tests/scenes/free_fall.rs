//! What breaks free fall.

use crate::mutation::{Mutation, edit};

pub const MUTATIONS: &[Mutation] = &[
    Mutation {
        scene: "free-fall",
        check: "falls-alike",
        what: "gravity pulls one body a hundred-thousandth harder",
        apply: |world| edit(world, "body-3", |b| b.set_gravity_scale(1.00001)),
    },
    Mutation {
        scene: "free-fall",
        check: "falls-alike",
        what: "air slows one body",
        apply: |world| edit(world, "body-6", |b| b.set_damping(1e-4, 0.0)),
    },
    Mutation {
        scene: "free-fall",
        check: "speed",
        what: "gravity is a ten-thousandth too strong",
        apply: |world| world.set_gravity([0.0, -9.81 * 1.0001, 0.0]),
    },
    Mutation {
        scene: "free-fall",
        check: "speed",
        what: "gravity is oblique",
        apply: |world| world.set_gravity([0.01, -9.81, 0.0]),
    },
    Mutation {
        scene: "free-fall",
        check: "parabola",
        what: "gravity is a thousandth too strong",
        apply: |world| world.set_gravity([0.0, -9.81 * 1.001, 0.0]),
    },
    Mutation {
        scene: "free-fall",
        check: "parabola",
        what: "one body is fixed",
        apply: |world| edit(world, "body-0", |b| b.set_kind(tumble::BodyKind::Fixed)),
    },
];
