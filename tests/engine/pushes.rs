//! Forces and impulses at points, and the motion of points: 003-02, 003-03, 003-07, 003-08, 001-40, 001-44, 001-45.

use crate::support::{Random, assert_near, ballistic, eps, floating, lopsided, real};
use tumble::articulation::{ArticulationDesc, LinkDesc};
use tumble::math::{Float, Mat3, Point, Real, Vec3};
use tumble::shape::Shape;
use tumble::{BodyDesc, BodyId, BodyKind, ColliderDesc, DebugLayers, Integrate, Method, World};

const DT: Real = 1.0 / 64.0;

fn turned_lopsided(random: &mut Random, world: &mut World) -> BodyId {
    let desc = lopsided()
        .position(random.vector(3.0))
        .rotation(random.rotation())
        .linear_velocity(random.vector(2.0))
        .angular_velocity(random.vector(2.0));
    world.add_body(desc).unwrap()
}

/// 003-07: a force stays until it is changed, and gives F/m per second; a force at a point adds r × F about the centre of
/// mass.
#[test]
fn force_stays_until_changed() {
    let mut world = floating(Integrate::SemiImplicitEuler);
    let id = world.add_body(BodyDesc::dynamic().mass(4.0)).unwrap();
    world.body_mut(id).unwrap().set_force([8.0, 0.0, -2.0]).unwrap();
    for n in 1..=64 {
        world.step(DT).unwrap();
        let expected = Vec3::new(2.0, 0.0, -0.5) * (DT * n as Real);
        assert_eq!(world.body(id).unwrap().linear_velocity(), expected);
    }
    world.body_mut(id).unwrap().set_force([0.0, 4.0, 0.0]).unwrap();
    for _ in 0..64 {
        world.step(DT).unwrap();
    }
    assert_eq!(world.body(id).unwrap().linear_velocity(), Vec3::new(2.0, 1.0, -0.5));
    world.body_mut(id).unwrap().set_force(Vec3::ZERO).unwrap();
    for _ in 0..64 {
        world.step(DT).unwrap();
    }
    assert_eq!(world.body(id).unwrap().linear_velocity(), Vec3::new(2.0, 1.0, -0.5));
}

/// 003-07: forces at points add up to their sum at the centre and the sum of r × F about it; in one step they change the
/// velocities by F dt/m and I⁻¹ τ dt.
#[test]
fn forces_at_points_add_force_and_torque() {
    let mut random = Random(1);
    for _ in 0..100 {
        let mut world = floating(Integrate::SemiImplicitEuler);
        let id = turned_lopsided(&mut random, &mut world);
        world.body_mut(id).unwrap().set_velocity(random.vector(2.0), Vec3::ZERO).unwrap();
        let body = world.body(id).unwrap();
        let (centre, inertia, mass) = (body.centre_of_mass(), body.inertia(), body.mass());
        let (v, w) = (body.centre_velocity().to_f64(), body.angular_velocity().to_f64());
        let (mut force, mut torque) = (Vec3::ZERO, Vec3::ZERO);
        for _ in 0..3 {
            let (f, offset) = (random.vector(500.0), random.vector(1.0).to_f64());
            world.body_mut(id).unwrap().add_force_at(f, centre + offset).unwrap();
            force += f.to_f64();
            torque += offset.cross(f.to_f64());
        }
        let body = world.body(id).unwrap();
        assert_near("force", body.force().to_f64(), force, 4.0 * eps() * 1500.0);
        assert_near("torque", body.torque().to_f64(), torque, 16.0 * eps() * 1500.0);

        // Off its axes the gyroscopic torque of the new ω turns ω in the same step; without it the law stands alone.
        let mut method = world.method().clone();
        method.switches.gyroscopic = false;
        world.set_method(method).unwrap();
        world.step(DT).unwrap();
        let body = world.body(id).unwrap();
        let dv = force * (DT.to_f64() / mass);
        let dw = inertia.try_inverse().unwrap() * torque * DT.to_f64();
        assert_near("Δv", body.centre_velocity().to_f64() - v, dv, 16.0 * eps() * (v.length() + dv.length()));
        assert_near("Δω", body.angular_velocity().to_f64() - w, dw, 64.0 * eps() * dw.length());
    }
}

