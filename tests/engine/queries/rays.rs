//! Rays.

use super::scene::{self, REACH, colliders, direction, local, rounding};
use crate::solids;
use crate::support::{Random, assert_near, eps, real};
use tumble::math::{Point, Pose, Vec3};
use tumble::shape::{CompoundChild, Geometry, MeshDesc, Ray, Shape};
use tumble::{BodyDesc, CastHit, ColliderId, ColliderRef, QueryFilter, RayCast, World};

/// Where the ray meets one collider, straight from its shape.
fn on_collider(ray: &RayCast, collider: &ColliderRef<'_>, shift: Vec3<f64>) -> Option<(f64, Vec3)> {
    let pose = collider.pose();
    let turn = pose.rotation.to_f64().normalized();
    let unit = ray.direction.to_f64().try_normalize().unwrap();
    let along = turn.unrotate(unit).to_real();
    let ray_in = Ray::new(local(&pose, ray.origin + shift).to_real(), along);
    let hit = collider.shape().cast_ray(&ray_in, real(ray.max))?;
    Some((f64::from(hit.t), pose.rotation.rotate(hit.normal)))
}

/// All hits by a loop over all colliders, sorted; `None` where the ray grazes something or comes so close to a seam that
/// rounding decides: neighbouring rays must hit the same things nearly alike.
fn brute(ray: &RayCast, world: &World) -> Option<Vec<(ColliderId, f64, Vec3)>> {
    let side = ray.direction.to_f64().try_normalize().unwrap().tangents();
    let width = 1e2 * rounding();
    let mut all = Vec::new();
    for collider in colliders(world).iter().filter(|c| !c.is_sensor()) {
        let hit = on_collider(ray, collider, Vec3::ZERO);
        for shift in [side.0, -side.0, side.1, -side.1] {
            match (on_collider(ray, collider, shift * width), hit) {
                (Some(a), Some(b)) if (a.0 - b.0).abs() < 1e2 * width && (a.1 - b.1).length() < 0.1 => {}
                (None, None) => {}
                _ => return None,
            }
        }
        all.extend(hit.map(|(distance, normal)| (collider.id(), distance, normal)));
    }
    all.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
    Some(all)
}

fn ray(random: &mut Random, origin: Point) -> RayCast {
    let start = origin + random.vector(REACH).to_f64();
    RayCast::new(start, random.vector(3.0), random.between(1.0, 30.0))
}

fn agrees(ray: &RayCast, hit: &CastHit, (id, distance, normal): &(ColliderId, f64, Vec3)) {
    assert_eq!(hit.collider, *id, "{ray:?}");
    // Rays that are not nearly in the surface differ by rounding; grazing ones were sorted out.
    assert!((hit.distance - distance).abs() < 1e2 * rounding(), "{ray:?} {hit:?} {distance}");
    assert!((hit.normal - *normal).length() < 1e-3, "{ray:?} {hit:?} {normal:?}");
    let unit = ray.direction.to_f64().try_normalize().unwrap();
    // The point is on the ray to the last digits of a double.
    assert_near("point", hit.point, ray.origin + unit * hit.distance, 1e-14 * (1.0 + ray.origin.length()));
    assert!((f64::from(hit.fraction) - hit.distance / ray.max).abs() < 4.0 * eps());
}

// Random scenes of all shapes with bodies moved and removed: first, any and all hits are those of a loop over all colliders.
#[test]
fn against_a_loop_over_all_colliders() {
    let filter = QueryFilter::new();
    let (mut checked, mut hits, mut found) = (0, 0, Vec::new());
    for seed in 0..12 {
        let origin = Point::ZERO;
        let world = scene::world(seed, origin);
        let mut random = Random(1000 + seed);
        for _ in 0..200 {
            let ray = ray(&mut random, origin);
            let Some(expected) = brute(&ray, &world) else { continue };
            checked += 1;
            hits += usize::from(!expected.is_empty());
            world.cast_ray_all(&ray, &filter, &mut found).unwrap();
            assert_eq!(found.len(), expected.len(), "{ray:?} {found:?} {expected:?}");
            for hit in &found {
                agrees(&ray, hit, expected.iter().find(|e| e.0 == hit.collider).unwrap());
                assert_eq!(hit.body, world.collider(hit.collider).unwrap().body());
            }
            assert!(found.windows(2).all(|w| (w[0].distance, w[0].collider) < (w[1].distance, w[1].collider)));
            assert_eq!(world.cast_ray(&ray, &filter).unwrap(), found.first().copied(), "{ray:?}");
            assert_eq!(world.cast_ray_any(&ray, &filter).unwrap(), !found.is_empty());
        }
    }
    assert!(checked > 1800 && hits > 1000, "{checked} rays checked, {hits} with hits");
}

