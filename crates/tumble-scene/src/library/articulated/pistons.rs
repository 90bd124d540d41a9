//! Four pistons on one crankshaft.

use super::super::props::tune;
use super::{add, coordinate, rod};
use crate::error::Result;
use crate::{Camera, Parameter, Reading, Said, Scene, Stage, Values};
use tumble::articulation::{ArticulationDesc, Dof, LinkDesc, Motor};
use tumble::math::{Float, Num, Real};
use tumble::shape::Shape;
use tumble::{BodyDesc, ColliderDesc, JointDesc};

/// Throw of the crank and length of a rod, in metres.
const THROW: f64 = 0.15;
const ROD: f64 = 0.5;

pub fn scene() -> Scene {
    Scene::new("articulated-pistons", build)
        .seed("000, figure 23; 000-115")
        .description(
            "A motor turns a crankshaft with four throws; four rods drive four pistons, each of which can only slide.",
        )
        .parameter(Parameter::new("speed", 6.0).range(1.0, 12.0).unit("rad/s").help("Speed of the crankshaft"))
        .camera(Camera::new([1.6, 0.8, 1.8], [0.0, 0.3, 0.0]))
        .check("pistons", "Every piston is at r cos θ + √(l² - r² sin² θ); largest error", "m")
        .check("crank", "The shaft keeps its speed; largest share by which it is off", "")
        .check("gap", "No rod parts from its crank; widest", "m")
}

fn build(stage: &mut Stage, values: &Values) -> Result<()> {
    let rate = values.get("speed")?;
    tune(stage, 0.2)?;
    let shape = stage.engine(|_| Shape::cuboid(0.03, THROW as Real, 0.4))?;
    let shaft =
        BodyDesc::dynamic().collider(ColliderDesc::new(shape).sensor(true)).mass(10.0).can_sleep(false).name("shaft");
    let mut desc = ArticulationDesc::new().name("engine");
    let drive = Dof::default().motor(Motor::velocity(rate, 1e5));
    let shaft = desc.add(LinkDesc::revolute(shaft, [0.0, 0.0, 1.0]).dof(0, drive).velocity(&[rate]));
    // Each piston with the rod that hangs from it; its other end is closed onto the shaft.
    let mut rods = Vec::new();
    for i in 0..4_u32 {
        let (phase, z) = (f64::from(i) * f64::PI / 2.0, f64::from(i) * 0.2 - 0.3);
        let block = stage.engine(|_| Shape::cuboid(0.08, 0.06, 0.08))?;
        let block = BodyDesc::dynamic().collider(ColliderDesc::new(block).sensor(true)).mass(1.0).can_sleep(false);
        // The crank pin at the start, and the height of the piston over it.
        let (x, y) = (-THROW * Float::sin(phase), THROW * Float::cos(phase));
        let height = y + Num::sqrt(ROD * ROD - x * x);
        let piston = LinkDesc::prismatic(block.name(format!("piston-{i}")), [0.0, 1.0, 0.0]).at([0.0, 0.0, z]);
        let piston = desc.add(piston.position(&[height]));
        let mut bar = stage.engine(|_| rod(ROD, 0.5))?.can_sleep(false).name(format!("rod-{i}"));
        bar.colliders.clear();
        let lean = Float::asin(x / ROD);
        let bar =
            LinkDesc::revolute(bar, [0.0, 0.0, 1.0]).parent(piston).anchor([0.0, 0.5 * ROD, 0.0]).position(&[lean]);
        rods.push((desc.add(bar), phase, [x, y, z]));
    }
    let id = add(stage, desc)?;
    for &(bar, _, pin) in &rods {
        stage.engine(|world| {
            let tree = world.articulation(id)?;
            let (shaft, bar) = (tree.link(shaft)?, tree.link(bar)?);
            world.add_joint(JointDesc::ball(shaft, bar).anchor(pin))
        })?;
    }
    stage.run_for(5.0);
    stage.check_always("pistons", move |world| {
        let theta = coordinate(world, id, 0);
        let off = |i: usize| {
            let angle = theta + rods[i].1;
            let (x, y) = (THROW * Float::sin(angle), THROW * Float::cos(angle));
            (coordinate(world, id, 1 + 2 * i) - y - Num::sqrt(ROD * ROD - x * x)).abs()
        };
        Some(Reading::at_most((0..4).map(off).fold(0.0, Num::max), 5e-3))
    });
    stage.check_said("crank", Said::at_most(format!("abs(rate('shaft') / {rate} - 1)"), 0.02).from(0.5));
    stage.check_said("gap", Said::at_most("gap()", 5e-3));
    Ok(())
}
