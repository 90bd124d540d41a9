//! Flat lists: that nothing is lost in them, and that nothing wrong gets through.

use crate::largest;
use proptest::prelude::*;
use std::sync::Arc;
use tumble::articulation::{ArticulationDesc, Dof, LinkDesc, LinkJoint, Swing};
use tumble::constraint::joint::{Gear, Hinge};
use tumble::constraint::{Limit, Motor, Stiffness};
use tumble::force::Uniform;
use tumble::math::{Float, Real, Vec3, WorldPose};
use tumble::shape::{MeshDesc, Shape, Sides};
use tumble::{
    BodyDesc, BodyId, ColliderDesc, ContactHook, EffectDesc, HookedContact, JointDesc, JointId, Locks, Material, Mix,
    Softness, World,
};
use tumble_scene::bench::{Work, cases};
use tumble_scene::flat::Flat;
use tumble_scene::quality::{Quality, places};
use tumble_scene::{Outcome, library};

/// Nothing is lost in the text: the world from it moves as the world from the list, to the last bit, and the list of either is the
/// list of the scene's own world but for the rounding of turns that are normalised once more. Every scene that a list can hold
/// is tried.
#[test]
fn a_world_from_its_list_moves_alike() {
    let (mut tried, mut trees) = (0, 0);
    for scene in library::scenes() {
        let run = scene.setup().start().unwrap();
        let Ok(flat) = Flat::of(run.world()) else { continue };
        let (mut twin, mut other) = (flat.build().unwrap(), Flat::parse(&flat.to_string()).unwrap().build().unwrap());
        let (list, again) = (flat.to_string(), Flat::of(&twin).unwrap().to_string());
        for (a, b) in list.split_whitespace().zip(again.split_whitespace()) {
            let near = || (a.parse::<f64>().unwrap() - b.parse::<f64>().unwrap()).abs() <= 1e-6;
            assert!(a == b || near(), "{}: {a} and {b}", scene.name);
        }
        for _ in 0..20 {
            twin.step(1.0 / 60.0).unwrap();
            other.step(1.0 / 60.0).unwrap();
        }
        assert!(Flat::states(&twin) == Flat::states(&other), "{}", scene.name);
        tried += 1;
        trees += usize::from(!flat.trees.is_empty());
    }
    println!("{tried} scenes have a list, {trees} of them with trees");
    assert!(tried > 25 && trees > 8, "only {tried} scenes have a list, {trees} of them with trees");
}

/// A list of which nothing is said to be lost is the whole world: it moves as the scene does, but for the rounding of a pose.
#[test]
fn what_is_not_said_to_be_lost_is_there() {
    let mut tried = 0;
    for scene in library::scenes() {
        let mut run = scene.setup().start().unwrap();
        let Ok(flat) = Flat::of(run.world()) else { continue };
        let losses = Flat::losses(run.world());
        if !losses.is_empty() || run.is_driven() || !run.cues().is_empty() {
            println!("{}: {}", scene.name, losses.join("; "));
            continue;
        }
        let mut twin = flat.build_with(run.world().method().clone()).unwrap();
        for _ in 0..20 {
            run.step().unwrap();
            twin.step(Real::from_f64(run.dt())).unwrap();
        }
        let (here, there) = (Flat::states(run.world()), Flat::states(&twin));
        let far = |(a, b): (&[f64; 13], &[f64; 13])| largest((0..3).map(|i| (a[i] - b[i]).abs()));
        let apart = largest(here.iter().zip(&there).map(far));
        println!("{}: {apart:e} m", scene.name);
        assert!(apart < 1e-3 * flat.length, "{}: {apart} m apart after 20 steps", scene.name);
        tried += 1;
    }
    assert!(tried > 20, "{tried}");
}

