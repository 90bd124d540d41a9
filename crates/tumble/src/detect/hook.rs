//! The contact hook: code of the user's that changes or refuses contacts while a step is under way.

use crate::body::PairCoefficients;
use crate::constraint::contact::{Contact, ContactManifold, NONE, SOLVED_POINTS, SurfacePair};
use crate::error::{Error, Result};
use crate::id::{BodyId, ColliderId};
use crate::math::{Point, Real, Vec3};
use crate::record::stream::{Sink, Source};
use crate::world::State;
use core::fmt;
use std::sync::Arc;

/// Changes or refuses contacts: one-way platforms, patches of ice, belts that stop.
///
/// It is shown every contact of a collider that is [`hooked`](crate::ColliderDesc::hooked), in every step in which the surfaces are
/// within reach of each other, before it is solved. What it changes holds for that step.
///
/// So that a run can be repeated to the bit, an answer must depend on nothing but what is shown and on values that never
/// change: no clock, no random numbers, no counting of calls. Contacts may be shown in any order and from several threads
/// at once.
///
/// ```
/// use tumble::{BodyDesc, ColliderDesc, ContactHook, HookedContact, World, math::Vec3, shape::Shape};
/// use std::sync::Arc;
///
/// /// Lets through what comes from below.
/// struct OneWay;
/// impl ContactHook for OneWay {
///     fn name(&self) -> &str {
///         "one-way"
///     }
///     fn contact(&self, contact: &mut HookedContact<'_>) {
///         // The normal points from a to b; here the platform was added first and is a.
///         let from_above = contact.normal().y > 0.5 && contact.approach_speed() >= 0.0;
///         if !from_above && !contact.was_touching() {
///             contact.refuse();
///         }
///     }
/// }
///
/// # fn main() -> tumble::Result<()> {
/// let mut world = World::new();
/// world.set_contact_hook(Some(Arc::new(OneWay)));
/// let plank = ColliderDesc::new(Shape::cuboid(2.0, 0.1, 2.0)?).hooked(true);
/// world.add_body(BodyDesc::fixed().collider(plank))?;
/// let ball = BodyDesc::dynamic().position([0.0, -1.0, 0.0]).collider(Shape::sphere(0.2)?);
/// let ball = world.add_body(ball.linear_velocity([0.0, 6.0, 0.0]))?;
/// for _ in 0..180 {
///     world.step(1.0 / 60.0)?;
/// }
/// assert!((world.body(ball)?.position().y - 0.3).abs() < 0.01); // on top
/// # Ok(())
/// # }
/// ```
pub trait ContactHook: Send + Sync {
    /// The name under which it is found again: a snapshot of a world with a hook is restored only where a hook of the same
    /// name is set.
    fn name(&self) -> &str;

    /// Shows one patch of contact between two colliders. Where a mesh or a compound takes part there may be several
    /// patches, each with its own normal.
    fn contact(&self, contact: &mut HookedContact<'_>);
}

/// A patch of contact, as the hook sees it: where the step began.
///
/// ```
/// use tumble::{ContactHook, HookedContact, PairCoefficients, math::Vec3};
///
/// /// Where the sun shines, ice is wet; a belt runs only under what lies on it at rest.
/// struct Weather;
/// impl ContactHook for Weather {
///     fn name(&self) -> &str {
///         "weather"
///     }
///     fn contact(&self, contact: &mut HookedContact<'_>) {
///         let [a, b] = contact.bodies();
///         assert_ne!(a, b);
///         assert_ne!(contact.colliders()[0], contact.colliders()[1]);
///         if contact.points().any(|point| point.position.x > 0.0) {
///             let wet = PairCoefficients { dynamic_friction: 0.0, ..contact.coefficients() };
///             contact.set_coefficients(wet).ok();
///         }
///         if contact.approach_speed() > 1.0 && contact.surface_velocity() != Vec3::ZERO {
///             contact.set_surface_velocity(Vec3::ZERO).ok();
///         }
///     }
/// }
/// ```
#[derive(Debug)]
pub struct HookedContact<'a> {
    pub(crate) colliders: [ColliderId; 2],
    pub(crate) bodies: [BodyId; 2],
    pub(crate) manifold: &'a ContactManifold,
    pub(crate) origin: Point,
    /// Of each point; see [`HookedContact::points`].
    pub(crate) velocities: [Vec3; SOLVED_POINTS],
    pub(crate) was_touching: bool,
    pub(crate) surface_velocity: Vec3,
    pub(crate) coefficients: PairCoefficients,
    pub(crate) refused: bool,
}

