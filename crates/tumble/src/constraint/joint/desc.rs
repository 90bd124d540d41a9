//! Descriptions from which joints are made.

use super::{
    Ball, ConeTwist, Cylindrical, Distance, Drag, Fixed, Gear, Glue, Hinge, JointKind, Parallel, Path, Planar, Pulley,
    Rack, Screw, SixAxis, Slider, Universal, Wheel,
};
use crate::body::desc::check_rotation;
use crate::constraint::axis::check_force;
use crate::constraint::{Constraint, Stiffness};
use crate::error::{Error, Result};
use crate::id::BodyId;
use crate::math::{Mat3, Point, Quat, Real, Vec3, WorldPose};
use crate::world::World;
use std::sync::Arc;

/// A place or a direction, in the frame of a body or in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Where<T> {
    /// In the body's frame.
    Local(T),
    /// In the world, where the bodies are when the joint is made.
    World(T),
}

/// How a frame is given.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub(crate) struct Hold {
    /// The origin; `None` is where the other frame is, or the origin of B.
    pub point: Option<Where<Point>>,
    /// x; `None` is as the other frame's, or x of the world.
    pub axis: Option<Where<Vec3>>,
    /// All three axes in the body's frame.
    pub rotation: Option<Quat>,
}

/// A joint to be made.
///
/// Where it takes hold of the bodies can be said in the world ([`JointDesc::anchor`], [`JointDesc::axis`]), for each body in its own frame
/// (`anchor_a`, `axis_a`, ...), or by whole frames (`frame_a`, `frame_b`). Without any, it is at the origin of B's frame, with the axes of
/// the world. Unless both frames are given, all angles are 0 where the bodies are when the joint is made.
///
/// ```
/// use tumble::{BodyDesc, JointDesc, World, constraint::joint::Hinge, shape::Shape};
/// # fn main() -> tumble::Result<()> {
/// let mut world = World::new();
/// let door = world.add_body(BodyDesc::dynamic().position([0.5, 1.0, 0.0]).collider(Shape::cuboid(0.5, 1.0, 0.05)?))?;
/// let hinge = JointDesc::new(World::BODY, door, Hinge::limited(-1.5, 1.5)).anchor([0.0, 1.0, 0.0]).axis([0.0, 1.0, 0.0]);
/// let hinge = world.add_joint(hinge)?;
/// world.body_mut(door)?.apply_angular_impulse([0.0, 20.0, 0.0])?;
/// for _ in 0..60 {
///     world.step(1.0 / 60.0)?;
/// }
/// assert!(world.joint(hinge)?.value().unwrap() > 0.1);
/// assert!(world.joint(hinge)?.gap() < 1e-3);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct JointDesc {
    /// The bodies A and B.
    pub bodies: [BodyId; 2],
    /// What it holds.
    pub kind: JointKind,
    pub(crate) holds: [Hold; 2],
    /// How hard it holds.
    pub stiffness: Stiffness,
    /// Mean force over a step at which it breaks; infinite for never.
    pub break_force: Real,
    /// Mean torque over a step at which it breaks; infinite for never.
    pub break_torque: Real,
    /// The two bodies can touch each other.
    pub collide: bool,
    /// An inactive joint holds nothing.
    pub active: bool,
    /// It appears in the debug geometry.
    pub debug: bool,
    /// A name for people; need not be unique.
    pub name: Option<String>,
    /// Anything the user wants to find again.
    pub user_data: u64,
}

impl JointDesc {
    /// A joint of any kind between A and B.
    pub fn new(a: BodyId, b: BodyId, kind: impl Into<JointKind>) -> Self {
        Self {
            bodies: [a, b],
            kind: kind.into(),
            holds: [Hold::default(); 2],
            stiffness: Stiffness::Method,
            break_force: Real::INFINITY,
            break_torque: Real::INFINITY,
            collide: false,
            active: true,
            debug: true,
            name: None,
            user_data: 0,
        }
    }

    /// One point in common.
    pub fn ball(a: BodyId, b: BodyId) -> Self {
        Self::new(a, b, Ball::default())
    }

