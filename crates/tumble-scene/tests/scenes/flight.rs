//! Bodies in flight have closed forms, so that their checks hold for every parameter, time step and method.

use tumble::{Integrate, Method};
use tumble_scene::library::find;
use tumble_scene::{Outcome, Run, Scene};

/// More than this many steps of bodies are too many for a test.
const BUDGET: u64 = 300_000;

fn scenes() -> [Scene; 3] {
    ["free-fall", "projectiles", "dzhanibekov-nut"].map(|name| find(name).unwrap())
}

fn assert_passes(mut run: Run, what: &str) {
    run.finish().unwrap();
    for verdict in run.verdicts() {
        assert_eq!(verdict.outcome, Outcome::Passed, "{what}: {verdict}");
    }
}

/// The bounds scale with the step: a user who halves it sees no check fail for it.
#[test]
fn checks_pass_at_other_steps() {
    for scene in scenes() {
        for dt in [0.1, 1.0 / 30.0, 1.0 / 240.0] {
            assert_passes(scene.setup().dt(dt).unwrap().start().unwrap(), &format!("{} at {dt} s", scene.name));
        }
    }
}

/// What is promised is promised for all values that are accepted.
#[test]
fn checks_pass_at_the_ends_of_all_ranges() {
    for scene in scenes() {
        for p in &scene.parameters {
            for value in [p.min, p.max] {
                let run = scene.setup().set(&p.name, value).unwrap().start().unwrap();
                if run.steps_in(run.seconds()) * run.world().body_count() as u64 <= BUDGET {
                    assert_passes(run, &format!("{}: {} = {value}", scene.name, p.name));
                }
            }
        }
    }
}

/// Euler's rules miss the parabola by g t dt/2, and the checks of flying bodies allow them that, but nothing more.
#[test]
fn methods_of_first_order_may_err_to_first_order() {
    for scene in ["free-fall", "projectiles"] {
        for integrate in [Integrate::SemiImplicitEuler, Integrate::ExplicitEuler] {
            let scene = find(scene).unwrap();
            let mut run = scene.setup().method(Method::ballistic(integrate)).start().unwrap();
            run.finish().unwrap();
            // Explicit Euler leaves the gyroscopic torque out.
            for v in run.verdicts().into_iter().filter(|v| v.claim.name != "angular-momentum") {
                assert_eq!(v.outcome, Outcome::Passed, "{integrate:?}: {v}");
            }
        }
    }
}
