//! A wheel: how it hangs and grips, and what it is doing.

use crate::error::{Error, Result};
use crate::id::{BodyId, ColliderId};
use crate::math::{Float, Point, Real, Vec3};
use serde::{Deserialize, Serialize};

/// How a wheel finds the ground.
///
/// ```
/// use tumble::control::{Probe, Wheel};
/// let wheel = Wheel::new([0.8, 0.0, 1.3], 0.3);
/// assert_eq!(wheel.probe, Probe::Ray);
/// let over_kerbs = Wheel { probe: Probe::Ball, ..wheel };
/// assert!(over_kerbs.validate().is_ok());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Probe {
    /// By a ray along the suspension. Cheap; falls into cracks.
    Ray,
    /// By a ball of the wheel's radius. Rolls over cracks and kerbs.
    Ball,
}

/// A wheel as it is built. Places and directions are in the frame of the chassis.
///
/// ```
/// use tumble::control::Wheel;
/// // A quarter of 1200 kg on each wheel, that swings at 1.5 Hz and is damped by 0.4 of what stops it at once.
/// let wheel = Wheel::new([0.8, 0.0, 1.3], 0.3).suspended(1.5, 0.4, 300.0);
/// assert!((wheel.stiffness - 26647.0).abs() < 10.0);
/// assert!(wheel.validate().is_ok());
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wheel {
    /// Where the suspension begins.
    pub mount: Vec3,
    /// The way the suspension goes, of any length.
    pub down: Vec3,
    /// The axle when it is not steered, to the left of the way ahead; of any length.
    pub axle: Vec3,
    /// Radius in metres.
    pub radius: Real,
    /// How far the hub is from the mount when nothing bears on it, in metres.
    pub rest_length: Real,
    /// How far the suspension gives before it meets its stop, in metres.
    pub travel: Real,
    /// N/m.
    pub stiffness: Real,
    /// N s/m.
    pub damping: Real,
    /// The largest force of spring, damper and stop, in newtons. May be infinite, which JSON cannot store.
    pub max_force: Real,
    /// Friction along the way of the wheel.
    pub grip: Real,
    /// Friction across it.
    pub side_grip: Real,
    /// The part of its load that the tyre bears for each radian of slip angle or unit of slip, before it slides.
    pub slip_stiffness: Real,
    /// Moment of inertia about the axle, in kg m².
    pub inertia: Real,
    /// The part of the steering angle that it gets: 0 for none, negative for a rear wheel that steers against the front.
    pub steered: Real,
    /// The part of the driving torque that it gets.
    pub driven: Real,
    /// The part of the brake torque that it gets.
    pub braked: Real,
    /// The part of the hand brake's torque that it gets.
    pub handbraked: Real,
    /// How it finds the ground.
    pub probe: Probe,
}

impl Wheel {
    /// A wheel of this radius that hangs below `mount`, rolls along +z, and is braked, neither steered nor driven.
    pub fn new(mount: impl Into<Vec3>, radius: Real) -> Self {
        Self {
            mount: mount.into(),
            down: -Vec3::Y,
            axle: Vec3::X,
            radius,
            rest_length: radius,
            travel: radius,
            stiffness: 30_000.0,
            damping: 3_000.0,
            max_force: 1e6,
            grip: 1.0,
            side_grip: 1.0,
            slip_stiffness: 15.0,
            inertia: 1.0,
            steered: 0.0,
            driven: 0.0,
            braked: 1.0,
            handbraked: 0.0,
            probe: Probe::Ray,
        }
    }

    /// Stiffness and damping from the frequency in Hz and the damping ratio with which the mass in kg that it bears swings on it:
    /// k = m (2π f)², c = 2 ζ m 2π f.
    #[must_use]
    pub fn suspended(mut self, frequency: Real, ratio: Real, mass: Real) -> Self {
        let omega = 2.0 * Real::PI * frequency;
        self.stiffness = mass * omega * omega;
        self.damping = 2.0 * ratio * mass * omega;
        self
    }