    /// Turns about one axis.
    pub fn hinge(a: BodyId, b: BodyId) -> Self {
        Self::new(a, b, Hinge::default())
    }

    /// Slides along one axis.
    pub fn slider(a: BodyId, b: BodyId) -> Self {
        Self::new(a, b, Slider::default())
    }

    /// Does not move at all.
    pub fn fixed(a: BodyId, b: BodyId) -> Self {
        Self::new(a, b, Fixed)
    }

    /// A rod of this length between two points.
    pub fn rod(a: BodyId, b: BodyId, length: Real) -> Self {
        Self::new(a, b, Distance::rod(length))
    }

    /// A rope of this length between two points.
    pub fn rope(a: BodyId, b: BodyId, length: Real) -> Self {
        Self::new(a, b, Distance::rope(length))
    }

    /// A spring of this length at rest between two points.
    pub fn spring(a: BodyId, b: BodyId, length: Real, stiffness: Stiffness) -> Self {
        Self::new(a, b, Distance::spring(length, stiffness))
    }

    /// Two crossed axes.
    pub fn universal(a: BodyId, b: BodyId) -> Self {
        Self::new(a, b, Universal::default())
    }

    /// A ball joint whose axis stays within a cone of this half angle and twists by at most the other to either side.
    pub fn cone_twist(a: BodyId, b: BodyId, cone: Real, twist: Real) -> Self {
        Self::new(a, b, ConeTwist::new(cone, twist))
    }

    /// Slides along an axis and turns about it.
    pub fn cylindrical(a: BodyId, b: BodyId) -> Self {
        Self::new(a, b, Cylindrical::default())
    }

    /// Moves in a plane across the axis.
    pub fn planar(a: BodyId, b: BodyId) -> Self {
        Self::new(a, b, Planar::default())
    }

    /// Keeps the axis parallel.
    pub fn parallel(a: BodyId, b: BodyId) -> Self {
        Self::new(a, b, Parallel)
    }

    /// Each of the six motions as told.
    pub fn six_axis(a: BodyId, b: BodyId, motions: SixAxis) -> Self {
        Self::new(a, b, motions)
    }

    /// Turns in a ratio; see [`Gear`].
    pub fn gear(a: BodyId, b: BodyId, ratio: Real) -> Self {
        Self::new(a, b, Gear { ratio })
    }

    /// Pinion A moves rack B by so many metres per radian.
    pub fn rack(a: BodyId, b: BodyId, travel: Real) -> Self {
        Self::new(a, b, Rack { travel })
    }

    /// Turns about an axis and moves along it by so much per turn.
    pub fn screw(a: BodyId, b: BodyId, pitch: Real) -> Self {
        Self::new(a, b, Screw { pitch, ..Screw::default() })
    }

    /// A rope over two wheels.
    pub fn pulley(a: BodyId, b: BodyId, pulley: Pulley) -> Self {
        Self::new(a, b, pulley)
    }

    /// Wheel B on chassis A.
    pub fn wheel(a: BodyId, b: BodyId, wheel: Wheel) -> Self {
        Self::new(a, b, wheel)
    }

    /// B along a curve that is fixed to A.
    pub fn path(a: BodyId, b: BodyId, path: Path) -> Self {
        Self::new(a, b, path)
    }

    /// Pulls a point of a body to a place in the world, as a mouse does: with at most this force.
    pub fn drag(body: BodyId, max_force: Real) -> Self {
        Self::new(World::BODY, body, Drag::new(max_force))
    }

    /// Three ball joints at the corners of a triangle.
    pub fn glue(a: BodyId, b: BodyId, points: [Vec3; 3]) -> Self {
        Self::new(a, b, Glue { points })
    }

    /// A constraint of the user's.
    pub fn custom(a: BodyId, b: BodyId, constraint: Arc<dyn Constraint>) -> Self {
        Self::new(a, b, JointKind::Custom(constraint))
    }

    /// Both frames have their origin at this point of the world.
    #[must_use]
    pub fn anchor(mut self, point: impl Into<Point>) -> Self {
        let point = Some(Where::World(point.into()));
        self.holds[0].point = point;
        self.holds[1].point = point;
        self
    }

