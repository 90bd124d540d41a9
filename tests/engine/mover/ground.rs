//! Flat ground and slopes.

use super::*;
use crate::support::eps;

// On the flat a mover goes exactly as fast as it is told, keeps its height, and keeps its skin; also 100 km away.
#[test]
fn walks_at_the_speed_that_it_is_told() {
    for far in [0.0, 1e5] {
        let mut world = World::new();
        fixed_box(&mut world, [far, -1.0, 0.0], [60.0, 1.0, 60.0]);
        let mut walker = Walker::new(world, [far, HALF + SKIN, 0.0]);
        walker.steps(10, [0.0; 3]);
        assert!(walker.mover.is_grounded());
        let (start, height) = (walker.at(), walker.at().y);
        for i in 0..300 {
            walker.step([3.0, 0.0, -4.0]);
            assert!((walker.at().y - height).abs() < 2e-5, "step {i}: {}", walker.at().y - height);
        }
        let gone = walker.at() - start;
        // Rounding of each displacement, to f32 or f64, and of the sum at that distance.
        let allowed = 300.0 * (DT * 5.0 * eps() + 1e5 * f64::EPSILON);
        assert!((gone - Vec3::new(15.0, gone.y, -20.0)).length() < allowed, "{gone:?}");
        assert!((walker.clearance() - SKIN).abs() < 1e-4, "{}", walker.clearance());
    }
}

// Falls at the rate of the fall, lands without a bounce, and stands.
#[test]
fn falls_and_lands() {
    let mut world = World::new();
    let ground = floor(&mut world);
    let mut walker = Walker::new(world, [0.0, 5.0, 0.0]);
    let mut lowest = f64::INFINITY;
    for i in 0..120 {
        walker.step([0.0; 3]);
        lowest = lowest.min(walker.at().y);
        if i == 29 {
            // g dt² n (n + 1)/2
            assert!((5.0 - walker.at().y - 9.81 * DT * DT * 465.0).abs() < 1e-4);
        }
    }
    assert!((walker.at().y - HALF - SKIN).abs() < 1e-4 && lowest > HALF + SKIN - 1e-4);
    let stood = walker.mover.ground().unwrap();
    assert_eq!(stood.body, ground);
    assert!((stood.normal - Vec3::Y).length() < 1e-4);
}

// Up and down a slope that is not too steep, with the same speed seen from above and a height that follows it; it stands on it
// without creeping.
#[test]
fn slopes_below_the_limit() {
    for degrees in [10.0, 30.0, 43.0] {
        let mut world = World::new();
        slope(&mut world, degrees);
        let tangent = degrees.to_radians().tan();
        // The round foot touches the slope beside its middle: its centre is (r + skin)/cos above the surface.
        let height = |x: f64| x * tangent + (0.3 + SKIN) / degrees.to_radians().cos() + 0.6;
        let mut walker = Walker::new(world, [0.0, height(0.0) + 0.01, 0.0]);
        walker.steps(30, [0.0; 3]);
        assert!(walker.mover.is_grounded());
        for speed in [2.0, -2.0] {
            for _ in 0..100 {
                let moved = walker.step([speed, 0.0, 0.0]);
                assert!((moved.x as f64 - speed * DT).abs() < 1e-6, "{degrees}°: {moved:?}");
                let error = walker.at().y - height(walker.at().x);
                assert!(error.abs() < 0.1 * SKIN, "{degrees}°: {error:e} off the slope");
                assert!(walker.mover.is_grounded());
            }
        }
        let before = walker.at();
        walker.steps(300, [0.0; 3]);
        assert!((walker.at() - before).length() < 1e-4, "{degrees}°: creeps by {:e}", (walker.at() - before).length());
    }
}

// Across a slope the course is kept: nobody drifts downhill.
#[test]
fn walks_across_a_slope() {
    let mut world = World::new();
    slope(&mut world, 30.0);
    let mut walker = Walker::new(world, [0.0, 1.3, 0.0]);
    walker.steps(30, [0.0; 3]);
    let start = walker.at();
    walker.steps(120, [0.0, 0.0, 2.0]);
    let gone = walker.at() - start;
    assert!((gone.z - 4.0).abs() < 1e-4 && gone.x.abs() < 1e-3 && gone.y.abs() < 1e-3, "{gone:?}");
}

