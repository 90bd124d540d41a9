//! Characters: shapes that walk, slide, climb and ride, moved by casts and not by forces.

mod carry;
mod desc;
mod planes;
mod push;
mod recover;
mod walk;

pub use desc::MoverDesc;
pub(super) use push::yielding;

use crate::body::desc::check_rotation;
use crate::detect::query::{Nearby, QueryFilter};
use crate::error::{Error, Result};
use crate::id::{BodyId, ColliderId};
use crate::math::{Float, Num, Point, Real, Vec3, WorldPose};
use crate::shape::Shape;
use crate::{BodyKind, ColliderRef, World};
use carry::{Anchor, foretold};
use serde::{Deserialize, Serialize};
use walk::{Manner, Setting, Walk};

/// Something that was in the way.
///
/// ```
/// use tumble::control::{Mover, MoverDesc};
/// use tumble::{BodyDesc, QueryFilter, World, shape::Shape};
/// # fn main() -> tumble::Result<()> {
/// let mut world = World::new();
/// let wall = world.add_body(BodyDesc::fixed().position([1.0, 0.0, 0.0]).collider(Shape::cuboid(0.1, 2.0, 2.0)?))?;
/// let ball = Shape::sphere(0.3)?;
/// let mut mover = Mover::new(MoverDesc::default(), [0.0, 0.0, 0.0])?;
/// let moved = mover.advance_among(&mut world, &ball, [2.0, 0.0, 0.0], 1.0, &QueryFilter::new())?;
/// assert!(moved.x < 0.6);
/// assert_eq!(mover.collisions()[0].body, wall);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Collision {
    /// Whose.
    pub body: BodyId,
    /// Which of its colliders.
    pub collider: ColliderId,
    /// Where, in the world.
    pub point: Point,
    /// Unit normal of the obstacle, towards the mover.
    pub normal: Vec3,
    /// How fast the mover wanted to go into it, in m/s.
    pub speed: Real,
}

/// What a mover stands on, or slides down on.
///
/// ```
/// use tumble::control::{Mover, MoverDesc};
/// use tumble::{BodyDesc, World, math::Vec3, shape::Shape};
/// # fn main() -> tumble::Result<()> {
/// let mut world = World::new();
/// let floor = world.add_body(BodyDesc::fixed().collider(Shape::half_space(Vec3::Y, 0.0)?))?;
/// let mut mover = Mover::new(MoverDesc::default(), [0.0, 1.0, 0.0])?;
/// let careful = MoverDesc { climb_angle: 0.5, ..mover.desc().clone() };
/// mover.set_desc(careful)?;
/// mover.advance(&mut world, &Shape::capsule(0.6, 0.3)?, [0.0, -0.2, 0.0], 1.0 / 60.0)?;
/// let ground = mover.ground().unwrap();
/// assert!(ground.body == floor && ground.firm);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ground {
    /// Whose.
    pub body: BodyId,
    /// Which of its colliders.
    pub collider: ColliderId,
    /// Where, in the world.
    pub point: Point,
    /// Unit normal at the contact, towards the mover. On the edge of a step it may be steep.
    pub normal: Vec3,
    /// The velocity of that point of the ground, in m/s: what a jump should begin with.
    pub velocity: Vec3,
    /// It holds the mover; otherwise it is too steep and the mover slides.
    pub firm: bool,
}

/// A character: a convex shape that goes where it is told, as far as the world lets it.
///
/// It is moved by a wanted displacement and slides along what is in its way, walks up slopes and steps, stays on the ground going down, rides
/// on what it stands on, and pushes what is light enough. The shape is given with each move, so that it may crouch; it must be bounded and convex.
/// A capsule does best.
///
/// ```
/// use tumble::control::{Mover, MoverDesc};
/// use tumble::math::Vec3;
/// use tumble::shape::Shape;
/// use tumble::{BodyDesc, World};
///
/// # fn main() -> tumble::Result<()> {
/// let mut world = World::new();
/// world.add_body(BodyDesc::fixed().collider(Shape::half_space(Vec3::Y, 0.0)?))?;
/// let person = Shape::capsule(0.6, 0.3)?;
/// let mut mover = Mover::new(MoverDesc::default(), [0.0, 1.0, 0.0])?;
/// let (dt, mut falling) = (1.0 / 60.0, 0.0);
/// for _ in 0..60 {
///     falling = if mover.is_grounded() { 0.0 } else { falling - 9.81 * dt };
///     mover.advance(&mut world, &person, [2.0 * dt, falling * dt, 0.0], dt)?;
///     world.step(dt)?;
/// }
/// assert!(mover.is_grounded());
/// assert!((mover.position().x - 2.0).abs() < 1e-3);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mover {
    desc: MoverDesc,
    pose: WorldPose,
    body: Option<BodyId>,
    ground: Option<Ground>,
    anchor: Option<Anchor>,
    /// It was put where it is, and its body is not there yet.
    #[serde(default)]
    placed: bool,
    collisions: Vec<Collision>,
    /// Memory for queries; holds nothing between moves.
    #[serde(skip)]
    found: Vec<Nearby>,
}

