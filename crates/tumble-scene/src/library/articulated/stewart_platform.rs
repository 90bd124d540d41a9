//! Stewart's platform: six legs of changing length carry a plate in all six of its freedoms.

use super::super::props::tune;
use super::{add, rod};
use crate::error::Result;
use crate::{Camera, Parameter, Reading, Said, Scene, Stage, Values};
use tumble::articulation::{ArticulationDesc, Dof, LinkDesc, LinkJoint, Motor};
use tumble::math::{Float, Num, Point, Quat, Real, Vec3};
use tumble::shape::Shape;
use tumble::{BodyDesc, JointDesc, Pace};

/// Height of the plate at the start, and radii of the pivots on the ground and on the plate, in metres.
const HEIGHT: f64 = 1.0;
const GROUND: f64 = 0.8;
const PLATE: f64 = 0.5;
/// Stiffness of a leg, in N/m.
const STIFFNESS: f64 = 1e6;

pub fn scene() -> Scene {
    Scene::new("stewart-platform", build)
        .seed("000-115")
        .description("Six legs, each a universal joint, a strut and a ball joint, carry a plate with a load. Motors change their lengths so that the plate circles, bows and turns as it is told.")
        .parameter(Parameter::new("load", 50.0).range(0.0, 500.0).unit("kg").help("Mass of the plate beyond its own 20 kg"))
        .camera(Camera::new([1.5, 1.5, 3.0], [0.0, 0.6, 0.0]))
        .check("place", "The plate is where its legs should carry it; largest error", "m")
        .check("turn", "The plate is turned as its legs should turn it; largest error", "rad")
        .check("gap", "The legs stay on the plate; widest", "m")
}

/// Where the plate is to be: its middle, and how it is turned.
fn pose(t: f64) -> (Point, Quat<f64>) {
    // From rest, and round in four seconds.
    let ease = Num::min(0.5 * t, 1.0);
    let (s, c) = (Float::sin(1.5 * t), Float::cos(1.5 * t));
    let at = Point::new(0.15 * ease * s, HEIGHT + 0.1 * ease * Float::sin(0.75 * t), 0.15 * ease * (1.0 - c));
    (at, Quat::from_rotation_vector(Vec3::new(0.15 * s, 0.2 * Float::sin(0.75 * t), -0.1 * s) * ease))
}

/// The pivots of a leg on the ground and on the plate. They come in pairs, those of the plate between those of the ground.
fn pivots(leg: u32) -> (Point, Vec3<f64>) {
    let on = |radius: f64, angle: f64| Vec3::new(radius * Float::cos(angle), 0.0, radius * Float::sin(angle));
    let third = 2.0 * f64::PI / 3.0;
    let (pair, side) = (f64::from(leg / 2), if leg.is_multiple_of(2) { -1.0 } else { 1.0 });
    (on(GROUND, pair * third + side * 0.3), on(PLATE, pair * third + side * (0.5 * third - 0.3)))
}

fn build(stage: &mut Stage, values: &Values) -> Result<()> {
    let load = values.get("load")?;
    tune(stage, 0.3)?;
    let plate = stage.engine(|_| Shape::cylinder(0.05, PLATE as Real))?;
    let plate = BodyDesc::dynamic().collider(plate).mass((20.0 + load) as Real).can_sleep(false).name("plate");
    // The tree: the plate floats, and each leg stands on the ground by its own root.
    let mut desc = ArticulationDesc::new().name("legs");
    let mut struts = Vec::new();
    for leg in 0..6 {
        let (foot, head) = pivots(leg);
        let way = head + Vec3::Y * HEIGHT - foot;
        let length = way.length();
        let up = Quat::between(Vec3::Y, (way / length).to_real());
        let [lower, upper] = stage.engine(|_| Ok([rod(0.5, 2.0)?, rod(0.5, 2.0)?]))?;
        let bare = |mut body: BodyDesc| {
            // Legs pass through each other here rather than get in each other's way.
            body.colliders.clear();
            body.can_sleep(false)
        };
        let joint = LinkJoint::Universal { first: Vec3::X, second: Vec3::Z };
        let lower = LinkDesc::new(bare(lower).name(format!("lower-{leg}")), joint).at(foot).turned(up);
        let lower = desc.add(lower.anchor([0.0, -0.25, 0.0]));
        let motor = Dof::default().motor(Motor::position(STIFFNESS, 2e4));
        let strut = LinkDesc::prismatic(bare(upper).name(format!("upper-{leg}")), [0.0, 1.0, 0.0]).parent(lower);
        let strut =
            strut.at([0.0, -0.25, 0.0]).anchor([0.0, 0.25, 0.0]).dof(0, motor).position(&[length]).target(&[length]);
        struts.push(desc.add(strut));
    }
    let id = add(stage, desc)?;
    let body = stage.engine(|world| {
        let body = world.add_body(plate.position([0.0, HEIGHT, 0.0]))?;
        for (leg, &strut) in struts.iter().enumerate() {
            let strut = world.articulation(id)?.link(strut)?;
            let head = pivots(leg as u32).1 + Vec3::Y * HEIGHT;
            world.add_joint(JointDesc::ball(strut, body).anchor(head).name(format!("head-{leg}")))?;
        }
        Ok(body)
    })?;
    stage.drive(move |world| {
        // Targets of the end of the step: the motors lead to them within it.
        let dt = match world.clock().pace {
            Pace::Fixed(dt) => dt,
            _ => 1.0 / 60.0,
        };
        let (at, turn) = pose(world.time() + dt);
        let lengths: Vec<f64> =
            (0..6).map(pivots).map(|(foot, head)| (at + turn.rotate(head) - foot).length()).collect();
        let mut tree = world.articulation_mut(id)?;
        for (&strut, length) in struts.iter().zip(lengths) {
            tree.set_target(strut, &[length])?;
        }
        Ok(())
    });
    stage.run_for(8.0);
    stage.check_always("place", move |world| {
        let off = (world.body(body).ok()?.position() - pose(world.time()).0).length();
        Some(Reading::at_most(off, 0.02))
    });
    stage.check_always("turn", move |world| {
        let off = world.body(body).ok()?.rotation().to_f64().angle_to(pose(world.time()).1);
        Some(Reading::at_most(off, 0.03))
    });
    stage.check_said("gap", Said::at_most("gap()", 5e-3));
    Ok(())
}
