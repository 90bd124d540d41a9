//! Every freedom of every kind: what is left free is not felt, what is held is borne and read, stops stand where they are, springs
//! swing as their equation says.
//!
//! All tests have one set-up, in which the exact answers are simple: a cube, which turns alike about every axis, held at its centre,
//! without gravity, the frames turned anyhow in the world.

use super::motors::oscillator;
use super::{DT, G, awake, crate_at, run, sleepless, weightless};
use crate::support::{Random, real};
use tumble::articulation::{ArticulationDesc, LinkDesc, Swing};
use tumble::constraint::joint::{
    Ball, ConeTwist, Cylindrical, Distance, Drag, Freedom, Hinge, JointKind, Orientation, Path, Planar, Pulley, Screw,
    SixAxis, Slider, Universal, Wheel,
};
use tumble::constraint::{Axis, Frames, Limit, Motor, Stiffness};
use tumble::math::{Float, Num, Quat, Real, Vec3};
use tumble::shape::Shape;
use tumble::{BodyDesc, BodyId, JointDesc, JointId, Method, World};

const MASS: f64 = 10.0;
const HALF: f64 = 0.2;
/// Ten times the body's weight, and the same at half a metre from the joint.
const FORCE: f64 = 10.0 * MASS * G;
const TORQUE: f64 = 0.5 * FORCE;

/// A wrench or a motion of B at the origin of its frame: force and torque, or velocity and turning.
type Spatial = [Vec3<f64>; 2];

fn shift(v: Vec3) -> Spatial {
    [v.to_f64(), Vec3::ZERO]
}

fn turn(v: Vec3) -> Spatial {
    [Vec3::ZERO, v.to_f64()]
}

fn dot(a: Spatial, b: Spatial) -> f64 {
    a[0].dot(b[0]) + a[1].dot(b[1])
}

fn sum(parts: impl Iterator<Item = (f64, Spatial)>) -> Spatial {
    parts.fold([Vec3::ZERO; 2], |s, (c, p)| [s[0] + p[0] * c, s[1] + p[1] * c])
}

/// All that is wrong, told at once.
#[derive(Default)]
struct Faults(Vec<String>);

impl Faults {
    fn unless(&mut self, holds: bool, what: impl FnOnce() -> String) {
        // The first forty tell what is wrong; the same fault may stand in every step.
        if !holds && self.0.len() < 40 {
            self.0.push(what());
        }
    }
}

impl Drop for Faults {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            assert!(self.0.is_empty(), "{:#?}", self.0);
        }
    }
}

/// A world with a cube on a joint to the world, `offset` from the frame on the world and in its axes.
fn held_cube(kind: impl Into<JointKind>, offset: [f64; 3], rotation: Quat) -> (World, BodyId, JointId) {
    let mut world = weightless();
    let origin = Vec3::new(3.0, -2.0, 1.0);
    let at = origin + rotation.rotate(Vec3::new(real(offset[0]), real(offset[1]), real(offset[2]))).to_f64();
    let body = crate_at(&mut world, at.to_array(), [HALF; 3], MASS);
    world.body_mut(body).unwrap().set_rotation(rotation).unwrap();
    let desc = JointDesc::new(World::BODY, body, kind).frame_a(origin.to_array(), rotation);
    let joint = world.add_joint(desc.frame_b([0.0; 3], Quat::IDENTITY)).unwrap();
    (world, body, joint)
}

fn push(world: &mut World, body: BodyId, wrench: Spatial) {
    let mut body = world.body_mut(body).unwrap();
    body.set_force(Vec3::from(wrench[0].to_array().map(real))).unwrap();
    body.set_torque(Vec3::from(wrench[1].to_array().map(real))).unwrap();
}

/// What a kind holds, as wrenches, and what it leaves free, as motions. Together they are six.
struct Holding {
    name: &'static str,
    kind: JointKind,
    offset: [f64; 3],
    held: fn(&Frames) -> Vec<Spatial>,
    free: fn(&Frames) -> Vec<Spatial>,
}

fn axes(frames: &Frames) -> [Vec3; 3] {
    let m = frames.a.axes();
    [m.x, m.y, m.z]
}

/// The line of nodes of a six-axis joint, about which its second angle turns.
fn nodes(frames: &Frames) -> Vec3 {
    frames.b.axes().z.cross(frames.a.axes().x).normalize_or(Vec3::ZERO)
}

/// Where B will be in the mean at the starts of the four sub-steps of the coming step: a load along directions that turn with B is then
/// along what the joint holds.
fn ahead(mut frames: Frames) -> Frames {
    let (b, mean) = (&mut frames.b, 0.375 * DT);
    b.position += (b.velocity() * mean).to_f64();
    b.rotation = Quat::from_rotation_vector(b.angular * mean) * b.rotation;
    frames
}