impl Mover {
    /// A mover at this place, without a body: other bodies do not feel it, but by its pushes.
    pub fn new(desc: MoverDesc, position: impl Into<Point>) -> Result<Self> {
        desc.validate()?;
        let mut mover = Self {
            desc,
            pose: WorldPose::IDENTITY,
            body: None,
            ground: None,
            anchor: None,
            placed: false,
            collisions: Vec::new(),
            found: Vec::new(),
        };
        mover.set_pose(WorldPose::from_translation(position))?;
        Ok(mover)
    }

    /// A mover that takes a kinematic body with it and starts where that is. The body reaches the mover's place in the step after
    /// each move; the mover does not see it.
    ///
    /// ```
    /// use tumble::{BodyDesc, World, control::{Mover, MoverDesc}, shape::Shape};
    /// # fn main() -> tumble::Result<()> {
    /// let mut world = World::new();
    /// let person = Shape::capsule(0.6, 0.3)?;
    /// let body = world.add_body(BodyDesc::kinematic().position([0.0, 5.0, 0.0]).collider(person.clone()))?;
    /// let mut mover = Mover::with_body(MoverDesc::default(), &world, body)?;
    /// mover.advance(&mut world, &person, [0.1, 0.0, 0.0], 1.0 / 60.0)?;
    /// world.step(1.0 / 60.0)?;
    /// assert_eq!(world.body(body)?.position(), mover.position());
    /// # Ok(())
    /// # }
    /// ```
    pub fn with_body(desc: MoverDesc, world: &World, body: BodyId) -> Result<Self> {
        let pose = check_body(world, body)?;
        let mut mover = Self::new(desc, pose.translation)?;
        mover.set_pose(pose)?;
        mover.body = Some(body);
        Ok(mover)
    }

    /// How it moves.
    pub fn desc(&self) -> &MoverDesc {
        &self.desc
    }

    /// Changes how it moves.
    pub fn set_desc(&mut self, desc: MoverDesc) -> Result<()> {
        desc.validate()?;
        self.desc = desc;
        Ok(())
    }

    /// Where it is, or will be after the next step of the world.
    pub fn pose(&self) -> WorldPose {
        self.pose
    }

    /// Where the origin of its shape's frame is.
    pub fn position(&self) -> Point {
        self.pose.translation
    }

    /// Puts it somewhere else at once; it is on no ground then. Its body is put there, too, as the next move begins: it does not sweep
    /// over what lies between.
    ///
    /// ```
    /// use tumble::{BodyDesc, World, control::{Mover, MoverDesc}, math::WorldPose, shape::Shape};
    /// # fn main() -> tumble::Result<()> {
    /// let mut world = World::new();
    /// let person = Shape::capsule(0.6, 0.3)?;
    /// let body = world.add_body(BodyDesc::kinematic().collider(person.clone()))?;
    /// let mut mover = Mover::with_body(MoverDesc::default(), &world, body)?;
    /// mover.set_pose(WorldPose::from_translation([100.0, 0.0, 0.0]))?;
    /// mover.advance(&mut world, &person, [0.0, 0.1, 0.0], 1.0 / 60.0)?;
    /// assert_eq!(world.body(body)?.position().x, 100.0);
    /// # Ok(())
    /// # }
    /// ```
    pub fn set_pose(&mut self, pose: WorldPose) -> Result<()> {
        check_pose(&pose)?;
        self.pose = WorldPose::new(pose.translation, pose.rotation.normalized());
        self.ground = None;
        self.anchor = None;
        self.placed = self.body.is_some();
        Ok(())
    }

