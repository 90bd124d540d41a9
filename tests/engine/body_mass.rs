//! Mass of bodies from their colliders and otherwise, and the user's frame against the centre of mass: 003-14, 003-29.

use crate::support::{
    Random, assert_near, assert_same_mass, ballistic, eps, floating, lopsided, mass_about_origin, real,
};
use std::sync::Arc;
use std::time::Instant;
use tumble::math::{Float, Pose, Quat, Real, Sym3, Vec3, WorldPose};
use tumble::shape::{CompoundChild, Geometry, MassProperties, Shape};
use tumble::{BodyDesc, BodyId, BodyKind, ColliderDesc, ColliderId, Integrate, MassSource, Material, World};

const DT: Real = 1.0 / 64.0;

fn mass_of(world: &World, id: BodyId) -> MassProperties {
    world.body(id).unwrap().mass_properties().unwrap()
}

/// What the colliders of a body weigh together, by the other route.
fn summed(world: &World, id: BodyId, density: impl Fn(ColliderId) -> f64) -> MassProperties {
    let parts: Vec<_> = world
        .body(id)
        .unwrap()
        .colliders()
        .map(|c| {
            let collider = world.collider(c).unwrap();
            (collider.shape().mass_properties(density(c)).unwrap(), collider.local_pose())
        })
        .collect();
    mass_about_origin(&parts)
}

/// A body whose frame is not its centre of mass: its centre flies on the parabola, its frame turns about the centre, and the
/// frame never loses its place in the body.
#[test]
fn off_centre_body_flies_on_the_parabola_of_its_centre() {
    let mut world = ballistic(Integrate::SemiImplicitEuler);
    world.set_gravity([0.0, -8.0, 0.0]).unwrap();
    let desc = lopsided().position([1.0, 2.0, 3.0]).turned([1.0, 1.0, 0.0], 0.5);
    let id = world.add_body(desc.linear_velocity([2.0, 3.0, 0.0]).angular_velocity([1.0, 4.0, -2.0])).unwrap();
    let local = mass_of(&world, id).centre;
    assert!(local.length() > 0.1, "the test is about bodies off their centre");
    let body = world.body(id).unwrap();
    let (c0, v0) = (body.centre_of_mass(), body.centre_velocity().to_f64());
    assert_near("centre", c0, body.position() + body.rotation().to_f64().rotate(local), 4.0 * eps());
    for n in 1..=256 {
        world.step(DT).unwrap();
        let (body, t) = (world.body(id).unwrap(), DT.to_f64() * f64::from(n));
        // Semi-implicit Euler is ahead by g t dt/2 (T2).
        let fallen = Vec3::new(0.0, -8.0 * t * (t + DT.to_f64()) / 2.0, 0.0);
        assert_near("parabola", body.centre_of_mass(), c0 + v0 * t + fallen, 16.0 * eps() * (1.0 + t) * f64::from(n));
        let frame = body.centre_of_mass() - body.rotation().to_f64().rotate(local);
        assert_near("frame", body.position(), frame, 8.0 * eps());
    }
}

