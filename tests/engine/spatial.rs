//! 001-37: spatial algebra. Every statement here is about physics (power, energy, momentum of particles), not about matrices.

use proptest::prelude::*;
use tumble::math::spatial::{ArticulatedInertia, Motion, SpatialInertia, Transform, Wrench};
use tumble::math::{Float, Isa, Kernel, LANES, Lane, Pose, Quat, Real, Sym3, Vec3, dense};

fn vector(size: f64) -> impl Strategy<Value = Vec3<f64>> {
    prop::array::uniform3(-size..size).prop_map(Vec3::from)
}

fn motion() -> impl Strategy<Value = Motion<f64>> {
    (vector(2.0), vector(2.0)).prop_map(|(a, l)| Motion::new(a, l))
}

fn wrench() -> impl Strategy<Value = Wrench<f64>> {
    (vector(2.0), vector(2.0)).prop_map(|(t, f)| Wrench::new(t, f))
}

fn transform() -> impl Strategy<Value = Transform<f64>> {
    (prop::array::uniform4(-1.0..1.0f64), vector(3.0))
        .prop_filter("a rotation", |(q, _)| Quat::from(*q).dot(Quat::from(*q)) > 0.01)
        .prop_map(|(q, t)| Transform::new(Quat::from(q).normalized().to_mat3(), t))
}

/// Particles: mass and place.
fn cloud() -> impl Strategy<Value = Vec<(f64, Vec3<f64>)>> {
    prop::collection::vec((0.1..2.0f64, vector(1.0)), 4..8)
}

/// The inertia of a cloud by definition: Σ m [[S(x), x×], [-x×, 1]].
fn inertia_of(cloud: &[(f64, Vec3<f64>)]) -> SpatialInertia<f64> {
    cloud.iter().fold(SpatialInertia::ZERO, |sum, &(m, x)| sum + SpatialInertia::about_centre(m, x, Sym3::ZERO))
}

/// Largest difference of components.
fn apart(a: [f64; 6], b: [f64; 6]) -> f64 {
    (0..6).map(|i| (a[i] - b[i]).abs()).fold(0.0, f64::max)
}

fn apart_inertia(a: ArticulatedInertia<f64>, b: ArticulatedInertia<f64>) -> f64 {
    let (a, b) = (a.to_rows(), b.to_rows());
    (0..6).map(|i| apart(a[i], b[i])).fold(0.0, f64::max)
}

/// Coordinates of order 10, products of order 100, a few dozen roundings.
const NEAR: f64 = 1e-12;

