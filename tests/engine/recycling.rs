//! Contacts of pairs that barely moved are kept instead of being found anew.

use crate::random::Random;
use tumble::math::{Float, Pose, Quat, Real, Vec3};
use tumble::shape::{CompoundChild, HeightFieldDesc, MeshDesc, Shape, Sides};
use tumble::{BodyDesc, BodyId, BodyKind, ColliderDesc, Material, Method, World};

fn column(recycling: bool, reduction: bool) -> (World, Vec<BodyId>) {
    let mut method = Method::soft_step();
    method.switches.sleep = false;
    method.switches.recycling = recycling;
    method.switches.reduction = reduction;
    let mut world = World::with_method(method).unwrap();
    world.add_body(BodyDesc::fixed().collider(Shape::half_space(Vec3::Y, 0.0).unwrap())).unwrap();
    let cube = Shape::cuboid(0.5, 0.5, 0.5).unwrap();
    let place = |i: u32| {
        // Turned against each other: the tops meet in eight points.
        let turn = tumble::math::Quat::from_axis_angle(Vec3::Y, 0.4 * (i % 2) as Real);
        BodyDesc::dynamic().position([0.0, 0.5 + f64::from(i), 0.0]).rotation(turn).collider(cube.clone())
    };
    let boxes = (0..8).map(|i| world.add_body(place(i)).unwrap()).collect();
    (world, boxes)
}

/// At rest all contacts are recycled; the switch turns it off; the column stands either way, and as high to within the
/// tolerance of recycling.
#[test]
fn resting_contacts_are_recycled_and_stand() {
    let heights = [true, false].map(|recycling| {
        let (mut world, boxes) = column(recycling, true);
        for _ in 0..300 {
            world.step(1.0 / 60.0).unwrap();
        }
        let (recycled, contacts) = (world.profile().recycled, world.profile().contacts);
        assert_eq!(contacts, 8);
        assert_eq!(recycled, if recycling { 8 } else { 0 });
        world.body(boxes[7]).unwrap().position().y
    });
    assert!((heights[0] - heights[1]).abs() < 0.001 * 8.0, "{heights:?}");
}

/// A cube laid down on one edge does not keep the two points of that edge while its far side comes down: turning counts.
#[test]
fn a_box_that_tips_over_is_looked_at() {
    let mut method = Method::soft_step();
    method.switches.sleep = false;
    let mut world = World::with_method(method).unwrap();
    world.add_body(BodyDesc::fixed().collider(Shape::half_space(Vec3::Y, 0.0).unwrap())).unwrap();
    let tilt = tumble::math::Quat::from_axis_angle(Vec3::Z, 0.3);
    let cube = Shape::cuboid(0.5, 0.5, 0.5).unwrap();
    let id = world.add_body(BodyDesc::dynamic().position([0.0, 0.63, 0.0]).rotation(tilt).collider(cube)).unwrap();
    let mut lowest = Real::INFINITY;
    for _ in 0..180 {
        world.step(1.0 / 60.0).unwrap();
        let body = world.body(id).unwrap();
        for corner in 0..8 {
            let sign = |bit: u32| if corner >> bit & 1 == 0 { 0.5 } else { -0.5 };
            let r = body.rotation().rotate(Vec3::new(sign(0), sign(1), sign(2)));
            lowest = lowest.min(body.position().y as Real + r.y);
        }
    }
    assert!(lowest > -0.02, "a corner sank to {lowest}");
    assert!((world.body(id).unwrap().position().y - 0.5).abs() < 0.003);
}

/// Without reduction all eight points of two squares turned against each other are kept, and the column stands as well.
#[test]
fn all_points_are_kept_without_reduction() {
    let points = [true, false].map(|reduction| {
        let (mut world, boxes) = column(false, reduction);
        for _ in 0..300 {
            world.step(1.0 / 60.0).unwrap();
        }
        let y = world.body(boxes[7]).unwrap().position().y;
        assert!((y - 7.5).abs() < 0.03, "{y}");
        world.profile().points
    });
    // The lowest stands on a plane with four points; seven pairs of squares have eight, or the four that carry best.
    assert_eq!(points, [32, 4 + 7 * 8]);
}