fn holdings() -> Vec<Holding> {
    const PITCH: f64 = 0.4;
    const PER_RADIAN: f64 = PITCH / (2.0 * std::f64::consts::PI);
    type List = fn(&Frames) -> Vec<Spatial>;
    let nothing: List = |_| Vec::new();
    let shifts: List = |f| axes(f).map(shift).into();
    let turns: List = |f| axes(f).map(turn).into();
    let across: List = |f| axes(f)[1..].iter().flat_map(|&v| [shift(v), turn(v)]).collect();
    let along: List = |f| vec![shift(axes(f)[0]), turn(axes(f)[0])];
    let all: List = |f| axes(f).into_iter().flat_map(|v| [shift(v), turn(v)]).collect();
    let on_line: List = |f| vec![shift(axes(f)[1]), shift(axes(f)[2])];
    let beside_line: List = |f| {
        let [x, y, z] = axes(f);
        vec![shift(x), turn(x), turn(y), turn(z)]
    };
    let at_length: List = |f| vec![shift(f.gap().normalize_or(Vec3::ZERO))];
    let around: List = |f| {
        let (n, b) = f.gap().normalize_or(Vec3::ZERO).tangents();
        [shift(n), shift(b)].into_iter().chain(axes(f).map(turn)).collect()
    };
    let line = [-4.0, -2.0, 0.0, 1.5, 4.0].map(|x| Vec3::new(real(x), 0.0, 0.0));
    let strut = Wheel { suspension: Axis::FREE, ..Wheel::new(1.0, 1.0, 1.0) };
    let six = |slide: [bool; 3], turn: [bool; 3]| {
        let freedom = |free: bool| if free { Freedom::FREE } else { Freedom::Locked };
        JointKind::from(SixAxis { slide: slide.map(freedom), turn: turn.map(freedom) })
    };
    let case = |name, kind: JointKind, held, free| Holding { name, kind, offset: [0.0; 3], held, free };
    let hinge_held: List = |f| axes(f).map(shift).into_iter().chain(axes(f)[1..].iter().map(|&v| turn(v))).collect();
    vec![
        case("ball", Ball::default().into(), shifts, turns),
        case("hinge", Hinge::default().into(), hinge_held, |f| vec![turn(axes(f)[0])]),
        case(
            "slider",
            Slider::default().into(),
            |f| axes(f).map(turn).into_iter().chain(axes(f)[1..].iter().map(|&v| shift(v))).collect(),
            |f| vec![shift(axes(f)[0])],
        ),
        case("fixed", JointDesc::fixed(World::BODY, World::BODY).kind, all, nothing),
        Holding { offset: [0.6, 0.8, 0.0], ..case("rod", Distance::rod(1.0).into(), at_length, around) },
        Holding { offset: [0.6, 0.8, 0.0], ..case("rope", Distance::rope(1.0).into(), at_length, around) },
        case(
            "universal",
            Universal::default().into(),
            |f| {
                let twist = f.b.axes().z.cross(f.a.axes().y);
                axes(f).map(shift).into_iter().chain([turn(twist)]).collect()
            },
            |f| vec![turn(f.a.axes().y), turn(f.b.axes().z)],
        ),
        case("cone-twist", ConeTwist::new(0.5, 0.5).into(), shifts, turns),
        case("cylindrical", Cylindrical::default().into(), across, along),
        case(
            "planar",
            Planar::default().into(),
            |f| vec![shift(axes(f)[0]), turn(axes(f)[1]), turn(axes(f)[2])],
            |f| vec![turn(axes(f)[0]), shift(axes(f)[1]), shift(axes(f)[2])],
        ),
        case(
            "parallel",
            JointDesc::parallel(World::BODY, World::BODY).kind,
            |f| vec![turn(axes(f)[1]), turn(axes(f)[2])],
            |f| axes(f).map(shift).into_iter().chain([turn(axes(f)[0])]).collect(),
        ),
        case("six-axis: all locked", SixAxis::default().into(), all, nothing),
        case("six-axis: free along and about x", six([true, false, false], [true, false, false]), across, along),
        case(
            "six-axis: free along x and z, about y",
            six([true, false, true], [false, true, false]),
            |f| vec![shift(axes(f)[1]), turn(nodes(f).cross(f.b.axes().z)), turn(axes(f)[0].cross(nodes(f)))],
            |f| vec![shift(axes(f)[0]), shift(axes(f)[2]), turn(nodes(f))],
        ),
        case("six-axis: free about all", six([false; 3], [true; 3]), shifts, turns),
        case(
            "screw",
            Screw { pitch: real(PITCH), turn: Axis::FREE }.into(),
            |f| {
                let [x, y, z] = axes(f);
                // A thread bears what does no work as it turns.
                let thread = [x.to_f64(), x.to_f64() * -PER_RADIAN];
                vec![shift(y), shift(z), turn(y), turn(z), thread]
            },
            |f| {
                let x = axes(f)[0].to_f64();
                vec![[x * PER_RADIAN, x]]
            },
        ),
        case(
            "wheel",
            strut.into(),
            |f| {
                let [x, y, z] = axes(f);
                vec![shift(y), shift(z), turn(x), turn(y)]
            },
            |f| vec![shift(axes(f)[0]), turn(axes(f)[2])],
        ),
        case("path", Path::through(line, false).into(), on_line, beside_line),
        case(
            "path that is followed",
            Path { follow: true, ..Path::through(line, false) }.into(),
            |f| axes(f).map(turn).into_iter().chain(axes(f)[1..].iter().map(|&v| shift(v))).collect(),
            |f| vec![shift(axes(f)[0])],
        ),
        case(
            "glue",
            JointDesc::glue(World::BODY, World::BODY, [Vec3::X, Vec3::Y, Vec3::Z].map(|v| v * real(HALF))).kind,
            all,
            nothing,
        ),
    ]
}

