//! Projectiles: thrown at several angles, each flies its parabola, whatever its shape and however it tumbles.

use super::flight::{assorted, height_error, rounding, spin_of, throw, time_step};
use crate::error::Result;
use crate::{Camera, Parameter, Reading, Scene, Stage, Values};
use tumble::math::{Float, Point, Vec3};
use tumble::{BodyId, World};

/// The lowest and the highest throw, in degrees above the horizon.
const ANGLES: (f64, f64) = (15.0, 75.0);

pub fn scene() -> Scene {
    Scene::new("projectiles", build)
        .seed("000, S1")
        .description(
            "A fan of tumbling bodies, thrown equally fast at angles from 15° to 75°. Each flies the parabola of a \
             point, and keeps its angular momentum all the way.",
        )
        .parameter(Parameter::new("bodies", 7.0).range(1.0, 1_000.0).whole().help("How many are thrown"))
        .parameter(Parameter::new("speed", 20.0).range(1.0, 500.0).unit("m/s").help("Speed of the throw"))
        .parameter(Parameter::new("gravity", 9.81).range(0.1, 100.0).unit("m/s²").help("Strength of gravity"))
        .parameter(Parameter::new("spin", 8.0).range(0.1, 50.0).unit("rad/s").help("Spin of the bodies"))
        .camera(Camera::new([20.0, 12.0, 50.0], [20.0, 8.0, 7.0]))
        .conservative()
        .check("range", "Each comes down at v² sin(2α)/g; largest error", "m")
        .check("apex", "Each rises to v² sin²(α)/(2g); largest error", "m")
        .check("momentum", "The momentum of each is m (v + g t); largest error as a share of the largest momentum", "")
        .check("angular-momentum", "Each keeps its angular momentum about its centre; largest change as a share", "")
}

fn build(stage: &mut Stage, values: &Values) -> Result<()> {
    let (gravity, speed, count) = (values.get("gravity")?, values.get("speed")?, values.count("bodies")?);
    let down = Vec3::new(0.0, -values.real("gravity")?, 0.0);
    stage.engine(|world| world.set_gravity(down))?;
    let mut bodies = Vec::new();
    for i in 0..count {
        let share = if count > 1 { f64::from(i) / f64::from(count - 1) } else { 0.5 };
        let angle = (ANGLES.0 + (ANGLES.1 - ANGLES.0) * share) * f64::PI / 180.0;
        let velocity = Point::new(Float::cos(angle), Float::sin(angle), 0.0) * speed;
        // Each in a plane of its own, so that they never touch.
        let start = Point::new(0.0, 0.0, 2.5 * f64::from(i));
        let desc = stage.engine(|_| assorted(i))?;
        let id = throw(stage, desc, start, velocity.to_real(), spin_of(i, values.real("spin")?))?;
        bodies.push(Projectile { id, start, velocity, gravity });
    }
    // No flight is longer than that of a throw straight up.
    stage.run_for(2.0 * speed / gravity);

    stage.check_always("range", watch(&bodies, Flight::range));
    stage.check_always("apex", watch(&bodies, Flight::apex));
    let all = bodies.clone();
    stage.check_always("momentum", move |world| {
        let readings = all.iter().map(|body| {
            let expected = body.velocity - Point::Y * (gravity * world.time());
            let largest = speed + gravity * world.time();
            let p = world.body(body.id).map_or(Point::all(f64::NAN), |b| b.momentum() / b.mass());
            Reading::at_most((p - expected).length() / largest, rounding(world))
        });
        readings.reduce(Reading::or_worse)
    });

    let mut start: Option<Vec<Point>> = None;
    stage.check_always("angular-momentum", move |world| {
        let of = |body: &Projectile| world.body(body.id).map_or(Point::all(f64::NAN), |b| b.angular_momentum());
        let start = start.get_or_insert_with(|| bodies.iter().map(of).collect());
        let pairs = bodies.iter().zip(&*start);
        let readings = pairs.map(|(body, l)| Reading::at_most((of(body) - *l).length() / l.length(), 1e-4));
        readings.reduce(Reading::or_worse)
    });
    Ok(())
}

/// Follows all flights; the worst reading of all, once every one has something to say.
fn watch(
    bodies: &[Projectile],
    read: fn(&Flight, &World) -> Option<Reading>,
) -> impl FnMut(&World) -> Option<Reading> + use<> {
    let mut flights: Vec<_> = bodies.iter().map(Flight::of).collect();
    move |world| {
        flights.iter_mut().for_each(|flight| flight.observe(world));
        flights.iter().map(|flight| read(flight, world)).reduce(|a, b| Some(a?.or_worse(b?))).flatten()
    }
}

/// A thrown body, and what the parabola of a point says of it.
#[derive(Clone, Copy)]
struct Projectile {
    id: BodyId,
    start: Point,
    velocity: Point,
    gravity: f64,
}

impl Projectile {
    /// How long it rises.
    fn time_up(&self) -> f64 {
        self.velocity.y / self.gravity
    }

    fn expected_range(&self) -> f64 {
        2.0 * self.velocity.x * self.velocity.y / self.gravity
    }

    fn expected_apex(&self) -> f64 {
        self.velocity.y * self.velocity.y / (2.0 * self.gravity)
    }
}

/// What has been seen of a projectile. Whatever is not a number stays so.
struct Flight {
    body: Projectile,
    place: Point,
    velocity: Point,
    highest: f64,
    /// Where it came down, if it has.
    landed: Option<f64>,
}

impl Flight {
    fn of(body: &Projectile) -> Self {
        Self { body: *body, place: body.start, velocity: body.velocity, highest: f64::NEG_INFINITY, landed: None }
    }

    fn observe(&mut self, world: &World) {
        let (place, velocity) = (self.place, self.velocity);
        (self.place, self.velocity) = match world.body(self.body.id) {
            Ok(body) => (body.centre_of_mass(), body.centre_velocity().to_f64()),
            Err(_) => (Point::all(f64::NAN), Point::all(f64::NAN)),
        };
        let height = self.place.y - self.body.start.y;
        if self.highest < height || height.is_nan() {
            self.highest = height;
        }
        if self.landed.is_none() && world.steps() > 0 && (height <= 0.0 || height.is_nan()) {
            // Within the step it flies on from where it was: y + v t - g t²/2 = 0.
            let (y, v, g) = (place.y - self.body.start.y, velocity.y, self.body.gravity);
            self.landed = Some(place.x + velocity.x * (v + (v * v + 2.0 * g * y).sqrt()) / g);
        }
    }

    /// A body in the air may yet miss its range, and has missed it when it is beyond.
    fn range(&self, world: &World) -> Option<Reading> {
        let (body, expected) = (&self.body, self.body.expected_range());
        let range = self.landed.or_else(|| (self.place.x > expected).then_some(self.place.x))?;
        // An error h in height is one of h vₓ/v_y in range.
        let height = height_error(world, body.gravity, 2.0 * body.time_up());
        let allowed = height * body.velocity.x / body.velocity.y + rounding(world) * expected;
        Some(Reading::at_most((range - expected).abs(), allowed))
    }

    fn apex(&self, world: &World) -> Option<Reading> {
        let (body, expected) = (&self.body, self.body.expected_apex());
        if world.time() < body.time_up() + time_step(world) {
            return None;
        }
        // The apex is at most half a step away from where the body was seen highest, and g dt²/8 higher.
        let dt = time_step(world);
        let between = body.gravity * dt * dt / 8.0;
        let allowed = height_error(world, body.gravity, body.time_up()) + between + rounding(world) * expected;
        Some(Reading::at_most((self.highest - expected).abs(), allowed))
    }
}
