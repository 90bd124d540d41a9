//! Webs of nothing but ball joints: ropes, chains, whatever hangs on them. As in `joint_web` all joints of a web are solved as one system,
//!
//! ```text
//!   (A + Γ) Δ = -(J u + ρ C + Γ λ)   pushing,      (A + Γ) Δ = -J u   relaxing,      A = J M⁻¹ Jᵀ = L D Lᵀ
//! ```
//!
//! but lanes evaluate the joints and start them, as those that sweeps hold (`joint_group`), and a block of A is a 3 x 3 matrix of which the
//! arms and inertias tell at once. With r the arm of joint i on a body that it shares with joint j, and s = 1 where both hold the same side of
//! it, A or B, and -1 otherwise:
//!
//! ```text
//!   A_ii = Σ over both bodies  1/m - [r_i]× I⁻¹ [r_i]×        A_ji = s (1/m - [r_j]× I⁻¹ [r_i]×)
//! ```
//!
//! Passes over the nodes of a web: two to factorise it, four to solve it.

use super::joint_group::{Balls, Form, JointGroup, JointGroups};
use super::joint_kernel::Place;
use super::joint_pull::Pulled;
use super::joint_seat::Seat;
use super::joint_web::{REDUNDANT, factor, solve_block};
use super::joint_work::Recipe;
use super::motion::{self, Mass, Motion};
use super::web_pattern::{Later, arrange};
use super::web_search::{Search, Tie};
use crate::crew::Team;
use crate::math::{LANES, Mat3, NO_ROW, Real, Sym3, Vec3};
use core::sync::atomic::AtomicU32;

/// A joint in a web.
#[derive(Clone, Copy, Debug)]
struct Node {
    /// Its lane, counted through all groups.
    place: u32,
    /// The bodies that it can move; [`NO_ROW`] for others.
    bodies: [u32; 2],
}

impl Node {
    fn movable(self) -> impl Iterator<Item = u32> {
        self.bodies.into_iter().filter(|&body| body != NO_ROW)
    }

    /// Its group and its lane there.
    fn at(self, balls: &Balls) -> (&JointGroup<3, 0, 6, 0>, usize) {
        (&balls.groups[self.place as usize / LANES], self.place as usize % LANES)
    }
}

/// All webs of points of a step. Kept between steps.
#[derive(Clone, Debug, Default)]
pub(super) struct PointWebs {
    /// The joints, in lanes that no sweep sees.
    pub groups: JointGroups,
    /// By tie: it belongs to such a web.
    has: Vec<bool>,
    /// In the order of elimination.
    nodes: Vec<Node>,
    later: Vec<Vec<Later>>,
    /// By tie: its node.
    node_of: Vec<u32>,
    /// A_ii until its turn comes, D⁻¹ from then on; zero where nothing is held.
    diagonal: Vec<Sym3<f64>>,
    /// A_ji, then L_ji, for each entry of `later`.
    blocks: Vec<Mat3<f64>>,
    unknown: Vec<Vec3<f64>>,
    /// The bodies of webs, and by body what the webs take its mass and inertia for.
    bodies: Vec<u32>,
    masses: Vec<Mass>,
}

impl PointWebs {
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// A tie belongs to a web of points.
    pub fn has(&self, tie: usize) -> bool {
        self.has.get(tie) == Some(&true)
    }

    /// Picks the webs all of whose joints are plain balls. Their lanes are to be dealt then.
    pub fn pick(&mut self, search: &Search, seats: &[Seat]) {
        self.groups.clear();
        self.has.clear();
        self.has.resize(seats.len(), false);
        let is_ball = |&tie: &u32| seats[tie as usize].form() == Some(Form::Ball);
        for web in search.webs().filter(|web| web.iter().all(is_ball)) {
            for &tie in web {
                self.has[tie as usize] = true;
            }
        }
    }

