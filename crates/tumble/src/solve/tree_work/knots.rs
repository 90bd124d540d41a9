//! Knots: trees that act on each other through contacts and joints, and on no other tree.
//!
//! What a knot does in the sub-steps depends on nothing beyond it, unless free bodies take part: then it is open, and takes its turn with the
//! contacts and joints of free bodies. A closed knot goes through all sub-steps of a step by itself: see `part`.

use super::Working;
use crate::articulation::Dof;
use crate::articulation::kind::Kind;
use crate::articulation::tree::Tree;
use crate::body::store::Params;
use crate::constraint::contact::NONE;
use crate::math::{UnionFind, prefetch};
use crate::solve::tree_rows::{End, touches};
use crate::world::State;

/// The trees of a step by knots. Kept between steps for its memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Knots {
    /// The trees in the order of knots: those of closed ones, one knot after the other, then all others; in either as they were.
    pub order: Vec<u32>,
    /// Where closed knots end in it.
    pub ends: Vec<u32>,
    /// What touches the links of each tree, one tree after the other: contact, and its first manifold. Between two links the first of them counts it. Where those
    /// of a tree stand, it knows itself.
    pub touching: Vec<[u32; 2]>,
    together: UnionFind,
    /// By the tree that stands for a knot: free bodies take part.
    open: Vec<bool>,
    /// By tree: the one that stands for its knot, or `NONE` where that is open.
    knot_of: Vec<u32>,
}

impl Knots {
    /// Finds the knots of trees whose links have these ends.
    pub fn find(&mut self, trees: &mut [Working], end: impl Fn(u32) -> End, state: &State) {
        let Self { order, ends, touching, together, open, knot_of } = self;
        touching.clear();
        together.reset(trees.len());
        open.clear();
        open.resize(trees.len(), false);
        for tree in 0..trees.len() {
            if let Some(next) = trees.get(tree + 1) {
                ask_for_contacts(next, state);
            }
            let working = &mut trees[tree];
            working.touching.start = touching.len() as u32;
            working.afloat = true;
            let mut meet = |bodies: [u32; 2]| {
                for body in bodies {
                    match end(body) {
                        End::Link(other, _) => together.join(tree as u32, other),
                        End::Body(dense) => {
                            open[tree] = true;
                            working.afloat &= !state.bodies.params[dense as usize].has(Params::KINEMATIC);
                        }
                        End::Nothing => working.afloat = false,
                    }
                }
            };
            for &body in &working.articulation.bodies {
                for contact in state.contacts.of_body(body) {
                    let c = &state.contacts.all[contact as usize];
                    if !touches(c) {
                        continue;
                    }
                    meet([c.body_a, c.body_b]);
                    if body == if matches!(end(c.body_a), End::Link(..)) { c.body_a } else { c.body_b } {
                        touching.push([contact, c.manifolds]);
                    }
                }
                for &joint in state.joints.of_body(body) {
                    if let Some(joint) = state.joints.all.at(joint).filter(|j| state.joint_holds(j)) {
                        meet(joint.bodies);
                    }
                }
            }
            working.touching.end = touching.len() as u32;
            working.afloat = working.afloat && is_loose(&working.articulation.tree);
        }
        for tree in 0..trees.len() {
            let knot = together.find(tree as u32) as usize;
            open[knot] |= open[tree];
        }
        knot_of.clear();
        knot_of.extend((0..trees.len() as u32).map(|tree| {
            let knot = together.find(tree);
            // What is open is one list, after all others.
            if open[knot as usize] { NONE } else { knot }
        }));
        order.clear();
        order.extend(0..trees.len() as u32);
        order.sort_unstable_by_key(|&tree| (knot_of[tree as usize], tree));
        ends.clear();
        let mut first = 0;
        for knot in order.chunk_by(|&a, &b| knot_of[a as usize] == knot_of[b as usize]) {
            first += knot.len() as u32;
            if knot_of[knot[0] as usize] != NONE {
                ends.push(first);
            }
        }
    }

    /// Trees in closed knots.
    pub fn closed(&self) -> usize {
        self.ends.last().map_or(0, |&end| end as usize)
    }
}

/// Nothing holds its roots, and nothing acts along them.
fn is_loose(tree: &Tree) -> bool {
    let free = |dofs: &[Dof]| dofs.iter().all(|dof| *dof == Dof::default());
    let mut roots = tree.links.iter().filter(|link| link.parent == NONE);
    roots.all(|link| link.kind == Kind::Free && free(&tree.dofs[link.dofs()]))
}

/// Asks for the first contacts of the links of a tree that is next: they stand anywhere.
fn ask_for_contacts(working: &Working, state: &State) {
    for &body in &working.articulation.bodies {
        if let Some(first) = state.contacts.first_of(body) {
            prefetch(&state.contacts.all[first as usize]);
        }
    }
}
