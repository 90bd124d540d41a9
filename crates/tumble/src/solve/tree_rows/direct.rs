//! Rows that hold whatever it takes, solved together: joints that close loops, couplings, and motors that hold a speed.
//!
//! One after the other they converge as slowly as the masses between them differ: a hook of 1 kg between a winch and a load of a
//! tonne hands on a thousandth of what is missing in each round. Rows without bounds are a linear system, and that of one group of
//! trees is small, so that it is factored whenever the answers of its rows are new:
//!
//! ```text
//!   A = J M̃⁻¹ Jᵀ = L D Lᵀ        A Δλ = -(Ċ + bias)
//! ```
//!
//! A row that depends on those before it, as the third of three hinges in a plane, leaves no pivot and takes no part. A motor that
//! would have to pull with more than it has pulls with that, and the others are solved again without it: it is spent, until the rows are solved
//! anew. So is friction where others move what it holds: rows that have bounds come last, the weakest at the end, and one that depends on the others and
//! does not get what it asks for gives all it has.

use super::row_set::dot;
use super::{End, Field, Row, TreeRows};
use crate::articulation::stops::Task;
use crate::constraint::contact::NONE;
use crate::constraint::{Bound, Stiffness};
use crate::math::{Float, UnionFind};
use crate::solve::motion::{self, Mass};
use crate::solve::tree_work::Working;
use core::ops::Range;

/// Groups of more rows are left to the rounds.
const MOST: usize = 64;

/// The share of its diagonal below which a pivot is rounding, and the share of what makes it up below which the rate of a row is.
const DEPENDENT: f64 = 1e-9;

/// Where a row gets what it asks for.
#[derive(Clone, Copy, Debug)]
enum From {
    /// The wish of a joint.
    Tie(u32),
    /// A row along degrees of freedom.
    Stop(u32),
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    group: u32,
    row: u32,
    from: From,
    /// It pulls with all it has.
    spent: bool,
}

/// Rows that hang together: which, and where their matrix and its factors begin.
#[derive(Clone, Copy, Debug)]
struct Group {
    /// The first of their trees.
    leader: u32,
    first: u32,
    count: u32,
    at: u32,
}

/// All of them. Kept between steps for its memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Direct {
    entries: Vec<Entry>,
    groups: Vec<Group>,
    /// Matrices and factors, row by row.
    a: Vec<f64>,
    l: Vec<f64>,
    x: Vec<f64>,
    /// Which trees and free bodies hang together, while groups are found.
    together: UnionFind,
}

impl TreeRows {
    /// Finds the groups. After all rows are there.
    pub(super) fn gather_direct(&mut self, trees: usize, bodies: usize) {
        let mut direct = core::mem::take(&mut self.direct);
        direct.entries.clear();
        direct.groups.clear();
        let entry = |row: u32, from: From| Entry { group: NONE, row, from, spent: false };
        for (row, wish) in self.ties.rows() {
            if self.ties.wishes[wish as usize].is_hard_equal() {
                direct.entries.push(entry(row, From::Tie(wish)));
            }
        }
        for (i, &(_, row, stop)) in self.stops.all.iter().enumerate() {
            if !matches!(stop.task, Task::Limit(_)) {
                direct.entries.push(entry(row, From::Stop(i as u32)));
            }
        }
        if direct.entries.len() >= 2 {
            self.group(&mut direct, trees, bodies);
        } else {
            direct.entries.clear();
        }
        for e in &direct.entries {
            self.rows.all[e.row as usize].direct = true;
        }
        self.direct = direct;
    }

