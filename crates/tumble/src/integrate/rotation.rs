//! The rotation of a body on which no torque acts, to rounding of the angular momentum and with bounded error of the energy.
//!
//! With principal moments I₁, I₂, I₃ and the angular momentum L (constant in the world, turning in the body), the energy is
//!
//! ```text
//!   H = Σ Lᵢ²/2Iᵢ = |L|²/2I₂ + c₁ L₁²/2 + c₃ L₃²/2,     c₁ = 1/I₁ - 1/I₂,  c₃ = 1/I₃ - 1/I₂
//! ```
//!
//! The first term turns the body about L in the world by |L| t / I₂ and commutes with the others. The second and third turn
//! L about the body axes 1 and 3, by c₁ L₁ t and c₃ L₃ t. Each flow alone is a rotation and known exactly; they are
//! composed symmetrically (Blanes and Moan 2002, order 4, six stages), so |L| and its direction in the world are kept to
//! rounding, and the energy swings about its true value without drifting. With I₂ the middle moment, the error is
//! proportional to c₁ c₃, which vanishes for a body with an axis of symmetry: a top is exact at any speed.
//!
//! Fassò, "Comparison of splitting algorithms for the rigid body", J. Comput. Phys. 189 (2003).

use crate::body::store::{Params, Rest, Velocity};
use crate::math::{Float, Quat, Real, Vec3};

/// Share by which the largest moment must exceed the smallest for the gyroscopic torque to matter.
const ANISOTROPY: f64 = 1e-5;

/// Largest turn of L in the body, in radians, that one composition may make. At 1 the energy errs by about 1e-4.
const LARGEST_ANGLE: f64 = 1.0;

/// Coefficients of the composition: half of a palindrome, flows about axis 3 and axis 1 in turn.
const A: [f64; 4] = [
    0.079_203_696_431_195_7,
    0.353_172_906_049_774,
    -0.042_065_080_357_719_5,
    1.0 - 2.0 * (0.079_203_696_431_195_7 + 0.353_172_906_049_774 - 0.042_065_080_357_719_5),
];
const B: [f64; 3] =
    [0.209_515_106_613_362, -0.143_851_773_179_818, 0.5 - (0.209_515_106_613_362 - 0.143_851_773_179_818)];

/// The gyroscopic torque of a body with these inverse principal moments is worth computing.
pub(crate) fn spins_freely(inv_inertia: Vec3) -> bool {
    let (lo, hi) = (inv_inertia.min_component(), inv_inertia.max_component());
    lo > 0.0 && (hi - lo).to_f64() > ANISOTROPY * hi.to_f64()
}

/// Angular momentum about the centre of mass in world axes, with what rounding carried over.
pub(crate) fn angular_momentum(rotation: Quat, omega: Vec3, carry: Vec3, params: &Params) -> Vec3<f64> {
    momentum_in(principal_frame(rotation, params), omega, carry, moments(params))
}

fn momentum_in(frame: Quat<f64>, omega: Vec3, carry: Vec3, moments: Vec3<f64>) -> Vec3<f64> {
    frame.rotate(frame.unrotate(omega.to_f64()).scale(moments)) + carry.to_f64()
}

/// Turns the body by `dt` without torque. Sets the angular velocity to what L is at the new orientation, and the carry to
/// what its rounding loses.
pub(crate) fn turn_freely(rotation: &mut Quat, velocity: &mut Velocity, rest: &mut Rest, params: &Params, dt: Real) {
    let (turned, omega, momentum) = turned(*rotation, velocity.angular, rest.carry, params, dt);
    (*rotation, velocity.angular) = (turned, omega);
    rest.carry = (momentum - angular_momentum(turned, omega, Vec3::ZERO, params)).to_real();
}

/// The angular velocity after `dt` without torque.
///
/// A body with an axis of symmetry s, and the moment I about all axes across it, turns about L as a whole:
///
/// ```text
///   L = I ω + (I_s - I) (s·ω) s        s' = exp(L dt / I) s        ω' = L/I + (1/I_s - 1/I) (s·L) s'
/// ```
pub(crate) fn turning_freely(rotation: Quat, omega: Vec3, carry: Vec3, params: &Params, dt: Real) -> Vec3 {
    let Some(axis) = axis_of_symmetry(params.inv_inertia) else {
        return turned(rotation, omega, carry, params, dt).1;
    };
    let mut s = Vec3::ZERO;
    s[axis] = 1.0;
    let s: Vec3<f64> = (rotation.to_f64() * params.axes.to_f64()).normalized().rotate(s);
    let (along, across) = (params.inv_inertia[axis].to_f64(), params.inv_inertia[(axis + 1) % 3].to_f64());
    let (moment_along, moment, omega) = (1.0 / along, 1.0 / across, omega.to_f64());
    let momentum = omega * moment + s * ((moment_along - moment) * s.dot(omega)) + carry.to_f64();
    let turns = momentum * across;
    let then = Quat::from_rotation_vector(turns * dt.to_f64()).rotate(s);
    (turns + then * ((along - across) * s.dot(momentum))).to_real()
}

/// The number of the principal axis across which all moments are the same.
fn axis_of_symmetry(inv_inertia: Vec3) -> Option<usize> {
    (0..3).find(|&axis| inv_inertia[(axis + 1) % 3] == inv_inertia[(axis + 2) % 3])
}

