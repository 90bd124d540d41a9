//! Joints between links and other bodies: loops, and free bodies that hang on trees.

use super::{DT, G, both, chain, of_library, run, sleepless, support};
use crate::support::{named, real};
use tumble::articulation::{ArticulationDesc, Dof, LinkDesc};
use tumble::math::{Float, Quat, Vec3};
use tumble::shape::Shape;
use tumble::{BodyDesc, Event, JointDesc, World};

/// A bar of this length along x, 1 kg, without colliders that touch.
fn bar(length: f64) -> BodyDesc {
    let mass = tumble::shape::MassProperties {
        mass: 1.0,
        centre: Vec3::ZERO,
        inertia: tumble::math::Sym3::diagonal(Vec3::new(1e-3, length * length / 12.0, length * length / 12.0)),
    };
    BodyDesc::dynamic().mass_properties(mass)
}

/// A crank that can go round drives a rocker over a coupler; the ball joint on the rocker's end closes the loop.
#[test]
fn four_bar_linkage_goes_round() {
    for mut world in of_library("linkages", &[("speed", 2.0)]) {
        let id = world.find_articulation("four-bar").unwrap();
        let joint = world.find_joint("pivot").unwrap();
        let start = world.articulation(id).unwrap().position()[0];
        let mut gap = 0.0_f64;
        for _ in 0..240 {
            world.step(DT).unwrap();
            gap = gap.max(world.joint(joint).unwrap().gap().to_f64());
        }
        let turned = world.articulation(id).unwrap().position()[0] - start;
        assert!((turned - 8.0).abs() < 0.1, "{turned}");
        // A thousandth of the linkage.
        assert!(gap < 1e-3, "gap {gap}");
    }
}

/// Slider and crank: the slider follows x = r cos θ + √(l² - r² sin² θ).
#[test]
fn slider_follows_its_crank() {
    let (r, l) = (0.3, 0.9);
    // Sub-steps follow the curve more closely than one solve a step.
    for (mut world, bound) in of_library("linkages", &[("speed", 3.0)]).into_iter().zip([2e-3, 4e-3]) {
        let id = world.find_articulation("slider-crank").unwrap();
        let joint = world.find_joint("pin").unwrap();
        let (mut worst, mut gap) = (0.0_f64, 0.0_f64);
        for _ in 0..200 {
            world.step(DT).unwrap();
            let q = world.articulation(id).unwrap().position();
            let expected = r * Float::cos(q[0]) + (l * l - (r * Float::sin(q[0])).powi(2)).sqrt();
            worst = worst.max((q[2] - expected).abs());
            gap = gap.max(world.joint(joint).unwrap().gap().to_f64());
        }
        assert!(worst < bound && gap < bound, "off by {worst}, gap {gap}");
    }
}

/// A free ball of 10 kg on the end of a chain, by a ball joint: it hangs, and the joint bears its weight.
#[test]
fn free_body_hangs_on_a_chain() {
    let mut world = sleepless();
    let mut desc = chain(4, 3.0, 0.0);
    for link in &mut desc.links {
        link.dofs[0].damping = 0.5;
    }
    let id = world.add_articulation(desc).unwrap();
    let end = world.articulation(id).unwrap().link(3).unwrap();
    let ball = BodyDesc::dynamic().position([0.0, 0.7, 0.0]).collider(Shape::sphere(0.2).unwrap()).mass(10.0);
    let ball = world.add_body(ball).unwrap();
    let joint = world.add_joint(JointDesc::ball(end, ball).anchor([0.0, 1.0, 0.0])).unwrap();
    run(&mut world, 3.0);
    let tie = world.joint(joint).unwrap();
    assert!(tie.gap().to_f64() < 1e-3, "{}", tie.gap());
    assert!((tie.force().to_f64().y - 10.0 * G).abs() < 0.02 * 10.0 * G, "{:?}", tie.force());
    assert!((world.body(ball).unwrap().position().y - 0.7).abs() < 2e-3);
    let saved = world.snapshot().unwrap();
    run(&mut world, 0.5);
    let hash = world.hash();
    let mut again = World::from_snapshot(&saved).unwrap();
    run(&mut again, 0.5);
    assert_eq!(again.hash(), hash);
    // It breaks where it must, and goes with its bodies.
    world.joint_mut(joint).unwrap().set_break_limits(50.0, 1e9).unwrap();
    let broke = (0..10).any(|_| {
        world.step(DT).unwrap();
        world.events().iter().any(|e| matches!(e, Event::JointBroke { .. }))
    });
    assert!(broke);
    world.audit().unwrap();
    world.remove_articulation(id).unwrap();
    world.audit().unwrap();
    assert_eq!(world.joint_count(), 0);
}

