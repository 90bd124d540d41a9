//! Force effects against closed forms, whom they wake, and their life: 003-40..46.

use crate::support::{eps, real};
use std::sync::Arc;
use tumble::force::{
    Affected, Attraction, Buoyancy, Drag, EffectKind, Explosion, Falloff, ForceEffect, Gravitation, Spring, Uniform,
};
use tumble::math::spatial::Wrench;
use tumble::math::{Float, Real, Vec3};
use tumble::shape::Shape;
use tumble::{BodyDesc, BodyId, BodySet, ColliderDesc, EffectDesc, EffectId, Event, Method, World};

const DT: f64 = 1.0 / 60.0;

/// Every preset, in a world of this gravity.
fn presets(gravity: f64) -> impl Iterator<Item = World> {
    Method::presets().into_iter().map(move |method| {
        let mut world = World::with_method(method).unwrap();
        world.set_gravity([0.0, real(-gravity), 0.0]).unwrap();
        world
    })
}

fn run(world: &mut World, steps: u32, dt: f64) {
    for _ in 0..steps {
        world.step(real(dt)).unwrap();
    }
    world.audit().unwrap();
}

fn mass(kg: f64) -> BodyDesc {
    BodyDesc::dynamic().mass(real(kg)).can_sleep(false)
}

fn name(world: &World) -> String {
    world.method().name.clone()
}

/// A field for all bodies is gravity: the same fall under every method, to the rounding of m/m.
#[test]
fn uniform_field_is_gravity() {
    for mut world in presets(9.81) {
        let falls = world.add_body(mass(3.0)).unwrap();
        let mut other = world.clone();
        other.set_gravity(Vec3::ZERO).unwrap();
        other.add_effect(EffectDesc::new(Uniform::new([0.0, -9.81, 0.0]))).unwrap();
        run(&mut world, 60, DT);
        run(&mut other, 60, DT);
        let (a, b) = (world.body(falls).unwrap(), other.body(falls).unwrap());
        let difference =
            (a.position() - b.position()).length() + (a.linear_velocity() - b.linear_velocity()).length().to_f64();
        assert!(difference < 1000.0 * eps(), "{}: {difference}", name(&world));
        let (e, f) = (world.measure().energy(), other.measure().energy());
        assert!((e - f).abs() < 1e-3, "{}: energy {e} against {f}", name(&world));
    }
}

/// Linear drag: v = m g/c and the approach to it; quadratic drag: v² = m g/c. The fixed point of the steps is that of the equation, so that it
/// is met to rounding, and to the (1 - c dt/m)^900 = e⁻³⁰ that is left of the way there.
#[test]
fn terminal_speeds() {
    for world in presets(9.81) {
        let cases = [(Drag::linear(4.0), 2.0 * 9.81 / 4.0), (Drag::quadratic(0.5), (2.0 * 9.81 / 0.5_f64).sqrt())];
        for (drag, speed) in cases {
            let mut world = world.clone();
            let id = world.add_body(mass(2.0)).unwrap();
            world.add_effect(EffectDesc::new(drag)).unwrap();
            run(&mut world, 900, DT);
            let v = world.body(id).unwrap().linear_velocity().y.to_f64();
            assert!((v / -speed - 1.0).abs() < 16.0 * eps() + 1e-13, "{}: {drag:?}: {v} against {speed}", name(&world));
        }
    }
    // On the way: v = v∞ (1 - e^(-c t/m)), in steps of h with an error of first order, (c h/m)/2 e⁻¹ of v∞ at most.
    let mut world = World::new();
    let id = world.add_body(mass(2.0)).unwrap();
    world.add_effect(EffectDesc::new(Drag::linear(4.0))).unwrap();
    run(&mut world, 500, 0.001);
    let (v, expected) = (world.body(id).unwrap().linear_velocity().y.to_f64(), -4.905 * (1.0 - (-1.0_f64).exp()));
    assert!((v - expected).abs() < 4.905 * 0.001, "{v} against {expected}");
}

/// Wind carries bodies along, and spin dies away about every axis. However strong the drag is, it stops a body and does not turn it round.
#[test]
fn drag_never_turns_a_motion_round() {
    for world in presets(0.0) {
        for c in [0.1, 10.0, 1e4, 1e30] {
            let mut world = world.clone();
            let rod = ColliderDesc::new(Shape::cuboid(1.0, 0.05, 0.1).unwrap()).density(100.0);
            let id = world.add_body(BodyDesc::dynamic().collider(rod).can_sleep(false)).unwrap();
            world.body_mut(id).unwrap().set_velocity([3.0, 0.0, 0.0], [1.0, 2.0, 0.0]).unwrap();
            let mut drag = Drag::linear(real(c)).wind([0.0, 0.0, 2.0]);
            drag.angular_linear = real(c);
            world.add_effect(EffectDesc::new(drag)).unwrap();
            let mut last = 3.0;
            for _ in 0..30 {
                world.step(real(DT)).unwrap();
                let body = world.body(id).unwrap();
                let (v, spin) = (body.linear_velocity(), body.angular_velocity().length());
                let slack = 64.0 * real(eps());
                assert!(v.x >= -slack && v.x <= last + slack, "{} at {c}: {v:?}", name(&world));
                assert!(v.z <= 2.0 + slack, "{} at {c}: {v:?}", name(&world));
                assert!(spin <= 3.0, "{} at {c}: {spin}", name(&world));
                last = v.x;
            }
            // What is left of 4 kg against the wind is (1 - c dt/m)^30 of √13 m/s, and nothing where c dt > m.
            let body = world.body(id).unwrap();
            let left = (body.linear_velocity() - Vec3::Z * 2.0).length().to_f64();
            let expected = 13.0_f64.sqrt() * (1.0 - (c * DT / 4.0).min(1.0)).powi(30);
            assert!((left - expected).abs() < 1e3 * eps(), "{} at {c}: {left} against {expected}", name(&world));
            assert!(c < 1e4 || body.angular_velocity().length() < 1e-3, "{} at {c}", name(&world));
        }
    }
}

/// The times at which a coordinate goes through zero upwards, interpolated.
fn crossings(world: &mut World, steps: u32, dt: f64, coordinate: impl Fn(&World) -> f64) -> Vec<f64> {
    let mut found = Vec::new();
    let mut before = coordinate(world);
    for step in 0..steps {
        world.step(real(dt)).unwrap();
        let after = coordinate(world);
        if before < 0.0 && after >= 0.0 {
            found.push((f64::from(step) - before / (after - before)) * dt);
        }
        before = after;
    }
    found
}

