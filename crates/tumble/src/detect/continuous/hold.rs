//! Holding bodies back that would have passed through something.

use super::meeting::{search_moving, smaller};
use super::{Ahead, Mover, Span, Travel, along, trees, watched};
use crate::body::BodyKind;
use crate::body::collider::{Collider, NO_PROXY};
use crate::body::store::{CentrePose, Params};
use crate::constraint::contact::Contact;
use crate::crew::Team;
use crate::detect::broad::{BoxCast, ProxyId};
use crate::detect::narrow::{ConvexRef, Motion, approach, closest_points, stays_apart};
use crate::marks::Marks;
use crate::math::{Aabb, Num, Pose, Quat, Real, Vec3};
use crate::shape::{Geometry, Shape};
use crate::world::State;
use core::mem::take;

/// How often a body may be held in one step before it stays where it is.
const ROUNDS: usize = 8;

/// By how much deeper than at the start a body may get that is too deep already, in skins: it must not be frozen.
const DIP: Real = 0.1;

/// The share of its skin up to which a body is surely not held, and that of the smaller of two shapes which is rounding.
const SURE: Real = 0.99;
const ROUNDED: Real = 2e-5;

/// Where a body is held.
#[derive(Clone, Copy)]
pub(super) struct Stop {
    pub t: Real,
    /// From the body to what holds it.
    pub normal: Vec3,
    /// From the centre of the body at time 0.
    pub point: Vec3,
    /// What holds it, in the same part of the step.
    pub obstacle: Travel,
    kind: BodyKind,
}

type Visit<'v> = &'v mut dyn FnMut((&Motion, &Collider), &Collider, Real) -> Real;

/// Follows the motions that were noted, and puts bodies back that went through something: one after the other, in the order of
/// the dense indices; to be called before anything else is told where they are. Where nobody is held by what is itself held, all threads look for those who are.
pub(crate) fn hold(state: &mut State, ahead: &mut Ahead, team: &Team) {
    ahead.held.clear();
    if ahead.movers.all().iter().all(|mover| mover.is_clear(&state.bodies.params[mover.dense as usize])) {
        return;
    }
    ahead.obstacles.find(state);
    let bullet = |mover: &Mover| state.bodies.params[mover.dense as usize].has(Params::BULLET);
    if ahead.obstacles.are_none(state) && !ahead.movers.all().iter().any(bullet) {
        return;
    }
    let mut marks = take(&mut ahead.marks);
    let is = |mover: &Mover, flag: u32| state.bodies.params[mover.dense as usize].has(flag);
    let movers = ahead.movers.all();
    let serial = !Marks::are_shared(movers.len(), team) || movers.iter().any(|mover| is(mover, Params::BULLET));
    marks.find(movers.len(), team, |i| {
        let mover = &movers[i];
        let clear = mover.is_clear(&state.bodies.params[mover.dense as usize]);
        !clear && !is(mover, Params::LINK) && (serial || state.held(ahead, mover).is_some())
    });
    for i in marks.iter() {
        let mover = ahead.movers.all()[i];
        if let Some(pose) = state.held(ahead, &mover)
            && pose.is_finite()
        {
            state.bodies.pose[mover.dense as usize] = pose;
            ahead.held.push(mover.dense);
        }
    }
    ahead.marks = marks;
    trees::hold(state, ahead);
    if !ahead.held.is_empty() {
        along::bring(state, ahead);
    }
}

impl State {
    /// Where the body has to be instead of where it is; `None` if it may be there.
    pub(super) fn held(&self, ahead: &Ahead, mover: &Mover) -> Option<CentrePose> {
        let (held, alone) = self.held_back(ahead, mover);
        let now = self.bodies.pose[mover.dense as usize];
        if alone && (mover.turn != Vec3::ZERO || now.rotation == mover.start.rotation) {
            // The way of a middle lies inside of that of its shape, unless the body has turned and turns no more.
            return None;
        }
        let held = held.filter(CentrePose::is_finite);
        let end = held.unwrap_or(now);
        self.middle_kept(ahead, mover, end, Span::STEP).or(held)
    }

