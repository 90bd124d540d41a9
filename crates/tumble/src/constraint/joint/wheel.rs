//! Wheel: B spins about an axle that slides along a strut of A and is steered about it.
//!
//! ```text
//!   C = (y_A·d, z_A·d)               2 rows: the hub stays on the strut, along x_A
//!   C = (x_A·e, y'·e)                2 rows: e the turn from the steered axle z' to z_B,  y', z': y_A, z_A turned by δ about x_A
//!   s = x_A·d                        suspension: spring and stops
//!   ω·z'                             drive and brake
//! ```
//!
//! K, whose inverse is the effective mass (κ and τ: see `parts`): κ(t; r_A + d, r_B) along y_A, z_A and, for the suspension, x_A; τ about x_A,
//! y' and, for drive and brake, z'. A suspension tuned by hertz takes what is left of κ while the hub is held: the mass of the wheel against that
//! of the car at its strut.

use super::super::{Axis, Constraint, Frames, Jacobian, Limit, Motor, Row, Rows, Signal, Stiffness};
use super::parts;
use crate::math::{Quat, Real, Vec3};

/// A is the chassis and B the wheel; x of A points up along the strut, z along the axle.
///
/// ```
/// use tumble::constraint::{Motor, joint::Wheel};
/// use tumble::math::{Quat, Vec3};
/// use tumble::{BodyDesc, JointDesc, World, shape::Shape};
/// # fn main() -> tumble::Result<()> {
/// let mut world = World::new();
/// let wheel = world.add_body(BodyDesc::dynamic().collider(Shape::sphere(0.3)?))?;
/// let upward = Quat::between(Vec3::X, Vec3::Y);
/// let driven = Wheel { spin: Some(Motor::velocity(-20.0)), ..Wheel::new(3.0, 0.5, 0.1) };
/// let strut = JointDesc::wheel(World::BODY, wheel, driven).frame_a([0.0; 3], upward).frame_b([0.0; 3], upward);
/// let strut = world.add_joint(strut)?;
/// for _ in 0..60 {
///     world.step(1.0 / 60.0)?;
/// }
/// // It spins, and sags a little under its weight.
/// assert!((world.body(wheel)?.angular_velocity().z + 20.0).abs() < 0.5);
/// let sag = world.joint(strut)?.value().unwrap();
/// assert!(sag < -0.01 && sag > -0.1);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Wheel {
    /// The hub along the strut, in metres: a position motor is the spring, a limit the stops.
    pub suspension: Axis,
    /// Drives or brakes the wheel; only velocity motors, in rad/s, positive about z.
    pub spin: Option<Motor>,
    /// δ: the steering angle about the strut, in radians.
    pub steer: Signal,
}

impl Wheel {
    /// A wheel on a spring of this frequency and damping ratio that may travel so far up and down.
    pub fn new(hertz: Real, damping_ratio: Real, travel: Real) -> Self {
        let spring = Motor::position(0.0, Stiffness::tuned(hertz, damping_ratio));
        Self {
            suspension: Axis::FREE.limit(Limit::new(-travel, travel)).motor(spring),
            spin: None,
            steer: Signal::Constant(0.0),
        }
    }

    pub(super) fn validate(&self, subject: &str) -> crate::Result<()> {
        self.suspension.validate(subject)?;
        self.steer.validate(subject)?;
        match &self.spin {
            Some(Motor { drive: super::super::Drive::Position(..), .. }) => {
                Err(crate::Error::refused(subject, "the motor of a wheel drives its speed, not its position"))
            }
            Some(motor) => motor.validate(subject),
            None => Ok(()),
        }
    }
}

impl Constraint for Wheel {
    fn name(&self) -> &str {
        "wheel"
    }

    fn rows(&self, frames: &Frames, out: &mut Rows) {
        parts::on_axis(frames, out);
        let a = frames.a.axes();
        let (angle, rate) = self.steer.at(frames.time);
        let steered = frames.a.rotation * Quat::from_axis_angle(Vec3::X, angle);
        let (y, axle) = (steered.rotate(Vec3::Y), steered.rotate(Vec3::Z));
        let error = parts::turn_between(axle, frames.b.axes().z, a.x);
        out.push(Row { target: rate, ..Row::equal(Jacobian::turning(a.x), a.x.dot(error)) });
        out.push(Row::equal(Jacobian::turning(y), y.dot(error)));
        self.suspension.rows(parts::along(frames, a.x), a.x.dot(frames.gap()), frames.time, out);
        if let Some(motor) = &self.spin {
            motor.rows(Jacobian::turning(axle), 0.0, frames.time, out);
        }
    }
}
