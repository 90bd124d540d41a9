//! Locked axes, planar mode, speed limits.

use crate::support::{Random, assert_near, ballistic, eps, floating, lopsided};
use tumble::math::{Float, Real, Vec3};
use tumble::shape::Shape;
use tumble::{BodyDesc, BodyId, BodyKind, ColliderDesc, Integrate, Locks, World};

const DT: Real = 1.0 / 60.0;
const MOVES: [Locks; 3] = [Locks::MOVE_X, Locks::MOVE_Y, Locks::MOVE_Z];
const TURNS: [Locks; 3] = [Locks::TURN_X, Locks::TURN_Y, Locks::TURN_Z];

/// Every way to set a body moving; changes of kind where `kinds` says so.
fn agitate(world: &mut World, id: BodyId, random: &mut Random, kinds: bool) {
    let mut body = world.body_mut(id).unwrap();
    match random.below(if kinds { 8 } else { 7 }) {
        0 => body.set_velocity(random.vector(5.0), random.vector(5.0)).unwrap(),
        1 => body.set_force(random.vector(1e3)).unwrap(),
        2 => body.set_torque(random.vector(1e3)).unwrap(),
        3 => body.add_force_at(random.vector(1e3), random.vector(3.0)).unwrap(),
        4 => body.apply_impulse_at(random.vector(1e2), random.vector(3.0)).unwrap(),
        5 => body.apply_angular_impulse(random.vector(1e2)).unwrap(),
        7 => {
            body.set_kind(BodyKind::Kinematic).unwrap();
            body.set_kind(BodyKind::Dynamic).unwrap();
        }
        _ => {
            let shape = Shape::sphere(0.1).unwrap();
            let at = random.vector(0.5);
            let c = world.add_collider(id, ColliderDesc::new(shape).at(at)).unwrap();
            world.step(DT).unwrap();
            world.remove_collider(c).unwrap();
        }
    }
}

/// Whatever pushes it, whatever changes its mass, and under every method: the centre of mass does not move by a bit along a
/// locked axis, no angular velocity appears about one, and a body locked in a plane stays upright in it.
#[test]
fn nothing_moves_on_locked_axes() {
    let mut random = Random(7);
    let methods = [ballistic(Integrate::SemiImplicitEuler), ballistic(Integrate::ExplicitEuler), World::new()];
    for case in 0..300 {
        let mut world = methods[case % 3].clone();
        let mut locks = [Locks::planar_x(), Locks::planar_y(), Locks::planar_z(), Locks::NONE][random.below(4)];
        for lock in MOVES.into_iter().chain(TURNS) {
            if locks == Locks::NONE || random.below(8) == 0 {
                locks = if random.below(2) == 0 { locks | lock } else { locks };
            }
        }
        // A given mass: an edit that moves the centre of mass along a locked axis is a teleport, not a motion. So is, by a
        // rounding, a change of kind where the centre is not the origin of the frame.
        let mut mass = mass_of_lopsided();
        let centred = case % 2 == 0;
        if centred {
            mass.centre = Vec3::ZERO;
        }
        let desc = BodyDesc::dynamic()
            .position(random.vector(3.0))
            .linear_velocity(random.vector(5.0))
            .angular_velocity(random.vector(5.0))
            .mass_properties(mass)
            .locks(locks);
        let id = world.add_body(desc).unwrap();
        let start = world.body(id).unwrap();
        let (centre, rotation) = (start.centre_of_mass(), start.rotation());
        for _ in 0..40 {
            agitate(&mut world, id, &mut random, centred);
            world.step(DT).unwrap();
            let body = world.body(id).unwrap();
            let (v, w) = (body.centre_velocity(), body.angular_velocity());
            for axis in 0..3 {
                if locks.contains(MOVES[axis]) {
                    assert_eq!((v[axis], body.centre_of_mass()[axis]), (0.0, centre[axis]), "case {case}, {locks:?}");
                }
                if locks.contains(TURNS[axis]) {
                    assert_eq!(w[axis], 0.0, "case {case}, {locks:?}");
                }
            }
            if locks.contains(Locks::TURN) {
                assert_eq!(body.rotation(), rotation, "case {case}");
            }
            for (axis, planar) in [Locks::planar_x(), Locks::planar_y(), Locks::planar_z()].into_iter().enumerate() {
                if locks.contains(planar) {
                    let q = body.rotation();
                    let off = [q.x, q.y, q.z].into_iter().enumerate().filter(|&(i, c)| i != axis && c != 0.0).count();
                    assert_eq!(off, 0, "case {case}: {q:?} leans out of the plane");
                }
            }
        }
    }
}

