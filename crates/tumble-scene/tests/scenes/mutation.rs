//! Every check of every scene can fail: for each there is a world with one thing wrong that it finds.

use std::collections::BTreeSet;
use tumble::constraint::joint::Distance;
use tumble::{JointDesc, Material, World};
use tumble_scene::library::{find, scenes};
use tumble_scene::{Outcome, Run, Scene, Setup};

/// One thing wrong with a world, done to it before the first step.
pub struct Mutation {
    pub scene: &'static str,
    /// The check that must find it.
    pub check: &'static str,
    pub what: &'static str,
    pub apply: fn(&mut World) -> tumble::Result<()>,
}

fn all() -> impl Iterator<Item = &'static Mutation> {
    let lists = [
        crate::box_stack::MUTATIONS,
        crate::free_fall::MUTATIONS,
        crate::projectiles::MUTATIONS,
        crate::dzhanibekov_nut::MUTATIONS,
        crate::structures::MUTATIONS,
        crate::piles::MUTATIONS,
        crate::articulated::MUTATIONS,
        crate::mechanisms::MUTATIONS,
        crate::things::MUTATIONS,
        crate::contacts::MUTATIONS,
    ];
    lists.into_iter().flatten()
}

/// Scenes that take long are made smaller to be run with something wrong; that they pass is asked of their full size.
fn short(scene: &Scene) -> Setup<'_> {
    match &*scene.name {
        "domino-spiral" => scene.setup().set("dominoes", 120.0).unwrap(),
        _ => scene.setup(),
    }
}

fn mutated(mutation: &Mutation) -> Run {
    let mut run = short(&find(mutation.scene).unwrap()).start().unwrap();
    (mutation.apply)(run.world_mut()).unwrap();
    let steps = run.steps_in(run.seconds());
    while run.world().steps() < steps && !run.has_failed(mutation.check) {
        run.step().unwrap();
    }
    run
}

/// The check that each mutation names fails, with a figure.
#[test]
fn every_mutation_is_found() {
    let mut unfound = Vec::new();
    for mutation in all() {
        let run = mutated(mutation);
        let verdict = run.verdicts().into_iter().find(|v| v.claim.name == mutation.check).unwrap();
        let line = format!("{}, {}: {verdict}", mutation.scene, mutation.what);
        println!("{line}");
        if verdict.outcome != Outcome::Failed {
            unfound.push(line);
        }
    }
    assert!(unfound.is_empty(), "{unfound:#?}");
}

/// No check goes without a mutation, and no mutation names a check that is gone.
#[test]
fn every_check_has_a_mutation() {
    let of_scenes = scenes().into_iter().flat_map(|scene| {
        let name = scene.name.to_string();
        scene.checks.into_iter().map(move |check| (name.clone(), check.name.to_string()))
    });
    let of_mutations = all().map(|m| (m.scene.to_owned(), m.check.to_owned()));
    assert_eq!(of_scenes.collect::<BTreeSet<_>>(), of_mutations.collect::<BTreeSet<_>>());
}

/// Sets something on the body of this name.
pub fn edit(
    world: &mut World,
    name: &str,
    edit: impl FnOnce(&mut tumble::BodyMut<'_>) -> tumble::Result<()>,
) -> tumble::Result<()> {
    let id = world.find_body(name).unwrap();
    edit(&mut world.body_mut(id)?)
}

/// Pushes a body with this velocity.
pub fn kick(world: &mut World, name: &str, velocity: [f32; 3]) -> tumble::Result<()> {
    edit(world, name, |b| b.set_linear_velocity(velocity))
}

/// Takes the friction of everything away.
pub fn grease(world: &mut World) -> tumble::Result<()> {
    for id in world.collider_ids().collect::<Vec<_>>() {
        world.set_collider_material(id, Material::default().with_friction(0.0))?;
    }
    Ok(())
}

pub fn wakeful(world: &mut World) -> tumble::Result<()> {
    let mut method = world.method().clone();
    method.switches.sleep = false;
    world.set_method(method)
}

pub fn remove(world: &mut World, name: &str) -> tumble::Result<()> {
    let id = world.find_body(name).unwrap();
    world.remove_body(id)
}

/// Gives all colliders of a body this material.
pub fn cover(world: &mut World, name: &str, material: Material) -> tumble::Result<()> {
    let id = world.find_body(name).unwrap();
    for collider in world.body(id)?.colliders().collect::<Vec<_>>() {
        world.set_collider_material(collider, material.clone())?;
    }
    Ok(())
}

/// Sets something on the joint of this name.
pub fn edit_joint(
    world: &mut World,
    name: &str,
    edit: impl FnOnce(&mut tumble::JointMut<'_>) -> tumble::Result<()>,
) -> tumble::Result<()> {
    let id = world.find_joint(name).unwrap();
    edit(&mut world.joint_mut(id)?)
}

/// Ties two bodies by a rope so long that it never pulls: they are of one island by it, and nothing else changes.
pub fn tie(world: &mut World, a: &str, b: &str) -> tumble::Result<()> {
    let [a, b] = [a, b].map(|name| world.find_body(name).unwrap());
    world.add_joint(JointDesc::new(a, b, Distance::rope(100.0))).map(drop)
}

/// Takes a joint away.
pub fn untie(world: &mut World, name: &str) -> tumble::Result<()> {
    let id = world.find_joint(name).unwrap();
    world.remove_joint(id)
}
