//! Random walks in random worlds.

use super::*;
use proptest::prelude::*;

/// Boxes, balls and a wavy mesh, some of it moving.
fn clutter(seed: &[(f64, f64, f64, f64)], mesh: bool) -> World {
    let mut world = World::new();
    if mesh {
        let n = 13;
        let height = |i: u32, j: u32| 0.35 * ((f64::from(i) * 1.7).sin() + (f64::from(j) * 2.3).cos());
        let vertex = |k: u32| {
            let (i, j) = (k / n, k % n);
            Vec3::new(f64::from(i) - 6.0, height(i, j), f64::from(j) - 6.0).to_real()
        };
        let cell = |k: u32| {
            let a = (k / (n - 1)) * n + k % (n - 1);
            [[a, a + 1, a + n], [a + 1, a + n + 1, a + n]]
        };
        let shape = one_sided((0..n * n).map(vertex).collect(), (0..(n - 1) * (n - 1)).flat_map(cell).collect());
        world.add_body(BodyDesc::fixed().collider(shape)).unwrap();
    }
    let bottom = Shape::half_space(Vec3::Y, real(if mesh { -3.0 } else { 0.0 })).unwrap();
    world.add_body(BodyDesc::fixed().collider(bottom)).unwrap();
    for (i, &(x, y, z, turn)) in seed.iter().enumerate() {
        let size = Vec3::new(0.2 + 0.8 * turn, 0.1 + y * 0.5, 0.3 + 0.5 * z.abs() / 6.0).to_real();
        let body = if i % 4 == 0 { BodyDesc::dynamic() } else { BodyDesc::fixed() };
        let axis = Vec3::new(x * 0.2, 1.0, z * 0.2).to_real();
        let shape = Shape::cuboid(size.x, size.y, size.z).unwrap();
        world.add_body(body.position([x, y, z]).turned(axis, real(turn * 6.0)).collider(shape)).unwrap();
    }
    world
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    // Wherever it is told to go among boxes and bumps, a mover never gets deeper into what does not move than its skin, and never stops being a
    // number. Each walk begins free, above everything.
    #[test]
    fn never_gets_into_anything(
        seed in prop::collection::vec((-5.0..5.0f64, 0.0..1.5f64, -5.0..5.0f64, 0.0..1.0f64), 5..25),
        turns in prop::collection::vec((0.0..core::f64::consts::TAU, 0.5..6.0f64, 0..20usize), 1..12),
        mesh in any::<bool>(),
        shape in 0..3usize,
    ) {
        let mut walker = Walker::new(clutter(&seed, mesh), [0.0, 4.0, 0.0]);
        walker.shape = [person(), Shape::cuboid(0.3, 0.8, 0.2).unwrap(), Shape::sphere(0.4).unwrap()][shape].clone();
        let fixed = QueryFilter::new().kinds(tumble::Kinds::FIXED);
        let mut found = Vec::new();
        for &(angle, speed, count) in &turns {
            for k in 0..count {
                walker.step([speed * angle.cos(), if k == 0 { 4.0 } else { 0.0 }, speed * angle.sin()]);
                walker.world.near_shape(&walker.shape, walker.mover.pose(), 0.0, &fixed, &mut found).unwrap();
                let deepest = found.first().map_or(0.0, |near| f64::from(near.distance as f32));
                prop_assert!(deepest > -SKIN, "{deepest} deep at {:?}", walker.at());
            }
        }
    }
}