/// Friction at every point: each is a manifold of its own, boxes stand, and the method may be swapped while they do. (Points that are
/// solved one after the other let tall columns sway; see the manual.)
#[test]
fn friction_at_every_point_holds_boxes() {
    let (mut world, boxes) = column(true, true);
    for &id in &boxes[3..] {
        world.remove_body(id).unwrap();
    }
    let (per_manifold, mut per_point) = (world.method().clone(), world.method().clone());
    per_point.friction = tumble::method::FrictionModel::Point;
    for i in 0..300 {
        if i % 50 == 0 {
            let next = if i / 50 % 2 == 0 { &per_point } else { &per_manifold };
            world.set_method(next.clone()).unwrap();
        }
        world.step(1.0 / 60.0).unwrap();
        let top = world.body(boxes[2]).unwrap().position();
        assert!((top.y - 2.5).abs() < 0.01 && top.x.hypot(top.z) < 0.01, "step {i}: {top:?}");
    }
    assert_eq!(world.profile().points, 12);
}

fn stay_awake(world: &mut World) {
    let mut method = world.method().clone();
    method.switches.sleep = false;
    world.set_method(method).unwrap();
}

/// Makes a step, and answers the world as it is after the same step without recycling.
fn step_beside_afresh(world: &mut World) -> World {
    let mut afresh = World::from_snapshot(&world.snapshot().unwrap()).unwrap();
    let mut method = world.method().clone();
    method.switches.recycling = false;
    afresh.set_method(method).unwrap();
    for world in [world, &mut afresh] {
        world.step(1.0 / 60.0).unwrap();
    }
    afresh
}

/// Balls and capsules that roll slowly over faces are recycled, and touch where they would be found to: below where they are, and as deep, not where the points of
/// their surfaces have gone.
#[test]
fn what_rolls_slowly_touches_below_where_it_is() {
    let flat = (0..5).flat_map(|i| (0..5).map(move |k| Vec3::new(i as Real - 2.0, 0.0, k as Real - 2.0))).collect();
    let cells = (0..4).flat_map(|i| (0..4).map(move |k| 5 * i + k));
    let faces = cells.flat_map(|c| [[c, c + 1, c + 5], [c + 1, c + 6, c + 5]]).collect();
    // Where a core passes over the border of a triangle a point stands still, or goes along by up to 1 mm.
    let floors = [
        (Shape::half_space(Vec3::Y, 0.0).unwrap(), 0.0, 2e-5),
        (Shape::cuboid(2.0, 1.0, 2.0).unwrap(), 1.0, 2e-5),
        (Shape::mesh(MeshDesc::new(flat, faces)).unwrap(), 0.0, 1.1e-3),
    ];
    for (floor, top, aside) in floors {
        for (round, low) in [(Shape::sphere(0.1).unwrap(), 0.1), (Shape::capsule(0.3, 0.1).unwrap(), 0.1)] {
            let mut world = World::new();
            stay_awake(&mut world);
            world.add_body(BodyDesc::fixed().collider(floor.clone())).unwrap();
            let lying = Quat::from_axis_angle(Vec3::Z, 0.5 * Real::PI);
            let desc = BodyDesc::dynamic().position([0.33, top + low, 0.21]).rotation(lying).collider(round);
            // It rolls about its axis, and a capsule turns on the spot as well.
            let rolls = world.add_body(desc.linear_velocity([0.0, 0.0, 0.02]).angular_velocity([0.2, 0.02, 0.0]));
            let rolls = rolls.unwrap();
            let mut recycled = 0;
            for step in 0..240 {
                let afresh = step_beside_afresh(&mut world);
                recycled += world.profile().recycled;
                let points = |world: &World| -> Vec<_> {
                    world
                        .contacts()
                        .flat_map(|c| c.points().map(|p| (p.position, p.separation)).collect::<Vec<_>>())
                        .collect()
                };
                let (kept, found) = (points(&world), points(&afresh));
                assert_eq!(kept.len(), found.len(), "step {step}");
                for ((p, s), (q, t)) in kept.into_iter().zip(found) {
                    assert!((p - q).length() < aside && (s - t).abs() < 2e-6, "step {step}: {p:?} {s}, {q:?} {t}");
                }
            }
            assert!(recycled > 60, "{recycled} of 240");
            let way = world.body(rolls).unwrap().position().z - 0.21;
            assert!((way - 0.08).abs() < 2e-3, "it rolled by {way}");
        }
    }
}

