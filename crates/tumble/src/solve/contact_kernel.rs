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
//!   s <= 0:  Δλ = -m μ_m (v_n + max(ρ (s + slop) + Γ λ, -v_push)),  Γ = μ_i/(μ_m m)
//!   λ'  = max(λ + Δλ, 0)
//! ```
//!
//! Against a body that nothing moves a contact is hard down to the slop (μ_m = 1, μ_i = 0): a soft one would sink through the
//! slop without being pushed, and what sinks presses, and so rubs, with less than its weight. In the relaxing pass the push is left out (ρ = 0, μ_m = 1, μ_i = 0), so that the velocity it gave is taken back. A manifold
//! of several points is solved as a whole where it can be: see `solve_four`.
//!
//! Friction acts once per manifold, on the slip (v₁, v₂) at the centre of pressure and on the twist ω_n about the normal. With
//! N = Σ λ and the mean lever ℓ = Σ λ ℓᵢ / N, friction bears what a ring of that radius can: see `friction_limit`. Inside that
//! limit the contact sticks; on it the impulse opposes the generalised slip (v, ℓ ω_n), so that sliding and spinning end together.

use super::contact_constraint::{Block, Group, GroupPoint, Oddity, Watch, load, pick};
use super::friction_limit::{Load, SURELY_INSIDE, nearest};
use super::motion::Motion;
use crate::constraint::contact::FAR;
use crate::crew::Shared;
use crate::math::{Kernel, LANES, Lane, Mask, Real, Sym3, Vec3, prefetch_beyond};

/// Groups of one colour, their points, and the bodies. Several threads may work on different ranges of the groups at once.
#[derive(Clone)]
pub(crate) struct Pass<'a> {
    pub groups: Shared<'a, Group>,
    /// All points; a group knows where its own begin.
    pub points: Shared<'a, GroupPoint>,
    pub blocks: &'a [Block],
    pub watches: Shared<'a, Watch>,
    pub oddities: &'a [Oddity],
    pub motions: Shared<'a, Motion>,
    /// The groups of this thread.
    pub range: core::ops::Range<usize>,
}

/// A group with its points.
pub(super) struct Whole<'a> {
    pub group: &'a mut Group,
    pub points: &'a mut [GroupPoint],
    pub watch: Option<&'a mut Watch>,
    pub oddity: Option<&'a Oddity>,
}

/// Groups between the one that is worked on and the one that is asked for.
const AHEAD: usize = 2;

impl Pass<'_> {
    pub(super) fn whole(&self, i: usize) -> Whole<'_> {
        debug_assert!(self.range.contains(&i));
        // SAFETY: ranges of groups do not overlap, and no two groups have a point or a watch in common.
        unsafe {
            let group = self.groups.get(i);
            let points = self.points.range(group.points());
            let watch = ((group.watch as usize) < self.watches.len()).then(|| self.watches.get(group.watch as usize));
            let oddity = self.oddities.get(group.oddity as usize);
            Whole { group, points, watch, oddity }
        }
    }

    /// Asks for what comes after a group: large worlds are more than caches hold.
    #[inline(always)]
    fn prefetch(&self, i: usize, group: &Group) {
        self.groups.prefetch(i + AHEAD);
        let points = group.points();
        for p in points.clone() {
            self.points.prefetch(p + AHEAD * points.len());
        }
        if i + 1 < self.range.end {
            // SAFETY: a group of this thread, and another one than that which is in use.
            let next = unsafe { self.groups.get(i + 1) };
            for &body in next.body_a.iter().chain(&next.body_b) {
                self.motions.prefetch(body as usize);
            }
        }
    }

    /// The first columns of the motions of bodies.
    #[inline(always)]
    pub(super) fn gather<L: Lane, const C: usize>(&self, indices: &[u32]) -> [L; C] {
        // SAFETY: no two manifolds of a colour share a body that is written, so what is read here nobody writes meanwhile.
        unsafe { L::gather::<16, C>(self.motions.as_mut_ptr(), self.motions.len(), 0, indices) }
    }

    /// Writes the first columns of the motions of bodies.
    #[inline(always)]
    pub(super) fn scatter<L: Lane, const C: usize>(&self, columns: [L; C], indices: &[u32]) {
        // SAFETY: as above: only movable bodies are written, each by one manifold of the colour.
        unsafe { L::scatter::<16, C>(columns, self.motions.as_mut_ptr(), self.motions.len(), 0, indices) }
    }
}

