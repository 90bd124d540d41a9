//! Scene files: that they say the same after being written, that a mistake is answered with its place, and that the schema is that
//! of the reader.

mod schema;
mod times;

use serde_json::Value;
use std::time::{Duration, Instant};
use tumble::constraint::joint::{Ball, Hinge};
use tumble::math::Real;
use tumble::method::{
    Broad, Correction, Explicit, FrictionModel, JointSolve, Lcp, Narrow, Simultaneous, Sleep, SleepCriterion, SoftStep,
    Solver, Step, Switches, Tolerances, Validator,
};
use tumble::shape::Shape;
use tumble::{BodyDesc, BodyId, EffectKind, Integrate, JointDesc, JointKind, MaterialRule, Method, Mix, World};
use tumble_scene::{Error, Run, Scene, file, library};

pub const EVERYTHING: &str = include_str!("everything.toml");
pub const ARTICULATED: &str = include_str!("articulated.toml");
pub const DOOR: &str = include_str!("../../../../docs/scenes/door-conveyor-stack.toml");
pub const CRANE: &str = include_str!("../../../../docs/scenes/crane-and-chain.toml");

fn parse(text: &str) -> Scene {
    file::parse(text, "test.toml", ".").unwrap()
}

fn start(text: &str) -> Run {
    parse(text).setup().start().unwrap_or_else(|error| panic!("{error}"))
}

/// What is wrong with a file, whether it shows when it is read or when it is built.
pub fn fault(text: &str) -> String {
    match file::parse(text, "f", ".").and_then(|scene| scene.setup().start()) {
        Ok(_) => "nothing".to_owned(),
        Err(Error::File(error)) => error.to_string(),
        Err(other) => format!("without a place: {other}"),
    }
}

/// Two worlds are the same to the bit; where not, what differs is said in words.
fn assert_same(a: &World, b: &World, what: &str) {
    if a.hash() == b.hash() {
        return;
    }
    assert_eq!(a.method(), b.method(), "{what}");
    assert_eq!((a.gravity(), a.clock(), a.time()), (b.gravity(), b.clock(), b.time()), "{what}");
    assert!(a.shared_materials().eq(b.shared_materials()), "{what}: materials");
    for (i, j) in a.body_ids().zip(b.body_ids()) {
        assert_eq!(i, j, "{what}");
        let (x, y) = (a.body(i).unwrap(), b.body(j).unwrap());
        let (p, q) = (format!("{:?}", x.desc()), format!("{:?}", y.desc()));
        if let Some(at) = p.bytes().zip(q.bytes()).position(|(p, q)| p != q) {
            let near = |text: &str| text[at.saturating_sub(200)..text.len().min(at + 60)].to_owned();
            panic!("{what}: {:?}\n{}\n{}", x.name(), near(&p), near(&q));
        }
        assert_eq!(x.centre_of_mass(), y.centre_of_mass(), "{what}: {:?}", x.name());
        assert_eq!(x.centre_velocity(), y.centre_velocity(), "{what}: {:?}", x.name());
        assert_eq!(x.mass_properties(), y.mass_properties(), "{what}: {:?}", x.name());
    }
    for (i, j) in a.articulation_ids().zip(b.articulation_ids()) {
        assert_eq!(a.articulation(i).unwrap().desc(), b.articulation(j).unwrap().desc(), "{what}");
    }
    for (i, j) in a.joint_ids().zip(b.joint_ids()) {
        assert_eq!(a.joint(i).unwrap().desc(), b.joint(j).unwrap().desc(), "{what}");
    }
    for (i, j) in a.effect_ids().zip(b.effect_ids()) {
        assert_eq!(a.effect(i).unwrap().desc(), b.effect(j).unwrap().desc(), "{what}");
        assert_eq!(a.effect(i).unwrap().stamp(), b.effect(j).unwrap().stamp(), "{what}");
    }
    let (x, y) = (a.snapshot().unwrap(), b.snapshot().unwrap());
    let at = x.iter().zip(&y).skip(32).position(|(x, y)| x != y);
    panic!("{what}: the snapshots, of {} and {} bytes, differ at {at:?} behind the head", x.len(), y.len());
}

/// A scene of the library says the same as a file: the same world before the first step, and the same bits after many.
#[test]
fn library_scenes_as_files() {
    let mut checks = (0, 0);
    for scene in library::scenes() {
        let mut run = scene.setup().start().unwrap();
        let text = file::write(&scene, &run).unwrap();
        let mut again = start(&text);
        assert_same(again.world(), run.world(), &scene.name);
        assert_eq!((again.seconds(), again.dt()), (run.seconds(), run.dt()), "{}", scene.name);
        assert_eq!(parse(&text).camera, scene.camera, "{}", scene.name);
        // Its checks come along, and those that do not are named.
        let left = file::left_out(&scene, &run).join(" ");
        let kept: Vec<String> = again.verdicts().iter().map(|v| v.claim.name.to_string()).collect();
        for claim in &scene.checks {
            assert_ne!(kept.contains(&claim.name.to_string()), left.contains(&format!("{:?}", claim.name)), "{left}");
        }
        checks = (checks.0 + kept.len(), checks.1 + scene.checks.len());
        // What drives a scene before each step is code.
        for _ in 0..if run.is_driven() { 0 } else { 20 } {
            run.step().unwrap();
            again.step().unwrap();
        }
        assert_eq!(again.world().hash(), run.world().hash(), "{} differs after 20 steps", scene.name);
        for verdict in again.verdicts().iter().filter(|_| !run.is_driven()) {
            let of_library = run.verdicts().into_iter().find(|v| v.claim == verdict.claim).unwrap();
            assert_eq!((verdict.figure, verdict.bound), (of_library.figure, of_library.bound), "{}", scene.name);
        }
    }
    println!("{} of {} checks are said in files", checks.0, checks.1);
    assert!(checks.0 > 60);
}

