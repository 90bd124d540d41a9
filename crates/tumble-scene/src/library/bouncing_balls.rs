//! Balls that bounce, each with its own restitution.

use super::props::{Things, floor, tune};
use crate::error::Result;
use crate::{Camera, Parameter, Reading, Said, Scene, Stage, Values};
use tumble::math::{Num, Real};
use tumble::shape::Shape;
use tumble::{BodyDesc, Material, World};

const BALLS: u32 = 7;
const RADIUS: f64 = 0.2;

pub fn scene() -> Scene {
    Scene::new("bouncing-balls", build)
        .seed("001, D2")
        .description("Seven balls fall from the same height, with restitutions from 0 to 1. The first stays down, the last rises again.")
        .parameter(Parameter::new("height", 2.0).range(1.0, 20.0).unit("m").help("Height of the fall"))
        .parameter(Parameter::new("apart", 1.0).range(0.6, 5.0).unit("m").help("Distance of the balls"))
        .camera(Camera::new([3.0, 2.0, 9.0], [3.0, 1.0, 0.0]))
        .check("apex", "Balls with e of a half and more rise to e² h after the first bounce; largest error as a share", "")
        .check("rest", "The first ball does not bounce at all; how high it rises", "m")
        .check("gain", "No ball rises above the height that it fell from; highest as a share of it", "")
}

/// The heights of a ball: the highest since its first bounce and before its second.
#[derive(Clone, Copy, Debug, Default)]
struct Bounce {
    bounces: u32,
    falling: bool,
    apex: f64,
}

impl Bounce {
    fn see(&mut self, height: f64, speed: f64) {
        if self.falling && speed >= 0.0 {
            self.bounces += 1;
        }
        self.falling = speed < 0.0;
        if self.bounces == 1 {
            self.apex = Num::max(self.apex, height);
        }
    }
}

fn build(stage: &mut Stage, values: &Values) -> Result<()> {
    let (height, apart) = (values.get("height")?, values.get("apart")?);
    tune(stage, 2.0 * RADIUS)?;
    floor(stage, Material::default().with_friction(0.0))?;
    let mut balls = Things::default();
    for i in 0..BALLS {
        let e = f64::from(i) / f64::from(BALLS - 1);
        let desc = BodyDesc::dynamic().name(format!("ball-{i}"));
        let shape = stage.engine(|_| Shape::sphere(RADIUS as Real))?;
        let material = Material::default().with_friction(0.0).with_restitution(e as Real);
        balls.add(stage, desc.position([f64::from(i) * apart, RADIUS + height, 0.0]), shape, material)?;
    }
    stage.run_for(10.0);

    let state = |world: &World, balls: &Things, i: usize| {
        world
            .body(balls.ids[i])
            .map_or((f64::NAN, f64::NAN), |b| (b.position().y - RADIUS, f64::from(b.linear_velocity().y)))
    };
    let all = balls.clone();
    let mut seen = vec![Bounce::default(); BALLS as usize];
    stage.check_always("apex", move |world| {
        for (i, bounce) in seen.iter_mut().enumerate() {
            let (y, v) = state(world, &all, i);
            bounce.see(y, v);
        }
        let done = seen.iter().skip(BALLS as usize / 2).all(|b| b.bounces > 1);
        let read = |i: usize| {
            let e = i as f64 / f64::from(BALLS - 1);
            Reading::at_most((seen[i].apex / (e * e * height) - 1.0).abs(), 0.05)
        };
        if done { (BALLS as usize / 2..BALLS as usize).map(read).reduce(Reading::or_worse) } else { None }
    });
    let all = balls.clone();
    let mut down = false;
    stage.check_always("rest", move |world| {
        let (y, _) = state(world, &all, 0);
        down |= y < 0.02;
        down.then(|| Reading::at_most(y, 0.02))
    });
    stage.check_said("gain", Said::at_most(format!("(y('ball-*') - {RADIUS}) / {height}"), 1.005));
    Ok(())
}