/// ω² = k/m of a body on a spring to the world. The steps of leapfrog and of semi-implicit Euler have sin(ω' h/2) = ω h/2, a period that is shorter
/// by (ω h)²/24. The energy stays within bounds: the amplitude after 20 periods is that of the start, up to ω h/2.
#[test]
fn spring_has_its_frequency_and_keeps_its_energy() {
    for mut world in presets(0.0) {
        let (m, k) = (2.0, 80.0);
        let omega: f64 = (k / m as f64).sqrt();
        let id = world.add_body(mass(m).position([1.5, 0.0, 0.0])).unwrap();
        let spring = Spring::new(1.0, real(k)).anchor_a([0.0, 0.0, 0.0]);
        world.add_effect(EffectDesc::spring(World::BODY, id, spring)).unwrap();
        let energy = world.measure().energy();
        assert!((energy - 0.5 * k * 0.25).abs() < 1e-4, "{energy}");
        let steps = (20.5 * core::f64::consts::TAU / omega / DT) as u32;
        let times = crossings(&mut world, steps, DT, |w| w.body(id).unwrap().position().x - 1.0);
        let period = (times[times.len() - 1] - times[0]) / (times.len() - 1) as f64;
        let h = omega * DT;
        let expected = core::f64::consts::TAU / omega * (1.0 - h * h / 24.0);
        // Interpolating a zero crossing of 20 periods linearly errs by about h³/16 of a radian each.
        assert!((period / expected - 1.0).abs() < 2e-4, "{}: {period} against {expected}", name(&world));
        let after = world.measure().energy();
        assert!((after / energy - 1.0).abs() < 1.1 * h, "{}: energy {after} against {energy}", name(&world));
    }
}

/// The envelope of a damped spring: e^(-d t/2m), between two bodies with the reduced mass; their momentum stays zero to the bit.
#[test]
fn damped_spring_decays_as_its_damping_says() {
    for mut world in presets(0.0) {
        let a = world.add_body(mass(2.0).position([-1.0, 0.0, 0.0])).unwrap();
        let b = world.add_body(mass(2.0).position([1.0, 0.0, 0.0])).unwrap();
        let (reduced, k, d) = (1.0, 100.0, 0.4);
        world.add_effect(EffectDesc::spring(a, b, Spring::new(1.5, real(k)).damping(real(d)))).unwrap();
        let (dt, h) = (1.0 / 240.0, 10.0 / 240.0);
        let mut peaks = Vec::new();
        let mut last = [0.5_f64; 2];
        for step in 0..1200 {
            world.step(real(dt)).unwrap();
            let gap = (world.body(b).unwrap().position() - world.body(a).unwrap().position()).length() - 1.5;
            if last[1] > last[0] && last[1] >= gap && step > 1 {
                peaks.push((f64::from(step) * dt, last[1]));
            }
            last = [last[1], gap];
            assert_eq!(world.measure().momentum, Vec3::ZERO);
        }
        let (first, end) = (peaks[0], peaks[peaks.len() - 1]);
        let rate = -(end.1 / first.1).ln() / (end.0 - first.0);
        // The damper is evaluated with the velocity at the start of the step: by ω h/2 of a radian early, which the energy feels in second
        // order; a peak is seen to within (ω h)²/8.
        let tolerance = 2.0 * h * h / (end.0 - first.0) + 0.02 * d / (2.0 * reduced);
        assert!((rate - d / (2.0 * reduced)).abs() < tolerance, "{}: {rate}", name(&world));
    }
}

/// A spring that holds a body by its edge turns it, and the angular momentum of both together stays.
#[test]
fn spring_off_the_centre_keeps_angular_momentum() {
    for mut world in presets(0.0) {
        let brick = || ColliderDesc::new(Shape::cuboid(0.4, 0.2, 0.3).unwrap()).density(50.0);
        let a = world.add_body(BodyDesc::dynamic().collider(brick()).can_sleep(false)).unwrap();
        let b = BodyDesc::dynamic().position([2.0, 0.5, 0.1]).collider(brick()).can_sleep(false);
        let b = world.add_body(b).unwrap();
        let spring = Spring::new(1.0, 40.0).anchor_a([0.4, 0.2, 0.3]).anchor_b([-0.4, 0.2, -0.3]);
        world.add_effect(EffectDesc::spring(a, b, spring)).unwrap();
        run(&mut world, 480, DT / 4.0);
        let spin = world.body(a).unwrap().angular_velocity().length();
        assert!(spin > 0.05, "{}: {spin}", name(&world));
        let l = world.measure().angular_momentum.length();
        // The torque is that of the arms in the middle of the step, the places change with the step: an error of second order.
        assert!(l < 2e-3, "{}: {l}", name(&world));
        assert!(world.measure().momentum.length() < 1e4 * eps(), "{}", name(&world));
    }
}

/// Half a height of 1 m in water for half the density of water; a ball to the depth where π d² (3r - d)/3 ρ is its mass.
#[test]
fn bodies_float_as_deep_as_they_are_heavy() {
    let depth_of_ball = |r: f64, ratio: f64| {
        let (mut low, mut high) = (0.0, 2.0 * r);
        for _ in 0..60 {
            let d = 0.5 * (low + high);
            if d * d * (3.0 * r - d) < 4.0 * r * r * r * ratio { low = d } else { high = d }
        }
        low
    };
    for mut world in presets(9.81) {
        let mut drag = Drag::linear(6000.0);
        drag.angular_linear = 200.0;
        world.add_effect(EffectDesc::new(Buoyancy::new([0.0, 2.0, 0.0], 3.0, 1000.0).drag(drag))).unwrap();
        let mut add = |shape: Shape, density: f64, x: f64| {
            let collider = ColliderDesc::new(shape).density(real(density));
            world.add_body(BodyDesc::dynamic().position([x, 3.1, 0.0]).collider(collider).can_sleep(false)).unwrap()
        };
        let raft = add(Shape::cuboid(1.0, 0.5, 1.0).unwrap(), 300.0, 0.0);
        let ball = add(Shape::sphere(0.5).unwrap(), 700.0, 10.0);
        let stone = add(Shape::sphere(0.5).unwrap(), 2000.0, 20.0);
        let drum = add(Shape::cylinder(0.5, 0.8).unwrap(), 500.0, 30.0);
        run(&mut world, 1200, DT);
        let y = |id: BodyId| world.body(id).unwrap().position().y;
        let label = name(&world);
        assert!((y(raft) - (3.0 + 0.5 - 0.3)).abs() < 1e-3, "{label}: raft at {}", y(raft));
        let expected = 3.0 + 0.5 - depth_of_ball(0.5, 0.7);
        assert!((y(ball) - expected).abs() < 1e-3, "{label}: ball at {}, not {expected}", y(ball));
        assert!((y(drum) - 3.0).abs() < 1e-3, "{label}: drum at {}", y(drum));
        // m g - ρ V g = c v for what sinks.
        let volume = 4.0 / 3.0 * core::f64::consts::PI * 0.125;
        let v = world.body(stone).unwrap().linear_velocity().y.to_f64();
        let terminal = -volume * 1000.0 * 9.81 / 6000.0;
        assert!((v / terminal - 1.0).abs() < 1e-3, "{label}: {v} against {terminal}");
    }
}