    /// The origin of the frame on A, in A's frame.
    #[must_use]
    pub fn anchor_a(mut self, point: impl Into<Point>) -> Self {
        self.holds[0].point = Some(Where::Local(point.into()));
        self
    }

    /// The origin of the frame on B, in B's frame.
    #[must_use]
    pub fn anchor_b(mut self, point: impl Into<Point>) -> Self {
        self.holds[1].point = Some(Where::Local(point.into()));
        self
    }

    /// x of both frames, as a direction in the world; need not have length 1.
    #[must_use]
    pub fn axis(mut self, axis: impl Into<Vec3>) -> Self {
        let axis = Some(Where::World(axis.into()));
        self.holds[0].axis = axis;
        self.holds[1].axis = axis;
        self
    }

    /// x of the frame on A, in A's frame.
    #[must_use]
    pub fn axis_a(mut self, axis: impl Into<Vec3>) -> Self {
        self.holds[0].axis = Some(Where::Local(axis.into()));
        self
    }

    /// x of the frame on B, in B's frame.
    #[must_use]
    pub fn axis_b(mut self, axis: impl Into<Vec3>) -> Self {
        self.holds[1].axis = Some(Where::Local(axis.into()));
        self
    }

    /// The whole frame on A, in A's frame.
    #[must_use]
    pub fn frame_a(mut self, point: impl Into<Point>, rotation: Quat) -> Self {
        self.holds[0] = Hold { point: Some(Where::Local(point.into())), axis: None, rotation: Some(rotation) };
        self
    }

    /// The whole frame on B, in B's frame.
    #[must_use]
    pub fn frame_b(mut self, point: impl Into<Point>, rotation: Quat) -> Self {
        self.holds[1] = Hold { point: Some(Where::Local(point.into())), axis: None, rotation: Some(rotation) };
        self
    }

    /// Sets [`JointDesc::stiffness`].
    #[must_use]
    pub fn stiffness(mut self, stiffness: Stiffness) -> Self {
        self.stiffness = stiffness;
        self
    }

    /// Breaks at this mean force or torque over a step.
    ///
    /// ```
    /// use tumble::{BodyDesc, JointDesc, World, shape::Shape};
    /// # fn main() -> tumble::Result<()> {
    /// let mut world = World::new();
    /// let lamp = world.add_body(BodyDesc::dynamic().mass(10.0).collider(Shape::sphere(0.1)?))?;
    /// // Ten kilograms on a thread that bears five. It may touch what it hangs from, and is not drawn.
    /// let thread = JointDesc::ball(World::BODY, lamp).breaks_at(50.0, 1e3).collide(true).debug(false);
    /// let thread = world.add_joint(thread)?;
    /// let joint = world.joint(thread)?;
    /// assert!(joint.collides() && !joint.is_debug() && !joint.is_broken());
    /// assert_eq!(joint.break_limits(), (50.0, 1e3));
    /// world.step(1.0 / 60.0)?;
    /// assert!(world.joint(thread)?.is_broken());
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn breaks_at(mut self, force: Real, torque: Real) -> Self {
        self.break_force = force;
        self.break_torque = torque;
        self
    }

    /// Sets [`JointDesc::collide`].
    #[must_use]
    pub fn collide(mut self, collide: bool) -> Self {
        self.collide = collide;
        self
    }

    /// Sets [`JointDesc::active`].
    #[must_use]
    pub fn active(mut self, active: bool) -> Self {
        self.active = active;
        self
    }

    /// Sets [`JointDesc::debug`].
    #[must_use]
    pub fn debug(mut self, debug: bool) -> Self {
        self.debug = debug;
        self
    }

    /// Sets [`JointDesc::name`].
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Sets [`JointDesc::user_data`].
    #[must_use]
    pub fn user_data(mut self, data: u64) -> Self {
        self.user_data = data;
        self
    }

    /// What it is called in errors.
    pub(crate) fn subject(&self) -> String {
        self.name.as_ref().map_or_else(|| "new joint".to_owned(), |name| format!("joint {name:?}"))
    }

