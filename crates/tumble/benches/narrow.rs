//! Nanoseconds per query of the narrow phase: `cargo bench -p tumble --bench narrow`.
//!
//! Each line is the best of several rounds over a sequence of poses that changes a little from query to query, as in a
//! simulation, with the pair's cache kept.
// A measurement: shapes that cannot be made end it, and turns need not be exact.
#![allow(clippy::expect_used, clippy::approx_constant)]

use std::hint::black_box;
use std::time::Instant;
use tumble::detect::narrow::{ConvexRef, Manifold, Motion, PairCache, Triangle, closest_points, collide, sweep};
use tumble::math::{Float, Pose, Quat, Real, Vec3};
use tumble::shape::{Capsule, Cone, Cuboid, Cylinder, HalfSpace, Hull, Sphere};

fn about(axis: Vec3, angle: f64) -> Quat {
    Quat::from_axis_angle(axis.to_f64(), angle).to_real()
}

const POSES: usize = 64;

/// Poses near `pose` that rock and slide by a thousandth.
fn sequence(pose: Pose) -> Vec<Pose> {
    (0..POSES)
        .map(|i| {
            let a = i as f64 / POSES as f64 * std::f64::consts::TAU;
            let shift = Vec3::new(Float::sin(a), 0.2 * Float::sin(2.0 * a), Float::cos(a)) * 1e-3;
            let turn = Quat::from_axis_angle(Vec3::new(Float::cos(a), 0.5, Float::sin(a)), 1e-3 * Float::sin(a));
            Pose::new(pose.translation + shift.to_real(), turn.to_real() * pose.rotation)
        })
        .collect()
}

/// Best of many short rounds, so that a busy machine does not count.
fn time(mut f: impl FnMut(usize)) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..400 {
        let start = Instant::now();
        for i in 0..POSES {
            f(i);
        }
        best = best.min(start.elapsed().as_nanos() as f64 / POSES as f64);
    }
    best
}

fn bench(name: &str, a: ConvexRef, b: ConvexRef, pose: Pose, margin: Real) {
    if std::env::args().nth(1).is_some_and(|only| !only.starts_with("--") && !name.contains(&only)) {
        return;
    }
    let poses = sequence(pose);
    let mut manifold = Manifold::default();
    let mut cache = PairCache::default();
    let mut points = 0;
    let warm = time(|i| {
        collide(a, b, &poses[i], margin, &mut cache, &mut manifold);
        points = manifold.points().len();
        black_box(&manifold);
    });
    if std::env::var_os("WARM").is_some() {
        println!("{name:38} {warm:8.1} ns   {points} points");
        return;
    }
    let cold = time(|i| {
        collide(a, b, &poses[i], margin, &mut PairCache::default(), &mut manifold);
        black_box(&manifold);
    });
    println!("{name:38} {warm:8.1} ns   cold cache {cold:8.1} ns   {points} points");
}

fn hull(count: usize, seed: u64) -> Hull {
    let mut state = seed | 1;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as f64 / (1u64 << 30) as f64 - 1.0
    };
    let points: Vec<Vec3> = (0..count)
        .map(|_| {
            let v = Vec3::new(next(), next(), next());
            (v / v.length() * 0.5).to_real()
        })
        .collect();
    Hull::new(&points).expect("points on a sphere make a hull")
}

/// B above A at the given separation.
fn above(a: ConvexRef, b: ConvexRef, from: Pose, gap: Real) -> Pose {
    let found = closest_points(a, b, &from);
    Pose::new(from.translation - found.normal * (found.separation - gap), from.rotation)
}

