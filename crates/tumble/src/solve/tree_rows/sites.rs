//! Contacts of links, manifold by manifold.

use super::row_set::{End, Half, IDLE, Row, within};
use super::{Field, TreeRows};
use crate::alike::Alike;
use crate::articulation::dynamics::path;
use crate::body::store::Params;
use crate::constraint::contact::{Contacts, SOLVED_POINTS};
use crate::math::{Float, Num, Real, Vec3};
use crate::solve::contact_constraint::{SPRINGY, Soft};
use crate::solve::motion::Mass;
use crate::solve::tree_work::{Recipe, Working};

/// The rows of a manifold: friction along two tangents and about the normal, then one for each point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Site {
    pub(super) manifold: u32,
    pub(super) first: u32,
    pub(super) points: u32,
    /// Y and K of its rows are known. Surfaces that are apart and stay so need J alone.
    pub(super) answered: bool,
    pub(super) tangent: Vec3,
    pub(super) separation: [f64; SOLVED_POINTS],
    pub(super) lever: [f64; SOLVED_POINTS],
    /// Velocity along the normal before the rows of the sub-step.
    pub(super) approach: [f64; SOLVED_POINTS],
    pub(super) surface: [f64; 2],
    pub(super) static_friction: f64,
    pub(super) dynamic_friction: f64,
    pub(super) spinning: f64,
    pub(super) restitution: f64,
    pub(super) soft: Soft,
    pub(super) firm_depth: f64,
}

impl TreeRows {
    /// J, Y and K of a site that begins to push.
    #[inline(always)]
    pub(super) fn wake(&mut self, site: usize, trees: &[Working], masses: &[Mass]) {
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

    #[inline(always)]
    pub(super) fn solve_normals(&mut self, i: usize, field: &mut Field<'_>) {
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
            } else if site.firm_depth < 0.0 {
                // A spring that is under load keeps what it gives.
                continue;
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
    pub(super) fn solve_friction(&mut self, i: usize, field: &mut Field<'_>) {
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
        wanted[2] = within(wanted[2], left);
        for (k, wanted) in wanted.into_iter().enumerate() {
            self.rows.set_impulse(first + k, wanted, field);
        }
    }
}

#[allow(clippy::too_many_arguments)]
pub(super) fn add_manifold(
    rows: &mut Vec<Row>,
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
        first,
        points: points.len() as u32,
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
    for (i, p) in points.iter().enumerate() {
        add(n, Some(p.anchor), p.normal_impulse);
        site.separation[i] = p.separation.to_f64();
        site.lever[i] = (p.anchor - centre).length().to_f64();
    }
    sites.push(site);
}
