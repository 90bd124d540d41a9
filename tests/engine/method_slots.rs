//! Methods as data: every slot counts, and methods can be swapped at any step.

use crate::simultaneous::random_pile;
use crate::support::{Random, awake, dump, named, real, scene};
use std::collections::BTreeSet;
use tumble::articulation::{ArticulationDesc, LinkDesc};
use tumble::math::{Real, Vec3};
use tumble::method::{
    Ability, Broad, Correction, Explicit, FrictionModel, JointSolve, Lcp, Narrow, Simultaneous, SleepCriterion,
    SoftStep, Solver, Step, Tolerances, Validator,
};
use tumble::shape::{MeshDesc, Shape};
use tumble::{
    BodyDesc, BodyId, BodyKind, ColliderDesc, ColliderId, Event, Integrate, JointDesc, JointId, Material, MaterialRule,
    Method, Mix, World,
};

const DT: Real = 1.0 / 60.0;

/// A scene in which everything happens: a slab lands askew on a corner and bounces, a stack with overlap is pushed apart, a ball rolls, a
/// rod spins freely, and in the end some of it sleeps.
fn busy(method: &Method) -> World {
    let mut world = World::with_method(method.clone()).unwrap();
    let floor = Material { static_friction: 0.8, dynamic_friction: 0.5, restitution: 0.3, ..Material::default() };
    let floor = ColliderDesc::new(Shape::half_space(Vec3::Y, 0.0).unwrap()).material(floor);
    world.add_body(BodyDesc::fixed().collider(floor)).unwrap();
    let bouncy = Material { restitution: 0.7, rolling_friction: 0.01, dynamic_friction: 0.3, ..Material::default() };
    let slab = ColliderDesc::new(Shape::cuboid(0.6, 0.1, 0.4).unwrap()).material(bouncy.clone());
    let slab = BodyDesc::dynamic().position([0.0, 2.0, 0.0]).turned([1.0, 0.3, 0.7], 0.6).collider(slab);
    world.add_body(slab.linear_velocity([1.0, 0.0, 0.3]).angular_velocity([0.0, 3.0, 0.0])).unwrap();
    for i in 0..5 {
        // Three centimetres into each other.
        let cube = ColliderDesc::new(Shape::cuboid(0.3, 0.3, 0.3).unwrap());
        let at = [4.0 + 0.02 * f64::from(i), 0.27 + 0.57 * f64::from(i), 0.0];
        world.add_body(BodyDesc::dynamic().position(at).turned([0.0, 1.0, 0.0], real(0.2)).collider(cube)).unwrap();
    }
    let ball = ColliderDesc::new(Shape::sphere(0.3).unwrap()).material(bouncy);
    let ball = BodyDesc::dynamic().position([-4.0, 0.3, 0.0]).collider(ball);
    world.add_body(ball.linear_velocity([2.0, 0.0, 0.5])).unwrap();
    // Slow enough to be idle, on one point: it stops when it falls asleep.
    let lazy = ColliderDesc::new(Shape::sphere(0.3).unwrap());
    let lazy = BodyDesc::dynamic().position([-4.0, 0.3, 8.0]).collider(lazy);
    world.add_body(lazy.linear_velocity([0.015, 0.0, 0.0]).angular_velocity([0.0, 0.0, -0.05])).unwrap();
    let rod = ColliderDesc::new(Shape::cuboid(0.8, 0.1, 0.05).unwrap());
    let rod = BodyDesc::dynamic().position([0.0, 30.0, 8.0]).collider(rod);
    world.add_body(rod.angular_velocity([0.1, 5.0, 0.2])).unwrap();
    // Two chains that swing: one of equal links, one whose links carry a hundred times their mass.
    for (x, load) in [(20.0, 1.0), (24.0, 100.0)] {
        let mut last = World::BODY;
        for i in 0..4 {
            let at = [x, 20.0, f64::from(i) * 0.5];
            let link = BodyDesc::dynamic().position(at).mass(if i == 3 { load } else { 1.0 });
            let link = world.add_body(link.collider(Shape::sphere(0.1).unwrap())).unwrap();
            world.add_joint(JointDesc::ball(last, link).anchor([x, 20.0, f64::from(i) * 0.5 - 0.25])).unwrap();
            last = link;
        }
    }
    world
}