proptest! {
    /// Power does not depend on who looks; transforms undo and compose.
    #[test]
    fn power_is_the_same_in_every_frame(x in transform(), y in transform(), m in motion(), w in wrench()) {
        prop_assert!((x.transform_motion(m).dot(x.transform_wrench(w)) - m.dot(w)).abs() < NEAR);
        prop_assert_eq!(m.dot(w), w.dot(m));
        prop_assert!(apart(x.inverse_transform_motion(x.transform_motion(m)).to_array(), m.to_array()) < NEAR);
        prop_assert!(apart(x.inverse_transform_wrench(x.transform_wrench(w)).to_array(), w.to_array()) < NEAR);
        prop_assert!(apart(x.inverse().transform_motion(m).to_array(), x.inverse_transform_motion(m).to_array()) < NEAR);
        prop_assert!(apart(x.inverse().transform_wrench(w).to_array(), x.inverse_transform_wrench(w).to_array()) < NEAR);
        let both = x * y;
        prop_assert!(apart(both.transform_motion(m).to_array(), x.transform_motion(y.transform_motion(m)).to_array()) < NEAR);
        prop_assert!(apart(both.transform_wrench(w).to_array(), x.transform_wrench(y.transform_wrench(w)).to_array()) < NEAR);
    }

    /// The matrix of 001-37: X_FG = [[R, 0], [-r× R, R]], R from F to G, r from F's origin to G's in G's coordinates; it
    /// serves motions [ω; v] and wrenches [f; τ] alike.
    #[test]
    fn one_matrix_for_both(x in transform(), m in motion(), w in wrench()) {
        let (r_matrix, r) = (x.rotation, -x.translation);
        let apply = |top: Vec3<f64>, bottom: Vec3<f64>| (r_matrix * top, r_matrix * bottom - r.cross(r_matrix * top));
        let (angular, linear) = apply(m.angular, m.linear);
        prop_assert!(apart(x.transform_motion(m).to_array(), Motion::new(angular, linear).to_array()) < NEAR);
        let (force, torque) = apply(w.force, w.torque);
        prop_assert!(apart(x.transform_wrench(w).to_array(), Wrench::new(torque, force).to_array()) < NEAR);
    }

    /// What the parts mean: velocities of points and moments of forces agree in both frames.
    #[test]
    fn points_and_forces(x in transform(), m in motion(), p in vector(2.0), f in vector(2.0), axis in vector(1.0)) {
        let moved = x.transform_motion(m).velocity_at(x.transform_point(p));
        prop_assert!((moved - x.rotation * m.velocity_at(p)).length() < NEAR);
        let there = Wrench::at(x.rotation * f, x.transform_point(p));
        prop_assert!(apart(x.transform_wrench(Wrench::at(f, p)).to_array(), there.to_array()) < NEAR);
        prop_assert!((m.dot(Wrench::at(f, p)) - m.velocity_at(p).dot(f)).abs() < NEAR);
        prop_assert!(Motion::turning(axis, p).velocity_at(p).length() < NEAR);
        prop_assert_eq!(Motion::sliding(f).velocity_at(p), f);
        prop_assert!((m.dot(Wrench::turning(f)) - m.angular.dot(f)).abs() < NEAR);
    }

    /// The cross products: skew, (v ×*) = -(v ×)ᵀ, Jacobi's identity, the same in every frame.
    #[test]
    fn cross_products(x in transform(), u in motion(), v in motion(), m in motion(), w in wrench()) {
        prop_assert_eq!(v.cross(v), Motion::ZERO);
        prop_assert!((m.dot(v.cross_wrench(w)) + v.cross(m).dot(w)).abs() < NEAR);
        let jacobi = u.cross(v.cross(m)) + v.cross(m.cross(u)) + m.cross(u.cross(v));
        prop_assert!(apart(jacobi.to_array(), [0.0; 6]) < NEAR);
        let (xv, xm, xw) = (x.transform_motion(v), x.transform_motion(m), x.transform_wrench(w));
        prop_assert!(apart(x.transform_motion(v.cross(m)).to_array(), xv.cross(xm).to_array()) < 10.0 * NEAR);
        prop_assert!(apart(x.transform_wrench(v.cross_wrench(w)).to_array(), xv.cross_wrench(xw).to_array()) < 10.0 * NEAR);
    }

    /// v × m is the rate at which an axis m, fixed to a body that moves with v, changes: a central difference over the body's
    /// exact motion (a screw), whose error is of order h².
    #[test]
    fn cross_product_is_a_rate(v in motion(), m in motion(), w in wrench()) {
        let h = 1e-4;
        let after = |t: f64| {
            // A screw to second order: p' = v + ω × p, p(0) = 0.
            let rotation = Quat::from_rotation_vector(v.angular * t).to_mat3();
            Transform::new(rotation, v.linear * t + v.angular.cross(v.linear) * (0.5 * t * t))
        };
        let rate = (after(h).transform_motion(m) - after(-h).transform_motion(m)) * (0.5 / h);
        prop_assert!(apart(rate.to_array(), v.cross(m).to_array()) < 1e-6);
        let rate = (after(h).transform_wrench(w) - after(-h).transform_wrench(w)) * (0.5 / h);
        prop_assert!(apart(rate.to_array(), v.cross_wrench(w).to_array()) < 1e-6);
    }

    /// Momentum and energy of a body are those of its particles, in every frame; the transform of an inertia is the inertia
    /// of the transformed particles, which is the parallel axis theorem.
    #[test]
    fn inertia_is_that_of_the_particles(x in transform(), cloud in cloud(), v in motion()) {
        let body = inertia_of(&cloud);
        let mut momentum = Wrench::ZERO;
        let mut energy = 0.0;
        for &(mass, at) in &cloud {
            let velocity = v.velocity_at(at);
            momentum += Wrench::at(velocity * mass, at);
            energy += 0.5 * mass * velocity.dot(velocity);
        }
        prop_assert!(apart((body * v).to_array(), momentum.to_array()) < 10.0 * NEAR);
        prop_assert!((body.kinetic_energy(v) - energy).abs() < 10.0 * NEAR);

        let there = x.transform_inertia(body);
        let moved: Vec<_> = cloud.iter().map(|&(mass, at)| (mass, x.transform_point(at))).collect();
        prop_assert!(apart_inertia(there.into(), inertia_of(&moved).into()) < 100.0 * NEAR);
        prop_assert!((there.kinetic_energy(x.transform_motion(v)) - energy).abs() < 100.0 * NEAR);
        let carried = x.transform_wrench(body * v);
        prop_assert!(apart((there * x.transform_motion(v)).to_array(), carried.to_array()) < 100.0 * NEAR);

        // I_O = I_c + m (|c|² 1 - c cᵀ), by way of the centre of mass.
        let centre = body.centre().expect("mass");
        let about = Transform::from_translation(-centre).transform_inertia(body);
        prop_assert!(about.moment.length() < NEAR);
        let again = SpatialInertia::about_centre(body.mass, centre, about.inertia);
        prop_assert!(apart_inertia(again.into(), body.into()) < 10.0 * NEAR);
    }

    /// The equation of motion without force, I a + v ×* I v = 0: the centre of mass has no acceleration, and Euler's equation
    /// I_c α = -ω × I_c ω holds about it (003-06).
    #[test]
    fn free_motion(cloud in cloud(), v in motion()) {
        let body = inertia_of(&cloud);
        let centre = body.centre().expect("mass");
        let about = Transform::from_translation(-centre).transform_inertia(body).inertia;
        prop_assume!(about.eigen().0.x > 1e-2);
        let a = ArticulatedInertia::from(body).solve(-body.bias(v));
        prop_assert!(a.acceleration_at(v, centre).length() < 1e-9);
        let euler = about * a.angular + v.angular.cross(about * v.angular);
        prop_assert!(euler.length() < 1e-9);
    }

    /// 003-03: a_P = a + α × r + ω × (ω × r), r from a body-fixed point of acceleration a.
    #[test]
    fn acceleration_of_points(v in motion(), a in motion(), q in vector(2.0), p in vector(2.0)) {
        let r = p - q;
        let expected = a.acceleration_at(v, q) + a.angular.cross(r) + v.angular.cross(v.angular.cross(r));
        prop_assert!((a.acceleration_at(v, p) - expected).length() < NEAR);
    }

    /// Articulated inertia: as a rigid one where nothing gives way; the congruence keeps energy; it is symmetric to the bit.
    #[test]
    fn articulated_inertia_in_every_frame(x in transform(), cloud in cloud(), s in motion(), v in motion()) {
        let body = inertia_of(&cloud);
        let rigid = ArticulatedInertia::from(body);
        prop_assert!(apart((rigid * v).to_array(), (body * v).to_array()) < NEAR);
        prop_assert!(apart_inertia(x.transform_articulated(rigid), x.transform_inertia(body).into()) < 100.0 * NEAR);
        prop_assume!(s.dot(rigid * s) > 0.1);
        let a = rigid.without(s).expect("resists");
        let there = x.transform_articulated(a);
        let xv = x.transform_motion(v);
        prop_assert!((xv.dot(there * xv) - v.dot(a * v)).abs() < 1000.0 * NEAR);
        prop_assert!(apart((there * xv).to_array(), x.transform_wrench(a * v).to_array()) < 1000.0 * NEAR);
        let back = x.inverse().transform_articulated(there);
        prop_assert!(apart_inertia(back, a) < 1000.0 * NEAR);
        let rows = there.to_rows();
        for i in 0..6 {
            for j in 0..6 {
                prop_assert_eq!(rows[i][j], rows[j][i]);
            }
        }
    }

    /// Joints that give way one after the other are the Schur complement of all at once, in any order; along them nothing is felt.
    #[test]
    fn elimination(cloud in cloud(), s in prop::array::uniform3(motion()), order in Just([0, 1, 2]).prop_shuffle()) {
        let rigid = ArticulatedInertia::from(inertia_of(&cloud));
        let d: [[f64; 3]; 3] = core::array::from_fn(|i| core::array::from_fn(|j| s[i].dot(rigid * s[j])));
        let Some(inverse) = dense::Lu::new(&d) else { return Ok(()) };
        let values = dense::Svd::new(&d).values();
        let (least, most) = values.iter().fold((f64::INFINITY, 0.0), |(l, m), &v| (v.min(l), v.max(m)));
        prop_assume!(least > 1e-2);
        let mut left = rigid;
        for k in order {
            left = left.without(s[k]).expect("resists");
        }
        let rows = rigid.to_rows();
        let u = s.map(|s| (rigid * s).to_array());
        let mut schur = rows;
        for j in 0..6 {
            let y = inverse.solve([u[0][j], u[1][j], u[2][j]]);
            for i in 0..6 {
                schur[i][j] -= u[0][i] * y[0] + u[1][i] * y[1] + u[2][i] * y[2];
            }
        }
        // What is taken away is of the size |u|² / d; its roundings grow with the condition of d.
        let size = u.as_flattened().iter().map(|x| x * x).sum::<f64>() / least * (most / least);
        for k in 0..3 {
            prop_assert!(apart((left * s[k]).to_array(), [0.0; 6]) < 1e-14 * size);
        }
        let left = left.to_rows();
        for i in 0..6 {
            prop_assert!(apart(left[i], schur[i]) < 1e-14 * size);
        }
    }

    /// The acceleration under a wrench, and the same in another unit of length (a power of two: to the bit but for a few
    /// roundings of the right-hand side) and another frame; also where whole directions have no inertia.
    #[test]
    fn solving_for_accelerations(x in transform(), cloud in cloud(), w in wrench(), s in motion(), exponent in -12..12_i32) {
        let body = ArticulatedInertia::from(inertia_of(&cloud));
        prop_assume!(body.angular.eigen().0.x > 0.1 && s.dot(body * s) > 0.1);
        let a = body.solve(w);
        prop_assert!(apart((body * a).to_array(), w.to_array()) < 1e-10);
        let there = x.transform_articulated(body).solve(x.transform_wrench(w));
        prop_assert!(apart(there.to_array(), x.transform_motion(a).to_array()) < 1e-9);

        let singular = body.without(s).expect("resists");
        // A wrench that the rest can answer.
        let w = singular * Motion::new(w.torque, w.force);
        let a = singular.solve(w);
        prop_assert!(apart((singular * a).to_array(), w.to_array()) < 1e-10);
        let unit = 2.0_f64.powi(exponent);
        let scaled = ArticulatedInertia {
            angular: singular.angular * (unit * unit),
            coupling: singular.coupling * unit,
            linear: singular.linear,
        };
        let b = scaled.solve(Wrench::new(w.torque * (unit * unit), w.force * unit));
        prop_assert!(apart(Motion::new(b.angular, b.linear * (1.0 / unit)).to_array(), a.to_array()) < 1e-9);
    }
}

