//! Contacts of a world, to look at.

use super::{State, World};
use crate::constraint::contact::{Contact, ContactManifold, NONE};
use crate::error::Result;
use crate::id::{BodyId, ColliderId};
use crate::math::{Point, Real, Vec3};

/// Two colliders that touch.
///
/// A body at rest weighs on what carries it:
/// ```
/// use tumble::{BodyDesc, World, math::Vec3, shape::Shape};
/// # fn main() -> tumble::Result<()> {
/// let mut world = World::new();
/// let floor = world.add_body(BodyDesc::fixed().collider(Shape::half_space(Vec3::Y, 0.0)?))?;
/// let crate_ = BodyDesc::dynamic().position([0.0, 0.5, 0.0]).mass(3.0).collider(Shape::cuboid(0.5, 0.5, 0.5)?);
/// let crate_ = world.add_body(crate_)?;
/// for _ in 0..60 {
///     world.step(1.0 / 60.0)?;
/// }
/// let contact = world.contacts_of(crate_)?.next().unwrap();
/// assert_eq!(contact.bodies(), [floor, crate_]);
/// assert_eq!(contact.colliders()[1], world.body(crate_)?.colliders().next().unwrap());
/// assert_eq!(contact.points().count(), 4);
/// let weight: f64 = contact.points().map(|p| f64::from(p.impulse) * 60.0).sum();
/// assert!((weight / (3.0 * 9.81) - 1.0).abs() < 0.01);
/// assert!(contact.friction().length() < 1e-3);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy)]
pub struct ContactRef<'a> {
    state: &'a State,
    contact: &'a Contact,
}

/// A point in which two colliders touch, as the last step found it.
///
/// ```
/// use tumble::{BodyDesc, World, shape::Shape};
/// # fn main() -> tumble::Result<()> {
/// let mut world = World::new();
/// let ball = BodyDesc::dynamic().collider(Shape::sphere(0.5)?);
/// world.add_body(ball.clone())?;
/// world.add_body(ball.position([0.9, 0.0, 0.0]))?;
/// world.step(1.0 / 60.0)?;
/// let point = world.contacts().next().unwrap().points().next().unwrap();
/// assert!((point.normal.x - 1.0).abs() < 1e-6 && (point.separation + 0.1).abs() < 1e-5);
/// assert!(point.position.y.abs() < 0.01 && point.impulse >= 0.0);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TouchPoint {
    /// Midway between the surfaces. It goes along with the first body until the next step finds it anew.
    pub position: Point,
    /// Unit, from the first collider to the second.
    pub normal: Vec3,
    /// Distance of the surfaces along the normal; negative where they overlap.
    pub separation: Real,
    /// The push along the normal as the last step ended, over the length of a step: divided by that length it is the force. An impact is not
    /// in it once it is over; [`Event::Impact`](crate::Event::Impact) tells of those.
    pub impulse: Real,
}

impl World {
    /// Contacts whose surfaces touch, asleep or not, in an order that depends on nothing but the input. Sensors touch nothing.
    ///
    /// ```
    /// use tumble::{BodyDesc, World, math::Vec3, shape::Shape};
    /// # fn main() -> tumble::Result<()> {
    /// let mut world = World::new();
    /// world.add_body(BodyDesc::fixed().collider(Shape::half_space(Vec3::Y, 0.0)?))?;
    /// for i in 0..3 {
    ///     let at = [f64::from(i), 0.5, 0.0];
    ///     world.add_body(BodyDesc::dynamic().position(at).collider(Shape::sphere(0.4)?))?;
    /// }
    /// assert_eq!(world.contacts().count(), 0);
    /// for _ in 0..60 {
    ///     world.step(1.0 / 60.0)?;
    /// }
    /// assert_eq!(world.contacts().count(), 3);
    /// # Ok(())
    /// # }
    /// ```
    pub fn contacts(&self) -> impl Iterator<Item = ContactRef<'_>> {
        self.state.contacts.iter().filter_map(|(_, contact)| ContactRef::of(&self.state, contact))
    }

    /// The contacts of a body whose surfaces touch.
    pub fn contacts_of(&self, body: BodyId) -> Result<impl Iterator<Item = ContactRef<'_>>> {
        self.whole()?;
        self.state.bodies.cold.get(body)?;
        let contacts = &self.state.contacts;
        let of_body = contacts.of_body(body.index());
        Ok(of_body.filter_map(|c| ContactRef::of(&self.state, &contacts.all[c as usize])))
    }
}

impl<'a> ContactRef<'a> {
    fn of(state: &'a State, contact: &'a Contact) -> Option<Self> {
        let touches = contact.has(Contact::TOUCHING) && !contact.has(Contact::SENSOR);
        touches.then_some(Self { state, contact })
    }

    /// The two colliders.
    pub fn colliders(&self) -> [ColliderId; 2] {
        // A contact goes with its colliders.
        [self.contact.collider_a, self.contact.collider_b]
            .map(|slot| self.state.colliders.id_at(slot).unwrap_or(ColliderId::from_bits(u64::MAX)))
    }

    /// The two bodies, in the order of the colliders.
    pub fn bodies(&self) -> [BodyId; 2] {
        [self.contact.body_a, self.contact.body_b].map(|slot| self.state.bodies.cold.id_at(slot).unwrap_or(World::BODY))
    }

    /// Where they touch: up to four points per flat contact, and more of those where a mesh or a compound takes part.
    pub fn points(&self) -> impl Iterator<Item = TouchPoint> + use<'a> {
        let (state, rate) = (self.state, self.solves());
        let centre = state.bodies.pose[state.bodies.dense_at(self.contact.body_a)].centre;
        self.manifolds().flat_map(move |m| {
            m.used().iter().map(move |p| TouchPoint {
                position: centre + p.anchor.to_f64(),
                normal: m.normal,
                separation: p.separation,
                impulse: p.normal_impulse * rate,
            })
        })
    }

    /// The push of friction on the second body as the last step ended, over the length of a step.
    pub fn friction(&self) -> Vec3 {
        let sum = self.manifolds().fold(Vec3::ZERO, |sum, m| sum + m.friction_impulse);
        sum * self.solves()
    }

    /// Impulses are kept per solve.
    fn solves(&self) -> Real {
        self.state.method.step.solves_per_step() as Real
    }

    fn manifolds(&self) -> impl Iterator<Item = &'a ContactManifold> + use<'a> {
        let manifolds = &self.state.contacts.manifolds;
        let at = move |m: u32| (m != NONE).then(|| &manifolds[m as usize]);
        core::iter::successors(at(self.contact.manifolds), move |m| at(m.next))
    }
}

impl core::fmt::Debug for ContactRef<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let points: Vec<_> = self.points().collect();
        f.debug_struct("ContactRef").field("colliders", &self.colliders()).field("points", &points).finish()
    }
}
