//! Ground that moves.

use super::*;
use tumble::BodyDesc;

/// The place of the mover in the frame of the platform.
fn relative(walker: &Walker, platform: BodyId) -> Vec3<f64> {
    let pose = walker.world.body(platform).unwrap().pose();
    pose.rotation.to_f64().normalized().unrotate(walker.at() - pose.translation)
}

fn platform(kind: BodyDesc) -> BodyDesc {
    kind.position([0.0, -0.5, 0.0]).collider(Shape::cuboid(5.0, 0.5, 5.0).unwrap())
}

/// Rides for ten seconds, on which `drive` sets the platform's motion, and says how far it strayed on it.
fn ride(body: BodyDesc, mut drive: impl FnMut(&mut World, BodyId, f64)) -> (f64, Walker) {
    let mut world = World::new();
    let platform = world.add_body(body).unwrap();
    let mut walker = Walker::new(world, [1.0, HALF + SKIN, 2.0]);
    walker.step([0.0; 3]);
    let start = relative(&walker, platform);
    let mut strayed = 0.0;
    for i in 0..600 {
        drive(&mut walker.world, platform, f64::from(i) * DT);
        walker.step([0.0; 3]);
        assert!(walker.mover.is_grounded(), "step {i}: in the air");
        strayed = f64::max(strayed, (relative(&walker, platform) - start).length());
    }
    (strayed, walker)
}

// 1 mm in 10 s is what is asked for; what is reached is the tolerance of the casts.
#[test]
fn rides_on_what_moves_by_itself() {
    let velocities = [
        ([2.0, 0.0, 1.0], [0.0; 3]),
        ([0.0, 1.5, 0.0], [0.0; 3]),
        ([0.0, -3.0, 0.0], [0.0; 3]),
        ([0.0; 3], [0.0, 1.0, 0.0]),
        ([1.0, 0.5, 0.0], [0.0, -2.0, 0.0]),
    ];
    for (linear, angular) in velocities {
        let (strayed, _) = ride(platform(BodyDesc::kinematic()), |world, id, _| {
            let (v, w) = (Vec3::<f64>::from(linear).to_real(), Vec3::<f64>::from(angular).to_real());
            world.body_mut(id).unwrap().set_velocity(v, w).unwrap();
        });
        assert!(strayed < 1e-3, "{linear:?} {angular:?}: strays by {strayed:e}");
    }
}

// A platform that goes to and fro and turns, on targets; it also turns the mover.
#[test]
fn rides_on_what_has_a_target() {
    let at = |t: f64| {
        let turn = Quat::from_axis_angle(Vec3::Y, real(1.5 * (0.7 * t).sin()));
        WorldPose::new([3.0 * t.sin(), -0.5 + (1.3 * t).sin(), 2.0 * (t * 0.5).sin()], turn)
    };
    let (strayed, walker) = ride(platform(BodyDesc::kinematic()), |world, id, t| {
        world.body_mut(id).unwrap().set_target(at(t + DT)).unwrap();
    });
    assert!(strayed < 1e-3, "strays by {strayed:e}");
    let angle = walker.mover.pose().rotation.angle_to(at(10.0).rotation) as f64;
    assert!(angle < 1e-3, "is turned otherwise by {angle}");
}

// A dynamic body under way carries it, and feels its weight.
#[test]
fn rides_on_a_dynamic_body() {
    let body = platform(BodyDesc::dynamic()).mass(1000.0).gravity_scale(0.0).linear_velocity([1.0, 0.0, 0.0]);
    let (strayed, walker) = ride(body.angular_velocity([0.0, 0.3, 0.0]).locks(upright()), |_, _, _| {});
    assert!(strayed < 1e-3, "strays by {strayed:e}");
    assert!(walker.mover.ground().unwrap().velocity.length() > 0.5);

    // On a raft of mass m held up by nothing else, the mover's weight M g makes M g/m.
    let mut world = World::new();
    let raft = world.add_body(platform(BodyDesc::dynamic()).mass(1000.0).gravity_scale(0.0).locks(upright())).unwrap();
    let mut walker = Walker::new(world, [0.0, HALF + SKIN, 0.0]);
    walker.steps(61, [0.0; 3]);
    let speed = walker.world.body(raft).unwrap().linear_velocity().y as f64;
    assert!((speed / (-0.08 * 9.81) - 1.0).abs() < 0.05, "sinks at {speed}");
}

