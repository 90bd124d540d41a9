//! Mass properties (002-18, 003-10..15, 001-39, 001-50): closed forms, sampling, and the laws that hold for all of them.

use crate::solids::{self, Triangles};
use proptest::prelude::*;
use tumble::math::{Float, Pose, Quat, Real, Sym3, Vec3};
use tumble::shape::{CompoundChild, Geometry, MassProperties, MeshDesc, Shape, check_closed};

/// Largest difference of two results, in units of the mass and of the given length.
fn difference(a: &MassProperties, b: &MassProperties, length: f64) -> f64 {
    let i = a.inertia - b.inertia;
    let entries = Vec3::new(i.xx, i.yy, i.zz).abs().max(Vec3::new(i.xy, i.xz, i.yz).abs()).max_component();
    ((a.mass - b.mass).abs() / b.mass)
        .max((a.centre - b.centre).abs().max_component() / length)
        .max(entries / (b.mass * length * length))
}

fn polyhedron((vertices, triangles): &Triangles, density: f64) -> MassProperties {
    MassProperties::of_polyhedron(vertices, triangles, density).unwrap()
}

/// m/3 (h_y² + h_z²) and so on.
fn box_closed_form(half: Vec3<f64>, density: f64) -> MassProperties {
    let mass = density * 8.0 * half.x * half.y * half.z;
    let s = half.scale(half);
    let inertia = Sym3::diagonal(Vec3::new(s.y + s.z, s.x + s.z, s.x + s.y) * (mass / 3.0));
    MassProperties { mass, centre: Vec3::ZERO, inertia }
}

/// Point masses at the middles of the cells of a grid over the box, where `inside` says so.
fn sampled(
    low: Vec3<f64>,
    high: Vec3<f64>,
    n: usize,
    density: f64,
    inside: impl Fn(Vec3<f64>) -> bool,
) -> MassProperties {
    let cell = (high - low) * (1.0 / n as f64);
    let mass = density * cell.x * cell.y * cell.z;
    let points = (0..n * n * n).filter_map(|k| {
        let at = [k % n, k / n % n, k / (n * n)].map(|i| i as f64 + 0.5);
        let p = low + cell.scale(Vec3::from(at));
        inside(p).then_some((mass, p))
    });
    MassProperties::point_masses(points).unwrap()
}

// T5 of 002: n³ point masses give the box's inertia with an error of exactly 1/n² (each cell lacks its own), and the
// ball's with one that falls as the grid gets finer.
#[test]
fn point_masses_converge_to_box_and_sphere() {
    let half = Vec3::new(0.5, 1.0, 1.5);
    let exact = box_closed_form(half, 10.0);
    for n in [4usize, 16] {
        let cloud = sampled(-half, half, n, 10.0, |_| true);
        let missing = exact.inertia * (1.0 / (n * n) as f64);
        let expected = MassProperties { inertia: exact.inertia - missing, ..exact };
        assert!(difference(&cloud, &expected, 1.0) < 1e-12);
    }
    let mass = 4.0 / 3.0 * f64::PI;
    let exact = MassProperties { mass, centre: Vec3::ZERO, inertia: Sym3::diagonal(Vec3::all(0.4 * mass)) };
    let mut last = 1.0;
    for (n, tolerance) in [(10, 6e-2), (40, 3e-3), (100, 1e-3)] {
        let cloud = sampled(Vec3::all(-1.0), Vec3::all(1.0), n, 1.0, |p| p.length() <= 1.0);
        let error = difference(&cloud, &exact, 1.0);
        assert!(error < tolerance && error < last, "{n}: {error}");
        last = error;
    }
}

// 1 m cube of 10 kg: 1.6667 kg m² about every axis (002-18).
#[test]
fn cube_of_ten_kilograms() {
    let cube = Shape::cuboid(0.5, 0.5, 0.5).unwrap().mass_properties(10.0).unwrap();
    assert!((cube.inertia.xx - 10.0 / 6.0).abs() < 1e-15);
}

