//! Vehicles on wheels, against closed forms.

use crate::support::real;
use tumble::control::{AntiRollBar, Controls, Probe, Vehicle, Wheel};
use tumble::math::{Quat, Real, Vec3, WorldPose};
use tumble::shape::{Mesh, MeshDesc, Shape};
use tumble::{BodyDesc, BodyId, Locks, World};

const DT: f64 = 1.0 / 60.0;
const MASS: f64 = 1200.0;
/// From axle to axle.
const BASE: f64 = 2.6;
const FREQUENCY: f64 = 1.5;

struct Car {
    world: World,
    vehicle: Vehicle,
    chassis: BodyId,
}

/// A car whose centre is where the springs bear it on flat ground at height 0, steered in front and driven behind.
fn car(mut world: World, place: impl FnOnce(BodyDesc) -> BodyDesc, build: impl Fn(Wheel) -> Wheel) -> Car {
    let body = BodyDesc::dynamic().position([0.0, 0.7 - sag(), 0.0]).mass(real(MASS)).can_sleep(false);
    let body = place(body.collider(Shape::cuboid(0.8, 0.2, 2.0).unwrap()));
    let chassis = world.add_body(body).unwrap();
    let mut wheels = Vec::new();
    for (x, z) in [(0.8, 1.3), (-0.8, 1.3), (0.8, -1.3), (-0.8, -1.3)] {
        let mut wheel =
            Wheel::new([x, real(-0.1), z], real(0.3)).suspended(real(FREQUENCY), real(0.4), real(MASS / 4.0));
        (wheel.steered, wheel.driven, wheel.handbraked) = if z > 0.0 { (1.0, 0.0, 0.0) } else { (0.0, 0.5, 1.0) };
        wheels.push(build(wheel));
    }
    let vehicle = Vehicle::new(&world, chassis, wheels).unwrap();
    Car { world, vehicle, chassis }
}

/// By how much the springs give under the weight: g/(2π f)².
fn sag() -> f64 {
    9.81 / (core::f64::consts::TAU * FREQUENCY).powi(2)
}

fn flat() -> World {
    let mut world = World::new();
    world.add_body(BodyDesc::fixed().collider(Shape::half_space(Vec3::Y, 0.0).unwrap())).unwrap();
    world
}

impl Car {
    fn run(&mut self, steps: usize) {
        for _ in 0..steps {
            self.vehicle.update(&mut self.world, real(DT)).unwrap();
            self.world.step(real(DT)).unwrap();
        }
    }

    fn at(&self) -> Vec3<f64> {
        self.world.body(self.chassis).unwrap().position()
    }

    fn velocity(&self) -> Vec3<f64> {
        self.world.body(self.chassis).unwrap().linear_velocity().to_f64()
    }
}

// At rest every wheel bears a quarter of the weight and has given by what its spring says.
#[test]
fn stands_on_its_springs() {
    for probe in [Probe::Ray, Probe::Ball] {
        let mut car = car(flat(), |b| b.position([0.0, 0.75, 0.0]), |w| Wheel { probe, ..w });
        car.run(600);
        for wheel in car.vehicle.states() {
            let load = wheel.contact.unwrap().load as f64;
            assert!((load / (MASS * 9.81 / 4.0) - 1.0).abs() < 0.01, "{probe:?}: bears {load} N");
            let given = 0.3 - wheel.length as f64;
            assert!((given / sag() - 1.0).abs() < 0.01, "{probe:?}: gives {given}, {} expected", sag());
        }
        assert!(car.velocity().length() < 1e-3);
    }
}

// With little damping it swings at the frequency that it was built for, and the swing neither grows nor dies faster than the damping says.
#[test]
fn swings_at_its_frequency() {
    let ratio = 0.02;
    let lift = |b: BodyDesc| b.position([0.0, 0.7 - sag() + 0.04, 0.0]);
    let mut car = car(flat(), lift, |w| w.suspended(real(FREQUENCY), real(ratio), real(MASS / 4.0)));
    let rest = 0.7 - sag();
    let (mut crossings, mut before, mut last) = (Vec::new(), car.at().y - rest, 0.0);
    for i in 1..=600 {
        car.run(1);
        let now = car.at().y - rest;
        if before > 0.0 && now <= 0.0 {
            crossings.push((f64::from(i) - now / (now - before)) * DT);
        }
        before = now;
        if i > 540 {
            last = f64::max(last, now);
        }
    }
    let periods = crossings.len() as f64 - 1.0;
    let frequency = periods / (crossings[crossings.len() - 1] - crossings[0]);
    assert!((frequency / FREQUENCY - 1.0).abs() < 0.05, "swings at {frequency} Hz");
    // e^(-ζ ω t) over between 9 and 10 s.
    let (most, least) = [9.0, 10.0].map(|t| 0.04 * (-ratio * core::f64::consts::TAU * FREQUENCY * t).exp()).into();
    assert!(last < 1.2 * most && last > 0.8 * least, "swing of {last} left, {least} to {most} expected");
}