fn upright() -> tumble::Locks {
    tumble::Locks::TURN_X | tumble::Locks::TURN_Z
}

// A wall does not let a platform carry it through.
#[test]
fn is_scraped_off_by_a_wall() {
    let mut world = World::new();
    let id = world.add_body(platform(BodyDesc::kinematic()).linear_velocity([1.0, 0.0, 0.0])).unwrap();
    fixed_box(&mut world, [3.0, 3.0, 0.0], [0.5, 2.9, 10.0]);
    let mut walker = Walker::new(world, [0.0, HALF + SKIN, 0.0]);
    for _ in 0..240 {
        walker.step([0.0; 3]);
        assert!(walker.clearance() > 0.0, "{}", walker.clearance());
    }
    assert!((walker.at().x - (2.5 - 0.3 - SKIN)).abs() < 0.5 * SKIN, "{:?}", walker.at());
    assert!(walker.mover.is_grounded() && walker.mover.ground().unwrap().body == id);
}

// Walking on a platform is walking on the flat and being carried, added up; a jump may begin with the ground's velocity.
#[test]
fn walks_on_a_platform() {
    let mut world = World::new();
    let id = world.add_body(platform(BodyDesc::kinematic()).linear_velocity([1.0, 0.2, 0.0])).unwrap();
    let mut walker = Walker::new(world, [0.0, HALF + SKIN, 0.0]);
    walker.step([0.0; 3]);
    let start = relative(&walker, id);
    walker.steps(60, [0.0, 0.0, -2.0]);
    assert!((relative(&walker, id) - start - Vec3::new(0.0, 0.0, -2.0)).length() < 1e-3);
    assert!((walker.mover.ground().unwrap().velocity - Vec3::new(1.0, 0.2, 0.0).to_real()).length() < 1e-3);
}

// Ground that is taken away lets it fall.
#[test]
fn falls_when_the_ground_is_gone() {
    let mut world = World::new();
    let id = world.add_body(platform(BodyDesc::fixed())).unwrap();
    let mut walker = Walker::new(world, [0.0, HALF + SKIN, 0.0]);
    walker.steps(5, [0.0; 3]);
    assert!(walker.mover.is_grounded());
    walker.world.remove_body(id).unwrap();
    walker.steps(30, [0.0; 3]);
    assert!(!walker.mover.is_grounded() && walker.at().y < HALF - 0.5);
}

// Who is put somewhere else takes its body there at once: nothing on the way feels it, and what stands at the goal is not struck.
#[test]
fn a_body_is_put_where_its_mover_is_put() {
    let mut world = World::new();
    floor(&mut world);
    let body = BodyDesc::kinematic().position([0.0, HALF + SKIN, 0.0]).collider(person());
    let body = world.add_body(body).unwrap();
    let crates = [10.0, 21.0].map(|x| {
        let crate_ = BodyDesc::dynamic().position([x, 0.5, 0.0]).collider(Shape::cuboid(0.5, 0.5, 0.5).unwrap());
        world.add_body(crate_).unwrap()
    });
    let mut walker = Walker::new(world, [0.0; 3]);
    walker.mover = Mover::with_body(MoverDesc::default(), &walker.world, body).unwrap();
    walker.steps(60, [0.0; 3]);
    let place = |walker: &Walker, id| walker.world.body(id).unwrap().position();
    let before = crates.map(|id| place(&walker, id));
    walker.mover.set_pose(WorldPose::from_translation([20.0, HALF + SKIN, 0.0])).unwrap();
    walker.step([0.0, 0.0, 1.0]);
    assert_eq!(place(&walker, body), walker.at(), "it is there after the step");
    walker.steps(60, [0.0, 0.0, 1.0]);
    assert!((walker.at() - Vec3::new(20.0, HALF + SKIN, 61.0 * DT)).length() < 1e-3, "{:?}", walker.at());
    for (id, before) in crates.into_iter().zip(before) {
        let moved = (place(&walker, id) - before).length();
        assert!(moved < 1e-3, "a crate at {before:?} has moved by {moved}");
    }
}
