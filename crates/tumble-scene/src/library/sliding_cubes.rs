//! Cubes on slopes, each with its own friction.

use super::props::{Things, tune};
use crate::error::Result;
use crate::{Camera, Parameter, Reading, Scene, Stage, Values};
use tumble::math::{Float, Point, Real, Vec3};
use tumble::shape::Shape;
use tumble::{BodyDesc, ColliderDesc, Material};

const CUBES: u32 = 7;
/// Edge of a cube, and from where it starts to the floor, in metres.
const EDGE: f64 = 0.4;
const WAY: f64 = 4.0;

pub fn scene() -> Scene {
    Scene::new("sliding-cubes", build)
        .seed("001, D1")
        .description(
            "Seven cubes on seven slopes, with frictions from none to just enough. Six slide, each with its own acceleration, and crash onto \
             the floor; the last one stays.",
        )
        .parameter(Parameter::new("angle", 20.0).range(5.0, 40.0).unit("°").help("Angle of the slopes"))
        .parameter(Parameter::new("gravity", 9.81).range(1.0, 20.0).unit("m/s²").help("Strength of gravity"))
        .parameter(
            Parameter::new("last", 1.02).range(0.5, 2.0).help("Friction of the last cube, as a share of what just holds it"),
        )
        .camera(Camera::new([10.0, 6.0, 12.0], [4.0, -2.0, 3.0]))
        .check("slide", "Those that slide have come g (sin α - μ cos α) t²/2 far; largest error as a share", "")
        .check("order", "The less friction, the farther; least lead of one over the next when the first arrives, as a share of the way", "")
        .check("crash", "The six come down to the floor; how many do not", "")
        .check("stick", "The last stays where it is; how far it has come", "m")
}

fn build(stage: &mut Stage, values: &Values) -> Result<()> {
    let (angle, gravity, last) = (values.get("angle")? * f64::PI / 180.0, values.get("gravity")?, values.get("last")?);
    let (sin, cos) = (Float::sin(angle), Float::cos(angle));
    tune(stage, 0.4)?;
    let down = Vec3::new(0.0, -values.real("gravity")?, 0.0);
    stage.engine(|world| world.set_gravity(down))?;
    let (normal, along) = (Point::new(sin, cos, 0.0), Point::new(cos, -sin, 0.0));
    let mut cubes = Things::default();
    let mut accelerations = Vec::new();
    for i in 0..CUBES {
        // The six in equal steps to what holds at least.
        let share = if i + 1 == CUBES { last } else { f64::from(i) / f64::from(CUBES - 1) };
        let mu = share * sin / cos;
        accelerations.push(gravity * (sin - mu * cos));
        let material = Material::default().with_friction(mu as Real);
        let z = f64::from(i);
        // It begins a metre above the cube, and ends in the floor.
        let half = 0.5 * WAY + 1.0;
        let ramp =
            ColliderDesc::new(stage.engine(|_| Shape::cuboid(half as Real, 0.5, 0.4))?).material(material.clone());
        let middle = normal * -0.5 + along * (half - 1.0) + Point::Z * z;
        let ramp = BodyDesc::fixed().name(format!("ramp-{i}")).position(middle).collider(ramp);
        stage.engine(|world| world.add_body(ramp.turned(Vec3::Z, -angle as Real)))?;
        let shape = stage.engine(|_| Shape::cuboid(0.2, 0.2, 0.2))?;
        let desc = BodyDesc::dynamic().name(format!("cube-{i}")).position(normal * 0.2 + Point::Z * z);
        cubes.add(stage, desc.turned(Vec3::Z, -angle as Real), shape, material)?;
    }
    // The front edge of a cube meets the floor when it has come this far.
    let level = -WAY * sin;
    stage.engine(|world| {
        let floor = ColliderDesc::new(Shape::half_space(Vec3::Y, level as Real)?);
        world.add_body(BodyDesc::fixed().name("floor").collider(floor))
    })?;
    // How long each takes to come most of the way, on which nothing but its slope acts on it.
    let arrive = move |acceleration: f64| (2.0 * 0.9 * (WAY - EDGE) / acceleration).sqrt();
    let slowest = accelerations[CUBES as usize - 2];
    let first = arrive(accelerations[0]);
    stage.run_for(1.2 * arrive(slowest) + 1.0);

    let gone = move |world: &tumble::World, cubes: &Things, i: usize| {
        world.body(cubes.ids[i]).map_or(f64::NAN, |b| (b.position() - cubes.start[i]).dot(along))
    };
    let all = cubes.clone();
    let sliding = CUBES as usize - 1;
    stage.check_always("slide", move |world| {
        let t = world.time();
        // In the second half of its time: before, the way is hardly longer than what contacts give way.
        let under_way = |i: &usize| (0.5 * arrive(accelerations[*i])..arrive(accelerations[*i])).contains(&t);
        let off = |i: usize| (gone(world, &all, i) / (0.5 * accelerations[i] * t * t) - 1.0).abs();
        (0..sliding).filter(under_way).map(|i| Reading::at_most(off(i), 0.02)).reduce(Reading::or_worse)
    });
    let all = cubes.clone();
    stage.check_always("order", move |world| {
        let lead = |i: usize| (gone(world, &all, i) - gone(world, &all, i + 1)) / WAY;
        let now = world.time() > 0.95 * first && world.time() < first;
        // In equal steps of friction each leads the next by a sixth of what the first has come.
        let least = || (0..sliding).map(|i| Reading::at_least(lead(i), 0.1)).reduce(Reading::or_worse);
        if now { least() } else { None }
    });
    let all = cubes.clone();
    stage.check_at_end("crash", move |world| {
        // Whichever way up it lies, its middle is no higher than half its diagonal.
        let is_down = |id: &tumble::BodyId| world.body(*id).is_ok_and(|b| b.position().y - level < 0.9 * EDGE);
        let missing = all.ids[..sliding].iter().filter(|id| !is_down(id)).count();
        Some(Reading::at_most(missing as f64, 0.0))
    });
    stage.check_always("stick", move |world| {
        Some(Reading::at_most(gone(world, &cubes, CUBES as usize - 1).abs(), 1e-3))
    });
    Ok(())
}
