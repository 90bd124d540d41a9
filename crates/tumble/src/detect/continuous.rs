//! Continuous detection: nothing that moves fast passes through what is thin.
//!
//! A step looks at the places where bodies are, and a fast body is in front of a wall in one step and behind it in the next.
//! Three nets catch it, and none takes time away from it:
//!
//! 1. **Impacts ahead** ([`meeting`]). Before the step the free flight of a fast body is followed by conservative advancement
//!    to where it would first touch. The manifold *of that moment* becomes a contact of this step: normal n and anchors r as
//!    they will be, and a separation that is larger by what the free flight will use up until then,
//!
//!    ```text
//!      s₀ = s(t) - J Δ(t),     J = [-n, -(r_A × n), n, (r_B × n)],  Δ(t): shifts and turns until t
//!    ```
//!
//!    The solver lets a positive separation close and not pass, so the body flies until it is there, hits, and goes on in the
//!    same step under friction, other contacts and joints; momentum, restitution, events, hooks and islands are those of
//!    any contact. Since the contact is made at the place of impact, and only if there is one, bodies that pass by are not
//!    touched.
//!
//! 2. **Hold** ([`hold`]). Impulses bend the flight, and a second impact may follow the first. So after the step the motion
//!    that a body really made is followed in the same way against everything it may not pass, unless its free flight was clear of all that
//!    and it has nearly kept to it. Where it would sink deeper than
//!    its *skin* it is held, and of the rest of its motion it keeps what the surface leaves it. Velocities are not touched:
//!    the next step finds the contact where it is, and the speed with it. What joints tie to it comes along ([`along`]);
//!    a link is held with its tree ([`trees`]).
//!
//! 3. **Middle** ([`middle`]). Whatever tolerances the two have used up: the centre of its inner ball does not cross a surface. That of a solid
//!    mesh is watched at any speed: triangles know no inside, and may push it out on the wrong side of something thin.
//!
//! What is fast: a body whose farthest point moves in the step by more than half of the radius of the ball in its thinnest
//! part (for impacts ahead also by more than half of the detection distance, within which ordinary contacts look ahead; for
//! kinematic bodies by that alone, since what they run into may be small). Slower ones cannot get past a surface without the ordinary contacts noticing. What counts between
//! two bodies is their relative motion: who rides on a fast platform is slow. Against fixed and kinematic bodies all dynamic
//! bodies are watched, against other dynamic ones only pairs with a bullet.

mod along;
mod hold;
mod meeting;
mod middle;
mod obstacles;
mod trees;

pub(crate) use hold::hold;
pub(in crate::detect) use meeting::keeps_clear;

use crate::articulation::store::Starts;
use crate::body::store::{Bodies, CentrePose, Params, Velocity};
use crate::constraint::Rows;
use crate::crew::{Lists, Team};
use crate::detect::broad::{Moves, ProxyId};
use crate::detect::narrow::Motion;
use crate::integrate::{Loads, accelerated, accelerated_along};
use crate::marks::Marks;
use crate::math::spatial::Wrench;
use crate::math::{Aabb, Float, Num, Point, Pose, Quat, Real, Vec3};
use crate::shape::Geometry;
use crate::world::State;
use along::Companion;
use core::mem::take;
use obstacles::Obstacles;
use trees::TreeWay;

/// Share of the radius of the inner ball by which a body may move without being watched.
const SLOW: Real = 0.5;

/// How far a body may leave its free flight for what was found about that to hold, in skins.
const KEPT: Real = 0.75;

/// Steps that the boxes of trees reach ahead which nothing is near to.
const LONE_STEPS: Real = 16.0;

/// How a body moves in a step, in shares of it: constant velocities from time 0 to 1.
#[derive(Clone, Copy, Debug)]
struct Travel {
    start: CentrePose,
    /// Of the centre of mass.
    shift: Vec3,
    /// Rotation vector; may be more than a whole turn.
    turn: Vec3,
}

