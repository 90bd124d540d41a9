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

use super::contact_constraint::{Block, Group, GroupPoint, Watch};
use super::motion::Motion;
use crate::crew::Shared;
use crate::math::{Kernel, LANES, Lane, Mask, Real, Sym3, Vec3};

/// Groups of one colour, their points, and the bodies. Several threads may work on different ranges of the groups at once.
#[derive(Clone)]
pub(crate) struct Pass<'a> {
    pub groups: Shared<'a, Group>,
    /// All points; a group knows where its own begin.
    pub points: Shared<'a, GroupPoint>,
    pub blocks: &'a [Block],
    pub watches: Shared<'a, Watch>,
    pub motions: Shared<'a, Motion>,
    /// The groups of this thread.
    pub range: core::ops::Range<usize>,
}

/// A group with its points.
struct Whole<'a> {
    group: &'a mut Group,
    points: &'a mut [GroupPoint],
    watch: Option<&'a mut Watch>,
}

impl Pass<'_> {
    fn whole(&self, i: usize) -> Whole<'_> {
        debug_assert!(self.range.contains(&i));
        // SAFETY: ranges of groups do not overlap, and no two groups have a point or a watch in common.
        unsafe {
            let group = self.groups.get(i);
            let points = self.points.range(group.points());
            let watch = ((group.watch as usize) < self.watches.len()).then(|| self.watches.get(group.watch as usize));
            Whole { group, points, watch }
        }
    }

    /// The first columns of the motions of bodies.
    #[inline(always)]
    fn gather<L: Lane, const C: usize>(&self, indices: &[u32]) -> [L; C] {
        // SAFETY: no two manifolds of a colour share a body that is written, so what is read here nobody writes meanwhile.
        unsafe { L::gather::<16, C>(self.motions.as_mut_ptr(), self.motions.len(), 0, indices) }
    }

    /// Writes the first columns of the motions of bodies.
    #[inline(always)]
    fn scatter<L: Lane, const C: usize>(&self, columns: [L; C], indices: &[u32]) {
        // SAFETY: as above: only movable bodies are written, each by one manifold of the colour.
        unsafe { L::scatter::<16, C>(columns, self.motions.as_mut_ptr(), self.motions.len(), 0, indices) }
    }
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
            ma: group.inv_mass_a.load(at),
            mb: group.inv_mass_b.load(at),
            ia: group.inv_inertia_a.load(at),
            ib: group.inv_inertia_b.load(at),
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
        let pass = self.0;
        for i in pass.range.clone() {
            let Whole { group, points, .. } = pass.whole(i);
            for at in (0..LANES).step_by(L::WIDTH) {
                let a = pass.gather::<L, 8>(&group.body_a[at..]);
                let b = pass.gather::<L, 8>(&group.body_b[at..]);
                let mut ends = Ends::new(group, at, &a, &b);
                let n = group.normal.load::<L>(at);
                let t1 = group.tangent.load::<L>(at);
                let t2 = n.cross(t1);
                let (ra, rb) = (group.anchor_a.load::<L>(at), group.anchor_b.load::<L>(at));
                // All impulses of the manifold act together: one push.
                let twist = n * group.twist_impulse.load(at);
                let f = t1 * group.tangent_impulse[0].load(at) + t2 * group.tangent_impulse[1].load(at);
                let (mut p, mut ta, mut tb) = (f, ra.cross(f) + twist, rb.cross(f) + twist);
                for point in &*points {
                    let lambda = point.normal_impulse.load::<L>(at);
                    p += n * lambda;
                    ta += point.arm_a.load(at) * lambda;
                    tb += point.arm_b.load(at) * lambda;
                }
                ends.push(p, ta, tb);
                let (a, b) = ends.columns(&a, &b);
                pass.scatter(a, &group.write_a[at..]);
                pass.scatter(b, &group.write_b[at..]);
            }
        }
    }
}

/// What is the same for all constraints of a pass.
#[derive(Clone, Copy)]
pub(crate) struct Rules<T = Real> {
    /// Overlap is pushed apart; otherwise the velocity of the push is taken back.
    pub push: bool,
    pub inv_h: T,
    pub slop: T,
    pub push_speed: T,
}