/// A plank that stands on end in water falls over and floats flat; one that is tilted rights itself.
#[test]
fn buoyancy_rights_a_plank() {
    let mut world = World::new();
    let mut drag = Drag::linear(100.0);
    drag.angular_linear = 20.0;
    world.add_effect(EffectDesc::new(Buoyancy::new([0.0, 1.0, 0.0], 0.0, 1000.0).drag(drag))).unwrap();
    let plank = ColliderDesc::new(Shape::cuboid(1.0, 0.1, 0.3).unwrap()).density(500.0);
    let tilt = tumble::math::Quat::from_axis_angle(Vec3::Z, 1.4);
    let id = world.add_body(BodyDesc::dynamic().collider(plank).rotation(tilt)).unwrap();
    run(&mut world, 1200, DT);
    let up = world.body(id).unwrap().rotation().rotate(Vec3::Y).y;
    assert!(up > 0.999, "{up}");
}

/// Kepler: two bodies on ellipses about each other are back after 2π √(a³/G(m₁ + m₂)), under every method, with an error that falls with the
/// square of the step or, for semi-implicit Euler with its velocities half a step off, with the step.
#[test]
fn orbit_closes_after_its_period() {
    for mut world in presets(0.0) {
        let (g, m1, m2, a, e) = (2.0, 30.0, 10.0, 2.0, 0.3);
        let total = m1 + m2;
        // At the far end: r = a (1 + e), v² = G M (1 - e)/(a (1 + e)).
        let (r, v) = (a * (1.0 + e), (g * total * (1.0 - e) / (a * (1.0 + e)) as f64).sqrt());
        let mut add = |m: f64, share: f64| {
            let desc = mass(m).position([r * share, 0.0, 0.0]).linear_velocity([0.0, 0.0, real(v * share)]);
            world.add_body(desc).unwrap()
        };
        let ids = [add(m1, m2 / total), add(m2, -m1 / total)];
        let start = ids.map(|id| world.body(id).unwrap().position());
        world.add_effect(EffectDesc::new(Gravitation::new(real(g)))).unwrap();
        let energy = world.measure().energy();
        assert!((energy / (-g * m1 * m2 / (2.0 * a)) - 1.0).abs() < 1e-5, "{energy}");
        let period = core::f64::consts::TAU * (a * a * a / (g * total)).sqrt();
        let steps = 4000;
        run(&mut world, steps, period / f64::from(steps));
        let label = name(&world);
        for (id, start) in ids.into_iter().zip(start) {
            let off = (world.body(id).unwrap().position() - start).length();
            assert!(off < 0.01 * a, "{label}: {off} off after a period");
        }
        let after = world.measure().energy();
        assert!((after / energy - 1.0).abs() < 2e-3, "{label}: energy {after} against {energy}");
        assert!(world.measure().momentum.length() < 1e4 * eps() * m2 * v, "{label}");
    }
}

/// A point attracts as a mass there would: on a circle v² = μ/r. The softening takes the singularity away.
#[test]
fn attraction_holds_a_satellite() {
    for mut world in presets(0.0) {
        let id = world.add_body(mass(5.0).position([1e6 + 4.0, 0.0, 0.0]).linear_velocity([0.0, 0.0, 5.0])).unwrap();
        let sun = world.add_effect(EffectDesc::new(Attraction::new([1e6, 0.0, 0.0], 100.0))).unwrap();
        run(&mut world, 2000, 0.001);
        let r = (world.body(id).unwrap().position() - Vec3::new(1e6, 0.0, 0.0)).length();
        assert!((r - 4.0).abs() < 0.02, "{}: {r}", name(&world));
        // In the centre nothing pulls.
        world.body_mut(id).unwrap().set_position([1e6, 0.0, 0.0]).unwrap();
        world.body_mut(id).unwrap().set_velocity([0.0; 3], [0.0; 3]).unwrap();
        world
            .effect_mut(sun)
            .unwrap()
            .edit(|kind| {
                if let EffectKind::Attraction(sun) = kind {
                    sun.softening = 0.5;
                }
            })
            .unwrap();
        run(&mut world, 5, 0.001);
        assert_eq!(world.body(id).unwrap().linear_velocity(), Vec3::ZERO);
    }
}

/// The impulse of an explosion is F T for any step, also for one that is longer than the explosion, and by its falloff.
#[test]
fn explosion_gives_its_impulse() {
    let falloffs = [
        (Falloff::None, 1.0),
        (Falloff::Linear { radius: 4.0 }, 0.5),
        (Falloff::InverseSquare { radius: 2.0 }, 0.5),
        (Falloff::Linear { radius: 1.5 }, 0.0),
    ];
    for world in presets(0.0) {
        for dt in [1.0 / 60.0, 0.004, 0.5] {
            for (falloff, share) in falloffs {
                let mut world = world.clone();
                let id = world.add_body(mass(1000.0).position([0.0, 2.0, 0.0])).unwrap();
                let bomb = Explosion::new([0.0, 0.0, 0.0], 5000.0).falloff(falloff);
                let bomb = EffectDesc::explosion(bomb, 0.06).window(0.02, 0.06);
                let bomb = world.add_effect(bomb).unwrap();
                let mut gone = 0;
                for _ in 0..(0.1 / dt) as u32 + 2 {
                    world.step(real(dt)).unwrap();
                    gone += world.events().iter().filter(|e| **e == Event::EffectRemoved { effect: bomb }).count();
                }
                let v = world.body(id).unwrap().linear_velocity().y.to_f64();
                let expected = share * 5000.0 * 0.04 / 1000.0;
                // The heavy body moves by less than 3 cm while the falloff is that of 2 m.
                assert!((v - expected).abs() < 0.02 * expected + 1e-6, "{} {dt}: {v} against {expected}", name(&world));
                assert!(gone == 1 && world.effect(bomb).is_err() && world.effect_count() == 0, "{gone}");
            }
        }
    }
}