impl Travel {
    fn resting(start: CentrePose) -> Self {
        Self { start, shift: Vec3::ZERO, turn: Vec3::ZERO }
    }

    /// From one pose to another, by the shortest turn.
    fn between(start: CentrePose, end: &CentrePose) -> Self {
        let turn = (end.rotation * start.rotation.conjugate()).to_rotation_vector();
        Self { start, shift: (end.centre - start.centre).to_real(), turn }
    }

    fn at(&self, t: Real) -> CentrePose {
        let rotation = if self.turn == Vec3::ZERO {
            self.start.rotation
        } else {
            (Quat::from_rotation_vector(self.turn * t) * self.start.rotation).normalized()
        };
        CentrePose { centre: self.start.centre + (self.shift * t).to_f64(), rotation }
    }

    /// What is left of it after `t`, as a travel of its own.
    fn after(&self, t: Real) -> Self {
        self.during(Span { from: t, to: 1.0 })
    }

    /// A part of it, as a travel of its own.
    fn during(&self, span: Span) -> Self {
        let part = span.to - span.from;
        Self { start: self.at(span.from), shift: self.shift * part, turn: self.turn * part }
    }

    /// The motion of something placed at `local` in the frame of a body whose centre of mass is `centre` there, as seen from
    /// `origin`, in unit time.
    fn motion(&self, local: &Pose, centre: Vec3, origin: Point) -> Motion {
        let CentrePose { centre: place, rotation } = self.start;
        let from = (place - origin).to_real();
        Motion {
            start: Pose {
                translation: from + rotation.rotate(local.translation - centre),
                rotation: rotation * local.rotation,
            },
            centre: local.inverse_transform_point(centre),
            linear: self.shift,
            angular: self.turn,
        }
    }

    /// A bound of how far a point of this body within `extent` of its centre moves as seen by someone on `o`.
    fn relative_to(&self, o: &Self, extent: Real) -> Real {
        let r = (self.start.centre - o.start.centre).to_real();
        let past = self.shift - o.shift - o.turn.cross(r);
        past.length() + (self.turn - o.turn).length() * extent
    }
}

/// A part of the time of a step, in shares of it.
#[derive(Clone, Copy, Debug)]
struct Span {
    from: Real,
    to: Real,
}

impl Span {
    const STEP: Self = Self { from: 0.0, to: 1.0 };

    fn new(from: f64, length: f64) -> Self {
        Self { from: Real::from_f64(from), to: Real::from_f64(Num::min(from + length, 1.0)) }
    }

    /// What is left of the step after `now`.
    fn after(now: Real) -> Self {
        Self { from: now, to: 1.0 }
    }

    fn is_step(&self) -> bool {
        self.from == 0.0 && self.to == 1.0
    }
}

/// Two bodies of which one is fast as seen by the other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Encounter {
    a: Travel,
    b: Travel,
    /// How near the surfaces must be at the start for the ordinary manifold to serve.
    pub reach: Real,
}

/// The motion that a body has made in a step.
pub(crate) struct Way<'a> {
    /// Where it was, and how fast.
    pub start: CentrePose,
    pub velocity: Velocity,
    /// Where it is.
    pub end: &'a CentrePose,
    /// Rotation vector; may be more than a whole turn.
    pub turn: Vec3,
    pub params: &'a Params,
    pub load: Wrench,
}

impl Way<'_> {
    fn shift(&self) -> Vec3 {
        (self.end.centre - self.start.centre).to_real()
    }
}

/// A body whose motion in the step is followed once it is known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mover {
    dense: u32,
    start: CentrePose,
    turn: Vec3,
    /// How much farther it might leave its free flight: see [`Ahead::spare`].
    spare: Real,
}

impl Mover {
    /// One of which no such flight is known.
    fn followed(dense: u32, start: CentrePose, turn: Vec3) -> Self {
        Self { dense, start, turn, spare: -Real::INFINITY }
    }

