//! Ropes: nothing while slack, a stop when taut.

use super::flight::time_step;
use super::props::{body, floor, joint, place, sphere, tune, velocity};
use crate::error::Result;
use crate::{Camera, Parameter, Reading, Scene, Stage, Values};
use tumble::math::{Num, Point, Real};
use tumble::{BodyDesc, JointDesc, Material, World};

const RADIUS: f64 = 0.15;
/// Where the rope of the first ball is tied, and how far beside it the ball is let go.
const HOOK: Point = Point::new(-2.0, 6.0, 0.0);
const BESIDE: f64 = 1.0;
/// Length of the rope between the two balls that are thrown.
const SHORT: f64 = 1.0;

pub fn scene() -> Scene {
    Scene::new("rope", build)
        .seed("003, S13")
        .description("A ball on a slack rope falls freely until the rope is taut, and then swings. Two balls that a rope ties together are thrown, spread out, and whirl about each other.")
        .parameter(Parameter::new("length", 3.0).range(1.5, 5.0).unit("m").help("Length of the rope that hangs"))
        .parameter(Parameter::new("whirl", 4.0).range(1.0, 10.0).unit("m/s").help("How fast the two balls part"))
        .camera(Camera::new([0.0, 5.0, 12.0], [0.0, 4.0, 0.0]))
        .check("slack", "While the rope is slack the ball falls freely; farthest off its parabola", "m")
        .check("taut", "No rope is longer than it is; longest as a share of its length", "")
        .check("swings", "Once taut, the ball keeps at most the energy of its speed across the rope; share of what it had", "")
        .check("whirl", "The thrown balls' common centre flies its parabola; farthest off", "m")
}

/// By how much bodies with joints may miss a parabola: they fly by Euler's rule in at least four sub-steps, which errs by g t h/2.
fn allowed(world: &World) -> f64 {
    1e-3 + 1.1 * 9.81 * world.time() * time_step(world) / 8.0
}

fn build(stage: &mut Stage, values: &Values) -> Result<()> {
    let (length, whirl) = (values.get("length")?, values.get("whirl")?);
    tune(stage, 2.0 * RADIUS)?;
    let material = Material::default();
    floor(stage, material.clone())?;
    let shape = sphere(stage, RADIUS)?;
    let start = HOOK + Point::X * BESIDE;
    let desc = |name: &str| BodyDesc::dynamic().name(name).can_sleep(false);
    let ball = body(stage, desc("ball").position(start), shape.clone(), &material)?;
    let hang = JointDesc::rope(World::BODY, ball, length as Real).anchor_a(HOOK).anchor_b([0.0; 3]);
    let hang = joint(stage, hang.name("hanging"))?;
    // Thrown so high that they are in the air for as long as they are looked at.
    let throw = Point::new(0.5, 12.0, 0.0);
    let apart = Point::new(0.0, 0.0, 0.25);
    let middle = Point::new(1.0, 3.0, 0.0);
    let mut thrown = Vec::new();
    for side in [-1.0, 1.0] {
        let v = throw + Point::new(0.5 * whirl * side, 0.0, 0.5 * whirl * side);
        let desc = desc(if side < 0.0 { "left" } else { "right" }).position(middle + apart * side);
        thrown.push(body(stage, desc.linear_velocity(v.to_real()), shape.clone(), &material)?);
    }
    let pair = [thrown[0], thrown[1]];
    let tie = JointDesc::rope(pair[0], pair[1], SHORT as Real).anchor_a([0.0; 3]).anchor_b([0.0; 3]);
    let tie = joint(stage, tie.name("tie"))?;
    stage.run_for(6.0);

    let stretch = move |world: &World| (place(world, ball) - HOOK).length();
    // Straight down until the distance from the hook is the length of the rope.
    let depth = (length * length - BESIDE * BESIDE).sqrt();
    let until = (2.0 * depth / 9.81).sqrt();
    stage.check_always("slack", move |world| {
        let t = world.time();
        let free = start - Point::Y * (9.81 * t * t / 2.0);
        (t < until - 0.02).then(|| Reading::at_most((place(world, ball) - free).length(), allowed(world)))
    });
    stage.check_always("taut", move |world| {
        let second = (place(world, pair[0]) - place(world, pair[1])).length() / SHORT;
        let both = world.joint(hang).is_ok() && world.joint(tie).is_ok();
        let longest = Num::max(second, stretch(world) / length);
        Some(Reading::at_most(if both { longest } else { f64::NAN }, 1.01))
    });
    let mut highest = 0.0;
    stage.check_always("swings", move |world| {
        if world.time() < until + 0.1 {
            return None;
        }
        // Of the speed at the moment when the rope is taut, the part along the rope is lost.
        let across = 9.81 * depth * BESIDE * BESIDE / (length * length);
        let v = velocity(world, ball);
        let energy = v.dot(v) / 2.0 + 9.81 * (place(world, ball).y - (HOOK.y - depth));
        highest = Num::max(highest, energy / across);
        (world.time() > until + 2.0).then(|| Reading::between(highest, 0.9, 1.05))
    });
    stage.check_always("whirl", move |world| {
        let t = world.time();
        let centre = (place(world, pair[0]) + place(world, pair[1])) * 0.5;
        let free = middle + throw * t - Point::Y * (9.81 * t * t / 2.0);
        (t < 2.4).then(|| Reading::at_most((centre - free).length(), allowed(world)))
    });
    Ok(())
}
