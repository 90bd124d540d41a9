//! The passes over contact constraints, in lanes.
//!
//! A pass takes the groups of one colour: no two manifolds in it share a movable body, so the lanes of a group, the groups
//! of a colour and the threads that work on them never see each other's bodies, and the outcome does not depend on how they
//! are cut. Per group: gather both bodies, solve friction, solve the points one after the other, scatter.
//!
//! A point, with v_n = J v, s the separation now, and the soft coefficients (ρ, μ_m, μ_i):
//!
//! ```text
//!   s   = s₀ + J Δ                                   Δ: motion since the start of the step
//!   s > 0 :  Δλ = -m (v_n + s/h)                      may close, not pass
//!   s <= 0:  Δλ = -m μ_m (v_n + max(ρ (s + slop), -v_push)) - μ_i λ
//!   λ'  = max(λ + Δλ, 0)
//! ```
//!
//! In the relaxing pass the push is left out (ρ = 0, μ_m = 1, μ_i = 0), so that the velocity it gave is taken back. A manifold
//! of several points is solved as a whole where it can be: see `solve_four`.
//!
//! Friction acts once per manifold, on the slip (v₁, v₂) at the centre of pressure and on the twist ω_n about the normal. With
//! N = Σ λ and the mean lever ℓ = Σ λ ℓᵢ / N, the friction impulses lie in the ellipsoid |f|² + (τ/ℓ)² <= (μ N)² (Goyal, Ruina and
//! Papadopoulos 1991). Inside it the contact sticks; on it the impulse opposes the generalised slip (v, ℓ ω_n), so that sliding
//! and spinning end together.

use super::contact_prepare::{Block, Group, GroupPoint, Wide};
use super::motion::Motion;
use crate::math::{Kernel, LANES, Lane, Mask, Real, Sym3, Vec3};

/// Groups of one colour, their points, and the bodies.
pub(crate) struct Pass<'a> {
    pub groups: &'a mut [Group],
    /// All points; a group knows where its own begin.
    pub points: &'a mut [GroupPoint],
    pub blocks: &'a [Block],
    pub motions: &'a mut [Motion],
}

/// A lane's share of the two bodies of a group.
#[derive(Clone, Copy)]
struct Ends<L> {
    va: Vec3<L>,
    wa: Vec3<L>,
    vb: Vec3<L>,
    wb: Vec3<L>,
    ma: Vec3<L>,
    mb: Vec3<L>,
    ia: Sym3<L>,
    ib: Sym3<L>,
}

#[inline(always)]
fn load<L: Lane>(w: &Wide, at: usize) -> L {
    L::load(&w.0[at..])
}

#[inline(always)]
fn load3<L: Lane>(w: &[Wide; 3], at: usize) -> Vec3<L> {
    Vec3::new(load(&w[0], at), load(&w[1], at), load(&w[2], at))
}

#[inline(always)]
fn load6<L: Lane>(w: &[Wide; 6], at: usize) -> Sym3<L> {
    Sym3 {
        xx: load(&w[0], at),
        yy: load(&w[1], at),
        zz: load(&w[2], at),
        xy: load(&w[3], at),
        xz: load(&w[4], at),
        yz: load(&w[5], at),
    }
}

#[inline(always)]
fn pick<L: Lane>(mask: L::Mask, yes: Vec3<L>, no: Vec3<L>) -> Vec3<L> {
    Vec3::new(L::select(mask, yes.x, no.x), L::select(mask, yes.y, no.y), L::select(mask, yes.z, no.z))
}

impl<L: Lane> Ends<L> {
    #[inline(always)]
    fn new(group: &Group, at: usize, a: &[L], b: &[L]) -> Self {
        Self {
            va: Vec3::new(a[0], a[1], a[2]),
            wa: Vec3::new(a[3], a[4], a[5]),
            vb: Vec3::new(b[0], b[1], b[2]),
            wb: Vec3::new(b[3], b[4], b[5]),
            ma: load3(&group.inv_mass_a, at),
            mb: load3(&group.inv_mass_b, at),
            ia: load6(&group.inv_inertia_a, at),
            ib: load6(&group.inv_inertia_b, at),
        }
    }

