//! Contacts, limits, dry friction and hard motors of articulations, and joints on their links, as rows with the response of whole
//! trees.
//!
//! A row is a number Ċ = J u, u being the velocities along the degrees of freedom of up to two trees and of up to two free bodies.
//! With M̃ of each tree as its last factorisation has it, and the mass of free bodies,
//!
//! ```text
//!   Δλ = -(Ċ + bias) / K        u ← u + M̃⁻¹ Jᵀ Δλ        K = J M̃⁻¹ Jᵀ
//! ```
//!
//! While rows are at work on a tree its velocities are quasi-velocities z, so that Ċ = G·z, z ← z + G Δλ and K = G·G: see
//! [`response`](crate::articulation::response). [`TreeRows::take`] makes them and [`TreeRows::give`] gives them back.
//!
//! Where both ends are links of one tree, G is the sum of both, and K has the cross terms with it. Rows are solved one after the
//! other, several times in a pass, since those of one tree are few and all feel each other. What a contact asks for is what it
//! asks for between free bodies: the equations stand at the head of `contact_kernel`. Rows without bounds are solved all at once
//! in each round: see `direct`.

mod bounces;
mod direct;
mod outcome;
mod row_set;
mod sites;
mod stops;
mod ties;

use self::bounces::Bounces;
use self::direct::Direct;
pub(super) use self::outcome::Outcome;
pub(super) use self::row_set::End;
use self::row_set::{FOURS, Half, NO_EIGHT, Row, RowSet, WIDE};
use self::sites::{Site, Ways, add_manifold};
use self::stops::Stops;
use self::ties::Ties;
use super::motion::{Free, Mass, Motion};
use super::tree_work::{Recipe, Working};
use crate::articulation::reach::Reach;
use crate::constraint::contact::{Contact, NONE};
use crate::crew::Sums;
use crate::math::{Float, Isa, Kernel, Lane, Packed, Quad};
use crate::world::State;
use core::ops::Range;

/// Rounds over all rows in one pass that pushes, and in one that relaxes, which starts from what the other has left.
const ROUNDS: usize = 4;
const RELAXING_ROUNDS: usize = 2;

/// What rows act on, and how.
pub(super) struct Field<'a> {
    pub trees: &'a mut [Working],
    /// Those whose rows are at work.
    pub of: Range<usize>,
    pub motions: &'a mut [Motion],
    pub masses: &'a [Mass],
    pub recipe: &'a Recipe,
    /// Errors are taken out, rather than velocities alone.
    pub push: bool,
}

/// All rows of some trees. Kept between steps for its memory.
#[derive(Clone, Debug, Default)]
pub(super) struct TreeRows {
    rows: RowSet,
    sites: Vec<Site>,
    ways: Ways,
    reach: Reach,
    stops: Stops,
    ties: Ties,
    bounces: Bounces,
    /// Some row bounces.
    bouncy: bool,
    direct: Direct,
    /// Trees that have rows, and those that contacts or joints act on.
    held: Vec<bool>,
    touched: Vec<bool>,
    /// Which rows are those of each tree.
    spans: Vec<Span>,
}

/// The rows of a tree: where they, its sites, its stops, its ties and its limits that bounce begin and end.
#[derive(Clone, Debug, Default)]
struct Span {
    rows: Range<usize>,
    sites: Range<usize>,
    stops: Range<usize>,
    ties: Range<usize>,
    limits: Range<usize>,
    /// Its rows act on nothing but the tree, and no others act on it.
    apart: bool,
    /// Some limit of it bounces.
    bounces: bool,
    /// Nothing has acted on it since a round that changed next to nothing.
    settled: bool,
    /// It is not for this pass.
    done: bool,
}

impl TreeRows {
    /// The tree has rows in this step.
    pub fn holds(&self, tree: usize) -> bool {
        self.held.get(tree).is_some_and(|&h| h)
    }

    /// Something touches the tree in this step, or joints tie it.
    pub fn touches(&self, tree: usize) -> bool {
        self.touched.get(tree).is_some_and(|&touched| touched)
    }

