//! Floors of many triangles: nothing stumbles over a seam, and round things roll.

use crate::support::real;
use tumble::math::{Float, Pose, Quat, Real, Vec3};
use tumble::shape::{CompoundChild, HeightFieldDesc, MeshDesc, Shape};
use tumble::{BodyDesc, ColliderDesc, Locks, Material, Method, World};

const DT: f64 = 1.0 / 60.0;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Floor {
    Plane,
    Mesh,
    Field,
}

/// A level floor; the mesh and the height field have 10 by 10 squares of two triangles, `size` metres across in all.
fn floor(kind: Floor, size: f64, friction: f64) -> World {
    floor_of(10, kind, size, friction)
}

/// The same of so many squares along each side.
fn floor_of(squares: u32, kind: Floor, size: f64, friction: f64) -> World {
    let mut method = Method::soft_step();
    method.switches.sleep = false;
    let mut world = World::with_method(method).unwrap();
    let n = squares + 1;
    let shape = match kind {
        Floor::Plane => Shape::half_space(Vec3::Y, 0.0).unwrap(),
        Floor::Field => {
            let heights = vec![0.0; (n * n) as usize];
            Shape::height_field(HeightFieldDesc::new(n, n, real(size), real(size), heights)).unwrap()
        }
        Floor::Mesh => {
            let at = |i: u32| real((f64::from(i) / f64::from(n - 1) - 0.5) * size);
            let vertices = (0..n * n).map(|k| Vec3::new(at(k % n), 0.0, at(k / n))).collect();
            let square = |k: u32| {
                let i = k / (n - 1) * n + k % (n - 1);
                [[i, i + n, i + 1], [i + 1, i + n, i + n + 1]]
            };
            Shape::mesh(MeshDesc::new(vertices, (0..(n - 1) * (n - 1)).flat_map(square).collect())).unwrap()
        }
    };
    let material = Material::default().with_friction(real(friction));
    world.add_body(BodyDesc::fixed().collider(ColliderDesc::new(shape).material(material))).unwrap();
    world
}

/// A ground of squares of half a metre from x = -10 to 10, as high at every x as `height` says, without friction.
fn ground(kind: Floor, height: impl Fn(f64) -> f64) -> World {
    let (nx, nz) = (41_u32, 5_u32);
    let x = |i: u32| f64::from(i) * 0.5 - 10.0;
    let shape = if kind == Floor::Field {
        let heights = (0..nx * nz).map(|k| real(height(x(k % nx)))).collect();
        Shape::height_field(HeightFieldDesc::new(nz, nx, 20.0, 2.0, heights)).unwrap()
    } else {
        let at = |i: u32, k: u32| Vec3::new(real(x(i)), real(height(x(i))), real(f64::from(k) * 0.5 - 1.0));
        let vertices = (0..nx * nz).map(|k| at(k % nx, k / nx)).collect();
        let square = |k: u32| {
            let i = k / (nx - 1) * nx + k % (nx - 1);
            [[i, i + nx, i + 1], [i + 1, i + nx, i + nx + 1]]
        };
        Shape::mesh(MeshDesc::new(vertices, (0..(nx - 1) * (nz - 1)).flat_map(square).collect())).unwrap()
    };
    let mut world = World::new();
    let material = Material::default().with_friction(0.0);
    world.add_body(BodyDesc::fixed().collider(ColliderDesc::new(shape).material(material))).unwrap();
    world
}

