//! Descriptions from which articulations are made.

use super::kind::{Kind, LinkJoint};
use super::restraint::{Coupling, Swing};
use crate::body::{BodyDesc, BodyKind};
use crate::error::{Error, Result};
use crate::math::{Quat, Vec3, WorldPose};

/// What drives a degree of freedom: τ = k (target - q) + c (speed - q̇), and never more than `max_force`.
///
/// The target is a place of the whole joint, since that of a ball joint is an orientation: see
/// [`LinkDesc::target`] and [`ArticulationMut::set_target`](super::ArticulationMut::set_target). The force is taken at the end of
/// each sub-step, so that any stiffness is stable.
///
/// ```
/// use tumble::articulation::Motor;
/// let servo = Motor::position(500.0, 20.0).max_force(80.0);
/// let wheel = Motor::velocity(12.0, 3.0);
/// assert_eq!((servo.speed, wheel.stiffness), (0.0, 0.0));
/// assert!(servo.is_on() && !Motor::OFF.is_on());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motor {
    /// k in N/m, or N m/rad.
    pub stiffness: f64,
    /// c in N s/m, or N m s/rad. Infinite: the speed is held as hard as can be.
    pub damping: f64,
    /// The speed that is wanted, besides what leads to the target.
    pub speed: f64,
    /// The largest force or torque.
    pub max_force: f64,
}

impl Motor {
    /// Does nothing.
    pub const OFF: Self = Self { stiffness: 0.0, damping: 0.0, speed: 0.0, max_force: f64::INFINITY };

    /// Holds a speed with at most this force.
    pub fn velocity(speed: f64, max_force: f64) -> Self {
        Self { stiffness: 0.0, damping: f64::INFINITY, speed, max_force }
    }

    /// Leads to the target as a damped spring.
    pub fn position(stiffness: f64, damping: f64) -> Self {
        Self { stiffness, damping, ..Self::OFF }
    }

    /// With at most this force.
    #[must_use]
    pub fn max_force(mut self, force: f64) -> Self {
        self.max_force = force;
        self
    }

    /// It does something.
    pub fn is_on(&self) -> bool {
        (self.stiffness > 0.0 || self.damping > 0.0) && self.max_force > 0.0
    }

    pub(crate) fn validate(&self, subject: &str) -> Result<()> {
        let sound = |v: f64| v >= 0.0 && v.is_finite();
        if !sound(self.stiffness) {
            return Err(Error::value(subject, "motor stiffness", "not negative and finite", self.stiffness));
        }
        if !(self.damping >= 0.0) {
            return Err(Error::value(subject, "motor damping", "not negative", self.damping));
        }
        if !self.speed.is_finite() {
            return Err(Error::value(subject, "motor speed", "finite", self.speed));
        }
        if !(self.max_force >= 0.0) {
            return Err(Error::value(subject, "largest motor force", "not negative", self.max_force));
        }
        Ok(())
    }
}

/// One degree of freedom: what acts along it besides the weight of the links.
///
/// ```
/// use tumble::articulation::{Dof, Motor};
/// let knee = Dof { damping: 0.5, ..Dof::default() }.limits(-2.0, 0.0).motor(Motor::position(100.0, 5.0));
/// assert_eq!(knee.limits, Some([-2.0, 0.0]));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dof {
    /// Inertia of what turns with the motor, such as gears, in kg m² or kg.
    pub armature: f64,
    /// Force per velocity, against it.
    pub damping: f64,
    /// Force per displacement from the rest of the joint, back to it.
    pub stiffness: f64,
    /// Dry friction: the force that must be overcome.
    pub friction: f64,
    /// The least and the largest coordinate; none for free joints, and for spherical ones see [`Swing`].
    pub limits: Option<[f64; 2]>,
    /// Share of the speed with which it bounces back from its limits.
    pub restitution: f64,
    /// What drives it.
    pub motor: Motor,
    /// A force or torque that stays until changed.
    pub force: f64,
}