/// What spins on the spot without friction is as deep as it would be found to be: also in a valley so shallow that both its sides make one
/// manifold, where points are not below the core along its normal.
#[test]
fn what_spins_in_a_valley_stays_as_deep() {
    let rise = 0.02;
    let corners = [[-1.0, rise], [0.0, 0.0], [1.0, rise]];
    let corners = corners.into_iter().flat_map(|[x, y]| [-1.0, 1.0].map(|z| Vec3::new(x, y, z))).collect();
    let faces = vec![[0, 1, 2], [1, 3, 2], [2, 3, 4], [3, 5, 4]];
    let valley = Shape::mesh(MeshDesc::new(corners, faces)).unwrap();
    for round in [Shape::sphere(0.5).unwrap(), Shape::capsule(0.3, 0.5).unwrap()] {
        let mut world = World::new();
        stay_awake(&mut world);
        let slick = Material::default().with_friction(0.0);
        world.add_body(BodyDesc::fixed().collider(ColliderDesc::new(valley.clone()).material(slick.clone()))).unwrap();
        let lying = Quat::from_axis_angle(Vec3::X, 0.5 * Real::PI);
        let desc = BodyDesc::dynamic().position([0.0, 0.5, 0.2]).rotation(lying);
        let ball = world.add_body(desc.collider(ColliderDesc::new(round).material(slick))).unwrap();
        for _ in 0..120 {
            world.step(1.0 / 60.0).unwrap();
        }
        world.body_mut(ball).unwrap().set_angular_velocity(Vec3::new(0.0, 0.0, 1.0)).unwrap();
        let depths = |world: &World| -> Vec<Real> {
            world.contacts().flat_map(|c| c.points().map(|p| p.separation).collect::<Vec<_>>()).collect()
        };
        let mut recycled = 0;
        for step in 0..60 {
            let afresh = step_beside_afresh(&mut world);
            recycled += world.profile().recycled;
            let (kept, found) = (depths(&world), depths(&afresh));
            assert!(kept.len() == found.len() && kept.len() >= 2, "step {step}: {kept:?}, {found:?}");
            for (s, t) in kept.into_iter().zip(found) {
                // Recycled while it goes aside by less than 1 mm, it rises by the normal of the one side over both.
                assert!((s - t).abs() < 1e-3 * 2.0 * rise, "step {step}: {s}, {t}");
            }
        }
        assert!(recycled > 30, "{recycled} of 60"); // the rest it is pushed aside
    }
}

/// Pairs that are clear of each other are not looked at until they have moved by as much. That must change nothing: a world that forgets
/// before every step how clear they are, by way of a snapshot, goes on with the same bits; also where bodies are put elsewhere,
/// turned, changed in kind and put to sleep meanwhile.
#[test]
fn pairs_that_are_clear_are_never_missed() {
    (11..17).for_each(stir);
}