/// The ground falls off behind a crest: whatever comes towards it, at any place in its step, neither hops nor is it braked before it is there.
#[test]
fn crests_are_not_felt_from_afar() {
    let shapes: [(&str, Shape, f64); 6] = [
        ("ball", Shape::sphere(0.5).unwrap(), 0.5),
        ("marble", Shape::sphere(0.05).unwrap(), 0.05),
        ("lying capsule", Shape::capsule(0.5, 0.3).unwrap(), 0.3),
        ("box", Shape::cuboid(0.5, 0.2, 0.3).unwrap(), 0.2),
        ("cylinder", Shape::cylinder(0.2, 0.5).unwrap(), 0.2),
        (
            "hull",
            Shape::hull(
                &[[-0.4, -0.2, -0.3], [0.4, -0.2, -0.3], [0.4, -0.2, 0.3], [-0.4, -0.2, 0.3], [0.0, 0.2, 0.0]]
                    .map(Vec3::from),
            )
            .unwrap(),
            0.2,
        ),
    ];
    for kind in [Floor::Mesh, Floor::Field] {
        for (name, shape, low) in &shapes {
            for slope in [0.02, 0.1, 0.3] {
                for case in 0..6 {
                    let mut world = ground(kind, |x| if x > 0.0 { -slope * x } else { 0.0 });
                    let speed = [0.7, 5.0][case % 2];
                    let start = -1.2 - 0.013 * case as f64;
                    // As deep as contacts at rest may be.
                    let low = *low - [0.0, 0.0009][case / 3];
                    let body = BodyDesc::dynamic().position([start, low, 0.1]).linear_velocity([real(speed), 0.0, 0.0]);
                    let body = if *name == "lying capsule" {
                        body.turned(Vec3::X, real(core::f64::consts::FRAC_PI_2))
                    } else {
                        body
                    };
                    let smooth = Material::default().with_friction(0.0);
                    let id = world.add_body(body.collider(ColliderDesc::new(shape.clone()).material(smooth))).unwrap();
                    let at = format!("{name} on {kind:?}, slope {slope}, case {case}");
                    while world.body(id).unwrap().position().x < 0.0 {
                        world.step(real(DT)).unwrap();
                        let v = world.body(id).unwrap().linear_velocity();
                        assert!(f64::from(v.x) > 0.98 * speed && v.y < real(0.02 * speed + 0.02), "{at}: {v:?}");
                        assert!(world.time() < 5.0, "{at}: it takes too long");
                    }
                }
            }
        }
    }
}

/// A slab that juts out over a crest so slight that both sides of it make one patch lies still, on what bears it and not on what it hangs over: it
/// does not rock from one choice of four points to another.
#[test]
fn slabs_that_jut_out_over_a_slight_crest_lie_still() {
    for kind in [Floor::Mesh, Floor::Field] {
        for slope in [0.005, 0.01, 0.02, 0.03, 0.04] {
            for (half, x, yaw) in
                [(1.0, -0.3, 0.0), (1.0, -0.3, 0.4), (0.7, -0.13, 0.1), (1.3, -0.6, 0.0), (0.9, -0.1, 1.2)]
            {
                let mut world = ground(kind, |x| if x > 0.0 { -slope * x } else { 0.0 });
                let slab = ColliderDesc::new(Shape::cuboid(real(half), 0.1, 0.6).unwrap()).friction(0.5);
                let body = BodyDesc::dynamic().position([x, 0.1, 0.07]).turned(Vec3::Y, real(yaw)).collider(slab);
                let id = world.add_body(body).unwrap();
                for step in 0..300 {
                    world.step(real(DT)).unwrap();
                    let body = world.body(id).unwrap();
                    let (v, w) = (body.linear_velocity().length(), body.angular_velocity().length());
                    let still = step < 120 || (v < 1e-4 && w < 1e-4);
                    assert!(still, "{kind:?}, slope {slope}, {half} at {x}, {yaw}, step {step}: {v} m/s, {w} rad/s");
                }
            }
        }
    }
}

