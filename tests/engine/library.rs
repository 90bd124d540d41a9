//! What scenes of the library must hold in either precision.

use crate::support::awake;
use tumble_scene::Outcome;
use tumble_scene::library::{find, scenes};

/// What sleeps cannot fall: structures stand for a minute without sleep as well.
#[test]
fn structures_stand_awake() {
    for name in ["card-house", "arch", "jenga", "brick-wall"] {
        let mut run = find(name).unwrap().setup().start().unwrap();
        let method = awake(run.world().method().clone());
        run.world_mut().set_method(method).unwrap();
        run.finish().unwrap();
        let verdict = run.verdicts().into_iter().find(|v| v.claim.name == "stands").unwrap();
        println!("{name}, awake: {verdict}");
        assert_eq!(verdict.outcome, Outcome::Passed, "{name}: {verdict}");
    }
}

/// What nothing slows and nothing drives gains no energy: at most half a hundredth of the largest kinetic energy and the potential energy
/// released, in a minute.
#[test]
fn conservative_scenes_gain_no_energy() {
    let mut count = 0;
    for scene in scenes().into_iter().filter(|scene| scene.conservative) {
        let mut run = scene.setup().start().unwrap();
        for _ in 0..run.steps_in(60.0) {
            run.step().unwrap();
        }
        let energy = run.summary().energy;
        println!("{}: {energy:?}, gain {:.5}", scene.name, energy.gain_share());
        assert!(energy.gain_share() <= 0.005 && energy.share.is_finite(), "{}: {energy:?}", scene.name);
        count += 1;
    }
    assert!(count >= 10, "only {count} scenes are conservative");
}