// Locked wheels stop it in v²/(2 μ g).
#[test]
fn brakes_in_the_distance_that_friction_gives() {
    for grip in [0.4, 0.8] {
        let mut car = car(flat(), |b| b.linear_velocity([0.0, 0.0, 20.0]), |w| Wheel { grip: real(grip), ..w });
        car.run(30);
        let (speed, from) = (car.velocity().z, car.at().z);
        assert!(speed > 18.0);
        car.vehicle.controls.brake = 1e5;
        car.run(600);
        let (far, expected) = (car.at().z - from, speed * speed / (2.0 * grip * 9.81));
        assert!((far / expected - 1.0).abs() < 0.05, "grip {grip}: {far} m, {expected} expected");
        assert!(car.velocity().length() < 1e-3 && car.at().x.abs() < 0.05);
    }
}

// Slowly, it turns about the point that the bicycle model says: the rear axle at L/tan δ from it.
#[test]
fn steers_the_circle_of_the_bicycle_model() {
    for angle in [0.1, -0.25] {
        let mut car = car(flat(), |b| b.linear_velocity([0.0, 0.0, 2.0]), |w| w);
        car.vehicle.controls.steering = real(angle);
        car.vehicle.controls.drive = 20.0;
        car.run(180);
        let body = car.world.body(car.chassis).unwrap();
        let rear = body.velocity_at(body.to_world([0.0, 0.0, real(-1.3)])).to_f64();
        let radius = Vec3::new(rear.x, 0.0, rear.z).length() / body.angular_velocity().y as f64;
        let expected = BASE / f64::tan(angle);
        assert!((radius / expected - 1.0).abs() < 0.05, "{angle}: radius {radius}, {expected} expected");
        for state in car.vehicle.states() {
            assert!((state.spin as f64 * 0.3 - 2.0).abs() < 1.0, "wheels roll: {}", state.spin);
        }
    }
}

// Braked on a slope of 20 degrees, along it or across, it stands; the hand brake alone holds it, too.
#[test]
fn stands_braked_on_a_slope() {
    let slope = Quat::from_axis_angle(Vec3::X, real(20f64.to_radians()));
    for (turn, handbrake) in [(0.0, false), (0.0, true), (1.2, false)] {
        let mut world = World::new();
        let up = slope.rotate(Vec3::Y);
        world.add_body(BodyDesc::fixed().collider(Shape::half_space(up, 0.0).unwrap())).unwrap();
        let rotation = (slope * Quat::from_axis_angle(Vec3::Y, real(turn))).normalized();
        let place = |b: BodyDesc| b.position(up.to_f64() * 0.6).rotation(rotation);
        let mut car = car(world, place, |w| w);
        if handbrake {
            car.vehicle.controls.handbrake = 5000.0;
        } else {
            car.vehicle.controls.brake = 5000.0;
        }
        car.run(300);
        let from = car.at();
        car.run(600);
        let creep = (car.at() - from).length() / 10.0;
        assert!(creep < 1e-3, "turned by {turn}, hand brake {handbrake}: creeps at {creep:e} m/s");
    }
    // Without a brake it rolls.
    let mut world = World::new();
    let up = slope.rotate(Vec3::Y);
    world.add_body(BodyDesc::fixed().collider(Shape::half_space(up, 0.0).unwrap())).unwrap();
    let mut car = car(world, |b| b.position(up.to_f64() * 0.6).rotation(slope), |w| w);
    car.run(120);
    // g sin a, less what the wheels' inertia of 1 kg m² takes: m/(m + 4 I/r²).
    let expected = 9.81 * 20f64.to_radians().sin() * 2.0 * MASS / (MASS + 4.0 / 0.09);
    assert!((car.velocity().length() / expected - 1.0).abs() < 0.05, "{} m/s", car.velocity().length());
}