/// Everything that the format can say comes back to the bit, from a file and from the file that is written of it; also a world that
/// has been running, but for its memory of contacts.
#[test]
fn everything_comes_back() {
    let scene = parse(EVERYTHING);
    let mut run = scene.setup().set("lift", 7.0).unwrap().start().unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((run.dt(), run.seconds(), run.world().method().name.as_str()), (1.0 / 120.0, 2.0, "careful"));
    let written = file::write(&scene, &run).unwrap();
    let copy = parse(&written);
    let mut again = copy.setup().start().unwrap_or_else(|error| panic!("{error}"));
    assert_same(again.world(), run.world(), "everything");
    assert_eq!((&copy.checks, copy.camera), (&scene.checks, scene.camera));
    assert_ne!(scene.camera, tumble_scene::Camera::default());
    let second = file::write(&copy, &again).unwrap();
    assert_eq!(written, second);
    for _ in 0..30 {
        run.step().unwrap();
        again.step().unwrap();
    }
    assert_eq!(again.world().hash(), run.world().hash());

    let later = file::write(&scene, &run).unwrap();
    let third = start(&later);
    let fourth = start(&file::write(&parse(&later), &third).unwrap());
    assert_same(third.world(), fourth.world(), "everything, later");
    for id in run.world().body_ids() {
        let (a, b) = (run.world().body(id).unwrap(), third.world().body(id).unwrap());
        // A file speaks of the frame, the engine of the centre: on the way a running body may lose a rounding, of f64 and of f32.
        assert!((a.centre_of_mass() - b.centre_of_mass()).length() < 1e-12, "{:?}", a.name());
        let v = a.centre_velocity().to_f64();
        assert!((v - b.centre_velocity().to_f64()).length() < 1e-6 * (1.0 + v.length()), "{:?}", a.name());
        assert_eq!(a.rotation(), b.rotation(), "{:?}", a.name());
    }
}

/// So does everything that can be said of articulations, and it does what it says.
#[test]
fn articulations_come_back() {
    let scene = parse(ARTICULATED);
    let mut run = scene.setup().set("links", 7.0).unwrap().start().unwrap_or_else(|error| panic!("{error}"));
    assert!(run.warnings().is_empty(), "{:?}", run.warnings());
    assert_eq!((run.world().articulation_count(), run.world().body_count()), (3, 1 + 7 + 2 * 9));
    let written = file::write(&scene, &run).unwrap();
    let copy = parse(&written);
    let mut again = copy.setup().start().unwrap_or_else(|error| panic!("{error}\n{written}"));
    assert_same(again.world(), run.world(), "articulated");
    assert_eq!(written, file::write(&copy, &again).unwrap());
    for _ in 0..60 {
        run.step().unwrap();
        again.step().unwrap();
    }
    assert_eq!(again.world().hash(), run.world().hash());
    for verdict in run.verdicts() {
        println!("{verdict}");
    }
    assert!(run.passed());
    // Later it is the same tree at the same coordinates.
    let later = start(&file::write(&scene, &run).unwrap());
    for (a, b) in run.world().articulation_ids().zip(later.world().articulation_ids()) {
        let (a, b) = (run.world().articulation(a).unwrap(), later.world().articulation(b).unwrap());
        assert_eq!((a.position(), a.velocity()), (b.position(), b.velocity()));
    }
}

/// Whatever stands in a slot of a method comes back from a file, and there is no slot that is not tried.
#[test]
fn every_slot_of_a_method_comes_back() {
    let careful = Method {
        name: "careful".to_owned(),
        step: Step::SoftStep(SoftStep {
            substeps: 7,
            contact_stiffness: 0.15,
            contact_damping: 1.5,
            joint_stiffness: 0.45,
            joint_damping: 1.75,
            joint_solve: JointSolve::Whole,
        }),
        integrate: Integrate::SemiImplicitEuler,
        broad: Broad::AllPairs,
        narrow: Narrow::Gjk,
        friction: FrictionModel::Point,
        materials: MaterialRule { friction: Mix::Average, restitution: Mix::Product },
        sleep: Sleep { criterion: SleepCriterion::Energy, time: 0.7, unsupported_factor: 3.0 },
        validators: vec![
            Validator::WorldBounds { min: [-1.0 / 3.0, -2.0, -1e9], max: [1.0 / 7.0, 5.0, 1e-3] },
            Validator::MaxSpeed { linear: 80.0, angular: 0.3 },
        ],
        tolerances: Tolerances {
            length: 0.05,
            slop: 0.002,
            detection: 0.03,
            box_margin: 0.04,
            restitution_speed: 0.25,
            push_speed: 0.9,
            sleep_speed: 0.01,
        },
        switches: Switches {
            warm_start: false,
            sleep: false,
            islands: false,
            recycling: false,
            reduction: false,
            continuous: false,
            gyroscopic: false,
        },
    };
    let explicit = |lcp: Lcp, correction: Correction| {
        let solve = Solver::Simultaneous(Simultaneous { lcp });
        Method { step: Step::Explicit(Explicit { solve, correction }), ..Method::simultaneous() }
    };
    let few = Lcp::ProjectedGaussSeidel { iterations: 11, tolerance: 3e-4 };
    let mut tried = vec![
        careful.clone(),
        Method { name: "soft-step".to_owned(), ..careful.clone() },
        Method { name: "simultaneous".to_owned(), ..careful.clone() },
        Method { integrate: Integrate::ExplicitEuler, ..Method::ballistic(Integrate::SemiImplicitEuler) },
        explicit(few, Correction::Baumgarte { share: 0.3 }),
        explicit(Lcp::default(), Correction::SplitImpulse { share: 0.7 }),
        explicit(Lcp::default(), Correction::None),
    ];
    const INF: f64 = f64::INFINITY;
    tried.push(Method {
        validators: vec![
            Validator::WorldBounds { min: [-INF, -100.0, -INF], max: [INF; 3] },
            Validator::MaxSpeed { linear: 100.0, angular: Real::INFINITY },
        ],
        ..Method::soft_step()
    });
    let with = |step: SoftStep| Method { step: Step::SoftStep(step), ..Method::soft_step() };
    tried.push(with(SoftStep { joint_solve: JointSolve::Sweeps, ..SoftStep::default() }));
    tried.extend([Mix::Min, Mix::Max, Mix::GeometricMean].map(|mix| {
        let sleep = Sleep { criterion: SleepCriterion::Velocity, ..Sleep::default() };
        Method { materials: MaterialRule { friction: mix, restitution: mix }, sleep, ..Method::soft_step() }
    }));
    let scene = parse("[[body]]\nsphere = 1");
    for method in &tried {
        let run = scene.setup().method(method.clone()).start().unwrap();
        let text = file::write(&scene, &run).unwrap();
        assert_eq!(start(&text).world().method(), method, "{text}");
    }
    let tried: Vec<Value> = tried.iter().map(|method| serde_json::to_value(method).unwrap()).collect();
    for preset in Method::presets() {
        let usual = serde_json::to_value(&preset).unwrap();
        let mut slots = Vec::new();
        leaves(&usual, String::new(), &mut slots);
        assert!(slots.len() > 20, "{slots:?}");
        for slot in slots {
            let other = |method: &Value| method.pointer(&slot).is_some_and(|value| Some(value) != usual.pointer(&slot));
            assert!(tried.iter().any(other), "{}: {slot} is always as in the preset", preset.name);
        }
    }
}

