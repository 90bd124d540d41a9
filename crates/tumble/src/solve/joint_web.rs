//! Joints that hang on each other, solved as one system.
//!
//! Solved one after the other, the joints of a chain hand a load on by one link per pass, and where a heavy body hangs on a light
//! one, a pass moves the light one to and fro and the load hardly at all: the error shrinks by a share m/M per pass. So webs of joints
//! that are long or carry much more than their own weight are solved as a whole: A = J M⁻¹ Jᵀ over all rows that hold, by a sparse
//! factorisation A = L D Lᵀ of blocks, a block per joint (Baraff 1996, in its dual form).
//!
//! ```text
//!      world                joints in the order in which they are reached from what holds the web;
//!        │ 0                eliminated from the far end: 4 3 2 1 0
//!        a                  two joints are neighbours where they share a body that moves:
//!      1 │ ╲ 2              4~1  3~1  1~0 1~2 2~0   (a has three)
//!        b   c
//!      3 │ ╲ 4              a web without loops fills in nothing: eliminating a joint leaves neighbours that
//!        d   e              share the body it ended on, and they were neighbours before
//! ```
//!
//! Redundant rows, as of two ball joints between the same two bodies, share their load, since all rows yield a little (`joint_load`).
//!
//! The cost is proportional to the number of joints, several times that of a sweep. Limits, motors and springs stay with the sweeps;
//! so do webs with many loops, such as nets, in which elimination would fill in too much. Webs of nothing but ball joints have a quicker way
//! to the same end: `point_web`.

use super::joint_link::{Answer, Ends, Link};
use super::motion::Motion;
use super::point_web::PointWebs;
use super::web_pattern::{Later, arrange};
use super::web_search::Search;
use crate::constraint::{Bound, Row, Stiffness};
use crate::math::{Float, NO_ROW, Real};

/// A pivot below this share of its diagonal entry is rounding error: a redundant row that does not yield, which is left out (003-63).
pub(super) const REDUNDANT: f64 = 16.0 * Real::EPSILON as f64;

/// A joint in a web.
#[derive(Clone, Copy, Debug)]
struct Node {
    link: u32,
    /// Its rows are `picked[first..][..count]`; the same range of the vector of unknowns is theirs.
    first: u32,
    count: u32,
    /// Where its diagonal block begins in the values.
    diagonal: u32,
}

/// All webs of a step. Kept between steps for its memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Webs {
    /// In the order of elimination.
    nodes: Vec<Node>,
    /// Rows that hold, numbered from the first row of their joint.
    picked: Vec<u32>,
    /// Of each node, the later nodes with which it shares a block, in order, and where the block begins in the values.
    later: Vec<Vec<Later>>,
    values: Vec<f64>,
    /// 1/D for each unknown; 0 for a redundant row.
    inverse: Vec<f64>,
    unknown: Vec<f64>,
    /// Blocks of L below the diagonal block at hand.
    lower: Vec<f64>,
    /// By tie: its node.
    node: Vec<u32>,
}

impl Webs {
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Takes the webs that have been found, but those of points. `link_of` leads from the ties of webs to links.
    pub(super) fn prepare(
        &mut self,
        links: &mut [Link],
        rows: &[Row],
        search: &Search,
        points: &PointWebs,
        link_of: &[u32],
    ) {
        self.nodes.clear();
        self.picked.clear();
        self.values.clear();
        self.node.clear();
        for web in search.webs().filter(|web| !points.has(web[0] as usize)) {
            self.node.resize(link_of.len(), NO_ROW);
            self.add(web, links, rows, search, link_of);
        }
        self.inverse.clear();
        self.inverse.resize(self.picked.len(), 0.0);
        self.unknown.clear();
        self.unknown.resize(self.picked.len(), 0.0);
    }

    /// Adds a web: nodes from the far end, blocks, and what elimination fills in.
    fn add(&mut self, web: &[u32], links: &mut [Link], rows: &[Row], search: &Search, link_of: &[u32]) {
        let base = self.nodes.len();
        for &tie in web.iter().rev() {
            let l = link_of[tie as usize];
            let link = &mut links[l as usize];
            let first = self.picked.len();
            for i in 0..link.row_count {
                if holds(&rows[(link.first_row + i) as usize]) {
                    self.picked.push(i);
                }
            }
            let count = self.picked.len() - first;
            link.whole = true;
            self.node[tie as usize] = self.nodes.len() as u32;
            let diagonal = self.values.len() as u32;
            self.values.resize(self.values.len() + count * count, 0.0);
            self.nodes.push(Node { link: l, first: first as u32, count: count as u32, diagonal });
        }
        let nodes = &self.nodes;
        let bodies = |node: usize| {
            let holds = &links[nodes[node].link as usize].holds;
            holds.iter().filter(|hold| hold.dynamic).map(|hold| hold.body)
        };
        arrange(&mut self.later, base..nodes.len(), bodies, search, &self.node);
        for node in base..self.nodes.len() {
            for later in &mut self.later[node] {
                later.block = self.values.len() as u32;
                let size = self.nodes[node].count * self.nodes[later.node as usize].count;
                self.values.resize(self.values.len() + size as usize, 0.0);
            }
        }
    }

