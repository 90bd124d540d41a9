//! Snapshots that were altered on purpose, and carry the checksum of what they became.

use super::envelope;
use super::parts::Part;
use super::stream::Sink;
use crate::articulation::{ArticulationDesc, LinkDesc};
use crate::force::{Spring, Uniform};
use crate::math::{Pose, Real, Vec3};
use crate::shape::{CompoundChild, MeshDesc, Shape};
use crate::{BodyDesc, EffectDesc, JointDesc, Material, QueryFilter, RayCast, World};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

const DT: Real = 1.0 / 60.0;

/// A world with a bit of everything that a snapshot holds.
pub(super) fn world() -> World {
    let mut world = World::new();
    let floor = [(-9.0, -9.0), (-9.0, 9.0), (9.0, 9.0), (9.0, -9.0)].map(|(x, z)| Vec3::new(x, 0.0, z)).to_vec();
    let floor = MeshDesc::new(floor, vec![[0, 1, 2], [0, 2, 3]]);
    world.add_body(BodyDesc::fixed().collider(Shape::mesh(floor).unwrap())).unwrap();
    let ball = Shape::sphere(0.3).unwrap();
    let corners: Vec<Vec3> =
        (0..8).map(|i| Vec3::new((i & 1) as Real, (i >> 1 & 1) as Real, (i >> 2) as Real)).collect();
    let pair = vec![
        CompoundChild::new(ball.clone(), Pose::IDENTITY),
        CompoundChild::new(ball.clone(), Pose::from_translation(Vec3::X)),
    ];
    let shapes = [
        ball,
        Shape::cuboid(0.3, 0.3, 0.3).unwrap(),
        Shape::capsule(0.2, 0.3).unwrap(),
        Shape::cylinder(0.3, 0.3).unwrap(),
        Shape::hull(&corners).unwrap(),
        Shape::compound(pair).unwrap(),
    ];
    let rough = world.add_material(Material::default().with_friction(0.9)).unwrap();
    let mut ids = Vec::new();
    for (i, shape) in shapes.into_iter().enumerate() {
        let body = BodyDesc::dynamic().position([1.5 * i as f64 - 4.0, 0.8, 0.0]).name(format!("body {i}"));
        let collider = crate::ColliderDesc::new(shape).material(rough);
        ids.push(world.add_body(body.collider(collider)).unwrap());
    }
    world.add_joint(JointDesc::ball(ids[0], ids[1])).unwrap();
    world.add_joint(JointDesc::hinge(ids[2], ids[3]).axis([0.0, 0.0, 1.0])).unwrap();
    world.add_effect(EffectDesc::spring(ids[4], ids[5], Spring::new(1.0, 20.0))).unwrap();
    world.add_effect(EffectDesc::new(Uniform::new([0.1, 0.0, 0.0]))).unwrap();
    let mut chain = ArticulationDesc::new();
    for i in 0..3 {
        let rod = BodyDesc::dynamic().collider(Shape::capsule(0.1, 0.05).unwrap());
        let link = LinkDesc::revolute(rod, [0.0, 0.0, 1.0]).anchor([0.0, 0.2, 0.0]);
        chain.add(if i == 0 {
            link.at([0.0, 6.0, 3.0]).position(&[0.3])
        } else {
            link.parent(i - 1).at([0.0, -0.2, 0.0])
        });
    }
    world.add_articulation(chain).unwrap();
    for _ in 0..40 {
        world.step(DT).unwrap();
    }
    world.remove_body(ids[1]).unwrap();
    world
}

fn random(state: &mut u64) -> usize {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    (*state >> 11) as usize
}