fn main() {
    let cube = Cuboid::new(Vec3::all(0.5)).expect("cube");
    let ball = Sphere::new(0.5).expect("ball");
    let pill = Capsule::new(0.5, 0.25).expect("pill");
    let drum = Cylinder::new(0.5, 0.5).expect("drum");
    let cone = Cone::new(0.5, 0.5).expect("cone");
    let floor = HalfSpace::new(Vec3::Y, 0.0).expect("floor");
    let (rock, stone) = (hull(32, 1), hull(32, 2));
    let (pebble, grit) = (hull(10, 3), hull(10, 4));
    let triangle = Triangle {
        two_sided: false,
        ..Triangle::new([Vec3::new(-2.0, 0.0, -2.0), Vec3::new(-1.0, 0.0, 3.0), Vec3::new(3.0, 0.0, -1.0)])
    };
    let (b, s, c) = (ConvexRef::Cuboid(&cube), ConvexRef::Sphere(&ball), ConvexRef::Capsule(&pill));
    let (d, k, f) = (ConvexRef::Cylinder(&drum), ConvexRef::Cone(&cone), ConvexRef::HalfSpace(&floor));
    let (r, t) = (ConvexRef::Hull(&rock), ConvexRef::Hull(&stone));
    let (p, g, tri) = (ConvexRef::Hull(&pebble), ConvexRef::Hull(&grit), ConvexRef::Triangle(&triangle));
    let at = |x: f64, y: f64, z: f64| Pose::from_translation(Vec3::new(x, y, z).to_real());
    let turned = |x: f64, y: f64, z: f64, q: Quat| Pose::new(Vec3::new(x, y, z).to_real(), q);
    let skew = about(Vec3::new(1.0, 2.0, 3.0), 0.8);
    println!("Real is f{}", 8 * size_of::<Real>());
    bench("ball-ball touching", s, s, at(0.0, 0.998, 0.0), 0.01);
    bench("ball-ball apart", s, s, at(0.0, 1.2, 0.0), 0.01);
    bench("ball-box touching", b, s, at(0.1, 0.995, 0.0), 0.01);
    bench("ball-hull32 touching", r, s, above(r, s, at(0.3, 1.0, 0.1), -0.005), 0.01);
    bench("box-box apart", b, b, turned(0.3, 1.5, 0.1, skew), 0.01);
    bench("box-box resting, aligned", b, b, at(0.1, 0.997, 0.05), 0.01);
    bench("box-box resting, turned 45 degrees", b, b, turned(0.1, 0.997, 0.05, about(Vec3::Y, 0.785)), 0.01);
    let edge = turned(1.2, 0.15, 0.1, about(Vec3::Z, 0.785) * about(Vec3::X, 0.785));
    bench(
        "box-box edges",
        b,
        b,
        above(b, b, Pose::new(edge.translation, about(Vec3::new(0.3, 1.0, 0.2), 0.7)), -0.005),
        0.01,
    );
    bench("box-box corner", b, b, above(b, b, turned(0.1, 1.2, 0.1, skew), -0.005), 0.01);
    bench("box-half-space resting", f, b, at(0.1, 0.497, 0.0), 0.01);
    bench("hull32-hull32 apart", r, t, above(r, t, turned(0.1, 1.2, 0.1, skew), 0.1), 0.01);
    bench("hull32-hull32 touching", r, t, above(r, t, turned(0.1, 1.2, 0.1, skew), -0.005), 0.01);
    bench("hull32-hull32 touching, other side", r, t, above(r, t, turned(0.7, -0.4, 0.6, skew), -0.005), 0.01);
    bench("hull10-hull10 touching", p, g, above(p, g, turned(0.1, 1.2, 0.1, skew), -0.005), 0.01);
    bench("box-hull32 touching", b, t, above(b, t, turned(0.1, 1.2, 0.1, skew), -0.005), 0.01);
    bench("triangle-box resting", tri, b, at(0.0, 0.497, 0.0), 0.01);
    bench("triangle-hull32 touching", tri, r, above(tri, r, at(0.0, 1.0, 0.0), -0.003), 0.01);
    bench("triangle-ball", tri, s, at(0.0, 0.497, 0.0), 0.01);
    bench("capsule-capsule crossed", c, c, turned(0.497, 0.1, 0.0, about(Vec3::X, 1.0)), 0.01);
    bench("capsule-capsule parallel", c, c, at(0.497, 0.1, 0.0), 0.01);
    bench("capsule-box lying", b, c, turned(0.0, 0.747, 0.0, about(Vec3::X, 1.5707963)), 0.01);
    bench("capsule-box apart", b, c, turned(0.0, 0.9, 0.0, about(Vec3::X, 1.2)), 0.01);
    bench("capsule-triangle lying", tri, c, turned(0.0, 0.247, 0.0, about(Vec3::X, 1.5707963)), 0.01);
    bench("capsule-hull32", r, c, above(r, c, turned(0.3, 1.0, 0.1, skew), -0.005), 0.01);
    bench("cylinder-half-space lying", f, d, turned(0.0, 0.497, 0.0, about(Vec3::X, 1.5707963)), 0.01);
    bench("cylinder-box lying", b, d, turned(0.0, 0.997, 0.0, about(Vec3::X, 1.5707963)), 0.01);
    bench("cylinder-box standing", b, d, at(0.1, 0.997, 0.0), 0.01);
    bench("cylinder-box apart", b, d, turned(0.1, 1.5, 0.0, skew), 0.01);
    bench("cylinder-cylinder stacked", d, d, at(0.1, 0.997, 0.0), 0.01);
    bench("cylinder-cylinder rims", d, d, above(d, d, turned(0.6, 1.0, 0.1, skew), -0.005), 0.01);
    bench("cone-box", b, k, above(b, k, turned(0.6, 1.0, 0.1, skew), -0.005), 0.01);
    let deep = turned(0.1, 0.5, 0.0, skew);
    bench("cylinder-box deep", b, d, deep, 0.01);
    if std::env::args().nth(1).is_some_and(|only| !only.starts_with("--")) {
        return;
    }
    let poses = sequence(above(r, t, turned(0.1, 1.2, 0.1, skew), 0.1));
    println!(
        "{:38} {:8.1} ns",
        "distance hull32-hull32",
        time(|i| {
            black_box(closest_points(r, t, &poses[i]));
        })
    );
    let fly = Motion {
        linear: Vec3::new(0.0, -5.0, 0.0),
        angular: Vec3::new(3.0, 1.0, 0.0),
        ..Motion::resting(at(0.1, 3.0, 0.0))
    };
    let rest = Motion::resting(Pose::IDENTITY);
    println!(
        "{:38} {:8.1} ns",
        "sweep box-box",
        time(|_| {
            black_box(sweep(b, b, &rest, &fly, 1.0, 0.005));
        })
    );
}
