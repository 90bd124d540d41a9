//! Trees whose links would have passed through something.
//!
//! A link cannot be put back alone: its tree is followed as a whole, along its coordinates from where they were to where they are,
//!
//! ```text
//!   q(t) = q₀ + t u,     u: the shortest way from q₀ to where q is now
//! ```
//!
//! in parts so short that every link moves along a straight line in each. At the first stop of any of its links, by the same rules as for free
//! bodies, the tree goes on with what the surface leaves it,
//!
//! ```text
//!   u ← u - M⁻¹ Jᵀ (J u)⁺ / (J M⁻¹ Jᵀ),     J: of the point that is stopped, along the normal
//! ```
//!
//! which its other links take along with it: no joint opens. Links keep their velocities, as far as the tree lets them where it is now:
//!
//! ```text
//!   q̇ ← M⁻¹ Σ Jᵢᵀ pᵢ,     pᵢ: the momentum of link i as it was
//! ```
//!
//! the nearest in the measure of kinetic energy, which a projection cannot add to. The same q̇ in another place would be other motions of the links.

use super::{Ahead, Mover, Span, Travel};
use crate::articulation::dynamics::Pass;
use crate::articulation::response::Impulse;
use crate::articulation::store::{Articulation, NOBODY};
use crate::articulation::tree::{Link, Tree};
use crate::body::store::{CentrePose, Params};
use crate::detect::broad::{ProxyId, ProxyKind};
use crate::math::spatial::{Motion, Wrench};
use crate::math::{Aabb, Float, Isa, Num, Point, Quad, Real, Vec3};
use crate::world::State;

/// Radians by which a link turns in a part of the way, at the most; points at its rim leave their chords by an eighth of the square of it.
const PART: f64 = 0.2;

/// Parts at the most: hinges that make more than two turns in a step are not looked at more closely.
const PARTS: f64 = 64.0;

/// Radians by which all joints on the way to a link may turn in a step for its way to be as good as straight.
const LITTLE_TURN: f64 = 0.5;

/// The same of all links for the step to be one part, so that their ways are straight by definition; a bit less than [`PART`], which rounding is not to decide.
const ONE_PART: f64 = 0.99 * PART;

/// The least share of its own weight by which a tree yields: a straight arm that is pushed at along its length, which would have to turn by far to yield a little,
/// stays where it is.
const YIELD: f64 = 1e-3;

/// How often a tree may be stopped in one step before it stays where it is.
const ROUNDS: usize = 16;

/// A link that is followed.
#[derive(Clone, Copy, Debug)]
struct Follower {
    link: u32,
    dense: u32,
    /// Where it is at the beginning of a part.
    start: CentrePose,
    /// As its mover has it.
    spare: Real,
}

/// A tree that is followed. Kept between steps for its memory.
#[derive(Clone, Debug, Default)]
pub(super) struct TreeWay {
    /// The fast links: slot of the tree, link, number of the mover.
    fast: Vec<[u32; 3]>,
    /// Those of one tree; all its links as soon as one is stopped.
    followers: Vec<Follower>,
    all: bool,
    /// By how much the joints on the way to each link turn together, and whether the step is one part.
    turns: Vec<f64>,
    straight: bool,
    pass: Pass,
    /// Where it is, where it is at the end of a part, and u.
    q: Vec<f64>,
    next: Vec<f64>,
    u: Vec<f64>,
    /// Its answer to an impulse.
    answer: Vec<f64>,
    moved: Vec<Motion<f64>>,
    momenta: Vec<Impulse>,
}

/// Follows the trees of the links that were noted.
pub(super) fn hold(state: &mut State, ahead: &mut Ahead) {
    let mut way = core::mem::take(&mut ahead.tree);
    way.fast.clear();
    for (i, mover) in ahead.movers.all().iter().enumerate() {
        let body = state.bodies.slot[mover.dense as usize];
        if let Some((slot, link)) = state.articulations.link_of(body) {
            way.fast.push([slot, link as u32, i as u32]);
        }
    }
    way.fast.sort_unstable();
    let fast = core::mem::take(&mut way.fast);
    for links in fast.chunk_by(|a, b| a[0] == b[0]) {
        let slot = links[0][0];
        let near = passes_something(state, ahead, links)
            && way.begin(state, ahead, slot, links)
            && way.leave_clear_links(state, ahead, slot);
        if near && way.follow(state, ahead, slot) {
            way.finish(state, ahead, slot);
        }
    }
    way.fast = fast;
    ahead.tree = way;
}

