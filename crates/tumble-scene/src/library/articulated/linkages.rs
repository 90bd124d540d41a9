//! A four-bar linkage and a slider-crank: loops that joints between links close.

use super::super::props::tune;
use super::{add, coordinate, thin_rod};
use crate::error::Result;
use crate::{Camera, Parameter, Reading, Said, Scene, Stage, Values};
use tumble::articulation::{ArticulationDesc, Dof, LinkDesc, Motor};
use tumble::math::{Float, Num, Quat, Real, Vec3};
use tumble::shape::{MassProperties, Shape};
use tumble::{BodyDesc, JointDesc, World};

pub fn scene() -> Scene {
    Scene::new("linkages", build)
        .seed("000-115")
        .description("A crank drives a rocker over a coupler, and another a slider over a rod: a four-bar linkage and a slider-crank, each a tree of links that one ball joint closes.")
        .parameter(Parameter::new("speed", 2.0).range(0.5, 6.0).unit("rad/s").help("Speed of both cranks"))
        .camera(Camera::new([0.5, 0.3, 3.0], [0.5, 0.0, 0.0]))
        .check("rocker", "The rocker is where the lengths of the bars put it; largest error", "rad")
        .check("slider", "The slider is at r cos θ + √(l² - r² sin² θ); largest error", "m")
        .check("crank", "The cranks keep their speed; worst, as a share", "")
        .check("gap", "No loop opens; widest", "m")
}

/// A bar of this length along x.
fn bar(length: f64) -> tumble::Result<BodyDesc> {
    let MassProperties { mass, centre, inertia } = thin_rod(length, 1.0);
    let turn = Quat::from_axis_angle(Vec3::Z, Real::PI / 2.0).to_f64();
    let mass = MassProperties { mass, centre, inertia: inertia.rotated(&turn.to_mat3()) };
    let shape = tumble::ColliderDesc::new(Shape::cuboid((0.5 * length) as Real, 0.02, 0.02)?).sensor(true);
    Ok(BodyDesc::dynamic().collider(shape).mass_properties(mass).can_sleep(false))
}

const Z: [Real; 3] = [0.0, 0.0, 1.0];

/// The angle of the rocker and of the coupler, from the x axis, where the crank is at θ: where the circles about the crank's end and
/// about the far pivot meet.
fn four_bar([a, b, c, d]: [f64; 4], theta: f64) -> [f64; 2] {
    let end = [a * Float::cos(theta), a * Float::sin(theta)];
    let (dx, dy) = (d - end[0], -end[1]);
    let far = Num::sqrt(dx * dx + dy * dy);
    let along = (b * b - c * c + far * far) / (2.0 * far);
    let across = Num::sqrt(b * b - along * along);
    let knee = [end[0] + (along * dx - across * dy) / far, end[1] + (along * dy + across * dx) / far];
    [Float::atan2(-knee[1], d - knee[0]), Float::atan2(knee[1] - end[1], knee[0] - end[0])]
}

fn build(stage: &mut Stage, values: &Values) -> Result<()> {
    let rate = values.get("speed")?;
    tune(stage, 0.2)?;
    let drive = Dof::default().motor(Motor::velocity(rate, 1e4));
    let sizes = [0.2, 0.7, 0.5, 0.7];
    let [a, b, c, d] = sizes;
    let start = 1.0;
    let [rocker, coupler] = four_bar(sizes, start);
    let mut desc = ArticulationDesc::new().name("four-bar");
    let [bar_a, bar_b, bar_c] = stage.engine(|_| Ok([bar(a)?, bar(b)?, bar(c)?]))?;
    let half = |length: f64| [0.5 * length, 0.0, 0.0];
    let back = |length: f64| [-0.5 * length, 0.0, 0.0];
    let crank = desc.add(LinkDesc::revolute(bar_a.name("crank"), Z).anchor(back(a)).position(&[start]).dof(0, drive));
    let link = LinkDesc::revolute(bar_b.name("coupler"), Z).parent(crank).at(half(a)).anchor(back(b));
    let link = desc.add(link.position(&[coupler - start]));
    let link = LinkDesc::revolute(bar_c.name("rocker"), Z).parent(link).at(half(b)).anchor(back(c));
    let last = desc.add(link.position(&[rocker - coupler]));
    let linkage = add(stage, desc)?;

    // A metre in front of it.
    let (r, l) = (0.3, 0.9);
    let mut desc = ArticulationDesc::new().name("slider-crank");
    let [crank, rod, block] = stage.engine(|_| Ok([bar(r)?, bar(l)?, bar(0.1)?]))?;
    let crank =
        desc.add(LinkDesc::revolute(crank.name("second-crank"), Z).at([0.0, 0.0, 1.0]).anchor(back(r)).dof(0, drive));
    let rod = LinkDesc::revolute(rod.name("rod"), Z).parent(crank).at(half(r)).anchor(back(l));
    let rod = desc.add(rod);
    let slider = LinkDesc::prismatic(block.name("slider"), [1.0, 0.0, 0.0]).at([0.0, 0.0, 1.0]).position(&[r + l]);
    let slider = desc.add(slider);
    let engine = add(stage, desc)?;
    stage.engine(|world| {
        let tip = world.articulation(linkage)?.link(last)?;
        let tree = world.articulation(engine)?;
        let (rod, slider) = (tree.link(rod)?, tree.link(slider)?);
        world.add_joint(JointDesc::ball(World::BODY, tip).anchor([d, 0.0, 0.0]).name("pivot"))?;
        world.add_joint(JointDesc::ball(rod, slider).anchor([r + l, 0.0, 1.0]).name("pin"))
    })?;
    stage.run_for(6.0);

    stage.check_always("rocker", move |world| {
        let [q0, q1, q2] = [0, 1, 2].map(|k| coordinate(world, linkage, k));
        let mut off = (q0 + q1 + q2 - four_bar(sizes, q0)[0]) / (2.0 * f64::PI);
        off -= off.round();
        Some(Reading::at_most((off * 2.0 * f64::PI).abs(), 5e-3))
    });
    // x = r cos θ + √(l² - r² sin² θ).
    let angle = "coordinate('second-crank')";
    let rod = format!("sqrt({l} ^ 2 - ({r} * sin({angle})) ^ 2)");
    let slider = format!("abs(coordinate('slider') - {r} * cos({angle}) - {rod})");
    stage.check_said("slider", Said::at_most(slider, 5e-3));
    stage.check_said("crank", Said::at_most(format!("abs(rate('*crank') / {rate} - 1)"), 0.02).from(0.5));
    stage.check_said("gap", Said::at_most("gap()", 5e-3));
    Ok(())
}
