//! Contacts, limits, dry friction and hard motors of articulations, and joints on their links, as rows with the response of whole
//! trees.
//!
//! A row is a number Ċ = J u, u being the velocities along the degrees of freedom of up to two trees and of up to two free bodies.
//! With M̃ of each tree as its last factorisation has it, and the mass of free bodies,
//!
//! ```text
//!   Y = M̃⁻¹ Jᵀ      K = J Y      Δλ = -(Ċ + bias) / K      u ← u + Y Δλ
//! ```
//!
//! Where both ends are links of one tree, J is the sum of both, and K has the cross terms with it. Rows are solved one after the
//! other, several times in a pass, since those of one tree are few and all feel each other. What a contact asks for is what it
//! asks for between free bodies: the equations stand at the head of `contact_kernel`. Rows without bounds are solved all at once
//! in each round: see `direct`.

mod batch;
mod bounces;
mod direct;
mod row_set;
mod sites;
mod stops;
mod ties;

use self::batch::Batch;
use self::bounces::Bounces;
use self::direct::Direct;
pub(super) use self::row_set::End;
use self::row_set::{Block, Eight, Half, Row, RowSet, WIDE};
use self::sites::{Site, add_manifold};
use self::stops::Stops;
use self::ties::Ties;
use super::motion::{Free, Mass, Motion};
use super::tree_work::{Recipe, Working};
use crate::constraint::contact::{Contact, Contacts, NONE};
use crate::crew::Sums;
use crate::math::{Float, Isa, Kernel, Lane, Real};
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
    stops: Stops,
    ties: Ties,
    bounces: Bounces,
    /// Some row bounces.
    bouncy: bool,
    direct: Direct,
    /// Trees that have rows.
    held: Vec<bool>,
    /// Which rows are those of each tree.
    spans: Vec<Span>,
    /// All blocks, one tree after the other: the tree, the row, and which block of the row it is.
    order: Vec<[u32; 3]>,
    batch: Batch,
    /// Rows of sites that are not answered yet.
    asleep: Vec<bool>,
}

/// The rows of a tree: where they, its sites, its stops, its ties and its limits that bounce begin and end.
#[derive(Clone, Debug, Default)]
struct Span {
    rows: Range<usize>,
    sites: Range<usize>,
    stops: Range<usize>,
    ties: Range<usize>,
    limits: Range<usize>,
    /// All blocks that act on it, in the list of them.
    blocks: Range<usize>,
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

    /// Finds the rows of these trees, on which no tree beyond them acts, nor any body where there are `bodies` of none; counts the contact points of awake
    /// bodies.
    pub fn prepare(
        &mut self,
        trees: &[Working],
        end: impl Fn(u32) -> End,
        bodies: usize,
        state: &State,
        supports: Sums<'_>,
        recipe: &Recipe,
        busy: &mut Vec<u32>,
    ) {
        let Self {
            rows: RowSet { all: rows, j, y, u, places, .. },
            sites,
            stops,
            ties,
            bounces,
            bouncy,
            held,
            spans,
            order,
            asleep,
            ..
        } = self;
        rows.clear();
        bounces.clear();
        ties.clear();
        sites.clear();
        stops.clear();
        held.clear();
        held.resize(trees.len(), false);
        spans.clear();
        for tree in 0..trees.len() {
            let first = [rows.len(), sites.len(), stops.len(), ties.len(), bounces.len()];
            for &body in &trees[tree].articulation.bodies {
                for contact in state.contacts.of_body(body) {
                    let c = &state.contacts.all[contact as usize];
                    if !touches(c) {
                        continue;
                    }
                    let ends = [end(c.body_a), end(c.body_b)];
                    // Between two links the first of them counts it.
                    if body != if matches!(ends[0], End::Link(..)) { c.body_a } else { c.body_b } {
                        continue;
                    }
                    let mut m = c.manifolds;
                    while m != NONE {
                        let manifold = &state.contacts.manifolds[m as usize];
                        let pair = [c.body_a, c.body_b].map(|slot| state.bodies.dense_at(slot) as u32);
                        let [a, b] = pair.map(|i| state.bodies.velocity[i as usize]);
                        add_manifold(rows, sites, m, &state.contacts, ends, pair, &state.bodies.params, trees, recipe);
                        // What does not slide yet bears its static limit; see `contact_prepare`.
                        if let Some(site) = sites.last_mut()
                            && manifold.creeps(&a, &b, state.contacts.surface_velocity(m), recipe.creep)
                        {
                            site.dynamic_friction = site.static_friction;
                        }
                        for slot in [c.body_a, c.body_b] {
                            supports.add(state.bodies.dense_at(slot), u32::from(manifold.point_count));
                        }
                        m = manifold.next;
                    }
                    for end in ends {
                        if let End::Link(tree, _) = end {
                            held[tree as usize] = true;
                        }
                    }
                }
            }
            ties.gather(rows, bounces, held, &trees[tree], &end, state, supports, busy);
            let before = rows.len();
            stops.gather(rows, bounces, tree as u32, &trees[tree], recipe);
            held[tree] |= rows.len() > before;
            spans.push(Span {
                rows: first[0]..rows.len(),
                sites: first[1]..sites.len(),
                stops: first[2]..stops.len(),
                ties: first[3]..ties.len(),
                limits: first[4]..bounces.len(),
                blocks: 0..0,
                apart: true,
                bounces: false,
                settled: false,
                done: false,
            });
        }
        for block in rows.iter().filter(|row| !row.plain).flat_map(Row::blocks) {
            spans[block.tree as usize].apart = false;
        }
        for block in bounces.rows().flat_map(|row| rows[row as usize].blocks()) {
            spans[block.tree as usize].bounces = true;
        }
        *bouncy = bounces.rows().next().is_some() || sites.iter().any(|site| site.restitution > 0.0);
        // Blocks find their places once: the trees of a row do not change within a step.
        let eights = |tree: usize| trees[tree].articulation.tree.dofs.len().div_ceil(WIDE) as u32;
        let mut length = 0;
        places.clear();
        for (tree, held) in held.iter().enumerate() {
            places.push(if *held { length } else { NONE });
            length += if *held { eights(tree) } else { 0 };
        }
        u.clear();
        u.resize(length as usize, [0.0; WIDE]);
        let mut length = 0;
        order.clear();
        for (i, row) in rows.iter_mut().enumerate() {
            for (b, block) in row.blocks[..row.block_count as usize].iter_mut().enumerate() {
                order.push([block.tree, i as u32, b as u32]);
                let tree = block.tree as usize;
                (block.first, block.eights, block.at) = (length, eights(tree), places[tree]);
                length += block.eights;
            }
        }
        order.sort_unstable();
        let mut first = 0;
        for of_tree in order.chunk_by(|a, b| a[0] == b[0]) {
            spans[of_tree[0][0] as usize].blocks = first..first + of_tree.len();
            first += of_tree.len();
        }
        asleep.clear();
        asleep.resize(rows.len(), false);
        j.resize(length as usize, [0.0; WIDE]);
        y.resize(length as usize, [0.0; WIDE]);
        self.gather_direct(trees.len(), bodies);
    }

