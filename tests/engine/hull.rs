//! Hulls from clouds of points: topology, convexity and coverage on benign and on nasty clouds, against brute force.

use crate::random::Random;
use proptest::prelude::*;
use std::time::{Duration, Instant};
use tumble::math::{Float, Pose, Quat, Real, Vec3};
use tumble::shape::{Convex, Cuboid, Geometry, Hull, Ray};

/// The tolerance of the builder in sizes of the cloud.
const TOLERANCE: f64 = 1.0 / (1 << 20) as f64;

/// Rounding of normals and offsets to `Real`, and the grid of 2⁻⁴⁰.
const ROUNDING: f64 = 8.0 * Real::EPSILON as f64 + 4e-12;

fn size_of(points: &[Vec3]) -> f64 {
    let bounds = tumble::math::Aabb::of_points(points.iter().copied());
    (bounds.max.to_f64() - bounds.min.to_f64()).max_component()
}

/// Of so many points every how many-th is checked: all in release; elsewhere checking all of the largest hulls would take minutes.
fn stride(points: usize) -> usize {
    if cfg!(debug_assertions) { 1 + points / 500 } else { 1 }
}

/// Everything that a hull promises, for points near the origin.
fn check(points: &[Vec3], hull: &Hull) {
    let size = size_of(points);
    let tolerance = TOLERANCE * size;
    let rounding = ROUNDING * size;
    let (vertices, faces, edges) = (hull.vertices(), hull.faces(), hull.edges());

    // Topology.
    assert_eq!(vertices.len() + faces.len(), hull.edge_count() + 2, "Euler");
    let mut next_edge = 0;
    for (f, face) in faces.iter().enumerate() {
        assert_eq!(face.first_edge, next_edge, "half-edges of a face are contiguous, in the order of faces");
        assert!(face.edge_count >= 3);
        next_edge += face.edge_count;
        for e in face.first_edge..next_edge {
            let edge = edges[e as usize];
            let next = if e + 1 < next_edge { e + 1 } else { face.first_edge };
            assert_eq!((edge.face, edge.next), (f as u32, next));
            let twin = edges[edge.twin as usize];
            assert_eq!((twin.twin, twin.origin), (e, edges[next as usize].origin), "twins run against each other");
            assert_eq!(edges[twin.next as usize].origin, edge.origin, "and end where the other starts");
            assert_ne!(twin.face, edge.face, "an edge separates two faces");
        }
    }
    assert_eq!(next_edge as usize, edges.len());
    assert_eq!(hull.vertex_edges().len(), vertices.len());
    let mut degrees = vec![0; vertices.len()];
    edges.iter().for_each(|e| degrees[e.origin as usize] += 1);
    for (v, &degree) in degrees.iter().enumerate() {
        assert_eq!(edges[hull.vertex_edges()[v] as usize].origin, v as u32);
        let mut neighbours: Vec<_> = hull.neighbours(v as u32).take(degree + 1).collect();
        assert!(degree >= 3 && neighbours.len() == degree, "vertex {v}: {degree} edges, around it {neighbours:?}");
        neighbours.sort_unstable();
        neighbours.dedup();
        assert_eq!(neighbours.len(), degree, "no two edges join the same vertices");
    }

    // Geometry. A plane through the corners of a face, or of one of its triangles; nothing above it.
    for (f, face) in faces.iter().enumerate() {
        let n = face.normal.to_f64();
        assert!((n.length() - 1.0).abs() < ROUNDING);
        let height = |v: Vec3| n.dot(v.to_f64()) - face.offset.to_f64();
        let corners: Vec<Vec3> = hull.face_vertices(f as u32).map(|v| vertices[v as usize]).collect();
        for &v in &corners {
            assert!(height(v) >= -tolerance - rounding, "face {f}: corner {:e} sizes below", height(v) / size);
        }
        for &v in vertices.iter().step_by(stride(vertices.len())) {
            assert!(height(v) <= rounding, "face {f}: vertex {:e} sizes above", height(v) / size);
        }
        let k = corners.len();
        let mut area = Vec3::<f64>::ZERO;
        for i in 0..k {
            let (a, b, c) = (corners[i].to_f64(), corners[(i + 1) % k].to_f64(), corners[(i + 2) % k].to_f64());
            let out = n.dot((b - a).cross(c - a)) / (c - a).length();
            assert!(out >= -rounding, "face {f} of {k}: corner {} dented by {:e}", i + 1, out / size);
            area += (b - corners[0].to_f64()).cross(c - corners[0].to_f64());
        }
        assert!(n.dot(area) > 0.0, "face {f} is counter-clockwise");
    }

    // Coverage.
    let bits = |p: &Vec3| p.to_array().map(|x| x.to_f64().to_bits());
    let mut given: Vec<_> = points.iter().map(bits).collect();
    given.sort_unstable();
    for v in vertices {
        assert!(given.binary_search(&bits(v)).is_ok(), "vertices are points of the cloud, to the bit");
    }
    for p in points.iter().step_by(stride(points.len())) {
        let distance = hull.closest_point(*p).distance.to_f64();
        assert!(distance <= 3.0 * tolerance + rounding, "a point is {:e} sizes outside", distance / size);
    }
    assert!(hull.volume() > 0.0);
    let (centre, radius) = hull.inner_sphere();
    assert!(hull.contains(centre) && radius > 0.0);
}

