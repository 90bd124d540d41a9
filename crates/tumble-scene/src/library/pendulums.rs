//! Pendulums whose lengths are tuned to one another.

use super::dzhanibekov_nut::elliptic_k2;
use super::props::{body, cuboid, joint, pointing};
use crate::error::Result;
use crate::{Camera, Parameter, Reading, Said, Scene, Stage, Values};
use tumble::math::{Float, Point, Real, Vec3};
use tumble::{BodyDesc, BodyId, JointDesc, Material, World};

const RODS: u32 = 9;
/// The longest makes so many swings to and fro in the time in which the next makes one more, and so on; and that time.
const SWINGS: u32 = 12;
const ROUND: f64 = 24.0;
/// Thickness of a rod, in metres.
const THICK: f64 = 0.04;

pub fn scene() -> Scene {
    Scene::new("pendulums", build)
        .seed("000, S7")
        .description(
            "Nine rods on hinges swing side by side, each a little shorter than the one before. They part, make waves and patterns, and \
             after 24 seconds swing together again.",
        )
        .parameter(Parameter::new("angle", 20.0).range(5.0, 90.0).unit("°").help("How far they are drawn aside"))
        .parameter(Parameter::new("apart", 0.15).range(0.1, 0.5).unit("m").help("From one to the next"))
        .camera(Camera::new([1.5, 0.0, 2.5], [0.0, -0.5, 0.0]))
        .conservative()
        .check("period", "Each passes its lowest point when the elliptic integral says; largest error as a share of its period", "")
        .check("energy", "The energy stays; largest change as a share of what swings", "")
        .check("gap", "No hinge comes apart; widest", "m")
}

fn build(stage: &mut Stage, values: &Values) -> Result<()> {
    let (angle, apart) = (values.get("angle")? * f64::PI / 180.0, values.get("apart")?);
    let mut rods = Vec::new();
    let sine = Float::sin(0.5 * angle);
    let mut swing = 0.0;
    for i in 0..RODS {
        // A rod of length l that hangs by its end swings as a point at 2 l/3 does, with the period 4 K(sin θ/2) √(2 l/3 g);
        // its breadth adds its own moment.
        let period = ROUND / f64::from(SWINGS + i);
        let reduced = 9.81 * (period / (4.0 * elliptic_k2(sine * sine))) * (period / (4.0 * elliptic_k2(sine * sine)));
        let long = length(reduced);
        let z = (f64::from(i) - 0.5 * f64::from(RODS - 1)) * apart;
        let middle = Point::new(Float::sin(angle), -Float::cos(angle), 0.0) * (0.5 * long) + Point::Z * z;
        let desc = BodyDesc::dynamic().name(format!("rod-{i}")).position(middle).can_sleep(false);
        let shape = cuboid(stage, [THICK, long, THICK])?;
        let rod = body(stage, desc.turned(Vec3::Z, angle as Real), shape, &Material::default())?;
        let hinge = JointDesc::hinge(World::BODY, rod).anchor(Point::Z * z).axis(Vec3::Z).name(format!("hinge-{i}"));
        joint(stage, hinge)?;
        let mass = THICK * THICK * long * 1000.0;
        swing += mass * 9.81 * 0.5 * long * (1.0 - Float::cos(angle));
        rods.push((rod, period));
    }
    stage.run_for(ROUND);

    let mut watch: Vec<Passage> = rods.into_iter().map(|(rod, period)| Passage::new(rod, period)).collect();
    stage.check_always("period", move |world| {
        watch.iter_mut().filter_map(|passage| passage.look(world)).reduce(Reading::or_worse)
    });
    let start = stage.world.measure().energy();
    stage.check_said("energy", Said::at_most(format!("abs(energy() - ({start:e})) / ({swing:e})"), 0.02));
    stage.check_said("gap", Said::at_most("gap()", 1e-3));
    Ok(())
}

/// The length of a rod of square section with the reduced length (l²/3 + t²/12)/(l/2): the larger root.
fn length(reduced: f64) -> f64 {
    let half = 0.75 * reduced;
    half + (half * half - THICK * THICK / 4.0).sqrt()
}

/// When a rod passes its lowest point: after 1/4, 3/4, 5/4 ... of its period.
struct Passage {
    rod: BodyId,
    period: f64,
    passed: f64,
    last: (f64, f64),
}

impl Passage {
    fn new(rod: BodyId, period: f64) -> Self {
        Self { rod, period, passed: 0.0, last: (0.0, f64::NAN) }
    }

    fn look(&mut self, world: &World) -> Option<Reading> {
        let now = (world.time(), pointing(world, self.rod, Vec3::Y).x);
        let (before, expected) = (self.last, (0.25 + 0.5 * self.passed) * self.period);
        self.last = now;
        let off = |time: f64| Reading::at_most((time - expected).abs() / self.period, 0.01);
        if before.1 * now.1 < 0.0 {
            let time = now.0 - (now.0 - before.0) * now.1 / (now.1 - before.1);
            self.passed += 1.0;
            return Some(off(time));
        }
        // A passage that does not come counts by how late it is by now.
        (now.0 > expected + 0.01 * self.period).then(|| off(now.0))
    }
}
