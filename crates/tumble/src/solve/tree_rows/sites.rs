//! Contacts of links, manifold by manifold.
//!
//! The rows of a manifold act on the same links, so that their G (see [`response`](crate::articulation::response)) have the same few numbers that are not
//! zero: those on the ways from its links to the world, four degrees of freedom side by side (see [`reach`](crate::articulation::reach)). The rows make two
//! fours, friction along two tangents and about the normal one, the points the other, with the matrix K between each of them and the points. A single point
//! that bears no torque takes the place of that in its four, and there is no other. A visit reads the quasi-velocities on these ways once, solves all rows
//! one after the other by K alone, and pushes the trees once.
//!
//! Much is compiled for `N` points: for a single one without torque, for two, as those of a capsule, and for as many as four.

use super::row_set::{End, FOURS, resistance, within};
use super::{Field, TreeRows};
use crate::alike::Alike;
use crate::articulation::dynamics::path;
use crate::articulation::reach::{self, FOUR, Reach};
use crate::body::store::Params;
use crate::constraint::contact::{Contacts, SOLVED_POINTS};
use crate::math::{Float, Fours, Num, Quad, Real, Vec3};
use crate::solve::contact_constraint::{SPRINGY, Soft};
use crate::solve::motion::{self, Free, Mass, Motion};
use crate::solve::tree_work::{Recipe, Working, velocity};
use core::ops::Range;

/// Rows of friction; the last place of their four has none.
const FRICTION: usize = 3;

/// The row about the normal, or a single point that bears no torque.
const TWIST: usize = 2;

/// The share of the way to a surface that is rounding.
const LANDED: f64 = 1e-9;

/// Numbers of all rows of a manifold: those of friction, and those of its points.
type Both = [Quad; 2];

const NOTHING: Both = [Quad::ZERO; 2];

/// Where a point stands among the rows: by itself, or with others.
#[inline(always)]
const fn place<const N: usize>(point: usize) -> (usize, usize) {
    if N == 1 { (0, TWIST) } else { (1, point) }
}

/// Calls what is compiled for a site of this form.
macro_rules! by_form {
    ($form:expr, $n:ident => $call:expr) => {
        match $form {
            1 => {
                const $n: usize = 1;
                $call
            }
            2 => {
                const $n: usize = 2;
                $call
            }
            _ => {
                const $n: usize = FOUR;
                $call
            }
        }
    };
}

/// The rows of a manifold.
#[derive(Clone, Copy, Debug)]
pub(super) struct Site {
    pub(super) manifold: u32,
    pub(super) points: u32,
    /// What it is compiled for: 1, 2 or [`FOUR`].
    form: u32,
    pub(super) ends: [End; 2],
    /// The bodies by dense index.
    bodies: [u32; 2],
    /// Where the ways of both ends to the world begin in the list of all sites, how many fours they are, and where G of these begins.
    first: u32,
    count: u32,
    g: u32,
    /// J before the velocity of B, against that of A; and before both angular velocities. All rows side by side, component by component.
    force: [Both; 3],
    torque: [[Both; 3]; 2],
    /// K between each row and the points, or between a single point, in the first, and all rows; K of each row with itself; and what is 1/K of the same,
    /// 0 where nothing moves.
    k: [Quad; 2 * FOUR],
    own: Both,
    mass: Both,
    /// What K of each would be if no joint held the links, once it is known.
    loose: Option<Both>,
    pub(super) impulse: Both,
    /// All of G and K is known. Surfaces that are apart and stay so need G of the points alone: what else stands there is not read.
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

/// G of four rows along four degrees of freedom, row by row.
type Tile = [Quad; FOUR];

/// The lists of all sites: which fours of quasi-velocities are on their ways, in ascending order, and G. What of G has not been found is not read.
#[derive(Clone, Debug, Default)]
pub(super) struct Ways {
    at: Vec<u32>,
    g: Vec<Tile>,
    length: usize,
}

impl Ways {
    pub fn clear(&mut self) {
        self.at.clear();
        self.length = 0;
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
            _ => !self.is_free(),
        }
    }