    fn group(&self, direct: &mut Direct, trees: usize, bodies: usize) {
        let Direct { entries, groups, together, a, l, .. } = direct;
        together.reset(trees + bodies);
        let nodes = |row: &Row| {
            let blocks = row.blocks.map(|b| b.tree);
            let ends = row.halves.map(|h| if let End::Body(dense) = h.end { trees as u32 + dense } else { NONE });
            [blocks[0], blocks[1], ends[0], ends[1]].into_iter().filter(|&n| n != NONE)
        };
        for e in entries.iter() {
            let mut all = nodes(&self.rows.all[e.row as usize]);
            let Some(first) = all.next() else { continue };
            // The smallest leads, so that groups have the order of their trees.
            all.for_each(|other| together.join(first, other));
        }
        for e in entries.iter_mut() {
            e.group = nodes(&self.rows.all[e.row as usize]).next().map_or(NONE, |n| together.find(n));
        }
        entries.sort_by(|a, b| {
            let weakness = |e: &Entry| -self.strength(e.from);
            a.group.cmp(&b.group).then(weakness(a).total_cmp(&weakness(b))).then(a.row.cmp(&b.row))
        });
        // Rows alone and crowds of them are left to the rounds.
        let mut kept = 0;
        let (mut first, mut at) = (0, 0);
        while first < entries.len() {
            let end = first + entries[first..].iter().take_while(|e| e.group == entries[first].group).count();
            let count = end - first;
            if (2..=MOST).contains(&count) {
                entries.copy_within(first..end, kept);
                let leader = entries[kept].group;
                groups.push(Group { leader, first: kept as u32, count: count as u32, at });
                kept += count;
                at += (count * count) as u32;
            }
            first = end;
        }
        entries.truncate(kept);
        a.resize(at as usize, 0.0);
        l.resize(at as usize, 0.0);
    }

    /// A of all groups that these trees lead and in which some tree was renewed, where G is known, and its factors.
    pub(super) fn factor_direct(&mut self, trees: &[Working], of: Range<usize>, masses: &[Mass]) {
        let mut direct = core::mem::take(&mut self.direct);
        let Direct { entries, groups, a, l, .. } = &mut direct;
        for g in of.filter_map(|tree| led_by(groups, tree)) {
            let (n, of) = (g.count as usize, &mut entries[g.first as usize..(g.first + g.count) as usize]);
            let mut blocks = of.iter().flat_map(|e| self.rows.all[e.row as usize].blocks());
            if !blocks.any(|block| trees[block.tree as usize].renewed) {
                continue;
            }
            for e in of.iter_mut() {
                e.spent = self.rows.is_held(e.row);
            }
            let a = &mut a[g.at as usize..][..n * n];
            for i in 0..n {
                for j in 0..=i {
                    let k = self.coupling(of[i].row as usize, of[j].row as usize, masses);
                    (a[i * n + j], a[j * n + i]) = (k, k);
                }
            }
            factor(a, &mut l[g.at as usize..][..n * n], n, |i| !of[i].spent);
        }
        self.direct = direct;
    }

    /// Jᵢ M̃⁻¹ Jⱼᵀ
    fn coupling(&self, i: usize, j: usize, masses: &[Mass]) -> f64 {
        let (a, b) = (&self.rows.all[i], &self.rows.all[j]);
        let mut sum = 0.0;
        for x in &a.blocks[..a.block_count as usize] {
            for y in b.blocks[..b.block_count as usize].iter().filter(|y| y.tree == x.tree) {
                sum += dot(&self.rows.g[x.range()], &self.rows.g[y.range()]);
            }
        }
        for x in &a.halves {
            let End::Body(dense) = x.end else { continue };
            let mass = &masses[dense as usize];
            for y in b.halves.iter().filter(|y| y.end == x.end && motion::is_movable(mass)) {
                let inverse = motion::inv_mass_of(mass).to_f64();
                sum += x.linear.dot(y.linear.scale(inverse));
                sum += x.angular.dot(motion::inertia_of(mass).to_f64() * y.angular);
            }
        }
        sum
    }

    /// Some row of the group that a tree leads acts on one of these trees.
    pub(super) fn leads_rows_on(&self, tree: usize, is_one: impl Fn(u32) -> bool) -> bool {
        let Some(g) = led_by(&self.direct.groups, tree) else { return false };
        let entries = &self.direct.entries[g.first as usize..][..g.count as usize];
        entries.iter().flat_map(|e| self.rows.all[e.row as usize].blocks()).any(|block| is_one(block.tree))
    }

