//! A chain with a heavy ball on its end swings into a wall.

use super::super::props::{Things, floor, outside, tune};
use super::{add, rod};
use crate::error::Result;
use crate::{Camera, Parameter, Reading, Scene, Stage, Values};
use tumble::articulation::{ArticulationDesc, LinkDesc};
use tumble::math::{Float, Num, Point, Quat, Real, Vec3};
use tumble::shape::Shape;
use tumble::{BodyDesc, Material};

const LINKS: usize = 12;
const LINK: f64 = 0.5;
const BALL: f64 = 0.8;

pub fn scene() -> Scene {
    Scene::new("demolition-chain", build)
        .seed("001, table A.1")
        .description("A ball five hundred times as heavy as a link of its chain swings into a brick wall. The chain is an articulation: no link ever parts from the next.")
        .parameter(Parameter::new("angle", 60.0).range(10.0, 80.0).unit("°").help("How far the ball is drawn aside"))
        .camera(Camera::new([-8.0, 5.0, 14.0], [0.0, 3.0, 0.0]))
        .check("gap", "No link parts from the next; widest", "m")
        .check("breach", "The ball knocks bricks out of the wall; the farthest, in metres", "m")
        .check("above", "Nothing falls through the floor; how many bricks do", "")
}

fn build(stage: &mut Stage, values: &Values) -> Result<()> {
    let angle = values.get("angle")? * f64::PI / 180.0;
    tune(stage, 0.5)?;
    floor(stage, Material::default())?;
    let mut bricks = Things::default();
    let brick = stage.engine(|_| Shape::cuboid(0.25, 0.25, 0.5))?;
    for course in 0..8_u32 {
        for i in 0..6 - course % 2 {
            let z = (f64::from(i) - 2.5 + 0.5 * f64::from(course % 2)) * 1.002;
            let at = Point::new(0.0, (f64::from(course) + 0.5) * 0.5, z);
            let desc = BodyDesc::dynamic().name(format!("brick-{course}-{i}")).position(at);
            bricks.add(stage, desc, brick.clone(), Material::default())?;
        }
    }
    let length = LINKS as f64 * LINK + BALL;
    let top = Point::new(-0.25 - BALL, 2.0 + length, 0.0);
    let mut desc = ArticulationDesc::new().name("chain");
    for i in 0..LINKS {
        let body = stage.engine(|_| rod(LINK, 10.0))?.name(format!("link-{i}"));
        let link = LinkDesc::spherical(body).anchor([0.0, 0.5 * LINK, 0.0]);
        desc.add(match i {
            0 => link.at(top).turned(Quat::from_axis_angle(Vec3::Z, -angle as Real)),
            _ => link.parent(i - 1).at([0.0, -0.5 * LINK, 0.0]),
        });
    }
    let ball = stage.engine(|_| Shape::sphere(BALL as Real))?;
    let ball = BodyDesc::dynamic().collider(ball).mass(5_000.0).name("ball");
    desc.add(LinkDesc::fixed(ball).parent(LINKS - 1).at([0.0, -0.5 * LINK, 0.0]).anchor([0.0, BALL, 0.0]));
    let id = add(stage, desc)?;
    stage.run_for(4.0);
    let links: Vec<_> = stage.engine(|world| Ok(world.articulation(id)?.links().take(LINKS).collect()))?;
    stage.check_always("gap", move |world| {
        let bodies: Vec<_> = links.iter().filter_map(|&b| world.body(b).ok()).collect();
        let end = |y: f64| [0.0, y as Real, 0.0];
        let gap = |w: &[tumble::BodyRef<'_>]| w[0].to_world(end(-0.5 * LINK)) - w[1].to_world(end(0.5 * LINK));
        Some(Reading::at_most(bodies.windows(2).map(|w| gap(w).length()).fold(0.0, Num::max), 1e-5))
    });
    stage.check_at_end("breach", move |world| Some(Reading::between(bricks.moved(world, 1.0, 1.0)?.figure, 1.0, 60.0)));
    stage.check_said("above", outside("brick-*", [-80.0, 0.1, -80.0], [80.0, 80.0, 80.0]).at_end());
    Ok(())
}
