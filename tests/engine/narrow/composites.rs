//! Meshes, height fields and compounds against the judge: the separation from the whole is the least of those from its parts.

use super::judge::{Any, Dice, Judge};
use super::pairs::allowed;
use tumble::detect::narrow::Triangle;
use tumble::math::{Float, Num, Pose, Real, Sym3, Vec3};
use tumble::shape::{CompoundChild, HeightFieldDesc, MassProperties, MeshDesc, Shape, Sides};
use tumble::{BodyDesc, BodyId, World};

/// A shape of many parts, with these.
struct Composite {
    shape: Shape,
    parts: Vec<(Any, Pose)>,
}

fn shape_of(any: &Any) -> Shape {
    match any {
        Any::Sphere(s) => Shape::Sphere(*s),
        Any::Capsule(s) => Shape::Capsule(*s),
        Any::Cuboid(s) => Shape::Cuboid(*s),
        Any::Cylinder(s) => Shape::Cylinder(*s),
        Any::Cone(s) => Shape::Cone(*s),
        Any::Hull(s) => Shape::hull(s.vertices()).unwrap(),
        _ => unreachable!("only convex shapes with a volume are asked for"),
    }
}

fn compound(dice: &mut Dice) -> Composite {
    let parts: Vec<(Any, Pose)> = (0..4)
        .map(|i| {
            let kind = dice.pick(6);
            let at = (dice.direction() * (0.4 * f64::from(i))).to_real();
            (dice.shape(kind, 0.6), Pose::new(at, dice.rotation()))
        })
        .collect();
    let children = parts.iter().map(|(any, pose)| CompoundChild::new(shape_of(any), *pose)).collect();
    Composite { shape: Shape::compound(children).unwrap(), parts }
}

fn triangles(shape: Shape) -> Composite {
    let (count, corners): (u32, Box<dyn Fn(u32) -> Option<[Vec3; 3]>>) = match &shape {
        Shape::Mesh(mesh) => (mesh.triangle_count(), Box::new(|i| mesh.get(i).map(|t| t.corners))),
        Shape::HeightField(field) => (field.triangle_count(), Box::new(|i| field.get(i).map(|t| t.corners))),
        _ => unreachable!("a surface"),
    };
    let part = |vertices| (Any::Triangle(Triangle { vertices, two_sided: true, inner_edges: 0 }), Pose::IDENTITY);
    let parts = (0..count).filter_map(corners).map(part).collect();
    Composite { shape, parts }
}

/// Triangles of any size in any direction, each by itself.
fn soup(dice: &mut Dice) -> Composite {
    let (mut vertices, mut faces) = (Vec::new(), Vec::new());
    for i in 0..8 {
        let at = dice.direction() * dice.range(0.0, 0.8);
        for _ in 0..3 {
            vertices.push((at + dice.direction() * dice.range(0.3, 0.7)).to_real());
        }
        faces.push([3 * i, 3 * i + 1, 3 * i + 2]);
    }
    triangles(Shape::mesh(MeshDesc::new(vertices, faces).sides(Sides::Two)).unwrap())
}

fn hills(dice: &mut Dice) -> Composite {
    let heights = (0..25).map(|_| dice.real(-0.15, 0.15)).collect();
    triangles(Shape::height_field(HeightFieldDesc::new(5, 5, 2.0, 2.0, heights)).unwrap())
}

/// About the middle of a part.
fn middle(part: &Any) -> Vec3<f64> {
    let ends = [Vec3::X, -Vec3::X, Vec3::Y, -Vec3::Y, Vec3::Z, -Vec3::Z].map(|n| part.farthest(n));
    ends.into_iter().fold(Vec3::ZERO, |sum, p| sum + p) / 6.0
}

/// The least separation of any part from any other, by the judge.
fn truth(composite: &Composite, others: &[(Any, Pose)], pose: &Pose) -> f64 {
    let mut least = f64::INFINITY;
    for (part, at) in &composite.parts {
        for (other, place) in others {
            let relative = at.inverse() * (*pose * *place);
            let judge = Judge::new(part, other, &relative);
            // The separation is no less than that along any direction: most parts are too far off by the first look. What has no end has no middle.
            let there = judge.rotation * middle(other) + judge.translation;
            let endless = matches!(part, Any::HalfSpace(_));
            if endless || judge.along((there - middle(part)).normalize_or(Vec3::Y)) < least {
                least = Num::min(judge.separation().0, least);
            }
        }
    }
    least
}

struct Placed {
    world: World,
    bodies: [BodyId; 2],
}

