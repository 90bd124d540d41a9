//! Contacts of links, manifold by manifold.
//!
//! The rows of a manifold act on the same links, so that their G (see [`response`](crate::articulation::response)) have the same few numbers that are not
//! zero: those on the ways from its links to the world. They stand side by side in two fours, friction along two tangents and about the normal in one, the
//! points in the other, with the matrix K between each of them and the points. A single point takes the place that friction leaves in its four, and there is
//! no other. A visit reads the quasi-velocities on these ways once, solves all rows
//! one after the other by K alone, and pushes the trees once.

use super::row_set::{End, resistance, within};
use super::{Field, TreeRows};
use crate::alike::Alike;
use crate::articulation::dynamics::path;
use crate::articulation::response::Way;
use crate::body::store::Params;
use crate::constraint::contact::{Contacts, SOLVED_POINTS};
use crate::math::{Float, Fours, Num, Quad, Real, Vec3};
use crate::solve::contact_constraint::{SPRINGY, Soft};
use crate::solve::motion::{self, Free, Mass, Motion};
use crate::solve::tree_work::{Recipe, Working, velocity};
use core::ops::Range;

/// Rows of friction; the fourth place of their four has none, or a single point.
const FRICTION: usize = 3;

/// The share of the way to a surface that is rounding.
const LANDED: f64 = 1e-9;

/// The numbers of a four.
const FOUR: usize = 4;

/// Numbers of all rows of a manifold: those of friction, and those of its points.
type Both = [Quad; 2];

const NOTHING: Both = [Quad::ZERO; 2];

/// Where a point stands among the rows: `ONE` by itself, or with others.
#[inline(always)]
const fn place<const ONE: bool>(point: usize) -> (usize, usize) {
    if ONE { (0, FRICTION) } else { (1, point) }
}

/// The rows of a manifold.
#[derive(Clone, Copy, Debug)]
pub(super) struct Site {
    pub(super) manifold: u32,
    pub(super) points: u32,
    pub(super) ends: [End; 2],
    /// The bodies by dense index.
    bodies: [u32; 2],
    /// Where the ways of both ends to the world begin in the lists of all sites, how many degrees of freedom they are, and where those of each stand
    /// among them.
    first: u32,
    count: u32,
    ways: [Way; 2],
    /// J before the velocity of B, against that of A; and before both angular velocities. All rows side by side, component by component.
    force: [Both; 3],
    torque: [[Both; 3]; 2],
    /// K between each row and the points, or between a single point, in the first, and all rows; K of each row with itself; and what is 1/K of the same,
    /// 0 where nothing moves.
    k: [Quad; 2 * FOUR],
    own: Both,
    mass: Both,
    pub(super) impulse: Both,
    /// All of G and K is known. Surfaces that are apart and stay so need G of the points alone.
    answered: bool,
    pub(super) tangent: Vec3,
    separation: [f64; SOLVED_POINTS],
    lever: [f64; SOLVED_POINTS],
    /// Velocity along the normal before the rows of the sub-step.
    approach: [f64; SOLVED_POINTS],
    surface: [f64; 2],
    pub(super) static_friction: f64,
    pub(super) dynamic_friction: f64,
    spinning: f64,
    pub(super) restitution: f64,
    soft: Soft,
    firm_depth: f64,
}

/// The lists of all sites: where the quasi-velocities on their ways stand, and G.
#[derive(Clone, Debug, Default)]
pub(super) struct Ways {
    at: Vec<u32>,
    g: Vec<Both>,
}

impl Ways {
    pub fn clear(&mut self) {
        self.at.clear();
        self.g.clear();
    }
}

impl Site {
    /// The trees that it acts on.
    #[inline(always)]
    pub fn trees(&self) -> impl Iterator<Item = u32> + use<> {
        self.ends.into_iter().filter_map(|end| if let End::Link(tree, _) = end { Some(tree) } else { None })
    }

    /// It acts on one tree and on nothing else.
    pub fn is_plain(&self) -> bool {
        match self.ends {
            [End::Link(a, _), End::Link(b, _)] => a == b,
            ends => !ends.iter().any(|end| matches!(end, End::Body(_))),
        }
    }