/// What is set in the user's frame is read back in the user's frame.
#[test]
fn poses_and_velocities_round_trip_in_the_users_frame() {
    let mut random = Random(21);
    let mut world = floating(Integrate::SemiImplicitEuler);
    let (at, rotation) = (random.vector(9.0), random.rotation());
    let (v, w) = (random.vector(3.0), random.vector(3.0));
    let desc = lopsided().position(at).rotation(rotation).linear_velocity(v).angular_velocity(w);
    let id = world.add_body(desc).unwrap();
    let check = |world: &World, at: Vec3, rotation: Quat, v: Vec3, w: Vec3| {
        let body = world.body(id).unwrap();
        assert_near("position", body.position(), at.to_f64(), 8.0 * f64::EPSILON * 9.0);
        assert!(body.rotation().angle_to(rotation) < 4.0 * Real::EPSILON);
        assert_near("velocity", body.linear_velocity().to_f64(), v.to_f64(), 16.0 * eps() * 3.0);
        assert_eq!(body.angular_velocity(), w);
        let centre = body.rotation().to_f64().rotate(mass_of(world, id).centre);
        let moved = v.to_f64() + w.to_f64().cross(centre);
        assert_near("centre", body.centre_velocity().to_f64(), moved, 16.0 * eps() * 3.0);
    };
    check(&world, at, rotation, v, w);
    for _ in 0..100 {
        let (at, rotation) = (random.vector(9.0), random.rotation());
        let (v, w) = (random.vector(3.0), random.vector(3.0));
        let mut body = world.body_mut(id).unwrap();
        body.set_pose(WorldPose::new(at, rotation)).unwrap();
        body.set_velocity(v, w).unwrap();
        check(&world, at, rotation, v, w);

        let (at2, v2, w2) = (random.vector(9.0), random.vector(3.0), random.vector(3.0));
        world.body_mut(id).unwrap().set_position(at2).unwrap();
        world.body_mut(id).unwrap().set_linear_velocity(v2).unwrap();
        check(&world, at2, rotation, v2, w);
        world.body_mut(id).unwrap().set_angular_velocity(w2).unwrap();
        check(&world, at2, rotation, v2, w2);
        let rotation2 = random.rotation();
        world.body_mut(id).unwrap().set_rotation(rotation2).unwrap();
        // The centre keeps its velocity when the body is turned, so the origin, elsewhere now, gets another.
        world.body_mut(id).unwrap().set_linear_velocity(v2).unwrap();
        check(&world, at2, rotation2, v2, w2);
    }
}

/// Far from the origin the frame keeps its place to the rounding of f64.
#[test]
fn round_trips_at_a_hundred_kilometres() {
    let mut world = floating(Integrate::SemiImplicitEuler);
    let at = Vec3::new(1.0e5 + 0.123_456_789, -9.0e4, 7.0e4);
    let id = world.add_body(lopsided().position(at)).unwrap();
    assert_near("position", world.body(id).unwrap().position(), at, 2e-11);
    world.body_mut(id).unwrap().set_velocity([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]).unwrap();
    let start = world.body(id).unwrap().centre_of_mass();
    let v = world.body(id).unwrap().centre_velocity().to_f64();
    for _ in 0..1000 {
        world.step(DT).unwrap();
    }
    let t = 1000.0 * DT.to_f64();
    assert_near("centre", world.body(id).unwrap().centre_of_mass(), start + v * t, 1e-8);
}

/// 003-14: the mass of several colliders is the sum of their masses, each rotated, shifted and of its own density.
#[test]
fn several_colliders_sum_up() {
    let mut random = Random(22);
    for _ in 0..50 {
        let mut world = World::new();
        let mut desc = BodyDesc::dynamic();
        let mut densities = Vec::new();
        for _ in 0..1 + random.below(5) {
            let density = real(random.between(10.0, 5000.0));
            densities.push(density.to_f64());
            desc = desc.collider(random_collider(&mut random).density(density));
        }
        let id = world.add_body(desc).unwrap();
        let order: Vec<ColliderId> = world.body(id).unwrap().colliders().collect();
        let expected = summed(&world, id, |c| densities[order.iter().position(|&o| o == c).unwrap()]);
        // Poses are given in the precision of the crate and squared lengths of turned axes err by as much.
        assert_same_mass("sum", &mass_of(&world, id), &expected, 1e-10);
    }
}

fn random_collider(random: &mut Random) -> ColliderDesc {
    let mut size = || real(random.between(0.05, 0.6));
    let (a, b, c) = (size(), size(), size());
    let shape = match random.below(5) {
        0 => Shape::sphere(a),
        1 => Shape::cuboid(a, b, c),
        2 => Shape::capsule(a, b),
        3 => Shape::cylinder(a, b),
        _ => Shape::cone(a, b),
    };
    ColliderDesc::new(shape.unwrap()).at(random.vector(2.0)).rotation(random.rotation())
}