    /// Where its surface lets it get, if not where it is; and whether no box of an obstacle was on its way.
    fn held_back(&self, ahead: &Ahead, mover: &Mover) -> (Option<CentrePose>, bool) {
        let i = mover.dense as usize;
        let shift = (self.bodies.pose[i].centre - mover.start.centre).to_real();
        let mut travel = Travel { start: mover.start, shift, turn: mover.turn };
        if !(shift.is_finite() && mover.turn.is_finite()) {
            return (None, false);
        }
        let mut now = 0.0;
        let mut held = None;
        let mut by_fixed = false;
        for round in 0..ROUNDS {
            let (stop, alone) = self.first_stop(ahead, i, &travel, Span::after(now));
            let Some(stop) = stop else { return (held, alone && round == 0) };
            let pose = travel.at(stop.t);
            let (rest, of_it) = (travel.after(stop.t), stop.obstacle.after(stop.t));
            by_fixed |= stop.kind == BodyKind::Fixed;
            // Caught between several, it goes with what caught it last, or stays where it is if that or another one is fixed.
            if round + 1 == ROUNDS {
                held = Some(if by_fixed { pose } else { carried(&pose, &stop.obstacle, stop.t) });
                break;
            }
            travel = self.deflected(i, &rest, &of_it, &stop, stop.point - travel.shift * stop.t);
            now += (1.0 - now) * stop.t;
            held = Some(travel.at(1.0));
        }
        (held, false)
    }

    /// What is left of a motion `d` after a stop, without what would go deeper: d - M⁻¹ Jᵀ (J d)⁺ / (J M⁻¹ Jᵀ). `r` is from the
    /// centre of the body to where it is held.
    fn deflected(&self, i: usize, rest: &Travel, of_it: &Travel, stop: &Stop, r: Vec3) -> Travel {
        let params = &self.bodies.params[i];
        let n = stop.normal;
        let to_it = (rest.start.centre - of_it.start.centre).to_real() + r;
        let closing = n.dot(rest.shift + rest.turn.cross(r) - of_it.shift - of_it.turn.cross(to_it));
        let arm = r.cross(n);
        let along = n.scale(params.locks().free_move()) * params.inv_mass;
        let about = params.inv_inertia_world(rest.start.rotation) * arm;
        let k = n.dot(along) + arm.dot(about);
        if !(closing > 0.0 && k > 0.0) {
            return *rest;
        }
        let impulse = closing / k;
        Travel { start: rest.start, shift: rest.shift - along * impulse, turn: rest.turn - about * impulse }
    }

    /// The first moment of a travel at which the body is deeper in something than it may be; and whether no box of an obstacle was on its way. The
    /// travel is that in a part of the step.
    pub(super) fn first_stop(&self, ahead: &Ahead, i: usize, travel: &Travel, span: Span) -> (Option<Stop>, bool) {
        let mut first: Option<Stop> = None;
        let alone = self.search_way(ahead, i, travel, 0.0, &mut |(motion, collider), obstacle, limit| {
            let stop = self.stop_at(ahead, i, travel, span, (motion, collider), obstacle, limit);
            first = stop.or(first);
            stop.map_or(limit, |s| s.t)
        });
        (first, alone)
    }

    /// Something that may hold the body is near its way, which may be bent by as much as a link's can be.
    pub(super) fn comes_near(&self, ahead: &Ahead, mover: &Mover) -> bool {
        let i = mover.dense as usize;
        let shift = (self.bodies.pose[i].centre - mover.start.centre).to_real();
        let bulge = self.bulge(ahead, i, shift);
        let mut near = false;
        let travel = Travel { start: mover.start, shift, turn: mover.turn };
        self.search_way(ahead, i, &travel, bulge, &mut |_, _, _| {
            near = true;
            0.0
        });
        near
    }

    /// The body stays clear of all that might stop it, wherever it goes within `bulge` of this travel of a whole step.
    pub(super) fn passes_clear(&self, ahead: &Ahead, i: usize, travel: &Travel, bulge: Real) -> bool {
        let mut clear = true;
        self.search_way(ahead, i, travel, bulge, &mut |(motion, collider), obstacle, limit| {
            clear = clear && self.stays_off(ahead, i, travel, (motion, collider), obstacle, bulge);
            if clear { limit } else { 0.0 }
        });
        clear
    }

