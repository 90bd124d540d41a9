//! Articulations in the sub-steps of soft step.
//!
//! A tree that nothing touches, drives or stops flies through the step at once: see `flight`. For the others each sub-step of h
//! is
//!
//! ```text
//!   kick      q̇ ← q̇ + h M̃⁻¹ τ            weight, loads, springs, dampers and motors; M̃ = M + h c + h² k
//!   rows      contacts, limits, dry friction: see `tree_rows`
//!   drift     motion without forces over h   at constant kinetic energy and, where the tree floats, momentum
//!   rows      relaxing, then bounces
//! ```
//!
//! M̃ is the mass matrix with the dampers c and the springs k of all joints and motors as they will be at the end of the sub-step,
//! so that no motor is too stiff. It is factored where the tree is: at the start of a step, and after each drift, for the rows that
//! relax and for the next kick. What the rows do is M̃⁻¹ Jᵀ λ, which moves what is light and leaves what is heavy; in a tree that has
//! turned meanwhile, the same velocities along its joints would move what is heavy, and a chain of links with a ball of five hundred
//! times their mass on its end would gain energy by every impulse. A tree that has hardly moved keeps its factors, and the answers of its rows with them:
//! see [`Working::is_worn`]. Kick and drift split the motion into forces that do not depend on velocities and motion that no force
//! disturbs; each keeps what it should, and neither can feed the other.
//!
//! While rows are at work on a tree it has quasi-velocities (see `tree_rows`). Where nothing that acts on it depends on its velocities it is kicked in these too, and
//! gets its velocities back for the drift alone.
//!
//! Where free or kinematic bodies take part, this is done in the sub-steps of the world, with their contacts and joints. All other trees are done with before these begin: see `knots` and
//! `part`.

mod drift;
mod knots;
mod part;
mod springs;

use self::knots::Knots;
use self::part::{Knot, Part, Scene};
use self::springs::Springs;
use super::motion::{self, Free, Mass, Motion};
use super::tree_rows::End;
use crate::articulation::dynamics::{Load, Pass};
use crate::articulation::flight::Stages;
use crate::articulation::keep::{Drive, Kept};
use crate::articulation::kind::Kind;
use crate::articulation::store::{Articulation, Starts};
use crate::articulation::tree::Link;
use crate::body::store::{Bodies, CentrePose, Velocity};
use crate::constraint::contact::NONE;
use crate::crew::{Shared, Sums, Team};
use crate::integrate::Loads;
use crate::math::{Isa, Kernel, Lane, Num, Packed, Point, Quad, Quat, Real, Vec3};
use crate::solve::contact_constraint::Soft;
use crate::world::State;
use core::mem::swap;
use core::ops::Range;

/// Where a passive joint is stiffer than this over a step, as c dt + k dt² over the inertia that it moves, it is taken implicitly.
const SOFT: f64 = 0.05;

/// The share of the energy of an impulse by which it may err for factors that were made before the tree moved on.
const WORN: f64 = 1e-3;

/// The m/m_light up to which a tree counts as even.
const EVEN: f64 = 100.0;

/// The same where limits bounce: what they give back they have not taken, and a tree that bounces from limit to limit lives on what they err.
const BOUNCE_WORN: f64 = 1e-5;

/// The share of the energy that loads give a tree from rest in a sub-step, below which what a round of rows changes is the last change, and the rest is left to the
/// next sub-step; at the most m_light/m, so that one that all goes to its lightest link moves that by no more than the loads move the tree.
const QUIET: f64 = 1e-2;

/// The same where rows act on anything but the tree, which may be much lighter, and where joints close loops.
const QUIET_AMONG_OTHERS: f64 = 1e-4;

/// Rounds in which motors that have reached their largest force are told from the others.
const ROUNDS: usize = 4;

/// Where coordinates and rates end. A million million million: even its square is a number in `f32`.
const FAST_AT_MOST: f64 = 1e18;

/// Contact points that a link counts as supported by where its tree stands on something: it is held.
const HELD: u32 = 3;

/// What is the same for all trees of a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Recipe {
    pub soft: Soft,
    /// Against what nothing moves.
    pub soft_fixed: Soft,
    pub slop: Real,
    /// Slip of a contact that does not slide yet.
    pub creep: Real,
    pub push_speed: Real,
    /// How near a sliding joint must be to its limit to be watched.
    pub near: f64,
    pub restitution_speed: Real,
    /// The rate at which joints that close loops come back, and the speed at most.
    pub joint_rate: Real,
    pub hold_speed: Real,
    pub warm_start: bool,
    pub h: Real,
    pub dt: Real,
}