/// A ring of eight links, closed by a joint, falls on the floor and stays closed, by each method.
#[test]
fn closed_ring_falls_on_the_floor() {
    for mut world in of_library("closed-ring", &[("links", 8.0)]) {
        let name = world.method().name.clone();
        let joint = world.find_joint("closure").unwrap();
        let links = named(&world, "link-", 8);
        let start = world.body(links[0]).unwrap().position().y;
        let mut gap = 0.0_f64;
        for _ in 0..240 {
            world.step(DT).unwrap();
            gap = gap.max(world.joint(joint).unwrap().gap().to_f64());
        }
        world.audit().unwrap();
        let end = world.joint(joint).unwrap().gap().to_f64();
        println!("{name}: the ring gapes by {gap:.1e} m, {end:.1e} m in the end");
        // A twentieth of a link on the way.
        assert!(gap < 0.02, "{name}: {gap}");
        assert!(end < 1.6e-3, "{name}: {end}");
        assert!(world.body(links[0]).unwrap().position().y < start - 0.1, "{name}: it has not fallen");
    }
}

/// Six legs, each a universal joint and a strut with a motor, carry a free plate on ball joints; they raise and turn it, and then bear its
/// weight. By each method.
#[test]
fn stewart_platform_carries_its_plate() {
    // Where the plate is to be, from 0 to 1 along its way.
    let pose = |share: f64| {
        let turn: Quat<f64> = Quat::from_rotation_vector(Vec3::new(0.1, 0.2, -0.05) * share);
        (Vec3::new(0.1, 0.0, -0.05) * share + Vec3::Y * (1.0 + 0.1 * share), turn)
    };
    for mut world in of_library("stewart-platform", &[("load", 0.0)]) {
        let name = world.method().name.clone();
        let plate = world.find_body("plate").unwrap();
        let heads = [0, 1, 2, 3, 4, 5].map(|leg| world.find_joint(&format!("head-{leg}")).unwrap());
        // The strut of each leg, and its pivots: on the ground, and on the plate.
        let id = world.find_articulation("legs").unwrap();
        let tree = world.articulation(id).unwrap().desc();
        let legs = heads.map(|head| {
            let joint = world.joint(head).unwrap();
            let strut = world.body(joint.bodies()[0]).unwrap().link().unwrap().1;
            let foot = tree.links[tree.links[strut].parent.unwrap()].frame_on_parent.translation;
            (strut, foot, joint.local_frames()[1].translation)
        });
        let mut gap = 0.0_f64;
        for step in 1..=240 {
            let (at, turn) = pose(f64::min(f64::from(step) / 120.0, 1.0));
            for (strut, foot, head) in legs {
                let length = (at + turn.rotate(head) - foot).length();
                world.articulation_mut(id).unwrap().set_target(strut, &[length]).unwrap();
            }
            world.step(DT).unwrap();
            gap = heads.iter().fold(gap, |gap, &head| gap.max(world.joint(head).unwrap().gap().to_f64()));
        }
        let (at, turn) = pose(1.0);
        let body = world.body(plate).unwrap();
        let off = (body.position() - at).length();
        let angle = body.rotation().to_f64().angle_to(turn);
        let borne: f64 = heads.iter().map(|&head| f64::from(world.joint(head).unwrap().force().y)).sum();
        println!("{name}: plate off by {off:.1e} m and {angle:.1e} rad, gap {gap:.1e} m, {borne:.1} N");
        // A millimetre, and a hundredth of the weight.
        assert!(off < 1e-3 && angle < 2e-3 && gap < 1e-3, "{name}: {off} m, {angle} rad, gap {gap}");
        assert!((borne / (20.0 * G) - 1.0).abs() < 0.01, "{name}: {borne} N");
    }
}

/// A crank, a coupler and a rocker whose end a ball joint ties to the world: the linkage sinks until the limit of its crank holds it. Then the tie
/// bears what the moments about the two knees ask for, and the limit all the rest, so that nothing moves. By each method.
#[test]
fn closure_and_limit_bear_together() {
    both().into_iter().for_each(|world| linkage_sinks_onto_its_limit(world, 0.0));
}

/// The same with a box of 5 kg on the coupler, which rides down on it: contacts, limit and closure are one system. The coupler bears the weight of
/// the box, and the tie its share of that, wherever the box has slid to. By each method.
#[test]
fn contact_limit_and_closure_bear_together() {
    both().into_iter().for_each(|world| linkage_sinks_onto_its_limit(world, 5.0));
}

