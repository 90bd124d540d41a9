//! Vehicles: a chassis on wheels that are rays or cast balls.

mod tyre;
mod wheel;

pub use wheel::{Probe, Wheel, WheelContact, WheelState};

use crate::body::Layers;
use crate::control::mover::yielding;
use crate::detect::query::{CastHit, QueryFilter, RayCast, ShapeCast};
use crate::error::{Error, Result};
use crate::id::BodyId;
use crate::math::spatial::Wrench;
use crate::math::{Float, Num, Pose, Quat, Real, Vec3, WorldPose};
use crate::shape::Shape;
use crate::step::finish::idle;
use crate::{BodyKind, BodyRef, World};
use serde::{Deserialize, Serialize};
use tyre::{Ahead, PASSES, Tyre};

const SUBJECT: &str = "vehicle";

/// What the driver does.
///
/// ```
/// use tumble::control::{Controls, Vehicle, Wheel};
/// # use tumble::{BodyDesc, World, math::Vec3, shape::Shape};
/// # fn main() -> tumble::Result<()> {
/// # let mut world = World::new();
/// # world.add_body(BodyDesc::fixed().collider(Shape::half_space(Vec3::Y, 0.0)?))?;
/// # let chassis = BodyDesc::dynamic().position([0.0, 0.8, 0.0]).mass(1200.0).collider(Shape::cuboid(0.8, 0.3, 2.0)?);
/// # let chassis = world.add_body(chassis)?;
/// # let corners = [(0.8, 1.3), (-0.8, 1.3), (0.8, -1.3), (-0.8, -1.3)];
/// # let wheels = corners.map(|(x, z)| Wheel::new([x, -0.1, z], 0.3).suspended(1.5, 0.4, 300.0)).to_vec();
/// let mut car = Vehicle::new(&world, chassis, wheels)?;
/// world.body_mut(chassis)?.set_linear_velocity([0.0, 0.0, 10.0])?;
/// car.controls = Controls { brake: 800.0, ..Controls::default() };
/// for _ in 0..120 {
///     car.update(&mut world, 1.0 / 60.0)?;
///     world.step(1.0 / 60.0)?;
/// }
/// assert!(world.body(chassis)?.linear_velocity().length() < 0.5); // it has come to a stop
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Controls {
    /// Steering angle to the left, in radians; each wheel gets its part of it.
    pub steering: Real,
    /// Driving torque in N m, backwards if negative; each wheel gets its part of it.
    pub drive: Real,
    /// Brake torque in N m, zero or more; each wheel gets its part of it.
    pub brake: Real,
    /// The hand brake's torque in N m, zero or more; each wheel gets its part of it.
    pub handbrake: Real,
}

impl Controls {
    /// What is wrong with it, if anything.
    ///
    /// ```
    /// use tumble::control::Controls;
    /// assert!(Controls { drive: -300.0, ..Controls::default() }.validate().is_ok()); // backwards
    /// assert!(Controls { brake: -300.0, ..Controls::default() }.validate().is_err());
    /// ```
    pub fn validate(&self) -> Result<()> {
        let Self { steering, drive, brake, handbrake } = *self;
        for (property, value) in [("steering", steering), ("drive", drive)] {
            if !value.is_finite() {
                return Err(Error::value(SUBJECT, property, "finite", value));
            }
        }
        for (property, value) in [("brake", brake), ("hand brake", handbrake)] {
            if !(value >= 0.0 && value.is_finite()) {
                return Err(Error::value(SUBJECT, property, "zero or positive and finite", value));
            }
        }
        Ok(())
    }

    /// What a wheel gets of it, if all of that is within the range of numbers.
    fn check_share(&self, wheel: &Wheel) -> Result<()> {
        let shares = [
            ("steering of a wheel", self.steering * wheel.steered),
            ("drive of a wheel", self.drive * wheel.driven),
            ("brake of a wheel", self.brake * wheel.braked + self.handbrake * wheel.handbraked),
        ];
        match shares.into_iter().find(|(_, share)| !share.is_finite()) {
            None => Ok(()),
            Some((property, share)) => Err(Error::value(SUBJECT, property, "within the range of numbers", share)),
        }
    }
}