/// A tree at work.
#[derive(Clone, Debug, Default)]
pub(super) struct Working {
    slot: u32,
    /// Where it was taken among all trees, and where it is to stand.
    taken: u32,
    rank: u32,
    pub articulation: Articulation,
    /// The bodies by dense index.
    pub dense: Vec<u32>,
    /// What touches them, in the list of [`Knots`].
    pub touching: Range<u32>,
    /// Nothing holds its roots or acts along them, and nothing that is fixed, asleep or led touches it or is joined to it.
    pub afloat: bool,
    /// Where they are after the step, and how they move.
    arrived: Vec<(CentrePose, Velocity)>,
    pub pass: Pass,
    pub loads: Vec<Load>,
    /// The loads as they were, while others are in their place.
    untamed: Vec<Load>,
    /// Coordinates and velocities before the step.
    before: Vec<f64>,
    pub qd_before: Vec<f64>,
    /// Velocities at the start of the sub-step.
    pub coming: Vec<f64>,
    /// Velocities that a kick of the whole step would lead to; empty where nothing drives it to limits.
    pub ahead: Vec<f64>,
    /// h c + h² k of each degree of freedom, and the forces along them.
    extra: Vec<f64>,
    pub tau: Vec<f64>,
    pub offset: Vec<f64>,
    springs: Springs,
    /// Nothing acts on it in the step but smooth forces.
    pub flies: bool,
    /// What acts on it does not depend on how it moves, so that a kick does without its velocities, and without other factors than those of rows.
    pub steady: bool,
    /// Where nothing but its weight acts on it and nothing holds it: how that accelerates it, as a whole.
    falls: Option<Vec3<f64>>,
    /// M̃ is factored, for `extra`, and how far the tree has turned since then, as [`Working::is_worn`] counts; infinite where something
    /// slides.
    factored: bool,
    worn: f64,
    /// The mass of all links, and that over the mass of the lightest.
    mass: f64,
    spread: f64,
    /// Σ K Δλ² that is next to nothing for it: by [`QUIET`], and by [`QUIET_AMONG_OTHERS`].
    pub quiet: [f64; 2],
    /// The mass of each link with all that hangs on it, over that of the lightest.
    carried: Vec<f64>,
    /// Some of its joints slide.
    slides: bool,
    /// 0 for where the whole tree goes, which changes nothing between its links, and 1 for what turns them.
    turns: Vec<f64>,
    /// Links that hang on none: everything is told about the first of them, and the others may move away from it without a turn.
    roots: usize,
    /// Some of its limits bounce.
    bounces: bool,
    /// Its coordinates or velocities are no numbers any more.
    lost: bool,
    /// Some root of it cannot move as it likes.
    stands: bool,
    /// Its rows are to be answered by the factors that it has now.
    pub renewed: bool,
    /// Its motors have given way to its rows, so that these are to be solved again.
    pub yielded: bool,
    /// The coordinates have moved on since the links were placed.
    behind: bool,
    isa: Isa,
    /// Energy and momentum before a drift.
    kept: Vec<Kept>,
    /// The same for the end of a step that is one solve.
    kept_after: Vec<Kept>,
    /// Momentum and spin of a tree that floats and that nothing touches: only loads change them, whatever its joints do. Factors that
    /// are a little worn would.
    drives: Vec<Drive>,
    /// Coordinates and velocities before a drift of several stages.
    departed: [Vec<f64>; 2],
    /// Velocities of free roots that a drift rides along with; in a step that is one solve, before it, all velocities.
    ride: Vec<f64>,
}

/// All trees at work in a step. Kept between steps for its memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct TreeWork {
    pub(super) trees: Vec<Working>,
    /// Those of steps before, for their memory.
    spare: Vec<Working>,
    pub(super) stages: Stages,
    /// Tree and link by dense index of the body; `NONE` for others. Empty where there is no articulation.
    pub(super) links: Vec<[u32; 2]>,
    /// Which of the trees act on each other, and who works on them: closed knots in all parts but the first, which is open.
    knots: Knots,
    parts: Vec<Part>,
    isa: Isa,
    /// Of a tree that has been given another motion as a whole.
    moved: Pass,
}

/// Parts for each worker: some have more to do than others.
const PARTS: usize = 4;

impl TreeWork {
    pub fn is_empty(&self) -> bool {
        self.trees.is_empty()
    }

    /// The body is a link of a tree at work.
    pub fn has(&self, dense: u32) -> bool {
        self.links.get(dense as usize).is_some_and(|l| l[0] != NONE)
    }

    /// Takes the awake trees out of the world. [`TreeWork::put_back`] returns them.
    fn take(&mut self, state: &mut State) {
        self.trees.clear();
        self.links.clear();
        self.isa = state.isa;
        if state.articulations.all.len() == 0 {
            return;
        }
        self.links.resize(state.bodies.awake(), [NONE; 2]);
        for slot in 0..state.articulations.all.capacity() as u32 {
            let Some(articulation) = state.articulations.all.at_mut(slot) else { continue };
            if !articulation.bodies.first().is_some_and(|&b| state.bodies.is_awake(b)) {
                continue;
            }
            let taken = self.trees.len() as u32;
            self.trees.push(self.spare.pop().unwrap_or_default());
            let Some(working) = self.trees.last_mut() else { continue };
            working.isa = state.isa;
            working.taken = taken;
            working.begin(slot, articulation);
            working.dense.extend(working.articulation.bodies.iter().map(|&b| state.bodies.dense_at(b) as u32));
            for (link, &dense) in working.dense.iter().enumerate() {
                if let Some(place) = self.links.get_mut(dense as usize) {
                    *place = [taken, link as u32];
                }
            }
        }
    }

