//! Huge but finite input: taken or refused, but nothing panics, nothing spreads.

use crate::support::{dump, lopsided};
use tumble::math::{Point, Real, Sym3, Vec3, WorldPose};
use tumble::shape::{MassProperties, Shape};
use tumble::{BodyKind, BodyMut, ColliderDesc, MassSource, Result, World};

/// Huge but finite numbers are taken or refused; either way nothing panics, whatever steps follow, a body that leaves the
/// range of numbers is stopped, and a body elsewhere does not notice.
#[test]
fn absurd_numbers() {
    let witness = |world: &mut World| {
        world.add_body(lopsided().name("witness").position([0.0, 50.0, 0.0]).angular_velocity([1.0, 2.0, 3.0])).unwrap()
    };
    let mut alone = World::new();
    let w = witness(&mut alone);
    let victim = alone.add_body(lopsided().position([500.0, 0.0, 0.0])).unwrap();
    let start = alone.clone();
    for _ in 0..10 {
        alone.step(1.0 / 60.0).unwrap();
    }
    let expected = alone.body(w).unwrap().pose();

    let huge = [1e30, Real::MAX, -1e30];
    let mut count = 0;
    let mut try_edit = |what: &str, edit: &dyn Fn(&mut World) -> Result<()>| {
        let mut world = start.clone();
        if what.starts_with("kinematic") {
            world.body_mut(victim).unwrap().set_kind(BodyKind::Kinematic).unwrap();
        }
        let before = dump(&world, &[]);
        if let Err(error) = edit(&mut world) {
            assert_eq!(dump(&world, &[]), before, "{what}: {error}");
        }
        world.audit().unwrap_or_else(|e| panic!("{what}: {e}"));
        for _ in 0..10 {
            world.step(1.0 / 60.0).unwrap();
            world.audit().unwrap_or_else(|e| panic!("{what}: {e}"));
            for id in world.body_ids() {
                let b = world.body(id).unwrap();
                let v = b.centre_velocity().is_finite() && b.angular_velocity().is_finite();
                assert!(b.pose().is_finite() && v, "{what}: {} is at {:?}", b.id(), b.pose());
            }
        }
        assert_eq!(world.body(w).unwrap().pose(), expected, "{what}");
        count += 1;
    };
    for h in huge {
        let v = Vec3::new(0.0, h, h);
        let p = v.to_f64();
        let at = |world: &mut World, f: &dyn Fn(BodyMut<'_>) -> Result<()>| f(world.body_mut(victim)?);
        try_edit("linear velocity", &|w| at(w, &|mut b| b.set_linear_velocity(v)));
        try_edit("angular velocity", &|w| at(w, &|mut b| b.set_angular_velocity(v)));
        try_edit("both", &|w| at(w, &|mut b| b.set_velocity(v, v)));
        try_edit("force", &|w| at(w, &|mut b| b.set_force(v)));
        try_edit("torque", &|w| at(w, &|mut b| b.set_torque(v)));
        try_edit("force at a point", &|w| at(w, &|mut b| b.add_force_at(v, p)));
        try_edit("impulse", &|w| at(w, &|mut b| b.apply_impulse(v)));
        try_edit("impulse far off", &|w| at(w, &|mut b| b.apply_impulse_at(Vec3::X, p)));
        try_edit("impulse at a point", &|w| at(w, &|mut b| b.apply_impulse_at(v, p)));
        try_edit("angular impulse", &|w| at(w, &|mut b| b.apply_angular_impulse(v)));
        try_edit("position", &|w| at(w, &|mut b| b.set_position(p)));
        try_edit("farther", &|w| at(w, &|mut b| b.set_position(Point::all(f64::MAX))));
        try_edit("damping", &|w| at(w, &|mut b| b.set_damping(h, h)));
        try_edit("gravity scale", &|w| at(w, &|mut b| b.set_gravity_scale(h)));
        try_edit("speed limits", &|w| at(w, &|mut b| b.set_speed_limits(h, h)));
        try_edit("mass", &|w| at(w, &|mut b| b.set_mass(MassSource::Total(h))));
        let target = WorldPose::from_translation(p);
        try_edit("kinematic target", &|w| at(w, &|mut b| b.set_target(target)));
        let target = WorldPose::from_translation(Point::all(f64::MAX));
        try_edit("kinematic target at the end of the world", &|w| at(w, &|mut b| b.set_target(target)));
        try_edit("kinematic velocity", &|w| at(w, &|mut b| b.set_velocity(v, v)));
        try_edit("kinematic, then dynamic", &|w| {
            w.body_mut(victim)?.set_velocity(v, v)?;
            // Where the velocity of the centre of mass would overflow, it stays what it is.
            let _ = w.body_mut(victim)?.set_kind(BodyKind::Dynamic);
            Ok(())
        });
        try_edit("collider far off", &|w| {
            w.add_collider(victim, ColliderDesc::new(Shape::sphere(1.0)?).at(v)).map(drop)
        });
        try_edit("collider's density", &|w| {
            w.add_collider(victim, ColliderDesc::new(Shape::sphere(1.0)?).density(h)).map(drop)
        });
        try_edit("centre far off", &|w| {
            let m = MassProperties { mass: 1.0, centre: p * 1e200, inertia: Sym3::diagonal(Vec3::all(1.0)) };
            w.body_mut(victim)?.set_mass(MassSource::Explicit(m))
        });
    }
    println!("{count} edits with absurd numbers");
}

/// A whole world of absurd settings: nothing panics.
#[test]
fn absurd_settings() {
    for h in [1e30, Real::MAX] {
        let mut world = World::new();
        let id = world.add_body(lopsided()).unwrap();
        let _ = world.set_gravity([0.0, -h, h]);
        for _ in 0..5 {
            world.step(1.0 / 60.0).unwrap();
        }
        assert!(world.body(id).unwrap().pose().is_finite());
        let mut world = World::new();
        let id = world.add_body(lopsided().angular_velocity([1.0, 2.0, 3.0])).unwrap();
        for dt in [h, 1e-30, h, 1.0 / 60.0] {
            world.step(dt).unwrap();
            assert!(world.body(id).unwrap().pose().is_finite());
        }
    }
}