/// Everything that moves, to the bit, after so many steps.
fn trajectory(method: &Method, steps: u32) -> Vec<String> {
    let mut world = busy(method);
    for _ in 0..steps {
        world.step(DT).unwrap();
    }
    world
        .body_ids()
        .map(|id| {
            let body = world.body(id).unwrap();
            format!("{:?} {:?} {:?}", body.pose(), body.centre_velocity(), body.angular_velocity())
        })
        .collect()
}

/// The method with one choice changed.
type Change = (&'static str, Box<dyn Fn(&mut Method)>);

fn change(name: &'static str, f: impl Fn(&mut Method) + 'static) -> Change {
    (name, Box::new(f))
}

fn explicit(m: &mut Method, f: impl Fn(&mut Explicit)) {
    if let Step::Explicit(e) = &mut m.step {
        f(e);
    }
}

/// Changes that every method with contacts must feel.
fn common() -> Vec<Change> {
    vec![
        change("narrow phase", |m| m.narrow = Narrow::Gjk),
        change("material rule", |m| m.materials = MaterialRule { friction: Mix::Min, restitution: Mix::Min }),
        change("sleep time", |m| m.sleep.time = 5.0),
        change("velocity criterion", |m| m.sleep.criterion = SleepCriterion::Velocity),
        change("energy criterion", |m| m.sleep.criterion = SleepCriterion::Energy),
        change("islands", |m| m.switches.islands = false),
        change("unsupported factor", |m| m.sleep.unsupported_factor = 1.0),
        change("validators", |m| m.validators = vec![Validator::MaxSpeed { linear: 1.5, angular: 1.5 }]),
        change("length", |m| m.tolerances = Tolerances { length: 0.3, ..Tolerances::default() }),
        change("slop", |m| m.tolerances.slop = 0.01),
        change("detection", |m| m.tolerances.detection = 0.1),
        change("restitution speed", |m| m.tolerances.restitution_speed = 10.0),
        change("push speed", |m| m.tolerances.push_speed = 0.01),
        change("sleep speed", |m| m.tolerances.sleep_speed = 1.0),
        change("warm start", |m| m.switches.warm_start = false),
        change("sleep", |m| m.switches.sleep = false),
        change("gyroscopic", |m| m.switches.gyroscopic = false),
    ]
}

/// A change of any slot changes the trajectory of a scene: no choice is ignored, and no preset falls through to another. (Left out: the broad phase and the width of
/// its boxes, which change the cost alone, and the switches of detection, which have tests of their own.)
#[test]
fn every_slot_counts() {
    // Long enough for what bounces and swings to come to rest: sleep counts too.
    const STEPS: u32 = 420;
    let soft = |f: fn(&mut SoftStep)| {
        move |m: &mut Method| {
            if let Step::SoftStep(s) = &mut m.step {
                f(s);
            }
        }
    };
    let of_soft_step = vec![
        change("substeps", soft(|s| s.substeps = 6)),
        change("contact stiffness", soft(|s| s.contact_stiffness = 0.1)),
        change("contact damping", soft(|s| s.contact_damping = 3.0)),
        change("friction model", |m| m.friction = FrictionModel::Point),
        change("joint stiffness", soft(|s| s.joint_stiffness = 0.1)),
        change("joint damping", soft(|s| s.joint_damping = 5.0)),
        change("joints in sweeps", soft(|s| s.joint_solve = JointSolve::Sweeps)),
        change("joints as a whole", soft(|s| s.joint_solve = JointSolve::Whole)),
    ];
    let lcp = |iterations: u32, tolerance: Real| {
        Solver::Simultaneous(Simultaneous { lcp: Lcp::ProjectedGaussSeidel { iterations, tolerance } })
    };
    let of_simultaneous = vec![
        change("solver", |m| {
            explicit(m, |e| e.solve = Solver::None);
        }),
        change("iterations", move |m| explicit(m, |e| e.solve = lcp(5, 1e-5))),
        change("tolerance", move |m| explicit(m, |e| e.solve = lcp(50, 1e-2))),
        change("no correction", |m| explicit(m, |e| e.correction = Correction::None)),
        change("Baumgarte", |m| explicit(m, |e| e.correction = Correction::Baumgarte { share: 0.2 })),
        change("share", |m| explicit(m, |e| e.correction = Correction::SplitImpulse { share: 0.5 })),
        change("friction model", |m| m.friction = FrictionModel::Manifold),
    ];
    let mut ends: Vec<(String, Vec<String>)> = Vec::new();
    for (preset, own) in [(Method::soft_step(), of_soft_step), (Method::simultaneous(), of_simultaneous)] {
        let base = trajectory(&preset, STEPS);
        for (name, edit) in common().into_iter().chain(own) {
            let mut method = preset.clone();
            edit(&mut method);
            assert_ne!(method, preset, "{name}");
            assert_ne!(trajectory(&method, STEPS), base, "{}: {name} changes nothing", preset.name);
        }
        ends.push((preset.name, base));
    }
    for integrate in [Integrate::SemiImplicitEuler, Integrate::ExplicitEuler] {
        let ballistic = Method::ballistic(integrate);
        ends.push((format!("ballistic {integrate:?}"), trajectory(&ballistic, 240)));
    }
    for (i, (a, x)) in ends.iter().enumerate() {
        for (b, y) in &ends[i + 1..] {
            assert_ne!(x, y, "{a} and {b} are the same");
        }
    }
}

/// Every preset comes back from text as it was, and has a name of its own by which it is found.
#[test]
fn presets_are_data() {
    let presets = Method::presets();
    for (i, preset) in presets.iter().enumerate() {
        preset.validate().unwrap();
        assert_eq!(Method::named(&preset.name).unwrap(), *preset);
        assert!(presets[..i].iter().all(|other| other.name != preset.name));
        let text = serde_json::to_string(preset).unwrap();
        assert_eq!(serde_json::from_str::<Method>(&text).unwrap(), *preset, "{text}");
        let world = World::with_method(preset.clone()).unwrap();
        assert_eq!(World::from_snapshot(&world.snapshot().unwrap()).unwrap().method(), preset);
    }
}

/// Contacts with their points, and events: everything that detection has to say.
fn contacts(world: &World) -> String {
    let contacts: Vec<String> =
        world.contacts().map(|c| format!("{:?} {:?}", c.colliders(), c.points().collect::<Vec<_>>())).collect();
    format!("{} {:?} {}", contacts.join("\n"), world.events(), bodies(world))
}

/// Trees find the pairs that comparing all boxes finds, to the bit, while bodies fall, come, go, are moved, change kind and filter, and the
/// broad phase is swapped in between.
#[test]
fn every_broad_phase_finds_the_same_pairs() {
    for preset in [Method::soft_step(), Method::simultaneous()] {
        let by_hand = Method { broad: Broad::AllPairs, ..preset.clone() };
        let mut world = random_pile(11, 24, preset.clone());
        world
            .add_body(BodyDesc::fixed().position([0.0, 1.0, 9.0]).collider(Shape::cuboid(1.0, 1.0, 1.0).unwrap()))
            .unwrap();
        let mut judge = world.clone();
        judge.set_method(by_hand.clone()).unwrap();
        let mut random = Random(3);
        let mut touching = 0;
        for step in 0..150 {
            let (seed, what) = (random.bits(), random.below(12));
            for world in [&mut world, &mut judge] {
                let mut random = Random(seed);
                let ids: Vec<BodyId> = world.body_ids().collect();
                let id = ids[random.below(ids.len())];
                let at = random.vector(3.0) + Vec3::Y * 3.0;
                match what {
                    0 => {
                        let ball = ColliderDesc::new(Shape::sphere(0.4).unwrap());
                        world.add_body(BodyDesc::dynamic().position(at).collider(ball)).unwrap();
                    }
                    1 if ids.len() > 12 && id != ids[0] => world.remove_body(id).unwrap(),
                    2 => world.body_mut(id).unwrap().set_position(at).unwrap(),
                    3 if id != ids[0] => world.body_mut(id).unwrap().set_kind(BodyKind::Fixed).unwrap(),
                    4 => world.body_mut(id).unwrap().set_kind(BodyKind::Dynamic).unwrap_or(()),
                    5 => world
                        .set_pair_excluded(id, ids[(random.below(ids.len() - 1) + 1) % ids.len()], true)
                        .unwrap_or(()),
                    6 => world.body_mut(id).unwrap().set_active(random.below(2) == 0),
                    _ => {}
                }
                world.step(DT).unwrap();
            }
            assert_eq!(contacts(&world), contacts(&judge), "{}, step {step}", preset.name);
            touching += world.contacts().count();
            if step % 50 == 49 {
                world.set_method(by_hand.clone()).unwrap();
                world.set_method(preset.clone()).unwrap();
                judge.set_method(preset.clone()).unwrap();
                judge.set_method(by_hand.clone()).unwrap();
            }
        }
        judge.audit().unwrap();
        assert!(touching > 1000, "{touching}");
    }
}

/// The general narrow phase carries a world: a column, a ball and a mesh floor come to rest as they do by default, and methods with either are swapped
/// in mid-run.
#[test]
fn the_general_narrow_phase_carries_a_world() {
    let height = |narrow: Narrow, swap: bool| {
        let method = Method { narrow, ..Method::soft_step() };
        let mut world = World::with_method(method.clone()).unwrap();
        let corner = |x: Real, z: Real| Vec3::new(x, 0.0, z);
        let floor = MeshDesc::new(
            vec![corner(-5.0, -5.0), corner(-5.0, 5.0), corner(5.0, -5.0), corner(5.0, 5.0)],
            vec![[0, 1, 2], [2, 1, 3]],
        );
        world.add_body(BodyDesc::fixed().collider(Shape::mesh(floor).unwrap())).unwrap();
        let cube = Shape::cuboid(0.5, 0.5, 0.5).unwrap();
        for i in 0..4 {
            let at = [0.05 * f64::from(i % 2), 0.5 + f64::from(i), 0.0];
            world.add_body(BodyDesc::dynamic().position(at).collider(cube.clone())).unwrap();
        }
        let ball = ColliderDesc::new(Shape::sphere(0.4).unwrap());
        let top = world.add_body(BodyDesc::dynamic().position([0.02, 4.5, 0.0]).collider(ball)).unwrap();
        for step in 0..120 {
            if swap && step % 30 == 15 {
                let narrow = if step % 60 == 15 { Narrow::Auto } else { narrow };
                world.set_method(Method { narrow, ..method.clone() }).unwrap();
            }
            world.step(DT).unwrap();
        }
        assert_eq!(World::from_snapshot(&world.snapshot().unwrap()).unwrap().method(), world.method());
        world.body(top).unwrap().position().y
    };
    let expected = height(Narrow::Auto, false);
    for swap in [false, true] {
        let found = height(Narrow::Gjk, swap);
        assert!((found - expected).abs() < 0.01, "swapped {swap}: {found}, {expected}");
    }
}

/// What a method cannot do is refused when it is asked for, by name.
#[test]
fn impossible_choices_are_refused() {
    let refusal = |method: Method| World::with_method(method).unwrap_err().to_string();
    let text = refusal(Method { integrate: Integrate::ExplicitEuler, ..Method::simultaneous() });
    assert!(text.contains("simultaneous") && text.contains("semi-implicit"), "{text}");
    for share in [-0.1, 1.1, Real::NAN] {
        for correction in [Correction::Baumgarte { share }, Correction::SplitImpulse { share }] {
            let mut method = Method::simultaneous();
            explicit(&mut method, |e| e.correction = correction);
            let text = refusal(method);
            assert!(text.contains("correction.share"), "{text}");
        }
    }
    for (iterations, tolerance, property) in
        [(0, 1e-5, "iterations"), (200_000, 1e-5, "iterations"), (10, -1.0, "tolerance"), (10, Real::NAN, "tolerance")]
    {
        let mut method = Method::simultaneous();
        let lcp = Lcp::ProjectedGaussSeidel { iterations, tolerance };
        explicit(&mut method, |e| e.solve = Solver::Simultaneous(Simultaneous { lcp }));
        let text = refusal(method);
        assert!(text.contains(property), "{text}");
    }
}

/// What can be seen of the bodies of a world, without the method and what is asleep.
fn bodies(world: &World) -> String {
    let text: Vec<String> = world
        .body_ids()
        .map(|id| {
            let body = world.body(id).unwrap();
            format!("{:?} {:?} {:?}", body.pose(), body.linear_velocity(), body.angular_velocity())
        })
        .collect();
    text.join("\n")
}

/// A pile that falls, a chain of three on a hinge, an articulated double pendulum, and a cube that stands aside and sleeps.
fn varied(method: &Method) -> (World, [JointId; 3], BodyId) {
    let mut world = random_pile(5, 10, method.clone());
    let mut joints = Vec::new();
    let mut last = World::BODY;
    for i in 0..3 {
        let at = [8.5 + f64::from(i), 4.0, 0.0];
        let rod = Shape::cuboid(0.4, 0.1, 0.1).unwrap();
        let rod = world.add_body(BodyDesc::dynamic().position(at).collider(rod)).unwrap();
        let anchor = [8.0 + f64::from(i), 4.0, 0.0];
        joints.push(world.add_joint(JointDesc::hinge(last, rod).anchor(anchor).axis([0.0, 0.0, 1.0])).unwrap());
        last = rod;
    }
    let mut tree = ArticulationDesc::new();
    let rod = || BodyDesc::dynamic().collider(Shape::cuboid(0.1, 0.4, 0.1).unwrap());
    let upper = LinkDesc::revolute(rod(), [0.0, 0.0, 1.0]).at([-8.0, 4.0, 0.0]).anchor([0.0, 0.5, 0.0]);
    let upper = tree.add(upper.position(&[1.0]));
    let lower = LinkDesc::revolute(rod(), [0.0, 0.0, 1.0]).parent(upper).at([0.0, -0.5, 0.0]);
    tree.add(lower.anchor([0.0, 0.5, 0.0]));
    world.add_articulation(tree).unwrap();
    let cube = BodyDesc::dynamic().position([0.0, 0.5, 20.0]).collider(Shape::cuboid(0.5, 0.5, 0.5).unwrap());
    let cube = world.add_body(cube).unwrap();
    (world, joints.try_into().unwrap(), cube)
}

/// What touches, as the events tell it: everything begins once before it ends once, nothing ends and begins again in one step, and what has
/// begun and not ended is what touches.
#[derive(Default)]
struct Told(BTreeSet<[ColliderId; 2]>);

impl Told {
    #[track_caller]
    fn listen(&mut self, world: &World) {
        let mut ended = BTreeSet::new();
        for &event in world.events() {
            match event {
                Event::ContactBegan { a, b } => {
                    let pair = [a.min(b), a.max(b)];
                    assert!(self.0.insert(pair), "{a} and {b} begin to touch twice");
                    assert!(!ended.contains(&pair), "{a} and {b} end and begin again");
                }
                Event::ContactEnded { a, b } => {
                    let pair = [a.min(b), a.max(b)];
                    assert!(self.0.remove(&pair), "{a} and {b} end what never began");
                    ended.insert(pair);
                }
                _ => {}
            }
        }
        let touching: BTreeSet<_> =
            world.contacts().map(|c| c.colliders()).map(|[a, b]| [a.min(b), a.max(b)]).collect();
        assert_eq!(self.0, touching, "what touches is told");
    }
}

/// Soft-step and simultaneous are swapped while a pile falls and settles, a chain and an articulation swing, and a cube sleeps, after every
/// number of steps from 1 to 40, both ways round: the bodies are untouched by the swap to the bit; a snapshot taken at the swap goes on with
/// the same bits; nothing gains energy; joints hold; contacts that go on are not reported as ended and begun, and those that end are.
#[test]
fn methods_are_swapped_in_mid_run() {
    // So soon that the cube sleeps between swaps too, which wake everybody.
    let drowsy = |mut method: Method| {
        method.sleep.time = 0.05;
        method
    };
    let (soft, simultaneous) = (drowsy(Method::soft_step()), drowsy(Method::simultaneous()));
    for (first, second) in [(&soft, &simultaneous), (&simultaneous, &soft)] {
        for every in 1..=40 {
            let (mut world, joints, cube) = varied(first);
            let mut told = Told::default();
            let start = world.measure().energy();
            let (mut current, mut slept, mut widest) = (false, 0, 0.0);
            for step in 1..=360 {
                world.step(DT).unwrap();
                told.listen(&world);
                slept += usize::from(world.body(cube).unwrap().is_asleep());
                for &joint in &joints {
                    widest = f64::max(widest, world.joint(joint).unwrap().gap().into());
                }
                if step % every == 0 {
                    current = !current;
                    let before = bodies(&world);
                    world.set_method(if current { second.clone() } else { first.clone() }).unwrap();
                    assert_eq!(bodies(&world), before, "step {step}");
                    if step % 40 == 0 {
                        let mut copy = World::from_snapshot(&world.snapshot().unwrap()).unwrap();
                        let mut twin = world.clone();
                        for _ in 0..20 {
                            copy.step(DT).unwrap();
                            twin.step(DT).unwrap();
                        }
                        assert_eq!(dump(&copy, &[]), dump(&twin, &[]), "step {step}");
                        assert_eq!(copy.hash(), twin.hash(), "step {step}");
                    }
                }
                let energy = world.measure().energy();
                assert!(energy < 1.005 * start, "every {every}, step {step}: energy grew from {start} to {energy}");
            }
            world.audit().unwrap();
            for id in world.body_ids().filter(|&id| world.body(id).unwrap().kind() == BodyKind::Dynamic) {
                assert!(world.body(id).unwrap().position().y > 0.0);
            }
            // Within 50 ms nobody can fall asleep who is woken more often.
            assert!(slept > 0 || every < 5, "every {every}: the cube never slept");
            // When the chain cracks, `simultaneous` alone lets its hinges come apart by 5 cm.
            assert!(widest < 0.1, "every {every}: a joint came apart by {widest} m");
            let pile = world.contacts().count();
            assert!(pile >= 10, "every {every}: {pile} contacts");
        }
    }
}

/// A stack that stands does not notice a swap: the impulses that hold it are handed on, from sub-steps to steps and back.
#[test]
fn a_standing_stack_does_not_notice_a_swap() {
    let (soft, simultaneous) = (awake(Method::soft_step()), awake(Method::simultaneous()));
    let mut world = scene("box-stack", &[("boxes", 6.0), ("mass", 1000.0)], soft.clone());
    let boxes = named(&world, "box-", 6);
    for id in world.collider_ids().collect::<Vec<_>>() {
        world.set_collider_contact_events(id, true).unwrap();
    }
    for _ in 0..240 {
        world.step(DT).unwrap();
    }
    for swap in 0..20 {
        let (to, bound) = if swap % 2 == 0 { (&simultaneous, 0.06) } else { (&soft, 0.1) };
        world.set_method(to.clone()).unwrap();
        for _ in 0..9 {
            world.step(DT).unwrap();
            assert!(world.events().is_empty(), "swap {swap}: {:?}", world.events());
            for &id in &boxes {
                // Without the impulses handed on, the stack would fall freely for a step: 0.16 m/s. The soft contacts of soft-step are
                // pushed out by the other method, and sink to their depth again.
                let v = world.body(id).unwrap().centre_velocity().length();
                assert!(v < bound, "swap {swap}: {v} m/s");
            }
        }
    }
    for (i, &id) in boxes.iter().enumerate() {
        let p = world.body(id).unwrap().position();
        assert!((p.x * p.x + p.z * p.z).sqrt() < 0.02 && (p.y - 0.5 - i as f64).abs() < 0.02, "{p:?}");
    }
}

/// Nor does what hangs on joints, where tolerances change along with the method: those of contacts begin anew then, those of joints do not.
#[test]
fn a_hanging_chain_does_not_notice_a_swap_with_other_tolerances() {
    let soft = |substeps: u32, box_margin: Real| {
        let mut method = awake(Method::soft_step());
        let Step::SoftStep(step) = &mut method.step else { unreachable!("soft-step") };
        (step.substeps, step.joint_solve) = (substeps, JointSolve::Sweeps);
        method.tolerances.box_margin = box_margin;
        method
    };
    let margin = Method::soft_step().tolerances.box_margin;
    let fastest = |first: Method, then: Method| {
        let mut world = World::with_method(first).unwrap();
        let mut above = World::BODY;
        for i in 0..10 {
            let y = -f64::from(i);
            let ball = BodyDesc::dynamic().position([0.0, y, 0.0]).collider(Shape::sphere(0.1).unwrap());
            let id = world.add_body(ball).unwrap();
            world.add_joint(JointDesc::ball(above, id).anchor([0.0, y + 0.5, 0.0])).unwrap();
            above = id;
        }
        for _ in 0..120 {
            world.step(DT).unwrap();
        }
        world.set_method(then).unwrap();
        world.step(DT).unwrap();
        let speed = |id: BodyId| world.body(id).unwrap().centre_velocity().length();
        world.body_ids().map(speed).fold(0.0, Real::max)
    };
    for (from, to) in [(4, 16), (16, 4)] {
        let alike = fastest(soft(from, margin), soft(to, margin));
        let other = fastest(soft(from, margin), soft(to, 1.5 * margin));
        assert!(other < 1.1 * alike + 1e-3, "{from} to {to} sub-steps: {other} m/s, {alike} m/s without");
    }
}

/// What a method is said to do is what it does: each ability is tried in a small scene, for every preset and its variants. (Threads change no
/// bit, and where friction acts is another slot.)
#[test]
fn abilities_are_true() {
    let mut methods = Method::presets();
    let mut method = Method { friction: FrictionModel::Point, ..Method::soft_step() };
    methods.push(Method { name: "soft-step, per point".to_owned(), ..method.clone() });
    (method.switches.sleep, method.switches.continuous) = (false, false);
    methods.push(Method { name: "soft-step, switched off".to_owned(), ..method });
    for (name, edit) in [
        change("no correction", |m| explicit(m, |e| e.correction = Correction::None)),
        change("manifold", |m| m.friction = FrictionModel::Manifold),
        change("switched off", |m| {
            m.switches.sleep = false;
            m.switches.continuous = false;
        }),
    ] {
        let mut method = Method::simultaneous();
        edit(&mut method);
        methods.push(Method { name: format!("simultaneous, {name}"), ..method });
    }
    for method in methods {
        for (ability, seen) in try_abilities(&method) {
            assert_eq!(method.can(ability), seen, "{}: {}", method.name, ability.name());
        }
    }
}

/// One second of a body on, or near, a floor of the same material at y = 0.
fn second(method: &Method, material: Material, body: BodyDesc, shape: Shape) -> (World, BodyId) {
    let mut world = World::with_method(method.clone()).unwrap();
    let floor = ColliderDesc::new(Shape::cuboid(50.0, 0.05, 50.0).unwrap()).at([0.0, -0.05, 0.0]);
    world.add_body(BodyDesc::fixed().collider(floor.material(material.clone()))).unwrap();
    let id = world.add_body(body.collider(ColliderDesc::new(shape).material(material))).unwrap();
    for _ in 0..60 {
        world.step(DT).unwrap();
    }
    (world, id)
}

fn try_abilities(method: &Method) -> Vec<(Ability, bool)> {
    let cube = || Shape::cuboid(0.5, 0.5, 0.5).unwrap();
    let ball = || Shape::sphere(0.5).unwrap();
    let at = |y: f64| BodyDesc::dynamic().position([0.0, y, 0.0]);
    let plain = Material { static_friction: 0.5, dynamic_friction: 0.5, ..Material::default() };
    let (world, id) = second(method, plain.clone(), at(0.5), cube());
    let contacts = world.body(id).unwrap().position().y > 0.4;
    let sleeps = world.body(id).unwrap().is_asleep();
    let (world, id) = second(method, plain.clone(), at(0.5).linear_velocity([2.0, 0.0, 0.0]), cube());
    let friction = world.body(id).unwrap().linear_velocity().x < 0.1;
    let bouncy = Material { restitution: 0.9, ..plain.clone() };
    let (world, id) = second(method, bouncy.clone(), at(2.5), ball());
    let restitution = world.body(id).unwrap().linear_velocity().y > 1.0;
    let superball = Material { tangential_restitution: 1.0, ..bouncy };
    let (world, id) = second(method, superball, at(2.5).angular_velocity([0.0, 0.0, 4.0]), ball());
    let turns = world.body(id).unwrap().angular_velocity().z < -0.5;
    let (world, id) = second(method, plain.clone(), at(0.35), cube());
    let correction = world.body(id).unwrap().position().y > 0.45;
    let (world, id) = second(method, plain.clone(), at(30.0).linear_velocity([0.0, -400.0, 0.0]), ball());
    let continuous = world.body(id).unwrap().position().y > 0.0;
    let mut world = World::with_method(method.clone()).unwrap();
    let hung = world.add_body(at(0.0).collider(ball())).unwrap();
    world.add_joint(JointDesc::ball(World::BODY, hung).anchor([0.0, 1.0, 0.0])).unwrap();
    for _ in 0..60 {
        world.step(DT).unwrap();
    }
    let joints = world.body(hung).unwrap().position().y > -0.1;
    vec![
        (Ability::Contacts, contacts),
        (Ability::Sleep, sleeps),
        (Ability::Friction, friction),
        (Ability::Restitution, restitution),
        (Ability::TangentialRestitution, turns),
        (Ability::Correction, correction),
        (Ability::Continuous, continuous),
        (Ability::Joints, joints),
    ]
}
