//! Parts: trees that one thread works on, with their rows.
//!
//! The factors and rows of a tree are many numbers, tens of kilobytes for a dozen links that touch something, and a pass over all trees of a crowd would fetch all of it from memory each
//! time. So a closed knot (see `knots`) goes through all that is to be done with it, from finding its rows to what they have come to, before the next one begins, and the
//! rows of one stand where those of the one before stood. Since nothing else acts on it meanwhile, parts
//! with different knots are worked on by different threads. Knots that are open are a part by themselves, whose sub-steps are those of the world.

use super::{Factor, Foresee, Recipe, Working};
use crate::articulation::flight::{Forces, Stages, fly};
use crate::articulation::glide::glide;
use crate::crew::Sums;
use crate::integrate::Loads;
use crate::math::{Float, Isa, Real, prefetch};
use crate::solve::motion::{Free, Mass, Motion};
use crate::solve::tree_rows::{End, Field, Outcome, TreeRows};
use crate::world::State;
use core::ops::Range;

/// How often the rows of a pass are solved again for motors that have given way. Those that give way after that do so all the same: that a motor gives no more
/// than it can comes first, and what it leaves undone the next pass finds.
const YIELDS: usize = 2;

/// Trees with their rows. Kept between steps for its memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Part {
    /// Which of all trees.
    pub trees: Range<usize>,
    /// Where each of its closed knots ends within the part.
    pub ends: Vec<u32>,
    /// Free or kinematic bodies take part.
    pub open: bool,
    /// Of the knot that is at work. Numbers of trees in them begin with the first of the knot.
    pub rows: TreeRows,
    /// Of all its knots.
    pub outcome: Outcome,
    /// Joints on links whose motors are at work.
    pub busy: Vec<u32>,
    /// Room for the trees of the knot that is at work.
    rooms: Vec<Working>,
    stages: Stages,
}

/// What a part is told about a world in a step.
#[derive(Clone, Copy)]
pub(super) struct Scene<'a> {
    pub state: &'a State,
    /// Tree and link by dense index of the body.
    pub links: &'a [[u32; 2]],
    /// See [`Knots`](super::knots::Knots).
    pub touching: &'a [[u32; 2]],
    pub loads: &'a Loads,
    pub supports: Sums<'a>,
    pub recipe: &'a Recipe,
}

impl Working {
    /// Asks for what is to be known of a tree that is next: between two steps all of it has gone from the caches.
    fn fetch(&self, scene: &Scene<'_>) {
        let tree = &self.articulation.tree;
        tree.links.iter().for_each(prefetch);
        tree.dofs.iter().for_each(prefetch);
        for list in [&tree.q, &tree.qd] {
            list.as_chunks::<8>().0.iter().for_each(prefetch);
        }
        let contacts = &scene.state.contacts;
        for &[contact, manifold] in &scene.touching[self.touching.start as usize..self.touching.end as usize] {
            prefetch(&contacts.all[contact as usize]);
            if let Some(manifold) = contacts.manifolds.get(manifold as usize) {
                prefetch(manifold);
            }
        }
    }
}

impl Part {
    /// Nothing has been done.
    pub fn begin(&mut self) {
        self.busy.clear();
        self.outcome.clear();
    }

    /// Finds the rows of the trees of a knot, of which the first has this number among all; places those that do not fly.
    pub fn prepare(&mut self, trees: &mut [Working], first: usize, scene: &Scene<'_>) {
        let Scene { state, links, touching, loads, supports, recipe } = *scene;
        let all = first..first + trees.len();
        let own = |slot: u32| match super::end(links, state, slot) {
            End::Link(tree, link) => {
                debug_assert!(all.contains(&(tree as usize)), "a knot of several parts");
                End::Link(tree - first as u32, link)
            }
            other => other,
        };
        trees.iter_mut().for_each(|working| working.set_up(&state.bodies, loads));
        for working in trees.iter_mut().filter(|working| working.articulation.tree.is_driven_to_stops()) {
            working.isa.dispatch(Foresee { working, dt: recipe.dt.to_f64() });
        }
        let bodies = if self.open { state.bodies.awake() } else { 0 };
        self.rows.prepare(trees, own, bodies, touching, state, supports, recipe, &mut self.busy);
        for (i, working) in trees.iter_mut().enumerate() {
            working.bounces = self.rows.bounces(i);
            working.flies = !self.rows.holds(i) && working.is_smooth(recipe.dt.to_f64());
            working.look_at_loads(&state.bodies, loads);
            if !working.flies {
                working.weigh();
                working.listen(recipe.h.to_f64());
                working.tame(recipe.h.to_f64());
                let Working { articulation, pass, isa, .. } = &mut *working;
                pass.place_by(*isa, &articulation.tree, &articulation.tree.q);
                working.note_drives(self.rows.touches(i));
            }
        }
    }

