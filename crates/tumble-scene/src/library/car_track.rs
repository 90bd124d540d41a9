//! A car on a track with bumps and a loop.

use super::props::{body, cuboid, cylinder, floor, joint, place, pointing, velocity};
use crate::error::Result;
use crate::{Camera, Parameter, Reading, Scene, Stage, Values};
use tumble::constraint::joint::Wheel;
use tumble::constraint::{Motor, Signal};
use tumble::math::{Float, Mat3, Num, Point, Quat, Real, Vec3};
use tumble::{BodyDesc, JointDesc, JointId, Material, World};

/// Length, height and breadth of the chassis; radius and breadth of a wheel; where the wheels are.
const CHASSIS: [f64; 3] = [2.0, 0.35, 1.0];
const WHEEL: [f64; 2] = [0.3, 0.2];
const AXLES: [f64; 2] = [0.7, 0.65];
/// How far the suspension travels either way.
const TRAVEL: f64 = 0.12;
/// Where the bumps are, and how high.
const BUMPS: [f64; 2] = [5.0, 9.0];
const BUMP: f64 = 0.08;
/// Speed over the bumps, and when the car speeds up and for how long.
const SLOW: f64 = 3.0;
const FASTER: [f64; 2] = [4.0, 3.0];
/// Where the loop begins, its radius, and how far it goes aside on the way round.
const LOOP: f64 = 38.0;
const RADIUS: f64 = 3.0;
const ASIDE: f64 = 3.2;
/// Slabs of which the loop is made, and their breadth.
const SLABS: u32 = 72;
const BREADTH: f64 = 2.4;
/// From the middle of the lane to the rails on either side of it.
const RAIL: f64 = 0.82;

pub fn scene() -> Scene {
    Scene::new("car-track", build)
        .seed("001, D4")
        .description(
            "A car with four driven wheels on damped springs goes slowly over two bumps, speeds up, and goes through a loop, upside down at \
             the top. Gravity is lowered, as in the original.",
        )
        .parameter(Parameter::new("speed", 9.0).range(7.0, 12.0).unit("m/s").help("Speed in the loop"))
        .parameter(Parameter::new("gravity", 3.0).range(1.0, 4.0).unit("m/s²").help("Strength of gravity"))
        .camera(Camera::new([14.0, 6.0, 20.0], [18.0, 2.0, 1.0]))
        .check("bumps", "The car goes over both bumps and keeps upright; how far it leans before the loop", "°")
        .check("suspension", "The wheels stay on their struts; farthest beyond their stops", "m")
        .check("top", "The car passes the top of the loop; how high it gets, in radii", "")
        .check("upside-down", "It is upside down there; least upward part of its up", "")
        .check("out", "It leaves the loop upright, beside where it came in; farthest off its lane", "m")
        .check("goes-on", "It goes on at the speed of its motors; error as a share", "")
}