// What drives it forward drives the ground back: on a sled that slides freely the momentum of both stays zero.
#[test]
fn acts_on_ground_that_moves() {
    let mut world = World::new();
    let sled = BodyDesc::dynamic().position([0.0, -0.5, 0.0]).mass(2400.0).gravity_scale(0.0);
    let sled = sled.locks(Locks::TURN | Locks::MOVE_Y).collider(Shape::cuboid(10.0, 0.5, 30.0).unwrap());
    let sled = world.add_body(sled).unwrap();
    let mut car = car(world, |b| b, |w| w);
    car.vehicle.controls.drive = 500.0;
    car.run(180);
    let (of_car, of_sled) =
        (car.velocity().z * MASS, car.world.body(sled).unwrap().linear_velocity().z as f64 * 2400.0);
    assert!(of_car > 3000.0, "{of_car}");
    assert!((of_car + of_sled).abs() < 0.02 * of_car, "{of_car} and {of_sled} kg m/s");
}

// A bar stiffens it against rolling; forces of the user's own stay.
#[test]
fn bars_resist_roll() {
    let lean = |stiffness: f64| {
        let mut car = car(flat(), |b| b, |w| w);
        for wheels in [[0, 1], [2, 3]] {
            car.vehicle.add_bar(AntiRollBar { wheels, stiffness: real(stiffness) }).unwrap();
        }
        car.world.body_mut(car.chassis).unwrap().set_torque([0.0, 0.0, 1000.0]).unwrap();
        car.run(400);
        let mut world = car.world.clone();
        car.vehicle.release(&mut world).unwrap();
        let kept = world.body(car.chassis).unwrap().torque();
        assert!((kept - Vec3::new(0.0, 0.0, 1000.0)).length() < 1.0, "{kept:?}");
        car.world.body(car.chassis).unwrap().rotation().to_rotation_vector().z as f64
    };
    // Each axle turns back with (k/2 + b) w² for each radian, with k of each spring, b of the bar and w the track; the weight, at
    // the height h over where the wheels touch, turns on with m g h.
    let k = MASS / 4.0 * (core::f64::consts::TAU * FREQUENCY).powi(2);
    for bar in [0.0, 20_000.0] {
        let back = 2.0 * (0.5 * k + bar) * 1.6 * 1.6 - MASS * 9.81 * (0.7 - sag());
        let expected = 1000.0 / back;
        let angle = lean(bar);
        assert!((angle / expected - 1.0).abs() < 0.02, "bar {bar}: {angle} rad, {expected} expected");
    }
}

// Over a bumpy mesh at full drive it stays on its wheels and gets on, with either probe.
#[test]
fn drives_over_a_mesh() {
    for probe in [Probe::Ray, Probe::Ball] {
        let (n, m) = (12u32, 120u32);
        let vertex = |k: u32| {
            let (i, j) = (k / m, k % m);
            let bump = 0.06 * ((f64::from(i) * 1.9).sin() + (f64::from(j) * 1.1).sin());
            Vec3::new(f64::from(i) - 5.5, bump, f64::from(j) - 10.0).to_real()
        };
        let cell = |k: u32| {
            let a = (k / (m - 1)) * m + k % (m - 1);
            [[a, a + 1, a + m], [a + 1, a + m + 1, a + m]]
        };
        let desc = MeshDesc::new((0..n * m).map(vertex).collect(), (0..(n - 1) * (m - 1)).flat_map(cell).collect());
        let shape = Shape::Mesh(std::sync::Arc::new(Mesh::new(desc).unwrap()));
        let mut world = World::new();
        world.add_body(BodyDesc::fixed().collider(shape)).unwrap();
        let mut car = car(world, |b| b.position([0.0, 1.0, 0.0]), |w| Wheel { probe, ..w });
        car.vehicle.controls.drive = 600.0;
        car.run(360);
        let up = car.world.body(car.chassis).unwrap().rotation().rotate(Vec3::Y).y;
        assert!(up > 0.9 && car.at().z > 10.0 && car.at().y > 0.3, "{probe:?}: {:?}, {up}", car.at());
        assert!(car.vehicle.hubs().all(|hub| hub.is_finite()));
    }
}

