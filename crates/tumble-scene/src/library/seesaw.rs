//! The seesaw that throws a box.

use super::props::{Things, body, cuboid, floor, joint, place, velocity};
use crate::error::Result;
use crate::{Camera, Parameter, Reading, Said, Scene, Stage, Values};
use tumble::math::{Float, Num, Point};
use tumble::{BodyDesc, BodyId, JointDesc, Material, World};

pub fn scene() -> Scene {
    Scene::new("seesaw", build)
        .seed("003, S1")
        .description(
            "A big box of iron falls onto one end of a board that turns on a hinge; a small box flies off the other end, over the big \
             one and the kerb that stops it, and knocks the top off a pyramid. The hinge starts 8 cm apart and pulls itself together.",
        )
        .parameter(Parameter::new("height", 8.0).range(7.0, 12.0).unit("m").help("Where the big box is let go"))
        .parameter(Parameter::new("friction", 0.6).range(0.4, 1.0).help("Friction of the board"))
        .camera(Camera::new([-5.0, 9.0, 32.0], [-5.0, 6.0, 0.0]))
        .check("gap", "From 0.5 s on the hinge is together; widest", "m")
        .check("axis", "The axis of the hinge stays level; largest tilt", "°")
        .check("block", "The fixed block does not move by a bit; how far it does", "m")
        .check("lands", "The big box lands when a free fall does; error", "s")
        .check("thrown", "Within 0.3 s of that the small box rises; fastest", "m/s")
        .check("apex", "The small box rises above the board; highest", "m")
        .check("stands", "The pyramid stands until it is hit; how far its top has moved", "m")
        .check("falls", "The box on top of the pyramid leaves its perch; how far", "m")
}

/// Where the pyramid is, and the edge of its boxes.
const PYRAMID: f64 = -11.85;
/// Where a kerb stops the big box.
const KERB: f64 = -7.5;
const EDGE: f64 = 1.0;
/// When the big box reaches the board after a fall of this depth.
fn fall(depth: f64) -> f64 {
    (2.0 * depth / 9.81).sqrt()
}

fn build(stage: &mut Stage, values: &Values) -> Result<()> {
    let (height, grip) = (values.get("height")?, Material::default().with_friction(values.real("friction")?));
    // A light board throws farther; the pyramid must be beyond the place where the big box comes to lie.
    let (plain, iron) = (Material::default(), Material::default().with_density(7000.0));
    // The time step of the thesis.
    stage.prefer_dt(0.01)?;
    floor(stage, plain.clone())?;
    let mut thing = |name: &str, at: [f64; 3], edges: [f64; 3], material: &Material, desc: BodyDesc| {
        let shape = cuboid(stage, edges)?;
        body(stage, desc.name(name).position(at), shape, material)
    };
    let small = thing("small-box", [3.5, 4.0, 0.0], [1.0; 3], &plain, BodyDesc::dynamic())?;
    let big = thing("big-box", [-3.5, height, 0.0], [2.5; 3], &iron, BodyDesc::dynamic())?;
    let board = thing("board", [0.0, 3.2, 0.0], [10.0, 0.4, 4.0], &grip, BodyDesc::dynamic())?;
    thing("kerb", [KERB, 0.75, 0.0], [0.5, 1.5, 4.0], &plain, BodyDesc::fixed())?;
    let block = thing("block", [0.0, 1.5, 0.0], [1.0, 3.0, 10.0], &plain, BodyDesc::fixed())?;
    let hinge = JointDesc::hinge(block, board).anchor_a([0.0, 1.78, 0.0]).anchor_b([0.0; 3]);
    let hinge = joint(stage, hinge.axis_a([0.0, 0.0, 1.0]).axis_b([0.0, 0.0, 1.0]).name("hinge"))?;
    let (mut pyramid, shape) = (Things::default(), cuboid(stage, [EDGE; 3])?);
    for row in 0..3 {
        for i in 0..3 - row {
            let at = [PYRAMID, (f64::from(row) + 0.5) * EDGE, (f64::from(i) - f64::from(2 - row) / 2.0) * 1.05 * EDGE];
            let desc = BodyDesc::dynamic().name(format!("stone-{row}-{i}")).position(at);
            pyramid.add(stage, desc, shape.clone(), plain.clone())?;
        }
    }
    stage.run_for(6.0);

    let of_hinge = move |world: &World, read: fn(&tumble::JointRef<'_>) -> f64| {
        world.joint(hinge).map_or(f64::NAN, |joint| read(&joint))
    };
    stage.check_said("gap", Said::at_most("gap('hinge')", 0.01).from(0.5));
    stage.check_always("axis", move |world| {
        Some(Reading::at_most(of_hinge(world, |joint| joint.tilt().to_f64()).to_degrees(), 1.0))
    });
    let start = stage.engine(|world| Ok(world.body(block)?.pose()))?;
    stage.check_always("block", move |world| {
        let pose = world.body(block).map(|b| b.pose());
        let moved = (place(world, block) - start.translation).length();
        Some(Reading::at_most(if pose == Ok(start) { 0.0 } else { Num::max(moved, f64::MIN_POSITIVE) }, 0.0))
    });
    // The hinge lifts the board by 8 cm before.
    let expected = fall(height - 1.25 - 3.48);
    let mut impact = Impact::new(big, small);
    stage.check_always("lands", move |world| {
        impact.look(world);
        let late = impact.time.unwrap_or(world.time()) - expected;
        (impact.time.is_some() || late > 0.0).then(|| Reading::at_most(late.abs(), 0.05))
    });
    let mut impact = Impact::new(big, small);
    stage.check_always("thrown", move |world| {
        impact.look(world);
        (world.time() > impact.time? + 0.3).then(|| Reading::at_least(impact.fastest, 2.0))
    });
    let mut apex = 0.0;
    stage.check_always("apex", move |world| {
        apex = Num::max(apex, place(world, small).y);
        (world.time() > 4.0).then(|| Reading::at_least(apex, 4.5))
    });
    let (top, perch) = (*pyramid.ids.last().unwrap_or(&small), *pyramid.start.last().unwrap_or(&Point::ZERO));
    let mut hit = false;
    stage.check_always("stands", move |world| {
        // Nearer than this the boxes may touch: the diagonals of both.
        hit |= (place(world, small) - place(world, top)).length() < 1.75;
        (!hit).then(|| Reading::at_most((place(world, top) - perch).length(), 0.02))
    });
    stage.check_at_end("falls", move |world| Some(Reading::at_least((place(world, top) - perch).length(), EDGE)));
    Ok(())
}

/// When the big box lands, and how fast the small one rises in the 0.3 s after that.
struct Impact {
    big: BodyId,
    small: BodyId,
    falling: f64,
    time: Option<f64>,
    fastest: f64,
}

impl Impact {
    fn new(big: BodyId, small: BodyId) -> Self {
        Self { big, small, falling: 0.0, time: None, fastest: 0.0 }
    }

    fn look(&mut self, world: &World) {
        let falling = -velocity(world, self.big).y;
        if self.time.is_none() && falling < self.falling - 0.05 {
            self.time = Some(world.time());
        }
        self.falling = falling;
        if self.time.is_some_and(|time| world.time() < time + 0.3) {
            self.fastest = Num::max(self.fastest, velocity(world, self.small).y);
        }
    }
}