/// Ten times its weight, and the torque of that at half a metre, on everything that a joint holds: it reads what it bears to 1 %, feels
/// less than 1e-4 of it along what it leaves free, and the body drifts on there with the speed that it had.
#[test]
fn free_axes_are_free_and_held_ones_bear() {
    let (mut random, mut faults) = (Random(5), Faults::default());
    for case in holdings() {
        let Holding { name, kind, offset, held, free } = case;
        let (mut world, body, joint) = held_cube(kind, offset, random.rotation());
        // So slowly that directions that turn along with the body are the same over a step to 1e-4.
        const SPEED: f64 = 0.005;
        let frames = world.joint(joint).unwrap().frames();
        assert_eq!(held(&frames).len() + free(&frames).len(), 6, "{name}");
        let drift = sum(free(&frames).into_iter().map(|m| (SPEED, m)));
        let [linear, angular] = drift.map(|v| Vec3::from(v.to_array().map(real)));
        world.body_mut(body).unwrap().set_velocity(linear, angular).unwrap();
        for step in 0..180 {
            let now = ahead(world.joint(joint).unwrap().frames());
            let size = |w: &Spatial| if w[0].length() > 0.0 { FORCE } else { TORQUE };
            let load = sum(held(&now).into_iter().map(|w| (size(&w), w)));
            push(&mut world, body, load);
            world.step(DT).unwrap();
            if step < 30 {
                continue;
            }
            let joint = world.joint(joint).unwrap();
            let read = [joint.force().to_f64(), joint.torque().to_f64()];
            for w in held(&now) {
                let share = -dot(read, w) / dot(load, w);
                faults.unless((share - 1.0).abs() < 0.01, || format!("{name}: bears {share} of {w:?} at step {step}"));
            }
            for m in free(&now) {
                let felt = dot(read, m) / (if m[0].length() > 0.5 { FORCE } else { TORQUE });
                faults.unless(felt.abs() < 1e-4, || format!("{name}: feels {felt} along {m:?} at step {step}"));
            }
            // A millimetre at each of the three points of glue.
            let gap = if name == "glue" { 1e-3 * Num::sqrt(3.0) } else { 1e-3 };
            faults.unless(joint.gap() < real(gap) && joint.tilt() < real(8.7e-3), || {
                format!("{name}: {} {}", joint.gap(), joint.tilt())
            });
        }
        let (body, frames) = (world.body(body).unwrap(), world.joint(joint).unwrap().frames());
        let motion = [body.centre_velocity().to_f64(), body.angular_velocity().to_f64()];
        let inertia = 2.0 / 3.0 * MASS * HALF * HALF;
        for m in free(&frames) {
            let speed = dot(motion, m) / dot(m, m);
            // What a millionth of the load would do in three seconds; a hundred-thousandth where both held turns follow B, which bends.
            let share = if name == "six-axis: free along x and z, about y" { 1e-5 } else { 1e-6 };
            let allowed = share * 3.0 * if m[1].length() > 0.0 { TORQUE / inertia } else { FORCE / MASS };
            faults.unless((speed - SPEED).abs() < allowed, || {
                format!("{name}: drifts at {speed}, not {SPEED}, along {m:?}")
            });
        }
    }
}

