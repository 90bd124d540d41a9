//! The scenes of the library, which are in `f32`.

use crate::digest::Digest;
use crate::single::run::{motion, queries, ways};
use crate::table::{Hashes, Table};
use crate::{Fault, Ways};
use tumble::math::Point;

/// How many steps of each are made, at most.
const STEPS: u64 = 120;

/// Adds the hashes of all scenes, as they are without options.
pub fn all(which: Ways, table: &mut Table) -> Result<(), Fault> {
    for scene in tumble_scene::library::scenes() {
        for way in ways(which) {
            let mut run = scene.setup().start()?;
            way.set(run.world_mut())?;
            let mut state = Digest::EMPTY;
            for _ in 0..STEPS.min(run.steps_in(run.seconds())) {
                run.step()?;
                state.word(run.world().hash());
            }
            let world = run.world();
            let hashes = Hashes {
                steps: world.steps(),
                state: state.value(),
                motion: motion(world)?,
                queries: queries(world, Point::ZERO)?,
            };
            table.add("f32", &format!("scene:{}", scene.name), &way.name(), hashes);
        }
    }
    Ok(())
}
