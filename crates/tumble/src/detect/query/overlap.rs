//! What overlaps a shape or a box.

use super::cast::check_place;
use super::filter::QueryFilter;
use super::parts::{roomy, search_pairs, swallows};
use super::separation::apart_for_ever;
use crate::detect::narrow::{ConvexRef, overlap};
use crate::error::{Error, Result};
use crate::id::ColliderId;
use crate::math::{Aabb, Point, Pose, Vec3, WorldPose};
use crate::shape::{Geometry, Shape};
use crate::world::State;

impl State {
    /// Calls `found` with every collider that the shape placed at `pose` overlaps or touches, in no order, until it
    /// answers false.
    pub(crate) fn overlapping(
        &self,
        shape: &Shape,
        pose: &WorldPose,
        filter: &QueryFilter,
        mut found: impl FnMut(ColliderId) -> bool,
    ) -> Result<()> {
        check_place("overlap", pose)?;
        let pose = WorldPose::new(pose.translation, pose.rotation.normalized());
        let bounds = roomy(shape.bounds(&Pose::new(Vec3::ZERO, pose.rotation))).moved_to(pose.translation);
        let mut visit = |proxy: u32| {
            let Some(seen) = filter.sees(self, proxy) else { return true };
            let touches = touching(shape, &seen.collider.shape, &seen.pose.relative_to(&pose));
            !touches || found(seen.id)
        };
        let _ = filter.trees(self).all(|tree| tree.overlap(&bounds, filter.mask, &mut visit));
        Ok(())
    }

    /// Calls `found` with every collider whose own box overlaps or touches the given one, in no order, until it answers
    /// false.
    pub(crate) fn in_box(
        &self,
        min: Point,
        max: Point,
        filter: &QueryFilter,
        mut found: impl FnMut(ColliderId) -> bool,
    ) -> Result<()> {
        if !(0..3).all(|i| min[i] <= max[i]) {
            let given = format!("{:?} to {:?}", min.to_array(), max.to_array());
            return Err(Error::value("overlap", "box", "from its smallest corner to its largest", given));
        }
        let bounds = Aabb::at(min).union(&Aabb::at(max));
        let mut visit = |proxy: u32| {
            let Some(seen) = filter.sees(self, proxy) else { return true };
            let own = seen.collider.shape.bounds(&Pose::new(Vec3::ZERO, seen.pose.rotation));
            let (low, high) = (own.min.to_f64() + seen.pose.translation, own.max.to_f64() + seen.pose.translation);
            let inside = (0..3).all(|i| low[i] <= max[i] && min[i] <= high[i]);
            !inside || found(seen.id)
        };
        let _ = filter.trees(self).all(|tree| tree.overlap(&bounds, filter.mask, &mut visit));
        Ok(())
    }
}

/// Two shapes overlap or touch. Solid meshes count with their inside.
fn touching(a: &Shape, b: &Shape, b_in_a: &Pose) -> bool {
    let last = search_pairs(a, b, b_in_a, 0.0, &mut |part_a, part_b, pose, limit| {
        let touch = match (part_a.convex, part_b.convex) {
            (ConvexRef::HalfSpace(p), ConvexRef::HalfSpace(q)) => !apart_for_ever(p, q, pose),
            (p, q) => overlap(p, q, pose),
        };
        if touch { -1.0 } else { limit }
    });
    last < 0.0 || swallows(a, b, b_in_a).is_some() || swallows(b, a, &b_in_a.inverse()).is_some()
}
