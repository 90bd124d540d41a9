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
use self::row_set::{Block, Eight, End, Half, Row, RowSet, WIDE};
use self::sites::{Site, add_manifold};
use self::stops::Stops;
use self::ties::Ties;
use super::motion::{Free, Mass, Motion};
use super::tree_work::{Recipe, Working};
use crate::constraint::contact::{Contact, Contacts, NONE};
use crate::math::{Float, Isa, Kernel, Lane, Real};
use crate::world::State;

/// Rounds over all rows in one pass that pushes, and in one that relaxes, which starts from what the other has left.
const ROUNDS: usize = 4;
const RELAXING_ROUNDS: usize = 2;

/// What the rows of a step act on, and how.
pub(super) struct Field<'a> {
    pub trees: &'a mut [Working],
    pub motions: &'a mut [Motion],
    pub masses: &'a [Mass],
    pub recipe: &'a Recipe,
    /// Errors are taken out, rather than velocities alone.
    pub push: bool,
}

/// All rows of a step. Kept between steps for its memory.
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

/// The rows of a tree: where its sites, stops and ties begin and end.
#[derive(Clone, Debug, Default)]
struct Span {
    sites: core::ops::Range<usize>,
    stops: core::ops::Range<usize>,
    ties: core::ops::Range<usize>,
    /// Its rows act on nothing but the tree, and no others act on it.
    apart: bool,
    /// Some limit of it bounces.
    bounces: bool,
    /// Nothing has acted on it since a round that changed next to nothing.
    settled: bool,
}

impl TreeRows {
    /// The tree has rows in this step.
    pub fn holds(&self, tree: usize) -> bool {
        self.held.get(tree).is_some_and(|&h| h)
    }