    /// Takes the awake trees, and gathers what acts on them.
    pub fn take_and_set_up(&mut self, state: &mut State, loads: &Loads) {
        self.take(state);
        self.trees.iter_mut().for_each(|working| working.set_up(&state.bodies, loads));
    }

    /// Takes the awake trees, and finds the rows of those that free bodies take part with.
    pub fn prepare(
        &mut self,
        state: &mut State,
        motions: &mut [Motion],
        supports: &mut [u32],
        loads: &Loads,
        recipe: &Recipe,
        team: &Team,
    ) {
        self.take(state);
        self.parts.iter_mut().for_each(|part| part.trees = 0..0);
        if self.trees.is_empty() {
            return;
        }
        self.deal_out(state, team.size());
        for working in &mut self.trees {
            for &link in &working.dense {
                motion::set_rotation(&mut motions[link as usize], Quat::new(0.0, 0.0, 0.0, 0.0));
            }
        }
        if let Some(open) = self.parts.first_mut().filter(|part| !part.trees.is_empty()) {
            let (links, touching) = (&self.links, &self.knots.touching);
            let scene = Scene { state, links, touching, loads, supports: Sums::new(supports), recipe };
            open.begin();
            open.prepare(&mut self.trees[open.trees.clone()], open.trees.start, &scene);
        }
    }

    /// Puts the trees in the order of their knots, and gives so many workers their parts of them.
    fn deal_out(&mut self, state: &State, workers: usize) {
        let Self { trees, links, knots, parts, .. } = self;
        knots.find(trees, |slot| end(links, state, slot), state);
        if !knots.order.is_sorted() {
            // Those of a knot keep their order.
            for (rank, &tree) in knots.order.iter().enumerate() {
                trees[tree as usize].rank = rank as u32;
            }
            arrange(trees);
            for (tree, working) in trees.iter().enumerate() {
                for &link in &working.dense {
                    links[link as usize][0] = tree as u32;
                }
            }
        }
        let shares = if workers > 1 { (PARTS * workers).min(knots.ends.len()) } else { knots.ends.len().min(1) };
        if parts.len() <= shares {
            parts.resize_with(shares + 1, Part::default);
        }
        for part in parts.iter_mut() {
            (part.trees, part.open) = (0..0, false);
            part.ends.clear();
        }
        (parts[0].trees, parts[0].open) = (knots.closed()..trees.len(), true);
        let (mut first, mut knot) = (0, 0);
        for (i, part) in parts[1..].iter_mut().enumerate().take(shares) {
            let most = (i + 1) * knots.closed() / shares;
            let mut last = first;
            while knot < knots.ends.len() && (last < most || i + 1 == shares) {
                last = knots.ends[knot] as usize;
                part.ends.push((last - first) as u32);
                knot += 1;
            }
            part.trees = first..last;
            first = last;
        }
    }

    /// What stands on something is held by it as a whole.
    pub fn share_supports(&self, supports: &mut [u32]) {
        for working in &self.trees {
            let touches: u32 = working.dense.iter().map(|&link| supports[link as usize]).sum();
            for &link in &working.dense {
                supports[link as usize] = if working.stands { HELD } else { touches };
            }
        }
    }

