//! A long chain that is let go at the horizontal.

use super::super::props::tune;
use super::{G, add, energy, rod};
use crate::error::Result;
use crate::{Camera, Parameter, Reading, Scene, Stage, Values};
use tumble::World;
use tumble::articulation::{ArticulationDesc, LinkDesc};
use tumble::math::{Float, Num, Point, Real};

const LINK: f64 = 0.5;

pub fn scene() -> Scene {
    Scene::new("whip", build)
        .seed("beyond the seeds")
        .description("A chain of 32 rods of half a metre on hinges is let go at the horizontal, without any damping, and cracks like a whip for a minute. From 20° it is the gentle chain.")
        .parameter(Parameter::new("links", 32.0).range(2.0, 100.0).whole().help("How many rods"))
        .parameter(Parameter::new("angle", 90.0).range(5.0, 90.0).unit("°").help("From hanging to where it starts"))
        .camera(Camera::new([0.0, -8.0, 30.0], [0.0, -6.0, 0.0]))
        .conservative()
        .check("gain", "It gains no energy; most, as a share of what it releases from its start to hanging", "")
        .check("loss", "It hardly loses any; most, as the same share", "")
        .check("gap", "Its hinges do not open; widest", "m")
}

fn build(stage: &mut Stage, values: &Values) -> Result<()> {
    let (links, angle) = (values.count("links")?, values.get("angle")? * f64::PI / 180.0);
    tune(stage, LINK)?;
    let mut desc = ArticulationDesc::new().name("whip");
    for i in 0..links {
        let body = stage.engine(|_| rod(LINK, 1.0))?.can_sleep(false).name(format!("link-{i}"));
        let link = LinkDesc::revolute(body, [0.0, 0.0, 1.0]).anchor([0.0, 0.5 * LINK, 0.0]);
        desc.add(match i {
            0 => link.position(&[angle]),
            _ => link.parent(i as usize - 1).at([0.0, -0.5 * LINK, 0.0]),
        });
    }
    let id = add(stage, desc)?;
    let rods: Vec<_> = stage.engine(|world| Ok(world.articulation(id)?.links().collect()))?;
    stage.run_for(60.0);
    let n = f64::from(links);
    let released = 0.5 * G * LINK * n * n * (1.0 - Float::cos(angle));
    let start = energy(&stage.world, id);
    let share = move |world: &World| (energy(world, id) - start) / released;
    stage.check_always("gain", move |world| Some(Reading::at_most(share(world), 1e-3)));
    stage.check_always("loss", move |world| Some(Reading::at_most(-share(world), 0.01)));
    stage.check_always("gap", move |world| {
        let end = |rod, y: f64| world.body(rod).map_or(Point::all(f64::NAN), |b| b.to_world([0.0, y as Real, 0.0]));
        let gaps = rods.windows(2).map(|pair| (end(pair[0], -0.5 * LINK) - end(pair[1], 0.5 * LINK)).length());
        // The rounding of poses to single precision, over the length of the chain.
        gaps.map(|gap| Reading::at_most(Num::abs(gap), f64::from(f32::EPSILON) * n)).reduce(Reading::or_worse)
    });
    Ok(())
}