// Stored beside a snapshot it goes on to the bit.
#[test]
fn goes_on_from_a_snapshot() {
    let mut first = car(flat(), |b| b.linear_velocity([0.0, 0.0, 5.0]), |w| w);
    first.vehicle.controls.steering = real(0.2);
    first.run(60);
    let mut world = World::new();
    world.restore(&first.world.snapshot().unwrap()).unwrap();
    // Text may lose the last bit of a double; a copy is exact.
    let read: Vehicle = serde_json::from_str(&serde_json::to_string(&first.vehicle).unwrap()).unwrap();
    assert_eq!((read.wheels().len(), read.controls), (4, first.vehicle.controls));
    assert!((read.states()[0].spin - first.vehicle.states()[0].spin).abs() < 1e-6);
    let mut second = Car { world, vehicle: first.vehicle.clone(), chassis: first.chassis };
    first.run(60);
    second.run(60);
    assert_eq!(first.world.hash(), second.world.hash());
    assert_eq!(first.vehicle, second.vehicle);
}

// Every number of a wheel, of a bar and of the driver is refused where it makes no sense, and nothing is changed then.
#[test]
fn refuses_bad_values() {
    let mut world = flat();
    let fixed = world.add_body(BodyDesc::fixed()).unwrap();
    assert!(Vehicle::new(&world, fixed, vec![]).is_err());
    let mut car = car(world, |b| b, |w| w);
    let good = Wheel::new([0.0; 3], 0.3);
    type Number = fn(&mut Wheel) -> &mut Real;
    // What each may be: positive; zero or positive; any number.
    let positive: [(&str, Number); 3] =
        [("radius", |w| &mut w.radius), ("slip stiffness", |w| &mut w.slip_stiffness), ("inertia", |w| &mut w.inertia)];
    let not_negative: [(&str, Number); 8] = [
        ("rest length", |w| &mut w.rest_length),
        ("travel", |w| &mut w.travel),
        ("stiffness", |w| &mut w.stiffness),
        ("damping", |w| &mut w.damping),
        ("grip", |w| &mut w.grip),
        ("side grip", |w| &mut w.side_grip),
        ("braked", |w| &mut w.braked),
        ("handbraked", |w| &mut w.handbraked),
    ];
    let any: [(&str, Number); 2] = [("steered", |w| &mut w.steered), ("driven", |w| &mut w.driven)];
    let vectors: [(&str, fn(&mut Wheel) -> &mut Vec3); 3] =
        [("mount", |w| &mut w.mount), ("down", |w| &mut w.down), ("axle", |w| &mut w.axle)];
    let infinite = [Real::NAN, Real::INFINITY, Real::NEG_INFINITY];
    let mut bad: Vec<(&str, Wheel)> = Vec::new();
    let mut put = |name, change: &dyn Fn(&mut Wheel)| {
        let mut wheel = good.clone();
        change(&mut wheel);
        bad.push((name, wheel));
    };
    for (name, number) in positive {
        for value in infinite.into_iter().chain([0.0, -1.0]) {
            put(name, &|w| *number(w) = value);
        }
    }
    for (name, number) in not_negative {
        for value in infinite.into_iter().chain([-1.0]) {
            put(name, &|w| *number(w) = value);
        }
    }
    for (name, number) in any {
        for value in infinite {
            put(name, &|w| *number(w) = value);
        }
    }
    for value in [Real::NAN, Real::NEG_INFINITY, -1.0] {
        put("largest force", &|w| w.max_force = value);
    }
    for (name, vector) in vectors {
        for value in infinite {
            put(name, &|w| vector(w).y = value);
        }
        if name != "mount" {
            put(name, &|w| *vector(w) = Vec3::ZERO);
        }
    }
    let before = car.vehicle.clone();
    for (name, wheel) in bad {
        let error = Vehicle::new(&car.world, car.chassis, vec![wheel.clone()]).unwrap_err().to_string();
        assert!(error.starts_with(&format!("wheel: {name} must be ")), "{wheel:?}: {error}");
        assert!(car.vehicle.add_wheel(wheel.clone()).is_err() && car.vehicle.set_wheel(0, wheel).is_err());
    }
    for value in infinite.into_iter().chain([-1.0]) {
        let bar = AntiRollBar { wheels: [0, 1], stiffness: value };
        assert!(car.vehicle.add_bar(bar).is_err(), "{bar:?}");
    }
    for wheels in [[0, 4], [4, 0], [1, 1]] {
        assert!(car.vehicle.add_bar(AntiRollBar { wheels, stiffness: 1.0 }).is_err());
    }
    assert!(car.vehicle.set_wheel(4, good).is_err() && car.vehicle.remove_wheel(4).is_err());
    let bar = AntiRollBar { wheels: [0, 1], stiffness: 1.0 };
    assert!(car.vehicle.set_bar(0, bar).is_err() && car.vehicle.remove_bar(0).is_err());

    let hash = car.world.hash();
    for dt in infinite.into_iter().chain([0.0, -1.0]) {
        assert!(car.vehicle.update(&mut car.world, dt).is_err(), "a step of {dt}");
    }
    type Control = fn(&mut Controls) -> &mut Real;
    let controls: [(&str, Control, bool); 4] = [
        ("steering", |c| &mut c.steering, true),
        ("drive", |c| &mut c.drive, true),
        ("brake", |c| &mut c.brake, false),
        ("hand brake", |c| &mut c.handbrake, false),
    ];
    for (name, control, negative) in controls {
        for value in infinite.into_iter().chain([-1.0, Real::MAX]) {
            *control(&mut car.vehicle.controls) = value;
            let refused = car.vehicle.update(&mut car.world.clone(), real(DT)).is_err();
            let turned = car.vehicle.states().iter().all(|s| s.angle.abs() <= 3.15 && s.spin.is_finite());
            assert!(turned, "{name} of {value}: {:?}", car.vehicle.states());
            let expected = if value == -1.0 { !negative } else { !value.is_finite() };
            assert_eq!(refused, expected, "{name} of {value}");
            car.vehicle.controls = Controls::default();
            if refused {
                assert_eq!(car.vehicle, before, "{name} of {value}");
            } else {
                car.vehicle = before.clone();
            }
        }
    }
    // A part of the whole that is beyond all numbers.
    car.vehicle.set_wheel(0, Wheel { steered: 4.0, driven: 4.0, braked: 4.0, ..before.wheels()[0].clone() }).unwrap();
    let parts: [Control; 3] = [|c| &mut c.steering, |c| &mut c.drive, |c| &mut c.brake];
    for control in parts {
        *control(&mut car.vehicle.controls) = 0.5 * Real::MAX;
        let error = car.vehicle.update(&mut car.world, real(DT)).unwrap_err().to_string();
        assert!(error.contains("of a wheel must be within the range of numbers"), "{error}");
        car.vehicle.controls = Controls::default();
    }
    assert_eq!(car.world.hash(), hash);
}