/// A bar that keeps two wheels at the same height.
///
/// ```
/// use tumble::control::{AntiRollBar, Vehicle, Wheel};
/// use tumble::{BodyDesc, World, shape::Shape};
/// # fn main() -> tumble::Result<()> {
/// let mut world = World::new();
/// let chassis = world.add_body(BodyDesc::dynamic().collider(Shape::cuboid(0.8, 0.3, 2.0)?))?;
/// let wheels = [0.8, -0.8].map(|x| Wheel::new([x, 0.0, 1.3], 0.3)).to_vec();
/// let mut car = Vehicle::new(&world, chassis, wheels)?;
/// car.add_bar(AntiRollBar { wheels: [0, 1], stiffness: 10_000.0 })?;
/// assert!(car.add_bar(AntiRollBar { wheels: [0, 7], stiffness: 10_000.0 }).is_err());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AntiRollBar {
    /// The numbers of the two wheels.
    pub wheels: [u32; 2],
    /// Force on either for each metre of difference, in N/m.
    pub stiffness: Real,
}

/// A vehicle: a dynamic chassis body on any number of wheels.
///
/// [`Vehicle::update`] is called once before each [`World::step`] with the same time step. It acts on the chassis by a force and a torque of
/// that step alone, beside the user's own, and on dynamic ground by impulses.
///
/// ```
/// use tumble::control::{Vehicle, Wheel};
/// use tumble::{BodyDesc, World, math::Vec3, shape::Shape};
///
/// # fn main() -> tumble::Result<()> {
/// let mut world = World::new();
/// world.add_body(BodyDesc::fixed().collider(Shape::half_space(Vec3::Y, 0.0)?))?;
/// let chassis = BodyDesc::dynamic().position([0.0, 0.8, 0.0]).mass(1200.0).collider(Shape::cuboid(0.8, 0.3, 2.0)?);
/// let chassis = world.add_body(chassis)?;
/// let mut wheels = Vec::new();
/// for (x, z) in [(0.8, 1.3), (-0.8, 1.3), (0.8, -1.3), (-0.8, -1.3)] {
///     let mut wheel = Wheel::new([x, -0.1, z], 0.3).suspended(1.5, 0.4, 300.0);
///     (wheel.steered, wheel.driven) = if z > 0.0 { (1.0, 0.0) } else { (0.0, 0.5) };
///     wheels.push(wheel);
/// }
/// let mut car = Vehicle::new(&world, chassis, wheels)?;
/// car.controls.drive = 400.0;
/// for _ in 0..120 {
///     car.update(&mut world, 1.0 / 60.0)?;
///     world.step(1.0 / 60.0)?;
/// }
/// assert!(car.states().iter().all(|wheel| wheel.contact.is_some()));
/// assert!(world.body(chassis)?.position().z > 1.0);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Vehicle {
    chassis: BodyId,
    wheels: Vec<Wheel>,
    states: Vec<WheelState>,
    bars: Vec<AntiRollBar>,
    /// What the driver does.
    pub controls: Controls,
    /// The layers that the wheels belong to and meet.
    pub layers: Layers,
    /// Force and torque with which the wheels last acted on the chassis.
    applied: [Vec3; 2],
    /// How many steps the world had made then: they act in the one that follows.
    #[serde(default)]
    applied_at: u64,
    /// What the driver did when the wheels last acted; `None` if something about them has changed since.
    #[serde(default)]
    acted: Option<Controls>,
}

impl Vehicle {
    /// A vehicle on a dynamic body.
    pub fn new(world: &World, chassis: BodyId, wheels: Vec<Wheel>) -> Result<Self> {
        check_chassis(&world.body(chassis)?)?;
        wheels.iter().try_for_each(Wheel::validate)?;
        let states = wheels.iter().map(|w| WheelState { length: w.rest_length, ..WheelState::default() }).collect();
        Ok(Self {
            chassis,
            wheels,
            states,
            bars: Vec::new(),
            controls: Controls::default(),
            layers: Layers::default(),
            applied: [Vec3::ZERO; 2],
            applied_at: 0,
            acted: None,
        })
    }