    #[inline(always)]
    fn list(&self) -> Range<usize> {
        self.first as usize..(self.first + self.count) as usize
    }

    /// It has a single point.
    #[inline(always)]
    fn is_one(&self) -> bool {
        self.points == 1
    }

    /// Where a point stands among its rows.
    #[inline(always)]
    fn place(&self, point: usize) -> (usize, usize) {
        if self.is_one() { place::<true>(point) } else { place::<false>(point) }
    }

    /// The impulses of its points, and places without.
    pub fn presses(&self) -> [f64; FOUR] {
        if self.is_one() { [self.impulse[0].0[FRICTION], 0.0, 0.0, 0.0] } else { self.impulse[1].0 }
    }

    /// Nothing presses or rubs.
    #[inline(always)]
    fn is_idle(&self) -> bool {
        self.impulse.iter().flat_map(|four| four.0).all(|impulse| impulse == 0.0)
    }

    /// Finds its place on the lists: each degree of freedom that is on the way of either end once. `place` says where the quasi-velocities of a tree begin.
    pub fn find_ways(&mut self, ways: &mut Ways, trees: &[Working], place: impl Fn(u32) -> u32) {
        // How many there are of the other end: none of another tree.
        let mut all = 0;
        self.first = ways.at.len() as u32;
        for side in 0..2 {
            let End::Link(tree, link) = self.ends[side] else { continue };
            let (of, first) = (&trees[tree as usize].articulation.tree, ways.at.len() as u32 - self.first);
            let mut way = Way { first, own: 0, join: 0 };
            for k in path(of, link as usize) {
                let at = place(tree) + k as u32;
                // From here on it is the way of the other end.
                if let Some(join) = ways.at[self.first as usize..][..all].iter().position(|&other| other == at) {
                    way.join = join as u32;
                    break;
                }
                ways.at.push(at);
                way.own += 1;
            }
            self.ways[side] = way;
            all = ways.at.len() - self.first as usize;
        }
        self.count = all as u32;
        ways.g.resize(ways.at.len(), NOTHING);
    }

    /// The impulse of a point with this velocity along the normal; none where it is left as it is.
    #[inline(always)]
    fn pressed<const ONE: bool>(&self, p: usize, rate: f64, recipe: &Recipe, push: bool) -> Option<f64> {
        let h = recipe.h.to_f64();
        let (half, lane) = place::<ONE>(p);
        let (impulse, mass, s) = (self.impulse[half].0[lane], self.mass[half].0[lane], self.separation[p]);
        let mut share = 1.0;
        let bias = if s > 0.0 {
            // As in the kernel: the relaxing pass leaves surfaces alone that are apart and have not pushed.
            if !push && impulse <= 0.0 {
                return None;
            }
            s / h
        } else if push {
            let mut out = self.soft.bias_rate.to_f64() * Num::min(s + recipe.slop.to_f64(), 0.0);
            if s + self.firm_depth <= 0.0 {
                share = self.soft.mass_scale.to_f64();
                // What is soft beyond measure has no mass left, and gives way to anything.
                if impulse > 0.0 && share * mass > 0.0 {
                    out += self.soft.impulse_scale.to_f64() / (share * mass) * impulse;
                }
            }
            // As in the kernel: the limit is on what comes of push and load together.
            if self.firm_depth < 0.0 { out } else { Num::max(out, -recipe.push_speed.to_f64()) }
        } else if self.firm_depth < 0.0 {
            // A spring that is under load keeps what it gives.
            return None;
        } else {
            0.0
        };
        // What does not push need not either.
        if impulse == 0.0 && rate + bias >= 0.0 {
            return None;
        }
        Some(Num::max(impulse - share * mass * (rate + bias), 0.0))
    }

