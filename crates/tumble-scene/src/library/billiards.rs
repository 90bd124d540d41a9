//! A break of billiards.

use super::props::{Things, body, cuboid, floor, place, sphere, tune, velocity};
use crate::error::Result;
use crate::{Camera, Parameter, Reading, Said, Scene, Stage, Values};
use tumble::math::{Num, Point, Real, Vec3};
use tumble::{BodyDesc, Material, World};

/// Radius and mass of a ball; half the length and breadth of the table.
const RADIUS: f64 = 0.028_575;
const MASS: f64 = 0.17;
const TABLE: [f64; 2] = [1.27, 0.635];
/// Where the first ball of the rack lies, and the lane for the two that meet head on, which is beside the table.
const SPOT: f64 = 0.635;
const LANE: f64 = 1.0;

pub fn scene() -> Scene {
    Scene::new("billiards", build)
        .seed("000, S5")
        .description("The white ball breaks a rack of fifteen on a table without pockets. Beside the table, two balls without friction meet head on and change places.")
        .parameter(Parameter::new("speed", 6.0).range(1.0, 10.0).unit("m/s").help("Speed of the white ball"))
        .parameter(Parameter::new("restitution", 0.95).range(0.5, 1.0).help("Restitution between balls"))
        .camera(Camera::new([0.0, 2.0, 2.2], [0.0, 0.0, 0.0]))
        .check("swap", "Of two balls that meet head on with e = 1, one stops and the other goes on; error as a share of the speed", "")
        .check("push", "In the break the balls gain what the white one loses; change of their level momentum as a share", "")
        .check("energy", "No impact brings energy; highest as a share of that at the start", "")
        .check("overlap", "No ball lies in another or in a cushion; deepest, in radii", "")
        .check("break", "All balls of the rack but one, at the most, have been moved; how many have not", "")
        .check("table", "No ball leaves the table; how many do", "")
}

fn build(stage: &mut Stage, values: &Values) -> Result<()> {
    let (speed, e) = (values.get("speed")?, values.real("restitution")?);
    tune(stage, 2.0 * RADIUS)?;
    stage.prefer_dt(1.0 / 240.0)?;
    // A ball slides on the cloth with a friction of 0.2 and rolls with a lever arm of 0.01 of its radius; balls are nearly smooth.
    let cloth = Material::default().with_friction(0.8);
    floor(stage, cloth.clone())?;
    let ivory = Material { rolling_friction: 2e-4, ..Material::default().with_friction(0.05).with_restitution(e) };
    let rubber = Material::default().with_friction(0.2).with_restitution(0.6);
    for (name, x, z, edges) in [
        ("left", -TABLE[0] - 0.05, 0.0, [0.1, 0.1, 2.0 * TABLE[1] + 0.2]),
        ("right", TABLE[0] + 0.05, 0.0, [0.1, 0.1, 2.0 * TABLE[1] + 0.2]),
        ("near", 0.0, TABLE[1] + 0.05, [2.0 * TABLE[0], 0.1, 0.1]),
        ("far", 0.0, -TABLE[1] - 0.05, [2.0 * TABLE[0], 0.1, 0.1]),
    ] {
        let shape = cuboid(stage, edges)?;
        body(stage, BodyDesc::fixed().name(name).position([x, 0.05, z]), shape, &rubber)?;
    }
    let shape = sphere(stage, RADIUS)?;
    let ball = |name: String, x: f64, z: f64| {
        BodyDesc::dynamic().name(name).position([x, RADIUS, z]).mass(MASS as Real).bullet(true)
    };
    let mut rack = Things::default();
    for row in 0..5 {
        for i in 0..=row {
            // Apart by a hair: balls of a rack do not quite touch.
            let x = SPOT + f64::from(row) * 1.001 * RADIUS * 3.0_f64.sqrt();
            let z = (f64::from(i) - 0.5 * f64::from(row)) * 2.002 * RADIUS;
            rack.add(stage, ball(format!("ball-{}", rack.ids.len()), x, z), shape.clone(), ivory.clone())?;
        }
    }
    let white = ball("white".to_owned(), -SPOT, 0.004).linear_velocity([speed as Real, 0.0, 0.0]);
    let white = white.angular_velocity(Vec3::new(0.0, 0.0, (-speed / RADIUS) as Real));
    let white = body(stage, white, shape.clone(), &ivory)?;
    let ice = Material { rolling_friction: 0.0, ..Material::default().with_friction(0.0).with_restitution(1.0) };
    let first = ball("first".to_owned(), -0.5, LANE).linear_velocity([speed as Real, 0.0, 0.0]);
    let first = body(stage, first.can_sleep(false), shape.clone(), &ice)?;
    let second = body(stage, ball("second".to_owned(), 0.5, LANE).can_sleep(false), shape, &ice)?;
    stage.run_for(6.0);

    stage.check_always("swap", move |world| {
        let off = (velocity(world, first).x.abs() + (velocity(world, second).x - speed).abs()) / speed;
        // After the impact, and before the second ball has gone far.
        (world.time() > 1.2 / speed).then(|| Reading::at_most(off, 0.01))
    });
    // From just before the white ball arrives until the balls are apart, friction has hardly time to act.
    let sum = {
        let rack = rack.clone();
        move |world: &World| rack.ids.iter().fold(velocity(world, white), |sum, &id| sum + velocity(world, id))
    };
    let arrives = (2.0 * SPOT - 2.0 * RADIUS) / speed;
    let mut before = None;
    stage.check_always("push", move |world| {
        if world.time() < arrives - 0.01 || world.time() > arrives + 0.015 {
            return None;
        }
        // Balls hop a little: the cloth takes what goes down.
        let now = sum(world).scale(Vec3::new(1.0, 0.0, 1.0));
        let before = *before.get_or_insert(now);
        Some(Reading::at_most((now - before).length() / before.length(), 0.06))
    });
    let start = stage.world.measure().energy();
    stage.check_said("energy", Said::at_most(format!("energy() / ({start:e})"), 1.001));
    let all = rack.clone();
    let mut deepest = 0.0;
    stage.check_always("overlap", move |world| {
        for (i, &a) in all.ids.iter().enumerate() {
            for &b in &all.ids[..i] {
                deepest = Num::max(deepest, 2.0 - (place(world, a) - place(world, b)).length() / RADIUS);
            }
        }
        Some(Reading::at_most(deepest, 0.13))
    });
    let all = rack.clone();
    stage.check_at_end("break", move |world| {
        let still = |i: &usize| !((place(world, all.ids[*i]) - all.start[*i]).length() > RADIUS);
        // No two breaks are alike: of those at twelve speeds one left one ball where it was.
        Some(Reading::at_most((0..all.ids.len()).filter(still).count() as f64, 1.0))
    });
    let mut on_table = rack;
    on_table.ids.push(white);
    stage.check_always("table", move |world| {
        let [x, z] = TABLE;
        on_table.outside(world, Point::new(-x, 0.0, -z), Point::new(x, 4.0 * RADIUS, z))
    });
    Ok(())
}