// 003-S21: a table of five boxes against the sum written out by hand.
#[test]
fn composite_table() {
    let (wood, steel) = (700.0, 7800.0);
    // Top 1.2 x 0.04 x 0.8 at height 0.72; legs 0.06 x 0.7 x 0.06 of steel at (±0.5, 0.35, ±0.3).
    let mut children = vec![CompoundChild::new(
        Shape::cuboid(0.6, 0.02, 0.4).unwrap(),
        Pose::from_translation(Vec3::new(0.0, 0.72, 0.0)),
    )];
    for (x, z) in [(0.5, 0.3), (0.5, -0.3), (-0.5, 0.3), (-0.5, -0.3)] {
        let leg = Shape::cuboid(0.03, 0.35, 0.03).unwrap();
        children.push(CompoundChild::new(leg, Pose::from_translation(Vec3::new(x, 0.35, z))).density(steel));
    }
    let table = Shape::compound(children).unwrap().mass_properties(wood).unwrap();

    let top = wood * 1.2 * 0.04 * 0.8;
    let leg = steel * 0.06 * 0.7 * 0.06;
    let mass = top + 4.0 * leg;
    let height = (top * 0.72 + 4.0 * leg * 0.35) / mass;
    let (up, down) = (0.72 - height, height - 0.35);
    let ixx = top / 12.0 * (0.04 * 0.04 + 0.8 * 0.8)
        + top * up * up
        + 4.0 * (leg / 12.0 * (0.7 * 0.7 + 0.06 * 0.06) + leg * (down * down + 0.3 * 0.3));
    let iyy = top / 12.0 * (1.2 * 1.2 + 0.8 * 0.8) + 4.0 * (leg / 12.0 * (2.0 * 0.06 * 0.06) + leg * (0.25 + 0.09));
    let izz = top / 12.0 * (1.2 * 1.2 + 0.04 * 0.04)
        + top * up * up
        + 4.0 * (leg / 12.0 * (0.06 * 0.06 + 0.7 * 0.7) + leg * (down * down + 0.25));
    let expected =
        MassProperties { mass, centre: Vec3::new(0.0, height, 0.0), inertia: Sym3::diagonal(Vec3::new(ixx, iyy, izz)) };
    // The sizes are rounded to `Real` when the shapes are made.
    let tolerance = if size_of::<Real>() == 4 { 1e-6 } else { 1e-14 };
    assert!(difference(&table, &expected, 1.0) < tolerance, "{table:?} {expected:?}");
    table.validate().unwrap();
}

// Every solid shape against the count of grid points that it contains: mass, centre and all six entries of the inertia.
#[test]
fn shapes_agree_with_sampling() {
    let turned = Pose::new(Vec3::new(0.3, 0.2, -0.4), Quat::from_axis_angle(Vec3::new(1.0, 2.0, 3.0), 1.0));
    let (vertices, triangles) = solids::rounded(&solids::torus(1.0, 0.4, 24, 12));
    let ring = Shape::mesh(MeshDesc::new(vertices, triangles)).unwrap();
    let wedge = [(-0.5, 0.0, 0.0), (0.7, 0.1, -0.2), (0.0, 0.9, 0.3), (0.1, 0.2, 1.1), (0.6, 0.8, 0.7)];
    let wedge: Vec<Vec3> = wedge.iter().map(|&(x, y, z)| Vec3::new(x, y, z)).collect();
    let shapes = [
        Shape::hull(&wedge).unwrap(),
        Shape::sphere(0.7).unwrap(),
        Shape::cuboid(0.3, 0.5, 0.9).unwrap(),
        Shape::capsule(0.5, 0.3).unwrap(),
        Shape::cylinder(0.4, 0.6).unwrap(),
        Shape::cone(0.6, 0.5).unwrap(),
        ring,
    ];
    for shape in shapes {
        let placed = Shape::compound(vec![CompoundChild::new(shape.clone(), turned)]).unwrap();
        let exact = placed.mass_properties(500.0).unwrap();
        let bounds = placed.bounds(&Pose::IDENTITY);
        let (low, high) = (bounds.min.to_f64(), bounds.max.to_f64());
        let n = 48;
        let cloud = sampled(low, high, n, 500.0, |p| placed.contains(p.to_real()));
        let size = (high - low).max_component();
        // A grid miscounts about the square root of the number of its cells on the surface: ~ 6 n² of n³, at random.
        assert!(difference(&cloud, &exact, size) < 4e-3, "{shape:?}: {}", difference(&cloud, &exact, size));
        exact.validate().unwrap();
    }
}