// A car that sleeps notices what happens to its ground, its driver and its wheels, and sleeps on where nothing does.
#[test]
fn a_sleeping_car_wakes_with_its_ground() {
    let slab = |world: &mut World, y: f64| {
        let shape = Shape::cuboid(10.0, 0.5, 10.0).unwrap();
        world.add_body(BodyDesc::fixed().position([0.0, y - 0.5, 0.0]).collider(shape)).unwrap()
    };
    let asleep = || {
        let mut world = World::new();
        let ground = slab(&mut world, 0.0);
        let mut car = car(world, |b| b.can_sleep(true), |w| w);
        car.vehicle.controls.handbrake = 3000.0;
        car.run(240);
        car.world.body_mut(car.chassis).unwrap().put_to_sleep().unwrap();
        let at = car.at();
        car.run(60);
        assert!(car.world.body(car.chassis).unwrap().is_asleep() && car.at() == at, "it sleeps on");
        (car, ground)
    };
    let (mut car, ground) = asleep();
    car.world.remove_body(ground).unwrap();
    car.run(30);
    assert!(car.at().y < -0.5, "no ground: {:?}", car.at());

    let (mut car, ground) = asleep();
    car.world.body_mut(ground).unwrap().set_position([0.0, -1.0, 0.0]).unwrap();
    car.run(30);
    assert!(car.at().y < 0.4, "the ground went down: {:?}", car.at());

    let (mut car, _) = asleep();
    slab(&mut car.world, 0.1);
    car.run(30);
    assert!(car.at().y > 0.7 - sag(), "another ground above it: {:?}", car.at());

    let wakes = |what: &str, change: &dyn Fn(&mut Vehicle)| {
        let (mut car, _) = asleep();
        change(&mut car.vehicle);
        car.run(1);
        assert!(!car.world.body(car.chassis).unwrap().is_asleep(), "{what}");
    };
    wakes("driven", &|v| v.controls.drive = 10.0);
    wakes("no longer braked", &|v| v.controls.handbrake = 0.0);
    wakes("another spring", &|v| {
        let wheel = Wheel { stiffness: 1e4, ..v.wheels()[0].clone() };
        v.set_wheel(0, wheel).unwrap();
    });
    wakes("a wheel less", &|v| {
        v.remove_wheel(2).unwrap();
    });
}

