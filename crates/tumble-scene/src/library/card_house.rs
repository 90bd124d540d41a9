//! A house of cards.

use super::props::{Things, floor, tune};
use crate::error::Result;
use crate::{Camera, Parameter, Said, Scene, Stage, Values};
use tumble::math::{Float, Point, Real, Vec3};
use tumble::shape::Shape;
use tumble::{BodyDesc, Material};

/// Half thickness, half length and half width of a card, in metres.
const CARD: [f64; 3] = [0.0015, 0.045, 0.03];
/// How far the outer ends of the lowest floor reach over the tops of the cards below.
const OVERHANG: f64 = 0.004;
/// What the inner ends leave free.
const GAP: f64 = 0.0005;

pub fn scene() -> Scene {
    Scene::new("card-house", build)
        .seed("beyond the seeds")
        .description(
            "Three storeys of cards, 9 by 6 by 0.3 cm. Nothing but friction keeps the leaning cards from sliding apart, and \
             they touch along lines only.",
        )
        .parameter(Parameter::new("friction", 0.6).range(0.5, 2.0).help("Coefficient of friction"))
        .parameter(Parameter::new("lean", 20.0).range(15.0, 22.0).unit("°").help("Lean of the cards"))
        .camera(Camera::new([0.1, 0.15, 0.5], [0.0, 0.12, 0.0]))
        .check("stands", "No card leaves its place; farthest, in widths of a card", "")
}

fn build(stage: &mut Stage, values: &Values) -> Result<()> {
    let material = Material::default().with_friction(values.real("friction")?).with_density(900.0);
    tune(stage, 2.0 * CARD[1])?;
    floor(stage, material.clone())?;
    let mut house = House { cards: Things::default(), material, angle: values.get("lean")? * f64::PI / 180.0 };
    // The outer frames of the lowest storey carry a card on both their tops, the middle one the ends of two.
    let pitch = 2.0 * CARD[1] - OVERHANG + GAP;
    let first = [-pitch, 0.0, pitch];
    let mut level = 0.0;
    for x in first {
        house.frame(stage, x, level)?;
    }
    level = house.top(level);
    for side in [-1.0, 1.0] {
        house.flat(stage, side * (GAP + CARD[1]), level)?;
    }
    level += 2.0 * CARD[0];
    let apart = CARD[1] - OVERHANG;
    for x in [-apart, apart] {
        house.frame(stage, x, level)?;
    }
    level = house.top(level);
    house.flat(stage, 0.0, level)?;
    level += 2.0 * CARD[0];
    house.frame(stage, 0.0, level)?;
    stage.run_for(60.0);
    stage.check_said("stands", Said::at_most(format!("moved('card-*') / {}", 2.0 * CARD[2]), 0.1));
    Ok(())
}

struct House {
    cards: Things,
    material: Material,
    angle: f64,
}

impl House {
    fn card(&mut self, stage: &mut Stage, at: Point, turn: f64) -> Result<()> {
        let desc = BodyDesc::dynamic().name(format!("card-{}", self.cards.ids.len()));
        let shape = stage.engine(|_| Shape::cuboid(CARD[0] as Real, CARD[1] as Real, CARD[2] as Real))?;
        let desc = desc.position(at).turned(Vec3::Z, turn as Real);
        self.cards.add(stage, desc, shape, self.material.clone())?;
        Ok(())
    }

    /// Half of the height, and of the breadth, that a leaning card takes up.
    fn half(&self) -> (f64, f64) {
        let (sin, cos) = (Float::sin(self.angle), Float::cos(self.angle));
        (CARD[0] * sin + CARD[1] * cos, CARD[1] * sin + CARD[0] * cos)
    }

    fn top(&self, level: f64) -> f64 {
        level + 2.0 * self.half().0
    }

    /// Two cards that lean against each other over x.
    fn frame(&mut self, stage: &mut Stage, x: f64, level: f64) -> Result<()> {
        let (up, across) = self.half();
        self.card(stage, Point::new(x - across, level + up, 0.0), -self.angle)?;
        self.card(stage, Point::new(x + across, level + up, 0.0), self.angle)
    }

    /// A card that lies flat.
    fn flat(&mut self, stage: &mut Stage, x: f64, level: f64) -> Result<()> {
        self.card(stage, Point::new(x, level + CARD[0], 0.0), f64::PI / 2.0)
    }
}
