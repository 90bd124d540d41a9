//! Tyres on the ground.
//!
//! A tyre has three rows, each a velocity that is to become zero by an impulse within bounds:
//!
//! | row | velocity | impulse |
//! |---|---|---|
//! | brake | spin w of the wheel | at most the brake's torque times dt, either way |
//! | along | v·f - w r: slip along the way f of the wheel | with the next: (j_f / μ_f N dt)² + (j_s / μ_s N dt)² <= 1 |
//! | across | v·s: slip to the side s | |
//!
//! Rubber gives: with the slip stiffness C, a tyre that rolls at speed u slips by j u/(C N dt) under an impulse j. So wheels that are led
//! apart, as in a curve, do not fight to the limit of their friction; at a standstill nothing slips. Brake and slip along the way are solved together: while
//! the brake can hold the wheel, the ground feels the mass of the vehicle, and else only the inertia of the wheel.
//!
//! v is the velocity that the chassis will have at the contact at the end of the step, with gravity, the user's forces and the springs
//! in it, less that of the ground. So who stands braked on a slope gets just the force that keeps it there. The rows of all wheels
//! share the chassis and are solved by projected Gauss-Seidel.

use super::{Vehicle, WheelState};
use crate::control::mover::yielding;
use crate::error::Result;
use crate::id::BodyId;
use crate::math::{Float, Num, Point, Real, Sym3, Vec3};
use crate::{BodyRef, World};

/// Passes over all rows.
pub(super) const PASSES: usize = 40;

/// The contact of a tyre.
pub(super) struct Touch {
    pub body: BodyId,
    pub point: Point,
    pub normal: Vec3,
    /// Along and across.
    axes: [Vec3<f64>; 2],
    pub load: f64,
    pub impulse: [f64; 2],
    pub slip: [f64; 2],
}

impl Touch {
    /// The impulse of the ground on the wheel.
    pub fn total(&self, dt: f64) -> Vec3<f64> {
        let [f, s] = self.axes;
        self.normal.to_f64() * (self.load * dt) + f * self.impulse[0] + s * self.impulse[1]
    }
}

/// A wheel while it is solved.
pub(super) struct Tyre {
    pub touch: Option<Touch>,
    pub spin: f64,
}

impl Tyre {
    pub fn new(state: &WheelState, axle: Vec3) -> Self {
        let touch = state.contact.and_then(|contact| {
            let n = contact.normal.to_f64();
            // The axle points to the left, so that axle × up is the way ahead. A wheel that lies flat has none.
            let along = axle.to_f64().cross(n).try_normalize()?;
            Some(Touch {
                body: contact.body,
                point: contact.point,
                normal: contact.normal,
                axes: [along, n.cross(along)],
                load: 0.0,
                impulse: [0.0; 2],
                slip: [0.0; 2],
            })
        });
        Self { touch, spin: state.spin.to_f64() }
    }
}

/// The velocity that the chassis will have at some time of the step.
pub(super) struct Ahead {
    linear: Vec3<f64>,
    angular: Vec3<f64>,
    inv_mass: f64,
    inv_inertia: Sym3<f64>,
    centre: Point,
}

impl Ahead {
    /// Without the wheels.
    pub fn new(body: &BodyRef, gravity: Vec3, force: Vec3, torque: Vec3, dt: Real) -> Self {
        let inv_mass = body.mass_properties().map_or(0.0, |m| 1.0 / m.mass);
        let inv_inertia = body.inertia().try_inverse().unwrap_or(Sym3::ZERO);
        let acceleration = gravity.to_f64() * body.gravity_scale().to_f64() + force.to_f64() * inv_mass;
        Self {
            linear: body.centre_velocity().to_f64() + acceleration * dt.to_f64(),
            angular: body.angular_velocity().to_f64() + (inv_inertia * torque.to_f64()) * dt.to_f64(),
            inv_mass,
            inv_inertia,
            centre: body.centre_of_mass(),
        }
    }

    pub fn at(&self, point: Point) -> Vec3<f64> {
        self.linear + self.angular.cross(point - self.centre)
    }

    pub fn push(&mut self, impulse: Vec3<f64>, point: Point) {
        self.linear += impulse * self.inv_mass;
        self.angular += self.inv_inertia * (point - self.centre).cross(impulse);
    }
}