    /// Applies the impulse `p` along with the angular impulses that it has about the two centres.
    #[inline(always)]
    fn push(&mut self, p: Vec3<L>, turn_a: Vec3<L>, turn_b: Vec3<L>) {
        self.va -= self.ma.scale(p);
        self.wa -= self.ia * turn_a;
        self.vb += self.mb.scale(p);
        self.wb += self.ib * turn_b;
    }

    /// Takes the velocities of `o` where the mask is set.
    #[inline(always)]
    fn take(&mut self, o: &Self, mask: L::Mask) {
        self.va = pick(mask, o.va, self.va);
        self.wa = pick(mask, o.wa, self.wa);
        self.vb = pick(mask, o.vb, self.vb);
        self.wb = pick(mask, o.wb, self.wb);
    }

    /// The motions with the new velocities; columns 6 and 7 go back as they came.
    #[inline(always)]
    fn columns(&self, a: &[L], b: &[L]) -> ([L; 8], [L; 8]) {
        let Self { va, wa, vb, wb, .. } = self;
        ([va.x, va.y, va.z, wa.x, wa.y, wa.z, a[6], a[7]], [vb.x, vb.y, vb.z, wb.x, wb.y, wb.z, b[6], b[7]])
    }
}

/// Applies the impulses that the constraints carry.
pub(crate) struct WarmStart<'a>(pub Pass<'a>);

impl Kernel for WarmStart<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        let Pass { groups, points, motions, .. } = self.0;
        for group in groups {
            for at in (0..LANES).step_by(L::WIDTH) {
                let a = L::load_columns::<16, 8>(motions, 0, &group.body_a[at..]);
                let b = L::load_columns::<16, 8>(motions, 0, &group.body_b[at..]);
                let mut ends = Ends::new(group, at, &a, &b);
                let n = load3::<L>(&group.normal, at);
                let t1 = load3::<L>(&group.tangent, at);
                let t2 = n.cross(t1);
                let (ra, rb) = (load3::<L>(&group.anchor_a, at), load3::<L>(&group.anchor_b, at));
                // All impulses of the manifold act together: one push.
                let twist = n * load(&group.twist_impulse, at);
                let f = t1 * load(&group.tangent_impulse[0], at) + t2 * load(&group.tangent_impulse[1], at);
                let (mut p, mut ta, mut tb) = (f, ra.cross(f) + twist, rb.cross(f) + twist);
                for point in &points[group.first_point as usize..][..group.point_count as usize] {
                    let lambda = load::<L>(&point.normal_impulse, at);
                    p += n * lambda;
                    ta += load3(&point.arm_a, at) * lambda;
                    tb += load3(&point.arm_b, at) * lambda;
                }
                ends.push(p, ta, tb);
                let (a, b) = ends.columns(&a, &b);
                L::store_columns::<16, 8>(a, motions, 0, &group.write_a[at..]);
                L::store_columns::<16, 8>(b, motions, 0, &group.write_b[at..]);
            }
        }
    }
}

/// Makes the constraints hold, with or without the push out of overlap.
pub(crate) struct Solve<'a> {
    pub pass: Pass<'a>,
    pub push: bool,
    pub inv_h: Real,
    pub slop: Real,
    pub push_speed: Real,
}

impl Kernel for Solve<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        let Pass { groups, points, blocks, motions } = self.pass;
        let rules = Rules {
            push: self.push,
            inv_h: L::splat(self.inv_h),
            slop: L::splat(self.slop),
            push_speed: L::splat(-self.push_speed),
        };
        for group in groups {
            let points = &mut points[group.first_point as usize..][..group.point_count as usize];
            for at in (0..LANES).step_by(L::WIDTH) {
                let a = L::load_columns::<16, 12>(motions, 0, &group.body_a[at..]);
                let b = L::load_columns::<16, 12>(motions, 0, &group.body_b[at..]);
                let mut ends = Ends::new(group, at, &a, &b);
                let n = load3::<L>(&group.normal, at);
                friction(group, points, at, n, &mut ends);

                // Motion since the start of the step.
                let moved = Moved {
                    along: n.dot(Vec3::new(b[6] - a[6], b[7] - a[7], b[8] - a[8])),
                    turn_a: Vec3::new(a[9], a[10], a[11]),
                    turn_b: Vec3::new(b[9], b[10], b[11]),
                };
                let soft = load3::<L>(&group.softness, at);
                if let [p0, p1, p2, p3] = points {
                    let block = &blocks[group.block as usize];
                    rules.solve_four(&mut ends, [p0, p1, p2, p3], block, at, n, soft, &moved);
                } else {
                    for point in &mut *points {
                        rules.solve_one(&mut ends, point, at, n, soft, &moved);
                    }
                }
                let (a, b) = ends.columns(&a, &b);
                L::store_columns::<16, 8>(a, motions, 0, &group.write_a[at..]);
                L::store_columns::<16, 8>(b, motions, 0, &group.write_b[at..]);
            }
        }
    }
}

