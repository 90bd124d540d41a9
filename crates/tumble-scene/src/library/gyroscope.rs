//! A gyroscope that hangs by one end of its axle.

use super::props::{Things, joint, place, pointing, tune};
use crate::error::Result;
use crate::{Camera, Parameter, Reading, Said, Scene, Stage, Values};
use tumble::math::{Float, Point, Real, Vec3};
use tumble::shape::Shape;
use tumble::{BodyDesc, JointDesc, Layers, Material, World};

/// Radius and thickness of the wheel, and how far it is from the end of the axle, in metres.
const RADIUS: f64 = 0.1;
const THICK: f64 = 0.02;
const ARM: f64 = 0.12;

pub fn scene() -> Scene {
    Scene::new("gyroscope", build)
        .seed("beyond the seeds")
        .description("A wheel spins on a level axle that is held at one end only. It does not fall: it goes round.")
        .parameter(Parameter::new("spin", 200.0).range(100.0, 300.0).unit("rad/s").help("Speed of the wheel"))
        .parameter(Parameter::new("gravity", 9.81).range(1.0, 20.0).unit("m/s²").help("Strength of gravity"))
        .conservative()
        .camera(Camera::new([0.3, 0.3, 0.5], [0.0, 0.0, 0.0]).field_of_view(35.0))
        .check("precession", "It goes round with g l/(½ r² ω); error of the angle gone as a share", "")
        .check("level", "The axle stays level; largest dip", "°")
        .check("spin", "The wheel keeps its spin; largest change as a share", "")
        .check("gap", "The end of the axle stays where it is; how far it does not, in arms", "")
}

fn build(stage: &mut Stage, values: &Values) -> Result<()> {
    let (spin, gravity) = (values.get("spin")?, values.get("gravity")?);
    tune(stage, RADIUS)?;
    // Sub-steps of a millisecond: in longer ones the wheel makes a fifth of a turn and more.
    stage.prefer_dt(1.0 / 240.0)?;
    stage.engine(|world| world.set_gravity([0.0, -gravity as Real, 0.0]))?;
    // The torque m g l turns the angular momentum ½ m r² ω; with a level axle nothing else has a say.
    let round = gravity * ARM / (0.5 * RADIUS * RADIUS * spin);
    let shape = stage.engine(|_| Shape::cylinder((0.5 * THICK) as Real, RADIUS as Real))?;
    // The cylinder's axis, y, lies along x; spun about +x, it goes round about +y.
    let desc = BodyDesc::dynamic().name("wheel").position([ARM, 0.0, 0.0]).can_sleep(false);
    let desc = desc.turned(Vec3::Z, -Real::from_f64(f64::PI / 2.0));
    let desc =
        desc.angular_velocity([spin as Real, round as Real, 0.0]).linear_velocity([0.0, 0.0, -(round * ARM) as Real]);
    let wheel = Things::default().add(stage, desc, shape, Material::default().with_density(8000.0))?;
    joint(stage, JointDesc::ball(World::BODY, wheel).anchor(Point::ZERO).name("pivot"))?;
    // A stand to look at, which touches nothing.
    let stand = stage.engine(|_| Shape::cylinder(0.1, 0.005))?;
    let stand = tumble::ColliderDesc::new(stand).layers(Layers { meets: 0, ..Layers::default() });
    stage.engine(|world| world.add_body(BodyDesc::fixed().name("stand").position([0.0, -0.1, 0.0]).collider(stand)))?;
    stage.run_for(10.0);

    // Counted on over full turns.
    let (mut turned, mut last) = (0.0, 0.0);
    stage.check_always("precession", move |world| {
        let p = place(world, wheel);
        let angle = Float::atan2(-p.z, p.x);
        let step = angle - last;
        turned += step - 2.0 * f64::PI * (step / (2.0 * f64::PI)).round();
        last = angle;
        let expected = round * world.time();
        (expected > 1.0).then(|| Reading::at_most((turned / expected - 1.0).abs(), 0.01))
    });
    stage.check_said("level", Said::at_most(format!("abs(asin(y('wheel') / {ARM})) / 1 deg"), 1.0));
    stage.check_always("spin", move |world| {
        let axle = pointing(world, wheel, Vec3::Y);
        Some(Reading::at_most((super::props::spin(world, wheel).dot(axle) / spin - 1.0).abs(), 0.01))
    });
    stage.check_said("gap", Said::at_most(format!("gap() / {ARM}"), 0.01));
    Ok(())
}