/// Something that is not of its tree is so near to fast links, each with the slot of the tree and its dense index, that they may meet it in the step
/// to come. Whether links of one tree meet is no matter of foresight; but of one that has bullets or links without mass it is.
pub(super) fn may_meet(state: &State, ahead: &Ahead, links: &[[u32; 2]]) -> bool {
    let slot = links[0][0];
    let bodies = &state.bodies;
    let watched = |p: &Params| p.has(Params::BULLET) || p.inv_mass == 0.0;
    if tree_at(state, slot).bodies.iter().any(|&b| watched(&bodies.params[bodies.dense_at(b)])) {
        return true;
    }
    let mut way = Around::new(bodies.pose[links[0][1] as usize].centre);
    for &[_, i] in links {
        let i = i as usize;
        // What moves may have left its box by as much as slow bodies move.
        let reach = bodies.params[i].extent + 2.0 * ahead.margin;
        way.add(bodies.pose[i].centre, ahead.shift(bodies, i), reach);
    }
    let Some(way) = way.bounds() else { return true };
    let foreign = |proxy: u32| {
        let collider = state.broad.user(ProxyId(proxy)).and_then(|slot| state.colliders.at(slot));
        collider.is_some_and(|c| state.articulations.link_of(c.body).is_none_or(|(tree, _)| tree != slot))
    };
    [ProxyKind::Fixed, ProxyKind::Moving].iter().any(|&kind| {
        let tree = state.broad.tree(kind);
        !tree.overlap(&way, u32::MAX, |proxy| !foreign(proxy))
    })
}

/// Something that may hold fast links of a tree, each with the number of its mover, is near the way of one of them: told of all at once.
fn passes_something(state: &State, ahead: &Ahead, links: &[[u32; 3]]) -> bool {
    let bodies = &state.bodies;
    let of = |link: &[u32; 3]| ahead.movers.all()[link[2] as usize];
    let mut way = Around::new(of(&links[0]).start.centre);
    for link in links {
        let Mover { dense, start, .. } = of(link);
        let i = dense as usize;
        let shift = (bodies.pose[i].centre - start.centre).to_real();
        way.add(start.centre, shift, bodies.params[i].extent + ahead.margin + state.bulge(ahead, i, shift));
    }
    let Some(way) = way.bounds() else { return true };
    // Bullets look into other trees than the others.
    links.iter().any(|link| {
        let obstacles = ahead.obstacles.trees(state, of(link).dense as usize);
        obstacles.into_iter().any(|tree| !tree.overlap(&way, u32::MAX, |_| false))
    })
}

/// A box around ways, about a point near them.
struct Around {
    origin: Point,
    min: Vec3,
    max: Vec3,
}

impl Around {
    fn new(origin: Point) -> Self {
        Self { origin, min: Vec3::all(Real::INFINITY), max: Vec3::all(-Real::INFINITY) }
    }

    /// Takes in all within `reach` of a straight way.
    fn add(&mut self, start: Point, shift: Vec3, reach: Real) {
        let start = (start - self.origin).to_real();
        let (end, reach) = (start + shift, Vec3::all(reach));
        self.min = self.min.min(start.min(end) - reach);
        self.max = self.max.max(start.max(end) + reach);
    }

    /// None where it is beyond the range of numbers.
    fn bounds(&self) -> Option<Aabb> {
        let finite = self.min.is_finite() && self.max.is_finite();
        finite.then(|| Aabb::new(self.min, self.max).moved_to(self.origin))
    }
}

