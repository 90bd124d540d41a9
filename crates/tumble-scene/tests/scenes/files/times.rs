//! Times of a file: of cues and checks.

use super::start;
use tumble_scene::Outcome;

/// A time that is a whole number of steps is met by a cue and by a check, whatever `f32` makes of the step: a check of one moment was never made,
/// and a cue came a step late.
#[test]
fn whole_numbers_of_steps_are_met() {
    for (dt, steps) in
        [("1/60", 120), ("1/60", 36_000), ("0.01", 100), ("0.01", 6000), ("0.02", 50), ("0.1", 7), ("1/240", 480)]
    {
        let text = format!(
            "dt = '{dt}'\nmethod = 'ballistic'\nbody = [{{ name = 'prop', kind = 'fixed' }}]\n\
             cue = [{{ at = '{steps} * {dt}', remove = ['prop'] }}]\n\
             [[check]]\nname = 'there'\nmeasure = \"count('prop')\"\nat_least = 1\nfrom = '{steps} * {dt}'\nuntil = '{steps} * {dt}'\n"
        );
        let mut run = start(&text);
        for _ in 0..steps {
            run.step().unwrap();
        }
        assert!(run.world().find_body("prop").is_some(), "{dt}: the cue comes early");
        run.step().unwrap();
        assert!(run.world().find_body("prop").is_none(), "{dt}: the cue comes late");
        // It looks once, when the body is still there.
        assert_eq!(run.verdicts()[0].outcome, Outcome::Passed, "{dt}, {steps} steps");
    }
}

/// A time between two steps belongs to the later one.
#[test]
fn times_between_steps_are_not_rounded() {
    let text = "dt = '1/64'\nmethod = 'ballistic'\nbody = [{ name = 'prop', kind = 'fixed' }]\n\
        cue = [{ at = '10.001 / 64', remove = ['prop'] }]";
    let mut run = start(text);
    for step in 1..=12 {
        run.step().unwrap();
        assert_eq!(run.world().find_body("prop").is_some(), step < 12, "{step}");
    }
}
