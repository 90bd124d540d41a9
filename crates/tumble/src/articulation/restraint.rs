//! What limits a spherical joint, and what ties two degrees of freedom together.

use super::desc::check_restitution;
use super::kind::{Kind, LinkJoint};
use crate::error::{Error, Result};
use crate::math::{Float, Quat, Vec3};

/// How far a spherical joint turns: an axis of the link stays in a cone about the same axis of the parent, and the twist about it
/// in a range.
///
/// ```
/// use tumble::{BodyDesc, World, articulation::{ArticulationDesc, LinkDesc, Swing}, math::Vec3};
/// # fn main() -> tumble::Result<()> {
/// // An arm along x, which falls until it hangs on the rim of a cone of 0.6 rad.
/// let arm = BodyDesc::dynamic().mass(2.0);
/// let mut desc = ArticulationDesc::new();
/// desc.add(LinkDesc::spherical(arm).anchor([-0.3, 0.0, 0.0]).swing(Swing::new(Vec3::X, 0.6).twist(-0.1, 0.1)));
/// let mut world = World::new();
/// let id = world.add_articulation(desc)?;
/// for _ in 0..120 {
///     world.step(1.0 / 60.0)?;
/// }
/// let drop = world.body(world.articulation(id)?.link(0)?)?.position().y;
/// assert!((drop + 0.3 * 0.6_f64.sin()).abs() < 0.01);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Swing {
    /// The axis, in the frame of the joint.
    pub axis: Vec3,
    /// Half of the opening angle of the cone.
    pub cone: f64,
    /// The least and the largest twist, between -π and π; `None` for any.
    pub twist: Option<[f64; 2]>,
    /// Share of the speed with which it bounces back from all of them.
    pub restitution: f64,
}

impl Swing {
    /// A cone of this half angle, and any twist.
    pub fn new(axis: impl Into<Vec3>, cone: f64) -> Self {
        Self { axis: axis.into(), cone, twist: None, restitution: 0.0 }
    }

    /// Bouncing back from the cone and from the ends of the twist with this share of the speed.
    ///
    /// ```
    /// use tumble::{articulation::Swing, math::Vec3};
    /// let hip = Swing::new(Vec3::Y, 0.8).twist(-0.2, 0.2).restitution(0.1);
    /// assert_eq!((hip.twist, hip.restitution), (Some([-0.2, 0.2]), 0.1));
    /// ```
    #[must_use]
    pub fn restitution(mut self, restitution: f64) -> Self {
        self.restitution = restitution;
        self
    }

    /// With twist in this range.
    #[must_use]
    pub fn twist(mut self, low: f64, high: f64) -> Self {
        self.twist = Some([low, high]);
        self
    }

    /// The twist about the axis that is in a turn.
    pub(super) fn twist_of(turn: Quat<f64>, axis: Vec3<f64>) -> f64 {
        let twist = 2.0 * Float::atan2(Vec3::new(turn.x, turn.y, turn.z).dot(axis), turn.w);
        if twist > f64::PI {
            twist - 2.0 * f64::PI
        } else if twist < -f64::PI {
            twist + 2.0 * f64::PI
        } else {
            twist
        }
    }

    /// The turn itself where it is within the limits, or one on them: swing and twist each as far as they may.
    pub(super) fn nearest(&self, turn: Quat<f64>) -> Quat<f64> {
        let n = self.axis.to_f64().normalize_or(Vec3::Z);
        // turn = swing · twist, the swing leading n to where it is.
        let mut twist = Self::twist_of(turn, n);
        let mut swing = (turn * Quat::from_axis_angle(n, -twist)).to_rotation_vector();
        if let Some([low, high]) = self.twist {
            twist = twist.clamp(low, high);
        }
        if swing.length() > self.cone {
            swing = swing * (self.cone / swing.length());
        }
        (Quat::from_rotation_vector(swing) * Quat::from_axis_angle(n, twist)).normalized()
    }

