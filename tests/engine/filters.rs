//! Who touches whom, and how, in a world that runs: layers, excluded pairs, sensors, colliders that only weigh, the contact
//! hook, and the table of material pairs.

use crate::support::real;
use std::sync::Arc;
use tumble::math::{Float, Real, Vec3};
use tumble::shape::Shape;
use tumble::{
    BodyDesc, BodyId, ColliderDesc, ColliderId, ContactHook, Event, HookedContact, Layers, Material, MaterialRule, Mix,
    PairCoefficients, World,
};

const DT: f64 = 1.0 / 60.0;
const G: f64 = 9.81;

fn run(world: &mut World, seconds: f64) -> Vec<Event> {
    let mut events = Vec::new();
    for _ in 0..(seconds / DT).round() as u32 {
        world.step(real(DT)).unwrap();
        events.extend_from_slice(world.events());
    }
    events
}

fn add(world: &mut World, desc: BodyDesc, collider: ColliderDesc) -> (BodyId, ColliderId) {
    let body = world.add_body(desc.collider(collider)).unwrap();
    let collider = world.body(body).unwrap().colliders().next().unwrap();
    (body, collider)
}

fn floor(world: &mut World) -> (BodyId, ColliderId) {
    add(world, BodyDesc::fixed(), ColliderDesc::new(Shape::half_space(Vec3::Y, 0.0).unwrap()))
}

fn cube() -> ColliderDesc {
    ColliderDesc::new(Shape::cuboid(0.5, 0.5, 0.5).unwrap())
}

fn height(world: &World, body: BodyId) -> f64 {
    world.body(body).unwrap().position().y
}

/// Began and ended contacts between two colliders, in this order.
fn touches(events: &[Event], x: ColliderId, y: ColliderId) -> (usize, usize) {
    let is = |a: &ColliderId, b: &ColliderId| (*a, *b) == (x, y) || (*a, *b) == (y, x);
    let began = events.iter().filter(|e| matches!(e, Event::ContactBegan { a, b } if is(a, b))).count();
    let ended = events.iter().filter(|e| matches!(e, Event::ContactEnded { a, b } if is(a, b))).count();
    (began, ended)
}

/// Two colliders touch only if each meets a layer of the other: either one alone can refuse.
#[test]
fn layers_must_agree_on_both_sides() {
    let (stone, ghost) = (1, 2);
    let table = [
        (Layers { member: stone, meets: u32::MAX }, true),
        (Layers { member: ghost, meets: u32::MAX }, false), // the floor does not meet ghosts
        (Layers { member: stone, meets: ghost }, false),    // it does not meet the floor
        (Layers { member: stone | ghost, meets: stone }, true),
        (Layers { member: 0, meets: u32::MAX }, false), // in no layer at all
    ];
    for (layers, stands) in table {
        let mut world = World::new();
        let ground = ColliderDesc::new(Shape::half_space(Vec3::Y, 0.0).unwrap());
        add(&mut world, BodyDesc::fixed(), ground.layers(Layers { member: stone, meets: stone }));
        let (body, _) = add(&mut world, BodyDesc::dynamic().position([0.0, 0.5, 0.0]), cube().layers(layers));
        run(&mut world, 1.0);
        let fell = 0.5 - height(&world, body);
        // Free fall: ½ g t², which the engine follows exactly but for rounding.
        assert!(if stands { fell.abs() < 0.01 } else { (fell - 0.5 * G).abs() < 0.01 }, "{layers:?}: fell by {fell}");
    }
}

/// Layers can change while bodies rest on each other, also asleep: what is let go wakes, falls, and its contact ends once.
#[test]
fn changed_layers_let_go_of_a_sleeper() {
    let mut world = World::new();
    let (_, ground) = floor(&mut world);
    let (body, collider) = add(&mut world, BodyDesc::dynamic().position([0.0, 0.5, 0.0]), cube());
    let mut events = run(&mut world, 3.0);
    assert!(world.body(body).unwrap().is_asleep());
    world.set_collider_layers(collider, Layers { member: 1, meets: 0 }).unwrap();
    events.extend(run(&mut world, 0.5));
    assert!(height(&world, body) < -0.5, "still at {}", height(&world, body));
    assert_eq!(touches(&events, ground, collider), (1, 1));
}

