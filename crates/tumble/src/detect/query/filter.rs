//! What a query sees.

use crate::body::collider::Collider;
use crate::body::{BodyKind, ColliderRef, Layers};
use crate::detect::broad::{DynamicTree, ProxyId, ProxyKind};
use crate::id::{BodyId, ColliderId};
use crate::math::WorldPose;
use crate::world::State;
use core::fmt;
use core::ops::BitOr;

/// Kinds of bodies, as bits.
///
/// ```
/// use tumble::{BodyKind, Kinds};
/// assert!(Kinds::MOVING.contains(BodyKind::Kinematic) && !Kinds::MOVING.contains(BodyKind::Fixed));
/// assert_eq!(Kinds::MOVING | Kinds::FIXED, Kinds::ALL);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Kinds(u8);

impl Kinds {
    /// Bodies moved by forces, contacts and joints.
    pub const DYNAMIC: Self = Self(1);
    /// Bodies that never move.
    pub const FIXED: Self = Self(2);
    /// Bodies that move as they are told.
    pub const KINEMATIC: Self = Self(4);
    /// Everything that is not fixed.
    pub const MOVING: Self = Self(5);
    /// Every kind.
    pub const ALL: Self = Self(7);

    /// The kind is among these.
    pub const fn contains(self, kind: BodyKind) -> bool {
        let bit = match kind {
            BodyKind::Dynamic => Self::DYNAMIC.0,
            BodyKind::Fixed => Self::FIXED.0,
            BodyKind::Kinematic => Self::KINEMATIC.0,
        };
        self.0 & bit != 0
    }
}

impl BitOr for Kinds {
    type Output = Self;
    fn bitor(self, o: Self) -> Self {
        Self(self.0 | o.0)
    }
}

/// A condition that a collider must meet to be seen by a query.
pub type Predicate<'a> = dyn Fn(&ColliderRef<'_>) -> bool + Sync + 'a;

/// Which colliders a query sees. By default all but sensors.
///
/// Whatever the filter says, colliders of inactive bodies and colliders whose collision is switched off are seen by no
/// query, nor is a collider that is a member of no layer.
///
/// ```
/// use tumble::{BodyDesc, ColliderDesc, Kinds, Layers, QueryFilter, RayCast, World, shape::Shape};
/// # fn main() -> tumble::Result<()> {
/// const GLASS: u32 = 1 << 4;
/// let mut world = World::new();
/// let pane = ColliderDesc::new(Shape::cuboid(0.01, 1.0, 1.0)?).layers(Layers::default().with_member(GLASS));
/// world.add_body(BodyDesc::fixed().position([1.0, 0.0, 0.0]).collider(pane))?;
/// let statue = world.add_body(BodyDesc::fixed().position([3.0, 0.0, 0.0]).collider(Shape::sphere(0.5)?))?;
///
/// // A laser goes through glass, a bullet does not.
/// let shot = RayCast::new([0.0; 3], [1.0, 0.0, 0.0], 100.0);
/// let laser = world.cast_ray(&shot, &QueryFilter::new().mask(!GLASS))?;
/// assert_eq!(laser.map(|hit| hit.body), Some(statue));
/// assert!(world.cast_ray(&shot, &QueryFilter::new())?.is_some_and(|hit| hit.body != statue));
///
/// // Any condition on the collider will do.
/// let named = |c: &tumble::ColliderRef| c.user_data() != 0;
/// let filter = QueryFilter::new().kinds(Kinds::MOVING).predicate(&named);
/// assert_eq!(world.cast_ray(&shot, &filter)?, None);
/// # Ok(())
/// # }
/// ```
///
/// ```
/// use tumble::{BodyDesc, ColliderDesc, Kinds, QueryFilter, RayCast, World, shape::Shape};
/// # fn main() -> tumble::Result<()> {
/// let mut world = World::new();
/// let me = world.add_body(BodyDesc::dynamic().collider(Shape::sphere(0.5)?))?;
/// let gate = ColliderDesc::new(Shape::sphere(0.5)?).sensor(true);
/// let gate = world.add_body(BodyDesc::fixed().position([2.0, 0.0, 0.0]).collider(gate))?;
/// let gate_collider = world.body(gate)?.colliders().next().unwrap();
/// let ahead = RayCast::new([0.0; 3], [1.0, 0.0, 0.0], 10.0); // starts inside of me
/// let first = |filter: &QueryFilter| world.cast_ray(&ahead, filter).map(|hit| hit.map(|hit| hit.body));
/// assert_eq!(first(&QueryFilter::new())?, Some(me));
/// assert_eq!(first(&QueryFilter::new().solid(false).sensors(true))?, Some(gate));
/// let (not_me, not_the_gate) = ([me], [gate_collider]);
/// let others = QueryFilter::new().exclude_bodies(&not_me).sensors(true);
/// assert_eq!(first(&others)?, Some(gate));
/// assert_eq!(first(&others.exclude_colliders(&not_the_gate))?, None);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy)]
pub struct QueryFilter<'a> {
    /// Only colliders that are members of one of these layers.
    pub mask: u32,
    /// Only colliders that meet one of these layers; `None` does not ask whom they meet.
    pub member: Option<u32>,
    /// Only colliders on these kinds of bodies.
    pub kinds: Kinds,
    /// Sensors too.
    pub sensors: bool,
    /// What the query starts in counts: a ray or a cast that starts inside something solid hits it at distance 0, and a point
    /// is at a negative distance from the solid it lies in. Otherwise parts of colliders in which the query starts are
    /// passed over as if they were not there. Overlaps do not ask.
    pub solid: bool,
    /// Not these bodies. Ids that name nothing exclude nothing.
    pub exclude_bodies: &'a [BodyId],
    /// Not these colliders. Ids that name nothing exclude nothing.
    pub exclude_colliders: &'a [ColliderId],
    /// Only colliders of which this is true. It is asked before the geometry and may be asked in any order.
    pub predicate: Option<&'a Predicate<'a>>,
}