/// Everything that a list has no word for and that changes how things move is named, with whose it is; whatever cannot be left out
/// is refused by name.
#[test]
fn what_a_list_cannot_say_is_named() {
    type Change = fn(&mut World, BodyId, JointId);
    struct Idle;
    impl ContactHook for Idle {
        fn name(&self) -> &'static str {
            "idle"
        }
        fn contact(&self, _: &mut HookedContact<'_>) {}
    }
    /// Two triangles, of which the second may be of another material.
    fn tent(world: &mut World, change: impl FnOnce(MeshDesc) -> MeshDesc) {
        let corners = vec![Vec3::ZERO, Vec3::Z, Vec3::new(1.0, 1.0, 0.0), Vec3::new(-1.0, 1.0, 0.0)];
        let mesh = Shape::mesh(change(MeshDesc::new(corners, vec![[0, 1, 2], [0, 3, 1]]))).unwrap();
        let slots = vec![Material::default().into(), Material { restitution: 0.9, ..Material::default() }.into()];
        let tent = ColliderDesc::new(mesh).materials(slots);
        world.add_body(BodyDesc::fixed().name("tent").position([0.0, -9.0, 0.0]).collider(tent)).unwrap();
    }
    fn gate(world: &mut World, joint: LinkJoint, change: impl FnOnce(LinkDesc) -> LinkDesc) {
        let mut desc = ArticulationDesc::new().name("gate");
        desc.add(change(LinkDesc::new(BodyDesc::dynamic().name("flap").mass(1.0), joint).at([9.0, 0.0, 0.0])));
        world.add_articulation(desc).unwrap();
    }
    fn material(world: &mut World, body: BodyId, change: impl FnOnce(&mut Material)) {
        let collider = world.body(body).unwrap().colliders().next().unwrap();
        let mut material = world.material(world.collider(collider).unwrap().material(0)).unwrap().clone();
        change(&mut material);
        world.set_collider_material(collider, material).unwrap();
    }
    let losses: &[(&str, Change)] = &[
        ("gravity scale of body \"box\"", |w, b, _| w.body_mut(b).unwrap().set_gravity_scale(0.5).unwrap()),
        ("damping of body \"box\"", |w, b, _| w.body_mut(b).unwrap().set_damping(0.1, 0.0).unwrap()),
        ("speed limits of body \"box\"", |w, b, _| w.body_mut(b).unwrap().set_speed_limits(5.0, 9.0).unwrap()),
        ("flag as a bullet of body \"box\"", |w, b, _| w.body_mut(b).unwrap().set_bullet(true)),
        ("inactive state of body \"box\"", |w, b, _| w.body_mut(b).unwrap().set_active(false)),
        ("target of body \"lift\"", |w, _, _| {
            let lift = w.add_body(BodyDesc::kinematic().name("lift").position([0.0, 9.0, 0.0])).unwrap();
            w.body_mut(lift).unwrap().set_target(WorldPose::IDENTITY).unwrap();
        }),
        ("locks of body \"box\"", |w, b, _| w.body_mut(b).unwrap().set_locks(Locks::TURN_X).unwrap()),
        ("constant force of body \"box\"", |w, b, _| w.body_mut(b).unwrap().set_force(Vec3::X).unwrap()),
        ("ban on sleep of body \"box\"", |w, b, _| w.body_mut(b).unwrap().set_can_sleep(false)),
        ("surface velocity of body \"box\"", |w, b, _| material(w, b, |m| m.surface_velocity = Vec3::X)),
        ("static friction of body \"box\"", |w, b, _| material(w, b, |m| m.static_friction = 0.9)),
        ("rolling friction of body \"box\"", |w, b, _| material(w, b, |m| m.rolling_friction = 0.1)),
        ("spinning friction of body \"box\"", |w, b, _| material(w, b, |m| m.spinning_friction = 0.1)),
        ("tangential restitution of body \"box\"", |w, b, _| material(w, b, |m| m.tangential_restitution = 0.5)),
        ("rule for pairs of materials of the method", |w, _, _| {
            let mut method = w.method().clone();
            method.materials.friction = Mix::Max;
            w.set_method(method).unwrap();
        }),
        ("coefficients of special pairs of the materials", |w, _, _| {
            let material = w.add_material(Material::default()).unwrap();
            let pair = w.pair_coefficients(material, material).unwrap();
            w.set_material_pair(material, material, Some(pair)).unwrap();
        }),
        ("contact hook of the world", |w, _, _| w.set_contact_hook(Some(Arc::new(Idle)))),
        ("second side of the mesh of body \"tent\"", |w, _, _| tent(w, |mesh| mesh.sides(Sides::Two))),
        ("further materials of body \"tent\"", |w, _, _| tent(w, |mesh| mesh.materials(vec![0, 1]))),
        ("softness of body \"box\"", |w, b, _| {
            material(w, b, |m| m.softness = Some(Softness { hertz: 5.0, damping_ratio: 1.0 }));
        }),
        ("exclusion from collision of body \"box\" and body 1", |w, b, _| {
            let other = w.body_ids().nth(1).unwrap();
            w.set_pair_excluded(b, other, true).unwrap();
        }),
        ("breaking load of joint \"pin\"", |w, _, j| w.joint_mut(j).unwrap().set_break_limits(5.0, 5.0).unwrap()),
        ("softness of joint \"pin\"", |w, _, j| {
            let soft = Stiffness::Tuned(Softness { hertz: 2.0, damping_ratio: 1.0 });
            w.joint_mut(j).unwrap().set_stiffness(soft).unwrap();
        }),
        ("bounce at the stops of joint \"pin\"", |w, _, j| {
            w.joint_mut(j).unwrap().set_limit(Some(Limit::new(-1.0, 1.0).restitution(0.5))).unwrap();
        }),
        ("bounce at the stops of body \"flap\" of articulation \"gate\"", |w, _, _| {
            gate(w, LinkJoint::Revolute { axis: Vec3::Z }, |link| {
                link.dof(0, Dof { restitution: 0.5, ..Dof::default() }.limits(-1.0, 1.0))
            });
        }),
        ("bounce at the stops of body \"flap\" of articulation \"gate\"", |w, _, _| {
            let swing = Swing { axis: Vec3::Y, cone: 0.5, twist: None, restitution: 0.5 };
            gate(w, LinkJoint::Spherical, |link| LinkDesc { swing: Some(swing), ..link });
        }),
        ("softness of the stops of joint \"pin\"", |w, _, j| {
            let soft = Stiffness::Tuned(Softness { hertz: 2.0, damping_ratio: 1.0 });
            w.joint_mut(j).unwrap().set_limit(Some(Limit::new(-1.0, 1.0).stiffness(soft))).unwrap();
        }),
    ];
    let refusals: &[(&str, Change)] = &[
        ("the motor of joint \"pin\"", |w, _, j| {
            w.joint_mut(j).unwrap().set_motor(Some(Motor::velocity(1.0))).unwrap()
        }),
        ("that the bodies collide, of joint \"pin\"", |w, _, j| w.joint_mut(j).unwrap().set_collide(true).unwrap()),
        ("the kind \"gear\", of the joint of body \"box\" and body 1", |w, b, _| {
            let other = w.body_ids().nth(1).unwrap();
            w.add_joint(JointDesc::new(b, other, Gear { ratio: 1.0 })).unwrap();
        }),
        ("the shape of body 2", |w, _, _| {
            w.add_body(BodyDesc::dynamic().collider(Shape::cylinder(1.0, 1.0).unwrap())).unwrap();
        }),
        ("the force effect \"wind\" of the kind \"uniform\"", |w, _, _| {
            w.add_effect(EffectDesc::new(Uniform { acceleration: Vec3::X }).name("wind")).unwrap();
        }),
    ];
    let world = || {
        let mut world = World::new();
        let cube = || Shape::cuboid(0.5, 0.5, 0.5).unwrap();
        let body = world.add_body(BodyDesc::dynamic().name("box").collider(cube())).unwrap();
        world.add_body(BodyDesc::dynamic().position([3.0, 0.0, 0.0]).collider(cube())).unwrap();
        let pin = JointDesc::new(World::BODY, body, Hinge::default()).name("pin");
        let joint = world.add_joint(pin).unwrap();
        (world, body, joint)
    };
    assert_eq!(Flat::losses(&world().0), [""; 0]);
    for (what, change) in losses {
        let (mut world, body, joint) = world();
        change(&mut world, body, joint);
        assert_eq!(Flat::losses(&world), [format!("a flat list has no word for the {what}")]);
        // The rest is there, and is a world.
        Flat::of(&world).unwrap().build().unwrap();
    }
    for (what, change) in refusals {
        let (mut world, body, joint) = world();
        change(&mut world, body, joint);
        let said = Flat::of(&world).unwrap_err().to_string();
        assert!(said.starts_with(&format!("a flat list cannot hold {what}")), "{what}: {said}");
    }
    // Many of a kind are counted rather than named.
    let (mut world, ..) = world();
    for _ in 0..40 {
        world.add_body(BodyDesc::dynamic().gravity_scale(0.0)).unwrap();
    }
    let said = "a flat list has no word for the gravity scale of body 2, body 3, body 4 and 37 more";
    assert_eq!(Flat::losses(&world), [said]);
    // What is switched off holds nothing.
    let joint = world.find_joint("pin").unwrap();
    world.joint_mut(joint).unwrap().set_active(false).unwrap();
    assert!(Flat::of(&world).unwrap().joints.is_empty());
}

