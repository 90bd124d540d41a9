//! A charge goes off under a heap of crates.

use super::props::{Things, body, cuboid, cylinder, floor, place, tune, velocity};
use crate::error::Result;
use crate::{Camera, Parameter, Reading, Scene, Stage, Values};
use tumble::force::{Explosion, Falloff};
use tumble::math::{Float, Point, Real};
use tumble::{BodyDesc, EffectDesc, Material, World};

/// When it goes off and for how long it lasts, in seconds.
const BEGIN: f64 = 1.0;
const LASTS: f64 = 0.05;
/// Where its pressure is half of what it is in the middle, in metres.
const HALF: f64 = 1.0;
/// Edge of a crate.
const EDGE: f64 = 0.4;
/// How far out the pucks lie, their height and their mass.
const PUCKS: [f64; 2] = [3.0, 5.0];
const HIGH: f64 = 0.2;
const MASS: f64 = 200.0;

pub fn scene() -> Scene {
    Scene::new("explosion", build)
        .seed("003, S22")
        .description("A charge goes off in the middle of a ring of crates after a second. The crates fly apart; two pucks on ice, farther out, slide off with the impulse that the law of the charge gives them.")
        .parameter(Parameter::new("strength", 20_000.0).range(5_000.0, 100_000.0).unit("N").help("Force in the middle"))
        .parameter(Parameter::new("crates", 8.0).range(4.0, 12.0).whole().help("Crates in a course of the ring"))
        .camera(Camera::new([4.0, 5.0, 9.0], [1.0, 0.5, 0.0]))
        .check("before", "Nothing moves before; farthest", "m")
        .check("kick", "The pucks slide off with F T/m; largest error as a share", "")
        .check("outward", "All crates end farther out than they began; how many do not", "")
        .check("over", "The charge is gone when it is over; how many effects are left", "")
        .check("energy", "Nothing brings energy afterwards; highest as a share of what it was then", "")
}

fn build(stage: &mut Stage, values: &Values) -> Result<()> {
    let (strength, count) = (values.get("strength")?, values.count("crates")?);
    tune(stage, EDGE)?;
    let (wood, ice) = (Material::named("wood").unwrap_or_default(), Material::default().with_friction(0.0));
    floor(stage, wood.clone())?;
    let mut things = Things::default();
    let shape = cuboid(stage, [EDGE; 3])?;
    // Wide enough that neighbours do not touch.
    let radius = 0.9 * EDGE * f64::from(count) / f64::PI;
    for course in 0..3 {
        for i in 0..count {
            let angle = (f64::from(i) + 0.5 * f64::from(course % 2)) * 2.0 * f64::PI / f64::from(count);
            let out = Point::new(Float::cos(angle), 0.0, Float::sin(angle));
            let at = out * radius + Point::Y * ((f64::from(course) + 0.5) * EDGE);
            let desc = BodyDesc::dynamic().name(format!("crate-{course}-{i}")).position(at);
            things.add(stage, desc.turned([0.0, 1.0, 0.0], -angle as Real), shape.clone(), wood.clone())?;
        }
    }
    let crates = things.clone();
    let shape = cylinder(stage, HIGH, 0.2)?;
    let mut pucks = Vec::new();
    for (i, out) in PUCKS.into_iter().enumerate() {
        let desc = BodyDesc::dynamic().name(format!("puck-{i}")).position([out, 0.5 * HIGH, 0.0]).mass(MASS as Real);
        pucks.push(things.add(stage, desc.can_sleep(false), shape.clone(), ice.clone())?);
    }
    let post = cuboid(stage, [0.1, 0.02, 0.1])?;
    body(stage, BodyDesc::fixed().name("charge").position([0.0, 0.01, 0.0]), post, &wood)?;
    let bomb = Explosion::new([0.0, 0.5 * HIGH, 0.0], strength as Real);
    let bomb = bomb.falloff(Falloff::InverseSquare { radius: HALF as Real });
    let desc = EffectDesc::explosion(bomb, BEGIN + LASTS).window(BEGIN, BEGIN + LASTS).name("charge");
    stage.engine(|world| world.add_effect(desc))?;
    stage.run_for(4.0);

    stage.check_always(
        "before",
        move |world| {
            if world.time() < BEGIN { things.moved(world, 1.0, 0.005) } else { None }
        },
    );
    let over = |world: &World| world.time() > BEGIN + LASTS + 0.02;
    stage.check_always("kick", move |world| {
        let kick = |i: usize| {
            let expected = strength / (1.0 + PUCKS[i] * PUCKS[i] / (HALF * HALF)) * LASTS / MASS;
            Reading::at_most((velocity(world, pucks[i]).x / expected - 1.0).abs(), 0.02)
        };
        // Before anything that flies can hit them.
        let now = over(world) && world.time() < BEGIN + LASTS + 0.06;
        if now { (0..pucks.len()).map(kick).reduce(Reading::or_worse) } else { None }
    });
    stage.check_at_end("outward", move |world| {
        let level = |p: Point| (p.x * p.x + p.z * p.z).sqrt();
        let out = |i: &usize| level(place(world, crates.ids[*i])) > level(crates.start[*i]) + EDGE;
        Some(Reading::at_most((crates.ids.len() - (0..crates.ids.len()).filter(out).count()) as f64, 0.0))
    });
    stage.check_at_end("over", |world| Some(Reading::at_most(world.effect_count() as f64, 0.0)));
    let mut least = f64::INFINITY;
    stage.check_always("energy", move |world| {
        if !over(world) {
            return None;
        }
        let energy = world.measure().energy();
        let figure = energy / if least < energy { least } else { energy };
        least = if energy < least { energy } else { least };
        Some(Reading::at_most(figure, 1.005))
    });
    Ok(())
}
