//! Moving shapes.

use super::scene::{self, Piece, colliders, direction, near, pieces, separation};
use crate::solids;
use crate::support::{Random, real};
use tumble::math::{Float, Point, Pose, Quat, Vec3, WorldPose};
use tumble::shape::{CompoundChild, MeshDesc, Shape, Sides};
use tumble::{BodyDesc, CastHit, ColliderRef, QueryFilter, ShapeCast, World};

/// The queries promise 1e-5 of the smaller shape, and the oracle adds rounding of its own; shapes here are about 1 m.
const NEAR: f64 = 1e-4;

/// Shapes that can be cast.
fn mover(random: &mut Random) -> Shape {
    match random.below(8) {
        kind @ 0..7 => scene::shape(kind, random),
        _ => {
            let child = |kind| {
                let pose = Pose::new(random.vector(0.8), random.rotation());
                CompoundChild::new(scene::shape(kind, random), pose)
            };
            Shape::compound([0, 1, 6].map(child).to_vec()).unwrap()
        }
    }
}

fn at(cast: &ShapeCast, share: f64) -> WorldPose {
    let turn = Quat::from_rotation_vector(cast.rotation.to_f64() * share) * cast.start.rotation.to_f64();
    let translation = cast.start.translation + cast.translation.to_f64() * share;
    WorldPose::new(translation, turn.normalized().to_real())
}

/// Pieces of a collider that can stop the cast: not the backs of one-sided triangles.
fn obstacles(collider: &ColliderRef<'_>, cast: &ShapeCast) -> Vec<Piece> {
    let along = collider.pose().rotation.unrotate(cast.translation);
    let mut all = pieces(collider.shape());
    all.retain(|piece| cast.translation == Vec3::ZERO || !piece.looks_along(along));
    all
}

/// The separation of the cast from a collider, `share` of the way along.
fn gap(cast: &ShapeCast, moving: &[Piece], obstacle: &[Piece], pose: &WorldPose, share: f64) -> f64 {
    separation(obstacle, moving, &at(cast, share).relative_to(pose)).separation.to_f64()
}

/// The hit on a collider (or none) is right: the shapes touch there and do not overlap before.
fn check(cast: &ShapeCast, moving: &[Piece], collider: &ColliderRef<'_>, hit: Option<&CastHit>) {
    let obstacle = obstacles(collider, cast);
    if obstacle.is_empty() {
        assert!(hit.is_none());
        return;
    }
    let pose = collider.pose();
    let start = gap(cast, moving, &obstacle, &pose, 0.0);
    let end = hit.map_or(1.0, |hit| hit.fraction.to_f64());
    if start < -NEAR {
        assert!(hit.is_some_and(|hit| hit.fraction == 0.0), "overlaps by {start} from the start: {hit:?}");
        return;
    }
    for i in 0..=24 {
        let share = end * f64::from(i) / 24.0;
        let gap = gap(cast, moving, &obstacle, &pose, share);
        assert!(gap > -NEAR, "{:?} overlaps by {gap} at {share} before {hit:?}: {cast:?}", collider.shape());
    }
    if let Some(hit) = hit {
        let gap = gap(cast, moving, &obstacle, &pose, end);
        assert!(gap < NEAR, "{:?} is {gap} away at {hit:?}: {cast:?}", collider.shape());
        assert!((hit.distance - cast.translation.length().to_f64() * end).abs() < 1e-4);
        assert!((hit.normal.length() - 1.0).abs() < 1e-3);
    }
}