fn place(composite: &Composite, other: Shape, pose: &Pose) -> Placed {
    let mut world = World::new();
    world.set_gravity(Vec3::ZERO).unwrap();
    let a = world.add_body(BodyDesc::fixed().collider(composite.shape.clone())).unwrap();
    let b = BodyDesc::dynamic().position(pose.translation.to_f64()).rotation(pose.rotation);
    // Surfaces have no mass of their own.
    let mass = MassProperties { mass: 1.0, centre: Vec3::ZERO, inertia: Sym3::diagonal(Vec3::all(1.0)) };
    let b = world.add_body(b.mass_properties(mass).collider(other)).unwrap();
    Placed { world, bodies: [a, b] }
}

// Distances are those of the judge, overlaps are found, and what is apart does not touch.
#[test]
fn composites_agree_with_the_judge() {
    let makers: [(&str, fn(&mut Dice) -> Composite); 3] = [("compound", compound), ("mesh", soup), ("field", hills)];
    let (mut failures, mut overlaps, mut apart) = (Vec::new(), 0, 0);
    for (name, make) in makers {
        for case in 0..48 {
            let mut dice = Dice::new(31_000 + case);
            let composite = make(&mut dice);
            let other = dice.shape(case as usize % 6, 0.6);
            let rotation = dice.rotation();
            let size = other.size();
            let u = if name == "field" { Vec3::Y } else { dice.direction() };
            let turned = Judge::new(&other, &other, &Pose::new(Vec3::ZERO, rotation)).rotation;
            let reach = |(part, at): &(Any, Pose)| {
                let to_part = at.rotation.to_f64().normalized();
                u.dot(at.translation.to_f64()) + part.extent(to_part.unrotate(u))
            };
            let far = composite.parts.iter().map(reach).fold(f64::NEG_INFINITY, Num::max);
            let gap = size * [0.1, 0.01, -0.05, -0.15, -0.3, -0.5][dice.pick(6)];
            let across = if name == "field" { dice.direction().across(u) * 0.6 } else { Vec3::ZERO };
            let translation = u * (far + other.extent(-turned.transpose_mul(u)) + gap) + across;
            let pose = Pose::new(translation.to_real(), rotation);
            let others = [(other, Pose::IDENTITY)];
            let expected = truth(&composite, &others, &pose);
            let [(other, _)] = others;

            let Placed { mut world, bodies } = place(&composite, shape_of(&other), &pose);
            let [a, b] = bodies.map(|id| world.body(id).unwrap().colliders().next().unwrap());
            let found = world.distance(a, b).unwrap().distance.to_f64();
            // How deep something is in a surface depends on the side; that it is in it does not.
            let shallow = expected > -0.02 * size;
            let wrong = if shallow { (found - expected).abs() > allowed(size) } else { found > 0.0 };
            if wrong {
                failures.push(format!("{name} {case}, {}: {found:e}, truth {expected:e}", other.name()));
            }
            world.step(Real::from_f64(1e-6)).unwrap();
            let least = world
                .contacts()
                .flat_map(|c| c.points().map(|p| p.separation.to_f64()).collect::<Vec<_>>())
                .fold(f64::INFINITY, Num::min);
            // Contacts begin 2 cm ahead; at the seams of a surface they may be measured along another normal, or left to the neighbour.
            let (unclear, ahead) = (1e-3 * size, 0.02);
            let missed = expected < -unclear && least > 0.0;
            let false_contact = expected > ahead + unclear && least < f64::INFINITY;
            let off = name == "compound"
                && shallow
                && expected < ahead - unclear
                && (least - expected).abs() > 2.0 * allowed(size);
            if missed || false_contact || off {
                failures.push(format!("{name} {case}, {}: contact at {least:e}, truth {expected:e}", other.name()));
            }
            overlaps += usize::from(expected < -unclear);
            apart += usize::from(expected > unclear);
        }
    }
    for failure in failures.iter().take(10) {
        println!("{failure}");
    }
    assert!(failures.is_empty(), "{} failures", failures.len());
    assert!(overlaps > 15 && apart > 30, "{overlaps} overlaps, {apart} apart");
}

/// What pairs of composites came to.
#[derive(Default)]
struct Tally {
    failures: Vec<String>,
    overlaps: usize,
    apart: usize,
}