    /// The kinematic body that it takes with it.
    pub fn body(&self) -> Option<BodyId> {
        self.body
    }

    /// It stands on something that holds it.
    pub fn is_grounded(&self) -> bool {
        self.ground.is_some_and(|ground| ground.firm)
    }

    /// What it stands on, or slides down on.
    pub fn ground(&self) -> Option<&Ground> {
        self.ground.as_ref()
    }

    /// What was in its way in the last move, in the order in which it was met; the same thing may be there several times.
    pub fn collisions(&self) -> &[Collision] {
        &self.collisions
    }

    /// Moves it by what can be had of `displacement`, and says by how much that was. Called once before each [`World::step`] with the
    /// same `dt`.
    ///
    /// The displacement is that of the mover's own will and of its fall: what the ground does comes on top. On ground that
    /// holds, its horizontal part is kept and its height follows the ground, and a downward part has no effect. An upward
    /// part leaves the ground.
    pub fn advance(
        &mut self,
        world: &mut World,
        shape: &Shape,
        displacement: impl Into<Vec3>,
        dt: Real,
    ) -> Result<Vec3> {
        let filter = QueryFilter::new().layers(self.desc.layers);
        self.advance_among(world, shape, displacement, dt, &filter)
    }

    /// As [`Mover::advance`] among the colliders that a filter sees, whatever the mover's layers are.
    pub fn advance_among(
        &mut self,
        world: &mut World,
        shape: &Shape,
        displacement: impl Into<Vec3>,
        dt: Real,
        filter: &QueryFilter,
    ) -> Result<Vec3> {
        const SUBJECT: &str = "mover";
        self.desc.validate()?;
        check_pose(&self.pose)?;
        let displacement = displacement.into();
        if !displacement.length().is_finite() {
            let value = format!("{:?}", displacement.to_array());
            return Err(Error::value(SUBJECT, "displacement", "finite", value));
        }
        if !(dt > 0.0 && dt.is_finite()) {
            return Err(Error::value(SUBJECT, "time step", "positive and finite", dt));
        }
        let Some(convex) = shape.as_convex() else {
            return Err(Error::refused(SUBJECT, "its shape must be convex and bounded"));
        };
        if let Some(body) = self.body {
            check_body(world, body)?;
            if core::mem::take(&mut self.placed) {
                world.body_mut(body)?.set_pose(self.pose)?;
            }
        }
        let desc = self.desc.clone();
        let up = desc.up.normalize_or(Vec3::Y);
        let set = Setting {
            shape,
            convex,
            desc: &desc,
            up,
            climb: Float::cos(desc.climb_angle),
            hold: Float::cos(desc.slide_angle),
            velocity: displacement / dt,
        };
        let start = self.pose.translation;
        self.collisions.clear();
        self.follow(world, &set, filter)?;
        self.go(world, &set, filter, displacement)?;
        self.push(world, up, dt)?;
        self.ride(world, &set, filter, dt)?;
        if let Some(body) = self.body {
            world.body_mut(body)?.set_target(self.pose)?;
        }
        Ok((self.pose.translation - start).to_real())
    }

    /// Makes good what was foretold wrongly of the ground. Ground that is gone is forgotten.
    fn follow(&mut self, world: &World, set: &Setting, filter: &QueryFilter) -> Result<()> {
        let (Some(ground), Some(anchor)) = (self.ground, self.anchor.take()) else { return Ok(()) };
        let Ok(body) = world.body(ground.body) else {
            self.ground = None;
            return Ok(());
        };
        let (place, turn) = anchor.on(&body.pose(), set.up);
        let shift = (place - self.pose.translation).to_real();
        self.walk(world, set, filter, Some(ground.body), |walk| {
            if set.desc.turn_with_ground {
                walk.pose.rotation = (turn * walk.pose.rotation).normalized();
            }
            walk.slide(shift, &mut Manner::Carried).map(|_| ())
        })
    }