/// Boxes side by side on a floor, each an island of its own, and all asleep.
fn sleepers(count: usize) -> (World, Vec<BodyId>) {
    let mut world = World::new();
    world.add_body(BodyDesc::fixed().collider(Shape::half_space(Vec3::Y, 0.0).unwrap())).unwrap();
    let cube = Shape::cuboid(0.5, 0.5, 0.5).unwrap();
    let ids = (0..count)
        .map(|i| {
            let desc = BodyDesc::dynamic().position([2.0 * i as f64, 0.5, 0.0]).collider(cube.clone());
            world.add_body(desc).unwrap()
        })
        .collect();
    rest(&mut world);
    (world, ids)
}

fn rest(world: &mut World) {
    for _ in 0..600 {
        world.step(real(DT)).unwrap();
        if world.awake_count() == 0 {
            return world.audit().unwrap();
        }
    }
    panic!("{} are still awake", world.awake_count());
}

fn awake(world: &World, ids: &[BodyId]) -> Vec<usize> {
    world.audit().unwrap();
    (0..ids.len()).filter(|&i| world.body(ids[i]).is_ok_and(|b| !b.is_asleep())).collect()
}

fn stamp(world: &World, id: EffectId) -> u64 {
    world.effect(id).unwrap().stamp()
}

/// Each edit raises the stamp and wakes exactly those whose force it changes; looking, naming and refused edits wake nobody.
#[test]
fn edits_wake_the_set_and_nobody_else() {
    let (mut world, ids) = sleepers(6);
    let press = |y: f64| Uniform::new([0.0, real(y), 0.0]);
    let desc = EffectDesc::new(press(-1.0)).bodies(BodySet::list([ids[3], ids[1]]));
    let id = world.add_effect(desc).unwrap();
    assert_eq!(awake(&world, &ids), [1, 3], "added");
    let mut last = stamp(&world, id);
    let mut raised = |world: &World| {
        let before = core::mem::replace(&mut last, stamp(world, id));
        assert!(last > before, "the stamp after {before}");
    };

    rest(&mut world);
    world.effect_mut(id).unwrap().set_kind(press(-2.0)).unwrap();
    assert_eq!(awake(&world, &ids), [1, 3], "edited");
    raised(&world);
    rest(&mut world);
    world.effect_mut(id).unwrap().include(ids[5]).unwrap();
    assert_eq!(awake(&world, &ids), [5], "taken in");
    raised(&world);
    rest(&mut world);
    world.effect_mut(id).unwrap().exclude(ids[1]).unwrap();
    assert_eq!(awake(&world, &ids), [1], "left out");
    raised(&world);
    rest(&mut world);
    world.effect_mut(id).unwrap().set_active(false).unwrap();
    assert_eq!(awake(&world, &ids), [3, 5], "switched off");
    raised(&world);
    rest(&mut world);
    world.effect_mut(id).unwrap().set_kind(press(-3.0)).unwrap();
    assert_eq!(awake(&world, &ids), [] as [usize; 0], "edited while it does nothing");
    raised(&world);
    world.effect_mut(id).unwrap().set_active(true).unwrap();
    assert_eq!(awake(&world, &ids), [3, 5], "switched on");
    raised(&world);
    rest(&mut world);
    let now = world.time();
    world.effect_mut(id).unwrap().set_window(0.0, now + 1.0).unwrap();
    assert_eq!(awake(&world, &ids), [3, 5], "another window");
    raised(&world);

    // Nothing of this is a change of force.
    rest(&mut world);
    world.effect_mut(id).unwrap().set_name(Some("press".to_owned())).unwrap();
    world.effect_mut(id).unwrap().set_user_data(1).unwrap();
    world.effect_mut(id).unwrap().set_active(true).unwrap();
    assert!(world.effect_mut(id).unwrap().set_kind(Uniform::new([0.0, real(f64::NAN), 0.0])).is_err());
    assert!(world.effect_mut(id).unwrap().set_bodies(BodySet::list([ids[0], ids[0]])).is_err());
    assert_eq!((awake(&world, &ids).len(), stamp(&world, id)), (0, last));

    // Its end is a change, and its bodies have slept until then.
    let mut woken = Vec::new();
    while woken.is_empty() {
        assert!(world.time() < now + 2.0);
        world.step(real(DT)).unwrap();
        woken = awake(&world, &ids);
    }
    assert_eq!(woken, [3, 5], "ended");
    assert!(world.time() > now + 1.0 && !world.effect(id).unwrap().acts());
    rest(&mut world);

    // It stays, and does nothing, until it is removed.
    world.remove_effect(id).unwrap();
    assert_eq!(awake(&world, &ids), [] as [usize; 0], "removed after its end");
    let all = world.add_effect(EffectDesc::new(press(-1.0)).bodies(BodySet::except([ids[0], ids[2]]))).unwrap();
    assert_eq!(awake(&world, &ids), [1, 3, 4, 5], "all but two");
    rest(&mut world);
    world.remove_effect(all).unwrap();
    assert_eq!(awake(&world, &ids), [1, 3, 4, 5], "removed");
}

/// An effect that has not begun wakes nobody when it is added, and its bodies when it begins.
#[test]
fn beginning_wakes() {
    let (mut world, ids) = sleepers(3);
    let start = world.time() + 0.5;
    let lift = EffectDesc::new(Uniform::new([0.0, 20.0, 0.0])).bodies(BodySet::list([ids[1]]));
    let lift = world.add_effect(lift.window(start, start + 0.25)).unwrap();
    assert!(awake(&world, &ids).is_empty() && !world.effect(lift).unwrap().acts());
    while awake(&world, &ids).is_empty() {
        assert!(world.time() < start + DT);
        world.step(real(DT)).unwrap();
    }
    assert_eq!(awake(&world, &ids), [1]);
    while world.time() < start + 0.25 {
        world.step(real(DT)).unwrap();
    }
    // (a - g) T at the end; whatever the floor gave it while it sank is less than 1 cm/s.
    let v = world.body(ids[1]).unwrap().linear_velocity().y.to_f64();
    assert!((v - (10.19 * 0.25)).abs() < 0.2, "{v}");
}