/// An excluded pair passes through each other, and nobody else does; the pair may be excluded and admitted at any time, and
/// the events pair up.
#[test]
fn excluded_pairs_pass_through_each_other() {
    let mut world = World::new();
    floor(&mut world);
    let (low, low_collider) = add(&mut world, BodyDesc::dynamic().position([0.0, 0.5, 0.0]), cube());
    let (high, high_collider) = add(&mut world, BodyDesc::dynamic().position([0.0, 1.5, 0.0]), cube());
    let (top, _) = add(&mut world, BodyDesc::dynamic().position([0.0, 2.5, 0.0]), cube());
    let mut events = run(&mut world, 1.0);
    assert!((height(&world, high) - 1.5).abs() < 0.02);
    world.set_pair_excluded(high, low, true).unwrap();
    assert!(world.pair_excluded(low, high).unwrap());
    events.extend(run(&mut world, 2.0));
    // The middle one has sunk to the floor into the lowest, and the top one stands on both of them.
    assert!((height(&world, high) - 0.5).abs() < 0.02, "{}", height(&world, high));
    assert!((height(&world, low) - 0.5).abs() < 0.02, "{}", height(&world, low));
    assert!((height(&world, top) - 1.5).abs() < 0.02, "{}", height(&world, top));
    assert_eq!(touches(&events, low_collider, high_collider), (1, 1));

    world.set_pair_excluded(low, high, false).unwrap();
    events.extend(run(&mut world, 2.0));
    // Pushed apart they may part and meet again; what began and what ended stay pairs.
    let (began, ended) = touches(&events, low_collider, high_collider);
    assert!(began >= 2 && (began == ended || began == ended + 1), "began {began} times, ended {ended} times");
    let apart = (world.body(low).unwrap().position() - world.body(high).unwrap().position()).length();
    assert!(apart > 0.95, "pushed apart to {apart}");
}

/// A sensor reports who comes and goes, once each, and changes nobody's motion by a bit.
#[test]
fn sensors_report_and_do_not_touch() {
    let build = |with_sensor: bool| {
        let mut world = World::new();
        let gate = ColliderDesc::new(Shape::cuboid(1.0, 0.5, 1.0).unwrap()).sensor(true);
        let sensor = with_sensor.then(|| add(&mut world, BodyDesc::fixed().position([0.0, 2.0, 0.0]), gate).1);
        let turning = BodyDesc::dynamic().position([0.3, 4.0, 0.1]).angular_velocity([1.0, 2.0, 3.0]);
        let (body, collider) = add(&mut world, turning, cube());
        (world, sensor, body, collider)
    };
    let (mut world, sensor, body, collider) = build(true);
    let (mut bare, _, other, _) = build(false);
    let events = run(&mut world, 2.0);
    run(&mut bare, 2.0);
    let seen: Vec<Event> = events.into_iter().filter(|e| !matches!(e, Event::WokeUp { .. })).collect();
    let (sensor, visitor) = (sensor.unwrap(), collider);
    assert_eq!(seen, [Event::SensorEntered { sensor, visitor }, Event::SensorLeft { sensor, visitor }]);
    assert_eq!(world.body(body).unwrap().pose(), bare.body(other).unwrap().pose());

    // Made solid, it stops the next one.
    world.set_collider_sensor(sensor, false).unwrap();
    let (second, _) = add(&mut world, BodyDesc::dynamic().position([0.0, 3.2, 0.0]), cube());
    run(&mut world, 1.0);
    assert!((height(&world, second) - 3.0).abs() < 0.02, "{}", height(&world, second));
}

