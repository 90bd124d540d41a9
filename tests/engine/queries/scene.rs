//! Random worlds of all shapes, and what brute force says about them.

use crate::solids;
use crate::support::{Random, eps, real};
use tumble::detect::narrow::{ConvexRef, Distance, Triangle, closest_points};
use tumble::math::{Point, Pose, Quat, Vec3, WorldPose};
use tumble::shape::{CompoundChild, Geometry, HeightFieldDesc, MeshDesc, Shape, Sides};
use tumble::{BodyDesc, BodyId, BodyKind, ColliderDesc, ColliderId, ColliderRef, World};

/// Colliders of a random world lie within this distance of its origin.
pub const REACH: f64 = 9.0;

/// Distances of two answers that differ by rounding alone: coordinates of some 30 m, with room for slanted surfaces.
pub fn rounding() -> f64 {
    64.0 * 30.0 * eps()
}

fn soup(random: &mut Random, sides: Sides) -> Shape {
    loop {
        let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
        for i in 0..6u32 {
            let at = random.vector(1.5);
            vertices.extend([at, at + random.vector(1.0), at + random.vector(1.0)]);
            triangles.push([3 * i, 3 * i + 1, 3 * i + 2]);
        }
        if let Ok(shape) = Shape::mesh(MeshDesc::new(vertices, triangles).sides(sides)) {
            return shape;
        }
    }
}

fn solid(triangles: &solids::Triangles) -> Shape {
    let (vertices, triangles) = solids::rounded(triangles);
    Shape::mesh(MeshDesc::new(vertices, triangles)).unwrap()
}

/// How many kinds of bounded shapes there are.
pub const KINDS: usize = 12;

/// A bounded shape about a metre across; every kind comes up.
pub fn shape(kind: usize, random: &mut Random) -> Shape {
    let mut size = || real(random.between(0.2, 0.9));
    let shape = match kind {
        0 => Shape::sphere(size()),
        1 => Shape::cuboid(size(), size(), size()),
        2 => Shape::capsule(size(), size()),
        3 => Shape::cylinder(size(), size()),
        4 => Shape::cone(size(), size()),
        5 => Shape::rectangle(size(), size()),
        6 => Shape::hull(&(0..12).map(|_| random.vector(0.9)).collect::<Vec<_>>()),
        7 => Ok(solid(&solids::torus(0.8, 0.3, 8, 5))),
        8 => Ok(solid(&solids::cuboid(Vec3::new(0.7, 0.4, 0.9)))),
        9 => {
            let sides = if random.below(2) == 0 { Sides::One } else { Sides::Two };
            Ok(soup(random, sides))
        }
        10 => {
            let heights = (0..30).map(|_| real(random.between(-0.3, 0.3))).collect();
            let holes = (0..20).map(|i| i == 7).collect();
            Shape::height_field(HeightFieldDesc::new(5, 6, 3.0, 4.0, heights).holes(holes))
        }
        _ => {
            let parts = [random.below(5), 6, 8, random.below(5)];
            let child =
                |kind| CompoundChild::new(shape(kind, random), Pose::new(random.vector(1.0), random.rotation()));
            Shape::compound(parts.map(child).to_vec())
        }
    };
    shape.unwrap()
}

/// A world of some thirty colliders about `origin`, some on one body, with the bodies added, moved and removed.
pub fn world(seed: u64, origin: Point) -> World {
    let mut random = Random(seed);
    let mut world = World::new();
    let place = |random: &mut Random| {
        let at = random.vector(4.5).to_f64();
        WorldPose::new(origin + at, random.rotation())
    };
    let mut bodies: Vec<BodyId> = Vec::new();
    for i in 0..36 {
        let shape = shape(i % KINDS, &mut random);
        let light = matches!(i % KINDS, 5 | 9 | 10);
        let kind = match random.below(3) {
            0 if !light => BodyKind::Dynamic,
            1 => BodyKind::Kinematic,
            _ => BodyKind::Fixed,
        };
        let at = Pose::new(random.vector(0.5), random.rotation());
        let mut collider = ColliderDesc::new(shape).user_data(i as u64).sensor(i % 9 == 4);
        collider.pose = at;
        collider.layers.member = 1 << random.below(4);
        if i % 5 == 4 && !light {
            let body = bodies[random.below(bodies.len())];
            world.add_collider(body, collider).unwrap();
        } else {
            let mut desc = BodyDesc::fixed().collider(collider);
            desc.kind = kind;
            desc.pose = place(&mut random);
            bodies.push(world.add_body(desc).unwrap());
        }
    }
    // The ground lies below most things, tilted.
    let up = Vec3::new(0.1, 1.0, -0.2);
    let ground = BodyDesc::fixed().position(origin).collider(Shape::half_space(up, -5.0).unwrap());
    bodies.push(world.add_body(ground).unwrap());
    for _ in 0..8 {
        let moved = bodies[random.below(bodies.len() - 1)];
        world.body_mut(moved).unwrap().set_pose(place(&mut random)).unwrap();
    }
    for _ in 0..4 {
        let removed = bodies.remove(random.below(bodies.len() - 1));
        world.remove_body(removed).unwrap();
    }
    world
}

