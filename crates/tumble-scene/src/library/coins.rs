//! Coins that are tossed onto a table.

use super::props::{Random, Things, cylinder, floor, place, pointing, tune, velocity};
use crate::error::Result;
use crate::{Camera, Parameter, Reading, Said, Scene, Stage, Values};
use tumble::math::{Point, Vec3};
use tumble::{BodyDesc, BodyId, Material};

/// Radius and thickness of a coin, in metres.
const RADIUS: f64 = 0.0122;
const THICK: f64 = 0.0021;

pub fn scene() -> Scene {
    Scene::new("coins", build)
        .seed("001, D3")
        .description(
            "Eighteen coins are tossed with spin. They bounce, roll on their edges, rattle, and lie flat in the end, or lean on one another.",
        )
        .parameter(Parameter::new("coins", 18.0).range(1.0, 200.0).whole().help("How many"))
        .parameter(Parameter::new("spin", 30.0).range(0.0, 80.0).unit("rad/s").help("Spin of the toss"))
        .camera(Camera::new([0.0, 0.35, 0.5], [0.0, 0.05, 0.0]))
        .check(
            "flat",
            "In the end all coins lie flat, or lean on another, but for one by chance; how many stand on edge",
            "",
        )
        .check("on-table", "No coin goes into the table; how many do", "")
        .check("energy", "No bounce brings energy; highest as a share of that at the start", "")
        .check("rest", "All coins that lie flat on the table have come to rest; fastest", "m/s")
        .check("heads", "Some show heads and some tails; share of heads", "")
}

fn build(stage: &mut Stage, values: &Values) -> Result<()> {
    let (count, spin) = (values.count("coins")?, values.get("spin")?);
    tune(stage, 2.0 * RADIUS)?;
    // A coin is so thin that it falls by its thickness in a 50th of a second.
    stage.prefer_dt(1.0 / 240.0)?;
    // The air and the wood under it stop what rolls on: a lever arm of a hundredth of the radius or two.
    let steel = Material::default().with_density(7500.0).with_friction(0.3).with_restitution(0.4);
    let steel = Material { rolling_friction: 2e-4, spinning_friction: 2e-4, ..steel };
    floor(stage, steel.clone())?;
    let (mut coins, mut random) = (Things::default(), Random(12));
    let shape = cylinder(stage, THICK, RADIUS)?;
    let side = (1..=20_u32).find(|n| n * n >= count).unwrap_or(20);
    for i in 0..count {
        let place = |k: u32| (f64::from(k) - 0.5 * f64::from(side - 1)) * 0.04;
        let at = Point::new(place(i % side), 0.15 + 0.02 * random.number(), place(i / side));
        let up = Vec3::new(0.05 * random.number(), 0.8 + 0.4 * random.number(), 0.05 * random.number());
        let turn = random.direction() * spin;
        let desc = BodyDesc::dynamic().name(format!("coin-{i}")).position(at).rotation(random.turn(1.0));
        let desc = desc.linear_velocity(up.to_real()).angular_velocity(turn.to_real());
        coins.add(stage, desc, shape.clone(), steel.clone())?;
    }
    stage.run_for(8.0);

    let all = coins.clone();
    stage.check_at_end("flat", move |world| {
        // One coin on another's rim is tilted by 2 THICK/RADIUS at the most.
        let on_edge = |id: &&BodyId| !(pointing(world, **id, Vec3::Y).y.abs() > 0.8);
        Some(Reading::at_most(all.ids.iter().filter(on_edge).count() as f64, 1.0))
    });
    let all = coins.clone();
    stage.check_always("on-table", move |world| {
        let below = |id: &&BodyId| !(place(world, **id).y > 0.25 * THICK);
        Some(Reading::at_most(all.ids.iter().filter(below).count() as f64, 0.0))
    });
    let start = stage.world.measure().energy();
    stage.check_said("energy", Said::at_most(format!("energy() / ({start:e})"), 1.001));
    // Those that lean on another rattle on: see the limits in the manual.
    let all = coins.clone();
    stage.check_at_end("rest", move |world| {
        let flat = |id: BodyId| pointing(world, id, Vec3::Y).y.abs() > 0.999 && place(world, id).y < THICK;
        let flat = all.ids.iter().filter(|&&id| flat(id));
        flat.map(|&id| Reading::at_most(velocity(world, id).length(), 0.005)).reduce(Reading::or_worse)
    });
    stage.check_at_end("heads", move |world| {
        let heads = coins.ids.iter().filter(|&&id| pointing(world, id, Vec3::Y).y > 0.0).count();
        Some(Reading::between(heads as f64 / coins.ids.len() as f64, 0.1, 0.9))
    });
    Ok(())
}