fn hull(points: &[Vec3]) -> Hull {
    let hull = Hull::new(points).unwrap();
    check(points, &hull);
    hull
}

fn counts(hull: &Hull) -> (usize, usize, usize) {
    (hull.vertices().len(), hull.edge_count(), hull.faces().len())
}

/// The points of a grid on the surface of a cube of edge 2 with `n` points per edge.
fn cube_grid(n: usize) -> Vec<Vec3<f64>> {
    let at = |i: usize| 2.0 * i as f64 / (n - 1) as f64 - 1.0;
    let all = (0..n * n * n).map(|i| [i % n, i / n % n, i / n / n]);
    let surface = all.filter(|i| i.iter().any(|&k| k == 0 || k == n - 1));
    surface.map(|[i, j, k]| Vec3::new(at(i), at(j), at(k))).collect()
}

fn to_real(points: impl IntoIterator<Item = Vec3<f64>>) -> Vec<Vec3> {
    points.into_iter().map(|p| p.to_real()).collect()
}

#[test]
fn random_clouds() {
    let mut random = Random::new(1);
    for n in [4, 5, 6, 8, 12, 20, 50, 200, 1000] {
        for _ in 0..(2000 / n).clamp(1, 100) {
            hull(&to_real((0..n).map(|_| random.in_ball())));
            hull(&to_real((0..n).map(|_| random.in_cube())));
            let sphere = hull(&to_real((0..n).map(|_| random.direction())));
            assert!(sphere.vertices().len() >= n.min(1000), "every point of a sphere is a vertex");
        }
    }
}

/// Duplicates, points in faces and on edges: only the corners are left.
#[test]
fn grids_on_a_cube() {
    for n in [2, 3, 5, 10] {
        assert_eq!(counts(&hull(&to_real(cube_grid(n)))), (8, 12, 6));
    }
    let twice: Vec<_> = cube_grid(4).into_iter().chain(cube_grid(4)).collect();
    assert_eq!(counts(&hull(&to_real(twice))), (8, 12, 6));
}

/// Turned, so that no four points lie exactly in one plane any more.
#[test]
fn turned_grids_and_prisms() {
    let mut random = Random::new(2);
    for i in 0..60 {
        let turn = random.rotation();
        let stretch = Vec3::new(1.0, random.between(0.01, 1.0), random.between(0.01, 1.0));
        let grid = cube_grid([2, 3, 7, 20][i % 4]);
        let shift = random.in_cube();
        let turned = hull(&to_real(grid.iter().map(|p| turn.rotate(p.scale(stretch)) + shift)));
        assert_eq!(counts(&turned), (8, 12, 6));

        let n = 3 + random.below(60);
        let rim = |k: usize, y: f64| {
            let angle = 2.0 * f64::PI * k as f64 / n as f64;
            Vec3::new(Float::cos(angle), y, Float::sin(angle))
        };
        let prism = hull(&to_real((0..2 * n).map(|k| turn.rotate(rim(k / 2, if k % 2 == 0 { 0.3 } else { -0.3 })))));
        assert_eq!(counts(&prism), (2 * n, 3 * n, n + 2));
        let pyramid = (0..n).map(|k| rim(k, 0.0)).chain([Vec3::Y]);
        assert_eq!(counts(&hull(&to_real(pyramid.map(|p| turn.rotate(p))))), (n + 1, 2 * n, n + 1));
    }
}

