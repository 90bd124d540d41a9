//! A stone that prefers to turn one way.

use super::props::{floor, spin, tune};
use crate::error::Result;
use crate::{Camera, Parameter, Reading, Said, Scene, Stage, Values};
use tumble::math::{Float, Num, Point, Vec3};
use tumble::shape::Shape;
use tumble::{BodyDesc, ColliderDesc, Material};

/// Half-axes of the ellipsoid whose lower half the stone is, in metres.
const AXES: [f64; 3] = [0.1, 0.015, 0.02];
/// Points from the middle of the belly to its ends and to its sides.
const POINTS: [i32; 2] = [24, 10];
/// Where the weights on top are: they lie across the corner, so that the stone's inertia is askew to its belly.
const WEIGHT: [f64; 2] = [0.07, 0.01];
/// From one stone to the other.
const APART: f64 = 0.3;

pub fn scene() -> Scene {
    Scene::new("rattleback", build)
        .seed("beyond the seeds")
        .description(
            "Two equal stones with long round bellies and weights laid askew are spun, one each way. The one spins on; the other begins to rattle, \
             stops, and turns back.",
        )
        .parameter(Parameter::new("spin", 5.0).range(3.0, 8.0).unit("rad/s").help("How fast they are spun"))
        .parameter(Parameter::new("friction", 0.5).range(0.3, 1.0).help("Coefficient of friction"))
        .camera(Camera::new([0.15, 0.3, 0.45], [0.15, 0.0, 0.0]).field_of_view(35.0))
        .check("reverses", "The stone that is spun the wrong way turns back; fastest then, as a share of its spin", "")
        .check("rattles", "It rattles on the way; how fast it rocks, as a share of its spin", "")
        .check("keeps-on", "The other one does not turn back in two seconds; slowest, as a share of its spin", "")
        .check("energy", "Nothing brings energy; highest as a share of what turns at the start, above it", "")
}

fn build(stage: &mut Stage, values: &Values) -> Result<()> {
    let (turn, friction) = (values.get("spin")?, values.real("friction")?);
    tune(stage, 0.02)?;
    // The facets of the belly are a millimetre wide where it touches.
    stage.prefer_dt(1.0 / 480.0)?;
    let material = Material::default().with_friction(friction);
    floor(stage, material.clone())?;
    let belly = stage.engine(|_| belly())?;
    let weight = stage.engine(|_| Shape::cuboid(0.01, 0.004, 0.003))?;
    let mut stones = Vec::new();
    for (i, sign) in [1.0, -1.0].into_iter().enumerate() {
        let desc = BodyDesc::dynamic().name(format!("stone-{i}")).position([APART * i as f64, AXES[1], 0.0]);
        // A trace of rocking at the start, as every hand gives it.
        let desc = desc.can_sleep(false).angular_velocity(Vec3::new(0.02, sign * turn, 0.02).to_real());
        let mut desc = desc.collider(ColliderDesc::new(belly.clone()).material(material.clone()));
        for side in [-1.0, 1.0] {
            let at = Vec3::new(side * WEIGHT[0], 0.004, side * WEIGHT[1]).to_real();
            let lead = ColliderDesc::new(weight.clone()).material(material.clone()).density(8000.0);
            desc = desc.collider(lead.at(at));
        }
        stones.push(stage.engine(|world| world.add_body(desc))?);
    }
    stage.run_for(4.0);

    let [wrong, right] = [stones[0], stones[1]];
    let mut least = 0.0;
    stage.check_always("reverses", move |world| {
        least = Num::min(least, spin(world, wrong).y / turn);
        (world.time() > 3.9).then(|| Reading::at_most(least, -0.05))
    });
    let mut rocking = 0.0;
    stage.check_always("rattles", move |world| {
        let w = spin(world, wrong);
        rocking = Num::max(rocking, (w.x * w.x + w.z * w.z).sqrt() / turn);
        (world.time() > 3.9).then(|| Reading::at_least(rocking, 0.2))
    });
    stage.check_always("keeps-on", move |world| {
        (world.time() < 2.0).then(|| Reading::at_least(-spin(world, right).y / turn, 0.2))
    });
    let (start, turns) = (stage.world.measure().energy(), stage.world.measure().kinetic);
    stage.check_said("energy", Said::at_most(format!("(energy() - ({start:e})) / ({turns:e})"), 0.02));
    Ok(())
}

/// The hull of points on the lower half of the ellipsoid, denser towards the middle, where it touches.
fn belly() -> tumble::Result<Shape> {
    let [a, c, b] = AXES;
    let [n, m] = POINTS;
    let spread = |k: i32, n: i32| {
        let u = f64::from(k) / f64::from(n);
        u * Float::exp(0.6 * Float::ln(Num::max(u.abs(), 1e-9)))
    };
    let mut points = Vec::new();
    for i in -n..=n {
        for j in -m..=m {
            let (x, z) = (spread(i, n), spread(j, m));
            let r2 = x * x + z * z;
            if r2 <= 1.0 {
                points.push(Point::new(a * x, -c * (1.0 - r2).sqrt(), b * z).to_real());
            }
        }
    }
    for k in 0..24 {
        let angle = 2.0 * f64::PI * f64::from(k) / 24.0;
        points.push(Point::new(a * Float::cos(angle), 0.0, b * Float::sin(angle)).to_real());
    }
    Shape::hull(&points)
}