    /// Arranges the factors. `places` are the lanes that ties have been dealt.
    pub fn arrange(&mut self, search: &Search, ties: &[Tie], places: &[u32]) {
        let Self { has, nodes, later, node_of, diagonal, blocks, unknown, bodies, .. } = self;
        nodes.clear();
        node_of.clear();
        bodies.clear();
        let mut count = 0;
        for web in search.webs().filter(|web| has[web[0] as usize]) {
            node_of.resize(ties.len(), NO_ROW);
            let base = nodes.len();
            for &tie in web.iter().rev() {
                node_of[tie as usize] = nodes.len() as u32;
                nodes.push(Node { place: places[tie as usize], bodies: ties[tie as usize].bodies });
            }
            arrange(later, base..nodes.len(), |node| nodes[node].movable(), search, node_of);
            for later in later[base..nodes.len()].iter_mut().flatten() {
                later.block = count;
                count += 1;
            }
        }
        diagonal.resize(nodes.len(), Sym3::ZERO);
        blocks.resize(count as usize, Mat3::ZERO);
        unknown.resize(nodes.len(), Vec3::ZERO);
        bodies.extend(nodes.iter().flat_map(|node| node.movable()));
        bodies.sort_unstable();
        bodies.dedup();
    }

    /// Tells how hard the joints pull at their bodies: see `joint_pull`.
    pub fn pull(&self, pulled: &mut Pulled, motions: &[Motion], h: Real) {
        for node in &self.nodes {
            let (group, lane) = node.at(&self.groups.balls);
            let base = &self.groups.balls.bases[node.place as usize / LANES];
            let impulse = Vec3::new(group.impulse[0].0[lane], group.impulse[1].0[lane], group.impulse[2].0[lane]);
            for (side, p) in [-impulse, impulse].into_iter().enumerate() {
                let Some(motion) = motions.get(node.bodies[side] as usize) else { continue };
                let arm = motion::rotation_of(motion).rotate(base.offset[side].lane(lane));
                pulled.add(node.bodies[side], p.dot(arm) * h);
            }
        }
    }

    /// Arms, errors and factors where the bodies are now.
    pub fn evaluate(&mut self, motions: &mut [Motion], masses: &[Mass], pulled: &Pulled, recipe: &Recipe, team: &Team) {
        self.masses.resize(masses.len(), [0.0; 8]);
        for &body in &self.bodies {
            let mass = &mut self.masses[body as usize];
            *mass = masses[body as usize];
            motion::set_inertia(mass, pulled.inertia(body, masses));
        }
        let rounds = &AtomicU32::new(0);
        let place = Place { isa: recipe.isa, recipe, masses: &self.masses, whole: true, rounds };
        self.groups.each(None, false, motions, team, &place);
        self.fill();
        self.eliminate();
    }

    /// A + Γ.
    fn fill(&mut self) {
        let Self { groups, nodes, later, diagonal, blocks, .. } = self;
        for (i, node) in nodes.iter().enumerate() {
            let (group, lane) = node.at(&groups.balls);
            // K of a joint is its own block; what has no number for an error has been given none, and holds nothing.
            let [xx, xy, yy, xz, yz, zz] = [0, 1, 2, 3, 4, 5].map(|i: usize| f64::from(group.inverse[i].0[lane]));
            let soft = [0, 1, 2].map(|row: usize| f64::from(compliance(group, row, lane)));
            let sound = xx > 0.0 || yy > 0.0 || zz > 0.0;
            diagonal[i] = Sym3 { xx: xx + soft[0], yy: yy + soft[1], zz: zz + soft[2], xy, xz, yz };
            for &Later { node: other, block } in &later[i] {
                let far = nodes[other as usize];
                let (far_group, far_lane) = far.at(&groups.balls);
                let mut sum = Mat3::ZERO;
                for (side, &body) in node.bodies.iter().enumerate().filter(|(_, b)| **b != NO_ROW) {
                    for (far_side, _) in far.bodies.iter().enumerate().filter(|(_, b)| **b == body) {
                        let arm = far_group.arm[far_side].lane(far_lane);
                        let both = response(group, side, lane, arm);
                        sum = if side == far_side { sum + both } else { sum - both };
                    }
                }
                blocks[block as usize] = if sound && sum.is_finite() { sum } else { Mat3::ZERO };
            }
        }
    }