    /// Fills in A where the bodies are now, and factorises it. Blocks are by rows of the later node.
    pub fn factorise(&mut self, links: &[Link], rows: &[Row], answers: &[Answer], entries: &[Real]) {
        for i in 0..self.nodes.len() {
            let node = self.nodes[i];
            let link = &links[node.link as usize];
            let k = &entries[link.first_entry as usize..];
            let n = node.count as usize;
            let picked = &self.picked[node.first as usize..][..n];
            for (a, &ra) in picked.iter().enumerate() {
                for (b, &rb) in picked.iter().enumerate() {
                    let entry = super::joint_block::entry(ra as usize, rb as usize);
                    let soft = if a == b { answers[(link.first_row + ra) as usize].compliance } else { 0.0 };
                    self.values[node.diagonal as usize + a * n + b] = k[entry].to_f64() + soft.to_f64();
                }
            }
            for &Later { node: other, block: at } in &self.later[i] {
                let next = self.nodes[other as usize];
                let far = &links[next.link as usize];
                let others = &self.picked[next.first as usize..][..next.count as usize];
                let block = &mut self.values[at as usize..][..others.len() * n];
                block.fill(0.0);
                for (side, hold) in link.holds.iter().enumerate().filter(|(_, h)| h.dynamic) {
                    for (far_side, _) in far.holds.iter().enumerate().filter(|(_, h)| h.body == hold.body) {
                        for (a, &ra) in others.iter().enumerate() {
                            let j = &rows[(far.first_row + ra) as usize].jacobian;
                            let (linear, angular) =
                                if far_side == 0 { (j.linear_a, j.angular_a) } else { (j.linear_b, j.angular_b) };
                            for (entry, &rb) in block[a * n..][..n].iter_mut().zip(picked) {
                                let change = &answers[(link.first_row + rb) as usize].change;
                                *entry +=
                                    linear.dot(change[2 * side]).to_f64() + angular.dot(change[2 * side + 1]).to_f64();
                            }
                        }
                    }
                }
            }
        }
        self.eliminate();
    }

    /// A = L D Lᵀ: the diagonal blocks become their own factors, the others L.
    fn eliminate(&mut self) {
        let Self { nodes, later, values, inverse, lower, .. } = self;
        for i in 0..nodes.len() {
            let node = nodes[i];
            let n = node.count as usize;
            if n == 0 {
                continue;
            }
            let inverse = &mut inverse[node.first as usize..][..n];
            factor(&mut values[node.diagonal as usize..][..n * n], inverse, n);
            // L_ji = A_ji D⁻¹ for all later neighbours j, while the blocks still hold A.
            let diagonal = &values[node.diagonal as usize..][..n * n];
            lower.clear();
            for &Later { node: j, block } in &later[i] {
                let first = lower.len();
                lower.extend_from_slice(&values[block as usize..][..nodes[j as usize].count as usize * n]);
                lower[first..].chunks_exact_mut(n).for_each(|row| solve_block(diagonal, inverse, n, row));
            }
            // A_kj ← A_kj - A_ki L_jiᵀ for all pairs of them j <= k.
            let mut rest = &lower[..];
            for (at_j, &Later { node: j, .. }) in later[i].iter().enumerate() {
                let rows_j = nodes[j as usize].count as usize;
                let (lower_j, others) = rest.split_at(rows_j * n);
                rest = others;
                for &Later { node: k, block: block_k } in &later[i][at_j..] {
                    let rows_k = nodes[k as usize].count as usize;
                    let target = if k == j {
                        nodes[j as usize].diagonal as usize
                    } else {
                        match later[j as usize].binary_search_by_key(&k, |later| later.node) {
                            Ok(found) => later[j as usize][found].block as usize,
                            Err(_) => continue,
                        }
                    };
                    subtract_product(values, block_k as usize, lower_j, target, [rows_j, rows_k, n]);
                }
            }
            let mut rest = &lower[..];
            for &Later { node: j, block } in &later[i] {
                let (lower_j, others) = rest.split_at(nodes[j as usize].count as usize * n);
                rest = others;
                values[block as usize..][..lower_j.len()].copy_from_slice(lower_j);
            }
        }
    }

