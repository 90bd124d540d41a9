//! Fixed, kinematic and dynamic bodies, changes between them, and the flags of a body.

use crate::support::{Random, assert_near, ballistic, eps, floating, lopsided};
use tumble::math::{Float, Quat, Real, Vec3, WorldPose};
use tumble::method::Validator;
use tumble::shape::Shape;
use tumble::{BodyDesc, BodyId, BodyKind, Error, Event, Integrate, Method, World};

const DT: Real = 1.0 / 64.0;

/// A kinematic body keeps the velocity of its frame's origin and its angular velocity for ever: the origin runs straight,
/// wherever the mass lies, and gravity, forces, damping and limits of speed do nothing, and impulses are refused.
#[test]
fn kinematic_by_velocity() {
    for world in [ballistic(Integrate::SemiImplicitEuler), ballistic(Integrate::ExplicitEuler), World::new()] {
        for was_dynamic in [false, true] {
            let mut world = world.clone();
            let validators = vec![Validator::MaxSpeed { linear: 0.1, angular: 0.1 }];
            world.set_method(Method { validators, ..world.method().clone() }).unwrap();
            let mut desc = lopsided().damping(5.0, 5.0).speed_limits(0.1, 0.1);
            desc.kind = if was_dynamic { BodyKind::Dynamic } else { BodyKind::Kinematic };
            let id = world.add_body(desc).unwrap();
            let mut body = world.body_mut(id).unwrap();
            body.set_kind(BodyKind::Kinematic).unwrap();
            body.set_velocity([1.0, 0.5, -0.25], [0.0, 0.0, 2.0]).unwrap();
            body.set_force([1e4, 0.0, 0.0]).unwrap();
            assert!(body.apply_impulse([1e4, 0.0, 0.0]).is_err());
            for n in 1..=128 {
                world.step(DT).unwrap();
                let (body, t) = (world.body(id).unwrap(), DT.to_f64() * f64::from(n));
                assert_eq!(body.position(), Vec3::new(t, 0.5 * t, -0.25 * t));
                assert_eq!((body.linear_velocity(), body.angular_velocity().z), (Vec3::new(1.0, 0.5, -0.25), 2.0));
                let turned = Quat::from_axis_angle(Vec3::Z, 2.0 * t);
                assert!(body.rotation().to_f64().angle_to(turned) < f64::from(n) * eps());
            }
        }
    }
}

/// A kinematic body with a target is on it at the end of the step, to the bit, and stands there afterwards.
#[test]
fn kinematic_by_target() {
    let mut random = Random(11);
    for was_dynamic in [false, true] {
        let mut world = World::new();
        let mut desc = lopsided();
        desc.kind = if was_dynamic { BodyKind::Dynamic } else { BodyKind::Kinematic };
        let id = world.add_body(desc).unwrap();
        world.body_mut(id).unwrap().set_kind(BodyKind::Kinematic).unwrap();
        for _ in 0..50 {
            let target = WorldPose::new(random.vector(100.0), random.rotation().normalized());
            world.body_mut(id).unwrap().set_target(target).unwrap();
            let before = world.body(id).unwrap().pose();
            assert_ne!(before, target, "it does not move before the step");
            world.step(DT).unwrap();
            let body = world.body(id).unwrap();
            assert_eq!(body.position(), target.translation);
            // The target's rotation is normalised again on the way.
            assert!(body.rotation().angle_to(target.rotation) < 4.0 * Real::EPSILON);
            assert_eq!((body.linear_velocity(), body.angular_velocity()), (Vec3::ZERO, Vec3::ZERO));
            let landed = body.pose();
            for _ in 0..3 {
                world.step(DT).unwrap();
            }
            assert_eq!(world.body(id).unwrap().pose(), landed);
        }
    }
}

/// The last word counts: a velocity forgets the target, a teleport and a change of kind forget it too, and only kinematic bodies have one.
#[test]
fn targets_are_forgotten() {
    let mut world = floating(Integrate::SemiImplicitEuler);
    let id = world.add_body(BodyDesc::kinematic().name("lift")).unwrap();
    let target = WorldPose::from_translation([0.0, 8.0, 0.0]);
    world.body_mut(id).unwrap().set_target(target).unwrap();
    world.body_mut(id).unwrap().set_velocity([1.0, 0.0, 0.0], Vec3::ZERO).unwrap();
    world.step(DT).unwrap();
    assert_eq!(world.body(id).unwrap().position(), Vec3::new(DT.to_f64(), 0.0, 0.0));

    let there = WorldPose::from_translation([3.0, 0.0, 0.0]);
    let mut teleported = world.clone();
    teleported.body_mut(id).unwrap().set_velocity(Vec3::ZERO, Vec3::ZERO).unwrap();
    teleported.body_mut(id).unwrap().set_target(target).unwrap();
    teleported.body_mut(id).unwrap().set_pose(there).unwrap();
    teleported.step(DT).unwrap();
    assert_eq!(teleported.body(id).unwrap().pose(), there);

    world.body_mut(id).unwrap().set_target(target).unwrap();
    world.body_mut(id).unwrap().set_kind(BodyKind::Dynamic).unwrap();
    let before = world.body(id).unwrap().position();
    world.step(DT).unwrap();
    assert_eq!(world.body(id).unwrap().position(), before + Vec3::new(DT.to_f64(), 0.0, 0.0));
    for kind in [BodyKind::Dynamic, BodyKind::Fixed] {
        world.body_mut(id).unwrap().set_kind(kind).unwrap();
        let error = world.body_mut(id).unwrap().set_target(target).unwrap_err();
        assert!(matches!(error, Error::Refused { .. }));
        assert_eq!(error.to_string(), "body \"lift\": only kinematic bodies have a target; use set_pose to teleport");
    }
}

