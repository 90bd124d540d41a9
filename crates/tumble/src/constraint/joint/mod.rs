//! Joints: what holds two bodies together.
//!
//! One file per kind, with its equations. A joint takes hold of each of its bodies by a frame; x is the axis of a hinge, a
//! slider, a screw, the twist of a cone. [`World::BODY`](crate::World::BODY) stands for the world itself.

mod ball;
mod cone_twist;
mod cylindrical;
mod desc;
mod distance;
mod drag;
mod fixed;
mod gear;
mod glue;
mod hinge;
mod parallel;
mod parts;
mod path;
mod planar;
mod pulley;
mod rack;
mod record;
mod screw;
mod six_axis;
mod slider;
pub(crate) mod store;
mod universal;
mod view;
mod wheel;

#[cfg(test)]
mod tests;

pub use ball::{Ball, Orientation};
pub use cone_twist::ConeTwist;
pub use cylindrical::Cylindrical;
pub use desc::JointDesc;
pub use distance::Distance;
pub use drag::Drag;
pub use fixed::Fixed;
pub use gear::Gear;
pub use glue::Glue;
pub use hinge::Hinge;
pub use parallel::Parallel;
pub use path::Path;
pub use planar::Planar;
pub use pulley::Pulley;
pub use rack::Rack;
pub use screw::Screw;
pub use six_axis::{Freedom, SixAxis};
pub use slider::Slider;
pub use universal::Universal;
pub use view::{JointMut, JointRef};
pub use wheel::Wheel;

pub(crate) use record::{LoadedJoints, Registry, Tie};

use super::axis::{Axis, Limit, Motor};
use super::frame::{Frames, unwound};
use super::{Constraint, Rows};
use crate::error::{Error, Result};
use crate::math::{Float, Real};
use std::sync::Arc;

/// What a joint holds, and what it leaves free.
///
/// ```
/// use tumble::constraint::{Frames, Rows, joint::{Hinge, JointKind}};
/// let kind = JointKind::from(Hinge::limited(-1.0, 1.0));
/// assert_eq!(kind.name(), "hinge");
/// // Five rows hold it together, two are its stops.
/// let mut rows = Rows::default();
/// kind.constraint().rows(&Frames::default(), &mut rows);
/// assert_eq!(rows.len(), 7);
/// ```
// The general joint is larger than the others; a box around it would be in the way of everybody who matches on it.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Debug)]
pub enum JointKind {
    /// One point in common.
    Ball(Ball),
    /// Turns about one axis.
    Hinge(Hinge),
    /// Slides along one axis.
    Slider(Slider),
    /// Does not move at all.
    Fixed(Fixed),
    /// Rod, rope or spring.
    Distance(Distance),
    /// Two crossed axes.
    Universal(Universal),
    /// A ball joint with limits.
    ConeTwist(ConeTwist),
    /// Slides along an axis and turns about it.
    Cylindrical(Cylindrical),
    /// Moves in a plane.
    Planar(Planar),
    /// Keeps one axis parallel.
    Parallel(Parallel),
    /// Each of the six motions as told.
    SixAxis(SixAxis),
    /// Two turns in a ratio.
    Gear(Gear),
    /// A turn and a slide in a ratio.
    Rack(Rack),
    /// Turns and slides in a ratio.
    Screw(Screw),
    /// A rope over two wheels.
    Pulley(Pulley),
    /// A wheel with suspension and steering.
    Wheel(Wheel),
    /// Along a curve.
    Path(Path),
    /// A soft pull.
    Drag(Drag),
    /// Three ball joints.
    Glue(Glue),
    /// Written by the user.
    Custom(Arc<dyn Constraint>),
}

/// Constraints of the user's are equal where they are the same object.
impl PartialEq for JointKind {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Ball(a), Self::Ball(b)) => a == b,
            (Self::Hinge(a), Self::Hinge(b)) => a == b,
            (Self::Slider(a), Self::Slider(b)) => a == b,
            (Self::Fixed(a), Self::Fixed(b)) => a == b,
            (Self::Distance(a), Self::Distance(b)) => a == b,
            (Self::Universal(a), Self::Universal(b)) => a == b,
            (Self::ConeTwist(a), Self::ConeTwist(b)) => a == b,
            (Self::Cylindrical(a), Self::Cylindrical(b)) => a == b,
            (Self::Planar(a), Self::Planar(b)) => a == b,
            (Self::Parallel(a), Self::Parallel(b)) => a == b,
            (Self::SixAxis(a), Self::SixAxis(b)) => a == b,
            (Self::Gear(a), Self::Gear(b)) => a == b,
            (Self::Rack(a), Self::Rack(b)) => a == b,
            (Self::Screw(a), Self::Screw(b)) => a == b,
            (Self::Pulley(a), Self::Pulley(b)) => a == b,
            (Self::Wheel(a), Self::Wheel(b)) => a == b,
            (Self::Path(a), Self::Path(b)) => a == b,
            (Self::Drag(a), Self::Drag(b)) => a == b,
            (Self::Glue(a), Self::Glue(b)) => a == b,
            (Self::Custom(a), Self::Custom(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }
}