/// What a hostile file can hold: any payload whatever, with a checksum that fits. It is refused, or makes a world that steps, answers, can
/// be edited and saved; nothing panics, on one thread or on two, which go by the places of the parts.
#[test]
fn forged_snapshots_do_no_harm() {
    let whole = world().snapshot().unwrap();
    let envelope::Opened { payload, parts, .. } = envelope::open(&whole).unwrap();
    let pool = Arc::new(rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap());
    let mut seed = 88_172_645_463_325_252;
    let (mut taken, mut refused, mut bad) = (0, 0, Vec::new());
    for round in 0..20_000 {
        let mut bytes = payload.to_vec();
        for _ in 0..1 + random(&mut seed) % 3 {
            let at = random(&mut seed) % bytes.len();
            match random(&mut seed) % 5 {
                0 => bytes[at] ^= 1 << (random(&mut seed) % 8),
                1 => bytes[at] = random(&mut seed) as u8,
                2 => bytes.truncate(at.max(1)),
                _ => {
                    let words =
                        [u32::MAX, 0, 1, f32::NAN.to_bits(), f32::INFINITY.to_bits(), 1e30_f32.to_bits(), 0x7FFF_FFFF];
                    let word = words[random(&mut seed) % words.len()].to_le_bytes();
                    for (b, w) in bytes.iter_mut().skip(at & !3).zip(word) {
                        *b = w;
                    }
                }
            }
        }
        let mut forged = Vec::new();
        let mut places = parts;
        if round % 8 == 0 {
            let part = Part::ALL[random(&mut seed) % Part::COUNT];
            let core::ops::Range { start, end } = parts.range(part);
            let [before, after] = [(); 2].map(|()| random(&mut seed) % 3 * 4);
            places.put(part, start.saturating_sub(before)..end + after);
        }
        if round % 16 == 1 {
            for _ in 0..1 + random(&mut seed) % 3 {
                let [a, b] = [(); 2].map(|()| random(&mut seed) % (bytes.len() + 2));
                places.put(Part::ALL[random(&mut seed) % Part::COUNT], a.min(b)..a.max(b));
            }
        }
        envelope::wrap(&mut forged, |out| {
            out.bytes(&bytes);
            out.parts = places;
        });
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            let mut world = World::new();
            world.set_thread_pool((round % 2 == 0).then(|| pool.clone()));
            if world.restore(&forged).is_err() {
                return false;
            }
            for _ in 0..3 {
                match world.step(DT) {
                    Ok(()) => {}
                    // A panic that the step caught is one all the same.
                    Err(error) if error.to_string().contains("panicked") => panic!("{error}"),
                    Err(_) => break,
                }
            }
            world.cast_ray(&RayCast::new([0.0, 5.0, 0.0], [0.0, -1.0, 0.0], 10.0), &QueryFilter::default()).ok();
            let _ = (world.hash(), world.measure(), world.snapshot().unwrap().len(), world.contacts().count());
            if let Some(id) = world.body_ids().last() {
                world.remove_body(id).ok();
            }
            world.step(DT).ok();
            true
        }));
        match outcome {
            Ok(true) => taken += 1,
            Ok(false) => refused += 1,
            Err(_) => bad.push(round),
        }
    }
    println!("{taken} taken, {refused} refused");
    assert!(bad.is_empty(), "these made it panic: {bad:?}");
    assert!(taken > 100 && refused > 100, "{taken} taken, {refused} refused");
}

/// A ball that lies on the floor and a kinematic body that is joined to the world, awake.
fn touching() -> (World, crate::BodyId) {
    let mut world = World::new();
    world.add_body(BodyDesc::fixed().collider(Shape::half_space(Vec3::Y, 0.0).unwrap())).unwrap();
    for x in [0.0, 3.0] {
        let ball = BodyDesc::dynamic().position([x, 0.3, 0.0]).collider(Shape::sphere(0.3).unwrap());
        world.add_body(ball).unwrap();
    }
    let moved = world.add_body(BodyDesc::dynamic().position([9.0, 9.0, 0.0])).unwrap();
    world.add_joint(JointDesc::ball(World::BODY, moved)).unwrap();
    world.body_mut(moved).unwrap().set_kind(crate::BodyKind::Kinematic).unwrap();
    for _ in 0..3 {
        world.step(DT).unwrap();
    }
    assert!(World::from_snapshot(&world.snapshot().unwrap()).is_ok());
    (world, moved)
}

/// The world says of itself what cannot be.
fn is_refused(world: &World) -> bool {
    World::from_snapshot(&world.snapshot().unwrap()).is_err()
}