// Of things at the same distance the smallest id comes first, whatever the order of the trees.
#[test]
fn ties_go_to_the_smallest_id() {
    let mut world = World::new();
    let mut add = |desc: BodyDesc| {
        let id = world.add_body(desc.collider(Shape::cuboid(0.5, 0.5, 0.5).unwrap())).unwrap();
        world.body(id).unwrap().colliders().next().unwrap()
    };
    let mut all = Vec::new();
    for i in 0..20 {
        let desc = if i % 3 == 1 { BodyDesc::fixed() } else { BodyDesc::dynamic() };
        all.push(add(desc.position([4.0, 0.0, 0.0])));
    }
    let ray = RayCast::new([0.0, 0.1, 0.2], [1.0, 0.0, 0.0], 10.0);
    let first = world.cast_ray(&ray, &QueryFilter::new()).unwrap().unwrap();
    assert_eq!((first.collider, first.distance), (all[0], 3.5));
    let mut hits = Vec::new();
    world.cast_ray_all(&ray, &QueryFilter::new(), &mut hits).unwrap();
    assert_eq!(hits.iter().map(|h| h.collider).collect::<Vec<_>>(), all);
}

// A ray that starts inside hits at 0 with a zero normal; with `solid` off it goes on: through a ball, to the other
// child of a compound, and into the arm of a ring that it left.
#[test]
fn starting_inside() {
    let mut world = World::new();
    let ball = Shape::sphere(1.0).unwrap();
    let pair = [0.0, 5.0].map(|x| CompoundChild::new(ball.clone(), Pose::from_translation(Vec3::new(x, 0.0, 0.0))));
    let ring = solids::rounded(&solids::torus(2.0, 0.5, 64, 32));
    let ring = Shape::mesh(MeshDesc::new(ring.0, ring.1)).unwrap();
    let shapes = [ball, Shape::compound(pair.to_vec()).unwrap(), ring, Shape::half_space(Vec3::X, 0.5).unwrap()];
    let starts = [0.0, 0.0, -2.0, 0.0];
    let first_ahead = [None, Some(4.0), Some(3.5), None];
    for ((shape, start), ahead) in shapes.into_iter().zip(starts).zip(first_ahead) {
        world.reset();
        let body = world.add_body(BodyDesc::fixed().position([50.0, 0.0, 0.0]).collider(shape)).unwrap();
        let ray = RayCast::new([50.0 + start, 0.0, 0.0], [1.0, 0.0, 0.0], 20.0);
        let hit = world.cast_ray(&ray, &QueryFilter::new()).unwrap().unwrap();
        assert_eq!((hit.body, hit.distance, hit.normal, hit.point), (body, 0.0, Vec3::ZERO, ray.origin));
        let hollow = world.cast_ray(&ray, &QueryFilter::new().solid(false)).unwrap();
        match ahead {
            None => assert_eq!(hollow, None),
            // A ring of 64 by 32 flat pieces lies inside the round one by r (1 - cos(π/32)) and R (1 - cos(π/64)).
            Some(x) => assert!(hollow.is_some_and(|hit| (hit.distance - x).abs() < 0.02), "{hollow:?}"),
        }
    }
}

