//! Chains that swing gently, which take one evaluation of their dynamics in a step, and go on from it in the next.

use super::{DT, G, chain, energy, run, sleepless};
use crate::support::real;
use tumble::articulation::ArticulationDesc;
use tumble::math::Float;
use tumble::{ArticulationId, World};

/// A chain of ten rods, let go a little off the vertical, after a second.
fn swinging() -> (World, ArticulationId) {
    let mut world = sleepless();
    let id = world.add_articulation(gentle()).unwrap();
    run(&mut world, 1.0);
    (world, id)
}

fn gentle() -> ArticulationDesc {
    chain(10, 0.0, 0.3)
}

/// The largest difference of two lists of numbers.
fn apart(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// It is where a sixteenth of the step says, to a fiftieth of a radian within four seconds, and has kept its energy to a millionth of what it
/// has released at every moment.
#[test]
fn gentle_chain_is_followed_in_whole_steps() {
    let [mut world, mut fine] = [sleepless(), sleepless()];
    let [id, other] = [&mut world, &mut fine].map(|w| w.add_articulation(gentle()).unwrap());
    let (start, released) = (energy(&world, id), G * 0.25 * 100.0 * (1.0 - Float::cos(0.3)));
    let (mut worst, mut drift) = (0.0_f64, 0.0_f64);
    for _ in 0..240 {
        world.step(DT).unwrap();
        (0..16).for_each(|_| fine.step(DT / 16.0).unwrap());
        let [a, b] = [(&world, id), (&fine, other)].map(|(w, id)| w.articulation(id).unwrap().position());
        worst = worst.max(apart(a, b));
        drift = drift.max((energy(&world, id) - start).abs() / released);
    }
    println!("{worst:.1e} rad from the fine steps, energy off by {drift:.1e}");
    assert!(worst < 0.02 && drift < 1e-6, "{worst:e} rad, {drift:e}");
}

/// A world that is restored in mid-swing, and a copy, go on to the same bits.
#[test]
fn gentle_chain_goes_on_from_a_snapshot() {
    let (mut world, _) = swinging();
    let mut others = [World::from_snapshot(&world.snapshot().unwrap()).unwrap(), world.clone()];
    for _ in 0..60 {
        world.step(DT).unwrap();
        for other in &mut others {
            other.step(DT).unwrap();
            assert_eq!(other.hash(), world.hash());
        }
    }
}

/// Nothing of an earlier weight is left as soon as it is taken away: without forces the energy of motion stays. Half a step of it would change
/// that by more than a hundredth.
#[test]
fn gentle_chain_forgets_what_no_longer_acts() {
    let (mut world, id) = swinging();
    world.set_gravity([0.0; 3]).unwrap();
    let before = world.articulation(id).unwrap().kinetic_energy();
    world.step(DT).unwrap();
    let change = world.articulation(id).unwrap().kinetic_energy() / before - 1.0;
    assert!(change.abs() < 1e-6, "{change:e}");
}

/// A push of one step acts in that step, and wholly: momentum along the degrees of freedom changes by it.
#[test]
fn gentle_chain_takes_a_push_at_once() {
    let (world, id) = swinging();
    let end = world.articulation(id).unwrap().link(9).unwrap();
    let pushed = |force: f64| {
        let mut world = world.clone();
        world.body_mut(end).unwrap().apply_force([real(force), 0.0, 0.0]).unwrap();
        world.step(DT).unwrap();
        world
    };
    // What the push alone has done, by the difference of two worlds, and what it would do at the start of the step.
    let [with, without] = [1.0, 0.0].map(|force| pushed(force).articulation(id).unwrap().velocity().to_vec());
    let arm = world.articulation(id).unwrap();
    let centre = world.body(end).unwrap().centre_of_mass();
    let push = arm.jacobian(9, centre).unwrap();
    let wanted: Vec<f64> = push.iter().map(|axis| axis.linear.x * DT.to_f64()).collect();
    let wanted = arm.solve_mass_matrix(&wanted).unwrap();
    let got: Vec<f64> = with.iter().zip(&without).map(|(a, b)| a - b).collect();
    let size = wanted.iter().map(|v| v.abs()).fold(0.0, f64::max);
    assert!(apart(&got, &wanted) < 0.15 * size, "{got:?} for {wanted:?}");
}
