//! Triangle meshes and their tree, against brute force over all triangles and against closed forms.

use crate::solids::{self, Triangles};
use proptest::prelude::*;
use tumble::math::{Aabb, Float, Pose, Quat, Real, Vec3};
use tumble::shape::{Bvh, Cuboid, EdgeKind, Geometry, Mesh, MeshDesc, Ray, Sides};

fn mesh(solid: &Triangles) -> Mesh {
    let (vertices, triangles) = solids::rounded(solid);
    MeshDesc::new(vertices, triangles).build().unwrap()
}

fn corners(mesh: &Mesh, t: u32) -> [Vec3<f64>; 3] {
    mesh.get(t).unwrap().corners.map(|v| v.to_f64())
}

/// Möller and Trumbore, in `f64`: distance along the direction, and whether the front was hit.
fn ray_triangle(o: Vec3<f64>, d: Vec3<f64>, [a, b, c]: [Vec3<f64>; 3]) -> Option<(f64, bool)> {
    let (p, q) = (b - a, c - a);
    let h = d.cross(q);
    let det = p.dot(h);
    let s = (o - a) / det;
    let u = s.dot(h);
    let k = s.cross(p);
    let v = d.dot(k);
    let t = q.dot(k);
    (u >= 0.0 && v >= 0.0 && u + v <= 1.0 && t >= 0.0).then_some((t, det > 0.0))
}

/// The nearest point by its plane where that is inside, by its edges else.
fn triangle_distance(p: Vec3<f64>, [a, b, c]: [Vec3<f64>; 3]) -> f64 {
    let n = (b - a).cross(c - a).try_normalize().unwrap();
    let inside = [(a, b), (b, c), (c, a)].iter().all(|&(from, to)| (to - from).cross(p - from).dot(n) >= 0.0);
    if inside {
        return (p - a).dot(n).abs();
    }
    let segment = |from: Vec3<f64>, to: Vec3<f64>| {
        let t = ((p - from).dot(to - from) / (to - from).length_squared()).clamp(0.0, 1.0);
        (p - from.lerp(to, t)).length()
    };
    segment(a, b).min(segment(b, c)).min(segment(c, a))
}

fn point(range: f64) -> impl Strategy<Value = Vec3> {
    prop::array::uniform3(-range..range).prop_map(|p| Vec3::<f64>::from(p).to_real())
}

fn rotation() -> impl Strategy<Value = Quat> {
    prop::array::uniform4(-1.0..1.0f64)
        .prop_filter("too short to normalise", |q| Quat::from(*q).dot(Quat::from(*q)) > 1e-2)
        .prop_map(|q| Quat::from(q).normalized().to_real())
}

fn boxes() -> impl Strategy<Value = Vec<Aabb>> {
    let one = (point(10.0), prop::array::uniform3(0.0..2.0f64))
        .prop_map(|(min, size)| Aabb { min, max: min + Vec3::<f64>::from(size).to_real() });
    prop::collection::vec(one, 0..200)
}

