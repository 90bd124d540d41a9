//! Every check of every scene can fail: for each there is a world with one thing wrong that it finds.

use std::collections::BTreeSet;
use tumble::World;
use tumble_scene::library::{find, scenes};
use tumble_scene::{Outcome, Run};

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
    ];
    lists.into_iter().flatten()
}

fn mutated(mutation: &Mutation) -> Run {
    let mut run = find(mutation.scene).unwrap().setup().start().unwrap();
    (mutation.apply)(run.world_mut()).unwrap();
    run.finish().unwrap();
    run
}

/// The check that each mutation names fails, with a figure.
#[test]
fn every_mutation_is_found() {
    let mut missed = Vec::new();
    for mutation in all() {
        let run = mutated(mutation);
        let verdict = run.verdicts().into_iter().find(|v| v.claim.name == mutation.check).unwrap();
        let said = format!("{}, {}: {verdict}", mutation.scene, mutation.what);
        println!("{said}");
        if verdict.outcome != Outcome::Failed {
            missed.push(said);
        } else {
            assert!(!run.passed());
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
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