// Wheels and bars can be changed while it drives: as if it had been built so.
#[test]
fn parts_can_be_exchanged() {
    let mut car = car(flat(), |b| b, |w| w);
    for (wheels, stiffness) in [([0, 1], 1e4), ([2, 3], 1e4), ([1, 3], 0.0)] {
        car.vehicle.add_bar(AntiRollBar { wheels, stiffness }).unwrap();
    }
    car.run(60);
    // Softer springs in front: they give by their share.
    for i in 0..2 {
        let wheel = car.vehicle.wheels()[i].clone();
        let stiffness = wheel.stiffness * 0.5;
        car.vehicle.set_wheel(i, Wheel { stiffness, ..wheel }).unwrap();
    }
    car.run(300);
    let given = |car: &Car, i: usize| 0.3 - f64::from(car.vehicle.states()[i].length);
    for (i, expected) in [(0, 2.0 * sag()), (1, 2.0 * sag()), (2, sag()), (3, sag())] {
        // It leans forward by a degree or two, which moves its centre over the axles.
        assert!(
            (given(&car, i) / expected - 1.0).abs() < 0.05,
            "wheel {i} gives {}, {expected} expected",
            given(&car, i)
        );
    }
    let wheel = car.vehicle.remove_wheel(0).unwrap();
    let bars: Vec<[u32; 2]> = car.vehicle.bars().iter().map(|bar| bar.wheels).collect();
    assert_eq!((car.vehicle.wheels().len(), bars), (3, vec![[1, 2], [0, 2]]), "bars go with it, numbers move up");
    car.run(60);
    let up = car.world.body(car.chassis).unwrap().rotation().rotate(Vec3::Y).y;
    assert!(up < 0.9999, "it hangs where the wheel was: {up}");
    assert_eq!(car.vehicle.add_wheel(wheel).unwrap(), 3);
    let bar = car.vehicle.bars()[0];
    car.vehicle.set_bar(0, AntiRollBar { stiffness: 0.0, ..bar }).unwrap();
    assert_eq!(car.vehicle.remove_bar(1).unwrap().wheels, [0, 2]);
    car.run(300);
    let up = car.world.body(car.chassis).unwrap().rotation().rotate(Vec3::Y).y;
    assert!(car.vehicle.states().iter().all(|s| s.contact.is_some()) && up > 0.99, "it stands on all of them: {up}");
}

// What the user sets on the chassis stays his own, whenever he sets it, and the wheels bear what is left; a restart of the world changes nothing.
#[test]
fn forces_of_the_user_are_never_touched() {
    let bears = |car: &Car, share: f64, when: &str| {
        for wheel in car.vehicle.states() {
            let load = f64::from(wheel.contact.expect(when).load);
            assert!((load / (share * MASS * 9.81 / 4.0) - 1.0).abs() < 0.02, "{when}: bears {load} N");
        }
    };
    let mut car = car(flat(), |b| b, |w| w);
    car.vehicle.controls.brake = 3000.0;
    car.run(120);
    bears(&car, 1.0, "alone");
    let lift = Vec3::new(0.0, real(0.5 * MASS * 9.81), 0.0);
    car.world.body_mut(car.chassis).unwrap().set_force(lift).unwrap();
    car.run(300);
    bears(&car, 0.5, "lifted");
    assert_eq!(car.world.body(car.chassis).unwrap().force(), lift);
    let mut body = car.world.body_mut(car.chassis).unwrap();
    body.set_force(Vec3::ZERO).unwrap();
    body.set_torque(Vec3::ZERO).unwrap();
    car.run(300);
    bears(&car, 1.0, "let go");
    car.world.restart().unwrap();
    car.run(300);
    bears(&car, 1.0, "restarted");
    assert!((car.at() - Vec3::new(0.0, 0.7 - sag(), 0.0)).length() < 0.01, "{:?}", car.at());
    let body = car.world.body(car.chassis).unwrap();
    assert_eq!((body.force(), body.torque()), (Vec3::ZERO, Vec3::ZERO));
}

