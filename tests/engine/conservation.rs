//! 003-07: without external load momentum and angular momentum stay, also through collisions; energy does not grow.

use crate::support::{Random, assert_near, eps};
use tumble::articulation::{ArticulationDesc, LinkDesc};
use tumble::constraint::Motor;
use tumble::constraint::joint::Hinge;
use tumble::force::Gravitation;
use tumble::math::{Float, Quat, Real, Vec3};
use tumble::shape::Shape;
use tumble::{BodyDesc, BodySet, ColliderDesc, EffectDesc, JointDesc, World};

/// A cloud of bodies of all convex kinds, thrown together in empty space.
fn cloud(friction: Real, restitution: Real) -> World {
    let mut random = Random(41);
    let mut world = World::new();
    world.set_gravity(Vec3::ZERO).unwrap();
    let corners: Vec<Vec3> = (0..12).map(|_| random.vector(0.5)).collect();
    let shapes = [
        Shape::sphere(0.4).unwrap(),
        Shape::cuboid(0.5, 0.3, 0.2).unwrap(),
        Shape::capsule(0.3, 0.25).unwrap(),
        Shape::cylinder(0.3, 0.4).unwrap(),
        Shape::cone(0.4, 0.4).unwrap(),
        Shape::hull(&corners).unwrap(),
    ];
    for i in 0..27 {
        let at = Vec3::new((i % 3 - 1) as f64, (i / 3 % 3 - 1) as f64, (i / 9 - 1) as f64) * 1.5;
        let collider = ColliderDesc::new(shapes[i as usize % shapes.len()].clone()).friction(friction);
        let velocity = (at * -1.0).to_real() + random.vector(0.5);
        let desc = BodyDesc::dynamic().position(at).rotation(random.rotation()).linear_velocity(velocity);
        world.add_body(desc.angular_velocity(random.vector(2.0)).collider(collider.restitution(restitution))).unwrap();
    }
    world
}

/// What a world has of momentum and angular momentum when no two parts of it cancel.
fn scales(world: &World) -> (f64, f64) {
    world.body_ids().map(|id| world.body(id).unwrap()).fold((0.0, 0.0), |(p, l), body| {
        let orbit = body.position().cross(body.momentum()).length();
        (p + body.momentum().length(), l + orbit + body.angular_momentum().length())
    })
}

/// What a minute makes of the momenta of a closed system, as shares of what its parts have.
#[derive(Debug)]
struct Drift {
    momentum: f64,
    angular: f64,
    /// How far the centre of mass is from where the momentum should have brought it, as a share of how fast the parts are.
    centre: f64,
    /// The most that there is at any time, as a share of that at the start.
    energy: f64,
    /// Contacts, summed over the steps.
    touched: u32,
}

impl Drift {
    fn in_a_minute(world: &mut World) -> Self {
        let start = world.measure();
        let (scale, turn_scale) = scales(world);
        let mut drift = Self { momentum: 0.0, angular: 0.0, centre: 0.0, energy: 0.0, touched: 0 };
        for _ in 0..3600 {
            world.step(1.0 / 60.0).unwrap();
            let now = world.measure();
            drift.touched += world.profile().contacts;
            drift.momentum = drift.momentum.max((now.momentum - start.momentum).length() / scale);
            let turned = now.angular_momentum - start.angular_momentum;
            drift.angular = drift.angular.max(turned.length() / turn_scale);
            drift.energy = drift.energy.max(now.kinetic / start.kinetic);
        }
        // Links are where their trees are, and nowhere else.
        world.audit().unwrap();
        let (way, most) = (world.measure().centre - start.centre, 60.0 * scale / start.mass);
        drift.centre = (way - start.momentum * (60.0 / start.mass)).length() / most;
        drift
    }

