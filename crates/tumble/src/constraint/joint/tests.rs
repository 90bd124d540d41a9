//! The Jacobian of every kind against the slope of its error.

use super::*;
use crate::constraint::{Bound, Frame, Motor, Signal, Stiffness};
use crate::math::{Point, Pose, Quat, Vec3, WorldPose};

/// Numbers in [-1, 1), the same everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> Real {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        Real::from_f64((self.0 >> 33) as f64 / f64::from(1u32 << 30) - 1.0)
    }

    fn vector(&mut self) -> Vec3 {
        Vec3::new(self.next(), self.next(), self.next())
    }
}

/// A kind, and where B is as seen from A so that all its equations hold; some of them have Jacobians for there only.
fn kinds(random: &mut Random) -> Vec<(JointKind, Pose)> {
    let spring = || {
        Motor::position(Signal::Sine { mean: 0.0, amplitude: 0.3, hertz: 1.0, phase: 0.1 }, Stiffness::spring(1.0, 1.0))
    };
    let axis = || Axis::FREE.limit(Limit::new(-5.0, 5.0)).motor(spring());
    let about_x = |angle: Real| Quat::from_axis_angle(Vec3::X, angle);
    let free = Quat::from_rotation_vector(random.vector());
    let (s, angle) = (random.next(), random.next());
    let slid = Vec3::X * s;
    let six = SixAxis {
        slide: [Freedom::Free(axis()), Freedom::Locked, Freedom::Free(axis())],
        turn: [Freedom::Free(axis()), Freedom::Locked, Freedom::Free(axis())],
    };
    let (alpha, gamma) = (random.next(), random.next());
    let bent = Quat::from_axis_angle(Vec3::Y, alpha) * Quat::from_axis_angle(Vec3::Z, gamma);
    let nodes = about_x(alpha) * Quat::from_axis_angle(Vec3::Z, gamma);
    let pitch = 0.3;
    let pulley = Pulley {
        wheels: [Point::new(0.0, 9.0, 1.0), Point::new(2.0, 8.0, 0.0)],
        length: 5.0,
        ratio: 2.0,
        slack: false,
    };
    let steer = 0.4;
    let wheel = Wheel { steer: Signal::Constant(steer), ..Wheel::new(2.0, 0.5, 5.0) };
    let spin = about_x(steer) * Quat::from_axis_angle(Vec3::Z, angle);
    let points = [Vec3::ZERO, Vec3::new(1.0, 0.2, 0.0), Vec3::new(2.0, 0.0, 1.0), Vec3::new(3.0, 1.0, 1.0)];
    let path = Path::through(points, false);
    let on_path = path.on_curve(1.4);
    vec![
        (Ball { motor: None }.into(), Pose::new(Vec3::ZERO, free)),
        (Hinge { turn: axis() }.into(), Pose::new(Vec3::ZERO, about_x(angle))),
        (Slider { slide: axis() }.into(), Pose::new(slid, Quat::IDENTITY)),
        (Fixed.into(), Pose::IDENTITY),
        (Distance { length: Some(1.0), stretch: axis() }.into(), Pose::new(random.vector(), free)),
        (Universal { bend: [axis(), axis()] }.into(), Pose::new(Vec3::ZERO, bent)),
        (ConeTwist::new(1.5, 1.5).into(), Pose::new(Vec3::ZERO, Quat::from_rotation_vector(random.vector() * 0.5))),
        (Cylindrical { slide: axis(), turn: axis() }.into(), Pose::new(slid, about_x(angle))),
        (
            Planar { slide: [axis(), axis()], turn: axis() }.into(),
            Pose::new(Vec3::new(0.0, random.next(), random.next()), about_x(angle)),
        ),
        (Parallel.into(), Pose::new(random.vector(), about_x(angle))),
        (six.into(), Pose::new(Vec3::new(s, 0.0, random.next()), nodes)),
        (SixAxis::default().into(), Pose::IDENTITY),
        (Screw { pitch, turn: axis() }.into(), Pose::new(Vec3::X * (pitch * angle / (2.0 * Real::PI)), about_x(angle))),
        (pulley.into(), Pose::new(random.vector(), free)),
        (wheel.into(), Pose::new(slid, spin)),
        (path.into(), Pose::new(on_path, free)),
        (Drag::new(10.0).into(), Pose::new(random.vector(), free)),
        (Glue { points: [Vec3::X, Vec3::Y, Vec3::Z] }.into(), Pose::IDENTITY),
    ]
}