    pub(crate) fn validate(&self, subject: &str, kind: Kind) -> Result<()> {
        if kind != Kind::Spherical {
            return Err(Error::refused(
                subject,
                "only a spherical joint has a swing; limit the degrees of freedom of others",
            ));
        }
        if self.axis.to_f64().try_normalize().is_none() {
            let axis = format!("{:?}", self.axis.to_array());
            return Err(Error::value(subject, "axis of the swing", "finite and not zero", axis));
        }
        if !(self.cone > 0.0 && self.cone <= f64::PI) {
            return Err(Error::value(subject, "cone of the swing", "above 0 and at most π", self.cone));
        }
        check_restitution(subject, "restitution of the swing", self.restitution)?;
        match self.twist {
            Some([low, high]) if !(-f64::PI <= low && low <= high && high <= f64::PI) => {
                let given = format!("[{low}, {high}]");
                Err(Error::value(subject, "twist of the swing", "the least first, from -π to π", given))
            }
            _ => Ok(()),
        }
    }
}

/// Ties two degrees of freedom of one tree together, as gears or a belt do: `b = ratio × a + offset`.
///
/// It is held as a joint is that closes a loop: by impulses, on the whole tree at once.
///
/// ```
/// use tumble::{BodyDesc, World, articulation::{ArticulationDesc, Coupling, Dof, LinkDesc, Motor}};
/// # fn main() -> tumble::Result<()> {
/// // Two wheels on one axle, the second geared to turn three times as fast, and backwards.
/// let mut gears = ArticulationDesc::new();
/// let drive = Dof::default().motor(Motor::velocity(1.0, 100.0));
/// let first = gears.add(LinkDesc::revolute(BodyDesc::dynamic(), [0.0, 0.0, 1.0]).dof(0, drive));
/// let second = gears.add(LinkDesc::revolute(BodyDesc::dynamic(), [0.0, 0.0, 1.0]).at([1.0, 0.0, 0.0]));
/// gears.couple(Coupling::new((first, 0), (second, 0), -3.0).offset(0.0)); // no offset, as without a word
/// let mut world = World::new();
/// let id = world.add_articulation(gears)?;
/// for _ in 0..60 {
///     world.step(1.0 / 60.0)?;
/// }
/// let q = world.articulation(id)?.position();
/// assert!((q[0] - 1.0).abs() < 0.01 && (q[1] + 3.0 * q[0]).abs() < 1e-3);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coupling {
    /// A link, and the number of a degree of freedom of its joint.
    pub a: (usize, usize),
    /// What follows it.
    pub b: (usize, usize),
    /// How much b moves for each unit of a.
    pub ratio: f64,
    /// Where b is while a is at 0.
    pub offset: f64,
}

impl Coupling {
    /// b = ratio × a.
    pub fn new(a: (usize, usize), b: (usize, usize), ratio: f64) -> Self {
        Self { a, b, ratio, offset: 0.0 }
    }

    /// With b at this where a is at 0.
    #[must_use]
    pub fn offset(mut self, offset: f64) -> Self {
        self.offset = offset;
        self
    }

    /// An error where a value is out of range; `joints` are those of the links.
    pub(crate) fn validate(&self, subject: &str, joints: impl Fn(usize) -> Option<LinkJoint>) -> Result<()> {
        for (link, dof) in [self.a, self.b] {
            let expected = "a degree of freedom of a link, not of a spherical or free joint";
            let fits = |j: LinkJoint| dof < j.dofs() && !matches!(j, LinkJoint::Spherical | LinkJoint::Free);
            if !joints(link).is_some_and(fits) {
                return Err(Error::value(subject, "coupling", expected, format_args!("({link}, {dof})")));
            }
        }
        if self.a == self.b {
            return Err(Error::refused(subject, "a coupling must not tie a degree of freedom to itself"));
        }
        if !(self.ratio.is_finite() && self.offset.is_finite()) {
            let given = format!("{} and {}", self.ratio, self.offset);
            return Err(Error::value(subject, "ratio and offset of a coupling", "finite", given));
        }
        Ok(())
    }
}
