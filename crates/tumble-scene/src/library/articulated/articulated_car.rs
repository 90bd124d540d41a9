//! A car of links: sprung struts, steered and driven wheels.

use super::super::props::{floor, tune};
use super::{add, coordinate};
use crate::error::Result;
use crate::{Camera, Parameter, Reading, Scene, Stage, Values};
use tumble::articulation::{ArticulationDesc, Dof, LinkDesc};
use tumble::math::{Float, Num, Quat, Real};
use tumble::shape::Shape;
use tumble::{BodyDesc, ColliderDesc, Material, World};

/// Radius of a wheel, half the wheelbase and half the track, in metres.
const RADIUS: f64 = 0.35;
const BASE: f64 = 1.3;
const TRACK: f64 = 0.8;
/// Mass of a wheel, in kg.
const WHEEL: f64 = 20.0;
/// Torque on each rear wheel, in N m.
const TORQUE: f64 = 250.0;

pub fn scene() -> Scene {
    Scene::new("articulated-car", build)
        .seed("004, vehicles; 000-20")
        .description("A car as one tree: four struts without mass on damped springs, four wheels on them. It settles on its springs; then torque on the rear wheels drives it over bumps.")
        .parameter(Parameter::new("mass", 1_000.0).range(500.0, 1_500.0).unit("kg").help("Of the hull"))
        .camera(Camera::new([6.0, 3.0, 8.0], [4.0, 0.5, 0.0]))
        .check("settled", "It stands on its springs as deep as its weight presses them; ratio", "")
        .check("rolls", "Its wheels roll without slip on the flat: speed over ω r", "")
        .check("drives", "It is as fast as the torque makes it; ratio of the speed before the bumps", "")
        .check("upright", "It stays on its wheels; largest lean", "rad")
}

const STIFFNESS: f64 = 30_000.0;

fn build(stage: &mut Stage, values: &Values) -> Result<()> {
    let mass = values.get("mass")?;
    tune(stage, 0.5)?;
    floor(stage, Material::default())?;
    let (hull, wheel, bump) = stage.engine(|_| {
        Ok((Shape::cuboid(1.8, 0.3, 0.6)?, Shape::cylinder(0.1, RADIUS as Real)?, Shape::cuboid(0.2, 0.05, 3.0)?))
    })?;
    for i in 0..5_u32 {
        let at = [30.0 + 2.0 * f64::from(i), 0.0, 0.0];
        stage.engine(|world| world.add_body(BodyDesc::fixed().position(at).collider(bump.clone())))?;
    }
    let mut desc = ArticulationDesc::new().name("car");
    // Where the springs are neither pressed nor drawn, the wheels just touch the floor.
    let height = RADIUS + 0.45;
    let hull = BodyDesc::dynamic().collider(hull).mass(mass as Real).can_sleep(false).name("hull");
    let hull = desc.add(LinkDesc::free(hull).position(&[0.0, height, 0.0, 0.0, 0.0, 0.0, 1.0]));
    let mut wheels = Vec::new();
    for (x, z) in [(-BASE, -TRACK), (-BASE, TRACK), (BASE, -TRACK), (BASE, TRACK)] {
        let spring = Dof { stiffness: STIFFNESS, damping: 2_500.0, ..Dof::default() }.limits(-0.15, 0.25);
        let strut = LinkDesc::prismatic(BodyDesc::dynamic().name(format!("strut-{}", wheels.len())), [0.0, 1.0, 0.0]);
        let strut = desc.add(strut.massless().parent(hull).at([x, -0.45, z]).dof(0, spring));
        // The axis of a cylinder is y: laid on its side.
        let round =
            ColliderDesc::new(wheel.clone()).rotation(Quat::from_axis_angle([1.0, 0.0, 0.0].into(), 0.5 * Real::PI));
        let body = BodyDesc::dynamic().collider(round.friction(1.0)).mass(WHEEL as Real).can_sleep(false);
        let body = body.name(format!("wheel-{}", wheels.len()));
        wheels.push(desc.add(LinkDesc::revolute(body, [0.0, 0.0, 1.0]).parent(strut)));
    }
    let id = add(stage, desc)?;
    let inertia = stage.engine(|world| {
        let tree = world.articulation(id)?;
        let k = tree.dofs_of(wheels[0])?.start;
        Ok(tree.mass_matrix()[k * tree.dofs() + k])
    })?;
    let go = 3.0;
    let rear = [wheels[0], wheels[1]];
    stage.drive(move |world| {
        if world.time() >= go {
            let mut tree = world.articulation_mut(id)?;
            for wheel in rear {
                // Forwards along x is backwards about z.
                tree.set_force(wheel, 0, -TORQUE)?;
            }
        }
        Ok(())
    });
    stage.run_for(13.0);
    // Of 16 coordinates 7 are the hull's; then strut and wheel in turn.
    stage.check_always("settled", move |world| {
        let pressed: f64 = [0, 1, 2, 3].iter().map(|i| coordinate(world, id, 7 + 2 * i)).sum::<f64>() / 4.0;
        let still = world.time() > go - 0.1 && world.time() < go;
        still.then(|| Reading::between(pressed * 4.0 * STIFFNESS / (mass * super::G), 0.98, 1.02))
    });
    let hull_speed = move |world: &World| super::speed(world, id, 0);
    stage.check_always("rolls", move |world| {
        let x = coordinate(world, id, 0);
        let spins = |i: usize| -super::speed(world, id, 7 + 2 * i) * RADIUS;
        let flat = world.time() > go + 1.0 && x < 26.0;
        flat.then(|| Reading::between(hull_speed(world) / (0.25 * (0..4).map(spins).sum::<f64>()), 0.95, 1.05))
    });
    let mut start = None;
    stage.check_always("drives", move |world| {
        let (x, t) = (coordinate(world, id, 0), world.time());
        if t >= go && start.is_none() {
            start = Some(t);
        }
        // m v' = 2 τ/r, with the wheels' inertia as mass.
        let all = mass + 4.0 * WHEEL + 4.0 * inertia / (RADIUS * RADIUS);
        let expected = 2.0 * TORQUE / RADIUS / all * (t - start?);
        (x < 26.0 && t > start? + 2.0).then(|| Reading::between(hull_speed(world) / expected, 0.93, 1.05))
    });
    stage.check_always("upright", move |world| {
        let hull = world.body(world.articulation(id).ok()?.link(0).ok()?).ok()?;
        let up: tumble::math::Vec3 = hull.rotation().rotate(tumble::math::Vec3::Y);
        Some(Reading::at_most(f64::from(Num::sqrt(up.x * up.x + up.z * up.z)), 0.2))
    });
    Ok(())
}