/// Boxes that do not turn scrape over a crest on a tilted edge or a corner, a little deep in it as contacts at rest are. Few are stopped by the edge of
/// the crest, which offers a way out that is shorter by a hair.
#[test]
fn tilted_boxes_scrape_over_crests() {
    // Slope behind the crest, speed, tilt, direction of the axis that it tilts about, yaw, place and depth at the start.
    let on_mesh = [
        (0.02, 0.3, 0.6, 4.208, 1.786, -1.1221, 0.371e-3),
        (0.02, 0.3, 0.35, 3.695, 4.838, -1.2604, 0.539e-3),
        (0.02, 1.0, 0.6, 5.793, 5.976, -1.0864, 0.509e-3),
        (0.02, 1.0, 0.2, 5.075, 3.929, -1.2355, 0.667e-3),
        (0.1, 0.3, 0.6, 1.484, 5.221, -1.1653, 0.189e-3),
        (0.1, 0.3, 0.6, 3.570, 0.327, -1.1897, 0.722e-3),
        (0.3, 0.3, 0.6, 4.951, 3.980, -1.1978, 0.967e-3),
        (0.3, 0.3, 0.6, 3.794, 3.030, -1.2920, 0.737e-3),
        (0.6, 0.3, 0.6, 4.600, 4.506, -1.2124, 0.261e-3),
        (0.6, 0.3, 0.6, 1.338, 5.962, -1.1699, 0.451e-3),
    ];
    let on_field = [
        (0.02, 0.3, 0.6, 5.797, 4.463, -1.0025, 0.842e-3),
        (0.02, 0.3, 0.2, 4.144, 0.893, -1.0289, 0.547e-3),
        (0.02, 0.3, 0.35, 2.875, 0.451, -1.0796, 0.791e-3),
        (0.1, 0.3, 0.6, 4.341, 0.117, -1.0857, 0.940e-3),
        (0.1, 0.3, 0.35, 6.018, 2.743, -1.0527, 0.762e-3),
        (0.3, 0.3, 0.6, 1.508, 1.733, -1.2721, 0.561e-3),
        (0.6, 0.3, 0.6, 1.342, 5.994, -1.0401, 0.433e-3),
        (0.6, 1.0, 0.6, 4.710, 1.286, -1.2741, 0.792e-3),
    ];
    let of = |kind: Floor| move |case| (kind, case);
    let half = Vec3::new(0.5, 0.2, 0.3);
    let cases: Vec<_> = on_mesh.map(of(Floor::Mesh)).into_iter().chain(on_field.map(of(Floor::Field))).collect();
    let mut stopped = Vec::new();
    for &(kind, case) in &cases {
        let (slope, speed, tilt, about, yaw, start, depth): (f64, f64, f64, f64, f64, f64, f64) = case;
        let axis = Vec3::new(real(Float::cos(about)), 0.0, real(Float::sin(about)));
        let turned = Quat::from_axis_angle(axis, real(tilt)) * Quat::from_axis_angle(Vec3::Y, real(yaw));
        let up = turned.unrotate(Vec3::Y).abs();
        let mut world = ground(kind, |x| if x > 0.0 { -slope * x } else { 0.0 });
        let smooth = Material::default().with_friction(0.0);
        let cuboid = ColliderDesc::new(Shape::cuboid(half.x, half.y, half.z).unwrap()).material(smooth);
        let body = BodyDesc::dynamic().position([start, f64::from(half.dot(up)) - depth, 0.1]).rotation(turned);
        let body = body.linear_velocity([real(speed), 0.0, 0.0]).locks(Locks::TURN);
        let id = world.add_body(body.collider(cuboid)).unwrap();
        while world.body(id).unwrap().position().x < 0.8 {
            world.step(real(DT)).unwrap();
            if f64::from(world.body(id).unwrap().linear_velocity().x) < 0.5 * speed {
                stopped.push((kind, case));
                break;
            }
        }
    }
    println!("{} of {} stopped", stopped.len(), cases.len());
    assert!(6 * stopped.len() <= cases.len(), "{stopped:?}");
}