    /// The impulses of friction with these velocities: what would stop slip and twist, or as much of it as friction bears. None where they are
    /// left as they are.
    #[inline(always)]
    fn rubbed<const ONE: bool>(&self, rate: &[f64; FOUR]) -> Option<[f64; FRICTION]> {
        let (impulse, mass) = (&self.impulse[0].0, &self.mass[0].0);
        let (mut normal, mut torque) = (0.0, 0.0);
        for (p, lever) in self.lever.iter().enumerate().take(if ONE { 1 } else { self.points as usize }) {
            let (half, lane) = place::<ONE>(p);
            let lambda = self.impulse[half].0[lane];
            normal += lambda;
            torque += lambda * lever;
        }
        // What nothing presses rubs on nothing.
        if normal <= 0.0 && impulse.iter().all(|&impulse| impulse == 0.0) {
            return None;
        }
        torque += normal * self.spinning;
        let lever = if normal > 0.0 { torque / normal } else { 0.0 };
        let mut wanted = [
            impulse[0] - mass[0] * (rate[0] + self.surface[0]),
            impulse[1] - mass[1] * (rate[1] + self.surface[1]),
            if lever > 0.0 { impulse[2] - mass[2] * rate[2] } else { 0.0 },
        ];
        // Slip comes first, and twist gets what is left. The wheels of one car hold it against turning several times over: twist that
        // they hold against each other must not use up the friction that drives it. By squares, since what does not slide needs no roots.
        let (whole, firm) = (self.dynamic_friction * normal, self.static_friction * normal);
        let mut kept = wanted[0] * wanted[0] + wanted[1] * wanted[1];
        if kept > firm * firm {
            let slip = Num::sqrt(kept);
            if slip > whole {
                wanted = [wanted[0] * (whole / slip), wanted[1] * (whole / slip), wanted[2]];
            }
            kept = whole * whole;
        }
        let most = lever * lever * Num::max(whole * whole - kept, 0.0);
        if wanted[2] * wanted[2] > most {
            wanted[2] = within(wanted[2], Num::sqrt(most));
        }
        Some(wanted)
    }

    /// G of its points or, for 0 as `HALF`, of its friction.
    #[inline(always)]
    fn lead_in<F: Fours, const HALF: usize>(&self, ways: &mut Ways, trees: &[Working]) {
        for side in 0..2 {
            let End::Link(tree, link) = self.ends[side] else { continue };
            let (force, torque) = (&self.force, &self.torque[side]);
            let Working { articulation, pass, .. } = &trees[tree as usize];
            let [x, y, z, _] = pass.links[link as usize].centre.0;
            let (x, y, z) = (F::splat(x), F::splat(y), F::splat(z));
            let sign = F::splat(if side == 0 { -1.0 } else { 1.0 });
            let fx = F::load(&force[0][HALF]) * sign;
            let fy = F::load(&force[1][HALF]) * sign;
            let fz = F::load(&force[2][HALF]) * sign;
            let wrench = [
                F::load(&torque[0][HALF]) + (y * fz - z * fy),
                F::load(&torque[1][HALF]) + (z * fx - x * fz),
                F::load(&torque[2][HALF]) + (x * fy - y * fx),
                fx,
                fy,
                fz,
            ];
            let g = &mut ways.g[self.list()];
            pass.lead_in_fours::<F, HALF>(&articulation.tree, link as usize, wrench, self.ways[side], g);
        }
    }

