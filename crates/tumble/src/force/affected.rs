//! The bodies of a set, as an effect sees them.

use super::BodySet;
use crate::body::store::{CentrePose, Velocity};
use crate::id::BodyId;
use crate::math::spatial::Wrench;
use crate::math::{Point, Quat, Real, Vec3};
use crate::world::{State, World};

/// When effects are evaluated: where bodies are and how they move, by dense index.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment<'a> {
    pub pose: &'a [CentrePose],
    pub velocity: &'a [Velocity],
    /// How far ahead of these poses, along their velocities, in seconds.
    pub lead: Real,
    /// The step in which the forces will act.
    pub dt: Real,
}

/// A body of the set of an effect.
///
/// ```
/// use tumble::force::AffectedBody;
/// use tumble::math::{Real, Vec3, spatial::Wrench};
///
/// /// A thruster at the tail of a rocket.
/// fn thrust(body: &AffectedBody, strength: Real) -> Wrench {
///     let tail = body.to_world([0.0, -2.0, 0.0]);
///     assert!(body.velocity_at(tail).is_finite());
///     body.push_at(body.rotation.rotate(Vec3::Y) * strength, tail)
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AffectedBody {
    /// Its id.
    pub id: BodyId,
    /// Its centre of mass in the world.
    pub centre: Point,
    /// How its frame is turned.
    pub rotation: Quat,
    /// Velocity of its centre of mass.
    pub velocity: Vec3,
    /// Angular velocity in world space.
    pub angular_velocity: Vec3,
    /// Its mass; infinite for a body that is not dynamic.
    pub mass: Real,
    /// It is dynamic and awake: forces on others go nowhere.
    pub moves: bool,
    pub(super) local_centre: Vec3,
    pub(super) dense: u32,
}

impl AffectedBody {
    /// From its frame to the world.
    pub fn to_world(self, local: impl Into<Point>) -> Point {
        self.centre + self.arm(local.into())
    }

    /// It weighs something, and not infinitely much.
    pub(super) fn has_mass(&self) -> bool {
        self.mass.is_finite()
    }

    /// From the centre of mass to a point of its frame, in world axes.
    pub(super) fn arm(&self, local: Point) -> Point {
        self.rotation.to_f64().rotate(local - self.local_centre.to_f64())
    }

    /// Velocity of its point that is at `point` in the world.
    pub fn velocity_at(&self, point: impl Into<Point>) -> Vec3 {
        self.velocity + self.angular_velocity.cross((point.into() - self.centre).to_real())
    }

    /// A force at a point of the world, as a force at the centre of mass and a torque about it.
    pub fn push_at(&self, force: impl Into<Vec3>, point: impl Into<Point>) -> Wrench {
        Wrench::at(force.into(), (point.into() - self.centre).to_real())
    }
}

/// The bodies of the set of an effect, and the forces on them.
///
/// ```
/// use tumble::force::{Affected, ForceEffect};
/// use tumble::math::{Vec3, spatial::Wrench};
///
/// /// Drives all bodies of a set towards their common centre, unless there is a pair to keep apart.
/// #[derive(Debug)]
/// struct Flock;
///
/// impl ForceEffect for Flock {
///     fn name(&self) -> &str {
///         "flock"
///     }
///     fn is_mutual(&self) -> bool {
///         true
///     }
///     fn apply(&self, bodies: &mut Affected<'_>) {
///         assert!(bodies.dt() > 0.0 && bodies.time() >= 0.0 && bodies.gravity().is_finite());
///         if let Some([a, b]) = bodies.pair() {
///             let apart = (b.centre - a.centre).to_real();
///             bodies.add(&a, Wrench::new(Vec3::ZERO, -apart));
///             bodies.add(&b, Wrench::new(Vec3::ZERO, apart));
///             return;
///         }
///         let count = bodies.iter().count().max(1) as f64;
///         let centre = bodies.iter().fold(Vec3::ZERO, |sum, body| sum + body.centre) / count;
///         bodies.each(|body| Wrench::new(Vec3::ZERO, (centre - body.centre).to_real() * body.mass));
///     }
/// }
/// ```
#[derive(Debug)]
pub struct Affected<'a> {
    pub(super) state: &'a State,
    moment: &'a Moment<'a>,
    members: &'a [u32],
    pushes: &'a mut [Wrench],
    share: Real,
    is_pair: bool,
}

impl<'a> Affected<'a> {
    pub(super) fn new(
        state: &'a State,
        moment: &'a Moment<'a>,
        members: &'a [u32],
        pushes: &'a mut [Wrench],
        share: Real,
    ) -> Self {
        Self { state, moment, members, pushes, share, is_pair: false }
    }

    /// The same, of the bodies of a pair.
    pub(super) fn of(self, set: &BodySet) -> Self {
        Self { is_pair: matches!(set, BodySet::Pair(_)), ..self }
    }

    pub(super) fn len(&self) -> usize {
        self.members.len()
    }

    pub(super) fn at(&self, member: usize) -> AffectedBody {
        self.body(self.members[member])
    }

    /// Seconds that the forces will act.
    pub fn dt(&self) -> Real {
        self.moment.dt
    }

    /// Simulated seconds at the beginning of the step.
    pub fn time(&self) -> f64 {
        self.state.time
    }

    /// Acceleration of gravity of the world.
    pub fn gravity(&self) -> Vec3 {
        self.state.gravity
    }

    /// The bodies: of a pair both, in its order; of another set those that are dynamic and awake, and those that are asleep too
    /// if the effect is [mutual](super::ForceEffect::is_mutual).
    pub fn iter(&self) -> impl Iterator<Item = AffectedBody> + '_ {
        self.members.iter().map(|&i| self.body(i))
    }

    /// The two bodies of a pair. `None` for other sets.
    pub fn pair(&self) -> Option<[AffectedBody; 2]> {
        match *self.members {
            [a, b] if self.is_pair => Some([self.body(a), self.body(b)]),
            _ => None,
        }
    }

    /// Asks `force` about each body that moves, and adds its answer: a force, and a torque about the centre of mass.
    pub fn each(&mut self, mut force: impl FnMut(&AffectedBody) -> Wrench) {
        for k in 0..self.members.len() {
            let body = self.body(self.members[k]);
            if body.moves {
                let push = force(&body);
                self.add(&body, push);
            }
        }
    }

    /// Adds a force at the centre of mass of one of the bodies, and a torque about it.
    pub fn add(&mut self, body: &AffectedBody, push: Wrench) {
        if let Some(sum) = self.pushes.get_mut(body.dense as usize).filter(|_| body.moves) {
            sum.force += push.force * self.share;
            sum.torque += push.torque * self.share;
        }
    }

    fn body(&self, dense: u32) -> AffectedBody {
        let i = dense as usize;
        let bodies = &self.state.bodies;
        let (pose, velocity, params) = (&self.moment.pose[i], &self.moment.velocity[i], &bodies.params[i]);
        let lead = self.moment.lead;
        let (mut centre, mut rotation) = (pose.centre, pose.rotation);
        if lead > 0.0 {
            centre += (velocity.linear * lead).to_f64();
            rotation = rotation.advanced(velocity.angular, lead);
        }
        AffectedBody {
            id: bodies.cold.id_at(bodies.slot[i]).unwrap_or(World::BODY),
            centre,
            rotation,
            velocity: velocity.linear,
            angular_velocity: velocity.angular,
            mass: 1.0 / params.inv_mass,
            moves: params.inv_mass > 0.0 && i < bodies.awake(),
            local_centre: params.local_centre,
            dense,
        }
    }
}