/// A raft of three hundred boxes in one body falls on the ground, on which all of them land, and comes to rest there like one box.
#[test]
fn three_hundred_colliders_land() {
    let mut world = World::new();
    world.add_body(BodyDesc::fixed().collider(Shape::half_space(Vec3::Y, 0.0).unwrap())).unwrap();
    let mut raft = BodyDesc::dynamic().position([0.0, 0.5, 0.0]).turned([1.0, 0.0, 0.3], 0.1);
    let crate_ = Shape::cuboid(0.1, 0.1, 0.1).unwrap();
    for i in 0..300 {
        let place = Vec3::new(0.2 * ((i % 20) as f64 - 9.5), 0.0, 0.2 * ((i / 20) as f64 - 7.0)).to_real();
        raft = raft.collider(ColliderDesc::new(crate_.clone()).pose(Pose::from_translation(place)));
    }
    let raft = world.add_body(raft).unwrap();
    let mut most = 0;
    for _ in 0..180 {
        world.step(DT).unwrap();
        most = most.max(world.profile().contacts);
    }
    let body = world.body(raft).unwrap();
    assert!(most >= 300, "{most} contacts");
    assert!((body.position().y - 0.1).abs() < 0.01 && body.linear_velocity().length() < 0.01, "{}", body.position().y);
}

/// Colliders and worlds share a shape: there is one hull for all of them, and it goes when the last of them goes.
#[test]
fn shapes_are_shared() {
    let mut random = Random(3);
    let cloud: Vec<Vec3> = (0..100).map(|_| random.vector(1.0)).collect();
    let Ok(Shape::Hull(hull)) = Shape::hull(&cloud) else { panic!("a cloud has a hull") };
    let mut worlds = [World::new(), World::new()];
    for world in &mut worlds {
        for _ in 0..3 {
            let rock = Shape::Hull(Arc::clone(&hull));
            world.add_body(BodyDesc::dynamic().collider(rock.clone()).collider(rock)).unwrap();
        }
    }
    let everywhere = Arc::strong_count(&hull);
    for world in &worlds {
        for id in world.collider_ids() {
            let Shape::Hull(own) = world.collider(id).unwrap().shape() else { panic!("it was a hull") };
            assert!(Arc::ptr_eq(own, &hull));
        }
    }
    assert!(everywhere >= 13, "{everywhere}");
    drop(worlds);
    assert_eq!(Arc::strong_count(&hull), 1);
}

/// Five hundred colliders on one body, added and removed one by one: the mass is the sum at all times, the frame and the
/// motion stay, and nothing is left behind. (Each edit sums over all colliders, some 10 µs for 500.)
#[test]
fn five_hundred_colliders() {
    let clock = Instant::now();
    let mut random = Random(23);
    let mut world = floating(Integrate::SemiImplicitEuler);
    let desc = BodyDesc::dynamic().position([1.0, 2.0, 3.0]).angular_velocity([0.1, 0.2, -0.1]);
    let id = world.add_body(desc.linear_velocity([1.0, 0.0, 0.0])).unwrap();
    let mut ids = Vec::new();
    for n in 1..=500 {
        ids.push(world.add_collider(id, random_collider(&mut random)).unwrap());
        if n % 50 == 0 {
            let expected = summed(&world, id, |_| Material::default().density.to_f64());
            assert_same_mass("growing", &mass_of(&world, id), &expected, 1e-10);
        }
    }
    assert_eq!((world.collider_count(), world.body(id).unwrap().colliders().count()), (500, 500));
    assert_eq!(world.body(id).unwrap().colliders().collect::<Vec<_>>(), ids, "in the order of their addition");
    let body = world.body(id).unwrap();
    assert_near("frame", body.position(), Vec3::new(1.0, 2.0, 3.0), 500.0 * f64::EPSILON);
    // Every edit moves the centre of mass and rounds its velocity.
    assert_near("motion", body.linear_velocity().to_f64(), Vec3::new(1.0, 0.0, 0.0), 500.0 * eps());
    while ids.len() > 1 {
        let c = ids.swap_remove(random.below(ids.len()));
        world.remove_collider(c).unwrap();
        assert!(world.collider(c).is_err());
        if ids.len() % 50 == 0 {
            let expected = summed(&world, id, |_| Material::default().density.to_f64());
            assert_same_mass("shrinking", &mass_of(&world, id), &expected, 1e-10);
        }
    }
    world.remove_collider(ids[0]).unwrap();
    assert_eq!((world.collider_count(), mass_of(&world, id).mass), (0, 1.0), "without colliders 1 kg");

    let mut desc = BodyDesc::dynamic();
    for _ in 0..500 {
        desc = desc.collider(random_collider(&mut random));
    }
    let at_once = world.add_body(desc).unwrap();
    assert_eq!(world.collider_count(), 500);
    world.remove_body(at_once).unwrap();
    assert_eq!((world.collider_count(), world.body_count()), (0, 1));
    let took = clock.elapsed();
    println!("500 colliders added and removed, twice: {took:?}");
    // Half a minute would be what recomputing hulls or trees at each edit costs; the sums take well below a tenth of this.
    assert!(took.as_secs_f64() < 5.0, "{took:?}");
}

