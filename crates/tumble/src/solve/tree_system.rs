//! Articulations in a system of simultaneous impulses.
//!
//! Links are bodies with velocities, and what a row asks of them stands in its J as for free bodies. Only the answer differs:
//! M⁻¹ Jᵀ of a row on a link moves every link of its tree, and is kept as a list of them all. The degrees of freedom of a tree are
//! parties of the system as well, six to a party, so that limits, friction, motors and couplings are rows like others. One impulse
//! changes links and degrees of freedom together; afterwards the velocities of a tree are what its degrees of freedom got:
//!
//! ```text
//!   q̇* = q̇ + h M̃⁻¹ τ           the kick: see `tree_work`
//!   q̇  = q̇* + Σ M̃⁻¹ Jᵀ λ        the rows of the tree
//!   q  ← drift over h by q̇, and by U of the correction
//! ```

use super::system::{Mass, Parties, Recipe, System};
use super::tree_work::{TreeWork, Working};
use crate::articulation::dynamics::path;
use crate::articulation::flight::joint_forces;
use crate::articulation::response::Impulse;
use crate::articulation::stops::{Stop, Task};
use crate::body::store::Velocity;
use crate::constraint::contact::NONE;
use crate::constraint::{Jacobian, Row};
use crate::math::spatial::{Motion, Wrench};
use crate::math::{Float, Quad, Real, Vec3};
use crate::world::State;

/// Degrees of freedom in one party: the three numbers of its linear velocity, and those of its angular.
const SHARED: usize = 6;

/// The share of the response of loose links below which a row is held by the joints of its trees.
const HELD: f64 = 1e-10;

/// A part of the answer of a row: the change of velocity of a party per unit impulse.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spread {
    pub party: u32,
    pub linear: Vec3,
    pub angular: Vec3,
}

/// What a row on a tree gets for an answer.
pub(crate) struct Answer {
    pub response: Jacobian,
    /// J M⁻¹ Jᵀ; 0 along what the joints hold anyway.
    pub diagonal: Real,
}

/// Where the trees of a step are among the parties of a system. Kept between steps for its memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct TreeParties {
    /// The first party of each tree.
    first: Vec<u32>,
    /// The tree of each party that stands for degrees of freedom, after the bodies and nothing.
    of: Vec<u32>,
    /// How many parties are before them.
    bodies: u32,
    /// q̇ after the first solve, and U of the correction, one tree after the other.
    solved: Vec<f64>,
    pushed: Vec<f64>,
    last: Vec<f64>,
    sums: Vec<f64>,
}

/// Memory for the answer of a row, kept between rows.
#[derive(Clone, Debug, Default)]
pub(crate) struct AnswerWork {
    y: Vec<f64>,
    moved: Vec<Motion<f64>>,
}

/// Rows along degrees of freedom: tree, row, and what they are.
pub(crate) type TreeStops = Vec<(u32, u32, Stop)>;

/// A party of the system that belongs to a tree.
#[derive(Clone, Copy)]
enum Side {
    Link(u32, usize),
    /// The tree, and the first of its degrees of freedom.
    Dofs(u32, usize),
}

impl TreeParties {
    /// Kicks the trees, and adds what they bring to the parties: velocities of their links with the forces of the step, and
    /// parties for their degrees of freedom.
    pub fn prepare(
        &mut self,
        trees: &mut TreeWork,
        masses: &mut Vec<Mass>,
        before: &mut Vec<Velocity>,
        free: &mut Vec<Velocity>,
        dt: Real,
    ) {
        self.first.clear();
        self.of.clear();
        self.bodies = masses.len() as u32;
        for (t, working) in trees.trees.iter_mut().enumerate() {
            working.start(dt.to_f64());
            self.first.push(masses.len() as u32);
            let tree = &working.articulation.tree;
            for (old, new) in working.qd_before.chunks(SHARED).zip(tree.qd.chunks(SHARED)) {
                masses.push(Mass::INFINITE);
                before.push(packed(old));
                free.push(packed(new));
                self.of.push(t as u32);
            }
        }
        for (dense, &[tree, link]) in trees.links.iter().enumerate() {
            if let Some(working) = trees.trees.get(tree as usize) {
                free[dense] = working.articulation.body_state(&working.pass, link as usize).1;
            }
        }
    }

