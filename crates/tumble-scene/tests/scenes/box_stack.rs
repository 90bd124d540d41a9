//! What breaks the stack of boxes.

use crate::mutation::{Mutation, edit};

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
        what: "the lowest box is turned by two degrees",
        apply: |world| {
            let lean = tumble::math::Quat::from_axis_angle(tumble::math::Vec3::Z, 0.035);
            edit(world, "box-0", |b| b.set_rotation(lean))
        },
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
    Mutation {
        scene: "box-stack",
        check: "asleep",
        what: "sleep is switched off",
        apply: |world| {
            let mut method = world.method().clone();
            method.switches.sleep = false;
            world.set_method(method)
        },
    },
];