macro_rules! kinds {
    ($($kind:ident),*) => {$(
        impl From<$kind> for JointKind {
            fn from(kind: $kind) -> Self {
                Self::$kind(kind)
            }
        }
    )*
    impl JointKind {
        /// The constraint that it is.
        pub fn constraint(&self) -> &dyn Constraint {
            match self {
                $(Self::$kind(kind) => kind,)*
                Self::Custom(kind) => &**kind,
            }
        }

        /// As [`Constraint::rows`], without a call through a table where the kind is known.
        pub(crate) fn rows(&self, frames: &Frames, out: &mut Rows) {
            match self {
                $(Self::$kind(kind) => kind.rows(frames, out),)*
                Self::Custom(kind) => kind.rows(frames, out),
            }
        }
    }};
}

kinds!(
    Ball,
    Hinge,
    Slider,
    Fixed,
    Distance,
    Universal,
    ConeTwist,
    Cylindrical,
    Planar,
    Parallel,
    SixAxis,
    Gear,
    Rack,
    Screw,
    Pulley,
    Wheel,
    Path,
    Drag,
    Glue
);

impl JointKind {
    /// Its name, such as `hinge`.
    pub fn name(&self) -> &str {
        self.constraint().name()
    }

    /// What it does to the one body it need not do to the other, the other way round: what is missing the world bears.
    pub(crate) fn leans_on_the_world(&self) -> bool {
        matches!(self, Self::Gear(_) | Self::Rack(_) | Self::Pulley(_) | Self::Drag(_) | Self::Custom(_))
    }