    /// K, where G is known.
    #[inline(always)]
    fn weigh<F: Fours, const ONE: bool>(&mut self, ways: &Ways, masses: &[Mass]) {
        let (g, halves) = (&ways.g[self.list()], if ONE { 1 } else { 2 });
        // What K would be if no joint held the links, and the part of free bodies in it.
        let (mut loose, mut free) = (NOTHING, NOTHING);
        for side in 0..2 {
            let torque = &self.torque[side];
            let Some(mass) = masses.get(self.bodies[side] as usize).filter(|m| motion::is_movable(m)) else { continue };
            let (m, inertia) = (motion::inv_mass_of(mass).to_f64(), motion::inertia_of(mass).to_f64());
            for half in 0..halves {
                let [fx, fy, fz] =
                    [F::load(&self.force[0][half]), F::load(&self.force[1][half]), F::load(&self.force[2][half])];
                let [nx, ny, nz] = [F::load(&torque[0][half]), F::load(&torque[1][half]), F::load(&torque[2][half])];
                let along = fx * fx * F::splat(m.x) + fy * fy * F::splat(m.y) + fz * fz * F::splat(m.z);
                let about = nx * (nx * F::splat(inertia.xx) + ny * F::splat(inertia.xy) + nz * F::splat(inertia.xz))
                    + ny * (nx * F::splat(inertia.xy) + ny * F::splat(inertia.yy) + nz * F::splat(inertia.yz))
                    + nz * (nx * F::splat(inertia.xz) + ny * F::splat(inertia.yz) + nz * F::splat(inertia.zz));
                (F::load(&loose[half]) + along + about).store(&mut loose[half]);
                if matches!(self.ends[side], End::Body(_)) {
                    (F::load(&free[half]) + along + about).store(&mut free[half]);
                }
            }
        }
        // K between the points and each row, or between all rows and a single point.
        let (points, between, rows) = if ONE {
            (0, FRICTION..FOUR, FOUR)
        } else {
            (1, 0..FOUR + self.points as usize, FOUR + self.points as usize)
        };
        let is_there = |row: &usize| ONE || *row != FRICTION;
        for (at, row) in between.enumerate().filter(|(_, row)| is_there(row)) {
            let (half, lane) = (row / FOUR, row % FOUR);
            let mut k = F::splat(0.0);
            for g in g.iter() {
                k = k + F::load(&g[points]) * F::splat(g[half].0[lane]);
            }
            for side in 0..2 {
                let End::Body(dense) = self.ends[side] else { continue };
                let Some(mass) = masses.get(dense as usize).filter(|m| motion::is_movable(m)) else { continue };
                let of = |of: &[Both; 3]| Vec3::new(of[0][half].0[lane], of[1][half].0[lane], of[2][half].0[lane]);
                let linear = of(&self.force).scale(motion::inv_mass_of(mass).to_f64());
                let angular = motion::inertia_of(mass).to_f64() * of(&self.torque[side]);
                let (force, torque) = (&self.force, &self.torque[side]);
                k = k + F::load(&force[0][points]) * F::splat(linear.x);
                k = k + F::load(&force[1][points]) * F::splat(linear.y);
                k = k + F::load(&force[2][points]) * F::splat(linear.z);
                k = k + F::load(&torque[0][points]) * F::splat(angular.x);
                k = k + F::load(&torque[1][points]) * F::splat(angular.y);
                k = k + F::load(&torque[2][points]) * F::splat(angular.z);
            }
            k.store(&mut self.k[at]);
        }
        for half in 0..halves {
            let mut own = F::load(&free[half]);
            for g in g.iter() {
                own = own + F::load(&g[half]) * F::load(&g[half]);
            }
            own.store(&mut self.own[half]);
        }
        for row in (0..rows).filter(is_there) {
            let (half, lane) = (row / FOUR, row % FOUR);
            let (k, mass) = resistance(self.own[half].0[lane], loose[half].0[lane]);
            (self.own[half].0[lane], self.mass[half].0[lane]) = (k, mass);
        }
    }

    /// Δv and Δω of a free body at one end by these impulses.
    fn change(&self, side: usize, impulses: &Both, mass: &Mass) -> (Vec3, Vec3) {
        let sum = |of: &Both| -> f64 {
            let all = of.iter().zip(impulses).flat_map(|(of, by)| of.0.into_iter().zip(by.0));
            all.map(|(of, by)| of * by).sum()
        };
        let three = |of: &[Both; 3]| Vec3::new(sum(&of[0]), sum(&of[1]), sum(&of[2]));
        let (linear, angular) = (three(&self.force) * if side == 0 { -1.0 } else { 1.0 }, three(&self.torque[side]));
        (linear.to_real().scale(motion::inv_mass_of(mass)), motion::inertia_of(mass) * angular.to_real())
    }
}