/// A point of a [`HookedContact`].
///
/// ```
/// use tumble::{HookedContact, HookedPoint};
///
/// /// How deep the surfaces overlap.
/// fn depth(contact: &HookedContact<'_>) -> tumble::math::Real {
///     contact.points().map(|point: HookedPoint| -point.separation).fold(0.0, |a, b| if b > a { b } else { a })
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HookedPoint {
    /// Midway between the surfaces, in the world.
    pub position: Point,
    /// Distance of the surfaces along the normal; negative when they overlap.
    pub separation: Real,
    /// Velocity of B relative to A at this point.
    pub velocity: Vec3,
}

impl HookedContact<'_> {
    /// The colliders A and B.
    pub fn colliders(&self) -> [ColliderId; 2] {
        self.colliders
    }

    /// Their bodies.
    pub fn bodies(&self) -> [BodyId; 2] {
        self.bodies
    }

    /// Unit normal from A to B.
    pub fn normal(&self) -> Vec3 {
        self.manifold.normal
    }

    /// Where the surfaces meet: at least one point, at most four.
    pub fn points(&self) -> impl ExactSizeIterator<Item = HookedPoint> + '_ {
        let count = self.manifold.point_count as usize;
        self.manifold.points[..count].iter().zip(self.velocities).map(|(p, velocity)| HookedPoint {
            position: self.origin + p.anchor.to_f64(),
            separation: p.separation,
            velocity,
        })
    }

    /// The largest speed at which a point of B approaches A along the normal; negative when all of them go away.
    pub fn approach_speed(&self) -> Real {
        let speed = |p: HookedPoint| -self.normal().dot(p.velocity);
        self.points().map(speed).fold(Real::NEG_INFINITY, |a, b| if b > a { b } else { a })
    }

    /// The two colliders touched in the last step: a hook that lets things through in one direction only must not drop
    /// what it is carrying.
    pub fn was_touching(&self) -> bool {
        self.was_touching
    }

    /// Friction, restitution and so on of this patch, from the two materials.
    pub fn coefficients(&self) -> PairCoefficients {
        self.coefficients
    }

    /// Changes them for this step. An error where one is outside its range; nothing is changed then.
    pub fn set_coefficients(&mut self, coefficients: PairCoefficients) -> Result<()> {
        coefficients.validate(format!("{} on {}", self.colliders[0], self.colliders[1]))?;
        self.coefficients = coefficients;
        Ok(())
    }

    /// Velocity of surface B relative to surface A, besides the motion of their bodies: a conveyor belt.
    pub fn surface_velocity(&self) -> Vec3 {
        self.surface_velocity
    }

    /// Changes it for this step. An error where it is not finite; nothing is changed then.
    pub fn set_surface_velocity(&mut self, velocity: impl Into<Vec3>) -> Result<()> {
        let velocity = velocity.into();
        if !velocity.is_finite() {
            let subject = format!("{} on {}", self.colliders[0], self.colliders[1]);
            return Err(Error::value(subject, "surface velocity", "finite", format_args!("{:?}", velocity.to_array())));
        }
        self.surface_velocity = velocity;
        Ok(())
    }

    /// Treats the patch as if it were not there. Colliders all of whose patches are refused do not touch: nothing is
    /// reported, and if they touched before, their contact ends.
    pub fn refuse(&mut self) {
        self.refused = true;
    }
}

/// The hook of a world, if it has one.
#[derive(Clone, Default)]
pub(crate) struct Hook(pub Option<Arc<dyn ContactHook>>);

