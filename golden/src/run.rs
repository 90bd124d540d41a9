//! Running worlds and hashing what comes out. Compiled once for each precision.

use super::PRECISION;
use super::engine::math::{Float, Isa, Point, Quat, Real, Vec3, WorldPose};
use super::engine::shape::Shape;
use super::engine::{CastHit, QueryFilter, RayCast, Result, ShapeCast, World};
use super::worlds::{self, Golden, Random};
use crate::Ways;
use crate::digest::Digest;
use crate::table::{Hashes, Table};

/// Adds the hashes of all worlds.
pub fn all(which: Ways, table: &mut Table) -> Result<()> {
    for golden in worlds::all() {
        for way in ways(which) {
            let mut world = start(&golden, way)?;
            let mut state = Digest::EMPTY;
            for step in 0..golden.steps {
                advance(&golden, &mut world, step)?;
                state.word(world.hash());
            }
            let hashes = Hashes {
                steps: world.steps(),
                state: state.value(),
                motion: motion(&world)?,
                queries: queries(&world, golden.origin)?,
            };
            table.add(PRECISION, golden.name, &way.name(), hashes);
        }
    }
    Ok(())
}

/// Prints the hash after every step of the world of this name; false where there is none.
pub fn trace(name: &str) -> Result<bool> {
    let Some(golden) = worlds::all().into_iter().find(|golden| golden.name == name) else { return Ok(false) };
    let mut world = start(&golden, Way { isa: Isa::detect(), threads: 1 })?;
    for step in 0..golden.steps {
        advance(&golden, &mut world, step)?;
        println!("{PRECISION}/{name} {:>4} {:016x} {:016x}", step + 1, world.hash(), motion(&world)?);
    }
    Ok(true)
}

/// What must change the time that a step takes, and not a bit.
#[derive(Clone, Copy)]
pub struct Way {
    isa: Isa,
    threads: usize,
}

impl Way {
    /// For people.
    pub fn name(&self) -> String {
        if self.threads == 1 { self.isa.name().to_owned() } else { format!("{} threads", self.threads) }
    }

    /// Has a world go this way.
    pub fn set(&self, world: &mut World) -> Result<()> {
        world.set_isa(self.isa);
        if self.threads == 1 { Ok(()) } else { world.set_threads(self.threads) }
    }
}

/// The ways in which worlds are run, the widest instruction set on one thread first. On wasm32 there are no threads.
pub fn ways(which: Ways) -> Vec<Way> {
    if which == Ways::One {
        return vec![Way { isa: Isa::detect(), threads: 1 }];
    }
    let sets = Isa::available().into_iter().rev().map(|isa| Way { isa, threads: 1 });
    let counts: &[usize] = if cfg!(target_family = "wasm") { &[] } else { &[3, 8] };
    sets.chain(counts.iter().map(|&threads| Way { isa: Isa::detect(), threads })).collect()
}

fn start(golden: &Golden, way: Way) -> Result<World> {
    let mut world = World::new();
    world.set_keep_start(false);
    way.set(&mut world)?;
    (golden.build)(&mut world, golden.origin)?;
    Ok(world)
}

fn advance(golden: &Golden, world: &mut World, step: u32) -> Result<()> {
    (golden.edit)(world, step)?;
    world.step(Real::from_f64(1.0 / 60.0))
}

/// Places and velocities of all bodies.
pub fn motion(world: &World) -> Result<u64> {
    let mut digest = Digest::EMPTY;
    for id in world.body_ids() {
        let body = world.body(id)?;
        let turn = body.rotation().to_f64();
        digest.numbers(body.position().to_array());
        digest.numbers([turn.x, turn.y, turn.z, turn.w]);
        digest.numbers(body.linear_velocity().to_f64().to_array());
        digest.numbers(body.angular_velocity().to_f64().to_array());
    }
    Ok(digest.value())
}

/// Answers to rays, moving shapes, overlaps and nearest points, around a place.
pub fn queries(world: &World, origin: Point) -> Result<u64> {
    let mut random = Random(17);
    let mut digest = Digest::EMPTY;
    let filter = QueryFilter { sensors: true, ..QueryFilter::new() };
    let probe = Shape::cuboid(0.3, 0.2, 0.1)?;
    let mut found = Vec::new();
    let hit = |digest: &mut Digest, hit: Option<CastHit>| match hit {
        None => digest.word(0),
        Some(hit) => {
            digest.numbers(hit.point.to_array());
            digest.numbers(hit.normal.to_f64().to_array());
            digest.numbers([hit.distance, hit.fraction.to_f64(), f64::from(hit.part)]);
        }
    };
    for _ in 0..24 {
        let from = origin + random.vector(8.0) + Vec3::new(0.0, 8.0, 0.0);
        let to = origin + random.vector(6.0);
        hit(&mut digest, world.cast_ray(&RayCast::between(from, to), &filter)?);
        let start = WorldPose::new(from, random.turn());
        let cast = ShapeCast::new(&probe, start, (to - from).to_real()).turning(random.vector(1.0).to_real());
        hit(&mut digest, world.cast_shape(&cast, &filter)?);
        let near = world.closest_point(to, 3.0, &filter)?;
        digest.numbers(near.iter().flat_map(|near| near.point.to_array()));
        digest.numbers(near.iter().map(|near| near.distance));
        world.overlap_shape(&probe, WorldPose::new(to, Quat::IDENTITY), &filter, &mut found)?;
        digest.word(found.len() as u64);
        for &collider in &found {
            digest.numbers(world.collider(collider)?.pose().translation.to_array());
        }
    }
    Ok(digest.value())
}