    /// The bodies that touch links or hang on them, some of them several times.
    pub fn bodies(&self) -> impl Iterator<Item = u32> + '_ {
        self.parts.first().filter(|part| !part.trees.is_empty()).into_iter().flat_map(|part| part.rows.bodies())
    }

    /// The joints between links and other bodies, without order and some of them twice.
    pub fn tied_joints(&self, state: &State, out: &mut Vec<u32>) {
        for &body in self.trees.iter().flat_map(|w| &w.articulation.bodies) {
            let holds = |slot: &&u32| state.joints.all.at(**slot).is_some_and(|j| state.joint_holds(j));
            out.extend(state.joints.of_body(body).iter().filter(holds));
        }
    }

    /// Takes the trees through the step that no free body takes part with; lets the others fly that nothing holds. Counts what supports links. See [`Part::work`].
    pub fn work_apart(
        &mut self,
        state: &State,
        supports: &mut [u32],
        masses: &[Mass],
        loads: &Loads,
        recipe: &Recipe,
        passes: impl Iterator<Item = (u32, u32)> + Clone + Sync,
        team: &Team,
    ) {
        let Self { parts, trees, links, knots, isa, .. } = self;
        if let Some((_, closed)) = parts.split_first_mut() {
            let (links, touching) = (&*links, &knots.touching);
            let scene = Scene { state, links, touching, loads, supports: Sums::new(supports), recipe };
            for_parts(closed, trees, team, |part, trees| {
                part.begin();
                part.work(trees, masses, &scene, *isa, passes.clone());
            });
        }
        self.share_supports(supports);
    }

    /// What free bodies take part in, if there is any.
    fn open(&mut self) -> Option<Knot<'_>> {
        let part = self.parts.first_mut().filter(|part| !part.trees.is_empty())?;
        let own = part.trees.clone();
        Some(part.whole(&mut self.trees[own], self.isa))
    }

    /// Free bodies take part in what some of them do.
    pub fn are_open(&self) -> bool {
        self.parts.first().is_some_and(|part| !part.trees.is_empty())
    }

    /// The kick of a sub-step of what free bodies take part in; see [`Knot`], as for what follows.
    pub fn kick(&mut self, motions: &mut [Motion], masses: &[Mass], recipe: &Recipe, first: bool) {
        if let Some(mut open) = self.open() {
            open.kick(motions, masses, recipe, first);
        }
    }

    /// One pass over its rows.
    pub fn solve(&mut self, motions: &mut [Motion], masses: &[Mass], recipe: &Recipe, push: bool) {
        if let Some(mut open) = self.open() {
            open.solve(motions, masses, recipe, push);
        }
    }

    /// Moves it over a sub-step.
    pub fn drift(&mut self, motions: &[Motion], masses: &[Mass], h: Real) {
        if let Some(mut open) = self.open() {
            open.drift(motions, masses, h);
        }
    }

    /// Bounces, at the end of a sub-step.
    pub fn bounce(&mut self, motions: &mut [Motion], free: &mut [Free], masses: &[Mass], recipe: &Recipe) {
        if let Some(mut open) = self.open() {
            open.bounce(motions, free, masses, recipe);
        }
    }

    /// Writes the impulses back to manifolds and joints; finds the joints that have borne too much, and those whose motors are at work. The links move as the rows have
    /// left them.
    pub fn store(&mut self, state: &mut State, dt: Real, overloaded: &mut Vec<u32>, busy: &mut Vec<u32>) {
        for part in self.parts.iter_mut().filter(|part| !part.trees.is_empty()) {
            if part.open {
                part.conclude(&mut self.trees[part.trees.clone()], self.isa);
            }
            part.outcome.store(state, dt, overloaded);
            busy.append(&mut part.busy);
        }
    }

    /// Finds the trees that have lost their way, before anyone asks where their links are.
    pub fn take_stock(&mut self) {
        for working in &mut self.trees {
            if working.arrived.is_empty() {
                working.arrive();
            }
        }
    }

    /// Where a link is after the step, and how it moves. Not numbers where its tree has lost its way.
    #[inline(always)]
    pub fn state_of(&self, dense: usize) -> (CentrePose, Velocity) {
        let [tree, link] = self.links[dense];
        let working = &self.trees[tree as usize];
        if working.lost {
            let nan = Point::all(f64::NAN);
            return (CentrePose { centre: nan, rotation: Quat::IDENTITY }, Velocity::default());
        }
        working.arrived[link as usize]
    }

    /// The links of trees that may be adrift together with what touches them.
    pub fn afloat(&self) -> impl Iterator<Item = &u32> {
        self.trees.iter().filter(|working| working.afloat).flat_map(|working| &working.dense)
    }

    /// The links of all others.
    pub fn grounded(&self) -> impl Iterator<Item = &u32> {
        self.trees.iter().filter(|working| !working.afloat).flat_map(|working| &working.dense)
    }

    /// The links of trees that may be adrift, each with the one that it hangs on in the end.
    pub fn rooted(&self) -> impl Iterator<Item = [u32; 2]> {
        self.trees.iter().filter(|working| working.afloat).flat_map(|working| {
            let links = working.articulation.tree.links.iter().zip(&working.dense);
            links.map(|(link, &dense)| [dense, working.dense[link.root as usize]])
        })
    }

    /// What meets at the links of trees that may be adrift: two bodies for each contact, and for each joint on a link, at both ends of it where both are
    /// links.
    pub fn meetings(&self, state: &State) -> impl Iterator<Item = [u32; 2]> {
        self.trees.iter().filter(|working| working.afloat).flat_map(move |working| {
            let Range { start, end } = working.touching;
            let touching = self.knots.touching[start as usize..end as usize].iter().map(|&[contact, _]| {
                let c = &state.contacts.all[contact as usize];
                [c.body_a, c.body_b]
            });
            let joints = working.articulation.bodies.iter().flat_map(|&body| state.joints.of_body(body));
            let holding = joints.filter_map(|&slot| state.joints.all.at(slot)).filter(|joint| state.joint_holds(joint));
            let pairs = touching.chain(holding.map(|joint| joint.bodies));
            pairs.map(|pair| pair.map(|slot| state.bodies.dense_at(slot) as u32))
        })
    }

    /// Adds a motion of the whole to what hangs on roots that float: given the body of a root, about which point, and how fast it shifts and turns. The velocities of
    /// their links are those of their trees then.
    pub fn move_roots(
        &mut self,
        velocities: &mut [Velocity],
        motion: impl Fn(u32) -> Option<(Point, Vec3<f64>, Vec3<f64>)>,
    ) {
        let Self { trees, moved, .. } = self;
        for working in trees.iter_mut().filter(|working| working.afloat && !working.lost) {
            let (tree, mut any) = (&mut working.articulation.tree, false);
            for (link, &dense) in tree.links.iter().zip(&working.dense).filter(|(link, _)| link.parent == NONE) {
                let Some((about, shift, turn)) = motion(dense) else { continue };
                // The degrees of freedom of a free joint are along and about the axes of its frame on the world, at the origin of the link.
                let place = &link.joint_place;
                let [x, y, z] = [0, 1, 2].map(|k| tree.q[link.first_q as usize + k]);
                let at = place.point(Vec3::new(x, y, z));
                let into = place.rotation.transpose();
                let (along, turn) = (into * (shift + turn.cross(at - about)), into * turn);
                let change = along.to_array().into_iter().chain(turn.to_array());
                tree.qd[link.dofs()].iter_mut().zip(change).for_each(|(qd, change)| *qd += change);
                any = true;
            }
            if !any {
                continue;
            }
            moved.place::<Quad>(tree, &tree.q);
            moved.set_moving::<Quad>(tree, &tree.qd);
            for (link, &dense) in working.dense.iter().enumerate() {
                velocities[dense as usize] = working.articulation.body_state(moved, link).1;
            }
        }
    }

    /// Returns the trees to the world, and says where they were. One that has lost its way is back there, and stands.
    pub fn put_back(&mut self, state: &mut State, starts: &mut Starts) {
        starts.clear();
        // In the order in which they were taken, which is that of their slots: `starts` is searched by them, and the next step gives each tree the memory
        // that fits it.
        self.trees.iter_mut().for_each(|working| working.rank = working.taken);
        arrange(&mut self.trees);
        for working in &mut self.trees {
            starts.note(working.slot, &working.before);
            let lost = working.lost;
            let Some(home) = state.articulations.all.at_mut(working.slot) else {
                working.articulation = Articulation::default();
                continue;
            };
            core::mem::swap(&mut home.bodies, &mut working.articulation.bodies);
            core::mem::swap(&mut home.tree, &mut working.articulation.tree);
            if lost {
                home.tree.q.copy_from_slice(&working.before);
                home.tree.qd.fill(0.0);
            }
        }
        self.spare.append(&mut self.trees);
        self.spare.reverse();
        self.links.clear();
    }
}