// A tetrahedron by the formula for its corner at the origin: I_xx = m/80 · 3 (b² + c²) about the centre, products
// m/80 · ab with the sign of a tensor.
#[test]
fn corner_tetrahedron() {
    let (a, b, c) = (2.0, 3.0, 5.0);
    let vertices = vec![Vec3::ZERO, Vec3::new(a, 0.0, 0.0), Vec3::new(0.0, b, 0.0), Vec3::new(0.0, 0.0, c)];
    let solid = polyhedron(&(vertices, vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]), 2.0);
    let mass = 2.0 * a * b * c / 6.0;
    let k = mass / 80.0;
    let expected = MassProperties {
        mass,
        centre: Vec3::new(a, b, c) * 0.25,
        inertia: Sym3 {
            xx: 3.0 * k * (b * b + c * c),
            yy: 3.0 * k * (a * a + c * c),
            zz: 3.0 * k * (a * a + b * b),
            xy: k * a * b,
            xz: k * a * c,
            yz: k * b * c,
        },
    };
    assert!(difference(&solid, &expected, 5.0) < 1e-15, "{solid:?} {expected:?}");
}

// A finely tessellated ball and ring approach their closed forms with the square of the step.
#[test]
fn tessellations_converge() {
    let closed = 4.0 / 3.0 * f64::PI;
    let ring = 2.0 * f64::PI * f64::PI * 0.3 * 0.3;
    for n in [16u32, 64, 256] {
        let tolerance = 30.0 / f64::from(n * n);
        let ball = polyhedron(&solids::ball(1.0, n, n), 1.0);
        let exact =
            MassProperties { mass: closed, centre: Vec3::ZERO, inertia: Sym3::diagonal(Vec3::all(0.4 * closed)) };
        assert!(difference(&ball, &exact, 1.0) < tolerance, "{}", difference(&ball, &exact, 1.0));
        // Torus of radii R, r: axis m (R² + 3/4 r²), diameter m (R²/2 + 5/8 r²).
        let (across, along) = (ring * (0.5 + 0.625 * 0.09), ring * (1.0 + 0.75 * 0.09));
        let exact = MassProperties {
            mass: ring,
            centre: Vec3::ZERO,
            inertia: Sym3::diagonal(Vec3::new(across, along, across)),
        };
        let torus = polyhedron(&solids::torus(1.0, 0.3, n, n), 1.0);
        assert!(difference(&torus, &exact, 1.0) < tolerance, "{}", difference(&torus, &exact, 1.0));
    }
}

// Far off the origin nothing may cancel: a mesh whose coordinates are exact there has the same inertia to rounding.
#[test]
fn far_from_the_origin() {
    // Multiples of 1/16: exact in `f32` up to 2^20.
    let ring = solids::moved(&solids::torus(1.0, 0.4, 24, 12), |v| {
        Vec3::from(v.to_array().map(|c| Float::floor(c * 16.0 + 0.5) / 16.0))
    });
    let cube = solids::cuboid(Vec3::all(0.5));
    let cases = [
        (&ring, Vec3::new(300.0, -200.0, 100.0)),
        (&ring, Vec3::new(524288.0, 0.0, -262144.0)),
        (&cube, Vec3::new(1048576.0, -1048576.0, 0.0)),
    ];
    for (near, off) in cases {
        let far = solids::moved(near, |v| v + off);
        let expected = polyhedron(near, 3.0).translated(off);
        assert!(difference(&polyhedron(&far, 3.0), &expected, 1.0) < 1e-9);
        let (vertices, triangles) = solids::rounded(&far);
        let mesh = Shape::mesh(MeshDesc::new(vertices, triangles)).unwrap().mass_properties(3.0).unwrap();
        // The centre has the rounding of its coordinates; the inertia about it has not.
        assert!((mesh.centre - expected.centre).abs().max_component() <= 2.0 * f64::EPSILON * off.length());
        let about_centre = MassProperties { centre: expected.centre, ..mesh };
        assert!(difference(&about_centre, &expected, 1.0) < 1e-13, "{}", difference(&about_centre, &expected, 1.0));
    }
}