/// A sensor sees whoever stands in it, however it has come there, and misses whoever has gone: kinematic bodies that are put, walk and stop, sleepers when
/// the sensor itself is put elsewhere. Each is told in the step after, once.
#[test]
fn sensors_see_visitors_that_stand() {
    let zone = || ColliderDesc::new(Shape::cuboid(1.0, 1.0, 1.0).unwrap()).sensor(true);
    let player = || ColliderDesc::new(Shape::sphere(0.2).unwrap());
    let told = |world: &mut World| {
        let (mut entered, mut left) = (0, 0);
        for event in run(world, 0.1) {
            entered += u32::from(matches!(event, Event::SensorEntered { .. }));
            left += u32::from(matches!(event, Event::SensorLeft { .. }));
        }
        world.audit().unwrap();
        (entered, left)
    };
    let at = |x: f64| tumble::math::WorldPose::from_translation([x, 0.0, 0.0]);
    let build = |x: f64| {
        let mut world = World::new();
        let (sensor, _) = add(&mut world, BodyDesc::fixed(), zone());
        let (body, _) = add(&mut world, BodyDesc::kinematic().position([x, 0.0, 0.0]), player());
        (world, sensor, body)
    };
    // It begins there, is put out, in, out and near, and in.
    let (mut world, _, body) = build(0.0);
    assert_eq!(told(&mut world), (1, 0));
    assert_eq!(told(&mut world), (0, 0));
    for (x, expected) in [(9.0, (0, 1)), (0.5, (1, 0)), (1.25, (0, 1)), (0.9, (1, 0)), (-0.9, (0, 0))] {
        world.body_mut(body).unwrap().set_pose(at(x)).unwrap();
        assert_eq!(told(&mut world), expected, "put to {x}");
        assert_eq!(told(&mut world), (0, 0), "standing at {x}");
    }
    // It walks in and stops there at once.
    let (mut world, _, body) = build(1.5);
    assert_eq!(told(&mut world), (0, 0));
    for (x, expected) in [(1.0, (1, 0)), (1.5, (0, 1))] {
        world.body_mut(body).unwrap().set_target(at(x)).unwrap();
        assert_eq!(told(&mut world), expected, "walks to {x}");
    }
    // It moves at a speed, and is stopped.
    world.body_mut(body).unwrap().set_velocity([-30.0, 0.0, 0.0], [0.0; 3]).unwrap();
    world.step(real(DT)).unwrap();
    world.body_mut(body).unwrap().set_velocity([0.0; 3], [0.0; 3]).unwrap();
    assert_eq!(told(&mut world), (1, 0));
    // The sensor is put elsewhere, and back.
    let (mut world, sensor, _) = build(0.0);
    let (sleeper, _) = add(&mut world, BodyDesc::dynamic().position([0.5, 0.5, 0.0]).gravity_scale(0.0), player());
    assert_eq!(told(&mut world), (2, 0));
    world.body_mut(sleeper).unwrap().put_to_sleep().unwrap();
    for (x, expected) in [(20.0, (0, 2)), (0.0, (2, 0))] {
        world.body_mut(sensor).unwrap().set_pose(at(x)).unwrap();
        assert_eq!(told(&mut world), expected, "the sensor at {x}");
    }
}

/// Two bodies that no longer touch each other leave those alone that stand on one of them, whichever is named first.
#[test]
fn exclusions_leave_others_on_the_floor_alone() {
    for floor_first in [true, false] {
        let mut world = World::new();
        let ground = ColliderDesc::new(Shape::cuboid(20.0, 0.5, 20.0).unwrap()).contact_events(true);
        let (ground, _) = add(&mut world, BodyDesc::fixed().position([0.0, -0.5, 0.0]), ground);
        let crates: Vec<BodyId> = (0..5)
            .map(|i| add(&mut world, BodyDesc::dynamic().position([2.0 * f64::from(i), 0.5, 0.0]), cube()).0)
            .collect();
        run(&mut world, 1.0);
        let (a, b) = if floor_first { (ground, crates[2]) } else { (crates[2], ground) };
        world.set_pair_excluded(a, b, true).unwrap();
        let (player, _) = add(&mut world, BodyDesc::kinematic().position([-9.0, 5.0, 0.0]), cube());
        let (a, b) = if floor_first { (ground, player) } else { (player, ground) };
        world.set_pair_excluded(a, b, true).unwrap();
        let events = run(&mut world, 0.5);
        let ended = events.iter().filter(|e| matches!(e, Event::ContactEnded { .. })).count();
        let began = events.iter().filter(|e| matches!(e, Event::ContactBegan { .. })).count();
        assert_eq!((ended, began), (1, 0), "the floor first: {floor_first}");
    }
}