impl Default for Dof {
    fn default() -> Self {
        Self {
            armature: 0.0,
            damping: 0.0,
            stiffness: 0.0,
            friction: 0.0,
            limits: None,
            restitution: 0.0,
            motor: Motor::OFF,
            force: 0.0,
        }
    }
}

impl Dof {
    /// With these limits.
    #[must_use]
    pub fn limits(mut self, low: f64, high: f64) -> Self {
        self.limits = Some([low, high]);
        self
    }

    /// Bouncing back from its limits with this share of the speed.
    ///
    /// ```
    /// use tumble::{BodyDesc, World, articulation::{ArticulationDesc, Dof, LinkDesc}};
    /// # fn main() -> tumble::Result<()> {
    /// // A bead on a level wire runs against a buffer.
    /// let mut wire = ArticulationDesc::new();
    /// let buffer = Dof::default().limits(-1.0, 1.0).restitution(0.5);
    /// wire.add(LinkDesc::prismatic(BodyDesc::dynamic(), [1.0, 0.0, 0.0]).dof(0, buffer).velocity(&[4.0]));
    /// let mut world = World::new();
    /// let id = world.add_articulation(wire)?;
    /// for _ in 0..30 {
    ///     world.step(1.0 / 60.0)?;
    /// }
    /// assert!((world.articulation(id)?.velocity()[0] + 2.0).abs() < 1e-4);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn restitution(mut self, restitution: f64) -> Self {
        self.restitution = restitution;
        self
    }

    /// With this motor.
    #[must_use]
    pub fn motor(mut self, motor: Motor) -> Self {
        self.motor = motor;
        self
    }

    /// An error where a value is out of range.
    pub(crate) fn validate(&self, subject: &str, kind: Kind) -> Result<()> {
        for (property, value) in [
            ("armature", self.armature),
            ("joint damping", self.damping),
            ("joint stiffness", self.stiffness),
            ("joint friction", self.friction),
        ] {
            if !(value >= 0.0 && value.is_finite()) {
                return Err(Error::value(subject, property, "not negative and finite", value));
            }
        }
        if !self.force.is_finite() {
            return Err(Error::value(subject, "joint force", "finite", self.force));
        }
        check_restitution(subject, "restitution of the limits", self.restitution)?;
        if matches!(kind, Kind::Spherical | Kind::Free) && (self.limits.is_some() || self.restitution != 0.0) {
            return Err(Error::refused(
                subject,
                "the coordinates of a spherical or free joint have no limits; a swing limits a spherical one",
            ));
        }
        if let Some([low, high]) = self.limits
            && !(low <= high)
        {
            return Err(Error::value(subject, "limits", "the least first", format_args!("[{low}, {high}]")));
        }
        self.motor.validate(subject)
    }
}

/// An error where a limit would give back less than nothing, or more than all.
pub(super) fn check_restitution(subject: &str, property: &'static str, restitution: f64) -> Result<()> {
    match (0.0..=1.0).contains(&restitution) {
        true => Ok(()),
        false => Err(Error::value(subject, property, "between 0 and 1", restitution)),
    }
}