/// A sleeping world under constant effects is asked nothing and pays nothing; a mere look at the profile shows it.
#[test]
fn sleepers_are_not_asked() {
    let (mut world, ids) = sleepers(10);
    world.add_effect(EffectDesc::new(Drag::linear(1.0))).unwrap();
    world.add_effect(EffectDesc::new(Uniform::new([0.1, 0.0, 0.0]))).unwrap();
    world.add_effect(EffectDesc::new(Buoyancy::new([0.0, 1.0, 0.0], 0.2, 100.0))).unwrap();
    world.add_effect(EffectDesc::new(Gravitation::new(1e-4))).unwrap();
    world.add_effect(EffectDesc::spring(ids[0], ids[1], Spring::new(2.0, 10.0))).unwrap();
    world.step(real(DT)).unwrap();
    assert_eq!(world.profile().pushes, 4 * 10 + 2);
    rest(&mut world);
    let stamps: Vec<u64> = world.effect_ids().map(|id| stamp(&world, id)).collect();
    for _ in 0..10 {
        world.step(real(DT)).unwrap();
        assert_eq!((world.profile().pushes, world.awake_count()), (0, 0));
    }
    assert_eq!(world.effect_ids().map(|id| stamp(&world, id)).collect::<Vec<_>>(), stamps);
    // One that is awake is asked for alone, but by what it shares with others.
    world.body_mut(ids[9]).unwrap().wake_up();
    world.step(real(DT)).unwrap();
    assert_eq!(world.profile().pushes, 4);
}

/// While an explosion lasts nobody falls asleep in it, though nothing moves; afterwards they may.
#[test]
fn explosions_keep_awake_while_they_last() {
    let (mut world, ids) = sleepers(3);
    let end = world.time() + 3.0;
    let bomb = Explosion::new([2.0, 100.0, 0.0], 0.1);
    world.add_effect(EffectDesc::explosion(bomb, end).bodies(BodySet::list([ids[1]]))).unwrap();
    while world.time() < end {
        assert_eq!(awake(&world, &ids), [1]);
        world.step(real(DT)).unwrap();
    }
    rest(&mut world);
    assert_eq!(world.effect_count(), 0);
}

/// What a spring ties together sleeps and wakes together, until the spring is gone or off.
#[test]
fn springs_tie_islands_together() {
    let (mut world, ids) = sleepers(4);
    let spring = Spring::new(2.0, 1.0);
    let id = world.add_effect(EffectDesc::spring(ids[0], ids[2], spring)).unwrap();
    assert_eq!(awake(&world, &ids), [0, 2]);
    rest(&mut world);
    world.body_mut(ids[2]).unwrap().wake_up();
    assert_eq!(awake(&world, &ids), [0, 2]);
    rest(&mut world);
    world.effect_mut(id).unwrap().set_bodies(BodySet::pair(ids[2], ids[3])).unwrap();
    assert_eq!(awake(&world, &ids), [0, 2, 3]);
    rest(&mut world);
    world.body_mut(ids[0]).unwrap().wake_up();
    assert_eq!(awake(&world, &ids), [0]);
    world.effect_mut(id).unwrap().set_active(false).unwrap();
    rest(&mut world);
    world.body_mut(ids[2]).unwrap().wake_up();
    assert_eq!(awake(&world, &ids), [2]);
    rest(&mut world);

    // A body on a spring to a kinematic one wakes when that is moved, and stays awake while it moves.
    let lift = world.add_body(BodyDesc::kinematic().position([0.0, 5.0, 0.0])).unwrap();
    world.add_effect(EffectDesc::spring(lift, ids[0], Spring::new(1.0, 1.0))).unwrap();
    rest(&mut world);
    world.body_mut(lift).unwrap().set_velocity([0.0, 0.001, 0.0], [0.0; 3]).unwrap();
    run(&mut world, 300, DT);
    assert_eq!(awake(&world, &ids), [0]);
}

/// Bodies that go leave the sets: springs go with them, lists forget them, and whoever gets their slot is nobody they knew. Bodies that come belong to
/// open sets.
#[test]
fn sets_follow_bodies_that_come_and_go() {
    let mut world = World::new();
    let add = |world: &mut World| world.add_body(BodyDesc::dynamic()).unwrap();
    let (a, b, c) = (add(&mut world), add(&mut world), add(&mut world));
    let push = || EffectDesc::new(Uniform::new([1.0, 0.0, 0.0]));
    let list = world.add_effect(push().bodies(BodySet::list([c, a]))).unwrap();
    let but = world.add_effect(push().bodies(BodySet::except([a]))).unwrap();
    let all = world.add_effect(push()).unwrap();
    let spring = world.add_effect(EffectDesc::spring(a, b, Spring::new(1.0, 1.0))).unwrap();
    let stamps = [list, but, all].map(|id| stamp(&world, id));
    world.remove_body(a).unwrap();
    world.audit().unwrap();
    assert!(world.effect(spring).is_err());
    assert_eq!(world.effect(list).unwrap().bodies(), &BodySet::List(vec![c]));
    assert_eq!(world.effect(but).unwrap().bodies(), &BodySet::Except(vec![]));
    let now = [list, but, all].map(|id| stamp(&world, id));
    assert!(now[0] > stamps[0] && now[1] == stamps[1] && now[2] > stamps[2], "{stamps:?} {now:?}");
    world.step(real(DT)).unwrap();
    assert!(world.events().contains(&Event::EffectRemoved { effect: spring }));

    let d = add(&mut world);
    assert_eq!(d.index(), a.index());
    let on = |id: EffectId| world.effect(id).unwrap().acts_on(d).unwrap();
    assert!(!on(list) && on(but) && on(all));
    assert!(world.effect(all).unwrap().acts_on(a).is_err());
    assert!(stamp(&world, but) > now[1] && stamp(&world, all) > now[2] && stamp(&world, list) == now[0]);
    world.step(real(1.0)).unwrap();
    assert!((world.body(d).unwrap().linear_velocity().x - 2.0).abs() < 1e-5);
    assert!((world.body(c).unwrap().linear_velocity().x.to_f64() - 3.0 - 3.0 * DT).abs() < 1e-4);

    // Empty again: ids from before stay stale, and those of another world too.
    world.reset();
    assert!(world.effect(all).is_err() && world.effect_count() == 0);
    let new = world.add_effect(push()).unwrap();
    assert!(world.effect(all).is_err() && world.effect(new).is_ok());
}

