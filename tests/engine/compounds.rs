//! Compounds, against the one shape that their parts make together.

use proptest::prelude::*;
use tumble::math::{Aabb, Float, Pose, Quat, Real, Vec3};
use tumble::shape::{CompoundChild, Cuboid, Geometry, HeightFieldDesc, MeshDesc, Ray, Shape};

fn at(x: Real, y: Real, z: Real) -> Pose {
    Pose::from_translation(Vec3::new(x, y, z))
}

/// The cube of half-size 1, cut into n³ smaller ones.
fn cut_cube(n: u32) -> Shape {
    let half = 1.0 / n as Real;
    let small = Shape::cuboid(half, half, half).unwrap();
    let centre = |k: u32| (2 * k + 1) as Real * half - 1.0;
    let children = (0..n * n * n).map(|k| {
        let pose = at(centre(k % n), centre(k / n % n), centre(k / (n * n)));
        CompoundChild::new(small.clone(), pose).material((k % 7) as u16)
    });
    Shape::compound(children.collect()).unwrap()
}

fn point(range: f64) -> impl Strategy<Value = Vec3> {
    prop::array::uniform3(-range..range).prop_map(|p| Vec3::<f64>::from(p).to_real())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    // From outside the pieces of a cube cannot be told from the cube; inside each piece has its own surface.
    #[test]
    fn pieces_of_a_cube(n in 1u32..6, p in point(3.0), aim in point(1.2), q in prop::array::uniform4(-1.0..1.0f64)) {
        let (pieces, whole) = (cut_cube(n), Cuboid::new(Vec3::all(1.0)).unwrap());
        let rounding = 16.0 * Real::EPSILON;
        let ray = Ray::new(p, aim - p);
        prop_assume!(ray.direction.length() > 1e-2 && whole.closest_point(p).distance.abs() > rounding);
        prop_assert_eq!(pieces.contains(p), whole.contains(p));
        match (pieces.cast_ray(&ray, 3.0), whole.cast_ray(&ray, 3.0)) {
            (Some(a), Some(b)) => prop_assert!((a.t - b.t).abs() < 1e2 * rounding),
            (a, b) => prop_assert!(a.is_none() && b.is_none(), "{a:?} {b:?}"),
        }
        let (a, b) = (pieces.closest_point(p), whole.closest_point(p));
        if b.distance > 0.0 {
            // Where two pieces are equally near to rounding, either may give its point.
            prop_assert!((a.distance - b.distance).abs() < rounding);
            prop_assert!(((p - a.point).length() - b.distance).abs() < rounding);
            prop_assert!(whole.closest_point(a.point).distance.abs() < rounding);
        } else {
            prop_assert!(a.distance <= 0.0 && a.distance >= b.distance - rounding);
        }
        prop_assert!((pieces.farthest_from(p) - whole.farthest_from(p)).abs() < rounding);
        let pose = Pose::new(p, Quat::from(q).try_normalize().unwrap_or(Quat::IDENTITY).to_real());
        let (a, b) = (pieces.bounds(&pose), whole.bounds(&pose));
        prop_assert!((a.min - b.min).length() < rounding && (a.max - b.max).length() < rounding);
    }

    // Parts of all kinds at any pose: the nearest hit, the least distance and containment are those of a loop over the children.
    #[test]
    fn children_against_a_loop(
        parts in prop::collection::vec((0..5usize, point(4.0), point(1.0), 0.0..3.0f64), 1..40),
        p in point(6.0),
        aim in point(4.0),
    ) {
        let children: Vec<CompoundChild> = parts
            .iter()
            .map(|&(kind, at, axis, angle)| {
                let shape = match kind {
                    0 => Shape::sphere(0.5),
                    1 => Shape::cuboid(0.3, 0.8, 0.5),
                    2 => Shape::capsule(0.6, 0.2),
                    3 => Shape::cylinder(0.7, 0.3),
                    _ => Shape::cone(0.5, 0.5),
                };
                CompoundChild::new(shape.unwrap(), Pose::new(at, Quat::from_axis_angle(axis, Real::from_f64(angle))))
            })
            .collect();
        let whole = Shape::compound(children).unwrap();
        let Shape::Compound(compound) = &whole else { panic!("a compound") };
        // Its rotations are brought to length 1.
        let children = compound.children();
        let local = |c: &CompoundChild| c.pose.inverse_transform_point(p);
        let ray = Ray::new(p, aim - p);
        let first = children
            .iter()
            .filter_map(|c| c.shape.cast_ray(&ray.relative_to(&c.pose), 2.0))
            .map(|h| h.t)
            .fold(None, |a: Option<Real>, t| Some(a.map_or(t, |a| a.min(t))));
        prop_assert_eq!(whole.cast_ray(&ray, 2.0).map(|h| h.t), first);
        let least = children.iter().map(|c| c.shape.closest_point(local(c)).distance).fold(Real::INFINITY, Real::min);
        prop_assert_eq!(whole.closest_point(p).distance, least);
        prop_assert_eq!(whole.contains(p), children.iter().any(|c| c.shape.contains(local(c))));
        let radius = children.iter().map(|c| c.shape.inner_sphere().1).fold(0.0, Real::max);
        prop_assert_eq!(whole.inner_sphere().1, radius);
    }
}