/// 003-07, 001-44, 001-45: an impulse J at a point gives Δv = J/m and Δω = I⁻¹ (r × J), so the point itself gains K J with
/// K = 1/m - r̃ I⁻¹ r̃.
#[test]
fn impulse_at_a_point() {
    let mut random = Random(2);
    for _ in 0..100 {
        let mut world = floating(Integrate::SemiImplicitEuler);
        let id = turned_lopsided(&mut random, &mut world);
        let body = world.body(id).unwrap();
        let point = body.centre_of_mass() + random.vector(1.0).to_f64();
        let impulse = random.vector(50.0);
        let (j, r) = (impulse.to_f64(), point - body.centre_of_mass());
        let (v, w, at) = (body.centre_velocity().to_f64(), body.angular_velocity().to_f64(), body.velocity_at(point));
        let (inverse, mass) = (body.inertia().try_inverse().unwrap(), body.mass());
        let (p, l) = (body.momentum(), body.angular_momentum());

        world.body_mut(id).unwrap().apply_impulse_at(impulse, point).unwrap();

        let body = world.body(id).unwrap();
        let (dv, dw) = (j / mass, inverse * r.cross(j));
        let size = v.length() + w.length() + dv.length() + dw.length();
        assert_near("Δv", body.centre_velocity().to_f64() - v, dv, 4.0 * eps() * size);
        assert_near("Δω", body.angular_velocity().to_f64() - w, dw, 32.0 * eps() * size);
        let skew = Mat3::skew(r);
        let k_j = j / mass - skew * (inverse * (skew * j));
        assert_near("K J", (body.velocity_at(point) - at).to_f64(), k_j, 32.0 * eps() * size);
        assert_near("momentum", body.momentum() - p, j, 8.0 * eps() * (p.length() + j.length()));
        // What the rounding of ω takes of L grows with the largest moment.
        let tolerance = 16.0 * eps() * (body.inertia().trace() * size + r.length() * j.length());
        assert_near("angular momentum", body.angular_momentum() - l, r.cross(j), tolerance);
    }
}

/// An impulse at the centre of mass turns nothing, an angular impulse moves nothing, and both act at once.
#[test]
fn impulses_at_the_centre() {
    let mut world = floating(Integrate::SemiImplicitEuler);
    let id = world.add_body(lopsided()).unwrap();
    let (mass, inertia) = (world.body(id).unwrap().mass(), world.body(id).unwrap().inertia());
    world.body_mut(id).unwrap().apply_impulse([10.0, 20.0, 30.0]).unwrap();
    let body = world.body(id).unwrap();
    assert_near("v", body.centre_velocity().to_f64() * mass, Vec3::new(10.0, 20.0, 30.0), 64.0 * eps());
    assert_eq!(body.angular_velocity(), Vec3::ZERO);
    let v = body.centre_velocity();
    world.body_mut(id).unwrap().apply_angular_impulse([1.0, -2.0, 0.5]).unwrap();
    let body = world.body(id).unwrap();
    assert_eq!(body.centre_velocity(), v);
    assert_near("L", inertia * body.angular_velocity().to_f64(), Vec3::new(1.0, -2.0, 0.5), 32.0 * eps());
}