/// Where the mass comes from can be changed at any time: colliders, colliders scaled, given, another shape.
#[test]
fn mass_sources() {
    let mut world = floating(Integrate::SemiImplicitEuler);
    let id = world.add_body(lopsided().linear_velocity([1.0, 0.0, 0.0]).angular_velocity([0.0, 1.0, 0.0])).unwrap();
    let of_colliders = mass_of(&world, id);
    let unchanged = |world: &World| {
        let body = world.body(id).unwrap();
        assert_near("frame", body.position(), Vec3::ZERO, 8.0 * f64::EPSILON);
        assert_near("motion", body.linear_velocity().to_f64(), Vec3::X, 16.0 * eps());
        assert_eq!(body.angular_velocity(), Vec3::Y);
    };
    let densities = [500.0, 2000.0];
    let order: Vec<ColliderId> = world.body(id).unwrap().colliders().collect();
    let expected = summed(&world, id, |c| densities[order.iter().position(|&o| o == c).unwrap()]);
    assert_same_mass("colliders", &of_colliders, &expected, 1e-10);

    world.body_mut(id).unwrap().set_mass(MassSource::Total(3.0)).unwrap();
    let scaled = MassProperties { mass: 3.0, inertia: expected.inertia * (3.0 / expected.mass), ..expected };
    assert_same_mass("total", &mass_of(&world, id), &scaled, 1e-10);
    unchanged(&world);

    let given = MassProperties {
        mass: 5.0,
        centre: Vec3::new(0.1, -0.2, 0.3),
        inertia: Sym3 { xx: 1.0, yy: 1.5, zz: 2.0, xy: 0.1, xz: -0.2, yz: 0.3 },
    };
    world.body_mut(id).unwrap().set_mass(MassSource::Explicit(given)).unwrap();
    assert_eq!(mass_of(&world, id), given);
    assert_near("centre", world.body(id).unwrap().centre_of_mass(), given.centre, 4.0 * eps());
    unchanged(&world);

    let (ball, pose) = (Shape::sphere(0.5).unwrap(), Pose::from_translation(Vec3::new(0.0, -1.0, 0.0)));
    world.body_mut(id).unwrap().set_mass(MassSource::Shape(ball.clone(), pose, 100.0)).unwrap();
    let expected = mass_about_origin(&[(ball.mass_properties(100.0).unwrap(), pose)]);
    assert_same_mass("another shape", &mass_of(&world, id), &expected, 1e-10);
    unchanged(&world);
    // Its colliders do not weigh now.
    world.add_collider(id, Shape::sphere(1.0).unwrap()).unwrap();
    assert_same_mass("another shape", &mass_of(&world, id), &expected, 1e-10);

    world.body_mut(id).unwrap().set_mass(MassSource::Colliders).unwrap();
    assert!(mass_of(&world, id).mass > of_colliders.mass + 4000.0, "with the new collider");
    unchanged(&world);
}

/// The density of a shared material is that of every collider that uses it and has none of its own; changing it changes
/// their bodies' masses, whatever their kind, and leaves others alone.
#[test]
fn density_of_a_shared_material() {
    let mut world = World::new();
    let wood = world.add_material(Material { density: 500.0, ..Material::default() }).unwrap();
    let cube = || ColliderDesc::new(Shape::cuboid(0.5, 0.5, 0.5).unwrap());
    let add = |world: &mut World, kind: BodyKind, c: ColliderDesc| {
        world.add_body(BodyDesc { kind, ..BodyDesc::dynamic().collider(c) }).unwrap()
    };
    let bodies = [
        (add(&mut world, BodyKind::Dynamic, cube().material(wood)), 500.0, 250.0),
        (add(&mut world, BodyKind::Kinematic, cube().material(wood)), 500.0, 250.0),
        (add(&mut world, BodyKind::Dynamic, cube().material(wood).density(7.0)), 7.0, 7.0),
        (add(&mut world, BodyKind::Dynamic, cube()), 1000.0, 1000.0),
    ];
    let masses = |world: &World| bodies.map(|(id, ..)| mass_of(world, id).mass);
    assert_eq!(masses(&world), bodies.map(|b| b.1));
    world.set_material(wood, Material { density: 250.0, ..Material::default() }).unwrap();
    assert_eq!(masses(&world), bodies.map(|b| b.2));
    let default = Material { density: 2000.0, ..Material::default() };
    world.set_material(World::MATERIAL, default).unwrap();
    assert_eq!(masses(&world), [250.0, 250.0, 7.0, 2000.0], "colliders without a material follow the built-in one");
}

