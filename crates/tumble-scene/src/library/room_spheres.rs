//! A room with six walls, in which balls hit floor, walls and each other.

use super::props::{body, cuboid, place, sphere, velocity};
use crate::error::Result;
use crate::{Camera, Parameter, Reading, Scene, Stage, Values};
use tumble::math::{Num, Point, Real};
use tumble::{BodyDesc, BodyId, Material, World};

/// Half the edge of the room, and the radius of a ball, in metres.
pub const HALF: f64 = 10.0;
pub const RADIUS: f64 = 1.0;
/// How far one falls.
const DROP: f64 = 5.0;
/// Where one lies that is hit, from how far away, along x, and when, in seconds: a ball sleeps after five.
const HIT: f64 = 1.5;
const AWAY: f64 = 10.0;
const MEET: f64 = 6.0;
/// How fast the one that hits a wall in flight goes along it; slow enough to leave the others alone.
const ALONG: f64 = 0.5;

pub fn scene() -> Scene {
    Scene::new("room-spheres", build)
        .seed("004, P1-P4")
        .description(
            "A closed room without friction. One ball lies on the floor; one falls on it and bounces until it lies; two meet in the air; one hits \
             another that lies; one hits a wall in flight, and one that slides on the floor.",
        )
        .parameter(Parameter::new("restitution", 0.6).range(0.5, 0.8).help("Of all impacts"))
        .parameter(Parameter::new("speed", 4.0).range(2.0, 8.0).unit("m/s").help("Of the two that meet in the air, and of the two that go for a wall"))
        .camera(Camera::new([0.0, 8.0, 30.0], [0.0, -4.0, 0.0]))
        .check("lies", "P1: A ball that is put on the floor lies there; farthest it moves in a thousand steps", "m")
        .check("bounces", "P2: Each bounce rises to e² of the one before; largest error as a share, from the first three", "")
        .check("settles", "P2: Then the ball lies as the one that was put there, for a thousand steps; largest difference of heights", "m")
        .check("in-air", "P3: Two that meet in the air part with e times their speed; error as a share", "")
        .check("pair", "P3: One that lies is hit, and both go on as momentum and e say; error as a share of the speed", "")
        .check("woken", "P3: The one that is hit slept, and wakes by it; how often it did not", "")
        .check("wall", "P4: A wall turns the speed towards it round, times e, and leaves the rest; error as a share", "")
        .check("floor-bound", "P4: A ball that slides into a wall stays on the floor; how far it hops", "m")
        .check("inside", "No ball leaves the room; how many do", "")
}

/// A room of six thick walls.
pub fn room(stage: &mut Stage, material: &Material) -> Result<()> {
    const THICK: f64 = 2.0;
    for (i, name) in ["east", "west", "ceiling", "floor", "south", "north"].into_iter().enumerate() {
        let side = if i % 2 == 0 { 1.0 } else { -1.0 };
        let (mut at, mut edges) = ([0.0; 3], [2.0 * (HALF + THICK); 3]);
        at[i / 2] = side * (HALF + 0.5 * THICK);
        edges[i / 2] = THICK;
        let shape = cuboid(stage, edges)?;
        body(stage, BodyDesc::fixed().name(name).position(at), shape, material)?;
    }
    Ok(())
}