/// Only dynamic bodies that take part feel effects, and one that becomes dynamic does from then on.
#[test]
fn only_active_dynamic_bodies_feel_effects() {
    for mut world in presets(0.0) {
        let fixed = world.add_body(BodyDesc::fixed()).unwrap();
        let moved = world.add_body(BodyDesc::kinematic().linear_velocity([0.0, 1.0, 0.0])).unwrap();
        let off = world.add_body(BodyDesc { active: false, ..BodyDesc::dynamic() }).unwrap();
        world.add_effect(EffectDesc::new(Uniform::new([1.0, 0.0, 0.0]))).unwrap();
        world.add_effect(EffectDesc::new(Gravitation::new(1.0))).unwrap();
        run(&mut world, 10, DT);
        for id in [fixed, moved, off] {
            assert_eq!(world.body(id).unwrap().linear_velocity().x, 0.0);
        }
        world.body_mut(fixed).unwrap().set_kind(tumble::BodyKind::Dynamic).unwrap();
        run(&mut world, 10, 0.1);
        let v = world.body(fixed).unwrap().linear_velocity().x;
        assert!((v - 1.0).abs() < 1e-5, "{}: {v}", name(&world));
    }
}

/// A field that flings a body at rest through a thin plate within a step does not get it through.
#[test]
fn effects_do_not_tunnel() {
    for method in [Method::soft_step(), Method::simultaneous()] {
        let mut world = World::with_method(method).unwrap();
        world.add_body(BodyDesc::fixed().collider(Shape::cuboid(0.005, 2.0, 2.0).unwrap())).unwrap();
        let ball = BodyDesc::dynamic().position([-1.0, 0.0, 0.0]).collider(Shape::sphere(0.1).unwrap());
        let ball = world.add_body(ball).unwrap();
        world.add_effect(EffectDesc::new(Uniform::new([24000.0, 0.0, 0.0])).window(0.0, 0.1)).unwrap();
        for _ in 0..6 {
            world.step(real(DT)).unwrap();
            let x = world.body(ball).unwrap().position().x;
            assert!(x < 0.0, "{}: {x}", name(&world));
        }
    }
}

/// A user's effect: a pull towards the plane y = 0 by a strength that goes with time.
#[derive(Debug)]
struct Pulse {
    strength: f64,
    until: f64,
}

impl ForceEffect for Pulse {
    fn name(&self) -> &str {
        "pulse"
    }

    fn apply(&self, bodies: &mut Affected<'_>) {
        if bodies.time() < self.until {
            bodies.each(|body| {
                let y = -self.strength * body.centre.y;
                Wrench::new(Vec3::ZERO, Vec3::new(0.0, real(y), 0.0) * body.mass)
            });
        }
    }

    fn changes_after(&self, time: f64) -> bool {
        time < self.until
    }

    fn save(&self) -> Vec<u8> {
        [self.strength.to_le_bytes(), self.until.to_le_bytes()].concat()
    }

    fn load(&self, bytes: &[u8]) -> Option<Arc<dyn ForceEffect>> {
        let (strength, until) = bytes.split_at_checked(8)?;
        let number = |b: &[u8]| Some(f64::from_le_bytes(b.try_into().ok()?));
        Some(Arc::new(Pulse { strength: number(strength)?, until: number(until)? }))
    }
}

/// A busy scene with every kind of effect.
fn medley(method: Method) -> World {
    let mut world = World::with_method(method).unwrap();
    world.add_body(BodyDesc::fixed().collider(Shape::half_space(Vec3::Y, -2.0).unwrap())).unwrap();
    let shapes = [
        Shape::sphere(0.3).unwrap(),
        Shape::cuboid(0.3, 0.2, 0.4).unwrap(),
        Shape::capsule(0.3, 0.2).unwrap(),
        Shape::cone(0.3, 0.3).unwrap(),
    ];
    let ids: Vec<BodyId> = (0..12)
        .map(|i| {
            let at = [f64::from(i % 4) * 1.1, 0.2 * f64::from(i), f64::from(i / 4)];
            let collider = ColliderDesc::new(shapes[i as usize % 4].clone()).density(400.0);
            world.add_body(BodyDesc::dynamic().position(at).collider(collider)).unwrap()
        })
        .collect();
    let mut drag = Drag::linear(20.0).wind([1.0, 0.0, 0.5]);
    (drag.quadratic, drag.angular_quadratic) = (3.0, 0.5);
    let mut add = |desc: EffectDesc| world.add_effect(desc).unwrap();
    add(EffectDesc::new(Uniform::new([0.0, 0.5, 0.0])).bodies(BodySet::except([ids[3]])).name("lift"));
    add(EffectDesc::new(drag).bodies(BodySet::list([ids[5], ids[1]])).user_data(9));
    let going = add(EffectDesc::new(Drag::linear(1.0)));
    add(EffectDesc::spring(ids[2], ids[7], Spring::new(1.0, 200.0).damping(5.0).anchor_b([0.1, 0.0, 0.0])));
    add(EffectDesc::explosion(Explosion::new([1.0, -1.0, 1.0], 300.0), 0.8).window(0.5, 0.8));
    add(EffectDesc::new(Buoyancy::new([0.1, 1.0, 0.0], -0.5, 1000.0).drag(Drag::linear(50.0))));
    add(EffectDesc::new(Attraction::new([2.0, 0.0, 1.0], 3.0).softening(0.3)));
    add(EffectDesc::new(Gravitation::new(1e-3).softening(0.2)));
    let custom: Arc<dyn ForceEffect> = Arc::new(Pulse { strength: 0.7, until: 0.9 });
    add(EffectDesc::custom(custom).active(true));
    world.remove_effect(going).unwrap();
    world
}