/// What of a body takes part in rows.
fn end(links: &[[u32; 2]], state: &State, slot: u32) -> End {
    let dense = state.bodies.dense_at(slot);
    match links.get(dense) {
        Some(&[tree, link]) if tree != NONE => End::Link(tree, link),
        Some(_) => End::Body(dense as u32),
        None => End::Nothing,
    }
}

/// Puts each tree where it is to stand: as many swaps as trees at the most.
fn arrange(trees: &mut [Working]) {
    for i in 0..trees.len() {
        while trees[i].rank as usize != i {
            let place = trees[i].rank as usize;
            trees.swap(i, place);
        }
    }
}

/// Works on all parts that have trees, of which no two have the same.
fn for_parts(parts: &mut [Part], trees: &mut [Working], team: &Team, work: impl Fn(&mut Part, &mut [Working]) + Sync) {
    let ranges = || parts.iter().map(|part| &part.trees).filter(|trees| !trees.is_empty());
    debug_assert!(ranges().all(|a| ranges().filter(|b| a.start < b.end && b.start < a.end).count() == 1));
    // Parts that are not needed this time come last.
    let count = parts.iter().rposition(|part| !part.trees.is_empty()).map_or(0, |last| last + 1);
    let (parts, trees) = (Shared::new(parts), Shared::new(trees));
    team.for_blocks(count, |_, i| {
        // SAFETY: a block is given to one thread, and `deal_out` gives each tree to one part.
        let part = unsafe { parts.get(i) };
        // SAFETY: as above.
        let trees = unsafe { trees.range(part.trees.clone()) };
        if !trees.is_empty() {
            work(part, trees);
        }
    });
}

