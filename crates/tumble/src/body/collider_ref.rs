//! A collider as the user looks at it.

use super::Layers;
use super::collider::Collider;
use crate::id::{BodyId, ColliderId, MaterialId};
use crate::math::{Aabb, Pose, Real, Vec3, WorldPose};
use crate::shape::{Geometry, Shape};
use crate::world::State;

/// A collider, to look at.
///
/// ```
/// # use tumble::{BodyDesc, ColliderDesc, World, shape::Shape};
/// # fn main() -> tumble::Result<()> {
/// # let mut world = World::new();
/// let body = world.add_body(BodyDesc::dynamic().position([0.0, 3.0, 0.0]))?;
/// let id = world.add_collider(body, ColliderDesc::new(Shape::sphere(0.5)?).at([1.0, 0.0, 0.0]))?;
/// let collider = world.collider(id)?;
/// assert_eq!(collider.body(), body);
/// assert_eq!(collider.pose().translation.to_array(), [1.0, 3.0, 0.0]);
/// # Ok(())
/// # }
/// ```
///
/// ```
/// use tumble::{BodyDesc, ColliderDesc, Layers, World, math::Vec3, shape::Shape};
/// # fn main() -> tumble::Result<()> {
/// let mut world = World::new();
/// let body = world.add_body(BodyDesc::fixed().collider(ColliderDesc::new(Shape::sphere(0.5)?).user_data(3)))?;
/// for id in world.body(body)?.colliders() {
///     let collider = world.collider(id)?;
///     assert_eq!((collider.id(), collider.user_data()), (id, 3));
///     assert_eq!(collider.shape(), &Shape::sphere(0.5)?);
///     assert_eq!(collider.local_pose().translation, Vec3::ZERO);
///     assert_eq!(collider.bounds().half_extents(), Vec3::all(0.5));
///     assert_eq!((collider.material(0), collider.layers()), (World::MATERIAL, Layers::default()));
///     assert!(collider.collides() && !collider.is_sensor());
///     assert!(collider.density().is_none() && !collider.is_hooked() && collider.contact_events());
///     assert!(collider.impact_speed().is_infinite());
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy)]
pub struct ColliderRef<'a> {
    pub(crate) state: &'a State,
    pub(crate) id: ColliderId,
    pub(crate) collider: &'a Collider,
}

impl<'a> ColliderRef<'a> {
    fn get(&self) -> &'a Collider {
        self.collider
    }

    /// Its id.
    pub fn id(&self) -> ColliderId {
        self.id
    }

    /// The body it is on.
    pub fn body(&self) -> BodyId {
        self.state.bodies.cold.id_at(self.get().body).unwrap_or(crate::World::BODY)
    }

    /// Its shape.
    pub fn shape(&self) -> &'a Shape {
        &self.get().shape
    }

    /// Where it is in the body's frame.
    pub fn local_pose(&self) -> Pose {
        self.get().pose
    }

    /// Where it is in the world.
    pub fn pose(&self) -> WorldPose {
        let c = self.get();
        self.state.bodies.placed(self.state.bodies.dense_at(c.body), &c.pose)
    }

    /// The box around it in the world.
    pub fn bounds(&self) -> Aabb {
        let pose = self.pose();
        self.get().shape.bounds(&Pose::new(Vec3::ZERO, pose.rotation)).moved_to(pose.translation)
    }

    /// The material of a slot; slots that are not listed count as slot 0.
    pub fn material(&self, slot: u16) -> MaterialId {
        self.get().material(slot)
    }

    /// Layers it belongs to and meets.
    pub fn layers(&self) -> Layers {
        self.get().layers
    }

    /// It reports what overlaps it and stops nothing.
    pub fn is_sensor(&self) -> bool {
        self.get().sensor
    }

    /// Collision is on.
    pub fn collides(&self) -> bool {
        self.get().collides
    }

    /// What the user put there.
    pub fn user_data(&self) -> u64 {
        self.get().user_data
    }

    /// Its own density, which goes before that of its material.
    pub fn density(&self) -> Option<Real> {
        self.get().density
    }

    /// The contact hook is asked about its contacts.
    pub fn is_hooked(&self) -> bool {
        self.get().hooked
    }

    /// Its contacts are told when they begin and end.
    pub fn contact_events(&self) -> bool {
        self.get().contact_events
    }

    /// The speed from which on its impacts are told.
    pub fn impact_speed(&self) -> Real {
        self.get().impact_speed
    }
}