// Random scenes: every hit touches, nothing is overlapped on the way, nothing is missed, and the first is the first of all.
#[test]
fn against_sampling_of_the_way() {
    let (mut hits, mut found) = (0, Vec::new());
    let filter = QueryFilter::new();
    for seed in 0..6 {
        let world = scene::world(seed, Point::ZERO);
        let mut random = Random(2000 + seed);
        for i in 0..12 {
            let shape = mover(&mut random);
            let start = near(&mut random, Point::ZERO, scene::REACH);
            let way = (random.vector(4.0).to_f64() - start.translation) * 1.5;
            let mut cast = ShapeCast::new(&shape, start, way.to_real());
            if i % 3 == 0 {
                cast = cast.turning(random.vector(1.5));
            }
            world.cast_shape_all(&cast, &filter, &mut found).unwrap();
            assert!(found.iter().all(|hit| (0.0..=1.0).contains(&hit.fraction)));
            let moving = pieces(&shape);
            for collider in colliders(&world).iter().filter(|c| !c.is_sensor()) {
                let hit = found.iter().find(|hit| hit.collider == collider.id());
                // Inside a solid mesh a cast hits at once; its pieces do not tell.
                if hit.is_some_and(|hit| hit.normal == Vec3::ZERO) {
                    let inside = start.relative_to(&collider.pose());
                    assert!(scene::swallowed(collider.shape(), &moving, &inside));
                    continue;
                }
                check(&cast, &moving, collider, hit);
            }
            assert!(found.windows(2).all(|w| (w[0].distance, w[0].collider) < (w[1].distance, w[1].collider)));
            assert_eq!(world.cast_shape(&cast, &filter).unwrap(), found.first().copied());
            assert_eq!(world.cast_shape_any(&cast, &filter).unwrap(), !found.is_empty());
            hits += found.len();
        }
    }
    assert!(hits > 150, "{hits}");
}

fn alone(shape: Shape, pose: WorldPose) -> World {
    let mut world = World::new();
    let mut desc = BodyDesc::fixed().collider(shape);
    desc.pose = pose;
    world.add_body(desc).unwrap();
    world
}

fn first(world: &World, shape: &Shape, start: [f64; 3], way: [f64; 3]) -> Option<CastHit> {
    let cast = ShapeCast::new(shape, WorldPose::from_translation(start), Vec3::<f64>::from(way).to_real());
    world.cast_shape(&cast, &QueryFilter::new()).unwrap()
}

// Two balls, off centre: they touch where the distance of the centres is the sum of the radii.
#[test]
fn ball_on_ball() {
    let (r, big_r) = (0.3, 0.7);
    let mut random = Random(11);
    for _ in 0..200 {
        let world = alone(Shape::sphere(real(big_r)).unwrap(), near(&mut random, Point::ZERO, 1.0));
        let centre = world.collider(world.collider_ids().next().unwrap()).unwrap().pose().translation;
        let along = direction(&mut random);
        let side = along.to_f64().tangents().0 * random.between(0.0, 0.98 * (r + big_r));
        let start = centre - along.to_f64() * 5.0 + side;
        let ball = Shape::sphere(real(r)).unwrap();
        let cast = ShapeCast::new(&ball, WorldPose::from_translation(start), along * 8.0);
        let hit = world.cast_shape(&cast, &QueryFilter::new()).unwrap().unwrap();
        let expected = 5.0 - ((r + big_r) * (r + big_r) - side.length_squared()).sqrt();
        // Nearly grazing, 1e-5 of gap is more than that along the way.
        assert!((hit.distance - expected).abs() < 2e-4, "{} {expected}", hit.distance);
        let normal = (start + along.to_f64() * expected - centre) / (r + big_r);
        assert!((hit.normal.to_f64() - normal).length() < 1e-3);
        assert!((hit.point - (centre + normal * big_r)).length() < 1e-3);
    }
}

