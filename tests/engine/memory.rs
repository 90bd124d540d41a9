//! How much memory a world takes, and that what bodies share is each one's own all the same.

use crate::support::{allocations, awake, live_bytes, scene};
use tumble::math::{Pose, Real, Vec3};
use tumble::shape::Shape;
use tumble::{BodyDesc, BodyId, Layers, MassSource, Method, World};

/// A box in a pile takes what is written here, with its contacts and all that a step works with; a tenth more than it does, so that one array more for each body or contact is told.
/// (The driver of the benchmarks measures what the system has given to the process, which is less: arrays have room in which nothing stands yet.)
#[test]
fn a_box_in_a_pile_takes_little_memory() {
    let start = live_bytes();
    let mut world = scene("falling-boxes", &[("boxes", 1000.0)], awake(Method::soft_step()));
    world.set_keep_start(false);
    for _ in 0..120 {
        world.step(1.0 / 60.0).unwrap();
    }
    let (boxes, contacts) = (world.body_count() as f64, world.contacts().count() as f64);
    let bytes = (live_bytes() - start) as f64 / boxes;
    println!("{bytes:.0} bytes for each box, of {:.2} contacts", contacts / boxes);
    assert!(contacts > boxes, "a pile");
    // Numbers are twice as long in f64, indices are not.
    let most = 2300.0 * size_of::<Real>() as f64 / 4.0;
    assert!(bytes < most, "{bytes} bytes");
}

fn boxes(world: &mut World, count: u32) -> Vec<BodyId> {
    let cube = Shape::cuboid(0.5, 0.5, 0.5).unwrap();
    let at = |i: u32| [f64::from(i % 10) * 0.9, 0.5 + f64::from(i / 10), 0.0];
    (0..count).map(|i| world.add_body(BodyDesc::dynamic().position(at(i)).collider(cube.clone())).unwrap()).collect()
}

/// Room that is made ahead changes nothing but how often a world asks for memory.
#[test]
fn reserved_room_changes_no_bit() {
    let build = |reserve: bool| {
        let mut world = World::new();
        world.set_keep_start(false);
        if reserve {
            world.reserve(200);
        }
        let before = allocations();
        boxes(&mut world, 200);
        let asked = allocations() - before;
        for _ in 0..30 {
            world.step(1.0 / 60.0).unwrap();
        }
        (world.hash(), asked)
    };
    let (plain, reserved) = (build(false), build(true));
    assert_eq!(plain.0, reserved.0);
    assert!(reserved.1 + 50 < plain.1, "{} and {} times", reserved.1, plain.1);
}

/// Bodies that are alike share what they have in common, and each can be changed by itself.
#[test]
fn what_is_shared_is_changed_for_one_alone() {
    let mut world = World::new();
    let ids = boxes(&mut world, 3);
    let colliders: Vec<_> = ids.iter().map(|&id| world.body(id).unwrap().colliders().next().unwrap()).collect();
    let (changed, others) = (1, [0, 2]);
    world.body_mut(ids[changed]).unwrap().set_mass(MassSource::Total(5.0)).unwrap();
    let shift = Pose::from_translation(Vec3::new(0.0, 0.25, 0.0));
    world.set_collider_pose(colliders[changed], shift).unwrap();
    world.set_collider_layers(colliders[changed], Layers { member: 2, meets: 2 }).unwrap();
    world.set_collider_impact_speed(colliders[changed], 3.0).unwrap();
    world.set_collider_sensor(colliders[changed], true).unwrap();
    let of = |i: usize| {
        let (body, collider) = (world.body(ids[i]).unwrap(), world.collider(colliders[i]).unwrap());
        (body.mass(), collider.local_pose(), collider.layers(), collider.is_sensor())
    };
    for i in others {
        assert_eq!(of(i), (1000.0, Pose::IDENTITY, Layers::default(), false), "box {i}");
    }
    assert_eq!(of(changed).1, shift);
    assert!(of(changed).3 && of(changed).0 != 1000.0);
    // A given mass stays what was given when the body is no longer dynamic, and comes back with it.
    let given = world.body(ids[0]).unwrap().mass_properties().unwrap().scaled_to_mass(7.0).unwrap();
    let mut body = world.body_mut(ids[0]).unwrap();
    body.set_mass(MassSource::Explicit(given)).unwrap();
    body.set_kind(tumble::BodyKind::Fixed).unwrap();
    body.set_kind(tumble::BodyKind::Dynamic).unwrap();
    assert_eq!(world.body(ids[0]).unwrap().mass_properties(), Some(given));
    assert_eq!(world.body(ids[2]).unwrap().mass(), 1000.0);
}