fn build(stage: &mut Stage, values: &Values) -> Result<()> {
    let (e, speed) = (values.get("restitution")?, values.get("speed")?);
    let material = Material::default().with_friction(0.0).with_restitution(e as Real);
    stage.prefer_dt(1.0 / 120.0)?;
    room(stage, &material)?;
    let shape = sphere(stage, RADIUS)?;
    let low = RADIUS - HALF;
    let mut ball = |name: &str, at: [f64; 3], v: [f64; 3]| {
        let desc = BodyDesc::dynamic().name(name).position(at).mass(1.0).linear_velocity(Point::from(v).to_real());
        body(stage, desc, shape.clone(), &material)
    };
    // Nobody comes by here.
    let lying = ball("lying", [-8.0, low, -8.0], [0.0; 3])?;
    let falling = ball("falling", [8.0, low + DROP, -8.0], [0.0; 3])?;
    // They meet long before they come down.
    let left = ball("left", [-4.0, 5.0, -4.0], [speed, 0.0, 0.0])?;
    let right = ball("right", [0.0, 5.0, -4.0], [-speed, 0.0, 0.0])?;
    // So slow that the other sleeps when it comes.
    let slow = (AWAY - 2.0 * RADIUS) / MEET;
    let hitting = ball("hitting", [HIT - AWAY, low, 8.0], [slow, 0.0, 0.0])?;
    let hit = ball("hit", [HIT, low, 8.0], [0.0; 3])?;
    let flying = ball("flying", [6.0, 6.0, 2.0], [speed, 0.0, ALONG])?;
    let sliding = ball("sliding", [5.0, low, -1.0], [speed, 0.0, 0.2])?;
    let all: Vec<BodyId> = vec![lying, falling, left, right, hitting, hit, flying, sliding];
    // Bounces that are each e times as long as the one before take (1 + e) / (1 - e) times the fall in all.
    let gravity = f64::from(-stage.world.gravity().y);
    let settled = 0.5 + (2.0 * DROP / gravity).sqrt() * (1.0 + e) / (1.0 - e);
    let thousand = 1000.0 / 120.0;
    stage.run_for(settled + thousand);

    let start = place(&stage.world, lying);
    stage.check_always("lies", move |world| {
        (world.time() < thousand).then(|| Reading::at_most((place(world, lying) - start).length(), 1e-6))
    });
    let mut bounce = Apexes { last: f64::INFINITY, rising: false, top: 0.0, apexes: Vec::new() };
    stage.check_always("bounces", move |world| {
        bounce.look(place(world, falling).y - low);
        let height = |k: usize| if k == 0 { DROP } else { bounce.apexes[k - 1] };
        let off = |k: usize| Reading::at_most((bounce.apexes[k] / (e * e * height(k)) - 1.0).abs(), 0.05);
        if bounce.apexes.len() < 3 { None } else { (0..3).map(off).reduce(Reading::or_worse) }
    });
    stage.check_always("settles", move |world| {
        let off = || (place(world, falling).y - place(world, lying).y).abs();
        (world.time() > settled).then(|| Reading::at_most(off(), 1e-6))
    });
    // The gap closes with twice the speed; afterwards until they come down.
    let meet = (4.0 - 2.0 * RADIUS) / (2.0 * speed);
    stage.check_always("in-air", move |world| {
        let (a, b) = (velocity(world, left).x, velocity(world, right).x);
        let off = (a + e * speed).abs() + (b - e * speed).abs();
        (world.time() > meet + 0.05 && world.time() < meet + 0.3).then(|| Reading::at_most(off / speed, 1e-4))
    });
    stage.check_always("woken", move |world| {
        let asleep = world.body(hit).is_ok_and(|b| b.is_asleep());
        let wrong = match world.time() - MEET {
            t if (-0.5..-0.3).contains(&t) => !asleep,
            t if (0.02..0.1).contains(&t) => asleep,
            _ => return None,
        };
        Some(Reading::at_most(f64::from(u8::from(wrong)), 0.0))
    });
    stage.check_always("pair", move |world| {
        let (a, b) = (velocity(world, hitting).x, velocity(world, hit).x);
        let off = (a - 0.5 * (1.0 - e) * slow).abs() + (b - 0.5 * (1.0 + e) * slow).abs();
        (world.time() > MEET + 0.05 && world.time() < MEET + 0.3).then(|| Reading::at_most(off / slow, 1e-4))
    });
    let arrive = (HALF - RADIUS - 6.0) / speed;
    stage.check_always("wall", move |world| {
        let v = velocity(world, flying);
        let off = (v.x + e * speed).abs() + (v.z - ALONG).abs();
        (world.time() > arrive + 0.05 && world.time() < arrive + 0.3).then(|| Reading::at_most(off / speed, 1e-4))
    });
    // Until it comes back to the others.
    let back = 1.0 + 4.0 / speed;
    stage.check_always("floor-bound", move |world| {
        (world.time() < back).then(|| Reading::at_most((place(world, sliding).y - low).abs(), 1e-4))
    });
    stage.check_always("inside", move |world| {
        let inside = |p: Point| p.x.abs() < HALF && p.y.abs() < HALF && p.z.abs() < HALF;
        let out = all.iter().filter(|&&id| !inside(place(world, id))).count();
        Some(Reading::at_most(out as f64, 0.0))
    });
    Ok(())
}

/// The highest points between bounces.
struct Apexes {
    last: f64,
    rising: bool,
    top: f64,
    apexes: Vec<f64>,
}

impl Apexes {
    fn look(&mut self, height: f64) {
        let rising = height > self.last;
        if rising {
            self.top = if self.rising { Num::max(self.top, height) } else { height };
        } else if self.rising {
            self.apexes.push(self.top);
        }
        (self.last, self.rising) = (height, rising);
    }
}

/// Whether two bodies sleep or wake together cannot be asked; how many islands there are can.
pub fn islands(world: &World) -> f64 {
    f64::from(world.profile().islands)
}
