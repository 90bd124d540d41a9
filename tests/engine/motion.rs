//! Motion under forces alone: T2 and T3 of 002, 003-06..09, 002-16, 002-20, 002-22, 003-S24.

use crate::support::{assert_near, ballistic, eps, floating, lopsided, real};
use tumble::math::{Float, Real, Vec3};
use tumble::shape::Shape;
use tumble::{BodyDesc, BodyId, Integrate, World};

const SEMI_IMPLICIT: Integrate = Integrate::SemiImplicitEuler;
const EXPLICIT: Integrate = Integrate::ExplicitEuler;

/// Gravity and step whose products and sums have no rounding for the first thousands of steps.
const G: Real = 9.8125;
const DT: Real = 1.0 / 64.0;

fn falling(integrate: Integrate, desc: BodyDesc) -> (World, BodyId) {
    let mut world = ballistic(integrate);
    world.set_gravity([0.0, -G, 0.0]).unwrap();
    let id = world.add_body(desc).unwrap();
    (world, id)
}

fn run(world: &mut World, steps: u32, dt: Real) {
    for _ in 0..steps {
        world.step(dt).unwrap();
    }
}

/// T2: after n steps v = g n dt, to the bit where no product rounds, and to the rounding of the sum where they do.
#[test]
fn free_fall_gains_g_per_second() {
    let (mut world, id) = falling(SEMI_IMPLICIT, BodyDesc::dynamic());
    for n in 1..=600 {
        world.step(DT).unwrap();
        let v = world.body(id).unwrap().linear_velocity();
        assert_eq!(v, Vec3::new(0.0, -G * DT * n as Real, 0.0), "after {n} steps");
    }

    let mut world = ballistic(SEMI_IMPLICIT);
    let id = world.add_body(BodyDesc::dynamic()).unwrap();
    run(&mut world, 600, 1.0 / 60.0);
    let v = world.body(id).unwrap().linear_velocity().y.to_f64();
    // Each of 600 additions rounds by at most half a unit in the last place of the sum.
    assert!((v / -98.1 - 1.0).abs() < 300.0 * eps(), "{v}");
}

/// T2: the position of semi-implicit Euler is ahead of g t²/2 by g t dt/2, that of explicit Euler as far behind; half the
/// step, half the error.
#[test]
fn position_error_of_free_fall_is_half_g_t_dt() {
    for (integrate, sign) in [(SEMI_IMPLICIT, 1.0), (EXPLICIT, -1.0)] {
        let mut errors = Vec::new();
        for halvings in 0..4 {
            let dt = DT / (1 << halvings) as Real;
            let (mut world, id) = falling(integrate, BodyDesc::dynamic().position([3.0, 100.0, -7.0]));
            run(&mut world, 128 << halvings, dt);
            let (t, g) = (2.0, G.to_f64());
            let p = world.body(id).unwrap().position();
            assert_eq!((p.x, p.z), (3.0, -7.0));
            // All terms are multiples of 2⁻²⁸: exact.
            let error = (100.0 - g * t * t / 2.0) - p.y;
            assert_eq!(error, sign * 0.5 * g * t * dt.to_f64(), "{integrate:?} at dt {dt}");
            errors.push(error);
        }
        assert!(errors.windows(2).all(|e| e[0] == 2.0 * e[1]), "{errors:?}");
    }
}

/// The default method flies on the parabola itself, whatever the step: a thrown body is where v₀ t + g t²/2 says.
#[test]
fn default_method_flies_on_the_parabola() {
    for (steps, dt) in [(128, DT), (16, 0.125), (2, 1.0)] {
        let mut world = World::new();
        world.set_gravity([0.0, -G, 0.0]).unwrap();
        let id = world.add_body(BodyDesc::dynamic().linear_velocity([3.0, 8.0, -1.0])).unwrap();
        run(&mut world, steps, dt);
        let (t, body) = (2.0, world.body(id).unwrap());
        let expected = Vec3::new(3.0 * t, 8.0 * t - G.to_f64() * t * t / 2.0, -t);
        // A product or sum of each sub-step may round once.
        assert_near("position", body.position(), expected, 32.0 * eps() * expected.length());
        assert_near(
            "velocity",
            body.linear_velocity().to_f64(),
            Vec3::new(3.0, 8.0 - G.to_f64() * t, -1.0),
            64.0 * eps(),
        );
    }
}

