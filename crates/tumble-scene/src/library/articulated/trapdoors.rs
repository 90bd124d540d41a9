//! Trapdoors that bear a load, and then let it fall: on motors that let go, and on springs that give way to what is heavy.

use super::super::props::{Things, floor, sphere, tune};
use super::{add, coordinate};
use crate::error::Result;
use crate::{Camera, Parameter, Reading, Scene, Stage, Values};
use tumble::articulation::{ArticulationDesc, Dof, LinkDesc, Motor};
use tumble::math::{Num, Point};
use tumble::shape::Shape;
use tumble::{ArticulationId, BodyDesc, Material, World};

/// Height of the doors, in metres.
const HIGH: f64 = 3.0;

/// Marbles on the doors with springs, in kg. A door weighs 49 N m about its hinge and is held shut with 120 N m; a marble is 0.75 m off the hinge, so that the
/// door gives way to more than 9.7 kg.
const MARBLES: [f64; 3] = [2.0, 20.0, 40.0];

pub fn scene() -> Scene {
    Scene::new("trapdoors", build)
        .seed("001, table A.1")
        .description("Three pairs of trapdoors bear crates on motors of limited strength. One pair after the other lets go, and the crates fall through. Damped springs hold three more shut: one bears its marble, heavier ones open theirs, and the doors swing shut behind them.")
        .parameter(Parameter::new("crates", 3.0).range(1.0, 6.0).whole().help("Crates on each pair"))
        .camera(Camera::new([0.0, 4.0, 10.0], [0.0, 2.0, 0.0]))
        .check("closed", "The doors bear their crates until they open; largest sag", "rad")
        .check("fallen", "All crates have fallen through in the end; how many have not", "")
        .check("open", "The doors hang open at their limit in the end; worst angle off it", "rad")
        .check("bears", "A spring holds its door shut under a light marble; largest sag", "rad")
        .check("gives", "Heavy marbles open their doors; how far the less", "rad")
        .check("shut", "They fall, and springs shut the doors again; how many of either do not", "")
}

fn opens_at(pair: usize) -> f64 {
    1.0 + 0.5 * pair as f64
}

fn build(stage: &mut Stage, values: &Values) -> Result<()> {
    let crates = values.count("crates")?;
    tune(stage, 0.3)?;
    floor(stage, Material::default())?;
    let (door, crate_) = stage.engine(|_| Ok((Shape::cuboid(0.5, 0.05, 0.6)?, Shape::cuboid(0.25, 0.25, 0.25)?)))?;
    let mut doors: Vec<ArticulationId> = Vec::new();
    let mut things = Things::default();
    for pair in 0..3_usize {
        let x = 3.0 * (pair as f64 - 1.0);
        let mut desc = ArticulationDesc::new().name(format!("doors-{pair}"));
        for side in [-1.0_f64, 1.0] {
            let body = BodyDesc::dynamic()
                .collider(door.clone())
                .mass(10.0)
                .name(format!("door-{pair}-{}", i32::from(side > 0.0)));
            // Both fold downwards: about z, the left one by a negative angle.
            let dof = Dof { damping: 5.0, ..Dof::default() }.limits(0.0, 1.4).motor(Motor::velocity(-1.0, 5_000.0));
            let link = LinkDesc::revolute(body, [0.0, 0.0, side as _]).at([x + side * 1.02, HIGH, 0.0]);
            desc.add(link.anchor([side * 0.5, 0.0, 0.0]).dof(0, dof));
        }
        doors.push(add(stage, desc)?);
        for i in 0..crates {
            let desc = BodyDesc::dynamic().position(Point::new(x, HIGH + 0.3 + 0.5 * f64::from(i), 0.0));
            things.add(stage, desc.name(format!("crate-{pair}-{i}")), crate_.clone(), Material::default())?;
        }
    }
    let mut desc = ArticulationDesc::new().name("sprung-doors");
    let mut marbles = Things::default();
    for (i, mass) in MARBLES.into_iter().enumerate() {
        let x = 3.0 * (i as f64 - 1.0);
        let body = BodyDesc::dynamic().collider(door.clone()).mass(10.0).name(format!("sprung-door-{i}"));
        let dof = Dof { stiffness: 200.0, damping: 20.0, ..Dof::default() }.limits(0.0, 1.4);
        let link = LinkDesc::revolute(body, [0.0, 0.0, 1.0]).at([x + 0.5, HIGH, 2.5]).anchor([0.5, 0.0, 0.0]);
        desc.add(link.dof(0, dof).rest(&[-0.6]));
        let marble = BodyDesc::dynamic().position(Point::new(x - 0.25, HIGH + 0.25, 2.5)).mass(mass as _);
        let shape = sphere(stage, 0.2)?;
        marbles.add(stage, marble.name(format!("marble-{i}")), shape, Material::default())?;
    }
    let sprung = add(stage, desc)?;
    let driven = doors.clone();
    stage.drive(move |world| {
        for (pair, &id) in driven.iter().enumerate() {
            let open = world.time() >= opens_at(pair);
            let mut tree = world.articulation_mut(id)?;
            for side in 0..2 {
                if open && tree.view().dof(side, 0)?.motor != Motor::OFF {
                    tree.set_motor(side, 0, Motor::OFF)?;
                }
            }
        }
        Ok(())
    });
    stage.run_for(6.0);
    let of_pairs = move |world: &World, doors: &[ArticulationId], pair: usize, want: f64| {
        Num::max((coordinate(world, doors[pair], 0) - want).abs(), (coordinate(world, doors[pair], 1) - want).abs())
    };
    let watched = doors.clone();
    stage.check_always("closed", move |world| {
        let closed = (0..3).filter(|&pair| world.time() < opens_at(pair));
        closed.map(|pair| Reading::at_most(of_pairs(world, &watched, pair, 0.0), 5e-3)).reduce(Reading::or_worse)
    });
    stage.check_at_end("fallen", move |world| {
        let above = things.ids.iter().filter(|&&id| !world.body(id).is_ok_and(|b| b.position().y < HIGH - 0.5)).count();
        Some(Reading::at_most(above as f64, 0.0))
    });
    stage.check_at_end("open", move |world| {
        (0..3).map(|pair| Reading::at_most(of_pairs(world, &doors, pair, 1.4), 0.02)).reduce(Reading::or_worse)
    });
    stage.check_always("bears", move |world| Some(Reading::at_most(coordinate(world, sprung, 0).abs(), 5e-3)));
    let mut widest = [0.0; 2];
    stage.check_always("gives", move |world| {
        widest = [0, 1].map(|i| Num::max(widest[i], coordinate(world, sprung, i + 1)));
        (world.time() > 5.0).then(|| Reading::at_least(Num::min(widest[0], widest[1]), 0.2))
    });
    stage.check_at_end("shut", move |world| {
        let fallen = |&i: &usize| world.body(marbles.ids[i]).is_ok_and(|b| b.position().y < HIGH - 0.5);
        let shut = |&i: &usize| coordinate(world, sprung, i).abs() < 5e-3;
        let not = [1, 2].iter().map(|i| usize::from(!fallen(i)) + usize::from(!shut(i))).sum::<usize>();
        Some(Reading::at_most(not as f64, 0.0))
    });
    Ok(())
}