/// What is the same for all constraints of a pass.
struct Rules<L> {
    push: bool,
    inv_h: L,
    slop: L,
    push_speed: L,
}

/// Motion of two bodies since the start of the step.
struct Moved<L> {
    along: L,
    turn_a: Vec3<L>,
    turn_b: Vec3<L>,
}

impl<L: Lane> Rules<L> {
    /// The velocity that the normal constraint asks for, and whether the surfaces are apart.
    #[inline(always)]
    fn bias(&self, s: L, rate: L) -> (L, L::Mask) {
        let apart = s.greater(L::ZERO);
        let out = if self.push { (rate * (s + self.slop).min(L::ZERO)).max(self.push_speed) } else { L::ZERO };
        (L::select(apart, s * self.inv_h, out), apart)
    }

    /// One point by itself.
    #[inline(always)]
    fn solve_one(
        &self,
        ends: &mut Ends<L>,
        point: &mut GroupPoint,
        at: usize,
        n: Vec3<L>,
        soft: Vec3<L>,
        moved: &Moved<L>,
    ) {
        let (arm_a, arm_b) = (load3::<L>(&point.arm_a, at), load3::<L>(&point.arm_b, at));
        let s = load::<L>(&point.separation, at) + moved.along + (moved.turn_b.dot(arm_b) - moved.turn_a.dot(arm_a));
        let (bias, apart) = self.bias(s, soft.x);
        let (mass_scale, impulse_scale) = if self.push {
            (L::select(apart, L::ONE, soft.y), L::select(apart, L::ZERO, soft.z))
        } else {
            (L::ONE, L::ZERO)
        };
        let vn = n.dot(ends.vb - ends.va) + (ends.wb.dot(arm_b) - ends.wa.dot(arm_a));
        let old = load::<L>(&point.normal_impulse, at);
        let mass = load::<L>(&point.normal_mass, at) * mass_scale;
        let new = (old - mass * (vn + bias) - impulse_scale * old).max(L::ZERO);
        let delta = new - old;
        new.store(&mut point.normal_impulse.0[at..]);
        load::<L>(&point.peak_impulse, at).max(new).store(&mut point.peak_impulse.0[at..]);
        ends.push(n * delta, arm_a * delta, arm_b * delta);
    }