    /// The same of one obstacle. What [`State::stop_at`] would follow is none that it would stop at.
    fn stays_off(
        &self,
        ahead: &Ahead,
        i: usize,
        travel: &Travel,
        (motion, collider): (&Motion, &Collider),
        obstacle: &Collider,
        bulge: Real,
    ) -> bool {
        let other = self.bodies.dense_at(obstacle.body);
        let Some(core) = watched(&self.bodies, i, other) else { return true };
        let centre = self.bodies.params[other].local_centre;
        let its = self.travelled(ahead, other).motion(&obstacle.pose, centre, travel.start.centre);
        let gap = bulge - SURE * ahead.skin(core);
        let mut clear = true;
        search_moving((&collider.shape, motion), (&obstacle.shape, &its), bulge, 1.0, &mut |one, other, limit| {
            clear = clear && stays_apart(one, other, gap + ROUNDED * smaller(one.convex, other.convex));
            if clear { limit } else { -1.0 }
        });
        clear
    }

    /// How far the way of a link may be bent: one of its length leaves its ends by no more than half of it. How long it was is taken from the speed
    /// at its end.
    pub(super) fn bulge(&self, ahead: &Ahead, i: usize, shift: Vec3) -> Real {
        0.5 * Num::max(self.bodies.velocity[i].linear.length() * ahead.dt, shift.length())
    }

    /// Visits what may hold the body on its way, with each of its colliders and how that moves. `visit` is given the time of interest, and
    /// answers it from then on. Says whether it met no box at all.
    fn search_way(&self, ahead: &Ahead, i: usize, travel: &Travel, bulge: Real, visit: Visit<'_>) -> bool {
        let (mut limit, mut alone) = (1.0, true);
        let centre = self.bodies.params[i].local_centre;
        let Some(cold) = self.bodies.cold.at(self.bodies.slot[i]) else { return true };
        let solid = |slot: u32| self.colliders.at(slot).filter(|c| !c.sensor && c.proxy != NO_PROXY);
        for &slot in &cold.colliders {
            let Some(collider) = solid(slot) else { continue };
            let motion = travel.motion(&collider.pose, centre, travel.start.centre);
            let around = if travel.turn == Vec3::ZERO {
                collider.shape.bounds(&motion.start)
            } else {
                let half = Vec3::all(collider.shape.farthest_from(motion.centre));
                Aabb::new(-half, half)
            };
            // What moves may have left its box by as much as slow bodies move.
            let start = around.expanded(ahead.margin + bulge).moved_to(travel.start.centre);
            for tree in ahead.obstacles.trees(self, i) {
                let cast = BoxCast { start, direction: travel.shift, max: limit };
                tree.cast(&cast, u32::MAX, |proxy, _, _| {
                    alone = false;
                    let Some(other) = self.broad.user(ProxyId(proxy)) else { return limit };
                    if let Some(obstacle) = solid(other)
                        && self.may_stop(i, obstacle)
                        && self.may_hold(slot, other)
                    {
                        limit = visit((&motion, collider), obstacle, limit);
                    }
                    limit
                });
            }
        }
        alone
    }

    /// The body may not pass through the collider. For a link a half-space is nothing that it could pass: contacts push it out on the right side
    /// from any depth, and to be held by one would open the loops of its tree. Nor do links of the same tree hold each other: they are held together.
    pub(super) fn may_stop(&self, i: usize, obstacle: &Collider) -> bool {
        if watched(&self.bodies, i, self.bodies.dense_at(obstacle.body)).is_none() {
            return false;
        }
        match self.articulations.link_of(self.bodies.slot[i]) {
            Some((tree, _)) => {
                let other = self.articulations.link_of(obstacle.body).map(|(tree, _)| tree);
                other != Some(tree) && !matches!(obstacle.shape, Shape::HalfSpace(_))
            }
            None => true,
        }
    }

    /// Two colliders meet as far as filters go, and the hook has not refused it.
    pub(super) fn may_hold(&self, a: u32, b: u32) -> bool {
        if !self.may_touch(a, b) {
            return false;
        }
        let hooked = |c: u32| self.colliders.at(c).is_some_and(|c| c.hooked);
        if self.hook.0.is_none() || !(hooked(a) || hooked(b)) {
            return true;
        }
        // What the hook has agreed to in this step touches; of what it has not seen nothing is known.
        let Some(body) = self.colliders.at(a).map(|c| c.body) else { return false };
        self.contacts.of_body(body).any(|c| {
            let c = &self.contacts.all[c as usize];
            (c.collider_a.min(c.collider_b), c.collider_a.max(c.collider_b)) == (a.min(b), a.max(b))
                && c.has(Contact::TOUCHING)
        })
    }