    /// It need not be followed. Links are held with their trees, and may have come by ways that are bent.
    fn is_clear(&self, params: &Params) -> bool {
        self.spare >= 0.0 && !params.has(Params::LINK)
    }
}

/// Who is fast in this step. Kept between steps for its memory.
#[derive(Clone, Debug)]
pub(crate) struct Ahead {
    on: bool,
    any: bool,
    /// By dense index of the awake bodies, as bits: who is fast, what decides on who is watched, and who came near something; without meaning where nobody is fast. The look at
    /// contacts asks for each of them, and finds the answer in a few lines of the cache.
    fast: Vec<u8>,
    /// Bodies that a fast kinematic one may meet; as above.
    exposed: Vec<bool>,
    /// The fast links, by slot of the tree.
    links: Vec<[u32; 2]>,
    /// Whose motions are followed, in ascending order in the end: see [`Ahead::gather`].
    pub movers: Lists<Mover>,
    /// Somebody has woken up since it was told who is fast; without meaning where nobody is.
    woken: bool,
    obstacles: Obstacles,
    /// Bodies that have been held, and what joints tie to them.
    held: Vec<u32>,
    companions: Vec<Companion>,
    /// Where each body is among them, by dense index: `NONE` for all others.
    places: Vec<u32>,
    ties: Vec<u32>,
    rows: Rows,
    tree: TreeWay,
    /// Where the trees of the step were before it.
    pub starts: Starts,
    /// Bodies with an impact ahead, by slot until they are brought in order, then by dense index: when, and how they are turned then.
    impacts: Vec<(u32, Real, Quat)>,
    /// Pairs of bodies that can both move and will meet, in the same way: when.
    meetings: Vec<([u32; 2], Real)>,
    /// Marks on awake bodies, or on movers, that something has to be done about.
    pub marks: Marks,
    /// Boxes of bodies that have to be moved.
    pub moves: Moves,
    dt: Real,
    loads: Loads,
    /// Detection distance and slop, in metres.
    margin: Real,
    slop: Real,
}

impl Default for Ahead {
    fn default() -> Self {
        Self {
            on: false,
            any: false,
            fast: Vec::new(),
            exposed: Vec::new(),
            links: Vec::new(),
            movers: Lists::default(),
            woken: false,
            obstacles: Obstacles::default(),
            held: Vec::with_capacity(along::MOST),
            companions: Vec::with_capacity(2 * along::MOST),
            places: Vec::new(),
            ties: Vec::with_capacity(2 * along::MOST),
            rows: Rows::default(),
            tree: TreeWay::default(),
            starts: Starts::default(),
            impacts: Vec::new(),
            meetings: Vec::new(),
            marks: Marks::default(),
            moves: Moves::default(),
            dt: 0.0,
            loads: Loads { gravity: Vec3::ZERO, gyroscopic: false },
            margin: 0.0,
            slop: 0.0,
        }
    }
}

