//! Balls on top of one another in a room: who belongs together.

use super::props::{body, place, sphere};
use super::room_spheres::{HALF, RADIUS, islands, room};
use crate::error::Result;
use crate::{Camera, Parameter, Reading, Scene, Stage, Values};
use tumble::math::{Point, Real};
use tumble::{BodyDesc, Material, World};

pub fn scene() -> Scene {
    Scene::new("room-stacks", build)
        .seed("004, D1-D3")
        .description(
            "In a closed room a ball falls on one that lies, and stays on it; beside them three are set on one another. Each stack is one island, the \
             floor in none. When a third ball strikes the pair, all of it moves, and the three sleep on.",
        )
        .parameter(Parameter::new("drop", 0.5).range(0.0, 2.0).unit("m").help("How far the upper ball of the pair falls"))
        .parameter(Parameter::new("strikes", 8.0).range(7.0, 12.0).unit("s").help("When the third ball strikes the pair"))
        .camera(Camera::new([0.0, -2.0, 26.0], [0.0, -6.0, 0.0]))
        .check("rests", "D1: The upper ball rests on the lower one; distance of their middles, error", "m")
        .check("three", "D3: Three balls stand on one another, and none sinks; largest error of a height", "m")
        .check("islands", "D1, D3: Pair, three and striker are three islands; how many are missing or too many", "")
        .check("forwarded", "D2: Both balls of the pair are moved by the strike; the least of them", "m")
        .check("sleep-on", "D2: The three do not wake; how many do", "")
        .check("inside", "No ball leaves the room; how many do", "")
}

fn build(stage: &mut Stage, values: &Values) -> Result<()> {
    let (drop, strikes) = (values.get("drop")?, values.get("strikes")?);
    // Balls balance on one another only where nothing rolls: with rolling friction.
    let rough = Material { rolling_friction: 0.05, spinning_friction: 0.05, ..Material::default().with_friction(0.8) };
    room(stage, &rough)?;
    let shape = sphere(stage, RADIUS)?;
    let low = RADIUS - HALF;
    let mut ball = |name: &str, at: [f64; 3]| {
        let desc = BodyDesc::dynamic().name(name).position(at).mass(1.0);
        body(stage, desc, shape.clone(), &rough)
    };
    let pair = [ball("lower", [-5.0, low, 0.0])?, ball("upper", [-5.0, low + 2.0 * RADIUS + drop, 0.0])?];
    let mut three = Vec::new();
    for i in 0..3 {
        three.push(ball(&format!("three-{i}"), [5.0, low + 2.0 * RADIUS * f64::from(i), 0.0])?);
    }
    // It floats, without weight, so slowly that the pair lies still when it comes.
    let start = Point::new(-5.0, low + RADIUS, 9.0 - RADIUS);
    let desc = BodyDesc::dynamic().name("striker").position(start).mass(1.0).gravity_scale(0.0).can_sleep(false);
    let speed = (start.z - RADIUS * 3.0_f64.sqrt()) / strikes;
    let desc = desc.linear_velocity([0.0, 0.0, -speed as Real]);
    let striker = body(stage, desc, shape.clone(), &rough)?;
    stage.run_for(strikes + 3.0);

    let settled = move |world: &World| world.time() > 3.0 && world.time() < strikes - 0.5;
    stage.check_always("rests", move |world| {
        let apart = (place(world, pair[1]) - place(world, pair[0])).length();
        settled(world).then(|| Reading::at_most((apart - 2.0 * RADIUS).abs(), 0.02))
    });
    let all = three.clone();
    stage.check_always("three", move |world| {
        let off = |i: usize| (place(world, all[i]).y - low - 2.0 * RADIUS * i as f64).abs();
        (0..3).map(|i| Reading::at_most(off(i), 0.03)).reduce(Reading::or_worse)
    });
    stage.check_always("islands", |world| {
        // While all are awake.
        let now = world.time() > 0.4 && world.time() < 0.5;
        now.then(|| Reading::at_most((islands(world) - 3.0).abs(), 0.0))
    });
    let mut before: Option<[Point; 2]> = None;
    stage.check_always("forwarded", move |world| {
        let now = pair.map(|id| place(world, id));
        if world.time() < strikes - 0.5 {
            before = Some(now);
            return None;
        }
        let before = before?;
        let least = (0..2).map(|i| Reading::at_least((now[i] - before[i]).length(), 0.05));
        if world.time() > strikes + 2.5 { least.reduce(Reading::or_worse) } else { None }
    });
    let sleepers = three.clone();
    stage.check_always("sleep-on", move |world| {
        let awake = sleepers.iter().filter(|&&id| !world.body(id).is_ok_and(|b| b.is_asleep())).count();
        (world.time() > strikes - 0.5).then(|| Reading::at_most(awake as f64, 0.0))
    });
    let mut all = three;
    all.extend(pair);
    all.push(striker);
    stage.check_always("inside", move |world| {
        let inside = |p: Point| p.x.abs() < HALF && p.y.abs() < HALF && p.z.abs() < HALF;
        let out = all.iter().filter(|&&id| !inside(place(world, id))).count();
        Some(Reading::at_most(out as f64, 0.0))
    });
    Ok(())
}