    pub(crate) fn validate(&self) -> Result<()> {
        let subject = self.subject();
        self.kind.validate(&subject)?;
        self.stiffness.validate(&subject)?;
        check_force(&subject, "breaking force", self.break_force)?;
        check_force(&subject, "breaking torque", self.break_torque)
    }

    /// The frames in the frames of the bodies, which are at these poses.
    pub(crate) fn resolve(&self, poses: [WorldPose; 2]) -> Result<[WorldPose; 2]> {
        let subject = self.subject();
        let (points, rotations) = (self.resolve_points(&subject, poses)?, self.resolve_axes(&subject, poses)?);
        Ok([WorldPose::new(points[0], rotations[0]), WorldPose::new(points[1], rotations[1])])
    }

    fn resolve_points(&self, subject: &str, poses: [WorldPose; 2]) -> Result<[Point; 2]> {
        let mut local = [None; 2];
        for (i, hold) in self.holds.iter().enumerate() {
            if let Some(point) = hold.point {
                let (Where::Local(p) | Where::World(p)) = point;
                if !p.is_finite() {
                    return Err(Error::value(subject, "anchor", "finite", format_args!("{:?}", p.to_array())));
                }
                local[i] = Some(match point {
                    Where::Local(p) => p,
                    Where::World(p) => to_local(&poses[i], p),
                });
            }
        }
        // What is not given is where the other is; by default the origin of B.
        let b =
            local[1].or_else(|| local[0].map(|a| to_local(&poses[1], to_world(&poses[0], a)))).unwrap_or(Point::ZERO);
        let a = local[0].unwrap_or_else(|| to_local(&poses[0], to_world(&poses[1], b)));
        if a.is_finite() && b.is_finite() {
            return Ok([a, b]);
        }
        Err(Error::value(subject, "anchor", "within reach of both bodies", format_args!("{:?}", a.to_array())))
    }

    fn resolve_axes(&self, subject: &str, poses: [WorldPose; 2]) -> Result<[Quat; 2]> {
        // x of each frame in the world.
        let mut x = [None; 2];
        for (i, hold) in self.holds.iter().enumerate() {
            if let Some(rotation) = hold.rotation {
                check_rotation(subject, rotation)?;
            }
            let Some(axis) = hold.axis else { continue };
            let (Where::Local(v) | Where::World(v)) = axis;
            let Some(unit) = v.try_normalize() else {
                return Err(Error::value(subject, "axis", "a direction", format_args!("{:?}", v.to_array())));
            };
            x[i] = Some(if matches!(axis, Where::Local(_)) { poses[i].rotation.rotate(unit) } else { unit });
        }
        let given = |i: usize| self.holds[i].rotation.map(|r| (poses[i].rotation * r).normalized());
        let frame = |x: Vec3, y: Vec3| {
            let y = y.across(x).normalize_or(x.tangents().0);
            Quat::from_mat3(&Mat3::from_columns(x, y, x.cross(y)))
        };
        // The one that is given entirely leads; otherwise A. y of the world's frame of the leader is across its x; the other
        // takes the same y, as far as its own x allows, so that angles begin at 0.
        let lead = given(0).or_else(|| given(1)).unwrap_or_else(|| match x[0].or(x[1]) {
            Some(x) => frame(x, x.tangents().0),
            None => Quat::IDENTITY,
        });
        let follow = |i: usize| {
            given(i).unwrap_or_else(|| match x[i] {
                Some(x) => frame(x, lead.rotate(Vec3::Y)),
                None => lead,
            })
        };
        // A frame that is given in the frame of its body needs no way through the world, which would round it.
        let local = |i: usize| match self.holds[i].rotation {
            Some(rotation) => rotation,
            None => poses[i].rotation.conjugate() * follow(i),
        };
        Ok([0, 1].map(|i| local(i).normalized()))
    }
}

/// A point of the world in a frame, without losing digits far from the origin.
pub(crate) fn to_local(pose: &WorldPose, p: Point) -> Point {
    pose.rotation.to_f64().normalized().unrotate(p - pose.translation)
}

/// A point of a frame in the world.
pub(crate) fn to_world(pose: &WorldPose, p: Point) -> Point {
    pose.translation + pose.rotation.to_f64().normalized().rotate(p)
}