/// Gears, racks and pulleys, which tie two bodies: under loads that balance by their ratio they hand on what they should, to 1 %, and what turns or moves
/// goes on as it did.
#[test]
fn ratios_hand_on_loads_and_leave_the_motion_free() {
    let axis = Vec3::new(0.0, 0.0, 1.0);
    let mut faults = Faults::default();
    // θ_A + 3 θ_B = 0: three times the torque on B.
    let mut world = weightless();
    let wheels = [0.0, 2.0].map(|x| crate_at(&mut world, [x, 0.0, 0.0], [HALF; 3], MASS));
    for wheel in wheels {
        world.add_joint(JointDesc::hinge(World::BODY, wheel).axis(axis)).unwrap();
    }
    let gear = JointDesc::gear(wheels[0], wheels[1], 3.0).anchor_a([0.0; 3]).anchor_b([0.0; 3]).axis(axis);
    let gear = world.add_joint(gear).unwrap();
    for (wheel, speed, torque) in [(wheels[0], 0.6, 100.0), (wheels[1], -0.2, 300.0)] {
        let mut body = world.body_mut(wheel).unwrap();
        body.set_angular_velocity(axis * real(speed)).unwrap();
        body.set_torque(axis * real(torque)).unwrap();
    }
    run(&mut world, 3.0);
    let read = world.joint(gear).unwrap().torque().z.to_f64();
    faults.unless((read / -300.0 - 1.0).abs() < 0.01, || format!("a gear hands on {read} N m"));
    let speed = world.body(wheels[0]).unwrap().angular_velocity().z.to_f64();
    faults.unless((speed / 0.6 - 1.0).abs() < 1e-3, || format!("a gear that turned at 0.6 turns at {speed}"));

    // s_B = 0.2 θ_A: what pushes the rack by 500 N is held by 100 N m on the pinion.
    let mut world = weightless();
    let pinion = crate_at(&mut world, [0.0; 3], [HALF; 3], MASS);
    let rack = crate_at(&mut world, [0.0, -0.6, 0.0], [1.0, 0.1, 0.1], MASS);
    world.add_joint(JointDesc::hinge(World::BODY, pinion).axis(axis)).unwrap();
    world.add_joint(JointDesc::slider(World::BODY, rack).axis([1.0, 0.0, 0.0])).unwrap();
    let mesh = JointDesc::rack(pinion, rack, 0.2).anchor_a([0.0; 3]).anchor_b([0.0; 3]);
    let mesh = world.add_joint(mesh.axis_a(axis).axis_b([1.0, 0.0, 0.0])).unwrap();
    world.body_mut(pinion).unwrap().set_angular_velocity(axis * 0.5).unwrap();
    world.body_mut(pinion).unwrap().set_torque(axis * -100.0).unwrap();
    world.body_mut(rack).unwrap().set_linear_velocity([0.1, 0.0, 0.0]).unwrap();
    world.body_mut(rack).unwrap().set_force([500.0, 0.0, 0.0]).unwrap();
    run(&mut world, 3.0);
    let read = world.joint(mesh).unwrap().force().x.to_f64();
    faults.unless((read / -500.0 - 1.0).abs() < 0.01, || format!("a rack is held by {read} N"));
    let speed = world.body(rack).unwrap().linear_velocity().x.to_f64();
    faults.unless((speed / 0.1 - 1.0).abs() < 2e-3, || format!("a rack that moved at 0.1 moves at {speed}"));

    // |a| + 2 |b| = L: what goes down at 0.1 m/s on the one side comes up at 0.2 on the other, and 10 kg hold 20.
    let mut world = sleepless();
    let (light, heavy) =
        (crate_at(&mut world, [-1.0, 0.0, 0.0], [0.1; 3], 10.0), crate_at(&mut world, [1.0, 0.0, 0.0], [0.1; 3], 20.0));
    let wheels = [[-1.0, 3.0, 0.0].into(), [1.0, 3.0, 0.0].into()];
    let rope = Pulley { wheels, length: 9.0, ratio: 2.0, slack: true };
    let rope = JointDesc::pulley(light, heavy, rope).anchor_a([0.0; 3]).anchor_b([0.0; 3]);
    let rope = world.add_joint(rope).unwrap();
    world.body_mut(light).unwrap().set_linear_velocity([0.0, 0.2, 0.0]).unwrap();
    world.body_mut(heavy).unwrap().set_linear_velocity([0.0, -0.1, 0.0]).unwrap();
    run(&mut world, 3.0);
    let read = world.joint(rope).unwrap().force().y.to_f64();
    faults.unless((read / (20.0 * G) - 1.0).abs() < 0.01, || format!("a rope pulls by {read} N"));
    let speed = world.body(light).unwrap().linear_velocity().y.to_f64();
    faults.unless((speed / 0.2 - 1.0).abs() < 0.01, || format!("a weight that rose at 0.2 rises at {speed}"));
}

/// Both bodies move, and hang on the joint by arms: as free to turn as they were. Two rods on a ball joint at their ends whirl about each other without
/// anything else; the force between them is that of their motion, their momenta stay.
#[test]
fn joints_between_two_moving_bodies_take_nothing() {
    for kind in [JointKind::from(Ball::default()), Hinge::default().into(), Cylindrical::default().into()] {
        let (name, mut world) = (kind.name().to_owned(), weightless());
        let a = crate_at(&mut world, [-0.5, 0.0, 0.0], [0.45, 0.1, 0.1], 2.0);
        let b = crate_at(&mut world, [0.5, 0.0, 0.0], [0.45, 0.1, 0.1], 3.0);
        let desc = JointDesc::new(a, b, kind).anchor([0.0; 3]).axis([0.0, 0.0, 1.0]);
        let joint = world.add_joint(desc).unwrap();
        // Both turn about z, at different rates; the common point moves with both.
        for (body, spin, x) in [(a, 1.0, -0.5), (b, -2.0, 0.5)] {
            let velocity = [0.0, real(spin * x), 0.0];
            world.body_mut(body).unwrap().set_velocity(velocity, [0.0, 0.0, real(spin)]).unwrap();
        }
        let start = world.measure();
        for _ in 0..180 {
            world.step(DT).unwrap();
            let torque = world.joint(joint).unwrap().torque().to_f64();
            assert!(torque.z.abs() < 1e-4 * 3.0, "{name}: {torque:?}");
            assert!(world.joint(joint).unwrap().gap() < real(2e-3), "{name}");
        }
        let end = world.measure();
        let (p, l) = ((end.momentum - start.momentum).length(), end.angular_momentum.z / start.angular_momentum.z);
        assert!(p < 1e-4 && (l - 1.0).abs() < 1e-3, "{name}: {p} {l}");
        assert!((end.kinetic / start.kinetic - 1.0).abs() < 0.02, "{name}: {} J of {}", end.kinetic, start.kinetic);
    }
}

