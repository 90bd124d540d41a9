//! Bodies on which no torque acts: 003-06, 003-S11, 001-40; the flip of the intermediate axis.

use tumble::math::{Quat, Real, Sym3, Vec3};
use tumble::shape::MassProperties;
use tumble::{BodyDesc, BodyId, World};

const DT: Real = 1.0 / 60.0;

/// A world without gravity and one body with these principal moments, turned somehow, spinning about `axis` (in its frame).
fn spinning(moments: [f64; 3], axis: Vec3<f64>, speed: f64) -> (World, BodyId) {
    let mut world = World::new();
    world.set_gravity(Vec3::ZERO).unwrap();
    let inertia = Sym3::diagonal(Vec3::from(moments));
    let rotation = Quat::from_axis_angle(Vec3::new(0.3, -0.5, 0.8), 1.1_f64);
    let omega = rotation.rotate(axis.normalize_or(Vec3::X) * speed).to_real();
    let desc = BodyDesc::dynamic()
        .rotation(rotation.to_real())
        .angular_velocity(omega)
        .mass_properties(MassProperties { mass: 1.0, centre: Vec3::ZERO, inertia });
    let id = world.add_body(desc).unwrap();
    (world, id)
}

/// From the needle to the plate, every admissible shape between (I₁ + I₂ >= I₃), at all speeds up to 100 rad/s: the
/// angular momentum keeps size and direction to 1e-4 and the energy to 1e-3 for a minute at 1/60 s.
#[test]
fn momentum_and_energy_are_kept_for_a_minute() {
    let shapes = [
        [1.0, 1000.0, 1000.0],
        [1.0, 1000.0, 1000.5],
        [1.0, 100.0, 100.5],
        [1.0, 10.0, 10.5],
        [1.0, 2.0, 2.5],
        [1.0, 2.0, 3.0],
        [1.0, 1.5, 2.0],
        [1.0, 1.01, 1.02],
        [1.0, 1.0, 1.5],
        [1.0, 1.0, 2.0],
        [1.0, 1.0, 1.0],
    ];
    let axes = [
        Vec3::new(1.0, 0.0, 0.0),
        Vec3::new(0.0, 1.0, 0.0),
        Vec3::new(0.0, 0.0, 1.0),
        Vec3::new(1.0, 0.03, 0.0),
        Vec3::new(0.01, 1.0, 0.01),
        Vec3::new(1.0, 1.0, 1.0),
        Vec3::new(0.2, -1.0, 0.7),
    ];
    let mut worst = (0.0, 0.0);
    for moments in shapes {
        for axis in axes {
            for speed in [0.1, 3.0, 30.0, 100.0] {
                let (mut world, id) = spinning(moments, axis, speed);
                let (l0, e0) = (world.body(id).unwrap().angular_momentum(), world.body(id).unwrap().kinetic_energy());
                for _ in 0..3600 {
                    world.step(DT).unwrap();
                    let body = world.body(id).unwrap();
                    let dl = (body.angular_momentum() - l0).length() / l0.length();
                    let de = (body.kinetic_energy() / e0 - 1.0).abs();
                    assert!(dl < 1e-4, "{moments:?} about {axis:?} at {speed}: momentum off by {dl:e}");
                    assert!(de < 1e-3, "{moments:?} about {axis:?} at {speed}: energy off by {de:e}");
                    worst = (f64::max(worst.0, dl), f64::max(worst.1, de));
                }
            }
        }
    }
    println!("worst: momentum {:e}, energy {:e}", worst.0, worst.1);
}

/// Complete elliptic integral K(k) by the arithmetic-geometric mean.
fn elliptic_k(k: f64) -> f64 {
    let (mut a, mut b) = (1.0, (1.0 - k * k).sqrt());
    while (a - b).abs() > 1e-15 * a {
        (a, b) = ((a + b) / 2.0, (a * b).sqrt());
    }
    core::f64::consts::FRAC_PI_2 / a
}