/// Makes the constraints hold, with or without the push out of overlap.
pub(crate) struct Solve<'a> {
    pub pass: Pass<'a>,
    pub rules: Rules,
}

impl Kernel for Solve<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        let pass = self.pass;
        let rules = Rules {
            push: self.rules.push,
            inv_h: L::splat(self.rules.inv_h),
            slop: L::splat(self.rules.slop),
            push_speed: L::splat(-self.rules.push_speed),
        };
        for i in pass.range.clone() {
            let Whole { group, points, mut watch } = pass.whole(i);
            for at in (0..LANES).step_by(L::WIDTH) {
                let a = pass.gather::<L, 12>(&group.body_a[at..]);
                let b = pass.gather::<L, 12>(&group.body_b[at..]);
                let mut ends = Ends::new(group, at, &a, &b);
                let n = group.normal.load::<L>(at);
                if rules.push {
                    friction(group, points, at, n, &mut ends);
                }

                // Motion since the start of the step.
                let moved = Moved {
                    along: n.dot(Vec3::new(b[6] - a[6], b[7] - a[7], b[8] - a[8])),
                    turn_a: Vec3::new(a[9], a[10], a[11]),
                    turn_b: Vec3::new(b[9], b[10], b[11]),
                };
                let soft = group.softness.load::<L>(at);
                if let [p0, p1, p2, p3] = points {
                    let block = &pass.blocks[group.block as usize];
                    rules.solve_four(&mut ends, [p0, p1, p2, p3], block, at, n, soft, &moved);
                } else {
                    for point in &mut *points {
                        rules.solve_one(&mut ends, point, at, n, soft, &moved);
                    }
                }
                if !rules.push {
                    friction(group, points, at, n, &mut ends);
                }
                if let Some(watch) = &mut watch {
                    for (point, peak) in points.iter().zip(&mut watch.peak) {
                        peak.store(at, peak.load::<L>(at).max(point.normal_impulse.load(at)));
                    }
                }
                let (a, b) = ends.columns(&a, &b);
                pass.scatter(a, &group.write_a[at..]);
                pass.scatter(b, &group.write_b[at..]);
            }
        }
    }
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
        let (arm_a, arm_b) = (point.arm_a.load::<L>(at), point.arm_b.load::<L>(at));
        let s = point.separation.load::<L>(at) + moved.along + (moved.turn_b.dot(arm_b) - moved.turn_a.dot(arm_a));
        let (bias, apart) = self.bias(s, soft.x);
        let (mass_scale, impulse_scale) = if self.push {
            (L::select(apart, L::ONE, soft.y), L::select(apart, L::ZERO, soft.z))
        } else {
            (L::ONE, L::ZERO)
        };
        let vn = n.dot(ends.vb - ends.va) + (ends.wb.dot(arm_b) - ends.wa.dot(arm_a));
        let old = point.normal_impulse.load::<L>(at);
        let mass = point.normal_mass.load::<L>(at) * mass_scale;
        let new = (old - mass * (vn + bias) - impulse_scale * old).max(L::ZERO);
        let delta = new - old;
        point.normal_impulse.store(at, new);
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
            arm_a[i] = point.arm_a.load(at);
            arm_b[i] = point.arm_b.load(at);
            old[i] = point.normal_impulse.load(at);
            let s = point.separation.load::<L>(at)
                + moved.along
                + (moved.turn_b.dot(arm_b[i]) - moved.turn_a.dot(arm_a[i]));
            let (bias, _) = self.bias(s, soft.x);
            rhs[i] = dv + (ends.wb.dot(arm_b[i]) - ends.wa.dot(arm_a[i])) + bias;
            if self.push {
                let mass = point.normal_mass.load::<L>(at);
                let gamma =
                    L::select(mass.greater(L::ZERO), compliance / mass.max(L::splat(Real::MIN_POSITIVE)), L::ZERO);
                rhs[i] += gamma * old[i];
            }
        }
        let m = if self.push { &block.push } else { &block.relax };
        let mut inverse = [L::ZERO; 10];
        for (l, w) in inverse.iter_mut().zip(m) {
            *l = w.load(at);
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
                points[i].normal_impulse.store(at, new[i]);
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
            let one = points[i].normal_impulse.load::<L>(at);
            let chosen = L::select(pushes, new[i], one);
            points[i].normal_impulse.store(at, chosen);
        }
    }
}

