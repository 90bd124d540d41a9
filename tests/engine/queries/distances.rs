//! Distances of two colliders.

use super::scene::{self, UPRIGHT, colliders, pieces, separation, swallowed};
use crate::solids;
use crate::support::{assert_near, real};
use tumble::math::{Float, Point, Real, Vec3, WorldPose};
use tumble::shape::{MeshDesc, Shape};
use tumble::{BodyDesc, ColliderId, World};

fn add(world: &mut World, shape: Shape, pose: WorldPose) -> ColliderId {
    let mut desc = BodyDesc::fixed().collider(shape);
    desc.pose = pose;
    let id = world.add_body(desc).unwrap();
    world.body(id).unwrap().colliders().next().unwrap()
}

// Every pair of colliders of a random world against all pairs of their parts.
#[test]
fn against_all_pairs_of_parts() {
    let (mut apart, mut overlapping) = (0, 0);
    for seed in 0..3 {
        let world = scene::world(seed, Point::ZERO);
        let all = colliders(&world);
        let parts: Vec<_> = all.iter().map(|c| pieces(c.shape())).collect();
        for i in 0..all.len() {
            for j in 0..all.len() {
                let (a, b) = (all[i], all[j]);
                let Ok(found) = world.distance(a.id(), b.id()) else {
                    assert_eq!(i, j);
                    continue;
                };
                let placed = b.pose().relative_to(&a.pose());
                let gap = separation(&parts[i], &parts[j], &placed).separation.to_f64();
                let inside =
                    swallowed(a.shape(), &parts[j], &placed) || swallowed(b.shape(), &parts[i], &placed.inverse());
                if gap > 1e-5 {
                    apart += 1;
                    let expected = if inside { -gap } else { gap };
                    assert!((found.distance.to_f64() - expected).abs() < 1e-4, "{found:?} {expected}");
                    let between = (found.point_b - found.point_a).length();
                    assert!((between - gap).abs() < 1e-3 * (1.0 + gap), "{found:?} {gap}");
                } else {
                    overlapping += 1;
                    // The deepest pair of parts; depths agree as far as the search for them does.
                    assert!((found.distance.to_f64() - gap).abs() < 1e-2 * (1.0 + gap.abs()), "{found:?} {gap}");
                }
            }
        }
    }
    assert!(apart > 2000 && overlapping > 80, "{apart} {overlapping}");
}

// Closed forms, in either order.
#[test]
fn closed_forms() {
    let mut world = World::new();
    let ball = add(&mut world, Shape::sphere(0.5).unwrap(), WorldPose::from_translation([0.0, 4.0, 0.0]));
    let cube = add(&mut world, Shape::cuboid(1.0, 1.0, 1.0).unwrap(), WorldPose::from_translation([4.0, 4.0, 0.0]));
    let ground = add(&mut world, Shape::half_space(Vec3::Y, 1.0).unwrap(), WorldPose::IDENTITY);
    let d = world.distance(ball, cube).unwrap();
    assert_eq!((d.distance, d.normal), (2.5, Vec3::X));
    assert_near("a", d.point_a, Point::new(0.5, 4.0, 0.0), 1e-6);
    assert_near("b", d.point_b.across(Vec3::Z), Point::new(3.0, 4.0, 0.0), 1e-6);
    let back = world.distance(cube, ball).unwrap();
    assert_eq!((back.distance, back.normal), (2.5, -Vec3::X));
    assert_eq!(world.distance(ground, ball).unwrap().distance, 2.5);
    assert_eq!(world.distance(cube, ground).unwrap().normal, -Vec3::Y);
    world.body_mut(world.collider(ball).unwrap().body()).unwrap().set_position([0.0, 1.25, 0.0]).unwrap();
    assert_eq!(world.distance(ground, ball).unwrap().distance, -0.25);
}

// Half-spaces: face to face across a gap they are apart, otherwise they overlap without end.
#[test]
fn half_spaces() {
    let mut world = World::new();
    let floor = add(&mut world, Shape::half_space(Vec3::Y, 0.0).unwrap(), WorldPose::IDENTITY);
    let ceiling = add(&mut world, Shape::half_space(-Vec3::Y, -3.0).unwrap(), WorldPose::IDENTITY);
    let wall = add(&mut world, Shape::half_space(Vec3::X, -9.0).unwrap(), WorldPose::IDENTITY);
    let d = world.distance(floor, ceiling).unwrap();
    assert_eq!((d.distance, d.normal), (3.0, Vec3::Y));
    assert_eq!(world.distance(floor, wall).unwrap().distance, Real::NEG_INFINITY);
}

// Something inside a solid mesh is at minus the distance from its surface.
#[test]
fn inside_of_a_mesh() {
    let mut world = World::new();
    let (vertices, triangles) = solids::rounded(&solids::cuboid(Vec3::all(2.0)));
    let room = add(&mut world, Shape::mesh(MeshDesc::new(vertices, triangles)).unwrap(), WorldPose::IDENTITY);
    let ball = add(&mut world, Shape::sphere(0.25).unwrap(), WorldPose::new([1.0, 0.0, 0.0], UPRIGHT));
    for (a, b) in [(room, ball), (ball, room)] {
        let d = world.distance(a, b).unwrap().distance;
        assert!((d - real(-0.75)).abs() < 1e-5, "{d}");
    }
}

// Stale ids and a collider with itself are refused.
#[test]
fn refusals() {
    let mut world = World::new();
    let a = add(&mut world, Shape::sphere(0.5).unwrap(), WorldPose::IDENTITY);
    let b = add(&mut world, Shape::sphere(0.5).unwrap(), WorldPose::IDENTITY);
    assert!(world.distance(a, a).unwrap_err().to_string().contains("itself"));
    world.remove_collider(b).unwrap();
    assert!(world.distance(a, b).unwrap_err().to_string().contains("does not exist"));
}