impl TreeRows {
    /// G and K of a site, by the factors that its trees hold; of one at which nothing presses G of the points alone.
    #[inline(always)]
    pub(super) fn answer_site<F: Fours>(&mut self, i: usize, trees: &[Working], masses: &[Mass]) {
        let Self { sites, ways, .. } = self;
        let site = &mut sites[i];
        site.answered = !site.is_idle();
        ways.g[site.list()].fill(NOTHING);
        match (site.is_one(), site.answered) {
            (true, answered) => {
                site.lead_in::<F, 0>(ways, trees);
                if answered {
                    site.weigh::<F, true>(ways, masses);
                }
            }
            (false, answered) => {
                site.lead_in::<F, 1>(ways, trees);
                if answered {
                    site.lead_in::<F, 0>(ways, trees);
                    site.weigh::<F, false>(ways, masses);
                }
            }
        }
    }

    /// The rest of the answers of a site that begins to push.
    #[inline(always)]
    fn wake<F: Fours, const ONE: bool>(&mut self, i: usize, trees: &[Working], masses: &[Mass]) {
        let Self { sites, ways, .. } = self;
        let site = &mut sites[i];
        site.answered = true;
        if !ONE {
            site.lead_in::<F, 0>(ways, trees);
        }
        site.weigh::<F, ONE>(ways, masses);
    }

    /// Ċ of its points.
    #[inline(always)]
    fn point_rates<F: Fours, const ONE: bool>(&self, site: &Site, motions: &[Motion]) -> [f64; FOUR] {
        let mut four = Quad::ZERO;
        if ONE {
            self.site_rates::<F, true, false>(site, motions)[0].store(&mut four);
            return [four.0[FRICTION], 0.0, 0.0, 0.0];
        }
        self.site_rates::<F, false, true>(site, motions)[1].store(&mut four);
        four.0
    }

    /// The same of any site.
    #[inline(always)]
    fn rates_of_points<F: Fours>(&self, site: &Site, motions: &[Motion]) -> [f64; FOUR] {
        if site.is_one() {
            self.point_rates::<F, true>(site, motions)
        } else {
            self.point_rates::<F, false>(site, motions)
        }
    }

    /// Ċ of its rows: of those in the `FIRST` four, and of those in the `OTHER`.
    #[inline(always)]
    fn site_rates<F: Fours, const FIRST: bool, const OTHER: bool>(&self, site: &Site, motions: &[Motion]) -> [F; 2] {
        let z = self.rows.z.as_flattened();
        let (at, g) = (&self.ways.at[site.list()], &self.ways.g[site.list()]);
        let (mut rubs, mut presses) = ([F::splat(0.0); 2], [F::splat(0.0); 2]);
        // Two sums of each side by side, so that none waits long for another.
        let (pairs, last) = at.as_chunks::<2>();
        let (pairs_of_g, last_of_g) = g.as_chunks::<2>();
        for ([a, b], [of_a, of_b]) in pairs.iter().zip(pairs_of_g) {
            let (za, zb) = (F::splat(z[*a as usize]), F::splat(z[*b as usize]));
            if FIRST {
                rubs = [rubs[0] + F::load(&of_a[0]) * za, rubs[1] + F::load(&of_b[0]) * zb];
            }
            if OTHER {
                presses = [presses[0] + F::load(&of_a[1]) * za, presses[1] + F::load(&of_b[1]) * zb];
            }
        }
        for (a, of_a) in last.iter().zip(last_of_g) {
            let za = F::splat(z[*a as usize]);
            if FIRST {
                rubs[0] = rubs[0] + F::load(&of_a[0]) * za;
            }
            if OTHER {
                presses[0] = presses[0] + F::load(&of_a[1]) * za;
            }
        }
        let mut rates = [rubs[0] + rubs[1], presses[0] + presses[1]];
        for (side, end) in site.ends.iter().enumerate() {
            let End::Body(dense) = end else { continue };
            let ((v, w), torque) = (velocity(&motions[*dense as usize]), &site.torque[side]);
            let v = v * if side == 0 { -1.0 } else { 1.0 };
            for (half, rates) in rates.iter_mut().enumerate() {
                *rates = *rates
                    + F::load(&site.force[0][half]) * F::splat(v.x)
                    + F::load(&site.force[1][half]) * F::splat(v.y)
                    + F::load(&site.force[2][half]) * F::splat(v.z)
                    + F::load(&torque[0][half]) * F::splat(w.x)
                    + F::load(&torque[1][half]) * F::splat(w.y)
                    + F::load(&torque[2][half]) * F::splat(w.z);
            }
        }
        rates
    }