/// A state that is put into a world is the one that comes out of it, and the checks look at it.
#[test]
fn states_of_others_are_judged() {
    let scene = library::find("pyramid").unwrap();
    let setup = || scene.setup().set("base", 4.0).unwrap();
    let mut run = setup().start().unwrap();
    for _ in 0..60 {
        run.step().unwrap();
    }
    let mut states = Flat::states(run.world());
    let outcome = |states: &[[f64; 13]], check: &str| {
        let verdicts = setup().start().unwrap().judge(states).unwrap();
        verdicts.into_iter().find(|v| v.claim.name == check).unwrap().outcome
    };
    assert_eq!((outcome(&states, "stands"), outcome(&states, "overlap")), (Outcome::Passed, Outcome::Passed));
    // A box is pushed into its neighbour on the way to the other side.
    states[1][0] += 0.8;
    assert_eq!((outcome(&states, "stands"), outcome(&states, "overlap")), (Outcome::Failed, Outcome::Failed));
    assert!(setup().start().unwrap().judge(&states[1..]).is_err(), "a state is missing");
}

/// Trees are put where their links are: what comes out is what was put in, whichever joints they have. The bound is the rounding of
/// poses to single precision over the length of a tree, in metres and metres per second.
#[test]
fn trees_are_put_where_their_links_are() {
    let mut kinds = std::collections::BTreeSet::new();
    for scene in library::scenes() {
        let mut run = scene.setup().start().unwrap();
        if run.world().articulation_count() == 0 {
            continue;
        }
        for id in run.world().articulation_ids() {
            let tree = run.world().articulation(id).unwrap();
            kinds.extend((0..tree.links().count()).map(|link| word(&tree.joint(link).unwrap())));
        }
        for _ in 0..30 {
            run.step().unwrap();
        }
        let states = Flat::states(run.world());
        let mut twin = scene.setup().start().unwrap().world().clone();
        Flat::place(&mut twin, &states).unwrap();
        for (body, (a, b)) in states.iter().zip(Flat::states(&twin)).enumerate() {
            // A quaternion and its negative are one rotation.
            let sign = if a[3..7].iter().zip(&b[3..7]).map(|(x, y)| x * y).sum::<f64>() < 0.0 { -1.0 } else { 1.0 };
            for (i, (x, y)) in a.iter().zip(&b).enumerate() {
                let y = if (3..7).contains(&i) { sign * y } else { *y };
                assert!(
                    (x - y).abs() <= 1e-4 * (1.0 + x.abs()),
                    "{}, body {body}, number {i}: {x} and {y}",
                    scene.name
                );
            }
        }
    }
    println!("joints of the kinds {kinds:?}");
    assert!(kinds.len() >= 6, "{kinds:?}");
}

