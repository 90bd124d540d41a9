//! Times of a file: of cues, checks, effects and motors, while it runs and when a running world is written.

use super::{parse, start};
use tumble::constraint::joint::{Ball, Hinge, Orientation, Wheel};
use tumble::constraint::{Axis, Drive, Motor, Signal, Stiffness};
use tumble::force::Uniform;
use tumble::math::{Quat, Vec3};
use tumble::{BodyDesc, EffectDesc, JointDesc, JointKind, World};
use tumble_scene::{Outcome, Reading, Said, Scene, file};

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

/// A world that is written while it runs goes on as it was: its file begins at 0, and so do ramps, tables, sines and the spans of effects. They
/// began anew, and an effect that was over acted once more.
#[test]
fn a_running_world_that_is_written_goes_on() {
    let dt = 1.0 / 64.0;
    let mut world = World::new();
    let body = |world: &mut World, x: f64| {
        world.add_body(BodyDesc::dynamic().position([x, 0.0, 0.0]).mass(1.0).can_sleep(false)).unwrap()
    };
    let signals = [
        Signal::Ramp { from: 0.0, to: 2.0, start: 0.25, duration: 1.5 },
        Signal::Sine { mean: 0.0, amplitude: 1.0, hertz: 0.7, phase: 0.3 },
        Signal::table([(0.0, 0.0), (0.5, 2.0), (0.75, -1.0), (3.0, 4.0)]),
        Signal::Constant(1.0),
    ];
    for (x, signal) in (0u8..).map(f64::from).zip(&signals) {
        let motor = Motor::velocity(signal.clone());
        let turn = Axis { motor: Some(motor), ..Axis::FREE };
        let b = body(&mut world, x);
        world.add_joint(JointDesc::new(World::BODY, b, Hinge { turn }).anchor([x, 0.0, 0.0])).unwrap();
        let target = Orientation::target(Quat::IDENTITY, Stiffness::tuned(2.0, 1.0)).turning(Vec3::Y, signal.clone());
        let b = body(&mut world, x + 10.0);
        world
            .add_joint(JointDesc::new(World::BODY, b, Ball { motor: Some(target) }).anchor([x + 10.0, 0.0, 0.0]))
            .unwrap();
        let b = body(&mut world, x + 20.0);
        let wheel = Wheel { steer: signal.clone(), ..Wheel::new(2.0, 1.0, 0.1) };
        world.add_joint(JointDesc::new(World::BODY, b, wheel).anchor([x + 20.0, 0.0, 0.0])).unwrap();
    }
    let over = [0.0, 0.125];
    let spans = [over, [0.25, 0.75], [0.75, 1.25], [f64::NEG_INFINITY, 0.625], [0.625, f64::INFINITY], [0.0, 0.5]];
    for (z, [start, end]) in (1u8..).map(f64::from).zip(spans) {
        let b = world.add_body(BodyDesc::dynamic().position([0.0, 0.0, 100.0 * z]).mass(1.0)).unwrap();
        let push = EffectDesc::new(Uniform::new([1.0, 0.0, 0.0])).bodies(tumble::BodySet::list([b]));
        world.add_effect(push.clone().window(start, end)).unwrap();
        let turn = EffectDesc::new(Uniform::new([0.0, 0.0, 1.0])).bodies(tumble::BodySet::list([b]));
        world.add_effect(turn.window(start, end).remove_at_end(true)).unwrap();
    }
    for _ in 0..32 {
        world.step(1.0 / 64.0).unwrap();
    }
    let text = file::write_world("later", &world, dt).unwrap();
    let mut again = start(&text);
    assert_eq!((world.time(), again.world().time()), (0.5, 0.0));
    // What a motor aims at is what it would have been.
    let aims = |world: &World, later: f64| {
        let mut aims = Vec::new();
        for id in world.joint_ids() {
            let signal = match world.joint(id).unwrap().desc().kind {
                JointKind::Hinge(Hinge {
                    turn: Axis { motor: Some(Motor { drive: Drive::Velocity(signal), .. }), .. },
                }) => signal,
                JointKind::Ball(Ball { motor: Some(motor) }) => motor.angle,
                JointKind::Wheel(wheel) => wheel.steer,
                other => panic!("{other:?}"),
            };
            aims.extend((0..200).map(|i| f64::from(signal.at(later + f64::from(i) / 61.0).0)));
        }
        aims
    };
    let (expected, got) = (aims(&world, 0.5), aims(again.world(), 0.0));
    assert!(expected.len() == got.len() && expected.iter().zip(&got).all(|(a, b)| (a - b).abs() < 1e-6), "{text}");
    for _ in 0..96 {
        world.step(1.0 / 64.0).unwrap();
        again.step().unwrap();
    }
    let velocities = |world: &World| {
        world
            .body_ids()
            .map(|id| world.body(id).unwrap())
            .filter(|b| b.position().z > 50.0)
            .map(|b| b.linear_velocity().to_f64())
            .collect::<Vec<_>>()
    };
    let (expected, got) = (velocities(&world), velocities(again.world()));
    for (i, (a, b)) in expected.iter().zip(&got).enumerate() {
        assert!((*a - *b).length() < 1e-5, "span {:?}: {a:?} {b:?}\n{text}", spans[i]);
    }
    // Written at its start, nothing is moved.
    let whole = start(&text);
    assert_eq!(file::write_world("later", whole.world(), dt).unwrap(), text);
}