// The part of a hit: the triangle, the child, the face.
#[test]
fn parts() {
    let mut world = World::new();
    let (vertices, triangles) = solids::rounded(&solids::cuboid(Vec3::all(1.0)));
    let mesh = Shape::mesh(MeshDesc::new(vertices, triangles)).unwrap();
    let children = (0..4).map(|i| {
        let pose = Pose::from_translation(Vec3::new(0.0, real(2.0 * f64::from(i)), 0.0));
        CompoundChild::new(Shape::sphere(0.5).unwrap(), pose)
    });
    world.add_body(BodyDesc::fixed().collider(mesh)).unwrap();
    world
        .add_body(BodyDesc::fixed().position([10.0, 0.0, 0.0]).collider(Shape::compound(children.collect()).unwrap()))
        .unwrap();
    world
        .add_body(BodyDesc::fixed().position([20.0, 0.0, 0.0]).collider(Shape::cuboid(1.0, 1.0, 1.0).unwrap()))
        .unwrap();
    let part = |from: [f64; 3], along: [f64; 3]| {
        let ray = RayCast::new(from, Vec3::<f64>::from(along).to_real(), 8.0);
        world.cast_ray(&ray, &QueryFilter::new()).unwrap().unwrap().part
    };
    // The face -x of the mesh is the quad 0 4 6 2, cut from corner 0 to corner 6.
    assert_eq!(part([-5.0, -0.5, 0.5], [1.0, 0.0, 0.0]), 0);
    assert_eq!(part([-5.0, 0.5, -0.5], [1.0, 0.0, 0.0]), 1);
    assert_eq!(part([5.0, 4.1, 0.0], [1.0, 0.0, 0.0]), 2);
    assert_eq!(part([20.0, 5.0, 0.0], [0.0, -1.0, 0.0]), 2);
}

// A batch gives what single rays give, whatever the filter, the place and the instruction set, also along the axes and without end: one that is so large that
// the colliders are arranged for it, and the same in pieces that are not.
#[test]
fn batches() {
    for (i, isa) in tumble::math::Isa::available().into_iter().enumerate() {
        for origin in [Point::ZERO, Point::new(1e5, -3e4, 2e5)] {
            batches_are_single_rays(isa, origin, 5 + i as u64);
        }
    }
}

fn batches_are_single_rays(isa: tumble::math::Isa, origin: Point, seed: u64) {
    let mut world = scene::world(3, origin);
    world.set_isa(isa);
    let mut random = Random(seed);
    let mut rays: Vec<RayCast> = (0..500).map(|_| ray(&mut random, origin)).collect();
    for (i, axis) in [Vec3::X, Vec3::Y, Vec3::Z, -Vec3::X, -Vec3::Y, -Vec3::Z].into_iter().cycle().take(60).enumerate()
    {
        let max = if i % 2 == 0 { f64::INFINITY } else { 20.0 };
        rays.push(RayCast::new(origin + random.vector(5.0).to_f64(), axis, max));
    }
    let mut hits = vec![None; 3];
    let odd = |c: &tumble::ColliderRef| c.id().to_bits() % 2 == 1;
    let some: Vec<_> = world.body_ids().take(5).collect();
    let all = QueryFilter::new();
    for (name, filter) in [
        ("all", all),
        ("hollow", all.solid(false)),
        ("sensors", all.sensors(true)),
        ("moving", all.kinds(tumble::Kinds::MOVING)),
        ("odd", all.predicate(&odd)),
        ("without some", all.exclude_bodies(&some)),
        ("no layer", all.mask(1 << 20)),
    ] {
        let mut in_pieces = Vec::new();
        for piece in rays.chunks(100) {
            world.cast_rays(piece, &filter, &mut hits).unwrap();
            in_pieces.append(&mut hits);
        }
        world.cast_rays(&rays, &filter, &mut hits).unwrap();
        assert_eq!(hits, in_pieces, "{name}");
        assert_eq!(hits.len(), rays.len());
        for (ray, hit) in rays.iter().zip(&hits) {
            assert_eq!(world.cast_ray(ray, &filter).unwrap(), *hit, "{name}: {ray:?}");
        }
    }
    world.cast_rays(&[], &QueryFilter::new(), &mut hits).unwrap();
    assert!(hits.is_empty());
}