fn tree_at(state: &State, slot: u32) -> &Articulation {
    state.articulations.all.at(slot).unwrap_or(&NOBODY)
}

/// By how much a joint turns, at the most, while it goes so far along its degrees of freedom.
fn turn_of(link: &Link, u: &[f64]) -> f64 {
    if link.kind.turns_about_all() {
        // They are at right angles to each other.
        return u[u.len() - 3..].iter().map(|u| u * u).sum::<f64>().sqrt();
    }
    u.iter().enumerate().filter(|(k, _)| link.kind.turns(*k)).map(|(_, u)| u.abs()).sum()
}

impl TreeWay {
    /// Finds the way of a tree, of which these links are fast; false if there is none.
    fn begin(&mut self, state: &State, ahead: &Ahead, slot: u32, fast: &[[u32; 3]]) -> bool {
        let tree = &tree_at(state, slot).tree;
        let Some(start) = ahead.starts.of(slot).filter(|q| q.len() == tree.q.len()) else { return false };
        self.all = false;
        self.followers.clear();
        let follower = |&[_, link, mover]: &[u32; 3]| {
            let Mover { dense, start, spare, .. } = ahead.movers.all()[mover as usize];
            Follower { link, dense, start, spare }
        };
        self.followers.extend(fast.iter().map(follower));
        self.q.clear();
        self.q.extend_from_slice(start);
        self.u.clear();
        self.u.resize(tree.dofs.len(), 0.0);
        for link in &tree.links {
            let (qs, vs) = (link.coordinates(), link.dofs());
            link.kind.offset(&start[qs.clone()], &tree.q[qs], &mut self.u[vs]);
        }
        self.turns.clear();
        for link in &tree.links {
            let before = link.parent().map_or(0.0, |parent| self.turns[parent]);
            self.turns.push(before + turn_of(link, &self.u[link.dofs()]));
        }
        self.straight = self.turns.iter().all(|&turn| turn < ONE_PART);
        self.u.iter().all(|u| u.is_finite())
    }

    /// Leaves out the links that pass clear of everything, or kept to free flights that were: they need not be followed unless others are stopped. Whether some of the
    /// others come near something.
    fn leave_clear_links(&mut self, state: &State, ahead: &Ahead, slot: u32) -> bool {
        let (mut followers, mut near) = (core::mem::take(&mut self.followers), false);
        followers.retain(|f| {
            let i = f.dense as usize;
            let end = state.bodies.pose[i];
            let Some(bulge) = self.bulge(state, slot, f) else {
                let turn = state.bodies.velocity[i].angular * ahead.dt;
                near |= state.comes_near(ahead, &Mover::followed(f.dense, f.start, turn));
                return true;
            };
            let travel = Travel::between(f.start, &end);
            if f.spare >= bulge {
                debug_assert!(state.first_stop(ahead, i, &travel, Span::STEP).0.is_none(), "a link that is stopped");
                return false;
            }
            let clear = state.passes_clear(ahead, i, &travel, bulge);
            near |= !clear;
            !clear
        });
        self.followers = followers;
        near
    }

    /// How far a link may leave the straight way from where it was to where it is; `None` where its joints turn too far to tell. Not at all where it would be
    /// followed in one part.
    ///
    /// Let no joint slide, but for a free root, which goes straight. Let joint j turn at the constant rate w_j, so that what is behind it turns by at most W_j = Σ w_i over it and the joints before it, and let a_j be the length of the
    /// arm from it to the next joint or, of the last, to the farthest point of the link. With R_j the rotation behind joint j, |R_j"| ≤ W_j², so that a point leaves
    /// the chord of its way by no more than 1/8 Σ W_j² a_j; and points of what turns steadily about a centre that goes straight leave that by no more than 1/8 W²
    /// times their distance from it, W being the last of W_j.
    fn bulge(&self, state: &State, slot: u32, f: &Follower) -> Option<Real> {
        if self.straight {
            return Some(0.0);
        }
        let tree = &tree_at(state, slot).tree;
        let extent = state.bodies.params[f.dense as usize].extent.to_f64();
        let (turn, mut slides) = (self.turns[f.link as usize], false);
        let (mut arm, mut leaves) = (extent + tree.links[f.link as usize].centre.length(), turn * turn * extent);
        let mut at = Some(f.link as usize);
        while let Some((link, before)) = at.map(|link| (&tree.links[link], self.turns[link])) {
            slides |= link.kind.slides();
            leaves += before * before * arm;
            (at, arm) = (link.parent(), link.joint_place.origin.length());
        }
        let little = !slides && turn < LITTLE_TURN && leaves.is_finite();
        little.then(|| Real::from_f64(0.125 * leaves))
    }

