//! A bar on a hinge swings into a ball.

use super::super::props::tune;
use super::{add, speed};
use crate::error::Result;
use crate::{Camera, Parameter, Reading, Scene, Stage, Values};
use tumble::articulation::{ArticulationDesc, LinkDesc};
use tumble::math::Vec3;
use tumble::shape::Shape;
use tumble::{BodyDesc, ColliderDesc, World};

/// Distance of the ball from the hinge, along the bar, in metres.
const ARM: f64 = 0.8;
/// e of ball and bar.
const RESTITUTION: f64 = 0.5;

pub fn scene() -> Scene {
    Scene::new("link-hits-body", build)
        .seed("000, S22")
        .description("Without gravity, a bar that turns about a hinge strikes a ball. The blow is felt along the bar: momentum about the hinge is kept, and the ball leaves as restitution says.")
        .parameter(Parameter::new("speed", 2.0).range(0.5, 5.0).unit("rad/s").help("Of the bar at the start"))
        .camera(Camera::new([0.5, -0.5, 3.0], [0.3, -0.5, 0.0]))
        .check("momentum", "Angular momentum about the hinge is kept; share of it at the end", "")
        .check("parting", "Ball and bar part at e times the speed at which they met; share of that speed off", "")
}

fn build(stage: &mut Stage, values: &Values) -> Result<()> {
    let rate = values.get("speed")?;
    tune(stage, 0.2)?;
    stage.engine(|world| world.set_gravity(Vec3::ZERO))?;
    let slick = |shape: Shape| ColliderDesc::new(shape).restitution(RESTITUTION as _).friction(0.0);
    let (bar, ball) = stage.engine(|_| Ok((Shape::cuboid(0.05, 0.5, 0.05)?, Shape::sphere(0.1)?)))?;
    let mut desc = ArticulationDesc::new().name("bar");
    let bar = BodyDesc::dynamic().collider(slick(bar)).mass(3.0).can_sleep(false).name("bar");
    desc.add(LinkDesc::revolute(bar, [0.0, 0.0, 1.0]).anchor([0.0, 0.5, 0.0]).velocity(&[rate]).position(&[-0.6]));
    let id = add(stage, desc)?;
    let ball = BodyDesc::dynamic().position([0.15, -ARM, 0.0]).collider(slick(ball)).mass(1.0).can_sleep(false);
    let (ball, inertia) = stage.engine(|world| {
        let ball = world.add_body(ball.name("ball"))?;
        Ok((ball, world.articulation(id)?.mass_matrix()[0]))
    })?;
    stage.run_for(1.5);
    let both = move |world: &World| Some((world.body(ball).ok()?.linear_velocity().to_f64(), speed(world, id, 0)));
    stage.check_at_end("momentum", move |world| {
        let (v, omega) = both(world)?;
        let at = world.body(ball).ok()?.position();
        // r × m v of the ball, and I ω of the bar.
        let kept = (at.x * v.y - at.y * v.x + inertia * omega) / (inertia * rate);
        Some(Reading::between(kept, 0.98, 1.02))
    });
    stage.check_at_end("parting", move |world| {
        let (v, omega) = both(world)?;
        let parting = v.length() - omega * ARM;
        Some(Reading::at_most((parting / (rate * ARM) - RESTITUTION).abs(), 0.05))
    });
    Ok(())
}