/// A free rod pushed across at its end: seen from there it has a quarter of its mass.
#[test]
fn a_rod_at_its_end() {
    let (m, l) = (8.0_f64, 3.0);
    let across = m * l * l / 12.0;
    let rod = SpatialInertia::about_centre(m, Vec3::X * (l / 2.0), Sym3::diagonal(Vec3::new(0.0, across, across)));
    let hinge = Motion::turning(Vec3::Z, Vec3::ZERO);
    let end = ArticulatedInertia::from(rod).without(hinge).expect("resists");
    let felt = end * Motion::sliding(Vec3::Y);
    assert!((felt.force - Vec3::Y * (m / 4.0)).length() < 1e-14);
    assert!((end * Motion::sliding(Vec3::X)).force.x == m);
}

/// A point has no inertia of rotation: a torque on it gives no rotation instead of an infinite one; a joint without inertia
/// cannot be eliminated.
#[test]
fn where_nothing_resists() {
    let point = ArticulatedInertia::from(SpatialInertia::about_centre(2.0 as Real, Vec3::ZERO, Sym3::ZERO));
    let a = point.solve(Wrench::new(Vec3::X, Vec3::new(4.0, 0.0, 0.0)));
    assert_eq!(a, Motion::new(Vec3::ZERO, Vec3::new(2.0, 0.0, 0.0)));
    assert_eq!(point.without(Motion::new(Vec3::X, Vec3::ZERO)), None);
    assert_eq!(ArticulatedInertia::<Real>::ZERO.solve(Wrench::new(Vec3::X, Vec3::Y)), Motion::ZERO);
    assert_eq!(SpatialInertia::<Real>::ZERO.centre(), None);
    assert!(!Motion::new(Vec3::X * Real::NAN, Vec3::ZERO).is_finite());
}