/// Thin, needle-like and lens-like clouds; noise far below, at and above the tolerance.
#[test]
fn nearly_degenerate_clouds() {
    let mut random = Random::new(3);
    for round in 0..40 {
        let turn = random.rotation();
        for thickness in [1e-2, 1e-3, 1e-4, 1e-5, 5e-6] {
            let plate = Vec3::new(1.0, thickness, 1.0);
            let needle = Vec3::new(1.0, thickness, thickness);
            for stretch in [plate, needle] {
                let ball = (0..100).map(|_| turn.rotate(random.in_ball().scale(stretch)));
                hull(&to_real(ball.collect::<Vec<_>>()));
                let cube = cube_grid(4).into_iter().map(|p| turn.rotate(p.scale(stretch)));
                let cube = hull(&to_real(cube));
                if thickness >= 1e-4 {
                    assert_eq!(counts(&cube), (8, 12, 6));
                }
            }
        }
        for noise in [1e-8, 1e-7, 1e-6, 3e-6, 1e-5, 1e-4] {
            // Clusters of near duplicates at the corners of a cube.
            let near = |p: Vec3<f64>, random: &mut Random| turn.rotate(p + random.in_ball() * noise);
            let clusters: Vec<_> = (0..80).map(|i| near(cube_grid(2)[i % 8], &mut random)).collect();
            let clusters = hull(&to_real(clusters));
            if noise <= 1e-7 {
                assert_eq!(counts(&clusters), (8, 12, 6), "near duplicates");
            }
            // A rough surface.
            let rough: Vec<_> = cube_grid(8).into_iter().map(|p| near(p, &mut random)).collect();
            let rough = hull(&to_real(rough));
            if noise <= 1e-7 {
                assert_eq!(counts(&rough), (8, 12, 6), "roughness below the tolerance");
            }
            // Slightly bent plates, where faces meet at angles near the tolerance.
            let bent = cube_grid(8).into_iter().map(|p| {
                let bulge = noise * (1.0 - 0.5 * (p.x * p.x + p.z * p.z));
                turn.rotate(p * (1.0 + bulge))
            });
            hull(&to_real(bent));
        }
        // A lens: hardly thicker than the tolerance, but its rim must be kept, where no facet is much below any point.
        let n = 24 + round % 3;
        let rim = (0..n).map(|k| {
            let angle = 2.0 * f64::PI * k as f64 / n as f64;
            turn.rotate(Vec3::new(Float::cos(angle), 0.0, Float::sin(angle)))
        });
        let lens = rim.chain([turn.rotate(Vec3::Y * 1e-4), turn.rotate(Vec3::Y * -1e-4)]);
        assert_eq!(hull(&to_real(lens)).vertices().len(), n + 2);
    }
}

/// Fine round bodies, whose neighbouring faces are nearly in one plane.
#[test]
fn fine_round_clouds() {
    for n in [500, 5000] {
        let rim = |k: usize, y: f64| {
            let angle = 2.0 * f64::PI * (k % n) as f64 / n as f64;
            Vec3::new(Float::cos(angle), y, Float::sin(angle))
        };
        hull(&to_real((0..2 * n).map(|k| rim(k, if k < n { 0.5 } else { -0.5 }))));
        hull(&to_real((0..=n).map(|k| if k == n { Vec3::Y } else { rim(k, 0.0) })));
        // A torus of many points, a spiral on a ball, and the ball by longitude and latitude.
        hull(&to_real(
            (0..n).map(|k| rim(k * 37, 0.0) + rim(k * 37, 0.0) * (rim(k, 0.0).x * 0.3) + Vec3::Y * rim(k, 0.0).z),
        ));
        let m = 40;
        let globe = (0..n).map(|k| {
            let (lat, lon) = (f64::PI * (k / m) as f64 / (n / m) as f64, 2.0 * f64::PI * (k % m) as f64 / m as f64);
            Vec3::new(Float::sin(lat) * Float::cos(lon), Float::cos(lat), Float::sin(lat) * Float::sin(lon))
        });
        hull(&to_real(globe));
    }
}