/// Friction of a manifold; see the head of this file.
#[inline(always)]
fn friction<L: Lane>(group: &mut Group, points: &[GroupPoint], at: usize, n: Vec3<L>, ends: &mut Ends<L>) {
    let (mut normal, mut torque) = (L::ZERO, L::ZERO);
    for point in points {
        let lambda = point.normal_impulse.load::<L>(at);
        normal += lambda;
        torque += lambda * point.lever.load(at);
    }
    torque += normal * group.spinning.load(at);
    // The mean lever; 0 where nothing presses.
    let tiny = L::splat(Real::MIN_POSITIVE);
    let lever = torque / normal.max(tiny);

    let t1 = group.tangent.load::<L>(at);
    let t2 = n.cross(t1);
    let (ra, rb) = (group.anchor_a.load::<L>(at), group.anchor_b.load::<L>(at));
    let slip = ends.vb + ends.wb.cross(rb) - ends.va - ends.wa.cross(ra);
    let v1 = slip.dot(t1) + group.surface[0].load(at);
    let v2 = slip.dot(t2) + group.surface[1].load(at);
    let w = n.dot(ends.wb - ends.wa);

    let m = group.tangent_mass.load::<L>(at);
    let twist_mass = group.twist_mass.load::<L>(at);
    let (f1, f2) = (group.tangent_impulse[0].load::<L>(at), group.tangent_impulse[1].load::<L>(at));
    let tau = group.twist_impulse.load::<L>(at);

    // What would stop all slip and twist.
    let s1 = f1 - (m.x * v1 + m.y * v2);
    let s2 = f2 - (m.y * v1 + m.z * v2);
    // A contact in one point has no lever and no twist: 0 · ∞ must not come in.
    let has_lever = lever.greater(L::ZERO);
    let st = L::select(has_lever, tau - twist_mass * w, L::ZERO);
    let inv_lever = L::ONE / L::select(has_lever, lever, L::ONE);
    let (limit_static, limit_dynamic) =
        (group.static_friction.load::<L>(at) * normal, group.dynamic_friction.load::<L>(at) * normal);
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
    group.tangent_impulse[0].store(at, new1);
    group.tangent_impulse[1].store(at, new2);
    group.twist_impulse.store(at, new_tau);
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
        let pass = self.pass;
        let threshold = L::splat(-self.threshold);
        for i in pass.range.clone() {
            let Whole { group, points, watch: Some(watch) } = pass.whole(i) else { continue };
            for at in (0..LANES).step_by(L::WIDTH) {
                let a = pass.gather::<L, 8>(&group.body_a[at..]);
                let b = pass.gather::<L, 8>(&group.body_b[at..]);
                let mut ends = Ends::new(group, at, &a, &b);
                let n = group.normal.load::<L>(at);
                let e = watch.restitution.load::<L>(at);
                for (i, point) in points.iter_mut().enumerate() {
                    let approach = watch.approach[i].load::<L>(at);
                    let hit = approach.less(threshold) & watch.peak[i].load::<L>(at).greater(L::ZERO);
                    let (arm_a, arm_b) = (point.arm_a.load::<L>(at), point.arm_b.load::<L>(at));
                    let vn = n.dot(ends.vb - ends.va) + (ends.wb.dot(arm_b) - ends.wa.dot(arm_a));
                    let old = point.normal_impulse.load::<L>(at);
                    let wanted = old - point.normal_mass.load::<L>(at) * (vn + e * approach);
                    let new = L::select(hit & e.greater(L::ZERO), wanted.max(L::ZERO), old);
                    let delta = new - old;
                    point.normal_impulse.store(at, new);
                    ends.push(n * delta, arm_a * delta, arm_b * delta);
                }
                let (a, b) = ends.columns(&a, &b);
                pass.scatter(a, &group.write_a[at..]);
                pass.scatter(b, &group.write_b[at..]);
            }
        }
    }
}