/// A lane's share of the two bodies of a group.
#[derive(Clone, Copy)]
pub(super) struct Ends<'a, L> {
    pub va: Vec3<L>,
    pub wa: Vec3<L>,
    pub vb: Vec3<L>,
    pub wb: Vec3<L>,
    ma: L,
    mb: L,
    ia: Sym3<L>,
    ib: Sym3<L>,
    /// d × n, see [`GroupPoint::arm`].
    offset: Vec3<L>,
    oddity: Option<&'a Oddity>,
    at: usize,
}

impl<'a, L: Lane> Ends<'a, L> {
    #[inline(always)]
    pub fn new(group: &Group, oddity: Option<&'a Oddity>, at: usize, a: &[L], b: &[L]) -> Self {
        let between = group.anchor_a.load::<L>(at) - group.anchor_b.load::<L>(at);
        Self {
            va: Vec3::new(a[0], a[1], a[2]),
            wa: Vec3::new(a[3], a[4], a[5]),
            vb: Vec3::new(b[0], b[1], b[2]),
            wb: Vec3::new(b[3], b[4], b[5]),
            ma: group.inv_mass_a.load(at),
            mb: group.inv_mass_b.load(at),
            ia: group.inv_inertia_a.load(at),
            ib: group.inv_inertia_b.load(at),
            offset: between.cross(group.normal.load(at)),
            oddity,
            at,
        }
    }

    /// The same bodies at rest.
    #[inline(always)]
    pub fn at_rest(&self) -> Self {
        Self { va: Vec3::ZERO, wa: Vec3::ZERO, vb: Vec3::ZERO, wb: Vec3::ZERO, ..*self }
    }

    /// Velocity along the normal of B relative to A at a point: this, and that of turning, (ω_B - ω_A)·(r_A × n).
    #[inline(always)]
    fn approach(&self, n: Vec3<L>) -> L {
        n.dot(self.vb - self.va) - self.wb.dot(self.offset)
    }

    /// Velocity along the normal of B relative to A at a point.
    #[inline(always)]
    pub fn speed(&self, point: &GroupPoint, n: Vec3<L>) -> L {
        self.approach(n) + (self.wb - self.wa).dot(point.arm.load(self.at))
    }

    /// One of the two is moved by nothing.
    #[inline(always)]
    pub fn fixed(&self) -> L::Mask {
        self.ma.equal(L::ZERO) | self.mb.equal(L::ZERO)
    }

    /// Applies the impulse `p` along with the angular impulses that it has about the two centres.
    #[inline(always)]
    pub fn push(&mut self, p: Vec3<L>, turn_a: Vec3<L>, turn_b: Vec3<L>) {
        let (mut pa, mut pb) = (p * self.ma, p * self.mb);
        if let Some(oddity) = self.oddity {
            pa = pa.scale(oddity.free_a.load(self.at));
            pb = pb.scale(oddity.free_b.load(self.at));
        }
        self.va -= pa;
        self.wa -= self.ia * turn_a;
        self.vb += pb;
        self.wb += self.ib * turn_b;
    }

    /// The same for impulses along the normal: their sum `lambda`, and `turn`, the sum of what they have with their arms.
    #[inline(always)]
    pub fn push_along(&mut self, n: Vec3<L>, lambda: L, turn: Vec3<L>) {
        self.push(n * lambda, turn, turn - self.offset * lambda);
    }

    /// The same for the impulse `lambda` along the normal at a point.
    #[inline(always)]
    pub fn push_at(&mut self, point: &GroupPoint, n: Vec3<L>, lambda: L) {
        self.push_along(n, lambda, point.arm.load(self.at) * lambda);
    }

