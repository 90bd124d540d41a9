//! Height fields, against the same triangles as a mesh and against closed forms.

use proptest::prelude::*;
use tumble::math::{Aabb, Float, Pose, Quat, Real, Vec3};
use tumble::shape::{Geometry, HeightField, HeightFieldDesc, Mesh, MeshDesc, Ray};

/// The triangles of a field outside its holes as a mesh, and their numbers in the field.
fn as_mesh(field: &HeightField) -> (Mesh, Vec<u32>) {
    let numbers: Vec<u32> = (0..field.triangle_count()).filter(|&t| field.get(t).is_some()).collect();
    let vertices: Vec<Vec3> = numbers.iter().flat_map(|&t| field.get(t).unwrap().corners).collect();
    let triangles = (0..numbers.len() as u32).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
    let materials = numbers.iter().map(|&t| field.get(t).unwrap().material).collect();
    (MeshDesc::new(vertices, triangles).materials(materials).build().unwrap(), numbers)
}

fn fields() -> impl Strategy<Value = HeightField> {
    (2u32..14, 2u32..14, 0.5..20.0f64, 0.5..20.0f64).prop_flat_map(|(rows, columns, x, z)| {
        let cells = ((rows - 1) * (columns - 1)) as usize;
        // Heights on a coarse grid make flat cells, equal heights and edges of every kind.
        let heights = prop::collection::vec((0..8i32).prop_map(|h| h as Real * 0.25), (rows * columns) as usize);
        let holes = prop_oneof![
            Just(Vec::new()),
            prop::collection::vec(prop::bool::weighted(0.3), cells).prop_filter("all holes", |h| h.contains(&false)),
        ];
        let materials = prop::collection::vec(0..5u16, cells);
        (heights, holes, materials).prop_map(move |(heights, holes, materials)| {
            HeightFieldDesc::new(rows, columns, Real::from_f64(x), Real::from_f64(z), heights)
                .holes(holes)
                .materials(materials)
                .build()
                .unwrap()
        })
    })
}