/// Bodies that are not dynamic, and bodies that are not active, feel neither force nor impulse; the former say so.
#[test]
fn who_feels_no_force() {
    for (kind, active) in [(BodyKind::Fixed, true), (BodyKind::Kinematic, true), (BodyKind::Dynamic, false)] {
        let mut world = ballistic(Integrate::SemiImplicitEuler);
        let id = world.add_body(BodyDesc { kind, active, ..lopsided() }).unwrap();
        let pose = world.body(id).unwrap().pose();
        let mut body = world.body_mut(id).unwrap();
        assert_eq!(body.apply_impulse_at([10.0, 0.0, 0.0], [0.0, 3.0, 0.0]).is_ok(), !active);
        assert_eq!(body.apply_angular_impulse([0.0, 1.0, 0.0]).is_ok(), !active);
        assert_eq!(body.apply_force([0.0, 1.0, 0.0]).is_ok(), !active);
        body.set_force([0.0, 1e4, 0.0]).unwrap();
        body.set_torque([0.0, 1e4, 0.0]).unwrap();
        for _ in 0..10 {
            world.step(DT).unwrap();
        }
        let body = world.body(id).unwrap();
        assert_eq!((body.pose(), body.linear_velocity(), body.angular_velocity()), (pose, Vec3::ZERO, Vec3::ZERO));
    }
}

/// 003-08: E = m v²/2 + ω·I ω/2, against the energy of a cloud of points that moves as the body does.
#[test]
fn kinetic_energy_is_that_of_its_points() {
    let mut world = floating(Integrate::SemiImplicitEuler);
    let desc = BodyDesc::dynamic().collider(tumble::shape::Shape::cuboid(0.5, 0.25, 0.75).unwrap());
    let id = world.add_body(desc.turned([1.0, 2.0, -0.5], 0.8)).unwrap();
    world.body_mut(id).unwrap().set_velocity([1.0, -2.0, 0.5], [3.0, 1.0, -2.0]).unwrap();
    let body = world.body(id).unwrap();
    // The midpoints of a grid give the second moments of a box but for a share of 1/n².
    let n = 20;
    let cell = |i: i32| (f64::from(i) + 0.5) / f64::from(n) * 2.0 - 1.0;
    let mut energy = 0.0;
    for i in 0..n {
        for j in 0..n {
            for k in 0..n {
                let local = Vec3::new(cell(i) * 0.5, cell(j) * 0.25, cell(k) * 0.75).to_real();
                energy += body.velocity_at(body.to_world(local)).to_f64().length_squared();
            }
        }
    }
    energy *= 0.5 * body.mass() / f64::from(n * n * n);
    let share = body.kinetic_energy() / energy - 1.0;
    assert!(share.abs() < 1.0 / f64::from(n * n), "{} against {energy}", body.kinetic_energy());
}

/// 003-02: positions and directions go to the world and back, and a point of the body keeps its place in it.
#[test]
fn points_go_to_the_world_and_back() {
    let mut random = Random(3);
    let mut world = floating(Integrate::SemiImplicitEuler);
    for _ in 0..50 {
        let id = turned_lopsided(&mut random, &mut world);
        let body = world.body(id).unwrap();
        let local = random.vector(2.0);
        let there = body.to_world(local);
        let by_hand = body.position() + body.rotation().to_f64().to_mat3() * local.to_f64();
        assert_near("to the world", there, by_hand, 16.0 * eps());
        assert_near("and back", body.to_local(there).to_f64(), local.to_f64(), 16.0 * eps());
    }
}

/// Worst differences between what is reported of a material point and the differences of its path: of the velocity by
/// (p(t+h) - p(t-h))/2h, of the acceleration by (p(t+h) - 2 p(t) + p(t-h))/h².
fn against_finite_differences(mut world: World, dt: Real) -> (f64, f64) {
    let id = world.add_body(lopsided().linear_velocity([1.0, 2.0, 0.0]).angular_velocity([2.0, -1.0, 1.5])).unwrap();
    world.body_mut(id).unwrap().add_force_at([40.0, -10.0, 60.0], [0.5, 0.5, 0.5]).unwrap();
    let local = Vec3::new(0.6, -0.3, 0.4);
    let h = dt.to_f64();
    let mut path: Vec<(Point, Vec3<f64>, Vec3<f64>)> = Vec::new();
    for _ in 0..(0.5 / h) as u32 {
        world.step(dt).unwrap();
        let body = world.body(id).unwrap();
        let p = body.to_world(local);
        path.push((p, body.velocity_at(p).to_f64(), body.acceleration_at(p).to_f64()));
    }
    let mut worst = (0.0_f64, 0.0_f64);
    for w in path.windows(3) {
        let [(before, ..), (now, v, a), (after, ..)] = [w[0], w[1], w[2]];
        worst.0 = worst.0.max((v - (after - before) / (2.0 * h)).length());
        worst.1 = worst.1.max((a - (after - now * 2.0 + before) / (h * h)).length());
    }
    worst
}

