//! Belts, charges, tables and boxes that are stuck: what breaks them.

use crate::mutation::{Mutation, cover, edit, edit_joint, grease, kick, remove};
use tumble::shape::Shape;
use tumble::{BodyKind, ColliderDesc, MassSource, Material, World};

/// Bodies that overlap are pushed apart at this speed at most, as a multiple of the default.
fn push(world: &mut World, factor: f32) -> tumble::Result<()> {
    let mut method = world.method().clone();
    method.tolerances.push_speed *= factor;
    world.set_method(method)
}

/// Nothing is held up any more.
fn drift(world: &mut World) -> tumble::Result<()> {
    world.set_gravity([0.0; 3])
}

pub const MUTATIONS: &[Mutation] = &[
    Mutation { scene: "coins", check: "flat", what: "there is no gravity", apply: drift },
    Mutation { scene: "coins", check: "on-table", what: "there is no table", apply: |world| remove(world, "floor") },
    Mutation {
        scene: "coins",
        check: "energy",
        what: "a force lifts a coin",
        apply: |world| edit(world, "coin-3", |b| b.set_force([0.0, 1.0, 0.0])),
    },
    Mutation {
        scene: "coins",
        check: "rest",
        what: "a coin is drawn along",
        apply: |world| edit(world, "coin-0", |b| b.set_force([-0.1, 0.0, 0.0])),
    },
    Mutation {
        scene: "coins",
        check: "heads",
        what: "no coin turns",
        apply: |world| {
            for i in 0..18 {
                edit(world, &format!("coin-{i}"), |b| b.set_locks(tumble::Locks::TURN))?;
            }
            Ok(())
        },
    },
    Mutation {
        scene: "dominoes",
        check: "all-fall",
        what: "a domino is missing in the first row, and its neighbours",
        apply: |world| {
            remove(world, "domino-20")?;
            remove(world, "domino-21")?;
            remove(world, "domino-22")
        },
    },
    Mutation {
        scene: "dominoes",
        check: "in-order",
        what: "a domino in the middle is pushed",
        apply: |world| edit(world, "domino-60", |b| b.set_angular_velocity([0.0, 0.0, 8.0])),
    },
    Mutation {
        scene: "dominoes",
        check: "waiting",
        what: "the last row begins by itself",
        apply: |world| edit(world, "domino-135", |b| b.set_angular_velocity([0.0, 0.0, -8.0])),
    },
    Mutation {
        scene: "dominoes",
        check: "tower",
        what: "the row before the tower is missing",
        apply: |world| {
            for i in 110..122 {
                remove(world, &format!("domino-{i}"))?;
            }
            Ok(())
        },
    },
    Mutation {
        scene: "car-track",
        check: "bumps",
        what: "the wheels of one side are missing",
        apply: |world| {
            remove(world, "wheel-0")?;
            remove(world, "wheel-1")
        },
    },
    Mutation {
        scene: "car-track",
        check: "suspension",
        what: "the stops of a strut are gone",
        apply: |world| edit_joint(world, "strut-1", |joint| joint.set_limit(None)),
    },
    Mutation { scene: "car-track", check: "top", what: "nothing has any friction", apply: grease },
    Mutation {
        scene: "car-track",
        check: "upside-down",
        what: "gravity is three times that of the earth",
        apply: |world| world.set_gravity([0.0, -30.0, 0.0]),
    },
    Mutation {
        scene: "car-track",
        check: "out",
        what: "a part of the loop is missing",
        apply: |world| {
            for i in 30..50 {
                remove(world, &format!("slab-{i}"))?;
            }
            Ok(())
        },
    },
    Mutation {
        scene: "car-track",
        check: "goes-on",
        what: "no wheel has a motor",
        apply: |world| {
            for i in 0..4 {
                edit_joint(world, &format!("strut-{i}"), |joint| {
                    joint.edit(|kind| {
                        if let tumble::JointKind::Wheel(wheel) = kind {
                            wheel.spin = None;
                        }
                    })
                })?;
            }
            Ok(())
        },
    },
    Mutation { scene: "stuck-boxes", check: "lifted", what: "nothing is pushed out", apply: |world| push(world, 1e-5) },
    Mutation {
        scene: "stuck-boxes",
        check: "calm",
        what: "a box is thrown upwards",
        apply: |world| kick(world, "box-1", [0.0, 3.0, 0.0]),
    },
    Mutation {
        scene: "stuck-boxes",
        check: "slow",
        what: "boxes are pushed out fast",
        apply: |world| push(world, 10.0),
    },
    Mutation {
        scene: "stuck-boxes",
        check: "upright",
        what: "the smallest cannot turn",
        apply: |world| edit(world, "box-2", |b| b.set_locks(tumble::Locks::TURN)),
    },
    Mutation {
        scene: "conveyor",
        check: "slip",
        what: "a parcel is slippery",
        apply: |world| cover(world, "parcel-2", Material::default().with_friction(0.1)),
    },
    Mutation {
        scene: "conveyor",
        check: "speed",
        what: "air slows a parcel, which has no friction",
        apply: |world| {
            cover(world, "parcel-1", Material::default().with_friction(0.0))?;
            kick(world, "parcel-1", [1.5, 0.0, 0.0])?;
            edit(world, "parcel-1", |b| b.set_damping(0.1, 0.0))
        },
    },
    Mutation {
        scene: "conveyor",
        check: "belt",
        what: "the belt itself moves",
        apply: |world| {
            edit(world, "belt", |b| {
                b.set_kind(BodyKind::Kinematic)?;
                b.set_linear_velocity([0.01, 0.0, 0.0])
            })
        },
    },
    Mutation { scene: "conveyor", check: "bin", what: "nothing has any friction", apply: grease },
    Mutation {
        scene: "explosion",
        check: "before",
        what: "a crate is pushed",
        apply: |world| kick(world, "crate-2-0", [0.5, 0.0, 0.0]),
    },
    Mutation {
        scene: "explosion",
        check: "kick",
        what: "a puck is a twentieth too heavy",
        apply: |world| edit(world, "puck-1", |b| b.set_mass(MassSource::Total(210.0))),
    },
    Mutation {
        scene: "explosion",
        check: "outward",
        what: "the charge is a dud",
        apply: |world| {
            let id = world.find_effect("charge").unwrap();
            world.effect_mut(id)?.set_active(false)
        },
    },
    Mutation {
        scene: "explosion",
        check: "over",
        what: "the charge does not end",
        apply: |world| {
            let id = world.find_effect("charge").unwrap();
            world.effect_mut(id)?.set_window(1.0, 100.0)
        },
    },
    Mutation {
        scene: "explosion",
        check: "energy",
        what: "the charge lasts too long",
        apply: |world| {
            let id = world.find_effect("charge").unwrap();
            world.effect_mut(id)?.set_window(1.0, 1.2)
        },
    },
    Mutation {
        scene: "table",
        check: "mass",
        what: "the table is a thousandth too heavy",
        apply: |world| {
            let id = world.find_body("table").unwrap();
            let mass = world.body(id)?.mass();
            edit(world, "table", |b| b.set_mass(MassSource::Total((mass * 1.001) as f32)))
        },
    },
    Mutation {
        scene: "table",
        check: "inertia",
        what: "a moment of inertia is a hundredth too large",
        apply: |world| {
            edit(world, "table", |table| {
                let mut mass = table.view().mass_properties().unwrap();
                mass.inertia.xx *= 1.01;
                table.set_mass(MassSource::Explicit(mass))
            })
        },
    },
    Mutation {
        scene: "table",
        check: "stands",
        what: "it falls on its edge",
        apply: |world| edit(world, "table", |b| b.set_angular_velocity([0.0, 0.0, 10.0])),
    },
    Mutation { scene: "table", check: "height", what: "there is no floor", apply: |world| remove(world, "floor") },
    Mutation {
        scene: "table",
        check: "carries",
        what: "a mug is kicked",
        apply: |world| kick(world, "mug-2", [4.0, 0.0, 0.0]),
    },
    Mutation {
        scene: "table",
        check: "through",
        what: "the table is solid between its legs",
        apply: |world| {
            let table = world.find_body("table").unwrap();
            let filling = ColliderDesc::new(Shape::cuboid(0.6, 0.25, 0.3)?).at([0.0, 0.3, 0.0]);
            world.add_collider(table, filling).map(drop)
        },
    },
];