/// A beam whose top is cut into triangles carries a slab that is wider than it, and whose front and sides face the corners where these meet: they are
/// no steps. It used to be stopped dead by the first of them.
#[test]
fn slabs_wider_than_a_beam_slide_along_it() {
    let mut vertices = Vec::new();
    for i in 0..13 {
        let x = real(f64::from(i));
        vertices.extend([[x, 0.0, -0.2], [x, 0.0, 0.2], [x, -0.4, 0.2], [x, -0.4, -0.2]].map(Vec3::from));
    }
    let mut triangles = Vec::new();
    for i in 0..12_u32 {
        for k in 0..4 {
            let [a, b] = [4 * i + k, 4 * i + (k + 1) % 4];
            triangles.extend([[a, b, b + 4], [a, b + 4, a + 4]]);
        }
    }
    triangles.extend([[0, 3, 2], [0, 2, 1], [48, 50, 51], [48, 49, 50]]);
    let beam = Shape::mesh(MeshDesc::new(vertices, triangles)).unwrap();
    let smooth = || Material::default().with_friction(0.0);
    for (speed, half) in [(0.5, 0.5), (4.0, 0.5), (1.0, 0.21)] {
        let mut world = World::new();
        world.add_body(BodyDesc::fixed().collider(ColliderDesc::new(beam.clone()).material(smooth()))).unwrap();
        let slab = ColliderDesc::new(Shape::cuboid(0.5, 0.2, real(half)).unwrap()).material(smooth());
        let body = BodyDesc::dynamic().position([1.49, 0.2, 0.0]).linear_velocity([real(speed), 0.0, 0.0]);
        let id = world.add_body(body.collider(slab)).unwrap();
        for _ in 0..(6.0 / speed / DT) as u32 {
            world.step(real(DT)).unwrap();
            let body = world.body(id).unwrap();
            let (v, y) = (body.linear_velocity(), body.position().y);
            assert!(f64::from(v.x) > 0.999 * speed && (y - 0.2).abs() < 3e-3, "at {speed} m/s: {v:?}, {y}");
        }
    }
}

/// Cubes on an edge or a corner, cones on their tips: dropped on a ridge, and beside it by less than they sink in, they are held by it. Where both
/// slopes see a way out over the ridge, neither may leave it to the other.
#[test]
fn ridges_hold_what_comes_with_a_tip() {
    let cube = || Shape::cuboid(0.5, 0.5, 0.5).unwrap();
    let upright = Quat::from_axis_angle(Vec3::Z, real(core::f64::consts::FRAC_PI_4));
    let on_corner = Quat::from_axis_angle(Vec3::X, real(Float::atan2(1.0, 2.0_f64.sqrt()))) * upright;
    let over = Quat::from_axis_angle(Vec3::X, real(core::f64::consts::PI));
    let cases = [
        (cube(), upright, 0.5_f64.sqrt()),
        (cube(), on_corner, 0.75_f64.sqrt()),
        (Shape::cone(0.4, 0.3).unwrap(), over, 0.4),
    ];
    for kind in [Floor::Mesh, Floor::Field] {
        for (shape, turned, low) in &cases {
            for aside in [0.0, 1e-4, 3e-4, -2e-3] {
                let mut world = ground(kind, |x| -0.15 * x.abs());
                let body = BodyDesc::dynamic().position([aside, *low + 0.05, 0.1]).rotation(*turned);
                let id = world.add_body(body.collider(shape.clone())).unwrap();
                for _ in 0..60 {
                    world.step(real(DT)).unwrap();
                    let at = world.body(id).unwrap().centre_of_mass();
                    let height = at.y + 0.15 * at.x.abs();
                    assert!(height > 0.12, "{shape:?} on {kind:?}, {aside} m aside: {height} m above the ground");
                }
            }
        }
    }
}

/// A plank from one closed table to another that is a little higher lies still, though its end looks through the wall below the edge that it lies over.
#[test]
fn planks_across_closed_tables_lie_still() {
    let table = |low: f64, high: f64, top: f64| {
        let [low, high, top] = [low, high, top].map(real);
        let corner = |k: u32| {
            let at = |bit: u32, a: Real, b: Real| if k & bit == 0 { a } else { b };
            Vec3::new(at(1, low, high), at(2, -1.0, top), at(4, -1.0, 1.0))
        };
        let faces = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
        let triangles = faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
        Shape::mesh(MeshDesc::new((0..8).map(corner).collect(), triangles)).unwrap()
    };
    let mut world = World::new();
    for shape in [table(-2.0, 0.0, 0.0), table(1.0, 3.0, 0.01)] {
        world.add_body(BodyDesc::fixed().collider(shape)).unwrap();
    }
    let plank = BodyDesc::dynamic().position([0.5, 0.0545, 0.0]).turned(Vec3::Z, 0.01);
    let id = world.add_body(plank.collider(Shape::cuboid(0.8, 0.05, 0.2).unwrap())).unwrap();
    for _ in 0..180 {
        world.step(real(DT)).unwrap();
        let v = world.body(id).unwrap().linear_velocity();
        assert!(v.length() < 0.1, "{v:?}");
    }
    assert!(world.body(id).unwrap().linear_velocity().length() < 1e-2);
}