    /// Finds the rows of these trees, on which no tree beyond them acts, nor any body where there are `bodies` of none; counts the contact points of awake
    /// bodies.
    pub fn prepare(
        &mut self,
        trees: &[Working],
        end: impl Fn(u32) -> End,
        bodies: usize,
        touching: &[[u32; 2]],
        state: &State,
        supports: Sums<'_>,
        recipe: &Recipe,
        busy: &mut Vec<u32>,
    ) {
        let Self {
            rows: RowSet { all: rows, g, places, .. },
            sites,
            ways,
            reach,
            stops,
            ties,
            bounces,
            bouncy,
            held,
            touched,
            spans,
            ..
        } = self;
        rows.clear();
        bounces.clear();
        ties.clear();
        sites.clear();
        ways.clear();
        reach.clear();
        stops.clear();
        for marks in [&mut *held, &mut *touched] {
            marks.clear();
            marks.resize(trees.len(), false);
        }
        spans.clear();
        for tree in 0..trees.len() {
            reach.add(&trees[tree].articulation.tree);
            let first = [rows.len(), sites.len(), stops.len(), ties.len(), bounces.len()];
            let of_tree = trees[tree].touching.start as usize..trees[tree].touching.end as usize;
            for &[contact, _] in &touching[of_tree] {
                let c = &state.contacts.all[contact as usize];
                let ends = [end(c.body_a), end(c.body_b)];
                let pair = [c.body_a, c.body_b].map(|slot| state.bodies.dense_at(slot) as u32);
                let [a, b] = pair.map(|i| state.bodies.velocity[i as usize]);
                let mut m = c.manifolds;
                while m != NONE {
                    let manifold = &state.contacts.manifolds[m as usize];
                    add_manifold(sites, m, &state.contacts, ends, pair, &state.bodies.params, trees, recipe);
                    // What does not slide yet bears its static limit; see `contact_prepare`.
                    if let Some(site) = sites.last_mut()
                        && manifold.creeps(&a, &b, state.contacts.surface_velocity(m), recipe.creep)
                    {
                        site.dynamic_friction = site.static_friction;
                    }
                    for dense in pair {
                        supports.add(dense as usize, u32::from(manifold.point_count));
                    }
                    m = manifold.next;
                }
                for end in ends {
                    if let End::Link(tree, _) = end {
                        touched[tree as usize] = true;
                    }
                }
            }
            ties.gather(rows, bounces, touched, &trees[tree], &end, state, supports, busy);
            let before = rows.len();
            stops.gather(rows, bounces, tree as u32, &trees[tree], recipe);
            held[tree] = rows.len() > before;
            spans.push(Span {
                rows: first[0]..rows.len(),
                sites: first[1]..sites.len(),
                stops: first[2]..stops.len(),
                ties: first[3]..ties.len(),
                limits: first[4]..bounces.len(),
                apart: true,
                bounces: false,
                settled: false,
                done: false,
            });
        }
        held.iter_mut().zip(&*touched).for_each(|(held, touched)| *held |= touched);
        let of_rows = rows.iter().filter(|row| !row.plain).flat_map(Row::blocks).map(|block| block.tree);
        for tree in of_rows.chain(sites.iter().filter(|site| !site.is_plain()).flat_map(Site::trees)) {
            spans[tree as usize].apart = false;
        }
        for block in bounces.rows().flat_map(|row| rows[row as usize].blocks()) {
            spans[block.tree as usize].bounces = true;
        }
        *bouncy = bounces.rows().next().is_some() || sites.iter().any(|site| site.restitution > 0.0);
        // What acts on a tree finds its place once: the trees of a row do not change within a step.
        let eights = |tree: usize| trees[tree].articulation.tree.dofs.len().div_ceil(WIDE) as u32;
        let mut length = 0;
        places.clear();
        for (tree, held) in held.iter().enumerate() {
            places.push(if *held { length } else { NONE });
            length += if *held { eights(tree) } else { 0 };
        }
        let all_places = length as usize;
        let mut length = 0;
        for row in rows.iter_mut() {
            for block in &mut row.blocks[..row.block_count as usize] {
                let tree = block.tree as usize;
                (block.first, block.eights, block.at) = (length, eights(tree), places[tree]);
                length += block.eights;
            }
        }
        g.resize(length as usize, NO_EIGHT);
        for end in sites.iter().flat_map(|site| site.ends) {
            if let End::Link(tree, link) = end {
                reach.want(tree, link);
            }
        }
        for tree in (0..trees.len()).filter(|&tree| touched[tree]) {
            reach.arrange(&trees[tree].articulation.tree, tree);
        }
        for site in sites.iter_mut() {
            site.find_ways(ways, reach, |tree| FOURS * places[tree as usize]);
        }
        self.rows.make_room(all_places);
        self.gather_direct(trees.len(), bodies);
    }