    #[inline(always)]
    fn list(&self) -> Range<usize> {
        self.first as usize..(self.first + self.count) as usize
    }

    /// G of its friction or, for 1 as `half`, of its points.
    #[inline(always)]
    fn tiles(&self, half: usize) -> Range<usize> {
        let first = self.g as usize + half * self.count as usize;
        first..first + self.count as usize
    }

    /// It has a single point that bears no torque.
    #[inline(always)]
    fn is_one(&self) -> bool {
        self.form == 1
    }

    /// It acts on a free body.
    #[inline(always)]
    fn is_free(&self) -> bool {
        self.ends.iter().any(|end| matches!(end, End::Body(_)))
    }

    /// Where a point stands among its rows.
    #[inline(always)]
    fn place(&self, point: usize) -> (usize, usize) {
        if self.is_one() { place::<1>(point) } else { place::<FOUR>(point) }
    }

    /// The impulses of its points, and places without.
    pub fn presses(&self) -> [f64; FOUR] {
        if self.is_one() { [self.impulse[0].0[TWIST], 0.0, 0.0, 0.0] } else { self.impulse[1].0 }
    }

    /// The impulses of friction, that about the normal last.
    pub fn rubs(&self) -> [f64; FRICTION] {
        let Quad([slip, across, twist, _]) = self.impulse[0];
        [slip, across, if self.is_one() { 0.0 } else { twist }]
    }

    /// Nothing presses or rubs.
    #[inline(always)]
    fn is_idle(&self) -> bool {
        // One test instead of eight, of all but the signs.
        let [first, other] = self.impulse.map(|four| four.0.map(f64::to_bits));
        (first[0] | first[1] | first[2] | first[3] | other[0] | other[1] | other[2] | other[3]) << 1 == 0
    }

    /// Finds its place on the lists. `four` says where the quasi-velocities of a tree begin.
    pub fn find_ways(&mut self, ways: &mut Ways, reach: &Reach, four: impl Fn(u32) -> u32) {
        self.first = ways.at.len() as u32;
        let [(a, at_a), (b, at_b)] = self.ends.map(|end| match end {
            End::Link(tree, link) => (reach.fours(tree, link), four(tree)),
            _ => (&[][..], 0),
        });
        let (mut a, mut b) = (a.iter().map(|a| at_a + a).peekable(), b.iter().map(|b| at_b + b).peekable());
        // Each of both lists once.
        while let Some(&next) = a.peek().into_iter().chain(b.peek()).min() {
            a.next_if_eq(&next);
            b.next_if_eq(&next);
            ways.at.push(next);
        }
        self.count = ways.at.len() as u32 - self.first;
        self.g = ways.length as u32;
        ways.length += self.count as usize * if self.is_one() { 1 } else { 2 };
        if ways.g.len() < ways.length {
            ways.g.resize(ways.length, [Quad::ZERO; FOUR]);
        }
    }