/// A floor that has no back pushes up whatever has its middle above it, even where the way down is shorter.
#[test]
fn nothing_is_pushed_down_through_a_floor() {
    let corners = [[-0.5, 0.0, -0.5], [0.5, 0.0, -0.5], [0.5, 0.0, 0.5], [-0.5, 0.0, 0.5], [0.0, -1.0, 0.0]];
    let pyramid = Shape::hull(&corners.map(Vec3::from)).unwrap();
    for kind in [Floor::Mesh, Floor::Field] {
        let mut world = floor(kind, 12.0, 0.5);
        // Its middle is a quarter of its height below its base.
        let id = world.add_body(BodyDesc::dynamic().position([0.3, 0.3, 0.2]).collider(pyramid.clone())).unwrap();
        for _ in 0..300 {
            world.step(real(DT)).unwrap();
        }
        let y = world.body(id).unwrap().centre_of_mass().y;
        assert!(y > 0.1, "{kind:?}: {y}");
    }
}

/// A slab that covers hundreds of triangles, and one of many parts, stand level: not on those of them alone that are met first.
#[test]
fn slabs_stand_on_all_that_they_cover() {
    let cube = || Shape::cuboid(0.5, 0.5, 0.5).unwrap();
    let part = |k: u32| {
        let [x, z] = [k % 8, k / 8].map(|i| real(f64::from(i) - 3.5));
        CompoundChild::new(cube(), Pose::from_translation(Vec3::new(x, 0.0, z)))
    };
    let whole = || Shape::cuboid(5.0, 0.5, 5.0).unwrap();
    let cut = || Shape::compound((0..64).map(part).collect()).unwrap();
    for kind in [Floor::Plane, Floor::Mesh, Floor::Field] {
        for shape in [whole(), cut()] {
            let mut world = floor(kind, 12.0, 0.5);
            let id = world.add_body(BodyDesc::dynamic().position([0.3, 0.5, 0.2]).collider(shape)).unwrap();
            for _ in 0..180 {
                world.step(real(DT)).unwrap();
                let body = world.body(id).unwrap();
                let up = body.rotation().rotate(Vec3::Y).y;
                let low = body.position().y;
                assert!((low - 0.5).abs() < 0.01 && up > real(1.0 - 1e-5), "{kind:?}: at {low}, upright by {up}");
            }
        }
    }
}

/// The speed that is left, as a share, and the farthest that the body left its height.
fn slide(kind: Floor, shape: Shape, low: f64, friction: f64, seconds: f64, spin: Vec3) -> (f64, f64) {
    slide_over(10, kind, shape, low, friction, seconds, spin)
}

/// The same over so many squares along each side of 40 m.
fn slide_over(
    squares: u32,
    kind: Floor,
    shape: Shape,
    low: f64,
    friction: f64,
    seconds: f64,
    spin: Vec3,
) -> (f64, f64) {
    let (size, speed) = (40.0, 4.0);
    let mut world = floor_of(squares, kind, size, friction);
    let material = Material::default().with_friction(real(friction));
    // Askew to the seams, and not along a row of corners.
    let along = Vec3::new(Float::cos(0.3), 0.0, Float::sin(0.3));
    let start = along * -15.0 + Vec3::new(0.13, low, 0.07);
    let desc = BodyDesc::dynamic().position(start).linear_velocity((along * speed).to_real()).angular_velocity(spin);
    let id = world.add_body(desc.turned(Vec3::Y, -0.3).collider(ColliderDesc::new(shape).material(material))).unwrap();
    let mut hop: f64 = 0.0;
    for _ in 0..(seconds / DT) as u32 {
        world.step(real(DT)).unwrap();
        hop = hop.max((world.body(id).unwrap().position().y - low).abs());
    }
    (world.body(id).unwrap().linear_velocity().to_f64().dot(along) / speed, hop)
}

