//! The search for webs: joints that hang on each other, and which of them are worth solving as one system.
//!
//! What is found depends on nothing but who is tied to whom and on the masses. So it stays from step to step, until one of them
//! changes.

use crate::math::{NO_ROW, Real};
use crate::method::JointSolve;

/// How many times its own mass a body may carry before sweeps no longer do, and how many joints in a row.
const HEAVY: Real = 6.0;

/// A web whose loops are more than this share of its bodies is left to the sweeps; a few loops always may.
const LOOPS: usize = 8;

/// A joint as the search sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Tie {
    /// The bodies that it can move; [`NO_ROW`] for others.
    pub bodies: [u32; 2],
    /// Their masses; 0 where a body cannot be pushed.
    pub masses: [Real; 2],
}

impl Tie {
    /// The bodies that it can move, with their masses.
    fn ends(&self) -> impl Iterator<Item = (u32, Real)> + '_ {
        self.bodies.iter().copied().zip(self.masses).filter(|&(body, _)| body != NO_ROW)
    }
}

/// The search, and what it has found. Kept between steps.
#[derive(Clone, Debug, Default)]
pub(crate) struct Search {
    /// What was searched for.
    choice: Option<JointSolve>,
    /// Among how many bodies.
    among: usize,
    /// The ties of all webs that are solved as a whole, web by web, each in the order in which its ties were reached.
    found: Vec<u32>,
    ends: Vec<u32>,
    whole: Vec<bool>,
    /// Ties of each body: `of_body[starts[b]..starts[b + 1]]`. They mean something where there may be webs.
    starts: Vec<u32>,
    of_body: Vec<u32>,
    seen: Vec<bool>,
    /// Per body: visited, and the mass that hangs on it.
    visited: Vec<bool>,
    carried: Vec<Real>,
    /// Ties and bodies of a web in the order in which they were reached, and for each body the body it was reached from.
    reached: Vec<u32>,
    bodies: Vec<(u32, u32)>,
    parent: Vec<u32>,
}