/// The same bits on one thread and several, and going on after a restore as never having stopped: stamps, phases and ids are in it.
#[test]
fn runs_repeat_and_go_on_after_a_restore() {
    for method in Method::presets() {
        let mut world = medley(method.clone());
        let mut threaded = medley(method);
        threaded.set_threads(3).unwrap();
        run(&mut world, 40, DT);
        run(&mut threaded, 40, DT);
        assert_eq!(world.hash(), threaded.hash());
        let saved = world.snapshot().unwrap();
        let mut other = World::new();
        let refused = other.restore(&saved).unwrap_err().to_string();
        assert!(refused.contains("register_effect"), "{refused}");
        other.register_effect(Arc::new(Pulse { strength: 0.0, until: 0.0 }));
        other.restore(&saved).unwrap();
        other.audit().unwrap();
        assert_eq!((other.hash(), other.snapshot().unwrap()), (world.hash(), saved));
        for id in world.effect_ids() {
            let (a, b) = (world.effect(id).unwrap(), other.effect(id).unwrap());
            assert_eq!((a.stamp(), a.bodies(), a.name(), a.window()), (b.stamp(), b.bodies(), b.name(), b.window()));
            assert!(a.kind() == b.kind() || a.kind().name() == "pulse");
        }
        for w in [&mut world, &mut other, &mut threaded] {
            run(w, 40, DT);
        }
        assert_eq!((world.hash(), threaded.hash()), (other.hash(), other.hash()));
        assert_eq!(world.effect_count(), 7, "the explosion is over");
        let bodies = world.body_ids().map(|id| world.body(id).unwrap().position());
        assert!(bodies.into_iter().all(|p| p.is_finite()));
        world.restart().unwrap();
        assert_eq!(world.effect_count(), 8);
    }
}

/// A snapshot with any byte of its effects altered is refused or is a sound world, and nothing panics.
#[test]
fn damaged_effects_are_refused() {
    let world = medley(Method::soft_step());
    let saved = world.snapshot().unwrap();
    let mut other = World::new();
    other.register_effect(Arc::new(Pulse { strength: 0.0, until: 0.0 }));
    for cut in (0..saved.len()).rev().step_by(7).take(120) {
        assert!(other.restore(&saved[..cut]).is_err());
        let mut altered = saved.clone();
        altered[cut] ^= 0x41;
        assert!(other.restore(&altered).is_err(), "the checksum covers byte {cut}");
    }
    assert_eq!(other.effect_count(), 0);
}

/// What makes no sense is refused with the thing and the value, and changes nothing.
#[test]
fn nonsense_is_refused() {
    let mut world = World::new();
    let (a, b) = (world.add_body(BodyDesc::dynamic()).unwrap(), world.add_body(BodyDesc::dynamic()).unwrap());
    let fixed = world.add_body(BodyDesc::fixed()).unwrap();
    let gone = world.add_body(BodyDesc::dynamic()).unwrap();
    world.remove_body(gone).unwrap();
    world.step(real(1.0)).unwrap();
    let before = world.hash();
    let nan: Real = Real::NAN;
    let inf: Real = Real::INFINITY;
    let bad: Vec<EffectDesc> = vec![
        EffectDesc::new(Uniform::new([0.0, inf, 0.0])),
        EffectDesc::new(Drag::linear(nan)),
        EffectDesc::new(Drag::quadratic(-1.0)),
        EffectDesc::new(Drag::linear(1.0).wind([nan, 0.0, 0.0])),
        EffectDesc::new(Drag { angular_linear: -1.0, ..Drag::default() }),
        EffectDesc::new(Drag { angular_quadratic: inf, ..Drag::default() }),
        EffectDesc::spring(a, a, Spring::new(1.0, 1.0)),
        EffectDesc::spring(a, gone, Spring::new(1.0, 1.0)),
        EffectDesc::spring(World::BODY, fixed, Spring::new(1.0, 1.0)),
        EffectDesc::spring(a, b, Spring::new(-1.0, 1.0)),
        EffectDesc::spring(a, b, Spring::new(1.0, nan)),
        EffectDesc::spring(a, b, Spring::new(1.0, 1.0).damping(-1.0)),
        EffectDesc::spring(a, b, Spring::new(1.0, 1.0).anchor_a([f64::NAN, 0.0, 0.0])),
        EffectDesc::spring(a, b, Spring::new(1.0, 1.0).anchor_b([f64::INFINITY, 0.0, 0.0])),
        EffectDesc::new(Spring::new(1.0, 1.0)),
        EffectDesc::new(Explosion::new([0.0; 3], nan)),
        EffectDesc::new(Explosion::new([f64::NAN; 3], 1.0)),
        EffectDesc::new(Explosion::new([0.0; 3], 1.0).falloff(Falloff::Linear { radius: 0.0 })),
        EffectDesc::new(Explosion::new([0.0; 3], 1.0).falloff(Falloff::InverseSquare { radius: inf })),
        EffectDesc::explosion(Explosion::new([0.0; 3], 1.0), 0.5), // over
        EffectDesc::new(Buoyancy::new([0.0; 3], 0.0, 1.0)),
        EffectDesc::new(Buoyancy::new([0.0, 1.0, 0.0], f64::NAN, 1.0)),
        EffectDesc::new(Buoyancy::new([0.0, 1.0, 0.0], 0.0, 0.0)),
        EffectDesc::new(Buoyancy::new([0.0, nan, 0.0], 0.0, 1.0)),
        EffectDesc::new(Attraction::new([0.0; 3], inf)),
        EffectDesc::new(Attraction::new([0.0; 3], 1.0).softening(-1.0)),
        EffectDesc::new(Gravitation::new(nan)),
        EffectDesc::new(Gravitation::new(1.0).softening(nan)),
        EffectDesc::new(Uniform::new([0.0; 3])).window(f64::NAN, 5.0),
        EffectDesc::new(Uniform::new([0.0; 3])).window(0.0, f64::NAN),
        EffectDesc::new(Uniform::new([0.0; 3])).window(7.0, 6.0),
        EffectDesc::new(Uniform::new([0.0; 3])).bodies(BodySet::list([a, b, a])),
        EffectDesc::new(Uniform::new([0.0; 3])).bodies(BodySet::except([b, b])),
        EffectDesc::new(Uniform::new([0.0; 3])).bodies(BodySet::pair(b, b)),
        EffectDesc::new(Uniform::new([0.0; 3])).bodies(BodySet::list([gone])),
    ];
    for desc in bad {
        let text = format!("{desc:?}");
        assert!(world.add_effect(desc).is_err(), "{text}");
    }
    assert_eq!(world.hash(), before);
    let error = world.add_effect(EffectDesc::new(Drag::linear(-2.0)).name("air")).unwrap_err();
    assert_eq!(error.to_string(), "new effect \"air\": linear drag must be finite and not negative, got -2");

    let id = world.add_effect(EffectDesc::spring(a, b, Spring::new(1.0, 1.0))).unwrap();
    let mut effect = world.effect_mut(id).unwrap();
    assert!(effect.set_bodies(BodySet::All).is_err() && effect.set_bodies(BodySet::pair(a, gone)).is_err());
    assert!(effect.include(a).is_err());
    let mut other = World::new();
    assert!(other.effect(id).is_err() && other.remove_effect(id).is_err() && other.effect_mut(id).is_err());
    world.remove_effect(id).unwrap();
    assert!(world.remove_effect(id).is_err());
}

