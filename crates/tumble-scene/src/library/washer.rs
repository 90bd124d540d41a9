//! Boxes in a drum that turns.

use super::props::{Random, Things, cube_root, heap, tune};
use crate::error::Result;
use crate::{Camera, Parameter, Reading, Said, Scene, Stage, Values};
use tumble::math::{Float, Quat, Real, Vec3};
use tumble::shape::Shape;
use tumble::{BodyDesc, ColliderDesc, Material};

/// Half an edge of a box, in metres.
const HALF: f64 = 0.2;
/// Distance of the boxes at the start.
const PITCH: f64 = 0.6;
/// Boards of which the drum is made.
const BOARDS: u32 = 24;

pub fn scene() -> Scene {
    Scene::new("washer", build)
        .seed("beyond the seeds")
        .description("A drum with ribs turns about a level axis, carries boxes up and lets them fall, again and again.")
        .parameter(Parameter::new("boxes", 64.0).range(1.0, 8_000.0).whole().help("How many"))
        .parameter(Parameter::new("speed", 0.6).range(0.0, 2.0).unit("rad/s").help("How fast the drum turns"))
        .camera(Camera::new([2.0, 3.0, 8.0], [0.0, 0.0, 0.0]))
        .check("overlap", "No box lies in another or in the drum; deepest", "m")
        .check("inside", "No box leaves the drum; how many do", "")
}

fn build(stage: &mut Stage, values: &Values) -> Result<()> {
    let (count, speed) = (values.count("boxes")?, values.real("speed")?);
    tune(stage, 2.0 * HALF)?;
    let side = f64::from(cube_root(count));
    // The cube of boxes fits into the drum: its diagonal is √2 times its side.
    let (radius, depth) = (0.75 * side * PITCH + 0.6, 0.5 * side * PITCH + 0.1);
    drum(stage, radius, depth, speed)?;
    let (mut boxes, mut random) = (Things::default(), Random(5));
    let half = HALF as Real;
    let shape = stage.engine(|_| Shape::cuboid(half, half, half))?;
    for (i, at) in heap(count, PITCH, -0.5 * (side - 1.0) * PITCH).enumerate() {
        let desc = BodyDesc::dynamic().name(format!("box-{i}")).position(at).rotation(random.turn(0.2));
        boxes.add(stage, desc, shape.clone(), Material::default())?;
    }
    stage.run_for(5.0);
    // What is deeper than half an edge comes out on the wrong side.
    stage.check_said("overlap", Said::at_most("depth()", HALF).at_end());
    stage.check_at_end("inside", move |world| {
        let inside = |p: Vec3<f64>| (p.x * p.x + p.y * p.y).sqrt() <= radius && p.z.abs() <= depth;
        let out = boxes.ids.iter().filter(|&&id| !world.body(id).is_ok_and(|b| inside(b.position()))).count();
        Some(Reading::at_most(out as f64, 0.0))
    });
    Ok(())
}

/// A drum about the z axis, of this radius and half depth inside, with boards, four ribs and two lids.
fn drum(stage: &mut Stage, radius: f64, depth: f64, speed: Real) -> Result<()> {
    const THICK: f64 = 0.5;
    stage.engine(|world| {
        let mut drum = BodyDesc::kinematic().name("drum").angular_velocity([0.0, 0.0, speed]);
        let mut put = |half: [f64; 3], at: Vec3<f64>, turn: Quat| {
            let [x, y, z] = half.map(|v| v as Real);
            let part = ColliderDesc::new(Shape::cuboid(x, y, z)?).at(at.to_real()).rotation(turn);
            drum = std::mem::replace(&mut drum, BodyDesc::kinematic()).collider(part.material(Material::default()));
            tumble::Result::Ok(())
        };
        let step = 2.0 * f64::PI / f64::from(BOARDS);
        for i in 0..BOARDS {
            let angle = step * f64::from(i);
            let out = Vec3::new(Float::cos(angle), Float::sin(angle), 0.0);
            let turn = Quat::from_axis_angle(Vec3::Z, angle as Real);
            // Wide enough that neighbours meet at their outer edges too.
            let wide = (radius + 2.0 * THICK) * Float::tan(0.5 * step);
            put([THICK, wide, depth + THICK], out * (radius + THICK), turn)?;
            if i % (BOARDS / 4) == 0 {
                put([0.1 * radius, 0.1, depth], out * (0.9 * radius), turn)?;
            }
        }
        for z in [depth + THICK, -depth - THICK] {
            put([radius + THICK, radius + THICK, THICK], Vec3::new(0.0, 0.0, z), Quat::IDENTITY)?;
        }
        world.add_body(drum)
    })?;
    Ok(())
}