/// T3, eq. 3.10: v² = v₀² + 2 a (p - p₀) under a constant force. With F = m a that is the work F (p - p₀) against the gain of
/// kinetic energy (003-08). Semi-implicit Euler misses it by a² t dt, the default method does not.
#[test]
fn work_of_a_constant_force_is_the_gain_of_kinetic_energy() {
    let (force, v0, t) = (6.0, 1.0, 4.0);
    let measure = |mut world: World, dt: Real| {
        world.set_gravity(Vec3::ZERO).unwrap();
        let id = world.add_body(BodyDesc::dynamic().mass(2.0).linear_velocity([v0, 0.0, 0.0])).unwrap();
        world.body_mut(id).unwrap().set_force([real(force), 0.0, 0.0]).unwrap();
        let before = world.body(id).unwrap().kinetic_energy();
        run(&mut world, (t / dt.to_f64()).round() as u32, dt);
        let body = world.body(id).unwrap();
        (force * body.position().x, body.kinetic_energy() - before)
    };
    let a = force / 2.0;
    for dt in [1.0 / 16.0, 1.0 / 32.0, 1.0 / 64.0] {
        let (work, gain) = measure(ballistic(SEMI_IMPLICIT), dt);
        // Energy is m v²/2, so eq. 3.10 times m/2; exact, as all numbers are short.
        assert_eq!(work - gain, a * a * t * dt.to_f64(), "dt {dt}");
    }
    let (work, gain) = measure(World::new(), 1.0 / 16.0);
    assert!((work / gain - 1.0).abs() < 64.0 * eps(), "default method: work {work}, gain {gain}");
}

/// An oscillator by a user force -k x set before each step. Energy of each step as a share of that at the start.
fn oscillator(integrate: Integrate, omega: f64, steps: u32) -> Vec<f64> {
    let mut world = floating(integrate);
    let id = world.add_body(BodyDesc::dynamic().position([1.0, 0.0, 0.0]).mass(2.0)).unwrap();
    let k = 2.0 * omega * omega;
    (0..steps)
        .map(|_| {
            let x = world.body(id).unwrap().position().x;
            world.body_mut(id).unwrap().set_force([real(-k * x), 0.0, 0.0]).unwrap();
            world.step(DT).unwrap();
            let body = world.body(id).unwrap();
            (body.kinetic_energy() + 0.5 * k * body.position().x.powi(2)) / (0.5 * k)
        })
        .collect()
}

/// T3: the energy of a semi-implicit oscillator stays within ω dt/2 of a constant for ever, since it keeps
/// m v²/2 + k x²/2 - dt k x v/2; that of an explicit one grows by 1 + ω² dt² in every step.
#[test]
fn oscillator_energy_is_bounded_or_grows_as_the_integrator_says() {
    for omega in [1.0, 4.0, 16.0] {
        let h = omega * DT.to_f64();
        let energies = oscillator(SEMI_IMPLICIT, omega, 20_000);
        let (lo, hi) = energies.iter().fold((f64::MAX, 0.0_f64), |(lo, hi), &e| (lo.min(e), hi.max(e)));
        // |dt k x v| / 2 <= (ω dt / 2) E, so E lies between 1/(1 + h/2) and 1/(1 - h/2); rounding walks with √n.
        let slack = 100.0 * eps();
        assert!(lo > 1.0 / (1.0 + h / 2.0) - slack && hi < 1.0 / (1.0 - h / 2.0) + slack, "{lo} to {hi} at {h}");

        let energies = oscillator(EXPLICIT, omega, 200);
        let growth = (energies[199] / energies[0]).powf(1.0 / 199.0);
        assert!((growth - (1.0 + h * h)).abs() < 10.0 * eps(), "grows by {growth} per step at {h}");
    }
}

/// 003-S24: a spring too stiff for explicit Euler is carried by the semi-implicit one up to ω dt = 2.
#[test]
fn stiff_spring_breaks_explicit_euler_only() {
    let omega = 1.9 / DT.to_f64();
    assert!(oscillator(SEMI_IMPLICIT, omega, 2000).iter().all(|&e| e < 1.0 / (1.0 - 0.95) * 1.01));
    assert!(oscillator(EXPLICIT, omega, 20)[19] > 1e6);
}

