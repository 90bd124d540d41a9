//! Times of impact: never late, not much too early, and never endless.

use super::judge::{Any, Dice, Judge};
use tumble::detect::narrow::{ConvexRef, Motion, sweep};
use tumble::math::{Float, Num, Pose, Quat, Real, Vec3};
use tumble::shape::{Capsule, Cuboid, Sphere};

// A bullet of 5 cm at 400 m/s against a plate of 1 cm (issue 3): in one step of 1/60 s it would be far behind it.
#[test]
fn bullet_and_plate() {
    let bullet = Sphere::new(0.025).unwrap();
    let plate = Cuboid::new(Vec3::new(0.005, 1.0, 1.0)).unwrap();
    let start = Pose::from_translation(Vec3::new(-3.0, 0.1, 0.2));
    let flying = Motion { linear: Vec3::new(400.0, 0.0, 0.0), ..Motion::resting(start) };
    let resting = Motion::resting(Pose::IDENTITY);
    let (a, b) = (ConvexRef::Sphere(&bullet), ConvexRef::Cuboid(&plate));
    let t = sweep(a, b, &flying, &resting, 1.0 / 60.0, 0.001).unwrap().to_f64();
    // Gap 3 - 0.025 - 0.005 - 0.001 at 400 m/s; early by no more than the tolerance.
    let exact = (3.0 - 0.03 - 0.001) / 400.0;
    assert!(t <= exact + 1e-8 && t > exact - 1e-6, "{t} {exact}");
    // Exchanged, and away from it.
    let other = sweep(b, a, &resting, &flying, 1.0 / 60.0, 0.001).unwrap().to_f64();
    assert!((other - t).abs() < 1e-7);
    let away = Motion { linear: -flying.linear, ..flying };
    assert_eq!(sweep(a, b, &away, &resting, 1.0 / 60.0, 0.001), None);
}

// A rod that spins at 100 rad/s next to a thin wall: only its turning brings it there.
#[test]
fn spinning_rod_and_wall() {
    let rod = Capsule::new(0.5, 0.01).unwrap();
    let wall = Cuboid::new(Vec3::new(0.002, 1.0, 1.0)).unwrap();
    // Its tip reaches the wall's face at x = 0.4 - 0.002 when 0.5 sin(angle) = 0.4 - 0.002 - 0.01.
    let resting = Motion::resting(Pose::from_translation(Vec3::new(0.4, 0.0, 0.0)));
    let spinning = Motion { angular: Vec3::new(0.0, 0.0, -100.0), ..Motion::resting(Pose::IDENTITY) };
    let t = sweep(ConvexRef::Capsule(&rod), ConvexRef::Cuboid(&wall), &spinning, &resting, 1.0 / 60.0, 1e-4).unwrap();
    let exact = Float::asin((0.4 - 0.002 - 0.01 - 1e-4) / 0.5) / 100.0;
    let t = t.to_f64();
    assert!(t <= exact + 1e-7 && t > exact - 1e-4, "{t} {exact}");
}

// Random pairs in random motion: at the time returned they are apart by the target or a little more, at all sampled times
// before by at least that; where none is returned, at no sampled time nearer.
#[test]
fn sweeps_are_conservative() {
    for seed in 0..150 {
        let mut dice = Dice::new(seed + 9000);
        let kinds = (dice.pick(9), dice.pick(8));
        let (a, b) = (dice.shape(kinds.0, 1.0), dice.shape(kinds.1, 1.0));
        let size = Num::min(a.size(), b.size());
        let motion = |d: &mut Dice| Motion {
            start: Pose::new((d.direction() * 3.0).to_real(), d.rotation()),
            centre: (d.direction() * 0.3).to_real(),
            linear: (d.direction() * d.range(0.0, 6.0)).to_real(),
            angular: (d.direction() * d.range(0.0, 20.0)).to_real(),
        };
        let (mut of_a, of_b) = (motion(&mut dice), motion(&mut dice));
        if matches!(a, Any::HalfSpace(_)) {
            of_a.angular = Vec3::ZERO;
        }
        let (t_max, target) = (1.0, 0.01 * size);
        let apart = |t: Real| {
            let pose = of_a.at(t).inverse() * of_b.at(t);
            Judge::new(&a, &b, &pose).separation().0
        };
        let slack = 1e-4 * size;
        if apart(0.0) < target + slack {
            continue;
        }
        let found = sweep(a.borrow(), b.borrow(), &of_a, &of_b, t_max, Real::from_f64(target));
        let until = found.unwrap_or(t_max);
        for i in 0..=12 {
            let t = until * (i as Real / 12.0);
            let gap = apart(t);
            assert!(gap > target - slack, "{}-{} seed {seed}: {gap} at {t} of {until}", a.name(), b.name());
        }
        if let Some(t) = found {
            // Not early: the gap at the end is the target but for the stated tolerance.
            let gap = apart(t);
            assert!(gap < target + slack, "{}-{} seed {seed}: stopped {gap:e} apart", a.name(), b.name());
        }
    }
}

// Overlap at the start is time zero; nonsense ends.
#[test]
fn sweeps_end() {
    let ball = Sphere::new(0.5).unwrap();
    let b = ConvexRef::Sphere(&ball);
    let still = Motion::resting(Pose::IDENTITY);
    assert_eq!(sweep(b, b, &still, &still, 1.0, 0.0), Some(0.0));
    for v in [Real::NAN, Real::INFINITY, 1e30] {
        let wild = Motion {
            linear: Vec3::new(v, 0.0, 0.0),
            ..Motion::resting(Pose::from_translation(Vec3::new(5.0, 0.0, 0.0)))
        };
        let spun = Motion {
            angular: Vec3::new(v, 1.0, 0.0),
            start: Pose::new(wild.start.translation, Quat::IDENTITY),
            ..still
        };
        sweep(b, b, &wild, &still, 1.0, 0.0);
        sweep(b, b, &spun, &still, 1.0, 0.0);
    }
}