impl Working {
    /// Takes a tree on. [`Working::set_up`] is to follow.
    fn begin(&mut self, slot: u32, of: &mut Articulation) {
        self.slot = slot;
        self.before.clone_from(&of.tree.q);
        // What it had of another it has given back, and what that got for it is empty.
        debug_assert!(self.articulation.tree.links.is_empty() && self.articulation.bodies.is_empty());
        core::mem::swap(&mut self.articulation.tree, &mut of.tree);
        core::mem::swap(&mut self.articulation.bodies, &mut of.bodies);
        self.articulation.self_collision = of.self_collision;
        self.dense.clear();
        self.arrived.clear();
        (self.flies, self.steady, self.lost, self.yielded) = (false, false, false, false);
        (self.factored, self.renewed, self.behind) = (false, false, false);
    }

    /// Makes ready what is needed while somebody works on the tree, and gathers what acts on it.
    fn set_up(&mut self, bodies: &Bodies, loads: &Loads) {
        let n = self.articulation.tree.dofs.len();
        self.articulation.gather_loads(bodies, loads, &mut self.loads);
        self.qd_before.clone_from(&self.articulation.tree.qd);
        self.stands = !self.articulation.tree.floats();
        for list in [&mut self.extra, &mut self.tau, &mut self.offset] {
            list.clear();
            list.resize(n, 0.0);
        }
        self.springs.clear();
        self.ahead.clear();
        self.drives.clear();
    }

    /// Finds what its links weigh against each other, and which of its joints turn them: for one that does not fly.
    fn weigh(&mut self) {
        let n = self.articulation.tree.dofs.len();
        let masses = self.articulation.tree.links.iter().map(|l| l.mass).filter(|&m| m > 0.0);
        let (least, all) = masses.fold((f64::MAX, 0.0), |(least, all), m| (Num::min(m, least), all + m));
        (self.mass, self.spread) = (all, all / least);
        self.roots = self.articulation.tree.links.iter().filter(|l| l.parent().is_none()).count();
        let links = &self.articulation.tree.links;
        self.slides = links.iter().any(|link| link.kind.slides());
        self.turns.clear();
        self.turns.resize(n, 1.0);
        for link in links.iter().filter(|link| link.kind == Kind::Free) {
            self.turns[link.dofs()][..3].fill(0.0);
        }
        self.carried.clear();
        self.carried.extend(self.articulation.tree.links.iter().map(|l| l.mass / least));
        for (i, link) in self.articulation.tree.links.iter().enumerate().rev() {
            if let Some(parent) = link.parent() {
                self.carried[parent] += self.carried[i];
            }
        }
    }

    /// Changes places in memory with another for what is needed only while somebody works on a tree: it is set up anew for each.
    fn swap_room(&mut self, other: &mut Self) {
        swap(&mut self.pass, &mut other.pass);
        swap(&mut self.springs, &mut other.springs);
        swap(&mut self.departed, &mut other.departed);
        swap(&mut self.loads, &mut other.loads);
        swap(&mut self.untamed, &mut other.untamed);
        swap(&mut self.kept, &mut other.kept);
        swap(&mut self.kept_after, &mut other.kept_after);
        swap(&mut self.drives, &mut other.drives);
        swap(&mut self.qd_before, &mut other.qd_before);
        swap(&mut self.coming, &mut other.coming);
        swap(&mut self.ahead, &mut other.ahead);
        swap(&mut self.extra, &mut other.extra);
        swap(&mut self.tau, &mut other.tau);
        swap(&mut self.offset, &mut other.offset);
        swap(&mut self.carried, &mut other.carried);
        swap(&mut self.turns, &mut other.turns);
        swap(&mut self.ride, &mut other.ride);
    }

    /// Notes where its links are, and how they move; or that it has lost its way.
    fn arrive(&mut self) {
        self.lost |= self.is_lost();
        let Self { articulation, pass, arrived, .. } = self;
        arrived.clear();
        arrived.extend((0..articulation.tree.links.len()).map(|link| articulation.body_state(pass, link)));
    }

    /// Finds out whether a kick needs its velocities, and whether it falls as a whole.
    fn look_at_loads(&mut self, bodies: &Bodies, loads: &Loads) {
        let Self { articulation, loads: of_links, .. } = self;
        let tree = &articulation.tree;
        let undamped = of_links.iter().all(|l| l.linear_damping == 0.0 && l.angular_damping == 0.0);
        self.steady = undamped && tree.is_slack();
        let scale = |&slot: &u32| f64::from(bodies.params[bodies.dense_at(slot)].gravity_scale);
        let scale = articulation.bodies.first().map_or(0.0, scale);
        let falls = |(link, load): (&Link, &Load)| {
            load.force == loads.gravity.to_f64() * (link.mass * scale) && load.torque == Vec3::ZERO
        };
        // What turns with a motor of the root does not fall.
        let loose = |link: &Link| link.parent != NONE || tree.dofs[link.dofs()].iter().all(|dof| dof.armature == 0.0);
        let whole = self.steady
            && tree.floats()
            && tree.dofs.iter().all(|dof| dof.force == 0.0)
            && tree.links.iter().all(loose)
            && tree.links.iter().zip(&*of_links).all(falls);
        self.falls = whole.then(|| loads.gravity.to_f64() * scale);
    }