impl Tally {
    /// Puts B beside A along the unit vector u, with some gap or overlap, and asks for its distance and contacts; `judged` says whether the contacts
    /// can be relied on.
    fn compare(&mut self, name: &str, [a, b]: [&Composite; 2], u: Vec3<f64>, judged: bool, dice: &mut Dice) {
        let rotation = dice.rotation();
        let reach = |parts: &[(Any, Pose)], u: Vec3<f64>| {
            let of = |(part, at): &(Any, Pose)| {
                u.dot(at.translation.to_f64()) + part.extent(at.rotation.to_f64().normalized().unrotate(u))
            };
            parts.iter().map(of).fold(f64::NEG_INFINITY, Num::max)
        };
        let turned = rotation.to_f64().normalized();
        let size = 1.0;
        let gap = size * [0.05, -0.1, -0.3, -0.5, -0.7, -0.9][dice.pick(6)];
        let translation = u * (reach(&a.parts, u) + reach(&b.parts, turned.unrotate(-u)) + gap);
        let pose = Pose::new(translation.to_real(), rotation);
        let expected = truth(a, &b.parts, &pose);
        let Placed { mut world, bodies } = place(a, b.shape.clone(), &pose);
        let [ca, cb] = bodies.map(|id| world.body(id).unwrap().colliders().next().unwrap());
        let found = world.distance(ca, cb).unwrap().distance.to_f64();
        let shallow = expected > -0.02 * size;
        let wrong = if shallow { (found - expected).abs() > 2.0 * allowed(size) } else { found > 0.0 };
        if wrong {
            self.failures.push(format!("{name}: {found:e}, truth {expected:e}"));
        }
        world.step(Real::from_f64(1e-6)).unwrap();
        let least = world
            .contacts()
            .flat_map(|c| c.points().map(|p| p.separation.to_f64()).collect::<Vec<_>>())
            .fold(f64::INFINITY, Num::min);
        let (unclear, ahead) = (1e-3 * size, 0.02);
        let missed = expected < -unclear && least > 0.0;
        let false_contact = expected > ahead + unclear && least < f64::INFINITY;
        if judged && (missed || false_contact) {
            self.failures.push(format!("{name}: contact at {least:e}, truth {expected:e}"));
        }
        self.overlaps += usize::from(expected < -unclear);
        self.apart += usize::from(expected > unclear);
    }

    /// Nothing failed, and there were cases enough of both sorts.
    #[track_caller]
    fn check(self) {
        let Self { failures, overlaps, apart } = self;
        for failure in failures.iter().take(60) {
            println!("{failure}");
        }
        assert!(failures.is_empty(), "{} failures", failures.len());
        assert!(overlaps > 20 && apart > 20, "{overlaps} overlaps, {apart} apart");
    }
}

// Composites against composites: the same. Contacts are judged where one of the two has a volume: those of triangles with triangles are not to be
// relied on, as the manual says. A height field is a floor, and stands still.
#[test]
fn composites_against_composites_agree_with_the_judge() {
    let makers: [(&str, fn(&mut Dice) -> Composite); 3] = [("compound", compound), ("mesh", soup), ("field", hills)];
    let mut tally = Tally::default();
    for (i, (name_a, make_a)) in makers.into_iter().enumerate() {
        for (name_b, make_b) in &makers[..2] {
            for case in 0..12 {
                let mut dice = Dice::new(47_000 + case + 1000 * i as u64);
                let (a, b) = (make_a(&mut dice), make_b(&mut dice));
                let u = if name_a == "field" { Vec3::Y } else { dice.direction() };
                let solid = name_a == "compound" || *name_b == "compound";
                tally.compare(&format!("{name_a} and {name_b} {case}"), [&a, &b], u, solid, &mut dice);
            }
        }
    }
    tally.check();
}

/// A shape of one part.
fn alone(shape: Shape, part: Any) -> Composite {
    Composite { shape, parts: vec![(part, Pose::IDENTITY)] }
}

// Composites on the two shapes that are floors by themselves. A half-space and a height field both stand still, and never meet.
#[test]
fn composites_against_half_spaces_and_rectangles_agree_with_the_judge() {
    let mut tally = Tally::default();
    for case in 0..24 {
        let mut dice = Dice::new(59_000 + case);
        let (boxes, surface) = (compound(&mut dice), soup(&mut dice));
        let Any::HalfSpace(plane) = dice.shape(8, 1.0) else { unreachable!("the kind of half-spaces") };
        let normal = plane.normal().to_f64().normalize_or(Vec3::Y);
        let half = alone(Shape::HalfSpace(plane), Any::HalfSpace(plane));
        for (name, other) in [("compound", &boxes), ("mesh", &surface)] {
            tally.compare(&format!("half-space and {name} {case}"), [&half, other], normal, true, &mut dice);
        }
        let Any::Rectangle(plate) = dice.shape(6, 1.5) else { unreachable!("the kind of rectangles") };
        let (plate, field) = (alone(Shape::Rectangle(plate), Any::Rectangle(plate)), hills(&mut dice));
        let aside = dice.direction();
        for (name, pair, u, judged) in [
            ("rectangle and compound", [&plate, &boxes], aside, true),
            ("rectangle and mesh", [&plate, &surface], aside, false),
            ("field and rectangle", [&field, &plate], Vec3::Y, false),
        ] {
            tally.compare(&format!("{name} {case}"), pair, u, judged, &mut dice);
        }
    }
    tally.check();
}