    /// Adds the rows along degrees of freedom, and lists them.
    pub fn gather(
        &self,
        stops: &mut TreeStops,
        system: &mut System,
        trees: &TreeWork,
        state: &State,
        parties: &Parties<'_>,
        recipe: &Recipe,
    ) {
        stops.clear();
        let tolerances = &state.method.tolerances;
        let near = (tolerances.detection * tolerances.length).to_f64();
        for (t, working) in trees.trees.iter().enumerate() {
            let tree = &working.articulation.tree;
            // They have been kicked already.
            tree.stops(recipe.h.to_f64(), near, &[], |stop| {
                let (jacobian, bodies) = self.along(t, &stop);
                let row = match stop.task {
                    Task::Limit(s) => {
                        let restitution = Real::from_f64(stop.restitution);
                        Row { restitution, ..Row::push(jacobian, Real::from_f64(s)) }
                    }
                    Task::Hold(c) => Row::equal(jacobian, Real::from_f64(c)),
                    Task::Speed(speed, force) => {
                        let force = if force < f64::from(f32::MAX) { Real::from_f64(force) } else { Real::MAX };
                        Row { target: Real::from_f64(speed), ..Row::equal(jacobian, 0.0).bounded(force) }
                    }
                };
                let impulse = Real::from_f64(tree.remembered(&stop));
                stops.push((t as u32, system.rows.len() as u32, stop));
                system.add(&[Row { impulse, ..row }], bodies, 0.0, parties, recipe);
            });
        }
    }

    /// J of a row along degrees of freedom. They are at most three, and next to each other where they are three.
    fn along(&self, tree: usize, stop: &Stop) -> (Jacobian, [u32; 2]) {
        let (mut j, mut bodies, first) = (Jacobian::ZERO, [self.bodies - 1; 2], self.first[tree]);
        for &(dof, c) in stop.along.iter().filter(|a| a.0 != NONE) {
            let (party, at) = (first + dof / SHARED as u32, dof as usize % SHARED);
            let side = if bodies[0] == party || bodies[0] == self.bodies - 1 { 0 } else { 1 };
            bodies[side] = party;
            let (linear, angular) = match side {
                0 => (&mut j.linear_a, &mut j.angular_a),
                _ => (&mut j.linear_b, &mut j.angular_b),
            };
            let value = Real::from_f64(c);
            if at < 3 {
                linear[at] = value;
            } else {
                angular[at - 3] = value;
            }
        }
        (j, bodies)
    }

    fn side(&self, trees: &TreeWork, party: u32) -> Option<Side> {
        if let Some(&[tree, link]) = trees.links.get(party as usize) {
            return (tree != NONE).then_some(Side::Link(tree, link as usize));
        }
        let tree = *self.of.get(party.checked_sub(self.bodies)? as usize)?;
        Some(Side::Dofs(tree, (party - self.first[tree as usize]) as usize * SHARED))
    }

    /// Some party of a row belongs to a tree.
    pub fn concerns(&self, trees: &TreeWork, parties: [u32; 2]) -> bool {
        !trees.is_empty() && parties.iter().any(|&p| self.side(trees, p).is_some())
    }

