//! Debug geometry: every layer draws what it says, and nothing else.

use crate::support::real;
use tumble::math::{Point, Quat, Vec3};
use tumble::shape::{CompoundChild, HeightFieldDesc, MeshDesc, Shape};
use tumble::{BodyDesc, BodyId, ColliderDesc, DebugGeometry, DebugLayers, DebugLine, JointDesc, World, math::Pose};

const NOTHING: DebugLayers = DebugLayers {
    shapes: false,
    bounds: false,
    frames: false,
    velocities: false,
    forces: false,
    joints: false,
    contacts: false,
};

fn near(a: Point, b: Point) -> bool {
    (a - b).length() < 1e-5
}

/// There is a line from one point to the other, either way round.
fn has_line(drawn: &DebugGeometry, from: Point, to: Point) -> bool {
    let joins = |l: &DebugLine| near(l.from, from) && near(l.to, to) || near(l.from, to) && near(l.to, from);
    drawn.lines.iter().any(joins)
}

/// A box that moves, is pushed, hangs on a joint and touches a floor.
fn world() -> (World, BodyId, BodyId) {
    let mut world = World::new();
    let floor = Shape::cuboid(2.0, 0.5, 2.0).unwrap();
    let floor = world.add_body(BodyDesc::fixed().position([0.0, -0.5, 0.0]).collider(floor)).unwrap();
    let cube = ColliderDesc::new(Shape::cuboid(0.5, 0.5, 0.5).unwrap()).at([0.25, 0.0, 0.0]);
    let cube = world.add_body(BodyDesc::dynamic().position([0.0, 0.5, 0.0]).mass(2.0).collider(cube)).unwrap();
    world.add_joint(JointDesc::ball(floor, cube).anchor([0.5, 0.0, 0.5])).unwrap();
    // Joined bodies do not touch.
    let ball = ColliderDesc::new(Shape::sphere(0.5).unwrap());
    world.add_body(BodyDesc::dynamic().position([-1.0, 0.5, -1.0]).collider(ball)).unwrap();
    world.step(real(1.0 / 60.0)).unwrap();
    let mut body = world.body_mut(cube).unwrap();
    body.set_velocity([1.0, 2.0, 3.0], [0.0; 3]).unwrap();
    body.set_force([0.0, 20.0, 0.0]).unwrap();
    (world, floor, cube)
}

/// Each layer alone draws its own; nothing draws nothing; all draw the sum; and of a body that is not to be drawn there is no trace.
#[test]
fn layers_draw_what_they_say() {
    let (mut world, floor, cube) = world();
    let draw = |world: &World, layers: DebugLayers| world.debug_geometry(layers);
    assert_eq!(draw(&world, NOTHING), DebugGeometry::default());
    let each = [
        DebugLayers { shapes: true, ..NOTHING },
        DebugLayers { bounds: true, ..NOTHING },
        DebugLayers { frames: true, ..NOTHING },
        DebugLayers { velocities: true, ..NOTHING },
        DebugLayers { forces: true, ..NOTHING },
        DebugLayers { joints: true, ..NOTHING },
        DebugLayers { contacts: true, ..NOTHING },
    ];
    let all = draw(&world, DebugLayers::ALL);
    let parts = each.map(|layer| draw(&world, layer));
    for (layer, part) in each.iter().zip(&parts) {
        assert!(!part.lines.is_empty(), "{layer:?} draws nothing");
        assert!(part.lines.iter().all(|l| all.lines.contains(l)) && part.points.iter().all(|p| all.points.contains(p)));
    }
    assert_eq!(parts.iter().map(|p| p.lines.len()).sum::<usize>(), all.lines.len());
    assert_eq!(parts.iter().map(|p| p.points.len()).sum::<usize>(), all.points.len());
    let [shapes, bounds, frames, velocities, forces, joints, contacts] = &parts;

    let body = world.body(cube).unwrap();
    let (frame, centre) = (body.pose(), body.centre_of_mass());
    let corner = |x: f64, y: f64, z: f64| body.to_world(Vec3::new(0.25 + x, y, z).to_real());
    // Two boxes of twelve edges, and three circles.
    assert_eq!(shapes.lines.len(), 24 + 3 * 24);
    assert!(has_line(shapes, corner(0.5, 0.5, 0.5), corner(-0.5, 0.5, 0.5)));
    assert!(has_line(shapes, Point::new(2.0, 0.0, 2.0), Point::new(2.0, -1.0, 2.0)));
    // Boxes around three colliders, along the axes of the world.
    assert_eq!(bounds.lines.len(), 36);
    let along = |l: &DebugLine| (l.to - l.from).to_array().iter().filter(|d| d.abs() > 1e-6).count() == 1;
    assert!(bounds.lines.iter().all(along));
    // Axes of three frames and their centres.
    assert_eq!((frames.lines.len(), frames.points.len()), (9, 3));
    assert!(has_line(frames, frame.translation, frame.transform_point(Vec3::X * 0.25)));
    assert!(frames.points.iter().any(|p| near(p.at, centre)));
    // One second of the velocity of the centre, of who moves.
    assert!(has_line(velocities, centre, centre + body.centre_velocity().to_f64()));
    assert!(velocities.points.is_empty() && velocities.lines.len() <= 2);
    // A metre for ten newtons per kilogram.
    assert_eq!(forces.lines.len(), 1);
    assert!(has_line(forces, centre, centre + Vec3::new(0.0, 1.0, 0.0)));
    // From both centres to the joint, its axis, and its gap.
    let joint = world.joint(world.joint_ids().next().unwrap()).unwrap().frames();
    assert_eq!((joints.lines.len(), joints.points.len()), (4, 1));
    assert!(has_line(joints, centre, joint.b.position) && has_line(joints, joint.a.position, joint.b.position));
    // Each point of a contact, with its normal.
    let touches: Vec<_> = world.contacts().flat_map(|c| c.points().collect::<Vec<_>>()).collect();
    assert_eq!((contacts.points.len(), contacts.lines.len()), (touches.len(), touches.len()));
    for touch in &touches {
        assert!(contacts.points.iter().any(|p| near(p.at, touch.position)));
        let line = contacts.lines.iter().find(|l| near(l.from, touch.position)).unwrap();
        assert!((line.to - line.from).cross(touch.normal.to_f64()).length() < 1e-5);
    }
    assert!(!touches.is_empty());

    // The colour of a body tells what it is, and a body that is not to be drawn is not drawn.
    let colour = |world: &World| {
        draw(world, each[0]).lines.iter().find(|l| near(l.from, corner_of(world, cube))).map(|l| l.colour)
    };
    fn corner_of(world: &World, cube: BodyId) -> Point {
        world.body(cube).unwrap().to_world([real(-0.25), real(-0.5), real(-0.5)])
    }
    let awake = colour(&world).unwrap();
    world.body_mut(cube).unwrap().put_to_sleep().unwrap();
    assert_ne!(colour(&world).unwrap(), awake);
    for id in [floor, cube] {
        world.body_mut(id).unwrap().set_debug(false);
    }
    let left = draw(&world, DebugLayers { joints: false, ..DebugLayers::ALL });
    assert!(left.lines.iter().all(|l| (l.from - Point::new(-1.0, 0.5, -1.0)).length() < 1.0), "only the ball is left");
}

