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
mod stops;
mod ties;

use self::batch::Batch;
use self::bounces::Bounces;
use self::direct::Direct;
use self::stops::Stops;
use self::ties::Ties;
use super::contact_constraint::Soft;
use super::motion::{self, Free, MOVABLE, Mass, Motion};
use super::tree_work::{Recipe, Working, velocity};
use crate::articulation::dynamics::path;
use crate::articulation::stops::{Along, NOWHERE};
use crate::constraint::contact::{Contact, ContactManifold, Contacts, NONE, SOLVED_POINTS};
use crate::math::{Float, Isa, Kernel, Lane, Num, Real, Vec3};
use crate::world::State;

/// Rounds over all rows in one pass that pushes, and in one that relaxes, which starts from what the other has left.
const ROUNDS: usize = 4;
const RELAXING_ROUNDS: usize = 2;

/// The share of the response of loose links below which a row is held by the joints of its trees.
const HELD: f64 = 1e-10;

/// One end of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
enum End {
    /// Nothing moves it.
    Nothing,
    /// A free body, by dense index.
    Body(u32),
    /// A link of a tree at work.
    Link(u32, u32),
}

/// J over one end: what stands before v and ω of its centre of mass.
#[derive(Clone, Copy, Debug)]
struct Half {
    end: End,
    /// The body by dense index, or `NONE` where nothing moves it.
    body: u32,
    linear: Vec3<f64>,
    angular: Vec3<f64>,
}

impl Half {
    /// Δv and Δω of a free body by an impulse along the row.
    fn change(&self, impulse: f64, mass: &Mass) -> (Vec3, Vec3) {
        let linear = (self.linear * impulse).to_real().scale(Vec3::new(mass[6], mass[7], mass[8]));
        (linear, motion::inertia_of(mass) * (self.angular * impulse).to_real())
    }
}

const NO_HALF: Half = Half { end: End::Nothing, body: NONE, linear: Vec3::ZERO, angular: Vec3::ZERO };

/// Numbers along degrees of freedom go by eight, with zeros after the last: lists this short would mostly be left to the end of a loop.
const WIDE: usize = 8;
type Eight = [f64; WIDE];

/// J and Y over the degrees of freedom of one tree.
#[derive(Clone, Copy, Debug)]
struct Block {
    tree: u32,
    /// Where both begin in the lists of all, and how many eights they are.
    first: u32,
    eights: u32,
    /// Where the velocities of the tree begin.
    at: u32,
}

const NO_BLOCK: Block = Block { tree: NONE, first: 0, eights: 0, at: 0 };

impl Block {
    #[inline(always)]
    fn range(&self) -> core::ops::Range<usize> {
        self.first as usize..(self.first + self.eights) as usize
    }

    /// The velocities that go with them.
    #[inline(always)]
    fn moves(&self) -> core::ops::Range<usize> {
        self.at as usize..(self.at + self.eights) as usize
    }
}

#[derive(Clone, Copy, Debug)]
struct Row {
    halves: [Half; 2],
    /// A row along degrees of freedom of the tree of the first block.
    along: Along,
    blocks: [Block; 2],
    block_count: u32,
    /// K and 1/K; 0 where nothing moves.
    k: f64,
    mass: f64,
    impulse: f64,
    /// It is solved with others of its kind: see `direct`.
    direct: bool,
    /// It acts on a free body as well.
    free: bool,
    /// It acts on one tree and on nothing else.
    plain: bool,
}

/// A row that is not there.
const IDLE: Row = Row {
    halves: [NO_HALF; 2],
    along: NOWHERE,
    blocks: [NO_BLOCK; 2],
    block_count: 0,
    k: 0.0,
    mass: 0.0,
    impulse: 0.0,
    direct: false,
    free: false,
    plain: true,
};

impl Row {
    /// A row between two ends.
    fn between(halves: [Half; 2], impulse: f64) -> Self {
        let mut row = Self { halves, impulse, ..IDLE };
        for half in &halves {
            match half.end {
                End::Link(tree, _) if row.block_count == 0 || row.blocks[0].tree != tree => {
                    row.blocks[row.block_count as usize].tree = tree;
                    row.block_count += 1;
                }
                End::Body(_) => row.free = true,
                _ => {}
            }
        }
        row.plain = row.block_count < 2 && !row.free;
        row
    }

    /// A row along degrees of freedom of a tree.
    fn along(along: Along, tree: u32, impulse: f64) -> Self {
        Self { along, blocks: [Block { tree, ..NO_BLOCK }, NO_BLOCK], block_count: 1, impulse, ..IDLE }
    }

