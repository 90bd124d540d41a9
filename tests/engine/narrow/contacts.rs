//! Contacts whose points, normals and ids are known: 002-T7, T8, T9, D7, and what resting, rolling and sliding need.

use super::judge::{Any, Dice, Judge};
use tumble::detect::narrow::{ConvexRef, FeatureKind, Manifold, PairCache, Triangle, collide};
use tumble::math::{Float, Num, Pose, Quat, Real, Vec3};
use tumble::shape::{Capsule, Cone, Cuboid, Cylinder, HalfSpace, Hull, Sphere};

fn meet(a: ConvexRef, b: ConvexRef, pose: &Pose, margin: Real) -> Manifold {
    let mut manifold = Manifold::default();
    collide(a, b, pose, margin, &mut PairCache::default(), &mut manifold);
    manifold
}

fn at(x: Real, y: Real, z: Real) -> Pose {
    Pose::from_translation(Vec3::new(x, y, z))
}

fn about(axis: Vec3, angle: f64) -> Quat {
    Quat::from_axis_angle(axis.to_f64(), angle).to_real()
}

fn cube(half: Real) -> Cuboid {
    Cuboid::new(Vec3::all(half)).unwrap()
}

const QUARTER: f64 = core::f64::consts::FRAC_PI_2;

// 002-T7: centres 1.5 apart overlap by 0.5 with the normal from A to B; at 2 they touch; at 2.01 they do not.
#[test]
fn two_balls() {
    let ball = Sphere::new(1.0).unwrap();
    let b = ConvexRef::Sphere(&ball);
    let overlapping = meet(b, b, &at(1.5, 0.0, 0.0), 0.0);
    assert_eq!((overlapping.points().len(), overlapping.separation()), (1, -0.5));
    assert_eq!(overlapping.normal, Vec3::X);
    assert_eq!(overlapping.points()[0].point, Vec3::new(0.75, 0.0, 0.0));
    let touching = meet(b, b, &at(0.0, 0.0, -2.0), 0.0);
    assert_eq!((touching.points().len(), touching.separation(), touching.normal), (1, 0.0, -Vec3::Z));
    assert!(meet(b, b, &at(2.01, 0.0, 0.0), 0.0).is_empty());
    assert_eq!(meet(b, b, &at(2.01, 0.0, 0.0), 0.02).points().len(), 1);
    // Coincident centres: some unit normal, the full depth.
    let same = meet(b, b, &Pose::IDENTITY, 0.0);
    assert_eq!((same.separation(), same.normal.length()), (-2.0, 1.0));
}

// 002-T8: every Voronoi region of a box and the centre inside, for a box that is turned and shifted; box first or ball first.
#[test]
fn ball_and_box() {
    let ball = Sphere::new(0.5).unwrap();
    let block = Cuboid::new(Vec3::new(1.0, 2.0, 3.0)).unwrap();
    let placed = Pose::new(Vec3::new(0.3, -4.0, 2.0), about(Vec3::new(1.0, 2.0, -0.5), 1.1));
    let diagonal = |v: [f64; 3]| {
        let v = Vec3::from(v);
        (v / v.length()).to_real()
    };
    for (centre, normal, separation) in [
        // Faces.
        (Vec3::new(1.25, 0.5, -1.0), Vec3::X, -0.25),
        (Vec3::new(0.0, -2.6, 1.0), -Vec3::Y, 0.1),
        (Vec3::new(-0.5, 0.5, 3.5), Vec3::Z, 0.0),
        // Edges: 0.3 and 0.4 off give 0.5.
        (Vec3::new(1.3, 2.4, 0.0), diagonal([0.3, 0.4, 0.0]), 0.0),
        (Vec3::new(0.0, -2.3, -3.4), diagonal([0.0, -0.3, -0.4]), 0.0),
        // Corner: 0.2, 0.1, 0.2 off give 0.3.
        (Vec3::new(-1.2, 2.1, -3.2), diagonal([-0.2, 0.1, -0.2]), -0.2),
        // Centre inside: out through the nearest face.
        (Vec3::new(0.9, 0.0, 0.0), Vec3::X, -0.6),
        (Vec3::new(0.0, 0.0, -2.5), -Vec3::Z, -1.0),
    ] {
        let centre = centre.to_f64().to_real();
        let found = meet(ConvexRef::Cuboid(&block), ConvexRef::Sphere(&ball), &Pose::from_translation(centre), 0.2);
        let close = |m: &Manifold, n: Vec3| {
            assert_eq!(m.points().len(), 1, "{centre:?}");
            assert!((m.separation() - separation as Real).abs() < 1e-5, "{centre:?}: {m:?}");
            assert!((m.normal - n).length() < 1e-4, "{centre:?}: {m:?}");
        };
        close(&found, normal);
        // The same seen from a ball that has the box elsewhere in its frame.
        let box_in_ball = Pose::from_translation(placed.translation) * Pose::new(Vec3::ZERO, placed.rotation);
        let shift = Pose::new(box_in_ball.rotation.rotate(-centre), box_in_ball.rotation);
        let mirrored = meet(ConvexRef::Sphere(&ball), ConvexRef::Cuboid(&block), &shift, 0.2);
        close(&mirrored, -placed.rotation.rotate(normal));
    }
}