/// Everything that can be seen, in the order of the ids.
pub fn colliders(world: &World) -> Vec<ColliderRef<'_>> {
    world.collider_ids().map(|id| world.collider(id).unwrap()).collect()
}

pub fn ids(colliders: &[ColliderRef<'_>]) -> Vec<ColliderId> {
    colliders.iter().map(|c| c.id()).collect()
}

/// The point in the frame of a pose, in double precision.
pub fn local(pose: &WorldPose, point: Point) -> Vec3<f64> {
    pose.rotation.to_f64().normalized().unrotate(point - pose.translation)
}

/// A part of a shape, as a test sees it: all triangles, all children.
pub enum Piece {
    Whole(Shape, Pose),
    Triangle(Triangle, Pose),
}

impl Piece {
    pub fn convex(&self) -> (ConvexRef<'_>, &Pose) {
        match self {
            Self::Whole(shape, pose) => (ConvexRef::new(shape).unwrap(), pose),
            Self::Triangle(triangle, pose) => (ConvexRef::Triangle(triangle), pose),
        }
    }

    /// A one-sided triangle whose front looks along `direction`, in the frame of the shape.
    pub fn looks_along(&self, direction: Vec3) -> bool {
        let Self::Triangle(t, pose) = self else { return false };
        let [a, b, c] = t.vertices;
        !t.two_sided && (b - a).cross(c - a).dot(pose.rotation.unrotate(direction)) >= 0.0
    }
}

/// All convex parts, by recursion and without any tree.
pub fn pieces(shape: &Shape) -> Vec<Piece> {
    let triangle =
        |vertices, two_sided| Piece::Triangle(Triangle { vertices, two_sided, inner_edges: 0 }, Pose::IDENTITY);
    match shape {
        Shape::Mesh(mesh) => (0..mesh.triangle_count())
            .map(|t| triangle(mesh.get(t).unwrap().corners, mesh.sides() == Sides::Two))
            .collect(),
        Shape::HeightField(field) => {
            (0..field.triangle_count()).filter_map(|t| Some(triangle(field.get(t)?.corners, false))).collect()
        }
        Shape::Compound(compound) => compound
            .children()
            .iter()
            .flat_map(|child| {
                pieces(&child.shape).into_iter().map(|piece| match piece {
                    Piece::Whole(shape, pose) => Piece::Whole(shape, child.pose * pose),
                    Piece::Triangle(triangle, pose) => Piece::Triangle(triangle, child.pose * pose),
                })
            })
            .collect(),
        _ => vec![Piece::Whole(shape.clone(), Pose::IDENTITY)],
    }
}

/// The least separation of any two pieces; `b` is placed at `b_in_a`.
pub fn separation(a: &[Piece], b: &[Piece], b_in_a: &Pose) -> Distance {
    let mut best: Option<Distance> = None;
    for p in a {
        for q in b {
            let ((p, pose_p), (q, pose_q)) = (p.convex(), q.convex());
            let gap = closest_points(p, q, &(pose_p.inverse() * *b_in_a * *pose_q));
            if best.is_none_or(|best| gap.separation < best.separation) {
                best = Some(gap);
            }
        }
    }
    best.unwrap()
}

/// A point of `b` lies inside a solid mesh of `a`: its centre, for all the convex shapes of these tests.
pub fn swallowed(a: &Shape, b: &[Piece], b_in_a: &Pose) -> bool {
    let centre = |piece: &Piece| match piece {
        Piece::Whole(shape, pose) => match shape {
            Shape::Hull(hull) => pose.transform_point(hull.centroid()),
            _ => pose.translation,
        },
        Piece::Triangle(triangle, pose) => pose.transform_point(triangle.vertices[0]),
    };
    let holds = |mesh: &Shape, pose: &Pose| {
        matches!(mesh, Shape::Mesh(_))
            && b.iter().any(|piece| mesh.contains(pose.inverse_transform_point(b_in_a.transform_point(centre(piece)))))
    };
    match a {
        Shape::Compound(compound) => compound.children().iter().any(|child| holds(&child.shape, &child.pose)),
        _ => holds(a, &Pose::IDENTITY),
    }
}

/// A pose near the scene.
pub fn near(random: &mut Random, origin: Point, range: f64) -> WorldPose {
    let at = random.vector(range).to_f64();
    WorldPose::new(origin + at, random.rotation())
}

/// A unit vector.
pub fn direction(random: &mut Random) -> Vec3 {
    loop {
        let v = random.vector(1.0);
        if (0.1..1.0).contains(&v.length()) {
            return v.try_normalize().unwrap();
        }
    }
}

/// The rotation of a shape that is not turned.
pub const UPRIGHT: Quat = Quat::IDENTITY;
