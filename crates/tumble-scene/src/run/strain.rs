//! How well a run keeps things apart and together.

use tumble::World;
use tumble::math::Float;

/// Worlds of twice as many joints are looked at after every other step, and so on: looking must not cost more than the steps.
const FREE_JOINTS: u64 = 500;

/// The worst so far, in metres.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Strain {
    pub overlap: f64,
    pub gap: f64,
}

impl Strain {
    pub fn follow(&mut self, world: &World) {
        self.overlap = worse(self.overlap, world.deepest_overlap().to_f64());
        let stride = 1 + world.joint_count() as u64 / FREE_JOINTS;
        if world.joint_count() == 0 || !world.steps().is_multiple_of(stride) {
            return;
        }
        for id in world.joint_ids() {
            // What is broken or switched off holds nothing.
            if let Ok(joint) = world.joint(id)
                && joint.is_active()
                && !joint.is_broken()
            {
                self.gap = worse(self.gap, joint.gap().to_f64());
            }
        }
    }
}

/// NaN is the worst, and stays.
fn worse(a: f64, b: f64) -> f64 {
    if b > a || b.is_nan() { b } else { a }
}
