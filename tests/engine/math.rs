//! Formulas 001-35, 001-36, 002-01..13, 003-01..05, T1 and T4 and D6 of 002: vectors, quaternions, matrices, poses, boxes.

use proptest::prelude::*;
use tumble::math::{Aabb, Float, Mat3, Num, Pose, Quat, Real, Sym3, Vec3, WorldPose};

/// One rounding in the precision of the crate.
const EPS: f64 = Real::EPSILON as f64;

fn vector(size: f64) -> impl Strategy<Value = Vec3<f64>> {
    prop::array::uniform3(-size..size).prop_map(Vec3::from)
}

fn unit() -> impl Strategy<Value = Vec3<f64>> {
    vector(1.0).prop_filter_map("a direction", |v| (v.length() > 0.1).then(|| v.try_normalize()).flatten())
}

fn any_quat() -> impl Strategy<Value = Quat<f64>> {
    prop::array::uniform4(-1.0..1.0).prop_map(Quat::from)
}

fn orientation() -> impl Strategy<Value = Quat<f64>> {
    any_quat().prop_filter_map("an orientation", |q| (q.dot(q) > 0.01).then(|| q.try_normalize()).flatten())
}

fn apart<T: Float>(a: Quat<T>, b: Quat<T>) -> f64 {
    let d = (a - b).to_f64();
    d.dot(d).sqrt()
}

/// Distance of two orientations, of which q and -q are the same one.
fn apart_turned<T: Float>(a: Quat<T>, b: Quat<T>) -> f64 {
    apart(a, b).min(apart(a, -b))
}

const I: Quat<f64> = Quat::new(1.0, 0.0, 0.0, 0.0);
const J: Quat<f64> = Quat::new(0.0, 1.0, 0.0, 0.0);
const K: Quat<f64> = Quat::new(0.0, 0.0, 1.0, 0.0);
const ONE: Quat<f64> = Quat::IDENTITY;

/// T1, eq 2.2 of 002: the table by which everything else is defined.
#[test]
fn quaternion_units_multiply_by_the_table() {
    assert_eq!([I * I, J * J, K * K, I * J * K], [-ONE; 4]);
    assert_eq!([I * J, J * K, K * I], [K, I, J]);
    assert_eq!([J * I, K * J, I * K], [-K, -I, -J]);
}

/// T1: the half angle (the thesis prints q = [cos f, v sin f], which turns by 2 f).
#[test]
fn quarter_turn_about_z_takes_x_to_y() {
    let q = Quat::from_axis_angle(Vec3::Z, core::f64::consts::FRAC_PI_2);
    assert!((q.rotate(Vec3::X) - Vec3::Y).length() < 1e-15);
    assert_eq!(Quat::from_axis_angle(Vec3::ZERO, 1.0_f64), Quat::IDENTITY);
}