    /// Its own motion in the world as it is now, and the ground that it ends on.
    fn go(&mut self, world: &World, set: &Setting, filter: &QueryFilter, displacement: Vec3) -> Result<()> {
        let Setting { up, desc, .. } = *set;
        let before = self.ground.take();
        let height = displacement.dot(up);
        let ground = self.walk(world, set, filter, None, |walk| {
            walk.recover()?;
            let flat = displacement.across(up);
            let (mut manner, want) = match before {
                _ if height > 0.0 => (Manner::Rise, displacement),
                Some(ground) if ground.firm || walk.climbs(ground.normal) => {
                    let along = if walk.climbs(ground.normal) { walk.along_ground(flat, ground.normal) } else { flat };
                    (Manner::Walk, if ground.firm { along } else { along + up * height })
                }
                _ => (Manner::Fall, displacement),
            };
            let from = walk.pose.translation;
            let planes = walk.slide(want, &mut manner)?;
            if manner == Manner::Rise {
                return Ok(None);
            }
            let reach = if manner == Manner::Walk { Num::max(desc.snap, desc.skin) } else { desc.skin };
            let Some(below) = walk.cast(walk.pose.translation, -up * reach)?.filter(|below| below.free <= reach) else {
                return Ok(None);
            };
            // Held between slopes none of which would hold it alone.
            let moved = (walk.pose.translation - from).length();
            let wedged = planes > 1 && height < 0.0 && moved < -0.05 * height.to_f64();
            let bears = walk.bears(&below.hit)?;
            if bears {
                let down = Num::min(walk.lowered(walk.pose.translation, &below)?, reach);
                walk.pose.translation -= (up * down).to_f64();
            } else if let Some(ground) = walk.beside()? {
                return Ok(Some(ground));
            } else if below.free > desc.skin {
                return Ok(None);
            }
            let hit = below.hit;
            Ok(Some(Ground {
                body: hit.body,
                collider: hit.collider,
                point: hit.point,
                normal: hit.normal,
                velocity: Vec3::ZERO,
                firm: wedged || (bears && (walk.holds(hit.normal) || !walk.climbs(hit.normal))),
            }))
        })?;
        self.ground = ground;
        Ok(())
    }

    /// Goes with the ground to where that will be after the step.
    fn ride(&mut self, world: &World, set: &Setting, filter: &QueryFilter, dt: Real) -> Result<()> {
        let Some(mut ground) = self.ground else { return Ok(()) };
        let body = world.body(ground.body)?;
        let (now, then) = (body.pose(), foretold(&body, dt));
        ground.velocity = body.coming_velocity_at(ground.point, dt);
        self.ground = Some(ground);
        if !ground.firm {
            return Ok(());
        }
        let place = Anchor::new(&now, self.pose.translation);
        let (wanted, turn) = place.on(&then, set.up);
        let shift = wanted - self.pose.translation;
        if shift != Vec3::ZERO {
            self.walk(world, set, filter, Some(ground.body), |walk| {
                if set.desc.turn_with_ground {
                    walk.pose.rotation = (turn * walk.pose.rotation).normalized();
                }
                walk.slide(shift.to_real(), &mut Manner::Carried).map(|_| ())
            })?;
        }
        self.anchor = Some(Anchor::new(&then, self.pose.translation));
        Ok(())
    }

    /// Lets `how` move it among what the filter sees, without its own body and the `ridden` one.
    fn walk<T>(
        &mut self,
        world: &World,
        set: &Setting,
        filter: &QueryFilter,
        ridden: Option<BodyId>,
        how: impl FnOnce(&mut Walk<'_>) -> Result<T>,
    ) -> Result<T> {
        let hidden = [self.body, ridden];
        let seen = |collider: &ColliderRef<'_>| {
            !hidden.contains(&Some(collider.body())) && filter.predicate.is_none_or(|seen| seen(collider))
        };
        let filter = QueryFilter { predicate: Some(&seen), solid: false, ..*filter };
        let mut walk = Walk {
            world,
            set: *set,
            filter: &filter,
            pose: self.pose,
            found: &mut self.found,
            collisions: &mut self.collisions,
        };
        let outcome = how(&mut walk)?;
        self.pose = walk.pose;
        Ok(outcome)
    }
}

/// A pose that a mover can have.
fn check_pose(pose: &WorldPose) -> Result<()> {
    if !pose.translation.is_finite() {
        let value = format!("{:?}", pose.translation.to_array());
        return Err(Error::value("mover", "position", "finite", value));
    }
    check_rotation("mover", pose.rotation)
}

/// Where the body is, if it is kinematic.
fn check_body(world: &World, id: BodyId) -> Result<WorldPose> {
    let body = world.body(id)?;
    match body.kind() {
        BodyKind::Kinematic => Ok(body.pose()),
        _ => Err(Error::refused(id, "a mover takes only kinematic bodies with it")),
    }
}