/// Solves the rows of all tyres. Returns force and torque on the chassis, the springs among them.
pub(super) fn grip(
    world: &World,
    body: &BodyRef,
    vehicle: &Vehicle,
    tyres: &mut [Tyre],
    mut ahead: Ahead,
    step: Real,
) -> Result<[Vec3; 2]> {
    let dt = step.to_f64();
    let controls = vehicle.controls;
    let mut yields = Vec::with_capacity(tyres.len());
    for (wheel, tyre) in vehicle.wheels.iter().zip(tyres.iter_mut()) {
        tyre.spin += (controls.drive * wheel.driven).to_f64() * dt / wheel.inertia.to_f64();
        let Some(touch) = &tyre.touch else {
            yields.push([0.0; 2]);
            continue;
        };
        ahead.push(touch.normal.to_f64() * (touch.load * dt), touch.point);
        let ground = world.body(touch.body)?;
        let k = |d: Vec3<f64>| yielding(body, touch.point, d.to_real()) + yielding(&ground, touch.point, d.to_real());
        yields.push(touch.axes.map(k));
    }
    let grounds: Vec<Vec3<f64>> = tyres
        .iter()
        .map(|tyre| match &tyre.touch {
            Some(touch) => world.body(touch.body).map(|ground| ground.coming_velocity_at(touch.point, step).to_f64()),
            None => Ok(Vec3::ZERO),
        })
        .collect::<Result<_>>()?;
    // How fast each wheel would turn without brake and ground.
    let frees: Vec<f64> = tyres.iter().map(|tyre| tyre.spin).collect();
    for pass in 0..=PASSES {
        let wheels = vehicle.wheels.iter().zip(tyres.iter_mut()).zip(yields.iter().zip(grounds.iter().zip(&frees)));
        for ((wheel, tyre), (k, (ground, &free))) in wheels {
            let (inertia, r) = (wheel.inertia.to_f64(), wheel.radius.to_f64());
            let brake = (controls.brake * wheel.braked + controls.handbrake * wheel.handbraked).to_f64() * dt;
            if let Some(touch) = &mut tyre.touch {
                let v = ahead.at(touch.point) - *ground;
                let slip = [v.dot(touch.axes[0]) - tyre.spin * r, v.dot(touch.axes[1])];
                touch.slip = slip;
                if pass == PASSES {
                    continue;
                }
                let speed = v.dot(touch.axes[0]).abs();
                let gives = speed / Num::max(wheel.slip_stiffness.to_f64() * touch.load * dt, f64::MIN_POSITIVE);
                let gives = Num::min(gives, 1e3 * (k[0] + k[1]));
                let solve = |slip: f64, j: f64, k: f64| j - (slip + gives * j) / (k + gives);
                let side = solve(slip[1], touch.impulse[1], k[1]);
                let most = [wheel.grip, wheel.side_grip].map(|mu| mu.to_f64() * touch.load * dt);
                let limited = |wanted: [f64; 2]| {
                    let share = |i: usize| if most[i] > 0.0 { wanted[i] / most[i] } else { 0.0 };
                    let used = (share(0) * share(0) + share(1) * share(1)).sqrt();
                    [0, 1].map(|i| if most[i] > 0.0 { wanted[i] / Num::max(used, 1.0) } else { 0.0 })
                };
                // Held by the brake, or turning against all that it has.
                let held = limited([solve(v.dot(touch.axes[0]), touch.impulse[0], k[0]), side]);
                let needed = held[0] * r - inertia * free;
                let (new, braking) = if needed.abs() <= brake {
                    (held, needed)
                } else {
                    let braking = brake.copysign(needed);
                    let spin = free + (braking - touch.impulse[0] * r) / inertia;
                    let slip = v.dot(touch.axes[0]) - spin * r;
                    (limited([solve(slip, touch.impulse[0], k[0] + r * r / inertia), side]), braking)
                };
                tyre.spin = free + (braking - new[0] * r) / inertia;
                for i in 0..2 {
                    ahead.push(touch.axes[i] * (new[i] - touch.impulse[i]), touch.point);
                }
                touch.impulse = new;
            } else {
                tyre.spin = free - Float::clamp(free * inertia, -brake, brake) / inertia;
            }
        }
    }
    let (mut force, mut torque) = (Vec3::ZERO, Vec3::ZERO);
    for touch in tyres.iter().filter_map(|tyre| tyre.touch.as_ref()) {
        let f = touch.total(dt) / dt;
        force += f;
        torque += (touch.point - ahead.centre).cross(f);
    }
    Ok([force.to_real(), torque.to_real()])
}