/// Loose triangles of all sizes, none degenerate.
fn soup() -> impl Strategy<Value = Mesh> {
    prop::collection::vec((point(4.0), point(1.0), point(1.0)), 1..80).prop_filter_map("degenerate", |list| {
        let vertices: Vec<Vec3> = list.iter().flat_map(|&(a, u, v)| [a, a + u, a + v]).collect();
        let triangles = (0..list.len() as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        MeshDesc::new(vertices, triangles).sides(Sides::Two).build().ok()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    // The tree reports every overlapping box exactly once, and nothing from far away.
    #[test]
    fn tree_overlaps(boxes in boxes(), corner in point(10.0), size in 0.0..6.0f64) {
        let tree = Bvh::new(&boxes).unwrap();
        let query = Aabb::new(corner, corner + Vec3::all(Real::from_f64(size)));
        let mut found: Vec<u32> = tree.candidates(&query).collect();
        found.sort_unstable();
        let all: Vec<u32> = (0..boxes.len() as u32).filter(|&i| boxes[i as usize].overlaps(&query)).collect();
        prop_assert!(found.windows(2).all(|w| w[0] < w[1]));
        found.retain(|&i| boxes[i as usize].overlaps(&query));
        prop_assert_eq!(found, all);
    }

    // The first box along a ray, and the box nearest to a point, each with the limit that shrinks.
    #[test]
    fn tree_rays_and_points(boxes in boxes(), o in point(15.0), d in point(1.0)) {
        let tree = Bvh::new(&boxes).unwrap();
        let (o64, d64) = (o.to_f64(), d.to_f64());
        prop_assume!(d64.length() > 1e-3);
        let entry = |i: u32| {
            let b = &boxes[i as usize];
            let (mut near, mut far) = (0.0f64, f64::INFINITY);
            for k in 0..3 {
                let (p, q) = ((b.min[k].to_f64() - o64[k]) / d64[k], (b.max[k].to_f64() - o64[k]) / d64[k]);
                near = near.max(p.min(q));
                far = far.min(p.max(q));
            }
            (near <= far).then_some(near)
        };
        let mut first = f64::INFINITY;
        let mut visits = 0;
        tree.along_ray(o64, d64, f64::INFINITY, |i, limit| {
            visits += 1;
            first = entry(i).map_or(limit, |t| t.min(limit));
            first
        });
        let expected = (0..boxes.len() as u32).filter_map(entry).fold(f64::INFINITY, f64::min);
        prop_assert_eq!(first, expected);
        prop_assert!(visits <= boxes.len());

        let square = |i: u32| {
            let b = &boxes[i as usize];
            (b.min.to_f64() - o64).max(o64 - b.max.to_f64()).max(Vec3::ZERO).length_squared()
        };
        let mut nearest = f64::INFINITY;
        tree.around_point(o64, f64::INFINITY, |i, limit| {
            nearest = square(i).min(limit);
            nearest
        });
        prop_assert_eq!(nearest, (0..boxes.len() as u32).map(square).fold(f64::INFINITY, f64::min));
    }

    // Rays into a soup: the nearest triangle of all, from both sides; a one-sided copy shows only fronts.
    #[test]
    fn rays_against_all_triangles(soup in soup(), o in point(6.0), aim in point(4.0)) {
        let ray = Ray::new(o, aim - o);
        prop_assume!(ray.direction.length() > 1e-3);
        let (o64, d64) = (ray.origin.to_f64(), ray.direction.to_f64());
        let one = MeshDesc::new(soup.vertices().to_vec(), soup.triangles().to_vec()).build().unwrap();
        for (mesh, front_only) in [(&soup, false), (&one, true)] {
            let expected = (0..mesh.triangle_count())
                .filter_map(|t| ray_triangle(o64, d64, corners(mesh, t)).map(|(d, front)| (d, front, t)))
                .filter(|&(d, front, _)| (front || !front_only) && d <= 2.0)
                .min_by(|a, b| a.0.total_cmp(&b.0));
            let hit = mesh.cast_ray(&ray, 2.0);
            prop_assert_eq!(hit.map(|h| h.part), expected.map(|e| e.2));
            if let (Some(hit), Some((d, front, t))) = (hit, expected) {
                prop_assert!((hit.t.to_f64() - d).abs() <= 1e-9 + Real::EPSILON.to_f64() * d);
                let n = mesh.get(t).unwrap().normal;
                prop_assert_eq!(hit.normal, if front { n } else { -n });
            }
        }
    }

    // The nearest point of a soup, the farthest corner, the exact box under any pose.
    #[test]
    fn distances_and_bounds_against_all_triangles(soup in soup(), p in point(8.0), q in rotation()) {
        let p64 = p.to_f64();
        let expected = (0..soup.triangle_count())
            .map(|t| triangle_distance(p64, corners(&soup, t)))
            .fold(f64::INFINITY, f64::min);
        let found = soup.closest_point(p);
        let rounding = 64.0 * Real::EPSILON.to_f64();
        prop_assert!((found.distance.to_f64() - expected).abs() <= rounding * (1.0 + expected));
        prop_assert!((triangle_distance(found.point.to_f64(), corners(&soup, found.part))) < rounding * 10.0);
        let along = found.point.to_f64() + found.normal.to_f64() * found.distance.to_f64();
        prop_assert!((along - p64).length() < rounding * 10.0);

        let farthest = soup.vertices().iter().map(|v| (v.to_f64() - p64).length()).fold(0.0, f64::max);
        prop_assert!((soup.farthest_from(p).to_f64() - farthest).abs() < rounding * 10.0);

        let pose = Pose::new(p, q);
        let expected = Aabb::of_points(soup.vertices().iter().map(|&v| pose.transform_point(v)));
        let bounds = soup.bounds(&pose);
        prop_assert!((bounds.min - expected.min).abs().max_component().to_f64() < rounding * 20.0);
        prop_assert!((bounds.max - expected.max).abs().max_component().to_f64() < rounding * 20.0);

        let query = Aabb::new(p * 0.5 - Vec3::all(1.0), p * 0.5 + Vec3::all(1.0));
        let mut found: Vec<u32> = soup.triangles_in(&query).collect();
        found.sort_unstable();
        let all: Vec<u32> = (0..soup.triangle_count())
            .filter(|&t| Aabb::of_points(soup.get(t).unwrap().corners).overlaps(&query))
            .collect();
        prop_assert_eq!(found, all);
    }

    // Signed distance, nearest point and containment of a box as a mesh are those of the box: faces, edges and corners,
    // inside and outside; and rays from inside hit at once.
    #[test]
    fn box_as_mesh(half in prop::array::uniform3(0.2..2.0f64), p in point(3.0), d in point(1.0)) {
        let half = Vec3::<f64>::from(half).to_real();
        let (solid, exact) = (mesh(&solids::cuboid(half.to_f64())), Cuboid::new(half).unwrap());
        prop_assert!(solid.is_solid());
        let (a, b) = (solid.closest_point(p), exact.closest_point(p));
        let rounding = 16.0 * Real::EPSILON + 1e-13;
        prop_assert!((a.distance - b.distance).abs() <= rounding, "{:?} {:?}", a, b);
        if b.distance > 1e-3 {
            prop_assert!((a.point - b.point).length() <= rounding);
            prop_assert!((a.normal - b.normal).length() <= 1e4 * rounding);
        }
        prop_assert_eq!(solid.contains(p), exact.contains(p));
        let ray = Ray::new(p, d);
        let (a, b) = (solid.cast_ray(&ray, 10.0), exact.cast_ray(&ray, 10.0));
        match (a, b) {
            (Some(a), Some(b)) => {
                // Grazing rays magnify the rounding of the origin.
                prop_assert!((a.t - b.t).abs() <= 1e3 * rounding * (1.0 + b.t));
                prop_assert!(b.normal == Vec3::ZERO || a.normal == b.normal || a.t == b.t);
            }
            (a, b) => prop_assert!(a.is_none() && b.is_none(), "{a:?} {b:?}"),
        }
    }

    // Mutations at random: an error or a mesh that answers; never a panic.
    #[test]
    fn mutated_meshes_never_panic(
        edits in prop::collection::vec((0u8..8, any::<prop::sample::Index>(), any::<prop::sample::Index>()), 0..6),
        special in prop::sample::select(vec![Real::NAN, Real::INFINITY, -0.0, 1e30, -1e30, 1e-30, Real::MAX]),
        p in point(3.0),
    ) {
        let (mut vertices, mut triangles) = solids::rounded(&solids::ball(1.0, 5, 4));
        for (kind, i, j) in edits {
            if triangles.is_empty() || vertices.is_empty() {
                break;
            }
            let t = i.index(triangles.len());
            let v = j.index(vertices.len());
            match kind {
                0 => drop(triangles.remove(t)),
                1 => triangles.push(triangles[t]),
                2 => triangles[t].swap(0, 1),
                3 => triangles[t][v % 3] = v as u32,
                4 => vertices[v][t % 3] = special,
                5 => drop(vertices.remove(v)),
                6 => vertices[v] = vertices[t % vertices.len()],
                _ => triangles[t][t % 3] = u32::MAX - v as u32,
            }
        }
        let weld = if special == 1e-30 { 0.5 } else { 0.0 };
        if let Ok(mesh) = MeshDesc::new(vertices, triangles).weld_distance(weld).build() {
            let ray = Ray::new(p, -p);
            let _ = (mesh.cast_ray(&ray, 10.0), mesh.closest_point(p), mesh.contains(p), mesh.mass_properties(1.0));
            let _ = (mesh.bounds(&Pose::IDENTITY), mesh.farthest_from(p), mesh.inner_sphere());
        }
    }
}

// Inside and outside of a ring, whose hole and rim have edges and vertices of every kind, by its equation.
#[test]
fn signs_around_a_ring() {
    let ring = mesh(&solids::torus(1.0, 0.4, 48, 24));
    let mut checked = 0;
    for k in 0..4000u32 {
        // A low-discrepancy sequence over the box.
        let p =
            Vec3::from([0.8191725134, 0.6710436067, 0.5497004779f64].map(|g| 2.0 * (g * f64::from(k)).fract() - 1.0));
        let p = p.scale(Vec3::new(1.5, 0.5, 1.5));
        let across = (p.x * p.x + p.z * p.z).sqrt() - 1.0;
        let exact = (across * across + p.y * p.y).sqrt() - 0.4;
        // The mesh lies up to 1 % of the tube inside the ring.
        let found = ring.closest_point(p.to_real()).distance.to_f64();
        assert!((found - exact).abs() < 8e-3, "{p:?}: {found} {exact}");
        if exact.abs() > 8e-3 {
            assert_eq!(ring.contains(p.to_real()), exact < 0.0);
            checked += 1;
        }
    }
    assert!(checked > 3500);
    let (centre, radius) = ring.inner_sphere();
    assert!(radius > 0.3 && radius < 0.4);
    assert!((ring.closest_point(centre).distance + radius).abs() < 1e-5);
}

// Rays at every vertex, at points on every edge and on every face of a closed mesh: none slips between two triangles.
#[test]
fn closed_meshes_are_watertight() {
    let (ball, ring) = (mesh(&solids::ball(1.0, 31, 17)), mesh(&solids::torus(1.0, 0.4, 24, 12)));
    for (mesh, radius) in [(&ball, 0.0), (&ring, 1.0)] {
        for t in 0..mesh.triangle_count() {
            let [a, b, c] = mesh.get(t).unwrap().corners;
            for target in [a, a.lerp(b, 0.5), b.lerp(c, 0.3), c.lerp(a, 0.7), (a + b + c) / 3.0] {
                // Away from the middle of the ball or of the tube: steep on all faces around.
                let core = Vec3::new(target.x, 0.0, target.z).normalize_or(Vec3::X) * radius;
                let up = (target - core).normalize_or(Vec3::Y);
                for (slant, height) in [(Vec3::ZERO, 0.3), (Vec3::new(0.1, 0.2, -0.1), 2.0), (Vec3::ZERO, 1e5)] {
                    let origin = target + (up + slant) * height;
                    let hit = mesh.cast_ray(&Ray::new(origin, target - origin), 2.0);
                    assert!(hit.is_some(), "ray at {target:?} from {origin:?}");
                }
            }
        }
    }
}

// Edges of a box are convex and its diagonals flat; from inside they are concave; a soup of loose triangles has the same
// neighbours; a square has a border.
#[test]
fn neighbours_and_kinds_of_edges() {
    let count = |mesh: &Mesh, kind| {
        (0..mesh.triangle_count()).flat_map(|t| mesh.get(t).unwrap().adjacency.kinds).filter(|&k| k == kind).count()
    };
    let cube = solids::cuboid(Vec3::new(1.0, 2.0, 3.0));
    let shared = mesh(&cube);
    assert_eq!((count(&shared, EdgeKind::Convex), count(&shared, EdgeKind::Flat)), (24, 12));
    let room = mesh(&solids::inverted(&cube));
    assert_eq!((count(&room, EdgeKind::Concave), count(&room, EdgeKind::Flat)), (24, 12));
    assert!(!room.is_closed());

    let loose: Vec<Vec3> = (0..12).flat_map(|t| shared.get(t).unwrap().corners).collect();
    let numbers: Vec<[u32; 3]> = (0..12).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    let soup = MeshDesc::new(loose.clone(), numbers.clone()).build().unwrap();
    assert!(soup.is_solid());
    for t in 0..12 {
        assert_eq!(soup.get(t), shared.get(t));
        for edge in 0..3 {
            let other = soup.get(t).unwrap().adjacency.neighbour(edge).unwrap();
            assert!((0..3).any(|e| soup.get(other).unwrap().adjacency.neighbour(e) == Some(t)));
        }
    }
    // Corners that differ by a hundredth of a millimetre are joined only on request.
    let shaken: Vec<Vec3> = loose.iter().enumerate().map(|(i, v)| *v + Vec3::all(1e-5 * (i % 2) as Real)).collect();
    let open = MeshDesc::new(shaken.clone(), numbers.clone()).build().unwrap();
    assert!(!open.is_closed() && count(&open, EdgeKind::Boundary) > 0);
    let welded = MeshDesc::new(shaken, numbers).weld_distance(1e-4).build().unwrap();
    assert!(welded.is_solid());
    assert_eq!(count(&welded, EdgeKind::Boundary), 0);
    assert!((welded.mass_properties(1.0).unwrap().mass - 48.0).abs() < 1e-2);

    let square = vec![Vec3::ZERO, Vec3::Z, Vec3::new(1.0, 0.0, 1.0), Vec3::X];
    let square = MeshDesc::new(square, vec![[0, 1, 2], [0, 2, 3]]).build().unwrap();
    assert_eq!(square.get(0).unwrap().adjacency.kinds, [EdgeKind::Boundary, EdgeKind::Boundary, EdgeKind::Flat]);
    assert_eq!(square.get(0).unwrap().adjacency.neighbour(2), Some(1));
    assert!(square.mass_properties(1.0).unwrap_err().to_string().contains("has no neighbour"));
    assert!(!square.contains(Vec3::new(0.5, 0.0, 0.2)));
    assert!(square.closest_point(-Vec3::Y).distance > 0.9);
    assert_eq!(square.inner_sphere().1, 0.0);
}

// A two-sided closed mesh is a shell: rays meet it from within, it contains nothing, and it has the mass of the solid.
#[test]
fn shells_have_no_inside() {
    let (vertices, triangles) = solids::rounded(&solids::cuboid(Vec3::all(1.0)));
    let shell = MeshDesc::new(vertices, triangles).sides(Sides::Two).build().unwrap();
    let hit = shell.cast_ray(&Ray::new(Vec3::ZERO, Vec3::X), 5.0).unwrap();
    assert_eq!((hit.t, hit.normal), (1.0, -Vec3::X));
    assert!(!shell.contains(Vec3::ZERO) && shell.closest_point(Vec3::ZERO).distance == 1.0);
    assert_eq!(shell.mass_properties(1.0).unwrap().mass, 8.0);
}

#[test]
fn materials_follow_their_triangles() {
    let (vertices, triangles) = solids::rounded(&solids::cuboid(Vec3::all(1.0)));
    let slots: Vec<u16> = (0..12).map(|t| t / 2).collect();
    let cube = MeshDesc::new(vertices, triangles).materials(slots).build().unwrap();
    let top = cube.cast_ray(&Ray::new(Vec3::new(0.3, 5.0, 0.1), -Vec3::Y), 10.0).unwrap();
    assert_eq!(cube.get(top.part).unwrap().material, 3);
    assert_eq!(cube.get(12), None);
}

// Whatever is wrong with a mesh is named with its first place.
#[test]
fn faults_of_meshes_are_named() {
    let (vertices, triangles) = solids::rounded(&solids::cuboid(Vec3::all(1.0)));
    let message = |desc: MeshDesc| desc.build().unwrap_err().to_string();
    let desc = MeshDesc::new(vertices.clone(), triangles.clone());
    assert_eq!(message(MeshDesc::default()), "mesh: has no triangles");
    assert_eq!(message(desc.clone().materials(vec![0; 11])), "mesh: has 12 triangles, but materials for 11");
    assert!(message(desc.clone().weld_distance(Real::NAN)).contains("weld distance"));
    assert!(message(desc.clone().weld_distance(-1.0)).contains("weld distance"));
    assert!(message(desc.clone().flat_angle(Real::NAN)).contains("flat angle"));
    assert!(message(desc.clone().weld_distance(10.0)).contains("triangle 0 shrinks to a line"));
    let mut bad = desc.clone();
    bad.triangles[9][1] = 77;
    assert_eq!(message(bad), "mesh: triangle 9 refers to vertex 77, but there are 8");
    let mut bad = desc.clone();
    bad.vertices.push(Vec3::new(Real::INFINITY, 0.0, 0.0));
    assert!(message(bad).contains("vertex 8 is not finite"));
    let mut bad = desc.clone();
    bad.vertices.extend([Vec3::ZERO, Vec3::X, Vec3::X * 3.0]);
    bad.triangles.push([8, 9, 10]);
    assert_eq!(message(bad), "mesh: triangle 12 (vertices 8, 9, 10) has no area");
    // A long sliver that can still be told from a line is kept.
    let mut sliver = desc;
    sliver.vertices.extend([Vec3::ZERO, Vec3::X, Vec3::new(0.5, 1e-5, 0.0)]);
    sliver.triangles.push([8, 9, 10]);
    assert_eq!(sliver.build().unwrap().get(12).unwrap().normal, Vec3::Z);
}
