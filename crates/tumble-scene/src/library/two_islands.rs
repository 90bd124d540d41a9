//! Two groups of boxes on one platform.

use super::props::{Things, floor, tune};
use crate::error::Result;
use crate::{Camera, Parameter, Reading, Said, Scene, Stage, Values};
use tumble::math::{Real, Vec3};
use tumble::shape::Shape;
use tumble::{BodyDesc, Material};

pub fn scene() -> Scene {
    Scene::new("two-islands", build)
        .seed("002, D3")
        .description(
            "Two stacks on a platform that nothing moves. They touch the same thing and have nothing to do with each other: \
             each is an island, and when a ball hits one of them after five seconds, the other sleeps on.",
        )
        .parameter(Parameter::new("boxes", 3.0).range(1.0, 10.0).whole().help("Boxes in each stack"))
        .parameter(Parameter::new("apart", 6.0).range(4.0, 50.0).unit("m").help("Distance of the stacks"))
        .camera(Camera::new([3.0, 5.0, 14.0], [3.0, 1.5, 0.0]))
        .check("islands", "There are two islands and a ball before the stacks fall asleep; how many are missing or too many", "")
        .check("sleeper", "The stack that is not hit sleeps on; how many of its boxes wake up", "")
        .check("hit", "The stack that is hit wakes up as a whole; how many of its boxes were ever awake after the hit", "")
}

fn build(stage: &mut Stage, values: &Values) -> Result<()> {
    let (count, apart) = (values.count("boxes")?, values.get("apart")?);
    tune(stage, 1.0)?;
    floor(stage, Material::default())?;
    let half: Real = 0.5;
    let mut stacks = [Things::default(), Things::default()];
    for (s, stack) in stacks.iter_mut().enumerate() {
        for i in 0..count {
            let desc = BodyDesc::dynamic().name(format!("box-{s}-{i}"));
            let shape = stage.engine(|_| Shape::cuboid(half, half, half))?;
            let at = [s as f64 * apart, f64::from(i) + 0.5, 0.0];
            stack.add(stage, desc.position(at), shape, Material::default())?;
        }
    }
    // Thrown upwards, the ball comes down on the first stack after about five seconds.
    let rise = 24.5;
    let ball = BodyDesc::dynamic().name("ball").position([0.0, f64::from(count) + 0.6, 0.0]);
    let shape = stage.engine(|_| Shape::sphere(0.3))?;
    let ball = ball.linear_velocity(Vec3::new(0.0, rise, 0.0)).can_sleep(false);
    Things::default().add(stage, ball, shape, Material::default())?;
    stage.run_for(7.0);

    stage.check_said("islands", Said::at_most("abs(islands() - 3)", 0.0).from(0.05).until(0.39));
    let [hit, _] = stacks;
    stage.check_said("sleeper", Said::at_most("awake('box-1-*')", 0.0).from(4.0 + 1e-6));
    let mut woken = std::collections::BTreeSet::new();
    stage.check_always("hit", move |world| {
        let awake = hit.ids.iter().filter(|&&id| world.body(id).is_ok_and(|b| !b.is_asleep()));
        if world.time() > 4.0 {
            woken.extend(awake.copied());
        }
        (world.time() > 6.5).then(|| Reading::at_least(woken.len() as f64, hit.ids.len() as f64))
    });
    Ok(())
}