    /// Momentum to 1e-5 in f32 and 1e-12 in f64, angular momentum to 1e-3, and the way of the whole to 1e-5.
    fn is_within_bars(&self) -> bool {
        let most = if cfg!(tumble_f64) { 1e-12 } else { 1e-5 };
        // Where a tree comes to lie is as exact as its way of following it; one that moved otherwise than its links say would be off by the momentum it had lost, fifty times as much.
        self.momentum < most && self.angular < 1e-3 && self.centre < 1e-5
    }
}

/// Momentum stays to rounding, and angular momentum to a thousandth. Energy is lost and not won; elastic impacts of several
/// points at once, which Newton's law takes one by one, may lend some but never make more than there was.
#[test]
fn momentum_stays_through_collisions() {
    for (friction, restitution) in [(0.0, 0.0), (0.6, 0.0), (0.6, 0.5), (0.0, 1.0)] {
        for rate in [60, 480] {
            let mut world = cloud(friction, restitution);
            let start = world.measure();
            let (scale, turn_scale) = scales(&world);
            let mut energy = start.kinetic;
            let mut touched = 0;
            for _ in 0..3 * rate {
                world.step(1.0 / rate as Real).unwrap();
                let now = world.measure();
                touched += world.profile().contacts;
                // Each step rounds the velocities of 27 bodies, in random directions.
                let rounding = 4.0 * eps() * f64::from(3 * rate).sqrt();
                assert_near("momentum", now.momentum, start.momentum, rounding * scale);
                let most = if restitution == 1.0 { start.kinetic } else { energy };
                let won = now.kinetic / most - 1.0;
                assert!(won < 1e-3, "energy grows by {won}, friction {friction}, restitution {restitution}");
                energy = energy.min(now.kinetic);
            }
            assert!(touched > 100, "they meet");
            let end = world.measure();
            let drift = (end.angular_momentum - start.angular_momentum).length() / turn_scale;
            println!(
                "friction {friction}, restitution {restitution}, {rate} Hz: momentum off by {:e}, angular by {drift:e}, energy {:.3}",
                (end.momentum - start.momentum).length() / scale,
                end.kinetic / start.kinetic,
            );
            assert!(drift < 1e-3, "{drift} of the angular momentum, friction {friction}, restitution {restitution}");
        }
    }
}

/// What the world holds elsewhere is no matter to bodies in empty space: beside some that lie on fixed ones they move as they do alone, to the last bit.
#[test]
fn a_cloud_moves_as_it_does_beside_bodies_that_are_held() {
    let (mut alone, mut beside) = (cloud(0.6, 0.0), cloud(0.6, 0.0));
    let ids: Vec<_> = alone.body_ids().collect();
    for i in 0..20 {
        let at = Vec3::new(100.0 + 3.0 * f64::from(i), 0.0, 0.0);
        let cube = || ColliderDesc::new(Shape::cuboid(0.5, 0.5, 0.5).unwrap());
        beside.add_body(BodyDesc::fixed().position(at).collider(cube())).unwrap();
        let at = at + Vec3::new(0.0, 0.999, 0.0);
        beside.add_body(BodyDesc::dynamic().position(at).can_sleep(false).collider(cube())).unwrap();
    }
    for _ in 0..180 {
        alone.step(1.0 / 60.0).unwrap();
        beside.step(1.0 / 60.0).unwrap();
        assert!(beside.profile().contacts >= alone.profile().contacts + 10, "the cubes lie on each other");
    }
    for id in ids {
        let [a, b] = [&alone, &beside].map(|world| {
            let body = world.body(id).unwrap();
            (body.position(), body.rotation(), body.linear_velocity(), body.angular_velocity())
        });
        assert_eq!(a, b);
    }
}