// Who is updated twice before a step is not pushed twice, and who is released before it falls like a stone; what the user applies for that step stays.
#[test]
fn wheels_push_once_in_a_step() {
    let mut once = car(flat(), |b| b, |w| w);
    once.run(60);
    let mut twice = Car { world: once.world.clone(), vehicle: once.vehicle.clone(), chassis: once.chassis };
    let mut falls = Car { world: once.world.clone(), vehicle: once.vehicle.clone(), chassis: once.chassis };
    once.run(1);
    twice.vehicle.update(&mut twice.world, real(DT)).unwrap();
    twice.run(1);
    assert!((once.velocity() - twice.velocity()).length() < 1e-4, "{:?} {:?}", once.velocity(), twice.velocity());
    let before = falls.velocity();
    let aside = [real(60.0 * MASS), 0.0, 0.0];
    falls.world.body_mut(falls.chassis).unwrap().apply_force(aside).unwrap();
    falls.vehicle.update(&mut falls.world, real(DT)).unwrap();
    falls.vehicle.release(&mut falls.world).unwrap();
    falls.world.step(real(DT)).unwrap();
    let gained = falls.velocity() - before;
    assert!((gained - Vec3::new(1.0, -9.81 * DT, 0.0)).length() < 1e-3, "{gained:?}");
    assert_eq!(falls.world.body(falls.chassis).unwrap().force(), Vec3::ZERO);
}

fn slab(world: &mut World, body: BodyDesc) -> BodyId {
    world.add_body(body.position([0.0, -0.5, 0.0]).collider(Shape::cuboid(10.0, 0.5, 10.0).unwrap())).unwrap()
}

// A platform that is led by targets carries a braked car: to and fro, round, and up without a push from the dampers.
#[test]
fn is_carried_by_what_has_a_target() {
    let at = |t: f64| {
        let turn = Quat::from_axis_angle(Vec3::Y, real(0.5 * (1.0 - (0.7 * t).cos())));
        WorldPose::new([2.0 * (1.0 - t.cos()), -0.5, 1.0 - (0.9 * t).cos()], turn)
    };
    let mut world = World::new();
    let platform = slab(&mut world, BodyDesc::kinematic());
    let mut ridden = car(world, |b| b, |w| w);
    ridden.vehicle.controls.brake = 1e4;
    ridden.run(60);
    let relative = |car: &Car| {
        let pose = car.world.body(platform).unwrap().pose();
        pose.rotation.to_f64().normalized().unrotate(car.at() - pose.translation)
    };
    let start = relative(&ridden);
    for i in 1..=600 {
        ridden.world.body_mut(platform).unwrap().set_target(at(f64::from(i) * DT)).unwrap();
        ridden.run(1);
        let mut strayed = relative(&ridden) - start;
        // It leans on its springs.
        strayed.y = 0.0;
        assert!(strayed.length() < 0.15, "step {i}: strays by {strayed:?}");
    }

    let mut world = World::new();
    let platform = slab(&mut world, BodyDesc::kinematic());
    let mut lifted = car(world, |b| b, |w| w);
    for i in 1..=400 {
        let target = WorldPose::from_translation([0.0, -0.5 + f64::from(i) * DT, 0.0]);
        lifted.world.body_mut(platform).unwrap().set_target(target).unwrap();
        lifted.run(1);
    }
    for wheel in lifted.vehicle.states() {
        let given = 0.3 - f64::from(wheel.length);
        assert!((given / sag() - 1.0).abs() < 0.05, "gives {given}, {} expected", sag());
    }
    assert!((lifted.velocity().y - 1.0).abs() < 1e-2, "{:?}", lifted.velocity());
}