/// A link to be made: a body, and the joint by which it hangs on its parent.
///
/// The body's own pose and velocity are ignored: they follow from the joint. So are its locks and speed limits.
///
/// ```
/// use tumble::{BodyDesc, articulation::{Dof, LinkDesc, LinkJoint}, shape::Shape};
/// # fn main() -> tumble::Result<()> {
/// let rod = BodyDesc::dynamic().collider(Shape::capsule(0.2, 0.05)?);
/// let link = LinkDesc::new(rod, LinkJoint::Revolute { axis: [0.0, 0.0, 1.0].into() })
///     .at([0.0, 2.0, 0.0])        // where the hinge is on the parent, here the world
///     .anchor([0.0, 0.25, 0.0])   // where it is on the link
///     .dof(0, Dof { damping: 0.1, ..Dof::default() })
///     .position(&[0.5]);
/// assert_eq!((link.parent, link.joint.dofs()), (None, 1));
/// # Ok(())
/// # }
/// ```
///
/// ```
/// use tumble::{BodyDesc, World, articulation::{ArticulationDesc, Dof, LinkDesc}, math::WorldPose};
/// # fn main() -> tumble::Result<()> {
/// // A buggy: a floating base, a sprung slider without a mass of its own, and a wheel on it.
/// let mut buggy = ArticulationDesc::new().self_collision(true);
/// let hull = buggy.add(LinkDesc::free(BodyDesc::dynamic().mass(200.0)).position(&[0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0]));
/// let spring = Dof { stiffness: 2e4, damping: 1e3, ..Dof::default() };
/// let strut = LinkDesc::prismatic(BodyDesc::dynamic(), [0.0, 1.0, 0.0]).massless();
/// let strut = buggy.add(strut.parent(hull).at([1.0, -0.4, 0.0]).dof(0, spring).rest(&[-0.1]));
/// let hub = WorldPose::from_translation([0.0, 0.0, 0.3]);
/// let wheel = LinkDesc::revolute(BodyDesc::dynamic().mass(10.0), [0.0, 0.0, 1.0]);
/// buggy.add(wheel.parent(strut).frames(hub, WorldPose::IDENTITY));
/// let mut world = World::new();
/// let id = world.add_articulation(buggy)?;
/// assert_eq!((world.articulation(id)?.coordinates(), world.articulation(id)?.dofs()), (9, 8));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct LinkDesc {
    /// Its mass, colliders, name and so on.
    pub body: BodyDesc,
    /// It has no mass of its own, and lends no inertia: a part of a joint rather than a body. It may have no colliders, and
    /// something beyond it must have a mass that its joint moves.
    pub massless: bool,
    /// The number of its parent in the articulation, smaller than its own; `None` for the world.
    pub parent: Option<usize>,
    /// The joint.
    pub joint: LinkJoint,
    /// The frame of the joint on the parent, or in the world.
    pub frame_on_parent: WorldPose,
    /// The frame of the joint on the link.
    pub frame_on_link: WorldPose,
    /// One for each degree of freedom.
    pub dofs: Vec<Dof>,
    /// Limits of a spherical joint.
    pub swing: Option<Swing>,
    /// Coordinates at the start; empty for zeros, and no turn of quaternions.
    pub position: Vec<f64>,
    /// Velocities at the start; empty for rest.
    pub velocity: Vec<f64>,
    /// Coordinates at which the springs of the joint are at rest; empty for zeros.
    pub rest: Vec<f64>,
    /// Coordinates to which the motors lead; empty for zeros.
    pub target: Vec<f64>,
}

impl LinkDesc {
    /// A link on the world, its joint at the origins of both.
    pub fn new(body: BodyDesc, joint: LinkJoint) -> Self {
        Self {
            body,
            massless: false,
            parent: None,
            joint,
            frame_on_parent: WorldPose::IDENTITY,
            frame_on_link: WorldPose::IDENTITY,
            dofs: vec![Dof::default(); joint.dofs()],
            swing: None,
            position: Vec::new(),
            velocity: Vec::new(),
            rest: Vec::new(),
            target: Vec::new(),
        }
    }

    /// A link that turns about an axis.
    pub fn revolute(body: BodyDesc, axis: impl Into<Vec3>) -> Self {
        Self::new(body, LinkJoint::Revolute { axis: axis.into() })
    }