    /// The bodies that rows act on beside trees, some of them several times.
    pub fn bodies(&self) -> impl Iterator<Item = u32> + '_ {
        let of_rows = self.rows.all.iter().flat_map(|row| row.halves).map(|half| half.end);
        let ends = of_rows.chain(self.sites.iter().flat_map(|site| site.ends));
        ends.filter_map(|end| if let End::Body(dense) = end { Some(dense) } else { None })
    }

    /// Some limit of the tree bounces.
    pub fn bounces(&self, tree: usize) -> bool {
        self.spans.get(tree).is_some_and(|span| span.bounces)
    }

    /// G and K of the rows of those trees that have been renewed, by the factors that they hold.
    pub fn respond(&mut self, isa: Isa, trees: &[Working], of: Range<usize>, masses: &[Mass]) {
        isa.dispatch(Respond { rows: self, trees, of: of.clone(), masses });
        self.factor_direct(trees, of, masses);
    }

    #[inline(always)]
    fn answer<P: Packed>(&mut self, trees: &[Working], of: Range<usize>, masses: &[Mass]) {
        for tree in of.clone().filter(|&tree| trees[tree].renewed) {
            let Working { articulation, pass, .. } = &trees[tree];
            self.reach.find::<P::Fours>(&articulation.tree, pass, tree);
        }
        for tree in of {
            let Span { rows, sites, .. } = self.spans[tree].clone();
            for i in sites {
                if self.sites[i].trees().any(|tree| trees[tree as usize].renewed) {
                    self.answer_site::<P::Fours>(i, trees, masses);
                }
            }
            for i in rows {
                if self.rows.all[i].blocks().iter().any(|block| trees[block.tree as usize].renewed) {
                    self.rows.answer(i, trees, masses);
                }
            }
        }
    }

    /// Takes the velocities of `which` of these trees, for rows to work on. Whatever else changes them has to wait for [`TreeRows::give`].
    pub fn take(&mut self, isa: Isa, trees: &[Working], of: Range<usize>, which: fn(&Working) -> bool) {
        isa.dispatch(Take { rows: self, trees, of, which, coming: false });
    }

    /// Gives the velocities back to `which` of these trees; rows still have them.
    pub fn give(&mut self, isa: Isa, trees: &mut [Working], of: Range<usize>, which: fn(&Working) -> bool) {
        isa.dispatch(Give { rows: self, trees, of, which });
    }

    /// The kick over h of those of these trees that are steady.
    pub fn kick_steady(&mut self, isa: Isa, trees: &mut [Working], of: Range<usize>, h: f64) {
        isa.dispatch(KickSteady { rows: self, trees, of, h });
    }

    /// Applies the impulses that the rows carry: to trees, and in the first sub-step to free bodies.
    pub fn warm_start(&mut self, isa: Isa, field: &mut Field<'_>, first: bool) {
        self.unsettle(field.of.clone());
        if first && !field.recipe.warm_start {
            for row in &mut self.rows.all[rows_of(&self.spans, field.of.clone())] {
                row.impulse = 0.0;
            }
            for span in &self.spans[field.of.clone()] {
                for site in &mut self.sites[span.sites.clone()] {
                    site.impulse = [Quad::ZERO; 2];
                }
            }
            return;
        }
        isa.dispatch(WarmStart { rows: self, field, first });
    }

    /// These trees are about to be moved by others than their rows, or have been.
    pub fn unsettle(&mut self, of: Range<usize>) {
        self.spans[of].iter_mut().for_each(|span| span.settled = false);
    }

    /// One pass over all rows, pushing or relaxing.
    ///
    /// One tree after the other, so that all rounds of a tree find its numbers near. A round that has changed next to nothing is
    /// the last.
    pub fn solve(&mut self, isa: Isa, field: &mut Field<'_>) {
        isa.dispatch(SolveRows { rows: self, field });
    }

    /// The same for rows on trees whose motors have given way; all others are done with.
    pub fn solve_again(&mut self, isa: Isa, field: &mut Field<'_>) {
        let yielded = |tree: u32| field.trees[tree as usize].yielded;
        for tree in field.of.clone() {
            let Span { rows, sites, .. } = self.spans[tree].clone();
            let of_rows = self.rows.all[rows].iter().flat_map(Row::blocks).map(|block| block.tree);
            let mut trees = of_rows.chain(self.sites[sites].iter().flat_map(Site::trees));
            let done = !trees.any(yielded) && !self.leads_rows_on(tree, yielded);
            let span = &mut self.spans[tree];
            span.done = done;
            span.settled &= done;
        }
        isa.dispatch(SolveRows { rows: self, field });
        self.spans[field.of.clone()].iter_mut().for_each(|span| span.done = false);
    }

    #[inline(always)]
    fn solve_all<P: Packed>(&mut self, field: &mut Field<'_>) {
        for tree in field.of.clone() {
            let Span { sites, stops, ties, apart, settled, done, .. } = self.spans[tree].clone();
            if settled || done {
                continue;
            }
            // A single row along degrees of freedom has nothing to agree with.
            let alone = sites.is_empty() && ties.is_empty() && stops.len() < 2;
            let rounds = match field.push {
                _ if alone => 1,
                true => ROUNDS,
                false => RELAXING_ROUNDS,
            };
            let [quiet, quiet_among_others] = field.trees[tree].quiet;
            // What closes a loop is to be as exact as the joints of the tree.
            let quiet = if apart && ties.is_empty() { quiet } else { quiet_among_others };
            for _ in 0..rounds {
                self.rows.stir = 0.0;
                self.solve_direct(tree, field);
                self.solve_ties(ties.clone(), field);
                self.solve_stops(stops.clone(), field);
                for i in sites.clone() {
                    self.solve_site::<P::Fours>(i, field);
                }
                if self.rows.stir <= quiet {
                    self.spans[tree].settled = apart;
                    break;
                }
            }
        }
    }

    /// Separations and errors after a sub-step of these velocities.
    pub fn travel(&mut self, isa: Isa, of: Range<usize>, motions: &[Motion], h: f64) {
        self.unsettle(of.clone());
        isa.dispatch(Travel { rows: self, of, motions, h });
    }

    #[inline(always)]
    fn travel_all<P: Packed>(&mut self, of: Range<usize>, motions: &[Motion], h: f64) {
        for tree in of {
            let Span { sites, stops, ties, .. } = self.spans[tree].clone();
            for i in sites {
                self.travel_site::<P::Fours>(i, motions, h);
            }
            self.travel_stops(stops, motions, h);
            self.travel_ties(ties, motions, h);
        }
    }

    /// Velocities along the normals and at limits before trees are kicked in a sub-step: what presses is no blow. Of trees that are not steady they
    /// are to be taken afterwards.
    pub fn approach(&mut self, isa: Isa, trees: &[Working], of: Range<usize>, motions: &[Motion]) {
        if !self.bouncy {
            return;
        }
        isa.dispatch(Take { rows: self, trees, of: of.clone(), which: |tree| !tree.steady, coming: true });
        for tree in of {
            for i in self.spans[tree].sites.clone() {
                if self.sites[i].restitution > 0.0 {
                    self.approach_site::<<Quad as Packed>::Fours>(i, motions);
                }
            }
            self.approach_limits(tree, motions);
        }
    }

    /// Points and limits that have been hit fast enough bounce: the velocity along their rows is -e times that before.
    pub fn bounce(
        &mut self,
        of: Range<usize>,
        motions: &mut [Motion],
        free: &mut [Free],
        masses: &[Mass],
        recipe: &Recipe,
    ) {
        if !self.bouncy {
            return;
        }
        let threshold = recipe.restitution_speed.to_f64();
        for tree in of.clone() {
            for i in self.spans[tree].sites.clone() {
                if self.sites[i].restitution > 0.0 {
                    self.bounce_site::<<Quad as Packed>::Fours>(i, threshold, motions, free, masses);
                }
            }
        }
        for tree in of {
            self.bounce_limits(tree, threshold, motions, free, masses);
        }
    }
}