    /// Pushes trees, and free bodies where there are any for it, by impulses of all rows of a site.
    #[inline(always)]
    fn push_site<F: Fours, const ONE: bool>(&mut self, i: usize, by: &Both, bodies: Option<(&mut [Motion], &[Mass])>) {
        let Self { sites, ways, rows, .. } = self;
        let site = &sites[i];
        let z = rows.z.as_flattened_mut();
        let (first, other) = (F::load(&by[0]), F::load(&by[1]));
        // No closure: it would not be compiled for the instructions of the kernel.
        let (fours, last) = ways.at[site.list()].as_chunks::<FOUR>();
        let (fours_of_g, last_of_g) = ways.g[site.list()].as_chunks::<FOUR>();
        for (at, g) in fours.iter().zip(fours_of_g) {
            let mut pushes = [
                F::load(&g[0][0]) * first,
                F::load(&g[1][0]) * first,
                F::load(&g[2][0]) * first,
                F::load(&g[3][0]) * first,
            ];
            if !ONE {
                for (push, g) in pushes.iter_mut().zip(g) {
                    *push = *push + F::load(&g[1]) * other;
                }
            }
            let mut sums = Quad::ZERO;
            F::sums(pushes).store(&mut sums);
            for (at, sum) in at.iter().zip(sums.0) {
                z[*at as usize] += sum;
            }
        }
        for (at, g) in last.iter().zip(last_of_g) {
            let mut push = F::load(&g[0]) * first;
            if !ONE {
                push = push + F::load(&g[1]) * other;
            }
            z[*at as usize] += push.sum();
        }
        let Some((motions, masses)) = bodies else { return };
        for (side, end) in site.ends.iter().enumerate() {
            let End::Body(dense) = end else { continue };
            let (motion, mass) = (&mut motions[*dense as usize], &masses[*dense as usize]);
            if motion::is_movable(mass) {
                let ((v, w), (dv, dw)) = (motion::velocity_of(motion), site.change(side, by, mass));
                motion::set_velocity(motion, v + dv, w + dw);
            }
        }
    }

    /// Applies the impulses that its rows carry.
    #[inline(always)]
    pub(super) fn warm_site<F: Fours>(&mut self, i: usize, bodies: Option<(&mut [Motion], &[Mass])>) {
        if !self.sites[i].is_idle() {
            let impulse = self.sites[i].impulse;
            self.push_any_site::<F>(i, &impulse, bodies);
        }
    }

    #[inline(always)]
    fn push_any_site<F: Fours>(&mut self, i: usize, by: &Both, bodies: Option<(&mut [Motion], &[Mass])>) {
        if self.sites[i].is_one() {
            self.push_site::<F, true>(i, by, bodies);
        } else {
            self.push_site::<F, false>(i, by, bodies);
        }
    }

    /// One visit: friction, then the points one after the other.
    #[inline(always)]
    pub(super) fn solve_site<F: Fours>(&mut self, i: usize, field: &mut Field<'_>) {
        if self.sites[i].is_one() {
            self.visit::<F, true>(i, field);
        } else {
            self.visit::<F, false>(i, field);
        }
    }