fn mass_of_lopsided() -> tumble::shape::MassProperties {
    let mut world = World::new();
    let id = world.add_body(lopsided()).unwrap();
    world.body(id).unwrap().mass_properties().unwrap()
}

/// A body that can turn about one axis only, skew to its principal axes, obeys τ = I α with the moment about that axis:
/// the lock holds the rest by a torque of its own. The work of the torque is the kinetic energy.
#[test]
fn planar_body_turns_by_its_moment_about_the_axis() {
    let mut random = Random(8);
    for (axis, locks) in [Locks::planar_x(), Locks::planar_y(), Locks::planar_z()].into_iter().enumerate() {
        for _ in 0..20 {
            let mut world = floating(Integrate::SemiImplicitEuler);
            let id = world.add_body(lopsided().rotation(random.rotation()).locks(locks)).unwrap();
            let i = world.body(id).unwrap().inertia();
            let moment = [i.xx, i.yy, i.zz][axis];
            let push = random.vector(10.0);
            world.body_mut(id).unwrap().apply_angular_impulse(push).unwrap();
            let body = world.body(id).unwrap();
            let (h, w) = (push[axis].to_f64(), body.angular_velocity().to_f64());
            let mut expected = Vec3::ZERO;
            expected[axis] = h / moment;
            assert_near("ω", w, expected, 64.0 * eps() * expected.length());
            let energy = body.kinetic_energy();
            assert!((energy / (0.5 * h * h / moment) - 1.0).abs() < 128.0 * eps(), "energy {energy}");

            world.body_mut(id).unwrap().set_velocity(Vec3::ZERO, Vec3::ZERO).unwrap();
            world.body_mut(id).unwrap().set_torque(push).unwrap();
            for _ in 0..60 {
                world.step(DT).unwrap();
            }
            let w = world.body(id).unwrap().angular_velocity().to_f64();
            assert_near("ω after 1 s", w, expected, 256.0 * eps() * expected.length());
        }
    }
}

/// With two axes free, the locked one takes up what couples them: the angular momentum along the free axes is the impulse.
#[test]
fn one_locked_axis() {
    let mut random = Random(9);
    for (axis, lock) in TURNS.into_iter().enumerate() {
        for _ in 0..20 {
            let mut world = floating(Integrate::SemiImplicitEuler);
            let id = world.add_body(lopsided().rotation(random.rotation()).locks(lock)).unwrap();
            let push = random.vector(10.0);
            world.body_mut(id).unwrap().apply_angular_impulse(push).unwrap();
            let body = world.body(id).unwrap();
            let mut l = body.inertia() * body.angular_velocity().to_f64();
            let mut expected = push.to_f64();
            (l[axis], expected[axis]) = (0.0, 0.0);
            assert_near("L", l, expected, 128.0 * eps() * push.to_f64().length());
            assert_eq!(body.angular_velocity()[axis], 0.0);
        }
    }
}

/// Locks bind dynamic bodies: a kinematic one moves as it is told, and stops doing so when it becomes dynamic.
#[test]
fn kinematic_bodies_ignore_locks() {
    let mut world = World::new();
    let desc = BodyDesc::kinematic().locks(Locks::planar_z()).linear_velocity([0.0, 0.0, 1.0]);
    let id = world.add_body(desc.angular_velocity([0.5, 0.0, 0.0])).unwrap();
    world.step(0.5).unwrap();
    assert_eq!(world.body(id).unwrap().position().z, 0.5);
    world.body_mut(id).unwrap().set_kind(BodyKind::Dynamic).unwrap();
    let body = world.body(id).unwrap();
    assert_eq!((body.linear_velocity().z, body.angular_velocity().x), (0.0, 0.0));
}