fn word(joint: &tumble::articulation::LinkJoint) -> String {
    let text = format!("{joint:?}");
    text.split(' ').next().unwrap_or_default().to_owned()
}

/// Joints that no scene of the library has are put where they were too: a planar one, a helical one and a cylindrical one.
#[test]
fn rare_joints_are_put_where_they_were() {
    let tilted = Vec3::new(1.0, 2.0, -0.5);
    let joints = [
        LinkJoint::Planar { normal: tilted },
        LinkJoint::Helical { axis: tilted, lead: 0.2 },
        LinkJoint::Cylindrical { axis: tilted },
        LinkJoint::Universal { first: tilted, second: Vec3::Z },
        LinkJoint::Prismatic { axis: tilted },
        LinkJoint::Spherical,
    ];
    let world = |moving: bool| {
        let mut world = tumble::World::new();
        let mut desc = ArticulationDesc::new();
        for (i, joint) in joints.iter().enumerate() {
            let ball = tumble::BodyDesc::dynamic().collider(tumble::shape::Shape::sphere(0.1).unwrap());
            let mut link = LinkDesc::new(ball, *joint).at([0.3, 0.1, 0.0]).anchor([0.0, 0.2, -0.1]);
            if moving {
                let values: Vec<f64> = (0..joint.dofs()).map(|k| 0.7 - 0.5 * k as f64).collect();
                link = link.velocity(&values);
                if joint.dofs() == joint.coordinates() {
                    link = link.position(&values);
                }
            }
            desc.add(if i == 0 { link } else { link.parent(i - 1) });
        }
        world.add_articulation(desc).unwrap();
        world
    };
    let (moved, mut twin) = (world(true), world(false));
    Flat::place(&mut twin, &Flat::states(&moved)).unwrap();
    let tree = |world: &tumble::World| {
        let tree = world.articulation(world.articulation_ids().next().unwrap()).unwrap();
        (tree.position().to_vec(), tree.velocity().to_vec())
    };
    let ((q, v), (own_q, own_v)) = (tree(&moved), tree(&twin));
    let all = q.iter().zip(&own_q).chain(v.iter().zip(&own_v));
    for (a, b) in all {
        // Rounding of poses to single precision, over a tree of six links.
        assert!((a - b).abs() < 2e-5, "{q:?} {v:?} and {own_q:?} {own_v:?}");
    }
}

