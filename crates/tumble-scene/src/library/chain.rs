//! A chain that hangs between two posts.

use super::props::{Things, joint};
use crate::error::Result;
use crate::{Camera, Parameter, Reading, Said, Scene, Stage, Values};
use tumble::math::{Float, Num, Point, Real, Vec3};
use tumble::shape::Shape;
use tumble::{BodyDesc, JointDesc, JointId, Material, World};

/// Length and radius of a link, in metres.
const LINK: f64 = 0.2;
const RADIUS: f64 = 0.03;
/// How far the posts are apart, as a share of the chain.
const SPAN: f64 = 0.8;

pub fn scene() -> Scene {
    Scene::new("chain", build)
        .seed("000, S21 (fig. 31)")
        .description("A chain is let go in the shape of a V, swings, and comes to rest as a catenary.")
        .parameter(Parameter::new("links", 31.0).range(5.0, 101.0).whole().help("How many"))
        .parameter(Parameter::new("damping", 0.5).range(0.1, 2.0).unit("1/s").help("How fast the swinging dies out"))
        .camera(Camera::new([0.0, -1.0, 8.0], [0.0, -1.2, 0.0]))
        .check("gap", "No link comes off the next, at any time; widest, in links", "")
        .check("sag", "In the end it hangs as low as a catenary does; error as a share of the sag", "")
        .check("shape", "And lies on it; farthest joint, in links", "")
        .check("tension", "It pulls at the posts sideways as a catenary does; error as a share", "")
        .check("rest", "It has come to rest; fastest link", "m/s")
}

fn build(stage: &mut Stage, values: &Values) -> Result<()> {
    let (count, damping) = (values.count("links")?, values.real("damping")?);
    let long = f64::from(count) * LINK;
    let half = 0.5 * SPAN * long;
    // Two straight halves, with the middle link level at the bottom where the number is odd.
    let shape = stage.engine(|_| Shape::capsule((0.5 * LINK - RADIUS) as Real, RADIUS as Real))?;
    let points: Vec<Point> = (0..=count)
        .map(|i| {
            let s = f64::from(i) / f64::from(count) - 0.5;
            let level = if count % 2 == 1 { 0.5 / f64::from(count) } else { 0.0 };
            let beyond = Num::max(s.abs() - level, 0.0) / (0.5 - level);
            let flat = Num::min(s.abs(), level) * long;
            let x = (flat + beyond * (half - level * long)) * if s < 0.0 { -1.0 } else { 1.0 };
            let side = (0.5 - level) * long;
            let run = half - level * long;
            Point::new(x, -(1.0 - beyond) * (side * side - run * run).sqrt(), 0.0)
        })
        .collect();
    let (mut links, mut joints, mut last) = (Things::default(), Vec::new(), World::BODY);
    for (i, pair) in points.windows(2).enumerate() {
        let along = pair[1] - pair[0];
        let desc = BodyDesc::dynamic().name(format!("link-{i}")).position((pair[0] + pair[1]) * 0.5);
        let desc = desc.turned(Vec3::Z, Float::atan2(-along.x, along.y) as Real).damping(damping, damping);
        let id = links.add(stage, desc.can_sleep(false), shape.clone(), Material::default())?;
        joints.push(joint(stage, JointDesc::ball(last, id).anchor(pair[0]).name(format!("joint-{i}")))?);
        last = id;
    }
    let end = points[points.len() - 1];
    joints.push(joint(stage, JointDesc::ball(World::BODY, last).anchor(end).name("end"))?);
    stage.run_for(30.0);

    stage.check_said("gap", Said::at_most(format!("gap() / {LINK}"), 0.02));
    // y = a cosh(x/a): a from the length between the posts, 2 a sinh(half/a).
    let a = catenary(half, 0.5 * long);
    let low = a * (libm::cosh(half / a) - 1.0);
    let at = |world: &World, joint: JointId| world.joint(joint).map_or(Point::all(f64::NAN), |j| j.frames().b.position);
    let all = joints.clone();
    stage.check_at_end("sag", move |world| {
        let lowest = all.iter().map(|&joint| at(world, joint).y).fold(0.0, Num::min);
        Some(Reading::at_most((lowest / low + 1.0).abs(), 0.02))
    });
    let (all, ends) = (joints.clone(), [joints[0], joints[joints.len() - 1]]);
    stage.check_at_end("shape", move |world| {
        let off = |&joint: &JointId| {
            let p = at(world, joint);
            Reading::at_most((p.y - a * (libm::cosh(p.x / a) - libm::cosh(half / a))).abs() / LINK, 0.2)
        };
        all.iter().map(off).reduce(Reading::or_worse)
    });
    // The pull sideways is w a everywhere, w the weight of a metre.
    let mass = stage.world.measure().mass;
    stage.check_at_end("tension", move |world| {
        let expected = mass * 9.81 / long * a;
        let pull = |&joint: &JointId| {
            let shown = world.joint(joint).map_or(f64::NAN, |j| j.force().x.to_f64().abs());
            Reading::at_most((shown / expected - 1.0).abs(), 0.03)
        };
        ends.iter().map(pull).reduce(Reading::or_worse)
    });
    stage.check_said("rest", Said::at_most("speed('link-*')", 0.01).at_end());
    Ok(())
}

/// The a of a catenary whose half has this length between points that are `half` from the middle, by bisection: sinh is
/// steeper than any line.
fn catenary(half: f64, length: f64) -> f64 {
    let (mut low, mut high) = (0.01 * half, 100.0 * half);
    for _ in 0..80 {
        let a = 0.5 * (low + high);
        if a * libm::sinh(half / a) > length {
            low = a;
        } else {
            high = a;
        }
    }
    0.5 * (low + high)
}