// What touches without overlapping is stopped only by moving into it: a box slides along the floor it stands on, however
// far, up to the wall; it lifts off; it does not sink.
#[test]
fn sliding_along_what_is_touched() {
    let floors: [Shape; 3] = [
        Shape::half_space(Vec3::Y, 0.0).unwrap(),
        Shape::mesh(MeshDesc::new(
            [[-900.0, -900.0], [-900.0, 900.0], [900.0, 900.0], [900.0, -900.0]]
                .map(|[x, z]| Vec3::new(x, 0.0, z))
                .to_vec(),
            vec![[0, 1, 2], [0, 2, 3]],
        ))
        .unwrap(),
        Shape::compound(vec![CompoundChild::new(
            Shape::cuboid(900.0, 0.5, 900.0).unwrap(),
            Pose::from_translation(Vec3::new(0.0, -0.5, 0.0)),
        )])
        .unwrap(),
    ];
    let movers = [
        (Shape::cuboid(0.5, 0.5, 0.5).unwrap(), 0.5),
        (Shape::sphere(0.25).unwrap(), 0.25),
        (Shape::capsule(0.5, 0.25).unwrap(), 0.75),
        (Shape::cylinder(0.5, 0.25).unwrap(), 0.5),
    ];
    for floor in floors {
        let mut world = alone(floor, WorldPose::IDENTITY);
        for (mover, height) in &movers {
            // From a gap of a micrometre to the same overlap, which is below what the query resolves.
            for off in [1e-6, 0.0, -1e-6] {
                let y = height + off;
                for way in [[400.0, 0.0, 0.0], [-3.0, 0.0, 2.0], [0.0, 4.0, 0.0], [5.0, 0.1, 0.0]] {
                    assert_eq!(first(&world, mover, [0.0, y, 0.0], way), None, "{mover:?} {off} {way:?}");
                }
                let hit = first(&world, mover, [0.0, y, 0.0], [0.0, -1.0, 0.0]).unwrap();
                assert!(hit.distance < 1e-5 && (hit.normal - Vec3::Y).length() < 1e-3, "{hit:?}");
                let hit = first(&world, mover, [0.0, y, 0.0], [100.0, -1.0, 0.0]).unwrap();
                assert!(hit.distance < 2e-3, "{hit:?}");
            }
        }
        let wall = BodyDesc::fixed().position([51.0, 5.0, 0.0]).collider(Shape::cuboid(1.0, 5.0, 5.0).unwrap());
        let wall = world.add_body(wall).unwrap();
        let hit = first(&world, &movers[0].0, [0.0, 0.5, 0.0], [400.0, 0.0, 0.0]).unwrap();
        assert_eq!(hit.body, wall);
        assert!((hit.distance - 49.5).abs() < 1e-4 && (hit.normal - -Vec3::X).length() < 1e-4, "{hit:?}");
    }
}

// A rod that turns on the spot reaches a ball at the angle at which the ball's distance from the rod's line is the sum of the
// radii: D sin φ = r + R, with φ the angle left between rod and ball.
#[test]
fn turning_on_the_spot() {
    let (r, big_r, d) = (0.1, 0.2, 1.5);
    let rod = Shape::capsule(2.0, real(r)).unwrap();
    let ball = |angle: f64| {
        let at = WorldPose::from_translation([-d * Float::sin(angle), d * Float::cos(angle), 0.0]);
        alone(Shape::sphere(real(big_r)).unwrap(), at)
    };
    for angle in [0.5, 1.0, 1.5] {
        let world = ball(angle);
        let cast = ShapeCast::new(&rod, WorldPose::IDENTITY, [0.0; 3]).turning([0.0, 0.0, 2.0]);
        let hit = world.cast_shape(&cast, &QueryFilter::new()).unwrap().unwrap();
        let expected = (angle - Float::asin((r + big_r) / d)) / 2.0;
        assert!((hit.fraction.to_f64() - expected).abs() < 1e-4, "{} {expected}", hit.fraction);
        assert_eq!(hit.distance, 0.0);
        // The other way round the rod's other end arrives later.
        let back = ShapeCast::new(&rod, WorldPose::IDENTITY, [0.0; 3]).turning([0.0, 0.0, -1.0]);
        assert_eq!(world.cast_shape(&back, &QueryFilter::new()).unwrap(), None);
    }
}

