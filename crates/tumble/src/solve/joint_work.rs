//! Joints in the sub-steps of soft step.
//!
//! Joints are evaluated where the bodies are: at the start, and after every advance of the poses, with the true orientations and inertias
//! there; so a fast pendulum keeps its length. The same evaluation serves the relaxing pass of one sub-step and the
//! warm start and pushing pass of the next, since the bodies stand still in between.
//!
//! ```text
//!   evaluate                                             rows, K, compliance
//!   repeat:  warm start │ solve, pushing │ (advance) evaluate │ solve, relaxing
//! ```
//!
//! A row as hard as the method makes it is a soft constraint in the pushing pass, as contacts are, and a hard one without push
//! in the relaxing pass. Springs act in the pushing pass only, by the impulse that the implicit step gives them:
//!
//! ```text
//!   λ = -h (k (C + h Ċ') + c Ċ')   ⇔   Ċ' + k C/(c + h k) + Γ λ = 0,   Γ = 1/(h (c + h k))
//! ```
//!
//! Balls, hinges and fixed joints are solved in lanes (`joint_group`, `joint_kernel`), webs of balls that carry much as a whole
//! (`point_web`). All others, and those of other webs (`joint_web`), are solved row by row (`joint_link`); the two ways do the same, but that joints in lanes share
//! their effort (`joint_load`) with the others of their group.

use super::contact_constraint::Soft;
use super::graph::OVERFLOW;
use super::joint_block::{self, Demand, entry};
use super::joint_group::{Entry, Form, JointGroups};
use super::joint_kernel::{Hold as HoldGroups, Place, WarmStart, WarmStartAgain};
use super::joint_link::{
    Answer, Ends, HeldPoint, Link, NO_ANSWER, hold, inverted, is_point, respond, soften, solve_point, solve_rows,
};
use super::joint_load::{Effort, Strain};
use super::joint_pull::Pulled;
use super::joint_seat::{Anchor, Seat, entry_of, note_load, store_lane, twist_of};
use super::joint_web::{self, Webs};
use super::motion::{self, Free, Kicks, Mass, Motion};
use super::point_web::PointWebs;
use super::turning::Turning;
use super::web_search::{Search, Tie};
use crate::body::Locks;
use crate::constraint::contact::NONE;
use crate::constraint::joint::store::Joint;
use crate::constraint::{Bound, Frames, Row, Rows};
use crate::crew::Team;
use crate::math::{Isa, NO_ROW, Real, Sym3, Vec3};
use crate::method::JointSolve;
use crate::world::State;
use core::sync::atomic::AtomicU32;

/// Speed at which joints bring lost bodies back at most, in push speeds of contacts.
pub(crate) const HOLD_SPEED: Real = 8.0;

/// How the joints of a step are solved.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Recipe {
    pub soft: Soft,
    pub h: Real,
    /// Speed at which a limit that is overrun is left at most.
    pub push_speed: Real,
    /// Speed at which bodies that a joint has lost are brought back at most; metres or radians per second.
    pub hold_speed: Real,
    pub choice: JointSolve,
    pub warm_start: bool,
    pub isa: Isa,
}

/// A sweep over joints: see `joint_load`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sweep {
    /// Only joints that ask for so many more sweeps take part.
    pub round: u32,
    /// The one among the contacts: the only one for what stands beside webs.
    pub first: bool,
    /// The last of a pass, for all.
    pub last: bool,
}

/// All joints of a step. Kept between steps for its memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct JointWork {
    groups: JointGroups,
    /// Joints that are solved row by row.
    links: Vec<Link>,
    /// Links `ranges[c]..ranges[c + 1]` have colour c.
    ranges: Vec<u32>,
    rows: Vec<Row>,
    answers: Vec<Answer>,
    /// K of each link, packed.
    entries: Vec<Real>,
    /// Rows of one joint while it is evaluated.
    fresh: Rows,
    /// Awake bodies that joints act on, once each, and what the joints know of them.
    pub bodies: Vec<u32>,
    anchors: Vec<Anchor>,
    /// By body: its place among them, or [`NO_ROW`].
    listed: Vec<u32>,
    turning: Turning,
    /// Joints whose motors may still change: their bodies stay awake.
    pub busy: Vec<u32>,
    pub overloaded: Vec<u32>,
    /// All joints, in the order of their slots, and what they are to the search. While these are as in the step before, so are the places
    /// below.
    seats: Vec<Seat>,
    ties: Vec<Tie>,
    /// The joints of the world and the lanes agree: they have been stored, and whoever touches them tells.
    stored: bool,
    /// By seat: the lane of a joint in a group, or the link.
    places: Vec<u32>,
    /// By slot: its seat.
    seat_of: Vec<u32>,
    /// The seats of the links, those with a side that does not move, and those of kinds that lanes do not know.
    apart: Vec<u32>,
    moored: Vec<u32>,
    /// The bodies in webs that are solved as a whole and made fast to what joints cannot move.
    held: Vec<u32>,
    formless: Vec<u32>,
    search: Search,
    webs: Webs,
    points: PointWebs,
    pulled: Pulled,
    /// The most sweeps beyond those of all that a joint asks for.
    rounds: u32,
}