    /// Puts another wheel on, behind the others, and answers its number. It hangs down and does not turn.
    ///
    /// ```
    /// use tumble::control::{AntiRollBar, Vehicle, Wheel};
    /// use tumble::{BodyDesc, World, shape::Shape};
    /// # fn main() -> tumble::Result<()> {
    /// let mut world = World::new();
    /// let chassis = world.add_body(BodyDesc::dynamic().collider(Shape::cuboid(0.8, 0.3, 2.0)?))?;
    /// let mut car = Vehicle::new(&world, chassis, vec![])?;
    /// for x in [0.8, 0.0, -0.8] {
    ///     car.add_wheel(Wheel::new([x, 0.0, 1.3], 0.3))?;
    /// }
    /// // A tyre loses its air.
    /// car.set_wheel(0, Wheel { grip: 0.3, ..car.wheels()[0].clone() })?;
    /// // Bars can be made stiffer, taken off, and go with a wheel that they are on.
    /// car.add_bar(AntiRollBar { wheels: [0, 2], stiffness: 1e4 })?;
    /// car.set_bar(0, AntiRollBar { stiffness: 2e4, ..car.bars()[0] })?;
    /// car.remove_wheel(1)?;
    /// assert_eq!((car.wheels().len(), car.bars()[0].wheels), (2, [0, 1])); // the numbers behind it move up
    /// car.remove_bar(0)?;
    /// assert!(car.bars().is_empty() && car.remove_bar(0).is_err());
    /// # Ok(())
    /// # }
    /// ```
    pub fn add_wheel(&mut self, wheel: Wheel) -> Result<usize> {
        wheel.validate()?;
        self.states.push(WheelState { length: wheel.rest_length, ..WheelState::default() });
        self.wheels.push(wheel);
        self.acted = None;
        Ok(self.wheels.len() - 1)
    }

    /// Builds a wheel otherwise. It goes on turning as it did.
    pub fn set_wheel(&mut self, index: usize, wheel: Wheel) -> Result<()> {
        wheel.validate()?;
        *self.wheels.get_mut(index).ok_or_else(|| no_such("wheel", index))? = wheel;
        self.acted = None;
        Ok(())
    }

    /// Takes a wheel off, and the bars that it was on. The numbers of the wheels behind it move up.
    pub fn remove_wheel(&mut self, index: usize) -> Result<Wheel> {
        if index >= self.wheels.len() || index >= self.states.len() {
            return Err(no_such("wheel", index));
        }
        let gone = index as u32;
        self.bars.retain(|bar| !bar.wheels.contains(&gone));
        for wheel in self.bars.iter_mut().flat_map(|bar| &mut bar.wheels) {
            *wheel -= u32::from(*wheel > gone);
        }
        self.states.remove(index);
        self.acted = None;
        Ok(self.wheels.remove(index))
    }

    /// Adds a bar that keeps two wheels at the same height.
    pub fn add_bar(&mut self, bar: AntiRollBar) -> Result<()> {
        self.check_bar(&bar)?;
        self.bars.push(bar);
        self.acted = None;
        Ok(())
    }

    /// The bars, in the order of their addition.
    pub fn bars(&self) -> &[AntiRollBar] {
        &self.bars
    }

    /// Changes a bar.
    pub fn set_bar(&mut self, index: usize, bar: AntiRollBar) -> Result<()> {
        self.check_bar(&bar)?;
        *self.bars.get_mut(index).ok_or_else(|| no_such("anti-roll bar", index))? = bar;
        self.acted = None;
        Ok(())
    }

    /// Takes a bar off.
    pub fn remove_bar(&mut self, index: usize) -> Result<AntiRollBar> {
        if index >= self.bars.len() {
            return Err(no_such("anti-roll bar", index));
        }
        self.acted = None;
        Ok(self.bars.remove(index))
    }

