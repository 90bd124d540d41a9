//! Newton's cradle: balls in a row, each on two strings.

use super::props::Things;
use crate::error::Result;
use crate::{Camera, Parameter, Reading, Said, Scene, Stage, Values};
use tumble::math::{Float, Num, Point, Real};
use tumble::shape::Shape;
use tumble::{BodyDesc, JointDesc, Material, World};

const BALLS: u32 = 5;
const RADIUS: f64 = 0.1;
/// From the middle of a ball up to the level of its strings' ends, and from there to either end.
const DROP: f64 = 1.0;
const SPREAD: f64 = 0.5;
/// Swings that are judged: from one side to the other.
const SWINGS: u32 = 20;

pub fn scene() -> Scene {
    Scene::new("newtons-cradle", build)
        .seed("beyond the seeds")
        .description("Five balls hang in a row, a hair apart. The first is drawn aside and let go: the last one flies, and comes back.")
        .parameter(Parameter::new("gap", 1.0).range(0.0, 10.0).unit("mm").help("Distance of the balls"))
        .parameter(Parameter::new("angle", 30.0).range(5.0, 60.0).unit("°").help("How far the first is drawn aside"))
        .camera(Camera::new([0.4, 0.6, 2.5], [0.4, 0.5, 0.0]))
        .conservative()
        .check("swings", "The last ball has flown as far as the first was drawn aside, after twenty swings; share of it", "")
        .check("still", "The balls between hardly move until then; farthest, in radii", "")
        .check("strings", "The strings keep their length; widest error", "m")
}

/// Who is out, and how far the ends have been since the last change.
#[derive(Clone)]
struct Watch {
    balls: Things,
    /// Where they hang at rest.
    places: Vec<f64>,
    /// How far out the first was drawn.
    far: f64,
    swings: u32,
    side: i32,
    reached: f64,
    between: f64,
}

impl Watch {
    /// Looks at one step, until the swings that are judged are over; then says so.
    fn look(&mut self, world: &World) -> bool {
        let off = |i: usize| world.body(self.balls.ids[i]).map_or(f64::NAN, |b| b.position().x - self.places[i]);
        let (first, last) = (off(0), off(BALLS as usize - 1));
        let side = if first < -0.1 * self.far { -1 } else { i32::from(last > 0.1 * self.far) };
        if side != 0 && side != self.side {
            self.swings += 1;
            self.side = side;
            if self.swings <= SWINGS {
                self.reached = 0.0;
            }
        }
        if self.swings <= SWINGS {
            let between = (1..BALLS as usize - 1).map(|i| off(i).abs()).fold(0.0, Num::max);
            self.between = Num::max(self.between, between);
            self.reached = Num::max(self.reached, if self.side < 0 { -first } else { last });
        }
        self.swings > SWINGS
    }
}

fn build(stage: &mut Stage, values: &Values) -> Result<()> {
    let (space, angle) = (values.get("gap")? * 1e-3, values.get("angle")? * f64::PI / 180.0);
    let material = Material { restitution: 1.0, ..Material::named("steel").unwrap_or_default().with_friction(0.0) };
    let shape = stage.engine(|_| Shape::sphere(RADIUS as Real))?;
    let (mut balls, mut places) = (Things::default(), Vec::new());
    for i in 0..BALLS {
        let x = f64::from(i) * (2.0 * RADIUS + space);
        let out = if i == 0 { -angle } else { 0.0 };
        let at = Point::new(x + DROP * Float::sin(out), DROP * (1.0 - Float::cos(out)), 0.0);
        let desc = BodyDesc::dynamic().name(format!("ball-{i}")).position(at).can_sleep(false);
        let id = balls.add(stage, desc, shape.clone(), material.clone())?;
        for end in [-SPREAD, SPREAD] {
            let length = Num::sqrt(DROP * DROP + SPREAD * SPREAD) as Real;
            let string = JointDesc::rod(World::BODY, id, length).anchor_a([x, DROP, end]).anchor_b([0.0, 0.0, 0.0]);
            stage.engine(|world| world.add_joint(string))?;
        }
        places.push(x);
    }
    stage.run_for(30.0);

    let far = DROP * Float::sin(angle);
    let watch = Watch { balls, places, far, swings: 0, side: 0, reached: 0.0, between: 0.0 };
    let mut swings = watch.clone();
    stage.check_always("swings", move |world| {
        swings.look(world).then(|| Reading::between(swings.reached / far, 0.95, 1.005))
    });
    let mut still = watch;
    stage.check_always("still", move |world| still.look(world).then(|| Reading::at_most(still.between / RADIUS, 0.25)));
    stage.check_said("strings", Said::at_most("gap()", 0.005).at_end());
    Ok(())
}
