//! What breaks the stack of boxes.

use crate::mutation::{Mutation, edit, wakeful};

pub const MUTATIONS: &[Mutation] = &[
    Mutation {
        scene: "box-stack",
        check: "drift",
        what: "the topmost box is pushed harder than friction holds",
        apply: |world| edit(world, "box-9", |b| b.set_force([60.0, 0.0, 0.0])),
    },
    Mutation {
        scene: "box-stack",
        check: "tilt",
        what: "a torque tips the topmost box",
        apply: |world| edit(world, "box-9", |b| b.set_torque([0.0, 0.0, 60.0])),
    },
    Mutation {
        scene: "box-stack",
        check: "sag",
        what: "the method ignores contacts",
        apply: |world| {
            let sees_nothing = tumble::Method::named("ballistic")?;
            world.set_method(sees_nothing)
        },
    },
    Mutation { scene: "box-stack", check: "asleep", what: "sleep is switched off", apply: wakeful },
];