/// A freedom that takes a limit and a motor: how to make it, what it measures, along which motion.
struct Free {
    name: &'static str,
    make: fn(Axis) -> JointKind,
    measure: fn(&Frames) -> Real,
    along: fn(&Frames) -> Spatial,
    offset: [f64; 3],
}

fn six_axis(index: usize, axis: Axis) -> JointKind {
    let mut kind = SixAxis::default();
    let freedom = if index < 3 { &mut kind.slide[index] } else { &mut kind.turn[index - 3] };
    *freedom = Freedom::Free(axis);
    kind.into()
}

fn slid(frames: &Frames, index: usize) -> Real {
    axes(frames)[index].dot(frames.gap())
}

/// How far B is turned about this axis of A. Only one axis turns in these tests.
fn turned(frames: &Frames, index: usize) -> Real {
    frames.relative_rotation().to_rotation_vector()[index]
}

fn freedoms() -> Vec<Free> {
    macro_rules! slide {
        ($name:literal, $index:literal, $make:expr) => {
            Free {
                name: $name,
                make: $make,
                measure: |f| slid(f, $index),
                along: |f| shift(axes(f)[$index]),
                offset: [0.0; 3],
            }
        };
    }
    macro_rules! turn {
        ($name:literal, $index:literal, $make:expr) => {
            Free {
                name: $name,
                make: $make,
                measure: |f| turned(f, $index),
                along: |f| turn(axes(f)[$index]),
                offset: [0.0; 3],
            }
        };
    }
    vec![
        turn!("hinge", 0, |turn| Hinge { turn }.into()),
        slide!("slider", 0, |slide| Slider { slide }.into()),
        Free {
            name: "distance",
            make: |stretch| Distance { length: None, stretch }.into(),
            measure: |f| f.gap().length(),
            along: |f| shift(f.gap().normalize_or(Vec3::ZERO)),
            offset: [0.6, 0.0, 0.8],
        },
        turn!("universal about y", 1, |bend| Universal { bend: [bend, Axis::FREE] }.into()),
        turn!("universal about z", 2, |bend| Universal { bend: [Axis::FREE, bend] }.into()),
        slide!("cylindrical along", 0, |slide| Cylindrical { slide, turn: Axis::FREE }.into()),
        turn!("cylindrical about", 0, |turn| Cylindrical { slide: Axis::FREE, turn }.into()),
        slide!("planar along y", 1, |slide| Planar { slide: [slide, Axis::FREE], turn: Axis::FREE }.into()),
        slide!("planar along z", 2, |slide| Planar { slide: [Axis::FREE, slide], turn: Axis::FREE }.into()),
        turn!("planar about x", 0, |turn| Planar { slide: [Axis::FREE, Axis::FREE], turn }.into()),
        slide!("six-axis along x", 0, |axis| six_axis(0, axis)),
        slide!("six-axis along y", 1, |axis| six_axis(1, axis)),
        slide!("six-axis along z", 2, |axis| six_axis(2, axis)),
        turn!("six-axis about x", 0, |axis| six_axis(3, axis)),
        turn!("six-axis about y", 1, |axis| six_axis(4, axis)),
        turn!("six-axis about z", 2, |axis| six_axis(5, axis)),
        turn!("screw", 0, |turn| Screw { pitch: 0.4, turn }.into()),
        slide!("wheel", 0, |suspension| Wheel { suspension, ..Wheel::new(1.0, 1.0, 1.0) }.into()),
    ]
}

/// How far beyond a stop a body may be: 1 mm or half a degree.
fn allowed(along: Spatial) -> f64 {
    if along[1].length() > 0.0 { 0.5_f64.to_radians() } else { 1e-3 }
}

/// Presses a cube along a motion with ten times its weight for 3 s.
fn press(world: &mut World, body: BodyId, joint: JointId, along: fn(&Frames) -> Spatial, sign: f64) {
    for _ in 0..180 {
        let along = along(&world.joint(joint).unwrap().frames());
        let size = sign * if along[1].length() > 0.0 { TORQUE } else { FORCE };
        push(world, body, sum([(size, along)].into_iter()));
        world.step(DT).unwrap();
    }
}