    /// Follows it to the end of the step; false if nothing stops it.
    fn follow(&mut self, state: &State, ahead: &Ahead, slot: u32) -> bool {
        let articulation = tree_at(state, slot);
        let tree = &articulation.tree;
        self.pass.place_by(state.isa, tree, &self.q);
        let mut part = self.part(tree);
        let (mut now, mut rounds) = (0.0, 0);
        while now < 1.0 - 1e-9 && rounds < ROUNDS {
            for f in &mut self.followers {
                f.start = articulation.body_state(&self.pass, f.link as usize).0;
            }
            let mut length = Num::min(part, 1.0 - now);
            self.look_at(state.isa, tree, length);
            let stop = self.first_stop(state, ahead, articulation, Span::new(now, length));
            if stop.is_some() && !self.all {
                // Where one is held, the others take other ways than the step had for them.
                self.follow_all(state, articulation);
                continue;
            }
            if let Some((_, stop)) = &stop {
                length *= stop.t.to_f64();
                self.look_at(state.isa, tree, length);
            }
            if self.crosses(state, ahead, articulation, Span::new(now, length)) {
                return true;
            }
            core::mem::swap(&mut self.q, &mut self.next);
            now += length;
            if let Some((f, stop)) = stop {
                let point = f.start.centre + stop.point.to_f64();
                let lever = (point - stop.obstacle.start.centre).to_real();
                let rate = stop.obstacle.shift + stop.obstacle.turn.cross(lever);
                let carried = rate.to_f64() / Num::min(part, 1.0 - now + length);
                let at = point - self.pass.origin;
                rounds += 1;
                if !self.deflect(articulation, f.link as usize, at, stop.normal.to_f64(), carried) {
                    return true;
                }
                part = self.part(tree);
            }
        }
        rounds > 0
    }

    /// Has all links followed from where the tree is.
    fn follow_all(&mut self, state: &State, articulation: &Articulation) {
        self.all = true;
        self.pass.place_by(state.isa, &articulation.tree, &self.q);
        self.followers.clear();
        for (link, &body) in articulation.bodies.iter().enumerate() {
            let start = articulation.body_state(&self.pass, link).0;
            let dense = state.bodies.dense_at(body) as u32;
            self.followers.push(Follower { link: link as u32, dense, start, spare: -Real::INFINITY });
        }
    }

    /// How long a part of the way may be, in steps, at the present rate.
    fn part(&self, tree: &Tree) -> f64 {
        let turn = |link: usize| self.pass.velocity_of(tree, link, &self.u).angular.length();
        let turn = (0..tree.links.len()).map(turn).fold(0.0, Num::max);
        1.0 / Num::min(Num::max((turn / PART).ceil(), 1.0), PARTS)
    }

    /// Has the tree where it is after a part of the way.
    fn look_at(&mut self, isa: Isa, tree: &Tree, length: f64) {
        self.next.clone_from(&self.q);
        for link in &tree.links {
            link.kind.follow(&mut self.next[link.coordinates()], &self.u[link.dofs()], length);
        }
        self.pass.place_by(isa, tree, &self.next);
    }

