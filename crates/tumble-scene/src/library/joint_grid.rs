//! A net of balls and ball joints that hangs from its upper edge.

use super::props::{Things, tune};
use crate::error::Result;
use crate::{Camera, Parameter, Said, Scene, Stage, Values};
use tumble::math::Real;
use tumble::shape::Shape;
use tumble::{BodyDesc, BodyId, JointDesc, Material};

pub fn scene() -> Scene {
    Scene::new("joint-grid", build)
        .seed("beyond the seeds")
        .description("A net of balls, each joined to its neighbours, hangs from its upper edge and swings to and fro: joints and nothing else.")
        .parameter(Parameter::new("size", 8.0).range(2.0, 100.0).whole().help("Balls along each edge"))
        .parameter(Parameter::new("push", 1.0).range(0.0, 5.0).unit("m/s").help("Speed of the lowest row at the start"))
        .camera(Camera::new([4.0, -4.0, 16.0], [4.0, -4.0, 0.0]))
        .check("gap", "No joint comes apart; widest", "m")
        .check("hangs", "No ball flies away from its place in the net; farthest, in edges of the net", "")
}

fn build(stage: &mut Stage, values: &Values) -> Result<()> {
    let (size, push) = (values.count("size")?, values.real("push")?);
    tune(stage, 1.0)?;
    let shape = stage.engine(|_| Shape::sphere(0.4))?;
    let mut balls = Things::default();
    let edge = f64::from(size);
    let mut above: Vec<BodyId> = Vec::new();
    for row in 0..size {
        let mut here: Vec<BodyId> = Vec::new();
        for column in 0..size {
            let at = [f64::from(column), -f64::from(row), 0.0];
            let desc = if row == 0 {
                BodyDesc::fixed()
            } else {
                // The farther down, the faster, as a net swings.
                BodyDesc::dynamic().linear_velocity([0.0, 0.0, push * row as Real / size as Real])
            };
            let desc = desc.name(format!("ball-{row}-{column}")).position(at);
            let id = balls.add(stage, desc, shape.clone(), Material::default())?;
            if let Some(&upper) = above.get(column as usize) {
                let joint = JointDesc::ball(upper, id).anchor([at[0], at[1] + 0.5, 0.0]);
                stage.engine(|world| world.add_joint(joint))?;
            }
            // Between the fixed ones there is nothing to hold.
            if let Some(&left) = here.last().filter(|_| row > 0) {
                let joint = JointDesc::ball(left, id).anchor([at[0] - 0.5, at[1], 0.0]);
                stage.engine(|world| world.add_joint(joint))?;
            }
            here.push(id);
        }
        above = here;
    }
    stage.run_for(3.0);
    // A stretch of 3 % of the spacing.
    stage.check_said("gap", Said::at_most("gap()", 0.03).at_end());
    stage.check_said("hangs", Said::at_most(format!("moved('ball-*') / {}", edge), 0.8).at_end());
    Ok(())
}