// The same solid at every size a float can have: nothing is compared with an absolute length.
#[test]
fn every_size() {
    let unit = polyhedron(&solids::ball(1.0, 8, 6), 1.0);
    for size in [1e-30, 1e-12, 1e-3, 1e6, 1e30] {
        let solid = polyhedron(&solids::ball(size, 8, 6), 1.0);
        let scaled = MassProperties {
            mass: unit.mass * size * size * size,
            centre: Vec3::ZERO,
            inertia: unit.inertia * (size * size * size * size * size),
        };
        assert!(difference(&solid, &scaled, size) < 1e-12, "{size}");
    }
}

// A hollow ball is the large one less the small one; two parts side by side are their sum.
#[test]
fn cavities_and_separate_parts() {
    let (large, small) = (solids::ball(1.0, 12, 8), solids::ball(0.5, 12, 8));
    let hollow = polyhedron(&solids::joined(&large, &solids::inverted(&small)), 1.0);
    let (l, s) = (polyhedron(&large, 1.0), polyhedron(&small, 1.0));
    assert!((hollow.mass - (l.mass - s.mass)).abs() < 1e-14);
    assert!((hollow.inertia.xx - (l.inertia.xx - s.inertia.xx)).abs() < 1e-14);
    let beside = solids::moved(&small, |v| v + Vec3::new(3.0, 0.0, 0.0));
    let both = polyhedron(&solids::joined(&large, &beside), 1.0);
    let sum = MassProperties::sum([l, s.translated(Vec3::new(3.0, 0.0, 0.0))]);
    assert!(difference(&both, &sum, 1.0) < 1e-14);
    // But a part that stands apart and faces inwards is no cavity.
    let wrong = solids::joined(&large, &solids::inverted(&beside));
    let error = check_closed(&wrong.0, &wrong.1).unwrap_err().to_string();
    assert!(error.contains(&format!("inside out at triangle {}", large.1.len())), "{error}");
}

/// Any orientation.
fn rotation() -> impl Strategy<Value = Quat<f64>> {
    prop::array::uniform4(-1.0..1.0f64)
        .prop_filter("too short to normalise", |q| Quat::from(*q).dot(Quat::from(*q)) > 1e-2)
        .prop_map(|q| Quat::from(q).normalized())
}

fn point(range: f64) -> impl Strategy<Value = Vec3<f64>> {
    prop::array::uniform3(-range..range).prop_map(Vec3::from)
}