/// See [`closure_and_limit_bear_together`] and [`contact_limit_and_closure_bear_together`]: without a `load` nothing lies on the coupler.
fn linkage_sinks_onto_its_limit(mut world: World, load: f64) {
    let name = world.method().name.clone();
    // Upright: crank and rocker of 0.5 m, 0.8 m apart, with the coupler across their tops, which stays level.
    let (arm, across, half) = (0.5, 0.8, 0.1);
    let quarter = f64::PI / 2.0;
    let plate = Shape::cuboid(real(0.5 * across), real(0.02), real(0.2)).unwrap();
    let mut desc = ArticulationDesc::new();
    let crank = LinkDesc::revolute(bar(arm), Vec3::Z).anchor([-arm / 2.0, 0.0, 0.0]).position(&[quarter - 0.1]);
    let crank = desc.add(crank.dof(0, Dof { damping: 0.5, ..Dof::default() }.limits(quarter - 0.7, quarter + 0.7)));
    let coupler = bar(across).collider(plate);
    let coupler = LinkDesc::revolute(coupler, Vec3::Z).parent(crank).at([arm / 2.0, 0.0, 0.0]);
    let coupler = desc.add(coupler.anchor([-across / 2.0, 0.0, 0.0]).position(&[0.1 - quarter]));
    let rocker = LinkDesc::revolute(bar(arm), Vec3::Z).parent(coupler).at([across / 2.0, 0.0, 0.0]);
    let rocker = desc.add(rocker.anchor([-arm / 2.0, 0.0, 0.0]).position(&[-quarter - 0.1]));
    let id = world.add_articulation(desc).unwrap();
    let [coupler, tip] = [coupler, rocker].map(|link| world.articulation(id).unwrap().link(link).unwrap());
    let tie = world.add_joint(JointDesc::ball(World::BODY, tip).anchor([across, 0.0, 0.0])).unwrap();
    assert!(world.joint(tie).unwrap().gap().to_f64() < 1e-6);
    let load = (load > 0.0).then(|| {
        // Not in the middle, so that both knees tell where it lies.
        let at = world.body(coupler).unwrap().position() + Vec3::new(-0.15, 0.02 + half, 0.0);
        let cube = Shape::cuboid(real(half), real(half), real(half)).unwrap();
        let desc = BodyDesc::dynamic().position(at).collider(cube).mass(real(load));
        (world.add_body(desc).unwrap(), load)
    });
    let mut gap = 0.0_f64;
    for _ in 0..300 {
        world.step(DT).unwrap();
        gap = gap.max(world.joint(tie).unwrap().gap().to_f64());
    }
    let tree = world.articulation(id).unwrap();
    let (q, rates) = (tree.position().to_vec(), tree.velocity().to_vec());
    assert!((q[0] - (quarter - 0.7)).abs() < 1e-3, "{name}: the crank at {} of {}", q[0], quarter - 0.7);
    assert!(rates.iter().all(|v| v.abs() < 1e-3), "{name}: {rates:?}");
    assert!(gap < 2e-3, "{name}: gap {gap}");
    // Each bar weighs w at its middle, the load W at p from the end of the crank. Of the rocker about the upper knee, and of coupler, load and rocker
    // about the end of the crank:
    //   r × F + r/2 × w = 0,    (c + r) × F + c/2 × w + (c + r/2) × w + p × W = 0
    let along = |angle: f64, length: f64| Vec3::new(length * Float::cos(angle), length * Float::sin(angle), 0.0);
    let (c, r) = (along(q[0] + q[1], across), along(q[0] + q[1] + q[2], arm));
    let (w, both) = (Vec3::new(0.0, -G, 0.0), c + r);
    let (m1, mut m2) = ((r * 0.5).cross(w).z, (c * 0.5).cross(w).z + (c + r * 0.5).cross(w).z);
    if let Some((body, mass)) = load {
        let lying = world.body(body).unwrap();
        m2 += (lying.centre_of_mass() - along(q[0], arm)).cross(w * mass).z;
        let fastest = lying.linear_velocity().length().max(lying.angular_velocity().length()).to_f64();
        assert!(fastest < 1e-3, "{name}: the load at {fastest}");
        let [pressed, _] = support(&world, coupler, body);
        println!("{name}: the coupler bears {pressed:.3} N of {:.3} N", mass * G);
        // A hundredth, as for the tie: what soft contacts and joints leave open in a step.
        assert!((pressed / (mass * G) - 1.0).abs() < 0.01, "{name}: {pressed} N");
    }
    let d = r.cross(both).z;
    // a × F = -m for both levers a, by Cramer's rule.
    let f = Vec3::new((m2 * r.x - m1 * both.x) / d, (m2 * r.y - m1 * both.y) / d, 0.0);
    assert!((r.cross(f).z + m1).abs() < 1e-9 && (both.cross(f).z + m2).abs() < 1e-9, "{f:?}");
    let borne = world.joint(tie).unwrap().force().to_f64();
    println!("{name}: the tie bears {borne:?} of {f:?}, gap {gap:.1e} m, rates {rates:?}");
    assert!((borne - f).length() < 0.01 * f.length(), "{name}: {borne:?} for {f:?}");
}