/// Stretched by up to 10⁵, roughened by anything from nothing to far above the tolerance, on lattices, faces and rims.
#[test]
fn clouds_of_every_kind() {
    for seed in 0..400 {
        let mut random = Random::new(seed);
        let turn = if seed % 4 == 0 { Quat::IDENTITY } else { random.rotation() };
        let power = |random: &mut Random, low: f64| 10.0_f64.powf(random.between(low, 0.0));
        let stretch = [(); 3].map(|()| if random.below(2) == 0 { 1.0 } else { power(&mut random, -5.0) });
        let noise = if random.below(3) == 0 { 0.0 } else { 0.01 * power(&mut random, -7.0) };
        let (n, k, kind) = (4 + random.below(300), 2 + random.below(8), random.below(7));
        let grid = cube_grid(k);
        let tetrahedron = [0, 3, 5, 6].map(|i| cube_grid(2)[i]);
        let rim = |i: usize| {
            let angle = 2.0 * f64::PI * i as f64 / n as f64;
            Vec3::new(Float::cos(angle), 0.0, Float::sin(angle))
        };
        let cloud: Vec<_> = (0..n)
            .map(|i| {
                let p = match kind {
                    0 => random.in_ball(),
                    1 => random.direction(),
                    2 => grid[random.below(grid.len())],
                    3 => rim(i) + if i % 2 == 0 { Vec3::Y } else { -Vec3::Y },
                    4 => {
                        if i == 0 {
                            Vec3::Y
                        } else {
                            rim(i)
                        }
                    }
                    5 => Vec3::from([(); 3].map(|()| random.below(k) as f64)),
                    _ => {
                        let [a, b, c] = [(); 3].map(|()| tetrahedron[random.below(4)]);
                        a.lerp(b, random.between(0.0, 1.0)).lerp(c, random.between(0.0, 1.0))
                    }
                };
                turn.rotate((p + random.in_ball() * noise).scale(Vec3::from(stretch)))
            })
            .collect();
        let cloud = to_real(cloud);
        match Hull::new(&cloud) {
            Ok(hull) => check(&cloud, &hull),
            Err(error) => assert!(error.to_string().contains("lie"), "cloud {seed}: {error}"),
        }
    }
}

/// Far from the origin the same hull: the same half-edges, the same normals, to the bit.
#[test]
fn shifted_clouds() {
    let mut random = Random::new(4);
    for _ in 0..20 {
        // Whole numbers below 2²⁴, so that the shift is exact in `f32`.
        let lattice: Vec<Vec3> = (0..60)
            .map(|_| (random.in_ball() * 100.0).to_array().map(Float::floor))
            .map(|p| Vec3::from(p).to_real())
            .collect();
        let near = hull(&lattice);
        let shift = Vec3::new(1e6, -2e6, 3e6);
        let far = Hull::new(&lattice.iter().map(|&p| p + shift).collect::<Vec<_>>()).unwrap();
        assert_eq!(near.edges(), far.edges());
        for (a, b) in near.vertices().iter().zip(far.vertices()) {
            assert_eq!(*a + shift, *b);
        }
        for (a, b) in near.faces().iter().zip(far.faces()) {
            assert_eq!(a.normal, b.normal);
        }
        let (a, b) = (near.mass_properties(1.0).unwrap(), far.mass_properties(1.0).unwrap());
        assert!((a.mass / b.mass - 1.0).abs() < 1e-12);
        assert!((a.centre + shift.to_f64() - b.centre).length() < 1e-6);
        assert!((a.inertia.trace() / b.inertia.trace() - 1.0).abs() < 1e-9);
    }
}

