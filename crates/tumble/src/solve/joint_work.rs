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
//! Balls, hinges and fixed joints are solved in lanes (`joint_group`, `joint_kernel`). All others, and those that are solved with
//! a whole web (`joint_web`), are solved here, row by row; the two ways do the same.

use super::contact_constraint::Soft;
use super::graph::OVERFLOW;
use super::joint_block::{self, Demand, entry};
use super::joint_group::{Entry, Form, Groups, JointGroups, JointLimit, Side, Start};
use super::joint_kernel::{Hold as HoldGroups, Place, WarmStart, WarmStartAgain};
use super::joint_web::{self, Webs};
use super::motion::{self, Free, Kick, Mass, Motion};
use super::turning::Turning;
use super::web_search::{Search, Tie};
use crate::body::Locks;
use crate::body::store::Velocity;
use crate::constraint::contact::NONE;
use crate::constraint::joint::store::Joint;
use crate::constraint::{Bound, Frame, Frames, Row, Rows, Stiffness};
use crate::crew::Team;
use crate::math::{Float, Isa, LANES, NO_ROW, Num, Point, Quat, Real, Sym3, Vec3, WorldPose};
use crate::method::JointSolve;
use crate::world::State;

/// Speed at which joints bring lost bodies back at most, in push speeds of contacts.
pub(crate) const HOLD_SPEED: Real = 8.0;

/// One side of a joint: what does not change during the step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hold {
    /// The motion of the body; [`NO_ROW`] where it does not move.
    pub body: u32,
    /// Dynamic: impulses change its velocity.
    pub dynamic: bool,
    /// Dynamic, with axes locked.
    locked: bool,
    inv_mass: Vec3,
    /// From the centre of mass to the frame, in the frame of the body.
    offset: Vec3,
    /// The frame in the frame of the body.
    turn: Quat,
    /// Where the frame is at the start of the step.
    start: Frame,
}

/// A joint in the step.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    joint: u32,
    pub holds: [Hold; 2],
    pub first_row: u32,
    pub row_count: u32,
    /// Where its K begins.
    pub first_entry: u32,
    /// What it holds is solved with the whole web.
    pub whole: bool,
    /// It has three rows that hold and no others: (K + Γ)⁻¹ and K⁻¹.
    point: Option<[Sym3; 2]>,
    memory: [f64; 4],
    /// Changes of v_A, ω_A, v_B, ω_B that it has caused in this sub-step.
    pub applied: [Vec3; 4],
    /// Sums over the sub-steps: impulse and angular impulse on B about its frame.
    impulse: Vec3,
    turn_impulse: Vec3,
}

/// What goes with a row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Answer {
    /// M⁻¹ Jᵀ: changes of v_A, ω_A, v_B, ω_B per unit impulse.
    pub change: [Vec3; 4],
    /// What the pushing pass adds to the velocity, and Γ.
    pub bias: Real,
    compliance: Real,
    /// The velocity that a unit impulse gives the row, while the rest of the joint holds where that matters.
    pub response: Real,
    /// The row is a spring, which the relaxing pass leaves alone.
    spring: bool,
    /// Velocity before the step, for rows that bounce; and whether they have pushed.
    approach: Real,
    pushed: bool,
}

const NO_ANSWER: Answer = Answer {
    change: [Vec3::ZERO; 4],
    bias: 0.0,
    compliance: 0.0,
    response: 0.0,
    spring: false,
    approach: 0.0,
    pushed: false,
};

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

/// A joint that acts: its place in the graph, and what a step needs to know of it. A fraction of a joint in size.
#[derive(Clone, Copy, Debug)]
struct Seat {
    slot: u32,
    colour: u32,
    colour_index: u32,
    bodies: [u32; 2],
    supports: u32,
    /// `None` for kinds that are solved row by row.
    form: Option<Form>,
    /// Its bodies fit into lanes.
    plain: bool,
    frames: [WorldPose; 2],
}