/// No body is faster than its limits, neither after a push nor after any step, whatever the integrator; the direction stays.
#[test]
fn speed_limits_hold_at_every_moment() {
    let (linear, angular) = (3.0, 2.0);
    let within = |world: &World, id: BodyId| {
        let body = world.body(id).unwrap();
        let (v, w) = (body.centre_velocity().to_f64().length(), body.angular_velocity().to_f64().length());
        assert!(v <= linear * (1.0 + 4.0 * eps()) && w <= angular * (1.0 + 4.0 * eps()), "{v} m/s, {w} rad/s");
    };
    let mut random = Random(10);
    for method in [ballistic(Integrate::SemiImplicitEuler), ballistic(Integrate::ExplicitEuler), World::new()] {
        let mut world = method;
        let desc = lopsided().linear_velocity([50.0, 0.0, 0.0]).angular_velocity([0.0, 90.0, 0.0]);
        let id = world.add_body(desc.speed_limits(linear as Real, angular as Real)).unwrap();
        within(&world, id);
        for _ in 0..300 {
            agitate(&mut world, id, &mut random, true);
            within(&world, id);
            let before = world.body(id).unwrap().centre_of_mass();
            world.step(DT).unwrap();
            within(&world, id);
            let moved = (world.body(id).unwrap().centre_of_mass() - before).length();
            let rounding = 4.0 * f64::EPSILON * before.length();
            assert!(moved <= linear * DT.to_f64() * (1.0 + 16.0 * eps()) + rounding, "moved {moved} m in a step");
        }
    }

    let mut world = floating(Integrate::SemiImplicitEuler);
    let id = world.add_body(BodyDesc::dynamic().linear_velocity([30.0, 40.0, 0.0])).unwrap();
    world.body_mut(id).unwrap().set_speed_limits(5.0, Real::INFINITY).unwrap();
    assert_near("limited", world.body(id).unwrap().linear_velocity().to_f64(), Vec3::new(3.0, 4.0, 0.0), 8.0 * eps());
    // A speed whose square overflows in f32 keeps its direction too.
    world.body_mut(id).unwrap().set_velocity([3e25, 4e25, 0.0], Vec3::ZERO).unwrap();
    assert_near("absurd", world.body(id).unwrap().linear_velocity().to_f64(), Vec3::new(3.0, 4.0, 0.0), 8.0 * eps());
}

/// Contacts move nothing along or about a locked axis either: bodies in a plane, hit and pushed from outside it.
#[test]
fn contacts_respect_locks() {
    let mut random = Random(51);
    let mut world = World::new();
    world.add_body(BodyDesc::fixed().collider(Shape::half_space(Vec3::new(0.2, 1.0, 0.3), 0.0).unwrap())).unwrap();
    let mut locked = Vec::new();
    for i in 0..6 {
        let locks = [Locks::planar_z(), Locks::TURN, Locks::MOVE_X | Locks::TURN_Y, Locks::MOVE][i % 4];
        let desc = BodyDesc::dynamic().position([i as f64 * 1.5, 1.5, 0.0]).locks(locks);
        let id = world.add_body(desc.collider(Shape::cuboid(0.4, 0.5, 0.3).unwrap())).unwrap();
        locked.push((id, locks, world.body(id).unwrap().centre_of_mass()));
    }
    let mut touched = 0;
    for n in 0..300 {
        if n % 10 == 0 {
            let at = [random.between(0.0, 8.0), 3.0, random.between(-1.0, 1.0)];
            let desc = BodyDesc::dynamic().position(at).linear_velocity(random.vector(4.0));
            world.add_body(desc.collider(Shape::sphere(0.3).unwrap())).unwrap();
        }
        world.step(DT).unwrap();
        world.audit().unwrap();
        touched += world.profile().contacts;
        for &(id, locks, start) in &locked {
            let body = world.body(id).unwrap();
            let (p, v, w) = (body.centre_of_mass(), body.centre_velocity(), body.angular_velocity());
            for axis in 0..3 {
                if locks.contains(MOVES[axis]) {
                    assert_eq!((p[axis], v[axis]), (start[axis], 0.0), "step {n}, {locks:?}, axis {axis}");
                }
                if locks.contains(TURNS[axis]) {
                    assert_eq!(w[axis], 0.0, "step {n}, {locks:?}, axis {axis}");
                }
            }
        }
    }
    assert!(touched > 1000, "they are hit");
}