// Compounds inside compounds are taken apart: poses multiply, slots stay, densities are handed down.
#[test]
fn nested_compounds_are_flattened() {
    let ball = Shape::sphere(0.5).unwrap();
    let pair = Shape::compound(vec![
        CompoundChild::new(ball.clone(), at(1.0, 0.0, 0.0)).material(3),
        CompoundChild::new(ball.clone(), at(-1.0, 0.0, 0.0)).material(4).density(10.0),
    ])
    .unwrap();
    let quarter = Pose::new(Vec3::new(0.0, 5.0, 0.0), Quat::from_axis_angle(Vec3::Z, Real::PI * 0.5));
    let nested = Shape::compound(vec![
        CompoundChild::new(ball, Pose::IDENTITY).material(1),
        CompoundChild::new(pair, quarter).material(2).density(20.0),
    ])
    .unwrap();
    let Shape::Compound(compound) = &nested else { panic!("a compound") };
    let children = compound.children();
    assert_eq!(children.iter().map(|c| c.material).collect::<Vec<_>>(), [1, 3, 4]);
    assert_eq!(children.iter().map(|c| c.density).collect::<Vec<_>>(), [None, Some(20.0), Some(10.0)]);
    assert!((children[1].pose.translation - Vec3::new(0.0, 6.0, 0.0)).length() < 1e-6);
    let volume = 4.0 / 3.0 * f64::PI / 8.0;
    let mass = nested.mass_properties(1.0).unwrap();
    assert!((mass.mass - 31.0 * volume).abs() < 1e-12);
    assert!((mass.centre.y - (20.0 * 6.0 + 10.0 * 4.0) / 31.0).abs() < 1e-6);
    assert_eq!(nested.cast_ray(&Ray::new(Vec3::new(5.0, 4.0, 0.0), -Vec3::X), 10.0).map(|h| h.part), Some(2));
}

// The mass of the pieces of a cube is that of the cube; turned pieces too.
#[test]
fn mass_of_pieces() {
    let whole = Shape::cuboid(1.0, 1.0, 1.0).unwrap().mass_properties(3.0).unwrap();
    for n in 1..6 {
        let pieces = cut_cube(n).mass_properties(3.0).unwrap();
        // The half-size of a piece is rounded to `Real`.
        let tolerance = 8.0 * Real::EPSILON.to_f64();
        assert!((pieces.mass / whole.mass - 1.0).abs() < tolerance);
        assert!((pieces.inertia.xx / whole.inertia.xx - 1.0).abs() < tolerance);
        assert!(pieces.inertia.xy.abs() < tolerance * whole.inertia.xx && pieces.centre.length() < tolerance);
    }
}