    fn check_bar(&self, bar: &AntiRollBar) -> Result<()> {
        let [a, b] = bar.wheels;
        if a == b || [a, b].iter().any(|&w| w as usize >= self.wheels.len()) {
            return Err(Error::value("anti-roll bar", "wheels", "two of the vehicle's", format_args!("{a} and {b}")));
        }
        if !(bar.stiffness >= 0.0 && bar.stiffness.is_finite()) {
            return Err(Error::value("anti-roll bar", "stiffness", "zero or positive and finite", bar.stiffness));
        }
        Ok(())
    }

    /// The body that the wheels are on.
    pub fn chassis(&self) -> BodyId {
        self.chassis
    }

    /// The wheels as they are built.
    pub fn wheels(&self) -> &[Wheel] {
        &self.wheels
    }

    /// What the wheels are doing, in their order.
    pub fn states(&self) -> &[WheelState] {
        &self.states
    }

    /// The wheels' hubs in the frame of the chassis, for drawing: the axle is the x-axis of each.
    ///
    /// ```
    /// use tumble::control::{Vehicle, Wheel};
    /// use tumble::{BodyDesc, World, math::Vec3, shape::Shape};
    /// # fn main() -> tumble::Result<()> {
    /// let mut world = World::new();
    /// let chassis = world.add_body(BodyDesc::dynamic().collider(Shape::cuboid(0.8, 0.3, 2.0)?))?;
    /// let car = Vehicle::new(&world, chassis, vec![Wheel::new([0.8, 0.0, 1.3], 0.3)])?;
    /// assert_eq!((car.chassis(), car.wheels().len()), (chassis, 1));
    /// // Nothing bears on it yet: it hangs down as far as it goes.
    /// let hub = car.hubs().next().unwrap();
    /// assert!((hub.translation - Vec3::new(0.8, -0.3, 1.3)).length() < 1e-6);
    /// # Ok(())
    /// # }
    /// ```
    pub fn hubs(&self) -> impl Iterator<Item = Pose> + '_ {
        self.wheels.iter().zip(&self.states).map(|(wheel, state)| {
            let down = wheel.down.normalize_or(-Vec3::Y);
            let axle = wheel.axle.normalize_or(Vec3::X);
            let steer = Quat::from_axis_angle(-down, state.steering) * Quat::between(Vec3::X, axle);
            let rotation = steer * Quat::from_axis_angle(Vec3::X, state.angle);
            Pose::new(wheel.mount + down * state.length, rotation.normalized())
        })
    }

    /// Takes back what the last [`Vehicle::update`] does to the chassis in the coming step: for a vehicle that is given up between the two, or
    /// sleeps. Who is awake and not updated any more is off its wheels without it. What has been done to the ground stays.
    ///
    /// ```
    /// # use tumble::control::{Vehicle, Wheel};
    /// # use tumble::{BodyDesc, World, math::Vec3, shape::Shape};
    /// # fn main() -> tumble::Result<()> {
    /// # let mut world = World::new();
    /// # world.add_body(BodyDesc::fixed().collider(Shape::half_space(Vec3::Y, 0.0)?))?;
    /// # let chassis = BodyDesc::dynamic().position([0.0, 0.8, 0.0]).mass(1200.0).collider(Shape::cuboid(0.8, 0.3, 2.0)?);
    /// # let chassis = world.add_body(chassis)?;
    /// # let corners = [(0.8, 1.3), (-0.8, 1.3), (0.8, -1.3), (-0.8, -1.3)];
    /// # let wheels = corners.map(|(x, z)| Wheel::new([x, -0.1, z], 0.3).suspended(1.5, 0.4, 300.0)).to_vec();
    /// let mut car = Vehicle::new(&world, chassis, wheels)?;
    /// car.update(&mut world, 0.125)?;
    /// car.release(&mut world)?; // off its wheels
    /// world.step(0.125)?;
    /// assert!((world.body(chassis)?.linear_velocity().y + 9.81 * 0.125).abs() < 1e-5); // it falls
    /// # Ok(())
    /// # }
    /// ```
    pub fn release(&mut self, world: &mut World) -> Result<()> {
        let others = self.applied_by_others(world)?;
        (self.applied, self.acted) = ([Vec3::ZERO; 2], None);
        let mut body = world.body_mut(self.chassis)?;
        body.set_applied(others);
        body.wake_up();
        Ok(())
    }

    /// What acts on the chassis in the coming step alone and is not the wheels'.
    fn applied_by_others(&self, world: &World) -> Result<Wrench> {
        let sum = world.body(self.chassis)?.applied();
        let [force, torque] = self.applied;
        // What has acted is gone, and so is what was applied before the world was set back.
        let waits = self.applied_at == world.steps() && sum != Wrench::ZERO;
        Ok(if waits { sum - Wrench { force, torque } } else { sum })
    }

    /// Finds the ground under each wheel and acts on it and on the chassis. Called once before each [`World::step`] with the same `dt`.
    ///
    /// A chassis that sleeps stays asleep while neither the driver, nor the wheels, nor the ground under them does anything else than
    /// before; where the ground is gone, has come nearer or farther, begins to move, or is another, it wakes.
    ///
    /// # Errors
    /// A time step or controls out of their range, controls whose part for a wheel is beyond the range of numbers, forces that are, and a
    /// chassis that is gone or not dynamic. Nothing is changed then.
    pub fn update(&mut self, world: &mut World, dt: Real) -> Result<()> {
        if !(dt > 0.0 && dt.is_finite()) {
            return Err(Error::value(SUBJECT, "time step", "positive and finite", dt));
        }
        let controls = self.controls;
        controls.validate()?;
        for wheel in &self.wheels {
            // One that was read from a file has not been checked before.
            wheel.validate()?;
            controls.check_share(wheel)?;
        }
        self.bars.iter().try_for_each(|bar| self.check_bar(bar))?;
        if self.states.len() != self.wheels.len() {
            return Err(Error::refused(SUBJECT, "it has not as many states as wheels"));
        }
        let body = world.body(self.chassis)?;
        check_chassis(&body)?;
        let mut states = self.states.clone();
        let mut tyres = Vec::with_capacity(self.wheels.len());
        for (wheel, state) in self.wheels.iter().zip(&mut states) {
            state.steering = controls.steering * wheel.steered;
            tyres.push(find_ground(world, &body, wheel, state, self.layers)?);
        }
        let others = self.applied_by_others(world)?;
        let asleep = body.is_asleep();
        let told = self.acted != Some(controls) || others != Wrench::ZERO;
        if asleep && !told && self.stands_as_before(world, &states, dt) {
            // Something may wake it in the coming step, and finds it on its wheels.
            let [force, torque] = self.applied;
            self.applied_at = world.steps();
            world.body_mut(self.chassis)?.set_applied(Wrench { force, torque });
            return Ok(());
        }
        let (force, torque) = (body.force() + others.force, body.torque() + others.torque);
        let after = |time: Real| Ahead::new(&body, world.gravity(), force, torque, time);
        self.bear(world, &body, &states, &mut tyres, after(0.5 * dt), dt)?;
        let [push, turn] = tyre::grip(world, &body, self, &mut tyres, after(dt), dt)?;
        let applied = others + Wrench { force: push, torque: turn };
        let sums = [
            ("force on the chassis", force + push),
            ("torque on the chassis", torque + turn),
            ("force on the chassis in a step", applied.force),
            ("torque on the chassis in a step", applied.torque),
        ];
        for (property, v) in sums {
            if !v.is_finite() {
                return Err(Error::value(SUBJECT, property, "finite", format_args!("{:?}", v.to_array())));
            }
        }
        let mut grounds = Vec::new();
        for (state, tyre) in states.iter_mut().zip(&tyres) {
            state.spin = Real::from_f64(tyre.spin);
            if !state.spin.is_finite() {
                return Err(Error::value(SUBJECT, "spin of a wheel", "finite", state.spin));
            }
            let angle = state.angle + state.spin * dt;
            let angle = angle - 2.0 * Real::PI * Float::floor(angle / (2.0 * Real::PI) + 0.5);
            // Where it spins so fast that no digit is left of the angle, any will do.
            state.angle = Float::clamp(angle, -Real::PI, Real::PI);
            if let (Some(contact), Some(touch)) = (&mut state.contact, &tyre.touch) {
                contact.load = Real::from_f64(touch.load);
                contact.traction = touch.impulse.map(|j| Real::from_f64(j / dt.to_f64()));
                contact.slip = touch.slip.map(Real::from_f64);
                if world.body(contact.body)?.kind() == BodyKind::Dynamic {
                    grounds.push((contact.body, contact.point, -touch.total(dt.to_f64()).to_real()));
                }
            }
        }
        for (ground, point, impulse) in grounds {
            world.body_mut(ground)?.apply_impulse_at(impulse, point)?;
        }
        // Wheels that push as before let it come to rest.
        let wakes = asleep || self.applied != [push, turn];
        self.applied_at = world.steps();
        (self.states, self.applied, self.acted) = (states, [push, turn], Some(controls));
        let mut body = world.body_mut(self.chassis)?;
        body.set_applied(applied);
        if wakes {
            body.wake_up();
        }
        Ok(())
    }

    /// Every wheel finds the ground that it stood on when it last acted, where it was and at rest.
    fn stands_as_before(&self, world: &World, found: &[WheelState], dt: Real) -> bool {
        let idle = idle(&world.state).speed;
        let rests = |contact: &WheelContact| {
            world.body(contact.body).is_ok_and(|ground| {
                let speed = ground.coming_velocity_at(contact.point, dt).length();
                // What can fall asleep itself need not be quite still before the car may.
                speed == 0.0 || (ground.kind() == BodyKind::Dynamic && speed <= idle)
            })
        };
        self.wheels.iter().zip(&self.states).zip(found).all(|((wheel, old), new)| {
            let same = match (&old.contact, &new.contact) {
                (None, None) => true,
                (Some(old), Some(new)) => old.collider == new.collider && rests(new),
                _ => false,
            };
            // A chassis that falls asleep still moves in its last step, by less than this.
            same && (old.length - new.length).abs() <= 0.01 * wheel.radius
        })
    }

    /// Spring, damper, bar and stop: the normal force of each wheel.
    ///
    /// With the compression x and its rate v̄ in the middle of the step, the mean force over the step by the trapezoidal rule is
    /// F = k x + (k dt/2 + c) v̄: it neither damps nor drives the swing, at any stiffness. v̄ depends on the forces of all wheels. They
    /// are found by Gauss-Seidel: with the yielding K of the contact, F changes its own residual by 1 + (k dt²/4 + c dt/2) K.
    fn bear(
        &self,
        world: &World,
        body: &BodyRef,
        states: &[WheelState],
        tyres: &mut [Tyre],
        mut middle: Ahead,
        step: Real,
    ) -> Result<()> {
        let dt = step.to_f64();
        let compression = |i: usize| match (self.wheels.get(i), states.get(i)) {
            (Some(wheel), Some(state)) => (wheel.rest_length - state.length).to_f64(),
            _ => 0.0,
        };
        for _ in 0..PASSES {
            for (i, (wheel, tyre)) in self.wheels.iter().zip(tyres.iter_mut()).enumerate() {
                let Some(touch) = &mut tyre.touch else { continue };
                let (k, c, x) = (wheel.stiffness.to_f64(), wheel.damping.to_f64(), compression(i));
                let ground = world.body(touch.body)?;
                let yields = yielding(body, touch.point, touch.normal) + yielding(&ground, touch.point, touch.normal);
                let n = touch.normal.to_f64();
                let closing = -n.dot(middle.at(touch.point) - ground.coming_velocity_at(touch.point, step).to_f64());
                let mut wanted = k * x + (0.5 * k * dt + c) * closing;
                for bar in &self.bars {
                    let [a, b] = bar.wheels.map(|w| w as usize);
                    if a == i || b == i {
                        wanted += bar.stiffness.to_f64() * (x - compression(if a == i { b } else { a }));
                    }
                }
                let mut softness = 1.0 + (0.25 * k * dt * dt + 0.5 * c * dt) * yields;
                let beyond = x - wheel.travel.to_f64();
                if beyond > 0.0 && yields > 0.0 {
                    // The stop takes the speed that is left, and in ten steps the way.
                    let stiff = 2.0 / (dt * yields);
                    wanted += stiff * Num::max(closing + 0.1 * beyond / dt, 0.0);
                    softness += 0.5 * stiff * dt * yields;
                }
                let most = Num::min(wheel.max_force.to_f64(), f64::MAX);
                let load = Float::clamp(touch.load + (wanted - touch.load) / softness, 0.0, most);
                middle.push(n * ((load - touch.load) * 0.5 * dt), touch.point);
                touch.load = load;
            }
        }
        Ok(())
    }
}