    #[inline(always)]
    fn blocks(&self) -> &[Block] {
        &self.blocks[..self.block_count as usize]
    }
}

/// The rows of a manifold: friction along two tangents and about the normal, then one for each point.
#[derive(Clone, Copy, Debug)]
struct Site {
    manifold: u32,
    first: u32,
    points: u32,
    /// Y and K of its rows are known. Surfaces that are apart and stay so need J alone.
    answered: bool,
    tangent: Vec3,
    separation: [f64; SOLVED_POINTS],
    lever: [f64; SOLVED_POINTS],
    /// Velocity along the normal before the rows of the sub-step.
    approach: [f64; SOLVED_POINTS],
    surface: [f64; 2],
    static_friction: f64,
    dynamic_friction: f64,
    spinning: f64,
    restitution: f64,
    soft: Soft,
    firm_depth: f64,
}

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

/// Rows, and what they do to trees.
#[derive(Clone, Debug, Default)]
struct RowSet {
    all: Vec<Row>,
    /// J and Y of all blocks.
    j: Vec<Eight>,
    y: Vec<Eight>,
    /// The velocities of all trees that have rows, while rows are at work on them, and where those of each begin; `NONE` for others.
    u: Vec<Eight>,
    places: Vec<u32>,
    /// Σ K Δλ² of a round: twice the energy of all that it has changed.
    stir: f64,
}

/// The rows of a tree: where its sites, stops and ties begin and end.
#[derive(Clone, Debug, Default)]
struct Span {
    sites: core::ops::Range<usize>,
    stops: core::ops::Range<usize>,
    ties: core::ops::Range<usize>,
    /// Its rows act on nothing but the tree, and no others act on it.
    apart: bool,
    /// Some row of it bounces.
    bounces: bool,
    /// Nothing has acted on it since a round that changed next to nothing.
    settled: bool,
}