/// Finds out who is fast in the step to come, and widens their boxes to where they may get. One pass over the awake bodies, and two more where somebody is.
/// Where nothing is `detected`, nobody is.
pub(crate) fn look_out(state: &mut State, ahead: &mut Ahead, detected: bool, loads: Loads, team: &Team, dt: Real) {
    ahead.on = detected && state.method.switches.continuous;
    ahead.any = false;
    ahead.movers.all_mut().clear();
    ahead.impacts.clear();
    ahead.meetings.clear();
    if !ahead.on {
        return;
    }
    let tolerances = &state.method.tolerances;
    ahead.margin = tolerances.detection * tolerances.length;
    ahead.slop = tolerances.slop * tolerances.length;
    ahead.loads = loads;
    ahead.dt = dt;
    let awake = state.bodies.awake();
    let mut fast = take(&mut ahead.marks);
    fast.find(awake, team, |i| {
        let (v, params) = (&state.bodies.velocity[i], &state.bodies.params[i]);
        let (limit, extent) = (ahead.limit(params), params.turning_extent());
        // (x + y)² <= 2 (x² + y²): most bodies are told without a root.
        let squares = v.linear.length_squared() + v.angular.length_squared() * (extent * extent);
        let slow = 2.0 * squares * (dt * dt) <= limit * limit;
        !slow && (v.linear.length() + v.angular.length() * extent) * dt > limit
    });
    ahead.any = fast.iter().next().is_some();
    if ahead.any {
        ahead.fast.clear();
        ahead.fast.extend(state.bodies.params.iter().take(awake).map(kind_of));
        let mut links = take(&mut ahead.links);
        links.clear();
        for i in fast.iter() {
            ahead.fast[i] |= FAST;
            if let Some((tree, _)) = state.articulations.link_of(state.bodies.slot[i]) {
                links.push([tree, i as u32]);
            }
        }
        // Links come with their trees.
        let mut moves = take(&mut ahead.moves);
        moves.find(awake, team, |i, emit| {
            if ahead.fast[i] & FAST != 0 && !state.bodies.params[i].has(Params::LINK) {
                state.for_swept(i, &ahead.travel(&state.bodies, i), |proxy, swept| {
                    if state.broad.must_move(proxy, swept, Vec3::ZERO) {
                        emit(proxy, swept, Vec3::ZERO);
                    }
                });
            }
        });
        moves.make(&mut state.broad);
        ahead.moves = moves;
        links.sort_unstable();
        for links in links.chunk_by(|a, b| a[0] == b[0]) {
            if !trees::may_meet(state, ahead, links) {
                ahead.leave_alone(state, links[0][0]);
            } else {
                state.widen_proxies(ahead, links.iter().map(|&[_, i]| i as usize));
            }
        }
        ahead.links = links;
    }
    ahead.marks = fast;
}

impl Ahead {
    /// By how much a body may move without being watched.
    fn limit(&self, params: &Params) -> Real {
        let half = 0.5 * self.margin;
        if params.has(Params::KINEMATIC) { half } else { Num::max(SLOW * params.core, half) }
    }

    /// By how much a dynamic body may have moved in the end without being held. Nothing can be said for bodies without thickness;
    /// for them the ordinary contacts must do.
    fn hold_limit(&self, params: &Params) -> Real {
        if params.core > 0.0 { SLOW * params.core } else { 0.5 * self.margin }
    }

    /// How deep a body with an inner ball of this radius may sink before it is held: more than resting contacts sink, and
    /// not so much that it would be pushed out on the wrong side.
    fn skin(&self, core: Real) -> Real {
        Num::min(0.5 * core, Num::max(0.25 * core, 2.0 * self.slop))
    }

    /// The step of a body if nothing gets in its way.
    fn travel(&self, bodies: &Bodies, dense: usize) -> Travel {
        let start = bodies.pose[dense];
        if dense >= bodies.awake() {
            return Travel::resting(start);
        }
        self.free_flight(&bodies.params[dense], bodies.load_on(dense), start, bodies.velocity[dense])
    }

    /// The shift of a link in a step if neither its joints nor anything else gets in its way.
    fn shift(&self, bodies: &Bodies, dense: usize) -> Vec3 {
        let (old, params) = (bodies.velocity[dense].linear, &bodies.params[dense]);
        let new = accelerated_along(old, params, bodies.load_on(dense).force, &self.loads, self.dt);
        (old + new) * (0.5 * self.dt)
    }

    /// The step of a body from this state, if nothing gets in its way.
    fn free_flight(&self, params: &Params, load: Wrench, start: CentrePose, old: Velocity) -> Travel {
        let new = accelerated(old, params, load, start.rotation, &self.loads, self.dt);
        let turn = if params.extent.is_finite() { new.angular * self.dt } else { Vec3::ZERO };
        Travel { start, shift: (old.linear + new.linear) * (0.5 * self.dt), turn }
    }

    /// Takes note of a tree that has nothing near it, by its slot. Its links that may touch each other are near each other.
    fn leave_alone(&mut self, state: &State, tree: u32) {
        let Some(articulation) = state.articulations.all.at(tree).filter(|a| !a.self_collision) else { return };
        for &body in &articulation.bodies {
            if let Some(bits) = self.fast.get_mut(state.bodies.dense_at(body)) {
                *bits |= LONE;
            }
        }
    }

