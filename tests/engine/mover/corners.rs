//! Walls, corners, gaps and ceilings.

use super::*;

// Along a wall what is left of the motion is its part along the wall, exactly, and it does not come nearer than the skin.
#[test]
fn slides_along_a_wall() {
    let mut world = World::new();
    floor(&mut world);
    fixed_box(&mut world, [3.0, 2.0, 0.0], [1.0, 2.0, 20.0]);
    let mut walker = Walker::new(world, [0.0, HALF + SKIN, 0.0]);
    walker.steps(60, [3.0, 0.0, 1.0]);
    let z = walker.at().z;
    for _ in 0..120 {
        let moved = walker.step([3.0, 0.0, 1.0]);
        assert!((moved.z as f64 - DT).abs() < 1e-6 && moved.x.abs() < 1e-5, "{moved:?}");
        assert!((walker.clearance() - SKIN).abs() < 0.1 * SKIN, "{}", walker.clearance());
    }
    assert!((walker.at().z - z - 2.0).abs() < 1e-4);
    assert!(
        walker.mover.collisions().iter().any(|c| (c.normal + Vec3::X).length() < 1e-3 && (c.speed - 3.0).abs() < 1e-3)
    );
}

// In corners of any angle it comes to rest and stays there, to a hundredth of the skin, whichever way it pushes into them.
#[test]
fn rests_in_inner_corners() {
    for degrees in [30.0, 60.0, 90.0, 120.0, 150.0] {
        let mut world = World::new();
        floor(&mut world);
        let half = f64::to_radians(degrees) * 0.5;
        for side in [1.0, -1.0] {
            let normal = Vec3::new(-half.sin(), 0.0, -side * half.cos()).to_real();
            world
                .add_body(BodyDesc::fixed().collider(Shape::half_space(normal, real(-4.0 * half.sin())).unwrap()))
                .unwrap();
        }
        let mut walker = Walker::new(world, [-2.0, HALF + SKIN, 0.0]);
        // Two walls whose crease is met at an angle lead sideways until the other wall is met as well.
        for aim in [[3.0, 0.0, 0.1], [3.0, 0.0, -0.4]] {
            walker.steps(300, aim);
            let before = walker.at();
            for _ in 0..30 {
                walker.step(aim);
                let jitter = (walker.at() - before).length();
                assert!(jitter < 0.01 * SKIN, "{degrees}°, {aim:?}: moves by {jitter:e}");
                assert!(walker.clearance() > 0.5 * SKIN, "{degrees}°: {}", walker.clearance());
            }
            // And it is not stuck.
            walker.steps(10, [-2.0, 0.0, 0.0]);
            assert!(((walker.at() - before).x + 20.0 * DT).abs() < 1e-3, "{degrees}°: {:?}", walker.at() - before);
        }
    }
}

// Round an outer corner without stopping: no single step goes less than the wall leaves it.
#[test]
fn goes_round_outer_corners() {
    let mut world = World::new();
    floor(&mut world);
    fixed_box(&mut world, [3.0, 2.0, 0.0], [1.0, 2.0, 1.0]);
    let mut walker = Walker::new(world, [0.0, HALF + SKIN, 0.9]);
    for i in 0..240 {
        let moved = walker.step([2.0, 0.0, 0.7]);
        assert!(moved.z as f64 > 0.69 * DT, "step {i}: {moved:?}");
        assert!(walker.clearance() > 0.5 * SKIN);
    }
    assert!(walker.at().x > 6.0, "{:?}", walker.at());
}

// A gap with a millimetre of room on either side of the skin, and one with half of the skin, let it through at full speed; one that is
// narrower than the shape does not.
#[test]
fn passes_gaps() {
    for (gap, passes) in [(0.3 + SKIN + 0.001, true), (0.3 + 0.5 * SKIN, true), (0.299, false)] {
        let mut world = World::new();
        floor(&mut world);
        for side in [1.0, -1.0] {
            fixed_box(&mut world, [3.0, 2.0, side * (gap + 1.0)], [1.0, 2.0, 1.0]);
        }
        let mut walker = Walker::new(world, [0.0, HALF + SKIN, 0.0]);
        walker.steps(180, [2.0, 0.0, 0.0]);
        assert_eq!(walker.at().x > 5.5, passes, "gap {gap}: {:?}", walker.at());
        assert!(walker.clearance() > 0.0);
    }
}