fn build(stage: &mut Stage, values: &Values) -> Result<()> {
    let (speed, gravity) = (values.get("speed")?, values.real("gravity")?);
    stage.engine(|world| world.set_gravity([0.0, -gravity, 0.0]))?;
    let (rubber, steel) = (Material::default().with_friction(1.0), Material::default().with_friction(0.2));
    floor(stage, rubber.clone())?;
    for (i, x) in BUMPS.into_iter().enumerate() {
        // The upper part of a long cylinder that lies in the floor.
        let shape = cylinder(stage, 3.0, 0.6)?;
        let desc = BodyDesc::fixed().name(format!("bump-{i}")).position([x, BUMP - 0.6, 0.0]);
        body(stage, desc.turned(Vec3::X, Real::from_f64(f64::PI / 2.0)), shape, &rubber)?;
    }
    ring(stage, &rubber)?;

    let high = WHEEL[0] + 0.1;
    let shape = cuboid(stage, CHASSIS)?;
    let drive = Point::new(SLOW, 0.0, 0.0);
    let moving = |desc: BodyDesc| desc.can_sleep(false).linear_velocity(drive.to_real());
    let chassis = moving(BodyDesc::dynamic().name("chassis").position([0.0, high + 0.15, 0.0]).mass(400.0));
    let chassis = body(stage, chassis, shape, &steel)?;
    let shape = cylinder(stage, WHEEL[1], WHEEL[0])?;
    let mut struts = Vec::new();
    for i in 0..4_u32 {
        let side = |bit: u32, at: f64| if i & bit == 0 { -at } else { at };
        let hub = Point::new(side(1, AXLES[0]), WHEEL[0], side(2, AXLES[1]));
        let desc = moving(BodyDesc::dynamic().name(format!("wheel-{i}")).position(hub).mass(20.0));
        // The cylinder lies along the axle, z.
        let desc = desc.turned(Vec3::X, Real::from_f64(f64::PI / 2.0));
        let turning = |speed: f64| Real::from_f64(-speed / WHEEL[0]);
        let desc = desc.angular_velocity([0.0, 0.0, turning(SLOW)]);
        let wheel = body(stage, desc, shape.clone(), &rubber)?;
        let [start, duration] = FASTER;
        let spin = Signal::Ramp { from: turning(SLOW), to: turning(speed), start, duration };
        let spin = Motor::velocity(spin).max_force(300.0);
        let kind = Wheel { spin: Some(spin), ..Wheel::new(3.0, 0.7, TRAVEL as Real) };
        let upright = Quat::from_axis_angle(Vec3::Z, Real::from_f64(f64::PI / 2.0));
        let on_chassis = hub - Point::new(0.0, high + 0.15, 0.0);
        let strut = JointDesc::wheel(chassis, wheel, kind).frame_a(on_chassis, upright);
        let lying = Quat::from_axis_angle(Vec3::X, -Real::from_f64(f64::PI / 2.0)) * upright;
        struts.push(joint(stage, strut.frame_b(Point::ZERO, lying).name(format!("strut-{i}")))?);
    }
    // When the car should have come so far.
    let [start, duration] = FASTER;
    let when = move |x: f64| start + duration + (x - SLOW * start - 0.5 * (SLOW + speed) * duration) / speed;
    let out = LOOP + 2.0 * f64::PI * RADIUS;
    stage.run_for(when(out + 12.0) + 0.5);

    let up = move |world: &World| pointing(world, chassis, Vec3::Y);
    stage.check_always("bumps", move |world| {
        let lean = Float::acos(up(world).y) / f64::PI * 180.0;
        (world.time() < when(LOOP - 3.0)).then(|| Reading::at_most(lean, 15.0))
    });
    stage.check_always("suspension", move |world| {
        let beyond = |id: &JointId| {
            let x = world.joint(*id).ok().and_then(|joint| joint.value()).map_or(f64::NAN, Float::to_f64);
            Reading::at_most(x.abs() - TRAVEL, 0.02)
        };
        struts.iter().map(beyond).reduce(Reading::or_worse)
    });
    // What the run is about comes late; nothing to say before the car should be out.
    let late = move |world: &World| world.time() > when(out + 2.0);
    let (mut highest, mut least) = (0.0, 1.0);
    stage.check_always("top", move |world| {
        highest = Num::max(highest, place(world, chassis).y / RADIUS);
        late(world).then(|| Reading::at_least(highest, 1.7))
    });
    stage.check_always("upside-down", move |world| {
        least = Num::min(least, up(world).y);
        late(world).then(|| Reading::at_most(least, -0.95))
    });
    let lane = ASIDE * Float::cos(slant());
    // Where it comes back to the floor; a car that does not has not come out.
    let (mut seen, end) = (false, when(out + 12.0));
    stage.check_always("out", move |world| {
        let p = place(world, chassis);
        let off = if up(world).y > 0.98 { (p.z - lane).abs() } else { f64::NAN };
        let here = late(world) && (LOOP + 2.0..LOOP + 4.5).contains(&p.x);
        let lost = !seen && world.time() > end;
        seen |= here;
        (here || lost).then(|| Reading::at_most(if lost { f64::NAN } else { off }, 1.2))
    });
    stage.check_at_end("goes-on", move |world| {
        Some(Reading::at_most((velocity(world, chassis).length() / speed - 1.0).abs(), 0.1))
    });
    Ok(())
}

/// The angle between the car's way and the plane of the loop. A car that does not steer goes on a cylinder as on a plane that was
/// rolled up, along a helix; slanted by this angle it has gone aside by ASIDE after one turn.
fn slant() -> f64 {
    Float::atan2(ASIDE, 2.0 * f64::PI * RADIUS)
}

/// The loop: slabs along the helix, each with its upper face towards the axis.
fn ring(stage: &mut Stage, material: &Material) -> Result<()> {
    const THICK: f64 = 0.2;
    let (sin, cos) = (Float::sin(slant()), Float::cos(slant()));
    let (across, axis) = (Vec3::new(cos, 0.0, -sin), Vec3::new(sin, 0.0, cos));
    let step = 2.0 * f64::PI / f64::from(SLABS);
    let long = step * (RADIUS * RADIUS + ASIDE * ASIDE / (4.0 * f64::PI * f64::PI)).sqrt();
    for i in 0..SLABS {
        let angle = (f64::from(i) + 0.5) * step;
        let (s, c) = (Float::sin(angle), Float::cos(angle));
        let inward = Vec3::Y * c - across * s;
        // The middle of a slab is nearer to the axis than its ends, by which the circle is cut.
        let near = RADIUS * Float::cos(0.5 * step);
        let at = Vec3::X * LOOP + Vec3::Y * RADIUS - inward * near + axis * (ASIDE * angle / (2.0 * f64::PI));
        let along = (across * c + Vec3::Y * s) * RADIUS + axis * (ASIDE / (2.0 * f64::PI));
        let along = along / along.length();
        let turn = Quat::from_mat3(&Mat3::from_columns(along, inward, along.cross(inward))).to_real();
        let shape = cuboid(stage, [long, THICK, BREADTH])?;
        let desc = BodyDesc::fixed().name(format!("slab-{i}")).position(at - inward * (0.5 * THICK)).rotation(turn);
        body(stage, desc, shape, material)?;
        for side in [-1.0, 1.0] {
            // Each rail ends nearer to the lane than the next one begins, so that no wheel runs against an end; and the
            // lane is wider where it begins.
            let wider = 0.02 * f64::from(6_u32.saturating_sub(i));
            let at = at + along.cross(inward) * (side * (RAIL + wider + 0.05)) + inward * 0.1;
            let turn = turn * Quat::from_axis_angle(Vec3::Y, Real::from_f64(0.08 * side));
            let shape = cuboid(stage, [long, 0.3, 0.1])?;
            let desc = BodyDesc::fixed().name(format!("rail-{i}")).position(at).rotation(turn);
            body(stage, desc, shape, &Material::default().with_friction(0.0))?;
        }
    }
    Ok(())
}