    /// What is wrong with it, if anything.
    pub fn validate(&self) -> Result<()> {
        const SUBJECT: &str = "wheel";
        for (property, v) in [("down", self.down), ("axle", self.axle)] {
            if v.try_normalize().is_none() {
                return Err(Error::value(SUBJECT, property, "finite and not zero", format_args!("{:?}", v.to_array())));
            }
        }
        if !self.mount.is_finite() {
            let value = format!("{:?}", self.mount.to_array());
            return Err(Error::value(SUBJECT, "mount", "finite", value));
        }
        for (property, value) in
            [("radius", self.radius), ("slip stiffness", self.slip_stiffness), ("inertia", self.inertia)]
        {
            if !(value > 0.0 && value.is_finite()) {
                return Err(Error::value(SUBJECT, property, "positive and finite", value));
            }
        }
        let not_negative = [
            ("rest length", self.rest_length),
            ("travel", self.travel),
            ("stiffness", self.stiffness),
            ("damping", self.damping),
            ("grip", self.grip),
            ("side grip", self.side_grip),
            ("braked", self.braked),
            ("handbraked", self.handbraked),
        ];
        for (property, value) in not_negative {
            if !(value >= 0.0 && value.is_finite()) {
                return Err(Error::value(SUBJECT, property, "zero or positive and finite", value));
            }
        }
        for (property, value) in [("steered", self.steered), ("driven", self.driven)] {
            if !value.is_finite() {
                return Err(Error::value(SUBJECT, property, "finite", value));
            }
        }
        if self.max_force >= 0.0 {
            Ok(())
        } else {
            Err(Error::value(SUBJECT, "largest force", "zero or positive", self.max_force))
        }
    }
}

/// Where a wheel touches the ground.
///
/// ```
/// use tumble::control::{Vehicle, Wheel};
/// # use tumble::{BodyDesc, World, math::Vec3, shape::Shape};
/// # fn main() -> tumble::Result<()> {
/// # let mut world = World::new();
/// # world.add_body(BodyDesc::fixed().collider(Shape::half_space(Vec3::Y, 0.0)?))?;
/// # let chassis = BodyDesc::dynamic().position([0.0, 0.8, 0.0]).mass(1200.0).collider(Shape::cuboid(0.8, 0.3, 2.0)?);
/// # let chassis = world.add_body(chassis)?;
/// # let corners = [(0.8, 1.3), (-0.8, 1.3), (0.8, -1.3), (-0.8, -1.3)];
/// # let wheels = corners.map(|(x, z)| Wheel::new([x, -0.1, z], 0.3).suspended(1.5, 0.4, 300.0)).to_vec();
/// let mut car = Vehicle::new(&world, chassis, wheels)?;
/// for _ in 0..180 {
///     car.update(&mut world, 1.0 / 60.0)?;
///     world.step(1.0 / 60.0)?;
/// }
/// // A quarter of the weight of 1200 kg on each.
/// for wheel in car.states() {
///     let contact = wheel.contact.unwrap();
///     assert!((contact.load - 300.0 * 9.81).abs() < 50.0);
///     assert_eq!(contact.normal, Vec3::Y);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct WheelContact {
    /// Whose ground.
    pub body: BodyId,
    /// Which of its colliders.
    pub collider: ColliderId,
    /// Where, in the world.
    pub point: Point,
    /// Unit normal of the ground.
    pub normal: Vec3,
    /// Normal force, in newtons.
    pub load: Real,
    /// Force of the ground on the wheel along its way and across it, to the left, in newtons.
    pub traction: [Real; 2],
    /// How fast the tyre slips along its way and across it, in m/s: 0 where it grips.
    pub slip: [Real; 2],
}

/// What a wheel is doing.
///
/// ```
/// use tumble::control::{Vehicle, Wheel, WheelState};
/// use tumble::{BodyDesc, World, shape::Shape};
/// # fn main() -> tumble::Result<()> {
/// let mut world = World::new();
/// let chassis = world.add_body(BodyDesc::dynamic().collider(Shape::cuboid(0.8, 0.3, 2.0)?))?;
/// let wheel = Wheel { driven: 1.0, steered: 1.0, ..Wheel::new([0.0, 0.0, 1.0], 0.3) };
/// let mut car = Vehicle::new(&world, chassis, vec![wheel])?;
/// (car.controls.drive, car.controls.steering) = (60.0, 0.2);
/// car.update(&mut world, 1.0 / 60.0)?;
/// // In the air it only spins up: 60 N m on 1 kg m² for a sixtieth of a second.
/// let WheelState { spin, steering, contact, .. } = car.states()[0];
/// assert!((spin - 1.0).abs() < 1e-3 && steering == 0.2 && contact.is_none());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WheelState {
    /// From the mount to the hub, in metres.
    pub length: Real,
    /// Steering angle about the way up, to the left, in radians.
    pub steering: Real,
    /// By how much it has turned about its axle, between -π and π.
    pub angle: Real,
    /// How fast it turns about its axle, in rad/s.
    pub spin: Real,
    /// Where it touches the ground.
    pub contact: Option<WheelContact>,
}
