//! A chain of light links with a weight on its end.

use super::super::props::tune;
use super::{G, add, rod};
use crate::error::Result;
use crate::{Camera, Parameter, Reading, Scene, Stage, Values};
use tumble::articulation::{ArticulationDesc, LinkDesc};
use tumble::math::{Float, Num, Real};
use tumble::shape::Shape;
use tumble::{BodyDesc, World};

const LINKS: usize = 10;
const LINK: f64 = 0.3;

pub fn scene() -> Scene {
    Scene::new("heavy-chain", build)
        .seed("beyond the seeds")
        .description("Ten links of 100 g carry a weight ten thousand times as heavy as a link. It swings as a pendulum of the chain's length does.")
        .parameter(Parameter::new("ratio", 10_000.0).range(10.0, 100_000.0).help("Mass of the weight, in masses of a link"))
        .camera(Camera::new([0.0, -1.5, 6.0], [0.0, -1.6, 0.0]))
        .conservative()
        .check("period", "It swings with the period of a pendulum; ratio", "")
        .check("length", "The chain keeps its length; largest change as a share", "")
}

fn build(stage: &mut Stage, values: &Values) -> Result<()> {
    let ratio = values.get("ratio")?;
    tune(stage, LINK)?;
    // A hundredth of a right angle from hanging.
    let aside = 0.05;
    let mut desc = ArticulationDesc::new().name("chain");
    for i in 0..LINKS {
        let body = stage.engine(|_| rod(LINK, 0.1))?.can_sleep(false).name(format!("link-{i}"));
        let link = LinkDesc::revolute(body, [0.0, 0.0, 1.0]).anchor([0.0, 0.5 * LINK, 0.0]);
        desc.add(match i {
            0 => link.position(&[aside]),
            _ => link.parent(i - 1).at([0.0, -0.5 * LINK, 0.0]),
        });
    }
    let weight = stage.engine(|_| Shape::sphere(0.25))?;
    let weight = BodyDesc::dynamic().collider(weight).mass((0.1 * ratio) as Real).can_sleep(false).name("weight");
    let weight = desc.add(LinkDesc::fixed(weight).parent(LINKS - 1).at([0.0, -0.5 * LINK, 0.0]));
    let id = add(stage, desc)?;
    stage.run_for(20.0);
    let place =
        move |world: &World| world.body(world.articulation(id).ok()?.link(weight).ok()?).ok().map(|b| b.position());
    // What hangs on the end is a ball: m l² and its own moment. The links are a thousandth of it all at the most.
    let length = LINKS as f64 * LINK;
    let inertia = length * length + 0.4 * 0.25 * 0.25;
    let period = 2.0 * f64::PI * Num::sqrt(inertia / (G * length)) * (1.0 + aside * aside / 16.0);
    let (mut last, mut crossings, mut first) = (None::<(f64, f64)>, 0, 0.0);
    stage.check_always("period", move |world| {
        let now = (world.time(), place(world)?.x);
        let before = last.replace(now)?;
        if before.1 < 0.0 && now.1 >= 0.0 {
            let at = before.0 + (now.0 - before.0) * before.1 / (before.1 - now.1);
            crossings += 1;
            if crossings == 1 {
                first = at;
            } else {
                return Some(Reading::between((at - first) / f64::from(crossings - 1) / period, 0.99, 1.01));
            }
        }
        None
    });
    stage.check_always("length", move |world| {
        Some(Reading::at_most((place(world)?.length() / length - 1.0).abs(), 1e-3))
    });
    Ok(())
}