    /// Lets the trees fly that nothing holds. One flight of the whole step each.
    fn fly(&mut self, trees: &mut [Working], dt: Real) {
        for working in trees.iter_mut().filter(|w| w.flies) {
            let Working { articulation, pass, loads, isa, falls, .. } = working;
            let (tree, dt) = (&mut articulation.tree, dt.to_f64());
            if !glide(*isa, tree, pass, loads, dt) {
                let error = fly(
                    *isa,
                    tree,
                    pass,
                    &mut self.stages,
                    &Forces { loads, joints: true, falls: falls.is_some() },
                    dt,
                );
                tree.glide.flown(error);
            }
        }
    }

    /// Takes closed knots through the step, one knot after the other: finds their rows, lets fly what nothing holds, and goes through all sub-steps with the others. `passes` says
    /// of each sub-step how often rows push in it, and how often they relax.
    pub fn work(
        &mut self,
        trees: &mut [Working],
        masses: &[Mass],
        scene: &Scene<'_>,
        isa: Isa,
        passes: impl Iterator<Item = (u32, u32)> + Clone,
    ) {
        debug_assert!(!self.open);
        let recipe = scene.recipe;
        let mut first = 0;
        for i in 0..self.ends.len() {
            let of = first..self.ends[i] as usize;
            first = of.end;
            if let Some(&end) = self.ends.get(i + 1) {
                trees[of.end..end as usize].iter().for_each(|next| next.fetch(scene));
            }
            let (number, trees) = (self.trees.start + of.start, &mut trees[of]);
            self.swap_rooms(trees);
            self.prepare(trees, number, scene);
            self.fly(trees, recipe.dt);
            if !trees.iter().all(|working| working.flies) {
                // No row of theirs acts on a free body.
                let (motions, free): (&mut [Motion], &mut [Free]) = (&mut [], &mut []);
                let mut knot = self.whole(trees, isa);
                for (substep, (pushes, relaxes)) in passes.clone().enumerate() {
                    knot.kick(motions, masses, recipe, substep == 0);
                    (0..pushes).for_each(|_| knot.solve(motions, masses, recipe, true));
                    knot.drift(motions, masses, recipe.h);
                    (0..relaxes).for_each(|_| knot.solve(motions, masses, recipe, false));
                    knot.bounce(motions, free, masses, recipe);
                }
            }
            self.conclude(trees, isa);
            self.swap_rooms(trees);
        }
    }

    /// Lends room to the trees of a knot, or takes it back.
    fn swap_rooms(&mut self, trees: &mut [Working]) {
        if self.rooms.len() < trees.len() {
            self.rooms.resize_with(trees.len(), Working::default);
        }
        trees.iter_mut().zip(&mut self.rooms).for_each(|(tree, room)| tree.swap_room(room));
    }

    /// Notes what rows have come to. The links are where they have left them.
    pub fn conclude(&mut self, trees: &mut [Working], isa: Isa) {
        self.rows.give(isa, trees, 0..trees.len(), |_| true);
        self.rows.conclude(&mut self.outcome);
        self.rows.store_stops(trees);
        arrive(trees);
    }

    /// All trees of the knot whose rows are there, for a sub-step.
    pub fn whole<'a>(&'a mut self, trees: &'a mut [Working], isa: Isa) -> Knot<'a> {
        Knot { of: 0..trees.len(), trees, rows: &mut self.rows, stages: &mut self.stages, isa }
    }
}

/// The links are where the rows have left them, and move so.
fn arrive(trees: &mut [Working]) {
    for working in trees {
        if !working.flies {
            working.catch_up();
            working.steer();
        }
        working.arrive();
    }
}

/// A knot at work in a sub-step, or all that are open.
pub(super) struct Knot<'a> {
    of: Range<usize>,
    trees: &'a mut [Working],
    rows: &'a mut TreeRows,
    stages: &'a mut Stages,
    isa: Isa,
}