impl Search {
    /// The webs that are solved as a whole.
    pub fn webs(&self) -> impl Iterator<Item = &[u32]> {
        let starts = core::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.found[start as usize..end as usize])
    }

    /// A tie belongs to a web that is solved as a whole.
    pub fn is_whole(&self, tie: usize) -> bool {
        self.whole.get(tie) == Some(&true)
    }

    /// The last search was for this choice, among so many bodies.
    pub fn is_for(&self, bodies: usize, choice: JointSolve) -> bool {
        self.choice == Some(choice) && self.among == bodies
    }

    /// Finds the webs that are to be solved as a whole. What is found stays as long as the ties, the bodies and the choice do.
    pub fn find(&mut self, ties: &[Tie], bodies: usize, choice: JointSolve) {
        (self.choice, self.among) = (Some(choice), bodies);
        self.found.clear();
        self.ends.clear();
        self.whole.clear();
        self.whole.resize(ties.len(), false);
        if choice == JointSolve::Sweeps || ties.len() < 2 {
            return;
        }
        self.index(ties, bodies);
        for start in 0..ties.len() {
            if self.seen[start] {
                continue;
            }
            let load = self.reach(start, ties);
            let loops = self.loops(ties);
            let whole = self.reached.len() > 1
                && loops <= LOOPS + self.bodies.len() / LOOPS
                && (choice == JointSolve::Whole || load > HEAVY);
            if whole {
                self.found.extend_from_slice(&self.reached);
                self.ends.push(self.found.len() as u32);
                for &tie in &self.reached {
                    self.whole[tie as usize] = true;
                }
            }
        }
    }

    /// Lists the ties of every body that they can move.
    fn index(&mut self, ties: &[Tie], bodies: usize) {
        self.starts.clear();
        self.starts.resize(bodies + 1, 0);
        for (body, _) in ties.iter().flat_map(Tie::ends) {
            self.starts[body as usize + 1] += 1;
        }
        for b in 0..bodies {
            self.starts[b + 1] += self.starts[b];
        }
        self.of_body.clear();
        self.of_body.resize(self.starts[bodies] as usize, 0);
        // Filled from the back; the starts are right again afterwards.
        for (t, tie) in ties.iter().enumerate().rev() {
            for (body, _) in tie.ends() {
                let end = &mut self.starts[body as usize + 1];
                *end -= 1;
                self.of_body[*end as usize] = t as u32;
            }
        }
        // Every start has moved to the place of the one before it: shift them back.
        let total = self.of_body.len() as u32;
        self.starts.remove(0);
        self.starts.push(total);
        self.seen.clear();
        self.seen.resize(ties.len(), false);
        self.visited.clear();
        self.visited.resize(bodies, false);
        self.carried.clear();
        self.carried.resize(bodies, 0.0);
        self.parent.clear();
        self.parent.resize(bodies, NO_ROW);
    }

    /// The ties of a body.
    pub fn ties_of(&self, body: u32) -> &[u32] {
        let b = body as usize;
        &self.of_body[self.starts[b] as usize..self.starts[b + 1] as usize]
    }

    /// Reaches all ties of a web from what holds it: bodies that nothing moves, or else its heaviest body. Returns how many times its own
    /// mass the most loaded body carries.
    fn reach(&mut self, start: usize, ties: &[Tie]) -> Real {
        // All ties of the web, in any order.
        self.reached.clear();
        self.bodies.clear();
        self.reached.push(start as u32);
        self.seen[start] = true;
        let mut at = 0;
        while let Some(&t) = self.reached.get(at) {
            at += 1;
            for (body, _) in ties[t as usize].ends() {
                for i in self.starts[body as usize]..self.starts[body as usize + 1] {
                    let next = self.of_body[i as usize];
                    if !core::mem::replace(&mut self.seen[next as usize], true) {
                        self.reached.push(next);
                    }
                }
            }
        }
        // From what holds the web outwards, body by body.
        let mut heaviest: Option<(Real, u32)> = None;
        for at in 0..self.reached.len() {
            let tie = &ties[self.reached[at] as usize];
            let held = tie.bodies.contains(&NO_ROW);
            for (body, mass) in tie.ends() {
                if held && !core::mem::replace(&mut self.visited[body as usize], true) {
                    self.bodies.push((body, NO_ROW));
                }
                if heaviest.is_none_or(|(m, b)| mass > m || (mass == m && body < b)) {
                    heaviest = Some((mass, body));
                }
            }
        }
        if let (true, Some((_, body))) = (self.bodies.is_empty(), heaviest) {
            self.visited[body as usize] = true;
            self.bodies.push((body, NO_ROW));
        }
        let count = self.reached.len();
        self.reached.clear();
        let mut at = 0;
        while let Some(&(body, _)) = self.bodies.get(at) {
            at += 1;
            for i in self.starts[body as usize]..self.starts[body as usize + 1] {
                let t = self.of_body[i as usize];
                // Marked by taking the mark off again.
                if !core::mem::replace(&mut self.seen[t as usize], false) {
                    continue;
                }
                self.reached.push(t);
                for (other, _) in ties[t as usize].ends() {
                    if !core::mem::replace(&mut self.visited[other as usize], true) {
                        self.bodies.push((other, body));
                        self.parent[other as usize] = body;
                    }
                }
            }
        }
        debug_assert_eq!(count, self.reached.len());
        for &t in &self.reached {
            self.seen[t as usize] = true;
        }
        self.load(ties)
    }

    /// Ties of the web that has been reached that close a loop. Several between the same two bodies are as good as one.
    fn loops(&self, ties: &[Tie]) -> usize {
        let closes = |t: &&u32| {
            let [a, b] = ties[**t as usize].bodies;
            let near = |x: u32, y: u32| self.parent[x as usize] == y;
            a != NO_ROW && b != NO_ROW && !near(a, b) && !near(b, a)
        };
        self.reached.iter().filter(closes).count()
    }

    fn load(&mut self, ties: &[Tie]) -> Real {
        for &t in &self.reached {
            for (body, mass) in ties[t as usize].ends() {
                self.carried[body as usize] = mass;
            }
        }
        let mut worst = 0.0;
        for &(body, parent) in self.bodies.iter().rev() {
            let own = self.own_mass(body, ties);
            let carried = self.carried[body as usize];
            if own > 0.0 && carried > worst * own && (parent != NO_ROW || self.is_held(body, ties)) {
                worst = carried / own;
            }
            if parent != NO_ROW {
                self.carried[parent as usize] += carried;
            }
        }
        worst
    }

    fn own_mass(&self, body: u32, ties: &[Tie]) -> Real {
        let tie = self.ties_of(body).first().map(|&t| &ties[t as usize]);
        tie.and_then(|t| t.ends().find(|&(b, _)| b == body)).map_or(0.0, |(_, mass)| mass)
    }

    /// Some tie holds the body to something that nothing moves.
    fn is_held(&self, body: u32, ties: &[Tie]) -> bool {
        self.ties_of(body).iter().any(|&t| ties[t as usize].bodies.contains(&NO_ROW))
    }
}