/// The frame after moving with its body for `dt`.
fn moved(frame: &Frame, dt: Real) -> Frame {
    let turn = Quat::from_rotation_vector(frame.angular * dt);
    let arm = turn.rotate(frame.arm);
    Frame {
        position: frame.position + (frame.linear * dt + (arm - frame.arm)).to_f64(),
        rotation: (turn * frame.rotation).normalized(),
        arm,
        ..*frame
    }
}

/// Ċ = J u for every row of every kind: a wrong sign or arm in a Jacobian makes a joint that drifts or gains energy.
#[test]
fn jacobians_are_slopes() {
    let mut random = Random(7);
    for _ in 0..20 {
        for (kind, pose) in kinds(&mut random) {
            let mut frame = |position: Point, rotation: Quat| Frame {
                position,
                rotation,
                arm: random.vector(),
                linear: random.vector(),
                angular: random.vector(),
                rest: WorldPose::new(position, rotation),
            };
            let a = frame(Point::new(1.0, 2.0, 3.0), Quat::from_rotation_vector(Vec3::new(0.3, -0.8, 0.5)));
            let position = a.position + a.rotation.rotate(pose.translation).to_f64();
            let b = frame(position, (a.rotation * pose.rotation).normalized());
            check(&kind, Frames { a, b, time: 0.0, memory: [0.0; 4] });
        }
        // Gears and racks measure in the world, from where they rest, about axes that keep their directions.
        for kind in [JointKind::from(Gear { ratio: -1.7 }), Rack { travel: 0.4 }.into()] {
            let mut frame = || {
                let rest = WorldPose::new(Point::ZERO, Quat::from_rotation_vector(random.vector()));
                let x = rest.rotation.rotate(Vec3::X);
                let rotation = Quat::from_axis_angle(x, 0.4) * rest.rotation;
                let (arm, linear, angular) = (Vec3::ZERO, x * random.next(), x * random.next());
                Frame { position: Point::ZERO, rotation, arm, linear, angular, rest }
            };
            let (a, b) = (frame(), frame());
            check(&kind, Frames { a, b, time: 0.0, memory: [0.0; 4] });
        }
    }
}

fn check(kind: &JointKind, mut frames: Frames) {
    frames.memory = kind.constraint().remember(&frames);
    // Central differences err by dt² C⃛/6 and by rounding over dt: about 1e-4 for either precision.
    let dt = 5e-3;
    let at = |t: Real| {
        let mut rows = Rows::default();
        let now = Frames { a: moved(&frames.a, t), b: moved(&frames.b, t), ..frames };
        kind.rows(&now, &mut rows);
        rows.as_slice().to_vec()
    };
    let (before, now, after) = (at(-dt), at(0.0), at(dt));
    assert_eq!((before.len(), after.len()), (now.len(), now.len()), "{} changes its number of rows", kind.name());
    for (i, row) in now.iter().enumerate() {
        let motor = matches!(row.bound, Bound::Force(_)) && row.stiffness == Stiffness::Method;
        if row.is_idle() || motor || matches!(kind, JointKind::Path(_)) && row.bound == Bound::Push {
            continue;
        }
        let slope = (after[i].error - before[i].error) / (2.0 * dt);
        let (a, b) = (&frames.a, &frames.b);
        let rate = row.jacobian.velocity(a.linear, a.angular, b.linear, b.angular);
        assert!((slope - rate).abs() < 3e-3 * (1.0 + rate.abs()), "row {i} of {kind:?}: slope {slope}, J u {rate}");
    }
}

/// What is held is held: the poses of [`kinds`] leave no error in any row that must be zero.
#[test]
fn equations_hold_where_they_should() {
    let mut random = Random(3);
    for (kind, pose) in kinds(&mut random) {
        if matches!(kind, JointKind::Distance(_) | JointKind::Pulley(_)) {
            continue;
        }
        let a = Frame { rotation: Quat::from_rotation_vector(random.vector()), ..Frame::default() };
        let position = a.rotation.rotate(pose.translation).to_f64();
        let b = Frame { position, rotation: a.rotation * pose.rotation, ..Frame::default() };
        let mut frames = Frames { a, b, ..Frames::default() };
        frames.memory = kind.constraint().remember(&frames);
        let mut rows = Rows::default();
        kind.rows(&frames, &mut rows);
        for row in rows.as_slice().iter().filter(|r| r.bound == Bound::Equal) {
            assert!(row.error.abs() < 1e-5, "{} by {row:?}", kind.name());
        }
    }
}
