//! Random sequences of add, remove, edit, change of kind, step, save and restore, against a plain model of what should exist.
//!
//! After every operation the world must hold exactly what the model holds: the same bodies with the same colliders, kinds,
//! materials and masses. Every id that was ever removed must be refused. A failing sequence is shortened before it is
//! reported.

use crate::edit_model::{Seen, shapes};
use crate::edit_operations::{Op, Pair};
use crate::support::{Random, live_bytes};
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;
use tumble::force::Spring;
use tumble::math::Vec3;
use tumble::shape::Shape;
use tumble::{BodyDesc, BodyId, BodyKind, ColliderDesc, EffectDesc, JointDesc, World};

const SEQUENCES: u64 = 10_000;
const LENGTH: usize = 30;

fn sequence(seed: u64) -> Vec<Op> {
    let mut random = Random(seed);
    // Something to work on first.
    let first = [0, 0, 0, Pair::SETTINGS];
    let mut kinds = first.to_vec();
    kinds.extend((first.len()..LENGTH).map(|_| random.below(Pair::KINDS) as u8));
    kinds.into_iter().map(|kind| Op { kind, seed: random.bits() }).collect()
}

/// Runs a sequence; on a failure, how many operations it took and what was said.
fn run(ops: &[Op], seen: &mut Seen) -> Result<(), (usize, String)> {
    let mut done = 0;
    catch_unwind(AssertUnwindSafe(|| {
        let mut pair = Pair::new(*seen);
        for &op in ops {
            done += 1;
            pair.apply(op);
            pair.check();
        }
        pair.check_dead();
        pair.clear_out();
        pair.check_dead();
        *seen = pair.seen;
    }))
    .map_err(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        (done, text.or_else(|| panic.downcast_ref::<&str>().map(|s| (*s).to_owned())).unwrap_or_default())
    })
}

/// The shortest sequence found that still fails: cut after the failure, then single operations taken out.
fn shortened(mut ops: Vec<Op>) -> (Vec<Op>, String) {
    let run = |ops: &[Op]| run(ops, &mut Seen::default());
    let (done, mut text) = run(&ops).expect_err("it failed before");
    ops.truncate(done);
    let mut i = 0;
    while i < ops.len() {
        let mut fewer = ops.clone();
        fewer.remove(i);
        match run(&fewer) {
            Err((done, said)) => {
                fewer.truncate(done);
                (ops, text) = (fewer, said);
            }
            Ok(()) => i += 1,
        }
    }
    (ops, text)
}

/// 10,000 random sequences: no panic, no stale id accepted, every live id answers, counts, kinds, colliders, materials and
/// masses as the model says, events in pairs, and nothing left when all is removed.
#[test]
fn random_sequences_agree_with_a_model() {
    let clock = Instant::now();
    let mut seen = Seen::default();
    for seed in 0..SEQUENCES {
        let ops = sequence(seed);
        if run(&ops, &mut seen).is_err() {
            let (ops, text) = shortened(ops);
            panic!("sequence {seed} fails after {} operations: {text}\n{ops:#?}", ops.len());
        }
    }
    println!("{SEQUENCES} sequences of {LENGTH} operations in {:?}: {seen:?}", clock.elapsed());
    let Seen { contacts, visits, sleepers, wakers, removed, joints, broken, parted, effects, restored, .. } = seen;
    let events = [contacts, visits, sleepers, wakers, removed, joints, broken, parted, effects, restored];
    let cases = seen.changed.into_iter().chain(seen.joined).chain(seen.switched);
    assert!(events.into_iter().chain(cases).all(|n| n >= 500), "too quiet: {seen:?}");
}