/// The outline of every shape lies on its surface, is turned and moved with its body, and reaches as far as the shape.
#[test]
fn outlines_lie_on_the_surface() {
    let grid = HeightFieldDesc::new(3, 3, 2.0, 2.0, vec![0.0, 0.1, 0.0, 0.2, 0.3, 0.1, 0.0, 0.1, 0.4]);
    let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    let tetrahedron = MeshDesc::new(corners.to_vec(), vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]);
    let child =
        |shape: Shape, x: f64| CompoundChild::new(shape, Pose::from_translation(Vec3::new(x, 0.2, 0.0).to_real()));
    let compound = vec![child(Shape::sphere(0.3).unwrap(), -2.0), child(Shape::cone(0.3, 0.4).unwrap(), 2.0)];
    let shapes = [
        Shape::sphere(0.7).unwrap(),
        Shape::cuboid(0.3, 0.5, 0.7).unwrap(),
        Shape::capsule(0.4, 0.3).unwrap(),
        Shape::cylinder(0.4, 0.3).unwrap(),
        Shape::cone(0.4, 0.3).unwrap(),
        Shape::hull(&[Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z, Vec3::new(1.0, 1.0, 0.5)]).unwrap(),
        Shape::rectangle(0.4, 0.6).unwrap(),
        Shape::half_space(Vec3::Y, 0.5).unwrap(),
        Shape::mesh(tetrahedron).unwrap(),
        Shape::height_field(grid).unwrap(),
        Shape::compound(compound).unwrap(),
    ];
    for shape in shapes {
        let mut world = World::new();
        let turn = Quat::from_axis_angle(Vec3::new(1.0, 2.0, -0.5), real(0.9));
        let body = BodyDesc::fixed().position([3.0, -2.0, 5.0]).rotation(turn).collider(shape.clone());
        let body = world.add_body(body).unwrap();
        let drawn = world.debug_geometry(DebugLayers { shapes: true, ..NOTHING });
        assert!(drawn.lines.len() > 3, "{shape:?}");
        let view = world.body(body).unwrap();
        let (mut least, mut most) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for point in drawn.lines.iter().flat_map(|l| [l.from, l.to]) {
            let local = view.to_local(point);
            let off = tumble::shape::Geometry::closest_point(&shape, local).distance;
            assert!(off.abs() < 1e-4, "{shape:?}: {local:?} is off its surface by {off}");
            for (i, v) in local.to_array().into_iter().enumerate() {
                (least[i], most[i]) = (least[i].min(f64::from(v)), most[i].max(f64::from(v)));
            }
        }
        let bounds = tumble::shape::Geometry::bounds(&shape, &Pose::IDENTITY);
        if bounds.is_finite() {
            for i in 0..3 {
                let (low, high) = (f64::from(bounds.min.to_array()[i]), f64::from(bounds.max.to_array()[i]));
                assert!(
                    (least[i] - low).abs() < 0.02 && (most[i] - high).abs() < 0.02,
                    "{shape:?}: {least:?} {most:?}"
                );
            }
        }
    }
}