    /// How many steps ahead the boxes of an awake body are to reach. Long boxes meet many others; those of a tree that has nothing near it and whose links
    /// pass through each other meet nobody, and need not be moved in every step. Where bodies have been taken out since it was told who is fast, others are
    /// in their places: their boxes are larger or smaller than need be.
    #[inline(always)]
    pub fn steps(&self, dense: usize) -> Real {
        let lone = self.any && self.fast.get(dense).is_some_and(|&bits| bits & LONE != 0);
        if lone { LONE_STEPS } else { 2.0 }
    }

    /// Somebody is fast.
    #[inline(always)]
    pub fn any_fast(&self) -> bool {
        self.any
    }

    /// One of two bodies, by their dense indices, is fast.
    #[inline(always)]
    pub fn is_fast(&self, a: usize, b: usize) -> bool {
        self.any && (self.one_is_fast(a) || self.one_is_fast(b))
    }

    /// Who woke up during the step is not among the fast.
    #[inline(always)]
    fn one_is_fast(&self, i: usize) -> bool {
        self.fast.get(i).is_some_and(|&bits| bits & FAST != 0)
    }

    /// Two bodies must not pass through each other, where somebody is fast: whether [`watched`] has an answer.
    #[inline(always)]
    pub fn watches(&self, bodies: &Bodies, a: usize, b: usize) -> bool {
        let kind = |i: usize| self.fast.get(i).copied().unwrap_or_else(|| kind_of(&bodies.params[i]));
        are_watched(kind(a), kind(b))
    }

    /// The motions of two bodies in contact, by their dense indices, if they are such that an impact has to be looked for ahead.
    pub fn encounter(&self, bodies: &Bodies, a: usize, b: usize) -> Option<Encounter> {
        if self.is_fast(a, b) { self.meet(bodies, a, b) } else { None }
    }

    fn meet(&self, bodies: &Bodies, a: usize, b: usize) -> Option<Encounter> {
        let core = watched(bodies, a, b)?;
        let (of_a, of_b) = (self.travel(bodies, a), self.travel(bodies, b));
        let params = &bodies.params;
        let moved = if params[a].inv_mass > 0.0 {
            of_a.relative_to(&of_b, params[a].turning_extent())
        } else {
            of_b.relative_to(&of_a, params[b].turning_extent())
        };
        if !(moved > Num::max(SLOW * core, 0.5 * self.margin) && moved.is_finite()) {
            return None;
        }
        let reach = if core > 0.0 { Num::min(self.margin, self.skin(core)) } else { self.margin };
        Some(Encounter { a: of_a, b: of_b, reach })
    }

    /// Takes note of two bodies, by their dense indices, whose free flights are not clear of each other.
    pub fn note_near(&mut self, a: usize, b: usize) {
        for i in [a, b] {
            if let Some(bits) = self.fast.get_mut(i) {
                *bits |= NEAR;
            }
        }
    }

    /// How much farther an awake body might leave its free flight and still not get anywhere from where it would have to be held. Negative where it has left it too far,
    /// or where that was not clear of all that may hold it.
    ///
    /// Two motions of constant velocities from the same start, of which the shifts differ by δ and the rotation vectors by ε, are nowhere
    /// farther from each other than |δ| + |ε| r. A body is held only where it is deeper in something than its skin.
    fn spare(&self, i: usize, way: &Way<'_>) -> Real {
        let params = way.params;
        let fast = self.fast.get(i).is_some_and(|&bits| bits & (FAST | NEAR) == FAST);
        // Effects act anew on all where somebody has woken up, and of what has no end no flight has a turn.
        if !(self.any && fast) || params.has(Params::BULLET) || self.woken || !params.extent.is_finite() {
            return -Real::INFINITY;
        }
        let flight = self.free_flight(params, way.load, way.start, way.velocity);
        // Joints turn a link as it goes: its velocity in the end is not how it has turned.
        let turn = if params.has(Params::LINK) { Travel::between(way.start, way.end).turn } else { way.turn };
        let off = (way.shift() - flight.shift).length() + (turn - flight.turn).length() * params.turning_extent();
        KEPT * self.skin(params.core) - off
    }

