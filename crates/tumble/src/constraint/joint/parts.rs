//! What several joints are made of. p, r, v, ω: origins of the frames, arms, velocities; d = p_B - p_A; x, y, z: axes.
//!
//! The response K = J M⁻¹ Jᵀ of a row, whose inverse is its effective mass, has one of two forms, with the arms by which the row takes hold:
//!
//! ```text
//!   κ(n; r_A, r_B) = 1/m_A + 1/m_B + (r_A × n)·I_A⁻¹ (r_A × n) + (r_B × n)·I_B⁻¹ (r_B × n)       along n
//!   τ(t)           = t·(I_A⁻¹ + I_B⁻¹) t                                                         about t
//! ```

use super::super::frame::Frames;
use super::super::row::{Jacobian, Row, Rows};
use crate::math::{Real, Vec3};

/// The origins coincide (003-49). Three rows, along the axes of the world:
///
/// C = d,  Ċ = v_B + ω_B × r_B - v_A - ω_A × r_A
///
/// K = (1/m_A + 1/m_B) 1 - [r_A]× I_A⁻¹ [r_A]× - [r_B]× I_B⁻¹ [r_B]×, of which κ(n; r_A, r_B) is n·K n.
pub(super) fn coincide(frames: &Frames, out: &mut Rows) {
    let gap = frames.gap();
    for (axis, error) in [Vec3::X, Vec3::Y, Vec3::Z].into_iter().zip(gap.to_array()) {
        out.push(Row::equal(Jacobian::between(axis, frames.a.arm, frames.b.arm), error));
    }
}

/// The Jacobian of t·d for an axis t that is fixed to A. Since t turns with A, its arm leads to the origin of B:
///
/// Ċ = t·(v_B + ω_B × r_B) - t·(v_A + ω_A × r_A) + (ω_A × t)·d = t·v_B + (r_B × t)·ω_B - t·v_A - ((r_A + d) × t)·ω_A
///
/// K = κ(t; r_A + d, r_B)
pub(super) fn along(frames: &Frames, axis: Vec3) -> Jacobian {
    Jacobian::between(axis, frames.a.arm + frames.gap(), frames.b.arm)
}

/// The origin of B stays on the x axis of A: y_A·d = z_A·d = 0. Two rows.
pub(super) fn on_axis(frames: &Frames, out: &mut Rows) {
    let (axes, gap) = (frames.a.axes(), frames.gap());
    for t in [axes.y, axes.z] {
        out.push(Row::equal(along(frames, t), t.dot(gap)));
    }
}

/// The x axes stay parallel (003-50). Two rows:
///
/// C = (y_A·e, z_A·e),  e: the turn from x_A to x_B,  Ċ ≈ (y_A·ω, z_A·ω) with ω = ω_B - ω_A
///
/// K = (τ(y_A), τ(z_A)) on its diagonal
pub(super) fn parallel(frames: &Frames, out: &mut Rows) {
    let (a, x_b) = (frames.a.axes(), frames.b.axes().x);
    let error = turn_between(a.x, x_b, a.y);
    for t in [a.y, a.z] {
        out.push(Row::equal(Jacobian::turning(t), t.dot(error)));
    }
}

/// The shortest turn from one unit vector to another as a vector: its direction is the axis, its length grows with the angle. It is
/// the sine of the angle up to a right angle and goes on growing to 2 beyond, where the sine would lead the wrong way; `across`
/// is the axis for opposite vectors.
pub(super) fn turn_between(from: Vec3, to: Vec3, across: Vec3) -> Vec3 {
    let cross = from.cross(to);
    if from.dot(to) >= 0.0 {
        return cross;
    }
    let length = cross.length();
    cross.normalize_or(across) * (2.0 - length)
}

/// The frames are turned alike. Three rows, along the axes of the world:
///
/// C = R_A φ,  φ: rotation vector of R_A⁻¹ R_B,  Ċ ≈ ω_B - ω_A
///
/// K = I_A⁻¹ + I_B⁻¹
pub(super) fn turned_alike(frames: &Frames, out: &mut Rows) {
    let error = frames.a.rotation.rotate(frames.relative_rotation().to_rotation_vector());
    for (axis, error) in [Vec3::X, Vec3::Y, Vec3::Z].into_iter().zip(error.to_array()) {
        out.push(Row::equal(Jacobian::turning(axis), error));
    }
}

/// The Jacobian of the twist about x in the swing-twist decomposition of R_A⁻¹ R_B: with the swing from x_A to x_B,
///
/// Ċ = (x_A + x_B)·(ω_B - ω_A) / (1 + x_A·x_B)
///
/// which is x·ω while the axes are parallel, and has no value where they are opposite.
pub(super) fn twisting(frames: &Frames) -> Jacobian {
    let (x_a, x_b) = (frames.a.rotation.rotate(Vec3::X), frames.b.rotation.rotate(Vec3::X));
    let scale = 1.0 + x_a.dot(x_b);
    // Nearly opposite, the twist is anything; no row must grow without bound there.
    Jacobian::turning((x_a + x_b) * (1.0 / if scale > 0.05 { scale } else { 0.05 }))
}

/// The twist, counted over many turns by the first number of the memory.
pub(super) fn counted_twist(frames: &Frames) -> Real {
    <Real as crate::math::Float>::from_f64(super::super::frame::unwound(frames.twist(), frames.memory[0]))
}