proptest! {
    /// 002-03, 003-01: the product, distributed over the 16 pairs of units by the table; 001-36: its matrix form with the
    /// signs of the erratum.
    #[test]
    fn quaternion_product(a in any_quat(), b in any_quat(), c in any_quat()) {
        let units = [I, J, K, ONE];
        let mut sum = Quat::new(0.0, 0.0, 0.0, 0.0);
        for (x, u) in <[f64; 4]>::from(a).into_iter().zip(units) {
            for (y, v) in <[f64; 4]>::from(b).into_iter().zip(units) {
                sum = sum + (u * v).scaled(x * y);
            }
        }
        prop_assert!(apart(a * b, sum) < 1e-15);

        let Quat { x, y, z, w: s } = b;
        let rows = [[s, -x, -y, -z], [x, s, z, -y], [y, -z, s, x], [z, y, -x, s]];
        let p = [a.w, a.x, a.y, a.z];
        let m = rows.map(|row| (0..4).map(|i| row[i] * p[i]).sum::<f64>());
        prop_assert!(apart(a * b, Quat::new(m[1], m[2], m[3], m[0])) < 1e-15);

        prop_assert!(apart((a * b) * c, a * (b * c)) < 1e-14);
        prop_assert!((a.dot(a) * b.dot(b) - (a * b).dot(a * b)).abs() < 1e-14);
        prop_assert!(apart((a * b).conjugate(), b.conjugate() * a.conjugate()) < 1e-15);
    }

    /// T1, 002-07: q q⁻¹ = 1, at sizes whose squares are no numbers of single precision.
    #[test]
    fn quaternion_inverse(q in orientation(), exponent in -35..35_i32) {
        let size = Real::from_f64(10.0_f64.powi(exponent));
        let q = q.to_real().scaled(size);
        let inverse = q.try_inverse().expect("not zero");
        prop_assert!(apart(q * inverse, Quat::IDENTITY) < 8.0 * EPS);
        prop_assert!(apart(inverse * q, Quat::IDENTITY) < 8.0 * EPS);
        prop_assert!(q.try_normalize().expect("not zero").is_unit());
    }

    /// 002-09, 003-01: v' = q v q⁻¹, and both are the turn by Rodrigues' formula v cos f + a × v sin f + a (a·v)(1 - cos f).
    #[test]
    fn rotation_of_a_vector(axis in unit(), angle in -7.0..7.0f64, v in vector(10.0)) {
        let q = Quat::from_axis_angle(axis, angle);
        prop_assert!(q.is_unit());
        let sandwich = q * Quat::from_parts(v, 0.0) * q.conjugate();
        let rodrigues = v * angle.cos() + axis.cross(v) * angle.sin() + axis * (axis.dot(v) * (1.0 - angle.cos()));
        prop_assert!((q.rotate(v) - rodrigues).length() < 1e-13);
        prop_assert!((sandwich.vector() - rodrigues).length() < 1e-13 && sandwich.w.abs() < 1e-13);
        prop_assert!((q.unrotate(q.rotate(v)) - v).length() < 1e-13);
        prop_assert!((q.to_mat3() * v - rodrigues).length() < 1e-13);
    }

    /// `a * b` turns by b first; also as matrices.
    #[test]
    fn order_of_rotations(a in orientation(), b in orientation(), v in vector(1.0)) {
        prop_assert!(((a * b).rotate(v) - a.rotate(b.rotate(v))).length() < 1e-14);
        prop_assert!((a.to_mat3() * b.to_mat3() * v - (a * b).rotate(v)).length() < 1e-14);
    }

    /// 003-01: to a matrix and back, through all four branches: half turns (w = 0) have a trace of -1.
    #[test]
    fn matrix_round_trip(q in orientation(), zero in 0..5_usize) {
        let mut parts: [f64; 4] = q.into();
        if zero < 4 {
            parts[zero] = 0.0;
        }
        prop_assume!(parts.iter().map(|x| x * x).sum::<f64>() > 0.01);
        let q = Quat::from(parts).normalized();
        let m = q.to_mat3();
        prop_assert!(apart_turned(Quat::from_mat3(&m), q) < 1e-14);
        let identity = m * m.transpose();
        for (column, axis) in [(identity.x, Vec3::X), (identity.y, Vec3::Y), (identity.z, Vec3::Z)] {
            prop_assert!((column - axis).length() < 1e-14);
        }
        prop_assert!((m.determinant() - 1.0).abs() < 1e-14);
        // Single precision, whatever the crate's.
        let single = Quat::<f32>::new(q.x as f32, q.y as f32, q.z as f32, q.w as f32).normalized();
        prop_assert!(apart_turned(Quat::from_mat3(&single.to_mat3()), single) < 1e-6);
    }

    /// 002-11, 003-05: dq/dt = ½ ω q against a central difference of the exact motion (error of order h² |ω|³), against the
    /// matrix Q of 003-05, and in the body's frame against 001-36 with the signs of the erratum; dR/dt = skew(ω) R.
    #[test]
    fn derivative_of_an_orientation(q in orientation(), omega in vector(2.0)) {
        let h = 1e-5;
        let rate = q.derivative(omega);
        let difference = (q.advanced(omega, h) - q.advanced(omega, -h)).scaled(0.5 / h);
        prop_assert!(apart(rate, difference) < 1e-9);

        let Quat { x, y, z, w } = q;
        let o = omega;
        let by_matrix = |rows: [[f64; 3]; 4], o: Vec3<f64>| {
            let r = rows.map(|r| 0.5 * (r[0] * o.x + r[1] * o.y + r[2] * o.z));
            Quat::new(r[1], r[2], r[3], r[0])
        };
        let world = by_matrix([[-x, -y, -z], [w, z, -y], [-z, w, x], [y, -x, w]], o);
        prop_assert!(apart(rate, world) < 1e-14);
        let body = by_matrix([[-x, -y, -z], [w, -z, y], [z, w, -x], [-y, x, w]], q.unrotate(o));
        prop_assert!(apart(rate, body) < 1e-14);

        let (before, after) = (q.advanced(omega, -h).to_mat3(), q.advanced(omega, h).to_mat3());
        let turning = Mat3::skew(omega) * q.to_mat3();
        let difference = (after - before) * (0.5 / h);
        for (a, b) in [(turning.x, difference.x), (turning.y, difference.y), (turning.z, difference.z)] {
            prop_assert!((a - b).length() < 1e-8);
        }
    }

    /// 002-10: the increment is exact for every |ω| dt, from nothing to many turns; and
    /// q(t+dt) - q(t) = (-2 sin²(|ω|dt/4) + ω/|ω| sin(|ω|dt/2)) q(t).
    #[test]
    fn exact_increment(q in orientation(), axis in unit(), exponent in -40.0..2.0f64) {
        let angle = 10.0_f64.powf(exponent);
        let next = q.advanced(axis * angle, 1.0);
        prop_assert!(next.is_unit());
        let factor = Quat::from_parts(axis * (angle / 2.0).sin(), -2.0 * (angle / 4.0).sin().powi(2));
        // An angle of n radians is only known to n roundings.
        let tolerance = 1e-15 * (1.0 + angle);
        prop_assert!(apart(next - q, factor * q) < tolerance);
        // Where the change is below the rounding of q, its direction must still be right: the increment alone shows it.
        let step = Quat::from_rotation_vector(axis * angle);
        prop_assert!((step.vector() - axis * (angle / 2.0).sin()).length() <= 4.0 * f64::EPSILON * angle);

        let single = Quat::<f32>::from_rotation_vector(Vec3::new(axis.x as f32, axis.y as f32, axis.z as f32) * angle as f32);
        prop_assert!(apart(single.to_f64(), step) < 1e-6 * (1.0 + angle));
        prop_assert!(single.is_unit() || angle > 1e3);
    }

    /// The logarithm undoes the exponential up to half a turn, at any small size.
    #[test]
    fn rotation_vectors(axis in unit(), exponent in -40.0..0.49f64) {
        let v = axis * 10.0_f64.powf(exponent);
        let back = Quat::from_rotation_vector(v).to_rotation_vector();
        prop_assert!((back - v).length() <= 8.0 * f64::EPSILON * v.length().max(v.length() * v.length()));
        let q = Quat::from_rotation_vector(v);
        prop_assert!(((-q).to_rotation_vector() - back).length() == 0.0, "q and -q are one orientation");
    }

    /// D6, 002-12: constant angular speed at every angle, tiny ones and half turns included; the shorter way round.
    #[test]
    fn slerp_has_constant_speed(from in orientation(), axis in unit(), exponent in -12.0..0.49f64, t in 0.0..1.0f64) {
        let angle = 10.0_f64.powf(exponent);
        let to = Quat::from_axis_angle(axis, angle) * from;
        for to in [to, -to] {
            let at = from.slerp(to, t);
            prop_assert!(at.is_unit());
            prop_assert!((from.angle_to(at) - t * angle).abs() < 1e-15 * 8.0, "{} of {}", from.angle_to(at), t * angle);
            prop_assert!(apart_turned(from.slerp(to, 1.0), to) < 1e-15);
            prop_assert!(apart_turned(from.slerp(to, 0.0), from) < 1e-15);
        }
        let single = |q: Quat<f64>| Quat::<f32>::new(q.x as f32, q.y as f32, q.z as f32, q.w as f32).normalized();
        let at = single(from).slerp(single(to), t as f32);
        prop_assert!(apart_turned(at.to_f64(), from.slerp(to, t)) < 1e-6);
    }

    /// The shortest turn between directions, however near to opposite they are.
    #[test]
    fn shortest_turn(from in unit(), across in unit(), exponent in -18.0..0.4f64, obtuse in any::<bool>()) {
        let across = across.across(from);
        prop_assume!(across.length() > 0.1);
        let across = across.normalize_or(Vec3::ZERO);
        let small = 10.0_f64.powf(exponent);
        let along = if obtuse { -from } else { from };
        let to = (along * small.cos() + across * small.sin()).normalize_or(from);
        let q = Quat::between(from, to);
        prop_assert!(q.is_unit());
        prop_assert!((q.rotate(from) - to).length() < 1e-14);
        let angle = from.cross(to).length().atan2(from.dot(to));
        prop_assert!((q.to_rotation_vector().length() - angle).abs() < 1e-7, "no longer than it need be");

        let single = |v: Vec3<f64>| Vec3::new(v.x as f32, v.y as f32, v.z as f32).normalize_or(Vec3::X);
        let q = Quat::between(single(from), single(to));
        prop_assert!((q.rotate(single(from)) - single(to)).length() < 1e-6);
    }

    /// 001-35: a right-handed frame whose z axis is the normal.
    #[test]
    fn frame_from_a_normal(n in unit()) {
        for n in [n, Vec3::Z, -Vec3::Z, Vec3::new(0.0, 1.0, -0.0), Vec3::new(1e-9, 0.0, -1.0)] {
            let (x, y) = n.tangents();
            prop_assert!((x.cross(y) - n).length() < 1e-14);
            prop_assert!((x.length() - 1.0).abs() < 1e-14 && (y.length() - 1.0).abs() < 1e-14);
            prop_assert!(x.dot(y).abs() < 1e-14 && x.dot(n).abs() < 1e-14 && y.dot(n).abs() < 1e-14);
        }
    }

    /// 001-35, 003-04: the cross-product matrix; v = vₙ + v_t; what turns with a frame.
    #[test]
    fn cross_products(v in vector(10.0), w in vector(10.0), n in unit(), q in orientation()) {
        let skew = Mat3::skew(v);
        prop_assert_eq!(skew, Mat3::from_rows(
            Vec3::new(0.0, -v.z, v.y), Vec3::new(v.z, 0.0, -v.x), Vec3::new(-v.y, v.x, 0.0)));
        prop_assert!((skew * w - v.cross(w)).length() < 1e-13);
        prop_assert_eq!(skew.transpose(), -skew);
        prop_assert!((v.along(n) + v.across(n) - v).length() < 1e-13 && v.across(n).dot(n).abs() < 1e-13);
        prop_assert!((q.rotate(v).cross(q.rotate(w)) - q.rotate(v.cross(w))).length() < 1e-12);
        // skew(v)² = v vᵀ - |v|² 1, of which a point mass' inertia is the negative.
        let square = skew * skew * w;
        prop_assert!((square + Sym3::point_mass(v) * w).length() < 1e-11);
        prop_assert!((square - (v * v.dot(w) - w * v.dot(v))).length() < 1e-11);
        prop_assert!((Mat3::outer(v, w) * n - v * w.dot(n)).length() < 1e-12);
    }

    /// 003-02: points and directions between frames, composition and inverse; also through matrices.
    #[test]
    fn poses(a in orientation(), b in orientation(), s in vector(10.0), t in vector(10.0), p in vector(10.0)) {
        let a = Pose::new(s.to_real(), a.to_real());
        let b = Pose::new(t.to_real(), b.to_real());
        let p = p.to_real();
        // Coordinates up to 20, each with a few roundings.
        let near = |x: Vec3, y: Vec3| (x - y).length() < 40.0 * 8.0 * Real::EPSILON;
        prop_assert!(near((a * b).transform_point(p), a.transform_point(b.transform_point(p))));
        prop_assert!(near(a.inverse_transform_point(a.transform_point(p)), p));
        prop_assert!(near(a.inverse().transform_point(p), a.inverse_transform_point(p)));
        prop_assert!(near((a.inverse() * a).transform_point(p), p));
        prop_assert!(near((a * b).inverse().transform_point(p), (b.inverse() * a.inverse()).transform_point(p)));
        prop_assert!(near(a.transform_point(p), a.rotation.to_mat3() * p + a.translation));
        prop_assert!(near(a.transform_vector(p), a.transform_point(p) - a.translation));
        prop_assert!(near(a.inverse_transform_vector(a.transform_vector(p)), p));
    }

    /// The same relative pose near the origin and 100 km off it: only the rounding of the positions themselves is lost.
    #[test]
    fn poses_far_out(a in orientation(), b in orientation(), s in vector(10.0), t in vector(10.0), p in vector(1.0)) {
        let far = Vec3::new(1e5, -1e5, 1e5);
        let p = p.to_real();
        let (a0, b0) = (WorldPose::new(s, a.to_real()), WorldPose::new(t, b.to_real()));
        let (a1, b1) = (WorldPose::new(s + far, a.to_real()), WorldPose::new(t + far, b.to_real()));
        let (near, far) = (b0.relative_to(&a0), b1.relative_to(&a1));
        // Positions of 1e5 are rounded to 1e-11; from there on, the same computation.
        prop_assert!((near.translation - far.translation).length().to_f64() < 1e-10 + 64.0 * EPS);
        prop_assert_eq!(near.rotation, far.rotation);
        let through_world = a0.inverse_transform_point(b0.transform_point(p));
        prop_assert!((near.transform_point(p) - through_world).length() < 40.0 * 8.0 * Real::EPSILON);
        let back = a0 * near;
        prop_assert!((back.translation - b0.translation).length() < 40.0 * 8.0 * EPS);
        prop_assert!(apart_turned(back.rotation, b0.rotation) < 8.0 * EPS);
    }

    /// Inverses at the sizes of inertia: a cube of 1 mm has 1e-13 kg m², one of 100 m has 1e13; their determinants are no
    /// numbers of single precision.
    #[test]
    fn inverses_of_small_and_large(q in orientation(), d in vector(1.0), exponent in -25..25_i32) {
        let size = 10.0_f64.powi(exponent);
        let d = (d.abs() + Vec3::all(0.25)) * size;
        let s = Sym3::rotated_diagonal(&q.to_mat3(), d).to_real();
        let inverse = s.try_inverse().expect("regular");
        // Condition number 5.
        for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
            prop_assert!((inverse * (s * axis) - axis).length() < 64.0 * Real::EPSILON);
            let full = s.to_mat3().try_inverse().expect("regular");
            prop_assert!((full * (s * axis) - axis).length() < 64.0 * Real::EPSILON);
        }
        let flat = Sym3::rotated_diagonal(&Mat3::IDENTITY, Vec3::new(d.x, d.y, 0.0)).to_real();
        prop_assert!(flat.try_inverse().is_none() && flat.to_mat3().try_inverse().is_none());
    }

    /// 003-12: R S Rᵀ by three ways.
    #[test]
    fn turned_tensors(q in orientation(), d in vector(5.0), turn in orientation(), v in vector(1.0)) {
        let (r, t) = (q.to_mat3(), turn.to_mat3());
        let s = Sym3::rotated_diagonal(&r, d);
        let full = r * Mat3::diagonal(d) * r.transpose();
        prop_assert!((s * v - full * v).length() < 1e-13);
        prop_assert!((s.rotated(&t) * v - t * (full * t.transpose_mul(v))).length() < 1e-13);
        prop_assert!((Sym3::from_mat3(&full) * v - s * v).length() < 1e-13);
        prop_assert!((s.quadratic(v) - v.dot(full * v)).abs() < 1e-13);
        prop_assert!((s.rotated(&t).trace() - (d.x + d.y + d.z)).abs() < 1e-13);
    }

    /// 003-01b: Gram-Schmidt gives an orthonormal frame even from columns that are almost parallel.
    #[test]
    fn repair_of_frames(x in unit(), y in unit(), exponent in -12.0..0.0f64) {
        prop_assume!(y.across(x).length() > 0.1);
        let y = x + y * 10.0_f64.powf(exponent);
        let m = Mat3::from_columns(x * 3.0, y * 0.1, Vec3::ZERO).orthonormalized().expect("a plane");
        let identity = m.transpose() * m;
        for (column, axis) in [(identity.x, Vec3::X), (identity.y, Vec3::Y), (identity.z, Vec3::Z)] {
            prop_assert!((column - axis).length() < 1e-14);
        }
        prop_assert!((m.x - x).length() < 1e-15 && m.y.dot(y) >= 0.0);
        prop_assert!(Mat3::from_columns(x, x * 2.0, y).orthonormalized().is_none());
    }

    /// Rays against boxes, by the definition: the first t at which every coordinate lies between the faces. Many of the rays
    /// run along an axis or start on a face, where 0 · ∞ lurks.
    #[test]
    fn rays_into_boxes(origin in prop::array::uniform3(-2..=2_i32), direction in prop::array::uniform3(-2..=2_i32),
                       endless in any::<bool>()) {
        let (origin, d) = (Vec3::from(origin.map(|x| x as Real)), Vec3::from(direction.map(|x| x as Real)));
        let b = Aabb::new(Vec3::all(-1.0), Vec3::all(1.0));
        let max = if endless { Real::INFINITY } else { 4.0 };
        // Entries and exits lie at multiples of a half; try these, and what lies between.
        let expected = (0..=64).map(|k| k as Real / 16.0).find(|&t| b.contains_point(origin + d * t));
        let found = b.ray_entry(origin, Vec3::new(1.0 / d.x, 1.0 / d.y, 1.0 / d.z), max);
        prop_assert_eq!(found, expected);
    }

    /// A box about a place in the world holds the place, however far out, and no more than one rounding beyond.
    #[test]
    fn boxes_round_outwards(centre in vector(1e8), half in vector(2.0)) {
        let half = half.abs().to_real();
        let b = Aabb::around(centre, half);
        let moved = Aabb::new(-half, half).moved_to(centre);
        prop_assert_eq!(b, moved);
        let (lo, hi) = (centre - half.to_f64(), centre + half.to_f64());
        for i in 0..3 {
            prop_assert!(b.min[i].to_f64() <= lo[i] && hi[i] <= b.max[i].to_f64());
            let grid = EPS * centre[i].abs().max(4.0);
            prop_assert!(lo[i] - b.min[i].to_f64() <= grid && b.max[i].to_f64() - hi[i] <= grid);
        }
    }
}