/// A body can change its kind at any time: made fixed it stops, made dynamic or kinematic every point of it keeps its
/// velocity, and its frame never jumps.
#[test]
fn kind_changes_at_any_time() {
    let mut random = Random(12);
    let kinds = [BodyKind::Dynamic, BodyKind::Fixed, BodyKind::Kinematic];
    let mut world = ballistic(Integrate::SemiImplicitEuler);
    let id = world.add_body(lopsided().rotation(random.rotation())).unwrap();
    for _ in 0..400 {
        let before = world.body(id).unwrap();
        let (pose, point) = (before.pose(), before.to_world(random.vector(1.0)));
        let (velocity, spin) = (before.velocity_at(point).to_f64(), before.angular_velocity().to_f64());
        let kind = kinds[random.below(3)];
        world.body_mut(id).unwrap().set_kind(kind).unwrap();
        let after = world.body(id).unwrap();
        assert_eq!((after.kind(), after.rotation()), (kind, pose.rotation));
        // The centre of mass is stored, the frame follows from it: two roundings of f64.
        let rounding = 8.0 * f64::EPSILON * (1.0 + pose.translation.length());
        assert_near("frame", after.position(), pose.translation, rounding);
        if kind == BodyKind::Fixed {
            assert_eq!((after.linear_velocity(), after.angular_velocity()), (Vec3::ZERO, Vec3::ZERO));
        } else {
            let rounding = 16.0 * eps() * (velocity.length() + spin.length());
            assert_near("velocity", after.velocity_at(point).to_f64(), velocity, rounding);
            assert_near("spin", after.angular_velocity().to_f64(), spin, 0.0);
        }
        for _ in 0..random.below(3) {
            world.step(DT).unwrap();
        }
        if kind == BodyKind::Fixed {
            assert_eq!(world.body(id).unwrap().rotation(), pose.rotation);
        } else if random.below(4) == 0 {
            world.body_mut(id).unwrap().set_velocity(random.vector(2.0), random.vector(3.0)).unwrap();
        }
    }
}

/// A thrown lift: kinematic at 2 m/s, then dynamic, flies on with 2 m/s under gravity; then fixed, it stands.
#[test]
fn change_of_kind_in_flight() {
    let mut world = ballistic(Integrate::SemiImplicitEuler);
    world.set_gravity([0.0, -8.0, 0.0]).unwrap();
    let desc = BodyDesc::kinematic().linear_velocity([0.0, 2.0, 0.0]).collider(Shape::sphere(0.5).unwrap());
    let id = world.add_body(desc).unwrap();
    world.step(DT).unwrap();
    assert_eq!(world.body(id).unwrap().linear_velocity().y, 2.0);
    world.body_mut(id).unwrap().set_kind(BodyKind::Dynamic).unwrap();
    world.step(DT).unwrap();
    assert_eq!(world.body(id).unwrap().linear_velocity().y, 2.0 - 8.0 * DT);
    world.body_mut(id).unwrap().set_kind(BodyKind::Fixed).unwrap();
    let at = world.body(id).unwrap().position();
    world.step(DT).unwrap();
    assert_eq!(world.body(id).unwrap().position(), at);
    assert_eq!(world.awake_count(), 0);
}

/// A fixed body refuses a velocity, also in its description, and takes a teleport.
#[test]
fn fixed_bodies_stand() {
    let mut world = World::new();
    for desc in
        [BodyDesc::fixed().linear_velocity([1.0, 0.0, 0.0]), BodyDesc::fixed().angular_velocity([0.0, 2.0, 0.0])]
    {
        let error = world.add_body(desc.name("wall")).unwrap_err().to_string();
        assert!(error.starts_with("body \"wall\": ") && error.contains("zero for a fixed body"), "{error}");
    }
    let id = world.add_body(BodyDesc::fixed().name("wall")).unwrap();
    assert_eq!(world.body(id).unwrap().linear_velocity(), Vec3::ZERO);
    let error = world.body_mut(id).unwrap().set_linear_velocity([1.0, 0.0, 0.0]).unwrap_err();
    assert_eq!(error.to_string(), "body \"wall\": a fixed body has no velocity; make it kinematic");
    world.body_mut(id).unwrap().set_velocity(Vec3::ZERO, Vec3::ZERO).unwrap();
    world.body_mut(id).unwrap().set_position([1.0, 2.0, 3.0]).unwrap();
    world.step(DT).unwrap();
    assert_eq!(world.body(id).unwrap().position(), Vec3::new(1.0, 2.0, 3.0));
}