/// Both stops of every freedom hold ten times the weight within 1 mm or half a degree.
#[test]
fn stops_hold_ten_times_the_weight() {
    let (mut random, mut faults) = (Random(8), Faults::default());
    for Free { name, make, measure, along, offset } in freedoms() {
        for sign in [-1.0, 1.0] {
            let start = if name == "distance" { 1.0 } else { 0.0 };
            let limit = Limit::new(real(start - 0.3), real(start + 0.2));
            let (mut world, body, joint) = held_cube(make(Axis::FREE.limit(limit)), offset, random.rotation());
            press(&mut world, body, joint, along, sign);
            let frames = world.joint(joint).unwrap().frames();
            let stop = if sign < 0.0 { limit.low } else { limit.high };
            let off = (measure(&frames) - stop).to_f64();
            faults.unless(off.abs() < allowed(along(&frames)), || format!("{name}: {off} beyond its stop at {stop}"));
        }
    }
}

/// The axis of the twist of a cone, halfway between those of A and B: a torque about it does no work on the swing. One about the axis of A
/// would drive the body round the rim, faster and faster.
fn about_middle(frames: &Frames) -> Spatial {
    turn((frames.a.axes().x + frames.b.axes().x).normalize_or(Vec3::ZERO))
}

/// The stops that are no axis: the end of a rope, the rim of a cone in any direction, the ends of a twist and of a path.
#[test]
fn ropes_cones_and_paths_end_where_they_should() {
    let (mut random, mut faults) = (Random(21), Faults::default());
    for i in 0..6 {
        let (mut world, body, joint) = held_cube(Distance::rope(1.0), [0.3, 0.2, 0.1], random.rotation());
        press(&mut world, body, joint, |f| shift(f.gap().normalize_or(Vec3::ZERO)), 1.0);
        let length = world.joint(joint).unwrap().value().unwrap();
        faults.unless((length - 1.0).abs() < real(1e-3), || format!("rope of {length}"));

        // A torque across the axis of the cone, in some direction.
        let (mut world, body, joint) = held_cube(ConeTwist::new(0.5, 0.4), [0.0; 3], random.rotation());
        let way: fn(&Frames) -> Spatial = match i % 3 {
            0 => |f| turn(axes(f)[1]),
            1 => |f| turn(axes(f)[2]),
            _ => |f| turn((axes(f)[1] * 0.6) - (axes(f)[2] * 0.8)),
        };
        press(&mut world, body, joint, way, if i < 3 { 1.0 } else { -1.0 });
        let [twist, swing, _] = world.joint(joint).unwrap().angles().unwrap().map(|a| a.to_f64());
        faults.unless((swing - 0.5).abs() < 0.5_f64.to_radians() && twist.abs() < 0.5_f64.to_radians(), || {
            format!("{twist} {swing}")
        });

        let (mut world, body, joint) = held_cube(ConeTwist::new(0.5, 0.4), [0.0; 3], random.rotation());
        let sign = if i < 3 { 1.0 } else { -1.0 };
        press(&mut world, body, joint, about_middle, sign);
        let [twist, ..] = world.joint(joint).unwrap().angles().unwrap().map(|a| a.to_f64());
        faults.unless((twist - sign * 0.4).abs() < 0.5_f64.to_radians(), || format!("{twist}"));

        let points = [-0.5, 0.0, 0.4].map(|x| Vec3::new(real(x), real(0.2 * x), 0.0));
        let (mut world, body, joint) = held_cube(Path::through(points, false), [0.0; 3], random.rotation());
        press(&mut world, body, joint, |f| shift(axes(f)[0]), sign);
        let frames = world.joint(joint).unwrap().frames();
        let end = frames.a.rotation.rotate(if sign > 0.0 { points[2] } else { points[0] });
        let off = (frames.gap() - end).length();
        faults.unless(off < real(1e-3), || format!("{off} from the end of the path"));
    }
}

/// What passes the anchor of its rope, or turns through the direction opposite to the axis of a cone of all directions, is not stopped there:
/// by each method, of bodies and of links.
#[test]
fn nothing_stops_at_the_anchor_of_a_rope() {
    for method in [Method::soft_step(), Method::simultaneous()] {
        let mut world = World::with_method(awake(method)).unwrap();
        let ball = Shape::sphere(real(0.05)).unwrap();
        let ball = world.add_body(BodyDesc::dynamic().position([0.0, 1.0, 0.0]).collider(ball)).unwrap();
        world.add_joint(JointDesc::rope(World::BODY, ball, 2.0).anchor_a([0.0; 3]).anchor_b([0.0; 3])).unwrap();
        // 1.25 m below where it began.
        run(&mut world, 0.5);
        let height = world.body(ball).unwrap().position().y;
        assert!((height + 0.226).abs() < 0.06, "{height}");

        world.set_gravity(Vec3::ZERO).unwrap();
        let bar = || BodyDesc::dynamic().position([9.0, 0.0, 0.0]).collider(Shape::cuboid(0.3, 0.1, 0.1).unwrap());
        let free = world.add_body(bar()).unwrap();
        let cone = ConeTwist { twist: None, ..ConeTwist::new(Real::PI, 1.0) };
        world.add_joint(JointDesc::new(World::BODY, free, cone).anchor([9.0, 0.0, 0.0])).unwrap();
        let mut desc = ArticulationDesc::new();
        let mut link = LinkDesc::spherical(bar()).at([12.0, 0.0, 0.0]);
        link.swing = Some(Swing::new(Vec3::X, std::f64::consts::PI));
        desc.add(link.velocity(&[0.0, 5.0, 0.0]));
        let id = world.add_articulation(desc).unwrap();
        world.body_mut(free).unwrap().set_velocity([0.0; 3], [0.0, 5.0, 0.0]).unwrap();
        run(&mut world, 1.0);
        let link = world.articulation(id).unwrap().link(0).unwrap();
        for body in [free, link] {
            let spin = world.body(body).unwrap().angular_velocity().y;
            assert!((spin - 5.0).abs() < 0.1, "{spin} rad/s");
        }
    }
}