    /// M⁻¹ Jᵀ over all that moves, added to `out`.
    pub fn respond(
        &self,
        trees: &TreeWork,
        j: &Jacobian,
        parties: [u32; 2],
        masses: &[Mass],
        work: &mut AnswerWork,
        out: &mut Vec<Spread>,
    ) -> Answer {
        let halves = [(j.linear_a, j.angular_a), (j.linear_b, j.angular_b)];
        let sides = parties.map(|p| self.side(trees, p));
        let tree_of = |side: Option<Side>| match side {
            Some(Side::Link(t, _) | Side::Dofs(t, _)) => Some(t),
            None => None,
        };
        let first = out.len();
        let mut loose = 0.0;
        let mut concerned = [tree_of(sides[0]), tree_of(sides[1])];
        if concerned[0] == concerned[1] {
            concerned[1] = None;
        }
        for ((&party, side), (linear, angular)) in parties.iter().zip(sides).zip(halves) {
            let mass = &masses[party as usize];
            let (dv, dw) = (linear.scale(mass.inv_mass), mass.inv_inertia * angular);
            loose += (linear.dot(dv) + angular.dot(dw)).to_f64();
            if side.is_none() && (dv != Vec3::ZERO || dw != Vec3::ZERO) {
                out.push(Spread { party, linear: dv, angular: dw });
            }
        }
        // What turns and slides in double precision, so that what the joints hold can be told from what they let go.
        let mut diagonal = loose_of_free(out, first, parties, halves);
        let mut response = Jacobian::ZERO;
        for tree in concerned.into_iter().flatten() {
            let working = &trees.trees[tree as usize];
            let mut impulses = [Impulse::Dof(0, 0.0); 2 * SHARED];
            let mut count = 0;
            for (side, (linear, angular)) in sides.iter().zip(halves) {
                match *side {
                    Some(Side::Link(t, link)) if t == tree => {
                        let centre: Vec3<f64> = working.pass.links[link].centre.into();
                        let wrench = Wrench::at(linear.to_f64(), centre) + Wrench::turning(angular.to_f64());
                        impulses[count] = Impulse::Link(link, wrench);
                        count += 1;
                    }
                    Some(Side::Dofs(t, dof)) if t == tree => {
                        for k in 0..SHARED {
                            let c = if k < 3 { linear[k] } else { angular[k - 3] };
                            if c != 0.0 {
                                impulses[count] = Impulse::Dof(dof + k, c.to_f64());
                                count += 1;
                            }
                        }
                    }
                    _ => {}
                }
            }
            let AnswerWork { y, moved } = work;
            let tree_of = &working.articulation.tree;
            y.resize(tree_of.dofs.len(), 0.0);
            moved.resize(tree_of.links.len(), Motion::ZERO);
            working.pass.respond_moving(tree_of, &impulses[..count], y, moved);
            for (i, y) in y.chunks(SHARED).enumerate() {
                let Velocity { linear, angular } = packed(y);
                out.push(Spread { party: self.first[tree as usize] + i as u32, linear, angular });
            }
            for (link, (change, &party)) in moved.iter().zip(&working.dense).enumerate() {
                let centre: Vec3<f64> = working.pass.links[link].centre.into();
                let (linear, angular) = (change.velocity_at(centre).to_real(), change.angular.to_real());
                if linear != Vec3::ZERO || angular != Vec3::ZERO {
                    out.push(Spread { party, linear, angular });
                }
            }
            diagonal += working.along(&impulses[..count], y);
        }
        for spread in &out[first..] {
            if spread.party == parties[0] {
                (response.linear_a, response.angular_a) = (spread.linear, spread.angular);
            }
            if spread.party == parties[1] {
                (response.linear_b, response.angular_b) = (spread.linear, spread.angular);
            }
        }
        let moves = diagonal > loose * HELD && diagonal.is_finite();
        Answer { response, diagonal: if moves { Real::from_f64(diagonal) } else { 0.0 } }
    }

    /// A tree with rows is held as a whole.
    pub fn share_hold(&self, trees: &mut TreeWork, held: &mut [bool]) {
        for working in &mut trees.trees {
            working.flies = true;
        }
        for (t, &first) in self.first.iter().enumerate() {
            let end = self.first.get(t + 1).map_or(held.len(), |&e| e as usize);
            trees.trees[t].flies &= !held[first as usize..end].iter().any(|&h| h);
        }
        for (dense, &[tree, _]) in trees.links.iter().enumerate() {
            if let Some(working) = trees.trees.get_mut(tree as usize) {
                working.flies &= !held[dense];
            }
        }
        for (dense, &[tree, _]) in trees.links.iter().enumerate() {
            if let Some(working) = trees.trees.get(tree as usize) {
                held[dense] = !working.flies;
            }
        }
    }

    /// Σ M⁻¹ Jᵀ λ over the rows of a system, along the degrees of freedom of all trees.
    fn sum(&mut self, system: &System, trees: &TreeWork, out: impl Fn(&mut Self) -> &mut Vec<f64>) {
        let mut sums = core::mem::take(&mut self.sums);
        sums.clear();
        sums.resize(self.of.len() * SHARED, 0.0);
        for row in &system.rows {
            let lambda = row.impulse.to_f64();
            if lambda == 0.0 {
                continue;
            }
            for spread in system.spread_of(row) {
                let Some(at) = spread.party.checked_sub(self.bodies) else { continue };
                let place = &mut sums[at as usize * SHARED..][..SHARED];
                for k in 0..3 {
                    place[k] += spread.linear[k].to_f64() * lambda;
                    place[3 + k] += spread.angular[k].to_f64() * lambda;
                }
            }
        }
        let mut list = core::mem::take(out(self));
        list.clear();
        for (working, &first) in trees.trees.iter().zip(&self.first) {
            let at = (first - self.bodies) as usize * SHARED;
            list.extend_from_slice(&sums[at..at + working.articulation.tree.dofs.len()]);
        }
        *out(self) = list;
        self.sums = sums;
    }

    /// Notes what the first solve has made of the trees.
    pub fn note_solved(&mut self, system: &System, trees: &TreeWork) {
        self.sum(system, trees, |p| &mut p.solved);
        self.pushed.clear();
        self.pushed.resize(self.solved.len(), 0.0);
    }