// A slope that is too steep is a wall to who walks against it, and a slide to who falls on it.
#[test]
fn slopes_above_the_limit() {
    for degrees in [50.0, 70.0] {
        let mut world = World::new();
        slope(&mut world, degrees);
        floor(&mut world);
        let mut walker = Walker::new(world.clone(), [-3.0, HALF + SKIN, 0.0]);
        for _ in 0..240 {
            walker.step([2.0, 0.0, 0.5]);
            assert!(walker.at().y < HALF + 1.5 * SKIN, "{degrees}°: climbs to {}", walker.at().y);
        }
        assert!(walker.mover.is_grounded());
        // Along the wall it goes on.
        assert!((walker.at().z - 2.0).abs() < 0.05, "{degrees}°: {}", walker.at().z);

        let mut faller = Walker::new(world, [4.0, 4.0 * degrees.to_radians().tan() + 1.7, 0.0]);
        for _ in 0..240 {
            faller.step([1.0, 0.0, 0.0]);
        }
        assert!(faller.at().y < HALF + 1.5 * SKIN, "{degrees}°: hangs at {}", faller.at().y);
        assert!(faller.mover.is_grounded() && faller.clearance() > 0.0);
    }
}

// Between the angles it climbs and slides: it goes up when told and comes down when not.
#[test]
fn climbs_what_it_slides_on() {
    let mut world = World::new();
    slope(&mut world, 35.0);
    let desc = MoverDesc { slide_angle: real(0.5), climb_angle: real(0.8), ..MoverDesc::default() };
    let mut walker = Walker::with(world, [0.0, 1.3, 0.0], desc);
    walker.steps(60, [0.0; 3]);
    assert!(!walker.mover.is_grounded() && walker.mover.ground().is_some());
    assert!(walker.at().x < -0.2, "does not slide: {:?}", walker.at());
    // A mover that does not add up its fall climbs.
    let from = walker.at();
    for _ in 0..60 {
        let dt = real(DT);
        walker.mover.advance(&mut walker.world, &walker.shape, [2.0 * dt, -0.1 * dt, 0.0], dt).unwrap();
    }
    assert!(walker.at().x - from.x > 1.5 && walker.at().y - from.y > 1.0, "{:?}", walker.at() - from);
}

// Any way up: the same walk on a wall.
#[test]
fn up_is_any_way() {
    let mut world = World::new();
    let wall = Shape::half_space(Vec3::new(-1.0, 0.0, 0.0), 0.0).unwrap();
    world.add_body(BodyDesc::fixed().collider(wall)).unwrap();
    let desc = MoverDesc { up: Vec3::new(-2.0, 0.0, 0.0), ..MoverDesc::default() };
    let mut walker = Walker::with(world, [-2.0, 0.0, 0.0], desc);
    walker.up = -Vec3::X;
    let turn = Quat::between(Vec3::Y, -Vec3::X);
    walker.mover.set_pose(WorldPose::new([-2.0, 0.0, 0.0], turn)).unwrap();
    walker.steps(60, [0.0; 3]);
    assert!(walker.mover.is_grounded());
    assert!((walker.at().x + HALF + SKIN).abs() < 1e-4, "{:?}", walker.at());
    walker.steps(60, [0.0, 2.0, 1.0]);
    assert!((walker.at() - Vec3::new(-HALF - SKIN, 2.0, 1.0)).length() < 1e-3, "{:?}", walker.at());
}

// A brink is no ground for who hangs on it by the rim of the foot, and one that walks over it falls.
#[test]
fn walks_off_a_brink() {
    let mut world = World::new();
    fixed_box(&mut world, [0.0, -5.0, 0.0], [2.0, 5.0, 2.0]);
    let mut walker = Walker::new(world, [0.0, HALF + SKIN, 0.0]);
    walker.steps(68, [2.0, 0.0, 0.0]);
    assert!(walker.at().x > 2.25);
    walker.steps(60, [0.0; 3]);
    assert!(walker.at().y < -1.0, "hangs at {:?}", walker.at());
}