/// What is done to all rows at once, compiled for each set of instructions.
struct Respond<'a> {
    rows: &'a mut TreeRows,
    trees: &'a [Working],
    of: Range<usize>,
    masses: &'a [Mass],
}

impl Kernel for Respond<'_> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lane>(self) {
        self.rows.answer::<L::Packed>(self.trees, self.of, self.masses);
    }
}

struct Take<'a> {
    rows: &'a mut TreeRows,
    trees: &'a [Working],
    of: Range<usize>,
    which: fn(&Working) -> bool,
    /// The velocities at the start of the sub-step, rather than those of now.
    coming: bool,
}

impl Kernel for Take<'_> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lane>(self) {
        let rows = &mut self.rows.rows;
        if self.coming {
            rows.take::<L::Packed>(self.trees, self.of, self.which, |tree| &tree.coming);
        } else {
            rows.take::<L::Packed>(self.trees, self.of, self.which, |tree| &tree.articulation.tree.qd);
        }
    }
}

struct Give<'a> {
    rows: &'a mut TreeRows,
    trees: &'a mut [Working],
    of: Range<usize>,
    which: fn(&Working) -> bool,
}

impl Kernel for Give<'_> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lane>(self) {
        self.rows.rows.give::<L::Packed>(self.of, self.trees, self.which);
    }
}