/// So do the times of checks and cues: what is over is left out, and what is to come comes when it would have.
#[test]
fn checks_and_cues_of_a_running_world_keep_their_time() {
    let in_words = Scene::new("words", |stage, _| {
        stage.prefer_dt(1.0 / 64.0)?;
        stage.engine(|world| world.add_body(BodyDesc::dynamic().name("a")))?;
        stage.check_said("later", Said::at_least("time + 0 * y('a')", 1.0).from(1.0).until(2.0));
        stage.check_said("over", Said::at_most("y('a')", 1.0).until(0.25));
        stage.check_said("begun", Said::at_most("y('a')", 1.0).from(0.25));
        stage.check_at_end("code", |_| Some(Reading::at_most(0.0, 1.0)));
        Ok(())
    });
    let in_words =
        ["later", "over", "begun", "code"].iter().fold(in_words, |scene, name| scene.check(*name, *name, "m"));
    let in_file = parse(
        "dt = '1/64'\n[parameters]\nt = 2\n[let]\nhalf = 't / 2'\n[[body]]\nname = 'a'\nmass = 1\n[[body]]\nname = 'b'\nmass = 1\n\
         [[cue]]\nat = 'half'\nremove = ['b']\n\
         [[check]]\nname = 'later'\nmeasure = \"time + 0 * y('a')\"\nat_least = 1\nfrom = 'half'\nuntil = 't'\n\
         [[check]]\nname = 'over'\nmeasure = \"y('a')\"\nat_most = 1\nuntil = 0.25\n\
         [[check]]\nname = 'begun'\nmeasure = \"y('a')\"\nat_most = 1\nfrom = 0.25\n",
    );
    for (scene, kept) in [(in_words, ["later", "begun"]), (in_file, ["later", "begun"])] {
        let mut run = scene.setup().start().unwrap();
        for _ in 0..32 {
            run.step().unwrap();
        }
        let text = file::write(&scene, &run).unwrap();
        let mut again = start(&text);
        let names: Vec<String> = again.verdicts().iter().map(|v| v.claim.name.to_string()).collect();
        assert_eq!(names, kept, "{text}");
        // The check looks from 1 s on, which is half a second from here.
        let outcomes = |run: &tumble_scene::Run| run.verdicts()[0].outcome;
        for _ in 0..31 {
            again.step().unwrap();
        }
        assert_eq!(outcomes(&again), Outcome::Undecided, "{text}");
        assert_eq!(again.cues().len(), run.cues().len());
        again.step().unwrap();
        assert_eq!(outcomes(&again), Outcome::Passed, "{text}");
        again.step().unwrap();
        assert!(again.cues().is_empty(), "{text}");
    }
}

/// A cue whose time has come when the world is written comes at once: rounding may have taken it into the past, where no file can put it.
#[test]
fn a_cue_that_is_due_is_written() {
    let scene = parse("dt = '1/60'\nbody = [{ name = 'a', mass = 1 }]\ncue = [{ at = 1, remove = ['a'] }]");
    let mut run = scene.setup().start().unwrap();
    for _ in 0..60 {
        run.step().unwrap();
    }
    let mut again = start(&file::write(&scene, &run).unwrap());
    again.step().unwrap();
    assert!(again.world().find_body("a").is_none());
}
