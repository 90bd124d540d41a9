//! Three balls in a cup, and six contacts that hold each other.

use super::props::{Things, body, cuboid, joint, sphere};
use crate::error::Result;
use crate::{Camera, Parameter, Reading, Said, Scene, Stage, Values};
use tumble::math::{Float, Mat3, Point, Quat, Real};
use tumble::{BodyDesc, JointDesc, JointId, Material, World};

const RADIUS: f64 = 0.5;

pub fn scene() -> Scene {
    Scene::new("six-contacts", build)
        .seed("000, S4")
        .description(
            "Three balls lean on one another in a cup of three plates: three contacts with the cup and three among the balls, each of \
             which would change if any other did. Every plate is on a scale.",
        )
        .parameter(Parameter::new("slope", 30.0).range(10.0, 60.0).unit("°").help("Slope of the plates"))
        .parameter(Parameter::new("mass", 10.0).range(0.1, 1000.0).unit("kg").help("Mass of a ball"))
        .camera(Camera::new([1.0, 3.0, 3.5], [0.0, 0.4, 0.0]))
        .check("contacts", "There are six contacts; how many are missing or too many", "")
        .check("still", "No ball moves; farthest, in radii", "")
        .check("force", "Each plate is pressed with m g/cos α along its normal; largest error as a share", "")
}

fn build(stage: &mut Stage, values: &Values) -> Result<()> {
    let (slope, mass) = (values.get("slope")? * f64::PI / 180.0, values.get("mass")?);
    let smooth = Material::default().with_friction(0.0);
    // What sleeps has no contacts to count.
    let mut method = stage.engine(|world| Ok(world.method().clone()))?;
    method.switches.sleep = false;
    stage.engine(|world| world.set_method(method))?;
    let (ball, plate) = (sphere(stage, RADIUS)?, cuboid(stage, [0.5, 0.1, 0.5])?);
    let (mut balls, mut scales) = (Things::default(), Vec::new());
    for i in 0..3 {
        let angle = f64::from(i) * 2.0 * f64::PI / 3.0;
        let out = Point::new(Float::cos(angle), 0.0, Float::sin(angle));
        // Balls that touch have their middles on a circle of 2 r/√3.
        let at = out * (2.0 * RADIUS / 3.0_f64.sqrt()) + Point::Y * RADIUS;
        let normal = Point::Y * Float::cos(slope) - out * Float::sin(slope);
        let along = out * Float::cos(slope) + Point::Y * Float::sin(slope);
        let turn = Quat::from_mat3(&Mat3::from_columns(along, normal, along.cross(normal))).to_real();
        let under = at - normal * (RADIUS + 0.05);
        let desc = BodyDesc::dynamic().name(format!("plate-{i}")).position(under).rotation(turn).gravity_scale(0.0);
        let id = body(stage, desc, plate.clone(), &smooth)?;
        let scale = JointDesc::fixed(World::BODY, id).anchor(under).name(format!("scale-{i}"));
        scales.push((joint(stage, scale)?, normal));
        let desc = BodyDesc::dynamic().name(format!("ball-{i}")).position(at).mass(mass as Real);
        balls.add(stage, desc, ball.clone(), smooth.clone())?;
    }
    // They balance: whatever is not quite symmetric grows, fivefold in a second.
    stage.run_for(2.0);

    stage.check_said("contacts", Said::at_most("abs(contacts() - 6)", 0.0).from(0.51));
    stage.check_said("still", Said::at_most(format!("moved('ball-*') / {}", RADIUS), 0.02));
    let force = mass * 9.81 / Float::cos(slope);
    stage.check_always("force", move |world| {
        let pressed = |&(scale, normal): &(JointId, Point)| {
            let shown = world.joint(scale).map_or(Point::all(f64::NAN), |joint| joint.force().to_f64());
            Reading::at_most((shown - normal * force).length() / force, 0.02)
        };
        if world.time() > 1.0 { scales.iter().map(pressed).reduce(Reading::or_worse) } else { None }
    });
    Ok(())
}