/// The thighs of the humanoid lie in its pelvis by design, which counts as no overlap; feet that are 5 cm in the ground do.
#[test]
fn links_that_do_not_collide_do_not_overlap() {
    let run = library::find("humanoid").unwrap().setup().start().unwrap();
    let mut world = run.world().clone();
    let collider = |name: &str| {
        let body = world.find_body(name).unwrap();
        world.body(body).unwrap().colliders().next().unwrap()
    };
    assert!(world.distance(collider("pelvis"), collider("left-thigh")).unwrap().distance < -0.005);
    // The feet stand on the ground, to the rounding of a height of a metre.
    assert!(Quality::of(&world, &places(&world)).depth < 1e-5);
    let mut states = Flat::states(&world);
    for state in &mut states[1..] {
        state[1] -= 0.05;
    }
    Flat::place(&mut world, &states).unwrap();
    let depth = Quality::of(&world, &places(&world)).depth;
    assert!((depth - 0.05).abs() < 1e-5, "{depth}");
}

/// The figures of quality are those that were built in: a box half a tenth deep in another, a joint that is 3 cm apart.
#[test]
fn quality_is_what_was_built_in() {
    let text = "tumble-flat 1 gravity 0 0 0 length 1 shapes 1 box 0.5 0.5 0.5 bodies 2 \
        dynamic 0 0 0 0 0 0 1 0 0 0 0 0 0 1 0 0 0 1 1 1 0 0 0 1 0 0 0 0 0 0 0 1 0.5 0 \
        dynamic 0.95 0 0 0 0 0 1 2 0 0 0 0 0 1 0 0 0 1 1 1 0 0 0 1 0 0 0 0 0 0 0 1 0.5 0 \
        joints 1 ball -1 1 0.95 0.03 0 0 0 0 1 0 0 0 0 0 0 1 rays 0 end";
    let world = Flat::parse(text).unwrap().build().unwrap();
    let quality = Quality::of(&world, &places(&world));
    assert!((quality.depth - 0.05).abs() < 1e-6 && (quality.gap - 0.03).abs() < 1e-6, "{quality:?}");
    assert!((quality.energy - 2.0).abs() < 1e-6 && quality.moved == 0.0, "{quality:?}");
}

