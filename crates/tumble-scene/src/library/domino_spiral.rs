//! Dominoes in a spiral.

use super::dominoes::{DOMINO, fallen};
use super::props::{Things, cuboid, floor, tune};
use crate::error::Result;
use crate::{Camera, Parameter, Reading, Scene, Stage, Values};
use tumble::math::{Float, Num, Point, Real, Vec3};
use tumble::{BodyDesc, Material};

/// From one domino to the next, and from one turn of the spiral to the next, in metres.
const PITCH: f64 = 0.24;
const APART: f64 = 0.45;
/// Radius of the innermost turn.
const INNER: f64 = 1.2;

pub fn scene() -> Scene {
    Scene::new("domino-spiral", build)
        .seed("beyond the seeds")
        .description("Two thousand dominoes stand in a spiral. The outermost is pushed, and the wave runs inwards.")
        .parameter(Parameter::new("dominoes", 2_000.0).range(10.0, 5_000.0).whole().help("How many"))
        .parameter(Parameter::new("friction", 0.5).range(0.3, 0.8).help("Coefficient of friction"))
        .camera(Camera::new([0.0, 12.0, 12.0], [0.0, 0.0, 0.0]))
        .check("all-fall", "All dominoes fall; how many stand", "")
        .check("in-order", "One after the other; how many fall before the one before them", "")
        .check(
            "speed",
            "The wave runs as fast as along a straight row: dominoes per second, from the 20th to the last",
            "1/s",
        )
}

fn build(stage: &mut Stage, values: &Values) -> Result<()> {
    let count = values.count("dominoes")?;
    tune(stage, DOMINO[2])?;
    let material = Material::default().with_friction(values.real("friction")?).with_density(600.0);
    floor(stage, material.clone())?;
    let shape = cuboid(stage, DOMINO)?;
    // From the inside out: the radius grows by APART in a turn. The first domino is the outermost.
    let (mut places, mut angle) = (Vec::new(), 0.0);
    for _ in 0..count {
        let radius = INNER + APART * angle / (2.0 * f64::PI);
        places.push((radius, angle));
        angle += PITCH / radius;
    }
    let mut dominoes = Things::default();
    for (i, &(radius, angle)) in places.iter().rev().enumerate() {
        let at = Point::new(Float::cos(angle), 0.0, Float::sin(angle)) * radius + Point::Y * (0.5 * DOMINO[1]);
        // Inwards along the spiral: against the angle, and a little towards the middle.
        let slope = APART / (2.0 * f64::PI * radius);
        let ahead = Point::new(Float::sin(angle), 0.0, -Float::cos(angle))
            - Point::new(Float::cos(angle), 0.0, Float::sin(angle)) * slope;
        let heading = Float::atan2(ahead.z, ahead.x);
        let mut desc = BodyDesc::dynamic().name(format!("domino-{i}")).position(at).turned(Vec3::Y, -heading as Real);
        if i == 0 {
            let (ahead, push) = (ahead / ahead.length(), 2.0);
            let about = Point::Y.cross(ahead) * push;
            desc = desc.angular_velocity(about.to_real()).linear_velocity((ahead * (0.5 * DOMINO[1] * push)).to_real());
        }
        dominoes.add(stage, desc, shape.clone(), material.clone())?;
    }
    // The wave makes at least eight dominoes in a second.
    let seconds = f64::from(count) / 8.0 + 3.0;
    stage.run_for(seconds);

    let all = dominoes.clone();
    stage.check_at_end("all-fall", move |world| {
        Some(Reading::at_most(all.ids.iter().filter(|&&id| !fallen(world, id)).count() as f64, 0.0))
    });
    let (mut wave, mut early) = (Wave::new(dominoes.clone()), 0.0);
    stage.check_always("in-order", move |world| {
        early = Num::max(early, wave.look(world));
        // One that falls out of turn decides, though the wave may never come to its end then.
        (early > 0.0 || wave.done()).then(|| Reading::at_most(early, 0.0))
    });
    let (mut wave, mut start, mut over) = (Wave::new(dominoes), None, false);
    stage.check_always("speed", move |world| {
        wave.look(world);
        if wave.front >= 20 {
            start.get_or_insert(world.time());
        }
        // Once only, when the last one falls; or in the end, where the wave has stopped.
        if over || !wave.done() && world.time() < seconds - 0.1 {
            return None;
        }
        over = true;
        let rate = start.map_or(0.0, |start| (wave.front - 20) as f64 / (world.time() - start));
        Some(Reading::between(rate, 8.0, 25.0))
    });
    Ok(())
}

/// How far the dominoes have fallen, in their order.
struct Wave {
    things: Things,
    front: usize,
}

impl Wave {
    fn new(things: Things) -> Self {
        Self { things, front: 0 }
    }

    /// Goes on to the first that stands. Says how many of the next fifty behind it lie already.
    fn look(&mut self, world: &tumble::World) -> f64 {
        while self.things.ids.get(self.front).is_some_and(|&id| fallen(world, id)) {
            self.front += 1;
        }
        let ahead = self.things.ids.iter().skip(self.front + 1).take(50);
        ahead.filter(|&&id| fallen(world, id)).count() as f64
    }

    fn done(&self) -> bool {
        self.front > 0 && self.front == self.things.ids.len()
    }
}