    #[inline(always)]
    fn visit<F: Fours, const ONE: bool>(&mut self, i: usize, field: &mut Field<'_>) {
        let site = &self.sites[i];
        let count = if ONE { 1 } else { site.points as usize };
        if site.is_idle() {
            let rates = self.point_rates::<F, ONE>(site, field.motions);
            if !(0..count).any(|p| site.pressed::<ONE>(p, rates[p], field.recipe, field.push).is_some()) {
                return;
            }
            if !site.answered {
                self.wake::<F, ONE>(i, field.trees, field.masses);
            }
        }
        let rates = match ONE {
            true => self.site_rates::<F, true, false>(&self.sites[i], field.motions),
            false => self.site_rates::<F, true, true>(&self.sites[i], field.motions),
        };
        // Those of the points by themselves, in their places.
        let (points, mut of) = (place::<ONE>(0).0, NOTHING);
        rates[0].store(&mut of[0]);
        rates[1].store(&mut of[1]);
        let site = &mut self.sites[i];
        let (mut change, mut changed) = (NOTHING, false);
        let mut stir = 0.0;
        if let Some(wanted) = site.rubbed::<ONE>(&of[0].0) {
            let mut left = rates[points];
            for (row, wanted) in wanted.into_iter().enumerate() {
                let delta = wanted - site.impulse[0].0[row];
                site.impulse[0].0[row] = wanted;
                change[0].0[row] = delta;
                stir += delta * delta * site.own[0].0[row];
                if ONE {
                    of[0].0[FRICTION] += site.k[0].0[row] * delta;
                } else {
                    left = left + F::load(&site.k[row]) * F::splat(delta);
                }
            }
            if !ONE {
                left.store(&mut of[points]);
            }
            changed = true;
        }
        for p in 0..count {
            let (half, lane) = place::<ONE>(p);
            let Some(wanted) = site.pressed::<ONE>(p, of[half].0[lane], field.recipe, field.push) else { continue };
            let delta = wanted - site.impulse[half].0[lane];
            site.impulse[half].0[lane] = wanted;
            change[half].0[lane] = delta;
            stir += delta * delta * site.own[half].0[lane];
            if !ONE {
                (F::load(&of[points]) + F::load(&site.k[FOUR + p]) * F::splat(delta)).store(&mut of[points]);
            }
            changed = true;
        }
        self.rows.stir += stir;
        if changed {
            self.push_site::<F, ONE>(i, &change, Some((field.motions, field.masses)));
        }
    }

    /// Separations after a sub-step of these velocities.
    #[inline(always)]
    pub(super) fn travel_site<F: Fours>(&mut self, i: usize, motions: &[Motion], h: f64) {
        let rates = self.rates_of_points::<F>(&self.sites[i], motions);
        for (separation, rate) in self.sites[i].separation.iter_mut().zip(rates) {
            let after = *separation + h * rate;
            // What was pushed so that it just lands has landed: that a spring is under load then is not for rounding to decide.
            *separation = if after.abs() <= LANDED * separation.abs() { 0.0 } else { after };
        }
    }

    /// Notes how fast its points are approached.
    pub(super) fn approach_site<F: Fours>(&mut self, i: usize, motions: &[Motion]) {
        self.sites[i].approach = self.rates_of_points::<F>(&self.sites[i], motions);
    }

    /// Points that have been hit fast enough bounce: the velocity along the normal is -e times that before.
    pub(super) fn bounce_site<F: Fours>(
        &mut self,
        i: usize,
        threshold: f64,
        motions: &mut [Motion],
        free: &mut [Free],
        masses: &[Mass],
    ) {
        for p in 0..self.sites[i].points as usize {
            let site = &self.sites[i];
            let (half, lane) = site.place(p);
            let (impulse, approach) = (site.impulse[half].0[lane], site.approach[p]);
            if !(impulse > 0.0 && approach < -threshold) {
                continue;
            }
            let rate = self.rates_of_points::<F>(site, motions)[p];
            let back = site.restitution * approach;
            let new = Num::max(impulse - site.mass[half].0[lane] * (rate + back), 0.0);
            let (mut change, mut whole) = (NOTHING, NOTHING);
            (change[half].0[lane], whole[half].0[lane]) = (new - impulse, new);
            self.push_any_site::<F>(i, &change, Some((&mut *motions, masses)));
            // As in `strike`: the impulse of a blow is over with it.
            let site = &mut self.sites[i];
            site.impulse[half].0[lane] = 0.0;
            for (side, end) in site.ends.iter().enumerate() {
                let End::Body(dense) = end else { continue };
                let (dv, dw) = site.change(side, &whole, &masses[*dense as usize]);
                let free = &mut free[*dense as usize];
                for c in 0..3 {
                    free[c] += dv[c];
                    free[3 + c] += dw[c];
                }
            }
        }
    }
}