    /// All rows at once of the group that a tree leads.
    pub(super) fn solve_direct(&mut self, tree: usize, field: &mut Field<'_>) {
        if let Some(&Group { first, count, at, .. }) = led_by(&self.direct.groups, tree) {
            let n = count as usize;
            self.release(first as usize, n, at as usize);
            // Each time round some row is spent; there cannot be more rounds than rows.
            for _ in 0..=n {
                let mut x = core::mem::take(&mut self.direct.x);
                x.clear();
                for e in 0..n {
                    let entry = self.direct.entries[first as usize + e];
                    let row = self.rows.all[entry.row as usize];
                    let rate = self.rows.rate(&row, field.motions);
                    x.push(-(rate + self.demand(entry.from, field).0));
                }
                solve(&self.direct.l[at as usize..][..n * n], n, &mut x);
                let mut spent = false;
                for (e, &dx) in x.iter().enumerate() {
                    let entry = self.direct.entries[first as usize + e];
                    let most = self.demand(entry.from, field).1;
                    let wanted = self.rows.all[entry.row as usize].impulse + dx;
                    if !entry.spent && wanted.abs() > most {
                        spent = true;
                        self.direct.entries[first as usize + e].spent = true;
                        self.rows.set_impulse(entry.row as usize, wanted.clamp(-most, most), field);
                    }
                }
                let slipping = if spent { None } else { self.slipping(first as usize, at as usize, &x, field) };
                if let Some((e, impulse)) = slipping {
                    spent = true;
                    self.direct.entries[first as usize + e].spent = true;
                    self.rows.set_impulse(self.direct.entries[first as usize + e].row as usize, impulse, field);
                }
                if !spent {
                    for (e, &dx) in x.iter().enumerate() {
                        let row = self.direct.entries[first as usize + e].row as usize;
                        if dx != 0.0 {
                            let new = self.rows.all[row].impulse + dx;
                            self.rows.set_impulse(row, new, field);
                        }
                    }
                }
                self.direct.x = x;
                if !spent {
                    break;
                }
                self.direct.factor(first as usize, n, at as usize);
            }
        }
    }

    /// Lets rows that were spent take part again.
    fn release(&mut self, first: usize, n: usize, at: usize) {
        let Self { rows, direct, .. } = self;
        let mut released = false;
        for e in &mut direct.entries[first..first + n] {
            released |= e.spent && !rows.is_held(e.row);
            e.spent = rows.is_held(e.row);
        }
        if released {
            direct.factor(first, n, at);
        }
    }

    /// The first row with a bound that depends on others and will not get what it asks for when these have changed by x, and the impulse of all it has.
    fn slipping(&self, first: usize, at: usize, x: &[f64], field: &Field<'_>) -> Option<(usize, f64)> {
        let (n, Direct { entries, a, l, .. }) = (x.len(), &self.direct);
        let dependent = |e: &usize| l[at + e * n + e] == 0.0 && !entries[first + e].spent;
        (0..n).filter(dependent).find_map(|e| {
            let entry = &entries[first + e];
            let (wish, most) = self.demand(entry.from, field);
            let rate = self.rows.rate(&self.rows.all[entry.row as usize], field.motions);
            let (mut left, mut size) = (rate + wish, rate.abs() + wish.abs());
            for (k, x) in a[at + e * n..][..n].iter().zip(x) {
                left += k * x;
                size += (k * x).abs();
            }
            let slips = most.is_finite() && left.abs() > DEPENDENT * size;
            slips.then(|| (e, if left > 0.0 { -most } else { most }))
        })
    }

    /// The largest force of a row.
    fn strength(&self, from: From) -> f64 {
        match from {
            From::Tie(_) => f64::INFINITY,
            From::Stop(i) => match self.stops.all[i as usize].2.task {
                Task::Speed(_, force) => force,
                Task::Hold(_) | Task::Limit(_) => f64::INFINITY,
            },
        }
    }

    /// What a row asks for besides no motion, and the largest impulse that it may have.
    fn demand(&self, from: From, field: &Field<'_>) -> (f64, f64) {
        let (recipe, push) = (field.recipe, field.push);
        let most = recipe.hold_speed.to_f64();
        let back = |error: f64| if push { (recipe.joint_rate.to_f64() * error).clamp(-most, most) } else { 0.0 };
        match from {
            From::Tie(wish) => {
                let wish = &self.ties.wishes[wish as usize];
                (back(wish.error) - wish.target, f64::INFINITY)
            }
            From::Stop(i) => match self.stops.all[i as usize].2.task {
                Task::Speed(speed, force) => (-speed, force * recipe.h.to_f64()),
                Task::Hold(c) | Task::Limit(c) => (back(c), f64::INFINITY),
            },
        }
    }
}

