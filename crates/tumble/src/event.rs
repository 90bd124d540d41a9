//! What happened in a step.
//!
//! Events are data that is read after a step; nothing is called while one is under way. [`World::events`] holds what
//! happened since the step before: first what edits between the steps caused, then what the step itself did, in an order
//! that depends on nothing but the input. The next step starts a new list. After [`World::simulate`] it holds the lists of all the steps
//! that this call made, one after the other, and is empty where it made none. The rules:
//!
//! - Every [`Event::ContactBegan`] is followed, in some later list, by exactly one [`Event::ContactEnded`] for the same
//!   two colliders: when the surfaces part, when either collider or body is removed, moved away or made inactive, or when
//!   a filter forbids the pair. The ids in an `Ended` caused by removal are stale by then, and say so when used. A change of kind,
//!   shape, place, layers or the like ends the contacts of a collider, and those that still touch begin anew in the next step.
//! - [`Event::SensorEntered`] and [`Event::SensorLeft`] go in pairs in the same way.
//! - Falling asleep ends no contact, and waking begins none.
//! - A restored world has the list of the world that was saved. [`World::reset`] and [`World::restart`] tell nothing about what they throw
//!   away.
//!
//! [`World::events`]: crate::World::events
//! [`World::simulate`]: crate::World::simulate
//! [`World::reset`]: crate::World::reset
//! [`World::restart`]: crate::World::restart

use crate::error::Result;
use crate::id::{BodyId, ColliderId, EffectId, JointId};
use crate::math::{Point, Real, Vec3};
use crate::record::stream::{Sink, Source};

/// Something that happened.
///
/// ```
/// use tumble::{BodyDesc, Event, World, math::Vec3, shape::Shape};
/// # fn main() -> tumble::Result<()> {
/// let mut world = World::new();
/// world.add_body(BodyDesc::fixed().collider(Shape::half_space(Vec3::Y, 0.0)?))?;
/// world.add_body(BodyDesc::dynamic().position([0.0, 1.0, 0.0]).collider(Shape::sphere(0.5)?))?;
/// let mut touched = 0;
/// for _ in 0..60 {
///     world.step(1.0 / 60.0)?;
///     touched += world.events().iter().filter(|e| matches!(e, Event::ContactBegan { .. })).count();
/// }
/// assert_eq!(touched, 1);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// Two colliders began to touch.
    ContactBegan {
        /// One of them.
        a: ColliderId,
        /// The other.
        b: ColliderId,
    },
    /// Two colliders no longer touch.
    ContactEnded {
        /// One of them.
        a: ColliderId,
        /// The other.
        b: ColliderId,
    },
    /// Two colliders hit each other at least as fast as one of them asked to be told.
    Impact {
        /// One of them.
        a: ColliderId,
        /// The other.
        b: ColliderId,
        /// Where.
        point: Point,
        /// From a to b.
        normal: Vec3,
        /// Approach speed along the normal before the step, in m/s: that of the fastest point.
        speed: Real,
        /// Impulse along the normal over the whole step, in newton seconds, of all points of the contact together: that of the impact, m (1 + e) v
        /// for a ball on what stands, and what the contact bears besides.
        impulse: Real,
    },
    /// Something began to overlap a sensor.
    SensorEntered {
        /// The sensor.
        sensor: ColliderId,
        /// What entered.
        visitor: ColliderId,
    },
    /// Something no longer overlaps a sensor.
    SensorLeft {
        /// The sensor.
        sensor: ColliderId,
        /// What left.
        visitor: ColliderId,
    },
    /// A body fell asleep.
    FellAsleep {
        /// The body.
        body: BodyId,
    },
    /// A body woke up.
    WokeUp {
        /// The body.
        body: BodyId,
    },
    /// A body was removed, by the user or by a validator; its id is stale now.
    Removed {
        /// The body.
        body: BodyId,
        /// Whether a validator removed it.
        by_validator: bool,
    },
    /// A joint broke under its load; it stays, inactive.
    JointBroke {
        /// The joint.
        joint: JointId,
    },
    /// A joint was removed, by the user or with one of its bodies; its id is stale now.
    JointRemoved {
        /// The joint.
        joint: JointId,
    },
    /// A force effect was removed, by the user, at its end or with a body of its pair; its id is stale now.
    EffectRemoved {
        /// The effect.
        effect: EffectId,
    },
    /// A body's state stopped being finite; it was put back where it last was and made inactive.
    Quarantined {
        /// The body.
        body: BodyId,
    },
    /// A validator limited a body's speed.
    SpeedLimited {
        /// The body.
        body: BodyId,
    },
}

impl Event {
    pub(crate) fn save(&self, out: &mut dyn Sink) {
        let pair = |out: &mut dyn Sink, kind: u8, a: u64, b: u64| {
            out.u8(kind);
            out.u64(a);
            out.u64(b);
        };
        match *self {
            Self::ContactBegan { a, b } => pair(out, 0, a.to_bits(), b.to_bits()),
            Self::ContactEnded { a, b } => pair(out, 1, a.to_bits(), b.to_bits()),
            Self::Impact { a, b, point, normal, speed, impulse } => {
                pair(out, 2, a.to_bits(), b.to_bits());
                for v in point.to_array() {
                    out.f64(v);
                }
                out.vec3(normal);
                out.real(speed);
                out.real(impulse);
            }
            Self::SensorEntered { sensor, visitor } => pair(out, 3, sensor.to_bits(), visitor.to_bits()),
            Self::SensorLeft { sensor, visitor } => pair(out, 4, sensor.to_bits(), visitor.to_bits()),
            Self::FellAsleep { body } => pair(out, 5, body.to_bits(), 0),
            Self::WokeUp { body } => pair(out, 6, body.to_bits(), 0),
            Self::Removed { body, by_validator } => pair(out, 7, body.to_bits(), by_validator as u64),
            Self::Quarantined { body } => pair(out, 8, body.to_bits(), 0),
            Self::SpeedLimited { body } => pair(out, 9, body.to_bits(), 0),
            Self::JointBroke { joint } => pair(out, 10, joint.to_bits(), 0),
            Self::JointRemoved { joint } => pair(out, 11, joint.to_bits(), 0),
            Self::EffectRemoved { effect } => pair(out, 12, effect.to_bits(), 0),
        }
    }

    pub(crate) fn load(source: &mut Source<'_>) -> Result<Self> {
        let kind = source.u8()?;
        let (x, y) = (source.u64()?, source.u64()?);
        let (a, b) = (ColliderId::from_bits(x), ColliderId::from_bits(y));
        let body = BodyId::from_bits(x);
        Ok(match kind {
            0 => Self::ContactBegan { a, b },
            1 => Self::ContactEnded { a, b },
            2 => Self::Impact {
                a,
                b,
                point: Point::new(source.f64()?, source.f64()?, source.f64()?),
                normal: source.vec3()?,
                speed: source.real()?,
                impulse: source.real()?,
            },
            3 => Self::SensorEntered { sensor: a, visitor: b },
            4 => Self::SensorLeft { sensor: a, visitor: b },
            5 => Self::FellAsleep { body },
            6 => Self::WokeUp { body },
            7 => Self::Removed { body, by_validator: y != 0 },
            8 => Self::Quarantined { body },
            9 => Self::SpeedLimited { body },
            10 => Self::JointBroke { joint: JointId::from_bits(x) },
            11 => Self::JointRemoved { joint: JointId::from_bits(x) },
            12 => Self::EffectRemoved { effect: EffectId::from_bits(x) },
            _ => return Err(source.corrupt("an event")),
        })
    }
}