    #[allow(clippy::too_many_arguments)]
    fn stop_at(
        &self,
        ahead: &Ahead,
        i: usize,
        travel: &Travel,
        span: Span,
        (motion, collider): (&Motion, &Collider),
        obstacle: &Collider,
        limit: Real,
    ) -> Option<Stop> {
        let other = self.bodies.dense_at(obstacle.body);
        let core = watched(&self.bodies, i, other)?;
        let kind = self.bodies.cold.at(obstacle.body)?.kind;
        let whole = self.travelled(ahead, other);
        let of_it = whole.during(span);
        // Who moves along with it is safe; only the first look is at the whole motion.
        let moved = travel.relative_to(&of_it, self.bodies.params[i].turning_extent());
        if span.is_step() && moved <= ahead.hold_limit(&self.bodies.params[i]) {
            return None;
        }
        let origin = travel.start.centre;
        let its = of_it.motion(&obstacle.pose, self.bodies.params[other].local_centre, origin);
        let skin = ahead.skin(core);
        let mut first: Option<Stop> = None;
        search_moving((&collider.shape, motion), (&obstacle.shape, &its), 0.0, limit, &mut |one, other, limit| {
            let (a, b, of_a, of_b) = (one.convex, other.convex, &one.motion, &other.motion);
            // No target is above minus the skin.
            if stays_apart(one, other, ROUNDED * smaller(a, b) - SURE * skin) || comes_from_behind(a, of_a, b, of_b) {
                return limit;
            }
            let size = Num::min(a.extent(), b.extent());
            let target = |s: Real| Some(Num::min(-skin, s - Num::max(DIP * skin, 1e-3 * s.abs() + 1e-4 * size)));
            let Some(found) = approach(a, b, of_a, of_b, limit, true, target) else { return limit };
            let (pose_a, pose_b) = (of_a.at(found.t), of_b.at(found.t));
            let gap = closest_points(a, b, &(pose_a.inverse() * pose_b));
            let point = pose_a.transform_point((gap.point_a + gap.point_b) * 0.5);
            first = Some(Stop { t: found.t, normal: found.normal, point, obstacle: of_it, kind });
            found.t
        });
        first
    }

    /// The motion that a body has made in this step.
    pub(super) fn travelled(&self, ahead: &Ahead, dense: usize) -> Travel {
        let bodies = &self.bodies;
        let end = bodies.pose[dense];
        if dense >= bodies.awake() {
            return Travel::resting(end);
        }
        if let Ok(k) = ahead.movers.all().binary_search_by_key(&(dense as u32), |m| m.dense) {
            let Mover { start, turn, .. } = ahead.movers.all()[k];
            return Travel { start, shift: (end.centre - start.centre).to_real(), turn };
        }
        // Kinematic bodies have moved just so, and others of which no note was taken nearly.
        let (v, params) = (&bodies.velocity[dense], &bodies.params[dense]);
        let shift = v.linear * ahead.dt;
        let turn = if params.extent.is_finite() { v.angular * ahead.dt } else { Vec3::ZERO };
        let rotation = (Quat::from_rotation_vector(-turn) * end.rotation).normalized();
        Travel { start: CentrePose { centre: end.centre - shift.to_f64(), rotation }, shift, turn }
    }
}

/// Where a body at `pose` at time `t` is in the end if it is carried along.
fn carried(pose: &CentrePose, by: &Travel, t: Real) -> CentrePose {
    let (then, end) = (by.at(t), by.at(1.0));
    let turn = (end.rotation * then.rotation.conjugate()).normalized();
    CentrePose {
        centre: end.centre + turn.rotate((pose.centre - then.centre).to_real()).to_f64(),
        rotation: (turn * pose.rotation).normalized(),
    }
}

/// One-sided triangles hold only what starts in front of them.
fn comes_from_behind(a: ConvexRef, of_a: &Motion, b: ConvexRef, of_b: &Motion) -> bool {
    let behind = |t: ConvexRef, at: &Pose, other: Vec3| match t {
        ConvexRef::Triangle(t) if !t.two_sided => {
            let [p, q, r] = t.vertices;
            (q - p).cross(r - p).dot(at.inverse_transform_point(other) - p) < 0.0
        }
        _ => false,
    };
    behind(b, &of_b.start, of_a.start.transform_point(a.centre()))
        || behind(a, &of_a.start, of_b.start.transform_point(b.centre()))
}
