//! Parts: trees that one thread works on, with their rows.
//!
//! The factors and rows of a tree are many numbers, tens of kilobytes for a dozen links that touch something, and a pass over all trees of a crowd would fetch all of it from memory each
//! time. So a closed knot (see `knots`) goes through all sub-steps before the next one begins; and since nothing else acts on it meanwhile, parts
//! with different knots are worked on by different threads. Knots that are open are a part by themselves, whose sub-steps are those of the world.

use super::{Factor, Foresee, Place, Recipe, Working};
use crate::articulation::flight::{Forces, Stages, fly};
use crate::articulation::glide::glide;
use crate::crew::Sums;
use crate::math::{Float, Isa, Real};
use crate::solve::motion::{Free, Mass, Motion};
use crate::solve::tree_rows::{End, Field, TreeRows};
use crate::world::State;
use core::ops::Range;

/// How often the rows of a pass are solved again for motors that have given way. Those that give way after that do so all the same: that a motor gives no more
/// than it can comes first, and what it leaves undone the next pass finds.
const YIELDS: usize = 2;

/// Trees with their rows. Kept between steps for its memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Part {
    /// Which of all trees; numbers of trees within the part begin with the first of them.
    pub trees: Range<usize>,
    /// Where each of its closed knots ends within the part.
    pub ends: Vec<u32>,
    /// Free or kinematic bodies take part.
    pub open: bool,
    pub rows: TreeRows,
    /// Joints on links whose motors are at work.
    pub busy: Vec<u32>,
    stages: Stages,
}

impl Part {
    /// Finds the rows of its trees, and places those that do not fly.
    pub fn prepare(
        &mut self,
        trees: &mut [Working],
        end: impl Fn(u32) -> End,
        state: &State,
        supports: Sums<'_>,
        recipe: &Recipe,
    ) {
        self.busy.clear();
        let all = self.trees.clone();
        let own = |slot: u32| match end(slot) {
            End::Link(tree, link) => {
                debug_assert!(all.contains(&(tree as usize)), "a knot of several parts");
                End::Link(tree - all.start as u32, link)
            }
            other => other,
        };
        for working in trees.iter_mut().filter(|working| working.articulation.tree.is_driven_to_stops()) {
            working.isa.dispatch(Foresee { working, dt: recipe.dt.to_f64() });
        }
        let bodies = if self.open { state.bodies.awake() } else { 0 };
        self.rows.prepare(trees, own, bodies, state, supports, recipe, &mut self.busy);
        for (i, working) in trees.iter_mut().enumerate() {
            working.bounces = self.rows.bounces(i);
            working.flies = !self.rows.holds(i) && working.is_smooth(recipe.dt.to_f64());
            if !working.flies {
                working.weigh();
                working.listen(recipe.h.to_f64());
                working.tame(recipe.h.to_f64());
                working.isa.dispatch(Place(working));
            }
        }
    }

    /// The trees of a closed knot.
    fn trees_of(&self, i: usize) -> Range<usize> {
        let first = if i == 0 { 0 } else { self.ends[i - 1] as usize };
        first..self.ends[i] as usize
    }

    /// Lets the trees fly that nothing holds. One flight of the whole step each.
    fn fly(&mut self, trees: &mut [Working], dt: Real) {
        for working in trees.iter_mut().filter(|w| w.flies) {
            let Working { articulation, pass, loads, isa, .. } = working;
            let (tree, dt) = (&mut articulation.tree, dt.to_f64());
            if !glide(*isa, tree, pass, loads, dt) {
                let error = fly(*isa, tree, pass, &mut self.stages, &Forces { loads, joints: true }, dt);
                tree.glide.flown(error);
            }
        }
    }

    /// Lets fly what nothing holds, and takes closed knots through all sub-steps, one knot after the other. `passes` says of each sub-step how often rows push in
    /// it, and how often they relax.
    pub fn work(
        &mut self,
        trees: &mut [Working],
        masses: &[Mass],
        recipe: &Recipe,
        isa: Isa,
        passes: impl Iterator<Item = (u32, u32)> + Clone,
    ) {
        debug_assert!(!self.open);
        // No row of theirs acts on a free body.
        let (motions, free): (&mut [Motion], &mut [Free]) = (&mut [], &mut []);
        for i in 0..self.ends.len() {
            let of = self.trees_of(i);
            self.fly(&mut trees[of.clone()], recipe.dt);
            if trees[of.clone()].iter().all(|working| working.flies) {
                continue;
            }
            let mut knot = Knot { of: of.clone(), trees, rows: &mut self.rows, stages: &mut self.stages, isa };
            for (substep, (pushes, relaxes)) in passes.clone().enumerate() {
                knot.kick(motions, masses, recipe, substep == 0);
                (0..pushes).for_each(|_| knot.solve(motions, masses, recipe, true));
                knot.drift(motions, masses, recipe.h);
                (0..relaxes).for_each(|_| knot.solve(motions, masses, recipe, false));
                knot.bounce(motions, free, masses, recipe);
            }
            arrive(&mut trees[of]);
        }
    }

    /// All knots that are open, for a sub-step of the world.
    pub fn whole<'a>(&'a mut self, trees: &'a mut [Working], isa: Isa) -> Knot<'a> {
        Knot { of: 0..trees.len(), trees, rows: &mut self.rows, stages: &mut self.stages, isa }
    }
}

/// The links are where the rows have left them, and move so.
pub(super) fn arrive(trees: &mut [Working]) {
    for working in trees.iter_mut().filter(|w| !w.flies) {
        working.catch_up();
        working.steer();
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
    pub fn kick(&mut self, motions: &mut [Motion], masses: &[Mass], recipe: &Recipe, first: bool) {
        for working in self.trees[self.of.clone()].iter_mut().filter(|w| !w.flies) {
            working.coming.clone_from(&working.articulation.tree.qd);
            working.launch(recipe.h.to_f64());
        }
        self.respond(masses);
        self.rows.approach(self.trees, self.of.clone(), motions);
        let mut field = Field { trees: self.trees, of: self.of.clone(), motions, masses, recipe, push: true };
        self.rows.warm_start(self.isa, &mut field, first);
    }

    /// The responses of the rows of trees whose rows are to be answered anew.
    fn respond(&mut self, masses: &[Mass]) {
        if self.trees[self.of.clone()].iter().any(|w| w.renewed) {
            self.rows.respond(self.isa, self.trees, self.of.clone(), masses);
            for working in self.trees[self.of.clone()].iter_mut().filter(|w| w.renewed) {
                (working.renewed, working.aged) = (false, 0.0);
            }
        }
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
        }
        any
    }

    /// Moves the trees over a sub-step, and the rows with them; their responses where the tree has moved too far for the old ones.
    pub fn drift(&mut self, motions: &[Motion], masses: &[Mass], h: Real) {
        self.rows.travel(self.isa, self.trees, self.of.clone(), motions, h.to_f64());
        for working in self.trees[self.of.clone()].iter_mut().filter(|w| !w.flies) {
            working.drift(self.stages, h.to_f64());
            if working.is_worn() {
                working.isa.dispatch(Factor(working));
            }
        }
        self.respond(masses);
    }

    /// Bounces, at the end of a sub-step.
    pub fn bounce(&mut self, motions: &mut [Motion], free: &mut [Free], masses: &[Mass], recipe: &Recipe) {
        self.rows.book_ties(self.of.clone());
        self.rows.bounce(self.trees, self.of.clone(), motions, free, masses, recipe);
        self.yield_motors(masses, recipe, false);
    }
}