// A wall that a wheel reaches into is no ground: the car stands on the floor beside it, whether both are one collider or two, and drives on.
#[test]
fn walls_are_no_ground() {
    let floor = || Shape::half_space(Vec3::Y, 0.0).unwrap();
    // The wheels are balls of 0.3 m at 0.8 m to either side.
    let wall = || Shape::cuboid(0.5, 2.0, 50.0).unwrap();
    let apart = |lean: f64| {
        let mut world = World::new();
        world.add_body(BodyDesc::fixed().collider(floor())).unwrap();
        let turn = Quat::from_axis_angle(Vec3::Z, real(-lean));
        let side = turn.rotate(Vec3::X).to_f64() * 0.5;
        let place = Vec3::new(0.95 + 0.5 * lean, 0.5, 0.0) + side;
        world.add_body(BodyDesc::fixed().position(place).rotation(turn).collider(wall())).unwrap();
        world
    };
    let one = || {
        let mut world = World::new();
        let vertices = [(-9.0, 0.0), (0.95, 0.0), (0.95, 3.0)];
        let vertices = vertices.iter().flat_map(|&(x, y)| [-50.0, 50.0].map(|z| Vec3::new(x, y, z).to_real()));
        let triangles = vec![[0, 1, 2], [1, 3, 2], [2, 3, 4], [3, 5, 4]];
        let mesh = Mesh::new(MeshDesc::new(vertices.collect(), triangles)).unwrap();
        world.add_body(BodyDesc::fixed().collider(Shape::Mesh(std::sync::Arc::new(mesh)))).unwrap();
        world
    };
    for (what, world) in
        [("upright", apart(0.0)), ("leaning back", apart(0.1)), ("sloping", apart(0.4)), ("one mesh", one())]
    {
        let mut car = car(world, |b| b, |w| Wheel { probe: Probe::Ball, ..w });
        car.vehicle.controls.drive = 300.0;
        for _ in 0..120 {
            car.run(1);
            for (i, wheel) in car.vehicle.states().iter().enumerate() {
                let contact = wheel.contact.expect(what);
                assert!(contact.normal.y > real(0.99), "{what}, wheel {i}: {contact:?}");
                assert!((0.3 - wheel.length as f64 - sag()).abs() < 0.02, "{what}, wheel {i}: {wheel:?}");
            }
        }
        assert!(car.at().z > 1.0 && car.at().x.abs() < 0.02, "{what}: {:?}", car.at());
    }
    // A ray that starts in a wall finds the floor below; one that starts in the floor is at its stop.
    for (what, body, length) in [
        ("in a wall", BodyDesc::fixed().position([1.29, 0.5, 0.0]).collider(wall()), 0.3 - sag()),
        (
            "in the floor",
            BodyDesc::fixed().position([0.0, -1.3, 0.0]).collider(Shape::cuboid(5.0, 2.0, 50.0).unwrap()),
            0.0,
        ),
    ] {
        let mut world = flat();
        world.add_body(body).unwrap();
        let mut car = car(world, |b| b, |w| w);
        car.vehicle.update(&mut car.world, real(DT)).unwrap();
        let wheel = car.vehicle.states()[0];
        assert!((f64::from(wheel.length) - length).abs() < 1e-3, "{what}: {wheel:?}");
        assert!(wheel.contact.unwrap().normal.y > real(0.99), "{what}: {wheel:?}");
    }
}

// Ground that begins to move, sideways or round, by a velocity, a target or a blow, takes a sleeping car along.
#[test]
fn a_sleeping_car_wakes_when_its_ground_moves() {
    let wakes = |what: &str, ground: BodyDesc, push: &dyn Fn(&mut World, BodyId, f64)| {
        let mut world = World::new();
        let ground = slab(&mut world, ground);
        let mut car = car(world, |b| b.can_sleep(true), |w| w);
        car.vehicle.controls.brake = 3000.0;
        car.run(240);
        for id in [ground, car.chassis] {
            // What moves as it is told does not sleep, it stands.
            let _ = car.world.body_mut(id).unwrap().put_to_sleep();
        }
        car.run(60);
        assert!(car.world.body(car.chassis).unwrap().is_asleep(), "{what}: it sleeps on");
        for i in 1..=60 {
            push(&mut car.world, ground, f64::from(i) * DT);
            car.run(1);
            assert!(!car.world.body(car.chassis).unwrap().is_asleep(), "{what}");
        }
        let (body, pose) = (car.world.body(car.chassis).unwrap(), car.world.body(ground).unwrap().pose());
        let carried = (car.at() - pose.transform_point(Vec3::new(0.0, real(1.2 - sag()), 0.0))).length();
        assert!(carried < 0.1, "{what}: left behind by {carried}");
        let turned = body.rotation().angle_to(pose.rotation);
        assert!(turned < real(0.05), "{what}: turned otherwise by {turned}");
    };
    wakes("sideways", BodyDesc::kinematic(), &|world, id, _| {
        world.body_mut(id).unwrap().set_linear_velocity([0.5, 0.0, 0.0]).unwrap();
    });
    wakes("round", BodyDesc::kinematic(), &|world, id, _| {
        world.body_mut(id).unwrap().set_angular_velocity([0.0, real(0.3), 0.0]).unwrap();
    });
    wakes("to a target", BodyDesc::kinematic(), &|world, id, t| {
        world.body_mut(id).unwrap().set_target(WorldPose::from_translation([0.0, -0.5, 0.5 * t])).unwrap();
    });
    let raft = BodyDesc::dynamic().mass(1e6).gravity_scale(0.0).locks(Locks::TURN | Locks::MOVE_Y);
    wakes("by a blow", raft, &|world, id, t| {
        if t < 1.5 * DT {
            world.body_mut(id).unwrap().apply_impulse([5e5, 0.0, 0.0]).unwrap();
        }
    });
}