    /// Takes the damping of its links at the end of a kick of h, so that none is too strong: c/(1 + h c) instead of c, which leaves 1/(1 + h c) of a
    /// velocity, as with free bodies.
    fn tame(&mut self, h: f64) {
        for load in &mut self.loads {
            for c in [&mut load.linear_damping, &mut load.angular_damping] {
                *c /= 1.0 + h * *c;
            }
        }
    }

    /// Kicks the tree. One that this makes lose its way stands for the rest of the step, so that nothing it touches catches it.
    fn launch(&mut self, h: f64) {
        self.isa.dispatch(Kick { working: self, h });
        self.stand_if_lost();
    }

    /// Lets a tree that has lost its way stand for the rest of the step.
    fn stand_if_lost(&mut self) {
        if self.is_lost() {
            self.lost = true;
            self.articulation.tree.qd.fill(0.0);
        }
    }

    /// Finds what is next to nothing for it in a sub-step of h.
    fn listen(&mut self, h: f64) {
        let kick = self.loads.iter().fold(Vec3::ZERO, |sum, l| sum + l.force).length_squared() * h * h;
        let shares = [Num::min(QUIET, 1.0 / self.spread), QUIET_AMONG_OTHERS];
        self.quiet = shares.map(|share| if self.mass > 0.0 { share * kick / self.mass } else { 0.0 });
    }

    /// The tree has moved too far since it was factored.
    ///
    /// Impulses leave what is heavy where it is. After a turn of a link by θ, the velocities along the joints that do so move what hangs on
    /// it by θ of what they move the light links, and at most θ² m/m_light is the share of energy that comes of it, m being the mass of
    /// the link and of all that hangs on it: an arm that flails carries itself alone. Counted is the largest θ √(m/m_light).
    fn is_worn(&self) -> bool {
        let most = if self.bounces { BOUNCE_WORN } else { WORN };
        !self.factored || self.roots > 1 || !(self.worn * self.worn < most)
    }

    /// M̃ where the tree is after a drift.
    #[inline(always)]
    fn factor<P: Packed>(&mut self) {
        self.pass.factor::<P>(&self.articulation.tree, Some(&self.extra));
        (self.factored, self.renewed, self.worn) = (true, true, 0.0);
    }

    /// Coordinates or rates are no numbers, or such that poses and velocities of links might not be.
    fn is_lost(&self) -> bool {
        let tree = &self.articulation.tree;
        !tree.q.iter().chain(&tree.qd).all(|v| v.abs() < FAST_AT_MOST)
    }

    /// Its joints have no motors, and springs and dampers so soft that explicit steps follow them, as they must the damping of its links.
    fn is_smooth(&mut self, dt: f64) -> bool {
        let tree = &self.articulation.tree;
        if self.loads.iter().any(|l| Num::max(l.linear_damping, l.angular_damping) * dt >= SOFT) {
            return false;
        }
        if tree.dofs.iter().any(|d| d.motor.is_on()) {
            return false;
        }
        if tree.dofs.iter().all(|d| d.damping == 0.0 && d.stiffness == 0.0) {
            return true;
        }
        self.pass.place::<Quad>(tree, &tree.q);
        self.pass.factor::<Quad>(tree, None);
        tree.dofs.iter().zip(&self.pass.columns).all(|(d, c)| (d.damping + d.stiffness * dt) * dt * c.inverse < SOFT)
    }

    /// The kick of a step that is one solve.
    pub fn start(&mut self, h: f64) {
        self.weigh();
        self.pass.place::<Quad>(&self.articulation.tree, &self.articulation.tree.q);
        self.tame(h);
        self.launch(h);
        self.pass.set_moving::<Quad>(&self.articulation.tree, &self.articulation.tree.qd);
    }

    /// q ← q + h u, at velocities that are not the tree's own.
    pub fn shift(&mut self, u: &[f64], h: f64) {
        let tree = &mut self.articulation.tree;
        if u.iter().any(|&u| u != 0.0) {
            tree.advance(u, h);
            self.pass.place::<Quad>(tree, &tree.q);
        }
    }

    /// [`Working::launch`] for one that is steady and whose quasi-velocities are z; those that rows have `taken` count from.
    #[inline(always)]
    pub fn kick_on<P: Packed>(&mut self, h: f64, z: &mut [f64], taken: &mut [f64]) {
        let Self { articulation, pass, loads, drives, falls, .. } = self;
        let tree = &mut articulation.tree;
        if !drives.is_empty() {
            pass.drive_on::<P>(tree, loads, h, drives);
        }
        match *falls {
            Some(g) => pass.push_whole(tree, g * h, z),
            None => pass.push_loads::<P>(tree, loads, |k| tree.dofs[k].force, h, z),
        }
        // That is L q̇, which is all that is at hand. q̇ itself is looked at before the drift.
        if !z.iter().zip(&pass.columns).all(|(z, column)| (z * column.root).abs() < FAST_AT_MOST) {
            self.lost = true;
            for list in [z, taken, &mut tree.qd[..]] {
                list.fill(0.0);
            }
        }
    }