    /// The bodies that rows act on beside trees, some of them several times.
    pub fn bodies(&self) -> impl Iterator<Item = u32> + '_ {
        let halves = self.rows.all.iter().flat_map(|row| row.halves);
        halves.filter_map(|half| if let End::Body(dense) = half.end { Some(dense) } else { None })
    }

    /// Some limit of the tree bounces.
    pub fn bounces(&self, tree: usize) -> bool {
        self.spans.get(tree).is_some_and(|span| span.bounces)
    }

    /// J of the rows of those trees that have been renewed; Y and K too, but of contacts that do not push.
    pub fn respond(&mut self, isa: Isa, trees: &[Working], of: Range<usize>, masses: &[Mass]) {
        isa.dispatch(Respond { rows: self, trees, of: of.clone(), masses });
        self.factor_direct(trees, of, masses);
    }

    #[inline(always)]
    fn answer(&mut self, trees: &[Working], of: Range<usize>, masses: &[Mass]) {
        let Self { rows, sites, batch, order, asleep, spans, .. } = self;
        let is_new = |row: &Row| row.blocks().iter().any(|b| trees[b.tree as usize].renewed);
        for span in &spans[of.clone()] {
            asleep[span.rows.clone()].fill(false);
            for site in &mut sites[span.sites.clone()] {
                let of_site = &rows.all[site.first as usize..][..3 + site.points as usize];
                if is_new(&of_site[0]) {
                    site.answered = of_site.iter().any(|row| row.impulse != 0.0);
                    asleep[site.first as usize..][..of_site.len()].fill(!site.answered);
                }
            }
        }
        for tree in of.clone().filter(|&tree| trees[tree].renewed) {
            let blocks = &order[spans[tree].blocks.clone()];
            for sleeping in [false, true] {
                for &[_, row, block] in blocks.iter().filter(|of| asleep[of[1] as usize] == sleeping) {
                    batch.add(rows, row as usize, block as usize, !sleeping, trees);
                }
            }
        }
        batch.flush(rows, trees);
        for i in rows_of(spans, of) {
            if !asleep[i] && is_new(&rows.all[i]) {
                rows.weigh(i, masses);
            }
        }
    }

    /// Applies the impulses that the rows carry: to trees, and in the first sub-step to free bodies.
    pub fn warm_start(&mut self, isa: Isa, field: &mut Field<'_>, first: bool) {
        self.unsettle(field.of.clone());
        if first && !field.recipe.warm_start {
            for row in &mut self.rows.all[rows_of(&self.spans, field.of.clone())] {
                row.impulse = 0.0;
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
            let mut blocks = self.rows.all[self.spans[tree].rows.clone()].iter().flat_map(Row::blocks);
            let done = !blocks.any(|block| yielded(block.tree)) && !self.leads_rows_on(tree, yielded);
            let span = &mut self.spans[tree];
            span.done = done;
            span.settled &= done;
        }
        isa.dispatch(SolveRows { rows: self, field });
        self.spans[field.of.clone()].iter_mut().for_each(|span| span.done = false);
    }

    #[inline(always)]
    fn solve_all(&mut self, field: &mut Field<'_>) {
        self.rows.load(field.of.clone(), |tree| velocities(field.trees, tree));
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
            let quiet = field.trees[tree].quiet;
            for _ in 0..rounds {
                self.rows.stir = 0.0;
                self.solve_direct(tree, field);
                self.solve_ties(ties.clone(), field);
                self.solve_stops(stops.clone(), field);
                for i in sites.clone() {
                    self.solve_friction(i, field);
                    self.solve_normals(i, field);
                }
                if self.rows.stir <= quiet {
                    self.spans[tree].settled = apart;
                    break;
                }
            }
        }
        self.rows.unload(field.of.clone(), field.trees);
    }

    /// Separations and errors after a sub-step of these velocities.
    pub fn travel(&mut self, isa: Isa, trees: &[Working], of: Range<usize>, motions: &[Motion], h: f64) {
        self.unsettle(of.clone());
        isa.dispatch(Travel { rows: self, trees, of, motions, h });
    }

    #[inline(always)]
    fn travel_all(&mut self, trees: &[Working], of: Range<usize>, motions: &[Motion], h: f64) {
        self.rows.load(of.clone(), |tree| velocities(trees, tree));
        for tree in of {
            let Span { sites, stops, ties, .. } = self.spans[tree].clone();
            for site in &mut self.sites[sites] {
                let points = &self.rows.all[site.first as usize + 3..][..site.points as usize];
                for (separation, row) in site.separation.iter_mut().zip(points) {
                    *separation += h * self.rows.rate(row, motions);
                }
            }
            self.travel_stops(stops, motions, h);
            self.travel_ties(ties, motions, h);
        }
    }

    /// Velocities along the normals and at limits before trees are kicked in a sub-step: what presses is no blow.
    pub fn approach(&mut self, trees: &[Working], of: Range<usize>, motions: &[Motion]) {
        if !self.bouncy {
            return;
        }
        self.rows.load(of.clone(), |tree| &trees[tree].coming);
        for tree in of.clone() {
            let sites = self.spans[tree].sites.clone();
            for site in self.sites[sites].iter_mut().filter(|s| s.restitution > 0.0) {
                let points = &self.rows.all[site.first as usize + 3..][..site.points as usize];
                for (approach, row) in site.approach.iter_mut().zip(points) {
                    *approach = self.rows.rate(row, motions);
                }
            }
            self.approach_limits(tree, motions);
        }
        self.kick_limits(trees, of, motions);
    }

    /// Points and limits that have been hit fast enough bounce: the velocity along their rows is -e times that before.
    pub fn bounce(
        &mut self,
        trees: &mut [Working],
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
        self.rows.load(of.clone(), |tree| velocities(trees, tree));
        for tree in of.clone() {
            for i in self.spans[tree].sites.clone() {
                let site = self.sites[i];
                if site.restitution <= 0.0 {
                    continue;
                }
                for p in 0..site.points as usize {
                    let r = site.first as usize + 3 + p;
                    if self.rows.all[r].impulse > 0.0 && site.approach[p] < -threshold {
                        self.bounce_row(r, site.restitution * site.approach[p], motions, free, masses);
                    }
                }
            }
        }
        for tree in of.clone() {
            self.bounce_limits(tree, threshold, motions, free, masses);
        }
        self.rows.unload(of, trees);
    }

    /// Writes the impulses back to the manifolds: where the next step starts.
    pub fn store(&self, contacts: &mut Contacts) {
        for site in &self.sites {
            let manifold = &mut contacts.manifolds[site.manifold as usize];
            let rows = &self.rows.all[site.first as usize..];
            let impulse = |k: usize| Real::from_f64(rows[k].impulse);
            let n = manifold.normal;
            manifold.friction_impulse = site.tangent * impulse(0) + n.cross(site.tangent) * impulse(1);
            manifold.angular_impulse = n * impulse(2);
            for (p, point) in manifold.points[..site.points as usize].iter_mut().enumerate() {
                point.normal_impulse = impulse(3 + p);
            }
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
        self.rows.answer(self.trees, self.of, self.masses);
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
        let Self { rows: TreeRows { rows, spans, .. }, field: Field { trees, of, motions, masses, .. }, first } = self;
        rows.load(of.clone(), |tree| velocities(trees, tree));
        for i in rows_of(spans, of.clone()) {
            rows.push(i, rows.all[i].impulse, if first { Some((motions, masses)) } else { None });
        }
        rows.unload(of.clone(), trees);
    }
}

struct Travel<'a> {
    rows: &'a mut TreeRows,
    trees: &'a [Working],
    of: Range<usize>,
    motions: &'a [Motion],
    h: f64,
}

impl Kernel for Travel<'_> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lane>(self) {
        self.rows.travel_all(self.trees, self.of, self.motions, self.h);
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
        self.rows.solve_all(self.field);
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

/// The velocities of a tree.
#[inline(always)]
fn velocities(trees: &[Working], tree: usize) -> &[f64] {
    &trees[tree].articulation.tree.qd
}