    /// The impulse of a point with this velocity along the normal; none where it is left as it is.
    #[inline(always)]
    fn pressed<const N: usize>(&self, p: usize, rate: f64, recipe: &Recipe, push: bool) -> Option<f64> {
        let h = recipe.h.to_f64();
        let (half, lane) = place::<N>(p);
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
    fn rubbed<const N: usize>(&self, rate: &[f64; FOUR]) -> Option<[f64; FRICTION]> {
        let (impulse, mass) = (&self.impulse[0].0, &self.mass[0].0);
        let (mut normal, mut torque) = (0.0, 0.0);
        for (p, lever) in self.lever.iter().enumerate().take(if N == 1 { 1 } else { self.points as usize }) {
            let (half, lane) = place::<N>(p);
            let lambda = self.impulse[half].0[lane];
            normal += lambda;
            torque += lambda * lever;
        }
        // What nothing presses rubs on nothing.
        if normal <= 0.0 && impulse.iter().all(|&impulse| impulse == 0.0) {
            return None;
        }
        torque += normal * self.spinning;
        let lever = if N > 1 && normal > 0.0 { torque / normal } else { 0.0 };
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
        if N > 1 && wanted[2] * wanted[2] > most {
            wanted[2] = within(wanted[2], Num::sqrt(most));
        }
        Some(wanted)
    }

    /// G of these rows of its points or, for 0 as `HALF`, of the other four.
    #[inline(always)]
    fn lead_in<F: Fours, const HALF: usize>(
        &self,
        which: Range<usize>,
        ways: &mut Ways,
        reach: &Reach,
        four: impl Fn(u32) -> u32,
        trees: &[Working],
    ) {
        let (at, tiles) = (&ways.at[self.list()], &mut ways.g[self.tiles(HALF)]);
        let both = matches!(self.ends, [End::Link(..), End::Link(..)]);
        if both {
            for row in which.clone() {
                tiles.iter_mut().for_each(|tile| tile[row] = Quad::ZERO);
            }
        }
        for side in 0..2 {
            let End::Link(tree, link) = self.ends[side] else { continue };
            let (force, torque) = (&self.force, &self.torque[side]);
            let [x, y, z, _] = trees[tree as usize].pass.links[link as usize].centre.0;
            let (x, y, z) = (F::splat(x), F::splat(y), F::splat(z));
            let sign = F::splat(if side == 0 { -1.0 } else { 1.0 });
            let fx = F::load(&force[0][HALF]) * sign;
            let fy = F::load(&force[1][HALF]) * sign;
            let fz = F::load(&force[2][HALF]) * sign;
            // Of each row, component by component.
            let mut wrench = [Quad::ZERO; 6];
            (F::load(&torque[0][HALF]) + (y * fz - z * fy)).store(&mut wrench[0]);
            (F::load(&torque[1][HALF]) + (z * fx - x * fz)).store(&mut wrench[1]);
            (F::load(&torque[2][HALF]) + (x * fy - y * fx)).store(&mut wrench[2]);
            fx.store(&mut wrench[3]);
            fy.store(&mut wrench[4]);
            fz.store(&mut wrench[5]);
            let (fours, rows, first) = (reach.fours(tree, link), reach.rows(tree, link), four(tree));
            for row in which.clone() {
                let w = [
                    F::splat(wrench[0].0[row]),
                    F::splat(wrench[1].0[row]),
                    F::splat(wrench[2].0[row]),
                    F::splat(wrench[3].0[row]),
                    F::splat(wrench[4].0[row]),
                    F::splat(wrench[5].0[row]),
                ];
                if !both {
                    for (tile, a) in tiles.iter_mut().zip(rows) {
                        reach::lead_in(a, &w).store(&mut tile[row]);
                    }
                    continue;
                }
                let mut place = 0;
                for (own, a) in fours.iter().zip(rows) {
                    // Both lists ascend, and that of the site has all of the other.
                    while at[place] != first + own {
                        place += 1;
                    }
                    let g = &mut tiles[place][row];
                    (F::load(g) + reach::lead_in(a, &w)).store(g);
                }
            }
        }
    }

    /// What K of its rows would be if no joint held the links, and the part of free bodies in it.
    #[inline(always)]
    fn looseness<F: Fours>(&self, masses: &[Mass], halves: usize) -> (Both, Both) {
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
        (loose, free)
    }

    /// K, where G is known.
    #[inline(always)]
    fn weigh<F: Fours, const N: usize>(&mut self, ways: &Ways, masses: &[Mass]) {
        let halves = if N == 1 { 1 } else { 2 };
        let g = [&ways.g[self.tiles(0)], if N == 1 { &[] } else { &ways.g[self.tiles(1)] }];
        let mut free = NOTHING;
        let loose = match self.loose {
            Some(loose) if !self.is_free() => loose,
            _ => {
                let (loose, of_free) = self.looseness::<F>(masses, halves);
                (self.loose, free) = (Some(loose), of_free);
                loose
            }
        };
        // K between the points and each row, or between all rows and a single point.
        let (points, between, rows) = if N == 1 {
            (0, TWIST..TWIST + 1, FRICTION)
        } else {
            (1, 0..FOUR + self.points as usize, FOUR + self.points as usize)
        };
        let is_there = |row: &usize| N == 1 || *row != FRICTION;
        for (at, row) in between.enumerate().filter(|(_, row)| is_there(row)) {
            let (half, lane) = (row / FOUR, row % FOUR);
            let mut k = products::<F>(g[points], if N == 1 { FRICTION } else { N }, g[half], lane);
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
            let rows = if half == 0 { FRICTION } else { N };
            (F::load(&free[half]) + squares::<F>(g[half], rows)).store(&mut self.own[half]);
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
        by_form!(self.sites[i].form, N => self.answer_points::<F, N>(i, trees, masses));
    }

    #[inline(always)]
    fn answer_points<F: Fours, const N: usize>(&mut self, i: usize, trees: &[Working], masses: &[Mass]) {
        let Self { sites, ways, reach, rows, .. } = self;
        let (site, four) = (&mut sites[i], |tree: u32| FOURS * rows.places[tree as usize]);
        site.answered = !site.is_idle();
        if N > 1 {
            site.lead_in::<F, 1>(0..N, ways, reach, four, trees);
        }
        if N == 1 || site.answered {
            // Rates of what acts on free bodies are those of all rows.
            let first = if site.answered || site.is_free() { 0 } else { TWIST };
            site.lead_in::<F, 0>(first..FRICTION, ways, reach, four, trees);
        }
        if site.answered {
            site.weigh::<F, N>(ways, masses);
        }
    }

    /// The rest of the answers of a site that begins to push.
    #[inline(always)]
    fn wake<F: Fours, const N: usize>(&mut self, i: usize, trees: &[Working], masses: &[Mass]) {
        let Self { sites, ways, reach, rows, .. } = self;
        let (site, four) = (&mut sites[i], |tree: u32| FOURS * rows.places[tree as usize]);
        site.answered = true;
        site.lead_in::<F, 0>(0..if N > 1 { FRICTION } else { TWIST }, ways, reach, four, trees);
        site.weigh::<F, N>(ways, masses);
    }

    /// Ċ of its points.
    #[inline(always)]
    fn point_rates<F: Fours, const N: usize>(&self, site: &Site, motions: &[Motion]) -> [f64; FOUR] {
        if N == 1 && !site.is_free() {
            let (z, at) = (self.rows.z.as_flattened(), &self.ways.at[site.list()]);
            return [rate::<F>(&self.ways.g[site.tiles(0)], TWIST, at, z), 0.0, 0.0, 0.0];
        }
        if N == 1 {
            return alone(self.site_rates::<F, N, true, false>(site, motions)[0]);
        }
        let mut four = Quad::ZERO;
        self.site_rates::<F, N, false, true>(site, motions)[1].store(&mut four);
        four.0
    }

    /// The same of any site.
    #[inline(always)]
    fn rates_of_points<F: Fours>(&self, site: &Site, motions: &[Motion]) -> [f64; FOUR] {
        by_form!(site.form, N => self.point_rates::<F, N>(site, motions))
    }

    /// Ċ of its rows: of those in the `FIRST` four, and of those in the `OTHER`.
    #[inline(always)]
    fn site_rates<F: Fours, const N: usize, const FIRST: bool, const OTHER: bool>(
        &self,
        site: &Site,
        motions: &[Motion],
    ) -> [F; 2] {
        let (z, at) = (self.rows.z.as_flattened(), &self.ways.at[site.list()]);
        let (mut rubs, mut presses) = (F::splat(0.0), F::splat(0.0));
        if FIRST {
            rubs = rates(&self.ways.g[site.tiles(0)], FRICTION, at, z);
        }
        if OTHER {
            presses = rates(&self.ways.g[site.tiles(1)], N, at, z);
        }
        let mut rates = [rubs, presses];
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
    fn push_site<F: Fours, const N: usize>(&mut self, i: usize, by: &Both, bodies: Option<(&mut [Motion], &[Mass])>) {
        let Self { sites, ways, rows, .. } = self;
        let site = &sites[i];
        let (z, at) = (rows.z.as_flattened_mut(), &ways.at[site.list()]);
        // Number by number: what was written so is waited for where it is read as a whole.
        let [first, other] = by;
        let first = [F::splat(first.0[0]), F::splat(first.0[1]), F::splat(first.0[2])];
        let other = [F::splat(other.0[0]), F::splat(other.0[1]), F::splat(other.0[2]), F::splat(other.0[3])];
        let tiles = &ways.g[site.tiles(0)];
        // As many, where there are others.
        let others = if N == 1 { tiles } else { &ways.g[site.tiles(1)] };
        for ((at, g), h) in at.iter().zip(tiles).zip(others) {
            let z = &mut z[*at as usize];
            let mut push = (F::load(&g[0]) * first[0] + F::load(&g[1]) * first[1]) + F::load(&g[2]) * first[2];
            if N > 1 {
                let mut press = F::load(&h[0]) * other[0] + F::load(&h[1]) * other[1];
                if N > 2 {
                    press = press + (F::load(&h[2]) * other[2] + F::load(&h[3]) * other[3]);
                }
                push = push + press;
            }
            (F::load(z) + push).store(z);
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
        by_form!(self.sites[i].form, N => self.push_site::<F, N>(i, by, bodies));
    }

    /// One visit: friction, then the points one after the other.
    #[inline(always)]
    pub(super) fn solve_site<F: Fours>(&mut self, i: usize, field: &mut Field<'_>) {
        by_form!(self.sites[i].form, N => self.visit::<F, N>(i, field));
    }

    #[inline(always)]
    fn visit<F: Fours, const N: usize>(&mut self, i: usize, field: &mut Field<'_>) {
        let site = &self.sites[i];
        let count = if N == 1 { 1 } else { site.points as usize };
        let idle = site.is_idle();
        // As in `pressed`: the relaxing pass leaves it alone, however fast it is.
        if idle && !field.push && site.separation[..count].iter().all(|&s| s > 0.0) {
            return;
        }
        if idle {
            let rates = self.point_rates::<F, N>(site, field.motions);
            if !(0..count).any(|p| site.pressed::<N>(p, rates[p], field.recipe, field.push).is_some()) {
                return;
            }
            if !site.answered {
                self.wake::<F, N>(i, field.trees, field.masses);
            }
        }
        let rates = match N {
            1 => self.site_rates::<F, N, true, false>(&self.sites[i], field.motions),
            _ => self.site_rates::<F, N, true, true>(&self.sites[i], field.motions),
        };
        // Those of the points by themselves, in their places.
        let (points, mut of) = (place::<N>(0).0, NOTHING);
        rates[0].store(&mut of[0]);
        rates[1].store(&mut of[1]);
        let site = &mut self.sites[i];
        let (mut change, mut changed) = (NOTHING, false);
        let mut stir = 0.0;
        if let Some(wanted) = site.rubbed::<N>(&of[0].0) {
            let mut left = rates[points];
            for (row, wanted) in wanted.into_iter().enumerate().take(if N == 1 { TWIST } else { FRICTION }) {
                let delta = wanted - site.impulse[0].0[row];
                site.impulse[0].0[row] = wanted;
                change[0].0[row] = delta;
                stir += delta * delta * site.own[0].0[row];
                if N == 1 {
                    of[0].0[TWIST] += site.k[0].0[row] * delta;
                } else {
                    left = left + F::load(&site.k[row]) * F::splat(delta);
                }
            }
            if N > 1 {
                left.store(&mut of[points]);
            }
            changed = true;
        }
        for p in 0..count {
            let (half, lane) = place::<N>(p);
            let Some(wanted) = site.pressed::<N>(p, of[half].0[lane], field.recipe, field.push) else { continue };
            let delta = wanted - site.impulse[half].0[lane];
            site.impulse[half].0[lane] = wanted;
            change[half].0[lane] = delta;
            stir += delta * delta * site.own[half].0[lane];
            if N > 1 {
                (F::load(&of[points]) + F::load(&site.k[FOUR + p]) * F::splat(delta)).store(&mut of[points]);
            }
            changed = true;
        }
        self.rows.stir += stir;
        if changed {
            self.push_site::<F, N>(i, &change, Some((field.motions, field.masses)));
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
    // One point bears no torque unless its material does.
    let twists = points.len() > 1 || material.spinning_friction > 0.0;
    let form = match points.len() {
        1 if !twists => 1,
        2 => 2,
        _ => FOUR as u32,
    };
    let mut site = Site {
        manifold: index,
        points: points.len() as u32,
        form,
        ends,
        bodies,
        first: 0,
        count: 0,
        g: 0,
        force: [NOTHING; 3],
        torque: [[NOTHING; 3]; 2],
        k: [Quad::ZERO; 2 * FOUR],
        own: NOTHING,
        mass: NOTHING,
        loose: None,
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
        let (half, lane) = if form == 1 { place::<1>(i) } else { place::<FOUR>(i) };
        put(half, lane, n, p.anchor, p.normal_impulse);
        site.separation[i] = p.separation.to_f64();
        site.lever[i] = (p.anchor - centre).length().to_f64();
    }
    // J = [0, -n, 0, n]
    if twists {
        for axis in 0..3 {
            for (torque, sign) in site.torque.iter_mut().zip([-1.0, 1.0]) {
                torque[axis][0].0[2] = sign * n[axis].to_f64();
            }
        }
        site.impulse[0].0[2] = manifold.angular_impulse.dot(n).to_f64();
    }
    sites.push(site);
}

/// Ċ of the first `rows` of a four of rows, by the quasi-velocities at these places.
#[inline(always)]
fn rates<F: Fours>(g: &[Tile], rows: usize, at: &[u32], z: &[Quad]) -> F {
    let mut sums = [F::splat(0.0); FOUR];
    for (g, at) in g.iter().zip(at) {
        let z = F::load(&z[*at as usize]);
        for row in 0..rows {
            sums[row] = sums[row] + F::load(&g[row]) * z;
        }
    }
    F::sums(sums)
}

/// Ċ of one row of a four of rows, as [`rates`] has it.
#[inline(always)]
fn rate<F: Fours>(g: &[Tile], row: usize, at: &[u32], z: &[Quad]) -> f64 {
    let mut sum = F::splat(0.0);
    for (g, at) in g.iter().zip(at) {
        sum = sum + F::load(&g[row]) * F::load(&z[*at as usize]);
    }
    sum.sum()
}

/// G·G between the first `rows` of a four of rows and one of another.
#[inline(always)]
fn products<F: Fours>(g: &[Tile], rows: usize, other: &[Tile], of: usize) -> F {
    let mut sums = [F::splat(0.0); FOUR];
    for (g, other) in g.iter().zip(other) {
        let other = F::load(&other[of]);
        for row in 0..rows {
            sums[row] = sums[row] + F::load(&g[row]) * other;
        }
    }
    F::sums(sums)
}

/// G·G of each of the first `rows` of a four of rows.
#[inline(always)]
fn squares<F: Fours>(g: &[Tile], rows: usize) -> F {
    let mut sums = [F::splat(0.0); FOUR];
    for g in g {
        for row in 0..rows {
            let of_row = F::load(&g[row]);
            sums[row] = sums[row] + of_row * of_row;
        }
    }
    F::sums(sums)
}

/// Of the rows of a single point those of its points.
#[inline(always)]
fn alone<F: Fours>(rates: F) -> [f64; FOUR] {
    let mut four = Quad::ZERO;
    rates.store(&mut four);
    [four.0[TWIST], 0.0, 0.0, 0.0]
}