/// When joints are evaluated.
#[derive(Clone, Copy, Debug)]
pub(crate) struct When {
    pub time: f64,
    /// At the start of a step.
    pub first: bool,
}

impl JointWork {
    /// The bodies that joints tie to something that does not move; some of them several times.
    pub fn moored_bodies(&self) -> impl Iterator<Item = u32> {
        let bodies = self.moored.iter().flat_map(|&seat| self.ties[seat as usize].bodies);
        bodies.filter(|&body| body != NO_ROW)
    }

    /// There are no joints in the step.
    pub fn is_empty(&self) -> bool {
        self.seats.is_empty()
    }

    /// Takes the acting joints of the graph, and marks the masses of bodies that webs hold. Two passes over the joints; over their bodies and lanes
    /// alone, where nobody has touched either.
    pub fn take(&mut self, state: &State, masses: &mut [Mass], recipe: &Recipe) {
        let known = core::mem::take(&mut self.stored) && !state.joints.all.is_touched() && recipe.warm_start;
        if !(known && self.keep_lanes(state, masses.len(), recipe)) {
            self.bodies.clear();
            self.anchors.clear();
            self.listed.clear();
            self.listed.resize(masses.len(), NO_ROW);
            if !self.take_seats(state, known, masses.len(), recipe) {
                self.deal(state, masses.len(), recipe);
            }
            let seats = || self.seats.iter().enumerate();
            self.moored.clear();
            self.moored.extend(seats().filter(|(_, seat)| seat.moorings.fixed != [false; 2]).map(|(i, _)| i as u32));
            self.formless.clear();
            self.formless.extend(seats().filter(|(_, seat)| seat.form.is_none()).map(|(i, _)| i as u32));
        }
        for &body in &self.held {
            motion::set_held(&mut masses[body as usize]);
        }
    }

    /// Counts the joints that were taken as supports of their bodies, and prepares those that lanes do not hold. With `kicks` the angular momentum of the
    /// bodies is kept.
    pub fn prepare(
        &mut self,
        state: &State,
        motions: &mut [Motion],
        masses: &mut [Mass],
        supports: &mut [u32],
        kicks: Option<&mut Kicks>,
        recipe: &Recipe,
    ) {
        self.links.clear();
        self.rows.clear();
        self.answers.clear();
        self.entries.clear();
        self.busy.clear();
        self.overloaded.clear();
        for (&body, anchor) in self.bodies.iter().zip(&self.anchors) {
            let i = body as usize;
            // Contacts have been counted already.
            motion::set_jointed_only(&mut masses[i], supports[i] == 0);
            supports[i] += anchor.supports;
            motion::set_rotation(&mut motions[i], state.bodies.pose[i].rotation);
        }
        for seat in &self.formless {
            let slot = self.seats[*seat as usize].slot;
            if state.joints.all.at(slot).is_some_and(|j| j.kind.changes_after(state.time)) {
                self.busy.push(slot);
            }
        }
        for i in 0..self.apart.len() {
            let slot = self.seats[self.apart[i] as usize].slot;
            if let Some(joint) = state.joints.all.at(slot) {
                self.add(state, slot, joint, recipe);
            }
        }
        self.webs.prepare(&mut self.links, &self.rows, &self.search, &self.points, &self.places);
        self.turning.prepare(state, &self.bodies, kicks, recipe.h);
    }