    /// Finds the rows of all trees, and counts the contact points of awake bodies.
    pub fn prepare(
        &mut self,
        trees: &mut [Working],
        links: &[[u32; 2]],
        state: &State,
        supports: &mut [u32],
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
        let end = |slot: u32| {
            let dense = state.bodies.dense_at(slot);
            match links.get(dense) {
                Some(&[tree, link]) if tree != NONE => End::Link(tree, link),
                Some(_) => End::Body(dense as u32),
                None => End::Nothing,
            }
        };
        for tree in 0..trees.len() {
            let first = [sites.len(), stops.len(), ties.len()];
            for &body in &trees[tree].articulation.bodies {
                for contact in state.contacts.of_body(body) {
                    let c = &state.contacts.all[contact as usize];
                    let ends = [end(c.body_a), end(c.body_b)];
                    // Between two links the first of them counts it.
                    let first = if matches!(ends[0], End::Link(..)) { c.body_a } else { c.body_b };
                    if first != body || !c.has(Contact::TOUCHING) || c.has(Contact::SENSOR) {
                        continue;
                    }
                    let mut m = c.manifolds;
                    while m != NONE {
                        let manifold = &state.contacts.manifolds[m as usize];
                        let bodies = [c.body_a, c.body_b].map(|slot| state.bodies.dense_at(slot) as u32);
                        let [a, b] = bodies.map(|i| state.bodies.velocity[i as usize]);
                        add_manifold(rows, sites, m, &state.contacts, ends, bodies, trees, recipe);
                        // What does not slide yet bears its static limit; see `contact_prepare`.
                        if let Some(site) = sites.last_mut()
                            && manifold.creeps(&a, &b, state.contacts.surface_velocity(m), recipe.creep)
                        {
                            site.dynamic_friction = site.static_friction;
                        }
                        for slot in [c.body_a, c.body_b] {
                            if let Some(s) = supports.get_mut(state.bodies.dense_at(slot)) {
                                *s += u32::from(manifold.point_count);
                            }
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
            ties.gather(rows, bounces, held, &trees[tree], end, state, supports, busy);
            let before = rows.len();
            stops.gather(rows, bounces, tree as u32, &trees[tree], recipe);
            held[tree] |= rows.len() > before;
            let (sites, stops, ties) = (first[0]..sites.len(), first[1]..stops.len(), first[2]..ties.len());
            spans.push(Span { sites, stops, ties, apart: true, bounces: false, settled: false });
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
        j.resize(length as usize, [0.0; WIDE]);
        y.resize(length as usize, [0.0; WIDE]);
        self.gather_direct(trees.len(), links.len());
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

    /// Joints tie trees to each other or to bodies.
    pub fn has_ties(&self) -> bool {
        self.ties.len() > 0
    }

    /// J of the rows of trees that have been renewed; Y and K too, but of contacts that do not push.
    pub fn respond(&mut self, isa: Isa, trees: &[Working], masses: &[Mass]) {
        isa.dispatch(Respond { rows: self, trees, masses });
        self.factor_direct(masses);
    }

    #[inline(always)]
    fn answer(&mut self, trees: &[Working], masses: &[Mass]) {
        let Self { rows, sites, batch, order, asleep, .. } = self;
        let is_new = |row: &Row| row.blocks().iter().any(|b| trees[b.tree as usize].renewed);
        asleep.clear();
        asleep.resize(rows.all.len(), false);
        for site in sites.iter_mut() {
            let of_site = &rows.all[site.first as usize..][..3 + site.points as usize];
            if is_new(&of_site[0]) {
                site.answered = of_site.iter().any(|row| row.impulse != 0.0);
                asleep[site.first as usize..][..of_site.len()].fill(!site.answered);
            }
        }
        for of_tree in order.chunk_by(|a, b| a[0] == b[0]).filter(|of| trees[of[0][0] as usize].renewed) {
            for sleeping in [false, true] {
                for &[_, row, block] in of_tree.iter().filter(|of| asleep[of[1] as usize] == sleeping) {
                    batch.add(rows, row as usize, block as usize, !sleeping, trees);
                }
            }
        }
        batch.flush(rows, trees);
        for i in 0..rows.all.len() {
            if !asleep[i] && is_new(&rows.all[i]) {
                rows.weigh(i, masses);
            }
        }
    }

    /// Applies the impulses that the rows carry: to trees, and in the first sub-step to free bodies.
    pub fn warm_start(&mut self, isa: Isa, field: &mut Field<'_>, first: bool) {
        self.unsettle();
        if first && !field.recipe.warm_start {
            for row in &mut self.rows.all {
                row.impulse = 0.0;
            }
            return;
        }
        isa.dispatch(WarmStart { rows: &mut self.rows, field, first });
    }

    /// The trees are about to be moved by others than their rows.
    fn unsettle(&mut self) {
        self.spans.iter_mut().for_each(|span| span.settled = false);
    }

    /// One pass over all rows, pushing or relaxing.
    ///
    /// One tree after the other, so that all rounds of a tree find its numbers near. A round that has changed next to nothing is
    /// the last.
    pub fn solve(&mut self, isa: Isa, field: &mut Field<'_>) {
        isa.dispatch(SolveRows { rows: self, field });
    }

    #[inline(always)]
    fn solve_all(&mut self, field: &mut Field<'_>) {
        self.rows.load(velocities(field.trees));
        for tree in 0..self.spans.len() {
            let Span { sites, stops, ties, apart, settled, .. } = self.spans[tree].clone();
            if settled {
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
        self.rows.unload(field.trees);
    }

    /// Separations and errors after a sub-step of these velocities.
    pub fn travel(&mut self, isa: Isa, trees: &[Working], motions: &[Motion], h: f64) {
        self.unsettle();
        isa.dispatch(Travel { rows: self, trees, motions, h });
    }

    #[inline(always)]
    fn travel_all(&mut self, trees: &[Working], motions: &[Motion], h: f64) {
        self.rows.load(velocities(trees));
        for site in &mut self.sites {
            let points = &self.rows.all[site.first as usize + 3..][..site.points as usize];
            for (separation, row) in site.separation.iter_mut().zip(points) {
                *separation += h * self.rows.rate(row, motions);
            }
        }
        self.travel_stops(motions, h);
        self.travel_ties(motions, h);
    }

    /// Velocities along the normals and at limits before trees are kicked in a sub-step: what presses is no blow.
    pub fn approach(&mut self, trees: &[Working], motions: &[Motion]) {
        if !self.bouncy {
            return;
        }
        self.rows.load(trees.iter().map(|tree| &tree.coming[..]));
        for site in self.sites.iter_mut().filter(|s| s.restitution > 0.0) {
            let points = &self.rows.all[site.first as usize + 3..][..site.points as usize];
            for (approach, row) in site.approach.iter_mut().zip(points) {
                *approach = self.rows.rate(row, motions);
            }
        }
        self.approach_limits(motions);
        self.kick_limits(trees, motions);
    }

    /// Points and limits that have been hit fast enough bounce: the velocity along their rows is -e times that before.
    pub fn bounce(
        &mut self,
        trees: &mut [Working],
        motions: &mut [Motion],
        free: &mut [Free],
        masses: &[Mass],
        recipe: &Recipe,
    ) {
        if !self.bouncy {
            return;
        }
        let threshold = recipe.restitution_speed.to_f64();
        self.rows.load(velocities(trees));
        for i in 0..self.sites.len() {
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
        self.bounce_limits(threshold, motions, free, masses);
        self.rows.unload(trees);
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
    masses: &'a [Mass],
}

impl Kernel for Respond<'_> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lane>(self) {
        self.rows.answer(self.trees, self.masses);
    }
}

struct WarmStart<'a, 'b> {
    rows: &'a mut RowSet,
    field: &'a mut Field<'b>,
    first: bool,
}

impl Kernel for WarmStart<'_, '_> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lane>(self) {
        let Self { rows, field: Field { trees, motions, masses, .. }, first } = self;
        rows.load(velocities(trees));
        for i in 0..rows.all.len() {
            rows.push(i, rows.all[i].impulse, if first { Some((motions, masses)) } else { None });
        }
        rows.unload(trees);
    }
}

struct Travel<'a> {
    rows: &'a mut TreeRows,
    trees: &'a [Working],
    motions: &'a [Motion],
    h: f64,
}

impl Kernel for Travel<'_> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lane>(self) {
        self.rows.travel_all(self.trees, self.motions, self.h);
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

/// The velocities of all trees.
#[inline(always)]
fn velocities(trees: &[Working]) -> impl Iterator<Item = &[f64]> {
    trees.iter().map(|tree| &tree.articulation.tree.qd[..])
}