impl Knot<'_> {
    /// The kick of a sub-step, and the responses of its rows; in the first the impulses of the last step act on both ends, later
    /// those of the last sub-step on the trees, where free bodies have them already.
    ///
    /// Trees that are steady are kicked in quasi-velocities, which rows have had since the last drift; all others get their velocities back for it.
    pub fn kick(&mut self, motions: &mut [Motion], masses: &[Mass], recipe: &Recipe, first: bool) {
        let h = recipe.h.to_f64();
        for tree in self.of.clone() {
            let held = self.rows.holds(tree);
            let working = &mut self.trees[tree];
            if working.flies {
                continue;
            }
            if held && working.steady {
                if !working.factored {
                    working.isa.dispatch(Factor(working));
                }
            } else {
                working.coming.clone_from(&working.articulation.tree.qd);
                working.launch(h);
            }
        }
        self.respond(masses);
        if first {
            self.rows.take(self.isa, self.trees, self.of.clone(), |tree| tree.steady);
        }
        self.rows.approach(self.isa, self.trees, self.of.clone(), motions);
        self.rows.take(self.isa, self.trees, self.of.clone(), |tree| !tree.steady);
        self.rows.kick_steady(self.isa, self.trees, self.of.clone(), h);
        self.rows.kick_limits(self.of.clone(), motions);
        let mut field = Field { trees: self.trees, of: self.of.clone(), motions, masses, recipe, push: true };
        self.rows.warm_start(self.isa, &mut field, first);
    }

    /// The responses of the rows of trees whose rows are to be answered anew.
    fn respond(&mut self, masses: &[Mass]) {
        let mut any = false;
        for tree in self.of.clone().filter(|&tree| self.rows.holds(tree)) {
            let working = &mut self.trees[tree];
            if working.renewed {
                working.pass.hold_factors();
                any = true;
            }
        }
        if any {
            self.rows.respond(self.isa, self.trees, self.of.clone(), masses);
        }
        self.trees[self.of.clone()].iter_mut().for_each(|working| working.renewed = false);
    }

    /// One pass over the rows.
    pub fn solve(&mut self, motions: &mut [Motion], masses: &[Mass], recipe: &Recipe, push: bool) {
        let mut field = Field { trees: self.trees, of: self.of.clone(), motions, masses, recipe, push };
        self.rows.solve(self.isa, &mut field);
        for round in 0..=YIELDS {
            let last = round == YIELDS;
            if !self.yield_motors(masses, recipe, !last) || last {
                break;
            }
            let mut field = Field { trees: self.trees, of: self.of.clone(), motions, masses, recipe, push };
            self.rows.solve_again(self.isa, &mut field);
        }
    }

    /// Lets motors give way to what the rows have done. Whether any has.
    fn yield_motors(&mut self, masses: &[Mass], recipe: &Recipe, release: bool) -> bool {
        let may_yield = |working: &Working| !working.flies && working.may_yield();
        if !self.trees[self.of.clone()].iter().any(may_yield) {
            return false;
        }
        self.rows.give(self.isa, self.trees, self.of.clone(), |_| true);
        let mut any = false;
        for tree in self.of.clone() {
            let working = &mut self.trees[tree];
            working.yielded =
                !working.flies && self.rows.holds(tree) && working.yield_motors(recipe.h.to_f64(), release);
            if working.yielded {
                any = true;
                self.rows.unsettle(tree..tree + 1);
            }
        }
        if any {
            self.respond(masses);
            self.rows.take(self.isa, self.trees, self.of.clone(), |_| true);
        }
        any
    }

    /// Moves the trees over a sub-step, and the rows with them; their responses where the tree has moved too far for the old ones.
    pub fn drift(&mut self, motions: &[Motion], masses: &[Mass], h: Real) {
        self.rows.travel(self.isa, self.of.clone(), motions, h.to_f64());
        self.rows.give(self.isa, self.trees, self.of.clone(), |_| true);
        for working in self.trees[self.of.clone()].iter_mut().filter(|w| !w.flies) {
            working.stand_if_lost();
            working.drift(self.stages, h.to_f64());
            if working.is_worn() {
                working.isa.dispatch(Factor(working));
            }
        }
        self.respond(masses);
        self.rows.take(self.isa, self.trees, self.of.clone(), |_| true);
    }

    /// Bounces, at the end of a sub-step.
    pub fn bounce(&mut self, motions: &mut [Motion], free: &mut [Free], masses: &[Mass], recipe: &Recipe) {
        self.rows.book_ties(self.of.clone());
        self.rows.bounce(self.of.clone(), motions, free, masses, recipe);
        // The next kick needs the velocities of these.
        self.rows.give(self.isa, self.trees, self.of.clone(), |tree| !tree.steady);
        self.yield_motors(masses, recipe, false);
    }
}