// Of colliders that are met at the same distance the one with the smallest id is hit, in whatever order they are looked at: boxes in the same places, fixed and
// moving, and rays from afar, whose lengths have fewer digits than the way from where a box is looked at; alone, in batches and in such as colliders are arranged for.
#[test]
fn equal_hits_are_told_by_ids() {
    let mut random = Random(3);
    let mut world = World::new();
    let places: Vec<Point> = (0..60).map(|_| random.vector(8.0).to_f64()).collect();
    let mut ids = Vec::new();
    for i in 0..150 {
        let (at, turn) = (places[i % 60], Random(i as u64 % 60).rotation());
        let desc = if random.below(2) == 0 { BodyDesc::fixed() } else { BodyDesc::dynamic() };
        let desc = desc.position([at.x, at.y, at.z]).rotation(turn);
        let id = world.add_body(desc.collider(Shape::cuboid(0.5, 0.4, 0.3).unwrap())).unwrap();
        ids.push((id, at));
    }
    // Some of the first go elsewhere and come back: they stand in the trees behind those of larger ids.
    for &(id, at) in ids.iter().filter(|(id, _)| id.to_bits() % 3 != 0).take(70) {
        world.body_mut(id).unwrap().set_position([at.x, at.y + 500.0, at.z]).unwrap();
        world.body_mut(id).unwrap().set_position([at.x, at.y, at.z]).unwrap();
    }
    let ray = |i: usize| {
        let from = random.vector(1.0).to_f64().normalize_or(Vec3::X) * random.between(10.0, 70.0);
        RayCast::between(from, places[i % 60] + random.vector(0.2).to_f64())
    };
    let rays: Vec<RayCast> = (0..600).map(ray).collect();
    let (mut all, mut piece, filter) = (Vec::new(), Vec::new(), QueryFilter::new());
    world.cast_rays(&rays, &filter, &mut all).unwrap();
    let mut ties = 0;
    for (rays, hits) in rays.chunks(60).zip(all.chunks(60)) {
        world.cast_rays(rays, &filter, &mut piece).unwrap();
        for (i, (ray, hit)) in rays.iter().zip(hits).enumerate() {
            assert_eq!(piece[i], *hit, "{ray:?}");
            assert_eq!(world.cast_ray(ray, &filter).unwrap(), *hit, "{ray:?}");
            let mut every = Vec::new();
            world.cast_ray_all(ray, &filter, &mut every).unwrap();
            let nearest = every.iter().filter(|other| Some(other.distance) == hit.map(|hit| hit.distance));
            let ids: Vec<_> = nearest.map(|hit| hit.collider).collect();
            assert_eq!(ids.iter().min().copied(), hit.map(|hit| hit.collider), "{ray:?}");
            ties += usize::from(ids.len() > 1);
        }
    }
    assert!(ties > 300, "{ties}: nothing to decide");
}

// The length of the direction does not matter, and a ray may be infinite or of no length.
#[test]
fn directions_and_lengths() {
    let mut world = World::new();
    world.add_body(BodyDesc::fixed().position([8.0, 0.0, 0.0]).collider(Shape::sphere(1.0).unwrap())).unwrap();
    let mut random = Random(7);
    for length in [1e-30, 1e-3, 1.0, 17.0, 1e30] {
        let ray = RayCast::new([0.0; 3], Vec3::X * real(length), f64::INFINITY);
        let hit = world.cast_ray(&ray, &QueryFilter::new()).unwrap().unwrap();
        assert!((hit.distance - 7.0).abs() < rounding(), "{hit:?}");
        assert_eq!(hit.fraction, 0.0);
    }
    for _ in 0..20 {
        let short = RayCast::new([7.5, 0.0, 0.0], direction(&mut random), 0.0);
        assert_eq!(world.cast_ray(&short, &QueryFilter::new()).unwrap().unwrap().distance, 0.0);
        let short = RayCast::new([6.5, 0.0, 0.0], direction(&mut random), 0.0);
        assert_eq!(world.cast_ray(&short, &QueryFilter::new()).unwrap(), None);
    }
}