/// A box and a ball slide and roll over the seams of a flat floor, and lose no more speed than on a plane; on triangles that are larger than they are and on smaller
/// ones.
#[test]
fn seams_take_no_speed() {
    let cases: [(&str, Shape, f64, f64); 4] = [
        ("box", Shape::cuboid(0.5, 0.2, 0.3).unwrap(), 0.2, 0.0),
        ("ball", Shape::sphere(0.3).unwrap(), 0.3, 0.0),
        ("rubbing box", Shape::cuboid(0.5, 0.2, 0.3).unwrap(), 0.2, 0.02),
        ("rolling ball", Shape::sphere(0.3).unwrap(), 0.3, 0.5),
    ];
    for (name, shape, low, friction) in cases {
        let (on_plane, _) = slide(Floor::Plane, shape.clone(), low, friction, 6.0, Vec3::ZERO);
        for (kind, squares) in [Floor::Mesh, Floor::Field].into_iter().flat_map(|kind| [10, 80, 160].map(|n| (kind, n)))
        {
            let (left, hop) = slide_over(squares, kind, shape.clone(), low, friction, 6.0, Vec3::ZERO);
            let what = format!("{name} on {kind:?} of {squares} squares a side");
            println!("{what}: {left:.6} left, {on_plane:.6} on a plane; hops {hop:.2e} m");
            // A ten-thousandth for rounding.
            assert!(left > on_plane - 1e-4, "{what}: {left} against {on_plane}");
            assert!(hop < 2e-3, "{what} hops by {hop} m");
        }
    }
}

/// Plates thinner than the slop and small balls do not fall through a floor of triangles.
#[test]
fn thin_bodies_do_not_fall_through() {
    for kind in [Floor::Mesh, Floor::Field] {
        let mut world = floor(kind, 10.0, 0.5);
        let shapes = [
            Shape::cuboid(0.5, 0.0005, 0.5).unwrap(),
            Shape::cuboid(0.05, 0.002, 0.05).unwrap(),
            Shape::sphere(0.005).unwrap(),
            Shape::cylinder(0.001, 0.2).unwrap(),
        ];
        let mut ids = Vec::new();
        for (i, shape) in shapes.into_iter().enumerate() {
            let at = [i as f64 * 1.5 - 2.0, 0.5, 0.3 * i as f64];
            let desc = BodyDesc::dynamic().position(at).turned(Vec3::new(1.0, 0.2, 0.5), 0.2);
            ids.push(world.add_body(desc.collider(shape)).unwrap());
        }
        for _ in 0..600 {
            world.step(real(DT)).unwrap();
        }
        for (i, &id) in ids.iter().enumerate() {
            let y = world.body(id).unwrap().position().y;
            println!("{kind:?}, body {i}: {y:.5} m");
            // Two millimetres of overlap are within the tolerances; what is below the floor falls for ever.
            let half = [0.0005, 0.002, 0.005, 0.001][i];
            assert!(y > half - 0.002, "{kind:?}, body {i} is at {y}");
        }
    }
}

/// A cylinder that rolls keeps its speed for a minute within 1 %, on a plane and on triangles much longer than it is, and smaller ones.
#[test]
fn cylinder_keeps_rolling() {
    let (radius, speed): (f64, f64) = (0.3, 0.6);
    for (kind, squares) in
        [(Floor::Plane, 10), (Floor::Mesh, 10), (Floor::Field, 10), (Floor::Mesh, 200), (Floor::Field, 200)]
    {
        let mut world = floor_of(squares, kind, 50.0, 0.6);
        let material = Material::default().with_friction(0.6);
        let shape = ColliderDesc::new(Shape::cylinder(0.4, real(radius)).unwrap()).material(material);
        // Its axis lies along z, and it rolls along x.
        let desc = BodyDesc::dynamic()
            .position([-20.0, radius, 0.17])
            .turned(Vec3::X, Real::from_f64(f64::PI / 2.0))
            .linear_velocity([real(speed), 0.0, 0.0])
            .angular_velocity([0.0, 0.0, real(-speed / radius)]);
        let id = world.add_body(desc.collider(shape)).unwrap();
        for _ in 0..3600 {
            world.step(real(DT)).unwrap();
        }
        let body = world.body(id).unwrap();
        let (left, stray) = (body.linear_velocity().x.to_f64() / speed, body.position().z - 0.17);
        println!("{kind:?} of {squares} squares a side: {left:.5} of the speed left, {stray:.4} m aside");
        assert!((left - 1.0).abs() < 0.01, "{kind:?} of {squares}: {left}");
        assert!(stray.abs() < 0.5, "{kind:?} of {squares}: {stray} m aside");
    }
}