impl Seat {
    fn new(slot: u32, joint: &Joint) -> Self {
        let Joint { bodies, colour, colour_index, frames, .. } = *joint;
        let (form, supports) = (Form::of(joint), joint.kind.supports());
        Self { slot, colour, colour_index, bodies, supports, form, plain: false, frames }
    }

    /// The form in which lanes hold it.
    fn form(&self) -> Option<Form> {
        self.form.filter(|_| self.plain)
    }

    /// Two joints that get the same lane of the same groups.
    fn is_like(&self, o: &Self) -> bool {
        (self.slot, self.colour, self.colour_index, self.form()) == (o.slot, o.colour, o.colour_index, o.form())
    }
}

/// How often the joints of a pass are solved once more after its contacts.
const ROUNDS: u32 = 2;

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
    /// Awake bodies that joints act on, once each.
    pub bodies: Vec<u32>,
    listed: Vec<bool>,
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
    /// The seats of the links.
    apart: Vec<u32>,
    search: Search,
    webs: Webs,
}

impl JointWork {
    /// Takes the acting joints of the graph, and counts them as supports of their bodies. With `kicks` the angular momentum of the bodies
    /// is kept. Two passes over the joints.
    pub fn prepare(
        &mut self,
        state: &State,
        motions: &mut [Motion],
        masses: &mut [Mass],
        supports: &mut [u32],
        kicks: Option<&[Kick]>,
        recipe: &Recipe,
    ) {
        self.links.clear();
        self.rows.clear();
        self.answers.clear();
        self.entries.clear();
        self.bodies.clear();
        self.busy.clear();
        self.overloaded.clear();
        self.listed.clear();
        self.listed.resize(motions.len(), false);
        if !self.take_seats(state, motions, masses, supports, recipe) {
            self.deal(state, motions.len(), recipe);
        }
        for i in 0..self.apart.len() {
            let slot = self.seats[self.apart[i] as usize].slot;
            if let Some(joint) = state.joints.all.at(slot) {
                self.add(state, slot, joint, recipe);
            }
        }
        self.webs.prepare(&mut self.links, &self.rows, &self.search, &self.places);
        self.turning.prepare(state, &self.bodies, kicks, recipe.h);
    }

    /// Lists the joints in the order of their slots, which is that of memory, and puts them into their lanes if these are the
    /// same as in the step before; `false` where they are not. Joints that nobody has touched since are not even looked at.
    fn take_seats(
        &mut self,
        state: &State,
        motions: &mut [Motion],
        masses: &mut [Mass],
        supports: &mut [u32],
        recipe: &Recipe,
    ) -> bool {
        let known = core::mem::take(&mut self.stored) && !state.joints.all.is_touched() && recipe.warm_start;
        let mut same = self.search.is_for(motions.len(), recipe.choice);
        if known {
            for i in 0..self.seats.len() {
                let mut seat = self.seats[i];
                let tie = self.tie(state, &mut seat, motions, masses, supports);
                same &= self.seats[i].is_like(&seat) && self.ties[i] == tie;
                (self.seats[i].plain, self.ties[i]) = (seat.plain, tie);
                if let (true, Some(form), false) = (same, seat.form(), self.search.is_whole(i)) {
                    self.groups.set(form, self.places[i], &entry_of(state, &seat, None));
                }
            }
            return same;
        }
        let mut count = 0;
        for slot in 0..state.joints.all.capacity() as u32 {
            let Some(joint) = state.joints.all.at(slot).filter(|j| j.colour != NONE) else { continue };
            let mut seat = Seat::new(slot, joint);
            let tie = self.tie(state, &mut seat, motions, masses, supports);
            if count == self.seats.len() {
                self.seats.push(seat);
                self.ties.push(tie);
                same = false;
            }
            same &= self.seats[count].is_like(&seat) && self.ties[count] == tie;
            (self.seats[count], self.ties[count]) = (seat, tie);
            if let (true, Some(form), false) = (same, seat.form(), self.search.is_whole(count)) {
                self.groups.set(form, self.places[count], &entry_of(state, &seat, Some((joint, recipe))));
            }
            count += 1;
        }
        same &= count == self.seats.len();
        self.seats.truncate(count);
        self.ties.truncate(count);
        same
    }