/// The places of all values that have no parts, as JSON pointers.
fn leaves(value: &Value, at: String, out: &mut Vec<String>) {
    match value {
        Value::Object(parts) => parts.iter().for_each(|(key, part)| leaves(part, format!("{at}/{key}"), out)),
        _ => out.push(at),
    }
}

/// A cue is given at its time, from a file too, and a mistake in one has a place.
#[test]
fn cues_are_given() {
    let text = "dt = 0.1\ncue = [{ at = 0.3, remove = ['prop'] }, { at = 0.5, release = ['tie'] }]
        body = [{ name = 'prop', kind = 'fixed', box = [1, 1, 1] }, { name = 'ball', at = [0, 5, 0], sphere = 0.5 }]
        [[joint]]\nname = 'tie'\nkind = 'ball'\nbodies = ['world', 'ball']\nanchor = [0, 6, 0]";
    let mut run = start(text);
    let mut seen = Vec::new();
    for _ in 0..8 {
        run.step().unwrap();
        let world = run.world();
        seen.push((
            world.find_body("prop").is_some(),
            world.joint(world.find_joint("tie").unwrap()).unwrap().is_active(),
        ));
    }
    let expected = [(true, true); 3].into_iter().chain([(false, true); 2]).chain([(false, false); 3]);
    assert!(seen.iter().copied().eq(expected), "{seen:?}");
    assert!(
        fault(&text.replace("'tie'] }", "'tye'] }"))
            .ends_with("there is no joint \"tye\"; the nearest name is \"tie\"")
    );
    assert!(fault(&text.replace("at = 0.3", "at = -1")).contains("must be finite and not negative"));
    assert!(fault(&text.replace("['prop']", "['drop']")).contains("there is no body \"drop\""));
}

/// The example of the manual does what it says, and is as short as it promises.
#[test]
fn example_of_the_manual() {
    assert!(DOOR.lines().count() < 40, "{} lines", DOOR.lines().count());
    let mut run = start(DOOR);
    run.finish().unwrap();
    for verdict in run.verdicts() {
        println!("{verdict}");
    }
    assert!(run.passed());
    // Its checks are about something: without friction the belt carries nothing, without the ball the door stays shut.
    let mut run =
        start(&DOOR.replace("friction = 0.8", "friction = 0").replace("velocity = [0, 2, -5]", "velocity = [0, 2, 5]"));
    run.finish().unwrap();
    let failed: Vec<bool> = run.verdicts().iter().map(|v| v.outcome == tumble_scene::Outcome::Failed).collect();
    assert_eq!(failed, [true, true, false]);
}

/// So does that of articulations: the crane lifts, and a motor that is too weak does not.
#[test]
fn articulated_example_of_the_manual() {
    let mut run = start(CRANE);
    run.finish().unwrap();
    for verdict in run.verdicts() {
        println!("{verdict}");
    }
    assert!(run.passed());
    let mut run = start(&CRANE.replace("max_force = 1e4", "max_force = 1e3"));
    run.finish().unwrap();
    assert!(!run.passed());
}

/// The same scene in millimetres, grams and degrees with z up is the same scene.
#[test]
fn units_and_the_upward_axis() {
    let metres = start(
        "body = [{ kind = 'fixed', half_space = 'y' }, { name = 'b', at = [1, 2, -3], rotation = { axis = 'y', angle = '90 deg' },
         velocity = [0, 1, 0], angular_velocity = [0, 0, -0.5], box = [1, 2, 3], mass = 4, locks = ['move-y'] }]",
    );
    let other = start(
        "up = 'z'\nunits = { length = 'mm', mass = 'g', angle = 'deg' }
         body = [{ kind = 'fixed', half_space = 'z' }, { name = 'b', at = [1000, 3000, 2000],
         rotation = { axis = 'z', angle = 90 }, velocity = [0, 0, '1 m'], angular_velocity = [0, '0.5 rad', 0],
         box = [1000, 3000, 2000], mass = 4000, locks = ['move-z'] }]",
    );
    let (a, b) = (metres.world(), other.world());
    let (a, b) = (a.body(a.find_body("b").unwrap()).unwrap(), b.body(b.find_body("b").unwrap()).unwrap());
    assert!((a.position() - b.position()).length() < 1e-12);
    // One rounding of the precision of the engine per factor.
    let near = |x: f64, y: f64| (x - y).abs() <= 1e-6 * (1.0 + x.abs());
    assert!(near(a.mass(), b.mass()) && near(a.inertia().yy, b.inertia().yy) && near(a.inertia().xx, b.inertia().xx));
    assert!((a.linear_velocity() - b.linear_velocity()).to_f64().length() < 1e-6);
    assert!((a.angular_velocity() - b.angular_velocity()).to_f64().length() < 1e-6);
    assert!(near(a.rotation().y.into(), b.rotation().y.into()) && a.locks() == b.locks());
}