/// With collision off, a collider gives its body mass and touches nothing, until it is switched on.
#[test]
fn colliders_that_do_not_collide_only_weigh() {
    let mut world = World::new();
    floor(&mut world);
    let (body, collider) = add(&mut world, BodyDesc::dynamic().position([0.0, 5.0, 0.0]), cube());
    world.set_collider_collides(collider, false).unwrap();
    assert_eq!(world.body(body).unwrap().mass(), 1000.0);
    let events = run(&mut world, 1.2);
    assert!(height(&world, body) < -1.0 && !events.iter().any(|e| matches!(e, Event::ContactBegan { .. })));
    world.body_mut(body).unwrap().set_pose(tumble::math::WorldPose::from_translation([0.0, 0.6, 0.0])).unwrap();
    world.body_mut(body).unwrap().set_velocity([0.0; 3], [0.0; 3]).unwrap();
    world.set_collider_collides(collider, true).unwrap();
    run(&mut world, 1.0);
    assert!((height(&world, body) - 0.5).abs() < 0.01);
}

/// Ice beyond x = 0, and one-way planks: what stands on one is carried, what comes from below or beside passes.
struct Rink;

impl ContactHook for Rink {
    fn name(&self) -> &str {
        "rink"
    }

    fn contact(&self, contact: &mut HookedContact<'_>) {
        if contact.points().all(|point| point.position.x > 0.0) {
            let ice = PairCoefficients { static_friction: 0.0, dynamic_friction: 0.0, ..contact.coefficients() };
            contact.set_coefficients(ice).unwrap();
        }
    }
}

/// The hook changes friction from place to place: a box slides onto ice and from there on keeps its speed.
#[test]
fn hook_changes_coefficients_by_place() {
    let mut world = World::new();
    world.set_contact_hook(Some(Arc::new(Rink)));
    let ground = ColliderDesc::new(Shape::half_space(Vec3::Y, 0.0).unwrap()).friction(0.4).hooked(true);
    add(&mut world, BodyDesc::fixed(), ground);
    let slider = BodyDesc::dynamic().position([-1.5, 0.1, 0.0]).linear_velocity([4.0, 0.0, 0.0]);
    let low = ColliderDesc::new(Shape::cuboid(0.5, 0.1, 0.5).unwrap()).friction(0.4);
    let (body, _) = add(&mut world, slider, low);
    let speed = |world: &World| world.body(body).unwrap().linear_velocity().x.to_f64();
    while world.body(body).unwrap().position().x < 0.55 {
        run(&mut world, DT);
        assert!(world.time() < 2.0, "stuck at {:?}", world.body(body).unwrap().position());
    }
    // Braked by μ g on the way, of which the last metre is half on ice: v² = v₀² - 2 μ g s, s between 1 and 2.05 m.
    let on_ice = speed(&world);
    let (least, most) = ((16.0 - 2.0 * 0.4 * G * 2.05f64).sqrt(), (16.0 - 2.0 * 0.4 * G * 1.0f64).sqrt());
    assert!(on_ice > 0.98 * least.max(0.0) && on_ice < 1.02 * most, "{on_ice} not in {least}..{most}");
    run(&mut world, 2.0);
    assert!((speed(&world) / on_ice - 1.0).abs() < 0.005, "{} after {on_ice}", speed(&world));
}

/// A box on a slope of 20 degrees whose friction comes from the world's tables.
struct Slope {
    world: World,
    body: BodyId,
    materials: [tumble::MaterialId; 2],
}

impl Slope {
    const ANGLE: f64 = 0.349_065_850_398_865_9;

    fn new(slope: Material, load: Material) -> Self {
        let mut world = World::new();
        let materials = [world.add_material(slope).unwrap(), world.add_material(load).unwrap()];
        let (sin, cos) = (Float::sin(Self::ANGLE), Float::cos(Self::ANGLE));
        let normal = Vec3::new(sin, cos, 0.0).to_real();
        let ramp = ColliderDesc::new(Shape::half_space(normal, 0.0).unwrap()).material(materials[0]);
        add(&mut world, BodyDesc::fixed(), ramp);
        let place =
            BodyDesc::dynamic().position([0.1 * sin, 0.1 * cos, 0.0]).turned([0.0, 0.0, 1.0], -Self::ANGLE as Real);
        let flat = ColliderDesc::new(Shape::cuboid(0.5, 0.1, 0.5).unwrap()).material(materials[1]);
        let (body, _) = add(&mut world, place, flat);
        Self { world, body, materials }
    }