/// A pose and its transform take points to the same place.
#[test]
fn transforms_of_poses() {
    let pose = Pose::new(Vec3::new(1.0, 2.0, 3.0), Quat::from_axis_angle(Vec3::new(1.0, 1.0, 0.0), 0.8));
    let p = Vec3::new(-0.5, 0.25, 2.0);
    let difference = Transform::from(pose).transform_point(p) - pose.transform_point(p);
    assert!(difference.length() < 16.0 * Real::EPSILON);
    assert_eq!(Transform::<Real>::default().transform_point(p), p);
}

/// The algebra in lanes: trees side by side give the bits of trees alone.
#[test]
fn trees_side_by_side() {
    #[derive(Clone)]
    struct Chain;
    impl Kernel for Chain {
        type Output = Vec<Real>;
        #[inline(always)]
        fn run<L: Lane>(self) -> Vec<Real> {
            let numbers: [Real; LANES] = core::array::from_fn(|i| 0.5 + Real::from_f64(0.37 * i as f64).sin());
            let mut out = Vec::new();
            for i in (0..LANES).step_by(L::WIDTH) {
                let n = L::load(&numbers[i..]);
                let half = L::splat(0.5);
                let q = Quat::new(n, half, n * half, L::ONE).normalized();
                let x = Transform::new(q.to_mat3(), Vec3::new(n, L::ONE, half));
                let rod =
                    SpatialInertia::about_centre(L::ONE, Vec3::X * half, Sym3::diagonal(Vec3::new(n * n, half, half)));
                let mut a = ArticulatedInertia::from(rod);
                let s = Motion::new(Vec3::Z, Vec3::ZERO);
                for _ in 0..5 {
                    let u = a * s;
                    a = x.transform_articulated(a.reduced(u, L::ONE / s.dot(u))) + rod.into();
                }
                let w = a * Motion::new(Vec3::new(n, half, n), Vec3::Y);
                for lane in 0..L::WIDTH {
                    out.extend(w.to_array().map(|x| x.lane(lane)));
                }
            }
            out
        }
    }
    let alone = Isa::SCALAR.dispatch(Chain);
    for isa in Isa::available() {
        assert_eq!(isa.dispatch(Chain), alone, "{isa:?}");
    }
    assert!(alone.iter().all(|x| x.is_finite()));
}