// Unbounded and thin parts take part in every query and have no mass; a compound of nothing else has an error instead.
#[test]
fn parts_without_mass() {
    let ground = CompoundChild::new(Shape::half_space(Vec3::Y, 0.0).unwrap(), Pose::IDENTITY);
    let sheet = CompoundChild::new(Shape::rectangle(1.0, 1.0).unwrap(), at(0.0, 3.0, 0.0));
    let hills = Shape::height_field(HeightFieldDesc::new(2, 2, 1.0, 1.0, vec![0.0; 4])).unwrap();
    let hills = CompoundChild::new(hills, at(5.0, 1.0, 0.0));
    let ball = CompoundChild::new(Shape::sphere(1.0).unwrap(), at(0.0, 6.0, 0.0));
    let light = vec![ground, sheet, hills];
    let alone = Shape::compound(light.clone()).unwrap();
    assert_eq!(alone.mass_properties(1.0).unwrap_err().to_string(), "compound: none of its children has mass");
    let with_ball = Shape::compound([light.clone(), vec![ball.clone()]].concat()).unwrap();
    let exact = ball.shape.mass_properties(2.0).unwrap().transformed(&ball.pose);
    assert_eq!(with_ball.mass_properties(2.0).unwrap(), exact);
    let down = |x| with_ball.cast_ray(&Ray::new(Vec3::new(x, 9.0, 0.0), -Vec3::Y), 20.0).map(|h| (h.part, h.t));
    assert_eq!(down(0.0), Some((3, 2.0)));
    assert_eq!(down(5.0), Some((2, 8.0)));
    assert_eq!(down(100.0), Some((0, 9.0)));
    assert_eq!(with_ball.closest_point(Vec3::new(50.0, 4.0, 0.0)).distance, 4.0);
    assert_eq!(with_ball.bounds(&Pose::IDENTITY).min.y, Real::NEG_INFINITY);
    assert!(with_ball.contains(Vec3::new(0.0, -1.0, 0.0)) && !with_ball.contains(Vec3::new(0.0, 3.0, 0.0)));
    assert_eq!(with_ball.farthest_from(Vec3::ZERO), Real::INFINITY);

    let weightless = Shape::compound(vec![ball.density(0.0)]).unwrap();
    assert!(weightless.mass_properties(1.0).is_err());
    let open = MeshDesc::new(vec![Vec3::ZERO, Vec3::X, Vec3::Y], vec![[0, 1, 2]]);
    let open = Shape::compound(vec![CompoundChild::new(Shape::mesh(open).unwrap(), Pose::IDENTITY)]).unwrap();
    assert_eq!(
        open.mass_properties(1.0).unwrap_err().to_string(),
        "compound child 0: mesh: edge 0-1 of triangle 0 has no neighbour"
    );
}

#[test]
fn faults_are_named() {
    let ball = CompoundChild::new(Shape::sphere(1.0).unwrap(), Pose::IDENTITY);
    let message = |children: Vec<CompoundChild>| Shape::compound(children).unwrap_err().to_string();
    assert_eq!(message(vec![]), "compound: has no children");
    let mut lost = ball.clone();
    lost.pose.translation.x = Real::NAN;
    assert!(message(vec![ball.clone(), lost]).starts_with("compound child 1: position must be finite"));
    let mut unturned = ball.clone();
    unturned.pose.rotation = Quat::new(0.0, 0.0, 0.0, 0.0);
    assert!(message(vec![unturned]).starts_with("compound child 0: rotation"));
    assert!(message(vec![ball.clone().density(-2.0)]).contains("density must be finite and not negative, got -2"));
    assert!(message(vec![ball.clone().density(f64::NAN)]).contains("NaN"));
    let one = Shape::compound(vec![ball]).unwrap();
    assert!(one.mass_properties(0.0).is_err());
    // Senseless questions have an answer.
    for bad in [Real::NAN, Real::INFINITY, 1e30, Real::MAX] {
        let _ = (one.closest_point(Vec3::all(bad)), one.contains(Vec3::all(bad)));
        let _ = one.cast_ray(&Ray::new(Vec3::all(bad), Vec3::all(bad)), bad);
        let _ = one.bounds(&Pose::from_translation(Vec3::all(bad)));
    }
}

// Hundreds of children: a box far from most of them finds few.
#[test]
fn trees_leave_most_children_alone() {
    let Shape::Compound(compound) = cut_cube(8) else { panic!("a compound") };
    let corner = Aabb::new(Vec3::all(0.9), Vec3::all(2.0));
    let found: Vec<u32> = compound.children_in(&corner).collect();
    assert!(found.contains(&511) && found.len() <= 8, "{}", found.len());
}