    /// Where nobody has touched a body that joints hold since the step before, the joints keep their lanes, and these learn where the bodies
    /// are; `false` where somebody has, and nothing is done. One pass over the bodies, one over the lanes.
    fn keep_lanes(&mut self, state: &State, bodies: usize, recipe: &Recipe) -> bool {
        let same = self.search.is_for(bodies, recipe.choice)
            && self.bodies.iter().zip(&self.anchors).all(|(&body, anchor)| anchor.is_now(&state.bodies, body))
            && self.moored.iter().map(|&i| &self.seats[i as usize]).all(|s| s.moorings(&state.bodies) == s.moorings);
        if !same {
            return false;
        }
        let Self { seats, seat_of, groups, points, .. } = self;
        let twist = |slot: u32| twist_of(state, &seats[seat_of[slot as usize] as usize]);
        groups.begin(&state.bodies.pose, twist);
        points.groups.begin(&state.bodies.pose, twist);
        for i in 0..self.moored.len() {
            self.seat(self.moored[i] as usize, |seat| entry_of(state, seat, None));
        }
        true
    }

    /// Lists the joints in the order of their slots, which is that of memory, and puts them into their lanes if these are the
    /// same as in the step before; `false` where they are not. Those that are `known` are not even looked at.
    fn take_seats(&mut self, state: &State, known: bool, bodies: usize, recipe: &Recipe) -> bool {
        let mut same = self.search.is_for(bodies, recipe.choice);
        if known {
            for i in 0..self.seats.len() {
                let mut seat = self.seats[i];
                let tie = self.tie(state, &mut seat);
                same &= self.seats[i].is_like(&seat) && self.ties[i] == tie;
                (self.seats[i], self.ties[i]) = (seat, tie);
                if same {
                    self.seat(i, |seat| entry_of(state, seat, None));
                }
            }
            return same;
        }
        let mut count = 0;
        for slot in 0..state.joints.all.capacity() as u32 {
            let Some(joint) = state.joints.all.at(slot).filter(|j| j.colour != NONE) else { continue };
            let mut seat = Seat::new(slot, joint);
            let tie = self.tie(state, &mut seat);
            if count == self.seats.len() {
                self.seats.push(seat);
                self.ties.push(tie);
                same = false;
            }
            same &= self.seats[count].is_like(&seat) && self.ties[count] == tie;
            (self.seats[count], self.ties[count]) = (seat, tie);
            if same {
                self.seat(count, |seat| entry_of(state, seat, Some((joint, recipe))));
            }
            count += 1;
        }
        same &= count == self.seats.len();
        self.seats.truncate(count);
        self.ties.truncate(count);
        same
    }