/// A cloud of point masses.
fn cloud() -> impl Strategy<Value = Vec<(f64, Vec3<f64>)>> {
    prop::collection::vec((0.01..10.0f64, point(2.0)), 1..20)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    // 003-11: summed in any grouping and about any point, the inertia is that of the point masses there.
    #[test]
    fn parallel_axes(points in cloud(), about in point(5.0), split in 0usize..20) {
        let whole = MassProperties::point_masses(points.iter().copied()).unwrap();
        let split = split.min(points.len());
        let parts = [&points[..split], &points[split..]]
            .map(|part| MassProperties::point_masses(part.iter().copied()).unwrap());
        prop_assert!(difference(&MassProperties::sum(parts), &whole, 2.0) < 1e-14);
        let direct = points.iter().fold(Sym3::ZERO, |s, &(m, p)| s + Sym3::point_mass(p - about) * m);
        let shifted = MassProperties { inertia: whole.inertia_about(about), ..whole };
        let expected = MassProperties { inertia: direct, ..whole };
        prop_assert!(difference(&shifted, &expected, 10.0) < 1e-14);
    }

    // 003-12: turned and moved properties are those of the turned and moved points.
    #[test]
    fn similarity(points in cloud(), q in rotation(), by in point(5.0)) {
        let whole = MassProperties::point_masses(points.iter().copied()).unwrap();
        let turned = points.iter().map(|&(m, p)| (m, q.rotate(p) + by));
        let expected = MassProperties::point_masses(turned).unwrap();
        prop_assert!(difference(&whole.rotated(q).translated(by), &expected, 2.0) < 1e-14);
        // A pose is given in `Real`; the quaternion is made a unit one again in `f64`.
        let pose = Pose::new(by.to_real(), q.to_real());
        prop_assert!(difference(&whole.transformed(&pose), &expected, 2.0) < 16.0 * Real::EPSILON.to_f64());
    }

    // 003-13: the principal axes carry the tensor, in order, right-handed, and it is one that a body can have.
    #[test]
    fn principal_axes_rebuild_the_tensor(points in cloud()) {
        let whole = MassProperties::point_masses(points).unwrap();
        let (moments, axes) = whole.principal_axes();
        prop_assert!(axes.is_unit() && axes.w >= 0.0);
        prop_assert!(moments.x <= moments.y && moments.y <= moments.z);
        let rebuilt = MassProperties { inertia: Sym3::rotated_diagonal(&axes.to_mat3(), moments), ..whole };
        prop_assert!(difference(&rebuilt, &whole, 2.0) < 1e-14);
        prop_assert!(whole.validate().is_ok());
    }

    // One fault in an otherwise closed mesh is found, and named by its kind and place.
    #[test]
    fn mutations_are_named(slices in 3u32..8, stacks in 3u32..8, kind in 0..8, pick in any::<prop::sample::Index>()) {
        let (mut vertices, mut triangles) = solids::ball(1.0, slices, stacks);
        let t = pick.index(triangles.len());
        let triangle = triangles[t];
        let expected = match kind {
            0 => {
                triangles.remove(t);
                "has no neighbour".to_string()
            }
            1 => {
                triangles.push(triangle);
                "is shared by 3 triangles".to_string()
            }
            2 => {
                triangles[t].swap(0, 1);
                format!("{t}")
            }
            3 => {
                triangles[t][1] = vertices.len() as u32;
                format!("triangle {t} refers to vertex {}", vertices.len())
            }
            4 => {
                triangles[t][1] = triangle[0];
                format!("triangle {t} has a vertex twice")
            }
            5 => {
                vertices[triangle[0] as usize].z = f64::NAN;
                format!("vertex {} is", triangle[0])
            }
            6 => {
                triangles.iter_mut().for_each(|t| t.swap(1, 2));
                "inside out at triangle 0".to_string()
            }
            _ => {
                vertices.iter_mut().for_each(|v| v.y = 2.0 * v.x - v.z);
                "encloses no volume".to_string()
            }
        };
        let error = check_closed(&vertices, &triangles).unwrap_err().to_string();
        prop_assert!(error.contains(&expected), "{}", error);
    }

    // Polyhedra turned, moved, stretched: a box stays a box, by its closed form.
    #[test]
    fn boxes_as_meshes(half in prop::array::uniform3(0.01..10.0f64), q in rotation(), by in point(100.0)) {
        let half = Vec3::from(half);
        let mesh = solids::moved(&solids::cuboid(half), |v| q.rotate(v) + by);
        let expected = box_closed_form(half, 7.0).rotated(q).translated(by);
        prop_assert!(difference(&polyhedron(&mesh, 7.0), &expected, half.max_component()) < 1e-12);
    }
}