/// Shape, pose and role of a collider can be edited, and the mass follows.
#[test]
fn mass_follows_edits_of_colliders() {
    let mut world = World::new();
    let id = world.add_body(BodyDesc::dynamic().collider(Shape::cuboid(0.5, 0.5, 0.5).unwrap())).unwrap();
    let c =
        world.add_collider(id, ColliderDesc::new(Shape::cuboid(0.5, 0.5, 0.5).unwrap()).at([2.0, 0.0, 0.0])).unwrap();
    let (mass, centre) = (mass_of(&world, id).mass, mass_of(&world, id).centre);
    assert_eq!((mass, centre), (2000.0, Vec3::X));
    world.set_collider_pose(c, Pose::from_translation(Vec3::new(0.0, 4.0, 0.0))).unwrap();
    assert_eq!(mass_of(&world, id).centre, Vec3::new(0.0, 2.0, 0.0));
    world.set_collider_shape(c, Shape::cuboid(0.5, 0.5, 1.5).unwrap()).unwrap();
    assert_eq!((mass_of(&world, id).mass, mass_of(&world, id).centre.y), (4000.0, 3.0));
    world.set_collider_material(c, Material { density: 500.0, ..Material::default() }).unwrap();
    assert_eq!(mass_of(&world, id).mass, 2500.0);
    world.set_collider_sensor(c, true).unwrap();
    assert_eq!(mass_of(&world, id).mass, 1000.0, "a sensor weighs nothing");
    world.set_collider_sensor(c, false).unwrap();
    world.set_collider_collides(c, false).unwrap();
    assert_eq!(mass_of(&world, id).mass, 2500.0, "what does not collide still weighs");
    let sensor = ColliderDesc::new(Shape::cuboid(0.5, 0.5, 0.5).unwrap()).sensor(true).density(100.0);
    let s = world.add_collider(id, sensor).unwrap();
    assert_eq!(mass_of(&world, id).mass, 2600.0, "a sensor with a density of its own does weigh");
    world.remove_collider(s).unwrap();
    world.remove_collider(c).unwrap();
    assert_eq!((mass_of(&world, id).mass, mass_of(&world, id).centre), (1000.0, Vec3::ZERO));
}

/// A body without anything that weighs counts as 1 kg; shapes without volume give none; what is fixed tells what it would
/// weigh.
#[test]
fn bodies_without_mass_of_their_own() {
    let mut world = World::new();
    let bare = world.add_body(BodyDesc::dynamic()).unwrap();
    let plate = world.add_body(BodyDesc::dynamic().collider(Shape::rectangle(1.0, 1.0).unwrap())).unwrap();
    let ghost = world
        .add_body(BodyDesc::dynamic().collider(ColliderDesc::new(Shape::sphere(1.0).unwrap()).density(0.0)))
        .unwrap();
    for id in [bare, plate, ghost] {
        let m = mass_of(&world, id);
        assert_eq!((m.mass, m.centre, m.inertia), (1.0, Vec3::ZERO, Sym3::diagonal(Vec3::all(0.1))));
    }
    world.body_mut(bare).unwrap().set_mass(MassSource::Total(10.0)).unwrap();
    assert_eq!((mass_of(&world, bare).mass, mass_of(&world, bare).inertia.xx), (10.0, 1.0));
    let wall = world.add_body(BodyDesc::fixed().collider(Shape::cuboid(0.5, 0.5, 0.5).unwrap())).unwrap();
    assert_eq!(mass_of(&world, wall).mass, 1000.0);
    world.add_collider(wall, Shape::cuboid(0.5, 0.5, 0.5).unwrap()).unwrap();
    world.body_mut(wall).unwrap().set_kind(BodyKind::Dynamic).unwrap();
    assert_eq!(mass_of(&world, wall).mass, 2000.0);
}