/// An inactive body stands still in the air with its velocity kept for when it becomes active again.
#[test]
fn inactive_bodies_wait() {
    let mut world = ballistic(Integrate::SemiImplicitEuler);
    let id = world.add_body(BodyDesc::dynamic().linear_velocity([1.0, 0.0, 0.0])).unwrap();
    world.step(DT).unwrap();
    let (pose, v) = (world.body(id).unwrap().pose(), world.body(id).unwrap().linear_velocity());
    world.body_mut(id).unwrap().set_active(false);
    for _ in 0..5 {
        world.step(DT).unwrap();
    }
    assert!(!world.body(id).unwrap().is_active());
    assert_eq!((world.body(id).unwrap().pose(), world.awake_count(), world.measure().mass), (pose, 0, 0.0));
    world.body_mut(id).unwrap().set_active(true);
    assert_eq!(world.body(id).unwrap().linear_velocity(), v);
    world.step(DT).unwrap();
    assert!(world.body(id).unwrap().position().x > pose.translation.x);
}

/// Name, user data and flags are kept as they are given and found again.
#[test]
fn names_data_and_flags() {
    let mut world = World::new();
    let desc = BodyDesc { debug: false, ..BodyDesc::dynamic().name("a").user_data(7).bullet(true).can_sleep(false) };
    let id = world.add_body(desc).unwrap();
    let other = world.add_body(BodyDesc::dynamic().name("a")).unwrap();
    let b = world.body(id).unwrap();
    assert_eq!(
        (b.name(), b.user_data(), b.is_debug(), b.is_bullet(), b.can_sleep()),
        (Some("a"), 7, false, true, false)
    );
    assert_eq!(world.find_body("a"), Some(id), "the first in the order of slots");
    let mut b = world.body_mut(id).unwrap();
    b.set_name(Some("b".to_owned()));
    b.set_user_data(u64::MAX);
    b.set_debug(true);
    b.set_bullet(false);
    b.set_can_sleep(true);
    let b = world.body(id).unwrap();
    let all = (b.name(), b.user_data(), b.is_debug(), b.is_bullet(), b.can_sleep());
    assert_eq!(all, (Some("b"), u64::MAX, true, false, true));
    assert_eq!((world.find_body("a"), world.find_body("b"), world.find_body("c")), (Some(other), Some(id), None));
    assert_eq!(world.find_body("world"), Some(World::BODY));
    world.body_mut(id).unwrap().set_name(None);
    assert_eq!(world.body(id).unwrap().name(), None);
}

/// A removal is reported in the list of the next step, once, with the id that is stale by then.
#[test]
fn removal_is_an_event() {
    let mut world = World::new();
    let id = world.add_body(BodyDesc::dynamic()).unwrap();
    world.remove_body(id).unwrap();
    let removed = Event::Removed { body: id, by_validator: false };
    assert!(!world.events().contains(&removed), "the list is of the last step");
    world.step(DT).unwrap();
    assert_eq!(world.events().iter().filter(|&&e| e == removed).count(), 1);
    assert!(world.body(id).is_err());
    world.step(DT).unwrap();
    assert!(!world.events().contains(&removed));
}

/// A body that is made inactive, fixed or kinematic leaves its island: those it touched fall asleep without it.
#[test]
fn neighbours_of_a_body_that_stands_still_can_sleep() {
    let edits: [fn(&mut World, BodyId); 3] = [
        |w, id| w.body_mut(id).unwrap().set_active(false),
        |w, id| w.body_mut(id).unwrap().set_kind(BodyKind::Fixed).unwrap(),
        |w, id| {
            w.body_mut(id).unwrap().set_kind(BodyKind::Kinematic).unwrap();
            // It keeps its velocity, however small, for ever.
            w.body_mut(id).unwrap().set_velocity(Vec3::ZERO, Vec3::ZERO).unwrap();
        },
    ];
    for (i, edit) in edits.into_iter().enumerate() {
        let mut world = World::new();
        world.add_body(BodyDesc::fixed().collider(Shape::half_space(Vec3::Y, 0.0).unwrap())).unwrap();
        let cube = || Shape::cuboid(0.5, 0.5, 0.5).unwrap();
        // Side by side and touching, so that taking one away leaves the other standing.
        let [a, b] =
            [-0.5, 0.5].map(|x| world.add_body(BodyDesc::dynamic().position([x, 0.5, 0.0]).collider(cube())).unwrap());
        for _ in 0..10 {
            world.step(1.0 / 60.0).unwrap();
        }
        edit(&mut world, a);
        world.audit().unwrap();
        for _ in 0..240 {
            world.step(1.0 / 60.0).unwrap();
        }
        world.audit().unwrap();
        assert!(world.body(b).unwrap().is_asleep(), "edit {i}");
        assert_eq!(world.awake_count(), 0, "edit {i}");
    }
}