// 002-T9: two boxes that only a pair of edges keeps apart. Their edges cross at right angles, 0.02 apart along x, while along
// every face normal they overlap.
#[test]
fn only_edges_separate() {
    let a = Any::Cuboid(cube(0.5));
    let b = a.clone();
    // A stands on an edge along z, B (also on edge) along y: both show edges along x.
    let r = 0.5 * 2f64.sqrt();
    let turn_a = Quat::from_axis_angle(Vec3::Z, QUARTER / 2.0);
    let turn_b = Quat::from_axis_angle(Vec3::Y, QUARTER / 2.0);
    let gap = Vec3::new(2.0 * r + 0.02, 0.1, 0.05);
    let pose = Pose::new(turn_a.unrotate(gap).to_real(), (turn_a.conjugate() * turn_b).to_real());
    let faces_overlap = [Vec3::X, Vec3::Y, Vec3::Z].into_iter().all(|n| {
        let judge = Judge::new(&a, &b, &pose);
        let m = judge.rotation * n;
        [n, -n, m, -m].into_iter().all(|n| judge.along(n) < -1e-3)
    });
    assert!(faces_overlap, "the scene is meant to overlap on all faces");
    assert!(meet(a.borrow(), b.borrow(), &pose, 0.019).is_empty());
    let near = meet(a.borrow(), b.borrow(), &pose, 0.021);
    assert_eq!(near.points().len(), 1);
    assert!((near.separation() - 0.02).abs() < 1e-5, "{near:?}");
    assert_eq!(near.feature_a.kind(), FeatureKind::Edge);
    assert!((turn_a.to_real().rotate(near.normal) - Vec3::X).length() < 1e-5, "from A to B: {near:?}");
}

// 002-D7 and resting: a face on a face gives its four corners, one turned by 45 degrees eight, one that overhangs four.
#[test]
fn box_on_box() {
    let c = cube(0.5);
    let b = ConvexRef::Cuboid(&c);
    let points =
        Hull::new(&[-0.5, 0.5].map(|x| [-0.5, 0.5].map(|y| [-0.5, 0.5].map(|z| Vec3::new(x, y, z)))).concat().concat());
    let hull = points.unwrap();
    let h = ConvexRef::Hull(&hull);
    for (one, other) in [(b, b), (h, h), (b, h), (h, b)] {
        let on_top = meet(one, other, &at(0.0, 0.999, 0.0), 0.01);
        assert_eq!(on_top.points().len(), 4);
        let overhanging = meet(one, other, &at(0.3, 0.999, 0.2), 0.01);
        assert_eq!(overhanging.points().len(), 4);
        for p in on_top.points().iter().chain(overhanging.points()) {
            assert!((p.separation + 0.001).abs() < 1e-6);
            assert!((p.point.y - 0.4995).abs() < 1e-6);
        }
        let turned = meet(one, other, &Pose::new(Vec3::new(0.0, 0.999, 0.0), about(Vec3::Y, QUARTER / 2.0)), 0.01);
        assert_eq!(turned.points().len(), 8);
        assert!((turned.normal - Vec3::Y).length() < 1e-6);
        // Ids are different from each other.
        let mut ids: Vec<u32> = turned.points().iter().map(|p| p.id).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), 8);
    }
}