    /// An error that names the first parameter out of range.
    pub(crate) fn validate(&self, subject: &str) -> Result<()> {
        let finite = |property: &'static str, v: Real| {
            if v.is_finite() { Ok(()) } else { Err(Error::value(subject, property, "finite", v)) }
        };
        for axis in self.axes() {
            axis.validate(subject)?;
        }
        match self {
            Self::Ball(k) => k.motor.as_ref().map_or(Ok(()), |m| m.validate(subject)),
            Self::ConeTwist(k) => k.validate(subject),
            Self::Distance(k) => k.validate(subject),
            Self::Gear(k) if k.ratio == 0.0 => Err(Error::value(subject, "ratio of the gear", "not zero", k.ratio)),
            Self::Gear(k) => finite("ratio of the gear", k.ratio),
            Self::Rack(k) => finite("travel of the rack", k.travel),
            Self::Screw(k) => finite("pitch of the screw", k.pitch),
            Self::Pulley(k) => k.validate(subject),
            Self::Wheel(k) => k.validate(subject),
            Self::Path(k) => k.validate(subject),
            Self::Drag(k) => k.validate(subject),
            Self::Glue(k) => k.validate(subject),
            _ => Ok(()),
        }
    }

    /// The freedoms that limits and motors act on.
    pub(crate) fn axes(&self) -> impl Iterator<Item = &Axis> {
        let list: [Option<&Axis>; 6] = match self {
            Self::Hinge(k) => [Some(&k.turn), None, None, None, None, None],
            Self::Slider(k) => [Some(&k.slide), None, None, None, None, None],
            Self::Distance(k) => [Some(&k.stretch), None, None, None, None, None],
            Self::Universal(k) => [Some(&k.bend[0]), Some(&k.bend[1]), None, None, None, None],
            Self::Cylindrical(k) => [Some(&k.slide), Some(&k.turn), None, None, None, None],
            Self::Planar(k) => [Some(&k.slide[0]), Some(&k.slide[1]), Some(&k.turn), None, None, None],
            Self::SixAxis(k) => {
                let ([a, b, c], [d, e, f]) = (&k.slide, &k.turn);
                [a.axis(), b.axis(), c.axis(), d.axis(), e.axis(), f.axis()]
            }
            Self::Screw(k) => [Some(&k.turn), None, None, None, None, None],
            Self::Wheel(k) => [Some(&k.suspension), None, None, None, None, None],
            _ => [None; 6],
        };
        list.into_iter().flatten()
    }

    /// The freedom of kinds that have one main one.
    pub(crate) fn axis_mut(&mut self) -> Option<&mut Axis> {
        match self {
            Self::Hinge(k) => Some(&mut k.turn),
            Self::Slider(k) => Some(&mut k.slide),
            Self::Distance(k) => Some(&mut k.stretch),
            Self::Cylindrical(k) => Some(&mut k.slide),
            Self::Screw(k) => Some(&mut k.turn),
            Self::Wheel(k) => Some(&mut k.suspension),
            _ => None,
        }
    }

    /// What it is told may still change after this time, so that its bodies must not fall asleep.
    pub(crate) fn changes_after(&self, time: f64) -> bool {
        let motor = |m: &Option<Motor>| m.as_ref().is_some_and(|m| m.changes_after(time));
        let own = match self {
            Self::Wheel(k) => motor(&k.spin) || k.steer.changes_after(time),
            Self::Path(k) => motor(&k.motor),
            Self::Ball(k) => k.motor.as_ref().is_some_and(|m| m.changes_after(time)),
            Self::ConeTwist(k) => k.motor.as_ref().is_some_and(|m| m.changes_after(time)),
            _ => false,
        };
        own || self.axes().any(|axis| axis.changes_after(time))
    }

    /// Where its main freedom is: radians or metres. `None` for kinds without one.
    pub(crate) fn value(&self, frames: &Frames) -> Option<Real> {
        let slide = || frames.a.axes().x.dot(frames.gap());
        match self {
            Self::Hinge(_) | Self::Screw(_) => Some(parts::counted_twist(frames)),
            Self::Slider(_) | Self::Cylindrical(_) | Self::Wheel(_) => Some(slide()),
            Self::Distance(_) => Some(Distance::value(frames)),
            Self::ConeTwist(_) => Some(ConeTwist::swing(frames)),
            Self::Pulley(k) => Some(k.used(frames)),
            Self::Path(k) => Some(Real::from_f64(k.parameter(frames))),
            _ => None,
        }
    }

    /// All three numbers by which it measures turning of B as seen from A, where it does.
    pub(crate) fn angles(&self, frames: &Frames) -> Option<[Real; 3]> {
        match self {
            Self::SixAxis(_) => Some(SixAxis::angles(frames)),
            Self::Universal(_) => {
                let [a, b] = Universal::angles(frames);
                Some([0.0, a, b])
            }
            Self::ConeTwist(_) => Some([frames.twist(), ConeTwist::swing(frames), 0.0]),
            Self::Hinge(_) | Self::Cylindrical(_) | Self::Planar(_) | Self::Screw(_) => {
                Some([parts::counted_twist(frames), 0.0, 0.0])
            }
            _ => None,
        }
    }

    /// What it holds of places is along axes of A, which turn with A: its arm on A leads to the frame of B.
    pub(crate) fn holds_along_axes(&self) -> bool {
        matches!(
            self,
            Self::Slider(_)
                | Self::Cylindrical(_)
                | Self::Planar(_)
                | Self::SixAxis(_)
                | Self::Screw(_)
                | Self::Wheel(_)
                | Self::Path(_)
        )
    }

    /// How many contacts it counts for as support of a body at rest: what leaves it as free as a ball joint does as one, what
    /// holds more as two (003-104).
    pub(crate) fn supports(&self) -> u32 {
        match self {
            Self::Hinge(_)
            | Self::Slider(_)
            | Self::Fixed(_)
            | Self::Universal(_)
            | Self::Cylindrical(_)
            | Self::Planar(_)
            | Self::SixAxis(_)
            | Self::Screw(_)
            | Self::Wheel(_)
            | Self::Glue(_) => 2,
            _ => 1,
        }
    }
}

/// The memory of joints that count turns about their x axis.
fn remember_twist(frames: &Frames) -> [f64; 4] {
    [unwound(frames.twist(), frames.memory[0]), 0.0, 0.0, 0.0]
}

/// Limits of a hinge in whole turns and fractions are common enough.
impl Hinge {
    /// A hinge that turns between two angles.
    pub fn limited(low: Real, high: Real) -> Self {
        Self { turn: Axis::FREE.limit(Limit::new(low, high)) }
    }

    /// A hinge with a motor.
    pub fn driven(motor: Motor) -> Self {
        Self { turn: Axis::FREE.motor(motor) }
    }
}

impl Slider {
    /// A slider between two stops.
    pub fn limited(low: Real, high: Real) -> Self {
        Self { slide: Axis::FREE.limit(Limit::new(low, high)) }
    }

    /// A slider with a motor.
    pub fn driven(motor: Motor) -> Self {
        Self { slide: Axis::FREE.motor(motor) }
    }
}