/// The bodies that so many steps take out.
fn taken_out(world: &mut World, steps: u32) -> Vec<tumble::BodyId> {
    let mut taken = Vec::new();
    for _ in 0..steps {
        world.step(real(DT)).unwrap();
        taken.extend(world.events().iter().filter_map(|e| match e {
            tumble::Event::Quarantined { body } => Some(*body),
            _ => None,
        }));
    }
    taken
}

/// A body in the middle of a column that is pushed by no number is taken out, and nothing that touches it is.
#[test]
fn quarantine_is_not_catching() {
    let mut world = World::new();
    world.add_body(BodyDesc::fixed().collider(Shape::half_space(Vec3::Y, 0.0).unwrap())).unwrap();
    let boxes: Vec<_> = (0..3)
        .map(|i| {
            let at = [0.0, 0.5 + f64::from(i), 0.0];
            world.add_body(BodyDesc::dynamic().position(at).collider(Shape::cuboid(0.5, 0.5, 0.5).unwrap())).unwrap()
        })
        .collect();
    run(&mut world, 10, DT);
    // The largest force there is, on a body of a ton: its acceleration is a number, its way is not.
    world.body_mut(boxes[1]).unwrap().set_force([Real::MAX, Real::MAX, 0.0]).unwrap();
    world.add_effect(EffectDesc::new(Uniform::new(Vec3::X * Real::MAX)).bodies(BodySet::list([boxes[1]]))).unwrap();
    assert_eq!(taken_out(&mut world, 30), [boxes[1]]);
    assert!(world.body(boxes[0]).unwrap().position().is_finite());
}

/// The same where nothing holds them: what is adrift is given back the turn that a step owes it, and one that is lost owes nothing.
#[test]
fn quarantine_is_not_catching_adrift() {
    let mut world = World::new();
    world.set_gravity([0.0, 0.0, 0.0]).unwrap();
    let boxes: Vec<_> = (0..3)
        .map(|i| {
            let (at, v) = ([0.0, f64::from(i), 0.0], [0.0, 0.1 - 0.1 * i as Real, 0.0]);
            let desc = BodyDesc::dynamic().position(at).linear_velocity(v);
            world.add_body(desc.collider(Shape::cuboid(0.5, 0.5, 0.5).unwrap())).unwrap()
        })
        .collect();
    run(&mut world, 5, DT);
    assert!(world.profile().contacts > 1, "the boxes touch");
    world.body_mut(boxes[1]).unwrap().set_force([Real::MAX, Real::MAX, 0.0]).unwrap();
    world.add_effect(EffectDesc::new(Uniform::new(Vec3::X * Real::MAX)).bodies(BodySet::list([boxes[1]]))).unwrap();
    assert_eq!(taken_out(&mut world, 5), [boxes[1]]);
    for id in [boxes[0], boxes[2]] {
        let v = world.body(id).unwrap().linear_velocity();
        assert!(v.length() < 1.0, "{v:?}");
    }
}

/// A panic in what the user brings is an error of the step, on any number of threads; the world is refused until it is whole again.
#[test]
fn panic_in_a_step_is_an_error() {
    #[derive(Debug)]
    struct Bomb;
    impl ForceEffect for Bomb {
        fn name(&self) -> &str {
            "bomb"
        }
        fn apply(&self, _: &mut Affected<'_>) {
            panic!("boom");
        }
    }
    for threads in [1, 3] {
        let mut world = World::new();
        world.set_threads(threads).unwrap();
        for i in 0..100 {
            world.add_body(BodyDesc::dynamic().position([2.0 * f64::from(i), 0.0, 0.0])).unwrap();
        }
        let whole = world.snapshot().unwrap();
        world.step(real(DT)).unwrap();
        world.add_effect(EffectDesc::custom(Arc::new(Bomb))).unwrap();
        let error = world.step(real(DT)).unwrap_err().to_string();
        assert!(error.contains("boom"), "{error}");
        assert!(world.step(real(DT)).is_err());
        world.restore(&whole).unwrap();
        world.step(real(DT)).unwrap();
    }
}

/// Forces beyond all measure and from code of the user's that are no numbers quarantine the body, and nothing else.
#[test]
fn absurd_forces_quarantine() {
    #[derive(Debug)]
    struct Nonsense;
    impl ForceEffect for Nonsense {
        fn name(&self) -> &str {
            "nonsense"
        }
        fn apply(&self, bodies: &mut Affected<'_>) {
            bodies.each(|_| Wrench::new(Vec3::ZERO, Vec3::all(Real::NAN)));
        }
    }
    for mut world in presets(9.81) {
        let (a, b) = (world.add_body(BodyDesc::dynamic()).unwrap(), world.add_body(BodyDesc::dynamic()).unwrap());
        let desc = EffectDesc::custom(Arc::new(Nonsense)).bodies(BodySet::list([a]));
        world.add_effect(desc).unwrap();
        run(&mut world, 3, DT);
        assert!(
            !world.body(a).unwrap().is_active() && world.body(b).unwrap().linear_velocity().y < -0.4,
            "{}",
            name(&world)
        );
    }
}

/// Of a pair of bodies of which one is fixed, gravitation moves neither, as its list does: nothing is infinite.
#[test]
fn gravitation_leaves_out_what_has_no_mass() {
    for mut world in presets(0.0) {
        let ball = || Shape::sphere(0.5).unwrap();
        let planet = world.add_body(BodyDesc::dynamic().position([5.0, 0.0, 0.0]).collider(ball())).unwrap();
        let sun = world.add_body(BodyDesc::fixed().collider(ball())).unwrap();
        world.add_effect(EffectDesc::new(Gravitation::new(1.0)).bodies(BodySet::pair(planet, sun))).unwrap();
        run(&mut world, 10, DT);
        assert_eq!(world.body(planet).unwrap().position(), Vec3::new(5.0, 0.0, 0.0));
        assert!(world.measure().potential.is_finite());
        assert!(!world.events().iter().any(|e| matches!(e, Event::Quarantined { .. })));
    }
}