pub(super) fn add_manifold(
    sites: &mut Vec<Site>,
    index: u32,
    contacts: &Contacts,
    ends: [End; 2],
    bodies: [u32; 2],
    params: &Alike<Params>,
    trees: &[Working],
    recipe: &Recipe,
) {
    let manifold = &contacts.manifolds[index as usize];
    let points = manifold.used();
    let (n, material, surface) = (manifold.normal, contacts.surface_pair(index), contacts.surface_velocity(index));
    let total: Real = points.iter().map(|p| p.normal_impulse).sum();
    let mut centre = Vec3::ZERO;
    for p in points {
        centre += p.anchor * if total > 0.0 { p.normal_impulse / total } else { 1.0 / points.len() as Real };
    }
    let (t1, t2) = n.tangents();
    // As between free bodies: what is moved and cannot be pushed is as good as fixed.
    let still = |end: End| match end {
        End::Nothing => true,
        End::Body(dense) => params[dense as usize].inv_mass == 0.0,
        End::Link(tree, link) => path(&trees[tree as usize].articulation.tree, link as usize).next().is_none(),
    };
    let fixed = ends.into_iter().any(still);
    let own = material.hertz > 0.0;
    let mut site = Site {
        manifold: index,
        points: points.len() as u32,
        ends,
        bodies,
        first: 0,
        count: 0,
        ways: [Way { first: 0, own: 0, join: 0 }; 2],
        force: [NOTHING; 3],
        torque: [[NOTHING; 3]; 2],
        k: [Quad::ZERO; 2 * FOUR],
        own: NOTHING,
        mass: NOTHING,
        impulse: NOTHING,
        answered: false,
        tangent: t1,
        separation: [0.0; SOLVED_POINTS],
        lever: [0.0; SOLVED_POINTS],
        approach: [0.0; SOLVED_POINTS],
        surface: [t1, t2].map(|t| surface.dot(t).to_f64()),
        static_friction: material.static_friction.to_f64(),
        dynamic_friction: material.dynamic_friction.to_f64(),
        // The torque of friction ends at μ N times the lever.
        spinning: if material.dynamic_friction > 0.0 {
            (material.spinning_friction / material.dynamic_friction).to_f64()
        } else {
            0.0
        },
        restitution: material.restitution.to_f64(),
        soft: if own {
            Soft::new(material.hertz, material.damping_ratio, recipe.h)
        } else if fixed {
            recipe.soft_fixed
        } else {
            recipe.soft
        },
        firm_depth: match (own, fixed) {
            (true, _) => SPRINGY.to_f64(),
            (false, true) => recipe.slop.to_f64(),
            (false, false) => 0.0,
        },
    };
    // J = [-d, -(r_A × d), d, r_B × d]
    let mut put = |half: usize, lane: usize, d: Vec3, at: Vec3, impulse: Real| {
        let torques = [-at.cross(d), (at - manifold.lever).cross(d)];
        for axis in 0..3 {
            site.force[axis][half].0[lane] = d[axis].to_f64();
            for (torque, of) in site.torque.iter_mut().zip(torques) {
                torque[axis][half].0[lane] = of[axis].to_f64();
            }
        }
        site.impulse[half].0[lane] = impulse.to_f64();
    };
    put(0, 0, t1, centre, manifold.friction_impulse.dot(t1));
    put(0, 1, t2, centre, manifold.friction_impulse.dot(t2));
    for (i, p) in points.iter().enumerate() {
        let (half, lane) = if points.len() == 1 { place::<true>(i) } else { place::<false>(i) };
        put(half, lane, n, p.anchor, p.normal_impulse);
        site.separation[i] = p.separation.to_f64();
        site.lever[i] = (p.anchor - centre).length().to_f64();
    }
    // J = [0, -n, 0, n]. One point bears no torque unless its material does.
    if points.len() > 1 || material.spinning_friction > 0.0 {
        for axis in 0..3 {
            for (torque, sign) in site.torque.iter_mut().zip([-1.0, 1.0]) {
                torque[axis][0].0[2] = sign * n[axis].to_f64();
            }
        }
        site.impulse[0].0[2] = manifold.angular_impulse.dot(n).to_f64();
    }
    sites.push(site);
}
