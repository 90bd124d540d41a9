//! Overlaps of shapes and boxes.

use super::scene::{self, colliders, near, pieces, separation, swallowed};
use crate::solids;
use crate::support::Random;
use tumble::math::{Float, Point, Pose, Vec3, WorldPose};
use tumble::shape::{Geometry, MeshDesc, Shape};
use tumble::{BodyDesc, ColliderId, QueryFilter, World};

// Shapes of every kind against every collider: whoever is nearer than nothing is found, and nobody else.
#[test]
fn against_all_pairs_of_parts() {
    let (mut found, mut overlaps) = (Vec::new(), 0);
    for seed in 0..6 {
        let world = scene::world(seed, Point::ZERO);
        let mut random = Random(3000 + seed);
        for i in 0..2 * scene::KINDS + 2 {
            let shape = match i % (scene::KINDS + 1) {
                scene::KINDS => Shape::half_space(random.vector(1.0), 0.5).unwrap(),
                kind => scene::shape(kind, &mut random),
            };
            let pose = near(&mut random, Point::ZERO, 6.0);
            let filter = QueryFilter::new().sensors(true);
            world.overlap_shape(&shape, pose, &filter, &mut found).unwrap();
            assert!(found.windows(2).all(|w| w[0] < w[1]));
            assert_eq!(world.overlap_shape_any(&shape, pose, &filter).unwrap(), !found.is_empty());
            overlaps += found.len();
            let own = pieces(&shape);
            for collider in colliders(&world) {
                if let (Shape::HalfSpace(_), Shape::HalfSpace(_)) = (&shape, collider.shape()) {
                    assert!(found.contains(&collider.id()), "planes that are not parallel always meet");
                    continue;
                }
                let placed = collider.pose().relative_to(&pose);
                let theirs = pieces(collider.shape());
                let inside =
                    swallowed(&shape, &theirs, &placed) || swallowed(collider.shape(), &own, &placed.inverse());
                let gap = separation(&own, &theirs, &placed).separation.to_f64();
                // Touching within the rounding of coordinates of some metres is either.
                if inside || gap.abs() > 1e-5 {
                    let is = found.contains(&collider.id());
                    assert_eq!(is, inside || gap < 0.0, "{shape:?} {:?} {gap}", collider.shape());
                }
            }
        }
    }
    assert!(overlaps > 300, "{overlaps}");
}

// A box finds whose own box it meets, in double precision.
#[test]
fn boxes_against_a_loop() {
    for (seed, origin) in [(1, Point::ZERO), (2, Point::new(1.0e5, -2.0e5, 3.0e5))] {
        let world = scene::world(seed, origin);
        let mut random = Random(4000 + seed);
        let mut found = Vec::new();
        for _ in 0..200 {
            let low = origin + random.vector(9.0).to_f64();
            let high = low + random.vector(3.0).to_f64().abs();
            world.overlap_box(low, high, &QueryFilter::new().sensors(true), &mut found).unwrap();
            let meets = |id: &ColliderId| {
                let collider = world.collider(*id).unwrap();
                let pose = collider.pose();
                let own = collider.shape().bounds(&Pose::new(Vec3::ZERO, pose.rotation));
                let (a, b) = (own.min.to_f64() + pose.translation, own.max.to_f64() + pose.translation);
                (0..3).all(|i| a[i] <= high[i] && low[i] <= b[i])
            };
            let expected: Vec<ColliderId> = world.collider_ids().filter(meets).collect();
            assert_eq!(found, expected);
        }
        let everything = Point::all(f64::INFINITY);
        world.overlap_box(-everything, everything, &QueryFilter::new().sensors(true), &mut found).unwrap();
        assert_eq!(found.len(), world.collider_count());
    }
}

// A solid mesh has an inside, and so has one that is asked about; a shell has none.
#[test]
fn inside_of_meshes() {
    let (vertices, triangles) = solids::rounded(&solids::ball(3.0, 12, 8));
    let desc = MeshDesc::new(vertices, triangles);
    let solid = Shape::mesh(desc.clone()).unwrap();
    let shell = Shape::mesh(desc.sides(tumble::shape::Sides::Two)).unwrap();
    let small = Shape::cuboid(0.3, 0.2, 0.1).unwrap();
    let overlaps = |outer: &Shape, inner: &Shape| {
        let mut world = World::new();
        world.add_body(BodyDesc::fixed().position([5.0, 0.0, 0.0]).collider(outer.clone())).unwrap();
        let pose = WorldPose::from_translation([5.5, 0.5, 0.0]);
        world.overlap_shape_any(inner, pose, &QueryFilter::new()).unwrap()
    };
    assert!(overlaps(&solid, &small) && !overlaps(&shell, &small));
    assert!(overlaps(&small, &solid) && !overlaps(&small, &shell));
}
