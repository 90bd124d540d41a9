//! Stairs.

use super::*;

/// Ten steps up along +x from x = 1, then a landing.
fn stairs(rise: f64, tread: f64, mesh: bool) -> World {
    let mut world = World::new();
    if mesh {
        let mut profile = vec![(-20.0, 0.0)];
        for i in 0..10 {
            let x = 1.0 + tread * f64::from(i);
            profile.push((x, rise * f64::from(i)));
            profile.push((x, rise * f64::from(i + 1)));
        }
        profile.push((60.0, 10.0 * rise));
        let mut vertices = Vec::new();
        for &(x, y) in &profile {
            vertices.push(Vec3::new(real(x), real(y), -3.0));
            vertices.push(Vec3::new(real(x), real(y), 3.0));
        }
        let quads = profile.len() as u32 - 1;
        let triangles = (0..quads).flat_map(|i| [[2 * i, 2 * i + 1, 2 * i + 2], [2 * i + 1, 2 * i + 3, 2 * i + 2]]);
        let shape = one_sided(vertices, triangles.collect());
        world.add_body(BodyDesc::fixed().collider(shape)).unwrap();
    } else {
        floor(&mut world);
        for i in 0..10 {
            let (x, top) = (1.0 + tread * f64::from(i), rise * f64::from(i + 1));
            let end = if i == 9 { 60.0 } else { x + tread };
            fixed_box(&mut world, [0.5 * (x + end), 0.5 * top, 0.0], [0.5 * (end - x), 0.5 * top, 3.0]);
        }
    }
    world
}

// Up and down stairs at the speed of the flat: every single step forward is a full one, the height only rises on the way up and only
// falls on the way down, and all the while it stands on the ground.
fn up_and_down(rise: f64, tread: f64, speed: f64, mesh: bool, shape: Shape) {
    let label = format!("rise {rise}, tread {tread}, {speed} m/s, mesh {mesh}, {shape:?}");
    let mut walker = Walker::new(stairs(rise, tread, mesh), [0.0, HALF + SKIN, 0.0]);
    walker.shape = shape;
    walker.steps(5, [0.0; 3]);
    let far = ((2.0 + 10.0 * tread) / speed / DT) as usize;
    let mut height = walker.at().y;
    for i in 0..far {
        let moved = walker.step([speed, 0.0, 0.0]);
        assert!((moved.x as f64 / (speed * DT) - 1.0).abs() < 1e-4, "{label}: step {i} up goes {moved:?}");
        assert!(walker.mover.is_grounded(), "{label}: step {i} up is in the air");
        assert!(walker.at().y > height - 0.1 * SKIN, "{label}: step {i} up sinks by {:e}", height - walker.at().y);
        assert!(walker.clearance() > 0.5 * SKIN, "{label}: step {i} up comes near: {}", walker.clearance());
        height = walker.at().y;
    }
    assert!((height - 10.0 * rise - HALF - SKIN).abs() < 0.1 * SKIN, "{label}: ends at {height}");
    for i in 0..far {
        let moved = walker.step([-speed, 0.0, 0.0]);
        assert!((moved.x as f64 / (-speed * DT) - 1.0).abs() < 1e-4, "{label}: step {i} down goes {moved:?}");
        assert!(walker.mover.is_grounded(), "{label}: step {i} down is in the air");
        assert!(walker.at().y < height + 0.1 * SKIN, "{label}: step {i} down hops by {:e}", walker.at().y - height);
        height = walker.at().y;
    }
    assert!((height - HALF - SKIN).abs() < 0.1 * SKIN, "{label}: comes back at {height}");
}

#[test]
fn up_and_down_stairs_at_constant_speed() {
    for rise in [0.1, 0.15, 0.2, 0.25, 0.3] {
        for speed in [1.0, 3.0] {
            up_and_down(rise, 0.3, speed, false, person());
        }
        up_and_down(rise, 0.3, 2.0, true, person());
    }
}

#[test]
fn a_box_goes_up_and_down_stairs() {
    up_and_down(0.2, 0.8, 2.0, false, Shape::cuboid(0.3, 0.9, 0.3).unwrap());
}

// What is higher than a step is a wall, and what is not deep enough is no step.
#[test]
fn walls_and_rails_are_no_steps() {
    for (half, passes) in [([0.5, 0.17, 3.0], true), ([0.5, 0.19, 3.0], false), ([0.03, 0.1, 3.0], false)] {
        let mut world = World::new();
        floor(&mut world);
        fixed_box(&mut world, [2.0, half[1], 0.0], half);
        let mut walker = Walker::new(world, [0.0, HALF + SKIN, 0.0]);
        walker.steps(180, [2.0, 0.0, 0.0]);
        assert_eq!(walker.at().x > 4.0, passes, "{half:?}: {:?}", walker.at());
        assert!((walker.at().y - HALF - SKIN).abs() < 1e-3, "{half:?}: {:?}", walker.at());
    }
}

// Steps are climbed at an angle, too.
#[test]
fn at_an_angle() {
    let mut walker = Walker::new(stairs(0.2, 0.4, false), [0.0, HALF + SKIN, -1.5]);
    walker.steps(240, [1.5, 0.0, 0.6]);
    assert!((walker.at().x - 6.0).abs() < 0.02 && (walker.at().z - 0.9).abs() < 0.02, "{:?}", walker.at());
    assert!((walker.at().y - 2.0 - HALF - SKIN).abs() < 1e-3);
}

// A crate that can be moved is climbed only where that is allowed.
#[test]
fn crates_are_climbed_if_allowed() {
    for allowed in [true, false] {
        let mut world = World::new();
        floor(&mut world);
        let crate_ = Shape::cuboid(0.5, 0.12, 0.5).unwrap();
        let heavy = BodyDesc::dynamic().position([2.0, 0.12, 0.0]).mass(4000.0).collider(crate_);
        world.add_body(heavy).unwrap();
        let desc = MoverDesc { step_on_dynamic: allowed, ..MoverDesc::default() };
        let mut walker = Walker::with(world, [0.0, HALF + SKIN, 0.0], desc);
        let mut highest = 0.0;
        for _ in 0..120 {
            walker.step([2.0, 0.0, 0.0]);
            highest = f64::max(highest, walker.at().y);
        }
        assert_eq!(highest > HALF + 0.2, allowed, "{highest}");
        assert_eq!(walker.at().x > 3.0, allowed, "{:?}", walker.at());
    }
}