    /// Makes all rows that hold right at once:
    ///
    /// ```text
    ///   pushing:   (A + Γ) Δ = -(J u - ċ + ρ C + Γ λ)
    ///   relaxing:  (A + Γ) Δ = -(J u - ċ)
    /// ```
    ///
    /// One factorisation serves both. What Γ leaves over in the relaxing pass is Γ Δ, a share of what it changes.
    pub fn solve(
        &mut self,
        links: &mut [Link],
        rows: &mut [Row],
        answers: &[Answer],
        motions: &mut [Motion],
        push: bool,
    ) {
        let Self { nodes, picked, later, values, inverse, unknown, .. } = self;
        for node in nodes.iter() {
            let link = &links[node.link as usize];
            let ends = Ends::load(&link.holds, motions);
            for (x, &r) in range(unknown, node).iter_mut().zip(&picked[node.first as usize..][..node.count as usize]) {
                let at = (link.first_row + r) as usize;
                let soft = if push { answers[at].bias + answers[at].compliance * rows[at].impulse } else { 0.0 };
                *x = -(ends.along(&rows[at]) - rows[at].target + soft).to_f64();
            }
        }
        for (node, later) in nodes.iter().zip(&*later) {
            for &Later { node: j, block } in later {
                // Later nodes have later unknowns.
                let next = &nodes[j as usize];
                let (own, others) = unknown.split_at_mut(next.first as usize);
                let x = &own[node.first as usize..][..node.count as usize];
                subtract_image(&values[block as usize..], x, &mut others[..next.count as usize]);
            }
        }
        for (node, later) in nodes.iter().zip(&*later).rev() {
            let n = node.count as usize;
            let diagonal = &values[node.diagonal as usize..][..n * n];
            solve_block(diagonal, &inverse[node.first as usize..][..n], n, range(unknown, node));
            for &Later { node: j, block } in later {
                let next = &nodes[j as usize];
                let (own, others) = unknown.split_at_mut(next.first as usize);
                let x = &mut own[node.first as usize..][..n];
                subtract_pullback(&values[block as usize..], &others[..next.count as usize], x);
            }
        }
        for node in nodes.iter() {
            let link = &mut links[node.link as usize];
            let mut ends = Ends::load(&link.holds, motions);
            let mut done = Ends { v: link.applied };
            for (x, &r) in range(unknown, node).iter().zip(&picked[node.first as usize..][..node.count as usize]) {
                let at = (link.first_row + r) as usize;
                let change = Real::from_f64(*x);
                rows[at].impulse += change;
                ends.push(&answers[at], change);
                done.push(&answers[at], change);
            }
            link.applied = done.v;
            ends.store(&link.holds, motions);
        }
    }
}

/// The unknowns of a node.
fn range<'a>(unknown: &'a mut [f64], node: &Node) -> &'a mut [f64] {
    &mut unknown[node.first as usize..][..node.count as usize]
}

/// A row that webs hold: as hard as the method can, whatever the impulse.
pub(crate) fn holds(row: &Row) -> bool {
    row.bound == Bound::Equal && row.stiffness == Stiffness::Method
}

/// Calls a function with a size that the compiler knows, where it is one that joints have: its loops are unrolled and free of checks.
macro_rules! with_known_size {
    ($n:expr, $f:ident($($argument:expr),*)) => {
        match $n {
            1 => $f(1, $($argument),*),
            2 => $f(2, $($argument),*),
            3 => $f(3, $($argument),*),
            4 => $f(4, $($argument),*),
            5 => $f(5, $($argument),*),
            6 => $f(6, $($argument),*),
            n => $f(n, $($argument),*),
        }
    };
}

/// L D Lᵀ of an n x n block in its place: L below the diagonal, 1/D beside.
pub(super) fn factor(block: &mut [f64], inverse: &mut [f64], n: usize) {
    with_known_size!(n, factor_sized(block, inverse))
}