impl Direct {
    /// The factors of a group without its rows that are spent.
    fn factor(&mut self, first: usize, n: usize, at: usize) {
        let of = &self.entries[first..first + n];
        factor(&self.a[at..][..n * n], &mut self.l[at..][..n * n], n, |i| !of[i].spent);
    }
}

/// The group that a tree leads: they stand in the order of their leaders.
fn led_by(groups: &[Group], tree: usize) -> Option<&Group> {
    groups.binary_search_by_key(&tree, |g| g.leader as usize).ok().map(|i| &groups[i])
}

impl super::ties::Wish {
    /// It holds as hard as the method can, both ways.
    fn is_hard_equal(&self) -> bool {
        self.bound == Bound::Equal && self.stiffness == Stiffness::Method
    }
}

/// L and D of a symmetric matrix, D on the diagonal as its inverse; 0 there for rows that take no part.
fn factor(a: &[f64], l: &mut [f64], n: usize, takes_part: impl Fn(usize) -> bool) {
    for i in 0..n {
        for j in 0..=i {
            let mut sum = a[i * n + j];
            for k in 0..j {
                // L holds l d in the part above the diagonal.
                sum -= l[i * n + k] * l[k * n + j];
            }
            if i == j {
                let sound = takes_part(i) && sum > a[i * n + i] * DEPENDENT && sum.is_finite();
                l[i * n + i] = if sound { 1.0 / sum } else { 0.0 };
            } else {
                // l d above, l below.
                l[j * n + i] = sum;
                l[i * n + j] = sum * l[j * n + j];
            }
        }
    }
}

/// x with A x = b in place.
fn solve(l: &[f64], n: usize, x: &mut [f64]) {
    for i in 0..n {
        for k in 0..i {
            x[i] -= l[i * n + k] * x[k];
        }
    }
    for i in (0..n).rev() {
        x[i] *= l[i * n + i];
        for k in i + 1..n {
            x[i] -= l[k * n + i] * x[k];
        }
        // A row without a pivot moves nothing, whatever the others say.
        if l[i * n + i] == 0.0 {
            x[i] = 0.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{factor, solve};

    /// A x = b, also where a row depends on others and where one takes no part.
    #[test]
    fn factors_solve_what_can_be_solved() {
        let rows: [[f64; 3]; 4] = [[1.0, 2.0, 0.5], [0.0, 1.0, -1.0], [1.0, 3.0, -0.5], [2.0, 0.0, 1.0]];
        // Row 2 is the sum of rows 0 and 1.
        let n = rows.len();
        let mut a = vec![0.0; n * n];
        for i in 0..n {
            for j in 0..n {
                a[i * n + j] = rows[i].iter().zip(&rows[j]).map(|(x, y)| x * y).sum::<f64>();
            }
        }
        let truth = [0.7, -1.3, 0.0, 2.1];
        let b: Vec<f64> = (0..n).map(|i| (0..n).map(|j| a[i * n + j] * truth[j]).sum()).collect();
        let mut l = vec![0.0; n * n];
        factor(&a, &mut l, n, |_| true);
        let mut x = b.clone();
        solve(&l, n, &mut x);
        for (x, t) in x.iter().zip(truth) {
            assert!((x - t).abs() < 1e-12, "{x} for {t}");
        }
        factor(&a, &mut l, n, |i| i != 3);
        let mut x = b;
        solve(&l, n, &mut x);
        assert_eq!(x[3], 0.0);
        // The others are solved among themselves.
        for i in 0..2 {
            let sum: f64 = (0..n).map(|j| a[i * n + j] * x[j]).sum();
            let wanted: f64 = (0..n).map(|j| a[i * n + j] * truth[j]).sum();
            assert!((sum - wanted).abs() < 1e-12);
        }
    }
}