/// 003-03: velocity and acceleration of any point, v + ω × r and a + α × r + ω × (ω × r), are those of the path of the
/// material point, up to a difference that shrinks with the step: under every integrator and the default method.
#[test]
fn motion_of_a_point_is_the_derivative_of_its_path() {
    let worlds = [
        ("semi-implicit", ballistic(Integrate::SemiImplicitEuler)),
        ("explicit", ballistic(Integrate::ExplicitEuler)),
        ("default", World::new()),
    ];
    for (name, world) in worlds {
        let errors: Vec<(f64, f64)> = [60, 120, 240, 480]
            .into_iter()
            .map(|rate| against_finite_differences(world.clone(), real(1.0 / f64::from(rate))))
            .collect();
        println!("{name}: {errors:?}");
        for (i, e) in errors.windows(2).enumerate() {
            // The rotation rounds the place of the point by eps, which the differences divide by h and h².
            let rate = f64::from(120 << i);
            let rounding = (8.0 * eps() * rate, 16.0 * eps() * rate * rate);
            assert!(e[1].0 < 0.55 * e[0].0 + rounding.0, "{name}, velocity: {errors:?}");
            assert!(e[1].1 < 0.55 * e[0].1 + rounding.1, "{name}, acceleration: {errors:?}");
        }
        // The motion itself is of the order of 5 m/s and 20 m/s².
        assert!(errors[0].0 < 0.3 && errors[0].1 < 1.5, "{name}: {errors:?}");
    }
}

/// Before the first step, and for a body that stands, the acceleration is zero; in free fall it is g at every point that
/// does not turn, and v²/r towards the axis where it does.
#[test]
fn acceleration_in_known_cases() {
    let mut world = ballistic(Integrate::SemiImplicitEuler);
    let id = world.add_body(lopsided().gravity_scale(1.0)).unwrap();
    assert_eq!(world.body(id).unwrap().acceleration_at([1.0, 2.0, 3.0]), Vec3::ZERO);
    world.step(DT).unwrap();
    let a = world.body(id).unwrap().acceleration_at([1.0, 2.0, 3.0]).to_f64();
    assert_near("free fall", a, Vec3::new(0.0, -9.81, 0.0), 64.0 * eps());

    world.body_mut(id).unwrap().set_kind(BodyKind::Fixed).unwrap();
    assert_eq!(world.body(id).unwrap().acceleration_at([1.0, 2.0, 3.0]), Vec3::ZERO, "a fixed body");
    world.body_mut(id).unwrap().set_kind(BodyKind::Dynamic).unwrap();
    assert_eq!(world.body(id).unwrap().acceleration_at([1.0, 2.0, 3.0]), Vec3::ZERO, "not yet stepped");

    let mut world = floating(Integrate::SemiImplicitEuler);
    let wheel = world.add_body(BodyDesc::dynamic().angular_velocity([0.0, 0.0, 4.0])).unwrap();
    world.step(DT).unwrap();
    let a = world.body(wheel).unwrap().acceleration_at([0.5, 0.0, 0.0]).to_f64();
    assert_near("centripetal", a, Vec3::new(-8.0, 0.0, 0.0), 64.0 * eps());
}

