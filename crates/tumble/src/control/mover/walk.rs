//! Collide and slide.
//!
//! The shape is cast along the motion that is left and stops a skin before what it meets. What is left is bent along the planes met so
//! far ([`Planes`]) and cast again. Three things bend it otherwise than a plane does:
//!
//! - *Ground* that is not too steep changes the height of a motion and not its course: a horizontal motion h on ground of normal n goes on as
//!   h - u (h·n)/(u·n), so that seen from above the speed is the same uphill, downhill, on stairs and on the flat.
//! - A *slope that is too steep* stops motions as a vertical wall does, as well as by its own plane: nobody is pushed up it.
//! - A *step* is climbed: up, forward, down. It is one if there is room above it and ground of some depth on top. A round foot stands
//!   on the edge of a step before it stands on its top, where the contact is as steep as a wall; so it is the top that is
//!   looked at, by a ray, and not the contact.
//!
//! The skin is kept in the direction of the normal. A cast that meets a plane at distance d with the cosine c to its normal
//! may go d - skin/c. Past an edge that is too little, since the gap g(t) between convex things is a convex function of the way: its tangent at
//! the contact lies below it. [`Walk::lowered`] therefore follows g(t) = skin by Newton's method, which for a convex function ends on
//! the safe side.

use super::planes::Planes;
use super::{Collision, Ground, MoverDesc};
use crate::detect::query::{CastHit, Nearby, QueryFilter, RayCast, ShapeCast};
use crate::error::Result;
use crate::math::{Float, Num, Point, Real, Vec3, WorldPose};
use crate::shape::{Convex, Shape};
use crate::{BodyKind, World};

/// Casts in one motion.
const ROUNDS: usize = 12;

/// How far a cast looks beyond its motion, in skins: planes that are met at a shallower angle than the inverse of this are let
/// into the skin, and the recovery of the next time sees to it.
const REACH: Real = 4.0;

/// Cosine between a motion and a plane's normal below which the skin is not kept.
const GRAZING: Real = 1e-3;

/// Below this cosine to the way up, a surface is a wall and bears nobody.
const WALL: Real = 0.02;

/// Part of the skin below which a motion is none.
const TINY: Real = 1e-6;

/// How a motion came about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Manner {
    /// On the ground, which it follows.
    Walk,
    /// In the air, not upwards.
    Fall,
    /// Upwards.
    Rise,
    /// By the ground, or out of something.
    Carried,
}

/// What every question of one motion shares.
#[derive(Clone, Copy)]
pub(super) struct Setting<'a> {
    pub shape: &'a Shape,
    pub convex: &'a dyn Convex,
    pub desc: &'a MoverDesc,
    /// Of length 1.
    pub up: Vec3,
    /// Cosine of the steepest slope that is climbed.
    pub climb: Real,
    /// Cosine of the steepest slope that holds.
    pub hold: Real,
    /// What the user wants, per second.
    pub velocity: Vec3,
}

/// What a cast meets, and how far it may go.
#[derive(Clone, Copy)]
pub(super) struct Obstacle {
    pub hit: CastHit,
    /// With the skin taken off.
    pub free: Real,
    /// Cosine between the motion and the way into the surface.
    pub closing: Real,
}

/// A mover on its way.
pub(super) struct Walk<'a> {
    pub world: &'a World,
    pub set: Setting<'a>,
    pub filter: &'a QueryFilter<'a>,
    pub pose: WorldPose,
    pub found: &'a mut Vec<Nearby>,
    pub collisions: &'a mut Vec<Collision>,
}