/// So is an articulation, whose joints have axes, springs and coordinates.
#[test]
fn units_and_the_upward_axis_of_articulations() {
    let metres = start(
        "articulation = [{ link = [{ name = 'a', joint = 'free', box = [1, 2, 3], position = { at = [1, 2, -3], rotation = { axis = 'y', angle = 0.5 } },
         velocity = [1, 2, -3, 0.1, 0.2, -0.3], dof = [{}, {}, {}, {}, { force = 3 }, { damping = 2, force = 1 }] },
         { name = 'b', parent = 'a', joint = 'revolute', axis = 'y', at = [0, 1, -2], box = [1, 1, 1], position = 0.5, dof = { spring = 5, damping = 2, limit = [-1, 1] } },
         { name = 'c', parent = 'a', joint = 'prismatic', axis = 'z', box = [1, 1, 1], position = 0.25, velocity = 1, dof = { spring = 5, motor = { velocity = 2, max_force = 7 } } },
         { name = 'd', parent = 'b', joint = 'spherical', box = [1, 1, 1], velocity = [0.1, 0.2, 0.3], swing = { axis = 'y', cone = 0.5 } }],
         coupling = [{ a = 'b', b = 'c', ratio = 0.5, offset = 0.1 }] }]",
    );
    let other = start(
        "up = 'z'\nunits = { length = 'mm', mass = 'g', angle = 'deg' }
         articulation = [{ link = [{ name = 'a', joint = 'free', box = [1000, 3000, 2000], position = { at = [1000, 3000, 2000], rotation = { axis = 'z', angle = '0.5 rad' } },
         velocity = [1000, 3000, 2000, '0.1 rad', '0.3 rad', '0.2 rad'], dof = [{}, {}, {}, {}, { damping = 2e9, force = -1e9 }, { force = 3e9 }] },
         { name = 'b', parent = 'a', joint = 'revolute', axis = 'z', at = [0, 2000, 1000], box = [1000, 1000, 1000], position = '0.5 rad', dof = { spring = 5e9, damping = 2e9, limit = ['-1 rad', '1 rad'] } },
         { name = 'c', parent = 'a', joint = 'prismatic', axis = '-y', box = [1000, 1000, 1000], position = 250, velocity = 1000, dof = { spring = 5000, motor = { velocity = 2000, max_force = 7e6 } } },
         { name = 'd', parent = 'b', joint = 'spherical', box = [1000, 1000, 1000], velocity = ['0.1 rad', '-0.3 rad', '0.2 rad'], swing = { axis = 'z', cone = '0.5 rad' } }],
         coupling = [{ a = 'b', b = 'c', ratio = '500 / (1 rad)', offset = 100 }] }]",
    );
    let tree = |run: &Run| run.world().articulation(run.world().articulation_ids().next().unwrap()).unwrap().desc();
    let (a, b) = (tree(&metres), tree(&other));
    let near = |x: f64, y: f64| assert!((x - y).abs() <= 1e-6 * (1.0 + x.abs()), "{x} {y}");
    for (a, b) in a.links.iter().zip(&b.links) {
        let lists = [(&a.position, &b.position), (&a.velocity, &b.velocity), (&a.rest, &b.rest)];
        lists.iter().flat_map(|(a, b)| a.iter().zip(b.iter())).for_each(|(x, y)| near(*x, *y));
        for (a, b) in a.dofs.iter().zip(&b.dofs) {
            near(a.stiffness, b.stiffness);
            near(a.damping, b.damping);
            near(a.force, b.force);
            near(a.motor.speed, b.motor.speed);
            near(a.motor.max_force.min(1e9), b.motor.max_force.min(1e9));
            near(a.limits.unwrap_or_default()[1], b.limits.unwrap_or_default()[1]);
        }
        near((a.frame_on_parent.translation - b.frame_on_parent.translation).length(), 0.0);
        assert!(
            (a.swing.map(|s| s.axis), a.joint) == (b.swing.map(|s| s.axis), b.joint),
            "{:?} {:?}",
            a.joint,
            b.joint
        );
    }
    near(a.couplings[0].ratio, b.couplings[0].ratio);
    near(a.couplings[0].offset, b.couplings[0].offset);
}

/// Water lies where its group is, however that is placed and turned; it used to keep the level of the world.
#[test]
fn water_lies_where_its_group_is() {
    let surface = |text: &str| {
        let run = start(text);
        let id = run.world().effect_ids().next().unwrap();
        match run.world().effect(id).unwrap().desc().kind {
            EffectKind::Buoyancy(water) => (water.normal.to_f64().to_array(), water.level),
            other => panic!("{other:?}"),
        }
    };
    let water = "effect = [{ kind = 'buoyancy', level = 2, density = 1000 }]";
    let turned = "rotation = { axis = 'z', angle = '90 deg' }";
    for (text, normal, level) in [
        (water.to_owned(), [0.0, 1.0, 0.0], 2.0),
        (format!("group = [{{ at = [3, 10, 5], {water} }}]"), [0.0, 1.0, 0.0], 12.0),
        // The length of a normal says nothing.
        (
            format!("group = [{{ at = [3, 10, 5], {} }}]", water.replace("level", "normal = [0, 4, 0], level")),
            [0.0, 4.0, 0.0],
            12.0,
        ),
        // What was up looks to -x.
        (format!("group = [{{ at = [3, 10, 5], {turned}, {water} }}]"), [-1.0, 0.0, 0.0], -1.0),
        (
            format!("group = [{{ at = [0, 7, 0], group = [{{ at = [3, 10, 5], {turned}, {water} }}] }}]"),
            [-1.0, 0.0, 0.0],
            -1.0,
        ),
        (
            format!(
                "up = 'z'\nunits = {{ length = 'mm' }}\ngroup = [{{ at = [3, 5, 10000], {} }}]",
                water.replace("= 2", "= 2000")
            ),
            [0.0, 1.0, 0.0],
            12.0,
        ),
    ] {
        let (n, at) = surface(&text);
        assert!(
            n.iter().zip(normal).all(|(a, b)| (a - b).abs() < 1e-6) && (at - level).abs() < 1e-6,
            "{text}: {n:?} {at}"
        );
    }
}

/// Springs and dampers of what turns are torques per angle, in millimetres as in metres; they were read as forces per length, a million times
/// too hard.
#[test]
fn springs_of_joints_have_the_unit_of_their_freedom() {
    let joints = |slide: &str, turn: &str| {
        let (of_slide, of_turn) =
            (format!("spring = {slide}, damping = {slide}"), format!("spring = {turn}, damping = {turn}"));
        [
            (
                "hinge",
                format!("motor = {{ position = 0, {of_turn} }}, limit = {{ low = -1, stiffness = {{ {of_turn} }} }}"),
            ),
            (
                "slider",
                format!("motor = {{ position = 0, {of_slide} }}, limit = {{ high = 0, stiffness = {{ {of_slide} }} }}"),
            ),
            ("ball", format!("motor = {{ target = [0, 0, 0, 1], {of_turn} }}, stiffness = {{ {of_slide} }}")),
            (
                "cone-twist",
                format!(
                    "cone = 1, cone_stiffness = {{ {of_turn} }}, twist = {{ high = 1, stiffness = {{ {of_turn} }} }}"
                ),
            ),
            ("distance", format!("motor = {{ position = 0, {of_slide} }}")),
            (
                "cylindrical",
                format!(
                    "slide = {{ motor = {{ position = 0, {of_slide} }} }}, turn = {{ motor = {{ position = 0, {of_turn} }} }}"
                ),
            ),
            ("six-axis", format!("turn = ['locked', {{ motor = {{ position = 0, {of_turn} }} }}, 'free']")),
            ("screw", format!("pitch = 0, motor = {{ position = 0, {of_turn} }}")),
            ("wheel", format!("suspension = {{ motor = {{ position = 0, {of_slide} }} }}")),
            ("drag", format!("max_force = 0, pull = {{ {of_slide} }}")),
            ("parallel", format!("stiffness = {{ {of_turn} }}")),
            ("gear", format!("ratio = 1, stiffness = {{ {of_turn} }}")),
        ]
    };
    let kinds = |units: &str, [slide, turn]: [&str; 2]| {
        joints(slide, turn).map(|(kind, fields)| {
            let joint = format!("joint = [{{ kind = '{kind}', bodies = ['world', 'a'], {fields} }}]");
            let run = start(&format!("{units}body = [{{ name = 'a', sphere = 1 }}]\n{joint}"));
            let id = run.world().joint_ids().next().unwrap();
            let desc = run.world().joint(id).unwrap().desc();
            format!("{:?} {:?}", desc.kind, desc.stiffness)
        })
    };
    let metres = kinds("", ["5", "5"]);
    for said in &metres {
        assert!(said.contains("Spring { stiffness: 5.0, damping: 5.0 }"), "{said}");
    }
    let small = "units = { length = 'mm', mass = 'g' }\n";
    for (units, numbers) in
        [(small, ["5000", "5e9"]), (small, ["'5 N / 1 m'", "'5 N m'"]), ("", ["'5 N / 1 m'", "'5 N m'"])]
    {
        assert_eq!(kinds(units, numbers), metres, "{units}{numbers:?}");
    }
}