    /// The first stop of any link in a part of the way, and which link it is.
    fn first_stop(
        &self,
        state: &State,
        ahead: &Ahead,
        articulation: &Articulation,
        span: Span,
    ) -> Option<(Follower, super::hold::Stop)> {
        let mut first: Option<(Follower, super::hold::Stop)> = None;
        for f in &self.followers {
            let end = articulation.body_state(&self.pass, f.link as usize).0;
            let travel = Travel::between(f.start, &end);
            if let (Some(stop), _) = state.first_stop(ahead, f.dense as usize, &travel, span)
                && first.is_none_or(|(_, other)| stop.t < other.t)
            {
                first = Some((*f, stop));
            }
        }
        first
    }

    /// The middle of a link gets to the other side of a surface in a part of the way.
    fn crosses(&self, state: &State, ahead: &Ahead, articulation: &Articulation, span: Span) -> bool {
        self.followers.iter().any(|f| {
            let end = articulation.body_state(&self.pass, f.link as usize).0;
            let mover = Mover::followed(f.dense, f.start, Vec3::ZERO);
            state.middle_kept(ahead, &mover, end, span).is_some()
        })
    }

    /// Takes out of u what would bring a point of a link, about O, deeper into what moves there with `carried`. False if the tree cannot yield there.
    fn deflect(&mut self, of: &Articulation, link: usize, point: Vec3<f64>, n: Vec3<f64>, carried: Vec3<f64>) -> bool {
        let tree = &of.tree;
        self.pass.factor::<Quad>(tree, None);
        self.answer.resize(tree.dofs.len(), 0.0);
        self.moved.resize(tree.links.len(), Motion::ZERO);
        let impulse = Impulse::Link(link, Wrench::at(n, point));
        self.pass.respond_moving(tree, &[impulse], &mut self.answer, &mut self.moved);
        let k = self.moved[link].velocity_at(point).dot(n);
        let closing = n.dot(self.pass.velocity_of(tree, link, &self.u).velocity_at(point) - carried);
        if !(closing > 0.0) {
            return true;
        }
        let mass: f64 = tree.links.iter().map(|l| l.mass).sum();
        if !(k * mass > YIELD) {
            return false;
        }
        for (u, answer) in self.u.iter_mut().zip(&self.answer) {
            *u -= answer * (closing / k);
        }
        true
    }

    /// Puts the tree where its way has ended.
    fn finish(&mut self, state: &mut State, ahead: &mut Ahead, slot: u32) {
        if !self.q.iter().all(|q| q.is_finite()) {
            return;
        }
        let Some(articulation) = state.articulations.all.at_mut(slot) else { return };
        let Articulation { tree, bodies, .. } = articulation;
        tree.q.copy_from_slice(&self.q);
        self.pass.place::<Quad>(tree, &tree.q);
        self.pass.factor::<Quad>(tree, None);
        self.momenta.clear();
        for (i, (link, &body)) in tree.links.iter().zip(bodies.iter()).enumerate() {
            let kept = &state.bodies.velocity[state.bodies.dense_at(body)];
            let (w, moving) = (kept.angular.to_f64(), &mut self.pass.links[i]);
            moving.velocity =
                Motion { angular: w, linear: kept.linear.to_f64() - w.cross(moving.centre.into()) }.into();
            if !link.massless {
                self.momenta.push(Impulse::Link(i, moving.momentum::<Quad>(link.mass).wrench()));
            }
        }
        for (k, (dof, qd)) in tree.dofs.iter().zip(&tree.qd).enumerate() {
            if dof.armature > 0.0 {
                self.momenta.push(Impulse::Dof(k, dof.armature * qd));
            }
        }
        self.answer.resize(tree.dofs.len(), 0.0);
        self.moved.resize(tree.links.len(), Motion::ZERO);
        self.pass.respond_moving(tree, &self.momenta, &mut self.answer, &mut self.moved);
        tree.qd.copy_from_slice(&self.answer);
        self.pass.set_moving::<Quad>(tree, &tree.qd);
        for (link, &body) in articulation.bodies.iter().enumerate() {
            let dense = state.bodies.dense_at(body);
            (state.bodies.pose[dense], state.bodies.velocity[dense]) = articulation.body_state(&self.pass, link);
            ahead.held.push(dense as u32);
        }
    }
}