fn stir(seed: u64) {
    let mut world = World::new();
    let mut random = Random::new(seed);
    // What is apart from a mesh or a compound is so whichever way.
    let hills = (0..49).map(|_| random.below(100) as Real * 0.004).collect();
    let hills = Shape::height_field(HeightFieldDesc::new(7, 7, 6.0, 6.0, hills)).unwrap();
    let posts = [[-1.3, 0.9], [0.8, -1.1], [1.2, 1.0]].map(|[x, z]| {
        CompoundChild::new(Shape::cuboid(0.15, 0.8, 0.15).unwrap(), Pose::from_translation(Vec3::new(x, 0.4, z)))
    });
    for floor in [hills, Shape::compound(posts.into()).unwrap()] {
        world.add_body(BodyDesc::fixed().position([0.2, 0.0, -0.1]).collider(floor)).unwrap();
    }
    world.add_body(BodyDesc::fixed().collider(Shape::half_space(Vec3::Y, 0.0).unwrap())).unwrap();
    let corners: Vec<Vec3> = (0..12).map(|_| (random.in_ball() * 0.4).to_real()).collect();
    let shapes = [
        Shape::cuboid(0.3, 0.2, 0.4).unwrap(),
        Shape::hull(&corners).unwrap(),
        Shape::capsule(0.2, 0.15).unwrap(),
        Shape::cylinder(0.2, 0.25).unwrap(),
    ];
    let paddle = Shape::cuboid(1.5, 0.3, 0.1).unwrap();
    let desc = BodyDesc::kinematic().position([0.0, 0.4, 0.0]).angular_velocity([0.0, 1.0, 0.0]);
    world.add_body(desc.collider(paddle)).unwrap();
    let ids: Vec<BodyId> = (0..60_u32)
        .map(|i| {
            let at = [i % 4, i / 16, i / 4 % 4].map(|k| 0.7 * f64::from(k) - 1.0);
            let desc = BodyDesc::dynamic().position([at[0], at[1] + 1.6, at[2]]);
            world.add_body(desc.collider(shapes[i as usize % shapes.len()].clone())).unwrap()
        })
        .collect();
    // Composites that move and turn, and that stand second in a pair.
    let sheet = [[-0.8, -0.3], [0.9, -0.2], [0.7, 0.4], [-0.6, 0.3]].map(|[x, z]| Vec3::new(x, 0.1 * x, z));
    let sheet = MeshDesc::new(sheet.to_vec(), vec![[0, 2, 1], [0, 3, 2]]).sides(Sides::Two);
    let sheet = Shape::mesh(sheet).unwrap();
    let desc = BodyDesc::kinematic().position([-0.5, 1.0, 0.4]).angular_velocity([0.3, 0.2, 1.1]);
    world.add_body(desc.collider(sheet.clone())).unwrap();
    let ends = [-0.4, 0.4].map(|x| {
        CompoundChild::new(Shape::cuboid(0.1, 0.3, 0.15).unwrap(), Pose::from_translation(Vec3::new(x, 0.0, 0.0)))
    });
    let turned = Pose { translation: Vec3::new(0.0, 0.2, 0.0), rotation: Quat::from_axis_angle(Vec3::X, 0.7) };
    let barbell = Shape::compound(ends.into()).unwrap();
    for i in 0..4 {
        let desc = BodyDesc::dynamic().position([0.8 * f64::from(i) - 1.2, 4.5, 0.3]);
        world.add_body(desc.collider(barbell.clone())).unwrap();
    }
    let shelf = Shape::compound(vec![CompoundChild::new(sheet, turned)]).unwrap();
    let shelf = world.add_body(BodyDesc::fixed().position([1.4, 0.9, -0.6]).collider(shelf)).unwrap();
    let mut forgetful = world.clone();
    let mut met = 0;
    for step in 0..400 {
        if step % 7 == 0 {
            let id = ids[random.below(ids.len())];
            let (at, turn) = (random.in_cube() * 1.5, (random.in_ball() * 3.0).to_real());
            for world in [&mut world, &mut forgetful] {
                let mut body = world.body_mut(id).unwrap();
                match step / 7 % 3 {
                    0 => body.set_position([at.x, at.y + 2.0, at.z]).unwrap(),
                    1 => body.set_rotation(tumble::math::Quat::from_rotation_vector(turn)).unwrap(),
                    _ => body.set_kind(if step % 2 == 0 { BodyKind::Fixed } else { BodyKind::Dynamic }).unwrap(),
                }
            }
        }
        if step % 50 == 0 {
            let turn = Quat::from_rotation_vector((random.in_ball() * 0.5).to_real());
            for world in [&mut world, &mut forgetful] {
                world.body_mut(shelf).unwrap().set_rotation(turn).unwrap();
            }
        }
        let bytes = forgetful.snapshot().unwrap();
        forgetful.restore(&bytes).unwrap();
        world.step(1.0 / 60.0).unwrap();
        forgetful.step(1.0 / 60.0).unwrap();
        assert_eq!(world.hash(), forgetful.hash(), "seed {seed}, step {step}");
        met = met.max(world.contacts().count());
    }
    assert!(met > 60, "{met}: too quiet");
}