/// What is written by number is read by the same number, also where links of a tree do not lie next to each other; a hinge used to hold another
/// body than it did.
#[test]
fn numbers_that_are_written_are_those_that_are_read() {
    let mut world = World::new();
    let ball = Shape::sphere(0.25).unwrap();
    let bodies = [1.0, 2.0, 3.0]
        .map(|x| world.add_body(BodyDesc::dynamic().position([x, 0.0, 0.0]).collider(ball.clone())).unwrap());
    world.add_joint(JointDesc::new(bodies[0], bodies[2], Ball::default()).anchor([2.0, 1.0, 0.0])).unwrap();
    world.articulate(bodies[0]).unwrap();
    world.add_joint(JointDesc::new(World::BODY, bodies[1], Hinge::default()).anchor([2.0, 5.0, 0.0])).unwrap();
    world.set_pair_excluded(bodies[1], bodies[2], true).unwrap();
    let text = file::write_world("numbers", &world, 0.01).unwrap();
    let again = start(&text);
    let places = |world: &World, ids: [BodyId; 2]| ids.map(|id| world.body(id).unwrap().position().x);
    let held = |world: &World| {
        let joint = world.joint_ids().find(|id| matches!(world.joint(*id).unwrap().desc().kind, JointKind::Hinge(_)));
        places(world, world.joint(joint.unwrap()).unwrap().desc().bodies)
    };
    assert_eq!(held(again.world()), [0.0, 2.0], "{text}");
    let mut apart = again.world().excluded_pairs().map(|(a, b)| places(again.world(), [a, b])).next().unwrap();
    apart.sort_by(f64::total_cmp);
    assert_eq!(apart, [2.0, 3.0], "{text}");
}

/// What `--set` and `--method` choose stands above what the file prefers.
#[test]
fn choices_of_the_user_come_first() {
    let scene =
        parse("dt = 0.01\nmethod = 'ballistic'\nparameters = { n = 2 }\nbody = [{ repeat = { i = 'n' }, sphere = 1 }]");
    let plain = scene.setup().start().unwrap();
    assert_eq!((plain.dt(), plain.world().method().name.as_str(), plain.world().body_count()), (0.01, "ballistic", 2));
    let chosen =
        scene.setup().set("n", 3.0).unwrap().dt(0.02).unwrap().method(tumble::Method::soft_step()).start().unwrap();
    assert_eq!(
        (chosen.dt(), chosen.world().method().name.as_str(), chosen.world().body_count()),
        (0.02, "soft-step", 3)
    );
}

