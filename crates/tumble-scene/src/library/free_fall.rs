//! Free fall: everything falls alike.

use super::flight::{assorted, height_error, rounding, spin_of, throw};
use crate::error::Result;
use crate::{Camera, Parameter, Reading, Scene, Stage, Values};
use tumble::math::{Point, Vec3};
use tumble::{BodyId, World};

pub fn scene() -> Scene {
    Scene::new("free-fall", build)
        .seed("000, S1")
        .description(
            "Bodies of different shape and mass, some of them spinning, are let go at different heights. In a vacuum \
             all of them fall alike.",
        )
        .parameter(Parameter::new("bodies", 7.0).range(1.0, 10_000.0).whole().help("How many are let go"))
        .parameter(Parameter::new("height", 25.0).range(0.1, 10_000.0).unit("m").help("Height of the lowest"))
        .parameter(Parameter::new("gravity", 9.81).range(0.01, 1_000.0).unit("m/s²").help("Strength of gravity"))
        .parameter(Parameter::new("spin", 5.0).range(0.0, 50.0).unit("rad/s").help("Spin of every other body"))
        .camera(Camera::new([7.0, 16.0, 45.0], [7.0, 16.0, 0.0]))
        .conservative()
        .check("falls-alike", "All have fallen equally far; largest difference as a share of the distance", "")
        .check("speed", "The speed is g t; largest relative error", "")
        .check("parabola", "The distance fallen is g t²/2; largest error", "m")
}

fn build(stage: &mut Stage, values: &Values) -> Result<()> {
    let (height, gravity) = (values.get("height")?, values.get("gravity")?);
    let down = Vec3::new(0.0, -values.real("gravity")?, 0.0);
    stage.engine(|world| world.set_gravity(down))?;
    let mut bodies = Vec::new();
    for i in 0..values.count("bodies")? {
        let spin = if i % 2 == 1 { spin_of(i, values.real("spin")?) } else { Vec3::ZERO };
        // Far enough apart never to touch.
        let start = Point::new(2.5 * f64::from(i), height * (1.0 + 0.1 * f64::from(i % 5)), 0.0);
        let desc = stage.engine(|_| assorted(i))?;
        bodies.push(Falling { id: throw(stage, desc, start, Vec3::ZERO, spin)?, start });
    }
    // The time in which the lowest falls to a ground that is not there.
    stage.run_for((2.0 * height / gravity).sqrt());

    let all = bodies.clone();
    stage.check_always("falls-alike", move |world| {
        let first = all.first()?.fallen(world);
        let distance = gravity * world.time() * world.time() / 2.0;
        // The same sums in the same order, but for what is rounded off the height, which is in f64.
        each(world, &all, |body| Reading::at_most((body.fallen(world) - first).abs() / distance, 1e-6))
    });
    let all = bodies.clone();
    stage.check_always("speed", move |world| {
        let expected = Point::new(0.0, -gravity * world.time(), 0.0);
        each(world, &all, |body| {
            let error = world.body(body.id).map_or(f64::NAN, |b| (b.centre_velocity().to_f64() - expected).length());
            Reading::at_most(error / expected.length(), rounding(world))
        })
    });
    // Nothing pulls a body back to its parabola: whatever error there was is still there at the end.
    stage.check_at_end("parabola", move |world| {
        let t = world.time();
        let expected = gravity * t * t / 2.0;
        let allowed = height_error(world, gravity, t) + rounding(world) * expected;
        each(world, &bodies, |body| Reading::at_most((body.fallen(world) - expected).abs(), allowed))
    });
    Ok(())
}

#[derive(Clone, Copy)]
struct Falling {
    id: BodyId,
    start: Point,
}

impl Falling {
    /// NaN for a body that is gone.
    fn fallen(&self, world: &World) -> f64 {
        world.body(self.id).map_or(f64::NAN, |body| self.start.y - body.centre_of_mass().y)
    }
}

/// The worst reading of all bodies, once they have begun to fall.
fn each(world: &World, bodies: &[Falling], read: impl Fn(&Falling) -> Reading) -> Option<Reading> {
    if world.steps() == 0 { None } else { bodies.iter().map(read).reduce(Reading::or_worse) }
}