    /// Acceleration down the slope, from the speed gained in half a second after a quarter to settle.
    fn acceleration(&mut self) -> f64 {
        run(&mut self.world, 0.25);
        let before = self.world.body(self.body).unwrap().linear_velocity().length().to_f64();
        run(&mut self.world, 0.5);
        (self.world.body(self.body).unwrap().linear_velocity().length().to_f64() - before) / 0.5
    }

    /// g (sin a - μ cos a), or none where friction holds.
    fn expected(friction: f64) -> f64 {
        let (sin, cos) = (Float::sin(Self::ANGLE), Float::cos(Self::ANGLE));
        if friction > sin / cos { 0.0 } else { G * (sin - friction * cos) }
    }

    #[track_caller]
    fn slides_with(&mut self, friction: f64) {
        let (found, expected) = (self.acceleration(), Self::expected(friction));
        // 2 % is the bar for sliding; of nothing, a hundredth of free fall.
        let tolerance = if expected > 0.0 { 0.02 * expected } else { 0.01 * G };
        assert!((found - expected).abs() < tolerance, "friction {friction}: {found} against {expected} m/s²");
    }
}

fn with_friction(friction: f64) -> Material {
    Material::default().with_friction(real(friction))
}

/// The rule of the method makes the friction of a contact, and a change of rule takes hold of contacts that exist.
#[test]
fn material_rule_acts_on_running_contacts() {
    let rules = [(Mix::Min, 0.1), (Mix::Average, 0.25), (Mix::GeometricMean, 0.2), (Mix::Max, 0.4)];
    let mut slope = Slope::new(with_friction(0.1), with_friction(0.4));
    for (friction, expected) in rules {
        let mut method = slope.world.method().clone();
        method.materials = MaterialRule { friction, ..method.materials };
        slope.world.set_method(method).unwrap();
        slope.slides_with(expected);
        slope.world.body_mut(slope.body).unwrap().set_velocity([0.0; 3], [0.0; 3]).unwrap();
    }
}

/// A special pair takes precedence over the rule, also over contacts that exist and sleep; without it, the rule is back.
#[test]
fn special_pair_takes_precedence_in_a_running_world() {
    let mut slope = Slope::new(with_friction(0.8), with_friction(0.8));
    let [a, b] = slope.materials;
    run(&mut slope.world, 2.0);
    assert!(slope.world.body(slope.body).unwrap().is_asleep(), "0.8 holds it");
    let ice = PairCoefficients {
        static_friction: real(0.1),
        dynamic_friction: real(0.1),
        ..slope.world.pair_coefficients(a, b).unwrap()
    };
    slope.world.set_material_pair(b, a, Some(ice)).unwrap();
    slope.slides_with(0.1);
    slope.world.set_material_pair(a, b, None).unwrap();
    run(&mut slope.world, 2.0);
    assert!(slope.world.body(slope.body).unwrap().linear_velocity().length() < real(0.01), "0.8 stops it");
}

/// Editing a material edits every contact of the colliders that share it.
#[test]
fn edited_material_acts_on_running_contacts() {
    let mut slope = Slope::new(with_friction(1.0), with_friction(1.0));
    slope.slides_with(1.0);
    let [a, b] = slope.materials;
    slope.world.set_material(a, with_friction(0.2)).unwrap();
    slope.world.set_material(b, with_friction(0.2)).unwrap();
    slope.slides_with(0.2);
}

/// What touches nothing and moves is not at rest, however slowly: it drifts on with the speed it has (003-S18 in empty space).
#[test]
fn slow_free_bodies_drift_on() {
    let mut world = World::new();
    world.set_gravity([0.0; 3]).unwrap();
    let drifter = BodyDesc::dynamic().linear_velocity([0.001, 0.0, 0.0]).angular_velocity([0.0, 0.002, 0.0]);
    let (drifter, _) = add(&mut world, drifter, cube());
    let (resting, _) = add(&mut world, BodyDesc::dynamic().position([5.0, 0.0, 0.0]), cube());
    run(&mut world, 20.0);
    let x = world.body(drifter).unwrap().position().x;
    assert!((x - 0.02).abs() < 1e-5, "{x} m in 20 s at 1 mm/s");
    assert!((world.body(drifter).unwrap().angular_velocity().y - real(0.002)).abs() < real(1e-7));
    assert!(world.body(resting).unwrap().is_asleep(), "what does not move at all may sleep");
}