    /// q̇ ← q̇ + h M̃⁻¹ τ, with motors that pull with all they have where they would have to pull more.
    #[inline(always)]
    fn kick<P: Packed>(&mut self, h: f64) {
        self.accelerate::<P>(h);
        for (qd, column) in self.articulation.tree.qd.iter_mut().zip(&self.pass.columns) {
            *qd += h * column.acceleration;
        }
    }

    /// M̃⁻¹ τ of a kick of h, where the tree is.
    #[inline(always)]
    fn accelerate<P: Packed>(&mut self, h: f64) {
        let Self { articulation, pass, loads, extra, tau, springs, drives, .. } = self;
        let tree = &articulation.tree;
        let (mut factored, mut renewed) = (self.factored, self.renewed);
        springs.gather(tree, h);
        springs.reach(tree);
        if springs.is_unweighed() {
            pass.factor::<P>(tree, None);
            springs.weigh(tree, &pass.columns);
            factored = false;
        }
        springs.lean(tree, h);
        // Velocities matter to what is damped alone.
        if loads.iter().any(|l| l.linear_damping != 0.0 || l.angular_damping != 0.0) {
            pass.set_moving::<P>(tree, &tree.qd);
        }
        pass.drive_on::<P>(tree, loads, h, drives);
        for round in 1..=ROUNDS {
            factored &= !springs.draw(&tree.qd, h, tau, extra);
            if !factored {
                pass.factor::<P>(tree, Some(extra));
                (factored, renewed, self.worn) = (true, true, 0.0);
            }
            pass.set_bias::<P>(tree, Some(loads), false);
            pass.accelerate::<P>(tree, |k| tau[k], false);
            // What motors are said to give stays what they have given.
            if round == ROUNDS || !springs.saturate(&tree.qd, &pass.columns, h) {
                break;
            }
        }
        (self.factored, self.renewed) = (factored, renewed);
    }

    /// Some motor of it may give way to its rows.
    pub fn may_yield(&self) -> bool {
        self.springs.is_limited() && !self.lost
    }

    /// Motors by what the rows of a sub-step of h have led to: see `springs`. Whether any gives other than before; the rows are to be solved again, if there
    /// is time. Without `release`, none pulls with less than all it has that did so.
    pub fn yield_motors(&mut self, h: f64, release: bool) -> bool {
        if !self.may_yield() {
            return false;
        }
        let Self { articulation, springs, tau, extra, .. } = self;
        let changed = springs.yield_to(&articulation.tree.qd, h, release, tau, extra);
        if changed {
            self.strike();
            (self.factored, self.renewed, self.worn) = (true, true, 0.0);
        }
        changed
    }

    /// Finds how fast the tree may be within a step of dt, where something drives it to limits. These have to be chosen before the first kick, and
    /// from rest a servo goes far in a step.
    #[inline(always)]
    fn foresee<P: Packed>(&mut self, dt: f64) {
        let tree = &self.articulation.tree;
        self.pass.place::<P>(tree, &tree.q);
        // Their damping is tamed for sub-steps later.
        self.untamed.clone_from(&self.loads);
        self.tame(dt);
        self.accelerate::<P>(dt);
        core::mem::swap(&mut self.untamed, &mut self.loads);
        let columns = self.articulation.tree.qd.iter().zip(&self.pass.columns);
        self.ahead.extend(columns.map(|(qd, column)| qd + dt * column.acceleration));
        // All of it was for another length of time.
        self.springs.clear();
        (self.factored, self.renewed) = (false, false);
    }
}

/// The velocity of a free body.
pub(super) fn velocity(motion: &Motion) -> (Vec3<f64>, Vec3<f64>) {
    let (v, w) = motion::velocity_of(motion);
    (v.to_f64(), w.to_f64())
}

/// What is done to a tree at once, compiled for each set of instructions.
struct Kick<'a> {
    working: &'a mut Working,
    h: f64,
}

impl Kernel for Kick<'_> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lane>(self) {
        self.working.kick::<L::Packed>(self.h);
    }
}

struct Foresee<'a> {
    working: &'a mut Working,
    dt: f64,
}

impl Kernel for Foresee<'_> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lane>(self) {
        self.working.foresee::<L::Packed>(self.dt);
    }
}

struct Factor<'a>(&'a mut Working);

impl Kernel for Factor<'_> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lane>(self) {
        self.0.factor::<L::Packed>();
    }
}