impl fmt::Debug for Hook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Hook").field(&self.name()).finish()
    }
}

impl Hook {
    pub fn name(&self) -> Option<&str> {
        self.0.as_deref().map(ContactHook::name)
    }

    pub fn save(&self, out: &mut impl Sink) {
        out.bool(self.0.is_some());
        if let Some(name) = self.name() {
            out.str(name);
        }
    }

    /// This hook where its name is the one that was saved; none where none was.
    pub fn load(&self, source: &mut Source<'_>) -> Result<Self> {
        if !source.bool()? {
            return Ok(Self::default());
        }
        let name = source.str()?;
        if self.name() == Some(name) {
            return Ok(self.clone());
        }
        let here = self.name().map_or_else(|| "none".to_owned(), |n| format!("the hook {n:?}"));
        Err(Error::refused(
            "snapshot",
            format!(
                "its world has the contact hook {name:?}, this one {here}; set it with World::set_contact_hook first"
            ),
        ))
    }
}

impl State {
    /// Shows the manifolds of a contact to the hook, takes away those that it refuses, and says whether any are left.
    ///
    /// The manifolds have just been found and their materials looked up, so that the hook never sees its own changes.
    pub fn show_to_hook(&mut self, contact: u32) -> bool {
        let Some(hook) = self.hook.0.clone() else { return true };
        let c = self.contacts.all[contact as usize];
        let ids = |collider: u32, body: u32| Some((self.colliders.id_at(collider)?, self.bodies.cold.id_at(body)?));
        let (Some(a), Some(b)) = (ids(c.collider_a, c.body_a), ids(c.collider_b, c.body_b)) else { return true };
        let (da, db) = (self.bodies.dense_at(c.body_a), self.bodies.dense_at(c.body_b));
        let (origin, va, vb) = (self.bodies.pose[da].centre, self.bodies.velocity[da], self.bodies.velocity[db]);
        let (mut last, mut m) = (NONE, c.manifolds);
        while m != NONE {
            let manifold = self.contacts.manifolds[m as usize];
            let mut shown = HookedContact {
                colliders: [a.0, b.0],
                bodies: [a.1, b.1],
                manifold: &manifold,
                origin,
                velocities: manifold.points.map(|p| vb.at(manifold.anchor_b(&p)) - va.at(p.anchor)),
                was_touching: c.has(Contact::TOUCHING),
                surface_velocity: self.contacts.surface_velocity(m),
                coefficients: self.contacts.surface_pair(m).coefficients(),
                refused: false,
            };
            hook.contact(&mut shown);
            let HookedContact { coefficients, surface_velocity, refused, .. } = shown;
            if refused {
                let (node_a, node_b) = (self.node(c.body_a), self.node(c.body_b));
                self.graph.remove(&mut self.contacts, m, node_a, node_b);
                if last == NONE {
                    self.contacts.all[contact as usize].manifolds = manifold.next;
                } else {
                    self.contacts.manifolds[last as usize].next = manifold.next;
                }
                self.contacts.free_manifold(m);
            } else {
                let mut pair = self.contacts.surface_pair(m);
                pair.set_coefficients(coefficients);
                self.contacts.set_surface(m, pair, surface_velocity);
                last = m;
            }
            m = manifold.next;
        }
        self.contacts.all[contact as usize].manifolds != NONE
    }
}

impl SurfacePair {
    fn set_coefficients(&mut self, pair: PairCoefficients) {
        let Self { hertz, damping_ratio, .. } = *self;
        *self = Self { hertz, damping_ratio, ..pair.into() };
    }

    /// The coefficients that a hook may change.
    fn coefficients(&self) -> PairCoefficients {
        PairCoefficients {
            static_friction: self.static_friction,
            dynamic_friction: self.dynamic_friction,
            restitution: self.restitution,
            tangential_restitution: self.tangential_restitution,
            rolling_friction: self.rolling_friction,
            spinning_friction: self.spinning_friction,
        }
    }
}