    /// A link that slides along an axis.
    ///
    /// ```
    /// use tumble::articulation::{ArticulationDesc, Dof, LinkDesc};
    /// use tumble::{BodyDesc, World, shape::Shape};
    /// # fn main() -> tumble::Result<()> {
    /// let cube = || -> tumble::Result<BodyDesc> { Ok(BodyDesc::dynamic().collider(Shape::cuboid(0.1, 0.1, 0.1)?)) };
    /// // A piston that a spring holds half a metre above a base, which nothing holds.
    /// let mut desc = ArticulationDesc::new().self_collision(true);
    /// let base = desc.add(LinkDesc::free(cube()?));
    /// let spring = Dof { stiffness: 200.0, ..Dof::default() };
    /// desc.add(LinkDesc::prismatic(cube()?, [0.0, 1.0, 0.0]).parent(base).dof(0, spring).rest(&[0.5]).position(&[0.5]));
    /// let mut world = World::new();
    /// let id = world.add_articulation(desc)?;
    /// let piston = world.articulation(id)?;
    /// // A free link has three coordinates of place, four of turn, and six velocities.
    /// assert_eq!((piston.coordinates_of(1)?, piston.dofs_of(1)?), (7..8, 6..7));
    /// assert!((world.body(piston.link(1)?)?.position().y - 0.5).abs() < 1e-6);
    /// assert!(piston.self_collision());
    /// # Ok(())
    /// # }
    /// ```
    pub fn prismatic(body: BodyDesc, axis: impl Into<Vec3>) -> Self {
        Self::new(body, LinkJoint::Prismatic { axis: axis.into() })
    }

    /// A link that turns about a point.
    pub fn spherical(body: BodyDesc) -> Self {
        Self::new(body, LinkJoint::Spherical)
    }

    /// A link that nothing holds: a floating base.
    pub fn free(body: BodyDesc) -> Self {
        Self::new(body, LinkJoint::Free)
    }

    /// A link that is fixed to its parent.
    pub fn fixed(body: BodyDesc) -> Self {
        Self::new(body, LinkJoint::Fixed)
    }

    /// Hangs on this link.
    #[must_use]
    pub fn parent(mut self, parent: usize) -> Self {
        self.parent = Some(parent);
        self
    }

    /// Where the joint is on the parent, or in the world.
    #[must_use]
    pub fn at(mut self, point: impl Into<Vec3<f64>>) -> Self {
        self.frame_on_parent.translation = point.into();
        self
    }

    /// Where the joint is on the link.
    #[must_use]
    pub fn anchor(mut self, point: impl Into<Vec3<f64>>) -> Self {
        self.frame_on_link.translation = point.into();
        self
    }

    /// How the frame of the joint is turned on the parent, and so the link where its coordinates are 0.
    #[must_use]
    pub fn turned(mut self, rotation: Quat) -> Self {
        self.frame_on_parent.rotation = rotation;
        self
    }

    /// Both frames of the joint.
    #[must_use]
    pub fn frames(mut self, on_parent: WorldPose, on_link: WorldPose) -> Self {
        self.frame_on_parent = on_parent;
        self.frame_on_link = on_link;
        self
    }

