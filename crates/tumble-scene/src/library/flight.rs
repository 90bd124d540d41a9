//! What the scenes of flying bodies share: things to throw, and how exactly they can be expected to fly.

use crate::error::Result;
use crate::scene::Stage;
use tumble::math::{Float, Point, Quat, Real, Vec3};
use tumble::method::Step;
use tumble::shape::Shape;
use tumble::{BodyDesc, BodyId, ColliderDesc, Pace, World};

/// Different shapes from 1 g to 270 kg, over and over: a ball of lead, a plank, a mug, a cone, a beam, a hammer whose
/// centre is in its head, and a capsule of foam.
pub fn assorted(index: u32) -> tumble::Result<BodyDesc> {
    let of = |shape: Shape, density: Real| BodyDesc::dynamic().collider(ColliderDesc::new(shape).density(density));
    let desc = match index % 7 {
        0 => of(Shape::sphere(0.05)?, 11_340.0),
        1 => of(Shape::cuboid(0.5, 0.02, 0.1)?, 600.0),
        2 => of(Shape::cylinder(0.05, 0.04)?, 2_300.0),
        3 => of(Shape::cone(0.2, 0.1)?, 900.0),
        4 => of(Shape::cuboid(0.1, 0.1, 0.85)?, 7_850.0),
        5 => {
            let head = Shape::cuboid(0.06, 0.015, 0.015)?;
            of(Shape::cylinder(0.15, 0.012)?, 700.0)
                .collider(ColliderDesc::new(head).density(7_850.0).at([0.0, 0.15, 0.0]))
        }
        _ => of(Shape::capsule(0.06, 0.02)?, 8.0),
    };
    Ok(desc.name(format!("body-{index}")))
}

/// Adds a body with its centre of mass at `centre`, moving with `velocity` and turning with `spin`. The description speaks
/// of the body's own frame, whose origin may lie elsewhere.
pub fn throw(stage: &mut Stage, desc: BodyDesc, centre: Point, velocity: Vec3, spin: Vec3) -> Result<BodyId> {
    stage.engine(|world| {
        let turn = Quat::from_axis_angle(Vec3::new(0.4, 0.7, -0.6), 0.8);
        let desc = desc.position(centre).rotation(turn);
        // Where the centre lies is known when the body is made; elsewhere, so that here it is made where it stays.
        let mut elsewhere = World::new();
        let twin = elsewhere.add_body(desc.clone())?;
        let arm = centre - elsewhere.body(twin)?.centre_of_mass();
        let velocity = velocity + spin.cross(arm.to_real());
        world.add_body(desc.position(centre + arm).linear_velocity(velocity).angular_velocity(spin))
    })
}

/// A spin of this speed about an axis that differs from body to body and is none of their principal axes.
pub fn spin_of(index: u32, speed: Real) -> Vec3 {
    let phase = Real::from_f64(f64::from(index) * 2.4);
    Vec3::new(Float::cos(phase), 0.6, Float::sin(phase)).normalize_or(Vec3::Y) * speed
}

/// The time step of the world.
pub fn time_step(world: &World) -> f64 {
    match world.clock().pace {
        Pace::Fixed(dt) => dt,
        Pace::Variable { max, .. } => max,
    }
}

/// By how much, in metres, the method in force may miss the height of a body that has been flying for `t` seconds. The
/// default method flies the parabola itself; Euler's rules err by g t dt/2 (semi-implicit downwards, explicit upwards).
pub fn height_error(world: &World, gravity: f64, t: f64) -> f64 {
    match world.method().step {
        Step::SoftStep(_) => 0.0,
        Step::Explicit(_) => gravity * t * time_step(world) / 2.0,
    }
}

/// The largest relative error that rounding can have put into a velocity by now: every step rounds once, or once per
/// sub-step of up to four, by half a unit in the last place each; the start rounds a few times more.
pub fn rounding(world: &World) -> f64 {
    (2 * world.steps() + 16) as f64 * Real::EPSILON.to_f64()
}