// Warm starting needs ids that last: a box that turns slowly on another, rocking a little, keeps its ids but where an edge
// really passes a corner. The same with the two exchanged.
#[test]
fn ids_last_while_a_box_turns() {
    let c = cube(0.5);
    let hull = super::judge::Dice::new(7).hull(0.5);
    let pairs = [
        (ConvexRef::Cuboid(&c), ConvexRef::Cuboid(&c)),
        (ConvexRef::Hull(&hull), ConvexRef::Cuboid(&c)),
        (ConvexRef::Cuboid(&c), ConvexRef::Hull(&hull)),
    ];
    for (which, (one, other)) in pairs.into_iter().enumerate() {
        let mut cache = PairCache::default();
        let mut manifold = Manifold::default();
        let mut last: Vec<u32> = Vec::new();
        let mut changes = 0;
        let mut steps = 0;
        let mut dice = Dice::new(3);
        // The height at which they touch with some overlap.
        let start = Pose::new(Vec3::new(0.13, 1.0, 0.07), about(Vec3::Y, 0.1));
        let height = {
            let found = tumble::detect::narrow::closest_points(one, other, &start);
            start.translation.y - found.separation / Num::max(found.normal.y, 0.1) - 0.003
        };
        for i in 0..400 {
            // A quarter of a degree in all, with rocking noise of 1e-5.
            let yaw = about(Vec3::Y, 0.1 + i as f64 * 1e-5);
            let rock = about(dice.direction().to_real(), 1e-5 * dice.unit());
            let pose = Pose::new(Vec3::new(0.13, height, 0.07), rock * yaw);
            collide(one, other, &pose, 0.01, &mut cache, &mut manifold);
            assert!(!manifold.is_empty(), "pair {which}");
            let mut ids: Vec<u32> = manifold.points().iter().map(|p| p.id).collect();
            ids.sort_unstable();
            if i > 0 && ids != last {
                changes += 1;
            }
            last = ids;
            steps += 1;
        }
        assert!(changes * 100 <= steps, "pair {which}: ids changed {changes} times in {steps} steps");
    }
}

// A stack of equal cubes has all edges of neighbours on each other, the worst case for rounding: the ids must not flicker.
#[test]
fn ids_last_in_a_stack_of_equal_boxes() {
    let c = cube(0.5);
    let b = ConvexRef::Cuboid(&c);
    let mut cache = PairCache::default();
    let mut manifold = Manifold::default();
    let mut dice = Dice::new(5);
    let mut last = Vec::new();
    let mut changes = 0;
    for i in 0..500 {
        let rock = about(dice.direction().to_real(), 2e-6 * dice.unit());
        let shake = (dice.direction() * 1e-6).to_real();
        collide(b, b, &Pose::new(Vec3::new(0.0, 0.9995, 0.0) + shake, rock), 0.01, &mut cache, &mut manifold);
        assert_eq!(manifold.points().len(), 4);
        let mut ids: Vec<u32> = manifold.points().iter().map(|p| p.id).collect();
        ids.sort_unstable();
        changes += u32::from(i > 0 && ids != last);
        last = ids;
    }
    assert_eq!(changes, 0);
}