    /// A = L D Lᵀ.
    fn eliminate(&mut self) {
        let Self { nodes, later, diagonal, blocks, .. } = self;
        for i in 0..nodes.len() {
            let inverse = inverse(&diagonal[i]);
            diagonal[i] = inverse;
            for (at, &Later { node: j, block }) in later[i].iter().enumerate() {
                // L_ji = A_ji D⁻¹, and A_kj ← A_kj - A_ki L_jiᵀ for all j <= k, whose blocks still hold A.
                let lower = blocks[block as usize] * inverse.to_mat3();
                let across = lower.transpose();
                diagonal[j as usize] = diagonal[j as usize] - Sym3::from_mat3(&(blocks[block as usize] * across));
                for &Later { node: k, block: of_k } in &later[i][at + 1..] {
                    if let Ok(found) = later[j as usize].binary_search_by_key(&k, |later| later.node) {
                        let target = later[j as usize][found].block as usize;
                        blocks[target] = blocks[target] - blocks[of_k as usize] * across;
                    }
                }
                blocks[block as usize] = lower;
            }
        }
    }

    /// Makes all joints right at once; see the head of this file.
    pub fn solve(&mut self, motions: &mut [Motion], push: bool) {
        let Self { groups, nodes, later, diagonal, blocks, unknown, .. } = self;
        let balls = &mut groups.balls.groups;
        for ((node, x), inverse) in nodes.iter().zip(&mut *unknown).zip(&*diagonal) {
            *x = Vec3::ZERO;
            if *inverse == Sym3::ZERO {
                continue;
            }
            let (group, lane) = (&balls[node.place as usize / LANES], node.place as usize % LANES);
            let of = |side: usize| {
                let body = group.body[side][lane] as usize;
                let (v, w) = motions.get(body).map_or((Vec3::ZERO, Vec3::ZERO), motion::velocity_of);
                v + w.cross(group.arm[side].lane(lane))
            };
            let mut rhs = of(1) - of(0);
            if push {
                for row in 0..3 {
                    let impulse = group.impulse[row].0[lane];
                    rhs[row] += group.bias[row].0[lane] + compliance(group, row, lane) * impulse;
                }
            }
            *x = -rhs.to_f64();
        }
        for (i, later) in later[..nodes.len()].iter().enumerate() {
            let x = unknown[i];
            for &Later { node, block } in later {
                unknown[node as usize] -= blocks[block as usize] * x;
            }
        }
        for (i, later) in later[..nodes.len()].iter().enumerate().rev() {
            let mut x = diagonal[i] * unknown[i];
            for &Later { node, block } in later {
                x -= blocks[block as usize].transpose_mul(unknown[node as usize]);
            }
            unknown[i] = x;
        }
        for ((node, x), _) in nodes.iter().zip(&*unknown).zip(&*diagonal).filter(|(_, inverse)| **inverse != Sym3::ZERO)
        {
            let (group, lane) = (&mut balls[node.place as usize / LANES], node.place as usize % LANES);
            let p = x.to_real();
            for row in 0..3 {
                group.impulse[row].0[lane] += p[row];
            }
            for (side, p) in [-p, p].into_iter().enumerate() {
                let Some(motion) = motions.get_mut(node.bodies[side] as usize) else { continue };
                let (v, w) = motion::velocity_of(motion);
                let turn = group.arm[side].lane(lane).cross(p);
                let w = w + group.inv_inertia[side].lane(lane) * turn;
                motion::set_velocity(motion, v + p * group.inv_mass[side].0[lane], w);
            }
        }
    }
}

/// Γ of a row: γ times its diagonal entry of K.
fn compliance(group: &JointGroup<3, 0, 6, 0>, row: usize, lane: usize) -> Real {
    group.inverse[[0, 2, 5][row]].0[lane] * group.firm.0[lane]
}

/// 1/m - [r]× I⁻¹ [r']×: the velocity at an arm r of a body for impulses along the axes of the world at the arm r' of a joint.
fn response(group: &JointGroup<3, 0, 6, 0>, side: usize, lane: usize, arm: Vec3) -> Mat3<f64> {
    let inertia = group.inv_inertia[side].lane(lane);
    let Mat3 { x, y, z } = Mat3::skew(group.arm[side].lane(lane));
    let [x, y, z] = [x, y, z].map(|turn| (inertia * turn).cross(arm));
    (Mat3::from_columns(x, y, z) + Mat3::diagonal(Vec3::all(group.inv_mass[side].0[lane]))).to_f64()
}