/// A spring motor on every freedom moves the cube as the implicit step of its oscillator does, with the frequency and the damping that were
/// asked for, or that the constants give. Over two seconds a frequency off by 1 % would show as a tenth of the swing, a damping ratio off by
/// 0.01 as as much.
#[test]
fn springs_on_every_freedom_have_the_discrete_response() {
    let (mut random, mut faults) = (Random(13), Faults::default());
    for Free { name, make, measure, along, offset } in freedoms() {
        for (hertz, ratio, constants) in [(1.5, 0.05, false), (3.0, 1.0, false), (2.0, 0.2, true)] {
            let omega = 2.0 * std::f64::consts::PI * hertz;
            let rotation = random.rotation();
            let mut stiffness = Stiffness::tuned(real(hertz), real(ratio));
            if constants {
                let (probe, body, joint) = held_cube(make(Axis::FREE), offset, rotation);
                let along = along(&probe.joint(joint).unwrap().frames());
                let inertia = probe.body(body).unwrap().mass_properties().unwrap().inertia.xx.to_f64();
                // A screw takes the mass along.
                let carried = if name == "screw" { MASS * (0.4 / (2.0 * std::f64::consts::PI)).powi(2) } else { 0.0 };
                let m = if along[1].length() > 0.0 { inertia + carried } else { MASS };
                stiffness = Stiffness::spring(real(m * omega * omega), real(2.0 * ratio * m * omega));
            }
            let start = if name == "distance" { 1.0 } else { 0.0 };
            let motor = Motor::position(real(start + 0.3), stiffness);
            let (mut world, _, joint) = held_cube(make(Axis::FREE.motor(motor)), offset, rotation);
            for (i, x) in oscillator(omega, ratio, -0.3, 120).into_iter().enumerate() {
                world.step(DT).unwrap();
                let joint = world.joint(joint).unwrap();
                let off = measure(&joint.frames()).to_f64() - (start + 0.3 + x);
                faults.unless(off.abs() < 1e-3, || {
                    format!("{name} at {hertz} Hz, ratio {ratio}: off by {off} at step {i}")
                });
                faults.unless(joint.gap() < real(1e-3) && joint.tilt() < real(2e-3), || name.to_owned());
            }
        }
    }
}

/// The springs that are no axis: orientation motors of ball and cone, about any axis, and the drag.
#[test]
fn orientation_motors_and_drags_have_the_discrete_response() {
    let (mut random, mut faults) = (Random(34), Faults::default());
    for (hertz, ratio) in [(1.5, 0.05), (3.0, 1.0)] {
        let omega = 2.0 * std::f64::consts::PI * hertz;
        let stiffness = Stiffness::tuned(real(hertz), real(ratio));
        let axis = random.vector(1.0).normalize_or(Vec3::X);
        let motor = Orientation::target(Quat::from_axis_angle(axis, 0.3), stiffness);
        let cone = ConeTwist { motor: Some(motor.clone()), ..ConeTwist::new(1.0, 1.0) };
        for kind in [JointKind::from(Ball { motor: Some(motor) }), cone.into()] {
            let name = kind.name().to_owned();
            let (mut world, _, joint) = held_cube(kind, [0.0; 3], random.rotation());
            for (i, x) in oscillator(omega, ratio, -0.3, 120).into_iter().enumerate() {
                world.step(DT).unwrap();
                let turned = world.joint(joint).unwrap().frames().relative_rotation().to_rotation_vector();
                let off = (turned - axis * real(0.3 + x)).length();
                faults.unless(off < real(1e-3), || {
                    format!("{name} at {hertz} Hz, ratio {ratio}: off by {off} at step {i}")
                });
            }
        }
        let drag = Drag { stiffness, max_force: Real::INFINITY };
        let (mut world, _, joint) = held_cube(drag, [-0.3, 0.0, 0.0], random.rotation());
        for (i, x) in oscillator(omega, ratio, -0.3, 120).into_iter().enumerate() {
            world.step(DT).unwrap();
            let off = slid(&world.joint(joint).unwrap().frames(), 0).to_f64() - x;
            faults.unless(off.abs() < 1e-3, || format!("drag at {hertz} Hz, ratio {ratio}: off by {off} at step {i}"));
        }
    }
}