/// T3: an orbit. A central force makes no torque about the centre, and semi-implicit Euler keeps the angular momentum of it
/// exactly; its energy swings and does not drift. Explicit Euler spirals out.
#[test]
fn orbit_stays_or_spirals_out_as_the_integrator_says() {
    let orbit = |integrate: Integrate| {
        let mut world = floating(integrate);
        let id =
            world.add_body(BodyDesc::dynamic().position([1.0, 0.0, 0.0]).linear_velocity([0.0, 0.0, 1.1])).unwrap();
        let mut trace = Vec::new();
        for _ in 0..20_000 {
            let p = world.body(id).unwrap().position();
            let f = p * (-1.0 / p.length().powi(3));
            world.body_mut(id).unwrap().set_force(f.to_real()).unwrap();
            world.step(DT).unwrap();
            let body = world.body(id).unwrap();
            let (p, m) = (body.position(), world.measure());
            trace.push((m.kinetic - 1.0 / p.length(), m.angular_momentum.y));
        }
        trace
    };
    let start = 1.1 * 1.1 / 2.0 - 1.0;
    let trace = orbit(SEMI_IMPLICIT);
    for &(energy, momentum) in &trace {
        assert!((energy - start).abs() < 0.02 * start.abs(), "energy {energy} of {start}");
        // 20000 roundings of the velocity, each half a unit in the last place, in random directions.
        assert!((momentum + 1.1).abs() < 200.0 * eps(), "angular momentum {momentum}");
    }
    let (energy, _) = orbit(EXPLICIT)[19_999];
    assert!(energy > start + 0.1, "explicit Euler ends at {energy}");
}

/// dv/dt = g - c v: v(t) = g/c + (v₀ - g/c) e^(-ct). The implicit damping is of first order, stands at the final speed g/c,
/// and never turns a velocity round, however strong.
#[test]
fn damped_projectile() {
    let (c, t, v0) = (0.5, 2.0, Vec3::new(8.0, 3.0, -2.0));
    let mut errors = Vec::new();
    for steps in [64, 128, 256, 512] {
        let desc = BodyDesc::dynamic().linear_velocity(v0).damping(c, 0.0);
        let (mut world, id) = falling(SEMI_IMPLICIT, desc);
        run(&mut world, steps, real(t / f64::from(steps)));
        let last = Vec3::new(0.0, -G.to_f64() / c.to_f64(), 0.0);
        let exact = last + (v0.to_f64() - last) * (-c.to_f64() * t).exp();
        errors.push((world.body(id).unwrap().linear_velocity().to_f64() - exact).length());
    }
    for e in errors.windows(2) {
        assert!((e[0] / e[1] - 2.0).abs() < 0.05, "{errors:?}");
    }

    let last = Vec3::new(0.0, -G / c, 0.0);
    let (mut world, id) = falling(SEMI_IMPLICIT, BodyDesc::dynamic().linear_velocity(last).damping(c, 0.0));
    run(&mut world, 1000, DT);
    assert_near("final speed", world.body(id).unwrap().linear_velocity().to_f64(), last.to_f64(), 100.0 * eps());

    for damping in [1.0, 100.0, 1e6, 1e30] {
        let mut world = floating(SEMI_IMPLICIT);
        let desc = BodyDesc::dynamic().linear_velocity([1.0, 0.0, 0.0]).angular_velocity([0.0, 2.0, 0.0]);
        let id = world.add_body(desc.damping(damping, damping)).unwrap();
        let (mut speed, mut spin) = (1.0, 2.0);
        for _ in 0..50 {
            world.step(0.1).unwrap();
            let body = world.body(id).unwrap();
            let (v, w) = (body.linear_velocity(), body.angular_velocity());
            assert!(
                v.x >= 0.0 && v.x < speed && w.y >= 0.0 && w.y < spin || v.x == 0.0,
                "damping {damping}: {v:?} {w:?}"
            );
            (speed, spin) = (v.x, w.y);
        }
    }
}

/// Both dampings fade a motion as e^(-ct) under the default method as under the others, with an error that goes with the step.
#[test]
fn damping_has_its_rate_under_every_method() {
    let (c, spin) = (real(0.7), real(1.3));
    for (name, mut world) in [("ballistic", floating(SEMI_IMPLICIT)), ("default", World::new())] {
        world.set_gravity(Vec3::ZERO).unwrap();
        let ball = BodyDesc::dynamic().collider(Shape::sphere(0.5).unwrap()).damping(c, spin);
        let id = world.add_body(ball.linear_velocity([2.0, 0.0, 0.0]).angular_velocity([0.0, 3.0, 0.0])).unwrap();
        run(&mut world, 128, real(1.0 / 128.0));
        let body = world.body(id).unwrap();
        let left = (body.linear_velocity().x.to_f64() / 2.0, body.angular_velocity().y.to_f64() / 3.0);
        for (left, rate) in [(left.0, c.to_f64()), (left.1, spin.to_f64())] {
            // (1 + ch)^-n = e^(-ct) (1 + c²th/2 + …).
            assert!((left / (-rate).exp() - 1.0).abs() < rate * rate / 256.0 * 1.1, "{name}: {left} at rate {rate}");
        }
    }
}