/// What a contact tells about its forces: on a slope the pushes along the normal hold m g cos α, and friction, on the body that lies on it,
/// m g sin α up the slope. Both methods tell the same.
#[test]
fn contacts_tell_their_forces() {
    for method in [Method::soft_step(), Method::simultaneous()] {
        let mut world = World::with_method(method).unwrap();
        let slope = real(0.3);
        let normal = Vec3::new(slope.sin(), slope.cos(), 0.0);
        let floor = ColliderDesc::new(Shape::half_space(normal, 0.0).unwrap()).friction(0.8);
        world.add_body(BodyDesc::fixed().collider(floor)).unwrap();
        let block = ColliderDesc::new(Shape::cuboid(0.5, 0.25, 0.5).unwrap()).friction(0.8);
        let block = BodyDesc::dynamic().position((normal * 0.25).to_f64()).turned(Vec3::Z, -slope).collider(block);
        let block = world.add_body(block.mass(7.0)).unwrap();
        for _ in 0..60 {
            world.step(1.0 / 60.0).unwrap();
        }
        let all: Vec<_> = world.contacts_of(block).unwrap().collect();
        assert_eq!((all.len(), world.contacts().count()), (1, 1));
        let weight = 7.0 * 9.81;
        let push: f64 = all[0].points().map(|p| p.impulse.to_f64() * 60.0).sum();
        assert!((push / (weight * slope.cos().to_f64()) - 1.0).abs() < 0.01, "{push}");
        let up = Vec3::new(-slope.cos(), slope.sin(), 0.0);
        let drag = all[0].friction().dot(up).to_f64() * 60.0;
        assert!((drag / (weight * slope.sin().to_f64()) - 1.0).abs() < 0.02, "{drag}");
        for point in all[0].points() {
            assert!((point.normal - normal).length() < 1e-4 && point.separation.abs() < 0.01);
            assert!(point.position.dot(normal.to_f64()).abs() < 0.01, "{:?}", point.position);
        }
        let layers = DebugLayers { shapes: false, frames: false, contacts: true, ..DebugLayers::default() };
        let drawn = world.debug_geometry(layers);
        assert_eq!((drawn.points.len(), drawn.lines.len()), (4, 4));
        assert!(world.contacts_of(BodyId::from_bits(77)).is_err());
    }
}

/// A force that is applied acts in one step as one that is set and taken away again, to the bit: under every method, on bodies and on links. So does
/// one that waits in a snapshot.
#[test]
fn applied_forces_act_once() {
    for method in Method::presets() {
        let mut set = World::with_method(method.clone()).unwrap();
        let id = turned_lopsided(&mut Random(3), &mut set);
        let mut tree = ArticulationDesc::new();
        let root = BodyDesc::dynamic().position([20.0, 0.0, 0.0]).collider(Shape::cuboid(0.3, 0.1, 0.2).unwrap());
        tree.add(LinkDesc::free(root.name("link")));
        set.add_articulation(tree).unwrap();
        let link = set.find_body("link").unwrap();
        let mut applied = set.clone();
        let (force, torque) = (Vec3::new(30.0, -20.0, 10.0), Vec3::new(1.0, 2.0, -3.0));
        for body in [id, link] {
            let point = set.body(body).unwrap().to_world([0.1, 0.2, 0.3]);
            let mut b = set.body_mut(body).unwrap();
            b.set_force(force).unwrap();
            b.set_torque(torque).unwrap();
            b.add_force_at(force, point).unwrap();
            let mut b = applied.body_mut(body).unwrap();
            b.apply_force(force).unwrap();
            b.apply_torque(torque).unwrap();
            b.apply_force_at(force, point).unwrap();
            assert_eq!(b.view().force(), Vec3::ZERO, "what stays is another matter");
        }
        let mut twice = applied.clone();
        twice.body_mut(id).unwrap().apply_force(force).unwrap();
        assert_ne!(applied.hash(), twice.hash(), "the hash knows of it");
        let mut restored = World::from_snapshot(&applied.snapshot().unwrap()).unwrap();
        for _ in 0..5 {
            for world in [&mut set, &mut applied, &mut restored] {
                world.step(DT).unwrap();
            }
            for body in [id, link] {
                set.body_mut(body).unwrap().set_force(Vec3::ZERO).unwrap();
                set.body_mut(body).unwrap().set_torque(Vec3::ZERO).unwrap();
                let (a, b) = (set.body(body).unwrap(), applied.body(body).unwrap());
                assert_eq!((a.pose(), a.centre_velocity()), (b.pose(), b.centre_velocity()), "{}", method.name);
                assert_eq!(a.angular_velocity(), b.angular_velocity(), "{}", method.name);
            }
            assert_eq!(applied.hash(), restored.hash());
        }
    }
}