impl RowSet {
    /// Takes the velocities of the trees.
    #[inline(always)]
    fn load<'a>(&mut self, velocities: impl Iterator<Item = &'a [f64]>) {
        for (&at, qd) in self.places.iter().zip(velocities).filter(|p| *p.0 != NONE) {
            self.u.as_flattened_mut()[WIDE * at as usize..][..qd.len()].copy_from_slice(qd);
        }
    }

    /// Gives them back.
    #[inline(always)]
    fn unload(&self, trees: &mut [Working]) {
        for (&at, tree) in self.places.iter().zip(trees).filter(|p| *p.0 != NONE) {
            let qd = &mut tree.articulation.tree.qd;
            let u = &self.u.as_flattened()[WIDE * at as usize..][..qd.len()];
            qd.copy_from_slice(u);
        }
    }

    /// The part of one tree in Ċ.
    #[inline(always)]
    fn rate_along(&self, block: &Block) -> f64 {
        dot(&self.j[block.range()], &self.u[block.moves()])
    }

    /// Ċ
    #[inline(always)]
    fn rate(&self, row: &Row, motions: &[Motion]) -> f64 {
        let mut rate = self.rate_along(&row.blocks[0]);
        if row.plain {
            return rate;
        }
        rate += self.rate_along(&row.blocks[1]);
        for half in &row.halves {
            if let End::Body(dense) = half.end {
                let (v, w) = velocity(&motions[dense as usize]);
                rate += half.linear.dot(v) + half.angular.dot(w);
            }
        }
        rate
    }

    /// u ← u + Y Δλ, on trees alone or on free bodies too.
    #[inline(always)]
    fn push(&mut self, i: usize, delta: f64, bodies: Option<(&mut [Motion], &[Mass])>) {
        if delta == 0.0 {
            return;
        }
        let Self { all, y, u, .. } = self;
        let row = &all[i];
        let [a, b] = &row.blocks;
        add_scaled(&mut u[a.moves()], &y[a.range()], delta);
        if row.plain {
            return;
        }
        add_scaled(&mut u[b.moves()], &y[b.range()], delta);
        let Some((motions, masses)) = bodies.filter(|_| row.free) else { return };
        for half in &row.halves {
            let End::Body(dense) = half.end else { continue };
            let (motion, mass) = (&mut motions[dense as usize], &masses[dense as usize]);
            if mass[MOVABLE] == 0.0 {
                continue;
            }
            let (v, w) = motion::velocity_of(motion);
            let (dv, dw) = half.change(delta, mass);
            motion::set_velocity(motion, v + dv, w + dw);
        }
    }

    /// Sets the impulse of a row, and pushes by what it has changed.
    #[inline(always)]
    fn set_impulse(&mut self, i: usize, impulse: f64, field: &mut Field<'_>) {
        let row = &mut self.all[i];
        let delta = impulse - row.impulse;
        row.impulse = impulse;
        self.stir += delta * delta * row.k;
        self.push(i, delta, Some((field.motions, field.masses)));
    }

    /// K, where J and Y are known.
    #[inline(always)]
    fn weigh(&mut self, i: usize, masses: &[Mass]) {
        let Self { all, j, y, .. } = self;
        let row = &mut all[i];
        let mut k = 0.0;
        for block in row.blocks() {
            k += dot(&j[block.range()], &y[block.range()]);
        }
        // What it would be if no joint held the links.
        let mut loose = 0.0;
        for half in &row.halves {
            let Some(mass) = masses.get(half.body as usize).filter(|m| m[MOVABLE] != 0.0) else { continue };
            let inverse = Vec3::new(mass[6], mass[7], mass[8]).to_f64();
            let own = half.linear.dot(half.linear.scale(inverse))
                + half.angular.dot(motion::inertia_of(mass).to_f64() * half.angular);
            loose += own;
            if matches!(half.end, End::Body(_)) {
                k += own;
            }
        }
        // Along what the joints hold anyway, only rounding moves.
        (row.k, row.mass) = if k > loose * HELD && k.is_finite() { (k, 1.0 / k) } else { (0.0, 0.0) };
    }
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
                        add_manifold(rows, sites, m, manifold, ends, bodies, trees, recipe);
                        // What does not slide yet bears its static limit; see `contact_prepare`.
                        if let Some(site) = sites.last_mut()
                            && manifold.creeps(&a, &b, recipe.creep)
                        {
                            site.dynamic_friction = site.static_friction;
                        }
                        for slot in [c.body_a, c.body_b] {
                            if let Some(s) = supports.get_mut(state.bodies.dense_at(slot)) {
                                *s += manifold.point_count;
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
        let bouncing = sites.iter().filter(|site| site.restitution > 0.0).map(|site| site.first);
        for block in bouncing.chain(bounces.rows()).flat_map(|row| rows[row as usize].blocks()) {
            spans[block.tree as usize].bounces = true;
        }
        *bouncy = spans.iter().any(|span| span.bounces);
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

    /// Some row of the tree bounces.
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

    /// J, Y and K of a site that begins to push.
    #[inline(always)]
    fn wake(&mut self, site: usize, trees: &[Working], masses: &[Mass]) {
        let Self { rows, sites, batch, .. } = self;
        let site = &mut sites[site];
        site.answered = true;
        let of_site = site.first as usize..(site.first + 3 + site.points) as usize;
        for block in 0..2 {
            for row in of_site.clone() {
                if block < rows.all[row].block_count as usize {
                    batch.add(rows, row, block, true, trees);
                }
            }
        }
        batch.flush(rows, trees);
        for row in of_site {
            rows.weigh(row, masses);
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

    #[inline(always)]
    fn solve_normals(&mut self, i: usize, field: &mut Field<'_>) {
        let (recipe, push) = (field.recipe, field.push);
        let h = recipe.h.to_f64();
        let (slop, push_speed) = (recipe.slop.to_f64(), recipe.push_speed.to_f64());
        for p in 0..self.sites[i].points as usize {
            let site = &self.sites[i];
            let (r, answered) = (site.first as usize + 3 + p, site.answered);
            let (row, s) = (&self.rows.all[r], site.separation[p]);
            let mut share = 1.0;
            let bias = if s > 0.0 {
                // As in the kernel: the relaxing pass leaves surfaces alone that are apart and have not pushed.
                if !push && row.impulse <= 0.0 {
                    continue;
                }
                s / h
            } else if push {
                let mut out = site.soft.bias_rate.to_f64() * Num::min(s + slop, 0.0);
                if s + site.firm_depth <= 0.0 {
                    share = site.soft.mass_scale.to_f64();
                    // What is soft beyond measure has no mass left, and gives way to anything.
                    if row.impulse > 0.0 && share * row.mass > 0.0 {
                        out += site.soft.impulse_scale.to_f64() / (share * row.mass) * row.impulse;
                    }
                }
                // As in the kernel: the limit is on what comes of push and load together.
                if site.firm_depth < 0.0 { out } else { Num::max(out, -push_speed) }
            } else {
                0.0
            };
            let rate = self.rows.rate(row, field.motions);
            // What does not push need not either.
            if row.impulse == 0.0 && rate + bias >= 0.0 {
                continue;
            }
            if !answered {
                self.wake(i, field.trees, field.masses);
            }
            let row = &self.rows.all[r];
            let new = row.impulse - share * row.mass * (rate + bias);
            self.rows.set_impulse(r, Num::max(new, 0.0), field);
        }
    }

    /// Friction of a manifold: the impulse that would stop slip and twist, or as much of it as friction bears.
    #[inline(always)]
    fn solve_friction(&mut self, i: usize, field: &mut Field<'_>) {
        let site = &self.sites[i];
        let first = site.first as usize;
        let (mut normal, mut torque) = (0.0, 0.0);
        for p in 0..site.points as usize {
            let lambda = self.rows.all[first + 3 + p].impulse;
            normal += lambda;
            torque += lambda * site.lever[p];
        }
        // What nothing presses rubs on nothing.
        if normal <= 0.0 && self.rows.all[first..first + 3].iter().all(|row| row.impulse == 0.0) {
            return;
        }
        torque += normal * site.spinning;
        let lever = if normal > 0.0 { torque / normal } else { 0.0 };
        let mut wanted = [0.0; 3];
        for (k, wanted) in wanted.iter_mut().enumerate() {
            let row = &self.rows.all[first + k];
            let surface = if k < 2 { site.surface[k] } else { 0.0 };
            *wanted = row.impulse - row.mass * (self.rows.rate(row, field.motions) + surface);
        }
        if !(lever > 0.0) {
            wanted[2] = 0.0;
        }
        // Slip comes first, and twist gets what is left. The wheels of one car hold it against turning several times over: twist that
        // they hold against each other must not use up the friction that drives it.
        let most = |size: f64| if size > site.static_friction * normal { site.dynamic_friction * normal } else { size };
        let slip = Num::sqrt(wanted[0] * wanted[0] + wanted[1] * wanted[1]);
        let kept = most(slip);
        if slip > kept {
            wanted = [wanted[0] * (kept / slip), wanted[1] * (kept / slip), wanted[2]];
        }
        let whole = site.dynamic_friction * normal;
        let left = lever * Num::sqrt(Num::max(whole * whole - kept * kept, 0.0));
        wanted[2] = wanted[2].clamp(-left, left);
        for (k, wanted) in wanted.into_iter().enumerate() {
            self.rows.set_impulse(first + k, wanted, field);
        }
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

/// Σ a b in eight sums side by side; in pairs where lists are as short as those of most trees, so that no sum waits long for another.
#[inline(always)]
fn dot(a: &[Eight], b: &[Eight]) -> f64 {
    let times = |a: &Eight, b: &Eight| -> Eight { core::array::from_fn(|k| a[k] * b[k]) };
    let plus = |a: Eight, b: Eight| -> Eight { core::array::from_fn(|k| a[k] + b[k]) };
    let sums = match (a, b) {
        ([a0, a1, a2, a3], [b0, b1, b2, b3]) => {
            plus(plus(times(a0, b0), times(a1, b1)), plus(times(a2, b2), times(a3, b3)))
        }
        ([a0, a1, a2], [b0, b1, b2]) => plus(plus(times(a0, b0), times(a1, b1)), times(a2, b2)),
        _ => a.iter().zip(b).fold([0.0; WIDE], |sums, (a, b)| plus(sums, times(a, b))),
    };
    let four: [f64; 4] = core::array::from_fn(|k| sums[k] + sums[k + 4]);
    (four[0] + four[2]) + (four[1] + four[3])
}

/// to ← to + y t
#[inline(always)]
fn add_scaled(to: &mut [Eight], y: &[Eight], t: f64) {
    match (to, y) {
        ([u0, u1, u2, u3], [y0, y1, y2, y3]) => {
            add_eight(u0, y0, t);
            add_eight(u1, y1, t);
            add_eight(u2, y2, t);
            add_eight(u3, y3, t);
        }
        ([u0, u1, u2], [y0, y1, y2]) => {
            add_eight(u0, y0, t);
            add_eight(u1, y1, t);
            add_eight(u2, y2, t);
        }
        (to, y) => to.iter_mut().zip(y).for_each(|(to, y)| add_eight(to, y, t)),
    }
}

#[inline(always)]
fn add_eight(to: &mut Eight, y: &Eight, t: f64) {
    *to = core::array::from_fn(|k| to[k] + y[k] * t);
}

#[allow(clippy::too_many_arguments)]
fn add_manifold(
    rows: &mut Vec<Row>,
    sites: &mut Vec<Site>,
    index: u32,
    manifold: &ContactManifold,
    ends: [End; 2],
    bodies: [u32; 2],
    trees: &[Working],
    recipe: &Recipe,
) {
    let points = manifold.used();
    let (n, material) = (manifold.normal, &manifold.material);
    let total: Real = points.iter().map(|p| p.normal_impulse).sum();
    let mut centre = Vec3::ZERO;
    for p in points {
        centre += p.anchor * if total > 0.0 { p.normal_impulse / total } else { 1.0 / points.len() as Real };
    }
    let (t1, t2) = n.tangents();
    let mut add = |linear: Vec3, arm_a: Option<Vec3>, impulse: Real| {
        if linear == Vec3::ZERO {
            rows.push(IDLE);
            return rows.len() as u32 - 1;
        }
        // J = [-d, -(r_A × d), d, r_B × d], or [0, -d, 0, d] for a turn about d.
        let half = |side: usize, sign: Real, arm: Option<Vec3>| {
            let (end, body) = (ends[side], bodies[side]);
            match arm {
                Some(arm) => {
                    Half { end, body, linear: (linear * sign).to_f64(), angular: (arm.cross(linear) * sign).to_f64() }
                }
                None => Half { end, body, linear: Vec3::ZERO, angular: (linear * sign).to_f64() },
            }
        };
        let halves = [half(0, -1.0, arm_a), half(1, 1.0, arm_a.map(|a| a - manifold.lever))];
        rows.push(Row::between(halves, impulse.to_f64()));
        rows.len() as u32 - 1
    };
    let first = add(t1, Some(centre), manifold.friction_impulse.dot(t1));
    add(t2, Some(centre), manifold.friction_impulse.dot(t2));
    // One point bears no torque unless its material does.
    let twists = points.len() > 1 || material.spinning_friction > 0.0;
    add(if twists { n } else { Vec3::ZERO }, None, manifold.angular_impulse.dot(n));
    let still = |end: End| match end {
        End::Nothing => true,
        End::Body(_) => false,
        End::Link(tree, link) => path(&trees[tree as usize].articulation.tree, link as usize).next().is_none(),
    };
    let fixed = ends.into_iter().any(still);
    let own = material.hertz > 0.0;
    let mut site = Site {
        manifold: index,
        first,
        points: points.len() as u32,
        answered: false,
        tangent: t1,
        separation: [0.0; SOLVED_POINTS],
        lever: [0.0; SOLVED_POINTS],
        approach: [0.0; SOLVED_POINTS],
        surface: [t1, t2].map(|t| manifold.surface_velocity.dot(t).to_f64()),
        static_friction: material.static_friction.to_f64(),
        dynamic_friction: material.dynamic_friction.to_f64(),
        spinning: material.spinning_friction.to_f64(),
        restitution: material.restitution.to_f64(),
        soft: if own {
            Soft::new(material.hertz, material.damping_ratio, recipe.h)
        } else if fixed {
            recipe.soft_fixed
        } else {
            recipe.soft
        },
        firm_depth: if fixed && !own { recipe.slop.to_f64() } else { 0.0 },
    };
    for (i, p) in points.iter().enumerate() {
        add(n, Some(p.anchor), p.normal_impulse);
        site.separation[i] = p.separation.to_f64();
        site.lever[i] = (p.anchor - centre).length().to_f64();
    }
    sites.push(site);
}

#[cfg(test)]
mod tests {
    use super::{Eight, WIDE, add_scaled, dot};

    /// Numbers that are exact in any order, so that lists of every length, with and without a loop, must answer to the bit.
    #[test]
    fn eights_add_up_at_every_length() {
        for n in 0..6 {
            let number = |i: usize, k: usize, salt: usize| ((WIDE * i + k) * 7 + salt) as f64;
            let list =
                |salt: usize| -> Vec<Eight> { (0..n).map(|i| core::array::from_fn(|k| number(i, k, salt))).collect() };
            let (a, mut b) = (list(3), list(5));
            let sum: f64 = a.as_flattened().iter().zip(b.as_flattened()).map(|(a, b)| a * b).sum();
            assert_eq!(dot(&a, &b), sum);
            add_scaled(&mut b, &a, 3.0);
            for (i, eight) in b.iter().enumerate() {
                for (k, &x) in eight.iter().enumerate() {
                    assert_eq!(x, number(i, k, 5) + 3.0 * number(i, k, 3));
                }
            }
        }
    }
}