    /// Notes U of the correction.
    pub fn note_pushed(&mut self, correction: &System, trees: &TreeWork) {
        self.sum(correction, trees, |p| &mut p.pushed);
    }

    /// Moves the trees over the step, and leaves them with the velocities of the last solve and the impulses of their own rows.
    pub fn advance(&mut self, system: &System, stops: &TreeStops, trees: &mut TreeWork, explicit: bool, dt: Real) {
        self.sum(system, trees, |p| &mut p.last);
        let mut at = 0;
        let TreeWork { trees: all, stages, .. } = trees;
        for working in all.iter_mut() {
            let n = working.articulation.tree.dofs.len();
            let (solved, pushed, last) =
                (&self.solved[at..at + n], &self.pushed[at..at + n], &mut self.last[at..at + n]);
            at += n;
            if working.flies && explicit {
                working.euler(dt.to_f64());
                continue;
            }
            if !working.flies {
                working.note_after(last);
            }
            // What the last solve has that the first had not is a blow.
            last.iter_mut().zip(solved).for_each(|(last, solved)| *last -= solved);
            let blow = last.iter().any(|&change| change != 0.0);
            if blow {
                working.note_blow(last);
            }
            for (qd, change) in working.articulation.tree.qd.iter_mut().zip(solved) {
                *qd += change;
            }
            working.drift(stages, dt.to_f64());
            working.catch_up();
            if !working.flies {
                working.shift(pushed, dt.to_f64());
                if blow {
                    working.strike();
                }
                working.keep_after();
            }
        }
        for working in all.iter_mut() {
            working.articulation.tree.forget_impulses();
        }
        for &(tree, row, stop) in stops {
            let impulse = system.rows[row as usize].impulse.to_f64();
            all[tree as usize].articulation.tree.remember(&stop, impulse);
        }
    }
}

/// Σ J·Δ of the free bodies of a row that have been added from `first` on.
fn loose_of_free(out: &[Spread], first: usize, parties: [u32; 2], halves: [(Vec3, Vec3); 2]) -> f64 {
    let mut sum = 0.0;
    for spread in &out[first..] {
        for (party, (linear, angular)) in parties.iter().zip(halves) {
            if spread.party == *party {
                sum += (linear.dot(spread.linear) + angular.dot(spread.angular)).to_f64();
            }
        }
    }
    sum
}

/// Up to six numbers as the velocity of a party.
fn packed(values: &[f64]) -> Velocity {
    let at = |k: usize| values.get(k).map_or(0.0, |&v| Real::from_f64(v));
    Velocity { linear: Vec3::new(at(0), at(1), at(2)), angular: Vec3::new(at(3), at(4), at(5)) }
}

impl Working {
    /// J y, J being what the impulses act along.
    fn along(&self, impulses: &[Impulse], y: &[f64]) -> f64 {
        let mut sum = 0.0;
        for impulse in impulses {
            match *impulse {
                Impulse::Dof(k, c) => sum += c * y[k],
                Impulse::Link(link, wrench) => {
                    for k in path(&self.articulation.tree, link) {
                        sum += self.pass.axes[k].motion().dot(wrench) * y[k];
                    }
                }
            }
        }
        sum
    }

    /// Explicit Euler from where the step began: q ← q + h q̇, q̇ ← q̇ + h q̈. Motors are left to the kick.
    fn euler(&mut self, h: f64) {
        let tree = &mut self.articulation.tree;
        if tree.dofs.iter().all(|d| !d.motor.is_on()) {
            tree.qd.copy_from_slice(&self.qd_before);
            self.pass.set_moving::<Quad>(tree, &tree.qd);
            joint_forces(tree, &tree.q, &tree.qd, &mut self.offset, &mut self.tau);
            self.pass.set_bias::<Quad>(tree, Some(&self.loads), true);
            self.pass.factor::<Quad>(tree, None);
            let tau = &self.tau;
            self.pass.accelerate::<Quad>(tree, |k| tau[k], true);
        }
        let old = core::mem::take(&mut self.qd_before);
        self.shift(&old, h);
        self.qd_before = old;
        let tree = &mut self.articulation.tree;
        if tree.dofs.iter().all(|d| !d.motor.is_on()) {
            for (qd, column) in tree.qd.iter_mut().zip(&self.pass.columns) {
                *qd += h * column.acceleration;
            }
        }
        self.pass.set_moving::<Quad>(tree, &tree.qd);
    }
}