/// The same points make the same hull, and its shape does not hang on their order or on powers of two in their size.
#[test]
fn same_bits_and_order() {
    let mut random = Random::new(5);
    let mut points = to_real((0..300).map(|_| random.in_ball()));
    let first = hull(&points);
    assert_eq!(first, Hull::new(&points).unwrap());
    let small = Hull::new(&points.iter().map(|&p| p * (1.0 / 4096.0)).collect::<Vec<_>>()).unwrap();
    assert_eq!(first.edges(), small.edges());
    for i in (1..points.len()).rev() {
        points.swap(i, random.below(i + 1));
    }
    let shuffled = hull(&points);
    assert_eq!(counts(&first), counts(&shuffled));
    let sorted = |hull: &Hull| {
        let mut v: Vec<_> = hull.vertices().iter().map(|v| v.to_array().map(|x| x.to_f64().to_bits())).collect();
        v.sort_unstable();
        v
    };
    assert_eq!(sorted(&first), sorted(&shuffled));
}

/// Faces and corners by brute force in whole numbers: a plane through three points with all others on one side carries a
/// face; a point on three such planes with independent normals is a corner.
fn brute_force(points: &[[i64; 3]]) -> Option<(usize, usize)> {
    let sub = |a: [i64; 3], b: [i64; 3]| [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    let cross =
        |a: [i64; 3], b: [i64; 3]| [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    let dot = |a: [i64; 3], b: [i64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    fn gcd(a: i64, b: i64) -> i64 {
        if b == 0 { a.abs() } else { gcd(b, a % b) }
    }
    let mut planes = Vec::new();
    for &a in points {
        for &b in points {
            for &c in points {
                let n = cross(sub(b, a), sub(c, a));
                let d = gcd(gcd(n[0], n[1]), n[2]);
                if d == 0 {
                    continue;
                }
                let n = n.map(|x| x / d);
                if points.iter().all(|&p| dot(n, sub(p, a)) <= 0) {
                    planes.push((n, dot(n, a)));
                }
            }
        }
    }
    planes.sort_unstable();
    planes.dedup();
    // Both sides of one plane: all points lie in it.
    if planes.len() < 4 {
        return None;
    }
    let mut corners = Vec::new();
    for &p in points {
        let through: Vec<_> = planes.iter().filter(|(n, d)| dot(*n, p) == *d).map(|x| x.0).collect();
        let independent =
            through.iter().any(|&a| through.iter().any(|&b| through.iter().any(|&c| dot(a, cross(b, c)) != 0)));
        if independent {
            corners.push(p);
        }
    }
    corners.sort_unstable();
    corners.dedup();
    Some((corners.len(), planes.len()))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    /// Small lattices are full of points in one plane, on one line and on top of each other.
    #[test]
    fn lattice_clouds_against_brute_force(
        range in 1_i64..6,
        seed in prop::collection::vec((0_i64..1000, 0_i64..1000, 0_i64..1000), 4..20),
    ) {
        let points: Vec<[i64; 3]> = seed.iter().map(|&(x, y, z)| [x, y, z].map(|c| c % (range + 1))).collect();
        let real: Vec<Vec3> = points.iter().map(|p| Vec3::from(p.map(|c| c as Real))).collect();
        match (brute_force(&points), Hull::new(&real)) {
            (Some((corners, faces)), Ok(hull)) => {
                check(&real, &hull);
                prop_assert_eq!((hull.vertices().len(), hull.faces().len()), (corners, faces));
            }
            (None, Err(error)) => prop_assert!(error.to_string().contains("lie"), "{}", error),
            (brute, built) => prop_assert!(false, "{:?} but {:?}", brute, built.map(|h| counts(&h))),
        }
    }

    /// Whatever bits come in: a hull that keeps its promises, or an error.
    #[test]
    fn any_clouds(points in prop::collection::vec(prop::array::uniform3(prop::num::f32::ANY), 0..30), finite: bool) {
        let points: Vec<Vec3> = points
            .into_iter()
            .map(|p| Vec3::from(p.map(|x| if finite && !x.is_finite() { 1.0 } else { x as Real })))
            .collect();
        if let Ok(hull) = Hull::new(&points) {
            prop_assert!(hull.volume() > 0.0);
            prop_assert_eq!(hull.vertices().len() + hull.faces().len(), hull.edge_count() + 2);
            prop_assert!(hull.inner_sphere().0.is_finite());
        }
    }
}

#[test]
fn bad_clouds_are_refused() {
    let refuse = |points: &[Vec3]| Hull::new(points).unwrap_err().to_string();
    let mut random = Random::new(6);
    let v = |x: Real, y: Real, z: Real| Vec3::new(x, y, z);
    assert_eq!(refuse(&[]), "hull: needs at least 4 points, got 0");
    assert_eq!(refuse(&[Vec3::X; 3]), "hull: needs at least 4 points, got 3");
    assert_eq!(refuse(&[Vec3::X; 9]), "hull: needs 4 different points, got 1: all 9 lie at one place");
    let three = [Vec3::X, Vec3::Y, Vec3::Z, Vec3::X, Vec3::Y];
    assert_eq!(refuse(&three), "hull: needs 4 different points, got 3: all 5 lie in one plane");
    // Both zeros are one point.
    let zeros = [v(0.0, 0.0, 0.0), v(-0.0, 0.0, 0.0), Vec3::X, Vec3::Y];
    assert_eq!(refuse(&zeros), "hull: needs 4 different points, got 3: all 4 lie in one plane");
    let turn = random.rotation();
    let line: Vec<_> = (0..7).map(|i| turn.rotate(Vec3::X * f64::from(i)).to_real()).collect();
    assert_eq!(refuse(&line), "hull: all 7 points lie on one line");
    let plane = (0..12).map(|_| turn.rotate(random.in_cube().scale(Vec3::new(1.0, 0.0, 1.0))).to_real());
    assert_eq!(refuse(&plane.collect::<Vec<_>>()), "hull: all 12 points lie in one plane");
    let mut points = to_real((0..10).map(|_| random.in_ball()));
    points[6].y = Real::NAN;
    assert!(refuse(&points).starts_with("hull: point 6 is not finite: ("), "{}", refuse(&points));
    points[3].x = Real::INFINITY;
    assert!(refuse(&points).starts_with("hull: point 3 is not finite: (inf, "), "{}", refuse(&points));
}

/// Very small and very large clouds are as good as others.
#[test]
fn extreme_sizes() {
    for size in [1e-30, 1e-6, 1e6, 1e30] {
        let size: Real = size;
        let points: Vec<_> = cube_grid(3).into_iter().map(|p| p.to_real() * size).collect();
        let hull = hull(&points);
        assert_eq!(counts(&hull), (8, 12, 6));
        assert!((hull.volume() / (8.0 * size.to_f64().powi(3)) - 1.0).abs() < 1e-12);
        assert!((hull.inner_sphere().1 / size - 1.0).abs() < 1e-5);
    }
}

/// A box as hull answers what the box answers, down to the number of the face.
#[test]
fn box_as_hull() {
    let cuboid = Cuboid::new(Vec3::new(0.5, 0.75, 0.25)).unwrap();
    let hull = cuboid.to_hull();
    check(hull.vertices(), &hull);
    let built = Hull::new(hull.vertices()).unwrap();
    assert_eq!((counts(&hull), hull.vertices()), (counts(&built), built.vertices()));
    assert_eq!(hull.mass_properties(3.0).unwrap().mass, cuboid.mass_properties(3.0).unwrap().mass);
    assert_eq!(hull.inner_sphere().1, 0.25);
    let mut random = Random::new(7);
    for _ in 0..500 {
        let p = (random.in_ball() * 1.5).to_real();
        let (a, b) = (cuboid.closest_point(p), hull.closest_point(p));
        assert!((a.point - b.point).length() < 1e-6 && (a.normal - b.normal).length() < 1e-5, "{a:?} {b:?}");
        assert!((a.distance - b.distance).abs() < 1e-6);
        assert_eq!(cuboid.contains(p), hull.contains(p));
        let ray = Ray::new(p, random.direction().to_real());
        let (a, b) = (cuboid.cast_ray(&ray, 9.0), hull.cast_ray(&ray, 9.0));
        assert_eq!(a.is_some(), b.is_some());
        if let (Some(a), Some(b)) = (a, b) {
            assert!((a.t - b.t).abs() < 1e-6 && a.normal == b.normal && a.part == b.part, "{a:?} {b:?}");
        }
    }
}

/// A tetrahedron, an octahedron and a fine ball against closed forms.
#[test]
fn mass_against_closed_forms() {
    let corners =
        [Vec3::new(1.0, 1.0, 1.0), Vec3::new(-1.0, -1.0, 1.0), Vec3::new(-1.0, 1.0, -1.0), Vec3::new(1.0, -1.0, -1.0)];
    let tetrahedron = Hull::new(&corners).unwrap().mass_properties(3.0).unwrap();
    // Edge a = 2√2: volume a³/(6√2) = 8/3, inertia m a²/20.
    assert!((tetrahedron.mass - 8.0).abs() < 1e-12 && tetrahedron.centre.length() < 1e-12);
    assert!((tetrahedron.inertia.xx - 3.2).abs() < 1e-12 && tetrahedron.inertia.xy.abs() < 1e-12);
    assert!((tetrahedron.inertia.yy - 3.2).abs() < 1e-12 && (tetrahedron.inertia.zz - 3.2).abs() < 1e-12);

    // One corner of a cube cut off: ∫x = 1/24, ∫x² = 1/60, ∫xy = 1/120.
    let corner = Hull::new(&[Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z]).unwrap().mass_properties(1.0).unwrap();
    assert!((corner.mass - 1.0 / 6.0).abs() < 1e-15);
    assert!((corner.centre - Vec3::all(0.25)).length() < 1e-15);
    assert!((corner.inertia.xx - (2.0 / 60.0 - 2.0 / 96.0)).abs() < 1e-15);
    assert!((corner.inertia.xy - -(1.0 / 120.0 - 1.0 / 96.0)).abs() < 1e-15);

    // Golden-angle spiral of n points: the missing volume goes as 1/n.
    let n = 10_000;
    let spiral = (0..n).map(|k| {
        let y = 1.0 - (2 * k + 1) as f64 / n as f64;
        let (r, angle) = ((1.0 - y * y).sqrt(), k as f64 * 2.399_963_229_728_653);
        Vec3::new(r * Float::cos(angle), y, r * Float::sin(angle))
    });
    let ball = Hull::new(&to_real(spiral)).unwrap().mass_properties(1.0).unwrap();
    assert!((ball.mass / (4.0 / 3.0 * f64::PI) - 1.0).abs() < 1e-3, "{}", ball.mass);
    assert!((ball.inertia.xx / (0.4 * ball.mass) - 1.0).abs() < 1e-3);
}

/// The inner ball has at least half of the largest radius, which a fine search finds; in fact nearly all of it.
#[test]
fn inner_balls() {
    let mut random = Random::new(8);
    for i in 0..60 {
        let stretch = Vec3::new(1.0, random.between(0.05, 1.0), random.between(0.05, 1.0));
        let n = 4 + random.below(if i % 2 == 0 { 8 } else { 60 });
        let hull = hull(&to_real((0..n).map(|_| random.in_ball().scale(stretch)).collect::<Vec<_>>()));
        let room = |p: Vec3<f64>| {
            hull.faces().iter().map(|f| f.offset.to_f64() - f.normal.to_f64().dot(p)).fold(f64::INFINITY, f64::min)
        };
        let (centre, radius) = hull.inner_sphere();
        assert!((room(centre.to_f64()) - radius.to_f64()).abs() < 1e-5);
        let mut best = centre.to_f64();
        let mut step = 0.3;
        while step > 1e-5 {
            let mut better = false;
            for _ in 0..60 {
                let p = best + random.direction() * step;
                if room(p) > room(best) {
                    (best, better) = (p, true);
                }
            }
            if !better {
                step *= 0.7;
            }
        }
        let share = radius.to_f64() / room(best);
        assert!(share > 0.999, "{share} of the largest radius");
    }
}

/// Climbing along edges finds what looking at every vertex finds, on hulls with flat, fine and rough parts.
#[test]
fn climbing_against_looking_at_all() {
    let mut random = Random::new(9);
    let n = 3000;
    let rim = |k: usize, y: f64| {
        let angle = 2.0 * f64::PI * k as f64 / n as f64;
        Vec3::new(Float::cos(angle), y, Float::sin(angle))
    };
    let turn = random.rotation();
    let clouds: Vec<Vec<Vec3<f64>>> = vec![
        (0..2000).map(|_| random.direction()).collect(),
        (0..2000).map(|_| random.direction().scale(Vec3::new(1.0, 0.01, 0.3))).collect(),
        (0..2 * n).map(|k| turn.rotate(rim(k, if k < n { 0.5 } else { -0.5 }))).collect(),
        (0..n).map(|k| turn.rotate(rim(k, 0.0))).chain([turn.rotate(Vec3::Y)]).collect(),
        // Rough at the tolerance, where merged faces are not quite flat.
        cube_grid(12).into_iter().map(|p| turn.rotate(p * (1.0 + 2e-6 * random.between(0.0, 1.0)))).collect(),
        cube_grid(12).into_iter().map(|p| turn.rotate(p * (1.0 - 1e-5 * p.length_squared()))).collect(),
    ];
    for (c, cloud) in clouds.into_iter().enumerate() {
        let hull = Hull::new(&to_real(cloud)).unwrap();
        for i in 0..500 {
            let mut d = random.direction();
            if i % 3 == 0 {
                // Along a face's normal and its edges, where many vertices are equal but for rounding.
                let face = random.below(hull.faces().len());
                d = hull.faces()[face].normal.to_f64() + random.in_ball() * [0.0, 1e-7, 1e-4][i / 3 % 3];
            }
            let d = d.to_real();
            let highest = hull.vertices().iter().map(|v| v.to_f64().dot(d.to_f64())).fold(f64::NEG_INFINITY, f64::max);
            let found = hull.support(d).to_f64().dot(d.to_f64());
            // Small hulls are searched in `Real`, large ones climbed in `f64`.
            let tolerance = if hull.vertices().len() < 64 { ROUNDING } else { 1e-11 };
            assert!(highest - found <= tolerance, "cloud {c}: {found} instead of {highest} along {d:?}");
        }
        let pose = Pose::new(Vec3::ZERO, random.rotation().to_real());
        let bounds = hull.bounds(&pose);
        let all = tumble::math::Aabb::of_points(hull.vertices().iter().map(|&v| pose.transform_point(v)));
        assert!((bounds.min - all.min).length() < 2e-6 && (bounds.max - all.max).length() < 2e-6);
    }
}

/// 10,000 points in less than 50 ms as users build the engine.
#[test]
fn building_is_fast() {
    let mut random = Random::new(10);
    let turn = random.rotation();
    let grid = cube_grid(42);
    assert!(grid.len() > 10_000);
    let clouds = [
        ("in a ball", to_real((0..10_000).map(|_| random.in_ball()))),
        ("on a sphere", to_real((0..10_000).map(|_| random.direction()))),
        ("on a cube", to_real(grid.iter().copied())),
        ("on a turned cube", to_real(grid.iter().map(|&p| turn.rotate(p)))),
        (
            "on a cylinder's rims",
            to_real((0..10_000).map(|k| {
                let angle = f64::PI * k as f64 / 5000.0;
                Vec3::new(Float::cos(angle), if k % 2 == 0 { 1.0 } else { -1.0 }, Float::sin(angle))
            })),
        ),
    ];
    for (name, cloud) in clouds {
        // The best of some, since other tests run at the same time.
        let mut time = Duration::MAX;
        for _ in 0..5 {
            let start = Instant::now();
            Hull::new(&cloud).unwrap();
            time = time.min(start.elapsed());
        }
        let hull = Hull::new(&cloud).unwrap();
        println!("hull of {} points {name}: {:?}, {time:?}", cloud.len(), counts(&hull));
        check(&cloud, &hull);
        // With debug assertions, and other builds beside it, what grows with the square takes longer still.
        let bar = if cfg!(debug_assertions) { 1000 } else { 50 };
        assert!(time < Duration::from_millis(bar), "{name}: {time:?}");
    }
}
