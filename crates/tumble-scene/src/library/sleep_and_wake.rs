//! Stacks that fall asleep and are woken.

use super::props::{Things, body, cuboid, floor, tune};
use crate::error::Result;
use crate::{Camera, Cue, Parameter, Said, Scene, Stage, Values};
use tumble::force::Uniform;
use tumble::{BodyDesc, BodySet, EffectDesc, Material};

/// How high the shelf is, in metres; when it is taken away, and when the wind blows, in seconds.
const SHELF: f64 = 2.0;
const TAKEN: f64 = 4.0;
const GUST: [f64; 2] = [6.0, 6.5];

pub fn scene() -> Scene {
    Scene::new("sleep-and-wake", build)
        .seed("002, T15; 003, S19")
        .description(
            "Three stacks come to rest and fall asleep. The shelf under the first is taken away, and it wakes and falls. A gust of wind \
             wakes the second. Nothing happens to the third, which sleeps on.",
        )
        .parameter(Parameter::new("boxes", 3.0).range(1.0, 8.0).whole().help("Boxes in a stack"))
        .parameter(Parameter::new("wind", 3.0).range(2.0, 10.0).unit("m/s²").help("Strength of the gust"))
        .camera(Camera::new([0.0, 4.0, 12.0], [0.0, 1.5, 0.0]))
        .check("asleep", "After three seconds all sleep; how many do not", "")
        .check("support", "When the shelf is gone all that stood on it wake at once; how many do not", "")
        .check("falls", "And they fall to the floor; highest", "m")
        .check("wind", "The gust wakes all of the second stack; how many it does not", "")
        .check("sleeper", "The third stack never wakes; how many of its boxes do", "")
        .check("again", "In the end all sleep again; how many do not", "")
}

fn build(stage: &mut Stage, values: &Values) -> Result<()> {
    let (count, wind) = (values.count("boxes")?, values.real("wind")?);
    tune(stage, 0.5)?;
    floor(stage, Material::default())?;
    let shape = cuboid(stage, [2.0, 0.2, 2.0])?;
    let shelf = BodyDesc::fixed().name("shelf").position([-3.0, SHELF - 0.1, 0.0]);
    let shelf = body(stage, shelf, shape, &Material::default())?;
    stage.at(TAKEN, Cue::Remove(shelf));
    let shape = cuboid(stage, [0.5; 3])?;
    let mut stacks = [Things::default(), Things::default(), Things::default()];
    for (s, stack) in stacks.iter_mut().enumerate() {
        for i in 0..count {
            let bottom = if s == 0 { SHELF } else { 0.0 };
            let at = [3.0 * (s as f64 - 1.0), bottom + 0.5 * (f64::from(i) + 0.5), 0.0];
            let desc = BodyDesc::dynamic().name(format!("box-{s}-{i}")).position(at);
            stack.add(stage, desc, shape.clone(), Material::default())?;
        }
    }
    let [_, blown, _] = stacks;
    let gust = EffectDesc::new(Uniform::new([wind, 0.0, 0.0])).bodies(BodySet::list(blown.ids.clone()));
    stage.engine(|world| world.add_effect(gust.window(GUST[0], GUST[1]).name("gust")))?;
    stage.run_for(12.0);

    stage.check_said("asleep", Said::at_most("awake('box-*')", 0.0).from(3.01).until(TAKEN - 1e-6));
    // From a step or two after it is gone on.
    stage.check_said(
        "support",
        Said::at_most("count('box-0-*') - awake('box-0-*')", 0.0).from(TAKEN + 0.051).until(TAKEN + 0.2),
    );
    let height = 0.5 * f64::from(count);
    stage.check_said("falls", Said::at_most("y('box-0-*')", height).at_end());
    stage.check_said(
        "wind",
        Said::at_most("count('box-1-*') - awake('box-1-*')", 0.0).from(GUST[0] + 0.051).until(GUST[1] - 1e-6),
    );
    stage.check_said("sleeper", Said::at_most("awake('box-2-*')", 0.0).from(3.0 + 1e-6));
    stage.check_said("again", Said::at_most("awake('box-*')", 0.0).at_end());
    Ok(())
}