/// The bars for closed systems, over a minute: momentum to 1e-5 in f32 and 1e-12 in f64, angular momentum to 1e-3. The cloud turns as a whole
/// and holds together by gravitation of its own, so that it collides, rubs and rolls all the time.
#[test]
fn closed_systems_keep_their_momenta_for_a_minute() {
    for (friction, restitution) in [(0.0, 0.0), (0.6, 0.0), (0.6, 0.5), (0.0, 1.0)] {
        let mut world = cloud(friction, restitution);
        let ids: Vec<_> = world.body_ids().skip(1).collect();
        for &id in &ids {
            let body = world.body(id).unwrap();
            let velocity = body.linear_velocity() + Vec3::Y.cross(body.position().to_real());
            let mut body = world.body_mut(id).unwrap();
            body.set_linear_velocity(velocity).unwrap();
            body.set_can_sleep(false);
        }
        world.add_effect(EffectDesc::new(Gravitation::new(1e-3).softening(0.5)).bodies(BodySet::list(ids))).unwrap();
        let drift = Drift::in_a_minute(&mut world);
        println!("friction {friction}, restitution {restitution}: {drift:?}");
        assert!(drift.touched > 100, "they hold together: {drift:?}");
        assert!(drift.is_within_bars(), "{drift:?}");
    }
}

/// The same for a chain of ball joints that tumbles in empty space; and its energy does not grow by more than 0.5 %.
#[test]
fn jointed_bodies_keep_their_momenta_for_a_minute() {
    let mut random = Random(7);
    let mut world = World::new();
    world.set_gravity(Vec3::ZERO).unwrap();
    let mut last = None;
    for i in 0..8 {
        let at = f64::from(i);
        let desc = BodyDesc::dynamic().position([at, 0.0, 0.0]).linear_velocity(random.vector(1.0)).can_sleep(false);
        let desc = desc.angular_velocity(random.vector(1.0)).collider(Shape::cuboid(0.45, 0.1, 0.2).unwrap());
        let body = world.add_body(desc).unwrap();
        if let Some(last) = last.replace(body) {
            world.add_joint(JointDesc::ball(last, body).anchor([at - 0.5, 0.0, 0.0])).unwrap();
        }
    }
    // The first step makes the velocities agree with the joints.
    world.step(1.0 / 60.0).unwrap();
    let drift = Drift::in_a_minute(&mut world);
    println!("chain: {drift:?}");
    assert!(drift.is_within_bars() && drift.energy < 1.005, "{drift:?}");
}

/// Rods that hang on each other by ball joints, as an articulation or as bodies, tumble among a dozen balls that come at them.
fn rods_among_balls(as_tree: bool, friction: Real, restitution: Real) -> World {
    let mut world = World::new();
    world.set_gravity(Vec3::ZERO).unwrap();
    let solid = |shape: Shape| ColliderDesc::new(shape).friction(friction).restitution(restitution);
    let rod = || BodyDesc::dynamic().can_sleep(false).collider(solid(Shape::capsule(0.2, 0.08).unwrap()));
    if as_tree {
        // The frame of its root is anywhere.
        let mut tree = ArticulationDesc::new();
        let root =
            LinkDesc::free(rod()).at([0.1, 0.3, -0.2]).turned(Quat::from_rotation_vector(Vec3::new(0.4, -0.3, 0.2)));
        tree.add(root.velocity(&[0.1, 0.2, -0.1, 1.0, -0.5, 0.2]));
        for parent in 0..4 {
            tree.add(LinkDesc::spherical(rod()).parent(parent).at([0.0, 0.3, 0.0]).anchor([0.0, -0.3, 0.0]));
        }
        world.add_articulation(tree).unwrap();
    } else {
        let mut last = None;
        for i in 0..5 {
            let y = 0.6 * f64::from(i);
            let desc = rod().position([0.0, y, 0.0]).linear_velocity(Vec3::new(0.1 - 0.2 * y, 0.2, -0.1 - y).to_real());
            let rod = world.add_body(desc.angular_velocity([-1.0, 0.5, 0.2])).unwrap();
            if let Some(last) = last.replace(rod) {
                world.add_joint(JointDesc::ball(last, rod).anchor([0.0, y - 0.3, 0.0])).unwrap();
            }
        }
    }
    let mut random = Random(5);
    for i in 0..12 {
        let away = Vec3::new((i % 2) as f64 - 0.5, (i / 2 % 3) as f64 - 1.0, (i / 6) as f64 - 0.5) * 2.0;
        let at = Vec3::new(0.0, 1.0, 0.0) + away + random.vector(0.2).to_f64();
        let desc = BodyDesc::dynamic().can_sleep(false).position(at).linear_velocity((away * -0.5).to_real());
        world.add_body(desc.collider(solid(Shape::sphere(0.25).unwrap()))).unwrap();
    }
    world
}