// Each impossible tensor is refused for its own reason; what rounding to six digits does to a thin plate is not.
#[test]
fn impossible_properties_are_refused() {
    let good = box_closed_form(Vec3::new(1.0, 2.0, 3.0), 1.0);
    assert!(good.validate().is_ok());
    let message = |p: MassProperties| p.validate().unwrap_err().to_string();
    assert!(message(MassProperties { mass: f64::NAN, ..good }).contains("mass must be finite"));
    assert!(message(MassProperties { mass: -1.0, ..good }).contains("got -1"));
    assert!(message(MassProperties { centre: Vec3::new(0.0, f64::INFINITY, 0.0), ..good }).contains("centre"));
    let with = |x, y, z| MassProperties { inertia: Sym3::diagonal(Vec3::new(x, y, z)), ..good };
    assert!(message(with(f64::NAN, 1.0, 1.0)).contains("inertia must be finite"));
    assert!(message(with(-1.0, 1.0, 1.0)).contains("positive semi-definite"));
    assert!(message(with(1.0, 1.0, 2.001)).contains("sum of the other two"));
    assert!(with(0.083333, 0.083333, 0.166667).validate().is_ok());
    assert!(with(0.0, 1.0, 1.0).validate().is_ok());
    assert!(good.scaled_to_mass(0.0).is_err());
    assert!(MassProperties::ZERO.scaled_to_mass(1.0).is_err());
    assert!((good.scaled_to_mass(5.0).unwrap().inertia.xx / good.inertia.xx - 5.0 / good.mass).abs() < 1e-15);
    assert!(MassProperties::point_masses([(1.0, Vec3::ZERO), (-1.0, Vec3::X)]).is_err());
    assert!(MassProperties::point_masses([(1.0, Vec3::all(f64::NAN))]).is_err());
}

// The first fault is named by its place, one kind of fault after the other.
#[test]
fn faults_of_closed_meshes_are_named() {
    let message = |mesh: &Triangles| check_closed(&mesh.0, &mesh.1).unwrap_err().to_string();
    let good = solids::cuboid(Vec3::all(1.0));
    check_closed(&good.0, &good.1).unwrap();

    assert_eq!(message(&(good.0.clone(), vec![])), "mesh: has no triangles");
    let mut open = good.clone();
    open.1.remove(5);
    assert_eq!(message(&open), "mesh: edge 0-4 of triangle 0 has no neighbour");
    let mut flipped = good.clone();
    flipped.1[7] = [flipped.1[7][0], flipped.1[7][2], flipped.1[7][1]];
    assert_eq!(message(&flipped), "mesh: triangles 2 and 7 run the same way along edge 3-7: one of them is inverted");
    let mut twice = good.clone();
    twice.1.push(twice.1[3]);
    assert_eq!(message(&twice), "mesh: edge 1-7 of triangle 2 is shared by 3 triangles, not by 2");
    let mut outside = good.clone();
    outside.1[4][2] = 8;
    assert_eq!(message(&outside), "mesh: triangle 4 refers to vertex 8, but there are 8");
    let mut nan = good.clone();
    nan.0[6].y = f64::NAN;
    assert_eq!(message(&nan), "mesh: triangle 0 has a corner that is not finite: vertex 6 is (-1.0, NaN, 1.0)");
    let mut repeated = good.clone();
    repeated.1[1] = [4, 4, 6];
    assert_eq!(message(&repeated), "mesh: triangle 1 has a vertex twice: 4, 4, 6");
    assert!(message(&solids::inverted(&good)).contains("inside out at triangle 0"));
    let flat = solids::moved(&good, |v| Vec3::new(v.x, 0.0, v.z));
    assert!(message(&flat).contains("encloses no volume"));
    let point = solids::moved(&good, |_| Vec3::X);
    assert!(message(&point).contains("encloses no volume"));
    // A turned sheet has a volume of rounding, of either sign.
    let q = Quat::from_axis_angle(Vec3::new(1.0, 2.0, 3.0), 1.0);
    let sheet = solids::rounded(&solids::moved(&flat, |v| q.rotate(v)));
    assert!(check_closed(&sheet.0, &sheet.1).unwrap_err().to_string().contains("encloses no volume"));
    assert!(MassProperties::of_polyhedron(&good.0, &good.1, -1.0).unwrap_err().to_string().contains("density"));
}
