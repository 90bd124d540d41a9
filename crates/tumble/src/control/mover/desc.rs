//! How a mover moves, as data.

use crate::body::Layers;
use crate::error::{Error, Result};
use crate::math::{Float, Real, Vec3};
use serde::{Deserialize, Serialize};

/// How a [`Mover`](super::Mover) moves. The defaults fit a person.
///
/// ```
/// use tumble::control::MoverDesc;
/// let agile = MoverDesc { step_height: 0.5, climb_angle: 1.0, ..MoverDesc::default() };
/// assert!(agile.validate().is_ok());
/// assert!(MoverDesc { skin: 0.0, ..agile }.validate().is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MoverDesc {
    /// The way up, of any length.
    pub up: Vec3,
    /// The distance that is kept from everything, in metres: what rounding and moving obstacles may use up before anything overlaps. About a
    /// thirtieth of the width.
    pub skin: Real,
    /// The steepest slope that is climbed, in radians. Steeper ones are walls.
    pub climb_angle: Real,
    /// The steepest slope that it stands on, in radians. On steeper ones a downward displacement makes it slide.
    pub slide_angle: Real,
    /// The highest step that is climbed, in metres; 0 for none.
    pub step_height: Real,
    /// How deep a step must be at least, in metres, to be climbed.
    pub step_width: Real,
    /// Dynamic bodies are climbed too.
    pub step_on_dynamic: bool,
    /// How far below itself it looks for ground to stay on when it walks down a slope or stairs, in metres.
    pub snap: Real,
    /// Its mass in kg: it pushes like one and presses on dynamic bodies that it stands on. 0 for a ghost that moves nothing.
    pub mass: Real,
    /// The largest force by which it pushes what is in its way, in newtons. May be infinite.
    pub push_force: Real,
    /// Ground that turns about the way up turns it too. The shape of a person does not show it, that of a crate does.
    pub turn_with_ground: bool,
    /// The layers that it belongs to and meets.
    pub layers: Layers,
}

impl Default for MoverDesc {
    fn default() -> Self {
        Self {
            up: Vec3::Y,
            skin: 0.01,
            climb_angle: Real::PI / 4.0,
            slide_angle: Real::PI / 4.0,
            step_height: 0.35,
            step_width: 0.1,
            step_on_dynamic: true,
            snap: 0.35,
            mass: 80.0,
            push_force: 400.0,
            turn_with_ground: true,
            layers: Layers::default(),
        }
    }
}

impl MoverDesc {
    /// What is wrong with it, if anything.
    pub fn validate(&self) -> Result<()> {
        const SUBJECT: &str = "mover";
        if self.up.try_normalize().is_none() {
            return Err(Error::value(SUBJECT, "up", "finite and not zero", format_args!("{:?}", self.up.to_array())));
        }
        if !(self.skin > 0.0 && self.skin.is_finite()) {
            return Err(Error::value(SUBJECT, "skin", "positive and finite", self.skin));
        }
        for (property, angle) in [("climb angle", self.climb_angle), ("slide angle", self.slide_angle)] {
            if !(0.0..Real::PI / 2.0).contains(&angle) {
                return Err(Error::value(SUBJECT, property, "from 0 to below a right angle", angle));
            }
        }
        let lengths = [
            ("step height", self.step_height),
            ("step width", self.step_width),
            ("snap", self.snap),
            ("mass", self.mass),
        ];
        for (property, value) in lengths {
            if !(value >= 0.0 && value.is_finite()) {
                return Err(Error::value(SUBJECT, property, "zero or positive and finite", value));
            }
        }
        if self.push_force >= 0.0 {
            Ok(())
        } else {
            Err(Error::value(SUBJECT, "push force", "zero or positive", self.push_force))
        }
    }
}