/// What contacts do to bodies on joints and to trees that float leaves the momenta of all as they were. A tree that was touched lost up to a thousandth
/// of its momentum, and what hung on joints up to a hundredth of its angular momentum.
#[test]
fn what_hangs_together_keeps_its_momenta_through_contacts() {
    for as_tree in [false, true] {
        for (friction, restitution) in [(0.0, 0.0), (0.5, 0.0), (0.5, 0.5)] {
            let mut world = rods_among_balls(as_tree, friction, restitution);
            world.step(1.0 / 60.0).unwrap();
            let drift = Drift::in_a_minute(&mut world);
            println!("tree: {as_tree}, friction {friction}, restitution {restitution}: {drift:?}");
            assert!(drift.touched > 100 && drift.energy < 1.005, "{drift:?}");
            assert!(
                drift.is_within_bars(),
                "tree: {as_tree}, friction {friction}, restitution {restitution}: {drift:?}"
            );
        }
    }
}

/// A floating ring of rods, which a joint closes.
fn floating_ring(count: usize) -> World {
    let mut world = World::new();
    world.set_gravity(Vec3::ZERO).unwrap();
    let rod = || BodyDesc::dynamic().can_sleep(false).collider(Shape::capsule(0.15, 0.05).unwrap()).mass(1.0);
    let mut tree = ArticulationDesc::new();
    tree.add(LinkDesc::free(rod()).velocity(&[0.3, 0.2, -0.1, 0.5, -0.4, 1.5]));
    let half = core::f64::consts::PI / count as f64;
    for i in 1..count {
        let mut link = LinkDesc::spherical(rod()).parent(i - 1).at([0.0, 0.25, 0.0]).anchor([0.0, -0.25, 0.0]);
        link.position = vec![0.0, 0.0, Float::sin(half), Float::cos(half)];
        tree.add(link.velocity(&[0.3 * Float::sin(i as f64), 0.5 * Float::cos(i as f64), 0.2]));
    }
    let tree = world.add_articulation(tree).unwrap();
    let [first, last] = [0, count - 1].map(|i| world.articulation(tree).unwrap().link(i).unwrap());
    let anchor = world.body(first).unwrap().to_world([0.0, -0.25, 0.0]);
    world.add_joint(JointDesc::ball(first, last).anchor(anchor)).unwrap();
    // The first step makes the velocities agree with the joint.
    world.step(1.0 / 60.0).unwrap();
    world
}

/// A joint on links that float acts between them alone, though nothing touches them: what worn factors owe the turn of a closed ring is given back.
#[test]
fn joints_on_trees_that_float_keep_their_momenta() {
    for count in [4, 8] {
        let drift = Drift::in_a_minute(&mut floating_ring(count));
        println!("ring of {count}: {drift:?}");
        assert!(drift.is_within_bars(), "ring of {count}: {drift:?}");
    }
    let mut world = World::new();
    world.set_gravity(Vec3::ZERO).unwrap();
    let rod = || BodyDesc::dynamic().can_sleep(false).collider(Shape::capsule(0.15, 0.05).unwrap()).mass(1.0);
    let mut tree = ArticulationDesc::new();
    tree.add(LinkDesc::free(rod()).velocity(&[0.3, 0.2, -0.1, 0.5, -0.4, 1.5]));
    for parent in 0..3 {
        let link = LinkDesc::spherical(rod()).parent(parent).at([0.0, 0.25, 0.0]).anchor([0.0, -0.25, 0.0]);
        tree.add(link.velocity(&[0.3, -0.5, 0.2]));
    }
    let tree = world.add_articulation(tree).unwrap();
    let end = world.articulation(tree).unwrap().link(3).unwrap();
    let anchor = world.body(end).unwrap().to_world([0.0, 0.25, 0.0]);
    let ball = BodyDesc::dynamic().can_sleep(false).position(anchor + Vec3::new(0.0, 0.4, 0.0)).mass(3.0);
    let ball = world.add_body(ball.collider(Shape::sphere(0.1).unwrap())).unwrap();
    world.add_joint(JointDesc::ball(end, ball).anchor(anchor)).unwrap();
    world.step(1.0 / 60.0).unwrap();
    let drift = Drift::in_a_minute(&mut world);
    println!("ball on a chain: {drift:?}");
    assert!(drift.is_within_bars(), "ball on a chain: {drift:?}");
}

