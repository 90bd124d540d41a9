//! A table made of five boxes.

use super::props::{Things, body, cuboid, cylinder, floor, sphere, tune};
use crate::error::Result;
use crate::{Camera, Parameter, Reading, Said, Scene, Stage, Values};
use tumble::math::{Pose, Real, Vec3};
use tumble::shape::{CompoundChild, Shape};
use tumble::{BodyDesc, Material};

/// Length, thickness and depth of the top; thickness and height of a leg; where the legs are.
const TOP: [f64; 3] = [1.6, 0.04, 0.8];
const LEG: [f64; 2] = [0.06, 0.7];
const FOOT: [f64; 2] = [0.7, 0.3];
const DENSITY: f64 = 600.0;

pub fn scene() -> Scene {
    Scene::new("table", build)
        .seed("003, S21")
        .description("A table, one body of five boxes, is dropped by a hand's breadth. It stands on its legs, plates and mugs stay on it, and a ball rolls through underneath.")
        .parameter(Parameter::new("drop", 0.1).range(0.0, 0.3).unit("m").help("Height of the fall"))
        .parameter(Parameter::new("plates", 4.0).range(1.0, 10.0).whole().help("Plates in the pile"))
        .camera(Camera::new([1.5, 1.6, 2.8], [0.0, 0.5, 0.0]))
        .check("mass", "The mass is the sum of the boxes'; error as a share", "")
        .check("inertia", "So are its moments of inertia about its centre; largest error as a share", "")
        .check("stands", "In the end it stands level; its tilt", "°")
        .check("height", "Its top is where the legs hold it; error", "m")
        .check("carries", "What was on it is still on it; how many things are not", "")
        .check("through", "The ball comes out on the other side; how far behind the table", "m")
}

fn build(stage: &mut Stage, values: &Values) -> Result<()> {
    let drop = values.get("drop")?;
    tune(stage, 0.3)?;
    let wood = Material::default().with_density(DENSITY as Real);
    floor(stage, wood.clone())?;
    let mut parts = vec![(TOP, Vec3::new(0.0, LEG[1] + 0.5 * TOP[1], 0.0))];
    for i in 0..4 {
        let side = |bit: u32, at: f64| if i & bit == 0 { -at } else { at };
        parts.push(([LEG[0], LEG[1], LEG[0]], Vec3::new(side(1, FOOT[0]), 0.5 * LEG[1], side(2, FOOT[1]))));
    }
    let mut children = Vec::new();
    for &(edges, at) in &parts {
        children.push(CompoundChild::new(cuboid(stage, edges)?, Pose::from_translation(at.to_real())));
    }
    let shape = stage.engine(|_| Shape::compound(children))?;
    let table = body(stage, BodyDesc::dynamic().name("table").position([0.0, drop, 0.0]), shape, &wood)?;
    let mut load = Things::default();
    let china = Material::default().with_density(2400.0);
    let shape = cylinder(stage, 0.02, 0.12)?;
    let level = LEG[1] + TOP[1] + drop;
    for i in 0..values.count("plates")? {
        let at = [-0.4, level + 0.01 + 0.021 * f64::from(i), 0.0];
        load.add(stage, BodyDesc::dynamic().name(format!("plate-{i}")).position(at), shape.clone(), china.clone())?;
    }
    let shape = cylinder(stage, 0.1, 0.04)?;
    for i in 0..3 {
        let at = [0.1 + 0.2 * f64::from(i), level + 0.05, 0.1 * f64::from(i % 2)];
        load.add(stage, BodyDesc::dynamic().name(format!("mug-{i}")).position(at), shape.clone(), china.clone())?;
    }
    let shape = sphere(stage, 0.1)?;
    let ball = BodyDesc::dynamic().name("ball").position([0.1, 0.1, 2.0]).can_sleep(false);
    let ball = ball.linear_velocity([0.0, 0.0, -1.0]).angular_velocity([-10.0, 0.0, 0.0]);
    body(stage, ball, shape, &wood)?;
    stage.run_for(4.0);

    let (mass, moments) = analytic(&parts);
    stage.check_at_end("mass", move |world| {
        let found = world.body(table).map_or(f64::NAN, |b| b.mass());
        Some(Reading::at_most((found / mass - 1.0).abs(), 1e-5))
    });
    stage.check_at_end("inertia", move |world| {
        let found = world.body(table).ok()?.mass_properties()?.inertia;
        let off = |(found, expected): (f64, f64)| Reading::at_most((found / expected - 1.0).abs(), 1e-5);
        [found.xx, found.yy, found.zz].into_iter().zip(moments).map(off).reduce(Reading::or_worse)
    });
    stage.check_said("stands", Said::at_most("tilt('table') / 1 deg", 0.5).at_end());
    stage.check_said("height", Said::at_most("abs(y('table'))", 0.01).at_end());
    stage.check_at_end("carries", move |world| {
        load.outside(world, [-0.8, LEG[1] + TOP[1], -0.4], [0.8, LEG[1] + TOP[1] + 1.0, 0.4])
    });
    stage.check_said("through", Said::at_least("-z('ball') - 0.4", 0.5).at_end());
    Ok(())
}

/// Mass, and moments about the axes through the centre of mass: m (b² + c²)/12 of each box, and m d² for its distance.
fn analytic(parts: &[([f64; 3], Vec3<f64>)]) -> (f64, [f64; 3]) {
    let of = |edges: &[f64; 3]| edges[0] * edges[1] * edges[2] * DENSITY;
    let mass: f64 = parts.iter().map(|(edges, _)| of(edges)).sum();
    let centre = parts.iter().fold(Vec3::ZERO, |sum, (edges, at)| sum + *at * of(edges)) / mass;
    let mut moments = [0.0; 3];
    for (edges, at) in parts {
        let (m, d) = (of(edges), *at - centre);
        let (e, d) = (edges.map(|v| v * v), [d.x * d.x, d.y * d.y, d.z * d.z]);
        for (i, moment) in moments.iter_mut().enumerate() {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            *moment += m * ((e[j] + e[k]) / 12.0 + d[j] + d[k]);
        }
    }
    (mass, moments)
}
