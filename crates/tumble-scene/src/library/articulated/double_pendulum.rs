//! The double pendulum against its equations.

use super::super::props::tune;
use super::{G, add, coordinate, energy, rod};
use crate::error::Result;
use crate::{Camera, Parameter, Reading, Scene, Stage, Values};
use tumble::articulation::{ArticulationDesc, LinkDesc};
use tumble::math::{Float, Num};

pub fn scene() -> Scene {
    Scene::new("double-pendulum", build)
        .seed("000, figure 23")
        .description("Two rods of a metre on hinges, let go from rest, beside the solution of Lagrange's equations.")
        .parameter(
            Parameter::new("first", 0.7).range(-1.2, 1.2).unit("rad").help("Angle of the first rod at the start"),
        )
        .parameter(
            Parameter::new("second", 0.4)
                .range(-1.0, 1.0)
                .unit("rad")
                .help("Angle of the second rod against the first"),
        )
        .camera(Camera::new([0.0, -0.5, 5.0], [0.0, -0.9, 0.0]))
        .conservative()
        .check("angles", "Both angles are those of the equations; largest error", "rad")
        .check("energy", "No energy is gained or lost; largest share of m g l", "")
}

/// θ₁, θ₂ from the vertical, and their rates.
type State = [f64; 4];

/// Lagrange's equations of two equal thin rods of mass m and length l: with Δ = θ₁ - θ₂,
///
/// ```text
///   4/3 θ₁'' + 1/2 θ₂'' cos Δ + 1/2 θ₂'² sin Δ + 3/2 g/l sin θ₁ = 0
///   1/3 θ₂'' + 1/2 θ₁'' cos Δ - 1/2 θ₁'² sin Δ + 1/2 g/l sin θ₂ = 0
/// ```
fn slope(s: &State) -> State {
    let [a, b, va, vb] = *s;
    let (sin, cos) = (Float::sin(a - b), Float::cos(a - b));
    let (m, n, k) = (4.0 / 3.0, 1.0 / 3.0, 0.5 * cos);
    let p = -0.5 * vb * vb * sin - 1.5 * G * Float::sin(a);
    let q = 0.5 * va * va * sin - 0.5 * G * Float::sin(b);
    let d = m * n - k * k;
    [va, vb, (n * p - k * q) / d, (m * q - k * p) / d]
}

/// Runge and Kutta's method of fourth order.
fn advance(s: &mut State, h: f64) {
    let moved = |s: &State, k: &State, h: f64| -> State { [0, 1, 2, 3].map(|i| s[i] + h * k[i]) };
    let k1 = slope(s);
    let k2 = slope(&moved(s, &k1, 0.5 * h));
    let k3 = slope(&moved(s, &k2, 0.5 * h));
    let k4 = slope(&moved(s, &k3, h));
    for i in 0..4 {
        s[i] += h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
    }
}

fn build(stage: &mut Stage, values: &Values) -> Result<()> {
    let (first, second) = (values.get("first")?, values.get("second")?);
    tune(stage, 1.0)?;
    let mut desc = ArticulationDesc::new().name("pendulum");
    let upper = stage.engine(|_| rod(1.0, 1.0))?.can_sleep(false).name("upper");
    let lower = stage.engine(|_| rod(1.0, 1.0))?.can_sleep(false).name("lower");
    let upper = desc.add(LinkDesc::revolute(upper, [0.0, 0.0, 1.0]).anchor([0.0, 0.5, 0.0]).position(&[first]));
    let lower = LinkDesc::revolute(lower, [0.0, 0.0, 1.0]).parent(upper).at([0.0, -0.5, 0.0]).anchor([0.0, 0.5, 0.0]);
    desc.add(lower.position(&[second]));
    let id = add(stage, desc)?;
    stage.run_for(6.0);
    let (mut state, mut time) = ([first, first + second, 0.0, 0.0], 0.0);
    stage.check_always("angles", move |world| {
        while time < world.time() - 1e-9 {
            let h = Num::min(1e-3, world.time() - time);
            advance(&mut state, h);
            time += h;
        }
        let (a, b) = (coordinate(world, id, 0), coordinate(world, id, 0) + coordinate(world, id, 1));
        Some(Reading::at_most(Num::max((a - state[0]).abs(), (b - state[1]).abs()), 5e-3))
    });
    let start = energy(&stage.world, id);
    stage.check_always("energy", move |world| Some(Reading::at_most((energy(world, id) - start).abs() / G, 1e-3)));
    Ok(())
}