/// T4 of 002, at the level of quaternions: after 10⁵ exact increments the length is 1 and the angle |ω| t.
#[test]
fn a_long_spin_keeps_its_length_and_its_angle() {
    fn spin<T: Float>(steps: u32) -> (f64, f64) {
        let omega = Vec3::new(T::from_f64(0.6), T::from_f64(0.8), T::ZERO) * T::from_f64(5.0);
        let dt = T::from_f64(1.0 / 64.0);
        let mut q = Quat::<T>::IDENTITY;
        for _ in 0..steps {
            q = q.advanced(omega, dt);
        }
        let angle = omega.to_f64().length() * dt.to_f64() * f64::from(steps);
        let exact = Quat::from_rotation_vector(omega.to_f64() * dt.to_f64() * f64::from(steps));
        assert!(angle > 7000.0);
        let length = q.to_f64().dot(q.to_f64()).sqrt();
        (length - 1.0, exact.angle_to(q.to_f64().normalized()))
    }
    // The increment is rounded once and for all, so its error adds up: at most one rounding of an angle of 0.08 per step, and
    // a random walk of the product's roundings.
    for (length, angle, eps) in [(spin::<f32>(100_000), f32::EPSILON as f64), (spin::<f64>(100_000), f64::EPSILON)]
        .map(|((length, angle), eps)| (length, angle, eps))
    {
        assert!(length.abs() < 4.0 * eps, "length off by {length}");
        assert!(angle < 1e5 * 0.1 * eps + 1e3 * eps, "angle off by {angle}");
    }
}