    /// Puts a joint into its lane, if it has one.
    fn seat<'a>(&mut self, at: usize, entry: impl FnOnce(&Seat) -> Entry<'a>) {
        let groups = match (self.points.has(at), self.search.is_whole(at)) {
            (true, _) => &mut self.points.groups,
            (false, true) => return,
            (false, false) => &mut self.groups,
        };
        let seat = &self.seats[at];
        if let Some(form) = seat.form() {
            groups.set(form, self.places[at], &entry(seat));
        }
    }

    /// Finds webs, and deals joints out to groups, colour by colour.
    fn deal(&mut self, state: &State, bodies: usize, recipe: &Recipe) {
        self.search.find(&self.ties, bodies, recipe.choice);
        self.held.clear();
        for web in self.search.webs() {
            let ties = || web.iter().map(|&tie| self.ties[tie as usize].bodies);
            if ties().any(|bodies| bodies.contains(&NO_ROW)) {
                self.held.extend(ties().flatten().filter(|&body| body != NO_ROW));
            }
        }
        self.points.pick(&self.search, &self.seats);
        self.groups.clear();
        self.ranges.clear();
        self.apart.clear();
        self.places.clear();
        self.places.resize(self.seats.len(), NO_ROW);
        self.seat_of.clear();
        self.seat_of.resize(state.joints.all.capacity(), NO_ROW);
        for (seat, s) in self.seats.iter().enumerate() {
            self.seat_of[s.slot as usize] = seat as u32;
        }
        for (c, colour) in state.graph.colours.iter().enumerate() {
            self.ranges.push(self.apart.len() as u32);
            self.groups.begin_colour();
            self.points.groups.begin_colour();
            for &slot in &colour.joints {
                let seat = self.seat_of[slot as usize];
                if seat == NO_ROW {
                    continue;
                }
                self.places[seat as usize] = match self.seats[seat as usize].form() {
                    Some(form) if self.points.has(seat as usize) => self.points.groups.deal(form, c == OVERFLOW),
                    Some(form) if !self.search.is_whole(seat as usize) => self.groups.deal(form, c == OVERFLOW),
                    _ => {
                        self.apart.push(seat);
                        self.apart.len() as u32 - 1
                    }
                };
            }
        }
        self.ranges.push(self.apart.len() as u32);
        self.groups.begin_colour();
        self.points.groups.begin_colour();
        for at in 0..self.seats.len() {
            if let Some(joint) = state.joints.all.at(self.seats[at].slot) {
                self.seat(at, |seat| entry_of(state, seat, Some((joint, recipe))));
            }
        }
        self.points.arrange(&self.search, &self.ties, &self.places);
    }

    /// Notes whom a joint ties to whom, and whether lanes can hold it: not with a body that is locked along an axis, nor with one that
    /// has a velocity and yet does not move.
    fn tie(&mut self, state: &State, seat: &mut Seat) -> Tie {
        let mut tie = Tie { bodies: [NO_ROW; 2], masses: [0.0; 2] };
        seat.moorings = seat.moorings(&state.bodies);
        seat.plain = seat.moorings.still;
        for side in (0..2).filter(|&side| !seat.moorings.fixed[side]) {
            let i = state.bodies.dense_at(seat.bodies[side]);
            if self.listed[i] == NO_ROW {
                self.listed[i] = self.bodies.len() as u32;
                self.bodies.push(i as u32);
                self.anchors.push(Anchor::new(&state.bodies, i));
            }
            self.anchors[self.listed[i] as usize].supports += seat.supports;
            let params = &state.bodies.params[i];
            if params.inv_mass > 0.0 {
                let free = params.locks().free_move();
                seat.plain &= params.locks() == Locks::NONE;
                (tie.bodies[side], tie.masses[side]) = (i as u32, inverted((free * params.inv_mass).max_component()));
            }
        }
        tie
    }

    /// Adds a joint that is solved row by row.
    fn add(&mut self, state: &State, slot: u32, joint: &Joint, recipe: &Recipe) {
        let mut frames = state.joint_frames(joint);
        frames.memory = joint.kind.constraint().remember(&frames);
        let holds = [(0, frames.a), (1, frames.b)].map(|(side, frame)| hold(state, joint, side, frame));
        self.fresh.clear();
        joint.rows(&frames, &mut self.fresh);
        let n = self.fresh.len();
        let link = Link {
            joint: slot,
            holds,
            first_row: self.rows.len() as u32,
            row_count: n as u32,
            first_entry: self.entries.len() as u32,
            memory: frames.memory,
            whole: false,
            point: None,
            effort: Effort::NONE,
            reaches: joint.kind.holds_along_axes(),
            applied: [Vec3::ZERO; 4],
            impulse: Vec3::ZERO,
            turn_impulse: Vec3::ZERO,
        };
        for (i, row) in self.fresh.as_slice().iter().enumerate() {
            let impulse = if recipe.warm_start { joint.impulses[i] } else { 0.0 };
            self.rows.push(Row { impulse, ..*row });
            let approach = row.jacobian.velocity(frames.a.linear, frames.a.angular, frames.b.linear, frames.b.angular);
            self.answers.push(Answer { approach, ..NO_ANSWER });
        }
        self.entries.resize(self.entries.len() + n * (n + 1) / 2, 0.0);
        self.links.push(link);
    }

    /// Rows, responses and compliances where the bodies are now. One pass over the joints, two over those of webs.
    pub fn evaluate(
        &mut self,
        state: &State,
        motions: &mut [Motion],
        free: &mut [Free],
        masses: &[Mass],
        recipe: &Recipe,
        when: When,
        team: &Team,
    ) {
        if self.is_empty() {
            return;
        }
        if !self.webs.is_empty() || !self.points.is_empty() {
            self.pulled.begin(masses.len(), when.first);
            for link in self.links.iter().filter(|link| link.whole) {
                let rows = &self.rows[link.first_row as usize..][..link.row_count as usize];
                link.pull(&mut self.pulled, rows, motions, recipe.h);
            }
            self.points.pull(&mut self.pulled, motions, recipe.h);
            self.pulled.settle(motions, free, masses, when.first);
        }
        let most = AtomicU32::new(0);
        let place = Place { isa: recipe.isa, recipe, masses, whole: false, rounds: &most };
        self.groups.each(None, false, motions, team, &place);
        if !self.points.is_empty() {
            self.points.evaluate(motions, masses, &self.pulled, recipe, team);
        }
        let Self { links, rows, answers, entries, fresh, webs, rounds, pulled, .. } = self;
        *rounds = most.into_inner();
        for link in links.iter_mut() {
            let Some(joint) = state.joints.all.at(link.joint) else { continue };
            let frames = Frames {
                a: link.holds[0].frame(motions),
                b: link.holds[1].frame(motions),
                time: when.time,
                memory: link.memory,
            };
            fresh.clear();
            joint.rows(&frames, fresh);
            let n = link.row_count as usize;
            let rows = &mut rows[link.first_row as usize..][..n];
            let answers = &mut answers[link.first_row as usize..][..n];
            for (i, row) in rows.iter_mut().enumerate() {
                // A constraint that writes fewer rows than it began with asks for nothing with the rest.
                let new = fresh.as_slice().get(i).copied().unwrap_or(Row::IDLE);
                // What is no number holds nothing.
                let sound = new.jacobian.is_finite() && new.error.is_finite() && new.target.is_finite();
                *row = if sound { Row { impulse: row.impulse, ..new } } else { Row::IDLE };
            }
            let turns = [0, 1].map(|side: usize| match &link.holds[side] {
                hold if !hold.dynamic => Sym3::ZERO,
                hold if link.whole => pulled.inertia(hold.body, masses),
                hold => motion::inertia_of(&masses[hold.body as usize]),
            });
            respond(rows, answers, &mut entries[link.first_entry as usize..], &link.holds, turns);
            let k = &entries[link.first_entry as usize..];
            let limited = !rows.iter().all(joint_web::holds) || link.holds.iter().any(|hold| hold.locked);
            let arms = || link.holds.iter().map(|hold| hold.free_arm(motions).length()).sum();
            let strain = Strain {
                most: soften(rows, answers, k, link.whole, (!limited).then(arms), recipe),
                touched: link.holds.iter().any(|hold| hold.is_touched(masses)),
                limited,
            };
            // Whole webs have no sweeps but the first.
            link.effort = if link.whole { Effort::NONE } else { Effort::new(&strain) };
            *rounds = link.effort.rounds.max(*rounds);
            let point = is_point(rows, link.whole, limited).then(|| HeldPoint::new(k, strain.most, recipe));
            link.point = point.flatten();
        }
        if !webs.is_empty() {
            webs.factorise(links, rows, answers, entries);
        }
    }

    /// What acts on bodies in a later sub-step, as they are turned then.
    pub fn kick_again(&mut self, state: &State, motions: &[Motion], kicks: Option<&mut Kicks>, recipe: &Recipe) {
        if let Some(kicks) = kicks {
            self.turning.kick_again(state, motions, kicks, recipe.h);
        }
    }

    /// Applies the impulses that the joints of a colour carry.
    pub fn warm_start(&mut self, colour: usize, motions: &mut [Motion], recipe: &Recipe, team: &Team) {
        let Some(&[from, to]) = self.ranges.get(colour..colour + 2) else { return };
        for link in from as usize..to as usize {
            self.warm_start_one(link, motions, &[]);
        }
        for groups in [&mut self.groups, &mut self.points.groups] {
            groups.each(Some(colour), colour == OVERFLOW, motions, team, &WarmStart(recipe.isa));
        }
    }

    /// The same in a later sub-step, for all joints: the bodies have been given once more what was done to them in the last one,
    /// but the rows have turned with the bodies since, so what is applied is the difference; or all of it where the bodies are free.
    pub fn warm_start_again(&mut self, motions: &mut [Motion], masses: &[Mass], recipe: &Recipe, team: &Team) {
        if self.is_empty() {
            return;
        }
        for link in 0..self.links.len() {
            self.warm_start_one(link, motions, masses);
        }
        let again = WarmStartAgain { isa: recipe.isa, masses };
        for groups in [&mut self.groups, &mut self.points.groups].into_iter().filter(|groups| !groups.is_empty()) {
            for colour in 0..=OVERFLOW {
                groups.each(Some(colour), colour == OVERFLOW, motions, team, &again);
            }
        }
    }

    fn warm_start_one(&mut self, index: usize, motions: &mut [Motion], masses: &[Mass]) {
        let link = &mut self.links[index];
        let n = link.row_count as usize;
        let rows = &self.rows[link.first_row as usize..][..n];
        let answers = &self.answers[link.first_row as usize..][..n];
        let mut total = Ends { v: [Vec3::ZERO; 4] };
        for (row, answer) in rows.iter().zip(answers) {
            total.push(answer, row.impulse);
        }
        let mut ends = Ends::load(&link.holds, motions);
        for i in 0..4 {
            // What is free has not been given anything.
            let free = masses.get(link.holds[i / 2].body as usize).is_some_and(motion::is_jointed_only);
            ends.v[i] += if free { total.v[i] } else { total.v[i] - link.applied[i] };
        }
        link.applied = total.v;
        ends.store(&link.holds, motions);
    }

    /// Makes the joints of a colour hold, with or without the push towards C = 0.
    pub fn solve(&mut self, colour: usize, motions: &mut [Motion], push: bool, recipe: &Recipe, team: &Team) {
        let Some(&[from, to]) = self.ranges.get(colour..colour + 2) else { return };
        let sweep = Sweep { round: 0, first: true, last: false };
        self.sweep(colour, from..to, motions, push, sweep, recipe, team);
    }

    /// One sweep over the joints of a colour, and of a range of links.
    #[allow(clippy::too_many_arguments)]
    fn sweep(
        &mut self,
        colour: usize,
        links: core::ops::Range<u32>,
        motions: &mut [Motion],
        push: bool,
        sweep: Sweep,
        recipe: &Recipe,
        team: &Team,
    ) {
        for link in links.start as usize..links.end as usize {
            let Link { effort, whole, .. } = self.links[link];
            let quiet = sweep.first && !push && effort.quiet;
            if if whole { sweep.first } else { effort.rounds >= sweep.round && !quiet } {
                self.solve_one(link, motions, push, if sweep.last { 1.0 } else { effort.relaxation }, recipe);
            }
        }
        let hold = HoldGroups { isa: recipe.isa, recipe, push, sweep };
        self.groups.each(Some(colour), colour == OVERFLOW, motions, team, &hold);
    }

    fn solve_one(&mut self, index: usize, motions: &mut [Motion], push: bool, relaxation: Real, recipe: &Recipe) {
        let link = &mut self.links[index];
        let n = link.row_count as usize;
        let rows = &mut self.rows[link.first_row as usize..][..n];
        let answers = &mut self.answers[link.first_row as usize..][..n];
        let k = &self.entries[link.first_entry as usize..];
        let mut ends = Ends::load(&link.holds, motions);
        let before = ends.v;
        match (n, link.point) {
            (0, _) => return,
            (3, Some(point)) => solve_point(rows, answers, &point, &mut ends, push, relaxation),
            (1..=3, _) => solve_rows::<3>(rows, answers, k, link.whole, &mut ends, push, relaxation, recipe),
            (4..=6, _) => solve_rows::<6>(rows, answers, k, link.whole, &mut ends, push, relaxation, recipe),
            (7..=12, _) => solve_rows::<12>(rows, answers, k, link.whole, &mut ends, push, relaxation, recipe),
            _ => solve_rows::<{ Rows::MAX }>(rows, answers, k, link.whole, &mut ends, push, relaxation, recipe),
        }
        for i in 0..4 {
            link.applied[i] += ends.v[i] - before[i];
        }
        ends.store(&link.holds, motions);
    }

    /// Makes all joints hold again, after the contacts, at least once: one by one, and webs at once. Without it a limb that hits the floor
    /// would be torn out of its socket for a moment, since the contact has the last word.
    pub fn solve_again(&mut self, motions: &mut [Motion], push: bool, recipe: &Recipe, team: &Team) {
        if self.is_empty() {
            return;
        }
        let more = (1..=self.rounds).map(|round| Sweep { round, first: false, last: false });
        for sweep in more.chain([Sweep { round: 0, first: false, last: true }]) {
            let colours = if self.links.is_empty() && self.groups.is_empty() { 0 } else { OVERFLOW + 1 };
            for colour in 0..colours {
                let Some(&[from, to]) = self.ranges.get(colour..colour + 2) else { break };
                self.sweep(colour, from..to, motions, push, sweep, recipe, team);
            }
        }
        let Self { links, rows, answers, webs, .. } = self;
        if !webs.is_empty() {
            webs.solve(links, rows, answers, motions, push);
        }
        self.points.solve(motions, push);
    }

    /// Adds what the sub-step has done to the body B of each joint, about the origin of its frame.
    pub fn record(&mut self, motions: &[Motion]) {
        for link in &mut self.links {
            let arm = link.holds[1].arm(motions);
            for row in &self.rows[link.first_row as usize..][..link.row_count as usize] {
                let (p, t) = (row.jacobian.linear_b * row.impulse, row.jacobian.angular_b * row.impulse);
                link.impulse += p;
                link.turn_impulse += t - arm.cross(p);
            }
        }
    }

    /// Limits that were hit bounce back, J u = -e J u⁻, while what the same joint holds goes on holding. One pass over the joints.
    pub fn bounce(&mut self, motions: &mut [Motion], threshold: Real) {
        for link in &self.links {
            let n = link.row_count as usize;
            let rows = &mut self.rows[link.first_row as usize..][..n];
            let answers = &self.answers[link.first_row as usize..][..n];
            let k = &self.entries[link.first_entry as usize..];
            let bounces = |(row, answer): (&Row, &Answer)| {
                row.restitution > 0.0 && answer.pushed && answer.approach <= -threshold
            };
            if !rows.iter().zip(answers).any(bounces) {
                continue;
            }
            let mut ends = Ends::load(&link.holds, motions);
            let mut demands = [Demand::default(); Rows::MAX];
            let mut count = 0;
            for (i, (row, answer)) in rows.iter().zip(answers).enumerate() {
                let wanted = match bounces((row, answer)) {
                    true => -row.restitution * answer.approach,
                    false if joint_web::holds(row) => row.target,
                    false => continue,
                };
                if k[entry(i, i)] > 0.0 {
                    let (rhs, impulse) = (ends.along(row) - wanted, row.impulse);
                    let low = if row.bound == Bound::Push { 0.0 } else { -Real::MAX };
                    demands[count] = Demand { row: i, rhs, compliance: 0.0, impulse, low, high: Real::MAX };
                    count += 1;
                }
            }
            let mut change = [0.0; Rows::MAX];
            joint_block::solve::<{ Rows::MAX }>(k, &demands[..count], &mut change);
            for (demand, change) in demands[..count].iter().zip(change) {
                ends.push(&answers[demand.row], change);
                // The blow that what holds gives back is no load that lasts.
                if rows[demand.row].bound == Bound::Push {
                    rows[demand.row].impulse += change;
                }
            }
            ends.store(&link.holds, motions);
        }
    }

    /// Turns the bodies that joints act on by their angular velocities over `h`, and their inertias with them.
    #[allow(clippy::too_many_arguments)]
    pub fn advance(
        &mut self,
        state: &State,
        motions: &mut [Motion],
        free: &mut [Free],
        masses: &mut [Mass],
        recipe: &Recipe,
        team: &Team,
    ) {
        self.turning.advance(state, motions, free, masses, recipe.h, recipe.isa, team);
    }

    /// Writes impulses, memories and loads back to the joints of the world, and notes those that bore too much.
    pub fn store(&mut self, state: &mut State, dt: Real) {
        for link in &self.links {
            let Some(joint) = state.joints.all.at_mut(link.joint) else { continue };
            let rows = &self.rows[link.first_row as usize..][..link.row_count as usize];
            for (impulse, row) in joint.impulses.iter_mut().zip(rows) {
                *impulse = if row.impulse.is_finite() { row.impulse } else { 0.0 };
            }
            joint.memory = link.memory;
            joint.force = link.impulse / dt;
            joint.torque = link.turn_impulse / dt;
            note_load(joint, link.joint, &mut self.overloaded);
        }
        for (tie, (seat, &at)) in self.seats.iter().zip(&self.places).enumerate() {
            let Some(form) = seat.form() else { continue };
            // That of another web has been stored with the links.
            let Some(joint) = state.joints.all.at_mut(seat.slot) else { continue };
            let Self { groups, points, overloaded, .. } = self;
            let groups = if points.has(tie) { &points.groups } else { &*groups };
            let stored = match form {
                Form::Ball => store_lane(&groups.balls, None, at, seat.slot, joint, dt),
                Form::Fixed => store_lane(&groups.welds, None, at, seat.slot, joint, dt),
                Form::Hinge(..) => store_lane(&groups.hinges, Some(&groups.limits[..]), at, seat.slot, joint, dt),
            };
            if stored {
                note_load(joint, seat.slot, overloaded);
            }
        }
        state.joints.all.settle();
        self.stored = true;
    }
}