/// The cases name scenes, parameters in range and checks that there are.
#[test]
fn cases_are_complete() {
    for case in cases() {
        let scene = case.scene().unwrap();
        for check in case.gate {
            assert!(scene.checks.iter().any(|c| c.name == *check), "{}: {check}", case.name);
        }
        // Engines are compared on the same world, without sleep.
        let mut losses = Flat::losses(case.setup(&scene).unwrap().start().unwrap().world());
        losses.retain(|loss| !loss.contains("the ban on sleep"));
        assert_eq!(losses, [""; 0], "{}", case.name);
        assert_eq!(case.gate.is_empty(), case.work != Work::Steps, "{}", case.name);
    }
}

const LIST: &str = "tumble-flat 1 gravity 0 -10 0 length 1 shapes 3 ball 1 mesh 3 1 0 0 0 1 0 0 0 0 1 0 1 2 \
    hull 4 0 0 0 1 0 0 0 1 0 0 0 1 bodies 2 fixed 0 0 0 0 0 0 1 1 1 0 0 0 0 0 0 1 0.5 0 \
    dynamic 0 0 0 0 0 0 1 0 0 0 0 0 0 1 0 0 0 1 1 1 0 0 0 1 0 0 0 0 0 0 0 1 0.5 0 \
    joints 1 hinge -1 1 0 0 0 0 0 0 1 0 0 0 0 0 0 1 -inf inf rays 1 0 0 0 1 1 1 end";

const TREES: &str = "tumble-flat 2 gravity 0 -10 0 length 1 shapes 0 bodies 2 \
    dynamic 0 0 0 0 0 0 1 0 0 0 0 0 0 1 0 0 0 1 1 1 0 0 0 0 dynamic 0 0 0 0 0 0 1 0 0 0 0 0 0 1 0 0 0 1 1 1 0 0 0 0 \
    joints 0 trees 1 tree 1 2 1 link 0 -1 0 revolute 0 0 1 0 0 0 0 0 0 1 0 0 0 0 0 0 1 0.5 0 0 0 \
    dof -inf inf 0 0 0 0 0 0 inf 0 inf swing 0 link 1 0 0 cylindrical 0 0 1 0 1 0 0 0 0 1 0 0 0 0 0 0 1 0 0 1 2 0 0 0 0 \
    dof -1 1 0 0 0 0 0 0 0 0 inf dof -inf inf 5 1 0 0 0 0 0 0 inf swing 0 couple 0 0 1 1 0.5 0 rays 0 end";

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// A list that was cut, or in which a word is wrong, is refused or read, never a panic; and one that is built is a world.
    #[test]
    fn wrong_lists_are_refused(at in 0_usize..300, list in prop::sample::select(vec![LIST, TREES]), what in prop::sample::select(vec![
        "", "-1", "7", "1e30", "nan", "inf", "4294967295", "ball", "end",
    ])) {
        let mut words: Vec<&str> = list.split_whitespace().collect();
        prop_assert!(Flat::parse(list).and_then(|flat| flat.build()).is_ok());
        let at = at % words.len();
        prop_assert!(Flat::parse(&words[..at].join(" ")).is_err());
        words[at] = what;
        if let Ok(flat) = Flat::parse(&words.join(" ")) {
            let _ = flat.build();
        }
    }
}