// A low ceiling stops a jump, not the way ahead. A sloping one stops who walks on under it, without pressing into the floor.
#[test]
fn ceilings() {
    let mut world = World::new();
    floor(&mut world);
    fixed_box(&mut world, [0.0, 3.0, 0.0], [20.0, 1.0, 20.0]);
    let mut walker = Walker::new(world, [0.0, HALF + SKIN, 0.0]);
    walker.steps(5, [1.0, 0.0, 0.0]);
    let (dt, start) = (real(DT), walker.at().x);
    for _ in 0..30 {
        let moved = walker.mover.advance(&mut walker.world, &walker.shape, [dt, 2.0 * dt, 0.0], dt).unwrap();
        assert!((moved.x - dt).abs() < 1e-6 && walker.at().y < 2.0 - HALF - 0.5 * SKIN, "{:?}", walker.at());
    }
    assert!((walker.at().y - (2.0 - HALF - SKIN)).abs() < 1e-3 && (walker.at().x - start - 0.5).abs() < 1e-4);
    assert!(!walker.mover.is_grounded());

    let mut world = World::new();
    floor(&mut world);
    let slanted = BodyDesc::fixed().position([4.0, 2.0, 0.0]).turned([0.0, 0.0, 1.0], real(-0.5));
    world.add_body(slanted.collider(Shape::cuboid(4.0, 0.2, 10.0).unwrap())).unwrap();
    let mut walker = Walker::new(world, [-1.0, HALF + SKIN, 0.0]);
    walker.steps(180, [2.0, 0.0, 0.0]);
    let before = walker.at();
    for _ in 0..60 {
        walker.step([2.0, 0.0, 0.0]);
        assert!(walker.clearance() > 0.0, "{}", walker.clearance());
        assert!((walker.at() - before).length() < 0.05 * SKIN, "{:?}", walker.at() - before);
    }
}

// What starts inside something comes out of it, by a short way, and goes on.
#[test]
fn comes_out_of_what_it_starts_in() {
    for (x, z) in [(1.15, 0.1), (0.9, 0.0), (-1.1, 0.4), (0.2, -1.2)] {
        let mut world = World::new();
        floor(&mut world);
        fixed_box(&mut world, [0.0, 2.0, 0.0], [1.0, 2.0, 1.0]);
        let mut walker = Walker::new(world, [x, HALF + SKIN, z]);
        walker.step([0.0; 3]);
        assert!(walker.clearance() > 0.9 * SKIN, "from {x}, {z}: {}", walker.clearance());
        let away = Vec3::new(walker.at().x - x, 0.0, walker.at().z - z).length();
        assert!(away < 1.31 + SKIN - x.abs().max(z.abs()), "from {x}, {z}: moves by {away}");
        let before = walker.at();
        walker.steps(30, [0.5 * x, 0.0, 0.5 * z]);
        assert!((walker.at() - before).length() > 0.2, "from {x}, {z}: stuck");
    }
}

// Out of a solid mesh, too, whose surface alone would not show that it is inside.
#[test]
fn comes_out_of_a_solid_mesh() {
    let corner = |i: u32| Vec3::new((i & 1) as Real, (i >> 1 & 1) as Real, (i >> 2) as Real) * 4.0 - Vec3::all(2.0);
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    let mut world = World::new();
    let shape = one_sided((0..8).map(corner).collect(), triangles);
    world.add_body(BodyDesc::fixed().collider(shape)).unwrap();
    let mut walker = Walker::new(world, [1.5, 0.2, 0.3]);
    walker.step([0.0; 3]);
    assert!(walker.clearance() > 0.9 * SKIN, "{} at {:?}", walker.clearance(), walker.at());
    assert!((walker.at().x - 2.0 - 0.3 - SKIN).abs() < 1e-3, "{:?}", walker.at());
}

// Between two slopes that are too steep it does not fall for ever.
#[test]
fn stands_in_a_valley() {
    let mut world = World::new();
    for side in [1.0, -1.0] {
        let normal = Vec3::new(side * 0.9, 0.436, 0.0).try_normalize().unwrap();
        world.add_body(BodyDesc::fixed().collider(Shape::half_space(normal.to_real(), 0.0).unwrap())).unwrap();
    }
    let mut walker = Walker::new(world, [0.1, 3.0, 0.0]);
    walker.steps(120, [0.0; 3]);
    let before = walker.at();
    walker.steps(60, [0.3, 0.0, 0.0]);
    assert!((walker.at() - before).length() < 0.5 * SKIN && walker.clearance() > 0.0);
    assert!(walker.rising.abs() < 1.0, "falls at {} m/s", walker.rising);
}