    /// Without a mass of its own.
    ///
    /// ```
    /// use tumble::articulation::{ArticulationDesc, LinkDesc};
    /// use tumble::{BodyDesc, World, math::{Quat, WorldPose}, shape::Shape};
    /// # fn main() -> tumble::Result<()> {
    /// // Two crossed axes: the part between them has no mass, the arm hangs on it by its upper end.
    /// let mut desc = ArticulationDesc::new();
    /// let cross = desc.add(LinkDesc::revolute(BodyDesc::dynamic(), [1.0, 0.0, 0.0]).massless());
    /// let arm = BodyDesc::dynamic().mass(2.0).collider(Shape::capsule(0.3, 0.05)?);
    /// let upper_end = WorldPose::new([0.0, 0.35, 0.0], Quat::IDENTITY);
    /// desc.add(LinkDesc::revolute(arm, [0.0, 0.0, 1.0]).parent(cross).frames(WorldPose::IDENTITY, upper_end));
    /// let mut world = World::new();
    /// let id = world.add_articulation(desc)?;
    /// let joint = world.articulation(id)?;
    /// assert!((joint.mass() - 2.0).abs() < 1e-6 && (joint.centre_of_mass().y + 0.35).abs() < 1e-6);
    /// // H x = b
    /// let x = joint.solve_mass_matrix(&[1.0, 0.0])?;
    /// assert!((joint.mass_matrix()[0] * x[0] - 1.0).abs() < 1e-6);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn massless(mut self) -> Self {
        self.massless = true;
        self
    }

    /// What acts along a degree of freedom. One that the joint does not have is an error when the articulation is added.
    #[must_use]
    pub fn dof(mut self, index: usize, dof: Dof) -> Self {
        if self.dofs.len() <= index {
            self.dofs.resize(index.min(6) + 1, Dof::default());
        }
        if let Some(d) = self.dofs.get_mut(index) {
            *d = dof;
        }
        self
    }

    /// Limits of its spherical joint.
    #[must_use]
    pub fn swing(mut self, swing: Swing) -> Self {
        self.swing = Some(swing);
        self
    }

    /// Coordinates at the start.
    #[must_use]
    pub fn position(mut self, q: &[f64]) -> Self {
        self.position = q.to_vec();
        self
    }

    /// Velocities at the start.
    #[must_use]
    pub fn velocity(mut self, qd: &[f64]) -> Self {
        self.velocity = qd.to_vec();
        self
    }

    /// Coordinates at which its springs are at rest.
    #[must_use]
    pub fn rest(mut self, q: &[f64]) -> Self {
        self.rest = q.to_vec();
        self
    }

    /// Coordinates to which its motors lead.
    #[must_use]
    pub fn target(mut self, q: &[f64]) -> Self {
        self.target = q.to_vec();
        self
    }

    /// What it is called in error messages.
    pub(crate) fn subject(&self, index: usize) -> String {
        match &self.body.name {
            Some(name) => format!("link {index} {name:?}"),
            None => format!("link {index}"),
        }
    }

    fn validate(&self, index: usize) -> Result<()> {
        let subject = self.subject(index);
        self.joint.validate(&subject)?;
        if let Some(parent) = self.parent.filter(|&p| p >= index) {
            return Err(Error::value(subject, "parent", "a link before it", parent));
        }
        if self.joint == LinkJoint::Free && self.parent.is_some() {
            return Err(Error::refused(subject, "only a link without a parent can be free; put it into its own tree"));
        }
        if self.body.kind != BodyKind::Dynamic {
            return Err(Error::refused(subject, "the body of a link must be dynamic; to hold it, fix its joint"));
        }
        if self.massless && !self.body.colliders.is_empty() {
            return Err(Error::refused(subject, "a massless link must not have colliders"));
        }
        for (frame, what) in
            [(&self.frame_on_parent, "frame on the parent"), (&self.frame_on_link, "frame on the link")]
        {
            if !(frame.is_finite() && frame.rotation.try_normalize().is_some()) {
                return Err(Error::value(&subject, what, "finite, with a rotation", format_args!("{frame:?}")));
            }
        }
        let (nq, nv) = (self.joint.coordinates(), self.joint.dofs());
        if self.dofs.len() != nv {
            return Err(Error::value(subject, "degrees of freedom", "as many as the joint has", self.dofs.len()));
        }
        let kind = self.joint.canonical().1;
        for dof in &self.dofs {
            dof.validate(&subject, kind)?;
        }
        if let Some(swing) = &self.swing {
            swing.validate(&subject, kind)?;
        }
        for (what, values, count) in [
            ("position", &self.position, nq),
            ("velocity", &self.velocity, nv),
            ("rest", &self.rest, nq),
            ("target", &self.target, nq),
        ] {
            if !values.is_empty() {
                check_numbers(&subject, what, values, count)?;
                if what != "velocity" {
                    check_quaternion(&subject, what, kind, values)?;
                }
            }
        }
        Ok(())
    }
}