#[inline(always)]
fn factor_sized(n: usize, block: &mut [f64], inverse: &mut [f64]) {
    let (block, inverse) = (&mut block[..n * n], &mut inverse[..n]);
    for j in 0..n {
        let full = block[j * n + j];
        let mut d = full;
        for k in 0..j {
            let scaled = block[j * n + k];
            let l = scaled * inverse[k];
            block[j * n + k] = l;
            d -= scaled * l;
        }
        inverse[j] = if d > REDUNDANT * full && d.is_finite() { 1.0 / d } else { 0.0 };
        for i in j + 1..n {
            let mut v = block[i * n + j];
            for k in 0..j {
                v -= block[i * n + k] * block[j * n + k];
            }
            block[i * n + j] = v;
        }
    }
}

/// x ← (L D Lᵀ)⁻¹ x; a redundant row gets nothing.
pub(super) fn solve_block(block: &[f64], inverse: &[f64], n: usize, x: &mut [f64]) {
    with_known_size!(n, solve_sized(block, inverse, x))
}

#[inline(always)]
fn solve_sized(n: usize, block: &[f64], inverse: &[f64], x: &mut [f64]) {
    let (block, inverse, x) = (&block[..n * n], &inverse[..n], &mut x[..n]);
    for i in 0..n {
        for k in 0..i {
            x[i] -= block[i * n + k] * x[k];
        }
    }
    for i in 0..n {
        x[i] *= inverse[i];
    }
    for i in (0..n).rev() {
        for k in i + 1..n {
            x[i] -= block[k * n + i] * x[k];
        }
        if inverse[i] == 0.0 {
            x[i] = 0.0;
        }
    }
}

/// y ← y - B x for a block B of y.len() rows.
fn subtract_image(block: &[f64], x: &[f64], y: &mut [f64]) {
    with_known_size!(x.len(), image_sized(block, x, y))
}

#[inline(always)]
fn image_sized(n: usize, block: &[f64], x: &[f64], y: &mut [f64]) {
    let x = &x[..n];
    for (a, y) in y.iter_mut().enumerate() {
        let row = &block[a * n..][..n];
        *y -= row.iter().zip(x).fold(0.0, |sum, (b, x)| sum + b * x);
    }
}

/// x ← x - Bᵀ y for a block B of y.len() rows.
fn subtract_pullback(block: &[f64], y: &[f64], x: &mut [f64]) {
    with_known_size!(x.len(), pullback_sized(block, y, x))
}

#[inline(always)]
fn pullback_sized(n: usize, block: &[f64], y: &[f64], x: &mut [f64]) {
    let x = &mut x[..n];
    for (a, y) in y.iter().enumerate() {
        let row = &block[a * n..][..n];
        x.iter_mut().zip(row).for_each(|(x, b)| *x -= b * y);
    }
}

/// T ← T - A L_jᵀ for blocks of `values`: A of rows_k x n, T of rows_k x rows_j; L_j has rows_j x n.
fn subtract_product(values: &mut [f64], a: usize, lower_j: &[f64], target: usize, [rows_j, rows_k, n]: [usize; 3]) {
    with_known_size!(n, subtract_sized(values, a, lower_j, target, [rows_j, rows_k]))
}

#[inline(always)]
fn subtract_sized(
    n: usize,
    values: &mut [f64],
    a: usize,
    lower_j: &[f64],
    target: usize,
    [rows_j, rows_k]: [usize; 2],
) {
    for r in 0..rows_k {
        for (c, lower) in lower_j.chunks_exact(n).enumerate() {
            let row = &values[a + r * n..][..n];
            let product = row.iter().zip(lower).fold(0.0, |sum, (x, y)| sum + x * y);
            values[target + r * rows_j + c] -= product;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A block and its inverse make one; a redundant row is left out.
    #[test]
    fn blocks_are_solved() {
        let mut block = vec![4.0, 1.0, 2.0, 1.0, 3.0, 0.5, 2.0, 0.5, 5.0];
        let original = block.clone();
        let mut inverse = [0.0; 3];
        factor(&mut block, &mut inverse, 3);
        let b = [1.0, -2.0, 0.5];
        let mut x = b;
        solve_block(&block, &inverse, 3, &mut x);
        for i in 0..3 {
            let sum: f64 = (0..3).map(|j| original[i * 3 + j] * x[j]).sum();
            assert!((sum - b[i]).abs() < 1e-12);
        }
        let mut twice = vec![2.0, 2.0, 2.0, 2.0];
        let mut inverse = [0.0; 2];
        factor(&mut twice, &mut inverse, 2);
        let mut x = [3.0, 3.0];
        solve_block(&twice, &inverse, 2, &mut x);
        assert_eq!(x, [1.5, 0.0]);
    }
}