/// D6: half way is 45 degrees by the chord and by the arc; a quarter of the way is 22.5 degrees by the arc alone.
#[test]
fn slerp_against_lerp() {
    let (a, b) = (Quat::IDENTITY, Quat::from_axis_angle(Vec3::Z, f64::PI / 2.0));
    let degrees = |q: Quat<f64>| a.angle_to(q).to_degrees();
    let chord = |t: f64| (a.scaled(1.0 - t) + b.scaled(t)).normalized();
    assert!((degrees(a.slerp(b, 0.5)) - 45.0).abs() < 1e-13);
    assert!((degrees(chord(0.5)) - 45.0).abs() < 1e-13);
    assert!((degrees(a.slerp(b, 0.25)) - 22.5).abs() < 1e-13);
    assert!((degrees(chord(0.25)) - 22.5).abs() > 0.5);
}

/// 002-06: both predicates.
#[test]
fn unit_and_pure_quaternions() {
    let q = Quat::from_axis_angle(Vec3::new(1.0, 2.0, 3.0), 0.7_f64);
    assert!(q.is_unit() && !q.is_unit_pure() && !q.scaled(1.001).is_unit());
    assert!(J.is_unit_pure() && !J.scaled(2.0).is_unit_pure());
}

/// Turns of any size that is a number give an orientation; what is not a number turns nothing.
#[test]
fn extreme_rotation_vectors() {
    for size in [Real::MIN_POSITIVE, 1e-30, 1e10, 1e20, Real::MAX] {
        let q = Quat::from_rotation_vector(Vec3::new(size, -size, size));
        assert!(q.is_unit(), "{size} gives {q:?}");
    }
    assert_eq!(Quat::from_rotation_vector(Vec3::new(Real::NAN, 0.0, 0.0)), Quat::IDENTITY);
    assert_eq!(Quat::from_rotation_vector(Vec3::new(Real::INFINITY, 0.0, 0.0)), Quat::IDENTITY);
    assert_eq!(Quat::<Real>::new(0.0, 0.0, 0.0, 0.0).try_normalize(), None);
    assert_eq!(Quat::<Real>::new(0.0, 0.0, 0.0, 0.0).try_inverse(), None);
    assert_eq!(Quat::new(Real::NAN, 0.0, 0.0, 0.0).try_normalize(), None);
    assert_eq!(Quat::new(0.0, Real::INFINITY, 0.0, 0.0).try_inverse(), None);
}