/// One articulation may have several roots: what they do to each other is of one group as well.
#[test]
fn roots_of_one_articulation_that_touch_keep_their_momenta() {
    for friction in [0.0, 0.5] {
        let mut world = World::new();
        world.set_gravity(Vec3::ZERO).unwrap();
        let solid = || ColliderDesc::new(Shape::capsule(0.2, 0.08).unwrap()).friction(friction);
        let rod = || BodyDesc::dynamic().can_sleep(false).collider(solid());
        let mut tree = ArticulationDesc::new().self_collision(true);
        for side in [-1.0, 1.0] {
            let turn = Quat::from_rotation_vector(Vec3::new(0.4, -0.3 * side as Real, 0.2));
            let root = LinkDesc::free(rod()).at([0.3 * side, 0.1, -0.2]).turned(turn);
            let root = tree.add(root.velocity(&[-0.3 * side, 0.1, 0.2, 0.5, -0.4 * side, 0.2]));
            tree.add(LinkDesc::spherical(rod()).parent(root).at([0.0, 0.3, 0.0]).anchor([0.0, -0.3, 0.0]));
        }
        let tree = world.add_articulation(tree).unwrap();
        let links: Vec<_> = world.articulation(tree).unwrap().links().collect();
        // It brings them back to each other.
        let pull = EffectDesc::new(Gravitation::new(2e-4).softening(0.3)).bodies(BodySet::list(links));
        world.add_effect(pull).unwrap();
        let drift = Drift::in_a_minute(&mut world);
        println!("friction {friction}: {drift:?}");
        assert!(drift.touched > 30 && drift.is_within_bars(), "friction {friction}: {drift:?}");
    }
}

/// Where bodies of a group weigh more and less, weight turns it as it should: what it gets back is what contacts took, and no part of that.
#[test]
fn what_weighs_unlike_falls_and_turns_as_its_weight_says() {
    let mut world = rods_among_balls(true, 0.5, 0.0);
    world.set_gravity([0.0, -1.0, 0.0]).unwrap();
    let ids: Vec<_> = world.body_ids().collect();
    for (i, &id) in ids.iter().enumerate() {
        let mut body = world.body_mut(id).unwrap();
        body.set_gravity_scale([0.0, 0.5, 1.0][i % 3]).unwrap();
    }
    let (start, (scale, turn_scale), dt) = (world.measure(), scales(&world), f64::from(1.0 / 60.0 as Real));
    let (mut momentum, mut angular, mut touched) = (start.momentum, start.angular_momentum, 0);
    for _ in 0..120 {
        for body in ids.iter().map(|&id| world.body(id).unwrap()) {
            let push = Vec3::new(0.0, -f64::from(body.mass()) * f64::from(body.gravity_scale()) * dt, 0.0);
            let middle = body.centre_of_mass() + body.centre_velocity().to_f64() * (0.5 * dt);
            momentum += push;
            angular += middle.cross(push);
        }
        world.step(1.0 / 60.0).unwrap();
        touched += world.profile().contacts;
    }
    let end = world.measure();
    let off = [(end.momentum - momentum).length() / scale, (end.angular_momentum - angular).length() / turn_scale];
    println!("momentum, angular {off:?}, touched {touched}");
    assert!(touched > 20 && off[0] < 1e-5 && off[1] < 1e-3, "{off:?}, touched {touched}");
}