    /// Velocity of surface B relative to surface A along both tangents, where friction acts.
    #[inline(always)]
    pub fn slip(&self, group: &Group, at: usize, n: Vec3<L>) -> (L, L) {
        let t1 = group.tangent.load::<L>(at);
        let (ra, rb) = (group.anchor_a.load::<L>(at), group.anchor_b.load::<L>(at));
        let slip = self.vb + self.wb.cross(rb) - self.va - self.wa.cross(ra);
        let surface = self.oddity.map_or([L::ZERO; 2], |oddity| load(&oddity.surface, at));
        (slip.dot(t1) + surface[0], slip.dot(n.cross(t1)) + surface[1])
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
    pub fn columns(&self, a: &[L], b: &[L]) -> ([L; 8], [L; 8]) {
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
            let Whole { group, points, oddity, .. } = pass.whole(i);
            pass.prefetch(i, group);
            let written = [group.written(0), group.written(1)];
            for at in (0..LANES).step_by(L::WIDTH) {
                let a = pass.gather::<L, 8>(&group.body_a[at..]);
                let b = pass.gather::<L, 8>(&group.body_b[at..]);
                let mut ends = Ends::new(group, oddity, at, &a, &b);
                let n = group.normal.load::<L>(at);
                let t1 = group.tangent.load::<L>(at);
                let t2 = n.cross(t1);
                let (ra, rb) = (group.anchor_a.load::<L>(at), group.anchor_b.load::<L>(at));
                // All impulses of the manifold act together: one push.
                let twist = n * group.twist_impulse.load(at);
                let f = t1 * group.tangent_impulse[0].load(at) + t2 * group.tangent_impulse[1].load(at);
                let (mut p, mut turn) = (L::ZERO, Vec3::ZERO);
                for point in &*points {
                    let lambda = point.normal_impulse.load::<L>(at);
                    p += lambda;
                    turn += point.arm.load(at) * lambda;
                }
                let (ta, tb) = (ra.cross(f) + twist, rb.cross(f) + twist);
                ends.push(f + n * p, ta + turn, tb + (turn - ends.offset * p));
                let (a, b) = ends.columns(&a, &b);
                pass.scatter(a, &written[0][at..]);
                pass.scatter(b, &written[1][at..]);
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
    /// The bias rate between two bodies that move, and against one that nothing moves.
    pub bias_rates: [T; 2],
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
            bias_rates: self.rules.bias_rates.map(L::splat),
        };
        for i in pass.range.clone() {
            let Whole { group, points, mut watch, oddity } = pass.whole(i);
            pass.prefetch(i, group);
            let written = [group.written(0), group.written(1)];
            for at in (0..LANES).step_by(L::WIDTH) {
                let a = pass.gather::<L, 12>(&group.body_a[at..]);
                let b = pass.gather::<L, 12>(&group.body_b[at..]);
                let mut ends = Ends::new(group, oddity, at, &a, &b);
                let n = group.normal.load::<L>(at);
                let (still, everywhere) = ((L::ZERO, L::ZERO), L::ZERO.less_eq(L::ZERO));
                if rules.push {
                    friction(group, points, at, n, &mut ends, still, everywhere);
                }

                let moved = Moved::new(&ends, n, &a, &b);
                let soft = rules.softness(group, &ends);
                if let [p0, p1, p2, p3] = points {
                    let block = &pass.blocks[group.block as usize];
                    rules.solve_four(&mut ends, [p0, p1, p2, p3], block, at, n, &soft, &moved);
                } else {
                    for point in &mut *points {
                        rules.solve_one(&mut ends, point, at, n, &soft, &moved);
                    }
                }
                if !rules.push {
                    friction(group, points, at, n, &mut ends, still, everywhere);
                }
                if let Some(watch) = &mut watch {
                    for (point, peak) in points.iter().zip(&mut watch.peak) {
                        peak.store(at, peak.load::<L>(at).max(point.normal_impulse.load(at)));
                    }
                }
                let (a, b) = ends.columns(&a, &b);
                pass.scatter(a, &written[0][at..]);
                pass.scatter(b, &written[1][at..]);
            }
        }
    }
}

/// The softness of a manifold.
struct Softness<L> {
    bias_rate: L,
    /// Γ m = μ_i/μ_m: what a unit impulse yields, for a mass of one.
    compliance: L,
    /// Down to this depth it is hard all the same.
    firm_depth: L,
}

impl<L: Lane> Softness<L> {
    /// μ_m = 1/(1 + Γ m)
    #[inline(always)]
    fn mass_scale(&self) -> L {
        L::ONE / (L::ONE + self.compliance)
    }