/// A name that many materials shared in a snapshot would be copied for each of them: a small forged file could ask for any amount of memory.
#[test]
fn names_of_materials_take_as_much_in_a_file_as_in_memory() {
    let mut world = World::new();
    let name = "long ".repeat(20_000);
    let ids =
        [(); 5].map(|()| world.add_material(Material { name: Some(name.clone()), ..Material::default() }).unwrap());
    let snapshot = world.snapshot().unwrap();
    assert!(snapshot.len() > ids.len() * name.len());
    let again = World::from_snapshot(&snapshot).unwrap();
    for id in ids {
        assert_eq!(again.material(id).unwrap(), world.material(id).unwrap());
    }
}

/// Waking goes from one sleeper to the next: what does not sleep and says so would wake its neighbour, and that one it, for ever.
#[test]
fn sleepers_that_cannot_sleep_are_refused() {
    let (mut world, moved) = touching();
    for slot in [World::BODY.index(), moved.index()] {
        world.state.bodies.cold.at_mut(slot).unwrap().asleep = true;
    }
    assert!(is_refused(&world));
}

/// A contact that does not touch has no manifolds, one that touches has some, and of one that sleeps none is solved: manifolds are freed, and leave the
/// graph, when a contact ends that touches.
#[test]
fn manifolds_of_what_does_not_touch_are_refused() {
    use crate::constraint::contact::{Contact, NONE};
    let of_first = |change: &dyn Fn(&mut World, usize)| {
        let (mut world, _) = touching();
        let first = world.state.contacts.all.iter().position(|c| c.has(Contact::TOUCHING)).unwrap();
        change(&mut world, first);
        is_refused(&world)
    };
    assert!(!of_first(&|_, _| ()));
    assert!(of_first(&|world, first| world.state.contacts.all[first].flags &= !Contact::TOUCHING));
    assert!(of_first(&|world, first| world.state.contacts.all[first].manifolds = NONE));
    assert!(of_first(&|world, first| {
        let awake = world.state.contacts.all[first].awake;
        world.state.contacts.awake.swap_remove(awake as usize);
    }));
}

/// What lies on each other is of one island: steps go by islands, and follow contacts within them.
#[test]
fn contacts_across_islands_are_refused() {
    let mut world = World::new();
    world.add_body(BodyDesc::fixed().collider(Shape::half_space(Vec3::Y, 0.0).unwrap())).unwrap();
    let cube = Shape::cuboid(0.5, 0.5, 0.5).unwrap();
    let ids = [[0.0, 0.5], [0.0, 1.5], [50.0, 50.0]].map(|[x, y]| {
        world.add_body(BodyDesc::dynamic().position([x, y, 0.0]).collider(cube.clone())).unwrap().index()
    });
    for _ in 0..3 {
        world.step(DT).unwrap();
    }
    assert!(!is_refused(&world));
    // The upper one moves to the island of the one far away, and all lists agree.
    let [lower, upper, far] = ids;
    let islands = &mut world.state.islands;
    islands.remove(upper);
    islands.add(upper);
    islands.link(upper, far);
    assert!(islands.of(upper) == islands.of(far) && islands.of(lower) != islands.of(far));
    assert!(is_refused(&world));
}

/// What is free leads nowhere.
#[test]
fn free_islands_and_manifolds_lead_nowhere() {
    let (mut world, moved) = touching();
    world.body_mut(moved).unwrap().set_kind(crate::BodyKind::Dynamic).unwrap();
    world.remove_body(moved).unwrap();
    let islands = &mut world.state.islands.all;
    let free = islands.iter_mut().find(|island| island.count == 0).unwrap();
    free.first = u32::MAX - 1;
    assert!(is_refused(&world));

    let (mut world, _) = touching();
    let ball = world.body_ids().find(|&id| world.body(id).unwrap().position().x > 2.0).unwrap();
    world.remove_body(ball).unwrap();
    let manifolds = &mut world.state.contacts.manifolds;
    let manifold = manifolds.iter_mut().find(|m| m.contact == crate::constraint::contact::NONE).unwrap();
    (manifold.contact, manifold.point_count) = (0, 255);
    if let Ok(loaded) = World::from_snapshot(&world.snapshot().unwrap()) {
        assert!(loaded.deepest_overlap() < 1.0);
    }
}