    /// Four points together: (K + Γ) Δλ = -(v_n + bias + Γ λ), where Γ is the compliance of the softness; in the relaxing
    /// pass Γ λ is left out. Where all impulses stay pushes, that is the answer for the manifold as a whole, and it treats
    /// the points alike; where one would pull, the points are solved one after the other.
    #[inline(always)]
    #[allow(clippy::too_many_arguments)]
    fn solve_four(
        &self,
        ends: &mut Ends<L>,
        mut points: [&mut GroupPoint; 4],
        block: &Block,
        at: usize,
        n: Vec3<L>,
        soft: Vec3<L>,
        moved: &Moved<L>,
    ) {
        let dv = n.dot(ends.vb - ends.va);
        let mut arm_a = [Vec3::<L>::ZERO; 4];
        let mut arm_b = [Vec3::<L>::ZERO; 4];
        let mut rhs = [L::ZERO; 4];
        let mut old = [L::ZERO; 4];
        // Γ = (μ_i/μ_m) / m; what it adds to the right side of a point.
        let compliance = soft.z / soft.y.max(L::splat(Real::MIN_POSITIVE));
        for i in 0..4 {
            let point = &*points[i];
            arm_a[i] = load3(&point.arm_a, at);
            arm_b[i] = load3(&point.arm_b, at);
            old[i] = load(&point.normal_impulse, at);
            let s = load::<L>(&point.separation, at)
                + moved.along
                + (moved.turn_b.dot(arm_b[i]) - moved.turn_a.dot(arm_a[i]));
            let (bias, _) = self.bias(s, soft.x);
            rhs[i] = dv + (ends.wb.dot(arm_b[i]) - ends.wa.dot(arm_a[i])) + bias;
            if self.push {
                let mass = load::<L>(&point.normal_mass, at);
                let gamma =
                    L::select(mass.greater(L::ZERO), compliance / mass.max(L::splat(Real::MIN_POSITIVE)), L::ZERO);
                rhs[i] += gamma * old[i];
            }
        }
        let m = if self.push { &block.push } else { &block.relax };
        let mut inverse = [L::ZERO; 10];
        for (l, w) in inverse.iter_mut().zip(m) {
            *l = load(w, at);
        }
        let m = inverse;
        let new = [
            old[0] - (m[0] * rhs[0] + m[1] * rhs[1] + m[2] * rhs[2] + m[3] * rhs[3]),
            old[1] - (m[1] * rhs[0] + m[4] * rhs[1] + m[5] * rhs[2] + m[6] * rhs[3]),
            old[2] - (m[2] * rhs[0] + m[5] * rhs[1] + m[7] * rhs[2] + m[8] * rhs[3]),
            old[3] - (m[3] * rhs[0] + m[6] * rhs[1] + m[8] * rhs[2] + m[9] * rhs[3]),
        ];
        let pushes = new[0].greater_eq(L::ZERO)
            & new[1].greater_eq(L::ZERO)
            & new[2].greater_eq(L::ZERO)
            & new[3].greater_eq(L::ZERO);

        let before = *ends;
        let (mut p, mut ta, mut tb) = (L::ZERO, Vec3::ZERO, Vec3::ZERO);
        for i in 0..4 {
            let delta = new[i] - old[i];
            p += delta;
            ta += arm_a[i] * delta;
            tb += arm_b[i] * delta;
        }
        ends.push(n * p, ta, tb);
        if pushes.all() {
            for i in 0..4 {
                new[i].store(&mut points[i].normal_impulse.0[at..]);
                load::<L>(&points[i].peak_impulse, at).max(new[i]).store(&mut points[i].peak_impulse.0[at..]);
            }
            return;
        }
        let together = *ends;
        *ends = before;
        for point in &mut points {
            self.solve_one(ends, point, at, n, soft, moved);
        }
        ends.take(&together, pushes);
        for i in 0..4 {
            let one = load::<L>(&points[i].normal_impulse, at);
            let chosen = L::select(pushes, new[i], one);
            chosen.store(&mut points[i].normal_impulse.0[at..]);
            load::<L>(&points[i].peak_impulse, at).max(chosen).store(&mut points[i].peak_impulse.0[at..]);
        }
    }
}