/// The inverse of a positive matrix; without the rows that are redundant, as in `joint_web`, where it has none.
fn inverse(s: &Sym3<f64>) -> Sym3<f64> {
    let &Sym3 { xx, yy, zz, xy, xz, yz } = s;
    let (c, det) = s.cofactors();
    let inverse = c * (1.0 / det);
    let positive = xx > 0.0 && c.zz > REDUNDANT * xx * yy && det > REDUNDANT * c.zz * zz;
    if positive && inverse.is_finite() {
        return inverse;
    }
    let mut block = [xx, xy, xz, xy, yy, yz, xz, yz, zz];
    let mut pivots = [0.0; 3];
    factor(&mut block, &mut pivots, 3);
    let [x, y, z] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(|mut column| {
        solve_block(&block, &pivots, 3, &mut column);
        Vec3::new(column[0], column[1], column[2])
    });
    let inverse = Sym3::from_mat3(&Mat3::from_columns(x, y, z));
    if inverse.is_finite() { inverse } else { Sym3::ZERO }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Float, Num};
    use crate::method::JointSolve;

    /// Numbers between -1 and 1, the same in every run.
    fn noise(seed: &mut u32) -> Real {
        *seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (*seed >> 8) as Real / (1 << 23) as Real - 1.0
    }

    fn any_vector(seed: &mut u32) -> Vec3 {
        Vec3::new(noise(seed), noise(seed), noise(seed))
    }

    /// The joints between these bodies, with arms, masses and velocities that are anything.
    fn web(ties: &[[u32; 2]], seed: &mut u32) -> (PointWebs, Vec<Motion>) {
        let count = ties.iter().flatten().filter(|&&b| b != NO_ROW).max().map_or(0, |&b| b as usize + 1);
        let bodies: Vec<(Real, Sym3)> = (0..count)
            .map(|_| {
                let v = any_vector(seed);
                (1.5 + noise(seed), Sym3::point_mass(v) + Sym3::diagonal(Vec3::all(0.5)))
            })
            .collect();
        let ties: Vec<Tie> = ties.iter().map(|&bodies| Tie { bodies, masses: [1.0; 2] }).collect();
        let mut search = Search::default();
        search.find(&ties, count, JointSolve::Whole);
        let mut webs = PointWebs { has: vec![true; ties.len()], ..PointWebs::default() };
        let places: Vec<u32> = ties.iter().map(|_| webs.groups.deal(Form::Ball, false)).collect();
        for (tie, &place) in ties.iter().zip(&places) {
            let (group, lane) = (&mut webs.groups.balls.groups[place as usize / LANES], place as usize % LANES);
            for side in 0..2 {
                let body = tie.bodies[side];
                group.body[side][lane] = body;
                group.arm[side].set(lane, any_vector(seed));
                if let Some((inv_mass, inertia)) = bodies.get(body as usize) {
                    group.inv_mass[side].0[lane] = *inv_mass;
                    for (wide, value) in group.inv_inertia[side]
                        .0
                        .iter_mut()
                        .zip([inertia.xx, inertia.yy, inertia.zz, inertia.xy, inertia.xz, inertia.yz])
                    {
                        wide.0[lane] = value;
                    }
                }
            }
            let k = [0, 1].map(|side| response(group, side, lane, group.arm[side].lane(lane)).to_real());
            let k = k[0] + k[1];
            for (wide, value) in group.inverse.iter_mut().zip([k.x.x, k.x.y, k.y.y, k.x.z, k.y.z, k.z.z]) {
                wide.0[lane] = value;
            }
            // γ
            group.firm.0[lane] = 0.02 + 0.01 * noise(seed);
            for row in 0..3 {
                group.bias[row].0[lane] = noise(seed);
                group.impulse[row].0[lane] = noise(seed);
            }
        }
        webs.arrange(&search, &ties, &places);
        let motions = (0..count)
            .map(|_| {
                let mut motion = [0.0; 16];
                motion::set_velocity(&mut motion, any_vector(seed), any_vector(seed));
                motion
            })
            .collect();
        (webs, motions)
    }

    /// After a pass every joint of a chain, a tree and a web with loops is as its equation asks: J u + Γ Δ is zero, or pushing J u + b + Γ λ.
    #[test]
    fn every_joint_of_a_web_is_right_at_once() {
        const W: u32 = NO_ROW;
        let chain: Vec<[u32; 2]> = (0..20).map(|i| [if i == 0 { W } else { i - 1 }, i]).collect();
        let tree = vec![[W, 0], [0, 1], [2, 0], [1, 3], [4, 1], [2, 5], [2, 6]];
        let loops = vec![[W, 0], [0, 1], [1, 2], [2, 3], [3, 0], [4, 2], [W, 4], [0, 1]];
        let free = vec![[0, 1], [1, 2], [3, 2]];
        let seed = &mut 7;
        for ties in [&chain, &tree, &loops, &free] {
            for push in [true, false] {
                let (mut webs, mut motions) = web(ties, seed);
                let before: Vec<_> = webs.groups.balls.groups.iter().map(|group| group.impulse).collect();
                webs.fill();
                webs.eliminate();
                webs.solve(&mut motions, push);
                for node in &webs.nodes {
                    let (group, lane) = node.at(&webs.groups.balls);
                    let at = |side: usize| {
                        let (v, w) = motions
                            .get(node.bodies[side] as usize)
                            .map_or((Vec3::ZERO, Vec3::ZERO), motion::velocity_of);
                        v + w.cross(group.arm[side].lane(lane))
                    };
                    let slip = at(1) - at(0);
                    for row in 0..3 {
                        let (now, compliance) = (group.impulse[row].0[lane], compliance(group, row, lane));
                        let was = before[node.place as usize / LANES][row].0[lane];
                        // Pushing, what it yields to is the whole impulse.
                        let left =
                            if push { group.bias[row].0[lane] + compliance * now } else { compliance * (now - was) };
                        let off = Num::abs(slip[row] + left);
                        // Velocities of about 10 and rounding in single precision.
                        assert!(off < 1e-4, "{} joints, push {push}: off by {off}", ties.len());
                    }
                }
            }
        }
    }

    /// A row along which nothing moves is left out, and the others are held; a matrix that is not positive holds nothing along what is not.
    #[test]
    fn redundant_rows_are_left_out() {
        let near = |a: Sym3<f64>, b: Sym3<f64>| (a - b).largest() < 1e-12;
        let full = Sym3 { xx: 2.0, yy: 3.0, zz: 4.0, xy: 0.5, xz: -0.2, yz: 0.1 };
        assert!(near(inverse(&full), full.try_inverse().unwrap()));
        let flat = Sym3::diagonal(Vec3::new(2.0, 0.0, 4.0));
        assert!(near(inverse(&flat), Sym3::diagonal(Vec3::new(0.5, 0.0, 0.25))));
        let upside_down = Sym3::diagonal(Vec3::new(2.0, -1e-9, -1e-9));
        assert!(near(inverse(&upside_down), Sym3::diagonal(Vec3::new(0.5, 0.0, 0.0))));
        assert_eq!(inverse(&Sym3::ZERO), Sym3::ZERO);
        assert_eq!(inverse(&Sym3::diagonal(Vec3::new(1.0, Real::NAN.to_f64(), 1.0))).yy, 0.0);
    }

    /// What is no number holds nothing, and its neighbours hold on.
    #[test]
    fn joints_without_numbers_hold_nothing() {
        let (mut webs, mut motions) = web(&[[NO_ROW, 0], [0, 1], [1, 2]], &mut 3);
        let place = webs.nodes[0].place as usize;
        let (group, lane) = (&mut webs.groups.balls.groups[place / LANES], place % LANES);
        group.arm[0].set(lane, Vec3::all(Real::NAN));
        // As it is evaluated.
        group.inverse.iter_mut().for_each(|wide| wide.0[lane] = 0.0);
        webs.fill();
        webs.eliminate();
        let free = motions[2];
        webs.solve(&mut motions, false);
        // Eliminated first is the joint at the far end: the last body is as it was, the others are held.
        assert_eq!(motions[2], free);
        assert!(motions.iter().flatten().all(|x| x.is_finite()));
        assert!(webs.diagonal[1] != Sym3::ZERO && webs.diagonal[2] != Sym3::ZERO);
    }
}