// What overlaps from the start is hit at 0 with the way out as its normal, or passed over.
#[test]
fn overlapping_from_the_start() {
    let mut world = alone(Shape::cuboid(1.0, 1.0, 1.0).unwrap(), WorldPose::IDENTITY);
    let behind = BodyDesc::fixed().position([6.0, 0.0, 0.0]).collider(Shape::cuboid(1.0, 1.0, 1.0).unwrap());
    let behind = world.add_body(behind).unwrap();
    let ball = Shape::sphere(0.5).unwrap();
    let cast = ShapeCast::new(&ball, WorldPose::from_translation([1.2, 0.0, 0.0]), [10.0, 0.0, 0.0]);
    let hit = world.cast_shape(&cast, &QueryFilter::new()).unwrap().unwrap();
    assert_eq!(hit.distance, 0.0);
    assert!((hit.normal - Vec3::X).length() < 1e-5 && (hit.point.x - 1.0).abs() < 1e-5, "{hit:?}");
    let hit = world.cast_shape(&cast, &QueryFilter::new().solid(false)).unwrap().unwrap();
    assert!(hit.body == behind && (hit.distance - 3.3).abs() < 1e-4, "{hit:?}");

    // Wholly inside a solid mesh.
    let (vertices, triangles) = solids::rounded(&solids::cuboid(Vec3::all(3.0)));
    let hollow = alone(Shape::mesh(MeshDesc::new(vertices, triangles)).unwrap(), WorldPose::IDENTITY);
    let hit = hollow.cast_shape(&cast, &QueryFilter::new()).unwrap().unwrap();
    assert_eq!((hit.distance, hit.normal), (0.0, Vec3::ZERO));
    assert_eq!(hollow.cast_shape(&cast, &QueryFilter::new().solid(false)).unwrap(), None);

    // Without motion a cast is a look at what overlaps.
    let still = ShapeCast::new(&ball, WorldPose::from_translation([1.2, 0.0, 0.0]), [0.0; 3]);
    assert_eq!(world.cast_shape(&still, &QueryFilter::new()).unwrap().map(|hit| hit.fraction), Some(0.0));
    let apart = ShapeCast::new(&ball, WorldPose::from_translation([1.6, 0.0, 0.0]), [0.0; 3]);
    assert_eq!(world.cast_shape(&apart, &QueryFilter::new()).unwrap(), None);
}

// One-sided surfaces stop what moves against their front and nothing else; two-sided ones stop both.
#[test]
fn sides_of_meshes() {
    let square = [[-1.0, -1.0], [-1.0, 1.0], [1.0, 1.0], [1.0, -1.0]].map(|[x, z]| Vec3::new(x, 0.0, z)).to_vec();
    let ball = Shape::sphere(0.25).unwrap();
    for (sides, from_below) in [(Sides::One, false), (Sides::Two, true)] {
        let mesh = MeshDesc::new(square.clone(), vec![[0, 1, 2], [0, 2, 3]]).sides(sides);
        let world = alone(Shape::mesh(mesh).unwrap(), WorldPose::IDENTITY);
        let down = first(&world, &ball, [0.1, 3.0, 0.2], [0.0, -6.0, 0.0]).unwrap();
        assert!((down.distance - 2.75).abs() < NEAR);
        let up = first(&world, &ball, [0.1, -3.0, 0.2], [0.0, 6.0, 0.0]);
        assert_eq!(up.is_some(), from_below);
    }
}

// Long casts: over a height field of many cells the tree is followed along the way and the hit is exact.
#[test]
fn long_ways() {
    let n = 64;
    let heights = (0..n * n).map(|i| real(if i == 40 * n + 50 { 3.0 } else { 0.0 })).collect();
    let desc = tumble::shape::HeightFieldDesc::new(n as u32, n as u32, 630.0, 630.0, heights);
    let world = alone(Shape::height_field(desc).unwrap(), WorldPose::IDENTITY);
    // The peak is at column 50, row 40 of a grid of 10 m: x = 185, z = 85.
    let ball = Shape::sphere(0.5).unwrap();
    let hit = first(&world, &ball, [185.0 - 1000.0, 2.0, 85.0], [2000.0, 0.0, 0.0]).unwrap();
    // Up the ridge of slope 3/10: the ball of radius r at height h touches where the ridge is at h - r √(1 + 0.3²).
    let rise: f64 = 2.0 - 0.5 * 1.09f64.sqrt();
    let expected = 1000.0 - 10.0 + rise / 0.3;
    assert!((hit.distance - expected).abs() < 1e-2, "{} {expected}", hit.distance);
    assert_eq!(first(&world, &ball, [-1000.0, 4.0, 85.0], [2000.0, 0.0, 0.0]), None);
}