    /// Finds webs, and deals all others out to groups, colour by colour.
    fn deal(&mut self, state: &State, bodies: usize, recipe: &Recipe) {
        self.search.find(&self.ties, bodies, recipe.choice);
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
            for &slot in &colour.joints {
                let seat = self.seat_of[slot as usize];
                if seat == NO_ROW {
                    continue;
                }
                self.places[seat as usize] = match self.seats[seat as usize].form() {
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
        for (at, seat) in self.seats.iter().enumerate() {
            if let (Some(form), false) = (seat.form(), self.search.is_whole(at))
                && let Some(joint) = state.joints.all.at(seat.slot)
            {
                self.groups.set(form, self.places[at], &entry_of(state, seat, Some((joint, recipe))));
            }
        }
    }

    /// Notes whom a joint ties to whom, and whether lanes can hold it: not with a body that is locked along an axis, nor with one that
    /// has a velocity and yet does not move.
    fn tie(
        &mut self,
        state: &State,
        seat: &mut Seat,
        motions: &mut [Motion],
        masses: &mut [Mass],
        supports: &mut [u32],
    ) -> Tie {
        let mut tie = Tie { bodies: [NO_ROW; 2], masses: [0.0; 2] };
        seat.plain = true;
        for side in 0..2 {
            let i = state.bodies.dense_at(seat.bodies[side]);
            if i >= state.bodies.awake() {
                seat.plain &= state.bodies.velocity[i] == Velocity::default();
                continue;
            }
            if !core::mem::replace(&mut self.listed[i], true) {
                self.bodies.push(i as u32);
                // Contacts have been counted already.
                masses[i][motion::JOINTS_ONLY] = if supports[i] == 0 { 1.0 } else { 0.0 };
                motion::set_rotation(&mut motions[i], state.bodies.pose[i].rotation);
            }
            supports[i] += seat.supports;
            let params = &state.bodies.params[i];
            if params.inv_mass > 0.0 {
                let free = params.locks().free_move();
                seat.plain &= params.locks() == Locks::NONE;
                (tie.bodies[side], tie.masses[side]) = (i as u32, inverted((free * params.inv_mass).max_component()));
            }
        }
        // Forms have no motors.
        if seat.form.is_none() && state.joints.all.at(seat.slot).is_some_and(|j| j.kind.changes_after(state.time)) {
            self.busy.push(seat.slot);
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

    /// Rows, responses and compliances where the bodies are now. One pass over the joints.
    pub fn evaluate(
        &mut self,
        state: &State,
        motions: &mut [Motion],
        masses: &[Mass],
        recipe: &Recipe,
        time: f64,
        team: &Team,
    ) {
        self.groups.each(None, false, motions, team, &Place { isa: recipe.isa, recipe, masses });
        let Self { links, rows, answers, entries, fresh, webs, .. } = self;
        for link in links.iter_mut() {
            let Some(joint) = state.joints.all.at(link.joint) else { continue };
            let frames =
                Frames { a: link.holds[0].frame(motions), b: link.holds[1].frame(motions), time, memory: link.memory };
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
            respond(rows, answers, &mut entries[link.first_entry as usize..], &link.holds, masses);
            let k = &entries[link.first_entry as usize..];
            soften(rows, answers, k, link.whole, recipe);
            link.point = if n == 3 && rows.iter().all(joint_web::holds) { point_inverses(k, answers) } else { None };
        }
        if !webs.is_empty() {
            webs.factorise(links, rows, answers, entries);
        }
    }

    /// Applies the impulses that the joints of a colour carry.
    pub fn warm_start(&mut self, colour: usize, motions: &mut [Motion], recipe: &Recipe, team: &Team) {
        let Some(&[from, to]) = self.ranges.get(colour..colour + 2) else { return };
        for link in from as usize..to as usize {
            self.warm_start_one(link, motions, &[]);
        }
        self.groups.each(Some(colour), colour == OVERFLOW, motions, team, &WarmStart(recipe.isa));
    }

    /// The same in a later sub-step, for all joints: the bodies have been given once more what was done to them in the last one,
    /// but the rows have turned with the bodies since, so what is applied is the difference; or all of it where the bodies are free.
    pub fn warm_start_again(&mut self, motions: &mut [Motion], masses: &[Mass], recipe: &Recipe, team: &Team) {
        for link in 0..self.links.len() {
            self.warm_start_one(link, motions, masses);
        }
        let again = WarmStartAgain { isa: recipe.isa, masses };
        for colour in 0..=OVERFLOW {
            self.groups.each(Some(colour), colour == OVERFLOW, motions, team, &again);
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
            let free = masses.get(link.holds[i / 2].body as usize).is_some_and(|m| m[motion::JOINTS_ONLY] != 0.0);
            ends.v[i] += if free { total.v[i] } else { total.v[i] - link.applied[i] };
        }
        link.applied = total.v;
        ends.store(&link.holds, motions);
    }

    /// Makes the joints of a colour hold, with or without the push towards C = 0.
    pub fn solve(&mut self, colour: usize, motions: &mut [Motion], push: bool, recipe: &Recipe, team: &Team) {
        let Some(&[from, to]) = self.ranges.get(colour..colour + 2) else { return };
        for link in from as usize..to as usize {
            self.solve_one(link, motions, push, recipe);
        }
        let hold = HoldGroups { isa: recipe.isa, recipe, push };
        self.groups.each(Some(colour), colour == OVERFLOW, motions, team, &hold);
    }

    fn solve_one(&mut self, index: usize, motions: &mut [Motion], push: bool, recipe: &Recipe) {
        let link = &mut self.links[index];
        let n = link.row_count as usize;
        let rows = &mut self.rows[link.first_row as usize..][..n];
        let answers = &mut self.answers[link.first_row as usize..][..n];
        let k = &self.entries[link.first_entry as usize..];
        let mut ends = Ends::load(&link.holds, motions);
        let before = ends.v;
        match (n, link.point) {
            (0, _) => return,
            (3, Some(inverses)) if !link.whole => solve_point(rows, answers, &inverses, &mut ends, push),
            (1..=3, _) => solve_rows::<3>(rows, answers, k, link.whole, &mut ends, push, recipe),
            (4..=6, _) => solve_rows::<6>(rows, answers, k, link.whole, &mut ends, push, recipe),
            (7..=12, _) => solve_rows::<12>(rows, answers, k, link.whole, &mut ends, push, recipe),
            _ => solve_rows::<{ Rows::MAX }>(rows, answers, k, link.whole, &mut ends, push, recipe),
        }
        for i in 0..4 {
            link.applied[i] += ends.v[i] - before[i];
        }
        ends.store(&link.holds, motions);
    }

    /// Makes all joints hold once more, after the contacts: one by one, and webs at once. Without it a limb that hits the floor
    /// would be torn out of its socket for a moment, since the contact has the last word.
    pub fn solve_again(&mut self, motions: &mut [Motion], push: bool, recipe: &Recipe, team: &Team) {
        let hold = HoldGroups { isa: recipe.isa, recipe, push };
        for _ in 0..ROUNDS {
            for colour in 0..=OVERFLOW {
                let Some(&[from, to]) = self.ranges.get(colour..colour + 2) else { break };
                for link in from as usize..to as usize {
                    if !self.links[link].whole {
                        self.solve_one(link, motions, push, recipe);
                    }
                }
                self.groups.each(Some(colour), colour == OVERFLOW, motions, team, &hold);
            }
        }
        let Self { links, rows, answers, webs, .. } = self;
        if !webs.is_empty() {
            webs.solve(links, rows, answers, motions, push);
        }
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

    /// Limits that were hit bounce back. One pass over the joints.
    pub fn bounce(&mut self, motions: &mut [Motion], threshold: Real) {
        for link in &self.links {
            let n = link.row_count as usize;
            let rows = &mut self.rows[link.first_row as usize..][..n];
            let answers = &self.answers[link.first_row as usize..][..n];
            let k = &self.entries[link.first_entry as usize..];
            for i in 0..n {
                let (row, answer) = (&mut rows[i], &answers[i]);
                let k = k[entry(i, i)];
                if row.restitution == 0.0 || !answer.pushed || answer.approach > -threshold || !(k > 0.0) {
                    continue;
                }
                let mut ends = Ends::load(&link.holds, motions);
                let new = row.impulse - (ends.along(row) + row.restitution * answer.approach) / k;
                let new = Num::max(new, 0.0);
                ends.push(answer, new - row.impulse);
                row.impulse = new;
                ends.store(&link.holds, motions);
            }
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
        kicks: Option<&[Kick]>,
        recipe: &Recipe,
        team: &Team,
    ) {
        self.turning.advance(state, motions, free, masses, kicks, recipe.h, recipe.isa, team);
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
        for (seat, &at) in self.seats.iter().zip(&self.places) {
            let Some(form) = seat.form() else { continue };
            // That of a web has been stored with the links.
            let Some(joint) = state.joints.all.at_mut(seat.slot) else { continue };
            let Self { groups, overloaded, .. } = self;
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

/// What a joint puts into its lane. Without the joint itself, that is what the lane does not know from the step before.
fn entry_of<'a>(state: &State, seat: &Seat, joint: Option<(&'a Joint, &Recipe)>) -> Entry<'a> {
    let ((a, at_a, turn_a), (b, at_b, turn_b)) = (side(state, seat, 0), side(state, seat, 1));
    let twist = || {
        let turned = |rotation: Quat| Frame { rotation, ..Frame::default() };
        Frames { a: turned(turn_a), b: turned(turn_b), ..Frames::default() }.twist()
    };
    let twist = if matches!(seat.form, Some(Form::Hinge(..))) { twist() } else { 0.0 };
    let start = joint.map(|(joint, recipe)| {
        let impulses = if recipe.warm_start { &joint.impulses } else { &[0.0; Rows::MAX] };
        Start { impulses, memory: joint.memory[0] }
    });
    Entry { slot: seat.slot, sides: [a, b], gap: (at_b - at_a).to_real(), twist, start }
}

/// Notes a joint that has borne too much.
fn note_load(joint: &Joint, slot: u32, overloaded: &mut Vec<u32>) {
    let within = joint.force.length() <= joint.break_force && joint.torque.length() <= joint.break_torque;
    if !within {
        overloaded.push(slot);
    }
}

/// Writes back what a joint in a lane has come to; `false` where the lane is another's.
fn store_lane<const N: usize, const X: usize, const P: usize>(
    groups: &Groups<N, X, P>,
    limits: Option<&[JointLimit]>,
    at: u32,
    slot: u32,
    joint: &mut Joint,
    dt: Real,
) -> bool {
    let lane = at as usize % LANES;
    let Some(base) = groups.bases.get(at as usize / LANES).filter(|base| base.joint[lane] == slot) else {
        return false;
    };
    let group = &groups.groups[at as usize / LANES];
    let sound = |x: Real| if x.is_finite() { x } else { 0.0 };
    for (impulse, wide) in joint.impulses.iter_mut().zip(&group.impulse) {
        *impulse = sound(wide.0[lane]);
    }
    let limit = limits.and_then(|l| l.get(group.limit as usize));
    // The last sub-step is not among the sums yet.
    let (p, t) = group.carried::<Real>(limit, lane);
    if let Some(limit) = limit {
        for (impulse, wide) in joint.impulses[5..].iter_mut().zip(&limit.impulse) {
            *impulse = sound(wide.0[lane]);
        }
    }
    if N == 5 {
        joint.memory = [base.memory[lane], 0.0, 0.0, 0.0];
    }
    joint.force = (base.sum.lane(lane) + p) / dt;
    joint.torque = (base.turn_sum.lane(lane) + t) / dt;
    true
}

/// One side of a joint in a group as the step begins, where its frame is and how it is turned.
fn side(state: &State, seat: &Seat, side: usize) -> (Side, Point, Quat) {
    let i = state.bodies.dense_at(seat.bodies[side]);
    let (params, pose) = (&state.bodies.params[i], &state.bodies.pose[i]);
    let local = &seat.frames[side];
    let offset = local.translation - params.local_centre.to_f64();
    let arm = pose.rotation.to_f64().rotate(offset);
    let rotation = (pose.rotation * local.rotation).normalized();
    let out = if i < state.bodies.awake() {
        let write = if params.inv_mass > 0.0 { i as u32 } else { NO_ROW };
        let (offset, arm) = (offset.to_real(), arm.to_real());
        Side { body: i as u32, write, inv_mass: params.inv_mass, offset, arm, turn: local.rotation }
    } else {
        Side { body: NO_ROW, write: NO_ROW, inv_mass: 0.0, offset: Vec3::ZERO, arm: Vec3::ZERO, turn: rotation }
    };
    (out, pose.centre + arm, rotation)
}

/// One side of a joint as the step begins.
fn hold(state: &State, joint: &Joint, side: usize, start: Frame) -> Hold {
    let dense = state.bodies.dense_at(joint.bodies[side]);
    let params = &state.bodies.params[dense];
    let awake = dense < state.bodies.awake();
    Hold {
        body: if awake { dense as u32 } else { NO_ROW },
        dynamic: awake && params.inv_mass > 0.0,
        locked: awake && params.inv_mass > 0.0 && params.locks() != Locks::NONE,
        inv_mass: if awake { params.locks().free_move() * params.inv_mass } else { Vec3::ZERO },
        offset: (joint.frames[side].translation - params.local_centre.to_f64()).to_real(),
        turn: joint.frames[side].rotation,
        start,
    }
}

impl Hold {
    /// The frame where the body is now.
    fn frame(&self, motions: &[Motion]) -> Frame {
        let Some(motion) = motions.get(self.body as usize) else { return self.start };
        let (linear, angular) = motion::velocity_of(motion);
        let rotation = motion::rotation_of(motion);
        let arm = rotation.rotate(self.offset);
        let (moved, _) = motion::travel_of(motion);
        Frame {
            position: self.start.position + (moved + (arm - self.start.arm)).to_f64(),
            rotation: rotation * self.turn,
            arm,
            linear,
            angular,
            rest: self.start.rest,
        }
    }

    /// From the centre of mass to the frame now.
    fn arm(&self, motions: &[Motion]) -> Vec3 {
        motions.get(self.body as usize).map_or(self.start.arm, |m| motion::rotation_of(m).rotate(self.offset))
    }
}

/// Velocities of the two bodies of a joint.
pub(crate) struct Ends {
    pub v: [Vec3; 4],
}

impl Ends {
    pub fn load(holds: &[Hold; 2], motions: &[Motion]) -> Self {
        let of = |hold: &Hold| {
            motions.get(hold.body as usize).map_or((hold.start.linear, hold.start.angular), motion::velocity_of)
        };
        let ((va, wa), (vb, wb)) = (of(&holds[0]), of(&holds[1]));
        Self { v: [va, wa, vb, wb] }
    }

    pub fn store(&self, holds: &[Hold; 2], motions: &mut [Motion]) {
        for (side, hold) in holds.iter().enumerate() {
            // Kinematic bodies are not changed, and may be shared: what is not written cannot collide.
            if let Some(motion) = motions.get_mut(hold.body as usize)
                && hold.dynamic
            {
                motion::set_velocity(motion, self.v[2 * side], self.v[2 * side + 1]);
            }
        }
    }

    pub fn push(&mut self, answer: &Answer, impulse: Real) {
        for (v, change) in self.v.iter_mut().zip(answer.change) {
            *v += change * impulse;
        }
    }

    pub fn along(&self, row: &Row) -> Real {
        row.jacobian.velocity(self.v[0], self.v[1], self.v[2], self.v[3])
    }
}

/// What rows yield to a body with locked axes, as a share of what they would move if it were free. A row may point almost along what is
/// locked: with an angle of ε to the free directions it has K ~ ε², and an impulse that makes it right gives the body 1/ε of what it asked
/// for, across it. With this on the diagonal it is at most 1/(2 √LOCKED), so that joints which ask for what locks forbid stay finite.
const LOCKED: Real = 1e-3;

/// M⁻¹ Jᵀ of every row, and K.
fn respond(rows: &[Row], answers: &mut [Answer], k: &mut [Real], holds: &[Hold; 2], masses: &[Mass]) {
    let turns = |hold: &Hold| if hold.dynamic { motion::inertia_of(&masses[hold.body as usize]) } else { Sym3::ZERO };
    let (ia, ib) = (turns(&holds[0]), turns(&holds[1]));
    for i in 0..rows.len() {
        let j = &rows[i].jacobian;
        answers[i].change = [
            j.linear_a.scale(holds[0].inv_mass),
            ia * j.angular_a,
            j.linear_b.scale(holds[1].inv_mass),
            ib * j.angular_b,
        ];
        for o in 0..=i {
            let [va, wa, vb, wb] = answers[o].change;
            k[entry(i, o)] = j.velocity(va, wa, vb, wb);
        }
        let halves = [(j.linear_a, j.angular_a, &ia), (j.linear_b, j.angular_b, &ib)];
        for (hold, (linear, angular, turns)) in holds.iter().zip(halves) {
            if hold.locked {
                let free =
                    linear.length_squared() * hold.inv_mass.max_component() + angular.length_squared() * turns.trace();
                k[entry(i, i)] += free * LOCKED;
            }
        }
    }
}

/// Three rows that hold, with (K + Γ)⁻¹ and K⁻¹ at hand: a ball joint.
fn solve_point(rows: &mut [Row], answers: &[Answer], inverses: &[Sym3; 2], ends: &mut Ends, push: bool) {
    let mut rhs = Vec3::ZERO;
    for i in 0..3 {
        let extra = if push { answers[i].bias + answers[i].compliance * rows[i].impulse } else { 0.0 };
        rhs[i] = ends.along(&rows[i]) - rows[i].target + extra;
    }
    let change = inverses[usize::from(!push)] * -rhs;
    for i in 0..3 {
        rows[i].impulse += change[i];
        ends.push(&answers[i], change[i]);
    }
}

/// The rows of a joint, of which there are at most N; of one in a web only those that stand beside it.
fn solve_rows<const N: usize>(
    rows: &mut [Row],
    answers: &mut [Answer],
    k: &[Real],
    whole: bool,
    ends: &mut Ends,
    push: bool,
    recipe: &Recipe,
) {
    let mut demands = [Demand::default(); N];
    let mut count = 0;
    for i in 0..rows.len() {
        if whole && joint_web::holds(&rows[i]) {
            continue;
        }
        if let Some(demand) = demand(i, rows, &answers[i], ends, k, push, recipe) {
            demands[count] = demand;
            count += 1;
        } else if rows[i].is_idle() {
            rows[i].impulse = 0.0;
        }
    }
    let demands = &demands[..count];
    let mut change = [0.0; N];
    if whole {
        solve_beside(demands, answers, &mut change);
    } else {
        joint_block::solve::<N>(k, demands, &mut change);
    }
    for (demand, change) in demands.iter().zip(change) {
        let row = &mut rows[demand.row];
        row.impulse += change;
        answers[demand.row].pushed |= row.bound == Bound::Push && row.impulse > 0.0;
        ends.push(&answers[demand.row], change);
    }
}

/// Solves rows one by one that stand beside what a web holds: each with the mass that it moves while its joint holds.
fn solve_beside(demands: &[Demand], answers: &[Answer], change: &mut [Real]) {
    for (demand, change) in demands.iter().zip(change) {
        let new = demand.impulse - demand.rhs * inverted(answers[demand.row].response + demand.compliance);
        *change = Num::min(Num::max(new, demand.low), demand.high) - demand.impulse;
    }
}

/// (K + Γ)⁻¹ and K⁻¹ of three rows; `None` where they have none.
fn point_inverses(k: &[Real], answers: &[Answer]) -> Option<[Sym3; 2]> {
    let hard = Sym3 { xx: k[0], xy: k[1], yy: k[2], xz: k[3], yz: k[4], zz: k[5] };
    let soft = Vec3::new(answers[0].compliance, answers[1].compliance, answers[2].compliance);
    Some([(hard + Sym3::diagonal(soft)).try_inverse()?, hard.try_inverse()?])
}

/// Bias and compliance of every row in the pushing pass.
fn soften(rows: &[Row], answers: &mut [Answer], k: &[Real], whole: bool, recipe: &Recipe) {
    let mut held = [0; Rows::MAX];
    let mut count = 0;
    for (i, row) in rows.iter().enumerate() {
        if row.bound == Bound::Equal && row.stiffness == Stiffness::Method && !row.is_idle() {
            held[count] = i;
            count += 1;
        }
    }
    let held = &held[..count];
    for (i, (row, answer)) in rows.iter().zip(answers).enumerate() {
        let response = k[entry(i, i)];
        // What the row moves while the joint holds; asked for only where it matters.
        let tuned = matches!(row.stiffness, Stiffness::Tuned(_)) || (whole && !joint_web::holds(row));
        answer.response = match tuned {
            true if count <= 6 => joint_block::response_given::<6>(k, i, held),
            true => joint_block::response_given::<{ Rows::MAX }>(k, i, held),
            false => response,
        };
        match row.stiffness.constants(inverted(answer.response)) {
            Some((stiffness, damping)) => {
                let h = recipe.h;
                let rate = damping + h * stiffness;
                answer.spring = true;
                answer.compliance = inverted(h * rate);
                answer.bias = if rate > 0.0 { stiffness / rate * row.error } else { 0.0 };
            }
            // A motor that holds a speed has no error to get rid of.
            None if matches!(row.bound, Bound::Force(_) | Bound::Friction { .. }) => {
                (answer.spring, answer.compliance, answer.bias) = (false, 0.0, 0.0);
            }
            None => {
                let soft = &recipe.soft;
                answer.spring = false;
                answer.compliance = response * soft.impulse_scale / soft.mass_scale;
                answer.bias = Float::clamp(soft.bias_rate * row.error, -recipe.hold_speed, recipe.hold_speed);
            }
        }
    }
}

fn inverted(x: Real) -> Real {
    if x > 0.0 && x.is_finite() { 1.0 / x } else { 0.0 }
}

/// What a row asks for in a pass; `None` for nothing.
fn demand(
    i: usize,
    rows: &[Row],
    answer: &Answer,
    ends: &Ends,
    k: &[Real],
    push: bool,
    recipe: &Recipe,
) -> Option<Demand> {
    let row = &rows[i];
    // Nothing moves along it: it can ask for what it likes.
    if !(k[entry(i, i)] > 0.0) {
        return None;
    }
    let (low, high) = row.limits(recipe.h, rows);
    let velocity = ends.along(row) - row.target;
    let hard = |rhs: Real| Some(Demand { row: i, rhs, compliance: 0.0, impulse: row.impulse, low, high });
    if row.bound == Bound::Push && row.error > 0.0 {
        // Apart: it may close, not pass.
        let rhs = velocity + row.error / recipe.h;
        return if rhs < 0.0 || row.impulse > 0.0 { hard(rhs) } else { None };
    }
    if !push {
        // A spring has had its say; what else holds must not move on.
        return if answer.spring { None } else { hard(velocity) };
    }
    let bias = if row.bound == Bound::Push && !answer.spring {
        Num::max(answer.bias, -recipe.push_speed)
    } else {
        answer.bias
    };
    let rhs = velocity + bias + answer.compliance * row.impulse;
    Some(Demand { row: i, rhs, compliance: answer.compliance, impulse: row.impulse, low, high })
}