    /// Takes note of an impact of two bodies, by their dense indices.
    pub fn note_impact(&mut self, bodies: &Bodies, encounter: &Encounter, t: Real, a: usize, b: usize) {
        // Whom the impact wakes gets another index.
        let slots = [a, b].map(|i| bodies.slot[i]);
        for (slot, travel) in slots.into_iter().zip([&encounter.a, &encounter.b]) {
            self.impacts.push((slot, t, travel.at(t).rotation));
        }
        if [a, b].iter().all(|&i| bodies.params[i].inv_mass > 0.0 && !bodies.params[i].has(Params::LINK)) {
            self.meetings.push((slots, t));
        }
    }

    /// Brings the impacts in order: of each awake body the first one; and the meetings.
    pub fn sort_impacts(&mut self, bodies: &Bodies) {
        let dense = |slot: u32| bodies.dense_at(slot) as u32;
        self.impacts.iter_mut().for_each(|(body, ..)| *body = dense(*body));
        self.impacts.retain(|&(i, ..)| (i as usize) < bodies.awake());
        self.impacts.sort_unstable_by(|x, y| x.0.cmp(&y.0).then(x.1.total_cmp(&y.1)));
        self.impacts.dedup_by_key(|&mut (i, ..)| i);
        self.meetings.iter_mut().for_each(|(pair, _)| *pair = pair.map(dense));
        self.meetings.retain(|(pair, _)| pair.iter().all(|&i| (i as usize) < bodies.awake()));
        self.meetings.sort_unstable_by(|x, y| x.1.total_cmp(&y.1).then(x.0.cmp(&y.0)));
    }

    /// The bodies that will hit something, and how they will be turned when they do. What they weigh against an impulse is
    /// a matter of that moment.
    pub fn impacts(&self) -> impl Iterator<Item = (usize, Quat)> {
        self.impacts.iter().map(|&(i, _, rotation)| (i as usize, rotation))
    }

    /// The pairs of bodies that can both move and will meet, and when, in shares of the step; in the order of time.
    pub fn meetings(&self) -> &[([u32; 2], Real)] {
        &self.meetings
    }

    /// Marks the bodies that fast kinematic ones may have met. To be called before [`Ahead::follow`].
    pub fn expose(&mut self, state: &State) {
        if !self.any {
            return;
        }
        let bodies = &state.bodies;
        self.woken = bodies.awake() != self.fast.len();
        self.exposed.clear();
        self.exposed.resize(bodies.awake(), false);
        for i in 0..bodies.awake() {
            if !(self.one_is_fast(i) && bodies.params[i].has(Params::KINEMATIC)) {
                continue;
            }
            let slot = bodies.slot[i];
            for contact in state.contacts.of_body(slot) {
                let other = bodies.dense_at(state.contacts.all[contact as usize].other(slot));
                if let Some(exposed) = self.exposed.get_mut(other) {
                    *exposed = true;
                }
            }
        }
    }

    /// Adds the motion that an awake dynamic body has made to the movers, if it has to be followed.
    #[inline(always)]
    pub fn follow(&self, i: usize, way: &Way<'_>, movers: &mut Vec<Mover>) {
        let params = way.params;
        let moved = way.shift().length() + way.turn.length() * params.turning_extent();
        // Of slow ones the middles of meshes are followed.
        let meshed = params.has(Params::MESHED) && !params.has(Params::LINK);
        if self.on && (moved > self.hold_limit(params) || (self.any && self.exposed[i]) || meshed) {
            let spare = self.spare(i, way);
            movers.push(Mover { dense: i as u32, start: way.start, turn: way.turn, spare });
        }
    }