/// An edit that leaves the centre of mass where it is does not move the body by a bit, however often.
#[test]
fn edits_do_not_walk_the_body_away() {
    let mut world = World::new();
    let id = world.add_body(lopsided().position([1.0 / 3.0, 1e6 / 7.0, 0.1]).turned([1.0, 2.0, 3.0], 1.0)).unwrap();
    let mass = mass_of(&world, id);
    world.body_mut(id).unwrap().set_mass(MassSource::Explicit(mass)).unwrap();
    let (pose, centre) = (world.body(id).unwrap().pose(), world.body(id).unwrap().centre_of_mass());
    for _ in 0..1000 {
        let c = world.add_collider(id, Shape::sphere(1.0).unwrap()).unwrap();
        world.remove_collider(c).unwrap();
    }
    assert_eq!((world.body(id).unwrap().pose(), world.body(id).unwrap().centre_of_mass()), (pose, centre));
}

/// 003-S21, 003-14: a table of five boxes as one compound, top and legs of different materials, equals the sum by hand and
/// the same boxes as five colliders; editing a material changes the part made of it.
#[test]
fn compound_weighs_by_the_materials_of_its_children() {
    let (top, leg) = (Shape::cuboid(1.0, 0.05, 0.5).unwrap(), Shape::cuboid(0.05, 0.4, 0.05).unwrap());
    let mut places = vec![(top, Vec3::new(0.0, 0.85, 0.0), 0)];
    for (x, z) in [(0.9, 0.4), (-0.9, 0.4), (0.9, -0.4), (-0.9, -0.4)] {
        places.push((leg.clone(), Vec3::new(x, 0.4, z), 1));
    }
    // The shift of the whole is added to the places in the precision of the crate; the sum about the origin cancels a bit.
    let rounding = 32.0 * eps();
    let mut world = World::new();
    let oak = world.add_material(Material { density: 700.0, ..Material::default() }).unwrap();
    let steel = world.add_material(Material { density: 7850.0, ..Material::default() }).unwrap();
    let children =
        places.iter().map(|(s, at, slot)| CompoundChild::new(s.clone(), Pose::from_translation(*at)).material(*slot));
    let compound = ColliderDesc::new(Shape::compound(children.collect()).unwrap())
        .materials(vec![oak.into(), steel.into()])
        .at([0.0, 1.0, 0.0]);
    let table = world.add_body(BodyDesc::dynamic().collider(compound.clone())).unwrap();
    let by_hand = |oak: f64, steel: f64| {
        let parts: Vec<_> = places
            .iter()
            .map(|(s, at, slot)| {
                let density = if *slot == 0 { oak } else { steel };
                (s.mass_properties(density).unwrap(), Pose::from_translation(*at + Vec3::Y))
            })
            .collect();
        mass_about_origin(&parts)
    };
    assert_same_mass("table", &mass_of(&world, table), &by_hand(700.0, 7850.0), rounding);
    assert!((mass_of(&world, table).mass - (140.0 + 4.0 * 62.8)).abs() < 1e-3, "0.2 m³ of oak, 4 × 8 dm³ of steel");
    let mut desc = BodyDesc::dynamic();
    for (s, at, slot) in &places {
        let material = if *slot == 0 { oak } else { steel };
        desc = desc.collider(ColliderDesc::new(s.clone()).at(*at + Vec3::Y).material(material));
    }
    let parts = world.add_body(desc).unwrap();
    assert_same_mass("parts", &mass_of(&world, parts), &mass_of(&world, table), rounding);

    world.set_material(steel, Material { density: 2700.0, ..Material::default() }).unwrap();
    assert_same_mass("aluminium legs", &mass_of(&world, table), &by_hand(700.0, 2700.0), rounding);
    world.remove_body(table).unwrap();
    let uniform = world.add_body(BodyDesc::dynamic().collider(compound.density(100.0))).unwrap();
    assert_same_mass("of one density", &mass_of(&world, uniform), &by_hand(100.0, 100.0), rounding);
}