/// A body that starts 1 % off its intermediate axis turns over with the period that Euler's equations give: L in the body
/// runs round once in 4 K(k) / λ, so the component along the intermediate axis changes sign every half of it.
#[test]
fn intermediate_axis_flips_with_the_elliptic_period() {
    for moments in [[1.0, 2.0, 3.0], [1.0, 1.5, 2.0], [2.0, 3.0, 3.5], [1.0, 5.0, 5.5]] {
        let speed = 6.0; // omega dt = 0.1
        let (mut world, id) = spinning(moments, Vec3::new(0.01, 1.0, 0.0), speed);
        let body = world.body(id).unwrap();
        let (l, e) = (body.angular_momentum().length(), body.kinetic_energy());
        let [i1, i2, i3] = moments;
        // Landau and Lifshitz, Mechanics, section 37; the roles of axes 1 and 3 change with the sign of L² - 2 E I₂.
        let (l2, e2) = (l * l, 2.0 * e);
        let (lambda2, k2) = if l2 > e2 * i2 {
            ((i3 - i2) * (l2 - e2 * i1) / (i1 * i2 * i3), (i2 - i1) * (e2 * i3 - l2) / ((i3 - i2) * (l2 - e2 * i1)))
        } else {
            ((i2 - i1) * (e2 * i3 - l2) / (i1 * i2 * i3), (i3 - i2) * (l2 - e2 * i1) / ((i2 - i1) * (e2 * i3 - l2)))
        };
        let half_period = 2.0 * elliptic_k(k2.sqrt()) / lambda2.sqrt();

        let mut flips = Vec::new();
        let mut last = 1.0;
        while flips.len() < 5 {
            world.step(DT).unwrap();
            let body = world.body(id).unwrap();
            let along = body.rotation().to_f64().unrotate(body.angular_momentum()).y;
            if along * last < 0.0 {
                // Linear interpolation of the moment of the sign change.
                flips.push(world.time() - f64::from(DT) * along / (along - last));
            }
            last = along;
            assert!(world.time() < 600.0, "{moments:?} never flips");
        }
        let measured = (flips[4] - flips[0]) / 4.0;
        let error = (measured / half_period - 1.0).abs();
        println!("{moments:?}: {measured:.4} s against {half_period:.4} s");
        assert!(error < 0.02, "{moments:?}: {measured} s against {half_period} s");
    }
}

/// With the gyroscopic torque switched off the angular velocity stays, as some engines do (003-06).
#[test]
fn without_gyroscopic_torque_the_angular_velocity_stays() {
    let (mut world, id) = spinning([1.0, 2.0, 3.0], Vec3::new(1.0, 1.0, 0.2), 5.0);
    let mut method = world.method().clone();
    method.switches.gyroscopic = false;
    let before = world.body(id).unwrap().angular_velocity();
    world.set_method(method).unwrap();
    for _ in 0..100 {
        world.step(DT).unwrap();
    }
    assert_eq!(world.body(id).unwrap().angular_velocity(), before);
}

/// T4 of 002: at constant angular velocity about a principal axis the angle is |ω| t, and |q| = 1 after 10⁵ steps.
#[test]
fn angle_of_a_steady_spin_is_omega_t() {
    let speed = 2.0;
    let (mut world, id) = spinning([1.0, 1.0, 2.0], Vec3::Z, speed);
    let start = world.body(id).unwrap().rotation().to_f64();
    let steps = 100_000;
    for _ in 0..steps {
        world.step(DT).unwrap();
    }
    let q = world.body(id).unwrap().rotation().to_f64();
    assert!((q.dot(q) - 1.0).abs() < 1e-6, "|q|² = {}", q.dot(q));
    let angle = speed * f64::from(DT) * f64::from(steps);
    let expected = start * Quat::from_axis_angle(Vec3::Z, angle);
    // Each step rounds the orientation to a few 1e-8 in f32; 10⁵ of them walk to a few 1e-5, and the rounding of ω itself
    // to 6e-8 relative makes up to 2e-4 of 3333 rad.
    let tolerance = if size_of::<Real>() == 4 { 1e-3 } else { 1e-9 };
    assert!(q.angle_to(expected) < tolerance, "off by {} rad", q.angle_to(expected));
}