/// As many finite numbers as asked for.
pub(super) fn check_numbers(subject: &str, what: &'static str, values: &[f64], count: usize) -> Result<()> {
    if values.len() != count || !values.iter().all(|v| v.is_finite()) {
        let expected = "finite numbers, as many as the joint has";
        return Err(Error::value(subject, what, expected, format_args!("{values:?}, of {count}")));
    }
    Ok(())
}

/// The quaternion among the coordinates of a joint says where it is turned.
pub(super) fn check_quaternion(subject: &str, what: &'static str, kind: Kind, q: &[f64]) -> Result<()> {
    let quaternion = match (kind, q) {
        (Kind::Spherical, &[x, y, z, w]) | (Kind::Free, &[_, _, _, x, y, z, w]) => Quat::new(x, y, z, w),
        _ => return Ok(()),
    };
    match quaternion.try_normalize() {
        Some(_) => Ok(()),
        None => Err(Error::value(subject, what, "with a quaternion that is not zero", format_args!("{q:?}"))),
    }
}

/// A tree of links to be made.
///
/// ```
/// use tumble::{BodyDesc, World, articulation::{ArticulationDesc, LinkDesc}, shape::Shape};
/// # fn main() -> tumble::Result<()> {
/// let rod = || -> tumble::Result<BodyDesc> { Ok(BodyDesc::dynamic().collider(Shape::capsule(0.2, 0.05)?)) };
/// let mut pendulum = ArticulationDesc::new().name("pendulum");
/// let upper = pendulum.add(LinkDesc::revolute(rod()?, [0.0, 0.0, 1.0]).at([0.0, 2.0, 0.0]).anchor([0.0, 0.25, 0.0]));
/// pendulum.add(LinkDesc::revolute(rod()?, [0.0, 0.0, 1.0]).parent(upper).at([0.0, -0.25, 0.0]).anchor([0.0, 0.25, 0.0]));
/// let mut world = World::new();
/// let id = world.add_articulation(pendulum)?;
/// assert_eq!(world.articulation(id)?.dofs(), 2);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Default)]
pub struct ArticulationDesc {
    /// The links, parents before children.
    pub links: Vec<LinkDesc>,
    /// What ties degrees of freedom to each other.
    pub couplings: Vec<Coupling>,
    /// Whether links that are not parent and child collide with each other.
    pub self_collision: bool,
    /// A name for people.
    pub name: Option<String>,
}

impl ArticulationDesc {
    /// Without links yet; they will not collide with each other.
    pub fn new() -> Self {
        Self::default()
    }

    /// A name for people.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Lets links collide that are not parent and child.
    #[must_use]
    pub fn self_collision(mut self, on: bool) -> Self {
        self.self_collision = on;
        self
    }

    /// Adds a link; the answer is its number.
    pub fn add(&mut self, link: LinkDesc) -> usize {
        self.links.push(link);
        self.links.len() - 1
    }

    /// Ties two degrees of freedom together.
    pub fn couple(&mut self, coupling: Coupling) {
        self.couplings.push(coupling);
    }

    pub(crate) fn validate(&self) -> Result<()> {
        if self.links.is_empty() {
            return Err(Error::refused("new articulation", "it has no links"));
        }
        for (i, link) in self.links.iter().enumerate() {
            link.validate(i)?;
            if link.body.active != self.links[0].body.active {
                return Err(Error::refused(
                    link.subject(i),
                    "the links of a tree are active together, or none of them",
                ));
            }
        }
        let subject = self.name.as_ref().map_or("new articulation".to_owned(), |name| format!("articulation {name:?}"));
        for coupling in &self.couplings {
            coupling.validate(&subject, |i| self.links.get(i).map(|l| l.joint))?;
        }
        Ok(())
    }
}