fn no_such(what: &'static str, index: usize) -> Error {
    Error::value(SUBJECT, "number of a part", "that of one that it has", format_args!("{what} {index}"))
}

fn check_chassis(body: &BodyRef) -> Result<()> {
    match body.kind() {
        BodyKind::Dynamic => Ok(()),
        _ => Err(Error::refused(body.id(), "the chassis of a vehicle must be dynamic")),
    }
}

/// Cosine of the largest angle between the suspension and the normal of something that bears a wheel: 60 degrees. What is steeper is a wall that the
/// wheel reaches into or grazes; the spring, which knows only how far it gives along the suspension, would throw the car off it.
const STEEPEST: Real = 0.5;

fn bears(normal: Vec3, down: Vec3) -> bool {
    -normal.dot(down) >= STEEPEST
}

/// The first thing along a ray that bears a wheel.
fn first_ground(world: &World, ray: &RayCast, filter: &QueryFilter) -> Result<Option<CastHit>> {
    let mut around = Vec::new();
    let mut is_ground = |hit: &CastHit| -> Result<bool> {
        let mut normal = hit.normal;
        if normal == Vec3::ZERO {
            // It starts inside: the nearest way out says of what.
            world.closest_point_all(ray.origin, 0.0, filter, &mut around)?;
            let out = around.iter().find(|near| near.collider == hit.collider);
            normal = out.map_or(-ray.direction, |near| near.normal);
        }
        Ok(bears(normal, ray.direction))
    };
    let first = world.cast_ray(ray, filter)?;
    match &first {
        Some(hit) if !is_ground(hit)? => {}
        _ => return Ok(first),
    }
    let mut hits = Vec::new();
    world.cast_ray_all(ray, filter, &mut hits)?;
    for hit in hits {
        if is_ground(&hit)? {
            return Ok(Some(hit));
        }
    }
    Ok(None)
}

