//! A trebuchet.

use super::props::{body, cuboid, floor, joint, place, sphere, velocity};
use crate::error::Result;
use crate::{Camera, Cue, Parameter, Reading, Said, Scene, Stage, Values};
use tumble::math::{Float, Num, Point, Quat, Real, Vec3};
use tumble::{BodyDesc, ColliderDesc, JointDesc, Layers, Material, World};

/// Height of the axle, long and short arm of the beam, how far the counterweight hangs below it, length of the sling, in metres.
const AXLE: f64 = 3.0;
const LONG: f64 = 4.0;
const SHORT: f64 = 1.0;
const HANG: f64 = 0.6;
const SLING: f64 = 3.0;
/// Radius and mass of the stone, mass of the beam.
const STONE: [f64; 2] = [0.12, 15.0];
const BEAM: f64 = 80.0;

pub fn scene() -> Scene {
    Scene::new("trebuchet", build)
        .seed("beyond the seeds")
        .description("A counterweight falls and swings a long beam round; a sling at its end swings a stone round still faster and lets it go.")
        .parameter(Parameter::new("counterweight", 1500.0).range(500.0, 4000.0).unit("kg").help("Its mass"))
        .parameter(Parameter::new("release", 0.84).range(0.5, 1.2).unit("s").help("When the sling lets go"))
        .camera(Camera::new([10.0, 8.0, 30.0], [14.0, 5.0, 0.0]))
        .check("range", "The stone flies far; where it comes down", "m")
        .check("speed", "It flies faster than the end of the beam ever goes; ratio", "")
        .check("efficiency", "Its energy is a good share of what the counterweight has lost, and no more; share", "")
        .check("flight", "After that it flies a parabola: where it comes down, from its speed then; error as a share", "")
        .check("gap", "No joint comes apart; widest", "m")
}

fn build(stage: &mut Stage, values: &Values) -> Result<()> {
    let (weight, release) = (values.get("counterweight")?, values.get("release")?);
    let wood = Material::default();
    floor(stage, Material::default().with_friction(0.3))?;
    // The parts meet nothing but the floor: layer 2 is theirs.
    let apart = Layers { member: 2, meets: 1 };
    // The end of the long arm begins just over the floor, behind; the short arm points up and ahead.
    let down = Float::asin((AXLE - 0.3) / LONG);
    let ahead = Point::new(Float::cos(down), Float::sin(down), 0.0);
    let axle = Point::Y * AXLE;
    let (tip, hook) = (axle - ahead * LONG, axle + ahead * SHORT);
    let mut part = |desc: BodyDesc, edges: [f64; 3]| {
        let shape = ColliderDesc::new(cuboid(stage, edges)?).material(wood.clone()).layers(apart);
        stage.engine(|world| world.add_body(desc.can_sleep(false).collider(shape)))
    };
    let beam = BodyDesc::dynamic().name("beam").position((tip + hook) * 0.5).mass(BEAM as Real);
    let beam = part(beam.turned(Vec3::Z, down as Real), [LONG + SHORT, 0.15, 0.15])?;
    let low = hook - Point::Y * HANG;
    let load = BodyDesc::dynamic().name("counterweight").position(low).mass(weight as Real);
    let load = part(load, [0.8, 0.8, 0.8])?;
    for side in [-1.0, 1.0] {
        let shape = cuboid(stage, [0.2, AXLE, 0.2])?;
        body(stage, BodyDesc::fixed().name("post").position([0.0, 0.5 * AXLE, 0.8 * side]), shape, &wood)?;
    }
    let start = Point::new(tip.x + (SLING * SLING - (tip.y - STONE[0]) * (tip.y - STONE[0])).sqrt(), STONE[0], 0.0);
    let stone = BodyDesc::dynamic().name("stone").position(start).mass(STONE[1] as Real).can_sleep(false);
    let shape = ColliderDesc::new(sphere(stage, STONE[0])?).material(wood.clone().with_friction(0.1)).layers(apart);
    let stone = stage.engine(|world| world.add_body(stone.collider(shape)))?;
    joint(stage, JointDesc::hinge(World::BODY, beam).anchor(axle).axis(Vec3::Z).name("axle"))?;
    joint(stage, JointDesc::hinge(beam, load).anchor(hook).axis(Vec3::Z).name("hanger"))?;
    let at_tip = Point::new(-0.5 * (LONG + SHORT), 0.0, 0.0);
    let sling = JointDesc::rope(beam, stone, SLING as Real).frame_a(at_tip, Quat::IDENTITY);
    let sling = joint(stage, sling.frame_b(Point::ZERO, Quat::IDENTITY).name("sling"))?;
    stage.at(release, Cue::Release(sling));
    stage.run_for(release + 9.0);

    let of_tip = move |world: &World| {
        world.body(beam).map_or(f64::NAN, |b| b.velocity_at(b.to_world(at_tip.to_real())).to_f64().length())
    };
    let begin = height(&stage.world, load) * weight;
    let beam_begin = height(&stage.world, beam) * BEAM;
    let mut shot: Option<Shot> = None;
    let mut see = move |world: &World| {
        if world.time() < release + 0.01 {
            return None;
        }
        let found = *shot.get_or_insert_with(|| Shot {
            at: place(world, stone),
            velocity: velocity(world, stone),
            given: 9.81 * (begin - height(world, load) * weight + beam_begin - height(world, beam) * BEAM),
        });
        Some(found)
    };
    let mut look = see;
    let (mut range, mut landed) = (0.0, false);
    stage.check_always("range", move |world| {
        let p = place(world, stone);
        landed |= world.time() > release + 1.0 && p.y < 1.5 * STONE[0];
        range = if landed { range } else { p.x };
        (world.time() > release + 8.9).then(|| Reading::at_least(range, 150.0))
    });
    let mut fastest = 0.0;
    stage.check_always("speed", move |world| {
        fastest = Num::max(fastest, of_tip(world));
        let shot = look(world)?;
        Some(Reading::at_least(shot.velocity.length() / fastest, 1.2))
    });
    let mut look = see;
    stage.check_always("efficiency", move |world| {
        let shot = look(world)?;
        let energy = STONE[1] * (0.5 * shot.velocity.dot(shot.velocity) + 9.81 * (shot.at.y - STONE[0]));
        Some(Reading::between(energy / shot.given, 0.3, 1.0))
    });
    let mut landed = false;
    stage.check_always("flight", move |world| {
        let shot = see(world)?;
        let p = place(world, stone);
        if landed || p.y > 1.5 * STONE[0] {
            return None;
        }
        landed = true;
        let fall = shot.velocity.y + (shot.velocity.y * shot.velocity.y + 2.0 * 9.81 * (shot.at.y - p.y)).sqrt();
        let expected = shot.at.x + shot.velocity.x * fall / 9.81;
        Some(Reading::at_most(((p.x - shot.at.x) / (expected - shot.at.x) - 1.0).abs(), 0.03))
    });
    stage.check_said("gap", Said::at_most("gap()", 0.02));
    Ok(())
}

/// The stone when it is let go, and what beam and counterweight have lost until then, in joules.
#[derive(Clone, Copy)]
struct Shot {
    at: Point,
    velocity: Vec3<f64>,
    given: f64,
}

fn height(world: &World, id: tumble::BodyId) -> f64 {
    world.body(id).map_or(f64::NAN, |b| b.centre_of_mass().y)
}