/// Every mistake is answered with its place and with what to do.
#[test]
fn mistakes_have_places() {
    let cases = [
        ("bodi = []", r#"f:1:1: there is no "bodi" in a scene; the nearest name is "body""#),
        ("[[body]]\nboxx = [1, 1, 1]", r#"f:2:1: there is no "boxx" in a body; the nearest name is "box""#),
        ("[[body]]\nbox = [1, 1]", "f:2:7: this must be a list of 3 numbers, got 2 of them"),
        ("[[body]]\nbox = 'big'", "f:2:7: this must be a list of 3 numbers, got a text"),
        ("[[body]]\nsphere = true", "f:2:10: this must be a number or an expression, got true or false"),
        ("[[body]]\nsphere = nan", "f:2:10: this is not a number; is something divided by zero?"),
        ("[[body]]\nsphere = '0 / 0'", "f:2:10: this is not a number; is something divided by zero?"),
        (
            "[[body]]\nsphere = '1 + radius'",
            r#"f:2:15: nothing is called "radius"; a number or an expression is needed here; there are "pi", "tau""#,
        ),
        (
            "let = { size = 1 }\n[[body]]\nsphere = 'sze'",
            r#"f:3:11: nothing is called "sze"; the nearest name is "size""#,
        ),
        (
            "[[body]]\nmesh = 'bunny.obj'",
            r#"f:2:8: this must be a mesh as a table, as in { file = "bunny.obj" }, got a text"#,
        ),
        (
            "[body]\nsphere = 1",
            "f:1:2: this must be a list of tables, each a body; write [[..]] in place of [..], got a table",
        ),
        (
            "[[body]]\nname = 'a'\nsphere = 1\n[[joint]]\nkind = 'hinge'\nbodies = ['a', 'a']",
            "f:6:10: a joint ties two bodies, and these are one",
        ),
        (
            "[[body]]\nmesh = { vertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0]], triangles = [[0, 1, 2]] }",
            "f:1:1: the body: its collider has no mass: mesh: edge 0-1 of triangle 0 has no neighbour; give the body a `mass`, or kind = \"fixed\"",
        ),
        (
            "[[check]]\nname = 'c'\nmeasure = 'y(\"a\")'\nat_most = 1",
            r#"f:3:14: names of bodies and joints stand in single quotes, as in "y('box')""#,
        ),
        ("[[body]]\nsphere = -1", "f:2:10: sphere: radius must be positive and finite, got -1"),
        ("[[body]]\nbox = [1, -2, 1]", "f:2:7: the lengths of a box must be positive and finite, got -2"),
        (
            "[[body]]\ncylinder = { length = 0, radius = 1 }",
            "f:2:23: the length of a cylinder must be positive and finite, got 0",
        ),
        ("[[body]]\nsphere = inf", "f:2:10: sphere: radius must be positive and finite, got inf"),
        (
            "[[body]]\nsphere = 1\nbox = [1, 1, 1]",
            r#"f:3:1: "box" is a second shape beside "sphere"; several stand in `colliders`"#,
        ),
        ("[[body]]\nkind = 'fixt'", r#"f:2:8: "fixt" is none of dynamic, fixed, kinematic; did you mean "fixed"?"#),
        (
            "[[body]]\nsphere = 1\nmaterial = 'woud'",
            r#"f:3:12: there is no material "woud"; the nearest name is "wood""#,
        ),
        (
            "[[body]]\nshape = 'gem'",
            r#"f:2:9: there is no shape "gem"; the file has none; write one under [shape.NAME]"#,
        ),
        (
            "[shape.a]\nshape = 'b'\n[shape.b]\nshape = 'a'\n[[body]]\nshape = 'a'",
            r#"f:1:8: the shape "a" is made of itself"#,
        ),
        ("[material.a]\nlike = 'b'\n[material.b]\nlike = 'a'", r#"f:1:11: the material "a" is like itself"#),
        ("let = { a = 'b + 1', b = 'a' }", r#"f:1:13: "a" depends on itself, by way of "b""#),
        (
            "[parameters]\na-b = 1",
            r#"f:2:1: "a-b" cannot be a name: a name in expressions is made of letters, digits and _, and begins with no digit"#,
        ),
        (
            "[[body]]\nrepeat = { i = 1e9 }\nsphere = 1",
            r#"f:2:16: "i" must count whole numbers, at most 2000000 of them"#,
        ),
        (
            "[[body]]\nrepeat = { i = 1e6, j = 1e6 }\nwhen = '0'",
            "f:2:25: the scene has, or counts to, more than 100000 things",
        ),
        ("[[body]]\nrepeat = { i = -1000, j = -1000 }\nsphere = 1", "nothing"),
        ("most = 2000000", "nothing"),
        ("most = 2000001", "f:1:8: `most` can be 2000000 at most, got 2000001"),
        (
            "[[joint]]\nkind = 'hing'",
            r#"f:2:8: "hing" is none of ball, hinge, slider, fixed, distance, universal, cone-twist, cylindrical, planar, parallel, six-axis, gear, rack, screw, pulley, wheel, path, drag, glue; did you mean "hinge"?"#,
        ),
        (
            "[[joint]]\nkind = 'hinge'\nbodies = ['world', 'dor']\n[[body]]\nname = 'door'",
            r#"f:3:20: there is no body "dor"; the nearest name is "door""#,
        ),
        (
            "[[joint]]\nkind = 'hinge'\npitch = 1\nbodies = ['a', 'b']",
            r#"f:3:1: there is no "pitch" in a hinge; there are "limit", "motor", "kind", "bodies", "name", "anchor" and 16 more"#,
        ),
        ("method = 'soft-stop'", r#"f:1:10: there is no method "soft-stop"; the nearest name is "soft-step""#),
        ("[method]\ntolerances = { sloop = 1 }", r#"f:2:16: the method cannot be read: unknown field `sloop`"#),
        (
            "[method]\nstep = { soft-step = { substeps = 0 } }",
            r#"f:1:2: method "soft-step": substeps must be between 1 and 1000, got 0"#,
        ),
        ("gravity = [0, 'g', 0]", r#"f:1:16: nothing is called "g""#),
        ("[[check]]\nname = 'a'\nmeasure = 'spead(\"x\")'\nat_most = 1", "f:3:"),
        ("[[check]]\nname = 'a'\nmeasure = \"speed('x')\"\nat_most = 1", r#"f:3:12: there is no body "x""#),
        ("[[body]]\nname = 'a{1'", "f:2:"),
        ("format = 2", "f:1:10: this is format 2; this program reads format 1"),
        ("a = [1, 2", "f:1:10: this is not TOML:"),
        ("date = 2020-01-01", "f:1:8: dates mean nothing here"),
        (
            "[[articulation]]\n[[articulation.link]]\njoint = 'revolut'",
            r#"f:3:9: "revolut" is none of fixed, revolute, prismatic, helical, cylindrical, universal, planar, spherical, free; did you mean "revolute"?"#,
        ),
        (
            "[[articulation]]\n[[articulation.link]]\njoint = 'revolute'\naxes = 'z'",
            r#"f:4:1: there is no "axes" in a revolute link; the nearest name is "axis""#,
        ),
        (
            "[[articulation]]\n[[articulation.link]]\njoint = 'revolute'\nmass = 1",
            r#"f:2:1: a revolute link needs a value for "axis""#,
        ),
        ("[[articulation]]\nname = 'a'", "f:1:1: an articulation needs links; write [[articulation.link]] below it"),
        (
            "[[articulation]]\nlink = [{ joint = 'fixed', name = 'hip', mass = 1 }, { joint = 'free', mass = 1, parent = 'hp' }]",
            r#"f:2:91: there is no link "hp" before this one; the nearest name is "hip""#,
        ),
        (
            "[[articulation]]\nlink = [{ joint = 'fixed', name = 'hip', mass = 1 }, { joint = 'free', mass = 1, parent = 'hip' }]",
            "f:2:54: link 1: only a link without a parent can be free",
        ),
        (
            "[[articulation]]\nlink = [{ joint = 'spherical', mass = 1, position = [1, 2] }]",
            "f:2:53: this must be a list of 4 numbers, got 2 of them",
        ),
        (
            "[[articulation]]\nlink = [{ joint = 'prismatic', axis = 'y', mass = 1, position = [1, 2] }]",
            "f:2:65: the joint takes 1 number, got 2",
        ),
        (
            "[[articulation]]\nlink = [{ joint = 'prismatic', axis = 'y', mass = 1, dof = { limit = [1, -1] } }]",
            "f:2:9: link 0: limits must be the least first, got [1, -1]",
        ),
        (
            "[[articulation]]\nlink = [{ joint = 'prismatic', axis = 'y', massless = true }]",
            "f:2:9: body 1v0: its joint can move, but nothing beyond it has a mass",
        ),
        (
            "[[articulation]]\nlink = [{ joint = 'fixed', name = 'a', mass = 1 }]\ncoupling = [{ a = 'a', b = 'a', ratio = 1 }]",
            "f:3:19: the link has 0 freedoms, and none of the number 0",
        ),
        ("[[group]]\nbdy = 1", r#"f:2:1: there is no "bdy" in a group; the nearest name is "body""#),
    ];
    let differs = |&(text, expected): &(&str, &str)| {
        let said = fault(text);
        (!said.starts_with(expected)).then(|| format!("{text:?}\n  said     {said}\n  expected {expected}"))
    };
    let wrong: Vec<String> = cases.iter().filter_map(differs).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let missing = file::load("no/such/file.toml").unwrap_err().to_string();
    assert!(missing.starts_with("no/such/file.toml: the file cannot be read"), "{missing}");
    let manual = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/scenes/door-convey-stack.toml");
    let near = file::load(manual).unwrap_err().to_string();
    assert!(near.ends_with("; the nearest name is \"door-conveyor-stack.toml\""), "{near}");
    // A name that no file can have is not one that is missing.
    let never = file::load(manual.replace("convey-", "convey\0or-")).unwrap_err().to_string();
    assert!(never.contains("the file cannot be read") && !never.contains("nearest"), "{never}");
}

/// All mistakes of a file that can be told by themselves are named at once, in the order of its lines: first keys and types, then what the
/// values make of it. What only misses a body that is wrong is not one of them.
#[test]
fn mistakes_are_named_together() {
    let all = |text: &str| -> Vec<String> {
        match file::parse(text, "f", ".").and_then(|scene| scene.setup().start()).err() {
            Some(Error::File(first)) => {
                std::iter::once(&first).chain(&first.others).map(|e| format!("{}:{}", e.line, e.message)).collect()
            }
            other => panic!("{other:?}"),
        }
    };
    let text = "[[body]]\nmas = 1\nbox = [1, 2]\nkind = 'fixt'\n[[joint]]\nkind = 'hing'\n[[joint]]\nkind = 'hinge'\nbodies = 'a'\n\
        limit = [0, 1, 2]\n[[effect]]\nkind = 'drag'\nlinear = '2 +'\n[camera]\nfov = 1\n[parameters]\na = true\n[[articulation]]\n\
        [[articulation.link]]\njoint = 'revolute'\naxis = 'q'\ndof = { motr = 1 }\nposition = true";
    let found = all(text);
    let lines: Vec<&str> = found.iter().filter_map(|f| f.split(':').next()).collect();
    assert_eq!(lines, ["2", "3", "4", "6", "9", "10", "13", "15", "17", "21", "22", "23"], "{found:#?}");
    let text = "[[joint]]\nkind = 'ball'\nbodies = ['a', 'b']\n[[body]]\nname = 'a'\nsphere = -1\n[[body]]\nname = 'b'\nbox = [1, 0, 1]\n\
        [[body]]\nname = 'c'\nmass = 1\n[[body]]\nmaterial = 'woud'\nsphere = 1\n[[joint]]\nkind = 'pulley'\nbodies = ['c', 'world']";
    let found = all(text);
    let expected = [
        "6:sphere: radius must be positive and finite, got -1",
        "9:the lengths of a box must be positive and finite, got 0",
        "14:there is no material \"woud\"; the nearest name is \"wood\"",
        "16:a pulley needs a value for \"wheels\"",
    ];
    assert_eq!(found, expected);
}

/// A mistake in a shape that several share is that mistake, and nothing else is found wrong for it. The second use used to say that the shape
/// is made of itself, and what counted around the first was lost.
#[test]
fn a_mistake_in_a_shared_shape_is_one_mistake() {
    for shape in ["sphere = -1", "speer = 1", "compound = [{ shape = 'none' }]"] {
        let text = format!(
            "shape = {{ bad = {{ {shape} }}, good = {{ box = [1, 1, 1] }} }}\n[let]\nsize = 2\n\
             [[body]]\nname = 'a{{i}}'\nrepeat = {{ i = 2 }}\nshape = 'bad'\n[[body]]\nshape = 'bad'\n\
             [[body]]\nat = [0, 'size', 0]\nshape = 'good'\n"
        );
        let error = file::parse(text, "f", ".").and_then(|scene| scene.setup().start()).err();
        let Some(Error::File(error)) = error else { panic!("{shape}: {error:?}") };
        assert!(error.line == 1 && error.others.is_empty(), "{shape}: {error} {:?}", error.others);
    }
}

/// A cue that could only break off the run is refused with its place: links go with their tree, and the world stays.
#[test]
fn cues_that_remove_what_stays_are_refused() {
    let text = "articulation = [{ link = [{ name = 'arm', joint = 'fixed', mass = 1 }] }]\n[[body]]\nname = 'a'\nmass = 1\n\
        [[cue]]\nat = 1\nremove = ['a', ";
    let refused = |name: &str| fault(&format!("{text}'{name}']"));
    let expected = "f:7:16: the body \"arm\" is a link, which cannot be removed without its tree";
    assert_eq!(refused("arm"), expected);
    assert_eq!(refused("#1"), expected.replace("\"arm\"", "\"#1\""));
    for world in ["world", "#0"] {
        assert_eq!(refused(world), "f:7:16: the world itself cannot be removed");
    }
    assert_eq!(refused("#2"), "nothing");
}

/// Names that count are names that expressions can say, and no name is longer than a line: what waits for its bodies remembers them.
#[test]
fn names_in_expressions_are_short() {
    let long = "n".repeat(65);
    for text in [
        format!("[let]\n{long} = 1\n[[body]]\nmass = 1"),
        format!("[parameters]\n{long} = 1\n[[body]]\nmass = 1"),
        format!("[[body]]\nrepeat = {{ {long} = 1 }}\nmass = 1"),
    ] {
        assert!(fault(&text).ends_with("cannot be a name: it has more than 64 letters"), "{}", fault(&text));
        assert_eq!(fault(&text.replace(&long, &long[1..])), "nothing");
    }
    let odd = fault("[[body]]\nrepeat = { 'a b' = 1 }\nmass = 1");
    assert!(odd.starts_with("f:2:12: \"a b\" cannot be a name"), "{odd}");
}

/// No two bodies have one name unless the file says so; a body that is nothing is warned of.
#[test]
fn names_and_bodies_that_are_hardly_meant() {
    let twice = "[[body]]\nname = 'a'\nsphere = 1\n[[body]]\nname = 'b'\nsphere = 1\n[[body]]\nname = 'a'\nsphere = 1";
    let expected =
        "f:7:1: two bodies are called \"a\", and every body needs a name of its own; the other one stands in line 1";
    assert_eq!(fault(twice), expected);
    assert_eq!(fault(&format!("same_names = true\n{twice}")), "nothing");
    let repeated = "[[body]]\nname = 'a'\nrepeat = { i = 2 }\nsphere = 1";
    assert!(fault(repeated).starts_with("f:1:1: several bodies are called \"a\""), "{}", fault(repeated));
    let links = "[[articulation]]\nlink = [{ name = 'a', joint = 'fixed', mass = 1 }, { name = 'a', joint = 'fixed', mass = 1 }]";
    assert!(fault(links).starts_with("f:2:52: several bodies are called \"a\"") || fault(links).contains("two bodies"));

    let ghosts = "[[body]]\nname = 'ghost'\n[[body]]\nname = 'point'\nmass = 1\n[[body]]\nkind = 'fixed'";
    let run = start(ghosts);
    let expected = "test.toml:1:1: the body \"ghost\" has neither a shape nor a mass: it weighs 1 kg and meets nothing";
    assert_eq!(run.warnings(), [expected]);

    // Once for each table, however often it is repeated.
    let ghosts = "[[group]]\nrepeat = { i = 3 }\n[[group.body]]\nname = 'a{i}'\n[[group.body]]\nname = 'b{i}'";
    let warnings = start(ghosts).warnings().to_vec();
    assert!(warnings.len() == 2 && warnings[0].contains("\"a0\"") && warnings[1].contains("\"b0\""), "{warnings:?}");

    let floor = start("[[body]]\nhalf_space = 'y'\n[[body]]\nkind = 'fixed'\nhalf_space = 'y'");
    let expected =
        "test.toml:1:1: a half-space has no end and falls with all that is on it; kind = \"fixed\" lets it stay";
    assert_eq!(floor.warnings(), [expected]);
    let hinge = |limit: &str, units: &str| {
        let text = format!(
            "{units}[[body]]\nname = 'a'\nsphere = 1\n[[joint]]\nkind = 'hinge'\nbodies = ['world', 'a']\nlimit = {limit}"
        );
        start(&text).warnings().to_vec()
    };
    let expected = "test.toml:7:1: a stop at -90 radians is several turns away; degrees are written \"-90 deg\"";
    assert_eq!(hinge("[-90, 90]", ""), [expected]);
    for (limit, units) in [("[-3, 3]", ""), ("['-90 deg', '90 deg']", ""), ("[-90, 90]", "units = { angle = 'deg' }\n")]
    {
        assert_eq!(hinge(limit, units), [""; 0], "{limit}");
    }
}

/// What is offered instead resembles what was said; else it is said what there is.
#[test]
fn only_what_is_near_is_offered() {
    use tumble_scene::names::nearest;
    for (said, meant) in
        [("boxx", "box"), ("fixt", "fixed"), ("proj", "projectiles"), ("SPEED", "speed"), ("hieght", "height")]
    {
        assert_eq!(nearest(said, ["zebra", meant]), Some(meant), "{said}");
    }
    for (said, there) in [("qwertz", "box-stack"), ("a", "x"), ("", "y"), ("pitch", "limit"), ("zz", "at")] {
        assert_eq!(nearest(said, [there]), None, "{said}");
    }
    let folder = file::load(".").unwrap_err().to_string();
    assert_eq!(folder, ".: this is a folder, and a file is needed");
}

/// Whatever speed a file gives a body, a step is made: beyond the range of numbers its travel has no box to look ahead with.
#[test]
fn speeds_beyond_numbers() {
    for (linear, angular) in [("1e38", "0"), ("0", "1e38"), ("3e38", "3e38"), ("1e25", "1e19")] {
        let text = format!(
            "[[body]]\nkind = 'fixed'\nhalf_space = 'y'\n[[body]]\nat = [0, 2, 0]\nbox = [1, 1, 1]\n\
             velocity = [{linear}, -{linear}, 0]\nangular_velocity = [{angular}, {angular}, 0]"
        );
        let mut run = start(&text);
        for _ in 0..3 {
            run.step().unwrap();
        }
    }
}

/// No depth of nesting and no chain of names fills the stack.
#[test]
fn depth_is_limited() {
    let deep = format!("a = {}1{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(fault(&deep).starts_with("f:1:"), "{}", fault(&deep));
    let tables = format!("a{} = 1", ".a".repeat(100_000));
    assert!(fault(&tables).starts_with("f:1:"));
    let chain: String = (0..5000).map(|i| format!("a{i} = 'a{} + 1'\n", i + 1)).collect();
    assert!(fault(&format!("[let]\n{chain}a5000 = 1")).contains("depend on each other"));
    let groups = format!("[[{}group]]\n", "group.".repeat(40));
    assert!(fault(&groups).contains("f:1:"), "{}", fault(&groups));
    let shapes: String = (0..100).map(|i| format!("[shape.s{i}]\nshape = 's{}'\n", i + 1)).collect();
    let text = format!("{shapes}[shape.s100]\nsphere = 1\n[[body]]\nshape = 's0'");
    assert!(fault(&text).contains("more than 32 deep"));
}

/// Ten thousand bodies load in a moment, counted or written out one by one. Without optimisation, which on a slow machine takes what it takes, in
/// no more than twice ten times the time of a thousand.
#[test]
fn ten_thousand_bodies_load_quickly() {
    let counted = |columns: u32| {
        let repeat = format!("repeat = {{ i = 100, j = {columns} }}");
        format!("body = [{{ name = 'b{{i}}-{{j}}', {repeat}, at = ['i', 'j', 0], box = [0.5, 0.5, 0.5] }}]")
    };
    let written = |columns: u32| {
        let scene = parse(&counted(columns));
        let run = scene.setup().start().unwrap();
        file::write(&scene, &run).unwrap()
    };
    for [few, many] in [[counted(10), counted(100)], [written(10), written(100)]] {
        let time = |text: &str, bodies: usize| {
            let begin = Instant::now();
            assert_eq!(start(text).world().body_count(), bodies);
            begin.elapsed()
        };
        // Others may be using the machine: one time in four is enough, and the first that is ends it.
        let quick = (0..4).any(|_| {
            let bar = if cfg!(debug_assertions) { time(&few, 1000) * 20 } else { Duration::from_millis(200) };
            let took = time(&many, 10_000);
            println!("{} bytes: {took:?} of {bar:?}", many.len());
            took < bar
        });
        assert!(quick, "not once quick enough");
    }
}

/// A check of many bodies is that of the worst one, whichever side its bound is on: of two boxes one has no floor under it, and every way to say
/// that all stay up fails. The largest used to count, and the box that stood hid the one that fell.
#[test]
fn a_check_of_many_is_that_of_the_worst() {
    let bodies = "body = [{ name = 'floor', kind = 'fixed', box = [2, 1, 2], at = [0, -0.5, 0] }, \
        { name = 'b-0', box = [1, 1, 1], at = [0, 0.5, 0] }, { name = 'b-1', box = [1, 1, 1], at = [9, 0.5, 0] }]\n";
    let outcome = |pattern: &str, measure: &str, bound: &str| {
        let measure = measure.replace('#', pattern);
        let text = format!("seconds = 1\n{bodies}[[check]]\nname = 'up'\nmeasure = \"{measure}\"\n{bound}\n");
        let mut run = start(&text);
        run.finish().unwrap();
        run.passed()
    };
    for (measure, bound) in [
        ("y('#')", "at_least = 0.4"),
        ("-y('#')", "at_most = -0.4"),
        ("y('#')", "at_least = 0.4\nat_most = 0.6"),
        ("moved('#')", "at_most = 0.1"),
    ] {
        assert!(outcome("b-0", measure, bound), "the box on the floor: {measure} {bound}");
        assert!(!outcome("b-*", measure, bound), "both: {measure} {bound}");
    }
}