    /// A spring that is under load, which the relaxing pass leaves alone.
    #[inline(always)]
    fn rests(&self, s: L) -> L::Mask {
        self.firm_depth.less(L::ZERO) & s.less_eq(L::ZERO)
    }
}

/// Motion of B relative to A since the start of the step: along the normal, but for what comes of the turn with the arm of a point.
pub(super) struct Moved<L> {
    along: L,
    turn: Vec3<L>,
}

impl<L: Lane> Moved<L> {
    #[inline(always)]
    pub fn new(ends: &Ends<'_, L>, n: Vec3<L>, a: &[L], b: &[L]) -> Self {
        let way = |of: &[L]| (Vec3::new(of[6], of[7], of[8]), Vec3::new(of[9], of[10], of[11]));
        let ((moved_a, turned_a), (moved_b, turned_b)) = (way(a), way(b));
        Self { along: n.dot(moved_b - moved_a) - turned_b.dot(ends.offset), turn: turned_b - turned_a }
    }
}

impl GroupPoint {
    /// m, or 0 where nothing moves.
    #[inline(always)]
    pub(super) fn mass<L: Lane>(&self, at: usize) -> L {
        let response = self.response.load::<L>(at);
        L::select(response.greater(L::ZERO), L::ONE / response.max(L::splat(Real::MIN_POSITIVE)), L::ZERO)
    }

    /// The separation after the bodies have moved.
    #[inline(always)]
    pub(super) fn separation_now<L: Lane>(&self, at: usize, moved: &Moved<L>) -> L {
        self.separation.load::<L>(at) + moved.along + moved.turn.dot(self.arm.load(at))
    }
}

impl<L: Lane> Rules<L> {
    #[inline(always)]
    fn softness(&self, group: &Group, ends: &Ends<'_, L>) -> Softness<L> {
        let compliance = group.compliance.load(ends.at);
        if let Some(oddity) = ends.oddity {
            return Softness {
                compliance,
                bias_rate: oddity.bias_rate.load(ends.at),
                firm_depth: oddity.firm_depth.load(ends.at),
            };
        }
        let fixed = ends.fixed();
        Softness {
            compliance,
            bias_rate: L::select(fixed, self.bias_rates[1], self.bias_rates[0]),
            firm_depth: L::select(fixed, self.slop, L::ZERO),
        }
    }

    /// The velocity that the normal constraint asks for, and whether it is hard: while the surfaces are apart or overlap
    /// by less than the firm depth.
    ///
    /// The relaxing pass, which comes after the motion, leaves surfaces alone that are apart and have not pushed: they meet in
    /// the next sub-step, and until then nothing may slow them down, or the speed of the impact would be gone.
    #[inline(always)]
    fn bias(&self, s: L, impulse: L, soft: &Softness<L>) -> (L, L::Mask) {
        let (out, room) = if self.push {
            (soft.bias_rate * (s + self.slop).min(L::ZERO), s * self.inv_h)
        } else {
            (L::ZERO, L::select(impulse.greater(L::ZERO), s * self.inv_h, L::splat(FAR)))
        };
        (L::select(s.greater(L::ZERO), room, out), (s + soft.firm_depth).greater(L::ZERO))
    }

    /// The velocity asked for, with what the softness yields, but no faster out of overlap than the push: a spring pushes as hard as it is
    /// pressed; what only has to get out of the way does so at leisure. The limit is on what comes of both: on the push alone it would be
    /// one on the load, and what bears more would sink for ever.
    #[inline(always)]
    fn at_leisure(&self, bias: L, yielding: L, soft: &Softness<L>) -> L {
        // What is soft beyond measure yields infinitely, and has next to no mass: their product must be a number.
        let out = bias + yielding.min(L::splat(Real::MAX));
        L::select(soft.firm_depth.less(L::ZERO), out, out.max(self.push_speed))
    }

    /// One point by itself.
    #[inline(always)]
    fn solve_one(
        &self,
        ends: &mut Ends<'_, L>,
        point: &mut GroupPoint,
        at: usize,
        n: Vec3<L>,
        soft: &Softness<L>,
        moved: &Moved<L>,
    ) {
        let s = point.separation_now(at, moved);
        let old = point.normal_impulse.load::<L>(at);
        let (bias, firm) = self.bias(s, old, soft);
        let mut mass = point.mass::<L>(at);
        let mut out = bias;
        if self.push {
            let yielding = L::select(firm, L::ZERO, soft.compliance * point.response.load::<L>(at) * old);
            out = self.at_leisure(bias, yielding, soft);
            mass *= L::select(firm, L::ONE, soft.mass_scale());
        }
        let new = (old - mass * (ends.speed(point, n) + out)).max(L::ZERO);
        let new = if self.push { new } else { L::select(soft.rests(s), old, new) };
        point.normal_impulse.store(at, new);
        ends.push_at(point, n, new - old);
    }