fn point(range: f64) -> impl Strategy<Value = Vec3> {
    prop::array::uniform3(-range..range).prop_map(|p| Vec3::<f64>::from(p).to_real())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    // Neighbours, kinds of edges, normals and materials are those of the mesh, holes and borders included.
    #[test]
    fn triangles_are_those_of_the_mesh(field in fields()) {
        let (mesh, numbers) = as_mesh(&field);
        for (k, &t) in numbers.iter().enumerate() {
            let (a, b) = (field.get(t).unwrap(), mesh.get(k as u32).unwrap());
            prop_assert_eq!(a.normal, b.normal);
            prop_assert!(a.normal.y > 0.0);
            prop_assert_eq!(a.material, b.material);
            prop_assert_eq!(a.adjacency.kinds, b.adjacency.kinds);
            for edge in 0..3 {
                let other = b.adjacency.neighbour(edge).map(|n| numbers[n as usize]);
                prop_assert_eq!(a.adjacency.neighbour(edge), other);
            }
        }
    }

    // Rays from anywhere to anywhere.
    #[test]
    fn rays_are_those_of_the_mesh(field in fields(), o in point(12.0), aim in point(10.0), scale in 0.01..3.0f64) {
        let (mesh, numbers) = as_mesh(&field);
        let ray = Ray::new(o, (aim - o) * Real::from_f64(scale));
        prop_assume!(ray.direction.length() > 1e-3);
        let (a, b) = (field.cast_ray(&ray, 5.0), mesh.cast_ray(&ray, 5.0));
        prop_assert_eq!(a.map(|h| h.part), b.map(|h| numbers[h.part as usize]));
        prop_assert_eq!(a.map(|h| h.normal), b.map(|h| h.normal));
        if let (Some(a), Some(b)) = (a, b) {
            prop_assert!((a.t - b.t).abs() <= (4.0 * Real::EPSILON + 1e-12) * b.t);
        }
    }

    // Rays straight down on the lines and crossings of the grid, and rays that run along its lines: where the mesh has a hit
    // so has the field, at the same distance. (Two triangles share such a point; either may be named.)
    #[test]
    fn rays_on_borders_are_those_of_the_mesh(
        field in fields(), pick in any::<prop::sample::Index>(), along in 0..4usize, share in 0.0..1.0f64,
    ) {
        let (mesh, _) = as_mesh(&field);
        let t = pick.index(field.triangle_count() as usize) as u32;
        let Some(triangle) = field.get(t) else { return Ok(()) };
        let [a, b, _] = triangle.corners;
        let target = if share < 0.3 { a } else { a.lerp(b, Real::from_f64(share)) };
        // Straight down; along the edge from outside, steep and flat; across the grid in the direction of an axis.
        let direction = match along {
            0 => -Vec3::Y,
            1 => (b - a) - Vec3::Y * 0.5,
            2 => Vec3::new(1.0, -0.25, 0.0),
            _ => Vec3::new(0.0, -0.25, -1.0),
        };
        let ray = Ray::new(target - direction * 8.0, direction);
        let (x, y) = (field.cast_ray(&ray, 20.0), mesh.cast_ray(&ray, 20.0));
        match (x, y) {
            (Some(x), Some(y)) => prop_assert!((x.t - y.t).abs() <= (8.0 * Real::EPSILON + 1e-12) * y.t, "{x:?} {y:?}"),
            (x, y) => prop_assert!(x.is_none() && y.is_none(), "{x:?} {y:?}"),
        }
    }

    // Nearest points, boxes, and the farthest corner.
    #[test]
    fn distances_are_those_of_the_mesh(field in fields(), p in point(15.0), size in 0.0..4.0f64) {
        let (mesh, numbers) = as_mesh(&field);
        let (a, b) = (field.closest_point(p), mesh.closest_point(p));
        prop_assert_eq!((a.point, a.distance, numbers.binary_search(&a.part).unwrap() as u32), (b.point, b.distance, b.part));
        prop_assert_eq!(field.farthest_from(p), mesh.farthest_from(p));
        let query = Aabb::new(p, p + Vec3::all(Real::from_f64(size)));
        let found: Vec<u32> = field.triangles_in(&query).collect();
        let mut all: Vec<u32> = mesh.triangles_in(&query).map(|k| numbers[k as usize]).collect();
        all.sort_unstable();
        prop_assert_eq!(found, all);
        prop_assert!(!field.contains(p));
    }

    // The box under a pose holds every corner.
    #[test]
    fn bounds_hold_all_corners(field in fields(), p in point(5.0), axis in point(1.0), angle in 0.0..6.0f64) {
        let pose = Pose::new(p, Quat::from_axis_angle(axis, Real::from_f64(angle)));
        let bounds = field.bounds(&pose).expanded(1e2 * Real::EPSILON);
        for v in (0..field.triangle_count()).filter_map(|t| field.get(t)).flat_map(|t| t.corners) {
            prop_assert!(bounds.contains_point(pose.transform_point(v)));
        }
    }
}

// A long flat ray over a large field meets the one hill far away, and a point high above finds the summit without looking
// at every cell (a search of all of them would take a minute here).
#[test]
fn large_fields_are_searched_quickly() {
    let n = 1000u32;
    let mut heights = vec![0.0; (n * n) as usize];
    heights[(700 * n + 900) as usize] = 50.0;
    let field = HeightFieldDesc::new(n, n, 999.0, 999.0, heights).build().unwrap();
    let summit = Vec3::new(900.0 - 499.5, 50.0, 700.0 - 499.5);
    for k in 0..200 {
        let above = summit + Vec3::new(k as Real, 800.0, -(k as Real) * 0.5);
        let nearest = field.closest_point(above);
        assert!((nearest.point - summit).length() < 1e-3, "{nearest:?}");
    }
    let origin = Vec3::new(-499.0, 45.0, -300.0);
    let hit = field.cast_ray(&Ray::new(origin, summit - Vec3::Y * 5.0 - origin), 2.0).unwrap();
    assert!((hit.t - 1.0).abs() < 1e-3 && hit.normal.y < 0.1);
    assert_eq!(field.cast_ray(&Ray::new(origin + Vec3::Y * 10.0, Vec3::X), 2e3), None);
}