/// An applied force wakes, waits for a step, acts in the first of several, goes with its body or with a change of kind, and passes over
/// who is inactive.
#[test]
fn the_life_of_an_applied_force() {
    let mut world = World::new();
    world.set_gravity(Vec3::ZERO).unwrap();
    world
        .add_body(BodyDesc::fixed().position([0.0, -1.0, 0.0]).collider(Shape::cuboid(2.0, 0.5, 2.0).unwrap()))
        .unwrap();
    let block = BodyDesc::dynamic().mass(2.0).collider(Shape::cuboid(0.5, 0.5, 0.5).unwrap());
    let id = world.add_body(block).unwrap();
    world.step(DT).unwrap();
    world.body_mut(id).unwrap().put_to_sleep().unwrap();
    world.body_mut(id).unwrap().apply_force([0.0, 64.0, 0.0]).unwrap();
    assert!(!world.body(id).unwrap().is_asleep());
    assert_eq!(world.simulate(0.0).unwrap(), 0, "no step, no force");
    assert_eq!(world.simulate(3.0 / 60.0).unwrap(), 3);
    let v = world.body(id).unwrap().linear_velocity().y;
    assert!((v - real(64.0 / 2.0 / 60.0)).abs() < 1e-4, "in one of three steps: {v}");

    let push = |world: &mut World| world.body_mut(id).unwrap().apply_force([64.0, 0.0, 0.0]).unwrap();
    push(&mut world);
    world.body_mut(id).unwrap().set_kind(BodyKind::Kinematic).unwrap();
    world.body_mut(id).unwrap().set_kind(BodyKind::Dynamic).unwrap();
    world.step(DT).unwrap();
    world.body_mut(id).unwrap().set_active(false);
    push(&mut world);
    world.body_mut(id).unwrap().apply_impulse([1.0, 0.0, 0.0]).unwrap();
    world.body_mut(id).unwrap().set_active(true);
    world.step(DT).unwrap();
    assert_eq!(world.body(id).unwrap().linear_velocity().x, 0.0);
    push(&mut world);
    world.remove_body(id).unwrap();
    let other = world.add_body(BodyDesc::dynamic()).unwrap();
    assert_eq!(other.index(), id.index(), "the slot is used again");
    world.step(DT).unwrap();
    assert_eq!(world.body(other).unwrap().linear_velocity(), Vec3::ZERO);
}

/// Who is not dynamic refuses what would act once, and keeps what stays until it is dynamic.
#[test]
fn pushes_on_what_is_not_dynamic() {
    for kind in [BodyKind::Fixed, BodyKind::Kinematic] {
        let mut world = floating(Integrate::SemiImplicitEuler);
        let id = world.add_body(BodyDesc { kind, ..BodyDesc::dynamic() }.mass(4.0).name("post")).unwrap();
        let mut body = world.body_mut(id).unwrap();
        for error in [
            body.apply_force(Vec3::X),
            body.apply_force_at(Vec3::X, Point::ZERO),
            body.apply_torque(Vec3::X),
            body.apply_impulse(Vec3::X),
            body.apply_impulse_at(Vec3::X, Point::ZERO),
            body.apply_angular_impulse(Vec3::X),
        ] {
            let error = error.unwrap_err().to_string();
            assert!(error.starts_with("body \"post\": a ") && error.contains("make it dynamic"), "{error}");
        }
        body.set_force([8.0, 0.0, 0.0]).unwrap();
        world.step(DT).unwrap();
        assert_eq!(world.body(id).unwrap().linear_velocity(), Vec3::ZERO);
        world.body_mut(id).unwrap().set_kind(BodyKind::Dynamic).unwrap();
        world.step(DT).unwrap();
        assert_eq!(world.body(id).unwrap().linear_velocity(), Vec3::new(2.0 * DT, 0.0, 0.0));
    }
}