    /// Four points together: (K + Γ) Δλ = -(v_n + bias + Γ λ), where Γ is the compliance of the softness; in the relaxing
    /// pass, and where all four are hard, Γ λ is left out. Where all impulses stay pushes, that is the answer for the manifold as a whole, and it treats
    /// the points alike; where one would pull, and where springs relax, the points are solved one after the other.
    #[inline(always)]
    #[allow(clippy::too_many_arguments)]
    fn solve_four(
        &self,
        ends: &mut Ends<'_, L>,
        mut points: [&mut GroupPoint; 4],
        block: &Block,
        at: usize,
        n: Vec3<L>,
        soft: &Softness<L>,
        moved: &Moved<L>,
    ) {
        let (approach, turning) = (ends.approach(n), ends.wb - ends.wa);
        let mut rhs = [L::ZERO; 4];
        let mut old = [L::ZERO; 4];
        let (mut out, mut yielding) = ([L::ZERO; 4], [L::ZERO; 4]);
        // All four are hard.
        let mut firm = soft.firm_depth.greater(L::ZERO);
        for i in 0..4 {
            let point = &*points[i];
            old[i] = point.normal_impulse.load(at);
            let s = point.separation_now(at, moved);
            let (bias, hard) = self.bias(s, old[i], soft);
            firm = firm & hard;
            rhs[i] = approach + turning.dot(point.arm.load(at));
            out[i] = bias;
            if self.push {
                yielding[i] = soft.compliance * point.response.load::<L>(at) * old[i];
            }
        }
        for i in 0..4 {
            rhs[i] += match self.push {
                true => self.at_leisure(out[i], L::select(firm, L::ZERO, yielding[i]), soft),
                false => out[i],
            };
        }
        // Contacts with what does not move are hard, others are not: groups that need both inverses are few.
        let which = if self.push && !firm.all() { &block.push } else { &block.relax };
        if at == 0 {
            prefetch_beyond(which, AHEAD * size_of::<Block>());
        }
        let mut inverse: [L; 10] = load(which, at);
        if self.push && firm.any() && !firm.all() {
            let hard: [L; 10] = load(&block.relax, at);
            for i in 0..10 {
                inverse[i] = L::select(firm, hard[i], inverse[i]);
            }
        }
        let step = times(&inverse, rhs);
        let new = [old[0] - step[0], old[1] - step[1], old[2] - step[2], old[3] - step[3]];
        let together = if self.push { L::ZERO.less_eq(L::ZERO) } else { soft.firm_depth.greater_eq(L::ZERO) };
        let pushes = together
            & new[0].greater_eq(L::ZERO)
            & new[1].greater_eq(L::ZERO)
            & new[2].greater_eq(L::ZERO)
            & new[3].greater_eq(L::ZERO);

        let before = *ends;
        let (mut p, mut turn) = (L::ZERO, Vec3::ZERO);
        for i in 0..4 {
            let delta = new[i] - old[i];
            p += delta;
            turn += points[i].arm.load(at) * delta;
        }
        ends.push_along(n, p, turn);
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

/// The symmetric matrix of these ten entries times a vector.
#[inline(always)]
pub(super) fn times<L: Lane>(m: &[L; 10], v: [L; 4]) -> [L; 4] {
    [
        m[0] * v[0] + m[1] * v[1] + m[2] * v[2] + m[3] * v[3],
        m[1] * v[0] + m[4] * v[1] + m[5] * v[2] + m[6] * v[3],
        m[2] * v[0] + m[5] * v[1] + m[7] * v[2] + m[8] * v[3],
        m[3] * v[0] + m[6] * v[1] + m[8] * v[2] + m[9] * v[3],
    ]
}

/// The share of a product of the diagonal up to which a determinant counts as zero: some roundings.
pub(super) const SINGULAR: Real = 16.0 * Real::EPSILON;

/// Friction of a manifold, in the lanes of the mask; see the head of this file. The slip that it aims at is -`goal`.
#[inline(always)]
pub(super) fn friction<L: Lane>(
    group: &mut Group,
    points: &[GroupPoint],
    at: usize,
    n: Vec3<L>,
    ends: &mut Ends<'_, L>,
    goal: (L, L),
    mask: L::Mask,
) {
    let (mut normal, mut torque) = (L::ZERO, L::ZERO);
    for point in points {
        let lambda = point.normal_impulse.load::<L>(at);
        normal += lambda;
        torque += lambda * point.lever.load(at);
    }
    if let Some(oddity) = ends.oddity {
        torque += normal * oddity.spinning.load(at);
    }
    // The mean lever; 0 where nothing presses.
    let tiny = L::splat(Real::MIN_POSITIVE);
    let lever = torque / normal.max(tiny);

    let t1 = group.tangent.load::<L>(at);
    let t2 = n.cross(t1);
    let (ra, rb) = (group.anchor_a.load::<L>(at), group.anchor_b.load::<L>(at));
    let (v1, v2) = ends.slip(group, at, n);
    let (v1, v2) = (v1 + goal.0, v2 + goal.1);
    let w = n.dot(ends.wb - ends.wa);

    let m = group.tangent_mass.load::<L>(at);
    let twist_mass = group.twist_mass.load::<L>(at);
    let (f1, f2) = (group.tangent_impulse[0].load::<L>(at), group.tangent_impulse[1].load::<L>(at));
    let tau = group.twist_impulse.load::<L>(at);

    // What would stop all slip and twist.
    let s1 = f1 - (m.x * v1 + m.y * v2);
    let s2 = f2 - (m.y * v1 + m.z * v2);
    // A contact in one point has no lever and no twist: 0 · ∞ must not come in. Nor has one whose bodies cannot turn about the normal: the step would be none.
    let has_lever = lever.greater(L::ZERO) & twist_mass.greater(L::ZERO);
    let st = L::select(has_lever, tau - twist_mass * w, L::ZERO);
    let inv_lever = L::ONE / L::select(has_lever, lever, L::ONE);
    let limit_static = group.static_friction.load::<L>(at) * normal;
    let sq = st * inv_lever;
    let across = s1 * s1 + s2 * s2;
    let sure = limit_static * L::splat(SURELY_INSIDE);
    let size = across + sq * sq;
    let mut sticks = size.less_eq(sure * sure);
    let (mut new1, mut new2, mut new_tau) = (s1, s2, st);
    if !sticks.all() {
        // No load that friction bears is longer than the limit: few lie between what is surely inside and what is surely not.
        let within = size.less_eq(limit_static * limit_static);
        if (within & !sticks).any() {
            let stop = Load { across: across.sqrt(), twist: sq.max(-sq) };
            sticks = sticks | (within & nearest(stop, limit_static).1);
        }
        // Sliding: one step size for slip and twist, so that the impulse turns against the generalised slip, and from there
        // to the nearest that friction can bear.
        let limit = group.dynamic_friction.load::<L>(at) * normal;
        // Where only one direction is left, the mass along it.
        let singular = (m.x * m.z - m.y * m.y).less_eq(m.x * m.z * L::splat(SINGULAR));
        let step = L::select(singular, m.x + m.z, m.x.min(m.z));
        let step = L::select(has_lever, step.min(twist_mass * inv_lever * inv_lever), step);
        let g1 = f1 - step * v1;
        let g2 = f2 - step * v2;
        let gq = L::select(has_lever, tau * inv_lever - step * (lever * w), L::ZERO);
        let wanted = Load { across: (g1 * g1 + g2 * g2).sqrt(), twist: gq.max(-gq) };
        let (most, inside) = nearest(wanted, limit);
        let shorten = L::select(inside, L::ONE, most.across / wanted.across.max(tiny));
        let twist = L::select(inside, gq, most.twist.copysign(gq));
        new1 = L::select(sticks, s1, g1 * shorten);
        new2 = L::select(sticks, s2, g2 * shorten);
        new_tau = L::select(sticks, st, twist * lever);
    }
    (new1, new2, new_tau) = (L::select(mask, new1, f1), L::select(mask, new2, f2), L::select(mask, new_tau, tau));
    group.tangent_impulse[0].store(at, new1);
    group.tangent_impulse[1].store(at, new2);
    group.twist_impulse.store(at, new_tau);
    let p = t1 * (new1 - f1) + t2 * (new2 - f2);
    let twist = n * (new_tau - tau);
    ends.push(p, ra.cross(p) + twist, rb.cross(p) + twist);
}