/// Friction of a manifold; see the head of this file.
#[inline(always)]
fn friction<L: Lane>(group: &mut Group, points: &[GroupPoint], at: usize, n: Vec3<L>, ends: &mut Ends<L>) {
    let (mut normal, mut torque) = (L::ZERO, L::ZERO);
    for point in points {
        let lambda = load::<L>(&point.normal_impulse, at);
        normal += lambda;
        torque += lambda * load(&point.lever, at);
    }
    torque += normal * load(&group.spinning, at);
    // The mean lever; 0 where nothing presses.
    let tiny = L::splat(Real::MIN_POSITIVE);
    let lever = torque / normal.max(tiny);

    let t1 = load3::<L>(&group.tangent, at);
    let t2 = n.cross(t1);
    let (ra, rb) = (load3::<L>(&group.anchor_a, at), load3::<L>(&group.anchor_b, at));
    let slip = ends.vb + ends.wb.cross(rb) - ends.va - ends.wa.cross(ra);
    let v1 = slip.dot(t1) + load(&group.surface[0], at);
    let v2 = slip.dot(t2) + load(&group.surface[1], at);
    let w = n.dot(ends.wb - ends.wa);

    let m = load3::<L>(&group.tangent_mass, at);
    let twist_mass = load::<L>(&group.twist_mass, at);
    let (f1, f2) = (load::<L>(&group.tangent_impulse[0], at), load::<L>(&group.tangent_impulse[1], at));
    let tau = load::<L>(&group.twist_impulse, at);

    // What would stop all slip and twist.
    let s1 = f1 - (m.x * v1 + m.y * v2);
    let s2 = f2 - (m.y * v1 + m.z * v2);
    // A contact in one point has no lever and no twist: 0 · ∞ must not come in.
    let has_lever = lever.greater(L::ZERO);
    let st = L::select(has_lever, tau - twist_mass * w, L::ZERO);
    let inv_lever = L::ONE / L::select(has_lever, lever, L::ONE);
    let (limit_static, limit_dynamic) =
        (load::<L>(&group.static_friction, at) * normal, load::<L>(&group.dynamic_friction, at) * normal);
    let q = st * inv_lever;
    let size = s1 * s1 + s2 * s2 + q * q;
    let sticks = size.less_eq(limit_static * limit_static);

    // On the ellipsoid: one step size for slip and twist, so that the impulse turns against the generalised slip.
    let step = m.x.min(m.z);
    let step = L::select(has_lever, step.min(twist_mass * inv_lever * inv_lever), step);
    let g1 = f1 - step * v1;
    let g2 = f2 - step * v2;
    let gq = L::select(has_lever, tau * inv_lever - step * (lever * w), L::ZERO);
    let length = (g1 * g1 + g2 * g2 + gq * gq).sqrt();
    let scale = limit_dynamic / length.max(limit_dynamic).max(tiny);

    let new1 = L::select(sticks, s1, g1 * scale);
    let new2 = L::select(sticks, s2, g2 * scale);
    let new_tau = L::select(sticks, st, gq * scale * lever);
    new1.store(&mut group.tangent_impulse[0].0[at..]);
    new2.store(&mut group.tangent_impulse[1].0[at..]);
    new_tau.store(&mut group.twist_impulse.0[at..]);
    let p = t1 * (new1 - f1) + t2 * (new2 - f2);
    let twist = n * (new_tau - tau);
    ends.push(p, ra.cross(p) + twist, rb.cross(p) + twist);
}

/// Gives back the share of the approach speed that the materials return. Once, after all sub-steps.
pub(crate) struct Restitution<'a> {
    pub pass: Pass<'a>,
    /// Approach slower than this does not bounce.
    pub threshold: Real,
}

impl Kernel for Restitution<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        let Pass { groups, points, motions, .. } = self.pass;
        let threshold = L::splat(-self.threshold);
        for group in groups {
            if !group.bounces {
                continue;
            }
            for at in (0..LANES).step_by(L::WIDTH) {
                let a = L::load_columns::<16, 8>(motions, 0, &group.body_a[at..]);
                let b = L::load_columns::<16, 8>(motions, 0, &group.body_b[at..]);
                let mut ends = Ends::new(group, at, &a, &b);
                let n = load3::<L>(&group.normal, at);
                let e = load::<L>(&group.restitution, at);
                for point in &mut points[group.first_point as usize..][..group.point_count as usize] {
                    let approach = load::<L>(&point.approach, at);
                    let hit = approach.less(threshold) & load::<L>(&point.peak_impulse, at).greater(L::ZERO);
                    let (arm_a, arm_b) = (load3::<L>(&point.arm_a, at), load3::<L>(&point.arm_b, at));
                    let vn = n.dot(ends.vb - ends.va) + (ends.wb.dot(arm_b) - ends.wa.dot(arm_a));
                    let old = load::<L>(&point.normal_impulse, at);
                    let wanted = old - load::<L>(&point.normal_mass, at) * (vn + e * approach);
                    let new = L::select(hit & e.greater(L::ZERO), wanted.max(L::ZERO), old);
                    let delta = new - old;
                    new.store(&mut point.normal_impulse.0[at..]);
                    ends.push(n * delta, arm_a * delta, arm_b * delta);
                }
                let (a, b) = ends.columns(&a, &b);
                L::store_columns::<16, 8>(a, motions, 0, &group.write_a[at..]);
                L::store_columns::<16, 8>(b, motions, 0, &group.write_b[at..]);
            }
        }
    }
}