/// 002-22: gravity is multiplied, per body, by any finite factor.
#[test]
fn gravity_scale() {
    for scale in [0.0, 1.0, -1.0, 2.5] {
        let (mut world, id) = falling(SEMI_IMPLICIT, BodyDesc::dynamic().gravity_scale(scale));
        run(&mut world, 64, DT);
        assert_eq!(world.body(id).unwrap().linear_velocity().y, -G * scale);
    }
    let (mut world, id) = falling(SEMI_IMPLICIT, BodyDesc::dynamic());
    run(&mut world, 64, DT);
    world.body_mut(id).unwrap().set_gravity_scale(-1.0).unwrap();
    run(&mut world, 64, DT);
    assert_eq!(world.body(id).unwrap().linear_velocity().y, 0.0);
}

/// A change of gravity acts from the next step on.
#[test]
fn gravity_can_turn() {
    let (mut world, id) = falling(SEMI_IMPLICIT, BodyDesc::dynamic());
    run(&mut world, 64, DT);
    world.set_gravity([2.0, 0.0, 0.0]).unwrap();
    run(&mut world, 64, DT);
    assert_eq!(world.body(id).unwrap().linear_velocity(), Vec3::new(2.0, -G, 0.0));
}

/// 003-06: dω/dt = I⁻¹ (τ - ω × I ω), by differences of the angular velocity of a skew, spinning body under a torque that
/// stays. The derivative at the middle of a step is the difference across it, to second order in the step.
#[test]
fn newton_euler_by_finite_differences() {
    let torque = Vec3::new(5.0, -3.0, 8.0);
    let mut errors = Vec::new();
    for steps in [30, 60, 120, 240] {
        let dt = 1.0 / steps as Real;
        let mut world = floating(SEMI_IMPLICIT);
        let id = world.add_body(lopsided().angular_velocity([1.0, 2.0, -0.5])).unwrap();
        world.body_mut(id).unwrap().set_torque(torque).unwrap();
        let mut worst = 0.0_f64;
        for _ in 0..steps {
            let rate = |world: &World| {
                let body = world.body(id).unwrap();
                let w = body.angular_velocity().to_f64();
                let inverse = body.inertia().try_inverse().unwrap();
                (w, inverse * (torque.to_f64() - w.cross(body.inertia() * w)))
            };
            let (before, rate_before) = rate(&world);
            world.step(dt).unwrap();
            let (after, rate_after) = rate(&world);
            let difference = (after - before) / dt.to_f64();
            worst = worst.max((difference - (rate_before + rate_after) * 0.5).length());
            let reported = world.body(id).unwrap().angular_acceleration().to_f64();
            // Two roundings of ω over the step.
            assert_near("reported", reported, difference, 8.0 * eps() * after.length() / dt.to_f64());
        }
        errors.push(worst);
    }
    println!("error of dω/dt per step: {errors:?}");
    // First order at least; in f32 the rounding of ω (3 eps) over the step takes over.
    for (i, e) in errors.windows(2).enumerate() {
        let rounding = 6.0 * eps() * f64::from(60 << i);
        assert!(e[1] < 0.55 * e[0] + rounding, "{errors:?}");
    }
}