    /// Takes note of all who are followed, which workers have found.
    pub fn gather(&mut self, mut movers: Lists<Mover>) {
        movers.gather_by_key(|mover| mover.dense);
        self.movers = movers;
    }
}

/// The radius of the smaller inner ball of the dynamic ones of two bodies that must not pass through each other; `None` if
/// they are not watched.
pub(super) fn watched(bodies: &Bodies, a: usize, b: usize) -> Option<Real> {
    let [of_a, of_b] = [a, b].map(|i| kind_of(&bodies.params[i]));
    let core = |i: usize, kind: u8| if kind & DYNAMIC != 0 { bodies.params[i].core } else { Real::INFINITY };
    are_watched(of_a, of_b).then(|| Num::min(core(a, of_a), core(b, of_b)))
}

/// A body is fast in this step.
const FAST: u8 = 1;
/// It is dynamic.
const DYNAMIC: u8 = 2;
/// It is a bullet.
const BULLET: u8 = 4;
/// It is not known to stay clear of all that may hold it.
const NEAR: u8 = 8;
/// It is a link of a tree that meets nobody, itself included.
const LONE: u8 = 16;

/// What a body is, without how fast it is.
#[inline(always)]
fn kind_of(params: &Params) -> u8 {
    let dynamic = if params.inv_mass > 0.0 { DYNAMIC } else { 0 };
    dynamic | if params.has(Params::BULLET) { BULLET } else { 0 }
}

/// Two bodies of these kinds must not pass through each other: a dynamic one and one that is not, or two dynamic ones with a bullet.
#[inline(always)]
fn are_watched(a: u8, b: u8) -> bool {
    if a & b & DYNAMIC != 0 { (a | b) & BULLET != 0 } else { (a | b) & DYNAMIC != 0 }
}

/// How far a curve may leave its chord in unit time, where nothing on it is accelerated by more than `acceleration`.
fn sagitta(acceleration: Real) -> Real {
    0.125 * acceleration
}

impl State {
    /// Has the boxes of bodies, by dense index, reach over all of their travels.
    fn widen_proxies(&mut self, ahead: &Ahead, list: impl Iterator<Item = usize>) {
        let mut broad = take(&mut self.broad);
        for i in list {
            self.for_swept(i, &ahead.travel(&self.bodies, i), |proxy, swept| {
                broad.move_proxy(proxy, swept, Vec3::ZERO);
            });
        }
        self.broad = broad;
    }

    /// The boxes that the colliders of a body sweep over in its travel.
    fn for_swept(&self, dense: usize, travel: &Travel, mut visit: impl FnMut(ProxyId, &Aabb)) {
        let half = 0.5 * self.method.tolerances.detection * self.method.tolerances.length;
        let centre = self.bodies.params[dense].local_centre;
        // Points of what is solid turn about the centre at a distance of at most the extent, and get no farther from it.
        let reach = self.bodies.params[dense].turning_extent();
        let bulge = Num::min(sagitta(travel.turn.length_squared() * reach), 2.0 * reach);
        let Some(cold) = self.bodies.cold.at(self.bodies.slot[dense]) else { return };
        for &slot in &cold.colliders {
            let Some(collider) = self.colliders.at(slot).filter(|c| c.proxy != crate::body::collider::NO_PROXY) else {
                continue;
            };
            let motion = travel.motion(&collider.pose, centre, travel.start.centre);
            let (first, last) = (collider.shape.bounds(&motion.start), collider.shape.bounds(&motion.at(1.0)));
            let swept: Aabb = first.union(&last).expanded(half + bulge).moved_to(travel.start.centre);
            // A travel beyond the range of numbers has no box; its end puts the body into quarantine.
            let is_box = swept.min.x <= swept.max.x && swept.min.y <= swept.max.y && swept.min.z <= swept.max.z;
            if !is_box {
                continue;
            }
            visit(ProxyId(collider.proxy), &swept);
        }
    }
}
