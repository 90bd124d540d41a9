//! A heavy ball on a chain swings into a wall.

use super::props::{Things, floor, tune};
use crate::error::Result;
use crate::{Camera, Parameter, Reading, Said, Scene, Stage, Values};
use tumble::math::{Float, Num, Point, Real, Vec3};
use tumble::shape::Shape;
use tumble::{BodyDesc, JointDesc, Material, World};

/// Length of a link of the chain, in metres.
const LINK: f64 = 0.5;
/// Radius of the ball.
const BALL: f64 = 0.8;
/// Depth, height and length of a brick.
const BRICK: [f64; 3] = [0.5, 0.5, 1.0];
/// From a wall to the one behind it.
const BEHIND: f64 = 1.2;
/// The lowest point of the swing of the ball's middle.
const LOW: f64 = 2.0;

pub fn scene() -> Scene {
    Scene::new("wrecking-ball", build)
        .seed("001, D6 and D7")
        .description("A ball that is hundreds of times as heavy as a link of its chain swings into a brick wall, and the chain holds.")
        .parameter(Parameter::new("links", 12.0).range(4.0, 40.0).whole().help("Links of the chain"))
        .parameter(Parameter::new("courses", 8.0).range(1.0, 30.0).whole().help("Courses of the wall"))
        .parameter(Parameter::new("walls", 1.0).range(1.0, 2.0).whole().help("Walls, one behind the other"))
        .parameter(Parameter::new("density", 2000.0).range(100.0, 20_000.0).unit("kg/m³").help("Density of the ball"))
        .parameter(Parameter::new("angle", 60.0).range(10.0, 80.0).unit("°").help("How far the ball is drawn aside"))
        .camera(Camera::new([-8.0, 5.0, 14.0], [0.0, 3.0, 0.0]))
        .check("gap", "No joint of the chain comes apart; widest", "m")
        .check("chain", "Nor at any time on the way; widest, in links", "")
        .check("breach", "The ball knocks bricks out of the wall; the farthest, in lengths of a brick", "")
        .check("topples", "Of every wall bricks come down; how far the one that falls farthest does, in courses, in the wall that holds best", "")
        .check("above", "Nothing falls through the floor; how many bricks do", "")
}

fn build(stage: &mut Stage, values: &Values) -> Result<()> {
    let (links, courses, angle) = (values.count("links")?, values.count("courses")?, values.get("angle")?);
    let (walls, density) = (values.count("walls")?, values.real("density")?);
    tune(stage, BRICK[1])?;
    floor(stage, Material::default())?;

    let mut bricks = Things::default();
    let [x, y, z] = BRICK.map(|v| (0.5 * v) as Real);
    let shape = stage.engine(|_| Shape::cuboid(x, y, z))?;
    for course in 0..courses * walls {
        let (wall, course) = (course / courses, course % courses);
        // Every other course is shifted by half a brick and has one less.
        let odd = course % 2;
        for i in 0..10 - odd {
            let at = Point::new(
                BEHIND * f64::from(wall),
                (f64::from(course) + 0.5) * BRICK[1],
                (f64::from(i) - 4.5 + 0.5 * f64::from(odd)) * 1.002,
            );
            let desc = BodyDesc::dynamic()
                .name(format!("{}-{course}-{i}", if wall == 0 { "brick" } else { "far" }))
                .position(at);
            bricks.add(stage, desc, shape.clone(), Material::default())?;
        }
    }

    // The chain is straight, and turned about its upper end, which is over the face of the wall.
    let length = f64::from(links) * LINK + BALL;
    let tilt = -angle * f64::PI / 180.0;
    let top = Point::new(-0.5 * BRICK[0] - BALL, LOW + length, 0.0);
    let along = Vec3::new(Float::sin(tilt), -Float::cos(tilt), 0.0);
    let (link, ball) = stage.engine(|_| Ok((Shape::capsule(0.15, 0.1)?, Shape::sphere(BALL as Real)?)))?;
    let mut last = World::BODY;
    let mut chain = Things::default();
    for i in 0..links {
        let desc = BodyDesc::dynamic().name(format!("link-{i}")).position(top + along * ((f64::from(i) + 0.5) * LINK));
        let id = chain.add(stage, desc.turned(Vec3::Z, tilt as Real), link.clone(), Material::default())?;
        let joint = JointDesc::ball(last, id).anchor(top + along * (f64::from(i) * LINK));
        stage.engine(|world| world.add_joint(joint))?;
        last = id;
    }
    let desc = BodyDesc::dynamic().name("ball").position(top + along * length);
    let id = chain.add(stage, desc, ball, Material { density, ..Material::default() })?;
    stage.engine(|world| world.add_joint(JointDesc::ball(last, id).anchor(top + along * (f64::from(links) * LINK))))?;

    stage.run_for(4.0);
    stage.check_said("gap", Said::at_most("gap()", 0.1 * LINK).at_end());
    stage.check_said("chain", Said::at_most(format!("gap() / {LINK}"), 0.05));
    let wall = bricks.clone();
    stage.check_at_end("breach", move |world| {
        let far = wall.moved(world, BRICK[2], 1.0)?.figure;
        Some(Reading::between(far, 0.3, 50.0))
    });
    let each = bricks.clone();
    let of_wall = each.ids.len() / walls as usize;
    stage.check_at_end("topples", move |world| {
        let fallen = |i: usize| world.body(each.ids[i]).map_or(f64::NAN, |b| each.start[i].y - b.position().y);
        let farthest = |wall: usize| {
            let bricks = wall * of_wall..(wall + 1) * of_wall;
            bricks.map(fallen).fold(0.0, Num::max) / BRICK[1]
        };
        (0..walls as usize).map(|wall| Reading::at_least(farthest(wall), 1.0)).reduce(Reading::or_worse)
    });
    stage.check_at_end("above", move |world| bricks.outside(world, [-50.0, 0.1, -50.0], [50.0, 50.0, 50.0]));
    Ok(())
}