/// A soft stop gives way by force over stiffness, and no more; so do the rim of a cone and the ends of a twist.
#[test]
fn soft_stops_give_way_by_force_over_stiffness() {
    let (mut random, mut faults) = (Random(55), Faults::default());
    // 1,000 N and 100 N m; critically damped for what they stop.
    let (force, torque) = (FORCE, 0.2 * FORCE);
    let inertia = 2.0 / 3.0 * MASS * HALF * HALF;
    let soft = |k: f64, m: f64| Stiffness::spring(real(k), real(2.0 * Num::sqrt(k * m)));
    let (k, kt) = (force / 0.05, torque / 0.1);
    for Free { name, make, measure, along, offset } in freedoms() {
        let start = if name == "distance" { 1.0 } else { 0.0 };
        let (mut world, body, joint) = held_cube(make(Axis::FREE), offset, random.rotation());
        let turns = along(&world.joint(joint).unwrap().frames())[1].length() > 0.0;
        let stiffness = if turns { soft(kt, inertia) } else { soft(k, MASS) };
        let limit = Limit::new(real(start - 0.2), real(start + 0.2)).stiffness(stiffness);
        world.joint_mut(joint).unwrap().set_kind(make(Axis::FREE.limit(limit))).unwrap();
        for _ in 0..300 {
            let along = along(&world.joint(joint).unwrap().frames());
            push(&mut world, body, sum([(if turns { torque } else { force }, along)].into_iter()));
            world.step(DT).unwrap();
        }
        let beyond = measure(&world.joint(joint).unwrap().frames()).to_f64() - (start + 0.2);
        let expected = if turns { 0.1 } else { 0.05 };
        faults.unless((beyond / expected - 1.0).abs() < 0.01, || {
            format!("{name}: {beyond} beyond its stop, should be {expected}")
        });
    }
    let rim = ConeTwist {
        cone_stiffness: soft(kt, inertia),
        twist: Some(Limit::new(-0.2, 0.2).stiffness(soft(kt, inertia))),
        ..ConeTwist::new(0.3, 0.2)
    };
    let ways: [fn(&Frames) -> Spatial; 2] = [|f| turn(axes(f)[2]), about_middle];
    for (way, at, index) in [(ways[0], 0.3, 1), (ways[1], 0.2, 0)] {
        let (mut world, body, joint) = held_cube(rim.clone(), [0.0; 3], random.rotation());
        for _ in 0..300 {
            let along = way(&world.joint(joint).unwrap().frames());
            push(&mut world, body, sum([(torque, along)].into_iter()));
            world.step(DT).unwrap();
        }
        let angle = world.joint(joint).unwrap().angles().unwrap()[index].to_f64();
        faults.unless(((angle - at) / 0.1 - 1.0).abs() < 0.01, || format!("{angle}"));
    }
}

/// A stop with restitution e gives back e of the speed: every freedom, the rim of a cone, the end of a twist.
#[test]
fn stops_bounce() {
    let (mut random, mut faults) = (Random(89), Faults::default());
    let mut bounced = |name: &str, kind: JointKind, offset, along: fn(&Frames) -> Spatial, rotation| {
        let (mut world, body, joint) = held_cube(kind, offset, rotation);
        let speed = 3.0;
        let motion = along(&world.joint(joint).unwrap().frames());
        // What moves along with it, as a screw does.
        let carried = if name == "screw" { motion[1] * (0.4 / (2.0 * std::f64::consts::PI)) } else { motion[0] };
        let [linear, angular] = [carried, motion[1]].map(|v| Vec3::from((v * speed).to_array().map(real)));
        world.body_mut(body).unwrap().set_velocity(linear, angular).unwrap();
        run(&mut world, 0.2);
        let along = along(&world.joint(joint).unwrap().frames());
        let body = world.body(body).unwrap();
        let after = dot([body.centre_velocity().to_f64(), body.angular_velocity().to_f64()], along);
        faults.unless((after + 0.5 * speed).abs() < 0.03, || format!("{name}: {after} after a bounce with {speed}"));
    };
    for Free { name, make, along, offset, .. } in freedoms() {
        let start = if name == "distance" { 1.0 } else { 0.0 };
        let limit = Limit::new(real(start - 0.2), real(start + 0.2)).restitution(0.5);
        bounced(name, make(Axis::FREE.limit(limit)), offset, along, random.rotation());
    }
    let rim = ConeTwist { cone_restitution: 0.5, ..ConeTwist::new(0.2, 1.0) };
    bounced("cone", rim.into(), [0.0; 3], |f| turn(axes(f)[1]), random.rotation());
    let twist = ConeTwist { twist: Some(Limit::new(-0.2, 0.2).restitution(0.5)), ..ConeTwist::new(1.0, 1.0) };
    bounced("twist", twist.into(), [0.0; 3], |f| turn(axes(f)[0]), random.rotation());
}