// A cylinder that lies on a plane, a box or a triangle touches along its line: two points at its ends, straight under the axis
// in every rolling angle, with the plane's own normal. Anything tangential would speed it up or slow it down.
#[test]
fn lying_cylinder_touches_along_its_line() {
    let drum = Cylinder::new(0.7, 0.4).unwrap();
    let floor = HalfSpace::new(Vec3::Y, 0.0).unwrap();
    let slab = Cuboid::new(Vec3::new(5.0, 1.0, 5.0)).unwrap();
    let corners = [Vec3::new(-9.0, 0.0, -9.0), Vec3::new(-1.0, 0.0, 9.0), Vec3::new(9.0, 0.0, -2.0)];
    let triangle = Triangle { two_sided: false, ..Triangle::new(corners) };
    let grounds =
        [(ConvexRef::HalfSpace(&floor), 0.0), (ConvexRef::Cuboid(&slab), 1.0), (ConvexRef::Triangle(&triangle), 0.0)];
    for (ground, top) in grounds {
        let mut cache = PairCache::default();
        for i in 0..200 {
            // Axis along z, rolled about it and turned a little about y.
            let lie = about(Vec3::X, QUARTER);
            let heading = about(Vec3::Y, 0.3);
            let roll = heading * about(Vec3::Z, i as f64 * 0.1) * lie;
            let depth = 0.001 * ((i % 5) as Real - 2.0);
            let pose = Pose::new(Vec3::new(-0.2, top + 0.4 - depth, 0.1), roll);
            let mut manifold = Manifold::default();
            collide(ground, ConvexRef::Cylinder(&drum), &pose, 0.01, &mut cache, &mut manifold);
            assert_eq!(manifold.points().len(), 2, "{ground:?} step {i}: {manifold:?}");
            assert_eq!(manifold.normal, Vec3::Y, "{ground:?} step {i}");
            let axis = heading.rotate(Vec3::Z);
            for p in manifold.points() {
                let along = (p.point - pose.translation).dot(axis);
                let side = (p.point - pose.translation).dot(axis.cross(Vec3::Y));
                assert!((along.abs() - 0.7).abs() < 1e-5, "{along}");
                assert!(side.abs() < 1e-6, "{ground:?} step {i}: tangential {side:e}");
                assert!((p.separation + depth).abs() < 2e-6, "{} {depth}", p.separation);
            }
        }
    }
}

// A coin that lies flat has eight points of its rim; one that leans touches in the lowest point of its rim, which follows the
// lean as the coin rolls round.
#[test]
fn coin_flat_and_leaning() {
    let coin = Cylinder::new(0.002, 0.02).unwrap();
    let slab = Cuboid::new(Vec3::all(1.0)).unwrap();
    let floor = HalfSpace::new(Vec3::Y, 1.0).unwrap();
    for ground in [ConvexRef::HalfSpace(&floor), ConvexRef::Cuboid(&slab)] {
        let flat = meet(ground, ConvexRef::Cylinder(&coin), &at(0.1, 1.0019, 0.2), 1e-4);
        assert_eq!((flat.points().len(), flat.normal), (8, Vec3::Y));
        for i in 0..32 {
            let lean = about(Vec3::Y, i as f64 * 0.2) * about(Vec3::Z, 0.2) * about(Vec3::Y, i as f64);
            let down = lean.unrotate(-Vec3::Y);
            let rim = Vec3::new(down.x, 0.0, down.z).normalize_or(Vec3::X) * 0.02 - Vec3::new(0.0, 0.002, 0.0);
            let lowest = lean.rotate(rim);
            let pose = Pose::new(Vec3::new(0.1, 1.0 - lowest.y - 1e-5, 0.2), lean);
            let found = meet(ground, ConvexRef::Cylinder(&coin), &pose, 1e-4);
            assert_eq!(found.normal, Vec3::Y);
            let deepest = found.points().iter().min_by(|p, q| p.separation.total_cmp(&q.separation)).unwrap();
            assert!((deepest.separation + 1e-5).abs() < 5e-7, "{found:?}");
            let off = (deepest.point - pose.transform_point(rim)).across(Vec3::Y).length();
            assert!(off < 1e-6, "contact is {off:e} from the lowest point");
        }
    }
    // Stacked coins share their whole face.
    let stacked = meet(ConvexRef::Cylinder(&coin), ConvexRef::Cylinder(&coin), &at(0.0, 0.00399, 0.0), 1e-4);
    assert_eq!((stacked.points().len(), stacked.normal), (8, Vec3::Y));
    // Half over the edge of another: the lens between the rims, with its two tips.
    let over = meet(ConvexRef::Cylinder(&coin), ConvexRef::Cylinder(&coin), &at(0.02, 0.00399, 0.0), 1e-4);
    let tip = 0.02 * 3f64.sqrt() / 2.0;
    assert!(over.points().iter().any(|p| (p.point.z.to_f64() - tip).abs() < 1e-6));
    assert!(over.points().iter().all(|p| p.point.x > -1e-6 && p.point.x < 0.0201));
}

