//! Balls on top of one another in a room: who belongs together.

use super::props::{body, place, sphere};
use super::room_spheres::{HALF, RADIUS, islands, room};
use crate::error::Result;
use crate::{Camera, Parameter, Reading, Scene, Stage, Values};
use tumble::math::{Point, Real};
use tumble::{BodyDesc, BodyId, Material, World};

/// From where the last ball of the three is let go, above those that stand, in metres.
const SET_DOWN: f64 = 0.05;

pub fn scene() -> Scene {
    Scene::new("room-stacks", build)
        .seed("004, D1-D3")
        .description(
            "In a closed room a ball falls on one that lies, and stays on it; beside them a third is set down on such a pair. Each stack is one island, \
             the floor in none. A ball floats against the upper one of the pair: both wake and move, and the three sleep on. Then another strikes the \
             three, of which all wake.",
        )
        .parameter(Parameter::new("drop", 0.5).range(0.0, 2.0).unit("m").help("How far the upper ball of the pair falls"))
        .parameter(Parameter::new("strikes", 8.0).range(7.0, 12.0).unit("s").help("When the pair is struck; the three are 3 s later"))
        .camera(Camera::new([0.0, -2.0, 26.0], [0.0, -6.0, 0.0]))
        .check("rests", "D1: The upper ball rests on the lower one; distance of their middles, error", "m")
        .check("three", "D3: Three balls stand on one another, and none sinks; largest error of a height", "m")
        .check("islands", "D1, D3: Pair, three and two strikers are four islands; how many are missing or too many", "")
        .check("woken", "D2: Both balls of the pair sleep, and wake when one is struck; how often one did not", "")
        .check("forwarded", "D2: Both balls of the pair are moved by the strike; the least of them", "m")
        .check("sleep-on", "D2: The three do not wake by it; how many do", "")
        .check("all-woken", "D3: All of the three wake when the middle one is struck; how often one did not", "")
        .check("inside", "No ball leaves the room; how many do", "")
}

fn build(stage: &mut Stage, values: &Values) -> Result<()> {
    let (drop, strikes) = (values.get("drop")?, values.get("strikes")?);
    // Balls balance on one another only where nothing rolls: with rolling friction.
    let rough = Material { rolling_friction: 0.05, spinning_friction: 0.05, ..Material::default().with_friction(0.8) };
    stage.prefer_dt(1.0 / 120.0)?;
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
        let set_down = if i == 2 { SET_DOWN } else { 0.0 };
        three.push(ball(&format!("three-{i}"), [5.0, low + 2.0 * RADIUS * f64::from(i) + set_down, 0.0])?);
    }
    let mut all = [&pair[..], &three].concat();
    // They float, without weight, so slowly that everything lies still when they come; each meets one ball alone, at its height.
    let again = strikes + 3.0;
    for (name, x, when) in [("striker", -5.0, strikes), ("second-striker", 5.0, again)] {
        let start = Point::new(x, low + 2.0 * RADIUS, 9.0 - RADIUS);
        let speed = (start.z - 2.0 * RADIUS) / when;
        let desc = BodyDesc::dynamic().name(name).position(start).mass(1.0).gravity_scale(0.0).can_sleep(false);
        let desc = desc.linear_velocity([0.0, 0.0, -speed as Real]);
        all.push(body(stage, desc, shape.clone(), &rough)?);
    }
    stage.run_for(again + 3.0);

    let settled = move |world: &World| world.time() > 3.0 && world.time() < strikes - 0.5;
    stage.check_always("rests", move |world| {
        let apart = (place(world, pair[1]) - place(world, pair[0])).length();
        settled(world).then(|| Reading::at_most((apart - 2.0 * RADIUS).abs(), 0.02))
    });
    let stack = three.clone();
    stage.check_always("three", move |world| {
        let off = |i: usize| (place(world, stack[i]).y - low - 2.0 * RADIUS * i as f64).abs();
        let now = world.time() > 1.0 && world.time() < again - 0.5;
        if now { (0..3).map(|i| Reading::at_most(off(i), 0.03)).reduce(Reading::or_worse) } else { None }
    });
    let fall = (2.0 * drop / f64::from(-stage.world.gravity().y)).sqrt();
    stage.check_always("islands", move |world| {
        // When the upper ones have come down, and all are awake.
        let now = world.time() > fall + 0.2 && world.time() < fall + 0.4;
        now.then(|| Reading::at_most((islands(world) - 4.0).abs(), 0.0))
    });
    stage.check_always("woken", move |world| woken(world, &pair, strikes));
    stage.check_always("all-woken", {
        let three = three.clone();
        move |world| woken(world, &three, again)
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
    stage.check_always("sleep-on", move |world| {
        let awake = three.iter().filter(|&&id| !world.body(id).is_ok_and(|b| b.is_asleep())).count();
        let now = world.time() > strikes - 0.5 && world.time() < again - 0.5;
        now.then(|| Reading::at_most(awake as f64, 0.0))
    });
    stage.check_always("inside", move |world| {
        let inside = |p: Point| p.x.abs() < HALF && p.y.abs() < HALF && p.z.abs() < HALF;
        let out = all.iter().filter(|&&id| !inside(place(world, id))).count();
        Some(Reading::at_most(out as f64, 0.0))
    });
    Ok(())
}

/// How many sleep when they should not: all do shortly before a strike, and none shortly after it.
fn woken(world: &World, balls: &[BodyId], strike: f64) -> Option<Reading> {
    let asleep = balls.iter().filter(|&&id| world.body(id).is_ok_and(|b| b.is_asleep())).count();
    let wrong = match world.time() - strike {
        t if (-0.3..-0.1).contains(&t) => balls.len() - asleep,
        t if (0.1..0.3).contains(&t) => asleep,
        _ => return None,
    };
    Some(Reading::at_most(wrong as f64, 0.0))
}