/// A coin that rolls on its rim, faster than √(g r/3) below which it falls over, keeps its speed and stays upright, on a plane and over seams.
#[test]
fn coin_keeps_rolling() {
    let (radius, speed): (f64, f64) = (0.2, 2.0);
    for kind in [Floor::Plane, Floor::Mesh, Floor::Field] {
        let mut world = floor(kind, 60.0, 0.6);
        let coin = ColliderDesc::new(Shape::cylinder(0.02, real(radius)).unwrap()).friction(0.6);
        let desc = BodyDesc::dynamic()
            .position([-20.0, radius, 0.17])
            .turned(Vec3::X, Real::from_f64(f64::PI / 2.0))
            .linear_velocity([real(speed), 0.0, 0.0])
            .angular_velocity([0.0, 0.0, real(-speed / radius)]);
        let id = world.add_body(desc.collider(coin)).unwrap();
        for _ in 0..900 {
            world.step(real(DT)).unwrap();
        }
        let body = world.body(id).unwrap();
        let (left, lean) = (body.linear_velocity().x.to_f64() / speed, body.rotation().rotate(Vec3::Y).y);
        println!("{kind:?}: {left:.5} of the speed left after 15 s, leans by {lean:.4}");
        assert!((left - 1.0).abs() < 0.01, "{kind:?}: {left}");
        assert!(lean.abs() < 0.02, "{kind:?}: leans by {lean}");
    }
}

/// A cone that lies on its side rolls round its tip: with the half angle α and the rate w about the line on which it touches, the centre, at ¾ of
/// the height H, goes at w ¾H sin α on a circle of ¾H cos α, round and round.
#[test]
fn cone_rolls_round_its_tip() {
    let (height, radius, rate): (f64, f64, f64) = (0.8, 0.3, 2.0);
    let alpha = (0.5 * 2.0 * radius / height).atan();
    for kind in [Floor::Plane, Floor::Mesh] {
        let mut world = floor(kind, 20.0, 0.8);
        // From the tip, in the middle of the floor, along +x and up; the shape has its tip at +y.
        let axis = Vec3::new(alpha.cos(), alpha.sin(), 0.0);
        let turn = Quat::between(-Vec3::Y, axis.to_real());
        let middle = axis * (0.5 * height);
        let velocity = Vec3::new(rate, 0.0, 0.0).cross(middle);
        let cone = ColliderDesc::new(Shape::cone(real(0.5 * height), real(radius)).unwrap()).friction(0.8);
        let desc = BodyDesc::dynamic().position(middle).rotation(turn);
        let desc = desc.linear_velocity(velocity.to_real()).angular_velocity([real(rate), 0.0, 0.0]);
        let id = world.add_body(desc.collider(cone)).unwrap();
        let expected = rate * 0.75 * height * alpha.sin();
        let (mut round, mut before, mut left) = (0.0, 0.0, 0.0);
        for step in 1..=900 {
            world.step(real(DT)).unwrap();
            let body = world.body(id).unwrap();
            let tip = body.to_world([0.0, real(0.5 * height), 0.0]);
            let at = body.centre_of_mass() - tip;
            let angle = f64::atan2(-at.z, at.x);
            round += (angle - before + 3.0 * f64::PI).rem_euclid(2.0 * f64::PI) - f64::PI;
            before = angle;
            let speed = body.centre_velocity().to_f64().length();
            left = speed / expected;
            // It loses a few per mille in a second: the line on which it stands turns, and its two ends are held where they were at the start of a step.
            assert!((left - 1.0).abs() < 0.06, "{kind:?}, step {step}: {speed} m/s, {expected} expected");
        }
        // w tan α for 15 s, either way round.
        let turns = rate * alpha.tan() * 15.0;
        println!("{kind:?}: went round by {round:.3} rad, {turns:.3} expected; {left:.4} of the speed left");
        assert!((round.abs() / turns - 1.0).abs() < 0.05, "{kind:?}: {round} rad, {turns} expected");
    }
}