// A small box near the rim of a drum's lid keeps all its corners: the lid is round, not an octagon.
#[test]
fn box_near_the_rim_of_a_lid() {
    let drum = Cylinder::new(1.0, 1.0).unwrap();
    let small = cube(0.05);
    for i in 0..16 {
        let turn = about(Vec3::Y, i as f64 * 0.39);
        // The far corners are at hypot(0.97, 0.05) = 0.971 of the radius.
        let pose = Pose::new(turn.rotate(Vec3::new(0.92, 1.0499, 0.0)), turn);
        let found = meet(ConvexRef::Cylinder(&drum), ConvexRef::Cuboid(&small), &pose, 1e-3);
        assert_eq!(found.points().len(), 4, "{found:?}");
        assert!(found.points().iter().all(|p| (p.separation + 1e-4).abs() < 1e-6));
    }
}

// Lines: capsules and cylinders side by side, a cone on its side, a capsule along an edge of a box.
#[test]
fn lines_touch_in_two_points() {
    let pill = Capsule::new(0.5, 0.2).unwrap();
    let rod = Cylinder::new(0.5, 0.2).unwrap();
    let block = cube(0.5);
    for (a, b) in [
        (ConvexRef::Capsule(&pill), ConvexRef::Capsule(&pill)),
        (ConvexRef::Capsule(&pill), ConvexRef::Cylinder(&rod)),
        (ConvexRef::Cylinder(&rod), ConvexRef::Cylinder(&rod)),
    ] {
        let found = meet(a, b, &at(0.39, 0.3, 0.0), 0.01);
        assert_eq!(found.points().len(), 2, "{found:?}");
        assert!((found.normal - Vec3::X).length() < 1e-5);
        let (low, high) = (found.points()[0].point.y, found.points()[1].point.y);
        assert!((Num::min(low, high) + 0.2).abs() < 1e-5 && (Num::max(low, high) - 0.5).abs() < 1e-5, "{found:?}");
    }
    let on_face = meet(ConvexRef::Cuboid(&block), ConvexRef::Capsule(&pill), &at(0.69, 0.1, 0.2), 0.01);
    assert_eq!((on_face.points().len(), on_face.normal), (2, Vec3::X));
    // Across an edge: diagonal to it, along it.
    let off = 0.5 + 0.19 / 2f64.sqrt();
    let along_edge =
        meet(ConvexRef::Cuboid(&block), ConvexRef::Capsule(&pill), &at(off as Real, 0.3, off as Real), 0.01);
    assert_eq!(along_edge.points().len(), 2, "{along_edge:?}");
    let cone = Cone::new(0.5, 0.3).unwrap();
    let floor = HalfSpace::new(Vec3::Y, 0.0).unwrap();
    let side = Vec3::new(1.0, 0.3, 0.0).to_f64().normalize_or(Vec3::X).to_real();
    let lying = Quat::between(side, -Vec3::Y);
    let apex = lying.rotate(Vec3::new(0.0, 0.5, 0.0)).y;
    let pose = Pose::new(Vec3::new(0.0, -apex, 0.0), lying);
    let found = meet(ConvexRef::HalfSpace(&floor), ConvexRef::Cone(&cone), &pose, 0.01);
    assert_eq!((found.points().len(), found.normal), (2, Vec3::Y));
}