// Rays from below pass; rays through a hole pass; heights of holes do not widen the box.
#[test]
fn holes_and_undersides_let_rays_pass() {
    let mut heights = vec![0.0; 9];
    heights[8] = 100.0;
    let holes = vec![false, false, false, true];
    let field = HeightFieldDesc::new(3, 3, 2.0, 2.0, heights).holes(holes).build().unwrap();
    let down = |x, z| field.cast_ray(&Ray::new(Vec3::new(x, 3.0, z), -Vec3::Y), 10.0);
    assert_eq!(down(-0.5, 0.5).map(|h| h.t), Some(3.0));
    assert_eq!(down(0.5, 0.5), None);
    assert!(down(0.0, 0.0).is_some());
    assert_eq!(down(1.5, 0.0), None);
    assert_eq!(field.cast_ray(&Ray::new(Vec3::new(-0.5, -3.0, 0.5), Vec3::Y), 10.0), None);
    assert_eq!(field.bounds(&Pose::IDENTITY), Aabb::new(Vec3::new(-1.0, 0.0, -1.0), Vec3::new(1.0, 0.0, 1.0)));
    assert!(field.mass_properties(1.0).is_err());
    assert_eq!(field.inner_sphere().1, 0.0);
    assert_eq!(field.get(7), None);
    assert_eq!(field.get(8), None);
}

// Whatever is wrong is named; NaN is never a hole; rays and points without sense have an answer.
#[test]
fn faults_are_named() {
    let message = |desc: HeightFieldDesc| desc.build().unwrap_err().to_string();
    let desc = |rows, columns, count| HeightFieldDesc::new(rows, columns, 1.0, 1.0, vec![0.0; count]);
    assert_eq!(message(desc(1, 5, 5)), "height field: rows must be at least 2, got 1");
    assert_eq!(message(desc(5, 0, 0)), "height field: columns must be at least 2, got 0");
    assert_eq!(message(desc(3, 4, 11)), "height field: 3 rows of 4 need 12 heights, got 11");
    assert!(message(desc(u32::MAX, u32::MAX, 4)).contains("number of cells"));
    assert_eq!(message(desc(3, 4, 12).holes(vec![true; 5])), "height field: has 6 cells, but holes for 5 of them");
    assert_eq!(message(desc(3, 4, 12).materials(vec![0; 7])), "height field: has 6 cells, but materials for 7 of them");
    assert_eq!(message(desc(3, 4, 12).holes(vec![true; 6])), "height field: has no cell that is not a hole");
    let mut nan = desc(3, 4, 12);
    nan.heights[6] = Real::NAN;
    assert_eq!(message(nan), "height field: the height at row 1, column 2 is not finite: NaN");
    let mut flat = desc(2, 2, 4);
    flat.size_z = 0.0;
    assert_eq!(message(flat), "height field: size z must be positive and finite, got 0");
    let field = desc(3, 4, 12).build().unwrap();
    for bad in [Real::NAN, Real::INFINITY, Real::MAX, -Real::MAX, 1e30, 1e-40] {
        for ray in [
            Ray::new(Vec3::all(bad), Vec3::Y),
            Ray::new(Vec3::Y, Vec3::all(bad)),
            Ray::new(Vec3::new(bad, 1.0, 0.0), Vec3::new(-1.0, bad, 0.0)),
        ] {
            let _ = (field.cast_ray(&ray, 1.0), field.cast_ray(&ray, bad), field.cast_ray(&ray, Real::INFINITY));
        }
        let _ = field.closest_point(Vec3::all(bad));
        let _ = field.triangles_in(&Aabb::new(Vec3::all(bad), Vec3::all(bad))).count();
    }
}