impl Default for QueryFilter<'_> {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for QueryFilter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("QueryFilter")
            .field("mask", &self.mask)
            .field("member", &self.member)
            .field("kinds", &self.kinds)
            .field("sensors", &self.sensors)
            .field("solid", &self.solid)
            .field("exclude_bodies", &self.exclude_bodies)
            .field("exclude_colliders", &self.exclude_colliders)
            .field("predicate", &self.predicate.is_some())
            .finish()
    }
}

impl<'a> QueryFilter<'a> {
    /// Everything but sensors.
    pub const fn new() -> Self {
        Self {
            mask: u32::MAX,
            member: None,
            kinds: Kinds::ALL,
            sensors: false,
            solid: true,
            exclude_bodies: &[],
            exclude_colliders: &[],
            predicate: None,
        }
    }

    /// Sets [`QueryFilter::mask`].
    #[must_use]
    pub const fn mask(mut self, mask: u32) -> Self {
        self.mask = mask;
        self
    }

    /// Sees what a collider of these layers would touch: sets [`QueryFilter::mask`] and [`QueryFilter::member`].
    #[must_use]
    pub const fn layers(mut self, layers: Layers) -> Self {
        self.mask = layers.meets;
        self.member = Some(layers.member);
        self
    }

    /// Sets [`QueryFilter::kinds`].
    #[must_use]
    pub const fn kinds(mut self, kinds: Kinds) -> Self {
        self.kinds = kinds;
        self
    }

    /// Sets [`QueryFilter::sensors`].
    #[must_use]
    pub const fn sensors(mut self, sensors: bool) -> Self {
        self.sensors = sensors;
        self
    }

    /// Sets [`QueryFilter::solid`].
    #[must_use]
    pub const fn solid(mut self, solid: bool) -> Self {
        self.solid = solid;
        self
    }

    /// Sets [`QueryFilter::exclude_bodies`].
    #[must_use]
    pub const fn exclude_bodies(mut self, bodies: &'a [BodyId]) -> Self {
        self.exclude_bodies = bodies;
        self
    }

    /// Sets [`QueryFilter::exclude_colliders`].
    #[must_use]
    pub const fn exclude_colliders(mut self, colliders: &'a [ColliderId]) -> Self {
        self.exclude_colliders = colliders;
        self
    }

    /// Sets [`QueryFilter::predicate`].
    #[must_use]
    pub const fn predicate(mut self, predicate: &'a Predicate<'a>) -> Self {
        self.predicate = Some(predicate);
        self
    }

    /// The trees in which there may be something to see.
    pub(super) fn trees<'w>(&self, state: &'w State) -> impl Iterator<Item = &'w DynamicTree> + use<'w> {
        let fixed = self.kinds.contains(BodyKind::Fixed).then(|| state.broad.tree(ProxyKind::Fixed));
        let moving = (self.kinds != Kinds::FIXED).then(|| state.broad.tree(ProxyKind::Moving));
        fixed.into_iter().chain(moving)
    }

    /// The collider of a leaf of a tree, if it is seen.
    pub(super) fn sees<'w>(&self, state: &'w State, proxy: u32) -> Option<Seen<'w>> {
        let slot = state.broad.user(ProxyId(proxy))?;
        let collider = state.colliders.at(slot)?;
        if (collider.sensor && !self.sensors)
            || collider.layers.member & self.mask == 0
            || self.member.is_some_and(|member| collider.layers.meets & member == 0)
        {
            return None;
        }
        let body = state.bodies.cold.at(collider.body)?;
        if !self.kinds.contains(body.kind) {
            return None;
        }
        let id = state.colliders.id_at(slot)?;
        if self.exclude_colliders.contains(&id) {
            return None;
        }
        let body_id = state.bodies.cold.id_at(collider.body)?;
        if self.exclude_bodies.contains(&body_id) {
            return None;
        }
        if let Some(predicate) = self.predicate
            && !predicate(&ColliderRef { state, id, collider })
        {
            return None;
        }
        let pose = state.bodies.placed(body.dense as usize, &collider.pose);
        Some(Seen { id, body: body_id, collider, pose })
    }
}

/// A collider that a filter lets through.
pub(super) struct Seen<'w> {
    pub id: ColliderId,
    pub body: BodyId,
    pub collider: &'w Collider,
    pub pose: WorldPose,
}