// A ball and a box that cross a seam between two triangles of a flat floor feel the floor's normal only, and never two
// contacts that push against each other.
#[test]
fn seams_of_a_flat_floor_do_not_push() {
    let [p, q, r, s] = [(-1.0, -1.0), (-1.0, 1.0), (1.0, 1.0), (1.0, -1.0)].map(|(x, z)| Vec3::new(x, 0.0, z));
    let front = Triangle { vertices: [p, q, r], two_sided: false, inner_edges: 0b100 };
    let back = Triangle { vertices: [p, r, s], two_sided: false, inner_edges: 0b001 };
    let ball = Sphere::new(0.2).unwrap();
    let block = Cuboid::new(Vec3::new(0.2, 0.1, 0.15)).unwrap();
    let drum = Cylinder::new(0.2, 0.1).unwrap();
    let hull = Dice::new(11).hull(0.2);
    let lowest = hull.vertices().iter().fold(0.0, |m: Real, v| Num::max(-v.y, m));
    for (shape, rest) in [
        (ConvexRef::Sphere(&ball), 0.2),
        (ConvexRef::Cuboid(&block), 0.1),
        (ConvexRef::Cylinder(&drum), 0.2),
        (ConvexRef::Hull(&hull), lowest),
    ] {
        for i in 0..60 {
            let x = -0.3 + 0.01 * i as Real;
            let pose = Pose::new(Vec3::new(x, rest - 0.002, 0.05), about(Vec3::Y, 0.02 * i as f64));
            let mut touched = false;
            for t in [&front, &back] {
                let found = meet(ConvexRef::Triangle(t), shape, &pose, 0.01);
                if !found.is_empty() {
                    touched = true;
                    assert!(
                        (found.normal - Vec3::Y).length() < 1e-6,
                        "{:?} at {x}: {:?} {:?}",
                        shape,
                        (found.normal, found.feature_a, found.feature_b),
                        found.points()
                    );
                }
            }
            assert!(touched, "{shape:?} at {x} falls between the triangles");
        }
    }
}

// One-sided triangles do not touch what is behind them; two-sided ones push it out at the back.
#[test]
fn sides_of_a_triangle() {
    let corners = [Vec3::new(-1.0, 0.0, -1.0), Vec3::new(-1.0, 0.0, 2.0), Vec3::new(2.0, 0.0, -1.0)];
    let two = Triangle::new(corners);
    let one = Triangle { two_sided: false, ..two };
    let (ball, block, drum) = (Sphere::new(0.3).unwrap(), cube(0.3), Cylinder::new(0.3, 0.3).unwrap());
    for shape in [ConvexRef::Sphere(&ball), ConvexRef::Cuboid(&block), ConvexRef::Cylinder(&drum)] {
        let above = meet(ConvexRef::Triangle(&one), shape, &at(-0.3, 0.1, -0.3), 0.0);
        assert_eq!(above.normal, Vec3::Y, "{shape:?}");
        assert!((above.separation() + 0.2).abs() < 1e-6, "{shape:?} {above:?}");
        assert!(meet(ConvexRef::Triangle(&one), shape, &at(-0.3, -0.1, -0.3), 0.0).is_empty());
        let below = meet(ConvexRef::Triangle(&two), shape, &at(-0.3, -0.1, -0.3), 0.0);
        assert!((below.normal + Vec3::Y).length() < 1e-6 && (below.separation() + 0.2).abs() < 1e-6, "{below:?}");
        // Exchanged.
        let back = meet(shape, ConvexRef::Triangle(&one), &at(0.3, -0.1, 0.3), 0.0);
        assert!((back.normal + Vec3::Y).length() < 1e-6 && (back.separation() + 0.2).abs() < 1e-6, "{back:?}");
    }
}

// Poses that are not finite, and shapes of 1e30: no panic, no endless loop.
#[test]
fn nonsense_is_survived() {
    let mut dice = Dice::new(99);
    let shapes: Vec<Any> = (0..18).map(|k| dice.shape(k % 9, if k < 9 { 1.0 } else { 1e30 })).collect();
    let flat = Any::Triangle(Triangle::new([Vec3::X; 3]));
    for a in shapes.iter().chain([&flat]) {
        for b in shapes.iter().chain([&flat]) {
            for v in [0.0, 1e30, Real::NAN, Real::INFINITY, 1e-30] {
                let pose = Pose::new(Vec3::new(v, 0.0, v), dice.rotation());
                meet(a.borrow(), b.borrow(), &pose, 0.01);
                let bent = Pose::new(Vec3::ZERO, Quat::new(v, 0.0, 0.0, 1.0));
                meet(a.borrow(), b.borrow(), &bent, 0.01);
                tumble::detect::narrow::closest_points(a.borrow(), b.borrow(), &pose);
            }
        }
    }
}
