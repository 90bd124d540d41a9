//! Nanoseconds per query of a world: `cargo bench -p tumble --bench queries`.
//!
//! A world of 10,000 boxes of 1 m, turned and scattered in a cube of 100 m, and random rays of up to 200 m through it; then
//! the same rays one by one as a ball that moves, as a point, as a box that is placed.

use std::hint::black_box;
use std::time::Instant;
use tumble::math::{Float, Quat, Real, Vec3, WorldPose};
use tumble::shape::Shape;
use tumble::{BodyDesc, QueryFilter, RayCast, ShapeCast, World};

const BOXES: usize = 10_000;
const RAYS: usize = 100_000;
const SIDE: f64 = 100.0;

/// SplitMix64.
struct Random(u64);

impl Random {
    /// In [-1, 1).
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        2.0 * ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64 - 1.0
    }

    fn vector(&mut self) -> Vec3<f64> {
        Vec3::new(self.next(), self.next(), self.next())
    }
}

fn world(random: &mut Random, moving: bool) -> tumble::Result<World> {
    let mut world = World::new();
    for _ in 0..BOXES {
        let mut desc = if moving { BodyDesc::dynamic() } else { BodyDesc::fixed() };
        let turn = Quat::from_rotation_vector(random.vector() * 2.0).to_real();
        desc.pose = WorldPose::new(random.vector() * (0.5 * SIDE), turn);
        world.add_body(desc.collider(Shape::cuboid(0.5, 0.5, 0.5)?))?;
    }
    Ok(world)
}

/// The best of three rounds over `count` queries: how many of them found something, in how many nanoseconds each.
fn time(name: &str, count: usize, mut query: impl FnMut(usize) -> bool) {
    let (mut best, mut found) = (f64::INFINITY, 0);
    for _ in 0..3 {
        let start = Instant::now();
        found = (0..count).filter(|&i| black_box(query(i))).count();
        best = best.min(start.elapsed().as_nanos() as f64 / count as f64);
    }
    println!("  {name:32} {best:9.0} ns   {:5.1} % found something", 100.0 * found as f64 / count as f64);
}

fn run(moving: bool) -> tumble::Result<()> {
    let mut random = Random(1);
    let world = world(&mut random, moving)?;
    let rays: Vec<RayCast> = (0..RAYS)
        .map(|_| RayCast::new(random.vector() * (0.5 * SIDE), random.vector().to_real(), 2.0 * SIDE))
        .collect();
    println!("{BOXES} boxes that {}, {RAYS} rays", if moving { "may move" } else { "are fixed" });
    let filter = QueryFilter::new();
    let ok = |result: tumble::Result<bool>| result.unwrap_or(false);
    time("ray, first hit", RAYS, |i| ok(world.cast_ray(&rays[i], &filter).map(|hit| hit.is_some())));
    time("ray, any hit", RAYS, |i| ok(world.cast_ray_any(&rays[i], &filter)));
    let mut hits = Vec::new();
    time("ray, all hits", RAYS, |i| ok(world.cast_ray_all(&rays[i], &filter, &mut hits).map(|()| !hits.is_empty())));
    let mut first = Vec::new();
    let batch = Instant::now();
    world.cast_rays(&rays, &filter, &mut first)?;
    println!("  {:32} {:9.0} ns", "ray, in a batch", batch.elapsed().as_nanos() as f64 / RAYS as f64);
    let few = RAYS / 10;
    let ball = Shape::sphere(0.5)?;
    let crate_ = Shape::cuboid(0.5, 0.4, 0.3)?;
    let way = |ray: &RayCast| ray.direction * Real::from_f64(20.0);
    for (name, shape, turn) in [
        ("ball moved by 20 m", &ball, Vec3::ZERO),
        ("box moved by 20 m", &crate_, Vec3::ZERO),
        ("box moved by 20 m and turned", &crate_, Vec3::X),
    ] {
        time(name, few, |i| {
            let start = WorldPose::from_translation(rays[i].origin);
            let cast = ShapeCast::new(shape, start, way(&rays[i])).turning(turn);
            ok(world.cast_shape(&cast, &filter).map(|hit| hit.is_some()))
        });
    }
    time("nearest point within 10 m", few, |i| {
        ok(world.closest_point(rays[i].origin, 10.0, &filter).map(|hit| hit.is_some()))
    });
    let mut found = Vec::new();
    time("overlap of a box of 4 m", few, |i| {
        let room = Shape::cuboid(2.0, 2.0, 2.0);
        let pose = WorldPose::from_translation(rays[i].origin);
        ok(room.and_then(|room| world.overlap_shape(&room, pose, &filter, &mut found)).map(|()| !found.is_empty()))
    });
    Ok(())
}

fn main() -> tumble::Result<()> {
    run(false)?;
    run(true)
}