/// 003-09: the bodies of a world as one system. With s = (x, q) and u = (v, ω) of all bodies stacked, one step obeys
/// ds/dt = S u and M du/dt = f, where S = diag(1, Q) is 7n × 6n with dq/dt = Q ω = ½ (ω, 0) q, M = diag(m 1, I) is 6n × 6n, and
/// f = (F, τ - ω × I ω). Both hold at the middle of a step to second order in it.
#[test]
fn bodies_are_one_stacked_system() {
    const N: usize = 4;
    let stacked = |world: &World, ids: &[BodyId]| {
        let (mut s, mut u, mut f) = (vec![0.0; 7 * N], vec![0.0; 6 * N], vec![0.0; 6 * N]);
        let (mut big_s, mut big_m) = (vec![vec![0.0; 6 * N]; 7 * N], vec![vec![0.0; 6 * N]; 6 * N]);
        for (i, &id) in ids.iter().enumerate() {
            let body = world.body(id).unwrap();
            let (x, q) = (body.centre_of_mass(), body.pose().rotation.to_f64());
            let (v, w) = (body.centre_velocity().to_f64(), body.angular_velocity().to_f64());
            s[7 * i..7 * i + 3].copy_from_slice(&x.to_array());
            s[7 * i + 3..7 * i + 7].copy_from_slice(&[q.x, q.y, q.z, q.w]);
            u[6 * i..6 * i + 3].copy_from_slice(&v.to_array());
            u[6 * i + 3..6 * i + 6].copy_from_slice(&w.to_array());
            let inertia = body.inertia();
            let torque = body.torque().to_f64() - w.cross(inertia * w);
            f[6 * i..6 * i + 3].copy_from_slice(&body.force().to_f64().to_array());
            f[6 * i + 3..6 * i + 6].copy_from_slice(&torque.to_array());
            for k in 0..3 {
                big_s[7 * i + k][6 * i + k] = 1.0;
                big_m[6 * i + k][6 * i + k] = body.mass();
                let column = (inertia * [Vec3::<f64>::X, Vec3::Y, Vec3::Z][k]).to_array();
                for (row, value) in column.into_iter().enumerate() {
                    big_m[6 * i + 3 + row][6 * i + 3 + k] = value;
                }
            }
            let big_q = [[q.w, q.z, -q.y], [-q.z, q.w, q.x], [q.y, -q.x, q.w], [-q.x, -q.y, -q.z]];
            for (row, values) in big_q.into_iter().enumerate() {
                for (k, value) in values.into_iter().enumerate() {
                    big_s[7 * i + 3 + row][6 * i + 3 + k] = 0.5 * value;
                }
            }
        }
        (s, u, f, big_s, big_m)
    };
    let times = |m: &[Vec<f64>], v: &[f64]| -> Vec<f64> {
        m.iter().map(|row| row.iter().zip(v).map(|(a, b)| a * b).sum()).collect()
    };
    let mut errors = Vec::new();
    for steps in [64, 128, 256] {
        let dt = 1.0 / f64::from(steps);
        let mut world = floating(Integrate::SemiImplicitEuler);
        let ids: Vec<BodyId> = (0..N)
            .map(|i| {
                let i = i as Real;
                let desc = lopsided().turned([1.0, i, 0.5], i).angular_velocity([1.0, 0.5 * i, -0.5]);
                let id = world.add_body(desc.linear_velocity([0.1 * i, 1.0, 0.0])).unwrap();
                let mut body = world.body_mut(id).unwrap();
                body.set_force([5.0 * i, -3.0, 8.0]).unwrap();
                body.set_torque([5.0, -3.0 * i, 8.0]).unwrap();
                id
            })
            .collect();
        let before = stacked(&world, &ids);
        world.step(real(dt)).unwrap();
        let after = stacked(&world, &ids);
        let middle = |a: Vec<f64>, b: Vec<f64>| a.iter().zip(&b).map(|(a, b)| 0.5 * (a + b)).collect::<Vec<f64>>();
        let rate = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (b - a) / dt).collect::<Vec<f64>>();
        let worst = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        let (ds, du) = (rate(&before.0, &after.0), rate(&before.1, &after.1));
        let su = middle(times(&before.3, &before.1), times(&after.3, &after.1));
        let mdu = middle(times(&before.4, &du), times(&after.4, &du));
        let f = middle(before.2, after.2);
        let (kinematic, dynamic) = (worst(&ds, &su), worst(&mdu, &f) / f.iter().fold(0.0, |m: f64, f| m.max(f.abs())));
        errors.push((kinematic, dynamic));
    }
    println!("errors of ds/dt and of M du/dt (as a share): {errors:?}");
    // Semi-implicit Euler is of first order: half the step, half the error, but for the rounding of s and u over the step.
    for (i, e) in errors.windows(2).enumerate() {
        let rounding = 16.0 * eps() * f64::from(128 << i);
        assert!(e[1].0 < 0.6 * e[0].0 + rounding && e[1].1 < 0.6 * e[0].1 + rounding, "{errors:?}");
    }
    assert!(errors[2].0 < 0.05 && errors[2].1 < 0.05, "{errors:?}");
}

/// 003-07: torque × time is the change of angular momentum, also while the body turns under the torque.
#[test]
fn torque_times_time_is_the_change_of_angular_momentum() {
    let torque = Vec3::new(5.0, -3.0, 8.0);
    let mut world = floating(SEMI_IMPLICIT);
    let id = world.add_body(lopsided().angular_velocity([1.0, 2.0, -0.5])).unwrap();
    let before = world.body(id).unwrap().angular_momentum();
    world.body_mut(id).unwrap().set_torque(torque).unwrap();
    run(&mut world, 256, DT);
    let gained = world.body(id).unwrap().angular_momentum() - before;
    let expected = torque.to_f64() * 4.0;
    // Every step rounds ω once in each component: 256 of them in random directions.
    assert_near("L", gained, expected, 32.0 * eps() * expected.length());
}