/// Looks for the ground along the suspension.
fn find_ground(world: &World, body: &BodyRef, wheel: &Wheel, state: &mut WheelState, layers: Layers) -> Result<Tyre> {
    let pose = body.pose();
    let own = [body.id()];
    let filter = QueryFilter::new().layers(layers).exclude_bodies(&own);
    let down = pose.rotation.rotate(wheel.down.normalize_or(-Vec3::Y));
    let mount = pose.transform_point(wheel.mount);
    let hit = match wheel.probe {
        Probe::Ray => {
            let ray = RayCast::new(mount, down, (wheel.rest_length + wheel.radius).to_f64());
            first_ground(world, &ray, &filter)?
        }
        Probe::Ball => {
            let ball = Shape::sphere(wheel.radius)?;
            let start = WorldPose::from_translation(mount - (down * wheel.radius).to_f64());
            let way = down * (wheel.rest_length + wheel.radius);
            world.cast_shape_facing(&ShapeCast::new(&ball, start, way), &filter, &|normal| bears(normal, down))?
        }
    };
    let steer = Quat::from_axis_angle(-wheel.down.normalize_or(-Vec3::Y), state.steering);
    let axle = pose.rotation.rotate(steer.rotate(wheel.axle.normalize_or(Vec3::X)));
    state.length = hit.map_or(wheel.rest_length, |hit| Num::max(Real::from_f64(hit.distance) - wheel.radius, 0.0));
    state.contact = hit.map(|hit| WheelContact {
        body: hit.body,
        collider: hit.collider,
        point: hit.point,
        normal: hit.normal.normalize_or(-down),
        load: 0.0,
        traction: [0.0; 2],
        slip: [0.0; 2],
    });
    Ok(Tyre::new(state, axle))
}
