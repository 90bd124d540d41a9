//! What to say so that the engine arrives at given bits.
//!
//! The engine normalises what it is given and keeps the pose of the centre of mass, so that what it holds is a rounded function of
//! what it was told. Here an argument is sought for which that function has the value that was found.

use tumble::BodyRef;
use tumble::math::{Float, Point, Quat, Real, Vec3};

/// x with fl(x + addend) = sum, near the difference; the difference itself where there is none.
fn summand(sum: f64, addend: f64, guess: f64) -> f64 {
    let mut candidates = [guess; 5];
    candidates[1] = guess.next_up();
    candidates[2] = guess.next_down();
    candidates[3] = candidates[1].next_up();
    candidates[4] = candidates[2].next_down();
    candidates.into_iter().find(|x| x + addend == sum).unwrap_or(guess)
}

fn real_summand(sum: Real, addend: Real, guess: Real) -> Real {
    let (up, down) = (guess.next_up(), guess.next_down());
    let candidates = [guess, up, down, up.next_up(), down.next_down()];
    candidates.into_iter().find(|x| x + addend == sum).unwrap_or(guess)
}

/// Where the centre of mass is in the body's frame, in the precision of the engine.
fn local_centre(body: &BodyRef<'_>) -> Vec3 {
    body.mass_properties().map_or(Vec3::ZERO, |mass| mass.centre.to_real())
}

/// A position of the frame from which the centre of mass comes out as it is.
pub fn position(body: &BodyRef<'_>) -> Point {
    let offset = body.rotation().rotate(local_centre(body)).to_f64();
    let (guess, centre) = (body.position(), body.centre_of_mass());
    Vec3::new(
        summand(centre.x, offset.x, guess.x),
        summand(centre.y, offset.y, guess.y),
        summand(centre.z, offset.z, guess.z),
    )
}

/// A velocity of the frame from which that of the centre of mass comes out as it is.
pub fn velocity(body: &BodyRef<'_>) -> Vec3 {
    let swing = body.angular_velocity().cross(body.rotation().rotate(local_centre(body)));
    let (guess, centre) = (body.linear_velocity(), body.centre_velocity());
    Vec3::new(
        real_summand(centre.x, swing.x, guess.x),
        real_summand(centre.y, swing.y, guess.y),
        real_summand(centre.z, swing.z, guess.z),
    )
}

/// A quaternion that normalised gives this one. Most are their own; else neighbours and then shorter and longer ones are tried, of
/// which about every tenth will do.
pub fn rotation(q: Quat) -> Quat {
    let bits = |q: Quat| [q.x, q.y, q.z, q.w].map(Real::to_bits);
    let gives = |candidate: &Quat| bits(candidate.normalized()) == bits(q);
    let scaled = (-500..=500).map(|k| q.scaled(Real::from_f64(1.0 + 1e-6 * f64::from(k))));
    std::iter::once(q).chain(scaled).find(gives).unwrap_or(q)
}

/// The same in double precision, whatever that of the engine is.
pub fn turn(q: Quat<f64>) -> Quat<f64> {
    let bits = |q: Quat<f64>| <[f64; 4]>::from(q).map(f64::to_bits);
    let gives = |candidate: &Quat<f64>| candidate.try_normalize().is_some_and(|unit| bits(unit) == bits(q));
    let scaled = (-500..=500).map(|k| q.scaled(1.0 + 1e-6 * f64::from(k)));
    std::iter::once(q).chain(scaled).find(gives).unwrap_or(q)
}

/// A direction that normalised gives this one.
pub fn direction(unit: Vec3, normal: impl Fn(Vec3) -> Option<Vec3>) -> Vec3 {
    let bits = |v: Vec3| v.to_array().map(Real::to_bits);
    let gives = |candidate: &Vec3| normal(*candidate).is_some_and(|n| bits(n) == bits(unit));
    let scaled = (-500..=500).map(|k| unit * Real::from_f64(1.0 + 1e-3 * f64::from(k)));
    std::iter::once(unit).chain(scaled).find(gives).unwrap_or(unit)
}
