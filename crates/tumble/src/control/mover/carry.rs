//! Ground that moves.
//!
//! A mover keeps its place in the frame of the body that it stands on. It is updated before the step that moves that body, so where the
//! body will be is foretold: a target is reached, a velocity is kept. Next time the place is looked up where the body really is, and what
//! was foretold wrongly is made good; so nothing adds up.

use crate::math::{Point, Quat, Real, Vec3, WorldPose};
use crate::{BodyKind, BodyRef};
use serde::{Deserialize, Serialize};

/// A place on a body.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Anchor {
    /// In the frame of the body, in double precision: seen from far away.
    place: Vec3<f64>,
    /// How the body was turned when the mover was last turned with it.
    rotation: Quat,
}

impl Anchor {
    /// The place that is at `point` of the world on a body with this pose.
    pub fn new(body: &WorldPose, point: Point) -> Self {
        let turn = body.rotation.to_f64().normalized();
        Self { place: turn.unrotate(point - body.translation), rotation: body.rotation }
    }

    /// Where that place is when the body has this pose, and by how much that body has turned about `up`.
    pub fn on(&self, body: &WorldPose, up: Vec3) -> (Point, Quat) {
        let turn = body.rotation.to_f64().normalized();
        let moved = body.rotation * self.rotation.conjugate();
        // The part of a rotation about an axis: that of the quaternion's vector along it.
        let about = Quat::from_parts(moved.vector().along(up), moved.w);
        (body.translation + turn.rotate(self.place), about.try_normalize().unwrap_or(Quat::IDENTITY))
    }
}

/// Where a body will be after `dt`, unless something happens to it.
pub(super) fn foretold(body: &BodyRef, dt: Real) -> WorldPose {
    if let Some(target) = body.target() {
        return target;
    }
    let pose = body.pose();
    if body.kind() == BodyKind::Fixed || !body.is_active() {
        return pose;
    }
    let rotation = pose.rotation.advanced(body.angular_velocity(), dt);
    let centre = body.centre_of_mass() + (body.centre_velocity() * dt).to_f64();
    let lever = pose.rotation.unrotate((body.centre_of_mass() - pose.translation).to_real());
    WorldPose::new(centre - rotation.rotate(lever).to_f64(), rotation)
}