/// Memory returns: a world in which bodies that touch, hang on each other and are pushed about come and go holds no more after many rounds
/// than after a few, and gives all of it back when it is dropped.
#[test]
fn memory_returns() {
    assert!(!shapes().is_empty(), "they are made once, and stay");
    let mut held = [0; 12];
    let start = live_bytes();
    let mut world = World::new();
    world.add_body(BodyDesc::fixed().collider(Shape::half_space(Vec3::Y, 0.0).unwrap())).unwrap();
    for round in &mut held {
        let ids: Vec<BodyId> = (0..200)
            .map(|i| {
                let shape = shapes()[i % 8].0.clone();
                let at = [(i % 6) as f64 * 0.5, 0.5 + (i / 36) as f64 * 0.6, (i / 6 % 6) as f64 * 0.5];
                let desc = ColliderDesc::new(shape).friction(0.25).density(100.0);
                world.add_body(BodyDesc::dynamic().position(at).collider(desc)).unwrap()
            })
            .collect();
        for pair in ids.chunks_exact(2).step_by(3) {
            world.add_joint(JointDesc::ball(pair[0], pair[1])).unwrap();
            world.add_effect(EffectDesc::spring(pair[0], pair[1], Spring::new(1.0, 20.0))).unwrap();
        }
        let mut touching = 0;
        for _ in 0..10 {
            world.step(1.0 / 60.0).unwrap();
            touching = touching.max(world.contacts().count());
        }
        assert!(touching > 200, "{touching}: too quiet");
        for id in ids {
            world.remove_body(id).unwrap();
        }
        world.step(1.0 / 60.0).unwrap();
        assert_eq!((world.joint_count(), world.effect_count(), world.contacts().count()), (0, 0, 0));
        *round = live_bytes() - start;
    }
    drop(world);
    assert_eq!(live_bytes(), start);
    println!("bytes held after each round: {held:?}");
    // The first rounds fill lists to the size that they need, and one of them may still double later. What 200 bodies take, lost in each of
    // eight rounds, would be most of it.
    assert!(held[11] <= held[3] + held[3] / 4, "{held:?}");
}

/// Memory returns: adding and removing a thousand bodies again and again uses the same slots.
#[test]
fn slots_are_used_again() {
    let mut world = World::new();
    let mut seen = BTreeSet::new();
    for round in 0..20 {
        let ids: Vec<BodyId> = (0..1000)
            .map(|i| {
                let shape = shapes()[i % 6].0.clone();
                let at = [(i % 10) as f64 * 3.0, (i / 10 % 10) as f64 * 3.0, (i / 100) as f64 * 3.0];
                let desc = BodyDesc::dynamic().position(at).collider(ColliderDesc::new(shape).friction(0.25));
                world.add_body(desc).unwrap()
            })
            .collect();
        for &id in &ids {
            assert!(seen.insert(id), "{id} is used again");
            assert!(id.index() <= 1000, "round {round}: {id}");
            let c = world.body(id).unwrap().colliders().next().unwrap();
            let m = world.collider(c).unwrap().material(0);
            assert!(c.index() < 1000 && m.index() <= 1000, "round {round}: {c}, {m}");
        }
        world.step(1.0 / 60.0).unwrap();
        for &id in &ids {
            world.remove_body(id).unwrap();
        }
        assert_eq!((world.body_count(), world.collider_count(), world.awake_count()), (0, 0, 0));
        world.step(1.0 / 60.0).unwrap();
    }
}

/// The model is worth something: a world that is changed behind its back is found out.
#[test]
fn a_difference_is_found() {
    let mut pair = Pair::new(Seen::default());
    let mut random = Random(5);
    while pair.model.colliders.len() < 3 {
        pair.add_body(&mut random);
    }
    pair.check();
    let spoil: [fn(&mut World); 5] = [
        |w| {
            w.add_body(BodyDesc::dynamic()).unwrap();
        },
        |w| {
            let id = w.body_ids().last().unwrap();
            w.remove_body(id).unwrap();
        },
        |w| {
            let id = w.collider_ids().next().unwrap();
            w.remove_collider(id).unwrap();
        },
        |w| {
            let id = w.body_ids().next().unwrap();
            let kind =
                if w.body(id).unwrap().kind() == BodyKind::Fixed { BodyKind::Kinematic } else { BodyKind::Fixed };
            w.body_mut(id).unwrap().set_kind(kind).unwrap();
        },
        |w| w.step(0.1).unwrap(),
    ];
    for edit in spoil {
        let mut spoilt = Pair { world: pair.world.clone(), model: pair.model.clone(), ..Pair::new(pair.seen) };
        edit(&mut spoilt.world);
        assert!(catch_unwind(AssertUnwindSafe(|| spoilt.check())).is_err());
    }
}
