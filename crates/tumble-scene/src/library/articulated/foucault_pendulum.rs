//! Foucault's pendulum on a turning platform.

use super::super::props::tune;
use super::{add, coordinate};
use crate::error::Result;
use crate::{Camera, Parameter, Reading, Said, Scene, Stage, Values};
use tumble::articulation::{ArticulationDesc, Dof, LinkDesc, Motor};
use tumble::math::{Float, Real, Sym3, Vec3};
use tumble::shape::{MassProperties, Shape};
use tumble::{BodyDesc, World};

/// Length of the pendulum and how far it is drawn aside, in metres.
const LENGTH: f64 = 4.0;
const ASIDE: f64 = 0.3;

pub fn scene() -> Scene {
    Scene::new("foucault-pendulum", build)
        .seed("000, 2.B")
        .description("A pendulum hangs by a ball joint over the middle of a platform that a motor turns. It swings in a plane that stands still, and so turns against the platform.")
        .parameter(Parameter::new("turning", 0.1).range(0.02, 0.3).unit("rad/s").help("How fast the platform turns"))
        .camera(Camera::new([5.0, 4.0, 7.0], [0.0, 2.0, 0.0]))
        .check("plane", "The plane of the swing turns back against the platform as fast as that turns; ratio", "")
        .check("platform", "The platform keeps its speed; largest share by which it is off", "")
}

fn build(stage: &mut Stage, values: &Values) -> Result<()> {
    let turning = values.get("turning")?;
    tune(stage, 1.0)?;
    let bob =
        MassProperties { mass: 5.0, centre: Vec3::new(0.0, -LENGTH, 0.0), inertia: Sym3::diagonal(Vec3::all(0.02)) };
    let (table, ball) = stage.engine(|_| Ok((Shape::cuboid(1.0, 0.05, 1.0)?, Shape::sphere(0.15)?)))?;
    let platform = BodyDesc::dynamic().collider(table).mass(200.0).can_sleep(false).name("platform");
    let ball = tumble::ColliderDesc::new(ball).at([0.0, -LENGTH as Real, 0.0]);
    let bob = BodyDesc::dynamic().collider(ball).mass_properties(bob).can_sleep(false).name("bob");
    let mut desc = ArticulationDesc::new().name("foucault");
    let drive = Dof::default().motor(Motor::velocity(turning, 1e6));
    let base = desc.add(LinkDesc::revolute(platform, [0.0, 1.0, 0.0]).dof(0, drive).velocity(&[turning]));
    // At rest against the platform, drawn aside along its x axis.
    let lean = Float::asin(ASIDE / LENGTH);
    let pendulum = LinkDesc::spherical(bob).parent(base).at([0.0, LENGTH + 0.5, 0.0]);
    desc.add(pendulum.position(&[0.0, 0.0, Float::sin(0.5 * lean), Float::cos(0.5 * lean)]));
    let id = add(stage, desc)?;
    stage.run_for(60.0);

    // Directions of the swing, as seen from the platform, whenever the bob is farthest out.
    let place = move |world: &World| -> Option<(f64, f64)> {
        let bob = world.body(world.articulation(id).ok()?.link(1).ok()?).ok()?.centre_of_mass();
        Some((bob.x, bob.z))
    };
    let (mut last, mut first) = ([(0.0, 0.0); 2], None::<(f64, f64)>);
    let mut before = 0.0;
    let mut latest = None;
    stage.check_always("plane", move |world| {
        let now = place(world)?;
        let size = |p: (f64, f64)| p.0 * p.0 + p.1 * p.1;
        if size(last[1]) > size(last[0]) && size(last[1]) >= size(now) && size(last[1]) > 0.25 * ASIDE * ASIDE {
            let (x, z) = last[1];
            // A line, not a direction: the other end of the swing is the same. The platform has turned by q about y.
            let mut angle = Float::atan2(-z, x) - coordinate(world, id, 0);
            angle -= f64::PI * ((angle - before) / f64::PI).round();
            before = angle;
            match first {
                None => first = Some((world.time(), angle)),
                Some((t, a)) => {
                    latest = Some((a - angle) / ((world.time() - t) * turning));
                }
            }
        }
        last = [last[1], now];
        // By then the errors of single extremes, a step wide, are small against the turn.
        latest.filter(|_| world.time() > 59.0).map(|ratio| Reading::between(ratio, 0.99, 1.01))
    });
    stage.check_said("platform", Said::at_most(format!("abs(rate('platform') / {turning} - 1)"), 1e-3));
    Ok(())
}