impl Walk<'_> {
    pub fn skin(&self) -> Real {
        self.set.desc.skin
    }

    fn at(&self, translation: Point) -> WorldPose {
        WorldPose::new(translation, self.pose.rotation)
    }

    pub fn climbs(&self, normal: Vec3) -> bool {
        normal.dot(self.set.up) >= self.set.climb
    }

    pub fn holds(&self, normal: Vec3) -> bool {
        normal.dot(self.set.up) >= self.set.hold
    }

    /// What a motion from `from` meets.
    pub fn cast(&self, from: Point, motion: Vec3) -> Result<Option<Obstacle>> {
        let Some(direction) = motion.try_normalize() else { return Ok(None) };
        let way = direction * (motion.length() + REACH * self.skin());
        let cast = ShapeCast::new(self.set.shape, self.at(from), way);
        Ok(self.world.cast_shape(&cast, self.filter)?.map(|hit| {
            let closing = -direction.dot(hit.normal);
            let free = Real::from_f64(hit.distance) - self.skin() / Num::max(closing, GRAZING);
            Obstacle { hit, free: Num::max(free, 0.0), closing }
        }))
    }

    /// How much of a motion from `from` is free.
    fn room(&self, from: Point, motion: Vec3) -> Result<Real> {
        let length = motion.length();
        Ok(self.cast(from, motion)?.map_or(length, |o| Num::min(o.free, length)))
    }

    /// Moves by what can be had of `want`. Ends walking where it came down on ground that holds. Returns how many planes stopped it.
    pub fn slide(&mut self, want: Vec3, manner: &mut Manner) -> Result<usize> {
        let up = self.set.up;
        let mut planes = Planes::default();
        let mut want = want;
        for _ in 0..ROUNDS {
            let motion = planes.clip(want);
            let length = motion.length();
            if length <= TINY * self.skin() {
                break;
            }
            let obstacle = match self.cast(self.pose.translation, motion)? {
                Some(obstacle) if obstacle.free < length => obstacle,
                _ => {
                    self.pose.translation += motion.to_f64();
                    break;
                }
            };
            let share = obstacle.free / length;
            self.pose.translation += (motion * share).to_f64();
            want *= 1.0 - share;
            let n = obstacle.hit.normal;
            self.note(&obstacle.hit);
            let moves_itself = matches!(manner, Manner::Walk | Manner::Fall);
            if moves_itself && self.climbs(n) {
                planes.add(n);
                if self.holds(n) {
                    *manner = Manner::Walk;
                    want = self.along_ground(want, n);
                }
            } else if *manner == Manner::Walk && n.dot(up) > -0.5 && self.climb(&obstacle, &mut want)? {
                planes.clear();
            } else {
                planes.add(n);
                if moves_itself
                    && n.dot(up) > 0.0
                    && let Some(wall) = n.across(up).try_normalize()
                {
                    planes.add(wall);
                }
            }
        }
        Ok(planes.len())
    }

    /// The motion with the same course that follows ground of normal `n`.
    pub fn along_ground(&self, motion: Vec3, n: Vec3) -> Vec3 {
        let up = self.set.up;
        let flat = motion.across(up);
        flat - up * (flat.dot(n) / n.dot(up))
    }

    fn note(&mut self, hit: &CastHit) {
        self.collisions.push(Collision {
            body: hit.body,
            collider: hit.collider,
            point: hit.point,
            normal: hit.normal,
            speed: Num::max(-hit.normal.dot(self.set.velocity), 0.0),
        });
    }

    /// Climbs the step that is in the way, with the horizontal part of `want`, which is used up as far as it goes. `false` where it is
    /// no step; then nothing has changed.
    fn climb(&mut self, obstacle: &Obstacle, want: &mut Vec3) -> Result<bool> {
        let (up, desc, hit) = (self.set.up, self.set.desc, &obstacle.hit);
        let flat = want.across(up);
        let (Some(ahead), Some(inward)) = (flat.try_normalize(), (-hit.normal).across(up).try_normalize()) else {
            return Ok(false);
        };
        if desc.step_height <= 0.0 || (!desc.step_on_dynamic && self.world.body(hit.body)?.kind() == BodyKind::Dynamic)
        {
            return Ok(false);
        }
        let from = self.pose.translation;
        let rise = self.room(from, up * desc.step_height)?;
        let raised = from + (up * rise).to_f64();
        let far = flat.length();
        let room = self.room(raised, ahead * Num::max(far, desc.step_width))?;
        if rise <= self.skin() || room < desc.step_width {
            return Ok(false);
        }
        // The top, looked for at the depth that it must have at least, between the raised foot and the place that was touched: lower ground
        // is what lies behind a rail.
        let inside = hit.point + (inward * desc.step_width).to_f64();
        let height = self.height(self.foot(raised)) - self.height(inside);
        let slack = (0.5 * desc.step_width + self.skin()).to_f64();
        let look = RayCast::new(inside + up.to_f64() * height, -up, Num::max(height, 0.0) + slack);
        let top = self.world.cast_ray(&look, &self.filter.solid(true))?;
        if !top.is_some_and(|top| self.climbs(top.normal) && top.distance >= 0.5 * self.skin().to_f64()) {
            return Ok(false);
        }
        let go = Num::min(room, far);
        let over = raised + (ahead * go).to_f64();
        let Some(landing) = self.cast(over, up * -(rise + self.skin()))? else { return Ok(false) };
        let drop = Num::min(self.lowered(over, &landing)?, rise);
        self.pose.translation = over - (up * drop).to_f64();
        *want *= 1.0 - go / far;
        Ok(true)
    }

    /// How far down from `from` it can go, towards the obstacle that a cast down met, and still keep the skin.
    pub fn lowered(&mut self, from: Point, below: &Obstacle) -> Result<Real> {
        let reach = Real::from_f64(below.hit.distance);
        let mut down = below.free;
        for _ in 0..6 {
            // On plain ground there is nothing to find out, and most of the time it has been reached already.
            if below.closing > 0.9 && down <= 0.01 * self.skin() {
                break;
            }
            let at = self.at(from - (self.set.up * down).to_f64());
            self.world.near_shape(self.set.shape, at, reach - down + self.skin(), self.filter, self.found)?;
            let further = |near: &Nearby| {
                let closing = near.normal.dot(self.set.up);
                (closing > WALL).then(|| (near.distance - self.skin()) / closing)
            };
            let Some(more) = self.found.iter().filter_map(further).reduce(Num::min) else { break };
            down = Float::clamp(down + more, 0.0, reach);
            if more.abs() <= 0.01 * self.skin() {
                break;
            }
        }
        Ok(down)
    }

    /// The lowest point at a place.
    pub fn foot(&self, at: Point) -> Point {
        let down = self.pose.rotation.unrotate(-self.set.up);
        at + self.pose.rotation.rotate(self.set.convex.support(down)).to_f64()
    }

    fn height(&self, point: Point) -> f64 {
        point.dot(self.set.up.to_f64())
    }

    /// The middle of the shape.
    pub fn middle(&self) -> Point {
        self.pose.transform_point(self.set.convex.inner_sphere().0)
    }

    /// What a cast down met bears it: ground that is not too steep, or the edge of such ground while there is more of it not far
    /// below. Without the latter it hangs on a brink.
    pub fn bears(&self, hit: &CastHit) -> Result<bool> {
        if self.climbs(hit.normal) || self.holds(hit.normal) {
            return Ok(true);
        }
        let (up, skin) = (self.set.up, self.skin());
        let Some(inward) = (-hit.normal).across(up).try_normalize() else { return Ok(false) };
        let filter = self.filter.solid(true);
        let ground_below = |from: Point, reach: f64| {
            let hit = self.world.cast_ray(&RayCast::new(from, -up, reach), &filter)?;
            Result::Ok(hit.is_some_and(|hit| self.climbs(hit.normal)))
        };
        let beyond = hit.point + ((inward + up * 2.0) * skin).to_f64();
        if !ground_below(beyond, 4.0 * skin.to_f64())? {
            return Ok(false);
        }
        let middle = self.middle();
        let legs = self.height(middle) - self.height(self.foot(self.pose.translation));
        // On narrow stairs it stands on the edge of one step while its middle is over the one before the last.
        ground_below(middle, legs + 2.0 * (self.set.desc.step_height + skin).to_f64())
    }

    /// Ground that it stands on though a cast down meets something else first: a wall that is touched from the side.
    pub fn beside(&mut self) -> Result<Option<Ground>> {
        self.world.near_shape(self.set.shape, self.pose, 1.5 * self.skin(), self.filter, self.found)?;
        let near = self.found.iter().find(|near| self.climbs(near.normal) || self.holds(near.normal));
        Ok(near.map(|near| Ground {
            body: near.body,
            collider: near.collider,
            point: near.point,
            normal: near.normal,
            velocity: Vec3::ZERO,
            firm: self.holds(near.normal),
        }))
    }
}