struct KickSteady<'a> {
    rows: &'a mut TreeRows,
    trees: &'a mut [Working],
    of: Range<usize>,
    h: f64,
}

impl Kernel for KickSteady<'_> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lane>(self) {
        self.rows.rows.kick_steady::<L::Packed>(self.of, self.trees, self.h);
    }
}

struct WarmStart<'a, 'b> {
    rows: &'a mut TreeRows,
    field: &'a mut Field<'b>,
    first: bool,
}

impl Kernel for WarmStart<'_, '_> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lane>(self) {
        let Self { rows: all, field: Field { of, motions, masses, .. }, first } = self;
        for tree in of.clone() {
            let Span { rows, sites, .. } = all.spans[tree].clone();
            for i in sites {
                let bodies: Option<(&mut [Motion], &[Mass])> = if first { Some((motions, masses)) } else { None };
                all.warm_site::<<L::Packed as Packed>::Fours>(i, bodies);
            }
            for i in rows {
                let bodies: Option<(&mut [Motion], &[Mass])> = if first { Some((motions, masses)) } else { None };
                all.rows.push(i, all.rows.all[i].impulse, bodies);
            }
        }
    }
}

struct Travel<'a> {
    rows: &'a mut TreeRows,
    of: Range<usize>,
    motions: &'a [Motion],
    h: f64,
}

impl Kernel for Travel<'_> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lane>(self) {
        self.rows.travel_all::<L::Packed>(self.of, self.motions, self.h);
    }
}

struct SolveRows<'a, 'b> {
    rows: &'a mut TreeRows,
    field: &'a mut Field<'b>,
}

impl Kernel for SolveRows<'_, '_> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lane>(self) {
        self.rows.solve_all::<L::Packed>(self.field);
    }
}

/// A contact of a link makes rows.
pub(super) fn touches(contact: &Contact) -> bool {
    contact.has(Contact::TOUCHING) && !contact.has(Contact::SENSOR)
}

/// The rows of some trees, which stand one tree after the other.
#[inline(always)]
fn rows_of(spans: &[Span], of: Range<usize>) -> Range<usize> {
    spans[of].iter().map(|span| span.rows.clone()).reduce(|all, of| all.start..of.end).unwrap_or(0..0)
}