/// Orientation and ω after `dt` without torque, and L.
fn turned(rotation: Quat, omega: Vec3, carry: Vec3, params: &Params, dt: Real) -> (Quat, Vec3, Vec3<f64>) {
    let dt = dt.to_f64();
    let moment = moments(params);
    let mut frame = principal_frame(rotation, params);
    let momentum = momentum_in(frame, omega, carry, moment);
    let mut l = frame.unrotate(momentum);

    let (first, middle, last) = order(moment);
    let u = Vec3::new(1.0 / moment.x, 1.0 / moment.y, 1.0 / moment.z);
    let (c1, c3) = (u[first] - u[middle], u[last] - u[middle]);

    let angle = l.length() * (c1.abs() * c3.abs()).sqrt() * dt.abs();
    // A body that spins so fast that the count would be absurd has no meaningful phase; its L is kept all the same.
    let count = (angle / LARGEST_ANGLE).ceil().clamp(1.0, 64.0);
    let h = dt / count;
    let mut about = |l: &mut Vec3<f64>, axis: usize, c: f64, t: f64| {
        // L turns about a body axis by -c Lᵢ t as seen from the body; the body turns by the opposite in its own frame, so
        // that L stands still in the world.
        let theta = c * l[axis] * t;
        // Of half the angle, which the body needs; that of L follows from it.
        let (half_sin, half_cos) = (Float::sin(0.5 * theta), Float::cos(0.5 * theta));
        let (sin, cos) = (2.0 * half_sin * half_cos, (half_cos - half_sin) * (half_cos + half_sin));
        let (j, k) = ((axis + 1) % 3, (axis + 2) % 3);
        let (lj, lk) = (l[j], l[k]);
        l[j] = cos * lj + sin * lk;
        l[k] = cos * lk - sin * lj;
        let mut half = Vec3::ZERO;
        half[axis] = half_sin;
        frame = frame * Quat::from_parts(half, half_cos);
    };
    // About an axis of symmetry the flow that is left is one rotation, whatever its length.
    let symmetric = if c1 == 0.0 {
        about(&mut l, last, c3, dt);
        true
    } else if c3 == 0.0 {
        about(&mut l, first, c1, dt);
        true
    } else {
        false
    };
    for _ in 0..if symmetric { 0 } else { count as u32 } {
        for i in 0..3 {
            about(&mut l, last, c3, A[i] * h);
            about(&mut l, first, c1, B[i] * h);
        }
        about(&mut l, last, c3, A[3] * h);
        for i in (0..3).rev() {
            about(&mut l, first, c1, B[i] * h);
            about(&mut l, last, c3, A[i] * h);
        }
    }
    let frame = Quat::from_rotation_vector(momentum * (u[middle] * dt)) * frame;

    let rotation = (frame * params.axes.to_f64().conjugate()).normalized().to_real();
    let frame = principal_frame(rotation, params);
    let omega = frame.rotate(frame.unrotate(momentum).scale(u));
    (rotation, omega.to_real(), momentum)
}

fn principal_frame(rotation: Quat, params: &Params) -> Quat<f64> {
    (rotation.to_f64() * params.axes.to_f64()).normalized()
}

fn moments(params: &Params) -> Vec3<f64> {
    let i = params.inv_inertia.to_f64();
    Vec3::new(1.0 / i.x, 1.0 / i.y, 1.0 / i.z)
}

/// Axes by ascending moment.
fn order(moment: Vec3<f64>) -> (usize, usize, usize) {
    let mut axes = [0, 1, 2];
    axes.sort_by(|&a, &b| moment[a].total_cmp(&moment[b]));
    (axes[0], axes[1], axes[2])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Num;
    use proptest::prelude::*;

    fn vec3(range: f64) -> impl Strategy<Value = Vec3> {
        prop::array::uniform3(-range..range).prop_map(|v| Vec3::from(v).to_real())
    }

    proptest! {
        /// Bodies with an axis of symmetry turn in closed form as they do by the flows of which every turn is composed.
        #[test]
        fn symmetric_bodies_turn_about_their_momentum(
            (turn, axes, omega, carry) in (vec3(3.0), vec3(3.0), vec3(30.0), vec3(1e-6)),
            (along, across) in (0.1..10.0, 0.1..10.0),
            axis in 0_usize..3,
            dt in -0.1..0.1,
        ) {
            let mut inv_inertia = Vec3::all(Real::from_f64(across));
            inv_inertia[axis] = Real::from_f64(along);
            let axes = Quat::from_rotation_vector(axes);
            let params = Params { inv_inertia, axes, ..bytemuck::Zeroable::zeroed() };
            let (rotation, dt) = (Quat::from_rotation_vector(turn), Real::from_f64(dt));
            let closed = turning_freely(rotation, omega, carry, &params, dt);
            let composed = turned(rotation, omega, carry, &params, dt).1;
            let error = (closed - composed).length();
            // ω gets no longer than by the ratio of the moments, and an angle is rounded by its own size. The flows are some twenty products of
            // quaternions and as many turns of vectors, each with a few roundings.
            let most = omega.length() * Real::from_f64(Num::max(along / across, across / along));
            let bound = 64.0 * Real::EPSILON * most * (1.0 + most * dt.abs());
            prop_assert!(error <= bound, "{closed:?}, {composed:?}: {error}, bound {bound}");
        }
    }
}
