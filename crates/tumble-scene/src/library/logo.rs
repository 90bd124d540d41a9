//! A logo that puts itself together.

use super::props::{Random, Things, cuboid, floor, joint};
use crate::error::Result;
use crate::{Camera, Cue, Parameter, Reading, Said, Scene, Stage, Values};
use tumble::math::{Float, Num, Point, Quat, Real, Vec3};
use tumble::{BodyDesc, BodyId, JointDesc, JointId, Material, World};

/// Thickness of the strokes, in metres, and the gap between strokes that meet.
const THICK: f64 = 0.4;
const GAP: f64 = 0.02;
/// How high the logo hangs.
const HIGH: f64 = 3.0;
/// When the joints begin to hold, and when they let go.
const BEGIN: f64 = 1.0;
const END: f64 = 7.0;

/// The strokes of the letters on a grid of thicknesses: where the lower left corner is, and how wide and high they are. Each but
/// the first of a letter hangs on the one before it.
const LETTERS: [&[[f64; 4]]; 3] = [
    // G
    &[[0.0, 4.0, 3.0, 1.0], [0.0, 1.0, 1.0, 3.0], [0.0, 0.0, 3.0, 1.0], [2.0, 1.0, 1.0, 1.5]],
    // U
    &[[4.0, 1.0, 1.0, 4.0], [4.0, 0.0, 3.0, 1.0], [6.0, 1.0, 1.0, 4.0]],
    // P
    &[[8.0, 0.0, 1.0, 5.0], [9.0, 4.0, 2.0, 1.0], [10.0, 3.0, 1.0, 1.0], [9.0, 2.0, 2.0, 1.0]],
];

pub fn scene() -> Scene {
    Scene::new("logo", build)
        .seed("003, S4")
        .description(
            "Boxes lie about on the floor. Joints are switched on, three ball joints for each pair, and pull them together into letters \
             that hang in the air; six seconds later they let go, and everything falls.",
        )
        .parameter(Parameter::new("stray", 1.0).range(0.0, 2.0).help("How untidily the boxes lie"))
        .parameter(Parameter::new("mass", 5.0).range(0.1, 100.0).unit("kg").help("Mass of a box"))
        .camera(Camera::new([0.0, 4.0, 11.0], [0.0, 2.0, 0.0]))
        .check("begins", "Before the joints hold, boxes that belong together lie far apart; widest gap", "m")
        .check("shrinks", "In each half second the mean gap shrinks, while it is wide; largest ratio of one to the one before", "")
        .check("gap", "After six seconds the joints are together; widest gap", "m")
        .check("turned", "The boxes are upright then; largest turn", "°")
        .check("place", "They are where the logo is; farthest", "m")
        .check("down", "In the end all boxes have come down; the least way", "m")
        .check("asleep", "They are asleep; how many are not", "")
}

fn build(stage: &mut Stage, values: &Values) -> Result<()> {
    let (stray, mass) = (values.get("stray")?, values.real("mass")?);
    floor(stage, Material::default())?;
    let (mut boxes, mut places, mut joints) = (Things::default(), Vec::new(), Vec::new());
    let mut random = Random(3);
    for letter in LETTERS {
        let mut before: Option<(BodyId, Point)> = None;
        for [x, y, wide, high] in letter {
            let place = Point::new(x + 0.5 * wide - 5.5, y + 0.5 * high, 0.0) * THICK + Point::Y * HIGH;
            let shape = cuboid(stage, [wide * THICK - GAP, high * THICK - GAP, THICK - GAP])?;
            // Below and before its place, lying on its back, in three rows and turned a little.
            let row = 1.3 * f64::from(boxes.ids.len() as u32 % 3);
            let at = Point::new(place.x * 1.6 + 0.3 * stray * random.number(), 0.5 * (THICK - GAP), row + 1.0);
            let turn = Quat::from_axis_angle(Vec3::Y, Real::from_f64(stray * random.number()));
            let lie = Quat::from_axis_angle(Vec3::X, -Real::from_f64(f64::PI / 2.0));
            let desc = BodyDesc::dynamic().name(format!("box-{}", boxes.ids.len())).mass(mass);
            let id = boxes.add(stage, desc.position(at).rotation(turn * lie), shape, Material::default())?;
            let (other, of_other) = before.unwrap_or((World::BODY, Point::ZERO));
            let hook = if before.is_some() { (place + of_other) * 0.5 } else { place };
            let corners = [Vec3::ZERO, Vec3::Y * 0.3, Vec3::Z * 0.3];
            let glue = JointDesc::glue(other, id, corners).frame_a(hook - of_other, Quat::IDENTITY);
            let glue = glue.frame_b(hook - place, Quat::IDENTITY).active(false).name(format!("glue-{}", joints.len()));
            joints.push(joint(stage, glue)?);
            places.push(place);
            before = Some((id, place));
        }
    }
    for &id in &joints {
        stage.at(BEGIN, Cue::Activate(id));
        stage.at(END, Cue::Release(id));
    }
    stage.run_for(18.0);

    let all = joints.clone();
    stage.check_always("begins", move |world| {
        (world.time() < BEGIN).then(|| Reading::at_least(gaps(world, &all).fold(0.0, Num::max), 1.0))
    });
    let all = joints.clone();
    let (mut next, mut last) = (BEGIN, None);
    stage.check_always("shrinks", move |world| {
        if world.time() < next || next >= END {
            return None;
        }
        next += 0.5;
        let mean = gaps(world, &all).sum::<f64>() / all.len() as f64;
        let before = last.replace(mean)?;
        // What is as good as closed may tremble.
        (before > 0.02).then(|| Reading::at_most(mean / before, 1.0))
    });
    // Just before they let go.
    let now = |world: &World| world.time() > END - 0.1 && world.time() < END - 0.01;
    stage.check_always("gap", move |world| {
        now(world).then(|| Reading::at_most(gaps(world, &joints).fold(0.0, Num::max), 0.02))
    });
    let all = boxes.clone();
    stage.check_always("turned", move |world| {
        let turn = |id: &BodyId| world.body(*id).map_or(f64::NAN, |b| b.rotation().angle_to(Quat::IDENTITY).to_f64());
        let readings = all.ids.iter().map(|id| Reading::at_most(turn(id).to_degrees(), 2.0));
        if now(world) { readings.reduce(Reading::or_worse) } else { None }
    });
    let there = Things { ids: boxes.ids.clone(), start: places };
    let all = there.clone();
    stage.check_always("place", move |world| if now(world) { there.moved(world, 1.0, 0.05) } else { None });
    stage.check_at_end("down", move |world| {
        let fallen = |i: usize| Reading::at_least(all.start[i].y - super::props::place(world, all.ids[i]).y, 2.5);
        (0..all.ids.len()).map(fallen).reduce(Reading::or_worse)
    });
    stage.check_said("asleep", Said::at_most("awake('box-*')", 0.0).at_end());
    Ok(())
}

fn gaps(world: &World, joints: &[JointId]) -> impl Iterator<Item = f64> {
    joints.iter().map(|&id| world.joint(id).map_or(f64::NAN, |joint| joint.gap().to_f64()))
}
