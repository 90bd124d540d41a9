//! A semicircular arch of wedges.

use super::props::{Things, floor, tune};
use crate::error::Result;
use crate::{Camera, Parameter, Said, Scene, Stage, Values};
use tumble::math::{Float, Vec3};
use tumble::shape::Shape;
use tumble::{BodyDesc, Material};

pub fn scene() -> Scene {
    Scene::new("arch", build)
        .seed("beyond the seeds")
        .description(
            "Wedges without mortar in a half circle. Each would fall but for its neighbours; the thrust of all goes down to \
             the floor, where friction holds it.",
        )
        .parameter(Parameter::new("wedges", 15.0).range(3.0, 101.0).whole().help("How many"))
        .parameter(Parameter::new("friction", 0.7).range(0.6, 2.0).help("Coefficient of friction"))
        .camera(Camera::new([1.0, 1.2, 5.0], [0.0, 0.7, 0.0]))
        .check("stands", "No wedge leaves its place; farthest, in thicknesses of the arch", "")
}

fn build(stage: &mut Stage, values: &Values) -> Result<()> {
    let count = values.count("wedges")?;
    let material = Material::default().with_friction(values.real("friction")?).with_density(2400.0);
    let (inner, outer, half) = (1.0, 1.3, 0.2);
    tune(stage, outer - inner)?;
    floor(stage, material.clone())?;
    let mut wedges = Things::default();
    let step = f64::PI / f64::from(count);
    for i in 0..count {
        // In its own frame a wedge is upright, with its origin on the middle line of the arch.
        let middle = 0.5 * (inner + outer);
        let corners: Vec<Vec3> = (0..8)
            .map(|k| {
                let angle = if k & 1 == 0 { -0.5 } else { 0.5 } * step;
                let r = if k & 2 == 0 { inner } else { outer };
                let z = if k & 4 == 0 { -half } else { half };
                Vec3::new(-r * Float::sin(angle), r * Float::cos(angle) - middle, z).to_real()
            })
            .collect();
        let angle = (f64::from(i) + 0.5) * step;
        let at = Vec3::new(middle * Float::cos(angle), middle * Float::sin(angle), 0.0);
        let turn = (angle - f64::PI / 2.0) as tumble::math::Real;
        let desc = BodyDesc::dynamic().name(format!("wedge-{i}")).position(at).turned(Vec3::Z, turn);
        let shape = stage.engine(|_| Shape::hull(&corners))?;
        wedges.add(stage, desc, shape, material.clone())?;
    }
    stage.run_for(60.0);
    stage.check_said("stands", Said::at_most(format!("moved('wedge-*') / {}", outer - inner), 0.15));
    Ok(())
}