/// Groups that are held by turns leave nothing behind: a world that has made no step before makes the same.
#[test]
fn what_is_held_by_turns_owes_nothing_from_before() {
    let mut world = cloud(0.6, 0.0);
    let tray = ColliderDesc::new(Shape::half_space(Vec3::Y, -1.6).unwrap());
    let tray = world.add_body(BodyDesc::fixed().collider(tray)).unwrap();
    for step in 0..180 {
        world.body_mut(tray).unwrap().set_active(step / 15 % 2 == 0);
        let mut twin = World::from_snapshot(&world.snapshot().unwrap()).unwrap();
        for world in [&mut world, &mut twin] {
            world.step(1.0 / 60.0).unwrap();
        }
        assert_eq!(world.hash(), twin.hash(), "step {step}");
    }
}

/// A chain of hinges that are driven until it presses on itself: motors and contacts lean on each other alone.
#[test]
fn a_driven_chain_that_presses_on_itself_does_not_spin_up() {
    let mut world = World::new();
    world.set_gravity(Vec3::ZERO).unwrap();
    let mut last = None;
    for i in 0..8 {
        let x = f64::from(i);
        let spin = Vec3::new((0.7 * x).cos() * 0.5, x.sin() * 0.3, (1.1 * x).cos() * 0.8);
        let desc = BodyDesc::dynamic().can_sleep(false).position([x, 0.0, 0.0]).angular_velocity(spin.to_real());
        let body = world.add_body(desc.collider(Shape::cuboid(0.4, 0.1, 0.2).unwrap())).unwrap();
        if let Some(last) = last.replace(body) {
            let motor = Motor::velocity(1.0).max_force(20.0);
            let joint = JointDesc::new(last, body, Hinge::driven(motor)).axis([0.0, 0.2, 1.0]);
            world.add_joint(joint.anchor([x - 0.5, 0.0, 0.0])).unwrap();
        }
    }
    // The first step makes the velocities agree with the joints.
    world.step(1.0 / 60.0).unwrap();
    let drift = Drift::in_a_minute(&mut world);
    println!("{drift:?}");
    assert!(drift.touched > 1_000, "it presses on itself: {drift:?}");
    assert!(drift.angular < 1e-3, "{drift:?}");
}

/// A gear leans on the frame that carries its wheels. Where there is none the world bears what is missing, and it must not be given back: the wheels turn against
/// each other as fast as either, also while something lies against one of them.
#[test]
fn what_leans_on_the_world_is_not_given_back() {
    let mut world = World::new();
    world.set_gravity(Vec3::ZERO).unwrap();
    let wheel = |x: f64| {
        let collider = ColliderDesc::new(Shape::cylinder(0.1, 0.5).unwrap()).friction(0.0);
        BodyDesc::dynamic().can_sleep(false).position([x, 0.0, 0.0]).collider(collider)
    };
    let driven = world.add_body(wheel(0.0).angular_velocity([0.0, 2.0, 0.0])).unwrap();
    let other = world.add_body(wheel(3.0)).unwrap();
    world.add_body(wheel(-1.0)).unwrap();
    world.add_joint(JointDesc::gear(driven, other, 1.0).axis([0.0, 1.0, 0.0])).unwrap();
    let mut touched = 0;
    for _ in 0..60 {
        world.step(1.0 / 60.0).unwrap();
        touched += world.profile().contacts;
    }
    let [a, b] = [driven, other].map(|wheel| world.body(wheel).unwrap().angular_velocity().y);
    let fastest = world.body_ids().map(|id| world.body(id).unwrap().linear_velocity().length()).fold(0.0, Real::max);
    assert!(touched > 0, "something lies against a wheel");
    assert!((a - 1.0).abs() < 0.02 && (b + 1.0).abs() < 0.02, "{a} {b}");
    // What was given back to all would have them go round each other.
    assert!(fastest < 1e-3, "{fastest}");
}