/// Directions of vectors whose length, or its square, is no number.
#[test]
fn directions_at_any_size() {
    for size in [Real::from_bits(1), Real::MIN_POSITIVE, 1e-30, 1.0, 1e30, Real::MAX] {
        let v = Vec3::new(size, -size, 0.0).try_normalize().expect("a direction");
        assert!((v - Vec3::new(1.0, -1.0, 0.0) * Real::from_f64(0.5_f64.sqrt())).length() < 4.0 * Real::EPSILON);
    }
    for none in [Vec3::ZERO, Vec3::new(Real::NAN, 1.0, 0.0), Vec3::new(0.0, Real::INFINITY, 0.0)] {
        assert_eq!(none.try_normalize(), None);
        assert_eq!(none.normalize_or(Vec3::Y), Vec3::Y);
    }
    assert_eq!(Vec3::new(1.0, -3.0, 2.0).largest_axis(), 1);
    assert_eq!(Vec3::new(2.0, -2.0, 2.0).largest_axis(), 0);
}

/// 002-28: boxes that touch overlap; unions, distances and middles.
#[test]
fn boxes() {
    let a = Aabb::new(Vec3::ZERO, Vec3::all(1.0));
    assert!(a.overlaps(&Aabb::new(Vec3::X, Vec3::all(2.0))));
    assert!(!a.overlaps(&Aabb::new(Vec3::X * (1.0 + Real::EPSILON), Vec3::all(2.0))));
    assert!(!a.overlaps(&Aabb::EMPTY) && a.overlaps(&Aabb::EVERYTHING));
    assert_eq!(a.union(&Aabb::EMPTY), a);
    assert_eq!(Aabb::of_points([Vec3::X, Vec3::Y, Vec3::Z]), a);
    assert!(a.contains(&a) && a.expanded(0.5).contains(&a) && !a.contains(&a.expanded(0.5)));
    assert_eq!(a.distance_squared(Vec3::new(2.0, 3.0, 0.5)), 5.0);
    assert_eq!(a.distance_squared(Vec3::all(0.5)), 0.0);
    assert_eq!((a.centre(), a.half_extents(), a.surface_area()), (Vec3::all(0.5), Vec3::all(0.5), 6.0));
    let huge = Aabb::new(Vec3::all(-Real::MAX), Vec3::all(Real::MAX));
    assert_eq!((huge.centre(), huge.half_extents()), (Vec3::ZERO, Vec3::all(Real::MAX)));
}

/// The minimum and maximum that vectors, lanes and scalars share: the second operand where the comparison is false.
#[test]
fn minimum_and_maximum() {
    assert_eq!(Num::min(0.0_f64, -0.0).to_bits(), (-0.0_f64).to_bits());
    assert_eq!(Num::max(-0.0_f64, 0.0).to_bits(), 0.0_f64.to_bits());
    assert_eq!(Num::min(f64::NAN, 1.0), 1.0);
    assert!(Num::min(1.0, f64::NAN).is_nan());
    assert_eq!(Vec3::new(1.0, 5.0, 3.0).min(Vec3::new(2.0, 4.0, 3.0)), Vec3::new(1.0, 4.0, 3.0));
}
