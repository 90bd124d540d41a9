//! What breaks the flips of the nut.

use crate::mutation::{Mutation, edit};
use tumble::MassSource;

pub const MUTATIONS: &[Mutation] = &[
    Mutation {
        scene: "dzhanibekov-nut",
        check: "flip-period",
        what: "the gyroscopic torque is missing",
        apply: |world| {
            let mut method = world.method().clone();
            method.switches.gyroscopic = false;
            world.set_method(method)
        },
    },
    Mutation {
        scene: "dzhanibekov-nut",
        check: "flip-period",
        what: "the inertia about the thread is 5 % too large",
        apply: |world| {
            edit(world, "nut", |nut| {
                let mut mass = nut.view().mass_properties().unwrap();
                mass.inertia.yy *= 1.05;
                nut.set_mass(MassSource::Explicit(mass))
            })
        },
    },
    Mutation {
        scene: "dzhanibekov-nut",
        check: "angular-momentum",
        what: "the gyroscopic torque is missing",
        apply: |world| {
            let mut method = world.method().clone();
            method.switches.gyroscopic = false;
            world.set_method(method)
        },
    },
    Mutation {
        scene: "dzhanibekov-nut",
        check: "angular-momentum",
        what: "a faint torque acts",
        apply: |world| edit(world, "nut", |nut| nut.set_torque([0.0, 0.0, 1e-9])),
    },
    Mutation {
        scene: "dzhanibekov-nut",
        check: "energy",
        what: "air slows the spin",
        apply: |world| edit(world, "nut", |nut| nut.set_damping(0.0, 1e-4)),
    },
];
